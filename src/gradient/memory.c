/* What a run remembers (histories of delays, bristles, speeds of compliant contacts) is a part of its state: its changes are kept among
 * those of the numbers, behind the numbers of the model, and its weights likewise (GR.18). */
#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "mbs/derivative.h"
#include "system/mask.h"

static const int *held_rows(const dal_gradient *g)
{
    const dal_mask *mask = g->parts.ev->sys->mask;
    return mask ? mask->number : NULL;
}

static dal_status renew_at(dal_gradient *g, const dal_point *state, dal_moment moment, double ahead)
{
    dal_point room;
    const dal_point *at = dal_mask_point(g->parts.ev->sys, dal_sim_data(g->sim), &room, state);
    return mb_dependence_renew(dal_gr_bound(g), at, moment, ahead);
}

static dal_status begin_run(dal_gradient *g, const double **q, const double **v)
{
    gr_outputs *o = &g->outputs; // scratch
    *q = g->q0;
    *v = g->v0;
    DAL_TRY(dal_gr_joints_at(g, q, v));
    if (g->happens) {
        dal_gr_remember(g, 0); // which contacts are closed
    } else {
        dal_gr_reset(g); // as a start finds it
    }
    dal_gr_stretch(g, 0);
    dal_zero(o->vd, g->nv);
    dal_zero(o->la, dal_system_rows(g->sys));
    const dal_point at = {dal_gr_time(g, 0), *q, *v, o->vd, o->la};
    return g->nremembered > 0 ? mb_dependence_renew(dal_gr_bound(g), &at, DAL_MOMENT_STEP, 0.0) : DAL_OK;
}

dal_status dal_gr_before_start(dal_gradient *g, const double **q, const double **v, long i)
{
    if (i == 0) {
        return begin_run(g, q, v);
    }
    const dal_point from = dal_gr_point(g, i - 1);
    *q = from.q;
    *v = from.v;
    dal_gr_remember(g, g->nremembered > 0 ? i - 1 : i);
    if (g->nremembered > 0) { // the step has ended before
        dal_gr_stretch(g, i - 1);
        DAL_TRY(renew_at(g, &from, DAL_MOMENT_STEP, 0.0));
    }
    dal_gr_stretch(g, i);
    return DAL_OK;
}

void dal_gr_renewed_forward(dal_gradient *g, double *dp, const double *Y, int count)
{
    if (g->nremembered > 0) {
        mb_dependence_renew_forward(dal_gr_bound(g), dp, Y, g->ny, count, held_rows(g));
    }
}

void dal_gr_renewed_adjoint(dal_gradient *g, double *Y, double *pbar, int count)
{
    if (g->nremembered > 0) {
        mb_dependence_renew_adjoint(dal_gr_bound(g), Y, pbar, g->ny, count, held_rows(g));
    }
}

/* State i becomes what is remembered. *none: a start follows, and does. */
static dal_status renew(dal_gradient *g, long i, int *none)
{
    const int begins = i == 0 || dal_gr_fresh(g, i);
    *none = g->nremembered == 0 || (i + 1 < g->nrecords && dal_gr_fresh(g, i + 1));
    if (*none) {
        return DAL_OK;
    }
    if (begins) {
        const double *q, *v;
        DAL_TRY(dal_gr_before_start(g, &q, &v, i));
    } else {
        dal_gr_remember(g, i - 1);
        dal_gr_stretch(g, i - 1);
    }
    const dal_point at = dal_gr_point(g, i);
    const double ahead = i + 1 < g->nrecords ? dal_gr_time(g, i + 1) - at.t : 0.0;
    return renew_at(g, &at, i == 0 ? DAL_MOMENT_START : begins ? DAL_MOMENT_RESTART : DAL_MOMENT_STEP, ahead);
}

dal_status dal_gr_renew_forward(dal_gradient *g, double *dp, const double *Y, long i, int count)
{
    int none;
    DAL_TRY(renew(g, i, &none));
    if (!none) {
        dal_gr_renewed_forward(g, dp, Y, count);
    }
    return DAL_OK;
}

dal_status dal_gr_renew_adjoint(dal_gradient *g, double *Y, double *pbar, long i, int count)
{
    int none;
    DAL_TRY(renew(g, i, &none));
    if (!none) {
        dal_gr_renewed_adjoint(g, Y, pbar, count);
    }
    return DAL_OK;
}
