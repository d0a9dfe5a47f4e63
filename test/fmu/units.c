/* Units that several tests run. */
#include <math.h>
#include <string.h>

#include "units.h"

/* A robot arm whose joints follow targets, which are inputs. */
static const char arm[] =
    "{\"dalembert\": 1, \"name\": \"arm\", \"gravity\": [0, 0, -9.81],"
    "\"variables\": {\"kp\": 300, \"kd\": 20, \"m\": 4},"
    "\"inputs\": {\"turn\": 0, \"lift\": {\"value\": 0, \"unit\": \"rad\", \"min\": -2, \"max\": 2}, \"bend\": 0},"
    "\"bodies\": [{\"name\": \"base\", \"mass\": 10, \"inertia\": 0.2},"
    "{\"name\": \"upper\", \"mass\": \"m\", \"inertia\": [0.01, 0.1, 0.1], \"position\": [0.3, 0, 0.2]},"
    "{\"name\": \"lower\", \"mass\": 2, \"inertia\": [0.01, 0.05, 0.05], \"position\": [0.85, 0, 0.2]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"base\", \"axis\": [0, 0, 1]},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"body_a\": \"base\", \"body_b\": \"upper\", \"point\": [0, 0, 0.2], "
    "\"axis\": [0, -1, 0]},"
    "{\"name\": \"C\", \"type\": \"revolute\", \"body_a\": \"upper\", \"body_b\": \"lower\", \"point\": [0.6, 0, 0.2], "
    "\"axis\": [0, -1, 0]}],"
    "\"forces\": [{\"name\": \"a\", \"type\": \"law\", \"joint\": \"A\", \"value\": \"kp*(turn - c) - kd*w\", "
    "\"inputs\": {\"c\": \"A.coordinate\", \"w\": \"A.coordinate_velocity\"}},"
    "{\"name\": \"b\", \"type\": \"law\", \"joint\": \"B\", \"value\": \"kp*(lift - c) - kd*w\", \"inputs\": {\"c\": "
    "\"B.coordinate\", \"w\": \"B.coordinate_velocity\"}},"
    "{\"name\": \"c\", \"type\": \"law\", \"joint\": \"C\", \"value\": \"kp*(bend - c) - kd*w\", \"inputs\": {\"c\": "
    "\"C.coordinate\", \"w\": \"C.coordinate_velocity\"}}],"
    "\"outputs\": [\"lower.position\", \"A.coordinate\", \"B.coordinate\", \"C.coordinate\", \"energy\", "
    "\"lower.rotation_vector\"], "
    "\"simulation\": {\"h\": 1e-3, \"t_end\": 1, \"newton\": \"full\"}}";
static const char *const arm_parameters[] = {"kp", "m"};
const fmu_source arm_unit = {.text = arm, .name = "arm", .parameter = arm_parameters, .nparameters = 2};

/* A ball that bounces and spins by the compliant law, which remembers how fast it touched. */
static const char thrown[] =
    "{\"dalembert\": 1, \"name\": \"thrown\", \"gravity\": [0, 0, -9.81],"
    "\"bodies\": [{\"name\": \"ball\", \"mass\": 1, \"inertia\": 0.004, \"position\": [0, 0, 0.2], \"velocity\": [0.5, "
    "0, "
    "0]}],"
    "\"forces\": [{\"name\": \"floor\", \"type\": \"contact\", \"body_b\": \"ball\", \"point_a\": [0, 0, 0], "
    "\"shape\": "
    "\"sphere\", \"radius\": 0.1, \"stiffness\": 2e4, \"restitution\": 0.6, \"mu\": 0.3, \"slip\": 0.01}],"
    "\"outputs\": [\"ball.position\", \"ball.velocity\", \"ball.angular_velocity\", \"energy\"],"
    "\"simulation\": {\"h\": 1e-3, \"t_end\": 1, \"newton\": \"full\"}}";
const fmu_source thrown_unit = {.text = thrown, .name = "thrown"};

/* A link that a sampled controller lifts; a spring that events switch on and off, a push that acts for some time, a counter. The gain follows from an
 * input that events set and from a parameter. */
static const char switched[] =
    "{\"dalembert\": 1, \"name\": \"switched\", \"gravity\": [0, 0, -9.81], \"variables\": {\"k\": 25, \"goal\": 0.8},"
    "\"inputs\": {\"u\": {\"value\": 0, \"min\": -40, \"max\": 40}, \"gain\": 1, \"count\": 0},"
    "\"bodies\": [{\"name\": \"link\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.01], \"position\": [0, 0, -0.5]}],"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"link\", \"point\": [0, 0, 0], \"axis\": "
    "[1, 0, 0]}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"law\", \"joint\": \"hinge\", \"value\": \"u*k/25\"},"
    "{\"name\": \"push\", \"type\": \"force\", \"body\": \"link\", \"vector\": [0, 3, 0], \"active\": {\"from\": "
    "0.2567, \"to\": "
    "0.6}},"
    "{\"name\": \"spring\", \"type\": \"spring\", \"joint\": \"hinge\", \"stiffness\": 6, \"damping\": 0.1, "
    "\"active\": "
    "false}],"
    "\"events\": [{\"name\": \"servo\", \"every\": 0.01, \"set\": {\"u\": \"gain*k*(goal*cos(7*t) - hinge.coordinate) "
    "- "
    "hinge.coordinate_velocity\"}},"
    "{\"name\": \"over\", \"when\": \"hinge.coordinate > 0.75\", \"on\": \"spring\", \"set\": {\"count\": \"count + "
    "1\"}},"
    "{\"name\": \"under\", \"when\": \"hinge.coordinate < 0.3\", \"off\": \"spring\", \"set\": {\"gain\": \"1 + "
    "0.1*count\"}},"
    "{\"name\": \"pulled\", \"when\": \"hinge.force.z > 20\", \"once\": true, \"off\": \"push\"}],"
    "\"outputs\": [\"hinge.coordinate\", \"hinge.coordinate_velocity\", \"spring.force_value\", \"motor.force_value\", "
    "\"link.position\", "
    "\"energy\", \"hinge.force\"],"
    "\"simulation\": {\"h\": 0.004, \"t_end\": 2, \"newton\": \"full\"}}";
static const char *const switched_parameters[] = {"k", "goal"};
const fmu_source switched_unit = {
    .text = switched, .name = "switched", .parameter = switched_parameters, .nparameters = 2};

/* ---- what is compared with: a simulation of the library ------------------------------------------ */

void own_start(own *o, const fmu_source *from, const char *const *set, int nset)
{
    const dal_system *sys;
    const dal_load_options how = {.text = from->text, .set = set, .nset = nset};
    memset(o, 0, sizeof *o);
    o->ctx = check_ctx();
    check_ok(o->ctx, dal_document_open_with(&o->doc, o->ctx, from->name, &how));
    o->model = dal_document_model(o->doc);
    check_ok(o->ctx, dal_channels_create(&o->channels, o->ctx, o->model));
    check_ok(o->ctx, dal_model_compile(o->model, &sys));
    check_ok(o->ctx, dal_channels_bind(o->channels, sys));
    check_ok(o->ctx, dal_document_assemble(o->doc, NULL, sys));
    check_ok(o->ctx, dal_sim_create(&o->sim, o->ctx, sys, dal_document_options(o->doc)));
    check_ok(o->ctx, dal_sim_start(o->sim, NULL, 0.0, dal_model_q0(o->model), dal_model_v0(o->model)));
    int first;
    o->ny = dal_channels_table(o->channels, &first, DAL_RECORD_OUTPUTS);
    assert_true(o->ny > 0 && dal_model_output_size(o->model) <= (int)LEN(o->y));
}

const double *own_outputs(own *o)
{
    const dal_state s = dal_sim_shown_state(o->sim);
    const dal_point at = {.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
    check_ok(o->ctx, dal_model_outputs(o->model, dal_sim_data(o->sim), o->y, &at));
    return o->y;
}

void own_end(own *o)
{
    dal_sim_destroy(o->sim);
    dal_channels_destroy(o->channels);
    dal_document_destroy(o->doc);
    check_ctx_free(o->ctx);
}

/* ---- units ---------------------------------------------------------------------------------------- */

fmi3Instance start3(const importer *i, int early_return)
{
    fmi3Instance u = i->p_fmi3InstantiateCoSimulation("u", i->token, i->resources, false, true, early_return != 0,
                                                      early_return != 0, NULL, 0, NULL, importer_log3, NULL);
    if (u == NULL) {
        fail_msg("%s", importer_message);
    }
    return u;
}

void initialize3(const importer *i, fmi3Instance u)
{
    assert_int_equal(i->p_fmi3EnterInitializationMode(u, false, 0.0, 0.0, false, 0.0), fmi3OK);
    assert_int_equal(i->p_fmi3ExitInitializationMode(u), fmi3OK);
}

double get3(const importer *i, fmi3Instance u, unsigned reference)
{
    double value = NAN;
    assert_int_equal(i->p_fmi3GetFloat64(u, &reference, 1, &value, 1), fmi3OK);
    return value;
}

void set3(const importer *i, fmi3Instance u, unsigned reference, double value)
{
    assert_int_equal(i->p_fmi3SetFloat64(u, &reference, 1, &value, 1), fmi3OK);
}

double step3(const importer *i, fmi3Instance u, double t, double h)
{
    fmi3Boolean event, terminate, early;
    double last = NAN;
    if (i->p_fmi3DoStep(u, t, h, true, &event, &terminate, &early, &last) != fmi3OK) {
        fail_msg("%s", importer_message);
    }
    return last;
}
