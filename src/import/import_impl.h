/* Inside of an import: the XML tree, the robot that a reader of a format makes of it, and how that becomes a model file.
 *
 * The first failure stays in R->st with its message; whoever reads goes on with defaults, and loops look at it. */
#ifndef DAL_IMPORT_IMPL_H
#define DAL_IMPORT_IMPL_H

#include "base/memory.h"
#include "base/text.h"
#include "dalembert/import.h"
#include "dalembert/shape.h"

enum {
    IM_BYTES_MAX = 64 * 1024 * 1024,
    IM_DEPTH_MAX = 200,       /* of elements within elements */
    IM_ELEMENTS_MAX = 200000, /* of the files together */
    IM_FILES_MAX = 64,        /* that include each other */
    IM_NAME = 128
};

/* ---- XML -------------------------------------------------------------------------------------- */

typedef struct im_element {
    const char *name, *text;
    const char **attribute; /* name, value, ..., NULL */
    const char *file;
    int line;
    struct im_element *parent, *first, *last, *next;
    int link; /* of a body of MJCF */
} im_element;

/* ---- the robot -------------------------------------------------------------------------------- */

typedef struct im_pose {
    double p[3], q[4]; /* place and rotation (scalar first) of a frame in another */
} im_pose;

typedef struct im_shape {
    dal_shape shape; /* its frame is in the link; meshes: the file, and factors of its coordinates */
    const char *file;
    double stretch[3];
    struct im_shape *next;
} im_shape;

typedef struct im_link {
    const char *name;
    const im_element *at;
    double m, c[3], J[6]; /* J about the centre of mass, in the axes of the link: xx, yy, zz, xy, xz, yz */
    double lift;          /* share of its weight that is held from outside */
    im_shape *shapes;
    im_pose place;     /* in the world, at the initial pose */
    double v[3], w[3]; /* of the origin and of the link, world axes */
    int joint;         /* that carries it, -1: none */
    int body;          /* the link whose body it is part of; -1: the ground */
    im_pose in_body;
    double bm, bc[3], bJ[6]; /* of the body, if it is that of this link */
    double below;            /* mass and moments that it carries, its own included */
    int helper;              /* it stands between two joints of one link, and counts for nothing */
    int children;            /* joints that it is the parent of */
    int looped;              /* a loop holds on to it, or to what it carries */
} im_link;

typedef enum im_kind {
    IM_FIXED,
    IM_HINGE,
    IM_SLIDE,
    IM_BALL,
    IM_FREE,
    IM_PLANAR,
    IM_SCREW,
    IM_CYLINDRICAL,
    IM_KINDS
} im_kind;

/* The child moves by q in the frame a of the parent: child b^-1 = parent a motion(q), along and about z. */
typedef struct im_joint {
    const char *name;
    const im_element *at;
    im_kind kind;
    int parent, child; /* links; -1: the ground */
    int loop;          /* closes a loop */
    int held;          /* it stays at its initial coordinate */
    im_pose a, b;
    double q[7], v[6];
    double damping, friction, armature, stiffness, rest, pitch;
    double range[2];
    int limited;
    double force_range[2]; /* of all actuators together */
    int force_limited;
    double reference[7]; /* MJCF: q of the reference pose */
    /* it follows another joint: q = offset + factor q_leader */
    int leader; /* -1: none */
    double factor, offset;
} im_joint;

/* ratio_1 q_1 + ratio_2 q_2 + ... = constant, at the initial pose */
typedef struct im_gear {
    const char *name;
    int joint[3], n;
    double ratio[3];
} im_gear;

/* A sum of coordinates. */
typedef struct im_tendon {
    const char *name;
    int *joint, n;
    double *factor;
    double range[2];
    int limited;
} im_tendon;

/* force = gain u + bias_0 + bias_1 x + bias_2 x' on x = gear q of a joint or gear x of a tendon */
typedef struct im_input {
    const char *name;
    char variable[IM_NAME]; /* "": there is none, u is no part of it */
    int joint, tendon;      /* -1: none */
    int link;               /* -1: none; else force and torque, per unit, at this place on it and in its axes */
    im_pose place;
    double wrench[6];
    double gear, gain, bias[3], u;
    double u_range[2], range[2];
    int u_limited, limited;
    const double *slack; /* NULL, or the range in which bias_1 does nothing */
    double damp_ratio;   /* > 0: bias_2 follows from gain and the inertia that the joint moves at its reference */
} im_input;

typedef struct im_note {
    const char *what;
    dal_text names;
    int lost;
} im_note;

struct dal_import {
    dal_ctx *ctx;
    dal_pool pool;
    dal_import_options opt;
    dal_status st;
    const char *path;
    const char *format, *name;
    int elements, files;
    double gravity[3];
    im_link *link;
    int nlinks, link_room;
    im_joint *joint;
    int njoints, joint_room;
    im_gear *gear;
    int ngears, gear_room;
    im_tendon *tendon;
    int ntendons, tendon_room;
    im_input *input;
    int ninputs, input_room;
    im_note *note;
    int nnotes, note_room;
    im_shape *ground; /* shapes of the ground */
    int *order;       /* links, parents first; `reached` of them hang together with the ground */
    int reached;
    dal_text text;
    dal_import_summary sum;
    _Alignas(16) char scrap[1024]; /* what is added after a failure goes here */
};
typedef dal_import im_reader;

/* ---- xml.c ------------------------------------------------------------------------------------ */

/* Record a failure at an element (NULL: of the file as a whole), unless there is one already. */
void im_fail(im_reader *R, const im_element *at, const char *format, ...) DAL_PRINTF(3, 4);
void *im_take(im_reader *R, size_t count, size_t size); /* from the pool; NULL after a failure */
const char *im_copy(im_reader *R, const char *text);
/* The tree of a file; NULL after a failure. */
im_element *im_xml(im_reader *R, const char *path, const char *text, size_t n);
im_element *im_xml_file(im_reader *R, const char *path);
/* The next child of this name after `before` (NULL: the first); name NULL: any. */
const im_element *im_child(const im_element *of, const char *name, const im_element *before);
const char *im_attribute(const im_element *at, const char *name);            /* NULL: it has none */
const char *im_needed(im_reader *R, const im_element *at, const char *name); /* "" after a failure */
/* Is the word in the list, " a b c "? */
int im_is_in(const char *word, const char *list);
/* From least to most numbers of a text into x, the others stay; returns how many. text NULL: none. */
int im_numbers(im_reader *R, const im_element *at, const char *what, const char *text, double *x, int least, int most);
int im_vector(im_reader *R, const im_element *at, const char *attribute, double *x, int n); /* all or none */
double im_number(im_reader *R, const im_element *at, const char *attribute, double otherwise);

/* ---- robot.c ---------------------------------------------------------------------------------- */

/* Add names to the note. lost: see dal_import_note. */
void im_tell(im_reader *R, int lost, const char *what, const char *name);
/* A new link, joint; never NULL, but after a failure it counts for nothing. Names are made unique. */
im_link *im_add_link(im_reader *R, const im_element *at, const char *name);
im_joint *im_add_joint(im_reader *R, const im_element *at, const char *name);
im_gear *im_add_gear(im_reader *R, const char *name);
im_tendon *im_add_tendon(im_reader *R, const char *name);
im_input *im_add_input(im_reader *R, const char *prefix, const char *name);
int im_find_link(const im_reader *R, const char *name); /* -1: there is none */
int im_find_joint(const im_reader *R, const char *name);
/* A link without a parent: held by the ground, or free. */
void im_add_root(im_reader *R, int link, const im_pose *place, int is_free);
/* Poses, kinematics, mass: what the description means, before it is written. */
void im_finish(im_reader *R);

/* ---- put.c ------------------------------------------------------------------------------------ */

void im_put_text(dal_text *t, const char *s);
void im_put_number(dal_text *t, double x);
void im_put_numbers(dal_text *t, const double *x, int n);
void im_put_key(dal_text *t, const char *key); /* , "key": */
void im_put_named(dal_text *t, const char *key, const char *name);
void im_put_value(dal_text *t, const char *key, double x); /* nothing if it is zero */
void im_put_frame(dal_text *t, const char *key, const im_pose *X);
/* The next element of a list: {"name": "a_b" */
void im_begin(im_reader *R, int *n, const char *a, const char *b);

/* ---- tendon.c --------------------------------------------------------------------------------- */

/* What the stop of a tendon is made of, in the lists of bodies and of joints. */
void im_put_tendon_points(im_reader *R, const im_tendon *t, int *count);
void im_put_tendon_joints(im_reader *R, const im_tendon *t, int *count);

/* ---- pose.c ----------------------------------------------------------------------------------- */

extern const im_pose im_here;                                     /* the identity */
void im_unit(double q[4]);                                        /* of length one; zeros: no rotation */
void im_compose(im_pose *c, const im_pose *a, const im_pose *b);  /* b in a in ... */
void im_relative(im_pose *c, const im_pose *a, const im_pose *b); /* a^-1 b */
void im_from_rpy(double q[4], const double rpy[3]);               /* about fixed x, y, z */
/* Frame with the z axis along a direction. */
void im_along(im_pose *frame, const double p[3], const double axis[3]);
/* J (xx, yy, zz, xy, xz, yz) in axes turned by q: R J R^T. */
void im_turn_inertia(double J[6], const double q[4]);
/* Add mass m with centre c and J about it to a sum of the same kind. */
void im_add_mass(double *m, double c[3], double J[6], double more, const double at[3], const double Jc[6]);
/* Principal moments, and axes as a rotation. */
void im_principal(double d[3], double q[4], const double J[6]);

/* ---- files.c ---------------------------------------------------------------------------------- */

/* The path of a file that the description names ("meshes/a.stl" from the folder on, "package://robot/meshes/a.stl"), with links
 * followed; NULL: there is none that may be read, and *why says so. */
const char *im_path(im_reader *R, const char *name, const char *folder, const char **why);
const char *im_folder_of(im_reader *R, const char *path); /* "" or with its slash at the end */
/* Add a shape to a list; NULL after a failure. */
im_shape *im_add_shape(im_reader *R, im_shape **list);
/* Read the mesh of a file; NULL: it cannot be shown, which has been told. scale: of its axes, the same or it cannot be kept.
 * keep NULL: for looks only; otherwise it is to be destroyed. */
im_shape *im_add_mesh(im_reader *R, im_shape **list, const char *name, const char *folder, const double scale[3],
                      dal_mesh **keep);
/* Material by name: URDF and MJCF have them beside the links. */
void im_colour(im_reader *R, dal_shape *s, const im_element *at, const char *rgba);

/* ---- formats ---------------------------------------------------------------------------------- */

void im_urdf(im_reader *R, const im_element *robot);
void im_mjcf(im_reader *R, const im_element *root);
void im_sdf(im_reader *R, const im_element *root);
void im_write(im_reader *R);

#endif
