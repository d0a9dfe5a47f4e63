/* dalembert/reduce.h - systems with redundant constraints (docs/theory/redundancy.md, labels RD.*).
 *
 * Closed planar loops in space, Bricard's mechanism and the like have constraint rows that depend on the others in
 * every configuration. The motion is well defined, the multipliers are not. A reduction leaves the dependent rows
 * out; the multipliers of the whole system are then zero for those rows, or those of least norm. */
#ifndef DALEMBERT_REDUCE_H
#define DALEMBERT_REDUCE_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_reduction dal_reduction;

/* Find the dependent rows of B at a configuration (which should satisfy the constraints) and describe the system
 * without them. The given system must outlive the reduction. tol as in dal_rank_rows (<= 0: default). */
DAL_API dal_status dal_reduction_create(dal_reduction **reduction, dal_ctx *ctx, const dal_system *sys, double t,
                                        const double *q, double tol) DAL_NODISCARD;
DAL_API void dal_reduction_destroy(dal_reduction *reduction);

/* The system with independent rows: integrate this one. Belongs to the reduction. Points have multipliers of the rows that are
 * left; functions of the model it came from want those of all rows (dal_reduction_multipliers). */
DAL_API const dal_system *dal_reduction_system(const dal_reduction *reduction);
/* Number of rows left out, and which: numbers in the whole system, ascending. */
DAL_API int dal_reduction_count(const dal_reduction *reduction);
DAL_API const int *dal_reduction_rows(const dal_reduction *reduction);
/* Their names in one line, for messages and reports. */
DAL_API void dal_reduction_names(const dal_reduction *reduction, char *buffer, size_t size);

/* Names of the rows kept that a row left out (its number in the whole system) depends on at a point, in one line. */
DAL_API dal_status dal_reduction_partners(dal_reduction *reduction, char *buffer, size_t size, const dal_point *at,
                                          int row) DAL_NODISCARD;

/* Multipliers of the whole system (nc of it) from those of the reduced one at a point (whose la are the reduced
 * ones): zero on the rows left out, or, with least_norm, the shortest vector that gives the same forces (RD.2). */
DAL_API dal_status dal_reduction_multipliers(dal_reduction *reduction, double *la, const dal_point *at,
                                             int least_norm) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
