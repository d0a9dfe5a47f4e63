/* What a description means: initial poses and velocities, which links are one body, what they weigh. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "dalembert/lie.h"
#include "import/import_impl.h"

/* ---- the tree --------------------------------------------------------------------------------- */

/* The first joint to a link carries it, others close loops; then parents before children. */
static void sort_links(im_reader *R)
{
    int *head = im_take(R, (size_t)R->nlinks + 1, sizeof *head),
        *next = im_take(R, (size_t)R->njoints + 1, sizeof *next);
    R->order = im_take(R, (size_t)R->nlinks + 1, sizeof *R->order);
    if (R->order == NULL) {
        return;
    }
    memset(head, -1, ((size_t)R->nlinks + 1) * sizeof *head);
    for (int k = R->njoints - 1; k >= 0; --k) {
        const im_joint *j = &R->joint[k];
        if (!j->loop) {
            next[k] = head[j->parent + 1];
            head[j->parent + 1] = k;
        }
    }
    for (int done = -1; done < R->reached; ++done) {
        const int link = done < 0 ? -1 : R->order[done];
        for (int k = head[link + 1]; k >= 0; k = next[k]) {
            R->order[R->reached++] = R->joint[k].child;
        }
    }
    if (R->reached < R->nlinks) {
        char *seen = im_take(R, (size_t)R->nlinks, 1);
        for (int k = 0; seen != NULL && k < R->reached; ++k) {
            seen[R->order[k]] = 1;
        }
        const char *missing = seen != NULL ? memchr(seen, 0, (size_t)R->nlinks) : NULL;
        const im_link *l = missing != NULL ? &R->link[missing - seen] : R->link;
        im_fail(R, l->at, "link '%.100s' is its own ancestor: the joints form a cycle without a root", l->name);
    }
}

static void find_carriers(im_reader *R)
{
    for (int k = 0; k < R->njoints && R->st == DAL_OK; ++k) {
        im_joint *j = &R->joint[k];
        if (j->parent >= 0) {
            ++R->link[j->parent].children;
        }
        if (!j->loop && R->link[j->child].joint >= 0) {
            j->loop = 1;
            im_tell(R, 0, "closes a loop: its child has another parent already", j->name);
        } else if (!j->loop) {
            R->link[j->child].joint = k;
        }
        if (j->loop && j->kind == IM_FREE) {
            im_fail(R, j->at, "joint '%.100s' leaves its child free, which another joint carries", j->name);
        }
    }
}

/* ---- initial values --------------------------------------------------------------------------- */

/* Numbers of a joint of this kind: coordinates, rates. */
static const int sizes[IM_KINDS][2] = {
    [IM_HINGE] = {1, 1},  [IM_SLIDE] = {1, 1}, [IM_BALL] = {4, 3},       [IM_FREE] = {7, 6},
    [IM_PLANAR] = {3, 3}, [IM_SCREW] = {1, 1}, [IM_CYLINDRICAL] = {2, 2}};

static void wrong_value(im_reader *R, const char *text, const char *why)
{
    if (R->st == DAL_OK) {
        R->st = dal_fail(R->ctx, DAL_EOPTION, "%s: initial value '%.100s': %s", R->path, text, why);
    }
}

/* "elbow=0.3", "elbow'=0.1", "base=0,0,1,1,0,0,0" */
static void set_value(im_reader *R, const char *text)
{
    const char *equals = strrchr(text, '=');
    char name[IM_NAME], why[200];
    const int n = equals != NULL ? (int)(equals - text) : 0, rate = n > 1 && text[n - 1] == '\'';
    if (n == 0 || n >= IM_NAME) {
        wrong_value(R, text, "expected JOINT=NUMBER, or JOINT'=NUMBER for its rate");
        return;
    }
    snprintf(name, sizeof name, "%.*s", n - rate, text);
    const int k = im_find_joint(R, name);
    const int count = k >= 0 ? sizes[R->joint[k].kind][rate] : 0;
    if (count == 0) {
        snprintf(why, sizeof why, k < 0 ? "there is no joint '%.100s'" : "joint '%.100s' does not move", name);
        wrong_value(R, text, why);
        return;
    }
    double *x = rate ? R->joint[k].v : R->joint[k].q;
    const char *p = equals + 1;
    for (int i = 0; i < count; ++i) {
        const size_t length = strcspn(p, ",");
        if (!dal_number_parse(&x[i], p, length) || (p[length] == ',') != (i + 1 < count)) {
            snprintf(why, sizeof why, "joint '%.100s' takes %d number%s", name, count,
                     count > 1 ? "s, between commas" : "");
            wrong_value(R, text, why);
            return;
        }
        p += length + 1;
    }
}

/* Joints that follow others begin where these put them. Their friction is felt there: as rows of their own both would hold the same coordinate. */
static void follow(im_reader *R)
{
    for (int k = 0; k < R->njoints; ++k) {
        double factor = 1.0, offset = 0.0;
        int at = k, n = 0;
        for (; R->joint[at].leader >= 0 && n <= R->njoints; at = R->joint[at].leader, ++n) {
            offset += factor * R->joint[at].offset;
            factor *= R->joint[at].factor;
        }
        if (n > R->njoints) {
            im_fail(R, R->joint[k].at, "joint '%.100s' follows itself", R->joint[k].name);
            return;
        }
        if (n > 0) {
            R->joint[k].q[0] = offset + factor * R->joint[at].q[0];
            R->joint[k].v[0] = factor * R->joint[at].v[0];
            R->joint[at].friction += fabs(factor) * R->joint[k].friction;
            R->joint[k].friction = 0.0;
        }
    }
}

/* ---- kinematics ------------------------------------------------------------------------------- */

/* Motion of the joint: place of its moved frame in frame a; velocity in the axes of a, angular velocity in those of the moved frame. */
static void motion_of(const im_joint *j, im_pose *X, double v[3], double w[3])
{
    const double *q = j->q, *d = j->v, per = j->pitch / (2.0 * 3.14159265358979323846);
    *X = im_here;
    memset(v, 0, 3 * sizeof *v);
    memset(w, 0, 3 * sizeof *w);
    double angle = 0.0;
    switch (j->kind) {
    case IM_SLIDE:
        X->p[2] = q[0];
        v[2] = d[0];
        break;
    case IM_BALL:
    case IM_FREE:
        memcpy(X->q, j->kind == IM_FREE ? q + 3 : q, sizeof X->q);
        memcpy(X->p, q, j->kind == IM_FREE ? sizeof X->p : 0);
        memcpy(v, d, j->kind == IM_FREE ? 3 * sizeof *v : 0);
        memcpy(w, j->kind == IM_FREE ? d + 3 : d, 3 * sizeof *w);
        im_unit(X->q);
        break;
    case IM_PLANAR:
        memcpy(X->p, q, 2 * sizeof *q);
        memcpy(v, d, 2 * sizeof *d);
        angle = q[2];
        w[2] = d[2];
        break;
    case IM_HINGE:
    case IM_SCREW:
    case IM_CYLINDRICAL:
        angle = q[0];
        w[2] = d[0];
        X->p[2] = j->kind == IM_SCREW ? per * q[0] : j->kind == IM_CYLINDRICAL ? q[1] : 0.0;
        v[2] = j->kind == IM_SCREW ? per * d[0] : j->kind == IM_CYLINDRICAL ? d[1] : 0.0;
        break;
    default:
        break;
    }
    if (angle != 0.0) {
        dal_quat_from_vector(X->q, (const double[3]){0.0, 0.0, angle});
    }
}

static void add_cross(double v[3], const double w[3], const double a[3], const double b[3])
{
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    v[0] += w[1] * z - w[2] * y;
    v[1] += w[2] * x - w[0] * z;
    v[2] += w[0] * y - w[1] * x;
}

static void place(im_reader *R, im_link *l)
{
    static const im_link ground = {.place = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}}};
    const im_joint *j = &R->joint[l->joint];
    const im_link *parent = j->parent >= 0 ? &R->link[j->parent] : &ground;
    im_pose A, X, moved, back;
    double v[3], w[3], y[3];
    motion_of(j, &X, v, w);
    im_compose(&A, &parent->place, &j->a);
    im_compose(&moved, &A, &X);
    im_relative(&back, &j->b, &im_here);
    im_compose(&l->place, &moved, &back);
    memcpy(l->v, parent->v, sizeof l->v);
    memcpy(l->w, parent->w, sizeof l->w);
    add_cross(l->v, parent->w, moved.p, parent->place.p);
    dal_quat_rotate(y, A.q, v);
    for (int k = 0; k < 3; ++k) {
        l->v[k] += y[k];
    }
    dal_quat_rotate(y, moved.q, w);
    for (int k = 0; k < 3; ++k) {
        l->w[k] += y[k];
    }
    add_cross(l->v, l->w, l->place.p, moved.p);
}

/* ---- mass ------------------------------------------------------------------------------------- */

/* Is the tensor that of a body? Otherwise what the policy says. */
static void check_inertia(im_reader *R, im_link *l)
{
    static const double rounding = 1e-12; // m^2: radii of gyration below a micrometre
    double d[3], s[3], q[4], J[6] = {0.0};
    im_principal(d, q, l->J);
    const double trace = d[0] + d[1] + d[2], most = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
    if (most > 0.0 && most < rounding * l->m) {
        im_tell(R, 2, "this inertia is nothing but rounding: taken as zero", l->name);
        memset(l->J, 0, sizeof l->J);
        return;
    }
    double least = most;
    for (int k = 0; k < 3; ++k) {
        s[k] = 0.5 * trace - d[k];
        least = fmin(least, fmin(s[k], d[k]));
    }
    if (l->m < 0.0) {
        im_fail(R, l->at, "link '%.100s' has the mass %g", l->name, l->m);
    }
    if (least >= -1e-7 * most) {
        return;
    }
    if (R->opt.inertia == DAL_INERTIA_REFUSE) {
        im_fail(R, l->at, "no body has the inertia of link '%.100s' (principal moments %.6g, %.6g, %.6g)", l->name,
                d[0], d[1], d[2]);
        return;
    }
    if (R->opt.inertia == DAL_INERTIA_KEEP && fmin(d[0], fmin(d[1], d[2])) >= -1e-9 * most) {
        im_tell(R, 0, "no body has this inertia: one principal moment exceeds the sum of the others (kept)", l->name);
        return;
    }
    im_tell(R, 2, "no body has this inertia: its principal moments are raised", l->name);
    for (int k = 0; k < 3; ++k) {
        s[k] = fmax(s[k], 0.0);
    }
    for (int k = 0; k < 3; ++k) {
        J[k] = s[(k + 1) % 3] + s[(k + 2) % 3];
    }
    im_turn_inertia(J, q);
    memcpy(l->J, J, sizeof J);
}

/* What all links of a subtree are as one, in world axes. */
typedef struct heap {
    double m, c[3], J[6];
} heap;

/* Along or about the axis of a joint. */
static double moved_inertia(const heap *h, const im_reader *R, const im_joint *j)
{
    double a[3], r[3];
    im_pose B;
    im_compose(&B, &R->link[j->child].place, &j->b);
    dal_quat_rotate(a, B.q, (const double[3]){0.0, 0.0, 1.0});
    for (int i = 0; i < 3; ++i) {
        r[i] = h->c[i] - B.p[i];
    }
    const double along = a[0] * r[0] + a[1] * r[1] + a[2] * r[2], far = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    const double *H = h->J;
    const double turned = H[0] * a[0] * a[0] + H[1] * a[1] * a[1] + H[2] * a[2] * a[2] +
                          2.0 * (H[3] * a[0] * a[1] + H[4] * a[0] * a[2] + H[5] * a[1] * a[2]);
    return j->kind == IM_SLIDE ? h->m : turned + h->m * (far - along * along);
}

/* Damping of actuators that is given as a ratio of the critical one, for the inertia that their joints move at the reference pose (those
 * of a tendon one after the other, the others held). */
static void find_damping(im_reader *R)
{
    int wanted = 0;
    for (int k = 0; k < R->ninputs; ++k) {
        wanted |= R->input[k].damp_ratio > 0.0;
    }
    heap *all = wanted ? im_take(R, (size_t)R->nlinks + 1, sizeof *all) : NULL;
    for (int k = 0; k < R->nlinks && all != NULL; ++k) {
        im_link *l = &R->link[R->order[k]];
        im_joint *j = &R->joint[l->joint];
        im_joint now = *j;
        memcpy(j->q, j->reference, sizeof j->q);
        place(R, l);
        memcpy(j->q, now.q, sizeof j->q);
    }
    for (int k = R->nlinks - 1; k >= 0 && all != NULL; --k) {
        im_link *l = &R->link[R->order[k]];
        const im_joint *j = &R->joint[l->joint];
        heap *own = &all[R->order[k]];
        double J[6], c[3];
        memcpy(J, l->J, sizeof J);
        im_turn_inertia(J, l->place.q);
        dal_quat_rotate(c, l->place.q, l->c);
        for (int i = 0; i < 3; ++i) {
            c[i] += l->place.p[i];
        }
        im_add_mass(&own->m, own->c, own->J, l->m, c, J);
        if (j->parent >= 0) {
            heap *up = &all[j->parent];
            im_add_mass(&up->m, up->c, up->J, own->m, own->c, own->J);
        }
    }
    for (int k = 0; k < R->ninputs && all != NULL; ++k) {
        im_input *u = &R->input[k];
        const im_tendon *t = u->tendon >= 0 ? &R->tendon[u->tendon] : NULL;
        double moved = 0.0; // as the actuator feels it
        for (int i = 0; i < (t != NULL ? t->n : 1) && u->damp_ratio > 0.0; ++i) {
            const im_joint *j = &R->joint[t != NULL ? t->joint[i] : u->joint];
            const double ratio = u->gear * (t != NULL ? t->factor[i] : 1.0);
            moved += ratio != 0.0 ? (moved_inertia(&all[j->child], R, j) + j->armature) / (ratio * ratio) : 0.0;
        }
        if (u->damp_ratio > 0.0) {
            u->bias[2] = -2.0 * u->damp_ratio * sqrt(u->gain * moved);
        }
    }
}

/* What each link carries; joints that move no mass are held. */
static void weigh(im_reader *R)
{
    for (int k = 0; k < R->njoints; ++k) {
        const im_joint *j = &R->joint[k];
        for (int side = 0; side < 2 && j->loop; ++side) {
            const int link = side == 0 ? j->parent : j->child;
            if (link >= 0) {
                R->link[link].looped = 1;
            }
        }
    }
    for (int k = R->nlinks - 1; k >= 0; --k) {
        im_link *l = &R->link[R->order[k]];
        im_joint *j = &R->joint[l->joint];
        l->below += l->m + fabs(l->J[0]) + fabs(l->J[1]) + fabs(l->J[2]);
        if (j->parent >= 0) {
            R->link[j->parent].below += l->below;
            R->link[j->parent].looped |= l->looped;
        }
        if (l->below == 0.0 && !l->looped && j->kind != IM_FIXED) {
            im_tell(R, 2, "moves no mass: held at its initial place", j->name);
            j->held = 1;
        }
        if (j->held) {
            im_pose X;
            double v[3], w[3];
            motion_of(j, &X, v, w);
            im_compose(&j->a, &j->a, &X);
            j->kind = IM_FIXED;
        }
    }
}

/* Links that a fixed joint holds are part of the body of their parent. */
static void merge(im_reader *R)
{
    double *com = R->sum.com;
    for (int k = 0; k < R->nlinks; ++k) {
        im_link *l = &R->link[R->order[k]];
        const im_joint *j = &R->joint[l->joint];
        const int fixed = j->kind == IM_FIXED;
        l->body = !fixed ? R->order[k] : j->parent >= 0 ? R->link[j->parent].body : -1;
        if (l->body < 0) {
            l->in_body = l->place;
        } else if (fixed) {
            im_relative(&l->in_body, &R->link[l->body].place, &l->place);
        }
        R->sum.fixed += fixed && j->parent >= 0;
        R->sum.bodies += !fixed;
        double centre[3], J[6], at[3];
        dal_quat_rotate(centre, l->place.q, l->c);
        for (int i = 0; i < 3; ++i) {
            com[i] += l->m * (l->place.p[i] + centre[i]);
        }
        R->sum.mass += l->m;
        if (l->body >= 0) {
            im_link *b = &R->link[l->body];
            memcpy(J, l->J, sizeof J);
            im_turn_inertia(J, l->in_body.q);
            dal_quat_rotate(at, l->in_body.q, l->c);
            for (int i = 0; i < 3; ++i) {
                at[i] += l->in_body.p[i];
            }
            im_add_mass(&b->bm, b->bc, b->bJ, l->m, at, J);
        }
    }
    for (int i = 0; i < 3; ++i) {
        com[i] = R->sum.mass > 0.0 ? com[i] / R->sum.mass : 0.0;
    }
}

void im_finish(im_reader *R)
{
    find_carriers(R);
    for (int k = 0; k < R->nlinks && R->st == DAL_OK; ++k) {
        check_inertia(R, &R->link[k]);
    }
    if (R->st == DAL_OK) {
        sort_links(R);
    }
    for (int k = 0; k < R->opt.nvalues && R->st == DAL_OK; ++k) {
        set_value(R, R->opt.values[k]);
    }
    if (R->st == DAL_OK) {
        follow(R);
    }
    if (R->st != DAL_OK) {
        return;
    }
    for (int k = 0; k < R->nlinks; ++k) {
        R->sum.links += !R->link[k].helper;
    }
    R->sum.loops = R->ngears;
    for (int k = 0; k < R->njoints; ++k) {
        R->sum.joints += !R->joint[k].loop && R->joint[k].kind != IM_FIXED;
        R->sum.loops += R->joint[k].loop || R->joint[k].leader >= 0;
    }
    find_damping(R);
    weigh(R);
    for (int k = 0; k < R->nlinks; ++k) {
        place(R, &R->link[R->order[k]]);
    }
    merge(R);
    if (R->sum.bodies == 0) {
        im_fail(R, NULL, "nothing of it moves: no joint carries mass; %s",
                strcmp(R->format, "URDF") == 0
                    ? "--base free leaves the root free"
                    : "where it comes from meshes, these must be found (--packages, --allow-files-outside)");
    }
}
