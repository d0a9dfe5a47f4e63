/* A curve of B and a sphere or a plane of A: where they may touch, and as long as what. See solid_impl.h. */
#include <math.h>

#include "mbs/curve_impl.h"
#include "mbs/solid_impl.h"

/* The centre of the sphere, or the normal of the plane, in the axes x, y of the curve. */
static void seen(double y[2], const mb_meeting *X, const mb_pairing *P)
{
    double d[3];
    const double *E = P->side[1].E;
    sub3(d, P->side[0].p, P->side[1].p);
    const double *x = X->solid[0].kind == MB_SOLID_PLANE ? P->side[0].E + 6 : d;
    y[0] = dot3(E, x);
    y[1] = dot3(E + 3, x);
}

static void to_world(double x[3], const double y[2], const mb_pairing *P)
{
    const double p[3] = {y[0], y[1], 0.0};
    mat3_mul_vec(x, P->side[1].E, 3, p);
    add3(x, x, P->side[1].p);
}

/* How far y is before (k = 0) or behind (k = 1) a node: what is sought lies between two that it is behind and before. */
static double along(const mb_curve_node *at, int k, const double y[2], int plane)
{
    return plane ? -(y[0] * at->T[k][0] + y[1] * at->T[k][1])
                 : (y[0] - at->x[0]) * at->T[k][0] + (y[1] - at->x[1]) * at->T[k][1];
}

static void foot(mb_curve_foot *F, const mb_curve *c, int part, const double y[2], int plane)
{
    if (plane) {
        mb_curve_lowest(F, c, part, y);
    } else {
        mb_curve_nearest(F, c, part, y);
    }
}

/* ---- candidates ------------------------------------------------------------------------------- */

enum { KEPT = 16 };
typedef struct place {
    double gap, x[2];
    int feature;
} place;

typedef struct found {
    const mb_meeting *X;
    const mb_curve *c;
    double y[2];
    int plane, n;
    double far; /* places farther away than this are of no interest */
    place list[KEPT];
} found;

static double away(const found *f, double gap)
{
    return f->plane ? gap : fabs(gap);
}

/* Those that are nearest are kept. */
static void note(found *f, double gap, const double x[2], int feature)
{
    int at = f->n;
    if (at == KEPT) {
        at = 0;
        for (int k = 1; k < KEPT; ++k) {
            at = away(f, f->list[k].gap) > away(f, f->list[at].gap) ? k : at;
        }
        if (away(f, gap) >= away(f, f->list[at].gap)) {
            return;
        }
    } else {
        f->n++;
    }
    f->list[at] = (place){gap, {x[0], x[1]}, feature};
}

static void note_part(found *f, int part)
{
    mb_curve_foot F;
    foot(&F, f->c, part, f->y, f->plane);
    if (!f->plane || F.kappa > 0.0) {
        note(f, F.gap, F.x, part);
    }
}

static double distance(const mb_curve_node *at, const double y[2])
{
    const double d[2] = {y[0] - at->x[0], y[1] - at->x[1]};
    return sqrt(d[0] * d[0] + d[1] * d[1]);
}

/* A corner; at its very place there is no direction, and the side counts that is farther out. */
static void note_corner(found *f, int i)
{
    const mb_curve *c = f->c;
    const mb_curve_node *at = &c->node[i];
    const double d[2] = {f->y[0] - at->x[0], f->y[1] - at->x[1]}, length = distance(at, f->y);
    if (f->plane) {
        note(f, f->y[0] * at->x[0] + f->y[1] * at->x[1], at->x, c->n + i);
    } else if (length > CLOSE * f->X->size) {
        note(f, length, at->x, c->n + i);
    } else {
        const double before = d[0] * at->T[0][1] - d[1] * at->T[0][0], after = d[0] * at->T[1][1] - d[1] * at->T[1][0];
        const int first = before > after && (i > 0 || c->closed);
        note_part(f, first ? (i + c->n - 1) % c->n : i < c->n ? i : c->n - 1);
    }
}

static void note_all(found *f)
{
    const mb_curve *c = f->c;
    double behind = along(&c->node[0], 1, f->y, f->plane);
    for (int i = 0; i <= c->n; ++i) {
        const mb_curve_node *at = &c->node[i];
        const double before = along(at, 0, f->y, f->plane), after = along(at, 1, f->y, f->plane);
        if (i > 0 && behind >= 0.0 && before < 0.0 && distance(at, f->y) - at->width < f->far) {
            note_part(f, i - 1);
        }
        if (at->border == MB_BORDER_CORNER && (i < c->n || !c->closed) &&
            (f->plane || (before >= 0.0 && after <= 0.0 && distance(at, f->y) < f->far))) {
            note_corner(f, i);
        }
        behind = after;
    }
}

/* Places much farther away than the nearest one need not be found. */
static double far_away(const found *f)
{
    double least = INFINITY;
    for (int i = 0; i <= f->c->n && !f->plane; ++i) {
        least = fmin(least, distance(&f->c->node[i], f->y));
    }
    return f->plane ? INFINITY : least + 2.0 * f->X->size;
}

void mb_meet_curve(void *all, mb_curve_candidate *add, const mb_meeting *X, const mb_pairing *P)
{
    found f = {.X = X, .c = X->solid[1].curve, .plane = X->solid[0].kind == MB_SOLID_PLANE};
    const double none = CLOSE * X->size;
    double d[3], least = INFINITY;
    sub3(d, P->side[1].p, P->side[0].p);
    const double base = f.plane ? dot3(P->side[0].E + 6, d) : -X->solid[0].radius;
    seen(f.y, X, P);
    f.far = far_away(&f);
    note_all(&f);
    for (int k = 0; k < f.n; ++k) {
        least = fabs(f.list[k].gap) < fabs(least) ? f.list[k].gap : least;
    }
    for (int k = 0; k < f.n; ++k) { // those on the same side as the nearest
        const place *at = &f.list[k];
        double x[3];
        if (f.plane || (least < -none ? at->gap < 0.0 : at->gap > -none)) {
            to_world(x, at->x, P);
            add(all, at->gap + base, x, at->feature);
        }
    }
}

/* ---- those that are held ---------------------------------------------------------------------- */

double mb_curve_reach(const mb_meeting *X, const mb_pairing *P, int feature)
{
    const mb_curve *c = X->solid[1].curve;
    const int plane = X->solid[0].kind == MB_SOLID_PLANE;
    double y[2];
    mb_curve_foot F;
    seen(y, X, P);
    if (feature >= c->n) {
        const mb_curve_node *at = &c->node[feature - c->n];
        return plane ? X->size : fmin(along(at, 0, y, 0), -along(at, 1, y, 0));
    }
    foot(&F, c, feature, y, plane);
    return F.inside;
}

int mb_curve_follow(const mb_meeting *X, const mb_pairing *P, int feature)
{
    const mb_curve *c = X->solid[1].curve;
    double y[2];
    mb_curve_foot F;
    if (feature >= c->n) {
        return feature;
    }
    seen(y, X, P);
    foot(&F, c, feature, y, X->solid[0].kind == MB_SOLID_PLANE);
    return F.inside > 0.0 ? mb_curve_part(c, F.s) : feature;
}

void mb_curve_touched(double x[3], const mb_meeting *X, const mb_pairing *P, int feature)
{
    const mb_curve *c = X->solid[1].curve;
    double y[2];
    mb_curve_foot F;
    if (feature >= c->n) {
        to_world(x, c->node[feature - c->n].x, P);
        return;
    }
    seen(y, X, P);
    foot(&F, c, feature, y, X->solid[0].kind == MB_SOLID_PLANE);
    to_world(x, F.x, P);
}
