/* How the numbers of a simulation follow from those of its descriptions: what is copied, what is computed by which kernel. It is
 * told to whoever writes it down (src/generate/nodes.c); the elements themselves compute the same where they are read. */
#ifndef DAL_MBS_FOLLOW_H
#define DAL_MBS_FOLLOW_H

#include "dalembert/mbs.h"
#include "mbs/parameters.h"

/* n numbers in a row. */
typedef struct mb_span {
    const double *x;
    int n;
} mb_span;
#define MB_SPANS(...) ((const mb_span[]){__VA_ARGS__, {NULL, 0}})

/* Numbers are known by where they are. What lies on the stack is told each time before it is read. */
typedef struct mb_flow mb_flow;
struct mb_flow {
    void (*copy)(mb_flow *f, const double *y, const double *x, int n);
    /* y = number_KERNEL(x, more), a kernel of mbs/number_kernel.h; NULL: one that generated programs do not have; "": the start of
     * a program finds y. */
    void (*call)(mb_flow *f, const char *kernel, const char *more, const mb_span *y, const mb_span *x);
};

/* All numbers of a simulation whose elements have been set and settled. */
void mb_follow(dal_data *data, mb_flow *f);
/* The initial pose of a body: position, quaternion of length one. */
void mb_follow_pose(dal_data *data, double pose[7], int body, mb_flow *f);
/* Where the numbers of a description are: list of an mb_description. */
const void *mb_description_home(dal_data *data, mb_kind kind, int number, int list);

#endif
