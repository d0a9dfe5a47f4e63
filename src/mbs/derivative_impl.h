/* Derivatives with respect to numbers of elements, shared by their files: derivative_find.c finds what depends on a number,
 * derivative.c evaluates it. */
#ifndef DAL_MBS_DERIVATIVE_IMPL_H
#define DAL_MBS_DERIVATIVE_IMPL_H

#include <stdint.h>

#include "base/stencil.h"
#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/derivative.h"
#include "mbs/parameters.h"
#include "mbs/recall.h"
#include "system/data.h"

/* A word in the memory of the instance that follows from a number: what it is at the values of the stencil. */
typedef struct word {
    uint64_t *at, own, moved[DAL_STENCIL_POINTS];
} word;

typedef struct number {
    const dal_stencil *by;
    double step;
    int alone;              /* a parameter of a function or a law, which may have the time in it */
    int few;                /* the first and the last of its values will do */
    int first, nwords;      /* of `word` */
    int element, nelements; /* of `list`: those that depend on it */
    double *q0, *v0;        /* derivatives of the initial values, nv each; NULL: none */
    int local;              /* it counts only ... */
    double from, to;        /* ... between these times, where it acts through functions of time */
    int timed;              /* it acts through nothing else */
} number;

/* Numbers one after the other; timed: each counts within an interval of time alone, and both ends of these increase. */
typedef struct number_run {
    int first, n, timed;
} number_run;

/* The frames that an element acts on, and the ranges of its equations: of velocities, then of rows. */
typedef struct reach {
    int body[MB_SIDES + 2], nbodies;
    int all; /* bodies */
    int nv, nrows;
    dal_range range[MB_SIDES + 4];
} reach;

/* What rows of numbers remembered follow from: numbers of the dependence. */
typedef struct renewal {
    int row, number;
    double weight;
} renewal;

/* The rows of a force: they follow from what was before all of them. */
typedef struct renewals {
    int row, from; /* the first ones */
} renewals;

/* What is remembered: numbers of the dependence behind those of the model. */
typedef struct mb_recall {
    struct mb_derivatives *s;
    int n, *place, *slot; /* how many; of a number of the memory, -1: it is none; where in the memory they are */
    /* rows at a final state: number of the dependence, and derivatives with respect to q, v, v', lambda, 3 nv + nc each */
    int *row, nrows, room_row, room_by;
    double *by;
    renewal *from;
    int nfrom, room_from;
    renewals *group;
    int ngroups, room_group;
    double *now, *kept; /* values of the rows of a force with some number moved, or its changes; its memory */
    double *own;        /* what is remembered, while it is moved */
    int room_now;
    double ahead; /* the time to the next final state */
    dal_status st;
    /* columns */
    int element;
    dal_column *column;
    void (*take)(const dal_column *column, void *user);
    void *user;
} mb_recall;

typedef struct mb_derivatives {
    dal_dependence base; /* first */
    int nnumbers;        /* of the model; then what is remembered */
    mb_recall recall;
    dal_data *data;
    mb_instance *m;
    number *number;
    word *word;
    int nwords, word_room;
    int *list, nlist, list_room;
    reach *reach;    /* nelements: of those in the list */
    number_run *run; /* NULL: all numbers are one */
    int nruns;
    char *image; /* of the elements, as they are */
    double *q0, *v0, *r, *rows, *column_r, *column_rows, *theta;
    char *seen;       /* nelements */
    mb_counted found; /* the element of the number found last */
    dal_pool pool;
} mb_derivatives;

/* derivative_reach.c: frames and equations that an element acts on. */
reach mb_reach_of(const mb_derivatives *s, int element);

/* The velocities of a frame; S^T r6 of what an element has left there. */
static inline void mb_frame_begin(double *r, mb_body *b)
{
    if (b->type->identity) {
        b->r6 = r + b->v;
    } else {
        memset(b->own6, 0, sizeof b->own6);
        b->r6 = b->own6;
    }
}

static inline void mb_frame_end(double *r, const mb_body *b)
{
    if (!b->type->identity) {
        mb_collect_body(r, b);
    }
}

static inline void mb_clear_range(double *x, const dal_range *range)
{
    double *to = x + range->first;
    if (range->n == 6) { // a body
        memset(to, 0, 6 * sizeof *to);
    } else {
        for (int i = 0; i < range->n; ++i) {
            to[i] = 0.0;
        }
    }
}

/* Its frames begin at zero, r too; forces there become equations of motion. */
static inline void mb_reach_begin(const mb_derivatives *s, const reach *to, double *r)
{
    mb_instance *m = s->m;
    for (int i = 0; i < to->nv; ++i) {
        mb_clear_range(r, &to->range[i]);
    }
    for (int i = 0; i < (to->all ? m->nbodies - 1 : to->nbodies); ++i) {
        mb_frame_begin(r, &m->body[to->all ? i + 1 : to->body[i]]);
    }
}

static inline void mb_reach_end(const mb_derivatives *s, const reach *to, double *r)
{
    const mb_instance *m = s->m;
    for (int i = 0; i < (to->all ? m->nbodies - 1 : to->nbodies); ++i) {
        mb_frame_end(r, &m->body[to->all ? i + 1 : to->body[i]]);
    }
}

/* derivative.c: the element acts at t; write the words of a number, at a value of its stencil or, -1, as they are. */
int mb_derivatives_act(const mb_derivatives *s, int element, const dal_rows *wants, double t);
void mb_derivatives_write(const mb_derivatives *s, const number *k, int point);
/* derivative_memory.c: what is remembered; its columns, where w->r is wanted. */
dal_status mb_recall_init(mb_derivatives *s) DAL_NODISCARD;
void mb_recall_release(mb_derivatives *s);
void mb_recall_columns(mb_derivatives *s, dal_column *column, const dal_rows *wants, const dal_point *at,
                       void (*take)(const dal_column *column, void *user), void *user);

/* The elements as they are: where, and how many bytes. */
char *mb_image_of(const mb_instance *m);
size_t mb_image_size(const mb_instance *m);
/* Words and elements of a number; length: of the model. */
dal_status mb_derivatives_find(mb_derivatives *s, number *k, int index, double length) DAL_NODISCARD;
/* The same with the number moved by 1e-6 of its size. */
dal_status mb_derivatives_find_closely(mb_derivatives *s, number *k, int index, double length) DAL_NODISCARD;

#endif
