/* What an importer needs of FMI 2.0, written from the text of the standard (sections 2.1, 3.2 and 4.2) and without a look at what units are made of: types, values, and
 * the arguments of all functions. test_fmu_standard.c holds the headers of the units against it, by defining STANDARD_COMPARED. */
#ifndef STANDARD2_H
#define STANDARD2_H

#include <stddef.h>

/* 2.1.2, platform "default" */
typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;

/* 2.1.3, 2.1.5, 4.2.3: X(name, value) */
#define STANDARD2_STATUS(X) \
    X(fmi2OK, 0) X(fmi2Warning, 1) X(fmi2Discard, 2) X(fmi2Error, 3) X(fmi2Fatal, 4) X(fmi2Pending, 5)
#define STANDARD2_TYPE(X) X(fmi2ModelExchange, 0) X(fmi2CoSimulation, 1)
#define STANDARD2_STATUS_KIND(X) \
    X(fmi2DoStepStatus, 0) X(fmi2PendingStatus, 1) X(fmi2LastSuccessfulTime, 2) X(fmi2Terminated, 3)

#ifndef STANDARD_COMPARED
#define STANDARD_VALUE(name, value) name = (value),
typedef enum { STANDARD2_STATUS(STANDARD_VALUE) } fmi2Status;
typedef enum { STANDARD2_TYPE(STANDARD_VALUE) } fmi2Type;
typedef enum { STANDARD2_STATUS_KIND(STANDARD_VALUE) } fmi2StatusKind;
#undef STANDARD_VALUE
#endif

/* 2.1.5; typedefs may be told twice if they are the same */
typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef void *(*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void *);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);

/* 2.1.5 and 3.2.2, members in their order: X(type, name) */
#define STANDARD2_CALLBACKS(X)                    \
    X(fmi2CallbackLogger, logger)                 \
    X(fmi2CallbackAllocateMemory, allocateMemory) \
    X(fmi2CallbackFreeMemory, freeMemory)         \
    X(fmi2StepFinished, stepFinished)             \
    X(fmi2ComponentEnvironment, componentEnvironment)
#define STANDARD2_EVENT_INFO(X)                       \
    X(fmi2Boolean, newDiscreteStatesNeeded)           \
    X(fmi2Boolean, terminateSimulation)               \
    X(fmi2Boolean, nominalsOfContinuousStatesChanged) \
    X(fmi2Boolean, valuesOfContinuousStatesChanged)   \
    X(fmi2Boolean, nextEventTimeDefined)              \
    X(fmi2Real, nextEventTime)

#define STANDARD_MEMBER(type, name) type name;
#ifndef STANDARD_COMPARED
typedef struct fmi2CallbackFunctions {
    STANDARD2_CALLBACKS(STANDARD_MEMBER)
} fmi2CallbackFunctions;
typedef struct fmi2EventInfo {
    STANDARD2_EVENT_INFO(STANDARD_MEMBER)
} fmi2EventInfo;
#endif

/* Functions that return no status: X(result, name, arguments) */
#define STANDARD2_OTHERS(X)                                                                                    \
    X(const char *, fmi2GetTypesPlatform, (void))                                                              \
    X(const char *, fmi2GetVersion, (void))                                                                    \
    X(fmi2Component, fmi2Instantiate,                                                                          \
      (fmi2String, fmi2Type, fmi2String, fmi2String, const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean)) \
    X(void, fmi2FreeInstance, (fmi2Component))

/* Those that units of ours have something to do for: X(name, arguments) */
#define STANDARD2_REFERENCES fmi2Component, const fmi2ValueReference *, size_t
#define STANDARD2_FUNCTIONS(X)                                                                      \
    X(fmi2SetDebugLogging, (fmi2Component, fmi2Boolean, size_t, const fmi2String *))                \
    X(fmi2SetupExperiment, (fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real)) \
    X(fmi2EnterInitializationMode, (fmi2Component))                                                 \
    X(fmi2ExitInitializationMode, (fmi2Component))                                                  \
    X(fmi2Terminate, (fmi2Component))                                                               \
    X(fmi2Reset, (fmi2Component))                                                                   \
    X(fmi2GetReal, (STANDARD2_REFERENCES, fmi2Real *))                                              \
    X(fmi2SetReal, (STANDARD2_REFERENCES, const fmi2Real *))                                        \
    X(fmi2GetFMUstate, (fmi2Component, fmi2FMUstate *))                                             \
    X(fmi2SetFMUstate, (fmi2Component, fmi2FMUstate))                                               \
    X(fmi2FreeFMUstate, (fmi2Component, fmi2FMUstate *))                                            \
    X(fmi2SerializedFMUstateSize, (fmi2Component, fmi2FMUstate, size_t *))                          \
    X(fmi2SerializeFMUstate, (fmi2Component, fmi2FMUstate, fmi2Byte *, size_t))                     \
    X(fmi2DeSerializeFMUstate, (fmi2Component, const fmi2Byte *, size_t, fmi2FMUstate *))           \
    X(fmi2GetDirectionalDerivative,                                                                 \
      (STANDARD2_REFERENCES, const fmi2ValueReference *, size_t, const fmi2Real *, fmi2Real *))     \
    X(fmi2EnterEventMode, (fmi2Component))                                                          \
    X(fmi2NewDiscreteStates, (fmi2Component, fmi2EventInfo *))                                      \
    X(fmi2EnterContinuousTimeMode, (fmi2Component))                                                 \
    X(fmi2CompletedIntegratorStep, (fmi2Component, fmi2Boolean, fmi2Boolean *, fmi2Boolean *))      \
    X(fmi2SetTime, (fmi2Component, fmi2Real))                                                       \
    X(fmi2SetContinuousStates, (fmi2Component, const fmi2Real *, size_t))                           \
    X(fmi2GetDerivatives, (fmi2Component, fmi2Real *, size_t))                                      \
    X(fmi2GetEventIndicators, (fmi2Component, fmi2Real *, size_t))                                  \
    X(fmi2GetContinuousStates, (fmi2Component, fmi2Real *, size_t))                                 \
    X(fmi2GetNominalsOfContinuousStates, (fmi2Component, fmi2Real *, size_t))                       \
    X(fmi2DoStep, (fmi2Component, fmi2Real, fmi2Real, fmi2Boolean))                                 \
    X(fmi2GetRealStatus, (fmi2Component, fmi2StatusKind, fmi2Real *))                               \
    X(fmi2GetBooleanStatus, (fmi2Component, fmi2StatusKind, fmi2Boolean *))

/* Those that they refuse. */
#define STANDARD2_REFUSED(X)                                                                      \
    X(fmi2GetInteger, (STANDARD2_REFERENCES, fmi2Integer *))                                      \
    X(fmi2SetInteger, (STANDARD2_REFERENCES, const fmi2Integer *))                                \
    X(fmi2GetBoolean, (STANDARD2_REFERENCES, fmi2Boolean *))                                      \
    X(fmi2SetBoolean, (STANDARD2_REFERENCES, const fmi2Boolean *))                                \
    X(fmi2GetString, (STANDARD2_REFERENCES, fmi2String *))                                        \
    X(fmi2SetString, (STANDARD2_REFERENCES, const fmi2String *))                                  \
    X(fmi2SetRealInputDerivatives, (STANDARD2_REFERENCES, const fmi2Integer *, const fmi2Real *)) \
    X(fmi2GetRealOutputDerivatives, (STANDARD2_REFERENCES, const fmi2Integer *, fmi2Real *))      \
    X(fmi2CancelStep, (fmi2Component))                                                            \
    X(fmi2GetStatus, (fmi2Component, fmi2StatusKind, fmi2Status *))                               \
    X(fmi2GetIntegerStatus, (fmi2Component, fmi2StatusKind, fmi2Integer *))                       \
    X(fmi2GetStringStatus, (fmi2Component, fmi2StatusKind, fmi2String *))

#endif
