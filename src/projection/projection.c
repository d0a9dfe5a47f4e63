#include "projection/projection.h"

#include <ctype.h>
#include <stdio.h>

#include "base/vector.h"
#include "newton/descent.h"
#include "projection/assemble.h"

/* Row with the largest residual in its scale, for messages. */
static int worst_row(const dal_saddle *s, const double *x)
{
    int worst = 0;
    for (int i = 1; i < s->nc; ++i) {
        worst = fabs(x[i]) * s->scales.reach[worst] > fabs(x[worst]) * s->scales.reach[i] ? i : worst;
    }
    return worst;
}

static dal_status cannot_close(dal_saddle *s, const double *Phi, double t, int iterations)
{
    char name[96];
    const int row = worst_row(s, Phi);
    dal_eval_row_name(s->ev, name, sizeof name, row);
    return dal_fail(
        s->ctx, DAL_NOCONV,
        "the position constraints cannot be satisfied at t = %.9g: after %d iterations the largest residual "
        "is %.3e in %s. The constraints contradict each other or the initial guess is too far off",
        t, iterations, Phi[row], name);
}

/* The matrix is singular away from the constraints: rows depend on each other, or a loop cannot close at all and Newton's
 * method is stuck at its best. Which of the two is found out by assembly, which does with dependent rows; what stays open is
 * told instead of the advice to leave rows out. */
static dal_status cannot_go_on(dal_saddle *s, dal_status st, const dal_point *at, double norm, double tol)
{
    if (st == DAL_EREDUNDANT) {
        char open[600];
        dal_copy(s->q1, at->q, s->ev->nq);
        const dal_status closed = dal_assemble_with(s->ctx, s->ev->sys, s->ev->data, s->q1, NULL, at->t, NULL, 0, tol);
        snprintf(open, sizeof open, "%s", closed == DAL_NOCONV ? dal_ctx_message(s->ctx) : "");
        open[0] = (char)toupper((unsigned char)open[0]); // it begins a sentence there
        s->instead = closed == DAL_NOCONV ? open : NULL;
        st = dal_saddle_factor(s, at, 0); // for its message
        s->instead = NULL;
        st = st != DAL_OK ? st : DAL_EREDUNDANT;
    }
    return dal_fail_in(s->ctx, st, "the position constraints (largest residual %.3e) cannot be satisfied", norm);
}

/* The return to the constraints from a configuration. */
typedef struct way_back {
    dal_saddle *s;
    double *q, t, tol, norm;
} way_back;

/* Phi at q o exp(x), into the second part of x. */
static dal_status look(void *self, double *norm, int *good, double scale)
{
    way_back *w = self;
    dal_saddle *s = w->s;
    double *Phi = s->x + s->nv;
    if (scale > 0.0) {
        dal_retract(s->ev->G, s->q1, w->q, s->x);
    }
    const dal_point at = {w->t, scale > 0.0 ? s->q1 : w->q, s->zero, s->zero, s->zero};
    dal_zero(Phi, s->nc);
    DAL_TRY(dal_saddle_measure(s, &at));
    DAL_TRY(dal_eval_residual(s->ev, &(dal_residual){.Phi = Phi}, &at));
    *norm = w->norm = dal_scales_gap(&s->scales, Phi);
    *good = *norm <= w->tol;
    return DAL_OK;
}

/* [[M, B^T], [B, 0]] [d; .] = [0; -Phi] */
static dal_status step(void *self, int fresh)
{
    const way_back *w = self;
    dal_saddle *s = w->s;
    const dal_point at = {w->t, w->q, s->zero, s->zero, s->zero};
    const dal_status st = fresh ? dal_saddle_factor(s, &at, 0) : DAL_OK;
    if (st != DAL_OK) {
        return cannot_go_on(s, st, &at, w->norm, w->tol);
    }
    dal_saddle_correct(s, s->nv, 0);
    return DAL_OK;
}

static dal_status take(void *self)
{
    const way_back *w = self;
    dal_copy(w->q, w->s->q1, w->s->ev->nq);
    return DAL_OK;
}

dal_status dal_project_position(dal_saddle *s, double *q, double *moved, double t, double tol)
{
    way_back w = {s, q, t, fmax(tol, dal_scales_rounding(&s->scales, q)), 0.0};
    // below tol it goes on as long as that helps, down to rounding; rows that are linear may go on to nothing
    const dal_descent method = {.self = &w,
                                .look = look,
                                .step = step,
                                .move = take,
                                .most = 30,
                                .more = 30,
                                .nothing = 1e-10 * w.tol,
                                .kept = 1e-3,
                                .slow = 0.1};
    dal_copy(s->q0, q, s->ev->nq);
    if (s->nc > 0) {
        int found, iterations;
        DAL_TRY(dal_descend(&method, &found, &iterations));
        if (!found) {
            return cannot_close(s, s->x + s->nv, t, iterations);
        }
    }
    if (moved) {
        *moved = dal_distance(s->ev->G, s->q0, q);
    }
    return DAL_OK;
}

/* Velocities that would have to move by so many times the violation of the constraints. */
static const double absurd = 1e12;
/* A violation so small beside the velocities leaves nothing but rounding, even if only a few digits of it go. */
static const double tiny = 1e-12;

dal_status dal_project_velocity(dal_saddle *s, double *v, double *moved, double t, const double *q,
                                const double *target)
{
    const int nv = s->nv, nc = s->nc;
    double sum = 0.0;
    if (nc > 0) {
        const dal_point at = {t, q, v, s->zero, s->zero};
        double *vel = s->x + nv;
        dal_zero(s->x, nv);
        DAL_TRY(dal_saddle_measure(s, &at));
        DAL_TRY(dal_eval_residual(s->ev, &(dal_residual){.vel = vel}, &at));
        DAL_TRY(dal_saddle_factor(s, &at, 0));
        for (int i = 0; i < nc; ++i) {
            vel[i] = (target ? target[i] : 0.0) - vel[i];
        }
        const double violation = dal_scales_gap(&s->scales, vel);
        if (violation <= tiny * dal_scales_displacement(&s->scales, v)) {
            dal_saddle_solve_roughly(s);
        } else {
            dal_saddle_solve(s);
        }
        // a direction without mass may pass for a pivot by rounding: then any violation moves it beyond all bounds
        if (!(dal_scales_displacement(&s->scales, s->x) <= absurd * violation)) {
            return dal_saddle_explain(s, &at);
        }
        for (int i = 0; i < nv; ++i) {
            v[i] += s->x[i];
            sum += s->x[i] * s->x[i];
        }
    }
    if (moved) {
        *moved = sqrt(sum);
    }
    return DAL_OK;
}
