/* dalembert/base.h - status codes, context, options, version. Every other header builds on this one.
 *
 * The library keeps no global mutable state, prints nothing and never exits. Everything that can fail
 * returns a dal_status and leaves a message in the dal_ctx it was given. A dal_ctx belongs to one thread
 * at a time; two contexts never meet. */
#ifndef DALEMBERT_BASE_H
#define DALEMBERT_BASE_H

#include <stdarg.h>
#include <stddef.h>

#include "dalembert/sizes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DAL_VERSION_MAJOR 0
#define DAL_VERSION_MINOR 4
#define DAL_VERSION_PATCH 0
#define DAL_VERSION (DAL_VERSION_MAJOR * 10000 + DAL_VERSION_MINOR * 100 + DAL_VERSION_PATCH)

#if defined(__GNUC__)
#define DAL_API __attribute__((visibility("default")))
#define DAL_NODISCARD __attribute__((warn_unused_result))
#define DAL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define DAL_API
#define DAL_NODISCARD
#define DAL_PRINTF(fmt, args)
#endif

/* ---- version ---------------------------------------------------------------------------------- */

/* DAL_VERSION of the library that is running (not of the header that was compiled against). */
DAL_API int dal_version(void);
DAL_API const char *dal_version_string(void);

/* ---- status ----------------------------------------------------------------------------------- */

/* The one list of status codes: X(name, value, text). Zero is success, positive values are recoverable
 * (a smaller step or another start may help), negative ones are final. */
#define DAL_STATUS_LIST(X)                                                                \
    X(DAL_OK, 0, "success")                                                               \
    X(DAL_RETRY, 1, "recoverable: a smaller step may help")                               \
    X(DAL_NOCONV, 2, "the iteration did not converge")                                    \
    X(DAL_SINGULAR, 3, "the matrix is singular")                                          \
    X(DAL_EINVAL, -1, "invalid argument")                                                 \
    X(DAL_ENOMEM, -2, "out of memory")                                                    \
    X(DAL_EVERSION, -3, "header and library versions differ")                             \
    X(DAL_EOPTION, -4, "invalid option")                                                  \
    X(DAL_ECALLBACK, -5, "a user callback failed or returned a value that is not finite") \
    X(DAL_EREDUNDANT, -6, "constraints are redundant or contradictory")                   \
    X(DAL_EINITIAL, -7, "inconsistent initial values")                                    \
    X(DAL_ESTEP, -8, "the step size or the number of steps left its limits")              \
    X(DAL_ESNAPSHOT, -9, "the saved state does not fit this object")                      \
    X(DAL_ECHECK, -10, "a check failed")                                                  \
    X(DAL_EIO, -11, "a file could not be read or written")

typedef enum dal_status {
#define DAL_STATUS_ENUM(name, value, text) name = value,
    DAL_STATUS_LIST(DAL_STATUS_ENUM)
#undef DAL_STATUS_ENUM
} dal_status;

DAL_API const char *dal_status_name(dal_status st); /* "DAL_EINVAL"; "unknown status" for others */
DAL_API const char *dal_status_text(dal_status st); /* "invalid argument" */

/* Return the status to the caller unless it is DAL_OK. Never compiled out. */
#define DAL_TRY(call)                          \
    do {                                       \
        const dal_status dal_try_st_ = (call); \
        if (dal_try_st_ != DAL_OK) {           \
            return dal_try_st_;                \
        }                                      \
    } while (0)

/* ---- context ---------------------------------------------------------------------------------- */

typedef struct dal_ctx dal_ctx;

typedef enum dal_log_level { DAL_LOG_DEBUG, DAL_LOG_INFO, DAL_LOG_WARNING } dal_log_level;

/* Everything optional: zero-initialise for malloc/free and no log. alloc must return memory aligned for
 * any object (as malloc does) or NULL. */
typedef struct dal_config {
    void *(*alloc)(size_t bytes, void *user);
    void (*release)(void *memory, void *user);
    void (*log)(dal_log_level level, const char *text, void *user);
    void *user;
} dal_config;

/* Create a context. The macro hands over the header's version, so that a program compiled against
 * another version of the headers gets DAL_EVERSION instead of crashing later. config may be NULL. */
#define dal_ctx_create(ctx, config) dal_ctx_create_(ctx, config, DAL_VERSION)
DAL_API dal_status dal_ctx_create_(dal_ctx **ctx, const dal_config *config, int header_version) DAL_NODISCARD;
DAL_API void dal_ctx_destroy(dal_ctx *ctx); /* NULL is fine */

/* Message of the last failure, "" if there was none. Valid until the next failing call. */
DAL_API const char *dal_ctx_message(const dal_ctx *ctx);
DAL_API dal_status dal_ctx_status(const dal_ctx *ctx);
DAL_API void dal_ctx_clear(dal_ctx *ctx);

/* Record a failure and return its status: "return dal_fail(ctx, DAL_EINVAL, "h = %g is not positive", h)".
 * User callbacks may call it too, to explain what went wrong. ctx may be NULL. */
DAL_API dal_status dal_fail(dal_ctx *ctx, dal_status st, const char *format, ...) DAL_PRINTF(3, 4);
/* Put more context before the message of a failure that came from below: "step 12, t = 0.3: ...". */
DAL_API dal_status dal_fail_in(dal_ctx *ctx, dal_status st, const char *format, ...) DAL_PRINTF(3, 4);

/* Send a line to the log callback, if there is one. */
DAL_API void dal_log(const dal_ctx *ctx, dal_log_level level, const char *format, ...) DAL_PRINTF(3, 4);

/* ---- options ---------------------------------------------------------------------------------- */

/* An options struct is described by one table, which gives defaults, validation, setting by key=value,
 * printing, and the table in the documentation. */
typedef enum dal_option_kind {
    DAL_OPTION_INT,    /* int */
    DAL_OPTION_REAL,   /* double; some words may stand for values */
    DAL_OPTION_FLAG,   /* int, 0 or 1; written no/yes (also off/on, false/true, 0/1) */
    DAL_OPTION_CHOICE, /* int, one of the words */
    DAL_OPTION_REALS,  /* dal_reals, written 0.1,0.2,0.5 */
    DAL_OPTION_RULED   /* double NAME and, next to it, int NAME_rule: 0 the number, else one of the words */
} dal_option_kind;

enum { DAL_REALS_MAX = 16 };
typedef struct dal_reals {
    int n;
    double x[DAL_REALS_MAX];
} dal_reals;

typedef struct dal_word {
    const char *name; /* NULL ends a list */
    double value;
} dal_word;

typedef struct dal_option {
    const char *name;
    dal_option_kind kind;
    size_t offset;
    double initial, min, max; /* default (REALS start empty) and range (INT, REAL, REALS, RULED), both ends included;
                                 1e300 and more reads as infinity, 0 < min <= 1e-300 as "positive" */
    const dal_word *words;    /* CHOICE; REAL where words are allowed; RULED, with values from 1 on */
    const char *text;         /* one sentence for the manual */
} dal_option;

typedef struct dal_option_table {
    const char *title;
    int n;
    const dal_option *option;
} dal_option_table;

DAL_API void dal_options_default(const dal_option_table *table, void *options);
/* Every value finite, in range and, for choices, one of the words. */
DAL_API dal_status dal_options_check(dal_ctx *ctx, const dal_option_table *table, const void *options) DAL_NODISCARD;
/* Set one option from text. An unknown key or word names the nearest valid one. On failure nothing changes. */
DAL_API dal_status dal_options_set(dal_ctx *ctx, const dal_option_table *table, void *options, const char *key,
                                   const char *value) DAL_NODISCARD;
/* The same from "key=value" (blanks around either are ignored). */
DAL_API dal_status dal_options_parse(dal_ctx *ctx, const dal_option_table *table, void *options,
                                     const char *assignment) DAL_NODISCARD;
/* Write the value of one option as text that dal_options_set reads back exactly; returns the length needed. */
DAL_API size_t dal_options_format(char *buffer, size_t size, const dal_option *option, const void *options);
/* Write the table as Markdown (name, values, default, text); returns the length needed, as snprintf does. */
DAL_API size_t dal_options_markdown(char *buffer, size_t size, const dal_option_table *table);

/* The word of a list that is nearest to text (edit distance), or NULL if none is near. */
DAL_API const char *dal_nearest(const char *text, const char *const *word, int n);
/* " (did you mean 'near'?)" with what dal_nearest found, or nothing where it is NULL; for the end of a message. Returns hint. */
enum { DAL_HINT_SIZE = 160 };
DAL_API const char *dal_hint(char hint[DAL_HINT_SIZE], const char *near);

/* Bytes of the UTF-8 character at the beginning of n bytes of text; 0: it is none. */
DAL_API size_t dal_utf8(const char *text, size_t n);

/* A file of n bytes that is there as a whole or not at all: through "path.part" beside it; symbolic links are replaced, not
 * followed. */
DAL_API dal_status dal_file_write(dal_ctx *ctx, const char *path, const char *bytes, size_t n) DAL_NODISCARD;
/* Could it be written? Leaves nothing behind. */
DAL_API dal_status dal_file_writable(dal_ctx *ctx, const char *path) DAL_NODISCARD;

/* Building blocks for a list X(KIND, type, name, default, min, max, words, text): see DAL_OPTIONS in integrate.h. */
#define DAL_OPTION_FIELD(KIND, type, name, initial, min, max, words, text) DAL_OPTION_FIELD_##KIND(type, name)
#define DAL_OPTION_FIELD_INT(type, name) type name;
#define DAL_OPTION_FIELD_REAL(type, name) type name;
#define DAL_OPTION_FIELD_FLAG(type, name) type name;
#define DAL_OPTION_FIELD_CHOICE(type, name) type name;
#define DAL_OPTION_FIELD_REALS(type, name) type name;
#define DAL_OPTION_FIELD_RULED(type, name) \
    type name;                             \
    int name##_rule;
#define DAL_OPTION_ENTRY(S, KIND, name, initial, min, max, words, text) \
    {#name, DAL_OPTION_##KIND, offsetof(S, name), initial, min, max, words, text},

#ifdef __cplusplus
}
#endif
#endif
