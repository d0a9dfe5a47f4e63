/* Kinks of forces: where the slope of a law or of a characteristic jumps, derivatives are the mean of those on both sides. */
#include <math.h>

#include "base/message.h"
#include "mbs/force_impl.h"

/* How far from x both sides are looked at: beyond the rounding with which a state of rest is found, and a thousand times as far,
 * where the difference of slopes that are continuous has grown. The absolute part is below any length in any unit. */
static const double beside = 1e-9, at_zero = 1e-12, farther = 1e3;
/* Relative differences below this are rounding. */
static const double rounding = 1e-6;

/* Do the two sides differ for good, not just by what they vary from near to far? */
static int differs(const double near[2], const double far[2])
{
    const double d = fabs(near[1] - near[0]);
    return d > 0.5 * fabs(far[1] - far[0]) && d > rounding * (fabs(near[0]) + fabs(near[1]));
}

dal_kink mb_kink_at(double *slope, mb_line line, const void *user, double x)
{
    double F[2][2], g[2][2], here[2]; // [near, far][below, above]
    if (!line(&here[0], &here[1], x, user)) {
        return DAL_KINK_NONE;
    }
    for (int k = 0; k < 4; ++k) {
        const double d = (beside * fabs(x) + at_zero) * (k < 2 ? 1.0 : farther);
        if (!line(&F[k / 2][k % 2], &g[k / 2][k % 2], k % 2 ? x + d : x - d, user)) {
            return DAL_KINK_NONE; // not defined on both sides
        }
    }
    // parts that bend against each other leave both sides equal, but not what one branch of each gives at x
    const double near[2] = {here[1], 0.5 * (g[0][0] + g[0][1])}, far[2] = {here[1], 0.5 * (g[1][0] + g[1][1])};
    const int bends = differs(g[0], g[1]) || differs(near, far);
    if (bends) {
        *slope = near[1];
    }
    return differs(F[0], F[1]) ? DAL_KINK_JUMP : bends ? DAL_KINK_SLOPE : DAL_KINK_NONE;
}

dal_status dal_model_kink(const dal_model *model, dal_data *data, dal_kink *kink, const dal_point *at, int force)
{
    DAL_NEED(NULL, model);
    DAL_NEED(model->ctx, kink);
    DAL_NEED(model->ctx, at);
    *kink = DAL_KINK_NONE;
    if (force < 0 || force >= model->force_names.n) {
        return dal_fail(model->ctx, DAL_EINVAL, "model: there is no force number %d", force);
    }
    dal_data *own;
    mb_instance *m;
    double slope[DAL_INPUTS_MAX];
    DAL_TRY(mb_data_or_own(&own, model, &data));
    dal_status st = mb_instance_of(&m, model, data);
    if (st == DAL_OK && model->force[force].type->kink) {
        mb_states(m, at);
        m->st = DAL_OK;
        *kink = m->force[force].type->kink(slope, &m->force[force], m, at);
        st = m->st;
    }
    dal_data_destroy(own);
    return st;
}
