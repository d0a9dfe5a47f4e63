/* Variables, words and inputs of a model and its parts: their names and texts, and what is set from outside. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "base/number.h"
#include "io/io_impl.h"

/* ---- reading them ----------------------------------------------------------------------------- */

/* The name can be used in expressions. */
static dal_status check_name(const io_loader *L, const io_node *at, const char *name)
{
    if (strcmp(name, "t_end") == 0) {
        return dal_io_fail(L, at,
                           "'t_end' is the end of the simulation, t_end=2 to every command; choose another name");
    }
    return dal_expression_name(name)
               ? DAL_OK
               : dal_io_fail(L, at, "'%.100s' cannot be a name: letters, digits and _, and not that of a function",
                             name);
}

/* A number or an expression as text: digits that give the number again. */
static dal_status add_text(const io_loader *L, const io_node *at, char *text, size_t size, size_t *used)
{
    char digits[DAL_NUMBER_SIZE];
    const char *source = dal_json_text(at->json);
    if (source == NULL && dal_json_is(at->json, DAL_JSON_NUMBER)) {
        dal_number_format(digits, dal_json_number(at->json));
        source = digits;
    }
    if (source == NULL) {
        return dal_io_fail(L, at, "expected a number or an expression");
    }
    const size_t n = strlen(source);
    if (*used + n >= size) {
        return dal_io_fail(L, at, "this vector is too long");
    }
    memcpy(text + *used, source, n + 1);
    *used += n;
    return DAL_OK;
}

/* [a, b, c] as text */
static dal_status text_of_list(const io_loader *L, const io_node *at, dal_pool *pool, char **text)
{
    enum { SIZE = 2000 };
    char list[SIZE] = "[";
    size_t used = 1;
    DAL_TRY(dal_io_list(L, at, 2, 3));
    for (size_t k = 0; k < dal_io_length(at); ++k) {
        const io_node element = dal_io_element(at, k);
        DAL_TRY(add_text(L, &element, list, SIZE - 4, &used));
        list[used++] = k + 1 < dal_io_length(at) ? ',' : ']';
    }
    list[used] = '\0';
    DAL_TAKE_TEXT(pool, *text, list);
    return DAL_OK;
}

dal_status dal_io_text_of(const io_loader *L, char **text, dal_pool *pool, const io_node *at)
{
    char digits[DAL_NUMBER_SIZE];
    size_t used = 0;
    if (dal_json_is(at->json, DAL_JSON_LIST)) {
        return text_of_list(L, at, pool, text);
    }
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        DAL_TAKE_TEXT(pool, *text, dal_json_text(at->json));
        return DAL_OK;
    }
    DAL_TRY(add_text(L, at, digits, sizeof digits, &used));
    DAL_TAKE_TEXT(pool, *text, digits);
    return DAL_OK;
}

static dal_status text_of_word(const io_loader *L, const io_node *at, char **text)
{
    const char *source = dal_json_text(at->json);
    if (source == NULL || strlen(source) >= IO_TEXT) {
        return dal_io_fail(L, at, "expected a text");
    }
    DAL_TAKE_TEXT(&L->doc->pool, *text, source);
    return DAL_OK;
}

/* The value of an input: what stands in its place, or is the member of an object; 0 if there is none. */
static dal_status text_of_input(const io_loader *L, const io_node *at, char **text)
{
    io_node value;
    if (!dal_json_is(at->json, DAL_JSON_OBJECT)) {
        return dal_io_text_of(L, text, &L->doc->pool, at);
    }
    if (dal_io_member(&value, at, "value")) {
        return dal_io_text_of(L, text, &L->doc->pool, &value);
    }
    DAL_TAKE_TEXT(&L->doc->pool, *text, "0");
    return DAL_OK;
}

/* The names of variables, words or inputs, which are variables, too, and the texts of their values. */
typedef enum io_named { IO_VARIABLES, IO_WORDS, IO_INPUTS } io_named;

static dal_status make_room(const io_loader *L, const io_node *at, io_variables *v, size_t n)
{
    const size_t all = n + (size_t)v->n;
    if (all > IO_VARIABLES_MAX) {
        return dal_io_fail(L, at, "%zu names are more than %d", all, IO_VARIABLES_MAX);
    }
    const io_variable *before = v->item;
    DAL_TAKE(&L->doc->pool, v->item, all);
    for (int k = 0; before != NULL && k < v->n; ++k) {
        v->item[k] = before[k];
    }
    return DAL_OK;
}

static dal_status read_all(const io_loader *L, const io_node *root, const io_scope *scope, io_named what)
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
    const size_t n = dal_json_members(at.json);
    DAL_TRY(make_room(L, &at, v, n));
    for (size_t k = 0; k < n; ++k) {
        const io_node child = dal_io_item(&at, k);
        char full[IO_TEXT];
        DAL_TRY(check_name(L, &child, child.key));
        if (what != IO_VARIABLES && dal_io_variable(L, child.key) != NULL) {
            return dal_io_fail(L, &child, "there is a variable of this name");
        }
        io_variable *item = &v->item[v->n];
        *item = (io_variable){.scope = scope};
        DAL_TAKE_TEXT(&L->doc->pool, item->name, dal_io_full_name(L, full, child.key));
        ++v->n;
        DAL_TRY(what == IO_INPUTS  ? text_of_input(L, &child, &item->text)
                : what == IO_WORDS ? text_of_word(L, &child, &item->text)
                                   : dal_io_text_of(L, &item->text, &L->doc->pool, &child));
    }
    L->doc->ninputs += what == IO_INPUTS ? (int)n : 0;
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

int dal_io_named(const dal_document *doc, const char *name, size_t n)
{
    char part[IO_TEXT];
    snprintf(part, sizeof part, "%.*s.x", (int)(n < IO_TEXT - 3 ? n : IO_TEXT - 3), name);
    return dal_io_variable_find(&doc->variables, name, n) != NULL ||
           dal_io_variable_find(&doc->words, name, n) != NULL ||
           dal_io_variable_find(&doc->variables, part, strlen(part)) != NULL;
}

size_t dal_io_option_name(const char **name, size_t n)
{
    static const char section[] = "simulation.";
    const size_t length = sizeof section - 1;
    if (n <= length || strncmp(*name, section, length) != 0) {
        return 0;
    }
    *name += length;
    return n - length;
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
    v->scope = NULL; // as seen from outside
    v->index = NULL;
    DAL_TAKE_TEXT(&L->doc->pool, v->text, value);
    return DAL_OK;
}

/* The three components of a vector as variables. */
static dal_status add_components(const io_loader *L, io_variables *v, const io_variable *vector)
{
    const size_t length = strlen(vector->name) + strlen(vector->text) + 8;
    for (int i = 0; i < 3; ++i) {
        io_variable one = *vector;
        one.size = 1;
        DAL_TAKE(&L->doc->pool, one.name, length);
        DAL_TAKE(&L->doc->pool, one.text, length);
        snprintf(one.name, length, "%s.%c", vector->name, "xyz"[i]);
        snprintf(one.text, length, "(%s).%c", vector->text, "xyz"[i]);
        v->item[v->n++] = one;
    }
    return DAL_OK;
}

/* A vector becomes three variables: p is p.x, p.y and p.z. */
static dal_status split(const io_loader *L, const io_node *root)
{
    io_variables *v = &L->doc->variables;
    const io_variables before = *v;
    const io_loader whole = {.ctx = L->ctx, .doc = L->doc};
    const dal_lookup lookup = dal_io_lookup(&whole);
    size_t all = 0;
    for (int k = 0; k < v->n; ++k) {
        all += (size_t)lookup.size(v->item[k].name, 0, &lookup);
    }
    if (before.item == NULL || all == (size_t)v->n) {
        return DAL_OK;
    }
    *v = (io_variables){0};
    DAL_TRY(make_room(L, root, v, all));
    for (int k = 0; v->item != NULL && k < before.n; ++k) {
        const io_variable *from = &before.item[k];
        if (from->size == 3 && k >= before.n - L->doc->ninputs) {
            return dal_io_fail(L, root, "input '%s' is a vector; inputs are numbers", from->name);
        }
        if (from->size == 3) {
            DAL_TRY(add_components(L, v, from));
        } else {
            v->item[v->n++] = *from;
        }
    }
    return DAL_OK;
}

/* ---- parts ------------------------------------------------------------------------------------ */

/* What variables need to know of a part, to stay. */
static dal_status keep_scope(const io_loader *L, const io_scope **kept, const io_scope *scope)
{
    io_scope *made;
    char *prefix;
    *kept = NULL;
    if (scope == NULL) {
        return DAL_OK;
    }
    DAL_TAKE(&L->doc->pool, made, 1);
    DAL_TAKE_TEXT(&L->doc->pool, prefix, scope->prefix);
    *made = (io_scope){.prefix = prefix};
    *kept = made;
    return DAL_OK;
}

static dal_status keep_index(const io_loader *L, const io_index **kept, const io_index *index)
{
    *kept = NULL;
    for (const io_index **to = kept; index != NULL; index = index->outer) {
        io_index *made;
        char *name, *text = NULL;
        DAL_TAKE(&L->doc->pool, made, 1);
        DAL_TAKE_TEXT(&L->doc->pool, name, index->name);
        if (index->text != NULL) {
            DAL_TAKE_TEXT(&L->doc->pool, text, index->text);
        }
        *made = (io_index){.name = name, .text = text, .value = index->value};
        *to = made;
        to = &made->outer;
    }
    return DAL_OK;
}

/* One of the values that a part sets: a variable, a word or an input of it, as seen from where the part is used. */
static dal_status set_one(const io_loader *L, const io_node *at)
{
    const io_loader *outer = L->scope->outer;
    char full[IO_TEXT], word[IO_TEXT];
    dal_io_full_name(L, full, at->key);
    io_variable *v = dal_io_variable_find(&L->doc->variables, full, strlen(full));
    if (v != NULL) {
        DAL_TRY(keep_scope(L, &v->scope, outer->scope));
        DAL_TRY(keep_index(L, &v->index, outer->index));
        return dal_io_text_of(outer, &v->text, &L->doc->pool, at);
    }
    v = dal_io_variable_find(&L->doc->words, full, strlen(full));
    if (v != NULL) {
        DAL_TRY(dal_io_text(outer, word, at));
        DAL_TAKE_TEXT(&L->doc->pool, v->text, word);
    }
    return DAL_OK;
}

/* There must be such a name. */
static dal_status check_one(const io_loader *L, const io_node *at)
{
    char full[IO_TEXT], hint[DAL_HINT_SIZE];
    dal_io_full_name(L, full, at->key);
    const dal_lookup lookup = dal_io_lookup(L);
    return dal_io_named(L->doc, full, strlen(full))
               ? DAL_OK
               : dal_io_fail(L->scope->outer, at, "the part has no variable '%.100s'%s", at->key,
                             dal_hint(hint, lookup.nearest(at->key, &lookup)));
}

static dal_status each_set(const io_loader *L, dal_status (*one)(const io_loader *L, const io_node *at))
{
    io_node list;
    if (L->scope == NULL || !dal_io_member(&list, L->scope->part, "set")) {
        return DAL_OK;
    }
    if (!dal_json_is(list.json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L->scope->outer, &list, "expected an object with a value for each variable that is set");
    }
    for (size_t k = 0; k < dal_json_members(list.json); ++k) {
        const io_node child = dal_io_item(&list, k);
        DAL_TRY(one(L, &child));
    }
    return DAL_OK;
}

/* What the part sets, those around it, and who opens the model; the outermost counts. Then all can be evaluated: how often a part
 * is repeated may depend on it. */
static dal_status settle(const io_loader *L, const io_node *root)
{
    io_loader there = *L;
    for (; there.scope != NULL; there.scope = there.scope->outer->scope) {
        DAL_TRY(each_set(&there, set_one));
    }
    for (int k = 0; k < L->nset; ++k) {
        DAL_TRY(replace(L, L->set[k]));
    }
    DAL_TRY(split(L, root));
    for (int k = 0; k < L->nset; ++k) { // components, which have names now
        DAL_TRY(replace(L, L->set[k]));
    }
    return DAL_OK;
}

/* Variables and words of the model or a part, and of the parts in it. */
static dal_status read_names(io_loader *L, const io_node *root)
{
    const io_scope *kept;
    DAL_TRY(keep_scope(L, &kept, L->scope));
    DAL_TRY(read_all(L, root, kept, IO_VARIABLES));
    DAL_TRY(read_all(L, root, kept, IO_WORDS));
    DAL_TRY(settle(L, root));
    return dal_io_parts(L, root, read_names);
}

/* Then inputs, behind all variables. */
static dal_status read_inputs(io_loader *L, const io_node *root)
{
    const io_scope *kept;
    const int before = L->doc->variables.n;
    DAL_TRY(keep_scope(L, &kept, L->scope));
    DAL_TRY(read_all(L, root, kept, IO_INPUTS));
    DAL_TRY(L->doc->variables.n > before ? settle(L, root) : DAL_OK);
    DAL_TRY(dal_io_parts(L, root, read_inputs));
    return each_set(L, check_one);
}

/* All that can be known: those that call functions can when these have been read. */
static dal_status evaluate(io_loader *L, const io_node *root, int finally)
{
    io_variables *all = &L->doc->variables;
    for (int k = 0; k < all->n; ++k) {
        const int input = k >= all->n - L->doc->ninputs;
        io_node at;
        dal_io_member(&at, root, input ? "inputs" : "variables");
        const dal_lookup lookup = dal_io_lookup(L);
        double x = 0.0;
        all->missed = 0;
        if (lookup.find(&x, all->item[k].name, 0, &lookup) < 0) {
            if (finally || !all->missed) {
                return dal_io_fail_at(L, &at, DAL_EINVAL);
            }
            all->failed = 0;
            dal_ctx_clear(L->ctx);
        }
        if (!(fabs(x) <= IO_NUMBER_MAX)) {
            return dal_io_fail(L, &at, "variable '%s': %g is out of range", all->item[k].name, x);
        }
    }
    return DAL_OK;
}

dal_status dal_io_variables_left(io_loader *L, const io_node *root)
{
    return evaluate(L, root, 1);
}

dal_status dal_io_variables(io_loader *L, const io_node *root, const char *const *set, int nset)
{
    L->set = set;
    L->nset = nset;
    DAL_TRY(read_names(L, root));
    DAL_TRY(read_inputs(L, root));
    L->input_names = 1;
    return evaluate(L, root, 0);
}
