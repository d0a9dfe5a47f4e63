/* Values and derivatives of compiled expressions. */
#include <math.h>

#include "io/expression_kernel.h"
#include "io/expression_list.h"

double dal_expression_apply(expression_op op, double x, double y)
{
    switch (op) {
    case OP_NEGATE:
        return -x;
    case OP_ADD:
        return x + y;
    case OP_SUBTRACT:
        return x - y;
    case OP_MULTIPLY:
        return x * y;
    case OP_DIVIDE:
        return x / y;
    case OP_POWER:
        return y == 2.0 ? x * x : pow(x, y); // as programs have it
    case OP_SIN:
        return sin(x);
    case OP_COS:
        return cos(x);
    case OP_TAN:
        return tan(x);
    case OP_ASIN:
        return asin(x);
    case OP_ACOS:
        return acos(x);
    case OP_ATAN:
        return atan(x);
    case OP_ATAN2:
        return atan2(x, y);
    case OP_SQRT:
        return sqrt(x);
    case OP_ABS:
        return fabs(x);
    case OP_EXP:
        return exp(x);
    case OP_LOG:
        return log(x);
    case OP_FLOOR:
        return floor(x);
    case OP_MIN:
        return expr_min(x, y);
    case OP_MAX:
        return expr_max(x, y);
    case OP_SINH:
        return sinh(x);
    case OP_COSH:
        return cosh(x);
    case OP_TANH:
        return tanh(x);
    case OP_SIGN:
        return expr_sign(x);
    case OP_DEGREES:
        return expr_degrees(x);
    default:
        return x;
    }
}

/* ---- derivatives of the operations ------------------------------------------------------------ */

/* Of two operands. An exponent that stays spares logarithms: nothing asks for its derivative. */
static expr_partials of_two(expression_op op, int fixed, double x, double y, double f)
{
    switch (op) {
    case OP_ADD:
        return expr_of_sum();
    case OP_SUBTRACT:
        return expr_of_difference();
    case OP_MULTIPLY:
        return expr_of_product(x, y);
    case OP_DIVIDE:
        return expr_of_quotient(y, f);
    case OP_POWER:
        return !fixed ? expr_of_power(x, y, f) : y == 2.0 ? expr_of_square(x) : expr_of_fixed_power(x, y);
    case OP_ATAN2:
        return expr_of_atan2(x, y);
    case OP_MIN:
        return expr_of_min(x, y);
    default: // OP_MAX
        return expr_of_max(x, y);
    }
}

/* Of one operand; f is the value. */
static expr_partials of_one(expression_op op, double x, double f)
{
    switch (op) {
    case OP_NEGATE:
        return expr_of_negative();
    case OP_SIN:
        return expr_of_sin(x, f);
    case OP_COS:
        return expr_of_cos(x, f);
    case OP_TAN:
        return expr_of_tan(f);
    case OP_ASIN:
        return expr_of_asin(x);
    case OP_ACOS:
        return expr_of_acos(x);
    case OP_ATAN:
        return expr_of_atan(x);
    case OP_SQRT:
        return expr_of_sqrt(x, f);
    case OP_ABS:
        return expr_of_abs(x);
    case OP_EXP:
        return expr_of_exp(f);
    case OP_LOG:
        return expr_of_log(x);
    case OP_SINH:
        return expr_of_sinh(x, f);
    case OP_COSH:
        return expr_of_cosh(x, f);
    case OP_TANH:
        return expr_of_tanh(f);
    case OP_DEGREES:
        return expr_of_degrees();
    default: // OP_FLOOR, OP_SIGN
        return expr_none();
    }
}

static int has_two(const expression_node *k)
{
    return k->op >= OP_ADD && k->op <= OP_MAX;
}

static expr_partials partials_of(const dal_expression *e, const expression_node *k, double x, double y, double f)
{
    return has_two(k) ? of_two(k->op, e->node[k->b].op == OP_CONSTANT, x, y, f) : of_one(k->op, x, f);
}

/* ---- walking over the list -------------------------------------------------------------------- */

static void values(double *v, const dal_expression *e, const double *x)
{
    for (int i = 0; i < e->n; ++i) {
        const expression_node *k = &e->node[i];
        v[i] = k->op == OP_CONSTANT ? k->c
               : k->op == OP_INPUT  ? x[k->a]
                                    : dal_expression_apply(k->op, v[k->a], v[k->b]);
    }
}

double dal_expression_at(const dal_expression *e, const double *x)
{
    double v[DAL_EXPRESSION_NODES];
    values(v, e, x);
    return v[e->n - 1];
}

/* Backwards: w[i] is the derivative of the value by node i. */
double dal_expression_gradient(double *g, const dal_expression *e, const double *x)
{
    double v[DAL_EXPRESSION_NODES], w[DAL_EXPRESSION_NODES];
    const int n = e->n;
    values(v, e, x);
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
            const expr_partials p = partials_of(e, k, v[k->a], v[k->b], v[i]);
            w[k->a] += e->node[k->a].op == OP_CONSTANT ? 0.0 : expr_chain(w[i], p.x);
            w[k->b] += e->node[k->b].op == OP_CONSTANT ? 0.0 : expr_chain(w[i], p.y);
        }
    }
    return v[n - 1];
}

/* Forwards, with two derivatives of every node. */
void dal_expression_along(double y[3], const dal_expression *e, const double *x)
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

int dal_expression_is_constant(const dal_expression *e)
{
    return e->n == 1 && e->node[0].op == OP_CONSTANT;
}
