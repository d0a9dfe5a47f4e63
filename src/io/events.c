/* Events: {"name": "fuse", "when": "link.force.x > 500", "off": "link"}. Names with points in a condition are outputs. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "io/binding_impl.h"
#include "io/callbacks.h"
#include "io/forms.h"
#include "io/io_impl.h"

enum { VALUES = 33, ACTIONS = 64, TEXT = 3 * IO_TEXT };

/* Expressions of t, the inputs, and live values: the condition, then what is set. */
typedef struct io_event_law {
    const dal_expression *e[VALUES];
    int n, ninputs, nlive;
    int live[DAL_PARAMETERS_MAX];
} io_event_law;

/* An event while it is read. */
typedef struct reading {
    io_event_law *law;
    char text[VALUES][TEXT];             /* of the expressions, with inputs by the names below */
    char name[DAL_INPUTS_MAX][IO_TEXT];  /* of inputs in expressions */
    char given[DAL_INPUTS_MAX][IO_TEXT]; /* as texts of outputs, their elements */
    char element[DAL_INPUTS_MAX][IO_TEXT];
    dal_output output[DAL_INPUTS_MAX];
    char target[ACTIONS][IO_TEXT];
    dal_action action[ACTIONS];
    int nactions;
} reading;

/* dal_calling_event_law */
static dal_status evaluate(double *y, double t, const double *x, const dal_functions *functions, void *user)
{
    const io_event_law *law = user;
    double in[1 + DAL_INPUTS_MAX + DAL_PARAMETERS_MAX] = {t};
    memcpy(in + 1, x, (size_t)(law->ninputs + law->nlive) * sizeof(double));
    for (int k = 0; k < law->n; ++k) {
        DAL_TRY(dal_expression_calling(&y[k], NULL, law->e[k], in, functions));
    }
    return DAL_OK;
}

io_formula dal_io_formula_of_event(const dal_model_event *d, int k)
{
    const io_event_law *law = d->calling == evaluate ? d->user : NULL;
    return law != NULL && k >= 0 && k < law->n ? (io_formula){law->e[k], law->nlive} : (io_formula){NULL, 0};
}

/* ---- inputs ----------------------------------------------------------------------------------- */

/* An output as an input of that name; the same one is taken once. */
static dal_status add_input(io_loader *L, reading *r, const io_node *at, const char *name, const char *output)
{
    const int n = r->law->ninputs;
    if (n == DAL_INPUTS_MAX) {
        return dal_io_fail(L, at, "an event has at most %d inputs", DAL_INPUTS_MAX);
    }
    snprintf(r->name[n], IO_TEXT, "%s", name);
    if (L->scope != NULL && !dal_io_is_of_model(L, output)) {
        dal_io_full_name(L, r->given[n], output);
    } else {
        snprintf(r->given[n], IO_TEXT, "%s", output);
    }
    DAL_TRY(dal_io_output_of(L, &r->output[n], r->element[n], r->given[n], at));
    r->law->ninputs = n + 1;
    return DAL_OK;
}

static dal_status read_inputs(io_loader *L, reading *r, const io_node *at)
{
    io_node list;
    if (!dal_io_member(&list, at, "inputs")) {
        return DAL_OK;
    }
    if (!dal_json_is(list.json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L, &list, "expected an object with an output for each name");
    }
    for (size_t k = 0; k < dal_json_members(list.json); ++k) {
        const io_node child = dal_io_item(&list, k);
        char text[IO_TEXT];
        DAL_TRY(dal_io_input_name(L, &child, child.key));
        DAL_TRY(dal_io_text(L, text, &child));
        DAL_TRY(add_input(L, r, &child, child.key, text));
    }
    return DAL_OK;
}

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '@';
}

/* The name in expressions of the output that a word of n letters is; NULL: it is none. */
static dal_status input_of(io_loader *L, reading *r, const io_node *at, const char *word, size_t n, const char **name)
{
    char text[IO_TEXT], made[IO_TEXT];
    *name = NULL;
    snprintf(text, sizeof text, "%.*s", (int)n, word);
    if (dal_io_variable(L, text) != NULL || (strchr(text, '.') == NULL && !dal_io_is_of_model(L, text))) {
        return DAL_OK;
    }
    for (int k = 0; k < r->law->ninputs; ++k) {
        if (strcmp(r->name[k], text) == 0 || strcmp(r->given[k], dal_io_full_name(L, made, text)) == 0) {
            *name = r->name[k];
            return DAL_OK;
        }
    }
    snprintf(made, sizeof made, "input_%d_", r->law->ninputs);
    DAL_TRY(add_input(L, r, at, made, text));
    *name = r->name[r->law->ninputs - 1];
    return DAL_OK;
}

/* A text with outputs replaced by names of inputs. */
static dal_status take_expression(io_loader *L, reading *r, const io_node *at, const char *text, char to[TEXT])
{
    size_t used = 0;
    for (const char *c = text; *c != '\0';) {
        const char *name = NULL;
        size_t n = 1;
        while (is_word(*c) && is_word(c[n])) {
            ++n;
        }
        if (isalpha((unsigned char)*c) || *c == '_') {
            DAL_TRY(input_of(L, r, at, c, n, &name));
        }
        used +=
            (size_t)snprintf(to + used, TEXT - used, "%.*s", name != NULL ? IO_TEXT : (int)n, name != NULL ? name : c);
        if (used >= TEXT - 1) {
            return dal_io_fail(L, at, "the expression is too long");
        }
        c += n;
    }
    to[used] = '\0';
    return DAL_OK;
}

/* ---- condition and actions -------------------------------------------------------------------- */

/* At equal distances in time: there is no condition. */
static dal_status read_period(io_loader *L, reading *r, dal_model_event *event, const io_node *at)
{
    io_node child;
    const int sampled = dal_io_member(&child, at, "every");
    if (sampled == dal_io_member(&(io_node){0}, at, "when")) {
        return dal_io_fail(L, at,
                           sampled ? "an event has a condition, 'when', or a period, 'every', not both"
                                   : "'when' is missing, the condition, or 'every', a period");
    }
    if (!sampled) {
        return dal_io_member(&child, at, "from") ? dal_io_fail(L, &child, "'from' goes with 'every'") : DAL_OK;
    }
    DAL_TRY(dal_io_constant(L, &event->every, &child));
    if (!(event->every > 0.0)) {
        return dal_io_fail(L, &child, "expected a time above zero");
    }
    DAL_TRY(dal_io_member(&child, at, "from") ? dal_io_constant(L, &event->from, &child) : DAL_OK);
    snprintf(r->text[0], TEXT, "1");
    r->law->n = 1;
    return DAL_OK;
}

/* "a > b": becomes true upwards, "a < b" downwards, "a = b" either way. */
static dal_status read_condition(io_loader *L, reading *r, dal_model_event *event, const io_node *at)
{
    io_node child;
    char text[IO_TEXT], side[2][IO_TEXT], out[TEXT];
    DAL_TRY(dal_io_need(&child, L, at, "when"));
    DAL_TRY(dal_io_text(L, text, &child));
    const size_t n = strcspn(text, "<>=");
    const size_t sign = n + (text[n] != '\0' && text[n + 1] == '='), rest = sign + 1;
    if (text[n] == '\0' || strcspn(text + rest, "<>=") != strlen(text + rest)) {
        return dal_io_fail(L, &child, "expected a comparison, as \"hinge.coordinate > 1.5\", with one of > < =");
    }
    snprintf(side[0], IO_TEXT, "%.*s", (int)n, text);
    snprintf(side[1], IO_TEXT, "%s", text + rest);
    event->direction = text[n] == '>' ? 1 : text[n] == '<' ? -1 : 0;
    snprintf(text, sizeof text, "%s", "");
    DAL_TRY(take_expression(L, r, &child, side[0], r->text[0]));
    DAL_TRY(take_expression(L, r, &child, side[1], out));
    char whole[2 * TEXT + 8];
    snprintf(whole, sizeof whole, "(%s) - (%s)", r->text[0], out);
    if (strlen(whole) >= TEXT) {
        return dal_io_fail(L, &child, "the condition is too long");
    }
    memcpy(r->text[0], whole, strlen(whole) + 1);
    r->law->n = 1;
    return DAL_OK;
}

static dal_status add_action(const io_loader *L, reading *r, const io_node *at, dal_deed what, const char *name)
{
    if (r->nactions == ACTIONS) {
        return dal_io_fail(L, at, "an event has at most %d actions", ACTIONS);
    }
    snprintf(r->target[r->nactions], IO_TEXT, "%s", name);
    r->action[r->nactions] = (dal_action){what, r->target[r->nactions]};
    r->nactions++;
    return DAL_OK;
}

/* A name or a list of names. */
static dal_status read_names(io_loader *L, reading *r, const io_node *at, const char *key, dal_deed what)
{
    io_node child;
    char name[IO_TEXT];
    if (!dal_io_member(&child, at, key)) {
        return DAL_OK;
    }
    if (dal_json_is(child.json, DAL_JSON_TEXT)) {
        DAL_TRY(dal_io_name(L, name, &child));
        return add_action(L, r, &child, what, name);
    }
    DAL_TRY(dal_io_list(L, &child, 1, ACTIONS));
    for (size_t k = 0; k < dal_io_length(&child); ++k) {
        const io_node element = dal_io_element(&child, k);
        DAL_TRY(dal_io_name(L, name, &element));
        DAL_TRY(add_action(L, r, &element, what, name));
    }
    return DAL_OK;
}

/* {"torque": 0, "target": "2*x"} */
static dal_status read_set(io_loader *L, reading *r, const io_node *at)
{
    io_node list;
    char text[IO_TEXT];
    if (!dal_io_member(&list, at, "set")) {
        return DAL_OK;
    }
    if (!dal_json_is(list.json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L, &list, "expected an object with a value for each input that is set");
    }
    for (size_t k = 0; k < dal_json_members(list.json); ++k) {
        const io_node child = dal_io_item(&list, k);
        if (r->law->n == VALUES) {
            return dal_io_fail(L, &list, "an event sets at most %d inputs", VALUES - 1);
        }
        if (dal_json_is(child.json, DAL_JSON_TEXT)) {
            DAL_TRY(dal_io_text(L, text, &child));
        } else {
            double x;
            DAL_TRY(dal_io_constant(L, &x, &child));
            snprintf(text, sizeof text, "%.17g", x);
        }
        DAL_TRY(take_expression(L, r, &child, text, r->text[r->law->n]));
        r->law->n++;
        char input[IO_TEXT];
        DAL_TRY(add_action(L, r, &child, DAL_DO_SET, dal_io_full_name(L, input, child.key)));
    }
    return DAL_OK;
}

static dal_status read_actions(io_loader *L, reading *r, const io_node *at)
{
    static const struct {
        const char *key;
        dal_deed what;
    } names[] = {{"on", DAL_DO_ON}, {"off", DAL_DO_OFF}, {"grab", DAL_DO_GRAB}, {"impulse", DAL_DO_IMPULSE}};
    io_node child;
    int stop = 0;
    DAL_TRY(read_set(L, r, at));
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        DAL_TRY(read_names(L, r, at, names[k].key, names[k].what));
    }
    DAL_TRY(dal_io_member(&child, at, "stop") ? dal_io_flag(L, &stop, &child) : DAL_OK);
    return stop ? add_action(L, r, at, DAL_DO_STOP, "") : DAL_OK;
}

/* ---- expressions ------------------------------------------------------------------------------ */

/* While a binding records, live values are inputs behind the others. */
static dal_status compile_all(io_loader *L, reading *r, const io_node *at)
{
    io_event_law *law = r->law;
    const char *names[1 + DAL_INPUTS_MAX] = {"t"};
    for (int k = 0; k < law->ninputs; ++k) {
        names[1 + k] = r->name[k];
    }
    for (int k = 0; k < law->n && L->record != NULL; ++k) {
        DAL_TRY(dal_io_add_live(L, law->live, &law->nlive, r->text[k], names, 1 + law->ninputs));
    }
    for (int k = 0; k < law->n; ++k) {
        dal_expression *e = NULL;
        dal_status st;
        if (L->record != NULL) {
            st = dal_io_compile_bound(L, &e, r->text[k], names, 1 + law->ninputs, law->live, law->nlive);
        } else {
            st = dal_io_compile_with(L, &e, -1, r->text[k], names, 1 + law->ninputs, 1 + law->ninputs);
            st = st == DAL_OK ? dal_io_keep_expression(L->doc, e) : st;
        }
        if (st != DAL_OK) {
            return dal_io_fail_at(L, at, st);
        }
        DAL_TRY(dal_io_check_arguments(L, at, e, 1));
        law->e[k] = e;
    }
    for (int k = 0; k < law->ninputs; ++k) {
        int used = 0;
        for (int i = 0; i < law->n; ++i) {
            used |= dal_expression_uses(law->e[i], 1 + k);
        }
        if (!used) {
            return dal_io_fail(L, at, "input '%s' is not used; remove it", r->name[k]);
        }
    }
    return DAL_OK;
}

/* Memory that lives as long as the document or, while one records, as the binding. */
static dal_status keep(const io_loader *L, io_event_law **law)
{
    *law = L->record != NULL ? dal_io_own_zero(L, sizeof **law) : dal_pool_take(&L->doc->pool, sizeof **law, 1);
    return *law != NULL ? DAL_OK : dal_io_no_memory(L->ctx);
}

static dal_status read_event(io_loader *L, reading *r, const io_node *at)
{
    io_texts texts;
    char note[IO_TEXT] = "";
    io_node child;
    dal_model_event event = {.calling = evaluate};
    DAL_TRY(dal_io_read(L, &event, &texts, at, dal_io_form("event")));
    if (dal_io_member(&child, at, "note")) {
        DAL_TRY(dal_io_text(L, note, &child));
    }
    DAL_TRY(keep(L, &r->law));
    DAL_TRY(read_inputs(L, r, at));
    DAL_TRY(read_period(L, r, &event, at));
    DAL_TRY(event.every > 0.0 ? DAL_OK : read_condition(L, r, &event, at));
    DAL_TRY(read_actions(L, r, at));
    L->calls = 1;
    const dal_status st = compile_all(L, r, at);
    L->calls = 0;
    DAL_TRY(st);
    event.note = note;
    event.user = r->law;
    event.inputs = r->output;
    event.ninputs = r->law->ninputs;
    event.actions = r->action;
    event.nactions = r->nactions;
    event.nparameters = r->law->nlive;
    dal_io_store_live(L, event.parameter, r->law->live, r->law->nlive);
    return dal_io_add_event(L, at, &event);
}

dal_status dal_io_event(io_loader *L, const io_node *at)
{
    reading *r;
    DAL_TAKE(L->scratch, r, 1);
    return read_event(L, r, at);
}
