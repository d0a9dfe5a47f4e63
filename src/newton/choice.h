/* Full or modified Newton, whichever costs less: measured in the run, by counts and not by clocks, so that results can be
 * reproduced (docs/theory/newton.md, section 7). */
#ifndef DAL_NEWTON_CHOICE_H
#define DAL_NEWTON_CHOICE_H

/* What things are expected to cost, in the same unit; jacobian: with its factors. */
typedef struct dal_newton_costs {
    double residual, solve, jacobian;
} dal_newton_costs;

/* What a run has seen; zeros at its start. */
typedef struct dal_newton_choice {
    int modified; /* the next solve keeps the factors of earlier ones */
    int trial;    /* solves of the trial of modified Newton that is under way; 0: none, or it begins */
    int waited;   /* solves since the last decision */
    int failures; /* trials in a row that did not pay */
    int trying;   /* a trial is under way */
    double usual; /* cost of a solve in the mode that was decided for, averaged; 0: not known */
    double full;  /* the same of full Newton, when modified Newton was decided for */
    double spent; /* cost of the trial so far */
    long kept;    /* solves with modified Newton, trials included */
} dal_newton_choice;

/* Can modified Newton pay at all? */
int dal_newton_choice_open(const dal_newton_costs *costs);

/* A solve has cost so much, or has failed: decide about the next. */
void dal_newton_learn(dal_newton_choice *c, const dal_newton_costs *costs, double cost, int failed);

#endif
