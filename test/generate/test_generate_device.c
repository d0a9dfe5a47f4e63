/* Large models on a device are computed in sweeps over their bodies: the same numbers in another order of statements. */
#include <math.h>
#include <string.h>

#include "generate/program.h"
#include "support/check.h"

typedef struct trial {
    const char *model, *set[3];
    int nset, nq;
    double most; /* relative; 0: the same bits */
} trial;

/* Angles whose turns are counted are remembered at the end of a step, by other programs at the last residual: rounding. */
static const trial trials[] = {
    {"chain", {"N=5", "omega=2"}, 2, 35, 0.0},
    {"spatial_slider_crank", {"formulation=index2", "sigma=0.5"}, 2, 21, 0.0},
    {"spatial_slider_crank", {"formulation=ggl"}, 1, 21, 0.0},
    {"andrews_squeezer", {NULL}, 0, 21, 0.0},
    {DAL_ELEMENTS "/functions.json", {"formulation=index3"}, 1, 33, 0.0},
    {DAL_ELEMENTS "/joints_1.json", {"formulation=index3"}, 1, 34, 0.0},
    {DAL_ELEMENTS "/joints_2.json", {"formulation=index2"}, 1, 34, 1e-10},
    {DAL_ELEMENTS "/drives.json", {"formulation=index3"}, 1, 27, 0.0},
};

/* Only those go through memory: what is computed from them is not stored. */
static void assert_keeps_little(const trial *t)
{
    const dal_generate_options cuda = {.scalar = DAL_GENERATE_CUDA, .name = "gm"};
    char *text;
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    assert_int_equal(dal_generate(&text, ctx, t->model, t->set, t->nset, &cuda), DAL_OK);
    assert_non_null(strstr(text, "PHASE real gm_residual(gm_kept *kept)"));
    assert_non_null(strstr(text, "PHASE void gm_renew(gm_kept *kept)"));
    dal_generate_free(ctx, text);
    dal_ctx_destroy(ctx);
}

static void sweeps_give_the_numbers_of_the_scalar_program(void **state)
{
    const dal_generate_options cuda = {.scalar = DAL_GENERATE_CUDA};
    for (size_t k = 0; k < sizeof trials / sizeof trials[0]; ++k) {
        const trial *t = &trials[k];
        const char *flags = k == 0 ? "-O1" : "-O0";
        program a, b;
        double size = 0.0, off = 0.0;
        assert_keeps_little(t);
        program_open(&a, t->model, t->set, t->nset, NULL, flags);
        program_open(&b, t->model, t->set, t->nset, &cuda, flags);
        for (int n = 0; n < 60; ++n) {
            assert_int_equal(a.step(a.state), 0);
            assert_int_equal(b.step(b.state), 0);
        }
        for (int i = 0; i < t->nq; ++i) {
            size = fmax(size, fabs(a.q(a.state)[i]));
            off = fmax(off, fabs(a.q(a.state)[i] - b.q(b.state)[i]));
        }
        if (!(off <= t->most * size)) {
            fail_msg("%s: %g beside %g", t->model, off, size);
        }
        program_close(&a);
        program_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_give_the_numbers_of_the_scalar_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
