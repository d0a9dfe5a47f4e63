/* The explicit Runge-Kutta integrator, shared by its files (docs/theory/rk.md):
 *     rk_table.c     coefficients
 *     rk_create.c    memory, start, snapshot
 *     rk_saddle.c    accelerations and multipliers of a stage
 *     rk_stages.c    stages, projection, end of the step
 *     rk.c           attempt, acceptance, local error, stability
 *     rk_output.c    dense output */
#ifndef DAL_INTEGRATE_RK_IMPL_H
#define DAL_INTEGRATE_RK_IMPL_H

#include "integrate/integrator.h"
#include "integrate/rk_table.h"

typedef struct dal_rk {
    dal_integrator base;
    dal_ctx *ctx;
    dal_eval *ev;
    dal_saddle *saddle;
    dal_options opt;
    const dal_rk_table *table;
    int nv, nc, nq;

    dal_state_buffer buffer[3];
    dal_state_buffer *trial;
    /* (theta', v') of the stages, 2 nv each: of the step that is tried, and of the last one for dense output */
    double *slope, *kept;
    double *y0, *y, *y_last; /* 2 nv: (theta, v) at the start of the step, of a stage, and of the one before the end */
    double *q_stage, *la_stage;
    double angle; /* largest rotation of a body in the step that is tried [rad] */

    double *vmax, *amax; /* nv: largest speed and acceleration of each vector so far, at its first component (RK.6) */
    double *e[DAL_RK_ERRORS]; /* 2 nv each: error estimates */

    /* is the step limited by stability? (RK.8) */
    double rate;            /* estimate of the largest |eigenvalue| */
    double seen;            /* the same from the last step alone */
    int unstable, harmless; /* steps in a row, roughly */

    double *dense; /* 7 x 2 nv at most (RK.7) */
    int have_dense;

    dal_newton_stats stats;
    double residual;
    dal_arena arena;
} dal_rk;

/* rk_create.c */
dal_status dal_rk_create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle,
                         const dal_options *opt) DAL_NODISCARD;
void dal_rk_destroy(dal_integrator *self);
dal_status dal_rk_start(dal_integrator *self, double t, const double *q, const double *v, double h,
                        dal_moment moment) DAL_NODISCARD;
void dal_rk_pass(dal_integrator *self, dal_cursor *k);

/* rk_saddle.c */
/* v' and lambda (IN.4) of a stage; vd and la are a first guess where forces depend on lambda. */
dal_status dal_rk_acceleration(dal_rk *rk, double *vd, double *la, double t, const double *q,
                               const double *v) DAL_NODISCARD;
/* The same in two parts, for the end of a step, without forces that depend on lambda: factors at (t, q), where v may still
 * change; v' and lambda, refined, with these factors. */
dal_status dal_rk_factor(dal_rk *rk, double t, const double *q, const double *v) DAL_NODISCARD;
dal_status dal_rk_factored_acceleration(dal_rk *rk, double *vd, double *la, double t, const double *q,
                                        const double *v) DAL_NODISCARD;

/* rk_stages.c */
/* y := from + h sum of the terms of a row, slopes of 2 nv; y may be from */
void dal_rk_combine(const dal_rk *rk, double *y, const double *from, double h, const dal_rk_row *row,
                    const double *slope);
/* Slope of stage i at the step from s0 of size h, y its (theta, v). */
dal_status dal_rk_slope(dal_rk *rk, double *slope, const dal_state_buffer *s0, double t, const double *y) DAL_NODISCARD;
/* All stages of a step from `s0` and its end, on the constraints and with v' and lambda, into `trial`. */
dal_status dal_rk_step(dal_rk *rk, const dal_state_buffer *s0, double h, double t1) DAL_NODISCARD;

/* rk.c */
void dal_rk_note_speeds(dal_rk *rk);

/* rk_output.c */
void dal_rk_interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t);

#endif
