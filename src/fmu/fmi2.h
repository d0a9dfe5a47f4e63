/* Types and functions of FMI 2.0 (fmi-standard.org, section 2.1 and the following ones), as far as units of ours use them. Written from the
 * standard; test/fmu/test_fmu_standard.c compares. */
#ifndef DAL_FMU_FMI2_H
#define DAL_FMU_FMI2_H

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...);
    void *(*allocateMemory)(size_t n, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged,
        valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

/* X(name, arguments): all return a status */
#define FMI2_FUNCTIONS(X)                                                                                              \
    X(fmi2SetDebugLogging, (fmi2Component u, fmi2Boolean on, size_t n, const fmi2String categories[]))                 \
    X(fmi2SetupExperiment, (fmi2Component u, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,        \
                            fmi2Boolean stop_defined, fmi2Real stop))                                                  \
    X(fmi2EnterInitializationMode, (fmi2Component u))                                                                  \
    X(fmi2ExitInitializationMode, (fmi2Component u))                                                                   \
    X(fmi2Terminate, (fmi2Component u))                                                                                \
    X(fmi2Reset, (fmi2Component u))                                                                                    \
    X(fmi2GetReal, (fmi2Component u, const fmi2ValueReference reference[], size_t n, fmi2Real value[]))                \
    X(fmi2SetReal, (fmi2Component u, const fmi2ValueReference reference[], size_t n, const fmi2Real value[]))          \
    X(fmi2GetFMUstate, (fmi2Component u, fmi2FMUstate * state))                                                        \
    X(fmi2SetFMUstate, (fmi2Component u, fmi2FMUstate state))                                                          \
    X(fmi2FreeFMUstate, (fmi2Component u, fmi2FMUstate * state))                                                       \
    X(fmi2SerializedFMUstateSize, (fmi2Component u, fmi2FMUstate state, size_t * size))                                \
    X(fmi2SerializeFMUstate, (fmi2Component u, fmi2FMUstate state, fmi2Byte bytes[], size_t size))                     \
    X(fmi2DeSerializeFMUstate, (fmi2Component u, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state))            \
    X(fmi2GetDirectionalDerivative,                                                                                    \
      (fmi2Component u, const fmi2ValueReference unknown[], size_t n, const fmi2ValueReference known[], size_t nknown, \
       const fmi2Real seed[], fmi2Real sensitivity[]))                                                                 \
    X(fmi2EnterEventMode, (fmi2Component u))                                                                           \
    X(fmi2NewDiscreteStates, (fmi2Component u, fmi2EventInfo * info))                                                  \
    X(fmi2EnterContinuousTimeMode, (fmi2Component u))                                                                  \
    X(fmi2CompletedIntegratorStep,                                                                                     \
      (fmi2Component u, fmi2Boolean no_return, fmi2Boolean * enter_event_mode, fmi2Boolean * terminate))               \
    X(fmi2SetTime, (fmi2Component u, fmi2Real t))                                                                      \
    X(fmi2SetContinuousStates, (fmi2Component u, const fmi2Real x[], size_t n))                                        \
    X(fmi2GetDerivatives, (fmi2Component u, fmi2Real dx[], size_t n))                                                  \
    X(fmi2GetEventIndicators, (fmi2Component u, fmi2Real z[], size_t n))                                               \
    X(fmi2GetContinuousStates, (fmi2Component u, fmi2Real x[], size_t n))                                              \
    X(fmi2GetNominalsOfContinuousStates, (fmi2Component u, fmi2Real x[], size_t n))                                    \
    X(fmi2DoStep, (fmi2Component u, fmi2Real t, fmi2Real h, fmi2Boolean no_return))                                    \
    X(fmi2GetRealStatus, (fmi2Component u, const fmi2StatusKind kind, fmi2Real *value))                                \
    X(fmi2GetBooleanStatus, (fmi2Component u, const fmi2StatusKind kind, fmi2Boolean *value))

#define FMI2_DECLARE(name, arguments) __attribute__((visibility("default"))) fmi2Status name arguments;
FMI2_FUNCTIONS(FMI2_DECLARE)
#undef FMI2_DECLARE

#define FMI2_EXPORT __attribute__((visibility("default")))
FMI2_EXPORT const char *fmi2GetTypesPlatform(void);
FMI2_EXPORT const char *fmi2GetVersion(void);
FMI2_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                          const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                                          fmi2Boolean logging);
FMI2_EXPORT void fmi2FreeInstance(fmi2Component u);

#endif
