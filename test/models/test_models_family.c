/* Every type of element by every method: models that have all of them, against Lobatto's method of order 10. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/check_model.h"

static void every_element_moves_alike_by_every_method(void **state)
{
    static const char *const models[] = {"beams",  "compliant",  "drives",   "expressions",     "forces",   "functions",
                                         "gears",  "joints_1",   "joints_2", "joints_3",        "joints_4", "laws",
                                         "planar", "planar_se2", "rolling",  "rotation_vector", "rows"};
    static const struct {
        const char *set[4];
        double within;
    } methods[] = {{{"integrator=rattlie", "order=4", "h=1e-3"}, 1e-8},
                   {{"integrator=rattlie", "order=6", "h=1e-3"}, 1e-9},
                   {{"integrator=bdf", "order=2", "h=5e-4", "formulation=index3"}, 2e-6},
                   {{"integrator=bdf", "order=4", "h=5e-4"}, 1e-8},
                   {{"integrator=bdf", "order=5", "step=adaptive", "step_rtol=1e-8"}, 1e-8},
                   {{"integrator=lobatto", "stages=3", "h=1e-3", "lambda=symmetric"}, 1e-9}};
    for (size_t m = 0; m < LEN(models); ++m) {
        char path[512];
        snprintf(path, sizeof path, ELEMENTS_DIR "/%s.json", models[m]);
        static const char *const fine[] = {"integrator=lobatto", "stages=6", "h=1e-3"};
        check_model ref = check_model_start(path, fine, 3);
        check_ok(ref.ctx, dal_sim_run(ref.sim, NULL, 0.02));
        for (size_t k = 0; k < LEN(methods); ++k) {
            // the beams vibrate at half a kilohertz; substeps of order 6 are too long for them
            const int beams = strcmp(models[m], "beams") == 0;
            if (beams && strcmp(methods[k].set[1], "order=6") == 0) {
                continue;
            }
            check_model r = check_model_start(path, methods[k].set, 4);
            check_ok(r.ctx, dal_sim_run(r.sim, NULL, 0.02));
            const double off = dal_distance(ref.sys->group, dal_sim_state(ref.sim).q, dal_sim_state(r.sim).q);
            print_message("%s, %s %s: %.1e\n", models[m], methods[k].set[0], methods[k].set[1], off);
            assert_true(off < (beams ? 100.0 : 1.0) * methods[k].within);
            check_model_free(&r);
        }
        check_model_free(&ref);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_element_moves_alike_by_every_method)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
