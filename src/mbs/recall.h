/* Derivatives of what a run remembers: how equations follow from it, and how it follows from final states and from what was
 * remembered before. Types of forces that remember numbers, or read them, have functions `recalled` and `renewed`. */
#ifndef DAL_MBS_RECALL_H
#define DAL_MBS_RECALL_H

#include "mbs/mbs_impl.h"

typedef struct mb_recall mb_recall;

/* `recalled`: what numbers of the memory do to the residual of an element. r: its equations of motion, zero; forces on frames go to
 * r6 of their bodies. After the end they are taken, times a weight, as what number `slot` of the memory does. */
double *mb_recall_begin(mb_recall *x);
void mb_recall_end(mb_recall *x);
void mb_recall_take(mb_recall *x, int slot, double weight);

/* `renewed`: rows of derivatives of what numbers of the memory become at a final state. All rows of a force follow from what was before. */
void mb_recall_row(mb_recall *x, int slot);
void mb_recall_from(mb_recall *x, int slot, double weight); /* what was remembered */
/* The motion of a body: place, velocity, acceleration; NULL: it does not follow from these. */
void mb_recall_body(mb_recall *x, int body, const double K6[6], const double C6[6], const double A6[6]);
void mb_recall_velocity(mb_recall *x, int v, double weight);
void mb_recall_reaction(mb_recall *x, int row, double weight);
/* The time to the next final state. */
double mb_recall_ahead(const mb_recall *x);

#endif
