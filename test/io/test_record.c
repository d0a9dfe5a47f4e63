/* The recorder as a program uses it that embeds the library. */
#define _XOPEN_SOURCE 700

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/record.h"
#include "support/check.h"

/* A built-in model, compiled, with its channels. */
typedef struct loaded {
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_channels *channels;
    dal_sim *sim;
} loaded;

static loaded load(dal_ctx *ctx, const char *name)
{
    loaded m = {0};
    check_ok(ctx, dal_document_open(&m.doc, ctx, name, NULL, 0));
    m.model = dal_document_model(m.doc);
    check_ok(ctx, dal_channels_create(&m.channels, ctx, m.model));
    check_ok(ctx, dal_model_compile(m.model, &m.sys));
    check_ok(ctx, dal_channels_bind(m.channels, m.sys));
    check_ok(ctx, dal_sim_create(&m.sim, ctx, m.sys, dal_document_options(m.doc)));
    return m;
}

static void start(dal_ctx *ctx, loaded *m)
{
    check_ok(ctx, dal_sim_start(m->sim, NULL, 0.0, dal_model_q0(m->model), dal_model_v0(m->model)));
}

static void release(loaded *m)
{
    dal_sim_destroy(m->sim);
    dal_channels_destroy(m->channels);
    dal_document_destroy(m->doc);
}

static void channels_have_names_units_and_tables(void **state)
{
    dal_ctx *ctx = check_ctx();
    loaded m = load(ctx, "heavy_top");
    int first, n = 0;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        n += dal_channels_table(m.channels, &first, k);
        assert_string_equal(dal_record_table_name(dal_channels_get(m.channels, first).table), dal_record_table_name(k));
    }
    assert_int_equal(n, dal_channels_count(m.channels));
    assert_int_equal(dal_channels_body_count(m.channels), 1);
    const dal_body_channels top = dal_channels_body(m.channels, 0);
    assert_string_equal(top.name, "top");
    assert_int_equal(top.omega, dal_channels_find(m.channels, "top.omega.x"));
    assert_string_equal(dal_channels_get(m.channels, top.omega).unit, "rad/s");
    assert_int_equal(dal_channels_find(m.channels, "no such"), -1);
    assert_null(dal_channels_get(m.channels, -1).name);
    release(&m);
    check_ctx_free(ctx);
}

typedef struct tally {
    int rows;
    double t, omega;
    int channel;
} tally;

static dal_status count_row(const dal_record_row *row, void *user)
{
    tally *c = user;
    c->rows++;
    c->t = row->t;
    c->omega = row->x[c->channel];
    return DAL_OK;
}

/* Also without files; a row may be asked for at any state. */
static void rows_go_to_the_caller(void **state)
{
    dal_ctx *ctx = check_ctx();
    loaded m = load(ctx, "heavy_top");
    tally seen = {.channel = dal_channels_find(m.channels, "top.omega.y")};
    dal_recorder *r;
    const dal_recorder_spec spec = {.channels = m.channels, .sim = m.sim, .every = 5, .row = count_row, .user = &seen};
    start(ctx, &m);
    check_ok(ctx, dal_recorder_create(&r, ctx, &spec));
    assert_int_equal(seen.rows, 1);
    check_ok(ctx, dal_sim_run(m.sim, NULL, 0.02));
    assert_int_equal(seen.rows, 1 + (int)dal_sim_stats(m.sim).steps / 5);
    assert_near(seen.omega, 150.0, 1.0);
    dal_point at = dal_sim_point(m.sim);
    at.t = 0.0195;
    const int before = seen.rows;
    check_ok(ctx, dal_recorder_row(r, &at, 1e-3));
    assert_int_equal(seen.rows, before + 1);
    assert_true(seen.t == 0.0195);
    assert_true(dal_recorder_monitor(r).max_drift < 1.0);
    dal_recorder_destroy(r);
    release(&m);
    check_ctx_free(ctx);
}

/* The monitor costs evaluations in every step: without rows and without a watcher there are none. */
static void a_run_that_nobody_watches_is_not_monitored(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int unwatched = 0; unwatched < 2; ++unwatched) {
        loaded m = load(ctx, "heavy_top");
        dal_recorder *r;
        const dal_recorder_spec spec = {.channels = m.channels, .sim = m.sim, .unwatched = unwatched};
        start(ctx, &m);
        check_ok(ctx, dal_recorder_create(&r, ctx, &spec));
        check_ok(ctx, dal_sim_run(m.sim, NULL, 0.02));
        assert_int_equal(dal_recorder_monitor(r).max_drift > 0.0, !unwatched);
        dal_recorder_destroy(r);
        release(&m);
    }
    check_ctx_free(ctx);
}

/* Record up to t_end, with a checkpoint there; `resume` goes on from one. Returns the monitor at the end. */
static dal_monitor record(dal_ctx *ctx, const char *path, dal_results_format format, double t_end, const char *resume)
{
    loaded m = load(ctx, "heavy_top");
    dal_checkpoint *from = NULL;
    dal_recorder *r;
    const dal_note note = {"remark", "text"};
    if (resume != NULL) {
        check_ok(ctx, dal_checkpoint_read(&from, ctx, resume));
        assert_string_equal(dal_checkpoint_set(from, 0), "m=15");
        check_fails(ctx, dal_checkpoint_restore(from, ctx, m.sim, "another model"), DAL_ESNAPSHOT, "another model");
        check_ok(ctx, dal_checkpoint_restore(from, ctx, m.sim, dal_document_text(m.doc)));
    } else {
        start(ctx, &m);
    }
    static const char *const set[] = {"m=15"};
    const dal_recorder_spec spec = {.channels = m.channels,
                                    .sim = m.sim,
                                    .path = path,
                                    .format = format,
                                    .every = 3,
                                    .checkpoint = "record.cp",
                                    .checkpoint_seconds = 1e9,
                                    .belongs = dal_document_text(m.doc),
                                    .nset = 1,
                                    .set = set,
                                    .resume = from};
    check_ok(ctx, dal_recorder_create(&r, ctx, &spec));
    check_ok(ctx, dal_sim_run(m.sim, NULL, t_end));
    const dal_monitor end = dal_recorder_monitor(r);
    check_ok(ctx, dal_recorder_checkpoint(r, NULL));
    check_ok(ctx, dal_recorder_close(r, 0, &note, 1));
    assert_false(dal_recorder_failed(r));
    dal_recorder_destroy(r);
    dal_checkpoint_destroy(from);
    release(&m);
    return end;
}

/* The largest drift is in the first part, the energy at the end far below it: what the checkpoint carries counts. */
static void a_run_in_two_parts_gives_the_tables_and_the_monitor_of_one(void **state)
{
    static const char *const path[][2] = {{"record_parts", "record_whole"}, {"record_parts.h5", "record_whole.h5"}};
    dal_ctx *ctx = check_ctx();
    for (int f = 0; f < 2; ++f) {
        const dal_monitor one = record(ctx, path[f][1], (dal_results_format)f, 0.013, NULL);
        const dal_monitor first = record(ctx, path[f][0], (dal_results_format)f, 0.01, NULL);
        const dal_monitor both = record(ctx, path[f][0], (dal_results_format)f, 0.013, "record.cp");
        assert_true(both.max_drift == first.max_drift && both.max_drift > 2.0 * fabs(both.energy - both.energy0));
        assert_true(both.max_drift == one.max_drift && both.balance.residual == one.balance.residual);
        assert_true(both.max_position == one.max_position && both.max_velocity == one.max_velocity);
        for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
            dal_table_data a, b;
            check_ok(ctx, dal_table_read(&a, ctx, path[f][0], dal_record_table_name(k)));
            check_ok(ctx, dal_table_read(&b, ctx, path[f][1], dal_record_table_name(k)));
            assert_int_equal(a.rows, b.rows);
            assert_memory_equal(a.x, b.x, (size_t)a.rows * (size_t)a.n * sizeof *a.x);
            dal_table_release(&a);
            dal_table_release(&b);
        }
    }
    assert_int_equal(system("rm -rf record_parts record_whole record_parts.h5 record_whole.h5 record.cp"), 0);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_have_names_units_and_tables),
        cmocka_unit_test(rows_go_to_the_caller),
        cmocka_unit_test(a_run_that_nobody_watches_is_not_monitored),
        cmocka_unit_test(a_run_in_two_parts_gives_the_tables_and_the_monitor_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
