/* dalembert/sim.h - run a simulation.
 *
 *     dal_sim_create -> dal_sim_start -> dal_sim_step / dal_sim_run -> dal_sim_destroy
 *
 * A step that fails leaves the last good state and a message that says what to do. Stepping allocates nothing;
 * the same input gives the same bits. */
#ifndef DALEMBERT_SIM_H
#define DALEMBERT_SIM_H

#include "dalembert/integrate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_sim dal_sim;

/* The system must outlive the simulation. It is constant: other simulations may use it at the same time, in other threads
 * too if each has a context of its own. options NULL: defaults.
 *
 * Calls on a simulation from its own callbacks: observers may ask for everything, project, change the step size, add or
 * remove observers and events, and save; they may not start, step, run, reset or restore it. Callbacks of the system and
 * of events may not call it at all. Either is DAL_EINVAL. */
DAL_API dal_status dal_sim_create(dal_sim **sim, dal_ctx *ctx, const dal_system *sys,
                                  const dal_options *options) DAL_NODISCARD;
DAL_API void dal_sim_destroy(dal_sim *sim);

/* How far initial values had to be moved to satisfy the constraints. */
typedef struct dal_initial_report {
    double position_residual, velocity_residual; /* of the values given, maximum norm */
    double position_moved, velocity_moved;       /* distance on the group, Euclidean norm */
    double position_part,
        velocity_part; /* largest move in its unit (dal_system.units); of velocities over the largest velocity likewise */
} dal_initial_report;

/* Set the initial state (q: nq, v: nv; v NULL: at rest) at time t0, make it consistent and compute v', lambda and the
 * starting values. May be called again to start anew: nothing of the run before shows in the bits of the new one. If it
 * fails, a run that was under way can go on. report may be NULL. */
DAL_API dal_status dal_sim_start(dal_sim *sim, dal_initial_report *report, double t0, const double *q,
                                 const double *v) DAL_NODISCARD;

/* Start the next run from the initial values of the last start, or of the run a snapshot was taken from. Observers and
 * events stay. Allocates nothing, unless redundant rows are looked for (option redundant) or the solver `sparse` chooses its pivots. */
DAL_API dal_status dal_sim_reset(dal_sim *sim, dal_initial_report *report) DAL_NODISCARD;

/* One accepted step. */
DAL_API dal_status dal_sim_step(dal_sim *sim) DAL_NODISCARD;

typedef enum dal_stop { DAL_STOP_TIME, DAL_STOP_EVENT, DAL_STOP_OBSERVER } dal_stop;

/* Step until t_end (the last step is shortened to end there), an event stops, or an observer asks to stop.
 * reason may be NULL. With a fixed step the number of steps is round((t_end - t)/h) where that divides evenly.
 * t_end = INFINITY: until an event or an observer ends the run; there must be one (or max_steps). A t_end before the
 * current time is refused. */
DAL_API dal_status dal_sim_run(dal_sim *sim, dal_stop *reason, double t_end) DAL_NODISCARD;

/* What the simulation adds to the system: work memory and memory. For dal_model_outputs and dal_data_*. */
DAL_API dal_data *dal_sim_data(const dal_sim *sim);
/* Tell that what the callbacks of the system refer to by `user` has changed: a mass, say. The simulation goes on from the
 * present q and v, made consistent, with new accelerations, multipliers and starting values, as after an event. Not
 * needed where the change is made before dal_sim_start or in the `change` of an event. */
DAL_API dal_status dal_sim_data_changed(dal_sim *sim) DAL_NODISCARD;

/* ---- inputs ----------------------------------------------------------------------------------- */

/* Set an input of the system, by its number from 0 on, or all of them (dal_system_input; "inputs" of a model file), before a start, between two steps or in an observer. A value that differs is a jump: the run goes on
 * from the present q and v with new accelerations, multipliers and starting values, as after an event; the same value costs
 * nothing. Values stay for later starts and are part of snapshots; dal_data_input tells them. One outside of its limits is refused, and all is as before.
 * Allocates nothing, unless redundant rows are looked for. */
DAL_API dal_status dal_sim_set_input(dal_sim *sim, int k, double value) DAL_NODISCARD;
DAL_API dal_status dal_sim_set_inputs(dal_sim *sim, const double *u) DAL_NODISCARD;

/* ---- integrated from outside ------------------------------------------------------------------ */

/* A simulation that has been started, as the equations of motion of somebody else's integrator. At t, q and v, brought to the joints and closed contacts: v'
 * and lambda (dal_sim_shown_state). Modes of contacts and what events have set stay as they are, whatever the state. Then, when the
 * integrator has accepted a step that ends there: what is remembered from step to step (turns of angles) follows; *event (or NULL): something has to happen
 * there that no indicator tells. */
DAL_API dal_status dal_sim_place(dal_sim *sim, double t, const double *q, const double *v) DAL_NODISCARD;
DAL_API dal_status dal_sim_accept_placed(dal_sim *sim, int *event) DAL_NODISCARD;
/* Numbers whose change of sign is an event: three of each contact (gap or force; friction in reserve or sliding speed; reach of what touches), one of each event
 * of the system. At an event, or at the time at which the next one is known to be (infinity: none is), dal_sim_switch does what has to be done
 * at the placed state: impacts, other modes, events with what they set off; *stop (or NULL): one of them ends the run. The
 * state may be another one then. Contacts whose impacts are captured in steps have no indicators, and need steps of the library. */
DAL_API int dal_sim_indicator_count(const dal_system *sys);
DAL_API dal_status dal_sim_indicators(dal_sim *sim, double *z) DAL_NODISCARD;
DAL_API double dal_sim_next_event(const dal_sim *sim);
DAL_API dal_status dal_sim_switch(dal_sim *sim, int *stop) DAL_NODISCARD;

/* ---- state ------------------------------------------------------------------------------------ */

/* Pointers into the simulation, valid until the next step. */
typedef struct dal_state {
    double t, h;              /* time; size of the last step (0 before the first) */
    const double *q;          /* nq */
    const double *v, *vd, *a; /* nv: velocity, v', algorithmic acceleration */
    const double *la;         /* nc: multipliers; B^T lambda are the constraint forces, see dal_sim_reaction */
    const double *eta;        /* nh: auxiliary multipliers of the rows held at both levels, in their order: all
                                 holonomic ones of ggl, those of coordinates of index3; zeros beyond */
} dal_state;

DAL_API dal_state dal_sim_state(const dal_sim *sim);
/* The state as results show it and observers get it: the same, but right after a start or the restart at an event v is the
 * consistent velocity, whereas generalized-alpha goes on from a perturbed one (IN.3). */
DAL_API dal_state dal_sim_shown_state(const dal_sim *sim);
/* dal_sim_state as a point of the system: for dal_model_outputs, dal_system_check, ... */
DAL_API dal_point dal_sim_point(const dal_sim *sim);
/* What it was created from. The options are complete and have the step size of now. */
DAL_API const dal_options *dal_sim_options_(const dal_sim *sim, size_t size);
DAL_API const dal_system *dal_sim_system(const dal_sim *sim);

/* Generalised constraint forces -B^T lambda (nv) on the right-hand side of M v' = -g - B^T lambda. */
DAL_API dal_status dal_sim_reaction(dal_sim *sim, double *force) DAL_NODISCARD;
/* Norms of Phi and of B v + Phi_t at the current state (maximum norm over all rows, redundant ones that were left out
 * included; either may be NULL). */
DAL_API dal_status dal_sim_residuals(dal_sim *sim, double *position, double *velocity) DAL_NODISCARD;
DAL_API dal_status dal_sim_energy(dal_sim *sim, double *energy) DAL_NODISCARD; /* if the system gives it */

/* The balance of energy of a run that is watched: energy - work fed in + work dissipated is constant in the exact motion;
 * what changes it is the error of the method. */
typedef struct dal_balance {
    double energy;   /* now [J]; NaN: the system does not tell (energies of dal_system) or nobody watches */
    double offset;   /* by which the balance is off now [J] */
    double residual; /* the largest |offset| so far */
    double kinetic;  /* largest kinetic energy so far that is no error: without a positive offset */
    double work;     /* dissipated and fed in so far, amounts */
    double size;     /* largest |T| + |V|: rounding is of this size times 1e-16 */
} dal_balance;

/* Watch from here on (after dal_sim_start), or go on from the sums of a run before (NULL: from zero). Smooth motions are looked at
 * every few steps, 16 at most; the balance is that of the present state when dal_sim_run or dal_sim_step returns, within a run that of
 * the last look. The work is integrated at the stages of Runge-Kutta, by cubics through the powers at the ends of steps of the others,
 * as finely as they and the energies ask for. Sums begin anew with dal_sim_start. A recorder (record.h) watches and judges: above 1 %
 * of the energy turned over, kinetic + work, a run deserves a warning; above 100 % it fails. So do members of sweeps. */
DAL_API dal_status dal_sim_watch(dal_sim *sim, const dal_balance *from) DAL_NODISCARD;
DAL_API dal_balance dal_sim_balance(const dal_sim *sim);
/* Is `amount`, the residual or the offset, more than this part of the energy turned over? Rounding of the energies does not count. */
DAL_API int dal_balance_off(const dal_balance *b, double amount, double part);

/* State at a time within the last step, on the group. genalpha: cubic Hermite (DO.1), q and v of third and second
 * order, lambda linear. lobatto: degree 8 (LB.9), errors h^9 in q, h^8 in v, lambda from q and v (lambda = carried:
 * linear); degree 5 in the first step after a start or an event. rk: order 4 or 7 (RK.7), lambda from q and v. Any of the
 * outputs may be NULL. */
DAL_API dal_status dal_sim_interpolate(dal_sim *sim, double *q, double *v, double *la, double t) DAL_NODISCARD;

/* Called with the state at a requested time, in the order of the times. Return DAL_OK, DAL_RETRY to end the
 * run with this step (DAL_STOP_OBSERVER; times of the step that are left come first when the run goes on, but are lost in a
 * snapshot), or a negative status to fail. */
typedef dal_status (*dal_sampler)(dal_sim *sim, const dal_point *at, void *user);
typedef struct dal_sampling {
    double every, from;  /* times from, from + every, ... */
    const double *times; /* or these n, if not NULL: increasing, kept by the caller */
    int n;
} dal_sampling;
/* Sample the motion at requested times, whatever the steps are: `sampler` is called after the step that reaches or passes
 * a time, before the observers, with q, v, v' and lambda from the dense output of dal_sim_interpolate (v' of genalpha
 * linear like lambda, of lobatto and rk from q and v). At the time of an event that changes the state it sees the state
 * afterwards. Times before the start of the run, or before the present one if it is under way, are left out. At most
 * 8. */
DAL_API dal_status dal_sim_sample_(dal_sim *sim, const dal_sampling *when, dal_sampler sampler, void *user,
                                   size_t size) DAL_NODISCARD;

/* Project the current state on the constraints now (mode plain or compensated). */
DAL_API dal_status dal_sim_project(dal_sim *sim, dal_projection mode) DAL_NODISCARD;

/* Change an option that may change during a run: the step size. The state is transferred by (SC.3). */
DAL_API dal_status dal_sim_set_step(dal_sim *sim, double h) DAL_NODISCARD;

typedef struct dal_stats {
    long steps, rejected; /* accepted steps; steps redone with a smaller size */
    long newton_iterations, jacobians, factorisations;
    long residuals; /* evaluations of the system's residual */
    long projections;
    double max_newton_residual; /* scaled, over all accepted steps */
    double condition;           /* estimate for the last iteration matrix; computed when asked for */
    double h_smallest, h_largest;
    /* estimate of the relative error of the multipliers that rounding makes with steps of the mean size (GA.13): it grows
     * like 1/h^2 in the index 3 formulation. 0: none to speak of. Above DAL_ROUNDING_WARNING the end of a run logs it. */
    double lambda_rounding;
    const char *linear_solver; /* of the iteration matrix, dal_linsol_name; NULL if there is none */
    long
        solver_fallbacks; /* factorisations, of the iteration matrix and of the saddle matrix, that `sparse` made because
                                  the pivots of the chosen solver were not good enough */
    long newton_modified; /* solutions of steps, attempts included, by modified Newton where newton = auto chose it */
    double jacobian_cost; /* of a Jacobian with its factors in iterations of Newton's method, by counts; 0: not known */
    long explicit_steps;  /* of the steps, those of an explicit method: with integrator = auto the others are those of
                             generalized-alpha, where stability would have limited them and that cost less */
} dal_stats;
#define DAL_ROUNDING_WARNING 1e-7

DAL_API dal_stats dal_sim_stats(const dal_sim *sim);
/* Why `linear_solver = auto` took the solver it took (dal_linsol_choice); empty if the options named one. */
DAL_API const char *dal_sim_solver_choice(const dal_sim *sim);
/* Estimate the condition number of the last iteration matrix (a few solves); NaN before the first. */
DAL_API double dal_sim_condition(dal_sim *sim);

/* ---- observers and events --------------------------------------------------------------------- */

/* Called after dal_sim_start and after every accepted step, in the order they were added. Return DAL_OK,
 * DAL_RETRY to stop the run here, or a negative status to fail. */
typedef dal_status (*dal_observer)(dal_sim *sim, const dal_state *state, void *user);
DAL_API dal_status dal_sim_observe(dal_sim *sim, dal_observer observer, void *user) DAL_NODISCARD;

/* An event happens where value crosses zero (direction > 0: upwards, < 0: downwards, 0: either). It is
 * located on the interpolant; two crossings of the same event within a step are not seen (limit h then). Events at the
 * same time happen together, in the order they were added. action STOP: the run ends there; RESTART: `change` may alter q and
 * v (an impact, say), then the run goes on from consistent values with new starting values: q and v must be finite and
 * rotations of unit length, as for dal_sim_start; they are projected on the constraints.
 *
 * If `value` is not finite, `change` fails or what it leaves is not such a state, the run fails (DAL_ECALLBACK, or the status
 * of `change`) and the step is taken back: the state is the one before the step with the event, and a run after that
 * finds the event again. What `change` did beyond q and v is its own to undo. */
typedef enum dal_event_action { DAL_EVENT_STOP, DAL_EVENT_RESTART } dal_event_action;
typedef struct dal_event {
    double (*value)(double t, const double *q, const double *v, void *user);
    dal_status (*change)(double t, double *q, double *v, void *user); /* may be NULL */
    int direction;
    dal_event_action action;
    void *user;
} dal_event;
DAL_API dal_status dal_sim_event_(dal_sim *sim, const dal_event *event, size_t size) DAL_NODISCARD; /* copied */
/* Remove an event: those added after it move down by one. */
DAL_API dal_status dal_sim_remove_event(dal_sim *sim, int index) DAL_NODISCARD;
/* Which event ended the last dal_sim_run, or happened in the last dal_sim_step (index in the order they were added, the
 * first if there were several); -1 if none did. */
DAL_API int dal_sim_event_index(const dal_sim *sim);
/* The event of the system (dalembert/events.h) that ended it; NULL: none did. */
DAL_API const char *dal_sim_event_name(const dal_sim *sim);

/* ---- contacts --------------------------------------------------------------------------------- */

/* What happened in a run, in the order of time: to contacts of the system (dal_contacts), and its own events (dal_events). */
typedef enum dal_contact_happening {
    DAL_CONTACT_IMPACT, /* an impulse */
    DAL_CONTACT_TOUCH,  /* it stays closed from here on */
    DAL_CONTACT_LIFT,
    DAL_CONTACT_STICK,
    DAL_CONTACT_SLIP,
    DAL_CONTACT_EVENT /* an event of the system happened */
} dal_contact_happening;
typedef struct dal_contact_event {
    double t;
    int contact; /* or event: its number */
    dal_contact_happening what;
    double P_n, P_t, lost; /* of an impact: impulses, kinetic energy */
} dal_contact_event;
/* Since the start, or the restoring of a snapshot; n may be NULL. Valid until the next step. */
DAL_API const dal_contact_event *dal_sim_contact_events(const dal_sim *sim, int *n);
DAL_API const char *dal_contact_happening_name(dal_contact_happening what); /* "impact"; NULL: no such number */
/* The name of the contact or event; returns the event, NULL if it is a contact. */
DAL_API const dal_system_event *dal_sim_happening(const dal_sim *sim, char *name, size_t size,
                                                  const dal_contact_event *event);

typedef struct dal_contact_totals {
    long impacts;     /* moments with impulses */
    long captured;    /* contacts that were not left as the forces had it: closed at the end of a step */
    long rescues;     /* contact problems that took more than one attempt */
    long jammed;      /* impulses without collision */
    int jams;         /* friction that jams was seen */
    double lost;      /* kinetic energy of impacts */
    double least_gap; /* of all contacts at the ends of steps; infinite: none was seen */
    /* captured impacts: iterations of Newton's method and sweeps in islands of contacts, the most contacts of an island, islands
     * whose sweeps came to no end */
    long iterations, sweeps, unfinished;
    int largest_island;
    double
        complementarity; /* largest product of a force and the gap, an impulse and the rate, that vanish with it [J] */
    int shared; /* most rows of closed contacts that depended on others: their forces are shared by least norm */
} dal_contact_totals;
DAL_API dal_contact_totals dal_sim_contact_totals(const dal_sim *sim);

/* ---- saving ----------------------------------------------------------------------------------- */

/* The complete state: a simulation created from the same system and options, with the same events, goes on bit for bit
 * as this one when it is restored from it, started or not; which redundant rows are left out comes with it. A snapshot
 * carries a checksum, the version of the library and fingerprints of the structure and names of the system and of the
 * events; one that is damaged or does not belong here is refused (DAL_ESNAPSHOT) and changes nothing. Buffers are aligned
 * as malloc aligns. A start that leaves out other rows changes the size. Size 0: the simulation has no memory. */
DAL_API size_t dal_sim_snapshot_size(const dal_sim *sim);
DAL_API dal_status dal_sim_save(const dal_sim *sim, void *buffer, size_t size) DAL_NODISCARD;
DAL_API dal_status dal_sim_restore(dal_sim *sim, const void *buffer, size_t size) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
