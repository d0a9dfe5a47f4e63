/* Bounds of parameters that are searched for. */
#include "cli/sweep_search.h"

#include <stdlib.h>
#include <string.h>

static int bad_bound(const char *text)
{
    return cli_usage("sweep", "--bound %s: NAME=MIN:MAX or NAME=MIN:MAX:START is expected, MIN <= START <= MAX", text);
}

static int read_bound(sweep_search *s, const char *text)
{
    char name[300], piece[3][64] = {"", "", ""}, parameter[500];
    const int i = s->n;
    const int n = sscanf(text, "%299[^=]=%60[^:]:%60[^:]:%60[^:]", name, piece[0], piece[1], piece[2]);
    if (n < 3 || i == SEARCH_PARAMETERS || !cli_number(&s->lo[i], piece[0]) || !cli_number(&s->hi[i], piece[1]) ||
        !(s->lo[i] < s->hi[i])) {
        return bad_bound(text);
    }
    s->start[i] = 0.5 * (s->lo[i] + s->hi[i]);
    if (n == 4 && (!cli_number(&s->start[i], piece[2]) || !(s->start[i] >= s->lo[i] && s->start[i] <= s->hi[i]))) {
        return bad_bound(text);
    }
    const int length = snprintf(parameter, sizeof parameter, "%s=%s:%s:2", name, piece[0], piece[1]);
    s->name[i] = sweep_keep(s->job, name, strlen(name));
    s->job->parameter[i] = sweep_keep(s->job, parameter, (size_t)length);
    ++s->n;
    return s->name[i] != NULL && s->job->parameter[i] != NULL ? CLI_OK : bad_bound(text);
}

int search_read(sweep_search *s, sweep_job *job)
{
    const char *text;
    *s = (sweep_search){
        .job = job, .tolerance = cli_real(job->args, "tolerance"), .most = cli_whole(job->args, "evaluations")};
    if (job->spec.nparameters > 0 || job->spec.nrows > 0) {
        return cli_usage(
            "sweep",
            "parameters that are searched for have bounds: --bound NAME=MIN:MAX, not --vary, --random or --rows");
    }
    for (int k = 0; (text = cli_value_at(job->args, "bound", k)) != NULL; ++k) {
        const int code = read_bound(s, text);
        if (code != CLI_OK) {
            return code;
        }
    }
    if (s->n == 0) {
        return cli_usage("sweep", "what may vary? --bound NAME=MIN:MAX");
    }
    job->spec.parameter = job->parameter;
    job->spec.nparameters = s->n;
    job->spec.design = DAL_SWEEP_GRID;
    job->spec.samples = 1;
    return CLI_OK;
}

void search_point(const sweep_search *s, double *x, const double *z)
{
    for (int k = 0; k < s->n; ++k) {
        const double inside = z[k] < 0.0 ? 0.0 : z[k] > 1.0 ? 1.0 : z[k];
        x[k] = s->lo[k] + (s->hi[k] - s->lo[k]) * inside;
    }
}

void search_command(const sweep_search *s, char *text, size_t size, const double *x)
{
    const sweep_job *job = s->job;
    size_t n = (size_t)snprintf(text, size, "dalembert run %.1000s", job->spec.source);
    for (int k = 0; k < job->spec.nset && n < size; ++k) {
        n += (size_t)snprintf(text + n, size - n, " --set %.300s", job->spec.set[k]);
    }
    for (int k = 0; k < s->n && n < size; ++k) {
        n += (size_t)snprintf(text + n, size - n, " --set %.300s=%.17g", s->name[k], x[k]);
    }
}

int search_unconverged(const sweep_search *s)
{
    return cli_error("sweep", CLI_CHECK,
                     "the search did not converge in %ld runs%s: the best so far is shown; begin there (--bound "
                     "NAME=MIN:MAX:START), or allow more (--evaluations)",
                     s->evaluations, s->failed > 0 ? ", some of which failed" : "");
}
