/* Units with impacts, friction and events, integrated from outside by an importer that looks for events: motions with closed forms, both versions of
 * the standard. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "importer.h"

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
        o->terminated = info.terminate;
        o->next = info.next_defined ? info.next : INFINITY;
    }
    BOTH(o, fmi3EnterContinuousTimeMode(o->u), fmi2EnterContinuousTimeMode(o->u));
    BOTH(o, fmi3GetContinuousStates(o->u, o->x, o->nx), fmi2GetContinuousStates(o->u, o->x, o->nx));
    indicators(o, o->z, o->t, o->x);
    o->events++;
}

static void start(outside *o, const char *text, int version)
{
    static const fmi2CallbackFunctions call = {.logger = importer_log2};
    const fmu_source from = {.text = text, .name = "unit"};
    memset(o, 0, sizeof *o);
    importer_open(&o->i, &from, version, FMU_LIBRARY);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(impacts_are_where_they_are),
                                       cmocka_unit_test(friction_buffers_and_times_are_switched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
