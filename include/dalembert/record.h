/* dalembert/record.h - keep what a simulation of a model does: tables, extremes, checkpoints.
 *
 *     dal_channels_create -> dal_model_compile -> dal_channels_bind -> dal_sim_start -> dal_recorder_create
 *                         -> dal_sim_run -> dal_recorder_close -> dal_recorder_destroy
 *
 * A channel is one number over time with a name and a unit: a component of an output or of a body's state, a number of
 * the integrator, a quality of the step. The recorder observes the simulation: it evaluates the channels where a row is
 * due, hands the row to result files (results.h) and to the caller, and saves checkpoints. A run that was killed, however
 * often, and goes on from its last checkpoint gives the tables of one that was not, bit for bit:
 *
 *     dal_checkpoint_read -> dal_sim_create -> dal_checkpoint_restore -> dal_recorder_create (with spec.resume) -> ... */
#ifndef DALEMBERT_RECORD_H
#define DALEMBERT_RECORD_H

#include "dalembert/mbs.h"
#include "dalembert/results.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- channels --------------------------------------------------------------------------------- */

/* Tables of a model (docs/format/results.md). */
typedef enum dal_record_table {
    DAL_RECORD_OUTPUTS, /* outputs of the model */
    DAL_RECORD_BODIES,  /* position, rotation, velocities of its bodies */
    DAL_RECORD_STATE,   /* q, v, lambda */
    DAL_RECORD_MONITOR, /* step size, energy, residuals, iterations */
    DAL_RECORD_TABLES   /* how many */
} dal_record_table;

DAL_API const char *dal_record_table_name(int table); /* "outputs", ...; NULL: no such table */

typedef struct dal_channels dal_channels;

typedef struct dal_channel {
    const char *name; /* "A.force.x" */
    const char *unit; /* "" where there is none */
    int table;        /* dal_record_table */
} dal_channel;

/* Where a body's numbers are among the channels; -1: it has none. */
typedef struct dal_body_channels {
    const char *name;
    int x, quat, v, omega; /* first of 3, 4, 3, 3 */
} dal_body_channels;

/* Before the model is compiled: outputs for the states of its bodies are added to it. It must outlive the channels. */
DAL_API dal_status dal_channels_create(dal_channels **channels, dal_ctx *ctx, dal_model *model) DAL_NODISCARD;
/* After it is compiled: the numbers of the state are known. */
DAL_API dal_status dal_channels_bind(dal_channels *channels, const dal_system *sys) DAL_NODISCARD;
DAL_API void dal_channels_destroy(dal_channels *channels); /* NULL is fine */

/* All of it in the order of the tables: those of table k are numbers first .. first + n - 1. */
DAL_API int dal_channels_count(const dal_channels *channels);
DAL_API dal_channel dal_channels_get(const dal_channels *channels, int number);
DAL_API int dal_channels_table(const dal_channels *channels, int *first, int table); /* returns n */
DAL_API int dal_channels_find(const dal_channels *channels, const char *name);       /* the first; -1: none */
/* Outputs the model had before (numbers 0 .. count - 1 of dal_model_output_info; their channels come first, in order) and
 * its bodies. */
DAL_API int dal_channels_output_count(const dal_channels *channels);
DAL_API int dal_channels_body_count(const dal_channels *channels);
DAL_API dal_body_channels dal_channels_body(const dal_channels *channels, int number); /* 0 .. count - 1 */

/* ---- checkpoints ------------------------------------------------------------------------------ */

/* Accumulated over a run, kept in its checkpoints. */
typedef struct dal_monitor {
    double energy0, energy, max_drift; /* NaN if the system gives no energy */
    double max_position, max_velocity; /* constraint residuals, maximum norm over all rows */
    double wall;                       /* seconds of computing */
    double t0;
    dal_balance balance; /* of energy; its energy is NaN if the system does not tell */
    double max_speed;    /* largest |v|, maximum norm */
    double max_way;      /* largest h |v| / |q|: below 1e-11 the motion is rounding, and there is nothing to judge */
} dal_monitor;

/* A run watches itself. Energy turned over [J]: largest kinetic energy and all work, of which residual / turned over judges a
 * run; NaN without a balance. */
DAL_API double dal_monitor_turned_over(const dal_monitor *monitor);
/* What a user should be told: the balance of energy is off by more than 1 % of the energy turned over, or velocities violate
 * the constraints by more than 1 % of the largest velocity; with what helps, by the options of the run. Returns its length,
 * as snprintf; 0: nothing. */
DAL_API int dal_monitor_lost(const dal_monitor *monitor); /* 1: one of them by more than 100 % */
DAL_API size_t dal_monitor_warning(const dal_monitor *monitor, char *buffer, size_t size, const dal_options *options);

typedef struct dal_checkpoint dal_checkpoint;

/* Read a file that a recorder wrote. All of its bytes are under a checksum. */
DAL_API dal_status dal_checkpoint_read(dal_checkpoint **checkpoint, dal_ctx *ctx, const char *path) DAL_NODISCARD;
DAL_API void dal_checkpoint_destroy(dal_checkpoint *checkpoint); /* NULL is fine */
/* The assignments the model was loaded with. */
DAL_API int dal_checkpoint_set_count(const dal_checkpoint *checkpoint);
DAL_API const char *dal_checkpoint_set(const dal_checkpoint *checkpoint, int k);
/* Put a simulation of the same system and options into the state. ctx: of the simulation, for messages. belongs: as in
 * the spec of the recorder. */
DAL_API dal_status dal_checkpoint_restore(const dal_checkpoint *checkpoint, dal_ctx *ctx, dal_sim *sim,
                                          const char *belongs) DAL_NODISCARD;

/* ---- recorder --------------------------------------------------------------------------------- */

/* One row: all channels at a time. */
typedef struct dal_record_row {
    double t;
    const double *x; /* dal_channels_count numbers */
} dal_record_row;

typedef struct dal_recorder_spec {
    dal_channels *channels; /* bound */
    dal_sim *sim;           /* of that system; started, or restored from `resume` */
    /* result files */
    const char *path; /* NULL: none */
    dal_results_format format;
    unsigned tables; /* which: bits 1u << DAL_RECORD_OUTPUTS ...; 0: all that have columns */
    int nnotes;
    const dal_note *note;
    double flush_seconds; /* as in results.h */
    /* rows: at the start and after every N-th step (0: every step); < 0: only where dal_recorder_row is called */
    int every;
    int unwatched; /* 1: nobody asks for the monitor; energy and residuals are evaluated for rows only. Otherwise a run fails
                    * whose balance of energy stays off by more than the energy turned over, or whose velocities violate the
                    * constraints by more than the largest velocity (DAL_ESTEP) */
    /* and each row goes here as well, if given */
    dal_status (*row)(const dal_record_row *row, void *user);
    void *user;
    /* checkpoints */
    const char *checkpoint;    /* file, written at the start and then; NULL: none */
    double checkpoint_seconds; /* so often */
    const char *belongs;       /* text a checkpoint belongs to (the model file): others are refused; NULL: none */
    int nset;                  /* assignments to be kept in it */
    const char *const *set;
    const dal_checkpoint *resume; /* what the simulation was restored from: files at `path` are continued */
    /* states that come from elsewhere (sim NULL): what they are evaluated with. Rows are those of dal_recorder_row, the monitor has their
     * energy alone, and there are no checkpoints. */
    dal_data *data;
    /* of those: a table more, which stands first, and its numbers, and what is added to the time; each row finds them here. NULL: none.
     * They must outlive the recorder. */
    const dal_table *own;
    const double *own_values, *later;
} dal_recorder_spec;

typedef struct dal_recorder dal_recorder;

/* Opens the files, records the present state unless it is that of a checkpoint, and observes the simulation from then on.
 * Everything in the description is copied but for channels and simulation, which must outlive the recorder's use. */
DAL_API dal_status dal_recorder_create_(dal_recorder **recorder, dal_ctx *ctx, const dal_recorder_spec *spec,
                                        size_t size) DAL_NODISCARD;
/* A row at any state, between two steps say. h: what the column h shows. The channels stay until the next evaluation. */
DAL_API dal_status dal_recorder_row(dal_recorder *recorder, const dal_point *at, double h) DAL_NODISCARD;
/* The channels at the present state of the simulation, without a row; without a simulation those of the last row. */
DAL_API dal_status dal_recorder_evaluate(dal_recorder *recorder, const double **x) DAL_NODISCARD;
/* Save a checkpoint now. path NULL: that of the description. */
DAL_API dal_status dal_recorder_checkpoint(dal_recorder *recorder, const char *path) DAL_NODISCARD;
/* Write the last rows (and one at the end if it has none; not with `interrupted`, where the run will go on) and more
 * notes, give the files their names. */
DAL_API dal_status dal_recorder_close(dal_recorder *recorder, int interrupted, const dal_note *note,
                                      int n) DAL_NODISCARD;
DAL_API void dal_recorder_destroy(dal_recorder *recorder); /* NULL is fine */

DAL_API dal_monitor dal_recorder_monitor(dal_recorder *recorder); /* of the present state; wall: up to now */
/* Writing files has failed: results or checkpoint. */
DAL_API int dal_recorder_failed(const dal_recorder *recorder);

#ifdef __cplusplus
}
#endif
#endif
