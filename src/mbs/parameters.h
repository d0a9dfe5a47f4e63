/* The numbers of a model in one vector p: gravity, functions, bodies, joints, forces, outputs, events, one element after the other, as
 * their descriptions have them. Which numbers a description has is told by the keys of its type. */
#ifndef DAL_MBS_PARAMETERS_H
#define DAL_MBS_PARAMETERS_H

#include "dalembert/events.h"

/* In the order of p. */
typedef enum mb_kind { MB_GRAVITY, MB_FUNCTION, MB_BODY, MB_JOINT, MB_FORCE, MB_OUTPUT, MB_EVENT, MB_KINDS } mb_kind;

/* A description of an element of a simulation. */
typedef struct mb_description {
    mb_kind kind;
    int number;
    union {
        double gravity[3];
        dal_function function; /* lists: c, or x and y: those of the simulation, changed in place */
        dal_body body;
        dal_flexible flexible; /* lists: modal, modal_velocity; likewise */
        dal_joint joint;
        dal_force force; /* list: inputs */
        dal_frame frame; /* of an output */
        dal_model_event event;
    } d;
    dal_input input[DAL_INPUTS_MAX];
    double interpolation; /* of a function */
    void *list[3];        /* where its numbers are: d, lists */
} mb_description;

dal_status mb_description_get(dal_data *data, mb_description *d, mb_kind kind, int number) DAL_NODISCARD;
/* What was got, with other numbers. */
dal_status mb_description_set(dal_data *data, const mb_description *d) DAL_NODISCARD;

/* How many numbers there are before an element; number -1: before all of them, and nothing is known. */
typedef struct mb_counted {
    mb_kind kind;
    int number, n;
} mb_counted;
/* Where in p the numbers of an element begin, counted from an element before it if `from` is one, and where in these is the one at an offset of a list; -1: it is not there. */
int mb_parameter_first(dal_data *data, mb_counted *from, mb_kind kind, int number);
int mb_parameter_index(dal_data *data, mb_description *d, int list, size_t offset);

/* The description that has number `index` of p, that number in it, and what it is measured by: the largest of the numbers beside
 * it that have its unit; 0: all are zero. alone: nothing is known of its unit (functions, parameters of callbacks). from: numbers are
 * counted from the element found last. */
typedef struct mb_place {
    mb_description d;
    double *x;        /* the number */
    double *rotation; /* the quaternion that it belongs to; NULL: none */
    double scale;
    int alone;
} mb_place;
dal_status mb_parameter_locate(dal_data *data, mb_place *place, mb_counted *from, int index) DAL_NODISCARD;

/* ---- a model that is being built -------------------------------------------------------------- */

/* The value of one at its argument, or its two. */
dal_status mb_model_call(const dal_model *model, double *y, int number, const double *x) DAL_NODISCARD;
/* The place along a beam that a text begins with, a number or a fraction, "0.7", "7/10"; end: what follows. */
double mb_read_place(const char *text, const char **end);
/* Does the coordinate turn? One that is left open (DAL_COORDINATE_DEFAULT) is that of the joint. -1: it is not known. */
int mb_model_turns(const dal_model *model, dal_coordinate coordinate, const char *joint);
/* Is it this function, or one that is made from it? */
int mb_function_follows(const dal_model *model, int number, int part);

#endif
