#include <math.h>

#include "problems/problem_impl.h"
#include "problems/vec3.h"

/* Three small systems with one nonholonomic row; mass matrix diag(par[0..2]). */

static dal_status diagonal_M(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q;
    const double *m = user;
    vzero(M, 9);
    for (int i = 0; i < 3; ++i) {
        M[4 * i] = m[i];
    }
    return DAL_OK;
}

static dal_status zero_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la, (void)user;
    vzero(C, 9);
    return DAL_OK;
}

static double kinetic(const double *m, const double *v)
{
    return 0.5 * (m[0] * v[0] * v[0] + m[1] * v[1] * v[1] + m[2] * v[2] * v[2]);
}

/* ---- particle: z' - y x' = 0 ---------------------------------------------------------------------- */

static dal_status particle_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)v, (void)la, (void)user;
    g[0] = q[0];
    g[1] = q[1];
    g[2] = 0.0;
    return DAL_OK;
}

static dal_status particle_B(double *B, double t, const double *q, void *user)
{
    (void)t, (void)user;
    B[0] = -q[1];
    B[1] = 0.0;
    B[2] = 1.0;
    return DAL_OK;
}

static dal_status particle_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    Z[0] = Z[2] = 0.0;
    Z[1] = -v[0];
    return DAL_OK;
}

static dal_status particle_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)t, (void)q, (void)user;
    w[0] = -v[0] * v[1];
    return DAL_OK;
}

static dal_status particle_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                             void *user)
{
    (void)t, (void)q, (void)v, (void)vd, (void)user;
    vzero(K, 9);
    K[0] = K[4] = 1.0;
    K[3] = -la[0];
    return DAL_OK;
}

static double particle_energy(double t, const double *q, const double *v, void *user)
{
    (void)t;
    return kinetic(user, v) + 0.5 * (q[0] * q[0] + q[1] * q[1]);
}

dal_status problem_nonholonomic_particle(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "nonholonomic_particle", &(dal_factor_spec){DAL_FACTOR_RN, 3}, 1));
    p->dense = (dal_dense){.group = p->group,
                           .nn = 1,
                           .user = p->par,
                           .M = diagonal_M,
                           .g = particle_g,
                           .B = particle_B,
                           .Z = particle_Z,
                           .acc = particle_acc,
                           .C = zero_C,
                           .K = particle_K,
                           .energy = particle_energy};
    p->par[0] = p->par[1] = p->par[2] = 1.0;
    p->t_end = 10.0;
    p->q0[0] = 1.0;
    p->v0[1] = 1.0;
    index1_motion(p, 0.1);
    p->table = (problem_table){"nonholonomic_particle", "reference/columns", "reference/rows",
                               "q0=x q1=y q2=z v0=px v1=py v2=pz l0=-lambda"};
    return problem_finish(p);
}

/* ---- blade at distance par[3] behind the centre of mass: sign (sin th x' - cos th y') + a th' = 0 --- */

enum { BLADE_ARM = 3, BLADE_SIGN, BLADE_WEIGHT }; // weight: force along x

static dal_status blade_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la;
    const double *par = user;
    g[0] = -par[BLADE_WEIGHT];
    g[1] = g[2] = 0.0;
    return DAL_OK;
}

static dal_status blade_B(double *B, double t, const double *q, void *user)
{
    (void)t;
    const double *par = user;
    B[0] = par[BLADE_SIGN] * sin(q[2]);
    B[1] = -par[BLADE_SIGN] * cos(q[2]);
    B[2] = par[BLADE_SIGN] * par[BLADE_ARM];
    return DAL_OK;
}

static dal_status blade_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t;
    const double *par = user;
    Z[0] = Z[1] = 0.0;
    Z[2] = par[BLADE_SIGN] * (cos(q[2]) * v[0] + sin(q[2]) * v[1]);
    return DAL_OK;
}

static dal_status blade_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)t;
    const double *par = user;
    w[0] = par[BLADE_SIGN] * (cos(q[2]) * v[0] + sin(q[2]) * v[1]) * v[2];
    return DAL_OK;
}

static dal_status blade_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    (void)t, (void)v, (void)vd;
    const double *par = user;
    vzero(K, 9);
    K[6] = par[BLADE_SIGN] * cos(q[2]) * la[0];
    K[7] = par[BLADE_SIGN] * sin(q[2]) * la[0];
    return DAL_OK;
}

static double blade_energy(double t, const double *q, const double *v, void *user)
{
    (void)t;
    const double *par = user;
    return kinetic(par, v) - par[BLADE_WEIGHT] * q[0];
}

static void blade_describe(problem *p, double mass, double inertia, double arm, double sign, double weight)
{
    p->dense = (dal_dense){.group = p->group,
                           .nn = 1,
                           .user = p->par,
                           .M = diagonal_M,
                           .g = blade_g,
                           .B = blade_B,
                           .Z = blade_Z,
                           .acc = blade_acc,
                           .C = zero_C,
                           .K = blade_K,
                           .energy = blade_energy};
    p->par[0] = p->par[1] = mass;
    p->par[2] = inertia;
    p->par[BLADE_ARM] = arm;
    p->par[BLADE_SIGN] = sign;
    p->par[BLADE_WEIGHT] = weight;
    p->t_end = 10.0;
    p->table.file = "chaplygin_sleigh";
}

dal_status problem_knife_edge(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "knife_edge", &(dal_factor_spec){DAL_FACTOR_R2S1, 0}, 1));
    blade_describe(p, 1.0, 0.1, 0.0, 1.0, 9.81 * sin(0.5235987755982989));
    p->v0[2] = 2.0;
    index1_motion(p, 0.1);
    p->table.columns = "reference/knife_edge_columns";
    p->table.rows = "reference/knife_edge_rows";
    p->table.map = "q0=x q1=y q2=theta v0=xd v1=yd v2=omega l0=lambda_lateral";
    return problem_finish(p);
}

dal_status problem_chaplygin_sleigh(problem *p, dal_ctx *ctx)
{
    DAL_TRY(problem_start(p, ctx, "chaplygin_sleigh", &(dal_factor_spec){DAL_FACTOR_R2S1, 0}, 1));
    const double a = 0.3, theta = 0.4, speed = -0.8, omega = 1.5;
    blade_describe(p, 2.0, 0.54, a, -1.0, 0.0);
    // the blade starts at the origin
    p->q0[0] = a * cos(theta);
    p->q0[1] = a * sin(theta);
    p->q0[2] = theta;
    p->v0[0] = speed * cos(theta) - a * omega * sin(theta);
    p->v0[1] = speed * sin(theta) + a * omega * cos(theta);
    p->v0[2] = omega;
    index1_motion(p, 0.1);
    p->table.columns = "reference/columns";
    p->table.rows = "reference/rows";
    p->table.map = "q0=xG q1=yG q2=theta v0=vxG v1=vyG v2=omega l0=-lambda_lateral";
    return problem_finish(p);
}
