/* Numbers set on one simulation: the same system, bit for bit, as a model that is compiled with them. Every type of body,
 * joint, force and function; every number of its description differs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numbers_spec.h"
#include "random_model.h"

static dal_status half_spring(double *F, double *g, double t, const double *x, void *user)
{
    const double *k = user;
    *F = -k[0] * x[0] - k[1] * x[1] + t;
    if (g) {
        g[0] = -k[0];
        g[1] = -k[1];
    }
    return DAL_OK;
}

static dal_status skate(double *A, double *b, double t, const double *x, const double *R,
                        const dal_functions *functions, void *user)
{
    (void)functions;
    (void)t, (void)x;
    const double *k = user;
    memcpy(A, R + 3, 3 * sizeof(double));
    A[3] = k[0];
    A[6] = 1.0;
    b[0] = k[1];
    return DAL_OK;
}

static dal_status parabola(double y[3], double x, void *user)
{
    const double *k = user;
    y[0] = k[0] * x * x;
    y[1] = 2.0 * k[0] * x;
    y[2] = 2.0 * k[0];
    return DAL_OK;
}

/* ---- models ----------------------------------------------------------------------------------- */

static double user_numbers[2][3] = {{1.3, 0.4, 0.2}, {0.7, 0.9, -0.3}};

/* Two bodies of these types with random numbers. */
static spec bodies_of(int variant, const char *type_a, const char *type_b)
{
    check_rng rng = check_rng_seed(17 + (unsigned long)variant);
    spec s = {.gravity = {0.5 + variant, 1.0 - variant, 0.0}, .nbodies = 2};
    s.gravity[2] = type_a && strncmp(type_a, "planar", 6) == 0 ? 0.0 : -9.81 + variant;
    s.body[0] = random_body(&rng, "a", type_a);
    s.body[1] = random_body(&rng, "b", type_b);
    return s;
}

static const char *const body_types[] = {"r3so3",  "se3",    "euler_parameters", "cardan",
                                         "cardan", "planar", "planar_se2",       "point"};

static spec body_spec(int variant, int type)
{
    spec s = bodies_of(variant, body_types[type], body_types[type]);
    const int planar = strncmp(body_types[type], "planar", 6) == 0, point = strcmp(body_types[type], "point") == 0;
    check_rng rng = check_rng_seed(5 + (unsigned long)variant);
    s.body[0].sequence = type == 4 ? "zxz" : NULL;
    s.joint[s.njoints++] = (dal_joint){.name = "j",
                                       .type = point    ? "distance"
                                               : planar ? "planar_revolute"
                                                        : "spherical",
                                       .body_a = 1,
                                       .body_b = 2,
                                       .frame_a = frame_on(&rng, body_types[type]),
                                       .frame_b = frame_on(&rng, body_types[type])};
    return s;
}

static void numbers_of_bodies_are_those_of_compiling(void **state)
{
    for (int k = 0; k < (int)LEN(body_types); ++k) {
        const spec a = body_spec(0, k), b = body_spec(1, k);
        check_set(body_types[k], &a, &b);
    }
    // with the centre of mass at the origin terms are left out
    spec a = body_spec(0, 0), b = body_spec(1, 0);
    memset(a.body[0].com, 0, sizeof a.body[0].com);
    memset(b.body[1].com, 0, sizeof b.body[1].com);
    check_set("centred", &a, &b);
}

static const dal_joint joints[] = {
    {.type = "spherical"},
    {.type = "revolute"},
    {.type = "universal"},
    {.type = "prismatic"},
    {.type = "cylindrical"},
    {.type = "planar"},
    {.type = "fixed"},
    {.type = "screw", .pitch = 40.0},
    {.type = "distance", .length = 1.3},
    {.type = "distance"},
    {.type = "point_on_line"},
    {.type = "point_on_plane"},
    {.type = "orientation"},
    {.type = "parallel_axes"},
    {.type = "generic", .locked = DAL_LOCK_X | DAL_LOCK_Z | DAL_LOCK_RY},
    {.type = "planar_revolute"},
    {.type = "planar_prismatic"},
    {.type = "planar_fixed"},
    {.type = "motion", .function = 1, .coordinate = DAL_COORDINATE_LENGTH},
    {.type = "motion", .function = 1, .coordinate = DAL_COORDINATE_ROTATION, .axis = 1},
    {.type = "rolling_disk", .radius = 0.4},
    {.type = "rolling_sphere", .radius = 0.4},
    {.type = "wheel", .radius = 0.4},
    {.type = "knife_edge"},
    {.type = "pfaffian", .rows = skate, .nbodies = 1, .nrows = 1},
};

static void add_function(spec *s, const char *name, const char *type, int n)
{
    const int k = s->nfunctions++;
    s->function[k] = (dal_function){.name = name, .type = type, .c = s->c[k], .n = n};
}

/* A function of the type; its numbers depend on the variant. */
static void fill_function(spec *s, int variant, const char *name, const char *type)
{
    const int k = s->nfunctions;
    check_rng rng = check_rng_seed(41 + (unsigned long)(variant + 2 * k));
    add_function(s, name, type, 4);
    dal_function *f = &s->function[k];
    for (int i = 0; i < POINTS; ++i) {
        s->c[k][i] = check_uniform(&rng, 0.2, 1.0) + i;
        s->c[k][POINTS + i] = check_normal(&rng);
    }
    if (strcmp(type, "table") == 0) {
        f->x = s->c[k];
        f->y = s->c[k] + POINTS;
        f->n = POINTS;
    } else if (strcmp(type, "constant") == 0) {
        f->n = 1;
    } else if (strcmp(type, "user") == 0) {
        *f = (dal_function){.name = name, .type = type, .call = parabola, .user = user_numbers[variant]};
    } else if (strcmp(type, "sum") == 0 || strcmp(type, "product") == 0) {
        s->operands[0] = 1;
        s->operands[1] = 2;
        *f = (dal_function){.name = name, .type = type, .f = s->operands, .nf = 2};
    }
}

/* Descriptions point into the spec. */
static void mend(spec *s)
{
    for (int k = 0; k < s->nfunctions; ++k) {
        s->function[k].c = s->function[k].c ? s->c[k] : NULL;
        s->function[k].x = s->function[k].x ? s->c[k] : NULL;
        s->function[k].y = s->function[k].y ? s->c[k] + POINTS : NULL;
        s->function[k].f = s->function[k].f ? s->operands : NULL;
    }
    for (int k = 0; k < s->nforces; ++k) {
        s->force[k].inputs = s->force[k].inputs ? s->input : NULL;
    }
}

static spec joint_spec(int variant, int type)
{
    static const int first = 1;
    spec s = bodies_of(variant, "r3so3", "se3");
    check_rng rng = check_rng_seed(29 + (unsigned long)variant);
    fill_function(&s, variant, "f", "harmonic");
    dal_joint *j = &s.joint[s.njoints++];
    *j = joints[type];
    j->name = "j";
    j->body_a = 1;
    j->body_b = 2;
    j->frame_a = random_frame(&rng);
    j->frame_b = random_frame(&rng);
    j->length *= 1.0 + variant;
    j->pitch *= 1.0 - 0.3 * variant;
    j->radius *= 1.0 + variant;
    j->user = user_numbers[variant];
    j->bodies = j->rows ? &first : NULL;
    return s;
}

static void numbers_of_joints_are_those_of_compiling(void **state)
{
    for (int k = 0; k < (int)LEN(joints); ++k) {
        spec a = joint_spec(0, k), b = joint_spec(1, k);
        mend(&a);
        mend(&b);
        check_set(joints[k].type, &a, &b);
    }
}

static dal_force force_like(const dal_force *like, int variant)
{
    check_rng rng = check_rng_seed(57 + (unsigned long)variant);
    dal_force f = *like;
    double *const number[] = {&f.stiffness, &f.cubic, &f.damping, &f.quadratic, &f.reference,
                              &f.mu,        &f.slip,  &f.radius,  &f.integral,  &f.initial};
    f.name = "f";
    f.body_a = 1;
    f.body_b = 2;
    f.frame_a = random_frame(&rng);
    f.frame_b = random_frame(&rng);
    for (size_t k = 0; k < LEN(number); ++k) {
        *number[k] = check_uniform(&rng, 0.5, 2.0);
    }
    for (int k = 0; k < 6; ++k) {
        f.vector[k % 3] = check_normal(&rng);
        f.stiffness6[k] = check_uniform(&rng, 0.5, 2.0);
        f.damping6[k] = check_uniform(&rng, 0.5, 2.0);
    }
    f.from = f.switched ? 0.1 - 0.2 * variant : 0.0;
    f.to = f.switched ? 0.3 + 0.2 * variant : 0.0;
    f.user = user_numbers[variant];
    return f;
}

static const dal_force forces[] = {
    {.type = "force"},
    {.type = "force", .follower = 1, .function = 1},
    {.type = "torque", .switched = 1},
    {.type = "spring"},
    {.type = "spring", .coordinate = DAL_COORDINATE_ROTATION, .axis = 2, .function = 1, .characteristic = 1},
    {.type = "bushing"},
    {.type = "actuator", .coordinate = DAL_COORDINATE_TRANSLATION, .function = 1},
    {.type = "pd", .coordinate = DAL_COORDINATE_ROTATION, .function = 1},
    {.type = "pid", .coordinate = DAL_COORDINATE_ROTATION, .axis = 1, .function = 1},
    {.type = "law", .coordinate = DAL_COORDINATE_TRANSLATION, .law = half_spring, .ninputs = 2},
    {.type = "state", .law = half_spring, .ninputs = 2},
    {.type = "cartesian"},
    {.type = "drag"},
    {.type = "friction", .joint = "j"},
};

static spec force_spec(int variant, int type, const char *function)
{
    spec s = bodies_of(variant, "r3so3", "se3");
    check_rng rng = check_rng_seed(71 + (unsigned long)variant);
    if (function) {
        fill_function(&s, variant, "g", "polynomial");
        fill_function(&s, variant, "h", "harmonic");
        fill_function(&s, variant, "f", function);
    } else {
        fill_function(&s, variant, "f", "step");
    }
    s.joint[s.njoints++] = (dal_joint){.name = "j",
                                       .type = "revolute",
                                       .body_a = 1,
                                       .body_b = 2,
                                       .frame_a = random_frame(&rng),
                                       .frame_b = random_frame(&rng)};
    s.force[s.nforces++] = force_like(&forces[type], variant);
    for (int k = 0; k < 3; ++k) {
        s.input[k] = (dal_input){.body_a = k,
                                 .body_b = 2 - k,
                                 .frame_a = random_frame(&rng),
                                 .frame_b = random_frame(&rng),
                                 .coordinate = k == 0 ? DAL_COORDINATE_ROTATION : DAL_COORDINATE_LENGTH,
                                 .axis = 1};
    }
    s.input[1] = (dal_input){.joint = "j", .rate = 1};
    s.force[0].inputs = forces[type].ninputs > 0 ? s.input : NULL;
    s.force[0].function = function ? 3 : s.force[0].function;
    return s;
}

static void numbers_of_forces_are_those_of_compiling(void **state)
{
    for (int k = 0; k < (int)LEN(forces); ++k) {
        spec a = force_spec(0, k, NULL), b = force_spec(1, k, NULL);
        mend(&a);
        mend(&b);
        check_set(forces[k].type, &a, &b);
    }
}

static void numbers_of_functions_are_those_of_compiling(void **state)
{
    static const char *const types[] = {"constant", "harmonic", "polynomial", "step", "ramp",
                                        "table",    "sum",      "product",    "user"};
    for (size_t k = 0; k < LEN(types); ++k) {
        spec a = force_spec(0, 6, types[k]), b = force_spec(1, 6, types[k]);
        mend(&a);
        mend(&b);
        check_set(types[k], &a, &b);
    }
    for (int k = 0; k < 3; ++k) {
        spec a = force_spec(0, 6, "table"), b = force_spec(1, 6, "table");
        mend(&a);
        mend(&b);
        a.function[2].interpolation = (dal_interpolation)k;
        b.function[2].interpolation = (dal_interpolation)((k + 1) % 3);
        a.c[2][2 * POINTS - 1] = a.c[2][POINTS];
        b.c[2][2 * POINTS - 1] = b.c[2][POINTS];
        check_set("interpolation", &a, &b);
    }
}

/* ---- one element that others depend on -------------------------------------------------------- */

/* Two revolute joints, a gear between them, a motion, a spring and a law that refer to the first. */
static spec coupled_spec(int variant)
{
    spec s = bodies_of(variant, "r3so3", "cardan");
    check_rng rng = check_rng_seed(83 + (unsigned long)variant);
    fill_function(&s, variant, "f", "harmonic");
    for (int k = 0; k < 2; ++k) {
        s.joint[s.njoints++] = (dal_joint){.name = k == 0 ? "r1" : "r2",
                                           .type = "revolute",
                                           .body_a = k,
                                           .body_b = k + 1,
                                           .frame_a = random_frame(&rng),
                                           .frame_b = random_frame(&rng)};
    }
    s.joint[s.njoints++] =
        (dal_joint){.name = "gear", .type = "gear", .joint_1 = "r1", .joint_2 = "r2", .ratio = {2.0 + variant, -1.0}};
    s.joint[s.njoints++] = (dal_joint){.name = "drive", .type = "motion", .joint = "r1", .function = 1};
    s.force[s.nforces++] = (dal_force){.name = "spring", .type = "spring", .joint = "r1", .stiffness = 3.0 + variant};
    s.force[s.nforces++] = (dal_force){
        .name = "pid", .type = "pid", .joint = "r2", .stiffness = 3.0 + variant, .integral = 1.0, .function = 1};
    s.input[0] = (dal_input){.joint = "r1"};
    s.input[1] = (dal_input){.state = "x"};
    s.force[s.nforces++] = (dal_force){.name = "x",
                                       .type = "state",
                                       .law = half_spring,
                                       .user = user_numbers[variant],
                                       .inputs = s.input,
                                       .ninputs = 2,
                                       .initial = 0.3 + variant};
    return s;
}

static void what_refers_to_an_element_follows_it(void **state)
{
    // all at once, then one element after the other
    spec a = coupled_spec(0), b = coupled_spec(1);
    mend(&a);
    mend(&b);
    check_set("all", &a, &b);
    for (int k = 0; k < 9; ++k) {
        if (k == 5) {
            continue; // the motion has no numbers of its own
        }
        spec c = coupled_spec(0);
        char what[16];
        mend(&c);
        if (k < 2) {
            c.body[k] = b.body[k];
        } else if (k < 6) {
            c.joint[k - 2] = b.joint[k - 2];
        } else {
            c.force[k - 6] = b.force[k - 6];
        }
        snprintf(what, sizeof what, "element %d", k);
        check_set(what, &a, &c);
    }
}

/* ---- descriptions ----------------------------------------------------------------------------- */

static void setting_what_was_got_changes_nothing(void **state)
{
    dal_ctx *ctx = check_ctx();
    spec a = coupled_spec(0), b = coupled_spec(1);
    const dal_system *sys;
    dal_data *data;
    mend(&a);
    mend(&b);
    dal_model *m = build(ctx, &a);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    set_all(ctx, data, &b);
    tell(ctx, &anew, m, sys, data);
    dal_data_destroy(data);
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    set_all(ctx, data, &b);
    dal_body body;
    dal_joint joint;
    dal_force force;
    dal_function function;
    double gravity[3];
    check_ok(ctx, dal_data_get_gravity(data, gravity));
    check_ok(ctx, dal_data_set_gravity(data, gravity));
    for (int k = 1; k <= 2; ++k) {
        check_ok(ctx, dal_data_get_body(data, &body, k));
        check_ok(ctx, dal_data_set_body(data, k, &body));
        assert_memory_equal(body.rotation, b.body[k - 1].rotation, sizeof body.rotation);
    }
    for (int k = 0; k < a.njoints; ++k) {
        check_ok(ctx, dal_data_get_joint(data, &joint, k));
        check_ok(ctx, dal_data_set_joint(data, k, &joint));
        assert_string_equal(joint.name, b.joint[k].name);
    }
    for (int k = 0; k < a.nforces; ++k) {
        check_ok(ctx, dal_data_get_force(data, &force, k));
        check_ok(ctx, dal_data_set_force(data, k, &force));
        assert_true(force.stiffness == b.force[k].stiffness);
    }
    check_ok(ctx, dal_data_get_function(data, &function, 1));
    check_ok(ctx, dal_data_set_function(data, 1, &function));
    tell(ctx, &set_afterwards, m, sys, data);
    assert_same_record("got and set");
    dal_data_destroy(data);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* ---- refusals --------------------------------------------------------------------------------- */

#define REFUSED(kind, number, field, value, text)                                  \
    do {                                                                           \
        dal_##kind d;                                                              \
        check_ok(ctx, dal_data_get_##kind(data, &d, number));                      \
        d.field = value;                                                           \
        check_fails(ctx, dal_data_set_##kind(data, number, &d), DAL_EINVAL, text); \
        check_ok(ctx, dal_data_initial(data, NULL, NULL));                         \
    } while (0)

static void bodies_and_joints_are_refused(dal_ctx *ctx, dal_data *data)
{
    const double inf = INFINITY;
    REFUSED(body, 1, type, "se3", "body 'a': its type cannot be changed for one simulation");
    REFUSED(body, 1, type, "cube", "no type 'cube'");
    REFUSED(body, 2, sequence, "zxz", "body 'b': the sequence of its angles");
    REFUSED(body, 1, mass, -1.0, "body 'a': mass = -1");
    REFUSED(body, 1, inertia[0], -1.0, "body 'a'");
    REFUSED(body, 1, rotation[0], 7.0, "body 'a': initial values");
    REFUSED(joint, 0, type, "fixed", "joint 'r1': its type");
    REFUSED(joint, 0, body_a, 2, "joint 'r1'");
    REFUSED(joint, 0, frame_a.position[0], inf, "joint 'r1'");
    REFUSED(joint, 2, joint_1, "r2", "joint 'gear': joint_1 and joint_2 are the same coordinate of 'r2'");
    REFUSED(joint, 2, ratio[0], 0.0, "joint 'gear': ratio[0]");
    REFUSED(joint, 3, joint, NULL, "joint 'drive'");
    REFUSED(joint, 3, function, 0, "joint 'drive'");
    REFUSED(joint, 3, axis, 1, "");
}

static void the_structure_is_refused_by_name(void **state)
{
    dal_ctx *ctx = check_ctx();
    spec a = coupled_spec(0);
    mend(&a);
    const double inf = INFINITY;
    dal_input other[2];
    const dal_system *sys;
    dal_data *data;
    dal_model *m = build(ctx, &a);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    tell(ctx, &anew, m, sys, data);
    dal_data_destroy(data);
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    bodies_and_joints_are_refused(ctx, data);
    REFUSED(force, 0, type, "pd", "force 'spring': its type");
    REFUSED(force, 0, joint, "r2", "force 'spring': the joint it refers to");
    REFUSED(force, 0, coordinate, DAL_COORDINATE_LENGTH, "force 'spring': its coordinate");
    REFUSED(force, 0, function, 1, "force 'spring': which function it uses");
    REFUSED(force, 0, follower, 1, "force 'spring': `follower`");
    REFUSED(force, 0, switched, 1, "force 'spring'");
    REFUSED(force, 0, stiffness, inf, "force 'spring': a number is not finite");
    REFUSED(force, 2, ninputs, 1, "force 'x': the number of its inputs");
    memcpy(other, a.input, sizeof other);
    other[0].joint = "r2";
    REFUSED(force, 2, inputs, other, "force 'x': what an input measures");
    REFUSED(function, 1, type, "step", "function 'f': its type");
    REFUSED(function, 1, n, 3, "function 'f': the number of its coefficients");
    REFUSED(function, 1, c, &inf, "");
    check_fails(ctx, dal_data_set_gravity(data, (double[3]){inf, 0.0, 0.0}), DAL_EINVAL, "gravity");
    check_fails(ctx, dal_data_set_body(data, 0, &a.body[0]), DAL_EINVAL, "number 0");
    check_fails(ctx, dal_data_set_joint(data, 9, &a.joint[0]), DAL_EINVAL, "number 9");
    check_fails(ctx, dal_data_set_force(data, -1, &a.force[0]), DAL_EINVAL, "number -1");
    check_fails(ctx, dal_data_set_function(data, 2, &a.function[0]), DAL_EINVAL, "number 2");
    // and nothing has changed
    tell(ctx, &set_afterwards, m, sys, data);
    assert_same_record("refused");
    dal_data_destroy(data);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* What several elements make together is found wrong when it is looked at, and can be mended. */
static void what_elements_make_together_is_checked_together(void **state)
{
    dal_ctx *ctx = check_ctx();
    spec a = coupled_spec(0);
    mend(&a);
    const dal_system *sys;
    dal_data *data;
    dal_joint gear;
    dal_model *m = build(ctx, &a);
    double q[64], v[64], r[64], la[64] = {0.0};
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    check_ok(ctx, dal_data_initial(data, q, v));
    check_ok(ctx, dal_data_get_joint(data, &gear, 2));
    gear.ratio[0] = sqrt(2.0);
    check_ok(ctx, dal_data_set_joint(data, 2, &gear));
    check_fails(ctx, dal_data_initial(data, q, v), DAL_EINVAL, "joint 'gear': with the ratios");
    const dal_point at = {0.0, q, v, v, la};
    const dal_residual out = {.r = r};
    check_fails(ctx, dal_data_residual(data, &out, &at), DAL_EINVAL, "no common period");
    assert_true(isnan(dal_data_energy(data, &at)));
    check_fails(ctx, dal_model_outputs(m, data, r, &at), DAL_EINVAL, "no common period");
    gear.ratio[0] = 2.0;
    check_ok(ctx, dal_data_set_joint(data, 2, &gear));
    check_ok(ctx, dal_data_residual(data, &out, &at));
    dal_data_destroy(data);
    dal_model_destroy(m);
    // planar bodies: a load out of their plane
    spec p = body_spec(0, 5);
    p.force[p.nforces++] =
        (dal_force){.name = "push", .type = "force", .body_b = 1, .vector = {1.0, 0.0, 0.0}, .follower = 0};
    m = build(ctx, &p);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    p.force[0].vector[2] = 1.0;
    check_ok(ctx, dal_data_set_force(data, 0, &p.force[0]));
    check_fails(ctx, dal_data_initial(data, NULL, NULL), DAL_EINVAL, "is planar and does not feel a force along z");
    check_ok(ctx, dal_data_set_gravity(data, (double[3]){0.0, 0.0, 1.0}));
    check_fails(ctx, dal_data_initial(data, NULL, NULL), DAL_EINVAL, "does not feel gravity along z");
    dal_data_destroy(data);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* A bushing that had no stiffness against rotations has no memory for their turns. */
static void memory_is_part_of_the_structure(void **state)
{
    dal_ctx *ctx = check_ctx();
    spec a = bodies_of(0, NULL, NULL);
    const dal_system *sys;
    dal_data *data;
    a.force[a.nforces++] = (dal_force){
        .name = "pad", .type = "bushing", .body_a = 1, .body_b = 2, .stiffness6 = {1.0, 2.0, 3.0, 0.0, 0.0, 0.0}};
    dal_model *m = build(ctx, &a);
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_data_create(&data, ctx, sys));
    a.force[0].stiffness6[4] = 1.0;
    check_fails(ctx, dal_data_set_force(data, 0, &a.force[0]), DAL_EINVAL,
                "force 'pad': the model was compiled without");
    a.force[0].stiffness6[4] = 0.0;
    a.force[0].stiffness6[0] = 5.0;
    check_ok(ctx, dal_data_set_force(data, 0, &a.force[0]));
    dal_data_destroy(data);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_bodies_are_those_of_compiling),
        cmocka_unit_test(numbers_of_joints_are_those_of_compiling),
        cmocka_unit_test(numbers_of_forces_are_those_of_compiling),
        cmocka_unit_test(numbers_of_functions_are_those_of_compiling),
        cmocka_unit_test(what_refers_to_an_element_follows_it),
        cmocka_unit_test(setting_what_was_got_changes_nothing),
        cmocka_unit_test(the_structure_is_refused_by_name),
        cmocka_unit_test(what_elements_make_together_is_checked_together),
        cmocka_unit_test(memory_is_part_of_the_structure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
