/* Constraints: rows of the matrix, and the stiffness that multipliers bring. */
#include <stdio.h>

#include "generate/flexible_impl.h"

/* B and Z of a body, in its velocities, to the matrix; or B alone to what is kept for nu. */
typedef struct mode {
    int keep, link;
} mode;

static void push_link(gen *g, int k, const gen_part *b, gen_mat *B, gen_mat *Z, mode how)
{
    const mb_constraint *c = &g->m->constraint[k];
    const int v = b->v, position = gen_position_row(g, k), velocity = gen_velocity_row(g, k);
    if (how.keep) {
        const int first = g->link[how.link].first + (g->link[how.link].first < 0 ? 0 : c->nrows * b->first);
        for (int e = 0; e < B->m * B->n && first >= 0; ++e) {
            char text[2 * GEN_NAME];
            const double ratio = g->unit[v + e / B->m] / g->length; // the metric of eta (SX.4)
            B->e[e].c *= ratio * ratio;
            gen_need(g, B->e[e]);
            gen_term_text(text, sizeof text, B->e[e]);
            PUT("    %s->B0[%d] = %s;\n", gen_kept(g), first + e, text);
        }
        return;
    }
    const gen_mat Bt = gen_transpose(B);
    gen_scatter(g, v, g->nv + c->row0, 0, &Bt);
    if (g->saddle) {
        gen_scatter(g, g->nv + c->row0, v, 0, B);
        return;
    }
    if (position >= 0) {
        gen_scatter(g, position, v, 0, B);
    }
    if (velocity >= 0) {
        const gen_mat BN = gen_mul(g, "B", B, &b->N);
        gen_scatter(g, velocity, v, GEN_S_VEL | GEN_GP, &BN);
        gen_scatter(g, velocity, v, GEN_S_VEL, Z);
        gen_scatter_eta(g, velocity, b, GEN_S_VEL | GEN_GP, B);
    }
}

/* From rows on the frame to rows on the velocities: B = B6 S, Z = Z6 S + B6 V. */
static void push_frame_link(gen *g, int k, int body, const gen_mat *B6, const gen_mat *Z6, mode how)
{
    for (int p = 0; p < gen_parts(g, body); ++p) {
        const gen_part b = gen_part_of(g, body, p);
        gen_mat B = gen_mul(g, "B", B6, &b.S), Z = gen_zero(B6->m, b.S.n);
        if (!how.keep && !g->saddle && gen_velocity_row(g, k) >= 0) {
            const gen_mat ZS = gen_mul(g, "Z", Z6, &b.S), BV = gen_mul(g, "Z", B6, &b.V);
            Z = gen_combine(g, "Z", 0, &ZS, 0, &BV);
        }
        push_link(g, k, &b, &B, &Z, how);
    }
}

/* A row x_1 + R_1 a_1 - x_0 - R_0 a_0 is solved for x while its arms are not much longer than 1: entries grow by them. */
#define LONG_ARM 8.0

/* Row `row` holds coordinates; first: its first body. */
static void holds(gen *g, int row, int first, double arm)
{
    double *unit = &g->A.unit[row];
    const double most = g->opt.formulation == DAL_FORMULATION_INDEX2 ? g->s_vel * g->gp : 1.0;
    *unit = (first || *unit > 0.0) && arm < LONG_ARM && g->opt.formulation != DAL_FORMULATION_GGL ? most : 0.0;
}

/* Column j of R a~. What is nothing but rounding beside the rest of a is left out of the matrix. */
static gen_term arm_entry(gen *g, const char *id, const gen_term a[3], int r, int j)
{
    const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    gen_expr e = {0};
    gen_expr_add(&e, 1.0, a[j2], gen_name(1.0, "w->s_%.36s.R[%d]", id, r + 3 * j1));
    gen_expr_add(&e, -1.0, a[j1], gen_name(1.0, "w->s_%.36s.R[%d]", id, r + 3 * j2));
    return gen_expr_emit(g, "D", &e);
}

static void print_point_link(gen *g, const mb_constraint *c, int i, int want_Z, gen_mat *B, gen_mat *Z)
{
    const double sign = i == 0 ? -1.0 : 1.0, *at = c->marker[i].a;
    const double size = fabs(at[0]) + fabs(at[1]) + fabs(at[2]),
                 arm = size + gen_node_arm(&g->m->body[c->marker[i].body]);
    gen_term a[3];
    for (int j = 0; j < 3; ++j) {
        a[j] = gen_number(g, &at[j]);
        a[j] = !a[j].s[0] && fabs(at[j]) < 1e-15 * size ? gen_const(0.0) : a[j];
    }
    if (want_Z) {
        PUT("    real E%d[9], o%d[3];\n    cross3(o%d, P.side[%d].b->Om, a%d);\n    mul_tilde(E%d, 3, P.side[%d].b->R, "
            "o%d);\n",
            i, i, i, i, i, i, i, i);
    }
    for (int r = 0; r < c->npoint; ++r) {
        holds(g, g->nv + c->row0 + r, i == 0 || c->marker[0].body == 0, arm);
        B->e[r + r * B->m] = gen_const(sign);
        for (int j = 0; j < 3; ++j) {
            gen_term D = arm_entry(g, g->body[c->marker[i].body].id, a, r, j);
            D.c *= -sign;
            B->e[r + (3 + j) * B->m] = D;
            if (want_Z) {
                Z->e[r + (3 + j) * B->m] = gen_name(-sign, "E%d[%d]", i, r + 3 * j);
            }
        }
    }
}

static void print_scalar_link(gen *g, const mb_constraint *c, int k, int i, int want_Z, gen_mat *B, gen_mat *Z)
{
    const int row = c->npoint + k, rotational = c->row[k].type->rotational;
    PUT("    real b%d_%d[6];\n    mb_gradient_to_body(b%d_%d, &P.side[%d], g%d + %d);\n", k, i, k, i, i, k, 6 * i);
    if (want_Z) {
        PUT("    real y%d_%d[6];\n    mb_rate_to_body(y%d_%d, &P.side[%d], z%d + %d, g%d + %d);\n", k, i, k, i, i, k,
            6 * i, k, 6 * i);
    }
    const int straight = i == 1 && c->row[k].type->coordinate == DAL_COORDINATE_TRANSLATION && c->marker[0].body == 0;
    gen_term axis[3];
    int arm = 0;
    for (int j = 0; j < 3 && straight; ++j) { // a . (x + R a_1) with an axis a of the ground
        const double *entry = &c->marker[0].A[3 * c->row[k].i + j];
        axis[j] = gen_number(g, entry);
        axis[j] = !axis[j].s[0] && fabs(*entry) < 1e-15 ? gen_const(0.0) : axis[j];
        const gen_term a = gen_number(g, &c->marker[1].a[j]);
        arm |= a.s[0] || a.c != 0.0;
    }
    if (straight && !arm) {
        holds(g, g->nv + c->row0 + row, 1, 0.0);
    }
    for (int j = rotational ? 3 : 0; j < 6; ++j) {
        B->e[row + j * B->m] = straight && j < 3      ? axis[j]
                               : straight && arm == 0 ? gen_const(0.0)
                                                      : gen_name(1.0, "b%d_%d[%d]", k, i, j);
        if (want_Z) {
            Z->e[row + j * B->m] = gen_name(1.0, "y%d_%d[%d]", k, i, j);
        }
    }
}

/* Has the row a Hessian? That of a distance along an axis of the ground is zero. */
static int is_curved(const mb_constraint *c, const mb_row *row)
{
    return !(row->type->coordinate == DAL_COORDINATE_TRANSLATION && c->marker[0].body == 0);
}

void gen_print_bent(gen *g, const mb_marker marker[2], const char *f, int torque, int curved, int rotational)
{
    for (int e = 0; e < 4; ++e) {
        const int i = e / 2, j = e % 2, bi = marker[i].body, bj = marker[j].body;
        char K[3 * GEN_NAME];
        if (bi == 0 || bj == 0 || (i != j && !curved)) {
            continue;
        }
        gen_pair_text(g, bi, bj, 'K', K, sizeof K);
        if (i == j && torque) {
            PUT("    mb_arm_terms(%s, &P.side[%d], %s + %d, %s + %d);\n", K, i, f, 6 * i, f, 6 * i + 3);
        } else if (i == j) {
            PUT("    mb_arm_terms(%s, &P.side[%d], %s + %d, NULL);\n", K, i, f, 6 * i);
        }
        if (curved) {
            PUT("    mb_hessian_to_body(%s, &H, &P, %d, %d, %d);\n", K, i, j, rotational);
        }
        gen_pair_of(g, bi, bj)->K |= rotational ? 8U : 15U;
    }
}

/* d(B^T lambda)/dq */
static void print_stiffness(gen *g, const mb_constraint *c)
{
    int rotational = 1, curved = 0;
    for (int k = 0; k < c->nscalar; ++k) {
        rotational &= !is_curved(c, &c->row[k]) || c->row[k].type->rotational;
        curved |= is_curved(c, &c->row[k]);
    }
    gen_print_sum(g, c);
    if (curved) {
        gen_print_clear(g, rotational);
    }
    for (int k = 0; k < c->nscalar; ++k) {
        char la[GEN_NAME];
        snprintf(la, sizeof la, "w->la[%d]", c->row0 + c->npoint + k);
        PUT("    for (int i = 0; i < 12; ++i) {\n        sum[i] += %s * g%d[i];\n    }\n", la, k);
        if (is_curved(c, &c->row[k])) {
            gen_print_hessian(g, &c->row[k], "&H", la);
        }
    }
    gen_print_bent(g, c->marker, "sum", c->nscalar > 0, curved, rotational);
}

void gen_push_rows(gen *g, int constraint, int body, const gen_mat *B, const gen_mat *Z)
{
    push_frame_link(g, constraint, body, B, Z, (mode){0, 0});
}

static int link_of(const gen *g, int k, int body, int skip)
{
    for (int l = 0; l < g->nlinks; ++l) {
        if (g->link[l].c == k && g->link[l].body == body && skip-- == 0) {
            return l;
        }
    }
    return 0;
}

static void print_joint_tangent(gen *g, int k, int keep)
{
    const mb_constraint *c = &g->m->constraint[k];
    const int want_Z = !keep && !g->saddle && gen_velocity_row(g, k) >= 0;
    PUT("    { // joint %s\n", gen_comment(gen_joint_name(g, c)).s);
    gen_print_pairing(g, c->marker, want_Z, c->axes);
    for (int r = 0; r < c->nscalar; ++r) {
        char to[16];
        snprintf(to, sizeof to, "g%d", r);
        PUT("    real g%d[12];\n", r);
        gen_print_gradient(g, &c->row[r], to);
        if (want_Z) {
            snprintf(to, sizeof to, "z%d", r);
            PUT("    real z%d[12];\n", r);
            gen_print_contract(g, &c->row[r], to);
        }
    }
    for (int i = 0; i < 2; ++i) {
        const int body = c->marker[i].body;
        gen_mat B = gen_zero(c->nrows, 6), Z = gen_zero(c->nrows, 6);
        if (body == 0) {
            continue;
        }
        if (c->npoint > 0) {
            print_point_link(g, c, i, want_Z, &B, &Z);
        }
        for (int r = 0; r < c->nscalar; ++r) {
            print_scalar_link(g, c, r, i, want_Z, &B, &Z);
        }
        push_frame_link(g, k, body, &B, &Z, (mode){keep, link_of(g, k, body, 0)});
    }
    if (!keep && !g->saddle) {
        print_stiffness(g, c);
    }
    PUT("    }\n");
}

/* One of the terms of a gear. */
static void print_gear_term(gen *g, int k, int t, int keep)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_gear *G = &g->m->joint[c->joint].gear;
    const int want_Z = !keep && !g->saddle && gen_velocity_row(g, k) >= 0, rotational = G->row[t].type->rotational;
    char ratio[2 * GEN_NAME];
    gen_term_text(ratio, sizeof ratio, gen_number(g, &G->ratio[t]));
    PUT("    {\n");
    gen_print_pairing(g, G->marker[t], 1, MB_AXES_A | MB_AXES_B);
    PUT("    real g0[12], z0[12];\n");
    gen_print_gradient(g, &G->row[t], "g0");
    gen_print_contract(g, &G->row[t], "z0");
    PUT("    for (int i = 0; i < 12; ++i) {\n        g0[i] *= %s;\n        z0[i] *= %s;\n    }\n", ratio, ratio);
    for (int i = 0; i < 2; ++i) {
        const int body = G->marker[t][i].body;
        gen_mat B = gen_zero(1, 6), Z = gen_zero(1, 6);
        if (body == 0) {
            continue;
        }
        int before = 0; // links of the terms before on the same body
        for (int b = 0; b < 2 * t; ++b) {
            before += G->marker[b / 2][b % 2].body == body;
        }
        mb_constraint one = {.npoint = 0, .marker[0].body = -1}; // its row has two terms: no straight axis
        one.row[0] = G->row[t];
        print_scalar_link(g, &one, 0, i, want_Z, &B, &Z);
        push_frame_link(g, k, body, &B, &Z, (mode){keep, link_of(g, k, body, before)});
    }
    if (!keep && !g->saddle) {
        PUT("    mb_hessian H;\n    memset(&H, 0, sizeof H);\n    const real la = %s * w->la[%d];\n", ratio, c->row0);
        gen_print_hessian(g, &G->row[t], "&H", "la");
        PUT("    for (int i = 0; i < 12; ++i) {\n        g0[i] *= w->la[%d];\n    }\n", c->row0);
    }
    if (!keep && !g->saddle) {
        gen_print_bent(g, G->marker[t], "g0", 1, 1, rotational);
    }
    PUT("    }\n");
}

/* The row of Euler parameters. */
static void print_norm_tangent(gen *g, int k, int keep)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_body *b = &g->m->body[c->marker[1].body];
    gen_mat B = gen_zero(1, 7), Z = gen_zero(1, 7), K = gen_zero(7, 7);
    for (int i = 3; i < 7; ++i) {
        B.e[i] = gen_name(1.0, "w->q[%d]", b->q + i);
        Z.e[i] = gen_name(1.0, "w->v[%d]", b->v + i);
        K.e[8 * i] = gen_name(1.0, "w->la[%d]", c->row0);
    }
    if (keep) {
        for (int i = 3; i < 7; ++i) {
            B.e[i] = gen_name(1.0, "w->s->q[%d]", b->q + i);
        }
    }
    const gen_part part = gen_part_of(g, c->marker[1].body, 0);
    push_link(g, k, &part, &B, &Z, (mode){keep, link_of(g, k, c->marker[1].body, 0)});
    if (!keep && !g->saddle) {
        gen_scatter(g, b->v, b->v, GEN_S, &K);
    }
}

static void print_tangents(gen *g, int keep)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (keep && g->eta0[k] < 0) {
            continue;
        }
        if (c->type->form == MB_FORM_MARKERS) {
            print_joint_tangent(g, k, keep);
        } else if (c->type->form == MB_FORM_NORM) {
            print_norm_tangent(g, k, keep);
        } else if (c->type->form == MB_FORM_GEAR) {
            for (int t = 0; t < g->m->joint[c->joint].gear.nterms; ++t) {
                print_gear_term(g, k, t, keep);
            }
        } else if (c->type->form == MB_FORM_COEFFICIENTS) {
            gen_print_pfaffian_tangent(g, k);
        }
    }
}

void gen_print_joint_tangents(gen *g)
{
    print_tangents(g, 0);
}

void gen_print_keep(gen *g)
{
    print_tangents(g, 1);
}
