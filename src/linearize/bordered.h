/* The matrix of (CS.8), filled straight from the tangents that a system pushes: saddle systems, assembly, mass matrix. */
#ifndef DAL_LINEARIZE_BORDERED_H
#define DAL_LINEARIZE_BORDERED_H

#include "linearize/layout.h"

/* What the matrix consists of. Without links it is nv x nv. */
enum {
    DAL_BORDERED_PAIRS = 1,    /* m M + c C + k K */
    DAL_BORDERED_LINKS = 2,    /* B, B^T + G; of laws B^T and F, without forces the identity alone */
    DAL_BORDERED_DIAGONAL = 4, /* diagonal[0] for velocities, diagonal[1] for multipliers */
    DAL_BORDERED_STEADY = 8    /* blocks of bodies are often those of the time before */
};

typedef struct dal_bordered {
    dal_sink sink; /* first: the tangents are pushed here */
    dal_eval *ev;
    dal_linsol *ls;
    dal_matrix *A;
    int first_link, first_couple, first_diagonal; /* slots */
    unsigned parts;
    double m, c, k;
    double diagonal[2];
    const double *added; /* nv + nc (without links nv), instead of diagonal; NULL: not */
    const int *
        held; /* nv: velocities whose columns of B, and rows and columns of M, C, K but for the diagonal, are left out; NULL: none */
    int holonomic_only; /* B has the holonomic rows only */
} dal_bordered;

/* The pattern: slots of pairs, links, diagonal, as far as they take part. */
dal_status dal_bordered_announce(dal_pattern *pattern, const dal_eval *ev, unsigned parts) DAL_NODISCARD;

/* Starts with m = 1, all else zero. */
dal_status dal_bordered_init(dal_bordered *b, dal_ctx *ctx, dal_eval *ev, unsigned parts,
                             dal_linsol_kind kind) DAL_NODISCARD;
void dal_bordered_release(dal_bordered *b);

/* Fill the matrix at a point; with_force: with G and laws, where the system has them. */
dal_status dal_bordered_fill(dal_bordered *b, const dal_point *at, int with_force) DAL_NODISCARD;

#endif
