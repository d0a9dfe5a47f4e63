/* Values of variables for one simulation: what follows from them is recorded once (setup.c), as a program that runs for each set
 * of values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/vector.h"
#include "io/binding_impl.h"
#include "mbs/number_kernel.h"
#include "mbs/pose.h"
#include "projection/assemble.h"
#include "system/data.h"

/* ---- memory ----------------------------------------------------------------------------------- */

dal_status dal_io_own_block(dal_binding *b, void *block)
{
    io_owned *owned = dal_alloc(b->ctx, sizeof *owned);
    if (owned == NULL) {
        dal_free(b->ctx, block);
        return dal_io_no_memory(b->ctx);
    }
    *owned = (io_owned){.next = b->owned, .p = block};
    b->owned = owned;
    return DAL_OK;
}

void *dal_io_own(dal_binding *b, size_t size)
{
    void *block = dal_alloc_zero(b->ctx, size);
    return block != NULL && dal_io_own_block(b, block) == DAL_OK ? block : NULL;
}

const char *dal_io_own_text(dal_binding *b, const char *text)
{
    char *copy = dal_io_own(b, strlen(text) + 1);
    if (copy != NULL) {
        memcpy(copy, text, strlen(text) + 1);
    }
    return copy;
}

void dal_binding_destroy(dal_binding *b)
{
    if (b == NULL) {
        return;
    }
    while (b->owned != NULL) {
        io_owned *next = b->owned->next;
        dal_free(b->ctx, b->owned->p);
        dal_free(b->ctx, b->owned);
        b->owned = next;
    }
    for (int k = 0; k < b->nitems; ++k) {
        dal_free(b->ctx, b->item[k].op);
        dal_free(b->ctx, b->item[k].target);
    }
    dal_free(b->ctx, b->item);
    dal_io_types_release(&b->types, b->ctx);
    dal_json_destroy(b->json, b->ctx);
    dal_free(b->ctx, b);
}

/* ---- running the program ---------------------------------------------------------------------- */

dal_status dal_io_live(const dal_binding *b, dal_ctx *ctx, double *node, const double *values)
{
    double *live = node + 1;
    for (int k = 0; k < b->nlive; ++k) {
        live[k] = k < b->n ? values[k] : dal_expression_at(b->value[k - b->n], live);
        if (!(fabs(live[k]) <= IO_NUMBER_MAX)) {
            return dal_fail(ctx, DAL_EINVAL, "%s: variable '%s': %g is out of range", b->doc->source, b->name[k],
                            live[k]);
        }
    }
    return DAL_OK;
}

dal_status dal_io_gather(const io_running *r, double x[IO_INPUTS_MAX], const io_operation *op)
{
    double pose[7];
    int posed = 0;
    for (int k = 0; k < dal_io_kernels[op->kernel].nin; ++k) {
        const io_real in = op->in[k];
        const int body = (-in.node - 1) / 7;
        if (in.node < 0 && posed != body) {
            DAL_TRY(mb_data_pose(r->data, pose, body));
            posed = body;
        }
        x[k] = in.node < 0 ? pose[(-in.node - 1) % 7] : in.node > 0 ? r->node[in.node] : in.x;
    }
    return DAL_OK;
}

/* What was computed from what, for the code generator. */
static void tell_operation(const io_running *r, const io_operation *op)
{
    const io_kernel_type *type = &dal_io_kernels[op->kernel];
    const double *y = r->node + op->first;
    mb_span x[IO_INPUTS_MAX + 1] = {{NULL, 0}};
    double pose[7];
    int posed = 0;
    if (op->e != NULL) {
        r->flow->formula(r->flow, y, op->e, r->node + 1);
        return;
    }
    for (int k = 0; k < type->nin; ++k) {
        const io_real *in = &op->in[k];
        const int body = (-in->node - 1) / 7;
        if (in->node < 0 && posed != body) {
            mb_follow_pose(r->data, pose, body, &r->flow->of);
            posed = body;
        }
        x[k] = (mb_span){in->node < 0 ? &pose[(-in->node - 1) % 7] : in->node > 0 ? &r->node[in->node] : &in->x, 1};
    }
    r->flow->of.call(&r->flow->of, type->name, "", MB_SPANS({y, type->nout}), x);
}

dal_status dal_io_run_operation(const io_running *r, const io_operation *op)
{
    const io_node root = {.depth = 0}, at = {.up = &root, .key = op->path, .depth = 1};
    double x[IO_INPUTS_MAX] = {0.0}, *y = r->node + op->first;
    if (op->e == NULL) {
        DAL_TRY(dal_io_gather(r, x, op));
        DAL_TRY(dal_io_compute(&r->L, y, &at, op->kernel, x));
    } else {
        *y = dal_expression_at(op->e, r->node + 1);
        if (!(fabs(*y) <= IO_NUMBER_MAX)) {
            return dal_io_fail(&r->L, &at, "%g is out of range", *y);
        }
    }
    if (r->flow != NULL) {
        tell_operation(r, op);
    }
    return DAL_OK;
}

/* ---- setting elements ------------------------------------------------------------------------- */

/* Callbacks that take parameters, instead of those of the document. */
static void put_callbacks(mb_description *d, const io_callbacks *call)
{
    switch (d->kind) {
    case MB_FUNCTION:
        d->d.function.call = NULL;
        d->d.function.call_with = call->call_with;
        d->d.function.next_break = call->next_break;
        d->d.function.calling = call->function_calling;
        d->d.function.calling_break = call->calling_break;
        d->d.function.user = call->user;
        break;
    case MB_JOINT:
        d->d.joint.rows = call->rows;
        d->d.joint.rows_along = call->rows_along;
        d->d.joint.rows_break = call->calling_break;
        d->d.joint.user = call->user;
        d->d.joint.nparameters = call->n;
        break;
    case MB_EVENT:
        d->d.event.calling = call->values;
        d->d.event.user = call->user;
        d->d.event.nparameters = call->n;
        break;
    default:
        d->d.force.law = call->law;
        d->d.force.law_break = call->next_break;
        d->d.force.calling_law = call->calling_law;
        d->d.force.calling_break = call->calling_break;
        d->d.force.user = call->user;
        d->d.force.nparameters = call->n;
    }
}

static dal_status set_element(const io_running *r, const io_item *item)
{
    mb_description d;
    DAL_TRY(mb_description_get(r->data, &d, item->kind, item->number));
    for (int k = 0; k < item->ntargets; ++k) {
        const io_target *t = &item->target[k];
        memcpy((char *)d.list[t->list] + t->offset, &r->node[t->node], sizeof(double));
        if (r->flow != NULL) {
            const char *home = mb_description_home(r->data, item->kind, item->number, t->list);
            r->flow->of.copy(&r->flow->of, (const double *)(home + t->offset), &r->node[t->node], 1);
        }
    }
    if (item->call.user != NULL) {
        put_callbacks(&d, &item->call);
    }
    return mb_description_set(r->data, &d);
}

io_running dal_io_running(const dal_binding *b, dal_data *data, double *node)
{
    return (io_running){.L = {.ctx = data->ctx, .doc = b->doc, .model = b->doc->model, .source = b->doc->source},
                        .data = data,
                        .node = node};
}

/* All elements, each after the ones whose pose it needs. */
static dal_status set_all(const dal_binding *b, dal_data *data, double *node, io_flow *flow)
{
    io_running r = dal_io_running(b, data, node);
    r.flow = flow;
    for (int k = 0; k < b->nitems; ++k) {
        const io_item *item = &b->item[k];
        const io_node root = {.depth = 0}, at = {.up = &root, .key = item->path, .depth = 1};
        for (int i = 0; i < item->nops; ++i) {
            DAL_TRY(dal_io_run_operation(&r, &item->op[i]));
        }
        const dal_status st = set_element(&r, item);
        if (st != DAL_OK) {
            return dal_io_fail_at(&r.L, &at, st);
        }
    }
    return DAL_OK;
}

dal_status dal_io_set_values(const dal_binding *b, dal_data *data, const double *values)
{
    double node[IO_NODES_MAX];
    DAL_TRY(dal_io_live(b, data->ctx, node, values));
    return set_all(b, data, node, NULL);
}

dal_status dal_binding_set(const dal_binding *b, dal_data *data, const double *values)
{
    DAL_NEED(NULL, data);
    DAL_NEED_AS(data->ctx, b, "binding");
    if (b->n > 0) {
        DAL_NEED(data->ctx, values);
    }
    DAL_TRY(dal_io_beside_inputs(b, data, values));
    DAL_TRY(dal_io_set_values(b, data, values));
    return dal_io_take_inputs(b, data, values);
}

void dal_binding_values(const dal_binding *b, double *values)
{
    if (b != NULL && values != NULL) {
        memcpy(values, b->given, (size_t)b->n * sizeof *values);
    }
}

dal_status dal_binding_t_end(const dal_binding *b, double *t_end, const double *values)
{
    double node[IO_NODES_MAX];
    DAL_NEED_AS(NULL, b, "binding");
    DAL_NEED(b->ctx, t_end);
    *t_end = b->doc->t_end;
    if (b->t_end == NULL) {
        return DAL_OK;
    }
    DAL_NEED(b->ctx, values);
    DAL_TRY(dal_io_live(b, NULL, node, values));
    *t_end = dal_expression_at(b->t_end, node + 1);
    return *t_end > 0.0 && *t_end <= IO_NUMBER_MAX ? DAL_OK : DAL_EINVAL;
}

dal_status dal_binding_follow(const dal_binding *b, dal_data *data, io_flow *f, const double *values)
{
    double node[IO_NODES_MAX];
    DAL_TRY(dal_io_live(b, data->ctx, node, values));
    for (int k = 0; k < b->nlive; ++k) {
        if (k < b->n) {
            f->value(f, &node[1 + k], k);
        } else {
            f->formula(f, &node[1 + k], b->value[k - b->n], node + 1);
        }
    }
    DAL_TRY(set_all(b, data, node, f));
    DAL_TRY(dal_data_initial(data, NULL, NULL));
    mb_follow(data, &f->of);
    return DAL_OK;
}

int dal_binding_assembles(const dal_binding *b)
{
    return b->doc->assemble;
}

int dal_binding_sets_step(const dal_binding *b)
{
    return b->h != NULL;
}

/* ---- starting --------------------------------------------------------------------------------- */

/* Numbers of a start: on the stack where they are few. */
enum { OWN_NUMBERS = 2048 };

/* Is there nothing to complete? All velocities are given, or none (*some = 0), or they are consistent (see
 * dal_complete_velocities). */
static dal_status velocities_hold(dal_data *data, const dal_point *at, double *room, const int *given, int *some,
                                  int *hold)
{
    static const double rounding = 1e-14;
    const dal_system *sys = data->sys;
    const int nv = sys->group->nv, nc = dal_system_rows(sys);
    int ngiven = 0;
    for (int i = 0; i < nv; ++i) {
        ngiven += given[i];
    }
    *some = ngiven > 0 && ngiven < nv && nc > 0;
    *hold = !*some;
    if (*hold) {
        return DAL_OK;
    }
    memset(room, 0, (size_t)nc * sizeof(double));
    DAL_TRY(dal_data_residual(data, &(dal_residual){.vel = room}, at));
    *hold = dal_max_abs(room, nc) <= rounding * dal_max_abs(at->v, nv);
    return DAL_OK;
}

/* room: q, v, then rows and velocities that are zero, as many numbers as there are of all of them, and flags. */
static dal_status guess(const dal_binding *b, dal_data *data, double *room, io_guess *how)
{
    const dal_system *sys = data->sys;
    const int nq = sys->group->nq, nv = sys->group->nv, nc = dal_system_rows(sys);
    double *q = room, *v = q + nq, *zero = v + nv, *rows = zero + nv + nc;
    int some, hold, kept = 0, *given = (int *)(rows + nc);
    DAL_TRY(dal_data_initial(data, q, v));
    if (b->doc->assemble) {
        DAL_TRY(dal_io_close_loops(data->ctx, b->doc, sys, data, q, NULL));
    }
    memset(zero, 0, (size_t)(nv + nc) * sizeof(double));
    const dal_point at = {0.0, q, v, zero, zero};
    DAL_TRY(dal_data_given(data, given));
    DAL_TRY(velocities_hold(data, &at, rows, given, &some, &hold));
    if (!hold) {
        DAL_TRY(dal_complete_velocities_with(data->ctx, sys, data, v, &kept, 0.0, q, given));
    }
    *how = (io_guess){.closed = b->doc->assemble || some, .completed = (kept > 0) - (kept < 0)};
    return DAL_OK;
}

static size_t guess_size(const dal_data *data)
{
    return (size_t)data->sys->group->nq + 3 * (size_t)data->sys->group->nv + 2 * (size_t)dal_system_rows(data->sys);
}

static dal_status start_from(const dal_binding *b, dal_sim *sim, double *room, dal_initial_report *report)
{
    dal_data *data = dal_sim_data(sim);
    io_guess how;
    DAL_TRY(guess(b, data, room, &how));
    return dal_sim_start(sim, report, 0.0, room, room + data->sys->group->nq);
}

/* The step size changes in a simulation that has a state: the first one is started for that. */
static dal_status set_step(const dal_binding *b, dal_sim *sim, double h, double *room)
{
    dal_ctx *ctx = dal_sim_data(sim)->ctx;
    if (!(h > 0.0 && h <= IO_NUMBER_MAX)) {
        return dal_fail(ctx, DAL_EINVAL, "%s: h = %g is not a positive step size", b->doc->source, h);
    }
    if (dal_sim_set_step(sim, h) == DAL_OK) {
        return DAL_OK;
    }
    dal_ctx_clear(ctx);
    DAL_TRY(start_from(b, sim, room, NULL));
    return dal_sim_set_step(sim, h);
}

/* All numbers as in the document but for what depends on the values. */
static dal_status set_anew(const dal_binding *b, dal_data *data, const double *values, double *node)
{
    DAL_NEED_AS(data->ctx, b, "binding");
    if (b->n > 0) {
        DAL_NEED(data->ctx, values);
    }
    DAL_TRY(dal_io_beside_inputs(b, data, values));
    DAL_TRY(dal_io_live(b, data->ctx, node, values));
    if (data->sys->life.set_numbers != NULL) {
        DAL_TRY(data->sys->life.set_numbers(NULL, 0, data->sys->user, data->work));
    }
    if (data->sys->ninputs > 0) { // elements that depend on inputs have these as numbers, as from the beginning
        data->bound = NULL;
        data->nbound = 0;
        DAL_TRY(data->sys->life.set_inputs(data, data->input, data->sys->user));
    }
    DAL_TRY(set_all(b, data, node, NULL));
    return dal_io_take_inputs(b, data, values);
}

dal_status dal_binding_initial(const dal_binding *b, dal_data *data, double *q, double *v, const double *values)
{
    double node[IO_NODES_MAX];
    DAL_NEED(NULL, data);
    DAL_TRY(set_anew(b, data, values, node));
    return dal_data_initial(data, q, v);
}

dal_status dal_binding_start(const dal_binding *b, dal_sim *sim, dal_initial_report *report, const double *values)
{
    double node[IO_NODES_MAX], own[OWN_NUMBERS];
    DAL_NEED(NULL, sim);
    dal_data *data = dal_sim_data(sim);
    DAL_TRY(set_anew(b, data, values, node));
    const size_t n = guess_size(data);
    double *room = n <= OWN_NUMBERS ? own : dal_alloc(data->ctx, n * sizeof(double));
    if (room == NULL) {
        return dal_io_no_memory(data->ctx);
    }
    dal_status st = b->h != NULL ? set_step(b, sim, dal_expression_at(b->h, node + 1), room) : DAL_OK;
    st = st == DAL_OK ? start_from(b, sim, room, report) : st;
    if (room != own) {
        dal_free(data->ctx, room);
    }
    return st;
}

dal_status dal_binding_guess(const dal_binding *b, dal_data *data, double *q, double *v, io_guess *how,
                             const double *values)
{
    double node[IO_NODES_MAX];
    const size_t nq = (size_t)data->sys->group->nq, nv = (size_t)data->sys->group->nv;
    DAL_TRY(set_anew(b, data, values, node));
    double *room = dal_alloc(data->ctx, guess_size(data) * sizeof(double));
    if (room == NULL) {
        return dal_io_no_memory(data->ctx);
    }
    const dal_status st = guess(b, data, room, how);
    memcpy(q, room, nq * sizeof(double));
    memcpy(v, room + nq, nv * sizeof(double));
    dal_free(data->ctx, room);
    return st;
}

/* ---- during a run ----------------------------------------------------------------------------- */

/* The step size where it depends on the values. */
static dal_status change_step(const dal_binding *b, dal_sim *sim, const double *values)
{
    double node[IO_NODES_MAX];
    DAL_TRY(dal_io_live(b, dal_sim_data(sim)->ctx, node, values));
    return dal_sim_set_step(sim, dal_expression_at(b->h, node + 1));
}

/* What a change that fails has to leave as it was: numbers of elements, inputs, the values they were bound to. */
typedef struct earlier {
    const void *bound;
    int nbound, nnumbers;
    double *value, *input, *number;
} earlier;

static dal_status take_back(dal_data *data, const earlier *before)
{
    const dal_system *sys = data->sys;
    data->bound = before->bound;
    data->nbound = before->nbound;
    if (before->nbound > 0) {
        memcpy(data->bound_value, before->value, (size_t)before->nbound * sizeof(double));
    }
    if (sys->ninputs > 0) {
        memcpy(data->input, before->input, (size_t)sys->ninputs * sizeof(double));
    }
    return sys->life.set_numbers != NULL
               ? sys->life.set_numbers(before->number, before->nnumbers, sys->user, data->work)
               : DAL_OK;
}

static dal_status change(const dal_binding *b, dal_sim *sim, const double *values, const earlier *before)
{
    dal_data *data = dal_sim_data(sim);
    dal_status st = dal_binding_set(b, data, values);
    const int set = st == DAL_OK;
    st = set ? dal_sim_data_changed(sim) : st;
    if (st == DAL_OK) {
        return b->h != NULL ? change_step(b, sim, values) : DAL_OK;
    }
    DAL_TRY(take_back(data, before));
    DAL_TRY(set ? dal_sim_data_changed(sim) : DAL_OK);
    return st;
}

dal_status dal_binding_change(const dal_binding *b, dal_sim *sim, const double *values)
{
    DAL_NEED(NULL, sim);
    dal_data *data = dal_sim_data(sim);
    DAL_NEED_AS(data->ctx, b, "binding");
    const dal_system *sys = data->sys;
    const int n = sys->life.numbers != NULL ? sys->life.numbers(NULL, sys->user, data->work) : 0;
    const size_t nbound = (size_t)data->nbound, ninputs = (size_t)sys->ninputs;
    double *room = dal_alloc(data->ctx, (nbound + ninputs + (size_t)n + 1) * sizeof *room);
    if (room == NULL) {
        return dal_io_no_memory(data->ctx);
    }
    const earlier before = {data->bound, data->nbound, n, room, room + nbound, room + nbound + ninputs};
    if (nbound > 0) {
        memcpy(before.value, data->bound_value, nbound * sizeof *room);
    }
    if (ninputs > 0) {
        memcpy(before.input, data->input, ninputs * sizeof *room);
    }
    if (n > 0) {
        (void)sys->life.numbers(before.number, sys->user, data->work);
    }
    const dal_status st = change(b, sim, values, &before);
    dal_free(data->ctx, room);
    return st;
}
