/* Gradients of independent programs: discrete runs to their uncertainty, and derivatives of exact motions by methods of high order. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/gradient.h"
#include "reference_discrete.h"
#include "support/check.h"

enum { EXACT = sizeof exact / sizeof exact[0], REFERENCES = EXACT + sizeof discrete / sizeof discrete[0] };
enum { NAMES = 64, SETS = 4 };

static const reference *reference_of(int r)
{
    return r < EXACT ? &exact[r] : &discrete[r - EXACT];
}

/* How a case is computed, and what is asked of it relative to the largest value of its kind: positions and velocities; forces and
 * their integrals, which index 3 rounds like u |q|/h^2. finer > 0: integrals are sums by the trapezoidal rule, and those with steps
 * h/2, h/4, ... are extrapolated to the motion. */
static const struct how {
    const char *model, *set[SETS];
    double h, t_end, motion, forces;
    dal_gradient_mode mode;
    int finer;
} cases[CASES] = {
    [CRANK_EXACT] =
        {"crank", {"integrator=rk", "order=8", "step=fixed"}, 0.02, 10, 1e-12, 1e-12, DAL_GRADIENT_ADJOINT, 0},
    [TOP_EXACT] = {"top", {"integrator=rk", "order=8", "step=fixed"}, 2e-3, 1, 1e-9, 1e-9, DAL_GRADIENT_FORWARD, 3},
    [SPATIAL_EXACT_1S] =
        {"spatial", {"integrator=rk", "order=8", "step=fixed"}, 4e-3, 1, 1e-9, 1e-9, DAL_GRADIENT_FORWARD, 3},
    [SPATIAL_EXACT_5S] =
        {"spatial", {"integrator=rk", "order=8", "step=fixed"}, 4e-3, 5, 1e-8, 1e-8, DAL_GRADIENT_ADJOINT, 2},
    [CHAIN_EXACT] = {"chain", {"integrator=rk", "order=8", "step=fixed"}, 0.02, 1, 1e-9, 1e-9, DAL_GRADIENT_ADJOINT, 3},
    [TOP_GGL_1] = {"top", {"formulation=ggl"}, 1e-3, 1, 1e-10, 1e-10, DAL_GRADIENT_ADJOINT, 0},
    [TOP_INDEX3_1] = {"top", {"formulation=index3"}, 1e-3, 1, 1e-10, 1e-8, DAL_GRADIENT_FORWARD, 0},
    [SPATIAL_GGL_1] = {"spatial", {"formulation=ggl"}, 1e-3, 1, 1e-10, 1e-8, DAL_GRADIENT_ADJOINT, 0},
    [SPATIAL_INDEX3_1] = {"spatial", {"formulation=index3"}, 1e-3, 1, 1e-10, 1e-8, DAL_GRADIENT_FORWARD, 0},
    [CHAIN_GGL_1] = {"chain", {"formulation=ggl"}, 1e-3, 1, 1e-10, 1e-8, DAL_GRADIENT_ADJOINT, 0},
    [CHAIN_GGL_2] = {"chain", {"formulation=ggl"}, 2e-3, 1, 1e-10, 1e-8, DAL_GRADIENT_FORWARD, 0},
    [CHAIN_INDEX3_2] = {"chain", {"formulation=index3"}, 2e-3, 1, 1e-10, 1e-8, DAL_GRADIENT_ADJOINT, 0},
    [TOP_RK_2_5] = {"top", {"integrator=rk", "order=5", "step=fixed"}, 2.5e-3, 1, 1e-9, 1e-9, DAL_GRADIENT_ADJOINT, 0},
    [TOP_LOBATTO_5] = {"top", {"integrator=lobatto", "stages=3"}, 5e-3, 1, 1e-9, 1e-9, DAL_GRADIENT_ADJOINT, 0},
};

/* Names of a case. */
static int collect(const char **list, int which, int by)
{
    int n = 0;
    for (int r = 0; r < REFERENCES; ++r) {
        const char *name = by ? reference_of(r)->by : reference_of(r)->of;
        int known = name[0] == '\0' || reference_of(r)->which != which;
        for (int i = 0; i < n; ++i) {
            known |= strcmp(list[i], name) == 0;
        }
        if (!known) {
            list[n++] = name;
        }
    }
    return n;
}

static int number_of(const char *const *list, const char *name)
{
    int i = 0;
    while (strcmp(list[i], name) != 0) {
        ++i;
    }
    return i;
}

typedef struct answers {
    const char *of[NAMES], *by[NAMES];
    int nof, nby;
    double x[NAMES][NAMES]; /* of a value: that, and its derivatives behind it */
} answers;

static void run(answers *a, int which, double h)
{
    const struct how *how = &cases[which];
    char source[500], step[64], end[64];
    snprintf(source, sizeof source, DAL_MODELS "/%s.json", how->model);
    snprintf(step, sizeof step, "h=%.17g", h);
    snprintf(end, sizeof end, "t_end=%.17g", how->t_end);
    const char *set[SETS + 2] = {step, end};
    int nset = 2;
    for (int k = 0; k < SETS && how->set[k]; ++k) {
        set[nset++] = how->set[k];
    }
    dal_ctx *ctx = check_ctx();
    a->nof = collect(a->of, which, 0);
    a->nby = collect(a->by, which, 1);
    const dal_gradient_spec spec = {
        .source = source, .of = a->of, .nof = a->nof, .by = a->by, .nby = a->nby, .set = set, .nset = nset};
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_ok(ctx, dal_gradient_run(g, NULL, how->mode));
    for (int i = 0; i < a->nof; ++i) {
        a->x[i][0] = dal_gradient_value(g, i);
        memcpy(a->x[i] + 1, dal_gradient_row(g, i), (size_t)a->nby * sizeof(double));
    }
    dal_gradient_destroy(g);
    check_ctx_free(ctx);
}

static int is_integral(const char *of)
{
    return strncmp(of, "integral", 8) == 0;
}

/* Sums by the trapezoidal rule have errors in even powers of h. */
static void extrapolate(answers *a, int which)
{
    enum { MOST = 4 };
    static answers fine[MOST];
    const int n = cases[which].finer;
    for (int k = 0; k < n; ++k) {
        run(&fine[k], which, cases[which].h / (double)(2 << k));
    }
    for (int i = 0; i < a->nof && n > 0; ++i) {
        for (int k = 0; k <= a->nby && is_integral(a->of[i]); ++k) {
            double row[MOST + 1] = {a->x[i][k]};
            for (int j = 1; j <= n; ++j) {
                double power = 4.0;
                row[j] = fine[j - 1].x[i][k];
                for (int l = j - 1; l >= 0; --l, power *= 4.0) {
                    row[l] = row[l + 1] + (row[l + 1] - row[l]) / (power - 1.0);
                }
            }
            a->x[i][k] = row[0];
        }
    }
}

static int wrong_of(int which)
{
    static answers a;
    run(&a, which, cases[which].h);
    extrapolate(&a, which);
    double largest[NAMES] = {0.0};
    int wrong = 0, count = 0;
    for (int r = 0; r < REFERENCES; ++r) {
        if (reference_of(r)->which == which) {
            const int i = number_of(a.of, reference_of(r)->of);
            largest[i] = fmax(largest[i], fabs(reference_of(r)->value));
        }
    }
    for (int r = 0; r < REFERENCES; ++r) {
        const reference *ref = reference_of(r);
        if (ref->which != which) {
            continue;
        }
        const int i = number_of(a.of, ref->of), forces = strstr(ref->of, "force") != NULL;
        const double x = a.x[i][ref->by[0] == '\0' ? 0 : 1 + number_of(a.by, ref->by)];
        const double tol = forces ? cases[which].forces : cases[which].motion;
        ++count;
        if (!(fabs(x - ref->value) <= tol * largest[i] + 10.0 * ref->uncertainty)) {
            fprintf(stderr, "%s, case %d: d %s / d %s = %.15g, not %.15g: %.1e of the largest\n", cases[which].model,
                    which, ref->of, ref->by, x, ref->value, fabs(x - ref->value) / largest[i]);
            ++wrong;
        }
    }
    assert_true(count > 0);
    return wrong;
}

static void gradients_of_discrete_runs_are_those_of_an_independent_program(void **state)
{
    (void)state;
    int wrong = 0;
    for (int which = 0; which < CASES; ++which) {
        wrong += cases[which].model && which >= TOP_GGL_1 ? wrong_of(which) : 0;
    }
    assert_int_equal(wrong, 0);
}

static void gradients_tend_to_those_of_the_motion(void **state)
{
    (void)state;
    int wrong = 0;
    for (int which = 0; which < TOP_GGL_1; ++which) {
        wrong += wrong_of(which);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_discrete_runs_are_those_of_an_independent_program),
        cmocka_unit_test(gradients_tend_to_those_of_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
