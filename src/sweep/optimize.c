/* The best parameters between bounds, by optimisers of NLopt that need no derivatives. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/search_impl.h"

#ifndef DAL_NLOPT
dal_status dal_sweep_optimize(dal_sweep *sweep, dal_sweep_found *found, const dal_sweep_search *spec)
{
    sweep_search s;
    DAL_TRY(dal_sweep_search_init(&s, sweep, found, spec));
    return dal_fail(
        sweep->ctx, DAL_EOPTION,
        "--optimize: this program was built without NLopt (on Debian: apt-get install libnlopt-dev, and build anew)");
}
#else
#include <dlfcn.h>
#include <nlopt.h>

/* NLopt is loaded when it is needed: its C++ library would make every start of a program slower. */
#define NLOPT_FUNCTIONS(F)                                                                                  \
    F(nlopt_opt, create, (nlopt_algorithm algorithm, unsigned n))                                           \
    F(void, destroy, (nlopt_opt opt))                                                                       \
    F(nlopt_result, optimize, (nlopt_opt opt, double *x, double *value))                                    \
    F(nlopt_result, set_min_objective, (nlopt_opt opt, nlopt_func f, void *user))                           \
    F(nlopt_result, add_inequality_constraint, (nlopt_opt opt, nlopt_func f, void *user, double tolerance)) \
    F(nlopt_result, set_lower_bounds1, (nlopt_opt opt, double x))                                           \
    F(nlopt_result, set_upper_bounds1, (nlopt_opt opt, double x))                                           \
    F(nlopt_result, set_xtol_abs1, (nlopt_opt opt, double tolerance))                                       \
    F(nlopt_result, set_initial_step1, (nlopt_opt opt, double step))                                        \
    F(nlopt_result, set_maxeval, (nlopt_opt opt, int n))                                                    \
    F(void, srand, (unsigned long seed))
#define MEMBER(result, name, arguments) result(*name) arguments;
#define PLACE(result, name, arguments) {"nlopt_" #name, &n->name},

typedef struct nlopt {
    NLOPT_FUNCTIONS(MEMBER)
} nlopt;

static dal_status load_nlopt(dal_ctx *ctx, nlopt *n)
{
    const struct {
        const char *name;
        void *to;
    } list[] = {NLOPT_FUNCTIONS(PLACE)};
    void *library = dlopen(DAL_NLOPT, RTLD_NOW);
    int good = library != NULL;
    for (size_t k = 0; k < sizeof list / sizeof list[0] && good; ++k) {
        void *symbol = dlsym(library, list[k].name);
        memcpy(list[k].to, &symbol, sizeof symbol); // POSIX: functions and objects have pointers of one size
        good = symbol != NULL;
    }
    return good ? DAL_OK
                : dal_fail(ctx, DAL_EOPTION,
                           "--optimize needs NLopt, and '%s' cannot be loaded (on Debian: apt-get install libnlopt0)",
                           DAL_NLOPT);
}

enum { CONSTRAINTS = DAL_SWEEP_CONSTRAINTS };
static const double allowed = 1e-6; // violation of a constraint

typedef struct optimum {
    sweep_search search;
    nlopt nlopt;
    int nconstraints;
    double last_z[SEARCH_MOST], last[CONSTRAINTS + 1]; /* the last run: one run gives value and constraints */
    int known;
    char why[1000];                     /* the last run failed */
    double best, best_violation, worst; /* best is at search.z */
} optimum;

/* ---- one run ---------------------------------------------------------------------------------- */

static void keep_best(optimum *o)
{
    double off = 0.0;
    for (int k = 0; k < o->nconstraints; ++k) {
        off = fmax(off, o->last[k + 1]);
    }
    const int better = off <= allowed ? o->best_violation > allowed || o->last[0] < o->best : off < o->best_violation;
    if (better) {
        memcpy(o->search.z, o->last_z, sizeof o->search.z);
        o->best = o->last[0];
        o->best_violation = off;
    }
}

/* Value and constraints (all to be <= 0) at z. A model that cannot be run there is worse than anything seen. */
static void evaluate(optimum *o, const double *z)
{
    const dal_sweep_search *spec = o->search.spec;
    dal_ctx *ctx = o->search.sweep->ctx;
    double value[CONSTRAINTS + 1];
    const size_t bytes = (size_t)o->search.n * sizeof *z;
    if (o->known && memcmp(z, o->last_z, bytes) == 0) {
        return;
    }
    int ran = dal_sweep_search_run(&o->search, value, NULL, z);
    if (ran && !isfinite(value[0])) {
        ran = 0;
        ++o->search.found->failed;
    }
    memcpy(o->last_z, z, bytes);
    o->known = 1;
    if (!ran) {
        const char *message = dal_ctx_message(ctx);
        snprintf(o->why, sizeof o->why, "%s", message[0] != '\0' ? message : "the value is not finite");
        dal_ctx_clear(ctx);
    }
    o->last[0] = ran                 ? (spec->largest ? -value[0] : value[0])
                 : o->worst > -1e300 ? o->worst + 1.0 + fabs(o->worst)
                                     : 1e100;
    for (int k = 0; k < o->nconstraints; ++k) {
        const double c = ran && isfinite(value[k + 1]) ? value[k + 1] - spec->limit[k] : 1e3;
        o->last[k + 1] = ran && spec->above[k] ? -c : c;
    }
    if (ran) {
        o->worst = fmax(o->worst, o->last[0]);
        keep_best(o);
    }
}

/* Number k of a run: the objective, then the constraints. */
typedef struct part {
    optimum *o;
    int k;
} part;

static double part_value(unsigned n, const double *z, double *gradient, void *user)
{
    const part *p = user;
    (void)n, (void)gradient;
    evaluate(p->o, z);
    return p->o->last[p->k];
}

/* ---- searches --------------------------------------------------------------------------------- */

/* From the best point so far. 1: it converged. */
static int search(optimum *o, nlopt_algorithm algorithm, long evaluations)
{
    double z[SEARCH_MOST], value;
    part p[CONSTRAINTS + 1];
    const nlopt *n = &o->nlopt;
    nlopt_opt opt = n->create(algorithm, (unsigned)o->search.n);
    memcpy(z, o->search.z, sizeof z);
    n->set_lower_bounds1(opt, 0.0);
    n->set_upper_bounds1(opt, 1.0);
    for (int k = 0; k <= o->nconstraints; ++k) {
        p[k] = (part){o, k};
        if (k == 0) {
            n->set_min_objective(opt, part_value, &p[k]);
        } else {
            n->add_inequality_constraint(opt, part_value, &p[k], 1e-8);
        }
    }
    n->set_xtol_abs1(opt, o->search.spec->tolerance);
    n->set_maxeval(opt, (int)evaluations);
    n->set_initial_step1(opt, 0.1);
    const nlopt_result result = n->optimize(opt, z, &value);
    n->destroy(opt);
    return (result > 0 && result != NLOPT_MAXEVAL_REACHED) || result == NLOPT_ROUNDOFF_LIMITED;
}

static void perform(optimum *o)
{
    const dal_sweep_search *spec = o->search.spec;
    evaluate(o, o->search.z);
    if (spec->global) {
        o->nlopt.srand((unsigned long)o->search.sweep->seed + 1);
        search(o, o->nconstraints > 0 ? NLOPT_GN_ISRES : NLOPT_GN_DIRECT_L, spec->evaluations * 2 / 3);
    }
    const long left = spec->evaluations - o->search.found->evaluations;
    if (left > 0) { // BOBYQA knows no constraints and wants two parameters
        o->search.found->converged =
            search(o, o->nconstraints == 0 && o->search.n > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_COBYLA, left);
    }
}

dal_status dal_sweep_optimize(dal_sweep *sweep, dal_sweep_found *found, const dal_sweep_search *spec)
{
    optimum o = {.best_violation = INFINITY, .worst = -1e300};
    DAL_TRY(dal_sweep_search_init(&o.search, sweep, found, spec));
    o.nconstraints = sweep->ncollect - 1;
    if (o.nconstraints < 0 || o.nconstraints > CONSTRAINTS) {
        return dal_fail(sweep->ctx, DAL_EOPTION, "a search collects what it looks for, then up to %d constraints",
                        CONSTRAINTS);
    }
    DAL_TRY(load_nlopt(sweep->ctx, &o.nlopt));
    perform(&o);
    dal_sweep_search_end(&o.search, 1e-9);
    found->feasible = o.best_violation <= allowed;
    return found->evaluations > found->failed && dal_sweep_evaluate(sweep, found->value, NULL, found->x) == DAL_OK
               ? DAL_OK
               : dal_fail(sweep->ctx, DAL_NOCONV, "no run of the model succeeded: %s", o.why);
}
#endif
