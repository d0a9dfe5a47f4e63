/* Members of a batch that a generated program steps: blocks of them, one after the other on threads, or all in one on a device. The library
 * starts them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

enum { MESSAGE = 200, CHUNK = 256 };

struct core_lanes {
    dal_members *program;
    dal_members_block **block;
    int nblocks, width;
    dal_member_layout at;
    int *column;              /* of the outputs that are kept: where they are in the program */
    char (*message)[MESSAGE]; /* why a member stands still */
};

int core_lanes_blocks(const core_batch *b)
{
    return b->lanes->nblocks;
}

const char *core_lanes_message(const core_batch *b, int i)
{
    return b->lanes->message[i];
}

/* ---- creation ----------------------------------------------------------------------------------- */

/* The outputs of the model whose numbers are kept, each once. */
static int list_outputs(const core_batch *b, const char **name)
{
    const dal_model *model = b->system->model;
    int n = 0;
    for (int k = 0; k < dal_model_output_count(model); ++k) {
        const dal_output_info info = dal_model_output_info(model, k);
        int kept = 0;
        for (int c = 0; c < b->width; ++c) {
            kept |= b->column[c] >= info.first && b->column[c] < info.first + info.n;
        }
        if (kept) {
            name[n++] = info.name;
        }
    }
    return n;
}

static void place_outputs(const core_batch *b, int *column)
{
    const dal_model *model = b->system->model;
    const dal_program *program = dal_members_program(b->lanes->program);
    for (int c = 0; c < b->width; ++c) {
        for (int k = 0; k < dal_model_output_count(model); ++k) {
            const dal_output_info info = dal_model_output_info(model, k);
            if (b->column[c] >= info.first && b->column[c] < info.first + info.n) {
                column[c] = dal_program_output(program, info.name) + b->column[c] - info.first;
            }
        }
    }
}

static dal_status make_program(core_batch *b, dal_sweep_backend backend, const char *const *name)
{
    double values[CORE_INPUTS + CORE_INPUTS];
    const char **output = calloc((size_t)dal_model_output_count(b->system->model) + 1, sizeof *output);
    if (output == NULL) {
        return DAL_ENOMEM;
    }
    dal_binding_values(b->binding, values);
    memcpy(values, b->params, (size_t)b->nparams * sizeof *values); // of the first member: it is one of those that run
    const dal_members_spec spec = {.document = b->system->doc,
                                   .binding = b->binding,
                                   .parameters = name,
                                   .nparameters = b->nparams + b->ninputs,
                                   .values = values,
                                   .options = &b->options,
                                   .outputs = output,
                                   .noutputs = list_outputs(b, output),
                                   .change = b->ninputs > 0,
                                   .backend = backend};
    const dal_status st = dal_members_create(&b->lanes->program, b->ctx, &spec);
    free((void *)output);
    return st;
}

static dal_status make_blocks(core_batch *b)
{
    core_lanes *l = b->lanes;
    l->at = dal_program_layout(dal_members_program(l->program));
    l->width = dal_members_width(l->program);
    l->nblocks = (b->n + l->width - 1) / l->width;
    l->block = calloc((size_t)l->nblocks, sizeof(void *));
    l->column = calloc((size_t)b->width + 1, sizeof *l->column);
    l->message = calloc((size_t)b->n, sizeof *l->message);
    if (l->block == NULL || l->column == NULL || l->message == NULL) {
        return DAL_ENOMEM;
    }
    place_outputs(b, l->column);
    for (int k = 0; k < l->nblocks; ++k) {
        const int left = b->n - k * l->width;
        DAL_TRY(dal_members_block_create(&l->block[k], b->ctx, l->program, left < l->width ? left : l->width));
    }
    return DAL_OK;
}

dal_status core_lanes_create(core_batch *b, dal_sweep_backend backend, const char *const *name)
{
    b->lanes = calloc(1, sizeof *b->lanes);
    if (b->lanes == NULL) {
        return DAL_ENOMEM;
    }
    DAL_TRY(make_program(b, backend, name));
    return make_blocks(b);
}

void core_lanes_destroy(core_batch *b)
{
    core_lanes *l = b->lanes;
    if (l == NULL) {
        return;
    }
    for (int k = 0; l->block != NULL && k < l->nblocks; ++k) {
        dal_members_block_destroy(l->block[k]);
    }
    dal_members_destroy(l->program);
    free(l->block);
    free(l->column);
    free(l->message);
    free(l);
    b->lanes = NULL;
}

/* ---- the course --------------------------------------------------------------------------------- */

static void stand_still(core_batch *b, int i, dal_status st, const char *why)
{
    b->status[i] = st;
    snprintf(b->lanes->message[i], MESSAGE, "%s", why);
}

static void start_members(const core_task *job, int block, int thread)
{
    core_batch *b = job->batch;
    core_lanes *l = b->lanes;
    const dal_members_view view = dal_members_look(l->block[block]);
    const core_member *own = &b->member[thread];
    for (int j = 0; j < view.n; ++j) {
        const int i = block * l->width + j;
        if (job->mask != NULL && !job->mask[i]) {
            continue;
        }
        dal_ctx_clear(own->ctx);
        dal_status st = core_batch_begin(job, i, own->sim);
        st = st == DAL_OK ? dal_members_put(l->block[block], j, own->sim) : st;
        st = st == DAL_OK ? core_batch_show(b, i, thread, own->sim) : st;
        stand_still(b, i, st, st == DAL_OK ? "" : dal_ctx_message(own->ctx));
        view.failed[j] = st != DAL_OK;
    }
}

/* Members whose inputs are others now go on with these. */
static dal_status change_members(core_batch *b, int block)
{
    core_lanes *l = b->lanes;
    const dal_members_view view = dal_members_look(l->block[block]);
    const size_t size = (size_t)b->ninputs * sizeof *b->u;
    double room[CORE_INPUTS + CORE_INPUTS];
    int some = 0;
    for (int j = 0; j < view.n && size > 0; ++j) {
        const int i = block * l->width + j;
        const size_t at = (size_t)i * (size_t)b->ninputs;
        view.which[j] = b->status[i] == 0.0 && memcmp(b->told + at, b->u + at, size) != 0;
        some |= view.which[j];
        const double *p = core_batch_bound(b, room, i);
        for (int k = 0; k < b->nparams + b->ninputs; ++k) {
            view.p[(size_t)k * (size_t)view.n + (size_t)j] = p[k];
        }
        memcpy(b->told + at, b->u + at, size);
    }
    return some ? dal_members_change(l->block[block]) : DAL_OK;
}

/* The row of member i, which is number j of its block. */
static void show(core_batch *b, const dal_members_view *view, int i, int j)
{
    const core_lanes *l = b->lanes;
    const dal_member_layout at = l->at;
    const struct {
        int from, n;
    } part[] = {{at.q, at.nq}, {at.v, at.nv}, {at.vd, at.nv}, {at.la, at.nc}};
    double *row = b->state + (size_t)i * (size_t)b->nstate;
    for (int k = 0; k < CORE_LEN(part); ++k) {
        for (int m = 0; m < part[k].n; ++m) {
            *row++ = view->x[(size_t)(part[k].from + m) * (size_t)view->n + (size_t)j];
        }
    }
    b->t[i] = view->x[(size_t)at.t * (size_t)view->n + (size_t)j];
    for (int c = 0; c < b->width; ++c) {
        b->y[(size_t)i * (size_t)b->width + (size_t)c] = view->y[(size_t)l->column[c] * (size_t)view->n + (size_t)j];
    }
}

static dal_status go(const core_task *job, int block)
{
    core_batch *b = job->batch;
    dal_members_block *own = b->lanes->block[block];
    DAL_TRY(change_members(b, block));
    const long steps = job->dt > 0.0 ? lrint(job->dt / dal_sim_options(b->member[0].sim)->h) : job->steps;
    for (long left = steps; left > 0 && !core_pool_cancelled(b->pool); left -= CHUNK) {
        DAL_TRY(dal_members_step(own, (int)(left < CHUNK ? left : CHUNK)));
    }
    return DAL_OK;
}

void core_lanes_work(void *user, int block, int thread)
{
    const core_task *job = user;
    core_batch *b = job->batch;
    if (job->starting) {
        start_members(job, block, thread);
        return;
    }
    const dal_status st = go(job, block);
    const dal_members_view view = dal_members_look(b->lanes->block[block]);
    for (int j = 0; j < view.n; ++j) {
        const int i = block * b->lanes->width + j;
        if (b->status[i] != 0.0) {
            continue;
        }
        show(b, &view, i, j);
        if (st != DAL_OK || view.failed[j]) {
            char text[MESSAGE];
            snprintf(text, sizeof text, "the step from t = %g has failed in the program of the model", b->t[i]);
            stand_still(b, i, st != DAL_OK ? st : DAL_NOCONV, st != DAL_OK ? dal_ctx_message(b->ctx) : text);
        }
    }
}
