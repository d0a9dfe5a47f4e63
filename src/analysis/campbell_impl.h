/* Modes over a parameter: what campbell.c and campbell_limits.c share. */
#ifndef DAL_ANALYSIS_CAMPBELL_IMPL_H
#define DAL_ANALYSIS_CAMPBELL_IMPL_H

#include "dalembert/modes.h"

/* Modes at one value of the parameter. */
typedef struct cb_spectrum {
    double p;
    dal_modal *modal;
    int n;
    int *track; /* of each mode at the values given, -1: rigid; NULL in between */
} cb_spectrum;

struct dal_campbell {
    dal_ctx *ctx;
    dal_campbell_spec spec;
    cb_spectrum *at; /* spec.n */
    int ntracks;
    dal_crossing *crossing;
    int ncrossings, room;
};

/* Modes at the value p, to be forgotten afterwards, also after an error. i: its index, -1: a value in between. */
dal_status dal_campbell_evaluate(dal_campbell *c, cb_spectrum *s, double p, int i) DAL_NODISCARD;
void dal_campbell_forget(dal_campbell *c, cb_spectrum *s);
dal_status dal_campbell_add(dal_campbell *c, dal_crossing x) DAL_NODISCARD;
/* Limits of stability between the values i and i + 1 that are not known yet. */
dal_status dal_campbell_limits(dal_campbell *c, int i) DAL_NODISCARD;

#endif
