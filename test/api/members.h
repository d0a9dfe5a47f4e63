/* NULL for members of descriptions: each pointer of a struct that public functions take, one after the other. What is needed is
 * DAL_EINVAL, what may be left out is either taken or refused; nothing crashes. */
#ifndef TEST_MEMBERS_H
#define TEST_MEMBERS_H

#include <stddef.h>
#include <string.h>

#include "dalembert/dalembert.h"
#include "support/check.h"

static dal_ctx *ctx;

static int set_up(void **state)
{
    ctx = check_ctx();
    return 0;
}

static int tear_down(void **state)
{
    check_ctx_free(ctx);
    return 0;
}

typedef struct member {
    size_t at;  /* of the pointer in the struct */
    int needed; /* NULL is DAL_EINVAL */
} member;
#define NEEDED(type, name)      \
    {                           \
        offsetof(type, name), 1 \
    }
#define MAY_BE_NULL(type, name) \
    {                           \
        offsetof(type, name), 0 \
    }

/* The whole description is taken; without a needed member it is refused with a message. */
static void walk(dal_status (*call)(const void *spec), const void *spec, size_t size, const member *list, size_t n)
{
    _Alignas(max_align_t) char copy[1024];
    assert_true(size <= sizeof copy);
    memcpy(copy, spec, size);
    check_ok(ctx, call(copy));
    for (size_t k = 0; k < n; ++k) {
        void *const nothing = NULL;
        memcpy(copy, spec, size);
        memcpy(copy + list[k].at, &nothing, sizeof nothing);
        dal_ctx_clear(ctx);
        const dal_status st = call(copy);
        if (list[k].needed && st != DAL_EINVAL) {
            fail_msg("member at %zu: %s, %s", list[k].at, dal_status_name(st), dal_ctx_message(ctx));
        }
        assert_true(st == DAL_OK || dal_ctx_message(ctx)[0] != '\0');
    }
    dal_ctx_clear(ctx);
}
#define WALK(call, spec, list) walk(call, spec, sizeof *(spec), list, sizeof(list) / sizeof *(list))

#endif
