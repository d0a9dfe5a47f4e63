/* Names of elements and of their types. */
#include "base/message.h"
#include "mbs/mbs_impl.h"

/* FNV-1a */
static unsigned hash(const char *text)
{
    unsigned h = 2166136261U;
    for (; *text; ++text) {
        h = (h ^ (unsigned char)*text) * 16777619U;
    }
    return h;
}

/* Slot that holds the name, or the free one where it belongs. */
static unsigned slot_of(const mb_names *names, const char *name)
{
    const unsigned mask = (unsigned)names->nslots - 1U;
    unsigned s = hash(name) & mask;
    while (names->slot[s] && strcmp(names->name[names->slot[s] - 1], name) != 0) {
        s = (s + 1U) & mask;
    }
    return s;
}

static dal_status rehash(mb_names *names, dal_ctx *ctx)
{
    if (2 * (names->n + 1) <= names->nslots) {
        return DAL_OK;
    }
    const int nslots = names->nslots ? 2 * names->nslots : 16;
    int *slot = dal_alloc_zero(ctx, (size_t)nslots * sizeof(int));
    if (!slot) {
        return dal_fail(ctx, DAL_ENOMEM, "model: no memory for names");
    }
    dal_free(ctx, names->slot);
    names->slot = slot;
    names->nslots = nslots;
    for (int k = 0; k < names->n; ++k) {
        names->slot[slot_of(names, names->name[k])] = k + 1;
    }
    return DAL_OK;
}

dal_status mb_names_check(const dal_model *m, const mb_names *names, const char *what, const char *name)
{
    dal_ctx *ctx = m->ctx;
    if (!name || !*name) {
        return dal_fail(ctx, DAL_EINVAL, "model: %s number %d has no name; give each %s a name of its own", what,
                        names->n, what);
    }
    if (mb_names_find(names, name) >= 0) {
        return dal_fail(ctx, DAL_EINVAL, "model: there is %s %s '%s' already; give this one another name",
                        what[0] == 'o' ? "an" : "a", what, name);
    }
    return m->compiled ? dal_fail(ctx, DAL_EINVAL, "model: %s '%s' comes after compiling; add it before", what, name)
                       : DAL_OK;
}

int mb_type_find(dal_ctx *ctx, const char *what, const char *name, const char *word, const char *type,
                 const char *(*type_name)(int k))
{
    enum { TYPES_MAX = 128 };
    const char *names[TYPES_MAX], *given = type ? type : "";
    char hint[DAL_HINT_SIZE];
    int n = 0;
    for (; n < TYPES_MAX && (names[n] = type_name(n)) != NULL; ++n) {
        if (strcmp(given, names[n]) == 0) {
            return n;
        }
    }
    dal_fail(ctx, DAL_EINVAL, "%s '%s': no %s '%s'%s", what, name, word, given,
             dal_hint(hint, dal_nearest(given, names, n)));
    return -1;
}

dal_status mb_names_add(mb_names *names, dal_pool *pool, const char *name)
{
    DAL_TRY(rehash(names, pool->ctx));
    DAL_GROW(pool->ctx, names->name, names->capacity, names->n + 1);
    const unsigned s = slot_of(names, name);
    DAL_TAKE_TEXT(pool, names->name[names->n], name);
    names->slot[s] = ++names->n;
    return DAL_OK;
}

int mb_names_find(const mb_names *names, const char *name)
{
    return names->nslots && name ? names->slot[slot_of(names, name)] - 1 : -1;
}

dal_status mb_names_missing(const mb_names *names, dal_ctx *ctx, const char *what, const char *name)
{
    const char *near = dal_nearest(name ? name : "", (const char *const *)names->name, names->n);
    return near ? dal_fail(ctx, DAL_EINVAL, "no %s '%s' (did you mean '%s'?)", what, name, near)
                : dal_fail(ctx, DAL_EINVAL, "no %s '%s'; add it before it is referred to", what, name ? name : "");
}

void mb_names_release(mb_names *names, dal_ctx *ctx)
{
    dal_free(ctx, names->name);
    dal_free(ctx, names->slot);
}
