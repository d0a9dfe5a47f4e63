/* Reading an element by the keys of its type: what it must have, what it may not have, and where values go. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

enum { WORDS_MAX = 128 }; // keys of all elements of a section

/* ---- types ------------------------------------------------------------------------------------ */

static void list_keys(io_type *type, const dal_element_type *about)
{
    const int nkeys = dal_element_key_count(about);
    type->about = *about;
    type->nkeys = nkeys < IO_KEYS_MAX ? nkeys : IO_KEYS_MAX;
    for (int i = 0; i < type->nkeys; ++i) {
        type->key[i] = dal_element_key(about, i);
    }
}

dal_status dal_io_types_init(io_types *types, dal_ctx *ctx)
{
    const int n = dal_element_type_count();
    types->item = dal_alloc_zero(ctx, (size_t)n * sizeof *types->item);
    if (types->item == NULL) {
        return dal_io_no_memory(ctx);
    }
    types->n = n;
    for (int k = 0; k < n; ++k) {
        io_type *type = &types->item[k];
        const dal_element_type about = dal_element_type_at(k);
        list_keys(type, &about);
    }
    return DAL_OK;
}

void dal_io_types_release(io_types *types, dal_ctx *ctx)
{
    dal_free(ctx, types->item);
    *types = (io_types){0};
}

const dal_key *dal_io_key(const io_type *type, const char *name)
{
    for (int k = 0; k < type->nkeys; ++k) {
        if (strcmp(type->key[k]->name, name) == 0) {
            return type->key[k];
        }
    }
    return NULL;
}

const dal_key *dal_io_key_of_kind(const io_type *type, dal_key_kind kind)
{
    for (int k = 0; k < type->nkeys; ++k) {
        if (type->key[k]->kind == kind) {
            return type->key[k];
        }
    }
    return NULL;
}

int dal_io_type_names(const io_loader *L, const char *section, const char *names[IO_TYPES_MAX],
                      const io_type *list[IO_TYPES_MAX])
{
    int n = 0;
    for (int k = 0; k < L->types.n && n < IO_TYPES_MAX; ++k) {
        const io_type *type = &L->types.item[k];
        if (strcmp(type->about.section, section) == 0) {
            names[n] = type->about.name;
            list[n++] = type;
        }
    }
    return n;
}

dal_status dal_io_type(const io_loader *L, const io_type **type, const io_node *at, const char *section,
                       const char *what)
{
    const char *names[IO_TYPES_MAX];
    const io_type *list[IO_TYPES_MAX] = {NULL};
    int k = 0;
    const int n = dal_io_type_names(L, section, names, list);
    DAL_TRY(at != NULL ? dal_io_choice(L, &k, at, what, names, n) : DAL_OK);
    *type = list[k];
    return DAL_OK;
}

/* Words, each of them once. */
typedef struct io_words {
    const char *word[WORDS_MAX];
    int n;
} io_words;

static void add_word(io_words *words, const char *word)
{
    int k = 0;
    while (k < words->n && strcmp(words->word[k], word) != 0) {
        ++k;
    }
    if (k == words->n && k < WORDS_MAX) {
        words->word[words->n++] = word;
    }
}

dal_status dal_io_selector(io_node *child, const io_loader *L, const io_node *at, const char *section,
                           const char *selector, const char *what)
{
    if (dal_io_member(child, at, selector)) {
        return DAL_OK;
    }
    io_words words = {.word = {selector}, .n = 1};
    for (int k = 0; k < L->types.n; ++k) {
        const io_type *type = &L->types.item[k];
        for (int i = 0; strcmp(type->about.section, section) == 0 && i < type->nkeys; ++i) {
            add_word(&words, type->key[i]->name);
        }
    }
    DAL_TRY(dal_io_misspelt(L, at, what, words.word, words.n));
    return dal_io_fail(L, at, "'%s' is missing", selector);
}

/* ---- the object ------------------------------------------------------------------------------- */

dal_status dal_io_object_of(const io_loader *L, const io_node *at, const char *what, const char *selector,
                            const io_type *type)
{
    const char *words[IO_KEYS_MAX + 2];
    int n = 0;
    if (selector != NULL) {
        words[n++] = selector;
    }
    for (int k = 0; k < type->nkeys; ++k) {
        words[n++] = type->key[k]->name;
    }
    DAL_TRY(dal_io_members(L, at, what, words, n));
    for (int k = 0; k < type->nkeys; ++k) {
        if (type->key[k]->required && dal_json_member(at->json, type->key[k]->name) == NULL) {
            return dal_io_fail(L, at, "'%s' is missing", type->key[k]->name);
        }
    }
    return DAL_OK;
}

/* ---- forms ------------------------------------------------------------------------------------ */

dal_status dal_io_object(const io_loader *L, const io_node *at, const io_form *form)
{
    io_type type;
    list_keys(&type, &form->type);
    return dal_io_object_of(L, at, form->what, NULL, &type);
}

dal_status dal_io_read(io_loader *L, void *description, io_texts *texts, const io_node *at, const io_form *form)
{
    io_type type;
    io_texts none;
    list_keys(&type, &form->type);
    DAL_TRY(dal_io_object_of(L, at, form->what, NULL, &type));
    return dal_io_values(L, description, texts != NULL ? texts : &none, at, &type);
}

static int is_of(const io_form *form, const char *definition)
{
    return strcmp(form->type.section, definition) == 0;
}

/* The keys of all forms of a definition. */
static void list_words(io_words *words, const char *definition)
{
    for (int k = 0; dal_io_form_at(k)->type.section != NULL; ++k) {
        const io_form *form = dal_io_form_at(k);
        for (int i = 0; form->what != NULL && is_of(form, definition) && i < form->type.nkeys; ++i) {
            add_word(words, form->type.keys[i].name);
        }
    }
}

dal_status dal_io_object_of_any(const io_loader *L, const io_node *at, const char *what, const char *definition)
{
    io_words words = {.n = 0};
    list_words(&words, definition);
    return dal_io_members(L, at, what, words.word, words.n);
}

dal_status dal_io_alternative(const io_form **form, io_node *value, const io_loader *L, const io_node *at,
                              const char *what, const char *definition)
{
    char list[256];
    size_t used = 0;
    for (int k = 0; dal_io_form_at(k)->type.section != NULL; ++k) {
        const io_form *one = dal_io_form_at(k);
        if (is_of(one, definition) && one->type.name != NULL) {
            if (dal_io_member(value, at, one->type.name)) {
                *form = one;
                return DAL_OK;
            }
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.20s", used > 0 ? ", " : "", one->type.name);
            used = used < sizeof list ? used : sizeof list - 1;
        }
    }
    io_words words = {.n = 0};
    list_words(&words, definition);
    DAL_TRY(dal_io_misspelt(L, at, what, words.word, words.n));
    return dal_io_fail(L, at, "%s is one of %s", what, list);
}

/* ---- values ----------------------------------------------------------------------------------- */

static int count_words(const char *const *words)
{
    int n = 0;
    while (words[n] != NULL) {
        ++n;
    }
    return n;
}

static const char *name_of_word(const dal_key *key)
{
    return key->word != NULL ? key->word : key->name;
}

/* A list of words, a bit for each. */
static dal_status read_choices(const io_loader *L, const io_node *at, const dal_key *key, unsigned *bits)
{
    const int n = count_words(key->words);
    DAL_TRY(dal_io_list(L, at, 1, (size_t)n));
    for (size_t k = 0; k < dal_io_length(at); ++k) {
        const io_node element = dal_io_element(at, k);
        int choice;
        DAL_TRY(dal_io_choice(L, &choice, &element, name_of_word(key), key->words, n));
        *bits |= 1U << choice;
    }
    return DAL_OK;
}

/* Is the value of a key the name of an element? */
static int names_element(const char *key)
{
    static const char *const keys[] = {"name", "joint", "joint_1", "joint_2", "joint_3", "force", "beam"};
    size_t k = 0;
    while (k < sizeof keys / sizeof *keys && strcmp(keys[k], key) != 0) {
        ++k;
    }
    return k < sizeof keys / sizeof *keys;
}

static dal_status read_text(const io_loader *L, const io_node *at, io_texts *texts, const char **text)
{
    char *room = texts->text[texts->n];
    DAL_TRY(names_element(at->key) ? dal_io_name(L, room, at) : dal_io_text(L, room, at));
    texts->n += texts->n + 1 < IO_TEXTS_MAX;
    *text = room;
    return DAL_OK;
}

enum { NUMBERS_MAX = 16 }; // of one key

/* Keys whose values are numbers of the description: *n of them. A spin is in body axes, and as a number about z. */
static dal_status read_numbers(const io_loader *L, const io_node *at, const dal_key *key, io_real x[NUMBERS_MAX],
                               int *n)
{
    switch (key->kind) {
    case DAL_KEY_NUMBER:
        *n = 1;
        return dal_io_number(L, x, at);
    case DAL_KEY_NUMBERS:
        *n = key->n < NUMBERS_MAX ? key->n : NUMBERS_MAX;
        return dal_io_numbers(L, x, at, *n);
    case DAL_KEY_ROTATION:
        *n = 4;
        return dal_io_rotation(L, x, at);
    default:
        *n = 3;
        memset(x, 0, 3 * sizeof *x);
        return key->kind == DAL_KEY_SPIN && !dal_io_is_vector(L, at->json) ? dal_io_number(L, &x[2], at)
                                                                           : dal_io_vector(L, x, at);
    }
}

static dal_status read_value(io_loader *L, const io_node *at, const dal_key *key, void *description, io_texts *texts)
{
    void *field = (char *)description + key->offset;
    io_real x[NUMBERS_MAX];
    int n;
    switch (key->kind) {
    case DAL_KEY_NUMBER:
    case DAL_KEY_VECTOR:
    case DAL_KEY_NUMBERS:
    case DAL_KEY_ROTATION:
    case DAL_KEY_SPIN:
        DAL_TRY(read_numbers(L, at, key, x, &n));
        dal_io_store(L, field, x, n);
        return DAL_OK;
    case DAL_KEY_FLAG:
        return dal_io_flag(L, field, at);
    case DAL_KEY_WHOLE:
        return dal_io_integer(L, field, at);
    case DAL_KEY_TEXT:
        return read_text(L, at, texts, field);
    case DAL_KEY_CHOICE:
        return dal_io_choice(L, field, at, name_of_word(key), key->words, count_words(key->words));
    case DAL_KEY_CHOICES:
        return read_choices(L, at, key, field);
    case DAL_KEY_COORDINATE: {
        dal_coordinate *coordinate = field;
        void *axis = (char *)description + key->second;
        return dal_io_coordinate(L, coordinate, axis, at);
    }
    case DAL_KEY_FUNCTION:
        return dal_io_function(L, field, at);
    case DAL_KEY_BODY:
        return dal_io_body_number(L, field, at);
    default:
        return DAL_OK; // has a reader of its own
    }
}

void dal_io_note_unit(const io_loader *L, const dal_json *value, const char *unit)
{
    for (size_t k = 0; k < dal_json_length(value); ++k) {
        dal_io_note_unit(L, dal_json_item(value, k), unit);
    }
    if (dal_json_is(value, DAL_JSON_TEXT)) {
        const char *text = dal_json_text(value) + (dal_json_text(value)[0] == '-');
        io_variable *v = dal_io_variable(L, text);
        if (v != NULL) {
            v->unit = v->unit == NULL || strcmp(v->unit, unit) == 0 ? unit : "";
        }
    }
}

dal_status dal_io_values(io_loader *L, void *description, io_texts *texts, const io_node *at, const io_type *type)
{
    texts->n = 0;
    for (int k = 0; k < type->nkeys; ++k) {
        const dal_key *key = type->key[k];
        io_node child;
        if (!dal_io_member(&child, at, key->name)) {
            continue;
        }
        if (key->unit[0] != '\0') {
            dal_io_note_unit(L, child.json, key->unit);
            DAL_TRY(L->record == NULL ? dal_io_check_unit(L, &child, key->unit) : DAL_OK);
        }
        if (key->offset != DAL_KEY_NOWHERE) {
            DAL_TRY(read_value(L, &child, key, description, texts));
        }
    }
    return DAL_OK;
}
