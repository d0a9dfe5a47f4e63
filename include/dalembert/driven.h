/* dalembert/driven.h - motion that is prescribed: where a driven mechanism is and how fast, where its drive comes to a
 * limit, and the forces the motion takes (docs/theory/kinematics.md, labels KI.*).
 *
 * The system has constraint rows that drive it (joints of type motion, coordinate = function(t)), so many that no freedom
 * is left: positions follow from the time alone.
 *
 *     dal_driven_create -> dal_driven_to, time after time -> dal_driven_destroy
 *
 * Of a model, coordinates are driven by name:
 *
 *     dal_drive_add -> dal_model_compile -> dal_driven_create ...
 *     dal_drives_create -> dal_model_compile -> dal_drives_start -> dal_drives_next -> dal_drives_destroy */
#ifndef DALEMBERT_DRIVEN_H
#define DALEMBERT_DRIVEN_H

#include "dalembert/mbs.h"

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
DAL_API dal_status dal_driven_create_(dal_driven **k, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                      const dal_driven_spec *spec, size_t size) DAL_NODISCARD;
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

/* ---- coordinates by name ---------------------------------------------------------------------- */

/* Before the model is compiled: a joint of type motion that prescribes a coordinate, by the function of that number: JOINT, JOINT.rotation,
 * JOINT.translation (with _x, _y, _z where the joint has several), BODY.x, .y, .z, BODY.angle (about the z axis of the world), or
 * BODY.yaw, .pitch, .roll (about z of the world, then y, then x of the body). DAL_EOPTION: there is no such coordinate; DAL_EINVAL: a
 * joint of the model prescribes it. */
DAL_API dal_status dal_drive_add(dal_model *model, dal_ctx *ctx, int *joint, const char *coordinate,
                                 int function) DAL_NODISCARD;
/* A motion by samples, at least 3, at times that increase: with velocities v and accelerations a, quintics through all three; v or a
 * NULL: a natural cubic spline through x. */
typedef struct dal_drive_samples {
    const char *name; /* of the function */
    int n;
    const double *t, *x, *v, *a;
} dal_drive_samples;

/* A function of the model for dal_drive_add, with a copy of the samples. */
DAL_API dal_status dal_drive_function(dal_model *model, dal_ctx *ctx, int *function,
                                      const dal_drive_samples *samples) DAL_NODISCARD;
/* Its row in the compiled model; -1: there is none. */
DAL_API int dal_drive_row(const dal_model *model, int joint);
/* Outputs JOINT.coordinate, .coordinate_velocity, .coordinate_acceleration of all joints that have them, and accelerations of bodies;
 * before the model is compiled. */
DAL_API void dal_drive_outputs(dal_model *model, dal_ctx *ctx);
/* Unit of the force along a coordinate, "N" or "N m", after dal_drive_outputs; "": there is no such coordinate. */
DAL_API const char *dal_drive_unit(dal_model *model, const char *coordinate);

/* ---- drives over their ranges ----------------------------------------------------------------- */

typedef struct dal_drive {
    const char *coordinate;
    double from, to; /* equal: it is held */
} dal_drive;

typedef struct dal_drives_spec {
    /* the first one goes at `rate`, the others at the same time; a single one of "time" follows the motions that the model prescribes */
    const dal_drive *drive;
    int n;
    int points; /* at least 2, the ends among them */
    double rate;
} dal_drives_spec;

/* Where the coordinate of a joint turns back. */
typedef struct dal_dead_centre {
    const char *joint;
    double drive, t, coordinate; /* value of the first drive, ... */
    int largest;
} dal_dead_centre;

/* Coordinate, velocity and acceleration of a joint at the points. */
typedef struct dal_joint_course {
    const char *joint;
    double *x[3];
} dal_joint_course;

typedef struct dal_drives_info {
    int points;   /* that were reached */
    int limited;  /* the first drive came to a limit before its end */
    double limit; /* there, and what moves on while the drive stands still */
    const char *direction;
    const double *value; /* of the first drive at each point */
    int njoints, ncentres;
    const dal_joint_course *joint;
    const dal_dead_centre *centre;
} dal_drives_info;

typedef struct dal_drives dal_drives;

/* Before the model is compiled: adds the drives, and outputs (dal_drive_outputs). The model must outlive the object. */
DAL_API dal_status dal_drives_create_(dal_drives **k, dal_ctx *ctx, dal_model *model, const dal_drives_spec *spec,
                                      size_t size) DAL_NODISCARD;
DAL_API void dal_drives_destroy(dal_drives *k); /* NULL is fine */
/* From the initial position of the compiled model to where the drives begin. data: of the system, which must outlive the object. */
DAL_API dal_status dal_drives_start(dal_drives *k, const dal_system *sys, dal_data *data) DAL_NODISCARD;
/* To the next point; *there = 0: that was all of them, or the drive is at its limit. drive (may be NULL): values of all drives. */
DAL_API dal_status dal_drives_next(dal_drives *k, int *there, dal_point *at, double *drive) DAL_NODISCARD;
DAL_API dal_drives_info dal_drives_about(const dal_drives *k); /* so far */

#ifdef __cplusplus
}
#endif
#endif
