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
static int write_new(const char *path, const char *text)
{
    if (access(path, F_OK) == 0) {
        cli_fail(CLI_IO, "'%s' is there already; remove it, or choose another name", path);
    }
    cli_try(cli_ctx(), dal_file_write(cli_ctx(), path, text, strlen(text)), CLI_IO);
    fprintf(stderr, "%s\n", path);
    return CLI_OK;
}

static int new_model(const cli_args *args)
{
    return write_new(args->positional[0], starter);
}

static int examples(const cli_args *args)
{
    if (args->npositional > 0) {
        const char *name = args->positional[0], *folder = args->npositional > 1 ? args->positional[1] : ".";
        char hint[DAL_HINT_SIZE];
        const dal_builtin *b = model_builtin(name, hint);
        if (b == NULL) {
            cli_usage("no example '%.100s'%s; 'dalembert examples' lists them", name, hint);
        }
        return write_new(cli_text("%s/%s.json", folder, name), b->text);
    }
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const dal_builtin b = dal_builtin_model(k);
        printf("%-26s %s\n", b.name, b.title);
    }
    return CLI_OK;
}

const cli_command cli_new = {.name = "new", .run = new_model};
const cli_command cli_examples = {.name = "examples", .run = examples};
