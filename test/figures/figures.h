/* Figures of an independent program (test/data/integrators.json): each entry has an id, a group that tells how it is computed here, and
 * the tolerances that go with it. */
#ifndef TEST_FIGURES_FIGURES_H
#define TEST_FIGURES_FIGURES_H

#include <jansson.h>

#include "integrate/run.h"

/* Compute every entry of the groups that are slow, or of those that are not. Fails the test if there is an entry that none computes, or
 * if one is off. */
void figures_check(int slow);

/* Members of an entry. A number that is not there is NAN, a text NULL. */
double figure_number(const json_t *entry, const char *name);
double figure_item(const json_t *entry, const char *name, int i);
const char *figure_text(const json_t *entry, const char *name);
int figure_is(const json_t *entry, const char *name, const char *text);
double figure_tolerance(const json_t *entry, const char *name);

/* |is - member| <= tol; a difference is told and counted. */
void figure_expect(const json_t *entry, const char *name, double is, double tol);
void figure_compare(const json_t *entry, const char *name, double is, double should, double tol);
void figure_true(const json_t *entry, const char *what, int holds);

/* How groups are computed. */
void figure_state(dal_ctx *ctx, const json_t *entry);     /* a state at the end, by the library */
void figure_errors(dal_ctx *ctx, const json_t *entry);    /* errors at the end, with steps of equal size or not */
void figure_transient(dal_ctx *ctx, const json_t *entry); /* errors of lambda in the first steps */
void figure_mass(dal_ctx *ctx, const json_t *entry);      /* RATTLie with M(q) */
void figure_weighted(dal_ctx *ctx, const json_t *entry);  /* equilibrium and weighted residuals */
void figure_changing(dal_ctx *ctx, const json_t *entry);  /* rules for changing step sizes */
void figure_count(dal_ctx *ctx, const json_t *entry);     /* Newton's method of [HAG] */
void figure_stability(dal_ctx *ctx, const json_t *entry);
void figure_parasitic(dal_ctx *ctx, const json_t *entry); /* a starting error of nonholonomic multipliers */
void figure_energy(dal_ctx *ctx, const json_t *entry);    /* long runs, by the library */
void figure_forms(dal_ctx *ctx, const json_t *entry);     /* long runs of methods that the library does not have */

/* x := A^-1 x, A n x n by columns, which is overwritten. */
void figure_solve(double *x, double *A, int n);

/* lambda of (IN.4) at a state. */
void figure_consistent(double *la, const problem *p, const double *q, const double *v);

/* The cases of the figures: top, topse3, disk, rotor, top_damped, pendulum. */
dal_status figure_problem(problem *p, dal_ctx *ctx, const char *name);

#endif
