/* Derivatives by a few values: df/dx = sum of weight f(x + place h)/h. */
#ifndef DAL_BASE_STENCIL_H
#define DAL_BASE_STENCIL_H

enum { DAL_STENCIL_POINTS = 7 };

typedef struct dal_stencil {
    int n;
    double place[DAL_STENCIL_POINTS], weight[DAL_STENCIL_POINTS];
} dal_stencil;

/* Exact for polynomials of degree 2, 4, 6; the last two of six values on one side and the value itself. The outer ones of six, for
 * degree 2. */
extern const dal_stencil dal_two_values, dal_four_values, dal_six_values, dal_outer_values, dal_values_ahead,
    dal_values_behind;

#endif
