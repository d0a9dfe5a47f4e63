/* The robot as a model file. Bodies stand at the initial pose, joints sit in frames of their bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "import/import_impl.h"

/* ---- bodies ----------------------------------------------------------------------------------- */

static void put_shape(im_reader *R, const im_shape *s, const im_pose *in_body, int first)
{
    static const char *const names[] = {
        [DAL_SHAPE_BOX] = "box",           [DAL_SHAPE_SPHERE] = "sphere",   [DAL_SHAPE_ELLIPSOID] = "ellipsoid",
        [DAL_SHAPE_CYLINDER] = "cylinder", [DAL_SHAPE_CAPSULE] = "capsule", [DAL_SHAPE_MESH] = "mesh"};
    dal_text *t = &R->text;
    const dal_shape *d = &s->shape;
    im_pose X;
    memcpy(X.p, d->position, sizeof X.p);
    memcpy(X.q, d->rotation, sizeof X.q);
    im_compose(&X, in_body, &X);
    dal_text_print(t, "%s\n      {\"%s\": ", first ? "" : ",", names[d->kind]);
    if (d->kind == DAL_SHAPE_MESH) {
        im_put_text(t, s->file);
        if (s->stretch[0] != s->stretch[1] || s->stretch[1] != s->stretch[2] || s->stretch[0] < 0.0) {
            im_put_key(t, "stretch");
            im_put_numbers(t, s->stretch, 3);
        } else if (s->stretch[0] != 1.0) {
            im_put_value(t, "scale", s->stretch[0]);
        }
    } else if (d->kind == DAL_SHAPE_SPHERE) {
        im_put_number(t, d->radius);
    } else if (d->kind == DAL_SHAPE_BOX || d->kind == DAL_SHAPE_ELLIPSOID) {
        im_put_numbers(t, d->size, 3);
    } else {
        im_put_numbers(t, (const double[2]){d->radius, d->length}, 2);
    }
    im_put_frame(t, "frame", &X);
    if (d->coloured) {
        im_put_key(t, "colour");
        im_put_numbers(t, d->colour, 3);
    }
    if (d->opacity > 0.0 && d->opacity < 1.0) {
        im_put_value(t, "opacity", d->opacity);
    }
    dal_text_put(t, "}");
}

/* Shapes of all links of a body; -1: of the ground. */
static int put_shapes(im_reader *R, int body, const char *key)
{
    int n = 0;
    for (int k = 0; k < R->nlinks; ++k) {
        const im_link *l = &R->link[k];
        for (const im_shape *s = l->body == body ? l->shapes : NULL; s != NULL; s = s->next) {
            if (n++ == 0) {
                dal_text_print(&R->text, "%s\"%s\": [", body < 0 ? "" : ",\n     ", key);
            }
            put_shape(R, s, &l->in_body, n == 1);
        }
    }
    for (const im_shape *s = body < 0 ? R->ground : NULL; s != NULL; s = s->next) {
        if (n++ == 0) {
            dal_text_print(&R->text, "\"%s\": [", key);
        }
        put_shape(R, s, &im_here, n == 1);
    }
    dal_text_put(&R->text, n > 0 ? "]" : "");
    return n;
}

static void put_body(im_reader *R, const im_link *l, int *n)
{
    dal_text *t = &R->text;
    double most = 0.0;
    im_begin(R, n, l->name, strcmp(l->name, "ground") == 0 ? "link" : "");
    im_put_key(t, "mass");
    im_put_number(t, l->bm);
    for (int k = 0; k < 6; ++k) {
        most = fmax(most, fabs(l->bJ[k]));
    }
    if (most > 0.0 || l->bm > 0.0) {
        im_put_key(t, "inertia");
        im_put_numbers(t, l->bJ, 6);
    }
    if (l->bm > 0.0) {
        im_put_key(t, "com");
        im_put_numbers(t, l->bc, 3);
    }
    dal_text_put(t, ",\n     \"position\": ");
    im_put_numbers(t, l->place.p, 3);
    im_put_key(t, "rotation");
    im_put_numbers(t, l->place.q, 4);
    for (int k = 0; k < 3; ++k) {
        if (l->v[k] != 0.0 || l->w[k] != 0.0) {
            im_put_key(t, "velocity");
            im_put_numbers(t, l->v, 3);
            im_put_key(t, "angular_velocity_world");
            im_put_numbers(t, l->w, 3);
            break;
        }
    }
    put_shapes(R, (int)(l - R->link), "shape");
    dal_text_put(t, "}");
}

/* ---- joints ----------------------------------------------------------------------------------- */

static const char *body_name(const im_reader *R, int body)
{
    return strcmp(R->link[body].name, "ground") == 0 ? "ground_link" : R->link[body].name;
}

static void put_side(im_reader *R, const char *body_key, const char *frame_key, int link, const im_pose *frame)
{
    im_pose X = *frame;
    if (link >= 0) {
        im_compose(&X, &R->link[link].in_body, frame);
        if (R->link[link].body >= 0) {
            im_put_named(&R->text, body_key, body_name(R, R->link[link].body));
        }
    }
    im_put_frame(&R->text, frame_key, &X);
}

static void put_joint(im_reader *R, const im_joint *j, int *n)
{
    static const char *const types[IM_KINDS] = {"fixed", "revolute", "prismatic", "spherical",
                                                "",      "planar",   "screw",     "cylindrical"};
    if (j->kind == IM_FREE || (j->kind == IM_FIXED && !j->loop)) {
        return;
    }
    im_begin(R, n, j->name, "");
    im_put_named(&R->text, "type", types[j->kind]);
    put_side(R, "body_a", "frame_a", j->parent, &j->a);
    put_side(R, "body_b", "frame_b", j->child, &j->b);
    im_put_value(&R->text, "pitch", j->pitch);
    dal_text_put(&R->text, "}");
}

/* A stop on both sides. One that the initial pose is beyond would hold it there. */
static void put_stop(im_reader *R, const im_joint *j, int *n)
{
    if (!j->limited || j->kind == IM_FIXED) {
        return;
    }
    if (j->kind != IM_HINGE && j->kind != IM_SLIDE) {
        im_tell(R, 1, "stops of joints that are neither hinge nor slide", j->name);
    } else if (j->q[0] < j->range[0] || j->q[0] > j->range[1] || !(j->range[0] < j->range[1])) {
        im_tell(R, 1, "stops that the initial pose is beyond", j->name);
    } else {
        im_begin(R, n, j->name, "stop");
        dal_text_put(&R->text, ", \"type\": \"limit\"");
        im_put_named(&R->text, "joint", j->name);
        im_put_key(&R->text, "limits");
        im_put_numbers(&R->text, j->range, 2);
        dal_text_put(&R->text, "}");
    }
}

static void put_gear(im_reader *R, const im_gear *g, int *n)
{
    static const char *const keys[] = {"joint_1", "joint_2", "joint_3"};
    for (int k = 0; k < g->n; ++k) {
        if (R->joint[g->joint[k]].kind == IM_FIXED) {
            im_tell(R, 0, "couples joints one of which is held", g->name);
            return;
        }
    }
    im_begin(R, n, g->name, "");
    dal_text_put(&R->text, ", \"type\": \"gear\"");
    for (int k = 0; k < g->n; ++k) {
        im_put_named(&R->text, keys[k], R->joint[g->joint[k]].name);
    }
    im_put_key(&R->text, "ratio");
    im_put_numbers(&R->text, g->ratio, 2);
    if (g->n > 2) {
        im_put_value(&R->text, "ratio_3", g->ratio[2]);
    } else {
        dal_text_put(&R->text, ", \"torques_only\": true");
    }
    dal_text_put(&R->text, "}");
}

/* Dry friction: it sticks. */
static void put_brake(im_reader *R, const im_joint *j, int *n)
{
    if (j->friction != 0.0 && R->opt.friction == DAL_FRICTION_RIGID && (j->kind == IM_HINGE || j->kind == IM_SLIDE)) {
        im_begin(R, n, j->name, "friction");
        dal_text_put(&R->text, ", \"type\": \"brake\"");
        im_put_named(&R->text, "joint", j->name);
        im_put_value(&R->text, "limit", j->friction);
        dal_text_put(&R->text, "}");
    }
}

/* ---- forces ----------------------------------------------------------------------------------- */

/* "inputs": {"x1": ..., "v1": ...} */
static void put_inputs(im_reader *R, const int *joint, int n, int x, int v)
{
    dal_text *t = &R->text;
    im_put_key(t, "inputs");
    const char *between = "{";
    for (int k = 0; k < 2 * n; ++k) {
        if (k < n ? x : v) {
            dal_text_print(t, "%s\"%c%d\": {\"joint\": ", between, k < n ? 'x' : 'v', k % n + 1);
            im_put_text(t, R->joint[joint[k % n]].name);
            dal_text_put(t, k < n ? "}" : ", \"rate\": true}");
            between = ", ";
        }
    }
    dal_text_put(t, "}");
}

/* Inertia of a rotor on the coordinate; smooth friction, nearly full from `slip` on. */
static void put_rotor(im_reader *R, const im_joint *j, int *n)
{
    static const double slip = 1e-2; // rad/s or m/s
    dal_text *t = &R->text;
    char size[DAL_NUMBER_SIZE];
    if (j->armature != 0.0) {
        im_begin(R, n, j->name, "armature");
        dal_text_put(t, ", \"type\": \"armature\"");
        im_put_named(t, "joint", j->name);
        im_put_value(t, "inertia", j->armature);
        dal_text_put(t, "}");
    }
    if (j->friction != 0.0 && R->opt.friction == DAL_FRICTION_SMOOTH) {
        dal_number_format(size, j->friction);
        im_begin(R, n, j->name, "friction");
        dal_text_put(t, ", \"type\": \"law\"");
        im_put_named(t, "joint", j->name);
        dal_text_print(t, ", \"value\": \"-(%s)*tanh(v1/%g)\"", size, slip);
        put_inputs(R, (const int[1]){(int)(j - R->joint)}, 1, 0, 1);
        dal_text_put(t, "}");
    }
}

/* What belongs to a joint itself. */
static void put_passive(im_reader *R, const im_joint *j, int *n)
{
    dal_text *t = &R->text;
    if (j->kind == IM_FIXED) {
        return;
    }
    const int springs = j->damping != 0.0 || j->stiffness != 0.0;
    if ((j->kind == IM_FREE || j->kind == IM_PLANAR) && springs) {
        im_tell(R, 1, "damping or stiffness of a free or planar joint", j->name);
    }
    if (j->kind != IM_HINGE && j->kind != IM_SLIDE && (j->armature != 0.0 || j->friction != 0.0)) {
        im_tell(R, 1, "armature or friction of a joint that is neither hinge nor slide", j->name);
    } else {
        put_rotor(R, j, n);
    }
    if (j->kind == IM_BALL && springs) {
        const double k = j->stiffness, d = j->damping;
        im_begin(R, n, j->name, "passive");
        dal_text_put(t, ", \"type\": \"bushing\"");
        put_side(R, "body_a", "frame_a", j->parent, &j->a);
        put_side(R, "body_b", "frame_b", j->child, &j->b);
        im_put_key(t, "stiffness");
        im_put_numbers(t, (const double[6]){0.0, 0.0, 0.0, k, k, k}, 6);
        im_put_key(t, "damping");
        im_put_numbers(t, (const double[6]){0.0, 0.0, 0.0, d, d, d}, 6);
        dal_text_put(t, "}");
    } else if (j->kind != IM_FREE && j->kind != IM_PLANAR && springs) {
        im_begin(R, n, j->name, "passive");
        dal_text_put(t, ", \"type\": \"spring\"");
        im_put_named(t, "joint", j->name);
        im_put_value(t, "stiffness", j->stiffness);
        im_put_value(t, "damping", j->damping);
        im_put_value(t, "reference", j->stiffness != 0.0 ? j->rest : 0.0);
        dal_text_put(t, "}");
    }
}

/* (x), for expressions */
static void put_factor(dal_text *e, double x)
{
    char s[DAL_NUMBER_SIZE];
    dal_number_format(s, x);
    dal_text_print(e, x < 0.0 ? "(%s)" : "%s", s);
}

/* min(max( ... */
static void put_clamp(dal_text *e, const char *inner, int limited, const double range[2])
{
    if (!limited) {
        dal_text_put(e, inner);
        return;
    }
    dal_text_print(e, "min(max(%s,", inner);
    put_factor(e, range[0]);
    dal_text_put(e, "),");
    put_factor(e, range[1]);
    dal_text_put(e, ")");
}

/* (f1*x1 + ...) of the coordinates (x) or rates (v) of n joints */
static void put_sum(dal_text *e, const double *f, int n, char letter)
{
    for (int k = 0; k < n; ++k) {
        dal_text_put(e, k == 0 ? "(" : "+");
        if (f[k] != 1.0) {
            put_factor(e, f[k]);
            dal_text_put(e, "*");
        }
        dal_text_print(e, "%c%d", letter, k + 1);
    }
    dal_text_put(e, ")");
}

/* + factor*sum, of x by what it is beyond a range where that is given */
static void put_share(dal_text *e, double factor, const double *f, int n, char letter, const double *slack)
{
    if (factor == 0.0) {
        return;
    }
    dal_text_put(e, "+");
    put_factor(e, factor);
    dal_text_put(e, "*");
    if (!slack) {
        put_sum(e, f, n, letter);
        return;
    }
    for (int k = 0; k < 2; ++k) {
        dal_text_put(e, k == 0 ? "(min(0," : ")+max(0,");
        put_sum(e, f, n, letter);
        dal_text_put(e, "-");
        put_factor(e, slack[k]);
    }
    dal_text_put(e, "))");
}

/* A force with this value along each of n coordinates, times its factor. */
static void put_along(im_reader *R, const char *name, const char *value, const int *joint, const double *factor, int n,
                      int x, int v, int *count)
{
    dal_text *t = &R->text;
    for (int k = 0; k < n; ++k) {
        dal_text e = {.ctx = R->ctx};
        if (factor[k] != 1.0) {
            put_factor(&e, factor[k]);
            dal_text_put(&e, "*");
        }
        dal_text_print(&e, "(%s)", value);
        im_begin(R, count, name, n > 1 ? R->joint[joint[k]].name : "");
        im_put_named(t, "type", x || v ? "law" : "actuator");
        im_put_named(t, "joint", R->joint[joint[k]].name);
        im_put_named(t, x || v ? "value" : "function", e.failed ? "0" : e.s);
        if (x || v) {
            put_inputs(R, joint, n, x, v);
        }
        dal_text_put(t, "}");
        R->st = e.failed && R->st == DAL_OK ? DAL_ENOMEM : R->st;
        dal_text_release(&e);
    }
}

/* A force and a torque at a place of a link, which turn with it. */
static void put_wrench(im_reader *R, const im_input *u, const char *value, int *count)
{
    static const char *const types[] = {"force", "torque"};
    const im_link *l = &R->link[u->link];
    im_pose at;
    im_compose(&at, &l->in_body, &u->place);
    for (int k = 0; k < 2; ++k) {
        const double *given = u->wrench + 3 * k;
        im_pose arm = {{given[0], given[1], given[2]}, {1.0, 0.0, 0.0, 0.0}}, turn = {{0.0}, {0.0}};
        if (given[0] == 0.0 && given[1] == 0.0 && given[2] == 0.0) {
            continue;
        }
        memcpy(turn.q, at.q, sizeof turn.q);
        im_compose(&arm, &turn, &arm);
        im_begin(R, count, u->name, types[k]);
        im_put_named(&R->text, "type", types[k]);
        im_put_named(&R->text, "body", body_name(R, l->body));
        im_put_key(&R->text, "frame");
        im_put_numbers(&R->text, at.p, 3);
        im_put_key(&R->text, "vector");
        im_put_numbers(&R->text, arm.p, 3);
        im_put_named(&R->text, "function", value);
        dal_text_put(&R->text, ", \"follower\": true}");
    }
}

static void put_input(im_reader *R, const im_input *u, int *count)
{
    const im_tendon *tendon = u->tendon >= 0 ? &R->tendon[u->tendon] : NULL;
    const int n = tendon != NULL ? tendon->n
                  : u->link >= 0 ? 0
                                 : 1,
              *joint = tendon != NULL ? tendon->joint : &u->joint;
    dal_text command = {.ctx = R->ctx}, force = {.ctx = R->ctx}, value = {.ctx = R->ctx};
    double *factor = im_take(R, (size_t)n + 1, sizeof *factor);
    for (int k = 0; k < n && factor != NULL; ++k) {
        factor[k] = u->gear * (tendon != NULL ? tendon->factor[k] : 1.0);
        if (R->joint[joint[k]].kind == IM_FIXED) {
            im_tell(R, 0, "acts on a joint that is held", u->name);
            return;
        }
    }
    if (factor == NULL) {
        return;
    }
    if (u->variable[0] != '\0') {
        put_clamp(&command, u->variable, u->u_limited, u->u_range);
        if (u->gain != 1.0) {
            put_factor(&force, u->gain);
            dal_text_put(&force, "*");
        }
        dal_text_put(&force, command.failed ? "0" : command.s);
    }
    if (u->bias[0] != 0.0) {
        dal_text_put(&force, "+");
        put_factor(&force, u->bias[0]);
    }
    put_share(&force, u->bias[1], factor, n, 'x', u->slack);
    put_share(&force, u->bias[2], factor, n, 'v', NULL);
    put_clamp(&value, force.failed ? "0" : force.s, u->limited, u->range);
    if (u->link >= 0) {
        put_wrench(R, u, value.failed ? "0" : value.s, count);
    } else {
        put_along(R, u->name, value.failed ? "0" : value.s, joint, factor, n, u->bias[1] != 0.0, u->bias[2] != 0.0,
                  count);
    }
    R->st = (command.failed || force.failed || value.failed) && R->st == DAL_OK ? DAL_ENOMEM : R->st;
    dal_text_release(&command);
    dal_text_release(&force);
    dal_text_release(&value);
}

/* ---- the file --------------------------------------------------------------------------------- */

static void put_head(im_reader *R)
{
    dal_text *t = &R->text;
    const char *file = strrchr(R->path, '/');
    dal_text_put(t, "{\n  \"dalembert\": 1,\n  \"name\": ");
    im_put_text(t, R->name);
    dal_text_put(t, ",\n  \"title\": \"from ");
    // within one text: the quotes of put_text would end it
    for (const char *s = file != NULL ? file + 1 : R->path; *s != '\0'; ++s) {
        const int plain = (unsigned char)*s >= ' ' && *s != 127 && strchr("\"\\{}", *s) == NULL;
        dal_text_put_n(t, plain ? s : "_", 1);
    }
    dal_text_put(t, "\",\n");
    const char *between = "  \"inputs\": {";
    for (int k = 0; k < R->ninputs; ++k) {
        if (R->input[k].variable[0] != '\0') {
            dal_text_print(t, "%s\"%s\": ", between, R->input[k].variable);
            im_put_number(t, R->input[k].u);
            between = ", ";
            ++R->sum.inputs;
        }
    }
    dal_text_put(t, R->sum.inputs > 0 ? "},\n" : "");
    dal_text_put(t, "  \"gravity\": ");
    im_put_numbers(t, R->gravity, 3);
}

static void put_joints(im_reader *R)
{
    int n = 0;
    dal_text_put(&R->text, "],\n  \"joints\": [");
    for (int k = 0; k < R->njoints; ++k) {
        put_joint(R, &R->joint[k], &n);
    }
    for (int k = 0; k < R->ngears; ++k) {
        put_gear(R, &R->gear[k], &n);
    }
    for (int k = 0; k < R->njoints; ++k) {
        put_stop(R, &R->joint[k], &n);
        put_brake(R, &R->joint[k], &n);
    }
    for (int k = 0; k < R->ntendons; ++k) {
        im_put_tendon_joints(R, &R->tendon[k], &n);
    }
}

/* A force at the centre of mass of a link, against its weight. */
static void put_lift(im_reader *R, const im_link *l, int *n)
{
    im_pose centre = im_here;
    double f[3];
    if (l->lift == 0.0 || l->m == 0.0 || l->body < 0) {
        return;
    }
    memcpy(centre.p, l->c, sizeof centre.p);
    im_compose(&centre, &l->in_body, &centre);
    for (int k = 0; k < 3; ++k) {
        f[k] = -l->lift * l->m * R->gravity[k];
    }
    im_begin(R, n, l->name, "gravcomp");
    dal_text_put(&R->text, ", \"type\": \"force\"");
    im_put_named(&R->text, "body", body_name(R, l->body));
    im_put_key(&R->text, "frame");
    im_put_numbers(&R->text, centre.p, 3);
    im_put_key(&R->text, "vector");
    im_put_numbers(&R->text, f, 3);
    dal_text_put(&R->text, "}");
}

static void put_forces(im_reader *R)
{
    int n = 0;
    dal_text_put(&R->text, "],\n  \"forces\": [");
    for (int k = 0; k < R->njoints; ++k) {
        put_passive(R, &R->joint[k], &n);
    }
    for (int k = 0; k < R->nlinks; ++k) {
        put_lift(R, &R->link[k], &n);
    }
    for (int k = 0; k < R->ninputs; ++k) {
        put_input(R, &R->input[k], &n);
    }
}

/* Coordinates of joints, places of free bodies and of links that were merged and carry nothing. */
static void put_outputs(im_reader *R)
{
    dal_text *t = &R->text;
    int n = 0;
    dal_text_put(t, "],\n  \"outputs\": [");
    for (int k = 0; k < R->nlinks; ++k) {
        const im_link *l = &R->link[R->order[k]];
        const im_joint *j = &R->joint[l->joint];
        if (l->body >= 0 && j->kind != IM_FREE && j->kind != IM_BALL && j->kind != IM_PLANAR && j->kind != IM_FIXED) {
            dal_text_print(t, "%s\n    {\"quantity\": \"coordinate\"", n++ > 0 ? "," : "");
            im_put_named(t, "joint", j->name);
            dal_text_put(t, "}");
        } else if (l->body >= 0 && (j->kind != IM_FIXED || l->children == 0)) {
            im_begin(R, &n, l->name, "position");
            dal_text_put(t, ", \"quantity\": \"position\"");
            im_put_named(t, "body", body_name(R, l->body));
            im_put_frame(t, "frame", &l->in_body);
            dal_text_put(t, "}");
        }
    }
    dal_text_print(t, "%s\n    \"energy\"\n  ]", n > 0 ? "," : "");
}

void im_write(im_reader *R)
{
    dal_text *t = &R->text;
    int n = 0;
    for (int k = 0; k < R->njoints; ++k) { // joints that follow others
        const im_joint *j = &R->joint[k];
        char name[2 * IM_NAME];
        if (j->leader >= 0) {
            snprintf(name, sizeof name, "%.200s_mimic", j->name);
            im_gear *g = im_add_gear(R, name);
            g->n = 2;
            g->joint[0] = k;
            g->joint[1] = j->leader;
            g->ratio[0] = 1.0;
            g->ratio[1] = -j->factor;
        }
    }
    put_head(R);
    dal_text_put(t, ",\n  \"bodies\": [");
    for (int k = 0; k < R->nlinks; ++k) {
        if (R->link[R->order[k]].body == R->order[k]) {
            put_body(R, &R->link[R->order[k]], &n);
        }
    }
    for (int k = 0; k < R->ntendons; ++k) {
        im_put_tendon_points(R, &R->tendon[k], &n);
    }
    put_joints(R);
    put_forces(R);
    put_outputs(R);
    dal_text_put(t, ",\n  \"view\": {");
    (void)put_shapes(R, -1, "ground");
    dal_text_put(t, "}");
    // loops of robots hold more than they need: planar ones are closed by joints in space
    dal_text_put(t, R->sum.loops > 0 ? ",\n  \"assembly\": {}" : "");
    dal_text_print(t, ",\n  \"simulation\": {\"t_end\": 1%s}\n}\n",
                   R->sum.loops > 0 ? ", \"redundant\": \"drop\"" : "");
    R->st = t->failed && R->st == DAL_OK ? dal_fail(R->ctx, DAL_ENOMEM, "no memory for the model") : R->st;
}
