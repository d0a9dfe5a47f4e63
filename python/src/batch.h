/* A batch, for what steps it: simulations of the library (batch.c), or a program (lanes.c). */
#ifndef CORE_BATCH_H
#define CORE_BATCH_H

#include "core.h"
#include "pool.h"

typedef struct core_member {
    dal_ctx *ctx;
    dal_sim *sim;
    dal_status status; /* other than DAL_OK: it stands still until it is started anew */
} core_member;

typedef struct core_lanes core_lanes;

typedef struct core_batch {
    PyObject_HEAD core_system *system;
    int n, nstate, ninputs, nparams, width; /* width: outputs that are kept */
    dal_options options;
    dal_binding *binding; /* of the numbers that differ between members, then of all inputs; NULL: none differ */
    dal_ctx *ctx;         /* of the binding */
    int nsims;
    core_member *member; /* nsims */
    int *column;         /* width: where the outputs are in the model */
    PyObject *memory;    /* Array: owner of x */
    double *x;           /* all that follows */
    double *t, *status;  /* n */
    double *state;       /* n rows: q, v, vd, la */
    double *u, *told;    /* n x ninputs: as the user sets them; as they were told to the simulations */
    double *params;      /* n x nparams */
    double *y;           /* n x width */
    double *outputs;     /* for each thread: all outputs of the model */
    core_lanes *
        lanes; /* NULL: each member is a simulation of its own. Otherwise a program steps them, and member[] has one for each thread */
    int noutputs, busy;
    core_pool *pool;
} core_batch;

/* What is being done with all members. */
typedef struct core_task {
    core_batch *batch;
    long steps;          /* so many, or */
    double dt;           /* on by this time, or */
    const char *mask;    /* start those that have a true value here (NULL: all) */
    const double *q, *v; /* n rows, or NULL: from the initial values of the model */
    int starting;
} core_task;

/* Start member i anew in a simulation; its rows brought up to date from there. */
dal_status core_batch_begin(const core_task *job, int i, dal_sim *sim);
dal_status core_batch_show(core_batch *b, int i, int thread, dal_sim *sim);
/* Values of the binding of member i: its numbers, then its inputs. */
const double *core_batch_bound(const core_batch *b, double *room, int i);

/* The program of a batch whose binding is made, and as many blocks of it as it takes. */
dal_status core_lanes_create(core_batch *b, dal_sweep_backend backend, const char *const *name);
void core_lanes_destroy(core_batch *b);
int core_lanes_blocks(const core_batch *b);
void core_lanes_work(void *user, int block, int thread); /* for a pool; user: a core_task */
const char *core_lanes_message(const core_batch *b, int i);

#endif
