/* Beams in a model: tangents of elements, loads and joined ends against differences; what they are checked for; masses. */
#include <math.h>
#include <string.h>

#include "random_model.h"
#include "support/check_system.h"

/* A full section with an offset centre of mass. */
static dal_section section(double damping)
{
    const dal_profile p = {.E = 100.0,
                           .G = 40.0,
                           .density = 1.5,
                           .area = 1.0,
                           .I2 = 0.4,
                           .I3 = 0.3,
                           .torsion = 0.5,
                           .damping = damping,
                           .centre = {0.1, -0.05}};
    return dal_section_of(&p);
}

/* An arc clamped to the ground, a twisted beam from its end on, turned against it and off its axis, whose end is fixed to a
 * cardan body. */
static dal_model *new_model(dal_ctx *ctx, check_rng *rng, int order, int fourth, double damping, int consistent)
{
    dal_model *m;
    int rigid;
    const dal_section s[2] = {section(damping), section(1.5 * damping)};
    const double gravity[3] = {1.0, -2.0, -9.81}, c[4] = {0.1, 0.2, 1.5, 0.3}, w[6] = {1.0, 2.0, 0.5, -1.0, 0.3, 0.2},
                 places[1] = {0.3};
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_set_gravity(m, gravity));
    check_ok(ctx, dal_model_add_function(m, NULL, &(dal_function){.name = "f", .type = "harmonic", .c = c, .n = 4}));
    dal_body body = random_body(rng, "rigid", "cardan");
    check_ok(ctx, dal_model_add_body(m, &rigid, &body));
    const dal_curve arc = {.length = 1.5, .curvature = {0.2, 0.0, 0.8}};
    const dal_curve line = {.position = {1.2, 0.9, 0.1}, .rotation = {0.6, 0.0, 0.8, 0.0}, .length = 1.0, .twist = 0.7};
    const dal_beam_load load[2] = {{.vector = w, .n = 2, .function = 1}, {.vector = w, .n = 1, .follower = 1}};
    check_ok(ctx, dal_model_add_beam(m, NULL,
                                     &(dal_exact_beam){.name = "arc",
                                                       .curve = &arc,
                                                       .section = s,
                                                       .nsections = 2,
                                                       .elements = 2,
                                                       .order = order,
                                                       .consistent = consistent,
                                                       .fourth_order = fourth,
                                                       .joined = {1, 0},
                                                       .load = load,
                                                       .nloads = 2}));
    check_ok(ctx, dal_model_add_beam(m, NULL,
                                     &(dal_exact_beam){.name = "line",
                                                       .curve = &line,
                                                       .section = s,
                                                       .nsections = 1,
                                                       .elements = 2,
                                                       .order = order,
                                                       .consistent = consistent,
                                                       .places = places,
                                                       .nplaces = 1,
                                                       .joined = {1, 1},
                                                       .body = {dal_model_find_body(m, "arc@1"), rigid},
                                                       .load = load,
                                                       .nloads = 2}));
    return m;
}

static void beams_have_the_right_tangents(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < 11; ++k) {
        static const int orders[11] = {1, 1, 1, 1, 2, 2, 4, 4, 1, 2, 4};
        const int order = orders[k], fourth = k / 2 == 1, consistent = k >= 8;
        check_rng rng = check_rng_seed(71);
        dal_model *m = new_model(ctx, &rng, order, fourth, k % 2 ? 0.02 : 0.0, consistent);
        print_message("order %d%s, damping %d, %s mass: %.1e\n", order, fourth ? " (four)" : "", k % 2,
                      consistent ? "consistent" : "lumped", check_model(ctx, m, &rng, 1, 0.15, 1e-6));
    }
    check_ctx_free(ctx);
}

/* A guide in the second of three elements, held by a body that moves; or at a node, on either side of which its element is taken apart. */
static void guides_have_the_right_tangents(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < 4; ++k) {
        static const double inside[2] = {0.7, 0.2}, passing[2] = {0.5 + 2e-5, 0.0};
        const double *c = k < 2 ? inside : passing;
        const int damped = k % 2;
        const dal_curve line = {.length = 1.5, .curvature = {0.2, 0.0, 0.3}};
        const dal_section s = section(damped ? 0.02 : 0.0);
        check_rng rng = check_rng_seed(73);
        dal_model *m;
        int mouth;
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx,
                 dal_model_add_function(m, NULL, &(dal_function){.name = "f", .type = "polynomial", .c = c, .n = 2}));
        dal_body body = {.name = "mouth", .type = "cardan", .mass = 1.0, .inertia = {1.0, 2.0, 3.0}, .position = {0.6}};
        check_ok(ctx, dal_model_add_body(m, &mouth, &body));
        const dal_beam_slide slide = {.body = mouth, .point = {0.1, 0.2, -0.1}, .guide = 1, .function = 1};
        check_ok(ctx, dal_model_add_beam(m, NULL,
                                         &(dal_exact_beam){.name = "b",
                                                           .curve = &line,
                                                           .section = &s,
                                                           .nsections = 1,
                                                           .elements = 3,
                                                           .order = 1,
                                                           .slide = &slide,
                                                           .nslides = 1}));
        print_message("guide%s, damping %d: %.1e\n", k < 2 ? "" : " at a node", damped,
                      check_model(ctx, m, &rng, 1, 0.1, 1e-6));
    }
    check_ctx_free(ctx);
}

/* The nodes have the mass of the beam, its centre and, of a straight one, its moment of inertia. */
static void nodes_have_the_mass_of_the_beam(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    for (int order = 1; order <= 4; ++order) {
        dal_model *m;
        const dal_section s = section(0.0);
        const dal_curve line = {.length = 2.0};
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx,
                 dal_model_add_beam(
                     m, NULL,
                     &(dal_exact_beam){.name = "b", .curve = &line, .section = &s, .nsections = 1, .order = order}));
        double mass = 0.0, first[3] = {0.0};
        for (int i = 1; dal_model_body_name(m, i); ++i) {
            dal_body b;
            check_ok(ctx, dal_model_body_info(m, &b, i));
            mass += b.mass;
            for (int k = 0; k < 3; ++k) {
                first[k] += b.mass * (b.position[k] + b.com[k]);
            }
            assert_near_rel(b.inertia[0] / b.mass, 0.7, 1e-12);
        }
        assert_near_rel(mass, 3.0, 1e-14);
        assert_all_near(first, ((double[]){3.0, 0.3, -0.15}), 3, 1e-13);
        dal_model_destroy(m);
    }
    check_ctx_free(ctx);
}

/* Nodes are called by their place, and a place that is asked for is one. */
static void places_are_nodes(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    dal_model *m = new_model(ctx, &rng, 1, 0, 0.0, 0);
    double s = 0.0;
    const int arc = dal_model_find_beam(m, "arc"), line = dal_model_find_beam(m, "line");
    assert_int_equal(dal_model_beam_count(m), 2);
    assert_int_equal(dal_model_beam_node(m, &s, arc, 0), 0); // the ground
    assert_true(dal_model_find_body(m, "line@0.3") > 0);
    assert_int_equal(dal_model_find_body(m, "line@0.30000"), dal_model_find_body(m, "line@0.3"));
    assert_int_equal(dal_model_find_body(m, "line@0.31"), -1);
    assert_int_equal(dal_model_find_body(m, "line@0"), dal_model_find_body(m, "arc@1")); // shared
    assert_int_equal(dal_model_beam_info(m, line).elements, 2);
    assert_near(dal_model_beam_info(m, arc).length, 1.5, 1e-15);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* All nodes at once, as one by one; the frame of an end; outlines between two sections. */
static void nodes_tell_their_states(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(5);
    dal_model *m = new_model(ctx, &rng, 3, 0, 0.0, 0);
    const double outline[12] = {0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 5.0};
    const dal_section s[2] = {section(0.0), section(0.0)};
    int number;
    check_ok(ctx, dal_model_add_beam(m, &number,
                                     &(dal_exact_beam){.name = "drawn",
                                                       .curve = &(dal_curve){.length = 1.0},
                                                       .section = s,
                                                       .nsections = 2,
                                                       .outline = outline,
                                                       .noutline = 3}));
    const dal_system *sys;
    check_ok(ctx, dal_model_compile(m, &sys));
    const double la[200] = {0.0};
    assert_true(dal_system_rows(sys) <= 200);
    const dal_point at = {.q = dal_model_q0(m), .v = dal_model_v0(m), .vd = dal_model_v0(m), .la = la};
    dal_beam_state all[40], one;
    const int arc = dal_model_find_beam(m, "arc"), nodes = dal_model_beam_info(m, arc).nodes;
    check_ok(ctx, dal_model_beam_states(m, NULL, all, &at, arc));
    for (int i = 0; i < nodes; ++i) {
        double place, frame[7];
        (void)dal_model_beam_node(m, &place, arc, i);
        check_ok(ctx, dal_model_beam_at(m, NULL, &one, &at, arc, place));
        assert_all_near(all[i].position, one.position, 3, 1e-14);
        assert_all_near(all[i].force, one.force, 6, 1e-12);
        assert_all_near(all[i].strain, one.strain, 6, 1e-12);
        check_ok(ctx, dal_model_beam_frame(m, frame, arc, i));
        assert_near(frame[3], 1.0, i > 0 ? 0.0 : 1e-14); // the start is one of the ground, whose origin it is at
    }
    double yz[7];
    assert_int_equal(dal_model_beam_outline(m, NULL, arc, 0.0), 0);
    assert_int_equal(dal_model_beam_outline(m, yz, number, 0.25), 3);
    assert_all_near(yz, ((double[]){0.0, 0.0, 1.5, 0.0, 0.0, 2.0}), 6, 1e-15);
    check_fails(ctx, dal_model_beam_states(m, NULL, all, &at, 9), DAL_EINVAL, "no beam");
    check_fails(ctx, dal_model_beam_frame(m, yz, 0, 99), DAL_EINVAL, "no node 99");
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void what_cannot_be_a_beam_is_refused(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_model *m;
    dal_section bad = section(0.0), s = bad, soft = bad;
    bad.stiffness[6] = 5.0;
    memset(soft.stiffness, 0, sizeof soft.stiffness);
    s.mass[1] = 0.5;
    const dal_section good = section(0.0);
    const double out = 1.5;
    const dal_curve line = {.length = 1.0}, none = {.length = 0.0},
                    turns = {.length = 1.0, .curvature = {0.0, 0.0, 7.0}};
    const struct {
        dal_exact_beam b;
        const char *says;
    } cases[] = {
        {{.curve = &line, .section = &bad, .nsections = 1}, "symmetric"},
        {{.curve = &line, .section = &soft, .nsections = 1}, "positive definite"},
        {{.curve = &line, .section = &s, .nsections = 1}, "section mass"},
        {{.curve = &none, .section = &good, .nsections = 1}, "positive"},
        {{.curve = &turns, .section = &good, .nsections = 1, .order = 1, .elements = 1}, "more elements"},
        {{.curve = &line, .section = &good, .nsections = 1, .order = 9}, "order"},
        {{.curve = &line, .section = &good, .nsections = 1, .order = 2, .fourth_order = 1}, "two nodes"},
        {{.curve = &line, .section = &good, .nsections = 1, .places = &out, .nplaces = 1}, "place"},
        {{.curve = &line, .section = &good, .nsections = 1, .joined = {1}, .body = {7}}, "no body"},
        {{.section = &good, .nsections = 1}, "curve"},
        {{.curve = &line, .section = &good, .nsections = 1, .outline = &out, .noutline = 1}, "outline"},
        {{.curve = &line, .section = &good, .nsections = 1, .joined = {DAL_BEAM_HINGED}}, "about an axis"},
    };
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_exact_beam b = cases[k].b;
        b.name = "b";
        check_ok(ctx, dal_model_create(&m, ctx));
        check_fails(ctx, dal_model_add_beam(m, NULL, &b), DAL_EINVAL, cases[k].says);
        dal_model_destroy(m);
    }
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_have_the_right_tangents),   cmocka_unit_test(guides_have_the_right_tangents),
        cmocka_unit_test(nodes_have_the_mass_of_the_beam), cmocka_unit_test(places_are_nodes),
        cmocka_unit_test(nodes_tell_their_states),         cmocka_unit_test(what_cannot_be_a_beam_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
