/* NULL for models, model files, results and recorders. */
#include <math.h>
#include <stdio.h>

#include "refused.h"

/* ---- models ----------------------------------------------------------------------------------- */

static void absent_models_are_harmless(void)
{
    const double x[3] = {0.0};
    double y[3];
    int n;
    dal_frame frame;
    const dal_system *sys;
    refused_silently(dal_model_set_gravity, NULL, x);
    refused_silently(dal_model_set_end, NULL, 1.0);
    refused_silently(dal_model_set_inputs, NULL, NULL, 0, NULL, NULL);
    harmless(dal_model_input_count, dal_model_input_count(NULL) == 0);
    harmless(dal_model_input, dal_model_input(NULL, 0).name == NULL);
    refused_silently(dal_model_add_body, NULL, NULL, &(dal_body){0});
    refused_silently(dal_model_add_flexible, NULL, NULL, &(dal_flexible){0});
    refused_silently(dal_model_add_function, NULL, NULL, &(dal_function){0});
    refused_silently(dal_model_add_joint, NULL, NULL, &(dal_joint){0});
    refused_silently(dal_model_given, NULL, &n);
    refused_silently(dal_model_add_force, NULL, NULL, &(dal_force){0});
    refused_silently(dal_model_add_output, NULL, NULL, &(dal_output){0});
    refused_silently(dal_model_frame_at, NULL, &frame, 0, &(dal_frame){0});
    refused_silently(dal_model_outputs, NULL, NULL, y, &(dal_point){0});
    refused_silently(dal_model_kink, NULL, NULL, &(dal_kink){0}, &(dal_point){0}, 0);
    refused_silently(dal_model_compile, NULL, &sys);
    refused_silently(dal_model_set_initial, NULL, x, x);
    refused_silently(dal_model_joint_rows, NULL, &n, &n, 0);
    refused_silently(dal_model_open_joints, NULL, NULL, &n, NULL, 0, 0.0, x, 1e-9);
}

static void absent_numbers_are_harmless(void)
{
    const double x[3] = {0.0};
    double y[3];
    int n;
    refused_silently(dal_data_set_gravity, NULL, x);
    refused_silently(dal_data_set_body, NULL, 1, &(dal_body){0});
    refused_silently(dal_data_set_flexible, NULL, 1, &(dal_flexible){0});
    refused_silently(dal_data_set_joint, NULL, 0, &(dal_joint){0});
    refused_silently(dal_data_set_force, NULL, 0, &(dal_force){0});
    refused_silently(dal_data_set_function, NULL, 1, &(dal_function){0});
    refused_silently(dal_data_set_output, NULL, 0, &(dal_frame){0});
    refused_silently(dal_data_frame_at, NULL, &(dal_frame){0}, 0, &(dal_frame){0});
    refused_silently(dal_data_get_gravity, NULL, y);
    refused_silently(dal_data_get_body, NULL, &(dal_body){0}, 1);
    refused_silently(dal_data_get_flexible, NULL, &(dal_flexible){0}, 1);
    refused_silently(dal_data_get_joint, NULL, &(dal_joint){0}, 0);
    refused_silently(dal_data_get_force, NULL, &(dal_force){0}, 0);
    refused_silently(dal_data_get_function, NULL, &(dal_function){0}, 1);
    refused_silently(dal_data_get_output, NULL, &(dal_frame){0}, 0);
    harmless(dal_data_parameters, dal_data_parameters(NULL, NULL) == 0);
    refused_silently(dal_data_initial, NULL, y, y);
    refused_silently(dal_data_given, NULL, &n);
}

static void absent_models_have_nothing(void)
{
    const double x[3] = {0.0};
    harmless(dal_model_modes, dal_model_modes(NULL, NULL, NULL, 1) == 0);
    harmless(dal_model_output_count, dal_model_output_count(NULL) == 0);
    harmless(dal_model_output_size, dal_model_output_size(NULL) == 0);
    harmless(dal_model_output_info, dal_model_output_info(NULL, 0).name == NULL);
    harmless(dal_model_find_body, dal_model_find_body(NULL, "a") == -1);
    harmless(dal_model_find_joint, dal_model_find_joint(NULL, "a") == -1);
    harmless(dal_model_find_force, dal_model_find_force(NULL, "a") == -1);
    harmless(dal_model_find_function, dal_model_find_function(NULL, "a") == -1);
    harmless(dal_model_body_name, dal_model_body_name(NULL, 0) == NULL);
    harmless(dal_model_joint_name, dal_model_joint_name(NULL, 0) == NULL);
    harmless(dal_model_force_name, dal_model_force_name(NULL, 0) == NULL);
    harmless(dal_model_function_name, dal_model_function_name(NULL, 1) == NULL);
    harmless(dal_model_body_of, dal_model_body_of(NULL, 1) == -1);
    harmless(dal_model_q0, dal_model_q0(NULL) == NULL);
    harmless(dal_model_v0, dal_model_v0(NULL) == NULL);
    harmless(dal_model_body_factor, dal_model_body_factor(NULL, 1) == -1);
    harmless(dal_model_report, dal_model_report(NULL).bodies == 0);
    harmless(dal_frame_on_axis, dal_frame_on_axis(NULL, x, NULL).rotation[0] == 1.0);
    harmless(dal_frame_on_axis, dal_frame_on_axis(x, NULL, NULL).rotation[0] == 1.0);
}

static void absent_models_have_no_looks(void)
{
    const double x[3] = {0.0};
    double y[3];
    int n;
    refused_silently(dal_model_add_shape, NULL, 0, &(dal_shape){0});
    refused_silently(dal_model_body_info, NULL, &(dal_body){0}, 0);
    refused_silently(dal_model_joint_info, NULL, &(dal_joint){0}, 0);
    refused_silently(dal_model_force_info, NULL, &(dal_force){0}, 0);
    harmless(dal_model_shape_count, dal_model_shape_count(NULL) == 0);
    harmless(dal_model_shape, dal_model_shape(NULL, &n, 0) == NULL);
    refused_silently(dal_model_add_trail, NULL, 1, x);
    harmless(dal_model_trail_count, dal_model_trail_count(NULL) == 0);
    harmless(dal_model_trail, dal_model_trail(NULL, (double[3]){0}, 0) == 0);
    harmless(dal_model_flexible_nodes, dal_model_flexible_nodes(NULL, 1).n == 0);
    refused_silently(dal_model_poses, NULL, NULL, y, &(dal_point){0});
    refused_silently(dal_model_wrenches, NULL, NULL, y, &(dal_point){0});
    does_nothing(dal_model_gravity, NULL, y);
    does_nothing(dal_model_output_component, NULL, NULL, 0, 0, 0);
    refused_silently(dal_model_function_value, NULL, y, 1, 0.0);
    does_nothing(dal_model_destroy, NULL);
    does_nothing(dal_beam_modes_destroy, NULL);
}

static void models_before_compiling(dal_ctx *ctx, dal_model *model)
{
    dal_frame frame;
    dal_modes *modes;
    refused(ctx, "gravity", dal_model_set_gravity, model, NULL);
    refused(ctx, "body", dal_model_add_body, model, NULL, NULL);
    refused(ctx, "body", dal_model_add_flexible, model, NULL, NULL);
    refused(ctx, "body->modes", dal_model_add_flexible, model, NULL, &(dal_flexible){.name = "beam"});
    refused(ctx, "beam", dal_model_add_beam, model, NULL, NULL);
    refused(ctx, "function", dal_model_add_function, model, NULL, NULL);
    refused(ctx, "y", dal_model_function_value, model, NULL, 1, 0.0);
    refused(ctx, "joint", dal_model_add_joint, model, NULL, NULL);
    refused(ctx, "force", dal_model_add_force, model, NULL, NULL);
    refused(ctx, "output", dal_model_add_output, model, NULL, NULL);
    refused(ctx, "world", dal_model_frame_at, model, &frame, 0, NULL);
    refused(ctx, "frame", dal_model_frame_at, model, NULL, 0, &(dal_frame){0});
    refused(ctx, "shape", dal_model_add_shape, model, 1, NULL);
    refused(ctx, "point", dal_model_add_trail, model, 1, NULL);
    refused(ctx, "info", dal_model_body_info, model, NULL, 1);
    refused(ctx, "info", dal_model_joint_info, model, NULL, 0);
    refused(ctx, "info", dal_model_force_info, model, NULL, 0);
    refused(ctx, "system", dal_model_compile, model, NULL);
    refused(ctx, "modes", dal_beam_modes_create, NULL, ctx, &(dal_beam){0});
    refused_silently(dal_beam_modes_create, &modes, NULL, &(dal_beam){0});
    refused(ctx, "beam", dal_beam_modes_create, &modes, ctx, NULL);
    assert_int_equal(dal_model_find_body(model, NULL), -1);
    assert_int_equal(dal_model_find_joint(model, NULL), -1);
    assert_int_equal(dal_model_find_force(model, NULL), -1);
    assert_int_equal(dal_model_find_function(model, NULL), -1);
    // descriptions that are nothing but zeros are refused too, with another message
    assert_int_equal(dal_model_add_body(model, NULL, &(dal_body){0}), DAL_EINVAL);
    assert_int_equal(dal_model_add_function(model, NULL, &(dal_function){0}), DAL_EINVAL);
    assert_int_equal(dal_model_add_function(model, NULL, &(dal_function){.name = "f"}), DAL_EINVAL);
    assert_int_equal(dal_model_add_function(model, NULL, &(dal_function){.name = "f", .type = "table", .n = 3}),
                     DAL_EINVAL);
    assert_int_equal(dal_model_add_function(model, NULL, &(dal_function){.name = "f", .type = "sum", .nf = 3}),
                     DAL_EINVAL);
    assert_int_equal(dal_model_add_function(model, NULL, &(dal_function){.name = "f", .type = "user"}), DAL_EINVAL);
    assert_int_equal(dal_model_add_function(model, NULL, &(dal_function){.name = "f", .type = "polynomial", .n = 2}),
                     DAL_EINVAL);
    assert_int_equal(dal_model_add_joint(model, NULL, &(dal_joint){.name = "j"}), DAL_EINVAL);
    assert_int_equal(dal_model_add_joint(model, NULL, &(dal_joint){.name = "j", .type = "pfaffian", .nbodies = 1}),
                     DAL_EINVAL);
    assert_int_equal(dal_model_add_joint(model, NULL, &(dal_joint){.name = "j", .type = "gear"}), DAL_EINVAL);
    assert_int_equal(dal_model_add_force(model, NULL, &(dal_force){.name = "f"}), DAL_EINVAL);
    assert_int_equal(dal_model_add_output(model, NULL, &(dal_output){.name = "o"}), DAL_EINVAL);
    dal_ctx_clear(ctx);
}

static void numbers_refuse_null(dal_ctx *ctx, const dal_system *sys)
{
    dal_data *data;
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    refused(ctx, "gravity", dal_data_set_gravity, data, NULL);
    refused(ctx, "body", dal_data_set_body, data, 1, NULL);
    refused(ctx, "body", dal_data_set_flexible, data, 1, NULL);
    refused(ctx, "joint", dal_data_set_joint, data, 0, NULL);
    refused(ctx, "force", dal_data_set_force, data, 0, NULL);
    refused(ctx, "function", dal_data_set_function, data, 1, NULL);
    refused(ctx, "frame", dal_data_set_output, data, 0, NULL);
    refused(ctx, "world", dal_data_frame_at, data, &(dal_frame){0}, 0, NULL);
    refused(ctx, "frame", dal_data_frame_at, data, NULL, 0, &(dal_frame){0});
    refused(ctx, "gravity", dal_data_get_gravity, data, NULL);
    refused(ctx, "body", dal_data_get_body, data, NULL, 1);
    refused(ctx, "body", dal_data_get_flexible, data, NULL, 1);
    refused(ctx, "joint", dal_data_get_joint, data, NULL, 0);
    refused(ctx, "force", dal_data_get_force, data, NULL, 0);
    refused(ctx, "function", dal_data_get_function, data, NULL, 1);
    refused(ctx, "frame", dal_data_get_output, data, NULL, 0);
    dal_data_destroy(data);
}

void models_refuse_null(dal_ctx *ctx)
{
    const dal_body ball = {.name = "ball", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}};
    const dal_system *sys;
    dal_model *model;
    int n, body;
    absent_models_are_harmless();
    absent_numbers_are_harmless();
    absent_models_have_nothing();
    absent_models_have_no_looks();
    refused(ctx, "model", dal_model_create, NULL, ctx);
    refused_silently(dal_model_create, &model, NULL);
    check_ok(ctx, dal_model_create(&model, ctx));
    check_ok(ctx, dal_model_add_body(model, &body, &ball));
    check_ok(ctx, dal_model_add_joint(model, NULL, &(dal_joint){.name = "pin", .type = "spherical", .body_b = body}));
    models_before_compiling(ctx, model);
    check_ok(ctx, dal_model_compile(model, &sys));
    refused(ctx, "at", dal_model_outputs, model, NULL, (double[1]){0.0}, NULL);
    refused(ctx, "values", dal_model_outputs, model, NULL, NULL, &(dal_point){0});
    refused(ctx, "kink", dal_model_kink, model, NULL, NULL, &(dal_point){0}, 0);
    refused(ctx, "at", dal_model_kink, model, NULL, &(dal_kink){0}, NULL, 0);
    refused(ctx, "at", dal_model_poses, model, NULL, (double[1]){0.0}, NULL);
    refused(ctx, "pose", dal_model_poses, model, NULL, NULL, &(dal_point){0});
    refused(ctx, "at", dal_model_wrenches, model, NULL, (double[1]){0.0}, NULL);
    refused(ctx, "wrench", dal_model_wrenches, model, NULL, NULL, &(dal_point){0});
    refused(ctx, "first", dal_model_joint_rows, model, NULL, &n, 0);
    refused(ctx, "n", dal_model_joint_rows, model, &n, NULL, 0);
    refused(ctx, "q", dal_model_open_joints, model, NULL, &n, NULL, 0, 0.0, NULL, 1e-9);
    refused(ctx, "count", dal_model_open_joints, model, NULL, NULL, NULL, 0, 0.0, dal_model_q0(model), 1e-9);
    refused(ctx, "buffer", dal_model_open_joints, model, NULL, &n, NULL, 10, 0.0, dal_model_q0(model), 1e-9);
    numbers_refuse_null(ctx, sys);
    dal_model_destroy(model);
}

/* ---- files ------------------------------------------------------------------------------------ */

static void absent_files_are_harmless(void)
{
    const double x[1] = {0.0};
    const dal_point at = {0};
    const double *values;
    refused_silently(dal_document_assemble, NULL, NULL, NULL);
    refused_silently(dal_binding_set, NULL, NULL, NULL);
    refused_silently(dal_binding_initial, NULL, NULL, NULL, NULL, NULL);
    refused_silently(dal_binding_start, NULL, NULL, NULL, NULL);
    refused_silently(dal_binding_t_end, NULL, NULL, NULL);
    refused_silently(dal_binding_change, NULL, NULL, NULL);
    refused_silently(dal_binding_product, NULL, NULL, NULL, NULL, NULL);
    refused_silently(dal_binding_product_transposed, NULL, NULL, NULL, NULL, NULL);
    does_nothing(dal_binding_destroy, NULL);
    refused_silently(dal_results_row, NULL, 0.0, x);
    refused_silently(dal_results_observe, NULL, NULL, NULL, NULL, NULL);
    refused_silently(dal_results_flush, NULL);
    refused_silently(dal_results_sync, NULL);
    refused_silently(dal_results_close, NULL, NULL, 0);
    refused_silently(dal_channels_bind, NULL, NULL);
    refused_silently(dal_recorder_row, NULL, &at, 0.1);
    refused_silently(dal_recorder_evaluate, NULL, &values);
    refused_silently(dal_recorder_checkpoint, NULL, "a");
    refused_silently(dal_recorder_close, NULL, 0, NULL, 0);
}

static void absent_files_have_nothing(void)
{
    harmless(dal_document_model, dal_document_model(NULL) == NULL);
    harmless(dal_document_options, dal_document_options(NULL) == NULL);
    harmless(dal_document_t_end, dal_document_t_end(NULL) == 0.0);
    harmless(dal_document_name, dal_document_name(NULL) == NULL);
    harmless(dal_document_title, dal_document_title(NULL) == NULL);
    harmless(dal_document_text, dal_document_text(NULL) == NULL);
    harmless(dal_document_variable_count, dal_document_variable_count(NULL) == 0);
    harmless(dal_document_variable, dal_document_variable(NULL, 0).name == NULL);
    harmless(dal_results_rows, dal_results_rows(NULL) == 0);
    harmless(dal_results_last, dal_results_last(NULL, 0) == 0);
    harmless(dal_results_failed, !dal_results_failed(NULL));
    harmless(dal_table_column, dal_table_column(NULL, "a") == -1);
    harmless(dal_channels_count, dal_channels_count(NULL) == 0);
    harmless(dal_channels_get, dal_channels_get(NULL, 0).name == NULL);
    harmless(dal_channels_table, dal_channels_table(NULL, NULL, 0) == 0);
    harmless(dal_channels_find, dal_channels_find(NULL, "a") == -1);
    harmless(dal_channels_output_count, dal_channels_output_count(NULL) == 0);
    harmless(dal_channels_body_count, dal_channels_body_count(NULL) == 0);
    harmless(dal_channels_body, dal_channels_body(NULL, 0).name == NULL);
}

static void absent_records_have_nothing(void)
{
    harmless(dal_checkpoint_set_count, dal_checkpoint_set_count(NULL) == 0);
    harmless(dal_checkpoint_set, dal_checkpoint_set(NULL, 0) == NULL);
    harmless(dal_recorder_monitor, dal_recorder_monitor(NULL).wall == 0.0);
    harmless(dal_monitor_turned_over, isnan(dal_monitor_turned_over(NULL)));
    harmless(dal_monitor_lost, dal_monitor_lost(NULL) == 0);
    harmless(dal_monitor_warning, dal_monitor_warning(NULL, NULL, 0, NULL) == 0);
    harmless(dal_recorder_failed, !dal_recorder_failed(NULL));
    does_nothing(dal_document_destroy, NULL);
    does_nothing(dal_results_destroy, NULL);
    does_nothing(dal_table_release, NULL);
    does_nothing(dal_channels_destroy, NULL);
    does_nothing(dal_checkpoint_destroy, NULL);
    does_nothing(dal_recorder_destroy, NULL);
}

static void documents_refuse_null(dal_ctx *ctx)
{
    dal_document *doc;
    refused(ctx, "doc", dal_document_open, NULL, ctx, "pendulum", NULL, 0);
    refused_silently(dal_document_open, &doc, NULL, "pendulum", NULL, 0);
    refused(ctx, "source", dal_document_open, &doc, ctx, NULL, NULL, 0);
    refused(ctx, "set", dal_document_open, &doc, ctx, "pendulum", NULL, 1);
    refused(ctx, "doc", dal_document_open_with, NULL, ctx, "pendulum", NULL);
    refused_silently(dal_document_open_with, &doc, NULL, "pendulum", NULL);
    refused(ctx, "source", dal_document_open_with, &doc, ctx, NULL, NULL);
    refused(ctx, "doc", dal_document_parse, NULL, ctx, "{}", 2, "a", NULL, 0);
    refused_silently(dal_document_parse, &doc, NULL, "{}", 2, "a", NULL, 0);
    refused(ctx, "text", dal_document_parse, &doc, ctx, NULL, 2, "a", NULL, 0);
    refused(ctx, "name", dal_document_parse, &doc, ctx, "{}", 2, NULL, NULL, 0);
    refused(ctx, "set", dal_document_parse, &doc, ctx, "{}", 2, "a", NULL, 1);
    check_ok(ctx, dal_document_open_with(&doc, ctx, "pendulum", NULL));
    refused(ctx, "system", dal_document_assemble, doc, NULL, NULL);
    double x;
    int number;
    refused_silently(dal_document_value, NULL, &x, "1");
    refused(ctx, "expression", dal_document_value, doc, &x, NULL);
    refused(ctx, "x", dal_document_value, doc, NULL, "1");
    refused_silently(dal_document_add_function, NULL, &number, "f", "t");
    refused(ctx, "name", dal_document_add_function, doc, &number, NULL, "t");
    refused(ctx, "expression", dal_document_add_function, doc, &number, "f", NULL);
    refused(ctx, "number", dal_document_add_function, doc, NULL, "f", "t");
    assert_null(dal_document_variable(doc, -1).name);
    static const char *const none[] = {NULL};
    dal_binding *binding;
    refused(ctx, "binding", dal_binding_create, NULL, ctx, doc, none, 0);
    refused_silently(dal_binding_create, &binding, NULL, doc, none, 0);
    refused(ctx, "doc", dal_binding_create, &binding, ctx, NULL, none, 0);
    refused(ctx, "names", dal_binding_create, &binding, ctx, doc, NULL, 1);
    refused(ctx, "name", dal_binding_create, &binding, ctx, doc, none, 1);
    dal_document_destroy(doc);
}

static void results_refuse_null(dal_ctx *ctx)
{
    const char *const column[] = {"a"};
    const dal_table table = {.name = "numbers", .n = 1, .column = column}, bare = {.name = "numbers", .n = 1};
    dal_results_spec spec = {.path = "test_null_arguments.results", .ntables = 1};
    dal_results *results;
    dal_table_data data;
    refused(ctx, "results", dal_results_create, NULL, ctx, &spec);
    refused_silently(dal_results_create, &results, NULL, &spec);
    refused(ctx, "spec", dal_results_create, &results, ctx, NULL);
    refused(ctx, "spec->table", dal_results_create, &results, ctx, &spec);
    spec.table = &bare;
    check_fails(ctx, dal_results_create(&results, ctx, &spec), DAL_EINVAL, "has no column");
    spec.table = &table;
    check_ok(ctx, dal_results_create(&results, ctx, &spec));
    refused(ctx, "values", dal_results_row, results, 0.0, NULL);
    refused(ctx, "sim", dal_results_observe, results, NULL, NULL, NULL, NULL);
    refused(ctx, "note", dal_results_close, results, NULL, 1);
    check_ok(ctx, dal_results_close(results, NULL, 0));
    dal_results_destroy(results);
    refused(ctx, "data", dal_table_read, NULL, ctx, spec.path, "numbers");
    refused_silently(dal_table_read, &data, NULL, spec.path, "numbers");
    refused(ctx, "path", dal_table_read, &data, ctx, NULL, "numbers");
    refused(ctx, "name", dal_table_read, &data, ctx, spec.path, NULL);
    check_ok(ctx, dal_table_read(&data, ctx, spec.path, "numbers"));
    assert_int_equal(dal_table_column(&data, NULL), -1);
    dal_table_release(&data);
    remove("test_null_arguments.results/numbers.csv");
    remove("test_null_arguments.results");
}

static void sweeps_refuse_null(dal_ctx *ctx)
{
    dal_sweep *sweep;
    dal_sweep_section *section;
    dal_sweep_summary summary;
    const char *const journal[1] = {"a"};
    refused_silently(dal_sweep_create, &sweep, NULL, &(dal_sweep_spec){0});
    refused(ctx, "sweep", dal_sweep_create, NULL, ctx, &(dal_sweep_spec){0});
    refused(ctx, "spec", dal_sweep_create, &sweep, ctx, NULL);
    refused(ctx, "spec.source", dal_sweep_create, &sweep, ctx, &(dal_sweep_spec){0});
    refused(ctx, "section", dal_sweep_section_read, NULL, ctx, &(dal_sweep_spec){0});
    refused(ctx, "spec", dal_sweep_section_read, &section, ctx, NULL);
    refused(ctx, "sweep", dal_sweep_open, NULL, ctx, journal, 1);
    refused(ctx, "journal", dal_sweep_open, &sweep, ctx, NULL, 1);
    refused_silently(dal_sweep_each, NULL, NULL, 1, 1, NULL, NULL);
    refused(ctx, "work", dal_sweep_each, ctx, NULL, 1, 1, NULL, NULL);
    refused_silently(dal_sweep_run, NULL, NULL);
    refused_silently(dal_sweep_begin, NULL, &(dal_sweep_run_options){0});
    refused_silently(dal_sweep_work, NULL, 1, &(dal_sweep_engine){0});
    refused_silently(dal_sweep_accept, NULL, "a", 1);
    refused_silently(dal_sweep_save, NULL, "a", 0);
    refused_silently(dal_sweep_sensitivity, NULL, &(dal_sweep_effect){0}, 0, 0);
    refused_silently(dal_sweep_evaluate, NULL, NULL, NULL, &(double){0.0});
    refused_silently(dal_sweep_optimize, NULL, NULL, NULL);
    refused_silently(dal_sweep_fit, NULL, NULL, NULL);
    refused_silently(dal_sweep_statistics, NULL, &summary, 0);
}

static void sweeps_take_null(void)
{
    harmless(dal_sweep_members, dal_sweep_members(NULL) == 0);
    harmless(dal_sweep_next, dal_sweep_next(NULL) == -1);
    harmless(dal_sweep_under_way, dal_sweep_under_way(NULL).todo == 0);
    harmless(dal_sweep_parameter_count, dal_sweep_parameter_count(NULL) == 0);
    harmless(dal_sweep_collect_count, dal_sweep_collect_count(NULL) == 0);
    harmless(dal_sweep_count, dal_sweep_count(NULL, 0) == 0);
    harmless(dal_sweep_causes, dal_sweep_causes(NULL, NULL, 1) == 0);
    harmless(dal_sweep_parameter_name, dal_sweep_parameter_name(NULL, 0) == NULL);
    harmless(dal_sweep_collect_name, dal_sweep_collect_name(NULL, 0) == NULL);
    char unit[DAL_SWEEP_UNIT] = "?";
    harmless(dal_sweep_collect_unit, (dal_sweep_collect_unit(NULL, unit, 0), unit[0] == '\0'));
    harmless(dal_sweep_parameter_unit, (dal_sweep_parameter_unit(NULL, NULL, 0), 1));
    harmless(dal_sweep_model_name, dal_sweep_model_name(NULL) == NULL);
    harmless(dal_sweep_source, dal_sweep_source(NULL) == NULL);
    harmless(dal_sweep_backend_name, dal_sweep_backend_name((dal_sweep_backend)99) == NULL);
    harmless(dal_sweep_backend_of, dal_sweep_backend_of(NULL) == DAL_SWEEP_INTERPRETED);
    harmless(dal_sweep_backend_note, dal_sweep_backend_note(NULL)[0] == '\0');
    harmless(dal_sweep_compile_seconds, dal_sweep_compile_seconds(NULL) == 0.0);
    harmless(dal_sweep_block, dal_sweep_block(NULL) == 1);
    harmless(dal_sweep_handed_over, dal_sweep_handed_over(NULL) == 0);
    harmless(dal_sweep_setting, dal_sweep_setting(NULL, 0) == NULL);
    harmless(dal_sweep_design_of, dal_sweep_design_of(NULL) == DAL_SWEEP_AUTO);
    harmless(dal_sweep_design_name, dal_sweep_design_name((dal_sweep_design)99) == NULL);
    harmless(dal_sweep_quantile_level, isnan(dal_sweep_quantile_level(-1)));
    harmless(dal_sweep_result, dal_sweep_result(NULL, 0).value == NULL);
    does_nothing(dal_sweep_point, NULL, NULL, 0);
    does_nothing(dal_sweep_destroy, NULL);
    does_nothing(dal_sweep_section_destroy, NULL);
}

static void pages_refuse_null(dal_ctx *ctx)
{
    const double x[3] = {0.0};
    dal_page *page;
    char *text;
    refused_silently(dal_page_create, &page, NULL, &(dal_page_spec){0});
    refused(ctx, "page", dal_page_create, NULL, ctx, &(dal_page_spec){0});
    refused(ctx, "spec", dal_page_create, &page, ctx, NULL);
    refused_silently(dal_page_text, NULL, DAL_PAGE_SUMMARY, "a", "b", 0);
    refused_silently(dal_page_joint, NULL, 0, 0.0, 0);
    refused_silently(dal_page_trail, NULL, 1, x);
    refused_silently(dal_page_chapter, NULL, "a", 0.0, 1.0);
    refused_silently(dal_page_frame, NULL, &(dal_point){0});
    refused_silently(dal_page_curves, NULL, NULL, 0);
    refused_silently(dal_page_row, NULL, 0.0, x);
    refused_silently(dal_page_study, NULL, &(dal_page_method){0});
    refused_silently(dal_page_add_chart, NULL, &(dal_page_chart){0});
    refused_silently(dal_page_add_trace, NULL, &(dal_page_trace){0});
    refused_silently(dal_page_write, NULL, "a");
    refused_silently(dal_page_writable, NULL, "a");
    refused(ctx, "path", dal_page_writable, ctx, NULL);
    does_nothing(dal_page_destroy, NULL);
    refused_silently(dal_arrays_write, NULL, "a", NULL, 0, NULL, 0);
    refused(ctx, "path", dal_arrays_write, ctx, NULL, NULL, 0, NULL, 0);
    refused(ctx, "array", dal_arrays_write, ctx, "a", NULL, 1, NULL, 0);
    refused(ctx, "note", dal_arrays_write, ctx, "a", NULL, 0, NULL, 1);
    refused(ctx, "text", dal_results_note, NULL, ctx, "a", "b");
    refused_silently(dal_results_note, &text, NULL, "a", "b");
    refused(ctx, "path", dal_results_note, &text, ctx, NULL, "b");
    refused(ctx, "name", dal_results_note, &text, ctx, "a", NULL);
    does_nothing(dal_results_note_free, NULL, NULL);
}

static void programs_refuse_null(dal_ctx *ctx)
{
    dal_program *program;
    char *text;
    refused(ctx, "text", dal_generate, NULL, ctx, "pendulum", NULL, 0, NULL);
    refused(ctx, "source", dal_generate, &text, ctx, NULL, NULL, 0, NULL);
    refused_silently(dal_generate, &text, NULL, "pendulum", NULL, 0, NULL);
    refused(ctx, "program", dal_program_create, NULL, ctx, "pendulum", NULL, 0, NULL);
    refused(ctx, "source", dal_program_create, &program, ctx, NULL, NULL, 0, NULL);
    refused_silently(dal_program_create, &program, NULL, "pendulum", NULL, 0, NULL);
    refused_silently(dal_program_member, NULL, NULL, NULL);
    refused(ctx, "program", dal_program_create_bound, NULL, ctx, NULL, NULL, NULL, NULL);
    refused(ctx, "doc", dal_program_create_bound, &program, ctx, NULL, NULL, NULL, NULL);
    refused_silently(dal_program_create_bound, &program, NULL, NULL, NULL, NULL, NULL);
    refused_silently(dal_program_member_of, NULL, NULL, NULL);
    harmless(dal_program_output, dal_program_output(NULL, NULL) == -1);
    harmless(dal_program_output_size, dal_program_output_size(NULL) == 0);
    harmless(dal_program_text, dal_program_text(NULL) == NULL);
    harmless(dal_program_size, dal_program_size(NULL) == 0);
    harmless(dal_program_layout, dal_program_layout(NULL).nq == 0);
    harmless(dal_program_no_start, dal_program_no_start(NULL) == NULL);
    does_nothing(dal_program_destroy, NULL);
    does_nothing(dal_generate_free, NULL, NULL);
}

static void recorders_refuse_null(dal_ctx *ctx)
{
    dal_document *doc;
    dal_channels *channels;
    dal_checkpoint *checkpoint;
    dal_recorder *recorder;
    check_ok(ctx, dal_document_open(&doc, ctx, "pendulum", NULL, 0));
    refused(ctx, "channels", dal_channels_create, NULL, ctx, dal_document_model(doc));
    refused_silently(dal_channels_create, &channels, NULL, dal_document_model(doc));
    refused(ctx, "model", dal_channels_create, &channels, ctx, NULL);
    check_ok(ctx, dal_channels_create(&channels, ctx, dal_document_model(doc)));
    refused(ctx, "sys", dal_channels_bind, channels, NULL);
    assert_int_equal(dal_channels_find(channels, NULL), -1);
    refused(ctx, "checkpoint", dal_checkpoint_read, NULL, ctx, "a");
    refused_silently(dal_checkpoint_read, &checkpoint, NULL, "a");
    refused(ctx, "path", dal_checkpoint_read, &checkpoint, ctx, NULL);
    refused(ctx, "checkpoint", dal_checkpoint_restore, NULL, ctx, NULL, NULL);
    refused(ctx, "recorder", dal_recorder_create, NULL, ctx, &(dal_recorder_spec){0});
    refused_silently(dal_recorder_create, &recorder, NULL, &(dal_recorder_spec){0});
    refused(ctx, "spec", dal_recorder_create, &recorder, ctx, NULL);
    assert_int_equal(dal_recorder_create(&recorder, ctx, &(dal_recorder_spec){.channels = channels}), DAL_EINVAL);
    dal_channels_destroy(channels);
    dal_document_destroy(doc);
}

/* A file that is not there is DAL_EIO, whatever it should have been. */
static void missing_files_are_io_errors(dal_ctx *ctx)
{
    static const char *const nowhere = "no/such/place";
    dal_document *doc;
    dal_table_data data;
    dal_checkpoint *checkpoint;
    check_fails(ctx, dal_document_open(&doc, ctx, nowhere, NULL, 0), DAL_EIO, nowhere);
    check_fails(ctx, dal_table_read(&data, ctx, nowhere, "a"), DAL_EIO, nowhere);
    check_fails(ctx, dal_checkpoint_read(&checkpoint, ctx, nowhere), DAL_EIO, nowhere);
    static const char model[] = "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"flexible\", "
                                "\"modes_file\": \"no_such_modes.json\"}]}";
    check_fails(ctx, dal_document_parse(&doc, ctx, model, sizeof model - 1, "a", NULL, 0), DAL_EIO, "no_such_modes");
}

void files_refuse_null(dal_ctx *ctx)
{
    absent_files_are_harmless();
    absent_files_have_nothing();
    absent_records_have_nothing();
    documents_refuse_null(ctx);
    results_refuse_null(ctx);
    sweeps_refuse_null(ctx);
    sweeps_take_null();
    pages_refuse_null(ctx);
    programs_refuse_null(ctx);
    recorders_refuse_null(ctx);
    missing_files_are_io_errors(ctx);
}

/* ---- base ------------------------------------------------------------------------------------- */

static void base_takes_null(void)
{
    const dal_option_table *table = dal_options_table();
    dal_options opt = dal_options_init();
    char text[64];
    does_nothing(dal_ctx_destroy, NULL);
    does_nothing(dal_ctx_clear, NULL);
    does_nothing(dal_log, NULL, DAL_LOG_INFO, "nobody listens");
    does_nothing(dal_options_default, NULL, &opt);
    does_nothing(dal_options_default, table, NULL);
    refused_note("dal_options_init");
    dal_options_init_(NULL, sizeof opt);
    does_nothing(dal_options_resolve, NULL);
    harmless(dal_ctx_message, dal_ctx_message(NULL)[0] == '\0');
    harmless(dal_ctx_status, dal_ctx_status(NULL) == DAL_OK);
    harmless(dal_fail, dal_fail(NULL, DAL_EIO, "nobody listens") == DAL_EIO);
    harmless(dal_fail_in, dal_fail_in(NULL, DAL_EIO, "nobody listens") == DAL_EIO);
    harmless(dal_options_format, dal_options_format(text, sizeof text, NULL, &opt) == 0);
    harmless(dal_options_format, dal_options_format(text, sizeof text, &table->option[0], NULL) == 0);
    harmless(dal_options_format, dal_options_format(NULL, 64, &table->option[0], &opt) > 0);
    harmless(dal_options_markdown, dal_options_markdown(text, sizeof text, NULL) == 0);
    harmless(dal_nearest, dal_nearest(NULL, (const char *const[]){"a"}, 1) == NULL);
    harmless(dal_nearest, dal_nearest("a", NULL, 1) == NULL);
    char hint[DAL_HINT_SIZE];
    harmless(dal_hint, dal_hint(hint, NULL)[0] == '\0');
    harmless(dal_hint, dal_hint(NULL, "a") == NULL);
    harmless(dal_utf8, dal_utf8(NULL, 4) == 0);
    harmless(dal_element_type_find, dal_element_type_find(NULL, "r3so3") == -1);
    harmless(dal_element_type_find, dal_element_type_find("bodies", NULL) == -1);
    harmless(dal_element_key_count, dal_element_key_count(NULL) == 0);
    harmless(dal_element_key, dal_element_key(NULL, 0) == NULL);
}

void base_refuses_null(dal_ctx *ctx)
{
    const dal_option_table *table = dal_options_table();
    dal_options opt = dal_options_init();
    refused_silently(dal_ctx_create, NULL, NULL);
    refused(ctx, "table", dal_options_check, ctx, NULL, &opt);
    refused(ctx, "options", dal_options_check, ctx, table, NULL);
    refused(ctx, "table", dal_options_set, ctx, NULL, &opt, "h", "1");
    refused(ctx, "options", dal_options_set, ctx, table, NULL, "h", "1");
    refused(ctx, "key", dal_options_set, ctx, table, &opt, NULL, "1");
    refused(ctx, "value", dal_options_set, ctx, table, &opt, "h", NULL);
    refused(ctx, "table", dal_options_parse, ctx, NULL, &opt, "h=1");
    refused(ctx, "options", dal_options_parse, ctx, table, NULL, "h=1");
    refused(ctx, "assignment", dal_options_parse, ctx, table, &opt, NULL);
    refused(ctx, "path", dal_file_write, ctx, NULL, "", 0);
    refused(ctx, "bytes", dal_file_write, ctx, "file", NULL, 0);
    refused(ctx, "path", dal_file_writable, ctx, NULL);
    base_takes_null();
}
