/* Parameters that are searched for between bounds: a best value (--optimize), or measured data (--fit). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/sweep.h"

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
static int read_bound(search *s, const char *text)
{
    double x[3];
    const char *equals = strchr(text, '=');
    const int n = equals != NULL && s->n < DAL_SWEEP_SEARCHED ? cli_range(x, equals + 1) : 0;
    if (n < 2 || equals == text || !(x[0] < x[1]) || (n == 3 && !(x[2] >= x[0] && x[2] <= x[1]))) {
        return cli_usage("--bound %s: NAME=MIN:MAX or NAME=MIN:MAX:START is expected, MIN <= START <= MAX", text);
    }
    const size_t first = strcspn(equals, ":") + 1, both = first + strcspn(equals + first, ":");
    char *parameter = sweep_keep(s->job, text, (size_t)(equals - text) + both + 2);
    memcpy(parameter + (equals - text) + both, ":2", 3);
    s->start[s->n] = n == 3 ? x[2] : 0.5 * (x[0] + x[1]);
    s->name[s->n] = sweep_keep(s->job, text, (size_t)(equals - text));
    s->job->parameter[s->n++] = parameter;
    return CLI_OK;
}

/* "functions.u.y.0..99=-1:1" are the bounds of all of them. */
static int read_series(search *s, const char *text)
{
    const size_t n = strcspn(text, "=");
    char *names = cli_series(sweep_keep(s->job, text, n));
    int code = CLI_OK;
    for (const char *name = names; code == CLI_OK;) {
        const size_t length = strcspn(name, ",");
        char *one = sweep_keep(s->job, name, length + strlen(text + n));
        memcpy(one + length, text + n, strlen(text + n) + 1);
        code = read_bound(s, one);
        if (name[length] == '\0') {
            break;
        }
        name += length + 1;
    }
    free(names);
    return code;
}

static int read_bounds(search *s)
{
    sweep_job *job = s->job;
    const char *text;
    int code = CLI_OK;
    if (job->spec.nparameters > 0 || job->spec.nrows > 0) {
        return cli_usage(
            "parameters that are searched for have bounds: --bound NAME=MIN:MAX, not --vary, --random or --rows");
    }
    for (int k = 0; code == CLI_OK && (text = cli_value_at(job->args, "bound", k)) != NULL; ++k) {
        code = read_series(s, text);
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
    return code != CLI_OK || s->n > 0 ? code : cli_usage("what may vary? --bound NAME=MIN:MAX");
}

/* "min(EXPR)" or "max(EXPR)" around a collected expression. */
static int read_goal(search *s, const char *text)
{
    const size_t n = strlen(text);
    s->spec.largest = strncmp(text, "max(", 4) == 0;
    if ((!s->spec.largest && strncmp(text, "min(", 4) != 0) || text[n - 1] != ')') {
        return cli_usage(
            "--optimize '%s': min(EXPR) or max(EXPR) is expected, as min(final(energy)) or max(min(A.force))", text);
    }
    s->job->collect[0] = sweep_keep(s->job, text + 4, n - 5);
    return CLI_OK;
}

static int read_constraint(search *s, const char *text)
{
    const char *le = strstr(text, "<="), *ge = strstr(text, ">="), *at = le != NULL ? le : ge;
    const int k = s->nconstraints;
    if (at == NULL || k == DAL_SWEEP_CONSTRAINTS || !cli_number(&s->limit[k], at + 2 + strspn(at + 2, " "))) {
        return cli_usage("--constraint '%s': EXPR<=NUMBER or EXPR>=NUMBER is expected, at most %d", text,
                         DAL_SWEEP_CONSTRAINTS);
    }
    s->above[k] = le == NULL;
    s->job->collect[++s->nconstraints] = sweep_keep(s->job, text, (size_t)(at - text));
    return CLI_OK;
}

static int read_goals(search *s)
{
    const cli_args *args = s->job->args;
    const char *text;
    int code = read_goal(s, cli_value(args, "optimize"));
    for (int k = 0; code == CLI_OK && (text = cli_value_at(args, "constraint", k)) != NULL; ++k) {
        code = read_constraint(s, text);
    }
    s->job->spec.collect = s->job->collect;
    s->job->spec.ncollect = s->nconstraints + 1;
    return code;
}

/* A table: the time in its first column; the names of the others are expressions of outputs. */
static int read_data(search *s, const char *path, double **measured)
{
    sweep_job *job = s->job;
    sweep_table t;
    const int code = sweep_read_table(job, &t, path), columns = t.n - 1;
    if (code == CLI_OK && columns > 0) {
        *measured = cli_alloc((size_t)columns * (size_t)t.rows, sizeof(double));
        job->times = cli_alloc((size_t)t.rows, sizeof(double));
        for (long i = 0; i < t.rows; ++i) {
            job->times[i] = t.x[i * t.n];
            for (int k = 0; k < columns; ++k) {
                (*measured)[k * t.rows + i] = t.x[i * t.n + k + 1];
            }
        }
    }
    for (int k = 0; k < columns; ++k) {
        job->trajectory[k] = t.name[k + 1];
    }
    free(t.x);
    job->spec.trajectory = job->trajectory;
    job->spec.ntrajectories = columns;
    job->spec.times = job->times;
    job->spec.ntimes = (int)t.rows;
    s->spec.measured = *measured;
    return code != CLI_OK || columns > 0 ? code
                                         : cli_usage("--fit %s: a column of times and at least one of values", path);
}

/* ---- the result ------------------------------------------------------------------------------- */

/* The command that runs the point alone. */
static void command_of(const search *s, char *text, size_t size)
{
    const dal_sweep_spec *spec = &s->job->spec;
    size_t n = (size_t)snprintf(text, size, "dalembert run %.1000s", spec->source);
    for (int k = 0; k < spec->nset && n < size; ++k) {
        n += (size_t)snprintf(text + n, size - n, " --set %.300s", spec->set[k]);
    }
    for (int k = 0; k < s->n && n < size; ++k) {
        n += (size_t)snprintf(text + n, size - n, " --set %.300s=%.17g", s->name[k], s->found.x[k]);
    }
}

static void put_parameters(cli_answer *a, const search *s, int fit)
{
    const dal_sweep_found *f = &s->found;
    cli_answer *list = answer_list(a, "parameters", 0);
    for (int k = 0; k < s->n; ++k) {
        cli_answer *one = answer_object(list, NULL, 1);
        answer_put(one, "name %s value %g", s->name[k], f->x[k]);
        if (fit) {
            answer_real(one, "error", f->error[k]);
        }
        answer_put(one, "at_bound? %d", f->at_bound[k]);
        if (fit) {
            answer_put(one, "undetermined? %d tied %d", f->undetermined[k], f->tied[k]);
            answer_real(one, "together", f->tied[k] > 0 ? f->together[k] : NAN);
        }
    }
}

static void tell(const search *s, int fit)
{
    const dal_sweep_found *f = &s->found;
    char command[SWEEP_COMMAND];
    cli_answer *a = answer_create();
    command_of(s, command, sizeof command);
    answer_put(a, "model %s", dal_sweep_model_name(s->job->sweep));
    if (fit) {
        put_parameters(a, s, 1);
        answer_put(a, "converged? %d rms %g values %d iterations %d", f->converged, f->rms, f->values, f->iterations);
    } else {
        answer_put(a, "value %g converged? %d feasible? %d", f->value[0], f->converged, f->feasible);
        put_parameters(a, s, 0);
        answer_reals(a, "constraints", f->value + 1, s->nconstraints);
        cli_answer *collected = answer_hidden(a, "collected");
        for (int k = 0; k <= s->nconstraints; ++k) {
            answer_put(answer_object(collected, NULL, 0), "name %s value %g", dal_sweep_collect_name(s->job->sweep, k),
                       f->value[k]);
        }
    }
    answer_put(a, "evaluations %ld failed %d gradients? %d command %s", f->evaluations, f->failed, f->gradients,
               command);
    if (s->job->json) {
        answer_json(a, stdout);
    } else {
        answer_print(a, fit ? "fit" : "optimize", stdout);
    }
    answer_release(a);
}

static int conclude(const search *s, dal_status st, int fit)
{
    const dal_sweep_found *f = &s->found;
    if (st == DAL_NOCONV) {
        return cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(s->job->ctx));
    }
    if (st != DAL_OK) {
        return sweep_fail(s->job, st);
    }
    tell(s, fit);
    if (!fit && !f->feasible) {
        return cli_error(CLI_CHECK, "no parameters satisfy all constraints; the nearest are shown");
    }
    return f->converged
               ? CLI_OK
               : cli_error(CLI_CHECK,
                           "the search did not converge in %ld runs%s: the best so far is shown; begin there (--bound "
                           "NAME=MIN:MAX:START), or allow more (--evaluations)",
                           f->evaluations, f->failed > 0 ? ", some of which failed" : "");
}

int sweep_search(sweep_job *job)
{
    const char *data = cli_value(job->args, "fit");
    search *s = cli_alloc(1, sizeof *s);
    double *measured = NULL;
    s->job = job;
    int code = read_bounds(s);
    code = code != CLI_OK ? code : data != NULL ? read_data(s, data, &measured) : read_goals(s);
    if (code == CLI_OK) {
        dal_status st = dal_sweep_create(&job->sweep, job->ctx, &job->spec);
        if (st != DAL_OK) {
            code = sweep_fail(job, st);
        } else {
            st = (data != NULL ? dal_sweep_fit : dal_sweep_optimize)(job->sweep, &s->found, &s->spec);
            code = conclude(s, st, data != NULL);
        }
    }
    free(measured);
    free(s);
    return code;
}
