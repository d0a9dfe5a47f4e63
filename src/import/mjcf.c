/* MJCF: bodies within bodies, each with any number of joints. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/mjcf_impl.h"

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* ---- settings --------------------------------------------------------------------------------- */

static void read_compiler(mj_reader *M, const im_element *at)
{
    im_reader *R = M->R;
    const char *angle = im_attribute(at, "angle"), *sequence = im_attribute(at, "eulerseq"),
               *from = im_attribute(at, "inertiafromgeom");
    const char *dir = im_attribute(at, "meshdir");
    dir = dir != NULL ? dir : im_attribute(at, "assetdir");
    if (angle != NULL) {
        if (!is(angle, "radian") && !is(angle, "degree")) {
            im_fail(R, at, "<compiler>: 'angle' is radian or degree, not '%.40s'", angle);
        }
        M->angle = is(angle, "radian") ? 1.0 : 3.14159265358979323846 / 180.0;
    }
    if (sequence != NULL) {
        if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3) {
            im_fail(R, at, "<compiler>: 'eulerseq' has three letters x, y, z or X, Y, Z, not '%.40s'", sequence);
            return;
        }
        snprintf(M->sequence, sizeof M->sequence, "%s", sequence);
    }
    M->autolimits = im_mj_flag(M, at, "autolimits", M->autolimits);
    M->from_geoms = from == NULL ? M->from_geoms : is(from, "true") ? 1 : is(from, "false") ? 0 : 2;
    im_vector(R, at, "inertiagrouprange", M->groups, 2);
    M->meshdir = dir != NULL ? dir : M->meshdir;
    M->least_mass = im_number(R, at, "boundmass", M->least_mass);
    M->least_inertia = im_number(R, at, "boundinertia", M->least_inertia);
    M->total_mass = im_number(R, at, "settotalmass", M->total_mass);
    M->balanced = im_mj_flag(M, at, "balanceinertia", M->balanced);
}

/* ---- mass ------------------------------------------------------------------------------------- */

static void read_inertial(const mj_reader *M, im_link *l, const im_element *at)
{
    const im_pose X = im_mj_pose(M, at);
    im_needed(M->R, at, "mass");
    l->m = im_number(M->R, at, "mass", 0.0);
    if (im_vector(M->R, at, "fullinertia", l->J, 6) == 0) {
        im_vector(M->R, at, "diaginertia", l->J, 3);
    }
    memcpy(l->c, X.p, sizeof l->c);
    im_turn_inertia(l->J, X.q);
}

/* Place of an element in the body that it belongs to: <frame>s lie between. */
static im_pose in_body(const mj_reader *M, const im_element *at)
{
    im_pose X = im_mj_pose(M, at);
    for (const im_element *e = at->parent; e != NULL && is(e->name, "frame"); e = e->parent) {
        const im_pose frame = im_mj_pose(M, e);
        im_compose(&X, &frame, &X);
    }
    return X;
}

static const im_element *body_of(const im_element *at)
{
    const im_element *e = at->parent;
    while (e != NULL && is(e->name, "frame")) {
        e = e->parent;
    }
    return e;
}

/* ---- joints ----------------------------------------------------------------------------------- */

static im_kind kind_of(const mj_reader *M, const im_element *at)
{
    static const struct {
        const char *name;
        im_kind kind;
    } kinds[] = {{"hinge", IM_HINGE}, {"slide", IM_SLIDE}, {"ball", IM_BALL}, {"free", IM_FREE}};
    const char *type = is(at->name, "freejoint") ? "free" : im_mj_get(M, at, "type");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        if (is(type != NULL ? type : "hinge", kinds[k].name)) {
            return kinds[k].kind;
        }
    }
    im_fail(M->R, at, "a joint has the type '%.40s'; there are hinge, slide, ball and free", type);
    return IM_HINGE;
}

static void read_numbers(mj_reader *M, im_joint *j)
{
    const im_element *at = j->at;
    const double angle = j->kind == IM_SLIDE ? 1.0 : M->angle;
    const int given = im_mj_vector(M, at, "range", j->range, 2, 2) > 0;
    j->limited = j->kind != IM_FREE && im_mj_flag(M, at, "limited", M->autolimits && given);
    j->range[0] *= angle;
    j->range[1] *= angle;
    j->damping = im_mj_number(M, at, "damping", 0.0);
    j->friction = im_mj_number(M, at, "frictionloss", 0.0);
    j->armature = im_mj_number(M, at, "armature", 0.0);
    j->stiffness = im_mj_number(M, at, "stiffness", 0.0);
    j->rest = im_mj_number(M, at, "springref", 0.0) * angle;
    j->force_limited = im_mj_flag(M, at, "actuatorfrclimited",
                                  M->autolimits && im_mj_vector(M, at, "actuatorfrcrange", j->force_range, 2, 2) > 0);
    j->q[0] = j->kind == IM_BALL ? 1.0 : im_mj_number(M, at, "ref", 0.0) * angle;
}

/* The joint moves the child in a frame of the parent that is at X when it is at its reference. */
static void add_joint(mj_reader *M, const im_element *at, int parent, int child, const im_pose *X)
{
    im_reader *R = M->R;
    char name[IM_NAME];
    const char *given = im_attribute(at, "name");
    snprintf(name, sizeof name, "joint%d", R->njoints + 1);
    im_joint *j = im_add_joint(R, at, given != NULL ? given : name);
    double pos[3] = {0.0, 0.0, 0.0}, axis[3] = {0.0, 0.0, 1.0};
    j->kind = kind_of(M, at);
    j->parent = parent;
    j->child = child;
    if (j->kind == IM_FREE) {
        memcpy(j->q, X, sizeof *X);
        if (parent >= 0) {
            im_fail(R, at, "a free joint belongs to a body of <worldbody>, not to one within another");
        }
        return;
    }
    read_numbers(M, j);
    im_mj_vector(M, at, "pos", pos, 3, 3);
    im_mj_vector(M, at, "axis", axis, 3, 3);
    if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0) {
        im_fail(R, at, "the axis of joint '%.100s' is zero", j->name);
        return;
    }
    j->b = im_here;
    memcpy(j->b.p, pos, sizeof pos);
    if (j->kind != IM_BALL) {
        im_along(&j->b, pos, axis);
    }
    im_compose(&j->a, X, &j->b);
    if (j->kind != IM_BALL && j->q[0] != 0.0) { // so that the coordinate is that of the description
        im_pose back = im_here;
        if (j->kind == IM_SLIDE) {
            back.p[2] = -j->q[0];
        } else {
            back.q[0] = cos(0.5 * j->q[0]);
            back.q[3] = -sin(0.5 * j->q[0]);
        }
        im_compose(&j->a, &j->a, &back);
    }
}

/* ---- bodies ----------------------------------------------------------------------------------- */

/* All joints of a body: between them are links without mass. */
static void read_joints(mj_reader *M, const im_element *at, int parent, int link, const im_pose *X)
{
    im_reader *R = M->R;
    const im_element *joint[64];
    int n = 0;
    for (const im_element *e = NULL; (e = im_child(at, NULL, e)) != NULL;) {
        if (is(e->name, "joint") || is(e->name, "freejoint")) {
            if (n == (int)(sizeof joint / sizeof joint[0])) {
                im_fail(R, e, "a body has more than %d joints", n);
                return;
            }
            joint[n++] = e;
        }
    }
    if (n == 0) {
        char name[2 * IM_NAME];
        snprintf(name, sizeof name, "%.200s_fixed", R->link[link].name);
        im_joint *j = im_add_joint(R, at, name);
        j->parent = parent;
        j->child = link;
        j->a = *X;
    }
    for (int k = 0; k < n && R->st == DAL_OK; ++k) {
        int child = link;
        if (k + 1 < n) {
            char name[2 * IM_NAME];
            snprintf(name, sizeof name, "%.100s_part%d", R->link[link].name, k + 1);
            const im_pose here = R->link[link].place;
            child = R->nlinks;
            im_link *part = im_add_link(R, at, name);
            part->place = here;
            part->helper = 1;
        }
        add_joint(M, joint[k], parent, child, k == 0 ? X : &im_here);
        parent = child;
    }
}

/* Mass and principal moments at least as large as asked for; moments that no body has become their mean, if asked for. */
static void bound(const mj_reader *M, im_link *l)
{
    double d[3], q[4];
    l->m = fmax(l->m, M->least_mass);
    if (M->least_inertia <= 0.0 && !M->balanced) {
        return;
    }
    im_principal(d, q, l->J);
    double most = 0.0, sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        d[k] = fmax(d[k], M->least_inertia);
        most = fmax(most, d[k]);
        sum += d[k];
    }
    memset(l->J, 0, sizeof l->J);
    for (int k = 0; k < 3; ++k) {
        l->J[k] = M->balanced && sum - most < most ? sum / 3.0 : d[k];
    }
    im_turn_inertia(l->J, q);
}

static void read_mass(mj_reader *M, const im_element *at, int link)
{
    im_reader *R = M->R;
    const im_element *inertial = im_child(at, "inertial", NULL);
    const int weigh = M->from_geoms == 1 || (M->from_geoms == 2 && inertial == NULL);
    dal_shape_mass sum = {0};
    for (const im_element *e = at->first; e != NULL && R->st == DAL_OK;) {
        if (is(e->name, "geom")) {
            const im_pose X = in_body(M, e);
            im_mj_geom(M, &R->link[link], e, &X, weigh ? &sum : NULL);
        }
        // into frames, not into bodies
        e = is(e->name, "frame") && e->first != NULL ? e->first
            : e->next != NULL                        ? e->next
            : e->parent != at                        ? e->parent->next
                                                     : NULL;
    }
    im_link *l = &R->link[link];
    if (weigh && sum.m > 0.0) {
        l->m = sum.m;
        dal_shape_mass_finish(&sum, l->c, l->J);
    } else if (inertial != NULL) {
        read_inertial(M, l, inertial);
    }
    bound(M, l);
}

static void read_body(mj_reader *M, im_element *at)
{
    im_reader *R = M->R;
    const im_element *above = body_of(at);
    const int parent = above != NULL && is(above->name, "body") ? above->link : -1;
    const im_pose X = in_body(M, at);
    char name[IM_NAME];
    const char *given = im_attribute(at, "name");
    snprintf(name, sizeof name, "body%d", R->nlinks + 1);
    const int link = R->nlinks;
    at->link = link;
    im_link *l = im_add_link(R, at, given != NULL ? given : name);
    l->lift = im_number(R, at, "gravcomp", 0.0);
    im_compose(&l->place, parent >= 0 ? &R->link[parent].place : &im_here, &X);
    if (R->st == DAL_OK) {
        read_mass(M, at, link);
        read_joints(M, at, parent, link, &X);
    }
}

static void set_total_mass(const mj_reader *M)
{
    double sum = 0.0;
    for (int k = 0; k < M->R->nlinks; ++k) {
        sum += M->R->link[k].m;
    }
    for (int k = 0; k < M->R->nlinks && M->total_mass > 0.0 && sum > 0.0; ++k) {
        im_link *l = &M->R->link[k];
        l->m *= M->total_mass / sum;
        for (int i = 0; i < 6; ++i) {
            l->J[i] *= M->total_mass / sum;
        }
    }
}

static void read_bodies(mj_reader *M)
{
    im_reader *R = M->R;
    im_link ground = {.name = "ground"};
    for (const im_element *w = NULL; (w = im_child(M->root, "worldbody", w)) != NULL;) {
        for (const im_element *e = w; e != NULL && R->st == DAL_OK; e = im_mj_next(e, w)) {
            if (is(e->name, "body")) {
                read_body(M, (im_element *)e);
            } else if (is(e->name, "geom") && is(body_of(e)->name, "worldbody")) {
                const im_pose X = in_body(M, e);
                im_mj_geom(M, &ground, e, &X, NULL);
            } else if (is(e->name, "replicate") || is(e->name, "composite") || is(e->name, "flexcomp") ||
                       is(e->name, "attach")) {
                im_fail(R, e, "<%.40s> makes bodies, and is not read: write them, or save the model as compiled",
                        e->name);
            }
        }
    }
    R->ground = ground.shapes;
}

/* What is switched off as a whole. */
static void read_flags(im_reader *R, const im_element *option)
{
    static const char *const parts[] = {"equality", "limit",  "frictionloss", "passive",
                                        "spring",   "damper", "actuation",    "clampctrl"};
    const im_element *e = im_child(option, "flag", NULL);
    const char *gravity = im_attribute(e, "gravity");
    if (gravity != NULL && is(gravity, "disable")) {
        memset(R->gravity, 0, sizeof R->gravity);
    }
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        const char *value = im_attribute(e, parts[k]);
        if (value != NULL && is(value, "disable")) {
            im_tell(R, 1, "flag that switches a part off", parts[k]);
        }
    }
}

void im_mjcf(im_reader *R, const im_element *root)
{
    mj_reader M = {.R = R,
                   .root = root,
                   .angle = 3.14159265358979323846 / 180.0,
                   .sequence = "xyz",
                   .autolimits = 1,
                   .from_geoms = 2,
                   .groups = {0.0, 5.0},
                   .meshdir = ""};
    const char *name = im_attribute(root, "model");
    R->format = "MJCF";
    R->name = name != NULL ? name : "MuJoCo Model";
    R->gravity[2] = -9.81;
    im_mj_include(R, (im_element *)root);
    for (const im_element *e = NULL; (e = im_child(root, "compiler", e)) != NULL;) {
        read_compiler(&M, e);
    }
    for (const im_element *e = NULL; (e = im_child(root, "option", e)) != NULL;) {
        im_vector(R, e, "gravity", R->gravity, 3);
        read_flags(R, e);
    }
    if (R->st == DAL_OK) {
        im_mj_check(&M);
        read_bodies(&M);
    }
    if (R->nlinks == 0) {
        im_fail(R, root, "the model has no bodies");
    }
    void (*const parts[])(mj_reader * M) = {im_mj_equality, im_mj_tendons, im_mj_actuators, im_mj_keyframe};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && R->st == DAL_OK; ++k) {
        parts[k](&M);
    }
    set_total_mass(&M);
}
