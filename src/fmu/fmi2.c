/* FMI 2.0: co-simulation and model exchange. Variables are of type Real; functions of other types, of derivatives of inputs and outputs over time
 * and of asynchronous steps are there, because importers look for them, and refuse. */
#include "fmu/fmi2.h"

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
        s->call->logger(s->call->environment, s->name, error ? fmi2Error : fmi2Warning,
                        error ? "logStatusError" : "logStatusWarning", "%s", text);
    }
}

static fmi2Status fmi_as_status(int failed)
{
    return failed ? fmi2Error : fmi2OK;
}

static fmi2Status fmi_refuse(fmi2Component u, const char *text)
{
    if (u != NULL) {
        (void)fmu_fail(((fmi_unit *)u)->u, text);
    }
    return fmi2Error;
}

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
    (void)visible, (void)logging;
    fmi_unit *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->call = functions;
    snprintf(s->name, sizeof s->name, "%s", name != NULL ? name : "");
    fmi_path_of(path, sizeof path, resources != NULL ? resources : "");
    s->u = fmu_open(path, guid, type == fmi2ModelExchange, fmi_say, s);
    if (s->u == NULL) {
        free(s);
        return NULL;
    }
    return s;
}

void fmi2FreeInstance(fmi2Component u)
{
    fmi_unit *s = u;
    if (s != NULL) {
        fmu_close(s->u);
        free(s);
    }
}

/* ---- modes and values ---------------------------------------------------------------------------- */

fmi2Status fmi2SetDebugLogging(fmi2Component u, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)u, (void)on, (void)n, (void)categories;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component u, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    fmu_set_start(((fmi_unit *)u)->u, start);
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component u)
{
    (void)u;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component u)
{
    return fmi_as_status(fmu_start(((fmi_unit *)u)->u));
}

fmi2Status fmi2Terminate(fmi2Component u)
{
    (void)u;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component u)
{
    return fmi_as_status(fmu_reset(((fmi_unit *)u)->u));
}

fmi2Status fmi2GetReal(fmi2Component u, const fmi2ValueReference reference[], size_t n, fmi2Real value[])
{
    return fmi_as_status(fmu_get(((fmi_unit *)u)->u, value, reference, n));
}

fmi2Status fmi2SetReal(fmi2Component u, const fmi2ValueReference reference[], size_t n, const fmi2Real value[])
{
    return fmi_as_status(fmu_set(((fmi_unit *)u)->u, reference, value, n));
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component u, const fmi2ValueReference unknown[], size_t n,
                                        const fmi2ValueReference known[], size_t nknown, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    return fmi_as_status(fmu_directional(((fmi_unit *)u)->u, sensitivity, unknown, n, known, nknown, seed));
}

/* ---- saving --------------------------------------------------------------------------------------- */

fmi2Status fmi2FreeFMUstate(fmi2Component u, fmi2FMUstate *state)
{
    (void)u;
    fmu_forget(state);
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component u, fmi2FMUstate *state)
{
    return fmi_as_status(fmu_keep(((fmi_unit *)u)->u, state));
}

fmi2Status fmi2SetFMUstate(fmi2Component u, fmi2FMUstate state)
{
    return fmi_as_status(fmu_return_to(((fmi_unit *)u)->u, state));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component u, fmi2FMUstate state, size_t *size)
{
    (void)u;
    *size = fmu_kept_size(state);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component u, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return fmi_as_status(fmu_write_kept(((fmi_unit *)u)->u, state, bytes, size));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component u, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    return fmi_as_status(fmu_read_kept(((fmi_unit *)u)->u, state, bytes, size));
}

/* ---- model exchange ------------------------------------------------------------------------------ */

fmi2Status fmi2EnterEventMode(fmi2Component u)
{
    (void)u;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component u, fmi2EventInfo *info)
{
    (void)u;
    *info = (fmi2EventInfo){0};
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component u)
{
    (void)u;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component u, fmi2Boolean no_return, fmi2Boolean *enter_event_mode,
                                       fmi2Boolean *terminate)
{
    (void)u, (void)no_return;
    *enter_event_mode = *terminate = 0;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component u, fmi2Real t)
{
    return fmi_as_status(fmu_set_time(((fmi_unit *)u)->u, t));
}

fmi2Status fmi2SetContinuousStates(fmi2Component u, const fmi2Real x[], size_t n)
{
    return fmi_as_status(fmu_set_states(((fmi_unit *)u)->u, x, n));
}

fmi2Status fmi2GetContinuousStates(fmi2Component u, fmi2Real x[], size_t n)
{
    return fmi_as_status(fmu_get_states(((fmi_unit *)u)->u, x, n));
}

fmi2Status fmi2GetDerivatives(fmi2Component u, fmi2Real dx[], size_t n)
{
    return fmi_as_status(fmu_derivatives(((fmi_unit *)u)->u, dx, n));
}

fmi2Status fmi2GetEventIndicators(fmi2Component u, fmi2Real z[], size_t n)
{
    (void)u, (void)z;
    return n == 0 ? fmi2OK : fmi2Error;
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component u, fmi2Real x[], size_t n)
{
    return fmi_as_status(fmu_nominals(((fmi_unit *)u)->u, x, n));
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
