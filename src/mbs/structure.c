/* The blocks of a compiled model.
 *
 * The matrices M, C and K consist of blocks, one for each pair of factors (i, j) where the equations of motion of factor i
 * depend on the motion of factor j; B and Z of blocks, one for each link between a block of rows and a factor. Elements
 * request the pairs they need, in two passes: the first counts, the second keeps where to write the number. Sorting brings
 * requests for the same pair together. Elements keep the numbers and push their tangents under them, so nothing is searched
 * for during a step.
 *
 * The pairs (i, i) of bodies come first. A flexible body has two factors, frame and modes, whose pairs have consecutive
 * numbers: (i, j), (i, j + 1), (i + 1, j), (i + 1, j + 1). */
#include <stdlib.h>

#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"

/* A request: first factors, how many each side has, the order of requests, and where to write the number of the pair. */
typedef struct request {
    int i, j, ni, nj, order;
    int positions; /* needed for K alone */
    int *number;
} request;

static int compare_requests(const void *a, const void *b)
{
    const request *x = a, *y = b;
    if (x->i != y->i) {
        return x->i < y->i ? -1 : 1;
    }
    if (x->j != y->j) {
        return x->j < y->j ? -1 : 1;
    }
    return x->order < y->order ? -1 : 1;
}

struct mb_plan {
    dal_model *m;
    request *list; /* NULL: only count */
    int n;
    int positions; /* of those who ask now */
};

const dal_model *mb_plan_model(const mb_plan *plan)
{
    return plan->m;
}

mb_columns mb_columns_of_body(const mb_plan *plan, int body)
{
    const mb_body *b = &plan->m->body[body];
    return (mb_columns){b->factor, b->nfactors, b->pair};
}

mb_columns mb_columns_of_force(const mb_force *f)
{
    return (mb_columns){f->factor, 1, f->pair_own};
}

/* Pairs within one factor exist already. */
void mb_plan_pair(mb_plan *plan, int *number, mb_columns i, mb_columns j)
{
    *number = -1;
    if (i.factor < 0 || j.factor < 0 || i.factor == j.factor) {
        *number = i.factor == j.factor ? i.pair : -1;
        return;
    }
    if (plan->list) {
        plan->list[plan->n] = (request){i.factor, j.factor, i.nfactors, j.nfactors, plan->n, plan->positions, number};
    }
    plan->n++;
}

void mb_connect_frames(mb_plan *plan, void *force)
{
    mb_force *f = force;
    const mb_columns a = mb_columns_of_body(plan, f->marker[0].body), b = mb_columns_of_body(plan, f->marker[1].body);
    mb_plan_pair(plan, &f->pair[0], a, b);
    mb_plan_pair(plan, &f->pair[1], b, a);
}

void mb_connect_rows(mb_plan *plan, void *constraint)
{
    mb_constraint *c = constraint;
    for (int i = 0; i < c->nsides && c->coupled; ++i) {
        for (int j = 0; j < c->nsides; ++j) {
            mb_plan_pair(plan, &c->pair[i][j], mb_columns_of_body(plan, c->body[i]),
                         mb_columns_of_body(plan, c->body[j]));
        }
    }
}

/* All requests for pairs; list NULL: only count them. */
static int ask_all(request *list, dal_model *m)
{
    // constraint forces B^T lambda depend on coordinates alone
    mb_plan plan = {m, list, 0, 1};
    for (int k = 0; k < m->nconstraints; ++k) {
        if (m->constraint[k].type->connect) {
            plan.positions =
                m->constraint[k].type != &mb_constraint_sliding; // the direction of friction is that of motion
            m->constraint[k].type->connect(&plan, &m->constraint[k]);
        }
    }
    plan.positions = 0;
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        f->pair[0] = f->pair[1] = -1;
        if (f->type->element.connect) {
            f->type->element.connect(&plan, f);
        }
    }
    for (int k = 0; k < m->nspans; ++k) {
        mb_element_span.connect(&plan, &m->span[k]);
    }
    for (int b = 0; b < m->beam_names.n; ++b) {
        for (int k = 0; k < m->beam[b].nslides; ++k) {
            if (m->beam[b].slide[k].guide) {
                mb_element_guide.connect(&plan, &m->beam[b].slide[k]);
            }
        }
    }
    return plan.n;
}

/* Number the links of a block of rows: sides on the same body share a link, a second factor has the next number. */
static int number_links(const dal_model *m, mb_constraint *c, int n)
{
    for (int i = 0; i < c->nsides; ++i) {
        const mb_body *b = &m->body[c->body[i]];
        c->link[i] = -1;
        for (int k = 0; k < i && c->body[i] > 0; ++k) {
            c->link[i] = m->body[c->body[k]].unit == b->unit ? c->link[k] : c->link[i];
        }
        if (c->body[i] > 0 && c->link[i] < 0) {
            c->link[i] = n;
            n += b->nfactors;
        }
    }
    c->link_integral = c->force >= 0 ? n++ : -1;
    for (int i = 0; c->slide && i < m->beam[c->slide->beam].nnodes; ++i) {
        c->slide->link[i] = m->beam[c->slide->beam].node[i].body > 0 ? n++ : -1;
    }
    return n;
}

/* The factor that depends on input k of a force as side i does: of a body, or of a state. */
static int reading_factor(const dal_model *m, const mb_force *f, int i)
{
    return f->type->state ? (i == 0 ? f->factor : -1) : m->body[f->marker[i].body].factor;
}

static int reading_factors(const dal_model *m, const mb_force *f, int i)
{
    return f->type->state ? 1 : m->body[f->marker[i].body].nfactors;
}

static const mb_constraint *block_read(const dal_model *m, const mb_input *in, int block)
{
    return &m->constraint[m->joint[in->reaction].first + block];
}

/* The link of a block of rows with a factor that is there already, as one of its own or because another force reads its reactions,
 * up to input k of `last`; -1: none. */
static int link_there(const dal_model *m, const mb_constraint *c, int factor, const mb_force *last, int k)
{
    for (int i = 0; i < c->nsides; ++i) {
        if (c->body[i] > 0 && m->body[c->body[i]].factor == factor) {
            return c->link[i];
        }
    }
    for (const mb_force *f = m->force; f <= last; ++f) {
        for (int n = 0; f->input && n < (f == last ? k : f->d.ninputs); ++n) {
            const mb_input *in = &f->input[n];
            for (int i = 0; i < 2 * in->nblocks; ++i) {
                const int same = block_read(m, in, i / 2) == c && reading_factor(m, f, i % 2) == factor;
                if (same && in->link[i / 2][i % 2] >= 0) {
                    return in->link[i / 2][i % 2];
                }
            }
        }
    }
    return -1;
}

/* Links of reactions with those that depend on them: B is zero there, d g/d lambda is not. */
static int number_reactions(const dal_model *m, int n)
{
    for (int number = 0; number < m->force_names.n; ++number) {
        const mb_force *f = &m->force[number];
        for (int k = 0; f->input && k < f->d.ninputs; ++k) {
            mb_input *in = &f->input[k];
            for (int i = 0; i < 2 * in->nblocks; ++i) {
                const int factor = reading_factor(m, f, i % 2);
                int *link = &in->link[i / 2][i % 2];
                *link = -1;
                if (factor < 0) {
                    continue;
                }
                *link = link_there(m, block_read(m, in, i / 2), factor, f, k);
                if (*link < 0 && i % 2 == 1 && reading_factor(m, f, 0) == factor) {
                    *link = link[-1];
                }
                if (*link < 0) {
                    *link = n;
                    n += reading_factors(m, f, i % 2);
                }
            }
        }
    }
    return n;
}

static void fill_reactions(const dal_model *m)
{
    for (int number = 0; number < m->force_names.n; ++number) {
        const mb_force *f = &m->force[number];
        for (int k = 0; k < 4 * f->d.ninputs && f->input; ++k) {
            const mb_input *in = &f->input[k / 4];
            const int block = k / 2 % 2, i = k % 2, link = block < in->nblocks ? in->link[block][i] : -1;
            for (int e = 0; link >= 0 && e < reading_factors(m, f, i); ++e) {
                m->link[link + e] = (dal_link){m->joint[in->reaction].first + block, reading_factor(m, f, i) + e};
            }
        }
    }
}

static void carve_structure(dal_model *m, dal_arena *arena, int npairs, int nlinks)
{
    m->block = dal_arena_take(arena, (size_t)m->nconstraints, sizeof(dal_constraint));
    m->pair = dal_arena_take(arena, (size_t)npairs, sizeof(dal_pair));
    m->link = dal_arena_take(arena, (size_t)nlinks, sizeof(dal_link));
}

/* Pairs of ni factors from i on with nj factors from j on. */
static int add_pairs(dal_pair *pair, int n, int i, int ni, int j, int nj, int positions)
{
    for (int a = 0; a < ni; ++a) {
        for (int b = 0; b < nj; ++b) {
            pair[n++] = (dal_pair){i + a, j + b, positions};
        }
    }
    return n;
}

static void fill_structure(dal_model *m, request *list, int nrequests)
{
    int npairs = 0, first = 0;
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        npairs = b->unit == i ? add_pairs(m->pair, npairs, b->factor, b->nfactors, b->factor, b->nfactors, 0) : npairs;
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        const mb_force *f = &m->force[k];
        npairs = f->pair_own >= 0 ? add_pairs(m->pair, npairs, f->factor, 1, f->factor, 1, 0) : npairs;
    }
    for (int k = 0; k < nrequests; ++k) {
        const request *r = &list[k];
        if (k == 0 || r->i != r[-1].i || r->j != r[-1].j) {
            first = npairs;
            npairs = add_pairs(m->pair, npairs, r->i, r->ni, r->j, r->nj, 1);
        }
        for (int p = first; p < npairs; ++p) {
            m->pair[p].positions &= r->positions;
        }
        *r->number = first;
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        const int length = c->type->form == MB_FORM_NORM, textbook = m->body[c->body[1]].type == &mb_body_textbook;
        m->block[k] = (dal_constraint){c->nrows, c->nonholonomic      ? DAL_ROWS_VELOCITY
                                                 : length && textbook ? DAL_ROWS_TEXTBOOK
                                                 : length             ? DAL_ROWS_COORDINATES
                                                                      : DAL_ROWS_POSITION};
        for (int i = 0; i < c->nsides; ++i) {
            const mb_body *b = &m->body[c->body[i]];
            for (int f = 0; f < b->nfactors && c->link[i] >= 0; ++f) {
                m->link[c->link[i] + f] = (dal_link){k, b->factor + f};
            }
        }
        if (c->force >= 0) {
            m->link[c->link_integral] = (dal_link){k, m->force[c->force].factor};
        }
        for (int i = 0; c->slide && i < m->beam[c->slide->beam].nnodes; ++i) {
            if (c->slide->link[i] >= 0) {
                m->link[c->slide->link[i]] = (dal_link){k, m->body[m->beam[c->slide->beam].node[i].body].factor};
            }
        }
    }
    fill_reactions(m);
    m->system.npairs = npairs;
}

dal_status mb_create_structure(dal_model *m)
{
    int nlinks = 0;
    for (int k = 0; k < m->nconstraints; ++k) {
        nlinks = number_links(m, &m->constraint[k], nlinks);
    }
    nlinks = number_reactions(m, nlinks);
    const int nrequests = ask_all(NULL, m);
    request *list = dal_alloc(m->ctx, (size_t)nrequests * sizeof *list);
    if (!list) {
        return dal_fail(m->ctx, DAL_ENOMEM, "model: no memory to compile");
    }
    (void)ask_all(list, m);
    qsort(list, (size_t)nrequests, sizeof *list, compare_requests);
    m->structure = dal_arena_init(m->ctx);
    carve_structure(m, &m->structure, m->ndiagonal + 4 * nrequests, nlinks);
    const dal_status st = dal_arena_reserve(&m->structure);
    if (st == DAL_OK) {
        carve_structure(m, &m->structure, m->ndiagonal + 4 * nrequests, nlinks);
        fill_structure(m, list, nrequests);
    }
    dal_free(m->ctx, list);
    m->system.nlinks = nlinks;
    return st;
}
