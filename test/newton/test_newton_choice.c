/* Full or modified Newton by counts: when it is tried, when it is kept, when it is given up. */
#include <string.h>

#include "newton/choice.h"
#include "support/check.h"

enum { FULL, MODIFIED };

/* A Jacobian is worth ten iterations; full Newton takes one iteration and one Jacobian. */
static const dal_newton_costs ten = {.residual = 0.5, .solve = 0.5, .jacobian = 10.0};
static const double full = 11.0;

/* n solves, each of which costs `full` or, with kept factors, `kept`; returns how many kept them. */
static long solves(dal_newton_choice *c, int n, double kept)
{
    const long before = c->kept;
    for (int i = 0; i < n; ++i) {
        dal_newton_learn(c, &ten, c->modified ? kept : full, 0);
    }
    return c->kept - before;
}

static void cheap_jacobians_are_never_kept(void **state)
{
    const dal_newton_costs cheap = {.residual = 1.0, .solve = 1.0, .jacobian = 5.0};
    assert_false(dal_newton_choice_open(&cheap));
    assert_true(dal_newton_choice_open(&ten));
}

static void factors_are_kept_where_that_costs_less(void **state)
{
    dal_newton_choice c = {0};
    assert_int_equal(solves(&c, 8, 3.0), 0);
    assert_int_equal(c.modified, MODIFIED);
    assert_int_equal(solves(&c, 1000, 3.0), 1000);
    assert_int_equal(c.failures, 0);
}

/* Three quarters of the cost is not worth a change: the trial has to show 0.7. */
static void a_small_gain_is_no_reason_to_change(void **state)
{
    dal_newton_choice c = {0};
    solves(&c, 16, 0.75 * full);
    assert_int_equal(c.modified, FULL);
    assert_int_equal(c.failures, 1);
}

/* Time between trials doubles, up to 1024 solves; a hopeless one ends after a solve or two. */
static void trials_in_vain_become_rare(void **state)
{
    dal_newton_choice c = {0};
    const long kept = solves(&c, 10000, 40.0);
    print_message("%ld of 10000 solves in trials that did not pay\n", kept);
    assert_true(kept >= 10 && kept <= 20);
    assert_int_equal(c.modified, FULL);
}

static void kept_factors_are_given_up_when_they_become_dear(void **state)
{
    dal_newton_choice c = {0};
    solves(&c, 100, 3.0);
    assert_int_equal(c.modified, MODIFIED);
    // 12 a solve are more than full Newton takes: the average of some eight solves tells
    assert_true(solves(&c, 30, 12.0) < 30);
    dal_newton_choice once = {0};
    solves(&once, 100, 3.0);
    dal_newton_learn(&once, &ten, 30.0, 0);
    assert_int_equal(once.modified, MODIFIED);
}

static void a_failure_leads_back_to_full_newton(void **state)
{
    dal_newton_choice c = {0};
    solves(&c, 50, 3.0);
    assert_int_equal(c.modified, MODIFIED);
    dal_newton_learn(&c, &ten, 100.0, 1);
    assert_int_equal(c.modified, FULL);
    assert_near(c.usual, full, 1e-12);
    const dal_newton_choice before = c;
    dal_newton_learn(&c, &ten, 100.0, 1);
    assert_memory_equal(&c, &before, sizeof c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheap_jacobians_are_never_kept),
        cmocka_unit_test(factors_are_kept_where_that_costs_less),
        cmocka_unit_test(a_small_gain_is_no_reason_to_change),
        cmocka_unit_test(trials_in_vain_become_rare),
        cmocka_unit_test(kept_factors_are_given_up_when_they_become_dear),
        cmocka_unit_test(a_failure_leads_back_to_full_newton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
