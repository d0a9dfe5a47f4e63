#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/andrews_impl.h"
#include "problems/kkt.h"
#include "problems/planar.h"
#include "problems/vec3.h"

/* Nodes by the index of their coordinates; grounded points by negative numbers. */
enum { NODE_F = 21, NODE_E = 23, NODE_D = 25, NODE_G = 27, NODE_H = 29, GROUND_O = -1, GROUND_A = -2, GROUND_B = -3 };

/* Where bodies meet nodes or the ground: the point (a, b) in body axes, from the centre of mass. */
static const struct pin {
    int body, node;
    double a, b;
} PIN[15] = {{0, GROUND_O, -A_RA, 0.0},
             {0, NODE_F, A_RR - A_RA, 0.0},
             {1, NODE_F, A_DA, 0.0},
             {1, NODE_E, A_DA - A_D, 0.0},
             {2, GROUND_B, -A_SB, A_SA},
             {2, NODE_E, -A_SB, A_SA - A_SS},
             {2, NODE_D, A_SD - A_SB, A_SA - A_SC},
             {3, NODE_G, 0.0, A_E - A_EA},
             {3, NODE_E, 0.0, -A_EA},
             {4, GROUND_A, -A_TA, -A_TB},
             {4, NODE_G, A_ZT - A_TA, -A_TB},
             {5, NODE_H, A_FA - A_ZF, 0.0},
             {5, NODE_E, A_FA, 0.0},
             {6, GROUND_A, A_UB, A_UA},
             {6, NODE_H, A_UB, A_UA - A_U}};

typedef struct andrews_data {
    trig_rows rows; // first: the callbacks of planar.h read it
    trig_rows angle_rows;
    dal_dense angles; // the description in 7 angles, for the exact motion
} andrews_data;

static dal_status andrews_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    vzero(M, 31 * 31);
    for (int b = 0; b < ANDREWS_BODIES; ++b) {
        M[32 * (3 * b)] = M[32 * (3 * b + 1)] = andrews_mass[b];
        M[32 * (3 * b + 2)] = andrews_inertia[b];
    }
    return DAL_OK;
}

/* Spring from C to node D: r = D - C and its length. */
static double spring_vector(double r[2], const double *q)
{
    r[0] = q[NODE_D] - andrews_C[0];
    r[1] = q[NODE_D + 1] - andrews_C[1];
    return hypot(r[0], r[1]);
}

static dal_status andrews_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)v, (void)la, (void)user;
    double r[2];
    const double L = spring_vector(r, q), f = ANDREWS_STIFFNESS * (L - ANDREWS_LENGTH) / L;
    vzero(g, 31);
    g[2] = -ANDREWS_TORQUE;
    g[NODE_D] = f * r[0];
    g[NODE_D + 1] = f * r[1];
    return DAL_OK;
}

static dal_status andrews_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                            void *user)
{
    (void)t, (void)v, (void)vd;
    double r[2];
    const double L = spring_vector(r, q), ratio = ANDREWS_LENGTH / L;
    vzero(K, 31 * 31);
    // d(k (1 - l0/L) r) = k (1 - l0/L) I + k l0/L^3 r r^T
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i) {
            const double unit = i == j ? 1.0 - ratio : 0.0;
            K[NODE_D + i + (NODE_D + j) * 31] = ANDREWS_STIFFNESS * (unit + ratio * r[i] * r[j] / (L * L));
        }
    }
    trig_add_K(user, K, q, la);
    return DAL_OK;
}

static double andrews_energy(double t, const double *q, const double *v, void *user)
{
    (void)t, (void)user;
    double r[2];
    const double x = spring_vector(r, q) - ANDREWS_LENGTH;
    double E = 0.5 * ANDREWS_STIFFNESS * x * x - ANDREWS_TORQUE * q[2];
    for (int b = 0; b < ANDREWS_BODIES; ++b) {
        const double *u = v + 3 * b;
        E += 0.5 * (andrews_mass[b] * (u[0] * u[0] + u[1] * u[1]) + andrews_inertia[b] * u[2] * u[2]);
    }
    return E;
}

static void andrews_rows(trig_rows *R)
{
    R->nrows = 30;
    R->nv = 31;
    for (int k = 0; k < 15; ++k) {
        const struct pin *P = &PIN[k];
        for (int i = 0; i < 2; ++i) {
            if (P->node >= 0) {
                trig_linear(R, 2 * k + i, P->node + i, 1.0);
            } else {
                R->c[2 * k + i] = andrews_ground[-1 - P->node][i];
            }
        }
        trig_point(R, 2 * k, -1.0, 3 * P->body, P->a, P->b);
    }
}

void andrews_angles(double angle[7], const double *q31)
{
    angle[0] = q31[2];
    angle[1] = q31[5] - q31[2];
    angle[2] = q31[8];
    angle[3] = q31[11] - q31[14];
    angle[4] = q31[14];
    angle[5] = q31[17] - q31[20];
    angle[6] = q31[20];
}

/* Absolute angle of each body from the relative ones (or their derivatives). */
static void absolute_angles(double phi[7], const double a[7])
{
    const double x[7] = {a[0], a[0] + a[1], a[2], a[3] + a[4], a[4], a[5] + a[6], a[6]};
    memcpy(phi, x, sizeof x);
}

/* A point is at x[k] + sign (a, b) turned by phi, with its first and second derivatives in x[1], x[2]. */
static void move(double y[3][2], double x[3][2], double sign, const double phi[3], double a, double b)
{
    const double c = cos(phi[0]), s = sin(phi[0]), r[2] = {sign * (a * c - b * s), sign * (a * s + b * c)};
    for (int i = 0; i < 2; ++i) {
        const double turned = i == 0 ? -r[1] : r[0];
        y[0][i] = x[0][i] + r[i];
        y[1][i] = x[1][i] + phi[1] * turned;
        y[2][i] = x[2][i] + phi[2] * turned - phi[1] * phi[1] * r[i];
    }
}

/* q, v, v' (x[0], x[1], x[2]) of all bodies and nodes from those of the angles. Each body hangs on its first pin, which
 * is already placed in this order of the bodies. */
static void andrews_place(double *x[3], double angle[3][7])
{
    static const int order[7] = {0, 1, 2, 4, 3, 6, 5};
    double phi[3][7], at[3][2], to[3][2];
    for (int d = 0; d < 3; ++d) {
        absolute_angles(phi[d], angle[d]);
    }
    for (int n = 0; n < 7; ++n) {
        const int body = order[n];
        const double turn[3] = {phi[0][body], phi[1][body], phi[2][body]};
        int first = 1;
        for (int k = 0; k < 15; ++k) {
            const struct pin *P = &PIN[k];
            if (P->body != body) {
                continue;
            }
            for (int d = 0; d < 3; ++d) {
                for (int i = 0; i < 2; ++i) {
                    const double fixed = P->node < 0 && d == 0 ? andrews_ground[-1 - P->node][i] : 0.0;
                    at[d][i] = !first ? x[d][3 * body + i] : P->node < 0 ? fixed : x[d][P->node + i];
                }
            }
            // the first pin gives the centre, the centre gives the others
            move(to, at, first ? -1.0 : 1.0, turn, P->a, P->b);
            for (int d = 0; d < 3; ++d) {
                memcpy(x[d] + (first ? 3 * body : P->node), to[d], sizeof to[d]);
                x[d][3 * body + 2] = turn[d];
            }
            first = 0;
        }
    }
}

/* y = angles and their rates */
static void andrews_motion(long double *f, long double t, const long double *y, const void *user)
{
    const problem *p = user;
    const andrews_data *data = p->data;
    double q[7], v[7], vd[7], la[6];
    for (int i = 0; i < 7; ++i) {
        q[i] = (double)y[i];
        v[i] = (double)y[7 + i];
    }
    if (!kkt_accelerations(&data->angles, 7, vd, la, (double)t, q, v)) {
        vd[0] = NAN;
    }
    for (int i = 0; i < 7; ++i) {
        f[i] = y[7 + i];
        f[7 + i] = vd[i];
    }
}

static void andrews_state(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                          const problem *p)
{
    long double f[14];
    double angle[3][7], again[31];
    andrews_motion(f, t, y, p);
    for (int i = 0; i < 7; ++i) {
        angle[0][i] = (double)y[i];
        angle[1][i] = (double)y[7 + i];
        angle[2][i] = (double)f[7 + i];
    }
    andrews_place((double *[3]){q, v, vd}, angle);
    if (!kkt_accelerations(&p->dense, 31, again, la, (double)t, q, v)) {
        la[0] = NAN;
    }
}

dal_status problem_andrews(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "andrews", &(dal_factor_spec){DAL_FACTOR_RN, 31}, 1));
    andrews_data *data = p->data = calloc(1, sizeof *data);
    if (data == NULL) {
        problem_free(p);
        return dal_fail(ctx, DAL_ENOMEM, "constraint rows");
    }
    andrews_rows(&data->rows);
    andrews_angles_describe(&data->angles, &data->angle_rows);
    p->dense = (dal_dense){.group = p->group,
                           .nc = 30,
                           .user = data,
                           .M = andrews_M,
                           .g = andrews_g,
                           .Phi = planar_Phi,
                           .B = planar_B,
                           .Z = planar_Z,
                           .acc = planar_acc,
                           .C = planar_zero_C,
                           .K = andrews_K,
                           .energy = andrews_energy};
    p->t_end = 0.03;
    p->motion = (problem_motion){.ny = 14, .h = 2.5e-4L, .tol = 1e-15L, .f = andrews_motion, .state = andrews_state};
    for (int i = 0; i < 7; ++i) {
        p->motion.y0[i] = andrews_start[i];
    }
    double vd[31], la[30];
    andrews_state(p->q0, p->v0, vd, la, 0.0L, p->motion.y0, p);
    p->table = (problem_table){"andrews_squeezer", "reference/columns", "reference/rows",
                               "q2=beta v2=beta_d a2=beta_dd q8=gamma v8=gamma_d a8=gamma_dd q14=delta v14=delta_d "
                               "a14=delta_dd q20=epsilon v20=epsilon_d a20=epsilon_dd l0=ROx l1=ROy l4=RFx l5=RFy "
                               "l8=RBx l9=RBy l10=lam1_E3x l11=lam2_E3y l16=lam3_E4x l17=lam4_E4y l18=RA5x l19=RA5y "
                               "l20=RGx l21=RGy l24=lam5_E6x l25=lam6_E6y l26=RA7x l27=RA7y l28=RHx l29=RHy"};
    return problem_finish(p);
}
