/* dalembert/modes.h - small motions about a state of rest or a steady motion: eigenvalues and mode shapes of the constrained
 * system (docs/theory/modes.md, labels MO.*).
 *
 *     dal_modal_create -> dal_modal_info, dal_modal_mode, dal_modal_shape -> dal_modal_destroy
 *
 * Damping, gyroscopic terms, nonholonomic rows and forces that depend on the reactions take part. Time is held: where
 * forces or constraints depend on it, the answer is that of the instant, and `steady` says so. */
#ifndef DALEMBERT_MODES_H
#define DALEMBERT_MODES_H

#include "dalembert/integrate.h"
#include "dalembert/mbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In which axes perturbations are taken; about a state of rest they are all the same. */
typedef enum dal_axes {
    DAL_AXES_AUTO,    /* those in which the coefficients are constant, in this order */
    DAL_AXES_WORLD,   /* axes that do not turn */
    DAL_AXES_TURNING, /* axes that turn with a constant angular velocity, found from the motion */
    DAL_AXES_BODY     /* axes of each body */
} dal_axes;

/* What kind of motion the state belongs to. */
typedef enum dal_steadiness {
    DAL_STEADINESS_AT_REST, /* an equilibrium */
    DAL_STEADINESS_STEADY,  /* a motion along which the coefficients are constant in the axes given */
    DAL_STEADINESS_FROZEN, /* neither: the coefficients are those of the instant, eigenvalues say little about the motion */
    DAL_STEADINESS_FLOQUET /* a motion with a period: eigenvalues are its Floquet exponents, im up to multiples of 2 pi/period */
} dal_steadiness;

typedef enum dal_modal_solver {
    DAL_MODAL_AUTO,  /* dense up to 600 velocities */
    DAL_MODAL_DENSE, /* all eigenvalues, by LAPACK */
    DAL_MODAL_SPARSE /* those of least magnitude, by shift and invert; about a state of rest. Up to 20 velocities: dense */
} dal_modal_solver;

/* Zero-initialise; n = 0 means 20. */
typedef struct dal_modal_options {
    int n; /* number of modes wanted beside the rigid ones, of which at most as many are given */
    dal_modal_solver solver;
    dal_axes axes;
    double
        period; /* > 0: where the motion is not steady it has this period (checked); Floquet exponents are found then */
} dal_modal_options;

/* A mode: an eigenvalue re + i im with im >= 0, standing for the conjugate as well where im > 0. */
typedef struct dal_mode {
    double re, im;    /* rad/s: growth, and angular frequency */
    double frequency; /* im/(2 pi), Hz */
    double damping;   /* -re/|s|; 0 for s = 0 */
    int rigid;        /* s = 0: a displacement that nothing opposes */
    double error;     /* of a Floquet exponent: bound of what it may be off by, 1/s; else 0 */
} dal_mode;

typedef struct dal_modal_info {
    int n;  /* modes found */
    int nv; /* velocities: size of shapes */
    int positions,
        velocities;   /* size of the state: degrees of freedom of positions, and of velocities with the states of
                                  first order; nonholonomic rows take away from the latter only */
    int rigid, zeros; /* modes with s = 0, and the multiplicity of that eigenvalue */
    int unstable;     /* modes with growth among those found */
    int redundant;    /* rows that depend on others, but for those of contacts */
    int sparse;       /* found by shift and invert */
    dal_steadiness steady;
    dal_axes axes;       /* WORLD, TURNING or BODY */
    double turning[3];   /* angular velocity of the axes, world */
    double drift;        /* relative change of the coefficients between two instants in these axes */
    double acceleration; /* largest |v'| that is not due to turning axes: zero at rest and in steady motion */
    double period;       /* of Floquet exponents; 0: there are none */
    double highest;      /* largest |s| of the system, rad/s; an estimate if sparse */
    double error;        /* of Floquet exponents: how much those that matter change from half as many steps, 1/s */
    int steps;           /* of Floquet exponents: steps of the period */
    int states;          /* states of first order, x' = f: one eigenvalue each, no degree of freedom */
} dal_modal_info;

typedef struct dal_modal dal_modal;

/* At a point of a consistent motion: q, v, v' and lambda as dal_sim_point gives them after dal_sim_start. data: of the
 * simulation (dal_sim_data), or NULL. options NULL: defaults. Modes are sorted by |s|. */
DAL_API dal_status dal_modal_create_(dal_modal **modal, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                     const dal_point *at, const dal_modal_options *options, size_t size) DAL_NODISCARD;
/* Floquet exponents of a motion whose period is not known: it is looked for within t_end from the point on, by a simulation with the steps
 * of `run`. DAL_ECHECK: the motion does not repeat itself by then. The period of the options does not count. */
DAL_API dal_status dal_modal_create_periodic_(dal_modal **modal, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                              const dal_point *at, const dal_modal_options *options,
                                              const dal_options *run, double t_end, size_t size) DAL_NODISCARD;
DAL_API void dal_modal_destroy(dal_modal *modal); /* NULL is fine */
DAL_API dal_modal_info dal_modal_about(const dal_modal *modal);
DAL_API dal_mode dal_modal_mode(const dal_modal *modal, int k);
/* The shape of a mode: 2 nv numbers, real parts and then imaginary parts of the change d of q (q o exp(d)), the largest one
 * of magnitude 1 and real. A state of first order has no part in it. Where a mode moves nothing, the change of the velocities
 * and states. */
DAL_API const double *dal_modal_shape(const dal_modal *modal, int k);
/* Shares of the velocities in d^H M d: nv numbers whose sum is 1. Those of states of first order are zero, unless they alone
 * take part. */
DAL_API const double *dal_modal_shares(const dal_modal *modal, int k);
/* Modal assurance criterion of two shapes of nv velocities, |a^H b|^2/(a^H a b^H b): 1 for equal shapes. */
DAL_API double dal_modal_assurance(const double *a, const double *b, int nv);
/* Which mode of `a` became which of `b`, by shapes and eigenvalues: match[j] is the number in `a` of mode j of `b`, -1: none.
 * assurance (may be NULL): how alike the shapes are. Both have as many numbers as `b` has modes. */
DAL_API dal_status dal_modal_match(int *match, double *assurance, const dal_modal *a, const dal_modal *b) DAL_NODISCARD;

/* The growth of a mode, 0 where it is nothing but rounding; number of eigenvalues that grow, pairs counting twice. */
DAL_API double dal_mode_growth(dal_mode mode);
DAL_API int dal_modal_growing(const dal_modal *modal);

/* ---- over a parameter ------------------------------------------------------------------------- */

/* Modes at the value p of the parameter, to be made with the context of dal_campbell_create, which destroys them. i: index of the value,
 * -1: one in between. */
typedef dal_status (*dal_campbell_modes)(dal_modal **modal, double p, int i, void *user);

typedef struct dal_campbell_spec {
    int n;
    const double *p; /* n values, in order; they must outlive the object, and so must the orders */
    int norders;
    const double *order; /* lines of critical speeds: multiples of the parameter */
    double unit;         /* rad/s of one unit of the parameter */
    dal_campbell_modes modes;
    void *user;
} dal_campbell_spec;

/* Where a mode meets an order line (order > 0), or its growth changes sign (order = 0). */
typedef struct dal_crossing {
    double p, frequency;
    int track;
    double order;
} dal_crossing;

typedef struct dal_campbell_info {
    int ntracks, ncrossings;
    const dal_crossing *crossing; /* in the order of the values */
} dal_campbell_info;

typedef struct dal_campbell dal_campbell;

/* Modes over a parameter: they are followed by their shapes, through crossings, with values put in between where shapes change much;
 * critical speeds and limits of stability are located. A mode that is followed is a track. A failure of `modes` at one of the values ends
 * it; in between it only costs the crossing. */
DAL_API dal_status dal_campbell_create_(dal_campbell **c, dal_ctx *ctx, const dal_campbell_spec *spec,
                                        size_t size) DAL_NODISCARD;
DAL_API void dal_campbell_destroy(dal_campbell *c); /* NULL is fine */
DAL_API dal_campbell_info dal_campbell_about(const dal_campbell *c);
DAL_API const dal_modal *dal_campbell_modal(const dal_campbell *c, int i); /* at value i */
DAL_API int dal_campbell_mode(const dal_campbell *c, int i, int track); /* its mode at value i; -1: it is not there */
/* A branch at all values (n of the spec), NaN where it is not there: eigenvalue, frequency, that of a mode that swings, growth that is no
 * rounding. */
typedef enum dal_branch_number {
    DAL_BRANCH_RE,
    DAL_BRANCH_IM,
    DAL_BRANCH_FREQUENCY,
    DAL_BRANCH_SWING,
    DAL_BRANCH_GROWTH,
    DAL_BRANCH_NUMBERS
} dal_branch_number;

DAL_API void dal_campbell_branch(const dal_campbell *c, double *x, int track, dal_branch_number what);
DAL_API double dal_campbell_growth(const dal_campbell *c,
                                   int i); /* the largest of all branches at value i; 0: there is none */

/* ---- shapes ----------------------------------------------------------------------------------- */

enum { DAL_SHAPE_TEXT = 256 };

/* Translation and rotation, real and imaginary part of each. */
typedef struct dal_motion {
    double translation[2][3], rotation[2][3];
} dal_motion;

/* A mode as people see it: how each body and each joint moves, and who takes part. */
typedef struct dal_mode_shape {
    int nbodies, njoints;
    const dal_motion *body;  /* from 1 on, world axes; of frames, interface nodes included */
    const dal_motion *joint; /* frame B as seen from frame A, axes of A */
    const int *framed;       /* has the joint frames? */
    const double *share;     /* of each body, from 1 on: part of the sum 1 */
    const double *bending;   /* the part of it that deforms a flexible body */
    int whirl;               /* of a body that spins: 1 it goes round as it spins, -1 against it, 0 neither */
    const char *text;        /* in words: "82 % rod, turning about z; hinge about z" */
} dal_mode_shape;

typedef struct dal_shapes dal_shapes;

/* Shapes of the modes of a compiled model about a state. Model, system, data and what `at` points to must outlive it. */
DAL_API dal_status dal_shapes_create(dal_shapes **shapes, dal_ctx *ctx, const dal_model *model, const dal_system *sys,
                                     dal_data *data, const dal_point *at) DAL_NODISCARD;
DAL_API void dal_shapes_destroy(dal_shapes *shapes); /* NULL is fine */
/* That of mode k; it is valid until the next one. */
DAL_API dal_status dal_shapes_mode(dal_shapes *shapes, dal_mode_shape *shape, const dal_modal *modal,
                                   int k) DAL_NODISCARD;
/* The body that turns fastest in the state, 0: none turns; its speed [rad/s]. */
DAL_API int dal_shapes_spinner(const dal_shapes *shapes, double *spin);
/* Is this velocity a state of first order? Its name, "filter.state". */
DAL_API int dal_shapes_state(const dal_shapes *shapes, char name[DAL_SHAPE_TEXT], int index);

#ifdef __cplusplus
}
#endif
#endif
