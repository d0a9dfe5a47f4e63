/* Built-in models by the Runge-Kutta methods with adaptive steps: over eight decades the error is proportional to the
 * tolerance. */
#include <math.h>
#include <stdio.h>

#include "dalembert/analysis.h"
#include "support/check.h"
#include "support/check_model.h"

enum { FIRST = 3, LAST = 11, SAMPLES = 9 };

/* The motion to rounding, and its largest distance from the start. */
typedef struct truth {
    dal_samples path;
    double T, way;
} truth;

static truth find_truth(const check_model *m)
{
    truth r = {.T = fmin(dal_document_t_end(m->doc), 1.0)};
    double t[SAMPLES];
    dal_error known;
    for (int i = 0; i < SAMPLES; ++i) {
        t[i] = r.T * i / (SAMPLES - 1);
    }
    check_ok(m->ctx, dal_samples_init(&r.path, m->ctx, m->sys, t, SAMPLES));
    check_ok(m->ctx, dal_reference(&r.path, &known, m->ctx, m->sys, 0.0, dal_model_q0(m->model), dal_model_v0(m->model),
                                   dal_document_options(m->doc), 1e-13));
    r.way = dal_samples_size(m->sys->group, &r.path).q;
    assert_true(known.q < 1e-13 * r.way);
    return r;
}

/* Largest error of q over the samples, in units of the way. */
static double error_with(const check_model *m, const truth *r, int order, int k)
{
    dal_options opt = *dal_document_options(m->doc);
    dal_samples got;
    dal_sim *sim;
    opt.integrator = DAL_INTEGRATOR_RK;
    opt.formulation = DAL_FORMULATION_INDEX3;
    opt.order = order;
    opt.step_atol = 1e-16;
    opt.step_rtol = pow(10.0, -k);
    check_ok(m->ctx, dal_sim_create(&sim, m->ctx, m->sys, &opt));
    check_ok(m->ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m->model), dal_model_v0(m->model)));
    check_ok(m->ctx, dal_samples_init(&got, m->ctx, m->sys, r->path.t, SAMPLES));
    check_ok(m->ctx, dal_samples_run(&got, sim, NULL));
    const double error = dal_samples_error(m->sys->group, &got, &r->path, SAMPLES).q / r->way;
    print_message("  tolerance 1e-%02d: error %.2e, %ld steps\n", k, error, dal_sim_stats(sim).steps);
    dal_sim_destroy(sim);
    dal_samples_release(&got);
    return error;
}

static void errors_follow_the_tolerance_over_eight_decades(void **state)
{
    static const struct {
        const char *model;
        double most; /* error over tolerance */
    } list[] = {{"heavy_top", 20.0}, {"spatial_slider_crank", 10.0}, {"rolling_disk", 5.0}, {"andrews_squeezer", 1.0},
                {"chain", 2.0},      {"flexible_pendulum", 0.02}};
    for (size_t k = 0; k < LEN(list); ++k) {
        check_model m = check_model_start(list[k].model, NULL, 0);
        truth r = find_truth(&m);
        for (int order = 5; order <= 8; order += 3) {
            double smallest = INFINITY, largest = 0.0;
            for (int d = FIRST; d <= LAST; ++d) {
                const double part = error_with(&m, &r, order, d) * pow(10.0, d);
                smallest = fmin(smallest, part);
                largest = fmax(largest, part);
            }
            print_message("%s, order %d: error/tolerance %.3g .. %.3g\n", list[k].model, order, smallest, largest);
            assert_true(largest < list[k].most && largest < 150.0 * smallest);
        }
        dal_samples_release(&r.path);
        check_model_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_follow_the_tolerance_over_eight_decades)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
