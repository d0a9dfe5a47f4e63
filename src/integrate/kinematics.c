/* The exact kinematic relation: everything at t1 follows from theta (GA.6), and so does its derivative (GA.7). */
#include <string.h>

#include "base/vector.h"
#include "integrate/genalpha_impl.h"

void dal_ga_set_step(dal_genalpha *ga, double h)
{
    const dal_ga_coef c = ga->c;
    const double *v0 = ga->v0, *a0 = ga->a0, *vd0 = ga->vd0;
    ga->h = h;
    ga->gp = c.gamma / (h * c.beta);
    ga->kv = (1.0 - c.alpha_m) / (h * c.gamma * (1.0 - c.alpha_f));
    // scales that make the leading entries of the matrix M, B and B B0^T, whatever h is (GA.9)
    ga->s = ga->opt.scaling ? 1.0 / (ga->kv * ga->gp) : 1.0;
    ga->s_vel = ga->opt.scaling ? 1.0 / ga->gp : 1.0;
    ga->s_acc = ga->opt.scaling ? 1.0 / (ga->kv * ga->gp) : 1.0;
    // c = -h v0 - h^2 (1/2-beta) a0 + (h beta/gamma) (v0 + h (1-gamma) a0)
    const double cv = h * (c.beta / c.gamma - 1.0);
    const double ca = h * h * (c.beta * (1.0 - c.gamma) / c.gamma - 0.5 + c.beta);
    // v1' = kv v1 + d0:  (GA.3) solved for a1 and put into (GA.4)
    const double da = (c.alpha_m - (1.0 - c.alpha_m) * (1.0 - c.gamma) / c.gamma) / (1.0 - c.alpha_f);
    const double dvd = -c.alpha_f / (1.0 - c.alpha_f);
    const double kv = ga->kv;
    double *cvec = ga->cvec, *d0 = ga->d0;
    int i = 0;
    for (; i + DAL_PAIR <= ga->nv; i += DAL_PAIR) {
        const dal_two v = *(const dal_two *)(v0 + i), a = *(const dal_two *)(a0 + i), d = *(const dal_two *)(vd0 + i);
        *(dal_two *)(cvec + i) = v * cv + a * ca;
        *(dal_two *)(d0 + i) = a * da - v * kv + d * dvd;
    }
    for (; i < ga->nv; ++i) {
        cvec[i] = cv * v0[i] + ca * a0[i];
        d0[i] = da * a0[i] - kv * v0[i] + dvd * vd0[i];
    }
}

/* w += B0^T nu for the velocities of factor f */
static void add_eta(const dal_genalpha *ga, int f, double *w)
{
    const double *nu = ga->x + ga->nv + ga->nc;
    const int nj = ga->ev->G->factor[f].nv;
    for (int k = ga->eta_link0[f]; k < ga->eta_link0[f + 1]; ++k) {
        const ga_eta_link *el = &ga->eta_link[k];
        const int nr = ga->ev->sys->constraint[el->c].nrows, first = ga->eta0[el->c];
        for (int i = 0; i < nj; ++i) {
            double sum = 0.0;
            for (int r = 0; r < nr; ++r) {
                sum += el->B0[r + i * nr] * nu[first + r];
            }
            w[i] += sum;
        }
    }
}

/* w := P^-1 w for one factor with sigma < 1, P = sigma I + (1 - sigma) T */
static void apply_P(const dal_genalpha *ga, int f)
{
    const dal_factor *F = &ga->ev->G->factor[f];
    const ga_factor *k = &ga->factor[f];
    const double sigma = ga->c.sigma;
    double *v1 = ga->trial->v + F->v; // scratch
    const int n = F->nv;
    for (int i = 0; i < n * n; ++i) {
        k->work[0][i] = (1.0 - sigma) * k->T[i];
    }
    for (int i = 0; i < n; ++i) {
        k->work[0][i + i * n] += sigma;
    }
    F->type->invert(k->Pi, k->work[0], n);
    F->type->apply(v1, k->Pi, ga->w + F->v, n);
    dal_copy(ga->w + F->v, v1, n);
}

/* v1 = gp P^-1 (theta + T c + B0^T nu) and v1' = kv v1 + d0; T of every factor is there. */
static void velocities(dal_genalpha *ga)
{
    const dal_group *G = ga->ev->G;
    double *v1 = ga->trial->v, *vd = ga->trial->vd, *w = ga->w;
    const double *d0 = ga->d0, gp = ga->gp, kv = ga->kv;
    dal_add(w, ga->x, ga->nv);
    for (int f = 0; f < G->nfactors && ga->ne > 0; ++f) {
        add_eta(ga, f, w + G->factor[f].v);
    }
    for (int f = 0; f < G->nfactors && ga->c.sigma != 1.0; ++f) {
        if (ga->factor[f].Pi) {
            apply_P(ga, f);
        }
    }
    // (GA.3), (GA.4)
    int i = 0;
    for (; i + DAL_PAIR <= ga->nv; i += DAL_PAIR) {
        const dal_two v = *(const dal_two *)(w + i) * gp;
        *(dal_two *)(v1 + i) = v;
        *(dal_two *)(vd + i) = v * kv + *(const dal_two *)(d0 + i);
    }
    for (; i < ga->nv; ++i) {
        v1[i] = gp * w[i];
        vd[i] = kv * v1[i] + d0[i];
    }
}

void dal_ga_trial_state(dal_genalpha *ga)
{
    const dal_group *G = ga->ev->G;
    const dal_state_buffer *s0 = ga->base.current;
    dal_state_buffer *s1 = ga->trial;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *theta = ga->x + F->v, *c = ga->cvec + F->v;
        ga_factor *k = &ga->factor[f];
        F->type->prepare(k->coef, theta, F->nv);
        F->type->retract(s1->q + F->q, s0->q + F->q, theta, k->coef, F->nv); // (GA.1)
        // w = T c
        if (F->type->flat) {
            dal_copy(ga->w + F->v, c, F->nv);
        } else {
            F->type->tangent(k->T, theta, k->coef, F->nv);
            F->type->apply(ga->w + F->v, k->T, c, F->nv);
        }
    }
    if (ga->untransported) {
        dal_copy(ga->w, ga->cvec, ga->nv);
    }
    velocities(ga); // (GA.6)
    dal_divide(s1->la, ga->x + ga->nv, ga->s, ga->nc);
}

/* N = P^-1 [I + d(T c)/dtheta - (1-sigma)/gp d(T v1)/dtheta], the part of dv1/dtheta that stays bounded as
 * h -> 0; `paper` drops dT: N = P^-1 T. */
void dal_ga_tangents(dal_genalpha *ga)
{
    const dal_group *G = ga->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        ga_factor *k = &ga->factor[f];
        const int n = F->nv;
        if (F->type->flat) {
            continue;
        }
        const double *theta = ga->x + F->v;
        double *D = k->Pi ? k->work[0] : k->N;
        if (ga->opt.jacobian == DAL_JACOBIAN_EXACT) {
            const double *c = ga->untransported ? ga->saddle->zero : ga->cvec + F->v;
            F->type->dtangent(D, theta, c, k->coef, n);
            if (ga->c.sigma != 1.0) {
                const double e = (1.0 - ga->c.sigma) / ga->gp;
                F->type->dtangent(k->work[1], theta, ga->trial->v + F->v, k->coef, n);
                for (int i = 0; i < n * n; ++i) {
                    D[i] -= e * k->work[1][i];
                }
            }
            for (double *d = D; d < D + n * n; d += n + 1) {
                *d += 1.0;
            }
        } else {
            memcpy(D, k->T, (size_t)(n * n) * sizeof(double));
        }
        if (k->Pi) {
            F->type->mul(k->N, k->Pi, n, D, n);
        }
    }
}
