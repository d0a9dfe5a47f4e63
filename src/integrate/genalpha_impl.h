/* The generalized-alpha integrator, shared by its files:
 *     create.c      memory and solver
 *     genalpha.c    the step: nonlinear system, attempt, acceptance, interpolation, snapshot
 *     predict.c     first iterate of a step
 *     kinematics.c  (GA.6) and (GA.7): v1 and its derivative from theta
 *     printed.c     the incremental algorithms as published
 *     assembly.c    pattern and assembly of the iteration matrix
 *     starting.c    starting values, projection, local error
 *     transfer.c    change of step size
 *     bdf.c         backward differences: other coefficients, the same iteration */
#ifndef DAL_INTEGRATE_GENALPHA_IMPL_H
#define DAL_INTEGRATE_GENALPHA_IMPL_H

#include "integrate/integrator.h"
#include "linearize/blocks.h"

/* Kinematics of one factor in the current iterate, nv x nv matrices. Flat factors have none: T = P = N = 1. */
typedef struct ga_factor {
    double *T;  /* T(theta) */
    double *Pi; /* P^-1, P = sigma I + (1 - sigma) T; NULL if P = I */
    double *N;  /* (h beta/gamma) dv1/dtheta */
    double *work[2];
    /* what the assembly multiplies by, NULL for the identity: */
    const double *dq, *dv, *dv_eta; /* dq1/dtheta, (1/gp) dv1/dtheta, P^-1 */
    double coef[DAL_NCOEF];
} ga_factor;

/* Links of a factor: how eta enters the velocities of that factor. */
typedef struct ga_eta_link {
    int link, c;
    double *B0; /* nrows x nv, at the start of the step, in the metric `lift` */
    double *E;  /* nv x nrows: P^-1 B0^T */
} ga_eta_link;

typedef struct ga_bdf ga_bdf;

typedef struct dal_genalpha {
    dal_integrator base;
    dal_sink sink; /* for the iteration matrix */
    dal_ctx *ctx;
    dal_eval *ev;
    dal_saddle *saddle;
    dal_options opt;
    dal_ga_coef c;
    int nv, nc, nh, n;
    int ne; /* rows that are held at both levels, each with its eta: all holonomic ones of ggl, few of index3 (EP.3) */
    dal_newton newton;
    dal_newton_problem problem;
    ga_bdf *bdf;       /* the states before, if this is a method of backward differences; else NULL */
    int untransported; /* v1 = gp (theta + c), without T: sums of increments as published (BD.4) */

    dal_state_buffer buffer[4];
    dal_state_buffer *trial, *past; /* past: the state before the previous one */
    int history;                    /* how many of previous and past hold states of this motion: 0, 1, 2 */
    int degree;                     /* of the extrapolation in time (NW.5) */
    double h, t1;                   /* the attempt */
    double h_jacobian;              /* step size of the last Jacobian */
    /* velocity and accelerations it starts from: current, or transferred to h (SC.3) */
    const double *v0, *a0, *vd0;
    double *v_tuned, *a_tuned, *vd_tuned;
    double *la_tuned;  /* nc, scratch */
    double noise_gain; /* how far the recursion amplifies an error of lambda (ER.1) */
    long saddle_count; /* the saddle matrix is that of `settled` while it has this count */
    const dal_state_buffer *settled;

    /* coefficients of the attempt */
    double gp;    /* gamma/(h beta) */
    double kv;    /* dv1'/dv1 (GA.8) */
    double s;     /* scale of the rows of (CS.2) and of lambda: mu = s lambda (GA.9) */
    double s_vel; /* scale of velocity-level rows */
    double s_acc; /* scale of acceleration-level rows */
    double *cvec; /* c of (GA.6) */
    double *d0;   /* vd1 = kv v1 + d0 */

    double *balance; /* n: of rows and columns of the matrix, where masses and rows differ much (LS.10) */
    double *weight;  /* n: of the equations, one over entries of the matrix times unit (SX.3) */
    double *lift;    /* nv: unit^2/length^2, the metric in which eta corrects velocities (ggl) (SX.4) */
    double *x;       /* unknowns: theta (nv), mu = s lambda (nc), nu = h eta (ne) */
    double *w;       /* nv scratch */
    double *q_work;
    double *Phi, *vel;
    ga_factor *factor;

    /* structure of the matrix */
    int *eta0;      /* nconstraints: number of the first eta of block c, -1: it has none */
    int *eta_link0; /* nfactors + 1: range of eta links of a factor */
    ga_eta_link *eta_link;
    int *slot_pair_eta; /* npairs + 1: first slot of the (pair, eta link) blocks, -1: none */
    int *slot_link_eta; /* nlinks + 1: first slot of the (link, eta link) blocks */
    int *slot_link_vel; /* nlinks: slot of the second, velocity-level rows, or -1 */
    dal_matrix *A;
    double *block, *block2; /* max block x max block */
    double *column;         /* max block */

    double C_h;   /* of the kinematics in use, for the starting values (IN.2) */
    double *vmax; /* nv: largest speeds so far, scale of the error estimate (SC.1) */
    double *tol;  /* nv: tolerance of the local error of each velocity, adaptive steps only (SC.1) */
    double *l_q, *vdd;
    dal_arena arena;
} dal_genalpha;

/* create.c */
dal_status dal_ga_create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle,
                         const dal_options *opt) DAL_NODISCARD;
void dal_ga_destroy(dal_integrator *self);

/* genalpha.c */
void dal_ga_problem(dal_genalpha *ga); /* the callbacks for Newton's method */
/* The step of size h to t1 from the current state, v0, a0 and vd0: into the trial state. */
dal_status dal_ga_solve_step(dal_genalpha *ga, double h, double t1) DAL_NODISCARD;
void dal_ga_turn(dal_genalpha *ga); /* the trial state becomes the current one */
void dal_ga_pass(dal_integrator *self, dal_cursor *k);

/* kinematics.c */
void dal_ga_set_step(dal_genalpha *ga, double h); /* coefficients, c and d0 of an attempt */
void dal_ga_trial_state(dal_genalpha *ga);        /* trial state from x (GA.1)-(GA.4), (GA.6) */
void dal_ga_tangents(dal_genalpha *ga);           /* T, P^-1, N of every factor (GA.7) */

/* predict.c */
void dal_ga_predict(dal_genalpha *ga, dal_predictor predictor); /* first iterate x */
void dal_ga_choose_degree(dal_genalpha *ga); /* of the next prediction, from the step that is about to be accepted */

/* printed.c: the same roles for the published algorithms */
double dal_ga_predictor_factor(const dal_genalpha *ga); /* f of (GA.12): 1, or 1/2 */
void dal_ga_printed_predict(dal_genalpha *ga);
void dal_ga_printed_update(dal_genalpha *ga, const double *dx);
void dal_ga_printed_tangents(dal_genalpha *ga);

/* assembly.c */
dal_status dal_ga_announce(dal_pattern *pattern, const void *self) DAL_NODISCARD;
int dal_ga_count_eta_links(const dal_genalpha *ga);
/* Velocity or constraint row to which a row of the iteration matrix belongs. */
void dal_ga_equation_name(const dal_integrator *self, char *buffer, size_t size, int equation);
void dal_ga_structure(dal_genalpha *ga);
dal_status dal_ga_keep_B0(dal_genalpha *ga) DAL_NODISCARD; /* B at the start of the step, for eta */
/* The same at a point there, with K kept besides; for steps with eta. */
dal_status dal_ga_keep_B0_with(dal_genalpha *ga, dal_blocks *tangents, const dal_point *at) DAL_NODISCARD;
dal_status dal_ga_jacobian(void *self, dal_matrix *A) DAL_NODISCARD;
unsigned dal_ga_wants(const dal_genalpha *ga); /* tangents of which it consists */
/* The same, and the tangents are kept. */
dal_status dal_ga_jacobian_keeping(dal_genalpha *ga, dal_matrix *A, dal_blocks *tangents) DAL_NODISCARD;

/* starting.c */
void dal_ga_scale(dal_genalpha *ga); /* scales of the equations, once those of the saddle system are known */
dal_status dal_ga_start(dal_integrator *self, double t, const double *q, const double *v, double h,
                        dal_moment moment) DAL_NODISCARD;
dal_status dal_ga_project(dal_integrator *self, dal_projection mode, int position) DAL_NODISCARD;
double dal_ga_error(dal_integrator *self);               /* (SC.1) */
void dal_ga_error_tolerance(dal_genalpha *ga, double h); /* tol for an attempt of size h */
/* The worst of |l|/h over all vectors of a local error of q, in units of the tolerance. */
double dal_ga_measure(dal_genalpha *ga, const double *l, double h);

/* transfer.c */
dal_status dal_ga_retune(dal_integrator *self, double h) DAL_NODISCARD;
dal_status dal_ga_tune(dal_genalpha *ga, double h) DAL_NODISCARD; /* v0, a0, vd0 for steps of size h (SC.3) */
dal_status dal_ga_ease(dal_integrator *self, const double *before) DAL_NODISCARD; /* (IN.7) */
/* The same; *eased: vibrations that steps do not resolve had more than this part of the energy. */
dal_status dal_ga_ease_from(dal_genalpha *ga, int *eased, const double *before, double part) DAL_NODISCARD;
/* vc and vdc of a state; with constraints the saddle matrix is factored for it. */
dal_status dal_ga_settle(dal_genalpha *ga, dal_state_buffer *s) DAL_NODISCARD;

/* bdf.c */
void dal_bdf_set_step(dal_genalpha *ga, double h);
int dal_bdf_continue(const dal_genalpha *ga, double *v1); /* a first v1 from those before, if there are enough */

#endif
