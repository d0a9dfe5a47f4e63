/* Constraints: residuals, rows of the matrix, and the stiffness that multipliers bring. */
#include <stdio.h>

#include "generate/generate_impl.h"

/* ---- which ------------------------------------------------------------------------------------ */

static int takes(const mb_constraint *c)
{
    return c->type == &mb_constraint_joint || c->type == &mb_constraint_spherical || c->type == &mb_constraint_gear ||
           c->type == &mb_constraint_norm || c->type == &mb_constraint_integral;
}

static const char *joint_name(const gen *g, const mb_constraint *c)
{
    return c->joint >= 0 ? g->m->joint_names.name[c->joint] : "norm";
}

static void add_link(gen *g, int c, int body)
{
    const mb_constraint *con = &g->m->constraint[c];
    if (body > 0) {
        const int kept = g->opt.formulation == DAL_GGL && g->hol0[c] >= 0;
        g->link[g->nlinks++] = (gen_link){c, body, kept ? g->nB0 : -1};
        g->nB0 += kept ? con->nrows * g->m->body[body].type->nv : 0;
    }
}

static dal_status check_rows(gen *g, const mb_constraint *c)
{
    for (int i = 0; i < c->nscalar; ++i) {
        if (!gen_row_known(c->row[i].type)) {
            return dal_fail(g->ctx, DAL_EINVAL, "generate: joint '%s' has a row '%s' that generated code does not have",
                            joint_name(g, c), c->row[i].type->name);
        }
        if (c->row[i].f > 0) {
            DAL_TRY(gen_check_function(g, c->row[i].f, "joint", joint_name(g, c)));
        }
    }
    return DAL_OK;
}

/* On which bodies a constraint acts. */
static void add_links(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    if (c->type == &mb_constraint_gear) {
        for (int i = 0; i < 4; ++i) {
            add_link(g, k, c->body[i]);
        }
    } else if (c->type == &mb_constraint_norm) {
        add_link(g, k, c->marker[1].body);
    } else if (c->type != &mb_constraint_integral) {
        add_link(g, k, c->marker[0].body);
        add_link(g, k, c->marker[1].body);
    }
}

dal_status gen_joints(gen *g)
{
    const dal_model *m = g->m;
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        if (!takes(c)) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: joint '%s' is of type %s, which generated code does not have", joint_name(g, c),
                            m->joint[c->joint].type->name);
        }
        DAL_TRY(check_rows(g, c));
        g->hol0[k] = c->nonholonomic ? -1 : g->nh;
        g->nh += c->nonholonomic ? 0 : c->nrows;
        add_links(g, k);
    }
    return DAL_OK;
}

/* ---- residuals -------------------------------------------------------------------------------- */

/* Rows at position level, at velocity level. */
static int position_row(const gen *g, int k)
{
    return g->hol0[k] >= 0 && g->opt.formulation != DAL_INDEX2 ? g->nv + g->m->constraint[k].row0 : -1;
}

static int velocity_row(const gen *g, int k)
{
    const int row0 = g->m->constraint[k].row0;
    return g->hol0[k] < 0 || g->opt.formulation == DAL_INDEX2 ? g->nv + row0
           : g->opt.formulation == DAL_GGL                    ? g->nv + g->nc + g->hol0[k]
                                                              : -1;
}

static void print_row_residual(gen *g, int k, int i)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_row *r = &c->row[i];
    const int at = c->npoint + i, la = c->row0 + at, position = position_row(g, k), velocity = velocity_row(g, k);
    char number[GEN_NAME];
    mb_row_text(number, sizeof number, r);
    PUT("    { // %s\n    real gr[12];\n", number);
    if (r->f > 0) {
        PUT("    real f[3];\n");
        gen_print_function(g, r->f, "f", "w->t");
    }
    gen_print_gradient(g, r, "gr");
    if (position >= 0) {
        PUT("    real phi;\n");
        gen_print_phi(g, r, "phi");
        if (r->f > 0) {
            PUT("    phi -= f[0];\n");
        }
        if (r->period > 0.0) {
            PUT("    phi = real_remainder(phi, %.17g);\n", r->period);
        }
        PUT("    w->r[%d] = phi;\n", position + at);
    }
    if (velocity >= 0) {
        gen_literal(number, sizeof number, g->s_vel);
        PUT("    w->r[%d] = %s * (row_rate(gr, &P)%s);\n", velocity + at, number, r->f > 0 ? " - f[1]" : "");
    }
    PUT("    for (int i = 0; i < 12; ++i) {\n        sum[i] += w->la[%d] * gr[i];\n    }\n    }\n", la);
}

/* Only points, at position level: (f, a x R^T f) with f = lambda on B, -lambda on A. */
static void print_point_residual(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    for (int i = 0; i < c->npoint; ++i) {
        PUT("    w->r[%d] = P.d[%d];\n", position_row(g, k) + i, i);
    }
    PUT("    real la[3];\n    memset(la, 0, sizeof la);\n    memcpy(la, w->la + %d, %d * sizeof(real));\n", c->row0,
        c->npoint);
    for (int i = 0; i < 2; ++i) {
        const char *id = g->body[c->marker[i].body].id;
        if (c->marker[i].body > 0) {
            PUT("    {\n        real fb[3];\n        tmul3(fb, w->s_%s.R, la);\n        axpy3(w->r6_%s, REAL(%s), "
                "la);\n",
                id, id, i == 0 ? "-1.0" : "1.0");
            PUT("        add_cross3(w->r6_%s + 3, REAL(%s), a%d, fb);\n    }\n", id, i == 0 ? "-1.0" : "1.0", i);
        }
    }
}

static void print_joint_residual(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const int position = position_row(g, k), velocity = velocity_row(g, k);
    char number[GEN_NAME];
    PUT("    { // joint %s: %s\n", joint_name(g, c), c->joint >= 0 ? g->m->joint[c->joint].type->name : "");
    gen_print_pairing(g, c->marker, velocity >= 0, c->axes);
    if (c->nscalar == 0 && velocity < 0) {
        print_point_residual(g, k);
        PUT("    }\n");
        return;
    }
    PUT("    real sum[12];\n    memset(sum, 0, sizeof sum);\n");
    gen_literal(number, sizeof number, g->s_vel);
    for (int i = 0; i < c->npoint; ++i) {
        if (position >= 0) {
            PUT("    w->r[%d] = P.d[%d];\n", position + i, i);
        }
        if (velocity >= 0) {
            PUT("    w->r[%d] = %s * (P.side[1].pd[%d] - P.side[0].pd[%d]);\n", velocity + i, number, i, i);
        }
        PUT("    sum[%d] = -w->la[%d];\n    sum[%d] = w->la[%d];\n", i, c->row0 + i, 6 + i, c->row0 + i);
    }
    for (int i = 0; i < c->nscalar; ++i) {
        print_row_residual(g, k, i);
    }
    for (int i = 0; i < 2; ++i) {
        if (c->marker[i].body > 0) {
            PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], sum + %d, sum + %d);\n", g->body[c->marker[i].body].id, i,
                6 * i, 6 * i + 3);
        }
    }
    PUT("    }\n");
}

static void print_gear_residual(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_gear *G = &g->m->joint[c->joint].gear;
    const int position = position_row(g, k), velocity = velocity_row(g, k);
    char number[2 * GEN_NAME];
    gen_term constant = gen_number(g, &G->constant);
    constant.c = -constant.c;
    gen_term_text(number, sizeof number, constant);
    PUT("    { // joint %s: gear\n    real value = %s, rate = REAL(0.0);\n", joint_name(g, c), number);
    for (int t = 0; t < 2; ++t) {
        const gen_term ratio = gen_number(g, &G->ratio[t]);
        gen_term_text(number, sizeof number, ratio);
        PUT("    {\n");
        gen_print_pairing(g, G->marker[t], velocity >= 0, MB_AXES_A | MB_AXES_B);
        PUT("    real gr[12], phi;\n");
        gen_print_gradient(g, &G->row[t], "gr");
        gen_print_phi(g, &G->row[t], "phi");
        PUT("    value += %s * phi;\n", number);
        if (velocity >= 0) {
            PUT("    rate += %s * row_rate(gr, &P);\n", number);
        }
        PUT("    for (int i = 0; i < 12; ++i) {\n        gr[i] *= %s * w->la[%d];\n    }\n", number, c->row0);
        for (int i = 0; i < 2; ++i) {
            const int body = G->marker[t][i].body;
            if (body > 0) {
                PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], gr + %d, gr + %d);\n", g->body[body].id, i, 6 * i,
                    6 * i + 3);
            }
        }
        PUT("    }\n");
    }
    if (position >= 0) {
        PUT(G->period > 0.0 ? "    w->r[%d] = real_remainder(value, %.17g);\n" : "    w->r[%d] = value;\n", position,
            G->period);
    } else {
        PUT("    (void)value;\n");
    }
    gen_literal(number, sizeof number, g->s_vel);
    if (velocity >= 0) {
        PUT("    w->r[%d] = %s * rate;\n    }\n", velocity, number);
    } else {
        PUT("    (void)rate;\n    }\n");
    }
}

void gen_print_joint_residuals(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type == &mb_constraint_joint || c->type == &mb_constraint_spherical) {
            print_joint_residual(g, k);
        } else if (c->type == &mb_constraint_gear) {
            print_gear_residual(g, k);
        }
    }
}

/* Row (p.p - 1)/2 of Euler parameters; after the residuals of the bodies. */
void gen_print_norm_residuals(gen *g)
{
    char number[GEN_NAME];
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        const mb_body *b = &g->m->body[c->marker[1].body];
        if (c->type != &mb_constraint_norm) {
            continue;
        }
        if (position_row(g, k) >= 0) {
            PUT("    w->r[%d] = 0.5 * (body_square4(w->q + %d) - 1.0);\n", position_row(g, k), b->q + 3);
        }
        if (velocity_row(g, k) >= 0) {
            gen_literal(number, sizeof number, g->s_vel);
            PUT("    w->r[%d] = %s * body_dot4(w->q + %d, w->v + %d);\n", velocity_row(g, k), number, b->q + 3,
                b->v + 3);
        }
        for (int i = 3; i < 7; ++i) {
            PUT("    w->r[%d] += w->q[%d] * w->la[%d];\n", b->v + i, b->q + i, c->row0);
        }
    }
}

/* ---- tangents --------------------------------------------------------------------------------- */

/* B and Z of a body, in its velocities, to the matrix; or B alone to what is kept for nu. */
typedef struct mode {
    int keep, link;
} mode;

static void push_link(gen *g, int k, int body, gen_mat *B, gen_mat *Z, mode how)
{
    const mb_constraint *c = &g->m->constraint[k];
    const int v = g->m->body[body].v, position = position_row(g, k), velocity = velocity_row(g, k);
    if (how.keep) {
        const int first = g->link[how.link].first;
        for (int e = 0; e < B->m * B->n && first >= 0; ++e) {
            char text[2 * GEN_NAME];
            gen_term_text(text, sizeof text, B->e[e]);
            PUT("    w->B0[%d] = %s;\n", first + e, text);
        }
        return;
    }
    const gen_mat Bt = gen_transpose(B), T = gen_factor_T(g, body);
    gen_scatter(g, v, g->nv + c->row0, 1.0, &Bt);
    if (position >= 0) {
        const gen_mat BT = gen_mul(g, "B", B, &T);
        gen_scatter(g, position, v, 1.0, &BT);
    }
    if (velocity >= 0) {
        const gen_mat N = gen_factor_N(g, body), BN = gen_mul(g, "B", B, &N), ZT = gen_mul(g, "Z", Z, &T);
        gen_scatter(g, velocity, v, g->s_vel * g->gp, &BN);
        gen_scatter(g, velocity, v, g->s_vel, &ZT);
        gen_scatter_eta(g, velocity, body, g->s_vel * g->gp, B);
    }
}

/* From rows on the frame to rows on the velocities: B = B6 S, Z = Z6 S + B6 V. */
static void push_frame_link(gen *g, int k, int body, const gen_mat *B6, const gen_mat *Z6, mode how)
{
    const gen_body *b = &g->body[body];
    gen_mat B = gen_mul(g, "B", B6, &b->S), Z = gen_zero(B6->m, b->S.n);
    if (!how.keep && velocity_row(g, k) >= 0) {
        const gen_mat ZS = gen_mul(g, "Z", Z6, &b->S), BV = gen_mul(g, "Z", B6, &b->V);
        Z = gen_combine(g, "Z", 1.0, &ZS, 1.0, &BV);
    }
    push_link(g, k, body, &B, &Z, how);
}

static void print_point_link(gen *g, const mb_constraint *c, int i, int want_Z, gen_mat *B, gen_mat *Z)
{
    const double sign = i == 0 ? -1.0 : 1.0;
    PUT("    real D%d[9];\n    mul_tilde(D%d, 3, P.side[%d].b->R, a%d);\n", i, i, i, i);
    if (want_Z) {
        PUT("    real E%d[9], o%d[3];\n    cross3(o%d, P.side[%d].b->Om, a%d);\n    mul_tilde(E%d, 3, P.side[%d].b->R, "
            "o%d);\n",
            i, i, i, i, i, i, i, i);
    }
    for (int r = 0; r < c->npoint; ++r) {
        B->e[r + r * B->m] = gen_const(sign);
        for (int j = 0; j < 3; ++j) {
            B->e[r + (3 + j) * B->m] = gen_name(-sign, "D%d[%d]", i, r + 3 * j);
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
    for (int j = rotational ? 3 : 0; j < 6; ++j) {
        B->e[row + j * B->m] = gen_name(1.0, "b%d_%d[%d]", k, i, j);
        if (want_Z) {
            Z->e[row + j * B->m] = gen_name(1.0, "y%d_%d[%d]", k, i, j);
        }
    }
}

/* d(B^T lambda)/dq */
static void print_stiffness(gen *g, const mb_constraint *c)
{
    PUT("    real sum[12];\n    memset(sum, 0, sizeof sum);\n");
    for (int i = 0; i < c->npoint; ++i) {
        PUT("    sum[%d] = -w->la[%d];\n    sum[%d] = w->la[%d];\n", i, c->row0 + i, 6 + i, c->row0 + i);
    }
    if (c->nscalar > 0) {
        gen_print_clear(g, c->rotational);
    }
    for (int k = 0; k < c->nscalar; ++k) {
        char la[GEN_NAME];
        snprintf(la, sizeof la, "w->la[%d]", c->row0 + c->npoint + k);
        PUT("    for (int i = 0; i < 12; ++i) {\n        sum[i] += %s * g%d[i];\n    }\n", la, k);
        gen_print_hessian(g, &c->row[k], "&H", la);
    }
    for (int i = 0; i < 2; ++i) {
        const int body = c->marker[i].body, other = c->marker[1 - i].body;
        const unsigned blocks = c->nscalar == 0 || c->rotational ? 8U : 15U;
        if (body == 0) {
            continue;
        }
        const char *id = g->body[body].id;
        if (c->nscalar > 0) {
            PUT("    mb_arm_terms(w->K_%s, &P.side[%d], sum + %d, sum + %d);\n", id, i, 6 * i, 6 * i + 3);
            PUT("    mb_hessian_to_body(w->K_%s, &H, &P, %d, %d, %d);\n", id, i, i, c->rotational);
        } else {
            PUT("    mb_arm_terms(w->K_%s, &P.side[%d], sum + %d, NULL);\n", id, i, 6 * i);
        }
        gen_pair_of(g, body, body)->K |= blocks;
        if (c->nscalar > 0 && other > 0) {
            PUT("    mb_hessian_to_body(w->K_%.20s_%.20s, &H, &P, %d, %d, %d);\n", id, g->body[other].id, i, 1 - i,
                c->rotational);
            gen_pair_of(g, body, other)->K |= blocks;
        }
    }
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
    const int want_Z = !keep && velocity_row(g, k) >= 0;
    PUT("    { // joint %s\n", joint_name(g, c));
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
    if (!keep) {
        print_stiffness(g, c);
    }
    PUT("    }\n");
}

/* One of the two coordinates of a gear. */
static void print_gear_term(gen *g, int k, int t, int keep)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_gear *G = &g->m->joint[c->joint].gear;
    const int want_Z = !keep && velocity_row(g, k) >= 0, rotational = G->row[t].type->rotational;
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
        const int repeated = t == 1 && (body == G->marker[0][0].body || body == G->marker[0][1].body);
        mb_constraint one = {.npoint = 0};
        one.row[0] = G->row[t];
        print_scalar_link(g, &one, 0, i, want_Z, &B, &Z);
        push_frame_link(g, k, body, &B, &Z, (mode){keep, link_of(g, k, body, repeated)});
    }
    if (!keep) {
        PUT("    mb_hessian H;\n    memset(&H, 0, sizeof H);\n    const real la = %s * w->la[%d];\n", ratio, c->row0);
        gen_print_hessian(g, &G->row[t], "&H", "la");
        PUT("    for (int i = 0; i < 12; ++i) {\n        g0[i] *= w->la[%d];\n    }\n", c->row0);
    }
    for (int i = 0; i < 2 && !keep; ++i) {
        const int body = G->marker[t][i].body, other = G->marker[t][1 - i].body;
        const unsigned blocks = rotational ? 8U : 15U;
        if (body == 0) {
            continue;
        }
        PUT("    mb_arm_terms(w->K_%s, &P.side[%d], g0 + %d, g0 + %d);\n", g->body[body].id, i, 6 * i, 6 * i + 3);
        PUT("    mb_hessian_to_body(w->K_%s, &H, &P, %d, %d, %d);\n", g->body[body].id, i, i, rotational);
        gen_pair_of(g, body, body)->K |= blocks;
        if (other > 0) {
            PUT("    mb_hessian_to_body(w->K_%.20s_%.20s, &H, &P, %d, %d, %d);\n", g->body[body].id, g->body[other].id,
                i, 1 - i, rotational);
            gen_pair_of(g, body, other)->K |= blocks;
        }
    }
    PUT("    }\n");
}

/* The row of Euler parameters. So that their block is regular without it, its multiple is added to theirs, which the
 * right-hand side follows. */
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
    push_link(g, k, c->marker[1].body, &B, &Z, (mode){keep, link_of(g, k, c->marker[1].body, 0)});
    if (!keep) {
        gen_scatter(g, b->v, b->v, g->s, &K);
    }
}

void gen_print_row_operations(gen *g)
{
    gen_matrix *A = &g->A;
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        const mb_body *b = &g->m->body[c->marker[1].body];
        const int row = g->nv + c->row0;
        char number[GEN_NAME];
        if (c->type != &mb_constraint_norm) {
            continue;
        }
        gen_literal(number, sizeof number, 4.0 * g->s * g->kv * g->gp * (b->J[0] + b->J[4] + b->J[8]));
        for (int i = 3; i < 7 && A->nops < 64; ++i) {
            const int slot = A->nnz++;
            A->op[A->nops++] = (gen_rowop){b->v + i, row, slot};
            PUT("    A[%d] = %s * w->q[%d];\n", slot, number, b->q + i);
            for (int j = 0; j < A->n; ++j) {
                const int from = A->at[row + j * A->n];
                if (from >= 0) {
                    gen_mat one = gen_zero(1, 1);
                    gen_expr e = {0};
                    gen_expr_add(&e, 1.0, gen_name(1.0, "A[%d]", slot), gen_name(1.0, "A[%d]", from));
                    one.e[0] = gen_expr_emit(g, "R", &e);
                    gen_scatter(g, b->v + i, j, 1.0, &one);
                }
            }
        }
    }
}

static void print_tangents(gen *g, int keep)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (keep && g->hol0[k] < 0) {
            continue;
        }
        if (c->type == &mb_constraint_joint || c->type == &mb_constraint_spherical) {
            print_joint_tangent(g, k, keep);
        } else if (c->type == &mb_constraint_norm) {
            print_norm_tangent(g, k, keep);
        } else if (c->type == &mb_constraint_gear) {
            print_gear_term(g, k, 0, keep);
            print_gear_term(g, k, 1, keep);
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
