/* The registry of claims: what the papers say, from claims/NAME.txt. */
#ifndef REPRODUCE_CLAIM_H
#define REPRODUCE_CLAIM_H

#include "reproduce/lab.h"

/* How the measured value must relate to the expected one. */
typedef enum claim_relation {
    CLAIM_NEAR,     /* |measured - expected| <= tolerance */
    CLAIM_RELATIVE, /* |measured - expected| <= tolerance |expected| */
    CLAIM_AT_MOST,  /* measured <= expected */
    CLAIM_AT_LEAST  /* measured >= expected */
} claim_relation;

typedef struct claim {
    const char *id;        /* "pendulum-naive-h02" */
    const char *source;    /* paper and place, keys as in docs/theory */
    const char *statement; /* one sentence */
    claim_relation relation;
    double expected, tolerance;
    /* What is measured: the name of a measurement and its words; a|b|c in a word stands for several values. */
    const char *measure;
    const char *each;     /* words ; words ...: one value for each of these besides, or NULL */
    const char *over;     /* or: the value with these words, divided by the one without them */
    const char *exponent; /* or "h=1e-3 h=5e-4": exponent of h in the value between the two */
    const char *
        take; /* of several values: min, max, sum, mean (over the steps), average (over the runs), gmean (geometric), farthest from expected (NULL) */
    /* A claim that does not hold as printed has an explanation; the value that we do get is asserted instead. */
    const char *explanation;
    double ours, ours_tolerance; /* relative to ours, absolute where ours = 0 */
} claim;

/* The number, NAN if it could not be measured: the context has a message then. */
double claim_measure(const claim *c, dal_ctx *ctx);

typedef enum claim_verdict { CLAIM_PASSED, CLAIM_FAILED, CLAIM_DIFFERS } claim_verdict;

/* Does the value satisfy the claim as printed? */
int claim_holds(const claim *c, double measured);
claim_verdict claim_judge(const claim *c, double measured);
const char *claim_verdict_name(claim_verdict verdict);
double claim_absolute_tolerance(const claim *c); /* 0 for bounds */
/* "0.248", "<= 3", ">= 1" */
void claim_expected_text(char *text, size_t size, const claim *c);

int claim_count(void);
const claim *claim_at(int k);
int claim_find(const char *id);            /* index, or -1 */
const char *claim_nearest(const char *id); /* an id like this one, or NULL */

#endif
