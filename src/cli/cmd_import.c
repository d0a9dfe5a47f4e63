/* dalembert import: a description of a robot as a model file. */
#include <string.h>

#include "cli/answer.h"
#include "cli/model.h"
#include "dalembert/import.h"

CLI_OWNS(dal_import)

static void put_notes(cli_answer *a, const char *name, const dal_import *import, int lost)
{
    cli_answer *list = answer_list(a, name, 0);
    for (int k = 0; k < dal_import_note_count(import); ++k) {
        const dal_import_note note = dal_import_note_at(import, k);
        if ((note.lost == 1) == lost) {
            answer_line(list, NULL, "what %s names %s", note.what, note.names);
        }
    }
}

static const cli_answer *answer(const dal_import *import, const cli_model *m)
{
    const dal_import_summary s = dal_import_report(import);
    const dal_model_summary model = dal_model_report(m->model);
    cli_answer *a = answer_create();
    answer_put(a, "model %s format %s links %d joints %d fixed %d loops %d inputs %d mass %g", m->name, s.format,
               s.links, s.joints, s.fixed, s.loops, s.inputs, s.mass);
    answer_reals(a, "com", s.com, 3);
    answer_put(a, "bodies %d freedoms %d", model.bodies,
               model.freedoms + m->sys->contacts.n); // stops hold nothing while they are open
    put_notes(a, "not_kept", import, 1);
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

static int command(const cli_args *args)
{
    const char *path = cli_value(args, "output"), *slash = path != NULL ? strrchr(path, '/') : NULL;
    dal_import_options how = {.files_outside = cli_given(args, "allow-files-outside"),
                              .strict = cli_given(args, "strict"),
                              .free_base = cli_whole(args, "base"),
                              .inertia = (dal_import_inertia)cli_whole(args, "inertia"),
                              .friction = (dal_import_friction)cli_whole(args, "friction"),
                              .keyframe = cli_value(args, "keyframe"),
                              .folder = slash != NULL  ? cli_text("%.*s/", (int)(slash - path), path)
                                        : path != NULL ? "."
                                                       : NULL};
    how.packages = values(args, "packages", &how.npackages);
    how.values = values(args, "at", &how.nvalues);
    dal_import *import = NULL;
    const dal_status st = dal_import_create(&import, cli_ctx(), args->positional[0], &how);
    cli_try(cli_ctx(), st, st == DAL_EOPTION ? CLI_USAGE : st == DAL_EIO ? CLI_IO : CLI_MODEL);
    CLI_OWN(dal_import, import);
    // does the text load as a model? Then write it
    cli_model *m = cli_alloc(1, sizeof *m);
    const char *text = dal_import_text(import);
    m->files_outside = 1;
    model_load_text(m, text, path != NULL ? path : args->positional[0], NULL, 0);
    if (path != NULL) {
        cli_try(m->ctx, dal_file_write(m->ctx, path, text, strlen(text)), CLI_IO);
    }
    answer_tell(answer(import, m), args, NULL);
    return CLI_OK;
}

const cli_command cli_import = {.name = "import", .run = command};
