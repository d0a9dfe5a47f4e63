#include "robot.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 20000 };

static void quoted(char to[TEXT], const char *text)
{
    const size_t n = strlen(text);
    assert_true(n < TEXT);
    for (size_t k = 0; k <= n; ++k) {
        to[k] = (char)(text[k] == '\'' ? '"' : text[k]);
    }
}

dal_import *robot_import(dal_ctx *ctx, const char *text, const dal_import_options *options)
{
    char xml[TEXT];
    dal_import *import;
    quoted(xml, text);
    check_ok(ctx, dal_import_parse(&import, ctx, xml, strlen(xml), "robot.urdf", options));
    return import;
}

void robot_fails(const char *text, const dal_import_options *options, const char *message)
{
    char xml[TEXT];
    dal_import *import;
    dal_ctx *ctx = check_ctx();
    quoted(xml, text);
    const dal_status st = dal_import_parse(&import, ctx, xml, strlen(xml), "robot.urdf", options);
    if (st == DAL_OK || strstr(dal_ctx_message(ctx), message) == NULL) {
        fail_msg("'%s' expected, it says '%s'", message, dal_ctx_message(ctx));
    }
    check_ctx_free(ctx);
}

check_model robot_start(const char *text, const dal_import_options *options, const char *outputs,
                        const char *const *set, int nset)
{
    char model[2 * TEXT];
    dal_ctx *ctx = check_ctx();
    dal_import *import = robot_import(ctx, text, options);
    const char *json = dal_import_text(import), *from = strstr(json, "\"outputs\": ["), *to = strstr(json, "\"view\"");
    assert_non_null(from);
    assert_non_null(to);
    snprintf(model, sizeof model, "%.*s\"outputs\": [%s], %s", (int)(from - json), json, outputs, to);
    const check_model m = check_model_start(model, set, nset);
    dal_import_destroy(import);
    check_ctx_free(ctx);
    return m;
}

const char *robot_note(const dal_import *import, const char *words)
{
    for (int k = 0; k < dal_import_note_count(import); ++k) {
        const dal_import_note note = dal_import_note_at(import, k);
        if (strstr(note.what, words) != NULL) {
            return note.names;
        }
    }
    return "";
}
