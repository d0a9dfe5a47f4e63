/* The registry of claims. */
#ifndef REPRODUCE_CLAIM_H
#define REPRODUCE_CLAIM_H

#include "dalembert/sim.h"

/* How the measured value must relate to the expected one. */
typedef enum claim_relation {
    CLAIM_NEAR,     /* |measured - expected| <= tolerance */
    CLAIM_RELATIVE, /* |measured - expected| <= tolerance |expected| */
    CLAIM_AT_MOST,  /* measured <= expected */
    CLAIM_AT_LEAST  /* measured >= expected */
} claim_relation;

typedef struct claim claim;
struct claim {
    const char *id;        /* "pendulum-naive-h02" */
    const char *source;    /* paper and place, keys as in docs/theory */
    const char *statement; /* one sentence */
    claim_relation relation;
    double expected, tolerance;
    /* The number, NAN if it could not be measured: the context has a message then. */
    double (*measure)(const claim *c, dal_ctx *ctx);
    const char *options; /* of the run, key=value ... */
    double arg[3];       /* what else the measurement needs */
    /* A claim that does not hold as printed has an explanation; the value that we do get is asserted instead. */
    const char *explanation;
    double ours, ours_tolerance; /* relative to ours, absolute where ours = 0 */
};

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

/* The parts of the registry, one per paper; *n receives the length. */
const claim *claims_linear(int *n);      /* generalized-alpha in linear spaces */
const claim *claims_transient(int *n);   /* error analysis, starting values */
const claim *claims_projection(int *n);  /* velocity projection, rank-deficient mass */
const claim *claims_sigma_error(int *n); /* sigma-modified methods: local error, stability */
const claim *claims_sigma_top(int *n);   /* sigma-modified methods: heavy top */
const claim *claims_sigma_rotor(int *n);
const claim *claims_sigma_crank(int *n);
const claim *claims_flexible(int *n);    /* sigma-modified methods: flexible bodies */
const claim *claims_lobatto(int *n);     /* Lobatto IIIA-IIIB, index 2 */
const claim *claims_analysis(int *n);    /* coefficients, recursions, conditions of all papers */
const claim *claims_convergence(int *n); /* [ABC15], [ACB15]: orders, damping, projection */
const claim *claims_ours(int *n);        /* of this library */

/* For the tables: what is expected, how it is measured, what we find instead. */
#define NEAR(value, tol) .relation = CLAIM_NEAR, .expected = (value), .tolerance = (tol)
#define RELATIVE(value, tol) .relation = CLAIM_RELATIVE, .expected = (value), .tolerance = (tol)
#define AT_MOST(value) .relation = CLAIM_AT_MOST, .expected = (value)
#define AT_LEAST(value) .relation = CLAIM_AT_LEAST, .expected = (value)
#define BY(function, text, ...) .measure = (function), .options = (text), .arg = {__VA_ARGS__}
#define DIFFERS(value, tol, text) .ours = (value), .ours_tolerance = (tol), .explanation = (text)

#define CLAIM_LENGTH(table) ((int)(sizeof(table) / sizeof(table)[0]))

#endif
