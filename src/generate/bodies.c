/* Bodies: from the unknowns of a step to their states, their inertia, and the blocks of the matrix that belong to pairs
 * of them. */
#include <ctype.h>
#include <stdio.h>

#include "generate/flexible_impl.h"

/* A range of columns. */
#define TO(first, count) \
    {                    \
        first, count     \
    }

static const gen_chart charts[] = {
    [MB_CHART_NODE] = {.kernel = "node", .q = "those of its body", .v = "those of its body"},
    [MB_CHART_R3SO3] = {.kernel = "r3so3",
                        .q = "position, quaternion",
                        .v = "velocity (world), angular velocity (body axes)",
                        .translates = 3,
                        .rotates = 3,
                        .group = "so3",
                        .n = 3,
                        .first = 3,
                        .coefficients = "angle_to_first",
                        .bracket = "cross3",
                        .quaternion = 1},
    [MB_CHART_SE3] = {.kernel = "se3",
                      .q = "position, quaternion",
                      .v = "velocity, angular velocity (body axes)",
                      .rotates = 3,
                      .group = "se3",
                      .n = 6,
                      .coefficients = "angle_to_second",
                      .bracket = "se3_bracket",
                      .rows = TO(0, 3),
                      .S = TO(0, 3),
                      .V = TO(3, 3),
                      .Av = TO(0, 6),
                      .quaternion = 1},
    [MB_CHART_EULER] = {.kernel = "euler",
                        .q = "position, Euler parameters",
                        .v = "their rates",
                        .translates = 3,
                        .rows = TO(3, 3),
                        .S = TO(3, 4),
                        .V = TO(3, 4),
                        .Av = TO(3, 4)},
    [MB_CHART_TEXTBOOK] = {.kernel = "textbook",
                           .q = "position, Euler parameters",
                           .v = "their rates",
                           .translates = 3,
                           .rows = TO(3, 3),
                           .S = TO(3, 4),
                           .V = TO(3, 4),
                           .Av = TO(3, 0)},
    [MB_CHART_CARDAN] = {.kernel = "cardan",
                         .q = "position, three angles",
                         .v = "their rates",
                         .translates = 3,
                         .rows = TO(3, 3),
                         .S = TO(3, 3),
                         .V = TO(3, 3),
                         .Av = TO(3, 3)},
    [MB_CHART_VECTOR] = {.kernel = "vector",
                         .q = "position, rotation vector",
                         .v = "their rates",
                         .translates = 3,
                         .rows = TO(3, 3),
                         .S = TO(3, 3),
                         .V = TO(3, 3),
                         .Av = TO(3, 3)},
    [MB_CHART_POINT] = {.kernel = "point", .q = "position", .v = "velocity", .translates = 3},
    [MB_CHART_PLANAR] = {.kernel = "planar", .q = "x, y, angle", .v = "their rates", .translates = 2, .about_z = 1},
    [MB_CHART_PLANAR_SE2] = {.kernel = "se2",
                             .q = "x, y, angle",
                             .v = "velocity (body axes), rate of the angle",
                             .about_z = 1,
                             .group = "se2",
                             .n = 3,
                             .coefficients = "angle_about_z",
                             .bracket = "se2_bracket",
                             .rows = TO(0, 2),
                             .S = TO(0, 2),
                             .V = TO(2, 1),
                             .Av = TO(0, 3)},
};

const gen_chart *gen_chart_of(const mb_body *b)
{
    return &charts[b->type->chart];
}

int gen_is(const mb_body *b, mb_chart chart)
{
    return b->type->chart == chart;
}

int gen_flat(const mb_body *b)
{
    return gen_chart_of(b)->n == 0;
}

/* ---- S and its derivatives (MB.2) ------------------------------------------------------------- */

static void fill(gen_mat *A, const char *array, int first, const int rows[2], const int columns[2])
{
    for (int j = columns[0]; j < columns[0] + columns[1]; ++j) {
        for (int i = rows[0]; i < rows[0] + rows[1]; ++i) {
            A->e[i + j * A->m] = gen_name(1.0, "%s[%d]", array, first + i + 6 * j);
        }
    }
}

static void set_lift(gen_body *B, const mb_body *b)
{
    char L[GEN_NAME];
    const gen_chart *c = gen_chart_of(b);
    const int nv = b->type->nv, size = 6 * nv;
    snprintf(L, sizeof L, "w->L_%.32s", B->id);
    B->S = B->V = B->Aq = B->Av = gen_zero(6, nv);
    for (int i = 0; i < c->translates; ++i) {
        B->S.e[7 * i].c = 1.0;
    }
    for (int i = 3; i < 3 + c->rotates; ++i) {
        B->S.e[7 * i].c = 1.0;
    }
    if (c->about_z) {
        B->S.e[5 + 6 * 2].c = 1.0;
    }
    fill(&B->S, L, 0, c->rows, c->S);
    fill(&B->V, L, size, c->rows, c->V);
    fill(&B->Aq, L, 2 * size, c->rows, c->V);
    fill(&B->Av, L, 3 * size, c->rows, c->Av);
    B->lifted = c->rows[1] > 0;
}

/* A name for C, different from all before it; no digit comes first, as in the arrays of two bodies. */
static void set_id(gen *g, int i)
{
    const char *name = g->m->body_names.name[i];
    char *id = g->body[i].id;
    size_t n = 0;
    for (; name[n] != '\0' && n < 24; ++n) {
        const int plain = n > 0 ? isalnum((unsigned char)name[n]) : isalpha((unsigned char)name[n]);
        id[n] = plain ? name[n] : '_';
    }
    id[n] = '\0';
    for (int k = 0, number = i; k < i; ++k) {
        if (strcmp(g->body[k].id, id) == 0) {
            snprintf(id + n, GEN_NAME - n, "_%d", number++);
            k = -1; // that one may be taken too
        }
    }
}

dal_status gen_bodies(gen *g)
{
    const dal_model *m = g->m;
    for (int i = 0; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        set_id(g, i);
        if (i == 0) {
            continue;
        }
        if (gen_is(b, MB_CHART_OTHER)) {
            return dal_fail(g->ctx, DAL_EINVAL, "generate: body '%s' is of type %s, which generated code does not have",
                            m->body_names.name[i], b->type->name);
        }
        g->body[i].massless = gen_massless(&m->body[b->unit]);
        if (gen_is_node(b)) {
            gen_set_node_lift(g, i);
        } else {
            set_lift(&g->body[i], b);
        }
    }
    return DAL_OK;
}

void gen_state_text(const gen *g, char *to, size_t size, int body)
{
    snprintf(to, size, "&w->s_%s", g->body[body].id);
}

int gen_is_direct(const gen *g, const mb_body *b)
{
    return gen_is(b, MB_CHART_R3SO3) && g->c.sigma == 1.0;
}

void gen_print_body_fields(gen *g)
{
    for (int i = 0; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        const char *id = g->body[i].id;
        const int nv = i > 0 ? b->type->nv : 0;
        PUT("    mb_state s_%s;\n", id);
        if (i == 0) {
            continue;
        }
        PUT("    real r6_%s[%d], K_%s[36], C_%s[36];\n", id, gen_is_flexible(b) ? gen_velocities(b) : 6, id, id);
        gen_print_flexible_fields(g, i);
        if (gen_pair_of(g, i, i)->M) {
            PUT("    real M_%s[36];\n", id);
        }
        if (!gen_flat(b)) {
            const int n = gen_is(b, MB_CHART_R3SO3) ? 3 : nv;
            PUT("    real coef_%s[COEF_USED], N_%s[%d]", id, id, n * n);
            if (!gen_is_direct(g, b)) {
                PUT(", T_%s[%d]", id, n * n);
            }
            if (g->c.sigma != 1.0) {
                PUT(", P_%s[%d]", id, n * n);
            }
            PUT(";\n");
        }
        if (g->body[i].lifted) {
            PUT("    real L_%s[%d]; /* S, V, Aq, Av (MB.2) */\n", id, 24 * b->nv);
        }
    }
}

/* ---- kinematics of a step --------------------------------------------------------------------- */

/* Arrays that hold T, N, P^-1 of a body: a full block, or its rotation block alone. */
static gen_mat factor_matrix(const gen *g, int body, const char *array)
{
    const mb_body *b = &g->m->body[body];
    const int nv = b->type->nv;
    gen_mat T = gen_identity(nv);
    if (gen_is(b, MB_CHART_R3SO3)) {
        gen_block(&T, 3, 3, 1.0, array, 0, 3);
    } else if (gen_is(b, MB_CHART_SE3)) {
        gen_block(&T, 0, 0, 1.0, array, 0, 6);
        gen_block(&T, 0, 3, 1.0, array, 18, 6);
        gen_block(&T, 3, 3, 1.0, array, 21, 6);
    } else if (gen_is(b, MB_CHART_PLANAR_SE2)) {
        for (int k = 0; k < 8; ++k) {
            T.e[k] = k % 3 < 2 ? gen_name(1.0, "%s[%d]", array, k) : gen_const(0.0);
        }
    }
    return T;
}

gen_mat gen_factor_inverse(const gen *g, int body)
{
    const int first = g->body[body].inverse;
    gen_mat T = factor_matrix(g, body, "A");
    for (int k = 0; k < T.m * T.n; ++k) {
        int at;
        if (sscanf(T.e[k].s, "A[%d]", &at) == 1) {
            T.e[k] = gen_name(1.0, "A[%d]", first + at);
        }
    }
    return T;
}

gen_mat gen_factor_N(const gen *g, int body)
{
    char array[2 * GEN_NAME];
    snprintf(array, sizeof array, "w->N_%s", g->body[body].id);
    return factor_matrix(g, body, array);
}

static gen_mat factor_Pi(const gen *g, int body)
{
    char array[2 * GEN_NAME];
    snprintf(array, sizeof array, "w->P_%s", g->body[body].id);
    return g->c.sigma == 1.0 ? gen_identity(g->m->body[body].type->nv) : factor_matrix(g, body, array);
}

int gen_parts(const gen *g, int body)
{
    return 1 + gen_modes_parts(&g->m->body[body]);
}

gen_part gen_part_of(const gen *g, int body, int k)
{
    const gen_body *b = &g->body[body];
    const int unit = g->m->body[body].unit;
    if (k > 0) {
        return gen_modes_of(g, body, k);
    }
    return (gen_part){g->m->body[body].v, 0, b->S.n, b->S, b->V, b->Aq, b->Av, gen_factor_N(g, unit),
                      factor_Pi(g, unit)};
}

/* T, and P^-1 with P = sigma I + (1 - sigma) T (GA.6) */
static void print_tangent(gen *g, const mb_body *b, const char *id)
{
    const gen_chart t = *gen_chart_of(b);
    char number[GEN_NAME], rest[GEN_NAME];
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    so3_tangent(w->T_%s, 3, w->x + %d, w->coef_%s);\n", id, b->v + 3, id);
    } else {
        PUT("    %s_tangent(w->T_%s, w->x + %d, w->coef_%s);\n", t.group, id, b->v, id);
    }
    if (g->c.sigma == 1.0) {
        return;
    }
    gen_literal(number, sizeof number, g->c.sigma);
    gen_literal(rest, sizeof rest, 1.0 - g->c.sigma);
    PUT("    {\n        real P[%d];\n        for (int i = 0; i < %d; ++i) {\n            P[i] = %s * w->T_%s[i];\n     "
        "   }\n",
        t.n * t.n, t.n * t.n, rest, id);
    PUT("        for (int i = 0; i < %d; ++i) {\n            P[%d * i] += %s;\n        }\n", t.n, t.n + 1, number);
    PUT(t.n == 6 ? "        se3_invert(w->P_%s, P);\n    }\n" : "        mat3_invert(w->P_%s, 3, P, 3);\n    }\n", id);
}

/* n coordinates of a vector space */
static void print_trial_flat(gen *g, int q, int v, int n)
{
    if (n > 0) {
        PUT("    for (int i = 0; i < %d; ++i) {\n", n);
        PUT("        w->q[%d + i] = s->q[%d + i] + w->x[%d + i];\n        u[%d + i] = w->x[%d + i] + w->c[%d + i];\n   "
            " }\n",
            q, q, v, v, v, v);
    }
}

/* theta -> q1 (GA.1), v1 = gp P^-1 (theta + T c + B0^T nu) (GA.6) */
static void print_trial_of(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    const int v = b->v, q = b->q, nv = b->type->nv;
    const gen_chart t = *gen_chart_of(b);
    PUT("    // %s\n", gen_comment(g->m->body_names.name[i]).s);
    print_trial_flat(g, b->q + b->type->nq, v + nv, gen_velocities(b) - nv);
    if (gen_flat(b)) {
        print_trial_flat(g, q, v, nv);
        return;
    }
    PUT(t.about_z ? "    %s(w->coef_%s, w->x[%d]);\n" : "    %s(w->coef_%s, w->x + %d);\n", t.coefficients, id,
        v + (t.about_z ? 2 : 3));
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    add3(w->q + %d, s->q + %d, w->x + %d);\n    so3_retract(w->q + %d, s->q + %d, w->x + %d, "
            "w->coef_%s);\n",
            q, q, v, q + 3, q + 3, v + 3, id);
    } else {
        PUT("    %s_retract(w->q + %d, s->q + %d, w->x + %d, w->coef_%s);\n", t.group, q, q, v, id);
    }
    const int direct = gen_is_direct(g, b);
    if (!direct) {
        print_tangent(g, b, id);
    }
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    add3(u + %d, w->x + %d, w->c + %d);\n", v, v, v);
    }
    if (direct) {
        PUT("    so3_step_apply(u + %d, w->c + %d, w->x + %d, w->coef_%s);\n", v + 3, v + 3, v + 3, id);
    } else if (t.n == 6) {
        PUT("    se3_apply(u + %d, w->T_%s, w->c + %d);\n", v, id, v);
    } else {
        PUT("    mat3_mul_vec(u + %d, w->T_%s, 3, w->c + %d);\n", v + t.first, id, v + t.first);
    }
    PUT("    for (int i = %d; i < %d; ++i) {\n        u[i] += w->x[i];\n    }\n", v + t.first, v + nv);
}

/* u += B0^T nu (GA.6); body: of one of them, 0: of all */
static void print_eta(gen *g, int body)
{
    const char *from = gen_kept(g);
    for (int l = 0; l < g->nlinks; ++l) {
        const gen_link *k = &g->link[l];
        const mb_constraint *c = &g->m->constraint[k->c];
        const mb_body *b = k->body > 0 ? &g->m->body[k->body] : NULL;
        if (b && k->first >= 0 && (body == 0 || body == k->body)) {
            PUT("    for (int i = 0; i < %d; ++i) {\n        for (int r = 0; r < %d; ++r) {\n", b->nv, c->nrows);
            PUT("            u[%d + i] += %s->B0[%d + r + %d * i] * %s->x[%d + r];\n        }\n    }\n", b->v, from,
                k->first, c->nrows, from, g->nv + g->nc + g->eta0[k->c]);
        }
    }
}

/* u = P^-1 u (GA.6) */
static void print_turned(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const gen_chart t = *gen_chart_of(b);
    if (gen_flat(b) || g->c.sigma == 1.0) {
        return;
    }
    PUT("    {\n        real y[%d];\n", t.n);
    if (t.n == 6) {
        PUT("        se3_apply(y, w->P_%s, u + %d);\n", g->body[i].id, b->v);
    } else {
        PUT("        mat3_mul_vec(y, w->P_%s, 3, u + %d);\n", g->body[i].id, b->v + t.first);
    }
    PUT("        memcpy(u + %d, y, sizeof y);\n    }\n", b->v + t.first);
}

/* (GA.3), (GA.4) of velocities from `from` to `to` */
static void print_velocities(gen *g, int from, int to)
{
    const gen_factor gp = gen_scale_text(g, GEN_GP), kv = gen_scale_text(g, GEN_KV);
    PUT("    for (int i = %d; i < %d; ++i) {\n        w->v[i] = %s * u[i];\n", from, to, gp.s);
    PUT("        w->vd[i] = %s * w->v[i] + w->d[i]; // (GA.3), (GA.4)\n    }\n", kv.s);
}

static void print_trial_of_force(gen *g, int k)
{
    const mb_force *f = &g->m->force[k];
    if (f->factor >= 0) {
        PUT("    // %s\n    w->q[%d] = s->q[%d] + w->x[%d];\n    u[%d] = w->x[%d] + w->c[%d];\n",
            gen_comment(g->m->force_names.name[k]).s, f->q, f->q, f->v, f->v, f->v, f->v);
    }
}

void gen_print_trial(gen *g)
{
    PUT("    const %s_state *s = w->s;\n    real u[%d];\n", g->name, g->nv);
    for (int i = 1, n; i<g->m->body_names.n; i += n> 0 ? n : 1) {
        n = gen_moved(g, i);
        if (n > 0) {
            gen_print_moved(g, i, n);
        } else if (!gen_is_node(&g->m->body[i])) {
            print_trial_of(g, i);
        }
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        print_trial_of_force(g, k);
    }
    print_eta(g, 0);
    for (int i = 1; i < g->m->body_names.n; ++i) {
        print_turned(g, i);
    }
    print_velocities(g, 0, g->nv);
    if (g->nc > 0) {
        PUT("    for (int i = 0; i < %d; ++i) {\n        w->la[i] = %s * w->x[%d + i];\n    }\n", g->nc,
            gen_power_text(g, 1.0 / g->s, g->opt.scaling ? -2 : 0).s, g->nv);
    }
}

void gen_print_history(gen *g, int from, int to)
{
    const dal_ga_coef c = g->c;
    const double h = g->h, cv = h * (c.beta / c.gamma - 1.0);
    const double ca = h * h * (c.beta * (1.0 - c.gamma) / c.gamma - 0.5 + c.beta);
    const double da = (c.alpha_m - (1.0 - c.alpha_m) * (1.0 - c.gamma) / c.gamma) / (1.0 - c.alpha_f);
    const double dvd = -c.alpha_f / (1.0 - c.alpha_f);
    char a[GEN_NAME];
    PUT("    for (int i = %d; i < %d; ++i) {\n", from, to);
    PUT("        w->c[i] = %s * s->v[i] + ", gen_power_text(g, cv, 1).s);
    PUT("%s * s->a[i];\n        w->d[i] = ", gen_power_text(g, ca, 2).s);
    PUT("%s * s->a[i] - ", gen_literal(a, sizeof a, da));
    PUT("%s * s->v[i] + ", gen_scale_text(g, GEN_KV).s);
    PUT("%s * s->vd[i];\n    }\n", gen_literal(a, sizeof a, dvd));
}

/* What the motion of some velocities starts from. */
static void print_start(gen *g, int from, int to)
{
    PUT("    for (int i = %d; i < %d; ++i) {\n        w->x[i] = kept->x[i];\n    }\n", from, to);
    gen_print_history(g, from, to);
}

void gen_print_motion(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    if (i > 0) {
        print_start(g, b->v, b->v + b->type->nv);
        print_trial_of(g, i);
        print_eta(g, i);
        print_turned(g, i);
        print_velocities(g, b->v, b->v + b->type->nv);
    }
}

void gen_print_motion_of_force(gen *g, int k)
{
    const int v = g->m->force[k].v;
    print_start(g, v, v + 1);
    print_trial_of_force(g, k);
    print_velocities(g, v, v + 1);
}

/* The sigma term of (GA.2), to second order, in the first iterate (NW.5). */
void gen_print_bracket(gen *g, int i)
{
    const double f = g->c.sigma * g->h * g->c.beta / g->c.gamma;
    const mb_body *b = &g->m->body[i];
    const gen_chart t = *gen_chart_of(b);
    if (gen_flat(b) || g->c.sigma == 0.0) {
        return;
    }
    const int v = b->v + t.first;
    PUT("    {\n        real y[%d], z[%d];\n        %s(y, w->x + %d, w->v + %d);\n        %s(z, w->x + %d, y);\n", t.n,
        t.n, t.bracket, v, v, t.bracket, v);
    PUT("        for (int i = 0; i < %d; ++i) {\n            w->x[%d + i] += %s * (0.5 * y[i] + z[i] / 12.0);\n        "
        "}\n    }\n",
        t.n, v, gen_power_text(g, f, 1).s);
}

/* ---- states and inertia ----------------------------------------------------------------------- */

void gen_print_axis(gen *g, const mb_body *b, const char *id)
{
    if (gen_is(b, MB_CHART_CARDAN)) {
        PUT("    const int axis_%s[3] = {%d, %d, %d};\n", id, b->axis[0], b->axis[1], b->axis[2]);
    }
}

/* Does anything read the state of the ground? Positions of joints know their places on it. */
static int ground_moves(const gen *g)
{
    int reads = g->opt.formulation != DAL_FORMULATION_INDEX3 || g->m->force_names.n > 0;
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        reads |= c->nonholonomic || c->type->form == MB_FORM_GEAR;
    }
    return reads;
}

void gen_print_state(gen *g, int i, const char *q, const char *v, const char *vd, int lifts)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id, *kernel = gen_chart_of(b)->kernel;
    char axis[2 * GEN_NAME] = "";
    if (i == 0) {
        if (!lifts || ground_moves(g)) {
            PUT("    body_at_rest(&w->s_%s);\n", id);
        }
        return;
    }
    if (gen_is_node(b)) {
        gen_print_node_state(g, i, q, v, vd, lifts);
        return;
    }
    gen_print_axis(g, b, id);
    if (gen_is(b, MB_CHART_CARDAN)) {
        snprintf(axis, sizeof axis, "axis_%s, ", id);
    }
    PUT("    body_%s(&w->s_%s, %s%s + %d, %s + %d, %s + %d);\n", kernel, id, axis, q, b->q, v, b->v, vd, b->v);
    if (lifts && g->body[i].lifted) {
        const int size = 6 * b->type->nv;
        PUT("    memset(w->L_%s, 0, sizeof w->L_%s);\n", id, id);
        PUT("    lift_%s(w->L_%s, w->L_%s + %d, w->L_%s + %d, w->L_%s + %d, %s%s + %d, %s + %d, %s + %d);\n", kernel,
            id, id, size, id, 2 * size, id, 3 * size, axis, q, b->q, v, b->v, vd, b->v);
    }
    if (gen_is_flexible(b)) {
        gen_print_flexible_state(g, i, q, v);
    }
}

void gen_print_states(gen *g, const char *q, const char *v, const char *vd, int lifts)
{
    for (int i = 0; i < g->m->body_names.n; ++i) {
        gen_print_state(g, i, q, v, vd, lifts);
    }
}

void gen_print_mass(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    gen_array(g, "gravity", g->at->gravity, 3);
    gen_array(g, "m", &b->m, 1);
    gen_array(g, "mc", b->mc, 3);
    gen_array(g, "J", b->J, 9);
}

void gen_print_inertia(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const char *id = g->body[i].id;
        if (g->m->body[i].flex) {
            gen_print_flexible_inertia(g, i);
            continue;
        }
        PUT("    { // inertia and weight of %s (MB.4)\n", gen_comment(g->m->body_names.name[i]).s);
        gen_print_mass(g, i);
        PUT("    memset(w->r6_%s, 0, sizeof w->r6_%s);\n", id, id);
        PUT("    inertia_residual(w->r6_%s, m[0], mc, J, %d, &w->s_%s, gravity);\n    }\n", id, g->m->body[i].centred,
            id);
    }
}

void gen_print_body_residual(gen *g, int i)
{
    char r6[2 * GEN_NAME];
    snprintf(r6, sizeof r6, "w->r6_%s", g->body[i].id);
    if (g->m->body[i].flex) {
        gen_print_flexible_residual(g, i);
    } else {
        gen_print_transposed(g, "w->r", g->m->body[i].v, "=", &g->body[i].S, r6);
    }
}

void gen_print_lift_residual(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        gen_print_body_residual(g, i);
    }
}
