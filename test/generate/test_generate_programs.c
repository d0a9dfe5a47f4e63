/* Generated files as users meet them: the program of the manual, long runs, sizes. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "generate/agreement.h"
#include "support/check.h"

/* The program in C of the page that has this include. */
static void write_main_of_the_manual(const char *folder, const char *include)
{
    enum { SIZE = 1 << 17 };
    FILE *file = fopen(DAL_MANUAL, "r");
    char *text = calloc(1, SIZE);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, SIZE - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    char *at = strstr(text, include);
    assert_non_null(at);
    while (strncmp(at, "```c\n", 5) != 0) {
        --at;
    }
    const char *start = at + 5, *end = strstr(start, "```");
    assert_non_null(end);
    program_write(folder, "main.c", start, (size_t)(end - start));
    free(text);
}

static void the_program_of_the_manual_compiles_and_runs(void **state)
{
    char folder[32], command[256], line[256];
    double t, q, y, off;
    library l;
    program_folder(folder);
    write_main_of_the_manual(folder, "#include \"crank.c\"");
    program_write_model(folder, "crank.c", "spatial_slider_crank", NULL, 0, NULL);
    snprintf(command, sizeof command, "cd %s && " DAL_TEST_CC " -std=c17 -O1 -o main main.c -lm && ./main", folder);
    FILE *run = popen(command, "r");
    assert_non_null(run);
    assert_non_null(fgets(line, sizeof line, run));
    assert_int_equal(pclose(run), 0);
    assert_int_equal(sscanf(line, "t = %lf, q[0] = %lf, y[0] = %lf, energy off by %lf", &t, &q, &y, &off), 4);
    library_open(&l, "spatial_slider_crank", NULL, 0, 0);
    for (int k = 0; k < 1000; ++k) {
        assert_int_equal(dal_sim_step(l.sim), DAL_OK);
    }
    assert_near(t, 1.0, 1e-9);
    assert_near(q, dal_sim_state(l.sim).q[0], 1e-9);
    assert_true(fabs(off) < 1e-3);
    library_close(&l);
    program_remove(folder);
}

static void the_program_of_the_manual_that_varies_a_parameter_runs_as_the_library_does(void **state)
{
    static const char *const names[] = {"m"}, *const heavy[] = {"m=20"};
    char folder[32], command[256], line[256], *text;
    double m = 0.0, t, q[3];
    library l;
    program_folder(folder);
    write_main_of_the_manual(folder, "#include \"top.c\"");
    library_open(&l, "heavy_top", heavy, 1, 0);
    const dal_generate_options how = {.parameters = names, .nparameters = 1};
    assert_int_equal(dal_generate(&text, l.ctx, "heavy_top", NULL, 0, &how), DAL_OK);
    program_write(folder, "top.c", text, strlen(text));
    dal_generate_free(l.ctx, text);
    snprintf(command, sizeof command, "cd %s && " DAL_TEST_CC " -std=c17 -O1 -o main main.c -lm && ./main", folder);
    FILE *run = popen(command, "r");
    assert_non_null(run);
    while (fgets(line, sizeof line, run)) {
        assert_int_equal(sscanf(line, "m = %lf: after %lf s the top is at %lf %lf %lf", &m, &t, &q[0], &q[1], &q[2]),
                         5);
    }
    assert_int_equal(pclose(run), 0);
    for (int k = 0; k < 1000; ++k) {
        assert_int_equal(dal_sim_step(l.sim), DAL_OK);
    }
    assert_near(m, 20.0, 0.0);
    assert_near(t, 1.0, 1e-9);
    for (int i = 0; i < 3; ++i) {
        assert_near(q[i], dal_sim_state(l.sim).q[i], 1e-8);
    }
    library_close(&l);
    program_remove(folder);
}

/* The tip of the top stays at the origin: x = R (0, 1, 0). */
static double tip_of(const double *q)
{
    const double *e = q + 3;
    const double axis[3] = {2.0 * (e[1] * e[2] - e[0] * e[3]), 1.0 - 2.0 * (e[1] * e[1] + e[3] * e[3]),
                            2.0 * (e[2] * e[3] + e[0] * e[1])};
    return fmax(fabs(q[0] - axis[0]), fmax(fabs(q[1] - axis[1]), fabs(q[2] - axis[2])));
}

static void a_million_steps_keep_the_constraints_and_the_energy_as_the_library_does(void **state)
{
    enum { STEPS = 1000000 };
    library l;
    program p;
    double off = 0.0, off_library = 0.0, E0, E;
    library_open(&l, "heavy_top", NULL, 0, 0);
    program_open(&p, "heavy_top", NULL, 0, NULL, "-O2");
    assert_int_equal(dal_sim_energy(l.sim, &E0), DAL_OK);
    for (int k = 0; k < STEPS; ++k) {
        assert_int_equal(p.step(p.state), 0);
        assert_int_equal(dal_sim_step(l.sim), DAL_OK);
        if (k % 100 == 0) {
            assert_int_equal(dal_sim_energy(l.sim, &E), DAL_OK);
            off = fmax(off, fabs(p.energy(p.state) - E0));
            off_library = fmax(off_library, fabs(E - E0));
        }
    }
    print_message("tip off by %.1e, energy off by %.3e (library %.3e) of %.3e\n", tip_of(p.q(p.state)), off,
                  off_library, E0);
    assert_near(tip_of(p.q(p.state)), 0.0, 1e-12);
    assert_near_rel(off, off_library, 1e-2);
    program_close(&p);
    library_close(&l);
}

static void models_too_large_for_unrolled_code_are_refused_with_their_size(void **state)
{
    static const char *const large[] = {"N=112", "formulation=index3"}, *const fits[] = {"N=3"};
    const char *message = program_refusal("chain", large, 2);
    assert_non_null(strstr(message, "1008 unknowns"));
    assert_non_null(strstr(message, "at most 1000"));
    assert_string_equal(program_refusal("chain", fits, 1), "");
}

static void the_text_says_where_bodies_and_joints_are(void **state)
{
    char *text;
    dal_ctx *ctx = check_ctx();
    assert_int_equal(dal_generate(&text, ctx, "spatial_slider_crank", NULL, 0, NULL), DAL_OK);
    assert_non_null(strstr(text, " *     crank: q[0] ... position, quaternion; v[0] ..."));
    assert_non_null(strstr(text, "la[0] ... (revolute)"));
    // nothing within a function stands at the start of a line
    assert_null(strstr(text, "\nconst real"));
    dal_generate_free(ctx, text);
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_of_the_manual_compiles_and_runs),
        cmocka_unit_test(the_program_of_the_manual_that_varies_a_parameter_runs_as_the_library_does),
        cmocka_unit_test(a_million_steps_keep_the_constraints_and_the_energy_as_the_library_does),
        cmocka_unit_test(models_too_large_for_unrolled_code_are_refused_with_their_size),
        cmocka_unit_test(the_text_says_where_bodies_and_joints_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
