/* Flexible bodies that start elsewhere in one simulation; their shapes are those of the model. */
#include "numbers_spec.h"
#include "random_flexible.h"

static dal_flexible flexible_like(const dal_modes *modes, int variant, double z[2][FLEX_MODES])
{
    check_rng rng = check_rng_seed(97 + (unsigned long)variant);
    dal_flexible f = {.name = "arm", .modes = modes, .modal = z[0], .modal_velocity = z[1]};
    check_normals(&rng, f.position, 3);
    check_quaternion(&rng, f.rotation);
    check_normals(&rng, f.velocity, 3);
    check_normals(&rng, f.angular_velocity, 3);
    check_normals(&rng, z[0], FLEX_MODES);
    check_normals(&rng, z[1], FLEX_MODES);
    for (int k = 0; k < FLEX_MODES; ++k) {
        z[0][k] *= 0.01;
    }
    return f;
}

static dal_model *flexible_model(dal_ctx *ctx, const dal_flexible *f, const dal_system **sys)
{
    dal_model *m;
    check_ok(ctx, dal_model_create(&m, ctx));
    check_ok(ctx, dal_model_add_flexible(m, NULL, f));
    check_ok(ctx, dal_model_add_joint(m, NULL, &(dal_joint){.name = "rod", .type = "distance", .body_b = 2}));
    check_ok(ctx, dal_model_compile(m, sys));
    return m;
}

static void flexible_bodies_start_elsewhere(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(4);
    random_modes modes;
    double za[2][FLEX_MODES], zb[2][FLEX_MODES];
    const dal_system *sa, *sb;
    dal_data *da, *db;
    random_modes_fill(&modes, &rng, 1);
    const dal_flexible a = flexible_like(&modes.modes, 0, za);
    dal_flexible b = flexible_like(&modes.modes, 1, zb);
    dal_model *ma = flexible_model(ctx, &a, &sa), *mb = flexible_model(ctx, &b, &sb);
    check_ok(ctx, dal_data_create(&da, ctx, sa));
    check_ok(ctx, dal_data_create(&db, ctx, sb));
    check_fails(ctx, dal_data_set_flexible(da, 1, &b), DAL_EINVAL, "flexible body 'arm': its shapes belong to");
    b.modes = NULL;
    check_fails(ctx, dal_data_set_flexible(da, 2, &b), DAL_EINVAL, "is an interface of flexible body 'arm'");
    check_ok(ctx, dal_data_set_flexible(da, 1, &b));
    tell(ctx, &anew, mb, sb, db);
    tell(ctx, &set_afterwards, ma, sa, da);
    assert_same_record("flexible");
    dal_body frame;
    check_ok(ctx, dal_data_get_body(da, &frame, 1));
    frame.position[0] += 1.0;
    check_ok(ctx, dal_data_set_body(da, 1, &frame));
    frame.mass = 1.0;
    check_fails(ctx, dal_data_set_body(da, 1, &frame), DAL_EINVAL, "mass properties change the shapes");
    dal_data_destroy(da);
    dal_data_destroy(db);
    dal_model_destroy(ma);
    dal_model_destroy(mb);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(flexible_bodies_start_elsewhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
