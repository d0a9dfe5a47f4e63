/* Inside of loading a model: values of the file with their paths, variables, and what reads each kind of element. */
#ifndef DAL_IO_IMPL_H
#define DAL_IO_IMPL_H

#include "base/memory.h"
#include "dalembert/elements.h"
#include "dalembert/events.h"
#include "dalembert/io.h"
#include "io/expression.h"
#include "io/forms.h"
#include "io/json.h"

enum {
    IO_TEXT = 256,                   /* longest text of a file, with its end */
    IO_BYTES_MAX = 64 * 1024 * 1024, /* of a file */
    IO_VARIABLES_MAX = 1000,
    IO_ELEMENTS_MAX = 1000000, /* bodies, joints, forces, outputs together, after repetition */
    IO_LIST_MAX = 100000,      /* numbers in a list */
    IO_DEPTH_MAX = 32,         /* of values within values */
    IO_KEYS_MAX = 40,          /* of a type of element */
    IO_TYPES_MAX = 100,        /* of elements of one section */
    IO_TEXTS_MAX = 8,          /* texts of one element */
    IO_LIVE_LIST = 256         /* numbers in a list that may follow from values of a binding */
};
#define IO_NUMBER_MAX 1e100

/* ---- variables -------------------------------------------------------------------------------- */

typedef enum io_state { IO_WAITING, IO_BUSY, IO_KNOWN } io_state;

/* A variable, or a word: then text is what stands for it. */
typedef struct io_variable {
    char *name, *text;            /* text: the expression */
    const struct io_scope *scope; /* where its names are looked up; NULL: in the whole model */
    const struct io_index *index;
    double value;
    dal_dimension dimension;
    const char *unit; /* of the keys whose value it is; NULL: of none so far, "": they differ */
    io_state state;
    int size; /* 3: a vector, before its components are variables; 0: not known yet */
} io_variable;

typedef struct io_variables {
    io_variable *item;
    int n;
    int failed; /* one could not be evaluated, and the message names it */
    int missed; /* a function was looked for that is not there, or not yet */
    int looked; /* how often one was looked up while loading */
} io_variables;

/* The index of a repetition, or a local variable in it; they lie on the stack of those who repeat. */
typedef struct io_index {
    const char *name;
    const char *text; /* of a local variable, which sees those outside of it */
    double value;
    const struct io_index *outer;
} io_index;

/* A part of the model, whose names have a prefix. Variables keep the prefix alone. */
typedef struct io_scope {
    const char *prefix;            /* "leg1." */
    const struct io_loader *outer; /* as it was where the part stands */
    const struct io_node *part;
    const struct io_node *model; /* of the part */
} io_scope;

/* ---- the loader ------------------------------------------------------------------------------- */

/* Expressions that the model evaluates. */
typedef struct io_expression io_expression;

/* A finite element body of the document, the last one first. */
typedef struct io_reduction {
    struct dal_fem_result *result;
    int body;
    struct io_reduction *next;
} io_reduction;

struct dal_document {
    dal_ctx *ctx;
    dal_pool pool; /* has this, its texts, lists, variables and rows */
    dal_model *model;
    dal_options options, shown; /* shown: to a program that knows fewer of them */
    double t_end;
    char *name, *title;
    char *source; /* file or built-in model */
    char **set;   /* nset assignments it was opened with */
    int nset;
    char **without; /* joints and forces that are left out, nwithout names; *left_out: how many each has met */
    int nwithout, *left_out;
    char *text; /* as it was read */
    io_variables variables, words;
    int ninputs;         /* so many variables at the end of the list are inputs */
    dal_binding *inputs; /* which sets them; NULL: there are none */
    io_expression *expressions;
    io_reduction *reductions;
    long looks;   /* elements that were looked at for their names alone */
    int assemble; /* close the mechanism before the start, with these bodies held */
    int *held, nheld;
};

/* A type of element with all its keys. */
typedef struct io_type {
    dal_element_type about;
    const dal_key *key[IO_KEYS_MAX];
    int nkeys;
} io_type;

typedef struct io_types {
    io_type *item;
    int n;
} io_types;

typedef struct io_recorder io_recorder;
typedef struct io_wanted io_wanted;
typedef struct io_sought io_sought;
typedef struct io_file io_file;
typedef struct io_node io_node;
typedef struct io_loader io_loader;
/* Reads an element, or the elements of a part. */
typedef dal_status (*io_reader)(io_loader *L, const io_node *at);

struct io_loader {
    dal_ctx *ctx;
    dal_document *doc;
    dal_pool *scratch; /* until all is read */
    dal_model *model;
    const char *source;
    const io_index *index; /* the innermost */
    const io_scope *scope; /* NULL: the whole model */
    io_types types;
    long elements;
    int calls; /* may expressions call functions of the model? */
    int inline_functions;
    int files_outside;      /* the model may name files outside its folder */
    int own_trails;         /* the model says whose paths are drawn */
    int number;             /* of the body that was added last */
    io_file **files;        /* that parts use; NULL: their models stand in the text */
    const char *const *set; /* from outside, name=value */
    int nset;
    int input_names;  /* all names are known, those of inputs, too */
    io_reader visit;  /* parts: what is done in each of them, */
    const char *list; /* and of a list of elements which one, and how it is read */
    io_reader read;
    struct io_collection *collection; /* a list whose elements are collected (load.c) */
    io_wanted *wanted;                /* an output that is an input of a law (laws.c) */
    io_sought *sought;                /* a joint in whose frame something is (places.c) */
    struct io_beams *beams;           /* that wait for others (beam_joins.c) */
    struct dal_system_input *input;   /* of the model */
    io_recorder *record; /* NULL: the model is built. Otherwise it is read again, for a binding (setup.c) */
};

/* A value of the file and the way to it. */
struct io_node {
    const dal_json *json;
    const struct io_node *up;
    const char *key; /* NULL: element `number` of a list */
    size_t number;
    int depth;
};

/* ---- numbers and what they follow from (setup.c, kernels.c) ----------------------------------- */

/* A number of the file. node: what it follows from while a binding records; 0: it is constant. Copies of it keep it; who
 * computes with it does so by dal_io_apply. */
typedef struct io_real {
    double x;
    int node;
} io_real;

/* What is computed while elements are read. */
typedef enum io_kernel {
    IO_UNIT3,      /* a direction of length one */
    IO_UNIT4,      /* a quaternion of length one */
    IO_QUATERNION, /* of a matrix, column-major */
    IO_TURN,       /* of a rotation vector */
    IO_TURNED,     /* axis and angle as a rotation vector */
    IO_PRODUCT,    /* of two quaternions */
    IO_CROSS,
    IO_NORMAL, /* some direction normal to another */
    IO_AXES,   /* rotation with this z axis, and x near another */
    IO_AXIS,   /* rotation with this z axis */
    IO_BACK,   /* R(p)^T w */
    IO_AHEAD,  /* R(p) w */
    IO_PLACED, /* a pose, a frame in it: the frame in the world */
    IO_MINUS,  /* from the first point to the second */
    IO_FRAME,  /* pose of a body, frame in the world: the frame in the body */
    IO_ORIGIN, /* where a body with this pose is */
    IO_BOX,    /* inertia of homogeneous bodies: mass, lengths */
    IO_ROD,
    IO_CYLINDER,
    IO_DISK,
    IO_SPHERE,
    IO_WEIGH,    /* what shapes weigh so far, and one more with its density */
    IO_WEIGHED,  /* mass, centre of mass and inertia of that */
    IO_LEVER,    /* of friction: 0 is none, not the default */
    IO_ACTIVE,   /* from, to: what is on at the start has no beginning */
    IO_RELEASED, /* 0 is the start, not never */
    IO_KERNELS
} io_kernel;

enum { IO_INPUTS_MAX = 28 };

typedef struct io_kernel_type {
    const char *name; /* number_NAME of mbs/number_kernel.h is the same for generated programs; NULL: there is none */
    int nin, nout;
    void (*call)(double *y, const double *x);
    dal_status (*check)(const double *x, const io_loader *L, const io_node *at); /* NULL: it takes all numbers */
    dal_status (*attempt)(double *y, const double *x, const io_loader *L,
                          const io_node *at); /* instead of both, or NULL */
} io_kernel_type;

extern const io_kernel_type dal_io_kernels[IO_KERNELS];

/* y follows from x. at: for messages. */
dal_status dal_io_compute(const io_loader *L, double *y, const io_node *at, io_kernel kernel,
                          const double *x) DAL_NODISCARD;
/* The same with where they come from; x and y may be the same. */
dal_status dal_io_apply(const io_loader *L, io_real *y, const io_node *at, io_kernel kernel,
                        const io_real *x) DAL_NODISCARD;
/* Numbers into fields of a description, and out of them again. */
void dal_io_store(const io_loader *L, double *field, const io_real *x, int n);
void dal_io_fetch(const io_loader *L, io_real *x, const double *field, int n);
/* Initial pose of a body: position, quaternion of length one. */
dal_status dal_io_pose(const io_loader *L, io_real pose[7], int body) DAL_NODISCARD;

/* An expression whose inputs are `ninputs` of its user and then n parameters, which are live values. */
typedef struct io_bound {
    const dal_expression *e;
    int ninputs, n;
    int live[DAL_PARAMETERS_MAX];
} io_bound;

/* While recording, what a number that has been read follows from. */
dal_status dal_io_record_number(const io_loader *L, io_real *x, const io_node *at) DAL_NODISCARD;
dal_status dal_io_record_vector(const io_loader *L, io_real x[3], const io_node *at) DAL_NODISCARD;
/* The value of an expression that must not depend on the values: it decides about the structure. */
dal_status dal_io_fixed(const io_loader *L, double *x, const char *text) DAL_NODISCARD;
/* While recording: *fixed becomes 0 if anything below a node depends on the values. */
dal_status dal_io_is_fixed(const io_loader *L, int *fixed, const io_node *at) DAL_NODISCARD;
/* While recording: refuse if anything below a node depends on the values. why: "the shapes of the body". */
dal_status dal_io_must_be_fixed(const io_loader *L, const io_node *at, const char *why) DAL_NODISCARD;
/* While recording: the expression of a law, a function. parameters: what its live values are now. */
dal_status dal_io_bind(const io_loader *L, const io_bound **bound, double parameters[DAL_PARAMETERS_MAX],
                       const io_node *at, const char *const *inputs, int ninputs) DAL_NODISCARD;
/* The parts of it: which live values a text uses, those that are not in the list yet are added; and the text with n of them as inputs
 * behind the others. */
dal_status dal_io_add_live(const io_loader *L, int live[DAL_PARAMETERS_MAX], int *n, const char *text,
                           const char *const *inputs, int ninputs) DAL_NODISCARD;
dal_status dal_io_compile_bound(const io_loader *L, dal_expression **e, const char *text, const char *const *inputs,
                                int ninputs, const int *live, int n) DAL_NODISCARD;
/* While recording, for rows: the live values that texts below a node use (n of them), and an expression with these behind
 * its inputs; the binding owns it. */
dal_status dal_io_live_of(const io_loader *L, int live[DAL_PARAMETERS_MAX], int *n, const io_node *at,
                          const char *const *inputs, int ninputs) DAL_NODISCARD;
dal_status dal_io_bind_row(const io_loader *L, dal_expression **e, const io_node *at, const char *const *inputs,
                           int ninputs, const int *live, int n) DAL_NODISCARD;
/* Live values as parameters. */
void dal_io_store_live(const io_loader *L, double *parameters, const int *live, int n);
/* Memory of the binding that is recorded. */
void *dal_io_own_zero(const io_loader *L, size_t size);
void dal_io_note_call(const io_loader *L, int function); /* a number follows from a call of it */
/* While recording: a function of the file, or one in place, as an element of its own. Otherwise it is read as it is. */
dal_status dal_io_function_element(io_loader *L, int *number, const io_node *at, const char *name) DAL_NODISCARD;
dal_status dal_io_read_function(io_loader *L, int *number, const io_node *at, const char *name) DAL_NODISCARD;

dal_status dal_io_no_memory(dal_ctx *ctx) DAL_NODISCARD;

/* ---- access (access.c) ------------------------------------------------------------------------ */

/* "/joints/3/body_a" */
void dal_io_path_text(char *text, size_t size, const io_node *at);
/* "file: /path: message", with the indices of repetitions after the path */
dal_status dal_io_fail(const io_loader *L, const io_node *at, const char *format, ...) DAL_PRINTF(3, 4);
/* Put file and path before the message of a failure from below. */
dal_status dal_io_fail_at(const io_loader *L, const io_node *at, dal_status st);
/* "no `what` 'text' (did you mean ...?)" with the nearest of n words */
dal_status dal_io_unknown(const io_loader *L, const io_node *at, const char *what, const char *text,
                          const char *const *words, int n);
/* The same with the nearest element of the model: names from number `first` on until there is none. */
typedef const char *(*io_name_of)(const dal_model *model, int number);
dal_status dal_io_no_element(const io_loader *L, const io_node *at, const char *what, const char *text,
                             io_name_of name_of, int first);

/* No key and no text of the file has characters that would command a terminal. */
dal_status dal_io_check_texts(const io_loader *L, const io_node *at) DAL_NODISCARD;
/* The same for a text that becomes a name: it has no ends of lines either. */
dal_status dal_io_plain(const io_loader *L, const io_node *at, const char *text) DAL_NODISCARD;

/* Is there such a member? Then child is it. */
int dal_io_member(io_node *child, const io_node *at, const char *key);
/* There must be. */
dal_status dal_io_need(io_node *child, const io_loader *L, const io_node *at, const char *key) DAL_NODISCARD;
io_node dal_io_element(const io_node *at, size_t number);
size_t dal_io_length(const io_node *at);

/* It is an object and each of its keys is one of n words, or "note". what: "a spherical joint". */
dal_status dal_io_members(const io_loader *L, const io_node *at, const char *what, const char *const *words,
                          int n) DAL_NODISCARD;
/* None of its keys is unknown and nearly one of n words: for the message about what is missing. */
dal_status dal_io_misspelt(const io_loader *L, const io_node *at, const char *what, const char *const *words,
                           int n) DAL_NODISCARD;
/* It is a list of min .. max elements. */
dal_status dal_io_list(const io_loader *L, const io_node *at, size_t min, size_t max) DAL_NODISCARD;

dal_status dal_io_number(const io_loader *L, io_real *x, const io_node *at) DAL_NODISCARD;
/* The same for numbers that belong to the structure: they cannot follow from values of a binding. */
dal_status dal_io_constant(const io_loader *L, double *x, const io_node *at) DAL_NODISCARD;
dal_status dal_io_constants(const io_loader *L, double *x, const io_node *at, int n) DAL_NODISCARD;
dal_status dal_io_integer(const io_loader *L, int *n, const io_node *at) DAL_NODISCARD;
dal_status dal_io_flag(const io_loader *L, int *flag, const io_node *at) DAL_NODISCARD;
/* A list of exactly n numbers. */
dal_status dal_io_numbers(const io_loader *L, io_real *x, const io_node *at, int n) DAL_NODISCARD;
/* Two or three numbers; z = 0 if there are two. */
dal_status dal_io_vector(const io_loader *L, io_real x[3], const io_node *at) DAL_NODISCARD;
/* A direction: its length is not zero; it is made 1. */
dal_status dal_io_direction(const io_loader *L, io_real x[3], const io_node *at) DAL_NODISCARD;
/* A text with {words} and {expressions} replaced. */
dal_status dal_io_text(const io_loader *L, char text[IO_TEXT], const io_node *at) DAL_NODISCARD;
/* The number of a text in a list of n words. what: "quantity". */
dal_status dal_io_choice(const io_loader *L, int *choice, const io_node *at, const char *what, const char *const *words,
                         int n) DAL_NODISCARD;

/* The same for members that may be missing; then nothing is changed. */
dal_status dal_io_number_if(const io_loader *L, io_real *x, const io_node *at, const char *key) DAL_NODISCARD;
dal_status dal_io_vector_if(const io_loader *L, io_real x[3], const io_node *at, const char *key) DAL_NODISCARD;
/* *there: whether it was; may be NULL. */
dal_status dal_io_text_if(const io_loader *L, char text[IO_TEXT], int *there, const io_node *at,
                          const char *key) DAL_NODISCARD;

/* ---- variables and words (variables.c) -------------------------------------------------------- */

/* A variable that is the whole value of a key, or one of its numbers, perhaps with a sign, has the unit of the key. */
void dal_io_note_unit(const io_loader *L, const dal_json *value, const char *unit);
/* Numbers with units are of the unit of the key; of one in "N/m or N m/rad" the latter where the coordinate turns (-1: not known). */
dal_status dal_io_check_unit(const io_loader *L, const io_node *at, const char *unit) DAL_NODISCARD;
dal_status dal_io_check_side(const io_loader *L, const io_node *at, const io_type *type, int turns) DAL_NODISCARD;
dal_status dal_io_variables(io_loader *L, const io_node *root, const char *const *set, int nset) DAL_NODISCARD;
/* Those that call functions, which have been read. */
dal_status dal_io_variables_left(io_loader *L, const io_node *root) DAL_NODISCARD;
/* The value of an expression in terms of variables and indices. */
dal_status dal_io_evaluate(const io_loader *L, double *x, const char *text) DAL_NODISCARD;
/* The same for a number or a vector, *n numbers, and its dimension. */
dal_status dal_io_evaluate_all(const io_loader *L, double x[3], int *n, dal_dimension *d,
                               const char *text) DAL_NODISCARD;
/* Is it a list, or an expression that gives a vector? */
int dal_io_is_vector(const io_loader *L, const dal_json *json);
/* A text as an expression of inputs, of which the first `own` shadow variables and the others are variables; k: number of a
 * vector, -1: it is a number. Destroy it. */
dal_status dal_io_compile_with(const io_loader *L, dal_expression **e, int k, const char *text,
                               const char *const *inputs, int ninputs, int own) DAL_NODISCARD;
/* A text of the file as an expression of inputs, which shadow variables. It belongs to the document. */
dal_status dal_io_compile(io_loader *L, dal_expression **e, const io_node *at, const char *const *inputs,
                          int ninputs) DAL_NODISCARD;
/* It belongs to the document from now on; where that fails, it is destroyed. */
dal_status dal_io_keep_expression(dal_document *doc, dal_expression *e) DAL_NODISCARD;
/* Is this the callback of a function that was added as an expression? */
int dal_io_is_formula(dal_status (*call)(double y[3], double x, void *user));
void dal_io_expressions_destroy(io_expression *list, dal_ctx *ctx);
/* text with {...} replaced */
dal_status dal_io_expand(const io_loader *L, char expanded[IO_TEXT], const char *text) DAL_NODISCARD;
/* The pieces of "name = value", without the blanks around them: the name begins at *name and its length is returned;
 * *value is NULL if there is no '='. */
size_t dal_io_assignment(const char **name, const char **value, const char *text);
/* Has a variable, a vector or a word this name of length n? */
int dal_io_named(const dal_document *doc, const char *name, size_t n);
/* "simulation.h" is the option h, also where a variable has its name: then *name is what follows the point, and its length is
 * returned. 0: it is not written so. */
size_t dal_io_option_name(const char **name, size_t n);
/* The text of a number, an expression, or a vector of these: in a pool. */
dal_status dal_io_text_of(const io_loader *L, char **text, dal_pool *pool, const io_node *at) DAL_NODISCARD;
/* A name with the prefix of the part that is being read. */
const char *dal_io_full_name(const io_loader *L, char full[IO_TEXT], const char *name);
/* The variable of this name, in the part that is being read; NULL: there is none. */
io_variable *dal_io_variable(const io_loader *L, const char *name);
/* A loader that reads where a variable is defined. */
io_loader dal_io_where(const io_loader *L, const io_variable *v);
/* The variable or word with a full name of length n, or NULL. */
io_variable *dal_io_variable_find(const io_variables *v, const char *name, size_t n);

/* ---- keys of elements (keys.c) ---------------------------------------------------------------- */

/* Texts that a description points to. */
typedef struct io_texts {
    char text[IO_TEXTS_MAX][IO_TEXT];
    int n;
} io_texts;

dal_status dal_io_types_init(io_types *types, dal_ctx *ctx) DAL_NODISCARD;
void dal_io_types_release(io_types *types, dal_ctx *ctx);
/* The types of a section; returns how many there are. */
int dal_io_type_names(const io_loader *L, const char *section, const char *names[IO_TYPES_MAX],
                      const io_type *list[IO_TYPES_MAX]);
/* The member that says of which type an element of a section is: "type", "quantity". what: "a joint". */
dal_status dal_io_selector(io_node *child, const io_loader *L, const io_node *at, const char *section,
                           const char *selector, const char *what) DAL_NODISCARD;
/* The type that a text of the file names; the first of the section if there is none. what: "type of joint". */
dal_status dal_io_type(const io_loader *L, const io_type **type, const io_node *at, const char *section,
                       const char *what) DAL_NODISCARD;
/* A key by name, the first of a kind; NULL: the type has none. */
const dal_key *dal_io_key(const io_type *type, const char *name);
const dal_key *dal_io_key_of_kind(const io_type *type, dal_key_kind kind);
/* It is an object that has the required keys of the type, and no others than its keys, the selector ("type") and "note".
 * what: "this type of joint". */
dal_status dal_io_object_of(const io_loader *L, const io_node *at, const char *what, const char *selector,
                            const io_type *type) DAL_NODISCARD;
/* The same for what is not an element. */
dal_status dal_io_object(const io_loader *L, const io_node *at, const io_form *form) DAL_NODISCARD;
/* It has no other keys than those of all forms of a definition. */
dal_status dal_io_object_of_any(const io_loader *L, const io_node *at, const char *what,
                                const char *definition) DAL_NODISCARD;
/* The form of a definition whose key the object has; value: what stands there. what: "a shape". */
dal_status dal_io_alternative(const io_form **form, io_node *value, const io_loader *L, const io_node *at,
                              const char *what, const char *definition) DAL_NODISCARD;
/* The object is of a form; values of keys that have a field in the description go there. texts may be NULL if there are no
 * texts among them. */
dal_status dal_io_read(io_loader *L, void *description, io_texts *texts, const io_node *at,
                       const io_form *form) DAL_NODISCARD;
/* The values of all keys that have a field in the description. */
dal_status dal_io_values(io_loader *L, void *description, io_texts *texts, const io_node *at,
                         const io_type *type) DAL_NODISCARD;

/* ---- elements --------------------------------------------------------------------------------- */

/* Run `read` over the elements of a list, with repetitions. */
dal_status dal_io_each(io_loader *L, const io_node *root, const char *key, io_reader read) DAL_NODISCARD;

dal_status dal_io_simulation(io_loader *L, const io_node *root, const char *const *set, int nset) DAL_NODISCARD;
dal_status dal_io_body(io_loader *L, const io_node *at) DAL_NODISCARD;
/* "angular_velocity_world", if it is there, as w in the axes of a body with rotation p. */
dal_status dal_io_world_spin(const io_loader *L, double w[3], const io_node *at, const double p[4]) DAL_NODISCARD;
/* Initial pose and velocity of a body as those in the world. */
dal_status dal_io_body_pose(const io_loader *L, double position[3], double rotation[4], double velocity[3],
                            const io_node *at, const io_type *type) DAL_NODISCARD;
/* DAL_GIVEN_* of a body: which velocities it has keys for. */
int dal_io_given(const io_node *at);
/* Profile and shear modulus of a beam from what is given. */
dal_status dal_io_settle_section(const io_loader *L, io_beam *data, const io_node *at) DAL_NODISCARD;
dal_status dal_io_settle_shear(const io_loader *L, io_beam *data, const io_node *at) DAL_NODISCARD;
dal_status dal_io_flexible(io_loader *L, const io_node *at, const io_type *type) DAL_NODISCARD;
/* Elements of the model; while recording, what their numbers follow from. */
dal_status dal_io_add_joint(io_loader *L, const io_node *at, const dal_joint *joint) DAL_NODISCARD;
dal_status dal_io_add_force(io_loader *L, const io_node *at, const dal_force *force) DAL_NODISCARD;
dal_status dal_io_add_body(io_loader *L, const io_node *at, const dal_body *body) DAL_NODISCARD;
dal_status dal_io_add_flexible(io_loader *L, const io_node *at, const dal_flexible *body) DAL_NODISCARD;
dal_status dal_io_add_function(io_loader *L, int *number, const io_node *at,
                               const dal_function *function) DAL_NODISCARD;
dal_status dal_io_add_output(io_loader *L, const io_node *at, const dal_output *output) DAL_NODISCARD;
dal_status dal_io_gravity(io_loader *L, const io_node *root) DAL_NODISCARD;
/* Names of interface nodes. */
typedef struct io_names {
    char **name;
    int n, capacity;
} io_names;

/* Element k of a list, or of an object. Names of interface nodes are keys, or numbers from 1 on. */
io_node dal_io_item(const io_node *at, size_t k);
dal_status dal_io_node_name(io_loader *L, io_names *names, const io_node *at) DAL_NODISCARD;

enum {
    IO_NODES,
    IO_MASSES,
    IO_INERTIAS,
    IO_SHAPES,
    IO_ROTATIONS,
    IO_FORESHORTENING,
    IO_STIFFNESS,
    IO_DAMPING,
    IO_RIGID,
    IO_SHAPE_SUMS,
    IO_PLACE_SUMS,
    IO_PRODUCT_SUMS,
    IO_MODAL_MASS,
    IO_TRIANGLES,
    IO_RECOVERY,
    IO_MODES_LISTS
};

/* Shapes and the memory behind them. */
typedef struct io_modes {
    dal_modes modes;
    double *list[IO_MODES_LISTS];
    int *interfaces;
    dal_average *average;
    dal_flexible_sums sums;
    io_names names;
} io_modes;

/* Zero-initialise m; its lists are in L->scratch. */
dal_status dal_io_modes(io_loader *L, io_modes *m, const io_node *at) DAL_NODISCARD;
dal_status dal_io_modes_file(io_loader *L, io_modes *m, const io_node *at) DAL_NODISCARD; /* at: its path */
/* A finite element body, reduced; the document owns it (fem.c). */
dal_status dal_io_fem(io_loader *L, const dal_modes **modes, const io_node *at) DAL_NODISCARD;
void dal_io_reductions_destroy(io_reduction *list);
/* Datasets of an HDF5 file as the lists of a set of modes (modes_hdf5.c). */
dal_status dal_io_modes_hdf5(dal_ctx *ctx, const dal_json **json, const char *path) DAL_NODISCARD;

/* ---- shapes (shapes.c) ------------------------------------------------------------------------ */

typedef struct io_shapes {
    dal_shape *item;
    int n;
} io_shapes;

/* The shapes under a key, "shape" of a body: one or a list. Release them, whatever is returned. */
dal_status dal_io_shapes(io_loader *L, io_shapes *shapes, const io_node *at, const char *key) DAL_NODISCARD;
/* The key "colour" of an object, if it is there. */
dal_status dal_io_colour(const io_loader *L, dal_shape *s, const io_node *at) DAL_NODISCARD;
void dal_io_shapes_release(io_shapes *shapes, dal_ctx *ctx);
/* Mass, centre of mass and inertia from the shapes and the "density" of a body. */
dal_status dal_io_shapes_mass(const io_loader *L, dal_body *body, const io_node *at,
                              const io_shapes *shapes) DAL_NODISCARD;
dal_status dal_io_shapes_add(const io_loader *L, const io_node *at, const io_shapes *shapes, int body) DAL_NODISCARD;

/* ---- looks of the whole (view.c) -------------------------------------------------------------- */

/* "view": shapes of the ground, points whose paths are drawn. Before the outputs: without a list of its own, the path of
 * each point whose position is an output is drawn. */
dal_status dal_io_view(io_loader *L, const io_node *root) DAL_NODISCARD;
/* contacts.c: contact groups */
dal_status dal_io_contacts(io_loader *L, const io_node *root) DAL_NODISCARD;
dal_status dal_io_trail_of_output(const io_loader *L, const io_node *at, const dal_output *output) DAL_NODISCARD;

/* ---- files (files.c) -------------------------------------------------------------------------- */

/* The whole of a file; free *text, whatever is returned. A pipe without a writer is given up after some seconds. */
dal_status dal_io_read_file(dal_ctx *ctx, char **text, size_t *n, const char *path) DAL_NODISCARD;
/* The path of a regular file that the model names, relative to the folder of the model and within it unless files
 * outside are allowed; free it. */
dal_status dal_io_path(const io_loader *L, char **path, const io_node *at) DAL_NODISCARD;
/* JSON from text; name stands for the file in messages. */
dal_status dal_io_parse(dal_ctx *ctx, const dal_json **json, const char *text, size_t n,
                        const char *name) DAL_NODISCARD;
/* Numbers of the tree become those of the options (numbers.c). */
dal_status dal_io_replace(dal_ctx *ctx, const dal_json *json, const char *name,
                          const dal_load_options *how) DAL_NODISCARD;
/* The value in a file. */
dal_status dal_io_json_file(dal_ctx *ctx, const dal_json **json, const char *path) DAL_NODISCARD;

dal_status dal_io_joint(io_loader *L, const io_node *at) DAL_NODISCARD;
dal_status dal_io_force(io_loader *L, const io_node *at) DAL_NODISCARD;
dal_status dal_io_output(io_loader *L, const io_node *at) DAL_NODISCARD;
/* An output from a text like "A.force.x". element: its name, which the output points to, as to the text. */
dal_status dal_io_output_of(const io_loader *L, dal_output *output, char element[IO_TEXT], const char *text,
                            const io_node *at) DAL_NODISCARD;
int dal_io_is_of_model(const io_loader *L, const char *text); /* "energy": a quantity of the whole model */
dal_status dal_io_event(io_loader *L, const io_node *at) DAL_NODISCARD;
dal_status dal_io_add_event(io_loader *L, const io_node *at, const dal_model_event *event) DAL_NODISCARD;
/* May an input of an expression have this name? */
dal_status dal_io_input_name(const io_loader *L, const io_node *at, const char *name) DAL_NODISCARD;
dal_status dal_io_default_outputs(io_loader *L) DAL_NODISCARD;
dal_status dal_io_assembly(io_loader *L, const io_node *root) DAL_NODISCARD;
dal_status dal_io_inputs(io_loader *L, const io_node *root) DAL_NODISCARD;
/* Close the mechanism from q, with the bodies held that the document names. data NULL: numbers of the description. */
dal_status dal_io_close_loops(dal_ctx *ctx, const dal_document *doc, const dal_system *system, dal_data *data,
                              double *q, dal_assembly_report *report) DAL_NODISCARD;
dal_status dal_io_check_arguments(const io_loader *L, const io_node *at, const dal_expression *e, int n) DAL_NODISCARD;
dal_status dal_io_functions(io_loader *L, const io_node *root) DAL_NODISCARD;
/* Two columns of a text file as a table; free both lists, whatever is returned (tables.c). */
dal_status dal_io_table_file(io_loader *L, double *list[2], int *n, const io_node *at) DAL_NODISCARD;
/* A function by name, as an expression, in place, or a number. */
dal_status dal_io_function(io_loader *L, int *number, const io_node *at) DAL_NODISCARD;

/* What a force of type law consists of, while it is handed to the builder. */
typedef struct io_law {
    dal_input input[DAL_INPUTS_MAX];
    char element[DAL_INPUTS_MAX][IO_TEXT];
    int n;
} io_law;

dal_status dal_io_law(io_loader *L, io_law *law, dal_force *force, const io_node *at) DAL_NODISCARD;

dal_status dal_io_rows(io_loader *L, dal_joint *joint, const io_node *at) DAL_NODISCARD;

/* ---- places (places.c) ------------------------------------------------------------------------ */

dal_status dal_io_rotation(const io_loader *L, io_real p[4], const io_node *at) DAL_NODISCARD;
/* Position and rotation. */
dal_status dal_io_frame(const io_loader *L, io_real frame[7], const io_node *at) DAL_NODISCARD;
dal_status dal_io_body_number(const io_loader *L, int *body, const io_node *at) DAL_NODISCARD;
/* Frame A of the joint whose name this is, in the world at the initial pose. *found: 0: there is none. */
dal_status dal_io_joint_frame(const io_loader *L, io_real pose[7], int *found, const io_node *at) DAL_NODISCARD;
/* "translation_x", "rotation_z", "length" */
dal_status dal_io_coordinate(const io_loader *L, dal_coordinate *coordinate, int *axis,
                             const io_node *at) DAL_NODISCARD;

/* Bodies and frames of an element between two bodies; apart: its frames are at two places, so that there is no
 * common one. */
dal_status dal_io_place(const io_loader *L, int body[2], dal_frame *const frame[2], const io_node *at,
                        int apart) DAL_NODISCARD;
/* Bodies and frames of an element that may name a joint instead: then *joint is its name. */
dal_status dal_io_place_or_joint(const io_loader *L, const char **joint, io_texts *texts, int body[2],
                                 dal_frame *const frame[2], const io_node *at, const io_type *type,
                                 int apart) DAL_NODISCARD;
/* Body and frame of an element on one body. */
dal_status dal_io_body_place(const io_loader *L, int *body, dal_frame *frame, const io_node *at) DAL_NODISCARD;

#include "io/parts_impl.h"

#endif
