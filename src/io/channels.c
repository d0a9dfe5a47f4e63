/* What there is to record of a model: a list of channels in the order of the tables. */
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "io/record_impl.h"
#include "io/results_impl.h"

static const char *const table_name[DAL_RECORD_TABLES] = {"outputs", "bodies", "state", "monitor"};

/* States of a body: columns, and the outputs they come from. */
static const struct {
    const char *column, *unit, *quantity;
    int body_axes, n;
} part[4] = {{"x", "m", "position", 0, 3},
             {"quat", "1", "quaternion", 0, 4},
             {"v", "m/s", "velocity", 0, 3},
             {"omega", "rad/s", "angular_velocity", 1, 3}};

const char *dal_record_table_name(int table)
{
    return table >= 0 && table < DAL_RECORD_TABLES ? table_name[table] : NULL;
}

static dal_status no_memory(const dal_channels *c)
{
    return dal_fail(c->ctx, DAL_ENOMEM, "out of memory for the channels of a model");
}

/* ---- before compiling ------------------------------------------------------------------------- */

/* An output for a state of the body; *number stays -1 if bodies of this kind have none. */
static dal_status add_output(dal_channels *c, const record_body *b, int k, int *number)
{
    char name[700];
    snprintf(name, sizeof name, "%.600s.%s (recorded)", b->name, part[k].quantity);
    const dal_output output = {.name = name,
                               .quantity = part[k].quantity,
                               .body = b->number,
                               .frame.rotation = {1.0, 0.0, 0.0, 0.0},
                               .body_axes = part[k].body_axes};
    *number = -1;
    const dal_status st = dal_model_add_output(c->model, NULL, &output);
    if (st == DAL_OK) {
        *number = dal_model_output_count(c->model) - 1;
    } else if (st != DAL_ENOMEM) {
        dal_ctx_clear(c->ctx);
        return DAL_OK;
    }
    return st;
}

/* Interface nodes of flexible bodies have numbers and names as well, but are no bodies. */
static dal_status add_bodies(dal_channels *c)
{
    const size_t most = (size_t)dal_model_report(c->model).bodies;
    c->body = dal_alloc_zero(c->ctx, (most + 1) * sizeof *c->body);
    if (c->body == NULL) {
        return no_memory(c);
    }
    for (int i = 1; dal_model_body_name(c->model, i) != NULL && (size_t)c->nbodies < most; ++i) {
        if (dal_model_body_of(c->model, i) != i) {
            continue;
        }
        record_body *b = &c->body[c->nbodies++];
        b->number = i;
        b->name = dal_results_copy_text(c->ctx, dal_model_body_name(c->model, i));
        if (b->name == NULL) {
            return no_memory(c);
        }
        for (int k = 0; k < 4; ++k) {
            DAL_TRY(add_output(c, b, k, &b->output[k]));
        }
    }
    return DAL_OK;
}

dal_status dal_channels_create(dal_channels **channels, dal_ctx *ctx, dal_model *model)
{
    DAL_NEED(ctx, channels);
    *channels = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, model);
    dal_channels *c = dal_alloc_zero(ctx, sizeof *c);
    if (c == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for the channels of a model");
    }
    c->ctx = ctx;
    c->model = model;
    c->noutputs = dal_model_output_count(model);
    const dal_status st = add_bodies(c);
    if (st != DAL_OK) {
        dal_channels_destroy(c);
        return st;
    }
    *channels = c;
    return DAL_OK;
}

void dal_channels_destroy(dal_channels *c)
{
    if (c == NULL) {
        return;
    }
    for (int i = 0; i < c->n; ++i) {
        dal_free(c->ctx, c->channel[i].name);
    }
    for (int i = 0; i < c->nbodies; ++i) {
        dal_free(c->ctx, c->body[i].name);
    }
    dal_free(c->ctx, c->channel);
    dal_free(c->ctx, c->body);
    dal_free(c->ctx, c);
}

/* ---- after ------------------------------------------------------------------------------------ */

static dal_status add(dal_channels *c, const char *name, const char *unit)
{
    c->channel[c->n].name = dal_results_copy_text(c->ctx, name);
    c->channel[c->n].unit = unit;
    return c->channel[c->n++].name != NULL ? DAL_OK : no_memory(c);
}

/* Components of a vector or of a quaternion. */
static dal_status add_vector(dal_channels *c, const char *name, const char *unit, int n)
{
    static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};
    for (int k = 0; k < n; ++k) {
        char column[1024];
        snprintf(column, sizeof column, "%.1000s.%s", name, n == 3 ? xyz[k] : wxyz[k]);
        DAL_TRY(add(c, column, unit));
    }
    return DAL_OK;
}

static dal_status add_numbered(dal_channels *c, const char *letter, int n)
{
    for (int k = 0; k < n; ++k) {
        char name[32];
        snprintf(name, sizeof name, "%s%d", letter, k + 1);
        DAL_TRY(add(c, name, ""));
    }
    return DAL_OK;
}

/* The values of the model's outputs are the first channels, in their order. */
static dal_status add_outputs(dal_channels *c)
{
    for (int i = 0; i < c->noutputs; ++i) {
        const dal_output_info info = dal_model_output_info(c->model, i);
        for (int k = 0; k < info.n; ++k) {
            char component[16], column[1024];
            dal_model_output_component(c->model, component, sizeof component, i, k);
            snprintf(column, sizeof column, "%.1000s%s%s", info.name, component[0] != '\0' ? "." : "", component);
            DAL_TRY(add(c, column, info.unit));
        }
    }
    c->first[DAL_RECORD_BODIES] = c->n;
    for (int i = 0; i < c->nbodies; ++i) {
        record_body *b = &c->body[i];
        for (int k = 0; k < 4; ++k) {
            char name[700];
            snprintf(name, sizeof name, "%.600s.%s", b->name, part[k].column);
            b->first[k] = b->output[k] >= 0 ? c->n : -1;
            DAL_TRY(b->output[k] >= 0 ? add_vector(c, name, part[k].unit, part[k].n) : DAL_OK);
        }
    }
    return DAL_OK;
}

dal_status dal_channels_bind(dal_channels *c, const dal_system *sys)
{
    DAL_NEED_AS(NULL, c, "channels");
    DAL_NEED(c->ctx, sys);
    static const char *const monitor[MONITOR_COUNT] = {"h", "energy", "position_residual", "velocity_residual",
                                                       "newton_iterations"},
                             *const unit[MONITOR_COUNT] = {"s", "J", "", "", "1"};
    const int nq = sys->group->nq, nv = sys->group->nv, nc = dal_system_rows(sys);
    if (c->channel != NULL) {
        return dal_fail(c->ctx, DAL_EINVAL, "the channels are already bound to a system");
    }
    const size_t n = (size_t)dal_model_output_size(c->model) + (size_t)(nq + nv + nc) + MONITOR_COUNT;
    c->channel = dal_alloc_zero(c->ctx, n * sizeof *c->channel);
    if (c->channel == NULL) {
        return no_memory(c);
    }
    DAL_TRY(add_outputs(c));
    c->first[DAL_RECORD_STATE] = c->n;
    DAL_TRY(add_numbered(c, "q", nq));
    DAL_TRY(add_numbered(c, "v", nv));
    DAL_TRY(add_numbered(c, "lambda", nc));
    c->first[DAL_RECORD_MONITOR] = c->n;
    for (int k = 0; k < MONITOR_COUNT; ++k) {
        DAL_TRY(add(c, monitor[k], unit[k]));
    }
    c->first[DAL_RECORD_TABLES] = c->n;
    c->sys = sys;
    return DAL_OK;
}

/* ---- queries ---------------------------------------------------------------------------------- */

int dal_channels_count(const dal_channels *c)
{
    return c != NULL ? c->n : 0;
}

dal_channel dal_channels_get(const dal_channels *c, int number)
{
    int table = 0;
    if (c == NULL || number < 0 || number >= c->n) {
        return (dal_channel){NULL, NULL, -1};
    }
    while (number >= c->first[table + 1]) {
        ++table;
    }
    return (dal_channel){c->channel[number].name, c->channel[number].unit, table};
}

int dal_channels_table(const dal_channels *c, int *first, int table)
{
    if (c == NULL || table < 0 || table >= DAL_RECORD_TABLES) {
        return 0;
    }
    if (first != NULL) {
        *first = c->first[table];
    }
    return c->first[table + 1] - c->first[table];
}

int dal_channels_find(const dal_channels *c, const char *name)
{
    for (int i = 0; c != NULL && name != NULL && i < c->n; ++i) {
        if (strcmp(c->channel[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int dal_channels_output_count(const dal_channels *c)
{
    return c != NULL ? c->noutputs : 0;
}

int dal_channels_body_count(const dal_channels *c)
{
    return c != NULL ? c->nbodies : 0;
}

dal_body_channels dal_channels_body(const dal_channels *c, int number)
{
    if (c == NULL || number < 0 || number >= c->nbodies) {
        return (dal_body_channels){NULL, -1, -1, -1, -1};
    }
    const record_body *b = &c->body[number];
    return (dal_body_channels){b->name, b->first[0], b->first[1], b->first[2], b->first[3]};
}
