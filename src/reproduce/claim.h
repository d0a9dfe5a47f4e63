/* The registry of claims. */
#ifndef REPRODUCE_CLAIM_H
#define REPRODUCE_CLAIM_H

#include "reproduce/measure.h"

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
    /* The number, NAN if it could not be measured: the context has a message then. Call claim_measure. */
    double (*measure)(const claim *c, lab *L);
    const char *options;     /* of the run, key=value ... */
    double arg[4];           /* what else the measurement needs */
    const char *model, *set; /* what is run: a built-in model or the text of one, and what is set in it */
    /* A claim that does not hold as printed has an explanation; the value that we do get is asserted instead. */
    const char *explanation;
    double ours, ours_tolerance; /* relative to ours, absolute where ours = 0 */
};

/* The number, NAN if it could not be measured. */
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

/* ---- for the measurements --------------------------------------------------------------------- */

const subject *claim_model(const claim *c, lab *L);
/* Order on [arg[0], arg[1]] with arg[2] and twice as many steps: of the kinds arg[3], the one farthest from what is expected. */
double order_on(const claim *c, lab *L);

/* Coefficients of generalized-alpha for rho, and T of its error recursion (index 3: 3 x 3, ggl: 2 x 2); 0 on failure */
int claim_coefficients(dal_ga_coef *k, lab *L, double rho);
int claim_recursion(double T[9], dal_ga_coef *k, lab *L, double rho, dal_formulation formulation);
/* Y = A X, n x n */
void matrix_product(double *Y, const double *A, const double *X, int n);

/* A particle of unit mass that follows x = t^3: lambda = -6 t in the first row. */
#define CUBIC                                                                                                        \
    "{'dalembert': 1, 'bodies': [{'name': 'mass', 'type': 'point', 'mass': 1}], 'joints': [{'name': 'drive', "       \
    "'type': 'motion', 'body_b': 'mass', 'frame_a': [0, 0, 0], 'coordinate': 'translation_x', 'function': 't^3'}, "  \
    "{'name': 'rail', 'type': 'point_on_line', 'body_b': 'mass', 'frame_a': {'position': [0, 0, 0], 'axis': [1, 0, " \
    "0]}}]}"

/* Heavy top in R^3 x SO(3): first component of B v at column k. */
double top_residual(const track *r, int k);
/* Steps after column `first` until the multipliers of two runs stay closer than 1 % of their largest distance there, which is
 * the peak; it may be NULL. */
double steps_until_equal(double *peak, const track *a, const track *b, int first);

/* For the tables: what is expected, how it is measured, what we find instead. */
#define NEAR(value, tol) .relation = CLAIM_NEAR, .expected = (value), .tolerance = (tol)
#define RELATIVE(value, tol) .relation = CLAIM_RELATIVE, .expected = (value), .tolerance = (tol)
#define AT_MOST(value) .relation = CLAIM_AT_MOST, .expected = (value)
#define AT_LEAST(value) .relation = CLAIM_AT_LEAST, .expected = (value)
#define BY(function, text, ...) .measure = (function), .options = (text), .arg = {__VA_ARGS__}
#define ON(name, assignments) .model = (name), .set = (assignments)
#define DIFFERS(value, tol, text) .ours = (value), .ours_tolerance = (tol), .explanation = (text)

#define CLAIM_LENGTH(table) ((int)(sizeof(table) / sizeof(table)[0]))

#endif
