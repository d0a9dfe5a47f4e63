/* Flexible bodies: beams, or shapes from elsewhere. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "dalembert/flex.h"
#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

io_node dal_io_item(const io_node *at, size_t k)
{
    if (!dal_json_is(at->json, DAL_JSON_OBJECT)) {
        return dal_io_element(at, k);
    }
    const dal_json *member = dal_json_item(at->json, k);
    return (io_node){.json = member, .up = at, .key = member->key, .number = k, .depth = at->depth + 1};
}

static dal_status name_add(io_loader *L, io_names *names, const char *name)
{
    if (names->n == names->capacity) {
        char **before = names->name;
        names->capacity = 2 * names->capacity + 8;
        DAL_TAKE(L->scratch, names->name, names->capacity);
        for (int k = 0; k < names->n; ++k) {
            names->name[k] = before[k];
        }
    }
    DAL_TAKE_TEXT(L->scratch, names->name[names->n], name);
    ++names->n;
    return DAL_OK;
}

dal_status dal_io_node_name(io_loader *L, io_names *names, const io_node *at)
{
    char number[24];
    snprintf(number, sizeof(number), "%zu", at->number + 1);
    const char *name = at->key != NULL ? at->key : number;
    for (int k = 0; k < names->n; ++k) {
        if (strcmp(names->name[k], name) == 0) {
            return dal_io_fail(L, at, "there is already an interface node '%s'", name);
        }
    }
    if (name[0] == '\0' || strlen(name) >= IO_TEXT) {
        return dal_io_fail(L, at, "this cannot be the name of an interface node");
    }
    return name_add(L, names, name);
}

/* ---- beams ------------------------------------------------------------------------------------ */

/* Torsion constant of a rectangle, three digits: a b^3 (1/3 - 0.21 b/a (1 - b^4/(12 a^4))), a >= b. */
static double rectangle_torsion(double p, double q)
{
    const double a = fmax(p, q), b = fmin(p, q), s = b / a;
    return a * b * b * b * (1.0 / 3.0 - 0.21 * s * (1.0 - s * s * s * s / 12.0));
}

static void put_round(dal_beam *beam, double outer, double inner)
{
    const double pi = acos(-1.0), D = outer * outer, d = inner * inner;
    beam->area = pi / 4.0 * (D - d);
    beam->Iy = beam->Iz = pi / 64.0 * (D * D - d * d);
    beam->It = 2.0 * beam->Iy;
}

/* Width along y, height along z, flanges, web */
static void put_i(dal_beam *beam, const double a[4])
{
    const double web = a[1] - 2.0 * a[2];
    beam->area = 2.0 * a[0] * a[2] + web * a[3];
    beam->Iy = (a[0] * a[1] * a[1] * a[1] - (a[0] - a[3]) * web * web * web) / 12.0;
    beam->Iz = (2.0 * a[2] * a[0] * a[0] * a[0] + web * a[3] * a[3] * a[3]) / 12.0;
    beam->It = (2.0 * a[0] * a[2] * a[2] * a[2] + web * a[3] * a[3] * a[3]) / 3.0;
}

/* One of rectangle, circle, tube, i, or area, Iy, Iz and perhaps It. */
dal_status dal_io_settle_section(const io_loader *L, io_beam *data, const io_node *at)
{
    static const char *const words[] = {"rectangle", "circle", "tube", "i"}, *const numbers[] = {"area", "Iy", "Iz",
                                                                                                 "It"};
    const double circle[2] = {data->circle, 0.0}, *const measures[] = {data->rectangle, circle, data->tube, data->i};
    dal_beam *beam = &data->beam;
    io_node child, shape;
    int section = -1;
    for (int k = 0; k < LEN(words); ++k) {
        if (dal_io_member(&child, at, words[k])) {
            if (section >= 0) {
                return dal_io_fail(L, at, "either %s or %s", words[section], words[k]);
            }
            section = k;
            shape = child;
        }
    }
    for (int k = 0; k < LEN(numbers); ++k) {
        const int there = dal_io_member(&child, at, numbers[k]);
        if (there && section >= 0) {
            return dal_io_fail(L, at, "either %s or %s", words[section], numbers[k]);
        }
        if (!there && section < 0 && k < 3) {
            return dal_io_fail(L, at, "'%s' is missing", numbers[k]);
        }
    }
    if (section < 0) {
        return DAL_OK;
    }
    const double *a = measures[section];
    if (!(a[0] > 0.0) || (section == 0 && !(a[1] > 0.0)) || (section == 2 && !(a[1] >= 0.0 && a[1] < a[0])) ||
        (section == 3 && !(a[2] > 0.0 && 2.0 * a[2] < a[1] && a[3] > 0.0 && a[3] <= a[0]))) {
        return dal_io_fail(L, &shape, "these are not the dimensions of a section");
    }
    if (section == 3) {
        put_i(beam, a);
        return DAL_OK;
    }
    if (section > 0) {
        put_round(beam, a[0], a[1]);
        return DAL_OK;
    }
    beam->area = a[0] * a[1];
    beam->Iy = a[0] * a[1] * a[1] * a[1] / 12.0;
    beam->Iz = a[1] * a[0] * a[0] * a[0] / 12.0;
    beam->It = rectangle_torsion(a[0], a[1]);
    return DAL_OK;
}

/* The shear modulus from Poisson's ratio, if that is given. */
dal_status dal_io_settle_shear(const io_loader *L, io_beam *data, const io_node *at)
{
    io_node child;
    if (!dal_io_member(&child, at, "nu")) {
        return DAL_OK;
    }
    if (data->beam.G != 0.0) {
        return dal_io_fail(L, at, "either G or nu");
    }
    if (!(data->nu > -1.0 && data->nu <= 0.5)) {
        return dal_io_fail(L, &child, "nu = %g is not in (-1, 0.5]", data->nu);
    }
    data->beam.G = data->beam.E / (2.0 * (1.0 + data->nu));
    return DAL_OK;
}

/* A list of places, called "1", "2", ..., or an object of places by name; after the ends "A" and "B". */
static dal_status read_stations(io_loader *L, const io_node *at, dal_beam *beam, io_names *names)
{
    io_node child;
    DAL_TRY(name_add(L, names, "A"));
    DAL_TRY(name_add(L, names, "B"));
    if (!dal_io_member(&child, at, "stations")) {
        return DAL_OK;
    }
    const int named = dal_json_is(child.json, DAL_JSON_OBJECT);
    DAL_TRY(named ? DAL_OK : dal_io_list(L, &child, 0, 1000));
    const size_t n = named ? dal_json_members(child.json) : dal_io_length(&child);
    double *place;
    DAL_TAKE(L->scratch, place, n);
    for (size_t k = 0; k < n; ++k) {
        const io_node element = dal_io_item(&child, k);
        DAL_TRY(dal_io_constant(L, &place[k], &element));
        DAL_TRY(dal_io_node_name(L, names, &element));
    }
    beam->stations = place;
    beam->nstations = (int)n;
    return DAL_OK;
}

static dal_status read_beam(io_loader *L, const io_node *at, dal_beam *beam, io_names *names)
{
    io_beam data = {.boundary = 0};
    DAL_TRY(dal_io_read(L, &data, NULL, at, dal_io_form("beam")));
    DAL_TRY(dal_io_settle_shear(L, &data, at));
    DAL_TRY(dal_io_settle_section(L, &data, at));
    *beam = data.beam;
    beam->reference = dal_io_boundaries[data.boundary];
    return read_stations(L, at, beam, names);
}

/* ---- the body --------------------------------------------------------------------------------- */

/* Initial modal coordinates and velocities, one for each mode. */
static dal_status read_modal(io_loader *L, const io_node *at, int n, double *list[2])
{
    static const char *const keys[2] = {"modal", "modal_velocity"};
    io_node child;
    for (int k = 0; k < 2; ++k) {
        if (!dal_io_member(&child, at, keys[k])) {
            continue;
        }
        DAL_TAKE(L->scratch, list[k], n);
        DAL_TRY(n > IO_LIVE_LIST ? dal_io_must_be_fixed(L, &child, "there are too many modes") : DAL_OK);
        DAL_TRY(dal_io_list(L, &child, (size_t)n, (size_t)n));
        for (int i = 0; i < n; ++i) {
            const io_node element = dal_io_element(&child, (size_t)i);
            io_real x;
            DAL_TRY(dal_io_number(L, &x, &element));
            dal_io_store(L, &list[k][i], &x, 1);
        }
    }
    return DAL_OK;
}

/* Shapes in the frame of the body, beside its nodes. */
static dal_status add_shapes(io_loader *L, const io_node *at, int body)
{
    io_shapes shapes;
    dal_status st = dal_io_shapes(L, &shapes, at, "shape");
    st = st == DAL_OK ? dal_io_shapes_add(L, at, &shapes, body) : st;
    dal_io_shapes_release(&shapes, L->ctx);
    return st;
}

static dal_status add_with(io_loader *L, const io_node *at, const io_type *type, const dal_modes *modes)
{
    char name[IO_TEXT];
    io_texts texts;
    io_node child;
    double *modal[2] = {NULL, NULL};
    dal_flexible body = {.name = name, .modes = modes, .rotation = {1.0, 0.0, 0.0, 0.0}};
    DAL_TRY(dal_io_need(&child, L, at, "name"));
    DAL_TRY(dal_io_name(L, name, &child));
    if (L->record != NULL) {
        L->number = dal_model_find_body(L->model, name);
    }
    DAL_TRY(dal_io_values(L, &body, &texts, at, type));
    DAL_TRY(dal_io_body_pose(L, body.position, body.rotation, body.velocity, at, type));
    DAL_TRY(dal_io_world_spin(L, body.angular_velocity, at, body.rotation));
    body.given = dal_io_given(at);
    const int n = modes != NULL ? modes->nmodes : dal_model_modes(L->model, NULL, NULL, L->number);
    DAL_TRY(read_modal(L, at, n, modal));
    body.modal = modal[0];
    body.modal_velocity = modal[1];
    DAL_TRY(dal_io_add_flexible(L, at, &body));
    return L->record == NULL ? add_shapes(L, at, L->number) : DAL_OK;
}

static dal_status add_beam(io_loader *L, const io_node *at, const io_type *type, const io_node *data)
{
    dal_beam beam = {.length = 0.0};
    dal_modes *modes = NULL;
    io_names names = {0};
    DAL_TRY(read_beam(L, data, &beam, &names));
    dal_status st = dal_beam_modes_create(&modes, L->ctx, &beam);
    if (st != DAL_OK) {
        return dal_io_fail_at(L, data, st);
    }
    dal_modes named = *modes;
    named.interface_name = (const char *const *)names.name;
    st = add_with(L, at, type, &named);
    dal_beam_modes_destroy(modes);
    return st;
}

static dal_status add_modes(io_loader *L, const io_node *at, const io_type *type, const io_node *data, int file)
{
    io_modes m = {.modes = {.nnodes = 0}};
    DAL_TRY(file ? dal_io_modes_file(L, &m, data) : dal_io_modes(L, &m, data));
    return add_with(L, at, type, &m.modes);
}

static dal_status add_fem(io_loader *L, const io_node *at, const io_type *type, const io_node *data)
{
    const dal_modes *modes = NULL;
    DAL_TRY(dal_io_fem(L, &modes, data));
    DAL_TRY(add_with(L, at, type, modes));
    L->doc->reductions->body = L->number;
    return DAL_OK;
}

dal_status dal_io_flexible(io_loader *L, const io_node *at, const io_type *type)
{
    static const char fixed[] = "the shapes of a flexible body are found when it is compiled";
    static const char *const keys[] = {"beam", "modes", "modes_file", "flexible"};
    io_node data, child;
    int which = -1, given = 0;
    DAL_TRY(dal_io_object_of(L, at, "a flexible body", "type", type));
    for (int k = 0; k < LEN(keys); ++k) {
        if (dal_io_member(&child, at, keys[k])) {
            data = child;
            which = k;
            ++given;
        }
    }
    if (given != 1) {
        return dal_io_fail(L, at, "a flexible body has one of beam, modes, modes_file, flexible");
    }
    if (L->record != NULL) {
        DAL_TRY(dal_io_must_be_fixed(L, &data, fixed));
        return add_with(L, at, type, NULL);
    }
    return which == 0   ? add_beam(L, at, type, &data)
           : which == 3 ? add_fem(L, at, type, &data)
                        : add_modes(L, at, type, &data, which == 2);
}
