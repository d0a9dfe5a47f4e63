/* Attributes of MJCF: default classes, orientations, included files, and what nobody reads. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/lie.h"
#include "import/mjcf_impl.h"

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static const char actuators[] = " general motor position velocity intvelocity damper cylinder muscle adhesion plugin ";

const im_element *im_mj_next(const im_element *at, const im_element *top)
{
    if (at->first != NULL) {
        return at->first;
    }
    while (at != top && at->next == NULL) {
        at = at->parent;
    }
    return at != top ? at->next : NULL;
}

/* ---- default classes -------------------------------------------------------------------------- */

/* The <default> of a class; NULL: the outermost. */
static const im_element *class_of(const mj_reader *M, const char *name)
{
    for (const im_element *top = NULL; (top = im_child(M->root, "default", top)) != NULL;) {
        for (const im_element *e = top; e != NULL; e = im_mj_next(e, top)) {
            const char *own = is(e->name, "default") ? im_attribute(e, "class") : NULL;
            if (name == NULL || (own != NULL && is(own, name)) || (e == top && is(name, "main"))) {
                return e;
            }
        }
    }
    return NULL;
}

/* What a class says about elements like this one. */
static const im_element *default_of(const im_element *in, const im_element *like, const char *name)
{
    for (const im_element *e = NULL; (e = im_child(in, NULL, e)) != NULL;) {
        const int same = is(e->name, like->name) || (im_is_in(e->name, actuators) && im_is_in(like->name, actuators)) ||
                         (is(e->name, "tendon") && (is(like->name, "fixed") || is(like->name, "spatial")));
        if (same && im_attribute(e, name) != NULL) {
            return e;
        }
    }
    return NULL;
}

const char *im_mj_get(const mj_reader *M, const im_element *at, const char *name)
{
    const char *value = im_attribute(at, name), *class = im_attribute(at, "class");
    for (const im_element *e = at->parent; class == NULL && e != NULL; e = e->parent) {
        class = im_attribute(e, "childclass");
    }
    if (value != NULL || is(name, "name") || is(name, "class")) {
        return value;
    }
    const im_element *in = class_of(M, class);
    if (in == NULL && class != NULL && !is(class, "main")) {
        im_fail(M->R, at, "there is no default class '%.60s'", class);
    }
    for (; in != NULL && is(in->name, "default"); in = in->parent) {
        const im_element *e = default_of(in, at, name);
        if (e != NULL) {
            return im_attribute(e, name);
        }
    }
    return NULL;
}

int im_mj_vector(const mj_reader *M, const im_element *at, const char *name, double *x, int least, int most)
{
    return im_numbers(M->R, at, name, im_mj_get(M, at, name), x, least, most);
}

double im_mj_number(const mj_reader *M, const im_element *at, const char *name, double otherwise)
{
    (void)im_mj_vector(M, at, name, &otherwise, 1, 1);
    return otherwise;
}

int im_mj_flag(const mj_reader *M, const im_element *at, const char *name, int otherwise)
{
    const char *text = im_mj_get(M, at, name);
    if (text == NULL || is(text, "auto")) {
        return otherwise;
    }
    if (!is(text, "true") && !is(text, "false")) {
        im_fail(M->R, at, "<%s>: '%s' is true or false, not '%.40s'", at->name, name, text);
    }
    return is(text, "true");
}

const im_element *im_mj_named(const mj_reader *M, const char *section, const char *tag, const char *name)
{
    for (const im_element *s = NULL; name != NULL && (s = im_child(M->root, section, s)) != NULL;) {
        for (const im_element *e = s; e != NULL; e = im_mj_next(e, s)) {
            const char *own = is(e->name, tag) ? im_attribute(e, "name") : NULL;
            if (own != NULL && is(own, name)) {
                return e;
            }
        }
    }
    return NULL;
}

/* ---- orientations ----------------------------------------------------------------------------- */

/* Angles about the axes of the sequence: small letters turn with the body, capitals do not. */
static void from_euler(double q[4], const double angle[3], const char *sequence)
{
    memcpy(q, im_here.q, sizeof im_here.q);
    for (int k = 0; k < 3; ++k) {
        const char letter = sequence[k];
        const int axis = letter >= 'x' ? letter - 'x' : letter - 'X';
        double w[3] = {0.0}, turn[4], product[4];
        w[axis] = angle[k];
        dal_quat_from_vector(turn, w);
        dal_quat_mul(product, letter >= 'x' ? q : turn, letter >= 'x' ? turn : q);
        memcpy(q, product, sizeof product);
    }
}

static double length(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* Two axes; the second is made normal to the first. */
static void from_axes(double q[4], const double xy[6])
{
    const double *x = xy, *y = xy + 3, n = length(x), s = (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / (n * n);
    double R[9];
    for (int k = 0; k < 3; ++k) {
        R[k] = x[k] / n;
        R[3 + k] = y[k] - s * x[k];
    }
    const double m = length(R + 3);
    for (int k = 0; k < 3; ++k) {
        R[3 + k] /= m;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        R[6 + k] = R[i] * R[3 + j] - R[j] * R[3 + i];
    }
    dal_quat_from_matrix(q, R);
}

im_pose im_mj_pose(const mj_reader *M, const im_element *at)
{
    im_pose X = im_here, frame;
    double x[6] = {0.0};
    im_mj_vector(M, at, "pos", X.p, 3, 3);
    if (im_mj_vector(M, at, "quat", X.q, 4, 4) > 0) {
        im_unit(X.q);
    } else if (im_mj_vector(M, at, "axisangle", x, 4, 4) > 0 && length(x) > 0.0) {
        const double s = x[3] * M->angle / length(x);
        dal_quat_from_vector(X.q, (const double[3]){s * x[0], s * x[1], s * x[2]});
    } else if (im_mj_vector(M, at, "euler", x, 3, 3) > 0) {
        from_euler(X.q, (const double[3]){x[0] * M->angle, x[1] * M->angle, x[2] * M->angle}, M->sequence);
    } else if (im_mj_vector(M, at, "xyaxes", x, 6, 6) > 0 && length(x) > 0.0 && length(x + 3) > 0.0) {
        from_axes(X.q, x);
    } else if (im_mj_vector(M, at, "zaxis", x, 3, 3) > 0 && length(x) > 0.0) {
        im_along(&frame, X.p, x);
        X = frame;
    }
    return X;
}

/* ---- included files --------------------------------------------------------------------------- */

void im_mj_include(im_reader *R, im_element *root)
{
    for (im_element *e = root; e != NULL && R->st == DAL_OK; e = (im_element *)im_mj_next(e, root)) {
        if (!is(e->name, "include")) {
            continue;
        }
        const char *why, *file = im_needed(R, e, "file");
        const char *path = im_path(R, file, im_folder_of(R, R->path), &why);
        path = path != NULL ? path : im_path(R, file, im_folder_of(R, e->file), &why);
        im_element *top = path != NULL ? im_xml_file(R, path) : NULL;
        if (path == NULL) {
            im_fail(R, e, "the file '%.200s' %s", file, why);
        }
        if (top == NULL || top->first == NULL) {
            continue;
        }
        // the children of its root follow the <include>
        for (im_element *c = top->first; c != NULL; c = c->next) {
            c->parent = e->parent;
        }
        top->last->next = e->next;
        e->next = top->first;
        e->parent->last = e->parent->last == e ? top->last : e->parent->last;
    }
}

/* ---- what nobody reads ------------------------------------------------------------------------ */

/* Attributes that are read; those that are no mechanics, which are counted. Others are told. "*": all of them and all elements within;
 * they are read elsewhere, or, with "-", counted. */
static const struct {
    const char *tag, *kept, *aside;
} known[] = {
    {"mujoco", " model ", " "},
    {"mujocoinclude", " ", " "},
    {"include", " file ", " "},
    {"compiler",
     " angle eulerseq autolimits inertiafromgeom inertiagrouprange meshdir assetdir boundmass boundinertia "
     "settotalmass balanceinertia ",
     " texturedir discardvisual convexhull usethread fusestatic strippath saveinertial "
     "alignfree fitaabb "},
    {"option", " gravity ",
     " timestep integrator solver cone iterations tolerance ls_iterations ls_tolerance noslip_iterations "
     "noslip_tolerance impratio "
     "jacobian collision mpr_iterations mpr_tolerance ccd_iterations ccd_tolerance apirate o_margin o_solref o_solimp "
     "o_friction magnetic "
     "sdf_iterations sdf_initpoints actuatorgroupdisable "},
    {"default", " class ", " "},
    {"worldbody", " ", " "},
    {"body", " name pos quat axisangle euler xyaxes zaxis childclass gravcomp ", " user "},
    {"frame", " pos quat axisangle euler xyaxes zaxis childclass ", " name "},
    {"inertial", " pos quat axisangle euler xyaxes zaxis mass diaginertia fullinertia ", " "},
    {"joint",
     " name class type pos axis ref range limited damping frictionloss armature stiffness springref joint coef joint1 "
     "joint2 polycoef active actuatorfrcrange actuatorfrclimited ",
     " group margin solreflimit solimplimit solreffriction solimpfriction user "
     "solref solimp "},
    {"freejoint", " name ", " group align "},
    {"geom",
     " name class type pos quat axisangle euler xyaxes zaxis size fromto mesh mass density rgba material group ",
     " contype conaffinity condim friction solref solimp margin gap priority user solmix "},
    {"fixed", " name class stiffness damping springlength limited range ",
     " group margin solreflimit solimplimit solreffriction solimpfriction width rgba material "},
    {"tendon", " stiffness damping springlength limited range ",
     " group margin solreflimit solimplimit solreffriction solimpfriction width rgba material "},
    {"connect", " name class body1 body2 anchor site1 site2 active ", " solref solimp "},
    {"weld", " name class body1 body2 relpose site1 site2 active ", " solref solimp torquescale anchor "},
    {"motor", " name class joint jointinparent tendon site gear ctrlrange ctrllimited forcerange forcelimited ",
     " group user "},
    {"position",
     " name class joint jointinparent tendon gear ctrlrange ctrllimited forcerange forcelimited kp kv dampratio "
     "inheritrange ",
     " group user "},
    {"velocity", " name class joint jointinparent tendon gear ctrlrange ctrllimited forcerange forcelimited kv ",
     " group user "},
    {"general",
     " name class joint jointinparent tendon site gear ctrlrange ctrllimited forcerange forcelimited gaintype biastype "
     "gainprm biasprm dyntype ",
     " group user dynprm actlimited actrange "},
    {"key", " name qpos qvel ctrl ", " time act mpos mquat "},
    {"equality", " ", " solref solimp "},
    {"actuator", " ", " "},
    {"keyframe", " ", " "},
    {"asset", " ", " "},
    {"mesh", " name class file scale ", " smoothnormal maxhullvert content_type "},
    {"material", "*", " "},
    {"texture", "*", "-"},
    {"site", "*", " "},
    {"camera", "*", "-"},
    {"light", "*", "-"},
    {"size", "*", "-"},
    {"visual", "*", "-"},
    {"statistic", "*", "-"},
    {"sensor", "*", "-"},
    {"custom", "*", "-"},
    {"contact", "*", "-"},
    {"flag", "*", " "},
    {"lengthrange", "*", "-"},
};

/* How often something without mechanics was met. */
typedef struct tally {
    const char *name;
    int times;
} tally;
enum { TALLIES = 200 };

static void add_to(tally list[TALLIES], const char *name, int times)
{
    int k = 0;
    while (k < TALLIES - 1 && list[k].name != NULL && !is(list[k].name, name)) {
        ++k;
    }
    list[k].name = name;
    list[k].times += times;
}

static void tell_all(im_reader *R, const char *what, const tally list[TALLIES])
{
    for (int k = 0; k < TALLIES && list[k].name != NULL; ++k) {
        char name[2 * IM_NAME];
        snprintf(name, sizeof name, list[k].times > 1 ? "%.100s (%d)" : "%.100s", list[k].name, list[k].times);
        im_tell(R, 0, what, name);
    }
}

/* An element without mechanics: it counts, or what is in it. */
static void count_element(tally list[TALLIES], const im_element *e)
{
    int n = 0;
    for (const im_element *c = NULL; (c = im_child(e, NULL, c)) != NULL;) {
        ++n;
    }
    add_to(list, e->name, n > 0 ? n : 1);
}

static void check_attributes(im_reader *R, const im_element *e, size_t row, tally aside[TALLIES])
{
    for (int k = 0; e->attribute[k] != NULL; k += 2) {
        char name[2 * IM_NAME];
        const char *key = e->attribute[k], *own = im_attribute(e, "name");
        if (im_is_in(key, known[row].aside)) {
            add_to(aside, key, 1);
        }
        if (im_is_in(key, known[row].kept) || im_is_in(key, known[row].aside)) {
            continue;
        }
        snprintf(name, sizeof name, "%.60s%s%.100s%s", e->name, own != NULL ? " '" : "", own != NULL ? own : "",
                 own != NULL ? "'" : "");
        char what[IM_NAME];
        snprintf(what, sizeof what, "attribute '%.60s'", key);
        im_tell(R, 1, what, name);
    }
}

void im_mj_check(const mj_reader *M)
{
    tally elements[TALLIES] = {{NULL, 0}}, attributes[TALLIES] = {{NULL, 0}};
    for (const im_element *e = M->root; e != NULL;) {
        size_t row = 0;
        while (row < sizeof known / sizeof known[0] && !is(known[row].tag, e->name)) {
            ++row;
        }
        const int found = row < sizeof known / sizeof known[0], whole = !found || known[row].kept[0] == '*';
        if (!found) {
            const char *name = im_attribute(e, "name");
            char what[IM_NAME];
            snprintf(what, sizeof what, "element <%.60s>", e->name);
            im_tell(M->R, 1, what, name != NULL ? name : e->parent != NULL ? e->parent->name : "");
        } else if (!whole) {
            check_attributes(M->R, e, row, attributes);
        } else if (known[row].aside[0] == '-' && (e->parent == NULL || !is(e->parent->name, "default"))) {
            count_element(elements, e);
        }
        if (!whole) {
            e = im_mj_next(e, M->root);
            continue;
        }
        while (e != M->root && e->next == NULL) { // past what is within
            e = e->parent;
        }
        e = e != M->root ? e->next : NULL;
    }
    tell_all(M->R, "elements that are no mechanics here", elements);
    tell_all(M->R, "attributes for the solver, for contacts and for tools", attributes);
}
