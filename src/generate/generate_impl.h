/* Inside of the generator: what its files share.
 *     text.c      growing text, numbers
 *     algebra.c   sums of products of known numbers and names: constants fold, zeros vanish; values wait until they are needed
 *     matrix.c    the iteration matrix: pattern, straight-line factors; order.c: order of elimination; dense.c: factors by blocks
 *     phases.c    large functions in pieces
 *     sizes.c     steps of any size
 *     events.c    events of the model, forces that act for some time
 *     masks.c     joints that are switched, impulses
 *     gaps.c      limits and ropes
 *     demand.c    statements in the order in which they are needed
 *     sweeps.c    a step of a large model on a device
 *     keys.c      what takes the place of the words in capitals of step.txt
 *     fill.c      texts with such words
 *     indent.c    blanks at the start of lines
 *     kernels.c   the text of the kernels: what a program needs of it
 *     bodies.c    states, kinematics, inertia
 *     blocks.c    blocks of the matrix that belong to bodies
 *     flexible.c  flexible bodies and their interface nodes
 *     augment.c   velocities without inertia, rows that are left out
 *     rows.c      scalar rows between two frames
 *     joints.c    constraints
 *     forces.c    forces
 *     along.c     those along one coordinate
 *     armature.c  rotors on a coordinate
 *     contacts.c  contacts with the compliant law
 *     beams.c     elements and loads of beams; packs.c: elements, several at a time
 *     angles.c    turns of angles
 *     laws.c      laws and states
 *     pfaffian.c  rows given by coefficients
 *     functions.c functions of one variable
 *     expressions.c   expressions of model files
 *     outputs.c   energy and outputs
 *     work.c      powers, and integrals over time
 *     nodes.c     numbers that follow from parameters: which operations make them
 *     start.c     consistent initial values
 *     rattlie.c   steps of RATTLie
 *     members.c   members of an ensemble
 *     record.c    from a simulation of a model to its text
 *     program.c   the file: types, schedule, step
 *     generate.c  the interface */
#ifndef DAL_GENERATE_IMPL_H
#define DAL_GENERATE_IMPL_H

#include <limits.h>

#include "base/text.h"
#include "dalembert/generate.h"
#include "dalembert/sim.h"
#include "mbs/mbs_impl.h"

/* ---- text ------------------------------------------------------------------------------------- */

typedef dal_text gen_text;
#define gen_put dal_text_print
#define gen_put_n dal_text_put_n
#define gen_text_release dal_text_release

/* A name of the model for a comment: .s, shortened if it is long, with '_' for what could end the comment, continue its line
 * or be taken for code by the passes over the text. */
typedef struct gen_label {
    char s[128];
} gen_label;
gen_label gen_comment(const char *name);

/* ---- algebra ---------------------------------------------------------------------------------- */

enum { GEN_NAME = 48, GEN_BLOCK = 84, GEN_TERMS = 64 };

/* Factors that depend on the step size (GA.9), and sets of them: their product. */
enum { GEN_S = 1, GEN_S_VEL = 2, GEN_KV = 4, GEN_GP = 8 };

/* c times a name; without a name the number c. A value that was computed has its number: its statement is printed where it is
 * first needed, and not at all if it is not. */
typedef struct gen_term {
    double c;
    int value; /* 0: none */
    char s[GEN_NAME];
} gen_term;

/* A statement that waits: where its text is, and the values it needs. */
typedef struct gen_value {
    size_t first, length;
    int needs, nneeds;
} gen_value;

typedef struct gen_mat {
    int m, n;
    gen_term e[GEN_BLOCK]; /* column-major */
} gen_mat;

/* A number plus products of two names. */
typedef struct gen_expr {
    double c;
    int n;
    struct {
        double c;
        gen_term a, b;
    } t[GEN_TERMS];
} gen_expr;

/* ---- the matrix ------------------------------------------------------------------------------- */

/* What a row operation before the elimination adds: row += A[slot] times row `by`. */
typedef struct gen_rowop {
    int row, by, slot;
} gen_rowop;

typedef struct gen_matrix {
    int n, nnz, nfirst;  /* nfirst: entries before those of the matrix, which hold T^-1 */
    int *at;             /* n x n, column-major: index in A, -1: zero, GEN_PRESENT: none yet */
    unsigned char *seen; /* by place, n x n: contributions of the Jacobian, 2: two or more */
    double *known;       /* by place: the number that it is, NAN: not known before the program runs */
    int *pivot_row, *pivot_col;
    double *unit; /* by row: a joint that holds coordinates, on arms that are not long: its largest entry; 0: not one */
    long operations;
    gen_rowop *op;
    int nops, op_capacity;
    unsigned char *left_out; /* by row and column: mu = 0 stands there */
    int *mask;               /* by row: of a joint that is switched, its number + 1; 0: the row always holds */
    unsigned char *dense;    /* by pivot: it goes in a block, as number 1, 2 ... GEN_DENSE of it; 0: alone */
    int inverted;            /* the pivot whose diagonal block is inverted already; 0: none */
} gen_matrix;

/* ---- the generator ---------------------------------------------------------------------------- */

enum { GEN_ANGLES = 1024, GEN_SUMS = 256, GEN_PARAMETERS = 64, GEN_PRESENT = INT_MAX };
/* Unknowns of a step beyond which unrolled code does not pay (docs/user/generate.md). */
enum { GEN_UNKNOWNS = 1000 };
/* Numbers in the dense matrices of a start, on the stack for each member, beyond which a program has none: 256 KB. */
enum { GEN_START_DENSE = 32768 };

/* C, K and M between the frames of two bodies: 3x3 blocks in use, bits 1 << (row block + 2 column block). */
typedef struct gen_pair {
    int i, j;
    unsigned C, K, M;
} gen_pair;

typedef struct gen_body {
    char id[GEN_NAME];
    gen_mat S, V, Aq, Av;
    int inverse;  /* where T^-1 is in A, for bodies that turn */
    int lifted;   /* S is not constant */
    int massless; /* no inertia in some direction */
} gen_body;

/* A constraint block on one body: with eta its B at the start of the step is kept. */
typedef struct gen_link {
    int c, body; /* body < 0: coordinate -1 - body of a pid */
    int first;   /* in w->B0 */
} gen_link;

/* A number that was printed: its value; where it is in the data of a simulation, in bytes, -1: nowhere, the generator made it; the
 * constant of a member that it is, -1: none. */
typedef struct gen_printed {
    double x;
    long place;
    int slot;
} gen_printed;

typedef struct gen_nodes gen_nodes;
typedef struct gen_key gen_key;

/* An angle whose turns are counted. */
typedef struct gen_angle {
    int memory, rate; /* where the library remembers it */
    const char *name;
    const mb_marker *marker;
    mb_row row;
    int strict;              /* a force depends on it */
    int function;            /* it starts near to its value; or */
    const double *reference; /* near to this number; NULL: as it is */
    const mb_force *contact; /* NULL, or it is what a point of contact remembers: */
    int point;               /* the first of its entries, which has the speed of approach; 1, 2: bristles */
    const mb_output *output; /* NULL, or it is one of three numbers of a rotation: */
    int component;
} gen_angle;

/* An output that is an integral over time. */
typedef struct gen_sum {
    int output, memory; /* its number in the model; where the library remembers the value */
} gen_sum;

typedef struct gen {
    dal_ctx *ctx;
    dal_program *p;
    const dal_model *m; /* with the numbers of `at` */
    const mb_instance *at;
    const dal_generate_options *how;
    dal_options opt;
    dal_ga_coef c;
    double h, gp, kv, s, s_vel;
    const char *api; /* qualifier of what programs call */
    char name[GEN_NAME], upper[GEN_NAME];
    gen_text *out;
    int temporaries;
    /* values that wait, from number 1 on, their statements and what they need */
    gen_value *value;
    int nvalues, value_capacity, *need, nneeds, need_capacity;
    gen_text waiting;
    int nq, nv, nc, nh, n;
    int ne; /* rows held at both levels, each with its eta */
    gen_body *body;
    gen_pair *pair;
    int npairs;
    gen_link *link;
    int nlinks, nB0;
    int *eta0;           /* by constraint: number of its first eta, -1: it has none */
    const int *left_out; /* rows that depend on others, ascending */
    int nleft_out;
    gen_matrix A;
    /* scales of the sample (SX.3): n, of the equations, one over; n, of the unknowns: absolute tolerance, of multipliers their
     * reach; nv; of lambda */
    double *weight, *tolerance, *unit, work, length;
    int nslots;      /* constants of a member, k[...], so far */
    int starts;      /* the program has a start */
    int rows_at;     /* rows at all levels have been printed */
    int moves;       /* q exp(x) has been printed */
    int saddle;      /* the matrix that is printed is that of (IN.4) */
    int saddle_size; /* its entries, 0: it has not been printed */
    gen_angle angle[GEN_ANGLES];
    int nmemory;
    gen_sum sum[GEN_SUMS];
    int nsums;
    int nevents, nswitches; /* events of the model; forces and, behind them, joints that are switched */
    int nmasks, impulses;   /* joints that are switched and, behind them, gaps; does an event apply impulses? */
    int ngaps;              /* rows that hold from one side */
    gen_text solution;      /* of the linear system, until it is printed (sweeps.c) */
    dal_status st;
} gen;

/* algebra.c */
gen_term gen_const(double c);
gen_term gen_name(double c, const char *format, ...) DAL_PRINTF(2, 3);
gen_mat gen_zero(int m, int n);
/* 3x3 block of A at (i, j): c times the array `name`, whose element (r, s) is at first + r + s ld */
void gen_block(gen_mat *A, int i, int j, double c, const char *name, int first, int ld);
gen_mat gen_identity(int n);
void gen_expr_add(gen_expr *e, double c, gen_term a, gen_term b);
gen_term gen_expr_emit(gen *g, const char *prefix, const gen_expr *e);
void gen_need(gen *g, gen_term t); /* print the statements that a term needs */
void gen_values_release(gen *g);
gen_mat gen_mul(gen *g, const char *prefix, const gen_mat *A, const gen_mat *B);  /* A B */
gen_mat gen_tmul(gen *g, const char *prefix, const gen_mat *A, const gen_mat *B); /* A^T B */
gen_mat gen_combine(gen *g, const char *prefix, unsigned a, const gen_mat *A, unsigned b,
                    const gen_mat *B); /* a, b: sets */
gen_mat gen_transpose(const gen_mat *A);
gen_term gen_scaled(gen *g, unsigned set, gen_term t); /* times a set of factors */
void gen_term_text(char *to, size_t size, gen_term t);
/* to[first + j] gets (=, +=, -=) (A^T x)_j, A of names and ones; columns of zeros: nothing */
void gen_print_transposed(gen *g, const char *to, int first, const char *gets, const gen_mat *A, const char *x);

/* A number of the model, where it is there. What is computed of several of them is computed by the program. */
gen_term gen_number(gen *g, const double *x);
/* "const real NAME[n] = {...};" */
void gen_array(gen *g, const char *name, const double *x, int n);
/* The literal of a double. */
const char *gen_literal(char *to, size_t size, double x);

/* sizes.c: where steps have one size, what depends on it is a number; else it goes with a power of it, which the state has in
 * terms of the size that the model asks for. */
gen_term gen_power(const gen *g, double x, int k); /* x: with the size of the model */
gen_term gen_scale(const gen *g, unsigned set);
/* The same as text, of functions that know the state as w->s, or as s. */
typedef struct gen_factor {
    char s[2 * GEN_NAME];
} gen_factor;
gen_factor gen_power_text(const gen *g, double x, int k);
gen_factor gen_scale_text(const gen *g, unsigned set);
gen_factor gen_power_of_state(const gen *g, double x, int k);
void gen_print_sizes(gen *g);                        /* after the step */
void gen_print_whole_step(gen *g);                   /* without a start there are no other sizes */
void gen_print_first_size(gen *g, const char *s);    /* a start */
void gen_print_run_to(gen *g, const gen_key *start); /* keys of a start */

/* matrix.c */
dal_status gen_matrix_init(gen *g);
void gen_matrix_release(gen *g);
/* A[row + i, column + j] += scale X; scale: a set of factors */
void gen_scatter(gen *g, int row, int column, unsigned scale, const gen_mat *X);
void gen_entry(gen_matrix *A, int i, int j);                  /* it is not zero */
gen_term gen_entry_value(gen_matrix *A, int row, int column); /* a number, or its place in A */
void gen_print_factor(gen *g);
void gen_print_backsolve(gen *g);
/* A[k] = (A[k] - sum L U) of the pivots before n that go alone, times 1/pivot if there is one; fill has no A[k] of its own. What is
 * known is not printed. Returns how many products. */
int gen_print_entry(gen *g, int n, int row, int column, const gen_term *inverse);

/* dense.c: bodies that are eliminated as blocks */
enum { GEN_DENSE = 6 };
/* Can the pivots from n on go as a block? The first velocities of the bodies that it acts on, and how many; -1: it cannot. */
int gen_dense_neighbours(const gen *g, int *list, int n);
void gen_print_dense_pivot(gen *g, int n, int *list, int count); /* behind list: room */
void gen_print_dense_forward(gen *g, int n, int *list);          /* list: room */
void gen_print_dense_back(gen *g, int n, int *list);

/* order.c: pivots, and the fill they make. */
dal_status gen_order(gen *g);

/* demand.c: statements of `last`, each after those of `body` that it needs, and after the motions of bodies. */
dal_status gen_demand(gen *g, const gen_text *body, const gen_text *last);

/* sweeps.c: large models on a device go through their bodies a few times in a step and compute in each sweep, in registers,
 * what other programs keep in memory: residual; matrix and factors; solution. */
int gen_sweeps(const gen *g);
const char *gen_kept(const gen *g); /* what x, A, B0 are fields of, in the text */
dal_status gen_print_sweeps(gen *g);
void gen_print_sweep_types(gen *g);
void gen_print_advance(gen *g);       /* solution and increment */
void gen_print_first_motion(gen *g);  /* first iterate, body by body */
void gen_print_accept_motion(gen *g); /* end of the step, body by body */

/* rattlie.c: programs of that integrator */
int gen_rattlie(const gen *g);
dal_status gen_rattlie_check(const gen *g); /* is the model one for them? */
dal_status gen_print_rattlie(gen *g);
void gen_print_rattlie_step(gen *g);

/* keys.c: what is the same for all models, filled in */
void gen_print_step(gen *g);

/* phases.c: a function of the program. In large models its blocks "{ // ... }", or every so many lines, are functions of their
 * own. */
typedef struct gen_function {
    const char *comment, *name, *arguments;
    const char *call;                                        /* arguments of its pieces; NULL: it stays in one */
    void (*first)(gen *g), (*body)(gen *g), (*last)(gen *g); /* first, last: what belongs to no piece; or NULL */
    int lines;                                               /* pieces of so many lines; 0: of blocks */
    int apart;                                               /* large models: it is not inlined */
} gen_function;
void gen_print_function_of(gen *g, const gen_function *f);
/* What a function does, with the constants of the member as k if it needs them. */
void gen_print_with_constants(gen *g, const char *from, void (*body)(gen *g));
/* Residual and matrix of a step: their statements. */
void gen_print_residual(gen *g);
void gen_print_matrix(gen *g);
void gen_print_scaled(gen *g); /* rows of the velocities, scaled (GA.9) */
int gen_lanes(const gen *g);
int gen_large(const gen *g); /* a model whose functions stay apart */

/* indent.c: four blanks for every brace that is open; lines that go on keep their place to the one before. */
dal_status gen_indent(gen_text *t);

/* kernels.c: append the items of the kernels that `text` uses, closed under use, to out. */
dal_status gen_print_kernels(gen *g, gen_text *out, const char *text, const char *qualifier);
/* A text for vectors of PACK numbers with what it uses of the kernels, under names of its own. */
dal_status gen_print_packed(gen *g, gen_text *out, const char *text);
extern const char gen_text_transfer[], gen_text_run_to[], gen_text_events[], gen_text_jumps[], gen_text_impulses[],
    gen_text_gaps[], gen_text_outside[], gen_text_rattlie[], gen_text_rattlie_free[], gen_text_rattlie_midway[],
    gen_text_kernels[], gen_text_scalar[], gen_text_lanes[], gen_text_step[], gen_text_norms[], gen_text_start[],
    gen_text_complete[], gen_text_cuda[], gen_text_dense[];

/* bodies.c */
/* What programs need to know of the coordinates of a type of body. Ranges: first, and how many. */
typedef struct gen_chart {
    const char *kernel, *q, *v;         /* name in kernels; what coordinates and velocities are */
    const char *group;                  /* the group of the part that turns by a group, NULL: a vector space */
    const char *coefficients, *bracket; /* kernels: functions of the angle of a step, [ , ] */
    int n, first; /* dimension of the part that turns by a group, 0: none, and where it starts in v */
    int translates, rotates, about_z; /* velocities that are those of the frame: x, Omega, Omega_z */
    int rows[2], S[2], V[2], Av[2];   /* block of S that is not constant, and of V and Aq, of Av: columns (MB.2) */
    int quaternion;                   /* q + 3 */
} gen_chart;
/* Velocities that move a frame, with the lift to them: one part, of an interface node more: its body's frame, the modes in pieces. */
typedef struct gen_part {
    int v, first, n;             /* where they are in v, and among those of the body that has them */
    gen_mat S, V, Aq, Av, N, Pi; /* N, P^-1: dv1/dq1, (GA.6), (GA.7) */
} gen_part;
int gen_parts(const gen *g, int body);
gen_part gen_part_of(const gen *g, int body, int k);
const gen_chart *gen_chart_of(const mb_body *b);
int gen_is(const mb_body *b, mb_chart chart);
int gen_flat(const mb_body *b);                                /* its coordinates are a vector space */
int gen_is_direct(const gen *g, const mb_body *b);             /* T is never needed as a matrix */
void gen_print_axis(gen *g, const mb_body *b, const char *id); /* the sequence of cardan angles */
void gen_print_mass(gen *g, int i);
dal_status gen_bodies(gen *g);
void gen_print_body_fields(gen *g);
void gen_print_trial(gen *g);
void gen_print_history(gen *g, int from, int to); /* c of (GA.6), v1' = kv v1 + d, of these velocities */
/* The same for one body, or one force with a coordinate of its own, from the unknowns in `kept`. */
void gen_print_motion(gen *g, int i);
void gen_print_motion_of_force(gen *g, int k);
void gen_print_state(gen *g, int i, const char *q, const char *v, const char *vd, int lifts);
void gen_print_states(gen *g, const char *q, const char *v, const char *vd, int lifts);
void gen_print_inertia(gen *g);              /* residual */
void gen_print_lift_residual(gen *g);        /* r = S^T r6 */
void gen_print_body_residual(gen *g, int i); /* of one body */
void gen_print_body_blocks(gen *g);          /* Jacobian: diagonal and pair blocks */
void gen_print_bracket(gen *g, int i);
void gen_print_clears(gen *g);    /* blocks that are added to */
void gen_print_N(gen *g);         /* T^-1 and dv1/dq1 of all bodies (GA.7) */
void gen_print_turn_back(gen *g); /* x = T^-1 x */
/* W E in the columns of nu, E = P^-1 B0^T of every link of what the part j belongs to (GA.10) */
void gen_scatter_eta(gen *g, int row, const gen_part *j, unsigned scale, const gen_mat *W);
gen_mat gen_factor_inverse(const gen *g, int body); /* T^-1, from the entries of A that hold it */
gen_mat gen_factor_N(const gen *g, int body);
gen_pair *gen_pair_of(gen *g, int i, int j);

/* augment.c */
int gen_massless(const mb_body *b);
void gen_print_row_operations(gen *g);
void gen_leave_out(gen *g);
void gen_print_left_out_residual(gen *g);
void gen_leave_out_tangent(gen *g);
void gen_print_watch(gen *g);

/* joints.c */
dal_status gen_joints(gen *g); /* links, refusals */
const char *gen_joint_name(const gen *g, const mb_constraint *c);
int gen_position_row(const gen *g, int k); /* rows of constraint k at position level, at velocity level; -1: none */
int gen_velocity_row(const gen *g, int k);
void gen_print_sum(gen *g, const mb_constraint *c);
void gen_print_joint_residuals(gen *g);
void gen_print_joint_residual(gen *g, int k); /* of one of them */
void gen_print_norm_residuals(gen *g);        /* after those of the bodies */
void gen_print_levels(gen *g); /* all rows at the levels of position, velocity and acceleration, for the start */

/* tangents.c */
void gen_print_joint_tangents(gen *g);
/* Stiffness of forces f[12] on two frames that act as they turn: arms, if need be with torques, and the Hessian H. */
void gen_print_bent(gen *g, const mb_marker marker[2], const char *f, int torque, int curved, int rotational);
void gen_print_keep(gen *g); /* B at the start of the step, for eta */
/* Rows B and Z on the frame of a body to the matrix. */
void gen_push_rows(gen *g, int constraint, int body, const gen_mat *B, const gen_mat *Z);

/* pfaffian.c */
void gen_print_pfaffian_residual(gen *g, int k); /* constraint k */
void gen_print_pfaffian_tangent(gen *g, int k);

/* rows.c */
/* Frames of two markers as `P`. */
void gen_print_pairing(gen *g, const mb_marker marker[2], int level, unsigned axes);
void gen_print_pairing_of(gen *g, const mb_marker marker[2], int level, unsigned axes, const char *at_a,
                          const char *at_b); /* with the states that these point to */
void gen_print_gradient(gen *g, const mb_row *r, const char *to);
void gen_print_hessian(gen *g, const mb_row *r, const char *H, const char *la);
void gen_print_clear(gen *g, int rotational); /* a Hessian H that is zero where it will be used */
/* V^T H of a row into z */
void gen_print_contract(gen *g, const mb_row *r, const char *z);
void gen_print_phi(gen *g, const mb_row *r, const char *to);
int gen_row_known(const mb_row_type *type);
void gen_state_text(const gen *g, char *to, size_t size, int body);

/* forces.c */
dal_status gen_forces(gen *g);
void gen_print_force_residuals(gen *g);
void gen_print_force_residual(gen *g, const mb_force *f); /* of one of them */
void gen_print_force_tangents(gen *g);
void gen_print_potentials(gen *g);
int gen_exchange_known(const mb_force *f);
/* "to += power;": what a force dissipates, or feeds in. */
void gen_print_exchange(gen *g, const mb_force *f, int fed, const char *to);
const char *gen_force_name(const gen *g, const mb_force *f);

/* beams.c */
dal_status gen_beams(gen *g);                /* refusals */
int gen_beams_weigh(const dal_model *m);     /* do some have consistent mass? */
int gen_beam_pairs(const dal_model *m);      /* at most so many pairs of bodies */
void gen_print_beam_kinds(gen *g);           /* functions that elements share */
void gen_print_packs(gen *g);                /* those for several elements at a time */
int gen_pack_width(const gen *g);            /* how many at most */
int gen_moved(const gen *g, int i);          /* bodies from i on that are moved together; 0: each alone */
void gen_print_moved(gen *g, int i, int n);  /* their coordinates and velocities */
void gen_print_turned(gen *g, int i, int n); /* their N T^-1 and T^-1 */
void gen_print_pack_fields(gen *g);          /* what a residual leaves to the matrix */
void gen_print_beam_residuals(gen *g);
void gen_print_beam_tangents(gen *g);
void gen_print_beam_potentials(gen *g);
void gen_print_beam_exchange(gen *g, int fed, const char *to);
void gen_print_section(gen *g, const mb_output *o); /* opens a block: all[12], section forces and strains */

/* angles.c */
dal_status gen_angles(gen *g); /* the list of them */
/* Which of them a row of the model is; nmemory: none. */
int gen_angle_number(const gen *g, const mb_row *r);
int gen_turning_number(const gen *g, const mb_output *o); /* the first of three of an output; nmemory: none */
/* turn[3] of a rotation at the state of w; when (a condition) near to what is remembered as angle k, with its rate for a time after, unless it is NULL. */
void gen_print_turning(gen *g, int k, const char *when, const char *after);
void gen_print_memory(gen *g);            /* at the end of a step */
void gen_print_angles(gen *g);            /* at the start */
void gen_print_first_angles_call(gen *g); /* calls of that: before q and v are consistent, and after */
void gen_print_angles_call(gen *g);

/* functions.c: y[3] of function `number` at x */
dal_status gen_check_function(gen *g, int number, const char *what, const char *name);
void gen_print_function(gen *g, int number, const char *y, const char *x);

/* fill.c: a text in which words stand for what depends on the model: what a function prints, a text, in which words are
 * replaced as well, or a number. A word with a line of its own ends its lines itself. program_... gets the name of the program. */
struct gen_key {
    const char *name; /* NULL: the end of the list */
    void (*print)(gen *g);
    const char *text;
    double real;
    int count; /* if nothing else is there */
};
void gen_put_filled(gen *g, const char *text, const gen_key *keys);

/* start.c */
void gen_print_move(gen *g);               /* q exp(x), unless it is there */
dal_status gen_print_saddle_parts(gen *g); /* q exp(x), rows, the saddle system, unless they are there */
void gen_print_rows_at(gen *g);            /* the rows alone, unless they are there */
dal_status gen_print_start(gen *g);
void gen_print_start_types(gen *g);
void gen_print_start_prototypes(gen *g);
/* inputs.c: NAME_inputs, NAME_set_input. */
void gen_print_input_prototypes(gen *g);
void gen_print_inputs(gen *g);
void gen_print_change_members(gen *g);
void gen_print_start_members(gen *g);
/* Starting values are off the constraints (IN.3); those on them are in vc of the state, if there is a change. */
int gen_perturbed(const gen *g);
int gen_knows_vc(const gen *g); /* are they also kept as they are on the constraints? */
void gen_print_own(gen *g);     /* parameters of a member */

/* outputs.c */
int gen_wanted(const gen *g, const mb_output *o); /* by whoever asked for the program */
void gen_print_energy(gen *g);
void gen_print_outputs(gen *g);
void gen_print_at_state(gen *g, void (*body)(gen *g)); /* what needs a work w, with constants, at the state s */
int gen_output_rows(const gen *g);                     /* is one of them the residual of rows? */
void gen_print_output_types(gen *g);                   /* prototypes and the list of outputs */
/* Numbers of the outputs that the program has. first, if not NULL: by output of the model, where it begins, -1: left out. */
int gen_output_count(const gen *g, int *first);

/* work.c */
/* y = T(x) z of all bodies, or T^-1 */
void gen_print_all_turned(gen *g, const char *y, const char *x, const char *z, int inverted);
/* "to += sign * power;" of a force, or of `count` constraints from `first` on */
void gen_print_force_power(gen *g, const mb_force *f, const char *to, const char *sign);
void gen_print_rows_power(gen *g, int first, int count, const char *to);
/* f[6]: what a constraint exerts on one of its bodies, at the origin of its frame, world axes; each of them is there once */
void gen_print_reaction(gen *g, const mb_constraint *c, int side);

/* share.c */
int gen_shares(const gen *g); /* do outputs share multipliers out? */
void gen_print_share(gen *g);

/* work.c */
/* Multipliers of the library are not those of the steps; f, if not NULL: and this force depends on them. */
int gen_shared_out(const gen *g, const mb_force *f);
void gen_sums(gen *g);                                /* the list of integrals */
int gen_sum_number(const gen *g, const mb_output *o); /* nsums: it is none of them */
int gen_sums_losses(const gen *g);                    /* is what damping takes among them? */
void gen_print_sums(gen *g);                          /* at the end of a step */

/* members.c: numbers of a member of an ensemble, side by side in memory. */
typedef struct gen_field {
    const char *name;
    int n; /* 0: a scalar */
} gen_field;
enum { GEN_FIELDS = 56 };
int gen_fields(const gen *g,
               gen_field field[GEN_FIELDS]); /* how many fields; of the state, in the order of its numbers */
int gen_member_size(const gen *g);
void gen_print_members(gen *g);
/* The numbers of the member that starts there; k: its constants. */
void gen_pack(const gen *g, double *x, const double *k, const dal_state *start, const double *memory);

/* nodes.c: what follows from the parameters, and how. Then the model has values that are nothing special: a zero would be left out. */
dal_status gen_nodes_find(gen_nodes **f, const dal_program *p);
void gen_nodes_release(gen_nodes *f);
/* The constant of a member that a number is, -1: none; f may be NULL. */
int gen_slot_of(gen_nodes *f, const double *x);
/* The frame of this marker is one that the program changes itself, and begins with the value it has; same: it is that of another. */
void gen_nodes_keep(gen_nodes *f, const mb_marker *at, const mb_marker *same, int number);
/* A parameter that a number follows from, -1: none. */
int gen_parameter_of(const gen_nodes *f, const double *x);
/* Can a program compute its numbers? Otherwise p->no_start is set. */
int gen_numbers_known(gen *g);
void gen_print_numbers(gen *g);

/* A start that NAME_init is to give: state and memory. */
typedef struct gen_start {
    dal_state state;
    const double *vc; /* v on the constraints */
    const double *memory;
} gen_start;

/* program.c */
dal_status gen_program(gen *g, gen_text *file, const gen_start *start);

/* record.c: print the program of a model with the numbers that its simulation has. */
dal_status gen_record(dal_program *p, const gen_start *start);
/* generate.c: constants of the model itself, whose simulation has them then. */
dal_status gen_own_slots(const gen *g, double *k);
void gen_name_fields(dal_program *p); /* names.c: p->field */

#define PUT(...) gen_put(g->out, __VA_ARGS__)

#include "generate/along_impl.h"
#include "generate/events_impl.h"
#include "generate/program_impl.h"

#endif
