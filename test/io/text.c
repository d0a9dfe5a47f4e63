#include "io/text.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 1 << 14 };

dal_status text_load_set(dal_document **doc, dal_ctx *ctx, const char *text, const char *const *set, int nset)
{
    char json[TEXT_SIZE];
    const size_t n = strlen(text);
    if (n >= sizeof(json)) {
        return dal_fail(ctx, DAL_EINVAL, "the text of the test is too long");
    }
    for (size_t k = 0; k <= n; ++k) {
        json[k] = text[k];
        if (text[k] == '\'') {
            json[k] = '"';
        }
    }
    return dal_document_parse(doc, ctx, json, n, "test", set, nset);
}

dal_status text_load(dal_document **doc, dal_ctx *ctx, const char *text)
{
    return text_load_set(doc, ctx, text, NULL, 0);
}

dal_status text_body(dal_document **doc, dal_ctx *ctx, const char *members)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof(text), "{'dalembert': 1, %s}", members);
    return text_load(doc, ctx, text);
}
