/* How a command ends, and what it owns until then. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"

/* ---- messages --------------------------------------------------------------------------------- */

static char last_error[2000];

static const char *current; /* command */

static void message(const char *name, const char *format, va_list args) DAL_PRINTF(2, 0);
static void message(const char *name, const char *format, va_list args)
{
    fflush(stdout);
    if (name != NULL) {
        fprintf(stderr, "dalembert %s: ", name);
    }
    cli_vput(stderr, format, args);
    fputc('\n', stderr);
}

static void error(const char *format, va_list args) DAL_PRINTF(1, 0);
static void error(const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    cli_vformat(last_error, sizeof last_error, format, again);
    va_end(again);
    message(current, format, args);
}

const char *cli_last_error(void)
{
    return last_error;
}

int cli_error(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error(format, args);
    va_end(args);
    return code;
}

void cli_say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(NULL, format, args);
    va_end(args);
}

/* ---- what is owned ---------------------------------------------------------------------------- */

typedef struct owned {
    struct owned *next;
    void *object;
    void (*release)(void *object);
    alignas(max_align_t) unsigned char memory[]; /* of cli_alloc */
} owned;

static owned *all; /* the last one first */

/* Here and now, whichever thread it is: no command has a use for half of what it was to do, and files under way have not got
 * their names yet. */
static _Noreturn void out_of_memory(void)
{
    static const char text[] = "dalembert: out of memory\n";
    fwrite(text, 1, sizeof text - 1, stderr);
    _Exit(CLI_INTEGRATION);
}

static owned *hold(size_t bytes)
{
    owned *one = bytes <= SIZE_MAX - sizeof *one ? calloc(1, sizeof *one + bytes) : NULL;
    if (one == NULL) {
        out_of_memory();
    }
    one->next = all;
    all = one;
    return one;
}

void cli_own(void *object, void (*release)(void *object))
{
    owned *one = hold(0);
    one->object = object;
    one->release = release;
}

void *cli_alloc(size_t count, size_t size)
{
    return hold(size == 0 || count <= SIZE_MAX / size ? count * size : SIZE_MAX)->memory;
}

static void release(const owned *down_to)
{
    while (all != down_to) {
        owned *one = all;
        all = one->next;
        if (one->release != NULL) {
            one->release(one->object);
        }
        free(one);
    }
}

char *cli_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(cli_alloc(size, 1), text, size);
}

/* ---- ends ------------------------------------------------------------------------------------- */

static jmp_buf *way_out;
static int end_code;

int cli_guard(void (*f)(void *user), void *user, int keep)
{
    jmp_buf here, *const before = way_out;
    const owned *const owned_before = all;
    way_out = &here;
    end_code = CLI_OK;
    if (setjmp(here) == 0) {
        f(user);
        end_code = CLI_OK;
    }
    way_out = before;
    if (end_code != CLI_OK || !keep) {
        release(owned_before);
    }
    return end_code;
}

void cli_end(int code)
{
    if (way_out == NULL) {
        exit(code);
    }
    end_code = code;
    longjmp(*way_out, 1);
}

void cli_fail(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    error(format, args);
    va_end(args);
    cli_end(code);
}

void cli_usage(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    message(current, format, args);
    va_end(args);
    fprintf(stderr, "Try 'dalembert %s --help'.\n", current);
    cli_end(CLI_USAGE);
}

void cli_try(const dal_ctx *ctx, dal_status st, int code)
{
    if (st != DAL_OK) {
        cli_fail(code, "%s", dal_ctx_message(ctx));
    }
}

/* ---- contexts --------------------------------------------------------------------------------- */

CLI_OWNS(dal_ctx)

static void *take(size_t bytes, void *user)
{
    (void)user;
    void *memory = malloc(bytes);
    if (memory == NULL) {
        out_of_memory();
    }
    return memory;
}

static void give_back(void *memory, void *user)
{
    (void)user;
    free(memory);
}

dal_config cli_config(const dal_config *config)
{
    dal_config with = config != NULL ? *config : (dal_config){0};
    with.alloc = take;
    with.release = give_back;
    return with;
}

dal_ctx *cli_context(const dal_config *config)
{
    const dal_config with = cli_config(config);
    dal_ctx *ctx;
    if (dal_ctx_create(&ctx, &with) != DAL_OK) {
        fprintf(stderr, "dalembert: the library does not fit this program\n");
        exit(CLI_MODEL);
    }
    CLI_OWN(dal_ctx, ctx);
    return ctx;
}

static dal_ctx *own;

dal_ctx *cli_ctx(void)
{
    return own;
}

/* ---- a command -------------------------------------------------------------------------------- */

static char subject[300];

const char *cli_subject(void)
{
    return subject;
}

void cli_set_subject(const char *model)
{
    snprintf(subject, sizeof subject, "%s", model);
}

typedef struct call {
    const cli_command *command;
    int argc, code, json; /* json: a failure is told, too */
    char **argv;
    cli_args args;
} call;

static void run(void *user)
{
    call *c = user;
    own = cli_context(NULL);
    if (cli_parse(&c->args, c->command->name, c->argc, c->argv)) {
        c->json = c->command->tells_failure && cli_given(&c->args, "json");
        c->code = c->command->run(&c->args);
    }
}

int cli_call(const cli_command *command, int argc, char **argv)
{
    call c = {.command = command, .argc = argc, .argv = argv};
    current = command->name;
    const int failed = cli_guard(run, &c, 0);
    if (failed == CLI_INTEGRATION && c.json) {
        answer_failure(subject[0] != '\0' ? subject : c.args.positional[0]);
    }
    return failed != CLI_OK ? failed : c.code;
}
