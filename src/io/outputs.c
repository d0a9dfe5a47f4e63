/* Outputs: objects, or texts like "crank.position", "A.force" and "energy". */
#include <stdio.h>
#include <string.h>

#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* What an output is of, by the keys of its quantity. */
static int is_of_body(const io_type *type)
{
    return type->about.place == DAL_PLACE_BODY ||
           (dal_io_key(type, "body") != NULL && dal_io_key(type, "joint") == NULL);
}

static int is_of_beam(const io_type *type)
{
    return dal_io_key(type, "beam") != NULL;
}

static int is_of_model(const io_type *type)
{
    return !is_of_body(type) && !is_of_beam(type) && dal_io_key(type, "joint") == NULL &&
           dal_io_key(type, "force") == NULL;
}

/* Does an element of this name have such a quantity? If there is none of this name, it might. NULL: the whole model. */
static int has_quantity(const io_loader *L, const char *element, const io_type *type)
{
    if (element == NULL) {
        return is_of_model(type);
    }
    const int body = dal_model_find_body(L->model, element), joint = dal_model_find_joint(L->model, element),
              force = dal_model_find_force(L->model, element);
    const char *at = strrchr(element, '@');
    char beam[IO_TEXT];
    snprintf(beam, sizeof beam, "%.*s", at != NULL ? (int)(at - element) : 0, element);
    if (is_of_beam(type)) {
        return dal_model_find_beam(L->model, beam) >= 0;
    }
    const int of_body =
        is_of_body(type) && (type->about.place == DAL_PLACE_BODY || dal_model_modes(L->model, NULL, NULL, body) > 0);
    return (body >= 0 && of_body) || (joint >= 0 && !is_of_body(type) && dal_io_key(type, "joint") != NULL) ||
           (force >= 0 && dal_io_key(type, "force") != NULL) || (body < 0 && joint < 0 && force < 0);
}

/* The message lists those that the element has. */
static dal_status find_quantity(const io_loader *L, const io_node *at, const char *element, const char *text,
                                const io_type **found)
{
    const char *words[IO_TYPES_MAX];
    const io_type *list[IO_TYPES_MAX];
    const int n = dal_io_type_names(L, "outputs", words, list);
    int fitting = 0;
    for (int k = 0; k < n; ++k) {
        if (strcmp(words[k], text) == 0) {
            *found = list[k];
            return DAL_OK;
        }
        if (has_quantity(L, element, list[k])) {
            words[fitting++] = list[k]->about.name;
        }
    }
    const dal_status st = dal_io_unknown(L, at, "quantity", text, words, fitting);
    return st == DAL_OK ? DAL_EINVAL : st; // never: it is unknown
}

static int is_quantity(const io_loader *L, const char *text)
{
    for (int k = 0; k < L->types.n; ++k) {
        const dal_element_type *about = &L->types.item[k].about;
        if (strcmp(about->section, "outputs") == 0 && strcmp(about->name, text) == 0) {
            return 1;
        }
    }
    return 0;
}

/* "x", "w", "12": so that a misspelt quantity before it is what the message is about. */
static int is_component(const char *text)
{
    return text[0] != '\0' &&
           (text[strspn(text, "0123456789")] == '\0' || (strchr("wxyz", text[0]) && text[1] == '\0'));
}

/* Cut the last piece of "a.b.c" off; NULL if there is but one. */
static char *cut(char *text)
{
    char *point = strrchr(text, '.');
    if (point == NULL) {
        return NULL;
    }
    *point = '\0';
    return point + 1;
}

/* "element.quantity.component" in its three pieces; the name of the element may have points in it. The last piece is a
 * component if it is no quantity, but the one before is. */
static dal_status take_apart(const io_loader *L, const io_node *at, char *text, const io_type **type,
                             const char **component)
{
    const char *last = cut(text);
    *component = NULL;
    if (last != NULL && !is_quantity(L, last)) {
        const char *point = strrchr(text, '.'), *before = point != NULL ? point + 1 : text;
        if (is_quantity(L, before) || (point != NULL && is_component(last))) {
            *component = last;
            last = cut(text);
        }
    }
    DAL_TRY(find_quantity(L, at, last != NULL ? text : NULL, last != NULL ? last : text, type));
    if ((last == NULL) != is_of_model(*type)) {
        return dal_io_fail(L, at, last == NULL ? "of what? Write \"name.%s\"" : "\"%s\" belongs to the whole model",
                           (*type)->about.name);
    }
    return DAL_OK;
}

dal_status dal_io_output_of(const io_loader *L, dal_output *output, char element[IO_TEXT], const char *text,
                            const io_node *at)
{
    const io_type *type = NULL;
    const char *component;
    memcpy(element, text, IO_TEXT);
    DAL_TRY(take_apart(L, at, element, &type, &component));
    *output = (dal_output){
        .name = text, .quantity = type->about.name, .frame.rotation = {1.0, 0.0, 0.0, 0.0}, .component = component};
    const int body = is_of_body(type), joint = !body && dal_io_key(type, "joint") != NULL,
              force = !body && dal_io_key(type, "force") != NULL;
    if (body) {
        output->body = dal_model_find_body(L->model, element);
        if (output->body < 0) {
            return dal_io_no_element(L, at, "body", element, dal_model_body_name, 0);
        }
    }
    // of either: of the joint, if there is one of this name; a value of the force, if there is one of this name
    const int valued = strcmp(type->about.name, "force_value") == 0 && dal_model_find_force(L->model, element) >= 0;
    const int of_joint = joint && (!force || (dal_model_find_joint(L->model, element) >= 0 && !valued));
    output->joint = of_joint ? element : NULL;
    output->force = force && !of_joint ? element : NULL;
    output->beam = is_of_beam(type) ? element : NULL;
    return DAL_OK;
}

int dal_io_is_of_model(const io_loader *L, const char *text)
{
    for (int k = 0; k < L->types.n; ++k) {
        const io_type *type = &L->types.item[k];
        if (strcmp(type->about.section, "outputs") == 0 && strcmp(type->about.name, text) == 0) {
            return is_of_model(type);
        }
    }
    return 0;
}

/* "L1.power" of a joint that is left out; names may have points in them. */
static int of_left_out(const io_loader *L, const char *text)
{
    char element[IO_TEXT];
    for (const char *point = strchr(text, '.'); L->doc->nwithout > 0 && point != NULL; point = strchr(point + 1, '.')) {
        snprintf(element, sizeof element, "%.*s", (int)(point - text), text);
        if (dal_model_find_body(L->model, element) < 0 && dal_io_left_out(L, element)) {
            return 1;
        }
    }
    return 0;
}

/* An output that is written as a text. */
static dal_status read_text(io_loader *L, const io_node *at, const char text[IO_TEXT])
{
    char element[IO_TEXT];
    dal_output output;
    if (of_left_out(L, text)) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_output_of(L, &output, element, text, at));
    return dal_io_add_output(L, at, &output);
}

/* "blade@0:1:11.curvature": along a beam, at 11 places from 0 to 1. */
static dal_status read_short(io_loader *L, const io_node *at)
{
    char text[IO_TEXT], one[IO_TEXT];
    double from, to;
    int n = 0, used = 0;
    DAL_TRY(dal_io_text(L, text, at));
    if (L->scope != NULL && dal_io_is_of_model(L, text)) {
        return DAL_OK; // that is for the model to say
    }
    DAL_TRY(dal_io_name(L, text, at));
    const char *place = strchr(text, '@');
    if (place == NULL || strchr(place, ':') == NULL) {
        return read_text(L, at, text);
    }
    if (sscanf(place, "@%lf:%lf:%d%n", &from, &to, &n, &used) != 3 || place[used] != '.' || n < 2 || n > 10000 ||
        !(from >= 0.0 && from < to && to <= 1.0)) {
        return dal_io_fail(L, at,
                           "along a beam is \"name@FROM:TO:N.quantity\", from one place to another, parts of its "
                           "length, in at least 2 points");
    }
    for (int k = 0; k < n; ++k) {
        snprintf(one, sizeof one, "%.*s@%.10g%s", (int)(place - text), text, from + (to - from) * k / (n - 1),
                 place + used);
        DAL_TRY(read_text(L, at, one));
    }
    return DAL_OK;
}

/* What the output is of: its name, or "". */
static dal_status read_element(io_loader *L, const io_node *at, const io_type *type, dal_output *output,
                               char element[IO_TEXT])
{
    io_node child;
    if (type->about.place == DAL_PLACE_BODY) {
        DAL_TRY(dal_io_body_place(L, &output->body, &output->frame, at));
    }
    if (is_of_body(type)) {
        DAL_TRY(dal_io_need(&child, L, at, "body"));
        return dal_io_name(L, element, &child);
    }
    if (output->joint != NULL && output->force != NULL) {
        return dal_io_fail(L, at, "either of a joint or of a force");
    }
    if (dal_io_key(type, "force") != NULL && output->joint == NULL) {
        DAL_TRY(dal_io_need(&child, L, at, "force"));
    }
    const char *name = output->joint != NULL ? output->joint : output->beam != NULL ? output->beam : output->force;
    snprintf(element, IO_TEXT, "%s", name != NULL ? name : "");
    return DAL_OK;
}

dal_status dal_io_output(io_loader *L, const io_node *at)
{
    char element[IO_TEXT] = "", name[3 * IO_TEXT];
    const io_type *type = NULL;
    io_texts texts;
    io_node child;
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        return read_short(L, at);
    }
    DAL_TRY(dal_io_selector(&child, L, at, "outputs", "quantity", "an output"));
    DAL_TRY(dal_io_type(L, &type, &child, "outputs", "quantity"));
    DAL_TRY(dal_io_object_of(L, at, "this output", "quantity", type));
    if (L->scope != NULL && is_of_model(type)) {
        return DAL_OK;
    }

    dal_output output = {.quantity = type->about.name, .frame.rotation = {1.0, 0.0, 0.0, 0.0}};
    DAL_TRY(dal_io_values(L, &output, &texts, at, type));
    if ((output.joint != NULL && dal_io_left_out(L, output.joint)) ||
        (output.force != NULL && dal_io_left_out(L, output.force))) {
        return DAL_OK;
    }
    DAL_TRY(read_element(L, at, type, &output, element));
    if (output.name == NULL) {
        snprintf(name, sizeof(name), "%s%s%s%s%s", element, element[0] == '\0' ? "" : ".", output.quantity,
                 output.component != NULL ? "." : "", output.component != NULL ? output.component : "");
        output.name = name;
    }
    return dal_io_add_output(L, at, &output);
}

dal_status dal_io_default_outputs(io_loader *L)
{
    static const char *const of_body[] = {"position", "quaternion"};
    const io_node root = {.depth = 0}, nowhere = {.key = "outputs", .up = &root};
    for (int k = 1; dal_model_body_name(L->model, k) != NULL; ++k) { // all but the ground
        for (int i = 0; i < LEN(of_body); ++i) {
            char name[IO_TEXT + 16];
            snprintf(name, sizeof(name), "%s.%s", dal_model_body_name(L->model, k), of_body[i]);
            const dal_output output = {
                .name = name, .quantity = of_body[i], .body = k, .frame.rotation = {1.0, 0.0, 0.0, 0.0}};
            DAL_TRY(dal_io_add_output(L, &nowhere, &output));
        }
    }
    const dal_output energy = {.name = "energy", .quantity = "energy"};
    return dal_io_add_output(L, &nowhere, &energy);
}
