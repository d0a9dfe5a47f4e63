/* Friction of contacts and brakes that slide, and their sliding velocities as rows (docs/theory/contact.md). */
#include <math.h>

#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/row_kernel.h"

/* ---- friction --------------------------------------------------------------------------------- */

/* Friction of a contact that slides: F e against the rows of its sliding velocity u, e = u/|u|. Where it begins to slide u is
 * zero, and e the direction in which it will; where it comes to rest within a step the motion goes on as if it slid on, until that is
 * seen. So the part of u along the direction at the last final state is mirrored at a small part of the speed there (CT.19). */
typedef struct friction {
    double F, dF;          /* its size, and the derivative with respect to lambda of the gap or to the reaction */
    double load;           /* the reaction that it follows */
    double e[3], de[3][3]; /* direction, and its derivatives with respect to u */
    double u[3];
    double g[3][12];
    mb_pairing P;
} friction;

double mb_contact_reaction(const mb_constraint *c, const mb_instance *m, const double *la)
{
    const mb_joint *j = &m->joint[c->joint];
    if (c->gap < m->nconstraints || !(j->d.mu > 0.0)) {
        return 0.0;
    }
    const mb_joint *of = &m->joint[j->refers[0]];
    const int row0 = m->constraint[of->first].row0;
    double sum = 1e-18;
    for (int i = 0; i < of->type->force_rows; ++i) {
        sum += la[row0 + i] * la[row0 + i];
    }
    return sqrt(sum);
}

/* (CT.19): e = x/|x|, x = u + (A - a) d with a = u.d, A = a or, below `least`, 2 least - a; d is in f->e. Were A constant there, explicit stages
 * beyond the stop would meet a stiffness without bounds across d. */
static void find_direction(friction *f, double least)
{
    const double d[3] = {f->e[0], f->e[1], f->e[2]}, along = dot3(f->u, d), slope = along > least ? 1.0 : -1.0;
    double x[3], turned[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = f->u[i] + (along > least ? 0.0 : 2.0 * (least - along)) * d[i];
    }
    const double length = sqrt(dot3(x, x));
    scale3(f->e, 1.0 / length, x);
    const double ed = dot3(f->e, d);
    for (int i = 0; i < 3; ++i) {
        turned[i] = (d[i] - f->e[i] * ed) * (slope - 1.0);
    }
    for (int k = 0; k < 9; ++k) { // de = (I - e e^T) (I + (slope - 1) d d^T) du/|x|
        const int i = k / 3, j = k % 3;
        f->de[i][j] = ((i == j) - f->e[i] * f->e[j] + turned[i] * d[j]) / length;
    }
}

static void find_friction(friction *f, const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    const double *memory = mb_contact_memory(c, m);
    const dal_joint *d = &m->joint[c->joint].d;
    const int pressed = c->gap < m->nconstraints; // by a gap
    mb_contact_recall(c, m);
    *f = (friction){.load = mb_contact_reaction(c, m, at->la)};
    f->dF = pressed ? -d->mu : d->mu * d->radius;
    f->F = pressed ? f->dF * at->la[m->constraint[c->gap].row0] : d->limit + f->dF * f->load;
    mb_pairing_at(&f->P, m->state, c->marker, 1, c->axes);
    for (int i = 0; i < c->nscalar && i < 3; ++i) {
        c->row[i].type->gradient(f->g[i], &c->row[i], &f->P);
        f->u[i] = row_rate(f->g[i], &f->P);
        f->e[i] = memory[DAL_CONTACT_DIRECTION + i];
    }
    const double least = fmax(1e-9 * memory[DAL_CONTACT_SPEED], 1e-3 * memory[DAL_CONTACT_PACE]);
    if (c->nscalar >= 2 && least > 0.0) {
        find_direction(f, least);
    }
}

static int slides(const mb_constraint *c, const mb_instance *m, double t)
{
    const dal_joint *d = &m->joint[c->joint].d;
    return !m->bare && mb_contact_mode(c, m) == DAL_CONTACT_SLIDING && !mb_contact_off(c, m, t) &&
           (c->gap < m->nconstraints ? d->mu : d->limit + d->mu) > 0.0;
}

const double *mb_contact_forces(double room[MB_ROWS], const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    friction f;
    if (c->contact == 0 || c->gap < 0 || !slides(c, m, at->t)) {
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
        mb_contact_recall(c, m);
        mb_constraint_joint.residual(c, m, out, at);
        return;
    }
    mb_contact_no_rows(c, out);
    if (!out->r || !slides(c, m, at->t)) {
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
    double x[3][2][6] = {{{0.0}}}, y[3][2][6] = {{{0.0}}}; // row, side: gradient and its rate in body axes
    const int n = c->nscalar;
    for (int r = 0; r < n && r < 3; ++r) {
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
            for (int r = 0; r < n * n; ++r) {
                const double part = f->F * f->de[r / n][r % n] * x[r / n][i][k % 6];
                C6[k] += part * x[r % n][j][k / 6];
                K6[k] += part * y[r % n][j][k / 6];
            }
        }
        mb_add_pair(m, sink, c->marker[i].body, c->marker[j].body, c->pair[i][j], C6, K6);
    }
}

/* G: the friction follows the gap, or the reaction of a joint. sum: its direction. */
static void push_following(const mb_constraint *c, mb_instance *m, dal_sink *sink, const dal_point *at,
                           const friction *f, const double sum[12])
{
    const mb_joint *j = &m->joint[c->joint];
    const int pressed = c->gap < m->nconstraints, rows = pressed ? 1 : m->joint[j->refers[0]].type->force_rows;
    const mb_constraint *of = &m->constraint[pressed ? c->gap : m->joint[j->refers[0]].first];
    for (int i = 0; i < 2; ++i) {
        double g6[6], G[6 * MB_ROWS] = {0.0};
        if (of->link[i] < 0) {
            continue;
        }
        mb_gradient_to_body(g6, &f->P.side[i], sum + 6 * i);
        for (int r = 0; r < rows; ++r) {
            const double by = f->dF * (pressed ? 1.0 : at->la[of->row0 + r] / f->load);
            for (int k = 0; k < 6; ++k) {
                G[k + 6 * r] = by * g6[k];
            }
        }
        mb_push_force(m, sink, of->body[i], of->link[i], G, of->nrows);
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
    if (f.dF != 0.0 && (sink->wants & DAL_WANT_G)) {
        push_following(c, m, sink, at, &f, sum);
    }
    for (int k = 0; k < 12; ++k) {
        sum[k] *= f.F;
    }
    if (sink->wants & DAL_WANT_K) {
        mb_push_stiffness(c, m, sink, &f.P, &H, sum);
    }
    if ((sink->wants & (DAL_WANT_C | DAL_WANT_K)) && c->nscalar >= 2) {
        push_direction(c, m, sink, &f);
    }
}

static void sliding_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = self;
    if (mb_contact_holds(c, m)) {
        mb_contact_recall(c, m);
        mb_constraint_joint.tangent(c, m, sink, at);
    } else if (slides(c, m, at->t)) {
        push_friction(c, m, sink, at);
    }
}

static void sliding_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_constraint *c = self;
    P[0] = P[1] = 0.0;
    if (slides(c, m, at->t)) {
        friction f;
        find_friction(&f, c, m, at);
        P[0] = f.F * dot3(f.e, f.u);
    }
}

const mb_element_type mb_constraint_sliding = {.connect = mb_connect_rows,
                                               .residual = sliding_residual,
                                               .tangent = sliding_tangent,
                                               .acceleration = mb_contact_acceleration,
                                               .exchange = sliding_exchange,
                                               .row_name = mb_joint_row_name};
