/* Product groups: layout, agreement with the factors, creation and its failures. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "dalembert/lie.h"
#include "support/check.h"

static const dal_factor_spec all[] = {{DAL_FACTOR_SE3, 0}, {DAL_FACTOR_RN, 3},  {DAL_FACTOR_R3SO3, 0},
                                      {DAL_FACTOR_SE2, 0}, {DAL_FACTOR_SO3, 0}, {DAL_FACTOR_R2S1, 0},
                                      {DAL_FACTOR_RN, 8}};
enum { NQ = 7 + 3 + 7 + 3 + 4 + 3 + 8, NV = 6 + 3 + 6 + 3 + 3 + 3 + 8 };

static void layout_is_consecutive(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_group *G = NULL;
    check_ok(ctx, dal_group_create(&G, ctx, all, (int)LEN(all)));
    int q = 0, v = 0;
    for (int i = 0; i < G->nfactors; ++i) {
        const dal_factor *f = &G->factor[i];
        assert_int_equal(f->type->kind, all[i].kind);
        assert_ptr_equal(f->type, dal_factor_type_of(all[i].kind));
        assert_int_equal(f->q, q);
        assert_int_equal(f->v, v);
        q += f->nq;
        v += f->nv;
    }
    assert_int_equal(q, NQ);
    assert_int_equal(v, NV);
    assert_int_equal(G->nq, NQ);
    assert_int_equal(G->nv, NV);
    assert_int_equal(G->max_nv, 8);
    assert_false(G->flat);
    assert_ptr_equal(G->ctx, ctx);
    dal_group_destroy(G);

    static const dal_factor_spec flat[] = {{DAL_FACTOR_RN, 1}, {DAL_FACTOR_R2S1, 0}};
    check_ok(ctx, dal_group_create(&G, ctx, flat, 2));
    assert_true(G->flat);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

/* The diagonal block of X at the factor equals `want`; block columns and rows are zero elsewhere. */
static void assert_block(const dal_group *G, const dal_factor *f, const double *X, const double *want)
{
    for (int j = 0; j < f->nv; ++j) {
        for (int i = 0; i < G->nv; ++i) {
            const int inside = i >= f->v && i < f->v + f->nv;
            assert_near(X[i + (f->v + j) * G->nv], inside ? want[i - f->v + j * f->nv] : 0.0, 0.0);
        }
    }
}

static void product_equals_its_factors(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_group *G = NULL;
    check_ok(ctx, dal_group_create(&G, ctx, all, (int)LEN(all)));
    check_rng rng = check_rng_seed(41);
    double theta[NV], c[NV], q0[NQ], q1[NQ], qc[NQ], qi[NQ], w[NV], d[NV], X[NV * NV], e[NQ];
    check_normals(&rng, theta, NV), check_normals(&rng, c, NV);
    dal_identity(G, e), dal_retract(G, q0, e, c);
    dal_retract(G, q1, q0, theta), dal_compose(G, qc, q0, q1), dal_inverse(G, qi, q0);
    dal_difference(G, d, q0, q1), dal_bracket(G, w, theta, c);
    double sum = 0.0;
    for (const dal_factor *f = G->factor; f < G->factor + G->nfactors; ++f) {
        const dal_factor_type *t = f->type;
        const double *th = theta + f->v, *cf = c + f->v, *p0 = q0 + f->q, *p1 = q1 + f->q;
        double coef[DAL_NCOEF], B[64], q[8], u[8];
        t->prepare(coef, th, f->nv);
        t->retract(q, p0, th, coef, f->nv);
        assert_all_near(p1, q, f->nq, 0.0);
        t->compose(q, p0, p1, f->nv);
        assert_all_near(qc + f->q, q, f->nq, 0.0);
        t->inverse(q, p0, f->nv);
        assert_all_near(qi + f->q, q, f->nq, 0.0);
        t->difference(u, p0, p1, f->nv);
        assert_all_near(d + f->v, u, f->nv, 0.0);
        t->bracket(u, th, cf, f->nv);
        assert_all_near(w + f->v, u, f->nv, 0.0);
        t->tangent(B, th, coef, f->nv), dal_tangent(G, X, theta);
        assert_block(G, f, X, B);
        t->inv_tangent(B, th, coef, f->nv), dal_inv_tangent(G, X, theta);
        assert_block(G, f, X, B);
        t->dtangent(B, th, cf, coef, f->nv), dal_dtangent(G, X, theta, c);
        assert_block(G, f, X, B);
        t->hat(B, th, f->nv), dal_hat(G, X, theta);
        assert_block(G, f, X, B);
        sum += pow(t->distance(p0, p1, f->nv), 2.0);
    }
    assert_near(dal_distance(G, q0, q1), sqrt(sum), 1e-14);
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

static void r3so3_is_the_direct_product(void **state)
{
    const dal_factor_type *r3so3 = dal_factor_type_of(DAL_FACTOR_R3SO3), *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    double theta[6], c[6], q0[7] = {1.0, 2.0, 3.0}, q1[7], p1[4], coef[2][DAL_NCOEF], X[36], B[9];
    (void)state;
    check_rng rng = check_rng_seed(42);
    check_normals(&rng, theta, 6), check_normals(&rng, c, 6), check_quaternion(&rng, q0 + 3);
    r3so3->prepare(coef[0], theta, 6), so3->prepare(coef[1], theta + 3, 3);
    r3so3->retract(q1, q0, theta, coef[0], 6), so3->retract(p1, q0 + 3, theta + 3, coef[1], 3);
    assert_all_near(q1 + 3, p1, 4, 0.0);
    for (int k = 0; k < 3; ++k) {
        assert_near(q1[k], q0[k] + theta[k], 0.0);
        if (k == 0) {
            r3so3->tangent(X, theta, coef[0], 6), so3->tangent(B, theta + 3, coef[1], 3);
        } else if (k == 1) {
            r3so3->inv_tangent(X, theta, coef[0], 6), so3->inv_tangent(B, theta + 3, coef[1], 3);
        } else {
            r3so3->dtangent(X, theta, c, coef[0], 6), so3->dtangent(B, theta + 3, c + 3, coef[1], 3);
        }
        for (int i = 0; i < 36; ++i) {
            const int row = i % 6, col = i / 6, rotation = row >= 3 && col >= 3;
            const double outside = row == col && k < 2 ? 1.0 : 0.0;
            assert_near(X[i], rotation ? B[row - 3 + 3 * (col - 3)] : outside, 0.0);
        }
    }
}

static void defect_is_the_largest_and_normalise_removes_it(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_group *G = NULL;
    double q[NQ];
    check_ok(ctx, dal_group_create(&G, ctx, all, (int)LEN(all)));
    dal_identity(G, q);
    assert_near(dal_defect(G, q), 0.0, 0.0);
    q[3] = 1.25, q[13] = 0.5, q[20] = 1.125;
    assert_near(dal_defect(G, q), 0.5, 0.0);
    dal_normalise(G, q);
    assert_near(dal_defect(G, q), 0.0, 0.0);
    q[3] = NAN;
    assert_true(isnan(dal_defect(G, q)));
    dal_group_destroy(G);
    check_ctx_free(ctx);
}

static void bad_specifications_are_refused(void **state)
{
    static const dal_factor_spec kind[] = {{DAL_FACTOR_SO3, 0}, {(dal_factor_kind)17, 0}},
                                 none[] = {{DAL_FACTOR_RN, 0}}, negative[] = {{DAL_FACTOR_RN, -3}},
                                 huge[] = {{DAL_FACTOR_RN, INT_MAX}, {DAL_FACTOR_SO3, 0}};
    (void)state;
    dal_ctx *ctx = check_ctx();
    dal_group *G = (dal_group *)ctx; // must become NULL
    check_fails(ctx, dal_group_create(&G, ctx, kind, 0), DAL_EINVAL, "at least one factor");
    assert_null(G);
    check_fails(ctx, dal_group_create(&G, ctx, kind, -1), DAL_EINVAL, "at least one factor");
    check_fails(ctx, dal_group_create(&G, ctx, kind, 2), DAL_EINVAL, "factor 1: 17 is not");
    check_fails(ctx, dal_group_create(&G, ctx, none, 1), DAL_EINVAL, "n = 0");
    check_fails(ctx, dal_group_create(&G, ctx, negative, 1), DAL_EINVAL, "n = -3");
    check_fails(ctx, dal_group_create(&G, ctx, huge, 2), DAL_EINVAL, "factor 1: the group stores more");
    assert_null(G);
    assert_null(dal_factor_type_of(DAL_FACTOR_KINDS));
    dal_group_destroy(NULL);
    check_ctx_free(ctx);
}

static dal_status create_and_destroy(dal_ctx *ctx, void *user)
{
    dal_group *G;
    (void)user;
    DAL_TRY(dal_group_create(&G, ctx, all, (int)LEN(all)));
    dal_group_destroy(G);
    return DAL_OK;
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    assert_int_equal(check_every_allocation(create_and_destroy, NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_is_consecutive),
        cmocka_unit_test(product_equals_its_factors),
        cmocka_unit_test(r3so3_is_the_direct_product),
        cmocka_unit_test(defect_is_the_largest_and_normalise_removes_it),
        cmocka_unit_test(bad_specifications_are_refused),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
