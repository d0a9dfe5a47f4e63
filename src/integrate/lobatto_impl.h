/* The Lobatto IIIA-IIIB integrator, shared by its files:
 *     lobatto_table.c     coefficients
 *     lobatto_create.c    memory, solver, start, snapshot
 *     lobatto_stages.c    stage values from the unknowns, residual
 *     lobatto_predict.c   first iterate from the steps before
 *     lobatto_matrix.c    pattern and assembly of the iteration matrix, all stages coupled
 *     lobatto_saddle.c    iteration with a matrix of the size of one stage, for large systems
 *     lobatto_variational.c   the same unknowns, with equations from a discrete action
 *     lobatto_derivative.c   derivatives of the step
 *     lobatto_end.c       the end of a step: on the constraints, with its accelerations and multipliers
 *     lobatto.c           the step: attempt, local error, acceptance, projection, dense output */
#ifndef DAL_INTEGRATE_LOBATTO_IMPL_H
#define DAL_INTEGRATE_LOBATTO_IMPL_H

#include "integrate/output.h"
#include "linearize/bordered.h"

enum { LB_MAX = DAL_STAGES_MAX, LB_POWERS = 4, LB_DIFFERENCES = 10 };

/* Accelerations and multipliers of a step as polynomials in time through their values at the nodes. (LB.8) */
typedef struct lb_polynomial {
    double t, h; /* h = 0: there is none */
    double *A;   /* nv x s */
    double *la;  /* nc x s */
} lb_polynomial;

/* What the polynomials were off in the last steps of equal size, as backward differences: d[0] = e_n, d[1] = e_n -
 * e_(n-1) and so on, e = y - y from the polynomials. y: alpha_1 .. alpha_s, mu_2 .. mu_s and delta_2 .. delta_s, which no
 * polynomial predicts. (LB.14) */
typedef struct lb_history {
    int n;        /* length of y */
    int depth;    /* how many differences there are */
    int use;      /* how many are added to the polynomials */
    int valid;    /* `base` is that of the step being solved, and of its predecessor's polynomials */
    double *base; /* n: y from the polynomials */
    double *d[LB_DIFFERENCES];
} lb_history;

typedef struct dal_lobatto {
    dal_integrator base;
    dal_sink sink; /* for the iteration matrix */
    dal_ctx *ctx;
    dal_eval *ev;
    dal_saddle *saddle;
    dal_options opt;
    int s, nv, nc, nq, n;

    double c[LB_MAX], b[LB_MAX];
    double A[LB_MAX * LB_MAX], Ahat[LB_MAX * LB_MAX]; /* s x s, column-major */
    double E[LB_POWERS][LB_MAX * LB_MAX];             /* A^(p+1) Ahat (LB.7) */
    double end[LB_POWERS][LB_MAX * LB_MAX];           /* last row: v_(n+1) from increments, of the variational method */
    double bary[LB_MAX];                              /* barycentric weights of the nodes */
    double ahead[LB_MAX][LB_MAX];                     /* values of the Lagrange polynomials a step later, by stage */
    double Ainv[LB_MAX * LB_MAX], kappa[LB_MAX];      /* of (LB.13); of (LJ.7) W^-1 */
    double chart[LB_MAX * LB_MAX];                    /* theta from rates: A, or A - 1 abar^T (LJ.1) */
    double half[LB_MAX], slope[LB_MAX * LB_MAX];      /* l_j(1/2), l_j'(c_i) of (LJ.5) */
    double gain;                                      /* of positions at the stages in h alpha: norm of W^-1 (LJ.9) */

    dal_newton newton;
    dal_newton_problem problem;
    dal_bordered mass; /* M alone: is it regular? */

    dal_state_buffer buffer[5];
    dal_state_buffer *trial, *middle, *third; /* third: one more state for the dense output, if have_third */
    double *carried;                          /* nc x 5: multipliers that the next step starts with, by buffer */
    int have_third;
    int history;       /* previous holds a state, which the next step makes the third */
    int singular_mass; /* the first stage takes its acceleration from (LB.5) */
    int mid; /* the symmetric method: the chart in the middle of the step, positions held at the stages (LJ.1) */
    int variational; /* that, with (LJ.5) in place of (LJ.2) */

    /* the step that is being solved */
    const dal_state_buffer *from;
    double h, t1;
    double rounding; /* of positions, in velocities in their units (LJ.9) */
    double h_matrix; /* step size of the factored matrix */
    double *balance; /* n: of rows and columns of the matrix, where masses and rows differ much (LS.10) */
    double *weight;  /* n: of the equations, one over what counts as a large residual (SX.3) */
    double *x;       /* unknowns: omega (nc), alpha_1 .. alpha_s, mu_2 .. mu_s (LB.3) */
    double *q;       /* nq x s: stage values */
    double *V, *L, *Acc, *theta, *f; /* nv x s; f = V + delta */
    double *delta;                   /* nv x s: T^-1(theta) V - V */
    double *turned;                  /* nv x s: theta where the increments of the step are turned from (LJ.5) */
    int *own;                        /* nfactors: the pair of a factor with itself, likewise */
    int aimed;                       /* `turned` is that of this solve */
    int settled, exact;              /* theta belongs to V but for 1e-13 of it, but for rounding */
    double *la;                      /* nc x s */
    lb_polynomial poly;
    lb_history past;

    double *r, *dx;     /* n: residual and increment of (LB.13) */
    double *sides;      /* (nv + nc) x (s - 1): its right-hand sides */
    int pause;          /* steps to go until (LB.13) is tried again */
    double contraction; /* rate of its first iteration, 0: not known (LB.15) */
    int unseen;         /* steps since that was measured */
    int last_count;     /* iterations of the last step */

    /* the saddle matrix at the end of a step, before its projection, serves the next step, too */
    const dal_state_buffer *factored; /* that state, or NULL */
    double factor_t, *factor_q;       /* where it was evaluated: nq */
    long factor_count;                /* of the saddle: the factors are still there */

    /* assembly */
    int stage;       /* whose tangents are being pushed */
    double **power;  /* nfactors: (-h hat)^p, p = 1 .. LB_POWERS-1, of factors that are not flat, else NULL */
    double *product; /* LB_POWERS blocks: K or Z times the powers */
    int block;       /* largest block, entries */
    dal_matrix *matrix;

    double *q_work, *v_work, *w; /* nq, nv, nv */
    double *middle_q, *vel;      /* nq: origin of the chart; nc: velocity level, of the symmetric method */
    double *vmax;                /* nv: largest speeds so far, scale of the error estimate (LB.10) */

    dal_output output;
    dal_arena arena;
} dal_lobatto;

/* lobatto_create.c */
dal_status dal_lb_create(dal_integrator **out, dal_ctx *ctx, dal_eval *ev, dal_saddle *saddle,
                         const dal_options *opt) DAL_NODISCARD;
void dal_lb_destroy(dal_integrator *self);
dal_status dal_lb_start(dal_integrator *self, double t, const double *q, const double *v, double h,
                        dal_moment moment) DAL_NODISCARD;
/* Factor M alone at a state: is it singular? */
dal_status dal_lb_examine_mass(dal_lobatto *lb, int *singular, const dal_state_buffer *s) DAL_NODISCARD;
void dal_lb_pass(dal_integrator *self, dal_cursor *k);

/* lobatto_stages.c */
dal_newton_problem dal_lb_problem(dal_lobatto *lb);
double dal_lb_stage_time(const dal_lobatto *lb, int i);
double *dal_lb_carried(const dal_lobatto *lb, const dal_state_buffer *s); /* lambda that a step from s starts with */

/* Unknowns in x: h A_i, and h Lambda_i for i >= 1; mu of the first stage is what is added to h lambda_n (LB.5). */
static inline double *dal_lb_alpha(const dal_lobatto *lb, int i)
{
    return lb->x + lb->nc + i * lb->nv;
}

static inline double *dal_lb_mu(const dal_lobatto *lb, int i)
{
    return i == 0 ? lb->x : lb->x + lb->nc * i + lb->nv * lb->s;
}

/* The first stage whose theta is not zero. */
static inline int dal_lb_bent(const dal_lobatto *lb)
{
    return lb->mid ? 0 : 1;
}

/* Are these rows held as positions at the stages, with a multiplier of their own at each of them? (LJ.3) */
static inline int dal_lb_held(const dal_lobatto *lb, int c)
{
    return lb->mid && lb->ev->sys->constraint[c].kind != DAL_ROWS_VELOCITY;
}

/* lobatto_variational.c */
void dal_lb_variational_coefficients(dal_lobatto *lb);
dal_status dal_lb_variational_start(dal_lobatto *lb, const dal_state_buffer *s) DAL_NODISCARD;
void dal_lb_variational_values(dal_lobatto *lb);          /* V from f and theta */
void dal_lb_variational_rows(dal_lobatto *lb, double *x); /* (LJ.5) from h (g + B^T Lambda) of the stages */
/* alpha_i += scale T^-1 d_i: increments are accelerations of bodies, alpha those of the chart */
void dal_lb_variational_update(dal_lobatto *lb, double *alpha, const double *d, double scale);

/* lobatto_predict.c */
void dal_lb_predict(dal_lobatto *lb, dal_predictor predictor); /* first iterate x */
void dal_lb_keep_polynomial(dal_lobatto *lb);                  /* of the step just solved */
void dal_lb_keep_history(dal_lobatto *lb);                     /* likewise, before the polynomial */

/* lobatto_end.c */
/* The end of the step that was solved, projected and with its multipliers. (LB.4), (LB.6) */
dal_status dal_lb_complete(dal_lobatto *lb, dal_state_buffer *to) DAL_NODISCARD;
/* On the constraints: position, then velocity level. */
dal_status dal_lb_project(dal_lobatto *lb, double *q, double *v, double t) DAL_NODISCARD;

/* lobatto_matrix.c */
dal_status dal_lb_announce(dal_pattern *pattern, const void *self) DAL_NODISCARD;
/* Velocity or constraint row to which a row of the iteration matrix belongs, at whatever stage. */
void dal_lb_equation_name(const dal_integrator *self, char *buffer, size_t size, int equation);
dal_status dal_lb_jacobian(void *self, dal_matrix *A) DAL_NODISCARD;

/* lobatto_saddle.c */
void dal_lb_saddle_coefficients(dal_lobatto *lb);
void dal_lb_solve(double *X, double *A, int n); /* X := A^-1 X, n x n; A is destroyed */
int dal_lb_saddle_iteration(dal_lobatto *lb);   /* 1: the stage equations are solved; 0: use the coupled matrix */

#endif
