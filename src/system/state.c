/* What a state has to be before anything is computed from it. */
#include <math.h>
#include <stdio.h>

#include "system/data.h"

static void name_velocity(char *name, size_t size, const dal_system *sys, int i)
{
    snprintf(name, size, "v[%d]", i);
    if (sys->names.velocity) {
        sys->names.velocity(name, size, i, sys->user);
    }
}

static dal_status check_velocities(dal_ctx *ctx, const dal_system *sys, dal_status failure, const char *whose,
                                   const double *q, const double *v)
{
    for (int i = 0; i < sys->group->nv; ++i) {
        if (!isfinite(v[i])) {
            char name[96], lock[256] = "";
            name_velocity(name, sizeof name, sys, i);
            // of angles at gimbal lock no speed is finite
            const int locked = sys->names.coordinates && sys->names.coordinates(lock, sizeof lock, q, sys->user) < 1e-4;
            return dal_fail(ctx, failure, "%s v[%d] = %g is not finite (%s)%s%s", whose, i, v[i], name,
                            locked ? ": " : "", locked ? lock : "");
        }
    }
    return DAL_OK;
}

dal_status dal_state_check(dal_ctx *ctx, const dal_system *sys, dal_status failure, const char *whose, double t,
                           const double *q, const double *v)
{
    const dal_group *G = sys->group;
    if (!isfinite(t)) {
        return dal_fail(ctx, failure, "the %s time is not finite", whose);
    }
    for (int i = 0; i < G->nq; ++i) {
        if (!isfinite(q[i])) {
            return dal_fail(ctx, failure, "%s q[%d] = %g is not finite", whose, i, q[i]);
        }
    }
    if (v) {
        DAL_TRY(check_velocities(ctx, sys, failure, whose, q, v));
    }
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const double defect = F->type->defect(q + F->q, F->nv);
        if (defect > 1e-6) {
            char name[96];
            name_velocity(name, sizeof name, sys, F->v);
            return dal_fail(ctx, failure,
                            "%s q: factor %d (%s), with velocity %s, is not an element of its group, its quaternion is "
                            "off unit length by %.2e. Normalise it",
                            whose, f, F->type->name, name, defect);
        }
    }
    return DAL_OK;
}
