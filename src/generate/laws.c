/* Laws and states: expressions of time and of inputs (MB.15), (MB.18). */
#include <stdio.h>

#include "generate/expressions_impl.h"

/* ---- inputs ----------------------------------------------------------------------------------- */

/* The row of input k; the turns of angles are counted. */
static mb_row row_of(const mb_force *f, int k)
{
    mb_turning a;
    const int counted = f->type->angles(&a, f, k) && a.matters;
    mb_row row = f->input[k].row;
    row.memory = counted ? a.row.memory : 0;
    return row;
}

/* x[k]; tangent: g_k and z_k on the bodies it depends on as well. */
static void print_input(gen *g, const mb_force *f, int k, int tangent)
{
    const mb_input *in = &f->input[k];
    if (in->state >= 0) {
        PUT("    x[%d] = w->v[%d];\n", k, g->m->force[in->state].v);
        return;
    }
    const mb_row row = row_of(f, k);
    for (int j = 0; j < 2 && tangent; ++j) {
        if (in->marker[j].body > 0) {
            PUT(in->rate ? "    real g%d_%d[6], z%d_%d[6];\n" : "    real g%d_%d[6];\n", k, j, k, j);
        }
    }
    PUT("    {\n");
    gen_print_along(g, in->marker, &row, "w->t");
    PUT("    x[%d] = %s;\n    (void)%s;\n", k, in->rate ? "cd" : "c", in->rate ? "c" : "cd");
    if (tangent && in->rate) {
        PUT("    real z[12];\n");
        gen_print_contract(g, &row, "z");
    }
    for (int j = 0; j < 2 && tangent; ++j) {
        if (in->marker[j].body > 0) {
            PUT("    mb_gradient_to_body(g%d_%d, &P.side[%d], gr + %d);\n", k, j, j, 6 * j);
            if (in->rate) {
                PUT("    mb_rate_to_body(z%d_%d, &P.side[%d], z + %d, gr + %d);\n", k, j, j, 6 * j, 6 * j);
            }
        }
    }
    PUT("    }\n");
}

/* F, and with tangents its derivatives Fk */
static void print_value(gen *g, const mb_force *f, int tangent)
{
    const io_formula formula = dal_io_formula_of_law(&f->d);
    const int n = f->d.ninputs;
    gen_input in[GEN_INPUTS];
    in[0] = gen_input_named("w->t", "");
    if (n > 0) {
        PUT(tangent ? "    real x[%d], Fk[%d];\n" : "    real x[%d];\n", n, n);
    }
    for (int k = 0; k < n; ++k) {
        char text[GEN_NAME], slope[GEN_NAME];
        print_input(g, f, k, tangent);
        snprintf(text, sizeof text, "x[%d]", k);
        snprintf(slope, sizeof slope, "Fk[%d]", k);
        in[1 + k] = gen_input_named(text, slope);
    }
    for (int k = 0; k < formula.nparameters; ++k) {
        in[1 + n + k] = gen_input_number(g, &f->d.parameter[k]);
    }
    PUT("    real F;\n");
    (tangent ? gen_print_slopes : gen_print_expression)(g, formula.e, in, "F");
}

/* ---- laws ------------------------------------------------------------------------------------- */

void gen_print_law_value(gen *g, const mb_force *f, const char *to)
{
    print_value(g, f, 0);
    PUT("    %s = F;\n", to);
}

void gen_print_law_residual(gen *g, const mb_force *f)
{
    PUT("    { // force %s (MB.15)\n", gen_comment(gen_force_name(g, f)).s);
    print_value(g, f, 0);
    gen_print_along(g, f->marker, &f->row, "w->t");
    PUT("    (void)c;\n    (void)cd;\n");
    gen_print_along_force(g, f->marker, "-F");
    PUT("    }\n");
}

/* C -= g F_k in the column of a state */
static void print_state_column(gen *g, const mb_force *f, int k)
{
    for (int i = 0; i < 2; ++i) {
        const int body = f->marker[i].body;
        gen_mat column = gen_zero(6, 1);
        if (body == 0) {
            continue;
        }
        for (int r = f->row.type->rotational ? 3 : 0; r < 6; ++r) {
            gen_expr e = {0};
            gen_expr_add(&e, -1.0, gen_name(1.0, "Fk[%d]", k), gen_name(1.0, "b%d[%d]", i, r));
            column.e[r] = gen_expr_emit(g, "C", &e);
        }
        for (int p = 0; p < gen_parts(g, body); ++p) {
            const gen_part b = gen_part_of(g, body, p);
            const gen_mat C = gen_tmul(g, "C", &b.S, &column);
            gen_scatter(g, b.v, g->m->force[f->input[k].state].v, GEN_S | GEN_GP, &C);
        }
    }
}

/* K -= g F_k g_k^T, or K -= g F_k z_k^T and C -= g F_k g_k^T of a rate */
static void print_input_tangent(gen *g, const mb_force *f, int k)
{
    const mb_input *in = &f->input[k];
    const unsigned rows = f->row.type->rotational ? 2U : 3U, columns = in->row.type->rotational ? 4U : 5U;
    unsigned blocks = 0;
    for (unsigned e = 0; e < 4; ++e) {
        blocks |= (rows >> (e % 2) & 1U) && (columns >> (2 * (e / 2)) & 1U) ? 1U << e : 0U;
    }
    for (int e = 0; e < 4; ++e) {
        const int i = e / 2, j = e % 2, bi = f->marker[i].body, bj = in->marker[j].body;
        char K[3 * GEN_NAME], C[3 * GEN_NAME];
        if (bi == 0 || bj == 0) {
            continue;
        }
        gen_pair *p = gen_pair_of(g, bi, bj);
        gen_pair_text(g, bi, bj, 'K', K, sizeof K);
        gen_pair_text(g, bi, bj, 'C', C, sizeof C);
        PUT("    force_of_input(%s, Fk[%d], b%d, %c%d_%d);\n", K, k, i, in->rate ? 'z' : 'g', k, j);
        p->K |= blocks;
        if (in->rate) {
            PUT("    force_of_input(%s, Fk[%d], b%d, g%d_%d);\n", C, k, i, k, j);
            p->C |= blocks;
        }
    }
}

void gen_print_law_tangent(gen *g, const mb_force *f)
{
    PUT("    { // force %s (MB.15)\n", gen_comment(gen_force_name(g, f)).s);
    print_value(g, f, 1);
    gen_print_along(g, f->marker, &f->row, "w->t");
    PUT("    (void)c;\n    (void)cd;\n    const real l[1] = {-F};\n");
    gen_print_along_geometry(g, f->marker, &f->row, 0);
    for (int k = 0; k < f->d.ninputs; ++k) {
        (f->input[k].state >= 0 ? print_state_column : print_input_tangent)(g, f, k);
    }
    PUT("    }\n");
}

/* ---- states ----------------------------------------------------------------------------------- */

void gen_print_state_residual(gen *g, const mb_force *f)
{
    PUT("    { // state %s (MB.18)\n", gen_comment(gen_force_name(g, f)).s);
    print_value(g, f, 0);
    PUT("    w->r[%d] = w->vd[%d] - F;\n    }\n", f->v, f->v);
}

/* A row -F_k (g_k or z_k) of six. */
static gen_mat slope_row(gen *g, const mb_input *in, int k, int j, char which)
{
    gen_mat row = gen_zero(1, 6);
    for (int r = in->row.type->rotational ? 3 : 0; r < 6; ++r) {
        gen_expr e = {0};
        gen_expr_add(&e, -1.0, gen_name(1.0, "Fk[%d]", k), gen_name(1.0, "%c%d_%d[%d]", which, k, j, r));
        row.e[r] = gen_expr_emit(g, "Z", &e);
    }
    return row;
}

/* Its row in the columns of the bodies that an input depends on: K = K6 S + C6 V, C = C6 S. */
static void print_state_row(gen *g, const mb_force *f, int k)
{
    const mb_input *in = &f->input[k];
    for (int j = 0; j < 2; ++j) {
        const int body = in->marker[j].body;
        const gen_mat K6 = body > 0 ? slope_row(g, in, k, j, in->rate ? 'z' : 'g') : gen_zero(1, 6);
        const gen_mat C6 = body > 0 && in->rate ? slope_row(g, in, k, j, 'g') : gen_zero(1, 6);
        for (int p = 0; body > 0 && p < gen_parts(g, body); ++p) {
            const gen_part b = gen_part_of(g, body, p);
            gen_mat all = gen_mul(g, "K", &K6, &b.S);
            if (in->rate) {
                const gen_mat CV = gen_mul(g, "K", &C6, &b.V), C = gen_mul(g, "C", &C6, &b.S), none = gen_zero(1, C.n);
                const gen_mat W = gen_combine(g, "W", GEN_GP, &C, 0, &none), WN = gen_mul(g, "Y", &W, &b.N);
                all = gen_combine(g, "K", 0, &all, 0, &CV);
                all = gen_combine(g, "Y", 0, &WN, 0, &all);
                gen_scatter_eta(g, f->v, &b, GEN_S, &W);
            }
            gen_scatter(g, f->v, b.v, GEN_S, &all);
        }
    }
}

void gen_print_state_tangent(gen *g, const mb_force *f)
{
    const gen_mat one = gen_identity(1);
    PUT("    { // state %s (MB.18)\n", gen_comment(gen_force_name(g, f)).s);
    print_value(g, f, 1);
    PUT("    (void)F;\n");
    gen_scatter(g, f->v, f->v, GEN_S | GEN_KV | GEN_GP, &one);
    for (int k = 0; k < f->d.ninputs; ++k) {
        if (f->input[k].state >= 0) {
            gen_mat C = gen_zero(1, 1);
            C.e[0] = gen_name(-1.0, "Fk[%d]", k);
            gen_scatter(g, f->v, g->m->force[f->input[k].state].v, GEN_S | GEN_GP, &C);
        } else {
            print_state_row(g, f, k);
        }
    }
    PUT("    }\n");
}
