/* Expressions of model files as code: the operations of the library in its order, on inputs that have names. */
#include <ctype.h>
#include <stdio.h>

#include "generate/expressions_impl.h"

/* Which printing of an expression: names of its nodes are e<id>_<node>. */
typedef struct walk {
    gen *g;
    const dal_expression *e;
    int id;
    const char *suffix; /* of operands: "", or "[0]" of curves */
} walk;

static int has_two(expression_op op)
{
    return dal_expression_operations[op].arguments > 1;
}

static int is_number(expression_op op)
{
    return op == OP_CONSTANT || op == OP_INPUT;
}

static int in_word(char c)
{
    return c == '_' || isalnum((unsigned char)c);
}

/* A form with the names of the operands and of the value. */
static void put_form(const walk *k, const char *form, int i)
{
    gen *g = k->g;
    const expression_node *node = &k->e->node[i];
    for (const char *p = form; *p != '\0'; ++p) {
        const int alone = (p == form || !in_word(p[-1])) && !in_word(p[1]);
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
    put_form(k, is_power(k, i, 2.0) ? "x * x" : dal_expression_operations[k->e->node[i].op].value, i);
}

/* An exponent that stays spares logarithms. */
static void put_partials(const walk *k, int i)
{
    put_form(k,
             is_power(k, i, 2.0)   ? "expr_of_square(x)"
             : is_power(k, i, 0.0) ? "expr_of_fixed_power(x, y)"
                                   : dal_expression_operations[k->e->node[i].op].partials,
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
        if (node->op == OP_CALL) {
            char y[GEN_NAME], x[GEN_NAME];
            snprintf(y, sizeof y, "y%d_%d", k->id, i);
            snprintf(x, sizeof x, "e%d_%d", k->id, node->a);
            PUT("    real %s[3];\n", y);
            gen_print_function(g, (int)node->c, y, x);
            PUT("    const real e%d_%d = %s[0];\n", k->id, i, y);
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
        if (node->op == OP_CALL) {
            PUT("expr_of_one(y%d_%d[1], y%d_%d[2])", k.id, i, k.id, i);
        } else {
            put_partials(&k, i);
        }
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
