/* Inside of reading expressions: quantities with their dimensions, shared by
 *     expression.c         the grammar
 *     expression_names.c   what names stand for
 *     expression_vector.c  arithmetic of numbers and vectors, and their dimensions
 *     expression_units.c   units behind numbers */
#ifndef DAL_IO_EXPRESSION_READER_H
#define DAL_IO_EXPRESSION_READER_H

#include "io/expression_list.h"

enum { NAME_SIZE = 64, NAMES_SIZE = 256, ARGUMENTS_MAX = 16, QUOTE_MAX = 120 };

/* ---- units ------------------------------------------------------------------------------------ */

enum { METRE, KILOGRAM, SECOND, RADIAN }; /* exponents of a dal_dimension */

typedef struct dal_units {
    double times, over; /* a number with these units is times/over of it in SI */
    dal_dimension dimension;
} dal_units;

/* The units at the beginning of a text; returns their length, 0 if there are none. */
size_t dal_units_read(dal_units *u, const char *text);

/* ---- what has been read ----------------------------------------------------------------------- */

/* A number, or a node of the list. */
typedef struct operand {
    int node; /* -1: the number c */
    double c;
} operand;

/* One of them, or the three of a vector. */
typedef struct quantity {
    int n;
    operand x[3];
    dal_dimension dimension;
} quantity;

typedef struct reader {
    dal_ctx *ctx;
    const char *text;
    size_t at; /* where the next token begins, blanks skipped */
    const dal_lookup *lookup;
    int depth;
    const char *const *inputs;
    int ninputs;
    int own;               /* so many of the inputs are known by their names; the others are variables */
    int sizing;            /* values do not matter */
    expression_node *node; /* DAL_EXPRESSION_NODES of them; NULL where there are no inputs */
    int n;
} reader;

dal_status dal_reader_complain(const reader *r, size_t at, const char *what);
/* A whole text in the place of what it stands for. */
dal_status dal_reader_text(reader *r, quantity *x);
/* x = op(x, y), or op(x) where y is NULL. Numbers are combined at once. */
dal_status dal_reader_combine(reader *r, operand *x, size_t at, expression_op op, const operand *y);
dal_status dal_reader_node(reader *r, int *number, size_t at, const expression_node *node);
dal_status dal_reader_as_node(reader *r, int *number, size_t at, const operand *x);
/* Arguments up to the closing character: *n of them. */
dal_status dal_reader_list(reader *r, quantity a[ARGUMENTS_MAX], int *n, char close);
/* A call, after the parenthesis, and the function of a name that there always is; 0: there is none. */
dal_status dal_reader_call(reader *r, quantity *x, size_t begin, const char *name);
expression_op dal_reader_function(const char *name);

/* What a name stands for, which began at `begin`. */
dal_status dal_reader_name(reader *r, quantity *x, size_t begin, const char *name);
dal_status dal_reader_unknown(const reader *r, size_t begin, const char *name, int called);

static inline quantity number_quantity(double c)
{
    return (quantity){.n = 1, .x = {{-1, c}}};
}

/* The same for numbers and vectors, with their dimensions. */
dal_status dal_quantity_combine(reader *r, quantity *x, size_t at, expression_op op, const quantity *y);
/* Functions of vectors: 0 arguments: there is none of this name. */
int dal_vector_function(const char *name, int *arguments);
dal_status dal_vector_call(reader *r, quantity *x, size_t at, int function, const quantity *a);
const char *dal_vector_word(int function); /* NULL: there are no more */

#endif
