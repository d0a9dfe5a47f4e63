/* Contacts: unilateral rows, and friction while they slide (docs/theory/contact.md). The gap is a block of one row, the sliding
 * velocity another; both are rows between two frames like those of joints, and hold as the mode in the memory says. */
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/contact_kernel.h"
#include "mbs/crowd_impl.h"
#include "mbs/meeting_impl.h"

/* ---- rows ------------------------------------------------------------------------------------- */

/* c is the limit, j = 1: from below */
MB_ROW(limit_axis, gap_to(j, dot3(A, P->d), c), gap_axis_gradient(g, j, A, P->d),
       row_axis_hessian(H, gap_sign(j) * la, 0, A, P->d), .name = "limit along", .letters = MB_LETTERS_A,
       .axes = MB_AXES_A);
MB_ROW(limit_length, gap_to(j, row_length_phi(P->d), c), gap_length_gradient(g, j, P->d),
       row_length_hessian(H, gap_sign(j) * la, P->d), .name = "limit of length");
MB_ROW(limit_angle, gap_to(j, row_angle_phi(i, P), c), gap_angle_gradient(g, j, i, P),
       row_angle_hessian(H, gap_sign(j) * la, i, P), .name = "limit of angle", .letters = MB_LETTERS_A, .angle = 1,
       .rotational = 1, .axes = MB_AXES_A | MB_AXES_B);

/* rates of coordinates */
MB_ROW_RATE(rate_axis, row_axis_gradient(g, A, P->d), row_axis_hessian(H, la, 0, A, P->d), .name = "rate along",
            .letters = MB_LETTERS_A, .nonholonomic = 1, .axes = MB_AXES_A);
MB_ROW_RATE(rate_length, row_length_gradient(g, P->d), row_length_hessian(H, la, P->d), .name = "rate of length",
            .nonholonomic = 1);

/* two features that meet: i = 2 the gap, 0, 1 sliding along the tangents */
MB_ROW(touch, touch_row_phi(r, P), touch_row_gradient(g, r, P), touch_row_hessian(H, la, r, P), .name = "gap",
       .axes = MB_AXES_A | MB_AXES_B);
MB_ROW_RATE(slide, touch_row_gradient(g, r, P), touch_row_hessian(H, la, r, P), .name = "sliding", .nonholonomic = 1,
            .axes = MB_AXES_A | MB_AXES_B);

/* ---- modes ------------------------------------------------------------------------------------ */

double *mb_contact_memory(const mb_constraint *c, const mb_instance *m)
{
    return m->memory ? m->memory + m->of->system.contacts.memory + (ptrdiff_t)DAL_CONTACT_MEMORY * (c->contact - 1)
                     : NULL;
}

dal_contact_mode mb_contact_mode(const mb_constraint *c, const mb_instance *m)
{
    const double *memory = mb_contact_memory(c, m);
    return memory ? (dal_contact_mode)(int)memory[DAL_CONTACT_MODE] : DAL_CONTACT_IS_OPEN;
}

int mb_contact_holds(const mb_constraint *c, const mb_instance *m)
{
    const dal_contact_mode mode = mb_contact_mode(c, m);
    return c->gap >= 0 ? mode == DAL_CONTACT_STICKING : mode != DAL_CONTACT_IS_OPEN;
}

/* ---- features --------------------------------------------------------------------------------- */

/* The features of all contacts of two solids into their blocks. Those of open contacts are chosen here, at the state of the bodies;
 * closed ones keep theirs until the simulation finds that they have ended (DAL_CONTACT_REACH). */
static void load_features(mb_instance *m, int joint, int choose, int final)
{
    const mb_joint *j = &m->joint[joint];
    mb_marker frame[2];
    mb_meeting X;
    mb_pairing P;
    int feature[MB_MEETINGS] = {0}, closed[MB_MEETINGS] = {0}, n = 0;
    if (!mb_joint_meeting(&X, m->of, j)) {
        return;
    }
    X.rigid = 1;
    mb_meeting_frames(frame, &X, j->marker);
    for (int b = j->first; b < j->first + j->count; ++b) {
        const mb_constraint *c = &m->constraint[b];
        const double *memory = mb_contact_memory(c, m);
        if (c->gap < 0 && n < MB_MEETINGS) {
            closed[n] = memory && memory[DAL_CONTACT_MODE] != DAL_CONTACT_IS_OPEN;
            feature[n] = memory && (closed[n] || !choose) ? (int)memory[DAL_CONTACT_FEATURE] : 0;
            n++;
        }
    }
    mb_pairing_at(&P, m->state, frame, 0, MB_AXES_A | MB_AXES_B);
    mb_meeting_choose(feature, &X, &P);
    for (int k = 0; k < n && final; ++k) {
        feature[k] = mb_meeting_follow(&X, &P, feature[k]);
    }
    n = -1;
    for (int b = j->first; b < j->first + j->count; ++b) {
        mb_constraint *c = &m->constraint[b];
        double *memory = mb_contact_memory(c, m);
        n += c->gap < 0;
        for (int i = 0; i < c->nscalar; ++i) {
            if (c->row[i].memory != feature[n]) {
                mb_meeting_load(c->marker, &c->row[i], &X, frame, feature[n]);
            }
        }
        if (memory && c->gap < 0) {
            memory[DAL_CONTACT_FEATURE] = feature[n];
            memory[DAL_CONTACT_REACH] = closed[n] ? mb_meeting_reach(&X, &P, feature[n]) : 1.0;
        }
    }
}

void mb_contact_features(mb_instance *m, int joint)
{
    load_features(m, joint, 1, 0);
}

/* Before all contacts are evaluated, open or not. */
static void choose_features(mb_instance *m, int final)
{
    for (int k = 0; k < m->njoints; ++k) {
        if (m->joint[k].count > 0 && m->constraint[m->joint[k].first].row[0].type == &mb_row_touch) {
            load_features(m, k, 1, final);
        }
    }
}

/* Before a closed contact is evaluated: snapshots may have brought other features. */
void mb_contact_recall(const mb_constraint *c, mb_instance *m)
{
    if (c->row[0].type == &mb_row_touch || c->row[0].type == &mb_row_slide) {
        const double *memory = mb_contact_memory(c, m);
        if (memory && (memory[DAL_CONTACT_FEATURE] == 0.0 || c->row[0].memory != (int)memory[DAL_CONTACT_FEATURE])) {
            load_features(m, c->joint, 0, 0);
        }
    }
}

void mb_contact_no_rows(const mb_constraint *c, const dal_residual *out)
{
    double *const level[] = {out->Phi, out->vel, out->acc};
    for (int k = 0; k < 3; ++k) {
        if (level[k]) {
            dal_zero(level[k] + c->row0, c->nrows);
        }
    }
}

/* Turns of an angle are counted: the gap is continued from the last final state. That of a ratchet is to the last tooth passed. */
static void count_turns(const mb_constraint *c, const mb_instance *m, const dal_residual *out, double t)
{
    const double *memory = mb_contact_memory(c, m);
    const int started = memory && m->memory[MB_MEMORY_STARTED] != 0.0;
    const double pitch = m->joint[c->joint].type->build == mb_ratchet_build ? m->joint[c->joint].d.pitch : 0.0;
    if (!out->Phi) {
        return;
    }
    if (c->row[0].type->angle && started) {
        const double dt = t - m->memory[MB_MEMORY_TIME];
        const double near =
            memory[DAL_CONTACT_VALUE] + memory[DAL_CONTACT_RATE] * dt + pitch * memory[DAL_CONTACT_TOOTH];
        out->Phi[c->row0] = mb_nearest_turn(out->Phi[c->row0], near);
    }
    if (pitch > 0.0) {
        out->Phi[c->row0] -= pitch * (started ? memory[DAL_CONTACT_TOOTH] : floor(out->Phi[c->row0] / pitch));
    }
}

/* A contact that is switched off is far away. */
int mb_contact_off(const mb_constraint *c, const mb_instance *m, double t)
{
    return mb_released(&m->joint[c->joint], m, t);
}

static void rows_anyway(const mb_constraint *c, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    static const double far = 1e30;
    if (mb_contact_off(c, m, at->t)) {
        mb_contact_no_rows(c, out);
        for (int i = 0; out->Phi && i < c->nrows; ++i) {
            out->Phi[c->row0 + i] = far;
        }
        return;
    }
    mb_constraint_joint.residual(c, m, out, at);
    count_turns(c, m, out, at->t);
}

/* ---- gap -------------------------------------------------------------------------------------- */

static void gap_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    if (mb_contact_holds(self, m)) {
        mb_contact_recall(self, m);
        rows_anyway(self, m, out, at);
    } else {
        mb_contact_no_rows(self, out);
    }
}

static void gap_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    if (mb_contact_holds(self, m)) {
        mb_contact_recall(self, m);
        mb_constraint_joint.tangent(self, m, sink, at);
    }
}

void mb_contact_acceleration(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    if (mb_contact_holds(self, m)) {
        mb_contact_recall(self, m);
        mb_row_accelerations(self, m, sink, at);
    }
}

const mb_element_type mb_constraint_gap = {.form = MB_FORM_MARKERS,
                                           .connect = mb_connect_rows,
                                           .residual = gap_residual,
                                           .tangent = gap_tangent,
                                           .acceleration = mb_contact_acceleration,
                                           .row_name = mb_joint_row_name};

/* ---- for outputs ------------------------------------------------------------------------------ */

static double size_of(const double *x, int n)
{
    return n == 0 ? 0.0 : n == 1 ? fabs(x[0]) : n == 2 ? hypot(x[0], x[1]) : hypot(hypot(x[0], x[1]), x[2]);
}

/* Rows and their rates are written to the room of the instance. */
void mb_contact_look(mb_contact_view *view, mb_instance *m, int joint, int k, const dal_point *at)
{
    const mb_joint *j = &m->joint[joint];
    const dal_residual out = {.Phi = m->rows, .vel = m->rows + m->nc};
    int contact = 0;
    *view = (mb_contact_view){.mode = DAL_CONTACT_IS_OPEN};
    if (k == 0 && m->constraint[j->first].row[0].type == &mb_row_touch) {
        load_features(m, joint, 1, 0);
    }
    for (int b = j->first; b < j->first + j->count; ++b) {
        const mb_constraint *c = &m->constraint[b];
        contact = contact == 0 ? c->contact : contact;
        if (c->contact != contact + k) {
            continue;
        }
        const double *memory = mb_contact_memory(c, m);
        double room[MB_ROWS] = {0.0};
        const double *la = mb_contact_forces(room, c, m, at);
        rows_anyway(c, m, &out, at);
        view->mode = mb_contact_mode(c, m);
        view->impulse = memory ? memory[DAL_CONTACT_IMPULSE] : 0.0;
        if (c->gap < 0) {
            view->gap = m->rows[c->row0];
            view->p_n = -la[0];
        } else {
            view->p_t = size_of(la, c->nscalar);
            view->slip = mb_contact_off(c, m, at->t) ? 0.0 : size_of(m->rows + m->nc + c->row0, c->nscalar);
        }
    }
    // captured impulses leave no mode behind
    const double mu = j->d.mu, most = mu * view->p_n * (1.0 - 1e-9);
    if (view->mode == DAL_CONTACT_IS_OPEN && view->p_n > 0.0) {
        view->mode = mu > 0.0 && view->p_t < most ? DAL_CONTACT_STICKING : DAL_CONTACT_SLIDING;
    }
}

/* ---- for simulations -------------------------------------------------------------------------- */

static dal_status contacts_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    m->st = DAL_OK;
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    choose_features(m, 0);
    for (int k = 0; k < m->nconstraints; ++k) {
        if (m->constraint[k].contact > 0) {
            rows_anyway(&m->constraint[k], m, out, at);
        }
        if (m->constraint[k].contact > 0 && m->constraint[k].gap >= m->nconstraints && m->memory) {
            mb_contact_memory(&m->constraint[k], m)[DAL_CONTACT_LOAD] =
                mb_contact_reaction(&m->constraint[k], m, at->la);
        }
    }
    return m->st;
}

static dal_status contacts_tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    m->st = DAL_OK;
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    mb_lift_all(m, at);
    choose_features(m, 0);
    for (int k = 0; k < m->nconstraints; ++k) {
        if (m->constraint[k].contact > 0) {
            mb_constraint_joint.tangent(&m->constraint[k], m, sink, at);
        }
    }
    return m->st;
}

static void contacts_law(dal_contact_law *law, int contact, const void *user, void *work)
{
    (void)user;
    const mb_instance *m = work;
    const dal_contact *blocks = &m->of->contact[contact];
    const mb_constraint *c = &m->constraint[blocks->normal >= 0 ? blocks->normal : blocks->tangent];
    const dal_joint *d = &m->joint[c->joint].d;
    // without normal force, one that is switched off has no friction
    const int off = blocks->normal < 0 && mb_contact_off(c, m, m->memory ? m->memory[MB_MEMORY_TIME] : 0.0);
    const double *memory = mb_contact_memory(c, m);
    const double load = blocks->normal < 0 && memory ? d->radius * memory[DAL_CONTACT_LOAD] : 0.0;
    *law = (dal_contact_law){.e = d->restitution, .mu = d->mu, .mu_s = d->mu_s};
    if (blocks->normal < 0 && !off) {
        law->follows = d->mu > 0.0;
        law->limit = d->limit + d->mu * load;
        law->limit_s = d->limit + fmax(d->mu, d->mu_s) * load;
    }
}

static void contacts_name(char *buffer, size_t size, int contact, const void *user)
{
    const dal_model *m = user;
    if (contact >= m->system.contacts.n) {
        mb_crowd_name(buffer, size, contact - m->system.contacts.n, m);
        return;
    }
    const dal_contact *blocks = &m->contact[contact];
    const mb_constraint *c = &m->constraint[blocks->normal >= 0 ? blocks->normal : blocks->tangent];
    const mb_joint *j = &m->joint[c->joint];
    const char *name = m->joint_names.name[c->joint];
    int before = 0, all = 0;
    for (int k = 0; k < m->system.contacts.n; ++k) {
        const int block = m->contact[k].normal >= 0 ? m->contact[k].normal : m->contact[k].tangent;
        const int same = block >= j->first && block < j->first + j->count;
        all += same;
        before += same && k < contact;
    }
    if (all > 1) {
        snprintf(buffer, size, "%s %d", name, before + 1);
    } else {
        snprintf(buffer, size, "%s", name);
    }
}

/* The gap of a ratchet in the room of the instance becomes that to the last tooth passed. */
static void pass_teeth(const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    const mb_joint *j = &m->joint[c->joint];
    double *memory = mb_contact_memory(c, m), *gap = &m->rows[c->row0], tooth = memory[DAL_CONTACT_TOOTH];
    if (j->type->build != mb_ratchet_build || mb_contact_off(c, m, at->t)) {
        return;
    }
    if (m->memory[MB_MEMORY_STARTED] == 0.0) {
        mb_constraint_joint.residual(c, m, &(dal_residual){.Phi = m->rows}, at);
        tooth = 0.0;
    } else if (*gap < j->d.pitch) {
        return;
    }
    const double passed = floor(*gap / j->d.pitch);
    memory[DAL_CONTACT_TOOTH] = tooth + passed;
    *gap -= j->d.pitch * passed;
}

void mb_contacts_remember(mb_instance *m, const dal_point *at)
{
    const dal_contacts *contacts = &m->of->system.contacts;
    const dal_residual out = {.Phi = m->rows, .vel = m->rows + m->nc};
    choose_features(m, 1);
    for (int k = 0; k < contacts->n; ++k) {
        const int block = contacts->contact[k].normal;
        if (block >= 0 && !m->constraint[block].nonholonomic) {
            const mb_constraint *c = &m->constraint[block];
            double *memory = m->memory + contacts->memory + (ptrdiff_t)DAL_CONTACT_MEMORY * k;
            rows_anyway(c, m, &out, at);
            pass_teeth(c, m, at);
            memory[DAL_CONTACT_VALUE] = m->rows[c->row0];
            memory[DAL_CONTACT_RATE] = m->rows[m->nc + c->row0];
        }
    }
}

dal_status mb_contacts_compile(dal_model *m)
{
    int n = 0;
    for (int k = 0; k < m->nconstraints; ++k) {
        n = m->constraint[k].contact > n ? m->constraint[k].contact : n;
    }
    if (n > 0) {
        DAL_TAKE(&m->pool, m->contact, n);
    }
    for (int k = 0; k < n; ++k) {
        m->contact[k] = (dal_contact){-1, -1};
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        if (c->contact > 0) {
            *(c->gap >= 0 ? &m->contact[c->contact - 1].tangent : &m->contact[c->contact - 1].normal) = k;
        }
    }
    m->system.contacts = (dal_contacts){.n = n,
                                        .contact = m->contact,
                                        .residual = contacts_residual,
                                        .tangent = contacts_tangent,
                                        .law = contacts_law,
                                        .name = contacts_name};
    return mb_crowds_compile(m);
}
