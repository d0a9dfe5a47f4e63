/* The two elements behind one set of calls, their tables, and their reference shapes. */
#include "beam/beam.h"

#include "beam/helicoid_kernel.h"
#include "beam/lagrange_kernel.h"

/* ---- nodes of Lobatto and Gauss --------------------------------------------------------------- */

/* P_p and its first two derivatives at x, |x| < 1 */
static void legendre(double P[3], int p, double x)
{
    double before = 1.0, now = x;
    for (int k = 2; k <= p; ++k) {
        const double next = ((2.0 * k - 1.0) * x * now - (k - 1.0) * before) / k;
        before = now;
        now = next;
    }
    // (1 - x^2) P' = p (P_{p-1} - x P), (1 - x^2) P'' = 2 x P' - p (p + 1) P
    P[0] = now;
    P[1] = p * (before - x * now) / (1.0 - x * x);
    P[2] = (2.0 * x * P[1] - p * (p + 1.0) * now) / (1.0 - x * x);
}

/* Root k of P_p (derivative 0) or of P_p' (1), from a guess next to it */
static double legendre_root(int p, int derivative, double x)
{
    for (int it = 0; it < 20; ++it) {
        double P[3];
        legendre(P, p, x);
        x -= P[derivative] / P[derivative + 1];
    }
    return x;
}

/* Values and slopes at x of the n polynomials through the nodes */
static void lagrange_polynomials(double *l, double *dl, const double *node, int n, double x)
{
    for (int i = 0; i < n; ++i) {
        double value = 1.0, slope = 0.0;
        for (int j = 0; j < n; ++j) {
            double other = 1.0;
            if (j == i) {
                continue;
            }
            for (int k = 0; k < n; ++k) {
                other *= k == i || k == j ? 1.0 : (x - node[k]) / (node[i] - node[k]);
            }
            value *= (x - node[j]) / (node[i] - node[j]);
            slope += other / (node[i] - node[j]);
        }
        l[i] = value;
        dl[i] = slope;
    }
}

void beam_table_make(beam_table *t, int p)
{
    const double pi = 3.14159265358979323846;
    const int n = p + 1;
    double P[3], unused[BEAM_NODES_MAX];
    memset(t, 0, sizeof *t);
    t->p = p;
    for (int k = 0; k < p; ++k) {
        const double x = legendre_root(p, 0, -cos(pi * (k + 0.75) / (p + 0.5)));
        legendre(P, p, x);
        t->point[k] = x;
        t->point_weight[k] = 2.0 / ((1.0 - x * x) * P[1] * P[1]);
    }
    t->node[0] = -1.0;
    t->node[p] = 1.0;
    t->node_weight[0] = t->node_weight[p] = 2.0 / (p * (p + 1.0));
    for (int k = 1; k < p; ++k) {
        const double x = legendre_root(p, 1, -cos(pi * k / p));
        legendre(P, p, x);
        t->node[k] = x;
        t->node_weight[k] = 2.0 / (p * (p + 1.0) * P[0] * P[0]);
    }
    for (int k = 0; k < p; ++k) {
        lagrange_polynomials(t->l[k], t->dl[k], t->node, n, t->point[k]);
    }
    for (int k = 0; k < n; ++k) {
        lagrange_polynomials(unused, t->dl_node[k], t->node, n, t->node[k]);
    }
}

/* ---- reference -------------------------------------------------------------------------------- */

/* F = K^-1 and the matrix of the first guess, (F + L^2/12 Y^T F Y)^-1 with Y = hat(f0)^T (BM.21) */
static void prepare_order_four(beam_point *g, double *F, double *start)
{
    double A[36], H[36], FY[36], Y[36];
    const double c = g->weight * g->weight / 12.0;
    memcpy(A, g->section->K, sizeof A);
    memset(F, 0, sizeof A);
    memset(start, 0, sizeof A);
    for (int i = 0; i < 6; ++i) {
        F[7 * i] = start[7 * i] = 1.0;
    }
    beam_solve6(F, A, 6);
    beam_hat(H, g->f0);
    for (int i = 0; i < 36; ++i) {
        Y[i] = H[i / 6 + 6 * (i % 6)];
    }
    mul6n(FY, F, Y, 6);
    for (int i = 0; i < 36; ++i) {
        A[i] = F[i] + c * dot6(Y + 6 * (i % 6), FY + 6 * (i / 6));
    }
    beam_solve6(start, A, 6);
    g->F = F;
    g->start = start;
}

int beam_reference(beam_element *e, double *F, double *start, const beam_frame *f)
{
    if (!e->table) {
        helicoid h;
        beam_point *g = e->point;
        helicoid_between(&h, f);
        g->weight = g->slope = sqrt(dot3(h.d, h.d));
        for (int i = 0; i < 6; ++i) {
            g->f0[i] = h.d[i] / g->weight;
        }
        if (F) {
            prepare_order_four(g, F, start);
        }
        return g->weight > 0.0 && h.x < 9.8; // pi^2 = 9.87
    }
    const beam_table *t = e->table;
    double p[BEAM_NODES_MAX][4], z[LAG_SIZE];
    int sound = 1;
    lagrange_quaternions(p, f, e->n);
    for (int k = 0; k < t->p; ++k) {
        beam_point *g = &e->point[k];
        lagrange_at at;
        lagrange_sum(z, f, p, 0, t->l[k], t->dl[k], 1.0, e->n);
        g->slope = sqrt(dot3(z, z));
        g->weight = t->point_weight[k] * g->slope;
        lagrange_sum(z, f, p, 0, t->l[k], t->dl[k], g->slope, e->n);
        lagrange_strain(&at, z);
        memcpy(g->f0, at.f, sizeof g->f0);
        sound &= g->slope > 0.0 && at.rho < 4.0;
    }
    return sound;
}

void beam_node_lengths(double *w, const beam_element *e, const beam_frame *f)
{
    for (int i = 0; i < e->n && !e->table; ++i) {
        w[i] = 0.5 * e->point->weight;
    }
    for (int i = 0; i < e->n && e->table; ++i) {
        double slope[3] = {0.0, 0.0, 0.0};
        for (int j = 0; j < e->n; ++j) {
            for (int k = 0; k < 3; ++k) {
                slope[k] += e->table->dl_node[i][j] * f[j].x[k];
            }
        }
        w[i] = e->table->node_weight[i] * sqrt(dot3(slope, slope));
    }
}

/* ---- evaluation ------------------------------------------------------------------------------- */

void beam_force(double *r, const beam_element *e, const beam_frame *f)
{
    double strain[6], s[6];
    if (e->table) {
        lagrange_force(r, e->table, e->point, f);
    } else {
        helicoid_force(r, strain, s, e->point, f);
    }
}

void beam_tangent(double *K, double *C, const beam_element *e, const beam_frame *f)
{
    if (e->table) {
        lagrange_tangent(K, C, e->table, e->point, f);
    } else {
        helicoid_tangent(K, C, e->point, f);
    }
}

double beam_energy(const beam_element *e, const beam_frame *f)
{
    return e->table ? lagrange_energy(e->table, e->point, f) : helicoid_energy(e->point, f);
}

double beam_loss(const beam_element *e, const beam_frame *f)
{
    if (!beam_damped(e)) {
        return 0.0;
    }
    return e->table ? lagrange_loss(e->table, e->point, f) : helicoid_loss(e->point, f);
}

/* ---- at a place ------------------------------------------------------------------------------- */

void beam_at(double x[3], double p[4], double strain[6], double s[6], const beam_element *e, const beam_frame *f,
             double xi)
{
    double place[3], turn[4], own[12], *at[4] = {x, p, strain, s}, *from[4] = {place, turn, own, own + 6};
    static const size_t size[4] = {3, 4, 6, 6};
    if (e->table) {
        const beam_table *t = e->table;
        double q[BEAM_NODES_MAX][4], l[BEAM_NODES_MAX], dl[BEAM_NODES_MAX], z[LAG_SIZE];
        lagrange_quaternions(q, f, e->n);
        lagrange_polynomials(l, dl, t->node, e->n, 2.0 * xi - 1.0);
        lagrange_sum(z, f, q, 0, l, dl, 1.0, e->n);
        const double norm = sqrt(dot4(z + LAG_P, z + LAG_P));
        for (int k = 0; k < 4; ++k) {
            turn[k] = z[LAG_P + k] / norm;
        }
        for (int k = 0; k < 3; ++k) {
            place[k] = 0.0;
            for (int i = 0; i < e->n; ++i) {
                place[k] += l[i] * f[i].x[k];
            }
        }
    } else {
        helicoid_frame(place, turn, f, xi);
    }
    if (strain || s) {
        double l[BEAM_NODES_MAX];
        beam_section_place(l, e, xi);
        if (e->table) {
            lagrange_section(own, own + 6, e->table, e->point, f, l);
        } else {
            helicoid_section(own, own + 6, e->point, f, l[0]);
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (at[k]) {
            memcpy(at[k], from[k], size[k] * sizeof(double));
        }
    }
}

void beam_section_place(double *l, const beam_element *e, double xi)
{
    double dl[BEAM_NODES_MAX];
    l[0] = xi;
    if (e->table) {
        lagrange_polynomials(l, dl, e->table->point, e->table->p, 2.0 * xi - 1.0);
    }
}
