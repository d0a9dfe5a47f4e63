#include "system/dependence.h"

#include "base/vector.h"
#include "system/mask.h"

typedef struct product {
    const dal_eval *ev;
    const dal_rows *y; /* what is added to, or the weights */
    int stride, count, n;
    const double *dp;
    double *pbar, scale;
} product;

/* The place of a row of the system among those of the evaluation; -1: it is left out. */
static int place(const dal_eval *ev, int row)
{
    return ev->sys->mask ? ev->sys->mask->number[row] : row;
}

/* f times the column to the rows of direction j. */
static void add_rows(const product *s, const dal_column *c, int j, double f)
{
    double *const to[4] = {s->y->Phi, s->y->vel, s->y->acc, s->y->law};
    const double *const from[4] = {c->at.Phi, c->at.vel, c->at.acc, c->at.law};
    for (int i = 0; i < c->nrows; ++i) {
        for (int k = c->row[i].first; k < c->row[i].first + c->row[i].n; ++k) {
            const int row = place(s->ev, k);
            for (int l = 0; l < 4 && row >= 0; ++l) {
                if (to[l]) {
                    to[l][j * s->stride + row] += f * from[l][k];
                }
            }
        }
    }
}

static void add(const dal_column *c, void *user)
{
    const product *s = user;
    for (int j = 0; j < s->count; ++j) {
        const double f = s->dp[c->k + j * s->n];
        if (f == 0.0) {
            continue;
        }
        for (int i = 0; s->y->r && i < c->nv; ++i) {
            dal_add_multiple(s->y->r + j * s->stride + c->v[i].first, c->at.r + c->v[i].first, f, c->v[i].n);
        }
        add_rows(s, c, j, f);
    }
}

static void weigh(const dal_column *c, void *user)
{
    const product *s = user;
    const double *const w[4] = {s->y->Phi, s->y->vel, s->y->acc, s->y->law};
    const double *const from[4] = {c->at.Phi, c->at.vel, c->at.acc, c->at.law};
    double sum = 0.0;
    for (int i = 0; s->y->r && i < c->nv; ++i) {
        sum += dal_dot(s->y->r + c->v[i].first, c->at.r + c->v[i].first, c->v[i].n);
    }
    for (int i = 0; i < c->nrows; ++i) {
        const int first = c->row[i].first, n = c->row[i].n;
        for (int l = 0; l < 4; ++l) {
            for (int k = first; k < first + n && w[l]; ++k) {
                const int row = place(s->ev, k);
                sum += row >= 0 ? w[l][row] * from[l][k] : 0.0;
            }
        }
    }
    s->pbar[c->k] += s->scale * sum;
}

static dal_status go(dal_dependence *p, dal_eval *ev, const dal_rows *wants, const dal_point *at, product *s,
                     void (*take)(const dal_column *column, void *user))
{
    dal_point room;
    return p->columns(p, wants, dal_mask_point(ev->sys, ev->data, &room, at), take, s);
}

dal_status dal_dependence_product(dal_dependence *p, dal_eval *ev, const dal_rows *y, int stride, const dal_point *at,
                                  const double *dp, int count)
{
    product s = {.ev = ev, .y = y, .stride = stride, .count = count, .dp = dp, .n = p ? p->n : 0};
    return s.n > 0 ? go(p, ev, y, at, &s, add) : DAL_OK;
}

dal_status dal_dependence_transposed(dal_dependence *p, dal_eval *ev, double *pbar, const dal_point *at,
                                     const dal_rows *w, double scale)
{
    product s = {.ev = ev, .y = w, .pbar = pbar, .scale = scale, .n = p ? p->n : 0};
    return s.n > 0 ? go(p, ev, w, at, &s, weigh) : DAL_OK;
}
