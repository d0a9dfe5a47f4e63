/* dalembert reduce: a finite element body of a model is reduced once and stored. */
#include <math.h>

#include "cli/answer.h"
#include "cli/model.h"
#include "dalembert/results.h"

/* The body that is named, or the only one that was reduced. */
static int find_body(const cli_model *m, const char *name)
{
    int n = 0, last = -1;
    for (int k = 1; dal_model_body_name(m->model, k) != NULL; ++k) {
        if (dal_document_reduced(m->doc, k) != NULL) {
            last = k;
            ++n;
        }
    }
    const int body = name != NULL ? dal_model_find_body(m->model, name) : last;
    if (name != NULL && body < 0) {
        cli_fail(CLI_USAGE, "%s: there is no body '%s'", m->name, name);
    }
    if (n == 0) {
        cli_fail(CLI_MODEL, "%s: no body has finite element matrices (the key \"flexible\")", m->name);
    }
    if (dal_document_reduced(m->doc, body) == NULL) {
        cli_fail(CLI_MODEL, "%s: body '%s' has no finite element matrices", m->name, name);
    }
    if (n > 1 && name == NULL) {
        cli_fail(CLI_USAGE, "%s: %d bodies have finite element matrices; choose one by --body", m->name, n);
    }
    return body;
}

static const cli_answer *answer(const cli_model *m, int body, const dal_fem_report *r, const char *path)
{
    cli_answer *a = answer_create();
    answer_put(a, "model %s body %s degrees %d interface %d modes %d mass %g", m->name,
               dal_model_body_name(m->model, body), r->ndofs, r->ninterface, r->nmodes, r->mass);
    answer_reals(a, "com", r->com, 3);
    answer_reals(a, "inertia", r->inertia, 6);
    answer_put(a, "wave_speed %g", r->speed);
    cli_answer *frequencies = answer_list(a, "frequencies", 0), *held = answer_list(a, "held", 0);
    for (int k = 0; k < r->nmodes; ++k) {
        const double full = k < r->nfull ? r->full[k] : (double)NAN, error = r->frequency[k] / full - 1.0;
        answer_line(frequencies, NULL, "full %g reduced %g error %g .off %g", full, r->frequency[k], error,
                    fabs(error));
    }
    for (int k = 0; k < r->nheld; ++k) {
        answer_reals(answer_line(held, NULL, "frequency %g", r->held[k]), "effective", r->effective + 6 * (size_t)k, 6);
    }
    // units that do not fit show in the speed of waves: from 30 m/s in gels to 2e4 m/s in diamond
    cli_answer *warnings = answer_list(a, "warnings", 0);
    if (r->speed < 10.0 || r->speed > 3e4) {
        answer_text(
            warnings, NULL,
            cli_text("waves of %.3g m/s are those of no solid: are nodes, M and K in the same units? length_unit "
                     "and mass_unit convert them to m and kg",
                     r->speed));
    }
    answer_put(a, "file %s", path);
    return a;
}

static int command(const cli_args *args)
{
    const char *path = cli_value(args, "output");
    cli_model *m = cli_alloc(1, sizeof *m);
    m->may_be_open = 1;
    model_open(m, args);
    const int body = find_body(m, cli_value(args, "body"));
    const dal_fem_result *result = dal_document_reduced(m->doc, body);
    if (path != NULL) {
        cli_try(m->ctx, dal_fem_write(m->ctx, path, result), CLI_IO);
    }
    answer_tell(answer(m, body, &result->report, path), args, NULL);
    return CLI_OK;
}

const cli_command cli_reduce = {.name = "reduce", .run = command};
