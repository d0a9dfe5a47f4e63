/* Rows that were left out must go on depending on the others. Their residual, looked at after every step, shows whether
 * they do: one evaluation of the constraints, no matrix (docs/theory/redundancy.md, RD.3). */
#include <math.h>

#include "base/vector.h"
#include "projection/reduce.h"
#include "sim/sim_impl.h"

/* What rounding, and the errors of the rows kept times the coefficients of the combination, can explain, in units of displacements. */
static const double position_floor = 2e-10, velocity_floor = 1e-8, acceleration_floor = 1e-6;
static const double coefficients = 100.0;

typedef struct level {
    const char *name;
    double floor;
    int drifts; /* the rows kept may have drifted from it */
} level;

static int left_out(const dal_sim *sim)
{
    return sim->reduction ? dal_reduction_count(sim->reduction) : 0;
}

/* Is the rank a little later on the motion larger than it was? At a start in a singular configuration it still is what
 * it was. */
static dal_status rank_grows(dal_sim *sim, const dal_point *at, int *yes)
{
    dal_reduction *later;
    const double dt = sim->method->current->h;
    for (int i = 0; i < sim->ev->nv; ++i) {
        sim->w[i] = dt * (at->v[i] + 0.5 * dt * at->vd[i]);
    }
    dal_retract(sim->ev->G, sim->q, at->q, sim->w);
    DAL_TRY(dal_reduction_create_with(&later, sim->ctx, sim->sys, sim->data, at->t + dt, sim->q,
                                      dal_sim_redundant_tol(sim)));
    *yes = dal_reduction_count(later) < left_out(sim);
    dal_reduction_destroy(later);
    return DAL_OK;
}

/* Does the row hold where the rows kept hold? Then it is their drift (index 2, index 1) that it shows. */
static int holds_without_drift(dal_sim *sim, const dal_point *at, int row, double floor)
{
    dal_copy(sim->q, at->q, sim->ev->nq);
    if (dal_project_position(sim->saddle, sim->q, NULL, at->t, DAL_POSITION_TOLERANCE) != DAL_OK) {
        return 0;
    }
    const dal_point closed = {at->t, sim->q, at->v, at->vd, at->la};
    const dal_residual out = {.Phi = sim->rows};
    return dal_eval_residual(sim->whole, &out, &closed) == DAL_OK &&
           fabs(sim->rows[row]) * sim->all.per_reach[row] <= floor;
}

/* Are the rows kept about to depend on each other where the whole system does not? Then a combination has large coefficients, and
 * others should be left out. sum: of the coefficients. */
static dal_status look_for_others(dal_sim *sim, const dal_point *at, double sum)
{
    dal_reduction *now;
    if (!(sum > coefficients) || sim->singular || sim->opt.redundant == DAL_REDUNDANT_ERROR) {
        return DAL_OK;
    }
    DAL_TRY(dal_reduction_create_with(&now, sim->ctx, sim->sys, sim->data, at->t, at->q, dal_sim_redundant_tol(sim)));
    sim->stale = dal_reduction_count(now) == left_out(sim);
    dal_reduction_destroy(now);
    return DAL_OK;
}

/* Rounding of the rows kept explains what a row left out shows where it is a combination of them with large coefficients: near a
 * configuration in which another row ought to be left out. */
static dal_status explain_by_rounding(dal_sim *sim, const dal_point *at, int row, double gap, double floor)
{
    double sum;
    DAL_TRY(dal_reduction_amplification(sim->reduction, &sum, at, row));
    return gap <= floor * sum ? look_for_others(sim, at, sum) : DAL_OK;
}

/* Where the step size falls, rows that are about to depend on each other may be the cause. */
static dal_status look_at_rows(dal_sim *sim, const dal_point *at)
{
    if (sim->stale || sim->opt.step != DAL_STEP_ADAPTIVE || sim->h_next >= 0.5 * sim->method->current->h) {
        return DAL_OK;
    }
    double most = 0.0;
    for (int d = 0; d < left_out(sim); ++d) {
        double sum;
        DAL_TRY(dal_reduction_amplification(sim->reduction, &sum, at, dal_reduction_rows(sim->reduction)[d]));
        most = fmax(most, sum);
    }
    return look_for_others(sim, at, most);
}

/* The row shows drift, or the constraints contradict each other, or they depended on each other in a singular
 * configuration only. */
static dal_status refuse(dal_sim *sim, const dal_point *at, int row, double value, level lv)
{
    char left[96], partners[320];
    int grows;
    dal_eval_row_name(sim->whole, left, sizeof left, row);
    if (lv.drifts && holds_without_drift(sim, at, row, lv.floor)) {
        return dal_fail(
            sim->ctx, DAL_EREDUNDANT,
            "%s was left out because it depends on others; their drift has opened it by %.3g at t = %.9g. Remove "
            "the drift (projection = plain, projection_every = 1, project_position = yes), or use formulation "
            "= ggl",
            left, value, at->t);
    }
    DAL_TRY(dal_reduction_partners(sim->reduction, partners, sizeof partners, at, row));
    DAL_TRY(rank_grows(sim, at, &grows));
    if (grows && lv.drifts && value <= sim->opt.redundant_tol) {
        sim->singular = 1;
        dal_log(
            sim->ctx, DAL_LOG_WARNING,
            "%s was left out because it depended on others, but only in a singular configuration: at t = %.9g it is "
            "off by %.3g. The run goes on without it until it is off by redundant_tol = %g",
            left, at->t, value, sim->opt.redundant_tol);
        return DAL_OK;
    }
    if (grows || sim->singular) {
        return dal_fail(
            sim->ctx, DAL_EREDUNDANT,
            "%s was left out because it depended on others, but only in a singular configuration: at t = %.9g "
            "it is off by %.3g in %s. The mechanism can branch there: start beside it",
            left, at->t, value, lv.name);
    }
    return dal_fail(
        sim->ctx, DAL_EREDUNDANT,
        "%s contradicts the constraints it depends on (%s): at t = %.9g it is off by %.3g in %s. Remove one of "
        "them, or make them agree",
        left, partners, at->t, value, lv.name);
}

/* Compare the rows left out with those kept; value: all rows. velocities: 1: equations of velocities, 0: of positions,
 * -1: all are compared. */
static dal_status compare(dal_sim *sim, const dal_point *at, const double *value, int velocities, level lv)
{
    const int *dropped = dal_reduction_rows(sim->reduction), n = left_out(sim);
    const dal_eval *whole = sim->whole;
    const double *per_reach = sim->all.per_reach;
    double kept = 0.0, worst = 0.0;
    int row = -1, d = 0;
    for (int c = 0; c < whole->sys->nconstraints; ++c) {
        const int asked = velocities < 0 || (whole->sys->constraint[c].kind == DAL_ROWS_VELOCITY) == velocities;
        for (int r = whole->row0[c]; r < whole->row0[c + 1]; ++r) {
            const int gone = d < n && dropped[d] == r;
            d += gone;
            const double gap = asked ? fabs(value[r]) * per_reach[r] : 0.0;
            if (gone && gap > worst) {
                worst = gap;
                row = r;
            } else if (!gone) {
                kept = dal_larger(kept, gap);
            }
        }
    }
    const double off = row < 0 ? 0.0 : fabs(value[row]);
    const int expected = sim->singular && lv.drifts && off <= sim->opt.redundant_tol; // and told
    if (row < 0 || expected || worst <= lv.floor + coefficients * kept) {
        return DAL_OK;
    }
    DAL_TRY(explain_by_rounding(sim, at, row, worst, lv.floor));
    return sim->stale ? DAL_OK : refuse(sim, at, row, off, lv);
}

/* Multipliers do not enter constraints: any will do. */
static dal_point whole_point(const dal_sim *sim, double t, const double *q, const double *v, const double *vd)
{
    return (dal_point){t, q, v, vd, sim->la};
}

dal_status dal_sim_watch_start(dal_sim *sim, double t, const double *q, const double *v, const double *vd)
{
    sim->singular = 0;
    if (left_out(sim) == 0) {
        return DAL_OK;
    }
    const double speed = dal_scales_displacement(&sim->all, v), bend = dal_scales_displacement(&sim->all, vd);
    const dal_point at = whole_point(sim, t, q, v, vd);
    const level velocity = {"velocity", velocity_floor * (1.0 + speed), 0};
    const level acceleration = {"acceleration", acceleration_floor * (1.0 + bend + speed * speed), 0};
    sim->all.work = 0.0;
    DAL_TRY(dal_scales_measure(&sim->all, &at));
    DAL_TRY(dal_eval_residual(sim->whole, &(dal_residual){.vel = sim->rows, .acc = sim->rows2}, &at));
    DAL_TRY(compare(sim, &at, sim->rows, -1, velocity));
    return compare(sim, &at, sim->rows2, -1, acceleration);
}

dal_status dal_sim_watch_step(dal_sim *sim)
{
    if (left_out(sim) == 0) {
        return DAL_OK;
    }
    const dal_state_buffer *s = sim->method->current;
    const dal_point at = whole_point(sim, s->t, s->q, s->v, s->vd);
    const double far = dal_max_abs(s->q, sim->ev->nq) / sim->ev->length;
    const level position = {"position", position_floor * (1.0 + far), 1};
    const level velocity = {"velocity", velocity_floor * (1.0 + dal_scales_displacement(&sim->all, s->v)), 0};
    const int nonholonomic = sim->whole->nh < sim->whole->nc;
    DAL_TRY(dal_scales_measure(&sim->all, &at)); // if they are not known: other rows are left out than before
    const dal_residual out = {.Phi = sim->rows, .vel = nonholonomic ? sim->rows2 : NULL};
    DAL_TRY(dal_eval_residual(sim->whole, &out, &at));
    DAL_TRY(compare(sim, &at, sim->rows, 0, position));
    DAL_TRY(nonholonomic ? compare(sim, &at, sim->rows2, 1, velocity) : DAL_OK);
    return look_at_rows(sim, &at);
}
