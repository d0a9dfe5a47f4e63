/* Expressions of model files as code: the operations of the library in its order, on inputs that have names. */
#include <stdio.h>

#include "generate/expressions_impl.h"

/* How an operation is written, with x and y its operands and f its value: the value, and the call that gives its derivatives. */
static const struct {
    const char *value, *partials;
} forms[] = {
    [OP_ADD] = {"x + y", "expr_of_sum()"},
    [OP_SUBTRACT] = {"x - y", "expr_of_difference()"},
    [OP_MULTIPLY] = {"x * y", "expr_of_product(x, y)"},
    [OP_DIVIDE] = {"x / y", "expr_of_quotient(y, f)"},
    [OP_POWER] = {"real_pow(x, y)", "expr_of_power(x, y, f)"},
    [OP_ATAN2] = {"real_atan2(x, y)", "expr_of_atan2(x, y)"},
    [OP_MIN] = {"expr_min(x, y)", "expr_of_min(x, y)"},
    [OP_MAX] = {"expr_max(x, y)", "expr_of_max(x, y)"},
    [OP_NEGATE] = {"-x", "expr_of_negative()"},
    [OP_SIN] = {"real_sin(x)", "expr_of_sin(x, f)"},
    [OP_COS] = {"real_cos(x)", "expr_of_cos(x, f)"},
    [OP_TAN] = {"real_tan(x)", "expr_of_tan(f)"},
    [OP_ASIN] = {"real_asin(x)", "expr_of_asin(x)"},
    [OP_ACOS] = {"real_acos(x)", "expr_of_acos(x)"},
    [OP_ATAN] = {"real_atan(x)", "expr_of_atan(x)"},
    [OP_SQRT] = {"real_sqrt(x)", "expr_of_sqrt(x, f)"},
    [OP_ABS] = {"real_abs(x)", "expr_of_abs(x)"},
    [OP_EXP] = {"real_exp(x)", "expr_of_exp(f)"},
    [OP_LOG] = {"real_log(x)", "expr_of_log(x)"},
    [OP_FLOOR] = {"real_floor(x)", "expr_none()"},
    [OP_SINH] = {"real_sinh(x)", "expr_of_sinh(x, f)"},
    [OP_COSH] = {"real_cosh(x)", "expr_of_cosh(x, f)"},
    [OP_TANH] = {"real_tanh(x)", "expr_of_tanh(f)"},
    [OP_SIGN] = {"expr_sign(x)", "expr_none()"},
    [OP_DEGREES] = {"expr_degrees(x)", "expr_of_degrees()"},
};

/* Which printing of an expression: names of its nodes are e<id>_<node>. */
typedef struct walk {
    gen *g;
    const dal_expression *e;
    int id;
    const char *suffix; /* of operands: "", or "[0]" of curves */
} walk;

static int has_two(expression_op op)
{
    return op >= OP_ADD && op <= OP_MAX;
}

static int is_number(expression_op op)
{
    return op == OP_CONSTANT || op == OP_INPUT;
}

/* A form with the names of the operands and of the value. */
static void put_form(const walk *k, const char *form, int i)
{
    gen *g = k->g;
    const expression_node *node = &k->e->node[i];
    for (const char *p = form; *p != '\0'; ++p) {
        const int alone = (p == form || strchr(" (-", p[-1])) && (p[1] == '\0' || strchr(" ,)", p[1]));
        if (alone && strchr("xyf", *p)) {
            PUT("e%d_%d%s", k->id, *p == 'x' ? node->a : *p == 'y' ? node->b : i, k->suffix);
        } else {
            gen_put_n(g->out, p, 1);
        }
    }
}

/* x^n with a number n that stays; what: 0: any, else this one */
static int is_power(const walk *k, int i, double what)
{
    const expression_node *node = &k->e->node[i], *n = &k->e->node[node->b];
    return node->op == OP_POWER && n->op == OP_CONSTANT && (what == 0.0 || n->c == what);
}

static void put_value(const walk *k, int i)
{
    put_form(k, is_power(k, i, 2.0) ? "x * x" : forms[k->e->node[i].op].value, i);
}

/* An exponent that stays spares logarithms. */
static void put_partials(const walk *k, int i)
{
    put_form(k,
             is_power(k, i, 2.0)   ? "expr_of_square(x)"
             : is_power(k, i, 0.0) ? "expr_of_fixed_power(x, y)"
                                   : forms[k->e->node[i].op].partials,
             i);
}

/* Does anything read this node? The exponent of a square is none. */
static int is_read(const walk *k, int i)
{
    int found = i == k->e->n - 1;
    for (int j = i + 1; j < k->e->n && !found; ++j) {
        const expression_node *node = &k->e->node[j];
        found = !is_number(node->op) && (node->a == i || (has_two(node->op) && node->b == i && !is_power(k, j, 2.0)));
    }
    return found;
}

/* ---- value and gradient ----------------------------------------------------------------------- */

static void print_values(const walk *k, const gen_input *in)
{
    gen *g = k->g;
    char number[GEN_NAME];
    for (int i = 0; i < k->e->n; ++i) {
        const expression_node *node = &k->e->node[i];
        if (!is_read(k, i)) {
            continue;
        }
        PUT("    const real e%d_%d = ", k->id, i);
        if (node->op == OP_CONSTANT) {
            PUT("REAL(%s)", gen_literal(number, sizeof number, node->c));
        } else if (node->op == OP_INPUT) {
            PUT("%s", in[node->a].text);
        } else {
            put_value(k, i);
        }
        PUT(";\n");
    }
}

void gen_print_expression(gen *g, const dal_expression *e, const gen_input *in, const char *to)
{
    const walk k = {g, e, ++g->temporaries, ""};
    print_values(&k, in);
    PUT("    %s = e%d_%d;\n", to, k.id, e->n - 1);
}

/* Nodes that depend on an input whose derivative is wanted. */
static void mark_active(const dal_expression *e, const gen_input *in, unsigned char *active)
{
    for (int i = 0; i < e->n; ++i) {
        const expression_node *node = &e->node[i];
        active[i] = node->op == OP_CONSTANT ? 0
                    : node->op == OP_INPUT  ? in[node->a].slope[0] != '\0'
                                            : active[node->a] || active[node->b];
    }
}

/* w of an operand grows by what node i hands down. */
static void print_share(const walk *k, int i, int operand, char which)
{
    gen *g = k->g;
    PUT("    d%d_%d += expr_chain(d%d_%d, p%d_%d.%c);\n", k->id, operand, k->id, i, k->id, i, which);
}

void gen_print_slopes(gen *g, const dal_expression *e, const gen_input *in, const char *to)
{
    const walk k = {g, e, ++g->temporaries, ""};
    unsigned char active[DAL_EXPRESSION_NODES] = {0};
    print_values(&k, in);
    mark_active(e, in, active);
    PUT("    %s = e%d_%d;\n", to, k.id, e->n - 1);
    for (int i = 0; i < e->n; ++i) {
        if (active[i]) {
            PUT("    real d%d_%d = REAL(%d.0);\n", k.id, i, i == e->n - 1);
        }
    }
    for (int i = e->n; i-- > 0;) {
        const expression_node *node = &e->node[i];
        if (!active[i] || is_number(node->op)) {
            continue;
        }
        PUT("    const expr_partials p%d_%d = ", k.id, i);
        put_partials(&k, i);
        PUT(";\n");
        if (active[node->a]) {
            print_share(&k, i, node->a, 'x');
        }
        if (has_two(node->op) && active[node->b]) {
            print_share(&k, i, node->b, 'y');
        }
    }
    for (int i = 0; i < e->n; ++i) {
        if (e->node[i].op == OP_INPUT && active[i]) {
            PUT("    %s = d%d_%d;\n", in[e->node[i].a].slope, k.id, i);
        }
    }
}

/* ---- along a curve ---------------------------------------------------------------------------- */

void gen_print_curve(gen *g, const dal_expression *e, const gen_input *in, const char *to)
{
    const walk k = {g, e, ++g->temporaries, "[0]"};
    char number[GEN_NAME];
    for (int i = 0; i < e->n; ++i) {
        const expression_node *node = &e->node[i];
        if (!is_read(&k, i)) {
            continue;
        }
        if (is_number(node->op)) {
            PUT("    const real e%d_%d[3] = {", k.id, i);
            if (node->op == OP_CONSTANT) {
                PUT("REAL(%s), REAL(0.0)", gen_literal(number, sizeof number, node->c));
            } else {
                PUT("%s, REAL(%s)", in[node->a].text, in[node->a].slope[0] ? "1.0" : "0.0");
            }
            PUT(", REAL(0.0)};\n");
            continue;
        }
        PUT("    real e%d_%d[3];\n    e%d_%d[0] = ", k.id, i, k.id, i);
        put_value(&k, i);
        const int two = has_two(node->op) && !is_power(&k, i, 2.0);
        PUT(";\n    expr_along_%s(e%d_%d, ", two ? "two" : "one", k.id, i);
        put_partials(&k, i);
        PUT(", e%d_%d", k.id, node->a);
        if (two) {
            PUT(", e%d_%d", k.id, node->b);
        }
        PUT(");\n");
    }
    PUT("    copy3(%s, e%d_%d);\n", to, k.id, e->n - 1);
}

/* ---- inputs ----------------------------------------------------------------------------------- */

gen_input gen_input_named(const char *text, const char *slope)
{
    gen_input in;
    snprintf(in.text, sizeof in.text, "%.*s", (int)sizeof in.text - 1, text);
    snprintf(in.slope, sizeof in.slope, "%.*s", (int)sizeof in.slope - 1, slope);
    return in;
}

gen_input gen_input_number(gen *g, const double *x)
{
    char text[2 * GEN_NAME];
    gen_term_text(text, sizeof text, gen_number(g, x));
    return gen_input_named(text, "");
}
