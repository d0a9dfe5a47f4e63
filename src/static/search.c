/* Newton's method on the group with line search, and the same with the load put on in steps (ST.3). */
#include "base/vector.h"
#include "newton/descent.h"
#include "static/static_impl.h"

enum { MAX_LOAD_STEPS = 60, MAX_FULL_LOAD_STEPS = 200, MAX_FULL_STEPS = 40 };

/* Rotation a step may make at most, rad: beyond that the tangent means nothing, and turns could not be counted. */
static const double turn_limit = 1.0;

dal_status dal_statics_multipliers(statics *s)
{
    // [[I, B^T], [B, 0]] [f; lambda] = [-g; 0]
    const dal_point at = dal_statics_point(s, s->zero);
    DAL_TRY(dal_statics_factor_rows(s));
    DAL_TRY(dal_eval_residual(s->ev, &(dal_residual){.r = s->x}, &at));
    for (int i = 0; i < s->nv; ++i) {
        s->x[i] = -s->x[i];
    }
    dal_zero(s->x + s->nv, s->nc);
    dal_linsol_solve_refined(s->rows->ls, s->x);
    dal_copy(s->f, s->x, s->nv);
    dal_copy(s->la, s->x + s->nv, s->nc);
    return DAL_OK;
}

static double merit(const statics *s)
{
    double sum = 0.0;
    const double F = fmax(s->F, 1e-300);
    // gaps as parts of the whole mechanism: beside its size those of short members must not hold up the search
    const double part = s->ev->length / fmax(s->ev->length, dal_max_abs(s->start, s->nq));
    for (int i = 0; i < s->nv; ++i) {
        const double part_of_load = s->r[i] * s->ev->unit[i] / F;
        sum += part_of_load * part_of_load;
    }
    for (int i = 0; i < s->nc; ++i) {
        const double gap = part * s->Phi[i] * s->scales->per_reach[i];
        sum += gap * gap;
    }
    return sqrt(sum);
}

/* Of a step, in units of displacements. */
static double step_size(const statics *s, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < s->nv; ++i) {
        const double part = x[i] * s->ev->per_unit[i];
        sum += part * part;
    }
    return sqrt(sum);
}

static int balanced(const statics *s)
{
    return dal_statics_work(s, s->r) <= s->tol * s->F && dal_scales_gap(s->scales, s->Phi) <= 1e-10;
}

/* The full step, or as much of it as keeps rotations within bounds, into x. */
static dal_status newton_step(void *self, int fresh)
{
    statics *s = self;
    (void)fresh;
    DAL_TRY(dal_statics_factor(s, 0.0));
    for (int i = 0; i < s->nv; ++i) {
        s->x[i] = -s->r[i];
    }
    for (int i = 0; i < s->nc; ++i) {
        s->x[s->nv + i] = -s->Phi[i];
    }
    dal_linsol_solve_refined(s->matrix.ls, s->x);
    s->step = step_size(s, s->x);
    const double turn = dal_largest_turn(s->ev->G, s->x), most = s->sharp ? 0.5 * turn_limit : turn_limit,
                 scale = turn > most ? most / turn : 1.0;
    for (int i = 0; i < s->nv + s->nc && scale < 1.0; ++i) {
        s->x[i] *= scale;
    }
    return DAL_OK;
}

/* Exchange the present state with the trial one. */
static void swap(statics *s)
{
    double *const q = s->q, *const v = s->v, *const la = s->la;
    s->q = s->q1;
    s->v = s->v1;
    s->la = s->la1;
    s->q1 = q;
    s->v1 = v;
    s->la1 = la;
}

void dal_statics_step(statics *s, double scale)
{
    dal_statics_move(s, s->x, scale);
    for (int i = 0; i < s->nc; ++i) {
        s->la1[i] = s->la[i] + scale * s->x[s->nv + i];
    }
    swap(s);
}

/* The residual at x times scale from here. */
static dal_status look(void *self, double *norm, int *good, double scale)
{
    statics *s = self;
    if (scale > 0.0) {
        dal_statics_step(s, scale);
    }
    const dal_status st = dal_statics_evaluate(s);
    *norm = merit(s);
    *good = balanced(s);
    if (scale > 0.0) {
        swap(s);
    }
    return st;
}

static dal_status take(void *self)
{
    swap(self);
    return dal_statics_accept(self, DAL_MOMENT_RESTART);
}

/* Would the step that follows, with the same matrix, be much shorter? */
static int contracts(statics *s)
{
    for (int i = 0; i < s->nv; ++i) {
        s->y[i] = -s->r[i];
    }
    for (int i = 0; i < s->nc; ++i) {
        s->y[s->nv + i] = -s->Phi[i];
    }
    dal_linsol_solve_refined(s->matrix.ls, s->y);
    return step_size(s, s->y) <= 0.1 * s->step;
}

/* What stands in for missing stiffness holds up the last digits of what is slender: steps with K as it is, as long as the next
 * one is much shorter. */
static dal_status polish(statics *s)
{
    const static_sharpness sharp = s->sharp;
    dal_status st = dal_statics_evaluate(s);
    s->sharp = STATIC_SHARP;
    for (int it = 0, shorter = 1; it < 3 && shorter && st == DAL_OK; ++it) {
        st = newton_step(s, 1);
        if (st != DAL_OK || !(s->step > 1e-13 && s->step < 1e-3)) {
            break;
        }
        dal_statics_step(s, 1.0);
        st = dal_statics_evaluate(s);
        shorter = st == DAL_OK && contracts(s);
        if (!shorter) {
            swap(s);
            st = dal_statics_evaluate(s);
        }
    }
    s->sharp = sharp;
    return st < 0 ? st : DAL_OK;
}

/* Steps as they are, with K as it is: a slender beam is stretched by what bends it, of second order, so that forces grow beside
 * steps that are right. They have converged when they are rounding; so are the forces, which stiff elements raise far above that of
 * the loads. */
static dal_status full_steps(statics *s, int *found)
{
    *found = 0;
    DAL_TRY(dal_statics_evaluate(s));
    for (int it = 0, extra = 0; it < MAX_FULL_STEPS && extra < 3; ++it) {
        DAL_TRY(newton_step(s, 1));
        dal_statics_step(s, 1.0);
        DAL_TRY(dal_statics_evaluate(s));
        if (!isfinite(merit(s))) {
            return DAL_OK;
        }
        DAL_TRY(dal_statics_accept(s, DAL_MOMENT_RESTART));
        *found = balanced(s) || (s->step <= 1e-10 && dal_scales_gap(s->scales, s->Phi) <= 1e-10);
        extra += *found;
    }
    return *found && s->load == 0.0 ? polish(s) : DAL_OK;
}

dal_status dal_statics_newton(statics *s, int *found)
{
    if (s->sharp) {
        return full_steps(s, found);
    }
    // past tol as long as that helps: the reactions gain by it
    const dal_descent method = {.self = s,
                                .look = look,
                                .step = newton_step,
                                .move = take,
                                .most = 40,
                                .halvings = 7,
                                .more = 2,
                                .slow = INFINITY};
    DAL_TRY(dal_descend(&method, found, NULL));
    return *found && s->sys->slender && s->load == 0.0 ? polish(s) : DAL_OK;
}

void dal_statics_keep(statics *s)
{
    dal_copy(s->q_kept, s->q, s->nq);
    dal_copy(s->v_kept, s->v, s->nv);
    dal_copy(s->la_kept, s->la, s->nc);
    dal_copy(s->memory_kept, s->data->memory, s->sys->nmemory);
}

void dal_statics_go_back(statics *s)
{
    dal_copy(s->q, s->q_kept, s->nq);
    dal_copy(s->v, s->v_kept, s->nv);
    dal_copy(s->la, s->la_kept, s->nc);
    dal_copy(s->data->memory, s->memory_kept, s->sys->nmemory);
    dal_data_forget(s->data);
}

static dal_status put_on(statics *s, int *found, double step)
{
    const int most = s->sharp ? MAX_FULL_LOAD_STEPS : MAX_LOAD_STEPS;
    double reached = 1.0;
    dal_copy(s->r0, s->r, s->nv);
    *found = 0;
    for (int k = 0; k < most && step > 1e-3; ++k) {
        dal_statics_keep(s);
        s->load = fmax(0.0, reached - step);
        const dal_status st = dal_statics_newton(s, found);
        if (st < 0 && st != DAL_ECALLBACK) {
            return st;
        }
        if (st == DAL_OK && *found) {
            if (s->load == 0.0) {
                return DAL_OK;
            }
            reached = s->load;
            step *= 1.5;
        } else {
            dal_statics_go_back(s);
            step *= 0.25;
        }
    }
    *found = 0;
    return DAL_OK;
}

/* With K as it is, which slender beams need; otherwise with what stands in for stiffness that is not there. */
dal_status dal_statics_load_steps(statics *s, int *found)
{
    s->sharp = s->sys->slender ? STATIC_SHARP : STATIC_SOFT;
    if (s->sharp) {
        const dal_status st = put_on(s, found, 1.0);
        s->sharp = STATIC_SOFT;
        if (*found || (st < 0 && st != DAL_ECALLBACK)) {
            return st;
        }
        DAL_TRY(dal_statics_begin(s));
    }
    return put_on(s, found, 0.25);
}
