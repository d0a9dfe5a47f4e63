/* Floquet exponents: the variational equations (MO.1) over one period of a motion, by Radau IIA with three stages. */
#include <math.h>
#include <string.h>

#include "analysis/modal_impl.h"
#include "base/vector.h"
#include "dalembert/sim.h"

enum { STAGES = 3, STEPS_MIN = 128, STEPS_MAX = 4000, UNKNOWNS_MAX = 3000 };
/* Steps for a period of the fastest motion; relative change of the coefficients after a period that counts as none. */
static const double steps_per_swing = 60.0, period_tol = 1e-6;
/* Multipliers this close to 1 belong to the exponent zero. */
static const double unit_tol = 1e-6;

/* What is carried along the motion. */
typedef struct variation {
    dal_ctx *ctx;
    dal_pencil *p;     /* at the start: bases */
    dal_pencil *stage; /* at a stage */
    int nv, nr, n;     /* velocities, independent rows, columns */
    int m;             /* unknowns of a step */
    double h;
    int at;          /* stages that have come in this step */
    const double *a; /* STAGES x STAGES, row by row */
    double *d, *w;   /* nv x n: the perturbations */
    double *S, *X;   /* m x m, m x n: the system of a step */
    double *q, *v;   /* the end of the motion */
    dal_arena arena;
} variation;

/* ---- one step --------------------------------------------------------------------------------- */

/* X[row.., ..] = w0 terms: right sides of stage i, from the perturbations at the start of the step. */
static void right_sides(variation *s, int i)
{
    const dal_pencil *p = s->stage;
    const int nv = s->nv, n = s->n, row = i * (2 * nv + s->nr);
    for (int col = 0; col < n; ++col) {
        const double *d = s->d + dal_entry(0, col, nv), *w = s->w + dal_entry(0, col, nv);
        double *x = s->X + dal_entry(row, col, s->m);
        for (int r = 0; r < nv; ++r) {
            double kinematic = w[r], dynamic = 0.0;
            for (int j = 0; j < nv; ++j) {
                kinematic -= p->H[dal_entry(r, j, nv)] * d[j];
                dynamic -= p->C[dal_entry(r, j, nv)] * w[j] + p->K[dal_entry(r, j, nv)] * d[j];
            }
            x[r] = kinematic;
            x[nv + r] = dynamic;
        }
        for (int r = 0; r < s->nr; ++r) {
            const int c = dal_kernel_row(s->p->rows, r);
            double sum = 0.0;
            for (int j = 0; j < nv; ++j) {
                sum -= p->B[dal_entry(c, j, p->nc)] * w[j] + p->Z[dal_entry(c, j, p->nc)] * d[j];
            }
            x[2 * nv + r] = sum;
        }
    }
}

/* S[row.., ..]: stage i. Unknowns of a stage: d', w', multipliers. */
static void equations(variation *s, int i)
{
    const dal_pencil *p = s->stage;
    const int nv = s->nv, size = 2 * nv + s->nr, row = i * size, m = s->m;
    for (int l = 0; l < STAGES; ++l) {
        const double ha = s->h * s->a[STAGES * i + l];
        const int col = l * size;
        for (int j = 0; j < nv; ++j) {
            for (int r = 0; r < nv; ++r) {
                const size_t e = dal_entry(r, j, nv);
                const double same = l == i && r == j ? 1.0 : 0.0;
                s->S[dal_entry(row + r, col + j, m)] = same + ha * p->H[e];
                s->S[dal_entry(row + r, col + nv + j, m)] = r == j ? -ha : 0.0;
                s->S[dal_entry(row + nv + r, col + j, m)] = ha * p->K[e];
                s->S[dal_entry(row + nv + r, col + nv + j, m)] = (l == i ? p->M[e] : 0.0) + ha * p->C[e];
            }
            for (int r = 0; r < s->nr; ++r) {
                const int c = dal_kernel_row(s->p->rows, r);
                s->S[dal_entry(row + 2 * nv + r, col + j, m)] = ha * p->Z[dal_entry(c, j, p->nc)];
                s->S[dal_entry(row + 2 * nv + r, col + nv + j, m)] = ha * p->B[dal_entry(c, j, p->nc)];
            }
        }
        for (int r = 0; r < s->nr && l == i; ++r) {
            memcpy(&s->S[dal_entry(row + nv, col + 2 * nv + r, m)],
                   p->F + dal_entry(0, dal_kernel_row(s->p->rows, r), nv), (size_t)nv * sizeof(double));
        }
    }
}

static dal_status finish_step(variation *s)
{
    const int nv = s->nv, size = 2 * nv + s->nr;
    DAL_TRY(dal_matrix_solve(s->S, s->X, s->m, s->n, s->ctx));
    for (int col = 0; col < s->n; ++col) {
        for (int l = 0; l < STAGES; ++l) {
            const double hb = s->h * s->a[STAGES * (STAGES - 1) + l]; // the last stage is the end of the step
            const double *x = s->X + dal_entry(l * size, col, s->m);
            for (int r = 0; r < nv; ++r) {
                s->d[dal_entry(r, col, nv)] += hb * x[r];
                s->w[dal_entry(r, col, nv)] += hb * x[nv + r];
            }
        }
    }
    s->at = 0;
    memset(s->S, 0, (size_t)s->m * (size_t)s->m * sizeof(double));
    return DAL_OK;
}

/* The motion at a stage, in the order of time. */
static dal_status take_stage(dal_sim *sim, const dal_point *at, void *user)
{
    variation *s = user;
    const dal_axes_choice body = {.body = 1};
    (void)sim;
    DAL_TRY(dal_pencil_at(s->stage, at, &body));
    equations(s, s->at);
    right_sides(s, s->at);
    if (++s->at < STAGES) {
        return DAL_OK;
    }
    dal_copy(s->q, at->q, s->p->sys->group->nq);
    dal_copy(s->v, at->v, s->nv);
    return finish_step(s);
}

/* ---- one period ------------------------------------------------------------------------------- */

static void carve(variation *s, double **times, int nsteps)
{
    const size_t nv = (size_t)s->nv, m = (size_t)s->m, n = (size_t)s->n;
    s->d = dal_arena_take(&s->arena, nv * n, sizeof(double));
    s->w = dal_arena_take(&s->arena, nv * n, sizeof(double));
    s->S = dal_arena_take(&s->arena, m * m, sizeof(double));
    s->X = dal_arena_take(&s->arena, m * n, sizeof(double));
    s->q = dal_arena_reals(&s->arena, s->p->sys->group->nq);
    s->v = dal_arena_reals(&s->arena, s->nv);
    *times = dal_arena_reals(&s->arena, STAGES * nsteps);
}

static dal_status run(variation *s, const dal_point *at, double *times, int nsteps)
{
    const double root = sqrt(6.0), c[STAGES] = {(4.0 - root) / 10.0, (4.0 + root) / 10.0, 1.0};
    dal_options opt = dal_options_init();

    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.stages = 5;
    opt.h = s->h;
    opt.redundant = DAL_REDUNDANT_DROP;
    for (int k = 0; k < STAGES * nsteps; ++k) {
        const int step = k / STAGES;
        times[k] = at->t + s->h * (step + c[k % STAGES]);
    }
    dal_sim *sim = NULL;
    const dal_sampling when = {.times = times, .n = STAGES * nsteps};
    dal_status st = dal_sim_create(&sim, s->ctx, s->p->sys, &opt);
    st = st != DAL_OK ? st : dal_sim_start(sim, NULL, at->t, at->q, at->v);
    st = st != DAL_OK ? st : dal_sim_sample(sim, &when, take_stage, s);
    st = st != DAL_OK ? st : dal_sim_run(sim, NULL, times[STAGES * nsteps - 1]);
    dal_sim_destroy(sim);
    return st;
}

/* Is the motion back where it was, as far as the coefficients are concerned? Bases of the start, carried over in axes that do not
 * turn, must be bases here, and give the same matrix. */
static dal_status check_period(variation *s, const dal_point *at, double period)
{
    const dal_axes_choice world = {0}, body = {.body = 1};
    const int nv = s->nv;
    double defect, apart = 0.0, size = 1.0;
    for (int i = 0; i < nv; ++i) {
        apart = fmax(apart, fabs(s->v[i] - at->v[i]));
        size = fmax(size, fabs(at->v[i]));
    }
    const dal_point end = {.t = at->t + period, .q = s->q, .v = s->v, .vd = at->vd, .la = at->la};
    DAL_TRY(dal_pencil_at(s->stage, &end, &body));
    DAL_TRY(dal_pencil_carry(s->stage, &defect, s->p, &world, at->q, s->q, period));
    DAL_TRY(dal_pencil_reduce(s->stage));
    double most = 0.0, change = 0.0;
    for (int i = 0; i < s->n * s->n; ++i) {
        most = fmax(most, fabs(s->p->A[i]));
        change = fmax(change, fabs(s->p->A[i] - s->stage->A[i]));
    }
    change = fmax(fmax(defect, apart / size), most > 0.0 ? change / most : change);
    return change <= period_tol ? DAL_OK
                                : dal_fail(s->ctx, DAL_ECHECK,
                                           "%g s is not a period of the motion: after that time velocities or "
                                           "coefficients differ by %.1e (relative)",
                                           period, change);
}

/* ---- exponents -------------------------------------------------------------------------------- */

/* Monodromy matrix: x = Nh^T d, y = N^T (w - W x) at the end. */
static void monodromy(variation *s, double *Phi)
{
    const dal_pencil *p = s->p;
    const int nv = s->nv, n = s->n;
    for (int col = 0; col < n; ++col) {
        double *x = Phi + dal_entry(0, col, n), *w = s->w + dal_entry(0, col, nv);
        dal_matrix_product(x, 0.0, 1.0, p->Nh, 1, s->d + dal_entry(0, col, nv), 0, p->np, 1, nv);
        dal_matrix_product(w, 1.0, -1.0, p->W, 0, x, 0, nv, 1, p->np);
        dal_matrix_product(x + p->np, 0.0, 1.0, p->N, 1, w, 0, p->nf, 1, nv);
    }
}

/* Enter the exponents log(mu)/T with their shapes at the start, sorted by magnitude. */
static dal_status enter(dal_modal *m, variation *s, double *Phi, double period, int wanted)
{
    const dal_pencil *p = s->p;
    const int n = s->n, nv = s->nv;
    double *re = dal_alloc(m->ctx, ((size_t)n * ((size_t)n + 4) + 4 * (size_t)nv) * sizeof(double));
    int *order = dal_alloc(m->ctx, (size_t)(n + 1) * sizeof *order), count = 0;
    if (!re || !order) {
        dal_free(m->ctx, re);
        dal_free(m->ctx, order);
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for modes");
    }
    double *im = re + n, *V = im + n, *d = V + (size_t)n * (size_t)n, *w = d + 2 * nv;
    dal_status st = dal_eigen_general(re, im, V, Phi, n, m->ctx);
    for (int j = 0; j < n && st == DAL_OK; ++j) {
        const double x = re[j], y = im[j], unit = hypot(x - 1.0, y) < unit_tol;
        re[j] = unit != 0.0 ? 0.0 : log(hypot(x, y)) / period;
        im[j] = unit != 0.0 ? 0.0 : atan2(y, x) / period;
        if (y >= 0.0) {
            int at = count++;
            for (; at > 0 && hypot(re[order[at - 1]], im[order[at - 1]]) > hypot(re[j], im[j]); --at) {
                order[at] = order[at - 1];
            }
            order[at] = j;
        }
        m->info.zeros += unit != 0.0;
        m->info.highest = fmax(m->info.highest, hypot(re[j], im[j]));
    }
    st = st != DAL_OK ? st : dal_modal_reserve(m, count < 2 * wanted ? count : 2 * wanted);
    for (int k = 0; k < m->info.n && st == DAL_OK; ++k) {
        const int j = order[k], pair = j + 1 < n && im[j] > 0.0 && im[j + 1] < 0.0;
        for (int part = 0; part < 2; ++part) {
            const double *z = V + dal_entry(0, j + part, n);
            dal_zero(d + part * nv, nv);
            dal_zero(w + part * nv, nv);
            if (part == 0 || pair) {
                dal_matrix_product(d + part * nv, 0.0, 1.0, p->Nh, 0, z, 0, nv, 1, p->np);
                dal_matrix_product(w + part * nv, 0.0, 1.0, p->P, 0, z, 0, nv, 1, n);
            }
        }
        dal_modal_enter(m, d, w, k, re[j], im[j], dal_linearize_matrix(p->lin, DAL_WANT_M));
    }
    dal_free(m->ctx, re);
    dal_free(m->ctx, order);
    return st;
}

static dal_status exponents(dal_modal *m, variation *s, const dal_point *at, double period, int wanted, double *times,
                            int nsteps)
{
    const dal_pencil *p = s->p;
    const size_t nv = (size_t)s->nv;
    memcpy(s->d, p->Nh, nv * (size_t)p->np * sizeof(double));
    memset(s->d + nv * (size_t)p->np, 0, nv * (size_t)p->nf * sizeof(double));
    memcpy(s->w, p->P, nv * (size_t)s->n * sizeof(double));
    DAL_TRY(run(s, at, times, nsteps));
    DAL_TRY(check_period(s, at, period));
    double *Phi = dal_alloc(m->ctx, (size_t)s->n * (size_t)s->n * sizeof *Phi);
    if (!Phi) {
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for modes");
    }
    monodromy(s, Phi);
    const dal_status st = enter(m, s, Phi, period, wanted);
    dal_free(m->ctx, Phi);
    return st;
}

/* The fastest motion of the frozen coefficients, from the size of the matrix. */
static double fastest(const dal_pencil *p)
{
    double stiff = 0.0, damped = 0.0;
    for (int j = 0; j < p->n; ++j) {
        for (int i = p->np; i < p->n; ++i) {
            double *to = j < p->np ? &stiff : &damped;
            *to = fmax(*to, fabs(p->A[dal_entry(i, j, p->n)]));
        }
    }
    return fmax(sqrt(stiff), damped);
}

dal_status dal_modal_floquet(dal_modal *m, dal_pencil *p, dal_data *data, const dal_point *at, double period,
                             int wanted)
{
    static const double r = 2.449489742783178; // sqrt(6)
    const double a[STAGES * STAGES] = {(88.0 - 7.0 * r) / 360.0,
                                       (296.0 - 169.0 * r) / 1800.0,
                                       (-2.0 + 3.0 * r) / 225.0,
                                       (296.0 + 169.0 * r) / 1800.0,
                                       (88.0 + 7.0 * r) / 360.0,
                                       (-2.0 - 3.0 * r) / 225.0,
                                       (16.0 - r) / 36.0,
                                       (16.0 + r) / 36.0,
                                       1.0 / 9.0};
    const dal_axes_choice body = {.body = 1};
    DAL_TRY(dal_pencil_at(p, at, &body));
    DAL_TRY(dal_pencil_bases(p));
    DAL_TRY(dal_pencil_reduce(p));
    const double swings = period * fastest(p) / 6.283185307179586;
    const int nsteps = (int)fmin(fmax(STEPS_MIN, ceil(steps_per_swing * swings)), STEPS_MAX);
    variation s = {.ctx = m->ctx, .p = p, .nv = p->nv, .nr = p->nv - p->nf, .n = p->n, .a = a};
    s.m = STAGES * (2 * s.nv + s.nr);
    s.h = period / nsteps;
    if (s.m > UNKNOWNS_MAX) {
        return dal_fail(m->ctx, DAL_EINVAL, "Floquet exponents of a system with %d velocities would take too long",
                        p->nv);
    }
    s.arena = dal_arena_init(m->ctx);
    double *times;
    carve(&s, &times, nsteps);
    dal_status st = dal_arena_reserve(&s.arena);
    carve(&s, &times, nsteps);
    st = st != DAL_OK ? st : dal_pencil_create(&s.stage, m->ctx, p->sys, data);
    st = st != DAL_OK ? st : exponents(m, &s, at, period, wanted, times, nsteps);
    dal_pencil_destroy(s.stage);
    dal_arena_release(&s.arena);
    m->info.positions = p->np;
    m->info.velocities = p->nf;
    m->info.redundant = p->nc - s.nr;
    m->info.steady = DAL_STEADINESS_FLOQUET;
    m->info.axes = DAL_AXES_BODY;
    m->info.period = period;
    return st;
}
