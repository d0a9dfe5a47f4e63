/* Points of contact of pairs of shapes (docs/theory/contact.md, table of pairs). */
#include "mbs/touch_impl.h"

#include <math.h>

#include "mbs/vec.h"

const char *const mb_shape_names[MB_SHAPE_KINDS] = {"plane", "sphere", "capsule", "box", "cylinder"};

/* Two points with a distance r at which they touch. along: the direction if they coincide. */
static int two_points(mb_touch *at, int id, const double p[3], double r_a, const double q[3], double r_b, double margin,
                      const double along[3])
{
    double d[3];
    sub3(d, q, p);
    const double length = sqrt(dot3(d, d)), gap = length - r_a - r_b;
    if (gap >= margin) {
        return 0;
    }
    *at = (mb_touch){.id = id, .gap = gap};
    scale3(at->n, length > 0.0 ? 1.0 / length : 0.0, d);
    if (!(length > 0.0)) {
        copy3(at->n, along);
    }
    copy3(at->a, p);
    axpy3(at->a, r_a, at->n);
    copy3(at->b, q);
    axpy3(at->b, -r_b, at->n);
    return 1;
}

/* A ball of radius r around p above a plane. */
static int ball_on_plane(mb_touch *at, int id, const mb_placed *plane, const double p[3], double r, double margin)
{
    const double *k = plane->R + 6;
    double d[3];
    sub3(d, p, plane->x);
    const double height = dot3(k, d);
    if (height - r >= margin) {
        return 0;
    }
    *at = (mb_touch){.id = id, .gap = height - r};
    copy3(at->n, k);
    copy3(at->a, p);
    axpy3(at->a, -height, k);
    copy3(at->b, p);
    axpy3(at->b, -r, k);
    return 1;
}

/* A point of the axis of a shape. */
static void on_axis(double p[3], const mb_placed *S, double s)
{
    copy3(p, S->x);
    axpy3(p, s, S->R + 6);
}

static double clamped(double s, double most)
{
    return fmax(-most, fmin(s, most));
}

/* Place along the axis of S that is closest to p. */
static double closest(const mb_placed *S, const double p[3])
{
    double d[3];
    sub3(d, p, S->x);
    return clamped(dot3(S->R + 6, d), S->axis);
}

static int plane_sphere(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    return ball_on_plane(at, 0, A, B->x, B->radius, margin);
}

static int plane_capsule(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    int n = 0;
    for (int i = 0; i < 2; ++i) {
        double p[3];
        on_axis(p, B, i == 0 ? -B->axis : B->axis);
        n += ball_on_plane(at + n, i, A, p, B->radius, margin);
    }
    return n;
}

static int plane_box(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    int n = 0;
    for (int k = 0; k < 8; ++k) {
        double p[3];
        copy3(p, B->x);
        for (int i = 0; i < 3; ++i) {
            axpy3(p, k >> i & 1 ? B->half[i] : -B->half[i], B->R + 3 * i);
        }
        n += ball_on_plane(at + n, k, A, p, 0.0, margin);
    }
    return n;
}

static int sphere_sphere(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    return two_points(at, 0, A->x, A->radius, B->x, B->radius, margin, A->R + 6);
}

static int sphere_capsule(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    double p[3];
    on_axis(p, B, closest(B, A->x));
    return two_points(at, 0, A->x, A->radius, p, B->radius, margin, B->R);
}

/* The centre is clamped to the box; if it is inside, the nearest face counts. */
static int sphere_box(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    double d[3], x[3], p[3];
    int inside = 1, face = 0;
    sub3(d, A->x, B->x);
    tmul3(x, B->R, d);
    copy3(p, B->x);
    for (int i = 0; i < 3; ++i) {
        const double c = clamped(x[i], B->half[i]);
        inside = inside && fabs(x[i]) < B->half[i];
        face = B->half[i] - fabs(x[i]) < B->half[face] - fabs(x[face]) ? i : face;
        axpy3(p, c, B->R + 3 * i);
    }
    if (!inside) {
        return two_points(at, 0, A->x, A->radius, p, 0.0, margin, B->R);
    }
    const double side = x[face] < 0.0 ? -1.0 : 1.0, depth = B->half[face] - fabs(x[face]);
    *at = (mb_touch){.id = 0, .gap = -depth - A->radius};
    scale3(at->n, -side, B->R + 3 * face); // from the sphere into the box
    copy3(at->a, A->x);
    axpy3(at->a, A->radius, at->n);
    copy3(at->b, at->a);
    axpy3(at->b, at->gap, at->n);
    return 1;
}

/* The centre is clamped to the cylinder; if it is inside, its side or the end that is nearer counts. */
static int sphere_cylinder(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    double d[3], u[3], p[3];
    sub3(d, A->x, B->x);
    const double z = dot3(B->R + 6, d);
    copy3(u, d);
    axpy3(u, -z, B->R + 6);
    const double rho = sqrt(dot3(u, u)), side = B->radius - rho, end = B->axis - fabs(z);
    scale3(u, rho > 0.0 ? 1.0 / rho : 0.0, u);
    if (!(rho > 0.0)) {
        copy3(u, B->R);
    }
    if (side <= 0.0 || end <= 0.0) {
        on_axis(p, B, clamped(z, B->axis));
        axpy3(p, fmin(rho, B->radius), u);
        return two_points(at, 0, A->x, A->radius, p, 0.0, margin, B->R);
    }
    *at = (mb_touch){.id = 0, .gap = -fmin(side, end) - A->radius};
    scale3(at->n, side < end ? -1.0 : z < 0.0 ? 1.0 : -1.0, side < end ? u : B->R + 6); // into the cylinder
    copy3(at->a, A->x);
    axpy3(at->a, A->radius, at->n);
    copy3(at->b, at->a);
    axpy3(at->b, at->gap, at->n);
    return 1;
}

/* The lowest points of both rims, and so that it stands, six points of each. */
static int plane_cylinder(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    enum { POINTS = 6 };
    const double *k = A->R + 6, lean[2] = {dot3(k, B->R), dot3(k, B->R + 3)}, sine = hypot(lean[0], lean[1]);
    int n = 0;
    for (int i = 0; i < 2 * (POINTS + 1); ++i) {
        const int point = i / 2;
        const double turn = point * 2.0 * acos(-1.0) / POINTS;
        const double x = point < POINTS ? cos(turn) : -lean[0] / sine, y = point < POINTS ? sin(turn) : -lean[1] / sine;
        double p[3];
        if (point == POINTS && sine < 1e-9) {
            continue; // it stands upright: there is no lowest point
        }
        on_axis(p, B, i % 2 == 0 ? -B->axis : B->axis);
        axpy3(p, B->radius * x, B->R);
        axpy3(p, B->radius * y, B->R + 3);
        n += ball_on_plane(at + n, i, A, p, 0.0, margin);
    }
    return n;
}

/* Closest points of two segments; where they are nearly parallel the two ends of what they have side by side. */
static int capsule_capsule(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    const double *a = A->R + 6, *b = B->R + 6, c = dot3(a, b), sine = 1.0 - c * c;
    double d[3], p[3], q[3];
    sub3(d, B->x, A->x);
    const double da = dot3(a, d), db = dot3(b, d), lean = c < 0.0 ? -B->axis : B->axis;
    const double from = fmax(-A->axis, da - fabs(lean)), to = fmin(A->axis, da + fabs(lean));
    int n = 0;
    if (sine < 1e-6 && from < to) {
        for (int i = 0; i < 2; ++i) {
            on_axis(p, A, i == 0 ? from : to);
            on_axis(q, B, closest(B, p));
            n += two_points(at + n, 1 + i, p, A->radius, q, B->radius, margin, A->R);
        }
        return n;
    }
    double s = sine > 1e-12 ? clamped((da - c * db) / sine, A->axis) : clamped(da, A->axis);
    on_axis(p, A, s);
    on_axis(q, B, closest(B, p));
    s = closest(A, q);
    on_axis(p, A, s);
    return two_points(at, 0, p, A->radius, q, B->radius, margin, A->R);
}

/* ---- capsules as rows of balls ---------------------------------------------------------------- */

/* A ball in the place of the axis of a capsule at s. */
static int ball_in_capsule(mb_touch *at, int id, const mb_placed *A, double s, const mb_placed *B, double margin)
{
    mb_placed ball = *A;
    on_axis(ball.x, A, s);
    const int n = (B->kind == MB_BOX ? sphere_box : sphere_cylinder)(at, &ball, B, margin);
    at->id = n > 0 ? id : at->id;
    return n;
}

/* Squared distance of the axis of a capsule, at s, from a box or cylinder. */
static double distance_at(const mb_placed *A, double s, const mb_placed *B)
{
    double p[3], d[3], x[3], sum = 0.0;
    on_axis(p, A, s);
    sub3(d, p, B->x);
    tmul3(x, B->R, d);
    for (int i = 0; i < 3; ++i) {
        const double out = fmax(fabs(x[i]) - B->half[i], 0.0);
        sum += out * out;
    }
    const double side = fmax(hypot(x[0], x[1]) - B->radius, 0.0), end = fmax(fabs(x[2]) - B->axis, 0.0);
    return B->kind == MB_BOX ? sum : side * side + end * end;
}

/* Where the axis crosses the planes of a box, or those of the ends of a cylinder. */
static int crossings(double s[6], const mb_placed *A, const mb_placed *B)
{
    double d[3], x[3], a[3];
    int n = 0;
    sub3(d, A->x, B->x);
    tmul3(x, B->R, d);
    tmul3(a, B->R, A->R + 6);
    for (int i = B->kind == MB_BOX ? 0 : 4; i < 6; ++i) {
        const double half = B->kind == MB_BOX ? B->half[i / 2] : B->axis;
        const double to = (i % 2 == 0 ? -half : half) - x[i / 2], step = a[i / 2];
        if (fabs(to) < fabs(step) * A->axis) {
            s[n++] = to / step;
        }
    }
    return n;
}

/* Balls at the ends of the axis, where it crosses planes of B, and where it is closest, by a search: the distance is a convex function. */
static int balls_of_capsule(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    double s[9] = {-A->axis, A->axis}, lo = -A->axis, hi = A->axis;
    int n = 0, ns = 2 + crossings(s + 2, A, B);
    for (int it = 0; it < 64; ++it) {
        const double third = (hi - lo) / 3.0;
        if (distance_at(A, lo + third, B) < distance_at(A, hi - third, B)) {
            hi -= third;
        } else {
            lo += third;
        }
    }
    s[ns++] = 0.5 * (lo + hi);
    for (int k = 0; k < ns && n < MB_TOUCHES; ++k) {
        int twice = 0;
        for (int l = 0; l < k; ++l) {
            twice |= fabs(s[k] - s[l]) < 1e-9 * A->axis;
        }
        n += twice ? 0 : ball_in_capsule(at + n, k, A, s[k], B, margin);
    }
    return n;
}

/* ---- boxes ------------------------------------------------------------------------------------ */

/* Half the extent of a box along k. */
static double half_along(const mb_placed *S, const double k[3])
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += S->half[i] * fabs(dot3(S->R + 3 * i, k));
    }
    return sum;
}

/* The axis that separates two boxes most, from A to B: 0..2 a face of A, 3..5 of B, 6.. an edge of each. The first `count` of
 * them; edges count where they separate clearly more than faces. */
static int separating_axis(double n[3], double *gap, const mb_placed *A, const mb_placed *B, int count)
{
    const double *const axes[2] = {A->R, B->R};
    double d[3];
    int best = -1;
    sub3(d, B->x, A->x);
    *gap = -INFINITY;
    for (int k = 0; k < count; ++k) {
        double e[3];
        if (k < 6) {
            copy3(e, axes[k / 3] + 3 * (k % 3));
        } else {
            cross3(e, A->R + 3 * ((k - 6) / 3), B->R + 3 * ((k - 6) % 3));
        }
        const double length = sqrt(dot3(e, e));
        if (length < 1e-6) {
            continue; // parallel edges: faces see it
        }
        scale3(e, (dot3(d, e) < 0.0 ? -1.0 : 1.0) / length, e);
        const double apart = dot3(d, e) - half_along(A, e) - half_along(B, e);
        if (apart > *gap + (k < 6 ? 0.0 : 1e-6 * (A->half[0] + B->half[0]))) {
            *gap = apart;
            best = k;
            copy3(n, e);
        }
    }
    return best;
}

/* The part of a polygon (n points) with k.(x - p) <= most. */
static int clip(double (*to)[3], double (*from)[3], int n, const double p[3], const double k[3], double most)
{
    int m = 0;
    for (int i = 0; i < n; ++i) {
        const double *x = from[i], *y = from[(i + 1) % n];
        double dx[3], dy[3];
        sub3(dx, x, p);
        sub3(dy, y, p);
        const double a = dot3(k, dx) - most, b = dot3(k, dy) - most;
        if (a <= 0.0) {
            copy3(to[m++], x);
        }
        if (a * b < 0.0) {
            copy3(to[m], x);
            for (int j = 0; j < 3; ++j) {
                to[m][j] += a / (a - b) * (y[j] - x[j]);
            }
            m++;
        }
    }
    return m;
}

/* A face of S with the outward normal k: the face of T that looks at it most, clipped to it. sign: 1 if S is A. */
static int face_of(mb_touch at[MB_TOUCHES], const mb_placed *S, int face, const double k[3], const mb_placed *T,
                   double sign, int axis, double margin)
{
    double polygon[2][16][3];
    int other = 0, n = 4, m = 0;
    for (int i = 1; i < 3; ++i) {
        other = fabs(dot3(T->R + 3 * i, k)) > fabs(dot3(T->R + 3 * other, k)) ? i : other;
    }
    const double side = dot3(T->R + 3 * other, k) > 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i) {
        const int u = (other + 1) % 3, v = (other + 2) % 3;
        copy3(polygon[0][i], T->x);
        axpy3(polygon[0][i], side * T->half[other], T->R + 3 * other);
        axpy3(polygon[0][i], i == 0 || i == 3 ? -T->half[u] : T->half[u], T->R + 3 * u);
        axpy3(polygon[0][i], i < 2 ? -T->half[v] : T->half[v], T->R + 3 * v);
    }
    for (int i = 0; i < 4; ++i) {
        const int j = (face + 1 + i / 2) % 3;
        double e[3];
        scale3(e, i % 2 == 0 ? -1.0 : 1.0, S->R + 3 * j);
        n = clip(polygon[(i + 1) % 2], polygon[i % 2], n, S->x, e, S->half[j]);
    }
    for (int i = 0; i < n && m < MB_TOUCHES - 1; ++i) {
        double d[3];
        sub3(d, polygon[0][i], S->x);
        const double gap = dot3(d, k) - S->half[face];
        if (gap < margin) {
            mb_touch *t = &at[m++];
            *t = (mb_touch){.id = 16 * axis + i, .gap = gap};
            scale3(t->n, sign, k);
            copy3(sign > 0.0 ? t->b : t->a, polygon[0][i]);
            copy3(sign > 0.0 ? t->a : t->b, polygon[0][i]);
            axpy3(sign > 0.0 ? t->a : t->b, -gap, k);
        }
    }
    return m;
}

/* Two edges with the normal n: where they cross. 0: apart, and beyond their ends. */
static int two_edges(mb_touch *at, const mb_placed *A, int i, const mb_placed *B, int j, const double n[3], double gap,
                     int axis)
{
    const double *a = A->R + 3 * i, *b = B->R + 3 * j;
    double p[3], q[3], d[3];
    copy3(p, A->x);
    copy3(q, B->x);
    for (int k = 0; k < 3; ++k) {
        if (k != i) {
            axpy3(p, dot3(A->R + 3 * k, n) > 0.0 ? A->half[k] : -A->half[k], A->R + 3 * k);
        }
        if (k != j) {
            axpy3(q, dot3(B->R + 3 * k, n) > 0.0 ? -B->half[k] : B->half[k], B->R + 3 * k);
        }
    }
    sub3(d, q, p);
    const double c = dot3(a, b), da = dot3(a, d), db = dot3(b, d), sine = 1.0 - c * c;
    const double s = (da - c * db) / sine, t = (c * da - db) / sine;
    if (gap > 0.0 && (fabs(s) > A->half[i] || fabs(t) > B->half[j])) {
        return 0;
    }
    *at = (mb_touch){.id = 16 * axis, .gap = gap};
    copy3(at->n, n);
    copy3(at->a, p);
    copy3(at->b, q);
    axpy3(at->a, s, a);
    axpy3(at->b, t, b);
    return 1;
}

/* Where edges cross the faces nearby count, too: boxes that are nearly flat on each other would rock on one point after the other. */
static int box_box(mb_touch at[MB_TOUCHES], const mb_placed *A, const mb_placed *B, double margin)
{
    double n[3], k[3], gap;
    int axis = separating_axis(n, &gap, A, B, 15), edges = 0;
    if (gap >= margin) {
        return 0;
    }
    if (axis >= 6) {
        edges = two_edges(at, A, (axis - 6) / 3, B, (axis - 6) % 3, n, gap, axis);
        axis = separating_axis(n, &gap, A, B, 6);
    }
    scale3(k, -1.0, n);
    return edges + (axis < 3 ? face_of(at + edges, A, axis, n, B, 1.0, axis, margin)
                             : face_of(at + edges, B, axis - 3, k, A, -1.0, axis, margin));
}

mb_touch_finder *const mb_touches[MB_SHAPE_KINDS][MB_SHAPE_KINDS] = {
    [MB_PLANE] = {[MB_SPHERE] = plane_sphere,
                  [MB_CAPSULE] = plane_capsule,
                  [MB_BOX] = plane_box,
                  [MB_CYLINDER] = plane_cylinder},
    [MB_SPHERE] = {[MB_SPHERE] = sphere_sphere,
                   [MB_CAPSULE] = sphere_capsule,
                   [MB_BOX] = sphere_box,
                   [MB_CYLINDER] = sphere_cylinder},
    [MB_CAPSULE] = {[MB_CAPSULE] = capsule_capsule, [MB_BOX] = balls_of_capsule, [MB_CYLINDER] = balls_of_capsule},
    [MB_BOX] = {[MB_BOX] = box_box}};
