#include "problems/problem_impl.h"

#include <stdlib.h>

dal_status problem_start(problem *p, dal_ctx *ctx, const char *name, const dal_factor_spec *spec, int n)
{
    *p = (problem){.name = name, .ctx = ctx};
    p->dense.user = p->par;
    DAL_TRY(dal_group_create(&p->group, ctx, spec, n));
    p->nq = p->group->nq;
    p->nv = p->group->nv;
    p->dense.group = p->group;
    return DAL_OK;
}

dal_status problem_finish(problem *p)
{
    p->nc = p->dense.nc + p->dense.nn;
    if (p->motion.state == NULL) {
        index1_motion(p, p->t_end / 500.0);
    }
    const dal_status st = dal_dense_create(&p->sys, p->ctx, &p->dense);
    if (st != DAL_OK) {
        problem_free(p);
    }
    return st;
}

void problem_free(problem *p)
{
    if (p->sys != NULL) {
        dal_dense_destroy(p->sys);
    }
    if (p->group != NULL) {
        dal_group_destroy(p->group);
    }
    free(p->data);
    *p = (problem){.name = p->name};
}

dal_status problem_nth(problem *p, dal_ctx *ctx, int k)
{
    switch (k) {
    case 0:
        return problem_pendulum(p, ctx, 0.0);
    case 1:
        return problem_pendulum(p, ctx, 0.2);
    case 2:
        return problem_cubic_drive(p, ctx);
    case 3:
        return problem_massless_frame(p, ctx);
    case 4:
        return problem_massless_spring(p, ctx);
    case 5:
        return problem_heavy_top(p, ctx, HEAVY_TOP_R3SO3);
    case 6:
        return problem_heavy_top(p, ctx, HEAVY_TOP_SE3);
    case 7:
        return problem_heavy_top(p, ctx, HEAVY_TOP_EULER);
    case 8:
        return problem_heavy_top(p, ctx, HEAVY_TOP_CARDAN);
    case 9:
        return problem_free_top(p, ctx);
    case 10:
        return problem_rotor(p, ctx, 0);
    case 11:
        return problem_rotor(p, ctx, 1);
    case 12:
        return problem_slider_crank(p, ctx);
    case 13:
        return problem_andrews_angles(p, ctx);
    case 14:
        return problem_andrews(p, ctx);
    case 15:
        return problem_nonholonomic_particle(p, ctx);
    case 16:
        return problem_knife_edge(p, ctx);
    case 17:
        return problem_chaplygin_sleigh(p, ctx);
    case 18:
        return problem_rolling_disk(p, ctx, 1);
    case 19:
        return problem_rolling_disk(p, ctx, 0);
    case 20:
        return problem_spatial_slider_crank(p, ctx, 0);
    case 21:
        return problem_spatial_slider_crank(p, ctx, 1);
    default:
        return dal_fail(ctx, DAL_EINVAL, "there is no problem %d", k);
    }
}
