/* First iterates of (RT.1): h v + h^2/2 v' is off by O(h^3), and what it is off continues as a polynomial from step to step. */
#include <math.h>

#include "base/vector.h"
#include "integrate/rattlie_impl.h"

/* A degree must have been this much better than the one below it (NW.5). */
static const double gain = 0.5;

/* Differences of substep i. */
static double *differences(const dal_rattlie *rt, int i)
{
    return rt->differences + (size_t)i * RT_DIFFERENCES * (size_t)rt->n;
}

static double *missed(const dal_rattlie *rt, int i)
{
    return rt->missed + (size_t)i * (size_t)rt->n;
}

/* h v + h^2/2 v', zero for the multipliers */
static void without_learning(const dal_rattlie *rt, double *y)
{
    const double *v = rt->from->v, *vd = rt->from->vd, h = rt->h, half = 0.5 * h * h;
    int i = 0;
    for (; i + DAL_PAIR <= rt->nv; i += DAL_PAIR) {
        *(dal_two *)(y + i) = *(const dal_two *)(v + i) * h + *(const dal_two *)(vd + i) * half;
    }
    if (i < rt->nv) {
        y[i] = h * v[i] + half * vd[i];
    }
    dal_zero(y + rt->nv, rt->nc);
}

void dal_rt_predict(dal_rattlie *rt, int learnt)
{
    const double ratio = rt->h_learnt != 0.0 ? rt->h_step / rt->h_learnt : 0.0, *d = differences(rt, rt->substep);
    double *plain = missed(rt, rt->substep);
    without_learning(rt, plain);
    dal_copy(rt->x, plain, rt->n);
    if (!learnt) {
        return;
    }
    if (ratio != 1.0 || (rt->nsub > 1 && rt->degree < 1)) {
        // as much as in the substep before, by h^3
        const int i = rt->substep;
        const double f = i > 0 ? rt->gamma[i] / rt->gamma[i - 1] : ratio;
        dal_add_multiple(rt->x, i > 0 ? missed(rt, i - 1) : differences(rt, rt->nsub - 1), f * f * f, rt->n);
        return;
    }
    for (int k = 0; k <= rt->degree; ++k, d += rt->n) {
        dal_add(rt->x, d, rt->n);
    }
}

void dal_rt_note_missed(dal_rattlie *rt)
{
    double *m = missed(rt, rt->substep); // what dal_rt_predict began with
    dal_negative(m, m, rt->n);
    dal_add(m, rt->x, rt->n);
}

/* The ladder of degrees from zero, which is -1, up: degree k would have been off by the difference k + 1. */
static int choose(const double worst[RT_DIFFERENCES], int known)
{
    int k = -1;
    while (k + 2 < known && worst[k + 2] <= gain * worst[k + 1]) {
        ++k;
    }
    return k == -1 && known == 1 ? 0 : k;
}

/* d := new, new := new - d */
static void push_down(double *d, double *new, int n)
{
    int i = 0;
    for (; i + DAL_PAIR <= n; i += DAL_PAIR) {
        const dal_two x = *(dal_two *)(new + i);
        *(dal_two *)(new + i) = x - *(dal_two *)(d + i);
        *(dal_two *)(d + i) = x;
    }
    if (i < n) {
        const double x = new[i];
        new[i] = x - d[i];
        d[i] = x;
    }
}

void dal_rt_learn(dal_rattlie *rt)
{
    double worst[RT_DIFFERENCES] = {0.0};
    const int before = rt->h_step == rt->h_learnt ? rt->known : 0;
    const int known = before < RT_DIFFERENCES ? before + 1 : before;
    // where one iteration did the degree is good enough
    const int judge = rt->toilsome || known > before;
    for (int s = 0; s < rt->nsub; ++s) {
        double *new = missed(rt, s), *d = differences(rt, s);
        for (int k = 0; k < known; ++k, d += rt->n) {
            worst[k] = judge ? dal_larger(worst[k], dal_max_abs(new, rt->nv)) : 0.0;
            push_down(d, new, rt->n);
        }
    }
    rt->h_learnt = rt->h_step;
    rt->known = known;
    rt->degree = judge ? choose(worst, known) : rt->degree;
}
