#include <stdio.h>
#include <string.h>

#include "support/check.h"

static void a_new_context_has_no_message(void **state)
{
    dal_ctx *ctx = check_ctx();
    assert_string_equal(dal_ctx_message(ctx), "");
    assert_int_equal(dal_ctx_status(ctx), DAL_OK);
    check_ctx_free(ctx);
    dal_ctx_destroy(NULL);
}

static void another_header_version_is_refused(void **state)
{
    static const int other[] = {0, DAL_VERSION + 100, DAL_VERSION + 10000, -1};
    for (size_t k = 0; k < LEN(other); ++k) {
        dal_ctx *ctx = (dal_ctx *)&ctx;
        assert_int_equal(dal_ctx_create_(&ctx, NULL, other[k]), DAL_EVERSION);
        assert_null(ctx);
    }
    dal_ctx *ctx = NULL;
    assert_int_equal(dal_ctx_create_(&ctx, NULL, DAL_VERSION + 1), DAL_OK); // another patch fits
    dal_ctx_destroy(ctx);
}

static void half_an_allocator_is_refused(void **state)
{
    check_alloc alloc = {0};
    dal_config config = check_alloc_config(&alloc);
    dal_ctx *ctx;
    config.release = NULL;
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_EINVAL);
    config = check_alloc_config(&alloc);
    config.alloc = NULL;
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_EINVAL);
    assert_null(ctx);
}

static void a_context_costs_one_block_and_gives_it_back(void **state)
{
    check_alloc alloc = {.fail_in = 1};
    const dal_config config = check_alloc_config(&alloc);
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_ENOMEM);
    assert_null(ctx);
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_OK);
    assert_int_equal(alloc.total, 1);
    assert_int_equal(alloc.live, 1);
    dal_ctx_destroy(ctx);
    assert_int_equal(alloc.live, 0);
}

static void fail_keeps_status_and_message(void **state)
{
    dal_ctx *ctx = check_ctx();
    assert_int_equal(dal_fail(ctx, DAL_EINVAL, "h = %g is not positive", -1.5), DAL_EINVAL);
    assert_string_equal(dal_ctx_message(ctx), "h = -1.5 is not positive");
    assert_int_equal(dal_ctx_status(ctx), DAL_EINVAL);
    assert_int_equal(dal_fail(ctx, DAL_RETRY, "again: %s", dal_ctx_message(ctx)),
                     DAL_RETRY); // its own text as argument
    assert_string_equal(dal_ctx_message(ctx), "again: h = -1.5 is not positive");
    dal_ctx_clear(ctx);
    assert_string_equal(dal_ctx_message(ctx), "");
    assert_int_equal(dal_ctx_status(ctx), DAL_OK);
    assert_int_equal(dal_fail(NULL, DAL_EINVAL, "nobody listens"), DAL_EINVAL);
    assert_int_equal(dal_fail_in(NULL, DAL_EINVAL, "nobody listens"), DAL_EINVAL);
    check_ctx_free(ctx);
}

static void fail_in_puts_the_place_before_the_message(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_status st = dal_fail(ctx, DAL_SINGULAR, "row %d is zero", 3);
    assert_int_equal(dal_fail_in(ctx, st, "step %d, t = %g", 12, 0.3), DAL_SINGULAR);
    assert_string_equal(dal_ctx_message(ctx), "step 12, t = 0.3: row 3 is zero");
    assert_int_equal(dal_fail_in(ctx, DAL_ESTEP, "run"), DAL_ESTEP); // the status may change on the way up
    assert_string_equal(dal_ctx_message(ctx), "run: step 12, t = 0.3: row 3 is zero");
    assert_int_equal(dal_ctx_status(ctx), DAL_ESTEP);
    check_ctx_free(ctx);
}

static void without_a_message_the_status_speaks(void **state)
{
    dal_ctx *ctx = check_ctx();
    assert_int_equal(dal_fail_in(ctx, DAL_NOCONV, "step %d", 1), DAL_NOCONV);
    assert_string_equal(dal_ctx_message(ctx), "step 1: the iteration did not converge");
    check_ctx_free(ctx);
}

/* However long the pieces, the message ends with "..." and a zero inside its buffer. */
static void long_messages_are_cut(void **state)
{
    dal_ctx *ctx = check_ctx();
    char x[3001];
    memset(x, 'x', sizeof x - 1);
    x[sizeof x - 1] = '\0';
    assert_int_equal(dal_fail(ctx, DAL_EINVAL, "%s", x), DAL_EINVAL);
    const size_t full = strlen(dal_ctx_message(ctx));
    assert_int_equal(full, 1023);
    assert_string_equal(dal_ctx_message(ctx) + full - 4, "x...");
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(dal_fail_in(ctx, DAL_EINVAL, "place %.*s", k * 600, x), DAL_EINVAL);
        assert_int_equal(strlen(dal_ctx_message(ctx)), full);
        assert_memory_equal(dal_ctx_message(ctx), "place ", 6);
        assert_string_equal(dal_ctx_message(ctx) + full - 3, "...");
    }
    check_ctx_free(ctx);
}

typedef struct logbook {
    int lines;
    dal_log_level level;
    char text[64];
} logbook;

static void write_log(dal_log_level level, const char *text, void *user)
{
    logbook *log = user;
    log->lines += 1;
    log->level = level;
    snprintf(log->text, sizeof log->text, "%s", text);
}

static void log_lines_reach_the_callback(void **state)
{
    logbook log = {0};
    const dal_config config = {.log = write_log, .user = &log};
    dal_ctx *ctx;
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_OK);
    dal_log(ctx, DAL_LOG_WARNING, "step %d rejected", 7);
    assert_int_equal(log.lines, 1);
    assert_int_equal(log.level, DAL_LOG_WARNING);
    assert_string_equal(log.text, "step 7 rejected");
    dal_ctx_destroy(ctx);
}

static void without_a_callback_nothing_is_logged(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_log(ctx, DAL_LOG_INFO, "lost");
    dal_log(NULL, DAL_LOG_DEBUG, "lost");
    assert_string_equal(dal_ctx_message(ctx), "");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_context_has_no_message),
        cmocka_unit_test(another_header_version_is_refused),
        cmocka_unit_test(half_an_allocator_is_refused),
        cmocka_unit_test(a_context_costs_one_block_and_gives_it_back),
        cmocka_unit_test(fail_keeps_status_and_message),
        cmocka_unit_test(fail_in_puts_the_place_before_the_message),
        cmocka_unit_test(without_a_message_the_status_speaks),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(log_lines_reach_the_callback),
        cmocka_unit_test(without_a_callback_nothing_is_logged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
