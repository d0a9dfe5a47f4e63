/* Rows that depend on multipliers (CS.9): a damped oscillator written with a joint, a compliance, a damper and a friction as
 * laws, against the closed form, with all integrators, formulations and linear solvers. Two bodies on a line, q2 = 2 q1:
 *
 *     m1 q1'' + f - 2 l0 + l1 + l3 = 0      l0: joint q2 - 2 q1 = 0         q1 - e l1 = 0       compliance, k = 1/e
 *     m2 q2''     +   l0 + l2      = 0      e (d v2 - l2) = 0   damper      e (l3 - mu l0) = 0  friction on the joint
 *
 * so that (m1 + 2 (2 - mu) m2) q1'' + 2 (2 - mu) d q1' + k q1 + f = 0. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/static.h"
#include "integrate/run.h"
#include "support/check.h"

typedef struct oscillator {
    double m1, m2, e, d, mu, f;
    int silent; /* derivatives of laws are left to differences */
} oscillator;

static dal_status residual(const dal_residual *out, const dal_point *at, const void *user, void *work)
{
    const oscillator *o = user;
    const double *q = at->q, *v = at->v, *vd = at->vd, *l = at->la;
    if (out->r) {
        out->r[0] = o->m1 * vd[0] + o->f - 2.0 * l[0] + l[1] + l[3];
        out->r[1] = o->m2 * vd[1] + l[0] + l[2];
    }
    if (out->Phi) {
        out->Phi[0] = q[1] - 2.0 * q[0];
    }
    if (out->vel) {
        out->vel[0] = v[1] - 2.0 * v[0];
    }
    if (out->acc) {
        out->acc[0] = vd[1] - 2.0 * vd[0];
    }
    if (out->law) {
        out->law[1] = q[0] - o->e * l[1];
        out->law[2] = o->e * (o->d * v[1] - l[2]);
        out->law[3] = o->e * (l[3] - o->mu * l[0]);
    }
    return DAL_OK;
}

static dal_status tangent(dal_sink *sink, const dal_point *at, const void *user, void *work)
{
    const oscillator *o = user;
    const double joint[] = {-2.0, 1.0}, on_first[] = {1.0, 0.0}, on_second[] = {0.0, 1.0},
                 damped[] = {0.0, o->e * o->d};
    const double own[] = {-o->e, 0.0, 0.0, -o->e}, friction = o->e, one = 1.0, of_joint = -o->e * o->mu;
    sink->pair(sink, 0, &o->m1, NULL, NULL);
    sink->pair(sink, 1, &o->m2, NULL, NULL);
    sink->link(sink, 0, &joint[0], NULL);
    sink->link(sink, 1, &joint[1], NULL);
    sink->link(sink, 2, on_first, NULL);
    sink->link(sink, 3, on_second, NULL);
    sink->link(sink, 4, &one, NULL);
    if ((sink->wants & DAL_WANT_L) && !o->silent) {
        sink->link_law(sink, 2, on_first, NULL);
        sink->link_law(sink, 3, NULL, damped);
        sink->couple(sink, 0, own);
        sink->couple(sink, 1, &friction);
        sink->couple(sink, 2, &of_joint);
    }
    return DAL_OK;
}

typedef struct fixture {
    dal_ctx *ctx;
    dal_group *group;
    oscillator o;
    dal_system sys;
} fixture;

static void set_up(fixture *f)
{
    static const dal_factor_spec factors[] = {{DAL_FACTOR_RN, 1}, {DAL_FACTOR_RN, 1}};
    static const dal_constraint blocks[] = {{1, DAL_ROWS_POSITION}, {2, DAL_ROWS_LAW}, {1, DAL_ROWS_LAW}};
    static const dal_pair pairs[] = {{0, 0, 0}, {1, 1, 0}};
    static const dal_link links[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}};
    static const dal_couple couples[] = {{1, 1}, {2, 2}, {2, 0}};
    *f = (fixture){.ctx = check_ctx(), .o = {1.2, 0.3, 0.05, 0.4, 0.5, 0.7, 0}};
    check_ok(f->ctx, dal_group_create(&f->group, f->ctx, factors, 2));
    f->sys = (dal_system){.group = f->group,
                          .nconstraints = 3,
                          .constraint = blocks,
                          .npairs = 2,
                          .pair = pairs,
                          .nlinks = 5,
                          .link = links,
                          .ncouples = 3,
                          .couple = couples,
                          .provides =
                              DAL_WANT_M | DAL_WANT_C | DAL_WANT_K | DAL_WANT_B | DAL_WANT_Z | DAL_WANT_A | DAL_WANT_L,
                          .equations = {.residual = residual, .tangent = tangent},
                          .user = &f->o};
}

static void tear_down(fixture *f)
{
    dal_group_destroy(f->group);
    check_ctx_free(f->ctx);
}

/* q1, q1', q1'' at t from q1(0) = x0, q1'(0) = v0 */
static void motion(double x[3], const oscillator *o, double x0, double v0, double t)
{
    const double m = o->m1 + 2.0 * (2.0 - o->mu) * o->m2, c = 2.0 * (2.0 - o->mu) * o->d, rest = -o->f * o->e;
    const double a = 0.5 * c / m, w = sqrt(1.0 / (m * o->e) - a * a);
    const double A = x0 - rest, B = (v0 + a * A) / w, E = exp(-a * t), C = cos(w * t), S = sin(w * t);
    x[0] = rest + E * (A * C + B * S);
    x[1] = E * ((B * w - a * A) * C - (A * w + a * B) * S);
    x[2] = -(c * x[1] + (x[0] - rest) / o->e) / m;
}

/* Largest error of q1, q1' and, in units of the forces, of all multipliers at t = 1. */
static double error_of(fixture *f, const char *options, double h)
{
    const double q0[] = {0.1, 0.2}, v0[] = {-0.3, -0.6};
    dal_options opt = run_options(f->ctx, options);
    dal_sim *sim;
    double x[3], worst = 0.0;
    opt.h = h;
    check_ok(f->ctx, dal_sim_create(&sim, f->ctx, &f->sys, &opt));
    check_ok(f->ctx, dal_sim_start(sim, NULL, 0.0, q0, v0));
    check_ok(f->ctx, dal_sim_run(sim, NULL, 1.0));
    const dal_point at = dal_sim_point(sim);
    motion(x, &f->o, q0[0], v0[0], 1.0);
    const oscillator *o = &f->o;
    const double l0 = -2.0 * o->m2 * x[2] - 2.0 * o->d * x[1];
    const double off[] = {at.q[0] - x[0],         at.q[1] - 2.0 * x[0],         at.v[0] - x[1],       at.la[0] - l0,
                          at.la[1] - x[0] / o->e, at.la[2] - 2.0 * o->d * x[1], at.la[3] - o->mu * l0};
    for (int i = 0; i < 7; ++i) {
        worst = fmax(worst, fabs(off[i]));
    }
    dal_sim_destroy(sim);
    return worst;
}

static void tangents_of_laws_are_checked(void **state)
{
    fixture f;
    dal_tangent_report report;
    const double q[] = {0.1, 0.3}, v[] = {0.4, -0.2}, vd[] = {1.0, 2.0}, la[] = {0.3, -0.7, 0.2, 0.9};
    const dal_point at = {0.0, q, v, vd, la};
    set_up(&f);
    check_ok(f.ctx, dal_system_check(f.ctx, &f.sys, &report, &at, 1e-8));
    f.sys.ncouples = 2; // the friction depends on the joint all the same
    check_fails(f.ctx, dal_system_check(f.ctx, &f.sys, &report, &at, 1e-8), DAL_ECHECK, "F (from lambda)");
    tear_down(&f);
}

static void laws_follow_the_closed_form(void **state)
{
    // order of the worst of positions, velocities and multipliers, and its error at h = 0.01
    static const struct {
        const char *options;
        double order, error;
    } method[] = {{"formulation=index3", 2.0, 5e-4},
                  {"formulation=index2", 2.0, 5e-4},
                  {"formulation=ggl", 2.0, 5e-4},
                  {"formulation=index1", 2.0, 5e-4},
                  {"integrator=rk step=fixed order=5", 5.0, 1e-9},
                  {"integrator=lobatto stages=2", 2.0, 2e-4},
                  {"integrator=lobatto stages=3", 4.0, 1e-8},
                  {"integrator=lobatto stages=4 atol=1e-14 rtol=1e-14", 6.0, 1e-12}};
    fixture f;
    set_up(&f);
    for (size_t i = 0; i < sizeof method / sizeof method[0]; ++i) {
        const double coarse = error_of(&f, method[i].options, 0.04), fine = error_of(&f, method[i].options, 0.02);
        const double order = log2(coarse / fine), last = error_of(&f, method[i].options, 0.01);
        if (!(fabs(order - method[i].order) < 0.25 && last < method[i].error)) {
            fail_msg("%s: order %g, error %g", method[i].options, order, last);
        }
    }
    tear_down(&f);
}

static void solvers_differences_and_kept_factors_give_the_same_motion(void **state)
{
    // block elimination last: it is for genalpha alone
    static const char *const variant[] = {"linear_solver=small", "linear_solver=sparse", "linear_solver=frontal",
                                          "linear_solver=dense", "newton=modified",      "step=adaptive",
                                          "linear_solver=block"};
    static const char *const method[] = {"formulation=ggl", "formulation=index3", "integrator=lobatto stages=3"};
    char options[128];
    fixture f;
    set_up(&f);
    for (int m = 0; m < 3; ++m) {
        const double usual = error_of(&f, method[m], 0.01);
        for (int i = 0; i < (m < 2 ? 7 : 6); ++i) {
            snprintf(options, sizeof options, "%s %s", method[m], variant[i]);
            const double error = error_of(&f, options, 0.01);
            assert_true(strcmp(variant[i], "step=adaptive") == 0 ? error < 0.05 : fabs(error - usual) < 1e-3 * usual);
        }
        f.sys.provides &= ~(unsigned)DAL_WANT_L;
        f.o.silent = 1;
        assert_near(error_of(&f, method[m], 0.01), usual, 1e-3 * usual);
        f.sys.provides |= DAL_WANT_L;
        f.o.silent = 0;
    }
    tear_down(&f);
}

/* A compliance of 1e-14 m/N is a joint: the position is held, and the multiplier is the load. */
static void a_stiff_compliance_is_a_joint(void **state)
{
    const double q0[] = {0.0, 0.0}, v0[] = {0.0, 0.0};
    fixture f;
    dal_sim *sim;
    set_up(&f);
    f.o.e = 1e-14;
    f.o.f = -3.0;
    const dal_options opt = run_options(f.ctx, "formulation=index3 rho_inf=0 h=0.01");
    check_ok(f.ctx, dal_sim_create(&sim, f.ctx, &f.sys, &opt));
    check_ok(f.ctx, dal_sim_start(sim, NULL, 0.0, q0, v0));
    check_ok(f.ctx, dal_sim_run(sim, NULL, 1.0));
    const dal_point at = dal_sim_point(sim);
    assert_near(at.la[1], 3.0, 1e-6);
    assert_near(at.q[0], 3e-14, 1e-19);
    dal_sim_destroy(sim);
    tear_down(&f);
}

static void ignore_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
}

static void ignore_link(dal_sink *sink, int link, const double *X, const double *Y)
{
}

static void ignore_force(dal_sink *sink, int link, const double *G)
{
}

static void a_sink_that_wants_laws_takes_them(void **state)
{
    const double zero[4] = {0.0};
    const dal_point at = {0.0, zero, zero, zero, zero};
    dal_sink sink = {.pair = ignore_pair, .link = ignore_link, .link_acc = ignore_link, .link_force = ignore_force};
    fixture f;
    dal_data *data;
    set_up(&f);
    check_ok(f.ctx, dal_data_create(&data, f.ctx, &f.sys));
    check_ok(f.ctx, dal_data_tangent(data, &sink, &at));
    sink.wants = DAL_WANT_L;
    check_fails(f.ctx, dal_data_tangent(data, &sink, &at), DAL_EINVAL, "link_law is NULL");
    sink.link_law = ignore_link;
    check_fails(f.ctx, dal_data_tangent(data, &sink, &at), DAL_EINVAL, "couple is NULL");
    sink.couple = ignore_force;
    check_ok(f.ctx, dal_data_tangent(data, &sink, &at));
    dal_data_destroy(data);
    tear_down(&f);
}

static void what_knows_nothing_of_laws_says_so(void **state)
{
    static const dal_constraint early[] = {{1, DAL_ROWS_LAW}, {2, DAL_ROWS_LAW}, {1, DAL_ROWS_POSITION}};
    double q[] = {0.0, 0.0};
    fixture f;
    set_up(&f);
    check_fails(f.ctx, dal_static_solve(f.ctx, &f.sys, NULL, q, NULL, NULL, NULL, 0.0, NULL), DAL_EINVAL, "laws");
    f.sys.ncouples = 1;
    check_fails(f.ctx, dal_system_validate(f.ctx, &f.sys), DAL_EINVAL, "lack the couple (c, c)");
    f.sys.ncouples = 3;
    f.sys.constraint = early;
    check_fails(f.ctx, dal_system_validate(f.ctx, &f.sys), DAL_EINVAL, "announce laws last");
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_laws_are_checked),
        cmocka_unit_test(laws_follow_the_closed_form),
        cmocka_unit_test(solvers_differences_and_kept_factors_give_the_same_motion),
        cmocka_unit_test(a_stiff_compliance_is_a_joint),
        cmocka_unit_test(a_sink_that_wants_laws_takes_them),
        cmocka_unit_test(what_knows_nothing_of_laws_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
