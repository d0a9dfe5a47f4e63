/* What an importer needs of FMI 3.0, written from the text of the standard (sections 2.2, 3.2, 4.2 and 5.2) and without a look at what units are made of. As standard2.h. */
#ifndef STANDARD3_H
#define STANDARD3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 2.2.2 */
typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;

/* 2.2.3: X(name, value) */
#define STANDARD3_STATUS(X) X(fmi3OK, 0) X(fmi3Warning, 1) X(fmi3Discard, 2) X(fmi3Error, 3) X(fmi3Fatal, 4)

#ifndef STANDARD_COMPARED
#define STANDARD_VALUE(name, value) name = (value),
typedef enum { STANDARD3_STATUS(STANDARD_VALUE) } fmi3Status;
#undef STANDARD_VALUE
#endif

/* 2.3.1 and 4.2.2; typedefs may be told twice if they are the same */
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean *, fmi3Float64 *);

/* Functions that return no status: X(result, name, arguments) */
#define STANDARD3_OTHERS(X)                                                                                            \
    X(const char *, fmi3GetVersion, (void))                                                                            \
    X(fmi3Instance, fmi3InstantiateModelExchange,                                                                      \
      (fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3InstanceEnvironment, fmi3LogMessageCallback)) \
    X(fmi3Instance, fmi3InstantiateCoSimulation,                                                                       \
      (fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean,                         \
       const fmi3ValueReference *, size_t, fmi3InstanceEnvironment, fmi3LogMessageCallback,                            \
       fmi3IntermediateUpdateCallback))                                                                                \
    X(void, fmi3FreeInstance, (fmi3Instance))

/* Those that units of ours have something to do for: X(name, arguments) */
#define STANDARD3_REFERENCES fmi3Instance, const fmi3ValueReference *, size_t
#define STANDARD3_FUNCTIONS(X)                                                                                        \
    X(fmi3SetDebugLogging, (fmi3Instance, fmi3Boolean, size_t, const fmi3String *))                                   \
    X(fmi3EnterInitializationMode, (fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Float64))   \
    X(fmi3ExitInitializationMode, (fmi3Instance))                                                                     \
    X(fmi3EnterEventMode, (fmi3Instance))                                                                             \
    X(fmi3Terminate, (fmi3Instance))                                                                                  \
    X(fmi3Reset, (fmi3Instance))                                                                                      \
    X(fmi3GetFloat64, (STANDARD3_REFERENCES, fmi3Float64 *, size_t))                                                  \
    X(fmi3SetFloat64, (STANDARD3_REFERENCES, const fmi3Float64 *, size_t))                                            \
    X(fmi3GetFMUState, (fmi3Instance, fmi3FMUState *))                                                                \
    X(fmi3SetFMUState, (fmi3Instance, fmi3FMUState))                                                                  \
    X(fmi3FreeFMUState, (fmi3Instance, fmi3FMUState *))                                                               \
    X(fmi3SerializedFMUStateSize, (fmi3Instance, fmi3FMUState, size_t *))                                             \
    X(fmi3SerializeFMUState, (fmi3Instance, fmi3FMUState, fmi3Byte *, size_t))                                        \
    X(fmi3DeserializeFMUState, (fmi3Instance, const fmi3Byte *, size_t, fmi3FMUState *))                              \
    X(fmi3GetDirectionalDerivative,                                                                                   \
      (STANDARD3_REFERENCES, const fmi3ValueReference *, size_t, const fmi3Float64 *, size_t, fmi3Float64 *, size_t)) \
    X(fmi3UpdateDiscreteStates,                                                                                       \
      (fmi3Instance, fmi3Boolean *, fmi3Boolean *, fmi3Boolean *, fmi3Boolean *, fmi3Boolean *, fmi3Float64 *))       \
    X(fmi3EnterContinuousTimeMode, (fmi3Instance))                                                                    \
    X(fmi3CompletedIntegratorStep, (fmi3Instance, fmi3Boolean, fmi3Boolean *, fmi3Boolean *))                         \
    X(fmi3SetTime, (fmi3Instance, fmi3Float64))                                                                       \
    X(fmi3SetContinuousStates, (fmi3Instance, const fmi3Float64 *, size_t))                                           \
    X(fmi3GetContinuousStateDerivatives, (fmi3Instance, fmi3Float64 *, size_t))                                       \
    X(fmi3GetContinuousStates, (fmi3Instance, fmi3Float64 *, size_t))                                                 \
    X(fmi3GetNominalsOfContinuousStates, (fmi3Instance, fmi3Float64 *, size_t))                                       \
    X(fmi3GetEventIndicators, (fmi3Instance, fmi3Float64 *, size_t))                                                  \
    X(fmi3GetNumberOfEventIndicators, (fmi3Instance, size_t *))                                                       \
    X(fmi3GetNumberOfContinuousStates, (fmi3Instance, size_t *))                                                      \
    X(fmi3EnterStepMode, (fmi3Instance))                                                                              \
    X(fmi3DoStep, (fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Boolean *, fmi3Boolean *, fmi3Boolean *,  \
                   fmi3Float64 *))

/* Those that they refuse. For each type of variables there is a pair of functions, with its type as an array. */
#define STANDARD3_PAIR(X, name, type)                        \
    X(fmi3Get##name, (STANDARD3_REFERENCES, type *, size_t)) \
    X(fmi3Set##name, (STANDARD3_REFERENCES, const type *, size_t))
// clang-format off
#define STANDARD3_REFUSED(X)                                                                                           \
    STANDARD3_PAIR(X, Float32, float) STANDARD3_PAIR(X, Int8, int8_t) STANDARD3_PAIR(X, UInt8, uint8_t)                \
    STANDARD3_PAIR(X, Int16, int16_t) STANDARD3_PAIR(X, UInt16, uint16_t) STANDARD3_PAIR(X, Int32, int32_t)            \
    STANDARD3_PAIR(X, UInt32, uint32_t) STANDARD3_PAIR(X, Int64, int64_t) STANDARD3_PAIR(X, UInt64, uint64_t)          \
    STANDARD3_PAIR(X, Boolean, fmi3Boolean) STANDARD3_PAIR(X, String, fmi3String)                                      \
    X(fmi3GetBinary, (STANDARD3_REFERENCES, size_t *, const fmi3Byte **, size_t))                                      \
    X(fmi3SetBinary, (STANDARD3_REFERENCES, const size_t *, const fmi3Byte *const *, size_t))                          \
    X(fmi3GetClock, (STANDARD3_REFERENCES, bool *))                                                                    \
    X(fmi3SetClock, (STANDARD3_REFERENCES, const bool *))                                                              \
    X(fmi3GetNumberOfVariableDependencies, (fmi3Instance, fmi3ValueReference, size_t *))                               \
    X(fmi3GetAdjointDerivative, (STANDARD3_REFERENCES, const fmi3ValueReference *, size_t, const fmi3Float64 *,        \
                                 size_t, fmi3Float64 *, size_t))                                                       \
    X(fmi3EnterConfigurationMode, (fmi3Instance))                                                                      \
    X(fmi3ExitConfigurationMode, (fmi3Instance))                                                                       \
    X(fmi3GetShiftDecimal, (STANDARD3_REFERENCES, fmi3Float64 *))                                                      \
    X(fmi3GetShiftFraction, (STANDARD3_REFERENCES, uint64_t *, uint64_t *))                                            \
    X(fmi3SetIntervalDecimal, (STANDARD3_REFERENCES, const fmi3Float64 *))                                             \
    X(fmi3SetIntervalFraction, (STANDARD3_REFERENCES, const uint64_t *, const uint64_t *))                             \
    X(fmi3SetShiftDecimal, (STANDARD3_REFERENCES, const fmi3Float64 *))                                                \
    X(fmi3SetShiftFraction, (STANDARD3_REFERENCES, const uint64_t *, const uint64_t *))                                \
    X(fmi3EvaluateDiscreteStates, (fmi3Instance))                                                                      \
    X(fmi3GetOutputDerivatives, (STANDARD3_REFERENCES, const int32_t *, fmi3Float64 *, size_t))                        \
    X(fmi3ActivateModelPartition, (fmi3Instance, fmi3ValueReference, fmi3Float64))
// clang-format on

/* Refused too, with arguments of types that nothing else here has: names alone. */
#define STANDARD3_REFUSED_NAMES(X) \
    X(fmi3GetVariableDependencies) \
    X(fmi3GetIntervalDecimal) X(fmi3GetIntervalFraction) X(fmi3InstantiateScheduledExecution)

#endif
