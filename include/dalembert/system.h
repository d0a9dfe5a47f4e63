/* dalembert/system.h - constrained mechanical systems on a Lie group (docs/theory/system.md, labels CS.*).
 *
 *     q' = q v~                                                                                   (CS.1)
 *     M(q,t) v' + g(q,v,lambda,t) + B(q,t)^T lambda = 0                                           (CS.2)
 *     Phi(q,t) = 0              holonomic rows                                                    (CS.3)
 *     A(q,t) v + b(q,t) = 0     nonholonomic rows; they share B and lambda with the holonomic ones (CS.4)
 *
 *     l(q,v,lambda,t) = 0       laws: rows that give their multipliers by themselves; forces B^T lambda   (CS.9)
 *
 * M is symmetric positive semidefinite and positive definite on the kernel of B, laws left out; dl/dlambda is regular.
 *
 * Two ways to describe a system: dal_dense (plain matrices; for small systems, start there) and
 * dal_system (sparse, block by block; what models compile to). Either way an integrator sees a dal_system. */
#ifndef DALEMBERT_SYSTEM_H
#define DALEMBERT_SYSTEM_H

#include "dalembert/lie.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- block form ------------------------------------------------------------------------------- */

/* Where a system is evaluated: nq, nv, nv and nc numbers. Functions that take a point need all of them, la only if the system
 * has constraint rows; a NULL is DAL_EINVAL. Pictures (dal_model_poses, dal_model_wrenches, dal_page_frame) do without la. */
typedef struct dal_point {
    double t;
    const double *q, *v, *vd, *la;
} dal_point;

/* What is wanted there, and where it goes. NULL: not wanted. Entries are overwritten. */
typedef struct dal_residual {
    double *r;       /* nv: M v' + g + B^T lambda                                                  (CS.2) */
    double *Phi;     /* nc: holonomic rows; nonholonomic rows are left alone                       (CS.3) */
    double *vel;     /* nc: B v + Phi_t, and A v + b for nonholonomic rows                         (CS.5) */
    double *acc;     /* nc: time derivative of vel along the motion: B v' + Z v + terms from t     (CS.6) */
    const double *w; /* nv: vel is taken at these velocities instead of v, acc is not wanted; NULL: at v. Only systems
                        with vel_apart are asked for it */
    double *law;     /* nc: laws; other rows are left alone, as laws are in Phi, vel and acc        (CS.9) */
} dal_residual;

/* The tangents, left-trivialised in q: a change d of q means q o exp(d). */
enum {
    DAL_WANT_M = 1,  /* mass matrix                                                            */
    DAL_WANT_C = 2,  /* d r / d v                                                              */
    DAL_WANT_K = 4,  /* d r / d q                                                              */
    DAL_WANT_B = 8,  /* d Phi / d q, d vel / d v                                               */
    DAL_WANT_Z = 16, /* d vel / d q                                                            */
    DAL_WANT_A = 32, /* d acc / d q and d acc / d v (index-1 formulation only)                  */
    DAL_WANT_G = 64, /* d g / d lambda: friction that depends on the reactions                   */
    /* No matrix: where the slope of a force jumps, C and K have the mean of the derivatives on both sides (analyses). */
    DAL_WANT_MEANS = 128,
    DAL_WANT_L = 256, /* d law / d q, d law / d v, d law / d lambda */
    /* No matrix: derivatives that are found by differences should be as exact as these can be (gradients of runs). */
    DAL_WANT_SHARP = 512,
    /* No matrix: without friction of contacts that slide. What is left is affine in v' and lambda (gradients of runs, GR.2). */
    DAL_WANT_BARE = 1024
};

/* A sink takes the tangents block by block. All blocks are column-major without padding:
 * M, C, K nv_i x nv_j for pair (i, j); B, Z, Aq, Av, Lq, Lv nrows_c x nv_j and G nv_j x nrows_c for link (c, j); F nrows_c x
 * nrows_d for couple (c, d). The last two are called only where DAL_WANT_L is wanted.
 * NULL means zero. A block may be pushed in several parts: they add up. */
typedef struct dal_sink dal_sink;
struct dal_sink {
    unsigned wants; /* DAL_WANT_* bits: what is not wanted need not be computed */
    void (*pair)(dal_sink *sink, int pair, const double *M, const double *C, const double *K);
    void (*link)(dal_sink *sink, int link, const double *B, const double *Z);
    void (*link_acc)(dal_sink *sink, int link, const double *Aq, const double *Av);
    void (*link_force)(dal_sink *sink, int link, const double *G);
    void (*link_law)(dal_sink *sink, int link, const double *Lq, const double *Lv);
    void (*couple)(dal_sink *sink, int couple, const double *F);
};

/* What a block of constraint rows demands. */
typedef enum dal_row_kind {
    DAL_ROWS_POSITION,    /* equations of positions (CS.3) */
    DAL_ROWS_VELOCITY,    /* equations of velocities (CS.4) */
    DAL_ROWS_COORDINATES, /* equations of positions that belong to the coordinates, not to a joint, as the length of a
                             quaternion: formulation = index3 holds them at the level of velocities, too (EP.3) */
    DAL_ROWS_LAW, /* laws (CS.9): nothing is held, the rows say what their multipliers are: compliance (Phi - e lambda), friction.
                    Written as displacements, like Phi. These blocks come after all others, each with a couple (c, c) */
    DAL_ROWS_TEXTBOOK /* as DAL_ROWS_COORDINATES in textbooks (EP.4): index3 holds positions only, and tangents are those of
                         motions that keep these rows; dal_system_check compares no others */
} dal_row_kind;

typedef struct dal_constraint {
    int nrows;
    dal_row_kind kind;
} dal_constraint;

typedef struct dal_pair {
    int i, j;      /* factors of the group: rows of i of (CS.2) depend on the motion of j */
    int positions; /* 1: on its coordinates only; K is pushed, M and C never (or zero) */
} dal_pair;

typedef struct dal_link {
    int c, j; /* constraint block c depends on the motion of factor j */
} dal_link;

typedef struct dal_couple {
    int c, d; /* the laws of block c depend on the multipliers of block d */
} dal_couple;

/* Why the memory of a system is brought up to date. */
typedef enum dal_moment {
    DAL_MOMENT_START,  /* a run begins here: nothing is known of a time before */
    DAL_MOMENT_STEP,   /* a step was accepted */
    DAL_MOMENT_RESTART /* the same after an event: the state may have jumped */
} dal_moment;

typedef struct dal_data dal_data; /* of one simulation, see below */

/* A number that whoever runs a simulation may set while it runs (dal_sim_set_input): a torque, a valve, a target. */
typedef struct dal_system_input {
    const char *name, *unit; /* "" if it has none */
    double value;            /* at first */
    double min, max;         /* what is outside is refused; -INFINITY, INFINITY: nothing is */
} dal_system_input;

/* A system consists of a structure, announced once and fixed, and of three tables of callbacks: its equations, the life of a
 * simulation, names. Callbacks return DAL_OK, DAL_RETRY (the state is out of range, a smaller step may help) or a negative
 * status; they keep no pointer.
 *
 * The description is constant: any number of simulations, in any number of threads, may use it at the same time. What
 * changes belongs to a simulation (dal_data): `work` is what `create` made for it, `memory` are nmemory numbers that
 * change only in `integrate` and `accept`, when a step is final, and are part of snapshots (turns counted, sums over
 * time). */

/* What holds at a point. */
typedef struct dal_equations {
    dal_status (*residual)(const dal_residual *out, const dal_point *at, const void *user, void *work); /* required */
    dal_status (*tangent)(dal_sink *sink, const dal_point *at, const void *user, void *work);           /* required */
    double (*energy)(const dal_point *at, const void *user, void *work); /* optional: total energy */
    /* optional: kinetic and potential energy [J], whose sum is `energy`, and what is dissipated and fed in beyond that [W]:
     * (T + V)' = P[1] - P[0] (MB.14); exchange NULL: nothing is. A simulation that is watched compares: dal_sim_watch. */
    dal_status (*energies)(double E[2], const dal_point *at, const void *user, void *work);
    dal_status (*exchange)(double P[2], const dal_point *at, const void *user, void *work);
    /* optional: what tolerances are parts of. Writes for each velocity a displacement that counts as large (nv): a length that
     * is typical of the system for translations, 1 for angles; returns that length. Positive numbers; without this all are 1. A
     * system in other units that says so here gives the same motion. */
    double (*units)(double *unit, const void *user, void *work);
} dal_equations;

/* What changes while one simulation runs; all optional. */
typedef struct dal_life {
    /* Work memory; ctx is that of the simulation, for messages while it runs; `memory` starts as zeros and stays where it is
     * as long as the work lives. */
    dal_status (*create)(void **work, dal_ctx *ctx, double *memory, const void *user);
    void (*destroy)(void *work, const void *user);
    /* Drop values that are kept from earlier calls: the data behind `user` may have changed, or a call failed. */
    void (*forget)(const void *user, void *work);
    dal_status (*accept)(const dal_point *at, dal_moment moment, const void *user, void *work);
    /* Sums over time. Called at the nodes of a Gauss rule within an accepted step, in the order of time and
     * before `accept` is called with its end: add weight (of the node, in seconds) times the rates there. */
    dal_status (*integrate)(const dal_point *at, double weight, const void *user, void *work);
    /* The first time after t at which the forces jump. A step ends there, with the forces before; then `accept`
     * is called and the run starts anew with those after. Infinity: there is none. */
    double (*next_break)(double t, const void *user, void *work);
    /* The first time after t at which forces or motions, or their derivatives, jump because of the time alone.
     * Adaptive steps end there, and the run goes on with a start; fixed steps pass over it. go_on: the motion goes on from t,
     * and what is asked for at the time returned belongs to what is before it, until this is called again. Infinity: there is
     * none. */
    double (*next_kink)(double t, int go_on, const void *user, void *work);
    /* The same of jumps of forces alone, at which fixed steps end, too. NULL: there are none. */
    double (*next_jump)(double t, int go_on, const void *user, void *work);
    /* Has this constraint row ceased to exist, at time t or, once a run has started, at the last final state? Its
     * values and derivatives are zero then; it is left out from the next start or break (next_break) on. */
    int (*released)(int row, double t, const void *user, void *work);
    /* Numbers in `work` that were changed for this simulation alone and are part of its snapshots, such as
     * those of dal_data_set_body. `numbers` writes them (x NULL: none are written) and returns how many there are, 0 as
     * long as all are those of the description. `set_numbers` takes them back; n = 0: those of the description again. */
    int (*numbers)(double *x, const void *user, void *work);
    dal_status (*set_numbers)(const double *x, int n, const void *user, void *work);
    /* The values of all inputs of the system, for this simulation. After a failure they are as before. */
    dal_status (*set_inputs)(dal_data *data, const double *u, const void *user);
} dal_life;

/* What things are called and what they mean, for messages and analyses; all optional. */
typedef struct dal_names {
    void (*row)(char *buffer, size_t size, int row, const void *user);
    void (*velocity)(char *buffer, size_t size, int index, const void *user);
    /* How well the coordinates describe the state q, 1 at best, 0 where they are singular (gimbal lock), changing by
     * about 1 per radian; the buffer receives which coordinates are worst and what to use instead, for messages, at least
     * below 1/2; size 1: the number alone is wanted, there is no room for a text */
    double (*coordinates)(char *buffer, size_t size, const double *q, const void *user);
    /* After a value that is not finite, which part gave it ("the value of force 'air' is nan"); 0: not known */
    int (*culprit)(char *buffer, size_t size, const dal_point *at, const void *user, void *work);
    /* 1: this velocity is a state of first order, x' = f, whose coordinate has no meaning: nothing depends on it; at
     * rest x has the value with f = 0. 2: the rate of an integral over time, which is the coordinate. 0: neither. */
    int (*is_state)(int index, const void *user);
    /* Is this factor, an R^3, the place of a point in world axes? Axes that turn turn it, too. */
    int (*is_place)(int factor, const void *user);
} dal_names;

/* Unilateral conditions (docs/theory/contact.md): blocks of rows that hold while a contact is closed. The first is a row of
 * positions, whose value is the gap, or one of velocities, which may not be negative; it pushes only, lambda <= 0. The second
 * has one or two rows of velocities, the sliding velocity, which hold while it sticks. Both are open (life.released) otherwise.
 * While a contact slides, g has its friction, mu p_n against the sliding velocity, p_n = -lambda of the first block. */
typedef struct dal_contact {
    int normal;  /* block of one row; -1: friction alone, limited by `limit` */
    int tangent; /* block of one or two rows of velocities; -1: no friction */
} dal_contact;

typedef struct dal_contact_law {
    double e;        /* restitution (Newton) */
    double mu, mu_s; /* friction of sliding and of sticking, mu_s >= mu */
    double limit;    /* without normal block: the largest friction */
    double limit_s;  /* while it sticks, >= limit */
    int follows;     /* these follow the multipliers of joints: they are those at the last call of contacts.residual */
} dal_contact_law;

/* What the memory of a system says of a contact, from `memory` on, for one after the other. The simulation writes it. */
enum {
    DAL_CONTACT_MODE,      /* a dal_contact_mode */
    DAL_CONTACT_DIRECTION, /* of sliding, three numbers */
    DAL_CONTACT_SPEED = 4, /* the largest speed seen in contacts so far */
    DAL_CONTACT_PACE,      /* sliding speed at the last final state */
    DAL_CONTACT_VALUE,     /* the gap there */
    DAL_CONTACT_RATE,      /* and its rate: written by the system */
    DAL_CONTACT_FEATURE, /* which features of the shapes touch: chosen by the system while it is open, or where this is 0 */
    DAL_CONTACT_REACH, /* positive as long as they are those of a closed contact: written by contacts.residual; 0: for ever */
    DAL_CONTACT_IMPULSE, /* sum of the normal impulses of its impacts */
    DAL_CONTACT_COUNT,   /* impacts; negative: it was held at that time, as it would not open */
    DAL_CONTACT_SINCE,   /* from this time on, within one step */
    DAL_CONTACT_SHARE,   /* of the multipliers of its gap, if its row is left out as redundant and friction needs it */
    DAL_CONTACT_LOAD,    /* reaction of the joint that its friction follows: written by contacts.residual */
    DAL_CONTACT_TOOTH,   /* of a ratchet: the last one passed: written by the system */
    DAL_CONTACT_MEMORY
};
typedef enum dal_contact_mode { DAL_CONTACT_IS_OPEN, DAL_CONTACT_SLIDING, DAL_CONTACT_STICKING } dal_contact_mode;

/* A contact that comes and goes, found anew in each step: it has no rows in the structure. */
enum { DAL_TOUCH_VELOCITIES = 7 };
typedef struct dal_touch {
    int pair, point; /* which pair of shapes, and which of its points: name it, and find it again */
    int v[2], n[2];  /* velocities that move its two sides: n of them from v on; n = 0: it does not move */
    double gap, e, mu;
    double axis[3][3]; /* normal, from A to B, and two tangents, world */
    double x[3];       /* where A is touched, world */
    double row[2][3]
              [DAL_TOUCH_VELOCITIES]; /* of side and axis: sums of row . v are the rates of the gap and of sliding */
} dal_touch;
/* Of a touch that pushed in the last step, in the memory: pair, point, impulses along world axes; normal impulse first. */
enum { DAL_TOUCH_PAIR, DAL_TOUCH_POINT, DAL_TOUCH_NORMAL, DAL_TOUCH_FRICTION, DAL_TOUCH_MEMORY = 6 };

typedef struct dal_contacts {
    int n;
    const dal_contact *contact; /* n */
    int memory;                 /* first of n DAL_CONTACT_MEMORY numbers in the memory */
    /* As those of dal_equations, for the rows of all contacts, open or not, and for these alone: out->r is not wanted, the
     * sink takes links. */
    dal_status (*residual)(const dal_residual *out, const dal_point *at, const void *user, void *work);
    dal_status (*tangent)(dal_sink *sink, const dal_point *at, const void *user, void *work);
    void (*law)(dal_contact_law *law, int contact, const void *user, void *work);
    void (*name)(char *buffer, size_t size, int contact, const void *user); /* n + pair: of a touch */
    /* Touches with gaps below the margin and what both sides may come closer by in a time h, in the order of pairs and points;
     * NULL: there are none ever. The list lasts until the next call. The simulation keeps impulses in `pool`, the first of npool DAL_TOUCH_MEMORY numbers. */
    dal_status (*touches)(const dal_touch **list, int *n, const dal_point *at, double margin, double h,
                          const void *user, void *work);
    int pool, npool;
} dal_contacts;

/* Events of a system: what happens where a value crosses zero (dalembert/events.h). */
typedef struct dal_system_event {
    const char *name, *note; /* "": none */
    int direction;           /* > 0: upwards, < 0: downwards, 0: either */
    int once, stops;
    double band;        /* 0: 1e-9 of the largest value so far */
    double every, from; /* > 0: it happens at from, from + every, ... instead, and its value does not matter */
} dal_system_event;

/* What an event does to the simulation, beyond the memory, which it writes itself. */
typedef struct dal_effect {
    int rows;        /* other rows may hold from now on (life.released) */
    int stop;        /* the run ends */
    int inputs;      /* u has changed */
    double *u;       /* ninputs: inputs, as they are and as they are to be */
    int impulsive;   /* there is an impulse */
    double *impulse; /* nv: += generalised impulse */
} dal_effect;

/* Of each event in the memory: the simulation writes it. Behind all of them, for each input: whether an event has set it, and what
 * it was before. */
enum {
    DAL_EVENT_SIDE, /* of zero on which the value was seen last, -1 or 1; 0: not yet. With `every`: the number of the next time */
    DAL_EVENT_SCALE, /* the largest value so far */
    DAL_EVENT_COUNT, /* how often it has happened */
    DAL_EVENT_OFF,   /* where it has happened: what is not further from zero is on neither side, until a side is seen */
    DAL_EVENT_MEMORY
};
typedef struct dal_events {
    int n;
    const dal_system_event *event; /* n */
    int memory;                    /* the first of n DAL_EVENT_MEMORY numbers */
    dal_status (*values)(double *x, const dal_point *at, const void *user, void *work); /* all n */
    dal_status (*act)(dal_effect *effect, int event, const dal_point *at, const void *user, void *work);
} dal_events;

typedef struct dal_mask dal_mask;

typedef struct dal_system {
    const dal_group *group; /* velocity blocks = factors of the group */
    int nconstraints;
    const dal_constraint *constraint; /* rows are numbered through, block after block */
    int npairs;
    const dal_pair *pair;
    int nlinks;
    const dal_link *link;
    int ncouples;
    const dal_couple *couple;
    unsigned provides; /* DAL_WANT_* bits that `tangent` pushes. M and B are required; C, K, Z, A, G, L that are
                          missing are replaced by differences. Without G in `provides` and lambda_in_g = 0, G = 0. */
    int lambda_in_g;   /* g depends on lambda */
    int vel_apart;     /* `residual` heeds w of dal_residual; 0: it is called once for r and once for vel */
    int slender; /* far stiffer in some directions than in others, as beams are: statics takes full steps, with K as it is */
    const int *
        shares; /* nfactors, or NULL: neighbouring factors with the same number > 0, the nodes of a beam, share the scale by
                          which errors of their velocities are measured (SC.1) */
    int nmemory;
    int ninputs;
    const dal_system_input *input;
    dal_equations equations;
    dal_life life;
    dal_names names;
    dal_contacts contacts; /* n = 0: none */
    dal_events events;     /* likewise */
    const void *user;      /* handed to all callbacks */
    const dal_mask
        *mask; /* NULL; of dal_reduction_system: the rows left out. Its callbacks are those of the whole system:
                             call them through dal_data_residual and the like, which know the rows that are left */
} dal_system;

DAL_API int dal_system_rows(const dal_system *sys); /* number of constraint rows, nc */
/* Is it a row of a contact? Such a row holds nothing while that is open, and a run decides by itself. */
DAL_API int dal_system_is_of_contact(const dal_system *sys, int row);

/* Is the description sound (indices in range, callbacks present, no pair or link twice)? */
DAL_API dal_status dal_system_validate(dal_ctx *ctx, const dal_system *sys) DAL_NODISCARD;

/* ---- data of one simulation ------------------------------------------------------------------- */

/* All that changes while a system is simulated, apart from the state: work memory, memory. A simulation has one of its
 * own (dal_sim_data); create one to evaluate a system without a simulation. One thread at a time. */
DAL_API dal_status dal_data_create(dal_data **data, dal_ctx *ctx, const dal_system *sys) DAL_NODISCARD;
DAL_API void dal_data_destroy(dal_data *data); /* NULL is fine */
DAL_API const dal_system *dal_data_system(const dal_data *data);

/* The callbacks of the system with its work memory. */
DAL_API dal_status dal_data_residual(dal_data *data, const dal_residual *out, const dal_point *at) DAL_NODISCARD;
DAL_API dal_status dal_data_tangent(dal_data *data, dal_sink *sink, const dal_point *at) DAL_NODISCARD;
DAL_API double dal_data_energy(dal_data *data, const dal_point *at); /* NaN if the system does not give it, or
                                                                        members of the point are NULL */
/* The state is final: let the system bring its memory up to date. A simulation does this by itself. */
DAL_API dal_status dal_data_accept(dal_data *data, const dal_point *at, dal_moment moment) DAL_NODISCARD;
/* A node of the quadrature over a step that is accepted next. */
DAL_API dal_status dal_data_integrate(dal_data *data, const dal_point *at, double weight) DAL_NODISCARD;
/* Inputs of the system with their present values, k = 0 .. ninputs - 1 (name NULL: there is none), and all of them set. One outside
 * of its limits is refused. A simulation that runs must be told: use dal_sim_set_inputs. */
DAL_API dal_system_input dal_data_input(const dal_data *data, int k);
DAL_API dal_status dal_data_set_inputs(dal_data *data, const double *u) DAL_NODISCARD;
/* Drop values kept from earlier evaluations: call it after changing what the system's `user` refers to. Of a simulation
 * call dal_sim_data_changed. */
DAL_API void dal_data_forget(dal_data *data);

/* ---- dense form ------------------------------------------------------------------------------- */

/* A small system in plain matrices, column-major. nc holonomic rows come first, then nn nonholonomic ones;
 * B, Z, b and acc have nc + nn rows. Required: group, M, g, and Phi, B if there are such rows. The others
 * may be NULL: C, K, Z by differences; b by differences in t if time_dependent, else zero; acc likewise. */
typedef struct dal_dense {
    const dal_group *group;
    int nc, nn;
    int time_dependent; /* constraints depend on t */
    int lambda_in_g;    /* g uses its argument lambda */
    void *user;         /* handed back as the last argument */
    dal_status (*M)(double *M, double t, const double *q, void *user);
    dal_status (*g)(double *g, double t, const double *q, const double *v, const double *la, void *user);
    dal_status (*Phi)(double *Phi, double t, const double *q, void *user);
    dal_status (*B)(double *B, double t, const double *q, void *user);
    dal_status (*b)(double *b, double t, const double *q, void *user);                    /* Phi_t, and b of (CS.4) */
    dal_status (*Z)(double *Z, double t, const double *q, const double *v, void *user);   /* d(B v + b)/dq */
    dal_status (*acc)(double *w, double t, const double *q, const double *v, void *user); /* (CS.6) for v' = 0 */
    dal_status (*C)(double *C, double t, const double *q, const double *v, const double *la, void *user); /* dg/dv */
    dal_status (*K)(double *K, double t, const double *q, const double *v, const double *vd, const double *la,
                    void *user); /* d(M v' + g + B^T lambda)/dq */
    dal_status (*G)(double *G, double t, const double *q, const double *v, const double *la,
                    void *user); /* dg/dlambda */
    double (*energy)(double t, const double *q, const double *v, void *user);
} dal_dense;

/* Wrap a dense description (copied) as a dal_system. It may be used by several simulations at once as far as the
 * callbacks allow it: `user` is the same for all. M and B are kept while one and the same (t, q) is evaluated, never
 * beyond a step, a start, an event, a restored snapshot or a failure; between those, a simulation whose `user` data
 * changed is told by dal_sim_data_changed. */
DAL_API dal_status dal_dense_create_(dal_system **sys, dal_ctx *ctx, const dal_dense *dense, size_t size) DAL_NODISCARD;
DAL_API void dal_dense_destroy(dal_system *sys);

/* ---- checking tangents ------------------------------------------------------------------------ */

typedef struct dal_tangent_report {
    double error;             /* worst |given - difference| / (1 + |difference|) over all entries */
    char what[64];            /* "K", "C", "B (from Phi)", ... */
    char row[64], column[64]; /* names of the entry */
    double given, difference;
} dal_tangent_report;

/* Compare all tangents of the system at a point with differences. DAL_ECHECK if the worst error exceeds tol;
 * the message names the entry. If they agree, M is looked at: DAL_ECHECK unless it is symmetric to tol and positive
 * semidefinite; the report then has the entry, the opposite one in `difference`, the error in units of M. */
DAL_API dal_status dal_system_check(dal_ctx *ctx, const dal_system *sys, dal_tangent_report *report,
                                    const dal_point *at, double tol) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
