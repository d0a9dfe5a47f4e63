/* Evaluation of a compiled model: states of the bodies, then a loop over all elements. */
#include <math.h>

#include "base/vector.h"
#include "mbs/compile_impl.h"

/* ---- states ----------------------------------------------------------------------------------- */

/* Residual, tangent, energy and outputs come at the same point one after the other: are the states those of this point? */
static int have_states(mb_instance *m, const dal_point *at)
{
    const size_t nq = (size_t)m->of->group->nq * sizeof(double), nv = (size_t)m->nv * sizeof(double);
    if (m->seen && memcmp(m->seen_v, at->v, nv) == 0 && memcmp(m->seen_q, at->q, nq) == 0 &&
        memcmp(m->seen_vd, at->vd, nv) == 0) {
        return 1;
    }
    memcpy(m->seen_q, at->q, nq);
    memcpy(m->seen_v, at->v, nv);
    memcpy(m->seen_vd, at->vd, nv);
    m->seen = 1;
    return 0;
}

void mb_states(mb_instance *m, const dal_point *at)
{
    if (have_states(m, at)) {
        return;
    }
    m->summed = 0;
    for (int i = 1; i < m->nbodies; ++i) {
        mb_body *b = &m->body[i];
        b->type->state(&m->state[i], b, at->q + b->q, at->v + b->v, at->vd + b->v);
        if (b->type->update) {
            b->type->update(b, at->q + b->q, at->v + b->v);
        }
    }
    for (int k = 0; k < m->nlifted; ++k) {
        const mb_body *b = &m->body[m->lifted[k]];
        b->lift->has = b->type->constant ? b->lift->has : MB_LIFT_NONE;
    }
}

/* S of the bodies in other coordinates, and its derivatives if they are needed, at the states that are there. */
static void lift_all(mb_instance *m, const dal_point *at, mb_lift_part part)
{
    for (int k = 0; k < m->nlifted; ++k) {
        mb_body *b = &m->body[m->lifted[k]];
        if (b->lift->has < part) {
            b->type->lift(b->lift, b, at->q + b->q, at->v + b->v, at->vd + b->v, part == MB_LIFT_ALL);
            b->lift->has = b->type->constant ? MB_LIFT_ALL : part;
        }
    }
}

void mb_lift_all(mb_instance *m, const dal_point *at)
{
    lift_all(m, at, MB_LIFT_ALL);
}

/* ---- residual --------------------------------------------------------------------------------- */

static void collect(double *r, const mb_instance *m)
{
    for (int k = 0; k < m->nlifted; ++k) {
        mb_collect_body(r, &m->body[m->lifted[k]]);
    }
}

/* Rows of a joint that has been released are zero. */
static void no_rows(const mb_constraint *c, const dal_residual *out)
{
    double *const level[] = {out->Phi, out->vel, out->acc};
    for (int k = 0; k < 3; ++k) {
        if (level[k]) {
            dal_zero(level[k] + c->row0, c->nrows);
        }
    }
}

/* The state of a force that is switched off stays as it is. */
static int holds_a_state(const mb_element *e)
{
    return e->switched->own > 0 && e->switched->pair_own >= 0;
}

dal_status mb_residual(const dal_residual *out, const dal_point *given, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    m->st = DAL_OK;
    DAL_TRY(mb_settled(m));
    const dal_point inside = {mb_smooth_time(m, given->t), given->q, given->v, given->vd, given->la}, *at = &inside;
    mb_states(m, at);
    if (out->r) {
        memset(out->r, 0, (size_t)m->nv * sizeof(double));
        if (m->nlifted > 0) {
            lift_all(m, at, MB_LIFT_MAP);
        }
    }
    // without r there is nothing to do but the rows
    const mb_element *e = m->element + (out->r ? 0 : m->first_rows), *forces = m->element + m->first_force,
                     *rows = m->element + m->first_rows, *end = m->element + m->nelements;
    for (; e < forces; ++e) {
        e->type->residual(e->self, m, out, at);
    }
    for (; e < rows; ++e) {
        if (mb_element_acts(e, m, at->t)) {
            e->type->residual(e->self, m, out, at);
        } else if (holds_a_state(e)) {
            out->r[e->switched->v] += at->vd[e->switched->v];
        }
    }
    // what rows exert does not depend on velocities: they may have others than inertia and forces
    const dal_point apart = {at->t, at->q, out->w, at->vd, at->la};
    if (out->w) {
        mb_states(m, &apart);
        at = &apart;
    }
    for (; e < end; ++e) {
        if (mb_open(e, m, at->t)) {
            no_rows(e->self, out);
        } else {
            e->type->residual(e->self, m, out, at);
        }
    }
    if (out->r) {
        collect(out->r, m);
    }
    if (out->r && !out->w && m->ncurved > 0 && m->st == DAL_OK) {
        m->summed = 1;
        m->summed_t = at->t;
        for (int i = 0; i < m->nc; ++i) {
            m->summed_la[i] = at->la[i];
        }
    }
    return m->st;
}

/* ---- tangent ---------------------------------------------------------------------------------- */

/* Are r6 and the lifts of all bodies those of this point, from a residual just before? */
static int summed_at(const mb_instance *m, const dal_point *at)
{
    int same = m->summed && m->summed_t == at->t;
    for (int i = 0; i < m->nc && same; ++i) {
        same = m->summed_la[i] == at->la[i];
    }
    return same;
}

static dal_status tangent(dal_sink *sink, const dal_point *given, const void *user, mb_instance *m)
{
    m->st = DAL_OK;
    DAL_TRY(mb_settled(m));
    const dal_point inside = {mb_smooth_time(m, given->t), given->q, given->v, given->vd, given->la}, *at = &inside;
    mb_states(m, at);
    if (m->nlifted > 0) {
        lift_all(m, at, sink->wants & ~(unsigned)(DAL_WANT_M | DAL_WANT_B | DAL_WANT_G) ? MB_LIFT_ALL : MB_LIFT_MAP);
    }
    if (m->ncurved > 0 && (sink->wants & DAL_WANT_K)) {
        // r6 of the bodies for d(S^T r6)/dq
        const dal_residual out = {.r = m->r};
        if (!summed_at(m, at)) {
            DAL_TRY(mb_residual(&out, at, user, m));
        }
    }
    if (sink->wants & (DAL_WANT_C | DAL_WANT_K)) {
        dal_zero(m->body[1].K, (m->nbodies - 1) * 72);
    }
    if (m->body[1].M) {
        dal_zero(m->body[1].M, (m->nbodies - 1) * 36);
    }
    const mb_element *bodies = m->element, *forces = bodies + m->first_force, *rows = bodies + m->first_rows,
                     *end = bodies + m->nelements;
    for (const mb_element *e = rows; e < end; ++e) {
        if (!mb_open(e, m, at->t)) {
            e->type->tangent(e->self, m, sink, at);
        }
    }
    for (const mb_element *e = rows; e < end && (sink->wants & DAL_WANT_A); ++e) {
        if (!mb_open(e, m, at->t)) {
            e->type->acceleration(e->self, m, sink, at);
        }
    }
    for (const mb_element *e = forces; e < rows; ++e) {
        if (!(sink->wants & e->type->wants)) {
            continue;
        }
        if (mb_element_acts(e, m, at->t)) {
            e->type->tangent(e->self, m, sink, at);
        } else if (holds_a_state(e)) {
            static const double one = 1.0;
            sink->pair(sink, e->switched->pair_own, &one, NULL, NULL);
        }
    }
    // the bodies push what the others have added to their frames
    for (const mb_element *e = bodies; e < forces && (sink->wants & MB_WANTS_BODY); ++e) {
        e->type->tangent(e->self, m, sink, at);
    }
    return m->st;
}

dal_status mb_tangent(dal_sink *sink, const dal_point *given, const void *user, void *work)
{
    mb_instance *m = work;
    if (!(sink->wants & DAL_WANT_BARE)) {
        return tangent(sink, given, user, m);
    }
    m->bare = 1;
    m->summed = 0;
    const dal_status st = tangent(sink, given, user, m);
    m->bare = m->summed = 0;
    return st;
}

void mb_forget(const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    m->summed = 0;
    m->unsettled |= m->of->events != NULL; // frames of joints that an event closed
}

/* ---- energy ----------------------------------------------------------------------------------- */

double mb_kinetic_energy(const mb_instance *m, double t)
{
    double T = 0.0;
    for (int k = 0; k < m->nelements; ++k) {
        const mb_element *e = &m->element[k];
        if (e->type->kinetic && mb_element_acts(e, m, t)) {
            e->type->kinetic(&T, e->self, m);
        }
    }
    return T;
}

double mb_potential_energy(mb_instance *m, double t)
{
    double V = 0.0;
    for (int k = 0; k < m->nelements; ++k) {
        const mb_element *e = &m->element[k];
        if (e->type->potential && mb_element_acts(e, m, t)) {
            e->type->potential(&V, e->self, m, t);
        }
    }
    return V;
}

dal_status mb_energies(double E[2], const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    E[0] = E[1] = 0.0;
    for (int k = 0; k < m->nelements; ++k) {
        const mb_element *e = &m->element[k];
        if (e->type->kinetic && mb_element_acts(e, m, at->t)) {
            e->type->kinetic(&E[0], e->self, m);
        }
        if (e->type->potential && mb_element_acts(e, m, at->t)) {
            e->type->potential(&E[1], e->self, m, at->t);
        }
    }
    return DAL_OK;
}

double mb_energy(const dal_point *at, const void *user, void *work)
{
    double E[2];
    return mb_energies(E, at, user, work) == DAL_OK ? E[0] + E[1] : (double)NAN;
}
