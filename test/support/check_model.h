/* A model from text or by its name, compiled and started; its outputs as it runs. */
#ifndef CHECK_MODEL_H
#define CHECK_MODEL_H

#include "dalembert/io.h"
#include "dalembert/sim.h"

enum { CHECK_OUTPUTS = 40 };

typedef struct check_model {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
    double y[CHECK_OUTPUTS]; /* its outputs at the end of the last check_model_run */
} check_model;

/* source: a model file as text, whose quotation marks may be single ones, or the name of a built-in model. set: nset
 * assignments to variables and options, entries that are NULL are left out. Fails the test unless all is well. */
check_model check_model_start(const char *source, const char *const *set, int nset);

/* To the time t, or, if that is where it stands, only the outputs. */
void check_model_run(check_model *m, double t);
/* b goes on where a is, by a snapshot. */
void check_model_hand_over(const check_model *a, check_model *b);
void check_model_free(check_model *m);

/* Time at which something happens to a contact for the k-th time, from 0; -1: never. */
double check_model_happens(const check_model *r, dal_contact_happening what, int k);

#endif
