/* Beams: their elements and loads per length. Elements of one section share a function, into which the kernels are compiled with
 * the numbers of that section. */
#include <stdio.h>

#include "generate/beams_impl.h"

static int is_alike(const beam_section *a, const beam_section *b)
{
    int same = a->damped == b->damped;
    for (int k = 0; k < 36; ++k) {
        same &= a->K[k] == b->K[k] && a->D[k] == b->D[k];
    }
    return same;
}

static int npoints(const mb_span *s)
{
    return s->e.n - 1;
}

/* Sections of an element: one for all of its points, or one for each. */
static int nsections(const mb_span *s)
{
    int n = 1;
    for (int k = 1; k < npoints(s); ++k) {
        n = is_alike(s->e.point[0].section, s->e.point[k].section) ? n : npoints(s);
    }
    return n;
}

const char *gen_beam_name(const gen *g, const mb_span *s)
{
    int b = 0;
    while (s >= g->m->span + g->m->beam[b].first + g->m->beam[b].count) {
        ++b;
    }
    return g->m->beam_names.name[b];
}

/* The same matrices of the law of order four, or none? */
static int is_law_alike(const beam_point *a, const beam_point *b)
{
    int same = !a->F == !b->F;
    for (int k = 0; k < 36 && a->F && b->F; ++k) {
        same &= a->F[k] == b->F[k] && a->start[k] == b->start[k];
    }
    return same;
}

int gen_beam_loses(const gen *g, const mb_span *s)
{
    return beam_damped(&s->e) && gen_sums_losses(g);
}

int gen_beam_kind(const gen *g, int k)
{
    const mb_span *s = &g->m->span[k];
    for (int i = 0; i < k && nsections(s) == 1; ++i) {
        const mb_span *t = &g->m->span[i];
        if (s->e.n == t->e.n && nsections(t) == 1 && is_law_alike(s->e.point, t->e.point) &&
            is_alike(s->e.point->section, t->e.point->section)) {
            return i;
        }
    }
    return k;
}

dal_status gen_beams(gen *g)
{
    for (int b = 0; b < g->m->beam_names.n; ++b) {
        const mb_beam *beam = &g->m->beam[b];
        const int slides = beam->nslides > 0, weighs = g->m->span[beam->first].dM && gen_rattlie(g);
        if (slides || weighs) {
            return dal_fail(g->ctx, DAL_EINVAL, "generate: beam '%s' has %s, which generated code does not have; %s",
                            g->m->beam_names.name[b],
                            slides ? "bodies that slide along it" : "consistent mass and integrator = rattlie",
                            slides ? "run the model with the library" : "take lumped mass");
        }
    }
    for (int k = 0; k < g->m->nlines; ++k) {
        const mb_line_load *l = &g->m->line[k];
        if (l->function > 0) {
            DAL_TRY(gen_check_function(g, l->function, "beam", g->m->beam_names.name[l->beam]));
        }
    }
    return DAL_OK;
}

int gen_beams_weigh(const dal_model *m)
{
    int some = 0;
    for (int k = 0; k < m->nspans; ++k) {
        some |= m->span[k].dM != NULL;
    }
    return some;
}

int gen_beam_pairs(const dal_model *m)
{
    int n = 0;
    for (int k = 0; k < m->nspans; ++k) {
        n += m->span[k].e.n * m->span[k].e.n;
    }
    return n;
}

/* ---- functions of a section ------------------------------------------------------------------- */

static void put_numbers(gen *g, const double *x, int n)
{
    char text[GEN_NAME];
    PUT("{");
    for (int i = 0; i < n; ++i) {
        PUT("%sREAL(%s)", i > 0 ? ", " : "", gen_literal(text, sizeof text, x[i]));
    }
    PUT("}");
}

/* Polynomials of an element of order p at point k: a row of a table. */
static void put_row(gen *g, const char *name, int k, const double *x, int p)
{
    for (int i = 0; i <= p; ++i) {
        char text[GEN_NAME];
        PUT("    table.%s[%d][%d] = REAL(%s);\n", name, k, i, gen_literal(text, sizeof text, x[i]));
    }
}

/* `point` of an element with the numbers p, eight for each: weight, slope, strain of the reference. fixed: numbers are doubles */
static void print_points(gen *g, const mb_span *s, int fixed)
{
    const int n = nsections(s), points = npoints(s);
    // vectors are no constants for C, and devices have no place for static ones
    PUT("    %sconst beam_section section[%d] = {", fixed ? "static " : "", n);
    for (int k = 0; k < n; ++k) {
        PUT(k > 0 ? ", {" : "{");
        put_numbers(g, s->e.point[k].section->K, 36);
        PUT(", ");
        put_numbers(g, s->e.point[k].section->D, 36);
        PUT(", %d}", s->e.point[k].section->damped);
    }
    PUT("};\n    beam_point point[%d];\n    for (int i = 0; i < %d; ++i) {\n", points, points);
    PUT("        point[i].section = &section[%s];\n        point[i].weight = p[8 * i];\n        point[i].slope = p[8 * "
        "i + "
        "1];\n",
        n > 1 ? "i" : "0");
    PUT("        memcpy(point[i].f0, p + 8 * i + 2, sizeof point[i].f0);\n        point[i].F = point[i].start = "
        "NULL;\n    }\n");
    if (s->e.point->F) {
        PUT("    ");
        gen_array(g, "F", s->e.point->F, 36);
        PUT("    ");
        gen_array(g, "start", s->e.point->start, 36);
        PUT("    point[0].F = F;\n    point[0].start = start;\n");
    }
    if (s->e.table) {
        PUT("    beam_table table;\n    table.p = %d;\n", s->e.table->p);
        for (int k = 0; k < points; ++k) {
            put_row(g, "l", k, s->e.table->l[k], s->e.table->p);
            put_row(g, "dl", k, s->e.table->dl[k], s->e.table->p);
        }
    }
}

void gen_print_beam_kind(gen *g, int k)
{
    const mb_span *s = &g->m->span[k];
    const int order = s->e.table != NULL;
    const struct {
        const char *name, *arguments, *order[2];
    } part[] = {{"force",
                 "real *r",
                 {"real e[6], s[6];\n    helicoid_force(r, e, s, point, f)", "lagrange_force(r, &table, point, f)"}},
                {"tangent",
                 "real *K, real *C",
                 {"helicoid_tangent(K, C, point, f)", "lagrange_tangent(K, C, &table, point, f)"}},
                {"energy", "real *V", {"*V += helicoid_energy(point, f)", "*V += lagrange_energy(&table, point, f)"}},
                {"loss", "real *P", {"*P += helicoid_loss(point, f)", "*P += lagrange_loss(&table, point, f)"}}};
    for (int i = 0; i < 4; ++i) {
        if ((i == 1 && gen_rattlie(g)) || (i == 3 && !gen_beam_loses(g, s))) {
            continue;
        }
        PUT("/* %s of elements of beam %s */\n", part[i].name, gen_comment(gen_beam_name(g, s)).s);
        PUT("%s void %s_beam_%d_%s(%s, const real *p, const beam_frame *f)\n{\n",
            !gen_packed(g, s) && (gen_large(g) || gen_lanes(g)) ? "PHASE" : "static inline", g->name, k, part[i].name,
            part[i].arguments);
        print_points(g, s, 0);
        PUT("    %s;\n}\n\n", part[i].order[order]);
    }
}

void gen_print_beam_kinds(gen *g)
{
    for (int k = 0; k < g->m->nspans; ++k) {
        if (gen_beam_kind(g, k) == k && !gen_packed(g, &g->m->span[k])) {
            gen_print_beam_kind(g, k);
        }
    }
}

/* ---- elements --------------------------------------------------------------------------------- */

/* a, A (and c) of node i as arrays of that number */
static void print_arm(gen *g, const mb_node *n, int i)
{
    char name[16];
    for (int k = 0; k < 3; ++k) {
        snprintf(name, sizeof name, "%c%d", "aAc"[k], i);
        PUT("    ");
        gen_array(g, name, k == 0 ? n->a : k == 1 ? n->A : n->c, k == 0 ? 3 : k == 1 ? 9 : 4);
        PUT("    (void)%s;\n", name);
    }
}

void gen_print_arms(gen *g, const mb_span *s)
{
    for (int i = 0; i < s->e.n; ++i) {
        if (!s->node[i].plain && s->node[i].body > 0) {
            print_arm(g, &s->node[i], i);
        }
    }
}

void gen_print_node(gen *g, const mb_node *n, int i, const char *to, const char *q)
{
    const char *id = g->body[n->body].id;
    const int at = g->m->body[n->body].q + 3;
    if (n->plain) {
        PUT("    node_plain(%s, &w->s_%s, %s + %d);\n", to, id, q, at);
        return;
    }
    print_arm(g, n, i);
    if (n->body == 0) {
        PUT("    node_fixed(%s, a%d, c%d);\n", to, i, i);
    } else {
        PUT("    node_frame(%s, &w->s_%s, %s + %d, a%d, A%d, c%d);\n", to, id, q, at, i, i, i);
    }
}

void gen_beam_numbers(double *p, const mb_span *s)
{
    for (int i = 0; i < npoints(s); ++i) {
        const beam_point *at = &s->e.point[i];
        p[8 * i] = at->weight;
        p[8 * i + 1] = at->slope;
        memcpy(p + 8 * i + 2, at->f0, sizeof at->f0);
    }
}

/* Opens the block of element k: frames f, numbers p. */
static const mb_span *print_element(gen *g, int k, const char *q)
{
    const mb_span *s = &g->m->span[k];
    double p[8 * BEAM_ORDER_MAX] = {0.0};
    PUT("    { // beam %s, element from %g\n    beam_frame f[%d];\n", gen_comment(gen_beam_name(g, s)).s, s->node->s,
        s->e.n);
    for (int i = 0; i < s->e.n; ++i) {
        char to[16];
        snprintf(to, sizeof to, "&f[%d]", i);
        gen_print_node(g, &s->node[i], i, to, q);
    }
    gen_beam_numbers(p, s);
    PUT("    const real p[%d] = ", 8 * npoints(s));
    put_numbers(g, p, 8 * npoints(s));
    PUT(";\n");
    return s;
}

/* r6 += what acts on node number i, r there */
static void print_node_force(gen *g, const mb_node *n, int i, const char *r)
{
    const char *id = g->body[n->body].id;
    if (n->body > 0 && n->plain) {
        PUT("    node_add_force(w->r6_%s, %s);\n", id, r);
    } else if (n->body > 0) {
        PUT("    node_add_arm(w->r6_%s, %s, &w->s_%s, a%d, A%d);\n", id, r, id, i, i);
    }
}

void gen_print_node_forces(gen *g, const mb_span *s)
{
    for (int i = 0; i < s->e.n; ++i) {
        char r[16];
        snprintf(r, sizeof r, "r + %d", 6 * i);
        print_node_force(g, &s->node[i], i, r);
    }
}

static void print_element_residual(gen *g, int k)
{
    const mb_span *s = print_element(g, k, "w->q");
    PUT("    real r[%d];\n    %s_beam_%d_force(r, p, f);\n", 6 * s->e.n, g->name, gen_beam_kind(g, k));
    gen_print_node_forces(g, s);
    PUT("    }\n");
}

/* A block X of nodes i and j to that of their bodies, which is called `to` */
static void print_turned_block(gen *g, const mb_span *s, int i, int j, char kind, const char *to)
{
    const mb_node *a = &s->node[i], *b = &s->node[j];
    const int first = 6 * i + 6 * j * 6 * s->e.n, ld = 6 * s->e.n;
    PUT("    {\n    real X[36];\n    memset(X, 0, sizeof X);\n    node_add_block(X, %c + %d, %d);\n", kind, first, ld);
    if (!b->plain) {
        PUT("    node_columns(X, &w->s_%s, a%d, A%d);\n", g->body[b->body].id, j, j);
    }
    if (!b->plain && kind == 'K' && beam_damped(&s->e)) {
        PUT("    real Y[36];\n    memset(Y, 0, sizeof Y);\n    node_add_block(Y, C + %d, %d);\n", first, ld);
        PUT("    node_arm_rate(X, Y, &w->s_%s, a%d);\n", g->body[b->body].id, j);
    }
    if (!a->plain) {
        PUT("    node_rows(X, &w->s_%s, a%d, A%d);\n", g->body[a->body].id, i, i);
    }
    if (!a->plain && i == j && kind == 'K') {
        PUT("    node_arm_force(X, REAL(1.0), &w->s_%s, a%d, r + %d);\n", g->body[a->body].id, i, 6 * i);
    }
    PUT("    node_add_block(%s, X, 6);\n    }\n", to);
}

int gen_beam_turned(const mb_span *s)
{
    int turned = 0;
    for (int i = 0; i < s->e.n; ++i) {
        turned |= !s->node[i].plain && s->node[i].body > 0;
    }
    return turned;
}

void gen_print_beam_blocks(gen *g, const mb_span *s)
{
    const int n = s->e.n, damped = beam_damped(&s->e);
    for (int e = 0; e < n * n; ++e) {
        const int i = e / n, j = e % n, bi = s->node[i].body, bj = s->node[j].body, at = 6 * i + 36 * n * j;
        if (bi == 0 || bj == 0) {
            continue;
        }
        for (int kind = 0; kind <= damped; ++kind) {
            char to[3 * GEN_NAME];
            gen_pair_text(g, bi, bj, "KC"[kind], to, sizeof to);
            if (s->node[i].plain && s->node[j].plain) {
                PUT("    node_add_block(%s, %c + %d, %d);\n", to, "KC"[kind], at, 6 * n);
            } else {
                print_turned_block(g, s, i, j, "KC"[kind], to);
            }
        }
        gen_pair *pair = gen_pair_of(g, bi, bj);
        pair->K |= 15U;
        pair->C |= damped ? 15U : 0U;
    }
}

static void print_element_tangent(gen *g, int k)
{
    const mb_span *s = print_element(g, k, "w->q");
    const int n = s->e.n, damped = beam_damped(&s->e);
    PUT("    real K[%d]", 36 * n * n);
    PUT(damped ? ", C[%d];\n" : ";\n", 36 * n * n);
    PUT("    %s_beam_%d_tangent(K, %s, p, f);\n", g->name, gen_beam_kind(g, k), damped ? "C" : "K"); // not used
    if (gen_beam_turned(s)) {
        PUT("    real r[%d];\n    %s_beam_%d_force(r, p, f);\n", 6 * n, g->name, gen_beam_kind(g, k));
    }
    gen_print_beam_blocks(g, s);
    PUT("    }\n");
}

/* ---- consistent mass -------------------------------------------------------------------------- */

/* Opens its block: motions a of the nodes, dM. */
static const mb_span *print_weight(gen *g, int k)
{
    const mb_span *s = &g->m->span[k];
    const int n = s->e.n;
    PUT("    { // beam %s, mass from %g\n    mb_state a[%d];\n", gen_comment(gen_beam_name(g, s)).s, s->node->s, n);
    for (int i = 0; i < n; ++i) {
        const mb_node *at = &s->node[i];
        if (at->body == 0) {
            print_arm(g, at, i);
            PUT("    body_at_rest(&a[%d]);\n    memcpy(a[%d].R, A%d, sizeof a[%d].R);\n", i, i, i, i);
        } else {
            PUT("    a[%d] = w->s_%s;\n", i, g->body[at->body].id);
        }
    }
    // devices have no place for static ones
    PUT("    %sconst double dM[%d] = {", g->how->scalar == DAL_GENERATE_CUDA ? "" : "static ", 36 * n * n);
    for (int i = 0; i < 36 * n * n; ++i) {
        char text[GEN_NAME];
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, s->dM[i]));
    }
    PUT("};\n");
    return s;
}

static void print_weight_residual(gen *g, int k)
{
    const mb_span *s = print_weight(g, k);
    PUT("    real r[%d];\n    (void)weight_force(r, dM, a, %d);\n", 6 * s->e.n, s->e.n);
    gen_print_node_forces(g, s);
    PUT("    }\n");
}

static void print_weight_tangent(gen *g, int k)
{
    const mb_span *s = print_weight(g, k);
    const int n = s->e.n, size = 6 * n;
    PUT("    real C[%d], K[%d], X[36];\n", 6 * size, 6 * size);
    for (int j = 0; j < n; ++j) {
        const int bj = s->node[j].body;
        if (bj > 0) {
            PUT("    weight_columns(C, K, dM, a, %d, %d);\n", n, j);
        }
        for (int i = 0; i < n && bj > 0; ++i) {
            const int bi = s->node[i].body;
            char to[3][3 * GEN_NAME];
            if (bi == 0) {
                continue;
            }
            for (int kind = 0; kind < 3; ++kind) {
                gen_pair_text(g, bi, bj, "KCM"[kind], to[kind], sizeof to[kind]);
            }
            PUT("    node_add_block(%s, K + %d, %d);\n    node_add_block(%s, C + %d, %d);\n", to[0], 6 * i, size, to[1],
                6 * i, size);
            PUT("    weight_block(X, dM, a, %d, %d, %d);\n    node_add_block(%s, X, 6);\n", n, i, j, to[2]);
            gen_pair *p = gen_pair_of(g, bi, bj);
            p->K = p->C = p->M = 15U;
        }
    }
    PUT("    }\n");
}

/* ---- loads per length ------------------------------------------------------------------------- */

/* Opens the block of node i of a load: its frame f and what acts there, F. */
static const mb_node *print_load(gen *g, const mb_line_load *l, int i, const char *q)
{
    const mb_node *n = &g->m->beam[l->beam].node[i];
    char length[GEN_NAME];
    PUT("    {\n    beam_frame f;\n");
    gen_print_node(g, n, 0, "&f", q);
    PUT("    real F[3];\n    const real load[3] = ");
    put_numbers(g, l->vector + (size_t)(3 * i), 3);
    PUT(";\n    node_load(F, &f, load, %sREAL(%s), %d);\n", l->function > 0 ? "y[0] * " : "",
        gen_literal(length, sizeof length, n->length), l->follower);
    return n;
}

/* Opens the block of a load: its factor of time y. */
static void open_line(gen *g, const mb_line_load *l)
{
    PUT("    { // beam %s, load\n", gen_comment(g->m->beam_names.name[l->beam]).s);
    if (l->function > 0) {
        PUT("    real y[3];\n");
        gen_print_function(g, l->function, "y", "w->t");
    }
}

static void print_line(gen *g, const mb_line_load *l, int tangent)
{
    const mb_beam *b = &g->m->beam[l->beam];
    open_line(g, l);
    for (int i = 0; i < b->nnodes; ++i) {
        const int body = b->node[i].body, acts = tangent ? l->follower || !b->node[i].plain : 1;
        if (body == 0 || !acts) {
            continue;
        }
        const mb_node *n = print_load(g, l, i, "w->q");
        if (!tangent) {
            PUT("    real r[6];\n    memset(r, 0, sizeof r);\n    scale3(r, REAL(-1.0), F);\n");
            print_node_force(g, n, 0, "r");
            PUT("    }\n");
            continue;
        }
        PUT("    real X[36];\n    memset(X, 0, sizeof X);\n");
        if (l->follower) {
            PUT("    node_load_turns(X, &f, F);\n");
        }
        if (l->follower && !n->plain) {
            PUT("    node_columns(X, &w->s_%s, a0, A0);\n    node_rows(X, &w->s_%s, a0, A0);\n", g->body[body].id,
                g->body[body].id);
        }
        if (!n->plain) {
            PUT("    node_arm_force(X, REAL(-1.0), &w->s_%s, a0, F);\n", g->body[body].id);
        }
        PUT("    node_add_block(w->K_%s, X, 6);\n    }\n", g->body[body].id);
        gen_pair_of(g, body, body)->K |= 15U;
    }
    PUT("    }\n");
}

/* ---- all -------------------------------------------------------------------------------------- */

void gen_print_beam_residuals(gen *g)
{
    gen_print_pack_residuals(g);
    for (int k = 0; k < g->m->nspans; ++k) {
        if (!gen_packed(g, &g->m->span[k])) {
            print_element_residual(g, k);
        }
        if (g->m->span[k].dM) {
            print_weight_residual(g, k);
        }
    }
    for (int k = 0; k < g->m->nlines; ++k) {
        print_line(g, &g->m->line[k], 0);
    }
}

void gen_print_beam_tangents(gen *g)
{
    gen_print_pack_tangents(g);
    for (int k = 0; k < g->m->nspans; ++k) {
        if (!gen_packed(g, &g->m->span[k])) {
            print_element_tangent(g, k);
        }
        if (g->m->span[k].dM) {
            print_weight_tangent(g, k);
        }
    }
    for (int k = 0; k < g->m->nlines; ++k) {
        print_line(g, &g->m->line[k], 1);
    }
}

void gen_print_beam_potentials(gen *g)
{
    gen_print_pack_potentials(g);
    for (int k = 0; k < g->m->nspans; ++k) {
        if (!gen_packed(g, &g->m->span[k])) {
            print_element(g, k, "s->q");
            PUT("    %s_beam_%d_energy(&V, p, f);\n    }\n", g->name, gen_beam_kind(g, k));
        }
        if (g->m->span[k].dM) {
            const int n = print_weight(g, k)->e.n;
            PUT("    real r[%d];\n    T += weight_force(r, dM, a, %d);\n    }\n", 6 * n, n);
        }
    }
    for (int k = 0; k < g->m->nlines; ++k) {
        const mb_line_load *l = &g->m->line[k];
        for (int i = 0; i < g->m->beam[l->beam].nnodes && !l->follower && l->function == 0; ++i) {
            (void)print_load(g, l, i, "s->q");
            PUT("    V -= dot3(F, f.x);\n    }\n");
        }
    }
}

/* What a load that is a function of time, or follows its nodes, feeds in; what damping takes. */
void gen_print_beam_exchange(gen *g, int fed, const char *to)
{
    if (!fed) {
        gen_print_pack_losses(g, to);
    }
    for (int k = 0; k < g->m->nspans && !fed; ++k) {
        if (!gen_packed(g, &g->m->span[k]) && gen_beam_loses(g, &g->m->span[k])) {
            print_element(g, k, "w->q");
            PUT("    %s_beam_%d_loss(&%s, p, f);\n    }\n", g->name, gen_beam_kind(g, k), to);
        }
    }
    for (int k = 0; k < g->m->nlines && fed; ++k) {
        const mb_line_load *l = &g->m->line[k];
        if (!l->follower && l->function == 0) {
            continue; // it has a potential
        }
        open_line(g, l);
        for (int i = 0; i < g->m->beam[l->beam].nnodes; ++i) {
            (void)print_load(g, l, i, "w->q");
            PUT("    %s += dot3(F, f.xd);\n    }\n", to);
        }
        PUT("    }\n");
    }
}

void gen_print_section(gen *g, const mb_output *o)
{
    const mb_beam *b = &g->m->beam[o->beam];
    int k = b->first;
    while (k < b->first + b->count - 1 && o->place > g->m->span[k].node[g->m->span[k].e.n - 1].s) {
        ++k;
    }
    const mb_span *s = print_element(g, k, "s->q");
    const double s0 = s->node[0].s, s1 = s->node[s->e.n - 1].s;
    double l[BEAM_NODES_MAX] = {0.0};
    beam_section_place(l, &s->e, (o->place - s0) / (s1 - s0));
    print_points(g, s, g->how->scalar == DAL_GENERATE_DOUBLE);
    PUT("    real all[12];\n    const real l[%d] = ", npoints(s));
    put_numbers(g, l, npoints(s));
    PUT(s->e.table ? ";\n    lagrange_section(all + 6, all, &table, point, f, l);\n"
                   : ";\n    helicoid_section(all + 6, all, point, f, l[0]);\n");
}
