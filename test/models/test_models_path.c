/* Equilibria over a parameter: a truss in closed form, Lee's frame through its limits, a frame that buckles sideways. */
#include <math.h>
#include <string.h>

#include "beam_cases.h"
#include "dalembert/static.h"

enum { MOST = 8 };

/* A path and what was found on it. */
typedef struct route {
    check_model m;
    dal_binding *binding;
    dal_data *data;
    dal_path_spec spec;
    dal_path_info info;
    int n, points, unstable;
    dal_path_kind kind[MOST];
    double parameter[MOST], y[MOST][CHECK_OUTPUTS], last[CHECK_OUTPUTS], largest, smallest;
} route;

static dal_status set(double p, void *user)
{
    const route *r = user;
    return dal_binding_set(r->binding, r->data, &p);
}

static dal_status visit(const dal_path_point *p, void *user)
{
    route *r = user;
    double zero[2000] = {0.0};
    assert_true(r->m.sys->group->nv < 2000);
    const dal_point at = {0.0, p->q, p->v, zero, p->la};
    check_ok(r->m.ctx, dal_model_outputs(r->m.model, r->data, r->last, &at));
    r->largest = fmax(r->largest, p->parameter);
    r->smallest = fmin(r->smallest, p->parameter);
    assert_true(p->report->relative < 1e-9);
    if (p->kind == DAL_PATH_POINT) {
        r->points++;
        r->unstable += !p->report->stable;
        return DAL_OK;
    }
    assert_true(r->n < MOST);
    r->kind[r->n] = p->kind;
    r->parameter[r->n] = p->parameter;
    memcpy(r->y[r->n++], r->last, sizeof r->last);
    return DAL_OK;
}

static route follow(const char *source, const char *const *assign, int nset, const char *name,
                    const dal_path_spec *spec)
{
    route r = {.m = check_model_start(source, assign, nset), .spec = *spec};
    double q[2000];
    r.spec.set = set;
    r.spec.visit = visit;
    r.spec.user = &r;
    memcpy(q, dal_model_q0(r.m.model), (size_t)r.m.sys->group->nq * sizeof *q);
    check_ok(r.m.ctx, dal_binding_create(&r.binding, r.m.ctx, r.m.doc, &name, 1));
    check_ok(r.m.ctx, dal_data_create(&r.data, r.m.ctx, r.m.sys));
    check_ok(r.m.ctx, dal_static_path(r.m.ctx, r.m.sys, r.data, q, NULL, &r.info, &r.spec));
    dal_data_destroy(r.data);
    dal_binding_destroy(r.binding);
    check_model_free(&r.m);
    return r;
}

/* Two bars of stiffness k and length sqrt(1 + a^2) whose apex is at height a: P = 2 k y (l0/l - 1), with limits where dP/dy = 0. */
static const char truss[] =
    "{'dalembert': 1, 'variables': {'P': 0, 'a': 0.5, 'k': 100}, 'bodies': [{'name': 'm', 'type': 'point', 'mass': 1, "
    "'position': [0, 'a', 0]}], 'joints': [{'name': 'r', 'type': 'generic', 'body_b': 'm', 'locked': ['x', 'z']}], "
    "'forces': [{'name': 'l', 'type': 'spring', 'body_b': 'm', 'point_a': [-1, 0, 0], 'stiffness': 'k', 'reference': "
    "'sqrt(1 + a^2)'}, {'name': 'r', 'type': 'spring', 'body_b': 'm', 'point_a': [1, 0, 0], 'stiffness': 'k', "
    "'reference': 'sqrt(1 + a^2)'}, {'name': 'load', 'type': 'force', 'body': 'm', 'vector': [0, '-P', 0]}], "
    "'outputs': ['m.position']}";

static void a_flat_truss_snaps_through_at_its_limit(void **state)
{
    (void)state;
    const double l0 = sqrt(1.25), l = cbrt(l0), y = sqrt(l * l - 1.0), P = 2.0 * 100.0 * y * (l0 / l - 1.0);
    const route r = follow(truss, NULL, 0, "P", &(dal_path_spec){.to = 10.0});
    assert_int_equal(r.n, 2);
    assert_int_equal(r.kind[0], DAL_PATH_LIMIT);
    assert_near_rel(r.parameter[0], P, 1e-10);
    assert_near(r.y[0][1], y, 1e-6);
    assert_int_equal(r.kind[1], DAL_PATH_LIMIT);
    assert_near_rel(r.parameter[1], -P, 1e-10);
    assert_near(r.y[1][1], -y, 1e-6);
    assert_true(r.info.reached && r.info.parameter == 10.0 && r.unstable > 0 && r.unstable < r.points);
    assert_near_rel(2.0 * 100.0 * r.last[1] * (l0 / hypot(1.0, r.last[1]) - 1.0), 10.0, 1e-9);
    // the same by the displacement, and only to the limit
    const route d =
        follow(truss, NULL, 0, "P", &(dal_path_spec){.to = 10.0, .control = 2, .until = 1U << DAL_PATH_LIMIT});
    assert_int_equal(d.n, 1);
    assert_near_rel(d.parameter[0], P, 1e-10);
    assert_true(!d.info.reached && d.largest < 1.001 * P && d.unstable == 0);
}

/* A rod on a hinge with a spring c, pressed along: P = c/L, where a path with a bent rod crosses. */
static void a_rod_on_a_spring_buckles(void **state)
{
    (void)state;
    const route r = follow(
        "{'dalembert': 1, 'variables': {'P': 0}, 'bodies': [{'name': 'rod', 'mass': 1, 'inertia': [1, 1, 1]}], "
        "'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod', 'axis': [0, 0, 1]}], 'forces': [{'name': "
        "'c', 'type': 'pd', 'joint': 'A', 'stiffness': 30, 'function': 0}, {'name': 'load', 'type': 'force', 'body': "
        "'rod', 'point': [2, 0, 0], 'vector': ['-P', 0, 0]}], 'outputs': ['rod.position']}",
        NULL, 0, "P", &(dal_path_spec){.to = 40.0});
    assert_int_equal(r.n, 1);
    assert_int_equal(r.kind[0], DAL_PATH_BIFURCATION);
    assert_near_rel(r.parameter[0], 15.0, 1e-9);
    assert_true(r.info.reached && r.unstable > 0);
}

/* Five elements of order 6 a leg; in space it gives way sideways before. */
static void the_frame_of_lee_has_its_limits(void **state)
{
    (void)state;
    const route r = follow("lee_frame", (const char *[]){"degree=6"}, 1, "P",
                           &(dal_path_spec){.to = 3.0, .steps = 4, .until = 1U << DAL_PATH_LIMIT});
    assert_int_equal(r.n, 2);
    assert_int_equal(r.kind[0], DAL_PATH_BIFURCATION);
    assert_int_equal(r.kind[1], DAL_PATH_LIMIT);
    assert_near_rel(r.parameter[1], 1.85465587, 1e-8);
    assert_near(r.y[1][0], 24.0 + 26.878701, 2e-5);
    assert_near(r.y[1][1], 120.0 - 48.751059, 2e-5);
}

/* Predictions stretch the slender legs: wherever the steps fall, the path goes on through both limits, and finds the same. */
static void the_whole_way_does_not_depend_on_its_steps(void **state)
{
    (void)state;
    static const double ends[] = {2.0, 2.5, 4.0};
    double first[3] = {0.0};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
        const route r = follow("lee_frame", (const char *[]){"degree=2"}, 1, "P", &(dal_path_spec){.to = ends[k]});
        assert_true(r.info.reached);
        assert_int_equal(r.n, 3);
        for (int i = 0; i < 3; ++i) {
            assert_int_equal(r.kind[i], i == 0 ? DAL_PATH_BIFURCATION : DAL_PATH_LIMIT);
            first[i] = k == 0 ? r.parameter[i] : first[i];
            assert_near_rel(r.parameter[i], first[i], 1e-8);
        }
    }
}

/* Argyris' frame of a thin strip, bent in its plane, gives way across it: three elements of order 4 a leg. */
static void a_frame_of_a_strip_buckles_sideways(void **state)
{
    (void)state;
#define STRIP                                                                                            \
    "'elements': 3, 'order': 4, 'section': {'EA': 'E*w*d', 'GA': '5/6*G*w*d', 'GJ': 'G*d*w^3/3', 'EI': " \
    "['E*d*w^3/12', 'E*w*d^3/12'], 'rhoA': 0.05, 'rhoI': 1e-6}}"
    const route r = follow(
        "{'dalembert': 1, 'variables': {'L': 0.24, 'w': 0.0006, 'd': 0.03, 'E': 7.124e10, 'G': 'E/2.62', 'P': 0}, "
        "'beams': [{'name': 'a', 'to': ['L', 0, 0], 'start': 'ground', " STRIP ", {'name': 'b', 'from': ['L', 0, 0], "
        "'to': ['L', '-L', 0], 'start': 'a@1', " STRIP "], 'forces': [{'name': 'f', 'type': 'force', 'body': 'b@1', "
        "'vector': ['P', 0, 0]}], 'outputs': ['b@1.position']}",
        NULL, 0, "P", &(dal_path_spec){.to = 2.0});
    assert_int_equal(r.n, 1);
    assert_int_equal(r.kind[0], DAL_PATH_BIFURCATION);
    assert_near_rel(r.parameter[0], 1.08751784, 5e-8); // rounding: its softest direction is 1e-8 of the stiffest
    assert_true(r.info.reached);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_truss_snaps_through_at_its_limit),
        cmocka_unit_test(a_rod_on_a_spring_buckles),
        cmocka_unit_test(the_frame_of_lee_has_its_limits),
        cmocka_unit_test(the_whole_way_does_not_depend_on_its_steps),
        cmocka_unit_test(a_frame_of_a_strip_buckles_sideways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
