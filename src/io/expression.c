/* A recursive-descent evaluator: each function reads one rule of the grammar and gives its value. */
#include "io/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { NAME_SIZE = 64, ARGUMENTS_MAX = 16, QUOTE_MAX = 120 };

static const double pi = 3.14159265358979323846;

typedef struct reader {
    dal_ctx *ctx;
    const char *text;
    size_t at; /* where the next token begins, blanks skipped */
    const dal_lookup *lookup;
    int depth;
} reader;

typedef struct function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    int many; /* takes two or more */
} function;

static double degrees(double x)
{
    return x * (pi / 180.0);
}

static double radians(double x)
{
    return x;
}

static double smaller(double x, double y)
{
    return y < x ? y : x;
}

static double larger(double x, double y)
{
    return y > x ? y : x;
}

static const function functions[] = {
    {"sin", sin, NULL, 0},     {"cos", cos, NULL, 0},     {"tan", tan, NULL, 0},     {"asin", asin, NULL, 0},
    {"acos", acos, NULL, 0},   {"atan", atan, NULL, 0},   {"atan2", NULL, atan2, 0}, {"sqrt", sqrt, NULL, 0},
    {"abs", fabs, NULL, 0},    {"exp", exp, NULL, 0},     {"log", log, NULL, 0},     {"pow", NULL, pow, 0},
    {"deg", degrees, NULL, 0}, {"rad", radians, NULL, 0}, {"floor", floor, NULL, 0}, {"min", NULL, smaller, 1},
    {"max", NULL, larger, 1},
};
enum { NFUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static const function *find_function(const char *name)
{
    for (int k = 0; k < NFUNCTIONS; ++k) {
        if (strcmp(functions[k].name, name) == 0) {
            return &functions[k];
        }
    }
    return NULL;
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
    return n > 0 && n < NAME_SIZE && text[n] == '\0' && strcmp(text, "pi") != 0 && find_function(text) == NULL;
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

static dal_status read_sum(reader *r, double *x);

static dal_status read_number(reader *r, double *x)
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
    if (!dal_number_parse(x, s, n)) {
        return complain(r, r->at, "this is not a number, or it is too large");
    }
    r->at += n;
    skip_blanks(r);
    return DAL_OK;
}

/* name "(" arguments ")", after the parenthesis */
static dal_status read_call(reader *r, const function *f, size_t begin, double *x)
{
    double a[ARGUMENTS_MAX];
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
    if (f->one != NULL ? n != 1 : f->many ? n < 2 : n != 2) {
        char what[NAME_SIZE];
        snprintf(what, sizeof(what), "%s takes %s", f->name, f->one != NULL ? "one argument" : "two arguments");
        return complain(r, begin, what);
    }
    *x = f->one != NULL ? f->one(a[0]) : f->two(a[0], a[1]);
    for (int k = 2; k < n; ++k) {
        *x = f->two(*x, a[k]);
    }
    return DAL_OK;
}

static dal_status unknown_name(const reader *r, size_t begin, const char *name, int called)
{
    const char *words[NFUNCTIONS];
    for (int k = 0; k < NFUNCTIONS; ++k) {
        words[k] = functions[k].name;
    }
    const char *near = NULL;
    if (called) {
        near = dal_nearest(name, words, NFUNCTIONS);
    } else if (r->lookup != NULL && r->lookup->nearest != NULL) {
        near = r->lookup->nearest(name, r->lookup->user);
    }
    return dal_fail(r->ctx, DAL_EINVAL, "\"%.*s\", column %d: no %s '%s'%s%s%s", QUOTE_MAX, r->text, (int)begin + 1,
                    called ? "function" : "variable", name, near ? " (did you mean '" : "", near ? near : "",
                    near ? "'?)" : "");
}

/* A variable, the constant, or a function. */
static dal_status read_name(reader *r, double *x)
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
        const function *f = find_function(name);
        return f != NULL ? read_call(r, f, begin, x) : unknown_name(r, begin, name, 1);
    }
    if (strcmp(name, "pi") == 0) {
        *x = pi;
        return DAL_OK;
    }
    *x = 0.0;
    const int found = r->lookup != NULL ? r->lookup->find(x, name, r->depth, r->lookup->user) : 0;
    if (found < 0) {
        return DAL_EINVAL;
    }
    return found ? DAL_OK : unknown_name(r, begin, name, 0);
}

static dal_status read_value(reader *r, double *x)
{
    const char c = r->text[r->at];
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
static dal_status read_factor(reader *r, double *x)
{
    if (++r->depth > DAL_EXPRESSION_DEPTH) {
        return complain(r, r->at, "nested too deeply");
    }
    if (accept(r, '-')) {
        DAL_TRY(read_factor(r, x));
        *x = -*x;
    } else if (accept(r, '+')) {
        DAL_TRY(read_factor(r, x));
    } else {
        DAL_TRY(read_value(r, x));
        if (accept(r, '^')) {
            double y = 0.0;
            DAL_TRY(read_factor(r, &y));
            *x = pow(*x, y);
        }
    }
    --r->depth;
    return DAL_OK;
}

static dal_status read_product(reader *r, double *x)
{
    DAL_TRY(read_factor(r, x));
    for (;;) {
        double y = 0.0;
        if (accept(r, '*')) {
            DAL_TRY(read_factor(r, &y));
            *x *= y;
        } else if (accept(r, '/')) {
            DAL_TRY(read_factor(r, &y));
            *x /= y;
        } else {
            return DAL_OK;
        }
    }
}

static dal_status read_sum(reader *r, double *x)
{
    DAL_TRY(read_product(r, x));
    for (;;) {
        double y = 0.0;
        if (accept(r, '+')) {
            DAL_TRY(read_product(r, &y));
            *x += y;
        } else if (accept(r, '-')) {
            DAL_TRY(read_product(r, &y));
            *x -= y;
        } else {
            return DAL_OK;
        }
    }
}

dal_status dal_expression_value(double *x, dal_ctx *ctx, const char *text, const dal_lookup *lookup, int depth)
{
    reader r = {.ctx = ctx, .text = text, .lookup = lookup, .depth = depth};
    double value = 0.0;
    skip_blanks(&r);
    DAL_TRY(read_sum(&r, &value));
    if (text[r.at] != '\0') {
        return complain(&r, r.at, "expected an operator or the end");
    }
    if (!isfinite(value)) {
        return complain(&r, 0, "the value is not finite");
    }
    *x = value;
    return DAL_OK;
}
