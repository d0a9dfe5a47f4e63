#include <math.h>
#include <stdlib.h>

#include "problems/andrews_impl.h"
#include "problems/planar.h"
#include "problems/vec3.h"

/* q = (beta, Theta, gamma, Phi, delta, Omega, epsilon) */

const double andrews_mass[7] = {0.04325, ANDREWS_M2, 0.02373, ANDREWS_M4, 0.0705, ANDREWS_M4, 0.05498};
const double andrews_inertia[7] = {2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
const double andrews_ground[3][2] = {{0.0, 0.0}, {-0.06934, -0.00227}, {-0.03635, 0.03273}};
const double andrews_C[2] = {0.014, 0.072};
const double andrews_start[7] = {-0.0617138900142764496, 0.0,
                                 0.455279819163070380,   0.222668390165885885,
                                 0.487364979543842550,   -0.222668390165885885,
                                 1.23054744454982119};

/* Two bodies in series, angle q_i of the outer one relative to q_j: with f = sin q_i (or -cos q_i)
 *     M_ij = const + k f,  M_jj = const + 2 k f,  g_i = -k v_j^2 f',  g_j = k v_i (v_i + 2 v_j) f' */
typedef struct elbow {
    int i, j;
    double k;
} elbow;

static const elbow ELBOW[3] = {
    {1, 0, ANDREWS_M2 *A_DA *A_RR}, {3, 4, ANDREWS_M4 *A_ZT *(A_E - A_EA)}, {5, 6, -ANDREWS_M4 *A_U *(A_ZF - A_FA)}};

/* f, f', f'' times k */
static void elbow_f(double f[3], const elbow *E, const double *q)
{
    const double s = sin(q[E->i]), c = cos(q[E->i]);
    f[0] = E->k * (E->i == 1 ? -c : s);
    f[1] = E->k * (E->i == 1 ? s : c);
    f[2] = -f[0];
}

static dal_status angles_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)user;
    const double *m = andrews_mass, *I = andrews_inertia, ee = A_E - A_EA, ff = A_ZF - A_FA;
    const double outer[3] = {m[1] * A_DA * A_DA + I[1], m[3] * ee * ee + I[3], m[5] * ff * ff + I[5]};
    const double inner[3] = {m[0] * A_RA * A_RA + I[0] + m[1] * A_RR * A_RR,
                             m[4] * (A_TA * A_TA + A_TB * A_TB) + I[4] + m[3] * A_ZT * A_ZT,
                             m[6] * (A_UA * A_UA + A_UB * A_UB) + I[6] + m[5] * A_U * A_U};
    vzero(M, 49);
    for (int e = 0; e < 3; ++e) {
        const int i = ELBOW[e].i, j = ELBOW[e].j;
        double f[3];
        elbow_f(f, &ELBOW[e], q);
        M[i + 7 * i] = outer[e];
        M[i + 7 * j] = M[j + 7 * i] = outer[e] + f[0];
        M[j + 7 * j] = outer[e] + inner[e] + 2.0 * f[0];
    }
    M[2 + 7 * 2] = m[2] * (A_SA * A_SA + A_SB * A_SB) + I[2];
    return DAL_OK;
}

/* Potential of the spring: V, dV/dgamma, d^2V/dgamma^2 */
static void angles_spring(double V[3], double gamma)
{
    const double s = sin(gamma), c = cos(gamma);
    const double arm[2] = {A_SD * c + A_SC * s, A_SD * s - A_SC * c}, d[2] = {-arm[1], arm[0]};
    const double r[2] = {andrews_ground[2][0] + arm[0] - andrews_C[0], andrews_ground[2][1] + arm[1] - andrews_C[1]};
    const double L = hypot(r[0], r[1]), dL = (r[0] * d[0] + r[1] * d[1]) / L, x = L - ANDREWS_LENGTH;
    // L L'' = d.d + r.d' - L'^2, d' = -arm
    const double ddL = (d[0] * d[0] + d[1] * d[1] - r[0] * arm[0] - r[1] * arm[1] - dL * dL) / L;
    V[0] = 0.5 * ANDREWS_STIFFNESS * x * x;
    V[1] = ANDREWS_STIFFNESS * x * dL;
    V[2] = ANDREWS_STIFFNESS * (dL * dL + x * ddL);
}

static dal_status angles_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la, (void)user;
    double V[3];
    for (int e = 0; e < 3; ++e) {
        const double vi = v[ELBOW[e].i], vj = v[ELBOW[e].j];
        double f[3];
        elbow_f(f, &ELBOW[e], q);
        g[ELBOW[e].i] = -vj * vj * f[1];
        g[ELBOW[e].j] = vi * (vi + 2.0 * vj) * f[1];
    }
    angles_spring(V, q[2]);
    g[2] = V[1];
    g[0] -= ANDREWS_TORQUE;
    return DAL_OK;
}

static dal_status angles_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)la, (void)user;
    vzero(C, 49);
    for (int e = 0; e < 3; ++e) {
        const int i = ELBOW[e].i, j = ELBOW[e].j;
        double f[3];
        elbow_f(f, &ELBOW[e], q);
        C[i + 7 * j] = -2.0 * v[j] * f[1];
        C[j + 7 * i] = 2.0 * (v[i] + v[j]) * f[1];
        C[j + 7 * j] = 2.0 * v[i] * f[1];
    }
    return DAL_OK;
}

static dal_status angles_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                           void *user)
{
    (void)t;
    double V[3];
    vzero(K, 49);
    for (int e = 0; e < 3; ++e) {
        const int i = ELBOW[e].i, j = ELBOW[e].j;
        double f[3];
        elbow_f(f, &ELBOW[e], q);
        K[i + 7 * i] = vd[j] * f[1] - v[j] * v[j] * f[2];
        K[j + 7 * i] = (vd[i] + 2.0 * vd[j]) * f[1] + v[i] * (v[i] + 2.0 * v[j]) * f[2];
    }
    angles_spring(V, q[2]);
    K[2 + 7 * 2] = V[2];
    trig_add_K(user, K, q, la);
    return DAL_OK;
}

static double angles_energy(double t, const double *q, const double *v, void *user)
{
    double M[49], V[3], E = -ANDREWS_TORQUE * q[0];
    (void)angles_M(M, t, q, user);
    angles_spring(V, q[2]);
    for (int i = 0; i < 49; ++i) {
        E += 0.5 * M[i] * v[i % 7] * v[i / 7];
    }
    return E + V[0];
}

void andrews_angles_describe(dal_dense *dense, trig_rows *R)
{
    R->nrows = 6;
    R->nv = 7;
    // E along bodies 1, 2 minus E along body 3, bodies 5, 4, bodies 7, 6
    for (int row = 0; row < 6; row += 2) {
        trig_vector(R, row, 1.0, 0, -1, A_RR, 0.0);
        trig_vector(R, row, -1.0, 0, 1, A_D, 0.0);
        for (int i = 0; i < 2; ++i) {
            R->c[row + i] = -andrews_ground[row == 0 ? 2 : 1][i];
        }
    }
    trig_vector(R, 0, -1.0, 2, -1, 0.0, -A_SS);
    trig_vector(R, 2, -1.0, 4, -1, A_ZT, 0.0);
    trig_vector(R, 2, -1.0, 3, 4, 0.0, -A_E);
    trig_vector(R, 4, -1.0, 6, -1, 0.0, -A_U);
    trig_vector(R, 4, -1.0, 5, 6, A_ZF, 0.0);
    *dense = (dal_dense){.group = dense->group,
                         .nc = 6,
                         .user = R,
                         .M = angles_M,
                         .g = angles_g,
                         .Phi = planar_Phi,
                         .B = planar_B,
                         .Z = planar_Z,
                         .acc = planar_acc,
                         .C = angles_C,
                         .K = angles_K,
                         .energy = angles_energy};
}

dal_status problem_andrews_angles(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "andrews_angles", &(dal_factor_spec){DAL_FACTOR_RN, 7}, 1));
    p->data = calloc(1, sizeof(trig_rows));
    if (p->data == NULL) {
        problem_free(p);
        return dal_fail(ctx, DAL_ENOMEM, "constraint rows");
    }
    andrews_angles_describe(&p->dense, p->data);
    p->t_end = 0.03;
    for (int i = 0; i < 7; ++i) {
        p->q0[i] = andrews_start[i];
    }
    index1_motion(p, 2.5e-4);
    p->table = (problem_table){"andrews_squeezer", "reference/columns", "reference/rows",
                               "q0=beta q1=Theta q2=gamma q3=Phi q4=delta q5=Omega q6=epsilon v0=beta_d v1=Theta_d "
                               "v2=gamma_d v3=Phi_d v4=delta_d v5=Omega_d v6=epsilon_d a0=beta_dd a1=Theta_dd "
                               "a2=gamma_dd a3=Phi_dd a4=delta_dd a5=Omega_dd a6=epsilon_dd l0=lam1_E3x l1=lam2_E3y "
                               "l2=lam3_E4x l3=lam4_E4y l4=lam5_E6x l5=lam6_E6y"};
    return problem_finish(p);
}
