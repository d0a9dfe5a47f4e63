/* The recorder, shared by its files:
 *     channels.c    what there is to record of a model
 *     record.c      rows, extremes, when to save
 *     checkpoint.c  the file of a checkpoint */
#ifndef DAL_IO_RECORD_IMPL_H
#define DAL_IO_RECORD_IMPL_H

#include "base/memory.h"
#include "dalembert/record.h"

/* Columns of the table monitor. */
enum { MONITOR_H, MONITOR_ENERGY, MONITOR_POSITION, MONITOR_VELOCITY, MONITOR_NEWTON, MONITOR_COUNT };

typedef struct record_channel {
    char *name;
    const char *unit;
} record_channel;

typedef struct record_body {
    char *name;
    int number;    /* in the model */
    int output[4]; /* numbers of the outputs x, quat, v, omega; -1: none */
    int first[4];  /* their channels */
} record_body;

extern const char *const dal_record_tables[DAL_RECORD_TABLES]; /* their names */

struct dal_channels {
    dal_ctx *ctx;
    dal_pool pool; /* has this and all that is below */
    dal_model *model;
    const dal_system *sys; /* NULL before it is bound */
    int noutputs;          /* the model had */
    int nbodies;
    record_body *body;
    int n;
    record_channel *channel;
    int first[DAL_RECORD_TABLES + 1]; /* of the tables */
};

/* Where the result files stand: rows, the time and the marks of the last one. rows = 0: there are none. */
typedef struct record_place {
    long rows;
    double t;
    int ntables;
    dal_results_mark mark[DAL_RECORD_TABLES];
} record_place;

struct dal_checkpoint {
    dal_pool pool; /* has this and all that is below but the text */
    char *path;
    char *text; /* the file; what follows points into it */
    dal_results_mark belongs;
    int nset;
    char **set;
    dal_monitor monitor;
    double newton; /* iterations of the last step */
    record_place place;
    double *snapshot; /* aligned */
    size_t size;      /* bytes */
};

/* All that a checkpoint is written from. */
typedef struct checkpoint_source {
    const char *belongs;
    int nset;
    char *const *set;
    const dal_monitor *monitor;
    double newton;
    const record_place *place;
    const dal_sim *sim;
} checkpoint_source;

/* Written aside and renamed: an old checkpoint is never lost to a broken new one. */
dal_status dal_checkpoint_write(dal_ctx *ctx, const char *path, const checkpoint_source *s) DAL_NODISCARD;

#endif
