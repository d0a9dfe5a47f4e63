/* Contacts with the compliant law (CT.16), between shapes whose features stay the same: spheres, and capsules and boxes on planes. */
#include <stdio.h>

#include "generate/contacts_impl.h"
#include "mbs/press.h"

enum { POINTS = 8 };

static int has_bristles(const mb_force *f)
{
    return f->d.bristle > 0.0;
}

dal_status gen_contact_check(gen *g, const mb_force *f)
{
    mb_press point[POINTS];
    const int n = mb_force_contact_points(point, g->m, f), spheres = n > 0 && point[0].a;
    if (n == 0 || (spheres && has_bristles(f))) {
        return dal_fail(g->ctx, DAL_EINVAL, "generate: contact '%s': generated code has %s; the library takes it",
                        gen_force_name(g, f),
                        n == 0 ? "spheres with spheres and planes, and capsules and boxes with planes"
                               : "no bristles between spheres, only friction with slip");
    }
    return DAL_OK;
}

/* ---- memory ----------------------------------------------------------------------------------- */

void gen_contact_memory(gen *g, const mb_force *f)
{
    mb_press point[POINTS];
    const int n = mb_force_contact_points(point, g->m, f), each = has_bristles(f) ? 3 : 1;
    for (int k = 0; k < n * each && g->nmemory < GEN_ANGLES; ++k) {
        const int at = point[k / each].memory + k % each; // speed; bent[i]; with it slid[i]
        g->angle[g->nmemory++] = (gen_angle){.memory = at,
                                             .rate = k % each > 0 ? at + 2 : at,
                                             .name = gen_force_name(g, f),
                                             .contact = f,
                                             .point = k / each,
                                             .component = k % each};
    }
}

/* The first entry of a point. */
static int entry_of(const gen *g, const mb_force *f, int point)
{
    int k = 0;
    while (k < g->nmemory && !(g->angle[k].contact == f && g->angle[k].point == point)) {
        ++k;
    }
    return k;
}

/* ---- a point ---------------------------------------------------------------------------------- */

static void put_number(gen *g, const double *x)
{
    char text[2 * GEN_NAME];
    gen_number_text(g, text, sizeof text, x);
    PUT("%s", text);
}

/* The least speed of approach: of the keys, or a hundredth of the size a second. */
static void put_least_speed(gen *g, const mb_force *f, const mb_press *p)
{
    if (f->d.least_speed > 0.0) {
        put_number(g, &f->d.least_speed);
    } else if (p->b && p->edge) { // capsule
        PUT("0.01 * (0.5 * ");
        put_number(g, p->edge);
        PUT(" + ");
        put_number(g, p->b);
        PUT(")");
    } else if (p->edge) {
        PUT("0.005 * real_sqrt(REAL(0.0)");
        for (int i = 0; i < 3; ++i) {
            if (p->sign[i] != 0) {
                PUT(" + ");
                put_number(g, p->edge + i);
                PUT(" * ");
                put_number(g, p->edge + i);
            }
        }
        PUT(")");
    } else if (p->a) {
        PUT("0.01 * real_min(");
        put_number(g, p->a);
        PUT(", ");
        put_number(g, p->b);
        PUT(")");
    } else {
        PUT("0.01 * ");
        put_number(g, p->b);
    }
}

static void print_law(gen *g, const mb_force *f, const mb_press *p)
{
    const struct {
        const char *name;
        const double *x;
    } number[] = {{"k", &f->d.stiffness},
                  {"n", &f->d.exponent},
                  {"D", &f->row.c2},
                  {"mu", &f->d.mu},
                  {"slip", &f->d.slip},
                  {"bristle", &f->d.bristle},
                  {"damping", &f->d.bristle_damping}};
    PUT("    compliant_law law;\n");
    for (size_t i = 0; i < sizeof number / sizeof number[0]; ++i) {
        PUT("    law.%s = ", number[i].name);
        put_number(g, number[i].x);
        PUT(";\n");
    }
    PUT("    law.v = ");
    put_least_speed(g, f, p);
    PUT(";\n");
}

/* Frames P of a point: that of B moved to it. */
static void print_frames(gen *g, const mb_force *f, const mb_press *p, int level)
{
    const mb_marker *B = &f->marker[1];
    char state[2 * GEN_NAME];
    gen_print_pairing(g, f->marker, level, MB_AXES_A | MB_AXES_B);
    if (!p->edge) {
        return;
    }
    PUT("    const real along[3] = {");
    for (int i = 0; i < 3; ++i) {
        PUT(p->sign[i] == 0 ? "%sREAL(0.0)" : "%s%s0.5 * ", i > 0 ? ", " : "", p->sign[i] < 0 ? "-" : "");
        if (p->sign[i] != 0) {
            put_number(g, p->edge + (p->b ? 0 : i));
        }
    }
    gen_state_text(g, state, sizeof state, B->body);
    PUT("};\n    real corner[3];\n    mat3_mul_vec(corner, A1, 3, along);\n    add3(corner, corner, a1);\n");
    if (B->body == 0) {
        PUT("    mb_side_fixed(&P.side[1], %s, corner, A1);\n", state);
    } else {
        PUT("    mb_side_at(&P.side[1], %s, corner, A1, %d, 1);\n", state, level);
    }
    PUT("    sub3(P.d, P.side[1].p, P.side[0].p);\n");
}

/* Frames P, law, and the point p with its forces; dt: since the last final state, as text. */
static void print_point(gen *g, const mb_force *f, const mb_press *p, int k, int level, const char *dt)
{
    const int entry = entry_of(g, f, k);
    print_frames(g, f, p, level);
    print_law(g, f, p);
    PUT("    const real radius[2] = {");
    p->a ? put_number(g, p->a) : PUT("REAL(0.0)");
    PUT(", ");
    p->b ? put_number(g, p->b) : PUT("REAL(0.0)");
    PUT("};\n    const touch K = touch_of(%d, radius[0], radius[1], &P);\n    compliant_point p;\n"
        "    compliant_meet(&p, %d, &K, &P);\n",
        p->code, p->code);
    if (has_bristles(f)) {
        PUT("    const real bent[2] = {w->s->angle[%d], w->s->angle[%d]}, slid[2] = {w->s->rate[%d], "
            "w->s->rate[%d]};\n",
            entry + 1, entry + 2, entry + 1, entry + 2);
        PUT("    compliant_act(&p, &law, w->s->angle[%d], bent, slid, REAL(0.0) + %s);\n", entry, dt);
    } else {
        PUT("    compliant_act(&p, &law, w->s->angle[%d], NULL, NULL, REAL(0.0));\n", entry);
    }
}

void gen_print_contact_memory(gen *g, int k, const char *dt)
{
    const gen_angle *a = &g->angle[k];
    mb_press point[POINTS];
    mb_force_contact_points(point, g->m, a->contact);
    const char *when = dt ? "solved" : "real_all(1)";
    print_point(g, a->contact, &point[a->point], a->point, 2, dt ? dt : "REAL(0.0)");
    PUT("    const real speed = real_select(p.closed, s->angle[%d], compliant_speed(&p, &P));\n"
        "    s->angle[%d] = s->rate[%d] = real_select(%s, speed, s->angle[%d]);\n",
        k, k, k, when, k);
    for (int i = 0; i < 2 && has_bristles(a->contact); ++i) {
        PUT("    s->angle[%d] = real_select(%s, real_select(p.closed, p.bent[%d], REAL(0.0)), s->angle[%d]);\n",
            k + 1 + i, when, i, k + 1 + i);
        PUT("    s->rate[%d] = real_select(%s, real_select(p.closed, p.rate[%d], REAL(0.0)), s->rate[%d]);\n",
            k + 1 + i, when, 1 + i, k + 1 + i);
    }
}

/* ---- forces ----------------------------------------------------------------------------------- */

static void open_point(gen *g, const mb_force *f, const mb_press *p, int k)
{
    PUT("    { // force %s, point %d\n", gen_comment(gen_force_name(g, f)).s, k);
    print_point(g, f, p, k, 1, "w->t - w->s->t");
}

void gen_print_contact_residual(gen *g, const mb_force *f)
{
    mb_press point[POINTS];
    for (int k = 0, n = mb_force_contact_points(point, g->m, f); k < n; ++k) {
        open_point(g, f, &point[k], k);
        PUT("    real sum[12];\n    compliant_wrench(sum, &p);\n");
        for (int i = 0; i < 2; ++i) {
            if (f->marker[i].body > 0) {
                PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], sum + %d, sum + %d);\n", g->body[f->marker[i].body].id, i,
                    6 * i, 6 * i + 3);
            }
        }
        PUT("    }\n");
    }
}

void gen_print_contact_tangent(gen *g, const mb_force *f)
{
    mb_press point[POINTS];
    for (int k = 0, n = mb_force_contact_points(point, g->m, f); k < n; ++k) {
        open_point(g, f, &point[k], k);
        PUT("    compliant_tangent T;\n    compliant_turn(&T, &p, &P);\n");
        for (int e = 0; e < 4; ++e) {
            const int i = e / 2, j = e % 2, bi = f->marker[i].body, bj = f->marker[j].body;
            char K[3 * GEN_NAME], C[3 * GEN_NAME];
            if (bi > 0 && bj > 0) {
                gen_pair_text(g, bi, bj, 'K', K, sizeof K);
                gen_pair_text(g, bi, bj, 'C', C, sizeof C);
                PUT("    compliant_pair(%s, %s, &T, &p, &P, %d, %d);\n", K, C, i, j);
                gen_pair_of(g, bi, bj)->K |= 15U;
                gen_pair_of(g, bi, bj)->C |= 15U;
            }
        }
        PUT("    }\n");
    }
}

void gen_print_contact_sum(gen *g, const mb_force *f, const char *what, const char *to)
{
    mb_press point[POINTS];
    for (int k = 0, n = mb_force_contact_points(point, g->m, f); k < n; ++k) {
        open_point(g, f, &point[k], k);
        PUT("    %s += p.%s;\n    }\n", to, what);
    }
}
