/* The best parameters between bounds, by optimisers of NLopt: those that use exact gradients where there are some, else, and where
 * they do not converge, those that need none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "search/search_impl.h"

#ifndef DAL_NLOPT
dal_status dal_sweep_optimize_(dal_sweep *sweep, dal_sweep_found *found, const dal_sweep_search *spec, size_t size)
{
    sweep_search s;
    DAL_NEED_AS(NULL, sweep, "sweep");
    DAL_OWN(sweep->ctx, dal_sweep_search, spec);
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
    F(nlopt_result, set_lower_bounds, (nlopt_opt opt, const double *x))                                     \
    F(nlopt_result, set_upper_bounds, (nlopt_opt opt, const double *x))                                     \
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
    int known, sloped;                                 /* sloped: with derivatives */
    char why[1000];                                    /* the last run failed */
    double best, best_violation, worst;                /* best is at search.z */
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

/* Value and constraints of a run at z; 0: it failed. Where there are gradients the values are theirs: sums over the ends of steps,
 * not over curves between them. */
static int run_at(optimum *o, double *value, const double *z, int slopes)
{
    sweep_search *s = &o->search;
    if (s->gradient == NULL) {
        return dal_sweep_search_run(s, value, NULL, z);
    }
    const int ran = dal_sweep_search_slopes(s, slopes ? DAL_GRADIENT_AUTO : DAL_GRADIENT_VALUES, z);
    for (int k = 0; k <= o->nconstraints && ran; ++k) {
        value[k] = dal_gradient_value(s->gradient, k);
    }
    return ran;
}

/* Value and constraints (all to be <= 0) at z. A model that cannot be run there is worse than anything seen. */
static void evaluate(optimum *o, const double *z, int slopes)
{
    const dal_sweep_search *spec = o->search.spec;
    dal_ctx *ctx = o->search.sweep->ctx;
    double value[CONSTRAINTS + 1] = {0.0};
    const size_t bytes = (size_t)o->search.n * sizeof *z;
    if (o->known && (o->sloped || !slopes) && memcmp(z, o->last_z, bytes) == 0) {
        return;
    }
    int ran = run_at(o, value, z, slopes);
    if (ran && !isfinite(value[0])) {
        ran = 0;
        ++o->search.found->failed;
    }
    memcpy(o->last_z, z, bytes);
    o->known = 1;
    o->sloped = slopes;
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
    const sweep_search *s = &p->o->search;
    evaluate(p->o, z, gradient != NULL);
    const double *row = gradient ? dal_gradient_row(s->gradient, p->k) : NULL;
    const int turned = p->k == 0 ? s->spec->largest : s->spec->above[p->k - 1];
    for (unsigned k = 0; k < n && gradient; ++k) { // none where the run failed
        gradient[k] = row ? (turned ? -row[k] : row[k]) * (s->hi[k] - s->lo[k]) : 0.0;
    }
    return p->o->last[p->k];
}

/* ---- searches --------------------------------------------------------------------------------- */

/* From z, to where it ends, at most `reach` away in each direction. 1: it converged. */
static int search(optimum *o, nlopt_algorithm algorithm, double *z, double reach, long evaluations)
{
    double lower[SEARCH_MOST], upper[SEARCH_MOST], value;
    part p[CONSTRAINTS + 1];
    const nlopt *n = &o->nlopt;
    nlopt_opt opt = n->create(algorithm, (unsigned)o->search.n);
    for (int k = 0; k < o->search.n; ++k) {
        lower[k] = fmax(0.0, z[k] - reach);
        upper[k] = fmin(1.0, z[k] + reach);
    }
    n->set_lower_bounds(opt, lower);
    n->set_upper_bounds(opt, upper);
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

static long left(const optimum *o)
{
    return o->search.spec->evaluations - o->search.found->evaluations;
}

/* Derivatives alone say nothing of the length of a first step: the optimisers leap to other valleys. So they may go a tenth of the
 * room between the bounds, and on from there, further, where they end at that. */
static int search_by_slopes(optimum *o, double *z, long evaluations)
{
    const nlopt_algorithm algorithm = o->nconstraints == 0 ? NLOPT_LD_LBFGS : NLOPT_LD_SLSQP;
    const long stop = o->search.found->evaluations + evaluations;
    int converged = 1, inside = 0;
    for (double reach = 0.1; converged && !inside && o->search.found->evaluations < stop; reach *= 2.0) {
        double from[SEARCH_MOST];
        memcpy(from, z, sizeof from);
        converged = search(o, algorithm, z, reach, stop - o->search.found->evaluations);
        inside = 1;
        for (int k = 0; k < o->search.n; ++k) {
            inside &= fabs(z[k] - from[k]) < reach - 1e-9 || z[k] <= 0.0 || z[k] >= 1.0;
        }
    }
    return converged && inside;
}

/* To the nearest best point. */
static int search_near(optimum *o, const double *from, long evaluations)
{
    double z[SEARCH_MOST];
    memcpy(z, from, sizeof z);
    int converged = o->search.gradient && search_by_slopes(o, z, evaluations);
    if (!converged && left(o) > 0) { // BOBYQA knows no constraints and wants two parameters
        memcpy(z, o->search.gradient ? o->search.z : from, sizeof z);
        converged = search(o, o->nconstraints == 0 && o->search.n > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_COBYLA, z, 1.0,
                           evaluations < left(o) ? evaluations : left(o));
    }
    return converged;
}

/* From the start and from points that fill the room between the bounds evenly: multiples of powers of 1/g, g^(n+1) = g + 1. */
static void search_from_many(optimum *o)
{
    enum { STARTS = 10 };
    double g = 2.0, from[SEARCH_MOST];
    for (int k = 0; k < 50; ++k) {
        g = pow(1.0 + g, 1.0 / (o->search.n + 1));
    }
    memcpy(from, o->search.z, sizeof from);
    const long each = left(o) / STARTS;
    for (int i = 0; i < STARTS && left(o) > 0; ++i) {
        o->search.found->converged |= search_near(o, from, each > 1 ? each : 1);
        for (int k = 0; k < o->search.n; ++k) {
            from[k] = fmod(0.5 + (i + 1) * pow(g, -(k + 1)), 1.0);
        }
    }
}

static void perform(optimum *o)
{
    const dal_sweep_search *spec = o->search.spec;
    evaluate(o, o->search.z, 0);
    if (spec->method == DAL_SWEEP_MULTISTART) {
        search_from_many(o);
        return;
    }
    if (spec->method == DAL_SWEEP_GLOBAL) {
        o->nlopt.srand((unsigned long)o->search.sweep->seed + 1);
        double z[SEARCH_MOST];
        memcpy(z, o->search.z, sizeof z);
        search(o, o->nconstraints > 0 ? NLOPT_GN_ISRES : NLOPT_GN_DIRECT_L, z, 1.0, spec->evaluations * 2 / 3);
    }
    if (left(o) > 0) {
        o->search.found->converged = search_near(o, o->search.z, left(o));
    }
}

dal_status dal_sweep_optimize_(dal_sweep *sweep, dal_sweep_found *found, const dal_sweep_search *spec, size_t size)
{
    optimum o = {.best_violation = INFINITY, .worst = -1e300};
    DAL_NEED_AS(NULL, sweep, "sweep");
    DAL_OWN(sweep->ctx, dal_sweep_search, spec);
    DAL_TRY(dal_sweep_search_init(&o.search, sweep, found, spec));
    o.nconstraints = sweep->ncollect - 1;
    if (o.nconstraints < 0 || o.nconstraints > CONSTRAINTS) {
        return dal_fail(sweep->ctx, DAL_EOPTION, "a search collects what it looks for, then up to %d constraints",
                        CONSTRAINTS);
    }
    DAL_TRY(load_nlopt(sweep->ctx, &o.nlopt));
    DAL_TRY(dal_sweep_search_differentiate(&o.search, NULL, 0));
    perform(&o);
    dal_sweep_search_end(&o.search, 1e-9);
    found->feasible = o.best_violation <= allowed;
    return found->evaluations > found->failed && dal_sweep_evaluate(sweep, found->value, NULL, found->x) == DAL_OK
               ? DAL_OK
               : dal_fail(sweep->ctx, DAL_NOCONV, "no run of the model succeeded: %s", o.why);
}
#endif
