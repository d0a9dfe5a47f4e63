/* Inside of the linear solvers: what all of them share, and the table of functions a backend fills. */
#ifndef DAL_LINSOL_IMPL_H
#define DAL_LINSOL_IMPL_H

#include "base/cursor.h"
#include "base/memory.h"
#include "dalembert/linsol.h"

/* ---- pattern ---------------------------------------------------------------------------------- */

typedef struct dal_block {
    int i, j, ni, nj;
} dal_block;

struct dal_pattern {
    dal_ctx *ctx;
    int n;
    int nblocks, capacity;
    dal_block *block;
    size_t ncolumns;   /* columns of all blocks together: length of all slots */
    int *node, *level; /* n each, of every unknown, or NULL: dal_pattern_node */
    int steady;        /* dal_pattern_steady */
};

/* Number of structural entries of the matrix (overlaps counted once), as far as memory allows. */
dal_status dal_pattern_count(const dal_pattern *pattern, size_t *nnz) DAL_NODISCARD;

/* Do the nodes cover all unknowns? */
int dal_pattern_has_nodes(const dal_pattern *pattern);

/* Fill slot[k][.], k < nblocks (arrays of the widths of the blocks), for dense storage or, with colptr and row
 * (n + 1 and nnz entries), for compressed columns; these two are filled as well. */
void dal_pattern_dense_slots(const dal_pattern *pattern, int *const *slot);
dal_status dal_pattern_compress(const dal_pattern *pattern, int *colptr, int *row, int *const *slot) DAL_NODISCARD;

/* ---- solver ----------------------------------------------------------------------------------- */

typedef struct block_order block_order;
typedef struct dal_guard dal_guard;

/* A backend. factor sees finite values unless it checks them itself, writes ls->singular_row when it returns DAL_SINGULAR, and leaves the
 * matrix as it is. analyse, release and guard may be NULL. */
typedef struct linsol_type {
    const char *name;
    int dense;                                       /* storage of the matrix */
    int nodes;                                       /* eliminates the nodes of the pattern */
    size_t size;                                     /* of the struct that begins with dal_linsol */
    void (*carve)(dal_linsol *ls, dal_arena *arena); /* take arrays; n and nnz are known */
    /* the matrix is there; order: of the nodes, if any; it may be taken over, which leaves an empty one */
    dal_status (*analyse)(dal_linsol *ls, const dal_pattern *pattern, block_order *order);
    double (*load)(dal_linsol *ls);                 /* 1-norm or DAL_NORM_LATER; infinite if an entry is not
                                                                  finite, which `factor` may find as well: it sets norm1 */
    dal_status (*factor)(dal_linsol *ls);           /* after load */
    int (*factor_in_place)(dal_linsol *ls);         /* see in_place.h; NULL: cannot be done */
    double (*norm1)(const dal_linsol *ls);          /* from the factors, where they replaced the matrix */
    void (*solve)(const dal_linsol *ls, double *b); /* b := A^-1 b */
    void (*solve_many)(const dal_linsol *ls, double *b,
                       int count);                             /* of n x count, with the own factors; may be NULL */
    void (*solve_transposed)(const dal_linsol *ls, double *b); /* b := A^-T b */
    void (*pass)(dal_linsol *ls, dal_cursor *k);               /* the factors of a snapshot; ls->factored is known */
    void (*forget)(dal_linsol *ls);                            /* pivots of the past; may be NULL */
    void (*release)(dal_linsol *ls);
    const dal_guard *(*guard)(const dal_linsol *ls); /* of a solver that may hand over to `sparse` */
} linsol_type;

struct dal_linsol {
    const linsol_type *type;
    dal_ctx *ctx;
    dal_arena arena;
    dal_matrix A;
    int *colptr, *row; /* what A shows as const; NULL when dense */
    int **slot;
    int factored;         /* the factors belong to a matrix that was not singular */
    int singular_row;     /* -1 if none */
    dal_matrix in_place;  /* the matrix where it is factored (in_place.h); slot NULL: none */
    int replaced;         /* the factors are those of in_place, and A has other values */
    double norm1;         /* 1-norm of the factored matrix, or DAL_NORM_LATER */
    double *probe, *sign; /* n each: work of the condition estimate and of checks */
    int balanced;    /* the factors are those of D A D, D = diag(balance) (LS.10): 1 from the matrix, 2 from `scales` */
    int doubtful;    /* some pivots are small beside the matrix: the largest of a row may be the wrong one */
    double *balance; /* n */
    const double *scales; /* n: every matrix is scaled, see balance.h; NULL: not */
    double *refine;       /* 2 n: right-hand side and result of a refined solve, for solvers with a guard */
    double operations;    /* a factorisation is expected to cost, in those of a dense LU */
    double entries;       /* of the factors, expected */
    char choice[160];     /* why this solver: dal_linsol_choice */
};

/* The 1-norm is not known yet: dal_norm1 finds it from the values of the matrix, or from the factors. */
#define DAL_NORM_LATER (-1.0)
double dal_norm1(const dal_linsol *ls);

extern const linsol_type dal_linsol_small, dal_linsol_dense, dal_linsol_sparse, dal_linsol_block, dal_linsol_frontal;

/* equilibrate.c: factor after load, with rows and columns scaled if that is wanted or if the matrix seems singular; find the scales; a
 * solve with either kind of factors. */
dal_status dal_linsol_factor_balanced(dal_linsol *ls, int known) DAL_NODISCARD;
void dal_linsol_rebalance(dal_linsol *ls);
void dal_linsol_back_solve(const dal_linsol *ls, double *b, int transposed);

/* Operations of a dense LU that one of `sparse` costs: 20 to 40 (n = 36 to 420). */
enum { DAL_SPARSE_WEIGHT = 25 };
/* Entries of the factors there are. */
size_t dal_sparse_entries(const dal_linsol *ls);
/* Numbers in the snapshot of a sparse solver for the matrix of ls. */
size_t dal_sparse_snapshot_size(const dal_linsol *ls);
/* Factors of a snapshot, which must be finite if they are used. */
void dal_factors_pass(dal_cursor *k, double *x, int n, int used);

/* A pivot is noise when it is not larger than NOISE n eps times the magnitudes it grew from, rows and columns
 * equilibrated (LS.3). Only pivots below SUSPECT times the 1-norm of the matrix are tested. */
#define DAL_PIVOT_NOISE 16.0
#define DAL_PIVOT_SUSPECT 1e-10

/* Lower bound of ||A^-1||_1, nearly always within a factor 3 (LS.5). */
double dal_inverse_norm1(const dal_linsol *ls);

#endif
