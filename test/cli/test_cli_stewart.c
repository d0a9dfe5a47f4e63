/* A platform on six legs whose pose is the drive: the forces of the legs while it moves, against the principle of virtual work for
 * points of mass, with derivatives by differences. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "tool.h"

enum { LEGS = 6, POINTS = 12 };

/* The plate has the inertia of six points of 15 kg around its centre of mass; the upper half of each leg is one of 3 kg at its end, and the lower
 * one stands still. */
static const char model[] = "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [\n"
                            " {\"name\": \"plate\", \"mass\": 90, \"inertia\": [\"30*(0.3^2 + 0.1^2)\", \"30*(0.4^2 + "
                            "0.1^2)\", \"30*(0.4^2 + 0.3^2)\"],\n"
                            "  \"com\": [0.1, 0.05, 0.2], \"position\": [0, 0, 1.2]},\n"
                            " {\"repeat\": \"i\", \"to\": 6, \"with\": {\"a\": \"2*pi/3*floor((i - 1)/2)\", \"s\": "
                            "\"2*(i - 2*floor(i/2)) - 1\",\n"
                            "  \"low\": \"[cos(a + 0.2*s), sin(a + 0.2*s), 0]\", \"high\": \"[0.6*cos(a + 0.8*s), "
                            "0.6*sin(a + 0.8*s), 1.2]\"}, \"items\": [\n"
                            "  {\"name\": \"lower{i}\", \"mass\": 2, \"inertia\": 0, \"position\": \"low\", "
                            "\"rotation\": {\"z_along\": [\"low\", \"high\"]}},\n"
                            "  {\"name\": \"upper{i}\", \"mass\": 3, \"inertia\": 0, \"position\": \"high\", "
                            "\"rotation\": {\"z_along\": [\"low\", \"high\"]}}]}],\n"
                            " \"joints\": [{\"repeat\": \"i\", \"to\": 6, \"with\": {\"a\": \"2*pi/3*floor((i - "
                            "1)/2)\", \"s\": \"2*(i - 2*floor(i/2)) - 1\",\n"
                            "  \"low\": \"[cos(a + 0.2*s), sin(a + 0.2*s), 0]\", \"high\": \"[0.6*cos(a + 0.8*s), "
                            "0.6*sin(a + 0.8*s), 1.2]\"}, \"items\": [\n"
                            "  {\"name\": \"U{i}\", \"type\": \"universal\", \"body_b\": \"lower{i}\", \"point\": "
                            "\"low\", \"axis\": \"high - low\"},\n"
                            "  {\"name\": \"P{i}\", \"type\": \"prismatic\", \"body_a\": \"lower{i}\", \"body_b\": "
                            "\"upper{i}\", \"axis\": \"high - low\"},\n"
                            "  {\"name\": \"S{i}\", \"type\": \"spherical\", \"body_a\": \"upper{i}\", \"body_b\": "
                            "\"plate\", \"point\": \"high\"},\n"
                            "  {\"name\": \"L{i}\", \"type\": \"motion\", \"joint\": \"P{i}\", \"function\": 0}]}],\n"
                            " \"simulation\": {\"t_end\": 1}}\n";

/* x, y, z, yaw, pitch, roll */
static void pose(double q[6], double t)
{
    const double s = sin(3.0 * t), c = 1.0 - cos(2.0 * t);
    q[0] = 0.1 * c;
    q[1] = -0.05 * s * s;
    q[2] = 1.2 + 0.08 * s * s;
    q[3] = 0.2 * c;
    q[4] = -0.1 * s * s;
    q[5] = 0.15 * c;
}

#define MOTION                                                                                                  \
    "plate.x=0.1*(1-cos(2*t));plate.y=-0.05*sin(3*t)^2;plate.z=1.2+0.08*sin(3*t)^2;plate.yaw=0.2*(1-cos(2*t));" \
    "plate.pitch=-0.1*sin(3*t)^2;plate.roll=0.15*(1-cos(2*t))"

/* A point of the plate in the world: turned about x, then y, then z. */
static void placed(double r[3], const double q[6], const double p[3])
{
    const double y1 = cos(q[5]) * p[1] - sin(q[5]) * p[2], z1 = sin(q[5]) * p[1] + cos(q[5]) * p[2];
    const double x2 = cos(q[4]) * p[0] + sin(q[4]) * z1, z2 = cos(q[4]) * z1 - sin(q[4]) * p[0];
    r[0] = q[0] + cos(q[3]) * x2 - sin(q[3]) * y1;
    r[1] = q[1] + sin(q[3]) * x2 + cos(q[3]) * y1;
    r[2] = q[2] + z2;
}

static void leg_ends(int i, double low[3], double high[3])
{
    const double a = 2.0 * acos(-1.0) / 3.0 * (i / 2), s = i % 2 == 0 ? 1.0 : -1.0; // NOLINT(bugprone-integer-division)
    const double l[3] = {cos(a + 0.2 * s), sin(a + 0.2 * s), 0.0},
                 h[3] = {0.6 * cos(a + 0.8 * s), 0.6 * sin(a + 0.8 * s), 0.0};
    memcpy(low, l, sizeof l);
    memcpy(high, h, sizeof h);
}

static double length(int i, const double q[6])
{
    double low[3], high[3], r[3];
    leg_ends(i, low, high);
    placed(r, q, high);
    return sqrt((r[0] - low[0]) * (r[0] - low[0]) + (r[1] - low[1]) * (r[1] - low[1]) + r[2] * r[2]);
}

/* A point of mass in the plate. */
static double point(int k, double p[3])
{
    static const double arm[3] = {0.4, 0.3, 0.1};
    double low[3];
    if (k < LEGS) {
        leg_ends(k, low, p);
        return 3.0;
    }
    p[0] = 0.1;
    p[1] = 0.05;
    p[2] = 0.2;
    p[(k - LEGS) / 2] += k % 2 == 0 ? arm[(k - LEGS) / 2] : -arm[(k - LEGS) / 2];
    return 15.0;
}

/* m (a + g) of a point, a by differences of fourth order. */
static double pull(double f[3], int k, double t)
{
    static const double weight[5] = {-1.0, 16.0, -30.0, 16.0, -1.0};
    const double h = 5e-3;
    double p[3], q[6], r[3];
    const double m = point(k, p);
    f[0] = f[1] = 0.0;
    f[2] = 9.81;
    for (int j = 0; j < 5; ++j) {
        pose(q, t + (j - 2) * h);
        placed(r, q, p);
        for (int i = 0; i < 3; ++i) {
            f[i] += weight[j] * r[i] / (12.0 * h * h);
        }
    }
    return m;
}

static void solve(double A[LEGS][LEGS + 1])
{
    for (int k = 0; k < LEGS; ++k) {
        int best = k;
        for (int i = k + 1; i < LEGS; ++i) {
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        }
        for (int j = 0; j <= LEGS; ++j) {
            const double x = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = x;
        }
        for (int i = 0; i < LEGS; ++i) {
            const double c = i == k ? 0.0 : A[i][k] / A[k][k];
            for (int j = 0; j <= LEGS; ++j) {
                A[i][j] -= c * A[k][j];
            }
        }
    }
    for (int k = 0; k < LEGS; ++k) {
        A[k][LEGS] /= A[k][k];
    }
}

/* For each direction of the pose: the sum of F_i dl_i/dq is the sum of m (a + g) . dr/dq. */
static void forces(double F[LEGS], double t)
{
    const double d = 1e-5;
    double A[LEGS][LEGS + 1] = {{0.0}};
    for (int k = 0; k < 6; ++k) {
        double one[6], two[6];
        pose(one, t);
        pose(two, t);
        one[k] -= d;
        two[k] += d;
        for (int i = 0; i < LEGS; ++i) {
            A[k][i] = (length(i, two) - length(i, one)) / (2.0 * d);
        }
        for (int i = 0; i < POINTS; ++i) {
            double p[3], f[3], a[3], b[3];
            const double m = pull(f, i, t);
            point(i, p);
            placed(a, one, p);
            placed(b, two, p);
            for (int j = 0; j < 3; ++j) {
                A[k][LEGS] += m * f[j] * (b[j] - a[j]) / (2.0 * d);
            }
        }
    }
    solve(A);
    for (int i = 0; i < LEGS; ++i) {
        F[i] = A[i][LEGS];
    }
}

static void legs_do_the_work_of_the_motion(void **state)
{
    double least = INFINITY, most = -INFINITY;
    tool_write("platform.json", model);
    json_t *d = tool_json(
        "inverse platform.json --without L* --drives P1,P2,P3,P4,P5,P6 --times 0:1:21 --json --motion " MOTION, 0);
    for (int k = 0; k < 21; ++k) {
        double F[LEGS];
        forces(F, k / 20.0);
        for (int i = 0; i < LEGS; ++i) {
            char name[16];
            snprintf(name, sizeof name, "P%d", i + 1);
            const json_t *force = json_array_get(json_object_get(json_object_get(d, "drives"), name), (size_t)k);
            assert_near(json_number_value(force), F[i], 1e-3);
            least = fmin(least, F[i]);
            most = fmax(most, F[i]);
        }
    }
    assert_true(most - least > 100.0); // the motion counts
    json_decref(d);
}

/* Number k of a list of the joint P`leg`. */
static double of_leg(const json_t *d, const char *list, int leg, int k)
{
    char name[16];
    snprintf(name, sizeof name, "P%d", leg + 1);
    const json_t *joint = json_object_get(json_object_get(d, "joints"), name);
    return json_number_value(json_array_get(json_object_get(joint, list), (size_t)k));
}

/* The pose over a sweep, all six in one command: lengths of the legs, and their rates and accelerations when x goes at 2 m/s. */
static void a_pose_of_six_drives_the_legs(void **state)
{
    static const double from[6] = {-0.05, 0.02, 1.2, 0.1, 0.0, -0.1}, to[6] = {0.1, 0.02, 1.3, -0.2, 0.15, 0.05};
    const double d = 1e-4, start[6] = {0.0, 0.0, 1.2, 0.0, 0.0, 0.0}, speed = 2.0 / (to[0] - from[0]);
    tool_write("platform.json", model);
    json_t *r =
        tool_json("kinematics platform.json --without L* --drive plate.x=-0.05:0.1:11 --drive plate.y=0.02 --drive "
                  "plate.z=1.2:1.3 --drive plate.yaw=0.1:-0.2 --drive plate.pitch=0:0.15 --drive "
                  "plate.roll=-0.1:0.05 --rate 2 --json",
                  0);
    for (int k = 0; k <= 10; ++k) {
        for (int leg = 0; leg < LEGS; ++leg) {
            double l[3];
            for (int e = 0; e < 3; ++e) {
                double q[6];
                for (int i = 0; i < 6; ++i) {
                    q[i] = from[i] + (to[i] - from[i]) * (0.1 * k + (e - 1) * d);
                }
                l[e] = length(leg, q);
            }
            assert_near(of_leg(r, "coordinate", leg, k), l[1] - length(leg, start), 1e-10);
            assert_near(of_leg(r, "velocity", leg, k), speed * (l[2] - l[0]) / (2.0 * d), 1e-6);
            assert_near(of_leg(r, "acceleration", leg, k), speed * speed * (l[2] - 2.0 * l[1] + l[0]) / (d * d), 1e-4);
        }
    }
    json_decref(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(legs_do_the_work_of_the_motion),
                                       cmocka_unit_test(a_pose_of_six_drives_the_legs)};
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
