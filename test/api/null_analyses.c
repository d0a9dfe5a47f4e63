/* NULL for modes over a parameter, for drives, shapes, descriptions of robots, beams, contact groups, gradients and functions that laws call. */
#include <math.h>

#include "refused.h"

static dal_status no_modes(dal_modal **modal, double p, int i, void *user)
{
    return DAL_NOCONV;
}

static void galleries_refuse_null(dal_ctx *ctx)
{
    refused(ctx, "gallery", dal_gallery_create, NULL, ctx);
    refused_silently(dal_gallery_add, NULL, NULL);
    refused_silently(dal_gallery_write, NULL, "a");
    does_nothing(dal_gallery_destroy, NULL);
}

static void drives_refuse_null(dal_ctx *ctx)
{
    const dal_drives_spec none = {.n = 1};
    dal_drives *drives;
    dal_model *model;
    dal_point at;
    int n;
    check_ok(ctx, dal_model_create(&model, ctx));
    refused_silently(dal_drive_add, model, NULL, &n, "A", 0);
    refused(ctx, "model", dal_drive_add, NULL, ctx, &n, "A", 0);
    refused(ctx, "joint", dal_drive_add, model, ctx, NULL, "A", 0);
    refused(ctx, "coordinate", dal_drive_add, model, ctx, &n, NULL, 0);
    const double t[3] = {0.0, 1.0, 2.0};
    const dal_drive_samples samples = {"f", 3, t, t, NULL, NULL}, no_name = {NULL, 3, t, t, NULL, NULL},
                            no_times = {"f", 3, NULL, t, NULL, NULL}, no_values = {"f", 3, t, NULL, NULL, NULL};
    refused_silently(dal_drive_function, model, NULL, &n, &samples);
    refused(ctx, "model", dal_drive_function, NULL, ctx, &n, &samples);
    refused(ctx, "function", dal_drive_function, model, ctx, NULL, &samples);
    refused(ctx, "samples", dal_drive_function, model, ctx, &n, NULL);
    refused(ctx, "samples->name", dal_drive_function, model, ctx, &n, &no_name);
    refused(ctx, "samples->t", dal_drive_function, model, ctx, &n, &no_times);
    refused(ctx, "samples->x", dal_drive_function, model, ctx, &n, &no_values);
    harmless(dal_system_is_of_contact, dal_system_is_of_contact(NULL, 0) == 0);
    harmless(dal_drive_row, dal_drive_row(NULL, 0) == -1);
    harmless(dal_drive_unit, dal_drive_unit(NULL, "A")[0] == '\0');
    does_nothing(dal_drive_outputs, NULL, ctx);
    refused(ctx, "drives", dal_drives_create, NULL, ctx, model, &none);
    refused_silently(dal_drives_create, &drives, NULL, model, &none);
    refused(ctx, "model", dal_drives_create, &drives, ctx, NULL, &none);
    refused(ctx, "spec", dal_drives_create, &drives, ctx, model, NULL);
    refused(ctx, "drive", dal_drives_create, &drives, ctx, model, &none);
    refused_silently(dal_drives_start, NULL, NULL, NULL);
    refused_silently(dal_drives_next, NULL, &n, &at, NULL);
    harmless(dal_drives_about, dal_drives_about(NULL).points == 0);
    does_nothing(dal_drives_destroy, NULL);
    dal_model_destroy(model);
}

void campbell_refuses_null(dal_ctx *ctx)
{
    galleries_refuse_null(ctx);
    drives_refuse_null(ctx);
    const double one[1] = {1.0};
    const dal_campbell_spec values = {.n = 1, .p = one, .modes = no_modes}, no_values = {.n = 1, .modes = no_modes},
                            nothing = {.n = 1, .p = one};
    dal_campbell *campbell;
    refused(ctx, "out", dal_campbell_create, NULL, ctx, &values);
    refused_silently(dal_page_event, NULL, 0.0, "a");
    refused_silently(dal_campbell_create, &campbell, NULL, &values);
    refused(ctx, "spec", dal_campbell_create, &campbell, ctx, NULL);
    refused(ctx, "spec->p", dal_campbell_create, &campbell, ctx, &no_values);
    refused(ctx, "spec->modes", dal_campbell_create, &campbell, ctx, &nothing);
    does_nothing(dal_campbell_branch, NULL, NULL, 0, DAL_BRANCH_RE);
    harmless(dal_campbell_growth, dal_campbell_growth(NULL, 0) == 0.0);
    harmless(dal_campbell_about, dal_campbell_about(NULL).ntracks == 0);
    harmless(dal_campbell_modal, dal_campbell_modal(NULL, 0) == NULL);
    harmless(dal_campbell_mode, dal_campbell_mode(NULL, 0, 0) == -1);
    harmless(dal_modal_growing, dal_modal_growing(NULL) == 0);
    harmless(dal_mode_growth, dal_mode_growth((dal_mode){0}) == 0.0);
    does_nothing(dal_campbell_destroy, NULL);
}

void shapes_refuse_null(dal_ctx *ctx)
{
    const dal_shape box = {.kind = DAL_SHAPE_BOX};
    dal_shape_mass sum = {0};
    dal_mesh *mesh;
    refused_silently(dal_mesh_create, &mesh, NULL, "a", 1, "a.stl");
    refused(ctx, "mesh", dal_mesh_create, NULL, ctx, "a", 1, "a.stl");
    refused(ctx, "bytes", dal_mesh_create, &mesh, ctx, NULL, 1, "a.stl");
    refused(ctx, "name", dal_mesh_create, &mesh, ctx, "a", 1, NULL);
    refused_silently(dal_mesh_read, &mesh, NULL, "a", 1, "a.dae");
    refused(ctx, "mesh", dal_mesh_read, NULL, ctx, "a", 1, "a.dae");
    refused(ctx, "bytes", dal_mesh_read, &mesh, ctx, NULL, 1, "a.dae");
    refused(ctx, "name", dal_mesh_read, &mesh, ctx, "a", 1, NULL);
    refused_silently(dal_mesh_join, NULL, NULL);
    refused(ctx, "mesh", dal_mesh_join, NULL, ctx);
    refused_silently(dal_mesh_copy, &mesh, NULL, NULL);
    refused(ctx, "mesh", dal_mesh_copy, &mesh, ctx, NULL);
    refused_silently(dal_mesh_closed, NULL, NULL);
    refused(ctx, "mesh", dal_mesh_closed, ctx, NULL);
    refused_silently(dal_shape_check, NULL, &box);
    refused(ctx, "shape", dal_shape_check, ctx, NULL);
    refused_silently(dal_shape_mass_add, &sum, NULL, &box, 1.0);
    refused(ctx, "sum", dal_shape_mass_add, NULL, ctx, &box, 1.0);
    refused(ctx, "shape", dal_shape_mass_add, &sum, ctx, NULL, 1.0);
    refused_silently(dal_shape_mass_add_open, &sum, NULL, &box, 1.0);
    refused(ctx, "sum", dal_shape_mass_add_open, NULL, ctx, &box, 1.0);
    refused(ctx, "shape", dal_shape_mass_add_open, &sum, ctx, NULL, 1.0);
    does_nothing(dal_mesh_destroy, NULL, ctx);
}

void imports_refuse_null(dal_ctx *ctx)
{
    dal_import *import;
    refused(ctx, "import", dal_import_create, NULL, ctx, "a.urdf", NULL);
    refused_silently(dal_import_create, &import, NULL, "a.urdf", NULL);
    refused(ctx, "path", dal_import_create, &import, ctx, NULL, NULL);
    refused(ctx, "import", dal_import_parse, NULL, ctx, "<robot/>", 8, "a.urdf", NULL);
    refused_silently(dal_import_parse, &import, NULL, "<robot/>", 8, "a.urdf", NULL);
    refused(ctx, "text", dal_import_parse, &import, ctx, NULL, 8, "a.urdf", NULL);
    refused(ctx, "name", dal_import_parse, &import, ctx, "<robot/>", 8, NULL, NULL);
    harmless(dal_import_is, dal_import_is(NULL) == 0);
    harmless(dal_import_text, dal_import_text(NULL) == NULL);
    harmless(dal_import_report, dal_import_report(NULL).links == 0);
    harmless(dal_import_note_count, dal_import_note_count(NULL) == 0);
    harmless(dal_import_note_at, dal_import_note_at(NULL, 0).what == NULL);
    does_nothing(dal_import_destroy, NULL);
}

static void reductions_refuse_null(dal_ctx *ctx)
{
    dal_fem_result *result;
    refused(ctx, "result", dal_fem_reduce, NULL, ctx, &(dal_fem){0});
    refused_silently(dal_fem_reduce, &result, NULL, &(dal_fem){0});
    refused(ctx, "fem", dal_fem_reduce, &result, ctx, NULL);
    refused_silently(dal_fem_write, NULL, "a", &(dal_fem_result){0});
    refused(ctx, "path", dal_fem_write, ctx, NULL, &(dal_fem_result){0});
    refused(ctx, "result", dal_fem_write, ctx, "a", NULL);
    harmless(dal_document_reduced, dal_document_reduced(NULL, 1) == NULL);
    does_nothing(dal_fem_destroy, NULL);
}

static void absent_functions_have_no_values(void)
{
    refused_silently(dal_functions_value, NULL, (double[3]){0.0}, 1, 0.0);
    refused_silently(dal_functions_value2, NULL, (double[6]){0.0}, 1, 0.0, 0.0);
    harmless(dal_model_function_arguments, dal_model_function_arguments(NULL, 1) == 0);
    harmless(dal_functions_piece, dal_functions_piece(NULL, 1, 0.0, 0.0) == 0);
    harmless(dal_functions_break, isinf(dal_functions_break(NULL, 1, 0.0)));
}

static void events_refuse_null(dal_ctx *ctx)
{
    double x[1] = {0.0};
    refused_silently(dal_sim_place, NULL, 0.0, x, x);
    refused_silently(dal_sim_accept_placed, NULL, NULL);
    refused_silently(dal_sim_indicators, NULL, x);
    refused_silently(dal_sim_switch, NULL, NULL);
    harmless(dal_sim_indicator_count, dal_sim_indicator_count(NULL) == 0);
    harmless(dal_sim_next_event, dal_sim_next_event(NULL) == INFINITY);
    dal_model *model;
    check_ok(ctx, dal_model_create(&model, ctx));
    refused_silently(dal_model_add_event, NULL, NULL, &(dal_model_event){0});
    refused(ctx, "event", dal_model_add_event, model, NULL, NULL);
    assert_int_equal(dal_model_add_event(model, NULL, &(dal_model_event){0}), DAL_EINVAL);
    assert_int_equal(dal_model_add_event(model, NULL, &(dal_model_event){.name = "e"}), DAL_EINVAL);
    harmless(dal_model_event_count, dal_model_event_count(NULL) == 0 && dal_model_event_count(model) == 0);
    harmless(dal_model_event_name, dal_model_event_name(NULL, 0) == NULL && dal_model_event_name(model, 0) == NULL);
    harmless(dal_sim_event_name, dal_sim_event_name(NULL) == NULL);
    harmless(dal_sim_happening, dal_sim_happening(NULL, NULL, 0, NULL) == NULL);
    harmless(dal_contact_happening_name, dal_contact_happening_name((dal_contact_happening)99) == NULL);
    refused_silently(dal_data_set_event, NULL, 0, &(dal_model_event){0});
    refused_silently(dal_data_get_event, NULL, &(dal_model_event){0}, 0);
    const dal_system *sys;
    dal_data *data;
    check_ok(ctx, dal_model_add_body(model, NULL, &(dal_body){.name = "b", .type = "point", .mass = 1.0}));
    check_ok(ctx, dal_model_compile(model, &sys));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    refused(ctx, "event", dal_data_set_event, data, 0, NULL);
    refused(ctx, "event", dal_data_get_event, data, NULL, 0);
    assert_int_equal(dal_data_get_event(data, &(dal_model_event){0}, 0), DAL_EINVAL);
    assert_int_equal(dal_data_set_event(data, 0, &(dal_model_event){0}), DAL_EINVAL);
    dal_ctx_clear(ctx);
    dal_data_destroy(data);
    dal_model_destroy(model);
}

void beams_refuse_null(dal_ctx *ctx)
{
    reductions_refuse_null(ctx);
    const dal_curve curve = {.length = 1.0};
    const double s[1] = {0.0};
    double pose[7];
    dal_beam_state state;
    refused_silently(dal_curve_frames, NULL, NULL, pose, &curve, s, 1);
    refused(ctx, "pose", dal_curve_frames, ctx, NULL, NULL, &curve, s, 1);
    refused(ctx, "curve", dal_curve_frames, ctx, NULL, pose, NULL, s, 1);
    refused(ctx, "s", dal_curve_frames, ctx, NULL, pose, &curve, NULL, 1);
    refused_silently(dal_model_add_beam, NULL, NULL, &(dal_exact_beam){0});
    refused_silently(dal_model_beam_at, NULL, NULL, &state, &(dal_point){0}, 0, 0.0);
    refused_silently(dal_model_beam_states, NULL, NULL, &state, &(dal_point){0}, 0);
    refused_silently(dal_model_beam_frame, NULL, (double[7]){0.0}, 0, 0);
    harmless(dal_model_beam_outline, dal_model_beam_outline(NULL, NULL, 0, 0.0) == 0);
    harmless(dal_model_beam_count, dal_model_beam_count(NULL) == 0);
    harmless(dal_model_find_beam, dal_model_find_beam(NULL, "b") == -1);
    harmless(dal_model_beam_node, dal_model_beam_node(NULL, NULL, 0, 0) == -1);
    harmless(dal_model_beam_info, dal_model_beam_info(NULL, 0).name == NULL);
    harmless(dal_section_of, dal_section_of(NULL).stiffness[0] == 0.0);
    refused_silently(dal_model_add_contacts, NULL, &(dal_contact_group){.name = "g"});
    refused_silently(dal_model_contact_places, NULL, NULL, NULL, NULL, 0, NULL);
    harmless(dal_model_contact_places_most, dal_model_contact_places_most(NULL) == 0);
    harmless(dal_model_contacts_count, dal_model_contacts_count(NULL) == 0);
    absent_functions_have_no_values();
    events_refuse_null(ctx);
}

static void members_refuse_null(dal_ctx *ctx)
{
    dal_members *members;
    dal_members_block *block;
    dal_document *doc;
    check_ok(ctx, dal_document_open(&doc, ctx, "pendulum", NULL, 0));
    refused_silently(dal_members_create, &members, NULL, &(dal_members_spec){0});
    refused(ctx, "members", dal_members_create, NULL, ctx, &(dal_members_spec){0});
    refused(ctx, "spec", dal_members_create, &members, ctx, NULL);
    refused(ctx, "spec->document", dal_members_create, &members, ctx, &(dal_members_spec){0});
    refused(ctx, "spec->binding", dal_members_create, &members, ctx, &(dal_members_spec){.document = doc});
    dal_document_destroy(doc);
    does_nothing(dal_members_destroy, NULL);
    harmless(dal_members_width, dal_members_width(NULL) == 1);
    harmless(dal_members_program, dal_members_program(NULL) == NULL);
    refused_silently(dal_members_block_create, &block, NULL, NULL, 1);
    refused(ctx, "block", dal_members_block_create, NULL, ctx, NULL, 1);
    refused(ctx, "members", dal_members_block_create, &block, ctx, NULL, 1);
    does_nothing(dal_members_block_destroy, NULL);
    harmless(dal_members_look, dal_members_look(NULL).x == NULL);
    refused_silently(dal_members_put, NULL, 0, NULL);
    refused_silently(dal_members_change, NULL);
    refused_silently(dal_members_step, NULL, 1);
}

void gradients_refuse_null(dal_ctx *ctx)
{
    members_refuse_null(ctx);
    dal_gradient *g;
    refused(ctx, "gradient", dal_gradient_create, NULL, ctx, &(dal_gradient_spec){0});
    refused(ctx, "spec", dal_gradient_create, &g, ctx, NULL);
    refused(ctx, "spec->source", dal_gradient_create, &g, ctx, &(dal_gradient_spec){0});
    refused_silently(dal_gradient_create, &g, NULL, &(dal_gradient_spec){0});
    refused_silently(dal_gradient_run, NULL, NULL, DAL_GRADIENT_AUTO);
    does_nothing(dal_gradient_destroy, NULL);
    does_nothing(dal_gradient_freeze, NULL, 1);
    refused_silently(dal_gradient_transition, NULL, NULL);
    harmless(dal_gradient_velocities, dal_gradient_velocities(NULL) == 0);
    harmless(dal_gradient_count, dal_gradient_count(NULL) == 0);
    harmless(dal_gradient_name, dal_gradient_name(NULL, 0) == NULL);
    harmless(dal_gradient_number, isnan(dal_gradient_number(NULL, 0)));
    harmless(dal_gradient_values, dal_gradient_values(NULL) == 0);
    harmless(dal_gradient_value, isnan(dal_gradient_value(NULL, 0)));
    harmless(dal_gradient_row, dal_gradient_row(NULL, 0) == NULL);
    harmless(dal_gradient_squares, isnan(dal_gradient_squares(NULL)));
    harmless(dal_gradient_of_squares, dal_gradient_of_squares(NULL) == NULL);
    harmless(dal_gradient_events, dal_gradient_events(NULL) == 0);
    harmless(dal_gradient_event_time, isnan(dal_gradient_event_time(NULL, 0)));
    harmless(dal_gradient_event_row, dal_gradient_event_row(NULL, 0) == NULL);
    harmless(dal_gradient_about, dal_gradient_about(NULL).steps == 0);
    does_nothing(dal_binding_values, NULL, NULL);
}
