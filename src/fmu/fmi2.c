/* FMI 2.0: co-simulation and model exchange. Variables are of type Real; functions of other types, of derivatives of inputs and outputs over time
 * and of asynchronous steps are there, because importers look for them, and refuse. */
#include "fmu/fmi2.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/instance.h"

typedef struct fmi_unit {
    fmu_instance *u;
    const fmi2CallbackFunctions *call;
    char name[128];
    fmu_step last;
} fmi_unit;

static void fmi_say(void *user, int error, const char *text)
{
    const fmi_unit *s = user;
    if (s->call != NULL && s->call->logger != NULL) {
        s->call->logger(s->call->componentEnvironment, s->name, error ? fmi2Error : fmi2Warning,
                        error ? "logStatusError" : "logStatusWarning", "%s", text);
    }
}

#define FMI(name) fmi2##name
#define FMI_INSTANCE fmi2Component
#define FMI_STATE fmi2FMUstate
#define fmi2GetFMUState fmi2GetFMUstate
#define fmi2SetFMUState fmi2SetFMUstate
#define fmi2FreeFMUState fmi2FreeFMUstate
#define fmi2SerializedFMUStateSize fmi2SerializedFMUstateSize
#define fmi2SerializeFMUState fmi2SerializeFMUstate
#define fmi2DeserializeFMUState fmi2DeSerializeFMUstate
#define fmi2GetContinuousStateDerivatives fmi2GetDerivatives
#include "fmu/both.h"

/* ---- creation ------------------------------------------------------------------------------------ */

/* The path of "file:///a%20b" */
static void fmi_path_of(char *path, size_t size, const char *uri)
{
    size_t n = 0;
    uri += strncmp(uri, "file://", 7) == 0 ? 7 : strncmp(uri, "file:", 5) == 0 ? 5 : 0;
    while (*uri != '\0' && n + 1 < size) {
        char code[3] = {0};
        if (*uri == '%' && uri[1] != '\0' && uri[2] != '\0') {
            memcpy(code, uri + 1, 2);
            path[n++] = (char)strtol(code, NULL, 16);
            uri += 3;
        } else {
            path[n++] = *uri++;
        }
    }
    path[n] = '\0';
}

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    char path[4096];
    fmi_unit like = {.call = functions};
    (void)visible, (void)logging;
    snprintf(like.name, sizeof like.name, "%s", name != NULL ? name : "");
    fmi_path_of(path, sizeof path, resources != NULL ? resources : "");
    return fmi_open_unit(&like, guid, path, type == fmi2ModelExchange);
}

/* ---- modes and values ---------------------------------------------------------------------------- */

fmi2Status fmi2SetupExperiment(fmi2Component u, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    fmu_set_start(fmi_of(u), start);
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component u)
{
    (void)u;
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component u, const fmi2ValueReference reference[], size_t n, fmi2Real value[])
{
    return fmi_as_status(fmu_get(fmi_of(u), value, reference, n));
}

fmi2Status fmi2SetReal(fmi2Component u, const fmi2ValueReference reference[], size_t n, const fmi2Real value[])
{
    return fmi_as_status(fmu_set(fmi_of(u), reference, value, n));
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component u, const fmi2ValueReference unknown[], size_t n,
                                        const fmi2ValueReference known[], size_t nknown, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    return fmi_as_status(fmu_directional(fmi_of(u), sensitivity, unknown, n, known, nknown, seed));
}

fmi2Status fmi2NewDiscreteStates(fmi2Component u, fmi2EventInfo *info)
{
    fmu_update did;
    const int failed = fmu_update_events(fmi_of(u), &did);
    *info = (fmi2EventInfo){.terminateSimulation = did.terminated,
                            .valuesOfContinuousStatesChanged = did.moved,
                            .nextEventTimeDefined = did.next < INFINITY,
                            .nextEventTime = did.next < INFINITY ? did.next : 0.0};
    return fmi_as_status(failed);
}

/* ---- co-simulation ------------------------------------------------------------------------------- */

/* A run that the model ends is a step that is not done: the status tells how far it has got. */
fmi2Status fmi2DoStep(fmi2Component u, fmi2Real t, fmi2Real h, fmi2Boolean no_return)
{
    fmi_unit *s = u;
    (void)no_return;
    const fmi2Status st = fmi_as_status(fmu_go(s->u, &s->last, t, h, 0));
    return st == fmi2OK && s->last.terminated ? fmi2Discard : st;
}

fmi2Status fmi2GetRealStatus(fmi2Component u, const fmi2StatusKind kind, fmi2Real *value)
{
    *value = ((fmi_unit *)u)->last.t;
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component u, const fmi2StatusKind kind, fmi2Boolean *value)
{
    *value = ((fmi_unit *)u)->last.terminated;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

/* ---- what there is not --------------------------------------------------------------------------- */

/* Importers look up the names; arguments do not matter to a function that uses the first one only. */
#define REFUSE(name)                                                                              \
    FMI2_EXPORT fmi2Status name(fmi2Component u);                                                 \
    fmi2Status name(fmi2Component u)                                                              \
    {                                                                                             \
        return fmi_refuse(u, #name ": units have variables of type Real, steps are synchronous"); \
    }
// clang-format off
REFUSE(fmi2GetInteger) REFUSE(fmi2SetInteger) REFUSE(fmi2GetBoolean)
REFUSE(fmi2SetBoolean) REFUSE(fmi2GetString) REFUSE(fmi2SetString)
REFUSE(fmi2SetRealInputDerivatives) REFUSE(fmi2GetRealOutputDerivatives) REFUSE(fmi2CancelStep)
REFUSE(fmi2GetStatus) REFUSE(fmi2GetIntegerStatus) REFUSE(fmi2GetStringStatus)
    // clang-format on
