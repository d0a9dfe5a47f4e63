/* What is asked for does not change what follows; derivatives wherever a unit is, within the limits of its inputs. */
#include <math.h>
#include <string.h>

#include "../sweep/backend.h"
#include "units.h"

static fmu_code code = FMU_LIBRARY;

/* A rod whose place depends on an input and a parameter; its motor, with limits, goes beyond them by a root that is not there. */
static const char rod[] =
    "{\"dalembert\": 1, \"name\": \"rod\", \"gravity\": [0, 0, -9.81], \"variables\": {\"J\": 0.5},"
    "\"inputs\": {\"aside\": 0.1, \"u\": {\"value\": 0.25, \"min\": 0, \"max\": 1}, \"w\": {\"value\": 0, \"min\": 0, "
    "\"max\": 1}},"
    "\"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"inertia\": [\"J\", 0.5, 0.1], \"position\": [0, \"aside\", "
    "-0.5]}],"
    "\"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": "
    "[1, 0, 0]}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"law\", \"joint\": \"hinge\", \"value\": \"3*sqrt(1 - u^2) + "
    "2*w\"}],"
    "\"outputs\": [\"hinge.coordinate_acceleration\", \"rod.position\", \"rod.rotation_vector\", \"rod.acceleration\"],"
    "\"simulation\": {\"h\": 1e-3, \"newton\": \"full\"}}";
static const char *const rod_parameters[] = {"J"};
static const fmu_source rod_unit = {.text = rod, .name = "rod", .parameter = rod_parameters, .nparameters = 1};

/* J + m r^2 about the hinge; the weight turns it where it hangs aside. */
static double inertia(double J, double aside)
{
    return J + 2.0 * (0.25 + aside * aside);
}

static double slope3(const importer *i, fmi3Instance u, const char *of, const char *by)
{
    const unsigned unknown = importer_find(i, of), known = importer_find(i, by);
    const double seed = 1.0;
    double got = NAN;
    importer_message[0] = '\0';
    if (i->p_fmi3GetDirectionalDerivative(u, &unknown, 1, &known, 1, &seed, 1, &got, 1) != fmi3OK) {
        fail_msg("%s", importer_message);
    }
    return got;
}

static void values_that_are_asked_for_do_not_change_the_start(void **state)
{
    importer i;
    importer_open(&i, &rod_unit, 3, code);
    const unsigned aside = importer_find(&i, "aside"), y = importer_find(&i, "rod.position.y");
    fmi3Instance u = start3(&i, 0);
    assert_int_equal(i.p_fmi3EnterInitializationMode(u, false, 0.0, 0.0, false, 0.0), fmi3OK);
    assert_near(get3(&i, u, y), 0.1, 1e-14);
    set3(&i, u, aside, 0.3);
    assert_near(get3(&i, u, y), 0.3, 1e-14);
    (void)slope3(&i, u, "hinge.coordinate_acceleration", "J");
    set3(&i, u, aside, 0.2);
    assert_int_equal(i.p_fmi3ExitInitializationMode(u), fmi3OK);
    assert_near(get3(&i, u, y), 0.2, 1e-14);
    i.p_fmi3FreeInstance(u);
    importer_close(&i);
}

/* A crank that a function of time turns, with a link that swings. */
static const char crank[] =
    "{\"dalembert\": 1, \"name\": \"crank\", \"gravity\": [0, 0, -9.81], \"variables\": {\"m\": 1}, \"inputs\": "
    "{\"u\": 0},"
    "\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0.5, 0, 0]},"
    "{\"name\": \"b\", \"mass\": \"m\", \"inertia\": 0.1, \"position\": [1.5, 0, 0]}],"
    "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"body_b\": \"a\", \"axis\": [0, 1, 0]},"
    "{\"name\": \"B\", \"type\": \"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"point\": [1, 0, 0], \"axis\": "
    "[0, 1, 0]},"
    "{\"name\": \"drive\", \"type\": \"motion\", \"body_b\": \"a\", \"coordinate\": \"rotation_z\", \"axis\": [0, 1, "
    "0],"
    "\"function\": \"0.3*sin(2*t)\"}],"
    "\"forces\": [{\"name\": \"motor\", \"type\": \"law\", \"joint\": \"B\", \"value\": \"u\"}],"
    "\"outputs\": [\"A.coordinate\", \"A.coordinate_velocity\", \"B.coordinate_velocity\"],"
    "\"simulation\": {\"h\": 1e-3, \"newton\": \"full\"}}";

/* Joints that time moves are where they are at the start; parameters that may be set change nothing. */
static void units_start_at_any_time(void **state)
{
    static const char *const m[] = {"m"};
    double seen[2];
    for (int n = 0; n < 2; ++n) {
        const fmu_source from = {.text = crank, .name = "crank", .parameter = m, .nparameters = n};
        importer i;
        importer_open(&i, &from, 3, code);
        fmi3Instance u = start3(&i, 0);
        assert_int_equal(i.p_fmi3EnterInitializationMode(u, false, 0.0, 0.3, false, 0.0), fmi3OK);
        assert_int_equal(i.p_fmi3ExitInitializationMode(u), fmi3OK);
        for (int k = 0; k < 2; ++k) {
            const double t = 0.3 + 0.05 * k;
            assert_near(get3(&i, u, 0), t, 1e-15);
            assert_near(get3(&i, u, importer_find(&i, "A.coordinate")), 0.3 * sin(2.0 * t), 1e-12);
            assert_near(get3(&i, u, importer_find(&i, "A.coordinate_velocity")), 0.6 * cos(2.0 * t), 1e-12);
            step3(&i, u, t, 0.05);
        }
        seen[n] = get3(&i, u, importer_find(&i, "B.coordinate_velocity"));
        i.p_fmi3FreeInstance(u);
        importer_close(&i);
    }
    assert_near(seen[0], seen[1], 1e-12);
}

static void derivatives_with_respect_to_parameters_are_there_until_the_start(void **state)
{
    importer i;
    importer_open(&i, &rod_unit, 3, code);
    const unsigned unknown = importer_find(&i, "hinge.coordinate_acceleration"), J = importer_find(&i, "J");
    const double seed = 1.0;
    double got;
    fmi3Instance u = start3(&i, 0);
    assert_int_equal(i.p_fmi3EnterInitializationMode(u, false, 0.0, 0.0, false, 0.0), fmi3OK);
    const double alpha = get3(&i, u, unknown);
    assert_near(slope3(&i, u, "hinge.coordinate_acceleration", "J"), -alpha / inertia(0.5, 0.1), 1e-8);
    assert_near(slope3(&i, u, "rod.position.y", "aside"), 1.0, 1e-9);
    assert_int_equal(i.p_fmi3ExitInitializationMode(u), fmi3OK);
    assert_int_equal(i.p_fmi3GetDirectionalDerivative(u, &unknown, 1, &J, 1, &seed, 1, &got, 1), fmi3Error);
    assert_non_null(strstr(importer_message, "until the initialization is over"));
    i.p_fmi3FreeInstance(u);
    importer_close(&i);
}

/* At u = 0 and w = 0 nothing is below, at u = 1 nothing above; together they leave no side where one is at its least and the other at its
 * most. */
static void derivatives_stay_within_limits_and_leave_nothing_behind(void **state)
{
    static const char *const of = "hinge.coordinate_acceleration";
    importer i;
    importer_open(&i, &rod_unit, 3, code);
    const unsigned unknown = importer_find(&i, of), known[] = {importer_find(&i, "u"), importer_find(&i, "w")},
                   place = importer_find(&i, "rod.rotation_vector.x");
    const double I = inertia(0.5, 0.1), seed[] = {2.0, 3.0};
    fmi3Instance u = start3(&i, 0), like = start3(&i, 0);
    initialize3(&i, u);
    initialize3(&i, like);
    double t = 0.0, got;
    for (int k = 0; k < 20; ++k, t += 0.0137) {
        step3(&i, u, t, 0.0137);
        step3(&i, like, t, 0.0137);
        set3(&i, u, known[0], 0.0);
        set3(&i, like, known[0], 0.0);
        assert_near(slope3(&i, u, of, "u"), 0.0, 1e-7);
        assert_near(slope3(&i, u, of, "w"), 2.0 / I, 1e-8);
        set3(&i, u, known[0], 0.6);
        set3(&i, like, known[0], 0.6);
        assert_near(slope3(&i, u, of, "u"), -3.0 * 0.6 / 0.8 / I, 1e-8);
        assert_int_equal(i.p_fmi3GetDirectionalDerivative(u, &unknown, 1, known, 2, seed, 2, &got, 1), fmi3OK);
        assert_near(got, (-2.0 * 3.0 * 0.6 / 0.8 + 3.0 * 2.0) / I, 1e-7);
    }
    assert_true(get3(&i, u, place) == get3(&i, like, place));
    assert_true(get3(&i, u, unknown) == get3(&i, like, unknown));
    // one can only fall, the other only rise
    set3(&i, u, known[0], 0.8);
    set3(&i, u, known[1], 1.0);
    assert_near(slope3(&i, u, of, "w"), 2.0 / I, 1e-8);
    set3(&i, u, known[0], 0.0);
    assert_int_equal(i.p_fmi3GetDirectionalDerivative(u, &unknown, 1, known, 2, seed, 2, &got, 1), fmi3OK);
    assert_near(got, 3.0 * 2.0 / I, 1e-7);
    i.p_fmi3FreeInstance(u);
    i.p_fmi3FreeInstance(like);
    importer_close(&i);
}

/* Set, but not yet heard of by what computes. */
static void inputs_that_wait_for_the_next_step_are_in_a_state(void **state)
{
    importer i;
    fmi3FMUState kept = NULL;
    importer_open(&i, &rod_unit, 3, code);
    const unsigned u_of = importer_find(&i, "u"), place = importer_find(&i, "rod.rotation_vector.x");
    fmi3Instance u = start3(&i, 0), other = start3(&i, 0);
    initialize3(&i, u);
    initialize3(&i, other);
    step3(&i, u, 0.0, 0.05);
    set3(&i, u, u_of, 1.0);
    assert_int_equal(i.p_fmi3GetFMUState(u, &kept), fmi3OK);
    step3(&i, u, 0.05, 0.2);
    const double want = get3(&i, u, place);
    for (int k = 0; k < 2; ++k) {
        fmi3Instance of = k == 0 ? u : other;
        assert_int_equal(i.p_fmi3SetFMUState(of, kept), fmi3OK);
        step3(&i, of, 0.05, 0.2);
        assert_true(get3(&i, of, place) == want);
    }
    i.p_fmi3FreeFMUState(u, &kept);
    i.p_fmi3FreeInstance(u);
    i.p_fmi3FreeInstance(other);
    importer_close(&i);
}

int main(int argc, char **argv)
{
    code = argc > 1 && strcmp(argv[1], "generated") == 0 ? FMU_GENERATED : FMU_LIBRARY;
    backend_cache("-O1");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_are_asked_for_do_not_change_the_start),
        cmocka_unit_test(units_start_at_any_time),
        cmocka_unit_test(derivatives_with_respect_to_parameters_are_there_until_the_start),
        cmocka_unit_test(derivatives_stay_within_limits_and_leave_nothing_behind),
        cmocka_unit_test(inputs_that_wait_for_the_next_step_are_in_a_state),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    backend_cache_remove();
    return failed;
}
