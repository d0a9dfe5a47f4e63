/* Accelerations and multipliers of a stage. */
#include "base/vector.h"
#include "integrate/rk_impl.h"

/* Right-hand sides of (IN.4) with v' = 0 and lambda = 0. */
static dal_status sides_at(dal_rk *rk, const dal_point *at)
{
    double *x = rk->saddle->x;
    return dal_eval_residual(rk->ev, &(dal_residual){.r = x, .acc = rk->nc > 0 ? x + rk->nv : NULL}, at);
}

/* v' and lambda from the sides. */
static void take(dal_rk *rk, double *vd, double *la)
{
    dal_negative(vd, rk->saddle->x, rk->nv);
    dal_negative(la, rk->saddle->x + rk->nv, rk->nc);
}

/* Away from the motion rows may depend on each other that do not along it. */
static dal_status of_stage(dal_status st)
{
    return st == DAL_EREDUNDANT ? DAL_SINGULAR : st;
}

static void count(dal_rk *rk)
{
    rk->stats.jacobians++;
    rk->stats.factorisations++;
}

dal_status dal_rk_acceleration(dal_rk *rk, double *vd, double *la, double t, const double *q, const double *v)
{
    const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
    count(rk);
    if (rk->ev->iterates) {
        return of_stage(dal_continued_acceleration(rk->saddle, vd, la, t, q, v));
    }
    DAL_TRY(sides_at(rk, &at));
    DAL_TRY(of_stage(dal_saddle_factor_briefly(rk->saddle, &at)));
    dal_saddle_solve_roughly(rk->saddle); // its own accuracy will do within a step
    take(rk, vd, la);
    return DAL_OK;
}

dal_status dal_rk_factor(dal_rk *rk, double t, const double *q, const double *v)
{
    const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
    count(rk);
    return of_stage(dal_saddle_factor_briefly(rk->saddle, &at));
}

dal_status dal_rk_factored_acceleration(dal_rk *rk, double *vd, double *la, double t, const double *q, const double *v)
{
    const dal_point at = {t, q, v, rk->saddle->zero, rk->saddle->zero};
    DAL_TRY(of_stage(sides_at(rk, &at)));
    dal_saddle_solve(rk->saddle);
    take(rk, vd, la);
    return DAL_OK;
}
