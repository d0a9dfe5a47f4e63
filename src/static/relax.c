/* Dynamic relaxation: the system creeps with viscous forces mu d towards where its forces drive it, on the constraints,
 * until they vanish (ST.5). Steps are implicit, mu falls with the forces. It settles in stable equilibria only. */
#include "base/vector.h"
#include "projection/projection.h"
#include "static/static_impl.h"

enum { MAX_STEPS = 1500 };

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

/* One step with mu; 0 in *taken if it led nowhere: then all is as before. */
static dal_status relax_step(statics *s, double mu, int *taken)
{
    *taken = 0;
    dal_statics_keep(s);
    dal_copy(s->r0, s->f, s->nv);
    DAL_TRY(creep(s, mu, taken));
    if (*taken) {
        dal_statics_move(s, s->d, 1.0);
        dal_copy(s->q, s->q1, s->nq);
        dal_copy(s->v, s->v1, s->nv);
        // back to the constraints by steps of least norm, as in assembly; rows may depend on each other on the way
        dal_status st = s->nc > 0 ? dal_project_position(s->rows, s->q, NULL, s->t, 1e-9) : DAL_OK;
        st = st == DAL_EREDUNDANT ? DAL_SINGULAR : st;
        if (st == DAL_OK) {
            st = dal_statics_accept(s, DAL_MOMENT_RESTART);
            st = st == DAL_OK ? dal_statics_multipliers(s) : st;
        }
        if (st < 0 && st != DAL_ECALLBACK) {
            return st;
        }
        // not so far that the force turns back
        *taken = st == DAL_OK && dot(s->f, s->d, s->nv) > -0.3 * dot(s->r0, s->d, s->nv);
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
    if (dal_statics_work(s, s->f) > *near * s->F) {
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
