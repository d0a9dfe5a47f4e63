/* Spinning bodies: built-in models against their references, in all coordinates. */
#include <stdio.h>

#include "models/compare.h"
#include "support/check.h"

static void heavy_top_converges_to_one_solution_in_all_coordinates(void **state)
{
    static const struct {
        const char *set;
        double h, tol_motion, tol_forces;
    } cases[] = {
        {"coordinates=r3so3", 5e-4, 1e-4, 1.5e-4},
        {"coordinates=se3", 5e-4, 4e-3, 5e-3},
        {"coordinates=euler_parameters", 5e-4, 1e-4, 1e-4},
        {"coordinates=cardan", 5e-4, 1e-6, 2e-6},
    };
    for (size_t k = 0; k < LEN(cases); ++k) {
        compare_check(&(compare_case){.model = "heavy_top",
                                      .set = {cases[k].set},
                                      .file = "heavy_top",
                                      .columns = "reference/columns",
                                      .rows = "reference/rows",
                                      .motion = "top.position:x1,x2,x3 top.velocity:u1,u2,u3",
                                      .forces = "tip.force:lam1,lam2,lam3",
                                      .h = cases[k].h,
                                      .t_end = 1.0,
                                      .scale_motion = 5.0,
                                      .scale_forces = 500.0,
                                      .tol_motion = cases[k].tol_motion,
                                      .tol_forces = cases[k].tol_forces,
                                      .energy = 0.02});
    }
}

static void free_top_flips_on_time(void **state)
{
    compare_check(&(compare_case){.model = "free_top",
                                  .file = "free_asymmetric_top",
                                  .columns = "reference/columns",
                                  .rows = "reference/rows",
                                  .motion = "top.angular_velocity:Om1,Om2,Om3 top.quaternion:q0,q1,q2,q3",
                                  .h = 0.005,
                                  .t_end = 6.0,
                                  .scale_motion = 5.0,
                                  .scale_forces = 1.0,
                                  .tol_motion = 5e-6,
                                  .tol_forces = 1.0,
                                  .energy = 1e-4});
}

static void rotor_bearings_move_as_they_should(void **state)
{
    compare_check(&(compare_case){.model = "high_speed_rotor",
                                  .file = "high_speed_rotor",
                                  .columns = "reference/columns",
                                  .rows = "reference/rows",
                                  .motion = "left:!,p1y,p1z right:!,p2y,p2z",
                                  .h = 2e-5,
                                  .t_end = 0.1,
                                  .scale_motion = 4e-5,
                                  .scale_forces = 1.0,
                                  .tol_motion = 1e-3,
                                  .tol_forces = 1.0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heavy_top_converges_to_one_solution_in_all_coordinates),
        cmocka_unit_test(free_top_flips_on_time),
        cmocka_unit_test(rotor_bearings_move_as_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
