/* Members of a program that are stepped from outside. */
#include "dalembert/members.h"

#include <string.h>

#include "base/message.h"
#include "sweep/sweep_impl.h"

enum { DEVICE_WIDTH = 1 << 20 };

struct dal_members {
    dal_ctx *ctx;
    sweep_code code;
    int np;
};

struct dal_members_block {
    dal_ctx *ctx;
    dal_pool pool;
    const sweep_code *code;
    int n;
    double *x, *y, *p, *one; /* numbers, outputs, parameters; of one member */
    int *failed, *which;
    void *device; /* NULL: x is what the program works on */
    int behind;   /* the device does not know x and failed yet */
};

static dal_status make(dal_members *m, const dal_members_spec *spec)
{
    static const char *const none[1]; // a list that is not there would mean all of them
    const dal_generate_options how = {.name = "members",
                                      .scalar =
                                          spec->backend == DAL_SWEEP_CUDA ? DAL_GENERATE_CUDA : DAL_GENERATE_LANES,
                                      .lanes = dal_sweep_lanes(),
                                      .parameters = spec->parameters,
                                      .nparameters = spec->nparameters,
                                      .outputs = spec->outputs != NULL ? spec->outputs : none,
                                      .noutputs = spec->noutputs,
                                      .options = spec->options,
                                      .change = spec->change,
                                      .trace = 1};
    sweep_code *c = &m->code;
    DAL_TRY(dal_program_create_bound(&c->program, m->ctx, spec->document, spec->binding, spec->values, &how));
    const char *without = dal_program_no_start(c->program);
    if (spec->change && without != NULL) {
        return dal_fail(m->ctx, DAL_EINVAL, "generate: parameters do not change while members run: %s", without);
    }
    for (int k = 0; k < spec->noutputs; ++k) {
        if (dal_program_output(c->program, how.outputs[k]) < 0) {
            return dal_fail(m->ctx, DAL_EINVAL, "generate: the output '%s' is not for generated programs",
                            how.outputs[k]);
        }
    }
    c->changes = spec->change;
    c->width = spec->backend == DAL_SWEEP_CUDA ? DEVICE_WIDTH : dal_sweep_lanes();
    return dal_sweep_code_load(c, m->ctx, m->np, spec->backend == DAL_SWEEP_CUDA, "stepping by the library");
}

dal_status dal_members_create_(dal_members **members, dal_ctx *ctx, const dal_members_spec *spec, size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, members);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_members_spec, spec);
    DAL_NEED(ctx, spec->document);
    DAL_NEED(ctx, spec->binding);
    *members = NULL;
    if (spec->backend != DAL_SWEEP_LANES && spec->backend != DAL_SWEEP_CUDA) {
        return dal_fail(ctx, DAL_EINVAL, "members are stepped by the backends lanes and cuda");
    }
    dal_members *m = dal_alloc_zero(ctx, sizeof *m);
    if (m == NULL) {
        return dal_sweep_no_memory(ctx);
    }
    m->ctx = ctx;
    m->np = spec->nparameters;
    const dal_status st = make(m, spec);
    if (st != DAL_OK) {
        dal_members_destroy(m);
        return st;
    }
    *members = m;
    return DAL_OK;
}

void dal_members_destroy(dal_members *m)
{
    if (m != NULL) {
        dal_sweep_code_release(&m->code);
        dal_free(m->ctx, m);
    }
}

int dal_members_width(const dal_members *m)
{
    return m != NULL ? m->code.width : 1;
}

const dal_program *dal_members_program(const dal_members *m)
{
    return m != NULL ? m->code.program : NULL;
}

/* ---- blocks ----------------------------------------------------------------------------------- */

static dal_status on_device(const dal_members_block *b, const char *wrong)
{
    return wrong == NULL ? DAL_OK : dal_fail(b->ctx, DAL_EOPTION, "backend cuda: %s", wrong);
}

static dal_status allocate(dal_members_block *b, const dal_members *m)
{
    const size_t n = (size_t)b->n;
    DAL_TAKE(&b->pool, b->x, (size_t)m->code.size * n);
    DAL_TAKE(&b->pool, b->y, (size_t)m->code.noutputs * n + 1);
    DAL_TAKE(&b->pool, b->p, (size_t)m->np * n + 1);
    DAL_TAKE(&b->pool, b->one, m->code.size);
    DAL_TAKE(&b->pool, b->failed, n);
    DAL_TAKE(&b->pool, b->which, n);
    for (int i = 0; i < b->n; ++i) {
        b->failed[i] = 1; // nothing was put there
    }
    return m->code.device_open != NULL ? on_device(b, m->code.device_open(&b->device, b->n, 1)) : DAL_OK;
}

dal_status dal_members_block_create(dal_members_block **block, dal_ctx *ctx, const dal_members *m, int n)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, block);
    DAL_NEED_AS(ctx, m, "members");
    *block = NULL;
    if (n < 1) {
        return dal_fail(ctx, DAL_EINVAL, "a block has one member at least, not %d", n);
    }
    dal_members_block *b = dal_alloc_zero(ctx, sizeof *b);
    if (b == NULL) {
        return dal_sweep_no_memory(ctx);
    }
    *b = (dal_members_block){
        .ctx = ctx, .pool = {.ctx = ctx, .what = "members side by side"}, .code = &m->code, .n = n, .behind = 1};
    const dal_status st = allocate(b, m);
    if (st != DAL_OK) {
        dal_members_block_destroy(b);
        return st;
    }
    *block = b;
    return DAL_OK;
}

void dal_members_block_destroy(dal_members_block *b)
{
    if (b == NULL) {
        return;
    }
    if (b->device != NULL) {
        b->code->device_close(b->device);
    }
    dal_pool_release(&b->pool);
    dal_free(b->ctx, b);
}

dal_members_view dal_members_look(const dal_members_block *b)
{
    return b != NULL ? (dal_members_view){b->n, b->x, b->y, b->p, b->failed, b->which} : (dal_members_view){0};
}

dal_status dal_members_put(dal_members_block *b, int i, const dal_sim *sim)
{
    DAL_NEED_AS(NULL, b, "block");
    DAL_NEED(b->ctx, sim);
    if (i < 0 || i >= b->n) {
        return dal_fail(b->ctx, DAL_EINVAL, "there is no member %d in a block of %d", i, b->n);
    }
    b->failed[i] = 1;
    b->behind = 1;
    DAL_TRY(dal_program_member_of(b->code->program, b->one, sim));
    for (int k = 0; k < b->code->size; ++k) {
        b->x[(size_t)k * (size_t)b->n + (size_t)i] = b->one[k];
    }
    b->failed[i] = 0;
    return DAL_OK;
}

/* The device has what was put here. */
static dal_status catch_up(dal_members_block *b)
{
    if (b->device != NULL && b->behind) {
        DAL_TRY(on_device(b, b->code->device_put(b->device, b->x, b->failed, b->n)));
    }
    b->behind = 0;
    return DAL_OK;
}

dal_status dal_members_change(dal_members_block *b)
{
    DAL_NEED_AS(NULL, b, "block");
    if (!b->code->changes) {
        return dal_fail(b->ctx, DAL_EINVAL, "parameters of these members do not change: it was not asked for");
    }
    DAL_TRY(catch_up(b));
    if (b->device == NULL) {
        b->code->change(b->p, b->x, b->failed, b->which, b->n);
        return DAL_OK;
    }
    DAL_TRY(on_device(b, b->code->device_change(b->device, b->p, b->failed, b->which, b->n)));
    return on_device(b, b->code->device_get(b->device, b->x, b->n));
}

/* Outputs of the last step alone. */
dal_status dal_members_step(dal_members_block *b, int steps)
{
    DAL_NEED_AS(NULL, b, "block");
    if (steps < 1) {
        return dal_fail(b->ctx, DAL_EINVAL, "members take one step at least, not %d", steps);
    }
    DAL_TRY(catch_up(b));
    for (int k = 0; k < 2; ++k) {
        const int n = k == 0 ? steps - 1 : 1;
        double *y = k == 1 && b->code->noutputs > 0 ? b->y : NULL;
        if (n > 0 && b->device == NULL) {
            b->code->trace(b->x, b->failed, y, b->n, n);
        } else if (n > 0) {
            DAL_TRY(on_device(b, b->code->device_trace(b->device, b->failed, y, b->n, n)));
        }
    }
    return b->device == NULL ? DAL_OK : on_device(b, b->code->device_get(b->device, b->x, b->n));
}
