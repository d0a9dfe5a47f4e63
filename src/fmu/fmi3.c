/* FMI 3.0: co-simulation and model exchange. Variables are of type Float64; the functions of other types, of clocks, of adjoint derivatives and of scheduled
 * execution are there, because importers look for them, and refuse. */
#include "fmu/fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/instance.h"

typedef struct fmi_unit {
    fmu_instance *u;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    int event_mode, early_return;
} fmi_unit;

static void fmi_say(void *user, int error, const char *text)
{
    const fmi_unit *s = user;
    if (s->log != NULL) {
        s->log(s->environment, error ? fmi3Error : fmi3Warning, error ? "logStatusError" : "logStatusWarning", text);
    }
}

#define FMI(name) fmi3##name
#define FMI_INSTANCE fmi3Instance
#define FMI_STATE fmi3FMUState
#include "fmu/both.h"

/* ---- creation ------------------------------------------------------------------------------------ */

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    (void)name, (void)visible, (void)logging;
    return fmi_open_unit(&(fmi_unit){.environment = environment, .log = log}, token, resources, 1);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early_return,
                                         const fmi3ValueReference required[], size_t nrequired,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)name, (void)visible, (void)logging, (void)required, (void)nrequired, (void)update;
    const fmi_unit like = {
        .environment = environment, .log = log, .event_mode = event_mode, .early_return = early_return};
    return fmi_open_unit(&like, token, resources, 0);
}

/* ---- modes and values ---------------------------------------------------------------------------- */

fmi3Status fmi3EnterInitializationMode(fmi3Instance u, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    fmu_set_start(fmi_of(u), start);
    return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance u)
{
    (void)u;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance u, const fmi3ValueReference reference[], size_t n, fmi3Float64 value[],
                          size_t nvalues)
{
    return n == nvalues ? fmi_as_status(fmu_get(fmi_of(u), value, reference, n))
                        : fmi_refuse(u, "a value for each variable");
}

fmi3Status fmi3SetFloat64(fmi3Instance u, const fmi3ValueReference reference[], size_t n, const fmi3Float64 value[],
                          size_t nvalues)
{
    return n == nvalues ? fmi_as_status(fmu_set(fmi_of(u), reference, value, n))
                        : fmi_refuse(u, "a value for each variable");
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance u, const fmi3ValueReference unknown[], size_t n,
                                        const fmi3ValueReference known[], size_t nknown, const fmi3Float64 seed[],
                                        size_t nseed, fmi3Float64 sensitivity[], size_t nsensitivity)
{
    return nseed == nknown && nsensitivity == n
               ? fmi_as_status(fmu_directional(fmi_of(u), sensitivity, unknown, n, known, nknown, seed))
               : fmi3Error;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance u, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals,
                                    fmi3Boolean *values, fmi3Boolean *next_defined, fmi3Float64 *next)
{
    fmu_update did;
    const int failed = fmu_update_events(fmi_of(u), &did);
    *again = *nominals = false;
    *terminate = did.terminated != 0;
    *values = did.moved != 0;
    *next_defined = did.next < INFINITY;
    *next = *next_defined ? did.next : 0.0;
    return fmi_as_status(failed);
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance u, size_t *n)
{
    *n = (size_t)fmu_indicator_count(fmi_of(u));
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance u, size_t *n)
{
    *n = (size_t)fmu_states(fmi_of(u));
    return fmi3OK;
}

/* ---- co-simulation ------------------------------------------------------------------------------- */

fmi3Status fmi3DoStep(fmi3Instance u, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_return, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    const fmi_unit *s = u;
    fmu_step did;
    (void)no_return;
    const fmi3Status st = fmi_as_status(fmu_go(s->u, &did, t, h, s->event_mode && s->early_return));
    *event = did.event != 0;
    *terminate = did.terminated != 0;
    *early = s->early_return && (did.event != 0 || did.terminated != 0);
    *last = did.t;
    return st;
}

/* ---- what there is not --------------------------------------------------------------------------- */

FMI3_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(void);
fmi3Instance fmi3InstantiateScheduledExecution(void)
{
    return NULL;
}

/* Importers look up the names; arguments do not matter to a function that uses the first one only. */
#define REFUSE(name)                                                                     \
    FMI3_EXPORT fmi3Status name(fmi3Instance u);                                         \
    fmi3Status name(fmi3Instance u)                                                      \
    {                                                                                    \
        return fmi_refuse(u, #name ": units have variables of type Float64, no clocks"); \
    }
// clang-format off
REFUSE(fmi3GetFloat32) REFUSE(fmi3SetFloat32) REFUSE(fmi3GetInt8)
REFUSE(fmi3SetInt8) REFUSE(fmi3GetUInt8) REFUSE(fmi3SetUInt8)
REFUSE(fmi3GetInt16) REFUSE(fmi3SetInt16) REFUSE(fmi3GetUInt16)
REFUSE(fmi3SetUInt16) REFUSE(fmi3GetInt32) REFUSE(fmi3SetInt32)
REFUSE(fmi3GetUInt32) REFUSE(fmi3SetUInt32) REFUSE(fmi3GetInt64)
REFUSE(fmi3SetInt64) REFUSE(fmi3GetUInt64) REFUSE(fmi3SetUInt64)
REFUSE(fmi3GetBoolean) REFUSE(fmi3SetBoolean) REFUSE(fmi3GetString)
REFUSE(fmi3SetString) REFUSE(fmi3GetBinary) REFUSE(fmi3SetBinary)
REFUSE(fmi3GetClock) REFUSE(fmi3SetClock) REFUSE(fmi3GetNumberOfVariableDependencies)
REFUSE(fmi3GetVariableDependencies) REFUSE(fmi3GetAdjointDerivative) REFUSE(fmi3EnterConfigurationMode)
REFUSE(fmi3ExitConfigurationMode) REFUSE(fmi3GetIntervalDecimal) REFUSE(fmi3GetIntervalFraction)
REFUSE(fmi3GetShiftDecimal) REFUSE(fmi3GetShiftFraction) REFUSE(fmi3SetIntervalDecimal)
REFUSE(fmi3SetIntervalFraction) REFUSE(fmi3SetShiftDecimal) REFUSE(fmi3SetShiftFraction)
REFUSE(fmi3EvaluateDiscreteStates) REFUSE(fmi3GetOutputDerivatives) REFUSE(fmi3ActivateModelPartition)
    // clang-format on
