/* Every allocation of the public functions that make something large fails once: DAL_ENOMEM, nothing leaked, no file that looks
 * finished. Parts have tests of their own for what they create. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dalembert/dalembert.h"
#include "support/check.h"

#define FOLDER "test_allocations.results"
#define TRY_ALL(st, call) ((st) == DAL_OK ? (call) : (st))

/* ---- generated programs ----------------------------------------------------------------------- */

static dal_status generate(dal_ctx *ctx, void *user)
{
    char *text;
    const dal_status st = dal_generate(&text, ctx, user, NULL, 0, NULL);
    assert_true((st == DAL_OK) == (text != NULL));
    dal_generate_free(ctx, text);
    return st;
}

static void generated_programs(void **state)
{
    char name[] = "pendulum";
    assert_true(check_every_allocation(generate, name) > 100);
}

/* ---- recorders, pages, analyses --------------------------------------------------------------- */

/* A model with its simulation at hand, of the context. */
typedef struct model {
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_channels *channels;
    dal_sim *sim;
} model;

static dal_status open_model(model *m, dal_ctx *ctx, const char *name)
{
    *m = (model){0};
    DAL_TRY(dal_document_open(&m->doc, ctx, name, NULL, 0));
    m->model = dal_document_model(m->doc);
    DAL_TRY(dal_channels_create(&m->channels, ctx, m->model));
    DAL_TRY(dal_model_compile(m->model, &m->sys));
    DAL_TRY(dal_channels_bind(m->channels, m->sys));
    DAL_TRY(dal_sim_create(&m->sim, ctx, m->sys, dal_document_options(m->doc)));
    return dal_sim_start(m->sim, NULL, 0.0, dal_model_q0(m->model), dal_model_v0(m->model));
}

static void close_model(model *m)
{
    dal_sim_destroy(m->sim);
    dal_channels_destroy(m->channels);
    dal_document_destroy(m->doc);
}

static dal_status record(dal_ctx *ctx, void *user)
{
    const int hdf5 = *(const int *)user;
    const char *path = hdf5 ? FOLDER ".h5" : FOLDER;
    model m;
    dal_recorder *recorder = NULL;
    dal_checkpoint *checkpoint = NULL;
    const dal_note note = {"options", "h = 0.01"};
    dal_status st = open_model(&m, ctx, "pendulum");
    const dal_recorder_spec spec = {.channels = m.channels,
                                    .sim = m.sim,
                                    .path = path,
                                    .format = hdf5 ? DAL_RESULTS_HDF5 : DAL_RESULTS_CSV,
                                    .note = &note,
                                    .nnotes = 1,
                                    .checkpoint = FOLDER ".cp",
                                    .checkpoint_seconds = 100.0,
                                    .belongs = "pendulum"};
    st = TRY_ALL(st, dal_recorder_create(&recorder, ctx, &spec));
    st = TRY_ALL(st, dal_sim_run(m.sim, NULL, 0.01));
    st = TRY_ALL(st, dal_recorder_checkpoint(recorder, NULL));
    st = TRY_ALL(st, dal_checkpoint_read(&checkpoint, ctx, FOLDER ".cp"));
    st = TRY_ALL(st, dal_checkpoint_restore(checkpoint, ctx, m.sim, "pendulum"));
    st = TRY_ALL(st, dal_recorder_close(recorder, 0, &(dal_note){"statistics", "none"}, 1));
    dal_checkpoint_destroy(checkpoint);
    dal_recorder_destroy(recorder);
    close_model(&m);
    remove(FOLDER ".cp");
    return st;
}

static void recorders(void **state)
{
    for (int hdf5 = 0; hdf5 < 2; ++hdf5) {
        assert_true(check_every_allocation(record, &hdf5) > 50);
    }
    assert_int_equal(system("rm -rf " FOLDER " " FOLDER ".h5*"), 0);
}

static dal_status draw(dal_ctx *ctx, void *user)
{
    static const dal_page_curve curve = {"a", "m", "p", 0};
    static const double x[2] = {0.0, 1.0};
    model m;
    dal_page *page = NULL;
    dal_status st = open_model(&m, ctx, "spatial_slider_crank");
    const dal_page_spec spec = {
        .name = "a", .title = "b", .source = "{}", .model = m.model, .data = dal_sim_data(m.sim)};
    st = TRY_ALL(st, dal_page_create(&page, ctx, &spec));
    st = TRY_ALL(st, dal_page_text(page, DAL_PAGE_SUMMARY, "key", "value", 0));
    st = TRY_ALL(st, dal_page_curves(page, &curve, 1));
    for (int k = 0; k < 3; ++k) {
        const dal_point at = m.sim != NULL ? dal_sim_point(m.sim) : (dal_point){0};
        st = TRY_ALL(st, dal_page_frame(page, &at));
        st = TRY_ALL(st, dal_page_row(page, 0.1 * k, x));
    }
    st = TRY_ALL(st, dal_page_add_chart(page, &(dal_page_chart){.title = "c", .x = "x"}));
    st = TRY_ALL(st, dal_page_add_trace(page, &(dal_page_trace){.name = "t", .n = 2, .x = x, .y = x}));
    remove(user);
    st = TRY_ALL(st, dal_page_write(page, user));
    assert_true((st == DAL_OK) == (access(user, F_OK) == 0));
    dal_gallery *gallery = NULL;
    st = TRY_ALL(st, dal_gallery_create(&gallery, ctx));
    st = TRY_ALL(st, dal_gallery_add(gallery, page));
    st = TRY_ALL(st, dal_gallery_write(gallery, user));
    dal_gallery_destroy(gallery);
    dal_page_destroy(page);
    close_model(&m);
    return st;
}

static void pages(void **state)
{
    assert_true(check_every_allocation(draw, FOLDER ".html") > 50);
    remove(FOLDER ".html");
}

static dal_status analyse(dal_ctx *ctx, void *user)
{
    static const double times[2] = {0.0, 0.01};
    model m;
    dal_modal *modal = NULL;
    dal_shapes *shapes = NULL;
    dal_mode_shape shape;
    dal_linear *linear = NULL;
    dal_binding *binding = NULL;
    dal_samples samples = {0};
    dal_error error;
    static const char *const names[] = {"g"};
    dal_status st = open_model(&m, ctx, "pendulum");
    const dal_point at = m.sim != NULL ? dal_sim_point(m.sim) : (dal_point){0};
    dal_data *data = dal_sim_data(m.sim);
    st = TRY_ALL(st, dal_system_check(ctx, m.sys, NULL, &at, 1e-3));
    st = TRY_ALL(st, dal_modal_create(&modal, ctx, m.sys, data, &at, NULL));
    st = TRY_ALL(st, dal_shapes_create(&shapes, ctx, m.model, m.sys, data, &at));
    st = TRY_ALL(st, dal_shapes_mode(shapes, &shape, modal, 0));
    st = TRY_ALL(st, dal_linear_create(&linear, ctx, m.sys, data, &at, &(dal_linear_spec){0}));
    st = TRY_ALL(st, dal_binding_create(&binding, ctx, m.doc, names, 1));
    st = TRY_ALL(st, dal_binding_start(binding, m.sim, NULL, (double[1]){9.0}));
    st = TRY_ALL(st, dal_samples_init(&samples, ctx, m.sys, times, 2));
    st = TRY_ALL(
        st, dal_reference(&samples, &error, ctx, m.sys, 0.0, dal_model_q0(m.model), dal_model_v0(m.model), NULL, 1e-6));
    dal_samples_release(&samples);
    dal_binding_destroy(binding);
    dal_linear_destroy(linear);
    dal_shapes_destroy(shapes);
    dal_modal_destroy(modal);
    close_model(&m);
    return st;
}

/* A linear model with an input and outputs by name. */
static dal_status name_ports(dal_ctx *ctx, void *user)
{
    static const char text[] =
        "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 2}],"
        "\"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"a\", \"vector\": [1, 0, 0]}]}";
    dal_document *doc = NULL;
    dal_ports *ports = NULL;
    dal_sim *sim = NULL;
    dal_linear *linear = NULL;
    const dal_system *sys = NULL;
    dal_linear_spec spec = {0};
    dal_status st = dal_document_parse(&doc, ctx, text, sizeof text - 1, "text", NULL, 0);
    dal_model *m = doc != NULL ? dal_document_model(doc) : NULL;
    st = TRY_ALL(st, dal_ports_create(&ports, ctx, m, "push", "a.position,a.velocity.x"));
    st = TRY_ALL(st, dal_model_compile(m, &sys));
    st = TRY_ALL(st, dal_sim_create(&sim, ctx, sys, dal_document_options(doc)));
    st = TRY_ALL(st, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    st = TRY_ALL(st, dal_ports_bind(ports, &spec, dal_sim_data(sim)));
    const dal_point at = sim != NULL ? dal_sim_point(sim) : (dal_point){0};
    st = TRY_ALL(st, dal_linear_create(&linear, ctx, sys, dal_sim_data(sim), &at, &spec));
    double G[8];
    st = TRY_ALL(st, dal_linear_transfer(linear, G, 1.0, 0.0));
    if (st == DAL_OK) { // 1 N more on 2 kg, and y = v_x
        assert_string_equal(dal_ports_output(ports, 3).name, "a.velocity.x");
        assert_string_equal(dal_ports_input(ports, 0).unit, "1");
        assert_near(G[0], 0.5, 1e-9);
        assert_near(G[3], 0.5, 1e-9);
    }
    dal_linear_destroy(linear);
    dal_sim_destroy(sim);
    dal_ports_destroy(ports);
    dal_document_destroy(doc);
    return st;
}

static void inputs_and_outputs_by_name(void **state)
{
    assert_true(check_every_allocation(name_ports, NULL) > 50);
}

static void analyses(void **state)
{
    assert_true(check_every_allocation(analyse, NULL) > 100);
}

/* A model whose modes do not depend on the parameter. */
typedef struct constant {
    model m;
    dal_ctx *ctx;
} constant;

static dal_status same_modes(dal_modal **modal, double p, int i, void *user)
{
    const constant *c = user;
    const dal_point at = dal_sim_point(c->m.sim);
    return dal_modal_create(modal, c->ctx, c->m.sys, dal_sim_data(c->m.sim), &at, NULL);
}

static dal_status follow(dal_ctx *ctx, void *user)
{
    static const double speed[] = {1.0, 5.0}, order[] = {1.0};
    constant c = {.ctx = ctx};
    dal_campbell *campbell = NULL;
    const dal_campbell_spec spec = {
        .n = 2, .p = speed, .norders = 1, .order = order, .unit = 1.0, .modes = same_modes, .user = &c};
    dal_status st = open_model(&c.m, ctx, "double_pendulum");
    st = TRY_ALL(st, dal_campbell_create(&campbell, ctx, &spec));
    dal_campbell_destroy(campbell);
    close_model(&c.m);
    return st;
}

static void modes_over_a_parameter(void **state)
{
    assert_true(check_every_allocation(follow, NULL) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_programs),
        cmocka_unit_test(recorders),
        cmocka_unit_test(pages),
        cmocka_unit_test(analyses),
        cmocka_unit_test(modes_over_a_parameter),
        cmocka_unit_test(inputs_and_outputs_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
