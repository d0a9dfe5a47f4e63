/* Claims notice a broken method. The linker puts __wrap_f in place of f (see CMakeLists.txt), which spoils a coefficient or
 * drops a term while a mutation is on; the claim named with it must fail then, and hold without. */
#include <math.h>
#include <string.h>

#include "reproduce/claim.h"
#include "support/check.h"

enum {
    NOTHING,
    BETA,
    GAMMA,
    ALPHA_M,
    ALPHA_F,
    SIGMA,
    C_Q,
    BRACKET,
    RECURSION,
    NODES,
    STAGES,
    CONJUGATE,
    AMPLIFICATION
};
static int mutation = NOTHING;

dal_status __real_dal_ga_coefficients(dal_ctx *ctx, dal_ga_coef *coef, const dal_options *options);
dal_status __wrap_dal_ga_coefficients(dal_ctx *ctx, dal_ga_coef *coef, const dal_options *options);
dal_status __wrap_dal_ga_coefficients(dal_ctx *ctx, dal_ga_coef *coef, const dal_options *options)
{
    const dal_status st = __real_dal_ga_coefficients(ctx, coef, options);
    if (st == DAL_OK) {
        coef->beta *= mutation == BETA ? 1.05 : 1.0;
        coef->gamma += mutation == GAMMA ? 0.02 : 0.0;
        coef->alpha_m += mutation == ALPHA_M ? 0.02 : 0.0;
        coef->alpha_f -= mutation == ALPHA_F ? 0.02 : 0.0;
        coef->sigma *= mutation == SIGMA ? 0.9 : 1.0;
        coef->C_q *= mutation == C_Q ? 0.0 : 1.0;
    }
    return st;
}

void __real_dal_bracket(const dal_group *G, double *w, const double *u, const double *v);
void __wrap_dal_bracket(const dal_group *G, double *w, const double *u, const double *v);
void __wrap_dal_bracket(const dal_group *G, double *w, const double *u, const double *v)
{
    __real_dal_bracket(G, w, u, v);
    if (mutation == BRACKET) {
        memset(w, 0, (size_t)G->nv * sizeof *w);
    }
}

dal_status __real_dal_error_recursion(dal_ctx *ctx, double T[9], int *n, const dal_ga_coef *coef,
                                      dal_formulation formulation);
dal_status __wrap_dal_error_recursion(dal_ctx *ctx, double T[9], int *n, const dal_ga_coef *coef,
                                      dal_formulation formulation);
dal_status __wrap_dal_error_recursion(dal_ctx *ctx, double T[9], int *n, const dal_ga_coef *coef,
                                      dal_formulation formulation)
{
    const dal_status st = __real_dal_error_recursion(ctx, T, n, coef, formulation);
    T[1] *= mutation == RECURSION ? 1.01 : 1.0;
    return st;
}

double __real_dal_error_amplification(int *at, const double T[9], int n, int nmax);
double __wrap_dal_error_amplification(int *at, const double T[9], int n, int nmax);
double __wrap_dal_error_amplification(int *at, const double T[9], int n, int nmax)
{
    return __real_dal_error_amplification(at, T, n, mutation == AMPLIFICATION ? 10 : nmax);
}

dal_status __real_dal_lobatto_coefficients(dal_ctx *ctx, double *c, double *b, double *A, double *Ahat, int s);
dal_status __wrap_dal_lobatto_coefficients(dal_ctx *ctx, double *c, double *b, double *A, double *Ahat, int s);
dal_status __wrap_dal_lobatto_coefficients(dal_ctx *ctx, double *c, double *b, double *A, double *Ahat, int s)
{
    const dal_status st = __real_dal_lobatto_coefficients(ctx, c, b, A, Ahat, s);
    b[0] *= mutation == NODES ? 1.01 : 1.0;
    A[1 + s] *= mutation == STAGES ? 1.01 : 1.0;
    Ahat[1 + s] *= mutation == CONJUGATE ? 1.01 : 1.0;
    return st;
}

static claim_verdict verdict_of(const claim *c, double *measured)
{
    dal_ctx *ctx = check_ctx();
    *measured = claim_measure(c, ctx);
    check_ctx_free(ctx);
    return claim_judge(c, *measured);
}

static const struct {
    int mutation;
    const char *name, *id;
} CASES[] = {
    {BETA, "beta 5 % too large", "pendulum-naive-h01"},
    {GAMMA, "gamma off by 0.02", "order-condition-kept"},
    {ALPHA_M, "alpha_m off by 0.02", "pendulum-rest-order"},
    {ALPHA_F, "alpha_f off by 0.02", "pendulum-rest-order"},
    {SIGMA, "sigma 10 % too small", "lte-sigma1"},
    {C_Q, "starting values without C_q", "pendulum-perturbed-h01"},
    {BRACKET, "starting values without the commutator", "top-transient-perturbed"},
    {RECURSION, "an entry of T 1 % too large", "recursion-norm-09"},
    {AMPLIFICATION, "powers of T only up to 10", "recursion-step-09"},
    {NODES, "a weight of Lobatto IIIA 1 % too large", "lobatto-pairs"},
    {STAGES, "a coefficient of Lobatto IIIA 1 % too large", "lobatto-s4-p"},
    {CONJUGATE, "a coefficient of Lobatto IIIB 1 % too large", "lobatto-s3-p"},
};

static void a_broken_method_fails_a_claim(void **state)
{
    int unnoticed = 0;
    for (size_t i = 0; i < LEN(CASES); ++i) {
        const claim *c = claim_at(claim_find(CASES[i].id));
        double whole, broken;
        assert_non_null(c);
        mutation = NOTHING;
        const claim_verdict before = verdict_of(c, &whole);
        mutation = CASES[i].mutation;
        const claim_verdict after = verdict_of(c, &broken);
        mutation = NOTHING;
        print_message("%-50s %-24s %10.4g -> %10.4g %s\n", CASES[i].name, c->id, whole, broken,
                      claim_verdict_name(after));
        assert_int_not_equal(before, CLAIM_FAILED);
        unnoticed += after != CLAIM_FAILED;
    }
    assert_int_equal(unnoticed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_broken_method_fails_a_claim)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
