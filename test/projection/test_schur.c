/* The quick way through the saddle system, mass first: the same solutions as the solver with pivots, which takes over where
 * that cannot be. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "projection/envelope.h"
#include "projection/saddle.h"
#include "support/check.h"

enum { MOST = 512 };

typedef struct bench {
    dal_ctx *ctx;
    dal_document *doc;
    dal_sim *sim;
    dal_eval *ev;
    dal_saddle *saddle;
    double q[MOST], v[MOST];
} bench;

/* A model a little on its way. */
static void open_at(bench *b, const char *name, const char *set)
{
    const dal_system *sys;
    b->ctx = check_ctx();
    check_ok(b->ctx, dal_document_open(&b->doc, b->ctx, name, &set, set != NULL ? 1 : 0));
    dal_model *model = dal_document_model(b->doc);
    check_ok(b->ctx, dal_model_compile(model, &sys));
    check_ok(b->ctx, dal_document_assemble(b->doc, NULL, sys));
    check_ok(b->ctx, dal_sim_create(&b->sim, b->ctx, sys, dal_document_options(b->doc)));
    check_ok(b->ctx, dal_sim_start(b->sim, NULL, 0.0, dal_model_q0(model), dal_model_v0(model)));
    check_ok(b->ctx, dal_sim_run(b->sim, NULL, 0.02));
    const dal_state s = dal_sim_state(b->sim);
    memcpy(b->q, s.q, (size_t)sys->group->nq * sizeof *b->q);
    memcpy(b->v, s.v, (size_t)sys->group->nv * sizeof *b->v);
    check_ok(b->ctx, dal_eval_create(&b->ev, b->ctx, sys, dal_sim_data(b->sim)));
    check_ok(b->ctx, dal_saddle_create(&b->saddle, b->ctx, b->ev, DAL_LINSOL_AUTO));
    assert_true(b->ev->nv + b->ev->nc <= MOST);
}

static void close_bench(bench *b)
{
    dal_saddle_destroy(b->saddle);
    dal_eval_destroy(b->ev);
    dal_sim_destroy(b->sim);
    dal_document_destroy(b->doc);
    check_ctx_free(b->ctx);
}

/* Solutions for random sides, with forces and without, by both ways. Returns the largest difference. */
static double difference(bench *b, int quick)
{
    check_rng rng = check_rng_seed(5);
    const dal_point at = {0.02, b->q, b->v, b->saddle->zero, b->saddle->zero};
    const int nv = b->ev->nv, n = nv + b->ev->nc;
    double side[4][MOST], want[4][MOST], worst = 0.0, size = 0.0;
    check_ok(b->ctx, dal_saddle_factor(b->saddle, &at, 0));
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < n; ++i) {
            side[k][i] = k > 1 && i < nv ? 0.0 : check_uniform(&rng, -1.0, 1.0);
        }
        memcpy(b->saddle->x, side[k], (size_t)n * sizeof(double));
        dal_saddle_solve(b->saddle);
        memcpy(want[k], b->saddle->x, (size_t)n * sizeof(double));
    }
    check_ok(b->ctx, dal_saddle_factor_briefly(b->saddle, &at));
    assert_int_equal(b->saddle->by_mass, quick);
    for (int k = 0; k < 4; ++k) {
        memcpy(b->saddle->x, side[k], (size_t)n * sizeof(double));
        if (k % 2 == 0) {
            dal_saddle_solve(b->saddle);
        } else {
            dal_saddle_solve_roughly(b->saddle);
        }
        for (int i = 0; i < n; ++i) {
            worst = fmax(worst, fabs(b->saddle->x[i] - want[k][i]));
            size = fmax(size, fabs(want[k][i]));
        }
    }
    return worst / size;
}

static void both_ways_give_the_same(void **state)
{
    static const struct {
        const char *name, *set;
    } list[] = {{"heavy_top", NULL},
                {"heavy_top", "coordinates=cardan"},
                {"heavy_top", "coordinates=se3"},
                {"chain", "N=10"},
                {"chain", "N=40"},
                {"andrews_squeezer", NULL},
                {"slider_crank", NULL},
                {"spatial_slider_crank", NULL},
                {"rolling_disk", NULL},
                {"free_top", NULL}};
    for (size_t k = 0; k < sizeof list / sizeof list[0]; ++k) {
        bench *b = calloc(1, sizeof *b);
        open_at(b, list[k].name, list[k].set);
        const double d = difference(b, 1);
        print_message("%-22s %-20s %.1e\n", list[k].name, list[k].set ? list[k].set : "", d);
        assert_near(d, 0.0, 1e-11);
        close_bench(b);
        free(b);
    }
}

/* ---- where it cannot be ----------------------------------------------------------------------- */

/* Two points of the plane, in one factor each; the second has the mass m, row 0 holds them together in x, row 1 is
 * `again` times the same and holds y of the second. */
typedef struct points {
    double m, again;
} points;

static dal_status points_M(double *M, double t, const double *q, void *user)
{
    const points *p = user;
    memset(M, 0, 16 * sizeof *M);
    M[0] = M[5] = 2.0;
    M[10] = M[15] = p->m;
    return DAL_OK;
}

static dal_status points_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    memset(g, 0, 4 * sizeof *g);
    g[0] = 1.0;
    return DAL_OK;
}

static dal_status points_Phi(double *Phi, double t, const double *q, void *user)
{
    const points *p = user;
    Phi[0] = q[0] - q[2];
    Phi[1] = p->again * (q[0] - q[2]) + (1.0 - p->again) * q[3];
    return DAL_OK;
}

static dal_status points_B(double *B, double t, const double *q, void *user)
{
    const points *p = user;
    memset(B, 0, 8 * sizeof *B);
    B[0] = 1.0;
    B[4] = -1.0;
    B[1] = p->again;
    B[5] = -p->again;
    B[7] = 1.0 - p->again;
    return DAL_OK;
}

/* The two points with their saddle system. */
typedef struct points_saddle {
    dal_ctx *ctx;
    dal_group *group;
    dal_system *sys;
    dal_eval *ev;
    dal_saddle *s;
} points_saddle;

static points_saddle points_saddle_create(points *p)
{
    points_saddle b = {.ctx = check_ctx()};
    check_ok(b.ctx, dal_group_create(&b.group, b.ctx, (dal_factor_spec[]){{DAL_FACTOR_RN, 2}, {DAL_FACTOR_RN, 2}}, 2));
    const dal_dense dense = {
        .group = b.group, .nc = 2, .M = points_M, .g = points_g, .Phi = points_Phi, .B = points_B, .user = p};
    check_ok(b.ctx, dal_dense_create(&b.sys, b.ctx, &dense));
    check_ok(b.ctx, dal_eval_create(&b.ev, b.ctx, b.sys, NULL));
    check_ok(b.ctx, dal_saddle_create(&b.s, b.ctx, b.ev, DAL_LINSOL_AUTO));
    return b;
}

static void points_saddle_destroy(points_saddle *b)
{
    dal_saddle_destroy(b->s);
    dal_eval_destroy(b->ev);
    dal_dense_destroy(b->sys);
    dal_group_destroy(b->group);
    check_ctx_free(b->ctx);
}

/* Acceleration of the first point, or the failure. */
static dal_status push(double m, double again, int *by_mass, double *a)
{
    points p = {m, again};
    const double q[4] = {0.3, 0.1, 0.3, 0.0};
    points_saddle b = points_saddle_create(&p);
    dal_ctx *ctx = b.ctx;
    dal_saddle *s = b.s;
    assert_non_null(s->schur);
    const dal_status st = dal_saddle_factor_briefly(s, &(dal_point){0.0, q, s->zero, s->zero, s->zero});
    *by_mass = s->by_mass;
    if (st == DAL_OK) {
        memset(s->x, 0, 6 * sizeof *s->x);
        s->x[0] = -1.0;
        dal_saddle_solve(s);
        *a = s->x[0];
    } else {
        print_message("%s\n", dal_ctx_message(ctx));
        assert_non_null(strstr(dal_ctx_message(ctx), m > 0.0 ? "depend on the others" : "mass"));
    }
    points_saddle_destroy(&b);
    return st;
}

/* A point without mass that is held needs pivots, dependent rows are told as ever, and nearly dependent ones, too. */
static void pivots_are_used_where_they_are_needed(void **state)
{
    int by_mass;
    double a = NAN;
    assert_int_equal(push(3.0, 0.5, &by_mass, &a), DAL_OK);
    assert_true(by_mass);
    assert_near(a, -0.2, 1e-15);
    assert_int_equal(push(0.0, 0.5, &by_mass, &a), DAL_OK);
    assert_false(by_mass);
    assert_near(a, -0.5, 1e-15);
    assert_int_equal(push(3.0, 1.0 - 1e-5, &by_mass, &a), DAL_OK);
    assert_false(by_mass);
    assert_near(a, -0.2, 1e-12);
    assert_int_equal(push(3.0, 1.0, &by_mass, &a), DAL_EREDUNDANT);
}

/* The inverse of M is kept while M is the same: none to begin with, less, more, and none again. */
static void masses_that_change_are_inverted_again(void **state)
{
    static const double m[] = {0.0, 3.0, 3.0, 8.0, 0.0, 8.0, 3.0};
    points p = {0.0, 0.5};
    const double q[4] = {0.3, 0.1, 0.3, 0.0};
    points_saddle b = points_saddle_create(&p);
    dal_ctx *ctx = b.ctx;
    dal_saddle *s = b.s;
    for (int k = 0; k < (int)(sizeof m / sizeof m[0]); ++k) {
        p.m = m[k];
        check_ok(ctx, dal_saddle_factor_briefly(s, &(dal_point){(double)k, q, s->zero, s->zero, s->zero}));
        assert_int_equal(s->by_mass, m[k] > 0.0);
        memset(s->x, 0, 6 * sizeof *s->x);
        s->x[0] = -1.0;
        dal_saddle_solve(s);
        assert_near(s->x[0], -1.0 / (2.0 + m[k]), 1e-15);
    }
    points_saddle_destroy(&b);
}

/* ---- the envelope ----------------------------------------------------------------------------- */

/* S = A^T A + I within an envelope: rows reach back 2 to 8 columns, in threes or not. */
static void the_envelope_is_solved(void **state)
{
    enum { N = 24 };
    check_rng rng = check_rng_seed(7);
    for (int threes = 0; threes < 2; ++threes) {
        int first[N], offset[N];
        double S[N][N] = {{0.0}}, x[N * N], d[3 * N], y[N], want[N];
        for (int i = 0; i < N; ++i) {
            first[i] = threes ? (i / 3 >= 2 && i / 3 % 3 == 2 ? i / 3 - 2
                                 : i / 3 >= 1                 ? i / 3 - 1
                                                              : 0) *
                                    3
                              : (i > 7 && i % 4 == 1 ? i - 8
                                 : i > 1             ? i - 2
                                                     : 0);
            for (int j = first[i]; j < i; ++j) {
                S[i][j] = S[j][i] = check_uniform(&rng, -1.0, 1.0);
            }
            for (int j = threes ? i - i % 3 : i; j < i; ++j) {
                S[i][j] = S[j][i] = check_uniform(&rng, -1.0, 1.0);
            }
            S[i][i] = 12.0;
        }
        dal_envelope e = {.n = N, .threes = threes, .first = first, .offset = offset, .x = x, .d = d};
        dal_envelope_shape(&e);
        for (int i = 0; i < N; ++i) {
            want[i] = check_uniform(&rng, -1.0, 1.0);
            for (int j = first[i]; j <= i; ++j) {
                x[threes ? 9 * (offset[i] + j / 3) + 3 * (i % 3) + j % 3 : offset[i] + j] = S[i][j];
            }
        }
        for (int i = 0; i < N; ++i) {
            y[i] = 0.0;
            for (int j = 0; j < N; ++j) {
                y[i] -= S[i][j] * want[j];
            }
        }
        assert_true(dal_envelope_factor(&e, 1e-6));
        dal_envelope_solve(&e, y);
        for (int i = 0; i < N; ++i) {
            assert_near(y[i], want[i], 1e-13);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_give_the_same),
        cmocka_unit_test(pivots_are_used_where_they_are_needed),
        cmocka_unit_test(masses_that_change_are_inverted_again),
        cmocka_unit_test(the_envelope_is_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
