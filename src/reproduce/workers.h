/* Independent tasks in worker processes: one process per task, so that none can disturb another. */
#ifndef REPRODUCE_WORKERS_H
#define REPRODUCE_WORKERS_H

#include <stddef.h>

enum { WORKER_RESULT = 512 }; /* largest result */

typedef struct workers {
    int n, jobs; /* tasks; how many at a time */
    size_t size; /* of a result, at most WORKER_RESULT */
    void *user;
    /* Fill the result of task k; runs in a process of its own. */
    void (*task)(int k, void *result, void *user);
    /* Called here with the result when task k has ended, in any order; NULL if its process died. */
    void (*done)(int k, const void *result, void *user);
} workers;

void workers_run(const workers *w);

#endif
