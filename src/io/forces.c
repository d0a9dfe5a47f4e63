/* Forces: where they act and what each type needs besides. */
#include <math.h>
#include <string.h>

#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

typedef enum force_place { ON_BODY, BETWEEN, ON_JOINT, BETWEEN_OR_JOINT, NOWHERE } force_place;

/* Where a type of force acts, and what it may say besides its name, type and place. */
typedef struct force_keys {
    const char *type;
    force_place place;
    const char *keys;
} force_keys;

static const force_keys types[] = {
    {"force", ON_BODY, "vector follower function"},
    {"torque", ON_BODY, "vector follower function"},
    {"spring", BETWEEN_OR_JOINT, "coordinate stiffness cubic damping characteristic reference function"},
    {"bushing", BETWEEN, "stiffness damping"},
    {"actuator", BETWEEN_OR_JOINT, "coordinate function"},
    {"pd", BETWEEN_OR_JOINT, "coordinate stiffness damping function"},
    {"pid", BETWEEN_OR_JOINT, "coordinate stiffness damping integral function"},
    {"law", BETWEEN_OR_JOINT, "coordinate value inputs"},
    {"state", NOWHERE, "initial value inputs"},
    {"cartesian", BETWEEN, "stiffness damping reference"},
    {"drag", ON_BODY, "damping quadratic"},
    {"friction", ON_JOINT, "coordinate mu radius slip"},
};

static const char *place_keys(force_place place)
{
    switch (place) {
    case NOWHERE:
        return "name type";
    case ON_BODY:
        return "name type active " IO_BODY_PLACE_KEYS;
    case BETWEEN:
        return "name type active " IO_PLACE_KEYS;
    case ON_JOINT:
        return "name type active joint";
    default:
        return "name type active joint " IO_PLACE_KEYS;
    }
}

/* How many numbers its stiffness has; 0: one. */
static int directions(const char *type)
{
    return strcmp(type, "bushing") == 0 ? 6 : strcmp(type, "cartesian") == 0 ? 3 : 0;
}

/* A spring without coordinate pulls along its length. */
static int is_along_length(const dal_force *force)
{
    return force->coordinate == DAL_COORDINATE_LENGTH ||
           (force->coordinate == DAL_COORDINATE_DEFAULT && directions(force->type) == 0);
}

static dal_status read_place(const io_loader *L, const io_node *at, force_place place, dal_force *force,
                             char joint[IO_TEXT])
{
    static const char *const own[] = {"body_a", "body_b",  "point",   "axis",    "x_axis",
                                      "y_axis", "point_a", "point_b", "frame_a", "frame_b"};
    int named = 0, body[2];
    dal_frame frame[2];
    io_node child;
    if (place == NOWHERE) {
        return DAL_OK;
    }
    if (place == ON_BODY) {
        return dal_io_body_place(L, at, &force->body_b, &force->frame_b);
    }
    if (place != BETWEEN) {
        DAL_TRY(dal_io_text_if(L, at, "joint", joint, &named));
    }
    if (place == ON_JOINT && !named) {
        return dal_io_fail(L, at, "'joint' is missing");
    }
    for (int k = 0; named && k < LEN(own); ++k) {
        if (dal_io_member(&child, at, own[k])) {
            return dal_io_fail(L, &child, "'%s' is not needed: bodies and frames are those of the joint", own[k]);
        }
    }
    if (named) {
        force->joint = joint;
        return DAL_OK;
    }
    DAL_TRY(dal_io_place(L, at, is_along_length(force), body, frame));
    force->body_a = body[0];
    force->body_b = body[1];
    force->frame_a = frame[0];
    force->frame_b = frame[1];
    return DAL_OK;
}

/* A number, or n of them. */
static dal_status read_six(const io_loader *L, const io_node *at, const char *key, int n, double *one, double x[6])
{
    io_node child;
    if (!dal_io_member(&child, at, key)) {
        return DAL_OK;
    }
    return n > 0 ? dal_io_numbers(L, &child, x, n) : dal_io_number(L, &child, one);
}

/* {"from": t0, "to": t1}: a run starts at t = 0, so what is on from there on has no beginning. */
static dal_status read_active(const io_loader *L, const io_node *at, dal_force *force)
{
    io_node child;
    if (!dal_io_member(&child, at, "active")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_object(L, &child, "a span of time", "from to", NULL));
    force->switched = 1;
    force->from = -INFINITY;
    force->to = INFINITY;
    DAL_TRY(dal_io_number_if(L, &child, "from", &force->from));
    DAL_TRY(dal_io_number_if(L, &child, "to", &force->to));
    force->from = force->from > 0.0 ? force->from : -INFINITY;
    return force->to > force->from && force->to > 0.0
               ? DAL_OK
               : dal_io_fail(L, &child, "the force is never active: 'to' must lie after 'from' and after the start");
}

static dal_status read_constants(io_loader *L, const io_node *at, dal_force *force)
{
    const struct {
        const char *key;
        double *x;
    } numbers[] = {
        {"cubic", &force->cubic},   {"quadratic", &force->quadratic}, {"initial", &force->initial},  {"mu", &force->mu},
        {"radius", &force->radius}, {"slip", &force->slip},           {"integral", &force->integral}};
    const int n = directions(force->type);
    DAL_TRY(read_six(L, at, "stiffness", n, &force->stiffness, force->stiffness6));
    DAL_TRY(read_six(L, at, "damping", n, &force->damping, force->damping6));
    DAL_TRY(n == 3 ? dal_io_vector_if(L, at, "reference", force->vector)
                   : dal_io_number_if(L, at, "reference", &force->reference));
    DAL_TRY(read_active(L, at, force));
    for (int k = 0; k < LEN(numbers); ++k) {
        DAL_TRY(dal_io_number_if(L, at, numbers[k].key, numbers[k].x));
    }
    DAL_TRY(dal_io_vector_if(L, at, "vector", force->vector));
    DAL_TRY(dal_io_flag_if(L, at, "follower", &force->follower));
    DAL_TRY(dal_io_function_if(L, at, "function", &force->function));
    DAL_TRY(dal_io_function_if(L, at, "characteristic", &force->characteristic));
    return dal_io_coordinate_if(L, at, "coordinate", &force->coordinate, &force->axis);
}

/* What a type cannot do without. */
static dal_status check_needs(const io_loader *L, const io_node *at, const dal_force *force)
{
    static const char *const needs[][2] = {
        {"force", "vector"}, {"torque", "vector"}, {"actuator", "function"},  {"pd", "function"},
        {"friction", "mu"},  {"friction", "slip"}, {"bushing", "stiffness"},  {"pid", "function"},
        {"pid", "integral"}, {"state", "value"},   {"cartesian", "stiffness"}};
    io_node child;
    for (int k = 0; k < LEN(needs); ++k) {
        if (strcmp(force->type, needs[k][0]) == 0) {
            DAL_TRY(dal_io_need(&child, L, at, needs[k][1]));
        }
    }
    return DAL_OK;
}

dal_status dal_io_force(io_loader *L, const io_node *at)
{
    const char *words[LEN(types)];
    char name[IO_TEXT], joint[IO_TEXT];
    io_law law = {.n = 0};
    io_node child;
    int k, number;
    for (k = 0; k < LEN(types); ++k) {
        words[k] = types[k].type;
    }
    DAL_TRY(dal_io_need(&child, L, at, "type"));
    DAL_TRY(dal_io_choice(L, &child, "type of force", words, LEN(types), &k));
    DAL_TRY(dal_io_object(L, at, "this type of force", place_keys(types[k].place), types[k].keys));
    DAL_TRY(dal_io_need(&child, L, at, "name"));
    DAL_TRY(dal_io_text(L, &child, name));

    dal_force force = {.name = name, .type = types[k].type};
    DAL_TRY(check_needs(L, at, &force));
    DAL_TRY(read_constants(L, at, &force));
    DAL_TRY(read_place(L, at, types[k].place, &force, joint));
    if (strcmp(force.type, "law") == 0 || strcmp(force.type, "state") == 0) {
        DAL_TRY(dal_io_law(L, at, &law, &force));
    }
    const dal_status st = dal_model_add_force(L->model, &force, &number);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}
