/* The contact problem (docs/theory/contact.md, CT.8): which of some contacts close, stick or slide, and with which forces.
 * The same for impulses, forces and accelerations; knows no mechanics. With p_n >= 0 and p_t of each contact, w = D p + d:
 *
 *     0 <= w_n  perp  p_n >= 0,     p_t = argmin over |p_t| <= mu p_n of p_t . w_t                     */
#ifndef DAL_CONTACT_PROBLEM_H
#define DAL_CONTACT_PROBLEM_H

#include "dalembert/base.h"

typedef enum dal_contact_case { DAL_CONTACT_OPEN, DAL_CONTACT_SLIDES, DAL_CONTACT_STICKS } dal_contact_case;

typedef struct dal_contact_problem {
    int m;             /* contacts */
    const int *first;  /* m + 1: first unknown of each: p_n if it is normal, then p_t (none, one, two or three) */
    const int *normal; /* m: 1: it has p_n; 0: friction alone */
    const double *mu;  /* m: coefficient of friction; of friction alone the largest |p_t| */
    const double *D;   /* N x N, N = first[m], column-major */
    const double *d;   /* N */
    double *p;         /* N: start, then solution */
    double *w;         /* N: D p + d */
    int *state;        /* m: dal_contact_case of the solution; closed contacts without p_t slide */
    int most;          /* attempts; 0: all of them */
    /* found */
    double residual; /* of the prox form, relative: 1e-13 is solved, up to 1e-8 counts as solved */
    int iterations;
    int attempts; /* 1: the first choice of kappa did it */
} dal_contact_problem;

/* Semismooth Newton with a proximal term, from several kappa, then with projected Gauss-Seidel before (CT.9)-(CT.11). The best
 * iterate is handed back whatever happened: look at `residual`. Fails only for want of memory. */
dal_status dal_contact_solve(dal_contact_problem *P, dal_ctx *ctx) DAL_NODISCARD;
/* From zero. Where contacts depend on each other the solution is the one to which proximal points lead (CT.31): it does not depend on the
 * axes of the tangents, nor on rounding. */
dal_status dal_contact_solve_shared(dal_contact_problem *P, dal_ctx *ctx) DAL_NODISCARD;

#endif
