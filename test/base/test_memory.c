#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "support/check.h"

/* An object with arrays of awkward sizes. */
typedef struct box {
    double *x, *y, *none;
    int *i;
    char *c;
    dal_arena arena;
} box;

static void carve(box *b)
{
    b->x = dal_arena_reals(&b->arena, 7);
    b->i = dal_arena_ints(&b->arena, 3);
    b->none = dal_arena_reals(&b->arena, 0);
    b->c = dal_arena_take(&b->arena, 65, 1);
    b->y = dal_arena_reals(&b->arena, 8);
}

static dal_status box_create(box *b, dal_ctx *ctx)
{
    *b = (box){.arena = dal_arena_init(ctx)};
    carve(b);
    DAL_TRY(dal_arena_reserve(&b->arena));
    carve(b);
    return DAL_OK;
}

static int aligned(const void *p)
{
    return (uintptr_t)p % 64 == 0;
}

static void measuring_and_assigning_agree(void **state)
{
    dal_ctx *ctx = check_ctx();
    box b;
    check_ok(ctx, box_create(&b, ctx));
    assert_int_equal(b.arena.used, b.arena.size);
    assert_int_equal(b.arena.size, 64 + 64 + 0 + 128 + 64);
    dal_arena_release(&b.arena);
    assert_null(b.arena.base);
    check_ctx_free(ctx);
}

static void measuring_gives_no_address(void **state)
{
    dal_ctx *ctx = check_ctx();
    box b = {.arena = dal_arena_init(ctx)};
    carve(&b);
    assert_null(b.x);
    assert_null(b.i);
    assert_null(b.c);
    dal_arena_release(&b.arena); // never reserved: nothing to give back
    check_ctx_free(ctx);
}

/* The counting allocator fills fresh blocks with rubbish and aligns to 16 only. */
static void arrays_are_zero_aligned_and_apart(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    box b;
    check_ok(ctx, box_create(&b, ctx));
    assert_true(aligned(b.x) && aligned(b.i) && aligned(b.c) && aligned(b.y));
    for (size_t k = 0; k < b.arena.size; ++k) {
        assert_int_equal(b.arena.base[k], 0);
    }
    assert_true((char *)b.i - (char *)b.x >= (ptrdiff_t)(7 * sizeof(double)));
    assert_true(b.c - (char *)b.i >= (ptrdiff_t)(3 * sizeof(int)));
    assert_true((char *)b.y - b.c >= 65);
    assert_int_equal(alloc.total, 2); // context and arena: one block per object
    dal_arena_release(&b.arena);
    assert_int_equal(alloc.live, 1);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
}

static void an_empty_arena_can_be_reserved(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_arena arena = dal_arena_init(ctx);
    check_ok(ctx, dal_arena_reserve(&arena));
    assert_non_null(arena.base);
    dal_arena_release(&arena);
    dal_arena_release(&arena); // twice is fine
    check_ctx_free(ctx);
}

static dal_status box_scenario(dal_ctx *ctx, void *user)
{
    box b;
    DAL_TRY(box_create(&b, ctx));
    dal_arena_release(&b.arena);
    return DAL_OK;
}

static void a_failing_allocation_is_reported(void **state)
{
    assert_int_equal(check_every_allocation(box_scenario, NULL), 1);
}

static void sizes_beyond_the_address_space_fail(void **state)
{
    static const size_t count[] = {SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX / 16};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(count); ++k) {
        dal_arena arena = dal_arena_init(ctx);
        assert_null(dal_arena_take(&arena, count[k], 16));
        assert_null(dal_arena_take(&arena, 4, 8)); // the mark stays
        check_fails(ctx, dal_arena_reserve(&arena), DAL_ENOMEM, "more memory is needed");
    }
    dal_arena arena = dal_arena_init(ctx);
    assert_null(dal_arena_take(&arena, SIZE_MAX / 2, 1));
    assert_null(dal_arena_take(&arena, SIZE_MAX / 2, 1)); // each fits, both do not
    check_fails(ctx, dal_arena_reserve(&arena), DAL_ENOMEM, "more memory is needed");
    check_ctx_free(ctx);
}

static void a_negative_count_fails(void **state)
{
    static const int n[] = {-1, INT_MIN};
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(n); ++k) {
        dal_arena arena = dal_arena_init(ctx);
        assert_null(dal_arena_reals(&arena, n[k]));
        check_fails(ctx, dal_arena_reserve(&arena), DAL_ENOMEM, "more memory is needed");
        arena = dal_arena_init(ctx);
        assert_null(dal_arena_ints(&arena, n[k]));
        check_fails(ctx, dal_arena_reserve(&arena), DAL_ENOMEM, "more memory is needed");
    }
    check_ctx_free(ctx);
}

static void plain_blocks_come_from_the_context(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    char *empty = dal_alloc(ctx, 0), *zero = dal_alloc_zero(ctx, 100);
    assert_non_null(empty);
    assert_non_null(zero);
    assert_int_equal(alloc.live, 3);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(zero[i], 0);
    }
    alloc.fail_in = 1;
    assert_null(dal_alloc_zero(ctx, 8));
    dal_free(ctx, empty);
    dal_free(ctx, zero);
    dal_free(ctx, NULL);
    check_ctx_free(ctx);
    assert_int_equal(alloc.live, 0);
}

/* Takes pieces until there is no memory. */
static dal_status take_pieces(dal_pool *pool, char **text, double **x)
{
    DAL_TAKE_TEXT(pool, *text, "a name");
    DAL_TAKE(pool, *x, 5);
    return DAL_OK;
}

static void pieces_of_a_pool_go_together(void **state)
{
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    dal_pool pool = {.ctx = ctx, .what = "a test"};
    char *text = NULL;
    double *x = NULL;
    check_ok(ctx, take_pieces(&pool, &text, &x));
    assert_string_equal(text, "a name");
    assert_int_equal((uintptr_t)x % 16, 0);
    assert_non_null(x);
    assert_true(x && x[0] == 0.0 && x[4] == 0.0);
    alloc.fail_in = 2;
    assert_int_equal(take_pieces(&pool, &text, &x), DAL_ENOMEM);
    assert_string_equal(dal_ctx_message(ctx), "out of memory for a test");
    assert_null(dal_pool_take(&pool, SIZE_MAX / 4, 8));
    dal_pool_release(&pool);
    assert_int_equal(alloc.live, 1); // the context
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measuring_and_assigning_agree),
        cmocka_unit_test(measuring_gives_no_address),
        cmocka_unit_test(arrays_are_zero_aligned_and_apart),
        cmocka_unit_test(an_empty_arena_can_be_reserved),
        cmocka_unit_test(a_failing_allocation_is_reported),
        cmocka_unit_test(sizes_beyond_the_address_space_fail),
        cmocka_unit_test(a_negative_count_fails),
        cmocka_unit_test(plain_blocks_come_from_the_context),
        cmocka_unit_test(pieces_of_a_pool_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
