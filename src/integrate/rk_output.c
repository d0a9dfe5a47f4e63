/* Dense output of the explicit Runge-Kutta methods: theta and v as polynomials over the last step (RK.7). */
#include <math.h>

#include "base/vector.h"
#include "integrate/rk_impl.h"

/* The stages that only dense output needs. They are those of the last step: nothing of the next one is lost. */
static dal_status extra_stages(dal_rk *rk)
{
    const dal_rk_table *T = rk->table;
    const dal_state_buffer *s0 = rk->base.previous, *s1 = rk->base.end;
    const double h = s1->t - s0->t, angle = rk->angle;
    const int n = 2 * rk->nv;
    dal_status st = DAL_OK;
    dal_copy(rk->la_stage, s1->la, rk->nc);
    dal_zero(rk->y0, rk->nv);
    dal_copy(rk->y0 + rk->nv, s0->v, rk->nv);
    for (int i = T->stages + 1; i <= T->stages + T->extra && st == DAL_OK; ++i) {
        dal_rk_combine(rk, rk->y, rk->y0, h, &T->row[i], rk->kept);
        dal_copy(rk->kept + i * n + rk->nv, s1->vd, rk->nv);
        st = dal_rk_slope(rk, rk->kept + i * n, s0, s0->t + T->row[i].c * h, rk->y);
    }
    rk->angle = angle;
    return st;
}

/* Coefficients of the polynomial; without the extra stages, if they cannot be had, it is Hermite's of third order. */
static void build(dal_rk *rk)
{
    const dal_state_buffer *s0 = rk->base.previous, *s1 = rk->base.end;
    const int nv = rk->nv, n = 2 * nv, complete = extra_stages(rk) == DAL_OK;
    const double h = s1->t - s0->t, *k0 = rk->kept, *k1 = rk->kept + rk->table->stages * n;
    double *c = rk->dense;
    for (int k = 0; k < n; ++k) {
        const double change = k < nv ? s1->theta[k] : s1->v[k - nv] - s0->v[k - nv];
        c[k] = change;
        c[n + k] = h * k0[k] - change;
        c[2 * n + k] = change - h * k1[k] - c[n + k];
    }
    dal_zero(c + 3 * n, rk->table->ndense * n);
    for (int i = 0; i < rk->table->ndense && complete; ++i) {
        dal_rk_combine(rk, c + (3 + i) * n, c + (3 + i) * n, h, &rk->table->dense[i], rk->kept);
    }
    rk->have_dense = 1;
}

/* v' and multipliers that belong to q and v; in between of those at the ends should that fail. Either may be NULL. */
static void accelerations(dal_rk *rk, double t, double u, const double *q, const double *v, double *vd, double *la)
{
    const dal_state_buffer *s0 = rk->base.previous, *s1 = rk->base.end;
    double *to = vd ? vd : rk->e[0], *multipliers = la ? la : rk->la_stage;
    const int failed = dal_initial_acceleration(rk->saddle, to, multipliers, t, q, v) != DAL_OK;
    for (int i = 0; vd && failed && i < rk->nv; ++i) {
        vd[i] = s0->vd[i] + u * (s1->vd[i] - s0->vd[i]);
    }
    for (int i = 0; la && failed && i < rk->nc; ++i) {
        la[i] = s0->la[i] + u * (s1->la[i] - s0->la[i]);
    }
}

void dal_rk_interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t)
{
    dal_rk *rk = (dal_rk *)self;
    const dal_state_buffer *s0 = self->previous, *s1 = self->end;
    const double u = (t - s0->t) / (s1->t - s0->t);
    const int n = 2 * rk->nv;
    if (!rk->have_dense) {
        build(rk);
    }
    for (int k = 0; k < n; ++k) {
        // c1 u + c2 u (1-u) + c3 u^2 (1-u) + ...
        double sum = 0.0;
        for (int i = 2 + rk->table->ndense; i >= 0; --i) {
            sum = (i % 2 ? 1.0 - u : u) * (rk->dense[i * n + k] + sum);
        }
        rk->y[k] = sum;
    }
    for (int k = 0; k < rk->nv; ++k) {
        rk->y[rk->nv + k] += s0->v[k];
    }
    dal_retract(rk->ev->G, rk->q_stage, s0->q, rk->y);
    if (q) {
        dal_copy(q, rk->q_stage, rk->nq);
    }
    if (v) {
        dal_copy(v, rk->y + rk->nv, rk->nv);
    }
    if (vd || la) {
        accelerations(rk, t, u, rk->q_stage, rk->y + rk->nv, vd, la);
    }
}
