/* dalembert new, examples: files to start from. */
#include <string.h>
#include <unistd.h>

#include "cli/model.h"

/* What stands in "note" is ignored: a place for remarks. */
static const char starter[] =
    "{\n"
    "  \"dalembert\": 1,\n"
    "  \"name\": \"my_model\",\n"
    "  \"title\": \"A pendulum with a spring and a motor\",\n"
    "  \"note\": \"Text under 'note' is ignored anywhere. Lengths are in m, masses in kg, times in s, angles in rad, "
    "unless a number has a unit.\",\n"
    "\n"
    "  \"variables\": {\n"
    "    \"L\": \"600 mm\",\n"
    "    \"m\": \"1.2 kg\",\n"
    "    \"angle\": \"30 deg\",\n"
    "    \"tip\": \"L*[sin(angle), 0, -cos(angle)]\"\n"
    "  },\n"
    "\n"
    "  \"gravity\": [0, 0, \"-9.81 m/s^2\"],\n"
    "\n"
    "  \"bodies\": [\n"
    "    {\"note\": \"a rod whose frame is in its middle, x along it\",\n"
    "     \"name\": \"rod\", \"mass\": \"m\", \"inertia\": {\"rod\": \"L\", \"axis\": \"x\"},\n"
    "     \"position\": \"tip/2\", \"rotation\": {\"x_along\": [[0, 0, 0], \"tip\"], \"y_axis\": [0, 1, 0]},\n"
    "     \"shape\": {\"box\": [\"L\", 0.03, 0.03]}}\n"
    "  ],\n"
    "\n"
    "  \"joints\": [\n"
    "    {\"note\": \"without body_a it is fixed to the ground; point and axis are in the world, at the start\",\n"
    "     \"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": [0, -1, "
    "0]}\n"
    "  ],\n"
    "\n"
    "  \"forces\": [\n"
    "    {\"name\": \"coil\", \"type\": \"spring\", \"joint\": \"hinge\", \"stiffness\": \"0.5 N*m/rad\", \"damping\": "
    "0.01},\n"
    "    {\"note\": \"a law is an expression of t and of inputs, which are coordinates and velocities\",\n"
    "     \"name\": \"motor\", \"type\": \"law\", \"joint\": \"hinge\", \"value\": \"0.8*sin(2*pi*t) - 0.05*w\",\n"
    "     \"inputs\": {\"w\": \"hinge.coordinate_velocity\"}}\n"
    "  ],\n"
    "\n"
    "  \"outputs\": [\n"
    "    \"hinge.coordinate\", \"hinge.force\", \"motor.force_value\", \"energy\",\n"
    "    {\"name\": \"tip\", \"quantity\": \"position\", \"body\": \"rod\", \"frame\": [\"L/2\", 0, 0]}\n"
    "  ],\n"
    "\n"
    "  \"simulation\": {\"t_end\": 5, \"h\": \"2 ms\"}\n"
    "}\n";

/* Write what was not there. */
static void write_new(const char *path, const char *text)
{
    if (access(path, F_OK) == 0) {
        cli_fail(CLI_IO, "'%s' is there already; remove it, or choose another name", path);
    }
    cli_try(cli_ctx(), dal_file_write(cli_ctx(), path, text, strlen(text)), CLI_IO);
    fprintf(stderr, "%s\n", path);
}

static int new_model(const cli_args *args)
{
    write_new(args->positional[0], starter);
    return CLI_OK;
}

/* ---- files of the tutorials ------------------------------------------------------------------- */

/* All pages, one after the other. A page begins with "# TITLE"; a file of it stands between a line "```KIND NAME" and one "```". */
extern const unsigned char cli_tutorials[];

typedef struct tutorial_file {
    const char *page, *name, *text; /* begin of a line each; in the pages */
} tutorial_file;

static const char *next_line(const char *at)
{
    const char *end = strchr(at, '\n');
    return end != NULL ? end + 1 : at + strlen(at);
}

/* The next file from here on, and what follows it; NULL: none. f->page stays where no page begins. */
static const char *next_file(tutorial_file *f, const char *at)
{
    for (; *at != '\0'; at = next_line(at)) {
        if (strncmp(at, "# ", 2) == 0) {
            f->page = at + 2;
        }
        if (strncmp(at, "```", 3) != 0) {
            continue;
        }
        const char *end = strchr(at, '\n'), *blank = memchr(at, ' ', (size_t)(end - at));
        f->text = end + 1;
        at = strstr(end, "\n```");
        if (blank != NULL) {
            f->name = blank + 1;
            return next_line(at + 1);
        }
        at += 1;
    }
    return NULL;
}

static char *up_to(const char *from, char end)
{
    const size_t n = (size_t)(strchr(from, end) - from);
    char *copy = cli_alloc(n + 1, 1);
    memcpy(copy, from, n);
    return copy;
}

static void write_file(const tutorial_file *f, const char *folder)
{
    const size_t n = (size_t)(strstr(f->text, "\n```") + 1 - f->text);
    char *text = cli_alloc(n + 1, 1);
    memcpy(text, f->text, n);
    write_new(cli_text("%s/%s", folder, up_to(f->name, '\n')), text);
}

/* The files of the page that has the model of this name; 0: none has. */
static int copy_page(const char *name, const char *folder)
{
    tutorial_file f = {.page = ""};
    const char *at = (const char *)cli_tutorials, *page = NULL, *file = cli_text("%s.json\n", name);
    while (page == NULL && (at = next_file(&f, at)) != NULL) {
        page = strncmp(f.name, file, strlen(file)) == 0 ? f.page : NULL;
    }
    at = f.page;
    f.page = page;
    while (page != NULL && (at = next_file(&f, at)) != NULL && f.page == page) {
        write_file(&f, folder);
    }
    return page != NULL;
}

static void list_tutorials(void)
{
    tutorial_file f = {.page = ""};
    printf("\nOf the tutorials, with the files beside them:\n");
    for (const char *at = (const char *)cli_tutorials; (at = next_file(&f, at)) != NULL;) {
        char *name = up_to(f.name, '\n'), *point = strrchr(name, '.');
        if (point != NULL && strcmp(point, ".json") == 0) {
            *point = '\0';
            printf("%-26s %s\n", name, up_to(f.page, '\n'));
        }
    }
}

/* ---- examples --------------------------------------------------------------------------------- */

static int examples(const cli_args *args)
{
    if (args->npositional > 0) {
        const char *name = args->positional[0], *folder = args->npositional > 1 ? args->positional[1] : ".";
        char hint[DAL_HINT_SIZE];
        const dal_builtin *b = model_builtin(name, hint);
        if (b != NULL) {
            write_new(cli_text("%s/%s.json", folder, name), b->text);
        } else if (!copy_page(name, folder)) {
            cli_usage("no example '%.100s'%s; 'dalembert examples' lists them", name, hint);
        }
        return CLI_OK;
    }
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin b = dal_builtin_model(k);
        printf("%-26s %s\n", b.name, b.title);
    }
    list_tutorials();
    return CLI_OK;
}

const cli_command cli_new = {.name = "new", .run = new_model};
const cli_command cli_examples = {.name = "examples", .run = examples};
