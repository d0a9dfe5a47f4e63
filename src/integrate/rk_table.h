/* Tables of explicit Runge-Kutta methods (docs/theory/rk.md, label RK.2). */
#ifndef DAL_INTEGRATE_RK_TABLE_H
#define DAL_INTEGRATE_RK_TABLE_H

#include "dalembert/base.h"

enum { DAL_RK_STAGES_MAX = 16, DAL_RK_ERRORS = 2 }; /* of a table: stages, those for dense output included; estimates */

/* a k_j, k_j the slope of stage j */
typedef struct dal_rk_term {
    int j;
    double a;
} dal_rk_term;

/* Stage at t + c h with the sum of n terms; of errors and dense output c means nothing. */
typedef struct dal_rk_row {
    double c;
    int n;
    const dal_rk_term *term;
} dal_rk_row;

typedef struct dal_rk_table {
    const char *name;
    int order;
    int stages;            /* s; row 0 is the state itself, row s - 1 has c = 1 */
    int extra;             /* stages for dense output after row s, which is the end of the step: its terms are b */
    const dal_rk_row *row; /* s + 1 + extra */
    int nerrors;           /* 1 or 2, see (RK.5) */
    const dal_rk_row *error;
    int ndense; /* coefficients of the dense output from the fourth on (RK.7) */
    const dal_rk_row *dense;
    double stability; /* h |eigenvalue| beyond which the method is unstable, roughly */
} dal_rk_table;

/* The method of this order, or NULL. */
const dal_rk_table *dal_rk_table_of(int order);
/* The orders there are: "5, 8". */
void dal_rk_orders(char *buffer, size_t size);

#endif
