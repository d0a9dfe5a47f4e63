/* FMI 2: states that are saved, written and read, directional derivatives, runs that models end; co-simulation and model exchange. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../sweep/backend.h"
#include "units.h"

static fmu_code code = FMU_LIBRARY;

/* A rod on a hinge with a motor: I phi'' = u - d phi' - m g l sin phi. The run is over once it has turned to 1.2 rad. */
static const char rod[] =
    "{\"dalembert\": 1, \"name\": \"rod\", \"gravity\": [0, 0, -10], \"variables\": {\"d\": 0.3, \"m\": 2},"
    "\"inputs\": {\"u\": {\"value\": 0, \"min\": -20, \"max\": 20, \"unit\": \"N m\"}},"
    "\"bodies\": [{\"name\": \"rod\", \"mass\": \"m\", \"inertia\": [0.4, 0.5, 0.1], \"position\": [0, 0, -0.6]}],"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": "
    "[1, 0, 0]}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"law\", \"joint\": \"hinge\", \"value\": \"u - d*w\", \"inputs\": "
    "{\"w\": \"hinge.coordinate_velocity\"}}],"
    "\"events\": [{\"name\": \"far\", \"when\": \"hinge.coordinate > 1.2\", \"stop\": true}],"
    "\"outputs\": [\"hinge.coordinate\", \"hinge.coordinate_velocity\", \"hinge.coordinate_acceleration\"],"
    "\"simulation\": {\"h\": 1e-3, \"newton\": \"full\"}}";
static const char *const rod_parameters[] = {"m"};
static const fmu_source rod_unit = {.text = rod, .name = "rod", .parameter = rod_parameters, .nparameters = 1};
static const double damping = 0.3;

static double inertia(double m)
{
    return 0.4 + m * 0.36;
}

/* ---- the importer -------------------------------------------------------------------------------- */

typedef struct unit {
    importer *i;
    fmi2Component u;
    size_t nx;
} unit;

static const char *phi = "hinge.coordinate", *omega = "hinge.coordinate_velocity",
                  *alpha = "hinge.coordinate_acceleration";

static double get2(const unit *o, const char *name)
{
    const unsigned reference = importer_find(o->i, name);
    double value = NAN;
    assert_int_equal(o->i->p_fmi2GetReal(o->u, &reference, 1, &value), fmi2OK);
    return value;
}

static void set2(const unit *o, const char *name, double value)
{
    const unsigned reference = importer_find(o->i, name);
    assert_int_equal(o->i->p_fmi2SetReal(o->u, &reference, 1, &value), fmi2OK);
}

static unit create2(importer *i, fmi2Type type)
{
    static const fmi2CallbackFunctions call = {.logger = importer_log2};
    unit o = {.i = i, .u = i->p_fmi2Instantiate("u", type, i->token, i->resources, &call, 0, 1)};
    assert_non_null(o.u);
    assert_int_equal(i->p_fmi2SetupExperiment(o.u, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
    for (const char *at = i->description; (at = strstr(at, " derivative=")) != NULL; ++at) {
        ++o.nx;
    }
    assert_true(o.nx > 0);
    return o;
}

static void initialize2(const unit *o)
{
    assert_int_equal(o->i->p_fmi2EnterInitializationMode(o->u), fmi2OK);
    assert_int_equal(o->i->p_fmi2ExitInitializationMode(o->u), fmi2OK);
}

static unit start2(importer *i, fmi2Type type)
{
    const unit o = create2(i, type);
    initialize2(&o);
    if (type == fmi2ModelExchange) {
        fmi2EventInfo info = {.newDiscreteStatesNeeded = 1};
        assert_int_equal(i->p_fmi2NewDiscreteStates(o.u, &info), fmi2OK);
        assert_true(!info.newDiscreteStatesNeeded && !info.terminateSimulation);
        assert_int_equal(i->p_fmi2EnterContinuousTimeMode(o.u), fmi2OK);
    }
    return o;
}

enum { NX = 16 };

static void rates2(const unit *o, double *dx, double t, const double *x)
{
    assert_int_equal(o->i->p_fmi2SetTime(o->u, t), fmi2OK);
    assert_int_equal(o->i->p_fmi2SetContinuousStates(o->u, x, o->nx), fmi2OK);
    assert_int_equal(o->i->p_fmi2GetDerivatives(o->u, dx, o->nx), fmi2OK);
}

/* One hundredth of a second, from step k on: in model exchange by the midpoint rule in two steps, from the states that the unit has. */
static void one_step(const unit *o, fmi2Type type, int k)
{
    const double t = 0.01 * k, h = 0.005;
    set2(o, "u", 4.0 * cos(0.2 * k));
    if (type == fmi2CoSimulation) {
        assert_int_equal(o->i->p_fmi2DoStep(o->u, t, 0.01, 1), fmi2OK);
        return;
    }
    double x[NX], dx[NX], middle[NX];
    fmi2Boolean event = 1, terminate = 1;
    assert_true(o->nx <= NX);
    assert_int_equal(o->i->p_fmi2GetContinuousStates(o->u, x, o->nx), fmi2OK);
    for (int half = 0; half < 2; ++half) {
        rates2(o, dx, t + half * h, x);
        for (size_t j = 0; j < o->nx; ++j) {
            middle[j] = x[j] + 0.5 * h * dx[j];
        }
        rates2(o, dx, t + (half + 0.5) * h, middle);
        for (size_t j = 0; j < o->nx; ++j) {
            x[j] += h * dx[j];
        }
    }
    rates2(o, dx, t + 0.01, x);
    assert_int_equal(o->i->p_fmi2CompletedIntegratorStep(o->u, 0, &event, &terminate), fmi2OK);
    assert_true(!event && !terminate);
}

static void steps(const unit *o, fmi2Type type, int from, int to)
{
    for (int k = from; k < to; ++k) {
        one_step(o, type, k);
    }
}

/* ---- states --------------------------------------------------------------------------------------- */

static void assert_same(const unit *a, const double want[3])
{
    const char *const name[] = {phi, omega, alpha};
    for (int k = 0; k < 3; ++k) {
        assert_true(get2(a, name[k]) == want[k]);
    }
}

static void saved_states_go_on(fmi2Type type)
{
    importer i;
    fmi2FMUstate kept = NULL, other = NULL;
    size_t size = 0;
    importer_open(&i, &rod_unit, 2, code);
    const unit u = start2(&i, type), w = start2(&i, type);
    steps(&u, type, 0, 9);
    assert_int_equal(i.p_fmi2GetFMUstate(u.u, &kept), fmi2OK);
    const double then = get2(&u, phi);
    steps(&u, type, 9, 20);
    const double want[] = {get2(&u, phi), get2(&u, omega), get2(&u, alpha)};
    assert_true(fabs(want[0] - then) > 1e-3); // it moves
    assert_int_equal(i.p_fmi2SetFMUstate(u.u, kept), fmi2OK);
    assert_true(get2(&u, phi) == then);
    steps(&u, type, 9, 20);
    assert_same(&u, want);

    assert_int_equal(i.p_fmi2SerializedFMUstateSize(u.u, kept, &size), fmi2OK);
    fmi2Byte *bytes = malloc(size + 1);
    assert_non_null(bytes);
    assert_int_equal(i.p_fmi2SerializeFMUstate(u.u, kept, bytes + 1, size), fmi2OK);
    assert_int_equal(i.p_fmi2SerializeFMUstate(u.u, kept, bytes + 1, size - 1), fmi2Error);
    assert_int_equal(i.p_fmi2DeSerializeFMUstate(w.u, bytes + 1, size, &other), fmi2OK);
    assert_int_equal(i.p_fmi2SetFMUstate(w.u, other), fmi2OK);
    steps(&w, type, 9, 20);
    assert_same(&w, want);
    bytes[size / 2] ^= 8;
    assert_int_equal(i.p_fmi2DeSerializeFMUstate(w.u, bytes + 1, size, &other), fmi2OK);
    assert_int_equal(i.p_fmi2SetFMUstate(w.u, other), fmi2Error);
    assert_non_null(strstr(importer_message, "no state of the unit"));
    assert_same(&w, want);
    free(bytes);
    assert_int_equal(i.p_fmi2GetFMUstate(u.u, &kept), fmi2OK); // into the one there is
    assert_int_equal(i.p_fmi2FreeFMUstate(u.u, &kept), fmi2OK);
    assert_null(kept);
    assert_int_equal(i.p_fmi2FreeFMUstate(u.u, &kept), fmi2OK); // nothing: ignored
    assert_int_equal(i.p_fmi2FreeFMUstate(w.u, &other), fmi2OK);
    i.p_fmi2FreeInstance(u.u);
    i.p_fmi2FreeInstance(w.u);
    importer_close(&i);
}

static void saved_states_go_on_bit_for_bit(void **state)
{
    saved_states_go_on(fmi2CoSimulation);
    saved_states_go_on(fmi2ModelExchange);
}

/* Parameters are in a state too, and what a reset undoes. */
static void parameters_are_in_a_state(void **state)
{
    importer i;
    fmi2FMUstate kept = NULL;
    importer_open(&i, &rod_unit, 2, code);
    const unit light = start2(&i, fmi2CoSimulation), heavy = create2(&i, fmi2CoSimulation);
    set2(&heavy, "m", 5.0);
    initialize2(&heavy);
    steps(&heavy, fmi2CoSimulation, 0, 5);
    assert_int_equal(i.p_fmi2GetFMUstate(heavy.u, &kept), fmi2OK);
    assert_int_equal(i.p_fmi2SetFMUstate(light.u, kept), fmi2OK);
    assert_true(get2(&light, "m") == 5.0);
    set2(&light, "u", 1.0);
    const double a = (1.0 - damping * get2(&light, omega) - 5.0 * 10.0 * 0.6 * sin(get2(&light, phi))) / inertia(5.0);
    assert_near(get2(&light, alpha), a, 1e-9);
    assert_int_equal(i.p_fmi2Terminate(light.u), fmi2OK);
    assert_int_equal(i.p_fmi2Reset(light.u), fmi2OK);
    assert_true(get2(&light, "m") == 2.0 && get2(&light, "u") == 0.0);
    assert_int_equal(i.p_fmi2SetupExperiment(light.u, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
    initialize2(&light);
    assert_near(get2(&light, phi), 0.0, 1e-15);
    i.p_fmi2FreeFMUstate(heavy.u, &kept);
    i.p_fmi2FreeInstance(light.u);
    i.p_fmi2FreeInstance(heavy.u);
    importer_close(&i);
}

/* ---- directional derivatives ----------------------------------------------------------------------- */

static double slope2(const unit *o, const char *of, const unsigned *known, size_t n, const double *seed)
{
    const unsigned unknown = importer_find(o->i, of);
    double got = NAN;
    if (o->i->p_fmi2GetDirectionalDerivative(o->u, &unknown, 1, known, n, seed, &got) != fmi2OK) {
        fail_msg("%s", importer_message);
    }
    return got;
}

/* With respect to the input: 1/I, by the closed form and by differences of the importer; the run does not notice. */
static void derivatives_with_respect_to_inputs(void **state)
{
    for (int type = fmi2ModelExchange; type <= fmi2CoSimulation; ++type) {
        importer i;
        importer_open(&i, &rod_unit, 2, code);
        const unit u = start2(&i, (fmi2Type)type), like = start2(&i, (fmi2Type)type);
        const unsigned known = importer_find(&i, "u");
        const double seed = 3.0;
        steps(&like, (fmi2Type)type, 0, 12);
        for (int k = 0; k < 12; ++k) {
            assert_near(slope2(&u, alpha, &known, 1, &seed), 3.0 / inertia(2.0), 1e-8);
            assert_near(slope2(&u, phi, &known, 1, &seed), 0.0, 1e-9);
            one_step(&u, (fmi2Type)type, k);
        }
        assert_same(&u, (const double[]){get2(&like, phi), get2(&like, omega), get2(&like, alpha)});
        const double u0 = get2(&u, "u");
        set2(&u, "u", u0 + 0.5);
        const double more = get2(&u, alpha);
        set2(&u, "u", u0 - 0.5);
        assert_near(slope2(&u, alpha, &known, 1, &seed), seed * (more - get2(&u, alpha)), 1e-8);
        i.p_fmi2FreeInstance(u.u);
        i.p_fmi2FreeInstance(like.u);
        importer_close(&i);
    }
}

/* Until the initialization is over with respect to parameters: alpha is u/I at rest. */
static void derivatives_with_respect_to_parameters(void **state)
{
    importer i;
    importer_open(&i, &rod_unit, 2, code);
    const unit u = create2(&i, fmi2CoSimulation);
    const unsigned m = importer_find(&i, "m"), unknown = importer_find(&i, alpha);
    const double seed = 1.0;
    double got;
    assert_int_equal(i.p_fmi2EnterInitializationMode(u.u), fmi2OK);
    set2(&u, "u", 4.0);
    assert_near(get2(&u, alpha), 4.0 / inertia(2.0), 1e-10);
    assert_near(slope2(&u, alpha, &m, 1, &seed), -4.0 * 0.36 / pow(inertia(2.0), 2.0), 1e-8);
    assert_int_equal(i.p_fmi2ExitInitializationMode(u.u), fmi2OK);
    assert_int_equal(i.p_fmi2GetDirectionalDerivative(u.u, &unknown, 1, &m, 1, &seed, &got), fmi2Error);
    assert_non_null(strstr(importer_message, "until the initialization is over"));
    i.p_fmi2FreeInstance(u.u);
    importer_close(&i);
}

/* With respect to states, at a state that moves: along all velocities -d omega / I; along each state as by differences. */
static void derivatives_with_respect_to_states(void **state)
{
    importer i;
    importer_open(&i, &rod_unit, 2, code);
    const unit u = start2(&i, fmi2ModelExchange);
    double x[NX], moved[NX], dx[NX], seed[NX];
    unsigned known[NX];
    char name[16];
    steps(&u, fmi2ModelExchange, 0, 12);
    const double t = 0.12, rate = get2(&u, omega), e = 1e-4;
    assert_true(fabs(rate) > 0.1);
    assert_int_equal(i.p_fmi2GetContinuousStates(u.u, x, u.nx), fmi2OK);
    assert_int_equal((int)u.nx, 13);
    for (int k = 0; k < 6; ++k) {
        snprintf(name, sizeof name, "v%d", k + 1);
        known[k] = importer_find(&i, name);
        seed[k] = x[7 + k];
    }
    assert_near(slope2(&u, alpha, known, 6, seed), -damping * rate / inertia(2.0), 1e-8);
    for (size_t j = 0; j < u.nx; ++j) {
        snprintf(name, sizeof name, "%c%d", j < 7 ? 'q' : 'v', (int)(j < 7 ? j + 1 : j - 6));
        const unsigned one = importer_find(&i, name);
        const double unit_seed = 1.0;
        double want = 0.0;
        const double got = slope2(&u, alpha, &one, 1, &unit_seed);
        for (int side = -1; side <= 1; side += 2) {
            memcpy(moved, x, sizeof moved);
            moved[j] += side * e;
            rates2(&u, dx, t, moved);
            want += side * get2(&u, alpha) / (2.0 * e);
        }
        assert_near(got, want, 1e-6 * fmax(1.0, fabs(want)));
        rates2(&u, dx, t, x);
    }
    i.p_fmi2FreeInstance(u.u);
    importer_close(&i);
}

/* ---- the end ---------------------------------------------------------------------------------------- */

/* A step in which the model ends the run is not done: its status tells that, and how far it has got. The instant does not
 * depend on the steps of the importer. */
static void runs_that_models_end(void **state)
{
    importer i;
    double end[2] = {0.0};
    importer_open(&i, &rod_unit, 2, code);
    for (int k = 0; k < 2; ++k) {
        const double h = k == 0 ? 3.0 : 0.037;
        const unit u = start2(&i, fmi2CoSimulation);
        fmi2Boolean over = 1;
        fmi2Status st = fmi2OK;
        set2(&u, "u", 18.0); // beyond the weight: it goes over
        for (double t = 0.0; t < 3.0 && st == fmi2OK; t += h) {
            st = i.p_fmi2DoStep(u.u, t, h, 1);
            assert_int_equal(i.p_fmi2GetRealStatus(u.u, fmi2LastSuccessfulTime, &end[k]), fmi2OK);
            assert_int_equal(i.p_fmi2GetBooleanStatus(u.u, fmi2Terminated, &over), fmi2OK);
            assert_int_equal(over, st != fmi2OK);
            assert_true(st == fmi2Discard || fabs(end[k] - (t + h)) < 1e-12);
        }
        assert_int_equal(st, fmi2Discard);
        assert_near(get2(&u, phi), 1.2, 1e-9);
        const double a = (18.0 - damping * get2(&u, omega) - 2.0 * 10.0 * 0.6 * sin(1.2)) / inertia(2.0);
        assert_near(get2(&u, alpha), a, 1e-6);
        double none;
        assert_int_equal(i.p_fmi2GetRealStatus(u.u, fmi2Terminated, &none), fmi2Discard);
        assert_int_equal(i.p_fmi2GetBooleanStatus(u.u, fmi2PendingStatus, &over), fmi2Discard);
        assert_int_equal(i.p_fmi2Terminate(u.u), fmi2OK);
        i.p_fmi2FreeInstance(u.u);
    }
    assert_near(end[0], end[1], 1e-5);
    importer_close(&i);
}

int main(int argc, char **argv)
{
    code = argc > 1 && strcmp(argv[1], "generated") == 0 ? FMU_GENERATED : FMU_LIBRARY;
    backend_cache("-O1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saved_states_go_on_bit_for_bit),     cmocka_unit_test(parameters_are_in_a_state),
        cmocka_unit_test(derivatives_with_respect_to_inputs), cmocka_unit_test(derivatives_with_respect_to_parameters),
        cmocka_unit_test(derivatives_with_respect_to_states), cmocka_unit_test(runs_that_models_end),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_cache_remove();
    return failed;
}
