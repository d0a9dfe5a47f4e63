/* The motion between the steps, for those who measure along it. */
#ifndef DAL_SIM_FOLLOW_H
#define DAL_SIM_FOLLOW_H

#include "dalembert/sim.h"

/* Called with every step, from t0 to t1, as long as it can be interpolated: before the samplers and observers that see its
 * end, and before rows that are released there are left out. */
typedef dal_status (*dal_sim_follower)(dal_sim *sim, double t0, double t1, void *user);
/* One of a simulation, before its start. */
void dal_sim_follow(dal_sim *sim, dal_sim_follower follower, void *user);
/* The state at t, which is the current time or lies within the last step. Valid until the next call. */
dal_status dal_sim_state_at(dal_sim *sim, dal_point *at, double t) DAL_NODISCARD;

#endif
