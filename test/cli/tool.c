#define _XOPEN_SOURCE 700

#include "cli/tool.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[256], before[4096];

int tool_enter(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/dalembert-test.XXXXXX");
    return getcwd(before, sizeof before) == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0;
}

int tool_leave(void **state)
{
    char command[600];
    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", folder, folder);
    return chdir(before) != 0 || system(command) != 0;
}

char *tool_read(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        return NULL;
    }
    size_t n = 0, room = 65536;
    char *text = malloc(room);
    for (size_t k; (k = fread(text + n, 1, room - n - 1, in)) > 0;) {
        n += k;
        if (room - n < 2) {
            room *= 2;
            text = realloc(text, room);
        }
    }
    text[n] = '\0';
    fclose(in);
    return text;
}

void tool_write(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

int tool_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static void redirect(int fd, const char *path)
{
    const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(to, fd);
    close(to);
}

static pid_t start_within(const char *arguments, long limit, int resource)
{
    const pid_t child = fork();
    if (child != 0) {
        return child;
    }
    char text[4096], *word[128] = {"dalembert"};
    int n = 1;
    snprintf(text, sizeof text, "%s", arguments);
    for (char *s = strtok(text, " "); s != NULL && n < 127; s = strtok(NULL, " ")) {
        word[n++] = s;
    }
    redirect(1, ".out");
    redirect(2, ".err");
    if (limit > 0) {
        const struct rlimit size = {(rlim_t)limit, (rlim_t)limit};
        setrlimit(resource, &size);
        alarm(200); // libraries may wait for ever for what they do not get, before main
    }
    const char *path = getenv("DAL_TOOL"); // the installed one; as it is built if the test was started by hand
    execv(path != NULL && path[0] != '\0' ? path : DAL_TOOL, word);
    _exit(127);
}

static pid_t start(const char *arguments, long limit)
{
    return start_within(arguments, limit, RLIMIT_FSIZE);
}

static tool_result finish(pid_t child)
{
    int status = 0;
    waitpid(child, &status, 0);
    return (tool_result){.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                         .out = tool_read(".out"),
                         .err = tool_read(".err")};
}

tool_result tool(const char *arguments)
{
    return finish(start(arguments, 0));
}

int tool_has_nlopt(void)
{
    tool_result r =
        tool("sweep heavy_top --t-end 0.002 --optimize min(final(energy)) --bound spin=100:101 --evaluations 1");
    const int without = r.code == 2 && strstr(r.err, "NLopt") != NULL;
    tool_free(&r);
    return !without;
}

static void sleep_ms(int ms)
{
    const struct timespec wait = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&wait, NULL);
}

tool_result tool_disturbed(const char *arguments, const char *file, long size, int ms, int number)
{
    const pid_t child = start(arguments, 0);
    struct stat info;
    for (int k = 0; k < 40000 && (stat(file, &info) != 0 || info.st_size < size); ++k) {
        sleep_ms(5);
    }
    sleep_ms(ms);
    kill(child, number);
    return finish(child);
}

tool_result tool_limited(const char *arguments, long limit)
{
    return finish(start(arguments, limit));
}

tool_result tool_cramped(const char *arguments, long limit)
{
    return finish(start_within(arguments, limit, RLIMIT_AS));
}

void tool_free(tool_result *r)
{
    free(r->out);
    free(r->err);
    *r = (tool_result){0};
}

void tool_expect_at(const char *arguments, int code, const char *err, const char *file, int line)
{
    tool_result r = tool(arguments);
    if (r.code != code || (err != NULL && strstr(r.err, err) == NULL)) {
        print_error(
            "dalembert %s\nexit code %d, expected %d; expected on stderr: %s\nstdout: %.2000s\nstderr: %.2000s\n",
            arguments, r.code, code, err != NULL ? err : "anything", r.out, r.err);
        tool_free(&r);
        _fail(file, line);
    }
    tool_free(&r);
}

json_t *tool_json(const char *arguments, int code)
{
    json_error_t error;
    tool_result r = tool(arguments);
    json_t *document = json_loads(r.out, 0, &error);
    if (r.code != code || document == NULL) {
        print_error("dalembert %s\nexit code %d, expected %d\nstdout: %.2000s\nstderr: %.2000s\n", arguments, r.code,
                    code, r.out, r.err);
        fail();
    }
    tool_free(&r);
    return document;
}

void tool_keys(const json_t *object, const char *words)
{
    char text[1024];
    size_t n = 0;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        if (json_object_get(object, word) == NULL) {
            print_error("no member '%s'\n", word);
            fail();
        }
        ++n;
    }
    assert_int_equal(json_object_size(object), n);
}

double tool_number(const json_t *object, const char *key)
{
    const json_t *x = json_object_get(object, key);
    assert_true(json_is_number(x));
    return json_number_value(x);
}

void tool_same_files(const char *a, const char *b)
{
    FILE *x = fopen(a, "rb"), *y = fopen(b, "rb");
    assert_non_null(x);
    assert_non_null(y);
    int c, d;
    do {
        c = fgetc(x);
        d = fgetc(y);
        if (c != d) {
            print_error("%s and %s differ\n", a, b);
            fail();
        }
    } while (c != EOF);
    fclose(x);
    fclose(y);
}
