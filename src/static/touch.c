/* Equilibrium with contacts (ST.9): which of them are closed. Closed ones are rows like those of joints, without friction; the set is
 * changed by one contact at a time until no force pulls and nothing overlaps. */
#include <stdio.h>

#include "base/message.h"
#include "base/vector.h"
#include "static/static_impl.h"
#include "system/data.h"

/* Gaps, in units of the size of the system, and forces, in parts of the load, that count as none. */
static const double no_gap = 1e-9, no_force = 1e-9;

static double *memory_of(const statics *s, int contact)
{
    return s->data->memory + s->sys->contacts.memory + (ptrdiff_t)DAL_CONTACT_MEMORY * contact;
}

static int is_closed(const statics *s, int contact)
{
    return memory_of(s, contact)[DAL_CONTACT_MODE] != (double)DAL_CONTACT_IS_OPEN;
}

/* Sliding in no direction: a row without friction. */
static void set_closed(statics *s, int contact, int closed)
{
    double *memory = memory_of(s, contact);
    dal_zero(memory, DAL_CONTACT_VALUE);
    memory[DAL_CONTACT_MODE] = closed ? DAL_CONTACT_SLIDING : DAL_CONTACT_IS_OPEN;
    memory[DAL_CONTACT_FEATURE] = closed ? memory[DAL_CONTACT_FEATURE] : 0.0;
}

/* The row of the gap; -1: friction alone, or a condition on velocities, which means nothing at rest. */
static int row_of(const statics *s, int contact)
{
    const int block = s->sys->contacts.contact[contact].normal;
    int row = 0;
    for (int b = 0; b < block; ++b) {
        row += s->sys->constraint[b].nrows;
    }
    return block >= 0 && s->sys->constraint[block].kind != DAL_ROWS_VELOCITY ? row : -1;
}

/* Gaps of all contacts, and their rates with the velocities v, into s->gap and s->rate. */
static dal_status look(statics *s, const double *q, const double *v)
{
    const dal_residual out = {.Phi = s->gap, .vel = s->rate};
    return s->sys->contacts.residual(&out, &(dal_point){s->t, q, v, s->zero, s->zero}, s->sys->user, s->data->work);
}

dal_status dal_statics_touch(statics *s)
{
    const dal_system *sys = s->sys;
    const double size = sys->equations.units ? sys->equations.units(s->w, sys->user, s->data->work) : 1.0;
    s->length = size > 0.0 && isfinite(size) ? size : 1.0;
    DAL_TRY(look(s, s->q, s->v));
    for (int k = 0; k < s->sys->contacts.n; ++k) {
        const int row = row_of(s, k);
        set_closed(s, k, row >= 0 && s->gap[row] <= no_gap * s->length);
    }
    return DAL_OK;
}

/* There is no equilibrium: the contact that the free motion meets first closes. */
static dal_status close_next(statics *s, int *changed)
{
    double first = INFINITY;
    int next = -1;
    DAL_TRY(dal_statics_begin(s));
    DAL_TRY(look(s, s->q, s->f));
    for (int k = 0; k < s->sys->contacts.n; ++k) {
        const int row = row_of(s, k);
        if (row >= 0 && !is_closed(s, k) && s->rate[row] < -no_force * dal_max_abs(s->f, s->nv)) {
            const double when = s->gap[row] / -s->rate[row];
            next = when < first ? k : next;
            first = fmin(when, first);
        }
    }
    if (next >= 0) {
        set_closed(s, next, 1);
        *changed = 1;
    }
    return DAL_OK;
}

/* The open contact that overlaps most at q; -1: none does. */
static dal_status overlapping(statics *s, const double *q, int *contact)
{
    double deepest = -no_gap * s->length;
    *contact = -1;
    DAL_TRY(look(s, q, s->v));
    for (int k = 0; k < s->sys->contacts.n; ++k) {
        const int row = row_of(s, k);
        if (row >= 0 && !is_closed(s, k) && s->gap[row] < deepest) {
            deepest = s->gap[row];
            *contact = k;
        }
    }
    return DAL_OK;
}

/* The open contact that is met first on the way from where the search began; s->from: there. */
static dal_status first_met(statics *s, int *contact)
{
    enum { PLACES = 64, HALVINGS = 40 };
    double lo = 0.0, hi = 1.0;
    int met = -1;
    dal_difference(s->sys->group, s->w, s->start, s->q);
    for (int i = 1; i <= PLACES && met < 0; ++i) {
        lo = (double)(i - 1) / PLACES;
        hi = (double)i / PLACES;
        dal_copy(s->d, s->w, s->nv);
        dal_scale(s->d, hi, s->nv);
        dal_retract(s->sys->group, s->from, s->start, s->d);
        DAL_TRY(overlapping(s, s->from, &met));
    }
    for (int i = 0; i < HALVINGS && met >= 0; ++i) {
        const double mid = 0.5 * (lo + hi);
        int there;
        dal_copy(s->d, s->w, s->nv);
        dal_scale(s->d, mid, s->nv);
        dal_retract(s->sys->group, s->from, s->start, s->d);
        DAL_TRY(overlapping(s, s->from, &there));
        met = there >= 0 ? there : met;
        *(there >= 0 ? &hi : &lo) = mid;
    }
    *contact = met;
    return DAL_OK;
}

/* Where nothing overlaps and nothing pulls, open contacts that touch close, once: they carry as well, as the other feet of a table. */
static void close_touching(statics *s, int *changed)
{
    for (int k = 0; k < s->sys->contacts.n && !s->touched; ++k) {
        const int row = row_of(s, k);
        if (row >= 0 && !is_closed(s, k) && s->gap[row] <= no_gap * s->length) {
            set_closed(s, k, 1);
            *changed = 1;
        }
    }
    s->touched = 1;
}

/* At an equilibrium of the rows that are closed: if contacts overlap the one that is met first on the way closes, else the one that
 * pulls most opens. */
static dal_status mend(statics *s, int *changed)
{
    const dal_point at = dal_statics_point(s, s->la);
    double worst = no_force * s->F / s->length;
    int closes, opens = -1;
    DAL_TRY(overlapping(s, s->q, &closes));
    if (closes >= 0) {
        DAL_TRY(first_met(s, &closes));
    }
    if (closes >= 0) {
        set_closed(s, closes, 1);
        *changed = 1;
        return DAL_OK;
    }
    DAL_TRY(dal_reduction_multipliers(s->red, s->la1, &at, 1));
    for (int k = 0; k < s->sys->contacts.n; ++k) {
        const int row = row_of(s, k);
        if (row >= 0 && is_closed(s, k) && s->la1[row] > worst) {
            worst = s->la1[row];
            opens = k;
        }
    }
    if (opens >= 0) {
        set_closed(s, opens, 0);
        *changed = 1;
    } else {
        close_touching(s, changed);
    }
    dal_copy(s->from, s->q, s->nq);
    return DAL_OK;
}

dal_status dal_statics_retouch(statics *s, int *changed, int found, int round)
{
    const int n = s->sys->contacts.n;
    *changed = 0;
    if (n == 0) {
        return DAL_OK;
    }
    if (round > 20 + 4 * n) {
        return dal_fail(s->ctx, DAL_NOCONV,
                        "no equilibrium at t = %.9g: which of the %d contacts are closed was not found in %d attempts. "
                        "Begin closer to the equilibrium",
                        s->t, n, round);
    }
    return found ? mend(s, changed) : close_next(s, changed);
}
