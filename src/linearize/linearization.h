/* Linearisations for other parts: with an evaluation they have already. */
#ifndef DAL_LINEARIZE_LINEARIZATION_H
#define DAL_LINEARIZE_LINEARIZATION_H

#include "dalembert/linearize.h"
#include "system/eval.h"

/* As dal_linearize_create; ev must outlive the object. */
dal_status dal_linearize_create_with(dal_linearization **lin, dal_ctx *ctx, dal_eval *ev,
                                     unsigned matrices) DAL_NODISCARD;

/* The matrices in axes with the rate D (nv x nv of factor f, like H = hat(v) + D): C + M (D + H) and K + (C + M D) H. */
void dal_linearize_turn(dal_linearization *lin, int f, const double *D, const double *H);

#endif
