/* Variables with arithmetic, words, indices of repetitions, and texts with {...} in them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "io/io_impl.h"

/* ---- looking up ------------------------------------------------------------------------------- */

io_variable *dal_io_variable_find(const io_variables *v, const char *name, size_t n)
{
    for (int k = 0; k < v->n; ++k) {
        if (strlen(v->item[k].name) == n && memcmp(v->item[k].name, name, n) == 0) {
            return &v->item[k];
        }
    }
    return NULL;
}

static dal_lookup lookup_of(const io_loader *L);

/* Variables are evaluated when they are first needed, so their order in the file does not matter. */
static int find(double *x, const char *name, int depth, const void *user)
{
    const io_loader *L = user;
    for (const io_index *i = L->index; i != NULL; i = i->outer) {
        if (strcmp(i->name, name) == 0) {
            *x = i->value;
            return 1;
        }
    }
    io_variable *v = dal_io_variable_find(&L->doc->variables, name, strlen(name));
    if (v == NULL) {
        return 0;
    }
    L->doc->variables.looked += L->record == NULL;
    if (v->state == IO_BUSY) {
        dal_fail(L->ctx, DAL_EINVAL, "variable '%s' depends on itself", name);
        return -1;
    }
    if (v->state == IO_WAITING) {
        const dal_lookup lookup = lookup_of(L);
        v->state = IO_BUSY;
        const dal_status st = dal_expression_value(&v->value, L->ctx, v->text, &lookup, depth);
        v->state = st == DAL_OK ? IO_KNOWN : IO_WAITING;
        if (st != DAL_OK) {
            if (!L->doc->variables.failed) {
                dal_fail_in(L->ctx, st, "variable '%s'", name);
            }
            L->doc->variables.failed = 1;
            return -1;
        }
    }
    *x = v->value;
    return 1;
}

static const char *nearest(const char *name, const void *user)
{
    const io_loader *L = user;
    const char *words[IO_VARIABLES_MAX + IO_DEPTH_MAX];
    int n = 0;
    for (int k = 0; k < L->doc->variables.n; ++k) {
        words[n++] = L->doc->variables.item[k].name;
    }
    for (const io_index *i = L->index; i != NULL && n < IO_VARIABLES_MAX + IO_DEPTH_MAX; i = i->outer) {
        words[n++] = i->name;
    }
    return dal_nearest(name, words, n);
}

static int is_function(const char *name, const void *user)
{
    const io_loader *L = user;
    return L->model != NULL && dal_model_find_function(L->model, name) > 0;
}

static dal_lookup lookup_of(const io_loader *L)
{
    return (dal_lookup){.find = find, .nearest = nearest, .is_function = is_function, .user = L};
}

dal_status dal_io_evaluate(const io_loader *L, double *x, const char *text)
{
    const dal_lookup lookup = lookup_of(L);
    return dal_expression_value(x, L->ctx, text, &lookup, 0);
}

struct io_expression {
    dal_expression *compiled;
    io_expression *next;
};

dal_status dal_io_compile_with(const io_loader *L, dal_expression **e, const char *text, const char *const *inputs,
                               int ninputs)
{
    const dal_lookup lookup = lookup_of(L);
    return dal_expression_compile(e, L->ctx, text, inputs, ninputs, &lookup);
}

dal_status dal_io_compile(io_loader *L, dal_expression **e, const io_node *at, const char *const *inputs, int ninputs)
{
    const dal_lookup lookup = lookup_of(L);
    io_expression *made;
    DAL_TAKE(&L->doc->pool, made, 1);
    made->next = L->doc->expressions;
    L->doc->expressions = made;
    const dal_status st =
        dal_expression_compile(&made->compiled, L->ctx, dal_json_text(at->json), inputs, ninputs, &lookup);
    *e = made->compiled;
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

dal_status dal_io_keep_expression(dal_document *doc, dal_expression *e)
{
    io_expression *made;
    DAL_TAKE(&doc->pool, made, 1);
    *made = (io_expression){e, doc->expressions};
    doc->expressions = made;
    return DAL_OK;
}

void dal_io_expressions_destroy(io_expression *list, dal_ctx *ctx)
{
    for (; list != NULL; list = list->next) {
        dal_expression_destroy(list->compiled, ctx);
    }
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* What stands for {inside}: a word, or the whole number that is the value of an expression. */
static dal_status replacement(const io_loader *L, const char *inside, char out[IO_TEXT])
{
    const io_variable *word = dal_io_variable_find(&L->doc->words, inside, strlen(inside));
    if (word != NULL) {
        snprintf(out, IO_TEXT, "%s", word->text);
        return DAL_OK;
    }
    double x;
    DAL_TRY(dal_io_fixed(L, &x, inside));
    if (x != floor(x) || fabs(x) > 1e9) {
        return dal_fail(L->ctx, DAL_EINVAL, "{%s} = %g is not a whole number", inside, x);
    }
    snprintf(out, IO_TEXT, "%d", (int)x);
    return DAL_OK;
}

dal_status dal_io_expand(const io_loader *L, char expanded[IO_TEXT], const char *text)
{
    size_t n = 0;
    while (*text != '\0') {
        char inside[IO_TEXT], out[IO_TEXT] = {*text, '\0'};
        if (*text == '{') {
            const size_t length = strcspn(++text, "}");
            if (text[length] != '}' || length >= IO_TEXT) {
                return dal_fail(L->ctx, DAL_EINVAL, "'{' without '}'");
            }
            memcpy(inside, text, length);
            inside[length] = '\0';
            DAL_TRY(replacement(L, inside, out));
            text += length;
        }
        ++text;
        const size_t added = strlen(out);
        if (n + added >= IO_TEXT) {
            return dal_fail(L->ctx, DAL_EINVAL, "this text is longer than %d bytes", IO_TEXT - 1);
        }
        memcpy(expanded + n, out, added);
        n += added;
    }
    expanded[n] = '\0';
    return DAL_OK;
}

/* ---- reading them ----------------------------------------------------------------------------- */

/* The name can be used in expressions and by "name=value". */
static dal_status check_name(const io_loader *L, const io_node *at, const char *name)
{
    if (!dal_expression_name(name)) {
        return dal_io_fail(L, at, "'%.100s' cannot be a name: letters, digits and _, and not that of a function", name);
    }
    const dal_option_table *table = dal_options_table();
    for (int k = 0; k < table->n; ++k) {
        if (strcmp(table->option[k].name, name) == 0) {
            return dal_io_fail(L, at, "'%s' is an option of the simulation; choose another name", name);
        }
    }
    if (strcmp(name, "t_end") == 0) {
        return dal_io_fail(L, at, "'t_end' is the end of the simulation; choose another name");
    }
    return DAL_OK;
}

/* The text of a value: an expression, or the digits of a number. */
static dal_status text_of(const io_loader *L, const io_node *at, int word, char **text)
{
    char digits[DAL_NUMBER_SIZE];
    const char *source = dal_json_text(at->json);
    if (source == NULL && !word && dal_json_is(at->json, DAL_JSON_NUMBER)) {
        dal_number_format(digits, dal_json_number(at->json));
        source = digits;
    }
    if (source == NULL || (word && strlen(source) >= IO_TEXT)) {
        return dal_io_fail(L, at, word ? "expected a text" : "expected a number or an expression");
    }
    DAL_TAKE_TEXT(&L->doc->pool, *text, source);
    return DAL_OK;
}

/* The value of an input: what stands in its place, or is the member of an object; 0 if there is none. */
static dal_status text_of_input(const io_loader *L, const io_node *at, char **text)
{
    io_node value;
    if (!dal_json_is(at->json, DAL_JSON_OBJECT)) {
        return text_of(L, at, 0, text);
    }
    if (dal_io_member(&value, at, "value")) {
        return text_of(L, &value, 0, text);
    }
    DAL_TAKE_TEXT(&L->doc->pool, *text, "0");
    return DAL_OK;
}

/* The names of variables, words or inputs, which are variables, too, and the texts of their values. */
typedef enum io_named { IO_VARIABLES, IO_WORDS, IO_INPUTS } io_named;

static dal_status read_all(const io_loader *L, const io_node *root, io_named what)
{
    static const char *const keys[] = {"variables", "words", "inputs"};
    io_variables *v = what == IO_WORDS ? &L->doc->words : &L->doc->variables;
    io_node at;
    if (!dal_io_member(&at, root, keys[what])) {
        return DAL_OK;
    }
    if (!dal_json_is(at.json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L, &at, "expected an object");
    }
    const size_t n = dal_json_members(at.json), all = n + (size_t)v->n;
    if (all > IO_VARIABLES_MAX) {
        return dal_io_fail(L, &at, "%zu names are more than %d", all, IO_VARIABLES_MAX);
    }
    io_variable *before = v->item;
    DAL_TAKE(&L->doc->pool, v->item, all);
    if (v->n > 0) {
        memcpy(v->item, before, (size_t)v->n * sizeof *before);
    }
    for (size_t k = 0; k < n; ++k) {
        const io_node child = dal_io_item(&at, k);
        DAL_TRY(check_name(L, &child, child.key));
        if (what != IO_VARIABLES && dal_io_variable_find(&L->doc->variables, child.key, strlen(child.key)) != NULL) {
            return dal_io_fail(L, &child, "there is a variable of this name");
        }
        io_variable *item = &v->item[v->n];
        DAL_TAKE_TEXT(&L->doc->pool, item->name, child.key);
        ++v->n;
        DAL_TRY(what == IO_INPUTS ? text_of_input(L, &child, &item->text)
                                  : text_of(L, &child, what == IO_WORDS, &item->text));
    }
    L->doc->ninputs = what == IO_INPUTS ? (int)n : 0;
    return DAL_OK;
}

size_t dal_io_assignment(const char **name, const char **value, const char *text)
{
    *name = text + strspn(text, " ");
    size_t n = strcspn(*name, "=");
    *value = NULL;
    if ((*name)[n] == '=') {
        *value = *name + n + 1;
        *value += strspn(*value, " ");
    }
    while (n > 0 && (*name)[n - 1] == ' ') {
        --n;
    }
    return n;
}

/* "name=value": the value replaces what the file says. Names of options are left to dal_io_simulation. */
static dal_status replace(const io_loader *L, const char *assignment)
{
    const char *name, *value;
    const size_t n = dal_io_assignment(&name, &value, assignment);
    if (value == NULL) {
        return dal_fail(L->ctx, DAL_EOPTION, "'%s' is not of the form name=value", assignment);
    }
    io_variable *v = dal_io_variable_find(&L->doc->variables, name, n);
    if (v == NULL) {
        v = dal_io_variable_find(&L->doc->words, name, n);
    }
    if (v == NULL) {
        return DAL_OK;
    }
    DAL_TAKE_TEXT(&L->doc->pool, v->text, value);
    return DAL_OK;
}

dal_status dal_io_variables(io_loader *L, const io_node *root, const char *const *set, int nset)
{
    io_node at;
    DAL_TRY(read_all(L, root, IO_VARIABLES));
    DAL_TRY(read_all(L, root, IO_WORDS));
    DAL_TRY(read_all(L, root, IO_INPUTS));
    for (int k = 0; k < nset; ++k) {
        DAL_TRY(replace(L, set[k]));
    }
    for (int k = 0; k < L->doc->variables.n; ++k) {
        const int input = k >= L->doc->variables.n - L->doc->ninputs;
        dal_io_member(&at, root, input ? "inputs" : "variables");
        io_variable *v = &L->doc->variables.item[k];
        double x = 0.0;
        if (find(&x, v->name, 0, L) < 0) {
            return dal_io_fail_at(L, &at, DAL_EINVAL);
        }
        if (!(fabs(x) <= IO_NUMBER_MAX)) {
            return dal_io_fail(L, &at, "variable '%s': %g is out of range", v->name, x);
        }
    }
    return DAL_OK;
}
