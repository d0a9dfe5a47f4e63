/* Types and functions of FMI 3.0 (fmi-standard.org, section 2.2 and the following ones), as far as units of ours use them. Written from the
 * standard; test/fmu/test_fmu_standard.c compares. */
#ifndef DAL_FMU_FMI3_H
#define DAL_FMU_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean set,
                                               fmi3Boolean get, fmi3Boolean finished, fmi3Boolean may_return,
                                               fmi3Boolean *early_return, fmi3Float64 *early_return_time);

/* X(name, arguments): all return a status */
#define FMI3_FUNCTIONS(X)                                                                                              \
    X(fmi3SetDebugLogging, (fmi3Instance u, fmi3Boolean on, size_t n, const fmi3String categories[]))                  \
    X(fmi3EnterInitializationMode, (fmi3Instance u, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,              \
                                    fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop))                    \
    X(fmi3ExitInitializationMode, (fmi3Instance u))                                                                    \
    X(fmi3EnterEventMode, (fmi3Instance u))                                                                            \
    X(fmi3Terminate, (fmi3Instance u))                                                                                 \
    X(fmi3Reset, (fmi3Instance u))                                                                                     \
    X(fmi3GetFloat64,                                                                                                  \
      (fmi3Instance u, const fmi3ValueReference reference[], size_t n, fmi3Float64 value[], size_t nvalues))           \
    X(fmi3SetFloat64,                                                                                                  \
      (fmi3Instance u, const fmi3ValueReference reference[], size_t n, const fmi3Float64 value[], size_t nvalues))     \
    X(fmi3GetFMUState, (fmi3Instance u, fmi3FMUState * state))                                                         \
    X(fmi3SetFMUState, (fmi3Instance u, fmi3FMUState state))                                                           \
    X(fmi3FreeFMUState, (fmi3Instance u, fmi3FMUState * state))                                                        \
    X(fmi3SerializedFMUStateSize, (fmi3Instance u, fmi3FMUState state, size_t * size))                                 \
    X(fmi3SerializeFMUState, (fmi3Instance u, fmi3FMUState state, fmi3Byte bytes[], size_t size))                      \
    X(fmi3DeserializeFMUState, (fmi3Instance u, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))             \
    X(fmi3GetDirectionalDerivative,                                                                                    \
      (fmi3Instance u, const fmi3ValueReference unknown[], size_t n, const fmi3ValueReference known[], size_t nknown,  \
       const fmi3Float64 seed[], size_t nseed, fmi3Float64 sensitivity[], size_t nsensitivity))                        \
    X(fmi3UpdateDiscreteStates, (fmi3Instance u, fmi3Boolean * again, fmi3Boolean * terminate, fmi3Boolean * nominals, \
                                 fmi3Boolean * values, fmi3Boolean * next_defined, fmi3Float64 * next))                \
    X(fmi3EnterContinuousTimeMode, (fmi3Instance u))                                                                   \
    X(fmi3CompletedIntegratorStep,                                                                                     \
      (fmi3Instance u, fmi3Boolean no_return, fmi3Boolean * enter_event_mode, fmi3Boolean * terminate))                \
    X(fmi3SetTime, (fmi3Instance u, fmi3Float64 t))                                                                    \
    X(fmi3SetContinuousStates, (fmi3Instance u, const fmi3Float64 x[], size_t n))                                      \
    X(fmi3GetContinuousStateDerivatives, (fmi3Instance u, fmi3Float64 dx[], size_t n))                                 \
    X(fmi3GetContinuousStates, (fmi3Instance u, fmi3Float64 x[], size_t n))                                            \
    X(fmi3GetNominalsOfContinuousStates, (fmi3Instance u, fmi3Float64 x[], size_t n))                                  \
    X(fmi3GetEventIndicators, (fmi3Instance u, fmi3Float64 z[], size_t n))                                             \
    X(fmi3GetNumberOfEventIndicators, (fmi3Instance u, size_t * n))                                                    \
    X(fmi3GetNumberOfContinuousStates, (fmi3Instance u, size_t * n))                                                   \
    X(fmi3EnterStepMode, (fmi3Instance u))                                                                             \
    X(fmi3DoStep, (fmi3Instance u, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_return, fmi3Boolean * event,           \
                   fmi3Boolean * terminate, fmi3Boolean * early, fmi3Float64 * last))

#define FMI3_DECLARE(name, arguments) __attribute__((visibility("default"))) fmi3Status name arguments;
FMI3_FUNCTIONS(FMI3_DECLARE)
#undef FMI3_DECLARE

#define FMI3_EXPORT __attribute__((visibility("default")))
FMI3_EXPORT const char *fmi3GetVersion(void);
FMI3_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean visible, fmi3Boolean logging,
                                                      fmi3InstanceEnvironment environment, fmi3LogMessageCallback log);
FMI3_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                     fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                                     fmi3Boolean early_return, const fmi3ValueReference required[],
                                                     size_t nrequired, fmi3InstanceEnvironment environment,
                                                     fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
FMI3_EXPORT void fmi3FreeInstance(fmi3Instance u);

#endif
