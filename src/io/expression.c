/* A recursive-descent compiler: each function reads one rule of the grammar and gives a number or a node. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/number.h"
#include "io/expression_reader.h"

expression_op dal_reader_function(const char *name)
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
    const expression_op op = dal_reader_function(text);
    return n > 0 && n < NAME_SIZE && text[n] == '\0' && strcmp(text, "pi") != 0 &&
           (op == OP_CONSTANT || dal_expression_operations[op].free);
}

int dal_expression_function(const char *name)
{
    return dal_reader_function(name) != OP_CONSTANT;
}

dal_status dal_reader_complain(const reader *r, size_t at, const char *what)
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
dal_status dal_reader_node(reader *r, int *number, size_t at, const expression_node *node)
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
        return dal_reader_complain(r, at, "the expression is too long from here on");
    }
    r->node[r->n] = *node;
    *number = r->n++;
    return DAL_OK;
}

dal_status dal_reader_as_node(reader *r, int *number, size_t at, const operand *x)
{
    if (x->node >= 0) {
        *number = x->node;
        return DAL_OK;
    }
    if (!isfinite(x->c)) {
        return dal_reader_complain(r, at, "a constant near here is not finite");
    }
    const expression_node node = {.op = OP_CONSTANT, .c = x->c};
    return dal_reader_node(r, number, at, &node);
}

/* x = op(x, y), or op(x) where y is NULL. Numbers are combined at once. */
dal_status dal_reader_combine(reader *r, operand *x, size_t at, expression_op op, const operand *y)
{
    if (y == NULL) {
        y = x;
    }
    if (x->node < 0 && y->node < 0) {
        x->c = dal_expression_apply(op, x->c, y->c);
        return DAL_OK;
    }
    expression_node node = {.op = op};
    DAL_TRY(dal_reader_as_node(r, &node.a, at, x));
    DAL_TRY(dal_reader_as_node(r, &node.b, at, y));
    return dal_reader_node(r, &x->node, at, &node);
}

/* ---- the grammar ------------------------------------------------------------------------------ */

static dal_status read_sum(reader *r, quantity *x);

/* Digits, and units behind them. */
static dal_status read_number(reader *r, quantity *x)
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
    if (!dal_number_parse(&x->x[0].c, s, n)) {
        return dal_reader_complain(r, r->at, "this is not a number, or it is too large");
    }
    r->at += n;
    skip_blanks(r);
    dal_units u;
    const size_t units = is_letter(r->text[r->at]) ? dal_units_read(&u, r->text + r->at) : 0;
    if (units > 0) {
        x->x[0].c = x->x[0].c * u.times / u.over;
        x->dimension = u.dimension;
        r->at += units;
        skip_blanks(r);
    }
    return DAL_OK;
}

dal_status dal_reader_list(reader *r, quantity a[ARGUMENTS_MAX], int *n, char close)
{
    *n = 0;
    do {
        if (*n == ARGUMENTS_MAX) {
            return dal_reader_complain(r, r->at, "too many arguments");
        }
        DAL_TRY(read_sum(r, &a[(*n)++]));
    } while (accept(r, ','));
    return accept(r, close) ? DAL_OK : dal_reader_complain(r, r->at, close == ')' ? "expected ')'" : "expected ']'");
}

/* x < y, and the others that follow from it: 1 or 0. */
static dal_status read_comparison(reader *r, quantity *x)
{
    const size_t begin = r->at;
    quantity y;
    DAL_TRY(read_sum(r, x));
    const char sign = r->text[r->at];
    if (sign != '<' && sign != '>') {
        return dal_reader_complain(r, r->at, "expected a comparison: <, >, <= or >=");
    }
    ++r->at;
    const int equal = r->text[r->at] == '=';
    r->at += (size_t)equal;
    skip_blanks(r);
    DAL_TRY(read_sum(r, &y));
    const int swap = (sign == '>') != equal; // x <= y is not y < x
    quantity a = swap ? y : *x;
    const quantity *b = swap ? x : &y;
    if (a.n != 1 || b->n != 1) {
        return dal_reader_complain(r, begin, "numbers are compared, not vectors");
    }
    quantity one = a, other = *b; // of the same dimension: as numbers, so that nothing is added to the list
    one.x[0] = other.x[0] = (operand){-1, 1.0};
    DAL_TRY(dal_quantity_combine(r, &one, begin, OP_MAX, &other));
    DAL_TRY(dal_reader_combine(r, &a.x[0], begin, OP_LESS, &b->x[0]));
    *x = number_quantity(1.0);
    if (!equal) {
        x->x[0] = a.x[0];
        return DAL_OK;
    }
    return dal_reader_combine(r, &x->x[0], begin, OP_SUBTRACT, &a.x[0]);
}

static int accept_word(reader *r, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(r->text + r->at, word, n) != 0 || is_letter(r->text[r->at + n]) || is_digit(r->text[r->at + n])) {
        return 0;
    }
    r->at += n;
    skip_blanks(r);
    return 1;
}

/* comparison { ("and" | "or") comparison }, from the left to the right */
static dal_status read_condition(reader *r, operand *c)
{
    const size_t begin = r->at;
    quantity x, y;
    DAL_TRY(read_comparison(r, &x));
    for (;;) {
        const int both = accept_word(r, "and");
        if (!both && !accept_word(r, "or")) {
            *c = x.x[0];
            return DAL_OK;
        }
        DAL_TRY(read_comparison(r, &y));
        operand product = x.x[0];
        DAL_TRY(dal_reader_combine(r, &product, begin, OP_MULTIPLY, &y.x[0]));
        if (!both) { // x + y - x y
            operand sum = x.x[0];
            DAL_TRY(dal_reader_combine(r, &sum, begin, OP_ADD, &y.x[0]));
            DAL_TRY(dal_reader_combine(r, &sum, begin, OP_SUBTRACT, &product));
            product = sum;
        }
        x.x[0] = product;
    }
}

/* "if(" condition "," value "," value ")", after the parenthesis: what is not chosen may be anything. */
static dal_status read_if(reader *r, size_t begin, quantity *x)
{
    operand c;
    quantity y;
    DAL_TRY(read_condition(r, &c));
    if (!accept(r, ',')) {
        return dal_reader_complain(r, r->at, "expected ',': if(condition, value, other value)");
    }
    DAL_TRY(read_sum(r, x));
    if (!accept(r, ',')) {
        return dal_reader_complain(r, r->at, "expected ',': if(condition, value, other value)");
    }
    DAL_TRY(read_sum(r, &y));
    if (!accept(r, ')')) {
        return dal_reader_complain(r, r->at, "expected ')'");
    }
    operand other = {-1, 1.0};
    DAL_TRY(dal_reader_combine(r, &other, begin, OP_SUBTRACT, &c));
    for (int k = 0; k < x->n && x->n == y.n; ++k) {
        operand a = c, b = other;
        DAL_TRY(dal_reader_combine(r, &a, begin, OP_GATE, &x->x[k]));
        DAL_TRY(dal_reader_combine(r, &b, begin, OP_GATE, &y.x[k]));
        x->x[k] = a;
        y.x[k] = b;
    }
    return dal_quantity_combine(r, x, begin, OP_ADD, &y);
}

/* "[" x "," y [ "," z ] "]", after the bracket */
static dal_status read_vector(reader *r, size_t begin, quantity *x)
{
    quantity a[ARGUMENTS_MAX];
    int n = 0;
    DAL_TRY(dal_reader_list(r, a, &n, ']'));
    if (n < 2 || n > 3) {
        return dal_reader_complain(r, begin, "a vector has two or three numbers");
    }
    *x = number_quantity(0.0);
    x->n = 3;
    x->x[2] = (operand){-1, 0.0};
    for (int k = 0; k < n; ++k) {
        if (a[k].n != 1) {
            return dal_reader_complain(r, begin, "a vector consists of numbers");
        }
        x->x[k] = a[k].x[0];
        x->dimension = a[k].dimension.known ? a[k].dimension : x->dimension;
    }
    return DAL_OK;
}

/* ".x" behind a parenthesis */
static dal_status read_component(reader *r, quantity *x)
{
    const char *axis = r->text[r->at] == '.' && r->text[r->at + 1] != '\0' ? strchr("xyz", r->text[r->at + 1]) : NULL;
    if (axis == NULL) {
        return DAL_OK;
    }
    if (x->n != 3) {
        return dal_reader_complain(r, r->at, "this is a number, and has no components");
    }
    r->at += 2;
    skip_blanks(r);
    x->n = 1;
    x->x[0] = x->x[*axis - 'x'];
    return DAL_OK;
}

/* Letters, digits, and points between them; 0: it is too long. */
static size_t name_length(const char *text)
{
    size_t n = 0, piece = 0;
    while (is_letter(text[n]) || (n > 0 && is_digit(text[n])) || (text[n] == '.' && n > 0 && is_letter(text[n + 1]))) {
        piece = text[n] == '.' ? 0 : piece + 1;
        ++n;
        if (piece >= NAME_SIZE || n >= NAMES_SIZE) {
            return 0;
        }
    }
    return n;
}

static dal_status read_name(reader *r, quantity *x)
{
    char name[NAMES_SIZE];
    const size_t begin = r->at, n = name_length(r->text + begin);
    if (n == 0) {
        return dal_reader_complain(r, begin, "this name is too long");
    }
    memcpy(name, r->text + begin, n);
    name[n] = '\0';
    r->at += n;
    skip_blanks(r);
    if (!accept(r, '(')) {
        return dal_reader_name(r, x, begin, name);
    }
    DAL_TRY(strcmp(name, "if") == 0 ? read_if(r, begin, x) : dal_reader_call(r, x, begin, name));
    return read_component(r, x);
}

static dal_status read_value(reader *r, quantity *x)
{
    const char c = r->text[r->at];
    const size_t begin = r->at;
    *x = number_quantity(0.0);
    if (is_digit(c) || c == '.') {
        return read_number(r, x);
    }
    if (is_letter(c)) {
        return read_name(r, x);
    }
    if (accept(r, '(')) {
        DAL_TRY(read_sum(r, x));
        return accept(r, ')') ? read_component(r, x) : dal_reader_complain(r, r->at, "expected ')'");
    }
    if (accept(r, '[')) {
        DAL_TRY(read_vector(r, begin, x));
        return read_component(r, x);
    }
    return dal_reader_complain(r, r->at,
                               c == '\0' ? "a value is missing at the end" : "expected a number, a name or '('");
}

/* Every recursion comes through here, so here its depth is limited. */
static dal_status read_factor(reader *r, quantity *x)
{
    const size_t begin = r->at;
    if (++r->depth > DAL_EXPRESSION_DEPTH) {
        return dal_reader_complain(r, r->at, "nested too deeply");
    }
    if (accept(r, '-')) {
        DAL_TRY(read_factor(r, x));
        DAL_TRY(dal_quantity_combine(r, x, begin, OP_NEGATE, NULL));
    } else if (accept(r, '+')) {
        DAL_TRY(read_factor(r, x));
    } else {
        DAL_TRY(read_value(r, x));
        if (accept(r, '^')) {
            quantity y;
            DAL_TRY(read_factor(r, &y));
            DAL_TRY(dal_quantity_combine(r, x, begin, OP_POWER, &y));
        }
    }
    --r->depth;
    return DAL_OK;
}

/* A row of operands of the next higher rule, joined by one of two operators, from the left to the right. */
static dal_status read_row(reader *r, quantity *x, dal_status (*next)(reader *r, quantity *x), const char sign[2],
                           const expression_op op[2])
{
    const size_t begin = r->at;
    DAL_TRY(next(r, x));
    for (;;) {
        quantity y;
        const int k = accept(r, sign[0]) ? 0 : accept(r, sign[1]) ? 1 : -1;
        if (k < 0) {
            return DAL_OK;
        }
        if (op[k] == OP_MULTIPLY && r->text[r->at] == '*') {
            return dal_reader_complain(r, r->at - 1, "a power is written with ^, as in m^2");
        }
        DAL_TRY(next(r, &y));
        DAL_TRY(dal_quantity_combine(r, x, begin, op[k], &y));
    }
}

static dal_status read_product(reader *r, quantity *x)
{
    static const expression_op op[2] = {OP_MULTIPLY, OP_DIVIDE};
    return read_row(r, x, read_factor, "*/", op);
}

static dal_status read_sum(reader *r, quantity *x)
{
    static const expression_op op[2] = {OP_ADD, OP_SUBTRACT};
    return read_row(r, x, read_product, "+-", op);
}

dal_status dal_reader_text(reader *r, quantity *x)
{
    skip_blanks(r);
    if (++r->depth > DAL_EXPRESSION_DEPTH) {
        return dal_reader_complain(r, r->at, "nested too deeply");
    }
    DAL_TRY(read_sum(r, x));
    --r->depth;
    const char next = r->text[r->at];
    if (is_letter(next) || next == '%') {
        return dal_reader_complain(
            r, r->at,
            "expected an operator or the end: a product is written with *; units stand behind numbers, as in 12 mm, "
            "20 N/m, 30 deg, 1500 rpm (without one all are in kg, m, s and rad)");
    }
    return next == '\0' ? DAL_OK : dal_reader_complain(r, r->at, "expected an operator or the end");
}

static dal_status read_whole(reader *r, quantity *x)
{
    DAL_TRY(dal_reader_text(r, x));
    for (int k = 0; k < x->n; ++k) {
        if (x->x[k].node < 0 && !isfinite(x->x[k].c)) {
            return dal_reader_complain(r, 0, "the value is not finite");
        }
    }
    return DAL_OK;
}

static dal_status no_number(const reader *r)
{
    return dal_reader_complain(r, 0, "this is a vector where a number is expected; .x, .y and .z are its components");
}

/* ---- whole expressions ------------------------------------------------------------------------ */

dal_status dal_expression_values(double x[3], int *n, dal_dimension *d, dal_ctx *ctx, const char *text,
                                 const dal_lookup *lookup, int depth)
{
    reader r = {.ctx = ctx, .text = text, .lookup = lookup, .depth = depth};
    quantity value = {.n = 0};
    DAL_TRY(read_whole(&r, &value));
    *n = value.n;
    *d = value.dimension;
    for (int k = 0; k < value.n; ++k) {
        x[k] = value.x[k].c;
    }
    return DAL_OK;
}

dal_status dal_expression_value(double *x, dal_ctx *ctx, const char *text, const dal_lookup *lookup, int depth)
{
    double all[3] = {0.0};
    int n;
    dal_dimension d;
    DAL_TRY(dal_expression_values(all, &n, &d, ctx, text, lookup, depth));
    if (n != 1) {
        return no_number(&(reader){.ctx = ctx, .text = text});
    }
    *x = all[0];
    return DAL_OK;
}

int dal_expression_size(dal_ctx *ctx, const char *text, const dal_lookup *lookup, int depth)
{
    reader r = {.ctx = ctx, .text = text, .lookup = lookup, .depth = depth, .sizing = 1};
    quantity value = {.n = 0};
    if (dal_reader_text(&r, &value) != DAL_OK) {
        dal_ctx_clear(ctx);
        return 1;
    }
    return value.n;
}

dal_status dal_expression_compile_part(dal_expression **e, int k, dal_ctx *ctx, const char *text,
                                       const char *const *inputs, int ninputs, int own, const dal_lookup *lookup)
{
    expression_node node[DAL_EXPRESSION_NODES];
    reader r = {
        .ctx = ctx, .text = text, .lookup = lookup, .inputs = inputs, .ninputs = ninputs, .own = own, .node = node};
    quantity value = {.n = 0};
    int last = 0;
    *e = NULL;
    DAL_TRY(read_whole(&r, &value));
    if (k < 0 && value.n != 1) {
        return no_number(&r);
    }
    DAL_TRY(dal_reader_as_node(&r, &last, 0, &value.x[k > 0 && value.n > 1 ? k : 0]));
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

dal_status dal_expression_compile(dal_expression **e, dal_ctx *ctx, const char *text, const char *const *inputs,
                                  int ninputs, const dal_lookup *lookup)
{
    return dal_expression_compile_part(e, -1, ctx, text, inputs, ninputs, ninputs, lookup);
}

void dal_expression_destroy(dal_expression *e, dal_ctx *ctx)
{
    dal_free(ctx, e);
}
