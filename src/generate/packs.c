/* Elements of beams, and bodies that follow each other as their nodes do, several at a time: in a program of doubles the kernels of elements with two nodes are compiled for vectors of
 * PACK of them, as wide as the machine has them. Each element gets what it would get alone, to the last bit. */
#include <stdio.h>

#include "generate/beams_impl.h"
#include "generate/flexible_impl.h"

int gen_packed(const gen *g, const mb_span *s)
{
    return g->how->scalar == DAL_GENERATE_DOUBLE && !s->e.table;
}

/* numbers of an element: of a frame, of its point, of its forces, of a matrix */
enum { FRAME = 13, NUMBERS = 8, FORCES = 12, MATRIX = 144 };

/* ---- functions of a section ------------------------------------------------------------------- */

/* Opens a function of n elements with the frames F and the numbers P, in which p and f are those of PACK of them. */
static void print_function(gen *g, int k, const char *name, const char *results)
{
    PUT("%s void %s_beam_%d_%s(%s, const double *P, const double *F, int n)\n{\n",
        gen_large(g) ? "PHASE" : "static inline", g->name, k, name, results);
    PUT("    for (int e = 0; e < n; e += PACK) {\n    real p[%d];\n    beam_frame f[2];\n", NUMBERS);
    PUT("    pack_load(p, P + e, %d);\n    pack_load_frame(&f[0], F + e);\n    pack_load_frame(&f[1], F + %d + e);\n",
        NUMBERS, PACK_ROOM * FRAME);
}

/* A number of each element. */
static void print_sum(gen *g, int k, const char *name, const char *of)
{
    print_function(g, k, name, "double *V");
    PUT("    real y[1] = {REAL(0.0)};\n    %s_beam_%d_%s(y, p, f);\n    pack_store(V + e, y, 1);\n    }\n}\n\n",
        g->name, k, of);
}

static void print_kind(gen *g, int k)
{
    const int damped = beam_damped(&g->m->span[k].e);
    gen_print_beam_kind(g, k);
    print_function(g, k, "forces", "double *r");
    PUT("    real y[%d];\n    %s_beam_%d_force(y, p, f);\n    pack_store(r + e, y, %d);\n    }\n}\n\n", FORCES, g->name,
        k, FORCES);
    if (!gen_rattlie(g)) {
        print_function(g, k, "tangents", damped ? "double *K, double *C" : "double *K");
        PUT("    real y[%d]", MATRIX);
        PUT(damped ? ", z[%d];\n" : ";\n", MATRIX);
        PUT("    %s_beam_%d_tangent(y, %c, p, f);\n    pack_spread(K + %d * e, y, %d);\n", g->name, k,
            damped ? 'z' : 'y', MATRIX, MATRIX);
        PUT(damped ? "    pack_spread(C + %d * e, z, %d);\n    }\n}\n\n" : "    }\n}\n\n", MATRIX, MATRIX);
    }
    print_sum(g, k, "energies", "energy");
    if (gen_beam_loses(g, &g->m->span[k])) {
        print_sum(g, k, "losses", "loss");
    }
}

/* ---- bodies side by side ---------------------------------------------------------------------- */

/* How many bodies from i on, all of positions and quaternions one after the other, are moved together? Fewer than a pack may have
 * places are not, nor any in a program without packs. */
int gen_moved(const gen *g, int i)
{
    int n = 0, packs = 0;
    for (int k = 0; k < g->m->nspans && !gen_rattlie(g); ++k) {
        packs |= gen_packed(g, &g->m->span[k]);
    }
    while (packs && i + n < g->m->body_names.n && gen_is_direct(g, &g->m->body[i + n]) &&
           gen_velocities(&g->m->body[i + n]) == 6 && g->m->body[i + n].v == g->m->body[i].v + 6 * n &&
           g->m->body[i + n].q == g->m->body[i].q + 7 * n) {
        ++n;
    }
    return n < PACK_ROOM ? 0 : n;
}

/* theta -> q1 (GA.1) and theta + T c (GA.6) of n bodies. The last ones are taken together with some before them. */
static void print_move(gen *g)
{
    PUT("/* Places and velocities of n bodies, PACK at a time. */\n");
    PUT("PHASE void %s_move_pack(double *const coef[], double *restrict q1, double *restrict u, const double *q, const "
        "double *x, "
        "const double *c, int n)\n{\n",
        g->name);
    PUT("    for (int m = 0; m < n; m += PACK) {\n    const int at = m + PACK <= n ? m : n - PACK;\n"
        "    double *to = q1 + 7 * at + 3, *turn = u + 6 * at + 3;\n    const int v = 6 * at + 3;\n"
        "    real w[3], h[3], p[4], r[4], y[3], a[COEF_USED];\n"
        "    real_gather(w, x + v, 6, 3);\n    real_gather(h, c + v, 6, 3);\n    real_gather(p, q + 7 * at + 3, 7, "
        "4);\n"
        "    angle_to_first(a, w);\n    so3_retract(r, p, w, a);\n    so3_step_apply(y, h, w, a);\n"
        "    for (int i = 0; i < 3; ++i) {\n    y[i] += w[i];\n    }\n"
        "    real_scatter(to, 7, r, 4);\n    real_scatter(turn, 6, y, 3);\n    real_part(coef + at, a, COEF_D3 + 1);\n "
        "   }\n");
    PUT("    for (int m = 0; m < n; ++m) {\n    for (int i = 0; i < 3; ++i) {\n"
        "    q1[7 * m + i] = q[7 * m + i] + x[6 * m + i];\n    u[6 * m + i] = x[6 * m + i] + c[6 * m + i];\n    }\n    "
        "}\n}\n\n");
}

/* N T^-1 and T^-1, N = I + d(T c)/dtheta, of n bodies (GA.10) */
static void print_turn(gen *g)
{
    PUT("/* N T^-1 and T^-1 of n bodies, PACK at a time. */\n");
    PUT("PHASE void %s_turn_pack(double *const N[], double *const T[], double *const coef[], const double *x, const "
        "double "
        "*c, "
        "int n)\n{\n",
        g->name);
    PUT("    for (int m = 0; m < n; m += PACK) {\n    const int at = m + PACK <= n ? m : n - PACK;\n"
        "    real w[3], h[3], y[3], a[COEF_USED], D[9], X[9], Y[9];\n    real_gather(w, x + 6 * at + 3, 6, 3);\n"
        "    real_gather(h, c + 6 * at + 3, 6, 3);\n    real_whole(a, coef + at, COEF_D3 + 1);\n"
        "    so3_dtangent(D, 3, y, w, h, a);\n    so3_step_inverse(X, 3, w, a);\n");
    PUT("    for (int i = 0; i < 3; ++i) {\n    D[4 * i] += 1.0;\n    }\n    block_mul(Y, D, 3, X, 3);\n"
        "    real_part(N + at, Y, 9);\n    real_part(T + at, X, 9);\n    }\n}\n\n");
}

static void print_arrays(gen *g, const char *name, const char *field, int i, int n)
{
    PUT("    double *const %s[%d] = {", name, n);
    for (int k = 0; k < n; ++k) {
        PUT("%sw->%s_%s", k > 0 ? ", " : "", field, g->body[i + k].id);
    }
    PUT("};\n");
}

void gen_print_turned(gen *g, int i, int n)
{
    const mb_body *b = &g->m->body[i];
    PUT("    {\n");
    print_arrays(g, "coef", "coef", i, n);
    print_arrays(g, "N", "N", i, n);
    PUT("    double *const T[%d] = {", n);
    for (int k = 0; k < n; ++k) {
        PUT("%sA + %d", k > 0 ? ", " : "", g->body[i + k].inverse);
    }
    PUT("};\n    %s_turn_pack(N, T, coef, w->x + %d, w->c + %d, %d);\n    }\n", g->name, b->v, b->v, n);
}

void gen_print_moved(gen *g, int i, int n)
{
    const mb_body *b = &g->m->body[i];
    PUT("    {\n");
    print_arrays(g, "coef", "coef", i, n);
    PUT("    %s_move_pack(coef, w->q + %d, u + %d, s->q + %d, w->x + %d, w->c + %d, %d);\n    }\n", g->name, b->q, b->v,
        b->q, b->v, b->v, n);
}

void gen_print_packs(gen *g)
{
    int moved = 0;
    for (int k = 0; k < g->m->nspans; ++k) {
        if (gen_packed(g, &g->m->span[k]) && gen_beam_kind(g, k) == k) {
            print_kind(g, k);
        }
    }
    for (int i = 1; i < g->m->body_names.n; ++i) {
        moved |= gen_moved(g, i) > 0;
    }
    if (moved) {
        print_move(g);
        print_turn(g);
    }
}

/* ---- elements --------------------------------------------------------------------------------- */

/* How many elements from k on, at most PACK_ROOM, are evaluated together? */
static int run_of(const gen *g, int k)
{
    int n = 0;
    while (n < PACK_ROOM && k + n < g->m->nspans && gen_packed(g, &g->m->span[k + n]) &&
           gen_beam_kind(g, k + n) == gen_beam_kind(g, k)) {
        ++n;
    }
    return n;
}

/* Halves of vectors of eight cost as much as wholes: they are worth it where few are empty (20 elements: four at a time take 6 % less
 * of a step, 16: 3 % more). */
int gen_pack_width(const gen *g)
{
    int eights = 0, fours = 0;
    for (int k = 0, n; k<g->m->nspans; k += n> 0 ? n : 1) {
        n = run_of(g, k);
        eights += (n + 7) / 8;
        fours += (n + 3) / 4;
    }
    return 2 * eights - fours > fours / 16 ? 4 : 8;
}

/* Opens the block of n elements from k on with their numbers P. */
static void print_run(gen *g, int k, int n)
{
    char text[GEN_NAME];
    PUT("    { // beam %s, %d elements from %g\n    _Alignas(64) static const double P[%d] = {",
        gen_comment(gen_beam_name(g, &g->m->span[k])).s, n, g->m->span[k].node->s, NUMBERS * PACK_ROOM);
    for (int i = 0; i < NUMBERS * PACK_ROOM; ++i) {
        const int e = i % PACK_ROOM;
        double p[NUMBERS];
        gen_beam_numbers(p, &g->m->span[k + (e < n ? e : n - 1)]);
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, p[i / PACK_ROOM]));
    }
    PUT("};\n");
}

/* Their frames to F. */
static void print_frames(gen *g, int k, int n, const char *q)
{
    for (int e = 0; e < n; ++e) {
        for (int i = 0; i < 2; ++i) {
            PUT("    {\n    beam_frame f;\n");
            gen_print_node(g, &g->m->span[k + e].node[i], i, "&f", q);
            PUT("    pack_store_frame(F + %d, &f);\n    }\n", PACK_ROOM * FRAME * i + e);
        }
    }
    if (n < PACK_ROOM) {
        PUT("    pack_fill(F, %d, %d, PACK);\n", 2 * FRAME, n);
    }
}

void gen_print_pack_fields(gen *g)
{
    for (int k = 0, n; k<g->m->nspans; k += n> 0 ? n : 1) {
        n = run_of(g, k);
        if (n > 0) {
            PUT("    double F_%d[%d], r_%d[%d]; /* frames and forces of elements */\n", k, 2 * FRAME * PACK_ROOM, k,
                FORCES * PACK_ROOM);
        }
    }
}

void gen_print_pack_residuals(gen *g)
{
    for (int k = 0, n; k<g->m->nspans; k += n> 0 ? n : 1) {
        n = run_of(g, k);
        if (n == 0) {
            continue;
        }
        print_run(g, k, n);
        PUT("    double *F = w->F_%d;\n", k);
        print_frames(g, k, n, "w->q");
        PUT("    %s_beam_%d_forces(w->r_%d, P, F, %d);\n", g->name, gen_beam_kind(g, k), k, n);
        for (int e = 0; e < n; ++e) {
            PUT("    {\n");
            gen_print_arms(g, &g->m->span[k + e]);
            PUT("    double r[%d];\n    pack_take(r, w->r_%d + %d, %d);\n", FORCES, k, e, FORCES);
            gen_print_node_forces(g, &g->m->span[k + e]);
            PUT("    }\n");
        }
        PUT("    }\n");
    }
}

/* The residual was evaluated there: frames and forces are known. */
void gen_print_pack_tangents(gen *g)
{
    for (int k = 0, n; k<g->m->nspans; k += n> 0 ? n : 1) {
        const int damped = beam_damped(&g->m->span[k].e);
        n = run_of(g, k);
        if (n == 0) {
            continue;
        }
        print_run(g, k, n);
        PUT("    double Ks[%d]", MATRIX * PACK_ROOM);
        PUT(damped ? ", Cs[%d];\n" : ";\n", MATRIX * PACK_ROOM);
        PUT("    %s_beam_%d_tangents(Ks, %sP, w->F_%d, %d);\n", g->name, gen_beam_kind(g, k), damped ? "Cs, " : "", k,
            n);
        for (int e = 0; e < n; ++e) {
            const mb_span *s = &g->m->span[k + e];
            PUT("    {\n    const double *K = Ks + %d;\n", MATRIX * e);
            if (damped) {
                PUT("    const double *C = Cs + %d;\n", MATRIX * e);
            }
            if (gen_beam_turned(s)) {
                gen_print_arms(g, s);
                PUT("    double r[%d];\n    pack_take(r, w->r_%d + %d, %d);\n", FORCES, k, e, FORCES);
            }
            gen_print_beam_blocks(g, s);
            PUT("    }\n");
        }
        PUT("    }\n");
    }
}

/* `to` += a number of each of n elements from k on */
static void print_run_sum(gen *g, int k, int n, const char *name, const char *q, const char *to)
{
    print_run(g, k, n);
    PUT("    double F[%d];\n", 2 * FRAME * PACK_ROOM);
    print_frames(g, k, n, q);
    PUT("    _Alignas(64) double Vs[%d];\n    %s_beam_%d_%s(Vs, P, F, %d);\n", PACK_ROOM, g->name, gen_beam_kind(g, k),
        name, n);
    PUT("    for (int e = 0; e < %d; ++e) {\n    %s += Vs[e];\n    }\n    }\n", n, to);
}

void gen_print_pack_potentials(gen *g)
{
    for (int k = 0, n; k<g->m->nspans; k += n> 0 ? n : 1) {
        n = run_of(g, k);
        if (n > 0) {
            print_run_sum(g, k, n, "energies", "s->q", "V");
        }
    }
}

void gen_print_pack_losses(gen *g, const char *to)
{
    for (int k = 0, n; k<g->m->nspans; k += n> 0 ? n : 1) {
        n = run_of(g, k);
        if (n > 0 && gen_beam_loses(g, &g->m->span[k])) {
            print_run_sum(g, k, n, "losses", "w->q", to);
        }
    }
}
