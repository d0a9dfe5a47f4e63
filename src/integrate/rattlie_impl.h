/* RATTLie, shared by its files:
 *     rattlie.c         creation, start, composition, error, acceptance, snapshot
 *     rattlie_blocks.c  M and B of a state block by block, products with them
 *     rattlie_mass.c    M that depends on q
 *     rattlie_first.c   (RT.1): the way of a step, by Newton's method
 *     rattlie_predict.c where that begins
 *     rattlie_second.c  (RT.2): the velocities at its end
 *     rattlie_stiff.c   the limit of stability */
#ifndef DAL_INTEGRATE_RATTLIE_IMPL_H
#define DAL_INTEGRATE_RATTLIE_IMPL_H

#include "integrate/output.h"
#include "linearize/bordered.h"

enum { RT_STATES = 5, RT_DIFFERENCES = 4 };

/* What RATTLie keeps of a state beside it. */
typedef struct rt_state {
    double *R;  /* nv: f + B^T lambda^- there */
    double *Mv; /* nv: M v */
    double *la; /* nc: lambda^- of the step that led here, nonholonomic rows: of both sides */
} rt_state;

/* One factor in the current iterate, nv x nv matrices: T(theta), Q = T^-T(-theta), D of (RT.3); NULL for flat ones. */
typedef struct rt_factor {
    double *T, *Q, *D, *work;
    double coef[DAL_NCOEF]; /* of theta */
} rt_factor;

typedef struct dal_rattlie {
    dal_integrator base;
    dal_sink sink;
    dal_ctx *ctx;
    dal_eval *ev;
    dal_saddle *saddle;
    dal_options opt;
    int nv, nc, nq, n;
    int nsub;
    double gamma[DAL_RATTLIE_SUBSTEPS]; /* of (RT.7) */
    dal_newton newton;
    dal_newton_problem problem;

    dal_state_buffer buffer[RT_STATES];
    rt_state extra[RT_STATES];
    dal_state_buffer *trial;
    const dal_state_buffer *captured; /* whose M and B are in the blocks, or NULL */

    const dal_state_buffer *from; /* of the substep being solved */
    int substep;                  /* its number */
    double h_step;                /* size of the whole step */
    double h, t1;
    /* for each substep, n: how far theta was from h v + h^2/2 v', and (h^2/2)(lambda^+ - lambda^-); of the attempt, and its
     * backward differences over the accepted steps of size h_learnt */
    double *missed, *differences;
    double h_learnt;
    int toilsome;                     /* the step took more than one iteration for each substep */
    int known, degree;                /* so many differences are there; those up to this one help */
    double *x;                        /* n: theta, (h^2/2)(lambda^+ - lambda^-) */
    double *y;                        /* nv: h M v_0 - (h^2/2) R */
    double *c;                        /* nv: M theta, (M(q0) + M(q1))/2 theta */
    double *z;                        /* nv: T^-T(-theta) M theta */
    double *q1, *qm;                  /* nq: at the end of the step and in its middle */
    double *w, *w2, *p1, *r, *g, *la; /* nv, nv, nv, nv + nc, nv + nc, nc */
    double *weight;                   /* n */
    double *balance;                  /* n */
    rt_factor *factor;
    double *M, *B; /* blocks of pairs and links, one after another */
    int *M0, *B0;  /* where each begins */
    int varies;    /* M depends on q; then: */
    double *M1;    /* blocks of M at the end of the step, in (RT.2) at its start */
    double *N[3];  /* blocks of -D_q(M theta)/2 at its start, of D_q(M theta) at its end, work */
    double *K0;    /* blocks of K of the captured state at rest, without multipliers */
    int *mirror;   /* npairs: the pair (j, i) of the pair (i, j), or -1, */
    int mirrored;  /* once they were looked for */
    double *to, to_scale;
    double *block;
    dal_matrix *A;
    int midway;           /* nonholonomic rows hold the way of a step: (RT.9) */
    int damped;           /* forces depend on velocities: (RT.4) has C */
    dal_bordered second;  /* its matrix, without C unless they do */
    const double *at_end; /* nv: velocities that it is evaluated at */
    double *vmax, *l_q, *vdd;
    int warned; /* of vibrations that are too fast */
    dal_output output;
    dal_arena arena;
} dal_rattlie;

typedef dal_status dal_rt_evaluation(dal_eval *ev, const dal_residual *out, const dal_point *at);

/* rattlie_blocks.c */
/* M and B at a state into the blocks, [[M, B^T], [B, 0]] factored by the solver of `second`. */
dal_status dal_rt_capture(dal_rattlie *rt, const dal_state_buffer *s) DAL_NODISCARD;
/* The blocks alone; the solver does not notice, which would cost a restored run its last bits. */
dal_status dal_rt_look_back(dal_rattlie *rt, const dal_state_buffer *s) DAL_NODISCARD;
void dal_rt_mass(const dal_rattlie *rt, double *y, const double *x);                         /* y = M x */
void dal_rt_add_force(const dal_rattlie *rt, double *y, const double *mu);                   /* y += B^T mu */
void dal_rt_gyroscopic(const dal_rattlie *rt, double *y, const double *v, const double *Mv); /* y += hat(v)^T M v */
/* q = q0 o exp(theta), with what the two below need. */
void dal_rt_move(dal_rattlie *rt, double *q, const double *q0, const double *theta);
void dal_rt_momentum(const dal_rattlie *rt, double *y, const double *x); /* y = T^-T(-theta) x, theta of dal_rt_move */
void dal_rt_momentum_end(const dal_rattlie *rt, double *y, const double *theta,
                         const double *x); /* y = T^-T(theta) x */
/* Is the tangent operator of this factor symmetric in the sense T(-theta) = T(theta)^T? */
static inline int dal_rt_orthogonal(const dal_factor *F)
{
    return F->type->kind == DAL_FACTOR_SO3 || F->type->kind == DAL_FACTOR_R3SO3;
}

/* rattlie_mass.c */
/* y += scale X x, y += scale X^T x, with blocks X of pairs */
void dal_rt_add_product(const dal_rattlie *rt, double *y, const double *X, const double *x, double scale);
void dal_rt_add_transposed(const dal_rattlie *rt, double *y, const double *X, const double *x, double scale);
dal_status dal_rt_mass_at(dal_rattlie *rt, double *M, double t, const double *q) DAL_NODISCARD;
/* N = D_q(M x) of the captured state; h: a time in which x is a usual change of velocity. And N[1] of the iterate. */
dal_status dal_rt_mass_gradient(dal_rattlie *rt, double *N, const double *x, double h) DAL_NODISCARD;
dal_status dal_rt_mass_gradient_end(dal_rattlie *rt) DAL_NODISCARD;
dal_status dal_rt_capture_stiffness(dal_rattlie *rt) DAL_NODISCARD; /* K0 */
void dal_rt_inertia_damping(const dal_rattlie *rt, double *X, int pair, dal_block_at b);
dal_status dal_rt_probe_mass(dal_rattlie *rt, const dal_state_buffer *s) DAL_NODISCARD; /* M there is captured */

/* rattlie_first.c */
dal_newton_problem dal_rt_problem(dal_rattlie *rt);
dal_status dal_rt_announce(dal_pattern *pattern, const void *self) DAL_NODISCARD;
void dal_rt_equation_name(const dal_integrator *self, char *buffer, size_t size, int equation);
dal_status dal_rt_first(dal_rattlie *rt) DAL_NODISCARD;
dal_status dal_rt_choose_rows(dal_rattlie *rt, const dal_state_buffer *s, double h) DAL_NODISCARD; /* midway? */

/* rattlie_predict.c */
void dal_rt_predict(dal_rattlie *rt, int learnt); /* x of the substep; from the last steps, if so */
void dal_rt_note_missed(dal_rattlie *rt);         /* what it would have had to be */
void dal_rt_learn(dal_rattlie *rt);               /* the step was accepted */

/* rattlie_stiff.c */
/* A warning, once, where h comes near the limit of stability. (RT.8) */
dal_status dal_rt_watch_stiffness(dal_rattlie *rt, double h) DAL_NODISCARD;
void dal_rt_explain_failure(dal_rattlie *rt, dal_status st, double h); /* is that the reason? In base.limit */

/* rattlie_second.c */
dal_status dal_rt_second(dal_rattlie *rt, dal_state_buffer *to) DAL_NODISCARD;
/* R of a state whose lambda^- and M, B are known. */
dal_status dal_rt_settle(dal_rattlie *rt, dal_state_buffer *s) DAL_NODISCARD;

static inline int dal_rt_nonholonomic(const dal_rattlie *rt, int constraint)
{
    return rt->ev->sys->constraint[constraint].kind == DAL_ROWS_VELOCITY;
}

static inline rt_state *dal_rt_extra(const dal_rattlie *rt, const dal_state_buffer *s)
{
    return (rt_state *)&rt->extra[s - rt->buffer];
}

#endif
