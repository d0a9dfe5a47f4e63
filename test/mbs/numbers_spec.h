/* Models as lists of descriptions, and everything that a system says, to be compared bit for bit. */
#ifndef NUMBERS_SPEC_H
#define NUMBERS_SPEC_H

#include "dalembert/mbs.h"
#include "support/check.h"

enum { MANY = 4, POINTS = 5, ROOM = 20000 };

/* A model as described. */
typedef struct spec {
    double gravity[3];
    int nfunctions, nbodies, njoints, nforces;
    dal_function function[MANY];
    double c[MANY][2 * POINTS];
    int operands[2];
    dal_body body[MANY];
    dal_joint joint[MANY];
    dal_force force[MANY];
    dal_input input[3];
} spec;

/* All numbers a system gave, one after the other. */
typedef struct record {
    dal_sink base;
    const dal_system *sys;
    int n;
    double x[ROOM];
} record;

dal_model *build(dal_ctx *ctx, const spec *s);
void set_all(dal_ctx *ctx, dal_data *data, const spec *s);
/* Initial values; at a few points all residuals, tangents, energy and outputs; the same once a run has started. */
void tell(dal_ctx *ctx, record *r, const dal_model *m, const dal_system *sys, dal_data *data);

/* What tell compares. */
extern record set_afterwards, anew;
void assert_same_record(const char *what);
/* a: the model; b: other numbers, the same structure. Set on the data of one they give what the other gives. */
void check_set(const char *what, const spec *a, const spec *b);

#endif
