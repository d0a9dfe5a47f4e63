/* Equilibria with closed forms, their stability, and what is said where there is none. */
#include "static_models.h"

#define HEAD "{\"dalembert\": 1, \"name\": \"test\", "

/* ---- pendulums -------------------------------------------------------------------------------- */

static void double_pendulum_hangs_and_its_joints_carry_the_weight(void **state)
{
    rest_model m = rest_builtin("double_pendulum", NULL, 0);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_true(m.report.converged && m.report.stable && m.report.complete);
    assert_int_equal(m.report.nnegative + m.report.nindifferent, 0);
    assert_near(m.report.relative, 0.0, 1e-14);
    double wrench[12];
    const dal_point at = {0.0, m.q, m.v, m.vd, m.la};
    check_ok(m.ctx, dal_model_wrenches(m.model, m.data, wrench, &at));
    assert_near(wrench[1], 2.0 * 9.81, 1e-12);
    assert_near(wrench[7], 9.81, 1e-12);
    rest_free(&m);
}

/* Two equal rods of length 1, mass 1, at angles from below. */
static const char rods[] = HEAD
    "\"variables\": {\"a\": 0, \"b\": 0}, \"gravity\": [0, -10, 0],"
    "\"bodies\": [{\"name\": \"one\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"com\": [0, -0.5], "
    "\"rotation\": \"a\"}, {\"name\": \"two\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"com\": [0, -0.5],"
    "\"position\": [\"sin(a)\", \"-cos(a)\"], \"rotation\": \"b\"}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"planar_revolute\", \"body_b\": \"one\", \"point\": [0, 0]},"
    "{\"name\": \"B\", \"type\": \"planar_revolute\", \"body_a\": \"one\", \"body_b\": \"two\", "
    "\"frame_a\": [0, -1]}]}";

static rest_model rods_at(const char *a, const char *b)
{
    const char *set[] = {a, b};
    rest_model m = {.ctx = check_ctx()};
    check_ok(m.ctx, dal_document_parse(&m.doc, m.ctx, rods, strlen(rods), "rods", set, 2));
    rest_compile(&m);
    return m;
}

static void pendulums_have_as_many_negative_directions_as_rods_that_stand(void **state)
{
    static const struct {
        const char *a, *b;
        int negative;
    } pose[] = {{"a=0", "b=0", 0}, {"a=0", "b=pi", 1}, {"a=pi", "b=0", 1}, {"a=pi", "b=pi", 2}};
    for (size_t k = 0; k < LEN(pose); ++k) {
        rest_model m = rods_at(pose[k].a, pose[k].b);
        check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
        assert_int_equal(m.report.nnegative, pose[k].negative);
        assert_int_equal(m.report.stable, pose[k].negative == 0);
        assert_near(m.report.moved, 0.0, 1e-10);
        for (int i = 0; i < m.report.nnegative; ++i) {
            assert_non_null(strstr(m.report.negative[i].name, "."));
        }
        rest_free(&m);
    }
}

static void a_guess_far_from_rest_leads_to_the_stable_equilibrium(void **state)
{
    static const char *const angle[] = {"a=0.3", "a=1.5707963267948966", "a=2", "a=3.1"};
    for (size_t k = 0; k < LEN(angle); ++k) {
        rest_model m = rods_at(angle[k], "b=2.5");
        check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
        assert_true(m.report.stable);
        assert_near(sin(m.q[2]), 0.0, 1e-10);
        assert_near(sin(m.q[5]), 0.0, 1e-10);
        assert_near(m.q[4], -1.0, 1e-10);
        rest_free(&m);
    }
}

static void nearest_takes_what_newton_finds(void **state)
{
    rest_model m = rods_at("a=3", "b=3");
    const dal_static_options nearest = {.nearest = 1};
    check_ok(m.ctx, rest_solve(&m, 0.0, &nearest));
    assert_false(m.report.stable);
    assert_int_equal(m.report.nnegative, 2);
    assert_near(m.q[4], 1.0, 1e-10);
    rest_free(&m);
}

/* ---- springs ---------------------------------------------------------------------------------- */

/* Masses in series: spring k carries what hangs below it, elongation (n - k + 1) m g / c. */
static void spring_chain_stretches_by_what_hangs_below(void **state)
{
    enum { N = 6 };
    static const char text[] = HEAD
        "\"variables\": {\"n\": 6}, \"gravity\": [0, 0, -9.81],"
        "\"bodies\": [{\"repeat\": \"i\", \"to\": \"n\", \"items\": [{\"name\": \"m{i}\", \"type\": \"point\", "
        "\"mass\": 2, \"position\": [\"0.01*i\", 0, \"-i*0.3\"]}]}],"
        "\"forces\": [{\"name\": \"s1\", \"type\": \"spring\", \"body_b\": \"m1\", \"stiffness\": 500, "
        "\"reference\": 0.25, \"point_a\": [0, 0, 0]}, {\"repeat\": \"i\", \"from\": 2, \"to\": \"n\", \"items\": ["
        "{\"name\": \"s{i}\", \"type\": \"spring\", \"body_a\": \"m{i-1}\", \"body_b\": \"m{i}\", \"stiffness\": 500, "
        "\"reference\": 0.25}]}], \"outputs\": [\"s1.force_value\"]}";
    rest_model m = rest_of(text);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_true(m.report.stable && m.report.symmetric);
    double z = 0.0;
    for (int k = 0; k < N; ++k) {
        z -= 0.25 + (N - k) * 2.0 * 9.81 / 500.0;
        assert_near(m.q[3 * k], 0.0, 1e-10);
        assert_near(m.q[3 * k + 2], z, 1e-12);
    }
    assert_near(rest_output(&m, 0.0, "s1.force_value", 0), N * 2.0 * 9.81, 1e-10);
    rest_free(&m);
}

/* A rigid beam on three elastic rods at x = 0, 1, 3, its weight W at 1.2: F_i = c_i (u + phi x_i), where u and phi follow
 * from the balance of forces and moments. */
static void indeterminate_frame_shares_the_load_by_stiffness(void **state)
{
    static const char text[] =
        HEAD "\"gravity\": [0, -10, 0], \"bodies\": [{\"name\": \"beam\", \"type\": \"planar\", \"mass\": 30, "
             "\"inertia\": 5,"
             "\"com\": [1.2, 0]}],"
             "\"joints\": [{\"name\": \"guide\", \"type\": \"generic\", \"body_b\": \"beam\", \"locked\": [\"x\"]}],"
             "\"forces\": ["
             "{\"name\": \"r1\", \"type\": \"cartesian\", \"body_b\": \"beam\", \"frame_b\": [0, 0], \"point_a\": [0, "
             "0, 0], "
             "\"stiffness\": [0, 1e6, 0]},"
             "{\"name\": \"r2\", \"type\": \"cartesian\", \"body_b\": \"beam\", \"frame_b\": [1, 0], \"point_a\": [1, "
             "0, 0], "
             "\"stiffness\": [0, 2e6, 0]},"
             "{\"name\": \"r3\", \"type\": \"cartesian\", \"body_b\": \"beam\", \"frame_b\": [3, 0], \"point_a\": [3, "
             "0, 0], "
             "\"stiffness\": [0, 3e6, 0]}]}";
    static const double x[] = {0.0, 1.0, 3.0}, c[] = {1e6, 2e6, 3e6};
    const double W = 300.0, a = 1.2;
    rest_model m = rest_of(text);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_true(m.report.stable);
    // sum c_i (y + x_i s) = -W, sum c_i x_i (y + x_i s) cos = -W a cos: small s = sin(phi), found by elimination
    double c0 = 0.0, c1 = 0.0, c2 = 0.0;
    for (int i = 0; i < 3; ++i) {
        c0 += c[i];
        c1 += c[i] * x[i];
        c2 += c[i] * x[i] * x[i];
    }
    const double det = c0 * c2 - c1 * c1, y = -W * (c2 - a * c1) / det, s = -W * (c0 * a - c1) / det;
    assert_near(m.q[1], y, 1e-13);
    assert_near(sin(m.q[2]), s, 1e-13);
    rest_free(&m);
}

/* A table on four legs: of all reactions that carry the load W at (x, y) the shortest are W/4 (1 + x x_i + y y_i) for legs
 * at x_i, y_i = +-1. */
static void redundant_supports_share_the_load_by_least_norm(void **state)
{
    static const char text[] =
        HEAD "\"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"top\", \"mass\": 4, \"inertia\": [1, 1, 1], "
             "\"com\": [0.3, -0.2, 0.5]}],"
             "\"joints\": ["
             "{\"name\": \"l1\", \"type\": \"point_on_plane\", \"body_b\": \"top\", \"point\": [1, 1, 0], \"axis\": "
             "[0, 0, 1]},"
             "{\"name\": \"l2\", \"type\": \"point_on_plane\", \"body_b\": \"top\", \"point\": [-1, 1, 0], \"axis\": "
             "[0, 0, 1]},"
             "{\"name\": \"l3\", \"type\": \"point_on_plane\", \"body_b\": \"top\", \"point\": [-1, -1, 0], \"axis\": "
             "[0, 0, 1]},"
             "{\"name\": \"l4\", \"type\": \"point_on_plane\", \"body_b\": \"top\", \"point\": [1, -1, 0], \"axis\": "
             "[0, 0, 1]}"
             "]}";
    static const double x[] = {1, -1, -1, 1}, y[] = {1, 1, -1, -1};
    rest_model m = rest_of(text);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_int_equal(m.report.redundant, 1);
    assert_int_equal(m.report.nindifferent, 3); // it slides and turns on the floor
    assert_true(m.report.stable);
    double wrench[24];
    const dal_point at = {0.0, m.q, m.v, m.vd, m.la};
    check_ok(m.ctx, dal_model_wrenches(m.model, m.data, wrench, &at));
    for (int i = 0; i < 4; ++i) {
        assert_near(wrench[6 * i + 2], 10.0 * (1.0 + 0.3 * x[i] - 0.2 * y[i]), 1e-12);
    }
    rest_free(&m);
}

/* ---- turns, switches, states ------------------------------------------------------------------- */

/* A wheel on a torsion spring of 1 N m/rad. */
#define WHEEL                                                                                                      \
    "\"bodies\": [{\"name\": \"wheel\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"                                    \
    "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"wheel\", \"point\": [0, 0, 0], "         \
    "\"axis\": [0, 0, 1]}],"                                                                                       \
    "\"outputs\": [\"A.coordinate\", \"spring.force_value\", \"A.force\", \"A.torque\"], \"simulation\": {\"h\": " \
    "0.01, "                                                                                                       \
    "\"t_end\": 1, \"initial\": \"static\"},"

static const char wound[] =
    HEAD WHEEL "\"forces\": [{\"name\": \"spring\", \"type\": \"spring\", \"joint\": \"A\", \"stiffness\": 1}, "
               "{\"name\": \"motor\", \"type\": \"actuator\", \"joint\": \"A\", \"function\": 10}]}";

static void a_spring_is_wound_up_over_several_turns(void **state)
{
    rest_model m = rest_of(wound);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_near(rest_output(&m, 0.0, "A.coordinate", 0), 10.0, 1e-12);
    assert_near(rest_output(&m, 0.0, "spring.force_value", 0), 10.0, 1e-12);
    rest_free(&m);
}

static void a_run_starts_at_rest_with_the_turns_it_has(void **state)
{
    rest_model m = rest_of(wound);
    dal_sim *sim;
    double y[16];
    check_ok(m.ctx, dal_sim_create(&sim, m.ctx, m.sys, dal_document_options(m.doc)));
    check_ok(m.ctx, dal_sim_start(sim, NULL, 0.0, m.q, m.v));
    for (int k = 0; k < 2; ++k) {
        const dal_point at = dal_sim_point(sim);
        check_ok(m.ctx, dal_model_outputs(m.model, dal_sim_data(sim), y, &at));
        assert_near(y[0], 10.0, 1e-10);
        assert_near(y[1], 10.0, 1e-10);
        assert_near(check_max_abs(at.v, 6), 0.0, 1e-10);
        assert_near(check_max_abs(at.vd, 6), 0.0, 1e-9);
        check_ok(m.ctx, dal_sim_run(sim, NULL, 1.0));
    }
    dal_sim_destroy(sim);
    rest_free(&m);
}

static void a_switched_force_counts_while_it_is_on(void **state)
{
    static const char text[] = HEAD WHEEL
        "\"forces\": [{\"name\": \"spring\", \"type\": \"spring\", \"joint\": \"A\", \"stiffness\": 2}, {\"name\": "
        "\"motor\", \"type\": \"actuator\", \"joint\": \"A\", \"function\": 1, \"active\": {\"from\": 1, \"to\": 2}}]}";
    static const double t[] = {0.0, 1.5, 3.0}, angle[] = {0.0, 0.5, 0.0};
    for (int k = 0; k < 3; ++k) {
        rest_model m = rest_of(text);
        check_ok(m.ctx, rest_solve(&m, t[k], NULL));
        assert_near(rest_output(&m, t[k], "A.coordinate", 0), angle[k], 1e-12);
        rest_free(&m);
    }
}

/* x' = (3 - x)/2 - c, torque x on a spring of 2 N m/rad: x = 3 - 2 c, 2 c = x, so x = 1.5. */
static void states_rest_where_their_rate_is_zero(void **state)
{
    static const char text[] =
        HEAD WHEEL "\"forces\": [{\"name\": \"spring\", \"type\": \"spring\", \"joint\": \"A\", \"stiffness\": 2},"
                   "{\"name\": \"x\", \"type\": \"state\", \"value\": \"(3 - x)/2 - c\", \"initial\": 0.7, \"inputs\": "
                   "{\"x\": \"x.state\", \"c\": \"A.coordinate\"}},"
                   "{\"name\": \"drive\", \"type\": \"law\", \"joint\": \"A\", \"value\": \"x\", \"inputs\": {\"x\": "
                   "\"x.state\"}}]}";
    rest_model m = rest_of(text);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_near(rest_output(&m, 0.0, "A.coordinate", 0), 0.75, 1e-12);
    assert_near(m.v[m.sys->group->nv - 1], 1.5, 1e-12);
    rest_free(&m);
}

/* ---- preload ---------------------------------------------------------------------------------- */

static void a_run_from_rest_starts_with_the_static_reactions(void **state)
{
    static const char text[] =
        HEAD "\"gravity\": [0, -9.81, 0], \"bodies\": [{\"name\": \"arm\", \"type\": \"planar\", \"mass\": 2, "
             "\"inertia\": 0.2, "
             "\"position\": [0.5, 0], \"velocity\": [0.3, 0.2]}],"
             "\"joints\": [{\"name\": \"A\", \"type\": \"planar_revolute\", \"body_b\": \"arm\", \"point\": [0, 0]}],"
             "\"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_b\": \"arm\", \"point_a\": [0, 2, 0], "
             "\"frame_b\": "
             "[0.4, 0], \"stiffness\": 300, \"reference\": 1.5, \"damping\": 5}], \"outputs\": [\"A.force\", "
             "\"s.force_value\"]}";
    rest_model m = rest_of(text);
    dal_options opt = dal_options_init();
    opt.initial = DAL_INITIAL_STATIC;
    dal_sim *sim;
    check_ok(m.ctx, dal_sim_create(&sim, m.ctx, m.sys, &opt));
    check_ok(m.ctx, dal_sim_start(sim, NULL, 0.0, m.q, m.v));
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_true(m.report.stable);
    assert_all_near(dal_sim_state(sim).la, m.la, 2, 1e-10);
    assert_all_near(dal_sim_state(sim).q, m.q, 3, 1e-12);
    assert_near(check_max_abs(dal_sim_state(sim).vd, 3), 0.0, 1e-10);
    check_ok(m.ctx, dal_sim_run(sim, NULL, 1.0));
    assert_all_near(dal_sim_state(sim).q, m.q, 3, 1e-10);
    // moments about A: the spring carries the arm
    const double tension = rest_output(&m, 0.0, "s.force_value", 0);
    assert_true(tension > 0.0);
    dal_sim_destroy(sim);
    rest_free(&m);
}

/* ---- units ------------------------------------------------------------------------------------ */

/* A flexible arm on a hinge under its weight, held by a spring; its modal coordinates have units of their own. The moments about the hinge
 * vanish in metres and kilograms, millimetres and grams, kilometres and tonnes: the angle is the same. */
static void units_do_not_matter(void **state)
{
    static const char text[] =
        HEAD "\"variables\": {\"l\": 1, \"m\": 1}, \"gravity\": [0, 0, \"-9.81*l\"], \"bodies\": [{\"name\": \"arm\", "
             "\"type\": "
             "\"flexible\", \"beam\": {\"length\": \"0.5*l\", \"E\": \"7e10*m/l\", \"nu\": 0.33, \"density\": "
             "\"2700*m/l^3\", "
             "\"rectangle\": [\"0.02*l\", \"0.006*l\"], \"modes\": 2, \"kinds\": [\"bending_y\"]}}],"
             "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"arm/A\", \"point\": [0, 0, 0], "
             "\"axis\": [0, -1, 0]}],"
             "\"forces\": [{\"name\": \"s\", \"type\": \"spring\", \"body_b\": \"arm/B\", \"point_a\": [\"0.5*l\", 0, "
             "\"0.4*l\"], "
             "\"point_b\": [\"0.5*l\", 0, 0], \"stiffness\": \"30*m\", \"reference\": \"0.3*l\"}], \"outputs\": "
             "[\"A.coordinate\"]}";
    static const char *const units[][2] = {
        {"l=1", "m=1"}, {"l=1e3", "m=1e3"}, {"l=1e-3", "m=1e-3"}, {"l=1e6", "m=1e6"}};
    double first = 0.0;
    (void)state;
    for (size_t k = 0; k < LEN(units); ++k) {
        rest_model m = rest_text(text, units[k], 2);
        check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
        assert_true(m.report.stable);
        const double angle = rest_output(&m, 0.0, "A.coordinate", 0);
        first = k == 0 ? angle : first;
        assert_near(angle, first, 1e-9);
        rest_free(&m);
    }
    assert_true(fabs(first) > 0.02);
}

/* ---- no equilibrium --------------------------------------------------------------------------- */

static void a_load_on_a_free_direction_is_named(void **state)
{
    static const char falling[] =
        HEAD "\"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"stone\", \"mass\": 1, \"inertia\": [1, 1, 1]}]}";
    static const char driven[] = HEAD
        "\"bodies\": [{\"name\": \"wheel\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
        "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"wheel\", \"point\": [0, 0, 0], \"axis\": "
        "[0, 0, 1]}], \"forces\": [{\"name\": \"m\", \"type\": \"actuator\", \"joint\": \"A\", \"function\": 3}]}";
    rest_model m = rest_of(falling);
    check_fails(m.ctx, rest_solve(&m, 0.0, NULL), DAL_NOCONV, "stone.z");
    check_fails(m.ctx, rest_solve(&m, 0.0, NULL), DAL_NOCONV, "force of 10 along");
    rest_free(&m);
    m = rest_of(driven);
    check_fails(m.ctx, rest_solve(&m, 0.0, NULL), DAL_NOCONV, "wheel.Om_z");
    check_fails(m.ctx, rest_solve(&m, 0.0, NULL), DAL_NOCONV, "force of 3 along");
    rest_free(&m);
}

static void a_free_spin_without_load_is_indifferent(void **state)
{
    rest_model m = rest_builtin("heavy_top", NULL, 0);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_int_equal(m.report.nindifferent, 1);
    assert_string_equal(m.report.indifferent[0].name, "top.Om_y");
    assert_true(m.report.stable);
    rest_free(&m);
    m = rest_builtin("free_top", NULL, 0);
    check_ok(m.ctx, rest_solve(&m, 0.0, NULL));
    assert_int_equal(m.report.nindifferent, 6);
    rest_free(&m);
}

static void bad_arguments_and_lack_of_memory_are_told(void **state)
{
    rest_model m = rest_builtin("double_pendulum", NULL, 0);
    check_fails(m.ctx, dal_static_solve(m.ctx, NULL, NULL, m.q, NULL, NULL, NULL, 0.0, NULL), DAL_EINVAL, "sys");
    check_fails(m.ctx, dal_static_solve(m.ctx, m.sys, NULL, NULL, NULL, NULL, NULL, 0.0, NULL), DAL_EINVAL,
                "q is NULL");
    check_fails(m.ctx, dal_static_solve(m.ctx, m.sys, NULL, m.q, NULL, NULL, NULL, NAN, NULL), DAL_EINVAL, "t = nan");
    check_ok(m.ctx, dal_static_solve(m.ctx, m.sys, NULL, m.q, NULL, NULL, NULL, 0.0, NULL));
    rest_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum_hangs_and_its_joints_carry_the_weight),
        cmocka_unit_test(pendulums_have_as_many_negative_directions_as_rods_that_stand),
        cmocka_unit_test(a_guess_far_from_rest_leads_to_the_stable_equilibrium),
        cmocka_unit_test(nearest_takes_what_newton_finds),
        cmocka_unit_test(spring_chain_stretches_by_what_hangs_below),
        cmocka_unit_test(indeterminate_frame_shares_the_load_by_stiffness),
        cmocka_unit_test(redundant_supports_share_the_load_by_least_norm),
        cmocka_unit_test(a_spring_is_wound_up_over_several_turns),
        cmocka_unit_test(a_run_starts_at_rest_with_the_turns_it_has),
        cmocka_unit_test(a_switched_force_counts_while_it_is_on),
        cmocka_unit_test(states_rest_where_their_rate_is_zero),
        cmocka_unit_test(a_run_from_rest_starts_with_the_static_reactions),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(a_load_on_a_free_direction_is_named),
        cmocka_unit_test(a_free_spin_without_load_is_indifferent),
        cmocka_unit_test(bad_arguments_and_lack_of_memory_are_told),
    };
    return cmocka_run_group_tests_name("static", tests, NULL, NULL);
}
