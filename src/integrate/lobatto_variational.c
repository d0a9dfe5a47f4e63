/* The variational method (LJ.5): theta is a polynomial through theta_1 .. theta_s in the chart of the middle, and the action along it is
 * stationary, with regard to the base of the chart, too. Unknowns as in the other methods: rates of the chart eta_i = v_n + sum_j ahat_ij
 * alpha_j, which are those of a polynomial of degree s - 2, and v_(n+1) = v_n + sum_j b_j alpha_j. M is constant. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "integrate/lobatto_impl.h"
#include "integrate/lobatto_table.h"

enum { SIX = 6 }; /* velocities of a factor that turns */

/* The part of a factor that turns: all of it, or the rotations of R^3 x SO(3). NULL: none. */
static const dal_factor_type *turning(const dal_factor *F, int *first, int *n)
{
    const int apart = F->type->kind == DAL_FACTOR_R3SO3;
    *first = F->v + (apart ? 3 : 0);
    *n = apart ? 3 : F->nv;
    return F->type->flat ? NULL : apart ? dal_factor_type_of(DAL_FACTOR_SO3) : F->type;
}

/* y = X x, or X^T x, n x n */
static void times(double *y, const double *X, const double *x, int n, int transposed)
{
    for (int i = 0; i < n; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < n; ++j) {
            y[i] += X[transposed ? j + i * n : i + j * n] * x[j];
        }
    }
}

/* y = M x */
static void mass(const dal_lobatto *lb, double *y, const double *x)
{
    const dal_eval *ev = lb->ev;
    const dal_matrix *A = lb->mass.A;
    dal_zero(y, lb->nv);
    for (int p = 0; p < ev->sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(ev, p);
        for (int j = 0; j < b.nj; ++j) {
            for (int i = 0; i < b.ni; ++i) {
                y[b.i + i] += A->x[A->slot[p][j] + i] * x[b.j + j];
            }
        }
    }
}

void dal_lb_variational_values(dal_lobatto *lb)
{
    const dal_group *G = lb->ev->G;
    for (int i = 0; i < lb->s; ++i) {
        dal_copy(lb->V + i * lb->nv, lb->f + i * lb->nv, lb->nv);
        for (int f = 0; f < G->nfactors; ++f) {
            int k, n;
            const dal_factor_type *type = turning(&G->factor[f], &k, &n);
            if (type) {
                double coef[DAL_NCOEF], T[SIX * SIX] = {0.0};
                k += i * lb->nv;
                type->prepare(coef, lb->theta + k, n);
                type->tangent(T, lb->theta + k, coef, n);
                times(lb->V + k, T, lb->f + k, n, 0);
            }
        }
    }
}

/* What turns at a stage: T, T^-1, T^-1(-theta), d(T eta)/dtheta. */
typedef struct turn {
    double T[SIX * SIX], inverse[SIX * SIX], back[SIX * SIX], E[SIX * SIX];
} turn;

static void turn_at(turn *t, const dal_factor_type *type, const double *theta, const double *eta, int n)
{
    double coef[DAL_NCOEF], minus[SIX];
    memset(t, 0, sizeof *t);
    type->prepare(coef, theta, n);
    type->tangent(t->T, theta, coef, n);
    type->inv_tangent(t->inverse, theta, coef, n);
    type->dtangent(t->E, theta, eta, coef, n);
    for (int i = 0; i < n; ++i) {
        minus[i] = -theta[i];
    }
    type->prepare(coef, minus, n);
    type->inv_tangent(t->back, minus, coef, n);
}

/* y += a Ad^T x, Ad = Ad(exp(-theta)) = T(theta) T^-1(-theta) */
static void add_to_base(double *y, const turn *t, const double *x, double a, int n)
{
    double u[SIX], w[SIX];
    times(u, t->T, x, n, 1);
    times(w, t->back, u, n, 1);
    for (int i = 0; i < n; ++i) {
        y[i] += a * w[i];
    }
}

/* The part of a body that turns, in a step. */
typedef struct part {
    const dal_factor_type *type;
    int n;
    double M[SIX * SIX];
    double theta[LB_MAX][SIX], eta[LB_MAX][SIX], F[LB_MAX][SIX]; /* of the stages; h F */
    double v[2][SIX];                                            /* at both ends */
} part;

/* F: h (g + B^T Lambda) of the stages, nv x s. Without the gyroscopic forces of g: + h hat(V)^T M V */
static void gather(part *p, const dal_lobatto *lb, const dal_factor_type *type, int f, int k, int n, const double *F)
{
    const dal_matrix *A = lb->mass.A;
    const int pair = lb->own[f], skip = k - lb->ev->G->factor[f].v;
    p->type = type;
    p->n = n;
    for (int j = 0; j < n; ++j) {
        dal_copy(p->M + j * n, A->x + A->slot[pair][skip + j] + skip, n);
    }
    for (int i = 0; i < lb->s; ++i) {
        const int at = i * lb->nv + k;
        double H[SIX * SIX] = {0.0}, u[SIX], w[SIX];
        dal_copy(p->theta[i], lb->theta + at, n);
        dal_copy(p->eta[i], lb->f + at, n);
        type->hat(H, lb->V + at, n);
        times(u, p->M, lb->V + at, n, 0);
        times(w, H, u, n, 1);
        for (int l = 0; l < n; ++l) {
            p->F[i][l] = F[at + l] + lb->h * w[l];
        }
    }
    dal_copy(p->v[0], lb->from->v + k, n);
    dal_copy(p->v[1], lb->L + (lb->s - 1) * lb->nv + k, n);
}

/* (LJ.5), over -b_j and turned into the axes of the stages, with the balance (LJ.6) in the place of the sum over all, which kappa makes
 * hold. */
static void turned_rows(double R[LB_MAX][SIX], const dal_lobatto *lb, const part *p)
{
    const int s = lb->s, n = p->n;
    turn t[LB_MAX];
    double P[LB_MAX][SIX] = {{0.0}}, end[2][SIX], kappa[SIX] = {0.0}, u[SIX], w[SIX];
    for (int i = 0; i < s; ++i) {
        turn_at(&t[i], p->type, p->theta[i], p->eta[i], n);
        add_to_base(kappa, &t[i], p->F[i], lb->b[i], n); // the balance
        times(u, t[i].T, p->eta[i], n, 0);
        times(w, p->M, u, n, 0);
        times(P[i], t[i].T, w, n, 1);
        times(u, t[i].E, w, n, 1);
        times(w, t[i].T, p->F[i], n, 1);
        for (int l = 0; l < n; ++l) {
            R[i][l] = w[l] - lb->h * u[l];
        }
    }
    for (int e = 0; e < 2; ++e) {
        const int i = e == 0 ? 0 : s - 1;
        const double sign = e == 0 ? 1.0 : -1.0;
        times(u, p->M, p->v[e], n, 0);
        add_to_base(kappa, &t[i], u, -sign, n);
        times(end[e], t[i].T, u, n, 1);
        for (int l = 0; l < n; ++l) {
            R[i][l] += sign * (P[i][l] - end[e][l]) / lb->b[i];
        }
    }
    for (int j = 0; j < s; ++j) {
        for (int l = 0; l < n; ++l) {
            for (int i = 0; i < s; ++i) {
                R[j][l] += lb->slope[j + i * s] * P[i][l];
            }
            kappa[l] -= lb->b[j] * R[j][l];
        }
    }
    for (int j = 0; j < s; ++j) {
        for (int l = 0; l < n; ++l) {
            u[l] = R[j][l] + lb->half[j] / lb->b[j] * kappa[l];
        }
        times(R[j], t[j].inverse, u, n, 1);
    }
}

/* What does not turn: M alpha_i + h F_i, as in the other methods. */
static void flat_rows(dal_lobatto *lb, double *x)
{
    const dal_group *G = lb->ev->G;
    for (int i = 0; i < lb->s; ++i) {
        mass(lb, lb->w, dal_lb_alpha(lb, i));
        for (int f = 0; f < G->nfactors; ++f) {
            const dal_factor *F = &G->factor[f];
            int k, n;
            const int flat = turning(F, &k, &n) ? k - F->v : F->nv;
            dal_add(x + i * lb->nv + F->v, lb->w + F->v, flat);
        }
    }
}

void dal_lb_variational_rows(dal_lobatto *lb, double *x)
{
    const dal_group *G = lb->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        int k, n;
        const dal_factor_type *type = turning(&G->factor[f], &k, &n);
        if (type) {
            part p;
            double R[LB_MAX][SIX] = {{0.0}};
            gather(&p, lb, type, f, k, n, x);
            turned_rows(R, lb, &p);
            for (int i = 0; i < lb->s; ++i) {
                dal_copy(x + i * lb->nv + k, R[i], n);
            }
        }
    }
    flat_rows(lb, x);
}

void dal_lb_variational_update(dal_lobatto *lb, double *alpha, const double *d, double scale)
{
    const dal_group *G = lb->ev->G;
    for (int i = 0; i < lb->s; ++i) {
        dal_copy(lb->w, d + i * lb->nv, lb->nv);
        for (int f = 0; f < G->nfactors; ++f) {
            int k, n;
            const dal_factor_type *type = turning(&G->factor[f], &k, &n);
            if (type) {
                double coef[DAL_NCOEF], T[SIX * SIX] = {0.0};
                type->prepare(coef, lb->turned + i * lb->nv + k, n);
                type->inv_tangent(T, lb->turned + i * lb->nv + k, coef, n);
                times(lb->w + k, T, d + i * lb->nv + k, n, 0);
            }
        }
        for (int l = 0; l < lb->nv; ++l) {
            alpha[i * lb->nv + l] += scale * lb->w[l];
        }
    }
}

/* Does M couple what turns with anything else? */
static int coupled(const dal_lobatto *lb)
{
    const dal_eval *ev = lb->ev;
    const dal_matrix *A = lb->mass.A;
    double most = 0.0, beside = 0.0;
    for (int p = 0; p < ev->sys->npairs; ++p) {
        const dal_block_at b = dal_pair_at(ev, p);
        const dal_pair at = ev->sys->pair[p];
        int k[2], n[2];
        const int turns[2] = {turning(&ev->G->factor[at.i], &k[0], &n[0]) != NULL,
                              turning(&ev->G->factor[at.j], &k[1], &n[1]) != NULL};
        for (int m = 0; m < b.ni * b.nj; ++m) {
            const int i = b.i + m % b.ni, j = b.j + m / b.ni, in = turns[0] && i >= k[0], jn = turns[1] && j >= k[1];
            const double x = fabs(A->x[A->slot[p][m / b.ni] + m % b.ni]) * ev->unit[i] * ev->unit[j];
            most = fmax(most, x);
            beside = (in || jn) && !(in && jn && at.i == at.j) ? fmax(beside, x) : beside;
        }
    }
    return beside > 1e-10 * most;
}

/* M is filled into the matrix of M alone, and stays there. */
dal_status dal_lb_variational_start(dal_lobatto *lb, const dal_state_buffer *s)
{
    const dal_eval *ev = lb->ev;
    const dal_point here = {s->t, s->q, s->v, s->vd, s->la}, there = {s->t, lb->q_work, s->v, s->vd, s->la};
    double most = 0.0, apart = 0.0, *other = lb->r;
    int worst = 0;
    char name[80];
    for (int k = 0; k < lb->nv; ++k) {
        lb->w[k] = 0.1 * ev->unit[k] * (1.0 + k % 3);
        lb->v_work[k] = 1.0 + k % 2;
    }
    dal_retract(ev->G, lb->q_work, s->q, lb->w);
    DAL_TRY(dal_bordered_fill(&lb->mass, &there, 0));
    mass(lb, other, lb->v_work);
    DAL_TRY(dal_bordered_fill(&lb->mass, &here, 0));
    mass(lb, lb->w, lb->v_work);
    for (int k = 0; k < lb->nv; ++k) {
        most = dal_larger(most, fabs(other[k]));
        worst = fabs(other[k] - lb->w[k]) > apart ? k : worst;
        apart = dal_larger(apart, fabs(other[k] - lb->w[k]));
    }
    if (apart > 1e-10 * most) {
        dal_eval_velocity_name(ev, name, sizeof name, worst);
        return dal_fail(
            lb->ctx, DAL_EOPTION,
            "lambda = variational needs a constant mass matrix (rigid bodies in R^3 x SO(3) about their centres "
            "of mass, or in SE(3)), and that of %s changes with the motion: use lambda = symmetric",
            name);
    }
    return coupled(lb) ? dal_fail(lb->ctx, DAL_EOPTION,
                                  "lambda = variational needs a mass matrix body by body: use lambda = symmetric")
                       : DAL_OK;
}

void dal_lb_variational_coefficients(dal_lobatto *lb)
{
    const int s = lb->s;
    dal_lagrange(lb->half, lb->c, lb->bary, s, 0.5);
    // l_j'(c_i)
    for (int i = 0; i < s; ++i) {
        double sum = 0.0;
        for (int j = 0; j < s; ++j) {
            if (i != j) {
                lb->slope[i + j * s] = lb->bary[j] / lb->bary[i] / (lb->c[i] - lb->c[j]);
                sum += lb->slope[i + j * s];
            }
        }
        lb->slope[i + i * s] = -sum;
    }
}
