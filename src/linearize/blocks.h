/* The tangents of a system at a point, kept block by block: products with them and with their transposes. For derivatives of whole
 * runs, which need them several times. */
#ifndef DAL_LINEARIZE_BLOCKS_H
#define DAL_LINEARIZE_BLOCKS_H

#include "linearize/layout.h"
#include "system/dependence.h"

/* A change of a point, left-trivialised in q, or what it is weighed with; NULL: zero, or not wanted. */
typedef struct dal_change {
    double *q, *v, *vd, *la;
} dal_change;

typedef struct dal_blocks {
    dal_sink sink; /* first */
    dal_eval *ev;
    unsigned has;    /* DAL_WANT_* */
    dal_sink *also;  /* while they are evaluated: who takes them too */
    size_t *pair0;   /* npairs + 1: place of a pair in M, C, K */
    size_t *link0;   /* nlinks + 1: of a link in B, Z, Aq, Av, G, Lq, Lv */
    size_t *couple0; /* ncouples + 1: in x */
    double *x;
    char *empty; /* of a matrix of a pair, of a link, of a couple: nothing was pushed, it is zero */
    dal_arena arena;
} dal_blocks;

dal_status dal_blocks_init(dal_blocks *b, dal_ctx *ctx, dal_eval *ev) DAL_NODISCARD;
void dal_blocks_release(dal_blocks *b);
dal_status dal_blocks_at(dal_blocks *b, const dal_point *at, unsigned wants) DAL_NODISCARD;
/* Those that a sink wants, which gets them as well. */
dal_status dal_blocks_with(dal_blocks *b, dal_sink *also, const dal_point *at) DAL_NODISCARD;

/* y += scale A x with the matrices that are there:
 *     r = K q + C v + M v' + (B^T + G) la,  Phi = B q,  vel = Z q + B v,  acc = Aq q + Av v + B v',  law = Lq q + Lv v + F la */
void dal_blocks_product(const dal_blocks *b, const dal_rows *y, const dal_change *x, double scale);
/* x += scale A^T y */
void dal_blocks_transposed(const dal_blocks *b, const dal_change *x, const dal_rows *y, double scale);

#endif
