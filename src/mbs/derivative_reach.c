/* The frames and equations that an element acts on. */
#include "mbs/derivative_impl.h"
#include "mbs/flex_impl.h"

static void reach_range(reach *to, int first, int n)
{
    for (int i = 0; i < to->nv; ++i) {
        if (to->range[i].first == first) {
            to->range[i].n = n > to->range[i].n ? n : to->range[i].n;
            return;
        }
    }
    to->range[to->nv++] = (dal_range){first, n};
}

static void reach_body(const mb_derivatives *s, reach *to, int body)
{
    const mb_body *b = &s->m->body[body];
    for (int i = 0; i < to->nbodies; ++i) {
        if (to->body[i] == body) {
            return;
        }
    }
    if (body > 0) {
        to->body[to->nbodies++] = body;
        reach_range(to, b->v, b->nv > b->type->nv ? b->nv : b->type->nv);
    }
}

static void reach_own(reach *to, const mb_force *f)
{
    if (f->v >= 0 && f->own > 0) {
        reach_range(to, f->v, f->own);
    }
}

reach mb_reach_of(const mb_derivatives *s, int e)
{
    const mb_instance *m = s->m;
    reach to = {.nv = 0};
    if (e < m->first_force) {
        const mb_body *b = &m->body[e + 1];
        reach_body(s, &to, e + 1);
        if (b->flex) { // its modes, which do not move its frame
            reach_range(&to, b->v, 6 + b->flex->n);
        }
    } else if (e < m->first_force + m->nforces) {
        const mb_force *f = &m->force[e - m->first_force];
        reach_body(s, &to, f->marker[0].body);
        reach_body(s, &to, f->marker[1].body);
        reach_own(&to, f);
    } else if (e < m->first_rows) {
        to.all = 1;
        to.range[to.nv++] = (dal_range){0, m->nv};
    } else {
        const mb_constraint *c = &m->constraint[e - m->first_rows];
        for (int i = 0; i < c->nsides; ++i) {
            reach_body(s, &to, c->body[i]);
        }
        if (c->slide) { // along the whole beam
            to.all = 1;
            to.nv = 1;
            to.range[0] = (dal_range){0, m->nv};
        }
        if (c->force >= 0) {
            reach_own(&to, &m->force[c->force]);
        }
        to.range[to.nv] = (dal_range){c->row0, c->nrows};
        to.nrows = 1;
    }
    return to;
}
