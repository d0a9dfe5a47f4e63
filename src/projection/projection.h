/* Mass-weighted projections on the constraints (docs/theory/projection.md, labels PR.*). */
#ifndef DAL_PROJECTION_PROJECTION_H
#define DAL_PROJECTION_PROJECTION_H

#include "projection/saddle.h"

/* What projections are asked for; they go on to rounding if they can. */
#define DAL_POSITION_TOLERANCE 1e-10

/* q := q o exp(d) with Phi(q, t) = 0, by Newton with the saddle matrix renewed in each iteration (PR.1).
 * *moved (may be NULL) receives the distance. DAL_NOCONV if Phi cannot be brought below tol. */
dal_status dal_project_position(dal_saddle *s, double *q, double *moved, double t, double tol) DAL_NODISCARD;

/* v := v + d with B v + Phi_t = target (nc; NULL: zero), d of least kinetic energy (PR.2). Solves
 * [[M, B^T], [B, 0]] [d; .] = [0; target - (B v + Phi_t)]. *moved (may be NULL) receives |d|. */
dal_status dal_project_velocity(dal_saddle *s, double *v, double *moved, double t, const double *q,
                                const double *target) DAL_NODISCARD;

#endif
