/* Functions of one variable with two derivatives, and maps of two. */
#include <math.h>

#include "base/message.h"
#include "dalembert/events.h"
#include "mbs/function_kernel.h"
#include "mbs/mbs_impl.h"

static dal_status constant_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    (void)x, (void)all;
    y[0] = f->c[0];
    y[1] = y[2] = 0.0;
    return DAL_OK;
}

static dal_status harmonic_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    (void)all;
    function_harmonic(y, f->c, x);
    return DAL_OK;
}

static dal_status polynomial_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    (void)all;
    function_polynomial(y, f->c, f->n, x);
    return DAL_OK;
}

static dal_status step_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    (void)all;
    function_step(y, f->c, x);
    return DAL_OK;
}

static dal_status ramp_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    (void)all;
    function_ramp(y, f->c, x);
    return DAL_OK;
}

static dal_status table_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    (void)all;
    mb_table_value(y, f->c, f->n, f->interpolation, x);
    return DAL_OK;
}

/* It takes two arguments: mb_map_value. */
static dal_status map_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    (void)y, (void)f, (void)x, (void)all;
    return DAL_EINVAL;
}

static dal_status sum_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    y[0] = y[1] = y[2] = 0.0;
    for (int k = 0; k < f->nf; ++k) {
        double z[3];
        DAL_TRY(mb_function_value(z, all, f->f[k], x));
        add3(y, y, z);
    }
    return DAL_OK;
}

static dal_status product_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    y[0] = 1.0;
    y[1] = y[2] = 0.0;
    for (int k = 0; k < f->nf; ++k) {
        double z[3];
        DAL_TRY(mb_function_value(z, all, f->f[k], x));
        function_times(y, z);
    }
    return DAL_OK;
}

static dal_status user_value(double y[3], const mb_function *f, double x, const mb_function *all)
{
    if (f->calling) {
        const dal_functions before = {all, (int)(f - all) - 1};
        return f->calling(y, x, f->c, &before, f->user);
    }
    return f->call_with ? f->call_with(y, x, f->c, f->user) : f->call(y, x, f->user);
}

/* ---- breaks ----------------------------------------------------------------------------------- */

/* Of steps and ramps. */
static double ends(const mb_function *f, double x, const mb_function *all)
{
    (void)all;
    return f->c[0] == f->c[1] || x >= f->c[3] ? INFINITY : x >= f->c[2] ? f->c[3] : f->c[2];
}

static double table_break(const mb_function *f, double x, const mb_function *all)
{
    (void)all;
    return mb_table_break(f->c, f->n, f->interpolation, x);
}

static double terms_break(const mb_function *f, double x, const mb_function *all)
{
    double next = INFINITY;
    for (int k = 0; k < f->nf; ++k) {
        next = fmin(next, mb_function_break(all, f->f[k], x));
    }
    return next;
}

static double user_break(const mb_function *f, double x, const mb_function *all)
{
    if (f->calling_break) {
        const dal_functions before = {all, (int)(f - all) - 1};
        return f->calling_break(x, f->c, &before, f->user);
    }
    return f->next_break ? f->next_break(x, f->c, f->user) : INFINITY;
}

double mb_function_next_step(const mb_function *all, int number, double x)
{
    const mb_function *f = &all[number];
    double next = INFINITY;
    if (number <= 0) {
        return next;
    }
    for (int k = 0; k < f->nf; ++k) {
        next = fmin(next, mb_function_next_step(all, f->f[k], x));
    }
    return mb_function_is_table(f) && f->interpolation == DAL_INTERPOLATION_CONSTANT ? table_break(f, x, all) : next;
}

double mb_function_break(const mb_function *all, int number, double x)
{
    const mb_function *f = &all[number];
    return number > 0 && f->type->next_break ? f->type->next_break(f, x, all) : INFINITY;
}

/* ---- checks ----------------------------------------------------------------------------------- */

static dal_status check_interval(dal_ctx *ctx, const dal_function *f)
{
    return f->c[3] > f->c[2] ? DAL_OK
                             : dal_fail(ctx, DAL_EINVAL, "function '%s': it must end (%g) after it begins (%g)",
                                        f->name, f->c[3], f->c[2]);
}

static dal_status check_operands(dal_ctx *ctx, const dal_function *f)
{
    return f->nf >= 1 && f->f ? DAL_OK : dal_fail(ctx, DAL_EINVAL, "function '%s': no functions to combine", f->name);
}

static dal_status check_call(dal_ctx *ctx, const dal_function *f)
{
    return f->call || f->call_with || f->calling
               ? DAL_OK
               : dal_fail(ctx, DAL_EINVAL, "function '%s': no callback given", f->name);
}

/* ---- keys ------------------------------------------------------------------------------------- */

static const char *const interpolations[] = {"cubic", "linear", "periodic", "constant",
                                             NULL}; // as in dal_interpolation

static const char *const interpolations_of_maps[] = {"cubic", "linear", NULL};

static const dal_key constant_keys[] = {MB_KEY_READ(COEFFICIENT, "value", "", "the constant", MB_REQUIRED)};
static const dal_key harmonic_keys[] = {
    MB_KEY_READ(COEFFICIENT, "offset", "", "mean value", .preset = "0"),
    MB_KEY_READ(COEFFICIENT, "amplitude", "", "amplitude", MB_REQUIRED, .n = 1),
    MB_KEY_READ(COEFFICIENT, "omega", "rad/s", "angular frequency", MB_REQUIRED, .n = 2),
    MB_KEY_READ(COEFFICIENT, "phase", "rad", "angle at x = 0", .preset = "0", .n = 3)};
static const dal_key step_keys[] = {MB_KEY_READ(COEFFICIENT, "from", "", "value before", MB_REQUIRED),
                                    MB_KEY_READ(COEFFICIENT, "to", "", "value after", MB_REQUIRED, .n = 1),
                                    MB_KEY_READ(COEFFICIENT, "start", "", "where it begins", MB_REQUIRED, .n = 2),
                                    MB_KEY_READ(COEFFICIENT, "end", "", "where it ends", MB_REQUIRED, .n = 3)};
static const dal_key polynomial_keys[] = {MB_KEY_READ(LIST, "coefficients", "", "lowest first", MB_REQUIRED)};
static const dal_key table_keys[] = {
    MB_KEY_READ(COLUMN, "x", "", "increasing; of a file: name or number of the column, default 1", MB_OPTIONAL),
    MB_KEY_READ(COLUMN, "y", "", "values; of a file: name or number of the column, default 2", MB_OPTIONAL),
    MB_KEY_READ(FILE, "file", "", "text file with the columns, in the folder of the model", MB_OPTIONAL),
    MB_KEY(
        CHOICE, "interpolation", dal_function, interpolation, "",
        "cubic: natural spline; linear; both go straight on outside; periodic: a spline that repeats itself; constant: "
        "each value from its point on",
        .words = interpolations, .preset = "\"cubic\"")};
static const dal_key map_keys[] = {
    MB_KEY_READ(LIST, "x", "", "first argument, increasing", MB_REQUIRED),
    MB_KEY_READ(LIST, "y", "", "second argument, increasing", MB_REQUIRED),
    MB_KEY_READ(ARRAY, "z", "", "values: a list for each x, with a number for each y", MB_REQUIRED, .n = 2),
    MB_KEY(CHOICE, "interpolation", dal_function, interpolation, "",
           "cubic: natural splines along both arguments; linear: along both (bilinear); straight on outside",
           .words = interpolations_of_maps, .preset = "\"cubic\"")};
static const dal_key terms_keys[] = {MB_KEY_READ(FUNCTIONS, "functions", "", "the functions", MB_REQUIRED)};

static const mb_function_type types[] = {
    {"constant", 1, 1, NULL, constant_value, MB_ABOUT("value", NONE, constant_keys), NULL},
    {"harmonic", 4, 4, NULL, harmonic_value, MB_ABOUT("offset + amplitude sin(omega x + phase)", NONE, harmonic_keys),
     NULL},
    {"polynomial", 1, 64, NULL, polynomial_value,
     MB_ABOUT("coefficients[0] + coefficients[1] x + ...", NONE, polynomial_keys), NULL},
    {"step", 4, 4, check_interval, step_value,
     MB_ABOUT("from before start, to after end, smooth (twice differentiable) between", NONE, step_keys), ends},
    {"ramp", 4, 4, check_interval, ramp_value,
     MB_ABOUT("from before start, to after end, linear between; the velocity of a motion jumps where a ramp begins and "
              "ends",
              NONE, step_keys),
     ends},
    {"table",
     0,
     0,
     mb_table_check,
     table_value,
     {.text = "through points, in the model or in a text file",
      .keys = table_keys,
      .nkeys = sizeof table_keys / sizeof *table_keys,
      .one_of = "x y|file"},
     table_break},
    {"map", 0, 0, mb_map_check, map_value,
     MB_ABOUT("of two variables, through points: laws, states and events call it, as in torque(speed, throttle)", NONE,
              map_keys),
     NULL},
    {"sum", 0, 0, check_operands, sum_value, MB_ABOUT("sum of functions", NONE, terms_keys), terms_break},
    {"product", 0, 0, check_operands, product_value, MB_ABOUT("product of functions", NONE, terms_keys), terms_break},
    {"user", 0, 0, check_call, user_value, {0}, user_break}, // the last: model files have expressions instead
};
enum { NTYPES = sizeof types / sizeof types[0] };

static const char *type_name(int k)
{
    return k < NTYPES ? types[k].name : NULL;
}

dal_element_type mb_function_about(int k)
{
    dal_element_type about = type_name(k) ? types[k].about : (dal_element_type){0};
    about.section = "functions";
    about.name = about.text ? type_name(k) : NULL;
    return about;
}

const mb_function_type *mb_function_type_find(dal_ctx *ctx, const dal_function *f)
{
    const int k = mb_type_find(ctx, "function", f->name, "type", f->type, type_name);
    return k < 0 ? NULL : &types[k];
}

/* ---- the list --------------------------------------------------------------------------------- */

int mb_function_is_table(const mb_function *f)
{
    return f->type->value == table_value;
}

int mb_function_is_map(const mb_function *f)
{
    return f->type->value == map_value;
}

int mb_function_is_product(const mb_function *f)
{
    return f->type->value == product_value;
}

int mb_function_known(const dal_model *m, int number)
{
    return number >= 0 && number <= m->function_names.n && !(number > 0 && mb_function_is_map(&m->function[number]));
}

void mb_function_numbers(mb_function *f, double *scratch, const dal_function *d)
{
    f->call = d->call;
    f->call_with = d->call_with;
    f->user = d->user;
    f->next_break = d->next_break;
    f->calling = d->calling;
    f->calling_break = d->calling_break;
    f->interpolation = d->interpolation;
    if (mb_function_is_table(f)) {
        mb_table_build(f->c, scratch, d);
    } else if (mb_function_is_map(f)) {
        mb_map_build(f->c, scratch, d);
    } else if (d->c && d->n > 0) {
        memmove(f->c, d->c, (size_t)d->n * sizeof(double)); // they may be the same
    }
}

static dal_status copy_function(dal_pool *pool, mb_function *to, const dal_function *f)
{
    const int table = mb_function_is_table(to), map = mb_function_is_map(to);
    dal_pool work = {.ctx = pool->ctx, .what = "a table"};
    double *scratch;
    to->n = f->n;
    to->nx = f->nx;
    to->ny = f->ny;
    to->nc = map ? mb_map_numbers(f) : table ? 3 * f->n : f->n;
    to->nf = f->nf;
    DAL_TAKE(pool, to->c, to->nc);
    DAL_TAKE(pool, to->f, f->nf);
    DAL_TAKE(&work, scratch, table || map ? MB_TABLE_SCRATCH * f->n : 0);
    mb_function_numbers(to, scratch, f);
    dal_pool_release(&work);
    if (f->nf > 0) {
        memcpy(to->f, f->f, (size_t)f->nf * sizeof(int));
    }
    return DAL_OK;
}

/* Cost of one value. Operands are added before their sum, so their counts are known. */
static dal_status count_evaluations(dal_ctx *ctx, const mb_function *all, const dal_function *f, mb_function *to)
{
    to->depth = to->evaluations = 1;
    for (int k = 0; k < f->nf; ++k) {
        const mb_function *g = &all[f->f[k]];
        to->depth = g->depth >= to->depth ? g->depth + 1 : to->depth;
        to->evaluations += g->evaluations;
        if (to->depth > DAL_FUNCTION_DEPTH || to->evaluations > DAL_FUNCTION_EVALUATIONS) {
            return dal_fail(ctx, DAL_EINVAL,
                            "function '%s': functions within functions, more than %d deep or more than %d for one "
                            "value; combine them into fewer",
                            f->name, DAL_FUNCTION_DEPTH, DAL_FUNCTION_EVALUATIONS);
        }
    }
    return DAL_OK;
}

dal_status mb_function_check(const dal_model *m, dal_ctx *ctx, const mb_function_type *type, const dal_function *f)
{
    if (type->max > 0 && (f->n < type->min || f->n > type->max || !f->c || !mb_norm_ok(f->c, f->n))) {
        return dal_fail(ctx, DAL_EINVAL, "function '%s': type %s needs %d to %d finite coefficients, not %d", f->name,
                        type->name, type->min, type->max, f->n);
    }
    if (f->n < 0 || f->nf < 0) {
        return dal_fail(ctx, DAL_EINVAL, "function '%s': negative size", f->name);
    }
    if (type->check) {
        DAL_TRY(type->check(ctx, f));
    }
    for (int k = 0; k < f->nf; ++k) {
        if (f->f[k] < 1 || f->f[k] > m->function_names.n) {
            return dal_fail(ctx, DAL_EINVAL, "function '%s': there is no function %d before it", f->name, f->f[k]);
        }
        if (!f->calling && !mb_function_known(m, f->f[k])) {
            return dal_fail(ctx, DAL_EINVAL, "function '%s': '%s' takes two arguments; only calls have them", f->name,
                            dal_model_function_name(m, f->f[k]));
        }
    }
    return DAL_OK;
}

dal_status dal_model_add_function_(dal_model *model, int *number, const dal_function *f, size_t size)
{
    DAL_NEED(NULL, model);
    DAL_NEED_AS(model->ctx, f, "function");
    DAL_OWN(model->ctx, dal_function, f);
    dal_ctx *ctx = model->ctx;
    DAL_TRY(mb_names_check(model, &model->function_names, "function", f->name));
    const mb_function_type *type = mb_function_type_find(ctx, f);
    if (!type) {
        return DAL_EINVAL;
    }
    DAL_TRY(mb_function_check(model, ctx, type, f));
    mb_function made = {.type = type};
    DAL_TRY(count_evaluations(ctx, model->function, f, &made));
    DAL_GROW(ctx, model->function, model->function_capacity, model->function_names.n + 2);
    DAL_TRY(copy_function(&model->pool, &made, f));
    DAL_TRY(mb_names_add(&model->function_names, &model->pool, f->name));
    model->function[model->function_names.n] = made;
    if (number) {
        *number = model->function_names.n;
    }
    return DAL_OK;
}

dal_status mb_function_value(double y[3], const mb_function *all, int number, double x)
{
    y[0] = y[1] = y[2] = 0.0;
    return number > 0 ? all[number].type->value(y, &all[number], x, all) : DAL_OK;
}

dal_status dal_model_function_value(const dal_model *model, double y[3], int number, double x)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, y);
    if (number < 0 || number > model->function_names.n) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: there is no function number %d", number);
    }
    if (!mb_function_known(model, number)) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: function '%s' takes two arguments",
                        dal_model_function_name(model, number));
    }
    return mb_function_value(y, model->function, number, x);
}

dal_status dal_functions_value(const dal_functions *f, double y[3], int number, double x)
{
    return f && y && number >= 0 && number <= f->n ? mb_function_value(y, f->all, number, x) : DAL_EINVAL;
}

/* NULL: there is no such map. */
static const mb_function *map_of(const dal_functions *f, int number)
{
    return f && number > 0 && number <= f->n && mb_function_is_map(&f->all[number]) ? &f->all[number] : NULL;
}

dal_status dal_functions_value2(const dal_functions *f, double z[6], int number, double x, double y)
{
    const mb_function *map = map_of(f, number);
    if (!map || !z) {
        return DAL_EINVAL;
    }
    mb_map_value(z, map, x, y);
    return DAL_OK;
}

int dal_functions_piece(const dal_functions *f, int number, double x, double y)
{
    const mb_function *map = map_of(f, number);
    return map ? mb_map_piece(map, x, y) : 0;
}

dal_status mb_model_call(const dal_model *model, double *y, int number, const double *x)
{
    double z[6] = {0.0};
    const mb_function *f = &model->function[number];
    if (mb_function_is_map(f)) {
        mb_map_value(z, f, x[0], x[1]);
    } else {
        DAL_TRY(dal_model_function_value(model, z, number, x[0]));
    }
    *y = z[0];
    return isfinite(*y) ? DAL_OK
                        : dal_fail(model->ctx, DAL_EINVAL, "function '%s' is not finite at %g",
                                   dal_model_function_name(model, number), x[0]);
}

int mb_function_follows(const dal_model *model, int number, int part)
{
    const mb_function *f = &model->function[number];
    int follows = number == part;
    for (int k = 0; k < f->nf && !follows; ++k) {
        follows = mb_function_follows(model, f->f[k], part);
    }
    return follows;
}

int dal_model_function_arguments(const dal_model *model, int number)
{
    if (!model || number < 1 || number > model->function_names.n) {
        return 0;
    }
    return mb_function_is_map(&model->function[number]) ? 2 : 1;
}

double dal_functions_break(const dal_functions *f, int number, double x)
{
    return f && number >= 0 && number <= f->n ? mb_function_break(f->all, number, x) : (double)INFINITY;
}

/* Does the slope jump? Only where M vanishes on both sides of a point. */
static int table_kinked(const mb_function *f)
{
    const double *X = f->c, *Y = X + f->n, *M = Y + f->n;
    for (int i = 1; i < f->n - 1; ++i) {
        const double before = (Y[i] - Y[i - 1]) / (X[i] - X[i - 1]), after = (Y[i + 1] - Y[i]) / (X[i + 1] - X[i]);
        if (M[i - 1] == 0.0 && M[i] == 0.0 && M[i + 1] == 0.0 &&
            fabs(after - before) > 1e-9 * (fabs(after) + fabs(before))) {
            return 1;
        }
    }
    return 0;
}

int mb_function_kinked(const mb_function *all, int number)
{
    const mb_function *f = &all[number];
    if (mb_function_is_map(f)) {
        return f->interpolation == DAL_INTERPOLATION_LINEAR;
    }
    int kinked = f->type->value == ramp_value ? f->c[1] != f->c[0] : f->type->value == table_value && table_kinked(f);
    for (int k = 0; k < f->nf && !kinked; ++k) {
        kinked = mb_function_kinked(all, f->f[k]);
    }
    return kinked;
}

double mb_function_integral(const mb_function *all, int number, double x)
{
    // Gauss's rule with five points on 64 parts
    static const double node[5] = {-0.906179845938664, -0.5384693101056831, 0.0, 0.5384693101056831, 0.906179845938664};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891};
    double sum = 0.0, y[3];
    for (int k = 0; k < 64 * 5; ++k) {
        const dal_status st =
            mb_function_value(y, all, number,
                              x / 64.0 * (k / 5 + 0.5 * (1.0 + node[k % 5]))); // NOLINT(bugprone-integer-division)
        sum += st == DAL_OK ? weight[k % 5] * y[0] : (double)NAN;
    }
    return sum * x / 128.0;
}
