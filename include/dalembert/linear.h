/* dalembert/linear.h - a constrained system as a linear one, with inputs and outputs, about a state of rest or a steady motion
 * (docs/theory/modes.md, section 8).
 *
 * minimal form      z' = A z + B u (+ B1 u' + B2 u''),   y = C z + D u (+ D1 u' + D2 u'')
 * descriptor form   E X' = A X + B u,   y = C X + C1 X' + D u,   X = (d, w, l): changes of q, of v, of the multipliers
 *
 * Derivatives of inputs appear where an input is a prescribed motion. All values are changes from the state. */
#ifndef DALEMBERT_LINEAR_H
#define DALEMBERT_LINEAR_H

#include "dalembert/mbs.h"
#include "dalembert/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the inputs and outputs are. Either may be none. */
typedef struct dal_linear_spec {
    int ninputs, noutputs;
    /* Set input k to its value at the state plus an offset; it is called with 0 in the end. */
    dal_status (*set_input)(int k, double offset, void *user);
    /* All outputs at a point. */
    dal_status (*outputs)(double *y, const dal_point *at, void *user);
    void *user;
    dal_axes axes; /* of perturbations, as in dal_modal_options */
} dal_linear_spec;

/* A sparse matrix: entries in any order, none twice; rows and columns from 0. */
typedef struct dal_triplets {
    int nrows, ncols, n;
    const int *row, *col; /* n */
    const double *x;      /* n */
} dal_triplets;

typedef struct dal_linear dal_linear;

typedef struct dal_linear_info {
    int nv, rows;              /* velocities; constraint rows that do not depend on others */
    int n;                     /* size of the minimal form; 0: there is none, the system is too large */
    int positions, velocities; /* x and y of z = (x, y); y has the states of first order, too */
    int ninputs, noutputs;
    int redundant; /* rows that depend on others, but for those of contacts */
    int rates;     /* an input is a prescribed motion: u' and u'' take part */
    dal_steadiness steady;
    dal_axes axes;
    double turning[3];
    double drift;
    const double *A, *C;                /* n x n, noutputs x n, column-major */
    const double *B[3], *D[3];          /* n x ninputs, noutputs x ninputs, for u, u', u'' */
    const double *states;               /* 2 nv x n: d and w of each state */
    dal_triplets E, Ad, Bd, Cd, C1, Dd; /* descriptor form, size 2 nv + rows */
    const int *row;                     /* rows: their numbers in the system, the multipliers in X */
    int first_order;                    /* states x' = f of first order among them; in the descriptor form d = 0 */
} dal_linear_info;

/* At a point of a consistent motion, as in dal_modal_create. Inputs and outputs are differenced: the residual by central
 * differences, outputs to fourth order. */
DAL_API dal_status dal_linear_create_(dal_linear **linear, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                      const dal_point *at, const dal_linear_spec *spec, size_t size) DAL_NODISCARD;
DAL_API void dal_linear_destroy(dal_linear *linear); /* NULL is fine */
DAL_API dal_linear_info dal_linear_about(const dal_linear *linear);

/* The transfer function at s = re + i im: G, noutputs x ninputs, real and then imaginary parts, column-major. From the minimal
 * form, which must be there. */
DAL_API dal_status dal_linear_transfer(const dal_linear *linear, double *G, double re, double im) DAL_NODISCARD;

/* ---- inputs and outputs of a model by name ---------------------------------------------------- */

/* A number that goes in or comes out. */
typedef struct dal_port {
    const char *name; /* "slider.position.x" */
    const char *unit; /* "" where there is none */
} dal_port;

typedef struct dal_ports dal_ports;

/* Before the model is compiled: prepare it for these inputs and outputs, lists of names separated by commas (NULL: the inputs of the
 * model, no outputs). An input is one of the model, or a force, whose value along its coordinate (a factor of its vector, if it is of
 * type force or torque) gets an addition, or a motion, whose prescribed coordinate does. An output is one of the model, or ELEMENT.QUANTITY or ELEMENT.QUANTITY.COMPONENT.
 * DAL_EOPTION: there is no such thing. The model must outlive the ports. */
DAL_API dal_status dal_ports_create(dal_ports **ports, dal_ctx *ctx, dal_model *model, const char *inputs,
                                    const char *outputs) DAL_NODISCARD;
DAL_API void dal_ports_destroy(dal_ports *ports); /* NULL is fine */
/* After it is compiled. data: what inputs are set in and outputs are read with. spec: what dal_linear_create needs. */
DAL_API dal_status dal_ports_bind_(dal_ports *ports, dal_linear_spec *spec, dal_data *data, size_t size) DAL_NODISCARD;
DAL_API dal_port dal_ports_input(const dal_ports *ports, int k);  /* k = 0 .. spec.ninputs - 1 */
DAL_API dal_port dal_ports_output(const dal_ports *ports, int k); /* k = 0 .. spec.noutputs - 1 */

#ifdef __cplusplus
}
#endif
#endif
