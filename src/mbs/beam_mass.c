/* The consistent mass of an element, (BM.30) with two nodes, (BM.32) with more: what it has beyond the shares of its nodes, which are
 * those of bodies and carry weight and momentum. */
#include <math.h>
#include <string.h>

#include "mbs/beam_impl.h"
#include "mbs/weight_kernel.h"

/* ---- the matrix ------------------------------------------------------------------------------- */

static void product(double *Y, const double *A, const double *B)
{
    for (int k = 0; k < 36; ++k) {
        double sum = 0.0;
        for (int l = 0; l < 6; ++l) {
            sum += A[k % 6 + 6 * l] * B[l + 6 * (k / 6)];
        }
        Y[k] = sum;
    }
}

/* T(theta), or its inverse */
static void tangent(double T[36], const double theta[6], int inverse)
{
    const dal_factor_type *G = dal_factor_type_of(DAL_FACTOR_SE3);
    double coef[DAL_NCOEF];
    memset(T, 0, 36 * sizeof *T);
    G->prepare(coef, theta, 6);
    (inverse ? G->inv_tangent : G->tangent)(T, theta, coef, 6);
}

/* Ad(exp(-theta)) = I - hat(theta) T(theta) */
static void carry_back(double X[36], const double theta[6])
{
    double T[36], H[36];
    tangent(T, theta, 0);
    memset(H, 0, sizeof H);
    dal_factor_type_of(DAL_FACTOR_SE3)->hat(H, theta, 6);
    product(X, H, T);
    for (int k = 0; k < 36; ++k) {
        X[k] = (k % 7 == 0) - X[k];
    }
}

/* N_A and N_B of (BM.30) at a part of the helicoid d0 */
static void helicoid_field(double N[2][36], const double d0[6], double part)
{
    double d[6], T[36], Ti[36], whole[36], X[36];
    for (int i = 0; i < 6; ++i) {
        d[i] = part * d0[i];
    }
    tangent(Ti, d0, 1);
    carry_back(whole, d0);
    tangent(T, d, 0);
    product(N[1], T, Ti);
    for (int k = 0; k < 36; ++k) {
        N[1][k] *= part;
    }
    carry_back(N[0], d);
    product(X, N[1], whole);
    for (int k = 0; k < 36; ++k) {
        N[0][k] -= X[k];
    }
}

/* N_i of (BM.32) */
static void lagrange_field(double N[][36], const beam_table *t, const beam_frame *f, double part)
{
    const int n = t->p + 1;
    double l[BEAM_NODES_MAX], P[4] = {0.0}, Rg[9];
    for (int i = 0; i < n; ++i) {
        const double x = 2.0 * part - 1.0, sign = f[i].p[0] * f[n / 2].p[0] + f[i].p[1] * f[n / 2].p[1] +
                                                  f[i].p[2] * f[n / 2].p[2] + f[i].p[3] * f[n / 2].p[3];
        l[i] = 1.0;
        for (int j = 0; j < n; ++j) {
            l[i] *= j == i ? 1.0 : (x - t->node[j]) / (t->node[i] - t->node[j]);
        }
        for (int k = 0; k < 4; ++k) {
            P[k] += (sign < 0.0 ? -l[i] : l[i]) * f[i].p[k];
        }
    }
    const double rho = 1.0 / (P[0] * P[0] + P[1] * P[1] + P[2] * P[2] + P[3] * P[3]), size = sqrt(rho),
                 back[4] = {P[0], -P[1], -P[2], -P[3]}, unit[4] = {P[0] * size, P[1] * size, P[2] * size, P[3] * size};
    dal_quat_to_matrix(Rg, unit);
    for (int i = 0; i < n; ++i) {
        double R[9], RR[9], e[4], turn[9] = {0.0};
        dal_quat_to_matrix(R, f[i].p);
        for (int k = 0; k < 3; ++k) {
            tmul3(RR + 3 * k, Rg, R + 3 * k);
        }
        quat_mul(e, back, f[i].p);
        const double s = e[0] < 0.0 ? -rho : rho;
        add_unit(turn, s * e[0]);
        for (int k = 0; k < 3; ++k) {
            double axis[3] = {0.0};
            axis[k] = s;
            add_cross3(turn + 3 * k, 1.0, e + 1, axis);
        }
        memset(N[i], 0, sizeof N[i]);
        for (int k = 0; k < 9; ++k) {
            N[i][k % 3 + 6 * (k / 3)] = l[i] * RR[k];
            N[i][3 + k % 3 + 6 * (3 + k / 3)] = l[i] * turn[k];
        }
    }
}

int mb_beam_mass_points(double place[MB_MASS_POINTS], double weight[MB_MASS_POINTS], int order)
{
    beam_table t;
    const int n = order == 1 ? 3 : order < BEAM_ORDER_MAX ? order + 1 : BEAM_ORDER_MAX, halves = order == 1 ? 1 : 2;
    beam_table_make(&t, n);
    for (int k = 0; k < halves * n; ++k) {
        const int half = k / n;
        place[k] = (0.5 * (1.0 + t.point[k % n]) + half) / halves;
        weight[k] = 0.5 * t.point_weight[k % n] / halves;
    }
    return halves * n;
}

void mb_beam_mass(double *dM, const beam_element *e, const beam_frame *f, const double *section, const double *own,
                  const double *length)
{
    const int n = e->n, size = 6 * n;
    double place[MB_MASS_POINTS], weight[MB_MASS_POINTS], N[BEAM_NODES_MAX][36], MN[36], d0[6] = {0.0}, whole = 0.0;
    const int points = mb_beam_mass_points(place, weight, n - 1);
    if (!e->table) {
        double q[2][7];
        for (int i = 0; i < 2; ++i) {
            copy3(q[i], f[i].x);
            memcpy(q[i] + 3, f[i].p, 4 * sizeof(double));
        }
        dal_factor_type_of(DAL_FACTOR_SE3)->difference(d0, q[0], q[1], 7);
    }
    for (int i = 0; i < n; ++i) {
        whole += length[i];
    }
    memset(dM, 0, (size_t)(size * size) * sizeof *dM);
    for (int g = 0; g < points; ++g) {
        if (e->table) {
            lagrange_field(N, e->table, f, place[g]);
        } else {
            helicoid_field(N, d0, place[g]);
        }
        for (int j = 0; j < n; ++j) {
            product(MN, section + (size_t)(36 * g), N[j]);
            for (int k = 0; k < 36 * n; ++k) { // rows of all nodes
                const int i = k / 36, row = k % 6, column = k % 36 / 6;
                double sum = 0.0;
                for (int l = 0; l < 6; ++l) {
                    sum += N[i][l + 6 * row] * MN[l + 6 * column];
                }
                dM[6 * i + row + size * (6 * j + column)] += whole * weight[g] * sum;
            }
        }
    }
    for (int k = 0; k < 36 * n; ++k) { // what the nodes have
        const int i = k / 36, row = k % 6, column = k % 36 / 6;
        dM[6 * i + row + size * (6 * i + column)] -= length[i] * own[k % 36 + 36 * i];
    }
}

/* ---- the element ------------------------------------------------------------------------------ */

static void motions_of(mb_state *a, const mb_span *s, const mb_instance *m)
{
    for (int i = 0; i < s->e.n; ++i) {
        const mb_node *n = &s->node[i];
        a[i] = m->state[n->body];
        if (n->body == 0) {
            mat3_mul(a[i].R, 3, m->state[0].R, 3, n->A, 3);
        }
    }
}

static void weight_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out, (void)at;
    const mb_span *s = self;
    mb_state a[BEAM_NODES_MAX];
    double r[BEAM_SIZE_MAX];
    motions_of(a, s, m);
    (void)weight_force(r, s->dM, a, s->e.n);
    for (int i = 0; i < s->e.n; ++i) {
        mb_node_force(m, &s->node[i], r + 6 * i);
    }
}

static void weight_kinetic(double *T, const void *self, const mb_instance *m)
{
    const mb_span *s = self;
    mb_state a[BEAM_NODES_MAX];
    double r[BEAM_SIZE_MAX];
    motions_of(a, s, m);
    *T += weight_force(r, s->dM, a, s->e.n);
}

static void weight_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    (void)at;
    const mb_span *s = self;
    const int n = s->e.n, size = 6 * n, slopes = (sink->wants & (DAL_WANT_C | DAL_WANT_K)) != 0;
    mb_state a[BEAM_NODES_MAX];
    double C[6 * BEAM_SIZE_MAX], K[6 * BEAM_SIZE_MAX], C6[36], K6[36];
    motions_of(a, s, m);
    for (int j = 0; j < n; ++j) {
        const int column = s->node[j].body;
        if (column == 0) {
            continue;
        }
        if (slopes) {
            weight_columns(C, K, s->dM, a, n, j);
        }
        for (int i = 0; i < n; ++i) {
            const int row = s->node[i].body;
            if (row == 0) {
                continue;
            }
            weight_block(K6, s->dM, a, n, i, j);
            mb_add_mass(m, sink, row, column, s->pair[n * i + j], K6); // K has its part of M, too
            for (int k = 0; k < 36 && slopes; ++k) {
                C6[k] = C[6 * i + k % 6 + size * (k / 6)];
                K6[k] = K[6 * i + k % 6 + size * (k / 6)];
            }
            if (slopes) {
                mb_add_pair(m, sink, row, column, s->pair[n * i + j], C6, K6);
            }
        }
    }
}

const mb_element_type mb_element_weight = {.wants = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K,
                                           .mass = 1,
                                           .residual = weight_residual,
                                           .tangent = weight_tangent,
                                           .kinetic = weight_kinetic};
