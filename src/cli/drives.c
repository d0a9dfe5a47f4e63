#include "cli/drives.h"

#include <math.h>
#include <string.h>

/* ---- coordinates ------------------------------------------------------------------------------ */

char *drives_name(const char *coordinate)
{
    return cli_text("drive of %.280s", coordinate);
}

/* "rotation", "translation_x" ...: 1 if it is one. Without an axis it is z. */
static int kind_of(const char *text, dal_joint *d)
{
    static const struct {
        const char *word;
        dal_coordinate kind;
    } words[] = {{"rotation", DAL_COORDINATE_ROTATION},
                 {"translation", DAL_COORDINATE_TRANSLATION},
                 {"length", DAL_COORDINATE_LENGTH}};
    for (int k = 0; k < CLI_LEN(words); ++k) {
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
    for (int k = 0; k < CLI_LEN(words); ++k) {
        if (strcmp(text, words[k]) == 0) {
            return k;
        }
    }
    return -1;
}

static char *gimbal_name(const char *body, int k)
{
    return cli_text("gimbal %d of %.200s", k + 1, body);
}

/* A joint between frames whose z axes point along an axis of the bodies. */
static dal_status tie(dal_model *model, const char *type, int a, int b, int axis)
{
    static const double s = 0.70710678118654752440;
    static const double turn[3][4] = {{s, 0.0, s, 0.0}, {s, -s, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    int number;
    dal_joint d = {.name = cli_text("%s %d to %d", type, a, b), .type = type, .body_a = a, .body_b = b};
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
        dal_body frame = {.name = gimbal_name(body, k)};
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
static int resolve_angle(const cli_model *m, const char *body, int number, int angle, dal_joint *d)
{
    const char *name = gimbal_name(body, 0);
    if (dal_model_find_body(m->model, name) < 0 && add_gimbals(m->model, body, number) != DAL_OK) {
        return 0;
    }
    const int g = dal_model_find_body(m->model, name);
    d->coordinate = DAL_COORDINATE_ROTATION;
    d->axis = 2 - angle;
    d->body_a = angle == 0 ? 0 : angle == 1 ? g : g + 1;
    d->body_b = angle == 0 ? g : angle == 1 ? g + 1 : number;
    return 1;
}

/* Fill in what the coordinate is; 0 if there is none of that name. */
static int resolve(const cli_model *m, const char *text, dal_joint *d)
{
    const char *point = strrchr(text, '.');
    if (dal_model_find_joint(m->model, text) >= 0) {
        d->joint = text;
        return 1;
    }
    if (point == NULL || point == text || point - text > 190) {
        return 0;
    }
    const char *before = cli_text("%.*s", (int)(point - text), text);
    if (dal_model_find_joint(m->model, before) >= 0 && kind_of(point + 1, d)) {
        d->joint = before;
        return 1;
    }
    const int body = dal_model_find_body(m->model, before);
    if (body <= 0) {
        return 0;
    }
    d->body_b = body;
    if (angle_of(point + 1) >= 0) {
        return resolve_angle(m, before, body, angle_of(point + 1), d);
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

int drives_add(cli_model *m, const char *coordinate, int function)
{
    int number;
    dal_joint d = {.name = drives_name(coordinate), .type = "motion", .function = function}, info;
    if (!resolve(m, coordinate, &d)) {
        cli_usage("no coordinate '%s': name a joint (A, or A.rotation, A.translation_x where it has several), or a "
                  "body (rod.x, rod.y, rod.z, rod.angle, or rod.yaw, rod.pitch, rod.roll)",
                  coordinate);
    }
    if (d.joint != NULL && dal_model_joint_info(m->model, &info, dal_model_find_joint(m->model, d.joint)) == DAL_OK &&
        strcmp(info.type, "motion") == 0) {
        cli_usage("joint '%s' prescribes its coordinate already; --drive time=FROM:TO:N follows it", d.joint);
    }
    if (dal_model_add_joint(m->model, &number, &d) != DAL_OK) {
        cli_usage("%s", dal_ctx_message(m->ctx));
    }
    return number;
}

int drives_function(cli_model *m, const dal_function *f)
{
    int number;
    cli_try(m->ctx, dal_model_add_function(m->model, &number, f), CLI_MODEL);
    return number;
}

/* The output "NAME.QUANTITY"; -1: there is none. */
static int find_output(const cli_model *m, const char *name, const char *quantity)
{
    const char *full = cli_text("%.300s.%s", name, quantity);
    for (int k = 0; k < dal_model_output_count(m->model); ++k) {
        if (strcmp(dal_model_output_info(m->model, k).name, full) == 0) {
            return k;
        }
    }
    return -1;
}

const char *drives_unit(const cli_model *m, const char *coordinate)
{
    dal_joint d = {.coordinate = DAL_COORDINATE_DEFAULT};
    if (!resolve(m, coordinate, &d)) {
        return "";
    }
    if (d.joint != NULL && d.coordinate == DAL_COORDINATE_DEFAULT) { // of its own coordinate
        const int k = find_output(m, d.joint, "coordinate");
        return k < 0 ? "" : strcmp(dal_model_output_info(m->model, k).unit, "rad") == 0 ? "N m" : "N";
    }
    return d.coordinate == DAL_COORDINATE_ROTATION ? "N m" : "N";
}

int drives_row(const cli_model *m, int joint)
{
    int first = -1, n;
    return dal_model_joint_rows(m->model, &first, &n, joint) == DAL_OK ? first : -1;
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* What cannot be, or is there already, is left out. */
static void try_output(cli_model *m, const char *element, int body, const char *quantity)
{
    int number;
    const dal_output o = {.name = cli_text("%.300s.%s", element, quantity),
                          .quantity = quantity,
                          .body = body,
                          .joint = body > 0 ? NULL : element};
    if (dal_model_add_output(m->model, &number, &o) != DAL_OK) {
        dal_ctx_clear(m->ctx);
    }
}

void drives_outputs(cli_model *m)
{
    const dal_model_summary count = dal_model_report(m->model);
    for (int k = 0; k < count.joints; ++k) {
        dal_joint info;
        if (dal_model_joint_info(m->model, &info, k) == DAL_OK && strcmp(info.type, "motion") != 0) {
            try_output(m, info.name, 0, "coordinate");
            try_output(m, info.name, 0, "coordinate_velocity");
            try_output(m, info.name, 0, "coordinate_acceleration");
        }
    }
    for (int k = 1; k <= count.bodies; ++k) {
        try_output(m, dal_model_body_name(m->model, k), k, "acceleration");
        try_output(m, dal_model_body_name(m->model, k), k, "angular_acceleration");
    }
}

int drives_output(const cli_model *m, const char *name, const char *quantity)
{
    const int k = find_output(m, name, quantity);
    return k >= 0 ? dal_model_output_info(m->model, k).first : -1;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

int drives_range(const cli_model *m, double *from, double *to, const char *flag, const char *text)
{
    char *copy = cli_copy(text), *b = strchr(copy, ':'), *c = b != NULL ? strchr(b + 1, ':') : NULL;
    int n;
    if (c == NULL) {
        cli_usage("--%s: FROM:TO:N is expected, as in 0:2*pi:361, not '%s'", flag, text);
    }
    *b = *c = '\0';
    *from = drives_value(m, flag, copy);
    *to = drives_value(m, flag, b + 1);
    if (!cli_integer(&n, c + 1, 2, 100000000) || *from == *to) {
        cli_usage("--%s: from one value to another in at least 2 points, not '%s'", flag, text);
    }
    return n;
}

double drives_value(const cli_model *m, const char *flag, const char *text)
{
    double x;
    if (dal_document_value(m->doc, &x, text) != DAL_OK) {
        cli_usage("--%s: %s", flag, dal_ctx_message(m->ctx));
    }
    return x;
}

int drives_code(dal_status st)
{
    return st == DAL_ECHECK ? CLI_CHECK : st == DAL_EINVAL || st == DAL_EREDUNDANT ? CLI_MODEL : CLI_INTEGRATION;
}
