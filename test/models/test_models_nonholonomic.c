/* Rolling, knife edges and rows from expressions: built-in models against their references. */
#include "models/compare.h"
#include "support/check.h"

static void disk_rolls_as_its_reference(void **state)
{
    compare_check(&(compare_case){.model = "rolling_disk",
                                  .file = "rolling_disk",
                                  .columns = "reference/columns",
                                  .rows = "reference/rows",
                                  .motion = "disk.position:x,y,z disk.velocity:vx,vy,vz disk.quaternion:q0,q1,q2,q3",
                                  .forces = "contact.force:Fcx,Fcy,Fcz",
                                  .h = 0.001,
                                  .t_end = 1.0,
                                  .scale_motion = 5.0,
                                  .scale_forces = 1000.0,
                                  .tol_motion = 1e-4,
                                  .tol_forces = 1e-4,
                                  .energy = 0.01});
}

static void coin_rolls_as_its_reference(void **state)
{
    compare_check(&(compare_case){.model = "rolling_disk",
                                  .set = {"m=0.5", "r=0.1", "tilt=0.35", "roll=12", "turn=2"},
                                  .file = "rolling_disk",
                                  .columns = "variants/coin/columns",
                                  .rows = "variants/coin/rows",
                                  .motion = "disk.position:x,y,z disk.velocity:vx,vy,vz",
                                  .forces = "contact.force:Fcx,Fcy,Fcz",
                                  .h = 0.001,
                                  .t_end = 1.0,
                                  .scale_motion = 1.0,
                                  .scale_forces = 10.0,
                                  .tol_motion = 2e-5,
                                  .tol_forces = 1e-5,
                                  .energy = 2e-6});
}

static void sleigh_follows_the_closed_form(void **state)
{
    compare_check(&(compare_case){.model = "chaplygin_sleigh",
                                  .file = "chaplygin_sleigh",
                                  .columns = "reference/columns",
                                  .rows = "reference/rows",
                                  .motion = "sleigh.position:xP,yP,! sleigh.rotation_vector:!,!,theta",
                                  .forces = "edge.force:Fx,Fy,!",
                                  .h = 0.01,
                                  .t_end = 5.0,
                                  .scale_motion = 1.0,
                                  .scale_forces = 1.0,
                                  .tol_motion = 5e-5,
                                  .tol_forces = 2e-5,
                                  .energy = 1e-5});
}

static void particle_follows_the_closed_form(void **state)
{
    compare_check(&(compare_case){.model = "nonholonomic_particle",
                                  .file = "nonholonomic_particle",
                                  .columns = "reference/columns",
                                  .rows = "reference/rows",
                                  .motion = "particle.position:x,y,z particle.velocity:px,py,pz",
                                  .h = 0.01,
                                  .t_end = 5.0,
                                  .scale_motion = 1.0,
                                  .scale_forces = 1.0,
                                  .tol_motion = 5e-6,
                                  .tol_forces = 1e-4,
                                  .energy = 1e-6});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_rolls_as_its_reference),
        cmocka_unit_test(coin_rolls_as_its_reference),
        cmocka_unit_test(sleigh_follows_the_closed_form),
        cmocka_unit_test(particle_follows_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
