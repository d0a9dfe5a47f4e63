/* Check of factors by a solve with a known solution, and the way out through `sparse`. */
#include "linsol/guard_impl.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "linsol/pass.h"

/* The factors are checked anew when the ratio of pivots exceeds the checked one by this. */
static const double ratio_margin = 10.0;
/* Largest error of the check: an iteration, of Newton's method or of refinement, gains five digits with each solve, which
 * is more than the changes of the matrix allow in most steps. Factors that satisfy the equations to
 * `check_residual` of the norm of the matrix may have the larger error: it is due to the matrix, not to them. */
static const double check_error = 1e-5, check_residual = 1e-12, check_error_ill = 1e-3;

/* The backup makes so many factorisations before the own elimination is tried again; twice as many after each failure. One matrix, of
 * a step that is much too long, need not slow down the rest of a run. */
enum { FIRST_PAUSE = 8, DOUBLINGS = 7 };

/* Solve for the solution 1, -1, 1, ... and look at the error. */
static int check(const dal_linsol *ls)
{
    const int n = ls->A.n;
    for (int i = 0; i < n; ++i) {
        ls->sign[i] = i % 2 == 0 ? 1.0 : -1.0;
    }
    dal_matrix_mul(&ls->A, ls->probe, ls->sign);
    ls->type->solve(ls, ls->probe);
    double error = 0.0, residual = 0.0;
    for (int i = 0; i < n; ++i) {
        ls->probe[i] -= ls->sign[i];
        error = dal_larger(error, fabs(ls->probe[i]));
    }
    if (!(error > check_error)) {
        return error <= check_error;
    }
    dal_matrix_mul(&ls->A, ls->refine, ls->probe);
    for (int i = 0; i < n; ++i) {
        residual = dal_larger(residual, fabs(ls->refine[i]));
    }
    return error <= check_error_ill && residual <= check_residual * dal_norm1(ls);
}

/* A sparse solver for the same matrix, its columns announced run by run. */
static dal_status make_backup(dal_linsol *ls, dal_guard *guard)
{
    const dal_matrix *A = &ls->A;
    dal_pattern *pattern;
    DAL_TRY(dal_pattern_create(&pattern, ls->ctx, A->n));
    dal_status st = DAL_OK;
    for (int j = 0; j < A->n && st == DAL_OK; ++j) {
        for (int k = A->colptr[j]; k < A->colptr[j + 1] && st == DAL_OK;) {
            const int start = k;
            do {
                ++k;
            } while (k < A->colptr[j + 1] && A->row[k] == A->row[k - 1] + 1);
            st = dal_pattern_block(pattern, A->row[start], j, k - start, 1);
        }
    }
    if (st == DAL_OK) {
        st = dal_linsol_create(&guard->backup, ls->ctx, pattern, DAL_LINSOL_SPARSE);
    }
    dal_pattern_destroy(pattern);
    assert(st != DAL_OK || dal_linsol_matrix(guard->backup)->nnz == A->nnz);
    return st;
}

static dal_status factor_backup(dal_linsol *ls, dal_guard *guard)
{
    if (guard->backup == NULL) {
        DAL_TRY(make_backup(ls, guard));
        dal_log(ls->ctx, DAL_LOG_INFO, "linear solver %s met pivots it cannot use: sparse takes over", ls->type->name);
    }
    guard->away = 1;
    guard->fallbacks++;
    memcpy(dal_linsol_matrix(guard->backup)->x, ls->A.x, (size_t)ls->A.nnz * sizeof(double));
    const dal_status st = dal_linsol_factor(guard->backup);
    ls->singular_row = dal_linsol_singular_row(guard->backup);
    return st;
}

int dal_guard_known(const dal_guard *guard, double ratio)
{
    return ratio < HUGE_VAL && ratio <= ratio_margin * guard->checked;
}

int dal_guard_tries(const dal_guard *guard)
{
    return guard->pause == 0;
}

/* check() solves with the own factors, whichever have been in use. */
static int good(dal_linsol *ls, dal_guard *guard, double ratio)
{
    const int away = guard->away;
    guard->away = 0;
    const int known = dal_guard_known(guard, ratio);
    if (!known && ratio < HUGE_VAL && check(ls)) {
        guard->checked = ratio;
        return 1;
    }
    guard->away = known ? 0 : away;
    return known;
}

dal_status dal_guard_finish(dal_linsol *ls, dal_guard *guard, double ratio)
{
    if (guard->pause > 0) {
        guard->pause--;
    } else if (good(ls, guard, ratio)) {
        guard->failures = 0;
        return DAL_OK;
    } else {
        guard->pause = FIRST_PAUSE << guard->failures;
        guard->failures += guard->failures < DOUBLINGS;
    }
    return factor_backup(ls, guard);
}

void dal_guard_release(dal_guard *guard)
{
    dal_linsol_destroy(guard->backup);
    guard->backup = NULL;
    guard->away = guard->pause = guard->failures = 0;
}

void dal_guard_forget(dal_guard *guard)
{
    dal_guard_release(guard);
    guard->checked = 0.0;
    guard->fallbacks = 0;
}

/* ---- snapshots -------------------------------------------------------------------------------- */

/* Whether there is a backup, what is known of the factors; the backup, or room for it. */
void dal_guard_pass(dal_linsol *ls, dal_guard *guard, dal_cursor *k)
{
    int backup = guard->backup != NULL;
    dal_pass_flag(k, &backup);
    dal_pass(k, &guard->checked, 1);
    dal_pass_count(k, &guard->fallbacks);
    dal_pass_range(k, &guard->away, 0, backup);
    dal_pass_range(k, &guard->pause, 0, FIRST_PAUSE << DOUBLINGS);
    dal_pass_range(k, &guard->failures, 0, DOUBLINGS);
    if (k->in && guard->checked < 0.0) {
        dal_pass_wrong(k, "a ratio of pivots");
    }
    if (k->in && !backup) {
        dal_guard_release(guard);
    } else if (dal_pass_good(k) && guard->backup == NULL) {
        k->status = make_backup(ls, guard);
    }
    if (guard->backup == NULL) {
        dal_pass_blank(k, dal_sparse_snapshot_size(ls));
        return;
    }
    dal_linsol_pass(guard->backup, k);
    if (k->in && guard->away && ls->factored && !guard->backup->factored) {
        dal_pass_wrong(k, "the factors of the solver that took over");
    }
}
