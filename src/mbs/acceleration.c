/* Tangents of the acceleration level (index 1 only): differences of one block of rows in the motion of its own
 * bodies, so that the cost grows with the number of joints and not with its square. */
#include "mbs/compile_impl.h"

static const double eps = MB_DIFFERENCE;

void mb_perturb(mb_state *s, int what, int k, double by)
{
    double *const x[3] = {s->x, s->xd, s->xdd}, *const w[3] = {NULL, s->Om, s->Omd};
    if (k < 3) {
        x[what][k] += by;
    } else if (what != MB_BY_POSITION) {
        w[what][k - 3] += by;
    } else {
        double theta[3] = {0.0, 0.0, 0.0}, p[4], E[9], R[9];
        theta[k - 3] = by;
        dal_quat_from_vector(p, theta);
        dal_quat_to_matrix(E, p);
        memcpy(R, s->R, sizeof R);
        mat3_mul(s->R, 3, R, 3, E, 3);
    }
    mat3_mul_vec(s->om, s->R, 3, s->Om);
    mat3_mul_vec(s->al, s->R, 3, s->Omd);
}

/* y = acc of the block with one component of the motion of a body changed. */
static void changed(double *y, const mb_constraint *c, mb_instance *m, int body, int what, int k, double by,
                    const dal_point *at)
{
    const mb_state saved = m->state[body];
    const dal_residual out = {.acc = m->rows};
    mb_perturb(&m->state[body], what, k, by);
    c->type->residual(c, m, &out, at);
    m->state[body] = saved;
    memcpy(y, m->rows + c->row0, (size_t)c->nrows * sizeof(double));
}

/* D (nrows x 6): derivative of acc with respect to the position, velocity or acceleration of a body. */
static void derivative(double *D, const mb_constraint *c, mb_instance *m, int body, int what, const dal_point *at)
{
    const double h = what == MB_BY_ACCELERATION ? 1.0 : eps; // acc is linear in the accelerations
    for (int k = 0; k < 6; ++k) {
        double plus[MB_ROWS_MAX] = {0.0}, minus[MB_ROWS_MAX] = {0.0};
        changed(plus, c, m, body, what, k, h, at);
        changed(minus, c, m, body, what, k, -h, at);
        for (int i = 0; i < c->nrows; ++i) {
            D[i + k * c->nrows] = (plus[i] - minus[i]) / (2.0 * h);
        }
    }
}

/* Is the body of side k the body of an earlier side as well? */
static int seen_before(const mb_constraint *c, int k)
{
    for (int i = 0; i < k; ++i) {
        if (c->body[i] == c->body[k]) {
            return 1;
        }
    }
    return 0;
}

void mb_acceleration_by_differences(const void *constraint, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_constraint *c = constraint;
    double Aq[MB_ROWS_MAX * 6], Av[MB_ROWS_MAX * 6], Aa[MB_ROWS_MAX * 6] = {0.0};
    for (int k = 0; k < c->nsides; ++k) {
        if (c->body[k] == 0 || seen_before(c, k)) {
            continue;
        }
        derivative(Aq, c, m, c->body[k], MB_BY_POSITION, at);
        derivative(Av, c, m, c->body[k], MB_BY_VELOCITY, at);
        if (!m->body[c->body[k]].type->constant) {
            derivative(Aa, c, m, c->body[k], MB_BY_ACCELERATION, at);
        }
        mb_push_link_acc(m, sink, c->body[k], c->link[k], Aq, Av, Aa, c->nrows);
    }
}
