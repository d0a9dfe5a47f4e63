/* Inside of bindings: the set-up program of a document, and the state while it is recorded. */
#ifndef DAL_IO_BINDING_IMPL_H
#define DAL_IO_BINDING_IMPL_H

#include "io/follow.h"
#include "io/io_impl.h"
#include "mbs/parameters.h"

enum {
    IO_LIVE_MAX = 1024,
    IO_NODES_MAX = 4096 /* of an element, with the live values */
};

/* Memory of a binding; freed with it. */
typedef struct io_owned {
    struct io_owned *next;
    void *p;
} io_owned;

/* An operation of the set-up program. Nodes are numbers of one element: 1 .. nlive are the live values, the others results of
 * operations before; 0 is a constant, and -(1 + 7 i + k) number k of the initial pose of body i. */
typedef struct io_operation {
    const dal_expression *e; /* of the live values; NULL: a kernel */
    io_kernel kernel;
    const io_real *in; /* of the kernel */
    int first;         /* node of the first result */
    const char *path;  /* in the file, for messages */
} io_operation;

/* Where a number goes: lists of an mb_description. */
typedef struct io_target {
    int list;
    size_t offset;
    int node;
} io_target;

/* Callbacks with n parameters instead of those of the document, which have none. */
typedef struct io_callbacks {
    dal_law law;
    dal_calling_law calling_law;
    dal_calling_break calling_break;
    dal_status (*function_calling)(double y[3], double x, const double *c, const dal_functions *functions, void *user);
    dal_calling_event_law values;
    dal_pfaffian rows;
    dal_pfaffian_along rows_along;
    dal_status (*call_with)(double y[3], double x, const double *c, void *user);
    double (*next_break)(double x, const double *c, void *user);
    void *user;
    int n;
} io_callbacks;

/* An element whose numbers follow from values: its part of the program. */
typedef struct io_item {
    mb_kind kind;
    int number;
    const char *path; /* of the element in the file, for messages */
    io_operation *op;
    io_target *target;
    int nops, ntargets;
    io_callbacks call;
} io_item;

struct dal_binding {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_json *json;
    io_types types;
    int n, nlive;                 /* values; and variables that depend on them */
    const char **name;            /* nlive: of variables; "" of a number of an element */
    const dal_expression **value; /* nlive - n: of the variables, each of those before it */
    io_item *item;
    int nitems, capacity;
    const double *given;             /* n: the values as in the document */
    const dal_expression *t_end, *h; /* of the live values; NULL: as in the file */
    io_owned *owned;
};

/* A field of a description, and the node that its number is. */
typedef struct io_field {
    const double *at;
    int node;
} io_field;

/* The element that is being read. */
typedef struct io_element {
    const char *section; /* "" for gravity; NULL: outside of elements */
    const char *name;    /* for addresses */
    const io_node *root; /* of the element */
    io_item item;
    int op_capacity, target_capacity;
    io_field *field;
    int nfields, field_capacity;
    int nodes; /* the next one */
} io_element;

struct io_recorder {
    dal_binding *b;
    const char *const *given; /* names of the values */
    int *found;               /* n: the number of an element was there */
    double *value;            /* nlive: as in the document */
    unsigned char *moved;     /* bodies whose initial pose follows from values */
    unsigned char *called;    /* functions that numbers follow from, which are computed once */
    int noutputs, nevents;    /* so far */
    io_element *element;
    char near[IO_TEXT]; /* an address like the first that was not found */
    int lost;           /* no memory */
};

/* A run through the program. */
typedef struct io_running {
    io_loader L; /* for messages */
    dal_data *data;
    double *node;  /* IO_NODES_MAX */
    io_flow *flow; /* may be NULL */
} io_running;

/* All numbers that follow from the values. */
dal_status dal_io_set_values(const dal_binding *b, dal_data *data, const double *values) DAL_NODISCARD;

/* inputs.c: values are about to be set beside inputs, which is refused where both act on one element, and
 * inputs among them have limits; and they have been: inputs
 * among them have these values now. */
dal_status dal_io_beside_inputs(const dal_binding *b, const dal_data *data, const double *values) DAL_NODISCARD;
dal_status dal_io_take_inputs(const dal_binding *b, dal_data *data, const double *values) DAL_NODISCARD;

io_running dal_io_running(const dal_binding *b, dal_data *data, double *node);
/* The values, and the variables that depend on them, as nodes 1 .. nlive. */
dal_status dal_io_live(const dal_binding *b, dal_ctx *ctx, double *node, const double *values) DAL_NODISCARD;
/* Inputs of a kernel, and its results as nodes. */
dal_status dal_io_gather(const io_running *r, double x[IO_INPUTS_MAX], const io_operation *op) DAL_NODISCARD;
dal_status dal_io_run_operation(const io_running *r, const io_operation *op) DAL_NODISCARD;

/* Let the binding free a block; it is freed at once if there is no memory for that. */
dal_status dal_io_own_block(dal_binding *b, void *block) DAL_NODISCARD;
/* Memory that the binding frees; NULL: there is none. */
void *dal_io_own(dal_binding *b, size_t size);
const char *dal_io_own_text(dal_binding *b, const char *text);
/* An expression of the live values; *e is NULL if it does not depend on any of them. */
dal_status dal_io_formula(const io_loader *L, const dal_expression **e, const char *text) DAL_NODISCARD;

/* A description and the lists it points to, with their sizes. */
typedef struct io_lists {
    const void *from[3];
    size_t size[3];
} io_lists;

/* Those fields of a description that are not constant, as targets of the item of the element, which is returned. */
io_item *dal_io_keep_fields(const io_loader *L, mb_kind kind, int number, const io_lists *lists);
/* Is one of n fields not constant? */
int dal_io_has_live(const io_loader *L, const double *field, int n);

#endif
