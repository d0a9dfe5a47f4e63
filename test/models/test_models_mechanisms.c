/* Pendulums, slider-cranks, the squeezer, the governor and chains: built-in models against their references. */
#include "models/compare.h"
#include "support/check.h"

static void pendulum_moves_as_the_elliptic_functions_say(void **state)
{
    compare_case c = {.model = "pendulum",
                      .file = "pendulum",
                      .columns = "reference/columns",
                      .rows = "reference/rows_x0_0",
                      .motion = "mass.position:x,y,! mass.velocity:xd,yd,!",
                      .h = 0.005,
                      .t_end = 2.0,
                      .scale_motion = 1.0,
                      .scale_forces = 10.0,
                      .tol_motion = 1e-5,
                      .tol_forces = 1e-5,
                      .energy = 1e-6};
    compare_check(&c);
    c.set[0] = "x0=0.2";
    c.rows = "reference/rows_x0_02";
    compare_check(&c);
    c.set[0] = "x0=-1";
    c.set[1] = "E=0";
    c.file = "iftomm_A01_simple_pendulum";
    c.rows = "reference/rows";
    c.forces = "rod.force:Fx,Fy,!";
    c.tol_motion = 4e-4;
    c.tol_forces = 3e-4;
    c.energy = 2e-4;
    c.t_end = 5.0;
    compare_check(&c);
}

static void massless_frame_carries_the_pendulum(void **state)
{
    compare_check(&(compare_case){.model = "rank_deficient_pendulum",
                                  .file = "rank_deficient",
                                  .columns = "reference/columns_a",
                                  .rows = "reference/rows_a",
                                  .motion = "mass.position:x,y,! mass.velocity:xd,yd,!",
                                  .forces = "pin.force:Rx,Ry,! hold.force:Fx,Fy,!",
                                  .h = 0.005,
                                  .t_end = 2.0,
                                  .scale_motion = 1.0,
                                  .scale_forces = 40.0,
                                  .tol_motion = 1e-4,
                                  .tol_forces = 5e-5,
                                  .energy = 2e-4});
}

static void planar_slider_crank_follows_its_reference(void **state)
{
    compare_check(&(compare_case){
        .model = "planar_slider_crank",
        .file = "planar_slider_crank_spring",
        .columns = "reference/columns",
        .rows = "reference/rows",
        .motion = "slider.position:x3,!,! mass.position:x4,!,!",
        .forces =
            "O.force:FOx,FOy,! B.force:FBx,FBy,! C.force:FCx,FCy,! guide.force:!,N_guide,! spring.force_value:F_spring",
        .h = 0.001,
        .t_end = 1.0,
        .scale_motion = 1.0,
        .scale_forces = 100.0,
        .tol_motion = 5e-5,
        .tol_forces = 5e-4});
}

static void spatial_slider_crank_follows_its_reference(void **state)
{
    compare_case c = {.model = "spatial_slider_crank",
                      .file = "spatial_slider_crank",
                      .columns = "reference/columns",
                      .rows = "reference/rows",
                      .motion = "slider.position:s,!,! slider.velocity:sdot,!,! A.coordinate:theta "
                                "rod.position:xG_rod,yG_rod,zG_rod rod.quaternion:q0_rod,q1_rod,q2_rod,q3_rod",
                      .forces = "A.force:FAx,FAy,FAz B.force:FBx,FBy,FBz C.force:FCx,FCy,FCz D.force:!,FSy,FSz",
                      .h = 0.002,
                      .t_end = 2.0,
                      .scale_motion = 1.0,
                      .scale_forces = 30.0,
                      .tol_motion = 1e-3,
                      .tol_forces = 3e-3,
                      .energy = 1e-4};
    compare_check(&c);
    c.set[0] = "c=0";
    c.columns = "variants/crank_com_at_A/columns";
    c.rows = "variants/crank_com_at_A/rows";
    compare_check(&c);
}

static void squeezer_follows_its_reference(void **state)
{
    compare_check(&(compare_case){
        .model = "andrews_squeezer",
        .file = "andrews_squeezer",
        .columns = "reference/columns",
        .rows = "reference/rows",
        .motion = "gamma:!,!,gamma delta:!,!,delta epsilon:!,!,epsilon",
        .forces = "E3.force:lam1_E3x,lam2_E3y,! E4.force:lam3_E4x,lam4_E4y,! E6.force:lam5_E6x,lam6_E6y,! "
                  "O.force:ROx,ROy,! F.force:RFx,RFy,! G.force:RGx,RGy,! H.force:RHx,RHy,! A5.force:RA5x,RA5y,! "
                  "A7.force:RA7x,RA7y,! B.force:RBx,RBy,!",
        .h = 2e-5,
        .t_end = 0.03,
        .scale_motion = 1.0,
        .scale_forces = 300.0,
        .tol_motion = 3e-6,
        .tol_forces = 3e-5});
}

static void governor_follows_its_reference(void **state)
{
    compare_check(&(compare_case){.model = "flyball_governor",
                                  .set = {"rho_inf=0.8"},
                                  .file = "iftomm_A05_flyball_governor",
                                  .columns = "reference/columns",
                                  .rows = "reference/rows",
                                  .motion = "slider.position:!,!,s slider.velocity:!,!,sd bearing.coordinate:phi",
                                  .h = 0.005,
                                  .t_begin = 0.2,
                                  .t_end = 3.0,
                                  .scale_motion = 1.0,
                                  .scale_forces = 1.0,
                                  .tol_motion = 1e-4,
                                  .tol_forces = 1.0});
}

static void chains_follow_their_references(void **state)
{
    compare_case c = {.model = "chain",
                      .set = {"N=2", "L=1", "m=1", "width=0.1", "height=0.05", "omega=1"},
                      .file = "chain_spherical",
                      .columns = "reference/columns",
                      .rows = "reference/rows",
                      .motion = "tip:tipx,tipy,tipz",
                      .forces = "joint1.force:Fx_J1,Fy_J1,Fz_J1",
                      .h = 0.005,
                      .t_end = 1.5,
                      .scale_motion = 2.0,
                      .scale_forces = 50.0,
                      .tol_motion = 1e-4,
                      .tol_forces = 5e-5,
                      .energy = 3e-4};
    compare_check(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_moves_as_the_elliptic_functions_say),
        cmocka_unit_test(massless_frame_carries_the_pendulum),
        cmocka_unit_test(planar_slider_crank_follows_its_reference),
        cmocka_unit_test(spatial_slider_crank_follows_its_reference),
        cmocka_unit_test(squeezer_follows_its_reference),
        cmocka_unit_test(governor_follows_its_reference),
        cmocka_unit_test(chains_follow_their_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
