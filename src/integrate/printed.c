/* The sigma-modified algorithms as published ([HAG] algorithms 1-3): q and v are only incremented, so the kinematic
 * relation is whatever the predictor left. Kept for comparison: `kinematics = printed`, and `printed_half` with the
 * factor 1/2 in the predictor that the derivation in the paper gives (docs/theory/genalpha.md, section 7). */
#include <string.h>

#include "integrate/genalpha_impl.h"

double dal_ga_predictor_factor(const dal_genalpha *ga)
{
    return ga->opt.kinematics == DAL_KINEMATICS_PRINTED_HALF ? 0.5 : 1.0;
}

/* Predictor with v' = 0, lambda = 0 and theta := theta - f sigma (h beta/gamma) hat(v) theta. */
void dal_ga_printed_predict(dal_genalpha *ga)
{
    const dal_ga_coef c = ga->c;
    const dal_state_buffer *s0 = ga->base.current;
    dal_state_buffer *s1 = ga->trial;
    const double h = ga->h, *v0 = ga->v0, *a0 = ga->a0,
                 turn = dal_ga_predictor_factor(ga) * c.sigma * h * c.beta / c.gamma;
    memset(ga->x, 0, (size_t)ga->n * sizeof(double));
    for (int i = 0; i < ga->nv; ++i) {
        const double a = (c.alpha_f * ga->vd0[i] - c.alpha_m * a0[i]) / (1.0 - c.alpha_m);
        s1->v[i] = v0[i] + h * ((1.0 - c.gamma) * a0[i] + c.gamma * a);
        s1->vd[i] = 0.0;
        ga->x[i] = h * (v0[i] + h * ((0.5 - c.beta) * a0[i] + c.beta * a));
    }
    dal_bracket(ga->ev->G, ga->w, s1->v, ga->x);
    for (int i = 0; i < ga->nv; ++i) {
        ga->x[i] -= turn * ga->w[i];
    }
    dal_retract(ga->ev->G, s1->q, s0->q, ga->x);
    memset(s1->la, 0, (size_t)ga->nc * sizeof(double));
}

/* P^-1 to second order in theta, [HAG] (65) */
static void series(const dal_factor *F, const ga_factor *k, const double *theta, double sigma)
{
    const double c = 1.0 - sigma;
    double *H = k->work[0], *H2 = k->work[1];
    F->type->hat(H, theta, F->nv);
    F->type->mul(H2, H, F->nv, H, F->nv);
    for (int i = 0; i < F->nv * F->nv; ++i) {
        k->Pi[i] = (i % (F->nv + 1) == 0 ? 1.0 : 0.0) + 0.5 * c * (H[i] - (2.0 - 3.0 * c) / 6.0 * H2[i]);
    }
}

/* P^-1 at the current theta, or P itself in N where velocities are the unknowns, for every factor that is not flat. */
static void inverse_of_P(dal_genalpha *ga)
{
    const int velocity = ga->opt.unknowns == DAL_UNKNOWNS_VELOCITY;
    const dal_group *G = ga->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        ga_factor *k = &ga->factor[f];
        if (F->type->flat || !k->Pi) {
            continue;
        }
        if (ga->opt.jacobian == DAL_JACOBIAN_SERIES && !velocity) {
            series(F, k, ga->x + F->v, ga->c.sigma);
            continue;
        }
        double *P = velocity ? k->N : k->work[0];
        F->type->prepare(k->coef, ga->x + F->v, F->nv);
        F->type->tangent(k->T, ga->x + F->v, k->coef, F->nv);
        for (int i = 0; i < F->nv * F->nv; ++i) {
            P[i] = (1.0 - ga->c.sigma) * k->T[i];
        }
        for (int i = 0; i < F->nv; ++i) {
            P[i + i * F->nv] += ga->c.sigma;
        }
        if (!velocity) {
            F->type->invert(k->Pi, P, F->nv);
        }
    }
}

/* w = dtheta + B0^T dnu for factor f */
static void increment(const dal_genalpha *ga, int f, const double *dx, double *w)
{
    const dal_factor *F = &ga->ev->G->factor[f];
    memcpy(w, dx + F->v, (size_t)F->nv * sizeof(double));
    if (ga->ne == 0) {
        return;
    }
    const double *dnu = dx + ga->nv + ga->nc;
    for (int e = ga->eta_link0[f]; e < ga->eta_link0[f + 1]; ++e) {
        const ga_eta_link *el = &ga->eta_link[e];
        const int nr = ga->ev->sys->constraint[el->c].nrows;
        for (int i = 0; i < F->nv; ++i) {
            for (int r = 0; r < nr; ++r) {
                w[i] += el->B0[r + i * nr] * dnu[ga->eta0[el->c] + r];
            }
        }
    }
}

/* T dtheta = P y with the unknowns y = dv/gp */
static const double *turned_by_P(dal_genalpha *ga, const double *dx)
{
    const dal_group *G = ga->ev->G;
    double *y = ga->d0; // of the exact relation alone
    memcpy(y, dx, (size_t)ga->nv * sizeof *y);
    inverse_of_P(ga);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (!F->type->flat && ga->factor[f].Pi) {
            F->type->apply(y + F->v, ga->factor[f].N, dx + F->v, F->nv);
        }
    }
    return y;
}

/* sigma = 1: q := q o exp(dtheta). Otherwise theta := theta + T^-1(theta) dtheta, q := q0 o exp(theta). Then
 * v := v + gp P^-1 (dtheta + B0^T dnu) and v' likewise. */
void dal_ga_printed_update(dal_genalpha *ga, const double *dx)
{
    const dal_group *G = ga->ev->G;
    dal_state_buffer *s1 = ga->trial;
    const int velocity = ga->opt.unknowns == DAL_UNKNOWNS_VELOCITY;
    const double *turn = velocity ? turned_by_P(ga, dx) : dx;
    if (ga->c.sigma == 1.0) {
        double *q = ga->q_work;
        dal_retract(G, q, s1->q, turn);
        memcpy(s1->q, q, (size_t)G->nq * sizeof(double));
    } else {
        dal_inv_tangent_apply(G, ga->w, ga->x, turn);
        for (int i = 0; i < ga->nv; ++i) {
            ga->x[i] += ga->w[i];
        }
        dal_retract(G, s1->q, ga->base.current->q, ga->x);
    }
    inverse_of_P(ga);
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *Pi = F->type->flat || velocity ? NULL : ga->factor[f].Pi;
        increment(ga, f, dx, ga->w);
        for (int i = 0; i < F->nv; ++i) {
            double dv = Pi ? 0.0 : ga->w[i];
            for (int j = 0; Pi && j < F->nv; ++j) {
                dv += Pi[i + j * F->nv] * ga->w[j];
            }
            s1->v[F->v + i] += ga->gp * dv;
            s1->vd[F->v + i] += ga->kv * ga->gp * dv;
        }
    }
    for (int i = ga->nv; i < ga->n; ++i) {
        ga->x[i] += dx[i];
    }
    for (int i = 0; i < ga->nc; ++i) {
        s1->la[i] = ga->x[ga->nv + i] / ga->s;
    }
}

void dal_ga_printed_tangents(dal_genalpha *ga)
{
    inverse_of_P(ga);
}
