/* Values and derivatives of compiled expressions. */
#include <math.h>

#include "io/expression_impl.h"

static double sign_of(double x)
{
    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

static const double degree = 3.14159265358979323846 / 180.0;

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
        return pow(x, y);
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
        return y < x ? y : x;
    case OP_MAX:
        return y > x ? y : x;
    case OP_SINH:
        return sinh(x);
    case OP_COSH:
        return cosh(x);
    case OP_TANH:
        return tanh(x);
    case OP_SIGN:
        return sign_of(x);
    case OP_DEGREES:
        return x * degree;
    default:
        return x;
    }
}

/* ---- derivatives of the operations ------------------------------------------------------------ */

/* First and second derivatives of f(x, y). */
typedef struct partials {
    double x, y, xx, xy, yy;
} partials;

/* c x^n; nothing where c = 0, even at a pole */
static double monomial(double c, double x, double n)
{
    return c == 0.0 ? 0.0 : c * pow(x, n);
}

static partials of_power(double x, double y, double f)
{
    const double l = log(x);
    return (partials){monomial(y, x, y - 1.0), f * l, monomial(y * (y - 1.0), x, y - 2.0),
                      pow(x, y - 1.0) * (1.0 + y * l), f * l * l};
}

/* Of two operands. */
static partials of_two(expression_op op, double x, double y, double f)
{
    const double r = x * x + y * y;
    switch (op) {
    case OP_ADD:
        return (partials){.x = 1.0, .y = 1.0};
    case OP_SUBTRACT:
        return (partials){.x = 1.0, .y = -1.0};
    case OP_MULTIPLY:
        return (partials){.x = y, .y = x, .xy = 1.0};
    case OP_DIVIDE:
        return (partials){1.0 / y, -f / y, 0.0, -1.0 / (y * y), 2.0 * f / (y * y)};
    case OP_POWER:
        return of_power(x, y, f);
    case OP_ATAN2:
        return (partials){y / r, -x / r, -2.0 * x * y / (r * r), (x * x - y * y) / (r * r), 2.0 * x * y / (r * r)};
    case OP_MIN:
        return y < x ? (partials){.y = 1.0} : (partials){.x = 1.0};
    default: // OP_MAX
        return y > x ? (partials){.y = 1.0} : (partials){.x = 1.0};
    }
}

/* Of one operand; f is the value. */
static partials of_one(expression_op op, double x, double f)
{
    const double w = 1.0 - x * x, u = 1.0 + x * x;
    switch (op) {
    case OP_NEGATE:
        return (partials){.x = -1.0};
    case OP_SIN:
        return (partials){.x = cos(x), .xx = -f};
    case OP_COS:
        return (partials){.x = -sin(x), .xx = -f};
    case OP_TAN:
        return (partials){.x = 1.0 + f * f, .xx = 2.0 * f * (1.0 + f * f)};
    case OP_ASIN:
        return (partials){.x = 1.0 / sqrt(w), .xx = x / (w * sqrt(w))};
    case OP_ACOS:
        return (partials){.x = -1.0 / sqrt(w), .xx = -x / (w * sqrt(w))};
    case OP_ATAN:
        return (partials){.x = 1.0 / u, .xx = -2.0 * x / (u * u)};
    case OP_SQRT:
        return (partials){.x = 0.5 / f, .xx = -0.25 / (x * f)};
    case OP_ABS:
        return (partials){.x = sign_of(x)};
    case OP_EXP:
        return (partials){.x = f, .xx = f};
    case OP_LOG:
        return (partials){.x = 1.0 / x, .xx = -1.0 / (x * x)};
    case OP_SINH:
        return (partials){.x = cosh(x), .xx = f};
    case OP_COSH:
        return (partials){.x = sinh(x), .xx = f};
    case OP_TANH:
        return (partials){.x = 1.0 - f * f, .xx = -2.0 * f * (1.0 - f * f)};
    case OP_DEGREES:
        return (partials){.x = degree};
    default: // OP_FLOOR, OP_SIGN
        return (partials){0};
    }
}

static int has_two(const expression_node *k)
{
    return k->op >= OP_ADD && k->op <= OP_MAX;
}

static partials partials_of(const expression_node *k, double x, double y, double f)
{
    return has_two(k) ? of_two(k->op, x, y, f) : of_one(k->op, x, f);
}

/* c d, and zero where d = 0: what does not move has no part in the derivative, even at a pole of c. So the exponent of
 * x^2 may be any constant, and v sqrt(abs(v)) has the derivative zero at v = 0. */
static double part(double c, double d)
{
    return d == 0.0 ? 0.0 : c * d;
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
            const partials p = partials_of(k, v[k->a], v[k->b], v[i]);
            w[k->a] += e->node[k->a].op == OP_CONSTANT ? 0.0 : part(w[i], p.x);
            w[k->b] += e->node[k->b].op == OP_CONSTANT ? 0.0 : part(w[i], p.y);
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
        const partials p = partials_of(k, a[0], b[0], f[0]);
        // (f o (a, b))'' = f_a a'' + f_b b'' + f_aa a'^2 + 2 f_ab a' b' + f_bb b'^2
        f[1] = part(p.x, a[1]) + (has_two(k) ? part(p.y, b[1]) : 0.0);
        f[2] = part(p.x, a[2]) + part(p.xx, a[1] * a[1]);
        if (has_two(k)) {
            f[2] += part(p.y, b[2]) + 2.0 * part(p.xy, a[1] * b[1]) + part(p.yy, b[1] * b[1]);
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
