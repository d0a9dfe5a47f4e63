/* Parts: a model in another one is the same mechanism, wherever it is put. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

enum { STEPS = 30, NUMBERS = 400 };

typedef struct opened {
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
} opened;

static void close_document(opened *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
}

static void start(dal_ctx *ctx, opened *o, const dal_options *options)
{
    check_ok(ctx, dal_model_compile(dal_document_model(o->doc), &o->sys));
    check_ok(ctx, dal_document_assemble(o->doc, NULL, o->sys));
    check_ok(ctx, dal_sim_create(&o->sim, ctx, o->sys, options));
    const dal_model *m = dal_document_model(o->doc);
    check_ok(ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
}

/* Position of all bodies and the energy after some steps. */
static int run(dal_ctx *ctx, const opened *o, double x[NUMBERS])
{
    const dal_model *m = dal_document_model(o->doc);
    for (int k = 0; k < STEPS; ++k) {
        check_ok(ctx, dal_sim_step(o->sim));
    }
    const dal_point at = dal_sim_point(o->sim);
    assert_true(dal_model_output_size(m) < NUMBERS);
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(o->sim), x, &at));
    return dal_model_output_size(m);
}

/* Of beams only the far end. */
static int is_shown(const char *body)
{
    const char *place = strchr(body, '@');
    return place == NULL || strcmp(place, "@1") == 0;
}

/* A model with a built-in one as its part, with the positions of bodies as outputs: how many. */
static int load(dal_ctx *ctx, opened *o, const char *name, const char *gravity, const char *at)
{
    static char text[4000];
    dal_document *source;
    check_ok(ctx, dal_document_open(&source, ctx, name, NULL, 0));
    const dal_model *m = dal_document_model(source);
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "{'dalembert': 1, 'variables': {'axis': [1, 2, -1], 'phi': '40 deg'}, 'gravity': '%s', "
                         "'parts': [{'use': '%s', 'name': 'it'%s}], 'outputs': ['kinetic_energy'",
                         gravity, name, at);
    int n = 0;
    for (int k = 1; dal_model_body_name(m, k) != NULL && n < 19; ++k) {
        if (!is_shown(dal_model_body_name(m, k))) {
            continue;
        }
        ++n;
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ", {'name': 'p%d', 'quantity': 'position', 'body': 'it.%s'}", k,
                                 dal_model_body_name(m, k));
    }
    snprintf(text + used, sizeof text - used, "]}");
    check_ok(ctx, text_load(&o->doc, ctx, text));
    start(ctx, o, dal_document_options(source));
    dal_document_destroy(source);
    return n;
}

/* R x + p, R about [1, 2, -1] by 40 degrees */
static void place(double y[3], const double x[3])
{
    static const double p[3] = {3.0, -1.0, 2.0};
    const double n = sqrt(6.0), u[3] = {1.0 / n, 2.0 / n, -1.0 / n}, phi = acos(-1.0) * 40.0 / 180.0;
    const double c = cos(phi), s = sin(phi), along = u[0] * x[0] + u[1] * x[1] + u[2] * x[2];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = c * x[i] + s * (u[j] * x[k] - u[k] * x[j]) + (1.0 - c) * along * u[i] + p[i];
    }
}

/* At another place, with gravity turned as well, all positions are turned and moved, and the kinetic energy is the same. */
static void a_part_moves_as_the_model_alone_wherever_it_is(void **state)
{
    static const char *const models[] = {
        "bricard",
        "flexible_pendulum",
        "flyball_governor",
        "heavy_top",
        "rolling_disk",
        "bicycle",
        "chain",
        "spatial_slider_crank",
        "free_top",
        "high_speed_rotor",
        "bouncing_ball",
        "spinning_beam",
        "flying_spaghetti",
        "right_angle_cantilever",
        "helical_spring",

        "newton_cradle",
    };
    static double own[NUMBERS], part[NUMBERS];
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(models); ++k) {
        opened a, b;
        const int bodies = load(ctx, &a, models[k], "[1, 0.5, -9.81]", "");
        (void)load(ctx, &b, models[k], "rotate([1, 0.5, -9.81], axis, phi)",
                   ", 'at': {'position': [3, -1, 2], 'rotation': {'axis': 'axis', 'angle': 'phi'}}");
        const int count = run(ctx, &a, own);
        double worst = 0.0, length = 1.0;
        assert_int_equal(count, run(ctx, &b, part));
        assert_near(part[0], own[0], 1e-7 * (1.0 + fabs(own[0])));
        for (int i = 1; i < 1 + 3 * bodies; i += 3) {
            double y[3];
            place(y, own + i);
            for (int j = 0; j < 3; ++j) {
                worst = fmax(worst, fabs(y[j] - part[i + j]));
                length = fmax(length, fabs(y[j]));
            }
        }
        print_message("%-22s %d bodies, off by %.1e\n", models[k], bodies, worst);
        assert_near(worst, 0.0, 1e-8 * length);
        close_document(&a);
        close_document(&b);
    }
    check_ctx_free(ctx);
}

static double output(dal_ctx *ctx, const char *text, const char *name)
{
    opened o;
    double x[NUMBERS] = {0.0};
    check_ok(ctx, text_load(&o.doc, ctx, text));
    start(ctx, &o, dal_document_options(o.doc));
    const dal_model *m = dal_document_model(o.doc);
    const dal_point at = dal_sim_point(o.sim);
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(o.sim), x, &at));
    int first = -1;
    for (int k = 0, n = 0; k < dal_model_output_count(m); ++k) {
        const dal_output_info info = dal_model_output_info(m, k);
        first = strcmp(info.name, name) == 0 ? n : first;
        n += info.n;
    }
    assert_true(first >= 0);
    close_document(&o);
    return x[first];
}

#define LINK                                                                                                      \
    "{'dalembert': 1, 'variables': {'L': 1, 'm': 2}, 'words': {'kind': 'revolute'},"                              \
    " 'bodies': [{'name': 'rod', 'mass': 'm', 'inertia': 0.1, 'position': ['L/2', 0, 0]},"                        \
    "  {'name': 'tip', 'in': 'rod', 'mass': 1, 'inertia': 0.1, 'position': ['L/2', 0, 0]}],"                      \
    " 'joints': [{'name': 'A', 'type': '{kind}', 'body_b': 'rod', 'point': [0, 0, 0], 'axis': [0, 0, 1]},"        \
    "  {'name': 'B', 'type': 'fixed', 'body_a': 'rod', 'body_b': 'tip'}],"                                        \
    " 'forces': [{'name': 'pull', 'type': 'spring', 'body_b': 'tip', 'frame_a': ['2*L', 0, 0], 'stiffness': 10, " \
    "'reference': 0}],"                                                                                           \
    " 'outputs': ['tip.position.x', 'pull.force_value', 'energy']}"

/* Parts of parts: names, places and what is set go on from one to the next. */
static void parts_have_parts(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'a': 3}, 'parts': [{'name': 'arm', 'at': [10, 0, 0], 'set': {'two.L': '2*a'},"
        " 'model': {'dalembert': 1, 'parts': [{'repeat': 'i', 'to': 2, 'with': {'x': '100*i'}, 'items': [{'name': "
        "'link{i}', 'at': ['x', 0], 'set': {'L': 'i + 3'}, 'model': " LINK "}]},"
        "  {'name': 'two', 'on': 'link1.tip', 'in': 'link1.tip', 'at': [0, 1, 0], 'model': " LINK "}]}}]}";
    dal_ctx *ctx = check_ctx();
    assert_near(output(ctx, text, "arm.link1.tip.position.x"), 10.0 + 100.0 + 4.0, 1e-12);
    assert_near(output(ctx, text, "arm.link2.tip.position.x"), 10.0 + 200.0 + 5.0, 1e-12);
    // it stands on the tip of the first, which is at x = 114, with L = 6
    assert_near(output(ctx, text, "arm.two.tip.position.x"), 114.0 + 6.0, 1e-12);
    // its spring is fixed to that, 2 L from its origin, and pulls with 10 N/m
    assert_near(fabs(output(ctx, text, "arm.two.pull.force_value")), 60.0, 1e-10);
    check_ctx_free(ctx);
}

/* Texts of a model, "$" before the names of what belongs to a part. The second beam is joined to one that stands behind it. */
#define BODIES                                                                                                         \
    "{'name': '$hub', 'mass': '$m', 'inertia': 0.1, 'position': [0, 0, 0.5]},"                                         \
    "{'name': '$bead', 'mass': 0.1, 'inertia': 0.001, 'position': [0.45, 0, 0.5]},"                                    \
    "{'name': '$ball1', 'mass': 0.2, 'inertia': 0.001, 'position': ['$x', 0, '$z'], 'velocity': ['if($z > 1, 0, 1)', " \
    "0, 0], 'shape': "                                                                                                 \
    "{'sphere': 0.05}},"                                                                                               \
    "{'name': '$ball2', 'mass': 0.2, 'inertia': 0.001, 'position': ['$x + 0.105', 0, '$z - 0.005'], 'shape': "         \
    "{'sphere': "                                                                                                      \
    "0.05}}"
#define SECTION "'elements': 2, 'order': 3, 'section': {'circle': 0.02, 'E': 2e8, 'nu': 0.3, 'density': 7800}"
#define BEAMS                                                                                                      \
    "{'name': '$tip', 'from': [1, 0, 0.5], 'to': [1, 0.4, 0.7], 'axis_2': [1, 0, 0], 'start': {'body': '$rod@1', " \
    "'kind': 'hinged', 'axis': [0, 1, 1]}, " SECTION "},"                                                          \
    "{'name': '$rod', 'from': [0, 0, 0.5], 'to': [1, 0, 0.5], 'start': '$hub', 'slides': [{'body': '$bead'}],"     \
    " 'loads': [{'vector': [0, 3, 1]}, {'vector': [0, 0, 2], 'follower': true}], " SECTION "}"
#define JOINTS "{'name': '$lift', 'type': 'prismatic', 'body_b': '$hub', 'axis': [0, 0, 1]}"
#define FORCES                                                                                              \
    "{'name': '$pull', 'type': 'spring', 'body_b': '$rod@0.3', 'frame_a': [0.3, 1, 0.5], 'stiffness': 50}," \
    "{'name': '$push', 'type': 'law', 'body_b': '$bead', 'coordinate': 'translation_y', 'value': '$u'}"
#define CONTACTS                                                                                                      \
    "{'bodies': ['$ball*'], 'planes': [[0, 0, 0]], 'restitution': 0.5, 'pairs': [{'a': ['$ball1'], 'b': ['$ball2'], " \
    "'restitution': 0.9}]}"
#define OUTPUTS                                                                                                      \
    "'$rod@0.3.position', '$rod@0.77.section_moment', '$rod@0.3:1:2.velocity', '$tip@1.position', '$bead.position'," \
    " '$ball1.position', '$ball2.velocity', '$pull.force_value', '$lift.coordinate', '$push.force_value'"
#define EVENTS                                                                                                  \
    "{'repeat': 'i', 'to': 2, 'items': [{'name': '$e{i}', 'when': '$ball{i}.position.z < $low', 'set': {'$u': " \
    "'$u + i'}}]}"

#define PART                                                                                                     \
    "{'dalembert': 1, 'variables': {'m': 1, 'x': 0, 'low': 0.0505, 'z': 0.056}, 'inputs': {'u': 0}, 'bodies': "  \
    "[" BODIES "], 'beams': [" BEAMS "], 'joints': [" JOINTS "], 'forces': [" FORCES "], 'contacts': [" CONTACTS \
    "], 'outputs': [" OUTPUTS "], 'events': [" EVENTS "]}"

/* The text with `prefix` in the place of each $. */
static char *prefixed(char *to, const char *text, const char *prefix)
{
    for (; *text != '\0'; ++text) {
        if (*text == '$') {
            to += sprintf(to, "%s", prefix);
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return to;
}

/* A list of both parts, written out. */
static char *flat_list(char *to, const char *key, const char *text)
{
    to += sprintf(to, ", '%s': [", key);
    to = prefixed(to, text, "a_");
    *to++ = ',';
    to = prefixed(to, text, "b_");
    return to + sprintf(to, "]");
}

/* Beams, contact groups and events of parts have the prefix of the part: two parts are the model with everything written out, bit for bit. */
static void parts_with_beams_and_contacts_are_the_flat_model(void **state)
{
    static char flat[20000], whole[20000], model[5000];
    double one[NUMBERS], two[NUMBERS];
    char *to = flat;
    opened a, b;
    dal_ctx *ctx = check_ctx();
    to += sprintf(to, "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'variables': {'a_m': 1, 'a_x': 0, 'b_m': 2, 'b_x': "
                      "0.6, 'a_low': 0.0505, 'b_low': 0.0505, 'a_z': 0.056, 'b_z': 0.056},"
                      " 'inputs': {'a_u': 0, 'b_u': 0}, 'simulation': {'h': 0.002}");
    to = flat_list(to, "bodies", BODIES);
    to = flat_list(to, "beams", BEAMS);
    to = flat_list(to, "joints", JOINTS);
    to = flat_list(to, "forces", FORCES);
    to = flat_list(to, "contacts", CONTACTS);
    to = flat_list(to, "outputs", OUTPUTS);
    to = flat_list(to, "events", EVENTS);
    sprintf(to, "}");
    (void)prefixed(model, PART, "");
    sprintf(whole,
            "{'dalembert': 1, 'gravity': [0, 0, -9.81], 'simulation': {'h': 0.002}, 'parts': [{'name': 'a', 'model': "
            "%s}, {'name': 'b', 'set': {'m': 2, 'x': 0.6}, 'model': %s}]}",
            model, model);
    check_ok(ctx, text_load(&a.doc, ctx, flat));
    check_ok(ctx, text_load(&b.doc, ctx, whole));
    start(ctx, &a, dal_document_options(a.doc));
    start(ctx, &b, dal_document_options(b.doc));
    const int n = run(ctx, &a, one);
    assert_int_equal(run(ctx, &b, two), n);
    assert_int_equal(n, 54);
    for (int k = 0; k < n; ++k) {
        assert_true(one[k] == two[k]); // NOLINT(clang-diagnostic-float-equal): the same operations
    }
    assert_true(one[n / 2 - 1] >= 1.0 && one[n - 1] >= 1.0); // the balls have come down, and the events set the forces
    close_document(&a);
    close_document(&b);
    check_ctx_free(ctx);
}

/* Elsewhere, with gravity turned as well, they do the same there: the beam and the bead while the balls are high up, and the balls. */
static void beams_and_contacts_are_placed_with_their_part(void **state)
{
    static const char *const gravity[] = {"[0, 0, -9.81]", "rotate([0, 0, -9.81], axis, phi)"};
    static const char *const at[] = {"",
                                     ", 'at': {'position': [3, -1, 2], 'rotation': {'axis': 'axis', 'angle': 'phi'}}"};
    static const double high[] = {5.0, 0.056};
    static const int first[] = {0, 15, 18, 24}; // a place of the beam, the bead, a ball; the force of the spring
    static char text[10000], model[5000];
    double x[2][NUMBERS], y[3];
    opened o;
    dal_ctx *ctx = check_ctx();
    (void)prefixed(model, PART, "");
    for (int k = 0; k < 4; ++k) {
        snprintf(
            text, sizeof text,
            "{'dalembert': 1, 'variables': {'axis': [1, 2, -1], 'phi': '40 deg'}, 'gravity': '%s', 'simulation': {'h': "
            "0.002}, 'parts': [{'name': 'a', 'set': {'low': -100, 'z': %g}%s, 'model': %s}]}",
            gravity[k % 2], high[k / 2], at[k % 2], model);
        check_ok(ctx, text_load(&o.doc, ctx, text));
        start(ctx, &o, dal_document_options(o.doc));
        (void)run(ctx, &o, x[k % 2]);
        close_document(&o);
        for (int i = k == 1 ? 0 : 2; i < 3 && k % 2 == 1; ++i) {
            place(y, x[0] + first[i]);
            for (int j = 0; j < 3; ++j) {
                assert_near(x[1][first[i] + j], y[j], 1e-9);
            }
        }
        if (k == 1) {
            assert_near(x[1][first[3]], x[0][first[3]], 1e-7);
        }
    }
    assert_true(x[0][first[2] + 2] > 0.05 && x[0][first[2] + 2] < 0.056); // it has bounced
    check_ctx_free(ctx);
}

static void mistakes_in_parts_are_named(void **state)
{
    static const char *const cases[][2] = {
        {"'parts': [{'name': 'a'}]", "/parts/0: 'use' is missing"},
        {"'parts': [{'use': 'pendulum'}]", "/parts/0: 'name' is missing"},
        {"'parts': [{'use': 'pendulum', 'name': 'a.b'}]", "/parts/0/name: 'a.b' cannot be the name of a part"},
        {"'parts': [{'use': 'pendulum', 'name': 'max'}]", "letters, digits and _, and not that of a function"},
        {"'parts': [{'use': 'pendulm', 'name': 'a'}]", "/parts/0/use: cannot open 'pendulm'"},
        {"'parts': [{'use': 'pendulum', 'name': 'a', 'set': {'no': 1}}]",
         "/parts/0/set/no: the part has no variable 'no'"},
        {"'parts': [{'use': 'elastica', 'name': 'a', 'set': {'L': 'x'}}]", "no variable 'x'"},
        {"'bodies': [{'name': 'b', 'mass': 1, 'inertia': 1}], 'parts': [{'name': 'a', 'on': 'b', 'model': "
         "{'dalembert': 1, "
         "'bodies': [{'name': 'c', 'mass': 1, 'inertia': 1, 'shape': {'sphere': 1}}], 'contacts': [{'planes': [[0, 0, "
         "0]]}]}}]",
         "planes of contacts are fixed to the ground, and that of this part is 'b'"},
        {"'parts': [{'name': 'a', 'at': [0, 0, 1], 'model': {'dalembert': 1, 'beams': [{'name': 'b', 'points': [[0, 0, "
         "0], "
         "[1, 0, 0], [2, 1, 0]], 'section': {'circle': 0.1, 'E': 1e9, 'nu': 0.3, 'density': 1000}}]}}]",
         "needs its 'axis_2'"},
        {"'parts': [{'use': 'nonholonomic_particle', 'name': 'a', 'at': [1, 0, 0]}]", "in the axes of the world"},
        {"'parts': [{'use': 'flexible_slider_crank', 'name': 'a', 'at': {'rotation': {'axis': [1, 0, 0], 'angle': "
         "1}}}]",
         "planar_revolute holds points in the x-y plane of the world"},
        {"'parts': [{'name': 'a', 'model': {'dalembert': 1, 'bodies': [{'name': 'b', 'mass': 'mm', 'inertia': 1}]}}]",
         "/parts/0/model/bodies/0/mass (a): \"mm\", column 1: no variable 'mm'"},
        {"'parts': [{'use': 'pendulum', 'name': 'a', 'on': 'nothing'}]", "/parts/0/on: no body 'nothing'"},
        {"'bodies': [{'name': 'b', 'in': 'c', 'mass': 1, 'inertia': 1}]", "/bodies/0/in: no body 'c'"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        const dal_status st = text_body(&doc, ctx, cases[k][0]);
        assert_true(st == DAL_EINVAL || st == DAL_EIO);
        if (strstr(dal_ctx_message(ctx), cases[k][1]) == NULL) {
            fail_msg("%s: \"%s\" lacks \"%s\"", cases[k][0], dal_ctx_message(ctx), cases[k][1]);
        }
    }
    check_ctx_free(ctx);
}

static void write_file(const char *name, const char *text)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", PARTS_FOLDER, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    for (; *text != '\0'; ++text) {
        fputc(*text == '\'' ? '"' : *text, f);
    }
    fclose(f);
}

/* Files beside the model; messages have the file and the line. A model that was read is one text, with its parts. */
static void files_are_read_and_named(void **state)
{
    static const char *const set[] = {"one.L=5"};
    dal_ctx *ctx = check_ctx();
    dal_document *doc, *again;
    double x;
    write_file("link.json", LINK);
    write_file(
        "user.json",
        "{'dalembert': 1, 'variables': {'w': 2}, 'parts': [{'use': 'link.json', 'name': 'one', 'set': {'L': 'w'}},"
        "{'use': 'link.json', 'name': 'other', 'at': [0, 1, 0]}]}");
    write_file("bad.json", "{'dalembert': 1,\n 'bodies': [\n  {'name': 'b', 'mass': '2 mm', 'inertia': 1}]}");
    write_file("uses_bad.json", "{'dalembert': 1, 'parts': [{'use': 'bad.json', 'name': 'b'}]}");
    write_file("circle.json", "{'dalembert': 1, 'parts': [{'use': 'back.json', 'name': 'b'}]}");
    write_file("back.json", "{'dalembert': 1, 'parts': [{'use': 'circle.json', 'name': 'c'}]}");
    check_ok(ctx, dal_document_open(&doc, ctx, PARTS_FOLDER "/user.json", NULL, 0));
    check_ok(ctx, dal_document_value(doc, &x, "one.L + 10*other.L"));
    assert_near(x, 12.0, 0.0);
    check_ok(ctx,
             dal_document_parse(&again, ctx, dal_document_text(doc), strlen(dal_document_text(doc)), "copy", set, 1));
    check_ok(ctx, dal_document_value(again, &x, "one.L + 10*other.L"));
    assert_near(x, 15.0, 0.0);
    dal_document_destroy(again);
    dal_document_destroy(doc);
    check_fails(ctx, dal_document_open(&doc, ctx, PARTS_FOLDER "/uses_bad.json", NULL, 0), DAL_EINVAL,
                "/bad.json:3: /bodies/0/mass (b): \"2 mm\" is in m, and this number is in kg");
    check_fails(ctx, dal_document_open(&doc, ctx, PARTS_FOLDER "/circle.json", NULL, 0), DAL_EINVAL,
                "circle.json' uses itself by way of other parts");
    check_ctx_free(ctx);
}

/* The axes are where directions say. */
static void rotations_follow_from_directions(void **state)
{
    static const char *const rotations[] = {
        "{'x_along': [[1, 1, 0], [1, 1, 3]], 'y_axis': [0, 1, 1]}",
        "{'x_along': [[0, 0, 0], 'p'], 'z_axis': [1, 0, 1]}",
        "{'y_along': [[0, 0, 0], 'p'], 'z_axis': [1, 0, 1]}",
        "{'y_along': ['p', [0, 0, 0]], 'x_axis': [1, 0, 0]}",
        "{'z_along': [[0, 0, 0], 'p'], 'y_axis': [1, 0, 0]}",
        "{'z_along': [[0, 0, 0], 'p']}",
    };
    static const double along[][4] = {// which axis, and its direction
                                      {0, 0, 0, 1},
                                      {0, 1.0 / 3, 2.0 / 3, 2.0 / 3},
                                      {1, 1.0 / 3, 2.0 / 3, 2.0 / 3},
                                      {1, -1.0 / 3, -2.0 / 3, -2.0 / 3},
                                      {2, 1.0 / 3, 2.0 / 3, 2.0 / 3},
                                      {2, 1.0 / 3, 2.0 / 3, 2.0 / 3}};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(rotations); ++k) {
        char text[600], name[40];
        snprintf(text, sizeof text,
                 "{'dalembert': 1, 'variables': {'p': [1, 2, 2]}, 'bodies': [{'name': 'b', 'mass': 1, 'inertia': 1, "
                 "'rotation': %s}], 'outputs': ['b.matrix.1%d', 'b.matrix.2%d', 'b.matrix.3%d']}",
                 rotations[k], 1 + (int)along[k][0], 1 + (int)along[k][0], 1 + (int)along[k][0]);
        for (int i = 0; i < 3; ++i) {
            snprintf(name, sizeof name, "b.matrix.%d%d", i + 1, 1 + (int)along[k][0]);
            assert_near(output(ctx, text, name), along[k][1 + i], 1e-15);
        }
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_moves_as_the_model_alone_wherever_it_is),
        cmocka_unit_test(parts_have_parts),
        cmocka_unit_test(parts_with_beams_and_contacts_are_the_flat_model),
        cmocka_unit_test(beams_and_contacts_are_placed_with_their_part),
        cmocka_unit_test(mistakes_in_parts_are_named),
        cmocka_unit_test(files_are_read_and_named),
        cmocka_unit_test(rotations_follow_from_directions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
