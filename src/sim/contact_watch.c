/* Contacts during steps: where a mode ends. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "projection/projection.h"
#include "sim/contact_impl.h"
#include "sim/scales.h"

/* ---- where a mode ends ------------------------------------------------------------------------ */

/* Has it a gap that is open? */
static int is_gap(const dal_sim *sim, int k)
{
    const contact_rows *r = &sim->contacts->rows[k];
    return r->normal >= 0 && !r->velocity && dal_contact_now(sim, k) == DAL_CONTACT_IS_OPEN;
}

/* When the gap of an open contact that begins at zero, without approach, is found to sink in rather than to open; INFINITY: it does not. */
static dal_status sinks(dal_sim *sim, int k, double t0, double t1, double *sunk)
{
    const sim_contacts *c = sim->contacts;
    const double *first = c->watch[0], none = dal_contact_gap(sim);
    double *value = c->watch[2];
    *sunk = INFINITY;
    if (!is_gap(sim, k) || fabs(first[2 * k]) > none || fabs(first[2 * c->n + k]) > dal_contact_speed(sim)) {
        return DAL_OK;
    }
    for (double part = 1.0 / 256.0; part <= 1.0; part *= 2.0) {
        const double t = part < 1.0 ? t0 + part * (t1 - t0) : t1;
        DAL_TRY(dal_contact_watch_at(sim, value, t, 0));
        if (fabs(value[2 * k]) > none) {
            *sunk = value[2 * k] < 0.0 ? t : *sunk;
            return DAL_OK;
        }
    }
    return DAL_OK;
}

/* The values that count as zero: a gap, a speed, a force. */
static double nothing(const dal_sim *sim, int i, double force)
{
    const int mode = dal_contact_now(sim, i / 2);
    const contact_rows *r = &sim->contacts->rows[i / 2];
    const int of_force = i % 2 == 0 ? mode != DAL_CONTACT_IS_OPEN : mode == DAL_CONTACT_STICKING;
    return of_force ? 1e-9 * force : i % 2 == 0 && !r->velocity ? dal_contact_gap(sim) : dal_contact_speed(sim);
}

/* A closed contact that nothing presses: its force is the rounding of those that accelerate the model and hold its joints, at both ends of
 * the step, or, with index 3, of positions over h^2. It stays closed: which sign that has decides nothing, and contacts would take turns
 * for ever. */
static dal_status is_rounding(dal_sim *sim, int i, int *rounding)
{
    sim_contacts *c = sim->contacts;
    const dal_state_buffer *s = sim->method->current;
    const dal_sim_scales scales = dal_sim_scales_of(sim);
    const double size = fmax(fabs(c->watch[0][i]), fabs(c->watch[1][i])), h = fmax(s->h, sim->opt.h);
    double acceleration = 0.0, work, reach;
    *rounding = 0;
    if (i % 2 != 0 || dal_contact_now(sim, i / 2) == DAL_CONTACT_IS_OPEN) {
        return DAL_OK;
    }
    for (int k = 0; k < sim->ev->nv; ++k) {
        acceleration = fmax(acceleration, fabs(s->vd[k]) / scales.unit[k]);
    }
    work = scales.work * acceleration;
    for (int k = 0; k < sim->ev->nc; ++k) {
        work = fmax(work, fabs(s->la[k]) * scales.reach[k]);
    }
    DAL_TRY(dal_sim_contact_reach(sim, &reach, i / 2, s->t, s->q, s->v));
    *rounding = size * reach <= fmax(1e-10 * work, sim->method->la_noise / (h * h));
    return DAL_OK;
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

/* Where a contact lifts, those whose forces vanish with its own lift, too: they would exchange for ever. Where one slips, so may those that
 * are at their limits. */
static dal_status find_others(dal_sim *sim, double t, double force)
{
    const sim_contacts *c = sim->contacts;
    const int closed = c->ended >= 0 && dal_contact_now(sim, c->ended) != DAL_CONTACT_IS_OPEN;
    const int slips = c->ended >= 0 && dal_contact_now(sim, c->ended) == DAL_CONTACT_STICKING && c->which == 1;
    if ((!closed || c->which != 0) && !slips) {
        return DAL_OK;
    }
    DAL_TRY(dal_contact_watch_at(sim, c->watch[2], t, 1));
    for (int k = 0; k < c->n; ++k) {
        const int others = c->rows[k].normal >= 0 && dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN;
        c->lifts[k] =
            !slips && (k == c->ended || (others && c->watch[2][2 * k] <= 1e-6 * force && c->watch[1][2 * k] < 0.0));
        c->slips[k] = slips && (k == c->ended || (others && dal_contact_now(sim, k) == DAL_CONTACT_STICKING &&
                                                  c->watch[2][2 * k + 1] <= 1e-6 * force));
    }
    return DAL_OK;
}

/* Is value i the gap of an open contact that still becomes smaller at the end of the step? */
static int approaches_at_end(const dal_sim *sim, int i)
{
    const sim_contacts *c = sim->contacts;
    return i % 2 == 0 && is_gap(sim, i / 2) && c->watch[1][2 * c->n + i / 2] < -dal_contact_speed(sim);
}

dal_status dal_sim_contacts_state(dal_sim *sim, double t)
{
    sim->method->type->interpolate(sim->method, sim->q, sim->v, NULL, NULL, t);
    DAL_TRY(dal_project_position(sim->saddle, sim->q, NULL, t, DAL_POSITION_TOLERANCE));
    return dal_project_velocity(sim->saddle, sim->v, NULL, t, sim->q, NULL);
}

/* On the way back to the rows that hold gaps move, too, by the error of the dense output. The event is where on these rows the gap that
 * ended the step is zero, or an earlier place where another one is. The time stays as it was found where that would be out of the step: features
 * exchange there, so the contact has another gap on these rows, or a flight is over, by that error, before it begins. */
static dal_status sharpen(dal_sim *sim, double *t)
{
    sim_contacts *c = sim->contacts;
    const double lo = sim->method->previous->t, hi = sim->method->current->t, small = 1e-2 * dal_contact_gap(sim);
    const double found = *t;
    const int ended = c->ended, which = c->which;
    double off = INFINITY, before = NAN, t_before = NAN; // the gap at the time before
    int of = -1;
    for (int it = 0; it < 8 && off > small && *t > lo && *t < hi; ++it) {
        double dt = INFINITY;
        DAL_TRY(dal_sim_contacts_state(sim, *t));
        DAL_TRY(dal_sim_contact_values(sim, *t, sim->q, sim->v, 0));
        off = 0.0;
        for (int k = 0; k < c->n; ++k) {
            const contact_rows *r = &c->rows[k];
            if (!is_gap(sim, k) || c->vel[r->normal] > -dal_contact_speed(sim)) {
                continue;
            }
            const double gap = c->Phi[r->normal], step = -gap / c->vel[r->normal];
            const int ends = c->ended == k && c->which == 0;
            const int overlaps = gap < -small && c->watch[0][2 * k] > dal_contact_gap(sim);
            if ((ends || overlaps) && step < dt) {
                dt = step;
                off = fabs(gap);
                c->ended = k;
                c->which = 0;
            }
        }
        // the state on the rows moves otherwise than its velocity says, by the error of the dense output
        const double gap = off > 0.0 ? -dt * c->vel[c->rows[c->ended].normal] : 0.0,
                     slope = (gap - before) / (*t - t_before);
        dt = of == c->ended && slope < 0.0 ? -gap / slope : dt;
        of = c->ended;
        before = gap;
        t_before = *t;
        if (fabs(dt) > hi - lo) {
            break;
        }
        *t = off > small ? fmin(fmax(*t + dt, lo), hi) : *t;
    }
    if (off > small || *t <= lo) {
        *t = found;
        c->ended = ended;
        c->which = which;
    }
    return DAL_OK;
}

/* The lowest gap of those that are open, and which it is, on the rows that hold until then. */
static dal_status lowest_at(dal_sim *sim, contact_moment *at, int *lowest)
{
    const sim_contacts *c = sim->contacts;
    DAL_TRY(dal_sim_contacts_state(sim, at->t));
    DAL_TRY(dal_sim_contact_values(sim, at->t, sim->q, sim->v, 0));
    *lowest = -1;
    at->value = INFINITY;
    for (int k = 0; k < c->n; ++k) {
        if (is_gap(sim, k) && c->Phi[c->rows[k].normal] < at->value) {
            at->value = c->Phi[c->rows[k].normal];
            *lowest = k;
        }
    }
    return DAL_OK;
}

/* No step ends with an overlap: where one is left at the event, by the error of the dense output, or since features took turns within the
 * step, the event is where the lowest of all gaps passes zero. */
static dal_status back_off(dal_sim *sim, double *t)
{
    sim_contacts *c = sim->contacts;
    const double t0 = sim->method->previous->t, none = dal_contact_gap(sim);
    contact_moment lo = {t0, 0.0}, hi = {*t, 0.0};
    int k, lowest;
    if (*t <= t0) {
        return DAL_OK;
    }
    DAL_TRY(lowest_at(sim, &hi, &lowest));
    if (hi.value >= -none) {
        return DAL_OK;
    }
    DAL_TRY(lowest_at(sim, &lo, &k));
    const double deep = fmin(lo.value, 0.0) - 1e-2 * none;
    while (hi.t - lo.t > 2.0 * DBL_EPSILON * fabs(hi.t)) {
        contact_moment mid = {lo.t + 0.5 * (hi.t - lo.t), 0.0};
        DAL_TRY(lowest_at(sim, &mid, &k));
        lowest = mid.value < deep ? k : lowest;
        *(mid.value < deep ? &hi : &lo) = mid;
    }
    c->ended = lowest;
    c->which = 0;
    *t = lo.t > t0 ? hi.t : dal_contact_shorter(sim, lowest, t0, hi.t);
    return DAL_OK;
}

/* In a plane what slides nearly stops at the end of the step: the direction turns faster than steps resolve, and at once it
 * would be at rest. Steps that are cut where the iteration does not converge come so near. */
static int nearly_stops(const dal_sim *sim, int k, double step)
{
    const sim_contacts *c = sim->contacts;
    const contact_rows *r = &c->rows[k];
    if (r->n < 2 || !dal_contact_coarse(sim) || dal_contact_now(sim, k) != DAL_CONTACT_SLIDING) {
        return 0;
    }
    const double before = dal_contact_memory(sim, k)[DAL_CONTACT_PACE];
    const double now = dal_contact_length(r, c->vel);
    return now < before && now * step < 4e-3 * sim->opt.h * (before - now);
}

/* c->vel is that so much later than the step began. */
static void find_stops(const dal_sim *sim, double step)
{
    for (int k = 0; k < sim->contacts->n; ++k) {
        sim->contacts->stops[k] = nearly_stops(sim, k, step);
    }
}

/* The values at both ends of the step, what nearly stops at its end, and the largest normal force. */
static dal_status watch_ends(dal_sim *sim, double *force)
{
    sim_contacts *c = sim->contacts;
    dal_state_buffer *from = sim->method->previous, *to = sim->method->current;
    dal_point at;
    if (sim->reduction) {
        dal_copy(c->la, sim->la, c->nrows); // they were shared out where the last step was final
    } else {
        DAL_TRY(multipliers(sim, from));
    }
    take_state(sim, from, &at);
    DAL_TRY(dal_contact_watch(sim, c->watch[0], &at));
    DAL_TRY(multipliers(sim, to));
    take_state(sim, to, &at);
    DAL_TRY(dal_contact_watch(sim, c->watch[1], &at));
    *force = 0.0;
    for (int k = 0; k < c->n; ++k) {
        const int closed = dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN && c->rows[k].normal >= 0;
        *force = closed ? fmax(*force, fmax(fabs(c->watch[0][2 * k]), fabs(c->watch[1][2 * k]))) : *force;
    }
    c->fastest = 0.0;
    for (int k = 2 * c->n; k < 3 * c->n; ++k) {
        c->fastest = fmax(c->fastest, fmax(fabs(c->watch[0][k]), fabs(c->watch[1][k])));
    }
    find_stops(sim, to->t - from->t);
    return DAL_OK;
}

/* Where value i, positive at the start of the step but not at its end, changes its sign, if that is before a time. */
static dal_status locate_before(dal_sim *sim, int i, double before, double *t)
{
    const sim_contacts *c = sim->contacts;
    const contact_moment lo = {sim->method->previous->t, c->watch[0][i]};
    contact_moment hi = {sim->method->current->t, c->watch[1][i]};
    if (before <= lo.t) {
        return DAL_OK;
    }
    if (before < hi.t) {
        DAL_TRY(dal_contact_watch_at(sim, c->watch[2], before, dal_contact_is_force(sim, i)));
        hi = (contact_moment){before, c->watch[2][i]};
        if (hi.value > 0.0) {
            return DAL_OK;
        }
    }
    return dal_contact_locate(sim, t, i, lo, hi);
}

/* Where value i (of 2 n) ends its mode, if that is before a time; INFINITY: it does not. */
static dal_status end_of_mode(dal_sim *sim, int i, double force, double before, double *t)
{
    const sim_contacts *c = sim->contacts;
    const double t0 = sim->method->previous->t, t1 = sim->method->current->t;
    const double start = c->watch[0][i], end = c->watch[1][i], none = nothing(sim, i, force);
    double sunk = INFINITY;
    int rounding = 0;
    *t = INFINITY;
    if (i % 2 == 0) {
        DAL_TRY(sinks(sim, i / 2, t0, t1, &sunk));
    }
    if (end < 0.0) {
        DAL_TRY(is_rounding(sim, i, &rounding));
    }
    const int slid = i % 2 == 1 && dal_contact_now(sim, i / 2) == DAL_CONTACT_SLIDING;
    const int ends =
        start > none && end >= 0.0 && end <= none && (slid || approaches_at_end(sim, i)); // it touches, stops
    // a flight within what counts as none
    const int hops =
        !dal_contact_coarse(sim) && fabs(start) <= none && end < 0.0 && end >= -none && approaches_at_end(sim, i);
    if (sunk < INFINITY) {
        return dal_contact_locate_sinking(sim, t, i / 2, t0, sunk);
    } else if (ends || (i % 2 == 1 && c->stops[i / 2] && !(end < 0.0))) {
        *t = t1;
    } else if (start > none && end < 0.0 && !rounding) {
        return locate_before(sim, i, before, t);
    } else if (hops || (end < -none && !rounding)) {
        return dal_contact_locate_return(sim, t, i, t0, (contact_moment){t1, end});
    } else if (i % 2 == 0 && is_gap(sim, i / 2)) {
        return dal_contact_locate_dip(sim, t, i / 2, t0, t1);
    }
    return DAL_OK;
}

/* Gaps that have closed before the event and open again behind it are below zero there: the earliest of them is the event. */
static dal_status look_again(dal_sim *sim, double *t_event)
{
    sim_contacts *c = sim->contacts;
    const double t0 = sim->method->previous->t, none = dal_contact_gap(sim), *value = c->watch[2];
    for (int it = 0; it < 16 && *t_event > t0 && *t_event < sim->method->current->t; ++it) {
        const double end = *t_event;
        int deepest = -1;
        DAL_TRY(dal_contact_watch_at(sim, c->watch[2], end, 0));
        for (int k = 0; k < c->n; ++k) {
            if (is_gap(sim, k) && value[2 * k] < -none && c->watch[0][2 * k] > -none &&
                !(c->ended == k && c->which == 0) && (deepest < 0 || value[2 * k] < value[2 * deepest])) {
                deepest = k;
            }
        }
        if (deepest < 0) {
            break;
        }
        const contact_moment lo = {t0, c->watch[0][2 * deepest]}, hi = {end, value[2 * deepest]};
        DAL_TRY(lo.value > none ? dal_contact_locate(sim, t_event, 2 * deepest, lo, hi)
                                : dal_contact_locate_return(sim, t_event, 2 * deepest, t0, hi));
        c->ended = deepest;
        c->which = 0;
    }
    return DAL_OK;
}

/* Two capsules, or edges, that are nearly parallel roll along each other ever faster: where the features of a closed contact go on by more than a
 * quarter of the size, or there and back, a step of fixed size is halved. */
static dal_status rolls_on(dal_sim *sim, int *some, double t0, double t1)
{
    const sim_contacts *c = sim->contacts;
    const double *a = c->watch[0], *b = c->watch[1], *mid = c->watch[2], half = 0.5 * (t1 - t0);
    int far = 0;
    *some = 0;
    if (sim->opt.step == DAL_STEP_ADAPTIVE || half < fmax(sim->opt.h / 1024.0, 16.0 * DBL_EPSILON * fabs(t0))) {
        return DAL_OK;
    }
    for (int i = 3 * c->n; i < 4 * c->n; ++i) {
        far |= fabs(a[i] - b[i]) > 0.02;
        *some |= fabs(a[i] - b[i]) > 0.08;
    }
    if (far && !*some) {
        DAL_TRY(dal_contact_watch_at(sim, c->watch[2], t0 + half, 0));
    }
    for (int i = 3 * c->n; i < 4 * c->n && far && !*some; ++i) {
        *some = fabs(mid[i] - 0.5 * (a[i] + b[i])) > 0.02;
    }
    sim->h_next = *some ? half : sim->h_next;
    return DAL_OK;
}

dal_status dal_sim_contacts_watch(dal_sim *sim, double *t_event)
{
    sim_contacts *c = sim->contacts;
    *t_event = INFINITY;
    if (!c || c->captured) {
        if (c) {
            dal_sim_captured_begin(sim);
        }
        return DAL_OK;
    }
    const double t0 = sim->method->previous->t, t1 = sim->method->current->t;
    double force;
    int rolls;
    memset(c->lifts, 0, (size_t)c->n * sizeof *c->lifts);
    memset(c->slips, 0, (size_t)c->n * sizeof *c->slips);
    c->ended = -1;
    c->nhalves = 0;
    c->goes_on = 0;
    DAL_TRY(watch_ends(sim, &force));
    DAL_TRY(rolls_on(sim, &rolls, t0, t1));
    if (rolls) {
        *t_event = t0;
        return DAL_OK;
    }
    for (int i = 0; i < 2 * c->n; ++i) {
        double t;
        DAL_TRY(end_of_mode(sim, i, force, *t_event, &t));
        if (t < *t_event) {
            *t_event = t;
            c->ended = i / 2;
            c->which = i % 2;
        }
    }
    for (int k = 0, i = 3 * c->n; k < c->n; ++k, ++i) {
        double t = INFINITY;
        if (c->watch[1][i] < 0.0) {
            DAL_TRY(c->watch[0][i] > 0.0
                        ? locate_before(sim, i, *t_event, &t)
                        : dal_contact_locate_return(sim, &t, i, t0, (contact_moment){t1, c->watch[1][i]}));
        }
        if (t < *t_event) {
            *t_event = t;
            c->ended = k;
            c->which = 2;
        }
    }
    DAL_TRY(look_again(sim, t_event));
    if (*t_event < INFINITY) {
        DAL_TRY(sharpen(sim, t_event));
        DAL_TRY(back_off(sim, t_event));
    }
    if (*t_event > t0 && *t_event < t1) { // what nearly stops there, not at the end
        DAL_TRY(dal_contact_watch_at(sim, c->watch[2], *t_event, 1));
        find_stops(sim, *t_event - t0);
    }
    c->goes_on = *t_event == INFINITY && !sim->sys->life.integrate; // what is remembered changes forces
    return find_others(sim, *t_event, force);
}

int dal_sim_contacts_multipliers(dal_sim *sim, double *la)
{
    sim_contacts *c = sim->contacts;
    const int known = c && !c->captured && c->goes_on;
    if (known) {
        dal_copy(la, c->la, c->nrows);
        c->goes_on = 0;
    }
    return known;
}

/* ---- integrated from outside ------------------------------------------------------------------- */

/* The values at the current state, and the largest normal force. */
static dal_status watch_now(dal_sim *sim, double *force)
{
    sim_contacts *c = sim->contacts;
    dal_point at;
    DAL_TRY(multipliers(sim, sim->method->current));
    take_state(sim, sim->method->current, &at);
    DAL_TRY(dal_contact_watch(sim, c->watch[1], &at));
    *force = 0.0;
    for (int k = 0; k < c->n; ++k) {
        const int closed = dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN && c->rows[k].normal >= 0;
        *force = closed ? fmax(*force, fabs(c->watch[1][2 * k])) : *force;
    }
    return DAL_OK;
}

/* What begins at zero, the gap of a contact just left say, must not seem to end at once. */
dal_status dal_sim_contacts_now(dal_sim *sim, double *z)
{
    const sim_contacts *c = sim->contacts;
    double force;
    DAL_TRY(watch_now(sim, &force));
    for (int k = 0; k < c->n; ++k) {
        for (int i = 2 * k; i < 2 * k + 2; ++i) {
            z[k + i] = isnan(c->watch[1][i]) ? 1.0 : c->watch[1][i] + nothing(sim, i, force);
        }
        z[3 * k + 2] = c->watch[1][3 * c->n + k];
    }
    return DAL_OK;
}

/* Has value i of those at the current state ended its mode? Gaps that grow again have not. */
static int ended_now(const dal_sim *sim, int i, double force)
{
    const sim_contacts *c = sim->contacts;
    const double value = c->watch[1][i];
    const int departs = i % 2 == 0 && dal_contact_now(sim, i / 2) == DAL_CONTACT_IS_OPEN &&
                        c->watch[1][2 * c->n + i / 2] > -dal_contact_speed(sim);
    return value < -nothing(sim, i, force) && !departs;
}

dal_status dal_sim_contacts_ended_now(dal_sim *sim, int *some)
{
    const sim_contacts *c = sim->contacts;
    double force;
    *some = 0;
    DAL_TRY(watch_now(sim, &force));
    for (int i = 0; i < 2 * c->n; ++i) {
        *some |= ended_now(sim, i, force);
    }
    return DAL_OK;
}

dal_status dal_sim_contacts_end_now(dal_sim *sim)
{
    sim_contacts *c = sim->contacts;
    double force;
    memset(c->lifts, 0, (size_t)c->n * sizeof *c->lifts);
    memset(c->slips, 0, (size_t)c->n * sizeof *c->slips);
    memset(c->stops, 0, (size_t)c->n * sizeof *c->stops);
    c->ended = -1;
    DAL_TRY(watch_now(sim, &force));
    for (int i = 0; i < 2 * c->n; ++i) {
        const int k = i / 2, open = dal_contact_now(sim, k) == DAL_CONTACT_IS_OPEN;
        if (!open && c->watch[1][i] < 0.0) {
            c->lifts[k] |= i % 2 == 0;
            c->stops[k] |= i % 2 == 1 && dal_contact_now(sim, k) == DAL_CONTACT_SLIDING;
            c->which = c->ended < 0 || i % 2 == 1 ? i % 2 : c->which;
            c->ended = c->ended < 0 || i % 2 == 1 ? k : c->ended;
        }
    }
    for (int k = 0; k < c->n && c->ended < 0; ++k) {
        if (c->watch[1][3 * c->n + k] < 0.0) {
            c->ended = k;
            c->which = 2;
        }
    }
    return DAL_OK;
}
