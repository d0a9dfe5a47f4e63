/* Models as functional mock-up units (FMI 2.0 and 3.0): for the tool, which packs them, and for the binary that is packed.
 *
 * A unit that has the library inside is the binary (one for all models: the library with the functions of the standard), the text of the model, what was set, and a
 * description. Both sides make the same list of variables from the model: a value reference is a place in it. A unit of generated code is one C file, what a
 * compiler has made of it, and a description. */
#ifndef DAL_FMU_FMU_H
#define DAL_FMU_FMU_H

#include "base/text.h"
#include "dalembert/io.h"
#include "dalembert/record.h"
#include "fmu/instance.h"

typedef struct fmu_model {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_channels *channels;
    dal_binding *binding; /* of the parameters, then of all inputs; NULL: there are no parameters */
    int ninputs, nparameters, noutputs;
    int nstates;             /* q, then v; 0: the unit cannot be integrated from outside */
    int nindicators;         /* of events */
    const char *only_inside; /* what the model has that needs steps of the library; NULL: nothing */
    char why[200];           /* or there are no states because of this, "": it does not matter */
    int n;
    fmu_variable *variable;
    char *names; /* of states, derivatives and indicators */
} fmu_model;

/* What a unit is made from. */
typedef struct fmu_source {
    const char *text, *name; /* the model; what stands for it in messages, and whose folder has its files */
    const char *const *set;
    int nset;
    const char *const *parameter;
    int nparameters;
    void (*compiling)(const char *compiler, size_t bytes); /* NULL, or who hears that a compiler begins */
} fmu_source;

/* The model must be zero before, but for ctx; fmu_model_release in any case. */
dal_status fmu_model_load(fmu_model *m, const fmu_source *from) DAL_NODISCARD;
void fmu_model_release(fmu_model *m);
/* Tells whether binary and description belong to the same model: of text and settings. */
enum { FMU_TOKEN = 24 };
void fmu_token(char token[FMU_TOKEN], const char *text, const char *settings);

/* ---- for the tool ------------------------------------------------------------------------------ */

/* A name for files and functions: letters, digits and _. */
void fmu_identifier(char *to, size_t size, const char *name);
/* What computes the numbers of a unit. */
typedef enum fmu_code { FMU_AUTO, FMU_GENERATED, FMU_LIBRARY } fmu_code;
/* modelDescription.xml of version 2 or 3, to be released by dal_free. */
dal_status fmu_describe(char **xml, const fmu_model *m, const char *token, int version, fmu_code code) DAL_NODISCARD;
/* The model is for co-simulation only, and why. */
void fmu_only_co_simulation(fmu_model *m, const char *why);
/* All of a unit of generated code; DAL_EINVAL: the model is not for that, the message says why. */
dal_status fmu_source_text(dal_text *t, fmu_model *m, const fmu_source *from, const char *token,
                           int version) DAL_NODISCARD;

typedef struct fmu_file {
    const char *name; /* in the archive */
    const void *bytes;
    size_t n;
} fmu_file;
/* An archive (zip, nothing compressed) of files. */
dal_status fmu_pack(dal_ctx *ctx, const char *path, const fmu_file *file, int n) DAL_NODISCARD;
/* The binary that has the library inside. */
fmu_file fmu_binary(void);
/* Files that are part of units of generated code. */
typedef struct fmu_texts {
    const char *fmi2_h, *fmi2_c, *fmi3_h, *fmi3_c, *both_h, *instance_h, *instance_c, *engine_h, *generated;
} fmu_texts;
const fmu_texts *fmu_own_texts(void);

/* What was made: never FMU_AUTO, and for the library in place of generated code why. */
typedef struct fmu_made {
    fmu_code code;
    char why[500];
} fmu_made;
/* The unit of a model, which was loaded from the same source, at a path. auto: of generated code if that can be, with the library inside otherwise. */
dal_status fmu_write(fmu_model *m, fmu_made *made, const char *path, const fmu_source *from, int version,
                     fmu_code code) DAL_NODISCARD;

#endif
