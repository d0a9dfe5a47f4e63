/* What each joint holds and frees, and what its coordinates measure, with frames anywhere on both bodies. */
#include <math.h>
#include <string.h>

#include "random_model.h"
#include "support/check_system.h"

enum { TX, TY, TZ, RX, RY, RZ };

/* World position and rotation of a frame on a body with pose (x, p): p_w = x + R a, quaternion p o frame. */
static void frame_in_world(double x[3], double p[4], const double *pose, const dal_frame *f)
{
    dal_quat_rotate(x, pose + 3, f->position);
    for (int i = 0; i < 3; ++i) {
        x[i] += pose[i];
    }
    dal_quat_mul(p, pose + 3, f->rotation);
}

/* Pose of body b such that its frame is frame A moved by `amount` along or about an axis of A. */
static void move_body(double *pose_b, const dal_frame *fb, const double *pose_a, const dal_frame *fa, int direction,
                      double amount)
{
    double x[3], p[4], step[3] = {0.0, 0.0, 0.0}, w[3], turn[4], turned[4], s[3];
    step[direction % 3] = amount;
    frame_in_world(x, p, pose_a, fa);
    memcpy(turned, p, sizeof p);
    if (direction < RX) {
        dal_quat_rotate(w, p, step);
        for (int i = 0; i < 3; ++i) {
            x[i] += w[i];
        }
    } else {
        dal_quat_from_vector(turn, step);
        dal_quat_mul(turned, p, turn);
    }
    // frame B there: rotation of the body = turned o frame^-1
    const double back[4] = {fb->rotation[0], -fb->rotation[1], -fb->rotation[2], -fb->rotation[3]};
    dal_quat_mul(pose_b + 3, turned, back);
    dal_quat_rotate(s, pose_b + 3, fb->position);
    for (int i = 0; i < 3; ++i) {
        pose_b[i] = x[i] - s[i];
    }
}

typedef struct scene {
    dal_ctx *ctx;
    dal_model *m;
    const dal_system *sys;
    dal_frame fa, fb;
    double q[14];
} scene;

static scene new_scene(check_rng *rng, dal_joint joint)
{
    scene s = {.ctx = check_ctx(), .fa = random_frame(rng), .fb = random_frame(rng)};
    check_ok(s.ctx, dal_model_create(&s.m, s.ctx));
    const dal_body a = random_body(rng, "a", NULL), b = random_body(rng, "b", NULL);
    check_ok(s.ctx, dal_model_add_body(s.m, NULL, &a));
    check_ok(s.ctx, dal_model_add_body(s.m, NULL, &b));
    joint.name = "j";
    joint.body_a = 1;
    joint.body_b = 2;
    joint.frame_a = s.fa;
    joint.frame_b = s.fb;
    check_ok(s.ctx, dal_model_add_joint(s.m, NULL, &joint));
    return s;
}

static void end_scene(scene *s)
{
    dal_model_destroy(s->m);
    check_ctx_free(s->ctx);
}

/* Largest |Phi| after a motion from coinciding frames. */
static double gap(scene *s, int direction, double amount)
{
    double Phi[16] = {0.0}, v[12] = {0.0}, la[16] = {0.0};
    memcpy(s->q, dal_model_q0(s->m), sizeof s->q);
    move_body(s->q + 7, &s->fb, s->q, &s->fa, direction, amount);
    check_ok(s->ctx, check_residual(s->ctx, s->sys, &(dal_residual){.Phi = Phi}, &(dal_point){0.0, s->q, v, v, la}));
    return check_max_abs(Phi, dal_system_rows(s->sys));
}

static void joints_free_what_they_say(void **state)
{
    static const struct {
        dal_joint joint;
        const char *free; /* x y z translations, X Y Z rotations */
    } table[] = {
        {{.type = "spherical"}, "XYZ"},
        {{.type = "revolute"}, "Z"},
        {{.type = "universal"}, "XY"},
        {{.type = "prismatic"}, "z"},
        {{.type = "cylindrical"}, "zZ"},
        {{.type = "planar"}, "xyZ"},
        {{.type = "fixed"}, ""},
        {{.type = "screw", .pitch = 3.0}, ""},
        {{.type = "point_on_line"}, "zXYZ"},
        {{.type = "point_on_plane"}, "xyXYZ"},
        {{.type = "orientation"}, "xyz"},
        {{.type = "parallel_axes"}, "xyzZ"},
        {{.type = "planar_prismatic"}, "xzXY"},
        {{.type = "generic", .locked = DAL_LOCK_X | DAL_LOCK_Z | DAL_LOCK_RY}, "yXZ"},
        {{.type = "generic", .locked = DAL_LOCK_Y | DAL_LOCK_RX | DAL_LOCK_RZ}, "xzY"},
        {{.type = "generic", .locked = DAL_LOCK_RX | DAL_LOCK_RY | DAL_LOCK_RZ}, "xyz"},
    };
    check_rng rng = check_rng_seed(31);
    for (size_t k = 0; k < LEN(table); ++k) {
        scene s = new_scene(&rng, table[k].joint);
        check_ok(s.ctx, dal_model_compile(s.m, &s.sys));
        for (int d = TX; d <= RZ; ++d) {
            const int free = strchr(table[k].free, "xyzXYZ"[d]) != NULL;
            const double far = gap(&s, d, 0.7);
            assert_near(gap(&s, d, 0.0), 0.0, 1e-12);
            if (free) {
                assert_near(far, 0.0, 1e-12);
            } else if (!(far > 0.05)) {
                fail_msg("%s does not hold direction %d: %g", table[k].joint.type, d, far);
            }
        }
        end_scene(&s);
    }
}

static void coordinates_measure_the_motion_of_b_seen_from_a(void **state)
{
    check_rng rng = check_rng_seed(32);
    for (int d = TX; d <= RZ; ++d) {
        const dal_coordinate kind = d < RX ? DAL_COORDINATE_TRANSLATION : DAL_COORDINATE_ROTATION;
        scene s = new_scene(&rng, (dal_joint){.type = "spherical"});
        double y[2], v[12] = {0.0}, la[3] = {0.0};
        const dal_output c = {.name = "c", .quantity = "coordinate", .joint = "j", .coordinate = kind, .axis = d % 3};
        const dal_output l = {.name = "l", .quantity = "coordinate", .joint = "j", .coordinate = DAL_COORDINATE_LENGTH};
        check_ok(s.ctx, dal_model_add_output(s.m, NULL, &c));
        check_ok(s.ctx, dal_model_add_output(s.m, NULL, &l));
        check_ok(s.ctx, dal_model_compile(s.m, &s.sys));
        for (int k = -3; k <= 3; ++k) {
            (void)gap(&s, d, 0.9 * k);
            check_ok(s.ctx, dal_model_outputs(s.m, NULL, y, &(dal_point){0.0, s.q, v, v, la}));
            assert_near(y[0], 0.9 * k, 1e-12);
            assert_near(y[1], d < RX ? fabs(0.9 * k) : 0.0, 1e-12);
        }
        end_scene(&s);
    }
}

/* A screw that turns by 1 rad moves by pitch/(2 pi): two frees combined. */
static void screws_hold_translation_and_rotation_together(void **state)
{
    check_rng rng = check_rng_seed(33);
    scene s = new_scene(&rng, (dal_joint){.type = "screw", .pitch = 0.6});
    check_ok(s.ctx, dal_model_compile(s.m, &s.sys));
    double Phi[5], v[12] = {0.0}, la[5] = {0.0};
    for (int k = -4; k <= 4; ++k) {
        // turned frame A, then moved along its z axis
        const double angle = 2.5 * k, axis[3] = {0.0, 0.0, angle};
        dal_frame turned = s.fa;
        double turn[4];
        dal_quat_from_vector(turn, axis);
        dal_quat_mul(turned.rotation, s.fa.rotation, turn);
        memcpy(s.q, dal_model_q0(s.m), sizeof s.q);
        move_body(s.q + 7, &s.fb, s.q, &turned, TZ, 0.6 * angle / (2.0 * acos(-1.0)));
        check_ok(s.ctx, check_residual(s.ctx, s.sys, &(dal_residual){.Phi = Phi}, &(dal_point){0.0, s.q, v, v, la}));
        assert_near(check_max_abs(Phi, 5), 0.0, 1e-12);
    }
    end_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_free_what_they_say),
        cmocka_unit_test(coordinates_measure_the_motion_of_b_seen_from_a),
        cmocka_unit_test(screws_hold_translation_and_rotation_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
