/* The reader of JSON against a second one, and its messages. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "io/json.h"
#include "support/check.h"

#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static dal_ctx *ctx;

static int set_up(void **state)
{
    ctx = check_ctx();
    return 0;
}

static int tear_down(void **state)
{
    check_ctx_free(ctx);
    return 0;
}

/* ---- against jansson -------------------------------------------------------------------------- */

static int same_members(const dal_json *a, json_t *b);

static int same(const dal_json *a, json_t *b)
{
    switch (json_typeof(b)) {
    case JSON_OBJECT:
        return dal_json_members(a) == json_object_size(b) && dal_json_is(a, DAL_JSON_OBJECT) && same_members(a, b);
    case JSON_ARRAY:
        for (size_t k = 0; k < json_array_size(b); ++k) {
            if (k >= dal_json_length(a) || !same(dal_json_item(a, k), json_array_get(b, k))) {
                return 0;
            }
        }
        return dal_json_is(a, DAL_JSON_LIST) && dal_json_length(a) == json_array_size(b);
    case JSON_STRING:
        return dal_json_text(a) != NULL && strcmp(dal_json_text(a), json_string_value(b)) == 0;
    case JSON_TRUE:
        return dal_json_is(a, DAL_JSON_TRUE);
    case JSON_FALSE:
        return dal_json_is(a, DAL_JSON_FALSE);
    case JSON_NULL:
        return dal_json_is(a, DAL_JSON_NULL);
    default:
        return dal_json_is(a, DAL_JSON_NUMBER) && dal_json_number(a) == json_number_value(b); // the same bits
    }
}

static int same_members(const dal_json *a, json_t *b)
{
    const char *key;
    json_t *value;
    size_t k = 0;
    json_object_foreach(b, key, value)
    {
        const dal_json *member = dal_json_item(a, k++);
        if (strcmp(member->key, key) != 0 || dal_json_member(a, key) != member || !same(member, value)) {
            return 0;
        }
    }
    return 1;
}

/* Both take it, with the same values, or both refuse it. The text has no zero at its end. */
static void judge(const char *text, size_t n)
{
    char *bytes = malloc(n + 1); // of just that size: a sanitizer sees reading beyond it
    const dal_json *ours;
    memcpy(bytes, text, n);
    const dal_status st = dal_json_parse(&ours, ctx, bytes, n, "test");
    json_t *theirs = json_loadb(bytes, n, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);
    if ((st == DAL_OK) != (theirs != NULL) || (theirs != NULL && !same(ours, theirs))) {
        fail_msg("%s, but jansson %s: %.*s", dal_status_name(st), theirs != NULL ? "takes it" : "does not", (int)n,
                 text);
    }
    dal_json_destroy(ours, ctx);
    json_decref(theirs);
    free(bytes);
}

static void two_readers_agree_on_models_and_what_is_left_of_them(void **state)
{
    static const char odd[] = "{}[]\",:\\ue019-.tfn \n\x01\x80\xc3\xff";
    static char text[1 << 20];
    check_rng rng = check_rng_seed(7);
    for (int m = 0; m < dal_builtin_count(); ++m) {
        const dal_builtin model = dal_builtin_model(m);
        judge(model.text, model.n);
        for (int k = 0; k < 100; ++k) {
            size_t n = model.n < sizeof text / 2 ? model.n : sizeof text / 2;
            memcpy(text, model.text, n);
            for (int slip = 0; slip < 1 + k % 3; ++slip) {
                const size_t at = (size_t)check_uniform(&rng, 0.0, (double)n - 1.0);
                const char c = odd[(size_t)check_uniform(&rng, 0.0, (double)sizeof odd - 1.0)];
                if (k % 4 == 0) {
                    text[at] = c;
                } else if (k % 4 == 1) {
                    memmove(text + at, text + at + 1, n - at - 1);
                    --n;
                } else if (k % 4 == 2) {
                    memmove(text + at + 1, text + at, n - at);
                    text[at] = c;
                    ++n;
                } else {
                    n = at > 0 ? at : 1;
                }
            }
            judge(text, n);
        }
    }
}

static void two_readers_agree_on_corners(void **state)
{
    static const char *const cases[] = {"{}",
                                        "[]",
                                        "[1,]",
                                        "[,1]",
                                        "{\"a\":1,}",
                                        "[01]",
                                        "[-0]",
                                        "[-]",
                                        "[1.]",
                                        "[.5]",
                                        "[1e5,1E+5,1e-5,-1.5e3]",
                                        "[1e]",
                                        "[1e400]",
                                        "[4.9e-324, 1.7976931348623157e308, 0.1]",
                                        "[123456789012345678901234567890]",
                                        "[true,false,null]",
                                        "[tru]",
                                        "[+1]",
                                        "[0x1]",
                                        "[NaN]",
                                        "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
                                        "[\"\\u00e4\\u20AC\\ud83d\\ude00\"]",
                                        "[\"\\ud83d\"]",
                                        "[\"\\ude00\"]",
                                        "[\"\\ud83dx\"]",
                                        "[\"\\ud83d\\u0041\"]",
                                        "[\"\\u0000\"]",
                                        "[\"\\u12\"]",
                                        "[\"\\x\"]",
                                        "[\"a\tb\"]",
                                        "[\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"]",
                                        "[\"\xc0\xaf\"]",
                                        "[\"\xed\xa0\x80\"]",
                                        "[\"\xf4\x90\x80\x80\"]",
                                        "[\"\xc3\"]",
                                        "{\"a\":1,\"b\":2,\"a\":3}",
                                        "{\"\":1}",
                                        "5",
                                        "\"a\"",
                                        "",
                                        " ",
                                        "[1] x",
                                        "[1][2]",
                                        "[\"a",
                                        "[\v1]",
                                        "// a\n[]",
                                        "[1 2]",
                                        "{1:2}"};
    for (size_t k = 0; k < LEN(cases); ++k) {
        judge(cases[k], strlen(cases[k]));
    }
    judge("[\"a\0b\"]", 7);
    judge("[1]\0", 4);
}

/* ---- messages --------------------------------------------------------------------------------- */

static void messages_say_where_and_what(void **state)
{
    static const char *const cases[][2] = {
        {"{\"a\" 1}", "test:1:6: ':' expected near '1'"},
        {"{\"a\": 1\n \"b\": 2}", "test:2:4: ',' or '}' expected near '\"b\"'"},
        {"[1 2]", "test:1:4: ',' or ']' expected near '2'"},
        {"[\n\n 1,\n]", "test:4:1: a value expected near ']'"},
        {"{'a': 1}", "test:1:2: a key in quotation marks expected near '''"},
        {"{\"a\": 1, \"b\": 2, \"a\": 3}", "test:1:20: duplicate object key near '\"a\"'"},
        {"[\"\xc3\xa4\xe2\x82\xac\" 1]", "test:1:7: ',' or ']' expected near '1'"}, // columns are characters
        {"[1e999]", "test:1:6: real number overflow near '1e999'"},
        {"[\"ab", "test:1:4: a text without closing quotation mark near '\"ab'"},
        {"[\"\x1b\"]", "control character 0x1b in a text near '\"?'"},
        {"[\"\xff\"]", "byte 0xff is not UTF-8"},
        {"", "test:1:0: '[' or '{' expected near end of file"},
        {"[1", "test:1:2: ',' or ']' expected near end of file"},
        {"[1]\n\nx", "test:3:1: end of file expected near 'x'"},
    };
    for (size_t k = 0; k < LEN(cases); ++k) {
        const dal_json *json;
        check_fails(ctx, dal_json_parse(&json, ctx, cases[k][0], strlen(cases[k][0]), "test"), DAL_EINVAL, cases[k][1]);
        assert_null(json);
    }
}

static void values_are_nested_up_to_a_limit(void **state)
{
    enum { DEPTH = 512 };
    static char text[2 * DEPTH + 2];
    const dal_json *json;
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    check_ok(ctx, dal_json_parse(&json, ctx, text, 2 * DEPTH, "test"));
    dal_json_destroy(json, ctx);
    memset(text, '[', DEPTH + 1);
    memset(text + DEPTH + 1, ']', DEPTH + 1);
    check_fails(ctx, dal_json_parse(&json, ctx, text, 2 * DEPTH + 2, "test"), DAL_EINVAL, "maximum parsing depth");
}

/* Every key against every other one would take 1e10 comparisons. */
static void many_keys_are_compared_quickly(void **state)
{
    enum { KEYS = 100000, SIZE = 16 * KEYS };
    char *text = malloc(SIZE);
    size_t n = 1;
    text[0] = '{';
    for (int k = 0; k < KEYS; ++k) {
        n += (size_t)snprintf(text + n, SIZE - n, "%s\"k%d\":%d", k > 0 ? "," : "", k, k % 10);
    }
    const size_t end = n;
    n += (size_t)snprintf(text + n, SIZE - n, "}");
    const dal_json *json;
    check_ok(ctx, dal_json_parse(&json, ctx, text, n, "test"));
    assert_int_equal(dal_json_members(json), KEYS);
    assert_near(dal_json_number(dal_json_member(json, "k77777")), 7.0, 0.0);
    assert_null(dal_json_member(json, "k"));
    dal_json_destroy(json, ctx);
    n = end + (size_t)snprintf(text + end, SIZE - end, ",\"k5\":1}");
    check_fails(ctx, dal_json_parse(&json, ctx, text, n, "test"), DAL_EINVAL, "duplicate object key near '\"k5\"'");
    free(text);
}

/* ---- writing and memory ----------------------------------------------------------------------- */

static void texts_are_quoted_so_that_they_read_back(void **state)
{
    static const char all[] = "\x01\x1f \"\\/\b\f\n\r\t~\x7f\xc3\xa4\xf0\x9f\x98\x80";
    char text[200] = "[";
    const dal_json *json;
    const size_t n = dal_json_quote(NULL, all);
    assert_int_equal(dal_json_quote(text + 1, all), n);
    text[1 + n] = ']';
    check_ok(ctx, dal_json_parse(&json, ctx, text, n + 2, "test"));
    assert_string_equal(dal_json_text(dal_json_item(json, 0)), all);
    dal_json_destroy(json, ctx);
    assert_int_equal(dal_json_quote(NULL, "\xff"), 0);
    assert_int_equal(dal_json_quote(NULL, "a\xc3"), 0);
}

static dal_status parse_once(dal_ctx *with, void *user)
{
    const dal_json *json;
    const dal_builtin *model = user;
    DAL_TRY(dal_json_parse(&json, with, model->text, model->n, model->name));
    dal_json_destroy(json, with);
    return DAL_OK;
}

static void a_tree_is_one_block(void **state)
{
    dal_builtin model = dal_builtin_model(0);
    assert_int_equal(check_every_allocation(parse_once, &model), 2); // and one while it is read
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_readers_agree_on_models_and_what_is_left_of_them),
        cmocka_unit_test(two_readers_agree_on_corners),
        cmocka_unit_test(messages_say_where_and_what),
        cmocka_unit_test(values_are_nested_up_to_a_limit),
        cmocka_unit_test(many_keys_are_compared_quickly),
        cmocka_unit_test(texts_are_quoted_so_that_they_read_back),
        cmocka_unit_test(a_tree_is_one_block),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
