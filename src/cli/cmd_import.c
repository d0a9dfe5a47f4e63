/* dalembert import: a description of a robot as a model file. */
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/model.h"
#include "dalembert/import.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE", "where to write the model; default: it is read and reported on, not written", CLI_PATH},
    {"base", 0, "WORD", "URDF: the root is held by the ground (fixed, default) or free", CLI_CHOICE, "fixed|free"},
    {"at", 0, "JOINT=VALUE", "initial coordinate of a joint, JOINT'=VALUE its rate; may be repeated"},
    {"keyframe", 0, "NAME", "MJCF: begin at this keyframe"},
    {"inertia", 0, "WORD", "inertias that no body has: keep (default), mend or refuse", CLI_CHOICE, "keep|mend|refuse"},
    {"packages", 0, "FOLDER", "where package:// and model:// are looked for; may be repeated"},
    {"strict", 0, NULL, "refuse a description of which something cannot be kept"},
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_import = {
    .name = "import",
    .place = 18,
    .arguments = "FILE",
    .min = 1,
    .max = 1,
    .summary = "a robot from URDF, MJCF or SDF as a model file",
    .about = "Other commands take such files in place of a model, too. What a description says and a model cannot is\n"
             "listed by name. Exit codes: 0 ok, 2 usage, 3 bad description or, with --strict, one that cannot be kept\n"
             "as a whole, 5 files.",
    .examples = "  dalembert import robot.urdf -o robot.json\n"
                "  dalembert import robot.urdf --base free --at elbow=0.3 --at \"elbow'=1\" -o robot.json\n"
                "  dalembert import hand.xml --keyframe open --strict -o hand.json",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

static void put_notes(cli_answer *a, const char *name, const dal_import *import, int lost)
{
    cli_answer *list = answer_list(a, name, 0);
    for (int k = 0; k < dal_import_note_count(import); ++k) {
        const dal_import_note note = dal_import_note_at(import, k);
        if ((note.lost == 1) == lost) {
            answer_put(answer_object(list, NULL, 1), "what %s names %s", note.what, note.names);
        }
    }
}

static cli_answer *answer(const dal_import *import, const cli_model *m)
{
    const dal_import_summary s = dal_import_report(import);
    const dal_model_summary model = dal_model_report(m->model);
    cli_answer *a = answer_create();
    answer_put(a, "model %s format %s links %d joints %d fixed %d loops %d inputs %d mass %g", m->name, s.format,
               s.links, s.joints, s.fixed, s.loops, s.inputs, s.mass);
    answer_reals(a, "com", s.com, 3);
    answer_put(a, ".x %g .y %g .z %g bodies %d freedoms %d", s.com[0], s.com[1], s.com[2], model.bodies,
               model.freedoms + m->sys->contacts.n); // stops hold nothing while they are open
    put_notes(a, "lost", import, 1);
    put_notes(a, "changed", import, 0);
    return a;
}

/* All values of a flag. */
static const char **values(const cli_args *args, const char *flag, int *n)
{
    const char **list = cli_alloc(CLI_GIVEN, sizeof *list);
    for (*n = 0; (list[*n] = cli_value_at(args, flag, *n)) != NULL;) {
        ++*n;
    }
    return list;
}

/* Does the text load as a model? Then write it. */
static int keep(const cli_args *args, const dal_import *import)
{
    const char *path = cli_value(args, "output");
    cli_model m = {.files_outside = 1};
    int code = model_load_text(&m, dal_import_text(import), path != NULL ? path : args->positional[0], NULL, 0);
    if (code == CLI_OK && path != NULL &&
        dal_file_write(m.ctx, path, dal_import_text(import), strlen(dal_import_text(import))) != DAL_OK) {
        code = cli_error(CLI_IO, "%s", dal_ctx_message(m.ctx));
    }
    if (code == CLI_OK) {
        cli_answer *a = answer(import, &m);
        answer_tell(a, args, 0);
        answer_release(a);
    }
    model_release(&m);
    return code;
}

static int command(const cli_args *args)
{
    const char *path = cli_value(args, "output"), *slash = path != NULL ? strrchr(path, '/') : NULL;
    char folder[CLI_LONGEST] = ".";
    dal_import_options how = {.files_outside = cli_given(args, "allow-files-outside"),
                              .strict = cli_given(args, "strict"),
                              .free_base = cli_whole(args, "base"),
                              .inertia = (dal_import_inertia)cli_whole(args, "inertia"),
                              .keyframe = cli_value(args, "keyframe"),
                              .folder = path != NULL ? folder : NULL};
    if (slash != NULL) {
        snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path);
    }
    const char **packages = values(args, "packages", &how.npackages), **at = values(args, "at", &how.nvalues);
    how.packages = packages;
    how.values = at;
    dal_ctx *ctx = cli_context(NULL);
    dal_import *import = NULL;
    const dal_status st = dal_import_create(&import, ctx, args->positional[0], &how);
    const int code = st == DAL_OK ? keep(args, import)
                                  : cli_error(st == DAL_EOPTION ? CLI_USAGE
                                              : st == DAL_EIO   ? CLI_IO
                                                                : CLI_MODEL,
                                              "%s", dal_ctx_message(ctx));
    dal_import_destroy(import);
    dal_ctx_destroy(ctx);
    free(packages);
    free(at);
    return code;
}
