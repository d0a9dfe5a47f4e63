/* A sweep, shared by its files:
 *     random.c sobol.c  numbers                        parameter.c  what a parameter is
 *     design.c          members                        plan.c       what is collected, as text
 *     reduce.c curve.c  what is collected, of one run   member.c     one run
 *     pool.c engine.c   threads                        journal.c    members on the disk
 *     backend.c         programs instead of the library  compile.c  ... as machine code
 *     block.c           members side by side in a program
 *     record.c          one member as bytes            sweep.c      creation, questions
 *     text.c            the description as JSON         section.c    the description in a model
 *     file.c file_csv.c file_hdf5.c  results           statistics.c sensitivity.c units.c */
#ifndef DAL_SWEEP_SWEEP_IMPL_H
#define DAL_SWEEP_SWEEP_IMPL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/generate.h"
#include "dalembert/sweep.h"
#include "io/expression.h"
#include "io/json.h"

enum { SWEEP_TEXT = 1024, SWEEP_PARAMETERS = 500, SWEEP_COLUMNS = 1000 };

/* ---- parameters and designs ------------------------------------------------------------------- */

typedef enum sweep_kind {
    KIND_LEVELS, /* a .. b in n levels */
    KIND_RATIOS, /* the same by equal ratios */
    KIND_LIST,
    KIND_ROWS,
    KIND_UNIFORM, /* from here on: drawn */
    KIND_NORMAL,
    KIND_TRUNCATED,
    KIND_LOGNORMAL,
    KIND_TRIANGULAR,
    KIND_EXPONENTIAL,
    KIND_WEIBULL,
    KIND_CHOICE,
    KIND_INTEGER
} sweep_kind;

typedef struct sweep_parameter {
    char *text, *name; /* "L=0.1:0.5:41", "L" */
    sweep_kind kind;
    double a[4];
    double *list; /* of list and choice: n */
    long n;       /* levels */
    double u[2];  /* of truncated: probabilities at the ends */
    int element;  /* a number of an element ("bodies.rod.mass"), no variable of the model or a part ("leg.L") */
    int made; /* ... from which things are made ("beams.rod.section.E"): it cannot be bound, the document is opened with it */
} sweep_parameter;

dal_status dal_sweep_parameter_read(sweep_parameter *p, dal_pool *pool, const char *text) DAL_NODISCARD;
double dal_sweep_level(const sweep_parameter *p, long k);
/* The value below which a fraction u of the distribution lies; u in (0, 1). */
double dal_sweep_draw(const sweep_parameter *p, double u);

/* design.c: AUTO if there is none of that name, which may be NULL. */
dal_sweep_design dal_sweep_design_of_name(const char *text);

/* ---- what is collected ------------------------------------------------------------------------ */

typedef enum sweep_reduction_kind {
    REDUCE_FINAL,
    REDUCE_INITIAL,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_MEAN,
    REDUCE_RMS,
    REDUCE_INTEGRAL,
    REDUCE_TIME_OF_MIN,
    REDUCE_TIME_OF_MAX,
    REDUCE_TIME_OF,
    REDUCE_CROSSINGS,
    REDUCE_SETTLE,
    REDUCE_SMOOTH_MAX
} sweep_reduction_kind;

typedef struct sweep_reduction {
    sweep_reduction_kind kind;
    dal_expression *of;     /* of the inputs, then the parameters */
    dal_expression *arg[2]; /* of the parameters */
    int nargs;
} sweep_reduction;

/* Constant once it is made; all threads read it. */
typedef struct sweep_plan {
    dal_pool *pool; /* of the sweep */
    int np;         /* parameters */
    char **input;   /* names of outputs */
    int ninputs;
    sweep_reduction *reduction;
    int nreductions;
    dal_expression **value; /* of the reductions, then the parameters */
    int ncolumns;
    dal_expression **trajectory; /* of the inputs, then the parameters */
    int ncurves;
    int path;  /* outputs are needed after every step */
    int start; /* ... at the start */
} sweep_plan;

dal_status dal_sweep_plan_init(sweep_plan *plan, dal_pool *pool, const dal_sweep_spec *spec,
                               const sweep_parameter *parameter) DAL_NODISCARD;
void dal_sweep_plan_release(sweep_plan *plan);

/* An input in the values of dal_model_outputs: one of them, the norm of three, or the time. */
typedef struct sweep_input {
    int output, component; /* component < 0: all three; output < 0: the time */
    int first, n;          /* after compiling */
} sweep_input;

/* Find or add the outputs (before the model is compiled), then their numbers (afterwards). */
dal_status dal_sweep_inputs_add(sweep_input *input, const sweep_plan *plan, dal_ctx *ctx,
                                dal_model *model) DAL_NODISCARD;
void dal_sweep_inputs_bind(sweep_input *input, const sweep_plan *plan, const dal_model *model);

/* curve.c: a quantity from t0 to t1; within it x runs from -1 to 1. */
enum { SWEEP_NODES = 8, SWEEP_POINTS = 10 };
typedef struct sweep_curve {
    double t0, t1;
    int n;                 /* 2: the straight line between the values c; else a polynomial */
    double c[SWEEP_NODES]; /* coefficients of Legendre polynomials */
} sweep_curve;

extern const double dal_sweep_node[SWEEP_POINTS]; /* in (-1, 1), increasing; then both ends */
sweep_curve dal_sweep_line(double t0, double y0, double t1, double y1);
/* The polynomial through the values y at the nodes. Returns how far it is off, by its last two terms and the values at the
 * ends. */
double dal_sweep_curve_fit(sweep_curve *f, double t0, double t1, const double *y);
double dal_sweep_time_at(const sweep_curve *f, double x);
double dal_sweep_value_at(const sweep_curve *f, double x); /* a line: at its ends */
/* Both ends and the turning points between them; returns how many. */
int dal_sweep_knots(const sweep_curve *f, double x[SWEEP_NODES]);
/* The time at which the value is c, between the neighbouring knots a and b. */
double dal_sweep_crossing(const sweep_curve *f, double a, double b, double c);
/* Integral over time of the value, and of its square. A line: the trapezoidal rule. */
double dal_sweep_integral(const sweep_curve *f);
double dal_sweep_square(const sweep_curve *f);

/* What a reduction knows of a run so far. */
typedef struct sweep_tally {
    long n;                          /* states */
    double t0, t, y0, y;             /* at the first state, and where the run has been followed to */
    double best, t_best, sum, scale; /* scale: largest absolute value */
    double arg[2];
    int dense;     /* there are curves and not only lines; the same in all runs */
    char *history; /* settle */
    long nhistory;
    size_t room; /* bytes */
} sweep_tally;

/* All of them: of a run with parameters x. in: inputs, then from SWEEP_COLUMNS on parameters; r: room for reductions, then
 * parameters as well. */
void dal_sweep_course_begin(const dal_sweep *s, sweep_tally *tally, double *value, double *trajectory, const double *x);
dal_status dal_sweep_course_add(const dal_sweep *s, sweep_tally *tally, dal_ctx *ctx, double t,
                                const double *in) DAL_NODISCARD;
/* The same by dense output, of the stretch from t0 to t1 before the next state: values at its points, those of reduction k from
 * y[k SWEEP_POINTS] on. Do the polynomials through them follow all quantities to this relative tolerance? */
int dal_sweep_course_follows(const dal_sweep *s, const sweep_tally *tally, const double *y, double tolerance);
dal_status dal_sweep_course_stretch(const dal_sweep *s, sweep_tally *tally, dal_ctx *ctx, double t0, double t1,
                                    const double *y, int smooth) DAL_NODISCARD;
void dal_sweep_course_sample(const dal_sweep *s, double *trajectory, int time, const double *in);
void dal_sweep_course_end(const dal_sweep *s, double *r, double *value, const sweep_tally *tally);

/* ---- programs --------------------------------------------------------------------------------- */

/* The generated program of a sweep, loaded. */
typedef struct sweep_code {
    dal_program *program;
    void *library;     /* shared object */
    int file;          /* its descriptor: the loader knows it by that number, which nobody else may have */
    int width;         /* members of a block */
    int size;          /* numbers of a member */
    int noutputs;      /* numbers of its outputs */
    int *at;           /* by input of the plan: where it is among them; -1: the time */
    double h, seconds; /* of a step; of compiling, 0: it was in the cache */
    int starts;        /* members by itself: from their parameters, parameter k of member m at p[k * n + m] */
    int changes;       /* parameters of members change while they run */
    /* y NULL: without outputs */
    void (*start)(const double *p, double *x, int *failed, double *y, int n);
    void (*trace)(double *x, int *failed, double *y, int n, int steps);
    void (*change)(const double *p, double *x, int *failed, const int *which, int n);
    /* on a device: room for n members and so many steps; members that are started there, or put there; steps of them, with
     * outputs to the host. NULL, or what went wrong */
    const char *(*device_open)(void **device, int n, int steps);
    const char *(*device_start)(void *device, const double *p, int *failed, double *y, int n);
    const char *(*device_change)(void *device, const double *p, int *failed, const int *which, int n);
    const char *(*device_put)(void *device, const double *x, const int *failed, int n);
    const char *(*device_get)(void *device, double *x, int n);
    const char *(*device_trace)(void *device, int *failed, double *y, int n, int steps);
    void (*device_close)(void *device);
} sweep_code;

/* Steps between two looks at the outputs. */
enum { SWEEP_CHUNK = 32, SWEEP_CHUNK_BLIND = 256 };

/* compile.c: text of a program to a shared object that is loaded into code->library and file; it is compiled unless the cache
 * has it. instead: what needs no compiler, for messages. */
dal_status dal_sweep_compile(sweep_code *code, dal_ctx *ctx, const char *text, int cuda,
                             const char *instead) DAL_NODISCARD;
/* code.c: code->program with np parameters, compiled and loaded. */
dal_status dal_sweep_code_load(sweep_code *code, dal_ctx *ctx, int np, int cuda, const char *instead) DAL_NODISCARD;
void dal_sweep_code_release(sweep_code *code);
int dal_sweep_lanes(void); /* that suit this machine */

enum { SWEEP_CACHE_PATH = 4096 };
/* cache.c: a descriptor of the folder; -1: it or a folder above it, whose path is then in bad, is not safe from others. */
int dal_sweep_cache_open(const char *folder, char *bad);
/* A whole program of that name, as a descriptor; -1: there is none, or one that is damaged or (foreign) not the user's alone. */
int dal_sweep_cache_find(int folder, int *foreign, const char *name);
int dal_sweep_cache_seal(int fd);     /* a program that was made, safe on the disk; 0: it cannot be written */
int64_t dal_sweep_cache_size(int fd); /* of the program in a file that is sealed; < 0: it cannot be told */
void *dal_sweep_cache_load(int fd);   /* dlopen */
/* The size of the cache of compiled programs; DAL_CACHE_MB, or 256 MB. */
dal_status dal_sweep_cache_limit(dal_ctx *ctx, double *bytes) DAL_NODISCARD;
/* Programs are removed until the rest has at most `limit` bytes, the one used last longest ago first; never `keep`. */
void dal_sweep_cache_trim(const char *path, const char *keep, double limit);

/* backend.c: what s->backend asks for, or the interpreter if it is auto and there is none; s->note says why. */
dal_status dal_sweep_backend_prepare(dal_sweep *s) DAL_NODISCARD;
/* Steps of a run to t_end; 0: t_end is not at the end of a step. */
long dal_sweep_steps(double t_end, double h);

/* ---- members ---------------------------------------------------------------------------------- */

/* Messages, each kept once. */
typedef struct sweep_messages {
    char **text;
    int n, room;
    int *slot; /* hash table of numbers + 1 */
    int nslots;
} sweep_messages;

typedef struct sweep_place {
    int journal;
    int64_t at; /* of the trajectories in it; < 0: none */
} sweep_place;

typedef struct sweep_journal {
    char *path;
    int fd;
    int64_t size; /* whole records */
    double synced;
} sweep_journal;

typedef struct sweep_worker sweep_worker;

struct dal_sweep {
    dal_ctx *ctx;
    dal_pool pool;     /* everything that lives as long as the sweep */
    sweep_worker *own; /* of dal_sweep_evaluate */
    /* description */
    char *source, *model_text, *model_name;
    char **set;
    int nset, files_outside, foreign_files; /* the model reads files, perhaps by libraries that know no threads */
    sweep_parameter *parameter;
    int np, nrowcolumns;
    double *rows;
    long nrows, npoints; /* npoints: of the grid */
    dal_sweep_design design;
    long samples;
    uint64_t seed;
    long n; /* members */
    char **collect, **curve;
    int ncollect, ncurves;
    double *times;
    int ntimes;
    dal_sweep_backend backend; /* never auto once it is made */
    char *note;                /* why auto is the interpreter; NULL: it is not */
    sweep_code code;
    char *text; /* as JSON, without the source */
    uint64_t fingerprint;
    sweep_plan plan;
    /* the model, compiled once, with the outputs that are asked for; NULL: every member opens it anew, because parameters
     * change its structure or its options */
    dal_document *doc;
    const dal_system *system;
    dal_binding *binding;
    sweep_input *input;
    int noutputs;
    int planned; /* 0: opened from journals; cannot run */
    /* results */
    double *value; /* n x ncollect */
    signed char *status;
    int *message;       /* number, -1: none */
    sweep_place *place; /* with trajectories */
    sweep_messages messages;
    unsigned char *by_library; /* of a program: members that it handed over; NULL: interpreted */
    long done, failed, handed;
    sweep_journal *journal;
    int njournals;
    pthread_mutex_t opening; /* models with files */
    pthread_mutex_t handing; /* of the results and of what follows, while members run */
    int has_mutex;
    long next, step, before, todo; /* members next, next + step, ... are handed out */
    int fail_fast, failing;
};

/* Of the members, with what was left to the library. */
static inline dal_options dal_sweep_options(const dal_sweep *s)
{
    dal_options options = *dal_document_options(s->doc);
    dal_options_resolve(&options);
    return options;
}

/* record.c: member, status, length of the message, values, trajectories, message, checksum; little-endian */
size_t dal_sweep_record_size(const dal_sweep *s, size_t message);
size_t dal_sweep_record_write(const dal_sweep *s, unsigned char *to, long member, int status, int handed,
                              const double *value, const double *trajectory, const char *message);
/* Status and values of a sound record. */
void dal_sweep_record_read(const dal_sweep *s, int16_t *status, double *value, const unsigned char *from);
/* The size of the record that begins here; 0 if n bytes hold no whole and sound one. */
size_t dal_sweep_record_check(const dal_sweep *s, const unsigned char *from, size_t n);
/* Take a sound record over. journal, at: where it is. */
dal_status dal_sweep_record_take(dal_sweep *s, const unsigned char *from, int journal, int64_t at) DAL_NODISCARD;
void dal_sweep_note_handed(dal_sweep *s, long member, int handed);
uint64_t dal_sweep_hash(uint64_t h, const void *bytes, size_t n);
#define SWEEP_HASH 14695981039346656037u
dal_status dal_sweep_message_add(dal_sweep *s, int *number, const char *text, size_t n) DAL_NODISCARD;

/* journal.c */
dal_status dal_sweep_journal_open(dal_sweep *s, const char *path, int resume) DAL_NODISCARD;
dal_status dal_sweep_journal_append(dal_sweep *s, const void *record, size_t bytes) DAL_NODISCARD;
dal_status dal_sweep_journal_read(dal_sweep *s, const char *path) DAL_NODISCARD;
/* The description in a journal: its text, the source and the numbers of rows. */
typedef struct sweep_head {
    char *text, *source;
    double *rows;
    long nnumbers;
} sweep_head;
dal_status dal_sweep_journal_head(dal_sweep *s, sweep_head *head, const char *path) DAL_NODISCARD;
dal_status dal_sweep_trajectory_read(const dal_sweep *s, double *to, long member) DAL_NODISCARD;
void dal_sweep_journals_close(dal_sweep *s, int remove);

/* text.c */
/* A list of texts, or of numbers; 0 of them if it is NULL. DAL_EINVAL without a message: it is something else. */
dal_status dal_sweep_json_texts(dal_pool *pool, int *n, const char *const **to, const dal_json *list) DAL_NODISCARD;
dal_status dal_sweep_json_numbers(dal_pool *pool, int *n, const double **to, const dal_json *list) DAL_NODISCARD;
dal_status dal_sweep_text_write(dal_sweep *s) DAL_NODISCARD;
/* The description from the head of a journal. */
dal_status dal_sweep_text_read(dal_sweep *s, const sweep_head *head) DAL_NODISCARD;

/* member.c: what a thread needs for one run after the other */
/* NULL: no memory, with a message. */
sweep_worker *dal_sweep_worker_create(dal_ctx *ctx, dal_sweep *s, int (*stop)(void *user), void *user);
void dal_sweep_worker_destroy(sweep_worker *worker);
/* Run a member to its record, of *bytes bytes in *record; handed: for a program that could not. DAL_RETRY: stopped; anything
 * else but DAL_OK is beyond the member: no memory. */
dal_status dal_sweep_worker_run(sweep_worker *worker, const void **record, size_t *bytes, long member,
                                int handed) DAL_NODISCARD;
/* Start a member without running it: its simulation, parameters and end; in: the inputs at the start, then from
 * SWEEP_COLUMNS on parameters. Only where the model is compiled once. */
typedef struct sweep_start {
    const dal_sim *sim;
    const double *x;
    double t_end;
} sweep_start;
dal_status dal_sweep_worker_start(sweep_worker *worker, double *in, sweep_start *start, long member) DAL_NODISCARD;
/* Check a member that is started elsewhere: the library takes its parameters, as far as a start takes them before it solves
 * anything, and says what is wrong with them. Only where the model is compiled once. */
dal_status dal_sweep_worker_check(sweep_worker *worker, double *x, double *t_end, long member) DAL_NODISCARD;

/* Values of member 0, which has the parameters x, by the backend of the sweep. */
dal_status dal_sweep_evaluate_first(dal_sweep *s, double *value, const double *x) DAL_NODISCARD;

/* block.c: what a thread does where members run in a program, side by side. */
dal_status dal_sweep_work_in_blocks(dal_ctx *ctx, dal_sweep *s, const dal_sweep_engine *engine, int (*stop)(void *user),
                                    void *user) DAL_NODISCARD;

/* sweep.c */
/* Is it the address of a number of an element? Such ones are bound to a document, or it is opened with others in their place;
 * variables, of parts too, can also be set when it is opened. */
int dal_sweep_is_address(const dal_document *doc, const char *name);
/* Bind the parameters that are numbers of elements and can be bound; *binding stays NULL if there are none. */
dal_status dal_sweep_bind_elements(const dal_sweep *s, dal_ctx *ctx, dal_binding **binding,
                                   const dal_document *doc) DAL_NODISCARD;
char *dal_sweep_copy(dal_pool *pool, const char *text, size_t n);
dal_status dal_sweep_no_memory(dal_ctx *ctx) DAL_NODISCARD;
/* Copy the description. */
dal_status dal_sweep_describe(dal_sweep *s, const dal_sweep_spec *spec, const char *model_name,
                              const char *model_text) DAL_NODISCARD;
/* Numbers of points and members; arrays of results. */
dal_status dal_sweep_layout(dal_sweep *s) DAL_NODISCARD;

/* file_read.c: members of a file of results that is there already */
dal_status dal_sweep_file_read(dal_sweep *s, const char *path) DAL_NODISCARD;

/* file_csv.c, file_hdf5.c: to a file that is not there yet */
dal_status dal_sweep_check_csv(dal_sweep *s, const char *path) DAL_NODISCARD; /* one of this sweep? */
dal_status dal_sweep_save_csv(const dal_sweep *s, const char *path) DAL_NODISCARD;
dal_status dal_sweep_save_hdf5(dal_sweep *s, const char *path) DAL_NODISCARD;

#endif
