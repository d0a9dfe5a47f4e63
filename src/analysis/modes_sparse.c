/* Modes of least frequency of a large system at rest: shift and invert (MO.9) on the sparse factors. */
#include <math.h>

#include "analysis/modal_impl.h"
#include "base/vector.h"
#include "linsol/arnoldi.h"

/* The shift, as a fraction of the highest frequency: small against what is looked for, and its square still large against
 * rounding of the stiffness. Eigenvalues below rigid_tol shifts are zero. */
static const double shift_fraction = 1e-5, rigid_tol = 1e-2;
enum { POWER_STEPS = 40 };

typedef struct shifted {
    dal_ctx *ctx;
    dal_linearization *lin;
    dal_linsol *ls;
    int nv, nc, wanted;
    double sigma, highest;
    char *nonholonomic; /* nc */
    double *b;          /* nv + nc: right side and solution */
    double *start, *re, *im, *V, *d, *w;
    dal_arena arena;
} shifted;

static const dal_sparse *matrix(const shifted *s, unsigned bit)
{
    return dal_linearize_matrix(s->lin, bit);
}

/* y += a S x */
static void add_product(double *y, double a, const dal_sparse *S, const double *x)
{
    for (int j = 0; j < S->ncols; ++j) {
        for (int l = S->colptr[j]; l < S->colptr[j + 1]; ++l) {
            y[S->row[l]] += a * S->x[l] * x[j];
        }
    }
}

/* (d, w) := (A - sigma E)^-1 E (f, g)                                                                  (MO.9) */
static dal_status apply(double *y, const double *x, void *user)
{
    shifted *s = user;
    const double *f = x, *g = x + s->nv;
    dal_zero(s->b, s->nv + s->nc);
    add_product(s->b, -1.0, matrix(s, DAL_WANT_M), g);
    add_product(s->b, -1.0, matrix(s, DAL_WANT_C), f);
    add_product(s->b, -s->sigma, matrix(s, DAL_WANT_M), f);
    add_product(s->b + s->nv, -1.0 / s->sigma, matrix(s, DAL_WANT_B), f);
    for (int c = 0; c < s->nc; ++c) { // f satisfies the holonomic rows
        s->b[s->nv + c] *= s->nonholonomic[c];
    }
    dal_linsol_solve_refined(s->ls, s->b);
    for (int i = 0; i < s->nv; ++i) {
        y[i] = s->b[i];
        y[s->nv + i] = s->sigma * s->b[i] + f[i];
    }
    return DAL_OK;
}

/* A value in (-1, 1) that looks random, the same in every run. */
static double noise(int k)
{
    const double x = 43758.5453 * sin(12.9898 * (k + 1));
    return 2.0 * (x - floor(x)) - 1.0;
}

/* The highest frequency, by power iteration with the accelerations of K d and of C d. */
static dal_status estimate_highest(shifted *s)
{
    const unsigned bit[] = {DAL_WANT_K, DAL_WANT_C};
    DAL_TRY(dal_linearize_combine(s->ls, s->lin, 1.0, 0.0, 0.0));
    DAL_TRY(dal_linsol_factor(s->ls));
    for (int m = 0; m < 2; ++m) {
        double growth = 0.0;
        for (int i = 0; i < s->nv; ++i) {
            s->d[i] = noise(i);
        }
        for (int k = 0; k < POWER_STEPS; ++k) {
            dal_zero(s->b, s->nv + s->nc);
            add_product(s->b, 1.0, matrix(s, bit[m]), s->d);
            dal_linsol_solve(s->ls, s->b);
            growth = dal_max_abs(s->b, s->nv);
            if (!(growth > 0.0)) {
                break;
            }
            for (int i = 0; i < s->nv; ++i) {
                s->d[i] = s->b[i] / growth;
            }
        }
        s->highest = fmax(s->highest, m == 0 ? sqrt(growth) : growth);
    }
    return DAL_OK;
}

static void carve(shifted *s)
{
    const size_t two = 2 * (size_t)s->nv, cols = (size_t)s->wanted + 1;
    s->nonholonomic = dal_arena_take(&s->arena, (size_t)s->nc, 1);
    s->b = dal_arena_reals(&s->arena, s->nv + s->nc);
    s->start = dal_arena_reals(&s->arena, 2 * s->nv);
    s->d = dal_arena_reals(&s->arena, 2 * s->nv);
    s->w = dal_arena_reals(&s->arena, 2 * s->nv);
    s->re = dal_arena_reals(&s->arena, (int)cols);
    s->im = dal_arena_reals(&s->arena, (int)cols);
    s->V = dal_arena_take(&s->arena, two * cols, sizeof(double));
}

static dal_status prepare(shifted *s, const dal_system *sys, dal_data *data, const dal_point *at)
{
    const unsigned all = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | (sys->lambda_in_g ? DAL_WANT_G : 0U);
    carve(s);
    DAL_TRY(dal_arena_reserve(&s->arena));
    carve(s);
    for (int c = 0, row = 0; c < sys->nconstraints; row += sys->constraint[c++].nrows) {
        for (int i = 0; i < sys->constraint[c].nrows; ++i) {
            s->nonholonomic[row + i] = (char)(sys->constraint[c].nonholonomic != 0);
        }
    }
    DAL_TRY(dal_linearize_create(&s->lin, s->ctx, sys, data, all));
    DAL_TRY(dal_linearize_at(s->lin, at));
    DAL_TRY(dal_linearize_solver(&s->ls, s->lin, DAL_LINSOL_AUTO));
    DAL_TRY(estimate_highest(s));
    s->sigma = shift_fraction * (s->highest > 0.0 ? s->highest : 1.0);
    DAL_TRY(dal_linearize_combine(s->ls, s->lin, s->sigma * s->sigma, s->sigma, 1.0));
    return dal_linsol_factor(s->ls);
}

/* Eigenvalues of the system instead of those of the operator, small ones as zero; *order by magnitude, one of each pair. */
static int translate(shifted *s, int found, int *order)
{
    int n = 0;
    for (int j = 0; j < found; ++j) {
        const double size = s->re[j] * s->re[j] + s->im[j] * s->im[j];
        const double re = s->sigma + s->re[j] / size, im = -s->im[j] / size;
        const int zero = hypot(re, im) < rigid_tol * s->sigma;
        const int pair = s->im[j] != 0.0,
                  second = pair && j > 0 && s->im[j - 1] == -s->im[j] && s->re[j - 1] == s->re[j];
        s->start[j] = zero ? 0.0 : re; // start is not needed any more
        s->start[found + j] = zero ? 0.0 : fabs(im);
        if (second && order[n - 1] == j - 1) {
            continue;
        }
        order[n++] = j;
    }
    for (int k = 1; k < n; ++k) {
        const int j = order[k];
        const double size = hypot(s->start[j], s->start[found + j]);
        int at = k;
        for (; at > 0 && hypot(s->start[order[at - 1]], s->start[found + order[at - 1]]) > size; --at) {
            order[at] = order[at - 1];
        }
        order[at] = j;
    }
    return n;
}

/* Enter the modes found. Two vectors of a chain of the eigenvalue zero are one rigid mode. */
static dal_status enter(dal_modal *m, shifted *s, int found, int wanted, int *order)
{
    const int nv = s->nv, n = translate(s, found, order);
    int entered = 0;
    DAL_TRY(dal_modal_reserve(m, n < wanted ? n : wanted));
    for (int k = 0; k < n && entered < m->info.n; ++k) {
        const int j = order[k];
        const double re = s->start[j], im = s->start[found + j], *v = s->V + 2 * (size_t)nv * (size_t)j;
        const double *iv = s->im[j] != 0.0 && j + 1 <= found ? v + 2 * (size_t)nv : NULL;
        dal_zero(s->d, 2 * nv);
        dal_zero(s->w, 2 * nv);
        dal_copy(s->d, v, nv);
        dal_copy(s->w, v + nv, nv);
        // 1/(s - sigma) and s have imaginary parts of opposite sign
        for (int i = 0; iv && i < nv; ++i) {
            s->d[nv + i] = -iv[i];
            s->w[nv + i] = -iv[nv + i];
        }
        dal_modal_enter(m, entered, re, im, s->d, s->w, matrix(s, DAL_WANT_M));
        const int rigid = m->mode[entered].rigid;
        m->info.zeros += rigid;
        if (rigid && entered > 0 &&
            dal_modal_assurance(dal_modal_shape(m, entered - 1), dal_modal_shape(m, entered), nv) > 0.999) {
            m->info.rigid--;
        } else {
            ++entered;
        }
    }
    m->info.n = entered;
    return DAL_OK;
}

static dal_status search(dal_modal *m, shifted *s, int wanted)
{
    for (int i = 0; i < s->nv; ++i) {
        s->d[i] = noise(i);
    }
    // the start: displacements that the constraints allow, at rest
    DAL_TRY(apply(s->start, s->d, s));
    dal_zero(s->start + s->nv, s->nv);
    const int basis = 2 * s->wanted + 20;
    const dal_arnoldi problem = {.n = 2 * s->nv, .wanted = s->wanted, .basis = basis, .product = apply, .user = s};
    int found;
    DAL_TRY(dal_arnoldi_solve(s->re, s->im, s->V, &found, &problem, s->start, s->ctx));
    int *order = dal_alloc(s->ctx, (size_t)(found + 1) * sizeof *order);
    if (!order) {
        return dal_fail(s->ctx, DAL_ENOMEM, "no memory for modes");
    }
    const dal_status st = enter(m, s, found, wanted, order);
    dal_free(s->ctx, order);
    return st;
}

dal_status dal_modal_sparse(dal_modal *m, const dal_system *sys, dal_data *data, const dal_point *at, int n)
{
    const dal_steady steady = dal_steady_rest(sys->group, at);
    const int nv = sys->group->nv, nc = dal_system_rows(sys);
    if (!dal_arnoldi_available()) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "modes of a system with %d velocities need ARPACK, without which this library was built: install "
            "libarpack2-dev and build it again, or ask for the dense solver",
            nv);
    }
    if (steady.steady != DAL_AT_REST && dal_max_abs(at->v, nv) > 0.0) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "the system moves, and with %d velocities only modes about a state of rest are computed; the dense "
            "solver takes motions",
            nv);
    }
    shifted s = {.ctx = m->ctx, .nv = nv, .nc = nc, .wanted = 2 * n + 2, .arena = dal_arena_new(m->ctx)};
    s.wanted = s.wanted < nv / 2 ? s.wanted : nv / 2;
    dal_status st = prepare(&s, sys, data, at);
    m->info.sparse = 1;
    m->info.steady = steady.steady;
    m->info.axes = DAL_AXES_WORLD;
    m->info.acceleration = steady.acceleration;
    m->info.highest = s.highest;
    m->info.positions = m->info.velocities = nv - nc;
    st = st != DAL_OK ? st : search(m, &s, n);
    dal_linsol_destroy(s.ls);
    dal_linearize_destroy(s.lin);
    dal_arena_release(&s.arena);
    return st;
}
