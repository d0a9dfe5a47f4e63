/* Joints: bodies, frames and what each type needs besides. */
#include <string.h>

#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

#define JOINT_KEYS "name type " IO_PLACE_KEYS

/* What a type of joint may say besides its name, type and place. */
typedef struct joint_keys {
    const char *type, *keys;
} joint_keys;

static const joint_keys types[] = {
    {"spherical", ""},
    {"revolute", ""},
    {"universal", ""},
    {"prismatic", ""},
    {"cylindrical", ""},
    {"planar", ""},
    {"fixed", ""},
    {"screw", "pitch"},
    {"distance", "length"},
    {"point_on_line", ""},
    {"point_on_plane", ""},
    {"orientation", ""},
    {"parallel_axes", ""},
    {"generic", "locked"},
    {"planar_revolute", ""},
    {"planar_prismatic", ""},
    {"planar_fixed", ""},
    {"motion", "joint coordinate function"},
    {"gear", "joint_1 joint_2 coordinate_1 coordinate_2 ratio"},
    {"rolling_disk", "radius"},
    {"rolling_sphere", "radius"},
    {"wheel", "radius"},
    {"knife_edge", ""},
    {"pfaffian", "bodies rows"},
};

/* Texts that a dal_joint points to. */
typedef struct joint_texts {
    char name[IO_TEXT], joint[IO_TEXT], joint_1[IO_TEXT], joint_2[IO_TEXT];
} joint_texts;

static dal_status read_locked(const io_loader *L, const io_node *at, unsigned *locked)
{
    static const char *const words[] = {"x", "y", "z", "rx", "ry", "rz"};
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "locked"));
    DAL_TRY(dal_io_list(L, &child, 1, 6));
    for (size_t k = 0; k < dal_io_length(&child); ++k) {
        const io_node element = dal_io_element(&child, k);
        int choice;
        DAL_TRY(dal_io_choice(L, &element, "direction", words, LEN(words), &choice));
        *locked |= 1U << choice;
    }
    return DAL_OK;
}

static dal_status read_motion(io_loader *L, const io_node *at, dal_joint *joint)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "function"));
    DAL_TRY(dal_io_function_if(L, at, "function", &joint->function));
    return dal_io_coordinate_if(L, at, "coordinate", &joint->coordinate, &joint->axis);
}

static dal_status read_gear(const io_loader *L, const io_node *at, dal_joint *joint, joint_texts *texts)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "joint_1"));
    DAL_TRY(dal_io_text(L, &child, texts->joint_1));
    DAL_TRY(dal_io_need(&child, L, at, "joint_2"));
    DAL_TRY(dal_io_text(L, &child, texts->joint_2));
    DAL_TRY(dal_io_need(&child, L, at, "ratio"));
    DAL_TRY(dal_io_numbers(L, &child, joint->ratio, 2));
    DAL_TRY(dal_io_coordinate_if(L, at, "coordinate_1", &joint->coordinate_1, &joint->axis_1));
    DAL_TRY(dal_io_coordinate_if(L, at, "coordinate_2", &joint->coordinate_2, &joint->axis_2));
    joint->joint_1 = texts->joint_1;
    joint->joint_2 = texts->joint_2;
    return DAL_OK;
}

/* Bodies and frames, unless they are those of another joint. */
static dal_status read_place(const io_loader *L, const io_node *at, dal_joint *joint, joint_texts *texts)
{
    int named = 0, body[2];
    dal_frame frame[2];
    if (strcmp(joint->type, "motion") == 0) {
        DAL_TRY(dal_io_text_if(L, at, "joint", texts->joint, &named));
    }
    if (named) {
        joint->joint = texts->joint;
        return dal_io_object(L, at, "a motion along the coordinate of a joint", "name type joint coordinate function",
                             NULL);
    }
    const int apart = strcmp(joint->type, "distance") == 0 || joint->coordinate == DAL_COORDINATE_LENGTH;
    DAL_TRY(dal_io_place(L, at, apart, body, frame));
    joint->body_a = body[0];
    joint->body_b = body[1];
    joint->frame_a = frame[0];
    joint->frame_b = frame[1];
    return DAL_OK;
}

static dal_status read_details(io_loader *L, const io_node *at, dal_joint *joint, joint_texts *texts)
{
    if (strcmp(joint->type, "gear") == 0) {
        return read_gear(L, at, joint, texts);
    }
    if (strcmp(joint->type, "pfaffian") == 0) {
        return dal_io_rows(L, at, joint);
    }
    if (strcmp(joint->type, "motion") == 0) {
        DAL_TRY(read_motion(L, at, joint));
    }
    if (strcmp(joint->type, "generic") == 0) {
        DAL_TRY(read_locked(L, at, &joint->locked));
    }
    DAL_TRY(dal_io_number_if(L, at, "length", &joint->length));
    DAL_TRY(dal_io_number_if(L, at, "pitch", &joint->pitch));
    DAL_TRY(dal_io_number_if(L, at, "radius", &joint->radius));
    return read_place(L, at, joint, texts);
}

dal_status dal_io_joint(io_loader *L, const io_node *at)
{
    const char *words[LEN(types)];
    joint_texts texts;
    io_node child;
    int k, number;
    for (k = 0; k < LEN(types); ++k) {
        words[k] = types[k].type;
    }
    DAL_TRY(dal_io_need(&child, L, at, "type"));
    DAL_TRY(dal_io_choice(L, &child, "type of joint", words, LEN(types), &k));
    const int placed = strcmp(types[k].type, "gear") != 0 && strcmp(types[k].type, "pfaffian") != 0;
    DAL_TRY(dal_io_object(L, at, "this type of joint", placed ? JOINT_KEYS : "name type", types[k].keys));
    DAL_TRY(dal_io_need(&child, L, at, "name"));
    DAL_TRY(dal_io_text(L, &child, texts.name));

    dal_joint joint = {.name = texts.name, .type = types[k].type};
    DAL_TRY(read_details(L, at, &joint, &texts));
    const dal_status st = dal_model_add_joint(L->model, &joint, &number);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}
