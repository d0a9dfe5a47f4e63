/* Tangents against differences, column by column: also finds dependences that were not announced. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "system/eval_impl.h"
#include "system/sink.h"

enum { M_, C_, K_, NPAIRMATS };                     /* captured per pair */
enum { B_, Z_, G_, AQ_, AV_, LQ_, LV_, NLINKMATS }; /* captured per link */

typedef struct checker {
    dal_sink sink;
    dal_eval *ev;
    const dal_point *at;
    dal_tangent_report *report;
    double *pair_value[NPAIRMATS], *link_value[NLINKMATS];
    double *couple_value;
    int *pair0, *couple0; /* npairs + 1, ncouples + 1 */
    double *given, *fine, *coarse, *value;
    double
        load; /* largest work of forces and of reactions, in displacements of one unit: terms that r sums up have its rounding */
    dal_arena arena;
} checker;

static void add(double *to, const double *from, int n)
{
    for (int i = 0; from && i < n; ++i) {
        to[i] += from[i];
    }
}

static void take_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    checker *ch = (checker *)sink;
    const int at = ch->pair0[pair], n = ch->pair0[pair + 1] - at;
    add(ch->pair_value[M_] + at, M, n);
    add(ch->pair_value[C_] + at, C, n);
    add(ch->pair_value[K_] + at, K, n);
}

static void take_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    checker *ch = (checker *)sink;
    const int at = ch->ev->captured0[link], n = ch->ev->captured0[link + 1] - at;
    add(ch->link_value[B_] + at, B, n);
    add(ch->link_value[Z_] + at, Z, n);
}

static void take_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    checker *ch = (checker *)sink;
    const int at = ch->ev->captured0[link], n = ch->ev->captured0[link + 1] - at;
    add(ch->link_value[AQ_] + at, Aq, n);
    add(ch->link_value[AV_] + at, Av, n);
}

static void take_force(dal_sink *sink, int link, const double *G)
{
    checker *ch = (checker *)sink;
    const int at = ch->ev->captured0[link], n = ch->ev->captured0[link + 1] - at;
    add(ch->link_value[G_] + at, G, n);
}

static void take_law(dal_sink *sink, int link, const double *Lq, const double *Lv)
{
    checker *ch = (checker *)sink;
    const int at = ch->ev->captured0[link], n = ch->ev->captured0[link + 1] - at;
    add(ch->link_value[LQ_] + at, Lq, n);
    add(ch->link_value[LV_] + at, Lv, n);
}

static void take_couple(dal_sink *sink, int couple, const double *F)
{
    checker *ch = (checker *)sink;
    add(ch->couple_value + ch->couple0[couple], F, ch->couple0[couple + 1] - ch->couple0[couple]);
}

static void carve(checker *ch, dal_arena *arena)
{
    const dal_eval *ev = ch->ev;
    const dal_system *sys = ev->sys;
    const int nmax = ev->nv > ev->nc ? ev->nv : ev->nc;
    int max_block = ev->G->max_nv;
    for (int c = 0; c < sys->nconstraints; ++c) {
        max_block = sys->constraint[c].nrows > max_block ? sys->constraint[c].nrows : max_block;
    }
    int npair = 0;
    for (int p = 0; p < sys->npairs; ++p) {
        npair += ev->G->factor[sys->pair[p].i].nv * ev->G->factor[sys->pair[p].j].nv;
    }
    int ncouple = 0;
    for (int k = 0; k < sys->ncouples; ++k) {
        ncouple += sys->constraint[sys->couple[k].c].nrows * sys->constraint[sys->couple[k].d].nrows;
    }
    ch->couple0 = dal_arena_ints(arena, sys->ncouples + 1);
    ch->couple_value = dal_arena_reals(arena, ncouple);
    ch->pair0 = dal_arena_ints(arena, sys->npairs + 1);
    for (int k = 0; k < NPAIRMATS; ++k) {
        ch->pair_value[k] = dal_arena_reals(arena, npair);
    }
    for (int k = 0; k < NLINKMATS; ++k) {
        ch->link_value[k] = dal_arena_reals(arena, ev->captured0[sys->nlinks]);
    }
    ch->given = dal_arena_reals(arena, nmax * max_block);
    ch->fine = dal_arena_reals(arena, nmax * max_block);
    ch->coarse = dal_arena_reals(arena, nmax * max_block);
    ch->value = dal_arena_reals(arena, nmax);
}

/* X := X (I - b^T b/|b|^2) with the rows b of textbooks in these columns: what is left belongs to motions that keep them. */
static void keep_lengths(const checker *ch, double *X, int nrows, int first, int n)
{
    const dal_system *sys = ch->ev->sys;
    for (int l = 0; l < sys->nlinks; ++l) {
        const dal_constraint *c = &sys->constraint[sys->link[l].c];
        if (c->kind != DAL_ROWS_TEXTBOOK || ch->ev->G->factor[sys->link[l].j].v != first) {
            continue;
        }
        const double *b = ch->link_value[B_] + ch->ev->captured0[l];
        for (int r = 0; r < nrows; ++r) {
            double sum = 0.0, square = 0.0;
            for (int k = 0; k < n; ++k) {
                sum += X[r + k * nrows] * b[k];
                square += b[k] * b[k];
            }
            for (int k = 0; k < n && square > 0.0; ++k) {
                X[r + k * nrows] -= sum * b[k] / square;
            }
        }
    }
}

/* What rounding of the unknowns of a block makes of a row is worth that many units of the last place of this: its entries, each times the
 * unit of its column. A stretched beam has forces of EA times the rounding of places over the length, also where it carries nothing. */
static double row_terms(const checker *ch, int row, int nrows, int first, int n)
{
    double most = 0.0;
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(ch->fine[row + k * nrows]) * ch->ev->unit[first + k]);
    }
    return most;
}

/* Two differences with different steps: what they disagree by is not held against the tangent, nor rounding of the values. */
static dal_status compare(checker *ch, const char *what, diff_value value, diff_wrt wrt, int first, int n)
{
    dal_eval *ev = ch->ev;
    static const double rounding = 1e-10; // a few units in the last place over the step of the difference
    const int nrows = value == DIFF_R ? ev->nv : ev->nc;
    DAL_TRY(dal_diff_value(ev, ch->value, value, ch->at));
    DAL_TRY(dal_diff_columns(ev, ch->fine, value, wrt, first, n, 1.0, ch->at));
    DAL_TRY(dal_diff_columns(ev, ch->coarse, value, wrt, first, n, 4.0, ch->at));
    double *const matrix[] = {ch->given, ch->fine, ch->coarse};
    for (int i = 0; i < 3 && wrt == DIFF_WRT_Q; ++i) {
        keep_lengths(ch, matrix[i], nrows, first, n);
    }
    for (int k = 0; k < nrows * n; ++k) {
        const int row = k % nrows, column = first + k / nrows;
        const double step = wrt == DIFF_WRT_LAMBDA ? 1.0 + dal_max_abs(ch->at->la, ev->nc) : ev->unit[column];
        const double own = wrt == DIFF_WRT_Q ? row_terms(ch, row, nrows, first, n) : 0.0;
        const double terms = fmax(own, value == DIFF_R ? ch->load * ev->per_unit[row] : fabs(ch->value[row]));
        const double difference = ch->fine[k], noise = fabs(difference - ch->coarse[k]) + rounding * terms / step;
        const double excess = fabs(ch->given[k] - difference) - noise;
        const double error = excess / (1.0 + fabs(difference));
        if (error > ch->report->error || isnan(error)) {
            dal_tangent_report *rep = ch->report;
            rep->error = error;
            rep->given = ch->given[k];
            rep->difference = difference;
            snprintf(rep->what, sizeof rep->what, "%s", what);
            if (value == DIFF_R) {
                dal_eval_velocity_name(ev, rep->row, sizeof rep->row, k % nrows);
            } else {
                dal_eval_row_name(ev, rep->row, sizeof rep->row, k % nrows);
            }
            if (wrt == DIFF_WRT_LAMBDA) {
                dal_eval_row_name(ev, rep->column, sizeof rep->column, first + k / nrows);
            } else {
                dal_eval_velocity_name(ev, rep->column, sizeof rep->column, first + k / nrows);
            }
        }
    }
    return DAL_OK;
}

/* Columns of factor j of a pair matrix, zero where no pair was announced. */
static void pair_columns(checker *ch, int which, int j)
{
    const dal_eval *ev = ch->ev;
    const dal_factor *fj = &ev->G->factor[j];
    memset(ch->given, 0, (size_t)(ev->nv * fj->nv) * sizeof(double));
    for (int p = 0; p < ev->sys->npairs; ++p) {
        if (ev->sys->pair[p].j == j) {
            const dal_factor *fi = &ev->G->factor[ev->sys->pair[p].i];
            const double *block = ch->pair_value[which] + ch->pair0[p];
            for (int c = 0; c < fj->nv; ++c) {
                memcpy(ch->given + fi->v + c * ev->nv, block + c * fi->nv, (size_t)fi->nv * sizeof(double));
            }
        }
    }
}

/* Likewise of a link matrix: of blocks with equations of positions (DAL_ROWS_POSITION), with laws (DAL_ROWS_LAW), of all but laws. */
static void link_columns(checker *ch, int which, int j, dal_row_kind of)
{
    const dal_eval *ev = ch->ev;
    const dal_factor *fj = &ev->G->factor[j];
    memset(ch->given, 0, (size_t)(ev->nc * fj->nv) * sizeof(double));
    for (int l = 0; l < ev->sys->nlinks; ++l) {
        const int c = ev->sys->link[l].c, nr = ev->sys->constraint[c].nrows;
        const dal_constraint *block = &ev->sys->constraint[c];
        const int laws = block->kind == DAL_ROWS_LAW;
        if (ev->sys->link[l].j == j &&
            (of == DAL_ROWS_POSITION ? dal_holds_positions(block) : (of == DAL_ROWS_LAW) == laws)) {
            const double *X = ch->link_value[which] + ev->captured0[l];
            for (int k = 0; k < fj->nv; ++k) {
                memcpy(ch->given + ev->row0[c] + k * ev->nc, X + k * nr, (size_t)nr * sizeof(double));
            }
        }
    }
}

/* Columns of B^T + G for constraint block c. */
static void force_columns(checker *ch, int c)
{
    const dal_eval *ev = ch->ev;
    const int nr = ev->sys->constraint[c].nrows;
    memset(ch->given, 0, (size_t)(ev->nv * nr) * sizeof(double));
    for (int l = 0; l < ev->sys->nlinks; ++l) {
        if (ev->sys->link[l].c == c) {
            const dal_factor *fj = &ev->G->factor[ev->sys->link[l].j];
            const double *B = ch->link_value[B_] + ev->captured0[l], *G = ch->link_value[G_] + ev->captured0[l];
            for (int r = 0; r < nr; ++r) {
                for (int i = 0; i < fj->nv; ++i) {
                    ch->given[fj->v + i + r * ev->nv] = B[r + i * nr] + G[i + r * fj->nv];
                }
            }
        }
    }
}

/* Columns of dlaw/dlambda for constraint block d, zero where no couple was announced. */
static void couple_columns(checker *ch, int d)
{
    const dal_eval *ev = ch->ev;
    const int n = ev->sys->constraint[d].nrows;
    memset(ch->given, 0, (size_t)(ev->nc * n) * sizeof(double));
    for (int k = 0; k < ev->sys->ncouples; ++k) {
        if (ev->sys->couple[k].d == d) {
            const int c = ev->sys->couple[k].c, nr = ev->sys->constraint[c].nrows;
            for (int i = 0; i < n; ++i) {
                memcpy(ch->given + ev->row0[c] + i * ev->nc, ch->couple_value + ch->couple0[k] + i * nr,
                       (size_t)nr * sizeof(double));
            }
        }
    }
}

/* (CS.9) */
static dal_status compare_laws(checker *ch)
{
    const dal_eval *ev = ch->ev;
    for (int j = 0; j < ev->G->nfactors; ++j) {
        const int first = ev->G->factor[j].v, n = ev->G->factor[j].nv;
        link_columns(ch, LQ_, j, DAL_ROWS_LAW);
        DAL_TRY(compare(ch, "L (from q)", DIFF_LAW, DIFF_WRT_Q, first, n));
        link_columns(ch, LV_, j, DAL_ROWS_LAW);
        DAL_TRY(compare(ch, "L (from v)", DIFF_LAW, DIFF_WRT_V, first, n));
    }
    for (int d = 0; d < ev->sys->nconstraints; ++d) {
        couple_columns(ch, d);
        DAL_TRY(compare(ch, "F (from lambda)", DIFF_LAW, DIFF_WRT_LAMBDA, ev->row0[d], ev->sys->constraint[d].nrows));
    }
    return DAL_OK;
}

static dal_status compare_all(checker *ch)
{
    dal_eval *ev = ch->ev;
    const unsigned provides = ev->sys->provides;
    for (int j = 0; j < ev->G->nfactors; ++j) {
        const int first = ev->G->factor[j].v, n = ev->G->factor[j].nv;
        pair_columns(ch, M_, j);
        DAL_TRY(compare(ch, "M", DIFF_R, DIFF_WRT_VD, first, n));
        if (provides & DAL_WANT_C) {
            pair_columns(ch, C_, j);
            DAL_TRY(compare(ch, "C", DIFF_R, DIFF_WRT_V, first, n));
        }
        if (provides & DAL_WANT_K) {
            pair_columns(ch, K_, j);
            DAL_TRY(compare(ch, "K", DIFF_R, DIFF_WRT_Q, first, n));
        }
        if (ev->nc > 0) {
            link_columns(ch, B_, j, DAL_ROWS_POSITION);
            DAL_TRY(compare(ch, "B (from Phi)", DIFF_PHI, DIFF_WRT_Q, first, n));
            link_columns(ch, B_, j, DAL_ROWS_VELOCITY);
            DAL_TRY(compare(ch, "B (from B v + Phi_t)", DIFF_VEL, DIFF_WRT_V, first, n));
            DAL_TRY(compare(ch, "B (from the acceleration level)", DIFF_ACC, DIFF_WRT_VD, first, n));
        }
        if (provides & DAL_WANT_Z) {
            link_columns(ch, Z_, j, DAL_ROWS_VELOCITY);
            DAL_TRY(compare(ch, "Z", DIFF_VEL, DIFF_WRT_Q, first, n));
        }
        if (ev->nc > 0 && (provides & DAL_WANT_A)) {
            link_columns(ch, AQ_, j, DAL_ROWS_VELOCITY);
            DAL_TRY(compare(ch, "A (from q)", DIFF_ACC, DIFF_WRT_Q, first, n));
            link_columns(ch, AV_, j, DAL_ROWS_VELOCITY);
            DAL_TRY(compare(ch, "A (from v)", DIFF_ACC, DIFF_WRT_V, first, n));
        }
    }
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        if (!ev->sys->lambda_in_g || (provides & DAL_WANT_G)) {
            force_columns(ch, c);
            DAL_TRY(compare(ch, "B^T + G", DIFF_R, DIFF_WRT_LAMBDA, ev->row0[c], ev->sys->constraint[c].nrows));
        }
    }
    return ev->nlaws > 0 && (provides & DAL_WANT_L) ? compare_laws(ch) : DAL_OK;
}

/* Keep the worst entry of the rates. */
static void note_rate(checker *ch, const char *what, int row, double given, double difference, double noise)
{
    const double error = (fabs(given - difference) - noise) / (1.0 + fabs(difference));
    if (error > ch->report->error || isnan(error)) {
        dal_tangent_report *rep = ch->report;
        rep->error = error;
        rep->given = given;
        rep->difference = difference;
        snprintf(rep->what, sizeof rep->what, "%s", what);
        dal_eval_row_name(ch->ev, rep->row, sizeof rep->row, row);
        snprintf(rep->column, sizeof rep->column, "t");
    }
}

/* d/dt of Phi (level 0) or of B v + Phi_t (level 1) over +-dt along q o exp(dt v), v + dt v'. */
static dal_status rate(checker *ch, double *d, int level, double dt)
{
    dal_eval *ev = ch->ev;
    const dal_point *at = ch->at;
    double *value = ev->fp;
    memset(d, 0, (size_t)ev->nc * sizeof(double));
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < ev->nv; ++i) {
            ev->theta[i] = side * dt * at->v[i];
            ev->x[i] = at->v[i] + side * dt * at->vd[i];
        }
        dal_retract(ev->G, ev->q, at->q, ev->theta);
        const dal_point p = {at->t + side * dt, ev->q, ev->x, at->vd, at->la};
        memset(value, 0, (size_t)ev->nc * sizeof(double));
        const dal_residual want = level == 0 ? (dal_residual){.Phi = value} : (dal_residual){.vel = value};
        DAL_TRY(dal_eval_residual(ev, &want, &p));
        for (int i = 0; i < ev->nc; ++i) {
            d[i] += side * value[i] / (2.0 * dt);
        }
    }
    return DAL_OK;
}

/* Phi_t and the acceleration level against differences along the motion. */
static dal_status compare_rates(checker *ch)
{
    dal_eval *ev = ch->ev;
    double vmax = 1.0;
    for (int c = 0; c < ev->sys->nconstraints; ++c) {
        if (ev->sys->constraint[c].kind == DAL_ROWS_TEXTBOOK) {
            return DAL_OK; // the motion of the point need not keep its rows
        }
    }
    for (int i = 0; i < ev->nv; ++i) {
        const double v = ch->at->v[i] * ev->per_unit[i], vd = ch->at->vd[i] * ev->per_unit[i];
        vmax = fmax(vmax, fmax(fabs(v), sqrt(fabs(vd))));
    }
    for (int level = 0; level < 2 && ev->nc > 0; ++level) {
        DAL_TRY(rate(ch, ch->fine, level, 6e-6 / vmax));
        DAL_TRY(rate(ch, ch->coarse, level, 2.4e-5 / vmax));
        const dal_residual want = level == 0 ? (dal_residual){.vel = ch->given} : (dal_residual){.acc = ch->given};
        DAL_TRY(dal_eval_residual(ev, &want, ch->at));
        for (int c = 0; c < ev->sys->nconstraints; ++c) {
            if (level == 0 && !dal_holds_positions(&ev->sys->constraint[c])) {
                continue;
            }
            for (int i = ev->row0[c]; i < ev->row0[c + 1]; ++i) {
                note_rate(ch, level == 0 ? "B v + Phi_t (from Phi)" : "acceleration level (from B v + Phi_t)", i,
                          ch->given[i], ch->fine[i], fabs(ch->fine[i] - ch->coarse[i]));
            }
        }
    }
    return DAL_OK;
}

static dal_status run_check(checker *ch)
{
    const dal_eval *ev = ch->ev;
    for (int p = 0; p < ev->sys->npairs; ++p) {
        const dal_pair pair = ev->sys->pair[p];
        ch->pair0[p + 1] = ch->pair0[p] + ev->G->factor[pair.i].nv * ev->G->factor[pair.j].nv;
    }
    for (int k = 0; k < ev->sys->ncouples; ++k) {
        const dal_couple of = ev->sys->couple[k];
        ch->couple0[k + 1] = ch->couple0[k] + ev->sys->constraint[of.c].nrows * ev->sys->constraint[of.d].nrows;
    }
    // the system's own tangents: nothing differenced in between
    ch->sink = dal_sink_ignoring(ev->sys->provides);
    ch->sink.pair = take_pair;
    ch->sink.link = take_link;
    ch->sink.link_acc = take_acc;
    ch->sink.link_force = take_force;
    ch->sink.link_law = take_law;
    ch->sink.couple = take_couple;
    DAL_TRY(dal_eval_tangent(ch->ev, &ch->sink, ch->at));
    dal_point free = *ch->at; // without reactions
    memset(ev->x, 0, (size_t)(ev->nc > ev->nv ? ev->nc : ev->nv) * sizeof(double));
    free.la = ev->x;
    for (int k = 0; k < 2; ++k) {
        DAL_TRY(dal_diff_value(ch->ev, ch->value, DIFF_R, k == 0 ? &free : ch->at));
        ch->load = fmax(ch->load, dal_max_product(ch->value, ev->unit, ev->nv));
    }
    DAL_TRY(compare_all(ch));
    return compare_rates(ch);
}

/* A matrix M that the residual has, too, is still no mass matrix if it is not symmetric and positive semidefinite. */
static dal_status check_mass(checker *ch, double tol)
{
    dal_eval *ev = ch->ev;
    dal_tangent_report *rep = ch->report;
    dal_mass_fault asymmetry, negative;
    DAL_TRY(dal_mass_check(ev->ctx, &asymmetry, &negative, ev, ch->pair0, ch->pair_value[M_]));
    const int skew = asymmetry.row >= 0 && asymmetry.error > tol;
    const dal_mass_fault *fault = skew ? &asymmetry : &negative;
    if (fault->row < 0) {
        return DAL_OK;
    }
    *rep = (dal_tangent_report){.error = fault->error, .given = fault->given, .difference = fault->other};
    snprintf(rep->what, sizeof rep->what, skew ? "M (symmetry)" : "M (positive semidefinite)");
    dal_eval_velocity_name(ev, rep->row, sizeof rep->row, fault->row);
    dal_eval_velocity_name(ev, rep->column, sizeof rep->column, fault->column);
    if (skew) {
        return dal_fail(ev->ctx, DAL_ECHECK, "M is not symmetric: entry (%s, %s) is %.10g, entry (%s, %s) is %.10g",
                        rep->row, rep->column, rep->given, rep->column, rep->row, rep->difference);
    }
    return dal_fail(
        ev->ctx, DAL_ECHECK,
        "M is not positive semidefinite: there is motion of %s, perhaps with others before it, whose "
        "kinetic energy is negative (diagonal entry %.10g). A flexible body with stiffening must deform less or "
        "have fewer modes; else masses or inertias are wrong",
        rep->row, rep->given);
}

/* begun: as in a run, where a delay, say, has a past, which does not change with the state. */
static dal_status check_once(dal_ctx *ctx, const dal_system *sys, dal_tangent_report *report, const dal_point *at,
                             double tol, int begun)
{
    checker ch = {.at = at, .report = report};
    *report = (dal_tangent_report){0};
    DAL_TRY(dal_eval_create_with(&ch.ev, ctx, sys, NULL, 1));
    ch.arena = dal_arena_init(ctx);
    carve(&ch, &ch.arena);
    dal_status st = dal_arena_reserve(&ch.arena);
    st = st == DAL_OK && begun ? dal_data_accept(ch.ev->data, at, DAL_MOMENT_START) : st;
    if (st == DAL_OK) {
        carve(&ch, &ch.arena);
        st = run_check(&ch);
    }
    if (st == DAL_OK && !(report->error <= tol)) {
        st = dal_fail(ctx, DAL_ECHECK, "%s, entry (%s, %s): %.10g given, %.10g by differences (error %.2e > %.2e)",
                      report->what, report->row, report->column, report->given, report->difference, report->error, tol);
    } else if (st == DAL_OK) {
        st = check_mass(&ch, tol);
    }
    dal_arena_release(&ch.arena);
    dal_eval_destroy(ch.ev);
    return st;
}

dal_status dal_system_check(dal_ctx *ctx, const dal_system *sys, dal_tangent_report *report, const dal_point *at,
                            double tol)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED_POINT(ctx, at, sys);
    DAL_TRY(dal_system_validate(ctx, sys));
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", at->t, at->q, at->v));
    dal_tangent_report local, *out = report ? report : &local;
    dal_status st = check_once(ctx, sys, out, at, tol, 0);
    if (st == DAL_ECHECK && sys->life.accept) {
        dal_ctx_clear(ctx);
        st = check_once(ctx, sys, out, at, tol, 1);
        if (st != DAL_OK) { // the first time tells
            dal_ctx_clear(ctx);
            st = check_once(ctx, sys, out, at, tol, 0);
        }
    }
    return st;
}
