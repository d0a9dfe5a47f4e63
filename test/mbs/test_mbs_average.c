/* Interfaces of flexible bodies that are means of nodes: rigid motions are reproduced, and the motion is that of a node with the
 * averaged shape. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "support/check.h"

typedef struct plate {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_data *data;
} plate;

static plate open_text(const char *text)
{
    plate p = {.ctx = check_ctx()};
    check_ok(p.ctx, dal_document_parse(&p.doc, p.ctx, text, strlen(text), "plate", NULL, 0));
    p.model = dal_document_model(p.doc);
    check_ok(p.ctx, dal_model_compile(p.model, &p.sys));
    check_ok(p.ctx, dal_data_create(&p.data, p.ctx, p.sys));
    return p;
}

static void close_plate(plate *p)
{
    dal_data_destroy(p->data);
    dal_document_destroy(p->doc);
    check_ctx_free(p->ctx);
}

/* Nodes in general position, or on a line, that a single mode moves like a rigid body: u = t + w x a. */
static void rigid_shape(char *text, size_t size, const double (*node)[3], int n, const double t[3], const double w[3],
                        const char *interface)
{
    char nodes[600] = "", masses[100] = "", shapes[900] = "", rotations[900] = "";
    for (int i = 0; i < n; ++i) {
        const double *a = node[i];
        const double u[3] = {t[0] + w[1] * a[2] - w[2] * a[1], t[1] + w[2] * a[0] - w[0] * a[2],
                             t[2] + w[0] * a[1] - w[1] * a[0]};
        const char *comma = i > 0 ? ", " : "";
        snprintf(nodes + strlen(nodes), sizeof nodes - strlen(nodes), "%s[%g, %g, %g]", comma, a[0], a[1], a[2]);
        snprintf(masses + strlen(masses), sizeof masses - strlen(masses), "%s1", comma);
        snprintf(shapes + strlen(shapes), sizeof shapes - strlen(shapes), "%s[[%.17g, %.17g, %.17g]]", comma, u[0],
                 u[1], u[2]);
        snprintf(rotations + strlen(rotations), sizeof rotations - strlen(rotations), "%s[[%.17g, %.17g, %.17g]]",
                 comma, w[0], w[1], w[2]);
    }
    snprintf(text, size,
             "{\"dalembert\": 1, \"name\": \"plate\", \"bodies\": [{\"name\": \"p\", \"type\": \"flexible\", "
             "\"modal\": [1e-3], \"modes\": {\"nodes\": [%s], \"masses\": [%s], \"inertias\": [%s], \"shapes\": [%s], "
             "\"rotations\": [%s], \"stiffness\": [1], \"interfaces\": {\"hub\": %s}}}], "
             "\"outputs\": [\"p/hub.position\", \"p/hub.rotation_vector\"]}",
             nodes, masses,
             n == 2   ? "[1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0]"
             : n == 3 ? "[1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0]"
                      : "[1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0]",
             shapes, rotations, interface);
}

static void rigid_motions_are_reproduced(void **state)
{
    static const double node[4][3] = {{1, 0, 0}, {0, 2, 0.5}, {-1, 0, 0.3}, {0, -1, 1}};
    static const double line[4][3] = {{1, 2, 3}, {2, 4, 6}, {0, 0, 0}, {0, 0, 0}};
    static const double t[3] = {0.3, -0.2, 0.5}, w[3] = {0.7, 0.4, -0.9};
    static const struct {
        const double (*node)[3];
        int n;
        const char *interface;
        double mean[3];
    } list[] = {{node, 4, "{\"nodes\": [0, 1, 2, 3]}", {0.0, 0.25, 0.45}},
                {node, 4, "{\"nodes\": [0, 1, 3], \"weights\": [1, 2, 1]}", {0.25, 0.75, 0.5}},
                {line, 2, "{\"nodes\": [0, 1], \"weights\": [3, 1]}", {1.25, 2.5, 3.75}},
                {line, 2, "{\"nodes\": [1]}", {2.0, 4.0, 6.0}}};
    for (size_t k = 0; k < LEN(list); ++k) {
        char text[4000];
        double y[6];
        const double *a = list[k].mean, z = 1e-3;
        rigid_shape(text, sizeof text, list[k].node, list[k].n, t, w, list[k].interface);
        plate p = open_text(text);
        const dal_point at = {0.0, dal_model_q0(p.model), dal_model_v0(p.model), dal_model_v0(p.model), NULL};
        check_ok(p.ctx, dal_model_outputs(p.model, p.data, y, &at));
        const double u[3] = {t[0] + w[1] * a[2] - w[2] * a[1], t[1] + w[2] * a[0] - w[0] * a[2],
                             t[2] + w[0] * a[1] - w[1] * a[0]};
        for (int i = 0; i < 3; ++i) {
            assert_near(y[i], a[i] + z * u[i], 1e-14);
            assert_near(y[3 + i], z * w[i], 1e-9); // Cayley: third order
        }
        close_plate(&p);
    }
}

/* A plate of five nodes, two modes; a pendulum hangs from the mean of four of them. `hub` is that mean, or a node without mass that
 * has the averaged shapes. */
#define PLATE(nodes, masses, shapes, rotations, hub)                                                                   \
    "{\"dalembert\": 1, \"name\": \"plate\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"p\", \"type\": "    \
    "\"flexible\", \"modes\": {\"nodes\": [[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0], [0, 0, 0]" nodes            \
    "], \"masses\": [1, 1, 1, 1, 2" masses "], \"shapes\": [[[0, 0, 1], [0, 0, 1]], [[0, 0, 1], [0, 0, -1]], "         \
    "[[0, 0, 1], [0, 0, 0]], [[0, 0, 1], [0, 0, 2]], [[0, 0, -0.5], [0, 0, 0]]" shapes "], "                           \
    "\"rotations\": [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]], " \
    "[[0, 0, 0], [0, 0, 0]]" rotations "], \"stiffness\": [900, 2000], \"damping\": [0.01, 0.01], \"interfaces\": "    \
    "{\"foot\": 4, \"hub\": " hub "}}}, {\"name\": \"bob\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": " \
    "[0.5, 0, -1]}], \"joints\": [{\"name\": \"wall\", \"type\": \"fixed\", \"body_b\": \"p/foot\"}, {\"name\": "      \
    "\"pin\", \"type\": \"spherical\", \"body_a\": \"p/hub\", \"body_b\": \"bob\", \"point\": [0, 0, 0]}], "           \
    "\"forces\": [{\"name\": \"twist\", \"type\": \"torque\", \"body\": \"p/hub\", \"vector\": [3, 2, 0]}], "          \
    "\"outputs\": [\"bob.position\", \"p/hub.position\", \"pin.force\", \"p.modal_coordinates\"], "                    \
    "\"simulation\": {\"t_end\": 0.5, \"h\": 0.002}}"

static void run(double y[11], const char *text)
{
    plate p = open_text(text);
    dal_sim *sim;
    check_ok(p.ctx, dal_sim_create(&sim, p.ctx, p.sys, dal_document_options(p.doc)));
    check_ok(p.ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(p.model), dal_model_v0(p.model)));
    check_ok(p.ctx, dal_sim_run(sim, NULL, 0.5));
    const dal_point at = dal_sim_point(sim);
    check_ok(p.ctx, dal_model_outputs(p.model, dal_sim_data(sim), y, &at));
    dal_sim_destroy(sim);
    close_plate(&p);
}

/* Of the second mode: mean (1 - 1 + 0 + 2)/4 = 0.5; sum r x u = (y u, -x u): (1 - 1 + 0 - 2, -(1 + 1 + 0 + 2)) = (-2, -4),
 * J = diag(4, 4, 8): theta = (-0.5, -1). */
static void the_motion_is_that_of_a_node_with_the_averaged_shape(void **state)
{
    double mean[11], node[11];
    run(mean, PLATE("", "", "", "", "{\"nodes\": [0, 1, 2, 3]}"));
    run(node, PLATE(", [0, 0, 0]", ", 0", ", [[0, 0, 1], [0, 0, 0.5]]", ", [[0, 0, 0], [-0.5, -1, 0]]", "5"));
    assert_true(fabs(mean[10]) > 1e-4); // the second mode takes part
    assert_near(check_max_abs_diff(mean, node, 11), 0.0, 1e-10);
}

static void mistakes_are_named(void **state)
{
    static const struct {
        const char *hub, *says;
    } list[] = {{"{\"nodes\": []}", "nodes"},
                {"{\"nodes\": [0, 9]}", "node 9 is not one of 0 .. 4"},
                {"{\"nodes\": [0, 1], \"weights\": [1]}", "weights"},
                {"{\"nodes\": [0, 1], \"weights\": [1, 0]}", "weights must be positive, not 0"},
                {"{\"nodes\": [1, 3], \"weights\": [1e-320, 1e-320]}", "weights lie between 1e-30 and 1e30"},
                {"{\"nodes\": [1, 3], \"weights\": [1e40, 1e40]}", "weights lie between 1e-30 and 1e30"},
                {"{\"nodes\": [1, 3, 1]}", "node 1 is listed twice"},
                {"{\"node\": [0, 1]}", "did you mean 'nodes'"}};
    for (size_t k = 0; k < LEN(list); ++k) {
        dal_ctx *ctx = check_ctx();
        dal_document *doc;
        char text[3000];
        static const char *const plain = PLATE("", "", "", "", "@");
        const char *mark = strchr(plain, '@');
        snprintf(text, sizeof text, "%.*s%s%s", (int)(mark - plain), plain, list[k].hub, mark + 1);
        check_fails(ctx, dal_document_parse(&doc, ctx, text, strlen(text), "plate", NULL, 0), DAL_EINVAL, list[k].says);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motions_are_reproduced),
        cmocka_unit_test(the_motion_is_that_of_a_node_with_the_averaged_shape),
        cmocka_unit_test(mistakes_are_named),
    };
    return cmocka_run_group_tests_name("mbs_average", tests, NULL, NULL);
}
