/* Dynamic relaxation: the system creeps with viscous forces mu d towards where its forces drive it, on the constraints,
 * until they vanish (ST.5). Steps are implicit, mu falls with the forces. It settles in stable equilibria only. */
#include "base/vector.h"
#include "static/static_impl.h"

enum { MAX_STEPS = 1500, MAX_CLOSING = 8 };

/* Rotation of one step, rad; rotation, and distance in units of displacements, after which it will no longer come to rest. */
static const double turn_limit = 0.5, turn_most = 300.0, distance_most = 1e4;

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static double norm(const double *a, int n)
{
    return sqrt(dot(a, a, n));
}

/* d: the step from (ST.5); 0 if it does not follow the force. */
static dal_status creep(statics *s, double mu, int *downhill)
{
    *downhill = 0;
    const dal_status st = dal_statics_factor(s, mu);
    if (st != DAL_OK) {
        return st == DAL_SINGULAR ? DAL_OK : st;
    }
    dal_copy(s->x, s->f, s->nv);
    dal_zero(s->x + s->nv, s->nc);
    dal_linsol_solve_refined(s->matrix.ls, s->x);
    const double turn = dal_largest_turn(s->ev->G, s->x), scale = turn > turn_limit ? turn_limit / turn : 1.0;
    for (int i = 0; i < s->nv; ++i) {
        s->d[i] = scale * s->x[i];
    }
    *downhill = isfinite(dal_max_abs(s->d, s->nv)) && dot(s->d, s->f, s->nv) > 0.0;
    return DAL_OK;
}

/* Back to the constraints by steps of least norm, as in assembly. */
static dal_status close_up(statics *s, int *closed)
{
    double last = INFINITY;
    *closed = 0;
    for (int k = 0; k < MAX_CLOSING; ++k) {
        const dal_point at = dal_statics_point(s, s->zero);
        dal_zero(s->x, s->nv + s->nc);
        if (s->ev->nh > 0) {
            DAL_TRY(dal_eval_residual(s->ev, &(dal_residual){.Phi = s->x + s->nv}, &at));
        }
        const double gap = dal_scales_gap(&s->scales, s->x + s->nv);
        *closed = gap <= 1e-9;
        if (gap <= 1e-13 || !(gap < last) || (*closed && gap > 0.1 * last)) {
            return DAL_OK;
        }
        last = gap;
        for (int i = 0; i < s->nc; ++i) {
            s->x[s->nv + i] = -s->x[s->nv + i];
        }
        DAL_TRY(dal_statics_factor_rows(s));
        dal_linsol_solve(s->rows.ls, s->x);
        dal_retract(s->ev->G, s->q1, s->q, s->x);
        dal_copy(s->q, s->q1, s->nq);
    }
    return DAL_OK;
}

/* One step with mu; 0 in *taken if it led nowhere: then all is as before. */
static dal_status relax_step(statics *s, double mu, int *taken)
{
    int closed = 0;
    *taken = 0;
    dal_statics_keep(s);
    dal_copy(s->r0, s->f, s->nv);
    DAL_TRY(creep(s, mu, taken));
    if (*taken) {
        dal_statics_move(s, s->d);
        dal_copy(s->q, s->q1, s->nq);
        dal_copy(s->v, s->v1, s->nv);
        dal_status st = close_up(s, &closed);
        if (st == DAL_OK && closed) {
            st = dal_statics_accept(s, DAL_MOMENT_RESTART);
            st = st == DAL_OK ? dal_statics_multipliers(s) : st;
        }
        if (st < 0 && st != DAL_ECALLBACK) {
            return st;
        }
        // not so far that the force turns back
        *taken = st == DAL_OK && closed && dot(s->f, s->d, s->nv) > -0.3 * dot(s->r0, s->d, s->nv);
    }
    if (!*taken) {
        dal_statics_go_back(s);
        dal_copy(s->f, s->r0, s->nv);
    }
    return DAL_OK;
}

/* Close enough for Newton's method? If that fails, creeping goes on to a tighter bound. */
static dal_status finish(statics *s, double *near, int *found)
{
    DAL_TRY(dal_statics_evaluate(s));
    if (dal_max_abs(s->f, s->nv) > *near * s->F) {
        return DAL_OK;
    }
    dal_statics_keep(s);
    dal_copy(s->r0, s->f, s->nv);
    const dal_status st = dal_statics_newton(s, found);
    if (!*found) {
        dal_statics_go_back(s);
        dal_copy(s->f, s->r0, s->nv);
        *near *= 0.01;
    }
    return st < 0 && st != DAL_ECALLBACK ? st : DAL_OK;
}

dal_status dal_statics_relax(statics *s, int *found)
{
    double mu = norm(s->f, s->nv) / 0.05, near = 1e-3, turned = 0.0;
    const double far =
        distance_most * sqrt((double)s->ev->G->nfactors) * fmax(1.0, dal_max_abs(s->start, s->nq) / s->ev->length);
    *found = 0;
    dal_zero(s->d, s->nv);
    for (int k = 0; k < MAX_STEPS && mu < 1e300; ++k) {
        int taken;
        const double before = norm(s->f, s->nv);
        DAL_TRY(finish(s, &near, found));
        if (*found) {
            return DAL_OK;
        }
        DAL_TRY(relax_step(s, mu, &taken));
        if (!taken) {
            mu *= 4.0;
            continue;
        }
        turned += dal_largest_turn(s->ev->G, s->d);
        if (turned > turn_most || dal_statics_way(s) > far) {
            break;
        }
        // forces that fall: mu falls with them; forces that stay: larger steps
        const double ratio = norm(s->f, s->nv) / before;
        mu *= ratio > 0.9 ? 0.5 : fmax(ratio, 0.1);
    }
    return DAL_OK;
}
