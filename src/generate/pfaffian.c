/* Rows A(q, t) v + b(q, t) = 0 whose coefficients are numbers or expressions of time and positions. */
#include <stdio.h>

#include "generate/expressions_impl.h"

enum { SIDES = 2, COLUMNS = 6 * SIDES + 1 };

/* What there is of a coefficient: a term, and its derivatives by the positions. */
typedef struct coefficient {
    gen_term value, slope[3 * SIDES];
} coefficient;

static const char *id_of(const gen *g, const mb_constraint *c, int side)
{
    return g->body[c->body[side]].id;
}

/* Coefficient (i, j), printed if it is an expression: a<i>_<j>, with tangents da<i>_<j>[]. */
static coefficient print_coefficient(gen *g, const mb_constraint *c, int i, int j, int tangent)
{
    const dal_joint *d = &g->m->joint[c->joint].d;
    coefficient a = {.value = {0}};
    const io_formula formula = dal_io_formula_of_row(&a.value.c, d, i, j);
    const int n = 3 * c->nsides;
    gen_input in[GEN_INPUTS];
    char name[GEN_NAME];
    if (!formula.e) {
        return a;
    }
    in[0] = gen_input_named("w->t", "");
    for (int k = 0; k < n; ++k) {
        char text[2 * GEN_NAME], slope[GEN_NAME] = "";
        snprintf(text, sizeof text, "w->s_%s.x[%d]", id_of(g, c, k / 3), k % 3);
        if (tangent && c->body[k / 3] > 0 && dal_expression_uses(formula.e, 1 + k)) {
            snprintf(slope, sizeof slope, "da%d_%d[%d]", i, j, k);
            a.slope[k] = gen_name(1.0, "%s", slope);
        }
        in[1 + k] = gen_input_named(text, slope);
    }
    for (int k = 0; k < formula.nparameters; ++k) {
        in[1 + n + k] = gen_input_number(g, &d->parameter[k]);
    }
    snprintf(name, sizeof name, "a%d_%d", i, j);
    PUT(tangent ? "    real %s, d%s[%d];\n    (void)d%s;\n" : "    real %s;\n", name, name, n, name);
    (tangent ? gen_print_slopes : gen_print_expression)(g, formula.e, in, name);
    PUT("    (void)%s;\n", name);
    a.value = gen_name(1.0, "%s", name);
    return a;
}

/* Velocity j of a constraint: x' and Omega of its sides. */
static gen_term velocity_of(const gen *g, const mb_constraint *c, int j)
{
    return gen_name(1.0, "w->s_%.32s.%s[%d]", id_of(g, c, j / 6), j % 6 < 3 ? "xd" : "Om", j % 3);
}

static gen_term multiplier_of(const mb_constraint *c, int i)
{
    return gen_name(1.0, "w->la[%d]", c->row0 + i);
}

/* to = scale e, or to += e */
static void put_sum(gen *g, const char *to, const char *sign, unsigned scale, const gen_expr *e)
{
    char text[2 * GEN_NAME];
    const gen_term t = gen_scaled(g, scale, gen_expr_emit(g, "a", e));
    gen_need(g, t);
    gen_term_text(text, sizeof text, t);
    PUT("    %s %s %s;\n", to, sign, text);
}

void gen_print_pfaffian_residual(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const int n = 6 * c->nsides;
    char to[2 * GEN_NAME];
    gen_expr force[COLUMNS] = {{0}};
    PUT("    { // joint %s: pfaffian\n", gen_comment(gen_joint_name(g, c)).s);
    for (int i = 0; i < c->nrows; ++i) {
        gen_expr row = {0};
        for (int j = 0; j <= n; ++j) {
            const coefficient a = print_coefficient(g, c, i, j, 0);
            gen_expr_add(&row, 1.0, a.value, j < n ? velocity_of(g, c, j) : gen_const(1.0));
            gen_expr_add(&force[j], 1.0, a.value, multiplier_of(c, i));
        }
        snprintf(to, sizeof to, "w->r[%d]", gen_velocity_row(g, k) + i);
        put_sum(g, to, "=", GEN_S_VEL, &row);
    }
    for (int j = 0; j < n; ++j) {
        if (c->body[j / 6] > 0 && force[j].n > 0) {
            snprintf(to, sizeof to, "w->r6_%s[%d]", id_of(g, c, j / 6), j % 6);
            put_sum(g, to, "+=", 0, &force[j]);
        }
    }
    PUT("    }\n");
}

/* d(A v + b)/dx of row i along position p of a side, beside those that do not move */
static gen_term print_rate(gen *g, const mb_constraint *c, const coefficient *row, int p)
{
    gen_expr e = {0};
    for (int j = 0; j <= 6 * c->nsides; ++j) {
        gen_expr_add(&e, 1.0, row[j].slope[p], j < 6 * c->nsides ? velocity_of(g, c, j) : gen_const(1.0));
    }
    return gen_expr_emit(g, "Z", &e);
}

/* d(A^T lambda)/dx of side i along the positions of side s */
static void print_stiffness(gen *g, const mb_constraint *c, coefficient a[MB_ROWS][COLUMNS], int i, int s)
{
    gen_pair *p = gen_pair_of(g, c->body[i], c->body[s]);
    char K[3 * GEN_NAME], to[4 * GEN_NAME];
    gen_pair_text(g, c->body[i], c->body[s], 'K', K, sizeof K);
    for (int e = 0; e < 18; ++e) {
        gen_expr sum = {0};
        for (int r = 0; r < c->nrows; ++r) {
            gen_expr_add(&sum, 1.0, a[r][6 * i + e % 6].slope[3 * s + e / 6], multiplier_of(c, r));
        }
        if (sum.n > 0) {
            snprintf(to, sizeof to, "%s[%d]", K, e);
            put_sum(g, to, "+=", 0, &sum);
            p->K |= e % 6 < 3 ? 1U : 2U;
        }
    }
}

void gen_print_pfaffian_tangent(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    coefficient a[MB_ROWS][COLUMNS];
    memset(a, 0, sizeof a);
    PUT("    { // joint %s: pfaffian\n", gen_comment(gen_joint_name(g, c)).s);
    for (int i = 0; i < c->nrows; ++i) {
        for (int j = 0; j <= 6 * c->nsides; ++j) {
            a[i][j] = print_coefficient(g, c, i, j, 1);
        }
    }
    for (int s = 0; s < c->nsides; ++s) {
        gen_mat B = gen_zero(c->nrows, 6), Z = gen_zero(c->nrows, 6);
        if (c->body[s] == 0) {
            continue;
        }
        for (int e = 0; e < 6 * c->nrows; ++e) {
            B.e[e] = a[e % c->nrows][6 * s + e / c->nrows].value;
            Z.e[e] = e / c->nrows < 3 ? print_rate(g, c, a[e % c->nrows], 3 * s + e / c->nrows) : gen_const(0.0);
        }
        gen_push_rows(g, k, c->body[s], &B, &Z);
        for (int i = 0; i < c->nsides; ++i) {
            if (c->body[i] > 0) {
                print_stiffness(g, c, a, i, s);
            }
        }
    }
    PUT("    }\n");
}
