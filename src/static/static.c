/* Equilibrium: set-up, the order of attempts, the report. */
#include <stdio.h>

#include "base/message.h"
#include "base/vector.h"
#include "projection/assemble.h"
#include "projection/projection.h"
#include "static/static_impl.h"
#include "system/data.h"

const char *dal_static_method_name(dal_static_method method)
{
    static const char *const name[] = {"newton", "load_steps", "relaxation"};
    return method >= DAL_STATIC_NEWTON && method <= DAL_STATIC_RELAXATION ? name[method] : "";
}

/* ---- evaluation ------------------------------------------------------------------------------- */

dal_point dal_statics_point(const statics *s, const double *la)
{
    dal_statics_turn(s);
    return (dal_point){s->t, s->q, s->v, s->vd, la};
}

double dal_statics_work(const statics *s, const double *f)
{
    double most = 0.0;
    for (int i = 0; i < s->nv; ++i) {
        const double work = fabs(f[i]) * s->ev->unit[i];
        most = work > most || isnan(work) ? work : most;
    }
    return most;
}

dal_status dal_statics_evaluate(statics *s)
{
    const double least = s->sys->slender ? 1e-5 : 1e-6; // stiff elements leave more rounding
    const dal_point at = dal_statics_point(s, s->la), unheld = dal_statics_point(s, s->zero);
    // the loads by themselves, for their size (ST.2)
    DAL_TRY(dal_eval_residual(s->ev, &(dal_residual){.r = s->r}, &unheld));
    s->F = fmax(fmax(dal_statics_work(s, s->r), s->F0), least * s->kwork);
    dal_zero(s->Phi, s->nc);
    DAL_TRY(dal_eval_residual(s->ev, &(dal_residual){.r = s->r, .Phi = s->nc > 0 ? s->Phi : NULL}, &at));
    for (int i = 0; i < s->nv; ++i) {
        s->r[i] -= s->load * s->r0[i];
    }
    return DAL_OK;
}

void dal_statics_move(statics *s, const double *d, double scale)
{
    double *step = s->w;
    for (int i = 0; i < s->nv; ++i) {
        s->v1[i] = s->state[i] ? s->v[i] + scale * d[i] : 0.0;
        step[i] = s->state[i] ? 0.0 : scale * d[i];
    }
    dal_retract(s->sys->group, s->q1, s->q, step);
}

static double largest(const double *x, int n, double before)
{
    return fmax(before, dal_max_abs(x, n));
}

/* Notes the size of K and passes it on; of states, whose coordinates mean nothing, C in its place. */
static void push_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    statics *s = (statics *)sink;
    const dal_block_at at = dal_pair_at(s->ev, pair);
    const double *tangent = s->turns ? dal_statics_turned(s, pair, M, C, K) : s->state[at.j] ? C : K;
    if (tangent) {
        s->kmax = largest(tangent, at.ni * at.nj, s->kmax);
        for (int k = 0; k < at.ni * at.nj; ++k) {
            s->kwork = fmax(s->kwork, fabs(tangent[k]) * s->ev->unit[at.i + k % at.ni] * s->ev->unit[at.j + k / at.ni]);
        }
    }
    s->push_pair(sink, pair, NULL, NULL, tangent);
}

/* Part of the largest stiffness that stands in for directions without any. */
static const double added_part[] = {[STATIC_SOFT] = 1e-10, [STATIC_SHARP] = 1e-15, [STATIC_EXACT] = 0.0};

dal_status dal_statics_factor(statics *s, double mu)
{
    const dal_point at = dal_statics_point(s, s->la);
    const dal_matrix *A = s->matrix.A;
    s->kmax = s->kwork = 0.0;
    DAL_TRY(dal_bordered_fill(&s->matrix, &at, 1));
    // the least resistance is known only now: a matrix that is singular costs more than one that is not
    const double added = added_part[s->sharp] * (s->kwork > 0.0 ? s->kwork : 1.0), *per_unit = s->ev->per_unit;
    for (int i = 0; i < s->nv; ++i) {
        A->x[A->slot[s->matrix.first_diagonal + i][0]] += fmax(mu, added * per_unit[i] * per_unit[i]);
    }
    s->iterations++;
    return dal_linsol_factor(s->matrix.ls);
}

dal_status dal_statics_factor_rows(statics *s)
{
    const dal_point at = dal_statics_point(s, s->zero);
    DAL_TRY(dal_saddle_assemble(s->rows, &at, 0));
    s->iterations++;
    return dal_linsol_factor(s->rows->ls);
}

dal_status dal_statics_accept(statics *s, dal_moment moment)
{
    // of the whole system; lambda plays no part in what is remembered
    const dal_point at = {s->t, s->q, s->v, s->zero, s->zero};
    return s->sys->life.accept ? dal_data_accept(s->data, &at, moment) : DAL_OK;
}

/* ---- set-up ----------------------------------------------------------------------------------- */

static void carve(statics *s, dal_arena *arena)
{
    int most_block = 0;
    const int most = s->nv > dal_system_rows(s->sys) ? s->nv : dal_system_rows(s->sys);
    double **of_q[] = {&s->q, &s->q1, &s->start, &s->q_kept, &s->given, &s->from},
           **of_v[] = {&s->r, &s->r0, &s->d, &s->f, &s->v, &s->v1, &s->v_kept, &s->start_v, &s->w, &s->vd};
    for (int k = 0; k < 6; ++k) {
        *of_q[k] = dal_arena_reals(arena, s->nq);
    }
    for (int k = 0; k < 10; ++k) {
        *of_v[k] = dal_arena_reals(arena, s->nv);
    }
    s->la = dal_arena_reals(arena, most);
    s->la1 = dal_arena_reals(arena, most);
    s->Phi = dal_arena_reals(arena, most);
    s->x = dal_arena_reals(arena, s->nv + most);
    s->y = dal_arena_reals(arena, s->nv + most);
    s->zero = dal_arena_reals(arena, most);
    s->gap = dal_arena_reals(arena, most);
    s->rate = dal_arena_reals(arena, most);
    s->la_kept = dal_arena_reals(arena, most);
    s->state = dal_arena_ints(arena, s->nv);
    s->saved = dal_arena_reals(arena, s->sys->nmemory);
    s->memory_kept = dal_arena_reals(arena, s->sys->nmemory);
    for (int f = 0; f < s->sys->group->nfactors && s->turns; ++f) {
        most_block = s->sys->group->factor[f].nv > most_block ? s->sys->group->factor[f].nv : most_block;
    }
    s->block = dal_arena_reals(arena, 6 * most_block);
}

static dal_status prepare(statics *s, const double *q, const double *v)
{
    s->nq = s->sys->group->nq;
    s->nv = s->sys->group->nv;
    s->arena = dal_arena_init(s->ctx);
    carve(s, &s->arena);
    DAL_TRY(dal_arena_reserve(&s->arena));
    carve(s, &s->arena);
    if (!s->data) {
        DAL_TRY(dal_data_create(&s->own, s->ctx, s->sys));
        s->data = s->own;
    }
    dal_copy(s->q, q, s->nq);
    dal_normalise(s->sys->group, s->q);
    dal_copy(s->given, s->q, s->nq);
    dal_copy(s->from, s->q, s->nq);
    for (int i = 0; i < s->nv && s->sys->names.is_state; ++i) {
        s->state[i] = s->sys->names.is_state(i, s->sys->user) != 0;
        s->nstates += s->state[i];
        s->v[i] = s->state[i] && v ? v[i] : 0.0;
    }
    return dal_statics_accept(s, DAL_MOMENT_START);
}

/* Close the mechanism, leave dependent rows out, make the solver. */
static dal_status close_and_reduce(statics *s, dal_static_report *report)
{
    const dal_system *sys = s->sys;
    if (dal_system_rows(sys) > 0) {
        DAL_TRY(dal_assemble_with(s->ctx, sys, s->data, s->q, NULL, s->t, NULL, 0, DAL_POSITION_TOLERANCE));
        DAL_TRY(dal_reduction_create_with(&s->red, s->ctx, sys, s->data, s->t, s->q, 0.0));
        report->redundant = dal_reduction_count(s->red);
        sys = dal_reduction_system(s->red);
    }
    DAL_TRY(dal_eval_create(&s->ev, s->ctx, sys, s->data));
    if (s->ev->nlaws > 0) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "an equilibrium with laws (DAL_ROWS_LAW) is not looked for: write them as forces");
    }
    s->nc = s->ev->nc;
    DAL_TRY(dal_saddle_create_unit(&s->rows, s->ctx, s->ev));
    s->scales = &s->rows->scales;
    DAL_TRY(dal_saddle_measure(s->rows, &(dal_point){s->t, s->q, s->v, s->zero, s->zero}));
    DAL_TRY(dal_bordered_init(&s->matrix, s->ctx, s->ev,
                              DAL_BORDERED_PAIRS | DAL_BORDERED_LINKS | DAL_BORDERED_DIAGONAL, DAL_LINSOL_AUTO));
    s->matrix.k = 1.0;
    s->matrix.m = s->turns ? 1.0 : 0.0; // asks for M and C, see push_pair
    s->matrix.c = s->nstates > 0 || s->turns ? 1.0 : 0.0;
    s->push_pair = s->matrix.sink.pair;
    s->matrix.sink.pair = push_pair;
    dal_copy(s->start, s->q, s->nq);
    dal_copy(s->start_v, s->v, s->nv);
    dal_copy(s->saved, s->data->memory, s->sys->nmemory);
    return dal_statics_accept(s, DAL_MOMENT_RESTART);
}

/* What belongs to the rows that are kept. */
static void forget_reduction(statics *s)
{
    dal_linearize_destroy(s->lin);
    dal_bordered_release(&s->matrix);
    dal_saddle_destroy(s->rows);
    dal_eval_destroy(s->ev);
    dal_reduction_destroy(s->red);
    s->lin = NULL;
    s->rows = NULL;
    s->ev = NULL;
    s->red = NULL;
}

void dal_statics_close(statics *s)
{
    forget_reduction(s);
    dal_data_destroy(s->own);
    dal_arena_release(&s->arena);
}

/* ---- attempts --------------------------------------------------------------------------------- */

dal_status dal_statics_begin(statics *s)
{
    s->load = 0.0;
    dal_copy(s->q, s->start, s->nq);
    dal_copy(s->v, s->start_v, s->nv);
    dal_copy(s->data->memory, s->saved, s->sys->nmemory);
    dal_data_forget(s->data);
    DAL_TRY(dal_statics_accept(s, DAL_MOMENT_RESTART));
    s->F0 = s->kmax = s->kwork = 0.0; // where the attempt before ended the stiffness may have been anything
    DAL_TRY(dal_statics_multipliers(s));
    DAL_TRY(dal_statics_evaluate(s));
    s->F0 = s->F;
    return DAL_OK;
}

typedef dal_status (*attempt)(statics *s, int *found);
static const attempt attempts[] = {dal_statics_newton, dal_statics_load_steps, dal_statics_relax};

/* Failures that another attempt may avoid: no convergence, singular matrices, states out of range. */
static int may_go_on(dal_status st)
{
    return st > 0 || st == DAL_ECALLBACK;
}

static dal_status try_with(statics *s, dal_static_method method, int *found)
{
    *found = 0;
    DAL_TRY(dal_statics_begin(s));
    const dal_status st = attempts[method](s, found);
    return st == DAL_OK || may_go_on(st) ? DAL_OK : st;
}

/* An equilibrium that close, in units of displacements, is what the guess was meant to be. */
static const double near_guess = 1e-2;

double dal_statics_way(const statics *s)
{
    double sum = 0.0;
    dal_difference(s->sys->group, s->w, s->start, s->q);
    for (int i = 0; i < s->nv; ++i) {
        const double part = s->w[i] * s->ev->per_unit[i];
        sum += part * part;
    }
    return sqrt(sum);
}

/* An unstable equilibrium that the search did not begin at is rarely what was wanted: where does it come to rest? */
static dal_status look_for_stable(statics *s, const dal_static_options *opt, dal_static_report *report)
{
    int found;
    if (report->stable || opt->nearest || !(s->methods & 1U << DAL_STATIC_RELAXATION) ||
        dal_statics_way(s) <= near_guess) {
        return DAL_OK;
    }
    DAL_TRY(try_with(s, DAL_STATIC_RELAXATION, &found));
    if (found) {
        dal_static_report other = *report;
        DAL_TRY(dal_statics_judge(s, &other));
        if (other.stable) {
            other.method = DAL_STATIC_RELAXATION;
            *report = other;
            return DAL_OK;
        }
    }
    const dal_static_method method = report->method; // the unstable one it is
    DAL_TRY(try_with(s, method, &found));
    return found ? dal_statics_judge(s, report) : dal_fail(s->ctx, DAL_NOCONV, "the equilibrium was lost again");
}

static dal_status no_equilibrium(statics *s, const dal_static_report *report)
{
    char names[200];
    double force = 0.0, norm = 0.0;
    dal_eval_direction_name(s->ev, names, sizeof names, s->d);
    for (int i = 0; i < s->nv; ++i) {
        norm += s->d[i] * s->d[i];
        force += s->f[i] * s->d[i];
    }
    if (norm == 0.0) {
        return dal_fail(s->ctx, DAL_NOCONV,
                        "no equilibrium was found at t = %.9g (%d iterations): forces stay out of "
                        "balance by %.3g",
                        s->t, s->iterations, report->residual);
    }
    return dal_fail(
        s->ctx, DAL_NOCONV,
        "no equilibrium at t = %.9g: the system is free to move in the direction %s, and a force of %.4g along "
        "it is not balanced by anything. Hold it with a spring or a joint, remove the load, or begin "
        "closer to the equilibrium",
        s->t, names, fabs(force) / sqrt(norm));
}

static dal_status attempt_all(statics *s, dal_static_report *report, int *found)
{
    for (int k = DAL_STATIC_NEWTON; k <= DAL_STATIC_RELAXATION && !*found; ++k) {
        if (s->methods & 1U << k) {
            report->method = (dal_static_method)k;
            DAL_TRY(try_with(s, report->method, found));
        }
    }
    return DAL_OK;
}

/* With the contacts that are closed now. */
static dal_status solve_closed(statics *s, const dal_static_options *opt, dal_static_report *report, int *found)
{
    *found = 0;
    DAL_TRY(attempt_all(s, report, found));
    // rows that could be spared at the guess may be needed where the search got stuck
    if (!*found && report->redundant > 0 && dal_statics_work(s, s->f) < 1e-2 * s->F) {
        forget_reduction(s);
        DAL_TRY(close_and_reduce(s, report));
        DAL_TRY(attempt_all(s, report, found));
    }
    report->stable = s->turns; // where axes turn, modes tell
    if (*found && !s->turns) {
        DAL_TRY(dal_statics_judge(s, report));
        DAL_TRY(look_for_stable(s, opt, report));
    }
    return DAL_OK;
}

static dal_status solve(statics *s, const dal_static_options *opt, dal_static_report *report)
{
    int found = 0, changed = 1;
    for (int round = 0; changed; ++round) {
        DAL_TRY(solve_closed(s, opt, report, &found));
        DAL_TRY(dal_statics_retouch(s, &changed, found, round));
        if (changed) {
            forget_reduction(s);
            dal_copy(s->q, s->from, s->nq);
            DAL_TRY(close_and_reduce(s, report));
        }
    }
    report->converged = found;
    report->iterations = s->iterations;
    report->residual = dal_max_abs(s->r, s->nv);
    report->relative = s->F > 0.0 ? dal_statics_work(s, s->r) / s->F : 0.0;
    report->moved = dal_distance(s->sys->group, s->given, s->q);
    return found ? DAL_OK : no_equilibrium(s, report);
}

/* Rows on velocities that do not hold at rest: control that still acts. */
static dal_status check_rest(statics *s, const dal_point *at)
{
    const double nothing = 1e-9 * fmin(1.0, s->ev->length); // rad or lengths of the system a second
    DAL_TRY(dal_data_residual(s->data, &(dal_residual){.vel = s->Phi}, at));
    for (int c = 0, row = 0; c < s->sys->nconstraints; ++c) {
        for (int k = 0; k < s->sys->constraint[c].nrows; ++k, ++row) {
            if (s->sys->constraint[c].kind == DAL_ROWS_VELOCITY && fabs(s->Phi[row]) > nothing) {
                char name[96] = "a row on velocities";
                if (s->sys->names.row) {
                    s->sys->names.row(name, sizeof name, row, s->sys->user);
                }
                return dal_fail(s->ctx, DAL_NOCONV, "no equilibrium at t = %.9g: %s asks for motion (%.3g at rest)",
                                s->t, name, s->Phi[row]);
            }
        }
    }
    return DAL_OK;
}

/* Gaps of all rows, and the multipliers of all rows. */
dal_status dal_statics_finish(statics *s, double *la, dal_static_report *report)
{
    const int nc = dal_system_rows(s->sys);
    if (nc == 0) {
        return DAL_OK;
    }
    const dal_point at = dal_statics_point(s, s->la), whole = dal_statics_point(s, s->la1);
    DAL_TRY(dal_reduction_multipliers(s->red, s->la1, &at, 1));
    dal_zero(s->Phi, nc);
    DAL_TRY(dal_data_residual(s->data, &(dal_residual){.Phi = s->Phi}, &whole));
    report->position_residual = dal_max_abs(s->Phi, nc);
    if (la) {
        dal_copy(la, s->la1, nc);
    }
    return check_rest(s, &whole);
}

static const unsigned all_methods = (2U << DAL_STATIC_RELAXATION) - 1U;

dal_status dal_statics_open(statics *s, dal_static_report *report, const double *q, const double *v,
                            const dal_static_options *opt)
{
    s->tol = opt->tol > 0.0 ? opt->tol : 1e-10;
    s->methods = opt->methods ? opt->methods : all_methods;
    dal_copy(s->turning, opt->turning, 3);
    dal_copy(s->centre, opt->centre, 3);
    s->turns = dal_max_abs(s->turning, 3) > 0.0;
    DAL_TRY(prepare(s, q, v));
    DAL_TRY(s->sys->contacts.n > 0 ? dal_statics_touch(s) : DAL_OK);
    DAL_TRY(close_and_reduce(s, report));
    return solve(s, opt, report);
}

dal_status dal_static_solve_(dal_ctx *ctx, const dal_system *sys, dal_data *data, double *q, double *v, double *la,
                             dal_static_report *report, double t, const dal_static_options *options, size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, q);
    if (data && dal_data_system(data) != sys) {
        return dal_fail(ctx, DAL_EINVAL, "dal_static_solve: the data belong to another system");
    }
    DAL_TRY(dal_system_validate(ctx, sys));
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", 0.0, q, v));
    DAL_OWN(ctx, dal_static_options, options);
    const dal_static_options opt = options ? *options : (dal_static_options){0};
    dal_static_report rep = {.lowest.stiffness = NAN};
    if (!isfinite(t) || !isfinite(opt.tol) || opt.tol < 0.0 || !isfinite(dal_max_abs(opt.turning, 3)) ||
        !isfinite(dal_max_abs(opt.centre, 3))) {
        return dal_fail(ctx, DAL_EINVAL, "dal_static_solve: t = %g, tol = %g: finite numbers, tol not negative", t,
                        opt.tol);
    }
    if (opt.methods > all_methods) {
        return dal_fail(ctx, DAL_EINVAL, "dal_static_solve: methods = %u: 1 << method of each that may be tried",
                        opt.methods);
    }
    dal_message kept;
    dal_message_keep(&kept, ctx);
    statics s = {.ctx = ctx, .sys = sys, .data = data, .t = t};
    dal_status st = dal_statics_open(&s, &rep, q, v, &opt);
    st = st == DAL_OK ? dal_statics_finish(&s, la, &rep) : st;
    if (s.q) {
        dal_copy(q, s.q, s.nq);
    }
    if (s.v && v) {
        dal_copy(v, s.v, s.nv);
    }
    dal_statics_close(&s);
    if (report) {
        *report = rep;
    }
    return dal_message_settle(&kept, ctx, st);
}
