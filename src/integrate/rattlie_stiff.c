/* Is the step too long for the stiffest force? RATTLie is explicit in the potential: stable for h omega < 2 only (RT.8). */
#include <math.h>

#include "base/vector.h"
#include "integrate/rattlie_impl.h"
#include "system/sink.h"

enum { ITERATIONS = 24 };
/* Of 2, from where on a warning comes. */
static const double near = 1.6;

/* y += K x, with the state at rest and without multipliers: the stiffness of the forces. */
static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    const dal_block_at b = dal_pair_at(rt->ev, pair);
    (void)M, (void)C;
    for (int j = 0; K && j < b.nj; ++j) {
        for (int i = 0; i < b.ni; ++i) {
            rt->y[b.i + i] += K[i + j * b.ni] * rt->w[b.j + j];
        }
    }
}

/* omega^2, the largest eigenvalue of K on ker B in the metric of M, by powers; */
static dal_status fastest(dal_rattlie *rt, const dal_state_buffer *s, double *omega)
{
    dal_saddle *sd = rt->saddle;
    const dal_point at = {s->t, s->q, sd->zero, sd->zero, sd->zero};
    double square = 0.0;
    DAL_TRY(dal_saddle_factor(sd, &at, 0));
    for (int i = 0; i < rt->nv; ++i) {
        rt->w[i] = rt->ev->unit[i] * (1.0 + 0.37 * (i % 5));
    }
    for (int it = 0; it < ITERATIONS; ++it) {
        dal_zero(rt->y, rt->nv);
        rt->sink = dal_sink_ignoring(DAL_WANT_K);
        rt->sink.pair = push_pair;
        DAL_TRY(dal_eval_tangent(rt->ev, &rt->sink, &at));
        dal_copy(sd->x, rt->y, rt->nv);
        dal_zero(sd->x + rt->nv, rt->nc);
        dal_saddle_solve_roughly(sd);
        double before = 0.0, after = 0.0;
        for (int i = 0; i < rt->nv; ++i) {
            before = fmax(before, fabs(rt->w[i]) / rt->ev->unit[i]);
            after = fmax(after, fabs(sd->x[i]) / rt->ev->unit[i]);
        }
        square = after / before;
        for (int i = 0; i < rt->nv; ++i) {
            rt->w[i] = after > 0.0 ? sd->x[i] / after : rt->w[i];
        }
        if (!(after > 0.0)) {
            break;
        }
    }
    *omega = sqrt(fmax(square, 0.0));
    return DAL_OK;
}

dal_status dal_rt_watch_stiffness(dal_rattlie *rt, double h)
{
    double omega, longest = 0.0;
    DAL_TRY(fastest(rt, rt->base.current, &omega));
    for (int i = 0; i < rt->nsub; ++i) {
        longest = fmax(longest, fabs(rt->gamma[i] * h));
    }
    if (rt->opt.step != DAL_STEP_ADAPTIVE && longest * omega > near && !rt->warned) {
        rt->warned = 1;
        dal_log(rt->ctx, DAL_LOG_WARNING,
                "h omega = %.2f with the fastest vibration, %.3g Hz%s: integrator = rattlie is stable below 2 only. "
                "Use h < "
                "%.1e, or integrator = genalpha or bdf, which damp what h does not resolve",
                longest * omega, omega / 6.283185307179586, rt->nsub > 1 ? ", in the longest substep" : "",
                h * near / (longest * omega));
    }
    return DAL_OK;
}
