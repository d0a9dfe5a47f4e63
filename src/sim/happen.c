/* Events of the system: conditions that are watched, what happens where they become true, and what follows from that. What is known of a
 * condition is in the memory of the system: the side of zero on which its value was seen last. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/vector.h"
#include "projection/projection.h"
#include "projection/reduce.h"
#include "sim/contact_impl.h"
#include "sim/sim_impl.h"

enum { ROUNDS = 100 }; /* of events at one time that set off each other */

struct sim_own {
    int n;
    double *value, *time; /* at the state that is looked at; where the condition became true, infinity: nowhere */
    int *happens;
    int *moved;           /* its value jumped by what the events that happened have set */
    double *u, *u_before; /* inputs: to be, and at the start of the step */
    double *impulse;      /* nv */
    int rows, acted;      /* rows that hold have changed; anything has, in this step */
    int stopped;          /* the event that ended the run; -1: none */
    dal_arena arena;
};

static void carve(const dal_sim *sim, sim_own *o, dal_arena *arena)
{
    o->value = dal_arena_reals(arena, o->n);
    o->time = dal_arena_reals(arena, o->n);
    o->happens = dal_arena_ints(arena, o->n);
    o->moved = dal_arena_ints(arena, o->n);
    o->u = dal_arena_reals(arena, sim->sys->ninputs);
    o->u_before = dal_arena_reals(arena, sim->sys->ninputs);
    o->impulse = dal_arena_reals(arena, sim->sys->group->nv);
}

dal_status dal_sim_own_create(dal_sim *sim)
{
    if (sim->sys->events.n == 0) {
        return DAL_OK;
    }
    sim_own *o = sim->own = dal_alloc_zero(sim->ctx, sizeof *o);
    if (!o) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory for events");
    }
    o->n = sim->sys->events.n;
    o->stopped = -1;
    o->arena = dal_arena_init(sim->ctx);
    carve(sim, o, &o->arena);
    DAL_TRY(dal_arena_reserve(&o->arena));
    carve(sim, o, &o->arena);
    return DAL_OK;
}

void dal_sim_own_destroy(dal_sim *sim)
{
    if (sim->own) {
        dal_arena_release(&sim->own->arena);
        dal_free(sim->ctx, sim->own);
    }
}

/* ---- values ----------------------------------------------------------------------------------- */

static double *memory_of(const dal_sim *sim, int event)
{
    return sim->data->memory + sim->sys->events.memory + (ptrdiff_t)DAL_EVENT_MEMORY * event;
}

/* Of an input: has an event set it, and what was it before? */
static double *memory_of_input(const dal_sim *sim, int input)
{
    return memory_of(sim, sim->own->n) + 2 * (ptrdiff_t)input;
}

static dal_status values_at(dal_sim *sim, const dal_point *at)
{
    return sim->sys->events.values(sim->own->value, at, sim->sys->user, sim->data->work);
}

/* The current state, with the multipliers of all rows, which a step does not find itself. */
static dal_status present(dal_sim *sim, dal_point *at)
{
    const dal_state_buffer *s = sim->method->current;
    *at = (dal_point){s->t, s->q, s->known > 0 && s != sim->method->end ? s->vc : s->v, s->vd, s->la};
    if (sim->reduction) {
        DAL_TRY(dal_sim_whole_multipliers(sim, sim->sample_la, &(dal_point){s->t, s->q, s->v, s->vd, s->la}));
        at->la = sim->sample_la;
    }
    return DAL_OK;
}

/* A value this close to zero is on neither side. */
static double band_of(const dal_sim *sim, int event)
{
    const double band = sim->sys->events.event[event].band, *memory = memory_of(sim, event);
    return fmax(band > 0.0 ? band : 1e-9 * memory[DAL_EVENT_SCALE], memory[DAL_EVENT_OFF]);
}

/* When a sampled event happens next; infinity: it is none. */
static double due(const dal_sim *sim, int event)
{
    const dal_system_event *e = &sim->sys->events.event[event];
    return e->every > 0.0 ? e->from + memory_of(sim, event)[DAL_EVENT_SIDE] * e->every : INFINITY;
}

/* Times this close are the same: rounding of t and of the multiples of a period. */
static double rounding(double t)
{
    return 32.0 * DBL_EPSILON * fabs(t);
}

double dal_sim_own_next(const dal_sim *sim)
{
    double next = INFINITY;
    for (int k = 0; sim->own && k < sim->own->n; ++k) {
        next = fmin(next, due(sim, k));
    }
    return next;
}

int dal_sim_own_due(dal_sim *sim, double t)
{
    int some = 0;
    for (int k = 0; sim->own && k < sim->own->n; ++k) {
        sim->own->happens[k] = due(sim, k) <= t + rounding(t);
        some |= sim->own->happens[k];
    }
    return some;
}

static int crosses(const dal_sim *sim, int event, double margin)
{
    const dal_system_event *e = &sim->sys->events.event[event];
    const double *memory = memory_of(sim, event), value = sim->own->value[event];
    if (e->every > 0.0) {
        return 0;
    }
    const int up = memory[DAL_EVENT_SIDE] < 0.0 && value >= margin && e->direction >= 0;
    const int down = memory[DAL_EVENT_SIDE] > 0.0 && value <= -margin && e->direction <= 0;
    return (up || down) && !(e->once && memory[DAL_EVENT_COUNT] > 0.0);
}

/* The state is final: sides of what did not happen. */
static void note_sides(const dal_sim *sim)
{
    for (int k = 0; k < sim->own->n; ++k) {
        double *memory = memory_of(sim, k);
        const double value = sim->own->value[k];
        if (sim->sys->events.event[k].every > 0.0) {
            continue;
        }
        memory[DAL_EVENT_SCALE] = fmax(memory[DAL_EVENT_SCALE], fabs(value));
        if (fabs(value) > band_of(sim, k)) {
            memory[DAL_EVENT_SIDE] = value > 0.0 ? 1.0 : -1.0;
            memory[DAL_EVENT_OFF] = 0.0;
        }
    }
}

dal_status dal_sim_own_start(dal_sim *sim)
{
    dal_point at;
    if (!sim->own) {
        return DAL_OK;
    }
    sim->own->stopped = -1;
    DAL_TRY(present(sim, &at));
    DAL_TRY(values_at(sim, &at));
    note_sides(sim);
    for (int k = 0; k < sim->own->n; ++k) {
        const dal_system_event *e = &sim->sys->events.event[k];
        const double side = memory_of(sim, k)[DAL_EVENT_SIDE];
        if (e->every > 0.0) {
            memory_of(sim, k)[DAL_EVENT_SIDE] = fmax(0.0, ceil((at.t - rounding(at.t) - e->from) / e->every));
        } else if ((e->direction > 0 && side > 0.0) || (e->direction < 0 && side < 0.0)) {
            dal_log(sim->ctx, DAL_LOG_INFO,
                    "event '%s': its condition holds at the start already; it happens when it becomes true again",
                    e->name);
        }
    }
    return DAL_OK;
}

dal_status dal_sim_own_values(dal_sim *sim, double *value)
{
    dal_point at;
    if (!sim->own) {
        return DAL_OK;
    }
    DAL_TRY(present(sim, &at));
    DAL_TRY(values_at(sim, &at));
    for (int k = 0; k < sim->own->n; ++k) {
        value[k] = sim->sys->events.event[k].every > 0.0 ? 1.0 : sim->own->value[k];
    }
    return DAL_OK;
}

dal_status dal_sim_own_ready(dal_sim *sim)
{
    sim_own *o = sim->own;
    dal_point at;
    if (!o) {
        return DAL_OK;
    }
    o->acted = 0;
    o->stopped = -1;
    dal_copy(o->u_before, sim->data->input, sim->sys->ninputs);
    DAL_TRY(present(sim, &at));
    DAL_TRY(values_at(sim, &at));
    for (int k = 0; k < o->n; ++k) {
        o->happens[k] = crosses(sim, k, 0.0) || due(sim, k) <= at.t + rounding(at.t);
    }
    return DAL_OK;
}

dal_status dal_sim_own_sides(dal_sim *sim)
{
    DAL_TRY(dal_sim_own_ready(sim));
    if (!dal_sim_own_happens(sim) && sim->own) {
        note_sides(sim);
    }
    return DAL_OK;
}

/* ---- inputs ----------------------------------------------------------------------------------- */

/* A run begins: inputs that events of the run before have set are what they were. */
dal_status dal_sim_own_reset(dal_sim *sim)
{
    sim_own *o = sim->own;
    const int n = sim->sys->ninputs;
    int changed = 0;
    for (int k = 0; o && k < n; ++k) {
        const double *memory = memory_of_input(sim, k);
        o->u[k] = memory[0] != 0.0 ? memory[1] : sim->data->input[k];
        changed |= memory[0] != 0.0;
    }
    return changed ? dal_data_set_inputs(sim->data, o->u) : DAL_OK;
}

static dal_status set_inputs(dal_sim *sim)
{
    const sim_own *o = sim->own;
    for (int k = 0; k < sim->sys->ninputs; ++k) {
        double *memory = memory_of_input(sim, k);
        if (o->u[k] != sim->data->input[k] && memory[0] == 0.0) {
            memory[0] = 1.0;
            memory[1] = sim->data->input[k];
        }
    }
    return dal_data_set_inputs(sim->data, o->u);
}

/* ---- where they happen ------------------------------------------------------------------------ */

/* Bisection to rounding, on the dense output. */
static dal_status locate(dal_sim *sim, int event, double *t)
{
    double lo = sim->method->previous->t, hi = sim->method->current->t;
    const double before = memory_of(sim, event)[DAL_EVENT_SIDE];
    for (int it = 0; it < 60; ++it) {
        const double mid = lo + 0.5 * (hi - lo);
        dal_point at;
        if (mid <= lo || mid >= hi) {
            break;
        }
        DAL_TRY(dal_sim_state_at(sim, &at, mid));
        DAL_TRY(values_at(sim, &at));
        *(sim->own->value[event] * before > 0.0 ? &lo : &hi) = mid;
    }
    *t = hi;
    return DAL_OK;
}

dal_status dal_sim_own_watch(dal_sim *sim, double *t_event)
{
    sim_own *o = sim->own;
    *t_event = INFINITY;
    DAL_TRY(dal_sim_own_ready(sim));
    if (!o) {
        return DAL_OK;
    }
    for (int k = 0; k < o->n; ++k) {
        o->time[k] = o->happens[k] ? sim->method->current->t : INFINITY;
        o->happens[k] = 0;
    }
    for (int k = 0; k < o->n; ++k) {
        if (o->time[k] < INFINITY && !(sim->sys->events.event[k].every > 0.0)) {
            DAL_TRY(locate(sim, k, &o->time[k]));
        }
        *t_event = fmin(*t_event, o->time[k]);
    }
    if (*t_event == INFINITY) {
        note_sides(sim);
    }
    return DAL_OK;
}

/* ---- what happens ----------------------------------------------------------------------------- */

/* The row, of those that hold, that is off most. */
static dal_status farthest_off(dal_sim *sim, int *worst, double *off, double t)
{
    dal_eval *ev = sim->whole ? sim->whole : sim->ev;
    double *Phi = sim->whole ? sim->rows : sim->w;
    const double *zero = sim->whole ? sim->la : sim->saddle->zero; // lambda plays no part
    *worst = 0;
    dal_zero(Phi, ev->nc);
    DAL_TRY(dal_eval_residual(ev, &(dal_residual){.Phi = Phi}, &(dal_point){t, sim->q, sim->v, sim->zero_v, zero}));
    for (int r = 1; r < ev->nc; ++r) {
        *worst = fabs(Phi[r]) > fabs(Phi[*worst]) ? r : *worst;
    }
    *off = ev->nc > 0 ? fabs(Phi[*worst]) : 0.0;
    return DAL_OK;
}

/* What a joint that is grabbed holds must be a pose in which the others are closed: formulations that leave these open a little, and long steps within,
 * would have it contradict them where there are more rows than needed. */
static dal_status close_before(dal_sim *sim, double t)
{
    int worst;
    double off;
    DAL_TRY(farthest_off(sim, &worst, &off, t));
    return off > 1e-8 * sim->ev->length ? dal_project_position(sim->saddle, sim->q, NULL, t, DAL_POSITION_TOLERANCE)
                                        : DAL_OK;
}

dal_status dal_sim_own_act(dal_sim *sim, int *stop, double t)
{
    sim_own *o = sim->own;
    dal_point at;
    dal_effect effect = {.u = o->u, .impulse = o->impulse};
    DAL_TRY(close_before(sim, t));
    DAL_TRY(dal_sim_state_at(sim, &at, t));
    at.q = sim->q;
    at.v = sim->v;
    DAL_TRY(values_at(sim, &at));
    dal_copy(o->time, o->value, o->n); // of no use any more
    dal_copy(o->u, sim->data->input, sim->sys->ninputs);
    dal_zero(o->impulse, sim->sys->group->nv);
    for (int k = 0; k < o->n; ++k) {
        const dal_system_event *e = &sim->sys->events.event[k];
        double *memory = memory_of(sim, k);
        if (!o->happens[k]) {
            continue;
        }
        o->acted = 1;
        memory[DAL_EVENT_SIDE] = e->every > 0.0 ? memory[DAL_EVENT_SIDE] + 1.0 : 0.0;
        memory[DAL_EVENT_COUNT] += 1.0;
        const dal_status st = sim->sys->events.act(&effect, k, &at, sim->sys->user, sim->data->work);
        if (st != DAL_OK) {
            return dal_fail_in(sim->ctx, st, "event '%s' at t = %.9g", e->name, t);
        }
        o->stopped = e->stops && o->stopped < 0 ? k : o->stopped;
        if (e->every > 0.0) {
            continue; // too many for a table
        }
        DAL_TRY(dal_sim_note(sim, (dal_contact_event){t, k, DAL_CONTACT_EVENT, 0.0, 0.0, 0.0}));
        dal_log(sim->ctx, DAL_LOG_INFO, "t = %.9g: event '%s'%s%s", t, e->name, e->note[0] != '\0' ? ": " : "",
                e->note);
    }
    *stop |= effect.stop;
    o->rows = effect.rows;
    DAL_TRY(effect.inputs ? set_inputs(sim) : DAL_OK);
    dal_data_forget(sim->data);
    DAL_TRY(values_at(sim, &at));
    for (int k = 0; k < o->n; ++k) {
        o->moved[k] = fabs(o->value[k] - o->time[k]) > 1e-9 * memory_of(sim, k)[DAL_EVENT_SCALE];
    }
    return DAL_OK;
}

/* What joints that were closed hold must hold already. */
static dal_status refuse_open(dal_sim *sim, double t)
{
    char name[96];
    int worst;
    double off;
    DAL_TRY(farthest_off(sim, &worst, &off, t));
    if (off <= 1e-6 * sim->ev->length) {
        return DAL_OK;
    }
    dal_eval_row_name(sim->whole ? sim->whole : sim->ev, name, sizeof name, worst);
    return dal_fail(
        sim->ctx, DAL_EINVAL,
        "t = %.9g: a joint that is switched on does not fit: %s is off by %.3g. Switch it on where it holds, or "
        "close it where it is by 'grab'",
        t, name, off);
}

/* Velocities after the impulses: M dv + B^T Lambda = P, B dv = 0, with the rows of joints; contacts are asked afterwards. */
static dal_status kick(dal_sim *sim, double t)
{
    dal_saddle *s = sim->saddle;
    const int nv = sim->sys->group->nv;
    DAL_TRY(sim->contacts ? dal_sim_contact_joints(sim, &s, t) : DAL_OK);
    DAL_TRY(dal_saddle_factor(s, &(dal_point){t, sim->q, sim->v, sim->zero_v, s->zero}, 0));
    dal_zero(s->x, s->nv + s->nc);
    dal_copy(s->x, sim->own->impulse, nv);
    dal_saddle_solve(s);
    for (int i = 0; i < nv; ++i) {
        sim->v[i] += s->x[i];
    }
    return DAL_OK;
}

dal_status dal_sim_own_apply(dal_sim *sim, double t)
{
    sim_own *o = sim->own;
    const int nv = sim->sys->group->nv;
    if (o->rows) {
        DAL_TRY(dal_sim_rebuild(sim, sim->q, sim->v, t));
        sim->started = 1;
        DAL_TRY(refuse_open(sim, t));
    }
    o->rows = 0;
    return dal_max_abs(o->impulse, nv) > 0.0 ? kick(sim, t) : DAL_OK;
}

void dal_sim_own_choose(dal_sim *sim, double t)
{
    const double same = 1e-9 * (sim->method->current->t - sim->method->previous->t);
    for (int k = 0; sim->own && k < sim->own->n; ++k) {
        sim->own->happens[k] = sim->own->time[k] <= t + same;
    }
}

int dal_sim_own_happens(const dal_sim *sim)
{
    int some = 0;
    for (int k = 0; sim->own && k < sim->own->n; ++k) {
        some |= sim->own->happens[k];
    }
    return some;
}

/* Where it has happened its value is zero; on the rows that hold, where the run goes on, it is off by the error of the dense output, maybe back on
 * the side from which it came. That is no new beginning, unless it was moved there. */
static void note_offsets(const dal_sim *sim)
{
    const sim_own *o = sim->own;
    for (int k = 0; k < o->n; ++k) {
        double *memory = memory_of(sim, k);
        const double size = fabs(o->value[k]);
        if (o->happens[k] && !(sim->sys->events.event[k].every > 0.0)) {
            memory[DAL_EVENT_OFF] = !o->moved[k] && size <= 1e-2 * memory[DAL_EVENT_SCALE] ? 2.0 * size : 0.0;
        }
    }
}

dal_status dal_sim_own_follow(dal_sim *sim, int *again, int round)
{
    sim_own *o = sim->own;
    dal_point at;
    int last = -1;
    *again = 0;
    if (!o) {
        return DAL_OK;
    }
    DAL_TRY(present(sim, &at));
    DAL_TRY(values_at(sim, &at));
    note_offsets(sim);
    for (int k = 0; k < o->n; ++k) {
        o->happens[k] = crosses(sim, k, band_of(sim, k));
        last = o->happens[k] ? k : last;
    }
    if (last >= 0 && round >= ROUNDS) {
        return dal_fail(sim->ctx, DAL_ESTEP,
                        "t = %.9g: events set off each other without end, '%s' among them: give it a band, or 'once'",
                        at.t, sim->sys->events.event[last].name);
    }
    *again = last >= 0;
    note_sides(sim); // of what happens they are forgotten
    return DAL_OK;
}

/* The memory is that of the start of the step again. */
dal_status dal_sim_own_undo(dal_sim *sim, double t)
{
    sim_own *o = sim->own;
    if (!o || !o->acted) {
        return DAL_OK;
    }
    o->acted = 0;
    o->stopped = -1;
    DAL_TRY(dal_data_set_inputs(sim->data, o->u_before));
    dal_data_forget(sim->data);
    return dal_sim_rebuild(sim, sim->q, sim->v, t);
}

const char *dal_sim_event_name(const dal_sim *sim)
{
    return sim && sim->own && sim->own->stopped >= 0 ? sim->sys->events.event[sim->own->stopped].name : NULL;
}

/* ---- the table -------------------------------------------------------------------------------- */

dal_status dal_sim_note(dal_sim *sim, dal_contact_event event)
{
    DAL_GROW(sim->ctx, sim->log, sim->log_room, sim->nlog + 1);
    sim->log[sim->nlog++] = event;
    return DAL_OK;
}

const dal_contact_event *dal_sim_contact_events(const dal_sim *sim, int *n)
{
    if (n) {
        *n = sim ? sim->nlog : 0;
    }
    return sim ? sim->log : NULL;
}

const char *dal_contact_happening_name(dal_contact_happening what)
{
    static const char *const name[] = {"impact", "touch", "lift", "stick", "slip", "event"};
    const size_t k = (size_t)what;
    return k < sizeof name / sizeof *name ? name[k] : NULL;
}

const dal_system_event *dal_sim_happening(const dal_sim *sim, char *name, size_t size, const dal_contact_event *event)
{
    if (name && size > 0) {
        name[0] = '\0';
    }
    if (!sim || !event || !name || event->contact < 0) {
        return NULL;
    }
    const dal_system *sys = sim->sys;
    const dal_system_event *own =
        event->what == DAL_CONTACT_EVENT && event->contact < sys->events.n ? &sys->events.event[event->contact] : NULL;
    if (own) {
        snprintf(name, size, "%s", own->name);
    } else if (event->what != DAL_CONTACT_EVENT && event->contact < sys->contacts.n) {
        sys->contacts.name(name, size, event->contact, sys->user);
    }
    return own;
}
