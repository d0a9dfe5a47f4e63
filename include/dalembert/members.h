/* dalembert/members.h - many simulations of one model side by side, stepped by a program that is generated for it, compiled and
 * loaded: what the backends lanes and cuda of sweeps are, for who steps members and changes their inputs on the way. */
#ifndef DALEMBERT_MEMBERS_H
#define DALEMBERT_MEMBERS_H

#include "dalembert/generate.h"
#include "dalembert/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The program; it does not change once it is made. */
typedef struct dal_members dal_members;
typedef struct dal_members_spec {
    dal_document *document;     /* whose model is compiled */
    const dal_binding *binding; /* of the parameters; both must outlive the members */
    const char *const *parameters;
    int nparameters;
    const double *values;       /* of the parameters in the model */
    const dal_options *options; /* NULL: those of the document */
    const char *const *outputs; /* that are wanted after steps */
    int noutputs;
    int change;                /* parameters of members change while they run */
    dal_sweep_backend backend; /* DAL_SWEEP_LANES or DAL_SWEEP_CUDA */
} dal_members_spec;

/* What programs do not have is refused by name (DAL_EINVAL), a compiler or a device that is not there as well (DAL_EOPTION). */
DAL_API dal_status dal_members_create_(dal_members **members, dal_ctx *ctx, const dal_members_spec *spec,
                                       size_t size) DAL_NODISCARD;
DAL_API void dal_members_destroy(dal_members *members);                     /* NULL is fine; after its blocks */
DAL_API int dal_members_width(const dal_members *members);                  /* how many make a good block */
DAL_API const dal_program *dal_members_program(const dal_members *members); /* its layout, its outputs */

/* Members that are stepped together. A block is for one thread at a time; several blocks run at once. Nothing is allocated once it is made. */
typedef struct dal_members_block dal_members_block;
DAL_API dal_status dal_members_block_create(dal_members_block **block, dal_ctx *ctx, const dal_members *members,
                                            int n) DAL_NODISCARD;
DAL_API void dal_members_block_destroy(dal_members_block *block); /* NULL is fine */

/* Number k of member i is at x[k * n + i] (dal_program_layout), number k of its outputs after the last step at y[k * n + i]; failed: it does not
 * move. p and which: to be filled in before dal_members_change. */
typedef struct dal_members_view {
    int n;
    const double *x, *y;
    double *p;
    int *failed, *which;
} dal_members_view;
DAL_API dal_members_view dal_members_look(const dal_members_block *block);
/* Member i is from now on what a simulation has just been started as (dal_program_member_of). */
DAL_API dal_status dal_members_put(dal_members_block *block, int i, const dal_sim *sim) DAL_NODISCARD;
/* The members that `which` is not 0 of go on with their parameters in p, parameter k of member i at p[k * n + i]. */
DAL_API dal_status dal_members_change(dal_members_block *block) DAL_NODISCARD;
DAL_API dal_status dal_members_step(dal_members_block *block, int steps) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
