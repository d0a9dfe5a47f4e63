#include "integrate/output.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lift.h"

/* A state closer to the step than this part of it, as after a step shortened to end at a given time, is of no use: its
 * divided differences amplify rounding by the cube of the inverse. */
static const double closest = 0.1;

/* theta, H theta', H^2 theta''/2 of a state as seen from q0, where theta is about sign * increment (NULL: zero):
 * theta' = T^-1 v and, from v' = T theta'' + dT(theta') theta', theta'' = T^-1 (v' - dT(theta')/dtheta theta'). */
static void jet_of(dal_output *o, const double *q0, const dal_state_buffer *s, const double *increment, double sign,
                   double H)
{
    const dal_group *G = o->ev->G;
    double *theta = o->jet[0], *rate = o->jet[1], *second = o->jet[2], *w = o->w;
    for (int k = 0; k < G->nv; ++k) {
        theta[k] = increment ? sign * increment[k] : 0.0;
    }
    if (increment) {
        dal_lift(G, theta, o->q, o->w, rate, q0, s->q);
    }
    dal_inv_tangent_apply(G, rate, theta, s->v);
    memcpy(w, s->vd, (size_t)G->nv * sizeof(double));
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (!F->type->flat) {
            double coef[DAL_NCOEF], *D = o->D;
            F->type->prepare(coef, theta + F->v, F->nv);
            F->type->dtangent(D, theta + F->v, rate + F->v, coef, F->nv);
            for (int j = 0; j < F->nv; ++j) {
                for (int i = 0; i < F->nv; ++i) {
                    w[F->v + i] -= D[i + j * F->nv] * rate[F->v + j];
                }
            }
        }
    }
    dal_inv_tangent_apply(G, second, theta, w);
    for (int k = 0; k < G->nv; ++k) {
        rate[k] *= H;
        second[k] *= 0.5 * H * H;
    }
}

/* Divided differences in place: d[0 .. n-1] on entry values at the nodes, three equal nodes each; rate, second as
 * above by group of three. */
static void divided_differences(double *d, const double *rate, const double *second, const double *node, int n)
{
    for (int level = 1; level < n; ++level) {
        for (int i = n - 1; i >= level; --i) {
            const double width = node[i] - node[i - level];
            if (width != 0.0) {
                d[i] = (d[i] - d[i - 1]) / width;
            } else {
                d[i] = level == 1 ? rate[i / 3] : second[i / 3];
            }
        }
    }
}

void dal_output_carve(dal_output *o, dal_arena *arena, dal_eval *ev, dal_saddle *saddle)
{
    const int nv = ev->nv, block = ev->G->max_nv;
    o->ev = ev;
    o->saddle = saddle;
    o->d = dal_arena_reals(arena, 9 * nv);
    double **velocities[] = {&o->jet[0], &o->jet[1], &o->jet[2], &o->v, &o->w};
    for (size_t i = 0; i < sizeof velocities / sizeof velocities[0]; ++i) {
        *velocities[i] = dal_arena_reals(arena, nv);
    }
    o->q = dal_arena_reals(arena, ev->nq);
    o->D = dal_arena_reals(arena, block * block);
}

void dal_output_build(dal_output *o, const dal_state_buffer *s0, const dal_state_buffer *s1,
                      const dal_state_buffer *third, const double *increment, double sign)
{
    const double H = s1->t - s0->t;
    const int useful = third && fabs(third->t - s0->t) >= closest * H;
    const int nstates = useful ? 3 : 2, n = 3 * nstates, nv = o->ev->nv;
    const dal_state_buffer *const state[3] = {s0, s1, third};
    const double *const way[3] = {NULL, s1->theta, increment};
    // rows of d: value, rate, second of each state
    for (int g = 0; g < nstates; ++g) {
        jet_of(o, s0->q, state[g], way[g], g == 2 ? sign : 1.0, H);
        for (int r = 0; r < 3; ++r) {
            memcpy(o->d + (3 * g + r) * nv, o->jet[r], (size_t)nv * sizeof(double));
            o->node[3 * g + r] = (state[g]->t - s0->t) / H;
        }
    }
    for (int k = 0; k < nv; ++k) {
        double d[9], rate[3], second[3];
        for (int i = 0; i < n; ++i) {
            const int g = i / 3;
            d[i] = o->d[3 * g * nv + k];
            rate[g] = o->d[(3 * g + 1) * nv + k];
            second[g] = o->d[(3 * g + 2) * nv + k];
        }
        divided_differences(d, rate, second, o->node, n);
        for (int i = 0; i < n; ++i) {
            o->d[i * nv + k] = d[i];
        }
    }
    o->n = n;
}

void dal_output_at(dal_output *o, const dal_state_buffer *s0, const dal_state_buffer *s1, double t)
{
    const double H = s1->t - s0->t, u = (t - s0->t) / H;
    const int nv = o->ev->nv;
    double *psi = o->jet[0], *rate = o->jet[1];
    for (int k = 0; k < nv; ++k) {
        // Newton's form and its derivative by Horner's rule
        double value = 0.0, slope = 0.0;
        for (int i = o->n - 1; i >= 0; --i) {
            slope = value + (u - o->node[i]) * slope;
            value = o->d[i * nv + k] + (u - o->node[i]) * value;
        }
        psi[k] = value;
        rate[k] = slope / H;
    }
    dal_retract(o->ev->G, o->q, s0->q, psi);
    dal_tangent_apply(o->ev->G, o->v, psi, rate);
}

void dal_output_accelerations(dal_output *o, double *vd, double *la, const dal_state_buffer *s0,
                              const dal_state_buffer *s1, double t, int carried)
{
    const double u = (t - s0->t) / (s1->t - s0->t);
    double *to = vd ? vd : o->w, *multipliers = la ? la : o->saddle->la1;
    const int failed =
        (!carried || vd) && dal_initial_acceleration(o->saddle, to, multipliers, t, o->q, o->v) != DAL_OK;
    for (int i = 0; vd && failed && i < o->ev->nv; ++i) {
        vd[i] = s0->vd[i] + u * (s1->vd[i] - s0->vd[i]);
    }
    for (int i = 0; la && (failed || carried) && i < o->ev->nc; ++i) {
        la[i] = s0->la[i] + u * (s1->la[i] - s0->la[i]);
    }
}

void dal_output_step(dal_output *o, double *q, double *v, double *vd, double *la, const dal_integrator *self, double t)
{
    const dal_state_buffer *s0 = self->previous, *s1 = self->end;
    if (o->n == 0) {
        dal_output_build(o, s0, s1, NULL, NULL, 0.0);
    }
    dal_output_at(o, s0, s1, t);
    if (q) {
        dal_copy(q, o->q, o->ev->nq);
    }
    if (v) {
        dal_copy(v, o->v, o->ev->nv);
    }
    if (vd || la) {
        dal_output_accelerations(o, vd, la, s0, s1, t, 0);
    }
}
