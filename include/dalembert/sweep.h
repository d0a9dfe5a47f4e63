/* dalembert/sweep.h - the same model many times (docs/user/sweep.md).
 *
 *     dal_sweep_create -> dal_sweep_run -> dal_sweep_save, dal_sweep_statistics -> dal_sweep_destroy
 *
 * A sweep has members 0 .. n - 1. What member k is depends on the description and on k alone: not on threads, order,
 * machine or earlier members. A member that fails is recorded with its message; the others are not concerned.
 *
 * With a journal every member is on the disk as soon as it is done. A program that is killed at any time loses the members
 * in flight; dal_sweep_run with `resume` does the rest, and the file of results is the same, byte for byte. */
#ifndef DALEMBERT_SWEEP_H
#define DALEMBERT_SWEEP_H

#include "dalembert/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- description ------------------------------------------------------------------------------ */

typedef enum dal_sweep_design {
    DAL_SWEEP_AUTO, /* grid if a parameter has levels or rows, random otherwise */
    DAL_SWEEP_GRID, /* every combination of levels (or every row), `samples` times; the first parameter varies slowest */
    DAL_SWEEP_RANDOM, /* independent points */
    DAL_SWEEP_LHS, /* Latin hypercube: each parameter has one member in each of `samples` equally probable intervals */
    DAL_SWEEP_SOBOL,   /* Sobol's sequence, scrambled; at most 40 parameters */
    DAL_SWEEP_SALTELLI /* samples (n + 2) points for Sobol indices of n parameters */
} dal_sweep_design;

DAL_API const char *dal_sweep_design_name(dal_sweep_design design); /* "grid"; NULL: no such design */

/* What runs the members. A program is generated for the model (dalembert/generate.h), compiled by the system's compiler,
 * kept in $XDG_CACHE_HOME/dalembert or ~/.cache/dalembert, and loaded; several members go through it side by side. A member
 * that it cannot take, or whose Newton iteration fails in it, is handed over to the library. What programs do not have is
 * refused by name. Results depend on the backend in the last digits, and on nothing else. */
typedef enum dal_sweep_backend {
    DAL_SWEEP_INTERPRETED, /* the library */
    DAL_SWEEP_LANES,       /* a program in vectors of 4 or 8 lanes; compiler: DAL_CC, CC, or cc */
    DAL_SWEEP_CUDA,        /* a program on a GPU, 2048 members at once in each thread; compiler: DAL_NVCC, or nvcc */
    DAL_SWEEP_BACKEND_AUTO /* lanes where they can be had and the sweep has 2e6 steps or more, else the library */
} dal_sweep_backend;

DAL_API const char *dal_sweep_backend_name(dal_sweep_backend backend); /* "lanes"; NULL: no such backend */

/* Parameters: "NAME=WHAT", NAME a variable of the model, an option that is a number, or t_end. WHAT is one of
 *     A:B:N          N levels from A to B          log:A:B:N      the same with equal ratios
 *     list:A,B,...   these levels                  rows           a column of `rows`
 *     uniform(A,B)   normal(MEAN,DEVIATION)        normal(MEAN,DEVIATION,MIN,MAX), cut off at MIN and MAX
 *     lognormal(M,S), whose logarithm is normal(M,S)              triangular(A,MODE,B)
 *     exponential(MEAN)   weibull(SCALE,SHAPE)     choice(A,B,...)    integer(A,B)
 * Levels have equal probabilities in designs other than a grid. Numbers may be expressions: deg(30), 2*pi.
 *
 * Collected: arithmetic with reductions over the run, and with parameters: "max(A.force) - min(A.force)". Reductions:
 *     final(E) initial(E) min(E) max(E) mean(E) rms(E) integral(E) time_of_min(E) time_of_max(E)
 *     time_of(E,C)     first time at which E passes C      crossings(E,C)   how often it does
 *     settle(E,B)      time after which E stays within B |final - initial| of its final value
 *     settle(E,B,C)    the same about the value C
 * E: an expression of outputs ("A.force.x", "energy", "t", "crank.position.z"; the norm of a vector "A.force") and of
 * parameters, at the end of every step. Outputs that the model does not list are added. Names with other characters stand
 * in double quotes. What does not happen is NaN. */
typedef struct dal_sweep_spec {
    const char *source; /* file or name of a built-in model */
    const char *const *set;
    int nset; /* assignments for all members, see dal_document_open */
    int files_outside;
    const char *const *parameter;
    int nparameters;
    const double *rows; /* nrows x number of parameters that are "rows", in their order, one row after the other */
    long nrows;
    dal_sweep_design design;
    long samples; /* 0: 1 */
    unsigned long long seed;
    const char *const *collect;
    int ncollect;
    const char *const *trajectory; /* expressions of outputs, kept at these times */
    int ntrajectories;
    const double *times; /* increasing */
    int ntimes;
    dal_sweep_backend backend;
} dal_sweep_spec;

typedef struct dal_sweep dal_sweep;

/* Everything is copied. Names of parameters, outputs and functions are checked. */
DAL_API dal_status dal_sweep_create_(dal_sweep **sweep, dal_ctx *ctx, const dal_sweep_spec *spec,
                                     size_t size) DAL_NODISCARD;
DAL_API void dal_sweep_destroy(dal_sweep *sweep); /* NULL is fine */

/* What the section "sweep" of a model says, added to what spec has (which comes first; nothing is given twice). The texts
 * belong to *section, to be released after dal_sweep_create. *section is NULL if the model has none. */
typedef struct dal_sweep_section dal_sweep_section;
DAL_API dal_status dal_sweep_section_read_(dal_sweep_section **section, dal_ctx *ctx, dal_sweep_spec *spec,
                                           size_t size) DAL_NODISCARD;
DAL_API void dal_sweep_section_destroy(dal_sweep_section *section); /* NULL is fine */

DAL_API long dal_sweep_members(const dal_sweep *sweep);
DAL_API int dal_sweep_parameter_count(const dal_sweep *sweep);
DAL_API const char *dal_sweep_parameter_name(const dal_sweep *sweep, int k);
DAL_API int dal_sweep_collect_count(const dal_sweep *sweep);
DAL_API const char *dal_sweep_collect_name(const dal_sweep *sweep, int k);
/* Their units, "" where none follows from keys of the model and units of outputs. */
enum { DAL_SWEEP_UNIT = 48 };
DAL_API void dal_sweep_parameter_unit(const dal_sweep *sweep, char unit[DAL_SWEEP_UNIT], int k);
DAL_API void dal_sweep_collect_unit(const dal_sweep *sweep, char unit[DAL_SWEEP_UNIT], int k);
DAL_API const char *dal_sweep_model_name(const dal_sweep *sweep);
DAL_API const char *dal_sweep_source(const dal_sweep *sweep);         /* the model as it was named when the sweep ran */
DAL_API const char *dal_sweep_setting(const dal_sweep *sweep, int k); /* "KEY=VALUE" for all members; NULL: no more */
DAL_API dal_sweep_design dal_sweep_design_of(const dal_sweep *sweep); /* never AUTO */
/* What runs the members, never AUTO; why AUTO became the library, "" if it did not; the time that compiling took, 0 if the
 * program was in the cache; members that go through a program at once; members that it handed over to the library. */
DAL_API dal_sweep_backend dal_sweep_backend_of(const dal_sweep *sweep);
DAL_API const char *dal_sweep_backend_note(const dal_sweep *sweep);
DAL_API double dal_sweep_compile_seconds(const dal_sweep *sweep);
DAL_API int dal_sweep_block(const dal_sweep *sweep);
DAL_API long dal_sweep_handed_over(const dal_sweep *sweep);
/* The parameters of a member. */
DAL_API void dal_sweep_point(const dal_sweep *sweep, double *x, long member);

/* ---- running ---------------------------------------------------------------------------------- */

typedef struct dal_sweep_progress {
    long done, failed, todo; /* todo: of this run, those of a journal included in done and todo */
    long before;             /* of done: what the journal had */
    int failing;             /* fail_fast: a member has failed, no more are handed out */
} dal_sweep_progress;

typedef struct dal_sweep_run_options {
    int jobs;            /* threads; 0: one for each core */
    const char *journal; /* file; NULL: none */
    int resume;          /* go on with a journal that is there; without, such a file is refused */
    const char
        *finished; /* HDF5 file of the same sweep, perhaps with fewer samples (designs random, sobol, saltelli): its
                             members are taken over; a CSV file is only checked to be of this sweep; NULL: none */
    int shard, nshards; /* members shard - 1, shard - 1 + nshards, ...; nshards 0: all */
    int fail_fast;      /* stop at the first failure */
    /* Called in the calling thread several times a second, and at the end. Not DAL_OK: stop; members in flight are given
     * up. May be NULL. */
    dal_status (*progress)(const dal_sweep_progress *progress, void *user);
    void *user;
} dal_sweep_run_options;

/* Members run in threads with contexts of their own, whose memory is malloc's: alloc of the context of the sweep need not be
 * fit for threads. DAL_OK: every member of the shard is done, well or not. DAL_RETRY: stopped by `progress` or fail_fast. The journal stays
 * until dal_sweep_save; nothing else may use it meanwhile. */
DAL_API dal_status dal_sweep_run_(dal_sweep *sweep, const dal_sweep_run_options *options, size_t size) DAL_NODISCARD;

/* Run the model once with these parameters, whatever the design; nothing is kept. What is collected goes to value, what is
 * asked for over time to trajectory (one curve after the other); either may be NULL. The status is that of the run. */
DAL_API dal_status dal_sweep_evaluate(dal_sweep *sweep, double *value, double *trajectory,
                                      const double *x) DAL_NODISCARD;

/* A sweep from the journals of its shards, or of a run under way; they must be of the same sweep. No model is opened. */
DAL_API dal_status dal_sweep_open(dal_sweep **sweep, dal_ctx *ctx, const char *const *journal, int n) DAL_NODISCARD;

/* Another engine hands out the members: MPI, say. Work on what `next` gives until that is negative, in `jobs` threads;
 * next and deliver are called by all of them, and do their own locking. A record is what dal_sweep_accept takes, perhaps
 * in another process, where dal_sweep_begin has opened the journal and read what is done already, and dal_sweep_next gives one member
 * after the other that is to be done, -1: no more. These and dal_sweep_under_way may be called by any thread. */
typedef struct dal_sweep_engine {
    long (*next)(void *user);
    dal_status (*deliver)(const void *record, size_t bytes, void *user);
    int (*stop)(void *user); /* asked after every step; may be NULL */
    void *user;
} dal_sweep_engine;

DAL_API dal_status dal_sweep_work_(dal_sweep *sweep, int jobs, const dal_sweep_engine *engine,
                                   size_t size) DAL_NODISCARD;
DAL_API dal_status dal_sweep_begin_(dal_sweep *sweep, const dal_sweep_run_options *options, size_t size) DAL_NODISCARD;
DAL_API long dal_sweep_next(dal_sweep *sweep);
DAL_API dal_sweep_progress dal_sweep_under_way(dal_sweep *sweep);
DAL_API dal_status dal_sweep_accept(dal_sweep *sweep, const void *record, size_t bytes) DAL_NODISCARD;

/* Anything else in threads: work(ctx, k, user) for k = 0 .. n - 1, `jobs` at a time (0: one for each core), each thread with a
 * context of its own made from config (NULL: plain). */
DAL_API dal_status dal_sweep_each(dal_ctx *ctx, const dal_config *config, int jobs, long n,
                                  void (*work)(dal_ctx *ctx, long k, void *user), void *user) DAL_NODISCARD;

/* ---- results ---------------------------------------------------------------------------------- */

/* Status of a member that was not run. */
#define DAL_SWEEP_MISSING 127

typedef struct dal_sweep_member {
    int status;          /* dal_status, or DAL_SWEEP_MISSING */
    const char *message; /* "" if there is none */
    const double *value; /* what was collected; NaN unless the status is DAL_OK */
} dal_sweep_member;

DAL_API dal_sweep_member dal_sweep_result(const dal_sweep *sweep, long member);
DAL_API long dal_sweep_count(const dal_sweep *sweep, int failed); /* members done well, or failed */

/* One row per member in their order: HDF5, or CSV if the name ends so (docs/format/sweep.md). The file is there as a whole
 * or not at all, and its bytes depend on the description and the results alone. Then the journals are removed. Members
 * may be missing only if `partial`; then journals stay. */
DAL_API dal_status dal_sweep_save(dal_sweep *sweep, const char *path, int partial) DAL_NODISCARD;

enum { DAL_SWEEP_QUANTILES = 7 };
/* 1, 5, 25, 50, 75, 95, 99 % */
DAL_API double dal_sweep_quantile_level(int k);

typedef struct dal_sweep_summary {
    long n; /* members with a finite number */
    double mean, deviation, min, max;
    double quantile[DAL_SWEEP_QUANTILES]; /* linear between order statistics */
    long min_member, max_member;          /* the first that has it; -1: none */
} dal_sweep_summary;

DAL_API dal_status dal_sweep_statistics(const dal_sweep *sweep, dal_sweep_summary *summary, int collect) DAL_NODISCARD;

enum { DAL_SWEEP_BINS = 64 };

/* What a parameter does to a result (docs/theory/sweep.md). first: the part of the variance that it explains alone, from
 * means over bins of the parameter (its levels if they are few), or in the design saltelli as Sobol index with standard
 * error; total: the part that it takes part in, in that design only. Otherwise NaN. */
typedef struct dal_sweep_effect {
    double first, first_error, total, total_error;
    int n;                                       /* bins */
    double x[DAL_SWEEP_BINS], y[DAL_SWEEP_BINS]; /* means of parameter and result */
    long count[DAL_SWEEP_BINS];
} dal_sweep_effect;

DAL_API dal_status dal_sweep_sensitivity(const dal_sweep *sweep, dal_sweep_effect *effect, int collect,
                                         int parameter) DAL_NODISCARD;

/* Messages of failed members, the most frequent first. Numbers in them are not looked at: "at t = 0.3" and "at t = 0.4" are
 * one cause. */
typedef struct dal_sweep_cause {
    long count, first; /* members; the first of them */
    int status;
    const char *message; /* of the first */
} dal_sweep_cause;

/* The n most frequent causes at most; returns how many were written. */
DAL_API int dal_sweep_causes(const dal_sweep *sweep, dal_sweep_cause *cause, int n);

/* ---- searching -------------------------------------------------------------------------------- */

enum { DAL_SWEEP_SEARCHED = 500, DAL_SWEEP_CONSTRAINTS = 20 };

typedef enum dal_sweep_method {
    DAL_SWEEP_LOCAL,
    DAL_SWEEP_GLOBAL,    /* look everywhere first */
    DAL_SWEEP_MULTISTART /* the best of ten local searches */
} dal_sweep_method;

/* Parameters are searched for between the ends of their levels: "c=0:0.08:2". */
typedef struct dal_sweep_search {
    const double *start; /* where to begin, for each parameter */
    long evaluations;    /* runs that it may take */
    double tolerance;    /* of the parameters, relative to the bounds */
    /* dal_sweep_optimize: what is collected first is to be smallest, or largest; the others are at most, or at least, `limit` */
    int largest;
    dal_sweep_method method;
    const double *limit;
    const int *above;
    const double *measured; /* dal_sweep_fit: the trajectories at their times, one curve after the other */
} dal_sweep_search;

typedef struct dal_sweep_found {
    int n; /* parameters */
    double x[DAL_SWEEP_SEARCHED];
    int at_bound[DAL_SWEEP_SEARCHED];
    long evaluations;
    int failed;    /* of them */
    int converged; /* the tolerance is met */
    int gradients; /* exact ones were used (dalembert/gradient.h); else differences, or none */
    /* dal_sweep_optimize: what is collected there, and whether the limits are kept to 1e-6 */
    double value[DAL_SWEEP_CONSTRAINTS + 1];
    int feasible;
    /* dal_sweep_fit: standard errors, NaN where a parameter is held at its bound or has no influence */
    double error[DAL_SWEEP_SEARCHED];
    int undetermined[DAL_SWEEP_SEARCHED];
    int values, iterations;
    double rms; /* of the differences, each curve relative to the deviation of its data */
    /* Parameters of which only a combination counts have no errors: those with the same number > 0 can be moved together without any
     * change of the data, in first order. together: by how much, relative to their values (absolute where these are zero), the
     * largest 1; NaN where several combinations share parameters. */
    int tied[DAL_SWEEP_SEARCHED];
    double together[DAL_SWEEP_SEARCHED];
} dal_sweep_found;

/* The parameters with the best value (by NLopt, if the library was built with it), or those that fit measured data best.
 * DAL_NOCONV: the model cannot be run; a search that ends before it has converged is DAL_OK. */
DAL_API dal_status dal_sweep_optimize_(dal_sweep *sweep, dal_sweep_found *found, const dal_sweep_search *search,
                                       size_t size) DAL_NODISCARD;
DAL_API dal_status dal_sweep_fit_(dal_sweep *sweep, dal_sweep_found *found, const dal_sweep_search *search,
                                  size_t size) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
