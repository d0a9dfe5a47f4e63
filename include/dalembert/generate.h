/* dalembert/generate.h - a model as one self-contained C file (docs/user/generate.md). */
#ifndef DALEMBERT_GENERATE_H
#define DALEMBERT_GENERATE_H

#include "dalembert/io.h"
#include "dalembert/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The scalar of the program: double; a vector of lanes, one member of an ensemble in each; double in device code, one
 * member in each thread. */
typedef enum dal_generate_scalar { DAL_GENERATE_DOUBLE, DAL_GENERATE_LANES, DAL_GENERATE_CUDA } dal_generate_scalar;

/* Zero-initialise. */
typedef struct dal_generate_options {
    const char *name; /* prefix of everything in the program; NULL: the name of the model */
    dal_generate_scalar scalar;
    int lanes;                     /* 4 or 8; 0: 8 */
    const char *const *parameters; /* nparameters variables of the model that may differ between members */
    int nparameters;
    const char *const *outputs; /* noutputs outputs of the model that the program is to give; NULL: all that it can */
    int noutputs;
    int trace; /* members have NAME_trace beside NAME_run, see below; there is no NAME_init, numbers come from outside */
    /* There is NAME_change, which goes on with other parameters from t, q and v of a state, and with trace NAME_change_members(p, x, failed,
     * which, n), for the members that `which` is not 0 of. Without parameters there is NAME_start as well. */
    int change;
    /* Steps of any size, in a program of one member that has NAME_start: NAME_run_to(s, t) ends at t, as dal_sim_run does. */
    int any_step;
    const dal_options *options; /* for a document that is bound: of its runs; NULL: those it has */
} dal_generate_options;

/* A program for a model with the assignments `set`, as of dal_document_open. What generated code does not have is refused by
 * name (DAL_EINVAL), parameters that change the structure of the model as well. Everything is copied. */
typedef struct dal_program dal_program;
DAL_API dal_status dal_program_create_(dal_program **program, dal_ctx *ctx, const char *source, const char *const *set,
                                       int nset, const dal_generate_options *how, size_t size) DAL_NODISCARD;
/* The same for a document whose parameters are bound (dal_binding_create with how->parameters): a program that is
 * generated beside other simulations of the same compiled model. values: of the parameters, as the model has them, or others
 * that are as good. The document and the binding must outlive the program. */
DAL_API dal_status dal_program_create_bound_(dal_program **program, dal_ctx *ctx, dal_document *doc,
                                             const dal_binding *binding, const double *values,
                                             const dal_generate_options *how, size_t size) DAL_NODISCARD;
DAL_API void dal_program_destroy(dal_program *program);           /* NULL is fine */
DAL_API const char *dal_program_text(const dal_program *program); /* belongs to the program */

/* Members of an ensemble differ in their state and in the constants that follow from the parameters. Number k of member m of
 * n is at x[k * n + m] of the array that NAME_run(x, failed, n, steps) of the program works on. With the option trace, NAME_trace(x,
 * failed, y, n, steps) does the same and keeps the outputs after every step: number k after step i at y[(i * K + k) * n + m], K numbers in
 * all. */
DAL_API int dal_program_size(const dal_program *program); /* numbers of a member */
/* The numbers of the member with these values of the parameters, started: consistent initial values by the library. One
 * thread at a time; allocates what dal_binding_start does. */
DAL_API dal_status dal_program_member(const dal_program *program, double *x, const double *values) DAL_NODISCARD;
/* The numbers of the member that a simulation of the same compiled model has just been started as, by the binding of the
 * program. The program is constant here: each thread may have a simulation of its own. Allocates nothing. DAL_EINVAL: the
 * program cannot be this member, because numbers that are constants of the program are others there. */
DAL_API dal_status dal_program_member_of(const dal_program *program, double *x, const dal_sim *sim) DAL_NODISCARD;
/* Why the program has no NAME_start of its own, which starts members without the library; NULL: it has one. A program without
 * parameters needs none. */
DAL_API const char *dal_program_no_start(const dal_program *program);
/* Where an output of the model is among those of NAME_outputs; -1: the program does not have it. */
DAL_API int dal_program_output(const dal_program *program, const char *name);
DAL_API int dal_program_output_size(const dal_program *program); /* how many numbers they are */
/* Where time, q, v, multipliers and v' are among them. */
typedef struct dal_member_layout {
    int t, q, v, la, nq, nv, nc, vd;
} dal_member_layout;
DAL_API dal_member_layout dal_program_layout(const dal_program *program);

/* The text alone; to be freed with dal_generate_free. */
DAL_API dal_status dal_generate_(char **text, dal_ctx *ctx, const char *source, const char *const *set, int nset,
                                 const dal_generate_options *how, size_t size) DAL_NODISCARD;
DAL_API void dal_generate_free(dal_ctx *ctx, char *text); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
