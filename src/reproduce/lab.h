/* Models, runs of them, and exact motions. */
#ifndef REPRODUCE_LAB_H
#define REPRODUCE_LAB_H

#include "dalembert/io.h"
#include "dalembert/linearize.h"
#include "dalembert/sim.h"
#include "reproduce/words.h"

/* Where a claim is measured: models and runs live until it is closed. Nothing here returns NULL: what failed says so by its
 * status, has no states, and its columns are NAN, so that what is computed from them is NAN. */
typedef struct lab {
    dal_ctx *ctx;
    struct subject *subjects;
    struct track *tracks;
    struct block *memory;
} lab;

void lab_close(lab *L);

/* A model, compiled. */
typedef struct subject {
    dal_document *doc;
    dal_model *model;
    const dal_system *sys; /* NULL if it could not be read */
    dal_data *data;
    int nq, nv, nc, nh; /* nh of the nc rows are holonomic */
    const double *q0, *v0;
    const char *key; /* what it was made from */
    struct subject *next;
} subject;

/* A built-in model or one of the claims, "model:", with the variables of the words, in the coordinates "chart:": none, euler
 * (as in textbooks; the rows of their length come last), or the sequence of Cardan angles R = R_i(a1) R_j(a2) R_k(a3): xyz ... The same words give the same subject. */
const subject *lab_subject(lab *L, const words *w);

/* States of a run, the initial state first: columns of t, q, v, vd, a, la, eta. */
typedef struct track {
    const subject *s;
    dal_status status; /* of the start or the step that failed; n states were reached */
    int n, capacity, rows;
    double *x;        /* rows x n */
    double condition; /* of the last iteration matrix */
    double drift;     /* largest |Phi| on the way, if watched */
    dal_stats stats;
    const struct track *reference; /* see lab_reference */
    const char *key;               /* what it was made from, or NULL */
    struct track *next;
} track;

/* The run that the words describe, from 0 to "T:", or "steps:" steps of "h=": each is made once. */
const track *lab_run(lab *L, const words *w);
/* The same, but only the state at the end is kept, and the drift is watched if "of:drift" is asked for. */
const track *lab_end(lab *L, const words *w);
/* With a step size that changes: h[i] from t[i-1] to t[i] (t[-1] = 0). */
const track *lab_steps(lab *L, const words *w, const double *t, const double *h, int n);
/* The options of the words, the defaults for the rest. */
dal_status lab_options(lab *L, dal_options *opt, const words *w);
/* The states at n increasing times t >= 0 (without a and eta). */
const track *lab_sample(lab *L, const words *w, const double *t, int n);
/* The exact motion there: the explicit method of order 8, with tolerances near rounding. */
const track *lab_exact(lab *L, const subject *s, const double *t, int n);
/* That of a run, at its times, in the coordinates that the model itself has. */
const track *lab_reference(lab *L, const words *w, const track *r);

/* Of column k of a run; NAN beyond its end and if it failed. */
const double *at_q(const track *r, int k);
const double *at_v(const track *r, int k);
const double *at_vd(const track *r, int k);
const double *at_a(const track *r, int k);
const double *at_la(const track *r, int k);
const double *at_eta(const track *r, int k);
/* The time of a state that was reached, and its multipliers, in a run that may have failed later. */
double time_of(const track *r, int k);
const double *reached_la(const track *r, int k);
/* Position and unit quaternion of body number `body` (from 0 on) at column k, or where its velocities take it in e seconds. */
void at_pose(double pose[7], const track *r, int k, int body, double e);
/* x, or NAN if the run failed. */
double good(const track *r, double x);

/* The one of two numbers farther from want; NAN is farthest. */
double farther(double x, double y, double want);
/* The larger of two numbers; NAN is largest. */
double larger(double x, double y);
/* A += S, dense, column by column; S NULL: zero. */
void add_sparse(double *A, const dal_sparse *S);
/* Distance of n numbers; y NULL: zeros. */
double distance(const double *x, const double *y, int n);

#endif
