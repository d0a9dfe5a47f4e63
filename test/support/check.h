/* What the tests share: comparisons with tolerance, seeded random input, observed orders, contexts and an
 * allocator that counts and fails. Brings in cmocka with everything it needs. */
#ifndef CHECK_H
#define CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dalembert/base.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- skips ------------------------------------------------------------------------------------ */

/* Leave the test function because of what this machine lacks. Its program then ends with CHECK_SKIPPED if nothing failed:
 * CTest counts it as skipped, and tools/run_tests prints the reason. */
#define check_skip(reason)                 \
    do {                                   \
        check_note_skip(__func__, reason); \
        skip();                            \
    } while (0)
enum { CHECK_SKIPPED = 77 };
void check_note_skip(const char *test, const char *reason);
int check_exit_code(int failed);

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, set_up, tear_down) \
    check_exit_code(_cmocka_run_group_tests(#tests, tests, LEN(tests), set_up, tear_down))

/* ---- comparisons ------------------------------------------------------------------------------ */

/* |got - want| <= tol, and |got - want| <= tol |want|. NaN fails. The environment variable DAL_TOL_SCALE
 * multiplies every tolerance: 0 shows the residuals. */
#define assert_near(got, want, tol) check_near_at(got, want, tol, #got, __FILE__, __LINE__)
#define assert_near_rel(got, want, tol) check_near_rel_at(got, want, tol, #got, __FILE__, __LINE__)
/* The same for every entry of two arrays of n numbers. */
#define assert_all_near(got, want, n, tol) check_all_near_at(got, want, n, tol, #got, __FILE__, __LINE__)

void check_near_at(double got, double want, double tol, const char *what, const char *file, int line);
void check_near_rel_at(double got, double want, double tol, const char *what, const char *file, int line);
void check_all_near_at(const double *got, const double *want, int n, double tol, const char *what, const char *file,
                       int line);

double check_max_abs(const double *x, int n);
double check_max_abs_diff(const double *x, const double *y, int n);

/* ---- observed orders -------------------------------------------------------------------------- */

/* Mean of log2(err[k-1] / err[k]), k = 1..n-1: the order when the step is halved each time. */
double check_slope(const double *err, int n);
/* Each observed order log(err[k-1] / err[k]) / log(h[k-1] / h[k]) is within tol of order. */
#define check_slopes(h, err, n, order, tol) check_slopes_at(h, err, n, order, tol, __FILE__, __LINE__)
void check_slopes_at(const double *h, const double *err, int n, double order, double tol, const char *file, int line);

/* ---- random input, the same on every machine -------------------------------------------------- */

typedef struct check_rng {
    uint64_t state;
} check_rng;

check_rng check_rng_seed(unsigned long seed);
double check_uniform(check_rng *rng, double lo, double hi);
double check_normal(check_rng *rng);
void check_normals(check_rng *rng, double *x, int n);
/* A vector of the given length in a uniformly distributed direction. */
void check_direction(check_rng *rng, double w[3], double length);
/* A uniformly distributed unit quaternion. */
void check_quaternion(check_rng *rng, double p[4]);

/* ---- contexts and statuses -------------------------------------------------------------------- */

dal_ctx *check_ctx(void);
void check_ctx_free(dal_ctx *ctx);

/* The call succeeds; otherwise the test fails with the context's message. */
#define check_ok(ctx, call) check_ok_at(ctx, call, #call, __FILE__, __LINE__)
void check_ok_at(const dal_ctx *ctx, dal_status st, const char *what, const char *file, int line);

/* The call returns this status, and the message contains the fragment. */
#define check_fails(ctx, call, want, fragment) check_fails_at(ctx, call, want, fragment, #call, __FILE__, __LINE__)
void check_fails_at(const dal_ctx *ctx, dal_status st, dal_status want, const char *fragment, const char *what,
                    const char *file, int line);

/* ---- an allocator that counts and fails ------------------------------------------------------- */

/* Zero-initialise. Blocks carry a mark, so that releasing a foreign block or one block twice is noticed. */
typedef struct check_alloc {
    long live;    /* blocks not released yet */
    long total;   /* successful allocations so far */
    long fail_in; /* the fail_in-th allocation from now on returns NULL (1: the next one); 0: none does */
    size_t bytes; /* bytes in live blocks */
} check_alloc;

dal_config check_alloc_config(check_alloc *alloc);
/* A context on this allocator; free with check_ctx_free. */
dal_ctx *check_ctx_with(check_alloc *alloc);

/* Run the scenario with its 1st, 2nd, 3rd ... allocation failing until it gets by without a failure. Each
 * failing run must return DAL_ENOMEM with a message, and every run must give all its memory back. Returns
 * the number of allocations of the scenario. */
long check_every_allocation(dal_status (*scenario)(dal_ctx *ctx, void *user), void *user);

#endif
