/* Springs and dampers along the axes of the world: F = k (d - d_0) + c d' by components, d = p_B - p_A. It needs no axes of
 * its bodies; where k or c differ by direction, the ground takes the torque d x F. */
#include "mbs/force_impl.h"

static const double sign[2] = {-1.0, 1.0};

/* e = d - d_0, its rate, and F. */
static void cartesian_at(mb_pairing *P, double e[3], double ed[3], double F[3], const mb_force *f, const mb_instance *m)
{
    mb_pairing_at(P, m->state, f->marker, 1, 0);
    sub3(e, P->d, f->d.vector);
    sub3(ed, P->side[1].pd, P->side[0].pd);
    for (int k = 0; k < 3; ++k) {
        F[k] = f->d.stiffness6[k] * e[k] + f->d.damping6[k] * ed[k];
    }
}

static void cartesian_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_force *f = self;
    (void)at;
    static const double zero[3];
    mb_pairing P;
    double e[3], ed[3], F[3], own[3];
    cartesian_at(&P, e, ed, F, f, m);
    for (int i = 0; i < 2; ++i) {
        scale3(own, sign[i], F);
        mb_add_wrench(m->body[f->marker[i].body].r6, &P.side[i], own, zero);
    }
}

/* C_ij = +-c, K_ij = +-k, and p_j' turns with its body: -(omega x s)~ as for drag */
static void cartesian_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    (void)at;
    mb_pairing P;
    double e[3], ed[3], F[3], own[3], turn[3];
    cartesian_at(&P, e, ed, F, f, m);
    for (int k = 0; k < 4; ++k) {
        const int i = k / 2, j = k % 2;
        mb_hessian HC = {0}, HK = {0};
        double C6[36] = {0.0}, K6[36] = {0.0};
        if (f->marker[i].body == 0 || f->marker[j].body == 0) {
            continue;
        }
        double *C = HC.H[i][0][j][0], *K = HK.H[i][0][j][0];
        for (int n = 0; n < 3; ++n) {
            C[4 * n] = sign[i] * sign[j] * f->d.damping6[n];
            K[4 * n] = sign[i] * sign[j] * f->d.stiffness6[n];
        }
        scale3(turn, -1.0, P.side[j].ws);
        mul_tilde(HK.H[i][0][j][1], 3, C, turn);
        mb_hessian_to_body(C6, &HC, &P, i, j, 0);
        mb_hessian_to_body(K6, &HK, &P, i, j, 0);
        if (i == j) {
            scale3(own, sign[i], F);
            mb_arm_terms(K6, &P.side[i], own, NULL);
        }
        mb_add_pair(m, sink, f->marker[i].body, f->marker[j].body, f->pair[i], C6, K6);
    }
}

static void cartesian_potential(double *V, const void *self, mb_instance *m, double t)
{
    const mb_force *f = self;
    (void)t;
    mb_pairing P;
    double e[3], ed[3], F[3], sum = 0.0;
    cartesian_at(&P, e, ed, F, f, m);
    for (int k = 0; k < 3; ++k) {
        sum += 0.5 * f->d.stiffness6[k] * e[k] * e[k];
    }
    *V += sum;
}

static void cartesian_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_force *f = self;
    (void)at;
    mb_pairing pairing;
    double e[3], ed[3], F[3];
    cartesian_at(&pairing, e, ed, F, f, m);
    P[0] = P[1] = 0.0;
    for (int k = 0; k < 3; ++k) {
        P[0] += f->d.damping6[k] * ed[k] * ed[k];
    }
}

static const dal_key cartesian_keys[] = {
    MB_KEY(NUMBERS, "stiffness", dal_force, stiffness6, "N/m", "along x, y, z of the world", MB_REQUIRED, .n = 3),
    MB_KEY(NUMBERS, "damping", dal_force, damping6, "N s/m", "likewise", MB_OPTIONAL, .n = 3),
    MB_KEY(VECTOR, "reference", dal_force, vector, "m", "p_B - p_A at rest", .preset = "[0, 0, 0]")};

const mb_force_type mb_force_cartesian = {
    .name = "cartesian",
    .about = MB_ABOUT("Springs and dampers along the axes of the world, by components of p_B - p_A.", BODIES,
                      cartesian_keys),
    .element = {.wants = MB_WANTS_FORCE,
                .connect = mb_connect_frames,
                .residual = cartesian_residual,
                .tangent = cartesian_tangent,
                .potential = cartesian_potential,
                .exchange = cartesian_exchange}};
