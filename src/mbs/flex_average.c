/* Interfaces that move as the weighted mean of several nodes. The place is the mean of the places, the displacement that of the
 * displacements; the rotation is the one that fits the displacements of the nodes best, by weighted least squares:
 *     J theta = sum w r x u,   J = sum w (r.r I - r r^T),   r from the mean                                    (FX.12)
 * By virtue of that, forces at the interface are shared among the nodes without stiffening them. */
#include <math.h>

#include "lie/mat3.h"
#include "mbs/flex_impl.h"

/* Nodes on a line, or in one point: relative to the cube of the trace of J. */
static const double flat = 1e-9;

typedef struct mean {
    const dal_average *by;
    const dal_modes *d;
    double total, a[3];  /* sum of the weights; the place */
    double J[9], spread; /* spread: sum w r.r */
} mean;

static double weight_of(const dal_average *by, int i)
{
    return by->weight ? by->weight[i] : 1.0;
}

static void arm_of(double r[3], const mean *x, int i)
{
    sub3(r, x->d->node + 3 * (size_t)x->by->node[i], x->a);
}

static void prepare(mean *x)
{
    const dal_average *by = x->by;
    for (int i = 0; i < by->n; ++i) {
        x->total += weight_of(by, i);
        axpy3(x->a, weight_of(by, i), x->d->node + 3 * (size_t)by->node[i]);
    }
    scale3(x->a, 1.0 / x->total, x->a);
    for (int i = 0; i < by->n; ++i) {
        double r[3];
        arm_of(r, x, i);
        const double w = weight_of(by, i), rr = dot3(r, r);
        x->spread += w * rr;
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                x->J[j + 3 * k] += w * ((j == k ? rr : 0.0) - r[j] * r[k]);
            }
        }
    }
}

/* The rotation of a mode from the moments b = sum w r x u of its displacements; where the nodes lie on a line or in a point, what
 * they cannot tell comes from the mean t of the rotations of the nodes. */
static void fit(double theta[3], const mean *x, const double b[3], const double t[3])
{
    double c[3], Ji[9], e[3] = {0.0};
    cross3(c, x->J + 3, x->J + 6);
    const double size = 2.0 * x->spread;
    copy3(theta, t);
    if (!(x->spread > 0.0)) {
        return;
    }
    if (dot3(x->J, c) > flat * size * size * size) {
        mat3_invert(Ji, 3, x->J, 3);
        mat3_mul_vec(theta, Ji, 3, b);
        return;
    }
    for (int i = 0; i < x->by->n; ++i) { // the line: along the longest arm
        double r[3];
        arm_of(r, x, i);
        if (dot3(r, r) > dot3(e, e)) {
            copy3(e, r);
        }
    }
    scale3(e, 1.0 / sqrt(dot3(e, e)), e);
    const double along = dot3(e, t);
    for (int i = 0; i < 3; ++i) {
        theta[i] = b[i] / x->spread + along * e[i];
    }
}

void mb_flex_average(double *a, double *psi, double *theta, double *g, const dal_modes *d, const dal_average *by)
{
    const size_t n = (size_t)d->nmodes;
    mean x = {.by = by, .d = d};
    prepare(&x);
    copy3(a, x.a);
    for (size_t k = 0; k < n; ++k) {
        double b[3] = {0.0}, t[3] = {0.0}, u[3] = {0.0};
        for (int i = 0; i < by->n; ++i) {
            const size_t at = 3 * (n * (size_t)by->node[i] + k);
            const double w = weight_of(by, i) / x.total;
            double r[3], m[3];
            arm_of(r, &x, i);
            cross3(m, r, d->shape + at);
            axpy3(b, w * x.total, m);
            axpy3(u, w, d->shape + at);
            if (d->rotation) {
                axpy3(t, w, d->rotation + at);
            }
        }
        copy3(psi + 3 * k, u);
        fit(theta + 3 * k, &x, b, t);
    }
    for (size_t k = 0; g && k < n * n; ++k) {
        for (int i = 0; i < by->n; ++i) {
            axpy3(g + 3 * k, weight_of(by, i) / x.total, d->foreshortening + 3 * (n * n * (size_t)by->node[i] + k));
        }
    }
}

/* Each node is listed once. */
static dal_status check_distinct(dal_model *m, const char *name, const dal_modes *d, int number)
{
    const dal_average *by = &d->average[number];
    char *seen = dal_alloc_zero(m->ctx, (size_t)d->nnodes);
    if (!seen) {
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for flexible body '%s'", name);
    }
    dal_status st = DAL_OK;
    for (int i = 0; st == DAL_OK && i < by->n; ++i) {
        if (seen[by->node[i]]++) {
            st = dal_fail(m->ctx, DAL_EINVAL, "flexible body '%s': mean %d has node %d twice", name, number,
                          by->node[i]);
        }
    }
    dal_free(m->ctx, seen);
    return st;
}

dal_status mb_check_average(dal_model *m, const char *name, const dal_modes *d, int number)
{
    const dal_average *by = &d->average[number];
    if (by->n < 1 || !by->node) {
        return dal_fail(m->ctx, DAL_EINVAL, "flexible body '%s': mean %d has no nodes", name, number);
    }
    for (int i = 0; i < by->n; ++i) {
        const double w = weight_of(by, i);
        if (by->node[i] < 0 || by->node[i] >= d->nnodes) {
            return dal_fail(m->ctx, DAL_EINVAL, "flexible body '%s': mean %d has node %d of %d", name, number,
                            by->node[i], d->nnodes);
        }
        if (!(w >= 1e-30 && w <= 1e30)) {
            return dal_fail(
                m->ctx, DAL_EINVAL,
                "flexible body '%s': mean %d has the weight %g; weights are positive, between 1e-30 and 1e30", name,
                number, w);
        }
    }
    return check_distinct(m, name, d, number);
}
