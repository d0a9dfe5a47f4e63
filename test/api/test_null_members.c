/* NULL for members of points, sinks and systems. */
#include <math.h>

#include "members.h"

/* ---- points ----------------------------------------------------------------------------------- */

static struct {
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_channels *channels;
    dal_sim *sim;
    dal_data *data;
    dal_recorder *recorder;
    dal_reduction *red;
    dal_linearization *lin;
    dal_page *page;
    double x[512];
} p;

static void take_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
}

static void take_link(dal_sink *sink, int link, const double *a, const double *b)
{
}

static void take_force(dal_sink *sink, int link, const double *G)
{
}

static const dal_sink all_taken = {.wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z |
                                            DAL_WANT_A | DAL_WANT_G,
                                   .pair = take_pair,
                                   .link = take_link,
                                   .link_acc = take_link,
                                   .link_force = take_force};

static dal_status with_outputs(const void *at)
{
    return dal_model_outputs(p.model, p.data, p.x, at);
}

static dal_status with_poses(const void *at)
{
    return dal_model_poses(p.model, p.data, p.x, at);
}

static dal_status with_wrenches(const void *at)
{
    return dal_model_wrenches(p.model, p.data, p.x, at);
}

static dal_status with_check(const void *at)
{
    return dal_system_check(ctx, p.sys, NULL, at, 1e-3);
}

static dal_status with_modes(const void *at)
{
    dal_modal *modal;
    const dal_status st = dal_modal_create(&modal, ctx, p.sys, p.data, at, NULL);
    dal_modal_destroy(modal);
    return st;
}

static dal_status with_linear(const void *at)
{
    dal_linear *linear;
    const dal_status st = dal_linear_create(&linear, ctx, p.sys, p.data, at, &(dal_linear_spec){0});
    dal_linear_destroy(linear);
    return st;
}

static dal_status with_linearisation(const void *at)
{
    return dal_linearize_at(p.lin, at);
}

static dal_status with_residual(const void *at)
{
    return dal_data_residual(p.data, &(dal_residual){.r = p.x}, at);
}

static dal_status with_tangent(const void *at)
{
    dal_sink sink = all_taken;
    return dal_data_tangent(p.data, &sink, at);
}

static dal_status with_accept(const void *at)
{
    return dal_data_accept(p.data, at, DAL_MOMENT_STEP);
}

static dal_status with_integrate(const void *at)
{
    return dal_data_integrate(p.data, at, 0.1);
}

static dal_status with_multipliers(const void *at)
{
    return dal_reduction_multipliers(p.red, p.x, at, 1);
}

static dal_status with_partners(const void *at)
{
    char text[200];
    return dal_reduction_partners(p.red, text, sizeof text, at, dal_reduction_rows(p.red)[0]);
}

static dal_status with_frame(const void *at)
{
    return dal_page_frame(p.page, at);
}

static dal_status with_page(const void *at)
{
    dal_page *page;
    const dal_status st =
        dal_page_create(&page, ctx, &(dal_page_spec){.name = "x", .model = p.model, .data = p.data, .initial = at});
    dal_page_destroy(page);
    return st;
}

static dal_status with_row(const void *at)
{
    return dal_recorder_row(p.recorder, at, 0.1);
}

/* Two hinges hold one door: a redundant model, so that a reduction has rows to share out. */
static const char door[] =
    "{\"dalembert\": 1, \"gravity\": [1, 0, -9.81], \"bodies\": [{\"name\": \"door\", \"mass\": 1, \"inertia\": [1, 1, "
    "1],"
    "\"position\": [1, 0, 0]}], \"joints\": [{\"name\": \"low\", \"type\": \"revolute\", \"body_a\": \"ground\", "
    "\"body_b\": "
    "\"door\", \"axis\": [0, 0, 1], \"point\": [0, 0, 0]}, {\"name\": \"high\", \"type\": \"revolute\", \"body_a\": "
    "\"ground\", "
    "\"body_b\": \"door\", \"axis\": [0, 0, 1], \"point\": [0, 0, 2]}], \"forces\": [{\"name\": \"d\", \"type\": "
    "\"spring\", "
    "\"joint\": \"low\", \"damping\": 0.1}], \"outputs\": [{\"name\": \"w\", \"quantity\": \"energy\"}]}";

static void set_up_points(void)
{
    check_ok(ctx, dal_document_parse(&p.doc, ctx, door, sizeof door - 1, "door", NULL, 0));
    p.model = dal_document_model(p.doc);
    check_ok(ctx, dal_channels_create(&p.channels, ctx, p.model));
    check_ok(ctx, dal_model_compile(p.model, &p.sys));
    check_ok(ctx, dal_channels_bind(p.channels, p.sys));
    dal_options opt = dal_options_init();
    opt.redundant = DAL_REDUNDANT_LEAST_NORM;
    check_ok(ctx, dal_sim_create(&p.sim, ctx, p.sys, &opt));
    p.data = dal_sim_data(p.sim);
    check_ok(ctx, dal_sim_start(p.sim, NULL, 0.0, dal_model_q0(p.model), NULL));
    check_ok(ctx, dal_recorder_create(&p.recorder, ctx, &(dal_recorder_spec){.channels = p.channels, .sim = p.sim}));
    check_ok(ctx, dal_reduction_create(&p.red, ctx, p.sys, 0.0, dal_model_q0(p.model), 0.0));
    check_ok(ctx, dal_linearize_create(&p.lin, ctx, p.sys, p.data, DAL_WANT_M | DAL_WANT_K));
    check_ok(ctx, dal_page_create(&p.page, ctx, &(dal_page_spec){.name = "x", .model = p.model, .data = p.data}));
}

static void tear_down_points(void)
{
    dal_page_destroy(p.page);
    dal_linearize_destroy(p.lin);
    dal_reduction_destroy(p.red);
    dal_recorder_destroy(p.recorder);
    dal_sim_destroy(p.sim);
    dal_channels_destroy(p.channels);
    dal_document_destroy(p.doc);
}

static void a_point_without_a_member_is_refused(void **state)
{
    static const member all[] = {NEEDED(dal_point, q), NEEDED(dal_point, v), NEEDED(dal_point, vd),
                                 NEEDED(dal_point, la)};
    static const member pictures[] = {NEEDED(dal_point, q), NEEDED(dal_point, v), NEEDED(dal_point, vd),
                                      MAY_BE_NULL(dal_point, la)};
    static dal_status (*const functions[])(const void *at) = {
        with_outputs, with_check,  with_modes,     with_linear,      with_linearisation, with_residual,
        with_tangent, with_accept, with_integrate, with_multipliers, with_partners,      with_row};
    static dal_status (*const drawing[])(const void *at) = {with_poses, with_wrenches, with_frame, with_page};
    set_up_points();
    const dal_point at = dal_sim_point(p.sim);
    for (size_t k = 0; k < sizeof functions / sizeof *functions; ++k) {
        WALK(functions[k], &at, all);
    }
    for (size_t k = 0; k < sizeof drawing / sizeof *drawing; ++k) {
        WALK(drawing[k], &at, pictures);
    }
    for (size_t k = 0; k < 4; ++k) {
        const double *none[4] = {at.q, at.v, at.vd, at.la};
        none[k] = NULL;
        assert_true(isnan(dal_data_energy(p.data, &(dal_point){0.0, none[0], none[1], none[2], none[3]})));
    }
    tear_down_points();
}

static dal_status into_sink(const void *spec)
{
    dal_sink sink;
    memcpy(&sink, spec, sizeof sink);
    const dal_point at = dal_sim_point(p.sim);
    return dal_data_tangent(p.data, &sink, &at);
}

static dal_status linear_with(const void *spec)
{
    const dal_point at = dal_sim_point(p.sim);
    dal_linear *linear;
    const dal_status st = dal_linear_create(&linear, ctx, p.sys, p.data, &at, spec);
    dal_linear_destroy(linear);
    return st;
}

static dal_status no_input(int k, double offset, void *user)
{
    return DAL_OK;
}

static dal_status no_output(double *y, const dal_point *at, void *user)
{
    y[0] = 0.0;
    return DAL_OK;
}

static dal_status driven_with(const void *spec)
{
    dal_driven *driven;
    const dal_status st = dal_driven_create(&driven, ctx, p.sys, p.data, spec);
    dal_driven_destroy(driven);
    return st == DAL_OK || strstr(dal_ctx_message(ctx), "freedom") ? DAL_OK : st; // nothing drives the door
}

static dal_status no_sample(dal_sim *sim, const dal_point *at, void *user)
{
    return DAL_OK;
}

static dal_status sampled(const void *spec)
{
    return dal_sim_sample(p.sim, spec, no_sample, NULL);
}

static void sinks_and_analyses_without_a_member_are_refused(void **state)
{
    static const member sink[] = {NEEDED(dal_sink, pair), NEEDED(dal_sink, link), NEEDED(dal_sink, link_acc),
                                  NEEDED(dal_sink, link_force)};
    static const member linear[] = {NEEDED(dal_linear_spec, set_input), NEEDED(dal_linear_spec, outputs)};
    static const member driven[] = {NEEDED(dal_driven_spec, q), NEEDED(dal_driven_spec, ignored)};
    static const member sampling[] = {NEEDED(dal_sampling, times)};
    static const int row[1] = {0};
    static const double times[1] = {0.5};
    set_up_points();
    WALK(into_sink, &all_taken, sink);
    const dal_linear_spec ports = {.ninputs = 1, .noutputs = 1, .set_input = no_input, .outputs = no_output};
    WALK(linear_with, &ports, linear);
    const dal_driven_spec guess = {.q = dal_model_q0(p.model), .ignored = row, .nignored = 1};
    WALK(driven_with, &guess, driven);
    WALK(sampled, (&(dal_sampling){.times = times, .n = 1}), sampling);
    tear_down_points();
}

/* ---- systems ---------------------------------------------------------------------------------- */

static dal_status one(double *M, double t, const double *q, void *user)
{
    M[0] = 1.0;
    return DAL_OK;
}

static dal_status no_force(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    g[0] = 0.0;
    return DAL_OK;
}

static dal_status make_dense(const void *spec)
{
    dal_system *sys;
    const dal_status st = dal_dense_create(&sys, ctx, spec);
    dal_dense_destroy(sys);
    return st;
}

static dal_status simulate(const void *sys)
{
    dal_sim *sim;
    const dal_status st = dal_sim_create(&sim, ctx, sys, NULL);
    dal_sim_destroy(sim);
    return st;
}

static void systems_without_a_member_are_refused(void **state)
{
    static const member dense[] = {NEEDED(dal_dense, group), NEEDED(dal_dense, M), NEEDED(dal_dense, g),
                                   NEEDED(dal_dense, Phi),   NEEDED(dal_dense, B), MAY_BE_NULL(dal_dense, Z)};
    static const member system[] = {NEEDED(dal_system, group),
                                    NEEDED(dal_system, constraint),
                                    NEEDED(dal_system, pair),
                                    NEEDED(dal_system, link),
                                    NEEDED(dal_system, equations.residual),
                                    NEEDED(dal_system, equations.tangent),
                                    MAY_BE_NULL(dal_system, equations.energy),
                                    MAY_BE_NULL(dal_system, names.row),
                                    MAY_BE_NULL(dal_system, names.velocity),
                                    MAY_BE_NULL(dal_system, names.culprit),
                                    MAY_BE_NULL(dal_system, life.next_break)};
    dal_group *group;
    dal_system *sys;
    check_ok(ctx, dal_group_create(&group, ctx, &(dal_factor_spec){DAL_FACTOR_RN, 1}, 1));
    const dal_dense held = {.group = group, .nc = 1, .M = one, .g = no_force, .Phi = one, .B = one};
    WALK(make_dense, &held, dense);
    check_ok(ctx, dal_dense_create(&sys, ctx, &held));
    WALK(simulate, sys, system);
    dal_dense_destroy(sys);
    dal_group_destroy(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_without_a_member_is_refused),
        cmocka_unit_test(sinks_and_analyses_without_a_member_are_refused),
        cmocka_unit_test(systems_without_a_member_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
