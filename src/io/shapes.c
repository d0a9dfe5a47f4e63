/* Shapes of bodies: what they look like and, with a density, what they weigh. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dalembert/import.h"
#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- colours ---------------------------------------------------------------------------------- */

static int hex(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* "#rrggbb", or three numbers from 0 to 1. */
dal_status dal_io_colour(const io_loader *L, dal_shape *s, const io_node *at)
{
    io_node child;
    char text[IO_TEXT];
    if (!dal_io_member(&child, at, "colour")) {
        return DAL_OK;
    }
    s->coloured = 1;
    if (dal_json_is(child.json, DAL_JSON_LIST)) {
        return dal_io_constants(L, s->colour, &child, 3);
    }
    DAL_TRY(dal_io_text(L, text, &child));
    int good = strlen(text) == 7 && text[0] == '#';
    for (int k = 0; k < 3 && good; ++k) {
        const int high = hex(text[1 + 2 * k]), low = hex(text[2 + 2 * k]);
        good = high >= 0 && low >= 0;
        s->colour[k] = (16 * high + low) / 255.0;
    }
    return good ? DAL_OK
                : dal_io_fail(L, &child, "a colour is \"#rrggbb\" or three numbers from 0 to 1, not \"%s\"", text);
}

/* ---- kinds ------------------------------------------------------------------------------------ */

/* The axis of a cylinder, cone or capsule in its frame: z, unless "along" says x or y. */
static dal_status read_along(const io_loader *L, const io_node *at, dal_shape *s)
{
    static const char *const words[] = {"x", "y", "z"};
    static const double turn[3][4] = {{0.70710678118654757, 0.0, 0.70710678118654757, 0.0},
                                      {0.70710678118654757, -0.70710678118654757, 0.0, 0.0},
                                      {1.0, 0.0, 0.0, 0.0}};
    io_node child;
    int axis = 2;
    io_real factors[8];
    if (dal_io_member(&child, at, "along")) {
        DAL_TRY(dal_io_choice(L, &axis, &child, "axis", words, LEN(words)));
    }
    dal_io_fetch(L, factors, s->rotation, 4);
    for (int k = 0; k < 4; ++k) {
        factors[4 + k] = (io_real){turn[axis][k], 0};
    }
    DAL_TRY(dal_io_apply(L, factors, at, IO_PRODUCT, factors));
    dal_io_store(L, s->rotation, factors, 4);
    return DAL_OK;
}

static dal_status read_points(io_loader *L, const io_node *list, dal_shape *s)
{
    DAL_TRY(dal_io_list(L, list, 2, IO_LIST_MAX));
    const size_t n = dal_io_length(list);
    double *points;
    DAL_TAKE(L->scratch, points, 3 * n);
    s->points = points;
    s->npoints = (int)n;
    for (size_t i = 0; i < n; ++i) {
        const io_node point = dal_io_element(list, i);
        io_real x[3];
        DAL_TRY(dal_io_vector(L, x, &point));
        dal_io_store(L, points + 3 * i, x, 3);
    }
    return DAL_OK;
}

static dal_status stretch(io_loader *L, const io_node *at, dal_mesh *mesh)
{
    io_node child;
    io_real x[3];
    if (!dal_io_member(&child, at, "stretch")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_vector(L, x, &child));
    if (x[0].x == 0.0 || x[1].x == 0.0 || x[2].x == 0.0) {
        return dal_io_fail(L, &child, "the factors must not be zero");
    }
    dal_mesh_stretch(mesh, (const double[3]){x[0].x, x[1].x, x[2].x});
    return DAL_OK;
}

static dal_status read_mesh(io_loader *L, const io_node *at, const io_node *name, dal_shape *s)
{
    char *path, *bytes = NULL;
    size_t n;
    dal_mesh *mesh = NULL;
    DAL_TRY(dal_io_path(L, &path, name));
    dal_status st = dal_io_read_file(L->ctx, &bytes, &n, path);
    st = st == DAL_OK ? dal_mesh_read(&mesh, L->ctx, bytes, n, path) : st;
    dal_free(L->ctx, bytes);
    s->mesh = mesh;
    return st == DAL_OK ? stretch(L, at, mesh) : dal_io_fail_at(L, name, st);
}

/* What its own key says, unless that is a field of the shape. */
static dal_status read_size(io_loader *L, const io_node *at, const io_node *value, dal_shape *s)
{
    io_real pair[2];
    switch (s->kind) {
    case DAL_SHAPE_CYLINDER:
    case DAL_SHAPE_CONE:
    case DAL_SHAPE_CAPSULE:
        DAL_TRY(dal_io_numbers(L, pair, value, 2));
        dal_io_store(L, &s->radius, &pair[0], 1);
        dal_io_store(L, &s->length, &pair[1], 1);
        return read_along(L, at, s);
    case DAL_SHAPE_TUBE:
        return read_points(L, value, s);
    case DAL_SHAPE_MESH:
        return read_mesh(L, at, value, s);
    default:
        return DAL_OK;
    }
}

/* ---- one shape, all shapes -------------------------------------------------------------------- */

static dal_status read_shape(io_loader *L, const io_node *at, dal_shape *s)
{
    io_node value, child;
    const io_form *form;
    if (!dal_json_is(at->json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L, at, "a shape is an object like {\"box\": [1, 2, 3]}");
    }
    DAL_TRY(dal_io_alternative(&form, &value, L, at, "a shape", "shape"));
    s->kind = (dal_shape_kind)form->number;
    if ((s->kind == DAL_SHAPE_TUBE || s->kind == DAL_SHAPE_MESH) && L->record != NULL) {
        return dal_io_fail(L, at, "a mass that depends on a bound value cannot come from a %s", form->type.name);
    }
    s->opacity = 1.0;
    s->scale = s->kind == DAL_SHAPE_MESH ? 1.0 : 0.0;
    DAL_TRY(dal_io_read(L, s, NULL, at, form));
    s->rotation[0] = 1.0;
    if (dal_io_member(&child, at, "frame")) {
        io_real frame[7];
        DAL_TRY(dal_io_frame(L, frame, &child));
        dal_io_store(L, s->position, frame, 3);
        dal_io_store(L, s->rotation, frame + 3, 4);
    }
    DAL_TRY(dal_io_colour(L, s, at));
    DAL_TRY(read_size(L, at, &value, s));
    const dal_status st = dal_shape_check(L->ctx, s);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

static dal_status read_one(io_loader *L, void *item, const io_node *at, void *shapes)
{
    dal_shape *shape = item;
    io_shapes *all = shapes; // those that may have meshes
    all->item = all->n == 0 ? shape : all->item;
    ++all->n;
    return read_shape(L, at, shape);
}

dal_status dal_io_shapes(io_loader *L, io_shapes *shapes, const io_node *at, const char *key)
{
    io_node child;
    void *list;
    int n;
    shapes->item = NULL;
    shapes->n = 0;
    if (!dal_io_member(&child, at, key)) {
        return DAL_OK;
    }
    if (dal_json_is(child.json, DAL_JSON_LIST)) {
        return dal_io_collect(L, &list, &n, at, key, sizeof *shapes->item, read_one, shapes);
    }
    DAL_TAKE(L->scratch, shapes->item, 1);
    shapes->n = 1;
    return read_shape(L, &child, shapes->item);
}

void dal_io_shapes_release(io_shapes *shapes, dal_ctx *ctx)
{
    for (int i = 0; i < shapes->n; ++i) {
        dal_mesh_destroy((dal_mesh *)shapes->item[i].mesh, ctx);
    }
}

/* One more shape, with its density. Tubes and meshes have more numbers than an operation: they are constant. */
static dal_status add_mass(const io_loader *L, const io_node *at, const dal_shape *s, io_real density, io_real sum[13])
{
    io_real x[27];
    if (s->kind == DAL_SHAPE_TUBE || s->kind == DAL_SHAPE_MESH) {
        double now[13];
        dal_shape_mass mass;
        for (int k = 0; k < 13; ++k) {
            now[k] = sum[k].x;
        }
        memcpy(&mass, now, sizeof mass);
        const dal_status st = dal_shape_mass_add(&mass, L->ctx, s, density.x);
        memcpy(now, &mass, sizeof mass);
        for (int k = 0; k < 13; ++k) {
            sum[k] = (io_real){now[k], 0};
        }
        return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
    }
    memcpy(x, sum, 13 * sizeof *x);
    x[13] = (io_real){(double)s->kind, 0};
    dal_io_fetch(L, x + 14, s->position, 3);
    dal_io_fetch(L, x + 17, s->rotation, 4);
    dal_io_fetch(L, x + 21, s->size, 3);
    dal_io_fetch(L, x + 24, &s->radius, 1);
    dal_io_fetch(L, x + 25, &s->length, 1);
    x[26] = density;
    return dal_io_apply(L, sum, at, IO_WEIGH, x);
}

dal_status dal_io_shapes_mass(const io_loader *L, dal_body *body, const io_node *at, const io_shapes *shapes)
{
    io_node child;
    io_real density, sum[13] = {{0.0, 0}};
    static const char *const instead[] = {"mass", "inertia", "com"};
    for (int k = 0; k < LEN(instead); ++k) {
        if (dal_io_member(&child, at, instead[k])) {
            return dal_io_fail(L, &child, "either '%s' as numbers, or a 'density' for the shapes", instead[k]);
        }
    }
    if (shapes->n == 0) {
        return dal_io_fail(L, at, "'density' gives the mass of shapes: add a 'shape'");
    }
    DAL_TRY(dal_io_need(&child, L, at, "density"));
    DAL_TRY(dal_io_number(L, &density, &child));
    for (int i = 0; i < shapes->n; ++i) {
        DAL_TRY(add_mass(L, at, &shapes->item[i], density, sum));
    }
    DAL_TRY(dal_io_apply(L, sum, at, IO_WEIGHED, sum));
    dal_io_store(L, &body->mass, sum, 1);
    dal_io_store(L, body->inertia, sum + 1, 6);
    dal_io_store(L, body->com, sum + 7, 3);
    return DAL_OK;
}

dal_status dal_io_shapes_add(const io_loader *L, const io_node *at, const io_shapes *shapes, int body)
{
    for (int i = 0; i < shapes->n; ++i) {
        const dal_status st = dal_model_add_shape(L->model, body, &shapes->item[i]);
        if (st != DAL_OK) {
            return dal_io_fail_at(L, at, st);
        }
    }
    return DAL_OK;
}
