/* SDF: links at places of the model, joints between any two of them. Values are texts of elements. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/lie.h"
#include "import/import_impl.h"

typedef struct sd_reader {
    im_reader *R;
    const im_element *model;
    im_pose place; /* of the model */
    double version;
} sd_reader;

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* The text of a child, without blanks around it; NULL: there is none. */
static const char *word(im_reader *R, const im_element *at, const char *child)
{
    const im_element *e = im_child(at, child, NULL);
    char text[2 * IM_NAME];
    if (e == NULL) {
        return NULL;
    }
    const char *p = e->text;
    while (isspace((unsigned char)*p)) {
        ++p;
    }
    int n = snprintf(text, sizeof text, "%s", p);
    n = n < (int)sizeof text ? n : (int)sizeof text - 1;
    while (n > 0 && isspace((unsigned char)text[n - 1])) {
        --n;
    }
    text[n] = '\0';
    return im_copy(R, text);
}

static int numbers(im_reader *R, const im_element *at, const char *child, double *x, int n)
{
    const im_element *e = im_child(at, child, NULL);
    return e != NULL ? im_numbers(R, e, child, e->text, x, n, n) : 0;
}

static double number(im_reader *R, const im_element *at, const char *child, double otherwise)
{
    (void)numbers(R, at, child, &otherwise, 1);
    return otherwise;
}

static int flag(im_reader *R, const im_element *at, const char *child)
{
    const char *text = word(R, at, child);
    return text != NULL && (is(text, "1") || is(text, "true"));
}

/* ---- places ----------------------------------------------------------------------------------- */

static im_pose own_pose(im_reader *R, const im_element *at)
{
    const im_element *e = im_child(at, "pose", NULL);
    const char *degrees = im_attribute(e, "degrees"), *format = im_attribute(e, "rotation_format");
    im_pose X = im_here;
    double x[7] = {0.0};
    if (e == NULL || im_numbers(R, e, "pose", e->text, x, 0, 7) == 0) {
        return X;
    }
    memcpy(X.p, x, sizeof X.p);
    if (format != NULL && is(format, "quat_xyzw")) {
        memcpy(X.q, (const double[4]){x[6], x[3], x[4], x[5]}, sizeof X.q);
        im_unit(X.q);
        return X;
    }
    const double unit =
        degrees != NULL && (is(degrees, "true") || is(degrees, "1")) ? 3.14159265358979323846 / 180.0 : 1.0;
    im_from_rpy(X.q, (const double[3]){unit * x[3], unit * x[4], unit * x[5]});
    return X;
}

/* What the pose of an element is given in; NULL: the model. */
static const char *base_of(im_reader *R, const im_element *at)
{
    const im_element *e = im_child(at, "pose", NULL);
    const char *name = im_attribute(e, "relative_to");
    name = name != NULL && name[0] == '\0' ? NULL : name;
    if (name == NULL && is(at->name, "frame")) {
        name = im_attribute(at, "attached_to");
    } else if (name == NULL && is(at->name, "joint")) {
        name = word(R, at, "child");
    }
    return name != NULL && (is(name, "__model__") || is(name, "world") || name[0] == '\0') ? NULL : name;
}

static const im_element *frame_named(const sd_reader *S, const char *name)
{
    for (const im_element *e = NULL; (e = im_child(S->model, NULL, e)) != NULL;) {
        const char *own = im_attribute(e, "name");
        if (own != NULL && is(own, name) && (is(e->name, "link") || is(e->name, "frame") || is(e->name, "joint"))) {
            return e;
        }
    }
    return NULL;
}

/* In the model. */
static im_pose place_of(const sd_reader *S, const im_element *at)
{
    im_pose X = own_pose(S->R, at);
    const im_element *start = at;
    for (int n = 0; at != NULL && S->R->st == DAL_OK; ++n) {
        const char *name = base_of(S->R, at);
        at = name != NULL ? frame_named(S, name) : NULL;
        if (name != NULL && (at == NULL || n > 1000)) {
            im_fail(S->R, start, at == NULL ? "there is no frame '%.100s'" : "frame '%.100s' is given in itself", name);
        } else if (at != NULL) {
            const im_pose base = own_pose(S->R, at);
            im_compose(&X, &base, &X);
        }
    }
    return X;
}

/* ---- links ------------------------------------------------------------------------------------ */

static void read_inertial(im_reader *R, im_link *l, const im_element *at)
{
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const im_element *inertia = im_child(at, "inertia", NULL);
    const im_pose X = own_pose(R, at);
    l->m = number(R, at, "mass", 1.0); // as the format says
    for (int k = 0; k < 6; ++k) {
        l->J[k] = number(R, inertia, names[k], k < 3 ? 1.0 : 0.0);
    }
    memcpy(l->c, X.p, sizeof l->c);
    im_turn_inertia(l->J, X.q);
}

static void read_visual(im_reader *R, im_link *l, const im_element *at)
{
    static const struct {
        const char *name;
        dal_shape_kind kind;
    } kinds[] = {{"box", DAL_SHAPE_BOX},         {"sphere", DAL_SHAPE_SPHERE},       {"cylinder", DAL_SHAPE_CYLINDER},
                 {"capsule", DAL_SHAPE_CAPSULE}, {"ellipsoid", DAL_SHAPE_ELLIPSOID}, {"mesh", DAL_SHAPE_MESH}};
    const im_element *g = im_child(im_child(at, "geometry", NULL), NULL, NULL), *paint = im_child(at, "material", NULL);
    const im_pose X = own_pose(R, at);
    size_t k = 0;
    while (g != NULL && k < sizeof kinds / sizeof kinds[0] && !is(kinds[k].name, g->name)) {
        ++k;
    }
    if (g == NULL || k == sizeof kinds / sizeof kinds[0]) {
        return; // a plane
    }
    double scale[3] = {1.0, 1.0, 1.0};
    numbers(R, g, "scale", scale, 3);
    const char *uri = word(R, g, "uri");
    im_shape *s = kinds[k].kind != DAL_SHAPE_MESH ? im_add_shape(R, &l->shapes)
                  : uri != NULL ? im_add_mesh(R, &l->shapes, uri, im_folder_of(R, R->path), scale, NULL)
                                : NULL;
    if (s == NULL) {
        return;
    }
    dal_shape *d = &s->shape;
    d->kind = kinds[k].kind;
    numbers(R, g, d->kind == DAL_SHAPE_BOX ? "size" : "radii", d->size, 3);
    d->radius = number(R, g, "radius", 0.0);
    d->length = number(R, g, "length", 0.0);
    memcpy(d->position, X.p, sizeof X.p);
    memcpy(d->rotation, X.q, sizeof X.q);
    const im_element *colour = im_child(paint, "diffuse", NULL);
    colour = colour != NULL ? colour : im_child(paint, "ambient", NULL);
    if (colour != NULL) {
        im_colour(R, d, colour, colour->text);
    }
}

/* Mechanics of links that are not read. */
static void tell_mechanics(im_reader *R, const im_element *at, const char *link)
{
    const im_element *decay = im_child(at, "velocity_decay", NULL), *inertial = im_child(at, "inertial", NULL);
    const char *by_shapes = im_attribute(inertial, "auto");
    if (number(R, decay, "linear", 0.0) != 0.0 || number(R, decay, "angular", 0.0) != 0.0) {
        im_tell(R, 1, "velocity_decay of links", link);
    }
    if (flag(R, at, "enable_wind")) {
        im_tell(R, 1, "wind on links", link);
    }
    if (flag(R, at, "kinematic")) {
        im_tell(R, 1, "links that are moved, not pushed (kinematic)", link);
    }
    if (im_child(inertial, "fluid_added_mass", NULL) != NULL) {
        im_tell(R, 1, "added mass of the water around links", link);
    }
    if (by_shapes != NULL && (is(by_shapes, "true") || is(by_shapes, "1"))) {
        im_tell(R, 1, "mass of links from their shapes for collisions", link);
    }
}

static void read_link(const sd_reader *S, const im_element *at)
{
    im_reader *R = S->R;
    const char *gravity = word(R, at, "gravity");
    im_link *l = im_add_link(R, at, im_needed(R, at, "name"));
    const im_pose X = place_of(S, at);
    im_compose(&l->place, &S->place, &X);
    read_inertial(R, l, im_child(at, "inertial", NULL));
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(at, NULL, e)) != NULL;) {
        if (is(e->name, "visual")) {
            read_visual(R, l, e);
        } else if (is(e->name, "collision")) {
            im_tell(R, 0, "shapes for collisions: nothing collides in the model", l->name);
        } else if (!im_is_in(e->name, " pose inertial gravity velocity_decay enable_wind kinematic ")) {
            im_tell(R, 0, "what is meant for other programs", e->name);
        }
    }
    tell_mechanics(R, at, l->name);
    if (gravity != NULL && (is(gravity, "0") || is(gravity, "false"))) {
        im_tell(R, 1, "links without gravity", l->name);
    }
}

/* ---- joints ----------------------------------------------------------------------------------- */

/* The axis in the frame of the joint. */
static void read_axis(const sd_reader *S, const im_element *joint, const im_element *axis, const im_pose *frame,
                      double z[3])
{
    im_reader *R = S->R;
    const im_element *xyz = im_child(axis, "xyz", NULL);
    const char *in = im_attribute(xyz, "expressed_in");
    double given[3] = {0.0, 0.0, 1.0}, y[3];
    numbers(R, axis, "xyz", given, 3);
    if (given[0] == 0.0 && given[1] == 0.0 && given[2] == 0.0) {
        im_fail(R, joint, "the axis of joint '%.100s' is zero", im_needed(R, joint, "name"));
    }
    if (!flag(R, axis, "use_parent_model_frame") && (in == NULL || in[0] == '\0')) {
        memcpy(z, given, sizeof given);
        return;
    }
    im_pose base = im_here; // the model
    if (in != NULL && in[0] != '\0' && !is(in, "__model__")) {
        const im_element *e = frame_named(S, in);
        if (e == NULL) {
            im_fail(R, joint, "there is no frame '%.100s'", in);
            return;
        }
        base = place_of(S, e);
    }
    dal_quat_rotate(y, base.q, given);
    dal_quat_rotate(z, (const double[4]){frame->q[0], -frame->q[1], -frame->q[2], -frame->q[3]}, y);
}

static void read_dynamics(im_reader *R, im_joint *j, const im_element *axis)
{
    const im_element *limit = im_child(axis, "limit", NULL), *dynamics = im_child(axis, "dynamics", NULL);
    j->range[0] = number(R, limit, "lower", -1e16);
    j->range[1] = number(R, limit, "upper", 1e16);
    j->limited = (j->kind == IM_HINGE || j->kind == IM_SLIDE) && (j->range[0] > -1e15 || j->range[1] < 1e15);
    j->damping = number(R, dynamics, "damping", 0.0);
    j->friction = number(R, dynamics, "friction", 0.0);
    j->stiffness = number(R, dynamics, "spring_stiffness", 0.0);
    j->rest = number(R, dynamics, "spring_reference", 0.0);
}

/* Elements of a joint, or of its axes, that are not read. */
static void tell_others(im_reader *R, const im_element *at, const char *read, const char *joint)
{
    for (const im_element *e = NULL; (e = im_child(at, NULL, e)) != NULL;) {
        if (im_is_in(e->name, read)) {
            continue;
        }
        if (im_is_in(e->name, " physics sensor plugin ")) {
            im_tell(R, 0, "what is meant for other programs", e->name);
        } else if (is(e->name, "initial_position")) {
            im_tell(R, number(R, at, e->name, 0.0) != 0.0, "initial_position: --at puts joints where they begin",
                    joint);
        } else {
            im_tell(R, 1, "unknown elements of a joint", e->name);
        }
    }
}

static int link_of(im_reader *R, const im_element *at, const char *tag)
{
    const char *name = word(R, at, tag);
    const int link = im_find_link(R, name);
    if (name == NULL) {
        im_fail(R, at, "joint '%.100s' has no <%s>", im_needed(R, at, "name"), tag);
    } else if (link < 0 && !is(name, "world")) {
        im_fail(R, at, "joint '%.100s': there is no link '%.100s'", im_needed(R, at, "name"), name);
    }
    return link;
}

/* One joint from parent to child along or about an axis; both are where they are. */
static im_joint *add_joint(const sd_reader *S, const im_element *at, const char *name, im_kind kind, int parent,
                           int child, const im_element *axis)
{
    im_reader *R = S->R;
    im_joint *j = im_add_joint(R, at, name);
    const im_pose frame = place_of(S, at), *there = parent >= 0 ? &R->link[parent].place : &im_here;
    im_pose world, turn = im_here;
    double z[3] = {0.0, 0.0, 1.0};
    j->kind = kind;
    j->parent = parent;
    j->child = child;
    j->q[0] = kind == IM_BALL;
    if (axis != NULL) {
        read_axis(S, at, axis, &frame, z);
        read_dynamics(R, j, axis);
    }
    if (R->st != DAL_OK) {
        return j;
    }
    im_along(&turn, im_here.p, z);
    im_compose(&world, &S->place, &frame);
    im_compose(&world, &world, &turn);
    im_relative(&j->a, there, &world);
    im_relative(&j->b, &R->link[child].place, &world);
    return j;
}

static void read_joint(const sd_reader *S, const im_element *at)
{
    static const struct {
        const char *name;
        im_kind kind;
        int axes;
    } types[] = {{"revolute", IM_HINGE, 1},  {"continuous", IM_HINGE, 1}, {"prismatic", IM_SLIDE, 1},
                 {"ball", IM_BALL, 0},       {"fixed", IM_FIXED, 0},      {"screw", IM_SCREW, 1},
                 {"universal", IM_HINGE, 2}, {"revolute2", IM_HINGE, 2},  {"gearbox", IM_KINDS, 0}};
    im_reader *R = S->R;
    const char *type = im_needed(R, at, "type"), *name = im_needed(R, at, "name");
    size_t k = 0;
    while (k < sizeof types / sizeof types[0] && !is(types[k].name, type)) {
        ++k;
    }
    if (k == sizeof types / sizeof types[0]) {
        im_fail(R, at, "joint '%.100s' has the type '%.40s'", name, type);
        return;
    }
    const int parent = link_of(R, at, "parent"), child = link_of(R, at, "child");
    tell_others(R, at,
                " parent child axis axis2 pose screw_thread_pitch thread_pitch gearbox_ratio gearbox_reference_body ",
                name);
    tell_others(R, im_child(at, "axis", NULL), " xyz dynamics limit mimic use_parent_model_frame ", name);
    tell_others(R, im_child(at, "axis2", NULL), " xyz dynamics limit mimic use_parent_model_frame ", name);
    if (child < 0) {
        im_fail(R, at, "joint '%.100s': the world cannot be its child", name);
    }
    if (types[k].kind == IM_KINDS || R->st != DAL_OK) {
        return; // gearboxes couple other joints
    }
    int between = child;
    if (types[k].axes == 2) {
        char part[2 * IM_NAME];
        snprintf(part, sizeof part, "%.200s_part", name);
        const im_pose here = R->link[child].place;
        between = R->nlinks;
        im_link *l = im_add_link(R, at, part);
        l->place = here;
        l->helper = 1;
        snprintf(part, sizeof part, "%.200s_2", name);
        (void)add_joint(S, at, part, types[k].kind, between, child, im_child(at, "axis2", NULL));
    }
    im_joint *j =
        add_joint(S, at, name, types[k].kind, parent, between, types[k].axes > 0 ? im_child(at, "axis", NULL) : NULL);
    if (types[k].axes > 0 && im_child(at, "axis", NULL) == NULL) {
        im_fail(R, at, "joint '%.100s' has no <axis>", name);
    }
    j->pitch = number(R, at, "screw_thread_pitch", 0.0);
    if (types[k].kind == IM_SCREW && im_child(at, "screw_thread_pitch", NULL) == NULL) {
        im_tell(R, 1, "screw without screw_thread_pitch", name);
    }
}

/* q = offset + multiplier (q of another joint - reference) */
static void read_mimic(im_reader *R, int k)
{
    im_joint *j = &R->joint[k];
    const im_element *e = im_child(im_child(j->at, "axis", NULL), "mimic", NULL);
    if (e == NULL) {
        return;
    }
    const char *name = im_needed(R, e, "joint");
    j->leader = im_find_joint(R, name);
    j->factor = number(R, e, "multiplier", 1.0);
    j->offset = number(R, e, "offset", 0.0) - j->factor * number(R, e, "reference", 0.0);
    if (j->leader < 0) {
        im_fail(R, e, "joint '%.100s' follows '%.100s', which is no joint", j->name, name);
    }
}

/* ---- gearboxes -------------------------------------------------------------------------------- */

/* The hinge between two links, and the sign of its angle as that of `link` relative to `base` about the axis; -1: none. */
static int hinge_between(const sd_reader *S, int base, int link, const double axis[3], double *sign)
{
    const im_reader *R = S->R;
    for (int k = 0; k < R->njoints; ++k) {
        const im_joint *j = &R->joint[k];
        const int forth = j->parent == base && j->child == link, back = j->parent == link && j->child == base;
        if (j->kind == IM_HINGE && (forth || back)) {
            im_pose world;
            double z[3];
            im_compose(&world, &R->link[j->child].place, &j->b);
            dal_quat_rotate(z, world.q, (const double[3]){0.0, 0.0, 1.0});
            const double along = z[0] * axis[0] + z[1] * axis[1] + z[2] * axis[2];
            *sign = (forth ? 1.0 : -1.0) * (along < 0.0 ? -1.0 : 1.0);
            return k;
        }
    }
    return -1;
}

/* theta_2 = -ratio theta_1, angles of child and parent about their axes relative to the reference body */
static void read_gearbox(const sd_reader *S, const im_element *at)
{
    static const char *const axes[] = {"axis", "axis2"}, *const ends[] = {"parent", "child"};
    im_reader *R = S->R;
    const char *name = im_needed(R, at, "name");
    const int base = link_of(R, at, "gearbox_reference_body");
    const im_pose frame = place_of(S, at);
    im_pose world;
    int joint[2] = {-1, -1};
    double sign[2] = {1.0, 1.0};
    im_compose(&world, &S->place, &frame);
    for (int k = 0; k < 2 && R->st == DAL_OK; ++k) {
        double z[3] = {0.0, 0.0, 1.0}, axis[3];
        read_axis(S, at, im_child(at, axes[k], NULL), &frame, z);
        dal_quat_rotate(axis, world.q, z);
        joint[k] = hinge_between(S, base, link_of(R, at, ends[k]), axis, &sign[k]);
    }
    if (joint[0] < 0 || joint[1] < 0) {
        im_tell(R, 1, "gearbox without hinges on its reference body", name);
        return;
    }
    im_gear *g = im_add_gear(R, name);
    g->n = 2;
    g->joint[0] = joint[1];
    g->joint[1] = joint[0];
    g->ratio[0] = sign[1];
    g->ratio[1] = sign[0] * number(R, at, "gearbox_ratio", 1.0);
}

/* ---- models ----------------------------------------------------------------------------------- */

static void add_roots(im_reader *R, int from, int held)
{
    char *carried = im_take(R, (size_t)R->nlinks + 1, 1);
    const int joints = R->njoints;
    for (int k = 0; k < joints && carried != NULL; ++k) {
        carried[R->joint[k].child] = 1;
    }
    for (int k = from; k < R->nlinks && carried != NULL && R->st == DAL_OK; ++k) {
        if (!carried[k]) {
            const im_pose place = R->link[k].place;
            im_add_root(R, k, &place, !held);
        }
    }
}

static void add_inputs(im_reader *R, int from)
{
    for (int k = from; k < R->njoints && R->st == DAL_OK; ++k) {
        const im_joint *j = &R->joint[k];
        if ((j->kind == IM_HINGE || j->kind == IM_SLIDE) && j->leader < 0) {
            const double effort = number(R, im_child(im_child(j->at, "axis", NULL), "limit", NULL), "effort", 0.0);
            im_input *u = im_add_input(R, "tau", j->name);
            u->joint = k;
            u->limited = effort > 0.0;
            u->range[0] = -effort;
            u->range[1] = effort;
        }
    }
}

static void read_model(im_reader *R, const im_element *model, double version)
{
    sd_reader S = {.R = R, .model = model, .place = own_pose(R, model), .version = version};
    const int links = R->nlinks, joints = R->njoints;
    if (im_attribute(model, "placement_frame") != NULL) {
        im_tell(R, 1, "placement_frame of a model", R->name);
    }
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(model, NULL, e)) != NULL;) {
        if (is(e->name, "link")) {
            read_link(&S, e);
        } else if (is(e->name, "model") || is(e->name, "include")) {
            im_tell(R, 1, "models within models", im_attribute(e, "name") != NULL ? im_attribute(e, "name") : e->name);
        } else if (!is(e->name, "joint") && !is(e->name, "pose") && !is(e->name, "frame") && !is(e->name, "static")) {
            im_tell(R, 0, "what is meant for other programs", e->name);
        }
    }
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(model, "joint", e)) != NULL;) {
        read_joint(&S, e);
    }
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(model, "joint", e)) != NULL;) {
        if (is(im_needed(R, e, "type"), "gearbox")) {
            read_gearbox(&S, e);
        }
    }
    for (int k = joints; k < R->njoints && R->st == DAL_OK; ++k) {
        read_mimic(R, k);
    }
    if (R->st == DAL_OK) {
        add_inputs(R, joints);
        add_roots(R, links, flag(R, model, "static"));
    }
}

void im_sdf(im_reader *R, const im_element *root)
{
    const im_element *world = im_child(root, "world", NULL), *holder = world != NULL ? world : root;
    const double version = im_number(R, root, "version", 1.6);
    R->format = "SDF";
    R->name = "model";
    R->gravity[2] = -9.81;
    numbers(R, world, "gravity", R->gravity, 3);
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(holder, NULL, e)) != NULL;) {
        const char *name = im_attribute(e, "name");
        if (is(e->name, "model")) {
            R->name = R->nlinks == 0 && name != NULL ? name : R->name;
            read_model(R, e, version);
        } else if (im_is_in(e->name, " include joint state population frame ")) {
            im_tell(R, 1, "elements of a world", e->name);
        } else if (!is(e->name, "gravity")) {
            im_tell(R, 0, "what is meant for other programs", e->name);
        }
    }
    if (R->nlinks == 0) {
        im_fail(R, root, "the description has no links");
    }
}
