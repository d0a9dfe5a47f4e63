/* What is collected, from text to expressions. The compiler of expressions knows plain names only, so reductions, names of
 * outputs and names of parameters are replaced by such names first: "max(A.force) - L" becomes "r0 - p0" with r0 the
 * maximum of "i0", and i0 the output A.force. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "sweep/sweep_impl.h"

enum { OUT = 4096, NAME = 300 };

static const struct {
    const char *name;
    sweep_reduction_kind kind;
    int min, max; /* arguments after the first */
} functions[] = {
    {"final", REDUCE_FINAL, 0, 0},
    {"initial", REDUCE_INITIAL, 0, 0},
    {"min", REDUCE_MIN, 0, 0},
    {"max", REDUCE_MAX, 0, 0},
    {"mean", REDUCE_MEAN, 0, 0},
    {"rms", REDUCE_RMS, 0, 0},
    {"integral", REDUCE_INTEGRAL, 0, 0},
    {"time_of_min", REDUCE_TIME_OF_MIN, 0, 0},
    {"time_of", REDUCE_TIME_OF, 1, 1},
    {"time_of_max", REDUCE_TIME_OF_MAX, 0, 0},
    {"settle", REDUCE_SETTLE, 1, 2},
    {"crossings", REDUCE_CROSSINGS, 1, 1},
    {"smooth_max", REDUCE_SMOOTH_MAX, 1, 1},
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* The compiler at work. */
typedef struct planner {
    dal_ctx *ctx;
    sweep_plan *plan;
    const sweep_parameter *parameter;
    const char *whole; /* the text, for messages */
    const char **inputs,
        **results; /* "i0", ..., or "r0", ..., then "p0", ... as the compiler of expressions wants them */
} planner;

/* A text that grows. */
typedef struct rewritten {
    char text[OUT];
    size_t n;
} rewritten;

static dal_status add_text(const planner *p, rewritten *to, const char *text, size_t n)
{
    if (to->n + n >= OUT) {
        return dal_fail(p->ctx, DAL_EOPTION, "'%.100s...' is too long", p->whole);
    }
    memcpy(to->text + to->n, text, n);
    to->n += n;
    to->text[to->n] = '\0';
    return DAL_OK;
}

static dal_status add_name(const planner *p, rewritten *to, char letter, int number)
{
    char name[16];
    const int n = snprintf(name, sizeof name, "%c%d", letter, number);
    return add_text(p, to, name, (size_t)n);
}

/* ---- tokens ----------------------------------------------------------------------------------- */

static int begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t name_length(const char *text)
{
    size_t n = 0;
    while (begins_name(text[n]) || isdigit((unsigned char)text[n]) ||
           (text[n] == '.' && (begins_name(text[n + 1]) || isdigit((unsigned char)text[n + 1]))) ||
           (text[n] == '@' && isdigit((unsigned char)text[n + 1]))) { // a place of a beam, blade@0.7
        ++n;
    }
    return n;
}

static size_t number_length(const char *text)
{
    size_t n = strspn(text, "0123456789.");
    if ((text[n] == 'e' || text[n] == 'E') &&
        (isdigit((unsigned char)text[n + 1]) ||
         ((text[n + 1] == '+' || text[n + 1] == '-') && isdigit((unsigned char)text[n + 2])))) {
        n += 2 + strspn(text + n + 2, "0123456789");
    }
    return n;
}

/* The name at *at, which moves on; quoted or not. 0: there is none. */
static dal_status take_name(const planner *p, const char **at, char name[NAME], int *quoted)
{
    *quoted = **at == '"';
    const char *begin = *at + *quoted;
    const size_t n = *quoted ? strcspn(begin, "\"") : name_length(begin);
    if (*quoted && begin[n] != '"') {
        return dal_fail(p->ctx, DAL_EOPTION, "'%.200s': a quotation mark is missing", p->whole);
    }
    if (n >= NAME) {
        return dal_fail(p->ctx, DAL_EOPTION, "'%.200s': a name is too long", p->whole);
    }
    memcpy(name, begin, n);
    name[n] = '\0';
    *at = begin + n + *quoted;
    return DAL_OK;
}

/* Does an argument list begin here? Its end, and the beginnings of its arguments. */
static int arguments(const char *text, const char *begin[4], const char **end)
{
    int depth = 0, n = 0;
    const char *c = text;
    for (; *c != '\0'; ++c) {
        if (*c == '"') {
            c += strcspn(c + 1, "\"") + 1;
            if (*c == '\0') {
                break;
            }
            continue;
        }
        depth += *c == '(';
        depth -= *c == ')';
        if (((*c == '(' || *c == ',') && depth == 1) && n < 4) {
            begin[n++] = c + 1;
        }
        if (depth == 0) {
            *end = c;
            return n;
        }
    }
    return 0;
}

static int parameter_number(const planner *p, const char *name)
{
    for (int k = 0; k < p->plan->np; ++k) {
        if (strcmp(p->parameter[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

static dal_status input_number(const planner *p, const char *name, int *number)
{
    sweep_plan *plan = p->plan;
    for (int k = 0; k < plan->ninputs; ++k) {
        if (strcmp(plan->input[k], name) == 0) {
            *number = k;
            return DAL_OK;
        }
    }
    if (plan->ninputs == SWEEP_COLUMNS) {
        return dal_fail(p->ctx, DAL_EOPTION, "more than %d outputs are requested", SWEEP_COLUMNS);
    }
    DAL_TAKE_TEXT(plan->pool, plan->input[plan->ninputs], name);
    *number = plan->ninputs++;
    return DAL_OK;
}

/* ---- rewriting -------------------------------------------------------------------------------- */

typedef enum level { LEVEL_COLUMN, LEVEL_OUTPUTS, LEVEL_PARAMETERS } level;

static dal_status rewrite(const planner *p, level at, const char *text, size_t n, rewritten *to);

static int reduction_of(const char *name, int given)
{
    for (int k = 0; k < FUNCTIONS; ++k) {
        if (strcmp(functions[k].name, name) == 0 && given > functions[k].min && given <= functions[k].max + 1) {
            return k;
        }
    }
    return -1;
}

/* Compile with results (of a column) or inputs first, then the parameters; or with these alone. */
static dal_status compile(const planner *p, const char *text, level at, dal_expression **e)
{
    const char **word = at == LEVEL_COLUMN ? p->results : at == LEVEL_OUTPUTS ? p->inputs : p->inputs + SWEEP_COLUMNS;
    const int n = (at == LEVEL_PARAMETERS ? 0 : SWEEP_COLUMNS) + p->plan->np;
    const dal_status st = dal_expression_compile(e, p->ctx, text, word, n, NULL);
    return st == DAL_OK
               ? st
               : dal_fail_in(p->ctx, st, "'%.200s', with outputs as i0, i1, ... and results as r0, ...", p->whole);
}

/* A reduction whose n arguments begin there and end before `end`. */
static dal_status add_reduction(const planner *p, int f, const char *const begin[4], int n, const char *end)
{
    sweep_plan *plan = p->plan;
    if (plan->nreductions == SWEEP_COLUMNS) {
        return dal_fail(p->ctx, DAL_EOPTION, "more than %d results are collected", SWEEP_COLUMNS);
    }
    sweep_reduction *r = &plan->reduction[plan->nreductions++];
    r->kind = functions[f].kind;
    r->nargs = n - 1;
    plan->start |= r->kind == REDUCE_INITIAL;
    plan->path |= r->kind != REDUCE_INITIAL && r->kind != REDUCE_FINAL;
    for (int k = 0; k < n; ++k) {
        rewritten *inner = dal_alloc_zero(p->ctx, sizeof *inner);
        if (inner == NULL) {
            return dal_sweep_no_memory(p->ctx);
        }
        const char *stop = k + 1 < n ? begin[k + 1] - 1 : end;
        const level at = k == 0 ? LEVEL_OUTPUTS : LEVEL_PARAMETERS;
        dal_status st = rewrite(p, at, begin[k], (size_t)(stop - begin[k]), inner);
        st = st != DAL_OK ? st : compile(p, inner->text, at, k == 0 ? &r->of : &r->arg[k - 1]);
        dal_free(p->ctx, inner);
        DAL_TRY(st);
    }
    return DAL_OK;
}

/* A name, or with parentheses a function, that nobody knows. */
static dal_status unknown(const planner *p, level at, const char *name, int function)
{
    const char *word[FUNCTIONS];
    for (int k = 0; k < FUNCTIONS; ++k) {
        word[k] = functions[k].name;
        if (function && strcmp(name, word[k]) == 0) {
            return dal_fail(p->ctx, DAL_EOPTION, "'%.200s': %s(...) has another number of arguments", p->whole, name);
        }
    }
    const char *near = dal_nearest(name, word, FUNCTIONS);
    if (!function && at == LEVEL_COLUMN && near == NULL) {
        return dal_fail(p->ctx, DAL_EOPTION,
                        "'%.200s': '%s' is no parameter; of an output, say what of it: final(%s), max(%s), ...",
                        p->whole, name, name, name);
    }
    return dal_fail(p->ctx, DAL_EOPTION,
                    function ? "'%.200s': unknown function '%s'%s%s%s"
                             : "'%.200s': '%s' is not a parameter of the sweep%s%s%s",
                    p->whole, name, near ? " (did you mean '" : "", near ? near : "",
                    !near      ? ""
                    : function ? "'?)"
                               : "(...)'?)");
}

/* A name, or a function: of time here, or of numbers. */
static dal_status rewrite_name(const planner *p, level at, const char **text, rewritten *to)
{
    char name[NAME];
    int quoted, number;
    const char *begin[4], *end = NULL, *whole = *text;
    DAL_TRY(take_name(p, text, name, &quoted));
    const char *next = *text + strspn(*text, " ");
    if (!quoted && *next == '(') {
        const int n = arguments(next, begin, &end), f = at == LEVEL_COLUMN ? reduction_of(name, n) : -1;
        if (n == 0) {
            return dal_fail(p->ctx, DAL_EOPTION, "'%.200s': a parenthesis is missing", p->whole);
        }
        if (f < 0 && at == LEVEL_COLUMN && !dal_expression_function(name)) {
            return unknown(p, at, name, 1);
        }
        if (f < 0) {
            return add_text(p, to, whole, (size_t)(*text - whole));
        }
        DAL_TRY(add_reduction(p, f, begin, n, end));
        *text = end + 1;
        return add_name(p, to, 'r', p->plan->nreductions - 1);
    }
    if (!quoted && strcmp(name, "pi") == 0) {
        return add_text(p, to, name, 2);
    }
    number = parameter_number(p, name);
    if (number >= 0) {
        return add_name(p, to, 'p', number);
    }
    if (at != LEVEL_OUTPUTS) {
        return unknown(p, at, name, 0);
    }
    DAL_TRY(input_number(p, name, &number));
    return add_name(p, to, 'i', number);
}

static dal_status rewrite(const planner *p, level at, const char *text, size_t n, rewritten *to)
{
    const char *end = text + n;
    while (text < end) {
        if (begins_name(*text) || *text == '"') {
            DAL_TRY(rewrite_name(p, at, &text, to));
        } else {
            const size_t length = isdigit((unsigned char)*text) || *text == '.' ? number_length(text) : 1;
            DAL_TRY(add_text(p, to, text, length));
            text += length;
        }
    }
    return DAL_OK;
}

/* ---- the plan --------------------------------------------------------------------------------- */

static dal_status add_expression(planner *p, level at, const char *text, dal_expression **e)
{
    rewritten *to = dal_alloc_zero(p->ctx, sizeof *to);
    if (to == NULL) {
        return dal_sweep_no_memory(p->ctx);
    }
    p->whole = text;
    dal_status st = rewrite(p, at, text, strlen(text), to);
    st = st != DAL_OK ? st : compile(p, to->text, at, e);
    dal_free(p->ctx, to);
    return st;
}

static dal_status make_names(planner *p, dal_pool *pool)
{
    const int n = SWEEP_COLUMNS + p->plan->np;
    char(*text)[8];
    DAL_TAKE(pool, text, 2 * n);
    DAL_TAKE(pool, p->inputs, n);
    DAL_TAKE(pool, p->results, n);
    for (int k = 0; k < n; ++k) {
        const int parameter = k >= SWEEP_COLUMNS;
        snprintf(text[k], sizeof text[k], "%c%d", parameter ? 'p' : 'i', k % SWEEP_COLUMNS);
        snprintf(text[n + k], sizeof text[k], "%c%d", parameter ? 'p' : 'r', k % SWEEP_COLUMNS);
        p->inputs[k] = text[k];
        p->results[k] = text[n + k];
    }
    return DAL_OK;
}

dal_status dal_sweep_plan_init(sweep_plan *plan, dal_pool *pool, const dal_sweep_spec *spec,
                               const sweep_parameter *parameter)
{
    planner p = {.ctx = pool->ctx, .plan = plan, .parameter = parameter};
    *plan = (sweep_plan){.pool = pool, .np = spec->nparameters};
    if (spec->ncollect > SWEEP_COLUMNS || spec->ntrajectories > SWEEP_COLUMNS) {
        return dal_fail(pool->ctx, DAL_EOPTION, "more than %d results are collected", SWEEP_COLUMNS);
    }
    DAL_TAKE(pool, plan->input, SWEEP_COLUMNS);
    DAL_TAKE(pool, plan->reduction, SWEEP_COLUMNS);
    DAL_TAKE(pool, plan->value, spec->ncollect + 1);           // NOLINT(bugprone-sizeof-expression): pointers
    DAL_TAKE(pool, plan->trajectory, spec->ntrajectories + 1); // NOLINT(bugprone-sizeof-expression)
    dal_status st = make_names(&p, pool);
    for (; plan->ncolumns < spec->ncollect && st == DAL_OK; ++plan->ncolumns) {
        st = add_expression(&p, LEVEL_COLUMN, spec->collect[plan->ncolumns], &plan->value[plan->ncolumns]);
    }
    for (; plan->ncurves < spec->ntrajectories && st == DAL_OK; ++plan->ncurves) {
        st = add_expression(&p, LEVEL_OUTPUTS, spec->trajectory[plan->ncurves], &plan->trajectory[plan->ncurves]);
    }
    return st;
}

void dal_sweep_plan_release(sweep_plan *plan)
{
    for (int k = 0; k < plan->nreductions; ++k) {
        dal_expression_destroy(plan->reduction[k].of, plan->pool->ctx);
        dal_expression_destroy(plan->reduction[k].arg[0], plan->pool->ctx);
        dal_expression_destroy(plan->reduction[k].arg[1], plan->pool->ctx);
    }
    for (int k = 0; k < plan->ncolumns; ++k) {
        dal_expression_destroy(plan->value[k], plan->pool->ctx);
    }
    for (int k = 0; k < plan->ncurves; ++k) {
        dal_expression_destroy(plan->trajectory[k], plan->pool->ctx);
    }
}
