/* Events of a model: a condition on outputs, and what happens where it becomes true. */
#ifndef DAL_MBS_EVENT_IMPL_H
#define DAL_MBS_EVENT_IMPL_H

#include "dalembert/events.h"
#include "mbs/output_impl.h"

typedef struct mb_action {
    dal_deed what;
    const char *name;
    int joint, force, input; /* which of these it is; -1: none */
} mb_action;

typedef struct mb_event {
    dal_model_event d; /* lists and texts are not kept, but for the note */
    mb_output *input;  /* d.ninputs: values that nobody sees */
    int first;         /* compiled: the first of them behind the outputs of the model */
    mb_action *action; /* d.nactions */
} mb_event;

struct mb_events {
    mb_names names;
    mb_event *item;
    int capacity;
    int noutputs; /* of all events together */
    dal_system_event *told;
};

/* output_list.c: an output that is not in the list of the model. */
dal_status mb_output_make(dal_model *m, mb_output *o, const dal_output *d) DAL_NODISCARD;
/* All inputs of events at a point: m->seen_inputs. */
dal_status mb_output_watch(mb_instance *m, const dal_point *at) DAL_NODISCARD;

/* Inputs behind the outputs, inputs that are set by name, what the system is told. */
dal_status mb_events_compile(dal_model *m) DAL_NODISCARD;
/* Where switches and the rest are in the memory. */
void mb_events_layout(dal_model *m, int *next);
void mb_events_destroy(dal_model *m);
/* memory.c: a force is switched by an event; the energy that appears with it counts as fed in. */
void mb_switch(mb_instance *m, int force, int on, double t);
/* Frames of joints that were closed at the pose they had. */
void mb_grabbed(mb_instance *m);

/* numbers.c */
dal_status mb_get_event(mb_instance *m, dal_model_event *event, int number) DAL_NODISCARD;
dal_status mb_set_event(mb_instance *m, int number, const dal_model_event *event) DAL_NODISCARD;

#endif
