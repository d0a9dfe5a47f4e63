/* Derivatives of a model with respect to numbers of its elements (dal_dependence). */
#ifndef DAL_MBS_DERIVATIVE_H
#define DAL_MBS_DERIVATIVE_H

#include "dalembert/mbs.h"
#include "system/dependence.h"

/* The numbers index[0 .. n-1] of p (dal_data_parameters), at the values that the simulation has now. A number is moved to a few
 * values beside its own, and what that changes in the elements is kept: which of them depend on it, and their numbers there. The
 * derivative at a point is then a difference of the residuals of these elements alone. Body masses, centres of mass, inertias and
 * gravity enter as polynomials of degree two at most: exact but for rounding; the others by six values, relative error 1e-12 where
 * the element is smooth. until: the end of the run, up to which parameters of functions must be moved by little. */
dal_status mb_dependence_create(dal_dependence **p, dal_data *data, const int *index, int n,
                                double until) DAL_NODISCARD;
void mb_dependence_destroy(dal_dependence *p); /* NULL is fine */
/* Has the model forces that act within micrometres, as contacts, wheels and teeth do? */
int mb_has_thin_forces(dal_data *data);

/* What a run remembers and its derivatives follow: histories of delays, bristles, speeds of compliant contacts. They are numbers of
 * the dependence, behind the others, of which `n` are given. How many; a delay of reactions, or NULL. */
int mb_remembered_count(dal_data *data);
const char *mb_remembered_reaction(dal_data *data);
/* Histories have the ends of steps alone from now on. */
void mb_keep_ends(dal_data *data);
/* The memory becomes that after a final state, and derivatives of this are there. STEP before the run has begun: the consistent place and
 * velocity that a start goes on from. ahead: the time to the next one. */
dal_status mb_dependence_renew(dal_dependence *p, const dal_point *at, dal_moment moment, double ahead) DAL_NODISCARD;
/* dp (n x count), where what is remembered is among the numbers, becomes that after the state with changes y; transposed: weights. A
 * change of a state is (q, v, any, v', lambda), ny apart; held: places of rows in it, -1: left out, NULL: all. */
void mb_dependence_renew_forward(dal_dependence *p, double *dp, const double *y, int ny, int count, const int *held);
void mb_dependence_renew_adjoint(dal_dependence *p, double *y, double *pbar, int ny, int count, const int *held);

/* Derivatives of the initial values with respect to number k; NULL: these do not depend on it. */
const double *mb_dependence_q0(const dal_dependence *p, int k);
const double *mb_dependence_v0(const dal_dependence *p, int k);
/* Is number k one of many of which few count at a time, as values of a table? May it count at t? */
int mb_dependence_is_local(const dal_dependence *p, int k);
int mb_dependence_counts(const dal_dependence *p, int k, double t);
/* Outputs at a point, as dal_model_outputs has them: those alone that are wanted (a flag for each); the others are left as they are. */
dal_status mb_outputs_wanted(dal_data *data, double *values, const dal_point *at, const char *wanted) DAL_NODISCARD;
/* dy (n): derivatives of the outputs wanted with respect to number k; y (n): scratch. */
dal_status mb_dependence_outputs(dal_dependence *p, double *dy, double *y, int n, const dal_point *at,
                                 const char *wanted, int k) DAL_NODISCARD;
/* y: the outputs wanted where the numbers k[0 .. count-1] are moved, all at once. */
dal_status mb_dependence_outputs_moved(dal_dependence *p, double *y, const dal_point *at, const char *wanted,
                                       const int *k, int count) DAL_NODISCARD;

#endif
