/* Boxes of joints `contact` that fall on each other: whatever the steps, they never overlap, by axes that separate them, which are looked for here, and
 * give no energy. */
#include "thrown.h"

/* A scene: boxes with these halves of their edges. */
typedef struct scene {
    thrown all;
    double half[THROWN][3];
} scene;

static void add_body(scene *s, int i, check_rng *rng, double z)
{
    double x[3], v[3], w[3], axis[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = check_uniform(rng, -0.5, k < 2 ? 0.5 : -0.1);
        w[k] = check_uniform(rng, -3, 3);
        axis[k] = check_uniform(rng, -1, 1);
    }
    x[0] = check_uniform(rng, -0.05, 0.05);
    x[1] = check_uniform(rng, -0.05, 0.05);
    x[2] = z;
    add_thrown(&s->all, i, x, axis, check_uniform(rng, 0, 3), v, w);
}

static void add_joint(scene *s, int a, int b, double mu, double e)
{
    char part[600], solid[200] = "";
    if (a >= 0) {
        snprintf(solid, sizeof solid, "'body_a': 'b%d', 'shape_a': 'box', 'size_a': [%.17g, %.17g, %.17g],", a,
                 2.0 * s->half[a][0], 2.0 * s->half[a][1], 2.0 * s->half[a][2]);
    }
    snprintf(part, sizeof part,
             "%s{'name': 'c%d%d', 'type': 'contact', %s 'body_b': 'b%d', 'shape': 'box', 'size': [%.17g, %.17g, %.17g],"
             "'frame_a': [0, 0, 0], 'frame_b': [0, 0, 0], 'mu': %.17g, 'restitution': %.17g}",
             a < 0 && b == 0 ? "" : ",", a + 1, b, solid, b, 2.0 * s->half[b][0], 2.0 * s->half[b][1],
             2.0 * s->half[b][2], mu, e);
    add(&s->all, part);
}

static void write_scene(scene *s, unsigned long seed)
{
    check_rng rng = check_rng_seed(seed);
    const double mu = check_uniform(&rng, 0.05, 0.6), e = check_uniform(&rng, 0, 1) < 0.5 ? 0.0 : 0.3;
    double z = 0.0;
    *s = (scene){.all = {.n = check_uniform(&rng, 0, 1) < 0.5 ? 2 : 3, .least = INFINITY, .energy = INFINITY}};
    add(&s->all, "{'dalembert': 1, 'name': 'boxes', 'gravity': [0, 0, -9.81], 'bodies': [");
    for (int i = 0; i < s->all.n; ++i) {
        double square[3], reach = 0.0;
        const double m = s->all.mass[i] = check_uniform(&rng, 0.5, 2);
        for (int k = 0; k < 3; ++k) {
            s->half[i][k] = check_uniform(&rng, 0.04, 0.125);
            square[k] = s->half[i][k] * s->half[i][k];
            reach += square[k];
        }
        for (int k = 0; k < 3; ++k) {
            s->all.inertia[i][k] = m / 3.0 * (reach - square[k]);
        }
        z += sqrt(reach) + 0.01;
        add_body(s, i, &rng, z);
        z += sqrt(reach) + 0.01;
    }
    add(&s->all, "], 'joints': [");
    for (int b = 0; b < s->all.n; ++b) {
        for (int a = -1; a < b; ++a) {
            add_joint(s, a, b, mu, e);
        }
    }
    add(&s->all, "], 'simulation': {'t_end': 0.5, 'impacts': 'located'}}");
}

/* Columns of R: the axes of a body with quaternion p. */
static void axes(double R[3][3], const double *p)
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        R[k][k] = 1.0 - 2.0 * (p[1 + i] * p[1 + i] + p[1 + j] * p[1 + j]);
        R[k][i] = 2.0 * (p[1 + k] * p[1 + i] + p[0] * p[1 + j]);
        R[k][j] = 2.0 * (p[1 + k] * p[1 + j] - p[0] * p[1 + i]);
    }
}

/* How far a box reaches along an axis. */
static double reach(double R[3][3], const double *half, const double *axis)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += half[k] * fabs(dot(R[k], axis));
    }
    return sum;
}

/* How far two boxes are apart along the axis that separates them most: below zero how deep they overlap. */
static double apart(const double *x, double R[3][3], const double *hx, const double *y, double S[3][3],
                    const double *hy)
{
    const double d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    double most = -INFINITY;
    for (int k = 0; k < 15; ++k) {
        double axis[3];
        for (int i = 0; i < 3; ++i) {
            const double *a = R[k % 3], *b = S[(k / 3 + 1) % 3];
            const double cross = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
            axis[i] = k < 3 ? R[k][i] : k < 6 ? S[k - 3][i] : cross;
        }
        const double length = sqrt(dot(axis, axis));
        if (length > 1e-9) {
            most = fmax(most, (fabs(dot(axis, d)) - reach(R, hx, axis) - reach(S, hy, axis)) / length);
        }
    }
    return most;
}

static dal_status look(dal_sim *sim, const dal_state *state, void *user)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    scene *s = user;
    double R[THROWN][3][3];
    (void)sim;
    for (int i = 0; i < s->all.n; ++i) {
        const double *x = state->q + 7 * i;
        axes(R[i], x + 3);
        s->all.least = fmin(s->all.least, x[2] - reach(R[i], s->half[i], up));
        for (int j = 0; j < i; ++j) {
            const double gap = apart(x, R[i], s->half[i], state->q + 7 * j, R[j], s->half[j]);
            s->all.least = fmin(s->all.least, gap);
        }
    }
    note_energy(&s->all, state);
    return DAL_OK;
}

static void run_scenes(const char *step, const unsigned long *seed, int n, double rise)
{
    const char *const set[] = {"integrator=genalpha", step, "max_steps=6000"};
    for (int i = 0; i < n; ++i) {
        scene s;
        write_scene(&s, seed[i]);
        run_thrown(&s.all, &s, look, set, 3, 0.5, rise);
    }
}

/* Each overlapped once, by up to 3e-7 m, where the contact that was lowest opened, and another one took its place, within a step. */
static void they_keep_apart_with_fixed_steps(void **state)
{
    static const unsigned long seed[] = {11, 44, 68, 77};
    run_scenes("h=0.001", seed, 4, 1e-5);
}

/* Likewise; in 41 flights that began a little below zero ended there, faster than they had begun, and never came to rest. */
static void they_keep_apart_with_adaptive_steps(void **state)
{
    static const unsigned long seed[] = {41, 55, 68, 129};
    run_scenes("step=adaptive", seed, 4, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_keep_apart_with_fixed_steps),
        cmocka_unit_test(they_keep_apart_with_adaptive_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
