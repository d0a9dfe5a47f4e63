/* A unit as other programs see it: an archive that is unpacked, a library that is loaded, functions of the standard. */
#ifndef IMPORTER_H
#define IMPORTER_H

#include "support/check.h"

#include "fmu/fmi2.h"
#include "fmu/fmi3.h"
#include "fmu/fmu.h"

typedef struct importer {
    char folder[64]; /* in the current one */
    char resources[4300];
    char token[64];
    char *description;
    void *library;
#define FMI_MEMBER(name, arguments) fmi3Status(*p_##name) arguments;
    FMI3_FUNCTIONS(FMI_MEMBER)
#undef FMI_MEMBER
#define FMI_MEMBER(name, arguments) fmi2Status(*p_##name) arguments;
    FMI2_FUNCTIONS(FMI_MEMBER)
#undef FMI_MEMBER
    __typeof__(&fmi3InstantiateCoSimulation) p_fmi3InstantiateCoSimulation;
    __typeof__(&fmi3InstantiateModelExchange) p_fmi3InstantiateModelExchange;
    __typeof__(&fmi3FreeInstance) p_fmi3FreeInstance;
    __typeof__(&fmi3GetVersion) p_fmi3GetVersion;
    __typeof__(&fmi2Instantiate) p_fmi2Instantiate;
    __typeof__(&fmi2FreeInstance) p_fmi2FreeInstance;
    __typeof__(&fmi2GetVersion) p_fmi2GetVersion;
} importer;

/* Pack a model as a unit of a version of the standard, unpack it, load it. */
void importer_open(importer *i, const fmu_source *from, int version, fmu_code code);
void importer_close(importer *i);
/* The value reference of a variable, from the description. */
unsigned importer_find(const importer *i, const char *name);
/* The last message of a unit. */
extern char importer_message[1000];
void importer_log3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message);
void importer_log2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...);

#endif
