/* A second generalized-alpha method, for claims that do not hold as printed: plain, slow, and with nothing of src/integrate,
 * src/newton, src/linsol, src/lie or src/reproduce in it. Of the library it uses the equations of the benchmark problems,
 * which have tables of their own. */
#ifndef TEST_REPRODUCE_ORACLE_H
#define TEST_REPRODUCE_ORACLE_H

#include "problems/problems.h"

enum { ORACLE_BODIES = 3, ORACLE_NV = 7 * ORACLE_BODIES, ORACLE_NC = 20, ORACLE_N = 2 * ORACLE_NV + 2 * ORACLE_NC };

typedef enum oracle_chart { ORACLE_GROUP, ORACLE_EULER, ORACLE_CARDAN } oracle_chart; /* angles R_x R_y R_z */
typedef enum oracle_formulation { ORACLE_INDEX3, ORACLE_INDEX2, ORACLE_GGL } oracle_formulation;
typedef enum oracle_newton {
    ORACLE_THRIFTY,   /* to rounding, with matrices that are kept while they serve */
    ORACLE_MODIFIED,  /* the same to the tolerances; a matrix is renewed where it does not halve the increments */
    ORACLE_FULL,      /* a matrix in every iteration, to the tolerances */
    ORACLE_SIMPLIFIED /* the same, derivatives with T = P = I */
} oracle_newton;

typedef struct oracle_method {
    oracle_chart chart;
    oracle_formulation formulation;
    double rho, sigma;
    int unsimplified; /* printed algorithms without the simplification (74) of [HAG] */
    double factor;    /* of the predictor of the printed algorithms; 0: the relation (GA.2) is solved */
    oracle_newton newton;
    int published; /* Newton's method as [HAG] has it: stopped by the residual, d(M v')/dq and d(B^T lambda)/dq left out */
    int old;       /* increments of v take P^-1 where the matrix has it, not at the new theta */
    int rows;      /* the derivative of Phi is B, also where |p| is not 1 */
    int exact;     /* the same with those derivatives, and up to 40 iterations */
    double rtol;
} oracle_method;

/* A state and what a step computes of it. */
typedef struct oracle_state {
    double q[ORACLE_NV], v[ORACLE_NV], vd[ORACLE_NV], a[ORACLE_NV], la[ORACLE_NC];
    double theta[ORACLE_NV], eta[ORACLE_NC];
} oracle_state;

typedef struct oracle {
    const problem *p;
    oracle_method m;
    int bodies, modes; /* bodies (x, p) in R^3 x SO(3), and numbers in R^n after them */
    int nq, nv, nc, n;
    double alpha_m, alpha_f, gamma, beta, h, t;
    oracle_state s0, s1;
    double B0[ORACLE_NC * ORACLE_NV];
    double J[ORACLE_N * ORACLE_N];
    double scale[ORACLE_N]; /* largest entries of the rows of J */
    int pivot[ORACLE_N], factored;
    long steps, iterations, matrices;
} oracle;

void oracle_open(oracle *o, const problem *p, const oracle_method *m, double h);
/* The same from a given state. Of p nq, nv, nc and the dense description are used. */
void oracle_begin(oracle *o, const problem *p, const oracle_method *m, double h, const double *q, const double *v,
                  const double *vd, const double *la);
/* The state is s0. 0: Newton's method failed. */
int oracle_step(oracle *o);
/* In the coordinates of the problem: q has 7 numbers for each body, v has 6. */
void oracle_base(double *q, double *v, const oracle *o);
/* q1 = q o exp(theta) for bodies (x, p) */
void oracle_move(double *q1, const double *q, const double *theta, int bodies);

#endif
