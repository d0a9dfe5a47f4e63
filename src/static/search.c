/* Newton's method on the group with line search, and the same with the load put on in steps (ST.3). */
#include "base/vector.h"
#include "newton/descent.h"
#include "static/static_impl.h"

enum { MAX_LOAD_STEPS = 60 };

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
        sum += (s->r[i] / F) * (s->r[i] / F);
    }
    for (int i = 0; i < s->nc; ++i) {
        const double gap = part * s->Phi[i] * s->scales->per_reach[i];
        sum += gap * gap;
    }
    return sqrt(sum);
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
    const double turn = dal_largest_turn(s->ev->G, s->x), scale = turn > turn_limit ? turn_limit / turn : 1.0;
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

/* The residual at x times scale from here. */
static dal_status look(void *self, double *norm, int *good, double scale)
{
    statics *s = self;
    if (scale > 0.0) {
        dal_statics_move(s, s->x, scale);
        for (int i = 0; i < s->nc; ++i) {
            s->la1[i] = s->la[i] + scale * s->x[s->nv + i];
        }
        swap(s);
    }
    const dal_status st = dal_statics_evaluate(s);
    *norm = merit(s);
    *good = dal_max_abs(s->r, s->nv) <= s->tol * s->F && dal_scales_gap(s->scales, s->Phi) <= 1e-10;
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

dal_status dal_statics_newton(statics *s, int *found)
{
    // past tol as long as that helps: the reactions gain by it
    const dal_descent method = {.self = s,
                                .look = look,
                                .step = newton_step,
                                .move = take,
                                .most = 40,
                                .halvings = 7,
                                .more = 2,
                                .slow = INFINITY};
    return dal_descend(&method, found, NULL);
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

dal_status dal_statics_load_steps(statics *s, int *found)
{
    double step = 0.25, reached = 1.0;
    dal_copy(s->r0, s->r, s->nv);
    *found = 0;
    for (int k = 0; k < MAX_LOAD_STEPS && step > 1e-3; ++k) {
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
