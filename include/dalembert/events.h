/* dalembert/events.h - events of a model: what happens where a condition becomes true.
 *
 *     dal_model_add_event -> dal_model_compile -> dal_sim_create ... -> dal_sim_happenings
 *
 * A condition is a value that crosses zero, of any outputs of the model: reactions, energies, coordinates. Every simulation of the
 * model heeds its events; conditions and switches are part of its memory, so of snapshots. Files have them in the list "events". */
#ifndef DALEMBERT_EVENTS_H
#define DALEMBERT_EVENTS_H

#include "dalembert/mbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What an event does. Several actions happen at the same time, in the order: inputs, switches, impulses. */
typedef enum dal_deed {
    DAL_DO_STOP, /* the run ends there */
    DAL_DO_ON, /* a joint closes, a force acts, whatever its times say. What a joint holds must hold there, up to 1e-6 of the
                      size of the model; velocities jump as in an impact without rebound */
    DAL_DO_OFF,    /* a joint opens, a force acts no longer */
    DAL_DO_GRAB,   /* a joint closes at the present pose: frame A is put where frame B is */
    DAL_DO_SET,    /* an input of the model */
    DAL_DO_IMPULSE /* a force acts for a moment, with its value as an impulse [N s, N m s] */
} dal_deed;

typedef struct dal_action {
    dal_deed what;
    const char *name; /* of a joint or a force; of an input; NULL: stop */
} dal_action;

/* y[0]: the value that crosses zero; then the values of the inputs that are set, in the order of the actions. x: ninputs values, then
 * nparameters parameters. Simulations in several threads call it at the same time. */
typedef dal_status (*dal_event_law)(double *y, double t, const double *x, void *user);
/* The same, for one that calls functions of the model (dal_functions_value). */
typedef dal_status (*dal_calling_event_law)(double *y, double t, const double *x, const dal_functions *functions,
                                            void *user);

/* The value is looked at at the ends of steps, and the crossing located on the dense output, to rounding: two within one step
 * are not seen. A jump of the value, by an impact or another event, counts as well. An event that has happened waits until the
 * value is more than `band` away from zero. A value that is beyond zero at the start has not crossed it. */
typedef struct dal_model_event {
    const char *name;
    const char *note; /* [for tables] */
    dal_event_law values;
    void *user;
    const dal_output
        *inputs; /* ninputs, at most DAL_INPUTS_MAX, each one number (component); their names do not matter */
    int ninputs;
    double parameter[DAL_PARAMETERS_MAX];
    int nparameters;
    int direction; /* > 0: upwards, < 0: downwards, 0: either */
    int once;      /* in a run */
    double band;   /* 0: 1e-9 of the largest value so far */
    const dal_action *actions;
    int nactions;
    /* every > 0: a sampled event. It happens at from, from + every, ..., those at the start of the run included; steps end there. Its
     * values are asked for there, y[0] does not matter: a discrete controller whose outputs and states are inputs of the model,
     * held in between. It is not in the table of what happened. */
    double every, from;
    dal_calling_event_law calling; /* instead of values */
} dal_model_event;

/* After the elements and outputs it names; all is copied but `user`. */
DAL_API dal_status dal_model_add_event_(dal_model *model, int *number, const dal_model_event *event, size_t size,
                                        size_t input_size) DAL_NODISCARD;
DAL_API int dal_model_event_count(const dal_model *model);
DAL_API const char *dal_model_event_name(const dal_model *model, int number); /* from 0 on; NULL: there is none */

/* values, user and parameters of one simulation, as dal_data_set_force. */
DAL_API dal_status dal_data_set_event_(dal_data *data, int number, const dal_model_event *event,
                                       size_t size) DAL_NODISCARD;
DAL_API dal_status dal_data_get_event_(dal_data *data, dal_model_event *event, int number, size_t size) DAL_NODISCARD;

/* ---- functions that laws, rows and events call -------------------------------------------------- */

/* They have the numbers of a simulation there. Value and two derivatives of one at x, and the first argument after x where it is not
 * smooth (infinity: none). */
DAL_API dal_status dal_functions_value(const dal_functions *f, double y[3], int number, double x) DAL_NODISCARD;
DAL_API double dal_functions_break(const dal_functions *f, int number, double x);
/* Of a map: value and derivatives f, f_x, f_y, f_xx, f_xy, f_yy at (x, y), and a number for the piece between points that (x, y)
 * is on; an argument that is NaN does not count there. */
DAL_API dal_status dal_functions_value2(const dal_functions *f, double z[6], int number, double x,
                                        double y) DAL_NODISCARD;
DAL_API int dal_functions_piece(const dal_functions *f, int number, double x, double y);
/* How many arguments a function takes; 0: there is no such function. */
DAL_API int dal_model_function_arguments(const dal_model *model, int number);

#ifdef __cplusplus
}
#endif
#endif
