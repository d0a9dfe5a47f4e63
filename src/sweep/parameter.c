/* What a parameter can be: levels, a list, rows, or a distribution. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "sweep/random.h"
#include "sweep/sweep_impl.h"

enum { NUMBERS = 10000, LEVELS = 1000000000 };

static dal_status bad(dal_ctx *ctx, const char *text, const char *why)
{
    return dal_fail(ctx, DAL_EOPTION,
                    "parameter '%.200s': %s (L=0.1:0.5:41, k=list:1,2,5, m=normal(1,0.05), mu=uniform(0.1,0.3), ...)",
                    text, why);
}

static dal_status number(dal_ctx *ctx, const char *text, size_t n, double *x)
{
    char one[256];
    if (n == 0 || n >= sizeof one) {
        return dal_fail(ctx, DAL_EOPTION, n == 0 ? "a number is missing" : "a number is too long");
    }
    memcpy(one, text, n);
    one[n] = '\0';
    return dal_expression_value(x, ctx, one, NULL, 0);
}

/* Numbers between separators, not looking into parentheses; at most `most`, which must not be too few. */
static dal_status numbers(dal_ctx *ctx, const char *text, size_t n, char separator, double *x, long most, long *count)
{
    size_t begin = 0;
    int depth = 0;
    *count = 0;
    for (size_t i = 0; i <= n; ++i) {
        const char c = i < n ? text[i] : separator;
        depth += c == '(';
        depth -= c == ')';
        if ((c == separator && depth == 0) || i == n) {
            if (*count == most) {
                return dal_fail(ctx, DAL_EOPTION, "more than %ld numbers", most);
            }
            DAL_TRY(number(ctx, text + begin, i - begin, &x[(*count)++]));
            begin = i + 1;
        }
    }
    return DAL_OK;
}

/* ---- levels ----------------------------------------------------------------------------------- */

static dal_status read_list(sweep_parameter *p, dal_pool *pool, const char *what, size_t n)
{
    long most = 1;
    for (size_t i = 0; i < n; ++i) {
        most += what[i] == ',';
    }
    DAL_TAKE(pool, p->list, most);
    return numbers(pool->ctx, what, n, ',', p->list, most, &p->n);
}

static dal_status read_levels(sweep_parameter *p, dal_ctx *ctx, const char *what)
{
    double x[3] = {0.0};
    long n;
    DAL_TRY(numbers(ctx, what, strlen(what), ':', x, 3, &n));
    if (n != 3) {
        return dal_fail(ctx, DAL_EOPTION, "levels are FROM:TO:NUMBER");
    }
    if (!(x[2] >= 1.0 && x[2] <= LEVELS && x[2] == floor(x[2]))) {
        return dal_fail(ctx, DAL_EOPTION, "%g is not a number of levels", x[2]);
    }
    if (p->kind == KIND_RATIOS && !(x[0] > 0.0 && x[1] > 0.0)) {
        return dal_fail(ctx, DAL_EOPTION, "logarithmic levels must be positive");
    }
    p->a[0] = x[0];
    p->a[1] = x[1];
    p->n = (long)x[2];
    return DAL_OK;
}

/* ---- distributions ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    sweep_kind kind;
    int n;
    const char *form;
} distribution[] = {
    {"uniform", KIND_UNIFORM, 2, "uniform(MIN,MAX), MIN < MAX"},
    {"normal", KIND_NORMAL, 2, "normal(MEAN,DEVIATION[,MIN,MAX]), DEVIATION > 0, MIN < MAX"},
    {"lognormal", KIND_LOGNORMAL, 2, "lognormal(MEAN,DEVIATION) of the logarithm, DEVIATION > 0"},
    {"triangular", KIND_TRIANGULAR, 3, "triangular(MIN,MODE,MAX), MIN <= MODE <= MAX, MIN < MAX"},
    {"exponential", KIND_EXPONENTIAL, 1, "exponential(MEAN), MEAN > 0"},
    {"weibull", KIND_WEIBULL, 2, "weibull(SCALE,SHAPE), both > 0"},
    {"integer", KIND_INTEGER, 2, "integer(MIN,MAX), whole numbers, MIN <= MAX"},
};

enum { DISTRIBUTIONS = sizeof distribution / sizeof distribution[0] };

static int makes_sense(const sweep_parameter *p)
{
    const double *a = p->a;
    switch (p->kind) {
    case KIND_UNIFORM:
        return a[0] < a[1];
    case KIND_NORMAL:
    case KIND_LOGNORMAL:
        return a[1] > 0.0;
    case KIND_TRUNCATED:
        return a[1] > 0.0 && a[2] < a[3] && p->u[0] < p->u[1];
    case KIND_TRIANGULAR:
        return a[0] <= a[1] && a[1] <= a[2] && a[0] < a[2];
    case KIND_EXPONENTIAL:
        return a[0] > 0.0;
    case KIND_WEIBULL:
        return a[0] > 0.0 && a[1] > 0.0;
    case KIND_INTEGER:
        return a[0] == floor(a[0]) && a[1] == floor(a[1]) && a[0] <= a[1] && a[1] - a[0] < LEVELS;
    default:
        return 1;
    }
}

static dal_status read_distribution(sweep_parameter *p, dal_pool *pool, const char *what, size_t name, size_t n)
{
    dal_ctx *ctx = pool->ctx;
    const char *words[DISTRIBUTIONS + 1] = {"choice"};
    char asked[64];
    long given;
    snprintf(asked, sizeof asked, "%.*s", (int)(name < 63 ? name : 63), what);
    if (strcmp(asked, "choice") == 0) {
        p->kind = KIND_CHOICE;
        return read_list(p, pool, what + name + 1, n);
    }
    for (int k = 0; k < DISTRIBUTIONS; ++k) {
        words[k + 1] = distribution[k].name;
        if (strcmp(asked, distribution[k].name) != 0) {
            continue;
        }
        p->kind = distribution[k].kind;
        DAL_TRY(numbers(ctx, what + name + 1, n, ',', p->a, 4, &given));
        if (p->kind == KIND_NORMAL && given == 4) {
            p->kind = KIND_TRUNCATED;
            p->u[0] = dal_sweep_normal_below((p->a[2] - p->a[0]) / p->a[1]);
            p->u[1] = dal_sweep_normal_below((p->a[3] - p->a[0]) / p->a[1]);
        } else if (given != distribution[k].n) {
            return dal_fail(ctx, DAL_EOPTION, "it should be %s", distribution[k].form);
        }
        p->n = p->kind == KIND_INTEGER ? (long)(p->a[1] - p->a[0]) + 1 : 0;
        return makes_sense(p) ? DAL_OK : dal_fail(ctx, DAL_EOPTION, "it should be %s", distribution[k].form);
    }
    char hint[DAL_HINT_SIZE];
    return dal_fail(ctx, DAL_EOPTION, "no distribution '%s'%s", asked,
                    dal_hint(hint, dal_nearest(asked, words, DISTRIBUTIONS + 1)));
}

/* ---- a parameter ------------------------------------------------------------------------------ */

static dal_status read_what(sweep_parameter *p, dal_pool *pool, const char *what)
{
    dal_ctx *ctx = pool->ctx;
    const size_t n = strlen(what);
    const char *open = strchr(what, '(');
    if (strcmp(what, "rows") == 0) {
        p->kind = KIND_ROWS;
        return DAL_OK;
    }
    if (strncmp(what, "list:", 5) == 0) {
        p->kind = KIND_LIST;
        return read_list(p, pool, what + 5, n - 5);
    }
    if (strncmp(what, "log:", 4) == 0) {
        p->kind = KIND_RATIOS;
        return read_levels(p, ctx, what + 4);
    }
    if (strchr(what, ':') != NULL) {
        p->kind = KIND_LEVELS;
        return read_levels(p, ctx, what);
    }
    if (open == NULL && strchr(what, ',') != NULL) {
        p->kind = KIND_LIST;
        return read_list(p, pool, what, n);
    }
    if (open == NULL || what[n - 1] != ')') {
        return dal_fail(ctx, DAL_EOPTION, "neither levels nor a distribution");
    }
    const size_t name = (size_t)(open - what);
    return read_distribution(p, pool, what, name, n - name - 2);
}

dal_status dal_sweep_parameter_read(sweep_parameter *p, dal_pool *pool, const char *text)
{
    dal_ctx *ctx = pool->ctx;
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        return bad(ctx, text, "it is not of the form NAME=WHAT");
    }
    const char *begin = text + strspn(text, " "), *end = equals;
    while (end > begin && end[-1] == ' ') {
        --end;
    }
    DAL_TAKE_TEXT(pool, p->text, text);
    DAL_TAKEN(p->name, dal_sweep_copy(pool, begin, (size_t)(end - begin)));
    const dal_status st = read_what(p, pool, equals + 1 + strspn(equals + 1, " "));
    return st == DAL_OK ? st : dal_fail_in(ctx, st == DAL_ENOMEM ? st : DAL_EOPTION, "parameter '%.200s'", text);
}

/* ---- values ----------------------------------------------------------------------------------- */

double dal_sweep_level(const sweep_parameter *p, long k)
{
    const double a = p->a[0], b = p->a[1];
    if (p->kind == KIND_LIST || p->kind == KIND_CHOICE) {
        return p->list[k];
    }
    if (p->kind == KIND_INTEGER) {
        return a + (double)k;
    }
    if (k == 0 || k == p->n - 1) {
        return k == 0 ? a : b;
    }
    const double s = (double)k / (double)(p->n - 1);
    return p->kind == KIND_RATIOS ? a * dal_sweep_exp(s * (dal_sweep_log(b) - dal_sweep_log(a))) : a + (b - a) * s;
}

static double triangular(const double a[3], double u)
{
    const double left = a[1] - a[0], right = a[2] - a[1], all = a[2] - a[0];
    return u * all < left ? a[0] + sqrt(u * all * left) : a[2] - sqrt((1.0 - u) * all * right);
}

double dal_sweep_draw(const sweep_parameter *p, double u)
{
    const double *a = p->a;
    switch (p->kind) {
    case KIND_UNIFORM:
        return a[0] + (a[1] - a[0]) * u;
    case KIND_NORMAL:
        return a[0] + a[1] * dal_sweep_normal_quantile(u);
    case KIND_TRUNCATED:
        return fmin(fmax(a[0] + a[1] * dal_sweep_normal_quantile(p->u[0] + (p->u[1] - p->u[0]) * u), a[2]), a[3]);
    case KIND_LOGNORMAL:
        return dal_sweep_exp(a[0] + a[1] * dal_sweep_normal_quantile(u));
    case KIND_TRIANGULAR:
        return triangular(a, u);
    case KIND_EXPONENTIAL:
        return -a[0] * dal_sweep_log(1.0 - u);
    case KIND_WEIBULL:
        return a[0] * dal_sweep_exp(dal_sweep_log(-dal_sweep_log(1.0 - u)) / a[1]);
    default: {
        const long k = (long)(u * (double)p->n);
        return dal_sweep_level(p, k < p->n ? k : p->n - 1);
    }
    }
}
