#include <math.h>
#include <stdlib.h>

#include "problems/problem_impl.h"
#include "problems/spatial.h"
#include "problems/vec3.h"

enum { CRANK, ROD, SLIDER };

static void describe(spatial *s, double com)
{
    *s = (spatial){.nbodies = 3,
                   .gravity = 9.81,
                   .mass = {0.12, 0.5, 2.0},
                   .J = {{1e-4, 1e-4, 1e-5}, {4e-4, 4e-3, 4e-3}, {1e-4, 1e-4, 1e-4}}};
    // A: the crank's end stays, its x axis too
    spatial_add(s, (spatial_joint){.i = CRANK, .j = -1, .a = {0.0, 0.0, -com}, .b = {0.0, 0.1, 0.12}});
    spatial_add(s, (spatial_joint){.angle = 1, .i = CRANK, .j = -1, .a = {1.0}, .b = {0.0, 1.0}});
    spatial_add(s, (spatial_joint){.angle = 1, .i = CRANK, .j = -1, .a = {1.0}, .b = {0.0, 0.0, 1.0}});
    // B, C
    spatial_add(s, (spatial_joint){.i = ROD, .j = CRANK, .a = {-0.15}, .b = {0.0, 0.0, 0.08 - com}});
    spatial_add(s, (spatial_joint){.i = ROD, .j = SLIDER, .a = {0.15}});
    spatial_add(s, (spatial_joint){.angle = 1, .i = ROD, .j = SLIDER, .a = {0.0, 1.0}, .b = {1.0}});
    // D: on the x axis, without rotation
    spatial_add(s, (spatial_joint){.i = SLIDER, .j = -1, .from = 1});
    spatial_add(s, (spatial_joint){.angle = 1, .i = SLIDER, .j = -1, .a = {1.0}, .b = {0.0, 1.0}});
    spatial_add(s, (spatial_joint){.angle = 1, .i = SLIDER, .j = -1, .a = {1.0}, .b = {0.0, 0.0, 1.0}});
    spatial_add(s, (spatial_joint){.angle = 1, .i = SLIDER, .j = -1, .a = {0.0, 1.0}, .b = {0.0, 0.0, 1.0}});
}

/* Attitude of the rod at t = 0: x' along BC, y' normal to the world's x, z' = x' x y'. */
static void rod_attitude(double p[4], double R[9])
{
    const double c = 1.0 / sqrt(5.0);
    R[0] = 2.0 / 3.0;
    R[1] = -1.0 / 3.0;
    R[2] = -2.0 / 3.0;
    R[3] = 0.0;
    R[4] = 2.0 * c;
    R[5] = -c;
    vcross(R + 6, R, R + 3);
    p[0] = 0.5 * sqrt(1.0 + R[0] + R[4] + R[8]);
    p[1] = 0.25 * (R[5] - R[7]) / p[0];
    p[2] = 0.25 * (R[6] - R[2]) / p[0];
    p[3] = 0.25 * (R[1] - R[3]) / p[0];
}

dal_status problem_spatial_slider_crank(problem *p, dal_ctx *ctx, int crank_com_at_A)
{
    const dal_factor_spec spec[3] = {{DAL_FACTOR_R3SO3, 0}, {DAL_FACTOR_R3SO3, 0}, {DAL_FACTOR_R3SO3, 0}};
    DAL_TRY(problem_start(p, ctx, "spatial_slider_crank", spec, 3));
    p->data = calloc(1, sizeof(spatial));
    if (p->data == NULL) {
        problem_free(p);
        return dal_fail(ctx, DAL_ENOMEM, "joints");
    }
    const double com = crank_com_at_A ? 0.0 : 0.04, omega[3] = {1.92, -0.96, 0.48};
    describe(p->data, com);
    spatial_describe(&p->dense, p->data);
    double R[9], *q = p->q0, *v = p->v0;
    q[1] = 0.1;
    q[2] = 0.12 + com;
    q[3] = 1.0;
    q[7] = 0.1;
    q[8] = 0.05;
    q[9] = 0.1;
    rod_attitude(q + 10, R);
    q[14] = 0.2;
    q[17] = 1.0;
    v[1] = -6.0 * com;
    v[3] = 6.0;
    v[6] = 0.12;
    v[7] = -0.24;
    mtvec(v + 9, R, omega);
    v[12] = 0.24;
    p->t_end = 2.0; // the table goes on until 5
    index1_motion(p, 0.01);
    p->table = (problem_table){"spatial_slider_crank",
                               crank_com_at_A ? "variants/crank_com_at_A/columns" : "reference/columns",
                               crank_com_at_A ? "variants/crank_com_at_A/rows" : "reference/rows",
                               "q14=s v12=sdot a12=sddot v3=thetadot a3=thetaddot q7=xG_rod q8=yG_rod q9=zG_rod "
                               "v6=vxG_rod v7=vyG_rod v8=vzG_rod q10=q0_rod q11=q1_rod q12=q2_rod q13=q3_rod "
                               "l0=-FAx l1=-FAy l2=-FAz l5=-FBx l6=-FBy l7=-FBz l8=-FCx l9=-FCy l10=-FCz "
                               "l11=mu_U l12=-FSy l13=-FSz"};
    return problem_finish(p);
}
