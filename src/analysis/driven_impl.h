/* Prescribed motion: what driven.c (following it), driven_limits.c and driven_forces.c share. */
#ifndef DAL_ANALYSIS_DRIVEN_IMPL_H
#define DAL_ANALYSIS_DRIVEN_IMPL_H

#include "dalembert/driven.h"
#include "projection/projection.h"
#include "projection/reduce.h"
#include "projection/saddle.h"

/* The system with some rows left out, and its saddle matrix. */
typedef struct kin_part {
    dal_reduction *red;
    dal_eval *ev;
    dal_saddle *saddle;
} kin_part;

struct dal_driven {
    dal_ctx *ctx;
    const dal_system *sys;
    dal_data *data, *own;
    int nq, nv, nc; /* of the system, all rows */
    int drive;      /* row; -1: none */
    int nignored;
    int *ignored;    /* nc: is a row? */
    int *gone;       /* nc: rows that are ignored or redundant */
    int *scratch;    /* nc */
    int *number;     /* nc: of rows of a part in the whole system */
    kin_part driven; /* without these */
    kin_part loose;  /* and without the row of the drive */
    double t, h;
    double *q, *v, *vd, *la; /* la: of all rows */
    double *q1, *v1, *la1, *theta;
    double *rows;   /* nc */
    double *target; /* nc */
    double *zero;   /* max(nv, nc) */
    int limit;
    char direction[200];
    dal_arena arena;
};

dal_status dal_kin_part_init(dal_driven *k, kin_part *part, const int *gone) DAL_NODISCARD;
void dal_kin_part_release(kin_part *part);
/* Mark in gone (nc), which the part was made with, the rows that depend on others of the part at the present position. */
dal_status dal_kin_redundant(dal_driven *k, int *gone, const kin_part *part) DAL_NODISCARD;
/* v, v' and lambda at (t, q); the state is final. */
dal_status dal_kin_settle(dal_driven *k) DAL_NODISCARD;
/* driven_limits.c. One freedom is left at the start: does the drive just stand still there, and move beside it? */
dal_status dal_kin_dead_start(dal_driven *k, int *dead) DAL_NODISCARD;
/* From the last regular state on to where the drive turns back, in the direction of time `sign`. */
dal_status dal_kin_find_limit(dal_driven *k, double sign) DAL_NODISCARD;

/* drives.c: what the joint of a coordinate is called; where the numbers of the output ELEMENT.QUANTITY begin, -1: there is none. */
enum { DAL_DRIVE_NAME = 300 };
const char *dal_drive_name(char name[DAL_DRIVE_NAME], const char *coordinate);
int dal_drive_output(const dal_model *model, const char *element, const char *quantity);

#endif
