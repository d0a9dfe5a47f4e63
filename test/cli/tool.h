/* Running the tool from a test: arguments in, exit code, stdout and stderr out. */
#ifndef CLI_TOOL_H
#define CLI_TOOL_H

#include <jansson.h>

#include "support/check.h"

typedef struct tool_result {
    int code;        /* exit code, 128 + signal if it died */
    char *out, *err; /* all of it */
} tool_result;

/* A new folder becomes the current one; tool_leave removes it. Use as setup and teardown of a group. */
int tool_enter(void **state);
int tool_leave(void **state);

/* Words are separated by blanks. */
tool_result tool(const char *arguments);
void tool_free(tool_result *r);
/* Run, compare the exit code, and look for text in stderr (NULL: anything). */
#define tool_expect(arguments, code, err) tool_expect_at(arguments, code, err, __FILE__, __LINE__)
void tool_expect_at(const char *arguments, int code, const char *err, const char *file, int line);
/* The document on stdout of a run with this exit code. */
json_t *tool_json(const char *arguments, int code);

/* Start it, wait until the file has so many bytes and then some milliseconds, send the signal of that number. */
tool_result tool_disturbed(const char *arguments, const char *file, long size, int ms, int number);
/* Run with a limit on the size of files, which stands for a full disk. */
tool_result tool_limited(const char *arguments, long limit);

/* Run with a limit on memory, in bytes of address space. */
tool_result tool_cramped(const char *arguments, long limit);

/* NLopt is optional: was the tool built with it, and can it load it? Skip the rest of a test if not. */
int tool_has_nlopt(void);
#define tool_needs_nlopt()                                                             \
    do {                                                                               \
        if (!tool_has_nlopt()) {                                                       \
            check_skip("without NLopt no searches (tools/deps optional, then build)"); \
        }                                                                              \
    } while (0)

/* The keys of an object are exactly these words. */
void tool_keys(const json_t *object, const char *words);
double tool_number(const json_t *object, const char *key);

void tool_write(const char *path, const char *text);
char *tool_read(const char *path); /* NULL if there is no such file; free */
int tool_exists(const char *path);
void tool_same_files(const char *a, const char *b);

#endif
