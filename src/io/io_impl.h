/* Inside of loading a model: values of the file with their paths, variables, and what reads each kind of element. */
#ifndef DAL_IO_IMPL_H
#define DAL_IO_IMPL_H

#include <jansson.h>

#include "dalembert/elements.h"
#include "dalembert/io.h"
#include "io/expression.h"

enum {
    IO_TEXT = 256,                   /* longest text of a file, with its end */
    IO_BYTES_MAX = 64 * 1024 * 1024, /* of a file */
    IO_VARIABLES_MAX = 1000,
    IO_ELEMENTS_MAX = 1000000, /* bodies, joints, forces, outputs together, after repetition */
    IO_LIST_MAX = 100000,      /* numbers in a list */
    IO_DEPTH_MAX = 32,         /* of values within values */
    IO_KEYS_MAX = 40,          /* of a type of element */
    IO_TYPES_MAX = 100,        /* of elements of one section */
    IO_TEXTS_MAX = 8           /* texts of one element */
};
#define IO_NUMBER_MAX 1e100

/* ---- variables -------------------------------------------------------------------------------- */

typedef enum io_state { IO_WAITING, IO_BUSY, IO_KNOWN } io_state;

/* A variable, or a word: then text is what stands for it. */
typedef struct io_variable {
    char *name, *text; /* text: the expression */
    double value;
    io_state state;
} io_variable;

typedef struct io_variables {
    io_variable *item;
    int n;
    int failed; /* one could not be evaluated, and the message names it */
} io_variables;

/* The index of a repetition; they lie on the stack of those who repeat. */
typedef struct io_index {
    const char *name;
    double value;
    const struct io_index *outer;
} io_index;

/* ---- the loader ------------------------------------------------------------------------------- */

/* Rows from a file: coefficients are expressions, evaluated when the rows are. */
typedef struct io_rows io_rows;
/* Expressions that the model evaluates. */
typedef struct io_expression io_expression;

struct dal_document {
    dal_ctx *ctx;
    dal_model *model;
    dal_options options;
    double t_end;
    char *name, *title;
    char *text; /* as it was read */
    io_variables variables, words;
    io_rows *rows;
    io_expression *expressions;
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

typedef struct io_loader {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const char *source;
    const io_index *index; /* the innermost */
    io_types types;
    long elements;
    int inline_functions;
    int files_outside; /* the model may name files outside its folder */
    int own_trails;    /* the model says whose paths are drawn */
} io_loader;

/* A value of the file and the way to it. */
typedef struct io_node {
    json_t *json;
    const struct io_node *up;
    const char *key; /* NULL: element `number` of a list */
    size_t number;
    int depth;
} io_node;

char *dal_io_copy(dal_ctx *ctx, const char *text); /* NULL when out of memory */
dal_status dal_io_no_memory(dal_ctx *ctx) DAL_NODISCARD;

/* ---- access (access.c) ------------------------------------------------------------------------ */

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

/* It is an object and each of its keys is one of the words in `keys` or `more` (separated by blanks; more may be
 * NULL), or "note". what: "a spherical joint". */
dal_status dal_io_object(const io_loader *L, const io_node *at, const char *what, const char *keys,
                         const char *more) DAL_NODISCARD;
/* The same with n words. */
dal_status dal_io_members(const io_loader *L, const io_node *at, const char *what, const char *const *words,
                          int n) DAL_NODISCARD;
/* It is a list of min .. max elements. */
dal_status dal_io_list(const io_loader *L, const io_node *at, size_t min, size_t max) DAL_NODISCARD;

dal_status dal_io_number(const io_loader *L, const io_node *at, double *x) DAL_NODISCARD;
dal_status dal_io_integer(const io_loader *L, const io_node *at, int *n) DAL_NODISCARD;
dal_status dal_io_flag(const io_loader *L, const io_node *at, int *flag) DAL_NODISCARD;
/* A list of exactly n numbers. */
dal_status dal_io_numbers(const io_loader *L, const io_node *at, double *x, int n) DAL_NODISCARD;
/* Two or three numbers; z = 0 if there are two. */
dal_status dal_io_vector(const io_loader *L, const io_node *at, double x[3]) DAL_NODISCARD;
/* A direction: its length is not zero; it is made 1. */
dal_status dal_io_direction(const io_loader *L, const io_node *at, double x[3]) DAL_NODISCARD;
/* A text with {words} and {expressions} replaced. */
dal_status dal_io_text(const io_loader *L, const io_node *at, char text[IO_TEXT]) DAL_NODISCARD;
/* The number of a text in a list of n words. what: "quantity". */
dal_status dal_io_choice(const io_loader *L, const io_node *at, const char *what, const char *const *words, int n,
                         int *choice) DAL_NODISCARD;

/* The same for members that may be missing; then nothing is changed. */
dal_status dal_io_number_if(const io_loader *L, const io_node *at, const char *key, double *x) DAL_NODISCARD;
dal_status dal_io_vector_if(const io_loader *L, const io_node *at, const char *key, double x[3]) DAL_NODISCARD;
dal_status dal_io_flag_if(const io_loader *L, const io_node *at, const char *key, int *flag) DAL_NODISCARD;
/* *there: whether it was; may be NULL. */
dal_status dal_io_text_if(const io_loader *L, const io_node *at, const char *key, char text[IO_TEXT],
                          int *there) DAL_NODISCARD;

/* ---- variables and words (variables.c) -------------------------------------------------------- */

dal_status dal_io_variables(io_loader *L, const io_node *root, const char *const *set, int nset) DAL_NODISCARD;
void dal_io_variables_release(io_variables *v, dal_ctx *ctx);
/* The value of an expression in terms of variables and indices. */
dal_status dal_io_evaluate(const io_loader *L, const char *text, double *x) DAL_NODISCARD;
/* A text of the file as an expression of inputs, which shadow variables. It belongs to the document. */
dal_status dal_io_compile(io_loader *L, const io_node *at, const char *const *inputs, int ninputs,
                          dal_expression **e) DAL_NODISCARD;
void dal_io_expressions_release(io_expression *list, dal_ctx *ctx);
/* text with {...} replaced */
dal_status dal_io_expand(const io_loader *L, const char *text, char expanded[IO_TEXT]) DAL_NODISCARD;
/* The pieces of "name = value", without the blanks around them: the name begins at *name and its length is returned;
 * *value is NULL if there is no '='. */
size_t dal_io_assignment(const char *text, const char **name, const char **value);
/* The variable or word with a name of length n, or NULL. */
io_variable *dal_io_variable_find(const io_variables *v, const char *name, size_t n);

/* ---- keys of elements (keys.c) ---------------------------------------------------------------- */

/* Texts that a description points to. */
typedef struct io_texts {
    char text[IO_TEXTS_MAX][IO_TEXT];
    int n;
} io_texts;

dal_status dal_io_types(io_types *types, dal_ctx *ctx) DAL_NODISCARD;
void dal_io_types_release(io_types *types, dal_ctx *ctx);
/* The types of a section; returns how many there are. */
int dal_io_type_names(const io_loader *L, const char *section, const char *names[IO_TYPES_MAX],
                      const io_type *list[IO_TYPES_MAX]);
/* The type that a text of the file names. what: "type of joint". */
dal_status dal_io_type(const io_loader *L, const io_node *at, const char *section, const char *what,
                       const io_type **type) DAL_NODISCARD;
/* A key by name, the first of a kind; NULL: the type has none. */
const dal_key *dal_io_key(const io_type *type, const char *name);
const dal_key *dal_io_key_of_kind(const io_type *type, dal_key_kind kind);
/* It is an object that has the required keys of the type, and no others than its keys, the selector ("type") and "note".
 * what: "this type of joint". */
dal_status dal_io_object_of(const io_loader *L, const io_node *at, const char *what, const char *selector,
                            const io_type *type) DAL_NODISCARD;
/* The values of all keys that have a field in the description. */
dal_status dal_io_values(io_loader *L, const io_node *at, const io_type *type, void *description,
                         io_texts *texts) DAL_NODISCARD;

/* ---- elements --------------------------------------------------------------------------------- */

/* Run `read` over the elements of a list, with repetitions. */
typedef dal_status (*io_reader)(io_loader *L, const io_node *at);
dal_status dal_io_each(io_loader *L, const io_node *root, const char *key, io_reader read) DAL_NODISCARD;

dal_status dal_io_simulation(io_loader *L, const io_node *root, const char *const *set, int nset) DAL_NODISCARD;
dal_status dal_io_body(io_loader *L, const io_node *at) DAL_NODISCARD;
/* "angular_velocity_world", if it is there, as w in the axes of a body with rotation p. */
dal_status dal_io_world_spin(const io_loader *L, const io_node *at, const double p[4], double w[3]) DAL_NODISCARD;
dal_status dal_io_flexible(io_loader *L, const io_node *at, const io_type *type) DAL_NODISCARD;
/* Names of interface nodes. */
typedef struct io_names {
    char **name;
    int n, capacity;
} io_names;

dal_status dal_io_name_add(io_loader *L, io_names *names, const char *name) DAL_NODISCARD;
void dal_io_names_release(io_names *names, dal_ctx *ctx);

/* Element k of a list, or of an object: *next is json_object_iter at first. Names of interface nodes are keys, or numbers
 * from 1 on. */
io_node dal_io_item(const io_node *at, size_t k, void **next);
dal_status dal_io_node_name(io_loader *L, const io_node *at, io_names *names) DAL_NODISCARD;

enum {
    IO_NODES,
    IO_MASSES,
    IO_INERTIAS,
    IO_SHAPES,
    IO_ROTATIONS,
    IO_FORESHORTENING,
    IO_STIFFNESS,
    IO_DAMPING,
    IO_MODES_LISTS
};

/* Shapes and the memory behind them. */
typedef struct io_modes {
    dal_modes modes;
    double *list[IO_MODES_LISTS];
    int *interfaces;
    io_names names;
} io_modes;

/* Zero-initialise m; release it whatever is returned. */
dal_status dal_io_modes(io_loader *L, const io_node *at, io_modes *m) DAL_NODISCARD;
dal_status dal_io_modes_file(io_loader *L, const io_node *at, io_modes *m) DAL_NODISCARD; /* at: its path */
void dal_io_modes_release(io_modes *m, dal_ctx *ctx);
/* Datasets of an HDF5 file as the lists of a set of modes (modes_hdf5.c). */
int dal_io_is_hdf5(const char *path);
dal_status dal_io_modes_hdf5(dal_ctx *ctx, const char *path, json_t **json) DAL_NODISCARD;

/* ---- shapes (shapes.c) ------------------------------------------------------------------------ */

typedef struct io_shapes {
    dal_shape *item;
    int n;
} io_shapes;

/* The shapes under a key, "shape" of a body: one or a list. Zero-initialise; release, whatever is returned. */
dal_status dal_io_shapes(io_loader *L, const io_node *at, const char *key, io_shapes *shapes) DAL_NODISCARD;
void dal_io_shapes_release(io_shapes *shapes, dal_ctx *ctx);
/* Mass, centre of mass and inertia from the shapes and the "density" of a body. */
dal_status dal_io_shapes_mass(const io_loader *L, const io_node *at, const io_shapes *shapes,
                              dal_body *body) DAL_NODISCARD;
dal_status dal_io_shapes_add(const io_loader *L, const io_node *at, const io_shapes *shapes, int body) DAL_NODISCARD;

/* ---- looks of the whole (view.c) -------------------------------------------------------------- */

/* "view": shapes of the ground, points whose paths are drawn. Before the outputs: without a list of its own, the path of
 * each point whose position is an output is drawn. */
dal_status dal_io_view(io_loader *L, const io_node *root) DAL_NODISCARD;
dal_status dal_io_trail_of_output(const io_loader *L, const io_node *at, const dal_output *output) DAL_NODISCARD;

/* ---- files (files.c) -------------------------------------------------------------------------- */

/* The whole of a file; free *text, whatever is returned. A pipe without a writer is given up after some seconds. */
dal_status dal_io_read_file(dal_ctx *ctx, const char *path, char **text, size_t *n) DAL_NODISCARD;
/* The path of a regular file that the model names, relative to the folder of the model and within it unless files
 * outside are allowed; free it. */
dal_status dal_io_path(const io_loader *L, const io_node *at, char **path) DAL_NODISCARD;
/* The value in a file. */
dal_status dal_io_json_file(dal_ctx *ctx, const char *path, json_t **json) DAL_NODISCARD;

dal_status dal_io_joint(io_loader *L, const io_node *at) DAL_NODISCARD;
dal_status dal_io_force(io_loader *L, const io_node *at) DAL_NODISCARD;
dal_status dal_io_output(io_loader *L, const io_node *at) DAL_NODISCARD;
dal_status dal_io_default_outputs(io_loader *L) DAL_NODISCARD;
dal_status dal_io_assembly(io_loader *L, const io_node *root) DAL_NODISCARD;
dal_status dal_io_functions(io_loader *L, const io_node *root) DAL_NODISCARD;
/* Two columns of a text file as a table; free both lists, whatever is returned (tables.c). */
dal_status dal_io_table_file(io_loader *L, const io_node *at, double *list[2], int *n) DAL_NODISCARD;
/* A function by name, as an expression, in place, or a number. */
dal_status dal_io_function(io_loader *L, const io_node *at, int *number) DAL_NODISCARD;

/* What a force of type law consists of, while it is handed to the builder. */
typedef struct io_law {
    dal_input input[DAL_INPUTS_MAX];
    char element[DAL_INPUTS_MAX][IO_TEXT];
    int n;
} io_law;

dal_status dal_io_law(io_loader *L, const io_node *at, io_law *law, dal_force *force) DAL_NODISCARD;

dal_status dal_io_rows(io_loader *L, const io_node *at, dal_joint *joint) DAL_NODISCARD;
void dal_io_rows_release(io_rows *rows, dal_ctx *ctx);

/* ---- places (places.c) ------------------------------------------------------------------------ */

dal_status dal_io_rotation(const io_loader *L, const io_node *at, double p[4]) DAL_NODISCARD;
dal_status dal_io_frame(const io_loader *L, const io_node *at, dal_frame *frame) DAL_NODISCARD;
dal_status dal_io_body_number(const io_loader *L, const io_node *at, int *body) DAL_NODISCARD;
/* "translation_x", "rotation_z", "length" */
dal_status dal_io_coordinate(const io_loader *L, const io_node *at, dal_coordinate *coordinate,
                             int *axis) DAL_NODISCARD;

#define IO_PLACE_KEYS "body_a body_b point axis x_axis y_axis point_a point_b frame_a frame_b"
#define IO_BODY_PLACE_KEYS "body point axis x_axis y_axis frame"

/* Bodies and frames of an element between two bodies; apart: its frames are at two places, so that there is no
 * common one. */
dal_status dal_io_place(const io_loader *L, const io_node *at, int apart, int body[2],
                        dal_frame frame[2]) DAL_NODISCARD;
/* Bodies and frames of an element that may name a joint instead: then *joint is its name. */
dal_status dal_io_place_or_joint(const io_loader *L, const io_node *at, const io_type *type, int apart,
                                 const char **joint, io_texts *texts, int body[2], dal_frame frame[2]) DAL_NODISCARD;
/* Body and frame of an element on one body. */
dal_status dal_io_body_place(const io_loader *L, const io_node *at, int *body, dal_frame *frame) DAL_NODISCARD;

#endif
