/* The course of one quantity over a stretch of time: a straight line between two values, or the polynomial through values at
 * Gauss nodes. The ends, where kinks may hide, only tell whether it follows. */
#include <math.h>

#include "sweep/sweep_impl.h"

const double dal_sweep_node[SWEEP_POINTS] = {-0.96028985649753623,
                                             -0.79666647741362674,
                                             -0.52553240991632899,
                                             -0.18343464249564980,
                                             0.18343464249564980,
                                             0.52553240991632899,
                                             0.79666647741362674,
                                             0.96028985649753623,
                                             -1.0,
                                             1.0};
static const double weight[SWEEP_NODES] = {0.10122853629037626, 0.22238103445337447, 0.31370664587788729,
                                           0.36268378337836198, 0.36268378337836198, 0.31370664587788729,
                                           0.22238103445337447, 0.10122853629037626};

sweep_curve dal_sweep_line(double t0, double y0, double t1, double y1)
{
    return (sweep_curve){.t0 = t0, .t1 = t1, .n = 2, .c = {y0, y1}};
}

double dal_sweep_time_at(const sweep_curve *f, double x)
{
    return x == 1.0 ? f->t1 : f->t0 + 0.5 * (x + 1.0) * (f->t1 - f->t0);
}

/* Value, or with `slope` the derivative to x, at -1 <= x <= 1. */
static double series(const sweep_curve *f, double x, int slope)
{
    double y = 0.0, p = 1.0, before = 0.0, dp = 0.0, dbefore = 0.0;
    for (int k = 0; k < f->n; ++k) {
        y += f->c[k] * (slope ? dp : p);
        const double next = ((2 * k + 1) * x * p - k * before) / (k + 1), dnext = dbefore + (2 * k + 1) * p;
        before = p;
        p = next;
        dbefore = dp;
        dp = dnext;
    }
    return y;
}

double dal_sweep_value_at(const sweep_curve *f, double x)
{
    return f->n > 2 ? series(f, x, 0) : f->c[x > 0.0];
}

/* c_k = (2 k + 1)/2 sum w_i P_k(x_i) y_i: exact, since the rule is up to degree 15. */
double dal_sweep_curve_fit(sweep_curve *f, double t0, double t1, const double *y)
{
    *f = (sweep_curve){.t0 = t0, .t1 = t1, .n = SWEEP_NODES};
    for (int i = 0; i < SWEEP_NODES; ++i) {
        const double x = dal_sweep_node[i];
        double p = 1.0, before = 0.0;
        for (int k = 0; k < SWEEP_NODES; ++k) {
            f->c[k] += (k + 0.5) * weight[i] * p * y[i];
            const double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
            before = p;
            p = next;
        }
    }
    const double tail = fabs(f->c[SWEEP_NODES - 2]) + fabs(f->c[SWEEP_NODES - 1]);
    const double at0 = fabs(dal_sweep_value_at(f, -1.0) - y[SWEEP_NODES]);
    return fmax(tail, fmax(at0, fabs(dal_sweep_value_at(f, 1.0) - y[SWEEP_NODES + 1])));
}

/* Where value (slope) - c changes its sign between a and b, by bisection. */
static double root(const sweep_curve *f, double a, double b, double c, int slope)
{
    const int above = series(f, b, slope) > c;
    for (int i = 0; i < 60; ++i) {
        const double x = 0.5 * (a + b);
        *((series(f, x, slope) > c) == above ? &b : &a) = x;
    }
    return 0.5 * (a + b);
}

double dal_sweep_crossing(const sweep_curve *f, double a, double b, double c)
{
    return f->n > 2 ? dal_sweep_time_at(f, root(f, a, b, c, 0))
                    : f->t0 + (f->t1 - f->t0) * ((c - f->c[0]) / (f->c[1] - f->c[0]));
}

int dal_sweep_knots(const sweep_curve *f, double x[SWEEP_NODES])
{
    enum { PARTS = 24 };
    int n = 0;
    x[n++] = -1.0;
    double a = -1.0, slope = f->n > 2 ? series(f, a, 1) : 0.0;
    for (int i = 1; i <= PARTS && f->n > 2 && n < SWEEP_NODES - 1; ++i) {
        const double b = 2.0 * i / PARTS - 1.0, next = series(f, b, 1);
        if ((slope > 0.0) != (next > 0.0)) {
            x[n++] = root(f, a, b, 0.0, 1);
        }
        a = b;
        slope = next;
    }
    x[n++] = 1.0;
    return n;
}

double dal_sweep_integral(const sweep_curve *f)
{
    return (f->t1 - f->t0) * (f->n > 2 ? f->c[0] : 0.5 * (f->c[0] + f->c[1]));
}

double dal_sweep_square(const sweep_curve *f)
{
    double sum = 0.5 * (f->c[0] * f->c[0] + f->c[1] * f->c[1]);
    for (int k = 0; k < f->n && f->n > 2; ++k) {
        sum = (k > 0 ? sum : 0.0) + f->c[k] * f->c[k] / (2 * k + 1);
    }
    return (f->t1 - f->t0) * sum;
}
