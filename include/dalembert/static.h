/* dalembert/static.h - where a system rests: equilibrium under its constraints, and whether it is stable
 * (docs/theory/static.md, labels ST.*).
 *
 *     g(q, 0, lambda, t) + B(q, t)^T lambda = 0,      Phi(q, t) = 0                               (ST.1)
 *
 * Masses play no part but through their weight. Dampers and friction carry nothing at rest. */
#ifndef DALEMBERT_STATIC_H
#define DALEMBERT_STATIC_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dal_static_method { DAL_STATIC_NEWTON, DAL_STATIC_LOAD_STEPS, DAL_STATIC_RELAXATION } dal_static_method;
DAL_API const char *dal_static_method_name(dal_static_method method); /* "newton", "load_steps", "relaxation" */

/* Zero-initialise: zeros are the defaults. */
typedef struct dal_static_options {
    double tol; /* residual up to which forces count as balanced, relative to the loads; 0: 1e-10 */
    int nearest; /* take the equilibrium Newton's method finds, stable or not; 0: look for a stable one if it is unstable,
                    unless the search began at it */
    unsigned methods; /* 1 << method for each that may be tried; 0: all of them, in their order */
    double turning[3],
        centre[3]; /* world, rad/s and m: equilibrium in axes that turn about this axis, with which all bodies turn:
                                     v becomes their velocities, and stability is not judged (modes do) (ST.7) */
} dal_static_options;

enum { DAL_STATIC_DIRECTIONS = 6 };

/* A direction of motion that the constraints allow, by the velocities that take part most: "rod.omega.z" or
 * "a.omega.z, b.omega.z (-0.62)", the others as parts of the largest. */
typedef struct dal_static_direction {
    double stiffness; /* d^T K d for |d| = 1 (ST.4) */
    char name[128];
} dal_static_direction;

typedef struct dal_static_report {
    int converged;
    dal_static_method method; /* the one that led there */
    int iterations;           /* linear systems solved */
    double residual;          /* largest |g + B^T lambda| */
    double relative;          /* the same as a part of the loads (ST.2) */
    double position_residual; /* largest |Phi|, of all rows */
    double moved;             /* distance on the group from the guess */
    int redundant;            /* constraint rows that depend on others: lambda is the shortest */
    int stable;               /* 1: all directions are stiff, or stiff and indifferent; 0: some are not */
    int held; /* states and integrals (MB.18) that stability takes as held: the closed loop may be unstable all the same */
    int symmetric;               /* 0: forces without potential; stability then is that of the symmetric part of K */
    int nnegative, nindifferent; /* directions in which it gives way; directions without stiffness or load */
    int complete;                /* these counts are complete; 0: a large system, there may be more */
    dal_static_direction negative[DAL_STATIC_DIRECTIONS], indifferent[DAL_STATIC_DIRECTIONS]; /* the first of them */
    dal_static_direction lowest; /* the softest direction that is neither; stiffness NaN: there is none */
} dal_static_report;

/* Find the equilibrium at time t near q (nq), which becomes it. v (nv, may be NULL) becomes zero, but for states (MB.18),
 * which begin at the values given there and end where they are at rest. la (nc, may be NULL) receives the multipliers, with
 * redundant rows those of least norm. data: of the simulation this is for, which then remembers the turns of angles on the
 * way; NULL: data of its own. options and report may be NULL.
 * DAL_NOCONV: there is none, or none was found; the message names the direction in which the system would move and the
 * force that is not balanced there, or the joints that stay open. q is then where the search ended. */
DAL_API dal_status dal_static_solve_(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *q, double *v,
                                     double *la, dal_static_report *report, double t, const dal_static_options *options,
                                     size_t size) DAL_NODISCARD;

/* The angular velocity of the body that turns fastest and a place on its axis; 0: none turns. */
DAL_API int dal_static_turning(double turning[3], double centre[3], const dal_system *sys, const double *q,
                               const double *v);

/* ---- a path over a parameter ------------------------------------------------------------------ */

typedef enum dal_path_kind {
    DAL_PATH_POINT,      /* one of the points of the path */
    DAL_PATH_LIMIT,      /* between two of them: the parameter turns back */
    DAL_PATH_BIFURCATION /* a stiffness vanishes while the parameter goes on: another path crosses */
} dal_path_kind;
DAL_API const char *dal_path_kind_name(dal_path_kind kind); /* "point", "limit", "bifurcation" */

typedef struct dal_path_point {
    dal_path_kind kind;
    double parameter, arc;    /* arc: length of the path so far, in units of its displacements and of the range */
    const double *q, *v, *la; /* v is zero but for states */
    const dal_static_report *report;
} dal_path_point;

/* Zero-initialise; from and to differ, and set is needed. */
typedef struct dal_path_spec {
    double from, to; /* the range of the parameter; the path may leave it before it comes to `to` */
    int steps;       /* the first step is this part of the range; 0: 20 */
    int points;      /* after so many it ends; 0: 400 */
    int control;     /* 1 + number of the velocity whose displacement grows steadily; 0: the length of the path does */
    unsigned until;  /* 1 << kind for each at which it ends */
    double t;        /* time at which all else is taken */
    dal_status (*set)(double parameter, void *user);              /* sets the numbers of the data */
    dal_status (*visit)(const dal_path_point *point, void *user); /* may be NULL */
    void *user;
} dal_path_spec;

typedef struct dal_path_info {
    int reached; /* the path came to `to` */
    int points, iterations;
    double parameter; /* where it ended */
} dal_path_info;

/* Follow equilibria from that at `from`, near q, through limit points; q becomes the last one. v (may be NULL): values of states.
 * info may be NULL. DAL_NOCONV: there is no equilibrium at `from`, or the path cannot be followed. */
DAL_API dal_status dal_static_path_(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *q, double *v,
                                    dal_path_info *info, const dal_path_spec *spec, size_t size) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
