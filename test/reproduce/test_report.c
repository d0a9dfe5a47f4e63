/* What `dalembert reproduce` prints and returns, and its worker processes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/reproduce.h"
#include "reproduce/workers.h"
#include "support/check.h"

/* Output of a run with these ids, and its exit status. */
static int run(char *text, size_t size, char *complaint, const char *const *id, int n, int list, int json)
{
    const reproduce_options opt = {.id = id, .n = n, .list = list, .json = json};
    FILE *out = tmpfile(), *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    const int code = reproduce_main(&opt, out, err);
    FILE *const files[] = {out, err};
    char *const texts[] = {text, complaint};
    for (int i = 0; i < 2; ++i) {
        rewind(files[i]);
        texts[i][fread(texts[i], 1, size - 1, files[i])] = '\0';
        assert_int_equal(fclose(files[i]), 0);
    }
    return code;
}

enum { SIZE = 100000 };
static char text[SIZE], complaint[SIZE];

static void table_has_verdicts_and_a_closing_line(void **state)
{
    static const char *const id[] = {"pendulum-naive-h02", "recursion-rule"};
    assert_int_equal(run(text, SIZE, complaint, id, 2, 0, 0), 0);
    assert_non_null(strstr(text, "claim "));
    assert_non_null(strstr(text, "pendulum-naive-h02         0.248        0.2476  passed"));
    assert_non_null(strstr(text, "differs"));
    assert_non_null(strstr(text, "Off by up to 3.35 %"));
    assert_non_null(strstr(text, "2 claims: 1 passed, 0 failed, 1 differ as explained"));
    assert_string_equal(complaint, "");
}

static void json_has_the_documented_keys(void **state)
{
    static const char *const id[] = {"recursion-step-09", "recursion-rule"};
    assert_int_equal(run(text, SIZE, complaint, id, 2, 0, 1), 0);
    assert_non_null(strstr(
        text, "{\"claims\": [\n  {\"id\": \"recursion-step-09\", \"source\": \"[ABC15] sec. 4.1\", "
              "\"statement\": \"max ||T^n|| for rho 0.9 is attained at n = 14.\", \"expected\": 14, \"measured\": 14, "
              "\"tolerance\": 0, \"verdict\": \"passed\"},"));
    assert_non_null(strstr(text, "\"expected\": \"<= 0.03\", \"measured\": 0.0334"));
    assert_non_null(strstr(text, "\n], \"passed\": 1, \"failed\": 0, \"differs\": 1}\n"));
}

static void results_do_not_depend_on_the_workers(void **state)
{
    static const char *const id[] = {"top-eta", "crank-theta1-order", "lobatto-s3-q"};
    static char again[SIZE];
    assert_int_equal(run(text, SIZE, complaint, id, 3, 0, 1), 0);
    for (int jobs = 1; jobs <= 3; ++jobs) {
        const reproduce_options opt = {.id = id, .n = 3, .json = 1, .jobs = jobs};
        FILE *out = tmpfile();
        assert_non_null(out);
        assert_int_equal(reproduce_main(&opt, out, stderr), 0);
        rewind(out);
        again[fread(again, 1, SIZE - 1, out)] = '\0';
        assert_int_equal(fclose(out), 0);
        assert_string_equal(again, text);
    }
}

static void list_names_all_claims(void **state)
{
    assert_int_equal(run(text, SIZE, complaint, NULL, 0, 1, 0), 0);
    assert_non_null(strstr(text, "pendulum-naive-h02"));
    assert_non_null(strstr(text, "lobatto-top-s5"));
    assert_int_equal(run(text, SIZE, complaint, NULL, 0, 1, 1), 0);
    assert_true(strncmp(text, "{\"claims\": [", 12) == 0);
}

static void unknown_ids_are_refused_with_a_suggestion(void **state)
{
    static const char *const id[] = {"rotor-spinn"};
    assert_int_equal(run(text, SIZE, complaint, id, 1, 0, 0), 2);
    assert_non_null(strstr(complaint, "unknown claim 'rotor-spinn' (did you mean 'rotor-spin'?)"));
    assert_string_equal(text, "");
}

/* ---- workers ---------------------------------------------------------------------------------- */

enum { TASKS = 20 };

static void square_or_die(int k, void *result, void *user)
{
    const int value = k * k;
    if (k == 13) {
        abort();
    }
    memcpy(result, &value, sizeof value);
}

static void take(int k, const void *result, void *user)
{
    int *got = user;
    got[k] = -1;
    if (result != NULL) {
        memcpy(&got[k], result, sizeof got[k]);
    }
}

static void a_worker_that_dies_takes_no_other_with_it(void **state)
{
    int got[TASKS] = {0};
    const workers w = {.n = TASKS, .jobs = 3, .size = sizeof(int), .user = got, .task = square_or_die, .done = take};
    workers_run(&w);
    for (int k = 0; k < TASKS; ++k) {
        assert_int_equal(got[k], k == 13 ? -1 : k * k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_verdicts_and_a_closing_line),
        cmocka_unit_test(json_has_the_documented_keys),
        cmocka_unit_test(results_do_not_depend_on_the_workers),
        cmocka_unit_test(list_names_all_claims),
        cmocka_unit_test(unknown_ids_are_refused_with_a_suggestion),
        cmocka_unit_test(a_worker_that_dies_takes_no_other_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
