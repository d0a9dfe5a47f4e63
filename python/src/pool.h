/* Threads that wait for work: many members, one after the other, on as many threads as there are. */
#ifndef CORE_POOL_H
#define CORE_POOL_H

typedef struct core_pool core_pool;
/* Do member i, on this thread (0 .. size - 1). */
typedef void (*core_pool_work)(void *user, int i, int thread);

core_pool *core_pool_create(int threads); /* the caller's among them; NULL: no memory */
int core_pool_size(const core_pool *pool);
void core_pool_destroy(core_pool *pool); /* NULL is fine */
/* Members 0 .. n - 1, without the interpreter, which the caller must hold. 0, or -1 and the exception of a signal: then some members were
 * left out. In the child of a fork threads are made anew. */
int core_pool_run(core_pool *pool, int n, core_pool_work work, void *user);
int core_pool_cancelled(core_pool *pool); /* by a signal */

#endif
