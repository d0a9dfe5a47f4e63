/* dalembert/driven.h - motion that is prescribed: where a driven mechanism is and how fast, where its drive comes to a
 * limit, and the forces the motion takes (docs/theory/kinematics.md, labels KI.*).
 *
 * The system has constraint rows that drive it (joints of type motion, coordinate = function(t)), so many that no freedom
 * is left: positions follow from the time alone.
 *
 *     dal_driven_create -> dal_driven_to, time after time -> dal_driven_destroy */
#ifndef DALEMBERT_DRIVEN_H
#define DALEMBERT_DRIVEN_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_driven dal_driven;

typedef struct dal_driven_spec {
    double t;
    const double *q;    /* nq: a guess at this time; it is closed */
    int drive;          /* 1 + the row that drives, for limits to be located; 0: none */
    const int *ignored; /* nignored rows that take no part in the motion: those of drives, dal_driven_forces */
    int nignored;
} dal_driven_spec;

/* data: of the system, which remembers the turns of angles; must outlive the object. NULL: data of its own.
 * DAL_EINVAL if freedoms are left: the message says how many, and by which velocities they could be driven. Rows on
 * velocities are refused. Redundant rows are no obstacle; their multipliers are those of least norm. */
DAL_API dal_status dal_driven_create(dal_driven **k, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                     const dal_driven_spec *spec) DAL_NODISCARD;
DAL_API void dal_driven_destroy(dal_driven *k); /* NULL is fine */

/* Follow the motion to time t, forwards or backwards, on the branch it is on. DAL_NOCONV: it cannot get there; the state is
 * then the limit, if that was found (dal_driven_limit), or the last one before. */
DAL_API dal_status dal_driven_to(dal_driven *k, double t) DAL_NODISCARD;
/* The state: t, q, v, v', and lambda of all rows, which make that motion. */
DAL_API dal_point dal_driven_point(const dal_driven *k);
/* Did the last dal_driven_to end at a limit of the drive? Velocities are not bounded there and left zero. The text
 * (may be NULL) receives the direction in which the mechanism moves while the drive stands still. */
DAL_API int dal_driven_limit(const dal_driven *k, char *direction, size_t size);

/* The time between ta and tb at which f, which has different signs there, is zero; the state goes there. */
typedef dal_status (*dal_driven_function)(double *f, const dal_point *at, void *user);
DAL_API dal_status dal_driven_zero(dal_driven *k, double *t, double ta, double tb, dal_driven_function f,
                                   void *user) DAL_NODISCARD;

/* Forces (n) along the coordinates of the rows `row` that make the present motion, the other prescribed motions exerting
 * nothing: positive ones increase the coordinate. `prescribed`: the nprescribed rows that drive the motion. If there are
 * more forces than freedoms the shortest are taken; *rank (may be NULL) is how many were needed. lambda of the state is then
 * theirs. DAL_ECHECK if no such forces make the motion: the message names what is off. */
DAL_API dal_status dal_driven_forces(dal_driven *k, double *force, int *rank, const int *row, int n,
                                     const int *prescribed, int nprescribed) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
