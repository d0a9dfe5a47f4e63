/* Sweeps with one backend after the other. */
#ifndef TEST_SWEEP_BACKEND_H
#define TEST_SWEEP_BACKEND_H

#include "dalembert/sweep.h"
#include "support/check.h"

/* A cache of its own for the programs of a test, and options of the compiler (DAL_CFLAGS). Removed at the end. */
void backend_cache(const char *options);
void backend_cache_remove(void);

/* The text of a model in a file of its own; path ends with XXXXXX.json and is completed. 0, or 1 if that does not work. */
int backend_model(char *path, const char *text);

/* The sweep, created and run in `jobs` threads; fails the test if that does not work. */
dal_sweep *backend_run(dal_ctx *ctx, const dal_sweep_spec *spec, dal_sweep_backend backend, int jobs);

/* Create and run with the interpreter and with the backend. Statuses and messages are the same; the largest difference of a
 * value, relative to 1 and to the value, is returned. *handed: members that the program handed over. */
double backend_difference(long *handed, const dal_sweep_spec *spec, dal_sweep_backend backend);

/* The message of a sweep that cannot be created with the backend; "" if it can. *status, if not NULL. */
const char *backend_refusal(dal_status *status, const dal_sweep_spec *spec, dal_sweep_backend backend);

#endif
