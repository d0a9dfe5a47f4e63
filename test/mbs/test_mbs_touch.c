/* Points of contact of pairs of shapes: gap, normal and points belong together, and agree with distances by search. */
#include <math.h>
#include <string.h>

#include "mbs/touch_impl.h"
#include "mbs/vec.h"
#include "support/check.h"

static mb_placed random_shape(check_rng *rng, mb_shape_kind kind)
{
    mb_placed S = {.kind = kind, .radius = 0.2 + 0.1 * check_uniform(rng, -1.0, 1.0), .axis = 0.4};
    double a[3], b[3];
    for (int i = 0; i < 3; ++i) {
        S.x[i] = check_uniform(rng, -1.0, 1.0);
        S.half[i] = check_uniform(rng, 0.1, 0.5);
        a[i] = check_uniform(rng, -1.0, 1.0);
        b[i] = check_uniform(rng, -1.0, 1.0);
    }
    scale3(S.R, 1.0 / sqrt(dot3(a, a)), a);
    cross3(S.R + 3, S.R, b);
    scale3(S.R + 3, 1.0 / sqrt(dot3(S.R + 3, S.R + 3)), S.R + 3);
    cross3(S.R + 6, S.R, S.R + 3);
    return S;
}

/* Signed distance of a point to a shape: exact outside. */
static double distance(const mb_placed *S, const double p[3])
{
    double d[3], x[3], y[3];
    sub3(d, p, S->x);
    tmul3(x, S->R, d);
    if (S->kind == MB_PLANE) {
        return x[2];
    }
    if (S->kind == MB_CYLINDER) {
        return hypot(fmax(hypot(x[0], x[1]) - S->radius, 0.0), fmax(fabs(x[2]) - S->axis, 0.0));
    }
    for (int i = 0; i < 3; ++i) {
        const double half = S->kind == MB_BOX ? S->half[i] : i == 2 && S->kind == MB_CAPSULE ? S->axis : 0.0;
        y[i] = fmax(fabs(x[i]) - half, 0.0);
    }
    return sqrt(dot3(y, y)) - (S->kind == MB_BOX ? 0.0 : S->radius);
}

static void points_lie_on_both_shapes(void **state)
{
    check_rng rng = check_rng_seed(5);
    int found = 0;
    for (int k = 0; k < 4000; ++k) {
        const mb_shape_kind a = (mb_shape_kind)(k % MB_SHAPE_KINDS), b = (mb_shape_kind)(k / 5 % MB_SHAPE_KINDS);
        const mb_placed A = random_shape(&rng, a), B = random_shape(&rng, b);
        mb_touch at[MB_TOUCHES];
        const int n = a <= b && mb_touches[a][b] ? mb_touches[a][b](at, &A, &B, 0.3) : 0;
        for (int i = 0; i < n; ++i) {
            double d[3];
            sub3(d, at[i].b, at[i].a);
            axpy3(d, -at[i].gap, at[i].n);
            assert_near(check_max_abs(d, 3), 0.0, 1e-14);
            assert_near(dot3(at[i].n, at[i].n), 1.0, 1e-14);
            if (at[i].gap > 0.0) {
                ++found;
                const double on = distance(&A, at[i].a); // a ball of a capsule may end within it
                assert_near(a == MB_CAPSULE && b >= MB_BOX ? fmax(on, 0.0) : on, 0.0, 1e-12);
                // the points of both are nearest to each other; of a plane the lowest points of ends and corners are taken
                if (b >= MB_BOX && a >= MB_CAPSULE) { // several points: one of them is nearest
                    assert_near(distance(&B, at[i].b), 0.0, 1e-12);
                    assert_true(distance(&A, at[i].b) < at[i].gap + 1e-12);
                    assert_true(distance(&B, at[i].a) < at[i].gap + 1e-12);
                } else if (a != MB_PLANE) {
                    assert_near(distance(&B, at[i].b), 0.0, 1e-12);
                    assert_near(distance(&A, at[i].b), at[i].gap, 1e-12);
                    assert_near(distance(&B, at[i].a), at[i].gap, 1e-12);
                }
            }
        }
    }
    assert_true(found > 300);
}

/* The distance of two convex shapes by projections in turns, from above. */
static double by_projections(const mb_placed *A, const mb_placed *B)
{
    double p[3], best = INFINITY;
    copy3(p, A->x);
    for (int it = 0; it < 4000; ++it) {
        const mb_placed *S = it % 2 == 0 ? B : A;
        double d[3], x[3], off[3], from[3];
        copy3(from, p);
        sub3(d, p, S->x);
        tmul3(x, S->R, d);
        copy3(p, S->x);
        if (S->kind == MB_CYLINDER) {
            const double rho = hypot(x[0], x[1]), scale = rho > S->radius ? S->radius / rho : 1.0;
            x[0] *= scale;
            x[1] *= scale;
        }
        for (int i = 0; i < 3; ++i) {
            const double half = S->kind == MB_BOX        ? S->half[i]
                                : i == 2                 ? S->axis
                                : S->kind == MB_CYLINDER ? INFINITY
                                                         : 0.0;
            axpy3(p, fmax(-half, fmin(x[i], half)), S->R + 3 * i);
        }
        sub3(off, p, from);
        best = sqrt(dot3(off, off));
    }
    return best - (A->kind == MB_BOX ? 0.0 : A->radius) - (B->kind >= MB_BOX ? 0.0 : B->radius);
}

/* Boxes against boxes and capsules: no gap is larger than the distance or less than what separates them, and what is apart has no negative gap;
 * moved along the normal of its only point a gap changes by as much. */
static void boxes_and_capsules_agree_with_distances(void **state)
{
    check_rng rng = check_rng_seed(6);
    int near = 0, exact = 0;
    for (int k = 0; k < 1500; ++k) {
        const mb_shape_kind a = k % 2 == 0 ? MB_CAPSULE : MB_BOX;
        const mb_placed A = random_shape(&rng, a), B = random_shape(&rng, MB_BOX);
        mb_touch at[MB_TOUCHES];
        const int n = mb_touches[a][MB_BOX](at, &A, &B, 0.2);
        const double far = by_projections(&A, &B);
        double least = INFINITY;
        for (int i = 0; i < n; ++i) {
            least = fmin(least, at[i].gap);
        }
        if (n > 0 && far > 1e-3) {
            ++near;
            assert_true(least > 0.0);
            exact += fabs(least - far) < 1e-6;
            assert_true(a == MB_BOX || fabs(least - far) < 1e-6); // balls of a capsule have their distances
        }
        if (far > 0.0 && far < 0.2 && a == MB_CAPSULE) {
            assert_true(n > 0);
        }
    }
    print_message("%d near each other, the distance is that of a point in %d\n", near, exact);
    assert_true(near > 100 && exact > near / 2);
}

/* Spheres and capsules against cylinders: the least gap is the distance; what is inside has a negative one, and leaves by the shortest way. */
static void cylinders_agree_with_distances(void **state)
{
    check_rng rng = check_rng_seed(7);
    int near = 0, inside = 0;
    for (int k = 0; k < 3000; ++k) {
        const mb_shape_kind a = k % 2 == 0 ? MB_SPHERE : MB_CAPSULE;
        mb_placed A = random_shape(&rng, a), B = random_shape(&rng, MB_CYLINDER);
        mb_touch at[MB_TOUCHES];
        A.axis = a == MB_SPHERE ? 0.0 : A.axis;
        const int n = mb_touches[a][MB_CYLINDER](at, &A, &B, 0.3);
        const double far = by_projections(&A, &B);
        double least = INFINITY;
        for (int i = 0; i < n; ++i) {
            least = fmin(least, at[i].gap);
        }
        if (far > 1e-3 && far < 0.3) {
            ++near;
            assert_near(least, far, 1e-6);
        }
        if (n > 0 && a == MB_SPHERE && distance(&B, A.x) == 0.0) {
            double p[3];
            ++inside;
            copy3(p, A.x);
            axpy3(p, least + A.radius, at[0].n); // the centre on the surface
            assert_near(distance(&B, p), 0.0, 1e-12);
            axpy3(p, -1e-6, at[0].n);
            assert_near(distance(&B, p), 1e-6, 1e-12);
        }
    }
    assert_true(near > 100 && inside > 10);
}

/* A box that stands on a larger one touches with its corners; turned, and hanging over, with those of what both have in common. */
static void a_face_on_a_face(void **state)
{
    const mb_placed A = {.kind = MB_BOX, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .half = {0.5, 0.5, 0.5}};
    mb_placed B = {.kind = MB_BOX, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .half = {0.2, 0.2, 0.2}, .x = {0.0, 0.0, 0.71}};
    mb_touch at[MB_TOUCHES];
    assert_int_equal(mb_touches[MB_BOX][MB_BOX](at, &A, &B, 0.05), 4);
    for (int i = 0; i < 4; ++i) {
        assert_near(at[i].gap, 0.01, 1e-15);
        assert_near(at[i].n[2], 1.0, 1e-15);
        assert_near(fabs(at[i].b[0]), 0.2, 1e-15);
    }
    B.x[0] = 0.45; // over the edge by 0.15
    assert_int_equal(mb_touches[MB_BOX][MB_BOX](at, &A, &B, 0.05), 4);
    double most = 0.0;
    for (int i = 0; i < 4; ++i) {
        most = fmax(most, at[i].b[0]);
    }
    assert_near(most, 0.5, 1e-15);
    B.x[0] = 0.0;
    B.half[0] = B.half[1] = 0.6;
    const double c = sqrt(0.5);
    memcpy(B.R, (double[]){c, c, 0, -c, c, 0, 0, 0, 1}, sizeof B.R);
    assert_int_equal(mb_touches[MB_BOX][MB_BOX](at, &A, &B, 0.05), 8); // two squares across
}

/* A capsule along another one: two points, at the ends of what is side by side. */
static void parallel_capsules_touch_twice(void **state)
{
    mb_placed A = {.kind = MB_CAPSULE, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .radius = 0.1, .axis = 0.5};
    mb_placed B = A;
    mb_touch at[MB_TOUCHES];
    B.x[0] = 0.21;
    B.x[2] = 0.4;
    assert_int_equal(mb_touches[MB_CAPSULE][MB_CAPSULE](at, &A, &B, 0.05), 2);
    assert_near(at[0].a[2], -0.1, 1e-15);
    assert_near(at[1].a[2], 0.5, 1e-15);
    assert_near(at[0].gap, 0.01, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_lie_on_both_shapes),      cmocka_unit_test(boxes_and_capsules_agree_with_distances),
        cmocka_unit_test(cylinders_agree_with_distances), cmocka_unit_test(a_face_on_a_face),
        cmocka_unit_test(parallel_capsules_touch_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
