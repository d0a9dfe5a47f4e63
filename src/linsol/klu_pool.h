/* Memory for KLU. SuiteSparse has one global table of allocation functions; ours pass on to what was there before,
 * except within a call of dal_klu_enter .. dal_klu_leave: then memory comes from the context, and what KLU frees is kept
 * for the next time. Choosing new pivots takes the same pieces again and again, so it allocates only the first time. */
#ifndef DAL_LINSOL_KLU_POOL_H
#define DAL_LINSOL_KLU_POOL_H

#include "base/memory.h"

typedef struct dal_klu_piece dal_klu_piece;

typedef struct dal_klu_pool {
    dal_ctx *ctx;
    dal_klu_piece *kept;
} dal_klu_pool;

/* KLU works for this pool, in this thread. */
void dal_klu_enter(dal_klu_pool *pool);
void dal_klu_leave(void);
/* When all objects of KLU are gone. */
void dal_klu_pool_release(dal_klu_pool *pool);

#endif
