/* Rotations, frames, and where joints and forces sit on their bodies. */
#include <math.h>
#include <string.h>

#include "io/io_impl.h"
#include "io/look.h"

static const io_real one = {1.0, 0}, zero = {0.0, 0};

static void put(io_real *to, const io_real *from, int n)
{
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* ---- rotations -------------------------------------------------------------------------------- */

static dal_status read_quaternion(const io_loader *L, const io_node *at, io_real p[4])
{
    DAL_TRY(dal_io_numbers(L, p, at, 4));
    return dal_io_apply(L, p, at, IO_UNIT4, p);
}

/* Three rows of three numbers. */
static dal_status read_matrix(const io_loader *L, const io_node *at, io_real p[4])
{
    io_real R[9], row[3];
    DAL_TRY(dal_io_list(L, at, 3, 3));
    for (int i = 0; i < 3; ++i) {
        const io_node element = dal_io_element(at, (size_t)i);
        DAL_TRY(dal_io_numbers(L, row, &element, 3));
        for (int j = 0; j < 3; ++j) {
            R[i + 3 * j] = row[j];
        }
    }
    return dal_io_apply(L, p, at, IO_QUATERNION, R);
}

/* Rotations about axes of the body, one after the other: "zxz". */
static dal_status read_euler(const io_loader *L, const io_node *at, const io_node *sequence, io_real p[4])
{
    char axes[IO_TEXT];
    io_real angle[3];
    io_node angles;
    DAL_TRY(dal_io_text(L, axes, sequence));
    if (strlen(axes) != 3 || strspn(axes, "xyz") != 3) {
        return dal_io_fail(L, sequence, "expected three of the letters x, y, z, as in \"zxz\"");
    }
    DAL_TRY(dal_io_need(&angles, L, at, "angles"));
    DAL_TRY(dal_io_numbers(L, angle, &angles, 3));
    for (int k = 0; k < 3; ++k) {
        io_real w[3] = {zero, zero, zero}, factors[8];
        w[axes[k] - 'x'] = angle[k];
        put(factors, p, 4);
        DAL_TRY(dal_io_apply(L, factors + 4, at, IO_TURN, w));
        DAL_TRY(dal_io_apply(L, p, at, IO_PRODUCT, factors));
    }
    return DAL_OK;
}

static dal_status read_axis_angle(const io_loader *L, const io_node *at, const io_node *axis, io_real p[4])
{
    io_real w[4];
    io_node child;
    DAL_TRY(dal_io_direction(L, w, axis));
    DAL_TRY(dal_io_need(&child, L, at, "angle"));
    DAL_TRY(dal_io_number(L, &w[3], &child));
    DAL_TRY(dal_io_apply(L, w, at, IO_TURNED, w));
    return dal_io_apply(L, p, at, IO_TURN, w);
}

static dal_status cross(const io_loader *L, const io_node *at, io_real c[3], const io_real a[3], const io_real b[3]);

/* Axis number `exact` from a point to a point, another one as near as it can be to a direction: both are made normal to the third
 * one, and z and x make the rotation. */
static dal_status read_directions(const io_loader *L, const io_node *at, const io_node *points, int exact, io_real p[4])
{
    static const char *const keys[3] = {"x_axis", "y_axis", "z_axis"};
    io_real axis[3][3], both[6], axes[6];
    io_node child;
    int near = -1;
    DAL_TRY(dal_io_list(L, points, 2, 2));
    for (int k = 0; k < 2; ++k) {
        const io_node element = dal_io_element(points, (size_t)k);
        DAL_TRY(dal_io_vector(L, both + 3 * k, &element));
    }
    DAL_TRY(dal_io_apply(L, axis[exact], points, IO_MINUS, both));
    DAL_TRY(dal_io_apply(L, axis[exact], points, IO_UNIT3, axis[exact]));
    for (int k = 0; k < 3; ++k) {
        if (dal_io_member(&child, at, keys[k])) {
            if (near >= 0 || k == exact) {
                return dal_io_fail(L, &child, "one direction beside '%c_along', and of another axis", "xyz"[exact]);
            }
            near = k;
            DAL_TRY(dal_io_direction(L, axis[k], &child));
        }
    }
    if (near < 0) {
        near = (exact + 1) % 3;
        DAL_TRY(dal_io_apply(L, axis[near], at, IO_NORMAL, axis[exact]));
    }
    const int third = 3 - exact - near, next = (exact + 1) % 3 == near;
    DAL_TRY(cross(L, at, axis[third], axis[next ? exact : near], axis[next ? near : exact]));
    if (hypot(hypot(axis[third][0].x, axis[third][1].x), axis[third][2].x) < 1e-9) {
        return dal_io_fail(L, at, "'%s' has the direction of '%c_along': it must point across", keys[near],
                           "xyz"[exact]);
    }
    DAL_TRY(cross(L, at, axis[near], axis[next ? third : exact], axis[next ? exact : third]));
    put(axes, axis[2], 3);
    put(axes + 3, axis[0], 3);
    DAL_TRY(dal_io_apply(L, axes, at, IO_UNIT3, axes));
    return dal_io_apply(L, p, at, IO_AXES, axes);
}

dal_status dal_io_rotation(const io_loader *L, io_real p[4], const io_node *at)
{
    io_node child;
    io_real w[3] = {zero, zero, zero};
    p[0] = one;
    p[1] = p[2] = p[3] = zero;
    if (dal_json_is(at->json, DAL_JSON_LIST)) {
        return read_quaternion(L, at, p);
    }
    if (dal_json_is(at->json, DAL_JSON_NUMBER) || dal_json_is(at->json, DAL_JSON_TEXT)) {
        DAL_TRY(dal_io_number(L, &w[2], at));
        return dal_io_apply(L, p, at, IO_TURN, w);
    }
    const io_form *form;
    DAL_TRY(dal_io_object_of_any(L, at, "a rotation", "rotation"));
    DAL_TRY(dal_io_alternative(&form, &child, L, at, "a rotation", "rotation"));
    DAL_TRY(dal_io_object(L, at, form));
    switch (form->number) {
    case IO_ROTATION_QUATERNION:
        return read_quaternion(L, &child, p);
    case IO_ROTATION_MATRIX:
        return read_matrix(L, &child, p);
    case IO_ROTATION_AXIS:
        return read_axis_angle(L, at, &child, p);
    case IO_ROTATION_EULER:
        return read_euler(L, at, &child, p);
    case IO_ROTATION_X:
    case IO_ROTATION_Y:
    case IO_ROTATION_Z:
        return read_directions(L, at, &child, form->number - IO_ROTATION_X, p);
    default:
        DAL_TRY(dal_io_vector(L, w, &child));
        return dal_io_apply(L, p, at, IO_TURN, w);
    }
}

/* ---- frames ----------------------------------------------------------------------------------- */

static void put_origin(io_real frame[7])
{
    for (int k = 0; k < 7; ++k) {
        frame[k] = k == 3 ? one : zero;
    }
}

static dal_status cross(const io_loader *L, const io_node *at, io_real c[3], const io_real a[3], const io_real b[3])
{
    io_real both[6];
    put(both, a, 3);
    put(both + 3, b, 3);
    return dal_io_apply(L, c, at, IO_CROSS, both);
}

/* Rotation from directions: z = axis exactly and x as close as possible to x_axis, or to what y_axis asks for; without axis
 * z = x_axis x y_axis. One alone will do. *given: whether there are any. */
static dal_status read_axes(const io_loader *L, const io_node *at, io_real rotation[4], int *given)
{
    io_real x[3], y[3], axes[6], *z = axes, *hint = axes + 3;
    io_node child;
    const int has_x = dal_io_member(&child, at, "x_axis");
    if (has_x) {
        DAL_TRY(dal_io_direction(L, x, &child));
    }
    const int has_y = dal_io_member(&child, at, "y_axis");
    if (has_y) {
        DAL_TRY(dal_io_direction(L, y, &child));
    }
    const int has_z = dal_io_member(&child, at, "axis");
    if (has_z) {
        DAL_TRY(dal_io_direction(L, z, &child));
    }
    *given = has_x || has_y || has_z;
    if (!*given) {
        return DAL_OK;
    }
    if (has_x && has_y && has_z) {
        return dal_io_fail(L, at, "two of axis, x_axis, y_axis are enough");
    }
    // z from the others, then what x should be near to
    if (!has_z) {
        DAL_TRY(has_x && has_y ? cross(L, at, z, x, y) : dal_io_apply(L, z, at, IO_NORMAL, has_x ? x : y));
    }
    if (!has_x && !has_y) {
        return dal_io_apply(L, rotation, at, IO_AXIS, z);
    }
    if (has_x) {
        put(hint, x, 3);
    } else {
        DAL_TRY(cross(L, at, hint, y, z));
    }
    return dal_io_apply(L, rotation, at, IO_AXES, axes);
}

dal_status dal_io_frame(const io_loader *L, io_real frame[7], const io_node *at)
{
    io_node child;
    int axes;
    put_origin(frame);
    if (dal_json_is(at->json, DAL_JSON_LIST)) {
        return dal_io_vector(L, frame, at);
    }
    DAL_TRY(dal_io_object_of_any(L, at, "a frame", "frame"));
    DAL_TRY(dal_io_vector_if(L, frame, at, "position"));
    DAL_TRY(read_axes(L, at, frame + 3, &axes));
    if (dal_io_member(&child, at, "rotation")) {
        if (axes) {
            return dal_io_fail(L, at, "either rotation, or axis, x_axis, y_axis");
        }
        return dal_io_rotation(L, frame + 3, &child);
    }
    return DAL_OK;
}

/* ---- bodies and coordinates ------------------------------------------------------------------- */

/* Frames in it are those of the part. */
static int is_ground(const io_node *at)
{
    return dal_json_is(at->json, DAL_JSON_TEXT) && strcmp(dal_json_text(at->json), "ground") == 0;
}

dal_status dal_io_body_number(const io_loader *L, int *body, const io_node *at)
{
    char name[IO_TEXT];
    if (is_ground(at)) {
        return dal_io_ground(L, body);
    }
    DAL_TRY(dal_io_name(L, name, at));
    *body = dal_model_find_body(L->model, name);
    return *body >= 0 ? DAL_OK : dal_io_no_element(L, at, "body", name, dal_model_body_name, 0);
}

dal_status dal_io_coordinate(const io_loader *L, dal_coordinate *coordinate, int *axis, const io_node *at)
{
    static const char *const words[] = {"length",     "translation_x", "translation_y", "translation_z",
                                        "rotation_x", "rotation_y",    "rotation_z"};
    int choice;
    DAL_TRY(dal_io_choice(L, &choice, at, "coordinate", words, (int)(sizeof(words) / sizeof(words[0]))));
    *coordinate = choice == 0  ? DAL_COORDINATE_LENGTH
                  : choice < 4 ? DAL_COORDINATE_TRANSLATION
                               : DAL_COORDINATE_ROTATION;
    *axis = choice == 0 ? 0 : (choice - 1) % 3;
    return DAL_OK;
}

/* ---- places ----------------------------------------------------------------------------------- */

static void store_frame(const io_loader *L, dal_frame *frame, const io_real x[7])
{
    dal_io_store(L, frame->position, x, 3);
    dal_io_store(L, frame->rotation, x + 3, 4);
}

/* Frame of a body, into a description, from a frame in the world at the initial pose. */
static dal_status store_in_body(const io_loader *L, const io_node *at, int body, const io_real world[7],
                                dal_frame *frame)
{
    io_real both[14], in_body[7];
    DAL_TRY(dal_io_pose(L, both, body));
    put(both + 7, world, 7);
    DAL_TRY(dal_io_apply(L, in_body, at, IO_FRAME, both));
    store_frame(L, frame, in_body);
    return DAL_OK;
}

/* Frame of a body, into a description. ground: it is one of the ground of the part. */
static dal_status store_in(const io_loader *L, const io_node *at, int body, int ground, io_real x[7], dal_frame *frame)
{
    static const io_node nowhere = {.json = NULL};
    if (ground && L->scope != NULL) {
        DAL_TRY(dal_io_placed(L, x, &nowhere));
        if (body != DAL_GROUND) {
            return store_in_body(L, at, body, x, frame);
        }
    }
    store_frame(L, frame, x);
    return DAL_OK;
}

/* Without point it is at the origin of a body. */
static dal_status origin_of(const io_loader *L, const io_node *at, int body, io_real x[3])
{
    io_real pose[7];
    DAL_TRY(dal_io_pose(L, pose, body));
    return dal_io_apply(L, x, at, IO_ORIGIN, pose);
}

/* The frame in the world that point, axis, x_axis, y_axis describe. */
typedef struct world_place {
    io_real frame[7];
    int point, axes; /* what is given */
} world_place;

static dal_status read_world(const io_loader *L, const io_node *at, world_place *world)
{
    io_node child;
    put_origin(world->frame);
    world->point = dal_io_member(&child, at, "point");
    if (world->point) {
        DAL_TRY(dal_io_vector(L, world->frame, &child));
    }
    DAL_TRY(read_axes(L, at, world->frame + 3, &world->axes));
    return dal_io_placed(L, world->frame, at);
}

/* A side of a place: its body, and whether that is the ground. */
typedef struct place_side {
    int body, ground, given;
} place_side;

/* point_a in the world, or frame_a in the body. */
static dal_status read_side(const io_loader *L, const io_node *at, int side, place_side *s, dal_frame *frame)
{
    static const char *const points[2] = {"point_a", "point_b"}, *const frames[2] = {"frame_a", "frame_b"};
    io_node child;
    io_real x[7];
    put_origin(x);
    s->given = dal_io_member(&child, at, points[side]);
    if (s->given) {
        io_node other;
        if (dal_io_member(&other, at, frames[side])) {
            return dal_io_fail(L, at, "either %s or %s", points[side], frames[side]);
        }
        DAL_TRY(dal_io_vector(L, x, &child));
        DAL_TRY(dal_io_placed(L, x, at));
        return store_in_body(L, &child, s->body, x, frame);
    }
    s->given = dal_io_member(&child, at, frames[side]);
    DAL_TRY(s->given ? dal_io_frame(L, x, &child) : DAL_OK);
    return store_in(L, at, s->body, s->ground, x, frame);
}

dal_status dal_io_place(const io_loader *L, int body[2], dal_frame *const frame[2], const io_node *at, int apart)
{
    static const char *const bodies[2] = {"body_a", "body_b"};
    io_node child;
    place_side s[2];
    world_place world;
    for (int side = 0; side < 2; ++side) {
        const int named = dal_io_member(&child, at, bodies[side]);
        s[side].ground = !named || is_ground(&child);
        DAL_TRY(s[side].ground ? dal_io_ground(L, &body[side]) : dal_io_body_number(L, &body[side], &child));
        s[side].body = body[side];
    }
    if (body[0] == body[1]) {
        return dal_io_fail(L, at, "body_a and body_b are the same (each is the ground unless given)");
    }
    for (int side = 0; side < 2; ++side) {
        DAL_TRY(read_side(L, at, side, &s[side], frame[side]));
    }
    DAL_TRY(read_world(L, at, &world));
    const int common = world.point || world.axes;
    const int given = s[0].given || s[1].given;
    if (common && given) {
        return dal_io_fail(L, at, "either a common point and axes, or a frame or point for each side");
    }
    if (common && apart) {
        return dal_io_fail(L, at, "its ends are at two places: give point_a, point_b or frame_a, frame_b");
    }
    if (given || apart) {
        return DAL_OK;
    }
    if (!world.point) {
        DAL_TRY(origin_of(L, at, !s[1].ground ? body[1] : body[0], world.frame));
    }
    DAL_TRY(store_in_body(L, at, body[0], world.frame, frame[0]));
    return store_in_body(L, at, body[1], world.frame, frame[1]);
}

/* ---- frames of joints ------------------------------------------------------------------------- */

/* A joint that is looked for by its name, and where its frame A goes. Those that look for it stand behind: no joint is in its own axes. */
struct io_sought {
    const char *name;
    io_real *pose; /* 7 */
    int found;
    const io_sought *outer;
};

dal_status dal_io_look(const io_loader *L, const io_node *at)
{
    return ++L->doc->looks <= 30000000
               ? DAL_OK
               : dal_io_fail(
                     L, at,
                     "more than 30000000 elements were looked at for names of joints and outputs: there are too many "
                     "that refer to each other");
}

const io_node *dal_io_model_of(const io_loader *L, const io_node *at)
{
    while (L->scope == NULL && at->up != NULL) {
        at = at->up;
    }
    return L->scope != NULL ? L->scope->model : at;
}

/* The frame of side A is given by itself, or ends at two places have their origins there. */
static dal_status is_apart(const io_loader *L, const io_node *at, const io_type *type, int *apart)
{
    static const char *const own[] = {"frame_a", "frame_b", "point_a", "point_b"};
    io_node child;
    *apart = type->about.place == DAL_PLACE_ENDS;
    for (size_t k = 0; k < sizeof own / sizeof *own; ++k) {
        *apart |= dal_io_member(&child, at, own[k]);
    }
    if (!*apart && dal_io_member(&child, at, "coordinate")) {
        dal_coordinate coordinate;
        int axis;
        DAL_TRY(dal_io_coordinate(L, &coordinate, &axis, &child));
        *apart = coordinate == DAL_COORDINATE_LENGTH;
    }
    return DAL_OK;
}

/* Frame A in the world at the initial pose, from what the file says of the joint. */
static dal_status frame_of_joint(const io_loader *L, const io_node *at, const io_type *type, io_real pose[7])
{
    static const io_node nowhere = {.json = NULL};
    io_node child, a, b;
    io_real both[14];
    world_place world;
    int body, apart;
    const int has_a = dal_io_member(&a, at, "body_a") && !is_ground(&a),
              has_b = dal_io_member(&b, at, "body_b") && !is_ground(&b);
    DAL_TRY(is_apart(L, at, type, &apart));
    if (!apart) {
        DAL_TRY(read_world(L, at, &world));
        put(pose, world.frame, 7);
        if (world.point) {
            return DAL_OK;
        }
        DAL_TRY(has_a || has_b ? dal_io_body_number(L, &body, has_b ? &b : &a) : dal_io_ground(L, &body));
        return origin_of(L, at, body, pose);
    }
    if (dal_io_member(&child, at, "point_a")) {
        put_origin(pose);
        DAL_TRY(dal_io_vector(L, pose, &child));
        return dal_io_placed(L, pose, at);
    }
    put_origin(both + 7);
    DAL_TRY(dal_io_member(&child, at, "frame_a") ? dal_io_frame(L, both + 7, &child) : DAL_OK);
    if (!has_a) {
        put(pose, both + 7, 7);
        return dal_io_placed(L, pose, &nowhere);
    }
    DAL_TRY(dal_io_body_number(L, &body, &a));
    DAL_TRY(dal_io_pose(L, both, body));
    return dal_io_apply(L, pose, at, IO_PLACED, both);
}

static dal_status take_joint(const io_loader *L, const io_node *at, const char *name, io_real pose[7])
{
    const io_type *type = NULL;
    io_node child;
    DAL_TRY(dal_io_selector(&child, L, at, "joints", "type", "a joint"));
    DAL_TRY(dal_io_type(L, &type, &child, "joints", "type of joint"));
    if (type->about.place == DAL_PLACE_NONE || type->about.place == DAL_PLACE_JOINT ||
        dal_io_member(&child, at, "joint")) {
        return dal_io_fail(L, at, "joint '%.100s' has no frames of its own: it acts on joints or bodies as they are",
                           name);
    }
    const io_identity before = dal_io_record_as(L, (io_identity){"joints", name, at});
    const dal_status st = frame_of_joint(L, at, type, pose);
    (void)dal_io_record_as(L, before);
    return st;
}

/* Does an element have the name that is looked for? Once it is found no other is asked. */
static dal_status is_sought(io_loader *L, const io_node *at, const char *name, int *yes)
{
    char own[IO_TEXT];
    io_node child;
    *yes = 0;
    DAL_TRY(dal_io_look(L, at));
    if (L->sought->found || !dal_io_member(&child, at, "name")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_name(L, own, &child));
    *yes = L->sought->found = strcmp(own, name) == 0;
    return DAL_OK;
}

static dal_status visit_joint(io_loader *L, const io_node *at)
{
    int yes;
    io_sought *s = L->sought;
    DAL_TRY(is_sought(L, at, s->name, &yes));
    return yes ? take_joint(L, at, s->name, s->pose) : DAL_OK;
}

static dal_status visit_body(io_loader *L, const io_node *at)
{
    int yes;
    DAL_TRY(is_sought(L, at, L->sought->name, &yes));
    return yes ? dal_io_fail(L, at,
                             "'%.100s' is a body and a joint, so 'in' may mean both: give one of them another name",
                             L->sought->name)
               : DAL_OK;
}

dal_status dal_io_joint_frame(const io_loader *L, io_real pose[7], int *found, const io_node *at)
{
    char name[IO_TEXT];
    const io_node *root = dal_io_model_of(L, at);
    io_loader walk = *L; // outside of all repetitions
    DAL_TRY(dal_io_name(L, name, at));
    int deep = 0;
    for (const io_sought *s = L->sought; s != NULL; s = s->outer) {
        if (++deep > 50) {
            return dal_io_fail(L, at, "more than 50 joints, each in the frame of the next");
        }
        if (strcmp(s->name, name) == 0) {
            return dal_io_fail(L, at, "joint '%.100s' is in axes that are its own, or are in those of this joint",
                               name);
        }
    }
    io_sought s = {.name = name, .pose = pose, .outer = L->sought};
    walk.index = NULL;
    walk.elements = 0;
    walk.sought = &s;
    DAL_TRY(dal_io_everywhere(&walk, root, "joints", visit_joint));
    *found = s.found;
    s.found = !s.found; // a body that is read later must not have this name
    return dal_io_everywhere(&walk, root, "bodies", visit_body);
}

/* A joint has bodies and frames: the element has no others. */
static dal_status nothing_else(const io_loader *L, const io_node *at, const io_type *type)
{
    static const char *const own[] = {"in",     "body_a",  "body_b",  "point",   "axis",   "x_axis",
                                      "y_axis", "point_a", "point_b", "frame_a", "frame_b"};
    io_node child;
    for (size_t k = 0; k < sizeof own / sizeof own[0]; ++k) {
        if (dal_io_member(&child, at, own[k])) {
            return strcmp(type->about.section, "joints") == 0
                       ? dal_io_fail(L, at, "a %s along the coordinate of a joint has no '%s'", type->about.name,
                                     own[k])
                       : dal_io_fail(L, &child, "'%s' is not needed: bodies and frames are those of the joint", own[k]);
        }
    }
    return DAL_OK;
}

dal_status dal_io_place_or_joint(const io_loader *L, const char **joint, io_texts *texts, int body[2],
                                 dal_frame *const frame[2], const io_node *at, const io_type *type, int apart)
{
    const dal_place place = type->about.place;
    io_node child;
    if (place == DAL_PLACE_NONE) {
        return DAL_OK;
    }
    if ((place == DAL_PLACE_JOINT || place == DAL_PLACE_BODIES_OR_JOINT) && dal_io_member(&child, at, "joint")) {
        *joint = texts->text[IO_TEXTS_MAX - 1];
        DAL_TRY(dal_io_name(L, texts->text[IO_TEXTS_MAX - 1], &child));
        return nothing_else(L, at, type);
    }
    return dal_io_place(L, body, frame, at, apart || place == DAL_PLACE_ENDS);
}

dal_status dal_io_body_place(const io_loader *L, int *body, dal_frame *frame, const io_node *at)
{
    io_node child;
    io_real own[7];
    world_place world;
    DAL_TRY(dal_io_need(&child, L, at, "body"));
    DAL_TRY(dal_io_body_number(L, body, &child));
    const int ground = is_ground(&child);
    DAL_TRY(read_world(L, at, &world));
    const int given = world.point || world.axes, framed = dal_io_member(&child, at, "frame");
    if (framed && given) {
        return dal_io_fail(L, at, "either a point and axes in the world, or a frame in the body");
    }
    if (!given) {
        put_origin(own);
        DAL_TRY(framed ? dal_io_frame(L, own, &child) : DAL_OK);
        return store_in(L, at, *body, ground, own, frame);
    }
    if (!world.point) {
        DAL_TRY(origin_of(L, at, *body, world.frame));
    }
    return store_in_body(L, at, *body, world.frame, frame);
}
