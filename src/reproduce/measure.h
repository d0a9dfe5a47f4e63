/* Models, runs of them, and their errors against the exact motion. */
#ifndef REPRODUCE_MEASURE_H
#define REPRODUCE_MEASURE_H

#include "dalembert/io.h"
#include "dalembert/linearize.h"
#include "dalembert/sim.h"

/* Where a claim is measured: models and runs live until it is closed. Nothing here returns NULL: what failed says so by its
 * status, has no states, and its columns are NAN, so that what is computed from them is NAN. */
typedef struct lab {
    dal_ctx *ctx;
    struct subject *subjects;
    struct track *tracks;
} lab;

void lab_close(lab *L);

/* A model, compiled. */
typedef struct subject {
    dal_document *doc;
    dal_model *model;
    const dal_system *sys; /* NULL if it could not be read */
    dal_data *data;
    void *own; /* what the system was made from, see lab_system */
    void (*destroy)(void *own);
    int nq, nv, nc, nh; /* nh of the nc rows are holonomic */
    double *q0, *v0;
    struct subject *next;
} subject;

/* A built-in model, or the text of one, which begins with { and has ' in place of ", with "name=value name=value ..." set. */
const subject *lab_model(lab *L, const char *model, const char *set);

/* A system that is no model, with its initial values; `own` is destroyed with it. sys NULL: failed. */
const subject *lab_system(lab *L, const dal_system *sys, const double *q0, const double *v0, void *own,
                          void (*destroy)(void *own));
/* The bodies of a model in R^3 x SO(3) described by (x, p), p Euler parameters as in textbooks (euler.c); their rows
 * (p.p - 1)/2 come last. */
const subject *lab_euler(lab *L, const subject *base);

/* States of a run: columns of q (nq x n), v, vd, a (nv x n), la, eta (nc x n), the initial state first. */
typedef struct track {
    const subject *s;
    dal_status status; /* of the start or the step that failed; n states were reached */
    int n, capacity;
    double *t, *q, *v, *vd, *a, *la, *eta;
    double condition; /* of the last iteration matrix */
    double drift;     /* largest |Phi| on the way, if watched */
    dal_stats stats;
    struct track *next;
} track;

/* Run from 0 to T with options "key=value key=value ...", a printf format. */
const track *lab_run(lab *L, const subject *s, double T, const char *format, ...) DAL_PRINTF(4, 5);
/* The same, but only the state at the end is kept. */
const track *lab_end(lab *L, const subject *s, double T, const char *format, ...) DAL_PRINTF(4, 5);
/* The same, with an eye on the drift. */
const track *lab_watch(lab *L, const subject *s, double T, const char *options);
/* With a step size that changes: h[i] from t[i-1] to t[i] (t[-1] = 0). */
const track *lab_steps(lab *L, const subject *s, const double *t, const double *h, int n, const char *options);
/* The states at n increasing times t >= 0 (without a and eta). */
const track *lab_sample(lab *L, const subject *s, const double *t, int n, const char *options);
/* The exact motion there: the explicit method of order 8, with tolerances near rounding. */
const track *lab_exact(lab *L, const subject *s, const double *t, int n);

/* Column k of a run; NAN beyond its end and if it failed. */
const double *at_q(const track *r, int k);
const double *at_v(const track *r, int k);
const double *at_vd(const track *r, int k);
const double *at_la(const track *r, int k);
/* Position and unit quaternion of body number `body` (from 0 on) at column k. */
void at_pose(double pose[7], const track *r, int k, int body);
/* x, or NAN if the run failed. */
double good(const track *r, double x);
double iterations_per_step(const track *r);

/* What is measured: positions (and all coordinates of flat factors), angles between rotations, the two together as
 * distance on the group, velocities, multipliers. Euclidean norms. */
enum { ERROR_X, ERROR_R, ERROR_Q, ERROR_V, ERROR_LA, ERROR_KINDS };

typedef struct track_error {
    double max[ERROR_KINDS]; /* over the steps; NAN for a run that failed */
    int at[ERROR_KINDS];     /* the step where it is attained */
} track_error;

/* Largest errors over the steps after the initial state with from <= t <= to. */
track_error track_errors(lab *L, const track *r, double from, double to);

/* Observed order log2(e(h)/e(h/2)) of the largest errors in [from, T] with n and 2 n steps: of the kinds, bits 1 << ERROR_X
 * ..., the one farthest from want. */
double observed_order(lab *L, const subject *s, double from, double T, int n, const char *options, unsigned kinds,
                      double want);
enum { KIND_LA = 1 << ERROR_LA, KIND_ALL = 1 << ERROR_Q | 1 << ERROR_V | 1 << ERROR_LA };

/* The one of two numbers farther from want; NAN is farthest. */
double farther(double x, double y, double want);
/* The larger of two numbers; NAN is largest. */
double larger(double x, double y);
/* A += S, dense, column by column; S NULL: zero. */
void add_sparse(double *A, const dal_sparse *S);
/* Distance of n numbers; y NULL: zeros. */
double distance(const double *x, const double *y, int n);

#endif
