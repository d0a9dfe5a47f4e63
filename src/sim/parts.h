/* The machinery of a simulation, for those who differentiate its steps. */
#ifndef DAL_SIM_PARTS_H
#define DAL_SIM_PARTS_H

#include "dalembert/sim.h"
#include "integrate/integrator.h"
#include "projection/reduce.h"

typedef struct dal_sim_parts {
    dal_integrator *method;
    dal_eval *ev; /* of the rows that are held */
    dal_saddle *saddle;
    int fresh;   /* the current state is that of a start or restart */
    long builds; /* how many methods there have been: another one may have the address of the one before */
} dal_sim_parts;

/* Valid until the next start. */
dal_sim_parts dal_sim_parts_of(const dal_sim *sim);
/* The rows that hold with the memory that the data has: with that of a reset those that a start holds before it looks for contacts
 * that touch. q, a copy of initial values, moves to where they hold. */
dal_status dal_sim_find_rows(dal_sim *sim, dal_reduction **red, double *q, double t) DAL_NODISCARD;
/* Fixed steps are never cut, contacts or not. Before a start. */
void dal_sim_keep_steps_whole(dal_sim *sim);

#endif
