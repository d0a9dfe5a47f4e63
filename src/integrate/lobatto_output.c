/* Dense output: Hermite interpolation of q, v and v' at two or three states in the local coordinates of the step. */
#include <math.h>
#include <string.h>

#include "integrate/lift.h"
#include "integrate/lobatto_impl.h"

/* A state closer to the step than this part of it, as after a step shortened to end at a given time, is of no use: its
 * divided differences amplify rounding by the cube of the inverse. */
static const double closest = 0.1;

/* theta, H theta', H^2 theta''/2 of a state as seen from q0, where theta is about sign * increment (NULL: zero):
 * theta' = T^-1 v and, from v' = T theta'' + dT(theta') theta', theta'' = T^-1 (v' - dT(theta')/dtheta theta'). */
static void jet_of(dal_lobatto *lb, const double *q0, const dal_state_buffer *s, const double *increment, double sign,
                   double H)
{
    const dal_group *G = lb->ev->G;
    double *theta = lb->jet[0], *rate = lb->jet[1], *second = lb->jet[2], *w = lb->w;
    for (int k = 0; k < lb->nv; ++k) {
        theta[k] = increment ? sign * increment[k] : 0.0;
    }
    if (increment) {
        dal_lift(G, theta, lb->q_work, lb->w, rate, q0, s->q);
    }
    dal_inv_tangent_apply(G, rate, theta, s->v);
    memcpy(w, s->vd, (size_t)lb->nv * sizeof(double));
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        if (!F->type->flat) {
            double coef[DAL_NCOEF], *D = lb->product;
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
    for (int k = 0; k < lb->nv; ++k) {
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

static void build(dal_lobatto *lb)
{
    const dal_state_buffer *s0 = lb->base.previous, *state[3] = {s0, lb->base.end, lb->third};
    const double H = state[1]->t - s0->t;
    const int useful = lb->have_third && fabs(lb->third->t - s0->t) >= closest * H;
    const int nstates = useful ? 3 : 2, n = 3 * nstates, nv = lb->nv;
    // the third state is the middle of the step, or the start of the step that led to s0
    const int middle = lb->opt.step == DAL_STEP_ADAPTIVE;
    const double *increment[3] = {NULL, state[1]->theta, middle ? lb->third->theta : s0->theta};
    const double sign[3] = {0.0, 1.0, middle ? 1.0 : -1.0};
    // rows of output: value, rate, second of each state
    for (int g = 0; g < nstates; ++g) {
        jet_of(lb, s0->q, state[g], increment[g], sign[g], H);
        for (int r = 0; r < 3; ++r) {
            memcpy(lb->output + (3 * g + r) * nv, lb->jet[r], (size_t)nv * sizeof(double));
            lb->output_node[3 * g + r] = (state[g]->t - s0->t) / H;
        }
    }
    for (int k = 0; k < nv; ++k) {
        double d[9], rate[3], second[3];
        for (int i = 0; i < n; ++i) {
            const int g = i / 3;
            d[i] = lb->output[3 * g * nv + k];
            rate[g] = lb->output[(3 * g + 1) * nv + k];
            second[g] = lb->output[(3 * g + 2) * nv + k];
        }
        divided_differences(d, rate, second, lb->output_node, n);
        for (int i = 0; i < n; ++i) {
            lb->output[i * nv + k] = d[i];
        }
    }
    lb->output_nodes = n;
}

/* v' and multipliers that belong to q_work and v_work; in between of those at the ends should that fail, and for
 * multipliers that are carried. Either may be NULL. */
static void accelerations(dal_lobatto *lb, double t, double u, double *vd, double *la)
{
    const dal_state_buffer *s0 = lb->base.previous, *s1 = lb->base.end;
    const int carried = lb->opt.lambda == DAL_LAMBDA_CARRIED;
    double *to = vd ? vd : lb->w, *multipliers = la ? la : lb->saddle->la1;
    const int failed =
        (!carried || vd) && dal_initial_acceleration(lb->saddle, to, multipliers, t, lb->q_work, lb->v_work) != DAL_OK;
    for (int i = 0; vd && failed && i < lb->nv; ++i) {
        vd[i] = s0->vd[i] + u * (s1->vd[i] - s0->vd[i]);
    }
    for (int i = 0; la && (failed || carried) && i < lb->nc; ++i) {
        la[i] = s0->la[i] + u * (s1->la[i] - s0->la[i]);
    }
}

void dal_lb_interpolate(dal_integrator *self, double *q, double *v, double *vd, double *la, double t)
{
    dal_lobatto *lb = (dal_lobatto *)self;
    const dal_state_buffer *s0 = self->previous, *s1 = self->end;
    const double H = s1->t - s0->t, u = (t - s0->t) / H;
    double *psi = lb->jet[0], *rate = lb->jet[1];
    if (lb->output_nodes == 0) {
        build(lb);
    }
    for (int k = 0; k < lb->nv; ++k) {
        // Newton's form and its derivative by Horner's rule
        double value = 0.0, slope = 0.0;
        for (int i = lb->output_nodes - 1; i >= 0; --i) {
            slope = value + (u - lb->output_node[i]) * slope;
            value = lb->output[i * lb->nv + k] + (u - lb->output_node[i]) * value;
        }
        psi[k] = value;
        rate[k] = slope / H;
    }
    dal_retract(lb->ev->G, lb->q_work, s0->q, psi);
    dal_tangent_apply(lb->ev->G, lb->v_work, psi, rate);
    if (q) {
        memcpy(q, lb->q_work, (size_t)lb->nq * sizeof(double));
    }
    if (v) {
        memcpy(v, lb->v_work, (size_t)lb->nv * sizeof(double));
    }
    if (vd || la) {
        accelerations(lb, t, u, vd, la);
    }
}
