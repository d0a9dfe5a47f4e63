/* dalembert/linearize.h - a system linearised at a state: its matrices by compressed columns, the names of their rows and
 * columns, and linear systems made from them (docs/theory/system.md, section 6).
 *
 * Small changes of the motion, q o exp(d), v + w, v' + a, lambda + l, change the equations by
 *
 *     M a + C w + K d + (B^T + G) l,      B d,      B w + Z d                                     (CS.7) */
#ifndef DALEMBERT_LINEARIZE_H
#define DALEMBERT_LINEARIZE_H

#include "dalembert/linsol.h"
#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix by compressed columns: column j has the entries colptr[j] .. colptr[j+1] - 1, rows ascending. */
typedef struct dal_sparse {
    int nrows, ncols;
    const int *colptr, *row; /* ncols + 1, colptr[ncols] */
    const double *x;         /* colptr[ncols] */
} dal_sparse;

typedef struct dal_linearization dal_linearization;

/* B^T by columns, which is B by rows: may be asked for beside the matrices DAL_WANT_M, _C, _K, _B, _Z, _G of system.h. */
enum { DAL_WANT_BT = 256 };

/* matrices: those wanted, DAL_WANT_* bits, M = 1 and so on. data: of the simulation whose parameters and memory count
 * (dal_sim_data), which must outlive this; NULL: data of its own. Tangents the system does not provide are differenced.
 * Where the slope of a force jumps they are the mean of those on both sides (DAL_WANT_MEANS).
 * Patterns are those the system announces: entries may be zero. */
DAL_API dal_status dal_linearize_create(dal_linearization **lin, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                        unsigned matrices) DAL_NODISCARD;
DAL_API void dal_linearize_destroy(dal_linearization *lin); /* NULL is fine */

/* Evaluate all wanted matrices at a point, with one call to the tangent of the system. Allocates nothing. */
DAL_API dal_status dal_linearize_at(dal_linearization *lin, const dal_point *at) DAL_NODISCARD;

/* One of the matrices, by its bit; NULL if it was not asked for. Pattern and places stay until the object is destroyed,
 * values until the next evaluation. */
DAL_API const dal_sparse *dal_linearize_matrix(const dal_linearization *lin, unsigned matrix);

/* Names of a row or column: a velocity ("crank.omega.x") or a row of a constraint. Empty if there is none of that number. */
DAL_API void dal_linearize_row_name(const dal_linearization *lin, char *buffer, size_t size, unsigned matrix, int row);
DAL_API void dal_linearize_column_name(const dal_linearization *lin, char *buffer, size_t size, unsigned matrix,
                                       int column);

/* A linear system with nv + nc unknowns, eliminated by bodies and joints. It belongs to the caller; fill it with
 *
 *     [ m M + c C + k K   B^T + G ]
 *     [ B                 0       ]                                                               (CS.8)
 *
 * at the point last evaluated, then factor and solve with it or with its transpose. Matrices with a factor that is not
 * zero must be among those wanted, and B where there are constraints; G is left out unless wanted. Combining allocates
 * nothing. */
DAL_API dal_status dal_linearize_solver(dal_linsol **ls, const dal_linearization *lin,
                                        dal_linsol_kind kind) DAL_NODISCARD;
DAL_API dal_status dal_linearize_combine(dal_linsol *ls, const dal_linearization *lin, double m, double c,
                                         double k) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
