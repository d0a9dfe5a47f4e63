#include "linsol/klu_pool.h"

#include <SuiteSparse_config.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

struct dal_klu_piece {
    size_t size; /* bytes behind this head */
    dal_klu_piece *next;
    _Alignas(max_align_t) char memory[];
};

static _Thread_local dal_klu_pool *current;

/* What the table held before ours. */
static void *(*outer_malloc)(size_t);
static void *(*outer_calloc)(size_t, size_t);
static void *(*outer_realloc)(void *, size_t);
static void (*outer_free)(void *);

static dal_klu_piece *piece_of(void *memory)
{
    return (dal_klu_piece *)(void *)((char *)memory - offsetof(dal_klu_piece, memory));
}

/* The smallest piece that is large enough, or a new one. */
static void *take(dal_klu_pool *pool, size_t bytes)
{
    dal_klu_piece **best = NULL;
    for (dal_klu_piece **p = &pool->kept; *p != NULL; p = &(*p)->next) {
        if ((*p)->size >= bytes && (best == NULL || (*p)->size < (*best)->size)) {
            best = p;
        }
    }
    if (best != NULL) {
        dal_klu_piece *piece = *best;
        *best = piece->next;
        return piece->memory;
    }
    const size_t head = sizeof(dal_klu_piece);
    dal_klu_piece *piece = bytes < SIZE_MAX - head ? dal_alloc(pool->ctx, head + bytes) : NULL;
    if (piece == NULL) {
        return NULL;
    }
    piece->size = bytes;
    return piece->memory;
}

static void keep(dal_klu_pool *pool, void *memory)
{
    dal_klu_piece *piece = piece_of(memory);
    piece->next = pool->kept;
    pool->kept = piece;
}

static void *pool_malloc(size_t bytes)
{
    return current != NULL ? take(current, bytes) : outer_malloc(bytes);
}

static void *pool_calloc(size_t count, size_t size)
{
    if (current == NULL) {
        return outer_calloc(count, size);
    }
    void *memory = size == 0 || count <= SIZE_MAX / size ? take(current, count * size) : NULL;
    return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

static void *pool_realloc(void *memory, size_t bytes)
{
    if (current == NULL) {
        return outer_realloc(memory, bytes);
    }
    if (memory != NULL && bytes <= piece_of(memory)->size) {
        return memory;
    }
    void *larger = take(current, bytes);
    if (larger != NULL && memory != NULL) {
        memcpy(larger, memory, piece_of(memory)->size);
        keep(current, memory);
    }
    return larger;
}

static void pool_free(void *memory)
{
    if (current == NULL) {
        outer_free(memory);
    } else if (memory != NULL) {
        keep(current, memory);
    }
}

/* Put ours into the table, once, and again if somebody has replaced them. */
static void install(void)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    }
    if (SuiteSparse_config.malloc_func != pool_malloc) {
        outer_malloc = SuiteSparse_config.malloc_func;
        outer_calloc = SuiteSparse_config.calloc_func;
        outer_realloc = SuiteSparse_config.realloc_func;
        outer_free = SuiteSparse_config.free_func;
        SuiteSparse_config.malloc_func = pool_malloc;
        SuiteSparse_config.calloc_func = pool_calloc;
        SuiteSparse_config.realloc_func = pool_realloc;
        SuiteSparse_config.free_func = pool_free;
    }
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

void dal_klu_enter(dal_klu_pool *pool)
{
    install();
    current = pool;
}

void dal_klu_leave(void)
{
    current = NULL;
}

void dal_klu_pool_release(dal_klu_pool *pool)
{
    for (dal_klu_piece *next, *piece = pool->kept; piece != NULL; piece = next) {
        next = piece->next;
        dal_free(pool->ctx, piece);
    }
    pool->kept = NULL;
}
