/* The inside of a model: what the builder collects, what it is compiled to, and the tables of element types.
 *
 * dal_model is the builder and, once compiled, constant: simulations share it. mb_instance is the model as one
 * simulation has it: copies of the elements, whose numbers may be changed for this simulation alone, the states of the
 * bodies, and scratch. Everything that is evaluated is evaluated on an instance.
 *
 * Elements see every body through its frame: position x and rotation R, and variations (dx in world axes, dtheta in
 * body axes), the description R^3 x SO(3). A body in other coordinates maps its velocity by y = S(q) v, (MB.2); the
 * evaluation applies S to what the elements produce, so an element is written once. */
#ifndef DAL_MBS_IMPL_H
#define DAL_MBS_IMPL_H

#include <math.h>

#include "base/memory.h"
#include "dalembert/mbs.h"
#include "mbs/element_impl.h"
#include "mbs/keys.h"
#include "mbs/lift.h"
#include "mbs/pairing_kernel.h"
#include "mbs/row_impl.h"

typedef struct mb_body mb_body;
typedef struct mb_constraint mb_constraint;

/* ---- bodies ----------------------------------------------------------------------------------- */

enum { MB_NV = 7 }; /* most velocities of a rigid body */

/* What the coordinates of a body are, for the code generator. */
typedef enum mb_chart {
    MB_CHART_OTHER,
    MB_CHART_R3SO3,
    MB_CHART_SE3,
    MB_CHART_EULER,
    MB_CHART_TEXTBOOK,
    MB_CHART_CARDAN,
    MB_CHART_VECTOR,
    MB_CHART_POINT,
    MB_CHART_PLANAR,
    MB_CHART_PLANAR_SE2,
    MB_CHART_NODE /* none of its own: it moves with a flexible body, whose frame is r3so3 */
} mb_chart;

typedef struct mb_body_type {
    const char *name;
    mb_chart chart;
    dal_element_type about; /* text and keys */
    dal_factor_kind kind;
    int n, nq, nv; /* n for R^n */
    int identity;  /* S = I */
    int constant;  /* S does not depend on q */
    int rotates;   /* 0: point */
    int planar;
    const char *velocity[MB_NV]; /* names of the velocities */
    void (*initial)(double *q, double *v, const mb_body *b, const dal_body *d);
    void (*state)(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd);
    /* Not identity: S, and where `all` the other three, at the state that the body has. */
    void (*lift)(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all);
    mb_map map;    /* form of S */
    int body_axes; /* S = diag(R, I): the mass matrix S^T M6 S is constant */
    void (*curvature)(double *N, const mb_body *b, const double *q, const double f[6]); /* d(S^T f)/dq, nv x nv */
    void (*update)(mb_body *b, const double *q,
                   const double *v);                      /* what it keeps beside the state of its frame; NULL */
    const mb_element_type *element;                       /* its inertia, and the diagonal blocks of its frame */
    dal_status (*build)(dal_model *m, int body);          /* rows between its own coordinates; NULL: none */
    double (*regular)(const mb_body *b, const double *q); /* |det S|: 0 in gimbal lock; NULL: regular everywhere */
    /* The rotation with a sign that does not jump, any length, up to less than a right angle. NULL: it does not turn. */
    void (*quaternion)(double p[4], const mb_body *b, const double *q);
} mb_body_type;

typedef struct mb_flex mb_flex;
typedef struct mb_flex_state mb_flex_state;

struct mb_body {
    const mb_body_type *type;
    int number;       /* its own */
    int unit;         /* number of the body that owns the coordinates: itself, or for a node its flexible body */
    int factor, q, v; /* -1 for the ground */
    int nfactors;     /* of the unit: 2 with modes, (frame, modes), then (factor, factor) stands for four pairs */
    int nv;           /* velocities that move this frame: those of the first factor, of a node the modal ones too */
    int pair;         /* (factor, factor) */
    mb_flex *flex;    /* of a flexible body, owned by that of the model; of its nodes the same */
    int node;         /* which interface node */
    double m, mc[3];  /* mass, mass times centre of mass */
    double J[9];      /* inertia about the origin of the body frame, body axes */
    double M0[36];    /* [m I, -mc~; mc~, J]: the mass matrix in body axes, and in all if the body is centred */
    int centred;      /* centre of mass at the origin */
    int axis[3];      /* cardan */
    char sequence[4]; /* the same as given; "": not given */
    /* of an instance only */
    mb_state *state;     /* motion of its frame */
    mb_flex_state *bent; /* of a flexible body and its nodes */
    double *r6;          /* where the equations of motion of the frame are summed up */
    double own6[6];
    mb_lift *lift;
    double *K, *C; /* 6x6: d r6/dq and d r6/dv from everything that acts on this body alone */
    double *M;     /* and d r6/dy' of elements with mass between frames; NULL: there are none in the model */
};

extern const mb_body_type mb_body_r3so3, mb_body_se3, mb_body_euler, mb_body_textbook, mb_body_cardan, mb_body_vector,
    mb_body_point, mb_body_planar, mb_body_planar_se2, mb_body_flexible, mb_body_node;
const mb_body_type *mb_body_type_find(dal_ctx *ctx, const char *name, const char *body);
/* Mass properties and initial values are sound. before: what it was, which has been warned of; NULL: a new one. */
dal_status mb_body_check(dal_ctx *ctx, const dal_body *d, const mb_body_type *type,
                         const dal_body *before) DAL_NODISCARD;
/* mass, centre of mass and the inertia about the origin: J + m (c.c I - c c^T) */
void mb_body_numbers(mb_body *b, const dal_body *d);
/* A description with its rotation normalised. */
dal_body mb_pose_of(const dal_body *d);
/* Of a callback. */
dal_status mb_check_parameters(dal_ctx *ctx, const char *what, const char *name, const double *x, int n) DAL_NODISCARD;
/* A frame in the world as one of a body with this pose (mbs/pose.h). */
void mb_frame_at(dal_frame *frame, const double pose[7], const dal_frame *world);
/* Description of a body, its rotation a unit quaternion. */
dal_body mb_initial_pose(const dal_model *m, int body);
/* "xyz" to {0, 1, 2}; 0 unless the text is three letters, none equal to its neighbour. */
int mb_sequence(int axis[3], const char *text);

/* q + 3 of bodies that have a quaternion there. */
void mb_quaternion_in_q(double p[4], const mb_body *b, const double *q);

/* Inertia and weight, (MB.4): the mass matrix, written, and the tangents, added. */
void mb_inertia_mass(double M[36], const mb_body *b, const mb_state *s);
void mb_inertia_tangent(double *C, double *K, const mb_body *b, const mb_state *s, const double gravity[3]);

/* ---- frames and pairs of frames --------------------------------------------------------------- */

typedef struct mb_marker {
    int body;
    double a[3], A[9]; /* origin and axes in body axes */
} mb_marker;

enum { MB_AXES_A = 1, MB_AXES_B = 2 };
/* level 0: positions, 1: velocities, 2: accelerations. axes: which frames' axes are needed. */
void mb_pairing_at(mb_pairing *P, const mb_state *state, const mb_marker marker[2], int level, unsigned axes);

/* ---- descriptions ----------------------------------------------------------------------------- */

typedef struct mb_joint mb_joint;

/* What descriptions are read against: messages go to ctx, names and types are those of the model, and the joints that
 * others refer to are those of the builder or of one simulation. */
typedef struct mb_scope {
    dal_ctx *ctx;
    const dal_model *of;
    const mb_joint *joint;
} mb_scope;

mb_scope mb_scope_of_model(const dal_model *m);

mb_marker mb_marker_of(int body, const dal_frame *frame);
dal_status mb_check_frame(dal_ctx *ctx, const char *what, const char *name, const dal_frame *frame) DAL_NODISCARD;
/* Bodies exist and differ. */
dal_status mb_check_bodies(const mb_scope *s, const char *what, const char *name, int a, int b) DAL_NODISCARD;
/* Coordinate and frames of a joint that another element refers to, and its number. */
dal_status mb_joint_reference(const mb_scope *s, dal_coordinate *coordinate, int *axis, mb_marker marker[2],
                              int *number, const char *what, const char *name, const char *joint) DAL_NODISCARD;

/* ---- constraints ------------------------------------------------------------------------------ */

extern const mb_element_type mb_constraint_joint, mb_constraint_spherical, mb_constraint_gear, mb_constraint_norm,
    mb_constraint_pfaffian, mb_constraint_integral, mb_constraint_gap, mb_constraint_sliding, mb_constraint_slide;

enum { MB_ROWS = 6, MB_SIDES = 6 };
typedef struct mb_gear mb_gear;

/* One block of rows. A joint has two sides, A and B; others up to six. */
struct mb_constraint {
    const mb_element_type *type;
    int block, row0, nrows, nonholonomic;
    int joint; /* number of the joint it came from; -1: none */
    int force; /* of the force whose own coordinate it governs; -1: none */
    int link_integral;
    int nsides, coupled;
    int body[MB_SIDES], link[MB_SIDES]; /* -1: ground */
    int pair[MB_SIDES][MB_SIDES];       /* -1: not coupled */
    int contact;                        /* number of the contact it belongs to, from 1; 0: none */
    int gap; /* of a contact: -1: it is the gap; else these rows are its sliding velocity, and this the block of the gap,
                    INT_MAX: there is none */
    const mb_slide *slide; /* along a beam; its links to nodes are there */
    int npoint, nscalar;
    unsigned axes;       /* which frames' axes are needed */
    int rotational;      /* the scalar rows depend on rotations only */
    mb_marker marker[2]; /* A, B */
    mb_row row[MB_ROWS]; /* scalar rows, after npoint rows p_B - p_A (world axes) */
};

/* What a type of joint says about its rows. */
typedef struct mb_joint_row {
    const mb_row_type *type;
    int i, j;
} mb_joint_row;

typedef struct mb_joint_type {
    const char *name;
    dal_element_type about;    /* text, place and keys */
    mb_joint_row row[MB_ROWS]; /* after npoint rows; ended by type NULL */
    int npoint;
    int nrows;                 /* where `build` makes them; 0: the description says */
    dal_coordinate coordinate; /* natural coordinate */
    int axis;
    int force_rows;     /* the first rows are a force in orthonormal axes: their norm is the reaction force */
    int bearing;        /* it holds all but turning about and sliding along z */
    int free_bodies;    /* bodies are not body_a and body_b */
    int unilateral;     /* its rows hold while they are closed */
    const char *planar; /* type to use instead on planar bodies, which do not move in all its directions; or NULL */
    const mb_row_type *contact; /* the row that knows the contact point; NULL: there is none */
    /* What the joint exerts on its side `side`, at the origin of the body frame, world axes; NULL: from its rows. */
    void (*wrench)(double f[6], const mb_constraint *c, mb_instance *m, const dal_point *at, int side);
    int (*finite)(const mb_constraint *c, mb_instance *m, const dal_point *at); /* what a callback gives; or NULL */
    /* Is the description sound? What follows from it alone goes into j. */
    dal_status (*check)(const mb_scope *s, mb_joint *j, const dal_joint *d);
    dal_status (*build)(dal_model *m, int joint); /* instead of the list of rows: which rows there are */
    /* The numbers in these rows, with the bodies at their initial places. NULL: there are none. */
    dal_status (*numbers)(mb_instance *m, int joint);
} mb_joint_type;

/* The row of a gear: (sum of ratio_k c_k over nterms coordinates - constant) modulo period. First those of its n joints;
 * then, where their wheels have teeth, two that are zero: the displacements of the wheels in their bearings along the
 * tangent at the pitch point. They carry the tooth force, (MB.19). */
enum { MB_TERMS = 4 };
struct mb_gear {
    int n, nterms;
    int carrier[2]; /* teeth: which side of the joint is the body that carries both wheels */
    mb_marker marker[MB_TERMS][2];
    mb_row row[MB_TERMS];
    double ratio[MB_TERMS], constant, period;
};

/* A joint as described, with its own copies of everything. */
struct mb_joint {
    const mb_joint_type *type;
    dal_joint d; /* texts are not kept */
    mb_marker marker[2];
    int first, count; /* constraints */
    mb_gear gear;
    int bodies[MB_SIDES];   /* pfaffian */
    int refers[3];          /* motion, gear: to joints whose frames these are; -1: to none */
    int switching, grabs;   /* where an event switches it, in the memory, 0: none does; it may be closed anywhere */
    struct mb_curve *curve; /* contact, of a simulation */
};

/* Read a description into a joint that has its type. */
dal_status mb_joint_read(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
const mb_joint_type *mb_joint_type_find(dal_ctx *ctx, const dal_joint *d);
/* Number of rows that a joint of the description will have. */
int mb_joint_row_count(const dal_model *m, int joint);
/* Rows of a joint to the list of constraints. */
dal_status mb_joint_build(dal_model *m, int joint) DAL_NODISCARD;
/* The numbers in these rows. */
dal_status mb_joint_numbers(mb_instance *m, int joint) DAL_NODISCARD;
dal_status mb_gear_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_gear_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_gear_numbers(mb_instance *m, int joint) DAL_NODISCARD;
/* Has it teeth that push on bearings? What number_teeth takes. */
int mb_gear_teeth(const mb_gear *G, double x[11], int sign[2]);
dal_status mb_pfaffian_build(dal_model *m, int joint) DAL_NODISCARD;
int mb_pfaffian_finite(const mb_constraint *c, mb_instance *m, const dal_point *at);
void mb_pfaffian_wrench(double f[6], const mb_constraint *c, mb_instance *m, const dal_point *at, int side);

/* ---- forces ----------------------------------------------------------------------------------- */

/* An angle whose turns are counted. Where a force has several, number k is at its memory + 2 k. */
typedef struct mb_turning {
    const mb_marker *marker;
    mb_row row;
    int matters; /* 0: it need not be an angle, or nothing depends on it */
} mb_turning;

/* What `vector` is. */
typedef enum mb_load { MB_LOAD_NONE, MB_LOAD_FORCE, MB_LOAD_TORQUE } mb_load;

struct mb_recall;
typedef struct mb_force_type {
    const char *name;
    dal_element_type about; /* text, place and keys */
    mb_load load;
    int alone;       /* acts on B alone: A is the ground */
    int coordinates; /* acts along a coordinate */
    int lambda;      /* depends on the reaction of a joint */
    int inputs;      /* has inputs */
    int prescribed;  /* its value is its function of time */
    int state;       /* exerts nothing, but has a state of its own */
    int bodiless;    /* exerts nothing, but has a history of so many numbers, where `keep` keeps final states */
    int history, wrench_kernel; /* the latter: which of wrench_kernel.h; 0: none */
    void (*keep)(const mb_force *f, mb_instance *m, const dal_point *at, dal_moment moment);
    int own;              /* number of coordinates of its own; its check may change that of a force */
    int diagonal;         /* which have a diagonal block in the equations of motion */
    const char *own_name; /* what they are called */
    int turns;            /* the turns of its coordinate are counted, where that is an angle */
    dal_coordinate coordinate;
    dal_status (*check)(const mb_scope *s, mb_force *f, const dal_force *d); /* as of joints; NULL: all is well */
    unsigned (*turns_of)(const mb_force *f); /* sides whose axes or rotation it needs, its coordinate apart */
    void (*remember)(const mb_force *f, mb_instance *m,
                     double t); /* at final states: its memory (MB_MEETING_MEMORY), and what may not be */
    /* Derivatives of what is remembered (recall.h); NULL: there is nothing. */
    void (*recalled)(struct mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at);
    void (*renewed)(struct mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at, dal_moment moment);
    int (*remembers)(const mb_force *f, int slot);                /* has number slot of its memory derivatives? */
    dal_status (*build)(dal_model *m, int force);                 /* rows of its own; NULL: none */
    void (*start)(double *v0, const mb_force *f, mb_instance *m); /* initial velocities of its own coordinates */
    mb_element_type element;
    double (*value)(const mb_force *f, mb_instance *m, const dal_point *at);
    /* Has it a kink at this point? Slopes, as its tangent uses them, become the mean of those on both sides. NULL: never. */
    dal_kink (*kink)(double *slope, const mb_force *f, mb_instance *m, const dal_point *at);
    /* Other angles of which it counts the turns, k = 0, 1, ...; 0: there is no such number. */
    int (*angles)(mb_turning *a, const mb_force *f, int k);
    /* Force and torque on B at its frame, world axes, for pictures. NULL: nothing to be shown. */
    void (*wrench)(double w[6], const mb_force *f, mb_instance *m, const dal_point *at);
} mb_force_type;

/* All types: the build finds their definitions, `const mb_force_type mb_force_NAME = {`, in the files force_*.c. */
enum { MB_FORCE_TYPES_MAX = 100 };
extern const mb_force_type *const mb_force_types[];
extern const int mb_nforce_types;

/* An input of a law. */
typedef struct mb_input {
    mb_marker marker[2];
    mb_row row;
    int rate;
    int joint;              /* whose frames these are; -1: none */
    const char *state_name; /* NULL: it is no state */
    int state;              /* number of that force; -1: none */
    int reaction;           /* joint whose reaction it is (reaction.c); -1: none */
    int component;          /* of its force, then of its torque; -1: the multiplier of its only row */
    int nblocks;            /* compiled: how many blocks of rows of the joint it is read from; 1 or 2 */
    int link[2][2];         /* of those blocks with the bodies of the force, or the state; -1: none */
    int pair[2]
            [2]; /* (body of the force, body of the input); of a state as input (.., state), of a state (state, ..) */
} mb_input;

struct mb_force {
    const mb_force_type *type;
    dal_force d; /* texts are not kept */
    mb_marker marker[2];
    mb_row row;
    int pair[2];          /* (A, B), (B, A) */
    int joint, switching; /* -1: none; as of joints */
    int memory;           /* of its first angle whose turns are counted, the others follow; 0: none */
    int history;          /* delay: where it is in the memory */
    /* pid, state, tyre: the factor R of the integral (-1: none), where it is, and how the bodies depend on it */
    int factor, q, v;
    int own; /* how many coordinates of its own it has */
    int pair_integral[2];
    int pair_own, pair_reads[2]; /* state, tyre: (factor, factor); tyre: (factor, body) */
    /* law, state: d.ninputs inputs, and their descriptions, whose texts are those of the model */
    mb_input *input;
    dal_input *given;
    struct mb_curve *curve; /* contact, of a simulation */
};

/* Read a description into a force that has its type and room for its inputs. */
dal_status mb_force_read(const mb_scope *s, mb_force *f, const dal_force *d) DAL_NODISCARD;
const mb_force_type *mb_force_type_find(dal_ctx *ctx, const dal_force *d);

/* ---- the model -------------------------------------------------------------------------------- */

typedef struct mb_output_type mb_output_type;
typedef struct mb_events mb_events;
typedef struct mb_output {
    const mb_output_type *type;
    dal_output d;
    mb_marker marker;
    int joint, force, beam;
    double place; /* on the beam */
    int side;     /* of a pfaffian joint */
    int all;      /* numbers of the quantity; the output has them all, or only */
    int part;     /* this one; -1: all */
    int axis[3];  /* sequence of Euler angles */
    mb_row row;
    int first, n;
    int memory;  /* of a quantity that is an integral over time: where integral and rate are in the memory; 0: none */
    int turning; /* of a rotation that is continued: where its value and its rate, 3 each, are in the memory; 0: none */
} mb_output;

/* Room for the blocks of one body or of two: X, Y, W 6 x nv, B, Z 12 x nv, the others nv x nv, nv the most velocities of
 * a body. part: the share of two factors. */
typedef struct mb_scratch {
    double *X, *Y, *W, *B, *Z, *M, *C, *K, *N, *part[3];
} mb_scratch;

typedef struct mb_shape {
    int body;
    dal_shape shape; /* owns its points and its mesh */
} mb_shape;

typedef struct mb_trail {
    int body;
    double point[3];
} mb_trail;

void mb_shapes_release(dal_model *m);

struct dal_model {
    dal_pool pool; /* has this, the names and what elements own */
    dal_ctx *ctx;  /* of the builder; simulations have their own */
    double gravity[3];
    double t_end; /* how long it will be run; 0: not known */
    dal_system_input *input;
    int ninputs;
    dal_input_setter set_inputs;
    void *inputs_user;
    /* as described */
    mb_names body_names, joint_names, force_names, function_names, output_names, beam_names;
    int body_capacity, desc_capacity, joint_capacity, force_capacity, function_capacity, output_capacity;
    dal_body *body_desc; /* 0: ground */
    mb_joint *joint;
    mb_function *function; /* 0: none */
    mb_output *output;     /* those of output_names, then inputs of events */
    mb_events *events;     /* NULL: none */
    int noutput_values;
    int nmemory; /* numbers a simulation remembers */
    mb_shape *shape;
    mb_trail *trail;
    struct mb_crowd *crowd; /* contact groups */
    int nshapes, shape_capacity, ntrails, trail_capacity, ncrowds, crowd_capacity;
    mb_beam *beam; /* beams, their elements, their loads per length */
    mb_span *span;
    mb_line_load *line;
    int beam_capacity, nspans, span_capacity, nlines, line_capacity;
    /* compiled; bodies and forces are kept in this form from the start */
    int compiled;
    mb_body *body;
    mb_force *force;
    int nconstraints, constraint_capacity, ncontacts;
    mb_constraint *constraint;
    dal_contact *contact; /* ncontacts */
    dal_group *group;
    dal_system system;
    dal_constraint *block;
    dal_pair *pair;
    dal_link *link;
    int nv, nc, nlifted, ncurved; /* bodies with S != I; with S that depends on q */
    int nv_lifted, ndiagonal;     /* velocities of the former; pairs of factors of one body */
    int most;                     /* most velocities of a body, modes included */
    int *lifted, *shares;         /* bodies with S != I; by factor, of dal_system */
    double *q0, *v0;
    dal_arena structure; /* block, pair, link */
    dal_arena arena;     /* lifted, q0, v0 */
};

/* ---- the model of one simulation -------------------------------------------------------------- */

struct mb_instance {
    dal_ctx *ctx;
    const dal_model *of;
    dal_status st; /* of the evaluation: see MB_FAIL */
    double gravity[3];
    int changed;     /* numbers were set: they are not those of the model */
    int unsettled;   /* and what follows from several elements is not up to date: see mb_settled */
    double *q0, *v0; /* initial values */
    /* copies; numbers 0 of bodies and functions are the ground and none */
    int nbodies, njoints, nforces, nconstraints, noutputs;
    mb_body *body;
    dal_body *desc; /* of the bodies, as given */
    mb_joint *joint;
    mb_force *force;
    mb_constraint *constraint;
    mb_function *function;
    mb_output *output; /* noutputs, then inputs of events, with their values in seen_inputs */
    struct mb_event *event;
    double *seen_inputs, *r_impulse;
    int *remembers, nremembers; /* outputs with a memory */
    double *table;              /* scratch for splines */
    /* what is evaluated: bodies, forces and states, rows */
    mb_element *element;
    int nelements, first_force, first_rows;
    int nv, nc, nlifted, ncurved;
    const int *lifted;
    mb_state *state; /* of the bodies */
    int seen;        /* they belong to the coordinates and velocities kept here: see mb_states */
    int ends_alone;  /* histories have the ends of steps alone */
    double *seen_q, *seen_v, *seen_vd;
    /* whether r6 of the bodies is that of this point, with these t and lambda: see mb_tangent */
    int summed;
    double summed_t, *summed_la;
    int bare;       /* DAL_WANT_BARE: no friction of contacts */
    double *r;      /* scratch for the equations of motion */
    double *rows;   /* scratch for the three levels of all rows */
    double *memory; /* what a run remembers: see MB_MEMORY */
    /* Adaptive steps: the stretch of time that the motion goes through now is smooth, from smooth.from to smooth.to. What is
     * evaluated at its ends belongs to its inside: see mb_smooth_time. valid = 0: not known. */
    struct {
        int valid;
        double from, to, first, last;
    } smooth;
    mb_scratch scratch;
    struct mb_crowd_work *crowd;
    dal_arena arena;
};
/* The memory: whether a run has started, the times of the last final state and of the one before; then MB_SUM_SIZE
 * numbers of each output that is an integral, angle and rate of each angle whose turns are counted. */
enum { MB_MEMORY_STARTED, MB_MEMORY_TIME, MB_MEMORY_BEFORE, MB_MEMORY };
/* Of an integral: its value at the last final state and at the one before; between them, h times the first and second
 * Legendre coefficients of its rate; by how much it jumped at the last final state; of the step at hand the integral of the
 * rate and its first two moments. */
enum {
    MB_SUM,
    MB_SUM_BEFORE,
    MB_SUM_SLOPE,
    MB_SUM_CURVE,
    MB_SUM_JUMP,
    MB_SUM_MOMENTS,
    MB_SUM_SIZE = MB_SUM_MOMENTS + 3
};

/* Note a failure while elements are evaluated; the first one counts, and is what the callback returns. */
#define MB_FAIL(m, status, ...) \
    ((void)((m)->st = (m)->st == DAL_OK ? dal_fail((m)->ctx, status, __VA_ARGS__) : (m)->st))

/* Are the turns of an angle counted: has a run started? */
static inline int mb_counting(const mb_instance *m, const mb_row *r)
{
    return r->memory > 0 && m->memory && m->memory[MB_MEMORY_STARTED] != 0.0;
}

#include "mbs/switch_impl.h"

dal_status mb_instance_create(mb_instance **out, dal_ctx *ctx, double *memory, const dal_model *of) DAL_NODISCARD;
void mb_instance_destroy(mb_instance *m);
/* Restore the numbers of the model. */
void mb_instance_restore(mb_instance *m);
/* What follows from the numbers of several elements: frames taken from joints, initial values, constants of rows that
 * come from initial places; and whether the bodies can take what is attached to them. */
dal_status mb_settle(mb_instance *m) DAL_NODISCARD;
/* Call this before an instance is evaluated. */
static inline dal_status mb_settled(mb_instance *m)
{
    return m->unsettled ? mb_settle(m) : DAL_OK;
}
/* If no data is given, create some; *own must be destroyed after use (NULL if data was given). */
dal_status mb_data_or_own(dal_data **own, const dal_model *m, dal_data **data) DAL_NODISCARD;
/* The instance in the data of a simulation of this model. */
dal_status mb_instance_of(mb_instance **out, const dal_model *m, dal_data *data) DAL_NODISCARD;

/* Tangents of the frames to the sink, through S. */
void mb_push_link(const mb_instance *m, dal_sink *sink, int body, int link, const double *B6, const double *Z6,
                  int nrows);
/* Column of C and K of a coordinate without body: S^T C6, S^T K6; NULL: zero */
void mb_push_column(const mb_instance *m, dal_sink *sink, int body, int pair, const double *C6, const double *K6);
/* Row of C and K of a coordinate without body: K = K6 S + C6 V, C = C6 S */
void mb_push_row(const mb_instance *m, dal_sink *sink, int body, int pair, const double C6[6], const double K6[6]);
/* Derivatives of a number that follows from the place, the velocity and the acceleration of a body, with respect to q, v, v' (nv each,
 * one after the other): rows to which it is added. */
void mb_add_row(const mb_instance *m, double *row, int body, const double K6[6], const double C6[6],
                const double A6[6]);
/* The same of all velocities of a flexible body. */
void mb_push_square(const mb_instance *m, dal_sink *sink, int i, const double *M, const double *C, const double *K);
/* The diagonal block of a body with S != I, (MB.3): N is d(S^T r6)/dq for r6 that stays. M6 NULL: no inertia. */
void mb_push_lifted(const mb_instance *m, int i, dal_sink *sink, const double *M6, const double *q);
void mb_push_force(const mb_instance *m, dal_sink *sink, int body, int link, const double *G6, int nrows);
/* Block (i, j) of two bodies: i = j is summed up, others are pushed. C6 or K6 may be NULL. */
void mb_add_pair(mb_instance *m, dal_sink *sink, int i, int j, int pair, const double *C6, const double *K6);
/* The same of M6, d r6 of frame i / d y' of frame j, of an element whose type says `mass`. */
void mb_add_mass(mb_instance *m, dal_sink *sink, int i, int j, int pair, const double *M6);

/* States of all bodies; the maps S of those in other coordinates and their derivatives. */
void mb_lift_all(mb_instance *m, const dal_point *at);
void mb_states(mb_instance *m, const dal_point *at);
double mb_kinetic_energy(const mb_instance *m, double t);
double mb_potential_energy(mb_instance *m, double t);
/* Power of the forces that a block of rows exerts on the bodies. */
double mb_rows_power(const mb_constraint *c, mb_instance *m, const dal_point *at);

/* Bodies as elements: with S = I, with another S, flexible, interface nodes; and what their functions share. */
void mb_body_mass(double M6[36], const mb_body *b); /* += mass of elements between frames */
void mb_body_kinetic(double *T, const void *body, const mb_instance *m);
void mb_body_weight(double *V, const void *body, mb_instance *m, double t);
void mb_body_sums(mb_sums *sum, const mb_body *b, const double *p_own, const double *L_own);
extern const mb_element_type mb_element_rigid, mb_element_lifted, mb_element_flexible, mb_element_node;
/* Block of rows of a model. */
dal_status mb_add_constraint(dal_model *m, const mb_constraint *c) DAL_NODISCARD;
int mb_norm_ok(const double *x, int n); /* all finite */
/* Append a complete body whose name has been checked. */
dal_status mb_append_body(dal_model *m, int *number, const mb_body *b, const dal_body *d) DAL_NODISCARD;
/* Initial values are finite, the rotation has length one. */
dal_status mb_check_pose(dal_ctx *ctx, const dal_body *d, const mb_body_type *type) DAL_NODISCARD;

#endif
