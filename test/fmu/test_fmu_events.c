/* Units with impacts, friction, events and forces that are switched, integrated from outside by an importer that looks for events: motions with closed forms,
 * both versions of the standard. "generated": units of generated code. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "importer.h"

#include "../sweep/backend.h"

/* From 5 m with g = 10: on the floor at 1 s, then arcs of 1 s, 0.5 s, ... */
static const char ball[] =
    "{\"dalembert\": 1, \"name\": \"ball\", \"gravity\": [0, 0, -10],"
    "\"bodies\": [{\"name\": \"ball\", \"type\": \"point\", \"mass\": 2, \"position\": [0, 0, 5]}],"
    "\"joints\": [{\"name\": \"floor\", \"type\": \"contact\", \"body_b\": \"ball\", \"frame_a\": [0, 0, 0], "
    "\"frame_b\": "
    "[0, 0, 0], \"radius\": 0, \"restitution\": 0.5}],"
    "\"events\": [{\"name\": \"late\", \"when\": \"t > 2.2\", \"stop\": true}],"
    "\"outputs\": [\"ball.position.z\", \"ball.velocity.z\"], \"simulation\": {\"h\": 0.01}}";

/* A car of 2 kg with 3 m/s and a brake of 4 N: at rest at 1.5 s and 2.25 m; pushed with 10 N from 2 s to 3 s (3 m/s, 3.75 m); at the buffer at 5 m with
 * 2 m/s at 3.5 s, back with 1 m/s; at rest at 4 s and 4.75 m. An input that a sampled event counts up is its light. */
static const char car[] =
    "{\"dalembert\": 1, \"name\": \"car\", \"gravity\": [0, 0, 0], \"inputs\": {\"light\": 0},"
    "\"bodies\": [{\"name\": \"car\", \"type\": \"planar\", \"mass\": 2, \"inertia\": 1, \"velocity\": [3, 0]}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"planar_prismatic\", \"body_b\": \"car\"},"
    "{\"name\": \"brake\", \"type\": \"brake\", \"joint\": \"rail\", \"limit\": 4},"
    "{\"name\": \"buffer\", \"type\": \"limit\", \"joint\": \"rail\", \"limits\": [-1, 5], \"restitution\": 0.5}],"
    "\"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"car\", \"vector\": [10, 0, 0], \"active\": "
    "{\"from\": 2, \"to\": 3}}, {\"name\": \"lamp\", \"type\": \"law\", \"body_b\": \"car\", \"coordinate\": "
    "\"rotation_z\", "
    "\"value\": \"light\"}],"
    "\"events\": [{\"name\": \"tick\", \"every\": 0.5, \"set\": {\"light\": \"light + 1\"}}],"
    "\"outputs\": [\"car.position.x\", \"car.velocity.x\", \"lamp.force_value\"], \"simulation\": {\"h\": 0.01}}";

/* A car of 2 kg with 3 m/s. At 3 m (1 s) 4 N brake it until it is at rest (2.5 s, 5.25 m); 10 N push from 3 s to 4 s (5 m/s, 7.75 m); at 10.25 m (4.5 s) the run is
 * over. The light is counted up every 0.5 s, and by ten where the brake ends. */
static const char cart[] =
    "{\"dalembert\": 1, \"name\": \"cart\", \"gravity\": [0, 0, 0], \"variables\": {\"m\": 2}, \"inputs\": {\"light\": "
    "0},"
    "\"bodies\": [{\"name\": \"car\", \"type\": \"planar\", \"mass\": \"m\", \"inertia\": 1, \"velocity\": [3, 0]}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"planar_prismatic\", \"body_b\": \"car\"}],"
    "\"forces\": [{\"name\": \"push\", \"type\": \"force\", \"body\": \"car\", \"vector\": [10, 0, 0], \"active\": "
    "{\"from\": 3, \"to\": 4}}, {\"name\": \"brake\", \"type\": \"force\", \"body\": \"car\", \"vector\": [-4, 0, 0], "
    "\"active\": false},"
    "{\"name\": \"lamp\", \"type\": \"law\", \"body_b\": \"car\", \"coordinate\": \"rotation_z\", \"value\": "
    "\"light*m/2\"}],"
    "\"events\": [{\"name\": \"tick\", \"every\": 0.5, \"set\": {\"light\": \"light + 1\"}},"
    "{\"name\": \"near\", \"when\": \"car.position.x > 3\", \"on\": \"brake\"},"
    "{\"name\": \"rest\", \"when\": \"car.velocity.x < 0\", \"off\": \"brake\", \"set\": {\"light\": \"light + 10\"}},"
    "{\"name\": \"there\", \"when\": \"car.position.x > 10.25\", \"stop\": true}],"
    "\"outputs\": [\"car.position.x\", \"car.velocity.x\", \"lamp.force_value\"], \"simulation\": {\"h\": 0.01}}";

/* A wagon of 1 kg with 2 m/s couples with one of 3 kg that stands 1 m ahead of it, at 2 m (1 s): both have 0.5 m/s. At 2 s 4 N s are applied to the second
 * one (1.5 m/s); at 3 s the coupling opens, and 3 N brake the first one. */
static const char wagons[] =
    "{\"dalembert\": 1, \"name\": \"wagons\", \"gravity\": [0, 0, 0], \"variables\": {\"m\": 1},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": \"m\", \"inertia\": 1, \"velocity\": [2, 0, 0]},"
    "{\"name\": \"b\", \"mass\": 3, \"inertia\": 1, \"position\": [3, 0, 0], \"velocity\": [0, 0, 0]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"prismatic\", \"body_b\": \"a\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"B\", \"type\": \"prismatic\", \"body_b\": \"b\", \"axis\": [1, 0, 0]},"
    "{\"name\": \"C\", \"type\": \"point_on_plane\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [3, 0, 0], "
    "\"axis\": [1, 0, 0], \"release\": 0}],"
    "\"forces\": [{\"name\": \"kick\", \"type\": \"force\", \"body\": \"b\", \"vector\": [4, 0, 0], \"active\": "
    "false}, {\"name\": \"brake\", \"type\": \"force\", \"body\": \"a\", \"vector\": [-3, 0, 0], \"active\": "
    "{\"from\": "
    "3, \"to\": 10}}],"
    "\"events\": [{\"name\": \"meet\", \"when\": \"a.position.x > 2\", \"grab\": \"C\", \"once\": true},"
    "{\"name\": \"hit\", \"when\": \"t > 2\", \"impulse\": \"kick\"},"
    "{\"name\": \"part\", \"when\": \"t > 3\", \"off\": \"C\"}],"
    "\"outputs\": [\"a.position.x\", \"b.position.x\", \"a.velocity.x\", \"b.velocity.x\", \"C.force.x\"], "
    "\"simulation\": "
    "{\"h\": 0.01}}";

/* A ball of 2 kg on a rail falls from 5 m, with g = 10, towards a stop; a rope from 6 m catches it 0.1 m above. */
static const char caught[] =
    "{\"dalembert\": 1, \"name\": \"stops\", \"gravity\": [0, 0, -10], \"variables\": {\"m\": 2},"
    "\"bodies\": [{\"name\": \"ball\", \"mass\": \"m\", \"inertia\": 1, \"position\": [0, 0, 5]}],"
    "\"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"body_b\": \"ball\", \"axis\": [0, 0, 1]},"
    "{\"name\": \"floor\", \"type\": \"limit\", \"joint\": \"rail\", \"limits\": [-5, 1e10], \"restitution\": 0.5},"
    "{\"name\": \"rope\", \"type\": \"rope\", \"body_b\": \"ball\", \"frame_a\": [0, 0, 6], \"frame_b\": [0, 0, 0], "
    "\"length\": 5.9}],"
    "\"events\": [{\"name\": \"late\", \"when\": \"t > 4\", \"stop\": true}],"
    "\"outputs\": [\"ball.position.z\", \"ball.velocity.z\"], \"simulation\": {\"h\": 0.01}}";

/* What computes the numbers of the units. */
static fmu_code code = FMU_LIBRARY;

/* ---- an importer that integrates --------------------------------------------------------------- */

enum { NX = 40, NZ = 40 };

typedef struct outside {
    importer i;
    int version;
    void *u;
    size_t nx, nz;
    double t, next, x[NX], z[NZ];
    int events, terminated;
} outside;

#define BOTH(o, three, two) assert_int_equal((o)->version == 3 ? (int)(o)->i.p_##three : (int)(o)->i.p_##two, 0)

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; ++at) {
        ++n;
    }
    return n;
}

static void place(outside *o, double t, const double *x)
{
    BOTH(o, fmi3SetTime(o->u, t), fmi2SetTime(o->u, t));
    BOTH(o, fmi3SetContinuousStates(o->u, x, o->nx), fmi2SetContinuousStates(o->u, x, o->nx));
}

static void rates(outside *o, double *dx, double t, const double *x)
{
    place(o, t, x);
    BOTH(o, fmi3GetContinuousStateDerivatives(o->u, dx, o->nx), fmi2GetDerivatives(o->u, dx, o->nx));
}

static void indicators(outside *o, double *z, double t, const double *x)
{
    place(o, t, x);
    BOTH(o, fmi3GetEventIndicators(o->u, z, o->nz), fmi2GetEventIndicators(o->u, z, o->nz));
}

/* Event mode: what has to happen happens; there the indicators begin anew. */
static void update(outside *o)
{
    fmi3Boolean again, terminate, nominals, values, defined;
    fmi2EventInfo info;
    BOTH(o, fmi3EnterEventMode(o->u), fmi2EnterEventMode(o->u));
    if (o->version == 3) {
        assert_int_equal(
            o->i.p_fmi3UpdateDiscreteStates(o->u, &again, &terminate, &nominals, &values, &defined, &o->next), fmi3OK);
        o->terminated = terminate;
        o->next = defined ? o->next : INFINITY;
    } else {
        assert_int_equal(o->i.p_fmi2NewDiscreteStates(o->u, &info), fmi2OK);
        o->terminated = info.terminateSimulation;
        o->next = info.nextEventTimeDefined ? info.nextEventTime : INFINITY;
    }
    BOTH(o, fmi3EnterContinuousTimeMode(o->u), fmi2EnterContinuousTimeMode(o->u));
    BOTH(o, fmi3GetContinuousStates(o->u, o->x, o->nx), fmi2GetContinuousStates(o->u, o->x, o->nx));
    indicators(o, o->z, o->t, o->x);
    o->events++;
}

static void start(outside *o, const char *text, int version)
{
    static const fmi2CallbackFunctions call = {.logger = importer_log2};
    static const char *const parameters[] = {"m"};
    const fmu_source from = {.text = text,
                             .name = "unit",
                             .parameter = parameters,
                             .nparameters = text == cart || text == wagons || text == caught};
    memset(o, 0, sizeof *o);
    importer_open(&o->i, &from, version, code);
    o->version = version;
    o->u = version == 3
               ? o->i.p_fmi3InstantiateModelExchange("u", o->i.token, o->i.resources, false, true, NULL, importer_log3)
               : o->i.p_fmi2Instantiate("u", fmi2ModelExchange, o->i.token, o->i.resources, &call, 0, 1);
    assert_non_null(o->u);
    if (version == 3) {
        assert_int_equal(o->i.p_fmi3GetNumberOfContinuousStates(o->u, &o->nx), fmi3OK);
        assert_int_equal(o->i.p_fmi3GetNumberOfEventIndicators(o->u, &o->nz), fmi3OK);
        assert_int_equal(count(o->i.description, "<EventIndicator "), o->nz);
        assert_int_equal(o->i.p_fmi3EnterInitializationMode(o->u, false, 0.0, 0.0, false, 0.0), fmi3OK);
    } else {
        char told[64];
        o->nx = count(o->i.description, " derivative=");
        o->nz = count(o->i.description, " name=\"z");
        snprintf(told, sizeof told, "numberOfEventIndicators=\"%d\"", (int)o->nz);
        assert_non_null(strstr(o->i.description, told));
        assert_int_equal(o->i.p_fmi2SetupExperiment(o->u, 0, 0.0, 0.0, 0, 0.0), fmi2OK);
        assert_int_equal(o->i.p_fmi2EnterInitializationMode(o->u), fmi2OK);
    }
    assert_true(o->nx > 0 && o->nx <= NX && o->nz > 0 && o->nz <= NZ);
    BOTH(o, fmi3ExitInitializationMode(o->u), fmi2ExitInitializationMode(o->u));
    update(o);
}

static void end(outside *o)
{
    if (o->version == 3) {
        o->i.p_fmi3FreeInstance(o->u);
    } else {
        o->i.p_fmi2FreeInstance(o->u);
    }
    importer_close(&o->i);
}

/* The midpoint rule, exact for constant accelerations. */
static void step(outside *o, double *x1, double h)
{
    double dx[NX], middle[NX];
    rates(o, dx, o->t, o->x);
    for (size_t k = 0; k < o->nx; ++k) {
        middle[k] = o->x[k] + 0.5 * h * dx[k];
    }
    rates(o, dx, o->t + 0.5 * h, middle);
    for (size_t k = 0; k < o->nx; ++k) {
        x1[k] = o->x[k] + h * dx[k];
    }
}

/* Does an indicator change its sign over a step of size h? */
static int crosses(outside *o, double *x1, double h)
{
    double z[NZ];
    int some = 0;
    step(o, x1, h);
    indicators(o, z, o->t + h, x1);
    for (size_t k = 0; k < o->nz; ++k) {
        some |= (z[k] > 0.0) != (o->z[k] > 0.0);
    }
    return some;
}

static void run(outside *o, double t_end)
{
    while (o->t < t_end && !o->terminated) {
        double x1[NX], h = fmin(0.1, fmin(t_end, o->next) - o->t);
        const int timed = o->t + h >= o->next, last = o->t + h >= t_end, found = crosses(o, x1, h);
        if (found) { // bisection
            double lo = 0.0;
            for (double mid = 0.5 * h; mid > lo && mid < h; mid = 0.5 * (lo + h)) {
                *(crosses(o, x1, mid) ? &h : &lo) = mid;
            }
            step(o, x1, h);
        }
        fmi3Boolean wanted3 = false, over3;
        fmi2Boolean wanted2 = 0, over2;
        o->t = !found && timed ? o->next : !found && last ? t_end : o->t + h;
        memcpy(o->x, x1, sizeof x1);
        place(o, o->t, o->x);
        BOTH(o, fmi3CompletedIntegratorStep(o->u, true, &wanted3, &over3),
             fmi2CompletedIntegratorStep(o->u, 1, &wanted2, &over2));
        if (found || timed || wanted3 || wanted2) {
            update(o);
        } else {
            indicators(o, o->z, o->t, o->x);
        }
        assert_true(o->events < 60);
    }
}

static double value(outside *o, const char *name)
{
    double y = NAN;
    const unsigned reference = importer_find(&o->i, name);
    place(o, o->t, o->x);
    BOTH(o, fmi3GetFloat64(o->u, &reference, 1, &y, 1), fmi2GetReal(o->u, &reference, 1, &y));
    return y;
}

/* ---- motions ------------------------------------------------------------------------------------ */

static void impacts_are_where_they_are(void **state)
{
    for (int version = 2; version <= 3; ++version) {
        outside o;
        start(&o, ball, version);
        run(&o, 0.5);
        assert_near(value(&o, "ball.position.z"), 3.75, 1e-9);
        run(&o, 1.5);
        assert_near(value(&o, "ball.position.z"), 1.25, 1e-9); // the top of the second arc
        assert_near(value(&o, "ball.velocity.z"), 0.0, 1e-9);
        run(&o, 3.0);
        assert_true(o.terminated);
        assert_near(o.t, 2.2, 1e-9);
        assert_near(value(&o, "ball.velocity.z"), 0.5, 1e-8); // 2.5 m/s after the second impact
        end(&o);
    }
}

static void friction_buffers_and_times_are_switched(void **state)
{
    static const struct {
        double t, x, v, light;
    } there[] = {{1.0, 2.0, 1.0, 3.0},     {1.8, 2.25, 0.0, 4.0},     {2.5, 2.625, 1.5, 6.0},
                 {3.25, 4.4375, 2.5, 7.0}, {3.75, 4.8125, -0.5, 8.0}, {4.75, 4.75, 0.0, 10.0}};
    for (int version = 2; version <= 3; ++version) {
        outside o;
        start(&o, car, version);
        for (size_t k = 0; k < LEN(there); ++k) {
            run(&o, there[k].t);
            assert_near(value(&o, "car.position.x"), there[k].x, 1e-8);
            assert_near(value(&o, "car.velocity.x"), there[k].v, 1e-8);
            assert_near(value(&o, "lamp.force_value"), there[k].light, 1e-12);
        }
        end(&o);
    }
}

static void forces_are_switched(void **state)
{
    static const struct {
        double t, x, v, light;
    } there[] = {{0.75, 2.25, 3.0, 2.0},  {1.75, 4.6875, 1.5, 4.0},    {2.25, 5.1875, 0.5, 5.0},
                 {2.75, 5.25, 0.0, 16.0}, {3.25, 5.40625, 1.25, 17.0}, {4.25, 9.0, 5.0, 19.0}};
    for (int version = 2; version <= 3; ++version) {
        outside o;
        start(&o, cart, version);
        for (size_t k = 0; k < LEN(there); ++k) {
            run(&o, there[k].t);
            assert_near(value(&o, "car.position.x"), there[k].x, 1e-8);
            assert_near(value(&o, "car.velocity.x"), there[k].v, 1e-8);
            assert_near(value(&o, "lamp.force_value"), there[k].light, 1e-12);
        }
        run(&o, 6.0);
        assert_true(o.terminated);
        assert_near(o.t, 4.5, 1e-8);
        end(&o);
    }
}

static void joints_are_closed_and_opened(void **state)
{
    static const struct {
        double t, a, b, va, vb;
    } there[] = {{0.5, 1.0, 3.0, 2.0, 0.0},
                 {1.5, 2.25, 3.25, 0.5, 0.5},
                 {2.5, 3.25, 4.25, 1.5, 1.5},
                 {3.25, 4.28125, 5.375, 0.75, 1.5}};
    for (int version = 2; version <= 3; ++version) {
        outside o;
        start(&o, wagons, version);
        for (size_t k = 0; k < LEN(there); ++k) {
            run(&o, there[k].t);
            assert_near(value(&o, "a.position.x"), there[k].a, 1e-8);
            assert_near(value(&o, "b.position.x"), there[k].b, 1e-8);
            assert_near(value(&o, "a.velocity.x"), there[k].va, 1e-8);
            assert_near(value(&o, "b.velocity.x"), there[k].vb, 1e-8);
            assert_near(value(&o, "C.force.x"), 0.0, 1e-8);
        }
        end(&o);
    }
}

/* The same without the rope: on the stop at 1 s, arcs of 1 s and 0.5 s. */
static void a_ball_bounces_on_its_stop(void **state)
{
    char text[sizeof caught];
    snprintf(text, sizeof text, "%s", caught);
    strstr(text, "5.9")[0] = '9';
    for (int version = 2; version <= 3; ++version) {
        outside o;
        start(&o, text, version);
        run(&o, 0.5);
        assert_near(value(&o, "ball.position.z"), 3.75, 1e-8);
        run(&o, 1.5);
        assert_near(value(&o, "ball.position.z"), 1.25, 1e-8);
        assert_near(value(&o, "ball.velocity.z"), 0.0, 1e-8);
        run(&o, 2.2);
        assert_near(value(&o, "ball.position.z"), 0.3, 1e-8);
        assert_near(value(&o, "ball.velocity.z"), 0.5, 1e-8);
        end(&o);
    }
}

/* The rope is taut 0.1 m above the floor, where the ball falls with sqrt(98) m/s: it hangs there. */
static void a_rope_catches_what_falls(void **state)
{
    for (int version = 2; version <= 3; ++version) {
        outside o;
        start(&o, caught, version);
        run(&o, 0.5);
        assert_near(value(&o, "ball.position.z"), 3.75, 1e-8);
        run(&o, 0.98);
        assert_near(value(&o, "ball.velocity.z"), -9.8, 1e-8);
        run(&o, 2.0);
        assert_near(value(&o, "ball.position.z"), 0.1, 1e-8);
        assert_near(value(&o, "ball.velocity.z"), 0.0, 1e-8);
        run(&o, 5.0);
        assert_true(o.terminated);
        assert_near(o.t, 4.0, 1e-8);
        end(&o);
    }
}

/* The same in steps of the unit: they end where something happens, if asked to. */
static void steps_end_where_forces_are_switched(void **state)
{
    static const double stops[] = {1.0, 2.5, 4.5};
    static const char *const parameters[] = {"m"};
    const fmu_source from = {.text = cart, .name = "cart", .parameter = parameters, .nparameters = 1};
    importer i;
    fmi3Boolean event = false, terminate = false, early = false;
    double t = 0.0;
    importer_open(&i, &from, 3, code);
    fmi3Instance u = i.p_fmi3InstantiateCoSimulation("u", i.token, i.resources, false, true, true, true, NULL, 0, NULL,
                                                     importer_log3, NULL);
    assert_non_null(u);
    assert_int_equal(i.p_fmi3EnterInitializationMode(u, false, 0.0, 0.0, false, 0.0), fmi3OK);
    assert_int_equal(i.p_fmi3ExitInitializationMode(u), fmi3OK);
    for (size_t k = 0; k < LEN(stops); ++k) {
        assert_int_equal(i.p_fmi3DoStep(u, t, 6.0 - t, true, &event, &terminate, &early, &t), fmi3OK);
        assert_near(t, stops[k], 1e-9);
        assert_true(early && (k < 2 ? event && !terminate : terminate));
    }
    i.p_fmi3FreeInstance(u);
    importer_close(&i);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_are_switched),
                                       cmocka_unit_test(steps_end_where_forces_are_switched),
                                       cmocka_unit_test(joints_are_closed_and_opened),
                                       cmocka_unit_test(a_rope_catches_what_falls),
                                       cmocka_unit_test(a_ball_bounces_on_its_stop),
                                       cmocka_unit_test(impacts_are_where_they_are),
                                       cmocka_unit_test(friction_buffers_and_times_are_switched)};
    int failed;
    code = argc > 1 && strcmp(argv[1], "generated") == 0 ? FMU_GENERATED : FMU_LIBRARY;
    backend_cache("-O1");
    if (code == FMU_GENERATED) { // it has no contacts but limits and ropes
        const struct CMUnitTest some[] = {tests[0], tests[1], tests[2], tests[3], tests[4]};
        failed = cmocka_run_group_tests(some, NULL, NULL);
    } else {
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    }
    backend_cache_remove();
    return failed;
}
