#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base_impl.h"

static void *system_alloc(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void system_release(void *memory, void *user)
{
    (void)user;
    free(memory);
}

/* Versions before 1.0 may differ in any way unless major and minor number agree; patches fit together. */
static int fits(int header_version)
{
    return header_version / 100 == DAL_VERSION / 100;
}

dal_status dal_ctx_create_(dal_ctx **ctx, const dal_config *config, int header_version)
{
    dal_config c = {0};
    if (ctx == NULL) {
        return DAL_EINVAL;
    }
    *ctx = NULL;
    if (!fits(header_version)) {
        return DAL_EVERSION;
    }
    if (config != NULL) {
        c = *config;
    }
    if ((c.alloc == NULL) != (c.release == NULL)) { // memory of one allocator must not go to another
        return DAL_EINVAL;
    }
    if (c.alloc == NULL) {
        c.alloc = system_alloc;
        c.release = system_release;
    }
    dal_ctx *new_ctx = c.alloc(sizeof *new_ctx, c.user);
    if (new_ctx == NULL) {
        return DAL_ENOMEM;
    }
    new_ctx->config = c;
    new_ctx->failures = 0;
    new_ctx->refused = 0;
    dal_ctx_clear(new_ctx);
    *ctx = new_ctx;
    return DAL_OK;
}

void dal_ctx_destroy(dal_ctx *ctx)
{
    if (ctx != NULL) {
        ctx->config.release(ctx, ctx->config.user);
    }
}

const char *dal_ctx_message(const dal_ctx *ctx)
{
    return ctx != NULL ? ctx->message : "";
}

dal_status dal_ctx_status(const dal_ctx *ctx)
{
    return ctx != NULL ? ctx->status : DAL_OK;
}

void dal_ctx_clear(dal_ctx *ctx)
{
    if (ctx != NULL) {
        ctx->status = DAL_OK;
        ctx->message[0] = '\0';
    }
}

/* End a text that did not fit with "...", so that the reader knows. */
static void mark_cut(char text[DAL_MESSAGE_SIZE], int length)
{
    if (length >= DAL_MESSAGE_SIZE) {
        memcpy(text + DAL_MESSAGE_SIZE - 4, "...", 4);
    }
}

static void format_message(char text[DAL_MESSAGE_SIZE], const char *format, va_list args) DAL_PRINTF(2, 0);
static void format_message(char text[DAL_MESSAGE_SIZE], const char *format, va_list args)
{
    const int length = vsnprintf(text, DAL_MESSAGE_SIZE, format, args);
    if (length < 0) { // a bad format or encoding: the format itself still says something
        snprintf(text, DAL_MESSAGE_SIZE, "%s", format);
    }
    mark_cut(text, length);
}

/* The text is composed aside: the arguments may point into the old message. */
dal_status dal_fail(dal_ctx *ctx, dal_status st, const char *format, ...)
{
    assert(st != DAL_OK);
    if (ctx != NULL) {
        char text[DAL_MESSAGE_SIZE];
        va_list args;
        va_start(args, format);
        format_message(text, format, args);
        va_end(args);
        // what there was no memory for is all that some say
        const int bare = st == DAL_ENOMEM && strstr(text, "memory") == NULL;
        mark_cut(ctx->message, snprintf(ctx->message, sizeof text, "%s%s", bare ? "out of memory: " : "", text));
        ctx->status = st;
        ctx->failures++;
    }
    return st;
}

dal_status dal_fail_in(dal_ctx *ctx, dal_status st, const char *format, ...)
{
    assert(st != DAL_OK);
    if (ctx != NULL) {
        char where[DAL_MESSAGE_SIZE], text[DAL_MESSAGE_SIZE];
        va_list args;
        va_start(args, format);
        format_message(where, format, args);
        va_end(args);
        // whoever failed below may have left no message: then the text of the status stands for it
        const char *what = ctx->status != DAL_OK && ctx->message[0] != '\0' ? ctx->message : dal_status_text(st);
        mark_cut(text, snprintf(text, sizeof text, "%s: %s", where, what));
        memcpy(ctx->message, text, sizeof text);
        ctx->status = st;
        ctx->failures++;
    }
    return st;
}

void dal_log(const dal_ctx *ctx, dal_log_level level, const char *format, ...)
{
    if (ctx != NULL && ctx->config.log != NULL) {
        char text[DAL_MESSAGE_SIZE];
        va_list args;
        va_start(args, format);
        format_message(text, format, args);
        va_end(args);
        ctx->config.log(level, text, ctx->config.user);
    }
}

/* ---- messages across calls -------------------------------------------------------------------- */

void dal_message_keep(dal_message *kept, const dal_ctx *ctx)
{
    kept->status = ctx->status;
    kept->failures = ctx->failures;
    memcpy(kept->text, ctx->message, strlen(ctx->message) + 1); // mostly empty: cheap enough for every step
}

dal_status dal_message_settle(const dal_message *kept, dal_ctx *ctx, dal_status st)
{
    if (st == DAL_OK && ctx->failures != kept->failures) {
        ctx->status = kept->status;
        memcpy(ctx->message, kept->text, strlen(kept->text) + 1);
    }
    return st;
}

dal_status dal_message_listen(dal_ctx *ctx)
{
    const dal_status before = ctx->status;
    ctx->status = DAL_OK;
    return before;
}

void dal_message_heard(dal_ctx *ctx, dal_status before)
{
    ctx->status = before;
}

int dal_name_length(const char *function)
{
    const int n = (int)strlen(function);
    return n > 0 && function[n - 1] == '_' ? n - 1 : n;
}

dal_status dal_null_text(dal_ctx *ctx, const char *function, const char *list, const char *const *text, int n)
{
    if (n > 0 && !text) {
        return dal_null_argument(ctx, function, list);
    }
    for (int k = 0; k < n; ++k) {
        if (!text[k]) {
            return dal_fail(ctx, DAL_EINVAL, "%.*s: %s[%d] is NULL", dal_name_length(function), function, list, k);
        }
    }
    return DAL_OK;
}

dal_status dal_null_argument(dal_ctx *ctx, const char *function, const char *argument)
{
    return dal_fail(ctx, DAL_EINVAL, "%.*s: %s is NULL", dal_name_length(function), function, argument);
}

dal_status dal_own_copy(dal_ctx *ctx, void *own, size_t own_size, const void *given, size_t size, const char *name)
{
    const char *bytes = given;
    for (size_t k = own_size; bytes && k < size; ++k) {
        if (bytes[k] != 0) {
            return dal_fail(ctx, DAL_EVERSION,
                            "%s of %zu bytes, where this library, %s, knows %zu: what the program sets beyond needs a "
                            "later library",
                            name, size, dal_version_string(), own_size);
        }
    }
    if (bytes) {
        memcpy(own, bytes, size < own_size ? size : own_size);
    }
    return DAL_OK;
}

void dal_hand_out(void *to, size_t size, const void *own, size_t own_size)
{
    memset(to, 0, size);
    memcpy(to, own, size < own_size ? size : own_size);
}
