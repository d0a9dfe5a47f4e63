/* A unit as other programs see it: an archive that is unpacked, a library that is loaded, functions of the standard: nothing is
 * declared by what units are made of. */
#ifndef IMPORTER_H
#define IMPORTER_H

#include "support/check.h"

#include "fmu/fmu.h"
#include "standard2.h"
#include "standard3.h"

typedef struct importer {
    char folder[64]; /* in the current one */
    char resources[4300];
    char token[64];
    char *description;
    void *library;
#define FMI_MEMBER(result, name, arguments) result(*p_##name) arguments;
#define FMI_MEMBER2(name, arguments) FMI_MEMBER(fmi2Status, name, arguments)
#define FMI_MEMBER3(name, arguments) FMI_MEMBER(fmi3Status, name, arguments)
    STANDARD2_OTHERS(FMI_MEMBER)
    STANDARD2_FUNCTIONS(FMI_MEMBER2)
    STANDARD2_REFUSED(FMI_MEMBER2)
    STANDARD3_OTHERS(FMI_MEMBER)
    STANDARD3_FUNCTIONS(FMI_MEMBER3)
    STANDARD3_REFUSED(FMI_MEMBER3)
#undef FMI_MEMBER
#undef FMI_MEMBER2
#undef FMI_MEMBER3
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
