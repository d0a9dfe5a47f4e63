#define _DEFAULT_SOURCE // MAP_ANONYMOUS

#include "reproduce/memo.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { KEY = 176, ENTRIES = 1024 };

/* An entry is written by one process and not changed after it is ready. Two may compute the same: they get the same. */
typedef struct entry {
    char key[KEY];
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

int memo_find(double value[MEMO_VALUES], const char *key)
{
    for (int i = 0; shared != NULL && i < ENTRIES && i < atomic_load(&shared->n); ++i) {
        entry *e = &shared->entries[i];
        if (atomic_load(&e->ready) && strcmp(e->key, key) == 0) {
            memcpy(value, e->value, sizeof e->value);
            return 1;
        }
    }
    return 0;
}

void memo_keep(const double value[MEMO_VALUES], const char *key)
{
    if (shared == NULL || strlen(key) >= KEY) {
        return;
    }
    const int i = atomic_fetch_add(&shared->n, 1);
    if (i < ENTRIES) {
        (void)snprintf(shared->entries[i].key, KEY, "%s", key);
        memcpy(shared->entries[i].value, value, sizeof shared->entries[i].value);
        atomic_store(&shared->entries[i].ready, 1);
    }
}
