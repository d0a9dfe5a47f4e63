/* Power of the forces that elements exert on bodies, and the exchange of energy (MB.14). */
#include "mbs/compile_impl.h"
#include "mbs/flex_impl.h"
#include "mbs/force_impl.h"
#include "mbs/output_impl.h"

static void power_start(mb_instance *m, const int *body, int n)
{
    m->summed = 0;
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

/* Power of the forces that a force, a joint or a block of rows exerts on the bodies. */
static double force_power(const mb_force *f, mb_instance *m, const dal_point *at)
{
    const int body[2] = {f->marker[0].body, f->marker[1].body};
    const dal_residual out = {.r = m->r};
    power_start(m, body, 2);
    if (mb_acts(f, m, at->t)) {
        f->type->element.residual(f, m, &out, at);
    }
    return power_end(m, body, 2);
}

double mb_rows_power(const mb_constraint *c, mb_instance *m, const dal_point *at)
{
    const dal_residual out = {.r = m->r};
    power_start(m, c->body, c->nsides);
    c->type->residual(c, m, &out, at);
    return power_end(m, c->body, c->nsides);
}

/* Power of the forces that a force, a joint or a block of rows exerts on the bodies. */
static double joint_power(const mb_joint *j, mb_instance *m, const dal_point *at)
{
    double sum = 0.0;
    for (int k = j->first; k < j->first + j->count; ++k) {
        sum += mb_rows_power(&m->constraint[k], m, at);
    }
    return sum;
}

void mb_exchange_loss(double P[2], const void *force, mb_instance *m, const dal_point *at)
{
    P[0] = -force_power(force, m, at);
    P[1] = 0.0;
}

void mb_exchange_feed(double P[2], const void *force, mb_instance *m, const dal_point *at)
{
    P[0] = 0.0;
    P[1] = force_power(force, m, at);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

void mb_power(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    y[0] = o->joint >= 0 ? joint_power(&m->joint[o->joint], m, at) : force_power(&m->force[o->force], m, at);
}

/* What all elements dissipate and feed in. */
static void exchange(double sum[2], mb_instance *m, const dal_point *at)
{
    sum[0] = sum[1] = 0.0;
    for (int k = 0; k < m->nelements; ++k) {
        const mb_element *e = &m->element[k];
        double P[2];
        if (e->type->exchange && mb_element_acts(e, m, at->t)) {
            e->type->exchange(P, e->self, m, at);
            sum[0] += P[0];
            sum[1] += P[1];
        }
    }
}

dal_status mb_exchange(double P[2], const dal_point *at, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    m->st = DAL_OK;
    exchange(P, m, at);
    return m->st;
}

void mb_dissipation(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o;
    double sum[2];
    exchange(sum, m, at);
    y[0] = sum[0];
}

void mb_drive_power(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    (void)o;
    double sum[2];
    exchange(sum, m, at);
    y[0] = sum[1];
}

void mb_integral(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    y[0] = mb_integral_at(m, o, at->t);
}
