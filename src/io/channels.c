/* What there is to record of a model: a list of channels in the order of the tables. */
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "io/record_impl.h"
#include "io/results_impl.h"

const char *const dal_record_tables[DAL_RECORD_TABLES] = {"outputs", "bodies", "state", "monitor"};

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
    return table >= 0 && table < DAL_RECORD_TABLES ? dal_record_tables[table] : NULL;
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
    DAL_TAKE(&c->pool, c->body, most);
    for (int i = 1; dal_model_body_name(c->model, i) != NULL && (size_t)c->nbodies < most; ++i) {
        if (dal_model_body_of(c->model, i) != i) {
            continue;
        }
        record_body *b = &c->body[c->nbodies++];
        b->number = i;
        DAL_TAKE_TEXT(&c->pool, b->name, dal_model_body_name(c->model, i));
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
    dal_pool pool = {.ctx = ctx, .what = "the channels of a model"};
    dal_channels *c;
    DAL_TAKE(&pool, c, 1);
    c->pool = pool;
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
    if (c != NULL) {
        dal_pool pool = c->pool; // it is in it
        dal_pool_release(&pool);
    }
}

/* ---- after ------------------------------------------------------------------------------------ */

static dal_status add(dal_channels *c, const char *name, const char *unit)
{
    c->channel[c->n].unit = unit;
    DAL_TAKE_TEXT(&c->pool, c->channel[c->n++].name, name);
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
    for (int i = 0; i < 4 * c->nbodies; ++i) {
        record_body *b = &c->body[i / 4];
        const int k = i % 4;
        b->first[k] = b->output[k] >= 0 ? c->n : -1;
        for (int j = 0; b->output[k] >= 0 && j < part[k].n; ++j) { // components of a vector, or of a quaternion
            char column[1024];
            snprintf(column, sizeof column, "%.600s.%s.%c", b->name, part[k].column, "wxyz"[j + (part[k].n == 3)]);
            DAL_TRY(add(c, column, part[k].unit));
        }
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
    DAL_TAKE(&c->pool, c->channel, dal_model_output_size(c->model) + nq + nv + nc + MONITOR_COUNT);
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
