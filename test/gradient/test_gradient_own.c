/* Gradients of equations of one's own: the slider crank of SUNDIALS (idasSlCrank_FSA_dns) in its three coordinates, against discrete
 * gradients of an independent program. */
#include <math.h>
#include <string.h>

#include "dalembert/gradient.h"
#include "reference_own.h"
#include "support/check.h"

enum { NQ = 3, NC = 2 };
enum { A, J1, M2, J2, K, C, L0, F, NUMBERS };

#define TRY(call)                    \
    do {                             \
        const dal_status st_ = call; \
        if (st_ != DAL_OK) {         \
            return st_;              \
        }                            \
    } while (0)

static double number[NUMBERS]; /* those of the equations at present */

static const double weight[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};

static dal_status set(const double *x, void *user)
{
    (void)user;
    memcpy(number, x, sizeof number);
    return DAL_OK;
}

static dal_status mass(double *M, double t, const double *q, void *user)
{
    (void)t, (void)q, (void)user;
    memset(M, 0, NQ * NQ * sizeof *M);
    M[0] = number[J1];
    M[4] = number[M2];
    M[8] = number[J2];
    return DAL_OK;
}

/* Of spring and damper: f/l, and the directions that it acts in. */
static double spring(double way[NQ], const double *y, const double *v)
{
    const double a = number[A], q = y[0], x = y[1], p = y[2];
    const double l = sqrt(x * x - x * (cos(p) + a * cos(q)) + 0.25 * (1.0 + a * a) + 0.5 * a * cos(p - q));
    way[0] = -0.5 * a * (0.5 * sin(p - q) + x * sin(q));
    way[1] = 0.5 * cos(p) - x + 0.5 * a * cos(q);
    way[2] = -0.5 * (x * sin(p) - 0.5 * a * sin(p - q));
    const double rate = -(way[0] * v[0] + way[1] * v[1] + way[2] * v[2]) / l; // the gradient of l is -way/l
    return (number[K] * (l - number[L0]) + number[C] * rate) / l;
}

static dal_status forces(double *g, double t, const double *y, const double *v, const double *la, void *user)
{
    double way[NQ];
    const double f = spring(way, y, v);
    (void)t, (void)la, (void)user;
    for (int i = 0; i < NQ; ++i) {
        g[i] = -f * way[i];
    }
    g[1] -= number[F];
    g[2] += number[F] * sin(y[2]);
    return DAL_OK;
}

static dal_status rows(double *Phi, double t, const double *y, void *user)
{
    (void)t, (void)user;
    Phi[0] = y[1] - cos(y[2]) - number[A] * cos(y[0]);
    Phi[1] = -sin(y[2]) - number[A] * sin(y[0]);
    return DAL_OK;
}

static dal_status gradients(double *B, double t, const double *y, void *user)
{
    const double a = number[A];
    (void)t, (void)user;
    const double all[NC * NQ] = {a * sin(y[0]), -a * cos(y[0]), 1.0, 0.0, sin(y[2]), -cos(y[2])};
    memcpy(B, all, sizeof all);
    return DAL_OK;
}

static dal_status rates(double *Z, double t, const double *y, const double *v, void *user)
{
    const double a = number[A];
    (void)t, (void)user;
    const double all[NC * NQ] = {a * cos(y[0]) * v[0], a * sin(y[0]) * v[0], 0.0, 0.0,
                                 cos(y[2]) * v[2],     sin(y[2]) * v[2]};
    memcpy(Z, all, sizeof all);
    return DAL_OK;
}

static dal_status accelerations(double *w, double t, const double *y, const double *v, void *user)
{
    double Z[NC * NQ];
    TRY(rates(Z, t, y, v, user));
    for (int i = 0; i < NC; ++i) {
        w[i] = Z[i] * v[0] + Z[i + NC] * v[1] + Z[i + 2 * NC] * v[2];
    }
    return DAL_OK;
}

/* g is affine in v. */
static dal_status damping(double *out, double t, const double *y, const double *v, const double *la, void *user)
{
    const double zero[NQ] = {0.0};
    double none[NQ], one[NQ];
    (void)v;
    TRY(forces(none, t, y, zero, la, user));
    for (int j = 0; j < NQ; ++j) {
        double e[NQ] = {0.0};
        e[j] = 1.0;
        TRY(forces(one, t, y, e, la, user));
        for (int i = 0; i < NQ; ++i) {
            out[i + j * NQ] = one[i] - none[i];
        }
    }
    return DAL_OK;
}

/* g + B^T lambda */
static dal_status load(double *r, const double *y, const double *v, const double *la)
{
    double B[NC * NQ];
    TRY(forces(r, 0.0, y, v, la, NULL));
    TRY(gradients(B, 0.0, y, NULL));
    for (int i = 0; i < NQ; ++i) {
        r[i] += B[i * NC] * la[0] + B[i * NC + 1] * la[1];
    }
    return DAL_OK;
}

static dal_status stiffness(double *out, double t, const double *y, const double *v, const double *vd, const double *la,
                            void *user)
{
    const double step = 2e-3;
    (void)t, (void)vd, (void)user;
    memset(out, 0, NQ * NQ * sizeof *out);
    for (int j = 0; j < NQ; ++j) {
        for (int k = -3; k <= 3; ++k) {
            double moved[NQ], r[NQ];
            if (k == 0) {
                continue;
            }
            memcpy(moved, y, sizeof moved);
            moved[j] += k * step;
            TRY(load(r, moved, v, la));
            for (int i = 0; i < NQ; ++i) {
                out[i + j * NQ] += (k < 0 ? -1.0 : 1.0) * weight[(k < 0 ? -k : k) - 1] * r[i] / step;
            }
        }
    }
    return DAL_OK;
}

static dal_status initial(double *y, double *v, void *user)
{
    (void)user;
    y[0] = 2.0 * atan(1.0);
    y[2] = asin(-number[A]);
    y[1] = cos(y[2]);
    memset(v, 0, NQ * sizeof *v);
    return DAL_OK;
}

static dal_status outputs(double *y, const dal_point *at, void *user)
{
    const double *v = at->v;
    (void)user;
    y[0] = 0.5 * (number[J1] * v[0] * v[0] + number[M2] * v[1] * v[1] + number[J2] * v[2] * v[2]);
    y[1] = at->q[1];
    y[2] = v[1];
    return DAL_OK;
}

/* By hand, but for a, the length of the crank. */
static dal_status derivative(const dal_residual *out, const dal_point *at, int k, void *user)
{
    const double *y = at->q, *v = at->v;
    double way[NQ], own[NUMBERS];
    (void)user;
    memcpy(own, number, sizeof own);
    if (k == J1 || k == M2 || k == J2) {
        const int i = k == J1 ? 0 : k == M2 ? 1 : 2;
        out->r[i] = at->vd[i];
    } else if (k == F) {
        out->r[1] = -1.0;
        out->r[2] = sin(y[2]);
    } else if (k != A) { // f is linear in k, c and k l0
        number[K] = k == K ? 1.0 : k == L0 ? own[K] : 0.0;
        number[C] = k == C ? 1.0 : 0.0;
        number[L0] = k == L0 ? 1.0 : own[L0];
        double f = spring(way, y, v);
        if (k == L0) {
            number[L0] = 0.0;
            f -= spring(way, y, v);
        }
        for (int i = 0; i < NQ; ++i) {
            out->r[i] = -f * way[i];
        }
    } else {
        for (int j = -3; j <= 3; ++j) {
            const double step = 1e-3, w = j == 0 ? 0.0 : (j < 0 ? -1.0 : 1.0) * weight[(j < 0 ? -j : j) - 1] / step;
            double r[NQ];
            number[A] = own[A] + j * step;
            TRY(load(r, y, v, at->la));
            for (int i = 0; i < NQ; ++i) {
                out->r[i] += w * r[i];
            }
        }
        number[A] = own[A];
        out->Phi[0] = -cos(y[0]);
        out->Phi[1] = -sin(y[0]);
        out->vel[0] = sin(y[0]) * v[0];
        out->vel[1] = -cos(y[0]) * v[0];
        out->acc[0] = sin(y[0]) * at->vd[0] + cos(y[0]) * v[0] * v[0];
        out->acc[1] = -cos(y[0]) * at->vd[0] + sin(y[0]) * v[0] * v[0];
    }
    memcpy(number, own, sizeof own);
    return DAL_OK;
}

static const double nominal[NUMBERS] = {0.5, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0};
static const char *const name[NUMBERS] = {"a", "J1", "m2", "J2", "k", "c", "l0", "F"};
static const char *const of[] = {"integral(T)", "final(x)", "final(xd)"};
static const char *const objective[] = {"G", "x", "xd"}, *const output[] = {"T", "x", "xd"};

typedef struct answer {
    double value[3], row[3][NUMBERS];
    int differences;
} answer;

static void solve(answer *a, dal_formulation formulation, int by_hand, dal_gradient_mode mode)
{
    dal_ctx *ctx = check_ctx();
    dal_group *G;
    dal_system *sys;
    dal_options opt = dal_options_init();
    check_ok(ctx, dal_group_create(&G, ctx, &(dal_factor_spec){DAL_FACTOR_RN, NQ}, 1));
    const dal_dense dense = {.group = G,
                             .nc = NC,
                             .M = mass,
                             .g = forces,
                             .Phi = rows,
                             .B = gradients,
                             .Z = rates,
                             .acc = accelerations,
                             .C = damping,
                             .K = stiffness};
    check_ok(ctx, set(nominal, NULL));
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    opt.integrator = DAL_INTEGRATOR_GENALPHA;
    opt.formulation = (int)formulation;
    opt.h = 0.01;
    const dal_gradient_own own = {.system = sys,
                                  .options = &opt,
                                  .t_end = 10.0,
                                  .number = nominal,
                                  .set = set,
                                  .initial = initial,
                                  .output = output,
                                  .noutputs = 3,
                                  .outputs = outputs,
                                  .derivative = by_hand ? derivative : NULL};
    const dal_gradient_spec spec = {.source = "crank", .own = &own, .of = of, .nof = 3, .by = name, .nby = NUMBERS};
    dal_gradient *g;
    check_ok(ctx, dal_gradient_create(&g, ctx, &spec));
    check_ok(ctx, dal_gradient_run(g, NULL, mode));
    for (int i = 0; i < 3; ++i) {
        a->value[i] = dal_gradient_value(g, i);
        memcpy(a->row[i], dal_gradient_row(g, i), sizeof a->row[i]);
    }
    a->differences = dal_gradient_about(g).differences;
    dal_gradient_destroy(g);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

static int find(const char *const *list, int n, const char *word)
{
    int i = 0;
    while (i + 1 < n && strcmp(list[i], word) != 0) {
        ++i;
    }
    assert_string_equal(list[i], word);
    return i;
}

static void gradients_of_equations_are_those_of_an_independent_program(void **state)
{
    (void)state;
    static const dal_formulation formulation[] = {DAL_FORMULATION_GGL, DAL_FORMULATION_INDEX3};
    int count = 0;
    for (int f = 0; f < 2; ++f) {
        answer a = {.differences = 0};
        solve(&a, formulation[f], 1, f ? DAL_GRADIENT_FORWARD : DAL_GRADIENT_ADJOINT);
        for (size_t r = 0; r < sizeof reference_own / sizeof reference_own[0]; ++r) {
            const struct reference_own *ref = &reference_own[r];
            if (ref->index3 != f) {
                continue;
            }
            const int i = find(objective, 3, ref->of), k = ref->by[0] != '\0' ? find(name, NUMBERS, ref->by) : 0;
            assert_near(ref->by[0] == '\0' ? a.value[i] : a.row[i][k], ref->value, 1e-10);
            ++count;
        }
    }
    assert_int_equal(count, sizeof reference_own / sizeof reference_own[0]);
}

static void differences_stand_in_for_a_callback_and_say_so(void **state)
{
    (void)state;
    static const dal_formulation formulation[] = {DAL_FORMULATION_GGL, DAL_FORMULATION_INDEX3, DAL_FORMULATION_INDEX2};
    for (int f = 0; f < 3; ++f) {
        answer hand = {.differences = 0}, other = hand;
        solve(&hand, formulation[f], 1, DAL_GRADIENT_FORWARD);
        assert_int_equal(hand.differences, 0);
        for (int mode = DAL_GRADIENT_FORWARD; mode <= DAL_GRADIENT_ADJOINT; ++mode) {
            solve(&other, formulation[f], 0, (dal_gradient_mode)mode);
            assert_int_equal(other.differences, NUMBERS);
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < NUMBERS; ++k) {
                    assert_near(other.row[i][k], hand.row[i][k], 1e-9);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_of_equations_are_those_of_an_independent_program),
                                       cmocka_unit_test(differences_stand_in_for_a_callback_and_say_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
