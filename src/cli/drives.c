#include "cli/drives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- coordinates ------------------------------------------------------------------------------ */

void drives_name(char buffer[300], const char *coordinate)
{
    snprintf(buffer, 300, "drive of %.280s", coordinate);
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

/* Fill in what the coordinate is; 0 if there is none of that name. */
static int resolve(const cli_model *m, const char *text, char before[200], dal_joint *d)
{
    const char *point = strrchr(text, '.');
    if (dal_model_find_joint(m->model, text) >= 0) {
        d->joint = text;
        return 1;
    }
    if (point == NULL || point == text || point - text > 190) {
        return 0;
    }
    snprintf(before, 200, "%.*s", (int)(point - text), text);
    if (dal_model_find_joint(m->model, before) >= 0 && kind_of(point + 1, d)) {
        d->joint = before;
        return 1;
    }
    const int body = dal_model_find_body(m->model, before);
    if (body <= 0) {
        return 0;
    }
    d->body_b = body;
    if (strlen(point) == 2 && point[1] >= 'x' && point[1] <= 'z') {
        d->coordinate = DAL_COORDINATE_TRANSLATION;
        d->axis = point[1] - 'x';
        return 1;
    }
    d->coordinate = DAL_COORDINATE_ROTATION;
    d->axis = 2;
    return strcmp(point + 1, "angle") == 0;
}

int drives_add(cli_model *m, int *joint, const char *coordinate, int function)
{
    char name[300], before[200];
    dal_joint d = {.type = "motion", .function = function};
    drives_name(name, coordinate);
    d.name = name;
    if (!resolve(m, coordinate, before, &d)) {
        return cli_usage(
            "no coordinate '%s': name a joint (A, or A.rotation, A.translation_x where it has several), or a "
            "body (rod.x, rod.y, rod.z, rod.angle)",
            coordinate);
    }
    if (d.joint != NULL) {
        dal_joint info;
        if (dal_model_joint_info(m->model, &info, dal_model_find_joint(m->model, d.joint)) == DAL_OK &&
            strcmp(info.type, "motion") == 0) {
            return cli_usage("joint '%s' prescribes its coordinate already; --drive time=FROM:TO:N follows it",
                             d.joint);
        }
    }
    return dal_model_add_joint(m->model, joint, &d) == DAL_OK ? CLI_OK : cli_usage("%s", dal_ctx_message(m->ctx));
}

const char *drives_unit(const cli_model *m, const char *coordinate)
{
    char before[200];
    dal_joint d = {.coordinate = DAL_COORDINATE_DEFAULT};
    if (!resolve(m, coordinate, before, &d)) {
        return "";
    }
    if (d.joint != NULL && d.coordinate == DAL_COORDINATE_DEFAULT) { // of its own coordinate
        char name[300];
        snprintf(name, sizeof name, "%.280s.coordinate", d.joint);
        for (int k = 0; k < dal_model_output_count(m->model); ++k) {
            const dal_output_info info = dal_model_output_info(m->model, k);
            if (strcmp(info.name, name) == 0) {
                return strcmp(info.unit, "rad") == 0 ? "N m" : "N";
            }
        }
        return "";
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
    char name[400];
    int number;
    snprintf(name, sizeof name, "%.300s.%s", element, quantity);
    const dal_output o = {.name = name, .quantity = quantity, .body = body, .joint = body > 0 ? NULL : element};
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
    char full[400];
    snprintf(full, sizeof full, "%.300s.%s", name, quantity);
    for (int k = 0; k < dal_model_output_count(m->model); ++k) {
        const dal_output_info info = dal_model_output_info(m->model, k);
        if (strcmp(info.name, full) == 0) {
            return info.first;
        }
    }
    return -1;
}

/* ---- ranges ----------------------------------------------------------------------------------- */

int drives_range(const cli_model *m, double *from, double *to, int *n, const char *flag, const char *text)
{
    char *copy = cli_copy(text), *b = strchr(copy, ':'), *c = b != NULL ? strchr(b + 1, ':') : NULL;
    int code = CLI_OK;
    if (c == NULL) {
        code = cli_usage("--%s: FROM:TO:N is expected, as in 0:2*pi:361, not '%s'", flag, text);
    } else {
        *b = *c = '\0';
        if (dal_document_value(m->doc, from, copy) != DAL_OK || dal_document_value(m->doc, to, b + 1) != DAL_OK) {
            code = cli_usage("--%s: %s", flag, dal_ctx_message(m->ctx));
        } else if (!cli_integer(n, c + 1, 2, 100000000) || *from == *to) {
            code = cli_usage("--%s: from one value to another in at least 2 points, not '%s'", flag, text);
        }
    }
    free(copy);
    return code;
}
