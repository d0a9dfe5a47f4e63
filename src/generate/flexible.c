/* Flexible bodies: a frame, which moves like a body of type r3so3, and modal coordinates. Sums over the nodes are tables of the
 * program; the kernels flex_*.h find the rest while it runs, the diagonal block of the matrix as a whole. Interface nodes are frames
 * that joints and forces act on: what these do there goes through S (6 x (6 + n)) to all velocities of the body. */
#include <stdio.h>

#include "generate/flexible_impl.h"
#include "mbs/flex_impl.h"

int gen_is_node(const mb_body *b)
{
    return gen_is(b, MB_CHART_NODE);
}

int gen_is_flexible(const mb_body *b)
{
    return b->flex && !gen_is_node(b);
}

int gen_has_flexible(const gen *g)
{
    int some = 0;
    for (int i = 1; i < g->m->body_names.n; ++i) {
        some |= g->m->body[i].flex != NULL;
    }
    return some;
}

int gen_velocities(const mb_body *b)
{
    return gen_is_node(b) ? 0 : b->flex ? 6 + b->flex->n : b->type->nv;
}

static int is_cuda(const gen *g)
{
    return g->how->scalar == DAL_GENERATE_CUDA;
}

/* An array has one number at least. */
static int room(int n)
{
    return n > 0 ? n : 1;
}

double gen_node_arm(const mb_body *b)
{
    const double *a = gen_is_node(b) ? b->flex->a + 3 * (size_t)b->node : NULL;
    return a ? fabs(a[0]) + fabs(a[1]) + fabs(a[2]) : 0.0;
}

/* ---- lifts of the nodes ----------------------------------------------------------------------- */

enum { MODES = 9 }; /* of a part: its square is a block */

/* 3 x 3 block (i, j) of a matrix that starts there in L. */
static void set_block(gen_mat *A, const gen_body *b, int first, int i, int j)
{
    char L[GEN_NAME];
    snprintf(L, sizeof L, "w->L_%.32s", b->id);
    gen_block(A, i, j, 1.0, L, first + i + 6 * j, 6);
}

void gen_set_node_lift(gen *g, int i)
{
    gen_body *b = &g->body[i];
    const int size = 6 * g->m->body[i].nv;
    b->S = b->V = b->Aq = b->Av = gen_zero(6, 6);
    for (int k = 0; k < 3; ++k) {
        b->S.e[7 * k].c = 1.0;
    }
    set_block(&b->S, b, 0, 0, 3);
    set_block(&b->S, b, 0, 3, 3);
    set_block(&b->V, b, size, 0, 3);
    set_block(&b->Aq, b, 2 * size, 0, 3);
    set_block(&b->Av, b, 3 * size, 0, 3);
    set_block(&b->Av, b, 3 * size, 3, 3);
    b->lifted = 1;
}

int gen_modes_parts(const mb_body *b)
{
    return gen_is_node(b) ? (b->flex->n + MODES - 1) / MODES : 0;
}

gen_part gen_modes_of(const gen *g, int node, int k)
{
    const mb_body *b = &g->m->body[node];
    const int first = 6 + (k - 1) * MODES, left = 6 + b->flex->n - first, n = left < MODES ? left : MODES;
    gen_part part = {.v = b->v + first, .first = first, .n = n, .N = gen_identity(n), .Pi = gen_identity(n)};
    gen_mat *to[] = {&part.S, &part.V, &part.Aq, &part.Av};
    for (int m = 0; m < 4; ++m) {
        *to[m] = gen_zero(6, n);
        for (int e = 0; e < 6 * n; ++e) {
            to[m]->e[e] = gen_name(1.0, "w->L_%.32s[%d]", g->body[node].id, 6 * (m * b->nv + first) + e);
        }
    }
    return part;
}

/* ---- which nodes matter in a step ------------------------------------------------------------- */

static int has_marker(const mb_marker marker[2], int body)
{
    return marker && (marker[0].body == body || marker[1].body == body);
}

int gen_touched(const gen *g, int node)
{
    int touched = 0;
    for (int l = 0; l < g->nlinks; ++l) {
        touched |= g->link[l].body == node;
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        touched |= has_marker(f->marker, node);
        for (int i = 0; i < f->d.ninputs; ++i) {
            touched |= has_marker(f->input[i].marker, node);
        }
    }
    for (int k = 0; k < g->nmemory; ++k) {
        const gen_angle *a = &g->angle[k];
        touched |= a->output ? a->output->marker.body == node : has_marker(a->marker, node);
    }
    return touched;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

/* The table flex_NAME_ID, if there is one. */
static void print_table(gen *g, const char *id, const char *name, const double *x, int n)
{
    if (!x) {
        return;
    }
    // devices have no place for static ones
    PUT("%sconst double flex_%s_%s[%d] = {", is_cuda(g) ? "    " : "static ", name, id, room(n));
    for (int i = 0; i < room(n); ++i) {
        char text[GEN_NAME];
        PUT("%s%s", i > 0 ? ", " : "", n > 0 ? gen_literal(text, sizeof text, x[i]) : "0.0");
    }
    PUT("};\n");
}

typedef struct table {
    const char *name;
    const double *x;
    int n;
} table;

enum { TABLES = 12, NODE_TABLES = 4 };

static void tables_of(table to[TABLES], const mb_flex *f)
{
    const int n = f->n, nn = n * n;
    const table all[TABLES] = {{"c0", f->c0, 3},     {"P0", f->P0, 9},     {"Jr", f->Jr, 9},      {"C1", f->C1, 3 * n},
                               {"Hr", f->Hr, 3 * n}, {"P1", f->P1, 9 * n}, {"P2", f->P2, 9 * nn}, {"W", f->W, 9 * nn},
                               {"G", f->G, 3 * nn},  {"M", f->M, nn},      {"K", f->K, nn},       {"D", f->D, n}};
    memcpy(to, all, sizeof all);
}

static void node_tables_of(table to[NODE_TABLES], const mb_body *b)
{
    const flex_node f = mb_flex_node(b->flex, b->node);
    const table all[NODE_TABLES] = {
        {"a", f.a, 3}, {"psi", f.psi, 3 * f.n}, {"theta", f.theta, 3 * f.n}, {"g", f.g, 3 * f.n * f.n}};
    memcpy(to, all, sizeof all);
}

static int tables_for(table to[TABLES], const mb_body *b)
{
    if (gen_is_node(b)) {
        node_tables_of(to, b);
        return NODE_TABLES;
    }
    tables_of(to, b->flex);
    return TABLES;
}

static void print_tables(gen *g, int i)
{
    table t[TABLES];
    const int n = tables_for(t, &g->m->body[i]);
    for (int k = 0; k < n; ++k) {
        print_table(g, g->body[i].id, t[k].name, t[k].x, t[k].n);
    }
}

void gen_print_flexible_tables(gen *g)
{
    for (int i = 1; i < g->m->body_names.n && !is_cuda(g); ++i) {
        if (g->m->body[i].flex) {
            PUT("/* Sums over the nodes of %s, or shapes there (FX.4). */\n", gen_comment(g->m->body_names.name[i]).s);
            print_tables(g, i);
            PUT("\n");
        }
    }
}

/* What the kernels take for a flexible body: f, or for a node: node. */
static void print_numbers(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    table t[TABLES];
    const int n = tables_for(t, b);
    if (is_cuda(g)) {
        print_tables(g, i);
    }
    PUT("    const %s = {%d", gen_is_node(b) ? "flex_node node" : "flex_sums f", b->flex->n);
    for (int k = 0; k < n; ++k) {
        PUT(t[k].x ? ", flex_%s_%s" : ", NULL", t[k].name, g->body[i].id);
    }
    PUT("};\n");
    if (gen_is_node(b)) {
        PUT("    real room[%d];\n", room(FLEX_NODE_ROOM * b->flex->n));
    }
}

void gen_print_flexible_fields(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    if (gen_is_flexible(b)) {
        PUT("    flex_state x_%s;\n    real mc_%s[3], J_%s[9], room_%s[%d];\n", id, id, id, id,
            room(FLEX_ROOM * b->flex->n));
    }
}

/* ---- motion ----------------------------------------------------------------------------------- */

void gen_print_flexible_state(gen *g, int i, const char *q, const char *v)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    PUT("    {\n    // shape of %s (FX.5)\n", gen_comment(g->m->body_names.name[i]).s);
    print_numbers(g, i);
    PUT("    flex_open(&w->x_%s, w->room_%s, %d, %s + %d, %s + %d);\n    flex_update(&w->x_%s, &f);\n", id, id,
        b->flex->n, q, b->q + 7, v, b->v + 6, id);
    PUT("    flex_inertia(w->mc_%s, w->J_%s, &f, &w->x_%s);\n    }\n", id, id, id);
}

void gen_print_node_state(gen *g, int i, const char *q, const char *v, const char *vd, int lifts)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    char at[4 * GEN_NAME];
    if (lifts && !gen_touched(g, i)) {
        return;
    }
    snprintf(at, sizeof at, "%s + %d, %s + %d, %s + %d", q, b->q, v, b->v, vd, b->v);
    PUT("    {\n    // motion of %s (FX.2)\n", gen_comment(g->m->body_names.name[i]).s);
    print_numbers(g, i);
    PUT("    flex_local x;\n    flex_local_at(&x, &node, room, %s);\n    flex_node_state(&w->s_%s, &x, %s);\n", at, id,
        at);
    if (lifts) {
        const int size = 6 * b->nv;
        PUT("    flex_node_map(w->L_%s, &x, %d);\n    memset(w->L_%s + %d, 0, %d * sizeof(real));\n", id, b->flex->n,
            id, size, 3 * size);
        PUT("    flex_node_rates(w->L_%s + %d, w->L_%s + %d, w->L_%s + %d, &x, %d, %s + %d, %s + %d);\n", id, size, id,
            2 * size, id, 3 * size, b->flex->n, v, b->v + 3, vd, b->v + 3);
    }
    PUT("    }\n");
}

/* ---- residual --------------------------------------------------------------------------------- */

/* Numbers f, gravity, mass. */
static void print_mass(gen *g, int i)
{
    print_numbers(g, i);
    PUT("    ");
    gen_array(g, "gravity", g->at->gravity, 3);
    PUT("    ");
    gen_array(g, "m", &g->m->body[i].m, 1);
}

void gen_print_flexible_inertia(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    if (gen_is_node(b)) {
        if (gen_touched(g, i)) {
            PUT("    memset(w->r6_%s, 0, sizeof w->r6_%s);\n", id, id);
        }
        return;
    }
    PUT("    { // inertia, weight and stiffness of %s (FX.6)\n", gen_comment(g->m->body_names.name[i]).s);
    print_mass(g, i);
    PUT("    memset(w->r6_%s, 0, sizeof w->r6_%s);\n", id, id);
    PUT("    inertia_residual(w->r6_%s, m[0], w->mc_%s, w->J_%s, 0, &w->s_%s, gravity);\n", id, id, id, id);
    PUT("    flex_residual(w->r6_%s, &f, &w->x_%s, &w->s_%s, gravity, w->vd + %d);\n    }\n", id, id, id, b->v + 6);
}

/* Nodes of a flexible body follow it. */
static int is_of(const gen *g, int node, int body)
{
    return node < g->m->body_names.n && g->m->body[node].unit == body;
}

void gen_print_flexible_residual(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    if (gen_is_node(b)) {
        return;
    }
    PUT("    for (int i = 0; i < %d; ++i) {\n        w->r[%d + i] = w->r6_%s[i]", gen_velocities(b), b->v,
        g->body[i].id);
    for (int k = i + 1; is_of(g, k, i); ++k) {
        const char *id = g->body[k].id;
        if (gen_touched(g, k)) {
            PUT(" + dot3(w->L_%s + 6 * i, w->r6_%s) + dot3(w->L_%s + 6 * i + 3, w->r6_%s + 3)", id, id, id, id);
        }
    }
    PUT(";\n    }\n");
}

/* ---- matrix ----------------------------------------------------------------------------------- */

/* M, C, K of all velocities: of the body itself, then what acts at its nodes. */
static void print_square(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    const int nv = gen_velocities(b), nn = nv * nv;
    print_mass(g, i);
    PUT("    real M6[36], M[%d], C[%d], K[%d];\n", nn, nn, nn);
    PUT("    inertia_mass(M6, m[0], w->mc_%s, w->J_%s, 0, &w->s_%s);\n", id, id, id);
    PUT("    flex_tangent(M, C, K, &f, &w->x_%s, &w->s_%s, gravity, w->vd + %d);\n    flex_add_frame(M, %d, M6);\n", id,
        id, b->v + 6, nv);
}

static void print_node_share(gen *g, int k, int nv)
{
    const mb_body *b = &g->m->body[k];
    const char *id = g->body[k].id;
    gen_pair *own = gen_pair_of(g, k, k);
    own->K = own->C = 15U;
    char mass[2 * GEN_NAME] = "NULL";
    if (own->M) {
        snprintf(mass, sizeof mass, "w->M_%s", id);
    }
    PUT("    {\n");
    print_numbers(g, k);
    PUT("    flex_add_lifted(M, C, K, %d, w->L_%s, %s, w->C_%s, w->K_%s);\n", nv, id, mass, id, id);
    PUT("    real N[%d];\n    memset(N, 0, sizeof N);\n", nv * nv);
    PUT("    flex_node_curvature(N, &node, room, w->q + %d, w->r6_%s);\n", b->q, id);
    PUT("    for (int i = 0; i < %d; ++i) {\n        K[i] += N[i];\n    }\n    }\n", nv * nv);
}

/* An array of all velocities (nv rows, n columns) to the matrix. */
static void scatter_array(gen *g, int i, const char *array, int n, int column, unsigned scale)
{
    const mb_body *b = &g->m->body[i];
    const int nv = gen_velocities(b);
    for (int j = 0; j < n; ++j) {
        for (int first = 0; first < nv; first += GEN_BLOCK) {
            gen_mat X = gen_zero(nv - first < GEN_BLOCK ? nv - first : GEN_BLOCK, 1);
            for (int r = 0; r < X.m; ++r) {
                X.e[r] = gen_name(1.0, "%s[%d]", array, first + r + j * nv);
            }
            gen_scatter(g, b->v + first, column + j, scale, &X);
        }
    }
}

/* s W E of the rows held at both levels, W in C (GA.10). */
static void print_eta(gen *g, int i)
{
    const int nv = gen_velocities(&g->m->body[i]);
    for (int l = 0; l < g->nlinks; ++l) {
        const gen_link *k = &g->link[l];
        char P[2 * GEN_NAME] = "NULL";
        if (k->first < 0 || k->body <= 0 || g->m->body[k->body].unit != i) {
            continue;
        }
        if (g->c.sigma != 1.0) {
            snprintf(P, sizeof P, "w->P_%s", g->body[i].id);
        }
        const int nr = g->m->constraint[k->c].nrows;
        PUT("    {\n    real E[%d];\n    flex_eta(E, C, %d, w->B0 + %d, %d, %d, %s);\n", nv * nr, nv, k->first, nr,
            g->m->body[k->body].nv, P);
        scatter_array(g, i, "E", nr, g->nv + g->nc + g->eta0[k->c], GEN_S);
        PUT("    }\n");
    }
}

void gen_print_flexible_block(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    const int nv = gen_velocities(b);
    gen_pair *own = gen_pair_of(g, i, i);
    own->K = own->C = 15U;
    PUT("    { // %s: s (W N T^-1 + K) (GA.10)\n", gen_comment(g->m->body_names.name[i]).s);
    print_square(g, i);
    if (own->M) {
        PUT("    flex_add_frame(M, %d, w->M_%s);\n", nv, id);
    }
    PUT("    inertia_tangent(w->C_%s, w->K_%s, w->mc_%s, w->J_%s, 0, &w->s_%s, gravity);\n", id, id, id, id, id);
    PUT("    flex_add_frame(C, %d, w->C_%s);\n    flex_add_frame(K, %d, w->K_%s);\n", nv, id, nv, id);
    for (int k = i + 1; is_of(g, k, i); ++k) {
        if (gen_touched(g, k)) {
            print_node_share(g, k, nv);
        }
    }
    // C becomes W, K the block
    PUT("    for (int i = 0; i < %d; ++i) {\n        C[i] = %s * M[i] + ", nv * nv,
        gen_scale_text(g, GEN_KV | GEN_GP).s);
    PUT("%s * C[i];\n    }\n    flex_turn_columns(K, C, %d, w->N_%s);\n", gen_scale_text(g, GEN_GP).s, nv, id);
    scatter_array(g, i, "K", nv, b->v, GEN_S);
    print_eta(g, i);
    PUT("    }\n");
}

void gen_print_flexible_mass(gen *g, int i)
{
    if (gen_is_flexible(&g->m->body[i])) {
        PUT("    { // %s: M\n", gen_comment(g->m->body_names.name[i]).s);
        print_square(g, i);
        scatter_array(g, i, "M", gen_velocities(&g->m->body[i]), g->m->body[i].v, 0);
        PUT("    }\n");
    }
}

/* ---- energy, momentum, outputs ---------------------------------------------------------------- */

void gen_print_flexible_energies(gen *g, int i)
{
    const char *id = g->body[i].id;
    if (gen_is_node(&g->m->body[i])) {
        return;
    }
    PUT("    { // %s\n", gen_comment(g->m->body_names.name[i]).s);
    print_mass(g, i);
    PUT("    T += inertia_kinetic(m[0], w->mc_%s, w->J_%s, &w->s_%s) + flex_kinetic(&f, &w->x_%s, &w->s_%s);\n", id, id,
        id, id, id);
    PUT("    V += inertia_weight(m[0], w->mc_%s, &w->s_%s, gravity) + flex_strain(&f, &w->x_%s);\n    }\n", id, id, id);
}

void gen_print_flexible_sums(gen *g, int i)
{
    const char *id = g->body[i].id;
    if (gen_is_node(&g->m->body[i])) {
        return;
    }
    PUT("    {\n    ");
    gen_array(g, "m", &g->m->body[i].m, 1);
    PUT("    inertia_sums(c, p, L, m[0], w->mc_%s, w->J_%s, &w->s_%s);\n", id, id, id);
    PUT("    inertia_own(p, L, w->x_%s.p, w->x_%s.L, &w->s_%s);\n    mass += m[0];\n    }\n", id, id, id);
}

void gen_print_flexible_damping(gen *g, int i, const char *to)
{
    const mb_body *b = &g->m->body[i];
    if (gen_is_flexible(b)) {
        PUT("    {\n");
        print_numbers(g, i);
        PUT("    %s += flex_damping(&f, w->v + %d);\n    }\n", to, b->v + 6);
    }
}

void gen_print_recovery(gen *g, int i)
{
    const mb_flex *f = g->m->body[i].flex;
    PUT("    {\n");
    print_table(g, g->body[i].id, "recovery", f->recovery, f->nrecovery * f->n);
    PUT("    real all[%d];\n    flex_times(all, flex_recovery_%s, %d, s->q + %d, %d, 0);\n", f->nrecovery,
        g->body[i].id, f->nrecovery, g->m->body[i].q + 7, f->n);
}
