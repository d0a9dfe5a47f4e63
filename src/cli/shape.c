#include "cli/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/elements.h"

/* Displacement by which poses are differenced, relative to a shape whose largest component is 1. */
static const double step = 1e-5;

int shape_own(const cli_model *m, int body)
{
    return dal_model_body_of(m->model, body) == body;
}

void shape_create(cli_shape *s, const cli_model *m)
{
    const dal_model_summary r = dal_model_report(m->model);
    int n = r.bodies;
    while (dal_model_body_name(m->model, n + 1) != NULL) {
        ++n;
    }
    *s = (cli_shape){.nbodies = n, .njoints = r.joints};
    s->body = cli_alloc((size_t)n + 1, sizeof *s->body);
    s->share = cli_alloc((size_t)n + 1, sizeof *s->share);
    s->spin = cli_alloc(3 * ((size_t)n + 1), sizeof *s->spin);
    s->bending = cli_alloc((size_t)n + 1, sizeof *s->bending);
    s->joint = cli_alloc((size_t)r.joints, sizeof *s->joint);
    s->framed = cli_alloc((size_t)r.joints, sizeof *s->framed);
    s->q = cli_alloc((size_t)m->sys->group->nq, sizeof *s->q);
    s->d = cli_alloc((size_t)m->sys->group->nv, sizeof *s->d);
    s->pose = cli_alloc(21 * ((size_t)n + 1), sizeof *s->pose);
}

void shape_release(cli_shape *s)
{
    free(s->body);
    free(s->share);
    free(s->spin);
    free(s->bending);
    free(s->joint);
    free(s->framed);
    free(s->q);
    free(s->d);
    free(s->pose);
    *s = (cli_shape){0};
}

static void subtract(double c[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; ++i) {
        c[i] = a[i] - b[i];
    }
}

static void cross(double c[3], const double a[3], const double b[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void rotate_back(double y[3], const double p[4], const double x[3])
{
    const double conjugate[4] = {p[0], -p[1], -p[2], -p[3]};
    dal_quat_rotate(y, conjugate, x);
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

/* Motions of the bodies for one part (0 real, 1 imaginary) of the shape, by central differences of their poses. */
static dal_status move_bodies(cli_shape *s, const cli_model *m, dal_data *data, const dal_point *at,
                              const double *shape, int part)
{
    const dal_group *G = m->sys->group;
    const size_t n = 7 * (size_t)s->nbodies;
    for (int side = 0; side < 2; ++side) {
        dal_point moved = *at;
        for (int i = 0; i < G->nv; ++i) {
            s->d[i] = (side == 0 ? step : -step) * shape[part * G->nv + i];
        }
        dal_retract(G, s->q, at->q, s->d);
        moved.q = s->q;
        DAL_TRY(dal_model_poses(m->model, data, s->pose + (size_t)side * n, &moved));
    }
    for (int b = 1; b <= s->nbodies; ++b) {
        const double *plus = s->pose + 7 * (size_t)(b - 1), *minus = plus + n;
        const double back[4] = {minus[3], -minus[4], -minus[5], -minus[6]};
        double turn[4];
        cli_motion *to = &s->body[b];
        subtract(to->translation[part], plus, minus);
        dal_quat_mul(turn, plus + 3, back); // R_plus = turn R_minus
        dal_quat_to_vector(to->rotation[part], turn);
        for (int i = 0; i < 3; ++i) {
            to->translation[part][i] /= 2.0 * step;
            to->rotation[part][i] /= 2.0 * step;
        }
    }
    return DAL_OK;
}

/* Place and axes of a frame on a body, world. */
static void frame_at(double p[3], double axes[4], const cli_shape *s, int body, const dal_frame *f)
{
    static const double ground[7] = {0, 0, 0, 1, 0, 0, 0};
    const double *pose = body > 0 ? s->pose + 7 * (size_t)(body - 1) : ground;
    const double *r = f->rotation, unit[4] = {1, 0, 0, 0};
    const int given = r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0 || r[3] != 0.0;
    dal_quat_rotate(p, pose + 3, f->position);
    for (int i = 0; i < 3; ++i) {
        p[i] += pose[i];
    }
    dal_quat_mul(axes, pose + 3, given ? r : unit);
}

/* Frame B as seen from frame A: its displacement relative to A's body, in the axes of A. */
static void move_joint(cli_shape *s, int joint, const dal_joint *j, int part)
{
    double pa[3], pb[3], ea[4], eb[4], arm_a[3], arm_b[3], arm[3], turned[3], dp[3], dr[3];
    const double *ta = s->body[j->body_a].translation[part], *ra = s->body[j->body_a].rotation[part];
    const double *tb = s->body[j->body_b].translation[part], *rb = s->body[j->body_b].rotation[part];
    frame_at(pa, ea, s, j->body_a, &j->frame_a);
    frame_at(pb, eb, s, j->body_b, &j->frame_b);
    static const double zero[3] = {0, 0, 0};
    subtract(arm_b, pb, j->body_b > 0 ? s->pose + 7 * (size_t)(j->body_b - 1) : zero);
    subtract(arm_a, pb, j->body_a > 0 ? s->pose + 7 * (size_t)(j->body_a - 1) : zero);
    cross(arm, rb, arm_b);
    cross(turned, ra, arm_a);
    for (int i = 0; i < 3; ++i) {
        dp[i] = tb[i] + arm[i] - ta[i] - turned[i];
        dr[i] = rb[i] - ra[i];
    }
    rotate_back(s->joint[joint].translation[part], ea, dp);
    rotate_back(s->joint[joint].rotation[part], ea, dr);
}

static dal_status move_joints(cli_shape *s, const cli_model *m, dal_data *data, const dal_point *at)
{
    DAL_TRY(dal_model_poses(m->model, data, s->pose, at));
    for (int j = 0; j < s->njoints; ++j) {
        dal_joint info;
        DAL_TRY(dal_model_joint_info(m->model, &info, j));
        s->framed[j] = dal_element_type_at(dal_element_type_find("joints", info.type)).place != DAL_PLACE_NONE;
        for (int part = 0; part < 2 && s->framed[j]; ++part) {
            move_joint(s, j, &info, part);
        }
    }
    return DAL_OK;
}

static void set_shares(cli_shape *s, const cli_model *m, const double *share)
{
    for (int b = 1; b <= s->nbodies; ++b) {
        const int f = dal_model_body_factor(m->model, b);
        s->share[b] = s->bending[b] = 0.0;
        if (f < 0 || !shape_own(m, b)) {
            continue;
        }
        const dal_factor *F = &m->sys->group->factor[f];
        int q, v;
        const int modes = dal_model_modes(m->model, &q, &v, b);
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

/* The interface node of a flexible body that moves most, or its frame. */
static int most_moved(cli_shape *s, const cli_model *m, int body)
{
    int best = body;
    double most = 0.0, size;
    for (int b = 1; b <= s->nbodies; ++b) {
        if (dal_model_body_of(m->model, b) == body) {
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
    cross(c, x[1], x[0]);
    for (int i = 0; i < 3; ++i) {
        along += c[i] * spin[i];
        speed += spin[i] * spin[i];
        size += 0.5 * (x[0][i] * x[0][i] + x[1][i] * x[1][i]);
    }
    return speed > 1e-12 && fabs(along) > round_enough * size * sqrt(speed) ? (along > 0.0 ? 1 : -1) : 0;
}

const char *shape_whirl_word(int whirl)
{
    return whirl > 0 ? "forward" : whirl < 0 ? "backward" : "";
}

int shape_is_state(const cli_model *m, int index, char name[256])
{
    const dal_system *sys = m->sys;
    if (sys->names.is_state == NULL || sys->names.is_state(index, sys->user) != 1) {
        return 0;
    }
    sys->names.velocity(name, 256, index, sys->user);
    return 1;
}

/* The state of first order that takes part most; 0: the bodies take part, not the states. */
static int describe_state(cli_shape *s, const cli_model *m, const double *share)
{
    double most = 0.0;
    char name[256];
    for (int i = 0; i < m->sys->group->nv; ++i) {
        if (share[i] > (1.0 + 1e-9) * most && shape_is_state(m, i, name)) {
            most = share[i];
            snprintf(s->text, sizeof s->text, "%.0f %% %.100s, no body moves", 100.0 * most, name);
        }
    }
    return most > 0.0;
}

/* Who takes part most, how, and in which joint. */
static void describe(cli_shape *s, const cli_model *m, int swings)
{
    int best = 1, joint = -1, axis = 0;
    double most = 0.0, slid, turned;
    for (int b = 2; b <= s->nbodies; ++b) {
        best = s->share[b] > (1.0 + 1e-9) * s->share[best] ? b : best;
    }
    const int bends = s->bending[best] > 0.5 * s->share[best], seen = bends ? most_moved(s, m, best) : best;
    const int to = largest(s->body[seen].translation, &slid), about = largest(s->body[seen].rotation, &turned);
    const int turns = bends ? turned > 0.0 && slid < 1e-6 * turned : turned > slid;
    int used =
        snprintf(s->text, sizeof s->text, "%.*f %% %.60s, %s %c", s->share[best] < 0.05 ? 1 : 0, 100.0 * s->share[best],
                 dal_model_body_name(m->model, best),
                 bends ? (turns ? "bending about" : "bending along") : (turns ? "turning about" : "moving along"),
                 "xyz"[turns ? about : to]);
    s->whirl =
        swings ? whirl_of(turns ? s->body[best].rotation : s->body[best].translation, s->spin + 3 * (size_t)best) : 0;
    if (s->whirl != 0 && used > 0 && used < (int)sizeof s->text) {
        used += snprintf(s->text + used, sizeof s->text - (size_t)used, ", %s whirl", shape_whirl_word(s->whirl));
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
                 dal_model_joint_name(m->model, joint), "xyz"[axis]);
    }
}

double shape_speed(const cli_shape *s, int body)
{
    const double *w = s->spin + 3 * (size_t)body;
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

dal_status shape_spins(cli_shape *s, int *fastest, const cli_model *m, dal_data *data, const dal_point *at)
{
    *fastest = 0;
    DAL_TRY(move_bodies(s, m, data, at, at->v, 0)); // displacements of unit time: velocities
    for (int b = 1; b <= s->nbodies; ++b) {
        memcpy(s->spin + 3 * (size_t)b, s->body[b].rotation[0], 3 * sizeof *s->spin);
        *fastest = shape_speed(s, b) > (*fastest > 0 ? shape_speed(s, *fastest) : 0.0) ? b : *fastest;
    }
    return DAL_OK;
}

dal_status shape_of(cli_shape *s, const cli_model *m, dal_data *data, const dal_point *at, const dal_modal *modal,
                    int k)
{
    const double *shape = dal_modal_shape(modal, k);
    const int swings = dal_modal_about(modal).axes == DAL_AXES_WORLD && dal_modal_mode(modal, k).im > 0.0;
    int fastest;
    DAL_TRY(shape_spins(s, &fastest, m, data, at));
    DAL_TRY(move_bodies(s, m, data, at, shape, 0));
    DAL_TRY(move_bodies(s, m, data, at, shape, 1));
    DAL_TRY(move_joints(s, m, data, at));
    set_shares(s, m, dal_modal_shares(modal, k));
    s->whirl = 0;
    if (!describe_state(s, m, dal_modal_shares(modal, k))) {
        describe(s, m, swings);
    }
    return DAL_OK;
}
