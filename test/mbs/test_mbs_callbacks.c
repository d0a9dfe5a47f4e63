/* Functions and rows from callbacks that fail, or give what is not finite: the message names them, and a callback that is
 * sound again lets the simulation go on. */
#include <math.h>
#include <string.h>

#include "dalembert/mbs.h"
#include "dalembert/sim.h"
#include "support/check.h"

/* What the next call does; it happens once, but for the wish for a smaller step, which is repeated. */
typedef enum fault { SOUND, NOT_FINITE, FAILS, ASKS_FOR_LESS, HUGE } fault;

typedef struct callbacks {
    fault function, rows;
} callbacks;

static fault take(fault *f)
{
    const fault now = *f;
    *f = now == ASKS_FOR_LESS ? now : SOUND;
    return now;
}

static dal_status status_of(fault f)
{
    return f == FAILS ? DAL_ECALLBACK : f == ASKS_FOR_LESS ? DAL_RETRY : DAL_OK;
}

static dal_status push(double y[3], double x, void *user)
{
    const fault now = take(&((callbacks *)user)->function);
    y[0] = now == NOT_FINITE ? NAN : now == HUGE ? 1e300 : 0.5 * sin(3.0 * x);
    y[1] = 1.5 * cos(3.0 * x);
    y[2] = -4.5 * sin(3.0 * x);
    return status_of(now);
}

/* A blade along x of the body. */
static dal_status blade(double *A, double *b, double t, const double *x, const double *R,
                        const dal_functions *functions, void *user)
{
    (void)functions;
    const fault now = take(&((callbacks *)user)->rows);
    memcpy(A, R + 3, 3 * sizeof(double));
    b[0] = now == NOT_FINITE ? INFINITY : 0.0;
    return status_of(now);
}

static dal_model *sled(dal_ctx *ctx, callbacks *c)
{
    dal_model *m;
    int s, f;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_body(m, &s,
                                     &(dal_body){.name = "sled",
                                                 .mass = 3.0,
                                                 .inertia = {0.1, 0.1, 0.2},
                                                 .velocity = {1.0},
                                                 .angular_velocity = {0.0, 0.0, 0.8}}));
    check_ok(ctx,
             dal_model_add_function(m, &f, &(dal_function){.name = "push", .type = "user", .call = push, .user = c}));
    check_ok(ctx, dal_model_add_joint(m, NULL, &(dal_joint){.name = "table", .type = "planar", .body_b = s}));
    check_ok(ctx, dal_model_add_joint(m, NULL,
                                      &(dal_joint){.name = "blade",
                                                   .type = "pfaffian",
                                                   .rows = blade,
                                                   .user = c,
                                                   .nrows = 1,
                                                   .nbodies = 1,
                                                   .bodies = &s}));
    check_ok(ctx, dal_model_add_force(m, NULL,
                                      &(dal_force){.name = "motor",
                                                   .type = "force",
                                                   .body_b = s,
                                                   .vector = {1.0, 0.0, 0.0},
                                                   .follower = 1,
                                                   .function = f}));
    return m;
}

static void a_fault_is_named_and_passes(void **state)
{
    static const struct {
        callbacks fault;
        dal_status st;
        const char *says;
    } list[] = {
        {{NOT_FINITE, SOUND}, DAL_ECALLBACK, "the function 'push' of force 'motor' gives nan at 0.3"},
        {{FAILS, SOUND}, DAL_ECALLBACK, "the function 'push' of force 'motor' failed at 0.3"},
        {{ASKS_FOR_LESS, SOUND}, DAL_RETRY, "the function 'push' of force 'motor' failed at 0.3"},
        {{SOUND, NOT_FINITE}, DAL_ECALLBACK, "the coefficients of the rows of joint 'blade' are not finite at t = 0.3"},
        {{SOUND, FAILS}, DAL_ECALLBACK, "the callback for the rows of joint 'blade' failed at t = 0.3"},
        {{SOUND, ASKS_FOR_LESS}, DAL_RETRY, "the callback for the rows of joint 'blade' failed at t = 0.3"},
    };
    for (size_t k = 0; k < LEN(list); ++k) {
        dal_ctx *ctx = check_ctx();
        callbacks c = {SOUND, SOUND};
        dal_model *m = sled(ctx, &c);
        const dal_system *sys;
        dal_sim *sim;
        dal_options opt = dal_options_init();
        opt.h = 0.01;
        check_ok(ctx, dal_model_compile(m, &sys));
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
        check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
        check_ok(ctx, dal_sim_run(sim, NULL, 0.3));
        c = list[k].fault;
        check_fails(ctx, dal_sim_step(sim), list[k].st, list[k].says);
        c = (callbacks){SOUND, SOUND};
        check_ok(ctx, dal_sim_run(sim, NULL, 0.5));
        dal_sim_destroy(sim);
        dal_model_destroy(m);
        check_ctx_free(ctx);
    }
}

/* Iterates that overflow because of a force are not held against the rows that see them. */
static void rows_are_not_blamed_for_places_that_are_not_finite(void **state)
{
    dal_ctx *ctx = check_ctx();
    callbacks c = {SOUND, SOUND};
    dal_model *m = sled(ctx, &c);
    const dal_system *sys;
    dal_sim *sim;
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, NULL));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    for (int k = 0; k < 5; ++k) {
        c.function = HUGE;
        if (dal_sim_step(sim) != DAL_OK) {
            assert_null(strstr(dal_ctx_message(ctx), "blade"));
        }
    }
    dal_sim_destroy(sim);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

typedef struct bend {
    int order; /* of the derivative that is not finite */
    double from;
} bend;

static dal_status bent(double y[3], double x, void *user)
{
    const bend *b = user;
    y[0] = sin(x);
    y[1] = cos(x);
    y[2] = -sin(x);
    if (b->order > 0 && x >= b->from) {
        y[b->order] = NAN;
    }
    return DAL_OK;
}

/* Index 3 takes only the value of a prescribed motion into account; derivatives that are not finite are told all the same. */
static void derivatives_of_a_motion_must_be_finite_in_index_3_too(void **state)
{
    static const struct {
        bend b;
        const char *says;
    } list[] = {{{1, 0.0}, "of joint 'drive' gives 0 at 0, with the derivatives nan and "},
                {{2, 0.0}, "of joint 'drive' gives 0 at 0, with the derivatives 1 and nan"},
                {{1, 0.305}, "the function 'bent' of joint 'drive' gives 0.30"},
                {{2, 0.305}, "the function 'bent' of joint 'drive' gives 0.30"}};
    for (size_t k = 0; k < LEN(list); ++k) {
        dal_ctx *ctx = check_ctx();
        dal_model *m;
        int s, f;
        bend b = list[k].b;
        const dal_system *sys;
        dal_sim *sim;
        dal_options opt = dal_options_init();
        opt.h = 0.01;
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_add_body(m, &s, &(dal_body){.name = "wheel", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}}));
        check_ok(ctx, dal_model_add_function(
                          m, &f, &(dal_function){.name = "bent", .type = "user", .call = bent, .user = &b}));
        check_ok(ctx, dal_model_add_joint(m, NULL, &(dal_joint){.name = "pin", .type = "revolute", .body_b = s}));
        check_ok(ctx, dal_model_add_joint(
                          m, NULL, &(dal_joint){.name = "drive", .type = "motion", .joint = "pin", .function = f}));
        check_ok(ctx, dal_model_compile(m, &sys));
        check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
        dal_status st = dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m));
        assert_int_equal(st == DAL_OK, b.from > 0.0);
        st = st == DAL_OK ? dal_sim_run(sim, NULL, 1.0) : st;
        check_fails(ctx, st, DAL_ECALLBACK, list[k].says);
        dal_sim_destroy(sim);
        dal_model_destroy(m);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_a_motion_must_be_finite_in_index_3_too),
        cmocka_unit_test(a_fault_is_named_and_passes),
        cmocka_unit_test(rows_are_not_blamed_for_places_that_are_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
