/* Text and files: characters, text that grows, files that are there as a whole. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "support/check.h"

static void characters_of_utf8_are_those_of_rfc_3629(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
    } c[] = {{"a", 1},
             {"\xc3\xa9", 2},
             {"\xe2\x82\xac", 3},
             {"\xf0\x9f\x98\x80", 4},
             {"\x80", 0},             // a continuation
             {"\xc0\xaf", 0},         // longer than needed
             {"\xe0\x9f\xbf", 0},     //
             {"\xed\xa0\x80", 0},     // a surrogate
             {"\xf4\x90\x80\x80", 0}, // beyond the last one
             {"\xe2\x82", 0},         // cut off
             {"\xff", 0}};
    for (size_t k = 0; k < LEN(c); ++k) {
        assert_int_equal(dal_utf8(c[k].text, strlen(c[k].text)), c[k].bytes);
    }
    assert_int_equal(dal_utf8("\xe2\x82\xac", 2), 0);
    assert_int_equal(dal_utf8("", 0), 0);
}

static dal_status grow(dal_ctx *ctx, void *user)
{
    dal_text t = {.ctx = ctx};
    for (int k = 0; k < 200; ++k) {
        dal_text_print(&t, "%d,", k);
        dal_text_put(&t, "-");
    }
    const dal_status st = t.failed ? dal_fail(ctx, DAL_ENOMEM, "no memory for a text") : DAL_OK;
    if (st == DAL_OK) {
        assert_int_equal(t.n, strlen(t.s));
        assert_string_equal(t.s + t.n - 10, "198,-199,-");
    }
    dal_text_release(&t);
    assert_int_equal(t.n, 0);
    return st;
}

static void text_grows_and_remembers_that_it_failed(void **state)
{
    assert_true(check_every_allocation(grow, NULL) > 1);
}

static void a_file_is_there_as_a_whole_or_not_at_all(void **state)
{
    dal_ctx *ctx;
    char back[16] = "";
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    remove("test_text.file");
    assert_int_equal(dal_file_writable(ctx, "test_text.file"), DAL_OK);
    assert_null(fopen("test_text.file", "r")); // looking leaves nothing
    assert_int_equal(dal_file_write(ctx, "test_text.file", "old", 3), DAL_OK);
    assert_int_equal(dal_file_write(ctx, "test_text.file", "new one", 7), DAL_OK);
    FILE *in = fopen("test_text.file", "r");
    assert_non_null(in);
    assert_int_equal(fread(back, 1, sizeof back, in), 7);
    fclose(in);
    assert_string_equal(back, "new one");
    assert_null(fopen("test_text.file.part", "r"));
    check_fails(ctx, dal_file_write(ctx, "nowhere/file", "x", 1), DAL_EIO, "cannot write 'nowhere/file'");
    check_fails(ctx, dal_file_write(ctx, "/", "x", 1), DAL_EIO, "cannot write '/'");
    char name[5000];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    check_fails(ctx, dal_file_writable(ctx, name), DAL_EIO, "too long");
    remove("test_text.file");
    dal_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_of_utf8_are_those_of_rfc_3629),
        cmocka_unit_test(text_grows_and_remembers_that_it_failed),
        cmocka_unit_test(a_file_is_there_as_a_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
