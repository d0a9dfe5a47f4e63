/* Consistent initial values and starting values (docs/theory/initial.md, labels IN.*). */
#ifndef DAL_INIT_INITIAL_H
#define DAL_INIT_INITIAL_H

#include "projection/projection.h"

/* v' and lambda from (IN.4): equilibrium and the acceleration-level constraints, without M^-1. Iterates when
 * g depends on lambda. vd and la need no initial guess. */
dal_status dal_initial_acceleration(dal_saddle *s, double *vd, double *la, double t, const double *q,
                                    const double *v) DAL_NODISCARD;

/* The same from a first guess in vd and la, which matters only where g depends on lambda. */
dal_status dal_continued_acceleration(dal_saddle *s, double *vd, double *la, double t, const double *q,
                                      const double *v) DAL_NODISCARD;

/* The same with the factors that are there, where g does not depend on lambda and there are no laws; v' and lambda of the point
 * are zero. roughly: see dal_saddle_correct. */
dal_status dal_factored_acceleration(dal_saddle *s, double *vd, double *la, const dal_point *at,
                                     int roughly) DAL_NODISCARD;

/* v'' at a point whose v' and lambda satisfy (IN.4), by differences along the motion, for steps of size h.
 * (IN.5), (IN.6) */
dal_status dal_initial_jerk(dal_saddle *s, double *vdd, const dal_point *at, double h, int one_sided) DAL_NODISCARD;

/* The local error of a step, l_q = h^3 (C_q v'' + C_h hat(v) v'). (IN.2) */
void dal_local_error(const dal_group *G, double *l_q, double h, double C_q, double C_h, const double *v,
                     const double *vd, const double *vdd);

/* v := v + d with B d = B l/h on the holonomic rows, 0 on the nonholonomic ones and those of coordinates; l: nv. (IN.3) */
dal_status dal_perturb_velocity(dal_saddle *s, double *v, double t, const double *q, const double *l_q,
                                double h) DAL_NODISCARD;

#endif
