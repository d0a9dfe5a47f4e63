/* Objects of a model file that are not elements (beams, shapes, frames, the model itself) and their keys. The loader checks
 * and reads by these tables, the schema is written from them (schema.c), hence the manual and the dictionary of the fuzzer. */
#ifndef DAL_IO_FORMS_H
#define DAL_IO_FORMS_H

#include "dalembert/elements.h"
#include "dalembert/fem.h"
#include "dalembert/flex.h"

/* One form of a value. Several forms with the same definition are alternatives: a rotation is a number, a list, or one of
 * several objects. */
typedef struct io_form {
    const char *what; /* "a rotation about an axis", for messages; NULL: no object but a value of the kind of its key */
    int number;       /* what its reader calls it */
    dal_element_type type; /* section: its definition; name: the key that tells it from its alternatives, or NULL */
} io_form;

/* Members of a model that show a form, or a key of the model; ' stands for ". NULL: there is none. */
const char *dal_io_example(const char *section, const char *name);
/* Form number k; type.section is NULL if there is none. Alternatives follow each other. */
const io_form *dal_io_form_at(int k);
/* The first form of a definition that is an object: the only one of "beam", "modes", "input", ... */
const io_form *dal_io_form(const char *definition);

/* Objects that are rotations, and shapes that inertia is computed from. */
enum {
    IO_ROTATION_QUATERNION,
    IO_ROTATION_MATRIX,
    IO_ROTATION_AXIS,
    IO_ROTATION_VECTOR,
    IO_ROTATION_EULER,
    IO_ROTATION_X,
    IO_ROTATION_Y,
    IO_ROTATION_Z
};
enum { IO_INERTIA_BOX, IO_INERTIA_ROD, IO_INERTIA_CYLINDER, IO_INERTIA_DISK, IO_INERTIA_SPHERE };

/* ---- descriptions that forms are read into ---------------------------------------------------- */

typedef struct io_beam {
    dal_beam beam;
    int boundary; /* which of dal_io_boundaries */
    double nu, rectangle[2], circle, tube[2], i[4];
} io_beam;

/* A finite element body: what is a number or a word. */
typedef struct io_fem {
    dal_fem fem;
    int method;
    const char *reference;
} io_fem;

/* A set of nodes. */
typedef struct io_node_set {
    int kind; /* rigid, average */
} io_node_set;

/* A section of a geometrically exact beam; its profile is that of a beam. */
typedef struct io_section {
    io_beam profile;
    double EA, GJ, rhoA, damping, centre[2];
} io_section;

/* A beam of the list `beams`. */
typedef struct io_slender {
    const char *name;
    double from[3], to[3], tangent[3], axis_2[3], twist, velocity[3], angular_velocity[3];
    int type, elements, order, fourth_order, consistent;
} io_slender;

typedef struct io_join {
    double axis[3];
    int kind;
} io_join;

typedef struct io_arc {
    double radius, angle;
} io_arc;

typedef struct io_helix {
    double radius, pitch, turns, axis[3];
} io_helix;

typedef struct io_slide {
    double point[3];
    int guide, feed;
} io_slide;
typedef struct io_line_load {
    int follower, function;
} io_line_load;
extern const char *const dal_io_boundaries[];

/* When a force acts. */
typedef struct io_span {
    double from, to;
} io_span;

/* An input of a model. */
typedef struct io_limits {
    double value, min, max;
} io_limits;

/* {"repeat": ..., "from": 1, "to": N, "items": [...]} */
typedef struct io_repetition {
    const char *index;
    int from, to;
} io_repetition;

#endif
