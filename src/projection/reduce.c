/* The system without its dependent rows: the description of the whole one with a mask, and the search for these rows. */
#include <string.h>

#include "base/message.h"
#include "projection/reduce_impl.h"

static void carve(dal_reduction *red, dal_arena *arena)
{
    const dal_system *full = red->full, *whole = red->mask.whole;
    red->dropped = dal_arena_ints(arena, red->ev->nc);
    red->kept = dal_arena_ints(arena, red->ev->nc);
    red->constraint = dal_arena_take(arena, (size_t)full->nconstraints, sizeof(dal_constraint));
    red->link = dal_arena_take(arena, (size_t)full->nlinks, sizeof(dal_link));
    red->couple = dal_arena_take(arena, (size_t)full->ncouples, sizeof(dal_couple));
    red->mask.row0 = dal_arena_ints(arena, whole->nconstraints + 1);
    red->mask.kept = dal_arena_ints(arena, red->ev->nc);
    red->mask.number = dal_arena_ints(arena, red->mask.nc);
    red->mask.link = dal_arena_ints(arena, whole->nlinks);
    red->mask.couple = dal_arena_ints(arena, whole->ncouples);
    red->mask.fixed = dal_arena_reals(arena, red->mask.nc);
}

/* Everything that does not depend on which rows are left out. */
static dal_status set_up(dal_reduction *red, dal_data *data)
{
    const dal_mask *given = red->full->mask;
    DAL_TRY(dal_eval_create(&red->ev, red->ctx, red->full, data));
    DAL_TRY(dal_linearize_create_with(&red->lin, red->ctx, red->ev, DAL_WANT_BT));
    red->B = dal_linearize_matrix(red->lin, DAL_WANT_BT);
    red->mask.whole = given ? given->whole : red->full;
    red->mask.nc = given ? given->nc : red->ev->nc;
    red->arena = dal_arena_init(red->ctx);
    carve(red, &red->arena);
    DAL_TRY(dal_arena_reserve(&red->arena));
    carve(red, &red->arena);
    return DAL_OK;
}

/* The rows kept, and their blocks: a block without rows disappears. block (nconstraints): the number of each that is left, or -1 */
static void keep_rows(dal_reduction *red, int *block)
{
    const dal_eval *ev = red->ev;
    dal_system *sys = &red->sys;
    for (int c = 0, d = 0; c < red->full->nconstraints; ++c) {
        const int before = red->nc;
        for (int r = ev->row0[c]; r < ev->row0[c + 1]; ++r) {
            if (d < red->ndropped && red->dropped[d] == r) {
                ++d;
            } else {
                red->kept[red->nc++] = r;
            }
        }
        block[c] = red->nc > before ? sys->nconstraints : -1;
        if (red->nc > before) {
            red->constraint[sys->nconstraints++] = (dal_constraint){red->nc - before, red->full->constraint[c].kind};
        }
    }
}

/* Rows, links and couples in the numbers of the whole system. */
static void fill_mask(dal_reduction *red, const int *block)
{
    const dal_mask *given = red->full->mask;
    dal_mask *m = &red->mask;
    m->nkept = red->nc;
    for (int c = 0; c < m->whole->nconstraints; ++c) {
        m->row0[c + 1] = m->row0[c] + m->whole->constraint[c].nrows;
    }
    for (int r = 0; r < m->nc; ++r) {
        m->number[r] = -1;
    }
    for (int i = 0; i < red->nc; ++i) {
        m->kept[i] = dal_mask_row(red->full, red->kept[i]);
        m->number[m->kept[i]] = i;
    }
    for (int l = 0; l < m->whole->nlinks; ++l) {
        const int at = given ? given->link[l] : l, c = at >= 0 ? block[red->full->link[at].c] : -1;
        m->link[l] = c >= 0 ? red->sys.nlinks : -1;
        if (c >= 0) {
            red->link[red->sys.nlinks++] = (dal_link){c, red->full->link[at].j};
        }
    }
    for (int k = 0; k < m->whole->ncouples; ++k) {
        const int at = given ? given->couple[k] : k;
        const int c = at >= 0 ? block[red->full->couple[at].c] : -1, d = at >= 0 ? block[red->full->couple[at].d] : -1;
        m->couple[k] = c >= 0 && d >= 0 ? red->sys.ncouples : -1;
        if (m->couple[k] >= 0) {
            red->couple[red->sys.ncouples++] = (dal_couple){c, d};
        }
    }
}

/* The system without the rows that were found. */
static dal_status leave_out(dal_reduction *red)
{
    int *block = dal_alloc_zero(red->ctx, ((size_t)red->full->nconstraints + 1) * sizeof *block);
    if (!block) {
        return dal_fail(red->ctx, DAL_ENOMEM, "no memory to leave constraints out");
    }
    red->sys = *red->full;
    red->sys.nconstraints = red->sys.nlinks = red->sys.ncouples = 0;
    red->sys.constraint = red->constraint;
    red->sys.link = red->link;
    red->sys.couple = red->couple;
    red->sys.mask = &red->mask;
    red->sys.contacts = (dal_contacts){.n = 0}; // a simulation of the whole system opens and closes them
    keep_rows(red, block);
    fill_mask(red, block);
    dal_free(red->ctx, block);
    return red->ndropped > 0 ? dal_reduction_solver(red) : DAL_OK;
}

/* The rows of B that depend on the others at a configuration; laws, which come last, hold nothing. */
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
    const int nheld = red->ev->nc - red->ev->nlaws;
    if (st == DAL_OK && nheld > 0) {
        st = dal_rank_rows(ctx, &rank, red->dropped, nheld, red->ev->nv, B->colptr, B->row, B->x, tol);
    }
    dal_free(ctx, zero);
    red->ndropped = nheld - rank;
    return st == DAL_OK && red->ndropped > 0 && red->ev->nlaws > 0
               ? dal_fail(ctx, DAL_EREDUNDANT,
                          "%d constraint rows depend on others, and the system has laws beside them: "
                          "remove these rows",
                          red->ndropped)
               : st;
}

/* Rows that hold nothing, as those of open contacts, are zero. */
static int is_zero(const dal_sparse *B, int row)
{
    int zero = 1;
    for (int e = B->colptr[row]; e < B->colptr[row + 1]; ++e) {
        zero = zero && B->x[e] == 0.0;
    }
    return zero;
}

/* Does a row that holds a place depend on others, while rows of velocities are kept? velocity (nc): which are. */
static int places_go(const dal_reduction *red, char *velocity)
{
    int kept = 0, gone = 0;
    for (int c = 0; c < red->full->nconstraints; ++c) {
        for (int r = red->ev->row0[c]; r < red->ev->row0[c + 1]; ++r) {
            velocity[r] = red->full->constraint[c].kind == DAL_ROWS_VELOCITY;
            kept += velocity[r];
        }
    }
    for (int d = 0; d < red->ndropped; ++d) {
        const int r = red->dropped[d];
        kept -= velocity[r];
        gone |= !velocity[r] && !is_zero(red->B, r);
    }
    return gone && kept > 0;
}

/* A place that is held holds its velocity, too, but not the other way round: of rows that depend on each other those of velocities go. A
 * brake that sticks beside a stop, say, would let it drift. */
static dal_status keep_places(dal_reduction *red, double t, const double *q)
{
    const int nc = red->ev->nc;
    char *velocity = dal_alloc_zero(red->ctx, (size_t)nc + 1);
    if (!velocity) {
        return dal_fail(red->ctx, DAL_ENOMEM, "no memory to look for redundant constraints");
    }
    int changed = 0;
    dal_status st = places_go(red, velocity)
                        ? dal_reduction_exchange(red, &changed, &(dal_point){t, q, NULL, NULL, NULL}, velocity)
                        : DAL_OK;
    if (st == DAL_OK && changed) {
        memset(velocity, 0, (size_t)nc);
        for (int d = 0; d < red->ndropped; ++d) {
            velocity[red->dropped[d]] = 1; // those that go, to be in order
        }
        for (int r = 0, d = 0; r < nc; ++r) {
            if (velocity[r]) {
                red->dropped[d++] = r;
            }
        }
        dal_linsol_destroy(red->ls);
        dal_free(red->ctx, red->N);
        red->ls = NULL;
        red->N = NULL;
        red->nc = 0;
        st = leave_out(red);
    }
    dal_free(red->ctx, velocity);
    return st;
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
    st = st == DAL_OK ? leave_out(red) : st;
    return finish(out, red, st == DAL_OK && red->ndropped > 0 ? keep_places(red, t, q) : st);
}

dal_status dal_redundant_rows(int *n, dal_ctx *ctx, const dal_system *sys, dal_data *data, const dal_point *at)
{
    dal_reduction *red;
    DAL_TRY(dal_reduction_create_with(&red, ctx, sys, data, at->t, at->q, 0.0));
    *n = 0;
    for (int k = 0; k < red->ndropped; ++k) {
        *n += !dal_system_is_of_contact(sys, red->dropped[k]);
    }
    dal_reduction_destroy(red);
    return DAL_OK;
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
    for (int r = 0; st == DAL_OK && r < red->ev->nc; ++r) {
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

void dal_reduction_fix(dal_reduction *red, int row, double la)
{
    red->mask.fixed[dal_mask_row(red->full, row)] = la;
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
