/* Blocks of the iteration matrix that belong to pairs of bodies. */
#include <stdio.h>

#include "generate/flexible_impl.h"

gen_pair *gen_pair_of(gen *g, int i, int j)
{
    for (int k = 0; k < g->npairs; ++k) {
        if (g->pair[k].i == i && g->pair[k].j == j) {
            return &g->pair[k];
        }
    }
    g->pair[g->npairs] = (gen_pair){.i = i, .j = j};
    return &g->pair[g->npairs++];
}

static void add_blocks(gen_mat *A, unsigned blocks, const char *array)
{
    for (int k = 0; k < 4; ++k) {
        if (blocks & (1U << k)) {
            gen_block(A, 3 * (k % 2), 3 * (k / 2), 1.0, array, 3 * (k % 2) + 18 * (k / 2), 6);
        }
    }
}

/* M, C, K of the frame of body i. */
static void print_frame_blocks(gen *g, int i, gen_mat *M, gen_mat *C, gen_mat *K)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    const gen_pair *own = gen_pair_of(g, i, i);
    char array[2 * GEN_NAME];
    unsigned blocks = own->K;
    gen_print_mass(g, i);
    const gen_term m = gen_number(g, &b->m);
    *M = *C = *K = gen_zero(6, 6);
    gen_mat extra = gen_zero(6, 6);
    for (int k = 0; k < 9; ++k) {
        const gen_term J = gen_number(g, &b->J[k]);
        M->e[3 + k % 3 + (3 + k / 3) * 6] = J;
    }
    M->e[0] = M->e[7] = M->e[14] = m;
    if (!b->type->planar && b->type->rotates) {
        PUT("    real G[9];\n    inertia_gyroscopic(G, J, w->s_%s.Om);\n", id);
        gen_block(C, 3, 3, 1.0, "G", 0, 3);
    }
    if (!b->centred) {
        PUT("    real X[9], Y[9], Z[9];\n    mul_tilde(X, 3, w->s_%s.R, mc);\n    inertia_lever_rate(Y, mc, "
            "&w->s_%s);\n",
            id, id);
        if (!(blocks & 8U)) {
            PUT("    clear_block(w->K_%s + 21, 6);\n", id);
        }
        blocks |= 8U;
        PUT("    inertia_lever_stiffness(Z, w->K_%s + 21, 6, mc, &w->s_%s, gravity);\n", id, id);
        gen_block(M, 0, 3, -1.0, "X", 0, 3);
        for (int k = 0; k < 9; ++k) {
            M->e[3 + k / 3 + k % 3 * 6] = gen_name(-1.0, "X[%d]", k);
        }
        gen_block(C, 0, 3, 1.0, "Y", 0, 3);
        gen_block(&extra, 0, 3, 1.0, "Z", 0, 3);
    } else {
        PUT("    (void)mc;\n    (void)gravity;\n");
    }
    PUT("    (void)m;\n    (void)J;\n");
    gen_mat acting = gen_zero(6, 6);
    if (own->M) {
        snprintf(array, sizeof array, "w->M_%s", id);
        add_blocks(&acting, own->M, array);
        *M = gen_combine(g, "M", 0, M, 0, &acting);
        acting = gen_zero(6, 6);
    }
    snprintf(array, sizeof array, "w->K_%s", id);
    add_blocks(&acting, blocks, array);
    *K = gen_combine(g, "K", 0, &acting, 0, &extra);
    snprintf(array, sizeof array, "w->C_%s", id);
    acting = gen_zero(6, 6);
    add_blocks(&acting, own->C, array);
    *C = gen_combine(g, "C", 0, C, 0, &acting);
}

/* d(S^T r6)/dq for r6 that stays. */
static gen_mat print_curvature(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const int nv = b->type->nv;
    gen_mat N = gen_zero(nv, nv);
    char axis[2 * GEN_NAME] = "";
    if (!g->body[i].lifted) {
        return N;
    }
    if (!gen_sweeps(g)) {
        gen_print_axis(g, b, g->body[i].id); // there it stands at the motion of the body
    }
    if (gen_is(b, MB_CHART_CARDAN)) {
        snprintf(axis, sizeof axis, "axis_%s, ", g->body[i].id);
    }
    PUT("    real Q[%d];\n    curvature_%s(Q, %sw->q + %d, w->r6_%s);\n", nv * nv, gen_chart_of(b)->kernel, axis, b->q,
        g->body[i].id);
    const gen_chart *t = gen_chart_of(b);
    for (int c = t->V[0]; c < t->V[0] + t->V[1]; ++c) {
        for (int r = t->S[0]; r < t->S[0] + t->S[1]; ++r) {
            const int used = c > r || !gen_is(b, MB_CHART_CARDAN); // angles: above the diagonal
            N.e[r + c * nv] = used ? gen_name(1.0, "Q[%d]", r + c * nv) : gen_const(0.0);
        }
    }
    return N;
}

/* N = P^-1 (I + d(T c)/dtheta - (1 - sigma)/gp d(T v1)/dtheta) (GA.7) */
static void print_N(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    const gen_chart t = *gen_chart_of(b);
    const int v = b->v, n2 = t.n * t.n;
    if (gen_flat(b)) {
        return;
    }
    const char *to = g->c.sigma == 1.0 ? "w->N" : "D";
    if (g->c.sigma != 1.0) {
        PUT("    real D_%s[%d];\n", id, n2);
    }
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    {\n        real y[3];\n        so3_dtangent(%s_%s, 3, y, w->x + %d, w->c + %d, w->coef_%s);\n    }\n",
            to, id, v + 3, v + 3, id);
    } else {
        PUT("    %s_dtangent(%s_%s, w->x + %d, w->c + %d, w->coef_%s);\n", t.group, to, id, v, v, id);
    }
    if (g->c.sigma != 1.0) {
        const gen_factor e = gen_power_text(g, (1.0 - g->c.sigma) / g->gp, 1);
        if (gen_is(b, MB_CHART_R3SO3)) {
            PUT("    {\n        real y[3];\n        so3_dtangent(w->N_%s, 3, y, w->x + %d, w->v + %d, w->coef_%s);\n   "
                " "
                "}\n",
                id, v + 3, v + 3, id);
        } else {
            PUT("    %s_dtangent(w->N_%s, w->x + %d, w->v + %d, w->coef_%s);\n", t.group, id, v, v, id);
        }
        PUT("    for (int i = 0; i < %d; ++i) {\n        D_%s[i] -= %s * w->N_%s[i];\n    }\n", n2, id, e.s, id);
    }
    PUT("    for (int i = 0; i < %d; ++i) {\n        %s_%s[%d * i] += 1.0;\n    }\n", t.n, to, id, t.n + 1);
    if (g->c.sigma != 1.0) {
        PUT("    for (int j = 0; j < %d; ++j) {\n        for (int i = 0; i < %d; ++i) {\n            real sum = "
            "REAL(0.0);\n",
            t.n, t.n);
        PUT("            for (int l = 0; l < %d; ++l) {\n                sum += w->P_%s[i + %d * l] * D_%s[l + %d * "
            "j];\n"
            "            }\n            w->N_%s[i + %d * j] = sum;\n        }\n    }\n",
            t.n, id, t.n, id, t.n, id, t.n);
    }
}

/* T^-1 to A, N T^-1 to N: the unknowns of the linear system are T dtheta = dq1, so that B stands in its rows as in its
 * columns and keeps its zeros. */
static void print_inverse(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    const gen_chart t = *gen_chart_of(b);
    const int first = g->body[i].inverse;
    if (gen_flat(b)) {
        return;
    }
    PUT("    {\n");
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    so3_step_inverse(A + %d, 3, w->x + %d, w->coef_%s);\n", first, b->v + 3, id);
    } else {
        PUT(t.n == 6 ? "    se3_invert(A + %d, w->T_%s);\n" : "    mat3_invert(A + %d, 3, w->T_%s, 3);\n", first, id);
    }
    const gen_mat N = gen_factor_N(g, i), Ti = gen_factor_inverse(g, i), NT = gen_mul(g, "N", &N, &Ti);
    for (int k = 0; k < N.m * N.n; ++k) {
        gen_need(g, NT.e[k]); // all of them before N is overwritten
    }
    for (int k = 0; k < N.m * N.n; ++k) {
        if (N.e[k].s[0] && NT.e[k].s[0]) {
            PUT("    %s = %s;\n", N.e[k].s, NT.e[k].s);
        }
    }
    for (int k = first; gen_sweeps(g) && k < first + t.n * t.n; ++k) {
        PUT("    kept->A[%d] = A[%d];\n", k, k);
    }
    PUT("    }\n");
}

/* s W E in the columns of nu, E = P^-1 B0^T of every link to the velocities of a part (GA.10). */
void gen_scatter_eta(gen *g, int row, const gen_part *j, unsigned scale, const gen_mat *W)
{
    for (int l = 0; l < g->nlinks; ++l) {
        const gen_link *k = &g->link[l];
        const mb_body *b = k->body > 0 ? &g->m->body[k->body] : NULL;
        if (!b || b->v + j->first != j->v || j->first >= b->nv || k->first < 0) {
            continue;
        }
        const int nr = g->m->constraint[k->c].nrows, nv = W->n;
        gen_mat B0 = gen_zero(nv, nr);
        for (int e = 0; e < nr * nv; ++e) {
            B0.e[e / nr + e % nr * nv] = gen_name(1.0, "%s->B0[%d]", gen_kept(g), k->first + nr * j->first + e);
        }
        const gen_mat E = gen_mul(g, "E", &j->Pi, &B0), X = gen_mul(g, "Y", W, &E);
        gen_scatter(g, row, g->nv + g->nc + g->eta0[k->c], scale, &X);
    }
}

/* The share of two parts in a block of the matrix, from M, C, K of the frames: s (W N T^-1 + K) (GA.10). */
static void print_share(gen *g, const gen_part *Bi, const gen_part *Bj, const gen_mat *M, const gen_mat *C,
                        const gen_mat *K, const gen_mat *Q)
{
    gen_mat KS = gen_mul(g, "K", K, &Bj->S), CV = gen_mul(g, "K", C, &Bj->V), X = gen_combine(g, "K", 0, &KS, 0, &CV);
    gen_mat Y = gen_mul(g, "C", C, &Bj->S), Mv = gen_zero(Bi->S.n, Bj->S.n);
    if (M) {
        const gen_mat MAq = gen_mul(g, "K", M, &Bj->Aq), MAv = gen_mul(g, "C", M, &Bj->Av),
                      MS = gen_mul(g, "M", M, &Bj->S);
        X = gen_combine(g, "K", 0, &X, 0, &MAq);
        Y = gen_combine(g, "C", 0, &Y, 0, &MAv);
        Mv = gen_tmul(g, "M", &Bi->S, &MS);
    }
    gen_mat Kv = gen_tmul(g, "K", &Bi->S, &X);
    const gen_mat Cv = gen_tmul(g, "C", &Bi->S, &Y);
    if (Q) {
        Kv = gen_combine(g, "K", 0, &Kv, 0, Q);
    }
    const gen_mat W = gen_combine(g, "W", GEN_KV | GEN_GP, &Mv, GEN_GP, &Cv);
    const gen_mat WN = gen_mul(g, "Y", &W, &Bj->N), all = gen_combine(g, "Y", 0, &WN, 0, &Kv);
    gen_scatter(g, Bi->v, Bj->v, GEN_S, &all);
    gen_scatter_eta(g, Bi->v, Bj, GEN_S, &W);
}

/* Block (i, j) of the matrix from M, C, K of the frames. */
static void print_block(gen *g, int i, int j, const gen_mat *M, const gen_mat *C, const gen_mat *K, const gen_mat *Q)
{
    for (int a = 0; a < gen_parts(g, i); ++a) {
        const gen_part Bi = gen_part_of(g, i, a);
        for (int b = 0; b < gen_parts(g, j); ++b) {
            const gen_part Bj = gen_part_of(g, j, b);
            print_share(g, &Bi, &Bj, M, C, K, Q);
        }
    }
}

void gen_print_body_blocks(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        gen_mat M, C, K;
        if (g->m->body[i].flex) {
            if (gen_is_flexible(&g->m->body[i])) {
                gen_print_flexible_block(g, i);
            }
            continue;
        }
        PUT("    { // %s: s (W N T^-1 + K) (GA.10)\n", gen_comment(g->m->body_names.name[i]).s);
        print_frame_blocks(g, i, &M, &C, &K);
        const gen_mat Q = print_curvature(g, i);
        print_block(g, i, i, &M, &C, &K, &Q);
        PUT("    }\n");
    }
    for (int k = 0; k < g->npairs; ++k) {
        const gen_pair *p = &g->pair[k];
        if (p->i == p->j) {
            continue;
        }
        char array[2 * GEN_NAME];
        gen_mat C = gen_zero(6, 6), K = gen_zero(6, 6), M = gen_zero(6, 6);
        snprintf(array, sizeof array, "w->K_%d_%d", p->i, p->j);
        add_blocks(&K, p->K, array);
        array[3] = 'C';
        add_blocks(&C, p->C, array);
        array[3] = 'M';
        add_blocks(&M, p->M, array);
        PUT("    { // %s by %s\n", gen_comment(g->m->body_names.name[p->i]).s,
            gen_comment(g->m->body_names.name[p->j]).s);
        print_block(g, p->i, p->j, p->M ? &M : NULL, &C, &K, NULL);
        PUT("    }\n");
    }
}

/* Blocks of K or C that are added to. */
static void print_clear(gen *g, char kind, const char *name, unsigned blocks)
{
    if (blocks == 15U) {
        PUT("    memset(w->%c_%s, 0, sizeof w->%c_%s);\n", kind, name, kind, name);
        return;
    }
    for (int k = 0; k < 4; ++k) {
        if (blocks & (1U << k)) {
            PUT("    clear_block(w->%c_%s + %d, 6);\n", kind, name, 3 * (k % 2) + 18 * (k / 2));
        }
    }
}

void gen_print_clears(gen *g)
{
    for (int k = 0; k < g->npairs; ++k) {
        const gen_pair *p = &g->pair[k];
        char name[2 * GEN_NAME];
        if (p->i == p->j) {
            snprintf(name, sizeof name, "%s", g->body[p->i].id);
        } else {
            snprintf(name, sizeof name, "%d_%d", p->i, p->j);
        }
        print_clear(g, 'K', name, p->K);
        print_clear(g, 'C', name, p->C);
        print_clear(g, 'M', name, p->M);
    }
}

void gen_print_N(gen *g)
{
    for (int i = 1, n; i<g->m->body_names.n; i += n> 0 ? n : 1) {
        n = gen_moved(g, i);
        if (n > 0) {
            gen_print_turned(g, i, n);
        } else {
            print_N(g, i);
            print_inverse(g, i);
        }
    }
}

/* y = x[from], ... */
static void print_copy(gen *g, int from, int n)
{
    if (!gen_sweeps(g)) {
        PUT("real y[%d];\n        memcpy(y, x + %d, sizeof y);\n", n, from);
        return;
    }
    PUT("const real y[%d] = {", n); // with each entry by its name: see demand.c
    for (int k = 0; k < n; ++k) {
        PUT("%sx[%d]", k > 0 ? ", " : "", from + k);
    }
    PUT("};\n");
}

/* x = T^-1 x of the bodies that turn */
void gen_print_turn_back(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        const gen_chart t = *gen_chart_of(b);
        if (gen_flat(b)) {
            continue;
        }
        const int v = b->v + t.first;
        PUT("    { // theta of %s\n        ", gen_comment(g->m->body_names.name[i]).s);
        print_copy(g, v, t.n);
        if (t.n == 6) {
            PUT("        se3_apply(x + %d, A + %d, y);\n    }\n", v, g->body[i].inverse);
        } else {
            PUT("        mat3_mul_vec(x + %d, A + %d, 3, y);\n    }\n", v, g->body[i].inverse);
        }
    }
}
