/* The list of all element types, and the keys that many of them share. */
#include <string.h>

#include "base/message.h"
#include "mbs/keys.h"
#include "mbs/output_impl.h"

/* ---- kinds ------------------------------------------------------------------------------------ */

const char *dal_key_kind_name(dal_key_kind kind)
{
    static const char *const names[] = {"number", "vector",    "numbers",    "list",     "flag",   "text",
                                        "choice", "choices",   "coordinate", "function", "body",   "coefficient",
                                        "frame",  "rotation",  "spin",       "inertia",  "shapes", "beam",
                                        "modes",  "file",      "active",     "bodies",   "rows",   "expression",
                                        "inputs", "functions", "column",     "whole",    "array",  "value"};
    const size_t k = (size_t)kind;
    return k < sizeof names / sizeof *names ? names[k] : NULL;
}

int mb_has_key(const dal_element_type *about, const char *name)
{
    for (int k = 0; k < about->nkeys; ++k) {
        if (strcmp(about->keys[k].name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

#define POSITION(type) \
    MB_KEY(VECTOR, "position", type, position, "m", "initial: origin of the body frame, world", MB_OPTIONAL)
#define VELOCITY(type) \
    MB_KEY(VECTOR, "velocity", type, velocity, "m/s", "initial: of the origin, world axes", MB_OPTIONAL)
#define TURNING(type)                                                                                              \
    MB_KEY(ROTATION, "rotation", type, rotation, "", "initial: body to world", MB_OPTIONAL),                       \
        MB_KEY(SPIN, "angular_velocity", type, angular_velocity, "rad/s", "initial, body axes; a number: about z", \
               MB_OPTIONAL),                                                                                       \
        MB_KEY_READ(VECTOR, "angular_velocity_world", "rad/s", "the same in world axes", MB_OPTIONAL)

const dal_key mb_rigid_keys[MB_NRIGID_KEYS] = {
    MB_KEY(NUMBER, "mass", dal_body, mass, "kg", "or a density", MB_OPTIONAL),
    MB_KEY_READ(SHAPES, "shape", "", "what it looks like: one shape or a list", MB_OPTIONAL),
    MB_KEY_READ(NUMBER, "density", "kg/m^3", "instead of mass, com and inertia: these are those of the shapes",
                MB_OPTIONAL),
    POSITION(dal_body),
    VELOCITY(dal_body),
    MB_KEY(INERTIA, "inertia", dal_body, inertia, "kg m^2", "about the centre of mass, body axes", MB_OPTIONAL),
    MB_KEY(VECTOR, "com", dal_body, com, "m", "centre of mass in the body frame", MB_OPTIONAL),
    MB_KEY(TEXT, "sequence", dal_body, sequence, "", "cardan: axes of the three rotations", .preset = "\"xyz\""),
    TURNING(dal_body)};

const dal_key mb_point_keys[MB_NPOINT_KEYS] = {
    MB_KEY(NUMBER, "mass", dal_body, mass, "kg", "its mass", MB_REQUIRED),
    MB_KEY_READ(SHAPES, "shape", "", "what it looks like: one shape or a list", MB_OPTIONAL), POSITION(dal_body),
    VELOCITY(dal_body)};

const dal_key mb_flexible_keys[MB_NFLEXIBLE_KEYS] = {
    MB_KEY_READ(SHAPES, "shape", "", "what it looks like beside its nodes, in the frame of the body", MB_OPTIONAL),
    MB_KEY_READ(BEAM, "beam", "", "a straight beam along the x axis of the frame", MB_OPTIONAL),
    MB_KEY_READ(MODES, "modes", "", "instead of it: shapes from elsewhere", MB_OPTIONAL),
    MB_KEY_READ(VALUE, "flexible", "", "or a finite element body that is reduced", .form = "fem", MB_OPTIONAL),
    MB_KEY_READ(FILE, "modes_file", "", "or the JSON or HDF5 file that has these, relative to that of the model",
                MB_OPTIONAL),
    POSITION(dal_flexible),
    VELOCITY(dal_flexible),
    TURNING(dal_flexible),
    MB_KEY(LIST, "modal", dal_flexible, modal, "", "initial modal coordinates; default zero", MB_OPTIONAL),
    MB_KEY(LIST, "modal_velocity", dal_flexible, modal_velocity, "", "and their velocities", MB_OPTIONAL)};

/* ---- outputs ---------------------------------------------------------------------------------- */

static const char *const axes[] = {"world", "body", NULL};

static const dal_key body_output_keys[] = {
    MB_KEY(CHOICE, "axes", dal_output, body_axes, "", "axes of the result", .words = axes, .preset = "\"world\""),
    MB_KEY(TEXT, "sequence", dal_output, sequence, "", "order of the Euler angles, as \"zxz\"", MB_OPTIONAL)};
static const dal_key modes_output_keys[] = {
    MB_KEY(BODY, "body", dal_output, body, "", "the flexible body", MB_REQUIRED)};
static const dal_key joint_output_keys[] = {
    MB_KEY(TEXT, "joint", dal_output, joint, "", "the joint", MB_REQUIRED),
    MB_KEY(BODY, "body", dal_output, body, "", "force, torque of a pfaffian joint: on which body; default: the last",
           MB_OPTIONAL),
    MB_KEY(CHOICE, "axes", dal_output, body_axes, "", "axes of the result", .words = axes, .preset = "\"world\""),
    MB_COORDINATE_KEY(dal_output, "which coordinate")};
static const dal_key beam_output_keys[] = {
    MB_KEY(TEXT, "beam", dal_output, beam, "", "which beam and where, as \"blade@0.7\"", MB_REQUIRED)};
static const dal_key force_output_keys[] = {MB_KEY(TEXT, "force", dal_output, force, "", "the force", MB_REQUIRED)};
static const dal_key element_output_keys[] = {MB_KEY(TEXT, "joint", dal_output, joint, "", "the joint", MB_OPTIONAL),
                                              MB_KEY(TEXT, "force", dal_output, force, "", "the force", MB_OPTIONAL)};

static dal_element_type output_of(mb_output_of of)
{
    static const dal_element_type model = MB_ABOUT_PLAIN("Of the model.", NONE),
                                  body = MB_ABOUT("Of a body.", BODY, body_output_keys),
                                  modes = MB_ABOUT("Of a flexible body: as many values as it has modes.", NONE,
                                                   modes_output_keys),
                                  recovery =
                                      MB_ABOUT("Of a flexible body: as many values as its recovery matrix has rows.",
                                               NONE, modes_output_keys),
                                  joint = MB_ABOUT("Of a joint.", NONE, joint_output_keys),
                                  touch = MB_ABOUT("Of a contact, limit, rope, clutch or brake: one value for each "
                                                   "of its contacts; the last two one for all.",
                                                   NONE, joint_output_keys),
                                  force = MB_ABOUT("Of a force.", NONE, force_output_keys),
                                  beam = MB_ABOUT("Of a place on a beam, in section axes.", NONE, beam_output_keys),
                                  element = {.text = "Of a joint or a force; one of the two is given.",
                                             .keys = element_output_keys,
                                             .nkeys = sizeof element_output_keys / sizeof *element_output_keys,
                                             .one_of = "joint|force"};
    switch (of) {
    case MB_OF_MODEL:
        return model;
    case MB_OF_BODY:
        return body;
    case MB_OF_MODES:
        return modes;
    case MB_OF_RECOVERY:
        return recovery;
    case MB_OF_TOUCH:
        return touch;
    case MB_OF_STATE:
        return force;
    case MB_OF_BEAM:
        return beam;
    case MB_OF_FORCE:
    case MB_OF_ELEMENT:
        return element;
    default:
        return joint;
    }
}

dal_element_type mb_output_about(int k)
{
    dal_element_type about = k < mb_noutput_types ? output_of(mb_output_types[k].of) : (dal_element_type){0};
    about.section = "outputs";
    about.name = k < mb_noutput_types ? mb_output_types[k].name : NULL;
    return about;
}

/* ---- all types -------------------------------------------------------------------------------- */

typedef dal_element_type about_type(int k);
static about_type *const sections[] = {mb_body_about, mb_joint_about, mb_force_about, mb_function_about,
                                       mb_output_about};
enum { NSECTIONS = sizeof sections / sizeof sections[0] };

dal_element_type dal_element_type_at(int k)
{
    for (int s = 0; k >= 0 && s < NSECTIONS; ++s) {
        int n = 0;
        for (; sections[s](n).name; ++n) {
            if (n == k) {
                return sections[s](n);
            }
        }
        k -= n;
    }
    return (dal_element_type){0};
}

int dal_element_type_count(void)
{
    int count = 0;
    for (int s = 0; s < NSECTIONS; ++s) {
        for (int n = 0; sections[s](n).name; ++n) {
            ++count;
        }
    }
    return count;
}

int dal_element_type_find(const char *section, const char *name)
{
    int k = 0;
    for (dal_element_type type = dal_element_type_at(0); section && name && type.name; type = dal_element_type_at(k)) {
        if (strcmp(type.section, section) == 0 && strcmp(type.name, name) == 0) {
            return k;
        }
        ++k;
    }
    return -1;
}

/* ---- keys of a section and of a place --------------------------------------------------------- */

static const dal_key body_keys[] = {
    MB_KEY_READ(TEXT, "name", "", "unique among bodies; \"ground\" is taken", MB_REQUIRED),
    MB_KEY_READ(
        BODY, "in", "",
        "a body before it, or a joint (its frame A), in whose axes its position and rotation are; default: the world",
        MB_OPTIONAL)};
static const dal_key joint_keys[] = {
    MB_KEY_READ(TEXT, "name", "", "unique among joints", MB_REQUIRED),
    MB_KEY(NUMBER, "release", dal_joint, release, "s", "at this time the joint opens, and holds nothing from then on",
           MB_OPTIONAL),
    MB_KEY_READ(FLAG, "active", "", "false: open until an event closes it", MB_OPTIONAL)};
static const dal_key force_keys[] = {
    MB_KEY_READ(TEXT, "name", "", "unique among forces", MB_REQUIRED),
    MB_KEY_READ(ACTIVE, "active", "s", "acts from and to these times only; false: not until an event", MB_OPTIONAL)};
static const dal_key output_keys[] = {
    MB_KEY(TEXT, "name", dal_output, name, "", "default: element.quantity", MB_OPTIONAL),
    MB_KEY(TEXT, "component", dal_output, component, "",
           "only this one of several numbers: as \"z\", \"w\", \"12\", \"3\"", MB_OPTIONAL)};

static const dal_key body_place[] = {
    MB_KEY_READ(BODY, "body", "", "the body", MB_REQUIRED),
    MB_KEY_READ(VECTOR, "point", "m", "where, in the world at the initial pose", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "axis", "", "z axis of the frame, world", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "x_axis", "", "x axis of the frame, world", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "y_axis", "", "y axis of the frame, world", MB_OPTIONAL),
    MB_KEY_READ(BODY, "in", "",
                "the body, or the joint (its frame A), in whose axes point and axes are, at the initial pose; default: "
                "the world",
                MB_OPTIONAL),
    MB_KEY_READ(FRAME, "frame", "", "where, in the axes of the body; default: its own frame", MB_OPTIONAL)};

/* The first is that of a joint instead of the others. */
static const dal_key bodies_place[] = {
    MB_KEY_READ(TEXT, "joint", "", "take bodies, frames and coordinate from this joint", MB_OPTIONAL),
    MB_KEY_READ(BODY, "body_a", "", "body A; the ground if missing", MB_OPTIONAL),
    MB_KEY_READ(BODY, "body_b", "", "body B; the ground if missing", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "point", "m",
                "common origin of both frames, in the world at the initial pose; default: origin of body B",
                MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "axis", "", "common z axis of both frames, world", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "x_axis", "", "common x axis, world (with axis: as near to it as possible)", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "y_axis", "", "common y axis, world (likewise)", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "point_a", "m", "origin of frame A alone, world", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "point_b", "m", "origin of frame B alone, world", MB_OPTIONAL),
    MB_KEY_READ(BODY, "in", "",
                "the body, or the joint (its frame A), in whose axes points and axes are, at the initial pose; "
                "default: the world",
                MB_OPTIONAL),
    MB_KEY_READ(FRAME, "frame_a", "", "frame A in the axes of body A", MB_OPTIONAL),
    MB_KEY_READ(FRAME, "frame_b", "", "frame B in the axes of body B", MB_OPTIONAL)};
static const dal_key joint_place[] = {
    MB_KEY_READ(TEXT, "joint", "", "the joint, whose bodies, frames and coordinate it has", MB_REQUIRED)};

typedef struct key_list {
    const dal_key *key;
    int n;
} key_list;
#define LIST(keys) ((key_list){(keys), (int)(sizeof(keys) / sizeof *(keys))})

static key_list section_keys(const dal_element_type *type)
{
    if (strcmp(type->section, "outputs") == 0) {
        return LIST(output_keys);
    }
    if (strcmp(type->section, "forces") == 0) {
        // without a place there is nothing to be switched
        return (key_list){force_keys, type->place != DAL_PLACE_NONE ? 2 : 1};
    }
    if (strcmp(type->section, "joints") == 0) {
        return LIST(joint_keys);
    }
    return strcmp(type->section, "bodies") == 0 ? LIST(body_keys) : (key_list){NULL, 0};
}

static key_list place_keys(dal_place place)
{
    switch (place) {
    case DAL_PLACE_BODY:
        return LIST(body_place);
    case DAL_PLACE_JOINT:
        return LIST(joint_place);
    case DAL_PLACE_BODIES_OR_JOINT:
        return LIST(bodies_place);
    case DAL_PLACE_BODIES:
    case DAL_PLACE_ENDS: {
        const key_list all = LIST(bodies_place);
        return (key_list){all.key + 1, all.n - 1};
    }
    default:
        return (key_list){NULL, 0};
    }
}

int dal_element_key_count(const dal_element_type *type)
{
    return type && type->section ? section_keys(type).n + place_keys(type->place).n + type->nkeys : 0;
}

const dal_key *dal_element_key(const dal_element_type *type, int k)
{
    if (k < 0 || !type || !type->section) {
        return NULL;
    }
    const key_list lists[3] = {section_keys(type), place_keys(type->place), {type->keys, type->nkeys}};
    for (int i = 0; i < 3; ++i) {
        if (k < lists[i].n) {
            return &lists[i].key[k];
        }
        k -= lists[i].n;
    }
    return NULL;
}
