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

/* The values, and the variables that depend on them, as nodes 1 .. nlive. */
static dal_status find_live(const dal_binding *b, dal_ctx *ctx, const double *values, double *node)
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

/* A setter of a simulation, and where it is. */
typedef struct running {
    io_loader L; /* for messages */
    dal_data *data;
    double *node;
    dal_trace *trace; /* may be NULL */
} running;

static dal_status gather(const running *r, const io_operation *op, double x[IO_INPUTS_MAX])
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

/* What was computed, for whoever prints it; the quaternions of a frame become of length one in between. */
static dal_status trace_operation(const running *r, const io_operation *op, const double *x)
{
    const double *y = r->node + op->first;
    const io_kernel_type *type = &dal_io_kernels[op->kernel];
    if (op->e != NULL) {
        dal_trace_put(r->trace, (dal_trace_op){.e = op->e, .nout = 1}, y, NULL);
        return DAL_OK;
    }
    if (type->name == NULL) {
        return DAL_OK;
    }
    double in[IO_INPUTS_MAX];
    memcpy(in, x, (size_t)type->nin * sizeof *in);
    if (op->kernel == IO_FRAME || op->kernel == IO_ORIGIN) {
        const int body = op->in[0].node < 0 ? (-op->in[0].node - 1) / 7 : 0;
        dal_body b;
        if (body > 0) {
            DAL_TRY(dal_data_get_body(r->data, &b, body));
            dal_trace_put(r->trace, (dal_trace_op){.kernel = "unit4", .nout = 4, .nin = 4}, x + 3, b.rotation);
        }
    }
    if (op->kernel == IO_FRAME) {
        number_unit4(in + 10, x + 10);
        dal_trace_put(r->trace, (dal_trace_op){.kernel = "unit4", .nout = 4, .nin = 4}, in + 10, x + 10);
    }
    dal_trace_put(r->trace, (dal_trace_op){.kernel = type->name, .nout = type->nout, .nin = type->nin}, y, in);
    return DAL_OK;
}

static dal_status run_operation(const running *r, const io_operation *op)
{
    const io_node root = {.depth = 0}, at = {.up = &root, .key = op->path, .depth = 1};
    double x[IO_INPUTS_MAX], *y = r->node + op->first;
    if (op->e == NULL) {
        DAL_TRY(gather(r, op, x));
        DAL_TRY(dal_io_compute(&r->L, y, &at, op->kernel, x));
    } else {
        *y = dal_expression_at(op->e, r->node + 1);
        if (!(fabs(*y) <= IO_NUMBER_MAX)) {
            return dal_io_fail(&r->L, &at, "%g is out of range", *y);
        }
    }
    return r->trace != NULL ? trace_operation(r, op, x) : DAL_OK;
}

/* ---- setting elements ------------------------------------------------------------------------- */

static void put(const running *r, const io_item *item, void *description, void *list_1, void *list_2)
{
    void *const to[] = {description, list_1, list_2};
    for (int k = 0; k < item->ntargets; ++k) {
        const io_target *t = &item->target[k];
        memcpy((char *)to[t->list] + t->offset, &r->node[t->node], sizeof(double));
    }
}

static dal_status set_function(const running *r, const io_item *item)
{
    dal_function f;
    double list[2][IO_LIVE_LIST];
    DAL_TRY(dal_data_get_function(r->data, &f, item->number));
    const double *from[2] = {f.c != NULL ? f.c : f.x, f.y};
    for (int k = 0; k < 2; ++k) {
        if (from[k] != NULL && f.n <= IO_LIVE_LIST) {
            memcpy(list[k], from[k], (size_t)f.n * sizeof(double));
        }
    }
    put(r, item, &f, list[0], list[1]);
    if (f.c != NULL) {
        f.c = list[0];
    } else {
        f.x = list[0];
        f.y = list[1];
    }
    if (item->call.user != NULL) {
        f.call = NULL;
        f.call_with = item->call.call_with;
        f.next_break = item->call.next_break;
        f.user = item->call.user;
    }
    return dal_data_set_function(r->data, item->number, &f);
}

static dal_status set_body(const running *r, const io_item *item)
{
    dal_body body;
    DAL_TRY(dal_data_get_body(r->data, &body, item->number));
    put(r, item, &body, NULL, NULL);
    return dal_data_set_body(r->data, item->number, &body);
}

static dal_status set_flexible(const running *r, const io_item *item)
{
    dal_flexible body;
    double modal[2][IO_LIVE_LIST];
    DAL_TRY(dal_data_get_flexible(r->data, &body, item->number));
    const int n = dal_model_modes(r->L.model, NULL, NULL, item->number);
    if (n <= IO_LIVE_LIST) {
        memcpy(modal[0], body.modal, (size_t)n * sizeof(double));
        memcpy(modal[1], body.modal_velocity, (size_t)n * sizeof(double));
        body.modal = modal[0];
        body.modal_velocity = modal[1];
    }
    put(r, item, &body, modal[0], modal[1]);
    return dal_data_set_flexible(r->data, item->number, &body);
}

static dal_status set_joint(const running *r, const io_item *item)
{
    dal_joint joint;
    DAL_TRY(dal_data_get_joint(r->data, &joint, item->number));
    put(r, item, &joint, NULL, NULL);
    if (item->call.user != NULL) {
        joint.rows = item->call.rows;
        joint.rows_along = item->call.rows_along;
        joint.rows_break = item->call.next_break;
        joint.user = item->call.user;
        joint.nparameters = item->call.n;
    }
    return dal_data_set_joint(r->data, item->number, &joint);
}

static dal_status set_force(const running *r, const io_item *item)
{
    dal_force force;
    dal_input input[DAL_INPUTS_MAX];
    DAL_TRY(dal_data_get_force(r->data, &force, item->number));
    if (force.ninputs > 0) {
        memcpy(input, force.inputs, (size_t)force.ninputs * sizeof *input);
        force.inputs = input;
    }
    put(r, item, &force, input, NULL);
    if (item->call.user != NULL) {
        force.law = item->call.law;
        force.law_break = item->call.next_break;
        force.user = item->call.user;
        force.nparameters = item->call.n;
    }
    return dal_data_set_force(r->data, item->number, &force);
}

static dal_status set_element(const running *r, const io_item *item)
{
    dal_frame frame;
    double gravity[3];
    switch (item->kind) {
    case IO_ITEM_FUNCTION:
        return set_function(r, item);
    case IO_ITEM_BODY:
        return set_body(r, item);
    case IO_ITEM_FLEXIBLE:
        return set_flexible(r, item);
    case IO_ITEM_JOINT:
        return set_joint(r, item);
    case IO_ITEM_FORCE:
        return set_force(r, item);
    case IO_ITEM_OUTPUT:
        DAL_TRY(dal_data_get_output(r->data, &frame, item->number));
        put(r, item, &frame, NULL, NULL);
        return dal_data_set_output(r->data, item->number, &frame);
    default:
        DAL_TRY(dal_data_get_gravity(r->data, gravity));
        put(r, item, gravity, NULL, NULL);
        return dal_data_set_gravity(r->data, gravity);
    }
}

/* All elements, each after the ones whose pose it needs. */
static dal_status set_all(const dal_binding *b, dal_data *data, double *node, dal_trace *trace)
{
    const running r = {.L = {.ctx = data->ctx, .doc = b->doc, .model = b->doc->model, .source = b->doc->source},
                       .data = data,
                       .node = node,
                       .trace = trace};
    for (int k = 0; k < b->nitems; ++k) {
        const io_item *item = &b->item[k];
        const io_node root = {.depth = 0}, at = {.up = &root, .key = item->path, .depth = 1};
        for (int i = 0; i < item->nops; ++i) {
            DAL_TRY(run_operation(&r, &item->op[i]));
        }
        const dal_status st = set_element(&r, item);
        if (st != DAL_OK) {
            return dal_io_fail_at(&r.L, &at, st);
        }
    }
    return DAL_OK;
}

dal_status dal_binding_set(const dal_binding *b, dal_data *data, const double *values)
{
    double node[IO_NODES_MAX];
    DAL_NEED(NULL, data);
    DAL_NEED_AS(data->ctx, b, "binding");
    if (b->n > 0) {
        DAL_NEED(data->ctx, values);
    }
    DAL_TRY(find_live(b, data->ctx, values, node));
    return set_all(b, data, node, NULL);
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
    DAL_TRY(find_live(b, NULL, values, node));
    *t_end = dal_expression_at(b->t_end, node + 1);
    return *t_end > 0.0 && *t_end <= IO_NUMBER_MAX ? DAL_OK : DAL_EINVAL;
}

dal_status dal_binding_trace(dal_trace *trace, const dal_binding *b, dal_data *data, const double *values)
{
    double node[IO_NODES_MAX];
    DAL_TRY(find_live(b, data->ctx, values, node));
    dal_trace_put(trace, (dal_trace_op){.nout = b->nlive}, node + 1, NULL);
    for (int k = b->n; k < b->nlive; ++k) {
        dal_trace_put(trace, (dal_trace_op){.e = b->value[k - b->n], .nout = 1}, &node[1 + k], NULL);
    }
    DAL_TRY(set_all(b, data, node, trace));
    return trace->lost ? dal_io_no_memory(data->ctx) : DAL_OK;
}

int dal_binding_assembles(const dal_binding *b)
{
    return b->doc->assemble;
}

/* ---- starting --------------------------------------------------------------------------------- */

/* Numbers of a start: on the stack where they are few. */
enum { OWN_NUMBERS = 2048 };

/* Is there nothing to complete? All velocities are given, or none, or they are consistent (see dal_complete_velocities). */
static dal_status velocities_hold(dal_data *data, const dal_point *at, double *room, const int *given, int *hold)
{
    static const double rounding = 1e-14;
    const dal_system *sys = data->sys;
    const int nv = sys->group->nv, nc = dal_system_rows(sys);
    int ngiven = 0;
    for (int i = 0; i < nv; ++i) {
        ngiven += given[i];
    }
    *hold = ngiven == 0 || ngiven == nv || nc == 0;
    if (*hold) {
        return DAL_OK;
    }
    memset(room, 0, (size_t)nc * sizeof(double));
    DAL_TRY(dal_data_residual(data, &(dal_residual){.vel = room}, at));
    *hold = dal_max_abs(room, nc) <= rounding * dal_max_abs(at->v, nv);
    return DAL_OK;
}

/* q, v, room for rows and velocities that are zero, as many numbers as there are of all of them, and for flags. */
static dal_status start_from(const dal_binding *b, dal_sim *sim, double *room, dal_initial_report *report)
{
    dal_data *data = dal_sim_data(sim);
    const dal_system *sys = data->sys;
    const int nq = sys->group->nq, nv = sys->group->nv, nc = dal_system_rows(sys);
    double *q = room, *v = q + nq, *zero = v + nv, *rows = zero + nv + nc;
    int hold, *given = (int *)(rows + nc);
    DAL_TRY(dal_data_initial(data, q, v));
    if (b->doc->assemble) {
        DAL_TRY(dal_io_close_loops(data->ctx, b->doc, sys, data, q, NULL));
    }
    memset(zero, 0, (size_t)(nv + nc) * sizeof(double));
    const dal_point at = {0.0, q, v, zero, zero};
    DAL_TRY(dal_data_given(data, given));
    DAL_TRY(velocities_hold(data, &at, rows, given, &hold));
    if (!hold) {
        DAL_TRY(dal_complete_velocities_with(data->ctx, sys, data, v, NULL, 0.0, q, given));
    }
    return dal_sim_start(sim, report, 0.0, q, v);
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
    DAL_TRY(find_live(b, data->ctx, values, node));
    if (data->sys->life.set_numbers != NULL) {
        DAL_TRY(data->sys->life.set_numbers(NULL, 0, data->sys->user, data->work));
    }
    return set_all(b, data, node, NULL);
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
    const size_t n =
        (size_t)data->sys->group->nq + 3 * (size_t)data->sys->group->nv + 2 * (size_t)dal_system_rows(data->sys);
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
