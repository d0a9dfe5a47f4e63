/* dal_sim_create refuses every option out of range by name, and options that contradict each other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runs.h"
#include "support/check.h"

static dal_ctx *ctx;
static problem pendulum;

static int set_up(void **state)
{
    ctx = check_ctx();
    check_ok(ctx, problem_pendulum(&pendulum, ctx, 0.2));
    return 0;
}

static int tear_down(void **state)
{
    problem_free(&pendulum);
    check_ctx_free(ctx);
    return 0;
}

static void refused(const dal_options *opt, const char *fragment)
{
    dal_sim *sim = (dal_sim *)1;
    check_fails(ctx, dal_sim_create(&sim, ctx, pendulum.sys, opt), DAL_EOPTION, fragment);
    assert_null(sim);
}

static void set_value(dal_options *opt, const dal_option *o, double value)
{
    void *at = (char *)opt + o->offset;
    switch (o->kind) {
    case DAL_OPTION_REAL:
    case DAL_OPTION_RULED:
        *(double *)at = value;
        break;
    case DAL_OPTION_REALS:
        *(dal_reals *)at = (dal_reals){.n = 2, .x = {0.0, value}};
        break;
    default:
        *(int *)at = (int)value;
        break;
    }
}

static void values_out_of_range_are_refused_by_name(void **state)
{
    const dal_option_table *table = dal_options_table();
    int refusals = 0;
    for (int i = 0; i < table->n; ++i) {
        const dal_option *o = &table->option[i];
        const int real = o->kind == DAL_OPTION_REAL || o->kind == DAL_OPTION_REALS || o->kind == DAL_OPTION_RULED;
        double bad[4];
        int n = 0;
        if (o->kind == DAL_OPTION_FLAG || o->kind == DAL_OPTION_CHOICE) {
            bad[n++] = -1.0;
            bad[n++] = 77.0;
        } else {
            // just outside, where there is an outside
            if (o->min > -1e300) {
                bad[n++] = real ? o->min - fmax(1e-12, 1e-6 * fabs(o->min)) : o->min - 1.0;
            }
            if (o->max < 1e300) {
                bad[n++] = real ? o->max + fmax(1e-12, 1e-6 * fabs(o->max)) : o->max + 1.0;
            }
        }
        if (real) {
            bad[n++] = NAN;
            bad[n++] = INFINITY;
        }
        for (int k = 0; k < n; ++k) {
            dal_options opt = dal_options_init();
            set_value(&opt, o, bad[k]);
            refused(&opt, o->name);
            ++refusals;
        }
    }
    assert_true(refusals > 2 * table->n);
}

static void the_limits_themselves_are_accepted(void **state)
{
    static const char *const list[] = {"rho_inf=0",
                                       "rho_inf=1",
                                       "parameters=hht alpha=0",
                                       "parameters=hht alpha=0.3333333333333333",
                                       "max_iterations=1",
                                       "max_iterations=1000",
                                       "sigma=-100",
                                       "sigma=100",
                                       "sigma=opt",
                                       "sigma=spin",
                                       "initial_tol=0",
                                       "step_atol=0",
                                       "rtol=1",
                                       "max_steps=2000000000"};
    for (size_t k = 0; k < LEN(list); ++k) {
        const dal_options opt = runs_options(ctx, list[k]);
        dal_sim *sim;
        check_ok(ctx, dal_sim_create(&sim, ctx, pendulum.sys, &opt));
        dal_sim_destroy(sim);
    }
}

/* The word last given counts, and so does the number; numbers never stand for words. */
static void a_rule_for_sigma_is_one_of_its_words(void **state)
{
    const dal_option_table *table = dal_options_table();
    dal_options opt = runs_options(ctx, "sigma=opt");
    char text[16];
    assert_int_equal(opt.sigma_rule, DAL_SIGMA_OPT);
    for (int i = 0; i < table->n; ++i) {
        if (strcmp(table->option[i].name, "sigma") == 0) {
            dal_options_format(text, sizeof text, &table->option[i], &opt);
        }
    }
    assert_string_equal(text, "opt");
    check_ok(ctx, dal_options_parse(ctx, table, &opt, "sigma = 0.5"));
    assert_int_equal(opt.sigma_rule, DAL_SIGMA_NUMBER);
    assert_true(opt.sigma == 0.5);
    opt.sigma = 1001.0;
    refused(&opt, "sigma = 1001 is neither in [-100, 100] nor one of opt, spin");
    opt.sigma = 0.5;
    opt.sigma_rule = 7;
    refused(&opt, "sigma_rule = 7: choose one of opt, spin");
}

static void options_that_contradict_each_other_are_refused(void **state)
{
    static const char *const list[][2] = {
        {"projection_every=3", "projection = none: choose plain or compensated"},
        {"projection_times=0.1", "projection = none"},
        {"project_position=yes", "projection = none"},
        {"step=adaptive h_min=0.1 h_max=0.01", "h_min = 0.1 is larger than h_max = 0.01"},
        {"step=adaptive step_atol=0 step_rtol=0", "step_atol or step_rtol above zero"},
        {"projection=plain projection_times=0.2,0.1", "projection_times must increase (0.1 after 0.2)"},
        {"projection=plain projection_times=0.2,0.2", "projection_times must increase"},
        {"parameters=newmark beta=0.1 gamma=0.5", "set allow_unstable"},
        {"parameters=newmark beta=0.25 gamma=0.4", "2 beta >= gamma >= 1/2"},
        {"parameters=free alpha_m=0.5 alpha_f=0.4 beta=0.5 gamma=0.5", "alpha_m < alpha_f < 1/2"},
        {"parameters=free alpha_m=0.1 alpha_f=0.3 beta=0.3 gamma=0.7", "beta > 1/4"},
        {"parameters=newmark beta=0 gamma=0.5 allow_unstable=yes", "beta > 0"},
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        const dal_options opt = runs_options(ctx, list[k][0]);
        refused(&opt, list[k][1]);
    }
    const dal_options opt = runs_options(ctx, "parameters=newmark beta=0.2 gamma=0.5 allow_unstable=yes");
    dal_sim *sim;
    check_ok(ctx, dal_sim_create(&sim, ctx, pendulum.sys, &opt));
    dal_sim_destroy(sim);
}

static void options_may_be_left_out(void **state)
{
    const dal_options opt = dal_options_init();
    dal_sim *given, *left_out;
    check_ok(ctx, dal_sim_create(&given, ctx, pendulum.sys, &opt));
    check_ok(ctx, dal_sim_create(&left_out, ctx, pendulum.sys, NULL));
    check_ok(ctx, dal_sim_start(given, NULL, 0.0, pendulum.q0, pendulum.v0));
    check_ok(ctx, dal_sim_run(given, NULL, 0.05));
    check_ok(ctx, dal_sim_start(left_out, NULL, 0.0, pendulum.q0, pendulum.v0));
    check_ok(ctx, dal_sim_run(left_out, NULL, 0.05));
    assert_memory_equal(dal_sim_state(given).q, dal_sim_state(left_out).q, 2 * sizeof(double));
    dal_sim_destroy(given);
    dal_sim_destroy(left_out);
}

static void systems_that_are_not_sound_are_refused(void **state)
{
    dal_system sys = *pendulum.sys;
    dal_sim *sim;
    sys.equations.residual = NULL;
    check_fails(ctx, dal_sim_create(&sim, ctx, &sys, NULL), DAL_EINVAL, "residual and tangent are required");
    assert_null(sim);
    check_fails(ctx, dal_sim_create(&sim, ctx, NULL, NULL), DAL_EINVAL, "sys is NULL");
}

/* Every choice of every option makes a simulation that runs. */
static void every_word_of_every_choice_runs(void **state)
{
    const dal_option_table *table = dal_options_table();
    for (int i = 0; i < table->n; ++i) {
        const dal_option *o = &table->option[i];
        for (const dal_word *w = o->words; w && w->name; ++w) {
            char text[128];
            snprintf(text, sizeof text, "h=0.01 %s=%s %s", o->name, w->name,
                     strcmp(w->name, "free") == 0 ? "alpha_m=-0.1 alpha_f=0.1 beta=0.4 gamma=0.7" : "");
            dal_sim *sim = runs_start(ctx, &pendulum, text);
            check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
            assert_near(hypot(dal_sim_state(sim).q[0], dal_sim_state(sim).q[1]), 1.0, 1e-3);
            dal_sim_destroy(sim);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_out_of_range_are_refused_by_name),
        cmocka_unit_test(the_limits_themselves_are_accepted),
        cmocka_unit_test(a_rule_for_sigma_is_one_of_its_words),
        cmocka_unit_test(options_that_contradict_each_other_are_refused),
        cmocka_unit_test(options_may_be_left_out),
        cmocka_unit_test(systems_that_are_not_sound_are_refused),
        cmocka_unit_test(every_word_of_every_choice_runs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
