/* The exact kinematic relation: everything at t1 follows from theta (GA.6), and so does its derivative (GA.7). */
#include <string.h>

#include "integrate/genalpha_impl.h"

void dal_ga_set_step(dal_genalpha *ga, double h)
{
    const dal_ga_coef c = ga->c;
    const double *v0 = ga->v0, *a0 = ga->a0, *vd0 = ga->base.current->vd;
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
    for (int i = 0; i < ga->nv; ++i) {
        ga->cvec[i] = cv * v0[i] + ca * a0[i];
        ga->d0[i] = da * a0[i] - ga->kv * v0[i] + dvd * vd0[i];
    }
}

/* First iterate: v' and lambda from the last two states, from the last, or zero; eta as it was. The sigma term
 * of (GA.2) is taken to second order: T^-1(theta) v1 - v1 = hat(theta) v1/2 + hat(theta)^2 v1/12 + ... */
void dal_ga_predict(dal_genalpha *ga)
{
    const dal_ga_coef c = ga->c;
    const dal_state_buffer *s0 = ga->base.current, *sp = ga->base.previous;
    const double h = ga->h, *v0 = ga->v0, *a0 = ga->a0;
    const double hold = ga->opt.predictor == DAL_PREDICTOR_ZERO ? 0.0 : 1.0;
    const double extrapolate = ga->opt.predictor == DAL_PREDICTOR_EXTRAPOLATE && ga->history ? h / s0->h : 0.0;
    const double e = 1.0 / (1.0 - c.alpha_m);
    double *theta = ga->x, *v1 = ga->trial->v;
    for (int i = 0; i < ga->nv; ++i) {
        const double vd1 = hold * s0->vd[i] + extrapolate * (s0->vd[i] - sp->vd[i]);
        const double a1 = e * ((1.0 - c.alpha_f) * vd1 + c.alpha_f * s0->vd[i] - c.alpha_m * a0[i]);
        theta[i] = h * (v0[i] + h * ((0.5 - c.beta) * a0[i] + c.beta * a1));
        v1[i] = v0[i] + h * ((1.0 - c.gamma) * a0[i] + c.gamma * a1);
    }
    if (c.sigma != 0.0 && !ga->ev->G->flat) {
        const double f = c.sigma * h * c.beta / c.gamma;
        dal_bracket(ga->ev->G, ga->w, theta, v1);
        dal_bracket(ga->ev->G, ga->l_q, theta, ga->w);
        for (int i = 0; i < ga->nv; ++i) {
            theta[i] += f * (0.5 * ga->w[i] + ga->l_q[i] / 12.0);
        }
    }
    double *mu = ga->x + ga->nv, *nu = mu + ga->nc;
    for (int i = 0; i < ga->nc; ++i) {
        mu[i] = ga->s * (hold * s0->la[i] + extrapolate * (s0->la[i] - sp->la[i]));
    }
    for (int i = 0; i < ga->n - ga->nv - ga->nc; ++i) {
        nu[i] = ga->h * s0->eta[i];
    }
}

/* w += B0^T nu for the velocities of factor f */
static void add_eta(const dal_genalpha *ga, int f, double *w)
{
    const double *nu = ga->x + ga->nv + ga->nc;
    const int nj = ga->ev->G->factor[f].nv;
    for (int k = ga->eta_link0[f]; k < ga->eta_link0[f + 1]; ++k) {
        const ga_eta_link *el = &ga->eta_link[k];
        const int nr = ga->ev->sys->constraint[el->c].nrows, first = ga->hol0[el->c];
        for (int i = 0; i < nj; ++i) {
            double sum = 0.0;
            for (int r = 0; r < nr; ++r) {
                sum += el->B0[r + i * nr] * nu[first + r];
            }
            w[i] += sum;
        }
    }
}

/* theta -> v1 = gp P^-1 (theta + T c + B0^T nu) for one factor */
static void velocity(dal_genalpha *ga, int f)
{
    const dal_factor *F = &ga->ev->G->factor[f];
    ga_factor *k = &ga->factor[f];
    const double *theta = ga->x + F->v, *c = ga->cvec + F->v, sigma = ga->c.sigma;
    double *v1 = ga->trial->v + F->v, *w = ga->w + F->v;
    const int n = F->nv;
    if (F->type->flat) {
        memcpy(w, c, (size_t)n * sizeof(double));
    } else {
        F->type->tangent(k->T, theta, k->coef, n);
        F->type->apply(w, k->T, c, n);
    }
    for (int i = 0; i < n; ++i) {
        w[i] += theta[i];
    }
    if (ga->opt.formulation == DAL_GGL) {
        add_eta(ga, f, w);
    }
    if (k->Pi) {
        for (int i = 0; i < n * n; ++i) {
            k->work[0][i] = (1.0 - sigma) * k->T[i];
        }
        for (int i = 0; i < n; ++i) {
            k->work[0][i + i * n] += sigma;
        }
        F->type->invert(k->Pi, k->work[0], n);
        F->type->apply(v1, k->Pi, w, n);
    } else {
        memcpy(v1, w, (size_t)n * sizeof(double));
    }
    for (int i = 0; i < n; ++i) {
        v1[i] *= ga->gp;
    }
}

void dal_ga_trial_state(dal_genalpha *ga)
{
    const dal_group *G = ga->ev->G;
    const dal_state_buffer *s0 = ga->base.current;
    dal_state_buffer *s1 = ga->trial;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double *theta = ga->x + F->v;
        F->type->prepare(ga->factor[f].coef, theta, F->nv);
        F->type->retract(s1->q + F->q, s0->q + F->q, theta, ga->factor[f].coef, F->nv); // (GA.1)
        velocity(ga, f);                                                                // (GA.6)
    }
    for (int i = 0; i < ga->nv; ++i) {
        s1->vd[i] = ga->kv * s1->v[i] + ga->d0[i]; // (GA.3), (GA.4)
    }
    for (int i = 0; i < ga->nc; ++i) {
        s1->la[i] = ga->x[ga->nv + i] / ga->s;
    }
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
            F->type->dtangent(D, theta, ga->cvec + F->v, k->coef, n);
            if (ga->c.sigma != 1.0) {
                const double e = (1.0 - ga->c.sigma) / ga->gp;
                F->type->dtangent(k->work[1], theta, ga->trial->v + F->v, k->coef, n);
                for (int i = 0; i < n * n; ++i) {
                    D[i] -= e * k->work[1][i];
                }
            }
            for (int i = 0; i < n; ++i) {
                D[i + i * n] += 1.0;
            }
        } else {
            memcpy(D, k->T, (size_t)(n * n) * sizeof(double));
        }
        if (k->Pi) {
            F->type->mul(k->N, k->Pi, n, D, n);
        }
    }
}
