/* URDF: links with inertias and looks, joints between them, transmissions. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/import_impl.h"

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* <origin xyz rpy/> of an element */
static im_pose origin_of(im_reader *R, const im_element *at)
{
    const im_element *o = im_child(at, "origin", NULL);
    im_pose X = im_here;
    double rpy[3] = {0.0, 0.0, 0.0};
    if (o != NULL) {
        im_vector(R, o, "xyz", X.p, 3);
        im_vector(R, o, "rpy", rpy, 3);
        im_from_rpy(X.q, rpy);
    }
    return X;
}

/* ---- links ------------------------------------------------------------------------------------ */

static void read_inertial(im_reader *R, im_link *l, const im_element *at)
{
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const im_element *mass = im_child(at, "mass", NULL), *inertia = im_child(at, "inertia", NULL);
    const im_pose X = origin_of(R, at);
    if (mass == NULL) {
        im_fail(R, at, "the <inertial> of link '%.100s' has no <mass>", l->name);
        return;
    }
    im_needed(R, mass, "value");
    l->m = im_number(R, mass, "value", 0.0);
    for (int k = 0; k < 6 && inertia != NULL; ++k) {
        l->J[k] = im_number(R, inertia, names[k], 0.0);
    }
    memcpy(l->c, X.p, sizeof l->c);
    im_turn_inertia(l->J, X.q);
}

static void read_material(im_reader *R, const im_element *robot, const im_element *visual, dal_shape *s)
{
    const im_element *m = im_child(visual, "material", NULL);
    const char *name = im_attribute(m, "name");
    const im_element *color = im_child(m, "color", NULL);
    for (const im_element *e = NULL; color == NULL && name != NULL && (e = im_child(robot, "material", e)) != NULL;) {
        const char *other = im_attribute(e, "name");
        color = other != NULL && is(other, name) ? im_child(e, "color", NULL) : NULL;
    }
    if (color != NULL) {
        im_colour(R, s, color, im_attribute(color, "rgba"));
    }
}

static void read_visual(im_reader *R, const im_element *robot, im_link *l, const im_element *at)
{
    const im_element *g = im_child(im_child(at, "geometry", NULL), NULL, NULL);
    const im_pose X = origin_of(R, at);
    im_shape *s = NULL;
    if (g == NULL) {
        return;
    }
    if (is(g->name, "mesh")) {
        double scale[3] = {1.0, 1.0, 1.0};
        im_vector(R, g, "scale", scale, 3);
        s = im_add_mesh(R, &l->shapes, im_needed(R, g, "filename"), im_folder_of(R, R->path), scale, NULL);
    } else if ((is(g->name, "box") || is(g->name, "cylinder") || is(g->name, "sphere") || is(g->name, "capsule"))) {
        s = im_add_shape(R, &l->shapes);
    } else {
        im_tell(R, 0, "shape that is not drawn", l->name);
    }
    if (s == NULL) {
        return;
    }
    dal_shape *d = &s->shape;
    if (s->file == NULL) {
        d->kind = is(g->name, "box")        ? DAL_SHAPE_BOX
                  : is(g->name, "cylinder") ? DAL_SHAPE_CYLINDER
                  : is(g->name, "sphere")   ? DAL_SHAPE_SPHERE
                                            : DAL_SHAPE_CAPSULE;
        im_needed(R, g, d->kind == DAL_SHAPE_BOX ? "size" : "radius");
        im_vector(R, g, "size", d->size, 3);
        d->radius = im_number(R, g, "radius", 0.0);
        d->length = im_number(R, g, "length", 0.0);
    }
    memcpy(d->position, X.p, sizeof d->position);
    memcpy(d->rotation, X.q, sizeof d->rotation);
    read_material(R, robot, at, d);
}

static void read_link(im_reader *R, const im_element *robot, const im_element *at)
{
    im_link *l = im_add_link(R, at, im_needed(R, at, "name"));
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(at, NULL, e)) != NULL;) {
        if (is(e->name, "inertial")) {
            read_inertial(R, l, e);
        } else if (is(e->name, "visual")) {
            read_visual(R, robot, l, e);
        } else if (is(e->name, "collision")) {
            im_tell(R, 0, "shapes for collisions: nothing collides in the model", l->name);
        } else {
            im_tell(R, 0, is(e->name, "contact") ? "what is meant for other programs" : "unknown elements of a link",
                    e->name);
        }
    }
}

/* ---- joints ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    im_kind kind;
} types[] = {{"revolute", IM_HINGE}, {"continuous", IM_HINGE}, {"prismatic", IM_SLIDE}, {"fixed", IM_FIXED},
             {"floating", IM_FREE},  {"planar", IM_PLANAR},    {"spherical", IM_BALL},  {"ball", IM_BALL}};

static void read_type(im_reader *R, im_joint *j, const char *type)
{
    for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k) {
        if (is(types[k].name, type)) {
            j->kind = types[k].kind;
            return;
        }
    }
    im_fail(
        R, j->at,
        "joint '%.100s' has the type '%.40s'; there are revolute, continuous, prismatic, fixed, floating and planar",
        j->name, type);
}

/* The link that an element names; "world" need not be there. */
static int link_of(im_reader *R, const im_joint *j, const char *tag)
{
    const im_element *e = im_child(j->at, tag, NULL);
    if (e == NULL) {
        im_fail(R, j->at, "joint '%.100s' has no <%s>", j->name, tag);
        return -1;
    }
    const char *name = im_needed(R, e, "link");
    const int link = im_find_link(R, name);
    if (link < 0 && !is(name, "world")) {
        im_fail(R, e, "joint '%.100s': there is no link '%.100s'", j->name, name);
    }
    return link;
}

static void read_limits(im_reader *R, im_joint *j, double *effort)
{
    const im_element *limit = im_child(j->at, "limit", NULL), *dynamics = im_child(j->at, "dynamics", NULL);
    const char *type = im_attribute(j->at, "type");
    if (limit != NULL) {
        j->range[0] = im_number(R, limit, "lower", 0.0);
        j->range[1] = im_number(R, limit, "upper", 0.0);
        j->limited = !is(type, "continuous") && (j->kind == IM_HINGE || j->kind == IM_SLIDE);
        if ((j->kind == IM_PLANAR || j->kind == IM_FREE || j->kind == IM_BALL) &&
            (j->range[0] != 0.0 || j->range[1] != 0.0)) {
            im_tell(R, 1, "limits of joints that move along several coordinates", j->name);
        }
        *effort = im_number(R, limit, "effort", 0.0);
        if (im_number(R, limit, "velocity", 0.0) > 0.0) {
            im_tell(R, 0, "limits of velocity, which are for controllers", j->name);
        }
    }
    if (dynamics != NULL) {
        j->damping = im_number(R, dynamics, "damping", 0.0);
        j->friction = im_number(R, dynamics, "friction", 0.0);
    }
}

/* Elements that are not read. */
static void tell_others(im_reader *R, const im_joint *j)
{
    for (const im_element *e = NULL; (e = im_child(j->at, NULL, e)) != NULL;) {
        if (im_is_in(e->name, " origin parent child axis limit dynamics mimic ")) {
            continue;
        }
        if (im_is_in(e->name, " safety_controller calibration ")) {
            im_tell(R, 0, "what is meant for other programs", e->name);
        } else {
            im_tell(R, 1, "unknown elements of a joint", e->name);
        }
    }
}

static void read_joint(im_reader *R, const im_element *at, double *effort)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    im_joint *j = im_add_joint(R, at, im_needed(R, at, "name"));
    const im_element *axis = im_child(at, "axis", NULL);
    double z[3] = {1.0, 0.0, 0.0};
    read_type(R, j, im_needed(R, at, "type"));
    j->parent = link_of(R, j, "parent");
    j->child = link_of(R, j, "child");
    if (j->child < 0) {
        im_fail(R, at, "joint '%.100s': the world cannot be its child", j->name);
    }
    if (axis != NULL) {
        im_vector(R, axis, "xyz", z, 3);
    }
    const int turns = j->kind == IM_HINGE || j->kind == IM_SLIDE || j->kind == IM_PLANAR;
    if (turns && z[0] == 0.0 && z[1] == 0.0 && z[2] == 0.0) {
        im_fail(R, axis, "the axis of joint '%.100s' is zero", j->name);
    }
    if (R->st != DAL_OK) {
        return;
    }
    const im_pose X = origin_of(R, at);
    if (turns) {
        im_along(&j->b, zero, z);
    }
    im_compose(&j->a, &X, &j->b);
    j->q[j->kind == IM_FREE ? 3 : 0] = j->kind == IM_FREE || j->kind == IM_BALL;
    read_limits(R, j, effort);
    tell_others(R, j);
}

static void read_mimic(im_reader *R, int k)
{
    im_joint *j = &R->joint[k];
    const im_element *e = im_child(j->at, "mimic", NULL);
    if (e == NULL) {
        return;
    }
    const char *name = im_needed(R, e, "joint");
    j->leader = im_find_joint(R, name);
    j->factor = im_number(R, e, "multiplier", 1.0);
    j->offset = im_number(R, e, "offset", 0.0);
    if (j->leader < 0) {
        im_fail(R, e, "joint '%.100s' follows '%.100s', which is no joint", j->name, name);
    }
}

/* ---- loops of users, transmissions ------------------------------------------------------------ */

/* <loop_joint name type><link1 link xyz rpy/><link2 .../></loop_joint> */
static void read_loop(im_reader *R, const im_element *at)
{
    static const char *const tags[] = {"link1", "link2"};
    im_joint *j = im_add_joint(R, at, im_needed(R, at, "name"));
    const im_element *axis = im_child(at, "axis", NULL);
    double z[3] = {0.0, 0.0, 1.0};
    im_pose turn = im_here;
    read_type(R, j, im_needed(R, at, "type"));
    if (axis != NULL) {
        im_vector(R, axis, "xyz", z, 3);
    }
    if (z[0] == 0.0 && z[1] == 0.0 && z[2] == 0.0) {
        im_fail(R, axis, "the axis of joint '%.100s' is zero", j->name);
    }
    im_along(&turn, im_here.p, z);
    for (int side = 0; side < 2 && R->st == DAL_OK; ++side) {
        const im_element *e = im_child(at, tags[side], NULL);
        const int link = link_of(R, j, tags[side]);
        im_pose X = im_here;
        double rpy[3] = {0.0, 0.0, 0.0};
        im_vector(R, e, "xyz", X.p, 3);
        im_vector(R, e, "rpy", rpy, 3);
        im_from_rpy(X.q, rpy);
        im_compose(side == 0 ? &j->a : &j->b, &X, &turn);
        *(side == 0 ? &j->parent : &j->child) = link;
    }
    j->loop = 1;
}

/* The text of the first descendant of this name. */
static const char *deep_text(const im_element *at, const char *name)
{
    for (const im_element *e = NULL; (e = im_child(at, NULL, e)) != NULL;) {
        const im_element *inner = im_child(e, name, NULL);
        if (is(e->name, name) || inner != NULL) {
            return inner != NULL ? inner->text : e->text;
        }
    }
    return NULL;
}

/* One that moves this joint by a constant ratio, or NULL. */
static const im_element *transmission_of(const im_element *robot, const char *joint)
{
    for (const im_element *e = NULL; (e = im_child(robot, "transmission", e)) != NULL;) {
        const im_element *j = im_child(e, "joint", NULL);
        const char *name = im_attribute(j, "name");
        if (name != NULL && is(name, joint) && im_child(e, "joint", j) == NULL) {
            return e;
        }
    }
    return NULL;
}

/* Each joint that follows no other has an input, the torque of its motor if a transmission says how it is geared. */
static void add_inputs(im_reader *R, const im_element *robot, const double *effort)
{
    for (int k = 0; k < R->njoints && R->st == DAL_OK; ++k) {
        const im_joint *j = &R->joint[k];
        if ((j->kind != IM_HINGE && j->kind != IM_SLIDE) || j->leader >= 0 || j->loop) {
            continue;
        }
        const im_element *e = transmission_of(robot, j->name);
        const char *motor = im_attribute(im_child(e, "actuator", NULL), "name");
        im_input *u = im_add_input(R, "tau", motor != NULL ? motor : j->name);
        u->joint = k;
        if (e != NULL) {
            im_numbers(R, e, "mechanicalReduction", deep_text(e, "mechanicalReduction"), &u->gain, 1, 1);
        }
        u->limited = effort[k] > 0.0;
        u->range[0] = -effort[k];
        u->range[1] = effort[k];
    }
    for (const im_element *e = NULL; (e = im_child(robot, "transmission", e)) != NULL;) {
        const im_element *j = im_child(e, "joint", NULL);
        if (j != NULL && im_child(e, "joint", j) != NULL) {
            im_tell(R, 1, "transmission of several joints",
                    im_attribute(e, "name") != NULL ? im_attribute(e, "name") : "");
        }
    }
}

static void add_root(im_reader *R)
{
    char *carried = im_take(R, (size_t)R->nlinks + 1, 1);
    int root = -1;
    for (int k = 0; k < R->njoints && carried != NULL; ++k) {
        carried[R->joint[k].child] |= !R->joint[k].loop;
    }
    for (int k = 0; k < R->nlinks && carried != NULL && R->st == DAL_OK; ++k) {
        if (!carried[k] && root >= 0) {
            im_fail(R, R->link[k].at, "link '%.100s' has no parent, nor has '%.100s': a robot has one root",
                    R->link[k].name, R->link[root].name);
        } else if (!carried[k]) {
            root = k;
        }
    }
    if (root >= 0 && R->st == DAL_OK) {
        im_add_root(R, root, &im_here, R->opt.free_base);
    }
}

void im_urdf(im_reader *R, const im_element *robot)
{
    const char *name = im_attribute(robot, "name");
    int n = 0, total = 0;
    R->format = "URDF";
    R->name = name != NULL ? name : "robot";
    R->gravity[2] = -9.81;
    for (const im_element *e = NULL; (e = im_child(robot, NULL, e)) != NULL;) {
        if (is(e->name, "link")) {
            read_link(R, robot, e);
        } else if (strncmp(e->name, "xacro:", 6) == 0) {
            im_fail(R, e,
                    "<%.40s>: this is a xacro file, which has to be expanded first (xacro robot.xacro > robot.urdf)",
                    e->name);
        } else if (is(e->name, "gazebo") || is(e->name, "sensor") || is(e->name, "verbose")) {
            im_tell(R, 0, "what is meant for other programs", e->name);
        } else if (!is(e->name, "joint") && !is(e->name, "material") && !is(e->name, "transmission") &&
                   !is(e->name, "loop_joint")) {
            im_tell(R, 1, "unknown elements of a robot", e->name);
        }
        total += is(e->name, "joint");
    }
    double *effort = im_take(R, (size_t)total + 1, sizeof *effort);
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(robot, "joint", e)) != NULL; ++n) {
        read_joint(R, e, &effort[n]);
    }
    for (int k = 0; k < n && R->st == DAL_OK; ++k) {
        read_mimic(R, k);
    }
    if (R->nlinks == 0) {
        im_fail(R, robot, "the robot has no links");
    }
    if (R->st == DAL_OK) {
        add_inputs(R, robot, effort);
    }
    for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(robot, "loop_joint", e)) != NULL;) {
        read_loop(R, e);
    }
    if (R->st == DAL_OK) {
        add_root(R);
    }
}
