/* Events of a model. Conditions are functions of outputs that are evaluated for them alone; switches are numbers in the memory: 0 as
 * the description says, 1 on, -1 off; behind that of a joint that is grabbed, the frame A that it was closed with. */
#include "mbs/event_impl.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/force_impl.h"
#include "mbs/pairing_kernel.h"
#include "system/data.h"

enum {
    FRAME = 12,  /* numbers of a grabbed frame: origin and axes */
    ACTIONS = 64 /* of an event, at most */
};

/* ---- adding ----------------------------------------------------------------------------------- */

/* Frames of which A may be put where B is: what such a joint holds is zero there. */
static int can_be_grabbed(const mb_joint *j)
{
    return !j->type->free_bodies && !j->type->unilateral && !j->type->build && !j->type->numbers && j->refers[0] < 0;
}

/* What an action is about. Inputs are known when the model is compiled. */
static dal_status find_target(const dal_model *m, mb_action *to, const dal_action *a, const char *event)
{
    *to = (mb_action){.what = a->what, .joint = -1, .force = -1, .input = -1};
    if (a->what == DAL_DO_STOP) {
        return DAL_OK;
    }
    if (!a->name || (int)a->what < 0 || a->what > DAL_DO_IMPULSE) {
        return dal_fail(m->ctx, DAL_EINVAL, "event '%s': an action of kind %d needs the name of what it acts on", event,
                        (int)a->what);
    }
    if (a->what == DAL_DO_SET) {
        return DAL_OK;
    }
    to->joint = a->what == DAL_DO_IMPULSE ? -1 : mb_names_find(&m->joint_names, a->name);
    to->force = a->what == DAL_DO_GRAB ? -1 : mb_names_find(&m->force_names, a->name);
    if (to->joint < 0 && to->force < 0) {
        const int of_joints = a->what == DAL_DO_GRAB;
        const dal_status st = mb_names_missing(of_joints ? &m->joint_names : &m->force_names, m->ctx,
                                               of_joints                   ? "joint"
                                               : a->what == DAL_DO_IMPULSE ? "force"
                                                                           : "joint or force",
                                               a->name);
        return dal_fail_in(m->ctx, st, "event '%s'", event);
    }
    if (to->joint >= 0 && to->force >= 0) {
        return dal_fail(m->ctx, DAL_EINVAL, "event '%s': there are a joint and a force '%s'; rename one of them", event,
                        a->name);
    }
    if (a->what == DAL_DO_GRAB && !can_be_grabbed(&m->joint[to->joint])) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "event '%s': joint '%s' of type %s cannot be closed at the present pose; one of type fixed, revolute, "
            "spherical and the like can, or close it by 'on' where it holds",
            event, a->name, m->joint[to->joint].type->name);
    }
    const mb_joint *j = to->joint >= 0 ? &m->joint[to->joint] : NULL;
    const mb_force *f = to->force >= 0 ? &m->force[to->force] : NULL;
    const int fits = j ? !j->type->unilateral || a->what == DAL_DO_ON || a->what == DAL_DO_OFF
                       : f && !f->type->state && !f->type->bodiless &&
                             (a->what != DAL_DO_IMPULSE || (!f->type->lambda && f->own == 0));
    return fits ? DAL_OK
                : dal_fail(m->ctx, DAL_EINVAL,
                           "event '%s': '%s' is of type %s, which cannot be switched or be an impulse", event, a->name,
                           j   ? j->type->name
                           : f ? f->type->name
                               : "");
}

static dal_status read_event(dal_model *m, mb_event *e, const dal_model_event *d, size_t input_size)
{
    const int bad = (!d->values && !d->calling) || d->ninputs < 0 || d->ninputs > DAL_INPUTS_MAX || d->nactions < 0 ||
                    d->nactions > ACTIONS || (d->ninputs > 0 && !d->inputs) || (d->nactions > 0 && !d->actions) ||
                    !(d->band >= 0.0);
    if (bad) {
        return dal_fail(
            m->ctx, DAL_EINVAL,
            "event '%s': it needs values, 0 to %d inputs, a list of 0 to 64 actions and a band that is not negative",
            d->name, DAL_INPUTS_MAX);
    }
    if (!(d->every >= 0.0) || !isfinite(d->every) || !isfinite(d->from) || (d->every == 0.0 && d->from != 0.0)) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "event '%s': every = %g must be a time above zero, and from = %g its first sample", d->name,
                        d->every, d->from);
    }
    DAL_TRY(mb_check_parameters(m->ctx, "event", d->name, d->parameter, d->nparameters));
    DAL_TAKE(&m->pool, e->input, d->ninputs > 0 ? d->ninputs : 1);
    DAL_TAKE(&m->pool, e->action, d->nactions > 0 ? d->nactions : 1);
    for (int k = 0; k < d->ninputs; ++k) {
        dal_output o = {0};
        const char *given = (const char *)d->inputs + (size_t)k * input_size;
        DAL_TRY(dal_own_copy(m->ctx, &o, sizeof o, given, input_size, "dal_output"));
        o.name = d->name;
        DAL_TRY(mb_output_make(m, &e->input[k], &o));
        if (e->input[k].n != 1) {
            return dal_fail(m->ctx, DAL_EINVAL, "event '%s': %s has %d values; choose one by its component", d->name,
                            o.quantity, e->input[k].n);
        }
    }
    for (int k = 0; k < d->nactions; ++k) {
        char *name;
        DAL_TRY(find_target(m, &e->action[k], &d->actions[k], d->name));
        DAL_TAKE_TEXT(&m->pool, name, d->actions[k].name ? d->actions[k].name : "");
        e->action[k].name = name;
    }
    char *note;
    DAL_TAKE_TEXT(&m->pool, note, d->note ? d->note : "");
    e->d = *d;
    e->d.name = NULL;
    e->d.note = note;
    e->d.inputs = NULL;
    e->d.actions = NULL;
    return DAL_OK;
}

dal_status dal_model_add_event_(dal_model *model, int *number, const dal_model_event *event, size_t size,
                                size_t input_size)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, event);
    DAL_OWN(model->ctx, dal_model_event, event);
    if (!model->events) {
        DAL_TAKE(&model->pool, model->events, 1);
    }
    mb_events *list = model->events;
    mb_event e = {.first = 0};
    DAL_TRY(mb_names_check(model, &list->names, "event", event->name));
    DAL_TRY(read_event(model, &e, event, input_size));
    const int n = list->names.n;
    DAL_GROW(model->ctx, list->item, list->capacity, n + 1);
    DAL_TRY(mb_names_add(&list->names, &model->pool, event->name));
    list->item[n] = e;
    if (number) {
        *number = n;
    }
    return DAL_OK;
}

int dal_model_event_count(const dal_model *model)
{
    return model && model->events ? model->events->names.n : 0;
}

const char *dal_model_event_name(const dal_model *model, int number)
{
    return number >= 0 && number < dal_model_event_count(model) ? model->events->names.name[number] : NULL;
}

void mb_events_destroy(dal_model *m)
{
    if (m->events) {
        mb_names_release(&m->events->names, m->ctx);
        dal_free(m->ctx, m->events->item);
        m->events = NULL;
    }
}

/* ---- evaluation ------------------------------------------------------------------------------- */

static dal_status event_values(double *y, mb_instance *m, int k, const dal_point *at)
{
    const mb_event *e = &m->event[k];
    double x[DAL_INPUTS_MAX + DAL_PARAMETERS_MAX];
    dal_copy(x, m->seen_inputs + e->first - m->noutputs, e->d.ninputs);
    dal_copy(x + e->d.ninputs, e->d.parameter, e->d.nparameters);
    const dal_functions functions = mb_functions(m);
    y[0] = 0.0; /* a controller need not write it */
    const dal_status st =
        e->d.calling ? e->d.calling(y, at->t, x, &functions, e->d.user) : e->d.values(y, at->t, x, e->d.user);
    if (st != DAL_OK || !isfinite(y[0])) {
        return dal_fail(m->ctx, st < 0 ? st : DAL_ECALLBACK, "event '%s': its value is %g at t = %.9g",
                        m->of->events->names.name[k], y[0], at->t);
    }
    return DAL_OK;
}

static dal_status values(double *x, const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    DAL_TRY(mb_output_watch(m, at));
    for (int k = 0; k < dal_model_event_count(m->of); ++k) {
        double y[1 + ACTIONS];
        DAL_TRY(event_values(y, m, k, at));
        x[k] = y[0];
    }
    return DAL_OK;
}

/* ---- acting ----------------------------------------------------------------------------------- */

/* The present place of frame B of a joint in the frame of body A. */
static void grab(mb_instance *m, const mb_joint *j)
{
    mb_pairing P;
    mb_pairing_at(&P, m->state, j->marker, 0, MB_AXES_A | MB_AXES_B);
    mb_pairing_grab(m->memory + j->switching + 1, &P);
    m->unsettled = 1;
}

void mb_grabbed(mb_instance *m)
{
    for (int k = 0; m->of->events && m->memory && k < m->njoints; ++k) {
        mb_joint *j = &m->joint[k];
        const double *frame = m->memory + j->switching + 1;
        if (j->switching == 0 || !j->grabs) {
            continue;
        }
        mb_marker A = mb_marker_of(j->marker[0].body, &j->d.frame_a);
        if (m->memory[j->switching] > 1.5) {
            copy3(A.a, frame);
            memcpy(A.A, frame + 3, sizeof A.A);
        }
        j->marker[0] = A;
    }
}

/* What a force would exert if it acted, as generalised forces; -r with it, less that without. */
static dal_status impulse(double *P, mb_instance *m, const mb_force *f, const dal_point *at)
{
    double *on = m->memory + f->switching, before = *on;
    dal_status st = DAL_OK;
    for (int k = 0; k < 2 && st == DAL_OK; ++k) {
        *on = k == 0 ? 1.0 : -1.0;
        m->summed = 0;
        st = mb_residual(&(dal_residual){.r = m->r_impulse}, at, m->of, m);
        for (int i = 0; i < m->nv && st == DAL_OK; ++i) {
            P[i] += k == 0 ? -m->r_impulse[i] : m->r_impulse[i];
        }
    }
    *on = before;
    m->summed = 0;
    return st;
}

static dal_status act(dal_effect *effect, int event, const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    const mb_event *e = &m->event[event];
    double y[1 + ACTIONS];
    int set = 1;
    DAL_TRY(mb_output_watch(m, at));
    DAL_TRY(event_values(y, m, event, at));
    for (int k = 0; k < e->d.nactions; ++k) {
        const mb_action *a = &e->action[k];
        const mb_joint *j = a->joint >= 0 ? &m->joint[a->joint] : NULL;
        const mb_force *f = a->force >= 0 ? &m->force[a->force] : NULL;
        if (a->what == DAL_DO_STOP) {
            effect->stop = 1;
        } else if (a->what == DAL_DO_SET) {
            effect->u[a->input] = y[set++];
            effect->inputs = 1;
            DAL_TRY(dal_input_check(m->ctx, &m->of->input[a->input], effect->u[a->input]));
        } else if (a->what == DAL_DO_IMPULSE && f) {
            effect->impulsive = 1;
            DAL_TRY(impulse(effect->impulse, m, f, at));
        } else if (j) {
            m->memory[j->switching] = a->what == DAL_DO_GRAB ? 2.0 : a->what == DAL_DO_ON ? 1.0 : -1.0;
            effect->rows = 1;
            if (a->what == DAL_DO_GRAB) {
                grab(m, j);
            } else {
                m->unsettled |= j->grabs;
            }
        } else if (f) {
            mb_switch(m, a->force, a->what == DAL_DO_ON, at->t);
        }
    }
    m->summed = 0;
    return DAL_OK;
}

/* ---- compiling -------------------------------------------------------------------------------- */

static dal_status find_input(const dal_model *m, mb_action *a, const char *event)
{
    const char *words[256];
    char hint[DAL_HINT_SIZE];
    int n = 0;
    for (int k = 0; k < m->ninputs; ++k) {
        if (strcmp(m->input[k].name, a->name) == 0) {
            a->input = k;
            return DAL_OK;
        }
        words[n] = m->input[k].name;
        n += n < 255;
    }
    return dal_fail(m->ctx, DAL_EINVAL,
                    "event '%s': the model has no input '%s'%s; inputs are numbers that may change while it runs",
                    event, a->name, dal_hint(hint, dal_nearest(a->name, words, n)));
}

dal_status mb_events_compile(dal_model *m)
{
    mb_events *list = m->events;
    const int n = dal_model_event_count(m);
    int next = m->output_names.n;
    m->system.events = (dal_events){.n = n};
    if (n == 0 || !list) {
        return DAL_OK;
    }
    DAL_TAKE(&m->pool, list->told, n);
    for (int k = 0; k < n; ++k) {
        mb_event *e = &list->item[k];
        DAL_GROW(m->ctx, m->output, m->output_capacity, next + e->d.ninputs);
        e->first = next;
        for (int i = 0; i < e->d.ninputs; ++i) {
            m->output[next++] = e->input[i];
        }
        list->told[k] = (dal_system_event){.name = list->names.name[k],
                                           .note = e->d.note,
                                           .direction = e->d.direction,
                                           .once = e->d.once,
                                           .band = e->d.band,
                                           .every = e->d.every,
                                           .from = e->d.from};
        for (int i = 0; i < e->d.nactions; ++i) {
            mb_action *a = &e->action[i];
            DAL_TRY(a->what == DAL_DO_SET ? find_input(m, a, list->names.name[k]) : DAL_OK);
            list->told[k].stops |= a->what == DAL_DO_STOP;
        }
    }
    list->noutputs = next - m->output_names.n;
    m->system.events.event = list->told;
    m->system.events.values = values;
    m->system.events.act = act;
    return DAL_OK;
}

void mb_events_layout(dal_model *m, int *next)
{
    for (int k = 0; k < dal_model_event_count(m); ++k) {
        const mb_event *e = &m->events->item[k];
        for (int i = 0; i < e->d.nactions; ++i) {
            const mb_action *a = &e->action[i];
            if (a->joint >= 0) {
                mb_joint *j = &m->joint[a->joint];
                j->switching = j->switching > 0 ? j->switching : (*next)++;
                *next += a->what == DAL_DO_GRAB && !j->grabs ? FRAME : 0;
                j->grabs |= a->what == DAL_DO_GRAB;
            } else if (a->force >= 0) {
                mb_force *f = &m->force[a->force];
                f->switching = f->switching > 0 ? f->switching : (*next)++;
            }
        }
    }
    m->system.events.memory = *next;
    *next += m->system.events.n > 0 ? m->system.events.n * DAL_EVENT_MEMORY + 2 * m->ninputs : 0;
}
