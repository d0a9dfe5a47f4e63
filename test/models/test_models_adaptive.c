/* Adaptive steps of every method, Lobatto's with every number of stages, on models of every kind, stiff ones among them: the error
 * over the tolerance stays within a band. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/analysis.h"
#include "support/check.h"
#include "support/check_model.h"

enum { SAMPLES = 9 };

/* Three species whose rates differ by nine decades. */
static const char robertson[] =
    "{'dalembert': 1, 'name': 'robertson', 'bodies': [{'name': 'p', 'type': 'point', 'mass': 1}], 'forces': ["
    "{'name': 'a', 'type': 'state', 'initial': 1, 'value': '-0.04*a + 1e4*b*c',"
    " 'inputs': {'a': 'a.state', 'b': 'b.state', 'c': 'c.state'}},"
    "{'name': 'b', 'type': 'state', 'value': '0.04*a - 1e4*b*c - 3e7*b^2',"
    " 'inputs': {'a': 'a.state', 'b': 'b.state', 'c': 'c.state'}},"
    "{'name': 'c', 'type': 'state', 'value': '3e7*b^2', 'inputs': {'b': 'b.state'}}],"
    "'simulation': {'t_end': 40, 'h': 1e-4}}";

static void run_with(const check_model *m, dal_samples *to, const double *t, const char *options, long *steps)
{
    dal_options opt = *dal_document_options(m->doc);
    dal_sim *sim;
    char copy[256];
    opt.formulation = DAL_FORMULATION_DEFAULT;
    opt.step = DAL_STEP_ADAPTIVE;
    snprintf(copy, sizeof copy, "%s", options);
    for (char *at = strtok(copy, " "); at != NULL; at = strtok(NULL, " ")) {
        check_ok(m->ctx, dal_options_parse(m->ctx, dal_options_table(), &opt, at));
    }
    check_ok(m->ctx, dal_sim_create(&sim, m->ctx, m->sys, &opt));
    check_ok(m->ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m->model), dal_model_v0(m->model)));
    check_ok(m->ctx, dal_samples_init(to, m->ctx, m->sys, t, SAMPLES));
    check_ok(m->ctx, dal_samples_run(to, sim, NULL));
    *steps = dal_sim_stats(sim).steps;
    dal_sim_destroy(sim);
}

/* Largest error of the velocities of a factor of the group, in units of its largest ones and of atol/rtol. */
static double error_of(const check_model *m, const dal_samples *got, const dal_samples *exact, double least)
{
    double worst = 0.0;
    for (int f = 0; f < m->sys->group->nfactors; ++f) {
        const dal_factor *F = &m->sys->group->factor[f];
        double error = 0.0, size = least;
        for (int k = 1; k < SAMPLES; ++k) { // index 3 begins with perturbed velocities
            for (int i = F->v; i < F->v + F->nv; ++i) {
                const double x = exact->v[k * exact->nv + i];
                error = fmax(error, fabs(got->v[k * got->nv + i] - x));
                size = fmax(size, fabs(x));
            }
        }
        worst = fmax(worst, error / size);
    }
    return worst;
}

/* What is asked of a method: tolerances of 1e-2, 1e-4, ... down to 10^-last, errors of at most so many of them. */
typedef struct asked {
    const char *options;
    int last;
    double most;
} asked;

static const asked list[] = {
    {"integrator=rk order=8", 8, 50.0},
    {"integrator=rk order=5", 8, 200.0},
    {"integrator=auto", 8, 50.0},
    {"integrator=genalpha", 4, 100.0},
    {"integrator=lobatto stages=2", 2, 300.0},
    {"integrator=lobatto stages=3", 8, 300.0},
    {"integrator=lobatto stages=4", 8, 50.0},
    {"integrator=lobatto stages=5", 8, 50.0},
    {"integrator=lobatto stages=6", 8, 50.0},
    {"integrator=lobatto stages=7", 8, 50.0},
    {"integrator=lobatto stages=8", 8, 50.0},
    {"integrator=lobatto stages=9", 8, 50.0},
    {"integrator=lobatto stages=10", 8, 50.0},
    {"integrator=lobatto stages=11", 8, 50.0},
    {"integrator=lobatto stages=12", 8, 50.0},
    {"integrator=lobatto stages=14", 8, 50.0},
    {"integrator=lobatto stages=16", 8, 50.0},
};

static double largest[LEN(list)];

static void campaign(const char *source, const char *name, double most)
{
    check_model m = check_model_start(source, NULL, 0);
    const double T = fmin(dal_document_t_end(m.doc), most);
    dal_samples exact, got;
    double t[SAMPLES];
    long steps;
    for (int i = 0; i < SAMPLES; ++i) {
        t[i] = T * i / (SAMPLES - 1);
    }
    run_with(&m, &exact, t, "integrator=rk order=8 step_rtol=1e-12 step_atol=1e-15 max_steps=3000000", &steps);
    for (size_t k = 0; k < LEN(list); ++k) {
        print_message("%-22s %-28s", name, list[k].options);
        for (int d = 2; d <= list[k].last; d += 2) {
            char options[200];
            snprintf(options, sizeof options, "%s step_rtol=1e-%d step_atol=1e-%d max_steps=3000000", list[k].options,
                     d, d + 5);
            run_with(&m, &got, t, options, &steps);
            const double part = error_of(&m, &got, &exact, 1e-5) * pow(10.0, d);
            print_message(" %8.2g (%ld)", part, steps);
            largest[k] = fmax(largest[k], part);
            assert_true(part < list[k].most);
            dal_samples_release(&got);
        }
        print_message("\n");
    }
    dal_samples_release(&exact);
    check_model_free(&m);
}

static void errors_over_tolerances_stay_within_a_band(void **state)
{
    static const char *const models[] = {"heavy_top",
                                         "flyball_governor",
                                         "spatial_slider_crank",
                                         "rolling_disk",
                                         "andrews_squeezer",
                                         "flexible_pendulum",
                                         "flexible_slider_crank",
                                         "chain",
                                         "double_pendulum",
                                         "bricard"};
    for (size_t k = 0; k < LEN(models); ++k) {
        campaign(models[k], models[k], 1.0);
    }
    campaign(robertson, "robertson", 40.0);
    for (size_t k = 0; k < LEN(list); ++k) {
        print_message("%s: at most %.2g tolerances\n", list[k].options, largest[k]);
    }
}

/* Stiff springs that damp: an estimate that does not see them lets the energy of 239 J grow to thousands. */
static void every_number_of_stages_sees_stiff_springs(void **state)
{
    for (int s = 3; s <= 16; ++s) {
        char stages[24];
        snprintf(stages, sizeof stages, "stages=%d", s);
        const char *const set[] = {"integrator=lobatto", "step=adaptive", stages};
        check_model m = check_model_start("flyball_governor", set, 3);
        double start, now, most = 0.0;
        check_ok(m.ctx, dal_sim_energy(m.sim, &start));
        while (dal_sim_state(m.sim).t < 10.0) {
            check_ok(m.ctx, dal_sim_run(m.sim, NULL, fmin(10.0, dal_sim_state(m.sim).t + 0.5)));
            check_ok(m.ctx, dal_sim_energy(m.sim, &now));
            most = fmax(most, fabs(now - start));
        }
        print_message("%d stages: the energy changes by %.2e J, %ld steps\n", s, most, dal_sim_stats(m.sim).steps);
        assert_true(most < 0.05);
        check_model_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_over_tolerances_stay_within_a_band),
        cmocka_unit_test(every_number_of_stages_sees_stiff_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
