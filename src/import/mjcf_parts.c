/* MJCF: geoms, equalities, tendons, actuators, keyframes. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/lie.h"
#include "import/mjcf_impl.h"

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- geoms ------------------------------------------------------------------------------------ */

/* Sizes as the file has them, half of most; fromto gives place, axis and length. */
static int read_size(const mj_reader *M, const im_element *at, const char *type, dal_shape *s, im_pose *X)
{
    static const struct {
        const char *name;
        dal_shape_kind kind;
        int sizes;
    } kinds[] = {{"sphere", DAL_SHAPE_SPHERE, 1},
                 {"capsule", DAL_SHAPE_CAPSULE, 2},
                 {"cylinder", DAL_SHAPE_CYLINDER, 2},
                 {"ellipsoid", DAL_SHAPE_ELLIPSOID, 3},
                 {"box", DAL_SHAPE_BOX, 3}};
    double x[3] = {0.0}, ends[6];
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        if (!is(kinds[k].name, type)) {
            continue;
        }
        const int line = kinds[k].sizes > 1 && im_mj_vector(M, at, "fromto", ends, 6, 6) > 0;
        const int n = im_mj_vector(M, at, "size", x, line ? kinds[k].sizes - 1 : kinds[k].sizes, 3);
        s->kind = kinds[k].kind;
        if (line) {
            double d[3], middle[3];
            for (int i = 0; i < 3; ++i) {
                d[i] = ends[i] - ends[3 + i]; // MuJoCo lets z point back
                middle[i] = 0.5 * (ends[i] + ends[3 + i]);
            }
            x[kinds[k].sizes - 1] = 0.5 * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            im_along(X, middle, x[kinds[k].sizes - 1] > 0.0 ? d : (const double[3]){0.0, 0.0, 1.0});
        }
        s->radius = x[0];
        s->length = 2.0 * x[1];
        for (int i = 0; i < 3; ++i) {
            s->size[i] = s->kind == DAL_SHAPE_BOX ? 2.0 * x[i] : x[i];
        }
        return n > 0;
    }
    return 0;
}

/* The mesh of a geom; *mesh is to be destroyed. */
static im_shape *read_mesh(const mj_reader *M, im_shape **list, const im_element *at, dal_mesh **mesh)
{
    im_reader *R = M->R;
    const char *name = im_mj_get(M, at, "mesh");
    const im_element *asset = im_mj_named(M, "asset", "mesh", name);
    double scale[3] = {1.0, 1.0, 1.0};
    char folder[2000];
    for (const im_element *s = NULL; asset == NULL && name != NULL && (s = im_child(M->root, "asset", s)) != NULL;) {
        for (const im_element *e = NULL;
             asset == NULL && (e = im_child(s, "mesh", e)) != NULL;) { // without a name: that of the file
            const char *file = im_attribute(e, "file"), *slash = file != NULL ? strrchr(file, '/') : NULL;
            const char *own = slash != NULL ? slash + 1 : file;
            const size_t n = own != NULL && strrchr(own, '.') != NULL ? (size_t)(strrchr(own, '.') - own) : 0;
            asset =
                n > 0 && im_attribute(e, "name") == NULL && strlen(name) == n && strncmp(own, name, n) == 0 ? e : NULL;
        }
    }
    if (asset == NULL) {
        im_fail(R, at, "there is no mesh '%.100s'", name != NULL ? name : "");
        return NULL;
    }
    im_mj_vector(M, asset, "scale", scale, 3, 3);
    snprintf(folder, sizeof folder, "%.1000s%.900s%s", M->meshdir[0] == '/' ? "" : im_folder_of(R, R->path), M->meshdir,
             M->meshdir[0] != '\0' ? "/" : "");
    const char *file = im_attribute(asset, "file");
    return file != NULL ? im_add_mesh(R, list, file, folder, scale, mesh) : NULL;
}

static void weigh(const mj_reader *M, const im_link *link, const im_element *at, const dal_shape *s,
                  dal_shape_mass *sum)
{
    im_reader *R = M->R;
    const double mass = im_mj_number(M, at, "mass", -1.0), density = im_mj_number(M, at, "density", 1000.0);
    const double group = im_mj_number(M, at, "group", 0.0);
    dal_shape_mass one = {0};
    if (group < M->groups[0] || group > M->groups[1] || mass == 0.0 || density == 0.0) {
        return;
    }
    dal_status st = dal_shape_mass_add(&one, R->ctx, s, mass > 0.0 ? 1.0 : density);
    if (st != DAL_OK) {
        st = dal_shape_mass_add_open(&one, R->ctx, s, mass > 0.0 ? 1.0 : density);
        im_tell(R, st == DAL_OK ? 2 : 1,
                st == DAL_OK ? "mass of a mesh that is not closed: cones to its middle close it"
                             : "mass of a mesh that encloses nothing",
                link->name);
    }
    if (st != DAL_OK || one.m <= 0.0) {
        return;
    }
    const double scale = mass > 0.0 ? mass / one.m : 1.0;
    sum->m += scale * one.m;
    for (int k = 0; k < 9; ++k) {
        sum->J[k] += scale * one.J[k];
        sum->mc[k % 3] += k < 3 ? scale * one.mc[k] : 0.0;
    }
}

void im_mj_geom(const mj_reader *M, im_link *link, const im_element *at, const im_pose *in_link, dal_shape_mass *sum)
{
    im_reader *R = M->R;
    const char *given = im_mj_get(M, at, "type"), *rgba = im_mj_get(M, at, "rgba"),
               *material = im_mj_get(M, at, "material");
    const char *type = given != NULL ? given : "sphere";
    const int shown = im_mj_number(M, at, "group", 0.0) < 3.0;
    im_shape *hidden = NULL, **list = shown ? &link->shapes : &hidden, *s = NULL;
    dal_mesh *mesh = NULL;
    im_pose X = *in_link;
    if (im_mj_number(M, at, "contype", 1.0) != 0.0 || im_mj_number(M, at, "conaffinity", 1.0) != 0.0) {
        im_tell(R, 0, "shapes for collisions: nothing collides in the model", link->name);
    }
    if (is(type, "mesh")) {
        s = shown || sum != NULL ? read_mesh(M, list, at, &mesh) : NULL;
        if (s == NULL && sum != NULL && im_mj_number(M, at, "mass", -1.0) != 0.0) {
            im_tell(R, 1, "mass of a mesh that is not there", link->name);
        }
    } else if (!is(type, "plane") && !is(type, "hfield") && !is(type, "sdf")) {
        dal_shape made = {.scale = 1.0};
        if (!read_size(M, at, type, &made, &X)) {
            im_tell(R, sum != NULL, "shape without a size, or fitted to a mesh", link->name);
        } else if ((s = im_add_shape(R, list)) != NULL) {
            s->shape = made;
        }
    }
    if (s != NULL) {
        const im_element *paint = im_mj_named(M, "asset", "material", material);
        memcpy(s->shape.position, X.p, sizeof X.p);
        memcpy(s->shape.rotation, X.q, sizeof X.q);
        im_colour(R, &s->shape, at, rgba != NULL ? rgba : paint != NULL ? im_attribute(paint, "rgba") : NULL);
        s->shape.mesh = mesh;
        if (sum != NULL && R->st == DAL_OK) {
            weigh(M, link, at, &s->shape, sum);
        }
        s->shape.mesh = NULL;
    }
    dal_mesh_destroy(mesh, R->ctx);
}

/* ---- equalities ------------------------------------------------------------------------------- */

static const im_element *find_site(const mj_reader *M, const im_element *at, const char *name)
{
    const im_element *e = im_mj_named(M, "worldbody", "site", name);
    if (e == NULL) {
        im_fail(M->R, at, "there is no site '%.100s'", name);
    }
    return e;
}

/* The link that a site is on, -1: the world; `frame` is its place. */
static int link_of_site(const mj_reader *M, const im_element *site, im_pose *frame)
{
    *frame = im_mj_pose(M, site);
    return is(site->parent->name, "body") ? site->parent->link : -1;
}

/* The link that an attribute names, -1: the world; `frame` is moved to the place of a site, if that is named instead. */
static int end_of(const mj_reader *M, const im_element *at, int side, im_pose *frame)
{
    static const char *const bodies[] = {"body1", "body2"}, *const sites[] = {"site1", "site2"};
    const char *body = im_attribute(at, bodies[side]), *site = im_attribute(at, sites[side]);
    *frame = im_here;
    if (site != NULL) {
        const im_element *e = find_site(M, at, site);
        return e != NULL ? link_of_site(M, e, frame) : -1;
    }
    const int link = im_find_link(M->R, body);
    if (body != NULL && link < 0 && !is(body, "world")) {
        im_fail(M->R, at, "there is no body '%.100s'", body);
    }
    return link;
}

/* Sites are written with few digits: those that meet but for rounding at the reference pose meet exactly. Several of them may hold one
 * hinge, which could not be closed otherwise. */
static void snap(const im_reader *R, const int link[2], im_pose frame[2], int turned)
{
    static const double rounding = 1e-6; // m, rad
    im_pose world[2], gap;
    double size = 0.0;
    for (int side = 0; side < 2; ++side) {
        im_compose(&world[side], link[side] >= 0 ? &R->link[link[side]].place : &im_here, &frame[side]);
    }
    im_relative(&gap, &world[0], &world[1]);
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, fmax(fabs(gap.p[k]), turned ? fabs(gap.q[1 + k]) : 0.0));
    }
    if (size < rounding) {
        const double q[4] = {frame[1].q[0], frame[1].q[1], frame[1].q[2], frame[1].q[3]};
        im_relative(&frame[1], link[1] >= 0 ? &R->link[link[1]].place : &im_here, &world[0]);
        memcpy(frame[1].q, turned ? frame[1].q : q, sizeof q);
    }
}

/* <connect>, <weld>: a joint, closed at the reference pose. */
static void add_loop(mj_reader *M, const im_element *at, const char *name)
{
    im_reader *R = M->R;
    im_pose frame[2], relative;
    int link[2];
    double given[7] = {0.0};
    for (int side = 0; side < 2; ++side) {
        link[side] = end_of(M, at, side, &frame[side]);
    }
    im_joint *j = im_add_joint(R, at, name);
    j->kind = is(at->name, "weld") ? IM_FIXED : IM_BALL;
    j->loop = 1;
    j->parent = link[0];
    j->child = link[1];
    if (im_attribute(at, "site1") == NULL) {
        const im_pose *A = link[0] >= 0 ? &R->link[link[0]].place : &im_here;
        im_relative(&relative, link[1] >= 0 ? &R->link[link[1]].place : &im_here, A);
        im_vector(R, at, "anchor", frame[0].p, j->kind == IM_BALL ? 3 : 0);
        if (j->kind == IM_FIXED && im_vector(R, at, "relpose", given, 7) > 0 &&
            given[3] * given[3] + given[4] * given[4] + given[5] * given[5] + given[6] * given[6] > 0.0) {
            memcpy(frame[0].p, given, sizeof frame[0].p);
            memcpy(frame[0].q, given + 3, sizeof frame[0].q);
            im_unit(frame[0].q);
        } else {
            im_compose(&frame[1], &relative, &frame[0]);
        }
    }
    snap(R, link, frame, j->kind == IM_FIXED);
    j->a = frame[0];
    j->b = frame[1];
    if (link[1] < 0) { // the child is a link
        j->parent = link[1];
        j->child = link[0];
        j->a = frame[1];
        j->b = frame[0];
    }
    if (link[0] == link[1]) {
        im_fail(R, at, "<%s> joins a body with itself", at->name);
    }
}

/* <joint>: q_1 - ref_1 = p_0 + p_1 (q_2 - ref_2) */
static void couple(mj_reader *M, const im_element *at, const char *name)
{
    im_reader *R = M->R;
    double p[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    const char *first = im_needed(R, at, "joint1"), *second = im_attribute(at, "joint2");
    const int j1 = im_find_joint(R, first), j2 = im_find_joint(R, second);
    im_mj_vector(M, at, "polycoef", p, 1, 5);
    if (j1 < 0 || (second != NULL && j2 < 0)) {
        im_fail(R, at, "there is no joint '%.100s'", j1 < 0 ? first : second);
        return;
    }
    im_joint *j = &R->joint[j1];
    if (j2 >= 0 && (p[2] != 0.0 || p[3] != 0.0 || p[4] != 0.0)) {
        im_tell(R, 1, "equality of joints that is not linear", name);
    } else if (j->leader >= 0) {
        im_tell(R, 1, "second equality of a joint", name);
    } else if (j2 < 0) {
        j->q[0] += p[0]; // at its reference so far
        j->held = 1;
    } else {
        j->leader = j2;
        j->factor = p[1];
        j->offset = j->q[0] + p[0] - p[1] * R->joint[j2].q[0];
    }
}

void im_mj_equality(mj_reader *M)
{
    im_reader *R = M->R;
    int n = 0;
    for (const im_element *s = NULL; (s = im_child(M->root, "equality", s)) != NULL;) {
        for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(s, NULL, e)) != NULL;) {
            char made[IM_NAME];
            const char *given = im_attribute(e, "name");
            snprintf(made, sizeof made, "%.40s_equality%d", e->name, ++n);
            const char *name = given != NULL ? given : im_copy(R, made);
            if (!im_mj_flag(M, e, "active", 1)) {
                im_tell(R, 0, "equality that is not active", name);
            } else if (is(e->name, "connect") || is(e->name, "weld")) {
                add_loop(M, e, name);
            } else if (is(e->name, "joint")) {
                couple(M, e, name);
            }
        }
    }
}

/* ---- tendons and actuators -------------------------------------------------------------------- */

static int joint_of(const mj_reader *M, const im_element *at, const char *name)
{
    const int k = im_find_joint(M->R, name);
    if (k < 0) {
        im_fail(M->R, at, "there is no joint '%.100s'", name);
    } else if (M->R->joint[k].kind != IM_HINGE && M->R->joint[k].kind != IM_SLIDE) {
        im_tell(M->R, 1, "tendon or actuator of a joint that is neither hinge nor slide", name);
        return -1;
    }
    return k;
}

/* Its spring and damper, as an input without a variable. */
static void add_passive(mj_reader *M, const im_element *at, int tendon)
{
    im_reader *R = M->R;
    im_tendon *t = &R->tendon[tendon];
    double rest[2] = {-1.0, -1.0}, x = 0.0;
    const double stiffness = im_mj_number(M, at, "stiffness", 0.0), damping = im_mj_number(M, at, "damping", 0.0);
    for (int k = 0; k < t->n; ++k) {
        x += t->factor[k] * R->joint[t->joint[k]].q[0];
    }
    rest[1] = im_mj_vector(M, at, "springlength", rest, 1, 2) == 1 ? rest[0] : rest[1];
    if (rest[0] == -1.0 && rest[1] == -1.0) {
        rest[0] = rest[1] = x;
    }
    if (stiffness != 0.0 || damping != 0.0) {
        im_input *u = im_add_input(R, "", t->name);
        double *slack = rest[0] != rest[1] ? im_take(R, 2, sizeof *slack) : NULL;
        u->tendon = tendon;
        u->variable[0] = '\0';
        u->bias[0] = slack ? 0.0 : stiffness * rest[0];
        u->bias[1] = -stiffness;
        u->bias[2] = -damping;
        if (slack) {
            memcpy(slack, rest, sizeof rest);
        }
        u->slack = slack;
    }
    t->limited = im_mj_flag(M, at, "limited", M->autolimits && im_mj_get(M, at, "range") != NULL);
    (void)im_mj_vector(M, at, "range", t->range, 2, 2);
}

void im_mj_tendons(mj_reader *M)
{
    im_reader *R = M->R;
    for (const im_element *s = NULL; (s = im_child(M->root, "tendon", s)) != NULL;) {
        for (const im_element *e = NULL; R->st == DAL_OK && (e = im_child(s, "fixed", e)) != NULL;) {
            char name[IM_NAME];
            const char *given = im_attribute(e, "name");
            int n = 0;
            snprintf(name, sizeof name, "tendon%d", R->ntendons + 1);
            im_tendon *t = im_add_tendon(R, given != NULL ? given : name);
            for (const im_element *c = NULL; (c = im_child(e, "joint", c)) != NULL;) {
                ++n;
            }
            t->joint = im_take(R, (size_t)n + 1, sizeof *t->joint);
            t->factor = im_take(R, (size_t)n + 1, sizeof *t->factor);
            for (const im_element *c = NULL; R->st == DAL_OK && (c = im_child(e, "joint", c)) != NULL;) {
                const int k = joint_of(M, c, im_needed(R, c, "joint"));
                if (k >= 0) {
                    t->joint[t->n] = k;
                    t->factor[t->n++] = im_number(R, c, "coef", 1.0);
                }
            }
            if (R->st == DAL_OK && t->n > 0) {
                add_passive(M, e, R->ntendons - 1);
            }
        }
    }
}

static int find_tendon(const im_reader *R, const char *name)
{
    for (int k = 0; k < R->ntendons; ++k) {
        if (is(R->tendon[k].name, name)) {
            return k;
        }
    }
    return -1;
}

/* gain u + bias; 0: of a kind that cannot be kept. */
static int read_law(const mj_reader *M, const im_element *at, im_input *u)
{
    const char *gain = im_mj_get(M, at, "gaintype"), *bias = im_mj_get(M, at, "biastype"),
               *dynamics = im_mj_get(M, at, "dyntype");
    if (is(at->name, "motor")) {
        return 1;
    }
    if (is(at->name, "position") || is(at->name, "velocity")) {
        const int position = is(at->name, "position");
        const double kp = im_mj_number(M, at, "kp", 1.0), kv = im_mj_number(M, at, "kv", position ? 0.0 : 1.0);
        u->damp_ratio = position ? im_mj_number(M, at, "dampratio", 0.0) : 0.0;
        u->gain = position ? kp : kv;
        u->bias[1] = position ? -kp : 0.0;
        u->bias[2] = -kv;
        return 1;
    }
    if (!is(at->name, "general") || (gain != NULL && !is(gain, "fixed")) ||
        (dynamics != NULL && !is(dynamics, "none")) || (bias != NULL && !is(bias, "none") && !is(bias, "affine"))) {
        return 0;
    }
    double prm[10] = {1.0}, b[10] = {0.0};
    im_mj_vector(M, at, "gainprm", prm, 1, 10);
    im_mj_vector(M, at, "biasprm", b, 1, 10);
    u->gain = prm[0];
    for (int k = 0; k < 3 && bias != NULL && is(bias, "affine"); ++k) {
        u->bias[k] = b[k];
    }
    return 1;
}

/* A position actuator may take the range of its command from the joint. */
static void inherit_range(const mj_reader *M, const im_element *at, im_input *u)
{
    const double share = is(at->name, "position") ? im_mj_number(M, at, "inheritrange", 0.0) : 0.0;
    const im_joint *j = u->joint >= 0 ? &M->R->joint[u->joint] : NULL;
    if (share <= 0.0) {
        return;
    }
    if (j == NULL || !(j->range[0] < j->range[1])) {
        im_tell(M->R, 1, "range of a command that follows from no joint", u->name);
        return;
    }
    const double middle = 0.5 * (j->range[0] + j->range[1]), half = 0.5 * share * (j->range[1] - j->range[0]);
    u->u_range[0] = middle - half;
    u->u_range[1] = middle + half;
    u->u_limited = 1;
}

static void read_actuator(mj_reader *M, const im_element *at)
{
    im_reader *R = M->R;
    char made[IM_NAME];
    double gear[6] = {1.0};
    snprintf(made, sizeof made, "actuator%d", R->ninputs + 1);
    const char *given = im_attribute(at, "name"), *name = given != NULL ? given : im_copy(R, made);
    const char *tendon = im_attribute(at, "tendon"), *joint = im_attribute(at, "joint");
    const char *site = im_attribute(at, "site");
    joint = joint != NULL ? joint : im_attribute(at, "jointinparent");
    im_input u = {.joint = -1, .tendon = -1, .link = -1, .gain = 1.0};
    const im_element *on = site != NULL ? find_site(M, at, site) : NULL;
    if (on != NULL) {
        u.link = link_of_site(M, on, &u.place);
    } else if (tendon != NULL) {
        u.tendon = find_tendon(R, tendon);
        if (u.tendon < 0) {
            im_tell(R, 1, "actuator of a tendon that is not kept", name);
            return;
        }
    } else {
        u.joint = joint != NULL ? joint_of(M, at, joint) : -1;
    }
    if ((u.tendon < 0 && u.joint < 0 && u.link < 0) || !read_law(M, at, &u) ||
        (u.link >= 0 && (u.bias[1] != 0.0 || u.bias[2] != 0.0))) { // sites have no coordinate
        im_tell(R, 1, "actuator of this kind", name);
        return;
    }
    im_mj_vector(M, at, "gear", gear, 1, 6);
    im_input *to = im_add_input(R, "ctrl", name);
    to->joint = u.joint;
    to->tendon = u.tendon;
    to->gain = u.gain;
    to->gear = u.link < 0 ? gear[0] : 1.0;
    to->link = u.link;
    to->place = u.place;
    memcpy(to->wrench, gear, sizeof gear);
    memcpy(to->bias, u.bias, sizeof u.bias);
    to->u_limited =
        im_mj_flag(M, at, "ctrllimited", M->autolimits && im_mj_vector(M, at, "ctrlrange", to->u_range, 2, 2) > 0);
    to->limited =
        im_mj_flag(M, at, "forcelimited", M->autolimits && im_mj_vector(M, at, "forcerange", to->range, 2, 2) > 0);
    to->damp_ratio = u.damp_ratio;
    inherit_range(M, at, to);
}

/* The joint bounds the force of its actuator, of which there is one. */
static void limit_force(im_reader *R, int joint)
{
    const im_joint *j = &R->joint[joint];
    im_input *only = NULL;
    int n = 0;
    for (int k = 0; k < R->ninputs; ++k) {
        im_input *u = &R->input[k];
        const im_tendon *t = u->tendon >= 0 ? &R->tendon[u->tendon] : NULL;
        int acts = u->joint == joint;
        for (int i = 0; t != NULL && i < t->n; ++i) {
            acts |= t->joint[i] == joint;
        }
        n += acts && u->variable[0] != '\0';
        only = u->joint == joint ? u : only;
    }
    if (n > 1 || (n == 1 && (only == NULL || only->gear == 0.0))) {
        im_tell(R, 1, "bound of the force of several actuators", j->name);
        return;
    }
    for (int side = 0; side < 2 && n == 1; ++side) {
        const double bound = j->force_range[only->gear > 0.0 ? side : 1 - side] / only->gear, own = only->range[side];
        only->range[side] = !only->limited ? bound : side == 0 ? fmax(bound, own) : fmin(bound, own);
    }
    if (n == 1) {
        only->limited = 1;
    }
}

void im_mj_actuators(mj_reader *M)
{
    for (const im_element *s = NULL; (s = im_child(M->root, "actuator", s)) != NULL;) {
        for (const im_element *e = NULL; M->R->st == DAL_OK && (e = im_child(s, NULL, e)) != NULL;) {
            read_actuator(M, e);
        }
    }
    for (int k = 0; k < M->R->njoints && M->R->st == DAL_OK; ++k) {
        if (M->R->joint[k].force_limited) {
            limit_force(M->R, k);
        }
    }
}

/* ---- keyframes -------------------------------------------------------------------------------- */

/* The numbers of all joints, one after the other. */
static void set_joints(im_reader *R, const double *x, int n, int rates)
{
    static const int sizes[IM_KINDS][2] = {
        [IM_HINGE] = {1, 1}, [IM_SLIDE] = {1, 1}, [IM_BALL] = {4, 3}, [IM_FREE] = {7, 6}};
    int at = 0;
    for (int k = 0; k < R->njoints; ++k) {
        im_joint *j = &R->joint[k];
        const int size = j->loop ? 0 : sizes[j->kind][rates];
        if (at + size > n) {
            return;
        }
        memcpy(rates ? j->v : j->q, x + at, (size_t)size * sizeof *x);
        at += size;
    }
}

void im_mj_keyframe(mj_reader *M)
{
    im_reader *R = M->R;
    for (int k = 0; k < R->njoints; ++k) {
        memcpy(R->joint[k].reference, R->joint[k].q, sizeof R->joint[k].q);
    }
    const char *wanted = R->opt.keyframe;
    const im_element *key = im_mj_named(M, "keyframe", "key", wanted);
    const int most = 8 * (R->njoints + 1) + R->ninputs;
    double *x = wanted != NULL ? im_take(R, (size_t)most, sizeof *x) : NULL;
    if (wanted != NULL && key == NULL && R->st == DAL_OK) {
        R->st = dal_fail(R->ctx, DAL_EOPTION, "%s: there is no keyframe '%.100s'", R->path, wanted);
    }
    if (x == NULL || R->st != DAL_OK) {
        return;
    }
    set_joints(R, x, im_numbers(R, key, "qpos", im_attribute(key, "qpos"), x, 0, most), 0);
    set_joints(R, x, im_numbers(R, key, "qvel", im_attribute(key, "qvel"), x, 0, most), 1);
    const int n = im_numbers(R, key, "ctrl", im_attribute(key, "ctrl"), x, 0, most);
    for (int k = 0, u = 0; k < R->ninputs && u < n; ++k) {
        if (R->input[k].variable[0] != '\0') {
            R->input[k].u = x[u++];
        }
    }
}
