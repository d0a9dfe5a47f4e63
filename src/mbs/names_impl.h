/* Names of elements, growing lists, and functions of one variable: what needs no bodies. */
#ifndef DAL_MBS_NAMES_IMPL_H
#define DAL_MBS_NAMES_IMPL_H

#include "base/memory.h"
#include "dalembert/mbs.h"
#include "mbs/keys.h"

typedef struct mb_instance mb_instance;

/* ---- names, lists ----------------------------------------------------------------------------- */

/* Names of one kind of elements with a hash table, so that large models compile in linear time. */
typedef struct mb_names {
    char **name;
    int n, capacity;
    int *slot; /* open addressing, number + 1; nslots is a power of two */
    int nslots;
} mb_names;

/* May an element of this name be added: is it new, and the model not compiled? Check before mb_names_add. */
dal_status mb_names_check(const dal_model *m, const mb_names *names, const char *what, const char *name) DAL_NODISCARD;
dal_status mb_names_add(mb_names *names, dal_pool *pool, const char *name) DAL_NODISCARD; /* copied to the pool */
int mb_names_find(const mb_names *names, const char *name);
void mb_names_release(mb_names *names, dal_ctx *ctx);
/* "no joint 'x' (did you mean 'y'?)" */
dal_status mb_names_missing(const mb_names *names, dal_ctx *ctx, const char *what, const char *name) DAL_NODISCARD;

/* Number of a type by its name, -1 with a message: "joint 'a': no type 'x' (did you mean 'y'?)". word: what a type is called;
 * type_name: of type number k, NULL behind the last. */
int mb_type_find(dal_ctx *ctx, const char *what, const char *name, const char *word, const char *type,
                 const char *(*type_name)(int k));

/* ---- functions -------------------------------------------------------------------------------- */

typedef struct mb_function_type mb_function_type;
typedef struct mb_function {
    const mb_function_type *type;
    int n, nf;
    int depth, evaluations;          /* of functions within functions, for one value */
    dal_interpolation interpolation; /* table */
    int nx, ny;                      /* map: points along x and y */
    int nc;                          /* numbers in c */
    double *c;                       /* coefficients; table: x, y, second derivatives */
    int *f;
    dal_status (*call)(double y[3], double x, void *user);
    dal_status (*call_with)(double y[3], double x, const double *c, void *user);
    void *user;
    double (*next_break)(double x, const double *c, void *user);
    dal_status (*calling)(double y[3], double x, const double *c, const dal_functions *functions, void *user);
    double (*calling_break)(double x, const double *c, const dal_functions *functions, void *user);
} mb_function;

struct mb_function_type {
    const char *name;
    int min, max; /* number of coefficients */
    dal_status (*check)(dal_ctx *ctx, const dal_function *f);
    dal_status (*value)(double y[3], const mb_function *f, double x, const mb_function *all);
    dal_element_type about; /* text and keys; none: not for model files */
    double (*next_break)(const mb_function *f, double x, const mb_function *all); /* NULL: it is smooth */
};

/* The numbers of a function: check the description, and compute f->c from it. scratch: MB_TABLE_SCRATCH numbers
 * per point of a table. */
dal_status mb_function_check(const dal_model *m, dal_ctx *ctx, const mb_function_type *type,
                             const dal_function *f) DAL_NODISCARD;
void mb_function_numbers(mb_function *f, double *scratch, const dal_function *d);
const mb_function_type *mb_function_type_find(dal_ctx *ctx, const dal_function *f);
int mb_function_is_table(const mb_function *f);
int mb_function_is_map(const mb_function *f);
int mb_function_is_product(const mb_function *f);
/* Is there such a function of one variable? 0, none, is. */
int mb_function_known(const dal_model *m, int number);

/* Tables (table.c): c has 3 n numbers. */
enum { MB_TABLE_SCRATCH = 4 };
dal_status mb_table_check(dal_ctx *ctx, const dal_function *f) DAL_NODISCARD;
void mb_table_build(double *c, double *scratch, const dal_function *f);
/* Second derivatives M of the spline that has none at its ends; scratch: 3 n. */
void mb_table_natural(double *M, double *scratch, const double *X, const double *Y, int n);
void mb_table_value(double y[3], const double *c, int n, dal_interpolation interpolation, double x);

/* Tables of two variables (map.c): how many numbers c has; scratch: 5 numbers per point of the longer side. Value and derivatives
 * f, f_x, f_y, f_xx, f_xy, f_yy; a number for the piece that a pair is on, NaN: the argument does not count. */
enum { MB_MAP_MOST = 10000 };
dal_status mb_map_check(dal_ctx *ctx, const dal_function *f) DAL_NODISCARD;
int mb_map_numbers(const dal_function *f);
void mb_map_build(double *c, double *scratch, const dal_function *f);
void mb_map_value(double f[6], const mb_function *map, double x, double y);
int mb_map_piece(const mb_function *map, double x, double y);

/* What laws are handed. */
struct dal_functions {
    const mb_function *all;
    int n;
};

/* Value and two derivatives; number 0 gives zero. */
dal_status mb_function_value(double y[3], const mb_function *all, int number, double x);
/* The same for an element, 'what' and 'name'; a failure and a value that is not finite are noted. */
void mb_function_at(double y[3], mb_instance *m, int number, double x, const char *what, const char *name);
/* The same of a motion that joint `name` follows: its derivatives must be finite, too. */
void mb_motion_at(double y[3], mb_instance *m, int number, double t, const char *name);
/* The first argument after x where the function is not smooth; infinity: there is none. */
double mb_function_break(const mb_function *all, int number, double x);
/* The same of a table. */
/* The first jump after x. */
double mb_function_next_step(const mb_function *all, int number, double x);
double mb_table_break(const double *c, int n, dal_interpolation interpolation, double x);
/* Can its slope jump? True of ramps, piecewise linear tables, and combinations of them. */
int mb_function_kinked(const mb_function *all, int number);
/* jumps.c: where a function jumps first: its value or, rate = 1, its rate, from `before` to `after`. */
typedef struct mb_jump {
    double t;
    int rate;
    double before, after;
} mb_jump;
/* From 0 to t1: on a fine grid, and where its derivatives do not explain its values. unit: a large value; far below it a change is
 * the rounding of terms that cancel. 1: there is one. */
int mb_function_jump(mb_jump *jump, const mb_function *all, int number, double t1, double unit);
/* Integral from 0 to x. */
double mb_function_integral(const mb_function *all, int number, double x);

#endif
