/* Forces along one coordinate: springs, controllers, actuators, friction, and what laws share with them. */
#include <stdio.h>

#include "generate/generate_impl.h"

static int is(const mb_force *f, const char *type)
{
    return strcmp(f->type->name, type) == 0;
}

void gen_number_text(gen *g, char *to, size_t size, const double *value)
{
    gen_term_text(to, size, gen_number(g, value));
}

void gen_print_along(gen *g, const mb_marker marker[2], const mb_row *row, const char *t)
{
    gen_print_pairing(g, marker, 1, row->type->axes);
    PUT("    real gr[12], c;\n");
    gen_print_gradient(g, row, "gr");
    PUT("    const real cd = row_rate(gr, &P);\n");
    gen_print_phi(g, row, "c");
    if (row->memory > 0) {
        const int k = gen_angle_number(g, row);
        PUT("    c = mb_nearest_turn(c, w->s->angle[%d] + w->s->rate[%d] * (%s - w->s->t)); // (MB.16)\n", k, k, t);
    }
}

void gen_print_elongation(gen *g, const mb_force *f, const char *t)
{
    char text[2 * GEN_NAME];
    PUT("    real e[2];\n");
    if (f->d.function > 0) {
        PUT("    real ref[3];\n");
        gen_print_function(g, f->d.function, "ref", t);
        PUT("    e[0] = c - ref[0];\n    e[1] = cd - ref[1];\n");
    } else {
        gen_number_text(g, text, sizeof text, &f->d.reference);
        PUT("    e[0] = c - %s;\n    e[1] = cd;\n", text);
    }
}

static void print_normal_force(gen *g, const mb_force *f)
{
    const mb_joint *j = &g->m->joint[f->joint];
    const int row0 = g->m->constraint[j->first].row0;
    PUT("    real normal = REAL(1e-18);\n");
    for (int i = 0; i < j->type->force_rows; ++i) {
        PUT("    normal += w->la[%d] * w->la[%d];\n", row0 + i, row0 + i);
    }
    PUT("    normal = real_sqrt(normal);\n");
}

/* l[3] = Q, Qc, Qd along this row, of a bushing its k-th */
static void print_law(gen *g, const mb_force *f, const mb_row *row, int k, const char *t)
{
    char a[2 * GEN_NAME], b[2 * GEN_NAME], c[2 * GEN_NAME];
    PUT("    real l[3];\n");
    if (is(f, "bushing")) {
        gen_number_text(g, a, sizeof a, &f->d.stiffness6[k]);
        gen_number_text(g, b, sizeof b, &f->d.damping6[k]);
        PUT("    l[0] = %s * c + %s * cd;\n    l[1] = %s;\n    l[2] = %s;\n", a, b, a, b);
    } else if (is(f, "actuator")) {
        PUT("    real chi[3];\n");
        gen_print_function(g, f->d.function, "chi", t);
        PUT("    l[0] = -chi[0];\n    l[1] = l[2] = REAL(0.0);\n    (void)c;\n    (void)cd;\n");
    } else if (is(f, "friction")) {
        print_normal_force(g, f);
        gen_number_text(g, a, sizeof a, &f->d.mu);
        gen_number_text(g, c, sizeof c, &f->d.radius);
        gen_number_text(g, b, sizeof b, &f->d.slip);
        PUT("    force_friction(l, %s * %s * normal, %s, cd);\n    (void)c;\n", a, c, b);
    } else {
        gen_print_elongation(g, f, t);
        PUT("    real chi[3];\n");
        if (f->d.characteristic > 0) {
            gen_print_function(g, f->d.characteristic, "chi", "e[0]");
        } else {
            PUT("    memset(chi, 0, sizeof chi);\n");
        }
        gen_number_text(g, a, sizeof a, &f->d.stiffness);
        gen_number_text(g, b, sizeof b, &f->d.cubic);
        gen_number_text(g, c, sizeof c, &f->d.damping);
        PUT("    force_spring(l, %s, %s, %s, e, chi);\n", a, b, c);
        if (f->factor >= 0) {
            gen_number_text(g, a, sizeof a, &f->d.integral);
            PUT("    l[0] += %s * w->q[%d];\n", a, f->q);
        }
    }
    if (row->memory > 0) {
        // an angle says nothing where its axis is nearly along the one it is about
        PUT("    l[0] = real_select(real_less(row_angle_of(%d, &P).rho2, REAL(0.0025)), REAL(NAN), l[0]);\n", row->i);
    }
}

void gen_print_along_force(gen *g, const mb_marker marker[2], const char *Q)
{
    PUT("    for (int i = 0; i < 12; ++i) {\n        gr[i] *= %s;\n    }\n", Q);
    for (int i = 0; i < 2; ++i) {
        if (marker[i].body > 0) {
            PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], gr + %d, gr + %d);\n", g->body[marker[i].body].id, i, 6 * i,
                6 * i + 3);
        }
    }
}

void gen_print_along_value(gen *g, const mb_force *f, const char *to)
{
    gen_print_along(g, f->marker, &f->row, "w->t");
    print_law(g, f, &f->row, -1, "w->t");
    PUT("    %s = %sl[0];\n", to, is(f, "spring") ? "" : "-"); // drives and friction tell what they exert
}

void gen_print_along_residual(gen *g, const mb_force *f, const mb_row *row, int k)
{
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    gen_print_along(g, f->marker, row, "w->t");
    print_law(g, f, row, k, "w->t");
    gen_print_along_force(g, f->marker, "l[0]");
    if (f->factor >= 0) {
        // the integral s of a pid: s' - e = 0 (MB.13)
        for (int n = 0; n < g->m->nconstraints; ++n) {
            const mb_constraint *c = &g->m->constraint[n];
            if (c->type->form == MB_FORM_INTEGRAL && c->force == (int)(f - g->m->force)) {
                PUT("    w->r[%d] = w->la[%d];\n", f->v, c->row0);
                PUT("    w->r[%d] = %s * (w->v[%d] - e[0]);\n", g->nv + c->row0, gen_scale_text(g, GEN_S_VEL).s, f->v);
            }
        }
    }
    PUT("    }\n");
}

void gen_pair_text(const gen *g, int i, int j, char kind, char *to, size_t size)
{
    if (i == j) {
        snprintf(to, size, "w->%c_%s", kind, g->body[i].id);
    } else {
        snprintf(to, size, "w->%c_%d_%d", kind, i, j);
    }
}

/* Columns of K of the integral of a pid, and its row. */
static void print_pid_tangent(gen *g, const mb_force *f)
{
    for (int n = 0; n < g->m->nconstraints; ++n) {
        const mb_constraint *c = &g->m->constraint[n];
        if (c->type->form != MB_FORM_INTEGRAL || c->force != (int)(f - g->m->force)) {
            continue;
        }
        gen_mat one = gen_identity(1);
        gen_scatter(g, f->v, g->nv + c->row0, 0, &one);
        gen_scatter(g, g->nv + c->row0, f->v, GEN_S_VEL | GEN_GP, &one);
        const gen_term integral = gen_number(g, &f->d.integral);
        for (int i = 0; i < 2; ++i) {
            const int body = f->marker[i].body;
            gen_mat column = gen_zero(6, 1), row = gen_zero(1, 6);
            if (body == 0) {
                continue;
            }
            for (int k = 0; k < 6; ++k) {
                gen_expr e = {0};
                gen_expr_add(&e, 1.0, gen_name(1.0, "b%d[%d]", i, k), integral);
                column.e[k] = gen_expr_emit(g, "K", &e);
                row.e[k] = gen_name(-1.0, "b%d[%d]", i, k);
            }
            for (int p = 0; p < gen_parts(g, body); ++p) {
                const gen_part b = gen_part_of(g, body, p);
                const gen_mat Kv = gen_tmul(g, "K", &b.S, &column), Z = gen_mul(g, "Z", &row, &b.S);
                gen_scatter(g, b.v, f->v, GEN_S, &Kv);
                gen_scatter(g, g->nv + c->row0, b.v, GEN_S_VEL, &Z);
            }
        }
    }
}

/* G = g mu radius tanh lambda^T/N in the columns of lambda */
static void print_friction_columns(gen *g, const mb_force *f)
{
    const mb_joint *j = &g->m->joint[f->joint];
    const int row0 = g->m->constraint[j->first].row0, n = j->type->force_rows;
    PUT("    const real slope = l[0] / (normal * normal);\n");
    for (int i = 0; i < 2; ++i) {
        const int body = f->marker[i].body;
        gen_mat G = gen_zero(6, n);
        if (body == 0) {
            continue;
        }
        for (int r = 0; r < n; ++r) {
            PUT("    const real slope%d_%d = slope * w->la[%d];\n", i, r, row0 + r);
            for (int k = 0; k < 6; ++k) {
                gen_expr e = {0};
                gen_expr_add(&e, 1.0, gen_name(1.0, "slope%d_%d", i, r), gen_name(1.0, "b%d[%d]", i, k));
                G.e[k + 6 * r] = gen_expr_emit(g, "G", &e);
            }
        }
        for (int p = 0; p < gen_parts(g, body); ++p) {
            const gen_part b = gen_part_of(g, body, p);
            const gen_mat Gv = gen_tmul(g, "G", &b.S, &G);
            gen_scatter(g, b.v, g->nv + row0, 0, &Gv);
        }
    }
}

void gen_print_friction_columns(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        if (!is(f, "friction")) {
            continue;
        }
        PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
        gen_print_along(g, f->marker, &f->row, "w->t");
        print_law(g, f, &f->row, -1, "w->t");
        for (int i = 0; i < 2; ++i) {
            if (f->marker[i].body > 0) {
                PUT("    real b%d[6];\n    mb_gradient_to_body(b%d, &P.side[%d], gr + %d);\n", i, i, i, 6 * i);
            }
        }
        print_friction_columns(g, f);
        PUT("    }\n");
    }
}

void gen_print_along_geometry(gen *g, const mb_marker *marker, const mb_row *row, int follows)
{
    const int rotational = row->type->rotational;
    gen_print_clear(g, rotational);
    PUT("    real f[12];\n");
    gen_print_hessian(g, row, "&H", "l[0]");
    if (follows) {
        PUT("    real z[12];\n");
        gen_print_contract(g, row, "z");
    }
    PUT("    for (int i = 0; i < 12; ++i) {\n        f[i] = l[0] * gr[i];\n    }\n");
    for (int i = 0; i < 2; ++i) {
        if (marker[i].body > 0) {
            PUT("    real b%d[6];\n    mb_gradient_to_body(b%d, &P.side[%d], gr + %d);\n", i, i, i, 6 * i);
            if (follows) {
                PUT("    real y%d[6];\n    mb_rate_to_body(y%d, &P.side[%d], z + %d, gr + %d);\n", i, i, i, 6 * i,
                    6 * i);
            }
        }
    }
    gen_print_bent(g, marker, "f", 1, 1, rotational);
    for (int e = 0; e < 4 && follows; ++e) {
        const int i = e / 2, j = e % 2, bi = marker[i].body, bj = marker[j].body;
        char K[3 * GEN_NAME], C[3 * GEN_NAME];
        if (bi > 0 && bj > 0) {
            gen_pair_text(g, bi, bj, 'K', K, sizeof K);
            gen_pair_text(g, bi, bj, 'C', C, sizeof C);
            PUT("    force_along_pair(%s, %s, b%d, b%d, y%d, l[1], l[2]);\n", K, C, i, j, j);
            gen_pair_of(g, bi, bj)->C |= rotational ? 8U : 15U;
        }
    }
}

void gen_print_along_tangent(gen *g, const mb_force *f, const mb_row *row, int k)
{
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    gen_print_along(g, f->marker, row, "w->t");
    print_law(g, f, row, k, "w->t");
    gen_print_along_geometry(g, f->marker, row, 1);
    if (f->factor >= 0) {
        print_pid_tangent(g, f);
    }
    if (is(f, "friction")) {
        print_friction_columns(g, f);
    }
    PUT("    }\n");
}
