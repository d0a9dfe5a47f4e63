/* Where an expression of time has kinks and jumps that follow from the time alone: abs, sign, floor, min, max, if and atan2 of
 * what depends on nothing else. They are looked for by intervals: over a stretch of time every node has bounds, and a stretch
 * in which no node can change its branch is passed as a whole, so that none is overlooked however short it lasts. */
#include <float.h>
#include <math.h>

#include "io/expression_list.h"

typedef struct range {
    double lo, hi;
} range;

static const range anything = {-INFINITY, INFINITY};
static const double pi = 3.14159265358979323846;

/* ---- bounds ----------------------------------------------------------------------------------- */

/* Bounds that hold in spite of rounding; what is not a number may be anything. */
static range safely(double lo, double hi)
{
    const double slack = 4.0 * DBL_EPSILON;
    return isnan(lo) || isnan(hi) ? anything : (range){lo - slack * fabs(lo), hi + slack * fabs(hi)};
}

static double product(double x, double y)
{
    return x == 0.0 || y == 0.0 ? 0.0 : x * y; // 0 times infinity: the bound is not reached
}

static range times(range x, range y)
{
    const double a = product(x.lo, y.lo), b = product(x.lo, y.hi), c = product(x.hi, y.lo), d = product(x.hi, y.hi);
    return safely(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static range inverse(range x)
{
    return x.lo <= 0.0 && x.hi >= 0.0 ? anything : safely(1.0 / x.hi, 1.0 / x.lo);
}

static range magnitude(range x)
{
    return x.lo >= 0.0 ? x : x.hi <= 0.0 ? (range){-x.hi, -x.lo} : (range){0.0, fmax(-x.lo, x.hi)};
}

/* x^c */
static range power(range x, double c)
{
    if (c < 0.0) {
        return inverse(power(x, -c));
    }
    if (c != floor(c)) { // of positive numbers only
        return safely(pow(fmax(x.lo, 0.0), c), pow(fmax(x.hi, 0.0), c));
    }
    const range base = fmod(c, 2.0) == 0.0 ? magnitude(x) : x;
    return safely(pow(base.lo, c), pow(base.hi, c));
}

/* sin(x + shift) takes its extremes -1 and 1 at -pi/2 and pi/2 modulo 2 pi. */
static range wave(range x, double shift)
{
    const range y = safely(x.lo + shift, x.hi + shift);
    if (!(y.hi - y.lo < 2.0 * pi)) {
        return (range){-1.0, 1.0};
    }
    const double a = sin(y.lo), b = sin(y.hi);
    const int top = floor((y.hi - 0.5 * pi) / (2.0 * pi)) > floor((y.lo - 0.5 * pi) / (2.0 * pi));
    const int bottom = floor((y.hi + 0.5 * pi) / (2.0 * pi)) > floor((y.lo + 0.5 * pi) / (2.0 * pi));
    const range r = safely(fmin(a, b), fmax(a, b));
    return (range){bottom ? -1.0 : r.lo, top ? 1.0 : r.hi};
}

static range of_two(expression_op op, range x, range y)
{
    switch (op) {
    case OP_ADD:
        return safely(x.lo + y.lo, x.hi + y.hi);
    case OP_SUBTRACT:
        return safely(x.lo - y.hi, x.hi - y.lo);
    case OP_MULTIPLY:
        return times(x, y);
    case OP_DIVIDE:
        return times(x, inverse(y));
    case OP_POWER:
        return y.lo == y.hi ? power(x, y.lo)
               : x.lo > 0.0
                   ? safely(fmin(fmin(pow(x.lo, y.lo), pow(x.lo, y.hi)), fmin(pow(x.hi, y.lo), pow(x.hi, y.hi))),
                            fmax(fmax(pow(x.lo, y.lo), pow(x.lo, y.hi)), fmax(pow(x.hi, y.lo), pow(x.hi, y.hi))))
                   : anything;
    case OP_MIN:
        return (range){fmin(x.lo, y.lo), fmin(x.hi, y.hi)};
    case OP_MAX:
        return (range){fmax(x.lo, y.lo), fmax(x.hi, y.hi)};
    case OP_LESS:
        return (range){x.hi < y.lo, x.lo < y.hi};
    case OP_GATE:
        return x.lo > 0.5 ? y : x.hi <= 0.5 ? (range){0.0, 0.0} : (range){fmin(0.0, y.lo), fmax(0.0, y.hi)};
    default: // OP_ATAN2
        return (range){-pi, pi};
    }
}

static range of_one(expression_op op, range x)
{
    switch (op) {
    case OP_NEGATE:
        return (range){-x.hi, -x.lo};
    case OP_SIN:
        return wave(x, 0.0);
    case OP_COS:
        return wave(x, 0.5 * pi);
    case OP_TAN:
        return floor(x.lo / pi - 0.5) == floor(x.hi / pi - 0.5) && x.hi - x.lo < pi ? safely(tan(x.lo), tan(x.hi))
                                                                                    : anything;
    case OP_ABS:
        return magnitude(x);
    case OP_COSH:
        x = magnitude(x);
        return safely(cosh(x.lo), cosh(x.hi));
    case OP_ACOS:
        return safely(acos(fmin(x.hi, 1.0)), acos(fmax(x.lo, -1.0)));
    case OP_ASIN:
        return safely(asin(fmax(x.lo, -1.0)), asin(fmin(x.hi, 1.0)));
    case OP_SQRT:
        return safely(sqrt(fmax(x.lo, 0.0)), sqrt(fmax(x.hi, 0.0)));
    case OP_LOG:
        return safely(log(fmax(x.lo, 0.0)), log(fmax(x.hi, 0.0)));
    default: // those that rise everywhere
        return safely(dal_expression_apply(op, x.lo, x.lo), dal_expression_apply(op, x.hi, x.hi));
    }
}

/* ---- branches --------------------------------------------------------------------------------- */

/* What is known of a node: whether it depends on nothing but time and known numbers, and whether on time. */
typedef struct standing {
    unsigned char known, varies;
} standing;

/* An expression whose first ntime inputs are the time; the others are x, NaN where they are not known. */
typedef struct search {
    const dal_expression *e;
    const dal_functions *functions;
    const double *x;
    int ntime;
    standing node[DAL_EXPRESSION_NODES];
    int any; /* is there a node that has branches in time? */
} search;

/* Which of two operands is larger decides. */
static int compares(expression_op op)
{
    return op == OP_MIN || op == OP_MAX || op == OP_LESS;
}

static int calls(const expression_node *k)
{
    return k->op == OP_CALL || k->op == OP_CALL_TWO;
}

static int varies(const search *s, int i)
{
    return s->node[i].known && s->node[i].varies;
}

static int branches(const search *s, int i)
{
    const expression_node *k = &s->e->node[i];
    const int kind = k->op == OP_ABS || k->op == OP_SIGN || k->op == OP_FLOOR || k->op == OP_MIN || k->op == OP_MAX ||
                     k->op == OP_LESS || k->op == OP_ATAN2;
    return calls(k) ? varies(s, k->a) || varies(s, k->b) : kind && varies(s, i);
}

/* Of a map; arguments that do not follow from the time alone do not count. */
static int piece(const search *s, const expression_node *k, double x, double y)
{
    return dal_functions_piece(s->functions, (int)k->c, varies(s, k->a) ? x : (double)NAN,
                               varies(s, k->b) ? y : (double)NAN);
}

static void look(search *s)
{
    s->any = 0;
    for (int i = 0; i < s->e->n; ++i) {
        const expression_node *k = &s->e->node[i];
        if (k->op == OP_CONSTANT || k->op == OP_INPUT) {
            const int time = k->op == OP_INPUT && k->a < s->ntime;
            s->node[i] = (standing){k->op == OP_CONSTANT || time || !isnan(s->x[k->a]), (unsigned char)time};
        } else {
            const standing a = s->node[k->a], b = s->node[k->b];
            s->node[i] = (standing){a.known && b.known && !calls(k), a.varies || b.varies};
        }
        s->any |= branches(s, i);
    }
}

/* Can a node change its branch from a to b? */
static int may_change(const search *s, double a, double b)
{
    range r[DAL_EXPRESSION_NODES];
    for (int i = 0; i < s->e->n; ++i) {
        const expression_node *k = &s->e->node[i];
        if (k->op == OP_CONSTANT) {
            r[i] = (range){k->c, k->c};
        } else if (k->op == OP_INPUT) {
            r[i] = k->a < s->ntime ? (range){a, b} : isnan(s->x[k->a]) ? anything : (range){s->x[k->a], s->x[k->a]};
        } else {
            const range x = r[k->a], y = r[k->b];
            r[i] = calls(k)                                         ? anything
                   : dal_expression_operations[k->op].arguments > 1 ? of_two(k->op, x, y)
                                                                    : of_one(k->op, x);
            if (!branches(s, i)) {
                continue;
            }
            if (k->op == OP_CALL) { // a break at the beginning has been passed unless the argument goes back
                if (dal_functions_break(s->functions, (int)k->c, nextafter(x.lo, -INFINITY)) <= x.hi) {
                    return 1;
                }
                continue;
            }
            if (k->op == OP_CALL_TWO) {
                if (piece(s, k, nextafter(x.lo, -INFINITY), nextafter(y.lo, -INFINITY)) != piece(s, k, x.hi, y.hi)) {
                    return 1;
                }
                continue;
            }
            const range d = compares(k->op) ? of_two(OP_SUBTRACT, x, y) : x;
            if (k->op == OP_FLOOR ? floor(x.lo) != floor(x.hi)
                                  : d.lo <= 0.0 && d.hi >= 0.0 && (k->op != OP_ATAN2 || y.lo < 0.0)) {
                return 1;
            }
        }
    }
    return 0;
}

/* Which branch the nodes are on at t: the sign of what decides, for floor its value. */
static void branches_at(const search *s, double *branch, double t)
{
    double v[DAL_EXPRESSION_NODES];
    for (int i = 0; i < s->e->n; ++i) {
        const expression_node *k = &s->e->node[i];
        v[i] = k->op == OP_CONSTANT ? k->c
               : k->op == OP_INPUT  ? (k->a < s->ntime ? t : s->x[k->a])
                                    : dal_expression_apply(k->op, v[k->a], v[k->b]);
        if (k->op == OP_CALL) { // its branch is the piece that the argument is on
            branch[i] = branches(s, i) ? dal_functions_break(s->functions, (int)k->c, v[k->a]) : 0.0;
            v[i] = (double)NAN;
            continue;
        }
        if (k->op == OP_CALL_TWO) {
            branch[i] = branches(s, i) ? piece(s, k, v[k->a], v[k->b]) : 0.0;
            v[i] = (double)NAN;
            continue;
        }
        const double d = compares(k->op) ? v[k->a] - v[k->b] : v[k->a];
        branch[i] = !branches(s, i) ? 0.0 : k->op == OP_FLOOR || k->op == OP_LESS ? v[i] : (d > 0.0) - (d < 0.0);
        if (k->op == OP_ATAN2 && branches(s, i)) {
            branch[i] = v[k->b] < 0.0 ? branch[i] : 0.0;
        }
    }
}

static int changes(const search *s, double a, double b)
{
    double at_a[DAL_EXPRESSION_NODES] = {0.0}, at_b[DAL_EXPRESSION_NODES] = {0.0};
    branches_at(s, at_a, a);
    branches_at(s, at_b, b);
    for (int i = 0; i < s->e->n; ++i) {
        if (at_a[i] != at_b[i]) {
            return 1;
        }
    }
    return 0;
}

/* The first number after a, up to b, where the branches are not those at a. */
static double first_after(const search *s, double a, double b)
{
    for (double mid = a + 0.5 * (b - a); mid > a && mid < b; mid = a + 0.5 * (b - a)) {
        if (changes(s, a, mid)) {
            b = mid;
        } else {
            a = mid;
        }
    }
    return b;
}

double dal_expression_break(const dal_expression *e, const double *x, int ntime, double t,
                            const dal_functions *functions)
{
    enum { MOST = 20000 }; /* stretches */
    search s = {.e = e, .functions = functions, .x = x, .ntime = ntime};
    look(&s);
    if (!s.any || !may_change(&s, t, INFINITY)) {
        return INFINITY;
    }
    double width = fmax(1e-3, 1e-6 * fabs(t));
    const double from = t;
    for (int k = 0; k < MOST && t + width < 1e300; ++k) {
        const double end = t + width;
        if (!may_change(&s, t, end)) {
            t = end;
            width *= 2.0;
        } else if (width > fmax(8.0 * DBL_EPSILON * fabs(t), 1e-30)) {
            width *= 0.5;
        } else if (changes(&s, t, end)) {
            return first_after(&s, t, end);
        } else {
            t = end;
        }
    }
    // what has been looked through is smooth: go on from there; where the search is stuck, it has to be without
    return t - from > 1e-9 * (1.0 + fabs(from)) && t + width < 1e300 ? t : INFINITY;
}
