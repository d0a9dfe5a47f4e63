/* A mode shape as people see it: how each body and each joint moves, and who takes part. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/elements.h"
#include "dalembert/modes.h"
#include "lie/mat3.h"

/* Displacement by which poses are differenced, relative to a shape whose largest component is 1. */
static const double step = 1e-5;

struct dal_shapes {
    dal_pool pool;
    const dal_model *model;
    const dal_system *sys;
    dal_data *data;
    dal_point at;
    int nbodies, njoints;
    dal_motion *body;               /* from 1 on, as the others of bodies; [0]: the ground */
    dal_motion *joint;              /* frame B as seen from frame A, axes of A */
    int *framed;                    /* has the joint frames? */
    double *share, *bending, *spin; /* spin: 3 each */
    int fastest;                    /* body */
    double *q, *d;
    double *pose, *other; /* 7 each, from the ground on */
    int whirl;
    char text[DAL_SHAPE_TEXT];
};

static int is_own(const dal_shapes *s, int body)
{
    return dal_model_body_of(s->model, body) == body;
}

/* Largest magnitude of the complex components, and which; *sum: root of the sum of squares. */
static int largest(double x[2][3], double *sum)
{
    int best = 0;
    double most = 0.0, all = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double size = hypot(x[0][i], x[1][i]);
        all += size * size;
        if (size > (1.0 + 1e-9) * most) {
            most = size;
            best = i;
        }
    }
    *sum = sqrt(all);
    return best;
}

/* ---- motions ---------------------------------------------------------------------------------- */

/* Motions of the bodies for one part (0 real, 1 imaginary) of the shape, by central differences of their poses. */
static dal_status move_bodies(dal_shapes *s, const double *shape, int part)
{
    const dal_group *G = s->sys->group;
    double *const pose[2] = {s->pose, s->other};
    for (int side = 0; side < 2; ++side) {
        dal_point moved = s->at;
        for (int i = 0; i < G->nv; ++i) {
            s->d[i] = (side == 0 ? step : -step) * shape[part * G->nv + i];
        }
        dal_retract(G, s->q, s->at.q, s->d);
        moved.q = s->q;
        DAL_TRY(dal_model_poses(s->model, s->data, pose[side] + 7, &moved));
    }
    for (int b = 1; b <= s->nbodies; ++b) {
        const double *plus = s->pose + 7 * (size_t)b, *minus = s->other + 7 * (size_t)b;
        const double back[4] = {minus[3], -minus[4], -minus[5], -minus[6]};
        double turn[4], *translation = s->body[b].translation[part], *rotation = s->body[b].rotation[part];
        dal_quat_mul(turn, plus + 3, back); // R_plus = turn R_minus
        dal_quat_to_vector(rotation, turn);
        for (int i = 0; i < 3; ++i) {
            translation[i] = (plus[i] - minus[i]) / (2.0 * step);
            rotation[i] /= 2.0 * step;
        }
    }
    return DAL_OK;
}

/* What the rotation of a body does to a point of the world. */
static void turn_point(double d[3], const dal_shapes *s, int body, const double p[3], int part)
{
    const double *x = s->pose + 7 * (size_t)body, arm[3] = {p[0] - x[0], p[1] - x[1], p[2] - x[2]};
    cross3(d, s->body[body].rotation[part], arm);
}

/* Frame B as seen from frame A: its displacement relative to A's body, in the axes of A. */
static void move_joint(dal_shapes *s, int joint, const dal_joint *j, int part)
{
    const double *A = s->pose + 7 * (size_t)j->body_a, *B = s->pose + 7 * (size_t)j->body_b, *r = j->frame_a.rotation;
    const int turned = r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0 || r[3] != 0.0;
    double p[3], axes[4], a[3], b[3], relative[3];
    dal_quat_rotate(p, B + 3, j->frame_b.position);
    for (int i = 0; i < 3; ++i) {
        p[i] += B[i];
    }
    memcpy(axes, A + 3, sizeof axes);
    if (turned) {
        dal_quat_mul(axes, A + 3, r);
    }
    const double back[4] = {axes[0], -axes[1], -axes[2], -axes[3]};
    const dal_motion *ma = &s->body[j->body_a], *mb = &s->body[j->body_b];
    turn_point(a, s, j->body_a, p, part);
    turn_point(b, s, j->body_b, p, part);
    for (int i = 0; i < 3; ++i) {
        b[i] = mb->translation[part][i] + b[i] - ma->translation[part][i] - a[i];
        relative[i] = mb->rotation[part][i] - ma->rotation[part][i];
    }
    dal_quat_rotate(s->joint[joint].translation[part], back, b);
    dal_quat_rotate(s->joint[joint].rotation[part], back, relative);
}

static dal_status move_joints(dal_shapes *s)
{
    DAL_TRY(dal_model_poses(s->model, s->data, s->pose + 7, &s->at));
    for (int j = 0; j < s->njoints; ++j) {
        dal_joint info;
        DAL_TRY(dal_model_joint_info(s->model, &info, j));
        s->framed[j] = dal_element_type_at(dal_element_type_find("joints", info.type)).place != DAL_PLACE_NONE;
        for (int part = 0; part < 2 && s->framed[j]; ++part) {
            move_joint(s, j, &info, part);
        }
    }
    return DAL_OK;
}

static void set_shares(dal_shapes *s, const double *share)
{
    for (int b = 1; b <= s->nbodies; ++b) {
        const int f = dal_model_body_factor(s->model, b);
        s->share[b] = s->bending[b] = 0.0;
        if (f < 0 || !is_own(s, b)) {
            continue;
        }
        const dal_factor *F = &s->sys->group->factor[f];
        int q, v;
        const int modes = dal_model_modes(s->model, &q, &v, b);
        for (int i = 0; i < F->nv; ++i) {
            s->share[b] += share[F->v + i];
        }
        for (int i = 0; i < modes; ++i) {
            const int inside = v + i >= F->v && v + i < F->v + F->nv;
            s->bending[b] += share[v + i];
            s->share[b] += inside ? 0.0 : share[v + i];
        }
    }
}

/* ---- words ------------------------------------------------------------------------------------ */

/* The interface node of a flexible body that moves most, or its frame. */
static int most_moved(dal_shapes *s, int body)
{
    int best = body;
    double most = 0.0, size;
    for (int b = 1; b <= s->nbodies; ++b) {
        if (dal_model_body_of(s->model, b) == body) {
            largest(s->body[b].translation, &size);
            best = size > (1.0 + 1e-9) * most ? b : best;
            most = fmax(most, size);
        }
    }
    return best;
}

/* d(t) = Re((a + i b) e^(i w t)) goes round in the sense of b x a. Against the spin of the body it is a backward whirl; what
 * swings to and fro, an ellipse of less than this part of a circle, is none. */
static const double round_enough = 0.02;

static int whirl_of(double x[2][3], const double spin[3])
{
    double c[3], along = 0.0, speed = 0.0, size = 0.0;
    cross3(c, x[1], x[0]);
    for (int i = 0; i < 3; ++i) {
        along += c[i] * spin[i];
        speed += spin[i] * spin[i];
        size += 0.5 * (x[0][i] * x[0][i] + x[1][i] * x[1][i]);
    }
    return speed > 1e-12 && fabs(along) > round_enough * size * sqrt(speed) ? (along > 0.0 ? 1 : -1) : 0;
}

int dal_shapes_state(const dal_shapes *s, char name[DAL_SHAPE_TEXT], int index)
{
    const dal_system *sys = s != NULL ? s->sys : NULL;
    if (sys == NULL || sys->names.is_state == NULL || sys->names.is_state(index, sys->user) != 1) {
        return 0;
    }
    sys->names.velocity(name, DAL_SHAPE_TEXT, index, sys->user);
    return 1;
}

/* The state of first order that takes part most; 0: the bodies take part, not the states. */
static int describe_state(dal_shapes *s, const double *share)
{
    double most = 0.0;
    char name[DAL_SHAPE_TEXT];
    for (int i = 0; i < s->sys->group->nv; ++i) {
        if (share[i] > (1.0 + 1e-9) * most && dal_shapes_state(s, name, i)) {
            most = share[i];
            snprintf(s->text, sizeof s->text, "%.0f %% %.100s, no body moves", 100.0 * most, name);
        }
    }
    return most > 0.0;
}

/* Who takes part most, how, and in which joint. */
static void describe(dal_shapes *s, int swings)
{
    int best = 1, joint = -1, axis = 0;
    double most = 0.0, slid, turned;
    for (int b = 2; b <= s->nbodies; ++b) {
        best = s->share[b] > (1.0 + 1e-9) * s->share[best] ? b : best;
    }
    const int bends = s->bending[best] > 0.5 * s->share[best], seen = bends ? most_moved(s, best) : best;
    const int to = largest(s->body[seen].translation, &slid), about = largest(s->body[seen].rotation, &turned);
    const int turns = bends ? turned > 0.0 && slid < 1e-6 * turned : turned > slid;
    int used =
        snprintf(s->text, sizeof s->text, "%.*f %% %.60s, %s %c", s->share[best] < 0.05 ? 1 : 0, 100.0 * s->share[best],
                 dal_model_body_name(s->model, best),
                 bends ? (turns ? "bending about" : "bending along") : (turns ? "turning about" : "moving along"),
                 "xyz"[turns ? about : to]);
    s->whirl =
        swings ? whirl_of(turns ? s->body[best].rotation : s->body[best].translation, s->spin + 3 * (size_t)best) : 0;
    if (s->whirl != 0 && used > 0 && used < (int)sizeof s->text) {
        used += snprintf(s->text + used, sizeof s->text - (size_t)used, ", %s whirl",
                         s->whirl > 0 ? "forward" : "backward");
    }
    for (int j = 0; j < s->njoints; ++j) {
        double size;
        const int k = largest(s->joint[j].rotation, &size);
        if (s->framed[j] && size > (1.0 + 1e-6) * most && size > 1e-6) {
            most = size;
            joint = j;
            axis = k;
        }
    }
    if (joint >= 0 && used > 0 && used < (int)sizeof s->text) {
        snprintf(s->text + used, sizeof s->text - (size_t)used, "; about %.60s.%c",
                 dal_model_joint_name(s->model, joint), "xyz"[axis]);
    }
}

/* ---- from outside ----------------------------------------------------------------------------- */

static double speed(const dal_shapes *s, int body)
{
    const double *w = s->spin + 3 * (size_t)body;
    return sqrt(dot3(w, w));
}

/* Angular velocities of the bodies in the state. */
static dal_status find_spins(dal_shapes *s)
{
    DAL_TRY(move_bodies(s, s->at.v, 0)); // displacements of unit time: velocities
    for (int b = 1; b <= s->nbodies; ++b) {
        memcpy(s->spin + 3 * (size_t)b, s->body[b].rotation[0], 3 * sizeof *s->spin);
        s->fastest = speed(s, b) > speed(s, s->fastest) ? b : s->fastest;
    }
    return DAL_OK;
}

static dal_status prepare(dal_shapes *s)
{
    const int n = s->nbodies + 1;
    DAL_TAKE(&s->pool, s->body, n);
    DAL_TAKE(&s->pool, s->share, n);
    DAL_TAKE(&s->pool, s->bending, n);
    DAL_TAKE(&s->pool, s->spin, 3 * n);
    DAL_TAKE(&s->pool, s->pose, 7 * n);
    DAL_TAKE(&s->pool, s->other, 7 * n);
    DAL_TAKE(&s->pool, s->joint, s->njoints + 1);
    DAL_TAKE(&s->pool, s->framed, s->njoints + 1);
    DAL_TAKE(&s->pool, s->q, s->sys->group->nq + 1);
    DAL_TAKE(&s->pool, s->d, s->sys->group->nv + 1);
    s->pose[3] = s->other[3] = 1.0; // of the ground
    return find_spins(s);
}

dal_status dal_shapes_create(dal_shapes **shapes, dal_ctx *ctx, const dal_model *model, const dal_system *sys,
                             dal_data *data, const dal_point *at)
{
    DAL_NEED(ctx, shapes);
    *shapes = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, model);
    DAL_NEED(ctx, sys);
    DAL_NEED(ctx, data);
    DAL_NEED(ctx, at);
    const dal_model_summary r = dal_model_report(model);
    dal_shapes *s = dal_alloc_zero(ctx, sizeof *s);
    if (s == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for the shapes of modes");
    }
    *s = (dal_shapes){.pool = {.ctx = ctx, .what = "the shapes of modes"},
                      .model = model,
                      .sys = sys,
                      .data = data,
                      .at = *at,
                      .nbodies = r.bodies,
                      .njoints = r.joints};
    while (dal_model_body_name(model, s->nbodies + 1) != NULL) { // interface nodes
        ++s->nbodies;
    }
    const dal_status st = prepare(s);
    if (st != DAL_OK) {
        dal_shapes_destroy(s);
        return st;
    }
    *shapes = s;
    return DAL_OK;
}

void dal_shapes_destroy(dal_shapes *s)
{
    if (s != NULL) {
        dal_ctx *ctx = s->pool.ctx;
        dal_pool_release(&s->pool);
        dal_free(ctx, s);
    }
}

int dal_shapes_spinner(const dal_shapes *s, double *spin)
{
    *spin = s != NULL && s->fastest > 0 ? speed(s, s->fastest) : 0.0;
    return s != NULL ? s->fastest : 0;
}

dal_status dal_shapes_mode(dal_shapes *s, dal_mode_shape *shape, const dal_modal *modal, int k)
{
    DAL_NEED_AS(NULL, s, "shapes");
    DAL_NEED(s->pool.ctx, shape);
    DAL_NEED(s->pool.ctx, modal);
    const double *x = dal_modal_shape(modal, k);
    const int swings = dal_modal_about(modal).axes == DAL_AXES_WORLD && dal_modal_mode(modal, k).im > 0.0;
    if (x == NULL) {
        return dal_fail(s->pool.ctx, DAL_EINVAL, "there is no mode %d", k);
    }
    DAL_TRY(move_bodies(s, x, 0));
    DAL_TRY(move_bodies(s, x, 1));
    DAL_TRY(move_joints(s));
    set_shares(s, dal_modal_shares(modal, k));
    s->whirl = 0;
    if (!describe_state(s, dal_modal_shares(modal, k))) {
        describe(s, swings);
    }
    *shape = (dal_mode_shape){.nbodies = s->nbodies,
                              .njoints = s->njoints,
                              .body = s->body,
                              .joint = s->joint,
                              .framed = s->framed,
                              .share = s->share,
                              .bending = s->bending,
                              .whirl = s->whirl,
                              .text = s->text};
    return DAL_OK;
}
