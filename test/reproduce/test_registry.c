/* The registry of claims is sound, and verdicts mean what they say. */
#include <math.h>
#include <string.h>

#include "reproduce/claim.h"
#include "support/check.h"

static void every_claim_is_complete(void **state)
{
    for (int k = 0; k < claim_count(); ++k) {
        const claim *c = claim_at(k);
        if (c->id == NULL || c->source == NULL || c->statement == NULL || c->measure == NULL) {
            fail_msg("claim %d lacks a part", k);
            return;
        }
        assert_true(strlen(c->id) > 0 && strlen(c->id) <= 40 && strpbrk(c->id, " \"\\") == NULL);
        assert_true(c->source[0] == '[' || strncmp(c->source, "ours", 4) == 0);
        assert_true(c->statement[strlen(c->statement) - 1] == '.');
        assert_true(isfinite(c->expected) && c->tolerance >= 0.0);
        // a claim that differs says why, and the value asserted instead is not the printed one
        assert_true(c->explanation == NULL || !claim_holds(c, c->ours));
        assert_int_equal(claim_find(c->id), k);
    }
    assert_null(claim_at(claim_count()));
}

static void all_papers_are_there(void **state)
{
    static const char *const papers[] = {"[AB07]", "[ABC15]", "[ACB15]", "[HAG]", "[SM21]", "ours"};
    for (size_t i = 0; i < LEN(papers); ++i) {
        int n = 0;
        for (int k = 0; k < claim_count(); ++k) {
            n += strncmp(claim_at(k)->source, papers[i], strlen(papers[i])) == 0;
        }
        print_message("%s: %d\n", papers[i], n);
        assert_true(n >= 10);
    }
}

static void unknown_ids_have_a_neighbour(void **state)
{
    assert_int_equal(claim_find("pendulum-naive-h03"), -1);
    assert_string_equal(claim_nearest("pendulum-naiv-h02"), "pendulum-naive-h02");
    assert_null(claim_nearest("xxxxxxxxxxxxxxxxxxxxxx"));
}

static void verdicts_follow_the_relation(void **state)
{
    const claim near = {.relation = CLAIM_NEAR, .expected = 2.0, .tolerance = 0.1};
    const claim relative = {.relation = CLAIM_RELATIVE, .expected = 200.0, .tolerance = 0.01};
    const claim most = {.relation = CLAIM_AT_MOST, .expected = 3.0},
                least = {.relation = CLAIM_AT_LEAST, .expected = 3.0};
    const claim differing = {.relation = CLAIM_NEAR,
                             .expected = 2.0,
                             .tolerance = 0.1,
                             .ours = 3.0,
                             .ours_tolerance = 0.1,
                             .explanation = "because"};
    assert_int_equal(claim_judge(&near, 2.05), CLAIM_PASSED);
    assert_int_equal(claim_judge(&near, 2.15), CLAIM_FAILED);
    assert_int_equal(claim_judge(&relative, 201.9), CLAIM_PASSED);
    assert_int_equal(claim_judge(&relative, 203.0), CLAIM_FAILED);
    assert_int_equal(claim_judge(&most, 3.0), CLAIM_PASSED);
    assert_int_equal(claim_judge(&most, 3.1), CLAIM_FAILED);
    assert_int_equal(claim_judge(&least, 3.0), CLAIM_PASSED);
    assert_int_equal(claim_judge(&least, 2.9), CLAIM_FAILED);
    assert_int_equal(claim_judge(&differing, 3.2), CLAIM_DIFFERS);
    assert_int_equal(claim_judge(&differing, 2.0), CLAIM_FAILED);
    const claim *const all[] = {&near, &relative, &most, &least, &differing};
    for (size_t i = 0; i < LEN(all); ++i) {
        assert_int_equal(claim_judge(all[i], NAN), CLAIM_FAILED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_claim_is_complete),
        cmocka_unit_test(all_papers_are_there),
        cmocka_unit_test(unknown_ids_have_a_neighbour),
        cmocka_unit_test(verdicts_follow_the_relation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
