/* Equilibria over a parameter: a truss in closed form, Lee's frame through its limits, a frame that buckles sideways. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beam_cases.h"
#include "dalembert/static.h"

enum { MOST = 8, POINTS = 100 };

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
    double point[POINTS][3]; // of the first ones: parameter, first two outputs
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
        if (r->points < POINTS) {
            memcpy(r->point[r->points], (double[]){p->parameter, r->last[0], r->last[1]}, sizeof r->point[0]);
        }
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

/* One path after the other; what is found is that of the last. */
static route follow_all(const char *source, const char *const *assign, int nset, const char *name,
                        const dal_path_spec *spec, int nspec)
{
    route r = {.m = check_model_start(source, assign, nset)};
    double q[2000];
    memcpy(q, dal_model_q0(r.m.model), (size_t)r.m.sys->group->nq * sizeof *q);
    check_ok(r.m.ctx, dal_binding_create(&r.binding, r.m.ctx, r.m.doc, &name, 1));
    check_ok(r.m.ctx, dal_data_create(&r.data, r.m.ctx, r.m.sys));
    for (int k = 0; k < nspec; ++k) {
        r.spec = spec[k];
        r.spec.set = set;
        r.spec.visit = visit;
        r.spec.user = &r;
        r.n = r.points = r.unstable = 0;
        check_ok(r.m.ctx, dal_static_path(r.m.ctx, r.m.sys, r.data, q, NULL, &r.info, &r.spec));
    }
    dal_data_destroy(r.data);
    dal_binding_destroy(r.binding);
    check_model_free(&r.m);
    return r;
}

static route follow(const char *source, const char *const *assign, int nset, const char *name,
                    const dal_path_spec *spec)
{
    return follow_all(source, assign, nset, name, spec, 1);
}

/* Column `of` at s: the polynomial over column `along` through n points. */
static double through(double (*point)[3], int n, int of, int along, double s)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        double l = point[i][of];
        for (int j = 0; j < n; ++j) {
            l *= j == i ? 1.0 : (s - point[j][along]) / (point[i][along] - point[j][along]);
        }
        sum += l;
    }
    return sum;
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

/* A value that the path has passed on its way to a limit is where it ends, though both ends of the step are below. */
static void a_path_ends_before_the_limit_beyond_its_end(void **state)
{
    (void)state;
    static const double ends[] = {1.84, 1.85, 1.852, 1.854, 1.8546};
    for (size_t k = 0; k < LEN(ends); ++k) {
        const route r = follow("lee_frame", (const char *[]){"degree=6"}, 1, "P", &(dal_path_spec){.to = ends[k]});
        assert_true(r.info.reached);
        assert_near(r.info.parameter, ends[k], 1e-15);
        assert_true(r.last[0] < 24.0 + 26.878701 && r.last[1] > 120.0 - 48.751059);
    }
}

/* How large the parameter becomes, and where: of the polynomial over the second output through nine points of the path. */
static void top(double at[3], route *r)
{
    enum { BESIDE = 4, ALL = 2 * BESIDE + 1 };
    int k = BESIDE;
    for (int i = BESIDE; i + BESIDE < r->points; ++i) {
        k = r->point[i][0] > r->point[k][0] ? i : k;
    }
    const double h = 0.1 * fabs(r->point[k + 1][2] - r->point[k - 1][2]);
    double(*point)[3] = &r->point[k - BESIDE], s = r->point[k][2];
    for (int it = 0; it < 20; ++it) {
        double y[5];
        for (int i = 0; i < 5; ++i) {
            y[i] = through(point, ALL, 0, 2, s + (i - 2) * h) - r->point[k][0];
        }
        s -= h * (y[0] - 8.0 * y[1] + 8.0 * y[3] - y[4]) / (-y[0] + 16.0 * y[1] - 30.0 * y[2] + 16.0 * y[3] - y[4]);
    }
    at[0] = through(point, ALL, 0, 2, s);
    at[1] = through(point, ALL, 1, 2, s);
    at[2] = s;
}

/* Where the load is largest its slope is small, and rounding moves the place by 1e-5: points of the path beside it give all of the 8
 * digits of the reference, five elements of order 6 a leg. */
static void the_limit_of_lee_has_its_place(void **state)
{
    (void)state;
    double at[3];
    const dal_path_spec spec[] = {{.to = 1.852}, {.from = 1.852, .to = 3.0, .steps = 2000, .points = 50}};
    route r = follow_all("lee_frame", (const char *[]){"degree=6"}, 1, "P", spec, 2);
    assert_int_equal(r.points, 50);
    top(at, &r);
    print_message("P = %.10f, u = %.8f, v = %.8f\n", at[0], at[1] - 24.0, at[2] - 120.0);
    assert_near(at[0], 1.85465587, 5e-9);
    assert_near(at[1] - 24.0, 26.878701, 5e-7);
    assert_near(at[2] - 120.0, -48.751059, 5e-7);
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

/* DaDeppo and Schmidt's arch of 215 degrees, hinged and clamped, pressed at its crown; Lee's frame. Relative errors of the limit loads, as in
 * section 9 of the theory. */
static void limit_loads_have_the_errors_of_their_elements(void **state)
{
    (void)state;
    static const char arch[] =
        "{'dalembert': 1, 'variables': {'P': 0, 'a': '215*pi/180', 'elements': 8, 'degree': 4}, 'beams': "
        "[{'name': 'b', 'arc': {'radius': 100, 'angle': 'a'}, 'elements': 'elements', 'order': 'degree', %s'end': "
        "'ground', 'section': {'EA': 1e8, 'GA': 1e8, 'GJ': 1e6, 'EI': 1e6, 'rhoA': 1, 'rhoI': 1}}], 'joints': "
        "[{'name': 'h', 'type': 'revolute', 'body_b': 'b@0', 'axis': [0, 0, 1]}], 'forces': [{'name': 'f', 'type': "
        "'force', 'body': 'b@0.5', 'vector': ['-P*sin(a/2)', 'P*cos(a/2)', 0]}], 'outputs': ['b@0.5.position']}";
    static const struct {
        const char *elements, *degree;
        int lee, fourth;
        double error;
    } list[] = {{"elements=16", "degree=1", 0, 0, 3.1e-2},  {"elements=32", "degree=1", 0, 0, 7.5e-3},
                {"elements=16", "degree=1", 0, 1, 4.1e-4},  {"elements=32", "degree=1", 0, 1, 2.8e-5},
                {"elements=8", "degree=4", 0, 0, 1.27e-4},  {"elements=8", "degree=6", 0, 0, 3.2e-7},
                {"elements=10", "degree=1", 1, 0, 7.63e-3}, {"elements=20", "degree=1", 1, 0, 1.9e-3},
                {"elements=5", "degree=4", 1, 0, 2.08e-7}};
    for (size_t k = 0; k < LEN(list); ++k) {
        char text[1500];
        snprintf(text, sizeof text, arch, list[k].fourth ? "'fourth_order': true, " : "");
        const route r = follow(list[k].lee ? "lee_frame" : text, (const char *[]){list[k].elements, list[k].degree}, 2,
                               "P", &(dal_path_spec){.to = list[k].lee ? 3.0 : 1500.0, .until = 1U << DAL_PATH_LIMIT});
        assert_true(r.n > 0 && r.kind[r.n - 1] == DAL_PATH_LIMIT);
        assert_near_rel(r.parameter[r.n - 1] / (list[k].lee ? 1.854655874 : 897.2891326) - 1.0, list[k].error, 0.03);
    }
}

/* Argyris' frame of a thin strip, bent in its plane by P, gives way across it: n elements of order p a leg. */
#define STRIP                                                                                                \
    "'elements': 'n', 'order': 'p', 'section': {'EA': 'E*w*d', 'GA': '5/6*G*w*d', 'GJ': 'G*d*w^3/3', 'EI': " \
    "['E*d*w^3/12', 'E*w*d^3/12'], 'rhoA': 0.05, 'rhoI': 1e-6}}"
static const char frame[] =
    "{'dalembert': 1, 'variables': {'L': 0.24, 'w': 0.0006, 'd': 0.03, 'E': 7.124e10, 'G': 'E/2.62', 'P': 0, 'across': "
    "0, 'n': 3, 'p': 4}, 'beams': [{'name': 'a', 'to': ['L', 0, 0], 'start': 'ground', " STRIP
    ", {'name': 'b', 'from': ['L', 0, 0], 'to': ['L', '-L', 0], 'start': 'a@1', " STRIP
    "], 'forces': [{'name': 'f', 'type': 'force', 'body': 'b@1', 'vector': ['P', 0, 'across']}], 'outputs': "
    "['b@1.position']}";
static const double critical = 1.08751784;

/* The softest direction is 1e-8 of the stiffest and less: rounding of the stiffness counts, and no more than that. */
static void a_frame_of_a_strip_buckles_sideways(void **state)
{
    (void)state;
    static const struct {
        const char *set[2];
        double to, tol;
    } list[] = {{{"p=4", "n=3"}, 2.0, 5e-8},
                {{"p=8", "n=2"}, 1.2, 5e-7},
                {{"p=8", "n=2"}, 1.5, 5e-7},
                {{"p=6", "n=4"}, 1.2, 5e-7}};
    for (size_t k = 0; k < LEN(list); ++k) {
        const route r = follow(frame, list[k].set, 2, "P", &(dal_path_spec){.to = list[k].to});
        assert_int_equal(r.n, 1);
        assert_int_equal(r.kind[0], DAL_PATH_BIFURCATION);
        assert_near_rel(r.parameter[0], critical, list[k].tol);
        assert_true(r.info.reached);
    }
}

/* What a tiny force across needs for a displacement of the end, from equilibria at loads beside the critical one: their polynomial
 * is zero there, to all of the nine digits of the reference. (Linear theory about the bent frame, solved by shooting, says 1.087517840841.) */
static void the_strip_loses_its_stiffness_where_it_buckles(void **state)
{
    (void)state;
    enum { N = 6 };
    double point[N][3];
    for (int k = 0; k < N; ++k) {
        char load[40];
        double y[3], q[2000], zero[2000] = {0.0};
        point[k][0] = 1.0875 + 0.01 * cos((k + 0.5) * acos(-1.0) / N);
        snprintf(load, sizeof load, "P=%.17g", point[k][0]);
        check_model m = check_model_start(frame, (const char *[]){"p=6", "n=3", "across=1e-8", load}, 4);
        memcpy(q, dal_model_q0(m.model), (size_t)m.sys->group->nq * sizeof *q);
        check_ok(m.ctx,
                 dal_static_solve(m.ctx, m.sys, NULL, q, NULL, NULL, NULL, 0.0, &(dal_static_options){.nearest = 1}));
        check_ok(m.ctx, dal_model_outputs(m.model, NULL, y, &(dal_point){0.0, q, zero, zero, zero}));
        point[k][1] = 1e-8 / y[2];
        check_model_free(&m);
    }
    double a = 1.087, b = 1.088;
    for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (a + b);
        *(through(point, N, 1, 0, middle) > 0.0 ? &a : &b) = middle;
    }
    print_message("P = %.12f\n", a);
    assert_near(a, critical, 5e-9);
    assert_near(a, 1.087517840841, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_truss_snaps_through_at_its_limit),
        cmocka_unit_test(a_rod_on_a_spring_buckles),
        cmocka_unit_test(the_frame_of_lee_has_its_limits),
        cmocka_unit_test(a_path_ends_before_the_limit_beyond_its_end),
        cmocka_unit_test(the_whole_way_does_not_depend_on_its_steps),
        cmocka_unit_test(a_frame_of_a_strip_buckles_sideways),
        cmocka_unit_test(the_strip_loses_its_stiffness_where_it_buckles),
        cmocka_unit_test(the_limit_of_lee_has_its_place),
        cmocka_unit_test(limit_loads_have_the_errors_of_their_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
