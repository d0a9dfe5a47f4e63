#include "system/mask.h"

#include "base/vector.h"

/* The whole system behind a mask, if there is one. */
static const dal_system *whole_of(const dal_system *sys)
{
    return sys->mask ? sys->mask->whole : sys;
}

/* Entries of the largest block of rows by velocities or rows. */
static size_t largest_block(const dal_system *sys)
{
    int rows = 0;
    for (int c = 0; c < sys->nconstraints; ++c) {
        rows = sys->constraint[c].nrows > rows ? sys->constraint[c].nrows : rows;
    }
    const int columns = sys->ncouples > 0 && rows > sys->group->max_nv ? rows : sys->group->max_nv;
    return (size_t)rows * (size_t)columns;
}

/* Multipliers, three levels of constraints and laws, two blocks. */
size_t dal_mask_room(const dal_system *sys)
{
    sys = whole_of(sys);
    return 5 * (size_t)dal_system_rows(sys) + 2 * largest_block(sys);
}

const dal_point *dal_masked_point(const dal_system *sys, const dal_data *data, dal_point *room, const dal_point *at)
{
    const dal_mask *m = sys->mask;
    dal_copy(data->scratch, m->fixed, m->nc);
    for (int i = 0; i < m->nkept; ++i) {
        data->scratch[m->kept[i]] = at->la[i];
    }
    *room = (dal_point){at->t, at->q, at->v, at->vd, data->scratch};
    return room;
}

static void gather(const dal_mask *m, double *out, const double *whole)
{
    for (int i = 0; out && i < m->nkept; ++i) {
        out[i] = whole[m->kept[i]];
    }
}

dal_status dal_masked_residual(const dal_system *sys, const dal_data *data, const dal_residual *out,
                               const dal_point *at)
{
    const dal_mask *m = sys->mask;
    double *Phi = data->scratch + m->nc, *vel = Phi + m->nc, *acc = vel + m->nc, *law = acc + m->nc;
    dal_point room;
    const dal_residual whole = {out->r, out->Phi ? Phi : NULL, out->vel ? vel : NULL, out->acc ? acc : NULL,
                                out->w, out->law ? law : NULL};
    DAL_TRY(sys->equations.residual(&whole, dal_masked_point(sys, data, &room, at), sys->user, data->work));
    gather(m, out->Phi, Phi);
    gather(m, out->vel, vel);
    gather(m, out->acc, acc);
    gather(m, out->law, law);
    return DAL_OK;
}

/* Passes on what belongs to the rows kept. */
typedef struct masking_sink {
    dal_sink base;
    const dal_mask *m;
    double *block[2];
    dal_sink *to;
} masking_sink;

static void pass_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    dal_sink *to = ((masking_sink *)sink)->to;
    to->pair(to, pair, M, C, K);
}

/* The rows kept of a block of a link, rows x velocities or transposed. NULL stays NULL. */
static const double *kept_rows(const dal_mask *m, double *block, const double *X, int link, int transposed)
{
    const dal_link l = m->whole->link[link];
    const int n = m->whole->group->factor[l.j].nv, nr = m->whole->constraint[l.c].nrows;
    double *to = block;
    for (int k = 0; X && k < n * nr; ++k) {
        const int r = transposed ? k / n : k % nr;
        if (m->number[m->row0[l.c] + r] >= 0) {
            *to++ = X[k];
        }
    }
    return X ? block : NULL;
}

/* Pairs of blocks of a link: (B, Z), (Aq, Av), (Lq, Lv). */
static void pass_rows(dal_sink *sink, int link, const double *X, const double *Y,
                      void (*push)(dal_sink *, int, const double *, const double *))
{
    const masking_sink *self = (masking_sink *)sink;
    const int number = self->m->link[link];
    if (number >= 0) {
        const double *x = kept_rows(self->m, self->block[0], X, link, 0);
        const double *y = kept_rows(self->m, self->block[1], Y, link, 0);
        push(self->to, number, x, y);
    }
}

static void pass_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    pass_rows(sink, link, B, Z, ((masking_sink *)sink)->to->link);
}

static void pass_acc(dal_sink *sink, int link, const double *Aq, const double *Av)
{
    pass_rows(sink, link, Aq, Av, ((masking_sink *)sink)->to->link_acc);
}

static void pass_law(dal_sink *sink, int link, const double *Lq, const double *Lv)
{
    pass_rows(sink, link, Lq, Lv, ((masking_sink *)sink)->to->link_law);
}

static void pass_couple(dal_sink *sink, int couple, const double *F)
{
    const masking_sink *self = (masking_sink *)sink;
    const dal_mask *m = self->m;
    const dal_couple k = m->whole->couple[couple];
    const int nr = m->whole->constraint[k.c].nrows, n = nr * m->whole->constraint[k.d].nrows;
    double *to = self->block[0];
    for (int e = 0; F && e < n; ++e) {
        if (m->number[m->row0[k.c] + e % nr] >= 0 && m->number[m->row0[k.d] + e / nr] >= 0) {
            *to++ = F[e];
        }
    }
    if (m->couple[couple] >= 0) {
        self->to->couple(self->to, m->couple[couple], F ? self->block[0] : NULL);
    }
}

static void pass_force(dal_sink *sink, int link, const double *G)
{
    const masking_sink *self = (masking_sink *)sink;
    if (self->m->link[link] >= 0) {
        self->to->link_force(self->to, self->m->link[link], kept_rows(self->m, self->block[0], G, link, 1));
    }
}

dal_status dal_masked_tangent(const dal_system *sys, const dal_data *data, dal_sink *sink, const dal_point *at)
{
    const dal_mask *m = sys->mask;
    dal_point room;
    double *block = data->scratch + (ptrdiff_t)5 * m->nc;
    masking_sink pass = {
        {sink->wants, pass_pair, pass_link, pass_acc, pass_force, pass_law, pass_couple}, m, {block, block}, sink};
    pass.block[1] += largest_block(m->whole);
    return sys->equations.tangent(&pass.base, dal_masked_point(sys, data, &room, at), sys->user, data->work);
}
