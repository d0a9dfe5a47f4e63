/* Velocity rows A(q,t) v + b(q,t) = 0 whose coefficients are expressions in t and the positions x1, y1, z1, x2, ... of
 * the bodies. Coefficients that use neither are evaluated once. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

enum { ROWS_MAX = 6, BODIES_MAX = 2 };

typedef struct coefficient {
    char *text; /* NULL: constant */
    double value;
} coefficient;

struct io_rows {
    const dal_document *doc;
    io_rows *next;
    int bodies[BODIES_MAX];
    int nbodies, nrows;
    coefficient *c; /* nrows x (6 nbodies + 1), row after row; the last of a row is b */
};

/* What names mean while rows are evaluated. */
typedef struct moment {
    const io_rows *rows;
    double t;
    const double *x; /* 3 nbodies */
    int *moving;     /* set if t or a position is used */
} moment;

static int find(double *value, const char *name, int depth, const void *user)
{
    (void)depth;
    const moment *m = user;
    if (strcmp(name, "t") == 0) {
        *m->moving = 1;
        *value = m->t;
        return 1;
    }
    const size_t n = strlen(name);
    if (n == 2 && name[0] >= 'x' && name[0] <= 'z' && name[1] >= '1' && name[1] < '1' + m->rows->nbodies) {
        *m->moving = 1;
        *value = m->x[3 * (name[1] - '1') + (name[0] - 'x')];
        return 1;
    }
    const io_variable *v = dal_io_variable_find(&m->rows->doc->variables, name, n);
    if (v != NULL) {
        *value = v->value;
        return 1;
    }
    return 0;
}

static const char *nearest(const char *name, const void *user)
{
    const moment *m = user;
    const char *words[IO_VARIABLES_MAX];
    for (int k = 0; k < m->rows->doc->variables.n; ++k) {
        words[k] = m->rows->doc->variables.item[k].name;
    }
    return dal_nearest(name, words, m->rows->doc->variables.n);
}

/* dal_pfaffian: A is nrows x 6 nbodies, column-major. What cannot be evaluated is NaN, which stops the run. */
static void evaluate(double *A, double *b, double t, const double *x, const double *R, void *user)
{
    (void)R;
    const io_rows *rows = user;
    const int n = 6 * rows->nbodies;
    int moving = 0;
    const moment m = {.rows = rows, .t = t, .x = x, .moving = &moving};
    const dal_lookup lookup = {.find = find, .user = &m};
    for (int i = 0; i < rows->nrows; ++i) {
        for (int j = 0; j <= n; ++j) {
            const coefficient *c = &rows->c[i * (n + 1) + j];
            double *out = j < n ? &A[i + j * rows->nrows] : &b[i];
            *out = c->value;
            if (c->text != NULL && dal_expression_value(out, NULL, c->text, &lookup, 0) != DAL_OK) {
                *out = (double)NAN;
            }
        }
    }
}

/* A coefficient: checked at the origin, and kept as text if it changes. A value that is not finite there may be at the
 * places where the model goes. */
static dal_status read_coefficient(io_loader *L, const io_node *at, const io_rows *rows, coefficient *c)
{
    static const double x[3 * BODIES_MAX] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    if (!json_is_string(at->json)) {
        return dal_io_number(L, at, &c->value);
    }
    int moving = 0;
    const moment m = {.rows = rows, .t = 0.0, .x = x, .moving = &moving};
    const dal_lookup lookup = {.find = find, .nearest = nearest, .user = &m};
    const char *text = json_string_value(at->json);
    const dal_status st = dal_expression_value(&c->value, L->ctx, text, &lookup, 0);
    if (st != DAL_OK) {
        return dal_io_fail_at(L, at, st);
    }
    if (moving) {
        c->text = dal_io_copy(L->ctx, text);
        return c->text != NULL ? DAL_OK : dal_io_no_memory(L->ctx);
    }
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
    rows->doc = L->doc;
    rows->next = L->doc->rows;
    L->doc->rows = rows;
    DAL_TRY(read_bodies(L, at, rows));
    DAL_TRY(read_rows(L, at, rows));
    joint->rows = evaluate;
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
        for (int k = 0; k < rows->nrows * (6 * rows->nbodies + 1); ++k) {
            dal_free(ctx, rows->c[k].text);
        }
        dal_free(ctx, rows->c);
        dal_free(ctx, rows);
        rows = next;
    }
}
