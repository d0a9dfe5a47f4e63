#include "two_bodies.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "problems/vec3.h"
#include "support/check.h"

static const double J[9] = {0.30, 0.02, 0.0, 0.02, 0.25, 0.01, 0.0, 0.01, 0.12};
static const double m1 = 1.5, m2 = 0.7, stiffness = 40.0, damping = 0.8;
static const double arm[3] = {0.1, -0.2, 0.5}, a[3] = {0.2, 0.1, 1.0}, s[3] = {-0.1, 0.3, 0.6};
static const double gravity[3] = {0.3, 0.0, -9.81};
static const double w[3] = {0.0, 0.6, 0.8}, n[3] = {0.5, 1.0, -0.2}, e[3] = {0.3, -0.2, 0.4};
static const double b[3] = {1.0, 0.0, 0.0};

/* All that the equations are made of. Derivatives: d(R y) = -R hat(y) d, d(R^T y) = hat(R^T y) d. */
typedef struct terms {
    double R[9];
    const double *x, *Om, *xd;
    double u[3];     /* R^T f, f = k (x - R s) + c (x' - R hat(Om) s) */
    double ux[3];    /* k R^T x + c R^T x' */
    double G[3];     /* R^T m1 gravity */
    double y[3];     /* R^T w */
    double byr[3];   /* b x y: row 3 of B */
    double hb_hy[9]; /* hat(b) hat(y) */
} terms;

static void evaluate(terms *T, const double *q, const double *v)
{
    double Rx[3], Rv[3], Os[3], hb[9], hy[9];
    qmatrix(T->R, q);
    T->x = q + 4;
    T->Om = v;
    T->xd = v + 3;
    mtvec(Rx, T->R, T->x);
    mtvec(Rv, T->R, T->xd);
    vcross(Os, T->Om, s);
    for (int i = 0; i < 3; ++i) {
        T->ux[i] = stiffness * Rx[i] + damping * Rv[i];
        T->u[i] = T->ux[i] - stiffness * s[i] - damping * Os[i];
        T->G[i] = m1 * gravity[i];
    }
    mtvec(T->G, T->R, T->G);
    mtvec(T->y, T->R, w);
    vcross(T->byr, b, T->y);
    vhat(hb, b);
    vhat(hy, T->y);
    mmul(T->hb_hy, hb, hy);
}

/* ---- forces and constraints ------------------------------------------------------------------- */

static void force(double g[6], const terms *T)
{
    double JO[3], gyro[3], su[3], ag[3], f[3];
    mvec(JO, J, T->Om);
    vcross(gyro, T->Om, JO);
    vcross(su, s, T->u);
    vcross(ag, arm, T->G);
    mvec(f, T->R, T->u);
    for (int i = 0; i < 3; ++i) {
        g[i] = gyro[i] - su[i] - ag[i];
        g[3 + i] = f[i] - m2 * gravity[i];
    }
}

/* X (3x3 block) := products of three matrices */
static void triple(double X[9], const double A[9], const double B[9], const double C[9])
{
    mmul(X, A, B);
    mmul(X, X, C);
}

/* dg/dv in four 3x3 blocks, [i + 2 j] for rows i (0: body, 1: particle) and columns j. */
static void damping_blocks(double C[4][9], const terms *T)
{
    double hs[9], hO[9], JO[3], hJO[9], X[9], Rt[9];
    memset(C, 0, 4 * sizeof C[0]);
    vhat(hs, s);
    vhat(hO, T->Om);
    mvec(JO, J, T->Om);
    vhat(hJO, JO);
    mmul(X, hO, J);
    mput(C[0], 3, 0, 0, 1.0, X);
    mput(C[0], 3, 0, 0, -1.0, hJO);
    mmul(X, hs, hs);
    mput(C[0], 3, 0, 0, -damping, X);
    mmul(X, T->R, hs);
    mput(C[1], 3, 0, 0, damping, X);
    for (int i = 0; i < 9; ++i) {
        Rt[i] = T->R[i / 3 + 3 * (i % 3)];
    }
    mmul(X, hs, Rt);
    mput(C[2], 3, 0, 0, -damping, X);
    mput_unit(C[3], 3, 0, 0, damping);
}

/* d(M v' + g + B^T la)/dq */
static void stiffness_blocks(double K[4][9], const terms *T, const double *la)
{
    double hs[9], hux[9], harm[9], hG[9], ha[9], Rl[3], hRl[9], hu[9], X[9], Rt[9];
    memset(K, 0, 4 * sizeof K[0]);
    vhat(hs, s);
    vhat(hux, T->ux);
    vhat(harm, arm);
    vhat(hG, T->G);
    vhat(ha, a);
    mtvec(Rl, T->R, la);
    vhat(hRl, Rl);
    vhat(hu, T->u);
    mmul(X, hs, hux);
    mput(K[0], 3, 0, 0, -1.0, X);
    mmul(X, harm, hG);
    mput(K[0], 3, 0, 0, -1.0, X);
    mmul(X, ha, hRl);
    mput(K[0], 3, 0, 0, -1.0, X);
    mput(K[0], 3, 0, 0, la[3], T->hb_hy);
    mmul(X, T->R, hux);
    mput(K[1], 3, 0, 0, 1.0, X);
    mmul(X, T->R, hu);
    mput(K[1], 3, 0, 0, -1.0, X);
    for (int i = 0; i < 9; ++i) {
        Rt[i] = T->R[i / 3 + 3 * (i % 3)];
    }
    mmul(X, hs, Rt);
    mput(K[2], 3, 0, 0, -stiffness, X);
    for (int i = 0; i < 3; ++i) {
        K[2][6 + i] -= la[4] * e[i]; // row 4 of B depends on x_2
    }
    mput_unit(K[3], 3, 0, 0, stiffness);
}

/* B in five blocks: rows 0-2 by Om and by x, row 3 by Om, row 4 by Om and by x. */
typedef struct link_blocks {
    double joint_Om[9], joint_x[9], axis_Om[3], roll_Om[3], roll_x[3];
} link_blocks;

static void B_blocks(link_blocks *L, const terms *T)
{
    double ha[9];
    memset(L, 0, sizeof *L);
    vhat(ha, a);
    mmul(L->joint_Om, T->R, ha);
    mput_unit(L->joint_x, 3, 0, 0, 1.0);
    for (int i = 0; i < 3; ++i) {
        L->axis_Om[i] = T->byr[i];
        L->roll_Om[i] = -T->x[2] * e[i];
        L->roll_x[i] = n[i];
    }
}

static void Z_blocks(link_blocks *L, const terms *T)
{
    double aO[3], h[9];
    memset(L, 0, sizeof *L);
    vcross(aO, a, T->Om);
    vhat(h, aO);
    mput(L->joint_Om, 3, 0, 0, -1.0, h);
    mmul(L->joint_Om, T->R, L->joint_Om);
    mtvec(L->axis_Om, T->hb_hy, T->Om);
    L->roll_x[2] = -vdot(e, T->Om);
}

static void acceleration_blocks(link_blocks *Q, link_blocks *V, const terms *T, const double *vd)
{
    double aO[3], OaO[3], aOd[3], h[9], ha[9], hO[9], X[9], Ob[3];
    memset(Q, 0, sizeof *Q);
    memset(V, 0, sizeof *V);
    vcross(aO, a, T->Om);
    vcross(OaO, T->Om, aO);
    vcross(aOd, a, vd);
    for (int i = 0; i < 3; ++i) {
        OaO[i] += aOd[i];
    }
    vhat(h, OaO);
    mput(Q->joint_Om, 3, 0, 0, -1.0, h);
    mmul(Q->joint_Om, T->R, Q->joint_Om);
    // d(hat(Om) hat(a) Om)/dOm
    vhat(h, aO);
    vhat(hO, T->Om);
    vhat(ha, a);
    mmul(X, hO, ha);
    mput(X, 3, 0, 0, -1.0, h);
    mmul(V->joint_Om, T->R, X);
    // row 3: Om'^T hat(b) hat(y) - Om^T hat(b) hat(Om) hat(y), and Om^T (N + N^T), N = hat(b) hat(y)
    double hb[9], hy[9], first[3], second[3];
    vhat(hb, b);
    vhat(hy, T->y);
    triple(X, hb, hO, hy);
    mtvec(first, T->hb_hy, vd);
    mtvec(second, X, T->Om);
    mtvec(V->axis_Om, T->hb_hy, T->Om);
    mvec(Ob, T->hb_hy, T->Om);
    for (int i = 0; i < 3; ++i) {
        Q->axis_Om[i] = first[i] - second[i];
        V->axis_Om[i] += Ob[i];
        V->roll_Om[i] = -T->xd[2] * e[i];
    }
    Q->roll_x[2] = -vdot(e, vd);
    V->roll_x[2] = -vdot(e, T->Om);
}

static void positions(double Phi[4], const terms *T)
{
    double Ra[3];
    mvec(Ra, T->R, a);
    for (int i = 0; i < 3; ++i) {
        Phi[i] = T->x[i] - Ra[i];
    }
    Phi[3] = vdot(b, T->y);
}

/* Z v along the motion: what is left of the acceleration level when v' = 0 */
static void quadratic_terms(double acc[5], const terms *T)
{
    double aO[3], OaO[3], yO[3];
    vcross(aO, a, T->Om);
    vcross(OaO, T->Om, aO);
    mvec(acc, T->R, OaO);
    mvec(yO, T->hb_hy, T->Om);
    acc[3] = vdot(T->Om, yO);
    acc[4] = -T->xd[2] * vdot(e, T->Om);
}

/* ---- block form ------------------------------------------------------------------------------- */

static void rows_times(double out[5], const link_blocks *L, const double *v)
{
    double first[3], second[3];
    mvec(first, L->joint_Om, v);
    mvec(second, L->joint_x, v + 3);
    for (int i = 0; i < 3; ++i) {
        out[i] = first[i] + second[i];
    }
    out[3] = vdot(L->axis_Om, v);
    out[4] = vdot(L->roll_Om, v) + vdot(L->roll_x, v + 3);
}

static dal_status block_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    const two_bodies *two = user;
    terms T;
    link_blocks L;
    evaluate(&T, at->q, at->v);
    B_blocks(&L, &T);
    if (out->r) {
        double Md[3], first[3], second[3];
        force(out->r, &T);
        mvec(Md, J, at->vd);
        mtvec(first, L.joint_Om, at->la);
        mtvec(second, L.joint_x, at->la);
        for (int i = 0; i < 3; ++i) {
            out->r[i] += Md[i] + first[i] + at->la[3] * L.axis_Om[i] + at->la[4] * L.roll_Om[i];
            out->r[3 + i] += m2 * at->vd[3 + i] + second[i] + at->la[4] * L.roll_x[i];
        }
    }
    if (out->Phi) {
        positions(out->Phi, &T);
    }
    if (out->vel) {
        rows_times(out->vel, &L, at->v);
        out->vel[1] += two->mistake == TWO_WRONG_VEL ? 0.5 : 0.0;
    }
    if (out->acc) {
        double Zv[5];
        rows_times(out->acc, &L, at->vd);
        quadratic_terms(Zv, &T);
        for (int i = 0; i < 5; ++i) {
            out->acc[i] += Zv[i];
        }
        out->acc[3] += two->mistake == TWO_WRONG_ACC ? 0.5 : 0.0;
    }
    return DAL_OK;
}

/* Mass and damping in one push, stiffness in another: parts add up. */
static dal_status block_tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    const two_bodies *two = user;
    terms T;
    link_blocks B, Z, Q, V;
    double M[4][9] = {{0}}, C[4][9], K[4][9];
    evaluate(&T, at->q, at->v);
    mput(M[0], 3, 0, 0, 1.0, J);
    mput_unit(M[3], 3, 0, 0, m2);
    damping_blocks(C, &T);
    stiffness_blocks(K, &T, at->la);
    B_blocks(&B, &T);
    Z_blocks(&Z, &T);
    acceleration_blocks(&Q, &V, &T, at->vd);
    M[0][5] += two->mistake == TWO_WRONG_M ? 0.1 : 0.0;
    C[2][3] += two->mistake == TWO_WRONG_C ? 0.1 : 0.0;
    K[1][6] += two->mistake == TWO_WRONG_K ? 1.0 : 0.0;
    B.axis_Om[2] += two->mistake == TWO_WRONG_B ? 0.1 : 0.0;
    Z.roll_x[2] += two->mistake == TWO_WRONG_Z ? 0.1 : 0.0;
    Q.joint_Om[4] += two->mistake == TWO_WRONG_AQ ? 0.1 : 0.0;
    V.roll_Om[0] += two->mistake == TWO_WRONG_AV ? 0.1 : 0.0;
    for (int p = 0; p < TWO_NPAIRS; ++p) {
        const int k = two->pair[p].i + 2 * two->pair[p].j;
        sink->pair(sink, p, M[k], C[k], NULL);
        sink->pair(sink, p, NULL, NULL, K[k]);
    }
    sink->link(sink, 0, B.joint_x, Z.joint_x);
    sink->link(sink, 1, B.axis_Om, NULL);
    sink->link(sink, 1, NULL, Z.axis_Om);
    sink->link(sink, 2, B.joint_Om, Z.joint_Om);
    sink->link(sink, 3, B.roll_Om, Z.roll_Om);
    sink->link(sink, 4, B.roll_x, Z.roll_x);
    if (sink->wants & DAL_WANT_A) {
        sink->link_acc(sink, 1, Q.axis_Om, V.axis_Om);
        sink->link_acc(sink, 2, Q.joint_Om, NULL);
        sink->link_acc(sink, 2, NULL, V.joint_Om);
        sink->link_acc(sink, 3, Q.roll_Om, V.roll_Om);
        sink->link_acc(sink, 4, Q.roll_x, V.roll_x);
    }
    return DAL_OK;
}

static void row_name(char *buffer, size_t size, int row, const void *user)
{
    static const char *const name[] = {"joint x", "joint y", "joint z", "axis", "rolling"};
    snprintf(buffer, size, "%s", name[row]);
}

static void velocity_name(char *buffer, size_t size, int index, const void *user)
{
    snprintf(buffer, size, "%s %c", index < 3 ? "body" : "particle", "xyz"[index % 3]);
}

static double block_energy(const dal_point *at, const void *user, void *work)
{
    double JO[3], Rarm[3], R[9], d[3], Rs[3];
    qmatrix(R, at->q);
    mvec(JO, J, at->v);
    mvec(Rarm, R, arm);
    mvec(Rs, R, s);
    for (int i = 0; i < 3; ++i) {
        d[i] = at->q[4 + i] - Rs[i];
    }
    return 0.5 * (vdot(at->v, JO) + m2 * vdot(at->v + 3, at->v + 3) + stiffness * vdot(d, d)) -
           m1 * vdot(gravity, Rarm) - m2 * vdot(gravity, at->q + 4);
}

/* ---- dense form ------------------------------------------------------------------------------- */

static void put_rows(double *B, const link_blocks *L)
{
    vzero(B, 30);
    mput(B, 5, 0, 0, 1.0, L->joint_Om);
    mput(B, 5, 0, 3, 1.0, L->joint_x);
    for (int i = 0; i < 3; ++i) {
        B[3 + 5 * i] = L->axis_Om[i];
        B[4 + 5 * i] = L->roll_Om[i];
        B[4 + 5 * (3 + i)] = L->roll_x[i];
    }
}

static void put_pairs(double *A, double X[4][9])
{
    vzero(A, 36);
    for (int k = 0; k < 4; ++k) {
        mput(A, 6, 3 * (k % 2), 3 * (k / 2), 1.0, X[k]);
    }
}

static dal_status dense_M(double *M, double t, const double *q, void *user)
{
    vzero(M, 36);
    mput(M, 6, 0, 0, 1.0, J);
    mput_unit(M, 6, 3, 3, m2);
    return DAL_OK;
}

static dal_status dense_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    terms T;
    evaluate(&T, q, v);
    force(g, &T);
    return DAL_OK;
}

static dal_status dense_Phi(double *Phi, double t, const double *q, void *user)
{
    const double zero[6] = {0};
    terms T;
    evaluate(&T, q, zero);
    positions(Phi, &T);
    return DAL_OK;
}

static dal_status dense_B(double *B, double t, const double *q, void *user)
{
    const double zero[6] = {0};
    terms T;
    link_blocks L;
    evaluate(&T, q, zero);
    B_blocks(&L, &T);
    put_rows(B, &L);
    return DAL_OK;
}

static dal_status dense_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    terms T;
    link_blocks L;
    evaluate(&T, q, v);
    Z_blocks(&L, &T);
    put_rows(Z, &L);
    return DAL_OK;
}

static dal_status dense_acc(double *acc, double t, const double *q, const double *v, void *user)
{
    terms T;
    evaluate(&T, q, v);
    quadratic_terms(acc, &T);
    return DAL_OK;
}

static dal_status dense_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    terms T;
    double X[4][9];
    evaluate(&T, q, v);
    damping_blocks(X, &T);
    put_pairs(C, X);
    return DAL_OK;
}

static dal_status dense_K(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                          void *user)
{
    terms T;
    double X[4][9];
    evaluate(&T, q, v);
    stiffness_blocks(X, &T, la);
    put_pairs(K, X);
    return DAL_OK;
}

static double dense_energy(double t, const double *q, const double *v, void *user)
{
    return block_energy(&(dal_point){.t = t, .q = q, .v = v}, user, NULL);
}

/* ---- creation --------------------------------------------------------------------------------- */

static void describe(two_bodies *two)
{
    two->constraint[0] = (dal_constraint){3, DAL_ROWS_POSITION};
    two->constraint[1] = (dal_constraint){1, DAL_ROWS_POSITION};
    two->constraint[2] = (dal_constraint){1, DAL_ROWS_VELOCITY};
    memcpy(two->pair, (dal_pair[]){{1, 1, 0}, {0, 0, 0}, {0, 1, 0}, {1, 0, 0}}, sizeof two->pair);
    memcpy(two->link, (dal_link[]){{0, 1}, {1, 0}, {0, 0}, {2, 0}, {2, 1}}, sizeof two->link);
    two->block =
        (dal_system){.group = two->group,
                     .nconstraints = 3,
                     .constraint = two->constraint,
                     .npairs = TWO_NPAIRS,
                     .pair = two->pair,
                     .nlinks = TWO_NLINKS,
                     .link = two->link,
                     .provides = DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_A,
                     .equations = {.residual = block_residual, .tangent = block_tangent, .energy = block_energy},
                     .names = {.row = row_name, .velocity = velocity_name},
                     .user = two};
    two->dense = (dal_dense){.group = two->group,
                             .nc = 4,
                             .nn = 1,
                             .M = dense_M,
                             .g = dense_g,
                             .Phi = dense_Phi,
                             .B = dense_B,
                             .Z = dense_Z,
                             .acc = dense_acc,
                             .C = dense_C,
                             .K = dense_K,
                             .energy = dense_energy};
}

/* Turned about x, R b = b, which is orthogonal to w. Om is a combination of b and y: both are orthogonal to
 * row 3, b x y, and row 4 fixes their ratio. */
static void initial_values(two_bodies *two)
{
    double R[9];
    memcpy(two->q0, (double[]){0.8, -0.6, 0.0, 0.0}, 4 * sizeof(double));
    qmatrix(R, two->q0);
    mvec(two->q0 + 4, R, a);
    terms T;
    double base[2][6] = {{0}}, y[3], row[2];
    const double zero[6] = {0};
    evaluate(&T, two->q0, zero);
    memcpy(y, T.y, sizeof y);
    for (int k = 0; k < 2; ++k) {
        const double *Om = k == 0 ? b : y;
        double Oa[3];
        memcpy(base[k], Om, 3 * sizeof(double));
        vcross(Oa, Om, a);
        mvec(base[k] + 3, R, Oa);
        row[k] = vdot(n, base[k] + 3) - two->q0[6] * vdot(e, Om);
    }
    const double length = sqrt(row[0] * row[0] + row[1] * row[1]);
    for (int i = 0; i < TWO_NV; ++i) {
        two->v0[i] = (row[1] * base[0][i] - row[0] * base[1][i]) / length;
    }
}

void two_bodies_create(two_bodies *two, dal_ctx *ctx)
{
    const dal_factor_spec spec[] = {{DAL_FACTOR_SO3, 0}, {DAL_FACTOR_RN, 3}};
    *two = (two_bodies){.ctx = ctx};
    check_ok(ctx, dal_group_create(&two->group, ctx, spec, 2));
    describe(two);
    check_ok(ctx, dal_dense_create(&two->wrapped, ctx, &two->dense));
    initial_values(two);
}

void two_bodies_free(two_bodies *two)
{
    dal_dense_destroy(two->wrapped);
    dal_group_destroy(two->group);
}
