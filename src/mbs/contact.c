/* Contacts: unilateral rows, and friction while they slide (docs/theory/contact.md). The gap is a block of one row, the sliding
 * velocity another; both are rows between two frames like those of joints, and hold as the mode in the memory says. */
#include <math.h>
#include <stdio.h>

#include "base/message.h"
#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/contact_kernel.h"

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

/* sliding of spheres: c and c2 are the arms from both centres to the point of contact */
MB_ROW_RATE(slide, gap_slide_gradient(g, i, c, r->c2, P), gap_slide_hessian(H, la, i, c, r->c2, P), .name = "sliding",
            .nonholonomic = 1, .axes = MB_AXES_A);

/* ---- modes ------------------------------------------------------------------------------------ */

static const double *memory_of(const mb_constraint *c, const mb_instance *m)
{
    return m->memory ? m->memory + m->of->system.contacts.memory + (ptrdiff_t)DAL_CONTACT_MEMORY * (c->contact - 1)
                     : NULL;
}

static dal_contact_mode mode_of(const mb_constraint *c, const mb_instance *m)
{
    const double *memory = memory_of(c, m);
    return memory ? (dal_contact_mode)(int)memory[DAL_CONTACT_MODE] : DAL_CONTACT_IS_OPEN;
}

int mb_contact_holds(const mb_constraint *c, const mb_instance *m)
{
    const dal_contact_mode mode = mode_of(c, m);
    return c->gap >= 0 ? mode == DAL_CONTACT_STICKING : mode != DAL_CONTACT_IS_OPEN;
}

static void no_rows(const mb_constraint *c, const dal_residual *out)
{
    double *const level[] = {out->Phi, out->vel, out->acc};
    for (int k = 0; k < 3; ++k) {
        if (level[k]) {
            dal_zero(level[k] + c->row0, c->nrows);
        }
    }
}

/* Turns of an angle are counted: the gap is continued from the last final state. */
static void count_turns(const mb_constraint *c, const mb_instance *m, const dal_residual *out, double t)
{
    const double *memory = memory_of(c, m);
    if (out->Phi && c->row[0].type->angle && memory && m->memory[MB_MEMORY_STARTED] != 0.0) {
        const double dt = t - m->memory[MB_MEMORY_TIME];
        out->Phi[c->row0] =
            mb_nearest_turn(out->Phi[c->row0], memory[DAL_CONTACT_VALUE] + memory[DAL_CONTACT_RATE] * dt);
    }
}

static void rows_anyway(const mb_constraint *c, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    mb_constraint_joint.residual(c, m, out, at);
    count_turns(c, m, out, at->t);
}

/* ---- gap -------------------------------------------------------------------------------------- */

static void gap_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    if (mb_contact_holds(self, m)) {
        rows_anyway(self, m, out, at);
    } else {
        no_rows(self, out);
    }
}

static void gap_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    if (mb_contact_holds(self, m)) {
        mb_constraint_joint.tangent(self, m, sink, at);
    }
}

static void contact_acceleration(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    if (mb_contact_holds(self, m)) {
        mb_acceleration_by_differences(self, m, sink, at);
    }
}

const mb_element_type mb_constraint_gap = {.connect = mb_connect_rows,
                                           .residual = gap_residual,
                                           .tangent = gap_tangent,
                                           .acceleration = contact_acceleration,
                                           .row_name = mb_joint_row_name};

/* ---- friction --------------------------------------------------------------------------------- */

/* Friction of a contact that slides: F e against the rows of its sliding velocity u, e = u/|u|. Where it begins to slide u is
 * zero, and e the direction in which it will; where it comes to rest within a step the motion goes on as if it slid on, until that is
 * seen. So the part of u along the direction at the last final state is not taken below a small part of the speed there (CT.19). */
typedef struct friction {
    double F, dF;          /* its size, and the derivative with respect to lambda of the gap */
    double e[2], de[2][2]; /* direction, and its derivatives with respect to u */
    double u[2];
    double g[2][12];
    mb_pairing P;
} friction;

static void find_friction(friction *f, const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    const double *memory = memory_of(c, m);
    const dal_joint *d = &m->joint[c->joint].d;
    const int pressed = c->gap < m->nconstraints; // by a gap
    *f =
        (friction){.F = pressed ? -d->mu * at->la[m->constraint[c->gap].row0] : d->limit, .dF = pressed ? -d->mu : 0.0};
    mb_pairing_at(&f->P, m->state, c->marker, 1, c->axes);
    for (int i = 0; i < c->nscalar; ++i) {
        c->row[i].type->gradient(f->g[i], &c->row[i], &f->P);
        f->u[i] = row_rate(f->g[i], &f->P);
        f->e[i] = memory[DAL_CONTACT_DIRECTION + i];
    }
    const double least = fmax(1e-9 * memory[DAL_CONTACT_SPEED], 1e-3 * memory[DAL_CONTACT_PACE]);
    if (c->nscalar == 2 && least > 0.0) {
        const double d0 = f->e[0], d1 = f->e[1], along = f->u[0] * d0 + f->u[1] * d1,
                     across = f->u[1] * d0 - f->u[0] * d1;
        const double a = fmax(along, least), length = hypot(a, across), slope = along > least ? 1.0 : 0.0;
        const double e[2] = {a / length, across / length};
        // in the axes d and its normal: d e = (I - e e^T) diag(slope, 1) du/|.|
        const double E[2][2] = {{e[1] * e[1] * slope / length, -e[0] * e[1] / length},
                                {-e[0] * e[1] * slope / length, e[0] * e[0] / length}};
        const double R[2][2] = {{d0, -d1}, {d1, d0}};
        for (int i = 0; i < 2; ++i) {
            f->e[i] = R[i][0] * e[0] + R[i][1] * e[1];
        }
        for (int k = 0; k < 16; ++k) {
            const int i = k / 8, j = k / 4 % 2, r = k / 2 % 2, s = k % 2;
            f->de[i][j] += R[i][r] * E[r][s] * R[j][s];
        }
    }
}

static int slides(const mb_constraint *c, const mb_instance *m)
{
    const dal_joint *d = &m->joint[c->joint].d;
    return mode_of(c, m) == DAL_CONTACT_SLIDING && (c->gap < m->nconstraints ? d->mu : d->limit) > 0.0;
}

const double *mb_contact_forces(double room[MB_ROWS], const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    friction f;
    if (c->contact == 0 || c->gap < 0 || !slides(c, m)) {
        return at->la + c->row0;
    }
    find_friction(&f, c, m, at);
    for (int i = 0; i < c->nscalar; ++i) {
        room[i] = f.F * f.e[i];
    }
    return room;
}

static void sliding_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_constraint *c = self;
    if (mb_contact_holds(c, m)) {
        mb_constraint_joint.residual(c, m, out, at);
        return;
    }
    no_rows(c, out);
    if (!out->r || !slides(c, m)) {
        return;
    }
    friction f;
    double sum[12] = {0.0};
    find_friction(&f, c, m, at);
    for (int i = 0; i < c->nscalar; ++i) {
        for (int k = 0; k < 12; ++k) {
            sum[k] += f.F * f.e[i] * f.g[i][k];
        }
    }
    for (int i = 0; i < 2; ++i) {
        if (c->marker[i].body > 0) {
            mb_add_wrench(m->body[c->marker[i].body].r6, &f.P.side[i], sum + 6 * i, sum + 6 * i + 3);
        }
    }
}

/* C and K of the direction: F B^T de (B dv + Z dq). */
static void push_direction(const mb_constraint *c, mb_instance *m, dal_sink *sink, const friction *f)
{
    double x[2][2][6], y[2][2][6]; // row, side: gradient and its rate in body axes
    for (int r = 0; r < 2; ++r) {
        double z[12];
        mb_row_contract(z, &c->row[r], &f->P);
        for (int i = 0; i < 2; ++i) {
            mb_gradient_to_body(x[r][i], &f->P.side[i], f->g[r] + 6 * i);
            mb_rate_to_body(y[r][i], &f->P.side[i], z + 6 * i, f->g[r] + 6 * i);
        }
    }
    for (int s = 0; s < 4; ++s) {
        const int i = s / 2, j = s % 2;
        double C6[36] = {0.0}, K6[36] = {0.0};
        if (c->link[i] < 0 || c->link[j] < 0) {
            continue;
        }
        for (int k = 0; k < 36; ++k) {
            for (int r = 0; r < 4; ++r) {
                const double part = f->F * f->de[r / 2][r % 2] * x[r / 2][i][k % 6];
                C6[k] += part * x[r % 2][j][k / 6];
                K6[k] += part * y[r % 2][j][k / 6];
            }
        }
        mb_add_pair(m, sink, c->marker[i].body, c->marker[j].body, c->pair[i][j], C6, K6);
    }
}

static void push_friction(const mb_constraint *c, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    friction f;
    double sum[12] = {0.0};
    mb_hessian H = {0};
    find_friction(&f, c, m, at);
    for (int r = 0; r < c->nscalar; ++r) {
        for (int k = 0; k < 12; ++k) {
            sum[k] += f.e[r] * f.g[r][k];
        }
        c->row[r].type->hessian(&H, f.F * f.e[r], &c->row[r], &f.P);
    }
    for (int i = 0; i < 2 && f.dF != 0.0 && (sink->wants & DAL_WANT_G); ++i) {
        const mb_constraint *gap = &m->constraint[c->gap];
        double G6[6];
        if (gap->link[i] >= 0) {
            mb_gradient_to_body(G6, &f.P.side[i], sum + 6 * i);
            for (int k = 0; k < 6; ++k) {
                G6[k] *= f.dF;
            }
            mb_push_force(m, sink, gap->marker[i].body, gap->link[i], G6, 1);
        }
    }
    for (int k = 0; k < 12; ++k) {
        sum[k] *= f.F;
    }
    if (sink->wants & DAL_WANT_K) {
        mb_push_stiffness(c, m, sink, &f.P, &H, sum);
    }
    if ((sink->wants & (DAL_WANT_C | DAL_WANT_K)) && c->nscalar == 2) {
        push_direction(c, m, sink, &f);
    }
}

static void sliding_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    if (mb_contact_holds(c, m)) {
        mb_constraint_joint.tangent(c, m, sink, at);
    } else if (slides(c, m)) {
        push_friction(c, m, sink, at);
    }
}

static void sliding_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_constraint *c = self;
    P[0] = P[1] = 0.0;
    if (slides(c, m)) {
        friction f;
        find_friction(&f, c, m, at);
        P[0] = f.F * (f.e[0] * f.u[0] + f.e[1] * f.u[1]);
    }
}

const mb_element_type mb_constraint_sliding = {.connect = mb_connect_rows,
                                               .residual = sliding_residual,
                                               .tangent = sliding_tangent,
                                               .acceleration = contact_acceleration,
                                               .exchange = sliding_exchange,
                                               .row_name = mb_joint_row_name};

/* ---- for simulations -------------------------------------------------------------------------- */

static dal_status contacts_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    m->st = DAL_OK;
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    for (int k = 0; k < m->nconstraints; ++k) {
        if (m->constraint[k].contact > 0) {
            rows_anyway(&m->constraint[k], m, out, at);
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
    *law = (dal_contact_law){d->restitution, d->mu, d->mu_s, d->limit};
}

static void contacts_name(char *buffer, size_t size, int contact, const void *user)
{
    const dal_model *m = user;
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

void mb_contacts_remember(mb_instance *m, const dal_point *at)
{
    const dal_contacts *contacts = &m->of->system.contacts;
    const dal_residual out = {.Phi = m->rows, .vel = m->rows + m->nc};
    for (int k = 0; k < contacts->n; ++k) {
        const int block = contacts->contact[k].normal;
        if (block >= 0 && !m->constraint[block].nonholonomic) {
            const mb_constraint *c = &m->constraint[block];
            double *memory = m->memory + contacts->memory + (ptrdiff_t)DAL_CONTACT_MEMORY * k;
            rows_anyway(c, m, &out, at);
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
    return DAL_OK;
}
