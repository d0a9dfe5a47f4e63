/* Motions that jump: a joint cannot follow them with finite forces. */
#include <math.h>

#include "mbs/mbs_impl.h"

enum { GRID = 4000, PARTS = 200000 };

typedef struct search {
    const mb_function *all;
    int function;
    double narrow;   /* a change within this time is a jump */
    double scale[2]; /* largest value and rate */
    long evaluations;
    mb_jump *found;
} search;

static int at(search *s, double y[3], double t)
{
    ++s->evaluations;
    return mb_function_value(y, s->all, s->function, t) == DAL_OK;
}

/* What derivatives do not explain of the change of the value or, order 1, of the rate, by the trapezoidal rule with end
 * correction; in units of the scale. */
static double unexplained(const search *s, int order, const double a[3], const double b[3], double h)
{
    if (s->scale[order] == 0.0) {
        return 0.0;
    }
    const double change = b[order] - a[order], slope = 0.5 * h * (a[order + 1] + b[order + 1]);
    const double end = order == 0 ? h * h * (b[2] - a[2]) / 12.0 : 0.0;
    return fabs(change - slope + end) / s->scale[order];
}

/* A change that is left over a time in which nothing else happens. */
static void decide(search *s, double ta, const double a[3], double tb, const double b[3])
{
    const double h = tb - ta, way = h * (fabs(a[1]) + fabs(b[1]) + s->scale[1]), gain = h * (fabs(a[2]) + fabs(b[2]));
    const int value = !(fabs(b[0] - a[0]) <= 10.0 * way + 1e-9 * s->scale[0]);
    if (value || !(fabs(b[1] - a[1]) <= 10.0 * gain + 1e-6 * s->scale[1])) {
        double later[3] = {b[0], b[1], b[2]}; // b may be in the middle, as sign(0) is
        (void)at(s, later, tb + h);
        *s->found = (mb_jump){.t = tb, .rate = !value, .before = a[!value], .after = later[!value]};
    }
}

/* The first jump from ta to tb, by halves: the change of a smooth function is explained the better the shorter they are. */
static void look(search *s, double ta, const double a[3], double tb, const double b[3])
{
    const double h = tb - ta, middle = ta + 0.5 * h;
    double m[3];
    if ((unexplained(s, 0, a, b, h) <= 1e-9 && unexplained(s, 1, a, b, h) <= 1e-6) || s->evaluations > PARTS) {
        return;
    }
    if (h <= s->narrow) {
        decide(s, ta, a, tb, b);
    } else if (at(s, m, middle)) {
        look(s, ta, a, middle, m);
        if (isnan(s->found->t)) {
            look(s, middle, m, tb, b);
        }
    }
}

int mb_function_jump(mb_jump *jump, const mb_function *all, int number, double t1, double unit)
{
    const double h = t1 / GRID;
    search s = {.all = all, .function = number, .narrow = 1e-9 * t1, .scale = {1e-3 * unit}, .found = jump};
    double a[3], b[3];
    *jump = (mb_jump){.t = NAN};
    for (int k = 0; k <= GRID; ++k) {
        if (!at(&s, a, k * h)) {
            return 0;
        }
        s.scale[0] = fmax(s.scale[0], fabs(a[0]));
        s.scale[1] = fmax(s.scale[1], fabs(a[1]));
    }
    s.scale[1] = fmax(s.scale[1], s.scale[0] / t1);
    for (int k = 0; k < GRID && isnan(jump->t); ++k) {
        if (at(&s, a, k * h) && at(&s, b, (k + 1) * h)) {
            look(&s, k * h, a, (k + 1) * h, b);
        }
    }
    return !isnan(jump->t);
}
