/* Contacts during steps: what is watched, where a mode ends, and how the run goes on. */
#include "sim/contact_impl.h"

#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"

/* ---- creation --------------------------------------------------------------------------------- */

static void carve(dal_sim *sim, dal_arena *arena)
{
    sim_contacts *c = sim->contacts;
    const int nv = sim->sys->group->nv, n = c->n, rows = c->ncolumns;
    c->rows = dal_arena_take(arena, (size_t)n, sizeof(contact_rows));
    c->column_of = dal_arena_ints(arena, c->nrows);
    c->gone = dal_arena_ints(arena, c->nrows);
    c->part = dal_arena_ints(arena, n);
    c->first = dal_arena_ints(arena, n + 1);
    c->normal = dal_arena_ints(arena, n);
    c->mode = dal_arena_ints(arena, n);
    c->state = dal_arena_ints(arena, n);
    c->built = dal_arena_ints(arena, n);
    c->lifts = dal_arena_ints(arena, n);
    double **of_rows[] = {&c->Phi, &c->vel, &c->acc, &c->la};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; ++i) {
        *of_rows[i] = dal_arena_reals(arena, c->nrows);
    }
    c->approach = dal_arena_reals(arena, n);
    c->direction = dal_arena_reals(arena, 2 * n);
    c->mu = dal_arena_reals(arena, n);
    for (int i = 0; i < 3; ++i) {
        c->watch[i] = dal_arena_reals(arena, 3 * n);
    }
    c->B = dal_arena_reals(arena, nv * rows);
    c->X = dal_arena_reals(arena, (nv + c->nrows) * (rows + 1));
    c->D = dal_arena_reals(arena, rows * rows);
    c->d = dal_arena_reals(arena, rows);
    c->p = dal_arena_reals(arena, rows);
    c->w = dal_arena_reals(arena, rows);
}

static void number_rows(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    const dal_system *sys = sim->sys;
    int columns = 0;
    for (int r = 0; r < c->nrows; ++r) {
        c->column_of[r] = -1;
    }
    for (int k = 0; k < c->n; ++k) {
        const dal_contact at = sys->contacts.contact[k];
        const int block[2] = {at.normal, at.tangent};
        contact_rows *r = &c->rows[k];
        *r = (contact_rows){.normal = -1};
        for (int i = 0; i < 2; ++i) {
            if (block[i] < 0) {
                continue;
            }
            int row = 0;
            for (int b = 0; b < block[i]; ++b) {
                row += sys->constraint[b].nrows;
            }
            const int nr = sys->constraint[block[i]].nrows;
            r->column[i] = columns;
            for (int j = 0; j < nr; ++j) {
                c->column_of[row + j] = columns++;
            }
            if (i == 0) {
                r->normal = row;
                r->velocity = sys->constraint[block[i]].kind == DAL_ROWS_VELOCITY;
            } else {
                r->tangent = row;
                r->n = nr;
            }
        }
    }
}

dal_status dal_sim_contacts_create(dal_sim *sim)
{
    const dal_system *sys = sim->sys;
    if (sys->contacts.n == 0) {
        return DAL_OK;
    }
    sim_contacts *c = sim->contacts = dal_alloc_zero(sim->ctx, sizeof *c);
    if (!c) {
        return dal_fail(sim->ctx, DAL_ENOMEM, "no memory for contacts");
    }
    c->n = sys->contacts.n;
    c->nrows = dal_system_rows(sys);
    for (int k = 0; k < c->n; ++k) {
        const dal_contact at = sys->contacts.contact[k];
        c->ncolumns += at.normal >= 0 ? 1 : 0;
        c->ncolumns += at.tangent >= 0 ? sys->constraint[at.tangent].nrows : 0;
    }
    c->ended = -1;
    c->arena = dal_arena_init(sim->ctx);
    carve(sim, &c->arena);
    DAL_TRY(dal_arena_reserve(&c->arena));
    carve(sim, &c->arena);
    number_rows(sim);
    return DAL_OK;
}

void dal_sim_contacts_destroy(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    if (c) {
        dal_saddle_destroy(c->saddle);
        dal_eval_destroy(c->ev);
        dal_reduction_destroy(c->kept);
        dal_reduction_destroy(c->joints);
        dal_arena_release(&c->arena);
        dal_free(sim->ctx, c->log);
        dal_free(sim->ctx, c);
    }
}

void dal_sim_contacts_built(dal_sim *sim)
{
    for (int k = 0; sim->contacts && k < sim->contacts->n; ++k) {
        sim->contacts->built[k] = dal_contact_now(sim, k);
    }
}

void dal_sim_contacts_reset(dal_sim *sim)
{
    if (sim->contacts) {
        sim->contacts->totals = (dal_contact_totals){.least_gap = INFINITY};
        sim->contacts->nlog = 0;
        sim->contacts->ended = -1;
        dal_sim_contacts_built(sim);
    }
}

/* ---- what is watched -------------------------------------------------------------------------- */

/* Two values of each contact that are positive as long as its mode goes on: gap or normal force; what friction has in reserve
 * where it sticks, speed along the direction of sliding where it slides. NaN: nothing to watch. Then the rates of the gaps of
 * open contacts. */
static dal_status watch(dal_sim *sim, double *value, const dal_point *at)
{
    const sim_contacts *c = sim->contacts;
    DAL_TRY(dal_sim_contact_values(sim, at->t, at->q, at->v, 0));
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        const int mode = dal_contact_now(sim, k);
        const double *memory = dal_contact_memory(sim, k);
        double *f = value + 2 * k;
        const double p_n = r->normal < 0 ? 0.0 : -at->la[r->normal];
        f[0] = f[1] = (double)NAN;
        value[2 * c->n + k] = mode == DAL_CONTACT_IS_OPEN && r->normal >= 0 && !r->velocity ? c->vel[r->normal] : 0.0;
        if (r->normal >= 0) {
            f[0] = mode != DAL_CONTACT_IS_OPEN ? p_n : r->velocity ? c->vel[r->normal] : c->Phi[r->normal];
        }
        const dal_contact_law law = dal_contact_law_of(sim, k);
        if (r->n > 0 && mode == DAL_CONTACT_STICKING) {
            const double p_t = r->n == 1 ? fabs(at->la[r->tangent]) : hypot(at->la[r->tangent], at->la[r->tangent + 1]);
            f[1] = (r->normal < 0 ? law.limit : law.mu_s * p_n) - p_t;
        } else if (r->n > 0 && mode == DAL_CONTACT_SLIDING && (r->normal < 0 ? law.limit : law.mu) > 0.0) {
            f[1] = 0.0;
            for (int i = 0; i < r->n; ++i) {
                f[1] += c->vel[r->tangent + i] * memory[DAL_CONTACT_DIRECTION + i];
            }
        }
    }
    return DAL_OK;
}

/* The values at a time within the last step. */
static dal_status watch_at(dal_sim *sim, double *value, double t)
{
    dal_point at;
    DAL_TRY(dal_sim_state_at(sim, &at, t));
    return watch(sim, value, &at);
}

/* ---- where a mode ends ------------------------------------------------------------------------ */

/* Where value i changes its sign between lo, where it is positive, and hi: bisection to rounding. */
static dal_status locate(dal_sim *sim, int i, double lo, double hi, double *t)
{
    double *value = sim->contacts->watch[2];
    for (int it = 0; it < 60; ++it) {
        const double mid = lo + 0.5 * (hi - lo);
        if (mid <= lo || mid >= hi) {
            break;
        }
        DAL_TRY(watch_at(sim, value, mid));
        *(value[i] > 0.0 ? &lo : &hi) = mid;
    }
    *t = hi;
    return DAL_OK;
}

/* A value that begins at zero, as the gap of a contact just left, and ends below: it was positive on the way, or never. Then
 * *t is the end of the step. */
static dal_status locate_return(dal_sim *sim, int i, double t0, double t1, double *t)
{
    double *value = sim->contacts->watch[2], hi = t1;
    for (int it = 0; it < 40; ++it) {
        const double mid = t0 + 0.5 * (hi - t0);
        if (mid <= t0) {
            break;
        }
        DAL_TRY(watch_at(sim, value, mid));
        if (value[i] > 0.0) {
            return locate(sim, i, mid, hi, t);
        }
        hi = mid;
    }
    sim->contacts->totals.captured++;
    *t = t1;
    return DAL_OK;
}

/* A gap that is open at both ends of the step, but shrinks first and then grows: does it close on the way? */
static dal_status locate_dip(dal_sim *sim, int k, double lo, double hi, double *t)
{
    const sim_contacts *c = sim->contacts;
    double *value = c->watch[2];
    const double fastest = fmax(-c->watch[0][2 * c->n + k], c->watch[1][2 * c->n + k]);
    for (int it = 0; it < 40; ++it) {
        const double start = lo, mid = lo + 0.5 * (hi - lo);
        DAL_TRY(watch_at(sim, value, mid));
        if (value[2 * k] < 0.0) {
            return locate(sim, 2 * k, start, mid, t);
        }
        if (value[2 * k] > fastest * (hi - lo)) {
            return DAL_OK; // too far away
        }
        *(value[2 * c->n + k] < 0.0 ? &lo : &hi) = mid;
    }
    return DAL_OK;
}

/* The values that count as zero: a gap, a speed, a force. */
static double nothing(const dal_sim *sim, int i, double force)
{
    const int mode = dal_contact_now(sim, i / 2);
    const contact_rows *r = &sim->contacts->rows[i / 2];
    const int is_force = i % 2 == 0 ? mode != DAL_CONTACT_IS_OPEN : mode == DAL_CONTACT_STICKING;
    return is_force ? 1e-9 * force : i % 2 == 0 && !r->velocity ? dal_contact_gap(sim) : dal_contact_speed(sim);
}

static void take_state(const dal_sim *sim, dal_state_buffer *s, dal_point *at)
{
    *at = (dal_point){s->t, s->q, s->known > 0 && s != sim->method->end ? s->vc : s->v, s->vd, sim->contacts->la};
}

/* Multipliers of all rows at an end of the step. */
static dal_status multipliers(dal_sim *sim, const dal_state_buffer *s)
{
    return dal_sim_whole_multipliers(sim, sim->contacts->la, &(dal_point){s->t, s->q, s->v, s->vd, s->la});
}

/* Where a contact lifts, those whose forces vanish with its own lift, too: they would exchange for ever. */
static dal_status find_lifts(dal_sim *sim, double t, double force)
{
    const sim_contacts *c = sim->contacts;
    const int closed = c->ended >= 0 && dal_contact_now(sim, c->ended) != DAL_CONTACT_IS_OPEN;
    if (!closed || c->which != 0) {
        return DAL_OK;
    }
    DAL_TRY(watch_at(sim, c->watch[2], t));
    for (int k = 0; k < c->n; ++k) {
        c->lifts[k] = k == c->ended || (c->rows[k].normal >= 0 && dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN &&
                                        c->watch[2][2 * k] <= 1e-6 * force && c->watch[1][2 * k] < 0.0);
    }
    return DAL_OK;
}

dal_status dal_sim_contacts_watch(dal_sim *sim, double *t_event)
{
    sim_contacts *c = sim->contacts;
    *t_event = INFINITY;
    if (!c) {
        return DAL_OK;
    }
    memset(c->lifts, 0, (size_t)c->n * sizeof *c->lifts);
    dal_state_buffer *from = sim->method->previous, *to = sim->method->current;
    dal_point at;
    c->ended = -1;
    DAL_TRY(multipliers(sim, from));
    take_state(sim, from, &at);
    DAL_TRY(watch(sim, c->watch[0], &at));
    DAL_TRY(multipliers(sim, to));
    take_state(sim, to, &at);
    DAL_TRY(watch(sim, c->watch[1], &at));
    double force = 0.0;
    for (int k = 0; k < c->n; ++k) {
        const int closed = dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN && c->rows[k].normal >= 0;
        force = closed ? fmax(force, fmax(fabs(c->watch[0][2 * k]), fabs(c->watch[1][2 * k]))) : force;
    }
    for (int i = 0; i < 2 * c->n; ++i) {
        const double start = c->watch[0][i], end = c->watch[1][i], none = nothing(sim, i, force);
        double t = INFINITY;
        if (start > none && end < 0.0) {
            DAL_TRY(locate(sim, i, from->t, to->t, &t));
        } else if (end < -none) {
            DAL_TRY(locate_return(sim, i, from->t, to->t, &t));
        } else if (i % 2 == 0 && c->watch[0][2 * c->n + i / 2] < 0.0 && c->watch[1][2 * c->n + i / 2] > 0.0) {
            DAL_TRY(locate_dip(sim, i / 2, from->t, to->t, &t));
        }
        if (t < *t_event) {
            *t_event = t;
            c->ended = i / 2;
            c->which = i % 2;
        }
    }
    return find_lifts(sim, *t_event, force);
}

/* ---- after a step or an event ----------------------------------------------------------------- */

/* The log has room. */
static void note_mode(dal_sim *sim, int k, double t)
{
    sim_contacts *c = sim->contacts;
    const int before = dal_contact_now(sim, k), now = c->mode[k];
    const dal_contact_happening what = before == DAL_CONTACT_IS_OPEN ? DAL_CONTACT_TOUCH
                                       : now == DAL_CONTACT_IS_OPEN  ? DAL_CONTACT_LIFT
                                       : now == DAL_CONTACT_STICKING ? DAL_CONTACT_STICK
                                                                     : DAL_CONTACT_SLIP;
    if (before != now) {
        c->log[c->nlog++] = (dal_contact_event){t, k, what, 0.0, 0.0, 0.0};
    }
}

dal_status dal_sim_contacts_decide(dal_sim *sim, int *changed, double t, double h)
{
    sim_contacts *c = sim->contacts;
    *changed = 0;
    if (!c) {
        return DAL_OK;
    }
    for (int k = 0; k < c->n; ++k) { // where sticking ends, friction tells the direction
        const contact_rows *r = &c->rows[k];
        double *e = c->direction + 2 * k, length = 0.0;
        memcpy(e, dal_contact_memory(sim, k) + DAL_CONTACT_DIRECTION, 2 * sizeof *e);
        for (int i = 0; i < r->n && dal_contact_now(sim, k) == DAL_CONTACT_STICKING; ++i) {
            e[i] = c->la[r->tangent + i];
            length = hypot(length, e[i]);
        }
        for (int i = 0; i < r->n && length > 0.0; ++i) {
            e[i] /= length;
        }
    }
    DAL_TRY(dal_sim_contact_decide(sim, t, h));
    DAL_GROW(sim->ctx, c->log, c->log_room, c->nlog + c->n);
    for (int k = 0; k < c->n; ++k) {
        double *memory = dal_contact_memory(sim, k);
        *changed |= c->mode[k] != c->built[k];
        note_mode(sim, k, t);
        memory[DAL_CONTACT_MODE] = c->mode[k];
        dal_copy(memory + DAL_CONTACT_DIRECTION, c->direction + 2 * k, 2);
    }
    c->ended = -1;
    dal_data_forget(sim->data);
    return DAL_OK;
}

/* Rows that were left out no longer hold: closed contacts and a drive contradict each other, and one has to open that had no reason to at
 * the start of the step, where the drive stood still. */
dal_status dal_sim_contacts_retreat(dal_sim *sim, int *changed)
{
    sim_contacts *c = sim->contacts;
    const dal_state_buffer *from = sim->method->previous;
    const double t = from->t, h = sim->method->current->t - t;
    *changed = 0;
    dal_copy(sim->q, from->q, sim->ev->nq);
    dal_copy(sim->v, from->known > 0 ? from->vc : from->v, sim->ev->nv);
    c->ended = -1;
    c->ahead = h;
    const dal_status st = dal_sim_contacts_decide(sim, changed, t, h);
    c->ahead = 0.0;
    return st;
}

dal_status dal_sim_contacts_start(dal_sim *sim, double t)
{
    const sim_contacts *c = sim->contacts;
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        if (r->normal >= 0 && !r->velocity && c->Phi[r->normal] < -1e-8 * sim->ev->length) {
            char name[96];
            sim->sys->contacts.name(name, sizeof name, k, sim->sys->user);
            return dal_fail(sim->ctx, DAL_EINITIAL,
                            "%s: the gap is %.3g at the start, and may not be negative: move the bodies apart", name,
                            c->Phi[r->normal]);
        }
    }
    return DAL_OK;
}

void dal_sim_contacts_accept(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    const dal_state_buffer *s = sim->method->current;
    if (!c || dal_sim_contact_values(sim, s->t, s->q, s->v, 0) != DAL_OK) {
        return;
    }
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        double *e = dal_contact_memory(sim, k) + DAL_CONTACT_DIRECTION, length = 0.0;
        if (r->normal >= 0 && !r->velocity) {
            c->totals.least_gap = fmin(c->totals.least_gap, c->Phi[r->normal]);
        }
        for (int i = 0; i < r->n; ++i) {
            length = hypot(length, c->vel[r->tangent + i]);
        }
        dal_contact_memory(sim, k)[DAL_CONTACT_PACE] = length;
        // the direction follows the sliding in a plane; along a line it stays
        for (int i = 0; i < r->n && r->n == 2; ++i) {
            if (dal_contact_now(sim, k) == DAL_CONTACT_SLIDING && length > dal_contact_speed(sim)) {
                e[i] = c->vel[r->tangent + i] / length;
            }
        }
    }
}

const dal_contact_event *dal_sim_contact_events(const dal_sim *sim, int *n)
{
    if (n) {
        *n = sim && sim->contacts ? sim->contacts->nlog : 0;
    }
    return sim && sim->contacts ? sim->contacts->log : NULL;
}

dal_contact_totals dal_sim_contact_totals(const dal_sim *sim)
{
    return sim && sim->contacts ? sim->contacts->totals : (dal_contact_totals){.least_gap = INFINITY};
}
