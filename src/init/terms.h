/* The equations of which derivatives of starts and of stages consist. */
#ifndef DAL_INIT_TERMS_H
#define DAL_INIT_TERMS_H

#include "init/variation.h"

/* Equations E(unknown; data) = 0 with the saddle matrix are sums of residuals of the system at some points. A term is one of
 * them: which members of the answer count, and with respect to what its point changes. */
enum { DAL_TERM_R = 1, DAL_TERM_PHI = 2, DAL_TERM_VEL = 4, DAL_TERM_ACC = 8 };
typedef struct dal_term {
    dal_point at;
    double sign;
    unsigned rows;      /* DAL_TERM_R and one of the others */
    unsigned wants;     /* matrices that count: DAL_WANT_* */
    const double *mask; /* nc: of rows; NULL: all */
    dal_change by;      /* changes of its point, ny apart; NULL: none */
} dal_term;

/* E += the change of a term, for all columns; and what its point and p are weighed with, if E is weighed with psi: subtracted. */
dal_status dal_term_forward(dal_variation *x, const dal_term *t, const double *dp, int count) DAL_NODISCARD;
dal_status dal_term_adjoint(dal_variation *x, double *pbar, const dal_term *t, const double *psi,
                            int count) DAL_NODISCARD;

/* The saddle matrix at a point, or at the consistent positions: these factors are kept. */
dal_status dal_variation_factor(dal_variation *x, const dal_point *at, int with_force) DAL_NODISCARD;
dal_status dal_variation_factor_here(dal_variation *x, int with_force) DAL_NODISCARD;
static inline void dal_variation_solve(const dal_variation *x, double *b)
{
    dal_linsol_solve_refined(x->s->ls, b);
}

/* T(theta) and Ad(exp(-theta)) = I - hat(theta) T of all factors; y += scale X w, X one of them or its transpose. */
void dal_variation_group(dal_variation *x, const double *theta);
void dal_variation_apply(const dal_variation *x, double *y, const double *X, const double *w, double scale,
                         int transposed);

#endif
