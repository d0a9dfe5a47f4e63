/* Derivatives of the Lobatto step, shared by their files: lobatto_derivative_rows.c has the stages, lobatto_derivative.c the rest. */
#ifndef DAL_INTEGRATE_LOBATTO_DERIVATIVE_IMPL_H
#define DAL_INTEGRATE_LOBATTO_DERIVATIVE_IMPL_H

#include "init/terms.h"
#include "integrate/derivative.h"
#include "integrate/lobatto_impl.h"

/* Answers of a stage, or what they are weighed with. */
typedef struct answers {
    double *r, *Phi, *vel, *acc;
} answers;

typedef struct lb_derivative {
    dal_lobatto *lb;
    dal_variation at;       /* of the end and of the start */
    dal_blocks *force, *vl; /* s: tangents at (q_i, V_i), of velocities at (q_i, L_i) */
    int nblocks;
    int room, ny, width; /* width: of T of all factors */
    double *T, *Ad;      /* width x (s + 1): of theta_i; the last: from q_n to the middle of the chart */
    double **X;          /* nfactors: dtheta = X dV, of factors that are not flat, else NULL */
    double *inverse, *rates, *Ti, *D;
    double *dV, *dL, *dtheta, *dq; /* nv x s: changes at stages, or weights */
    double *origin, *dvd, *dla;    /* nv, nv, nc */
    answers one, all;              /* of one column; of all, what numbers do */
    double *E, *F, *x, *b;         /* n x room; n each */
    double *W;                     /* ny x room */
    dal_arena arena;
} lb_derivative;

dal_point dal_lb_force_point(const lb_derivative *d, int i);
dal_point dal_lb_velocity_point(const lb_derivative *d, int i);
void dal_lb_find_rates(lb_derivative *d, int f); /* X of a factor */
/* Changes at all stages (dV, dL, dtheta, dq) from those of the unknowns and of the state that the step begins with. */
void dal_lb_stages_forward(lb_derivative *d, const double *x, const double *y0);
/* The transpose, added: weights are in dV, dL, dq. */
void dal_lb_stages_adjoint(lb_derivative *d, double *x, double *y0);
/* F = J x + dF/dy0 y0; x += J^T psi, y0 += (dF/dy0)^T psi */
void dal_lb_rows_forward(lb_derivative *d, double *F, double *x, double *y0);
void dal_lb_rows_adjoint(lb_derivative *d, double *x, double *y0, const double *psi);
/* b := J^-1 b, or J^-T b; nothing: scratch of a state */
dal_status dal_lb_solve_stages(lb_derivative *d, double *b, double *nothing, int transposed) DAL_NODISCARD;
/* E += what numbers do to the equations, for all columns; pbar += (dF/dp)^T psi */
dal_status dal_lb_numbers_forward(lb_derivative *d, const double *dp, int count) DAL_NODISCARD;
dal_status dal_lb_numbers_adjoint(lb_derivative *d, double *pbar, const double *psi) DAL_NODISCARD;

#endif
