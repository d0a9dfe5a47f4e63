/* The woodpecker on its pole, and the worked examples of docs/user/contact.md, run as they stand there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/events.h"
#include "support/check.h"
#include "support/check_model.h"

/* The k-th time, from 0 on, at which something happens to a contact, or an event, of this name. */
static const dal_contact_event *happening(const check_model *r, const char *name, dal_contact_happening what, int k)
{
    int n;
    const dal_contact_event *event = dal_sim_contact_events(r->sim, &n);
    for (int i = 0; i < n; ++i) {
        char found[96];
        (void)dal_sim_happening(r->sim, found, sizeof found, &event[i]);
        if (event[i].what == what && strcmp(found, name) == 0 && k-- == 0) {
            return &event[i];
        }
    }
    fail_msg("%s: no %s", name, dal_contact_happening_name(what));
    return NULL;
}

/* The limit cycle of Glocker's model, eleven digits: times after the lower edge begins to slide, impulses and losses. */
static void a_woodpecker_comes_down_with_its_period(void **state)
{
    static const struct {
        const char *name;
        dal_contact_happening what;
        int k;
        double t, P, lost;
    } cycle[] = {{"lower_hits", DAL_CONTACT_LIFT, 0, 0.0058207572348, 0.0, 0.0},
                 {"upper_hits", DAL_CONTACT_IMPACT, 0, 0.0167098252806, 4.790758003877e-05, 3.876433029196e-06},
                 {"beak_hits", DAL_CONTACT_IMPACT, 0, 0.0198111789396, 0.001284502929814, 9.605177075525e-05},
                 {"upper_hits", DAL_CONTACT_IMPACT, 1, 0.020390700478, 0.0001872339447529, 1.46027063778e-05},
                 {"upper_hits", DAL_CONTACT_LIFT, 0, 0.022245391272, 0.0, 0.0},
                 {"lower_hits", DAL_CONTACT_IMPACT, 0, 0.0575338019602, 8.032396680273e-05, 8.873568912531e-06},
                 {"lower_hits", DAL_CONTACT_IMPACT, 1, 0.0602625359914, 1.137924739385e-05, 1.109874194285e-06},
                 {"lower_hits", DAL_CONTACT_STICK, 0, 0.1063826581443, 0.0, 0.0},
                 {"lower_hits", DAL_CONTACT_SLIP, 1, 0.1459760651437, 0.0, 0.0}};
    (void)state;
    check_model r = check_model_start("woodpecker", NULL, 0);
    check_model_run(&r, 0.16);
    const double slip = happening(&r, "lower_hits", DAL_CONTACT_SLIP, 0)->t;
    for (size_t k = 0; k < LEN(cycle); ++k) {
        const dal_contact_event *e = happening(&r, cycle[k].name, cycle[k].what, cycle[k].k);
        assert_near(e->t - slip, cycle[k].t, 2e-11);
        assert_near(e->P_n, cycle[k].P, 1e-12);
        assert_near(e->lost, cycle[k].lost, 1e-14);
    }
    check_model_run(&r, slip + 2.0 * 0.1459760651437);
    assert_near(r.y[0], 2.0 * -0.01944537928471, 1e-4); // the fall of two periods, but for the start
    check_model_free(&r);
}

/* Other methods find the same happenings; where a contact lifts, rounding of its gap and speed is no way down and up again. */
static void the_woodpecker_by_other_methods(void **state)
{
    static const char *const methods[][3] = {{"integrator=rattlie"},
                                             {"integrator=rattlie", "order=4"},
                                             {"integrator=bdf", "order=2"},
                                             {"integrator=bdf", "order=5", "formulation=index3"},
                                             {"integrator=lobatto", "lambda=symmetric"}};
    (void)state;
    for (size_t m = 0; m < LEN(methods); ++m) {
        const char *const set[] = {"h=0.001", "max_steps=500", methods[m][0], methods[m][1], methods[m][2]};
        check_model r = check_model_start("woodpecker", set, (int)LEN(set));
        check_model_run(&r, 0.02);
        check_model_run(&r, 0.04);
        const double slip = happening(&r, "lower_hits", DAL_CONTACT_SLIP, 0)->t;
        const dal_contact_event *beak = happening(&r, "beak_hits", DAL_CONTACT_IMPACT, 0);
        print_message("%s %s: %g %g, %ld steps\n", methods[m][0], methods[m][1] ? methods[m][1] : "", beak->t - slip,
                      beak->P_n, dal_sim_stats(r.sim).steps);
        assert_near(beak->t - slip, 0.0198111789396, 2e-4);
        assert_near(beak->P_n, 0.001284502929814, 2e-5);
        assert_near(happening(&r, "upper_hits", DAL_CONTACT_LIFT, 0)->t - slip, 0.022245391272, 3e-4);
        check_model_free(&r);
    }
}

/* ---- the manual ------------------------------------------------------------------------------- */

/* The example of this name on the page. */
static check_model example(const char *name)
{
    static char page[1 << 16];
    char mark[64];
    FILE *file = fopen(CONTACT_PAGE, "rb");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    snprintf(mark, sizeof mark, "\"name\": \"%s\",", name);
    for (char *at = page; (at = strstr(at, "```json\n")) != NULL;) {
        at += strlen("```json\n");
        char *end = strstr(at, "\n```"), *found = strstr(at, mark);
        assert_non_null(end);
        *end = '\0';
        if (found != NULL && found < end) {
            return check_model_start(at, NULL, 0);
        }
        at = end + 1;
    }
    fail_msg("no example '%s'", name);
    return (check_model){0};
}

static void the_fuse_of_the_manual_blows(void **state)
{
    (void)state;
    check_model r = example("fuse");
    dal_stop reason;
    check_ok(r.ctx, dal_sim_run(r.sim, &reason, 2.0));
    assert_int_equal(reason, DAL_STOP_EVENT);
    assert_near(happening(&r, "fuse", DAL_CONTACT_EVENT, 0)->t, 0.5, 1e-9);
    assert_near(dal_sim_state(r.sim).t, 0.5 + sqrt(4.0 / 9.81), 1e-6);
    check_model_free(&r);
}

/* It swings open to the stop, comes back, and the latch holds it where it was at half a degree. */
static void the_door_of_the_manual_shuts(void **state)
{
    const double half = 0.5 * 3.14159265358979 / 180.0, stop = 220.0 * half;
    (void)state;
    check_model r = example("door");
    double widest = 0.0;
    for (double t = 0.1; t < 12.0; t += 0.1) {
        check_model_run(&r, t);
        widest = fmax(widest, r.y[0]);
        assert_true(r.y[0] >= -1e-9 && r.y[0] <= stop + 1e-9);
    }
    assert_near(widest, stop, 0.05);
    const double shut = happening(&r, "click", DAL_CONTACT_EVENT, 0)->t;
    assert_true(shut > 1.0 && shut < 12.0);
    check_model_run(&r, 12.0);
    assert_near(r.y[0], half, 1e-6);
    assert_near(r.y[1], 0.0, 1e-9);
    assert_near(r.y[3] * 0.9, 4.0 * (half + 40.0 * half), 1e-4); // the latch holds against the closer
    check_model_free(&r);
}

/* Both shafts turn as one after speed/(torque/I_1 + torque/I_2); half of the energy of the difference is heat. */
static void the_clutch_of_the_manual_slips_and_holds(void **state)
{
    const double together = 30.0 * 0.1 / 0.4;
    (void)state;
    check_model r = example("clutch");
    check_model_run(&r, 0.4);
    assert_near(r.y[0], 30.0, 1e-9);
    assert_near(r.y[1], 0.0, 1e-9);
    check_model_run(&r, 1.0);
    assert_near(r.y[0], 30.0 - 2.0 / 0.1 * 0.5, 1e-6);
    assert_near(fabs(r.y[4]), 2.0, 1e-9);
    check_model_run(&r, 2.5);
    assert_near(happening(&r, "clutch", DAL_CONTACT_STICK, 0)->t, 0.5 + 30.0 / (2.0 / 0.1 + 2.0 / 0.3), 1e-4);
    assert_near(r.y[0], together, 1e-5);
    assert_near(r.y[1], together, 1e-5);
    assert_near(r.y[5], 0.5 * 0.1 * 900.0 - 0.5 * 0.4 * together * together, 1e-3);
    check_model_run(&r, 4.0);
    assert_near(r.y[4], 0.0, 1e-12);
    check_model_free(&r);
    r = example("freewheel");
    double last = 0.0;
    for (double t = 0.1; t < 6.0; t += 0.1) { // it never slows down, and is never slower than its driver
        check_model_run(&r, t);
        assert_true(r.y[1] >= last - 1e-9 && r.y[1] >= r.y[0] - 1e-9);
        last = r.y[1];
    }
    assert_near(last, 1.5, 1e-3);
    check_model_free(&r);
}

/* Lifted by 0.2 m without slipping, then dropped on the table. */
static void the_gripper_of_the_manual_lifts_and_drops(void **state)
{
    (void)state;
    check_model r = example("gripper");
    check_model_run(&r, 0.7);
    assert_near(r.y[1], 0.15, 1e-6);
    assert_near(r.y[7], 0.0, 1e-9); // nothing on the table
    check_model_run(&r, 1.25);
    assert_near(r.y[1], 0.25, 1e-6);
    assert_near(fabs(r.y[4]), 0.5 * 9.81, 1e-3); // each jaw holds half of the weight
    check_model_run(&r, 2.0);
    assert_near(r.y[1], 0.05, 1e-6);
    assert_near(fabs(r.y[7]), 9.81, 1e-6);
    check_model_free(&r);
}

/* Euler's formula: tensions on both sides of a rope that slides differ by exp(mu pi), here up to the angles of a polygon. */
static void the_rope_of_the_manual_slides_on_its_pulley(void **state)
{
    double left = 0.0, right = 0.0;
    (void)state;
    check_model r = example("pulley");
    for (double t = 0.2; t < 0.35; t += 0.005) {
        check_model_run(&r, t);
        left += r.y[2];
        right += r.y[3];
    }
    assert_near(right / left, exp(0.3 * 3.14159265358979), 0.08);
    assert_true(r.y[1] < 0.0); // the heavy side goes down
    assert_true(dal_sim_contact_totals(r.sim).least_gap > -1e-10);
    check_model_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_woodpecker_comes_down_with_its_period),
                                       cmocka_unit_test(the_woodpecker_by_other_methods),
                                       cmocka_unit_test(the_fuse_of_the_manual_blows),
                                       cmocka_unit_test(the_door_of_the_manual_shuts),
                                       cmocka_unit_test(the_clutch_of_the_manual_slips_and_holds),
                                       cmocka_unit_test(the_gripper_of_the_manual_lifts_and_drops),
                                       cmocka_unit_test(the_rope_of_the_manual_slides_on_its_pulley)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
