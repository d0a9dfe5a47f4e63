#include "base/memory.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/base_impl.h"

enum { ALIGN = 64 }; // a cache line

void *dal_alloc(dal_ctx *ctx, size_t bytes)
{
    void *memory = ctx->config.alloc(bytes > 0 ? bytes : 1, ctx->config.user);
    ctx->refused += memory == NULL;
    return memory;
}

unsigned long dal_alloc_refused(const dal_ctx *ctx)
{
    return ctx->refused;
}

void *dal_alloc_zero(dal_ctx *ctx, size_t bytes)
{
    void *memory = dal_alloc(ctx, bytes);
    if (memory != NULL) {
        memset(memory, 0, bytes);
    }
    return memory;
}

void dal_free(dal_ctx *ctx, void *memory)
{
    if (memory != NULL) {
        ctx->config.release(memory, ctx->config.user);
    }
}

dal_arena dal_arena_init(dal_ctx *ctx)
{
    return (dal_arena){.ctx = ctx};
}

/* used = SIZE_MAX marks an arena whose sizes do not fit into a size_t: reserving it fails. */
void *dal_arena_take(dal_arena *arena, size_t count, size_t size)
{
    const size_t room = SIZE_MAX - 2 * ALIGN;
    if (arena->used > room || (size > 0 && count > (room - arena->used) / size)) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    const size_t start = arena->used;
    arena->used += (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (arena->base == NULL) {
        return NULL;
    }
    assert(arena->used <= arena->size); // the second run asks for no more than the first
    return arena->used <= arena->size ? arena->base + start : NULL;
}

/* A negative count turns into a huge one, which no arena can hold. */
double *dal_arena_reals(dal_arena *arena, int n)
{
    return dal_arena_take(arena, (size_t)n, sizeof(double));
}

int *dal_arena_ints(dal_arena *arena, int n)
{
    return dal_arena_take(arena, (size_t)n, sizeof(int));
}

dal_status dal_arena_reserve(dal_arena *arena)
{
    const size_t bytes = arena->used;
    if (bytes > SIZE_MAX - ALIGN) {
        return dal_fail(arena->ctx, DAL_ENOMEM, "more memory is needed than can be addressed");
    }
    // the allocator aligns for any object, not for a cache line: one line more leaves room to shift
    arena->memory = dal_alloc_zero(arena->ctx, bytes + ALIGN);
    if (arena->memory == NULL) {
        return dal_fail(arena->ctx, DAL_ENOMEM, "cannot allocate %zu bytes", bytes + ALIGN);
    }
    const size_t beyond = (size_t)((uintptr_t)arena->memory % ALIGN);
    arena->base = (char *)arena->memory + (beyond > 0 ? ALIGN - beyond : 0);
    arena->size = bytes;
    arena->used = 0;
    return DAL_OK;
}

void dal_arena_release(dal_arena *arena)
{
    if (arena->memory != NULL) {
        dal_free(arena->ctx, arena->memory);
    }
    *arena = dal_arena_init(arena->ctx);
}

struct dal_pool_block {
    struct dal_pool_block *before;
    max_align_t data[];
};

void *dal_pool_take(dal_pool *pool, size_t count, size_t size)
{
    const size_t most = (SIZE_MAX - sizeof(struct dal_pool_block)) / (size > 0 ? size : 1);
    struct dal_pool_block *block = count <= most ? dal_alloc_zero(pool->ctx, sizeof *block + count * size) : NULL;
    if (block == NULL) {
        (void)dal_fail(pool->ctx, DAL_ENOMEM, "out of memory for %s", pool->what);
        return NULL;
    }
    block->before = pool->last;
    pool->last = block;
    return block->data;
}

char *dal_pool_text(dal_pool *pool, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = dal_pool_take(pool, n, 1);
    return copy != NULL ? memcpy(copy, text, n) : NULL;
}

void dal_pool_release(dal_pool *pool)
{
    while (pool->last != NULL) {
        struct dal_pool_block *block = pool->last;
        pool->last = block->before;
        dal_free(pool->ctx, block);
    }
}

dal_status dal_grow(dal_ctx *ctx, void **array, int *capacity, int n, size_t size)
{
    if (n <= *capacity) {
        return DAL_OK;
    }
    const int larger = 2 * n + 8;
    void *memory = dal_alloc_zero(ctx, (size_t)larger * size);
    if (memory == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "out of memory for %d elements", larger);
    }
    if (*capacity > 0) {
        memcpy(memory, *array, (size_t)*capacity * size);
    }
    dal_free(ctx, *array);
    *array = memory;
    *capacity = larger;
    return DAL_OK;
}
