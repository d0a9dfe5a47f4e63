/* dalembert/mbs.h - models of bodies, joints and forces, compiled to a dal_system (docs/theory/mbs.md, labels MB.*).
 *
 *     dal_model_create -> dal_model_add_* -> dal_model_compile -> dal_sim_create(..., system, ...)
 *
 * Descriptions are plain structs: zero-initialise, fill in what differs from zero. Elements have names (unique
 * within bodies, joints, forces, functions and outputs). Bodies and functions are referred to by the number that
 * adding them returned: body 0 is the ground, function 0 is none. SI units, angles in radians.
 *
 * Joints and forces act between a frame A on body_a and a frame B on body_b and read "B as seen from A": the
 * difference of points is d = p_B - p_A, a coordinate is the displacement of B. So the multiplier of a row of
 * Phi = p_B - p_A is minus the force that A exerts on B; outputs give forces and torques with their physical sign. */
#ifndef DALEMBERT_MBS_H
#define DALEMBERT_MBS_H

#include "dalembert/beam.h"
#include "dalembert/flexible.h"
#include "dalembert/shape.h"
#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_model dal_model;
typedef struct dal_functions dal_functions; /* of a simulation: what laws call */

enum { DAL_GROUND = 0, DAL_NO_FUNCTION = 0 };

/* Numbers that a simulation has for a callback of its own (dal_data_set_*). */
enum { DAL_PARAMETERS_MAX = 16 };

/* A frame fixed in a body: origin and axes in the axes of the body. rotation maps frame axes to body axes
 * (unit quaternion, scalar first); all zero means the identity. */
typedef struct dal_frame {
    double position[3];
    double rotation[4];
} dal_frame;

/* The frame at a point with its z axis along `axis` and its x axis as close as possible to `x_hint` (NULL: any). */
DAL_API dal_frame dal_frame_on_axis(const double point[3], const double axis[3], const double *x_hint);

DAL_API dal_status dal_model_create(dal_model **model, dal_ctx *ctx) DAL_NODISCARD;
DAL_API void dal_model_destroy(dal_model *model); /* NULL is fine */

/* Weight acts on all bodies that have mass. Zero until set. */
DAL_API dal_status dal_model_set_gravity(dal_model *model, const double gravity[3]) DAL_NODISCARD;
/* Inputs of the model: n numbers that dal_sim_set_input sets while a simulation runs; copied. `set` gives a simulation what follows
 * from the values of all of them, by dal_data_set_force and the like. Models from files do this by themselves ("inputs"). */
typedef dal_status (*dal_input_setter)(dal_data *data, const double *u, void *user);
DAL_API dal_status dal_model_set_inputs(dal_model *model, const dal_system_input *input, int n, dal_input_setter set,
                                        void *user) DAL_NODISCARD;
DAL_API int dal_model_input_count(const dal_model *model);
DAL_API dal_system_input dal_model_input(const dal_model *model, int k); /* name NULL: there is none */
DAL_API void dal_model_gravity(const dal_model *model, double gravity[3]);

/* ---- bodies ----------------------------------------------------------------------------------- */

/* type: "r3so3" (default), "se3", "euler_parameters", "euler_parameters_textbook", "cardan", "rotation_vector", "point", "planar", "planar_se2". The type decides
 * which coordinates the system has, not which motion is described: elements do not know it.
 * A point has mass and position only; planar bodies move in the world's x-y plane and turn about z. What a body cannot
 * take is refused by dal_model_compile: lever arms, axes and torques on a point, and on planar bodies gravity, loads and
 * rows that act out of their plane alone. mass = 0 and inertia = 0 describe a massless frame, which joints must carry. */
typedef struct dal_body {
    const char *name;
    const char *type;           /* NULL: "r3so3" */
    double mass;                /* kg */
    double inertia[6];          /* about the centre of mass, body axes: xx, yy, zz, xy, xz, yz */
    double com[3];              /* centre of mass in the body frame */
    const char *sequence;       /* "cardan": axes of the three rotations, e.g. "xyz" (default), "xzy", "zxz" */
    double position[3];         /* initial: origin of the body frame, world axes */
    double rotation[4];         /* initial: body to world; all zero means the identity */
    double velocity[3];         /* initial: of the origin, world axes */
    double angular_velocity[3]; /* initial: body axes */
    int given; /* DAL_GIVEN_*: velocities that are given although they are zero; others that are zero are completed */
} dal_body;

/* Initial velocities that are given. Those that are not zero always are. */
enum { DAL_GIVEN_VELOCITY = 1, DAL_GIVEN_ANGULAR_VELOCITY = 2, DAL_GIVEN_MODAL_VELOCITY = 4 };

DAL_API dal_status dal_model_add_body_(dal_model *model, int *number, const dal_body *body, size_t size) DAL_NODISCARD;

DAL_API dal_status dal_model_add_flexible_(dal_model *model, int *number, const dal_flexible *body,
                                           size_t size) DAL_NODISCARD;
/* Number of modal coordinates of a body, and where they are in q and v of the compiled model. */
DAL_API int dal_model_modes(const dal_model *model, int *q, int *v, int body);

/* ---- beams ------------------------------------------------------------------------------------ */

/* How an end of a beam is joined. */
typedef enum dal_beam_join {
    DAL_BEAM_FREE,
    DAL_BEAM_RIGID,  /* fixed to the body */
    DAL_BEAM_HINGED, /* by a revolute joint, called as its node is, "rod@0" */
    DAL_BEAM_BALL    /* by a spherical one */
} dal_beam_join;

/* A geometrically exact beam: large displacements and rotations, small strains (BM.*). Its nodes are bodies of type r3so3, called
 * "blade@0.25" by their place as a part of the length, with axis x along the beam; each has the mass of its share. */
typedef struct dal_exact_beam {
    const char *name;
    const dal_curve *curve;     /* as it is without load */
    const dal_section *section; /* nsections at equal distances, linear between; 1: the same everywhere */
    int nsections;
    int elements;         /* 0: 8 */
    int order;            /* 2 to 8: order + 1 nodes an element; 1: two nodes, constant strain; 0: 4 */
    int fourth_order;     /* two nodes: the section law of order four (BM.18) */
    int consistent;       /* consistent mass (BM.30), (BM.32), for frequencies at small strains */
    const double *places; /* [nplaces places, parts of the length, where a node must be] */
    int nplaces;
    dal_beam_join joined[2]; /* start and end: how they are joined to a body, as they are at the start */
    int body[2];             /* which one */
    double axis[2][3];       /* of a hinge, world axes */
    double velocity[3], angular_velocity[3]; /* initial: of its start, and of the whole, both in world axes */
    int given;                               /* as in dal_body */
    const dal_beam_load *load;
    int nloads;
    const dal_beam_slide *slide;
    int nslides;
    const double
        *outline; /* how pages draw it: noutline corners (y, z) of each section, one after the other; NULL: not */
    int noutline;
} dal_exact_beam;

DAL_API dal_status dal_model_add_beam_(dal_model *model, int *number, const dal_exact_beam *beam,
                                       size_t size) DAL_NODISCARD;
DAL_API int dal_model_beam_count(const dal_model *model);
DAL_API int dal_model_find_beam(const dal_model *model, const char *name); /* -1: there is none */
typedef struct dal_beam_info {
    const char *name; /* NULL: there is no such number */
    int elements, order, nodes;
    double length;
} dal_beam_info;
DAL_API dal_beam_info dal_model_beam_info(const dal_model *model, int number);
/* The body of node 0, 1, ... of a beam and its place (may be NULL); an end may be one of the ground (0). -1: there is none. */
DAL_API int dal_model_beam_node(const dal_model *model, double *place, int number, int node);
/* Position and quaternion of the section frame of a node in the frame of its body: all zero but for the 1 unless it is an end. */
DAL_API dal_status dal_model_beam_frame(const dal_model *model, double frame[7], int number, int node) DAL_NODISCARD;
/* Corners of its outline at a place, two numbers each (yz may be NULL); how many there are. */
DAL_API int dal_model_beam_outline(const dal_model *model, double *yz, int number, double place);
/* Anywhere along a beam, in section axes: strain and what the part behind exerts on the part before. */
typedef struct dal_beam_state {
    double position[3], rotation[4], strain[6], force[6];
} dal_beam_state;
DAL_API dal_status dal_model_beam_at(const dal_model *model, dal_data *data, dal_beam_state *state, const dal_point *at,
                                     int number, double place) DAL_NODISCARD;
/* The same at all its nodes. */
DAL_API dal_status dal_model_beam_states(const dal_model *model, dal_data *data, dal_beam_state *state,
                                         const dal_point *at, int number) DAL_NODISCARD;

/* ---- functions -------------------------------------------------------------------------------- */

/* Between the points of a table. */
typedef enum dal_interpolation {
    DAL_INTERPOLATION_CUBIC,    /* natural cubic spline, continued along straight lines */
    DAL_INTERPOLATION_LINEAR,   /* straight lines, the outer ones continued */
    DAL_INTERPOLATION_PERIODIC, /* cubic spline that repeats itself; the last value is the first */
    DAL_INTERPOLATION_CONSTANT  /* y[i] from x[i] on: steps end where it jumps */
} dal_interpolation;

/* A function of one variable (time, or the elongation of a spring) with two derivatives.
 *   constant    c[0]
 *   harmonic    c[0] + c[1] sin(c[2] x + c[3])
 *   polynomial  c[0] + c[1] x + ... + c[n-1] x^(n-1)
 *   step        from c[0] at x = c[2] to c[1] at x = c[3], twice continuously differentiable
 *   ramp        c[0] for x <= c[2], c[1] for x >= c[3], linear between
 *   table       through (x[i], y[i]), i < n, see interpolation
 *   map         of two variables: c has nx x, ny y, then z at each (x, y), y first; cubic or linear; for calls (dal_functions_value2)
 *   sum         f[0] + f[1] + ... (nf functions); product f[0] f[1] ...
 *   user        callback, which may have n coefficients c */
typedef struct dal_function {
    const char *name;
    const char *type;
    const double *c;     /* n coefficients */
    const double *x, *y; /* n points of a table */
    dal_interpolation interpolation;
    const int *f; /* nf numbers of functions added before */
    int n, nf;
    /* Value, first and second derivative; DAL_OK, DAL_RETRY (out of range, a smaller step may help) or a negative status. */
    dal_status (*call)(double y[3], double x, void *user);
    dal_status (*call_with)(double y[3], double x, const double *c, void *user); /* instead of it */
    void *user;
    /* user, optional: the first argument after x where value, slope or curvature jump; infinity: none. Adaptive steps end there. */
    double (*next_break)(double x, const double *c, void *user);
    /* user: instead of these, where it calls the functions f (dal_functions_value) */
    dal_status (*calling)(double y[3], double x, const double *c, const dal_functions *functions, void *user);
    double (*calling_break)(double x, const double *c, const dal_functions *functions, void *user);
    int nx, ny; /* map: n = nx + ny + nx ny */
} dal_function;

/* Functions within functions: how deep they may be, and how many one value may take. */
enum { DAL_FUNCTION_DEPTH = 64, DAL_FUNCTION_EVALUATIONS = 10000 };

DAL_API dal_status dal_model_add_function_(dal_model *model, int *number, const dal_function *function,
                                           size_t size) DAL_NODISCARD;
DAL_API dal_status dal_model_function_value(const dal_model *model, double y[3], int number, double x);

/* How long the model will be run, if that is known. Compiling then warns of the first jump of value or rate of each motion with its
 * time; otherwise it names motions that have one somewhere, as far as their functions tell. */
DAL_API dal_status dal_model_set_end(dal_model *model, double t_end) DAL_NODISCARD;

/* ---- joints ----------------------------------------------------------------------------------- */

/* A coordinate of frame B relative to frame A: length |d|; translation d . axis of A; rotation about an axis (x, y,
 * z = 0, 1, 2) of A, the angle by which the next axis of B has turned. Simulations count its turns from the start on, where
 * it is nearest to the reference or function of the element, or to zero, (MB.16). */
typedef enum dal_coordinate {
    DAL_COORDINATE_DEFAULT, /* that of the joint referred to, or of the type of the element */
    DAL_COORDINATE_LENGTH,
    DAL_COORDINATE_TRANSLATION,
    DAL_COORDINATE_ROTATION
} dal_coordinate;

/* Rows of a generic joint: bits of `locked`. */
enum { DAL_LOCK_X = 1, DAL_LOCK_Y = 2, DAL_LOCK_Z = 4, DAL_LOCK_RX = 8, DAL_LOCK_RY = 16, DAL_LOCK_RZ = 32 };

/* General rows A(q,t) v + b(q,t) = 0 between bodies, of the velocities (x' in world, Omega in body axes) of their frames: A is
 * nrows x 6n column-major, b has nrows. x: 3n positions, R: 9n rotation matrices. functions: those of the model (events.h). */
typedef dal_status (*dal_pfaffian)(double *A, double *b, double t, const double *x, const double *R,
                                   const dal_functions *functions, void *user);
/* The first time after t at which a callback with these parameters jumps or has a kink because of the time alone; infinity:
 * there is none. Adaptive steps end there. */
typedef double (*dal_law_break)(double t, const double *parameter, void *user);
typedef double (*dal_calling_break)(double t, const double *parameter, const dal_functions *functions, void *user);
/* The derivatives of A and b along d: 1 + 6n numbers, the rate of t and then x' and Omega of each body. */
typedef dal_status (*dal_pfaffian_along)(double *A, double *b, double t, const double *x, const double *R,
                                         const double *d, const dal_functions *functions, void *user);

/* type                 frees or holds, in the axes of frame A
 *   spherical           p_B = p_A                                                     3 rows
 *   revolute            and z_B = z_A                                                 5
 *   universal           p_B = p_A, x_A normal to y_B                                  4
 *   prismatic           slides along z_A                                              5
 *   cylindrical         slides along and turns about z_A                              4
 *   planar              p_B in the x-y plane of A, z_B = z_A                          3
 *   fixed                                                                             6
 *   screw               cylindrical, displacement = pitch/(2 pi) angle                5
 *   distance            |d| = length (0: the initial one)                             1
 *   point_on_line       p_B on the z axis of A                                        2
 *   point_on_plane      p_B in the x-y plane of A                                     1
 *   orientation         axes of B = axes of A                                         3
 *   parallel_axes       z_B = z_A                                                     2
 *   generic             what `locked` says
 *   planar_revolute     x and y of p_B = p_A (world)                                  2
 *   planar_prismatic    slides along x_A, does not turn (bodies in the x-y plane)     2
 *   planar_fixed        planar_revolute, and does not turn about z                    3
 *   motion              coordinate = function(t)                                      1
 *   gear                ratio[0] c_1 + ratio[1] c_2 (+ ratio_3 c_3) = const, of joints joint_1, joint_2, joint_3   1
 *   rolling_disk        disk of `radius` at frame B with axis z_B on the x-y plane of A   1 + 2 velocity rows
 *   rolling_sphere      likewise a sphere around p_B                                  1 + 2
 *   wheel               the velocity rows of rolling_disk alone                       2
 *   knife_edge          p_B does not move along y_B (relative to A)                   1
 *   pfaffian            nrows rows from a callback, on the nbodies bodies `bodies`
 * unilateral (docs/user/contact.md): rows that hold while closed
 *   contact             `shape` of B and shape_a of A, or its x-y plane, do not enter each other; with mu they have friction
 *   sphere_contact      spheres of radius_a and radius around p_A and p_B, or B inside a hollow A
 *   rope                |d| <= length
 *   limit               limits[0] <= coordinate <= limits[1]
 *   clutch, ratchet     the coordinate only grows; it goes back to the last of its teeth at most, `pitch` apart
 *   brake               dry friction along a coordinate, at most `limit`                          */
typedef struct dal_joint {
    const char *name;
    const char *type;
    int body_a, body_b;
    dal_frame frame_a, frame_b;
    double length, pitch, radius;
    unsigned locked;
    dal_coordinate coordinate; /* motion */
    int axis;
    int function;                  /* motion */
    const char *joint;             /* motion: take bodies and frames from this joint */
    const char *joint_1, *joint_2; /* gear */
    int axis_1, axis_2;            /* gear: with coordinate_*, where a joint has more than one coordinate */
    dal_coordinate coordinate_1, coordinate_2;
    double ratio[2];
    dal_pfaffian rows;
    dal_pfaffian_along rows_along;        /* NULL: by differences */
    double parameter[DAL_PARAMETERS_MAX]; /* pfaffian: nparameters numbers, for the callbacks behind the positions x */
    int nparameters;
    int torques_only; /* gear: no tooth forces on the bearings */
    void *user;
    const int *bodies;
    int nbodies, nrows;
    double
        release; /* > 0: open from this time on, without rows; a run starts anew there. 0: never; < 0: from the start */
    /* gear: a third joint and its factor, or NULL */
    const char *joint_3;
    int axis_3;
    dal_coordinate coordinate_3;
    double ratio_3;
    dal_calling_break rows_break; /* pfaffian, optional */
    /* contacts */
    int shape;       /* contact: 0 sphere (radius 0: point), 1 disk, 2 capsule, 3 box, 4 cylinder, 5 mesh, 6 curve */
    int hollow;      /* sphere_contact: A is hollow, B inside */
    double size[3];  /* edges of a box */
    double radius_a; /* sphere_contact */
    double restitution, mu, mu_s;  /* Newton's restitution; friction that slides, that sticks (0: mu) */
    double limits[2], limit;       /* limit; brake */
    int shape_a, curve_x, curve_y; /* contact: 0 plane, 1 sphere, 2 capsule, 3 box, 4 cylinder; functions of a curve */
    double length_a, size_a[3], curve_range[2]; /* of the shape of A; of the parameter, both 0: from 0 to 1 */
} dal_joint;

DAL_API dal_status dal_model_add_joint_(dal_model *model, int *number, const dal_joint *joint,
                                        size_t size) DAL_NODISCARD;

/* A frame of a body from a place in the world, at its initial pose. */
DAL_API dal_status dal_model_frame_at(const dal_model *model, dal_frame *frame, int body,
                                      const dal_frame *world) DAL_NODISCARD;

/* ---- forces ----------------------------------------------------------------------------------- */

/* An input of a force of type law: a coordinate of frame B relative to frame A, as above; `rate`: its rate of change;
 * `spin`: the angular velocity of B relative to A about axis `axis` of A instead. `joint`: all this from a joint. */
typedef struct dal_input {
    int body_a, body_b;
    dal_frame frame_a, frame_b;
    const char *joint;
    dal_coordinate coordinate;
    int axis, rate, spin;
    const char *state; /* the value of this state instead; it may be added later */
    /* The reaction of this joint instead, what A exerts on B at the origin of its frame: component `axis` of its force, world axes, or of
     * its torque where `coordinate` is DAL_COORDINATE_ROTATION; axis -1: along the coordinate of its only row. It enters through the
     * multipliers, exactly. */
    const char *reaction;
} dal_input;

enum { DAL_INPUTS_MAX = 16 };

/* The value F of a force, or the rate of a state, from the time and its inputs x; g (may be NULL) receives the derivatives with respect to these.
 * DAL_OK, DAL_RETRY (out of range, a smaller step may help) or a negative status. Simulations in several threads call it
 * at the same time. */
typedef dal_status (*dal_law)(double *F, double *g, double t, const double *x, void *user);
/* The same for laws that call functions of the model (events.h). */
typedef dal_status (*dal_calling_law)(double *F, double *g, double t, const double *x, const dal_functions *functions,
                                      void *user);

/* type
 *   force       vector (times function(t), if any) on body_b at frame B, in world axes, or those of B if `follower`
 *   torque      the same as a torque
 *   spring      F = stiffness e + cubic e^3 + characteristic(e) + damping e' against the elongation
 *               e = coordinate - reference(t); coordinate: length (default), translation or rotation
 *   bushing     six such springs: translations along, rotations about the axes of A (stiffness6, damping6)
 *   actuator    function(t) along a coordinate (positive: increases it)
 *   pd          the actuator -stiffness (c - f(t)) - damping (c' - f'(t)); reference = function
 *   pid         the same and -integral times the integral of c - f from the start on
 *   law         law(t, inputs) along a coordinate (positive: increases it); the inputs may be of any bodies
 *   state       no force but a state x: x' = law(t, inputs), x = initial at the start; an input of laws and states
 *   delay       no force but what law(t, inputs) was `time` ago, as an input (dal_input.state) of laws, states and delays
 *   cartesian   stiffness6[k] (d_k - vector[k]) + damping6[k] d_k' against d = p_B - p_A along the axes of the world
 *   drag        -(damping + quadratic |v|) v at the origin of frame B, v its velocity relative to the ground
 *   friction    -mu radius N tanh(c'/slip) along the coordinate of `joint`; N = |reaction force| of that joint
 *   contact     shapes press each other apart: F = stiffness delta^exponent (1 + D delta'/v), (CT.16)
 *   tyre        a wheel with axle z_B on the x-y plane of A: pressed by a spring, forces from slip, (WH.1)
 *   rail        a cone around z_B on a cylinder along x_A: creep forces of the linear theory, (WH.5)
 *   mesh, belt  teeth of two wheels around z_A and z_B, with stiffness, backlash and pressure angle, (WH.7); a toothed belt
 *   rack        teeth along x_A, pointing along y_A to a pinion around z_B, likewise
 *   armature    -inertia c'' along a coordinate: a rotor that turns with it, and with nothing else
 * `joint`: take bodies, frames and coordinate from a joint. */
typedef struct dal_force {
    const char *name;
    const char *type;
    int body_a, body_b;
    dal_frame frame_a, frame_b;
    const char *joint;
    dal_coordinate coordinate;
    int axis;
    double vector[3];
    int follower;
    int function, characteristic, nparameters; /* the last: numbers in parameter */
    double stiffness, cubic, damping, quadratic;
    double reference; /* of a spring without function: coordinate at rest */
    double stiffness6[6], damping6[6];
    double mu, radius, slip, curve_range[2]; /* friction; radius 0 means 1 (sliding); contact */
    double integral, initial, inertia;       /* pid; state; armature */
    /* contact: shapes as of a dal_joint; exponent 0: 1.5, restitution 0: 1 */
    int shape, shape_a;
    double size[3], size_a[3], length, length_a, radius_a, exponent, restitution, least_speed, bristle, bristle_damping;
    dal_law law;                          /* law, state; with its inputs (copied) */
    double parameter[DAL_PARAMETERS_MAX]; /* law, state: nparameters numbers, for the callback behind the inputs x */
    void *user;
    const dal_input *inputs;
    int ninputs;
    int switched;                /* active for from <= t < to only; a run ends a step and starts anew at these times */
    double from, to;             /* [may be infinite] */
    dal_law_break law_break;     /* law, state, optional */
    dal_calling_law calling_law; /* instead of law and law_break */
    dal_calling_break calling_break;
    double time; /* delay */
    /* tyre: law 0 linear, 1 brush, 2 magic; rail: creep coefficients; mesh. angle: of rollers; of the cone; pressure angle */
    int tyre, rollers, internal, curve_x, curve_y;
    double slip_stiffness[2], half_length, shape_factor, curvature, angle, creep[4], teeth, backlash, tension,
        camber_stiffness, relaxation_length;
} dal_force;

DAL_API dal_status dal_model_add_force_(dal_model *model, int *number, const dal_force *force,
                                        size_t size) DAL_NODISCARD;

/* ---- outputs ---------------------------------------------------------------------------------- */

/* quantity (n values)
 *   of a body, at frame `frame` of it:   position (3), quaternion (4), matrix (9, row after row), rotation_vector (3),
 *       euler_angles (3, components z, y, x of the sequence zyx, z1, x, z2 of zxz; during a run these two go on without jumps, over any number of turns), velocity (3), acceleration (3), angular_velocity (3),
 *       angular_acceleration (3); the last four in world axes, or body axes if body_axes
 *   of a flexible body: modal_coordinates, modal_velocities (as many as it has modes)
 *   of a place on a beam, in section axes: section_force, section_moment (3, what the part behind it exerts), strain (3: extension
 *       and shears), curvature (3: its change)
 *   of a joint:  coordinate, coordinate_velocity, coordinate_acceleration (1), force, torque (3, on B at the origin of frame B, world axes or
 *       axes of body B if body_axes; of a pfaffian joint on its body `body`, 0: the last one, at the origin of its frame),
 *       multipliers, residual, residual_velocity, residual_acceleration (rows of the joint), contact_point (3, of
 *       rolling_disk, rolling_sphere and wheel)
 *   of a contact, sphere_contact, rope, limit, clutch or brake, one value for each of its contacts: gap, slip (the sliding speed),
 *       p_n, p_t (normal force and friction), case (0 open, 1 slides, 2 sticks), impulse (normal impulses of all impacts so far);
 *       of all its contacts: slip_path (1), stick_time (1: none slides, one sticks at least), integrals over time
 *   of a state:  state (1), force_value (1: its rate)
 *   of a force:  force_value (1: tension of a spring; force along the coordinate of actuator, pd, friction)
 *   of a joint or a force: power (1: of what it exerts on the bodies), work (1: its integral)
 *   of the model: kinetic_energy, potential_energy, energy (1), momentum, angular_momentum (3, about the origin),
 *       centre_of_mass (3), dissipated_energy (1: by dampers, drag and friction), drive_work (1: of actuators, control,
 *       prescribed motions, moving ends of springs and loads that have no potential, and what switching adds to V)
 * work, dissipated_energy and drive_work are integrals over time, see dal_model_outputs; (MB.14):
 * energy + dissipated_energy - drive_work is constant.
 * component: only one of the n values, by its name as of dal_model_output_component. */
typedef struct dal_output {
    const char *name;
    const char *quantity;
    int body;
    dal_frame frame;
    const char *joint, *force;
    dal_coordinate coordinate;
    int axis;
    int body_axes;
    const char *sequence;
    const char *component; /* NULL: all */
    const char *beam;      /* "blade@0.7", any place */
} dal_output;

typedef struct dal_output_info {
    const char *name;
    const char *unit; /* "m", "rad/s", "N m", "1"; "" where its numbers have different ones */
    int first, n;     /* where its numbers are in the values of dal_model_outputs */
    int integral;     /* over time: see dal_model_outputs */
} dal_output_info;

DAL_API dal_status dal_model_add_output_(dal_model *model, int *number, const dal_output *output,
                                         size_t size) DAL_NODISCARD;
DAL_API int dal_model_output_count(const dal_model *model);
DAL_API int dal_model_output_size(const dal_model *model);                         /* of all outputs together */
DAL_API dal_output_info dal_model_output_info(const dal_model *model, int number); /* 0 .. count - 1 */
/* What value k of an output is called: "x", "y", "z"; "w", "x", "y", "z" of a quaternion; row and column of a matrix, "11",
 * "21", ...; otherwise "1", "2", ...; "" where there is but one. */
DAL_API void dal_model_output_component(const dal_model *model, char *buffer, size_t size, int number, int k);
/* All outputs of a compiled model at a point; values has dal_model_output_size numbers. data: dal_sim_data of the simulation that got
 * there; it allocates nothing then. NULL: as of a simulation that has not started. Outputs that are integrals over time are summed up
 * by the simulation from its start on, as accurately as it gives the motion; they are part of its snapshots. */
DAL_API dal_status dal_model_outputs(const dal_model *model, dal_data *data, double *values,
                                     const dal_point *at) DAL_NODISCARD;

/* ---- looks and descriptions -------------------------------------------------------------------- */

/* A shape of a body (of the ground: 0), for pictures; copied. Mass properties from shapes: dal_shape_mass_add, before. */
DAL_API dal_status dal_model_add_shape_(dal_model *model, int body, const dal_shape *shape, size_t size) DAL_NODISCARD;
DAL_API int dal_model_shape_count(const dal_model *model);
DAL_API const dal_shape *dal_model_shape(const dal_model *model, int *body, int number); /* NULL: no such number */

/* A point of a body, in its frame, whose path pictures show. */
DAL_API dal_status dal_model_add_trail(dal_model *model, int body, const double point[3]) DAL_NODISCARD;
DAL_API int dal_model_trail_count(const dal_model *model);
DAL_API int dal_model_trail(const dal_model *model, double point[3], int number); /* its body; 0: no such number */

/* Descriptions of elements as they stand in the model: names and types are its texts, bodies, frames and the coordinate of a force
 * are those the element acts on, wherever they were taken from; other texts and lists are NULL. */
DAL_API dal_status dal_model_body_info_(const dal_model *model, dal_body *info, int number, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_model_joint_info_(const dal_model *model, dal_joint *info, int number,
                                         size_t size) DAL_NODISCARD;
DAL_API dal_status dal_model_force_info_(const dal_model *model, dal_force *info, int number,
                                         size_t size) DAL_NODISCARD;

/* The nodes of a flexible body in its frame; all zero for other bodies. */
typedef struct dal_flexible_nodes {
    int n, nmodes;
    const double *node;  /* 3 per node */
    const double *shape; /* 3 x nmodes per node */
    int ntriangles;
    const int *triangle; /* 3 nodes each: the surface; two of them the same: an edge */
} dal_flexible_nodes;
DAL_API dal_flexible_nodes dal_model_flexible_nodes(const dal_model *model, int body);

/* Is the law, the state or the characteristic of a force smooth at a point, in each input and in the elongation? Where its slope
 * jumps, analyses have the mean of the derivatives on both sides; where its value jumps, there is no linear model. */
typedef enum dal_kink { DAL_KINK_NONE, DAL_KINK_SLOPE, DAL_KINK_JUMP } dal_kink;
DAL_API dal_status dal_model_kink(const dal_model *model, dal_data *data, dal_kink *kink, const dal_point *at,
                                  int force) DAL_NODISCARD;

/* Where everything is at a point of a compiled model: pose has 7 numbers for each body from 1 on (position, unit quaternion),
 * interface nodes of flexible bodies included. */
DAL_API dal_status dal_model_poses(const dal_model *model, dal_data *data, double *pose,
                                   const dal_point *at) DAL_NODISCARD;
/* Force and torque (6 numbers, world axes) that each joint exerts on B at the origin of frame B, then those of each force
 * of type force or torque on its body; zero for elements without frames. */
DAL_API dal_status dal_model_wrenches(const dal_model *model, dal_data *data, double *wrench,
                                      const dal_point *at) DAL_NODISCARD;

/* ---- compiling -------------------------------------------------------------------------------- */

/* By name, -1 if there is none. */
DAL_API int dal_model_find_body(const dal_model *model, const char *name);
DAL_API int dal_model_find_joint(const dal_model *model, const char *name);
DAL_API int dal_model_find_force(const dal_model *model, const char *name);
DAL_API int dal_model_find_function(const dal_model *model, const char *name);

/* And the other way round; NULL: no such number. Bodies count from the ground (0), joints and forces from 0, functions from 1. */
DAL_API const char *dal_model_body_name(const dal_model *model, int number);
DAL_API const char *dal_model_joint_name(const dal_model *model, int number);
DAL_API const char *dal_model_force_name(const dal_model *model, int number);
DAL_API const char *dal_model_function_name(const dal_model *model, int number);

/* The body a number belongs to: itself, or for an interface node of a flexible body that body; -1: no such number. */
DAL_API int dal_model_body_of(const dal_model *model, int number);

/* Close the model: nothing can be added after that. The system belongs to the model and is constant: any number of simulations in
 * threads, each with a context of its own, may use it at the same time, and call functions of a const dal_model and a dal_data. */
DAL_API dal_status dal_model_compile(dal_model *model, const dal_system **system) DAL_NODISCARD;
/* Initial values of a compiled model (nq and nv numbers). They need not satisfy the joints: dal_sim_start projects. */
DAL_API const double *dal_model_q0(const dal_model *model);
DAL_API const double *dal_model_v0(const dal_model *model);
/* Replace them; NULL leaves q or v as it is. Before simulations in other threads read them. */
DAL_API dal_status dal_model_set_initial(dal_model *model, const double *q, const double *v) DAL_NODISCARD;
/* Which velocities are given (nv flags); values of states are. */
DAL_API dal_status dal_model_given(const dal_model *model, int *given) DAL_NODISCARD;
DAL_API int dal_model_body_factor(const dal_model *model, int body); /* of the group; -1: the ground, or no such body */

typedef struct dal_model_summary {
    int bodies, joints, forces;
    int velocities, rows, holonomic;
    int freedoms; /* velocities - states - rows: the degrees of freedom if no row is redundant */
    int states;   /* of first order (forces of type state): velocities that move nothing */
} dal_model_summary;

DAL_API dal_model_summary dal_model_report(const dal_model *model);

/* Where the rows of a joint are: first row and number (of the compiled system). */
DAL_API dal_status dal_model_joint_rows(const dal_model *model, int *first, int *n, int joint) DAL_NODISCARD;

/* Joints whose |Phi| exceeds tol at (t, q), for messages: "joint 'B': point x by 0.12"; *count of them. data may be NULL. */
DAL_API dal_status dal_model_open_joints(const dal_model *model, dal_data *data, int *count, char *buffer, size_t size,
                                         double t, const double *q, double tol) DAL_NODISCARD;

/* ---- numbers of one simulation ---------------------------------------------------------------- */

/* Numbers of elements for one simulation, without compiling: `data` is that of the simulation (dal_sim_data) or one made with
 * dal_data_create. A complete description goes in and is checked as if the element were added; its name does not matter. What belongs
 * to the structure of the compiled model (types, bodies, coordinates, which function is used, numbers of rows, inputs or coefficients,
 * `locked`, `follower`, `switched`) is refused by name if it differs. After a failure nothing has changed. Nothing is allocated.
 * References by name to a joint or a state are those given when the element was added; callbacks and their `user` may be changed.
 *
 * What follows from several elements (frames taken from a joint, a distance of length 0, the constant of a gear, initial values,
 * whether planar bodies and points can take what is attached to them) is found by dal_data_initial, or by the next evaluation, which
 * report what is wrong with it. A model compiled with the same numbers gives the same results, bit for bit. Begin the run anew
 * (dal_sim_start, with the values of dal_data_initial, say), or go on after dal_sim_data_changed. The numbers stay until they are
 * set again and are part of snapshots (of callbacks only what they are told, not what `user` points to). */
DAL_API dal_status dal_data_set_gravity(dal_data *data, const double gravity[3]) DAL_NODISCARD;
/* Of a flexible body: initial place and motion of its frame only; mass, inertia and com must be 0. */
DAL_API dal_status dal_data_set_body_(dal_data *data, int number, const dal_body *body, size_t size) DAL_NODISCARD;
/* The same with initial modal coordinates and velocities. The shapes are fixed: modes must be NULL. */
DAL_API dal_status dal_data_set_flexible_(dal_data *data, int number, const dal_flexible *body,
                                          size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_set_joint_(dal_data *data, int number, const dal_joint *joint, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_set_force_(dal_data *data, int number, const dal_force *force, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_set_function_(dal_data *data, int number, const dal_function *function,
                                          size_t size) DAL_NODISCARD;
/* The frame of an output at a body; outputs are numbered as for dal_model_output_info. */
DAL_API dal_status dal_data_set_output(dal_data *data, int number, const dal_frame *frame) DAL_NODISCARD;
/* dal_model_frame_at, at the initial poses of this simulation. */
DAL_API dal_status dal_data_frame_at(dal_data *data, dal_frame *frame, int body, const dal_frame *world) DAL_NODISCARD;

/* The descriptions as they are for this simulation, complete: to be changed in places and set again. Texts and lists belong
 * to the model or to the data and last until the element is set. */
DAL_API dal_status dal_data_get_gravity(dal_data *data, double gravity[3]) DAL_NODISCARD;
DAL_API dal_status dal_data_get_body_(dal_data *data, dal_body *body, int number, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_get_flexible_(dal_data *data, dal_flexible *body, int number, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_get_joint_(dal_data *data, dal_joint *joint, int number, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_get_force_(dal_data *data, dal_force *force, int number, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_get_function_(dal_data *data, dal_function *function, int number,
                                          size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_get_output(dal_data *data, dal_frame *frame, int number) DAL_NODISCARD;
/* All of these numbers in one vector p: gravity, functions, bodies, joints, forces, outputs, as their descriptions have them.
 * Returns how many there are; p may be NULL. */
DAL_API int dal_data_parameters(dal_data *data, double *p);

/* dal_model_given with the numbers of this simulation. */
DAL_API dal_status dal_data_given(dal_data *data, int *given) DAL_NODISCARD;
/* Initial values with these numbers, as compiling finds them (dal_model_set_initial has no influence); q, v: may be NULL. */
DAL_API dal_status dal_data_initial(dal_data *data, double *q, double *v) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
