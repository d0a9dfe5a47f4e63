/* What computes the numbers of a unit: the library (library.c), or a program that was generated for the model (generated.c). One of the two
 * is in a binary. Functions return 0, or something else: fmu_engine_message tells why. */
#ifndef DAL_FMU_ENGINE_H
#define DAL_FMU_ENGINE_H

#include "fmu/instance.h"

typedef struct fmu_engine fmu_engine;

typedef struct fmu_about {
    const fmu_variable *variable;
    int n, ninputs, nparameters, noutputs, nq, nv;
    int nstates; /* nq + nv; 0: it cannot be integrated from outside */
    int nindicators;
} fmu_about;

/* NULL after a message. exchange: integrated from outside, which is refused where it cannot be. */
fmu_engine *fmu_engine_open(fmu_about *about, const char *folder, const char *token, int exchange, fmu_logger logger,
                            void *user);
void fmu_engine_close(fmu_engine *e);
const char *fmu_engine_message(const fmu_engine *e);

/* From the initial values of the model with these parameters and inputs. */
int fmu_engine_start(fmu_engine *e, double t, const double *p, const double *u);
/* These inputs from here on; x: from these q and v at t, brought to the joints. NULL: from where it is. */
int fmu_engine_change(fmu_engine *e, double t, const double *p, const double *u, const double *x);
int fmu_engine_run(fmu_engine *e, fmu_step *did, double t, int stop_at_events);
/* Integrated from outside: a step has been accepted; indicators of events; what has to happen happens. */
int fmu_engine_accept(fmu_engine *e, int *event);
int fmu_engine_indicators(fmu_engine *e, double *z);
int fmu_engine_switch(fmu_engine *e, fmu_update *did);
/* Outputs, q and v, and v' of the present state. */
int fmu_engine_show(fmu_engine *e, double *y, double *x, double *vd);
/* q1 = q exp(theta) */
void fmu_engine_move(const fmu_engine *e, double *q1, const double *q, const double *theta);

size_t fmu_engine_size(const fmu_engine *e); /* of a state, in bytes */
int fmu_engine_save(fmu_engine *e, void *to, size_t n);
int fmu_engine_restore(fmu_engine *e, const void *from, size_t n, const double *p); /* p: parameters of that state */

#endif
