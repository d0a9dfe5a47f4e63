/* Functions of one variable with two derivatives. */
#include <math.h>

#include "base/message.h"
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
    mb_table_value(y, f->c, f->n, f->interpolation == DAL_INTERPOLATION_PERIODIC, x);
    return DAL_OK;
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
    (void)all;
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
    (void)all;
    return f->next_break ? f->next_break(x, f->c, f->user) : INFINITY;
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
    return f->call || f->call_with ? DAL_OK : dal_fail(ctx, DAL_EINVAL, "function '%s': no callback given", f->name);
}

/* ---- keys ------------------------------------------------------------------------------------- */

static const char *const interpolations[] = {"cubic", "linear", "periodic", NULL}; // as in dal_interpolation

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
    MB_KEY(CHOICE, "interpolation", dal_function, interpolation, "",
           "cubic: natural spline; linear; both go straight on outside; periodic: a spline that repeats itself",
           .words = interpolations, .preset = "\"cubic\"")};
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

void mb_function_numbers(mb_function *f, double *scratch, const dal_function *d)
{
    f->call = d->call;
    f->call_with = d->call_with;
    f->user = d->user;
    f->next_break = d->next_break;
    f->interpolation = d->interpolation;
    if (mb_function_is_table(f)) {
        mb_table_build(f->c, scratch, d);
    } else if (d->c && d->n > 0) {
        memmove(f->c, d->c, (size_t)d->n * sizeof(double)); // they may be the same
    }
}

static dal_status copy_function(dal_pool *pool, mb_function *to, const dal_function *f)
{
    const int table = mb_function_is_table(to);
    dal_pool work = {.ctx = pool->ctx, .what = "a table"};
    double *scratch;
    to->n = f->n;
    to->nc = table ? 3 * f->n : f->n;
    to->nf = f->nf;
    DAL_TAKE(pool, to->c, to->nc);
    DAL_TAKE(pool, to->f, f->nf);
    DAL_TAKE(&work, scratch, table ? MB_TABLE_SCRATCH * f->n : 0);
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
    }
    return DAL_OK;
}

dal_status dal_model_add_function(dal_model *model, int *number, const dal_function *f)
{
    DAL_NEED(NULL, model);
    DAL_NEED_AS(model->ctx, f, "function");
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
    return mb_function_value(y, model->function, number, x);
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
