#include "problems/ends.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

dal_options ends_options(dal_ctx *ctx, const char *text)
{
    dal_options opt = dal_options_init();
    char copy[512];
    assert_true(strlen(text) < sizeof copy);
    snprintf(copy, sizeof copy, "%s", text);
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " ")) {
        check_ok(ctx, dal_options_parse(ctx, dal_options_table(), &opt, at));
    }
    return opt;
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static dal_status note_residuals(dal_sim *sim, const dal_state *state, void *self)
{
    ends *e = self;
    double Phi, vel;
    DAL_TRY(dal_sim_residuals(sim, &Phi, &vel));
    e->Phi = fmax(e->Phi, Phi);
    e->vel = fmax(e->vel, vel);
    return DAL_OK;
}

ends_state ends_exact(const problem *p, double T)
{
    ends_state s = {.T = T};
    double vd[PROBLEM_MAX];
    problem_exact(p, s.q, s.v, vd, s.la, &T, 1);
    return s;
}

ends ends_run(const problem *p, double T, double h, const char *options)
{
    const ends_state exact = ends_exact(p, T);
    return ends_run_to(p, &exact, h, options);
}

ends ends_run_to(const problem *p, const ends_state *exact, double h, const char *options)
{
    ends e = {0};
    dal_options opt = ends_options(p->ctx, options);
    opt.h = h > 0.0 ? h : opt.h;
    dal_sim *sim;
    check_ok(p->ctx, dal_sim_create(&sim, p->ctx, p->sys, &opt));
    check_ok(p->ctx, dal_sim_observe(sim, note_residuals, &e));
    check_ok(p->ctx, dal_sim_start(sim, NULL, 0.0, p->q0, p->v0));
    check_ok(p->ctx, dal_sim_run(sim, NULL, exact->T));
    const dal_state s = dal_sim_state(sim);
    e.x = distance(exact->q, s.q, p->nq < 3 ? p->nq : 3);
    e.q = dal_distance(p->group, exact->q, s.q);
    e.v = distance(exact->v, s.v, p->nv);
    e.la = distance(exact->la, s.la, p->nc);
    e.stats = dal_sim_stats(sim);
    dal_sim_destroy(sim);
    return e;
}

void ends_order(const problem *p, double T, double h, int levels, const char *options, double order, double tol)
{
    ends_orders(p, T, h, levels, options, order, order, tol);
}

void ends_orders(const problem *p, double T, double h, int levels, const char *options, double order, double order_la,
                 double tol)
{
    const ends_state exact = ends_exact(p, T);
    ends last = {0};
    for (int k = 0; k < levels; ++k) {
        const ends e = ends_run_to(p, &exact, h, options);
        print_message("%-22s %-30s h %-8.3g q %.3e (%5.2f)  v %.3e (%5.2f)  lambda %.3e (%5.2f)  it %.1f\n", p->name,
                      options, h, e.q, log2(last.q / e.q), e.v, log2(last.v / e.v), e.la, log2(last.la / e.la),
                      (double)e.stats.newton_iterations / (double)e.stats.steps);
        if (k > 0) {
            assert_near(log2(last.q / e.q), order, tol);
            assert_near(log2(last.v / e.v), order, tol);
        }
        if (k > 0 && p->nc > 0) {
            assert_near(log2(last.la / e.la), order_la, tol);
        }
        last = e;
        h *= 0.5;
    }
}
