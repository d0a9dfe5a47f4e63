/* Runs of built-in models against tables of exact solutions. */
#ifndef TEST_MODELS_COMPARE_H
#define TEST_MODELS_COMPARE_H

#include "dalembert/io.h"

enum { COMPARE_SET = 12, COMPARE_LEVELS = 3 };

/* motion and forces: which outputs are which columns, as "rod.position:x,y,! A.force:Fx,Fy,Fz"; ! skips a number, -x
 * is minus column x. Quaternions are compared up to sign, angles (coordinate, rotation_vector) up to full turns. */
typedef struct compare_case {
    const char *model;
    const char *set[COMPARE_SET]; /* assignments; ended by NULL */
    const char *file, *columns, *rows;
    const char *motion, *forces; /* forces may be NULL */
    double h, t_end;             /* coarsest step; halved twice */
    double t_begin;              /* rows of the table before this are left out: transients too fast for h */
    double scale_motion, scale_forces;
    double tol_motion, tol_forces; /* largest error / scale at the finest step */
    double energy;                 /* largest change of the output "energy" at the finest step; 0: none */
} compare_case;

/* Run with h, h/2, h/4. Errors at the finest step are small and fall with order 2 (within 0.2). */
void compare_check(const compare_case *c);

#endif
