/* Driven mechanisms: closed forms of a slider-crank, its dead centres, limits of drives, and the forces of drives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/driven.h"
#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "support/check.h"

static const double r = 0.2, l = 0.7, e = 0.1, start = 1.0; // of the built-in model

typedef struct driven {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_data *data;
    int row[3], n;
} driven;

/* Open a model, by name or from a text; motions are added before it is compiled. */
static driven open_model(const char *name, const char *set)
{
    driven d = {.ctx = check_ctx()};
    check_ok(d.ctx, name[0] == '{' ? dal_document_parse(&d.doc, d.ctx, name, strlen(name), "text", NULL, 0)
                                   : dal_document_open(&d.doc, d.ctx, name, &set, set != NULL));
    d.model = dal_document_model(d.doc);
    return d;
}

static int drive_with(driven *d, const char *joint, int function)
{
    char name[64];
    int number;
    snprintf(name, sizeof name, "drive %d", d->n);
    const dal_joint motion = {.name = name, .type = "motion", .joint = joint, .function = function};
    check_ok(d->ctx, dal_model_add_joint(d->model, &number, &motion));
    d->row[d->n] = number;
    return d->n++;
}

static int drive(driven *d, const char *joint, const char *expression)
{
    char name[64];
    int function;
    snprintf(name, sizeof name, "motion %d", d->n);
    check_ok(d->ctx, dal_document_add_function(d->doc, &function, name, expression));
    return drive_with(d, joint, function);
}

static void compile(driven *d)
{
    check_ok(d->ctx, dal_model_compile(d->model, &d->sys));
    check_ok(d->ctx, dal_data_create(&d->data, d->ctx, d->sys));
    for (int k = 0; k < d->n; ++k) {
        int n;
        check_ok(d->ctx, dal_model_joint_rows(d->model, &d->row[k], &n, d->row[k]));
        assert_int_equal(n, 1);
    }
}

static void close_model(driven *d)
{
    dal_data_destroy(d->data);
    dal_document_destroy(d->doc);
    check_ctx_free(d->ctx);
}

/* x of the slider at crank angle a, its velocity and acceleration for a' = w. */
static void slider(double x[3], double a, double w)
{
    const double s = r * sin(a) - e, root = sqrt(l * l - s * s), s1 = r * cos(a) * w, s2 = -r * sin(a) * w * w;
    x[0] = r * cos(a) + root;
    x[1] = -r * sin(a) * w - s * s1 / root;
    x[2] = -r * cos(a) * w * w - (s1 * s1 + s * s2) / root - s * s * s1 * s1 / (root * root * root);
}

/* A turn of the crank, by name: all points on the closed form, dead centres where crank and rod are in line. */
static void drives_by_name_find_the_dead_centres(void **state)
{
    enum { POINTS = 37 };
    const double pi = acos(-1.0), want[2] = {2.0 * pi + asin(e / (l + r)) - start, pi + asin(e / (l - r)) - start};
    const dal_drive crank = {"A", 0.0, 2.0 * pi};
    const dal_drives_spec spec = {.drive = &crank, .n = 1, .points = POINTS, .rate = 2.0};
    driven d = open_model("slider_crank", NULL);
    dal_drives *k;
    dal_point at;
    double value, x[3];
    int there = 1, n = 0, found = 0;
    check_ok(d.ctx, dal_drives_create(&k, d.ctx, d.model, &spec));
    compile(&d);
    check_ok(d.ctx, dal_drives_start(k, d.sys, d.data));
    for (; there; n += there) {
        check_ok(d.ctx, dal_drives_next(k, &there, &at, &value));
        assert_true(!there || fabs(value - 2.0 * pi * n / (POINTS - 1)) < 1e-12);
    }
    const dal_drives_info i = dal_drives_about(k);
    assert_int_equal(n, POINTS);
    assert_int_equal(i.points, POINTS);
    assert_false(i.limited);
    for (int c = 0; c < i.ncentres; ++c) {
        for (int s = 0; s < 2 && strcmp(i.centre[c].joint, "guide") == 0; ++s) {
            if (fabs(i.centre[c].drive - want[s]) < 1e-9) {
                slider(x, want[s] + start, 2.0);
                assert_near(x[1], 0.0, 1e-12);
                assert_near(i.centre[c].coordinate, x[0], 1e-12);
                assert_int_equal(i.centre[c].largest, s == 0);
                ++found;
            }
        }
    }
    assert_int_equal(found, 2);
    dal_drives_destroy(k);
    close_model(&d);
}

/* What is no coordinate is refused by name; what the model prescribes is not driven twice. */
static void drives_need_a_coordinate(void **state)
{
    const dal_drive bad = {"nosuch", 0.0, 1.0}, still = {"A", 1.0, 1.0}, time = {"time", 0.0, 1.0};
    dal_drives_spec spec = {.drive = &bad, .n = 1, .points = 3, .rate = 1.0};
    driven d = open_model("slider_crank", NULL);
    dal_drives *k;
    check_fails(d.ctx, dal_drives_create(&k, d.ctx, d.model, &spec), DAL_EOPTION, "no coordinate 'nosuch'");
    spec.drive = &still;
    check_fails(d.ctx, dal_drives_create(&k, d.ctx, d.model, &spec), DAL_EINVAL, "from one value to another");
    spec.drive = &time;
    check_fails(d.ctx, dal_drives_create(&k, d.ctx, d.model, &spec), DAL_EOPTION, "prescribes no motion");
    drive(&d, "A", "t");
    int joint;
    check_fails(d.ctx, dal_drive_add(d.model, d.ctx, &joint, "drive 0", 0), DAL_EINVAL, "already");
    compile(&d);
    close_model(&d);
}

/* Samples of a polynomial of degree 5 with its derivatives give it back everywhere, and beyond both ends; a spline goes through the
 * values and is straight at the ends. */
static void samples_give_back_a_quintic(void **state)
{
    static const double t[] = {0.0, 0.7, 1.0, 2.5}, falls[] = {0.0, 0.7, 0.7, 2.5};
    double x[3][4], y[3];
    int quintic, spline;
    for (int i = 0; i < 4; ++i) {
        x[0][i] = 1.0 + t[i] * t[i] * (3.0 - pow(t[i], 3));
        x[1][i] = 6.0 * t[i] - 5.0 * pow(t[i], 4);
        x[2][i] = 6.0 - 20.0 * pow(t[i], 3);
    }
    driven d = open_model("slider_crank", NULL);
    dal_drive_samples s = {.name = "s", .n = 4, .t = t, .x = x[0]};
    check_ok(d.ctx, dal_drive_function(d.model, d.ctx, &spline, &s));
    s = (dal_drive_samples){"q", 4, t, x[0], x[1], x[2]};
    check_ok(d.ctx, dal_drive_function(d.model, d.ctx, &quintic, &s));
    for (int i = -2; i <= 13; ++i) {
        const double at = 0.2 * i;
        check_ok(d.ctx, dal_model_function_value(d.model, y, quintic, at));
        assert_near(y[0], 1.0 + at * at * (3.0 - at * at * at), 1e-12);
        assert_near(y[1], 6.0 * at - 5.0 * pow(at, 4), 1e-11);
        assert_near(y[2], 6.0 - 20.0 * pow(at, 3), 1e-10);
    }
    for (int i = 0; i < 4; ++i) {
        check_ok(d.ctx, dal_model_function_value(d.model, y, spline, t[i]));
        assert_near(y[0], x[0][i], 1e-13);
        assert_true(y[2] == 0.0 || (i > 0 && i < 3));
    }
    s.n = 2;
    check_fails(d.ctx, dal_drive_function(d.model, d.ctx, &quintic, &s), DAL_EINVAL, "at least 3");
    s = (dal_drive_samples){"q", 4, falls, x[0], x[1], x[2]};
    check_fails(d.ctx, dal_drive_function(d.model, d.ctx, &quintic, &s), DAL_EINVAL, "do not increase in row 3");
    compile(&d);
    close_model(&d);
}

static void slider_crank_moves_as_the_closed_form_says(void **state)
{
    driven d = open_model("slider_crank", NULL);
    drive(&d, "A", "3*t");
    compile(&d);
    dal_driven *k;
    const dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(d.model), .drive = 1 + d.row[0]};
    check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
    for (int i = 0; i <= 50; ++i) {
        double x[3];
        const double t = 0.1 * i;
        check_ok(d.ctx, dal_driven_to(k, t));
        const dal_point at = dal_driven_point(k);
        slider(x, start + 3.0 * t, 3.0);
        assert_near(at.t, t, 0.0);
        assert_near(at.q[6], x[0], 1e-13);
        assert_near(at.v[6], x[1], 1e-12);
        assert_near(at.vd[6], x[2], 1e-11);
        assert_near(at.q[2], start + 3.0 * t, 1e-12);
    }
    dal_driven_destroy(k);
    close_model(&d);
}

static dal_status slider_velocity(double *f, const dal_point *at, void *user)
{
    *f = at->v[6];
    return DAL_OK;
}

/* In line, outwards and inwards: sin = e/(l + r) and pi + asin(e/(l - r)). */
static void dead_centres_are_where_crank_and_rod_are_in_line(void **state)
{
    driven d = open_model("slider_crank", NULL);
    drive(&d, "A", "t");
    compile(&d);
    dal_driven *k;
    double t;
    const dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(d.model), .drive = 1 + d.row[0]};
    check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
    check_ok(d.ctx, dal_driven_zero(k, &t, 2.0, 3.0, slider_velocity, NULL));
    assert_near(t + start, acos(-1.0) + asin(e / (l - r)), 1e-13);
    assert_near(dal_driven_point(k).q[6], sqrt((l - r) * (l - r) - e * e), 1e-14);
    check_ok(d.ctx, dal_driven_zero(k, &t, -1.5, -0.2, slider_velocity, NULL));
    assert_near(t + start, asin(e / (l + r)), 1e-13);
    check_fails(d.ctx, dal_driven_zero(k, &t, 0.1, 0.2, slider_velocity, NULL), DAL_EINVAL, "same sign");
    dal_driven_destroy(k);
    close_model(&d);
}

static void the_slider_can_be_driven_up_to_its_dead_centres(void **state)
{
    static const char *const motion[] = {"xC + t", "xC - t"};
    static const double limit[] = {0.9, 0.5};
    for (int i = 0; i < 2; ++i) {
        driven d = open_model("slider_crank", NULL);
        drive(&d, "guide", motion[i]);
        compile(&d);
        dal_driven *k;
        char text[100];
        const dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(d.model), .drive = 1 + d.row[0]};
        check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
        check_ok(d.ctx, dal_driven_to(k, 0.05));
        assert_int_equal(dal_driven_limit(k, NULL, 0), 0);
        check_fails(d.ctx, dal_driven_to(k, 1.0), DAL_NOCONV, "the drive is at its limit");
        assert_int_equal(dal_driven_limit(k, text, sizeof text), 1);
        assert_non_null(strstr(text, "crank.phi"));
        const dal_point at = dal_driven_point(k);
        const double x = sqrt(limit[i] * limit[i] - e * e);
        double x0[3];
        slider(x0, start, 1.0);
        assert_near(at.q[6], x, 1e-12);
        assert_near(at.t, fabs(x - x0[0]), 1e-12);
        dal_driven_destroy(k);
        close_model(&d);
    }
}

/* ---- forces ----------------------------------------------------------------------------------- */

enum { POINTS = 6 };
typedef struct path {
    double t[POINTS], x[POINTS][3]; /* angle of body 1 with two derivatives */
    double la[POINTS][40];
} path;

static dal_status on_path(double y[3], double t, void *user)
{
    const path *p = user;
    int best = 0;
    for (int k = 1; k < POINTS; ++k) {
        best = fabs(t - p->t[k]) < fabs(t - p->t[best]) ? k : best;
    }
    const double dt = t - p->t[best], *x = p->x[best];
    y[0] = x[0] + dt * (x[1] + 0.5 * dt * x[2]);
    y[1] = x[1] + dt * x[2];
    y[2] = x[2];
    return DAL_OK;
}

/* The forward motion under the torque 0.033, by Lobatto's method. */
static void run_forward(path *p)
{
    driven d = open_model("andrews_squeezer", NULL);
    dal_sim *sim;
    dal_options opt = dal_options_init();
    opt.integrator = DAL_INTEGRATOR_LOBATTO;
    opt.h = 1e-5;
    compile(&d);
    check_ok(d.ctx, dal_sim_create(&sim, d.ctx, d.sys, &opt));
    check_ok(d.ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(d.model), dal_model_v0(d.model)));
    for (int k = 0; k < POINTS; ++k) {
        check_ok(d.ctx, dal_sim_run(sim, NULL, 3e-4 * k));
        const dal_state s = dal_sim_state(sim);
        p->t[k] = s.t;
        p->x[k][0] = s.q[2] - dal_model_q0(d.model)[2];
        p->x[k][1] = s.v[2];
        p->x[k][2] = s.vd[2];
        memcpy(p->la[k], s.la, (size_t)dal_system_rows(d.sys) * sizeof(double));
    }
    dal_sim_destroy(sim);
    close_model(&d);
}

/* With a motor of 0.01 in the model the drive has to give the rest, and the joints carry what they carried. */
static void inverse_dynamics_of_andrews_mechanism_gives_back_its_torque(void **state)
{
    static path p;
    run_forward(&p);
    driven d = open_model("andrews_squeezer", "mom=0.01");
    int function;
    const dal_function f = {.name = "path", .type = "user", .call = on_path, .user = &p};
    check_ok(d.ctx, dal_model_add_function(d.model, &function, &f));
    drive_with(&d, "O", function);
    compile(&d);
    dal_driven *k;
    const dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(d.model), .drive = 1 + d.row[0]};
    check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
    for (int i = 0; i < POINTS; ++i) {
        double torque;
        int rank;
        check_ok(d.ctx, dal_driven_to(k, p.t[i]));
        const dal_point at = dal_driven_point(k);
        assert_near(-at.la[d.row[0]], 0.023, 1e-10); // the multiplier of the row that drives
        check_ok(d.ctx, dal_driven_forces(k, &torque, &rank, d.row, 1, d.row, 1));
        assert_near(torque, 0.023, 1e-10);
        assert_int_equal(rank, 1);
        assert_near(check_max_abs_diff(at.la, p.la[i], 20) / (1.0 + check_max_abs(p.la[i], 20)), 0.0, 1e-9);
    }
    dal_driven_destroy(k);
    close_model(&d);
}

/* Two drives on one coordinate share its force evenly; a third elsewhere makes the sum of squares least. */
static void redundant_drives_share_the_load_by_least_norm(void **state)
{
    driven d = open_model("slider_crank", NULL);
    drive(&d, "A", "2*t");
    drive(&d, "A", "0");
    drive(&d, "guide", "0");
    compile(&d);
    dal_driven *k;
    const dal_driven_spec spec = {
        .t = 0.0, .q = dal_model_q0(d.model), .drive = 1 + d.row[0], .ignored = d.row + 1, .nignored = 2};
    check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
    check_ok(d.ctx, dal_driven_to(k, 0.3));
    double alone, two[2], three[3], guide;
    int rank;
    check_ok(d.ctx, dal_driven_forces(k, &alone, &rank, d.row, 1, d.row, 1));
    check_ok(d.ctx, dal_driven_forces(k, two, &rank, d.row, 2, d.row, 1));
    assert_int_equal(rank, 1);
    assert_near(two[0], 0.5 * alone, 1e-12);
    assert_near(two[1], 0.5 * alone, 1e-12);
    check_ok(d.ctx, dal_driven_forces(k, &guide, &rank, d.row + 2, 1, d.row, 1));
    check_ok(d.ctx, dal_driven_forces(k, three, &rank, d.row, 3, d.row, 1));
    // F_A + j F_guide = alone with j = alone/guide: F ~ (1, 1, j)
    const double j = alone / guide, share = alone / (2.0 + j * j);
    assert_near(three[0], share, 1e-12);
    assert_near(three[1], share, 1e-12);
    assert_near(three[2], j * share, 1e-12);
    dal_driven_destroy(k);
    close_model(&d);
}

/* A rod is swung on a bearing whose friction follows what it carries, which follows the drive: I p'' + m g l cos p + mu r m |a - g|. */
static void friction_follows_the_drive(void **state)
{
    static const char text[] =
        "{\"dalembert\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"inertia\": 0.1, "
        "\"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"rod\", "
        "\"point\": [0, 0, 0], \"axis\": [0, -1, 0]}], \"forces\": [{\"name\": \"bearing\", \"type\": \"friction\", "
        "\"joint\": \"A\", \"mu\": 0.5, \"radius\": 0.2, \"slip\": 0.01}]}";
    const double m = 2.0, g = 10.0, c = 0.5, w = 3.0;
    (void)state;
    driven d = open_model(text, NULL);
    drive(&d, "A", "0.4*sin(3*t)");
    compile(&d);
    dal_driven *k;
    const dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(d.model)};
    check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
    for (int i = 0; i < 8; ++i) {
        const double t = 0.12 * i, p = 0.4 * sin(w * t), p1 = 0.4 * w * cos(w * t), p2 = -w * w * p,
                     x = -c * (p2 * sin(p) + p1 * p1 * cos(p)), z = c * (p2 * cos(p) - p1 * p1 * sin(p)) + g;
        double torque;
        check_ok(d.ctx, dal_driven_to(k, t));
        check_ok(d.ctx, dal_driven_forces(k, &torque, NULL, d.row, 1, d.row, 1));
        assert_near(torque, (0.1 + m * c * c) * p2 + m * g * c * cos(p) + 0.5 * 0.2 * m * hypot(x, z) * tanh(p1 / 0.01),
                    1e-10);
    }
    dal_driven_destroy(k);
    close_model(&d);
}

static void what_is_missing_is_named(void **state)
{
    driven d = open_model("double_pendulum", NULL);
    drive(&d, "support", "t");
    compile(&d);
    dal_driven *k;
    dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(d.model), .drive = 1 + d.row[0]};
    check_fails(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec), DAL_EINVAL, "1 freedom is left");
    check_fails(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec), DAL_EINVAL, "lower");
    spec.drive = 100;
    check_fails(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec), DAL_EINVAL, "no row 99");
    close_model(&d);
    d = open_model("double_pendulum", NULL);
    drive(&d, "support", "t");
    drive(&d, "elbow", "2*t");
    compile(&d);
    double force;
    spec = (dal_driven_spec){.t = 0.0, .q = dal_model_q0(d.model)};
    check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
    check_fails(d.ctx, dal_driven_forces(k, &force, NULL, d.row, 1, d.row, 2), DAL_ECHECK,
                "fewer drives than freedoms");
    dal_driven_destroy(k);
    close_model(&d);
    d = open_model("rolling_disk", NULL);
    compile(&d);
    spec = (dal_driven_spec){.t = 0.0, .q = dal_model_q0(d.model)};
    check_fails(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec), DAL_EINVAL, "rows on velocities");
    close_model(&d);
}

/* Redundant joints are no obstacle: four links in a plane, with revolute joints of space. */
static void redundant_joints_are_no_obstacle(void **state)
{
    driven d = open_model("bricard", NULL);
    char joint[64];
    snprintf(joint, sizeof joint, "%s", dal_model_joint_name(d.model, 0));
    drive(&d, joint, "0.3*t");
    compile(&d);
    dal_driven *k;
    const dal_driven_spec spec = {.t = 0.0, .q = dal_model_q0(d.model), .drive = 1 + d.row[0]};
    check_ok(d.ctx, dal_driven_create(&k, d.ctx, d.sys, d.data, &spec));
    check_ok(d.ctx, dal_driven_to(k, 0.5));
    double Phi[64] = {0.0};
    const dal_point at = dal_driven_point(k);
    check_ok(d.ctx, dal_data_residual(d.data, &(dal_residual){.Phi = Phi}, &at));
    assert_near(check_max_abs(Phi, dal_system_rows(d.sys)), 0.0, 1e-12);
    dal_driven_destroy(k);
    close_model(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_give_back_a_quintic),
        cmocka_unit_test(slider_crank_moves_as_the_closed_form_says),
        cmocka_unit_test(drives_by_name_find_the_dead_centres),
        cmocka_unit_test(drives_need_a_coordinate),
        cmocka_unit_test(dead_centres_are_where_crank_and_rod_are_in_line),
        cmocka_unit_test(the_slider_can_be_driven_up_to_its_dead_centres),
        cmocka_unit_test(inverse_dynamics_of_andrews_mechanism_gives_back_its_torque),
        cmocka_unit_test(redundant_drives_share_the_load_by_least_norm),
        cmocka_unit_test(friction_follows_the_drive),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(redundant_joints_are_no_obstacle),
    };
    return cmocka_run_group_tests_name("driven", tests, NULL, NULL);
}
