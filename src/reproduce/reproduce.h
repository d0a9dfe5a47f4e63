/* Published numerical claims, measured again: each has an expected value with a tolerance, a run that measures it and a
 * verdict. Used by `dalembert reproduce` and by the tests; not part of the library. */
#ifndef REPRODUCE_REPRODUCE_H
#define REPRODUCE_REPRODUCE_H

#include <stdio.h>

typedef struct reproduce_options {
    const char *const *id; /* which claims; n = 0: all */
    int n;
    int list;         /* only say what there is */
    int json;         /* machine-readable output */
    const char *plot; /* folder for figures, or NULL: no figures */
    int jobs;         /* worker processes; 0: 2 */
} reproduce_options;

/* Measure the claims and write the table (or the list, or JSON) to out, complaints to err. Returns the exit status: 0 all
 * passed or differ as explained, 1 a claim failed, 2 an unknown id or a figure that could not be made. */
int reproduce_main(const reproduce_options *opt, FILE *out, FILE *err);

#endif
