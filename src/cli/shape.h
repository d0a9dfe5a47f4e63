/* A mode shape as people see it: how each body and each joint moves, and who takes part. */
#ifndef CLI_SHAPE_H
#define CLI_SHAPE_H

#include "cli/model.h"
#include "dalembert/modes.h"

/* Translation and rotation, real and imaginary part of each. */
typedef struct cli_motion {
    double translation[2][3], rotation[2][3];
} cli_motion;

typedef struct cli_shape {
    int nbodies, njoints;
    cli_motion *body;  /* from 1 on, world axes; of frames */
    cli_motion *joint; /* frame B as seen from frame A, axes of A */
    int *framed;       /* has the joint frames? */
    double *share;     /* of each body, from 1 on: part of the sum 1 */
    double *bending;   /* the part of it that deforms a flexible body */
    double *spin;      /* 3 of each body, from 1 on: its angular velocity in the state, world axes */
    int whirl;         /* of a body that spins: 1 it goes round as it spins, -1 against it, 0 neither */
    char text[256];    /* in words: "82 % rod, turning about z; hinge about z" */
    /* memory */
    double *q, *d, *pose;
} cli_shape;

void shape_create(cli_shape *s, const cli_model *m);
void shape_release(cli_shape *s);
/* Mode k, perturbing the state `at`. */
dal_status shape_of(cli_shape *s, const cli_model *m, dal_data *data, const dal_point *at, const dal_modal *modal,
                    int k);
/* Angular velocities of the bodies in the state `at`, to spin; returns the body that turns fastest, 0: none turns. */
dal_status shape_spins(cli_shape *s, int *fastest, const cli_model *m, dal_data *data, const dal_point *at);
double shape_speed(const cli_shape *s, int body); /* of a body, by them [rad/s] */
/* Is this body a body of its own, not an interface node of another? */
int shape_own(const cli_model *m, int body);
/* Is this velocity a state of first order? Its name, "filter.state". */
int shape_is_state(const cli_model *m, int index, char name[256]);
/* "forward", "backward" or "". */
const char *shape_whirl_word(int whirl);

#endif
