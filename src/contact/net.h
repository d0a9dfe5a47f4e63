/* Many contacts between bodies, or clusters of bodies that joints connect (docs/theory/contact.md, CT.8, CT.30): islands of those
 * that push each other are solved one by one, small ones by Newton's method (problem.h), large ones by projected Gauss-Seidel
 * sweeps on the bodies. Knows no mechanics. With x of a cluster, p of a contact:
 *
 *     x = sum of Y p,   w = B x + d,   0 <= w_n  perp  p_n >= 0,   p_t = argmin over |p_t| <= mu p_n of p_t . w_t   */
#ifndef DAL_CONTACT_NET_H
#define DAL_CONTACT_NET_H

#include <stddef.h>

#include "dalembert/base.h"

enum { DAL_NET_ROWS = 3 };

typedef struct dal_net_contact {
    int rows;   /* p_n if it is normal, then p_t (none, one or two) */
    int normal; /* 0: friction alone, |p_t| <= mu */
    double mu;
    int cluster[2];  /* -1: none */
    ptrdiff_t at[2]; /* of the two: B^T and then Y in the store, each size of the cluster x rows, column-major */
    double d[DAL_NET_ROWS], p[DAL_NET_ROWS], w[DAL_NET_ROWS]; /* p: start, then solution */
    /* found */
    double r_n, r_t; /* (CT.10) with kappa = 1 */
    int island;
    int again; /* given to dal_net_solve_again */
} dal_net_contact;

typedef struct dal_net {
    dal_ctx *ctx;
    int m, nclusters;
    dal_net_contact *contact; /* m */
    double *store;
    int *start; /* nclusters + 1: where x of a cluster begins */
    double *x;  /* start[nclusters]: result */
    double tol; /* changes of w in a sweep that count as none */
    int sweeps; /* at most */
    /* found, added up over calls */
    long newton, swept, rescues,
        unfinished; /* iterations; sweeps; further attempts; islands whose sweeps did not come to an end */
    int largest;    /* contacts of an island */
    /* work */
    int *parent, *order, nisland;
    double *dense;
    int *list, dense_room, list_room, parent_room, order_room;
} dal_net;

/* Fails only for want of memory: contacts that do not come to an end are counted. */
dal_status dal_net_solve(dal_net *net) DAL_NODISCARD;
/* The islands of contacts with `again`, whose d has changed since. */
dal_status dal_net_solve_again(dal_net *net) DAL_NODISCARD;
void dal_net_release(dal_net *net); /* its work alone */

#endif
