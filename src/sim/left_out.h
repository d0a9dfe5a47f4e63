/* Which rows a simulation left out because they depend on others: for parts that describe what it does. */
#ifndef DAL_SIM_LEFT_OUT_H
#define DAL_SIM_LEFT_OUT_H

#include "dalembert/sim.h"

/* Numbers of rows of the system as given, ascending, n of them; NULL if there are none. Valid until the next start. */
const int *dal_sim_left_out(const dal_sim *sim, int *n);
/* Multipliers of all rows as the steps have them: zero on the rows left out, also where results show them shared. */
dal_status dal_sim_step_multipliers(const dal_sim *sim, double *la) DAL_NODISCARD;

#endif
