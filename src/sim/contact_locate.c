/* Contacts within a step: the values that are watched, and the moments at which they end. */
#include <float.h>
#include <math.h>

#include "base/vector.h"
#include "sim/contact_impl.h"

/* ---- what is watched -------------------------------------------------------------------------- */

dal_status dal_contact_watch(dal_sim *sim, double *value, const dal_point *at)
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

int dal_contact_is_force(const dal_sim *sim, int i)
{
    const int k = i / 2;
    if (k >= sim->contacts->n) {
        return 0;
    }
    const int mode = dal_contact_now(sim, k);
    return i % 2 == 0 ? mode != DAL_CONTACT_IS_OPEN
                      : mode == DAL_CONTACT_STICKING || dal_contact_law_of(sim, k).follows;
}

dal_status dal_contact_watch_at(dal_sim *sim, double *value, double t, int forces)
{
    dal_point at;
    if (!forces && sim->output && t < sim->method->current->t) {
        sim->method->type->interpolate(sim->method, sim->sample_q, sim->sample_v, NULL, NULL, t);
        return dal_contact_watch(sim, value, &(dal_point){t, sim->sample_q, sim->sample_v, NULL, sim->contacts->la});
    }
    DAL_TRY(dal_sim_state_at(sim, &at, t));
    return dal_contact_watch(sim, value, &at);
}

/* ---- where a mode ends ------------------------------------------------------------------------ */

/* By secants, with half the value of an end that stays, and the middle where three of them have not halved the interval. */
dal_status dal_contact_locate(dal_sim *sim, double *t, int i, contact_moment lo, contact_moment hi)
{
    double *value = sim->contacts->watch[2], wide = hi.t - lo.t;
    const int forces = dal_contact_is_force(sim, i);
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
        DAL_TRY(dal_contact_watch_at(sim, value, mid, forces));
        const int above = value[i] > 0.0;
        if (above) {
            hi.value *= side > 0 ? 0.5 : 1.0;
            lo = (contact_moment){mid, value[i]};
        } else {
            lo.value *= side < 0 ? 0.5 : 1.0;
            hi = (contact_moment){mid, value[i]};
        }
        side = above ? 1 : -1;
    }
    *t = hi.t;
    return DAL_OK;
}

/* The contact is held from the start of the step on; if it was already, the step begins again with half its size: the way the
 * forces move it is of second order in the size, the error of third. */
double dal_contact_shorter(dal_sim *sim, int k, double t0, double t1)
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
    if (i >= 2 * c->n || slides || !dal_contact_is_force(sim, i) || !(t0 - c->relieved_at <= t1 - t0)) {
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
    if (!dal_contact_is_force(sim, i)) {
        DAL_TRY(dal_contact_watch_at(sim, c->watch[2], t, 0));
        *value = c->watch[2][i];
        return DAL_OK;
    }
    double *kept = c->halves + (size_t)(2 * c->n) * (size_t)halved;
    if (halved == c->nhalves) {
        DAL_TRY(dal_contact_watch_at(sim, c->watch[2], t, 1));
        dal_copy(kept, c->watch[2], 2 * c->n);
        c->nhalves++;
    }
    *value = kept[i];
    return DAL_OK;
}

dal_status dal_contact_locate_return(dal_sim *sim, double *t, int i, double t0, contact_moment hi)
{
    const sim_contacts *c = sim->contacts;
    const double t1 = hi.t;
    for (int it = 0; it < DAL_CONTACT_HALVES; ++it) {
        contact_moment at = {t0 + 0.5 * (hi.t - t0), 0.0};
        if (at.t <= t0) {
            break;
        }
        DAL_TRY(watch_half(sim, &at.value, i, at.t, it));
        if (at.value > 0.0) {
            return dal_contact_locate(sim, t, i, at, hi);
        }
        hi = at;
    }
    if (i < 2 * c->n && i % 2 == 0 && !c->rows[i / 2].velocity && dal_contact_now(sim, i / 2) == DAL_CONTACT_IS_OPEN &&
        c->watch[0][i] > -1e2 * dal_contact_gap(sim)) { // where features exchange it may begin a little below
        *t = dal_contact_shorter(sim, i / 2, t0, t1);
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

/* ---- gaps that close and open again ----------------------------------------------------------------- */

/* The gap of an open contact and its rate. */
typedef struct sample {
    double t, gap, rate;
} sample;

static dal_status sample_at(dal_sim *sim, int k, double t, sample *s)
{
    double *value = sim->contacts->watch[2];
    DAL_TRY(dal_contact_watch_at(sim, value, t, 0));
    *s = (sample){t, value[2 * k], value[2 * sim->contacts->n + k]};
    return DAL_OK;
}

/* The contacts of two solids are sorted by their gaps: one that begins at zero and opens may be passed by the next, and then it is that one which goes
 * below zero. There the rate jumps; where it does not, the contact itself sinks. */
dal_status dal_contact_locate_sinking(dal_sim *sim, double *t, int k, double t0, double sunk)
{
    const double *first = sim->contacts->watch[0], none = dal_contact_gap(sim), t1 = sim->method->current->t;
    sample lo = {t0, first[2 * k], first[2 * sim->contacts->n + k]}, hi;
    DAL_TRY(sample_at(sim, k, sunk, &hi));
    const double rate = hi.rate;
    while (rate < 0.0 && lo.rate - hi.rate > -0.25 * rate && hi.t - lo.t > 2.0 * DBL_EPSILON * fabs(hi.t)) {
        sample mid;
        DAL_TRY(sample_at(sim, k, lo.t + 0.5 * (hi.t - lo.t), &mid));
        *(mid.rate > 0.5 * rate ? &lo : &hi) = mid;
    }
    const int passed = rate < 0.0 && lo.rate - hi.rate > -0.25 * rate;
    // of those that are as low the first one stays, so the next may be below zero by then: before, it has a place of its own
    *t = passed && hi.gap > -none && hi.t < t1 ? hi.t
         : passed && lo.t > t0                 ? lo.t
                                               : dal_contact_shorter(sim, k, t0, t1);
    return DAL_OK;
}

/* A gap that shrinks first and then grows: by halves, where its rate changes its sign. */
static dal_status locate_dip(dal_sim *sim, int k, sample lo, sample hi, double deep, double *t)
{
    const double fastest = fmax(-lo.rate, hi.rate);
    for (int it = 0; it < 40; ++it) {
        sample mid;
        DAL_TRY(sample_at(sim, k, lo.t + 0.5 * (hi.t - lo.t), &mid));
        if (mid.gap < deep) {
            return dal_contact_locate(sim, t, 2 * k, (contact_moment){lo.t, lo.gap}, (contact_moment){mid.t, mid.gap});
        }
        if (mid.gap > fastest * (hi.t - lo.t)) {
            return DAL_OK; // too far away
        }
        *(mid.rate < 0.0 ? &lo : &hi) = mid;
    }
    return DAL_OK;
}

/* Between two samples without overlap. Where values and rates at both ends are not those of one cubic, within a tenth of the gap or of the
 * way that the rates make, more happens than they tell, and both halves are looked at. */
static dal_status locate_between(dal_sim *sim, int k, sample lo, sample hi, double deep, int depth, double *t)
{
    const double h = hi.t - lo.t, bend = hi.gap - lo.gap - 0.5 * h * (lo.rate + hi.rate);
    const double size = fmax(fmin(lo.gap, hi.gap), h * fmin(fabs(lo.rate), fabs(hi.rate)));
    sample mid;
    if (fmin(lo.gap, hi.gap) > h * sim->contacts->fastest) {
        return DAL_OK; // too far away
    }
    if (depth == 0 || fabs(bend) <= 0.1 * size + dal_contact_gap(sim)) {
        const int dips = lo.rate < -dal_contact_speed(sim) && hi.rate > 0.0;
        return dips ? locate_dip(sim, k, lo, hi, deep, t) : DAL_OK;
    }
    DAL_TRY(sample_at(sim, k, lo.t + 0.5 * h, &mid));
    if (mid.gap < deep) {
        return dal_contact_locate(sim, t, 2 * k, (contact_moment){lo.t, lo.gap}, (contact_moment){mid.t, mid.gap});
    }
    DAL_TRY(locate_between(sim, k, lo, mid, deep, depth - 1, t));
    return *t < INFINITY ? DAL_OK : locate_between(sim, k, mid, hi, deep, depth - 1, t);
}

dal_status dal_contact_locate_dip(dal_sim *sim, double *t, int k, double t0, double t1)
{
    const sim_contacts *c = sim->contacts;
    const double *first = c->watch[0], *last = c->watch[1];
    const sample lo = {t0, first[2 * k], first[2 * c->n + k]}, hi = {t1, last[2 * k], last[2 * c->n + k]};
    // one that was just left may begin a little below zero
    const double deep = lo.gap > 0.0 ? 0.0 : 2.0 * lo.gap - dal_contact_gap(sim);
    return locate_between(sim, k, lo, hi, deep, 6, t);
}
