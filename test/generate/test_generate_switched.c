/* Programs with joints that are released, opened and closed, with impulses, stops and ropes: through everything that is switched beside the library, and
 * motions with closed forms. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

/* A chain of two links, of which the last one comes off at 0.4 s and the first one at 0.7 s. */
static const char chain[] =
    "{\"dalembert\": 1, \"name\": \"chain\", \"gravity\": [0, 3, -9.81], \"variables\": {\"m\": 2},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [0.02, 0.03, 0.04], \"position\": [0.5, 0, 0]},"
    "{\"name\": \"b\", \"mass\": \"m\", \"inertia\": [0.05, 0.01, 0.02], \"position\": [1.5, 0, 0]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"spherical\", \"body_b\": \"a\", \"point\": [0, 0, 0], \"release\": "
    "0.7},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [1, 0, 0], \"axis\": "
    "[0, 1, 0.2], "
    "\"release\": 0.4}],"
    "\"outputs\": [\"A.force\", \"B.force\", \"B.residual\", \"energy\"],"
    "\"simulation\": {\"h\": 2e-3, \"atol\": 1e-14, \"rtol\": 1e-13}}";

/* A link with friction in its bearing is let go where it passes its lowest place; a hook catches it at its present pose, and lets it go again; a kick
 * every now and then. What holds it breaks where the load is large. */
static const char hook[] =
    "{\"dalembert\": 1, \"name\": \"hook\", \"gravity\": [0, 0, -9.81], \"inputs\": {\"push\": 0.5},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [0.02, 0.09, 0.09], \"position\": [0.5, 0, 0]},"
    "{\"name\": \"cart\", \"mass\": 3, \"inertia\": 1, \"position\": [2, 0, 0], \"velocity\": [-0.4, 0, 0]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"a\", \"point\": [0, 0, 0], \"axis\": [0, 1, "
    "0]},"
    "{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"H\", \"type\": \"fixed\", \"body_a\": \"cart\", \"body_b\": \"a\", \"frame_a\": [0.1, 0, 0], "
    "\"frame_b\": [0.2, 0, 0], \"release\": 0},"
    "{\"name\": \"T\", \"type\": \"distance\", \"body_a\": \"cart\", \"body_b\": \"a\", \"release\": 0}],"
    "\"forces\": [{\"name\": \"kick\", \"type\": \"force\", \"body\": \"a\", \"vector\": [0.3, 0.1, \"push\"], "
    "\"point\": [0.1, 0, 0], \"active\": false},"
    "{\"name\": \"d\", \"type\": \"law\", \"joint\": \"rail\", \"value\": \"0.5 - push\"}],"
    "\"events\": [{\"name\": \"low\", \"when\": \"a.velocity.x < -2.4\", \"off\": \"A\", \"once\": true},"
    "{\"name\": \"hit\", \"when\": \"t > 0.33\", \"impulse\": \"kick\", \"set\": {\"push\": 0.7}},"
    "{\"name\": \"catch\", \"when\": \"t > 0.61\", \"grab\": \"H\", \"impulse\": \"kick\"},"
    "{\"name\": \"fuse\", \"when\": \"H.force.x*H.force.x > 600\", \"off\": \"H\"},"
    "{\"name\": \"again\", \"when\": \"t > 0.9\", \"off\": \"H\"},"
    "{\"name\": \"more\", \"every\": 0.17, \"impulse\": \"kick\"},"
    "{\"name\": \"last\", \"when\": \"t > 1.1\", \"grab\": \"H\"}],"
    "\"outputs\": [\"H.force\", \"H.torque\", \"A.force\", \"energy\", \"d.work\", \"H.work\"],"
    "\"simulation\": {\"h\": 2e-3, \"atol\": 1e-14, \"rtol\": 1e-13}}";

/* A weight on a vertical rail falls from 5 m on a stop (g = 10): on it at 1 s with 10 m/s, arcs of 1 s, 0.5 s, 0.25 s, ..., at rest from 3 s on. */
static const char weight[] =
    "{\"dalembert\": 1, \"name\": \"weight\", \"gravity\": [0, 0, -10], \"variables\": {\"e\": 0.5},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": 1, \"position\": [0, 0, 5]}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"a\", \"point\": [0, 0, 0], \"axis\": [0, "
    "0, 1]},"
    "{\"name\": \"stop\", \"type\": \"limit\", \"joint\": \"rail\", "
    "\"limits\": [-5, 1e10], \"restitution\": \"e\"}],"
    "\"outputs\": [\"a.position.z\", \"a.velocity.z\", \"stop.gap\", \"stop.p_n\", \"stop.case\", "
    "\"stop.impulse\"],"
    "\"simulation\": {\"h\": 0.01, \"atol\": 1e-14, \"rtol\": 1e-13}}";

/* A pendulum between two stops, on which a second one hangs whose joint has a stop, too; a weight on a rope that is slack at first, tied to the
 * second one. A drive turns a wheel several times, against a stop after two turns and a half. */
static const char stops[] =
    "{\"dalembert\": 1, \"name\": \"stops\", \"gravity\": [0, 0, -9.81], \"variables\": {\"e\": 0.6},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [0.02, 0.09, 0.09], \"position\": [0.5, 0, 0]},"
    "{\"name\": \"b\", \"mass\": 0.5, \"inertia\": [0.01, 0.04, 0.04], \"position\": [1.4, 0, 0]},"
    "{\"name\": \"c\", \"type\": \"point\", \"mass\": 0.3, \"position\": [1.9, 0.1, -0.1], \"velocity\": [0, 0.5, "
    "0]},"
    "{\"name\": \"w\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0, 3, 0]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"a\", \"point\": [0, 0, 0], \"axis\": [0, 1, "
    "0]},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [1, 0, 0], \"axis\": "
    "[0, 1, 0]},"
    "{\"name\": \"W\", \"type\": \"revolute\", \"body_b\": \"w\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"stop A\", \"type\": \"limit\", \"joint\": \"A\", \"limits\": [-1, 2.1], \"restitution\": \"e\"},"
    "{\"name\": \"stop B\", \"type\": \"limit\", \"joint\": \"B\", \"limits\": [-0.4, 0.7], \"restitution\": 0.3},"
    "{\"name\": \"stop W\", \"type\": \"limit\", \"joint\": \"W\", \"limits\": [-20, 15.7], \"restitution\": 0.4},"
    "{\"name\": \"rope\", \"type\": \"rope\", \"body_a\": \"b\", \"body_b\": \"c\", \"frame_a\": [0.4, 0, 0], "
    "\"length\": 0.6, \"restitution\": 0.2}],"
    "\"forces\": [{\"name\": \"drive\", \"type\": \"law\", \"joint\": \"W\", \"value\": \"2*(1 - 0.3*t)\"}],"
    "\"outputs\": [\"A.coordinate\", \"B.coordinate\", \"W.coordinate\", \"c.position\", \"stop A.gap\", \"stop "
    "B.gap\", \"stop W.gap\", \"rope.gap\", \"stop A.case\", \"rope.case\", \"stop A.impulse\", \"stop B.impulse\", "
    "\"rope.impulse\", \"stop A.p_n\", \"rope.p_n\", \"stop A.slip\", \"stop B.p_t\", \"rope.slip_path\", "
    "\"stop A.stick_time\", \"drive.work\", \"drive_work\", \"dissipated_energy\"],"
    "\"simulation\": {\"h\": 2e-3, \"atol\": 1e-14, \"rtol\": 1e-13}}";

/* 2 kg are pushed with 4 N from 0.255 s to 1 s, hit a stop, come back with half their speed, and are braked from there on. */
static const char pushed[] =
    "{\"dalembert\": 1, \"name\": \"pushed\", \"gravity\": [0, 0, 0], \"variables\": {\"e\": 0.5},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 2, \"inertia\": 1}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"a\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"stop\", \"type\": \"limit\", \"joint\": \"rail\", \"limits\": [-9, 1], \"restitution\": \"e\"}],"
    "\"forces\": [{\"name\": \"push\", \"type\": \"law\", \"joint\": \"rail\", \"value\": 4, \"active\": {\"from\": "
    "0.255, "
    "\"to\": 1}},"
    "{\"name\": \"brake\", \"type\": \"law\", \"joint\": \"rail\", \"value\": \"-2*w\", \"inputs\": {\"w\": "
    "\"rail.coordinate_velocity\"}, \"active\": false},"
    "{\"name\": \"rub\", \"type\": \"spring\", \"joint\": \"rail\", \"stiffness\": 0, \"damping\": 1e-3, \"active\": "
    "{\"from\": 2.001}}],"
    "\"events\": [{\"name\": \"back\", \"when\": \"rail.coordinate_velocity < -0.7\", \"on\": \"brake\", \"once\": "
    "true}],"
    "\"outputs\": [\"push.work\", \"brake.work\", \"rub.work\", \"dissipated_energy\", \"a.position.x\"],"
    "\"simulation\": {\"h\": 2e-3, \"atol\": 1e-14, \"rtol\": 1e-13}}";

static const char driver[] =
    "\nstatic gm_state gm_s;\nstatic gm_parameters gm_p;\nint drive(double t, double *x, double *y);\n"
    "int drive(double t, double *x, double *y)\n{\n    int what, status;\n    if (t == 0.0) {\n        "
    "gm_default(&gm_p);\n        status = gm_start(&gm_s, &gm_p);\n        status = status == GM_OK ? "
    "gm_first_events(&gm_s, &gm_p, &what) : status;\n    } else {\n        status = gm_run_through(&gm_s, &gm_p, t, 0, "
    "&what);\n    }\n    x[0] = gm_s.t;\n    memcpy(x + 1, gm_s.q, sizeof gm_s.q);\n    gm_outputs(&gm_s, y);\n    "
    "return status;\n}\n";

typedef int (*drive)(double t, double *x, double *y);

typedef struct pair {
    dal_ctx *ctx;
    char folder[32], model[64];
    void *library;
    drive go;
    dal_document *doc;
    const dal_system *sys;
    dal_binding *binding;
    dal_sim *sim;
} pair;

static void compile(pair *p, const char *text, const char *const *set, int nset, const dal_generate_options *how)
{
    char command[512], path[64], *made, *all;
    p->ctx = check_ctx();
    program_folder(p->folder);
    program_write(p->folder, "model.json", text, strlen(text));
    snprintf(p->model, sizeof p->model, "%s/model.json", p->folder);
    check_ok(p->ctx, dal_generate(&made, p->ctx, p->model, set, nset, how));
    const size_t n = strlen(made);
    all = malloc(n + sizeof driver);
    assert_non_null(all);
    memcpy(all, made, n);
    memcpy(all + n, driver, sizeof driver);
    program_write(p->folder, "gm.c", all, n + sizeof driver - 1);
    free(all);
    dal_generate_free(p->ctx, made);
    snprintf(command, sizeof command,
             DAL_TEST_CC " -std=c17 -O0 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off "
                         "-shared -fPIC -o %s/gm.so %s/gm.c -lm",
             p->folder, p->folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/gm.so", p->folder);
    p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(p->library);
    *(void **)&p->go = dlsym(p->library, "drive");
}

static void open_pair(pair *p, const char *text, const char *const *set, int nset, const dal_generate_options *how)
{
    compile(p, text, set, nset, how);
    check_ok(p->ctx, dal_document_open(&p->doc, p->ctx, p->model, set, nset));
    dal_model *m = dal_document_model(p->doc);
    check_ok(p->ctx, dal_model_compile(m, &p->sys));
    dal_options options = *dal_document_options(p->doc);
    options.newton = DAL_NEWTON_FULL; // as programs do
    check_ok(p->ctx, dal_sim_create(&p->sim, p->ctx, p->sys, &options));
    double values[8];
    check_ok(p->ctx, dal_binding_create(&p->binding, p->ctx, p->doc, how->parameters, how->nparameters));
    dal_binding_values(p->binding, values);
    check_ok(p->ctx, dal_binding_start(p->binding, p->sim, NULL, values));
}

static void close_pair(pair *p)
{
    dal_sim_destroy(p->sim);
    dal_binding_destroy(p->binding);
    dal_document_destroy(p->doc);
    dlclose(p->library);
    program_remove(p->folder);
    check_ctx_free(p->ctx);
}

/* Outputs of the library and of the program, which has all of them. Impulses are not compared after 1.1 s: impacts follow each other within 1e-7 s
 * there, with gaps of some 1e-8 m between them, in which rounding of 1e-12 m shows. */
static void compare_outputs(const pair *p, const double *y)
{
    const dal_model *m = dal_document_model(p->doc);
    const dal_point at = dal_sim_point(p->sim);
    double want[64];
    check_ok(p->ctx, dal_model_outputs(m, dal_sim_data(p->sim), want, &at));
    for (int k = 0; k < dal_model_output_count(m); ++k) {
        const dal_output_info o = dal_model_output_info(m, k);
        const int taken = at.t < 1.1 || !strstr(o.name, "impulse");
        for (int i = o.first; i < o.first + o.n && taken; ++i) {
            if (!(fabs(y[i] - want[i]) <= 1e-8 * (1.0 + fabs(want[i])))) {
                fail_msg("%s at t = %g: %.15g, the library has %.15g", o.name, at.t, y[i], want[i]);
            }
        }
    }
}

/* The largest difference in q, at so many times up to the end. */
static double apart(const char *text, const char *const *set, int nset, const dal_generate_options *how, double t_end,
                    int times)
{
    pair p;
    double x[64], y[64], most = 0.0;
    open_pair(&p, text, set, nset, how);
    assert_int_equal(p.go(0.0, x, y), 0);
    for (int k = 1; k <= times; ++k) {
        const double t = t_end * k / times;
        check_ok(p.ctx, dal_sim_run(p.sim, NULL, t));
        assert_int_equal(p.go(t, x, y), 0);
        const dal_state s = dal_sim_state(p.sim);
        assert_near(x[0], s.t, 1e-12);
        if ((text == stops || text == hook || text == pushed) && nset == 0) {
            compare_outputs(&p, y);
        }
        for (int i = 0; i < p.sys->group->nq; ++i) {
            most = fmax(most, fabs(x[1 + i] - s.q[i]));
        }
    }
    if (text == stops) {
        assert_true(dal_sim_contact_totals(p.sim).impacts > 20);
    }
    close_pair(&p);
    return most;
}

/* Two wagons couple where they are, at different speeds: 1 kg with 2 m/s and 3 kg at rest. A kick of 4 N s; then a joint that should close
 * does not fit. */
static const char wagons[] =
    "{\"dalembert\": 1, \"name\": \"wagons\", \"gravity\": [0, 0, 0], \"inputs\": {\"u\": 0},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1, \"velocity\": [2, 0, 0]},"
    "{\"name\": \"b\", \"mass\": 3, \"inertia\": 1, \"position\": [3, 0, 0], \"velocity\": [0, 0, 0]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"prismatic\", \"body_b\": \"a\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"B\", \"type\": \"prismatic\", \"body_b\": \"b\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"C\", \"type\": \"point_on_plane\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [3, 0, 0], "
    "\"axis\": [1, 0, 0], \"release\": 0}],"
    "\"forces\": [{\"name\": \"kick\", \"type\": \"force\", \"body\": \"b\", \"vector\": [4, 0, 0], \"active\": "
    "false}],"
    "\"events\": [{\"name\": \"meet\", \"when\": \"a.position.x > 2\", \"grab\": \"C\", \"once\": true},"
    "{\"name\": \"hit\", \"when\": \"t > 2\", \"impulse\": \"kick\"},"
    "{\"name\": \"part\", \"when\": \"t > 3\", \"off\": \"C\"},"
    "{\"name\": \"wrong\", \"when\": \"t > 4\", \"on\": \"C\"}],"
    "\"outputs\": [\"a.position.x\", \"b.position.x\", \"a.velocity.x\", \"b.velocity.x\"], \"simulation\": {\"h\": "
    "0.01}}";

static void wagons_couple_as_they_must(void **state)
{
    static const struct {
        double t, a, b, va, vb;
    } there[] = {{0.5, 1.0, 3.0, 2.0, 0.0},
                 {1.5, 2.25, 3.25, 0.5, 0.5},
                 {2.5, 3.25, 4.25, 1.5, 1.5},
                 {3.5, 4.75, 5.75, 1.5, 1.5}};
    static const char *const u[] = {"u"};
    const dal_generate_options how = {.name = "gm", .parameters = u, .nparameters = 1, .any_step = 1, .change = 1};
    double x[64], y[64];
    pair p;
    open_pair(&p, wagons, NULL, 0, &how);
    assert_int_equal(p.go(0.0, x, y), 0);
    for (size_t k = 0; k < sizeof there / sizeof there[0]; ++k) {
        assert_int_equal(p.go(there[k].t, x, y), 0);
        assert_near(y[0], there[k].a, 1e-12);
        assert_near(y[1], there[k].b, 1e-12);
        assert_near(y[2], there[k].va, 1e-12);
        assert_near(y[3], there[k].vb, 1e-12);
    }
    assert_int_not_equal(p.go(5.0, x, y), 0); // the frames are 1 m apart
    assert_near(x[0], 4.0, 1e-9);
    assert_int_not_equal(dal_sim_run(p.sim, NULL, 5.0), DAL_OK);
    close_pair(&p);
}

static void released_joints_are_those_of_the_library(void **state)
{
    static const char *const m[] = {"m"}, *const index2[] = {"formulation=index2"},
                             *const index3[] = {"formulation=index3"};
    const dal_generate_options how = {.name = "gm", .parameters = m, .nparameters = 1, .any_step = 1, .change = 1};
    assert_near(apart(chain, NULL, 0, &how, 1.0, 40), 0.0, 1e-12);
    assert_near(apart(chain, index3, 1, &how, 1.0, 40), 0.0, 1e-12);
    assert_near(apart(chain, index2, 1, &how, 1.0, 40), 0.0, 1e-12);
}

static void joints_that_events_open_and_close_are_those_of_the_library(void **state)
{
    static const char *const push[] = {"push"}, *const index3[] = {"formulation=index3"};
    const dal_generate_options how = {.name = "gm", .parameters = push, .nparameters = 1, .any_step = 1, .change = 1};
    assert_near(apart(hook, NULL, 0, &how, 1.4, 50), 0.0, 1e-11);
    assert_near(apart(hook, index3, 1, &how, 1.4, 50), 0.0, 1e-11);
}

static void a_weight_comes_to_rest_on_its_stop(void **state)
{
    static const struct {
        double t, z, v, impulse;
    } there[] = {{0.5, 3.75, -5.0, 0.0}, {1.5, 1.25, 0.0, 30.0}, {2.2, 0.3, 0.5, 45.0}, {2.25, 0.3125, 0.0, 45.0}};
    static const char *const e[] = {"e"};
    const dal_generate_options how = {.name = "gm", .parameters = e, .nparameters = 1, .any_step = 1, .change = 1};
    double x[64], y[64];
    pair p;
    open_pair(&p, weight, NULL, 0, &how);
    assert_int_equal(p.go(0.0, x, y), 0);
    for (size_t k = 0; k < sizeof there / sizeof there[0]; ++k) {
        assert_int_equal(p.go(there[k].t, x, y), 0);
        assert_near(y[0], there[k].z, 1e-9);
        assert_near(y[1], there[k].v, 1e-8);
        assert_near(y[2], there[k].z, 1e-9); // the gap
        assert_near(y[3], 0.0, 1e-12);       // its force
        assert_near(y[4], 0.0, 0.0);         // it is open
        assert_near(y[5], there[k].impulse, 1e-8);
    }
    assert_int_equal(p.go(4.0, x, y), 0);
    assert_near(y[2], 0.0, 1e-12);
    assert_near(y[3], 20.0, 1e-9); // its weight
    assert_near(y[4], 1.0, 0.0);
    assert_near(y[0], 0.0, 1e-12);
    assert_near(y[1], 0.0, 1e-12);
    close_pair(&p);
    assert_near(apart(weight, NULL, 0, &how, 3.5, 50), 0.0, 1e-10);
}

static void stops_and_ropes_are_those_of_the_library(void **state)
{
    static const char *const e[] = {"e"}, *const index3[] = {"formulation=index3"};
    const dal_generate_options how = {.name = "gm", .parameters = e, .nparameters = 1, .any_step = 1, .change = 1};
    assert_near(apart(stops, NULL, 0, &how, 3.0, 40), 0.0, 1e-10);
    assert_near(apart(stops, index3, 1, &how, 1.4, 40), 0.0,
                1e-10); // then a force vanishes so slowly that rounding decides
}

/* 4 N over (0.745 s)^2 m; the energy 1/2 (2 kg) (1.49/2 m/s)^2 with which it comes back decays with exp(-2 t). */
static void work_is_that_until_something_is_switched(void **state)
{
    static const char *const e[] = {"e"};
    const dal_generate_options how = {.name = "gm", .parameters = e, .nparameters = 1, .any_step = 1, .change = 1};
    const double way = 0.745 * 0.745, hit = 1.0 + (1.0 - way) / 1.49, back = 0.25 * 4.0 * way;
    double x[64], y[64];
    pair p;
    open_pair(&p, pushed, NULL, 0, &how);
    assert_int_equal(p.go(0.0, x, y), 0);
    assert_int_equal(p.go(0.2, x, y), 0);
    assert_near(y[0], 0.0, 1e-15);
    assert_int_equal(p.go(1.1, x, y), 0);
    assert_near(y[0], 4.0 * way, 1e-9);
    assert_near(y[1], 0.0, 1e-15);
    assert_int_equal(p.go(1.9, x, y), 0);
    assert_near(y[0], 4.0 * way, 1e-9);
    assert_near(y[1], -back * (1.0 - exp(-2.0 * (1.9 - hit))), 1e-5);
    close_pair(&p);
    assert_near(apart(pushed, NULL, 0, &how, 2.5, 40), 0.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wagons_couple_as_they_must),
        cmocka_unit_test(released_joints_are_those_of_the_library),
        cmocka_unit_test(joints_that_events_open_and_close_are_those_of_the_library),
        cmocka_unit_test(a_weight_comes_to_rest_on_its_stop),
        cmocka_unit_test(stops_and_ropes_are_those_of_the_library),
        cmocka_unit_test(work_is_that_until_something_is_switched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
