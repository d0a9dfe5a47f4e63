/* dalembert new, examples: files to start from. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "dalembert/io.h"

static int new_model(const cli_args *args);
static int examples(const cli_args *args);

const cli_command cli_new = {
    .name = "new",
    .place = 23,
    .arguments = "FILE",
    .min = 1,
    .max = 1,
    .summary = "write a commented model to start from",
    .about = "A pendulum with a spring and a motor, with a note beside everything. A file that is there is kept.\n"
             "Exit codes: 0 ok, 2 usage, 5 it cannot be written, or is there already.",
    .examples = "  dalembert new my_model.json\n  dalembert run my_model.json --html my_model.html",
    .run = new_model,
};

const cli_command cli_examples = {
    .name = "examples",
    .place = 24,
    .arguments = "[NAME [FOLDER]]",
    .min = 0,
    .max = 2,
    .summary = "list the models that come with the tool, or copy one",
    .about =
        "Without NAME they are listed; with it the file NAME.json is written to FOLDER, by default where you are. A\n"
        "file that is there is kept. Exit codes: 0 ok, 2 no such example, 5 it cannot be written, or is there already.",
    .examples = "  dalembert examples\n  dalembert examples slider_crank .",
    .run = examples,
};

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
static int write_new(const char *path, const char *text)
{
    dal_ctx *ctx = cli_context(NULL);
    int code = CLI_OK;
    if (access(path, F_OK) == 0) {
        code = cli_error(CLI_IO, "'%s' is there already; remove it, or choose another name", path);
    } else if (dal_file_write(ctx, path, text, strlen(text)) != DAL_OK) {
        code = cli_error(CLI_IO, "%s", dal_ctx_message(ctx));
    } else {
        fprintf(stderr, "%s\n", path);
    }
    dal_ctx_destroy(ctx);
    return code;
}

static int new_model(const cli_args *args)
{
    return write_new(args->positional[0], starter);
}

static int copy_example(const char *name, const char *folder)
{
    const char *words[256];
    char path[4096], hint[DAL_HINT_SIZE];
    int n = 0;
    for (; n < dal_builtin_count() && n < 256; ++n) {
        const dal_builtin b = dal_builtin_model(n);
        words[n] = b.name;
        if (strcmp(b.name, name) == 0) {
            snprintf(path, sizeof path, "%s/%s.json", folder, name);
            return write_new(path, b.text);
        }
    }
    return cli_usage("no example '%.100s'%s; 'dalembert examples' lists them", name,
                     dal_hint(hint, dal_nearest(name, words, n)));
}

static int examples(const cli_args *args)
{
    if (args->npositional > 0) {
        return copy_example(args->positional[0], args->npositional > 1 ? args->positional[1] : ".");
    }
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin b = dal_builtin_model(k);
        printf("%-26s %s\n", b.name, b.title);
    }
    return CLI_OK;
}
