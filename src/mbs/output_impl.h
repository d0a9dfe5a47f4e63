/* Types of outputs. */
#ifndef DAL_MBS_OUTPUT_IMPL_H
#define DAL_MBS_OUTPUT_IMPL_H

#include "mbs/mbs_impl.h"

/* What an output belongs to. */
typedef enum mb_output_of {
    MB_OF_MODEL,
    MB_OF_BODY,
    MB_OF_MODES,      /* a flexible body; as many values as modes */
    MB_OF_RECOVERY,   /* a flexible body; as many values as its recovery matrix has rows */
    MB_OF_FRAMES,     /* a joint with frames */
    MB_OF_COORDINATE, /* the same, with a coordinate */
    MB_OF_ROWS,       /* a joint; as many values as rows */
    MB_OF_REACTIONS,  /* the same, and the rows need not be evaluated */
    MB_OF_CONTACT,    /* a joint that rolls */
    MB_OF_TOUCH,      /* a joint that is unilateral; as many values as contacts, or one for all of them */
    MB_OF_FORCE,      /* a force with a value, or a joint with one row */
    MB_OF_STATE,      /* a state */
    MB_OF_ELEMENT,    /* a joint or a force */
    MB_OF_BEAM        /* a place on a beam */
} mb_output_of;

enum { MB_COMPONENTS = 256 }; /* most numbers of an output of which one may be chosen */

/* A description of a rotation of which there are many: the one that continues the motion is shown. */
typedef enum mb_output_turning { MB_TURNING_NONE, MB_TURNING_VECTOR, MB_TURNING_ANGLES } mb_output_turning;

typedef void mb_output_value(double *y, const mb_output *o, mb_instance *m, const dal_point *at);

struct mb_output_type {
    const char *name;
    mb_output_of of;
    int n;
    const char *unit[2];           /* along, about an axis */
    mb_output_value *value, *rate; /* rate: of an integral over time (n = 1), NULL otherwise */
    int part;                      /* which of the quantities that `value` gives */
    mb_output_turning turning;
    mb_output_value *raw; /* of these: the value by itself, within one turn */
};

/* Powers, and their integrals (work.c). */
mb_output_value mb_power, mb_dissipation, mb_drive_power, mb_integral;
/* An output that is an integral over time, at a time within the last step or at its end. */
double mb_integral_at(const mb_instance *m, const mb_output *o, double t);

/* The value that continues what is remembered, in the place of y, which is within one turn; and what is to be remembered at a
 * final state, h after the last one (output_turns.c). */
void mb_output_continue(double y[3], const mb_output *o, const mb_instance *m, double t);
void mb_output_follow(const mb_output *o, mb_instance *m, const dal_point *at, double h, dal_moment moment);

/* Contacts (output_contact.c). */
mb_output_value mb_touch_value, mb_slip_path, mb_stick_time;
enum { MB_TOUCH_GAP, MB_TOUCH_SLIP, MB_TOUCH_P_N, MB_TOUCH_P_T, MB_TOUCH_CASE, MB_TOUCH_IMPULSE };

/* Force and torque of a joint on B at the origin of its frame, or on body `side` of a joint without frames, world axes. */
void mb_joint_wrench(double f[6], const mb_joint *j, int side, mb_instance *m, const dal_point *at);

extern const mb_output_type mb_output_types[];
extern const int mb_noutput_types;

#endif
