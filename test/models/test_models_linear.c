/* Linear models with inputs and outputs: closed forms, both forms against each other, transfer function against simulation. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/at.h"

static const char motor[] =
    "{\"dalembert\": 1, \"name\": \"motor\", \"variables\": {\"amp\": 0, \"rate\": 1, \"c\": 4},"
    "\"gravity\": [0, 0, -9.81],"
    "\"functions\": {\"offset\": {\"type\": \"constant\", \"value\": 0},"
    "\"swing\": {\"type\": \"harmonic\", \"amplitude\": \"amp\", \"omega\": \"rate\"},"
    "\"drive\": {\"type\": \"sum\", \"functions\": [\"offset\", \"swing\"]}},"
    "\"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.01], \"position\": [0, 0, -1]}],"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": "
    "[0, -1, 0]}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"actuator\", \"joint\": \"hinge\", \"function\": \"drive\"},"
    "{\"name\": \"damper\", \"type\": \"spring\", \"joint\": \"hinge\", \"stiffness\": 0, \"damping\": \"c\"}],"
    "\"outputs\": [\"hinge.coordinate\", \"motor.force_value\", {\"name\": \"rate\", \"quantity\": "
    "\"coordinate_velocity\","
    "\"joint\": \"hinge\"}], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}";

static const char shaken[] =
    "{\"dalembert\": 1, \"name\": \"shaken\", \"gravity\": [0, 0, -9.81],"
    "\"functions\": {\"offset\": {\"type\": \"constant\", \"value\": 0}},"
    "\"bodies\": [{\"name\": \"cart\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
    "{\"name\": \"rod\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.01], \"position\": [0, 0, -1]}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"cart\", \"point\": [0, 0, 0], \"axis\": "
    "[1, 0, 0]},"
    "{\"name\": \"shake\", \"type\": \"motion\", \"joint\": \"rail\", \"function\": \"offset\"},"
    "{\"name\": \"hinge\", \"type\": \"revolute\", \"body_a\": \"cart\", \"body_b\": \"rod\", \"point\": [0, 0, 0],"
    "\"axis\": [0, -1, 0]}],"
    "\"outputs\": [\"hinge.coordinate\", {\"name\": \"x\", \"quantity\": \"position\", \"body\": \"cart\", "
    "\"component\": \"x\"},"
    "{\"name\": \"a\", \"quantity\": \"acceleration\", \"body\": \"rod\", \"component\": \"x\"}, \"hinge.force\"],"
    "\"simulation\": {\"t_end\": 1, \"h\": 0.01}}";

/* The input is the constant function of that name, the outputs are those of the model. */
static dal_status set_input(int k, double offset, void *user)
{
    const model_at *m = user;
    const double c[1] = {offset};
    dal_function f;
    dal_data *data = dal_sim_data(m->sim);
    const int number = dal_model_find_function(m->model, "offset");
    DAL_TRY(dal_data_get_function(data, &f, number));
    f.c = c;
    assert_int_equal(k, 0);
    return dal_data_set_function(data, number, &f);
}

static dal_status outputs(double *y, const dal_point *at, void *user)
{
    const model_at *m = user;
    return dal_model_outputs(m->model, dal_sim_data(m->sim), y, at);
}

static dal_linear *linearize(model_at *m, int ninputs)
{
    const dal_linear_spec spec = {.ninputs = ninputs,
                                  .noutputs = dal_model_output_size(m->model),
                                  .set_input = set_input,
                                  .outputs = outputs,
                                  .user = m};
    dal_linear *linear;
    check_ok(m->ctx, dal_linear_create(&linear, m->ctx, m->sys, dal_sim_data(m->sim), &m->at, &spec));
    return linear;
}

static double complex transfer(model_at *m, const dal_linear *linear, double complex s, int output)
{
    double G[64];
    const int n = dal_linear_about(linear).noutputs * dal_linear_about(linear).ninputs;
    assert_true(2 * n <= 64);
    check_ok(m->ctx, dal_linear_transfer(linear, G, creal(s), cimag(s)));
    return G[output] + I * G[n + output];
}

/* (J + m l^2) phi'' + c phi' + m g l phi = u */
static void torque_to_angle_of_a_pendulum(void **state)
{
    static const double frequency[] = {0.3, 3.0, 20.0};
    model_at m = model_open(motor, NULL, NULL);
    dal_linear *linear = linearize(&m, 1);
    const dal_linear_info info = dal_linear_about(linear);
    assert_int_equal(info.n, 2);
    assert_int_equal(info.steady, DAL_STEADINESS_AT_REST);
    assert_int_equal(info.rates, 0);
    for (size_t k = 0; k < LEN(frequency); ++k) {
        const double complex s = 0.1 + I * frequency[k], want = 1.0 / (2.2 * s * s + 4.0 * s + 19.62);
        assert_near(cabs(transfer(&m, linear, s, 0) / want - 1.0), 0.0, 1e-10);
        assert_near(cabs(transfer(&m, linear, s, 1) - 1.0), 0.0, 1e-10); // the value of the motor is the input
        assert_near(cabs(transfer(&m, linear, s, 2) / (s * want) - 1.0), 0.0, 1e-10);
    }
    dal_linear_destroy(linear);
    model_close(&m);
}

/* A shaken pendulum: (J + m l^2) phi'' + m g l phi = -m l x'', with its support's x as input; phi about -y. */
static void prescribed_motion_enters_with_its_derivatives(void **state)
{
    model_at m = model_open(shaken, NULL, NULL);
    dal_linear *linear = linearize(&m, 1);
    assert_int_equal(dal_linear_about(linear).rates, 1);
    const double complex s = 0.2 + 1.7 * I, want = -2.0 * s * s / (2.2 * s * s + 19.62);
    assert_near(cabs(transfer(&m, linear, s, 0) / want - 1.0), 0.0, 1e-10);
    assert_near(cabs(transfer(&m, linear, s, 1) - 1.0), 0.0, 1e-10);
    // the centre of mass moves by x + l phi
    assert_near(cabs(transfer(&m, linear, s, 2) / (s * s * (1.0 + want)) - 1.0), 0.0, 1e-10);
    dal_linear_destroy(linear);
    model_close(&m);
}

/* Drive the nonlinear model with a small sine until only the response is left, and read amplitude and phase. */
static void transfer_function_is_what_a_simulation_shows(void **state)
{
    const double w = 2.5, amplitude = 1e-3, period = 2.0 * acos(-1.0) / w, settle = 12 * period;
    model_at m = model_open(motor, "amp=1e-3", "rate=2.5");
    dal_options opt = *dal_sim_options(m.sim);
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.formulation = DAL_FORMULATION_DEFAULT; // of generalized-alpha
    opt.h = period / 64;
    dal_sim *sim;
    check_ok(m.ctx, dal_sim_create(&sim, m.ctx, m.sys, &opt));
    check_ok(m.ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m.model), dal_model_v0(m.model)));
    check_ok(m.ctx, dal_sim_run(sim, NULL, settle));
    double complex sum = 0.0;
    for (int k = 0; k < 64; ++k) { // Fourier coefficient over one period
        double y[16];
        const dal_point at = dal_sim_point(sim);
        check_ok(m.ctx, dal_model_outputs(m.model, dal_sim_data(sim), y, &at));
        sum += y[0] * cexp(-I * w * at.t) / 32.0;
        check_ok(m.ctx, dal_sim_run(sim, NULL, settle + (k + 1) * period / 64));
    }
    dal_sim_destroy(sim);
    model_close(&m);
    m = model_open(motor, NULL, NULL);
    dal_linear *linear = linearize(&m, 1);
    const double complex G = transfer(&m, linear, I * w, 0), seen = sum * I / amplitude; // sin: -i/2 of exp
    assert_near(cabs(seen / G - 1.0), 0.0, 1e-6);
    dal_linear_destroy(linear);
    model_close(&m);
}

/* ---- both forms ------------------------------------------------------------------------------- */

enum { SIZE = 96 };

/* Gaussian elimination with pivots. */
static void solve(double complex A[SIZE][SIZE], double complex *b, int n)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = cabs(A[i][k]) > cabs(A[p][k]) ? i : p;
        }
        for (int j = 0; j < n; ++j) {
            const double complex x = A[k][j];
            A[k][j] = A[p][j];
            A[p][j] = x;
        }
        const double complex x = b[k];
        b[k] = b[p];
        b[p] = x;
        for (int i = k + 1; i < n; ++i) {
            const double complex f = A[i][k] / A[k][k];
            for (int j = k; j < n; ++j) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) {
            b[k] -= A[k][j] * b[j];
        }
        b[k] /= A[k][k];
    }
}

/* (s E - A) X = B u, y = (C + s C1) X + D u */
static void descriptor_transfer(const dal_linear_info *d, double complex s, double complex *y)
{
    static double complex A[SIZE][SIZE];
    double complex X[SIZE] = {0};
    const int n = d->E.nrows;
    assert_true(n <= SIZE);
    memset(A, 0, sizeof A);
    for (int k = 0; k < d->E.n; ++k) {
        A[d->E.row[k]][d->E.col[k]] += s * d->E.x[k];
    }
    for (int k = 0; k < d->Ad.n; ++k) {
        A[d->Ad.row[k]][d->Ad.col[k]] -= d->Ad.x[k];
    }
    for (int k = 0; k < d->Bd.n; ++k) {
        X[d->Bd.row[k]] += d->Bd.x[k];
    }
    solve(A, X, n);
    for (int o = 0; o < d->noutputs; ++o) {
        y[o] = 0.0;
    }
    for (int k = 0; k < d->Cd.n; ++k) {
        y[d->Cd.row[k]] += d->Cd.x[k] * X[d->Cd.col[k]];
    }
    for (int k = 0; k < d->C1.n; ++k) {
        y[d->C1.row[k]] += s * d->C1.x[k] * X[d->C1.col[k]];
    }
    for (int k = 0; k < d->Dd.n; ++k) {
        y[d->Dd.row[k]] += d->Dd.x[k];
    }
}

static void check_forms(const char *text, double tol)
{
    model_at m = model_open(text, NULL, NULL);
    dal_linear *linear = linearize(&m, 1);
    const dal_linear_info info = dal_linear_about(linear);
    const double complex s = 0.3 + 2.1 * I;
    double complex y[32];
    descriptor_transfer(&info, s, y);
    for (int o = 0; o < info.noutputs; ++o) {
        const double complex want = transfer(&m, linear, s, o);
        assert_near(cabs(y[o] - want) / (1.0 + cabs(want)), 0.0, tol);
    }
    dal_linear_destroy(linear);
    model_close(&m);
}

/* The built-in bicycle with a torque on its steering, whose value is a constant function. */
static void steered_bicycle(char *text, size_t size)
{
    dal_builtin found = {0};
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin model = dal_builtin_model(k);
        found = strcmp(model.name, "bicycle") == 0 ? model : found;
    }
    const char *whole = found.text != NULL ? found.text : "", *joints = strstr(whole, "\"joints\"");
    assert_non_null(joints);
    snprintf(text, size,
             "%.*s\"functions\": {\"offset\": {\"type\": \"constant\", \"value\": 0}},"
             "\"forces\": [{\"name\": \"hands\", \"type\": \"actuator\", \"joint\": \"steer\", \"function\": "
             "\"offset\"}], %s",
             (int)(joints - whole), whole, joints);
}

static void minimal_and_descriptor_form_have_the_same_transfer_function(void **state)
{
    static char bicycle[8000];
    steered_bicycle(bicycle, sizeof bicycle);
    check_forms(motor, 1e-11);
    check_forms(shaken, 1e-11);
    check_forms(bicycle, 1e-9);
}

static void what_is_missing_is_told(void **state)
{
    model_at m = model_open(motor, NULL, NULL);
    dal_linear *linear;
    const dal_linear_spec none = {.ninputs = 1};
    check_fails(m.ctx, dal_linear_create(&linear, m.ctx, m.sys, NULL, &m.at, &none), DAL_EINVAL, "set_input");
    model_close(&m);
}

static dal_status scenario(dal_ctx *ctx, void *user)
{
    model_at *m = user;
    const dal_linear_spec spec = {.ninputs = 1,
                                  .noutputs = dal_model_output_size(m->model),
                                  .set_input = set_input,
                                  .outputs = outputs,
                                  .user = m};
    dal_linear *linear = NULL;
    const dal_status st = dal_linear_create(&linear, ctx, m->sys, dal_sim_data(m->sim), &m->at, &spec);
    dal_linear_destroy(linear);
    return st;
}

static void no_memory_is_told_and_given_back(void **state)
{
    model_at m = model_open(motor, NULL, NULL);
    check_every_allocation(scenario, &m);
    model_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torque_to_angle_of_a_pendulum),
        cmocka_unit_test(prescribed_motion_enters_with_its_derivatives),
        cmocka_unit_test(transfer_function_is_what_a_simulation_shows),
        cmocka_unit_test(minimal_and_descriptor_form_have_the_same_transfer_function),
        cmocka_unit_test(what_is_missing_is_told),
        cmocka_unit_test(no_memory_is_told_and_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
