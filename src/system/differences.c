/* Central differences of the residual: they stand in for missing tangents and check given ones. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "system/eval_impl.h"

/* Cube root of the unit roundoff: balances truncation and rounding of a central difference. */
static const double base_step = 6e-6;

dal_status dal_diff_value(dal_eval *ev, double *out, diff_value value, const dal_point *at)
{
    dal_residual want = {0};
    switch (value) {
    case DIFF_R:
        want.r = out;
        break;
    case DIFF_PHI:
        want.Phi = out;
        break;
    case DIFF_VEL:
        want.vel = out;
        break;
    case DIFF_ACC:
        want.acc = out;
        break;
    case DIFF_LAW:
        want.law = out;
        break;
    }
    if (value == DIFF_PHI || value == DIFF_LAW) {
        memset(out, 0, (size_t)ev->nc * sizeof(double)); // other rows stay zero
    }
    return dal_eval_residual(ev, &want, at);
}

/* Value at the point with component i of the chosen argument changed by delta. */
static dal_status shifted(dal_eval *ev, double *out, diff_value value, diff_wrt wrt, int i, double delta,
                          const dal_point *at)
{
    dal_point p = *at;
    if (wrt == DIFF_WRT_Q) {
        ev->theta[i] = delta;
        dal_retract(ev->G, ev->q, at->q, ev->theta);
        ev->theta[i] = 0.0;
        p.q = ev->q;
    } else {
        const double **x = wrt == DIFF_WRT_V ? &p.v : wrt == DIFF_WRT_VD ? &p.vd : &p.la;
        memcpy(ev->x, *x, (size_t)(wrt == DIFF_WRT_LAMBDA ? ev->nc : ev->nv) * sizeof(double));
        ev->x[i] += delta;
        *x = ev->x;
    }
    return dal_diff_value(ev, out, value, &p);
}

dal_status dal_diff_columns(dal_eval *ev, double *D, diff_value value, diff_wrt wrt, int first, int n, double scale,
                            const dal_point *at)
{
    const int nrows = value == DIFF_R ? ev->nv : ev->nc;
    const double *x = wrt == DIFF_WRT_V ? at->v : wrt == DIFF_WRT_VD ? at->vd : at->la;
    memset(ev->theta, 0, (size_t)ev->nv * sizeof(double));
    for (int k = 0; k < n; ++k) {
        const int i = first + k;
        const double size = wrt == DIFF_WRT_LAMBDA ? dal_max_abs(at->la, ev->nc) : wrt == DIFF_WRT_Q ? 0.0 : fabs(x[i]);
        const double delta = scale * base_step * ((wrt == DIFF_WRT_LAMBDA ? 1.0 : ev->unit[i]) + size);
        DAL_TRY(shifted(ev, ev->fp, value, wrt, i, delta, at));
        DAL_TRY(shifted(ev, ev->fm, value, wrt, i, -delta, at));
        for (int r = 0; r < nrows; ++r) {
            D[r + k * nrows] = (ev->fp[r] - ev->fm[r]) / (2.0 * delta);
        }
    }
    return DAL_OK;
}

void dal_diff_extract(double *block, const double *D, int ld, int row0, int nrows, int n)
{
    for (int j = 0; j < n; ++j) {
        memcpy(block + j * nrows, D + row0 + j * ld, (size_t)nrows * sizeof(double));
    }
}
