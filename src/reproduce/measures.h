/* The measurements that claims and figures name. */
#ifndef REPRODUCE_MEASURES_H
#define REPRODUCE_MEASURES_H

#include "reproduce/lab.h"

/* A number from the words; NAN if it could not be measured. */
typedef double measure_function(lab *L, const words *w);

/* The measurement with this name, the first word of `text`; its words are added to w. NULL: no such name, or no room. */
measure_function *measure_find(words *w, const char *text);
/* The number; computed once for the same measurement and words, see memo.h. */
double measure_value(lab *L, measure_function *measure, const words *w);

measure_function measure_error, measure_size, measure_effort, measure_zigzag, measure_between; /* runs.c */
measure_function measure_return, measure_changing_steps, measure_jerk, measure_lie_term;
measure_function measure_recursion, measure_multistep, measure_stable_parameters; /* coefficients.c */
measure_function measure_lie_coefficient, measure_inverse_P;
measure_function measure_followed, measure_driven_frame, measure_overshoot; /* small.c */
measure_function measure_modified_mass, measure_split;                      /* massless.c */
measure_function measure_newmark;
measure_function measure_lobatto, measure_particle, measure_particle_step, measure_particle_stages; /* particle.c */

/* Curves of figures: what runs.c measures, step by step. "show:": error, exact, or the quantity itself; over time, or over its
 * number "across:"; with "through:1,8,9" the line through the places of these bodies at the end. Writes at most `room` points,
 * returns their number. */
int measure_curve(lab *L, const words *w, double *t, double *y, int room);

/* Coefficients of generalized-alpha for the options of the words, and T of its error recursion (3 x 3; ggl 2 x 2); 0 on failure */
int ga_coefficients(dal_ga_coef *k, lab *L, const words *w);
int ga_recursion(double T[9], dal_ga_coef *k, lab *L, const words *w);
/* y = T x, T 3 x 3 */
void apply3(double y[3], const double T[9], const double x[3]);
/* x := A^-1 x, n x n with `columns` right-hand sides, by elimination with row exchange; returns det A. A is destroyed. */
double eliminate(double *A, double *x, int n, int columns);

#endif
