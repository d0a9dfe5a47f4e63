#include "integrate/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

static double *reals(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* ---- runs ------------------------------------------------------------------------------------- */

dal_options run_options(dal_ctx *ctx, const char *text)
{
    dal_options opt = dal_options_init();
    opt.integrator = DAL_INTEGRATOR_GENALPHA; // tests name what is different
    opt.formulation = DAL_FORMULATION_INDEX3;
    char copy[512];
    const int length = snprintf(copy, sizeof copy, "%s", text);
    assert_true(length >= 0 && length < (int)sizeof copy);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " ")) {
        check_ok(ctx, dal_options_parse(ctx, dal_options_table(), &opt, at));
    }
    return opt;
}

run run_new(const problem *p)
{
    return (run){.nq = p->nq, .nv = p->nv, .nc = p->nc};
}

static void grow(double **x, int rows, int capacity)
{
    *x = realloc(*x, ((size_t)rows * (size_t)capacity + 1) * sizeof **x);
    assert_non_null(*x);
}

static void append(double *x, int rows, int n, const double *column)
{
    memcpy(x + (size_t)rows * (size_t)n, column, (size_t)rows * sizeof *x);
}

dal_status run_record(dal_sim *sim, const dal_state *s, void *self)
{
    run *r = self;
    if (r->n == r->capacity) {
        r->capacity = 2 * r->capacity + 64;
        grow(&r->t, 1, r->capacity);
        grow(&r->q, r->nq, r->capacity);
        grow(&r->v, r->nv, r->capacity);
        grow(&r->vd, r->nv, r->capacity);
        grow(&r->a, r->nv, r->capacity);
        grow(&r->la, r->nc, r->capacity);
    }
    r->t[r->n] = s->t;
    append(r->q, r->nq, r->n, s->q);
    append(r->v, r->nv, r->n, s->v);
    append(r->vd, r->nv, r->n, s->vd);
    append(r->a, r->nv, r->n, s->a);
    append(r->la, r->nc, r->n, s->la);
    double position, velocity;
    DAL_TRY(dal_sim_residuals(sim, &position, &velocity));
    if (r->n > 0) {
        r->position = fmax(r->position, position);
        r->velocity = fmax(r->velocity, velocity);
    }
    r->n++;
    return DAL_OK;
}

run run_steps(const problem *p, const double *t, const double *h, int n, const char *options)
{
    run r = run_new(p);
    dal_options opt = run_options(p->ctx, options);
    opt.h = h[0];
    dal_sim *sim;
    r.status = dal_sim_create(&sim, p->ctx, p->sys, &opt);
    if (r.status != DAL_OK) {
        return r;
    }
    check_ok(p->ctx, dal_sim_observe(sim, run_record, &r));
    r.status = dal_sim_start(sim, NULL, 0.0, p->q0, p->v0);
    for (int i = 0; i < n && r.status == DAL_OK; ++i) {
        if (i > 0) {
            check_ok(p->ctx, dal_sim_set_step(sim, h[i]));
        }
        r.status = dal_sim_run(sim, NULL, t[i]);
    }
    r.stats = dal_sim_stats(sim);
    r.condition = r.n > 1 ? dal_sim_condition(sim) : 0.0;
    dal_sim_destroy(sim);
    return r;
}

run run_problem(const problem *p, double t_end, const char *options)
{
    const double h = run_options(p->ctx, options).h;
    return run_steps(p, &t_end, &h, 1, options);
}

run run_good(const problem *p, double t_end, const char *options)
{
    run r = run_problem(p, t_end, options);
    if (r.status != DAL_OK) {
        print_error("%s, %s: %s\n", p->name, options, dal_ctx_message(p->ctx));
        fail();
    }
    return r;
}

void run_free(run *r)
{
    double *const array[] = {r->t, r->q, r->v, r->vd, r->a, r->la};
    for (size_t i = 0; i < LEN(array); ++i) {
        free(array[i]);
    }
    *r = (run){0};
}

static void keep(double *x, int rows, int to, int from)
{
    memmove(x + (ptrdiff_t)rows * to, x + (ptrdiff_t)rows * from, (size_t)rows * sizeof *x);
}

void run_thin(run *r, int n)
{
    const int stride = (r->n - 1 + n - 1) / n, last = r->n - 1;
    int to = 0;
    for (int from = 0; from <= last; from = from < last && from + stride > last ? last : from + stride) {
        keep(r->t, 1, to, from);
        keep(r->q, r->nq, to, from);
        keep(r->v, r->nv, to, from);
        keep(r->vd, r->nv, to, from);
        keep(r->a, r->nv, to, from);
        keep(r->la, r->nc, to, from);
        to++;
    }
    r->n = to;
}

/* ---- errors ----------------------------------------------------------------------------------- */

exact exact_at(const problem *p, const double *t, int n)
{
    exact e = {.n = n, .nq = p->nq, .nv = p->nv, .nc = p->nc, .T = t[n]};
    e.q = reals(e.nq * (n + 1));
    e.v = reals(e.nv * (n + 1));
    e.la = reals(e.nc * (n + 1));
    problem_exact(p, e.q, e.v, NULL, e.la, t, n + 1);
    return e;
}

exact exact_grid(const problem *p, double T, int n)
{
    double *t = reals(n + 1);
    for (int i = 0; i <= n; ++i) {
        t[i] = T * i / n;
    }
    const exact e = exact_at(p, t, n);
    free(t);
    return e;
}

void exact_free(exact *e)
{
    free(e->q);
    free(e->v);
    free(e->la);
    *e = (exact){0};
}

static double distance(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

/* err[ERROR_X], err[ERROR_R], err[ERROR_Q] between two configurations */
static void configuration_error(double *err, const dal_group *G, const double *qa, const double *qb)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    double xx = 0.0, rr = 0.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int kind = (int)F->type->kind,
                  turns = kind == DAL_FACTOR_SO3 || kind == DAL_FACTOR_R3SO3 || kind == DAL_FACTOR_SE3;
        const int nx = turns ? F->nq - 4 : F->nq;
        xx += pow(distance(qa + F->q, qb + F->q, nx), 2);
        rr += turns ? pow(so3->distance(qa + F->q + nx, qb + F->q + nx, 3), 2) : 0.0;
    }
    err[ERROR_X] = sqrt(xx);
    err[ERROR_R] = sqrt(rr);
    err[ERROR_Q] = sqrt(xx + rr);
}

run_error run_errors(const run *r, const problem *p, const exact *e, double from, double to, int nla)
{
    run_error m = {{0}, {0}};
    if (r->n < 2 || r->t == NULL) {
        fail_msg("no step to judge");
        return m;
    }
    exact own = {0};
    if (e == NULL) {
        own = exact_at(p, r->t, r->n - 1);
        e = &own;
    }
    assert_true(e->n % (r->n - 1) == 0);
    assert_near(r->t[r->n - 1], e->T, 1e-12 * e->T);
    const int stride = e->n / (r->n - 1);
    for (int k = 1; k < r->n; ++k) {
        const size_t i = (size_t)k, j = (size_t)k * (size_t)stride, nq = (size_t)r->nq, nv = (size_t)r->nv,
                     nc = (size_t)r->nc;
        double err[ERROR_KINDS];
        configuration_error(err, p->group, r->q + i * nq, e->q + j * nq);
        err[ERROR_V] = distance(r->v + i * nv, e->v + j * nv, r->nv);
        err[ERROR_LA] = distance(r->la + i * nc, e->la + j * nc, nla > 0 ? nla : r->nc);
        for (int a = 0; a < ERROR_KINDS; ++a) {
            // written so that NaN is kept
            if (r->t[k] >= from && r->t[k] <= to && !(err[a] <= m.max[a])) {
                m.max[a] = err[a];
                m.at[a] = k;
            }
        }
    }
    exact_free(&own);
    return m;
}

/* ---- observed orders -------------------------------------------------------------------------- */

study run_study(const problem *p, const exact *e, int n, int levels, int nla, const char *options)
{
    study s = {.levels = levels};
    for (int k = 0; k < levels; ++k) {
        char text[512];
        snprintf(text, sizeof text, "%s h=%.17g", options, e->T / (n << k));
        run r = run_good(p, e->T, text);
        const run_error m = run_errors(&r, p, e, 0.0, 2.0 * e->T, nla);
        for (int a = 0; a < ERROR_KINDS; ++a) {
            s.err[a][k] = m.max[a];
        }
        s.iterations = (double)r.stats.newton_iterations / (double)r.stats.steps;
        run_free(&r);
    }
    for (int a = 0; a < ERROR_KINDS; ++a) {
        s.order[a] = levels > 1 ? log2(s.err[a][levels - 2] / s.err[a][levels - 1]) : NAN;
    }
    return s;
}

void check_study(const study *s, unsigned kinds, double order, double tol, const char *what)
{
    static const char *const name[ERROR_KINDS] = {"x", "R", "q", "v", "lambda"};
    print_message("%s, %.2f iterations\n", what, s->iterations);
    for (int a = 0; a < ERROR_KINDS; ++a) {
        if ((kinds & 1U << a) != 0U) {
            print_message("    %-6s", name[a]);
            for (int k = 0; k < s->levels; ++k) {
                print_message(" %.3e", s->err[a][k]);
            }
            print_message("   order %.3f\n", s->order[a]);
        }
    }
    for (int a = 0; a < ERROR_KINDS; ++a) {
        if ((kinds & 1U << a) != 0U) {
            assert_near(s->order[a], order, tol);
        }
    }
}

/* ---- what is conserved ------------------------------------------------------------------------ */

void run_energies(double most[2], double *position, double *velocity, const problem *p, int n, const char *options)
{
    dal_options opt = run_options(p->ctx, options);
    dal_sim *sim;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, &opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    double E0;
    check_ok(p->ctx, dal_sim_energy(sim, &E0));
    most[0] = most[1] = 0.0;
    for (int i = 0; i < n; ++i) {
        double E;
        check_ok(p->ctx, dal_sim_step(sim));
        if (i < n / 10 || i >= n - n / 10) {
            check_ok(p->ctx, dal_sim_energy(sim, &E));
            most[i >= n / 10] = fmax(most[i >= n / 10], fabs(E - E0));
        }
    }
    check_ok(p->ctx, dal_sim_residuals(sim, position, velocity));
    dal_sim_destroy(sim);
    print_message("%s: |dE| %.6e in the first, %.6e in the last tenth; Phi %.1e, B v %.1e\n", options, most[0], most[1],
                  *position, *velocity);
}

void run_reversed(const problem *p, int n, const char *options, double tol_q, double tol_v)
{
    dal_options opt = run_options(p->ctx, options);
    dal_sim *sim;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, &opt));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    for (int i = 0; i < n; ++i) {
        check_ok(p->ctx, dal_sim_step(sim));
    }
    double q[PROBLEM_MAX], v[PROBLEM_MAX];
    const dal_state s = dal_sim_state(sim);
    memcpy(q, s.q, (size_t)p->nq * sizeof(double));
    for (int i = 0; i < p->nv; ++i) {
        v[i] = -s.v[i];
    }
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    for (int i = 0; i < n; ++i) {
        check_ok(p->ctx, dal_sim_step(sim));
    }
    const double off = dal_distance(p->group, p->q0, dal_sim_state(sim).q);
    double dv = 0.0;
    for (int i = 0; i < p->nv; ++i) {
        dv = fmax(dv, fabs(dal_sim_state(sim).v[i] + p->v0[i]));
    }
    print_message("%s, there and back: q %.1e, v %.1e\n", options, off, dv);
    assert_true(off < tol_q && dv < tol_v);
    dal_sim_destroy(sim);
}

problem run_file(dal_ctx *ctx, dal_document **doc, const char *path)
{
    const dal_system *sys;
    check_ok(ctx, dal_document_open(doc, ctx, path, NULL, 0));
    dal_model *model = dal_document_model(*doc);
    check_ok(ctx, dal_model_compile(model, &sys));
    check_ok(ctx, dal_document_assemble(*doc, NULL, sys));
    problem p = {.name = path, .ctx = ctx, .sys = (dal_system *)sys, .group = (dal_group *)sys->group};
    p.nq = sys->group->nq;
    p.nv = sys->group->nv;
    memcpy(p.q0, dal_model_q0(model), (size_t)p.nq * sizeof(double));
    memcpy(p.v0, dal_model_v0(model), (size_t)p.nv * sizeof(double));
    return p;
}
