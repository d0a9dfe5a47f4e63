/* Rotations, frames, and where joints and forces sit on their bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io_impl.h"
#include "mbs/number_kernel.h"

/* How far a rotation may be from a unit quaternion or an orthogonal matrix: rounded digits pass, wrong ones do not. */
static const double rotation_tol = 1e-3;

/* ---- rotations -------------------------------------------------------------------------------- */

static dal_status read_quaternion(const io_loader *L, const io_node *at, double p[4])
{
    DAL_TRY(dal_io_numbers(L, p, at, 4));
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (!(fabs(length - 1.0) <= rotation_tol)) {
        return dal_io_fail(L, at, "a quaternion (scalar first) must have length 1; this one has %.6g", length);
    }
    const double given[4] = {p[0], p[1], p[2], p[3]};
    for (int k = 0; k < 4; ++k) {
        p[k] /= length;
    }
    dal_io_note(L, "unit4", p, 4, given, 4);
    return DAL_OK;
}

/* Three rows of three numbers. */
static dal_status read_matrix(const io_loader *L, const io_node *at, double p[4])
{
    double R[9], row[3];
    DAL_TRY(dal_io_list(L, at, 3, 3));
    for (int i = 0; i < 3; ++i) {
        const io_node element = dal_io_element(at, (size_t)i);
        DAL_TRY(dal_io_numbers(L, row, &element, 3));
        for (int j = 0; j < 3; ++j) {
            R[i + 3 * j] = row[j];
        }
    }
    // R^T R - I and the sign of the determinant
    double defect = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double *a = R + 3 * i, *b = R + 3 * j;
            defect = fmax(defect, fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - (i == j ? 1.0 : 0.0)));
        }
    }
    const double det =
        R[0] * (R[4] * R[8] - R[5] * R[7]) - R[3] * (R[1] * R[8] - R[2] * R[7]) + R[6] * (R[1] * R[5] - R[2] * R[4]);
    if (!(defect <= rotation_tol)) {
        return dal_io_fail(L, at, "this matrix is not orthogonal: R^T R differs from I by %.3g", defect);
    }
    if (!(det > 0.0)) {
        return dal_io_fail(L, at, "this matrix is a reflection, not a rotation (determinant %.3g)", det);
    }
    dal_quat_from_matrix(p, R);
    dal_io_note(L, "quaternion", p, 4, R, 9);
    return DAL_OK;
}

static void of_vector(const io_loader *L, double p[4], const double w[3])
{
    dal_quat_from_vector(p, w);
    dal_io_note(L, "turn", p, 4, w, 3);
}

/* Rotations about axes of the body, one after the other: "zxz". */
static dal_status read_euler(const io_loader *L, const io_node *at, const io_node *sequence, double p[4])
{
    char axes[IO_TEXT];
    double angle[3];
    io_node angles;
    DAL_TRY(dal_io_text(L, axes, sequence));
    if (strlen(axes) != 3 || strspn(axes, "xyz") != 3) {
        return dal_io_fail(L, sequence, "expected three of the letters x, y, z, as in \"zxz\"");
    }
    DAL_TRY(dal_io_need(&angles, L, at, "angles"));
    DAL_TRY(dal_io_numbers(L, angle, &angles, 3));
    for (int k = 0; k < 3; ++k) {
        double w[3] = {0.0}, turn[4], product[4];
        w[axes[k] - 'x'] = angle[k];
        of_vector(L, turn, w);
        dal_quat_mul(product, p, turn);
        const double in[8] = {p[0], p[1], p[2], p[3], turn[0], turn[1], turn[2], turn[3]};
        dal_io_note(L, "product", product, 4, in, 8);
        memcpy(p, product, sizeof(product));
    }
    return DAL_OK;
}

static dal_status read_axis_angle(const io_loader *L, const io_node *at, const io_node *axis, double p[4])
{
    double w[3], angle;
    io_node child;
    DAL_TRY(dal_io_direction(L, w, axis));
    DAL_TRY(dal_io_need(&child, L, at, "angle"));
    DAL_TRY(dal_io_number(L, &angle, &child));
    const double given[4] = {w[0], w[1], w[2], angle};
    for (int k = 0; k < 3; ++k) {
        w[k] *= angle;
    }
    dal_io_note(L, "turned", w, 3, given, 4);
    of_vector(L, p, w);
    return DAL_OK;
}

dal_status dal_io_rotation(const io_loader *L, double p[4], const io_node *at)
{
    io_node child;
    double w[3] = {0.0};
    p[0] = 1.0;
    p[1] = p[2] = p[3] = 0.0;
    if (dal_json_is(at->json, DAL_JSON_LIST)) {
        return read_quaternion(L, at, p);
    }
    if (dal_json_is(at->json, DAL_JSON_NUMBER) || dal_json_is(at->json, DAL_JSON_TEXT)) {
        DAL_TRY(dal_io_number(L, &w[2], at));
        of_vector(L, p, w);
        return DAL_OK;
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
    default:
        DAL_TRY(dal_io_vector(L, w, &child));
        of_vector(L, p, w);
        return DAL_OK;
    }
}

/* ---- frames ----------------------------------------------------------------------------------- */

static void cross(const io_loader *L, double c[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        c[k] = a[i] * b[j] - a[j] * b[i];
    }
    const double in[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    dal_io_note(L, "cross", c, 3, in, 6);
}

/* Some direction normal to a. */
static void any_normal(const io_loader *L, double n[3], const double a[3])
{
    int least = 0;
    for (int k = 1; k < 3; ++k) {
        if (fabs(a[k]) < fabs(a[least])) {
            least = k;
        }
    }
    double e[3] = {0.0};
    e[least] = 1.0;
    cross(L, n, a, e);
    dal_io_note(L, "normal", n, 3, a, 3);
}

/* Axes from directions: z = axis exactly and x as close as possible to x_axis, or to what y_axis asks for; without axis
 * z = x_axis x y_axis. One alone will do. *given: whether there are any. */
static dal_status read_axes(const io_loader *L, const io_node *at, dal_frame *frame, int *given)
{
    double x[3], y[3], z[3], hint[3];
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
    if (!has_z && has_x && has_y) {
        cross(L, z, x, y);
    } else if (!has_z) {
        any_normal(L, z, has_x ? x : y);
    }
    if (has_x) {
        memcpy(hint, x, sizeof(hint));
    } else if (has_y) {
        cross(L, hint, y, z);
    } else {
        any_normal(L, hint, z);
    }
    double normal[3];
    cross(L, normal, z, hint);
    if (!(hypot(hypot(normal[0], normal[1]), normal[2]) > 1e-8)) {
        return dal_io_fail(L, at, "the two axes are parallel");
    }
    double point[3];
    memcpy(point, frame->position, sizeof(point));
    *frame = dal_frame_on_axis(point, z, has_x || has_y ? hint : NULL);
    const double in[6] = {z[0], z[1], z[2], hint[0], hint[1], hint[2]};
    dal_io_note(L, has_x || has_y ? "axes" : "axis", frame->rotation, 4, in, has_x || has_y ? 6 : 3);
    return DAL_OK;
}

dal_status dal_io_frame(const io_loader *L, dal_frame *frame, const io_node *at)
{
    io_node child;
    int axes;
    *frame = (dal_frame){.rotation = {1.0, 0.0, 0.0, 0.0}};
    if (dal_json_is(at->json, DAL_JSON_LIST)) {
        return dal_io_vector(L, frame->position, at);
    }
    DAL_TRY(dal_io_object_of_any(L, at, "a frame", "frame"));
    DAL_TRY(dal_io_vector_if(L, frame->position, at, "position"));
    DAL_TRY(read_axes(L, at, frame, &axes));
    if (dal_io_member(&child, at, "rotation")) {
        if (axes) {
            return dal_io_fail(L, at, "either rotation, or axis, x_axis, y_axis");
        }
        return dal_io_rotation(L, frame->rotation, &child);
    }
    return DAL_OK;
}

/* ---- bodies and coordinates ------------------------------------------------------------------- */

static dal_status find_body(const io_loader *L, const io_node *at, int *body)
{
    char name[IO_TEXT];
    DAL_TRY(dal_io_raw_text(L, name, at));
    *body = dal_model_find_body(L->model, name);
    return *body >= 0 ? DAL_OK : dal_io_no_element(L, at, "body", name, dal_model_body_name, 0);
}

dal_status dal_io_body_number(const io_loader *L, int *body, const io_node *at)
{
    *body = 0;
    DAL_TRY(dal_io_mode(L) != IO_REPLAY ? find_body(L, at, body) : DAL_OK);
    dal_io_keep_whole(L, body);
    return DAL_OK;
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

/* The same with length one, as the model takes it. */
static void unit(const io_loader *L, double p[4], const double given[4])
{
    number_unit4(p, given);
    dal_io_note(L, "unit4", p, 4, given, 4);
}

/* What to_body has done, for a trace. */
static dal_status note_frame(const io_loader *L, int body, const dal_frame *world, const dal_frame *frame)
{
    dal_body b;
    double in[14], out[7];
    if (L->trace == NULL || body == DAL_GROUND) {
        return DAL_OK; // the ground has the frames of the world
    }
    DAL_TRY(dal_data_get_body(L->data, &b, body));
    memcpy(in, b.position, sizeof b.position);
    unit(L, in + 3, b.rotation);
    memcpy(in + 7, world->position, sizeof world->position);
    unit(L, in + 10, world->rotation);
    memcpy(out, frame->position, sizeof frame->position);
    memcpy(out + 3, frame->rotation, sizeof frame->rotation);
    dal_io_note(L, "frame", out, 7, in, 14);
    return DAL_OK;
}

/* Frame of a body from a frame in the world, at the initial pose. */
static dal_status to_body(const io_loader *L, const io_node *at, int body, const dal_frame *world, dal_frame *frame)
{
    dal_io_uses_pose(L, body);
    const dal_status st = dal_io_mode(L) == IO_REPLAY ? dal_data_frame_at(L->data, frame, body, world)
                                                      : dal_model_frame_at(L->model, frame, body, world);
    return st == DAL_OK ? note_frame(L, body, world, frame) : dal_io_fail_at(L, at, st);
}

/* Where the origin of a body is at first. */
static dal_status origin_of(const io_loader *L, const io_node *at, int body, double x[3])
{
    const dal_frame world = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    dal_frame seen;
    DAL_TRY(to_body(L, at, body, &world, &seen)); // position -R^T x, rotation R^T
    const double back[4] = {seen.rotation[0], -seen.rotation[1], -seen.rotation[2], -seen.rotation[3]};
    dal_quat_rotate(x, back, seen.position);
    for (int k = 0; k < 3; ++k) {
        x[k] = -x[k];
    }
    dal_body b;
    if (L->trace != NULL && body != DAL_GROUND) {
        DAL_TRY(dal_data_get_body(L->data, &b, body));
        dal_io_note(L, "same", x, 3, b.position, 3);
    }
    return DAL_OK;
}

/* The frame in the world that point, axis, x_axis, y_axis describe. */
typedef struct world_place {
    dal_frame frame;
    int point, axes; /* what is given */
} world_place;

static dal_status read_world(const io_loader *L, const io_node *at, world_place *world)
{
    io_node child;
    *world = (world_place){.frame = {.rotation = {1.0, 0.0, 0.0, 0.0}}};
    world->point = dal_io_member(&child, at, "point");
    if (world->point) {
        DAL_TRY(dal_io_vector(L, world->frame.position, &child));
    }
    return read_axes(L, at, &world->frame, &world->axes);
}

/* Without point it is at the origin of a body. */
static dal_status complete(const io_loader *L, const io_node *at, int body, world_place *world)
{
    return world->point ? DAL_OK : origin_of(L, at, body, world->frame.position);
}

/* One side of a place: point_a in the world, or frame_a in the body. */
static dal_status read_side(const io_loader *L, const io_node *at, int side, int body, dal_frame *frame, int *given)
{
    static const char *const points[2] = {"point_a", "point_b"}, *const frames[2] = {"frame_a", "frame_b"};
    io_node child;
    *frame = (dal_frame){.rotation = {1.0, 0.0, 0.0, 0.0}};
    *given = 0;
    if (dal_io_member(&child, at, points[side])) {
        dal_frame world = *frame;
        *given = 1;
        DAL_TRY(dal_io_vector(L, world.position, &child));
        DAL_TRY(to_body(L, &child, body, &world, frame));
    }
    if (dal_io_member(&child, at, frames[side])) {
        if (*given) {
            return dal_io_fail(L, at, "either %s or %s", points[side], frames[side]);
        }
        *given = 1;
        DAL_TRY(dal_io_frame(L, frame, &child));
    }
    return DAL_OK;
}

dal_status dal_io_place(const io_loader *L, int body[2], dal_frame frame[2], const io_node *at, int apart)
{
    static const char *const bodies[2] = {"body_a", "body_b"};
    io_node child;
    int given[2];
    world_place world;
    for (int side = 0; side < 2; ++side) {
        body[side] = DAL_GROUND;
        if (dal_io_member(&child, at, bodies[side])) {
            DAL_TRY(dal_io_body_number(L, &body[side], &child));
        }
    }
    if (body[0] == body[1]) {
        return dal_io_fail(L, at, "body_a and body_b are the same (each is the ground unless given)");
    }
    for (int side = 0; side < 2; ++side) {
        DAL_TRY(read_side(L, at, side, body[side], &frame[side], &given[side]));
    }
    DAL_TRY(read_world(L, at, &world));
    const int common = world.point || world.axes;
    if (common && (given[0] || given[1])) {
        return dal_io_fail(L, at, "either a common point and axes, or a frame or point for each side");
    }
    if (common && apart) {
        return dal_io_fail(L, at, "its ends are at two places: give point_a, point_b or frame_a, frame_b");
    }
    if (given[0] || given[1] || apart) {
        return DAL_OK;
    }
    DAL_TRY(complete(L, at, body[1] != DAL_GROUND ? body[1] : body[0], &world));
    DAL_TRY(to_body(L, at, body[0], &world.frame, &frame[0]));
    return to_body(L, at, body[1], &world.frame, &frame[1]);
}

/* A joint has bodies and frames: the element has no others. */
static dal_status nothing_else(const io_loader *L, const io_node *at, const io_type *type)
{
    static const char *const own[] = {"body_a", "body_b",  "point",   "axis",    "x_axis",
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
                                 dal_frame frame[2], const io_node *at, const io_type *type, int apart)
{
    const dal_place place = type->about.place;
    io_node child;
    if (place == DAL_PLACE_NONE) {
        return DAL_OK;
    }
    if ((place == DAL_PLACE_JOINT || place == DAL_PLACE_BODIES_OR_JOINT) && dal_io_member(&child, at, "joint")) {
        *joint = texts->text[IO_TEXTS_MAX - 1];
        DAL_TRY(dal_io_text(L, texts->text[IO_TEXTS_MAX - 1], &child));
        return nothing_else(L, at, type);
    }
    return dal_io_place(L, body, frame, at, apart || place == DAL_PLACE_ENDS);
}

dal_status dal_io_body_place(const io_loader *L, int *body, dal_frame *frame, const io_node *at)
{
    io_node child;
    world_place world;
    DAL_TRY(dal_io_need(&child, L, at, "body"));
    DAL_TRY(dal_io_body_number(L, body, &child));
    DAL_TRY(read_world(L, at, &world));
    const int given = world.point || world.axes;
    if (dal_io_member(&child, at, "frame")) {
        if (given) {
            return dal_io_fail(L, at, "either a point and axes in the world, or a frame in the body");
        }
        return dal_io_frame(L, frame, &child);
    }
    if (given) {
        DAL_TRY(complete(L, at, *body, &world));
        return to_body(L, at, *body, &world.frame, frame);
    }
    *frame = (dal_frame){.rotation = {1.0, 0.0, 0.0, 0.0}};
    return DAL_OK;
}
