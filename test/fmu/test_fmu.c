/* Units in an importer: the numbers of the library's own runs, states that are saved, events, and what is refused. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../sweep/backend.h"
#include "units.h"

/* What computes the numbers of the units: the test is run once for each. */
static fmu_code code = FMU_LIBRARY;

static double targets(int k, int n)
{
    return 0.4 * sin(0.3 * n + k);
}

/* Forces are second differences of positions, whose rounding they show. */
static int is_force(const char *name)
{
    return strstr(name, "force") != NULL || strstr(name, "moment") != NULL || strstr(name, "torque") != NULL;
}

/* The largest difference between the outputs of a unit and of the library, relative to the size of that output; in units of generated code, whose arithmetic
 * is another one, forces count by a tenth, by a thousandth where the library tries kept Jacobians: rounding of positions is worth 1e-16/h^2 in them. */
static double forces_count = 0.1;
static double difference(const importer *i, fmi3Instance u, own *o)
{
    double worst = 0.0;
    const double *y = own_outputs(o);
    for (int k = 0; k < o->ny; ++k) {
        const char *name = dal_channels_get(o->channels, k).name;
        const double weight = code == FMU_GENERATED && is_force(name) ? forces_count : 1.0;
        const double off = weight * fabs(get3(i, u, importer_find(i, name)) - y[k]) / fmax(1.0, fabs(y[k]));
        worst = off <= worst ? worst : off; // NaN stays
    }
    return worst;
}

/* Co-simulation, FMI 3: at all communication points the numbers of a run of the library that is told the same inputs, unless events set them. The
 * run of the library is one piece if there are none. */
static void runs_agree(const fmu_source *from, double dt, int n)
{
    importer i;
    own o;
    importer_open(&i, from, 3, code);
    assert_string_equal(i.p_fmi3GetVersion(), "3.0");
    own_start(&o, from, from->set, from->nset);
    fmi3Instance u = start3(&i, 0);
    initialize3(&i, u);
    const int inputs = from == &switched_unit ? 0 : dal_model_input_count(o.model);
    assert_near(difference(&i, u, &o), 0.0, 1e-12);
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < inputs; ++j) {
            set3(&i, u, importer_find(&i, dal_model_input(o.model, j).name), targets(j, k));
            check_ok(o.ctx, dal_sim_set_input(o.sim, j, targets(j, k)));
        }
        assert_near(step3(&i, u, k * dt, dt), (k + 1) * dt, 1e-12);
        check_ok(o.ctx, dal_sim_run(o.sim, NULL, k * dt + dt));
        assert_near(difference(&i, u, &o), 0.0, 1e-12);
    }
    i.p_fmi3FreeInstance(u);
    own_end(&o);
    importer_close(&i);
}

/* Programs renew the Jacobian in every step; the library, left to itself, keeps it for some, which shows within the tolerances. */
static fmu_source builtin(const char *name)
{
    static const char *const full[] = {"newton=full"};
    for (int k = 0; k < dal_builtin_count(); ++k) {
        if (strcmp(dal_builtin_model(k).name, name) == 0) {
            return (fmu_source){
                .text = dal_builtin_model(k).text, .name = name, .set = full, .nset = code == FMU_GENERATED};
        }
    }
    fail_msg("no model '%s'", name);
    return (fmu_source){0};
}

/* One piece, rows at the communication points, as `dalembert run --dt` has them: pieces begin and end at times that differ by
 * rounding, and forces are its second differences. */
static dal_status keep_row(dal_sim *sim, const dal_point *at, void *user)
{
    own *o = user;
    (void)sim;
    check_ok(o->ctx, dal_model_outputs(o->model, dal_sim_data(o->sim), o->y, at));
    memcpy(o->rows + (size_t)o->nrows++ * (size_t)o->ny, o->y, (size_t)o->ny * sizeof *o->y);
    return DAL_OK;
}

static void a_run_in_one_piece_has_the_same_rows(void **state)
{
    enum { N = 50 };
    const fmu_source from = builtin("spatial_slider_crank");
    importer i;
    own o;
    double times[N], worst[2] = {0.0};
    importer_open(&i, &from, 3, code);
    own_start(&o, &from, from.set, from.nset);
    for (int k = 0; k < N; ++k) {
        times[k] = 0.01 * (k + 1);
    }
    o.rows = calloc((size_t)N * (size_t)o.ny, sizeof *o.rows);
    assert_non_null(o.rows);
    check_ok(o.ctx, dal_sim_sample(o.sim, &(dal_sampling){.times = times, .n = N}, keep_row, &o));
    check_ok(o.ctx, dal_sim_run(o.sim, NULL, times[N - 1]));
    assert_int_equal(o.nrows, N);
    fmi3Instance u = start3(&i, 0);
    initialize3(&i, u);
    for (int k = 0; k < N; ++k) {
        step3(&i, u, 0.01 * k, 0.01);
        for (int j = 0; j < o.ny; ++j) {
            const char *name = dal_channels_get(o.channels, j).name;
            const double off = fabs(get3(&i, u, importer_find(&i, name)) - o.rows[k * o.ny + j]);
            worst[is_force(name)] = fmax(worst[is_force(name)], off);
            assert_true(off < 1.0);
        }
    }
    assert_near(worst[0], 0.0, 1e-12);
    assert_near(worst[1], 0.0, 1e-10);
    free(o.rows);
    i.p_fmi3FreeInstance(u);
    own_end(&o);
    importer_close(&i);
}

static void units_run_as_the_library_does(void **state)
{
    const fmu_source crank = builtin("spatial_slider_crank"), ball = builtin("bouncing_ball"),
                     cradle = builtin("newton_cradle");
    runs_agree(&crank, 0.01, 50);
    runs_agree(&arm_unit, 0.01, 50);
    runs_agree(&crank, 0.00437, 50); // steps of other sizes before each communication point
    runs_agree(&arm_unit, 0.00437, 50);
    runs_agree(&switched_unit, 0.02, 75);
    runs_agree(&switched_unit, 0.00437, 300);
    runs_agree(&thrown_unit, 0.00437, 150);
    static const char *const index3[] = {"newton=full", "formulation=index3",
                                         "h=0.01"}; // starts off the constraints (IN.3)
    fmu_source top = builtin("heavy_top");
    top.set = index3;
    top.nset = LEN(index3);
    runs_agree(&top, 0.01, 5);
    runs_agree(&top, 0.0137, 5);
    const fmu_source particle = builtin("nonholonomic_particle"), sleigh = builtin("chaplygin_sleigh");
    runs_agree(&particle, 0.05, 20); // its programs cannot start by themselves
    runs_agree(&sleigh, 0.05, 10);   // Newton's method ends without looking again; a rotation vector
    forces_count = 1e-3;
    runs_agree(&(fmu_source){.text = crank.text, .name = crank.name}, 0.01, 100);
    forces_count = 0.1;
    if (code == FMU_LIBRARY) {
        runs_agree(&ball, 0.05, 40); // impacts
        runs_agree(&cradle, 0.05, 20);
    }
}

/* ---- FMI 2 ---------------------------------------------------------------------------------------- */

static void version_2_gives_the_numbers_of_version_3(void **state)
{
    const fmi2CallbackFunctions call = {.logger = importer_log2};
    importer two, three;
    importer_open(&two, &arm_unit, 2, code);
    importer_open(&three, &arm_unit, 3, code);
    assert_string_equal(two.p_fmi2GetVersion(), "2.0");
    fmi2Component u = two.p_fmi2Instantiate("u", fmi2CoSimulation, two.token, two.resources, &call, 0, 1);
    fmi3Instance w = start3(&three, 0);
    assert_non_null(u);
    const unsigned mass = importer_find(&two, "m"), lift = importer_find(&two, "lift"),
                   out = importer_find(&two, "lower.position.z");
    const double heavy = 6.0;
    assert_int_equal(two.p_fmi2SetupExperiment(u, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
    assert_int_equal(two.p_fmi2SetReal(u, &mass, 1, &heavy), fmi2OK);
    set3(&three, w, mass, heavy);
    assert_int_equal(two.p_fmi2EnterInitializationMode(u), fmi2OK);
    assert_int_equal(two.p_fmi2ExitInitializationMode(u), fmi2OK);
    initialize3(&three, w);
    for (int k = 0; k < 20; ++k) {
        const double value = 0.1 * k;
        double z;
        assert_int_equal(two.p_fmi2SetReal(u, &lift, 1, &value), fmi2OK);
        set3(&three, w, lift, value);
        assert_int_equal(two.p_fmi2DoStep(u, 0.01 * k, 0.01, 1), fmi2OK);
        step3(&three, w, 0.01 * k, 0.01);
        assert_int_equal(two.p_fmi2GetReal(u, &out, 1, &z), fmi2OK);
        assert_true(z == get3(&three, w, out));
    }
    two.p_fmi2FreeInstance(u);
    three.p_fmi3FreeInstance(w);
    importer_close(&two);
    importer_close(&three);
}

/* ---- parameters ------------------------------------------------------------------------------------ */

static void parameters_are_those_of_the_model(void **state)
{
    static const char *const set[] = {"m=6", "kp=200"};
    importer i;
    own o;
    importer_open(&i, &arm_unit, 3, code);
    own_start(&o, &arm_unit, set, 2);
    fmi3Instance u = start3(&i, 0);
    assert_true(get3(&i, u, importer_find(&i, "kp")) == 300.0);
    set3(&i, u, importer_find(&i, "m"), 6.0);
    set3(&i, u, importer_find(&i, "kp"), 200.0);
    initialize3(&i, u);
    for (int k = 0; k < 10; ++k) {
        set3(&i, u, importer_find(&i, "bend"), targets(2, k));
        check_ok(o.ctx, dal_sim_set_input(o.sim, 2, targets(2, k)));
        step3(&i, u, 0.01 * k, 0.01);
        check_ok(o.ctx, dal_sim_run(o.sim, NULL, 0.01 * k + 0.01));
        assert_near(difference(&i, u, &o), 0.0, 1e-12);
    }
    assert_int_equal(i.p_fmi3Reset(u), fmi3OK);
    assert_true(get3(&i, u, importer_find(&i, "kp")) == 300.0);
    initialize3(&i, u);
    i.p_fmi3FreeInstance(u);
    own_end(&o);
    importer_close(&i);
}

/* ---- states that are saved -------------------------------------------------------------------------- */

static double go_on(const importer *i, fmi3Instance u, int from, int n)
{
    for (int k = from; k < from + n; ++k) {
        set3(i, u, importer_find(i, "turn"), targets(0, k));
        step3(i, u, 0.01 * k, 0.01);
    }
    return get3(i, u, importer_find(i, "lower.position.y"));
}

static void saved_states_go_on_bit_for_bit(void **state)
{
    importer i;
    fmi3FMUState kept = NULL, other = NULL;
    size_t size = 0;
    importer_open(&i, &arm_unit, 3, code);
    fmi3Instance u = start3(&i, 0), w = start3(&i, 0);
    set3(&i, u, importer_find(&i, "m"), 5.0);
    initialize3(&i, u);
    go_on(&i, u, 0, 7);
    assert_int_equal(i.p_fmi3GetFMUState(u, &kept), fmi3OK);
    const double want = go_on(&i, u, 7, 9);
    assert_int_equal(i.p_fmi3SetFMUState(u, kept), fmi3OK);
    assert_true(go_on(&i, u, 7, 9) == want);
    assert_int_equal(i.p_fmi3SerializedFMUStateSize(u, kept, &size), fmi3OK);
    fmi3Byte *bytes = malloc(size + 1);
    assert_non_null(bytes);
    assert_int_equal(i.p_fmi3SerializeFMUState(u, kept, bytes + 1, size), fmi3OK); // aligned as it comes
    assert_int_equal(i.p_fmi3DeserializeFMUState(w, bytes + 1, size, &other), fmi3OK);
    assert_int_equal(i.p_fmi3SetFMUState(w, other), fmi3OK);
    assert_true(go_on(&i, w, 7, 9) == want);
    bytes[size / 2] ^= 4;
    assert_int_equal(i.p_fmi3DeserializeFMUState(w, bytes + 1, size, &other), fmi3OK);
    assert_int_equal(i.p_fmi3SetFMUState(w, other), fmi3Error);
    free(bytes);
    i.p_fmi3FreeFMUState(u, &kept);
    i.p_fmi3FreeFMUState(w, &other);
    i.p_fmi3FreeInstance(u);
    i.p_fmi3FreeInstance(w);
    importer_close(&i);
}

/* An input that is set to what it was last before the state was taken back is set all the same. */
static void inputs_are_those_of_the_state(void **state)
{
    importer i;
    fmi3FMUState kept = NULL;
    double want[2];
    importer_open(&i, &arm_unit, 3, code);
    const unsigned turn = importer_find(&i, "turn"), y = importer_find(&i, "lower.position.y");
    fmi3Instance u = start3(&i, 0);
    initialize3(&i, u);
    set3(&i, u, turn, 0.1);
    step3(&i, u, 0.0, 0.01);
    assert_int_equal(i.p_fmi3GetFMUState(u, &kept), fmi3OK);
    for (int k = 0; k < 2; ++k) {
        set3(&i, u, turn, 0.5);
        step3(&i, u, 0.01, 0.1);
        want[k] = get3(&i, u, y);
        assert_int_equal(i.p_fmi3SetFMUState(u, kept), fmi3OK);
    }
    assert_true(want[0] == want[1]);
    i.p_fmi3FreeFMUState(u, &kept);
    i.p_fmi3FreeInstance(u);
    importer_close(&i);
}

/* What events have set and switched is part of a state. */
static void states_with_events_go_on_bit_for_bit(void **state)
{
    enum { N = 50 };
    importer i;
    fmi3FMUState kept = NULL;
    importer_open(&i, &switched_unit, 3, code);
    const unsigned c = importer_find(&i, "hinge.coordinate");
    fmi3Instance u = start3(&i, 0), w = start3(&i, 0);
    set3(&i, u, importer_find(&i, "k"), 23.0);
    initialize3(&i, u);
    initialize3(&i, w);
    for (int k = 0; k < N; ++k) {
        step3(&i, u, 0.02 * k, 0.02);
    }
    assert_int_equal(i.p_fmi3GetFMUState(u, &kept), fmi3OK);
    assert_int_equal(i.p_fmi3SetFMUState(w, kept), fmi3OK);
    for (int k = N; k < 2 * N; ++k) {
        step3(&i, u, 0.02 * k, 0.02);
        step3(&i, w, 0.02 * k, 0.02);
        assert_true(get3(&i, u, c) == get3(&i, w, c));
    }
    i.p_fmi3FreeFMUState(u, &kept);
    i.p_fmi3FreeInstance(u);
    i.p_fmi3FreeInstance(w);
    importer_close(&i);
}

/* ---- events ------------------------------------------------------------------------------------------ */

/* A ball that falls by 5 m with g = 10 m/s^2 lands after 1 s, and jumps for 2 e s. */
static const char ball[] =
    "{\"dalembert\": 1, \"name\": \"ball\", \"gravity\": [0, 0, -10],"
    "\"bodies\": [{\"name\": \"ball\", \"type\": \"point\", \"mass\": 1, \"position\": [0, 0, 5]}],"
    "\"joints\": [{\"name\": \"floor\", \"type\": \"contact\", \"body_b\": \"ball\", \"frame_a\": "
    "[0, 0, 0], \"frame_b\": [0, 0, 0], \"restitution\": 0.5}],"
    "\"events\": [{\"name\": \"late\", \"when\": \"t > 2.2\", \"stop\": true}],"
    "\"outputs\": [\"ball.position\"], \"simulation\": {\"h\": 0.01}}";

static void steps_return_early_at_events(void **state)
{
    const fmu_source from = {.text = ball, .name = "ball"};
    importer i;
    fmi3Boolean event, terminate, early, again, nominals, values, next_defined;
    double last, next;
    importer_open(&i, &from, 3, FMU_LIBRARY);
    fmi3Instance u = start3(&i, 1);
    initialize3(&i, u);
    assert_int_equal(i.p_fmi3DoStep(u, 0.0, 1.5, true, &event, &terminate, &early, &last), fmi3OK);
    assert_true(event && early && !terminate);
    assert_near(last, 1.0, 1e-9);
    assert_int_equal(i.p_fmi3EnterEventMode(u), fmi3OK);
    assert_int_equal(i.p_fmi3UpdateDiscreteStates(u, &again, &terminate, &nominals, &values, &next_defined, &next),
                     fmi3OK);
    assert_true(!again && !terminate);
    assert_int_equal(i.p_fmi3EnterStepMode(u), fmi3OK);
    assert_int_equal(i.p_fmi3DoStep(u, last, 0.5, true, &event, &terminate, &early, &last), fmi3OK);
    assert_true(!event && !early);
    assert_near(get3(&i, u, importer_find(&i, "ball.position.z")), 1.25, 1e-9); // the top of the second arc
    assert_int_equal(i.p_fmi3DoStep(u, last, 1.5, true, &event, &terminate, &early, &last), fmi3OK);
    assert_true(event);
    assert_near(last, 2.0, 1e-9);
    assert_int_equal(i.p_fmi3DoStep(u, last, 0.5, true, &event, &terminate, &early, &last), fmi3OK);
    assert_true(early);
    assert_near(last, 2.2, 1e-9);
    i.p_fmi3FreeInstance(u);
    u = start3(&i, 0);
    initialize3(&i, u);
    assert_int_equal(i.p_fmi3DoStep(u, 0.0, 3.0, true, &event, &terminate, &early, &last), fmi3OK);
    assert_true(terminate && !event);
    assert_near(last, 2.2, 1e-9);
    i.p_fmi3FreeInstance(u);
    importer_close(&i);
}

/* ---- model exchange ----------------------------------------------------------------------------------- */

static void rates(const importer *i, fmi3Instance u, double *dx, double t, const double *x, size_t n)
{
    assert_int_equal(i->p_fmi3SetTime(u, t), fmi3OK);
    assert_int_equal(i->p_fmi3SetContinuousStates(u, x, n), fmi3OK);
    assert_int_equal(i->p_fmi3GetContinuousStateDerivatives(u, dx, n), fmi3OK);
}

/* The classical method of order 4, as an importer has it that knows nothing of constraints. */
static void runge_kutta(const importer *i, fmi3Instance u, double *x, size_t n, double t, double h)
{
    enum { MAX = 80 };
    static const double c[] = {0.0, 0.5, 0.5, 1.0}, b[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    double k[MAX] = {0.0}, at[MAX], sum[MAX] = {0.0};
    assert_true(n <= MAX);
    for (int s = 0; s < 4; ++s) {
        for (size_t j = 0; j < n; ++j) {
            at[j] = x[j] + h * c[s] * k[j];
        }
        rates(i, u, k, t + c[s] * h, at, n);
        for (size_t j = 0; j < n; ++j) {
            sum[j] += h * b[s] * k[j];
        }
    }
    for (size_t j = 0; j < n; ++j) {
        x[j] += sum[j];
    }
}

static fmi3Instance exchange(const importer *i, double *x, size_t *n)
{
    fmi3Boolean again, terminate, nominals, values, next_defined;
    double next;
    fmi3Instance u = i->p_fmi3InstantiateModelExchange("u", i->token, i->resources, false, true, NULL, importer_log3);
    assert_non_null(u);
    initialize3(i, u);
    assert_int_equal(i->p_fmi3UpdateDiscreteStates(u, &again, &terminate, &nominals, &values, &next_defined, &next),
                     fmi3OK);
    assert_int_equal(i->p_fmi3EnterContinuousTimeMode(u), fmi3OK);
    assert_int_equal(i->p_fmi3GetNumberOfContinuousStates(u, n), fmi3OK);
    assert_int_equal(i->p_fmi3GetContinuousStates(u, x, *n), fmi3OK);
    return u;
}

/* Error at t = 0.1 s against a run of high order of the library. */
static double error_of(const importer *i, own *o, int steps)
{
    double x[80];
    size_t n;
    fmi3Instance u = exchange(i, x, &n);
    for (int k = 0; k < steps; ++k) {
        runge_kutta(i, u, x, n, 0.1 * k / steps, 0.1 / steps);
    }
    double dx[80];
    rates(i, u, dx, 0.1, x, n);
    const double worst = difference(i, u, o);
    i->p_fmi3FreeInstance(u);
    return worst;
}

static void units_are_integrated_from_outside(void **state)
{
    static const char *const tight[] = {"integrator=rk",   "order=8",         "step=adaptive",
                                        "step_rtol=1e-12", "step_atol=1e-12", "h=1e-3"};
    const fmu_source top = builtin("heavy_top"), *const from[] = {&top, &arm_unit};
    for (size_t m = 0; m < LEN(from); ++m) {
        importer i;
        own o;
        importer_open(&i, from[m], 3, code);
        own_start(&o, from[m], tight, LEN(tight));
        check_ok(o.ctx, dal_sim_run(o.sim, NULL, 0.1));
        const double coarse = error_of(&i, &o, 160), fine = error_of(&i, &o, 320);
        assert_true(fine < 1e-6);
        assert_near(log2(coarse / fine), 4.0, 0.3);
        own_end(&o);
        importer_close(&i);
    }
}

/* The drive of the arm's first joint: kp turn on the axis, against the inertia about it. */
static void directional_derivatives_are_those_of_the_equations(void **state)
{
    importer i;
    double x[80], dx[80], more[80], seed = 1.0, got[2];
    size_t n;
    importer_open(&i, &arm_unit, 3, code);
    fmi3Instance u = exchange(&i, x, &n);
    rates(&i, u, dx, 0.0, x, n);
    const unsigned turn = importer_find(&i, "turn"),
                   unknown[] = {importer_find(&i, "der(v6)"), importer_find(&i, "A.coordinate")};
    assert_int_equal(i.p_fmi3GetDirectionalDerivative(u, unknown, 2, &turn, 1, &seed, 1, got, 2), fmi3OK);
    // inertia about the axis at rest: of the base, and of both links where they are
    const double inertia = 0.2 + (0.1 + 4.0 * 0.3 * 0.3) + (0.05 + 2.0 * 0.85 * 0.85);
    assert_near_rel(got[0], 300.0 / inertia, 1e-9);
    assert_near(got[1], 0.0, 1e-9);
    rates(&i, u, more, 0.0, x, n);
    assert_memory_equal(more, dx, n * sizeof *dx); // nothing stays behind
    i.p_fmi3FreeInstance(u);
    importer_close(&i);
}

/* ---- what is refused ---------------------------------------------------------------------------------- */

static void what_is_refused_is_said(void **state)
{
    importer i;
    importer_open(&i, &arm_unit, 3, code);
    assert_null(i.p_fmi3InstantiateCoSimulation("u", "{0}", i.resources, false, true, false, false, NULL, 0, NULL,
                                                importer_log3, NULL));
    assert_non_null(strstr(importer_message, "different units"));
    if (code == FMU_LIBRARY) {
        assert_null(i.p_fmi3InstantiateCoSimulation("u", i.token, "nowhere", false, true, false, false, NULL, 0, NULL,
                                                    importer_log3, NULL));
    }
    fmi3Instance u = start3(&i, 0);
    initialize3(&i, u);
    const unsigned lift = importer_find(&i, "lift"), mass = importer_find(&i, "m"), none = 1000;
    const double far = 3.0;
    double value;
    assert_int_equal(i.p_fmi3SetFloat64(u, &lift, 1, &far, 1), fmi3Error);
    assert_string_equal(importer_message, "'lift' = 3 is outside of its limits, -2 to 2");
    assert_int_equal(i.p_fmi3SetFloat64(u, &mass, 1, &far, 1), fmi3Error);
    assert_int_equal(i.p_fmi3GetFloat64(u, &none, 1, &value, 1), fmi3Error);
    fmi3Boolean event, terminate, early;
    assert_int_equal(i.p_fmi3DoStep(u, 0.5, 0.1, true, &event, &terminate, &early, &value), fmi3Error);
    assert_non_null(strstr(importer_message, "go on from where the last one ended"));
    i.p_fmi3FreeInstance(u);
    importer_close(&i);

    dal_ctx *ctx = check_ctx();
    static const char *const wrong[] = {"no"};
    const fmu_source from = {.text = arm_unit.text, .name = "arm", .parameter = wrong, .nparameters = 1};
    fmu_model m = {.ctx = ctx};
    assert_int_not_equal(fmu_model_load(&m, &from), DAL_OK);
    assert_non_null(strstr(dal_ctx_message(ctx), "'no'"));
    fmu_model_release(&m);
    check_ctx_free(ctx);
}

/* What a contact remembers changes with accepted steps, of which programs know those that they make themselves. */
static void contacts_with_memory_are_integrated_by_the_library_alone(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < 2; ++k) {
        fmu_model m = {.ctx = ctx};
        fmu_made made;
        check_ok(ctx, fmu_model_load(&m, &thrown_unit));
        check_ok(ctx, fmu_write(&m, &made, "thrown.fmu", &thrown_unit, 3, k == 0 ? FMU_GENERATED : FMU_LIBRARY));
        assert_int_equal(m.nstates, k == 0 ? 0 : 13);
        assert_true(k == 1 || strstr(m.only_inside, "remember how they touched"));
        assert_int_equal(remove("thrown.fmu"), 0);
        fmu_model_release(&m);
    }
    check_ctx_free(ctx);
}

/* A model with contacts is none for generated code: refused by name, or made with the library instead, and that is said. */
static void what_generated_code_does_not_have_is_left_to_the_library(void **state)
{
    const fmu_source from = {.text = ball, .name = "ball"};
    dal_ctx *ctx = check_ctx();
    fmu_model m = {.ctx = ctx};
    fmu_made made;
    check_ok(ctx, fmu_model_load(&m, &from));
    assert_int_equal(fmu_write(&m, &made, "never.fmu", &from, 3, FMU_GENERATED), DAL_EINVAL);
    assert_non_null(strstr(dal_ctx_message(ctx), "type contact"));
    check_ok(ctx, fmu_write(&m, &made, "ball.fmu", &from, 3, FMU_AUTO));
    assert_int_equal(made.code, FMU_LIBRARY);
    assert_non_null(strstr(made.why, "type contact"));
    assert_int_equal(remove("ball.fmu"), 0);
    fmu_model_release(&m);
    check_ctx_free(ctx);
}

int main(int argc, char **argv)
{
    code = argc > 1 && strcmp(argv[1], "generated") == 0 ? FMU_GENERATED : FMU_LIBRARY;
    backend_cache("-O1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_run_as_the_library_does),
        cmocka_unit_test(a_run_in_one_piece_has_the_same_rows),
        cmocka_unit_test(version_2_gives_the_numbers_of_version_3),
        cmocka_unit_test(parameters_are_those_of_the_model),
        cmocka_unit_test(saved_states_go_on_bit_for_bit),
        cmocka_unit_test(inputs_are_those_of_the_state),
        cmocka_unit_test(states_with_events_go_on_bit_for_bit),
        cmocka_unit_test(steps_return_early_at_events),
        cmocka_unit_test(units_are_integrated_from_outside),
        cmocka_unit_test(directional_derivatives_are_those_of_the_equations),
        cmocka_unit_test(what_is_refused_is_said),
        cmocka_unit_test(contacts_with_memory_are_integrated_by_the_library_alone),
        cmocka_unit_test(what_generated_code_does_not_have_is_left_to_the_library),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_cache_remove();
    return failed;
}
