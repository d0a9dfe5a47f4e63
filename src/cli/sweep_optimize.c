/* The best parameters between bounds, by optimisers of NLopt that need no derivatives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/signals.h"
#include "cli/sweep_search.h"

#ifndef DAL_NLOPT
int sweep_optimize(sweep_job *job)
{
    (void)job;
    return cli_error(
        "sweep", CLI_USAGE,
        "--optimize: this program was built without NLopt (on Debian: apt-get install libnlopt-dev, and build anew)");
}
#else
#include <dlfcn.h>
#include <nlopt.h>

/* NLopt is loaded when it is needed: its C++ library would make every start of the tool slower. */
typedef struct nlopt {
    nlopt_opt (*create)(nlopt_algorithm algorithm, unsigned n);
    void (*destroy)(nlopt_opt opt);
    nlopt_result (*optimize)(nlopt_opt opt, double *x, double *value);
    nlopt_result (*set_min_objective)(nlopt_opt opt, nlopt_func f, void *user);
    nlopt_result (*add_inequality_constraint)(nlopt_opt opt, nlopt_func f, void *user, double tolerance);
    nlopt_result (*set_lower_bounds)(nlopt_opt opt, const double *x);
    nlopt_result (*set_upper_bounds)(nlopt_opt opt, const double *x);
    nlopt_result (*set_xtol_abs1)(nlopt_opt opt, double tolerance);
    nlopt_result (*set_initial_step1)(nlopt_opt opt, double step);
    nlopt_result (*set_maxeval)(nlopt_opt opt, int n);
    void (*srand)(unsigned long seed);
} nlopt;

static int load_nlopt(nlopt *n)
{
    const struct {
        const char *name;
        void *to;
    } list[] = {{"nlopt_create", &n->create},
                {"nlopt_destroy", &n->destroy},
                {"nlopt_optimize", &n->optimize},
                {"nlopt_set_min_objective", &n->set_min_objective},
                {"nlopt_add_inequality_constraint", &n->add_inequality_constraint},
                {"nlopt_set_lower_bounds", &n->set_lower_bounds},
                {"nlopt_set_upper_bounds", &n->set_upper_bounds},
                {"nlopt_set_xtol_abs1", &n->set_xtol_abs1},
                {"nlopt_set_initial_step1", &n->set_initial_step1},
                {"nlopt_set_maxeval", &n->set_maxeval},
                {"nlopt_srand", &n->srand}};
    void *library = dlopen(DAL_NLOPT, RTLD_NOW);
    int good = library != NULL;
    for (int k = 0; k < CLI_LEN(list) && good; ++k) {
        void *symbol = dlsym(library, list[k].name);
        memcpy(list[k].to, &symbol, sizeof symbol); // POSIX: functions and objects have pointers of one size
        good = symbol != NULL;
    }
    return good ? CLI_OK
                : cli_error("sweep", CLI_USAGE,
                            "--optimize needs NLopt, and '%s' cannot be loaded (on Debian: apt-get install libnlopt0)",
                            DAL_NLOPT);
}

enum { CONSTRAINTS = 20, COMMAND = 8000 };

typedef struct optimum {
    sweep_search search;
    nlopt nlopt;
    int sign; /* -1: the largest value is looked for */
    int nconstraints;
    double limit[CONSTRAINTS]; /* EXPR <= limit; those with >= have both signs changed */
    int flipped[CONSTRAINTS];
    double last_z[SEARCH_PARAMETERS], last[CONSTRAINTS + 1]; /* the last run: one run gives value and constraints */
    int known, converged;
    char why[1000]; /* the last run failed */
    double best_z[SEARCH_PARAMETERS], best, worst;
    double best_violation;
} optimum;

/* ---- one run ---------------------------------------------------------------------------------- */

static double violation(const optimum *o, const double *value)
{
    double most = 0.0;
    for (int k = 0; k < o->nconstraints; ++k) {
        most = fmax(most, value[k + 1]);
    }
    return most;
}

static void keep_best(optimum *o)
{
    const double off = violation(o, o->last), allowed = 1e-6;
    const int better = off <= allowed ? o->best_violation > allowed || o->last[0] < o->best : off < o->best_violation;
    if (better) {
        memcpy(o->best_z, o->last_z, sizeof o->best_z);
        o->best = o->last[0];
        o->best_violation = off;
    }
}

/* Value and constraints (all to be <= 0) at z. A model that cannot be run there is worse than anything seen. */
static void evaluate(optimum *o, const double *z)
{
    double x[SEARCH_PARAMETERS], value[CONSTRAINTS + 1];
    const int n = o->search.n;
    if (o->known && memcmp(z, o->last_z, (size_t)n * sizeof *z) == 0) {
        return;
    }
    search_point(&o->search, x, z);
    ++o->search.evaluations;
    const int ran = dal_sweep_evaluate(o->search.job->sweep, value, NULL, x) == DAL_OK && isfinite(value[0]);
    memcpy(o->last_z, z, (size_t)n * sizeof *z);
    o->known = 1;
    o->search.failed += !ran;
    if (!ran) {
        const char *message = dal_ctx_message(o->search.job->ctx);
        snprintf(o->why, sizeof o->why, "%s", message[0] != '\0' ? message : "the value is not finite");
        dal_ctx_clear(o->search.job->ctx);
    }
    o->last[0] = ran ? o->sign * value[0] : o->worst > -1e300 ? o->worst + 1.0 + fabs(o->worst) : 1e100;
    for (int k = 0; k < o->nconstraints; ++k) {
        const double c = ran && isfinite(value[k + 1]) ? value[k + 1] - o->limit[k] : 1e3;
        o->last[k + 1] = ran && o->flipped[k] ? -c : c;
    }
    if (ran) {
        o->worst = fmax(o->worst, o->last[0]);
        keep_best(o);
    }
}

static double objective(unsigned n, const double *z, double *gradient, void *user)
{
    optimum *o = user;
    (void)n, (void)gradient;
    evaluate(o, z);
    return o->last[0];
}

typedef struct constraint {
    optimum *o;
    int k;
} constraint;

static double constraint_value(unsigned n, const double *z, double *gradient, void *user)
{
    const constraint *c = user;
    (void)n, (void)gradient;
    evaluate(c->o, z);
    return c->o->last[c->k + 1];
}

/* ---- searches --------------------------------------------------------------------------------- */

static int search(optimum *o, nlopt_algorithm algorithm, const double *start, long evaluations)
{
    double lo[SEARCH_PARAMETERS] = {0.0}, hi[SEARCH_PARAMETERS], z[SEARCH_PARAMETERS], value;
    constraint c[CONSTRAINTS];
    const int n = o->search.n;
    nlopt_opt opt = o->nlopt.create(algorithm, (unsigned)n);
    for (int k = 0; k < n; ++k) {
        hi[k] = 1.0;
        z[k] = start[k];
    }
    o->nlopt.set_lower_bounds(opt, lo);
    o->nlopt.set_upper_bounds(opt, hi);
    o->nlopt.set_min_objective(opt, objective, o);
    for (int k = 0; k < o->nconstraints; ++k) {
        c[k] = (constraint){o, k};
        o->nlopt.add_inequality_constraint(opt, constraint_value, &c[k], 1e-8);
    }
    o->nlopt.set_xtol_abs1(opt, o->search.tolerance);
    o->nlopt.set_maxeval(opt, (int)evaluations);
    o->nlopt.set_initial_step1(opt, 0.1);
    const nlopt_result result = o->nlopt.optimize(opt, z, &value);
    o->nlopt.destroy(opt);
    return (result > 0 && result != NLOPT_MAXEVAL_REACHED) || result == NLOPT_ROUNDOFF_LIMITED;
}

static void perform_search(optimum *o, int global)
{
    double z[SEARCH_PARAMETERS] = {0.0};
    for (int k = 0; k < o->search.n; ++k) {
        z[k] = (o->search.start[k] - o->search.lo[k]) / (o->search.hi[k] - o->search.lo[k]);
    }
    evaluate(o, z);
    if (global) {
        o->nlopt.srand((unsigned long)o->search.job->spec.seed + 1);
        search(o, o->nconstraints > 0 ? NLOPT_GN_ISRES : NLOPT_GN_DIRECT_L, z, o->search.most * 2 / 3);
        memcpy(z, o->best_z, sizeof z);
    }
    const long left = o->search.most - o->search.evaluations;
    if (left > 0) { // BOBYQA knows no constraints and wants two parameters
        o->converged = search(o, o->nconstraints == 0 && o->search.n > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_COBYLA, z, left);
    }
}

/* ---- arguments -------------------------------------------------------------------------------- */

/* "min(EXPR)" or "max(EXPR)" around a collected expression. */
static int read_goal(optimum *o, const char *text)
{
    sweep_job *job = o->search.job;
    const size_t n = strlen(text);
    const int max = strncmp(text, "max(", 4) == 0;
    if ((!max && strncmp(text, "min(", 4) != 0) || text[n - 1] != ')') {
        return cli_usage(
            "sweep", "--optimize '%s': min(EXPR) or max(EXPR) is expected, as min(final(energy)) or max(min(A.force))",
            text);
    }
    o->sign = max ? -1 : 1;
    job->collect[0] = sweep_keep(job, text + 4, n - 5);
    job->spec.ncollect = 1;
    return job->collect[0] != NULL ? CLI_OK : cli_usage("sweep", "too many texts");
}

static int read_constraint(optimum *o, const char *text)
{
    sweep_job *job = o->search.job;
    const char *le = strstr(text, "<="), *ge = strstr(text, ">="), *at = le != NULL ? le : ge;
    const int k = o->nconstraints;
    if (at == NULL || k == CONSTRAINTS || !cli_number(&o->limit[k], at + 2 + strspn(at + 2, " "))) {
        return cli_usage("sweep", "--constraint '%s': EXPR<=NUMBER or EXPR>=NUMBER is expected, at most %d", text,
                         CONSTRAINTS);
    }
    o->flipped[k] = le == NULL;
    job->collect[k + 1] = sweep_keep(job, text, (size_t)(at - text));
    job->spec.ncollect = k + 2;
    ++o->nconstraints;
    return job->collect[k + 1] != NULL ? CLI_OK : cli_usage("sweep", "too many texts");
}

static int read_arguments(optimum *o, sweep_job *job, int *global)
{
    const char *text;
    int code = search_read(&o->search, job);
    code = code != CLI_OK ? code : read_goal(o, sweep_flag(job, "optimize"));
    for (int k = 0; code == CLI_OK && (text = cli_value_at(job->args, "constraint", k)) != NULL; ++k) {
        code = read_constraint(o, text);
    }
    *global = cli_whole(job->args, "method");
    job->spec.collect = job->collect;
    return code;
}

/* ---- the result ------------------------------------------------------------------------------- */

static void print_result(const optimum *o, const double *x, const double *value, const char *command)
{
    const sweep_search *s = &o->search;
    const dal_sweep *sweep = s->job->sweep;
    if (!s->job->json) {
        for (int k = 0; k < s->n; ++k) {
            cli_print("%-20s %.9g\n", s->name[k], x[k]);
        }
        for (int k = 0; k <= o->nconstraints; ++k) {
            cli_print("%-20s %.9g\n", dal_sweep_collect_name(sweep, k), value[k]);
        }
        cli_print("%ld runs, %d failed\n  %s\n", s->evaluations, s->failed, command);
        return;
    }
    cli_json j = cli_json_to(stdout);
    cli_json_open(&j, NULL, '{', 0);
    cli_json_text(&j, "model", dal_sweep_model_name(sweep));
    cli_json_real(&j, "value", value[0]);
    cli_json_flag(&j, "converged", o->converged);
    cli_json_flag(&j, "feasible", o->best_violation <= 1e-6);
    cli_json_open(&j, "parameters", '[', 0);
    for (int k = 0; k < s->n; ++k) {
        cli_json_open(&j, NULL, '{', 1);
        cli_json_text(&j, "name", s->name[k]);
        cli_json_real(&j, "value", x[k]);
        cli_json_flag(&j, "at_bound", o->best_z[k] <= 1e-9 || o->best_z[k] >= 1.0 - 1e-9);
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_reals(&j, "constraints", value + 1, o->nconstraints);
    cli_json_whole(&j, "evaluations", s->evaluations);
    cli_json_whole(&j, "failed", s->failed);
    cli_json_text(&j, "command", command);
    cli_json_close(&j, '}');
    cli_json_end(&j);
}

static int finish(optimum *o)
{
    double x[SEARCH_PARAMETERS], value[CONSTRAINTS + 1];
    char command[COMMAND];
    sweep_job *job = o->search.job;
    search_point(&o->search, x, o->best_z);
    if (o->search.evaluations == o->search.failed || dal_sweep_evaluate(job->sweep, value, NULL, x) != DAL_OK) {
        return cli_error("sweep", CLI_INTEGRATION, "no run of the model succeeded: %s", o->why);
    }
    search_command(&o->search, command, sizeof command, x);
    print_result(o, x, value, command);
    if (o->best_violation > 1e-6) {
        return cli_error("sweep", CLI_CHECK, "no parameters satisfy all constraints; the nearest are shown");
    }
    return o->converged ? CLI_OK : search_unconverged(&o->search);
}

int sweep_optimize(sweep_job *job)
{
    optimum *o = cli_alloc(1, sizeof *o);
    int global;
    o->best_violation = INFINITY;
    o->worst = -1e300;
    int code = read_arguments(o, job, &global);
    code = code != CLI_OK ? code : load_nlopt(&o->nlopt);
    if (code == CLI_OK) {
        const dal_status st = dal_sweep_create(&job->sweep, job->ctx, &job->spec);
        code = st == DAL_OK ? CLI_OK : sweep_fail(job, st);
    }
    if (code == CLI_OK) {
        perform_search(o, global);
        code = finish(o);
    }
    free(o);
    return code;
}
#endif
