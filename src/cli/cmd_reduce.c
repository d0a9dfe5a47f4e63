/* dalembert reduce: a finite element body of a model is reduced once and stored. */
#include <math.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/model.h"
#include "dalembert/results.h"

static const cli_flag flags[] = {
    {"body", 0, "NAME", "which body; default: the only one that has matrices"},
    {"output", 'o', "FILE.h5", "where to write the reduced body, for modes_file", CLI_PATH},
    CLI_FLAG_SET,
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_reduce = {
    .name = "reduce",
    .place = 19,
    .arguments = "MODEL",
    .min = 1,
    .max = 1,
    .summary = "a finite element body as a flexible one, with a report",
    .about =
        "A body with the key \"flexible\" is reduced whenever its model is read. This does it once: with -o the "
        "result\n"
        "is stored, and a model has \"modes_file\" in place of \"flexible\". The report has the frequencies of the\n"
        "free body by the whole matrices and reduced, and effective masses. Exit codes: 0 ok, 2 usage, 3 bad model or\n"
        "matrices, 5 files.",
    .examples = "  dalembert reduce engine.json\n"
                "  dalembert reduce engine.json --body rod -o rod.h5",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

/* The body that is named, or the only one that was reduced. CLI_OK, or an exit code after a message. */
static int find_body(const cli_model *m, const char *name, int *body)
{
    int n = 0, last = -1;
    for (int k = 1; dal_model_body_name(m->model, k) != NULL; ++k) {
        if (dal_document_reduced(m->doc, k) != NULL) {
            last = k;
            ++n;
        }
    }
    *body = name != NULL ? dal_model_find_body(m->model, name) : last;
    if (name != NULL && *body < 0) {
        return cli_error(CLI_USAGE, "%s: there is no body '%s'", m->name, name);
    }
    if (n == 0 || dal_document_reduced(m->doc, *body) == NULL) {
        return cli_error(CLI_MODEL, "%s: %s%s%s", m->name,
                         n == 0 ? "no body has finite element matrices (the key \"flexible\")" : "body '",
                         n == 0 ? "" : name, n == 0 ? "" : "' has no finite element matrices");
    }
    return n == 1 || name != NULL
               ? CLI_OK
               : cli_error(CLI_USAGE, "%s: %d bodies have finite element matrices; choose one by --body", m->name, n);
}

static void put_frequencies(cli_answer *a, const dal_fem_report *r)
{
    cli_answer *list = answer_list(a, "frequencies", 0), *shown = answer_hidden(a, "shown");
    for (int k = 0; k < r->nmodes; ++k) {
        const double full = k < r->nfull ? r->full[k] : (double)NAN, error = r->frequency[k] / full - 1.0;
        char whole_text[32] = "", error_text[32] = "";
        answer_put(answer_object(list, NULL, 1), "full %g reduced %g error %g", full, r->frequency[k], error);
        if (k < r->nfull) {
            snprintf(whole_text, sizeof whole_text, "%.6g", full);
            snprintf(error_text, sizeof error_text, "%.1e", fabs(error));
        }
        answer_put(answer_object(shown, NULL, 1), ".number %d .whole_text %s .reduced %g .error_text %s", k + 1,
                   whole_text, r->frequency[k], error_text);
    }
}

static void put_held(cli_answer *a, const dal_fem_report *r)
{
    cli_answer *list = answer_list(a, "held", 0), *shown = answer_hidden(a, "held_shown");
    for (int k = 0; k < r->nheld; ++k) {
        const double *e = r->effective + 6 * (size_t)k;
        cli_answer *item = answer_object(list, NULL, 1);
        answer_put(item, "frequency %g", r->held[k]);
        answer_reals(item, "effective", e, 6);
        answer_put(answer_object(shown, NULL, 1),
                   ".number %d .frequency %g .ex %g .ey %g .ez %g .erx %g .ery %g .erz %g", k + 1, r->held[k], e[0],
                   e[1], e[2], e[3], e[4], e[5]);
    }
}

/* Units that do not fit show in the speed of waves: from 30 m/s in gels to 2e4 m/s in diamond. */
static void put_warnings(cli_answer *a, const dal_fem_report *r)
{
    cli_answer *list = answer_list(a, "warnings", 0), *shown = answer_hidden(a, "warned");
    if (r->speed < 10.0 || r->speed > 3e4) {
        char text[256];
        snprintf(text, sizeof text,
                 "waves of %.3g m/s are those of no solid: are nodes, M and K in the same units? length_unit and "
                 "mass_unit convert "
                 "them to m and kg",
                 r->speed);
        answer_text(list, NULL, text);
        answer_put(answer_object(shown, NULL, 1), ".text %s", text);
    }
}

static cli_answer *answer(const cli_model *m, int body, const dal_fem_report *r, const char *path)
{
    cli_answer *a = answer_create();
    answer_put(a, "model %s body %s degrees %d interface %d modes %d mass %g", m->name,
               dal_model_body_name(m->model, body), r->ndofs, r->ninterface, r->nmodes, r->mass);
    answer_reals(a, "com", r->com, 3);
    answer_reals(a, "inertia", r->inertia, 6);
    answer_put(a, "wave_speed %g .x %g .y %g .z %g .xx %g .yy %g .zz %g", r->speed, r->com[0], r->com[1], r->com[2],
               r->inertia[0], r->inertia[1], r->inertia[2]);
    put_frequencies(a, r);
    put_held(a, r);
    put_warnings(a, r);
    answer_put(a, "file %s", path);
    return a;
}

static int command(const cli_args *args)
{
    const char *path = cli_value(args, "output");
    cli_model m = {.may_be_open = 1};
    int body = 0, code = model_open(&m, args);
    code = code == CLI_OK ? find_body(&m, cli_value(args, "body"), &body) : code;
    const dal_fem_result *result = code == CLI_OK ? dal_document_reduced(m.doc, body) : NULL;
    if (result != NULL && path != NULL && dal_fem_write(m.ctx, path, result) != DAL_OK) {
        code = cli_error(CLI_IO, "%s", dal_ctx_message(m.ctx));
    }
    if (result != NULL && code == CLI_OK) {
        cli_answer *a = answer(&m, body, &result->report, path);
        answer_tell(a, args, 0);
        answer_release(a);
    }
    model_release(&m);
    return code;
}
