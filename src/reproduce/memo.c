#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include "reproduce/memo.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ENTRIES = 2048 };

/* An entry is written by one process and not changed after it is ready. Two may compute the same: they get the same. */
typedef struct entry {
    char key[MEMO_KEY];
    int n;
    double value[MEMO_VALUES];
    atomic_int ready;
} entry;

typedef struct memo {
    atomic_int n;
    entry entries[ENTRIES];
} memo;

static memo *shared;

void memo_open(void)
{
    if (shared == NULL) {
        void *const memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        shared = memory != MAP_FAILED ? memory : NULL; // zeros: empty
    }
}

int memo_find(double *value, int n, const char *key)
{
    for (int i = 0; shared != NULL && i < ENTRIES && i < atomic_load(&shared->n); ++i) {
        entry *e = &shared->entries[i];
        if (atomic_load(&e->ready) && e->n == n && strcmp(e->key, key) == 0) {
            memcpy(value, e->value, (size_t)n * sizeof *value);
            return 1;
        }
    }
    return 0;
}

void memo_keep(const double *value, int n, const char *key)
{
    if (shared == NULL || strlen(key) >= MEMO_KEY || n > MEMO_VALUES) {
        return;
    }
    const int i = atomic_fetch_add(&shared->n, 1);
    if (i < ENTRIES) {
        entry *e = &shared->entries[i];
        (void)snprintf(e->key, MEMO_KEY, "%s", key);
        memcpy(e->value, value, (size_t)n * sizeof *value);
        e->n = n;
        atomic_store(&e->ready, 1);
    }
}
