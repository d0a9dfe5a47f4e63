/* Power of what elements exert on the bodies, and who gives and takes energy (MB.14). */
#include "mbs/flex_impl.h"
#include "mbs/force_impl.h"
#include "mbs/output_impl.h"

static void power_start(mb_instance *m, const int *body, int n)
{
    for (int k = 0; k < n; ++k) {
        mb_body *b = &m->body[body[k]];
        b->r6 = b->own6;
        memset(b->own6, 0, sizeof b->own6);
    }
}

/* -(sum of forces . velocities); a body that is listed twice counts once */
static double power_end(mb_instance *m, const int *body, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; ++k) {
        double *f = m->body[body[k]].own6;
        sum -= dot3(f, m->state[body[k]].xd) + dot3(f + 3, m->state[body[k]].Om);
        memset(f, 0, 6 * sizeof(double));
    }
    return sum;
}

double mb_force_power(const mb_force *f, mb_instance *m, const dal_point *at)
{
    const int body[2] = {f->marker[0].body, f->marker[1].body};
    power_start(m, body, 2);
    if (mb_acts(f, m, at->t)) {
        f->type->residual(f, m, at);
    }
    return power_end(m, body, 2);
}

double mb_joint_power(const mb_joint *j, mb_instance *m, const dal_point *at)
{
    const dal_residual out = {.r = m->r};
    double sum = 0.0;
    for (int k = j->first; k < j->first + j->count; ++k) {
        const mb_constraint *c = &m->constraint[k];
        power_start(m, c->body, c->nsides);
        c->type->residual(c, m, &out, at);
        sum += power_end(m, c->body, c->nsides);
    }
    return sum;
}

void mb_exchange_loss(double P[2], const mb_force *f, mb_instance *m, const dal_point *at)
{
    P[0] = -mb_force_power(f, m, at);
    P[1] = 0.0;
}

void mb_exchange_feed(double P[2], const mb_force *f, mb_instance *m, const dal_point *at)
{
    P[0] = 0.0;
    P[1] = mb_force_power(f, m, at);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

void mb_power(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    y[0] = o->joint >= 0 ? mb_joint_power(&m->joint[o->joint], m, at) : mb_force_power(&m->force[o->force], m, at);
}

/* What the modal damping of a flexible body takes out. */
static double modal_dissipation(const mb_body *b, const dal_point *at)
{
    const double *zd = at->v + b->v + 6;
    double sum = 0.0;
    for (int k = 0; k < b->flex->n; ++k) {
        sum += b->flex->D[k] * zd[k] * zd[k];
    }
    return sum;
}

/* Sums of what all forces and flexible bodies dissipate and feed in. */
static void exchange(double sum[2], mb_instance *m, const dal_point *at)
{
    sum[0] = sum[1] = 0.0;
    for (int k = 1; k < m->nbodies; ++k) { // 0 is the ground
        if (m->body[k].type == &mb_body_flexible) {
            sum[0] += modal_dissipation(&m->body[k], at);
        }
    }
    for (int k = 0; k < m->nforces; ++k) {
        const mb_force *f = &m->force[k];
        double P[2];
        if (f->type->exchange && mb_acts(f, m, at->t)) {
            f->type->exchange(P, f, m, at);
            sum[0] += P[0];
            sum[1] += P[1];
        }
    }
}

void mb_dissipation(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o;
    double sum[2];
    exchange(sum, m, at);
    y[0] = sum[0];
}

/* Of the joints only those that prescribe a motion, or rows from outside, do work. */
void mb_drive_power(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o;
    double sum[2];
    exchange(sum, m, at);
    for (int k = 0; k < m->njoints; ++k) {
        if (m->joint[k].d.function > 0 || m->joint[k].d.rows) {
            sum[1] += mb_joint_power(&m->joint[k], m, at);
        }
    }
    y[0] = sum[1];
}

void mb_integral(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    y[0] = mb_integral_at(m, o, at->t);
}
