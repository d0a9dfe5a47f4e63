/* Eigenvalues of largest magnitude by the implicitly restarted Arnoldi method: dnaupd and dneupd of ARPACK. */
#include "linsol/arnoldi.h"

#ifdef DAL_HAVE_ARPACK

#include <arpack/arpack.h>
#include <string.h>
#include <threads.h>

#include "base/memory.h"
#include "base/vector.h"

// ARPACK keeps its state between calls in static variables: one search at a time
static once_flag lock_once = ONCE_FLAG_INIT;
static mtx_t lock;

static void make_lock(void)
{
    (void)mtx_init(&lock, mtx_plain);
}

int dal_arnoldi_available(void)
{
    return 1;
}

typedef struct search {
    double *resid, *V, *workd, *workl, *workev, *y;
    a_int *select;
    a_int ncv, lworkl, iparam[11], ipntr[14];
    dal_arena arena;
} search;

static void carve(search *s, const dal_arnoldi *p)
{
    const size_t n = (size_t)p->n;
    s->resid = dal_arena_reals(&s->arena, p->n);
    s->V = dal_arena_take(&s->arena, n * (size_t)s->ncv, sizeof(double));
    s->workd = dal_arena_take(&s->arena, 3 * n, sizeof(double));
    s->workl = dal_arena_reals(&s->arena, (int)s->lworkl);
    s->workev = dal_arena_reals(&s->arena, 3 * (int)s->ncv);
    s->select = dal_arena_take(&s->arena, (size_t)s->ncv, sizeof *s->select);
}

/* Iterate until the wanted eigenvalues have converged or 300 restarts were made. */
static dal_status iterate(search *s, const dal_arnoldi *p, const double *start, dal_ctx *ctx)
{
    a_int ido = 0, info = 1;
    dal_copy(s->resid, start, p->n);
    memset(s->iparam, 0, sizeof s->iparam);
    s->iparam[0] = 1; // exact shifts
    s->iparam[2] = p->restarts > 0 ? p->restarts : 300;
    s->iparam[6] = 1; // an ordinary eigenproblem
    for (;;) {
        dnaupd_c(&ido, "I", p->n, "LM", p->wanted, p->tol, s->resid, s->ncv, s->V, p->n, s->iparam, s->ipntr, s->workd,
                 s->workl, s->lworkl, &info);
        if (ido != 1 && ido != -1) {
            break;
        }
        DAL_TRY(p->product(s->workd + s->ipntr[1] - 1, s->workd + s->ipntr[0] - 1, p->user));
    }
    if (info < 0 || (s->iparam[4] == 0 && p->restarts == 0)) {
        return dal_fail(ctx, DAL_NOCONV, "Arnoldi's method: no eigenvalue of %d wanted has converged (%d)", p->wanted,
                        (int)info);
    }
    return DAL_OK;
}

static dal_status run(search *s, double *re, double *im, double *V, int *found, const dal_arnoldi *p,
                      const double *start, dal_ctx *ctx)
{
    a_int info = 0;
    DAL_TRY(iterate(s, p, start, ctx));
    if (s->iparam[4] == 0) {
        return DAL_OK;
    }
    dneupd_c(1, "A", s->select, re, im, V, p->n, 0.0, 0.0, s->workev, "I", p->n, "LM", p->wanted, p->tol, s->resid,
             s->ncv, s->V, p->n, s->iparam, s->ipntr, s->workd, s->workl, s->lworkl, &info);
    if (info != 0) {
        return dal_fail(ctx, DAL_NOCONV, "Arnoldi's method: eigenvectors were not found (%d)", (int)info);
    }
    *found = (int)s->iparam[4];
    return DAL_OK;
}

dal_status dal_arnoldi_solve(double *re, double *im, double *V, int *found, const dal_arnoldi *p, const double *start,
                             dal_ctx *ctx)
{
    *found = 0;
    search s = {.ncv = p->basis, .arena = dal_arena_init(ctx)};
    s.lworkl = 3 * s.ncv * s.ncv + 6 * s.ncv;
    carve(&s, p);
    DAL_TRY(dal_arena_reserve(&s.arena));
    carve(&s, p);
    call_once(&lock_once, make_lock);
    mtx_lock(&lock);
    const dal_status st = run(&s, re, im, V, found, p, start, ctx);
    mtx_unlock(&lock);
    dal_arena_release(&s.arena);
    return st;
}

#else

int dal_arnoldi_available(void)
{
    return 0;
}

dal_status dal_arnoldi_solve(double *re, double *im, double *V, int *found, const dal_arnoldi *p, const double *start,
                             dal_ctx *ctx)
{
    (void)re, (void)im, (void)V, (void)p, (void)start;
    *found = 0;
    return dal_fail(ctx, DAL_EINVAL,
                    "this library was built without ARPACK, which modes of large systems need: install libarpack2-dev "
                    "and build it again, or ask for the dense solver");
}

#endif
