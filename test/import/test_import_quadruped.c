/* A quadruped from MJCF. It stands on four feet: ground reactions and torques of its servos against statics by hand. It flies and
 * lands on its feet, one after the other: against Kane's equations in coordinates of its own, integrated here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "robot.h"

/* A thigh and a shank, each 0.2 m long, with hinges about y; masses in the middle of both. */
#define LEG(name, at)                                                                       \
    "<body name='" name "_thigh' pos='" at "'><joint name='" name "_hip' class='hip'/>"     \
    "<inertial pos='0 0 -0.1' mass='0.8' diaginertia='0.003 0.003 0.0005'/>"                \
    "<body name='" name "_shank' pos='0 0 -0.2'><joint name='" name "_knee' class='knee'/>" \
    "<inertial pos='0 0 -0.1' mass='0.3' diaginertia='0.001 0.001 0.0002'/></body></body>"
#define SERVO(name)                                                         \
    "<position name='" name "_hip' joint='" name "_hip' kp='600' kv='12'/>" \
    "<position name='" name "_knee' joint='" name "_knee' kp='600' kv='12'/>"
static const char dog[] =
    "<mujoco model='dog'><compiler angle='radian'/><option gravity='0 0 -9.81'/>"
    "<default><joint axis='0 1 0' armature='0.02' damping='0.1'/><default class='hip'><joint range='-2 2'/></default>"
    "<default class='knee'><joint range='-2.6 0'/></default></default>"
    "<worldbody><body name='trunk' pos='0 0 0.4'><freejoint name='float'/>"
    "<inertial pos='0.03 0 0' mass='9' diaginertia='0.05 0.2 0.2'/>" LEG("fl", "0.2 0.1 0") LEG("fr", "0.2 -0.1 0")
        LEG("rl", "-0.2 0.1 0") LEG("rr", "-0.2 -0.1 0") "</body></worldbody><actuator>" SERVO("fl") SERVO("fr")
            SERVO("rl")
                SERVO("rr") "</actuator>"
                            "<keyframe><key name='stand' qpos='0 0 0.36 1 0 0 0 0.6 -1.2 0.6 -1.2 0.6 -1.2 0.6 "
                            "-1.2' ctrl='0.6 -1.2 0.6 "
                            "-1.2 0.6 -1.2 0.6 -1.2'/>"
                            "<key name='leap' qpos='0.1 -0.2 0.8 0.96 0.1 -0.2 0.16 0.3 -1 0.8 -1.5 0.5 -0.7 "
                            "0.9 -1.1' qvel='0.5 0.2 1 3 -2 4 5 -3 -6 4 2 6 -4 -2' ctrl='0.6 -1.2 0.5 "
                            "-1.2 0.7 -1 0.6 -1.4'/>"
                            "<key name='land' qpos='0 0 0.39 0.9982 0.03 0.05 0.01 0.6 -1.2 0.55 -1.2 0.6 -1.1 "
                            "0.6 -1.2' qvel='0.1 0.05 -0.6 0.2 0.3 -0.2 0 0 0.3 0 0 -0.3 0 0' ctrl='0.6 -1.2 0.6 "
                            "-1.2 0.6 -1.2 0.6 -1.2'/>"
                            "<key name='drop' qpos='0 0 0.37 1 0 0 0 0.6 -1.2 0.6 -1.2 0.6 -1.2 0.6 -1.2' "
                            "qvel='0.1 0 -0.5 0 0 0 0 0 0 0 0 0 0 0' ctrl='0.6 -1.2 0.6 -1.2 0.6 -1.2 0.6 "
                            "-1.2'/></keyframe></mujoco>";

/* Feet of 20 mm radius on a floor with friction. */
#define FOOT(name, mu)                                                                                          \
    "{'name': '" name "', 'type': 'contact', 'body_b': '" name "_shank', 'frame_a': [0, 0, 0], 'frame_b': [0, " \
    "0, -0.2], 'shape': 'sphere', 'radius': 0.02, 'mu': " mu "}, "
#define FEET(mu) FOOT("fl", mu) FOOT("fr", mu) FOOT("rl", mu) FOOT("rr", mu)
#define SIDE(name)                                                                                         \
    "'" name ".force', '" name "_hip.coordinate', '" name "_knee.coordinate', '" name "_thigh.position', " \
    "'" name "_shank.position'"
/* The description from a keyframe, with joints ("..., " or "") and outputs of our own. */
static check_model start(const char *key, const char *feet, const char *outputs, const char *const *set, int nset)
{
    char model[20000];
    const dal_import_options options = {.keyframe = key};
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, dog, &options);
    const char *json = dal_import_text(import), *joints = strstr(json, "\"joints\": ["),
               *from = strstr(json, "\"outputs\": ["), *to = strstr(json, "\"view\"");
    assert_true(joints != NULL && from > joints && to > from);
    joints += strlen("\"joints\": [");
    const int n = snprintf(model, sizeof model, "%.*s%s%.*s\"outputs\": [%s], %s", (int)(joints - json), json, feet,
                           (int)(from - joints), joints, outputs, to);
    assert_in_range(n, 1, sizeof model - 1);
    const check_model m = check_model_start(model, set, nset);
    dal_import_destroy(import);
    check_ctx_free(ctx);
    return m;
}

/* ---- it stands -------------------------------------------------------------------------------- */

/* What a hinge about y at h has to hold against a force at r: the virtual work of a turn. */
static double held(const double h[3], const double r[3], double fx, double fz)
{
    return -(r[2] - h[2]) * fx + (r[0] - h[0]) * fz;
}

/* Torques of hip and knee from the force on the foot and the weights of thigh and shank. y: as SIDE has it. */
static void torques(double tau[2], const double *y)
{
    const double *F = y, *hip = y + 5, *knee = y + 8, *upper[2] = {hip, knee}, W = -9.81;
    const double angle = atan2(hip[0] - knee[0], hip[2] - knee[2]) + y[4];
    const double shank[3] = {-0.2 * sin(angle), 0.0, -0.2 * cos(angle)};
    double middle[2][3], foot[3];
    for (int i = 0; i < 3; ++i) {
        middle[0][i] = 0.5 * (hip[i] + knee[i]);
        middle[1][i] = knee[i] + 0.5 * shank[i];
        foot[i] = knee[i] + shank[i] - (i == 2 ? 0.02 : 0.0);
    }
    assert_near(foot[2], 0.0, 1e-8);
    for (int k = 0; k < 2; ++k) {
        tau[k] = held(upper[k], foot, F[0], F[2]) + held(upper[k], middle[1], 0.0, 0.3 * W) +
                 (k == 0 ? held(hip, middle[0], 0.0, 0.8 * W) : 0.0);
    }
}

static void a_quadruped_stands(void **state)
{
    const double weight = (9.0 + 4.0 * 1.1) * 9.81;
    static const char *const set[] = {"h=0.001"};
    check_model r = start("stand", FEET("0.8"), SIDE("fl") ", " SIDE("rl") ", 'fr.force', 'rr.force'", set, 1);
    check_model_run(&r, 3.0);
    const double *front = r.y, *rear = r.y + 11, *right = r.y + 22;
    assert_near(front[2] + rear[2] + right[2] + right[5], weight, 1e-6 * weight);
    assert_near(front[0] + rear[0] + right[0] + right[3], 0.0, 1e-6 * weight);
    assert_near(front[2], right[2], 1e-6 * weight); // left as right
    for (int k = 0; k < 2; ++k) {
        const double *side = k == 0 ? front : rear;
        double tau[2];
        torques(tau, side);
        assert_near(600.0 * (0.6 - side[3]), tau[0], 1e-4);
        assert_near(600.0 * (-1.2 - side[4]), tau[1], 1e-4);
        assert_true(fabs(tau[1]) > 1.0);
    }
    check_model_free(&r);
}

/* ---- it moves: equations of our own -------------------------------------------------------------- */

/* Speeds: velocity of the trunk's origin and its angular velocity, world axes; hip and knee of each leg. */
enum { NU = 14, NLEGS = 4, NX = 3 + 9 + 8 + NU, NK = NU + 3 * NLEGS };
static const double masses[3] = {9.0, 0.8, 0.3}, servo[2] = {600.0, 12.0}, damper = 0.1, rotor = 0.02, radius = 0.02,
                    friction = 3.0, moments[3][3] = {{0.05, 0.2, 0.2}, {0.003, 0.003, 0.0005}, {0.001, 0.001, 0.0002}};

/* x = (p, R by rows, angles, speeds) */
typedef struct pose {
    const double *x, *u;
    double axis[3]; /* of all hinges */
    double R[NLEGS][3][9],
        at[NLEGS][4][3]; /* trunk, thigh, shank: axes; trunk's origin, hip, knee, centre of the foot */
} pose;

static void add(double *to, double f, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        to[i] += f * x[i];
    }
}

static void cross(double *y, const double *a, const double *b)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static void turned(double *y, const double *R, double x0, double x1, double x2)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = R[3 * i] * x0 + R[3 * i + 1] * x1 + R[3 * i + 2] * x2;
    }
}

static pose pose_of(const double *x)
{
    static const double hip[NLEGS][2] = {{0.2, 0.1}, {0.2, -0.1}, {-0.2, 0.1}, {-0.2, -0.1}};
    pose P = {.x = x, .u = x + 20};
    turned(P.axis, x + 3, 0.0, 1.0, 0.0);
    for (int l = 0; l < NLEGS; ++l) {
        double reach[3], angle = 0.0;
        memcpy(P.at[l][0], x, sizeof P.at[l][0]);
        memcpy(P.R[l][0], x + 3, sizeof P.R[l][0]);
        turned(reach, x + 3, hip[l][0], hip[l][1], 0.0);
        for (int k = 0; k < 3; ++k) {
            memcpy(P.at[l][k], k > 0 ? P.at[l][k - 1] : x, sizeof P.at[l][k]);
            add(P.at[l][k], k > 0 ? 1.0 : 0.0, reach, 3);
            if (k > 0) { // columns of the axes of the link below the hinge
                angle += x[12 + 2 * l + k - 1];
                const double c = cos(angle), s = sin(angle);
                for (int i = 0; i < 3; ++i) {
                    const double *row = x + 3 + 3 * i;
                    P.R[l][k][3 * i] = c * row[0] - s * row[2];
                    P.R[l][k][3 * i + 1] = row[1];
                    P.R[l][k][3 * i + 2] = s * row[0] + c * row[2];
                }
                turned(reach, P.R[l][k], 0.0, 0.0, -0.2);
            }
        }
        memcpy(P.at[l][3], P.at[l][2], sizeof P.at[l][3]);
        add(P.at[l][3], 1.0, reach, 3);
    }
    return P;
}

/* Per speed: velocity of the point c of link k (0: trunk) of a leg, and its angular velocity. Without change of the speeds: their
 * accelerations, and the angular velocity. */
typedef struct rates {
    double v[NU][3], w[NU][3], acceleration[3], turning[3], omega[3];
} rates;

/* a += turning x r + omega x (omega x r) */
static void carry(double *a, const rates *m, const double *from, const double *to)
{
    double r[3], y[3], z[3];
    memcpy(r, to, sizeof r);
    add(r, -1.0, from, 3);
    cross(y, m->omega, r);
    cross(z, m->omega, y);
    add(a, 1.0, z, 3);
    cross(y, m->turning, r);
    add(a, 1.0, y, 3);
}

static rates rates_of(const pose *P, int l, int k, const double c[3])
{
    rates m = {0};
    memcpy(m.omega, P->u + 3, sizeof m.omega);
    for (int j = 0; j <= k; ++j) {
        const double *from = P->at[l][j];
        double r[3], change[3];
        memcpy(r, c, sizeof r);
        add(r, -1.0, from, 3);
        for (int i = 0; i < 3 && j == 0; ++i) {
            m.v[i][i] = m.w[3 + i][i] = 1.0;
            cross(m.v[3 + i], m.w[3 + i], r);
        }
        if (j > 0) {
            const int hinge = 6 + 2 * l + j - 1;
            memcpy(m.w[hinge], P->axis, sizeof P->axis);
            cross(m.v[hinge], P->axis, r);
            cross(change, P->u + 3, P->axis);
            add(m.turning, P->u[hinge], change, 3);
            add(m.omega, P->u[hinge], P->axis, 3);
        }
        carry(m.acceleration, &m, from, j < k ? P->at[l][j + 1] : c);
    }
    return m;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* y := R diag(J) R^T x */
static void times(double *y, const double *R, const double *J, const double *x)
{
    double z[3];
    for (int i = 0; i < 3; ++i) {
        z[i] = J[i] * (R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2]);
    }
    turned(y, R, z[0], z[1], z[2]);
}

/* The link adds to M and to f = (forces - what M u' lacks). */
static void add_link(double M[NK][NK], double *f, const pose *P, int l, int k)
{
    const double *R = P->R[l][k], *J = moments[k];
    double c[3], gyro[3], H[3], y[3];
    turned(c, R, k == 0 ? 0.03 : 0.0, 0.0, k == 0 ? 0.0 : -0.1);
    add(c, 1.0, P->at[l][k], 3);
    rates m = rates_of(P, l, k, c);
    times(H, R, J, m.omega);
    cross(gyro, m.omega, H);
    times(y, R, J, m.turning);
    add(gyro, 1.0, y, 3);
    m.acceleration[2] += 9.81;
    for (int i = 0; i < NU; ++i) {
        times(y, R, J, m.w[i]);
        for (int j = 0; j < NU; ++j) {
            M[i][j] += masses[k] * dot(m.v[i], m.v[j]) + dot(y, m.w[j]);
        }
        f[i] -= masses[k] * dot(m.v[i], m.acceleration) + dot(m.w[i], gyro);
    }
}

/* K x = b by elimination with the largest pivots, in place; rows that depend on others are left out: x = 0. */
static void solve(double K[NK][NK], double *b, int n)
{
    int column[NK];
    for (int i = 0; i < n; ++i) {
        column[i] = i;
    }
    int rank = 0;
    for (; rank < n; ++rank) {
        int r = rank, c = rank;
        for (int i = rank; i < n; ++i) {
            for (int j = rank; j < n; ++j) {
                if (fabs(K[i][j]) > fabs(K[r][c])) {
                    r = i, c = j;
                }
            }
        }
        if (fabs(K[r][c]) < 1e-10) {
            break;
        }
        for (int i = 0; i < n; ++i) {
            const double kept = K[i][c];
            K[i][c] = K[i][rank], K[i][rank] = kept;
        }
        const int at = column[c];
        column[c] = column[rank], column[rank] = at;
        for (int j = 0; j < n; ++j) {
            const double kept = K[r][j];
            K[r][j] = K[rank][j], K[rank][j] = kept;
        }
        const double kept = b[r];
        b[r] = b[rank], b[rank] = kept;
        for (int i = rank + 1; i < n; ++i) {
            const double part = K[i][rank] / K[rank][rank];
            add(K[i] + rank, -part, K[rank] + rank, n - rank);
            b[i] -= part * b[rank];
        }
    }
    double x[NK] = {0};
    for (int i = rank - 1; i >= 0; --i) {
        double sum = b[i];
        for (int j = i + 1; j < rank; ++j) {
            sum -= K[i][j] * x[column[j]];
        }
        x[column[i]] = sum / K[i][i];
    }
    memcpy(b, x, (size_t)n * sizeof *x);
}

/* Feet that are down (bits): they stick. The point of the floor below the centre of the foot is one of the shank. impulse: b are the
 * speeds after and impulses, for speeds before; else accelerations and forces. */
static void equations(double b[NK], const double *x, int down, const double *target, int impulse)
{
    double K[NK][NK] = {0}, f[NU] = {0};
    const pose P = pose_of(x);
    for (int l = 0; l < NLEGS; ++l) {
        for (int k = l == 0 ? 0 : 1; k < 3; ++k) {
            add_link(K, f, &P, l, k);
        }
    }
    memset(b, 0, NK * sizeof *b);
    for (int h = 0; h < 8; ++h) {
        K[6 + h][6 + h] += rotor;
        f[6 + h] += servo[0] * (target[h] - x[12 + h]) - (servo[1] + damper) * P.u[6 + h];
    }
    for (int i = 0; i < NU; ++i) {
        for (int j = 0; j < NU && impulse; ++j) {
            b[i] += K[i][j] * P.u[j];
        }
        b[i] = impulse ? b[i] : f[i];
    }
    int n = NU;
    for (int l = 0; l < NLEGS; ++l) {
        double c[3], r[3] = {0.0, 0.0, -radius}, lever[3];
        memcpy(c, P.at[l][3], sizeof c);
        const rates m = rates_of(&P, l, 2, c); // the centre; the point below is -radius e_z from it at any time
        cross(lever, m.turning, r);
        for (int d = 0; d < 3 && (down >> l & 1); ++d, ++n) {
            for (int i = 0; i < NU; ++i) {
                double part[3];
                cross(part, m.w[i], r);
                K[n][i] = m.v[i][d] + part[d];
                K[i][n] = -K[n][i];
            }
            b[n] = impulse ? 0.0 : -(m.acceleration[d] + lever[d]);
        }
    }
    solve(K, b, n);
}

static void slope(double *y, const double *x, int down, const double *target)
{
    double b[NK];
    equations(b, x, down, target, 0);
    memcpy(y, x + 20, 3 * sizeof *y);
    for (int j = 0; j < 3; ++j) {
        const double column[3] = {x[3 + j], x[6 + j], x[9 + j]};
        double d[3];
        cross(d, x + 23, column);
        for (int i = 0; i < 3; ++i) {
            y[3 + 3 * i + j] = d[i];
        }
    }
    memcpy(y + 12, x + 26, 8 * sizeof *y);
    memcpy(y + 20, b, NU * sizeof *y);
}

/* One step of Runge and Kutta */
static void step(double *x, double h, int down, const double *target)
{
    double k[4][NX], y[NX];
    for (int s = 0; s < 4; ++s) {
        memcpy(y, x, sizeof y);
        add(y, s == 0 ? 0.0 : s < 3 ? 0.5 * h : h, k[s > 0 ? s - 1 : 0], s > 0 ? NX : 0);
        slope(k[s], y, down, target);
    }
    for (int s = 0; s < 4; ++s) {
        add(x, h / (s == 0 || s == 3 ? 6.0 : 3.0), k[s], NX);
    }
}

/* The feet that are no higher than this. */
static int feet_below(const double *x, double height)
{
    const pose P = pose_of(x);
    int feet = 0;
    for (int l = 0; l < NLEGS; ++l) {
        feet |= (P.at[l][3][2] - radius < height) << l;
    }
    return feet;
}

/* ---- compared --------------------------------------------------------------------------------- */

#define ALL                                                                                      \
    "'trunk.position', 'trunk.quaternion', 'trunk.velocity', 'trunk.angular_velocity', " HINGES( \
        "coordinate") ", " HINGES("coordinate_velocity")
#define HINGES(what) BOTH("fl", what) ", " BOTH("fr", what) ", " BOTH("rl", what) ", " BOTH("rr", what)
#define BOTH(leg, what) "'" leg "_hip." what "', '" leg "_knee." what "'"

/* y as in ALL */
static void state_of(double *x, const double *y)
{
    const double *e = y + 3;
    memcpy(x, y, 3 * sizeof *x);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int k = 3 - i - j; // the third one of two that differ
            x[3 + 3 * i + j] =
                i == j ? 1.0 - 2.0 * (e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - e[1 + i] * e[1 + i])
                       : 2.0 * (e[1 + i] * e[1 + j] + ((j - i + 3) % 3 == 1 ? -1.0 : 1.0) * e[0] * e[1 + k]);
        }
    }
    memcpy(x + 12, y + 13, 8 * sizeof *x);
    memcpy(x + 20, y + 7, 6 * sizeof *x);
    memcpy(x + 26, y + 21, 8 * sizeof *x);
}

static void assert_alike(const check_model *r, const double *x, double tol)
{
    double got[NX];
    state_of(got, r->y);
    assert_all_near(got, x, 20, tol);
    assert_all_near(got + 20, x + 20, NU, 100.0 * tol);
}

static void a_quadruped_flies(void **state)
{
    static const double target[8] = {0.6, -1.2, 0.5, -1.2, 0.7, -1.0, 0.6, -1.4};
    static const char *const set[] = {"step_rtol=1e-10"};
    double x[NX];
    check_model r = start("leap", "", ALL, set, 1);
    check_model_run(&r, 0.0);
    state_of(x, r.y);
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 500; ++i) {
            step(x, 1e-4, 0, target);
        }
        check_model_run(&r, 0.05 * (k + 1));
        assert_alike(&r, x, 1e-8);
    }
    check_model_free(&r);
}

/* The impulses or forces of the feet that are down press, and what sticks is within the cone of friction. y: normal ones. */
static void hold(double y[NLEGS], const double *P, int down)
{
    for (int l = 0; l < NLEGS; ++l) {
        y[l] = down >> l & 1 ? P[2] : 0.0;
        if (down >> l & 1) {
            assert_true(P[2] > 0.0 && hypot(P[0], P[1]) < friction * P[2]);
            P += 3;
        }
    }
}

/* A step of at most h, to where another foot meets the floor: speeds jump so that all that are down stick. Returns the time it took;
 * y: normal impulses. */
static double step_to_floor(double *x, double h, int *down, const double *target, double y[NLEGS])
{
    double low = 0.0, high = h, end[NX], b[NK];
    memcpy(end, x, sizeof end);
    step(end, h, *down, target);
    if ((feet_below(end, 0.0) & ~*down) == 0) {
        memcpy(x, end, sizeof end);
        return h;
    }
    for (int k = 0; k < 50; ++k) {
        const double middle = 0.5 * (low + high);
        memcpy(end, x, sizeof end);
        step(end, middle, *down, target);
        *((feet_below(end, 0.0) & ~*down) == 0 ? &low : &high) = middle;
    }
    memcpy(x, end, sizeof end);
    *down |= feet_below(x, 1e-9);
    equations(b, x, *down, target, 1);
    memcpy(x + 20, b, NU * sizeof *b);
    hold(y, b + NU, *down);
    return high;
}

/* Onto these feet, which stay down to the end. */
static void lands(const char *key, int feet, double end)
{
    enum { STEPS = 320 };
    static const double target[8] = {0.6, -1.2, 0.6, -1.2, 0.6, -1.2, 0.6, -1.2}, weight = 13.4 * 9.81;
    static const char *const set[] = {"step_rtol=1e-9"};
    double x[NX], b[NK], P[NLEGS] = {0}, force[NLEGS], t = 0.0, landed = INFINITY;
    check_model r = start(key, FEET("3"), ALL ", 'fl.force.z', 'fr.force.z', 'rl.force.z', 'rr.force.z'", set, 1);
    check_model_run(&r, 0.0);
    state_of(x, r.y);
    for (int down = 0, k = 1; k <= 4; ++k) {
        while (t < 0.25 * k * end - 1e-12) {
            const int before = down;
            t += step_to_floor(x, fmin(end / STEPS, 0.25 * k * end - t), &down, target, P);
            landed = down != before ? t : landed;
        }
        check_model_run(&r, t);
        assert_alike(&r, x, 2e-8);
        assert_true(down == (t < landed ? 0 : feet));
        equations(b, x, down, target, 0);
        hold(force, b + NU, down);
        assert_all_near(r.y + 29, force, NLEGS, 1e-4 * weight);
    }
    int n;
    const dal_contact_event *event = dal_sim_contact_events(r.sim, &n);
    for (int i = 0; i < n; ++i) {
        if (event[i].what == DAL_CONTACT_IMPACT) {
            assert_near(event[i].t, landed, 1e-8);
            assert_near(event[i].P_n, P[event[i].contact], 1e-6);
            P[event[i].contact] = 0.0;
        }
    }
    assert_near(check_max_abs(P, NLEGS), 0.0, 0.0);
    check_model_free(&r);
}

static void a_quadruped_lands_on_one_foot(void **state)
{
    lands("land", 1 << 1, 0.08);
}

static void a_quadruped_lands_on_four_feet(void **state)
{
    lands("drop", 15, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_quadruped_stands), cmocka_unit_test(a_quadruped_flies),
                                       cmocka_unit_test(a_quadruped_lands_on_one_foot),
                                       cmocka_unit_test(a_quadruped_lands_on_four_feet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
