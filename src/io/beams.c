/* The list `beams`: geometrically exact beams, with their curves, sections, joins and loads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/beams.h"
#include "lie/mat3.h"

/* ---- sections --------------------------------------------------------------------------------- */

/* A number, or `least` to `most` of them; *n: how many, 0 where the key is missing. */
static dal_status read_some(const io_loader *L, const io_node *at, const char *key, double x[3], int least, int most,
                            int *n)
{
    io_node child;
    *n = 0;
    if (!dal_io_member(&child, at, key)) {
        return DAL_OK;
    }
    if (!dal_json_is(child.json, DAL_JSON_LIST)) {
        *n = 1;
        return dal_io_constant(L, x, &child);
    }
    DAL_TRY(dal_io_list(L, &child, (size_t)least, (size_t)most));
    *n = (int)dal_io_length(&child);
    return dal_io_constants(L, x, &child, *n);
}

static dal_status read_matrix(const io_loader *L, const io_node *at, const char *key, double A[36], int *there)
{
    io_node child;
    *there = dal_io_member(&child, at, key);
    if (!*there) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_list(L, &child, 6, 6));
    for (size_t i = 0; i < 6; ++i) {
        const io_node row = dal_io_element(&child, i);
        double x[6];
        DAL_TRY(dal_io_constants(L, x, &row, 6));
        for (size_t j = 0; j < 6; ++j) {
            A[i + 6 * j] = x[j];
        }
    }
    return DAL_OK;
}

/* Width and height of what is drawn, whether it is round, flanges and web of a profile "i". */
typedef struct looks {
    double y, z;
    int round;
    double flange, web;
} looks;

static dal_status profile_section(const io_loader *L, const io_node *at, io_section *s, dal_section *to, looks *look)
{
    io_node child;
    io_beam *b = &s->profile;
    if (dal_io_member(&child, at, "EA") || dal_io_member(&child, at, "stiffness")) {
        return dal_io_fail(L, at, "either a profile, or stiffnesses as numbers or as a matrix");
    }
    if (!dal_io_member(&child, at, "G") && !dal_io_member(&child, at, "nu")) {
        return dal_io_fail(L, at, "'G' or 'nu' is missing");
    }
    DAL_TRY(dal_io_need(&child, L, at, "E"));
    DAL_TRY(dal_io_settle_shear(L, b, at));
    DAL_TRY(dal_io_settle_section(L, b, at));
    dal_profile p = {.E = b->beam.E,
                     .G = b->beam.G,
                     .density = b->beam.density,
                     .area = b->beam.area,
                     .I2 = b->beam.Iy,
                     .I3 = b->beam.Iz,
                     .torsion = b->beam.It,
                     .shear_2 = b->beam.shear_y,
                     .shear_3 = b->beam.shear_z,
                     .damping = s->damping,
                     .centre = {s->centre[0], s->centre[1]}};
    const double web = b->i[3] * b->i[1] / b->beam.area, flanges = b->i[0] * b->i[2] / b->beam.area * 5.0 / 3.0;
    const double factor[2] = {b->circle > 0.0    ? 0.9
                              : b->tube[0] > 0.0 ? 0.5
                              : b->i[0] > 0.0    ? flanges
                                                 : 0.0,
                              b->circle > 0.0    ? 0.9
                              : b->tube[0] > 0.0 ? 0.5
                              : b->i[0] > 0.0    ? web
                                                 : 0.0};
    p.shear_2 = p.shear_2 != 0.0 ? p.shear_2 : factor[0];
    p.shear_3 = p.shear_3 != 0.0 ? p.shear_3 : factor[1];
    *to = dal_section_of(&p);
    look->round = b->circle > 0.0 || b->tube[0] > 0.0;
    const double round = b->circle > 0.0 ? b->circle : b->tube[0];
    look->y = look->round             ? round
              : b->rectangle[0] > 0.0 ? b->rectangle[0]
              : b->i[0] > 0.0         ? b->i[0]
                                      : sqrt(12.0 * p.I3 / p.area);
    look->z = look->round             ? round
              : b->rectangle[0] > 0.0 ? b->rectangle[1]
              : b->i[0] > 0.0         ? b->i[1]
                                      : sqrt(12.0 * p.I2 / p.area);
    look->flange = b->i[2];
    look->web = b->i[3];
    return DAL_OK;
}

/* Corners of what is drawn, counterclockwise from the middle of the right side, as many for all profiles. */
enum { CORNERS = 16 };
static void outline_of(double *yz, const looks *look, double thin)
{
    const double y = 0.5 * look->y, z = 0.5 * look->z;
    for (int k = 0; k < CORNERS; ++k) {
        const double angle = 2.0 * 3.14159265358979323846 * k / CORNERS;
        // the right half of an "i" from its middle up: web, flange; the others by symmetry
        const double w = 0.5 * look->web, f = z - look->flange,
                     quarter[5][2] = {{w, 0.0}, {w, f}, {y, f}, {y, z}, {0.0, z}},
                     box[5][2] = {{y, 0.0}, {y, 0.5 * z}, {y, z}, {0.5 * y, z}, {0.0, z}};
        const int side = k / 4, at = side % 2 == 0 ? k % 4 : 4 - k % 4;
        const double *corner = look->web > 0.0 ? quarter[at] : box[at], right = side == 0 || side == 3 ? 1.0 : -1.0,
                     up = side < 2 ? 1.0 : -1.0;
        const double r = y > 0.0 ? y : thin;
        yz[2 * k] = look->round ? r * cos(angle) : right * corner[0];
        yz[2 * k + 1] = look->round ? r * sin(angle) : up * corner[1];
    }
}

/* EA, GA, GJ, EI, rhoA, rhoI */
static dal_status number_section(const io_loader *L, const io_node *at, const io_section *s, dal_section *to)
{
    double GA[3] = {0.0}, EI[3] = {0.0}, rhoI[3] = {0.0};
    int nGA = 1, nEI = 1, nrhoI = 0;
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "GA"));
    DAL_TRY(dal_io_need(&child, L, at, "GJ"));
    DAL_TRY(dal_io_need(&child, L, at, "EI"));
    DAL_TRY(read_some(L, at, "GA", GA, 2, 2, &nGA));
    DAL_TRY(read_some(L, at, "EI", EI, 2, 2, &nEI));
    DAL_TRY(read_some(L, at, "rhoI", rhoI, 3, 3, &nrhoI));
    const double K[6] = {s->EA, GA[0], GA[nGA - 1], s->GJ, EI[0], EI[nEI - 1]};
    const double J[3] = {nrhoI == 1 ? 2.0 * rhoI[0] : rhoI[0], nrhoI == 1 ? rhoI[0] : rhoI[1],
                         nrhoI == 1 ? rhoI[0] : rhoI[2]};
    for (int k = 0; k < 6; ++k) {
        to->stiffness[7 * k] = K[k];
        to->mass[7 * k] = k < 3 ? s->rhoA : J[k - 3];
    }
    return DAL_OK;
}

static dal_status read_section(io_loader *L, const io_node *at, dal_section *to, looks *look)
{
    io_section s;
    int full, heavy, damped;
    io_node child;
    memset(&s, 0, sizeof s);
    memset(to, 0, sizeof *to);
    *look = (looks){.round = 1};
    DAL_TRY(dal_io_read(L, &s, NULL, at, dal_io_form("section")));
    static const char *const profiles[] = {"rectangle", "circle", "tube", "i", "area"};
    int profile = 0;
    for (size_t k = 0; k < sizeof profiles / sizeof *profiles; ++k) {
        profile |= dal_io_member(&child, at, profiles[k]);
    }
    DAL_TRY(read_matrix(L, at, "stiffness", to->stiffness, &full));
    if (profile) {
        DAL_TRY(profile_section(L, at, &s, to, look));
    } else if (!full) {
        if (!dal_io_member(&child, at, "EA")) {
            return dal_io_fail(
                L, at,
                "a section needs a profile (rectangle, circle, tube, i, area), EA, GA, GJ and EI, or a stiffness");
        }
        DAL_TRY(number_section(L, at, &s, to));
    }
    DAL_TRY(read_matrix(L, at, "mass", to->mass, &heavy));
    for (int k = 0; k < 36; ++k) {
        to->damping[k] = s.damping * to->stiffness[k];
    }
    return read_matrix(L, at, "damping_matrix", to->damping, &damped);
}

/* One section, or a list of them. */
static dal_status read_sections(io_loader *L, const io_node *at, dal_exact_beam *beam, looks *look, double thin)
{
    io_node child;
    dal_section *list;
    double *outline;
    DAL_TRY(dal_io_need(&child, L, at, "section"));
    const int many = dal_json_is(child.json, DAL_JSON_LIST);
    DAL_TRY(many ? dal_io_list(L, &child, 1, 10000) : DAL_OK);
    beam->nsections = many ? (int)dal_io_length(&child) : 1;
    DAL_TAKE(L->scratch, list, beam->nsections);
    DAL_TAKE(L->scratch, outline, 2 * CORNERS * beam->nsections);
    for (int k = 0; k < beam->nsections; ++k) {
        const io_node one = many ? dal_io_element(&child, (size_t)k) : child;
        DAL_TRY(read_section(L, &one, &list[k], look));
        outline_of(outline + (size_t)(2 * CORNERS * k), look, thin);
    }
    beam->section = list;
    beam->outline = outline;
    beam->noutline = CORNERS;
    return DAL_OK;
}

/* ---- curves ----------------------------------------------------------------------------------- */

static double norm3(const double x[3])
{
    return sqrt(dot3(x, x));
}

/* Section axes with axis 1 along t and axis 2 as near as possible to `hint`; without one axis 3 is near z, or axis 2 is x */
static int section_axes(double p[4], const double t[3], const double hint[3])
{
    double R[9], *y = R + 3, n = norm3(t), z[3] = {0.0, 0.0, 1.0};
    if (!(n > 0.0)) {
        return 0;
    }
    for (int i = 0; i < 3; ++i) {
        R[i] = t[i] / n;
    }
    for (int trial = 0; trial < 3; ++trial) {
        if (trial == 0) {
            memcpy(y, hint, 3 * sizeof(double));
        } else if (trial == 1) {
            cross3(y, z, R);
        } else {
            y[0] = 1.0, y[1] = y[2] = 0.0;
        }
        const double along = dot3(y, R), size = norm3(y);
        for (int i = 0; i < 3; ++i) {
            y[i] -= along * R[i];
        }
        n = norm3(y);
        if (n > 1e-8 * size && size > 0.0 && n > 1e-12) {
            break;
        }
    }
    for (int i = 0; i < 3; ++i) {
        y[i] /= n;
    }
    cross3(R + 6, R, y);
    dal_quat_from_matrix(p, R);
    return 1;
}

static dal_status read_arc(io_loader *L, const io_node *at, const io_slender *d, dal_curve *c)
{
    static const double x[3] = {1.0, 0.0, 0.0};
    io_arc arc = {0.0, 0.0};
    DAL_TRY(dal_io_read(L, &arc, NULL, at, dal_io_form("arc")));
    if (!(arc.radius > 0.0) || !(arc.angle > 0.0)) {
        return dal_io_fail(L, at, "an arc has a positive radius and a positive angle");
    }
    c->length = arc.radius * arc.angle;
    c->curvature[2] = 1.0 / arc.radius;
    (void)section_axes(c->rotation, norm3(d->tangent) > 0.0 ? d->tangent : x, d->axis_2);
    return DAL_OK;
}

/* Frenet's frame: axis 2 to the axis of the helix, curvature and torsion constant */
static dal_status read_helix(io_loader *L, const io_node *at, const io_slender *d, dal_curve *c)
{
    const double pi = 3.14159265358979323846;
    io_helix h = {.axis = {0.0, 0.0, 1.0}};
    double N[3], t[3], n, p[4], e[3];
    DAL_TRY(dal_io_read(L, &h, NULL, at, dal_io_form("helix")));
    n = norm3(h.axis);
    if (!(h.radius > 0.0) || !(h.turns > 0.0) || !(n > 0.0) || !isfinite(h.pitch)) {
        return dal_io_fail(L, at,
                           "a helix has a positive radius, a positive number of turns, a finite pitch and an axis");
    }
    for (int i = 0; i < 3; ++i) {
        e[i] = h.axis[i] / n;
    }
    double hint[3] = {d->axis_2[0], d->axis_2[1], d->axis_2[2]};
    if (norm3(hint) == 0.0) {
        hint[fabs(e[0]) < 0.9 ? 0 : 1] = -1.0;
    }
    const double along = dot3(hint, e);
    for (int i = 0; i < 3; ++i) {
        N[i] = hint[i] - along * e[i];
    }
    n = norm3(N);
    if (!(n > 1e-8 * norm3(hint))) {
        return dal_io_fail(L, at, "axis_2 goes from the start to the axis of the helix; it cannot be along that axis");
    }
    const double r = h.radius, b = h.pitch / (2.0 * pi), q = r * r + b * b;
    cross3(t, N, e);
    for (int i = 0; i < 3; ++i) {
        t[i] = r * t[i] / n + b * e[i];
    }
    (void)section_axes(p, t, N);
    memcpy(c->rotation, p, sizeof p);
    c->length = 2.0 * pi * h.turns * sqrt(q);
    c->curvature[0] = b / q;
    c->curvature[2] = r / q;
    return DAL_OK;
}

static dal_status read_points(io_loader *L, const io_node *at, dal_curve *c, double **points)
{
    double *x;
    DAL_TRY(dal_io_list(L, at, 2, 100000));
    const size_t n = dal_io_length(at);
    DAL_TAKE(L->scratch, x, 3 * n);
    for (size_t k = 0; k < n; ++k) {
        const io_node element = dal_io_element(at, k);
        io_real y[3];
        DAL_TRY(dal_io_vector(L, y, &element));
        for (size_t i = 0; i < 3; ++i) {
            x[3 * k + i] = y[i].x;
        }
    }
    c->point = *points = x;
    c->npoints = (int)n;
    return DAL_OK;
}

static dal_status read_curve(io_loader *L, const io_node *at, const io_slender *d, dal_curve *c, double **points)
{
    static const char *const words[] = {"to", "points", "arc", "helix"};
    io_node child = *at, one;
    int which = -1;
    for (int k = 0; k < 4; ++k) {
        if (dal_io_member(&one, at, words[k])) {
            if (which >= 0) {
                return dal_io_fail(L, at, "either %s or %s", words[which], words[k]);
            }
            which = k;
            child = one;
        }
    }
    if (which < 0) {
        return dal_io_fail(L, at, "how does it go? One of 'to' (straight), 'points', 'arc' or 'helix' is missing");
    }
    memcpy(c->position, d->from, sizeof c->position);
    memcpy(c->axis_2, d->axis_2, sizeof c->axis_2);
    c->twist = d->twist;
    if (which == 1) {
        return read_points(L, &child, c, points);
    }
    if (which > 1) {
        return which == 2 ? read_arc(L, &child, d, c) : read_helix(L, &child, d, c);
    }
    const double t[3] = {d->to[0] - d->from[0], d->to[1] - d->from[1], d->to[2] - d->from[2]};
    c->length = norm3(t);
    return section_axes(c->rotation, t, d->axis_2) ? DAL_OK : dal_io_fail(L, &child, "it ends where it starts");
}

/* For looks */
static double rough_length(const dal_curve *c)
{
    double sum = c->npoints > 0 ? 0.0 : c->length;
    for (int i = 1; i < c->npoints; ++i) {
        const double *x = c->point + (size_t)(3 * i), d[3] = {x[0] - x[-3], x[1] - x[-2], x[2] - x[-1]};
        sum += norm3(d);
    }
    return sum;
}

/* ---- loads ------------------------------------------------------------------------------------ */

static dal_status read_load(io_loader *L, void *load, const io_node *at, void *user)
{
    dal_beam_load *to = load;
    (void)user;
    io_line_load d = {0, 0};
    io_node child;
    double *x;
    DAL_TRY(dal_io_read(L, &d, NULL, at, dal_io_form("line_load")));
    DAL_TRY(dal_io_need(&child, L, at, "vector"));
    DAL_TRY(dal_io_list(L, &child, 1, 100000));
    const io_node first = dal_io_element(&child, 0);
    const int many = dal_json_is(first.json, DAL_JSON_LIST), n = many ? (int)dal_io_length(&child) : 1;
    DAL_TAKE(L->scratch, x, 3 * n);
    for (int k = 0; k < n; ++k) {
        const io_node one = many ? dal_io_element(&child, (size_t)k) : child;
        io_real y[3];
        DAL_TRY(dal_io_vector(L, y, &one));
        DAL_TRY(d.follower ? DAL_OK : dal_io_turned(L, y, &one));
        for (int i = 0; i < 3; ++i) {
            x[3 * k + i] = y[i].x;
        }
    }
    *to = (dal_beam_load){x, n, d.follower, d.function};
    return DAL_OK;
}

static dal_status read_loads(io_loader *L, const io_node *at, dal_exact_beam *beam)
{
    void *list;
    DAL_TRY(dal_io_collect(L, &list, &beam->nloads, at, "loads", sizeof *beam->load, read_load, NULL));
    beam->load = list;
    return DAL_OK;
}

/* ---- in a part -------------------------------------------------------------------------------- */

/* A curve of a part, in the world. */
static dal_status place_curve(const io_loader *L, const io_node *at, dal_curve *c, double *point)
{
    static const io_node nowhere = {.json = NULL};
    io_real x[7] = {{0.0, 0}}, pose[7];
    int given = 0;
    DAL_TRY(dal_io_reference(L, pose, &given, &nowhere));
    if (!given) {
        return DAL_OK;
    }
    if (c->npoints > 0 && !(norm3(c->axis_2) > 0.0)) { // else section axes would go by the z axis of the world
        return dal_io_fail(L, at, "in a part that has a place a beam along points needs its 'axis_2'");
    }
    for (int k = 0; k < c->npoints; ++k) {
        dal_io_fetch(L, x, point + (ptrdiff_t)(3 * k), 3);
        x[3] = (io_real){1.0, 0};
        x[4] = x[5] = x[6] = (io_real){0.0, 0};
        DAL_TRY(dal_io_placed(L, x, &nowhere));
        dal_io_store(L, point + (ptrdiff_t)(3 * k), x, 3);
    }
    DAL_TRY(dal_io_turn_field(L, c->axis_2, at));
    if (c->npoints > 0) {
        return DAL_OK;
    }
    dal_io_fetch(L, x, c->position, 3);
    dal_io_fetch(L, x + 3, c->rotation, 4);
    DAL_TRY(dal_io_placed(L, x, &nowhere));
    dal_io_store(L, c->position, x, 3);
    dal_io_store(L, c->rotation, x + 3, 4);
    return DAL_OK;
}

/* ---- beams ------------------------------------------------------------------------------------ */

/* The piece of the beam that a node stands for, for contact. */
static dal_status draw(io_loader *L, const io_node *at, const looks *look, int number)
{
    const dal_beam_info info = dal_model_beam_info(L->model, number);
    const double thin = info.length / 200.0;
    for (int i = 0; i < info.nodes; ++i) {
        double s, before = 0.0, after = 1.0;
        const int body = dal_model_beam_node(L->model, &s, number, i);
        (void)dal_model_beam_node(L->model, &before, number, i - 1);
        (void)dal_model_beam_node(L->model, &after, number, i + 1);
        before = i > 0 ? 0.5 * (before + s) : s;
        after = i < info.nodes - 1 ? 0.5 * (s + after) : s;
        const double length = info.length * (after - before);
        char node[IO_TEXT];
        snprintf(node, sizeof node, "%s@", info.name);
        if (body == 0 || strncmp(dal_model_body_name(L->model, body), node, strlen(node)) != 0) {
            continue; // the ground, or a node of another beam
        }
        dal_shape shape = {.swept = 1, .position = {info.length * (0.5 * (before + after) - s), 0.0, 0.0}};
        DAL_TRY(dal_io_colour(L, &shape, at));
        if (look->round) {
            shape.kind = DAL_SHAPE_CYLINDER;
            shape.radius = look->y > 0.0 ? 0.5 * look->y : thin;
            shape.length = length;
            shape.rotation[0] = shape.rotation[2] = sqrt(0.5); // z to x
        } else {
            shape.kind = DAL_SHAPE_BOX;
            shape.size[0] = length;
            shape.size[1] = look->y;
            shape.size[2] = look->z;
        }
        DAL_TRY(dal_model_add_shape(L->model, body, &shape));
    }
    return DAL_OK;
}

dal_status dal_io_beam(io_loader *L, const io_node *at)
{
    io_slender d = {.elements = 8, .order = 4};
    io_texts texts;
    looks look = {.round = 1};
    dal_curve curve = {.length = 0.0};
    dal_exact_beam beam = {.curve = &curve};
    double *points = NULL, *places;
    DAL_TRY(dal_io_must_be_fixed(L, at, "the mesh of a beam is made when the model is compiled"));
    if (L->record != NULL) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_read(L, &d, &texts, at, dal_io_form("slender")));
    if (dal_io_beam_done(L, d.name)) {
        return DAL_OK;
    }
    beam.name = d.name;
    if (d.order < 1 || d.elements < 1) {
        return dal_io_fail(L, at, "order and elements are 1 at least");
    }
    DAL_TRY(read_curve(L, at, &d, &curve, &points));
    DAL_TRY(place_curve(L, at, &curve, points));
    DAL_TRY(dal_io_turn_field(L, d.velocity, at));
    DAL_TRY(dal_io_turn_field(L, d.angular_velocity, at));
    DAL_TRY(read_sections(L, at, &beam, &look, rough_length(&curve) / 200.0));
    DAL_TRY(dal_io_beam_joins(L, &beam, at));
    DAL_TRY(read_loads(L, at, &beam));
    DAL_TRY(dal_io_beam_slides(L, &beam, at));
    DAL_TRY(dal_io_beam_places(L, &places, &beam.nplaces, at, d.name));
    beam.elements = d.elements;
    beam.order = d.order;
    beam.fourth_order = d.fourth_order;
    beam.consistent = d.consistent;
    beam.places = places;
    memcpy(beam.velocity, d.velocity, sizeof beam.velocity);
    memcpy(beam.angular_velocity, d.angular_velocity, sizeof beam.angular_velocity);
    beam.given = dal_io_given(at);
    int number;
    const dal_status st = dal_model_add_beam(L->model, &number, &beam);
    return st == DAL_OK ? draw(L, at, &look, number) : dal_io_fail_at(L, at, st);
}
