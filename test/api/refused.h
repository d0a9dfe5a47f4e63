/* Calls with NULL where a pointer is required. Every function called is noted, and in the end no function of the public
 * headers may be missing. */
#ifndef TEST_REFUSED_H
#define TEST_REFUSED_H

#include "dalembert/dalembert.h"
#include "support/check.h"

/* refused_count names, in the order of the calls. */
void refused_note(const char *function);
int refused_seen(const char *function);

/* The call is DAL_EINVAL, and the message names function and argument. */
#define refused(ctx, argument, function, ...)                                            \
    do {                                                                                 \
        refused_note(#function);                                                         \
        refused_at(ctx, argument, #function, function(__VA_ARGS__), __FILE__, __LINE__); \
    } while (0)
void refused_at(dal_ctx *ctx, const char *argument, const char *function, dal_status st, const char *file, int line);

/* The same where there is no context to leave a message in: the object itself is missing. */
#define refused_silently(function, ...)                                               \
    do {                                                                              \
        refused_note(#function);                                                      \
        refused_at(NULL, NULL, #function, function(__VA_ARGS__), __FILE__, __LINE__); \
    } while (0)

/* The call returns what it should for nothing, or does nothing: `expression` contains the call. */
#define harmless(function, expression) \
    do {                               \
        refused_note(#function);       \
        assert_true(expression);       \
    } while (0)
#define does_nothing(function, ...) \
    do {                            \
        refused_note(#function);    \
        function(__VA_ARGS__);      \
    } while (0)

/* null_models.c: models, model files, results, recorders. */
void models_refuse_null(dal_ctx *ctx);
void files_refuse_null(dal_ctx *ctx);

/* null_models.c */
void base_refuses_null(dal_ctx *ctx);

/* null_analyses.c */
void campbell_refuses_null(dal_ctx *ctx);
void shapes_refuse_null(dal_ctx *ctx);
void imports_refuse_null(dal_ctx *ctx);
void beams_refuse_null(dal_ctx *ctx);
void gradients_refuse_null(dal_ctx *ctx);

#endif
