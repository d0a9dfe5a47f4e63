/* NULL for members of what models, pages, files and sweeps are made from. */
#include <stdio.h>

#include "members.h"

/* ---- models ----------------------------------------------------------------------------------- */

static dal_model *model;

static dal_model *new_model(int *a, int *b)
{
    dal_model_destroy(model);
    check_ok(ctx, dal_model_create(&model, ctx));
    check_ok(ctx, dal_model_add_body(model, a, &(dal_body){.name = "a", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}}));
    check_ok(ctx, dal_model_add_body(model, b, &(dal_body){.name = "b", .mass = 1.0, .inertia = {1.0, 1.0, 1.0}}));
    check_ok(ctx, dal_model_add_joint(model, NULL, &(dal_joint){.name = "pin", .type = "revolute", .body_b = *a}));
    check_ok(ctx, dal_model_add_joint(model, NULL, &(dal_joint){.name = "pin2", .type = "revolute", .body_b = *b}));
    check_ok(ctx, dal_model_add_force(model, NULL,
                                      &(dal_force){.name = "s", .type = "spring", .joint = "pin", .stiffness = 1.0}));
    return model;
}

/* Add it, compile, evaluate. */
static dal_status finish(dal_status st)
{
    const dal_system *sys;
    dal_data *data = NULL;
    double y[64];
    const double zero[32] = {0.0};
    st = st == DAL_OK ? dal_model_compile(model, &sys) : st;
    st = st == DAL_OK ? dal_data_create(&data, ctx, sys) : st;
    st = st == DAL_OK ? dal_model_outputs(model, data, y,
                                          &(dal_point){0.0, dal_model_q0(model), dal_model_v0(model), zero, zero})
                      : st;
    dal_data_destroy(data);
    return st;
}

static dal_status add_body(const void *spec)
{
    int a, b;
    return finish(dal_model_add_body(new_model(&a, &b), NULL, spec));
}

static dal_status add_function(const void *spec)
{
    int a, b;
    return finish(dal_model_add_function(new_model(&a, &b), NULL, spec));
}

static dal_status add_joint(const void *spec)
{
    int a, b;
    return finish(dal_model_add_joint(new_model(&a, &b), NULL, spec));
}

static dal_status add_force(const void *spec)
{
    int a, b;
    return finish(dal_model_add_force(new_model(&a, &b), NULL, spec));
}

static dal_status add_output(const void *spec)
{
    int a, b;
    return finish(dal_model_add_output(new_model(&a, &b), NULL, spec));
}

static dal_status rows(double *A, double *b, double t, const double *x, const double *R, const dal_functions *functions,
                       void *user)
{
    (void)functions;
    memset(A, 0, 12 * sizeof *A);
    A[0] = 1.0;
    b[0] = 0.0;
    return DAL_OK;
}

static dal_status law(double *F, double *g, double t, const double *x, void *user)
{
    F[0] = x[0];
    g[0] = 1.0;
    return DAL_OK;
}

static dal_status square(double y[3], double x, void *user)
{
    y[0] = x * x;
    y[1] = 2.0 * x;
    y[2] = 2.0;
    return DAL_OK;
}

static const dal_input angle = {.joint = "pin2"};
static const dal_force follower = {
    .name = "f", .type = "law", .joint = "pin", .law = law, .inputs = &angle, .ninputs = 1};

static dal_status add_input(const void *spec)
{
    dal_force with = follower;
    with.inputs = spec;
    return add_force(&with);
}

static void elements_without_a_member_are_refused(void **state)
{
    static const double x[3] = {0.0, 1.0, 2.0};
    static const int bodies[2] = {1, 2};
    static const member body[] = {NEEDED(dal_body, name), MAY_BE_NULL(dal_body, type), MAY_BE_NULL(dal_body, sequence)};
    static const member table[] = {NEEDED(dal_function, name), NEEDED(dal_function, type), NEEDED(dal_function, x),
                                   NEEDED(dal_function, y)};
    static const member coefficients[] = {NEEDED(dal_function, c)};
    static const member call[] = {NEEDED(dal_function, call)};
    static const member joint[] = {NEEDED(dal_joint, name), NEEDED(dal_joint, type)};
    static const member pfaffian[] = {NEEDED(dal_joint, rows), NEEDED(dal_joint, bodies)};
    static const member gear[] = {NEEDED(dal_joint, joint_1), NEEDED(dal_joint, joint_2)};
    static const member force[] = {NEEDED(dal_force, name), NEEDED(dal_force, type), NEEDED(dal_force, law),
                                   NEEDED(dal_force, inputs), MAY_BE_NULL(dal_force, joint)};
    static const member input[] = {MAY_BE_NULL(dal_input, joint)};
    static const member output[] = {NEEDED(dal_output, name), NEEDED(dal_output, quantity), NEEDED(dal_output, joint)};
    WALK(add_body, (&(dal_body){.name = "c", .type = "cardan", .sequence = "zyx", .mass = 1.0, .inertia = {1, 1, 1}}),
         body);
    WALK(add_function, (&(dal_function){.name = "f", .type = "table", .x = x, .y = x, .n = 3}), table);
    WALK(add_function, (&(dal_function){.name = "f", .type = "polynomial", .c = x, .n = 3}), coefficients);
    WALK(add_function, (&(dal_function){.name = "f", .type = "user", .call = square}), call);
    WALK(add_joint, (&(dal_joint){.name = "j", .type = "spherical", .body_a = 1, .body_b = 2}), joint);
    WALK(add_joint,
         (&(dal_joint){.name = "j", .type = "pfaffian", .rows = rows, .nrows = 1, .bodies = bodies, .nbodies = 2}),
         pfaffian);
    WALK(add_joint,
         (&(dal_joint){.name = "j", .type = "gear", .joint_1 = "pin", .joint_2 = "pin2", .ratio = {1.0, 2.0}}), gear);
    WALK(add_force, &follower, force);
    WALK(add_input, &angle, input);
    WALK(add_output, (&(dal_output){.name = "o", .quantity = "coordinate", .joint = "pin"}), output);
    WALK(add_output, (&(dal_output){.name = "o", .quantity = "force", .joint = "pin"}), output);
    dal_model_destroy(model);
    model = NULL;
}

/* ---- flexible bodies and shapes --------------------------------------------------------------- */

static dal_flexible flexible;

static dal_status add_flexible(const void *spec)
{
    int a, b;
    return finish(dal_model_add_flexible(new_model(&a, &b), NULL, spec));
}

static dal_status add_modes(const void *spec)
{
    dal_flexible with = flexible;
    with.modes = spec;
    return add_flexible(&with);
}

static dal_status add_average(const void *spec)
{
    dal_modes with = *flexible.modes;
    with.average = spec;
    return add_modes(&with);
}

static dal_status make_beam(const void *spec)
{
    dal_modes *modes = NULL;
    const dal_status st = dal_beam_modes_create(&modes, ctx, spec);
    dal_beam_modes_destroy(modes);
    return st;
}

static dal_status check_shape(const void *spec)
{
    dal_shape_mass sum = {0};
    DAL_TRY(dal_shape_check(ctx, spec));
    DAL_TRY(dal_shape_mass_add(&sum, ctx, spec, 1000.0));
    int a, b;
    return dal_model_add_shape(new_model(&a, &b), 1, spec);
}

static dal_status check_mesh(const void *spec)
{
    dal_mesh *copy = NULL;
    DAL_TRY(dal_mesh_closed(ctx, spec));
    const dal_status st = dal_mesh_copy(&copy, ctx, spec);
    dal_mesh_destroy(copy, ctx);
    return st;
}

static void flexible_bodies_without_a_member_are_refused(void **state)
{
    static double node[6] = {0, 0, 0, 1, 0, 0}, mass[2] = {1, 1}, inertia[12] = {1, 1, 1, 0, 0, 0, 1, 1, 1},
                  shape[6] = {0, 0, 0, 0, 1, 0}, stiffness[1] = {100}, weight[1] = {1};
    static const int ends[2] = {0, 2}, first[1] = {1};
    static const char *const names[2] = {"root", "tip"};
    static const dal_average mean = {.n = 1, .node = first, .weight = weight};
    static dal_modes modes = {.nnodes = 2,
                              .nmodes = 1,
                              .node = node,
                              .mass = mass,
                              .inertia = inertia,
                              .shape = shape,
                              .rotation = shape,
                              .stiffness = stiffness,
                              .stiffness_matrix = NULL,
                              .damping = weight,
                              .ninterfaces = 2,
                              .interfaces = ends,
                              .interface_name = names,
                              .naverages = 1,
                              .average = &mean};
    static const member of_modes[] = {
        NEEDED(dal_modes, node),         NEEDED(dal_modes, mass),          MAY_BE_NULL(dal_modes, inertia),
        NEEDED(dal_modes, shape),        MAY_BE_NULL(dal_modes, rotation), NEEDED(dal_modes, stiffness),
        MAY_BE_NULL(dal_modes, damping), NEEDED(dal_modes, interfaces),    MAY_BE_NULL(dal_modes, interface_name),
        NEEDED(dal_modes, average)};
    static const member of_average[] = {NEEDED(dal_average, node), MAY_BE_NULL(dal_average, weight)};
    static const member of_body[] = {NEEDED(dal_flexible, name), NEEDED(dal_flexible, modes),
                                     MAY_BE_NULL(dal_flexible, modal), MAY_BE_NULL(dal_flexible, modal_velocity)};
    static const member of_beam[] = {MAY_BE_NULL(dal_beam, reference), NEEDED(dal_beam, stations)};
    flexible = (dal_flexible){.name = "arm", .modes = &modes, .modal = weight, .modal_velocity = weight};
    WALK(add_flexible, &flexible, of_body);
    WALK(add_modes, &modes, of_modes);
    WALK(add_average, &mean, of_average);
    const dal_beam beam = {.length = 1,
                           .E = 2e11,
                           .G = 8e10,
                           .density = 7800,
                           .area = 1e-4,
                           .Iy = 1e-9,
                           .Iz = 1e-9,
                           .reference = "clamped",
                           .nmodes = 2,
                           .stations = weight,
                           .nstations = 1};
    WALK(make_beam, &beam, of_beam);
    dal_model_destroy(model);
    model = NULL;
}

static void shapes_without_a_member_are_refused(void **state)
{
    static double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static int triangle[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const dal_mesh mesh = {.nvertices = 4, .ntriangles = 4, .x = corner, .index = triangle};
    static const member of_mesh[] = {NEEDED(dal_mesh, x), NEEDED(dal_mesh, index)};
    static const member of_tube[] = {NEEDED(dal_shape, points)};
    static const member of_shape[] = {NEEDED(dal_shape, mesh)};
    WALK(check_mesh, &mesh, of_mesh);
    WALK(check_shape, (&(dal_shape){.kind = DAL_SHAPE_MESH, .mesh = &mesh}), of_shape);
    WALK(check_shape, (&(dal_shape){.kind = DAL_SHAPE_TUBE, .radius = 0.1, .points = corner, .npoints = 2}), of_tube);
    dal_model_destroy(model);
    model = NULL;
}

/* ---- pages ------------------------------------------------------------------------------------ */

static dal_page *page;

static dal_status add_curve(const void *spec)
{
    dal_page_destroy(page);
    check_ok(ctx, dal_page_create(&page, ctx, &(dal_page_spec){.name = "x"}));
    DAL_TRY(dal_page_curves(page, spec, 1));
    return dal_page_row(page, 0.0, (double[1]){1.0});
}

static dal_status add_method(const void *spec)
{
    dal_page_destroy(page);
    check_ok(ctx, dal_page_create(&page, ctx, &(dal_page_spec){.name = "x"}));
    return dal_page_study(page, spec);
}

static dal_status add_chart(const void *spec)
{
    dal_page_destroy(page);
    check_ok(ctx, dal_page_create(&page, ctx, &(dal_page_spec){.name = "x"}));
    return dal_page_add_chart(page, spec);
}

static dal_status add_trace(const void *spec)
{
    check_ok(ctx, add_chart(&(dal_page_chart){.title = "a", .x = "x"}));
    return dal_page_add_trace(page, spec);
}

static dal_status make_page(const void *spec)
{
    dal_page_destroy(page);
    return dal_page_create(&page, ctx, spec);
}

static void pages_without_a_member_are_refused(void **state)
{
    static const double x[1] = {1.0};
    static const char *const label[1] = {"a"};
    static const member of_page[] = {MAY_BE_NULL(dal_page_spec, name), MAY_BE_NULL(dal_page_spec, title)};
    static const member of_curve[] = {MAY_BE_NULL(dal_page_curve, name), MAY_BE_NULL(dal_page_curve, unit),
                                      MAY_BE_NULL(dal_page_curve, panel)};
    static const member of_method[] = {MAY_BE_NULL(dal_page_method, name), NEEDED(dal_page_method, h),
                                       MAY_BE_NULL(dal_page_method, error[0]), MAY_BE_NULL(dal_page_method, error[2])};
    static const member of_chart[] = {MAY_BE_NULL(dal_page_chart, title), MAY_BE_NULL(dal_page_chart, x)};
    static const member of_trace[] = {MAY_BE_NULL(dal_page_trace, name), NEEDED(dal_page_trace, x),
                                      NEEDED(dal_page_trace, y), MAY_BE_NULL(dal_page_trace, unit),
                                      MAY_BE_NULL(dal_page_trace, label)};
    WALK(make_page, (&(dal_page_spec){.name = "x", .title = "y"}), of_page);
    WALK(add_curve, (&(dal_page_curve){"a", "m", "p", 0}), of_curve);
    WALK(add_method, (&(dal_page_method){.name = "a", .n = 1, .h = x, .error = {x, x, x}}), of_method);
    WALK(add_chart, (&(dal_page_chart){.title = "a", .x = "x"}), of_chart);
    WALK(add_trace, (&(dal_page_trace){.name = "a", .unit = "m", .n = 1, .x = x, .y = x, .label = label}), of_trace);
    dal_page_destroy(page);
}

/* ---- files and sweeps ------------------------------------------------------------------------- */

#define FOLDER "test_null_descriptions.results"

static dal_status open_with(const void *how)
{
    dal_document *doc;
    const dal_status st = dal_document_open_with(&doc, ctx, "pendulum", how);
    dal_document_destroy(doc);
    return st;
}

static dal_status generate_with(const void *how)
{
    char *text;
    const dal_status st = dal_generate(&text, ctx, "pendulum", NULL, 0, how);
    dal_generate_free(ctx, text);
    return st;
}

static dal_status sweep_with(const void *spec)
{
    dal_sweep *sweep;
    const dal_status st = dal_sweep_create(&sweep, ctx, spec);
    dal_sweep_destroy(sweep);
    return st;
}

static dal_status write_note(const void *note)
{
    dal_results *results;
    const char *const column[1] = {"a"};
    const dal_table table = {.name = "n", .n = 1, .column = column};
    const dal_status st = dal_results_create(
        &results, ctx, &(dal_results_spec){.path = FOLDER, .ntables = 1, .table = &table, .nnotes = 1, .note = note});
    dal_results_destroy(results);
    return st;
}

static dal_status write_table(const void *table)
{
    dal_results *results;
    const dal_status st =
        dal_results_create(&results, ctx, &(dal_results_spec){.path = FOLDER, .ntables = 1, .table = table});
    dal_results_destroy(results);
    return st;
}

/* The texts of a list are pointers too. */
static void files_and_sweeps_without_a_member_are_refused(void **state)
{
    static const char *const nothing[1] = {NULL}, *const set[1] = {"h=0.01"}, *const gravity[1] = {"g=1:2:2"},
                             *const collect[1] = {"max(energy)"}, *const trajectory[1] = {"energy"},
                             *const column[1] = {"a"}, *const unit[1] = {"m"}, *const variable[1] = {"g"};
    static const double times[1] = {0.1};
    static const member load[] = {NEEDED(dal_load_options, set)};
    static const member generate[] = {MAY_BE_NULL(dal_generate_options, name),
                                      NEEDED(dal_generate_options, parameters)};
    static const member sweep[] = {NEEDED(dal_sweep_spec, source),     NEEDED(dal_sweep_spec, set),
                                   NEEDED(dal_sweep_spec, parameter),  NEEDED(dal_sweep_spec, collect),
                                   NEEDED(dal_sweep_spec, trajectory), NEEDED(dal_sweep_spec, times)};
    static const member table[] = {NEEDED(dal_table, name), NEEDED(dal_table, column), MAY_BE_NULL(dal_table, unit)};
    static const member note[] = {NEEDED(dal_note, name), NEEDED(dal_note, text)};
    WALK(open_with, (&(dal_load_options){.set = set, .nset = 1}), load);
    WALK(generate_with, (&(dal_generate_options){.name = "x", .parameters = variable, .nparameters = 1}), generate);
    dal_sweep_spec spec = {.source = "pendulum",
                           .set = set,
                           .nset = 1,
                           .parameter = gravity,
                           .nparameters = 1,
                           .collect = collect,
                           .ncollect = 1,
                           .trajectory = trajectory,
                           .ntrajectories = 1,
                           .times = times,
                           .ntimes = 1};
    WALK(sweep_with, &spec, sweep);
    WALK(write_table, (&(dal_table){.name = "n", .n = 1, .column = column, .unit = unit}), table);
    WALK(write_note, (&(dal_note){.name = "a", .text = "b"}), note);
    const char *const **lists[] = {&spec.set, &spec.parameter, &spec.collect, &spec.trajectory};
    for (size_t k = 0; k < 4; ++k) {
        const char *const *whole = *lists[k];
        *lists[k] = nothing;
        assert_int_equal(sweep_with(&spec), DAL_EINVAL);
        *lists[k] = whole;
    }
    assert_int_equal(open_with(&(dal_load_options){.set = nothing, .nset = 1}), DAL_EINVAL);
    assert_int_equal(generate_with(&(dal_generate_options){.parameters = nothing, .nparameters = 1}), DAL_EINVAL);
    assert_int_equal(generate_with(&(dal_generate_options){.outputs = nothing, .noutputs = 1}), DAL_EINVAL);
    assert_int_equal(write_table(&(dal_table){.name = "n", .n = 1, .column = nothing}), DAL_EINVAL);
    remove(FOLDER "/n.csv.part");
    remove(FOLDER "/a.part");
    remove(FOLDER);
    dal_ctx_clear(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_without_a_member_are_refused),
        cmocka_unit_test(flexible_bodies_without_a_member_are_refused),
        cmocka_unit_test(shapes_without_a_member_are_refused),
        cmocka_unit_test(pages_without_a_member_are_refused),
        cmocka_unit_test(files_and_sweeps_without_a_member_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
