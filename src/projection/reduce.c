/* The system without its dependent rows: a dal_system that asks the whole one and passes on what was kept. */
#include "base/message.h"
#include "projection/reduce_impl.h"

#include "base/vector.h"
#include "system/data.h"

/* ---- evaluation ------------------------------------------------------------------------------- */

static void gather(const dal_reduction *red, double *out, const double *full)
{
    for (int i = 0; out && i < red->nc; ++i) {
        out[i] = full[red->kept[i]];
    }
}

/* Work of the reduced system: that of the whole one and room for its rows. */
typedef struct reduced_work {
    dal_ctx *ctx;
    void *whole;
    int shared;                   /* `whole` belongs to somebody else */
    double *la, *Phi, *vel, *acc; /* nc of the whole system */
    double *block[2];
    dal_arena arena;
} reduced_work;

/* The point for the whole system: rows left out have multiplier zero. */
static dal_point whole_point(const dal_reduction *red, const reduced_work *w, const dal_point *at)
{
    dal_zero(w->la, red->nc_whole);
    for (int i = 0; i < red->nc; ++i) {
        w->la[red->kept[i]] = at->la[i];
    }
    return (dal_point){at->t, at->q, at->v, at->vd, w->la};
}

static dal_status reduced_residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    const dal_residual whole = {out->r, out->Phi ? w->Phi : NULL, out->vel ? w->vel : NULL, out->acc ? w->acc : NULL,
                                out->w};
    DAL_TRY(red->full->residual(&whole, &p, red->full->user, w->whole));
    gather(red, out->Phi, w->Phi);
    gather(red, out->vel, w->vel);
    gather(red, out->acc, w->acc);
    return DAL_OK;
}

typedef struct passing_sink {
    dal_sink base;
    const dal_reduction *red;
    const reduced_work *work;
    dal_sink *to;
} passing_sink;

/* Rows kept of a block nrows x n of constraint c; NULL stays NULL. */
static const double *kept_rows(const dal_reduction *red, double *block, const double *B, int c, int n)
{
    const int first = red->row0[c], nr = red->full->constraint[c].nrows;
    int k = 0;
    if (!B) {
        return NULL;
    }
    for (int j = 0; j < n; ++j) {
        for (int r = 0; r < nr; ++r) {
            if (red->number[first + r] >= 0) {
                block[k++] = B[r + j * nr];
            }
        }
    }
    return block;
}

static void pass_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_sink *to = ((passing_sink *)sink)->to;
    to->pair(to, pair, M, C, K);
}

/* Both kinds of row blocks of a link: (B, Z) and (Aq, Av). */
static void pass_rows(dal_sink *sink, int link, const double *X, const double *Y, int acceleration)
{
    const passing_sink *self = (passing_sink *)sink;
    const dal_reduction *red = self->red;
    const dal_link l = red->full->link[link];
    const int n = red->full->group->factor[l.j].nv, number = red->link_to[link];
    if (number < 0) {
        return;
    }
    const double *x = kept_rows(red, self->work->block[0], X, l.c, n),
                 *y = kept_rows(red, self->work->block[1], Y, l.c, n);
    if (acceleration) {
        self->to->link_acc(self->to, number, x, y);
    } else {
        self->to->link(self->to, number, x, y);
    }
}

static void pass_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    pass_rows(sink, link, B, Z, 0);
}

static void pass_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    pass_rows(sink, link, Aq, Av, 1);
}

static void pass_force(dal_sink *sink, int link, const double *G)
{
    const passing_sink *self = (passing_sink *)sink;
    const dal_reduction *red = self->red;
    const dal_link l = red->full->link[link];
    const int n = red->full->group->factor[l.j].nv, first = red->row0[l.c];
    double *block = self->work->block[0];
    for (int r = 0; r < red->full->constraint[l.c].nrows; ++r) {
        if (red->number[first + r] >= 0) {
            dal_copy(block, G + r * n, n);
            block += n;
        }
    }
    if (red->link_to[link] >= 0) {
        self->to->link_force(self->to, red->link_to[link], self->work->block[0]);
    }
}

static dal_status reduced_tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    passing_sink pass = {{sink->wants, pass_pair, pass_link, pass_acc, pass_force}, red, w, sink};
    return red->full->tangent(&pass.base, &p, red->full->user, w->whole);
}

static double reduced_energy(const dal_point *at, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    return red->full->energy(&p, red->full->user, w->whole);
}

static dal_status reduced_energies(double E[2], const dal_point *at, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    return red->full->energies(E, &p, red->full->user, w->whole);
}

static dal_status reduced_exchange(double P[2], const dal_point *at, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    return red->full->exchange(P, &p, red->full->user, w->whole);
}

static void reduced_row_name(char *buffer, size_t size, int row, const void *user)
{
    const dal_reduction *red = user;
    dal_eval_row_name(red->ev, buffer, size, red->kept[row]);
}

static void reduced_velocity_name(char *buffer, size_t size, int index, const void *user)
{
    const dal_reduction *red = user;
    dal_eval_velocity_name(red->ev, buffer, size, index);
}

static double reduced_coordinates(char *buffer, size_t size, const double *q, const void *user)
{
    const dal_reduction *red = user;
    return red->full->coordinates(buffer, size, q, red->full->user);
}

static int reduced_culprit(char *buffer, size_t size, const dal_point *at, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    return red->full->culprit(buffer, size, &p, red->full->user, w->whole);
}

static double reduced_units(double *unit, const void *user, void *work)
{
    const dal_reduction *red = user;
    return red->full->units(unit, red->full->user, ((const reduced_work *)work)->whole);
}

static void reduced_forget(const void *user, void *work)
{
    const dal_reduction *red = user;
    if (red->full->forget) {
        red->full->forget(red->full->user, ((const reduced_work *)work)->whole);
    }
}

static dal_status reduced_accept(const dal_point *at, dal_moment moment, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    return red->full->accept ? red->full->accept(&p, moment, red->full->user, w->whole) : DAL_OK;
}

static dal_status reduced_integrate(const dal_point *at, double weight, const void *user, void *work)
{
    const dal_reduction *red = user;
    const reduced_work *w = work;
    const dal_point p = whole_point(red, w, at);
    return red->full->integrate(&p, weight, red->full->user, w->whole);
}

static double reduced_next_break(double t, const void *user, void *work)
{
    const dal_reduction *red = user;
    return red->full->next_break(t, red->full->user, ((const reduced_work *)work)->whole);
}

static double reduced_next_kink(double t, int go_on, const void *user, void *work)
{
    const dal_reduction *red = user;
    return red->full->next_kink(t, go_on, red->full->user, ((const reduced_work *)work)->whole);
}

static int reduced_released(int row, double t, const void *user, void *work)
{
    const dal_reduction *red = user;
    return red->full->released(red->kept[row], t, red->full->user, ((const reduced_work *)work)->whole);
}

static int reduced_numbers(double *x, const void *user, void *work)
{
    const dal_reduction *red = user;
    return red->full->numbers(x, red->full->user, ((const reduced_work *)work)->whole);
}

static dal_status reduced_set_numbers(const double *x, int n, const void *user, void *work)
{
    const dal_reduction *red = user;
    return red->full->set_numbers(x, n, red->full->user, ((const reduced_work *)work)->whole);
}

static int reduced_is_state(int index, const void *user)
{
    const dal_reduction *red = user;
    return red->full->is_state(index, red->full->user);
}

static int reduced_is_place(int factor, const void *user)
{
    const dal_reduction *red = user;
    return red->full->is_place(factor, red->full->user);
}

/* ---- work ------------------------------------------------------------------------------------- */

static void carve_work(reduced_work *w, dal_arena *arena, const dal_reduction *red)
{
    double **rows[] = {&w->la, &w->Phi, &w->vel, &w->acc};
    for (int i = 0; i < 4; ++i) {
        *rows[i] = dal_arena_reals(arena, red->nc_whole);
    }
    w->block[0] = dal_arena_reals(arena, red->max_rows * red->full->group->max_nv);
    w->block[1] = dal_arena_reals(arena, red->max_rows * red->full->group->max_nv);
}

/* NULL when out of memory, with a message. */
static reduced_work *create_work(dal_ctx *ctx, const dal_reduction *red)
{
    reduced_work *w = dal_alloc_zero(ctx, sizeof *w);
    if (!w) {
        (void)dal_fail(ctx, DAL_ENOMEM, "no memory to evaluate a reduced system");
        return NULL;
    }
    w->ctx = ctx;
    w->arena = dal_arena_init(ctx);
    carve_work(w, &w->arena, red);
    if (dal_arena_reserve(&w->arena) != DAL_OK) {
        dal_free(ctx, w);
        return NULL;
    }
    carve_work(w, &w->arena, red);
    return w;
}

static void reduced_destroy(void *work, const void *user)
{
    const dal_reduction *red = user;
    reduced_work *w = work;
    if (red->full->destroy && !w->shared && w->whole) {
        red->full->destroy(w->whole, red->full->user);
    }
    dal_arena_release(&w->arena);
    dal_free(w->ctx, w);
}

static dal_status reduced_create(void **work, dal_ctx *ctx, double *memory, const void *user)
{
    const dal_reduction *red = user;
    reduced_work *w = create_work(ctx, red);
    if (!w) {
        return DAL_ENOMEM;
    }
    const dal_status st = red->full->create ? red->full->create(&w->whole, ctx, memory, red->full->user) : DAL_OK;
    if (st != DAL_OK) {
        reduced_destroy(w, red);
        return st;
    }
    *work = w;
    return DAL_OK;
}

dal_status dal_reduction_data(dal_data **reduced, const dal_reduction *red, dal_ctx *ctx, dal_data *whole)
{
    reduced_work *w = create_work(ctx, red);
    if (!w) {
        return DAL_ENOMEM;
    }
    w->whole = whole->work;
    w->shared = 1;
    const dal_status st = dal_data_wrap(reduced, ctx, &red->sys, w, whole->memory);
    if (st != DAL_OK) {
        reduced_destroy(w, red);
    }
    return st;
}

/* ---- creation --------------------------------------------------------------------------------- */

static void carve(dal_reduction *red, dal_arena *arena)
{
    const int nc = red->nc_whole;
    red->row0 = dal_arena_ints(arena, red->full->nconstraints + 1);
    red->dropped = dal_arena_ints(arena, nc);
    red->kept = dal_arena_ints(arena, nc);
    red->number = dal_arena_ints(arena, nc);
    red->block_to = dal_arena_ints(arena, red->full->nconstraints);
    red->link_to = dal_arena_ints(arena, red->full->nlinks);
    red->constraint = dal_arena_take(arena, (size_t)red->full->nconstraints, sizeof(dal_constraint));
    red->link = dal_arena_take(arena, (size_t)red->full->nlinks, sizeof(dal_link));
}

/* Numbers of the rows kept. */
static void number_rows(dal_reduction *red)
{
    for (int r = 0, d = 0; r < red->ev->nc; ++r) {
        const int gone = d < red->ndropped && red->dropped[d] == r;
        d += gone;
        red->number[r] = gone ? -1 : red->nc;
        if (!gone) {
            red->kept[red->nc++] = r;
        }
    }
}

/* The structure of the reduced system: blocks without rows and their links disappear. */
static void describe(dal_reduction *red)
{
    const dal_eval *ev = red->ev;
    const dal_system *full = red->full;
    dal_system *sys = &red->sys;
    *sys = *full;
    sys->nconstraints = sys->nlinks = 0;
    for (int c = 0; c < full->nconstraints; ++c) {
        int nrows = 0;
        for (int r = ev->row0[c]; r < ev->row0[c + 1]; ++r) {
            nrows += red->number[r] >= 0;
        }
        red->block_to[c] = nrows > 0 ? sys->nconstraints : -1;
        if (nrows > 0) {
            red->constraint[sys->nconstraints++] = (dal_constraint){nrows, full->constraint[c].nonholonomic};
        }
    }
    for (int l = 0; l < full->nlinks; ++l) {
        const int c = red->block_to[full->link[l].c];
        red->link_to[l] = c >= 0 ? sys->nlinks : -1;
        if (c >= 0) {
            red->link[sys->nlinks++] = (dal_link){c, full->link[l].j};
        }
    }
    sys->constraint = red->constraint;
    sys->link = red->link;
    sys->residual = reduced_residual;
    sys->tangent = reduced_tangent;
    sys->energy = full->energy ? reduced_energy : NULL;
    sys->energies = full->energies ? reduced_energies : NULL;
    sys->exchange = full->exchange ? reduced_exchange : NULL;
    sys->row_name = reduced_row_name;
    sys->velocity_name = reduced_velocity_name;
    sys->coordinates = full->coordinates ? reduced_coordinates : NULL;
    sys->culprit = full->culprit ? reduced_culprit : NULL;
    sys->create = reduced_create;
    sys->destroy = reduced_destroy;
    sys->units = full->units ? reduced_units : NULL;
    sys->forget = reduced_forget;
    sys->accept = reduced_accept;
    sys->integrate = full->integrate ? reduced_integrate : NULL;
    sys->next_break = full->next_break ? reduced_next_break : NULL;
    sys->next_kink = full->next_kink ? reduced_next_kink : NULL;
    sys->released = full->released ? reduced_released : NULL;
    sys->numbers = full->numbers ? reduced_numbers : NULL;
    sys->set_numbers = full->set_numbers ? reduced_set_numbers : NULL;
    sys->is_state = full->is_state ? reduced_is_state : NULL;
    sys->is_place = full->is_place ? reduced_is_place : NULL;
    sys->user = red;
}

/* Everything that does not depend on which rows are left out. */
static dal_status set_up(dal_reduction *red, dal_data *data)
{
    dal_ctx *ctx = red->ctx;
    DAL_TRY(dal_eval_create(&red->ev, ctx, red->full, data));
    DAL_TRY(dal_linearize_create_with(&red->lin, ctx, red->ev, DAL_WANT_BT));
    red->B = dal_linearize_matrix(red->lin, DAL_WANT_BT);
    red->nc_whole = red->ev->nc;
    red->arena = dal_arena_init(ctx);
    carve(red, &red->arena);
    DAL_TRY(dal_arena_reserve(&red->arena));
    carve(red, &red->arena);
    for (int c = 0; c < red->full->nconstraints; ++c) {
        const int nrows = red->full->constraint[c].nrows;
        red->row0[c + 1] = red->row0[c] + nrows;
        red->max_rows = nrows > red->max_rows ? nrows : red->max_rows;
    }
    return DAL_OK;
}

/* The rows of B that depend on the others at a configuration. */
static dal_status find_rows(dal_reduction *red, double t, const double *q, double tol)
{
    dal_ctx *ctx = red->ctx;
    double *zero = dal_alloc_zero(ctx, (size_t)(red->ev->nv + red->ev->nc + 1) * sizeof(double));
    if (!zero) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory to look for redundant constraints");
    }
    int rank = 0;
    const dal_sparse *B = red->B;
    dal_status st = dal_linearize_at(red->lin, &(dal_point){t, q, zero, zero, zero});
    if (st == DAL_OK && red->ev->nc > 0) {
        st = dal_rank_rows(ctx, &rank, red->dropped, red->ev->nc, red->ev->nv, B->colptr, B->row, B->x, tol);
    }
    dal_free(ctx, zero);
    red->ndropped = red->ev->nc - rank;
    return st;
}

/* The system without the rows that were found. */
static dal_status leave_out(dal_reduction *red)
{
    number_rows(red);
    describe(red);
    return red->ndropped > 0 ? dal_reduction_solver(red) : DAL_OK;
}

dal_status dal_reduction_create(dal_reduction **out, dal_ctx *ctx, const dal_system *sys, double t, const double *q,
                                double tol)
{
    DAL_NEED_AS(ctx, out, "reduction");
    *out = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, q);
    DAL_TRY(dal_system_validate(ctx, sys));
    DAL_TRY(dal_state_check(ctx, sys, DAL_EINVAL, "given", t, q, NULL));
    return dal_reduction_create_with(out, ctx, sys, NULL, t, q, tol);
}

static dal_reduction *create(dal_ctx *ctx, const dal_system *sys)
{
    dal_reduction *red = dal_alloc_zero(ctx, sizeof *red);
    if (!red) {
        (void)dal_fail(ctx, DAL_ENOMEM, "no memory to look for redundant constraints");
        return NULL;
    }
    red->ctx = ctx;
    red->full = sys;
    return red;
}

/* The reduction if all went well, else nothing. */
static dal_status finish(dal_reduction **out, dal_reduction *red, dal_status st)
{
    if (st != DAL_OK) {
        dal_reduction_destroy(red);
        return st;
    }
    *out = red;
    return DAL_OK;
}

dal_status dal_reduction_create_with(dal_reduction **out, dal_ctx *ctx, const dal_system *sys, dal_data *data, double t,
                                     const double *q, double tol)
{
    *out = NULL;
    dal_reduction *red = create(ctx, sys);
    if (!red) {
        return DAL_ENOMEM;
    }
    dal_status st = set_up(red, data);
    st = st == DAL_OK ? find_rows(red, t, q, tol) : st;
    return finish(out, red, st == DAL_OK ? leave_out(red) : st);
}

dal_status dal_reduction_create_rows(dal_reduction **out, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                                     const int *gone)
{
    *out = NULL;
    dal_reduction *red = create(ctx, sys);
    if (!red) {
        return DAL_ENOMEM;
    }
    dal_status st = set_up(red, data);
    for (int r = 0; st == DAL_OK && r < red->nc_whole; ++r) {
        if (gone[r]) {
            red->dropped[red->ndropped++] = r;
        }
    }
    return finish(out, red, st == DAL_OK ? leave_out(red) : st);
}

void dal_reduction_destroy(dal_reduction *red)
{
    if (red) {
        dal_linsol_destroy(red->ls);
        dal_free(red->ctx, red->N);
        dal_linearize_destroy(red->lin);
        dal_eval_destroy(red->ev);
        dal_arena_release(&red->arena);
        dal_free(red->ctx, red);
    }
}

const dal_system *dal_reduction_system(const dal_reduction *red)
{
    return red ? &red->sys : NULL;
}

dal_linsol *dal_reduction_linsol(const dal_reduction *red)
{
    return red ? red->ls : NULL;
}

int dal_reduction_count(const dal_reduction *red)
{
    return red ? red->ndropped : 0;
}

const int *dal_reduction_rows(const dal_reduction *red)
{
    return red ? red->dropped : NULL;
}

void dal_reduction_names(const dal_reduction *red, char *buffer, size_t size)
{
    if (!red || !buffer) {
        return;
    }
    dal_eval_row_names(red->ev, buffer, size, red->dropped, red->ndropped);
}
