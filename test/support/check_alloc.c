#include "support/check.h"

#include <string.h>

enum { MARK_LIVE = 0x600d, MARK_DEAD = 0xdead };

/* In front of every block, as long as the strictest alignment asks. */
typedef union header {
    struct {
        size_t bytes;
        int mark;
    } block;
    max_align_t align;
} header;

static void *counting_alloc(size_t bytes, void *user)
{
    check_alloc *alloc = user;
    if (alloc->fail_in > 0 && --alloc->fail_in == 0) {
        return NULL;
    }
    header *h = malloc(sizeof *h + bytes);
    if (h == NULL) {
        return NULL;
    }
    memset(h + 1, 0xa5, bytes); // nobody may rely on fresh memory being zero
    h->block.bytes = bytes;
    h->block.mark = MARK_LIVE;
    alloc->live += 1;
    alloc->total += 1;
    alloc->bytes += bytes;
    return h + 1;
}

static void counting_release(void *memory, void *user)
{
    check_alloc *alloc = user;
    if (memory == NULL) {
        return;
    }
    header *h = (header *)memory - 1;
    assert_int_equal(h->block.mark, MARK_LIVE);
    alloc->live -= 1;
    alloc->bytes -= h->block.bytes;
    memset(h + 1, 0x5a, h->block.bytes);
    h->block.mark = MARK_DEAD;
    free(h);
}

dal_config check_alloc_config(check_alloc *alloc)
{
    return (dal_config){.alloc = counting_alloc, .release = counting_release, .user = alloc};
}

dal_ctx *check_ctx_with(check_alloc *alloc)
{
    const dal_config config = check_alloc_config(alloc);
    dal_ctx *ctx = NULL;
    assert_int_equal(dal_ctx_create(&ctx, &config), DAL_OK);
    return ctx;
}

long check_every_allocation(dal_status (*scenario)(dal_ctx *ctx, void *user), void *user)
{
    for (long k = 1;; ++k) {
        check_alloc alloc = {0};
        dal_ctx *ctx = check_ctx_with(&alloc);
        const long own = alloc.live;
        alloc.fail_in = k;
        const dal_status st = scenario(ctx, user);
        const int failed = alloc.fail_in == 0;
        if (failed) {
            check_fails(ctx, st, DAL_ENOMEM, "");
            assert_string_not_equal(dal_ctx_message(ctx), "");
        } else {
            check_ok(ctx, st);
        }
        assert_int_equal(alloc.live, own);
        dal_ctx_destroy(ctx);
        assert_int_equal(alloc.live, 0);
        if (!failed) {
            return k - 1;
        }
    }
}
