/* Velocity rows A(q,t) v + b(q,t) = 0 whose coefficients are expressions in t and the positions x1, y1, z1, x2, ... of
 * the bodies. Coefficients that use neither are numbers. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

enum { ROWS_MAX = 6, BODIES_MAX = 2, INPUTS = 1 + 3 * BODIES_MAX };

static const char *const inputs[INPUTS] = {"t", "x1", "y1", "z1", "x2", "y2", "z2"};

typedef struct coefficient {
    const dal_expression *e; /* NULL: constant */
    double value;
} coefficient;

struct io_rows {
    io_rows *next;
    int bodies[BODIES_MAX];
    int nbodies, nrows;
    coefficient *c; /* nrows x (6 nbodies + 1), row after row; the last of a row is b */
};

/* dal_pfaffian: A is nrows x 6 nbodies, column-major. A value that is not finite stops the run. */
static dal_status evaluate(double *A, double *b, double t, const double *x, const double *R, void *user)
{
    (void)R;
    const io_rows *rows = user;
    const int n = 6 * rows->nbodies;
    double in[INPUTS] = {t};
    memcpy(in + 1, x, (size_t)(3 * rows->nbodies) * sizeof(double));
    for (int i = 0; i < rows->nrows; ++i) {
        for (int j = 0; j <= n; ++j) {
            const coefficient *c = &rows->c[i * (n + 1) + j];
            *(j < n ? &A[i + j * rows->nrows] : &b[i]) = c->e != NULL ? dal_expression_at(c->e, in) : c->value;
        }
    }
    return DAL_OK;
}

/* dal_pfaffian_along: the inputs do not turn. */
static dal_status evaluate_along(double *A, double *b, double t, const double *x, const double *R, const double *d,
                                 void *user)
{
    (void)R;
    const io_rows *rows = user;
    const int n = 6 * rows->nbodies;
    double in[3 * INPUTS] = {t, d[0], 0.0}, moving = fabs(d[0]);
    for (int k = 0; k < 3 * rows->nbodies; ++k) {
        double *curve = in + 3 * (1 + k);
        curve[0] = x[k];
        curve[1] = d[1 + 6 * (k / 3) + k % 3];
        curve[2] = 0.0;
        moving += fabs(curve[1]);
    }
    for (int k = 0; k < rows->nrows * (n + 1) && moving > 0.0; ++k) {
        const int i = k / (n + 1), j = k % (n + 1);
        if (rows->c[k].e != NULL) {
            double y[3];
            dal_expression_along(y, rows->c[k].e, in);
            *(j < n ? &A[i + j * rows->nrows] : &b[i]) = y[1];
        }
    }
    return DAL_OK;
}

static dal_status read_coefficient(io_loader *L, const io_node *at, const io_rows *rows, coefficient *c)
{
    dal_expression *e;
    if (!json_is_string(at->json)) {
        return dal_io_number(L, at, &c->value);
    }
    DAL_TRY(dal_io_compile(L, at, inputs, 1 + 3 * rows->nbodies, &e));
    if (dal_expression_is_constant(e)) {
        return dal_io_number(L, at, &c->value);
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
        DAL_TRY(dal_io_body_number(L, &element, &rows->bodies[k]));
    }
    return DAL_OK;
}

static dal_status read_rows(io_loader *L, const io_node *at, io_rows *rows)
{
    io_node child;
    const int n = 6 * rows->nbodies;
    DAL_TRY(dal_io_need(&child, L, at, "rows"));
    DAL_TRY(dal_io_list(L, &child, 1, ROWS_MAX));
    const int nrows = (int)dal_io_length(&child);
    rows->c = dal_alloc_zero(L->ctx, (size_t)(nrows * (n + 1)) * sizeof(coefficient));
    if (rows->c == NULL) {
        return dal_io_no_memory(L->ctx);
    }
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

dal_status dal_io_rows(io_loader *L, const io_node *at, dal_joint *joint)
{
    io_rows *rows = dal_alloc_zero(L->ctx, sizeof(*rows));
    if (rows == NULL) {
        return dal_io_no_memory(L->ctx);
    }
    rows->next = L->doc->rows;
    L->doc->rows = rows;
    DAL_TRY(read_bodies(L, at, rows));
    DAL_TRY(read_rows(L, at, rows));
    joint->rows = evaluate;
    joint->rows_along = evaluate_along;
    joint->user = rows;
    joint->bodies = rows->bodies;
    joint->nbodies = rows->nbodies;
    joint->nrows = rows->nrows;
    return DAL_OK;
}

void dal_io_rows_release(io_rows *rows, dal_ctx *ctx)
{
    while (rows != NULL) {
        io_rows *next = rows->next;
        dal_free(ctx, rows->c);
        dal_free(ctx, rows);
        rows = next;
    }
}
