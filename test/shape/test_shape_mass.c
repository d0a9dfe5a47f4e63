/* Mass properties of shapes: against sums over points, against each other, against meshes. */
#include <math.h>
#include <string.h>

#include "dalembert/shape.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* The section at height z: half axes of an ellipse (or half edges of a rectangle), zero outside. */
static void section(double half[2], const dal_shape *s, double z)
{
    const double end = 0.5 * s->length, beyond = fabs(z) - end;
    double r = 0.0;
    switch (s->kind) {
    case DAL_SHAPE_BOX:
    case DAL_SHAPE_ELLIPSOID:
        r = s->kind == DAL_SHAPE_BOX ? 0.5 * (2.0 * fabs(z) < s->size[2])
                                     : sqrt(fmax(0.0, 1.0 - pow(z / s->size[2], 2)));
        half[0] = r * s->size[0];
        half[1] = r * s->size[1];
        return;
    case DAL_SHAPE_CYLINDER:
        r = beyond < 0.0 ? s->radius : 0.0;
        break;
    case DAL_SHAPE_CONE:
        r = beyond < 0.0 ? s->radius * (end - z) / s->length : 0.0;
        break;
    default: // sphere and capsule
        r = sqrt(fmax(0.0, s->radius * s->radius - (beyond > 0.0 ? beyond * beyond : 0.0)));
        break;
    }
    half[0] = half[1] = r;
}

/* Volume integrals slice by slice, the midpoint rule in z. */
static void by_slices(double *m, double com[3], double J[6], const dal_shape *s)
{
    enum { N = 20000 };
    const double dz = 2.0 / N, shape = s->kind == DAL_SHAPE_BOX ? 4.0 : pi,
                 moment = s->kind == DAL_SHAPE_BOX ? 3.0 : 4.0;
    double Sz = 0.0, Q[3] = {0.0, 0.0, 0.0};
    *m = 0.0;
    for (int i = 0; i < N; ++i) {
        const double z = -1.0 + dz * (i + 0.5);
        double half[2];
        section(half, s, z);
        const double dV = shape * half[0] * half[1] * dz;
        *m += dV;
        Sz += dV * z;
        Q[0] += dV * half[0] * half[0] / moment;
        Q[1] += dV * half[1] * half[1] / moment;
        Q[2] += dV * z * z;
    }
    com[0] = com[1] = 0.0;
    com[2] = Sz / *m;
    Q[2] -= *m * com[2] * com[2];
    J[0] = Q[1] + Q[2];
    J[1] = Q[0] + Q[2];
    J[2] = Q[0] + Q[1];
    J[3] = J[4] = J[5] = 0.0;
}

static const dal_shape sample[] = {
    {.kind = DAL_SHAPE_BOX, .size = {1.2, 0.7, 1.6}},        {.kind = DAL_SHAPE_SPHERE, .radius = 0.8},
    {.kind = DAL_SHAPE_ELLIPSOID, .size = {0.9, 0.6, 0.75}}, {.kind = DAL_SHAPE_CYLINDER, .radius = 0.7, .length = 1.3},
    {.kind = DAL_SHAPE_CONE, .radius = 0.9, .length = 1.5},  {.kind = DAL_SHAPE_CAPSULE, .radius = 0.4, .length = 1.0}};

static void closed_forms_are_volume_integrals(void **state)
{
    dal_ctx *ctx = check_ctx();
    for (size_t i = 0; i < LEN(sample); ++i) {
        dal_shape_mass sum = {0};
        double com[3], J[6], m, c[3], K[6];
        check_ok(ctx, dal_shape_mass_add(&sum, ctx, &sample[i], 1.0));
        dal_shape_mass_finish(&sum, com, J);
        by_slices(&m, c, K, &sample[i]);
        assert_near_rel(sum.m, m, 1e-6);
        assert_all_near(com, c, 3, 1e-6);
        assert_all_near(J, K, 6, 1e-6);
    }
    check_ctx_free(ctx);
}

/* A box cut into eight, each piece turned and placed: the whole box turned. */
static void pieces_in_their_frames_add_up(void **state)
{
    dal_ctx *ctx = check_ctx();
    check_rng rng = check_rng_seed(3);
    double p[4], com[3], J[6], com8[3], J8[6];
    check_quaternion(&rng, p);
    dal_shape whole = {.kind = DAL_SHAPE_BOX, .size = {1.0, 0.6, 0.4}, .position = {0.3, -0.2, 0.5}};
    memcpy(whole.rotation, p, sizeof p);
    dal_shape_mass one = {0}, eight = {0};
    check_ok(ctx, dal_shape_mass_add(&one, ctx, &whole, 2700.0));
    for (int i = 0; i < 8; ++i) {
        dal_shape piece = whole;
        // R d, d the centre of the piece: two quaternion products by hand
        double d[3], t[3];
        for (int k = 0; k < 3; ++k) {
            piece.size[k] = 0.5 * whole.size[k];
            d[k] = ((i >> k) & 1 ? 0.25 : -0.25) * whole.size[k];
        }
        for (int k = 0; k < 3; ++k) {
            t[k] = 2.0 * (p[1 + (k + 1) % 3] * d[(k + 2) % 3] - p[1 + (k + 2) % 3] * d[(k + 1) % 3]);
        }
        for (int k = 0; k < 3; ++k) {
            piece.position[k] +=
                d[k] + p[0] * t[k] + p[1 + (k + 1) % 3] * t[(k + 2) % 3] - p[1 + (k + 2) % 3] * t[(k + 1) % 3];
        }
        check_ok(ctx, dal_shape_mass_add(&eight, ctx, &piece, 2700.0));
    }
    dal_shape_mass_finish(&one, com, J);
    dal_shape_mass_finish(&eight, com8, J8);
    assert_near_rel(eight.m, one.m, 1e-14);
    assert_all_near(com8, com, 3, 1e-14);
    assert_all_near(J8, J, 6, 1e-12);
    assert_near_rel(one.m, 2700.0 * 0.24, 1e-14);
    check_ctx_free(ctx);
}

/* A tube through three points on a line is one cylinder; around a corner it is two. */
static void a_tube_is_made_of_cylinders(void **state)
{
    static const double line[9] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 1.0};
    static const double corner[9] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, -1.0, 0.0};
    dal_ctx *ctx = check_ctx();
    dal_shape tube = {.kind = DAL_SHAPE_TUBE, .radius = 0.1, .npoints = 3, .points = line};
    const dal_shape rod = {.kind = DAL_SHAPE_CYLINDER, .radius = 0.1, .length = 1.0, .position = {0.0, 0.0, 0.5}};
    dal_shape_mass a = {0}, b = {0}, c = {0};
    double com[3], J[6], comb[3], Jb[6];
    check_ok(ctx, dal_shape_mass_add(&a, ctx, &tube, 1000.0));
    check_ok(ctx, dal_shape_mass_add(&b, ctx, &rod, 1000.0));
    dal_shape_mass_finish(&a, com, J);
    dal_shape_mass_finish(&b, comb, Jb);
    assert_near_rel(a.m, b.m, 1e-14);
    assert_all_near(com, comb, 3, 1e-14);
    assert_all_near(J, Jb, 6, 1e-13);
    tube.points = corner;
    check_ok(ctx, dal_shape_mass_add(&c, ctx, &tube, 1000.0));
    dal_shape_mass_finish(&c, com, J);
    assert_near_rel(c.m, 2.0 * pi * 0.01 * 1000.0, 1e-14);
    assert_near(com[0], 0.75, 1e-14);
    assert_near(com[1], -0.25, 1e-14);
    check_ctx_free(ctx);
}

static void wrong_shapes_are_named(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_shape_mass sum = {0};
    const struct {
        dal_shape s;
        double density;
        const char *text;
    } wrong[] = {{{.kind = DAL_SHAPE_BOX, .size = {1.0, 0.0, 1.0}}, 1.0, "edges of a box"},
                 {{.kind = DAL_SHAPE_SPHERE, .radius = NAN}, 1.0, "radius"},
                 {{.kind = DAL_SHAPE_CYLINDER, .radius = 1.0}, 1.0, "length"},
                 {{.kind = DAL_SHAPE_TUBE, .radius = 1.0, .npoints = 1}, 1.0, "two finite points"},
                 {{.kind = DAL_SHAPE_MESH}, 1.0, "mesh is missing"},
                 {{.kind = (dal_shape_kind)77}, 1.0, "no such kind"},
                 {{.kind = DAL_SHAPE_SPHERE, .radius = 1.0, .opacity = 2.0}, 1.0, "from 0 to 1"},
                 {{.kind = DAL_SHAPE_SPHERE, .radius = 1.0, .position = {0.0, INFINITY}}, 1.0, "not finite"},
                 {{.kind = DAL_SHAPE_SPHERE, .radius = 1.0}, 0.0, "density"}};
    for (size_t i = 0; i < LEN(wrong); ++i) {
        check_fails(ctx, dal_shape_mass_add(&sum, ctx, &wrong[i].s, wrong[i].density), DAL_EINVAL, wrong[i].text);
    }
    check_fails(ctx, dal_shape_check(ctx, NULL), DAL_EINVAL, "shape is NULL");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_are_volume_integrals), cmocka_unit_test(pieces_in_their_frames_add_up),
        cmocka_unit_test(a_tube_is_made_of_cylinders), cmocka_unit_test(wrong_shapes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
