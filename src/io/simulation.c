/* The end time and the options of a simulation, from the file and from assignments that replace what it says. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/number.h"
#include "io/io_impl.h"

enum { NAMES_MAX = 128, VALUE_SIZE = 1024 };

static const dal_option *find_option(const char *name)
{
    const dal_option_table *table = dal_options_table();
    for (int k = 0; k < table->n; ++k) {
        if (strcmp(table->option[k].name, name) == 0) {
            return &table->option[k];
        }
    }
    return NULL;
}

static int is_word(const dal_option *option, const char *text)
{
    for (const dal_word *w = option->words; w != NULL && w->name != NULL; ++w) {
        if (strcmp(w->name, text) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Numbers may be expressions. */
static dal_status set_option(io_loader *L, const dal_option *option, const char *value)
{
    char digits[DAL_NUMBER_SIZE];
    const int number =
        option->kind == DAL_OPTION_INT || option->kind == DAL_OPTION_REAL || option->kind == DAL_OPTION_RULED;
    if (number && !is_word(option, value)) {
        double x;
        const dal_status st = dal_io_evaluate(L, &x, value);
        if (st != DAL_OK) {
            return dal_fail_in(L->ctx, st, "option '%s'", option->name);
        }
        dal_number_format(digits, x);
        value = digits;
    }
    return dal_options_set(L->ctx, dal_options_table(), &L->doc->options, option->name, value);
}

/* A list of numbers as the text "0.1,0.2". */
static dal_status list_text(const io_loader *L, const io_node *at, char text[VALUE_SIZE])
{
    size_t n = 0;
    DAL_TRY(dal_io_list(L, at, 0, DAL_REALS_MAX));
    text[0] = '\0';
    for (size_t k = 0; k < dal_io_length(at); ++k) {
        const io_node element = dal_io_element(at, k);
        char digits[DAL_NUMBER_SIZE];
        double x;
        DAL_TRY(dal_io_constant(L, &x, &element));
        dal_number_format(digits, x);
        n += (size_t)snprintf(text + n, VALUE_SIZE - n, "%s%s", k > 0 ? "," : "", digits);
    }
    return DAL_OK;
}

static dal_status read_option(io_loader *L, const io_node *at, const dal_option *option)
{
    char text[VALUE_SIZE];
    if (dal_json_is_flag(at->json)) {
        snprintf(text, sizeof(text), "%s", dal_json_is(at->json, DAL_JSON_TRUE) ? "yes" : "no");
    } else if (dal_json_is(at->json, DAL_JSON_LIST)) {
        DAL_TRY(list_text(L, at, text));
    } else if (dal_json_is(at->json, DAL_JSON_NUMBER)) {
        double x;
        DAL_TRY(dal_io_constant(L, &x, at));
        dal_number_format(text, x);
    } else {
        DAL_TRY(dal_io_text(L, text, at));
    }
    const dal_status st = set_option(L, option, text);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

/* Something that can be set has nearly this name. */
static const char *nearest_name(const io_loader *L, const char *name, int settable)
{
    const char *words[NAMES_MAX];
    const dal_option_table *table = dal_options_table();
    const io_variables *lists[2] = {&L->doc->variables, &L->doc->words};
    int n = 0;
    words[n++] = "t_end";
    for (int k = 0; k < table->n && n < NAMES_MAX; ++k) {
        words[n++] = table->option[k].name;
    }
    for (int i = 0; settable && i < 2; ++i) {
        for (int k = 0; k < lists[i]->n && n < NAMES_MAX; ++k) {
            words[n++] = lists[i]->item[k].name;
        }
    }
    return dal_nearest(name, words, n);
}

static dal_status set_end(io_loader *L, double t_end)
{
    if (!(t_end > 0.0)) {
        return dal_fail(L->ctx, DAL_EINVAL, "t_end = %g is not positive", t_end);
    }
    L->doc->t_end = t_end;
    return isfinite(t_end) ? dal_model_set_end(L->doc->model, t_end) : DAL_OK;
}

static dal_status read_member(io_loader *L, const io_node *child)
{
    static const char *const times[] = {"t_end", "h", "h_min", "h_max", "projection_times"};
    if (strcmp(child->key, "note") == 0) {
        return DAL_OK;
    }
    for (size_t k = 0; k < sizeof times / sizeof *times; ++k) {
        DAL_TRY(strcmp(child->key, times[k]) == 0 ? dal_io_check_unit(L, child, "s") : DAL_OK);
    }
    if (strcmp(child->key, "t_end") == 0) {
        double t_end;
        DAL_TRY(dal_io_constant(L, &t_end, child));
        const dal_status st = set_end(L, t_end);
        return st == DAL_OK ? st : dal_io_fail_at(L, child, st);
    }
    const dal_option *option = find_option(child->key);
    if (option == NULL) {
        const char *near = nearest_name(L, child->key, 0);
        return near != NULL ? dal_io_fail(L, child, "no option '%.100s' (did you mean '%s'?)", child->key, near)
                            : dal_io_fail(L, child, "no option '%.100s'", child->key);
    }
    return read_option(L, child, option);
}

/* "name=value"; variables and words have been replaced before. */
static dal_status set_from(io_loader *L, const char *assignment)
{
    const char *at, *value;
    char name[IO_TEXT];
    size_t n = dal_io_assignment(&at, &value, assignment);
    const size_t option_n = dal_io_option_name(&at, n);
    if (option_n == 0 && dal_io_named(L->doc, at, n)) {
        return DAL_OK;
    }
    n = option_n > 0 ? option_n : n;
    if (n >= sizeof(name)) {
        return dal_fail(L->ctx, DAL_EOPTION, "'%.60s...' is too long for a name", at);
    }
    memcpy(name, at, n);
    name[n] = '\0';
    if (strcmp(name, "t_end") == 0) {
        double t_end = 0.0;
        const dal_status st = dal_io_evaluate(L, &t_end, value);
        return st == DAL_OK ? set_end(L, t_end) : dal_fail_in(L->ctx, st, "t_end");
    }
    const dal_option *option = find_option(name);
    if (option != NULL) {
        return set_option(L, option, value);
    }
    char hint[DAL_HINT_SIZE];
    return dal_fail(L->ctx, DAL_EOPTION, "no variable or option '%s'%s", name,
                    dal_hint(hint, nearest_name(L, name, 1)));
}

dal_status dal_io_simulation(io_loader *L, const io_node *root, const char *const *set, int nset)
{
    io_node at;
    L->doc->options = dal_options_init();
    L->doc->t_end = 1.0;
    if (dal_io_member(&at, root, "simulation")) {
        if (!dal_json_is(at.json, DAL_JSON_OBJECT)) {
            return dal_io_fail(L, &at, "expected an object");
        }
        for (size_t k = 0; k < dal_json_members(at.json); ++k) {
            const io_node child = dal_io_item(&at, k);
            DAL_TRY(read_member(L, &child));
        }
    }
    for (int k = 0; k < nset; ++k) {
        DAL_TRY(set_from(L, set[k]));
    }
    return DAL_OK;
}
