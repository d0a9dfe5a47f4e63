/* Memory through the context's allocator: plain blocks, and arenas.
 *
 * An object that owns memory describes its arrays once, in a function `carve` that takes them from an
 * arena. It runs twice: on an empty arena it only adds up sizes; after dal_arena_reserve it hands out
 * addresses. So measuring and assigning cannot disagree, and each object costs one allocation. */
#ifndef DAL_BASE_MEMORY_H
#define DAL_BASE_MEMORY_H

#include "dalembert/base.h"

/* NULL when out of memory; bytes = 0 gives a valid block. dal_free(ctx, NULL) is fine. */
void *dal_alloc(dal_ctx *ctx, size_t bytes);
void *dal_alloc_zero(dal_ctx *ctx, size_t bytes);
void dal_free(dal_ctx *ctx, void *memory);
/* How often there was no memory so far. Who makes something from very many pieces may look once, in the end. */
unsigned long dal_alloc_refused(const dal_ctx *ctx);

typedef struct dal_arena {
    dal_ctx *ctx;
    void *memory; /* the block; base is its first address on a cache line */
    char *base;   /* NULL while measuring */
    size_t used, size;
} dal_arena;

/* Start measuring. */
dal_arena dal_arena_init(dal_ctx *ctx);
/* Take an array (64-byte aligned). NULL while measuring. */
void *dal_arena_take(dal_arena *arena, size_t count, size_t size);
double *dal_arena_reals(dal_arena *arena, int n);
int *dal_arena_ints(dal_arena *arena, int n);
/* Allocate what was measured, zeroed, and start handing out. */
dal_status dal_arena_reserve(dal_arena *arena) DAL_NODISCARD;
void dal_arena_release(dal_arena *arena);

/* Room for n elements of a growing array, whose new ones are zero. */
dal_status dal_grow(dal_ctx *ctx, void **array, int *capacity, int n, size_t size) DAL_NODISCARD;
#define DAL_GROW(ctx, array, capacity, n) DAL_TRY(dal_grow(ctx, (void **)&(array), &(capacity), n, sizeof *(array)))

/* ---- pools ------------------------------------------------------------------------------------ */

/* Blocks that live as long as their owner and go together, for objects made from pieces whose sizes come one by one. A piece
 * that there is no memory for leaves the message "out of memory for <what>". */
typedef struct dal_pool {
    dal_ctx *ctx;
    const char *what;
    struct dal_pool_block *last;
} dal_pool;

/* Zeroed; NULL with the message. */
void *dal_pool_take(dal_pool *pool, size_t count, size_t size);
char *dal_pool_text(dal_pool *pool, const char *text); /* a copy */
void dal_pool_release(dal_pool *pool);

/* The pointer becomes an array of n, or a copy of a text; without memory the function returns. */
#define DAL_TAKE(pool, pointer, n) DAL_TAKEN(pointer, dal_pool_take(pool, (size_t)(n), sizeof *(pointer)))
#define DAL_TAKE_TEXT(pool, pointer, text) DAL_TAKEN(pointer, dal_pool_text(pool, text))
#define DAL_TAKEN(pointer, taken)            \
    do {                                     \
        if (((pointer) = (taken)) == NULL) { \
            return DAL_ENOMEM;               \
        }                                    \
    } while (0)

#endif
