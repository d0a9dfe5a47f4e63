/* Is a motion steady, and in which axes are its coefficients constant? Two instants are compared. */
#include <math.h>
#include <string.h>

#include "analysis/modal_impl.h"
#include "base/vector.h"
#include "dalembert/linearize.h"
#include "system/eval.h"

/* Velocities and accelerations below these count as zero, in rad or lengths of the system a second; coefficients that change by less as
 * constant. */
static const double rest_tol = 1e-9, acceleration_tol = 1e-6, drift_tol = 1e-6;
/* Stretching of thin beams makes accelerations of rounding in the places of their nodes. */
static const double slender_tol = 1e-2;

static double still_tol(const dal_system *sys)
{
    return sys->slender ? slender_tol : acceleration_tol;
}

/* Fraction of a radian, or of the length of the system, that the fastest part moves between the two instants. */
static const double travel = 0.7;

/* The second instant, and what it takes to get there. */
typedef struct second {
    dal_pencil *p;
    dal_data *data, *own;
    double *q, *v, *vd, *la, *r, *gap, *work;
    double *vdd, *rate, *shift; /* v'', rates of r and acc, displacement along the motion */
    dal_eval *ev;               /* for its units */
    double speed;               /* at the first instant, in units of displacements */
    dal_arena arena;
} second;

static void carve(second *s, const dal_system *sys)
{
    const int nv = sys->group->nv, nc = dal_system_rows(sys);
    s->q = dal_arena_reals(&s->arena, sys->group->nq);
    s->v = dal_arena_reals(&s->arena, nv);
    s->vd = dal_arena_reals(&s->arena, nv);
    s->r = dal_arena_reals(&s->arena, nv);
    s->la = dal_arena_reals(&s->arena, nc);
    s->gap = dal_arena_reals(&s->arena, 2 * nc);
    s->work = dal_arena_reals(&s->arena, nv + nc);
    s->vdd = dal_arena_reals(&s->arena, nv);
    s->rate = dal_arena_reals(&s->arena, nv + nc);
    s->shift = dal_arena_reals(&s->arena, nv);
}

static void release(second *s)
{
    dal_pencil_destroy(s->p);
    dal_eval_destroy(s->ev);
    dal_data_destroy(s->own);
    dal_arena_release(&s->arena);
}

static dal_status prepare(second *s, dal_pencil *p, dal_data *data)
{
    *s = (second){.arena = dal_arena_init(p->ctx), .data = data};
    carve(s, p->sys);
    dal_status st = dal_arena_reserve(&s->arena);
    carve(s, p->sys);
    if (st == DAL_OK && !data) {
        st = dal_data_create(&s->own, p->ctx, p->sys);
        s->data = s->own;
    }
    st = st != DAL_OK ? st : dal_eval_create(&s->ev, p->ctx, p->sys, s->data);
    return st != DAL_OK ? st : dal_pencil_create(&s->p, p->ctx, p->sys, s->data);
}

/* The largest component in units of displacements, states of first order apart. (SX.1) */
static double size_of(const dal_eval *ev, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < ev->nv; ++i) {
        most = dal_is_state(ev->sys, i) ? most : fmax(most, fabs(x[i]) * ev->per_unit[i]);
    }
    return most;
}

/* Rates of the residual and of the acceleration level along the motion, v' and lambda held: differences of fourth order. */
static dal_status rates(second *s, const dal_point *at)
{
    static const double weight[] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    static const double place[] = {-2.0, -1.0, 1.0, 2.0};
    const int nv = s->p->nv, nc = s->p->nc;
    const double step = 1e-3 / fmax(1.0, s->speed);
    const dal_residual out = {.r = s->r, .acc = s->gap};
    dal_zero(s->rate, nv + nc);
    for (int k = 0; k < 4; ++k) {
        const double dt = place[k] * step;
        for (int i = 0; i < nv; ++i) {
            s->shift[i] = dt * at->v[i];
            s->v[i] = at->v[i] + dt * at->vd[i];
        }
        dal_retract(s->p->sys->group, s->q, at->q, s->shift);
        const dal_point moved = {.t = at->t + dt, .q = s->q, .v = s->v, .vd = at->vd, .la = at->la};
        DAL_TRY(dal_data_residual(s->data, &out, &moved));
        for (int i = 0; i < nv + nc; ++i) {
            s->rate[i] += weight[k] / step * (i < nv ? s->r[i] : s->gap[i - nv]);
        }
    }
    return DAL_OK;
}

/* v'' from M v'' + F lambda' + r' = 0 and B v'' + acc' = 0; p is reduced at the point. */
static dal_status jerk(second *s, dal_pencil *p, const dal_point *at)
{
    const int nv = p->nv, nc = p->nc, nf = p->nf;
    DAL_TRY(rates(s, at));
    for (int c = 0; c < nc; ++c) {
        s->work[c] = -s->rate[nv + c];
    }
    dal_kernel_least(p->rows, s->vdd, s->work, 1);
    dal_copy(s->r, s->rate, nv);
    dal_matrix_product(s->r, 1.0, 1.0, p->M, 0, s->vdd, 0, nv, 1, nv);
    dal_matrix_product(s->work, 0.0, -1.0, p->L, 1, s->r, 0, nf, 1, nv);
    memcpy(p->work, p->Mr, (size_t)nf * (size_t)nf * sizeof(double));
    DAL_TRY(dal_matrix_solve(p->work, s->work, nf, 1, p->ctx));
    dal_matrix_product(s->vdd, 1.0, 1.0, p->N, 0, s->work, 0, nv, 1, nf);
    return DAL_OK;
}

/* Multipliers with which the steady motion satisfies the equations of motion at the second instant. *gap: what is left,
 * relative to the forces. */
static dal_status balance(second *s, const dal_point *at, const dal_axes_choice *axes, double *gap)
{
    const int nv = s->p->nv, nc = s->p->nc;
    const dal_residual out = {.r = s->r, .Phi = s->gap, .vel = s->gap + nc};
    dal_zero(s->gap, 2 * nc);
    for (int i = 0; i < 2; ++i) { // twice, where forces depend on the reactions
        dal_kernel *rows = NULL;
        DAL_TRY(dal_data_residual(s->data, &out, at));
        DAL_TRY(dal_pencil_at(s->p, at, axes));
        for (int c = 0; c < nc; ++c) {
            for (int j = 0; j < nv; ++j) {
                s->p->work[dal_entry(c, j, nc)] = s->p->F[dal_entry(j, c, nv)];
            }
        }
        DAL_TRY(dal_kernel_create(&rows, s->p->ctx, s->p->work, nc, nv, 1e-10));
        dal_kernel_transposed(rows, s->work, s->r, 1);
        dal_kernel_destroy(rows);
        for (int c = 0; c < nc; ++c) {
            s->la[c] -= s->work[c];
        }
    }
    DAL_TRY(dal_data_residual(s->data, &out, at));
    DAL_TRY(dal_pencil_at(s->p, at, axes));
    // work of the reactions and of inertia, a thousandth of what bends the motion in a second where there is none
    const double *unit = s->ev->unit;
    dal_matrix_product(s->work, 0.0, 1.0, s->p->M, 0, at->vd, 0, nv, 1, nv);
    double force = dal_max_product(s->work, unit, nv), most = 0.0;
    for (int i = 0; i < nv; ++i) {
        force = fmax(force, 1e-3 * fmax(1.0, s->speed) * fabs(s->p->M[dal_entry(i, i, nv)]) * unit[i] * unit[i]);
        for (int c = 0; c < nc; ++c) {
            force = fmax(force, fabs(s->p->F[dal_entry(i, c, nv)] * s->la[c]) * unit[i]);
        }
    }
    for (int c = 0; c < nc; ++c) {
        double reach = 0.0;
        for (int i = 0; i < nv; ++i) {
            reach = fmax(reach, fabs(s->p->B[dal_entry(c, i, nc)]) * unit[i]);
        }
        reach = reach > 0.0 ? reach : 1.0;
        most = fmax(most, fmax(fabs(s->gap[c]), fabs(s->gap[nc + c]) / fmax(1.0, s->speed)) / reach);
    }
    *gap = fmax(dal_max_product(s->r, unit, nv) / force, most);
    return DAL_OK;
}

/* Largest difference of the two matrices, relative to the largest entry, with times in units in which both are balanced. */
static double difference(const dal_pencil *p, const dal_pencil *q)
{
    double low = 0.0, most = 0.0, change = 0.0;
    for (int j = 0; j < p->np; ++j) {
        for (int i = p->np; i < p->n; ++i) {
            low = fmax(low, fabs(p->A[dal_entry(i, j, p->n)]));
        }
    }
    const double scale = low > 0.0 ? sqrt(low) : 1.0;
    for (int j = 0; j < p->n; ++j) {
        for (int i = 0; i < p->n; ++i) {
            const size_t e = (size_t)i + (size_t)j * (size_t)p->n;
            const double unit = (i < p->np ? 1.0 : 1.0 / scale) * (j < p->np ? 1.0 : scale);
            most = fmax(most, fabs(unit * p->A[e]));
            change = fmax(change, fabs(unit * (p->A[e] - q->A[e])));
        }
    }
    return most > 0.0 ? change / most : change;
}

/* Relative change of the coefficients in these axes. */
static dal_status compare(double *drift, dal_pencil *p, second *s, const dal_point *at, const dal_axes_choice *axes)
{
    const dal_axes_state from = {at->q, at->v, at->vd, NULL};
    const double dt = travel / s->speed;
    double gap, defect;
    dal_axes_advance(s->q, s->v, s->vd, p->sys->group, axes, &from, dt);
    dal_copy(s->la, at->la, p->nc);
    const dal_point to = {.t = at->t + dt, .q = s->q, .v = s->v, .vd = s->vd, .la = s->la};
    DAL_TRY(balance(s, &to, axes, &gap));
    DAL_TRY(dal_pencil_carry(s->p, &defect, p, axes, at->q, s->q, dt));
    DAL_TRY(dal_pencil_reduce(s->p));
    *drift = fmax(fmax(gap, defect), difference(p, s->p));
    return DAL_OK;
}

double dal_steady_speed(const dal_system *sys, const dal_point *at)
{
    double most = 0.0;
    for (int i = 0; i < sys->group->nv; ++i) {
        most = dal_is_state(sys, i) ? most : fmax(most, fabs(at->v[i]));
    }
    return most;
}

/* noise (2 nv): sum_j |K_ij| unit_j, then M_ii */
static void stiffness_of_rows(double *noise, const dal_linearization *lin, const dal_eval *ev)
{
    const dal_sparse *M = dal_linearize_matrix(lin, DAL_WANT_M), *K = dal_linearize_matrix(lin, DAL_WANT_K);
    for (int j = 0; j < ev->nv; ++j) {
        for (int k = K->colptr[j]; k < K->colptr[j + 1]; ++k) {
            noise[K->row[k]] += fabs(K->x[k]) / ev->per_unit[j];
        }
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; ++k) {
            noise[ev->nv + j] += M->row[k] == j ? M->x[k] : 0.0;
        }
    }
}

/* Are accelerations a no more than rounding of places makes of stiff elements: eps sum_j |K_ij| unit_j/M_ii, of slender bodies? */
static dal_status is_rounding(int *yes, dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_eval *ev,
                              const dal_point *at, const double *a)
{
    static const double eps = 2e-15; // ten roundings
    dal_linearization *lin;
    double *noise = dal_alloc_zero(ctx, (2 * (size_t)ev->nv + 1) * sizeof *noise);
    if (!noise) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for modes");
    }
    dal_status st = dal_linearize_create(&lin, ctx, sys, data, DAL_WANT_M | DAL_WANT_K);
    if (st == DAL_OK) {
        st = dal_linearize_at(lin, at);
        stiffness_of_rows(noise, lin, ev);
        dal_linearize_destroy(lin);
    }
    *yes = st == DAL_OK;
    for (int i = 0; i < ev->nv; ++i) {
        const double least = slender_tol / ev->per_unit[i], mass = noise[ev->nv + i];
        *yes = *yes && (fabs(a[i]) <= least || fabs(a[i]) * mass <= eps * noise[i]);
    }
    dal_free(ctx, noise);
    return st;
}

/* Do accelerations a, in units of displacements or by the rounding of slender bodies, count as zero? */
static dal_status is_still(int *yes, dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_eval *ev,
                           const dal_point *at, const double *a, double allowed)
{
    *yes = dal_max_product(a, ev->per_unit, ev->nv) <= allowed;
    return *yes || !sys->slender ? DAL_OK : is_rounding(yes, ctx, sys, data, ev, at, a);
}

dal_status dal_steady_rest(dal_steady *s, dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_point *at)
{
    dal_eval *ev;
    DAL_TRY(dal_eval_create(&ev, ctx, sys, data));
    *s = (dal_steady){.acceleration = dal_max_abs(at->vd, sys->group->nv), .steady = DAL_STEADINESS_FROZEN};
    s->still = size_of(ev, at->v) <= rest_tol;
    int rests = 0;
    const dal_status st = s->still ? is_still(&rests, ctx, sys, data, ev, at, at->vd, still_tol(sys)) : DAL_OK;
    s->steady = rests ? DAL_STEADINESS_AT_REST : s->steady;
    dal_eval_destroy(ev);
    return st;
}

/* Angular velocity of the fastest turning body. */
static void fastest(double w[3], const dal_group *G, const dal_point *at)
{
    double most = 0.0;
    w[0] = w[1] = w[2] = 0.0;
    for (int f = 0; f < G->nfactors; ++f) {
        double spin[3];
        dal_axes_spin(spin, G, f, at->q, at->v);
        const double size = hypot(hypot(spin[0], spin[1]), spin[2]);
        if (size > (1.0 + 1e-9) * most) {
            most = size;
            dal_copy(w, spin, 3);
        }
    }
}

dal_status dal_steady_turning(dal_steady *s, dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_point *at)
{
    const dal_axes_state state = {at->q, at->v, at->vd, NULL};
    const int nv = sys->group->nv;
    dal_eval *ev;
    DAL_TRY(dal_eval_create(&ev, ctx, sys, data));
    double *work = dal_alloc(ctx, ((size_t)nv + 1) * sizeof *work);
    if (!work) {
        dal_eval_destroy(ev);
        return dal_fail(ctx, DAL_ENOMEM, "no memory for modes");
    }
    *s = (dal_steady){.axes.sys = sys, .steady = DAL_STEADINESS_FROZEN};
    fastest(s->axes.turning, sys->group, at);
    s->acceleration = dal_axes_unsteady(sys->group, work, &s->axes, &state);
    int rests = 0;
    const dal_status st =
        is_still(&rests, ctx, sys, data, ev, at, work, still_tol(sys) * fmax(1.0, size_of(ev, at->v)));
    s->steady = rests ? DAL_STEADINESS_STEADY : s->steady;
    dal_free(ctx, work);
    dal_eval_destroy(ev);
    return st;
}

static dal_status reduce(dal_pencil *p, const dal_point *at, const dal_axes_choice *axes)
{
    DAL_TRY(dal_pencil_at(p, at, axes));
    DAL_TRY(dal_pencil_bases(p));
    return dal_pencil_reduce(p);
}

/* Axes to be tried, best first; their number. */
static dal_status candidates(dal_axes_choice list[4], int *n, dal_pencil *p, second *other, const dal_point *at,
                             dal_axes wanted)
{
    const dal_group *G = p->sys->group;
    const dal_axes_state state = {at->q, at->v, at->vd, other->vdd};
    *n = 0;
    if (wanted == DAL_AXES_AUTO || wanted == DAL_AXES_WORLD) {
        list[(*n)++] = (dal_axes_choice){.sys = p->sys};
    }
    if (wanted == DAL_AXES_AUTO || wanted == DAL_AXES_TURNING) {
        dal_axes_choice fit = {.sys = p->sys}, fast = {.sys = p->sys};
        DAL_TRY(reduce(p, at, &fit));
        DAL_TRY(jerk(other, p, at));
        DAL_TRY(dal_axes_fit(fit.turning, p->ctx, p->sys, &state));
        fastest(fast.turning, G, at);
        if (dal_max_abs(fit.turning, 3) > rest_tol) {
            list[(*n)++] = fit;
        }
        if (dal_max_abs(fast.turning, 3) > rest_tol) {
            list[(*n)++] = fast;
        }
    }
    if (wanted == DAL_AXES_AUTO || wanted == DAL_AXES_BODY || *n == 0) {
        list[(*n)++] = (dal_axes_choice){.body = wanted != DAL_AXES_TURNING, .sys = p->sys};
    }
    return DAL_OK;
}

/* Try the axes one after the other. */
static dal_status search(dal_steady *s, dal_pencil *p, second *other, const dal_point *at, const dal_axes_choice *list,
                         int n)
{
    const dal_group *G = p->sys->group;
    const dal_axes_state state = {at->q, at->v, at->vd, NULL};
    const double allowed = still_tol(p->sys) * fmax(1.0, other->speed);
    for (int i = 0; i < n; ++i) {
        const double rest = dal_axes_unsteady(G, other->work, &list[i], &state);
        double drift = INFINITY;
        if (i == 0 || rest < s->acceleration) {
            s->acceleration = rest;
        }
        if (dal_max_product(other->work, other->ev->per_unit, p->nv) > allowed) {
            continue;
        }
        DAL_TRY(reduce(p, at, &list[i]));
        DAL_TRY(compare(&drift, p, other, at, &list[i]));
        if (i == 0 || drift < s->drift) {
            s->drift = drift;
            s->axes = list[i];
        }
        if (drift <= drift_tol) {
            s->steady = DAL_STEADINESS_STEADY;
            s->acceleration = rest;
            return DAL_OK;
        }
    }
    s->axes = list[0];
    return reduce(p, at, &s->axes);
}

dal_status dal_steady_find(dal_steady *s, dal_pencil *p, dal_data *data, const dal_point *at, dal_axes wanted)
{
    DAL_TRY(dal_steady_rest(s, p->ctx, p->sys, data, at));
    if (s->still) {
        return reduce(p, at, &s->axes);
    }
    dal_axes_choice list[4];
    int n;
    second other = {0};
    s->drift = INFINITY;
    dal_status st = prepare(&other, p, data);
    other.speed = st == DAL_OK ? size_of(other.ev, at->v) : 0.0;
    st = st != DAL_OK ? st : candidates(list, &n, p, &other, at, wanted);
    st = st != DAL_OK ? st : search(s, p, &other, at, list, n);
    release(&other);
    return st;
}

dal_axes dal_steady_kind(const dal_steady *s)
{
    return s->axes.body ? DAL_AXES_BODY : dal_max_abs(s->axes.turning, 3) > 0.0 ? DAL_AXES_TURNING : DAL_AXES_WORLD;
}
