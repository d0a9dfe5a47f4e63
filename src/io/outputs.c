/* Outputs: objects, or texts like "crank.position", "A.force" and "energy". */
#include <stdio.h>
#include <string.h>

#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

typedef enum output_of { OF_BODY, OF_MODES, OF_JOINT, OF_FORCE, OF_ELEMENT, OF_MODEL } output_of;

typedef struct output_keys {
    const char *quantity;
    output_of of;
} output_keys;

static const output_keys quantities[] = {
    {"position", OF_BODY},
    {"quaternion", OF_BODY},
    {"matrix", OF_BODY},
    {"rotation_vector", OF_BODY},
    {"euler_angles", OF_BODY},
    {"velocity", OF_BODY},
    {"acceleration", OF_BODY},
    {"angular_velocity", OF_BODY},
    {"angular_acceleration", OF_BODY},
    {"modal_coordinates", OF_MODES},
    {"modal_velocities", OF_MODES},
    {"coordinate", OF_JOINT},
    {"coordinate_velocity", OF_JOINT},
    {"force", OF_JOINT},
    {"torque", OF_JOINT},
    {"multipliers", OF_JOINT},
    {"contact_point", OF_JOINT},
    {"residual", OF_JOINT},
    {"residual_velocity", OF_JOINT},
    {"residual_acceleration", OF_JOINT},
    {"force_value", OF_FORCE},
    {"state", OF_FORCE},
    {"power", OF_ELEMENT},
    {"work", OF_ELEMENT},
    {"kinetic_energy", OF_MODEL},
    {"potential_energy", OF_MODEL},
    {"energy", OF_MODEL},
    {"dissipated_energy", OF_MODEL},
    {"drive_work", OF_MODEL},
    {"momentum", OF_MODEL},
    {"angular_momentum", OF_MODEL},
    {"centre_of_mass", OF_MODEL},
};

static dal_status find_quantity(const io_loader *L, const io_node *at, const char *text, const output_keys **found)
{
    const char *words[LEN(quantities)];
    for (int k = 0; k < LEN(quantities); ++k) {
        words[k] = quantities[k].quantity;
        if (strcmp(words[k], text) == 0) {
            *found = &quantities[k];
            return DAL_OK;
        }
    }
    return dal_io_unknown(L, at, "quantity", text, words, LEN(quantities));
}

static dal_status add(io_loader *L, const io_node *at, const dal_output *output)
{
    int number;
    const dal_status st = dal_model_add_output(L->model, output, &number);
    return st == DAL_OK ? dal_io_trail_of_output(L, at, output) : dal_io_fail_at(L, at, st);
}

static int is_quantity(const char *text)
{
    for (int k = 0; k < LEN(quantities); ++k) {
        if (strcmp(quantities[k].quantity, text) == 0) {
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
static dal_status take_apart(const io_loader *L, const io_node *at, char *text, const output_keys **keys,
                             const char **component)
{
    const char *last = cut(text);
    *component = NULL;
    if (last != NULL && !is_quantity(last)) {
        const char *point = strrchr(text, '.'), *before = point != NULL ? point + 1 : text;
        if (is_quantity(before) || (point != NULL && is_component(last))) {
            *component = last;
            last = cut(text);
        }
    }
    DAL_TRY(find_quantity(L, at, last != NULL ? last : text, keys));
    if ((last == NULL) != ((*keys)->of == OF_MODEL)) {
        return dal_io_fail(L, at, last == NULL ? "of what? Write \"name.%s\"" : "\"%s\" belongs to the whole model",
                           (*keys)->quantity);
    }
    return DAL_OK;
}

static dal_status read_short(io_loader *L, const io_node *at)
{
    char text[IO_TEXT], element[IO_TEXT];
    const output_keys *keys = NULL;
    const char *component;
    DAL_TRY(dal_io_text(L, at, text));
    memcpy(element, text, sizeof(element));
    DAL_TRY(take_apart(L, at, element, &keys, &component));
    dal_output output = {
        .name = text, .quantity = keys->quantity, .frame.rotation = {1.0, 0.0, 0.0, 0.0}, .component = component};
    if (keys->of == OF_BODY || keys->of == OF_MODES) {
        output.body = dal_model_find_body(L->model, element);
        if (output.body < 0) {
            return dal_io_no_element(L, at, "body", element, dal_model_body_name, 0);
        }
    }
    const int joint = keys->of == OF_JOINT || (keys->of == OF_ELEMENT && dal_model_find_joint(L->model, element) >= 0);
    output.joint = joint ? element : NULL;
    output.force = joint || keys->of == OF_BODY || keys->of == OF_MODES ? NULL : element;
    return add(L, at, &output);
}

static const char *keys_of(output_of of)
{
    switch (of) {
    case OF_BODY:
        return IO_BODY_PLACE_KEYS " axes sequence";
    case OF_MODES:
        return "body";
    case OF_JOINT:
        return "joint body axes coordinate";
    case OF_FORCE:
        return "force";
    case OF_ELEMENT:
        return "joint force";
    default:
        return "";
    }
}

/* What the output is of. */
static dal_status read_element(io_loader *L, const io_node *at, output_of of, dal_output *output, char element[IO_TEXT])
{
    io_node child;
    if (of == OF_MODEL) {
        return DAL_OK;
    }
    if (of == OF_BODY || of == OF_MODES) {
        DAL_TRY(dal_io_member(&child, at, "body") ? dal_io_text(L, &child, element) : DAL_OK);
        return dal_io_body_place(L, at, &output->body, &output->frame);
    }
    const int joint = of == OF_JOINT || (of == OF_ELEMENT && dal_io_member(&child, at, "joint"));
    if (of == OF_ELEMENT && joint && dal_io_member(&child, at, "force")) {
        return dal_io_fail(L, at, "either of a joint or of a force");
    }
    DAL_TRY(dal_io_need(&child, L, at, joint ? "joint" : "force"));
    DAL_TRY(dal_io_text(L, &child, element));
    *(joint ? &output->joint : &output->force) = element;
    if (of == OF_JOINT && dal_io_member(&child, at, "body")) {
        DAL_TRY(dal_io_body_number(L, &child, &output->body));
    }
    return dal_io_coordinate_if(L, at, "coordinate", &output->coordinate, &output->axis);
}

dal_status dal_io_output(io_loader *L, const io_node *at)
{
    static const char *const axes[] = {"world", "body"};
    char text[IO_TEXT], element[IO_TEXT] = "", name[3 * IO_TEXT], sequence[IO_TEXT], component[IO_TEXT];
    const output_keys *keys = NULL;
    io_node child;
    int named, turned, chosen;
    if (json_is_string(at->json)) {
        return read_short(L, at);
    }
    DAL_TRY(dal_io_need(&child, L, at, "quantity"));
    DAL_TRY(dal_io_text(L, &child, text));
    DAL_TRY(find_quantity(L, &child, text, &keys));
    DAL_TRY(dal_io_object(L, at, "this output", "name quantity component", keys_of(keys->of)));

    dal_output output = {.quantity = keys->quantity, .frame.rotation = {1.0, 0.0, 0.0, 0.0}};
    DAL_TRY(read_element(L, at, keys->of, &output, element));
    DAL_TRY(dal_io_text_if(L, at, "sequence", sequence, &turned));
    output.sequence = turned ? sequence : NULL;
    if (dal_io_member(&child, at, "axes")) {
        DAL_TRY(dal_io_choice(L, &child, "axes", axes, LEN(axes), &output.body_axes));
    }
    DAL_TRY(dal_io_text_if(L, at, "component", component, &chosen));
    output.component = chosen ? component : NULL;
    DAL_TRY(dal_io_text_if(L, at, "name", text, &named));
    if (named) {
        snprintf(name, sizeof(name), "%s", text);
    } else {
        snprintf(name, sizeof(name), "%s%s%s%s%s", element, element[0] == '\0' ? "" : ".", keys->quantity,
                 chosen ? "." : "", chosen ? component : "");
    }
    output.name = name;
    return add(L, at, &output);
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
            DAL_TRY(add(L, &nowhere, &output));
        }
    }
    const dal_output energy = {.name = "energy", .quantity = "energy"};
    return add(L, &nowhere, &energy);
}
