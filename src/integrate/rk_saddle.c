/* Accelerations and multipliers of a stage. */
#include "base/vector.h"
#include "integrate/rk_impl.h"

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
    DAL_TRY(of_stage(dal_saddle_factor_briefly(rk->saddle, &at)));
    return dal_factored_acceleration(rk->saddle, vd, la, &at, 1); // its own accuracy will do within a step
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
    return of_stage(dal_factored_acceleration(rk->saddle, vd, la, &at, 0));
}
