/* Tutorials do what they say: their files are written, their commands run, and the output that they show is printed. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/tool.h"

enum { LINE = 1000 };

/* Blanks as one, quotation marks of a shell left out. */
static void squeeze(char *to, size_t size, const char *from, size_t n)
{
    size_t used = 0;
    for (size_t k = 0; k < n && used + 1 < size; ++k) {
        if (from[k] != '\'' && (from[k] != ' ' || (used > 0 && to[used - 1] != ' '))) {
            to[used++] = from[k];
        }
    }
    to[used] = '\0';
}

typedef struct run {
    const char *page;
    char *out; /* of all commands of the last block */
    int commands, lines;
} run;

/* A line of a block ```sh: it succeeds. */
static void command(run *t, const char *line)
{
    if (strncmp(line, "dalembert ", 10) != 0) {
        return;
    }
    tool_result r = tool(line + 10);
    if (r.code != 0) {
        fail_msg("%s: %s: exit code %d: %s", t->page, line, r.code, r.err);
    }
    char *all = malloc(strlen(t->out) + strlen(r.out) + 2);
    assert_non_null(all);
    squeeze(all, strlen(t->out) + strlen(r.out) + 2, t->out, strlen(t->out));
    squeeze(all + strlen(all), strlen(r.out) + 1, r.out, strlen(r.out));
    free(t->out);
    t->out = all;
    tool_free(&r);
    ++t->commands;
}

/* A line of a block ```text: one of the commands of the block before has printed it. */
static void expected(run *t, const char *line)
{
    if (line[0] != '\0' && strstr(t->out, line) == NULL) {
        fail_msg("%s: \"%s\" is not in the output:\n%s", t->page, line, t->out);
    }
    t->lines += line[0] != '\0';
}

static void block(run *t, const char *kind, const char *text, size_t n)
{
    const char *name = strchr(kind, ' '); // a file: "json NAME", "csv NAME"
    if (name != NULL) {
        char *copy = strndup(text, n);
        assert_non_null(copy);
        tool_write(name + 1, copy);
        free(copy);
        return;
    }
    const int shell = strcmp(kind, "sh") == 0;
    if (shell) {
        t->out[0] = '\0';
    }
    while (n > 0 && (shell || strcmp(kind, "text") == 0)) {
        const char *end = memchr(text, '\n', n);
        const size_t length = end != NULL ? (size_t)(end - text) : n;
        char line[LINE];
        squeeze(line, sizeof line, text, length);
        (shell ? command : expected)(t, line);
        n -= length + (end != NULL);
        text += length + (end != NULL);
    }
}

/* It shows one at least; each is what a command has drawn, and is in the folder of the figures. */
static void pictures(const run *t, const char *text)
{
    static const char link[] = "](../../figures/tutorials/";
    int n = 0;
    for (const char *at = strstr(text, link); at != NULL; at = strstr(at + 1, link), ++n) {
        char kept[LINE];
        struct stat file;
        snprintf(kept, sizeof kept, "%s/docs/figures/tutorials/%.*s", DAL_SOURCE, (int)strcspn(at + strlen(link), ")"),
                 at + strlen(link));
        if (stat(strrchr(kept, '/') + 1, &file) != 0 || stat(kept, &file) != 0) {
            fail_msg("%s: no command draws %s, or 'make figures' has not kept it", t->page, strrchr(kept, '/') + 1);
        }
    }
    assert_true(n > 0);
}

static void page(run *t)
{
    char *text = tool_read(t->page);
    assert_non_null(text);
    for (const char *at = strstr(text, "\n```"); at != NULL;) {
        char kind[LINE];
        at += 4;
        const char *begin = strchr(at, '\n') + 1, *end = strstr(begin, "\n```");
        assert_non_null(end);
        snprintf(kind, sizeof kind, "%.*s", (int)(begin - 1 - at), at);
        block(t, kind, begin, (size_t)(end - begin));
        at = strstr(end + 4, "\n```");
    }
    pictures(t, text);
    free(text);
}

/* All that the list of tutorials names. */
static void tutorials_do_what_they_say(void **state)
{
    static const char folder[] = DAL_SOURCE "/docs/user/tutorials";
    char path[LINE], *list;
    int pages = 0;
    snprintf(path, sizeof path, "%s/README.md", folder);
    list = tool_read(path);
    assert_non_null(list);
    for (const char *at = strstr(list, "]("); at != NULL; at = strstr(at + 1, "](")) {
        if (at[2] < '0' || at[2] > '9') {
            continue;
        }
        snprintf(path, sizeof path, "%s/%.*s", folder, (int)strcspn(at + 2, ")"), at + 2);
        run t = {.page = path, .out = calloc(1, 1)};
        page(&t);
        print_message("%s: %d commands, %d lines of output\n", strrchr(path, '/') + 1, t.commands, t.lines);
        assert_true(t.commands > 2);
        free(t.out);
        ++pages;
    }
    free(list);
    assert_true(pages >= 10);
}

/* The same motion of the platform by prescribed lengths and by its pose: the powers of the legs are the same. */
static void legs_of_the_platform_have_the_power_of_its_pose(void **state)
{
    json_t *d =
        tool_json("inverse stewart.json --without L* --drives P1,P2,P3,P4,P5,P6 --times 0:2:41 --json --motion "
                  "plate.x=0;plate.y=0;plate.z=H+lift*sin(2*pi*f*t)^2;plate.yaw=turn*sin(2*pi*f*t)^2;plate.pitch=0;"
                  "plate.roll=0",
                  0);
    char *table = tool_read("legs/outputs.csv");
    assert_non_null(table);
    char *line = strchr(table, '\n') + 1;
    double worst = 0.0, most = 0.0;
    // columns: time, the powers of the legs, then coordinate, velocity and acceleration of each
    const char *head = strstr(table, "P1.coordinate_velocity");
    assert_non_null(head);
    int first = 0;
    for (const char *c = table; c < head; ++c) {
        first += *c == ',';
    }
    for (int k = 0; k < 41; ++k, line = strchr(line, '\n') + 1) {
        double x[200] = {0};
        int n = 0;
        for (char *at = line; n < 200 && *at != '\n' && *at != '\0'; ++n) {
            x[n] = strtod(at, &at);
            at += *at == ',';
        }
        for (int i = 0; i < 6; ++i) {
            char name[16];
            snprintf(name, sizeof name, "P%d", i + 1);
            const json_t *force = json_array_get(json_object_get(json_object_get(d, "drives"), name), (size_t)k);
            const double power = json_number_value(force) * x[first + 3 * i];
            worst = fabs(power - x[1 + i]) > worst ? fabs(power - x[1 + i]) : worst;
            most = fabs(power) > most ? fabs(power) : most;
        }
    }
    print_message("powers up to %g W, off by %.1e W\n", most, worst);
    assert_true(most > 10.0);
    assert_near(worst, 0.0, 1e-9 * most);
    free(table);
    json_decref(d);
    tool_expect("inverse stewart.json --without K* --motion plate.x=0", 3, "no joint or force 'K*' to leave out");
}

/* The line below a recipe: "Check after 1 s: `EXPRESSION = VALUE` to 1e-6 (...)": what a run gives less what it should. */
static void check_recipe(const char *recipe, const char *line, const char *end)
{
    char expression[LINE], arguments[3 * LINE], less[2 * LINE], span[100] = "";
    const char *open = line != NULL ? strchr(line, '`') : NULL, *close = open != NULL ? strchr(open + 1, '`') : NULL;
    const char *equal = open != NULL ? strstr(open, " = ") : NULL;
    double tol, t, found;
    if (close == NULL || close > end || equal == NULL || sscanf(close, "` to %lf", &tol) != 1) {
        fail_msg("no line \"Check: `EXPRESSION = VALUE` to TOLERANCE\" below %s", recipe);
        return;
    }
    if (sscanf(line, "Check after %lf s", &t) == 1) {
        snprintf(span, sizeof span, " --t-end %g", t);
    }
    snprintf(expression, sizeof expression, "%.*s-(%.*s)", (int)(equal - open - 1), open + 1, (int)(close - equal - 3),
             equal + 3);
    char *to = less;
    for (const char *c = expression; *c != '\0'; ++c) {
        *to = *c;
        to += *c != ' ';
    }
    *to = '\0';
    snprintf(arguments, sizeof arguments,
             "sweep recipe.json --vary rtol=list:1e-8 --collect %s -o recipe.csv --quiet%s", less, span);
    tool_result r = tool(arguments);
    if (r.code != 0) {
        fail_msg("%s: %s", recipe, r.err);
    }
    tool_free(&r);
    char *table = tool_read("recipe.csv"), *row = table != NULL ? strchr(table, '\n') : NULL;
    assert_non_null(row);
    assert_int_equal(sscanf(row, "\n%*d,%*[^,],%lf", &found), 1); // NOLINT(cert-err34-c)
    if (!(fabs(found) <= tol)) {
        fail_msg("%s is %g, not 0 to %g: %s", less, found, tol, recipe);
    }
    free(table);
}

/* Every model of the cookbook runs, and a number of each is what it must be. */
static void recipes_give_what_they_should(void **state)
{
    char *text = tool_read(DAL_SOURCE "/docs/user/cookbook.md");
    int n = 0;
    assert_non_null(text);
    for (char *at = strstr(text, "\n```json\n"); at != NULL; ++n) {
        char *begin = at + strlen("\n```json\n"), *end = strstr(begin, "\n```");
        assert_non_null(end);
        *end = '\0';
        tool_write("recipe.json", begin);
        at = strstr(end + 4, "\n```json\n");
        check_recipe(begin, strstr(end + 4, "Check"), at != NULL ? at : end + 4 + strlen(end + 4));
    }
    free(text);
    assert_true(n >= 30);
}

/* new, examples, explain */
static void files_to_start_from(void **state)
{
    tool_expect("new start.json", 0, NULL);
    tool_expect("new start.json", 5, "is there already");
    tool_expect("run start.json --t-end 0.1 -q", 0, NULL);
    tool_expect("examples heavy_top .", 0, NULL);
    tool_expect("run heavy_top.json --t-end 0.01 -q", 0, NULL);
    tool_expect("examples heavy_tap .", 2, "did you mean 'heavy_top'?");
    // of the tutorials, with what belongs to them
    assert_int_equal(mkdir("copied", 0777), 0);
    tool_expect("examples car copied", 0, NULL);
    tool_expect("run copied/car.json --t-end 0.01 -q", 0, NULL);
    tool_expect("examples mast copied", 0, NULL);
    tool_expect("run copied/mast.json --t-end 0.01 -q", 0, NULL);
    tool_expect("examples swing copied", 5, "is there already");
    tool_expect("examples rod copied", 0, NULL);
    char *data = tool_read("copied/camera.csv");
    assert_non_null(data);
    assert_memory_equal(data, "t,hinge.coordinate\n0.0,0.000\n", 29);
    free(data);
    tool_result r = tool("examples");
    assert_non_null(strstr(r.out, "\ncar "));
    assert_non_null(strstr(r.out, "A vehicle on a bump\n"));
    assert_null(strstr(r.out, "camera"));
    tool_free(&r);
    tool_expect("new no/such/folder.json", 5, NULL);
}

/* Every name that explain lists has a page, and every type of element an example. */
static void everything_is_explained(void **state)
{
    tool_result all = tool("explain");
    assert_int_equal(all.code, 0);
    int n = 0;
    for (char *at = all.out, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        *end = '\0';
        const char *point = strchr(at, '.');
        // all sections, and of the types some: each is a run of the tool
        if (point != NULL && n++ % 7 != 0) {
            continue;
        }
        char arguments[200];
        snprintf(arguments, sizeof arguments, "explain %s", at);
        tool_result r = tool(arguments);
        if (r.code != 0 || strlen(r.out) < 20) {
            fail_msg("%s: exit code %d, \"%s\" %s", arguments, r.code, r.out, r.err);
        }
        const int element = point != NULL && (strncmp(at, "joints.", 7) == 0 || strncmp(at, "forces.", 7) == 0);
        if (element) {
            assert_non_null(strstr(r.out, "An example"));
        }
        tool_free(&r);
    }
    print_message("%d names\n", n);
    assert_true(n > 150);
    tool_free(&all);
    tool_expect("explain joints.revolut", 2, "did you mean 'joints.revolute'?");
    tool_expect("explain revolut", 2, "did you mean 'revolute'?");
    tool_result r = tool("explain beams.loads"); // a list of objects: what one consists of
    assert_non_null(strstr(r.out, "line_load"));
    assert_non_null(strstr(r.out, "follower"));
    tool_free(&r);
    r = tool("explain joints.revolute.axis");
    assert_non_null(strstr(r.out, "common z axis of both frames"));
    tool_free(&r);
    r = tool("explain joints.revolute"); // its example is two lines of a model
    assert_non_null(strstr(r.out, "\"r_rear\"], \"axis\": [0, 1, 0]}\n"));
    tool_free(&r);
    r = tool("explain simulation.rho_inf");
    assert_non_null(strstr(r.out, "--set rho_inf="));
    tool_free(&r);
    r = tool("explain rotation.euler");
    assert_non_null(strstr(r.out, "angles"));
    tool_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tutorials_do_what_they_say),
        cmocka_unit_test(legs_of_the_platform_have_the_power_of_its_pose),
        cmocka_unit_test(recipes_give_what_they_should),
        cmocka_unit_test(files_to_start_from),
        cmocka_unit_test(everything_is_explained),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
