/* Velocity rows A(q,t) v + b(q,t) = 0 whose coefficients are expressions in t and the positions x1, y1, z1, x2, ... of
 * the bodies, which may call functions of the model. Coefficients that do none of this are numbers. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/callbacks.h"
#include "io/io_impl.h"

enum { ROWS_MAX = 6, BODIES_MAX = 2, INPUTS = 1 + 3 * BODIES_MAX };

static const char *const inputs[INPUTS] = {"t", "x1", "y1", "z1", "x2", "y2", "z2"};

typedef struct coefficient {
    const dal_expression *e; /* NULL: constant */
    double value;
} coefficient;

typedef struct io_rows {
    int bodies[BODIES_MAX];
    int nbodies, nrows;
    coefficient *c; /* nrows x (6 nbodies + 1), row after row; the last of a row is b */
    int n;          /* parameters, which are live values */
    int live[DAL_PARAMETERS_MAX];
} io_rows;

/* dal_pfaffian: A is nrows x 6 nbodies, column-major. A value that is not finite stops the run. */
static dal_status evaluate(double *A, double *b, double t, const double *x, const double *R,
                           const dal_functions *functions, void *user)
{
    (void)R;
    const io_rows *rows = user;
    const int n = 6 * rows->nbodies;
    double in[INPUTS + DAL_PARAMETERS_MAX] = {t};
    memcpy(in + 1, x, (size_t)(3 * rows->nbodies + rows->n) * sizeof(double));
    for (int i = 0; i < rows->nrows; ++i) {
        for (int j = 0; j <= n; ++j) {
            const coefficient *c = &rows->c[i * (n + 1) + j];
            double *to = j < n ? &A[i + j * rows->nrows] : &b[i];
            *to = c->value;
            DAL_TRY(c->e != NULL ? dal_expression_calling(to, NULL, c->e, in, functions) : DAL_OK);
        }
    }
    return DAL_OK;
}

/* dal_pfaffian_along: the inputs do not turn. */
static dal_status evaluate_along(double *A, double *b, double t, const double *x, const double *R, const double *d,
                                 const dal_functions *functions, void *user)
{
    (void)R;
    const io_rows *rows = user;
    const int n = 6 * rows->nbodies;
    double in[3 * (INPUTS + DAL_PARAMETERS_MAX)] = {t, d[0], 0.0}, moving = fabs(d[0]);
    for (int k = 0; k < 3 * rows->nbodies; ++k) {
        double *curve = in + 3 * (1 + k);
        curve[0] = x[k];
        curve[1] = d[1 + 6 * (k / 3) + k % 3];
        curve[2] = 0.0;
        moving += fabs(curve[1]);
    }
    for (int k = 0; k < rows->n; ++k) { // parameters do not move
        double *curve = in + 3 * (1 + 3 * rows->nbodies + k);
        curve[0] = x[3 * rows->nbodies + k];
        curve[1] = curve[2] = 0.0;
    }
    for (int k = 0; k < rows->nrows * (n + 1) && moving > 0.0; ++k) {
        const int i = k / (n + 1), j = k % (n + 1);
        if (rows->c[k].e != NULL) {
            double y[3];
            DAL_TRY(dal_expression_along_calling(y, rows->c[k].e, in, functions));
            *(j < n ? &A[i + j * rows->nrows] : &b[i]) = y[1];
        }
    }
    return DAL_OK;
}

/* dal_calling_break: the first of all coefficients. */
static double next_break(double t, const double *parameter, const dal_functions *functions, void *user)
{
    const io_rows *rows = user;
    double in[INPUTS + DAL_PARAMETERS_MAX], next = INFINITY;
    for (int k = 0; k < 1 + 3 * rows->nbodies + rows->n; ++k) {
        in[k] = k <= 3 * rows->nbodies ? (double)NAN : parameter[k - 1 - 3 * rows->nbodies];
    }
    for (int k = 0; k < rows->nrows * (6 * rows->nbodies + 1); ++k) {
        next = rows->c[k].e != NULL ? fmin(next, dal_expression_break(rows->c[k].e, in, 1, t, functions)) : next;
    }
    return next;
}

static dal_status read_coefficient(io_loader *L, const io_node *at, const io_rows *rows, coefficient *c)
{
    const int n = 1 + 3 * rows->nbodies;
    dal_expression *e = NULL;
    if (!dal_json_is(at->json, DAL_JSON_TEXT)) {
        return dal_io_constant(L, &c->value, at);
    }
    if (L->record != NULL) {
        DAL_TRY(dal_io_bind_row(L, &e, at, inputs, n, rows->live, rows->n));
    } else {
        DAL_TRY(dal_io_compile(L, &e, at, inputs, n));
    }
    if (dal_expression_is_constant(e)) {
        return dal_io_constant(L, &c->value, at);
    }
    c->e = e;
    return DAL_OK;
}

static dal_status read_bodies(const io_loader *L, const io_node *at, io_rows *rows)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "bodies"));
    DAL_TRY(dal_io_list(L, &child, 1, BODIES_MAX));
    rows->nbodies = (int)dal_io_length(&child);
    for (int k = 0; k < rows->nbodies; ++k) {
        const io_node element = dal_io_element(&child, (size_t)k);
        DAL_TRY(dal_io_body_number(L, &rows->bodies[k], &element));
    }
    return DAL_OK;
}

/* Memory that lives as long as the document or, while one records, as the binding. */
static dal_status keep(const io_loader *L, void **block, size_t size)
{
    *block = L->record != NULL ? dal_io_own_zero(L, size) : dal_pool_take(&L->doc->pool, size, 1);
    return *block != NULL ? DAL_OK : dal_io_no_memory(L->ctx);
}

static dal_status read_rows(io_loader *L, const io_node *at, io_rows *rows)
{
    io_node child;
    const int n = 6 * rows->nbodies;
    DAL_TRY(dal_io_need(&child, L, at, "rows"));
    DAL_TRY(dal_io_list(L, &child, 1, ROWS_MAX));
    const int nrows = (int)dal_io_length(&child);
    DAL_TRY(keep(L, (void **)&rows->c, (size_t)(nrows * (n + 1)) * sizeof *rows->c));
    rows->nrows = nrows;
    for (int i = 0; i < nrows; ++i) {
        const io_node row = dal_io_element(&child, (size_t)i);
        DAL_TRY(dal_io_list(L, &row, (size_t)n, (size_t)n + 1));
        for (size_t j = 0; j < dal_io_length(&row); ++j) {
            const io_node element = dal_io_element(&row, j);
            DAL_TRY(read_coefficient(L, &element, rows, &rows->c[(size_t)(i * (n + 1)) + j]));
        }
    }
    return DAL_OK;
}

/* Rows of a binding have live values as inputs beside the places. */
static dal_status find_live(io_loader *L, const io_node *at, io_rows *rows)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "bodies"));
    DAL_TRY(dal_io_must_be_fixed(L, &child, "it names a body"));
    const int nbodies = dal_io_length(&child) < BODIES_MAX ? (int)dal_io_length(&child) : BODIES_MAX;
    DAL_TRY(dal_io_need(&child, L, at, "rows"));
    return dal_io_live_of(L, rows->live, &rows->n, &child, inputs, 1 + 3 * nbodies);
}

dal_status dal_io_rows(io_loader *L, dal_joint *joint, const io_node *at)
{
    io_rows *rows = NULL;
    DAL_TRY(keep(L, (void **)&rows, sizeof *rows));
    L->calls = 1;
    dal_status st = L->record != NULL ? find_live(L, at, rows) : DAL_OK;
    st = st == DAL_OK ? read_bodies(L, at, rows) : st;
    st = st == DAL_OK ? read_rows(L, at, rows) : st;
    L->calls = 0;
    DAL_TRY(st);
    dal_io_store_live(L, joint->parameter, rows->live, rows->n);
    joint->nparameters = rows->n;
    joint->rows = evaluate;
    joint->rows_along = evaluate_along;
    joint->rows_break = next_break;
    joint->user = rows;
    joint->bodies = rows->bodies;
    joint->nbodies = rows->nbodies;
    joint->nrows = rows->nrows;
    return DAL_OK;
}

int dal_io_rows_are_known(const dal_joint *d)
{
    return d->rows == evaluate;
}

io_formula dal_io_formula_of_row(double *value, const dal_joint *d, int row, int column)
{
    const io_rows *rows = d->user;
    const coefficient *c = &rows->c[row * (6 * rows->nbodies + 1) + column];
    *value = c->value;
    return (io_formula){c->e, c->e != NULL ? rows->n : 0};
}
