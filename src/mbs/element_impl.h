/* Elements: one kind of table for everything that takes part in the equations of motion, be it the inertia of a body, a
 * block of rows, a force, or the state of a controller. An element acts on the frames of bodies and may have rows and
 * coordinates of its own. Compiling asks it which blocks its tangents have; the evaluation is a loop over all elements. A
 * new kind of element is a file that fills such a table. */
#ifndef DAL_MBS_ELEMENT_IMPL_H
#define DAL_MBS_ELEMENT_IMPL_H

#include "mbs/names_impl.h"

typedef struct mb_plan mb_plan;
typedef struct mb_beam mb_beam;
typedef struct mb_span mb_span;
typedef struct mb_line_load mb_line_load;
typedef struct mb_slide mb_slide;

/* Sums over all mass: mass, mass times place, momentum, angular momentum about the origin of the world. */
typedef struct mb_sums {
    double mass, mc[3], p[3], L[3];
} mb_sums;

/* `self` is what the element consists of: mb_body, mb_constraint, mb_force. Whatever it does not have is NULL. */
/* What the rows of a constraint are made of, for the code generator. */
typedef enum mb_form {
    MB_FORM_OTHER,
    MB_FORM_MARKERS,     /* points and directions of two frames */
    MB_FORM_GEAR,        /* coordinates of two joints */
    MB_FORM_NORM,        /* Euler parameters of a body */
    MB_FORM_INTEGRAL,    /* the state of a controller */
    MB_FORM_COEFFICIENTS /* A(q) v = b of frames */
} mb_form;

typedef struct mb_element_type {
    unsigned wants; /* of forces: DAL_WANT_*, the tangent is called if the sink wants one of these */
    int mass;       /* it has mass of its own between frames: its tangent calls mb_add_mass */
    mb_form form;   /* of constraints */
    /* Ask for the pairs of factors whose blocks its tangent pushes (mb_plan_pair). */
    void (*connect)(mb_plan *plan, void *self);
    /* Forces on the frames (r6 of the bodies) and on its own coordinates (out->r), added; its rows, written. */
    void (*residual)(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at);
    /* Their derivatives: mb_push_link for rows, mb_add_pair and mb_add_mass for forces between frames, mb_push_row and
     * mb_push_column for coordinates of its own. */
    void (*tangent)(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at);
    /* Derivatives of the rows at the level of accelerations. */
    void (*acceleration)(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at);
    void (*kinetic)(double *T, const void *self, const mb_instance *m);       /* T += */
    void (*potential)(double *V, const void *self, mb_instance *m, double t); /* V += */
    void (*sums)(mb_sums *sum, const void *self, const mb_instance *m);       /* += */
    /* (MB.14): P[0] what it dissipates, P[1] what it feeds in, beyond its energy. */
    void (*exchange)(double P[2], const void *self, mb_instance *m, const dal_point *at);
    void (*row_name)(char *buffer, size_t size, const void *self, const dal_model *m, int row); /* 0: its first row */
} mb_element_type;

typedef struct mb_force mb_force;

typedef struct mb_element {
    const mb_element_type *type;
    void *self;
    const mb_force *switched; /* it acts when this force is switched on; NULL: always */
    int joint;                /* rows of a joint that will be released: its number; -1: of none */
} mb_element;

/* ---- structure -------------------------------------------------------------------------------- */

/* Coordinates of a body or of an element: their factors, and the number of the pair (factor, factor), -1: none. */
typedef struct mb_columns {
    int factor, nfactors, pair;
} mb_columns;

mb_columns mb_columns_of_body(const mb_plan *plan, int body);
mb_columns mb_columns_of_force(const mb_force *f);
/* Rows i of the equations of motion depend on coordinates j: *number becomes that of the pair of their first factors (the
 * others follow), -1 if one of them is the ground. */
void mb_plan_pair(mb_plan *plan, int *number, mb_columns i, mb_columns j);
const dal_model *mb_plan_model(const mb_plan *plan);

/* The frames A and B of a force depend on each other. */
void mb_connect_frames(mb_plan *plan, void *force);
/* All frames of a block of rows, where its forces depend on their motion. */
void mb_connect_rows(mb_plan *plan, void *constraint);

/* A name of a row of a joint. */
void mb_joint_row_name(char *buffer, size_t size, const void *constraint, const dal_model *m, int row);
/* What mb_perturb changes, and by how much. */
enum { MB_BY_POSITION, MB_BY_VELOCITY, MB_BY_ACCELERATION };
#define MB_DIFFERENCE 1e-5
/* Derivatives of the rows at the level of accelerations, by differences in the motion of their own frames. */
void mb_row_accelerations(const void *constraint, mb_instance *m, dal_sink *sink, const dal_point *at);

/* What the tangents of bodies and of most forces have a share in, those that read reactions in DAL_WANT_G, too; rows are always asked. */
enum { MB_WANTS_BODY = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K, MB_WANTS_FORCE = DAL_WANT_C | DAL_WANT_K };

#endif
