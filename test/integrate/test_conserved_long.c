/* A hundred thousand steps of symmetric methods: the largest error of energy in the last tenth is that of the first, and the
 * way back leads to the start. Others are in test/figures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "integrate/run.h"
#include "support/check.h"

enum { STEPS = 100000 };

typedef struct long_run {
    const char *options;
    double size; /* of the error, by another program; 0: not known */
    double back; /* what the way back may miss of v, reversed after 1000 steps; q: 1e-12 */
} long_run;

static void energy_stays(const problem *p, const long_run *list, size_t n)
{
    for (size_t k = 0; k < n; ++k) {
        double most[2], position, velocity;
        run_energies(most, &position, &velocity, p, STEPS, list[k].options);
        assert_true(list[k].size == 0.0 || fabs(most[0] - list[k].size) < 1e-3 * list[k].size);
        // what rounding makes of 1e5 steps: 1e-12 of the energy turned over
        assert_near(most[1], most[0], 1e-3 * most[0] + 1e-10);
        assert_true(position < 1e-13 && velocity < 1e-10);
    }
}

static void the_heavy_top_keeps_its_energy(void **state)
{
    static const long_run list[] = {
        {"integrator=rattlie h=1e-3", 1.4047e-2, 0.0},
        {"integrator=lobatto stages=3 lambda=symmetric h=5e-3", 1.1204e-3, 0.0},
        {"integrator=lobatto stages=3 lambda=variational h=5e-3", 5.844e-4, 0.0},
    };
    dal_ctx *ctx = check_ctx();
    problem top;
    check_ok(ctx, problem_heavy_top(&top, ctx, HEAVY_TOP_R3SO3));
    energy_stays(&top, list, LEN(list));
    problem_free(&top);
    check_ctx_free(ctx);
}

/* A point on a rod, let go from the horizontal, as a model file. */
static void a_pendulum_of_a_file_keeps_its_energy_and_finds_back(void **state)
{
    static const long_run list[] = {
        {"integrator=rattlie h=0.01", 3.610e-3, 1e-12},
        {"integrator=rattlie order=4 h=0.01", 0.0, 1e-11},
        {"integrator=lobatto stages=2 lambda=symmetric h=0.01", 3.610e-3, 1e-12},
        {"integrator=lobatto stages=3 lambda=symmetric h=0.02", 1.822e-6, 1e-12},
    };
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    const problem p = run_file(ctx, &doc, PROBLEM_DATA_DIR "/t_rattle.json");
    energy_stays(&p, list, LEN(list));
    for (size_t k = 0; k < LEN(list); ++k) {
        run_reversed(&p, 1000, list[k].options, 1e-12, list[k].back);
    }
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_heavy_top_keeps_its_energy),
        cmocka_unit_test(a_pendulum_of_a_file_keeps_its_energy_and_finds_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
