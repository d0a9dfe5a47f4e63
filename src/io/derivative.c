/* Derivatives of the set-up program: products of dp/dvalues with vectors, forwards and transposed. Operations have the kernels
 * of generated programs over complex numbers; what has none there is differenced. */
#include "lie/real_complex.h"
// the kernels take the scalar above
#include "mbs/number_kernel.h"

#include "base/memory.h"
#include "base/message.h"
#include "base/stencil.h"
#include "io/binding_impl.h"
#include "mbs/pose.h"
#include "system/data.h"

/* ---- of one operation ------------------------------------------------------------------------- */

static void weighed(real y[10], const real x[13])
{
    static const int entry[6] = {0, 4, 8, 3, 6, 7};
    real J[9];
    y[0] = x[0];
    for (int k = 0; k < 3; ++k) {
        y[7 + k] = x[1 + k] / x[0];
    }
    memcpy(J, x + 4, sizeof J);
    add_unit(J, -x[0] * dot3(y + 7, y + 7));
    add_outer(J, x[0], y + 7, y + 7);
    for (int k = 0; k < 6; ++k) {
        y[1 + k] = J[entry[k]];
    }
}

static void (*const kernels[IO_KERNELS])(real *y, const real *x) = {
    [IO_UNIT3] = number_unit3,       [IO_UNIT4] = number_unit4,   [IO_QUATERNION] = number_quaternion,
    [IO_TURN] = number_turn,         [IO_TURNED] = number_turned, [IO_PRODUCT] = number_product,
    [IO_CROSS] = number_cross,       [IO_NORMAL] = number_normal, [IO_AXES] = number_axes,
    [IO_AXIS] = number_axis,         [IO_BACK] = number_back,     [IO_FRAME] = number_frame,
    [IO_ORIGIN] = number_same,       [IO_BOX] = number_box,       [IO_ROD] = number_rod,
    [IO_CYLINDER] = number_cylinder, [IO_DISK] = number_disk,     [IO_SPHERE] = number_sphere,
    [IO_WEIGHED] = weighed,          [IO_AHEAD] = number_ahead,   [IO_PLACED] = number_placed,
    [IO_MINUS] = number_minus,
};

/* Column `of`: by four values, relative error 1e-12 where the operation is smooth. */
static dal_status difference(const io_loader *L, double *J, io_kernel kernel, const double *x, int of)
{
    const dal_stencil *four = &dal_four_values;
    const io_kernel_type *type = &dal_io_kernels[kernel];
    const io_node root = {.depth = 0};
    double at[IO_INPUTS_MAX], y[IO_INPUTS_MAX];
    const double h = 1e-3 * (x[of] != 0.0 ? fabs(x[of]) : 1.0);
    memset(J, 0, (size_t)type->nout * sizeof *J);
    for (int s = 0; s < four->n; ++s) {
        memcpy(at, x, (size_t)type->nin * sizeof *at);
        at[of] += four->place[s] * h;
        DAL_TRY(dal_io_compute(L, y, &root, kernel, at));
        for (int k = 0; k < type->nout; ++k) {
            J[k] += isfinite(y[k]) ? four->weight[s] * y[k] / h : 0.0;
        }
    }
    return DAL_OK;
}

/* Column `of` of the derivatives of an operation with respect to its inputs. */
static dal_status column(const io_loader *L, double *J, io_kernel kernel, const double *x, int of)
{
    const io_kernel_type *type = &dal_io_kernels[kernel];
    real in[IO_INPUTS_MAX], y[IO_INPUTS_MAX];
    if (kernels[kernel] == NULL) {
        return difference(L, J, kernel, x, of);
    }
    for (int k = 0; k < type->nin; ++k) {
        in[k] = x[k] + (k == of ? I * REAL_STEP : 0.0);
    }
    kernels[kernel](y, in);
    for (int k = 0; k < type->nout; ++k) {
        J[k] = cimag(y[k]) / REAL_STEP;
    }
    return DAL_OK;
}

/* d(unit quaternion) = J d(rotation) of the pose of a body, 4 x 4. */
static void pose_derivative(double J[16], const double rotation[4])
{
    for (int of = 0; of < 4; ++of) {
        real in[4], y[4];
        for (int k = 0; k < 4; ++k) {
            in[k] = rotation[k] + (k == of ? I * REAL_STEP : 0.0);
        }
        number_unit4(y, in);
        for (int k = 0; k < 4; ++k) {
            J[k + 4 * of] = cimag(y[k]) / REAL_STEP;
        }
    }
}

/* ---- the program ------------------------------------------------------------------------------ */

/* Derivatives of nodes: forwards along a direction; transposed what each of them is weighed with. */
typedef struct pass {
    const dal_binding *b;
    io_running run;
    int transposed;
    mb_counted counted; /* numbers of p before an item */
    double node[IO_NODES_MAX], d[IO_NODES_MAX];
    double *dpose; /* 7 for each body */
} pass;

/* The derivative of an input; NULL: it is constant. */
static double *input(pass *s, int node)
{
    return node > 0 ? &s->d[node] : node < 0 ? &s->dpose[-node - 1] : NULL;
}

static dal_status through_operation(pass *s, const io_operation *op)
{
    double *y = s->d + op->first, x[IO_INPUTS_MAX], J[IO_INPUTS_MAX], g[IO_LIVE_MAX], *dx;
    if (op->e != NULL) {
        (void)dal_expression_gradient(g, op->e, s->node + 1);
        y[0] = s->transposed ? y[0] : 0.0;
        for (int k = 0; k < s->b->nlive; ++k) {
            *(s->transposed ? &s->d[1 + k] : y) += g[k] * (s->transposed ? *y : s->d[1 + k]);
        }
        return DAL_OK;
    }
    const int nout = dal_io_kernels[op->kernel].nout;
    DAL_TRY(dal_io_gather(&s->run, x, op));
    memset(y, 0, s->transposed ? 0 : (size_t)nout * sizeof *y);
    for (int k = 0; k < dal_io_kernels[op->kernel].nin; ++k) {
        dx = input(s, op->in[k].node);
        if (dx != NULL) {
            DAL_TRY(column(&s->run.L, J, op->kernel, x, k));
        }
        for (int i = 0; dx != NULL && i < nout; ++i) {
            *(s->transposed ? dx : &y[i]) += J[i] * (s->transposed ? y[i] : *dx);
        }
    }
    return DAL_OK;
}

/* Which number of the pose of a body a target is, 0 .. 6: position, rotation; -1: none. */
static int place_in_pose(const io_target *t)
{
    const size_t position = offsetof(dal_body, position), rotation = offsetof(dal_body, rotation), one = sizeof(double);
    return t->offset >= position && t->offset < position + 3 * one   ? (int)((t->offset - position) / one)
           : t->offset >= rotation && t->offset < rotation + 4 * one ? 3 + (int)((t->offset - rotation) / one)
                                                                     : -1;
}

/* Between a node that is number k of the pose of a body and that pose, whose quaternion has length one. */
static void through_pose(const pass *s, double *dpose, double *d, const double J[16], int k)
{
    for (int i = k < 3 ? k : 3; i < (k < 3 ? k + 1 : 7); ++i) {
        const double slope = k < 3 ? 1.0 : J[i - 3 + 4 * (k - 3)];
        *(s->transposed ? d : &dpose[i]) += slope * (s->transposed ? dpose[i] : *d);
    }
}

/* The pose of an interface of a flexible body, with one of the numbers of that body changed by h. */
static dal_status pose_with(const pass *s, double pose[7], int body, const io_item *item, const io_target *t, double h)
{
    mb_description about;
    DAL_TRY(mb_description_get(s->run.data, &about, item->kind, item->number));
    double *x = (double *)((char *)about.list[t->list] + t->offset);
    const double own = *x;
    *x += h;
    dal_status st = mb_description_set(s->run.data, &about);
    st = st == DAL_OK ? mb_data_pose(s->run.data, pose, body) : st;
    *x = own;
    DAL_TRY(st);
    return mb_description_set(s->run.data, &about);
}

/* The same for all interfaces of a flexible body, by differences: rotations must keep their length but for 1e-6. */
static dal_status through_interfaces(pass *s, const io_item *item, const io_target *t)
{
    const double h = 4e-7;
    double plus[7], minus[7], *d = &s->d[t->node];
    for (int body = item->number + 1; dal_model_body_of(s->run.L.model, body) == item->number; ++body) {
        DAL_TRY(pose_with(s, plus, body, item, t, h));
        DAL_TRY(pose_with(s, minus, body, item, t, -h));
        for (int i = 0; i < 7; ++i) {
            const double slope = (plus[i] - minus[i]) / (2.0 * h);
            double *dpose = &s->dpose[7 * body + i];
            *(s->transposed ? d : dpose) += slope * (s->transposed ? *dpose : *d);
        }
    }
    return DAL_OK;
}

/* Numbers of p and what they follow from. p: derivatives of all of them. */
static dal_status through_targets(pass *s, const io_item *item, double *p)
{
    mb_description about;
    double J[16];
    DAL_TRY(mb_description_get(s->run.data, &about, item->kind, item->number));
    const int first = mb_parameter_first(s->run.data, &s->counted, item->kind, item->number),
              flexible = item->kind == MB_BODY && about.list[1] != NULL, rigid = item->kind == MB_BODY && !flexible;
    if (rigid) {
        pose_derivative(J, about.d.body.rotation);
    }
    for (int k = 0; k < item->ntargets; ++k) {
        const io_target *t = &item->target[k];
        const int at = mb_parameter_index(s->run.data, &about, t->list, t->offset);
        if (first < 0 || at < 0) {
            return dal_fail(s->run.data->ctx, DAL_EINVAL, "%s: %s has a number that is not in p", s->b->doc->source,
                            item->path);
        }
        *(s->transposed ? &s->d[t->node] : &p[first + at]) += s->transposed ? p[first + at] : s->d[t->node];
        if (rigid && place_in_pose(t) >= 0) {
            through_pose(s, s->dpose + 7 * item->number, &s->d[t->node], J, place_in_pose(t));
        } else if (flexible) {
            DAL_TRY(through_interfaces(s, item, t));
        }
    }
    return DAL_OK;
}

/* Variables that follow from others; transposed: the last first. */
static void through_live(pass *s)
{
    const dal_binding *b = s->b;
    double g[IO_LIVE_MAX], *d = s->d + 1;
    for (int i = b->n; i < b->nlive; ++i) {
        const int k = s->transposed ? b->nlive - 1 - (i - b->n) : i;
        (void)dal_expression_gradient(g, b->value[k - b->n], s->node + 1);
        d[k] = s->transposed ? d[k] : 0.0;
        for (int j = 0; j < k; ++j) {
            *(s->transposed ? &d[j] : &d[k]) += g[j] * (s->transposed ? d[k] : d[j]);
        }
    }
}

static dal_status through_item(pass *s, const io_item *item, double *p)
{
    for (int i = 0; i < item->nops; ++i) {
        DAL_TRY(dal_io_run_operation(&s->run, &item->op[i]));
    }
    if (s->transposed) {
        memset(s->d + 1 + s->b->nlive, 0, (size_t)(IO_NODES_MAX - 1 - s->b->nlive) * sizeof(double));
        DAL_TRY(through_targets(s, item, p));
    }
    for (int i = 0; i < item->nops; ++i) {
        DAL_TRY(through_operation(s, &item->op[s->transposed ? item->nops - 1 - i : i]));
    }
    return s->transposed ? DAL_OK : through_targets(s, item, p);
}

static dal_status go_through(pass *s, double *p, double *dvalues, const double *direction)
{
    const dal_binding *b = s->b;
    if (!s->transposed && direction != NULL) {
        memcpy(s->d + 1, direction, (size_t)b->n * sizeof(double));
        through_live(s);
    }
    for (int k = 0; k < b->nitems; ++k) {
        DAL_TRY(through_item(s, &b->item[s->transposed ? b->nitems - 1 - k : k], p));
    }
    if (s->transposed) {
        through_live(s);
        memcpy(dvalues, s->d + 1, (size_t)b->n * sizeof(double));
    }
    return DAL_OK;
}

static dal_status product(const dal_binding *b, dal_data *data, const double *values, double *p, double *dvalues,
                          const double *direction)
{
    int bodies = 1;
    DAL_TRY(dal_binding_set(b, data, values));
    while (dal_model_body_name(b->doc->model, bodies) != NULL) {
        ++bodies;
    }
    pass *s = dal_alloc_zero(data->ctx, sizeof *s + 7 * (size_t)bodies * sizeof(double));
    if (s == NULL) {
        return dal_io_no_memory(data->ctx);
    }
    s->b = b;
    s->transposed = direction == NULL;
    s->counted.number = -1;
    s->dpose = (double *)(s + 1);
    s->run = dal_io_running(b, data, s->node);
    dal_status st = dal_io_live(b, data->ctx, s->node, values);
    st = st == DAL_OK ? go_through(s, p, dvalues, direction) : st;
    dal_free(data->ctx, s);
    return st;
}

dal_status dal_binding_product(const dal_binding *b, dal_data *data, double *dp, const double *values,
                               const double *dvalues)
{
    DAL_NEED(NULL, data);
    DAL_NEED_AS(data->ctx, b, "binding");
    DAL_NEED(data->ctx, dp);
    DAL_NEED(data->ctx, values);
    DAL_NEED(data->ctx, dvalues);
    DAL_TRY(dal_binding_set(b, data, values)); // callbacks with parameters: these are in p
    memset(dp, 0, (size_t)dal_data_parameters(data, NULL) * sizeof(double));
    return product(b, data, values, dp, NULL, dvalues);
}

dal_status dal_binding_product_transposed(const dal_binding *b, dal_data *data, double *dvalues, const double *values,
                                          const double *dp)
{
    DAL_NEED(NULL, data);
    DAL_NEED_AS(data->ctx, b, "binding");
    DAL_NEED(data->ctx, dvalues);
    DAL_NEED(data->ctx, values);
    DAL_NEED(data->ctx, dp);
    return product(b, data, values, (double *)dp, dvalues, NULL); // dp is read
}
