/* The static catenary against the end of a damped simulation. */
#include "static_models.h"

static void a_damped_chain_comes_to_rest_in_the_equilibrium(void **state)
{
    const char *set[] = {"N=1000", "c=40", "h=0.05", "rho_inf=0"};
    rest_model m = rest_builtin("catenary", set, 4);
    dal_sim *sim;
    check_ok(m.ctx, dal_sim_create(&sim, m.ctx, m.sys, dal_document_options(m.doc)));
    check_ok(m.ctx, dal_sim_start(sim, NULL, 0.0, m.q, NULL));
    // long at rest: v' is noise then, and a first iterate without reactions led nowhere after 56 s
    check_ok(m.ctx, dal_sim_run(sim, NULL, 70.0));
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_near(check_max_abs_diff(dal_sim_state(sim).q, m.q, m.sys->group->nq), 0.0, 1e-6);
    dal_sim_destroy(sim);
    rest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_damped_chain_comes_to_rest_in_the_equilibrium)};
    return cmocka_run_group_tests_name("static_settle", tests, NULL, NULL);
}
