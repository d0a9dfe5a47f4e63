/* Evaluation of a dal_system by the solvers: counts calls, turns a bad value into a message that names it,
 * and replaces missing tangents by differences. Holds scratch memory; evaluating allocates nothing. */
#ifndef DAL_SYSTEM_EVAL_H
#define DAL_SYSTEM_EVAL_H

#include "base/memory.h"
#include "system/data.h"

typedef struct dal_eval {
    dal_ctx *ctx;
    const dal_system *sys;
    dal_data *data; /* of the simulation: shared by all who evaluate for it */
    dal_data *own;  /* the same, where it was created here; NULL: it belongs to someone else */
    const dal_group *G;
    int nq, nv, nc;   /* coordinates, velocities, constraint rows */
    int nh;           /* holonomic rows */
    int nlaws;        /* laws: the last rows */
    int iterates;     /* accelerations are no linear matter: lambda acts in g or in laws */
    double length;    /* typical of the system, and */
    double *unit;     /* nv: displacements that count as large, see dal_system.units */
    double *per_unit; /* nv: 1/unit */
    int *row0;        /* nconstraints + 1: first row of each constraint block */
    unsigned missing; /* tangents to be differenced */
    int differences;  /* scratch for differences is there */
    long nresiduals;
    int watched; /* explicit methods sum up the exchange of energy at their stages */
    /* scratch for the differences */
    double *q, *theta, *x;      /* perturbed coordinates, increment, perturbed v or lambda */
    double *fp, *fm;            /* values at the two sides (max(nv, nc)) */
    double *columns, *columns2; /* max(nv, nc) x max block */
    double *block;              /* one extracted block */
    double *captured;           /* B, link after link */
    int *captured0;             /* nlinks + 1 */
    dal_arena arena;
} dal_eval;

/* data: of the simulation this is for, must outlive it; NULL: data of its own. */
dal_status dal_eval_create(dal_eval **out, dal_ctx *ctx, const dal_system *sys, dal_data *data) DAL_NODISCARD;
void dal_eval_destroy(dal_eval *ev);

/* Ask the system for its units, as at creation: its numbers may have changed since. */
void dal_eval_units(dal_eval *ev);

/* As dal_system's callbacks, with the checks. The message of a failure names the value and the time; what the system kept
 * from earlier calls is dropped then. */
dal_status dal_eval_residual(dal_eval *ev, const dal_residual *out, const dal_point *at) DAL_NODISCARD;
/* The same without a look at the values, for callers who look themselves and then ask dal_eval_residual for the message. */
dal_status dal_eval_residual_unchecked(dal_eval *ev, const dal_residual *out, const dal_point *at) DAL_NODISCARD;
dal_status dal_eval_tangent(dal_eval *ev, dal_sink *sink, const dal_point *at) DAL_NODISCARD;

/* What accelerations and multipliers have to satisfy, all of (IN.4): r, then the acceleration level, laws in their rows; nv + nc. */
dal_status dal_eval_acceleration(dal_eval *ev, double *x, const dal_point *at) DAL_NODISCARD;

/* Is this a block of equations of positions? */
static inline int dal_holds_positions(const dal_constraint *c)
{
    return c->kind != DAL_ROWS_VELOCITY && c->kind != DAL_ROWS_LAW;
}

/* Names for messages: the system's own, or "row 3", "v[4]". */
void dal_eval_row_name(const dal_eval *ev, char *buffer, size_t size, int row);
/* Several rows in one line: "a, b, c and 5 more". */
void dal_eval_row_names(const dal_eval *ev, char *buffer, size_t size, const int *row, int n);
void dal_eval_velocity_name(const dal_eval *ev, char *buffer, size_t size, int index);
/* The velocities that take part most in a direction d (nv), with their part of the largest and its sign relative to it: "a.omega.z, b.x (-0.62)". */
void dal_eval_direction_name(const dal_eval *ev, char *buffer, size_t size, const double *d);
/* Are the coordinates at q closer to singular than `limit`? Then the text says which, else it is empty. */
int dal_eval_coordinates_fail(const dal_eval *ev, char *buffer, size_t size, const double *q, double limit);

#endif
