/* Programs whose structs are shorter or longer than those of the library (dalembert/sizes.h): what programs compiled with an earlier or
 * a later header of the same minor version hand over. Behind a struct are bytes that are none of the library's business. */
#include <math.h>
#include <string.h>

#include "support/check.h"

#include "dalembert/dalembert.h"

enum { ROOM = 4096, GARBAGE = 0xA5, MORE = 16 };

typedef struct other {
    _Alignas(max_align_t) unsigned char bytes[ROOM];
} other;

/* The first size bytes of a struct, as an earlier header had it. */
static const void *earlier(other *o, const void *from, size_t size)
{
    memset(o->bytes, GARBAGE, ROOM);
    memcpy(o->bytes, from, size);
    return o->bytes;
}

/* With more members than the library knows, one of which has this value. */
static const void *later(other *o, const void *from, size_t size, unsigned char value)
{
    memset(o->bytes, GARBAGE, ROOM);
    memset(o->bytes, 0, size + MORE);
    memcpy(o->bytes, from, size);
    o->bytes[size + MORE / 2] = value;
    return o->bytes;
}

/* How a program hands over its structs: with the members before one, or with more. */
typedef struct program {
    int later;
    unsigned char value;
    size_t size; /* of the last one */
    other room;
} program;

static const void *as(program *p, const void *from, size_t size, size_t before)
{
    p->size = p->later ? size + MORE : before;
    return p->later ? later(&p->room, from, size, p->value) : earlier(&p->room, from, before);
}
#define AS(p, x, member) as(p, &(x), sizeof(x), (size_t)((const char *)&(x).member - (const char *)&(x)))

static dal_status below(double *y, double t, const double *x, void *user)
{
    (void)t, (void)user;
    return y[0] = x[1] + 0.5, DAL_OK;
}

/* A pendulum with a spring that is let go while horizontal. An event with two inputs, which lie as far apart as the program has
 * them, ends the run half a radian below. */
static dal_model *build(dal_ctx *ctx, program *p)
{
    dal_model *model;
    const void *given;
    int k;
    assert_int_equal(dal_model_create(&model, ctx), DAL_OK);
    assert_int_equal(dal_model_set_gravity(model, (double[3]){0.0, -9.81, 0.0}), DAL_OK);
    const dal_body rod = {.name = "rod", .mass = 2.0, .inertia = {0.1, 0.1, 0.1}, .position = {1.0, 0.0, 0.0}};
    given = AS(p, rod, given);
    assert_int_equal(dal_model_add_body_(model, &k, given, p->size), DAL_OK);
    const dal_joint hinge = {
        .name = "hinge", .type = "revolute", .body_b = k, .frame_b = {.position = {-1.0, 0.0, 0.0}}};
    given = AS(p, hinge, length);
    assert_int_equal(dal_model_add_joint_(model, &k, given, p->size), DAL_OK);
    const dal_force spring = {.name = "spring", .type = "spring", .joint = "hinge", .stiffness = 3.0};
    given = AS(p, spring, cubic);
    assert_int_equal(dal_model_add_force_(model, &k, given, p->size), DAL_OK);
    const dal_output seen[2] = {{.name = "rate", .quantity = "coordinate_velocity", .joint = "hinge"},
                                {.name = "angle", .quantity = "coordinate", .joint = "hinge"}};
    other inputs;
    size_t input_size = 0;
    for (int i = 0; i < 2; ++i) {
        given = AS(p, seen[i], beam);
        assert_int_equal(dal_model_add_output_(model, &k, given, p->size), DAL_OK);
        memcpy(inputs.bytes + (size_t)i * p->size, p->room.bytes, p->size);
        input_size = p->size;
    }
    const dal_action stop = {DAL_DO_STOP, NULL};
    const dal_model_event event = {.name = "low",
                                   .values = below,
                                   .inputs = (const dal_output *)(const void *)inputs.bytes,
                                   .ninputs = 2,
                                   .actions = &stop,
                                   .nactions = 1};
    given = AS(p, event, every);
    assert_int_equal(dal_model_add_event_(model, &k, given, p->size, input_size), DAL_OK);
    return model;
}

/* With J = I + m l^2: J w^2 + k phi^2 = 2 m g l sin(-phi). */
static void swings(program *p)
{
    dal_ctx *ctx;
    dal_sim *sim;
    const dal_system *sys;
    double y[2];
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    dal_model *model = build(ctx, p);
    assert_int_equal(dal_model_compile(model, &sys), DAL_OK);
    dal_options all = dal_options_init();
    all.integrator = DAL_INTEGRATOR_LOBATTO;
    all.size = p->later ? all.size : offsetof(dal_options, stop);
    const dal_options *options = earlier(&p->room, &all, all.size);
    assert_int_equal(dal_sim_create(&sim, ctx, sys, options), DAL_OK);
    assert_int_equal(dal_sim_start(sim, NULL, 0.0, dal_model_q0(model), dal_model_v0(model)), DAL_OK);
    dal_stop reason;
    assert_int_equal(dal_sim_run(sim, &reason, 5.0), DAL_OK);
    const dal_point at = dal_sim_point(sim);
    assert_int_equal(dal_model_outputs(model, dal_sim_data(sim), y, &at), DAL_OK);
    assert_near(y[1], -0.5, 1e-10);
    assert_near_rel(y[0] * y[0], (4.0 * 9.81 * sin(0.5) - 3.0 * 0.25) / 2.1, 1e-9);
    // options as the program knows them: a copy says how long it is
    const dal_options *own = dal_sim_options_(sim, offsetof(dal_options, stop));
    assert_int_equal(own->size, offsetof(dal_options, stop));
    assert_int_equal(dal_sim_options(sim)->size, sizeof(dal_options));
    dal_sim_destroy(sim);
    dal_model_destroy(model);
    dal_ctx_destroy(ctx);
}

static void programs_of_earlier_headers_run(void **state)
{
    (void)state;
    swings(&(program){0});
}

static void programs_of_later_headers_run_without_what_is_new(void **state)
{
    (void)state;
    swings(&(program){.later = 1});
}

static void what_the_library_does_not_know_is_refused(void **state)
{
    (void)state;
    other o;
    dal_ctx *ctx;
    dal_model *model;
    dal_sweep *sweep;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    assert_int_equal(dal_model_create(&model, ctx), DAL_OK);
    const dal_body rod = {.name = "rod", .mass = 2.0};
    const void *body = later(&o, &rod, sizeof rod, 1);
    assert_int_equal(dal_model_add_body_(model, NULL, body, sizeof rod + MORE), DAL_EVERSION);
    assert_non_null(strstr(dal_ctx_message(ctx), "dal_body"));
    assert_non_null(strstr(dal_ctx_message(ctx), "a later library"));
    const dal_sweep_spec spec = {.source = "heavy_top"};
    const void *given = later(&o, &spec, sizeof spec, 1);
    assert_int_equal(dal_sweep_create_(&sweep, ctx, given, sizeof spec + MORE), DAL_EVERSION);
    dal_model_destroy(model);
    dal_ctx_destroy(ctx);
}

/* Nothing behind the struct of the program is written, and what the program does not know of stays as it is in the data. */
static void descriptions_come_back_as_long_as_the_program_has_them(void **state)
{
    (void)state;
    dal_ctx *ctx;
    dal_data *data;
    const dal_system *sys;
    program p = {0};
    other o;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    dal_model *model = build(ctx, &p);
    assert_int_equal(dal_model_compile(model, &sys), DAL_OK);
    assert_int_equal(dal_data_create(&data, ctx, sys), DAL_OK);
    const size_t known = offsetof(dal_body, com);
    memset(o.bytes, GARBAGE, ROOM);
    dal_body *rod = (void *)o.bytes, whole;
    assert_int_equal(dal_model_body_info_(model, rod, 1, known), DAL_OK);
    assert_near(rod->mass, 2.0, 0.0);
    assert_int_equal(o.bytes[known], GARBAGE);
    assert_int_equal(dal_data_get_body_(data, rod, 1, known), DAL_OK);
    assert_int_equal(o.bytes[known], GARBAGE);
    rod->mass = 4.0;
    assert_int_equal(dal_data_set_body_(data, 1, rod, known), DAL_OK);
    assert_int_equal(dal_data_get_body(data, &whole, 1), DAL_OK);
    assert_near(whole.mass, 4.0, 0.0);
    assert_near(whole.position[0], 1.0, 0.0);
    memset(o.bytes, GARBAGE, ROOM);
    assert_int_equal(dal_data_get_body_(data, rod, 1, sizeof whole + MORE), DAL_OK);
    assert_int_equal(o.bytes[sizeof whole], 0);
    assert_int_equal(o.bytes[sizeof whole + MORE], GARBAGE);
    dal_data_destroy(data);
    dal_model_destroy(model);
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_of_earlier_headers_run),
        cmocka_unit_test(programs_of_later_headers_run_without_what_is_new),
        cmocka_unit_test(what_the_library_does_not_know_is_refused),
        cmocka_unit_test(descriptions_come_back_as_long_as_the_program_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
