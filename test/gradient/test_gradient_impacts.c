/* Gradients through impacts between joints, plastic impacts with edges that change, sliding that turns and sticks: differences of runs. */
#include "methods.h"

static void gradients_through_impacts_and_friction_are_differences_of_runs(void **state)
{
    (void)state;
    static const happening cases[] = {{DAL_MODELS "/impact_pendulum.json",
                                       {"final(bob.position.x)", "integral(pin.force^2)", "final(bob.velocity.y)"},
                                       {"L", "e", "angle", "g"},
                                       "t_end=1.6"},
                                      {"rocking_block",
                                       {"final(block.velocity.x)", "integral(floor.force^2)", "final(energy)"},
                                       {"width", "height", "tilt", "m"},
                                       "t_end=0.8"},
                                      {DAL_MODELS "/slide.json",
                                       {"final(b.position.x)", "integral(floor.force^2)", "rms(b.velocity.x)"},
                                       {"m", "mu", "v0", "k"},
                                       "t_end=1.8"}};
    assert_int_equal(compare_happenings(cases, sizeof cases / sizeof cases[0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_through_impacts_and_friction_are_differences_of_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
