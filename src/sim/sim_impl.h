/* A simulation, shared by its files:
 *     sim.c       creation, start
 *     query.c     questions to the state, observers, events, changes between steps
 *     run.c       steps, step size control, projection, the loop
 *     sample.c    states at requested times
 *     quadrature.c integrals over time
 *     balance.c   the balance of energy
 *     events.c    zero crossings
 *     happen.c    events of the system, the table of what happened
 *     outside.c   motions that are integrated from outside
 *     inputs.c    numbers set from outside
 *     watch.c     rows that were left out
 *     snapshot.c  save and restore */
#ifndef DAL_SIM_SIM_IMPL_H
#define DAL_SIM_SIM_IMPL_H

#include <stdint.h>

#include "dalembert/reduce.h"
#include "dalembert/sim.h"
#include "integrate/integrator.h"
#include "sim/follow.h"

/* Who is at work: nobody; the solvers, which call the system and events; an observer, between two steps. */
typedef enum sim_phase { SIM_IDLE, SIM_SOLVING, SIM_OBSERVING } sim_phase;

typedef struct sim_event {
    dal_event event;
    double last; /* value at the current state */
    int armed;   /* 0 if that value is zero: the next step only takes the value */
    /* of the step that is looked at: value at its end, time of the crossing or infinity; does it happen? */
    double value, time;
    int happens;
} sim_event;

/* Times from + i every, or those of a list. */
typedef struct sim_sampler {
    dal_sampler call;
    void *user;
    double every, from;
    const double *times; /* n, or NULL */
    int n;
    double next; /* number of the next time, a whole one */
} sim_sampler;

/* Powers dissipated and fed in at the last moments at which they were evaluated: value, slope and bend there, the times between
 * them; so many are known, up to 3. */
typedef struct sim_powers {
    int n;
    double t, P[2], slope[2], bend[2], h[2];
} sim_powers;

/* A run that is watched is looked at every few steps, for it costs a part of a step. */
enum { SIM_LOOK = 16 }; /* at least so often, in steps */
typedef struct sim_looks {
    int every, steps; /* steps between looks, since the last one */
    int ends;         /* explicit fixed steps: powers at the ends of steps have agreed with the sums at their stages */
    int size;         /* of a step that is kept */
    double *
        end; /* SIM_LOOK of them: t, q, v, v', lambda and memory at their ends, where their powers may be asked for; a memory */
    double W[2];       /* energy dissipated and fed in since the last look, by methods that sum it up */
    double kinetic;    /* energy at the last look */
    double usual;      /* by which the balance is off per step [J] */
    sim_powers powers; /* up to the last look */
} sim_looks;

typedef struct sim_contacts sim_contacts;
typedef struct sim_own sim_own;
typedef struct sim_captured sim_captured;

struct dal_sim {
    dal_ctx *ctx;
    sim_contacts *contacts;   /* NULL: the system has none */
    sim_own *own;             /* likewise of events */
    const dal_system *sys;    /* as given; with redundant rows another one may be integrated */
    dal_reduction *reduction; /* NULL if nothing was looked for */
    dal_eval *whole;          /* of the system as given, with a reduction */
    double *la;               /* multipliers of all rows, with a reduction */
    double *rows, *rows2;     /* values of all rows, with a reduction */
    dal_scales all;           /* of all rows, with a reduction */
    int singular;             /* rows were left out in a singular configuration, and a warning said so */
    int stale;                /* other rows should be left out: see dal_sim_watch_step */
    dal_data *data;           /* of sys */
    dal_options opt, shown;   /* shown: to a program that knows fewer of them */
    dal_eval *ev;
    dal_saddle *saddle;
    dal_integrator *method;
    long builds; /* methods there have been */
    int started;
    sim_phase phase;
    uint64_t fingerprint; /* of the structure of sys */

    /* as given to the last start */
    double initial_t;
    double *initial_q, *initial_v, *zero_v;      /* nq, nv, nv of sys: one block, with */
    double *before_q, *before_v, *before_memory; /* events: what a step began with (nq, nv, nmemory) */
    double *before_vd;                           /* nv: of the motion up to an event, */
    int goes_on;                                 /* which a start goes on with */

    /* fixed steps end at t_anchor + k h, so that rounding does not add up */
    double t_anchor;
    double k;
    /* adaptive steps */
    double h_next, last_error;

    int nobservers, observer_room;
    struct {
        dal_observer call;
        void *user;
    } * observer; /* room for observer_room of them */
    int nsamplers, sampler_room;
    sim_sampler *sampler;    /* likewise */
    int sampler_stops;       /* one ended the run; times of the last step may be left */
    dal_sim_follower follow; /* NULL: nobody */
    void *follow_user;
    int nevents, event_room, fired;
    sim_event *event; /* room for event_room of them */
    dal_contact_event *log;
    int nlog, log_room;

    int watched;         /* see dal_sim_watch */
    dal_balance balance; /* its energy is that at the start of the next step */
    sim_looks looks;

    int output; /* the last step can be interpolated */
    int fresh;  /* no step since the last start or restart */
    int warned; /* of rounding in the multipliers */
    int warned_stability, warned_coordinates, warned_tolerance;
    int next_projection; /* index in opt.projection_times */
    dal_stats stats;
    double *q, *v, *w;                                   /* scratch: nq, nv, max(nv, nc) */
    double *sample_q, *sample_v, *sample_vd, *sample_la; /* nq, nv, nv, all rows */
    dal_arena arena;
};

/* build.c */
/* All or nothing: without memory there is no method afterwards. */
dal_status dal_sim_build(dal_sim *sim, const dal_system *sys) DAL_NODISCARD;
void dal_sim_unbuild(dal_sim *sim);
void dal_sim_forget_reduction(dal_sim *sim);
/* Policy `redundant`: find dependent rows at the initial q and build anew without them. That frees the state which q
 * and v may belong to, so they are replaced by copies. */
dal_status dal_sim_leave_out_redundant(dal_sim *sim, const double **q, const double **v, double t) DAL_NODISCARD;
/* The same with the rows r that are known: those with gone[r] != 0. */
dal_status dal_sim_leave_out(dal_sim *sim, const int *gone) DAL_NODISCARD;
int dal_sim_looks_for_redundant(const dal_sim *sim); /* 1: a start makes a reduction */
/* From which remainder on rows are dependent; 0: the usual one. Where features of contacts exchange two of them may be the same but for a
 * tiny angle, of which the saddle matrix has the square. */
double dal_sim_redundant_tol(const dal_sim *sim);
/* Multipliers of the given system from those of the reduced one. */
dal_status dal_sim_whole_multipliers(const dal_sim *sim, double *la, const dal_point *at) DAL_NODISCARD;

/* watch.c: do the rows left out still depend on the others? DAL_EREDUNDANT names them if not. At a start velocities and
 * accelerations tell, later positions do (velocities where rows are nonholonomic). */
dal_status dal_sim_watch_start(dal_sim *sim, double t, const double *q, const double *v,
                               const double *vd) DAL_NODISCARD;
dal_status dal_sim_watch_step(dal_sim *sim) DAL_NODISCARD;

/* run.c */
void dal_sim_claim_scratch(dal_sim *sim); /* before an attempt or a projection: see `end` in integrator.h */
void dal_sim_reset_grid(dal_sim *sim);
/* The first time after t at which a step must end because the forces change; go_on: see dal_system.next_kink. */
double dal_sim_next_break(const dal_sim *sim, double t, int go_on);
/* The current state is final: multipliers of all rows, and the memory of the system. */
dal_status dal_sim_settle(dal_sim *sim, dal_moment moment) DAL_NODISCARD;
dal_status dal_sim_notify(dal_sim *sim, int *stop) DAL_NODISCARD;
/* query.c */
/* Refuse calls from callbacks of the same simulation: from any of them, or from all but observers. */
dal_status dal_sim_idle(const dal_sim *sim, const char *function) DAL_NODISCARD;
dal_status dal_sim_between_steps(const dal_sim *sim, const char *function) DAL_NODISCARD;
dal_status dal_sim_project_now(dal_sim *sim, dal_projection mode) DAL_NODISCARD;
/* sim.c */
/* Norms of the constraints at two levels; nonholonomic rows count at velocity level only. */
dal_status dal_sim_constraint_norms(dal_sim *sim, double *position, double *velocity, double t, const double *q,
                                    const double *v) DAL_NODISCARD;
/* A start begins or ends: the factors of the saddle matrix are kept within it. */
void dal_sim_keep_saddle(dal_sim *sim, int yes);
/* snapshot.c */
uint64_t dal_sim_fingerprint(const dal_sim *sim);
/* events.c */
dal_status dal_sim_arm_event(dal_sim *sim, int e) DAL_NODISCARD;
/* Build for the rows that hold now; the state goes to sim->q and sim->v. */
dal_status dal_sim_rebuild(dal_sim *sim, const double *q, const double *v, double t) DAL_NODISCARD;
/* From sim->q and sim->v, which have jumped, at the end of a step. */
dal_status dal_sim_start_again(dal_sim *sim, double t, double h) DAL_NODISCARD;
/* The next start, until goes_on is cleared, goes on with the motion of the last step at t: with its v' where that is all that is smooth. */
void dal_sim_goes_on(dal_sim *sim, double t);
/* The step ended where the forces of the system jump: start anew with those after. */
dal_status dal_sim_pass_break(dal_sim *sim) DAL_NODISCARD;
/* Start from sim->q and sim->v, after events of the system that have been chosen, and those that these set off. */
dal_status dal_sim_restart_with_own(dal_sim *sim, int *stop, double t, double h) DAL_NODISCARD;
/* Look for the first event within the last step and act on it. *restarted: there was one; *stop: the run ends. If a callback
 * fails or the changed state is none, the step is taken back: the state is that before it, and the next run finds the
 * event again. */
dal_status dal_sim_handle_events(dal_sim *sim, int *restarted, int *stop) DAL_NODISCARD;

/* happen.c: events of the system. Nothing happens where there are none. */
dal_status dal_sim_own_create(dal_sim *sim) DAL_NODISCARD;
void dal_sim_own_destroy(dal_sim *sim);
dal_status dal_sim_own_reset(dal_sim *sim) DAL_NODISCARD; /* before a start */
dal_status dal_sim_own_start(dal_sim *sim) DAL_NODISCARD; /* the current state is the first */
/* Sampled events: when the next one is, and which are due at t. */
double dal_sim_own_next(const dal_sim *sim);
int dal_sim_own_due(dal_sim *sim, double t);
/* Those that are due at the start. */
dal_status dal_sim_first_samples(dal_sim *sim) DAL_NODISCARD;
/* The first time within the last step at which a condition becomes true; infinite: none does. Those at t are chosen. */
dal_status dal_sim_own_watch(dal_sim *sim, double *t_event) DAL_NODISCARD;
void dal_sim_own_choose(dal_sim *sim, double t);
int dal_sim_own_happens(const dal_sim *sim);
/* What was chosen happens, at sim->q and sim->v as far as the step can be interpolated; then rows and velocities follow. */
dal_status dal_sim_own_act(dal_sim *sim, int *stop, double t) DAL_NODISCARD;
dal_status dal_sim_own_apply(dal_sim *sim, double t) DAL_NODISCARD;
/* Conditions that became true by what has just changed the state: they are chosen. */
dal_status dal_sim_own_follow(dal_sim *sim, int *again, int round) DAL_NODISCARD;
/* At the current state: values, 1 for sampled events; which are to happen now; sides of those that are not. */
dal_status dal_sim_own_values(dal_sim *sim, double *value) DAL_NODISCARD;
dal_status dal_sim_own_ready(dal_sim *sim) DAL_NODISCARD;
dal_status dal_sim_own_sides(dal_sim *sim) DAL_NODISCARD;
/* The step is taken back to sim->q and sim->v, its start. */
dal_status dal_sim_own_undo(dal_sim *sim, double t) DAL_NODISCARD;
dal_status dal_sim_note(dal_sim *sim, dal_contact_event event) DAL_NODISCARD; /* into the table */

/* contact.c */
dal_status dal_sim_contacts_create(dal_sim *sim) DAL_NODISCARD;
void dal_sim_contacts_destroy(dal_sim *sim);
void dal_sim_contacts_reset(dal_sim *sim);
/* All open: which of them hold is decided next. The search for an equilibrium leaves those closed that carry, without friction. */
void dal_sim_contacts_free(dal_sim *sim);
/* At a start: no gap is negative at sim->q. */
dal_status dal_sim_contacts_start(dal_sim *sim, double t) DAL_NODISCARD;
/* contact_watch.c: the time within the last step at which the mode of a contact ends; infinite: none does. */
dal_status dal_sim_contacts_watch(dal_sim *sim, double *t_event) DAL_NODISCARD;
/* The multipliers of all rows at the end of a step within which nothing happened, once, if the watch has found them. */
int dal_sim_contacts_multipliers(dal_sim *sim, double *la);
/* At the current state: 3 values of each contact that are positive as long as its mode goes on, but for rounding; are there negative ones? Those end
 * their modes in the next decision. */
dal_status dal_sim_contacts_now(dal_sim *sim, double *z) DAL_NODISCARD;
dal_status dal_sim_contacts_ended_now(dal_sim *sim, int *some) DAL_NODISCARD;
dal_status dal_sim_contacts_end_now(dal_sim *sim) DAL_NODISCARD;
/* Impacts at sim->q and sim->v, and the modes that follow. *changed: the rows that hold are others than the simulation was
 * built for. */
dal_status dal_sim_contacts_decide(dal_sim *sim, int *changed, double t, double h) DAL_NODISCARD;
/* From the start of the last step, at sim->q and sim->v: with the drives as they are at its end, do other contacts hold? */
dal_status dal_sim_contacts_retreat(dal_sim *sim, int *changed) DAL_NODISCARD;
/* events.c: such a step is taken back. *retreated: it was, with other contacts; otherwise st is what it is. */
dal_status dal_sim_retreat(dal_sim *sim, int *retreated, dal_status st) DAL_NODISCARD;
/* captured.c */
dal_status dal_sim_captured_create(dal_sim *sim, sim_captured **out) DAL_NODISCARD;
void dal_sim_captured_destroy(dal_sim *sim, sim_captured *c);
dal_status dal_sim_captured_start(dal_sim *sim, double t) DAL_NODISCARD; /* no gap is negative at sim->q */
void dal_sim_captured_reset(dal_sim *sim);                               /* counts begin anew */
void dal_sim_captured_begin(dal_sim *sim); /* a step is to be looked at: keep where it began */
/* Impulses at the end of the step, and the state after them. */
dal_status dal_sim_capture(dal_sim *sim, int *jumped) DAL_NODISCARD;
void dal_sim_captured_multipliers(const dal_sim *sim, double *la); /* += those of the impulses, all rows */
void dal_sim_contacts_accept(dal_sim *sim);                        /* the current state is final */
int dal_sim_contacts_located(const dal_sim *sim);
/* sim->q and sim->v at a time within the last step, on the rows that hold there. */
dal_status dal_sim_contacts_state(dal_sim *sim, double t) DAL_NODISCARD;
void dal_sim_contacts_shared(dal_sim *sim, const dal_reduction *red,
                             double t);    /* rows of closed contacts among those left out */
void dal_sim_contacts_share(dal_sim *sim); /* before a step from the current state, which is final */
/* Multipliers of least norm (la: all rows) that stops and brakes can have. */
dal_status dal_sim_contacts_relieve(const dal_sim *sim, double *la, const dal_point *at) DAL_NODISCARD;
void dal_sim_contacts_built(dal_sim *sim); /* for the modes that are in the memory */

/* sample.c */
void dal_sim_rewind_samplers(dal_sim *sim, int after); /* to the first time from now on, or after now */
dal_status dal_sim_take_samples(dal_sim *sim) DAL_NODISCARD;
dal_status dal_sim_take_samples_to(dal_sim *sim, double t) DAL_NODISCARD; /* up to a time within the last step */
dal_status dal_sim_rest_of_samples(dal_sim *sim) DAL_NODISCARD;           /* when the run goes on */

/* quadrature.c: let the system integrate its rates from the start of the last step to t1, its end or before. */
dal_status dal_sim_integrate(dal_sim *sim, double t1) DAL_NODISCARD;
/* Energy dissipated and fed in over the same time. */
dal_status dal_sim_exchanged(dal_sim *sim, double W[2], double t1) DAL_NODISCARD;

/* balance.c: the last step is complete, before anything else changes. now: look at it. */
dal_status dal_sim_balance_step(dal_sim *sim, int now) DAL_NODISCARD;
/* It ends at t, its end or before, by an event. */
dal_status dal_sim_balance_event(dal_sim *sim, double t) DAL_NODISCARD;
int dal_sim_step_size(const dal_sim *sim); /* numbers of a step that is kept */
/* The state, or what acts on it, has jumped for a reason: the next step begins with this energy. */
dal_status dal_sim_balance_anew(dal_sim *sim) DAL_NODISCARD;

#endif
