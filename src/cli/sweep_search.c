/* Parameters that are searched for between bounds: a best value (--optimize), or measured data (--fit). */
#include <math.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/sweep.h"

CLI_OWNS(dal_sweep)

typedef struct search {
    sweep_job *job;
    const char *name[DAL_SWEEP_SEARCHED];
    double start[DAL_SWEEP_SEARCHED], limit[DAL_SWEEP_CONSTRAINTS];
    int above[DAL_SWEEP_CONSTRAINTS];
    int n, nconstraints;
    dal_sweep_search spec;
    dal_sweep_found found;
} search;

/* ---- arguments -------------------------------------------------------------------------------- */

/* "c=0:0.08" or "c=0:0.08:0.02" becomes the parameter "c=0:0.08:2". */
static void read_bound(search *s, const char *name, const char *range)
{
    double x[3];
    const int n = range != NULL && s->n < DAL_SWEEP_SEARCHED ? cli_range(x, range) : 0;
    if (n < 2 || name[0] == '\0' || !(x[0] < x[1]) || (n == 3 && !(x[2] >= x[0] && x[2] <= x[1]))) {
        cli_usage("--bound %s%s%s: NAME=MIN:MAX or NAME=MIN:MAX:START is expected, MIN <= START <= MAX", name,
                  range != NULL ? "=" : "", range != NULL ? range : "");
    }
    const size_t first = strcspn(range, ":") + 1, both = first + strcspn(range + first, ":");
    s->start[s->n] = n == 3 ? x[2] : 0.5 * (x[0] + x[1]);
    s->name[s->n] = cli_copy(name);
    s->job->parameter[s->n++] = cli_text("%s=%.*s:2", name, (int)both, range);
}

/* "functions.u.y.0..99=-1:1" are the bounds of all of them. */
static void read_series(search *s, const char *text)
{
    const size_t n = strcspn(text, "=");
    char *names = cli_series(cli_text("%.*s", (int)n, text));
    for (char *name = names, *comma; name != NULL; name = comma) {
        comma = strchr(name, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        read_bound(s, name, text[n] == '=' ? text + n + 1 : NULL);
    }
}

static void read_bounds(search *s)
{
    sweep_job *job = s->job;
    const char *text;
    if (job->spec.nparameters > 0 || job->spec.nrows > 0) {
        cli_usage("parameters that are searched for have bounds: --bound NAME=MIN:MAX, not --vary, --random or --rows");
    }
    for (int k = 0; (text = cli_value_at(job->args, "bound", k)) != NULL; ++k) {
        read_series(s, text);
    }
    if (s->n == 0) {
        cli_usage("what may vary? --bound NAME=MIN:MAX");
    }
    s->spec = (dal_sweep_search){.start = s->start,
                                 .evaluations = cli_whole(job->args, "evaluations"),
                                 .tolerance = cli_real(job->args, "tolerance"),
                                 .method = (dal_sweep_method)cli_whole(job->args, "method"),
                                 .limit = s->limit,
                                 .above = s->above};
    job->spec.parameter = job->parameter;
    job->spec.nparameters = s->n;
    job->spec.design = DAL_SWEEP_RANDOM; // a grid of many would have too many members
    job->spec.samples = 1;
}

/* "min(EXPR)" or "max(EXPR)" around a collected expression. */
static void read_goal(search *s, const char *text)
{
    const size_t n = strlen(text);
    s->spec.largest = strncmp(text, "max(", 4) == 0;
    if ((!s->spec.largest && strncmp(text, "min(", 4) != 0) || text[n - 1] != ')') {
        cli_usage("--optimize '%s': min(EXPR) or max(EXPR) is expected, as min(final(energy)) or max(min(A.force))",
                  text);
    }
    s->job->collect[0] = cli_text("%.*s", (int)n - 5, text + 4);
}

static void read_constraint(search *s, const char *text)
{
    const char *le = strstr(text, "<="), *ge = strstr(text, ">="), *at = le != NULL ? le : ge;
    const int k = s->nconstraints;
    if (at == NULL || k == DAL_SWEEP_CONSTRAINTS || !cli_number(&s->limit[k], at + 2 + strspn(at + 2, " "))) {
        cli_usage("--constraint '%s': EXPR<=NUMBER or EXPR>=NUMBER is expected, at most %d", text,
                  DAL_SWEEP_CONSTRAINTS);
    }
    s->above[k] = le == NULL;
    s->job->collect[++s->nconstraints] = cli_text("%.*s", (int)(at - text), text);
}

static void read_goals(search *s)
{
    const cli_args *args = s->job->args;
    const char *text;
    read_goal(s, cli_value(args, "optimize"));
    for (int k = 0; (text = cli_value_at(args, "constraint", k)) != NULL; ++k) {
        read_constraint(s, text);
    }
    s->job->spec.collect = s->job->collect;
    s->job->spec.ncollect = s->nconstraints + 1;
}

/* A table: the time in its first column; the names of the others are expressions of outputs. */
static void read_data(search *s, const char *path)
{
    sweep_job *job = s->job;
    sweep_table t;
    sweep_read_table(&t, path);
    const int columns = t.n - 1;
    if (columns == 0) {
        cli_usage("--fit %s: a column of times and at least one of values", path);
    }
    double *measured = cli_alloc((size_t)columns * (size_t)t.rows, sizeof(double));
    job->times = cli_alloc((size_t)t.rows, sizeof(double));
    for (long i = 0; i < t.rows; ++i) {
        job->times[i] = t.x[i * t.n];
        for (int k = 0; k < columns; ++k) {
            measured[k * t.rows + i] = t.x[i * t.n + k + 1];
            job->trajectory[k] = t.name[k + 1];
        }
    }
    job->spec.trajectory = job->trajectory;
    job->spec.ntrajectories = columns;
    job->spec.times = job->times;
    job->spec.ntimes = (int)t.rows;
    s->spec.measured = measured;
}

/* ---- the result ------------------------------------------------------------------------------- */

/* The command that runs the point alone. */
static const char *command_of(const search *s)
{
    const dal_sweep_spec *spec = &s->job->spec;
    cli_string text = {0};
    cli_add(&text, "dalembert run %.1000s", spec->source);
    for (int k = 0; k < spec->nset; ++k) {
        cli_add(&text, " --set %.300s", spec->set[k]);
    }
    for (int k = 0; k < s->n; ++k) {
        cli_add(&text, " --set %.300s=%.17g", s->name[k], s->found.x[k]);
    }
    return text.text;
}

static void put_parameters(cli_answer *a, const search *s, int fit)
{
    const dal_sweep_found *f = &s->found;
    cli_answer *list = answer_list(a, "parameters", 0);
    for (int k = 0; k < s->n; ++k) {
        cli_answer *one = answer_line(list, NULL, "name %s value %g", s->name[k], f->x[k]);
        if (fit) {
            answer_real(one, "error", f->error[k]);
        }
        answer_put(one, "at_bound? %d", f->at_bound[k]);
        if (fit) {
            answer_put(one, "undetermined? %d tied %d together %g", f->undetermined[k], f->tied[k],
                       f->tied[k] > 0 ? f->together[k] : NAN);
        }
    }
}

static void tell(const search *s, int fit)
{
    const dal_sweep_found *f = &s->found;
    cli_answer *a = answer_create();
    answer_put(a, "model %s", dal_sweep_model_name(s->job->sweep));
    if (fit) {
        put_parameters(a, s, 1);
        answer_put(a, "converged? %d rms %g values %d iterations %d", f->converged, f->rms, f->values, f->iterations);
    } else {
        answer_put(a, "value %g converged? %d feasible? %d", f->value[0], f->converged, f->feasible);
        put_parameters(a, s, 0);
        answer_reals(a, "constraints", f->value + 1, s->nconstraints);
        cli_answer *collected = answer_list(a, ".collected", 0);
        for (int k = 0; k <= s->nconstraints; ++k) {
            answer_line(collected, NULL, "name %s value %g", dal_sweep_collect_name(s->job->sweep, k), f->value[k]);
        }
    }
    answer_put(a, "evaluations %ld failed %d gradients? %d command %s", f->evaluations, f->failed, f->gradients,
               command_of(s));
    fputs(answer_string(a, s->job->json ? NULL : fit ? "fit" : "optimize"), stdout);
}

int sweep_search(sweep_job *job)
{
    const char *data = cli_value(job->args, "fit");
    search *s = cli_alloc(1, sizeof *s);
    const dal_sweep_found *f = &s->found;
    s->job = job;
    read_bounds(s);
    if (data != NULL) {
        read_data(s, data);
    } else {
        read_goals(s);
    }
    sweep_try(job, dal_sweep_create(&job->sweep, job->ctx, &job->spec));
    CLI_OWN(dal_sweep, job->sweep);
    const dal_status st = data != NULL ? dal_sweep_fit(job->sweep, &s->found, &s->spec)
                                       : dal_sweep_optimize(job->sweep, &s->found, &s->spec);
    cli_try(job->ctx, st == DAL_NOCONV ? st : DAL_OK, CLI_INTEGRATION);
    sweep_try(job, st);
    tell(s, data != NULL);
    if (data == NULL && !f->feasible) {
        return cli_error(CLI_CHECK, "no parameters satisfy all constraints; the nearest are shown");
    }
    return f->converged
               ? CLI_OK
               : cli_error(CLI_CHECK,
                           "the search did not converge in %ld runs%s: the best so far is shown; begin there (--bound "
                           "NAME=MIN:MAX:START), or allow more (--evaluations)",
                           f->evaluations, f->failed > 0 ? ", some of which failed" : "");
}
