/* Inside of gradients:
 *     gradient.c   creation, questions
 *     source.c     models and equations of the caller's own
 *     anew.c       numbers that a model is opened with
 *     run.c        the run
 *     records.c    records of its states
 *     objective.c  values of a run, and what its states are weighed with
 *     outputs.c    derivatives of outputs at a state
 *     memory.c     what the run remembers
 *     events.c     steps around impacts and events, by differences of these steps alone
 *     sweep.c      forwards and backwards through the records
 *     saltation.c  backwards through steps around events
 *     threads.c    results of an adjoint side by side */
#ifndef DAL_GRADIENT_IMPL_H
#define DAL_GRADIENT_IMPL_H

#include "base/stencil.h"
#include "dalembert/gradient.h"
#include "integrate/derivative.h"
#include "io/follow.h"
#include "sim/parts.h"
#include "sweep/sweep_impl.h"

/* Derivatives of what is collected (inputs of the plan) at a state. */
typedef struct gr_outputs {
    int *column, ncolumns;               /* of a change of a state (4 nv + nc) on which they depend */
    int *number, nnumbers;               /* of the numbers of p likewise */
    int nkept;                           /* the first of them, on which they depend at most states */
    int known;                           /* these lists are there */
    char *wanted;                        /* outputs of the model that are collected */
    int *todo;                           /* scratch: what may be in the lists */
    double *J;                           /* ninputs x ncolumns, then ninputs x nnumbers */
    double *y, *q, *v, *vd, *la, *theta; /* scratch */
    double *rate;                        /* ninputs */
} gr_outputs;

/* States from a snapshot on. */
typedef struct gr_segment {
    long first;
    void *snapshot;
    size_t size;
    double *inputs; /* of the model, which events may set */
} gr_segment;

/* Another gradient of the same model, for some of the results. */
typedef struct gr_worker {
    dal_ctx *ctx;
    dal_gradient *g;
    dal_status st;
} gr_worker;
/* A model beside the model: opened with one of its numbers moved. */
typedef struct gr_model {
    dal_document *doc;
    const dal_system *sys;
    dal_binding *binding;
    dal_data *data;
    double *
        shift; /* nq: its places are those of the model and this, so that neither strains nor gaps change with the number when all
                    * points move along with it */
} gr_model;

/* A number by which whole equations are differentiated: of equations of one's own, or of a model that is opened with it. */
typedef struct gr_whole {
    int number; /* of those given */
    const dal_stencil *by;
    double own, step;
    gr_model twin[DAL_STENCIL_POINTS]; /* data NULL: the equations themselves are given the number */
} gr_whole;

/* A stretch of the run around impacts and events: how its states change. */
typedef struct gr_stretch {
    long begin, end; /* states; its changes are those of begin + 1 .. end, 0: there is none */
    int count;       /* of directions */
    double *x;       /* time and change of each state and direction, g->wide apart */
} gr_stretch;

struct dal_gradient {
    dal_pool pool;
    dal_gradient_spec spec; /* a copy, for others of its kind */
    gr_worker *worker;      /* the first is the object itself */
    int nworkers, jobs;     /* jobs: threads that there may be */
    int from, to;           /* weighs these results in an adjoint, the squares of residuals being the last */
    dal_ctx *ctx;
    dal_gradient_own own; /* system NULL: it is a model */
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_binding *binding;
    dal_options opt;
    double rtol, atol;   /* of the model; opt has less */
    const double *units; /* nv, then the length: held */
    int n, nof, ndata, nresiduals;
    int nnamed;                 /* numbers that expressions may name: the first */
    char **name;                /* n */
    dal_gradient_data *data;    /* ndata */
    sweep_parameter *parameter; /* n, for the plan: names alone */
    sweep_plan plan;
    sweep_input *input;
    double *given, *now; /* n: numbers of the model, of the run */
    int *bound, nbound;  /* which of them are bound */
    const char **bound_name;
    double *bound_x, *bound_dx; /* nbound: scratch */
    gr_whole *whole;            /* the others */
    int nwhole;
    double *opened;    /* n: the model is open with these */
    double *shifted_q; /* nq: scratch */

    dal_sim *sim;
    dal_sim_parts parts;
    const dal_derivative_type *type;
    dal_derivative *derivative;
    struct gr_joints *joints; /* the start before contacts are looked for */
    dal_dependence *dependence;
    double t_end;
    int ntotal, *index,
        np; /* numbers of p; those that follow from the numbers given, the last nwhole of them whole; before these
                             * what is remembered, index -1 */
    int nremembered;
    double *p, *dp;    /* ntotal + nwhole; np x n */
    io_guess start;    /* how initial values come about */
    double *q0, *v0;   /* as given to the start */
    double *dq0, *dv0; /* with `start.closed`: nv x n */
    int nv, nc, ny;
    int columns; /* changes of a state at a time */

    /* impacts and events, if the model has any */
    int wide;                  /* time and the longest change of a state: of all rows */
    int happens, logged;       /* what the simulation has noted so far */
    double *before;            /* state before the one that is being made, as a record, and inputs of the plan */
    int place[4], before_rows; /* of q, v, v', lambda in it; rows that were held */
    int before_known, pending;
    struct gr_probe *probe; /* a run beside the run */
    gr_stretch stretch;
    double *dt;        /* of the time of the state at hand, by direction */
    double *event_row; /* n for each event */

    /* error control: its steps are found by another simulation and held */
    dal_sim *pilot;
    dal_options control; /* of the pilot */
    double *times;
    long ntimes, room_times;

    /* records: of all states what results are made from; states from `first` on, `held` of them, `most` at a time */
    double *line, *record;
    int frozen;       /* steps are those of the run before */
    int size, stride; /* of the method; with memory */
    int nheld;        /* rows at the start */
    long nrecords, room, room_lines, first, held, most;
    long until;    /* the run pauses there; -1: it does not */
    size_t memory; /* bytes of states and snapshots */
    gr_segment *segment;
    int nsegments, room_segments;
    gr_outputs outputs;

    /* reductions of the run */
    double *reduced;        /* plan.nreductions */
    struct gr_tally *tally; /* likewise */
    struct gr_nodes *nodes; /* nresiduals */
    double *value, *row;    /* values; their rows, n each */
    int nvalues, rows;      /* rows: of how many values */
    double squares, *of_squares;
    dal_gradient_info about;
};

/* What a reduction has found. */
typedef struct gr_tally {
    long at; /* of the smallest or largest */
    double sum, largest, T, kappa;
    double w[3];  /* of an extremum: what the states before, at and after have of it */
    double dw[3]; /* and what their times have */
} gr_tally;

/* A value between states: that of the polynomial through the nearest ones, the first of them and their weights. */
enum { GR_NODES = 4 };
typedef struct gr_nodes {
    long first;
    int n;
    double w[GR_NODES];
} gr_nodes;

/* source.c */
dal_status dal_gr_own_init(dal_gradient *g, const dal_gradient_own *own) DAL_NODISCARD;
dal_status dal_gr_set(dal_gradient *g, dal_data *data, const double *x) DAL_NODISCARD; /* numbers */
/* q, v: initial values with the numbers of the run; twin NULL: of the simulation. */
dal_status dal_gr_guess(dal_gradient *g, double *q, double *v, io_guess *how, const gr_model *twin) DAL_NODISCARD;
dal_status dal_gr_product(dal_gradient *g, const double *direction) DAL_NODISCARD; /* p from the numbers */
dal_status dal_gr_product_transposed(dal_gradient *g, double *of) DAL_NODISCARD;   /* numbers from p */
dal_status dal_gr_dependence_create(dal_gradient *g) DAL_NODISCARD;
void dal_gr_dependence_destroy(dal_gradient *g);
dal_dependence *dal_gr_bound(const dal_gradient *g); /* of numbers that are bound; NULL: there are none */
int dal_gr_output_size(const dal_gradient *g);
/* y: the outputs that are collected, at a point. */
dal_status dal_gr_outputs(dal_gradient *g, double *y, const dal_point *at) DAL_NODISCARD;
/* dy: their derivatives with respect to number k of p; y: scratch */
dal_status dal_gr_outputs_by_number(dal_gradient *g, double *dy, double *y, const dal_point *at, int k) DAL_NODISCARD;
/* y: with some numbers of p moved */
dal_status dal_gr_outputs_moved(dal_gradient *g, double *y, const dal_point *at, const int *k, int count) DAL_NODISCARD;

/* anew.c */
dal_status dal_gr_bind(dal_gradient *g) DAL_NODISCARD;        /* the document is open, the model not compiled */
dal_status dal_gr_check_whole(dal_gradient *g) DAL_NODISCARD; /* can the model be opened with other numbers? */
dal_status dal_gr_reopen(dal_gradient *g) DAL_NODISCARD;      /* with the numbers of the run */
dal_status dal_gr_place_whole(dal_gradient *g) DAL_NODISCARD; /* models beside it */
void dal_gr_close_whole(dal_gradient *g);
void dal_gr_each_twin(const dal_gradient *g, void (*what)(const gr_model *m, const dal_gradient *g, long i), long i);

/* gradient.c */
dal_status dal_gr_make_simulation(dal_gradient *g) DAL_NODISCARD; /* options are there, units held */
void dal_gr_drop_simulation(dal_gradient *g);

/* run.c */
/* Does number k leave the times at which forces jump as they are? data: of the simulation, which is given it, or of a model
 * opened with it. */
dal_status dal_gr_check_breaks(dal_gradient *g, const dal_data *data, int k) DAL_NODISCARD;
dal_status dal_gr_check_all_breaks(dal_gradient *g) DAL_NODISCARD; /* must not follow from the numbers */
dal_status dal_gr_fit_step(dal_gradient *g) DAL_NODISCARD;
dal_status dal_gr_pilot(dal_gradient *g) DAL_NODISCARD; /* steps are found by error control */
dal_status dal_gr_run(dal_gradient *g) DAL_NODISCARD;
void dal_gr_drop_derivative(dal_gradient *g);
/* Derivatives of steps of the method at hand are there. */
dal_status dal_gr_need_derivative(dal_gradient *g) DAL_NODISCARD;

/* records.c */
dal_status dal_gr_observe(dal_gradient *g) DAL_NODISCARD; /* records are made from now on */
void dal_gr_records_clear(dal_gradient *g);
dal_status dal_gr_fill(dal_gradient *g) DAL_NODISCARD; /* from the start to the end of the run */
/* States i - 1 and i are held from now on. */
dal_status dal_gr_load(dal_gradient *g, long i) DAL_NODISCARD;
double *dal_gr_record(const dal_gradient *g, long i);
double *dal_gr_inputs(const dal_gradient *g, long i); /* of the plan, at a state */
double dal_gr_time(const dal_gradient *g, long i);
int dal_gr_fresh(const dal_gradient *g, long i); /* a start from the state before, at the same time */
typedef enum gr_kind { GR_STEP, GR_START, GR_BEFORE, GR_AFTER } gr_kind; /* the last two: of an event */
gr_kind dal_gr_kind(const dal_gradient *g, long i);
int dal_gr_happened(dal_gradient *g, const dal_sim *sim); /* an event, since that was asked last */
/* The simulation is at state i once more. */
dal_status dal_gr_go_to(dal_gradient *g, long i) DAL_NODISCARD;
/* Inputs are those of state i. */
dal_status dal_gr_set_inputs(dal_gradient *g, long i) DAL_NODISCARD;
/* To the end of the run, or until the observer pauses. */
dal_status dal_gr_advance(dal_gradient *g, dal_stop *reason) DAL_NODISCARD;
/* The memory of the system becomes that before the run, or that of a state; its point. */
void dal_gr_reset(const dal_gradient *g);
void dal_gr_remember(const dal_gradient *g, long i);
/* Forces that jump are those from state i on. */
void dal_gr_stretch(const dal_gradient *g, long i);
/* Both, for what is shown at state i. */
void dal_gr_remember_all(const dal_gradient *g, long i);
dal_point dal_gr_point(const dal_gradient *g, long i);
dal_status dal_gr_grow(const dal_gradient *g, double **x, long *room, long n, int stride) DAL_NODISCARD;

/* memory.c */
/* The simulation is as a start finds it that makes state i, from q and v; what is remembered then is renewed. */
dal_status dal_gr_before_start(dal_gradient *g, const double **q, const double **v, long i) DAL_NODISCARD;
/* What has been renewed last: changes, or weights. */
void dal_gr_renewed_forward(dal_gradient *g, double *dp, const double *Y, int count);
void dal_gr_renewed_adjoint(dal_gradient *g, double *Y, double *pbar, int count);
/* What is remembered from state i on. */
dal_status dal_gr_renew_forward(dal_gradient *g, double *dp, const double *Y, long i, int count) DAL_NODISCARD;
dal_status dal_gr_renew_adjoint(dal_gradient *g, double *Y, double *pbar, long i, int count) DAL_NODISCARD;

/* outputs.c */
dal_status dal_gr_outputs_init(dal_gradient *g) DAL_NODISCARD;
/* x: the inputs of the plan at a point, from all outputs y */
void dal_gr_inputs_of(const dal_gradient *g, double *x, const double *y, double t);
/* J at a state. */
dal_status dal_gr_outputs_at(dal_gradient *g, long i) DAL_NODISCARD;

/* dx (ninputs): their rates at a state that stays. */
dal_status dal_gr_outputs_rate(dal_gradient *g, double *dx, long i) DAL_NODISCARD;

/* events.c */
dal_status dal_gr_events_init(dal_gradient *g) DAL_NODISCARD;
/* Refuse numbers that cannot be changed a little. */
dal_status dal_gr_check_numbers(dal_gradient *g) DAL_NODISCARD;
/* Refuse forces whose numbers or memory are not differentiated. */
dal_status dal_gr_check_forces(const dal_gradient *g) DAL_NODISCARD;
void dal_gr_events_clear(dal_gradient *g);
long dal_gr_event(const dal_gradient *g, int k); /* the state after event k; -1: there is none */
/* Derivatives of its time, where state i is that after an event. */
void dal_gr_note_event(dal_gradient *g, long i);
dal_status dal_gr_event_rows(dal_gradient *g) DAL_NODISCARD; /* room for all of them */
/* The next time at which a step ends. */
double dal_gr_next_time(const dal_gradient *g, double t);
/* A step of a run beside the run; DAL_RETRY: that is enough of it. */
dal_status dal_gr_probed(dal_gradient *g, int happened) DAL_NODISCARD;
/* Does the step to state i belong to a stretch around events? Then Y and dt become the changes of state i. Direction j is that of number
 * j - first, from `first` on. */
dal_status dal_gr_stretch_to(dal_gradient *g, double *Y, int *done, long i, int count, int first) DAL_NODISCARD;
/* The first stretch that begins at state `from` or later; 0: there is none. */
int dal_gr_next_stretch(const dal_gradient *g, long *begin, long *end, long from);
/* Changes of its states (g->stretch) from those of its first. */
dal_status dal_gr_stretch_changes(dal_gradient *g, long begin, long end, const double *Y, int count,
                                  int first) DAL_NODISCARD;

/* objective.c */
double dal_gr_time_slope(const dal_gradient *g, int i, long k);          /* d(value i)/dt_k; -1: of the squares */
dal_status dal_gr_check_reductions(const dal_gradient *g) DAL_NODISCARD; /* have all of them gradients? */
dal_status dal_gr_values(dal_gradient *g) DAL_NODISCARD;
/* c (plan.ninputs): derivatives of value i with respect to the inputs at state k; p (n): with respect to the numbers, through that
 * state, added (NULL: not wanted); 0: there are none. Value -1 is the sum of squares. */
int dal_gr_weights(dal_gradient *g, double *c, double *p, int i, long k);

/* sweep.c */
typedef struct gr_backward {
    int first, count; /* values that are weighed: of those of `of`, then the squares */
    double *Y;        /* g->wide x count at most, g->ny apart */
    double *pbar;     /* np x count */
    double *error, *c;
    double *last, *most; /* count: largest weights of the last state and of any */
    double *dp;          /* np x n: dp/dnumbers, for stretches around events */
    long *stretch;       /* first and last state of each of them */
    int nstretches;
} gr_backward;
double *dal_gr_row_of(dal_gradient *g, int value);
/* Y += what state i has in the values */
dal_status dal_gr_seed(dal_gradient *g, gr_backward *b, long i) DAL_NODISCARD;
/* dp/dnumbers of the numbers that count, np x n. */
dal_status dal_gr_directions(dal_gradient *g, double *dp) DAL_NODISCARD;
dal_status dal_gr_forward(dal_gradient *g) DAL_NODISCARD;
dal_status dal_gr_adjoint(dal_gradient *g) DAL_NODISCARD;
dal_status dal_gr_transition(dal_gradient *g, double *Phi) DAL_NODISCARD;

/* saltation.c */
dal_status dal_gr_stretches(dal_gradient *g, gr_backward *b) DAL_NODISCARD; /* all of them, and dp */
void dal_gr_stretches_clear(const dal_gradient *g, gr_backward *b);
/* *i is the last state of a stretch: weights become those of its first, which *i is then. */
dal_status dal_gr_stretch_back(dal_gradient *g, gr_backward *b, long *i, int *done) DAL_NODISCARD;

/* joints.c */
/* In models with contacts a start closes the joints first, with all contacts open. *q, *v: what it closes, then what it has closed. */
dal_status dal_gr_joints_at(dal_gradient *g, const double **q, const double **v) DAL_NODISCARD;
/* Changes of q and v as they are given become those of closed joints; nothing without contacts. */
dal_status dal_gr_joints_forward(dal_gradient *g, double *Y, const double *dp, int count) DAL_NODISCARD;
dal_status dal_gr_joints_adjoint(dal_gradient *g, double *Y, double *pbar, int count) DAL_NODISCARD;
void dal_gr_joints_drop(dal_gradient *g);

/* threads.c */
int dal_gr_results(const dal_gradient *g); /* of an adjoint: those of `of`, the squares */
dal_status
dal_gr_run_once(dal_gradient *g) DAL_NODISCARD; /* the run and its derivatives, by this object alone (gradient.c) */
dal_status dal_gr_solve_to(dal_gradient *g, double atol,
                           double rtol) DAL_NODISCARD; /* tolerances of steps (gradient.c) */
dal_status dal_gr_run_shared(dal_gradient *g) DAL_NODISCARD;
void dal_gr_dismiss(dal_gradient *g); /* the others */

#endif
