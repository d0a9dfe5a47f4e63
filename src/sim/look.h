/* Runs that are watched are looked at every few steps: for those who judge them. */
#ifndef DAL_SIM_LOOK_H
#define DAL_SIM_LOOK_H

#include "dalembert/sim.h"

/* Look now: dal_sim_balance is that of the present state. */
dal_status dal_sim_look(dal_sim *sim) DAL_NODISCARD;
int dal_sim_looked(const dal_sim *sim);  /* 1: it is */
void dal_sim_look_closely(dal_sim *sim); /* also after the next step */

#endif
