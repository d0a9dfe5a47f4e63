/* Contacts during steps: what is watched, and where a mode ends. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "projection/projection.h"
#include "sim/contact_impl.h"
#include "sim/scales.h"

/* ---- what is watched -------------------------------------------------------------------------- */

/* Two values of each contact that are positive as long as its mode goes on: gap or normal force; what friction has in reserve
 * where it sticks, speed along the direction of sliding where it slides. NaN: nothing to watch. Then the rates of the gaps of
 * open contacts, and how long the features of closed ones are those that touch. */
static dal_status watch(dal_sim *sim, double *value, const dal_point *at)
{
    const sim_contacts *c = sim->contacts;
    const dal_residual out = {.Phi = c->Phi, .vel = c->vel};
    DAL_TRY(sim->sys->contacts.residual(&out, &(dal_point){at->t, at->q, at->v, sim->zero_v, at->la}, sim->sys->user,
                                        sim->data->work));
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        const int mode = dal_contact_now(sim, k);
        const double *memory = dal_contact_memory(sim, k);
        double *f = value + 2 * k;
        const double p_n = r->normal < 0 ? 0.0 : -at->la[r->normal];
        f[0] = f[1] = (double)NAN;
        value[3 * c->n + k] = mode != DAL_CONTACT_IS_OPEN ? memory[DAL_CONTACT_REACH] : 1.0;
        value[2 * c->n + k] = mode == DAL_CONTACT_IS_OPEN && r->normal >= 0 && !r->velocity ? c->vel[r->normal] : 0.0;
        if (r->normal >= 0) {
            f[0] = mode != DAL_CONTACT_IS_OPEN ? p_n : r->velocity ? c->vel[r->normal] : c->Phi[r->normal];
        }
        const dal_contact_law law = dal_contact_law_of(sim, k);
        if (r->n > 0 && mode == DAL_CONTACT_STICKING) {
            f[1] = (r->normal < 0 ? law.limit_s : law.mu_s * p_n) - dal_contact_length(r, at->la);
        } else if (r->n > 0 && mode == DAL_CONTACT_SLIDING && (r->normal < 0 ? law.limit : law.mu) > 0.0) {
            f[1] = 0.0;
            for (int i = 0; i < r->n; ++i) {
                f[1] += c->vel[r->tangent + i] * memory[DAL_CONTACT_DIRECTION + i];
            }
        }
    }
    return DAL_OK;
}

/* Is value i (of all 4 n) a force, which takes the multipliers at that time, not only positions and velocities? */
static int is_force(const dal_sim *sim, int i)
{
    const int k = i / 2;
    if (k >= sim->contacts->n) {
        return 0;
    }
    const int mode = dal_contact_now(sim, k);
    return i % 2 == 0 ? mode != DAL_CONTACT_IS_OPEN
                      : mode == DAL_CONTACT_STICKING || dal_contact_law_of(sim, k).follows;
}

/* The values at a time within the last step. Without forces those are of no use that is_force tells. */
static dal_status watch_at(dal_sim *sim, double *value, double t, int forces)
{
    dal_point at;
    if (!forces && sim->output && t < sim->method->current->t) {
        sim->method->type->interpolate(sim->method, sim->sample_q, sim->sample_v, NULL, NULL, t);
        return watch(sim, value, &(dal_point){t, sim->sample_q, sim->sample_v, NULL, sim->contacts->la});
    }
    DAL_TRY(dal_sim_state_at(sim, &at, t));
    return watch(sim, value, &at);
}

/* ---- where a mode ends ------------------------------------------------------------------------ */

/* A time and the value that is watched. */
typedef struct moment {
    double t, value;
} moment;

/* Where value i changes its sign between lo, where it is positive, and hi: to rounding, by secants, with half the value of an end that
 * stays, and the middle where three of them have not halved the interval. */
static dal_status locate(dal_sim *sim, int i, moment lo, moment hi, double *t)
{
    double *value = sim->contacts->watch[2], wide = hi.t - lo.t;
    const int forces = is_force(sim, i);
    for (int it = 1, side = 0; it < 200; ++it) {
        const double tol = DBL_EPSILON * fmax(fabs(lo.t), fabs(hi.t)), middle = lo.t + 0.5 * (hi.t - lo.t);
        double mid = lo.t + (hi.t - lo.t) * (lo.value / (lo.value - hi.value));
        if (hi.t - lo.t <= 2.0 * tol) {
            break;
        }
        mid = mid > lo.t && mid < hi.t ? fmin(fmax(mid, lo.t + tol), hi.t - tol) : middle;
        if (it % 3 == 0) {
            mid = hi.t - lo.t > 0.5 * wide ? middle : mid;
            wide = hi.t - lo.t;
        }
        DAL_TRY(watch_at(sim, value, mid, forces));
        const int above = value[i] > 0.0;
        if (above) {
            hi.value *= side > 0 ? 0.5 : 1.0;
            lo = (moment){mid, value[i]};
        } else {
            lo.value *= side < 0 ? 0.5 : 1.0;
            hi = (moment){mid, value[i]};
        }
        side = above ? 1 : -1;
    }
    *t = hi.t;
    return DAL_OK;
}

/* The forces open it, but the step, by its error, does not. It is held from the start of the step on; if it was already, the step begins
 * again with half its size: the way the forces move it is of second order in the size, the error of third. */
static double take_shorter(dal_sim *sim, int k, double t0, double t1)
{
    double *memory = dal_contact_memory(sim, k);
    const double half = 0.5 * (t1 - t0);
    if (!(memory[DAL_CONTACT_COUNT] < 0.0 && memory[DAL_CONTACT_SINCE] == t0)) {
        memory[DAL_CONTACT_COUNT] = -1.0;
        memory[DAL_CONTACT_SINCE] = t0;
        return t0;
    }
    if (half > fmax(sim->opt.h / 1024.0, 16.0 * DBL_EPSILON * fabs(t0))) {
        sim->h_next = half;
        return t0;
    }
    sim->contacts->totals.captured++;
    return t1;
}

/* A force that begins at zero, and is none from then on, of a stop that opens or a brake that slips, where loads went from one to the other within
 * a step of this size: not at its end. A few times at one place: rounding may have it that each of them waits for the other. */
static int ends_at_once(dal_sim *sim, int i, double t0, double t1)
{
    sim_contacts *c = sim->contacts;
    const int slides = i % 2 == 1 && i < 2 * c->n && dal_contact_now(sim, i / 2) == DAL_CONTACT_SLIDING;
    if (i >= 2 * c->n || slides || !is_force(sim, i) || !(t0 - c->relieved_at <= t1 - t0)) {
        return 0;
    }
    c->at_once = c->at_once_at == t0 ? c->at_once + 1 : 0;
    c->at_once_at = t0;
    return c->at_once < 4;
}

/* Value i in the middle of the step, in that of its first half and so on. Forces take a solution of the whole system: they are kept for
 * all contacts, because many may begin at zero together, as the fingers of a hand that rest at their stops. */
static dal_status watch_half(dal_sim *sim, double *value, int i, double t, int halved)
{
    sim_contacts *c = sim->contacts;
    if (!is_force(sim, i)) {
        DAL_TRY(watch_at(sim, c->watch[2], t, 0));
        *value = c->watch[2][i];
        return DAL_OK;
    }
    double *kept = c->halves + (size_t)(2 * c->n) * (size_t)halved;
    if (halved == c->nhalves) {
        DAL_TRY(watch_at(sim, c->watch[2], t, 1));
        dal_copy(kept, c->watch[2], 2 * c->n);
        c->nhalves++;
    }
    *value = kept[i];
    return DAL_OK;
}

/* A value that begins at zero, as the gap of a contact just left, and ends below: it was positive on the way, or never. Then
 * *t is the end of the step. */
static dal_status locate_return(dal_sim *sim, int i, double t0, double t1, double *t)
{
    const sim_contacts *c = sim->contacts;
    moment hi = {t1, c->watch[1][i]};
    for (int it = 0; it < DAL_CONTACT_HALVES; ++it) {
        moment at = {t0 + 0.5 * (hi.t - t0), 0.0};
        if (at.t <= t0) {
            break;
        }
        DAL_TRY(watch_half(sim, &at.value, i, at.t, it));
        if (at.value > 0.0) {
            return locate(sim, i, at, hi, t);
        }
        hi = at;
    }
    if (i < 2 * c->n && i % 2 == 0 && !c->rows[i / 2].velocity && dal_contact_now(sim, i / 2) == DAL_CONTACT_IS_OPEN &&
        c->watch[0][i] > -1e2 * dal_contact_gap(sim)) { // where features exchange it may begin a little below
        *t = take_shorter(sim, i / 2, t0, t1);
        return DAL_OK;
    }
    if (i < 2 * c->n && i % 2 == 0 && c->rows[i / 2].velocity && dal_contact_now(sim, i / 2) != DAL_CONTACT_IS_OPEN) {
        *t = t0; // a clutch whose torque begins at zero and would pull runs free from the start
        return DAL_OK;
    }
    *t = ends_at_once(sim, i, t0, t1) ? t0 : t1;
    sim->contacts->totals.captured += *t == t1;
    return DAL_OK;
}

/* A gap that is open at both ends of the step, but shrinks first and then grows: does it close on the way? One that was just left may
 * begin a little below zero. */
static dal_status locate_dip(dal_sim *sim, int k, double lo, double hi, double *t)
{
    const sim_contacts *c = sim->contacts;
    double *value = c->watch[2];
    const double first = c->watch[0][2 * k], deep = first > 0.0 ? 0.0 : 2.0 * first - dal_contact_gap(sim);
    const double fastest = fmax(-c->watch[0][2 * c->n + k], c->watch[1][2 * c->n + k]);
    moment start = {lo, first};
    for (int it = 0; it < 40; ++it) {
        const double mid = lo + 0.5 * (hi - lo);
        DAL_TRY(watch_at(sim, value, mid, 0));
        if (value[2 * k] < deep) {
            return locate(sim, 2 * k, start, (moment){mid, value[2 * k]}, t);
        }
        if (value[2 * k] > fastest * (hi - lo)) {
            return DAL_OK; // too far away
        }
        if (value[2 * c->n + k] < 0.0) {
            lo = mid;
            start = (moment){mid, value[2 * k]};
        } else {
            hi = mid;
        }
    }
    return DAL_OK;
}

/* Does the gap of an open contact that begins at zero, without approach, sink in rather than open? */
static dal_status sinks(dal_sim *sim, int k, double t0, double t1, int *sunk)
{
    const sim_contacts *c = sim->contacts;
    const double *first = c->watch[0], none = dal_contact_gap(sim);
    double *value = c->watch[2];
    *sunk = 0;
    if (c->rows[k].normal < 0 || c->rows[k].velocity || dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN ||
        fabs(first[2 * k]) > none || fabs(first[2 * c->n + k]) > dal_contact_speed(sim)) {
        return DAL_OK;
    }
    for (double part = 1.0 / 256.0; part <= 1.0; part *= 2.0) {
        DAL_TRY(watch_at(sim, value, part < 1.0 ? t0 + part * (t1 - t0) : t1, 0));
        if (fabs(value[2 * k]) > none) {
            *sunk = value[2 * k] < 0.0;
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

/* Where a contact lifts, those whose forces vanish with its own lift, too: they would exchange for ever. */
static dal_status find_lifts(dal_sim *sim, double t, double force)
{
    const sim_contacts *c = sim->contacts;
    const int closed = c->ended >= 0 && dal_contact_now(sim, c->ended) != DAL_CONTACT_IS_OPEN;
    if (!closed || c->which != 0) {
        return DAL_OK;
    }
    DAL_TRY(watch_at(sim, c->watch[2], t, 1));
    for (int k = 0; k < c->n; ++k) {
        c->lifts[k] = k == c->ended || (c->rows[k].normal >= 0 && dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN &&
                                        c->watch[2][2 * k] <= 1e-6 * force && c->watch[1][2 * k] < 0.0);
    }
    return DAL_OK;
}

/* Is value i the gap of an open contact that still becomes smaller at the end of the step? */
static int approaches_at_end(const dal_sim *sim, int i)
{
    const sim_contacts *c = sim->contacts;
    return i % 2 == 0 && !c->rows[i / 2].velocity && dal_contact_now(sim, i / 2) == DAL_CONTACT_IS_OPEN &&
           c->watch[1][2 * c->n + i / 2] < -dal_contact_speed(sim);
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
    double off = INFINITY;
    for (int it = 0; it < 8 && off > small && *t > lo && *t < hi; ++it) {
        double dt = INFINITY;
        DAL_TRY(dal_sim_contacts_state(sim, *t));
        DAL_TRY(dal_sim_contact_values(sim, *t, sim->q, sim->v, 0));
        off = 0.0;
        for (int k = 0; k < c->n; ++k) {
            const contact_rows *r = &c->rows[k];
            if (r->normal < 0 || r->velocity || dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN ||
                c->vel[r->normal] > -dal_contact_speed(sim)) {
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
    DAL_TRY(watch(sim, c->watch[0], &at));
    DAL_TRY(multipliers(sim, to));
    take_state(sim, to, &at);
    DAL_TRY(watch(sim, c->watch[1], &at));
    *force = 0.0;
    for (int k = 0; k < c->n; ++k) {
        const int closed = dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN && c->rows[k].normal >= 0;
        *force = closed ? fmax(*force, fmax(fabs(c->watch[0][2 * k]), fabs(c->watch[1][2 * k]))) : *force;
    }
    find_stops(sim, to->t - from->t);
    return DAL_OK;
}

/* Where value i, positive at the start of the step but not at its end, changes its sign, if that is before a time. */
static dal_status locate_before(dal_sim *sim, int i, double before, double *t)
{
    const sim_contacts *c = sim->contacts;
    const moment lo = {sim->method->previous->t, c->watch[0][i]};
    moment hi = {sim->method->current->t, c->watch[1][i]};
    if (before <= lo.t) {
        return DAL_OK;
    }
    if (before < hi.t) {
        DAL_TRY(watch_at(sim, c->watch[2], before, is_force(sim, i)));
        hi = (moment){before, c->watch[2][i]};
        if (hi.value > 0.0) {
            return DAL_OK;
        }
    }
    return locate(sim, i, lo, hi, t);
}

/* Where value i (of 2 n) ends its mode, if that is before a time; INFINITY: it does not. */
static dal_status end_of_mode(dal_sim *sim, int i, double force, double before, double *t)
{
    const sim_contacts *c = sim->contacts;
    const double t0 = sim->method->previous->t, t1 = sim->method->current->t, *rate0 = c->watch[0] + 2 * c->n,
                 *rate1 = c->watch[1] + 2 * c->n;
    const double start = c->watch[0][i], end = c->watch[1][i], none = nothing(sim, i, force);
    int sunk = 0, rounding = 0;
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
    if (sunk) {
        *t = take_shorter(sim, i / 2, t0, t1);
    } else if (ends || (i % 2 == 1 && c->stops[i / 2] && !(end < 0.0))) {
        *t = t1;
    } else if (start > none && end < 0.0 && !rounding) {
        return locate_before(sim, i, before, t);
    } else if (end < -none && !rounding) {
        return locate_return(sim, i, t0, t1, t);
    } else if (i % 2 == 0 && rate0[i / 2] < -dal_contact_speed(sim) && rate1[i / 2] > 0.0) {
        return locate_dip(sim, i / 2, t0, t1, t);
    }
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
    memset(c->lifts, 0, (size_t)c->n * sizeof *c->lifts);
    c->ended = -1;
    c->nhalves = 0;
    DAL_TRY(watch_ends(sim, &force));
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
            DAL_TRY(c->watch[0][i] > 0.0 ? locate_before(sim, i, *t_event, &t) : locate_return(sim, i, t0, t1, &t));
        }
        if (t < *t_event) {
            *t_event = t;
            c->ended = k;
            c->which = 2;
        }
    }
    DAL_TRY(*t_event < INFINITY ? sharpen(sim, t_event) : DAL_OK);
    if (*t_event > t0 && *t_event < t1) { // what nearly stops there, not at the end
        DAL_TRY(watch_at(sim, c->watch[2], *t_event, 1));
        find_stops(sim, *t_event - t0);
    }
    return find_lifts(sim, *t_event, force);
}

/* ---- integrated from outside ------------------------------------------------------------------- */

/* The values at the current state, and the largest normal force. */
static dal_status watch_now(dal_sim *sim, double *force)
{
    sim_contacts *c = sim->contacts;
    dal_point at;
    DAL_TRY(multipliers(sim, sim->method->current));
    take_state(sim, sim->method->current, &at);
    DAL_TRY(watch(sim, c->watch[1], &at));
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
