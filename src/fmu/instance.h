/* A unit that runs: what the functions of both versions of the standard have in common. It needs libc and libm only: this header and instance.c are also
 * among the sources of units that are made of generated code. All functions return 0, or something else after a message. */
#ifndef DAL_FMU_INSTANCE_H
#define DAL_FMU_INSTANCE_H

#include <stddef.h>

typedef enum fmu_kind {
    FMU_TIME,
    FMU_INPUT,
    FMU_PARAMETER,
    FMU_OUTPUT,
    FMU_STATE,
    FMU_DERIVATIVE,
    FMU_INDICATOR
} fmu_kind;

/* Value references are places in a list of these. */
typedef struct fmu_variable {
    const char *name, *unit;
    fmu_kind kind;
    int index; /* among those of its kind */
    double start, min, max;
} fmu_variable;

typedef struct fmu_instance fmu_instance;
/* What went wrong, in words; error: not only a warning. */
typedef void (*fmu_logger)(void *user, int error, const char *text);

/* From the folder of the resources; NULL after a message. exchange: integrated from outside. */
fmu_instance *fmu_open(const char *folder, const char *token, int exchange, fmu_logger logger, void *user);
void fmu_close(fmu_instance *u);
int fmu_reset(fmu_instance *u); /* as after fmu_open */
int fmu_states(const fmu_instance *u);
int fmu_indicator_count(const fmu_instance *u);
int fmu_fail(fmu_instance *u, const char *text); /* says so; not 0 */

int fmu_get(fmu_instance *u, double *value, const unsigned *reference, size_t n);
int fmu_set(fmu_instance *u, const unsigned *reference, const double *value, size_t n);
/* Before the start: when. */
void fmu_set_start(fmu_instance *u, double t);
/* With the values that were set; parameters do not change any more. */
int fmu_start(fmu_instance *u);

typedef struct fmu_step {
    double t;       /* where it has got to */
    int event;      /* something was switched there, and the step ends early (if asked for) */
    int terminated; /* the model says that the run is over */
} fmu_step;
int fmu_go(fmu_instance *u, fmu_step *did, double t, double h, int stop_at_events);

/* ---- integrated from outside -------------------------------------------------------------------- */

int fmu_set_time(fmu_instance *u, double t);
int fmu_set_states(fmu_instance *u, const double *x, size_t n);
int fmu_get_states(fmu_instance *u, double *x, size_t n);
int fmu_derivatives(fmu_instance *u, double *dx, size_t n);
int fmu_nominals(fmu_instance *u, double *x, size_t n);
/* A step of whoever integrates is complete; *event: event mode is to follow. There what has to happen happens. */
int fmu_completed(fmu_instance *u, int *event);
int fmu_indicators(fmu_instance *u, double *z, size_t n);
typedef struct fmu_update {
    int moved;      /* the states are others now */
    int terminated; /* the model says that the run is over */
    double next;    /* when the next event is known to be; infinite: none is */
} fmu_update;
int fmu_update_events(fmu_instance *u, fmu_update *did);
/* dy = (dy/dx) dx of what is computed with respect to inputs, parameters until the initialization is over, states that come from outside; by
 * differences within the limits of these. All is as before. */
int fmu_directional(fmu_instance *u, double *dy, const unsigned *unknown, size_t n, const unsigned *known,
                    size_t nknown, const double *dx);

/* ---- states of the unit that are kept ------------------------------------------------------------ */

int fmu_keep(fmu_instance *u, void **state); /* into a state there is, or a new one if it is NULL */
int fmu_return_to(fmu_instance *u, const void *state);
void fmu_forget(void **state);
size_t fmu_kept_size(const void *state);
int fmu_write_kept(fmu_instance *u, const void *state, void *bytes, size_t n);
int fmu_read_kept(fmu_instance *u, void **state, const void *bytes, size_t n);

#endif
