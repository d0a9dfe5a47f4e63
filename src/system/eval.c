/* Evaluation with checks, and the substitution of missing tangents. */
#include "system/eval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/vector.h"
#include "system/eval_impl.h"
#include "system/mask.h"

static void carve(dal_eval *ev, dal_arena *arena)
{
    const dal_system *sys = ev->sys;
    const int nmax = ev->nv > ev->nc ? ev->nv : ev->nc;
    int max_block = ev->G->max_nv;
    for (int c = 0; c < sys->nconstraints; ++c) {
        max_block = sys->constraint[c].nrows > max_block ? sys->constraint[c].nrows : max_block;
    }
    int ncaptured = 0;
    for (int l = 0; l < sys->nlinks; ++l) {
        ncaptured += sys->constraint[sys->link[l].c].nrows * ev->G->factor[sys->link[l].j].nv;
    }
    ev->unit = dal_arena_reals(arena, ev->nv);
    ev->per_unit = dal_arena_reals(arena, ev->nv);
    ev->row0 = dal_arena_ints(arena, sys->nconstraints + 1);
    ev->captured0 = dal_arena_ints(arena, sys->nlinks + 1);
    if (ev->differences) {
        ev->q = dal_arena_reals(arena, ev->nq);
        ev->theta = dal_arena_reals(arena, ev->nv);
        ev->x = dal_arena_reals(arena, nmax);
        ev->fp = dal_arena_reals(arena, nmax);
        ev->fm = dal_arena_reals(arena, nmax);
        ev->columns = dal_arena_reals(arena, nmax * max_block);
        ev->columns2 = dal_arena_reals(arena, nmax * max_block);
        ev->block = dal_arena_reals(arena, max_block * max_block);
        ev->captured = dal_arena_reals(arena, ncaptured);
    }
}

static dal_status set_up(dal_eval *ev, dal_data *data)
{
    ev->data = data;
    if (!data) {
        DAL_TRY(dal_data_create(&ev->own, ev->ctx, ev->sys));
        ev->data = ev->own;
    }
    carve(ev, &ev->arena);
    DAL_TRY(dal_arena_reserve(&ev->arena));
    carve(ev, &ev->arena);
    return DAL_OK;
}

dal_status dal_eval_create_with(dal_eval **out, dal_ctx *ctx, const dal_system *sys, dal_data *data, int differences)
{
    *out = NULL;
    DAL_TRY(dal_system_validate(ctx, sys));
    dal_eval *ev = dal_alloc_zero(ctx, sizeof *ev);
    if (!ev) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory to evaluate the system");
    }
    ev->ctx = ctx;
    ev->sys = sys;
    ev->G = sys->group;
    ev->nq = sys->group->nq;
    ev->nv = sys->group->nv;
    ev->nc = dal_system_rows(sys);
    unsigned needed = DAL_WANT_C | DAL_WANT_K;
    needed |= ev->nc > 0 ? (unsigned)(DAL_WANT_Z | DAL_WANT_A) : 0U;
    needed |= sys->lambda_in_g ? (unsigned)DAL_WANT_G : 0U;
    needed |= sys->ncouples > 0 ? (unsigned)DAL_WANT_L : 0U;
    ev->missing = needed & ~sys->provides;
    ev->differences = differences || ev->missing != 0;
    ev->arena = dal_arena_init(ctx);
    const dal_status st = set_up(ev, data);
    if (st != DAL_OK) {
        dal_eval_destroy(ev);
        return st;
    }
    dal_eval_units(ev);
    for (int c = 0; c < sys->nconstraints; ++c) {
        ev->row0[c + 1] = ev->row0[c] + sys->constraint[c].nrows;
        ev->nh += dal_holds_positions(&sys->constraint[c]) ? sys->constraint[c].nrows : 0;
        ev->nlaws += sys->constraint[c].kind == DAL_ROWS_LAW ? sys->constraint[c].nrows : 0;
    }
    ev->iterates = sys->lambda_in_g || ev->nlaws > 0;
    for (int l = 0; l < sys->nlinks; ++l) {
        const int size = sys->constraint[sys->link[l].c].nrows * ev->G->factor[sys->link[l].j].nv;
        ev->captured0[l + 1] = ev->captured0[l] + size;
    }
    *out = ev;
    return DAL_OK;
}

void dal_eval_units(dal_eval *ev)
{
    const double *held = ev->data->units;
    const double length = held                       ? held[ev->nv]
                          : ev->sys->equations.units ? ev->sys->equations.units(ev->unit, ev->sys->user, ev->data->work)
                                                     : 1.0;
    if (held) {
        memcpy(ev->unit, held, (size_t)ev->nv * sizeof *held);
    }
    ev->length = length > 0.0 && isfinite(length) ? length : 1.0;
    for (int i = 0; i < ev->nv; ++i) {
        ev->unit[i] = ev->sys->equations.units && ev->unit[i] > 0.0 && isfinite(ev->unit[i]) ? ev->unit[i] : 1.0;
        ev->per_unit[i] = 1.0 / ev->unit[i];
    }
}

dal_status dal_eval_create(dal_eval **out, dal_ctx *ctx, const dal_system *sys, dal_data *data)
{
    return dal_eval_create_with(out, ctx, sys, data, 0);
}

void dal_eval_destroy(dal_eval *ev)
{
    if (ev) {
        dal_arena_release(&ev->arena);
        dal_data_destroy(ev->own);
        dal_free(ev->ctx, ev);
    }
}

void dal_eval_row_name(const dal_eval *ev, char *buffer, size_t size, int row)
{
    if (ev->sys->names.row) {
        ev->sys->names.row(buffer, size, dal_mask_row(ev->sys, row), ev->sys->user);
    } else {
        snprintf(buffer, size, "row %d", dal_mask_row(ev->sys, row));
    }
}

void dal_eval_row_names(const dal_eval *ev, char *buffer, size_t size, const int *row, int n)
{
    enum { ROOM = 120 }; // for one more name and the closing words
    size_t used = 0;
    if (size > 0) {
        buffer[0] = '\0';
    }
    for (int i = 0; i < n; ++i) {
        if (used + ROOM > size) {
            snprintf(buffer + used, size - used, " and %d more", n - i);
            return;
        }
        char name[96];
        dal_eval_row_name(ev, name, sizeof name, row[i]);
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", name);
    }
}

void dal_eval_velocity_name(const dal_eval *ev, char *buffer, size_t size, int index)
{
    if (ev->sys->names.velocity) {
        ev->sys->names.velocity(buffer, size, index, ev->sys->user);
    } else {
        snprintf(buffer, size, "v[%d]", index);
    }
}

int dal_eval_coordinates_fail(const dal_eval *ev, char *buffer, size_t size, const double *q, double limit)
{
    if (!ev->sys->names.coordinates || ev->sys->names.coordinates(buffer, size, q, ev->sys->user) >= limit) {
        buffer[0] = '\0';
    }
    return buffer[0] != '\0';
}

/* ---- residual --------------------------------------------------------------------------------- */

static int all_finite(const double *x, int n)
{
    return dal_not_finite(x, n) == 0.0;
}

/* The first of x[first] .. x[first+n-1] that is not finite. */
static dal_status bad_value(dal_eval *ev, const char *what, const double *x, int first, int n, int rows,
                            const dal_point *at)
{
    int i = first;
    while (i < first + n - 1 && isfinite(x[i])) {
        ++i;
    }
    char name[96], culprit[400];
    dal_data_forget(ev->data);
    if (rows) {
        dal_eval_row_name(ev, name, sizeof name, i);
    } else {
        dal_eval_velocity_name(ev, name, sizeof name, i);
    }
    dal_point room;
    const dal_point *seen = dal_mask_point(ev->sys, ev->data, &room, at);
    if (ev->sys->names.culprit &&
        ev->sys->names.culprit(culprit, sizeof culprit, seen, ev->sys->user, ev->data->work)) {
        return dal_fail(ev->ctx, DAL_ECALLBACK, "%s; seen in %s, entry %d (%s), at t = %.9g", culprit, what, i, name,
                        at->t);
    }
    return dal_fail(ev->ctx, DAL_ECALLBACK, "callback residual returned %g for %s, entry %d (%s), at t = %.9g", x[i],
                    what, i, name, at->t);
}

static dal_status callback_failed(dal_eval *ev, dal_status st, const char *callback, double t)
{
    dal_data_forget(ev->data);
    // the callback may have told why: see dal_message_listen
    if (dal_ctx_status(ev->ctx) == st) {
        return dal_fail_in(ev->ctx, st, "callback %s at t = %.9g", callback, t);
    }
    return dal_fail(ev->ctx, st, "callback %s failed at t = %.9g (%s)", callback, t, dal_status_text(st));
}

/* vel at other velocities than the rest, of a system that has to be asked twice. */
static dal_status ask_twice(dal_eval *ev, const dal_residual *out, const dal_point *at)
{
    const dal_point apart = {at->t, at->q, out->w, at->vd, at->la};
    DAL_TRY(dal_eval_residual_unchecked(ev, &(dal_residual){.r = out->r, .Phi = out->Phi}, at));
    return dal_eval_residual_unchecked(ev, &(dal_residual){.vel = out->vel}, &apart);
}

/* Laws hold nothing. */
static void forget_laws(const dal_eval *ev, const dal_residual *out)
{
    double *const rows[] = {out->Phi, out->vel, out->acc};
    for (int k = 0; k < 3; ++k) {
        if (rows[k]) {
            dal_zero(rows[k] + ev->nc - ev->nlaws, ev->nlaws);
        }
    }
}

dal_status dal_eval_residual_unchecked(dal_eval *ev, const dal_residual *out, const dal_point *at)
{
    if (out->w && !ev->sys->vel_apart) {
        return ask_twice(ev, out, at);
    }
    ev->nresiduals++;
    if (ev->nlaws > 0) {
        forget_laws(ev, out);
    }
    const dal_status before = dal_message_listen(ev->ctx);
    const dal_status st = dal_mask_residual(ev->sys, ev->data, out, at);
    if (st != DAL_OK) {
        return callback_failed(ev, st, "residual", at->t);
    }
    dal_message_heard(ev->ctx, before);
    return DAL_OK;
}

/* Which entry of what is not finite? */
static dal_status find_bad_value(dal_eval *ev, const dal_residual *out, const dal_point *at)
{
    if (out->r && !all_finite(out->r, ev->nv)) {
        return bad_value(ev, "M v' + g + B^T lambda", out->r, 0, ev->nv, 0, at);
    }
    for (int c = 0; out->Phi && c < ev->sys->nconstraints; ++c) {
        const int row = ev->row0[c], n = ev->row0[c + 1] - row;
        if (dal_holds_positions(&ev->sys->constraint[c]) && !all_finite(out->Phi + row, n)) {
            return bad_value(ev, "Phi", out->Phi, row, n, 1, at);
        }
    }
    if (out->vel && !all_finite(out->vel, ev->nc)) {
        return bad_value(ev, "B v + Phi_t", out->vel, 0, ev->nc, 1, at);
    }
    if (out->acc && !all_finite(out->acc, ev->nc)) {
        return bad_value(ev, "the acceleration-level constraint", out->acc, 0, ev->nc, 1, at);
    }
    const int first = ev->nc - ev->nlaws;
    if (out->law && ev->nlaws > 0 && !all_finite(out->law + first, ev->nlaws)) {
        return bad_value(ev, "the laws", out->law, first, ev->nlaws, 1, at);
    }
    return DAL_OK;
}

dal_status dal_eval_residual(dal_eval *ev, const dal_residual *out, const dal_point *at)
{
    DAL_TRY(dal_eval_residual_unchecked(ev, out, at));
    double sum = 0.0;
    if (out->r) {
        sum += dal_not_finite(out->r, ev->nv);
    }
    if (out->Phi && ev->nh == ev->nc) {
        sum += dal_not_finite(out->Phi, ev->nc);
    } else if (out->Phi) {
        sum = NAN; // rows of (CS.4) are left alone
    }
    if (out->vel) {
        sum += dal_not_finite(out->vel, ev->nc);
    }
    if (out->acc) {
        sum += dal_not_finite(out->acc, ev->nc);
    }
    if (out->law) {
        sum += dal_not_finite(out->law + ev->nc - ev->nlaws, ev->nlaws);
    }
    return sum == 0.0 ? DAL_OK : find_bad_value(ev, out, at);
}

dal_status dal_eval_acceleration(dal_eval *ev, double *x, const dal_point *at)
{
    double *rows = ev->nc > 0 ? x + ev->nv : NULL;
    DAL_TRY(dal_eval_residual(ev, &(dal_residual){.r = x, .acc = rows}, at));
    return ev->nlaws > 0 ? dal_eval_residual(ev, &(dal_residual){.law = rows}, at) : DAL_OK;
}

/* ---- tangents --------------------------------------------------------------------------------- */

static dal_status push_pairs(dal_eval *ev, dal_sink *sink, int K, const dal_point *at)
{
    const dal_system *sys = ev->sys;
    for (int j = 0; j < ev->G->nfactors; ++j) {
        const dal_factor *fj = &ev->G->factor[j];
        DAL_TRY(dal_diff_columns(ev, ev->columns, DIFF_R, K ? DIFF_WRT_Q : DIFF_WRT_V, fj->v, fj->nv, 1.0, at));
        for (int p = 0; p < sys->npairs; ++p) {
            if (sys->pair[p].j == j) {
                const dal_factor *fi = &ev->G->factor[sys->pair[p].i];
                dal_diff_extract(ev->block, ev->columns, ev->nv, fi->v, fi->nv, fj->nv);
                sink->pair(sink, p, NULL, K ? NULL : ev->block, K ? ev->block : NULL);
            }
        }
    }
    return DAL_OK;
}

static dal_status push_links(dal_eval *ev, dal_sink *sink, diff_value value, diff_wrt wrt, const dal_point *at)
{
    const dal_system *sys = ev->sys;
    for (int j = 0; j < ev->G->nfactors; ++j) {
        const dal_factor *fj = &ev->G->factor[j];
        DAL_TRY(dal_diff_columns(ev, ev->columns, value, wrt, fj->v, fj->nv, 1.0, at));
        for (int l = 0; l < sys->nlinks; ++l) {
            if (sys->link[l].j != j || (sys->constraint[sys->link[l].c].kind == DAL_ROWS_LAW) != (value == DIFF_LAW)) {
                continue;
            }
            const int c = sys->link[l].c;
            dal_diff_extract(ev->block, ev->columns, ev->nc, ev->row0[c], sys->constraint[c].nrows, fj->nv);
            if (value == DIFF_VEL) {
                sink->link(sink, l, NULL, ev->block);
            } else {
                (value == DIFF_LAW ? sink->link_law : sink->link_acc)(sink, l, wrt == DIFF_WRT_Q ? ev->block : NULL,
                                                                      wrt == DIFF_WRT_Q ? NULL : ev->block);
            }
        }
    }
    return DAL_OK;
}

static dal_status push_couples(dal_eval *ev, dal_sink *sink, const dal_point *at)
{
    for (int k = 0; k < ev->sys->ncouples; ++k) {
        const int c = ev->sys->couple[k].c, d = ev->sys->couple[k].d, n = ev->sys->constraint[d].nrows;
        DAL_TRY(dal_diff_columns(ev, ev->columns, DIFF_LAW, DIFF_WRT_LAMBDA, ev->row0[d], n, 1.0, at));
        dal_diff_extract(ev->block, ev->columns, ev->nc, ev->row0[c], ev->sys->constraint[c].nrows, n);
        sink->couple(sink, k, ev->block);
    }
    return DAL_OK;
}

/* G = dr/dlambda - B^T, B as the system has just pushed it. */
static dal_status push_force(dal_eval *ev, dal_sink *sink, const dal_point *at)
{
    const dal_system *sys = ev->sys;
    for (int l = 0; l < sys->nlinks; ++l) {
        const int c = sys->link[l].c, nr = sys->constraint[c].nrows;
        const dal_factor *fj = &ev->G->factor[sys->link[l].j];
        DAL_TRY(dal_diff_columns(ev, ev->columns, DIFF_R, DIFF_WRT_LAMBDA, ev->row0[c], nr, 1.0, at));
        dal_diff_extract(ev->block, ev->columns, ev->nv, fj->v, fj->nv, nr);
        const double *B = ev->captured + ev->captured0[l];
        for (int r = 0; r < nr; ++r) {
            for (int i = 0; i < fj->nv; ++i) {
                ev->block[i + r * fj->nv] -= B[r + i * nr];
            }
        }
        sink->link_force(sink, l, ev->block);
    }
    return DAL_OK;
}

/* Passes everything on and keeps a copy of B. */
typedef struct capture_sink {
    dal_sink base;
    dal_sink *to;
    dal_eval *ev;
} capture_sink;

static void capture_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_sink *to = ((capture_sink *)sink)->to;
    to->pair(to, pair, M, C, K);
}

static void capture_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    const capture_sink *self = (capture_sink *)sink;
    dal_eval *ev = self->ev;
    for (int k = ev->captured0[link]; B && k < ev->captured0[link + 1]; ++k) {
        ev->captured[k] += B[k - ev->captured0[link]];
    }
    self->to->link(self->to, link, B, Z);
}

static void capture_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    dal_sink *to = ((capture_sink *)sink)->to;
    to->link_acc(to, link, Aq, Av);
}

static void capture_force(dal_sink *sink, int link, const double *G)
{
    dal_sink *to = ((capture_sink *)sink)->to;
    to->link_force(to, link, G);
}

static void capture_law(dal_sink *sink, int link, const double *Lq, const double *Lv)
{
    dal_sink *to = ((capture_sink *)sink)->to;
    to->link_law(to, link, Lq, Lv);
}

static void capture_couple(dal_sink *sink, int couple, const double *F)
{
    dal_sink *to = ((capture_sink *)sink)->to;
    to->couple(to, couple, F);
}

/* What the system itself pushes. */
static dal_status tangent_of_system(dal_eval *ev, dal_sink *sink, const dal_point *at)
{
    const dal_status before = dal_message_listen(ev->ctx);
    const dal_status st = dal_mask_tangent(ev->sys, ev->data, sink, at);
    if (st != DAL_OK) {
        return callback_failed(ev, st, "tangent", at->t);
    }
    dal_message_heard(ev->ctx, before);
    return DAL_OK;
}

/* The same, and `absent` by differences. */
static dal_status completed_tangent(dal_eval *ev, dal_sink *sink, unsigned absent, const dal_point *at)
{
    capture_sink capture = {
        .base = {sink->wants, capture_pair, capture_link, capture_acc, capture_force, capture_law, capture_couple},
        .to = sink,
        .ev = ev};
    const int capturing = (absent & DAL_WANT_G) != 0;
    if (capturing) {
        capture.base.wants |= DAL_WANT_B;
        memset(ev->captured, 0, (size_t)ev->captured0[ev->sys->nlinks] * sizeof(double));
    }
    DAL_TRY(tangent_of_system(ev, capturing ? &capture.base : sink, at));
    if (absent & DAL_WANT_K) {
        DAL_TRY(push_pairs(ev, sink, 1, at));
    }
    if (absent & DAL_WANT_C) {
        DAL_TRY(push_pairs(ev, sink, 0, at));
    }
    if (absent & DAL_WANT_Z) {
        DAL_TRY(push_links(ev, sink, DIFF_VEL, DIFF_WRT_Q, at));
    }
    if (absent & DAL_WANT_A) {
        DAL_TRY(push_links(ev, sink, DIFF_ACC, DIFF_WRT_Q, at));
        DAL_TRY(push_links(ev, sink, DIFF_ACC, DIFF_WRT_V, at));
    }
    if (absent & DAL_WANT_L) {
        DAL_TRY(push_links(ev, sink, DIFF_LAW, DIFF_WRT_Q, at));
        DAL_TRY(push_links(ev, sink, DIFF_LAW, DIFF_WRT_V, at));
        DAL_TRY(push_couples(ev, sink, at));
    }
    return capturing ? push_force(ev, sink, at) : DAL_OK;
}

dal_status dal_eval_tangent(dal_eval *ev, dal_sink *sink, const dal_point *at)
{
    const unsigned absent = sink->wants & ev->missing;
    return absent ? completed_tangent(ev, sink, absent, at) : tangent_of_system(ev, sink, at);
}

/* The largest entry of d that is not in taken (n of them); entries that differ by rounding count as equal, the first wins.
 * -1: none above a tenth of the largest. */
static int next_largest(const double *d, int nv, const int *taken, int n)
{
    int best = -1;
    for (int i = 0; i < nv; ++i) {
        int is_new = n == 0 || fabs(d[i]) > 0.1 * fabs(d[taken[0]]);
        for (int k = 0; k < n; ++k) {
            is_new = is_new && taken[k] != i;
        }
        if (is_new && fabs(d[i]) > (best < 0 ? 0.0 : (1.0 + 1e-6) * fabs(d[best]))) {
            best = i;
        }
    }
    return best;
}

void dal_eval_direction_name(const dal_eval *ev, char *buffer, size_t size, const double *d)
{
    int taken[3];
    size_t used = 0;
    buffer[0] = '\0';
    for (int n = 0; n < 3 && used < size; ++n) {
        taken[n] = next_largest(d, ev->nv, taken, n);
        if (taken[n] < 0) {
            break;
        }
        char name[64];
        dal_eval_velocity_name(ev, name, sizeof name, taken[n]);
        used += (size_t)(n > 0 ? snprintf(buffer + used, size - used, ", %s (%.2g)", name, d[taken[n]] / d[taken[0]])
                               : snprintf(buffer, size, "%s", name));
    }
}
