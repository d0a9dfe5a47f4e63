/* Numbers of elements for one simulation. A description is read by the same function as when an element is added; the result
 * must have the structure of the compiled model, otherwise it is refused and nothing changes. */
#include "base/message.h"
#include "mbs/event_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/numbers_impl.h"

/* ---- what all have in common ------------------------------------------------------------------ */

static dal_status no_element(const mb_instance *m, const char *what, int number)
{
    return dal_fail(m->ctx, DAL_EINVAL, "model: there is no %s of number %d", what, number);
}

/* The element in question, for messages. */
typedef struct element {
    dal_ctx *ctx;
    const char *kind, *name;
} element;

/* Refuse what is not as before. */
static dal_status fixed(const element *e, int same, const char *what)
{
    return same ? DAL_OK
                : dal_fail(e->ctx, DAL_EINVAL,
                           "%s '%s': %s cannot be changed for one simulation, it belongs to the structure of the "
                           "compiled model; compile a model anew",
                           e->kind, e->name, what);
}

static dal_status done(mb_instance *m)
{
    m->changed = m->unsettled = 1;
    return DAL_OK;
}

/* ---- gravity ---------------------------------------------------------------------------------- */

dal_status mb_set_gravity(mb_instance *m, const double gravity[3])
{
    if (!mb_norm_ok(gravity, 3)) {
        return dal_fail(m->ctx, DAL_EINVAL, "model: gravity must be finite");
    }
    copy3(m->gravity, gravity);
    return done(m);
}

/* ---- bodies ----------------------------------------------------------------------------------- */

/* A body that has numbers: not the ground, not an interface node. */
static dal_status find_body(const mb_instance *m, int number)
{
    if (number < 1 || number >= m->nbodies) {
        return no_element(m, "moving body", number);
    }
    const int unit = m->body[number].unit;
    return unit == number ? DAL_OK
                          : dal_fail(m->ctx, DAL_EINVAL,
                                     "body '%s' is an interface of flexible body '%s': its place follows from that "
                                     "body's numbers",
                                     m->of->body_names.name[number], m->of->body_names.name[unit]);
}

dal_status mb_get_body(mb_instance *m, dal_body *body, int number)
{
    DAL_TRY(find_body(m, number));
    *body = m->desc[number];
    body->name = m->of->body_names.name[number];
    body->type = m->body[number].type->name;
    body->sequence = m->of->body[number].sequence[0] != '\0' ? m->of->body[number].sequence : NULL;
    return DAL_OK;
}

static void store_pose(dal_body *to, const dal_body *d)
{
    *to = *d;
    to->name = to->type = to->sequence = NULL;
}

/* The frame of a flexible body: its place and motion at the start. */
static dal_status set_frame(mb_instance *m, int number, const dal_body *d, const element *e)
{
    const dal_body *now = &m->desc[number];
    DAL_TRY(fixed(e, d->type == NULL || strcmp(d->type, m->body[number].type->name) == 0, "its type"));
    int same = d->mass == now->mass;
    for (int k = 0; k < 6; ++k) {
        same &= d->inertia[k] == now->inertia[k] && d->com[k % 3] == now->com[k % 3];
    }
    if (!same) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "flexible body '%s': mass properties change the shapes of the body; compile a model anew",
                        e->name);
    }
    DAL_TRY(mb_check_pose(m->ctx, d, m->body[number].type));
    store_pose(&m->desc[number], d);
    return done(m);
}

dal_status mb_set_body(mb_instance *m, int number, const dal_body *body)
{
    DAL_TRY(find_body(m, number));
    mb_body *b = &m->body[number];
    dal_body d = *body;
    d.name = m->of->body_names.name[number];
    const element e = {m->ctx, "body", d.name};
    if (b->flex) {
        return set_frame(m, number, &d, &e);
    }
    const mb_body_type *type = mb_body_type_find(m->ctx, d.type, d.name);
    int axis[3] = {0, 1, 2};
    if (!type) {
        return DAL_EINVAL;
    }
    DAL_TRY(fixed(&e, type == b->type, "its type"));
    DAL_TRY(fixed(&e, !d.sequence || mb_sequence(axis, d.sequence), "the sequence of its angles"));
    DAL_TRY(fixed(&e, memcmp(axis, b->axis, sizeof axis) == 0, "the sequence of its angles"));
    DAL_TRY(mb_body_check(m->ctx, &d, type, &m->desc[number]));
    mb_body_numbers(b, &d);
    store_pose(&m->desc[number], &d);
    return done(m);
}

dal_status mb_set_flexible(mb_instance *m, int number, const dal_flexible *body)
{
    DAL_TRY(find_body(m, number));
    const char *name = m->of->body_names.name[number];
    const mb_flex *flex = m->body[number].flex;
    if (!flex || body->modes) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        flex ? "flexible body '%s': its shapes belong to the compiled model (modes must be NULL here); "
                               "compile a model anew"
                             : "body '%s' is not flexible",
                        name);
    }
    dal_body d = m->desc[number];
    d.name = name;
    copy3(d.position, body->position);
    memcpy(d.rotation, body->rotation, sizeof d.rotation);
    copy3(d.velocity, body->velocity);
    copy3(d.angular_velocity, body->angular_velocity);
    d.given = body->given;
    if ((body->modal && !mb_norm_ok(body->modal, flex->n)) ||
        (body->modal_velocity && !mb_norm_ok(body->modal_velocity, flex->n))) {
        return dal_fail(m->ctx, DAL_EINVAL, "flexible body '%s': a number is not finite", name);
    }
    DAL_TRY(mb_check_pose(m->ctx, &d, m->body[number].type));
    store_pose(&m->desc[number], &d);
    for (int k = 0; k < flex->n; ++k) {
        m->body[number].bent->z0[k] = body->modal ? body->modal[k] : 0.0;
        m->body[number].bent->zd0[k] = body->modal_velocity ? body->modal_velocity[k] : 0.0;
    }
    return done(m);
}

dal_status mb_get_flexible(mb_instance *m, dal_flexible *body, int number)
{
    dal_body d;
    DAL_TRY(mb_get_body(m, &d, number));
    const mb_body *b = &m->body[number];
    if (!b->flex) {
        return dal_fail(m->ctx, DAL_EINVAL, "body '%s' is not flexible", d.name);
    }
    *body = (dal_flexible){.name = d.name, .modal = b->bent->z0, .modal_velocity = b->bent->zd0, .given = d.given};
    copy3(body->position, d.position);
    memcpy(body->rotation, d.rotation, sizeof d.rotation);
    copy3(body->velocity, d.velocity);
    copy3(body->angular_velocity, d.angular_velocity);
    return DAL_OK;
}

/* ---- joints ----------------------------------------------------------------------------------- */

dal_status mb_get_joint(mb_instance *m, dal_joint *joint, int number)
{
    if (number < 0 || number >= m->njoints) {
        return no_element(m, "joint", number);
    }
    const mb_joint *j = &m->joint[number];
    char *const *name = m->of->joint_names.name;
    *joint = j->d;
    joint->name = name[number];
    joint->type = j->type->name;
    joint->bodies = j->d.nbodies > 0 ? j->bodies : NULL;
    if (j->type->free_bodies) {
        joint->joint_1 = j->refers[0] >= 0 ? name[j->refers[0]] : NULL;
        joint->joint_2 = j->refers[1] >= 0 ? name[j->refers[1]] : NULL;
        joint->joint_3 = j->refers[2] >= 0 ? name[j->refers[2]] : NULL;
    } else {
        joint->joint = j->refers[0] >= 0 ? name[j->refers[0]] : NULL;
    }
    return DAL_OK;
}

static int same_bodies(const mb_marker a[2], const mb_marker b[2])
{
    return a[0].body == b[0].body && a[1].body == b[1].body;
}

static int same_row(const mb_row *a, const mb_row *b)
{
    return a->type == b->type && a->i == b->i && a->j == b->j;
}

static dal_status compare_joints(const mb_joint *a, const mb_joint *b, const element *e)
{
    const dal_joint *x = &a->d, *y = &b->d;
    DAL_TRY(fixed(e, a->type == b->type, "its type"));
    DAL_TRY(fixed(e, memcmp(a->refers, b->refers, sizeof a->refers) == 0, "the joint it refers to"));
    DAL_TRY(fixed(e, same_bodies(a->marker, b->marker), "the bodies it connects"));
    DAL_TRY(fixed(e, x->locked == y->locked, "`locked`"));
    DAL_TRY(fixed(e,
                  x->shape == y->shape && x->shape_a == y->shape_a && x->hollow == y->hollow &&
                      (x->radius > 0.0) == (y->radius > 0.0),
                  "its shape"));
    DAL_TRY(fixed(e, (x->mu > 0.0) == (y->mu > 0.0), "whether it has friction"));
    DAL_TRY(fixed(e, (x->release != 0.0) == (y->release != 0.0), "whether it is released"));
    DAL_TRY(fixed(e, x->function == y->function && x->curve_x == y->curve_x && x->curve_y == y->curve_y,
                  "the function it follows"));
    DAL_TRY(fixed(e, x->coordinate == y->coordinate && x->axis == y->axis, "its coordinate"));
    DAL_TRY(fixed(e, a->gear.nterms == b->gear.nterms, "whether it has tooth forces"));
    for (int k = 0; k < a->gear.nterms; ++k) {
        DAL_TRY(fixed(e, same_row(&a->gear.row[k], &b->gear.row[k]), "a coordinate that it relates"));
    }
    DAL_TRY(fixed(e, x->nrows == y->nrows && x->nbodies == y->nbodies, "the number of its rows or bodies"));
    return fixed(e, memcmp(a->bodies, b->bodies, sizeof a->bodies) == 0, "the bodies it connects");
}

dal_status mb_set_joint(mb_instance *m, int number, const dal_joint *joint)
{
    if (number < 0 || number >= m->njoints) {
        return no_element(m, "joint", number);
    }
    dal_joint d = *joint;
    d.name = m->of->joint_names.name[number];
    const mb_scope scope = {m->ctx, m->of, m->joint};
    const element e = {m->ctx, "joint", d.name};
    mb_joint next = {.type = mb_joint_type_find(m->ctx, &d)}, *now = &m->joint[number];
    if (!next.type) {
        return DAL_EINVAL;
    }
    DAL_TRY(fixed(&e, next.type == now->type, "its type"));
    DAL_TRY(mb_joint_read(&scope, &next, &d));
    DAL_TRY(compare_joints(&next, now, &e));
    next.first = now->first;
    next.count = now->count;
    next.switching = now->switching;
    next.grabs = now->grabs;
    next.curve = now->curve;
    *now = next;
    return done(m);
}

/* ---- forces ----------------------------------------------------------------------------------- */

dal_status mb_get_force(mb_instance *m, dal_force *force, int number)
{
    if (number < 0 || number >= m->nforces) {
        return no_element(m, "force", number);
    }
    const mb_force *f = &m->force[number];
    *force = f->d;
    force->name = m->of->force_names.name[number];
    force->type = f->type->name;
    force->joint = f->joint >= 0 ? m->of->joint_names.name[f->joint] : NULL;
    force->inputs = f->given;
    return DAL_OK;
}

static dal_status compare_inputs(const mb_force *a, const mb_force *b, const element *e)
{
    DAL_TRY(fixed(e, a->d.ninputs == b->d.ninputs, "the number of its inputs"));
    for (int k = 0; a->input && b->input && k < a->d.ninputs; ++k) {
        const mb_input *x = &a->input[k], *y = &b->input[k];
        const int states = (x->state_name != NULL) == (y->state_name != NULL) &&
                           (!x->state_name || strcmp(x->state_name, y->state_name) == 0);
        DAL_TRY(fixed(e,
                      states && x->joint == y->joint && x->reaction == y->reaction && x->component == y->component &&
                          x->rate == y->rate && (x->reaction >= 0 || same_bodies(x->marker, y->marker)) &&
                          same_row(&x->row, &y->row),
                      "what an input measures"));
    }
    return DAL_OK;
}

/* Does it count the turns of angles without having the memory for it? */
static int lacks_memory(const mb_force *f)
{
    mb_turning a;
    int needed = 0;
    for (int k = 0; f->type->angles && f->type->angles(&a, f, k); ++k) {
        needed |= a.matters;
    }
    return needed && f->memory == 0;
}

static dal_status compare_forces(const mb_force *a, const mb_force *b, const element *e)
{
    const dal_force *x = &a->d, *y = &b->d;
    DAL_TRY(fixed(e, a->joint == b->joint, "the joint it refers to"));
    DAL_TRY(fixed(e, same_bodies(a->marker, b->marker), "the bodies it acts on"));
    DAL_TRY(fixed(e, same_row(&a->row, &b->row), "its coordinate"));
    DAL_TRY(fixed(e, x->shape == y->shape && x->shape_a == y->shape_a, "its shape"));
    DAL_TRY(fixed(e,
                  x->function == y->function && x->characteristic == y->characteristic && x->curve_x == y->curve_x &&
                      x->curve_y == y->curve_y,
                  "which function it uses"));
    DAL_TRY(fixed(e, !x->follower == !y->follower, "`follower`"));
    DAL_TRY(fixed(e, a->own == b->own, "whether it has a relaxation length"));
    DAL_TRY(fixed(e, !x->switched == !y->switched, "whether it is switched"));
    return compare_inputs(a, b, e);
}

/* What a force keeps when its description is read again. */
static void keep_structure(mb_force *next, const mb_force *now)
{
    next->row.memory = now->row.memory;
    next->curve = now->curve;
    for (int k = 0; next->input && now->input && k < next->d.ninputs; ++k) {
        mb_input *in = &next->input[k];
        in->state = now->input[k].state;
        in->state_name = now->input[k].state_name;
        in->nblocks = now->input[k].nblocks;
        for (int i = 0; i < 2 && in->reaction >= 0; ++i) {
            in->marker[i].body = now->input[k].marker[i].body;
        }
        memcpy(in->link, now->input[k].link, sizeof in->link);
        memcpy(in->pair, now->input[k].pair, sizeof in->pair);
    }
}

static void take_force(mb_force *now, const mb_force *next, const dal_force *d)
{
    mb_input *input = now->input;
    for (int k = 0; input && next->input && k < next->d.ninputs; ++k) {
        dal_input given = d->inputs[k];
        given.joint = now->given[k].joint;
        given.state = now->given[k].state;
        given.reaction = now->given[k].reaction;
        now->given[k] = given;
        input[k] = next->input[k];
    }
    *now = *next;
    now->input = input;
}

dal_status mb_set_force(mb_instance *m, int number, const dal_force *force)
{
    if (number < 0 || number >= m->nforces) {
        return no_element(m, "force", number);
    }
    dal_force d = *force;
    d.name = m->of->force_names.name[number];
    const mb_scope scope = {m->ctx, m->of, m->joint};
    const element e = {m->ctx, "force", d.name};
    const mb_force_type *type = mb_force_type_find(m->ctx, &d);
    mb_force *now = &m->force[number], next = *now;
    mb_input input[DAL_INPUTS_MAX];
    if (!type) {
        return DAL_EINVAL;
    }
    DAL_TRY(fixed(&e, type == now->type, "its type"));
    next.input = now->input ? input : NULL;
    DAL_TRY(mb_force_read(&scope, &next, &d));
    DAL_TRY(compare_forces(&next, now, &e));
    keep_structure(&next, now);
    if (lacks_memory(&next)) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "force '%s': the model was compiled without stiffness and damping against its rotations, so "
                        "their turns are not counted; compile a model anew",
                        d.name);
    }
    take_force(now, &next, &d);
    return done(m);
}

/* ---- functions -------------------------------------------------------------------------------- */

dal_status mb_get_function(mb_instance *m, dal_function *function, int number)
{
    if (number < 1 || number > m->of->function_names.n) {
        return no_element(m, "function", number);
    }
    const mb_function *f = &m->function[number];
    const int table = mb_function_is_table(f);
    *function = (dal_function){.name = dal_model_function_name(m->of, number),
                               .type = f->type->name,
                               .c = table ? NULL : f->c,
                               .x = table ? f->c : NULL,
                               .y = table ? f->c + f->n : NULL,
                               .interpolation = f->interpolation,
                               .f = f->nf > 0 ? f->f : NULL,
                               .n = f->n,
                               .nf = f->nf,
                               .nx = f->nx,
                               .ny = f->ny,
                               .call = f->call,
                               .call_with = f->call_with,
                               .user = f->user,
                               .next_break = f->next_break,
                               .calling = f->calling,
                               .calling_break = f->calling_break};
    return DAL_OK;
}

dal_status mb_set_function(mb_instance *m, int number, const dal_function *function)
{
    if (number < 1 || number > m->of->function_names.n) {
        return no_element(m, "function", number);
    }
    dal_function d = *function;
    d.name = dal_model_function_name(m->of, number);
    mb_function *f = &m->function[number];
    const element e = {m->ctx, "function", d.name};
    const mb_function_type *type = mb_function_type_find(m->ctx, &d);
    if (!type) {
        return DAL_EINVAL;
    }
    DAL_TRY(fixed(&e, type == f->type, "its type"));
    DAL_TRY(fixed(&e, d.n == f->n && d.nx == f->nx && d.ny == f->ny, "the number of its coefficients or points"));
    DAL_TRY(mb_function_check(m->of, m->ctx, type, &d));
    DAL_TRY(fixed(&e, d.nf == f->nf, "the number of functions it combines"));
    for (int k = 0; k < d.nf; ++k) {
        DAL_TRY(fixed(&e, d.f[k] == f->f[k], "which functions it combines"));
    }
    mb_function_numbers(f, m->table, &d);
    return done(m);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

dal_status mb_get_output(mb_instance *m, dal_frame *frame, int number)
{
    if (number < 0 || number >= m->noutputs) {
        return no_element(m, "output", number);
    }
    *frame = m->output[number].d.frame;
    return DAL_OK;
}

dal_status mb_set_output(mb_instance *m, int number, const dal_frame *frame)
{
    if (number < 0 || number >= m->noutputs) {
        return no_element(m, "output", number);
    }
    mb_output *o = &m->output[number];
    DAL_TRY(mb_check_frame(m->ctx, "output", m->of->output_names.name[number], frame));
    o->d.frame = *frame;
    o->marker = mb_marker_of(o->marker.body, frame);
    return done(m);
}

/* ---- events ----------------------------------------------------------------------------------- */

dal_status mb_get_event(mb_instance *m, dal_model_event *event, int number)
{
    if (number < 0 || number >= dal_model_event_count(m->of)) {
        return no_element(m, "event", number);
    }
    *event = m->event[number].d;
    event->name = dal_model_event_name(m->of, number);
    return DAL_OK;
}

dal_status mb_set_event(mb_instance *m, int number, const dal_model_event *event)
{
    if (number < 0 || number >= dal_model_event_count(m->of)) {
        return no_element(m, "event", number);
    }
    mb_event *e = &m->event[number];
    const element at = {m->ctx, "event", dal_model_event_name(m->of, number)};
    DAL_TRY(
        fixed(&at, event->ninputs == e->d.ninputs && event->nactions == e->d.nactions, "what it depends on and does"));
    DAL_TRY(fixed(&at, event->values != NULL || event->calling != NULL, "that it has values"));
    DAL_TRY(mb_check_parameters(m->ctx, at.kind, at.name, event->parameter, event->nparameters));
    DAL_TRY(fixed(&at, event->every == e->d.every && event->from == e->d.from, "when it is sampled"));
    e->d.values = event->values;
    e->d.calling = event->calling;
    e->d.user = event->user;
    e->d.nparameters = event->nparameters;
    memcpy(e->d.parameter, event->parameter, sizeof e->d.parameter);
    return done(m);
}
