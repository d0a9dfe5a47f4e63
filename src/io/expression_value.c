/* Values and derivatives of compiled expressions. */
#include <math.h>

#include "io/expression_kernel.h"
#include "io/expression_list.h"

#define ROW(op, word, arguments, free, value, partials) [OP_##op] = {word, arguments, free, #value, #partials},
const expression_operation dal_expression_operations[OP_COUNT] = {EXPRESSION_OPERATIONS(ROW)};

double dal_expression_apply(expression_op op, double x, double y)
{
    if (op == OP_POWER && y == 2.0) {
        return x * x; // as programs have it
    }
#define VALUE(op, word, arguments, free, value, partials) \
    case OP_##op:                                         \
        return value;
    switch (op) {
        EXPRESSION_OPERATIONS(VALUE)
    default:
        break;
    }
    return x;
}

static int has_two(const expression_node *k)
{
    return dal_expression_operations[k->op].arguments > 1;
}

/* Derivatives of an operation with operands x, y and value f. An exponent that stays spares logarithms: nothing asks for its
 * derivative. */
static expr_partials partials_of(const dal_expression *e, const expression_node *k, double x, double y, double f)
{
    if (k->op == OP_POWER && e->node[k->b].op == OP_CONSTANT) {
        return y == 2.0 ? expr_of_square(x) : expr_of_fixed_power(x, y);
    }
#define PARTIALS(op, word, arguments, free, value, partials) \
    case OP_##op:                                            \
        return partials;
    switch (k->op) {
        EXPRESSION_OPERATIONS(PARTIALS)
    default:
        return expr_none();
    }
}

/* ---- walking over the list -------------------------------------------------------------------- */

/* slope receives the derivatives of called functions. */
static dal_status values(double *v, double (*slope)[2], const dal_expression *e, const double *x,
                         const dal_functions *functions)
{
    for (int i = 0; i < e->n; ++i) {
        const expression_node *k = &e->node[i];
        if (k->op == OP_CALL) {
            double y[3];
            DAL_TRY(dal_functions_value(functions, y, (int)k->c, v[k->a]));
            v[i] = y[0];
            slope[i][0] = y[1];
            slope[i][1] = 0.0;
            continue;
        }
        if (k->op == OP_CALL_TWO) {
            double z[6];
            DAL_TRY(dal_functions_value2(functions, z, (int)k->c, v[k->a], v[k->b]));
            v[i] = z[0];
            slope[i][0] = z[1];
            slope[i][1] = z[2];
            continue;
        }
        v[i] = k->op == OP_CONSTANT ? k->c
               : k->op == OP_INPUT  ? x[k->a]
                                    : dal_expression_apply(k->op, v[k->a], v[k->b]);
    }
    return DAL_OK;
}

/* Backwards: w[i] is the derivative of the value by node i. */
static void gradient(double *g, const double *v, double (*slope)[2], const dal_expression *e)
{
    double w[DAL_EXPRESSION_NODES];
    const int n = e->n;
    for (int i = 0; i < e->ninputs; ++i) {
        g[i] = 0.0;
    }
    for (int i = 0; i < n; ++i) {
        w[i] = i == n - 1;
    }
    for (int i = n; i-- > 0;) {
        const expression_node *k = &e->node[i];
        if (k->op == OP_INPUT) {
            g[k->a] = w[i];
        } else if (k->op != OP_CONSTANT && w[i] != 0.0) {
            const int called = k->op == OP_CALL || k->op == OP_CALL_TWO;
            const expr_partials p = called ? (expr_partials){.x = slope[i][0], .y = slope[i][1]}
                                           : partials_of(e, k, v[k->a], v[k->b], v[i]);
            w[k->a] += e->node[k->a].op == OP_CONSTANT ? 0.0 : expr_chain(w[i], p.x);
            w[k->b] += e->node[k->b].op == OP_CONSTANT ? 0.0 : expr_chain(w[i], p.y);
        }
    }
}

dal_status dal_expression_calling(double *f, double *g, const dal_expression *e, const double *x,
                                  const dal_functions *functions)
{
    double v[DAL_EXPRESSION_NODES], slope[DAL_EXPRESSION_NODES][2];
    DAL_TRY(values(v, slope, e, x, functions));
    *f = v[e->n - 1];
    if (g != NULL) {
        gradient(g, v, slope, e);
    }
    return DAL_OK;
}

double dal_expression_at(const dal_expression *e, const double *x)
{
    double f = (double)NAN;
    const dal_status st = dal_expression_calling(&f, NULL, e, x, NULL);
    return st == DAL_OK ? f : (double)NAN;
}

double dal_expression_gradient(double *g, const dal_expression *e, const double *x)
{
    double f = (double)NAN;
    const dal_status st = dal_expression_calling(&f, g, e, x, NULL);
    return st == DAL_OK ? f : (double)NAN;
}

/* Forwards, with two derivatives of every node. */
dal_status dal_expression_along_calling(double y[3], const dal_expression *e, const double *x,
                                        const dal_functions *functions)
{
    double v[DAL_EXPRESSION_NODES][3];
    for (int i = 0; i < e->n; ++i) {
        const expression_node *k = &e->node[i];
        double *f = v[i];
        if (k->op == OP_CONSTANT || k->op == OP_INPUT) {
            f[0] = k->op == OP_CONSTANT ? k->c : x[3 * k->a];
            f[1] = k->op == OP_CONSTANT ? 0.0 : x[3 * k->a + 1];
            f[2] = k->op == OP_CONSTANT ? 0.0 : x[3 * k->a + 2];
            continue;
        }
        const double *a = v[k->a], *b = v[k->b];
        if (k->op == OP_CALL) {
            double z[3];
            DAL_TRY(dal_functions_value(functions, z, (int)k->c, a[0]));
            f[0] = z[0];
            expr_along_one(f, expr_of_one(z[1], z[2]), a);
            continue;
        }
        if (k->op == OP_CALL_TWO) {
            double z[6];
            DAL_TRY(dal_functions_value2(functions, z, (int)k->c, a[0], b[0]));
            f[0] = z[0];
            expr_along_two(f, (expr_partials){z[1], z[2], z[3], z[4], z[5]}, a, b);
            continue;
        }
        f[0] = dal_expression_apply(k->op, a[0], b[0]);
        const expr_partials p = partials_of(e, k, a[0], b[0], f[0]);
        if (has_two(k)) {
            expr_along_two(f, p, a, b);
        } else {
            expr_along_one(f, p, a);
        }
    }
    for (int i = 0; i < 3; ++i) {
        y[i] = v[e->n - 1][i];
    }
    return DAL_OK;
}

void dal_expression_along(double y[3], const dal_expression *e, const double *x)
{
    if (dal_expression_along_calling(y, e, x, NULL) != DAL_OK) { // it calls nothing
        y[0] = y[1] = y[2] = (double)NAN;
    }
}

int dal_expression_inputs(const dal_expression *e)
{
    return e->ninputs;
}

int dal_expression_uses(const dal_expression *e, int input)
{
    for (int i = 0; i < e->n; ++i) {
        if (e->node[i].op == OP_INPUT && e->node[i].a == input) {
            return 1;
        }
    }
    return 0;
}

int dal_expression_called(const dal_expression *e, int *at)
{
    while (*at < e->n) {
        const expression_node *k = &e->node[(*at)++];
        if (k->op == OP_CALL || k->op == OP_CALL_TWO) {
            return (int)k->c;
        }
    }
    return 0;
}

int dal_expression_is_constant(const dal_expression *e)
{
    return e->n == 1 && e->node[0].op == OP_CONSTANT;
}
