/* Modes of least frequency of a large system at rest, or of a slender one in steady motion: shift and invert (MO.9) on the sparse
 * factors. */
#include <complex.h>
#include <math.h>

#include "analysis/modal_impl.h"
#include "base/message.h"
#include "base/vector.h"
#include "eigen/arnoldi.h"
#include "linearize/linearization.h"
#include "projection/reduce.h"

/* The shift, as a fraction of the highest frequency: small against what is looked for, and its square still large against
 * rounding of the stiffness. Eigenvalues below rigid_tol shifts are zero. */
static const double shift_fraction = 1e-5, rigid_tol = 1e-2;
/* Nothing that is faster than the fastest motion by this factor is a mode: dependent rows leave such traces. */
static const double too_fast = 1.5;
/* Two to four restarts suffice unless rigid modes are in the way: then this is where the search without them begins. */
enum { POWER_STEPS = 40, RESTARTS = 12, INVERSE_STEPS = 6, RIGID_MAX = 6 };

typedef struct shifted {
    dal_ctx *ctx;
    dal_linearization *lin;
    dal_linsol *ls;
    int nv, nc, wanted;
    double sigma, highest;
    char *nonholonomic; /* nc */
    char *state;        /* nv: of first order; its displacement is zero */
    double *b;          /* nv + nc: right side and solution */
    double *start, *re, *im, *V, *d, *w;
    double *sre, *sim;           /* eigenvalues of the system, from those of the operator; sim >= 0 */
    int *flip;                   /* the vector belongs to the conjugate */
    int *order;                  /* numbers of vectors by the magnitude of their eigenvalues */
    const dal_axes_choice *axes; /* in which a motion is steady; NULL: a state of rest */
    double *half, *one;          /* 2 nv: scratch of the filter */
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
        y[i] = s->state[i] ? 0.0 : s->b[i];
        y[s->nv + i] = s->sigma * s->b[i] + (s->state[i] ? 0.0 : f[i]);
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
    s->state = dal_arena_take(&s->arena, (size_t)s->nv, 1);
    s->b = dal_arena_reals(&s->arena, s->nv + s->nc);
    s->start = dal_arena_reals(&s->arena, 2 * s->nv);
    s->d = dal_arena_reals(&s->arena, 2 * s->nv);
    s->w = dal_arena_reals(&s->arena, 2 * s->nv);
    s->re = dal_arena_reals(&s->arena, (int)cols);
    s->im = dal_arena_reals(&s->arena, (int)cols);
    s->sre = dal_arena_reals(&s->arena, (int)cols);
    s->sim = dal_arena_reals(&s->arena, (int)cols);
    s->flip = dal_arena_ints(&s->arena, (int)cols);
    s->order = dal_arena_ints(&s->arena, (int)cols);
    s->half = dal_arena_reals(&s->arena, 2 * s->nv);
    s->one = dal_arena_reals(&s->arena, 2 * s->nv);
    s->V = dal_arena_take(&s->arena, two * cols, sizeof(double));
}

static dal_status shift_to(shifted *s, double fraction)
{
    s->sigma = fraction * (s->highest > 0.0 ? s->highest : 1.0);
    DAL_TRY(dal_linearize_combine(s->ls, s->lin, s->sigma * s->sigma, s->sigma, 1.0));
    return dal_linsol_factor(s->ls);
}

/* With d' = w - H d the system of a steady motion is that of rest with other matrices. */
static void turn(shifted *s, const dal_group *G, const dal_point *at)
{
    for (int f = 0; s->axes && f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        double D[36], H[36];
        if (dal_axes_flat(G, f, s->axes)) {
            continue;
        }
        dal_axes_rate(D, G, f, s->axes, at->q, at->v);
        F->type->hat(H, at->v + F->v, F->nv);
        for (int i = 0; i < F->nv * F->nv; ++i) {
            H[i] += D[i];
        }
        dal_linearize_turn(s->lin, f, D, H);
    }
}

static dal_status prepare(shifted *s, dal_eval *ev, const dal_point *at)
{
    const dal_system *sys = ev->sys;
    const unsigned all = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | (sys->lambda_in_g ? DAL_WANT_G : 0U);
    carve(s);
    DAL_TRY(dal_arena_reserve(&s->arena));
    carve(s);
    for (int c = 0, row = 0; c < sys->nconstraints; row += sys->constraint[c++].nrows) {
        for (int i = 0; i < sys->constraint[c].nrows; ++i) {
            s->nonholonomic[row + i] = (char)(sys->constraint[c].kind == DAL_ROWS_VELOCITY);
        }
    }
    for (int i = 0; i < s->nv; ++i) {
        s->state[i] = (char)dal_is_state(sys, i);
    }
    DAL_TRY(dal_linearize_create_with(&s->lin, s->ctx, ev, all));
    DAL_TRY(dal_linearize_at(s->lin, at));
    turn(s, sys->group, at);
    DAL_TRY(dal_linearize_solver(&s->ls, s->lin, DAL_LINSOL_AUTO));
    DAL_TRY(estimate_highest(s));
    return shift_to(s, shift_fraction);
}

/* ---- from the operator to the system ---------------------------------------------------------- */

/* Is vector j the second one of a pair? */
static int second_of_pair(const shifted *s, int j)
{
    return j > 0 && s->im[j] != 0.0 && s->im[j] == -s->im[j - 1] && s->re[j] == s->re[j - 1];
}

static void set_eigenvalue(shifted *s, int j, double re, double im)
{
    const int zero = hypot(re, im) < rigid_tol * s->sigma;
    s->sre[j] = zero ? 0.0 : re;
    s->sim[j] = zero ? 0.0 : fabs(im);
    s->flip[j] = im < 0.0;
}

/* s = sigma + 1/theta */
static void invert(shifted *s, int found)
{
    for (int j = 0; j < found; ++j) {
        const double size = s->re[j] * s->re[j] + s->im[j] * s->im[j];
        set_eigenvalue(s, j, s->sigma + s->re[j] / size, -s->im[j] / size);
    }
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* The same of the filtered operator, s/(s - sigma)^2 = phi: one of two roots with the product sigma^2. `rough` is off where a vector has
 * something of rigid modes in it, which S enlarges by 1/sigma^2: it only tells these from others, and the smaller root, if that
 * is not zero, from the larger one. */
static void set_root(shifted *s, int j, double complex rough)
{
    const double sigma = s->sigma, zero = rigid_tol * sigma;
    const double complex half = sigma + 0.5 / (s->re[j] + s->im[j] * I), root = csqrt(half * half - sigma * sigma);
    const double complex large = creal(half * conj(root)) < 0.0 ? half - root : half + root,
                         small = sigma * sigma / large;
    const int slow = cabs(small) > zero && cabs(small - rough) < cabs(large - rough);
    const double complex value = cabs(rough) < zero ? 0.0 : slow ? small : large;
    set_eigenvalue(s, j, creal(value), cimag(value));
}

/* Roughly from the vectors, theta = x^H S x/x^H x. */
static dal_status quotients(shifted *s, int found)
{
    const int n = 2 * s->nv;
    for (int j = 0; j < found; ++j) {
        if (second_of_pair(s, j)) {
            continue;
        }
        const double *a = s->V + (size_t)n * (size_t)j, *b = s->im[j] != 0.0 ? a + n : NULL;
        DAL_TRY(apply(s->one, a, s));
        double size = dot(a, a, n), re = dot(a, s->one, n), im = b ? -dot(b, s->one, n) : 0.0;
        if (b) {
            DAL_TRY(apply(s->one, b, s));
            size += dot(b, b, n);
            re += dot(b, s->one, n);
            im += dot(a, s->one, n);
        }
        set_root(s, j, s->sigma + size / (re + im * I));
    }
    return DAL_OK;
}

/* Numbers of the vectors, one of each pair, by ascending magnitude of their eigenvalues; how many. */
static int sort(const shifted *s, int found, int *order)
{
    int n = 0;
    for (int j = 0; j < found; ++j) {
        const double size = hypot(s->sre[j], s->sim[j]);
        if (second_of_pair(s, j)) {
            continue;
        }
        int at = n++;
        for (; at > 0 && hypot(s->sre[order[at - 1]], s->sim[order[at - 1]]) > size; --at) {
            order[at] = order[at - 1];
        }
        order[at] = j;
    }
    return n;
}

static void enter_one(dal_modal *m, shifted *s, int j)
{
    const int nv = s->nv;
    const double *v = s->V + 2 * (size_t)nv * (size_t)j, *iv = s->im[j] != 0.0 ? v + 2 * (size_t)nv : NULL;
    const double sign = s->flip[j] ? -1.0 : 1.0;
    dal_zero(s->d, 2 * nv);
    dal_zero(s->w, 2 * nv);
    dal_copy(s->d, v, nv);
    dal_copy(s->w, v + nv, nv);
    for (int i = 0; iv && i < nv; ++i) {
        s->d[nv + i] = sign * iv[i];
        s->w[nv + i] = sign * iv[nv + i];
    }
    dal_modal_enter(m, s->d, s->w, m->info.n, s->sre[j], s->sim[j], matrix(s, DAL_WANT_M));
}

/* May the displacement s->d, which nothing opposes, go on as a velocity? Then the eigenvalue zero counts twice. */
static int goes_on(shifted *s)
{
    const double *d = s->d;
    dal_zero(s->b, s->nv + s->nc);
    add_product(s->b, 1.0, matrix(s, DAL_WANT_M), d);
    const double inertia = dal_max_abs(s->b, s->nv);
    dal_zero(s->b, s->nv + s->nc);
    add_product(s->b, 1.0, matrix(s, DAL_WANT_C), d);
    add_product(s->b + s->nv, 1.0, matrix(s, DAL_WANT_B), d);
    for (int c = 0; c < s->nc; ++c) {
        s->b[s->nv + c] *= s->nonholonomic[c];
    }
    return dal_max_abs(s->b, s->nv) <= rigid_tol * s->sigma * inertia &&
           dal_max_abs(s->b + s->nv, s->nc) <= rigid_tol * dal_max_abs(d, s->nv);
}

/* The rigid mode s->d. */
static void enter_displacement(dal_modal *m, shifted *s)
{
    m->info.zeros += 1 + goes_on(s);
    dal_zero(s->d + s->nv, s->nv);
    dal_zero(s->w, 2 * s->nv);
    dal_modal_enter(m, s->d, s->w, m->info.n++, 0.0, 0.0, matrix(s, DAL_WANT_M));
}

/* Enter up to `wanted` rigid modes. Displacements of the vectors found, parts of pairs and of chains among them, depend on each other:
 * they are made orthogonal, and those of which nothing is left are no modes. */
static void enter_rigid(dal_modal *m, shifted *s, int found, int wanted)
{
    const int nv = s->nv;
    int zeros = 0, n = 0;
    for (int j = 0; j < found && n < wanted; ++j) {
        double *d = s->V + 2 * (size_t)nv * (size_t)j;
        if (s->sre[j] != 0.0 || s->sim[j] != 0.0) {
            continue;
        }
        ++zeros;
        for (int i = 0; i < nv; ++i) {
            d[i] = s->state[i] ? d[nv + i] : d[i];
        }
        const double before = dot(d, d, nv);
        for (int k = 0; k < 2 * n; ++k) { // twice
            const double *other = s->V + 2 * (size_t)nv * (size_t)s->order[k % n], part = dot(other, d, nv);
            for (int i = 0; i < nv; ++i) {
                d[i] -= part * other[i];
            }
        }
        const double left = dot(d, d, nv);
        if (left > 1e-3 * before) {
            dal_divide(d, d, sqrt(left), nv);
            s->order[n++] = j;
        }
    }
    for (int k = 0; k < n; ++k) {
        dal_copy(s->d, s->V + 2 * (size_t)nv * (size_t)s->order[k], nv);
        enter_displacement(m, s);
    }
    m->info.zeros = m->info.zeros > zeros ? m->info.zeros : zeros;
}

/* Enter up to `wanted` modes that are not rigid. */
static void enter(dal_modal *m, shifted *s, const int *order, int n, int wanted)
{
    for (int k = 0, entered = 0; k < n && entered < wanted; ++k) {
        const double size = hypot(s->sre[order[k]], s->sim[order[k]]);
        if (size > 0.0 && size <= too_fast * s->highest) {
            enter_one(m, s, order[k]);
            m->info.n++;
            ++entered;
        }
    }
}

/* ---- search ----------------------------------------------------------------------------------- */

/* S (1 + sigma S), with eigenvalues s/(s - sigma)^2: rigid modes drop out, the slowest others come first. */
static dal_status filter(double *y, const double *x, void *user)
{
    shifted *s = user;
    DAL_TRY(apply(s->half, x, s));
    DAL_TRY(apply(s->one, s->half, s));
    for (int i = 0; i < 2 * s->nv; ++i) {
        y[i] = s->half[i] + s->sigma * s->one[i];
    }
    return DAL_OK;
}

/* Displacements that the constraints allow, at rest. */
static dal_status begin(shifted *s, dal_arnoldi_product product)
{
    for (int i = 0; i < 2 * s->nv; ++i) {
        s->d[i] = i < s->nv ? noise(i) : 0.0;
    }
    DAL_TRY(apply(s->start, s->d, s));
    dal_zero(s->start + s->nv, s->nv);
    for (int k = 0; k < 2 && product == filter; ++k) {
        DAL_TRY(filter(s->d, s->start, s));
        dal_copy(s->start, s->d, 2 * s->nv);
    }
    return DAL_OK;
}

static dal_status find(shifted *s, dal_arnoldi_product product, int *found)
{
    dal_arnoldi problem = {
        .n = 2 * s->nv, .wanted = s->wanted, .basis = 2 * s->wanted + 20, .product = product, .user = s};
    problem.restarts = product == filter ? 0 : RESTARTS;
    DAL_TRY(begin(s, product));
    DAL_TRY(dal_arnoldi_solve(s->re, s->im, s->V, found, &problem, s->start, s->ctx));
    if (product == filter) {
        return quotients(s, *found);
    }
    invert(s, *found);
    return DAL_OK;
}

/* d := (K + sigma C + sigma^2 M)^-1 M d where the constraints allow it, without what is along the modes entered so far. Returns
 * the factor by which it grew; d has size 1. */
static double inverse_step(const dal_modal *m, shifted *s)
{
    const dal_sparse *M = matrix(s, DAL_WANT_M);
    const int nv = s->nv;
    for (int k = 0; k < m->info.n; ++k) {
        const double *x = dal_modal_shape(m, k);
        dal_zero(s->one, nv);
        add_product(s->one, 1.0, M, x);
        const double part = dot(s->one, s->d, nv) / dot(s->one, x, nv);
        for (int i = 0; i < nv; ++i) {
            s->d[i] -= part * x[i];
        }
    }
    const double before = dal_max_abs(s->d, nv);
    dal_zero(s->b, nv + s->nc);
    add_product(s->b, 1.0, M, s->d);
    dal_linsol_solve_refined(s->ls, s->b);
    const double after = dal_max_abs(s->b, nv);
    for (int i = 0; i < nv; ++i) {
        s->d[i] = s->b[i] / after;
    }
    return after / before;
}

/* Displacements that nothing opposes, one after the other, by inverse iteration: they grow by 1/sigma^2. */
static void find_rigid(dal_modal *m, shifted *s, int wanted)
{
    for (int k = 0; k < wanted && k < RIGID_MAX; ++k) {
        double growth = 0.0;
        for (int i = 0; i < s->nv; ++i) {
            s->d[i] = noise(i + (k + 1) * s->nv);
        }
        for (int step = 0; step < INVERSE_STEPS; ++step) {
            growth = inverse_step(m, s);
        }
        if (!(fabs(growth * s->sigma * s->sigma - 1.0) < rigid_tol)) {
            return;
        }
        enter_displacement(m, s);
    }
}

static int count_zeros(const shifted *s, int found)
{
    int n = 0;
    for (int j = 0; j < found; ++j) {
        n += s->sre[j] == 0.0 && s->sim[j] == 0.0;
    }
    return n;
}

/* Modes near zero. Of slender bodies some may be slow beside the shift, which is smaller then; if they are zero for every one of
 * them, they are rigid. */
static dal_status find_lowest(shifted *s, int slender, int *found)
{
    DAL_TRY(find(s, apply, found));
    for (double fraction = 0.03 * shift_fraction; slender && count_zeros(s, *found) > 0; fraction *= 0.03) {
        const int last = fraction < 1e-8;
        const dal_status st = shift_to(s, last ? shift_fraction : fraction);
        DAL_TRY(st == DAL_SINGULAR && !last ? shift_to(s, shift_fraction) : st);
        DAL_TRY(find(s, apply, found));
        if (last || st == DAL_SINGULAR) {
            break;
        }
    }
    return DAL_OK;
}

/* Modes near zero; if rigid ones are in the way of the others, those once more by themselves. */
static dal_status search(dal_modal *m, shifted *s, int wanted)
{
    int *order = s->order, found, regular = 0;
    DAL_TRY(dal_modal_reserve(m, 2 * wanted + 1));
    m->info.n = 0;
    DAL_TRY(find_lowest(s, m->sys->slender, &found));
    int n = sort(s, found, order);
    for (int k = 0; k < n; ++k) {
        regular += s->sre[order[k]] != 0.0 || s->sim[order[k]] != 0.0;
    }
    enter_rigid(m, s, found, wanted);
    if (found == 0) {
        find_rigid(m, s, wanted);
    }
    if (regular < wanted && (regular < n || found == 0)) {
        DAL_TRY(find(s, filter, &found));
    }
    n = sort(s, found, order);
    enter(m, s, order, n, wanted);
    return DAL_OK;
}

static dal_status attempt(dal_modal *m, dal_eval *ev, const dal_point *at, int n, const dal_axes_choice *axes)
{
    const int nv = ev->nv, nc = ev->nc;
    shifted s = {.ctx = m->ctx, .nv = nv, .nc = nc, .wanted = 2 * n + 2, .axes = axes, .arena = dal_arena_init(m->ctx)};
    s.wanted = s.wanted < nv / 2 ? s.wanted : nv / 2;
    dal_status st = prepare(&s, ev, at);
    m->info.highest = s.highest;
    m->info.velocities = nv - nc;
    m->info.positions = nv - nc - m->info.states;
    st = st != DAL_OK ? st : search(m, &s, n);
    dal_linsol_destroy(s.ls);
    dal_linearize_destroy(s.lin);
    dal_arena_release(&s.arena);
    return st;
}

/* Multipliers la (nc, zero before) of a reduced system that balance the forces at the point: M a + B^T la = -r, B a = 0. */
static dal_status balance(double *la, dal_ctx *ctx, dal_eval *ev, const dal_point *at, double *b)
{
    const int nv = ev->nv, nc = ev->nc;
    dal_linearization *lin = NULL;
    dal_linsol *ls = NULL;
    const dal_residual out = {.r = b};
    const dal_point loose = {.t = at->t, .q = at->q, .v = at->v, .vd = at->vd, .la = la};
    dal_status st = dal_linearize_create_with(&lin, ctx, ev, DAL_WANT_M | DAL_WANT_B);
    st = st != DAL_OK ? st : dal_linearize_at(lin, &loose);
    st = st != DAL_OK ? st : dal_linearize_solver(&ls, lin, DAL_LINSOL_AUTO);
    st = st != DAL_OK ? st : dal_linearize_combine(ls, lin, 1.0, 0.0, 0.0);
    st = st != DAL_OK ? st : dal_linsol_factor(ls);
    st = st != DAL_OK ? st : dal_eval_residual(ev, &out, &loose);
    if (st == DAL_OK) {
        dal_zero(b + nv, nc);
        dal_linsol_solve_refined(ls, b);
        for (int c = 0; c < nc; ++c) {
            la[c] = -b[nv + c];
        }
    }
    dal_linsol_destroy(ls);
    dal_linearize_destroy(lin);
    return st;
}

/* Without the rows that depend on others, with the same data: their memory tells which contacts are closed. */
static dal_status attempt_reduced(dal_modal *m, const dal_eval *whole, const dal_point *at, int n,
                                  const dal_axes_choice *axes)
{
    dal_reduction *r = NULL;
    dal_eval *ev = NULL;
    const size_t nv = (size_t)whole->nv, nc = (size_t)whole->nc;
    double *la = dal_alloc_zero(m->ctx, (nv + 2 * nc + 1) * sizeof *la);
    if (!la) {
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for modes");
    }
    dal_status st = dal_reduction_create_with(&r, m->ctx, whole->sys, whole->data, at->t, at->q, 0.0);
    if (st == DAL_OK && dal_reduction_count(r) == 0) {
        st = dal_fail(m->ctx, DAL_SINGULAR,
                      "the linearised system is singular: a body without mass or inertia may be free to move");
    }
    if (st == DAL_OK) {
        const dal_point there = {.t = at->t, .q = at->q, .v = at->v, .vd = at->vd, .la = la};
        st = dal_eval_create(&ev, m->ctx, dal_reduction_system(r), whole->data);
        st = st != DAL_OK ? st : balance(la, m->ctx, ev, at, la + nc);
        st = st != DAL_OK ? st : attempt(m, ev, &there, n, axes);
        m->info.redundant = dal_reduction_count(r);
    }
    dal_eval_destroy(ev);
    dal_reduction_destroy(r);
    dal_free(m->ctx, la);
    return st;
}

/* About a state of rest, which is checked. */
static dal_status check_rest(dal_modal *m, const dal_system *sys, dal_data *data, const dal_point *at)
{
    dal_steady steady;
    DAL_TRY(dal_steady_rest(&steady, m->ctx, sys, data, at));
    const int nv = sys->group->nv;
    if (steady.steady != DAL_STEADINESS_AT_REST && dal_steady_speed(sys, at) > 0.0) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "the system moves, and with %d velocities only modes about a state of rest are computed; the dense "
            "solver takes motions",
            nv);
    }
    m->info.steady = steady.steady;
    m->info.axes = DAL_AXES_WORLD;
    m->info.acceleration = steady.acceleration;
    return DAL_OK;
}

dal_status dal_modal_sparse(dal_modal *m, const dal_system *sys, dal_data *data, const dal_point *at, int n,
                            const dal_axes_choice *axes)
{
    DAL_TRY(axes ? DAL_OK : check_rest(m, sys, data, at));
    dal_eval *ev;
    DAL_TRY(dal_eval_create(&ev, m->ctx, sys, data));
    m->info.sparse = 1;
    dal_message kept;
    dal_message_keep(&kept, m->ctx);
    dal_status st = attempt(m, ev, at, n, axes);
    if (st == DAL_SINGULAR) {
        st = attempt_reduced(m, ev, at, n, axes);
    }
    dal_eval_destroy(ev);
    return dal_message_settle(&kept, m->ctx, st);
}
