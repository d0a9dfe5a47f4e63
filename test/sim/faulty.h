/* A pendulum with one callback that fails from a given time on, in a way to be chosen. */
#ifndef TEST_FAULTY_H
#define TEST_FAULTY_H

#include "runs.h"

typedef enum faulty_callback {
    FAULTY_M,
    FAULTY_G,
    FAULTY_PHI,
    FAULTY_B,
    FAULTY_PHI_T,
    FAULTY_Z,
    FAULTY_ACC,
    FAULTY_C,
    FAULTY_K,
    FAULTY_NONE
} faulty_callback;

typedef struct faulty {
    dal_ctx *ctx;
    problem p; /* the pendulum whose callbacks are wrapped */
    dal_system *sys;
    faulty_callback which;
    double from;        /* time from which it fails */
    dal_status status;  /* what it returns; DAL_OK: it writes a NaN instead */
    const char *reason; /* message it leaves, NULL: none */
} faulty;

void faulty_create(faulty *f, dal_ctx *ctx);
void faulty_free(faulty *f);
const char *faulty_name(faulty_callback which); /* "M", "g", ... */

#endif
