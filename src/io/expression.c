/* A recursive-descent compiler: each function reads one rule of the grammar and gives a number or a node. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/number.h"
#include "io/expression_list.h"

enum { NAME_SIZE = 64, ARGUMENTS_MAX = 16, QUOTE_MAX = 120 };

static const double pi = 3.14159265358979323846;

/* What has been read: a number, or a node of the list. */
typedef struct operand {
    int node; /* -1: the number c */
    double c;
} operand;

typedef struct reader {
    dal_ctx *ctx;
    const char *text;
    size_t at; /* where the next token begins, blanks skipped */
    const dal_lookup *lookup;
    int depth;
    const char *const *inputs;
    int ninputs;
    expression_node *node; /* DAL_EXPRESSION_NODES of them; NULL where there are no inputs */
    int n;
} reader;

/* The function of this name; 0: there is none. */
static expression_op find_function(const char *name)
{
    for (int k = 0; k < OP_COUNT; ++k) {
        const char *word = dal_expression_operations[k].word;
        if (word != NULL && strcmp(word, name) == 0) {
            return (expression_op)k;
        }
    }
    return OP_CONSTANT;
}

/* Letters of the C locale, so that the locale of the program does not matter. */
static int is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int dal_expression_name(const char *text)
{
    size_t n = 0;
    while (is_letter(text[n]) || (n > 0 && is_digit(text[n]))) {
        ++n;
    }
    const expression_op op = find_function(text);
    return n > 0 && n < NAME_SIZE && text[n] == '\0' && strcmp(text, "pi") != 0 &&
           (op == OP_CONSTANT || dal_expression_operations[op].free);
}

int dal_expression_function(const char *name)
{
    return find_function(name) != OP_CONSTANT;
}

static dal_status complain(const reader *r, size_t at, const char *what)
{
    return dal_fail(r->ctx, DAL_EINVAL, "\"%.*s%s\", column %d: %s", QUOTE_MAX, r->text,
                    strlen(r->text) > QUOTE_MAX ? "..." : "", (int)at + 1, what);
}

static void skip_blanks(reader *r)
{
    while (r->text[r->at] == ' ' || r->text[r->at] == '\t' || r->text[r->at] == '\n') {
        ++r->at;
    }
}

static int accept(reader *r, char c)
{
    if (r->text[r->at] != c) {
        return 0;
    }
    ++r->at;
    skip_blanks(r);
    return 1;
}

/* ---- the list --------------------------------------------------------------------------------- */

/* The number of a node that is like this one, which is appended if there is none. */
static dal_status add_node(reader *r, size_t at, const expression_node *node, int *number)
{
    for (int k = 0; k < r->n; ++k) {
        const expression_node *old = &r->node[k];
        if (old->op == node->op && old->a == node->a && old->b == node->b && old->c == node->c &&
            !signbit(old->c) == !signbit(node->c)) { // 0 and -0 are different
            *number = k;
            return DAL_OK;
        }
    }
    if (r->n == DAL_EXPRESSION_NODES) {
        return complain(r, at, "the expression is too long from here on");
    }
    r->node[r->n] = *node;
    *number = r->n++;
    return DAL_OK;
}

static dal_status as_node(reader *r, size_t at, const operand *x, int *number)
{
    if (x->node >= 0) {
        *number = x->node;
        return DAL_OK;
    }
    if (!isfinite(x->c)) {
        return complain(r, at, "a constant near here is not finite");
    }
    const expression_node node = {.op = OP_CONSTANT, .c = x->c};
    return add_node(r, at, &node, number);
}

/* x = op(x, y), or op(x) where y is NULL. Numbers are combined at once. */
static dal_status combine(reader *r, size_t at, expression_op op, operand *x, const operand *y)
{
    if (y == NULL) {
        y = x;
    }
    if (x->node < 0 && y->node < 0) {
        x->c = dal_expression_apply(op, x->c, y->c);
        return DAL_OK;
    }
    expression_node node = {.op = op};
    DAL_TRY(as_node(r, at, x, &node.a));
    DAL_TRY(as_node(r, at, y, &node.b));
    return add_node(r, at, &node, &x->node);
}

/* ---- the grammar ------------------------------------------------------------------------------ */

static dal_status read_sum(reader *r, operand *x);

static dal_status read_number(reader *r, operand *x)
{
    const char *s = r->text + r->at;
    size_t n = 0;
    while (is_digit(s[n]) || s[n] == '.') {
        ++n;
    }
    if (s[n] == 'e' || s[n] == 'E') {
        const size_t sign = s[n + 1] == '+' || s[n + 1] == '-';
        if (is_digit(s[n + 1 + sign])) {
            n += 1 + sign;
            while (is_digit(s[n])) {
                ++n;
            }
        }
    }
    if (!dal_number_parse(&x->c, s, n)) {
        return complain(r, r->at, "this is not a number, or it is too large");
    }
    r->at += n;
    skip_blanks(r);
    return DAL_OK;
}

/* name "(" arguments ")", after the parenthesis */
static dal_status read_call(reader *r, expression_op op, size_t begin, operand *x)
{
    const expression_operation *f = &dal_expression_operations[op];
    operand a[ARGUMENTS_MAX];
    int n = 0;
    do {
        if (n == ARGUMENTS_MAX) {
            return complain(r, r->at, "too many arguments");
        }
        DAL_TRY(read_sum(r, &a[n++]));
    } while (accept(r, ','));
    if (!accept(r, ')')) {
        return complain(r, r->at, "expected ')'");
    }
    if (f->arguments == EXPRESSION_MANY ? n < 2 : n != f->arguments) {
        char what[NAME_SIZE];
        snprintf(what, sizeof(what), "%s takes %s", f->word, f->arguments == 1 ? "one argument" : "two arguments");
        return complain(r, begin, what);
    }
    *x = a[0];
    if (f->arguments == 1 && op != OP_RADIANS) {
        DAL_TRY(combine(r, begin, op, x, NULL));
    }
    for (int k = 1; k < n; ++k) {
        DAL_TRY(combine(r, begin, op, x, &a[k]));
    }
    return DAL_OK;
}

/* "; inputs are t, phi" */
static void list_inputs(const reader *r, char list[QUOTE_MAX])
{
    size_t used = 0;
    list[0] = '\0';
    for (int k = 0; k < r->ninputs && r->ninputs < 100 && used < QUOTE_MAX; ++k) { // more: names of a machine
        used += (size_t)snprintf(list + used, QUOTE_MAX - used, "%s%s", k > 0 ? ", " : "; inputs are ", r->inputs[k]);
    }
    if (used >= QUOTE_MAX) {
        memcpy(list + QUOTE_MAX - 4, "...", 4);
    }
}

static dal_status unknown_name(const reader *r, size_t begin, const char *name, int called)
{
    const char *words[OP_COUNT];
    char list[QUOTE_MAX], hint[DAL_HINT_SIZE];
    int nwords = 0;
    for (int k = 0; k < OP_COUNT; ++k) {
        words[nwords] = dal_expression_operations[k].word;
        nwords += words[nwords] != NULL;
    }
    const dal_lookup *l = r->lookup;
    if (l != NULL && l->is_function != NULL && l->is_function(name, l->user)) {
        return dal_fail(
            r->ctx, DAL_EINVAL,
            "\"%.*s\", column %d: '%s' is a function of the model, and expressions do not call those: write "
            "its formula here, or use an element with the key 'function'",
            QUOTE_MAX, r->text, (int)begin + 1, name);
    }
    const char *near = called ? dal_nearest(name, words, nwords) : dal_nearest(name, r->inputs, r->ninputs);
    if (near == NULL && !called && l != NULL && l->nearest != NULL) {
        near = l->nearest(name, l->user);
    }
    list_inputs(r, list);
    return dal_fail(r->ctx, DAL_EINVAL, "\"%.*s\", column %d: no %s '%s'%s%s", QUOTE_MAX, r->text, (int)begin + 1,
                    called ? "function" : "variable", name, dal_hint(hint, near), called ? "" : list);
}

/* The constant, an input, or a variable. */
static dal_status read_variable(reader *r, size_t begin, const char *name, operand *x)
{
    if (strcmp(name, "pi") == 0) {
        x->c = pi;
        return DAL_OK;
    }
    for (int k = 0; k < r->ninputs; ++k) {
        if (strcmp(name, r->inputs[k]) == 0) {
            const expression_node node = {.op = OP_INPUT, .a = k};
            return add_node(r, begin, &node, &x->node);
        }
    }
    const int found = r->lookup != NULL ? r->lookup->find(&x->c, name, r->depth, r->lookup->user) : 0;
    if (found < 0) {
        return DAL_EINVAL;
    }
    return found ? DAL_OK : unknown_name(r, begin, name, 0);
}

static dal_status read_name(reader *r, operand *x)
{
    char name[NAME_SIZE];
    const size_t begin = r->at;
    size_t n = 0;
    while (is_letter(r->text[begin + n]) || is_digit(r->text[begin + n])) {
        ++n;
    }
    if (n >= NAME_SIZE) {
        return complain(r, begin, "this name is too long");
    }
    memcpy(name, r->text + begin, n);
    name[n] = '\0';
    r->at += n;
    skip_blanks(r);
    if (accept(r, '(')) {
        const expression_op op = find_function(name);
        return op != OP_CONSTANT ? read_call(r, op, begin, x) : unknown_name(r, begin, name, 1);
    }
    return read_variable(r, begin, name, x);
}

static dal_status read_value(reader *r, operand *x)
{
    const char c = r->text[r->at];
    *x = (operand){.node = -1};
    if (is_digit(c) || c == '.') {
        return read_number(r, x);
    }
    if (is_letter(c)) {
        return read_name(r, x);
    }
    if (accept(r, '(')) {
        DAL_TRY(read_sum(r, x));
        return accept(r, ')') ? DAL_OK : complain(r, r->at, "expected ')'");
    }
    return complain(r, r->at, c == '\0' ? "a value is missing at the end" : "expected a number, a name or '('");
}

/* Every recursion comes through here, so here its depth is limited. */
static dal_status read_factor(reader *r, operand *x)
{
    const size_t begin = r->at;
    if (++r->depth > DAL_EXPRESSION_DEPTH) {
        return complain(r, r->at, "nested too deeply");
    }
    if (accept(r, '-')) {
        DAL_TRY(read_factor(r, x));
        DAL_TRY(combine(r, begin, OP_NEGATE, x, NULL));
    } else if (accept(r, '+')) {
        DAL_TRY(read_factor(r, x));
    } else {
        DAL_TRY(read_value(r, x));
        if (accept(r, '^')) {
            operand y;
            DAL_TRY(read_factor(r, &y));
            DAL_TRY(combine(r, begin, OP_POWER, x, &y));
        }
    }
    --r->depth;
    return DAL_OK;
}

/* A row of operands of the next higher rule, joined by one of two operators, from the left to the right. */
static dal_status read_row(reader *r, operand *x, dal_status (*next)(reader *r, operand *x), const char sign[2],
                           const expression_op op[2])
{
    const size_t begin = r->at;
    DAL_TRY(next(r, x));
    for (;;) {
        operand y;
        const int k = accept(r, sign[0]) ? 0 : accept(r, sign[1]) ? 1 : -1;
        if (k < 0) {
            return DAL_OK;
        }
        if (op[k] == OP_MULTIPLY && r->text[r->at] == '*') {
            return complain(r, r->at - 1, "a power is written with ^, as in m^2");
        }
        DAL_TRY(next(r, &y));
        DAL_TRY(combine(r, begin, op[k], x, &y));
    }
}

static dal_status read_product(reader *r, operand *x)
{
    static const expression_op op[2] = {OP_MULTIPLY, OP_DIVIDE};
    return read_row(r, x, read_factor, "*/", op);
}

static dal_status read_sum(reader *r, operand *x)
{
    static const expression_op op[2] = {OP_ADD, OP_SUBTRACT};
    return read_row(r, x, read_product, "+-", op);
}

static dal_status read_whole(reader *r, operand *x)
{
    skip_blanks(r);
    DAL_TRY(read_sum(r, x));
    const char next = r->text[r->at];
    if (is_letter(next) || next == '%') {
        return complain(r, r->at,
                        "expected an operator or the end: a product is written with *, and numbers have no units "
                        "behind them (all are in kg, m, s and rad; deg(30) is an angle in degrees)");
    }
    if (next != '\0') {
        return complain(r, r->at, "expected an operator or the end");
    }
    return x->node >= 0 || isfinite(x->c) ? DAL_OK : complain(r, 0, "the value is not finite");
}

/* ---- whole expressions ------------------------------------------------------------------------ */

dal_status dal_expression_value(double *x, dal_ctx *ctx, const char *text, const dal_lookup *lookup, int depth)
{
    reader r = {.ctx = ctx, .text = text, .lookup = lookup, .depth = depth};
    operand value;
    DAL_TRY(read_whole(&r, &value));
    *x = value.c;
    return DAL_OK;
}

dal_status dal_expression_compile(dal_expression **e, dal_ctx *ctx, const char *text, const char *const *inputs,
                                  int ninputs, const dal_lookup *lookup)
{
    expression_node node[DAL_EXPRESSION_NODES];
    reader r = {.ctx = ctx, .text = text, .lookup = lookup, .inputs = inputs, .ninputs = ninputs, .node = node};
    operand value;
    int last = 0;
    *e = NULL;
    DAL_TRY(read_whole(&r, &value));
    DAL_TRY(as_node(&r, 0, &value, &last));
    dal_expression *made = dal_alloc(ctx, sizeof(*made) + (size_t)(last + 1) * sizeof(made->node[0]));
    if (made == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for an expression");
    }
    made->n = last + 1;
    made->ninputs = ninputs;
    memcpy(made->node, node, (size_t)made->n * sizeof(made->node[0]));
    *e = made;
    return DAL_OK;
}

void dal_expression_destroy(dal_expression *e, dal_ctx *ctx)
{
    dal_free(ctx, e);
}
