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
    {"residual", OF_JOINT},
    {"residual_velocity", OF_JOINT},
    {"residual_acceleration", OF_JOINT},
    {"force_value", OF_FORCE},
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
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

/* "element.quantity"; the name of the element may have points in it. */
static dal_status read_short(io_loader *L, const io_node *at)
{
    char text[IO_TEXT], element[IO_TEXT];
    const output_keys *keys = NULL;
    DAL_TRY(dal_io_text(L, at, text));
    memcpy(element, text, sizeof(element));
    char *point = strrchr(element, '.');
    const char *quantity = point != NULL ? point + 1 : element;
    DAL_TRY(find_quantity(L, at, quantity, &keys));
    if ((point == NULL) != (keys->of == OF_MODEL)) {
        return dal_io_fail(L, at, point == NULL ? "of what? Write \"name.%s\"" : "\"%s\" belongs to the whole model",
                           quantity);
    }
    if (point != NULL) {
        *point = '\0';
    }
    dal_output output = {.name = text, .quantity = keys->quantity, .frame.rotation = {1.0, 0.0, 0.0, 0.0}};
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
        return "joint axes coordinate";
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
    return dal_io_coordinate_if(L, at, "coordinate", &output->coordinate, &output->axis);
}

dal_status dal_io_output(io_loader *L, const io_node *at)
{
    static const char *const axes[] = {"world", "body"};
    char text[IO_TEXT], element[IO_TEXT] = "", name[2 * IO_TEXT + 1], sequence[IO_TEXT];
    const output_keys *keys = NULL;
    io_node child;
    int named, turned;
    if (json_is_string(at->json)) {
        return read_short(L, at);
    }
    DAL_TRY(dal_io_need(&child, L, at, "quantity"));
    DAL_TRY(dal_io_text(L, &child, text));
    DAL_TRY(find_quantity(L, &child, text, &keys));
    DAL_TRY(dal_io_object(L, at, "this output", "name quantity", keys_of(keys->of)));

    dal_output output = {.quantity = keys->quantity, .frame.rotation = {1.0, 0.0, 0.0, 0.0}};
    DAL_TRY(read_element(L, at, keys->of, &output, element));
    DAL_TRY(dal_io_text_if(L, at, "sequence", sequence, &turned));
    output.sequence = turned ? sequence : NULL;
    if (dal_io_member(&child, at, "axes")) {
        DAL_TRY(dal_io_choice(L, &child, "axes", axes, LEN(axes), &output.body_axes));
    }
    DAL_TRY(dal_io_text_if(L, at, "name", text, &named));
    snprintf(name, sizeof(name), "%s%s%s", named ? text : element, named || element[0] == '\0' ? "" : ".",
             named ? "" : keys->quantity);
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
