/* Derivatives of the numbers of a model with respect to bound values: forwards against differences, transposed against
 * forwards. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

enum { VALUES = 16 };

/* Every operation of reading: rotations in all forms, axes, places in the world on bodies that move, inertias of all shapes,
 * masses of shapes, laws, rows, functions, times. */
static const char everything[] =
    "{'dalembert': 1, 'variables': {'a': 0.3, 'b': 0.4, 'c': 0.7, 'L': 0.5, 'm': 2, 'r': 0.05, 'half': 'L/2'},"
    " 'gravity': ['a', '-9.81*b', 0],"
    " 'functions': {'f': 'a*sin(b*t)/(1 + half)', 'h': {'type': 'harmonic', 'amplitude': 'a*b', 'omega': 'c'},"
    "  'tab': {'type': 'table', 'x': [0, 'a', 1], 'y': [0, 'b*c', 1]}},"
    " 'bodies': ["
    "  {'name': 'q', 'mass': 'm', 'inertia': {'box': ['L', 'a', 'r']}, 'position': ['a', 'b', 'half'],"
    "   'rotation': {'quaternion': ['0.8 + 0*a', 0, '0.6 + 0*b', 0]}, 'angular_velocity_world': ['a', 'b', 'c']},"
    "  {'name': 'e', 'mass': 'm', 'inertia': {'rod': 'L', 'axis': 'y'}, 'position': [1, 0, 'a'],"
    "   'rotation': {'euler': 'zxz', 'angles': ['a', 'b', 'c']}, 'angular_velocity_world': [1, 'b', 0]},"
    "  {'name': 'v', 'mass': 'm', 'inertia': {'cylinder': ['r', 'L']}, 'rotation': {'vector': ['a', 'b', 'c']}},"
    "  {'name': 'x', 'mass': 'm', 'inertia': {'disk': 'r'}, 'rotation': {'axis': ['a', 1, 'c'], 'angle': 'b'},"
    "   'position': ['L', 0, 0]},"
    "  {'name': 's', 'mass': 'm', 'inertia': {'sphere': 'r'}, 'com': ['a', 0, 'r']},"
    "  {'name': 'w', 'density': '1000*m', 'shape': [{'cylinder': ['r', 'L'], 'frame': [0, 0, 'half'], 'along': 'x'},"
    "   {'box': ['a', 'b', 'c'], 'frame': {'position': ['a', 0, 0], 'axis': [0, 'a', 1]}}, {'sphere': 'r'}]}],"
    " 'joints': ["
    "  {'name': 'j', 'type': 'revolute', 'body_a': 'q', 'body_b': 'e', 'point': ['a', 'b', 0], 'axis': ['a', 'b', "
    "'c']},"
    "  {'name': 'k', 'type': 'revolute', 'body_a': 'v', 'body_b': 'x', 'axis': [0, 'a', 1], 'x_axis': [1, 'b', 0]},"
    "  {'name': 'l', 'type': 'fixed', 'body_b': 's', 'x_axis': [1, 'a', 0], 'y_axis': ['b', 1, 0]},"
    "  {'name': 'o', 'type': 'revolute', 'body_a': 'e', 'body_b': 'v', 'y_axis': ['a', 'b', 1], 'axis': [1, 'c', 0],"
    "   'release': 'c'},"
    "  {'name': 'd', 'type': 'distance', 'body_a': 'x', 'body_b': 's', 'point_a': ['a', 0, 'b'], 'frame_b': ['r', 0, "
    "0],"
    "   'length': 'L + a'},"
    "  {'name': 'n', 'type': 'pfaffian', 'bodies': ['w'], 'rows': [['a*x1', 'b', 1, 0, 0, 0, 'c*t']]}],"
    " 'forces': ["
    "  {'name': 'p', 'type': 'spring', 'body_b': 'w', 'point_b': ['a', 1, 0], 'stiffness': '100*a', 'damping': 'c',"
    "   'active': {'from': 'a', 'to': '2*c'}},"
    "  {'name': 'g', 'type': 'law', 'body_b': 'w', 'coordinate': 'translation_x', 'value': '-a*v*b + c*t',"
    "   'inputs': {'v': {'body_b': 'w', 'frame_a': ['a', 0, 'b'], 'coordinate': 'translation_x', 'rate': true}}}],"
    " 'outputs': [{'name': 'tip', 'quantity': 'position', 'body': 'e', 'point': ['a', 0, 1], 'axis': [0, 'b', 1]}],"
    " 'simulation': {'h': 0.001}}";

typedef struct fixture {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    dal_data *data;
    dal_binding *binding;
    int n, np;
    double value[VALUES];
    double *p, *plus, *minus, *dp;
} fixture;

/* All variables that can be bound, of a built-in model or a text. */
static int set_up(fixture *f, dal_ctx *ctx, const char *source)
{
    const char *names[VALUES];
    *f = (fixture){.ctx = ctx};
    check_ok(ctx, source[0] == '{' ? text_load_set(&f->doc, ctx, source, NULL, 0)
                                   : dal_document_open(&f->doc, ctx, source, NULL, 0));
    check_ok(ctx, dal_model_compile(dal_document_model(f->doc), &f->sys));
    check_ok(ctx, dal_data_create(&f->data, ctx, f->sys));
    for (int k = 0; k < dal_document_variable_count(f->doc) && f->n < VALUES; ++k) {
        const dal_variable v = dal_document_variable(f->doc, k);
        if (dal_binding_create(&f->binding, ctx, f->doc, &v.name, 1) == DAL_OK) {
            names[f->n] = v.name;
            f->value[f->n++] = v.value;
        }
        dal_binding_destroy(f->binding);
        f->binding = NULL;
    }
    if (f->n == 0) {
        return 0;
    }
    check_ok(ctx, dal_binding_create(&f->binding, ctx, f->doc, names, f->n));
    check_ok(ctx, dal_binding_set(f->binding, f->data, f->value));
    f->np = dal_data_parameters(f->data, NULL);
    f->p = calloc(4 * (size_t)f->np, sizeof *f->p);
    assert_non_null(f->p);
    f->plus = f->p + f->np;
    f->minus = f->plus + f->np;
    f->dp = f->minus + f->np;
    return 1;
}

static void tear_down(fixture *f)
{
    free(f->p);
    dal_binding_destroy(f->binding);
    dal_data_destroy(f->data);
    dal_document_destroy(f->doc);
}

static void numbers_at(const fixture *f, double *p, const double *direction, double h)
{
    double x[VALUES];
    for (int k = 0; k < f->n; ++k) {
        x[k] = f->value[k] + h * direction[k];
    }
    check_ok(f->ctx, dal_binding_set(f->binding, f->data, x));
    assert_int_equal(dal_data_parameters(f->data, p), f->np);
}

static void check_forwards(const fixture *f, const double *direction)
{
    const double h = 1e-6;
    numbers_at(f, f->p, direction, 0.0);
    numbers_at(f, f->plus, direction, h);
    numbers_at(f, f->minus, direction, -h);
    check_ok(f->ctx, dal_binding_product(f->binding, f->data, f->dp, f->value, direction));
    for (int k = 0; k < f->np; ++k) {
        if (isfinite(f->p[k])) {
            const double slope = (f->plus[k] - f->minus[k]) / (2 * h);
            assert_true(fabs(f->dp[k] - slope) <= 1e-9 * fmax(1.0, fabs(f->p[k])) + 1e-7 * fabs(slope));
        }
    }
}

/* w . (J d) = (J^T w) . d */
static void check_transposed(const fixture *f, const double *direction)
{
    double dvalues[VALUES], forwards = 0.0, backwards = 0.0, size = 0.0;
    for (int k = 0; k < f->np; ++k) {
        f->plus[k] = isfinite(f->dp[k]) ? 0.5 + (k * 7 % 11) / 10.0 : 0.0;
        forwards += f->plus[k] * f->dp[k];
        size += fabs(f->plus[k] * f->dp[k]);
    }
    check_ok(f->ctx, dal_binding_product_transposed(f->binding, f->data, dvalues, f->value, f->plus));
    for (int k = 0; k < f->n; ++k) {
        backwards += dvalues[k] * direction[k];
    }
    assert_true(fabs(forwards - backwards) <= 1e-12 * size);
}

/* Each value alone, and all together. */
static void check_all(const fixture *f)
{
    double direction[VALUES];
    for (int k = 0; k <= f->n; ++k) {
        for (int i = 0; i < f->n; ++i) {
            const double size = f->value[i] != 0.0 ? fabs(f->value[i]) : 0.01;
            direction[i] = size * (k == f->n ? 0.3 + 0.1 * i : i == k);
        }
        check_forwards(f, direction);
        check_transposed(f, direction);
    }
}

static void numbers_of_every_operation_have_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    fixture f;
    assert_true(set_up(&f, ctx, everything));
    assert_int_equal(f.n, 7);
    check_all(&f);
    tear_down(&f);
    check_ctx_free(ctx);
}

static void numbers_of_built_in_models_have_derivatives(void **state)
{
    dal_ctx *ctx = check_ctx();
    int models = 0;
    for (int k = 0; k < dal_builtin_count(); ++k) {
        fixture f;
        if (set_up(&f, ctx, dal_builtin_model(k).name)) {
            check_all(&f);
            ++models;
        }
        tear_down(&f);
    }
    assert_true(models > 15);
    check_ctx_free(ctx);
}

/* A mass by its address: the only number that follows. */
static void a_number_by_address_is_a_unit_vector(void **state)
{
    static const char *const name = "bodies.top.mass";
    dal_ctx *ctx = check_ctx();
    fixture f = {.ctx = ctx};
    const double value = 3.0, one = 1.0;
    check_ok(ctx, dal_document_open(&f.doc, ctx, "heavy_top", NULL, 0));
    check_ok(ctx, dal_model_compile(dal_document_model(f.doc), &f.sys));
    check_ok(ctx, dal_data_create(&f.data, ctx, f.sys));
    check_ok(ctx, dal_binding_create(&f.binding, ctx, f.doc, &name, 1));
    f.np = dal_data_parameters(f.data, NULL);
    f.p = calloc(2 * (size_t)f.np, sizeof *f.p);
    assert_non_null(f.p);
    check_ok(ctx, dal_binding_product(f.binding, f.data, f.p + f.np, &value, &one));
    assert_int_equal(dal_data_parameters(f.data, f.p), f.np);
    int ones = 0;
    for (int k = 0; k < f.np; ++k) {
        assert_true(f.p[f.np + k] == 0.0 || (f.p[f.np + k] == 1.0 && f.p[k] == value));
        ones += f.p[f.np + k] == 1.0;
    }
    assert_int_equal(ones, 1);
    tear_down(&f);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_operation_have_derivatives),
        cmocka_unit_test(numbers_of_built_in_models_have_derivatives),
        cmocka_unit_test(a_number_by_address_is_a_unit_vector),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
