/* dalembert/import.h - descriptions of robots (URDF, MJCF, SDF) as model files (docs/user/import.md).
 *
 *     dal_import_create -> dal_import_text (a model file, JSON) -> dal_document_parse
 *
 * dal_document_open reads such files by itself. What a description says and a model cannot is listed by name. */
#ifndef DALEMBERT_IMPORT_H
#define DALEMBERT_IMPORT_H

#include "dalembert/base.h"
#include "dalembert/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tensors that no body has: negative moments, or one that exceeds the sum of the others. */
typedef enum dal_import_inertia {
    DAL_INERTIA_KEEP, /* as they are, with a warning, as long as none is negative; those are mended */
    DAL_INERTIA_MEND, /* the principal moments are raised until they are moments of a body */
    DAL_INERTIA_REFUSE
} dal_import_inertia;

/* Friction of joints. */
typedef enum dal_import_friction {
    DAL_FRICTION_RIGID, /* it sticks: joints of type brake */
    DAL_FRICTION_SMOOTH /* laws that are full above 0.02 rad/s or m/s, for generated programs */
} dal_import_friction;

/* Zero-initialise. */
typedef struct dal_import_options {
    const char *const *packages; /* npackages folders in which package:// and model:// are looked for */
    int npackages;
    int files_outside; /* files may lie outside the folder of the description and those of packages */
    int strict;        /* refuse what cannot be kept */
    int free_base;     /* URDF: the root is not held by the ground */
    dal_import_inertia inertia;
    dal_import_friction friction;
    const char *keyframe; /* MJCF: the name of the initial pose; NULL: all joints at their reference */
    const char *const *
        values; /* nvalues coordinates at first, "elbow=0.3"; their rates "elbow'=0.1"; several: "base=0,0,1,1,0,0,0" */
    int nvalues;
    const char *folder; /* where the model will lie, for the paths of meshes; NULL: beside the description */
} dal_import_options;

typedef struct dal_import dal_import;

/* Names for one reason. */
typedef struct dal_import_note {
    const char *what;
    const char *names; /* between commas */
    int lost;          /* 1: mechanics that the model does not have; 2: mechanics that were changed; 0: no mechanics */
} dal_import_note;

typedef struct dal_import_summary {
    const char *format, *name;
    int links, joints, fixed;  /* of the description; joints: those that move */
    int bodies, loops, inputs; /* of the model */
    double mass, com[3];       /* of all links, the fixed ones as well; com at the initial pose, world */
} dal_import_summary;

/* As dal_mesh_create, of COLLADA files (.dae), too: all geometries of their scene, in metres. */
DAL_API dal_status dal_mesh_read(dal_mesh **mesh, dal_ctx *ctx, const void *bytes, size_t size,
                                 const char *name) DAL_NODISCARD;

/* Does the name look like one of a description (.urdf, .sdf, .xml, .mjcf)? */
DAL_API int dal_import_is(const char *path);
/* Read a description. The message of a failure begins with file and line. */
DAL_API dal_status dal_import_create_(dal_import **import, dal_ctx *ctx, const char *path,
                                      const dal_import_options *options, size_t size) DAL_NODISCARD;
/* The same from n bytes of text; name stands for the file in messages and tells its folder. */
DAL_API dal_status dal_import_parse_(dal_import **import, dal_ctx *ctx, const char *text, size_t n, const char *name,
                                     const dal_import_options *options, size_t size) DAL_NODISCARD;
DAL_API void dal_import_destroy(dal_import *import); /* NULL is fine */
/* What was read; it belongs to the import. */
DAL_API const char *dal_import_text(const dal_import *import); /* the model file */
DAL_API dal_import_summary dal_import_report(const dal_import *import);
DAL_API int dal_import_note_count(const dal_import *import);
DAL_API dal_import_note dal_import_note_at(const dal_import *import, int k);

#ifdef __cplusplus
}
#endif
#endif
