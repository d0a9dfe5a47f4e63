/* Coordinates of a model by name, and the joints that prescribe them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/driven_impl.h"
#include "base/message.h"

/* "rotation", "translation_x" ...: 1 if it is one. Without an axis it is z. */
static int kind_of(const char *text, dal_joint *d)
{
    static const struct {
        const char *word;
        dal_coordinate kind;
    } words[] = {{"rotation", DAL_COORDINATE_ROTATION},
                 {"translation", DAL_COORDINATE_TRANSLATION},
                 {"length", DAL_COORDINATE_LENGTH}};
    for (int k = 0; k < (int)(sizeof words / sizeof words[0]); ++k) {
        const size_t n = strlen(words[k].word);
        if (strncmp(text, words[k].word, n) == 0 && (text[n] == '\0' || (text[n] == '_' && strlen(text) == n + 2))) {
            d->coordinate = words[k].kind;
            d->axis = text[n] == '_' ? text[n + 1] - 'x' : 2;
            return d->axis >= 0 && d->axis <= 2;
        }
    }
    return 0;
}

/* ---- orientation ------------------------------------------------------------------------------ */

/* "yaw", "pitch", "roll": 0, 1, 2; -1: none of them. */
static int angle_of(const char *text)
{
    static const char *const words[] = {"yaw", "pitch", "roll"};
    for (int k = 0; k < (int)(sizeof words / sizeof words[0]); ++k) {
        if (strcmp(text, words[k]) == 0) {
            return k;
        }
    }
    return -1;
}

static const char *gimbal_name(char name[DAL_DRIVE_NAME], const char *body, int k)
{
    (void)snprintf(name, DAL_DRIVE_NAME, "gimbal %d of %.200s", k + 1, body);
    return name;
}

/* A joint between frames whose z axes point along an axis of the bodies. */
static dal_status tie(dal_model *model, const char *type, int a, int b, int axis)
{
    static const double s = 0.70710678118654752440;
    static const double turn[3][4] = {{s, 0.0, s, 0.0}, {s, -s, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    char name[DAL_DRIVE_NAME];
    int number;
    (void)snprintf(name, sizeof name, "%s %d to %d", type, a, b);
    dal_joint d = {.name = name, .type = type, .body_a = a, .body_b = b};
    memcpy(d.frame_a.rotation, turn[axis], sizeof turn[axis]);
    memcpy(d.frame_b.rotation, turn[axis], sizeof turn[axis]);
    return dal_model_add_joint(model, &number, &d);
}

/* Two frames without mass between the world and a body: the first turns about z of the world, the second in it about y, the body in
 * that about x. They hold nothing and leave three angles to prescribe. */
static dal_status add_gimbals(dal_model *model, const char *body, int number)
{
    dal_body info;
    int g[2];
    DAL_TRY(dal_model_body_info(model, &info, number));
    double R[9], p[4] = {1.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        if (info.rotation[k] != 0.0) { // all zero is the identity
            memcpy(p, info.rotation, sizeof p);
        }
    }
    dal_quat_to_matrix(R, p);
    const double yaw = atan2(R[1], R[0]), pitch = -asin(fmax(-1.0, fmin(1.0, R[2])));
    const double first[4] = {cos(0.5 * yaw), 0.0, 0.0, sin(0.5 * yaw)};
    const double second[4] = {cos(0.5 * pitch), 0.0, sin(0.5 * pitch), 0.0};
    for (int k = 0; k < 2; ++k) {
        char name[DAL_DRIVE_NAME];
        dal_body frame = {.name = gimbal_name(name, body, k)};
        memcpy(frame.position, info.position, sizeof frame.position);
        if (k == 0) {
            memcpy(frame.rotation, first, sizeof first);
        } else {
            dal_quat_mul(frame.rotation, first, second);
        }
        DAL_TRY(dal_model_add_body(model, &g[k], &frame));
    }
    DAL_TRY(tie(model, "spherical", g[0], number, 2));
    DAL_TRY(tie(model, "parallel_axes", 0, g[0], 2));
    DAL_TRY(tie(model, "revolute", g[0], g[1], 1));
    return tie(model, "parallel_axes", g[1], number, 0);
}

/* The angle as the coordinate between two of these frames. */
static int resolve_angle(dal_model *model, const char *body, int number, int angle, dal_joint *d)
{
    char name[DAL_DRIVE_NAME];
    (void)gimbal_name(name, body, 0);
    if (dal_model_find_body(model, name) < 0 && add_gimbals(model, body, number) != DAL_OK) {
        return 0;
    }
    const int g = dal_model_find_body(model, name);
    d->coordinate = DAL_COORDINATE_ROTATION;
    d->axis = 2 - angle;
    d->body_a = angle == 0 ? 0 : angle == 1 ? g : g + 1;
    d->body_b = angle == 0 ? g : angle == 1 ? g + 1 : number;
    return 1;
}

/* Fill in what the coordinate is; 0 if there is none of that name. */
static int resolve(dal_model *model, const char *text, char before[DAL_DRIVE_NAME], dal_joint *d)
{
    const char *point = strrchr(text, '.');
    if (dal_model_find_joint(model, text) >= 0) {
        d->joint = text;
        return 1;
    }
    if (point == NULL || point == text || point - text > 190) {
        return 0;
    }
    (void)snprintf(before, DAL_DRIVE_NAME, "%.*s", (int)(point - text), text);
    if (dal_model_find_joint(model, before) >= 0 && kind_of(point + 1, d)) {
        d->joint = before;
        return 1;
    }
    const int body = dal_model_find_body(model, before);
    if (body <= 0) {
        return 0;
    }
    d->body_b = body;
    if (angle_of(point + 1) >= 0) {
        return resolve_angle(model, before, body, angle_of(point + 1), d);
    }
    if (strlen(point) == 2 && point[1] >= 'x' && point[1] <= 'z') {
        d->coordinate = DAL_COORDINATE_TRANSLATION;
        d->axis = point[1] - 'x';
        return 1;
    }
    d->coordinate = DAL_COORDINATE_ROTATION;
    d->axis = 2;
    return strcmp(point + 1, "angle") == 0;
}

const char *dal_drive_name(char name[DAL_DRIVE_NAME], const char *coordinate)
{
    (void)snprintf(name, DAL_DRIVE_NAME, "drive of %.280s", coordinate);
    return name;
}

dal_status dal_drive_add(dal_model *model, dal_ctx *ctx, int *joint, const char *coordinate, int function)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, model);
    DAL_NEED(ctx, joint);
    DAL_NEED(ctx, coordinate);
    char name[DAL_DRIVE_NAME], before[DAL_DRIVE_NAME];
    dal_joint d = {.name = dal_drive_name(name, coordinate), .type = "motion", .function = function}, info;
    if (!resolve(model, coordinate, before, &d)) {
        return dal_fail(
            ctx, DAL_EOPTION,
            "no coordinate '%s': name a joint (A, or A.rotation, A.translation_x where it has several), or a "
            "body (rod.x, rod.y, rod.z, rod.angle, or rod.yaw, rod.pitch, rod.roll)",
            coordinate);
    }
    if (d.joint != NULL && dal_model_joint_info(model, &info, dal_model_find_joint(model, d.joint)) == DAL_OK &&
        strcmp(info.type, "motion") == 0) {
        return dal_fail(ctx, DAL_EINVAL, "joint '%s' prescribes its coordinate already; the drive 'time' follows it",
                        d.joint);
    }
    return dal_model_add_joint(model, joint, &d);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* The output "ELEMENT.QUANTITY"; -1: there is none. */
static int find_output(const dal_model *model, const char *element, const char *quantity)
{
    const size_t n = strlen(element);
    for (int k = 0; k < dal_model_output_count(model); ++k) {
        const char *name = dal_model_output_info(model, k).name;
        if (strncmp(name, element, n) == 0 && name[n] == '.' && strcmp(name + n + 1, quantity) == 0) {
            return k;
        }
    }
    return -1;
}

int dal_drive_output(const dal_model *model, const char *element, const char *quantity)
{
    const int k = find_output(model, element, quantity);
    return k >= 0 ? dal_model_output_info(model, k).first : -1;
}

const char *dal_drive_unit(dal_model *model, const char *coordinate)
{
    char before[DAL_DRIVE_NAME];
    dal_joint d = {.coordinate = DAL_COORDINATE_DEFAULT};
    if (model == NULL || coordinate == NULL || !resolve(model, coordinate, before, &d)) {
        return "";
    }
    if (d.joint != NULL && d.coordinate == DAL_COORDINATE_DEFAULT) { // of its own coordinate
        const int k = find_output(model, d.joint, "coordinate");
        return k < 0 ? "" : strcmp(dal_model_output_info(model, k).unit, "rad") == 0 ? "N m" : "N";
    }
    return d.coordinate == DAL_COORDINATE_ROTATION ? "N m" : "N";
}

/* What cannot be, or is there already, is left out. */
static void try_output(dal_model *model, dal_ctx *ctx, const char *element, int body, const char *quantity)
{
    char name[DAL_DRIVE_NAME + 40];
    int number;
    (void)snprintf(name, sizeof name, "%.300s.%s", element, quantity);
    const dal_output o = {.name = name, .quantity = quantity, .body = body, .joint = body > 0 ? NULL : element};
    if (dal_model_add_output(model, &number, &o) != DAL_OK) {
        dal_ctx_clear(ctx);
    }
}

void dal_drive_outputs(dal_model *model, dal_ctx *ctx)
{
    const dal_model_summary count = model != NULL ? dal_model_report(model) : (dal_model_summary){0};
    for (int k = 0; k < count.joints; ++k) {
        dal_joint info;
        if (dal_model_joint_info(model, &info, k) == DAL_OK && strcmp(info.type, "motion") != 0) {
            try_output(model, ctx, info.name, 0, "coordinate");
            try_output(model, ctx, info.name, 0, "coordinate_velocity");
            try_output(model, ctx, info.name, 0, "coordinate_acceleration");
        }
    }
    for (int k = 1; k <= count.bodies; ++k) {
        try_output(model, ctx, dal_model_body_name(model, k), k, "acceleration");
        try_output(model, ctx, dal_model_body_name(model, k), k, "angular_acceleration");
    }
}

/* ---- motions by samples ----------------------------------------------------------------------- */

/* x, x', x'' of the quintic through values, velocities and accelerations at both ends of an interval of length h, at the
 * part s of it. */
static void quintic(double y[3], double s, double h, const double x[2], const double v[2], const double a[2])
{
    const double d = x[1] - x[0] - h * v[0] - 0.5 * h * h * a[0];
    const double e = h * (v[1] - v[0] - h * a[0]), f = h * h * (a[1] - a[0]);
    const double c3 = 10.0 * d - 4.0 * e + 0.5 * f, c4 = -15.0 * d + 7.0 * e - f, c5 = 6.0 * d - 3.0 * e + 0.5 * f;
    y[0] = x[0] + s * (h * v[0] + s * (0.5 * h * h * a[0] + s * (c3 + s * (c4 + s * c5))));
    y[1] = v[0] + s * a[0] * h + s * s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h;
    y[2] = a[0] + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)) / (h * h);
}

/* c: n, then n times, values, velocities, accelerations. */
static dal_status quintics(double y[3], double t, const double *c, void *user)
{
    const int n = (int)c[0];
    const double *time = c + 1, *x = time + n, *v = x + n, *a = v + n;
    int lo = 0, hi = n - 1;
    (void)user;
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(t < time[mid] ? &hi : &lo) = mid;
    }
    const double h = time[hi] - time[lo];
    quintic(y, (t - time[lo]) / h, h, x + lo, v + lo, a + lo);
    if (t == time[hi]) { // without the rounding of the polynomial
        y[0] = x[hi];
        y[1] = v[hi];
        y[2] = a[hi];
    }
    return DAL_OK;
}

static dal_status add_quintics(dal_model *model, dal_ctx *ctx, int *function, const dal_drive_samples *s)
{
    const double *const part[] = {s->t, s->x, s->v, s->a};
    const size_t n = (size_t)s->n;
    double *c = dal_alloc(ctx, (4 * n + 1) * sizeof *c);
    if (!c) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the samples of '%s'", s->name);
    }
    c[0] = s->n;
    for (size_t k = 0; k < 4; ++k) {
        memcpy(c + 1 + k * n, part[k], n * sizeof *c);
    }
    const dal_function f = {.name = s->name, .type = "user", .c = c, .n = 4 * s->n + 1, .call_with = quintics};
    const dal_status st = dal_model_add_function(model, function, &f);
    dal_free(ctx, c);
    return st;
}

dal_status dal_drive_function(dal_model *model, dal_ctx *ctx, int *function, const dal_drive_samples *samples)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, model);
    DAL_NEED(ctx, function);
    DAL_NEED(ctx, samples);
    DAL_NEED(ctx, samples->name);
    DAL_NEED(ctx, samples->t);
    DAL_NEED(ctx, samples->x);
    const dal_drive_samples *s = samples;
    if (s->n < 3) {
        return dal_fail(ctx, DAL_EINVAL, "%s: it has %d samples; a motion needs at least 3", s->name, s->n);
    }
    for (int r = 1; r < s->n; ++r) {
        if (!(s->t[r] > s->t[r - 1])) {
            return dal_fail(ctx, DAL_EINVAL, "%s: its times do not increase in row %d", s->name, r + 1);
        }
    }
    if (s->v != NULL && s->a != NULL) {
        return add_quintics(model, ctx, function, s);
    }
    const dal_function f = {
        .name = s->name, .type = "table", .x = s->t, .y = s->x, .n = s->n, .interpolation = DAL_INTERPOLATION_CUBIC};
    return dal_model_add_function(model, function, &f);
}

int dal_drive_row(const dal_model *model, int joint)
{
    int first = -1, n;
    return dal_model_joint_rows(model, &first, &n, joint) == DAL_OK ? first : -1;
}
