/* What the user sees of claims. */
#ifndef REPRODUCE_REPORT_H
#define REPRODUCE_REPORT_H

#include <stdio.h>

#include "reproduce/claim.h"

typedef struct outcome {
    double measured;
    char message[256]; /* why nothing was measured */
} outcome;

typedef struct tally {
    int verdict[3]; /* by claim_verdict */
} tally;

void report_list(FILE *out, const int *index, int n, int json);

void report_head(FILE *out, const int *index, int n);
/* One line; details: source, statement and explanation below it. */
void report_row(FILE *out, const claim *c, const outcome *o, int width, int details);
int report_width(const int *index, int n); /* of the first column */
void report_end(FILE *out, const tally *t, double seconds);

void report_json(FILE *out, const int *index, int n, const outcome *o, const tally *t);

#endif
