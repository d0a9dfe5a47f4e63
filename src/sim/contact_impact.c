/* Impacts of everything that touches (CT.4)-(CT.6). */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "sim/contact_impl.h"

/* Restitution is dropped where the flight would be shorter than a step (CT.15), or the approach is too slow to matter. */
static double restitution(const dal_sim *sim, int contact, double h)
{
    const sim_contacts *c = sim->contacts;
    const double e = dal_contact_law_of(sim, contact).e, v = c->vel[c->rows[contact].normal], a = c->approach[contact];
    const int short_flight =
        dal_contact_coarse(sim) ? a < 0.0 && -2.0 * e * v < -h * a : -v < 100.0 * dal_contact_speed(sim);
    return dal_contact_now(sim, contact) != DAL_CONTACT_IS_OPEN || short_flight ? 0.0 : e;
}

/* The share of restitution in the rates that follow goes up by so much. */
static void rebound(const dal_sim *sim, double h, double share)
{
    const sim_contacts *c = sim->contacts;
    for (int k = 0; k < c->m; ++k) {
        const double v = c->vel[c->rows[c->part[k]].normal];
        c->d[c->first[k]] += share * restitution(sim, c->part[k], h) * fmin(v, 0.0);
    }
}

/* The kinetic energy that the impulses of the last problem take, with such a share of restitution. most: what they exchange. */
static double loss(const dal_sim *sim, double h, double share, double *most)
{
    const sim_contacts *c = sim->contacts;
    double sum = 0.0;
    *most = 0.0;
    for (int k = 0; k < c->m; ++k) {
        const contact_rows *r = &c->rows[c->part[k]];
        const int a = c->first[k];
        sum -= 0.5 * c->p[a] *
               (c->vel[r->normal] + c->w[a] - share * restitution(sim, c->part[k], h) * fmin(c->vel[r->normal], 0.0));
        *most += fabs(c->p[a] * c->vel[r->normal]);
        for (int i = a + 1; i < c->first[k + 1]; ++i) {
            const double u = c->vel[r->tangent + i - a - 1];
            sum -= 0.5 * c->p[i] * (u + c->w[i]);
            *most += fabs(c->p[i] * u);
        }
    }
    return sum;
}

static void warn_of_gain(dal_sim *sim, double t)
{
    sim_contacts *c = sim->contacts;
    int hardest = 0;
    for (int k = 1; k < c->m; ++k) {
        hardest = c->p[c->first[k]] > c->p[c->first[hardest]] ? k : hardest;
    }
    if (!c->tamed) {
        char name[96];
        sim->sys->contacts.name(name, sizeof name, c->part[hardest], sim->sys->user);
        dal_log(sim->ctx, DAL_LOG_WARNING,
                "t = %.6g: with friction and this restitution an impact of %s would give energy by Newton's law. "
                "Restitution is taken as large as it may be without, here and wherever it happens again",
                t, name);
    }
    c->tamed = 1;
}

/* With friction Newton's law gives energy where the sliding turns round in the impact. Then all restitution is multiplied by the
 * largest factor with which it does not (CT.33); without any there is always a loss. */
static dal_status give_no_energy(dal_sim *sim, double t, double h, int *solved)
{
    double most, lo = 0.0, hi = 1.0, now = 1.0;
    int some = 0;
    for (int k = 0; k < sim->contacts->m; ++k) {
        some |= restitution(sim, sim->contacts->part[k], h) > 0.0;
    }
    if (!some || loss(sim, h, 1.0, &most) >= -1e-7 * most) { // rounding of what is nearly at rest
        return DAL_OK;
    }
    warn_of_gain(sim, t);
    for (int it = 0; it < 50; ++it) {
        const double share = it < 49 ? 0.5 * (lo + hi) : lo;
        rebound(sim, h, share - now);
        now = share;
        DAL_TRY(dal_contact_find(sim, solved));
        *(*solved && loss(sim, h, share, &most) >= 0.0 ? &lo : &hi) = share;
    }
    return DAL_OK;
}

/* Impulses of the last problem into the table; before: the rows before it (all). */
static dal_status note_impulses(dal_sim *sim, double t, double h, const double *before)
{
    sim_contacts *c = sim->contacts;
    c->totals.impacts++;
    for (int k = 0; k < c->m; ++k) {
        const contact_rows *r = &c->rows[c->part[k]];
        const double *p = c->p + c->first[k];
        const int nt = c->first[k + 1] - c->first[k] - 1;
        double lost = -0.5 * p[0] * (before[r->normal] + c->vel[r->normal]), pt = 0.0;
        for (int i = 0; i < nt; ++i) {
            lost -= 0.5 * p[1 + i] * (before[r->tangent + i] + c->vel[r->tangent + i]);
            pt = hypot(pt, p[1 + i]);
        }
        c->totals.lost += lost;
        c->totals.complementarity = fmax(c->totals.complementarity, fabs(p[0] * c->w[c->first[k]]));
        if (p[0] > 0.0) {
            dal_contact_memory(sim, c->part[k])[DAL_CONTACT_IMPULSE] += p[0];
            dal_contact_count(sim, c->part[k], t, h);
            DAL_TRY(dal_sim_note(sim, (dal_contact_event){t, c->part[k], DAL_CONTACT_IMPACT, p[0], pt, lost}));
        }
    }
    return DAL_OK;
}

dal_status dal_contact_impact(dal_sim *sim, double t, double h, int jams)
{
    sim_contacts *c = sim->contacts;
    const int nv = sim->sys->group->nv, n = c->saddle->nv + c->saddle->nc;
    const dal_point at = {t, sim->q, sim->v, sim->zero_v, c->saddle->zero};
    int solved;
    c->m = 0;
    for (int k = 0; k < c->n; ++k) {
        const contact_rows *r = &c->rows[k];
        c->mode[k] = DAL_CONTACT_IS_OPEN; // no known direction
        if (r->normal >= 0 && (dal_contact_now(sim, k) != DAL_CONTACT_IS_OPEN || r->velocity ||
                               c->Phi[r->normal] <= dal_contact_gap(sim))) {
            const double mu = dal_contact_law_of(sim, k).mu;
            dal_contact_join(c, k, mu > 0.0 ? r->n : 0, mu);
        }
    }
    double *x0 = c->X + (ptrdiff_t)n * c->first[c->m];
    dal_zero(x0, nv);
    if (c->saddle->nc > 0) {
        DAL_TRY(dal_eval_residual(c->ev, &(dal_residual){.vel = x0 + nv}, &at));
        for (int i = nv; i < n; ++i) {
            x0[i] = -x0[i];
        }
    }
    dal_contact_matrix(sim, c->vel);
    rebound(sim, h, jams ? 0.0 : 1.0);
    for (int k = 0; k < c->m && jams; ++k) {
        c->d[c->first[k]] -= 0.5 * dal_contact_speed(sim);
    }
    DAL_TRY(dal_contact_find(sim, &solved));
    DAL_TRY(solved && !jams ? give_no_energy(sim, t, h, &solved) : DAL_OK);
    if (!solved) {
        return dal_contact_no_solution(sim, "the impact", t);
    }
    double *before = c->acc; // of no use any more
    dal_copy(before, c->vel, c->nrows);
    dal_contact_motion(c, sim->w);
    for (int i = 0; i < nv; ++i) {
        sim->v[i] += sim->w[i];
    }
    DAL_TRY(dal_sim_contact_values(sim, t, sim->q, sim->v, 0));
    DAL_TRY(note_impulses(sim, t, h, before));
    dal_contact_hold(sim, t, h);
    return DAL_OK;
}
