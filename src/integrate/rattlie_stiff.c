/* Is the step too long for the stiffest force? RATTLie is explicit in the potential: stable for h omega < 2 only (RT.8). */
#include <math.h>
#include <stdio.h>

#include "base/vector.h"
#include "integrate/rattlie_impl.h"
#include "system/sink.h"

enum { ITERATIONS = 24 };
/* Of 2, from where on a warning comes. */
static const double near = 1.6;

static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_rattlie *rt = (dal_rattlie *)((char *)sink - offsetof(dal_rattlie, sink));
    (void)M, (void)C;
    if (K) {
        dal_add(rt->N[2] + rt->M0[pair], K, rt->M0[pair + 1] - rt->M0[pair]);
    }
}

/* omega^2, the largest eigenvalue of K on ker B in the metric of M, by powers. K is that of forces and reactions, at rest: a taut
 * chain vibrates by its tension. */
static dal_status fastest(dal_rattlie *rt, const dal_state_buffer *s, double *omega)
{
    dal_saddle *sd = rt->saddle;
    const double *unit = rt->ev->unit;
    double square = 0.0;
    *omega = 0.0;
    dal_zero(rt->N[2], rt->M0[rt->ev->sys->npairs]);
    rt->sink = dal_sink_ignoring(DAL_WANT_K);
    rt->sink.pair = push_pair;
    DAL_TRY(dal_eval_tangent(rt->ev, &rt->sink, &(dal_point){s->t, s->q, sd->zero, sd->zero, s->la}));
    DAL_TRY(dal_saddle_factor(sd, &(dal_point){s->t, s->q, sd->zero, sd->zero, sd->zero}, 0));
    for (int i = 0; i < rt->nv; ++i) {
        rt->w[i] = unit[i] * (1.0 + 0.37 * (i % 5));
    }
    for (int it = 0; it < ITERATIONS; ++it) {
        dal_zero(sd->x, rt->nv + rt->nc);
        dal_rt_add_product(rt, sd->x, rt->N[2], rt->w, 1.0);
        dal_saddle_solve_roughly(sd);
        double before = 0.0, after = 0.0, along = 0.0;
        for (int i = 0; i < rt->nv; ++i) {
            before = fmax(before, fabs(rt->w[i]) / unit[i]);
            after = fmax(after, fabs(sd->x[i]) / unit[i]);
            along += sd->x[i] / unit[i] * rt->w[i] / unit[i];
        }
        square = copysign(after / before, along); // what pushes away does not vibrate
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

/* What is to be said of steps of size h: in base.limit, or nothing there. */
static dal_status judge(dal_rattlie *rt, double h)
{
    double omega, longest = 0.0;
    rt->base.limit[0] = '\0';
    DAL_TRY(fastest(rt, rt->base.current, &omega));
    for (int i = 0; i < rt->nsub; ++i) {
        longest = fmax(longest, fabs(rt->gamma[i] * h));
    }
    if (longest * omega > near) {
        (void)snprintf(
            rt->base.limit, sizeof rt->base.limit,
            "h omega = %.3g with the fastest vibration, %.3g Hz%s: integrator = rattlie is stable below 2 only. "
            "Use h < %.1e, or integrator = genalpha or bdf, which damp what h does not resolve",
            longest * omega, omega / 6.283185307179586, rt->nsub > 1 ? ", in the longest substep" : "",
            h * 0.95 * near / (longest * omega));
    }
    return DAL_OK;
}

dal_status dal_rt_watch_stiffness(dal_rattlie *rt, double h)
{
    DAL_TRY(judge(rt, h));
    if (rt->opt.step == DAL_STEP_ADAPTIVE) {
        rt->base.limit[0] = '\0';
    } else if (rt->base.limit[0] != '\0' && !rt->warned) {
        rt->warned = 1;
        dal_log(rt->ctx, DAL_LOG_WARNING, "%s", rt->base.limit);
    }
    return DAL_OK;
}

/* The message of the failure stays. */
void dal_rt_explain_failure(dal_rattlie *rt, dal_status st, double h)
{
    char message[512];
    if (st > 0 && rt->opt.step != DAL_STEP_ADAPTIVE && rt->base.limit[0] == '\0') {
        (void)snprintf(message, sizeof message, "%s", dal_ctx_message(rt->ctx));
        (void)judge(rt, h);
        (void)dal_fail(rt->ctx, st, "%s", message);
    }
}
