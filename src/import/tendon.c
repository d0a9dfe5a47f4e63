/* Stops of fixed tendons. The length of a tendon, a sum of joint coordinates, is the place of a point without mass on the x axis, which
 * gears carry: each adds one coordinate to the point before. The stop is one of the last point. */
#include <stdio.h>
#include <string.h>

#include "import/import_impl.h"

/* Its coordinates that move, in `moving`; what the others, which are held, add to its length. Returns their number, 0 if it has no stop. */
static int stop_of(im_reader *R, const im_tendon *t, int *moving, double *held)
{
    int n = 0;
    double x = 0.0;
    *held = 0.0;
    for (int k = 0; k < t->n; ++k) {
        const im_joint *j = &R->joint[t->joint[k]];
        x += t->factor[k] * j->q[0];
        if (j->kind == IM_FIXED) {
            *held += t->factor[k] * j->q[0];
        } else {
            moving[n++] = k;
        }
    }
    return t->limited && t->range[0] <= x && x <= t->range[1] && t->range[0] < t->range[1] ? n : 0;
}

/* Two coordinates for the first point, one for each other. */
static int points(int moving)
{
    return moving > 2 ? moving - 1 : moving > 0 ? 1 : 0;
}

static void point_name(char name[IM_NAME], const im_tendon *t, int k, int n)
{
    snprintf(name, IM_NAME, k + 1 < points(n) ? "%.100s_length%d" : "%.100s_length", t->name, k + 1);
}

void im_put_tendon_points(im_reader *R, const im_tendon *t, int *count)
{
    int *moving = im_take(R, (size_t)t->n + 1, sizeof *moving);
    double x[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0};
    const int n = moving ? stop_of(R, t, moving, x) : 0;
    if (t->limited && n == 0) {
        im_tell(R, 1, "stops that the initial pose is beyond", t->name);
    }
    for (int k = 0; k < n; ++k) {
        const im_joint *j = &R->joint[t->joint[moving[k]]];
        char name[IM_NAME];
        x[0] += t->factor[moving[k]] * j->q[0];
        v[0] += t->factor[moving[k]] * j->v[0];
        if (k > 0 || n == 1) {
            point_name(name, t, k > 0 ? k - 1 : 0, n);
            im_begin(R, count, name, "");
            dal_text_put(&R->text, ", \"type\": \"point\", \"mass\": 0, \"position\": ");
            im_put_numbers(&R->text, x, 3);
            im_put_key(&R->text, "velocity");
            im_put_numbers(&R->text, v, 3);
            dal_text_put(&R->text, "}");
        }
    }
}

/* , "joint_i": a joint of the robot, or a point */
static void put_term(im_reader *R, int i, const char *name, int is_point)
{
    char key[16];
    snprintf(key, sizeof key, "joint_%d", i);
    im_put_named(&R->text, key, name);
    if (is_point) {
        snprintf(key, sizeof key, "coordinate_%d", i);
        im_put_named(&R->text, key, "translation_x");
    }
}

void im_put_tendon_joints(im_reader *R, const im_tendon *t, int *count)
{
    dal_text *e = &R->text;
    int *moving = im_take(R, (size_t)t->n + 1, sizeof *moving);
    double held;
    const int n = moving ? stop_of(R, t, moving, &held) : 0;
    char name[IM_NAME] = "", before[IM_NAME] = "";
    for (int k = 0; k < points(n); ++k) {
        double ratio[2] = {k > 0 ? 1.0 : t->factor[moving[0]], -1.0};
        point_name(name, t, k, n);
        im_begin(R, count, name, "");
        im_put_named(e, "type", "generic");
        im_put_named(e, "body_b", name);
        dal_text_put(e, ", \"frame_a\": [0, 0, 0], \"locked\": [\"y\", \"z\"]}");
        im_begin(R, count, name, "sum");
        im_put_named(e, "type", "gear");
        put_term(R, 1, k > 0 ? before : R->joint[t->joint[moving[0]]].name, k > 0);
        if (n > 1) {
            ratio[1] = t->factor[moving[k + 1]];
            put_term(R, 2, R->joint[t->joint[moving[k + 1]]].name, 0);
            im_put_value(e, "ratio_3", -1.0);
        }
        put_term(R, n > 1 ? 3 : 2, name, 1);
        im_put_key(e, "ratio");
        im_put_numbers(e, ratio, 2);
        dal_text_put(e, "}");
        memcpy(before, name, sizeof before);
    }
    if (n > 0) {
        im_begin(R, count, t->name, "stop");
        im_put_named(e, "type", "limit");
        im_put_named(e, "joint", name);
        im_put_named(e, "coordinate", "translation_x");
        im_put_key(e, "limits");
        im_put_numbers(e, t->range, 2);
        dal_text_put(e, "}");
    }
}
