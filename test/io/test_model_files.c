/* Bytes of a model file, and the files it may reach. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/text.h"
#include "support/check.h"

static void a_byte_order_mark_is_accepted(void **state)
{
    static const char text[] = "\xEF\xBB\xBF{\"dalembert\": 1, \"name\": \"marked\"}";
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    check_ok(ctx, dal_document_parse(&doc, ctx, text, sizeof(text) - 1, "test", NULL, 0));
    assert_string_equal(dal_document_name(doc), "marked");
    assert_string_equal(dal_document_text(doc), text);
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

/* Whatever commands a terminal is refused, and the message does not repeat it. */
static void control_characters_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"'bodies': [{'name': 'a\\u001b[31m', 'type': 'point', 'mass': 1}]",
         "/bodies/0/name: this text has the control"},
        {"'bodies': [{'name': 'a\\nb', 'type': 'point', 'mass': 1}]", "/bodies/0/name: this text has the control"},
        {"'bodies': [{'name': 'a\\u009b', 'type': 'point', 'mass': 1}]", "control character U+009B"},
        {"'name': 'a\\u0007'", "/name: this text has the control character U+0007"},
        {"'title': 'a\\u007f'", "/title: this text has the control character U+007F"},
        {"'bodies': [{'name': 'a\\u202eb', 'type': 'point', 'mass': 1}]", "control character U+202E"},
        {"'bodies': [{'name': 'a\\u200bb', 'type': 'point', 'mass': 1}]", "invisible character U+200B"},
        {"'bodies': [{'name': 'a\\udb40\\udc41', 'type': 'point', 'mass': 1}]", "invisible character U+E0041"},
        {"'variables': {'\\ufeffm': 1}", "a key has the invisible character U+FEFF"},
        {"'title': 'a\\u2066b'", "/title: this text has the"},
        {"'bo\\u001bdies': []", "/: a key has the control character U+001B"},
        {"'gravity': [0, 0, '9.81\\u001b']", "/gravity/2: this text has the control character U+001B"},
        {"'note': {'a': ['\\u0001']}", "/note/a/0: this text"},
        {"\x1b[31m", "expected near '?'"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        check_fails(ctx, text_body(&doc, ctx, cases[k][0]), DAL_EINVAL, cases[k][1]);
        for (const char *c = dal_ctx_message(ctx); *c != '\0'; ++c) {
            assert_true((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
        }
    }
    check_ctx_free(ctx);
}

/* Words come from the command line too. */
static void names_from_outside_are_utf8_without_control_characters(void **state)
{
    static const char *const good[] = {"w=rod", "w=stange \xC3\xA4", "w=\xE2\x82\xAC", "w=\xF0\x9F\x98\x80"};
    static const char *const bad[][2] = {{"w=\x1b[31m", "control character U+001B"},
                                         {"w=\xFF", "it has the byte 0xFF"},
                                         {"w=\xC3", "not UTF-8"},
                                         {"w=\xC0\xAF", "not UTF-8"},
                                         {"w=\xED\xA0\x80", "not UTF-8"},
                                         {"w=\xF4\x90\x80\x80", "not UTF-8"}};
    static const char model[] =
        "{'dalembert': 1, 'words': {'w': 'x'}, 'bodies': [{'name': '{w}', 'type': 'point', 'mass': 1}]}";
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    for (size_t k = 0; k < LEN(good); ++k) {
        check_ok(ctx, text_load_set(&doc, ctx, model, &good[k], 1));
        dal_document_destroy(doc);
    }
    for (size_t k = 0; k < LEN(bad); ++k) {
        check_fails(ctx, text_load_set(&doc, ctx, model, &bad[k][0], 1), DAL_EINVAL, bad[k][1]);
    }
    check_ctx_free(ctx);
}

static void notes_and_expressions_may_have_several_lines(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    check_ok(ctx, text_body(&doc, ctx, "'note': 'one\\ntwo\\r\\n\\tthree', 'gravity': [0, 0, '9 +\\n 0.81']"));
    dal_document_destroy(doc);
    check_ctx_free(ctx);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_model(const char *file)
{
    char text[600];
    snprintf(text, sizeof(text),
             "{\"dalembert\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"flexible\", \"modes_file\": \"%s\"}]}",
             file);
    write_file(FILES_FOLDER "/inner/model.json", text);
}

static void files_outside_the_folder_of_the_model_need_permission(void **state)
{
    static const char modes[] = "{\"nodes\": [[0, 0, 0], [1, 0, 0]], \"masses\": [1, 1], \"inertias\": [[1, 1, 1, 0, "
                                "0, 0], [1, 1, 1, 0, 0, 0]], "
                                "\"shapes\": [[[0, 0, 0]], [[0, 0, 1]]], \"stiffness\": [1], \"interfaces\": [0, 1]}";
    static const char *const outside[] = {"../modes.json", FILES_FOLDER "/modes.json", "link.json"};
    static const char model[] = FILES_FOLDER "/inner/model.json";
    const dal_load_options allowed = {.files_outside = 1};
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    write_file(FILES_FOLDER "/modes.json", modes);
    write_file(FILES_FOLDER "/inner/own.json", modes);
    remove(FILES_FOLDER "/inner/link.json");
    assert_int_equal(symlink("../modes.json", FILES_FOLDER "/inner/link.json"), 0);

    write_model("../inner/own.json");
    check_ok(ctx, dal_document_open(&doc, ctx, model, NULL, 0));
    dal_document_destroy(doc);
    for (size_t k = 0; k < LEN(outside); ++k) {
        write_model(outside[k]);
        check_fails(ctx, dal_document_open(&doc, ctx, model, NULL, 0), DAL_EINVAL,
                    ".json' is outside the folder of the model");
        check_ok(ctx, dal_document_open_with(&doc, ctx, model, &allowed));
        dal_document_destroy(doc);
    }
    write_model("../inner");
    check_fails(ctx, dal_document_open(&doc, ctx, model, NULL, 0), DAL_EINVAL, "is not a regular file");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_order_mark_is_accepted),
        cmocka_unit_test(control_characters_are_refused),
        cmocka_unit_test(names_from_outside_are_utf8_without_control_characters),
        cmocka_unit_test(notes_and_expressions_may_have_several_lines),
        cmocka_unit_test(files_outside_the_folder_of_the_model_need_permission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
