/* Limits of a drive: without its row the mechanism has one freedom and moves along a curve; where the coordinate of the
 * drive is largest or smallest along it, the drive turns back (KI.3). */
#include <string.h>

#include "analysis/driven_impl.h"
#include "base/vector.h"

enum { MAX_SEARCH = 60, MAX_REFINE = 80 };

/* Rotation and displacement of one step of the search. */
static const double longest_turn = 0.1;

static double norm(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* B d of the row of the drive. */
static dal_status slope(dal_driven *k, const double *q, const double *d, double *value)
{
    DAL_TRY(dal_data_residual(k->data, &(dal_residual){.vel = k->rows}, &(dal_point){k->t, q, d, k->zero, k->zero}));
    *value = k->rows[k->drive];
    DAL_TRY(
        dal_data_residual(k->data, &(dal_residual){.vel = k->rows}, &(dal_point){k->t, q, k->zero, k->zero, k->zero}));
    *value -= k->rows[k->drive];
    return DAL_OK;
}

/* q1, v1: point and direction of the curve, s along it from q in the direction d (of length 1). */
static dal_status along(dal_driven *k, const double *d, double s)
{
    dal_saddle *saddle = k->loose.saddle;
    for (int i = 0; i < k->nv; ++i) {
        k->theta[i] = s * d[i];
    }
    dal_retract(k->sys->group, k->q1, k->q, k->theta);
    DAL_TRY(dal_project_position(saddle, k->q1, NULL, k->t, 1e-10));
    // B d = 0: what the rows move by themselves is left out
    DAL_TRY(dal_eval_residual(k->loose.ev, &(dal_residual){.vel = k->target},
                              &(dal_point){k->t, k->q1, k->zero, k->zero, k->zero}));
    dal_copy(k->v1, d, k->nv);
    DAL_TRY(dal_project_velocity(saddle, k->v1, NULL, k->t, k->q1, k->target));
    const double length = norm(k->v1, k->nv);
    for (int i = 0; i < k->nv; ++i) {
        k->v1[i] /= length;
    }
    return DAL_OK;
}

/* d := direction of the curve at q: that of the motion. */
static void direction(dal_driven *k, double sign, double *d)
{
    const double length = norm(k->v, k->nv);
    for (int i = 0; i < k->nv; ++i) {
        d[i] = length > 0.0 ? sign * k->v[i] / length : 0.0;
    }
}

/* Advance q until the slope changes its sign within the next step: its length, 0 if it does not. */
static dal_status bracket(dal_driven *k, double *d, double *step, double *before, double *after)
{
    double s = fmin(1e-4, longest_turn / fmax(dal_largest_turn(k->sys->group, d), 1e-300));
    *step = 0.0;
    DAL_TRY(slope(k, k->q, d, before));
    for (int it = 0; it < MAX_SEARCH; ++it) {
        DAL_TRY(along(k, d, s));
        DAL_TRY(slope(k, k->q1, k->v1, after));
        if (*before * *after <= 0.0) {
            *step = s;
            return DAL_OK;
        }
        dal_copy(k->q, k->q1, k->nq);
        dal_copy(d, k->v1, k->nv);
        *before = *after;
        s = fmin(2.0 * s, longest_turn / fmax(dal_largest_turn(k->sys->group, d), 1e-300));
    }
    return DAL_OK;
}

static dal_status refine(dal_driven *k, const double *d, double step, double fa, double fb)
{
    double a = 0.0, b = step, f;
    const double size = fmax(fabs(fa), fabs(fb));
    int side = 0;
    for (int it = 0; it < MAX_REFINE && b - a > 1e-16 * step && fa != fb; ++it) {
        const double s = (a * fb - b * fa) / (fb - fa);
        DAL_TRY(along(k, d, s));
        DAL_TRY(slope(k, k->q1, k->v1, &f));
        if (fabs(f) <= 1e-15 * size) {
            break;
        }
        const int left = f * fa > 0.0;
        *(left ? &fb : &fa) *= side == (left ? 1 : -1) ? 0.5 : 1.0;
        side = left ? 1 : -1;
        *(left ? &a : &b) = s;
        *(left ? &fa : &fb) = f;
    }
    return DAL_OK;
}

/* The time at which the drive is at q1. */
static dal_status time_there(dal_driven *k)
{
    for (int it = 0; it < 20; ++it) {
        const dal_point at = {k->t, k->q1, k->zero, k->zero, k->zero};
        DAL_TRY(dal_data_residual(k->data, &(dal_residual){.Phi = k->rows, .vel = k->target}, &at));
        const double rate = k->target[k->drive];
        if (k->rows[k->drive] == 0.0 || rate == 0.0) {
            break;
        }
        k->t -= k->rows[k->drive] / rate;
    }
    return DAL_OK;
}

static dal_status stuck(dal_driven *k, const char *why)
{
    char name[96] = "the drive";
    if (k->drive >= 0 && k->sys->names.row) {
        k->sys->names.row(name, sizeof name, k->drive, k->sys->user);
    }
    return dal_fail(k->ctx, DAL_NOCONV, "the motion cannot be followed beyond t = %.12g (%s): %s", k->t, name, why);
}

dal_status dal_kin_find_limit(dal_driven *k, double sign)
{
    double *d = k->vd, step, fa, fb; // v' is no longer needed
    if (!k->loose.saddle) {
        return stuck(k, "the mechanism locks or branches there");
    }
    direction(k, sign, d);
    dal_status st = bracket(k, d, &step, &fa, &fb);
    st = st == DAL_OK && step > 0.0 ? refine(k, d, step, fa, fb) : st;
    if (st != DAL_OK || step == 0.0) {
        return stuck(k, "the mechanism branches there, or its own joints lock");
    }
    DAL_TRY(time_there(k));
    dal_copy(k->q, k->q1, k->nq);
    dal_eval_direction_name(k->loose.ev, k->direction, sizeof k->direction, k->v1);
    dal_zero(k->v, k->nv);
    dal_zero(k->vd, k->nv);
    dal_zero(k->la, k->nc);
    k->limit = 1;
    return stuck(k, "the drive is at its limit, where the mechanism moves on while the drive stands still");
}

/* One freedom and the row of the drive does not take it here: does it a small way along the curve? Either way is tried,
 * the rows may not close in one of them. */
static dal_status moves_off(dal_driven *k, int *moves)
{
    double *d = k->vd, value = 0.0;
    for (int i = 0; i < k->nv; ++i) {
        d[i] = 1.0 / (1.0 + 0.37 * i); // any direction: along() projects it
    }
    DAL_TRY(along(k, d, 0.0));
    dal_copy(d, k->v1, k->nv);
    const double turn = dal_largest_turn(k->sys->group, d), s = fmin(longest_turn, longest_turn / fmax(turn, 1e-300));
    for (int way = -1; way <= 1 && !*moves; way += 2) {
        DAL_TRY(along(k, d, way * s));
        DAL_TRY(slope(k, k->q1, k->v1, &value));
        *moves = fabs(value) > 1e-6;
    }
    return DAL_OK;
}

dal_status dal_kin_dead_start(dal_driven *k, int *dead)
{
    *dead = 0;
    if (k->drive < 0 || k->nv - k->driven.ev->nc != 1) {
        return DAL_OK;
    }
    memcpy(k->scratch, k->ignored, (size_t)k->nc * sizeof *k->scratch);
    k->scratch[k->drive] = 1;
    kin_part rest = {0};
    dal_status st = dal_kin_part_init(k, &rest, k->scratch);
    st = st == DAL_OK ? dal_kin_redundant(k, k->scratch, &rest) : st;
    dal_kin_part_release(&rest);
    DAL_TRY(st);
    DAL_TRY(dal_kin_part_init(k, &k->loose, k->scratch));
    if (k->nv - k->loose.ev->nc != 1) {
        return DAL_OK; // the drive takes a freedom, another one is left
    }
    st = moves_off(k, dead);
    dal_zero(k->vd, k->nv);
    return st > 0 || st == DAL_EREDUNDANT ? DAL_OK : st; // cannot be followed: not a dead centre
}
