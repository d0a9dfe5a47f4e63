/* A model from a pipe: read to its end, and given up where nobody writes. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dalembert/io.h"
#include "support/check.h"

static const char name[] = "model.pipe";

static void make_pipe(void)
{
    remove(name);
    assert_int_equal(mkfifo(name, 0600), 0);
}

static void a_pipe_without_a_writer_is_given_up(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    make_pipe();
    check_fails(ctx, dal_document_open(&doc, ctx, name, NULL, 0), DAL_EIO, "nothing came out of it");
    remove(name);
    check_ctx_free(ctx);
}

static void a_pipe_with_a_slow_writer_is_read_to_its_end(void **state)
{
    static const char head[] = "{\"dalembert\": 1, ", tail[] = "\"name\": \"piped\"}";
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    int status;
    make_pipe();
    const pid_t child = fork();
    if (child == 0) {
        FILE *out = fopen(name, "wb");
        const int bad = out == NULL || fputs(head, out) < 0 || fflush(out) != 0 || sleep(1) != 0 ||
                        fputs(tail, out) < 0 || fclose(out) != 0;
        _exit(bad);
    }
    assert_true(child > 0);
    check_ok(ctx, dal_document_open(&doc, ctx, name, NULL, 0));
    assert_string_equal(dal_document_name(doc), "piped");
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    dal_document_destroy(doc);
    remove(name);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pipe_without_a_writer_is_given_up),
        cmocka_unit_test(a_pipe_with_a_slow_writer_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
