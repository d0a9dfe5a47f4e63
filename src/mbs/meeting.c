/* Two solids: which features meet, and as long as what. See meeting_impl.h and the table of pairs in docs/theory/contact.md. */
#include <math.h>

#include "mbs/contact_kernel.h"
#include "mbs/solid_impl.h"

/* ---- candidates ------------------------------------------------------------------------------- */

typedef struct candidate {
    double gap, x[3];
    pair_code code;
} candidate;

enum { CANDIDATES = 192 };
typedef struct candidates {
    int n;
    candidate list[CANDIDATES];
} candidates;

static void add_candidate(candidates *all, const candidate *c)
{
    if (all->n < CANDIDATES) {
        all->list[all->n++] = *c;
        return;
    }
    int worst = 0; // the lowest ones are kept
    for (int k = 1; k < all->n; ++k) {
        worst = all->list[k].gap > all->list[worst].gap ? k : worst;
    }
    if (c->gap < all->list[worst].gap) {
        all->list[worst] = *c;
    }
}

/* Points of a solid: the first and how many. */
static int points_of(const mb_meeting *X, int side, int *first)
{
    const mb_solid *s = &X->solid[side];
    *first = s->kind == MB_SOLID_CAPSULE ? 1 : s->kind == MB_SOLID_BOX ? VERTICES : 0;
    return s->kind == MB_SOLID_SPHERE    ? 1
           : s->kind == MB_SOLID_CAPSULE ? 2
           : s->kind == MB_SOLID_BOX     ? (X->flat ? 4 : 8)
           : s->kind == MB_SOLID_MESH    ? s->mesh->mesh->nvertices
                                         : 0;
}

static int is_pair_of_capsules(const mb_meeting *X)
{
    return X->solid[0].kind == MB_SOLID_CAPSULE && X->solid[1].kind == MB_SOLID_CAPSULE;
}

/* An end of a capsule against the side of another: the foot is beyond the end, or the two are parallel. */
static double beyond_end(const mb_meeting *X, const mb_pairing *P, int side, int f, const double x[3],
                         const double y[3])
{
    const double *a = P->side[side].E + 6, *b = P->side[1 - side].E + 6, ab = dot3(a, b);
    double w[3];
    if (1.0 - ab * ab < 2.0 * PARALLEL || X->solid[1 - side].kind != MB_SOLID_CAPSULE) {
        return X->size;
    }
    copy3(w, P->side[1 - side].p);
    axpy3(w, y[2], b);
    sub3(w, w, x);
    return (f == 1 ? -1.0 : 1.0) * dot3(a, w);
}

/* How far the point of one side is inside the region of the feature of the other; of two points, each inside that of the other. */
static double reach_of_point(const mb_meeting *X, const mb_pairing *P, int side, const int f[2])
{
    const solid_feature F = mb_feature_of(X, side, f[side]), G = mb_feature_of(X, 1 - side, f[1 - side]);
    double x[3], y[3], inside;
    mb_place_of(x, &F, &P->side[side]);
    mb_in_solid(y, x, &P->side[1 - side]);
    inside = mb_inside_region(X, 1 - side, f[1 - side], y);
    if (X->solid[side].kind == MB_SOLID_CAPSULE && f[1 - side] == 0) {
        inside = fmin(inside, beyond_end(X, P, side, f[side], x, y));
    }
    if (F.kind == POINT && G.kind == POINT) {
        mb_place_of(x, &G, &P->side[1 - side]);
        mb_in_solid(y, x, &P->side[side]);
        inside = fmin(inside, mb_inside_region(X, side, f[side], y));
    }
    return inside;
}

/* The points of one solid against the other. Two points are one candidate, and an end of a capsule is none where its side is closer. */
static void meet_points(candidates *all, const mb_meeting *X, const mb_pairing *P, int side)
{
    int first;
    const int n = points_of(X, side, &first);
    for (int k = first; k < first + n; ++k) {
        const solid_feature F = mb_feature_of(X, side, k);
        candidate c;
        double y[3], distance;
        mb_place_of(c.x, &F, &P->side[side]);
        mb_in_solid(y, c.x, &P->side[1 - side]);
        const int f = mb_region(X, 1 - side, y, &distance);
        const int of[2] = {side == 0 ? k : f, side == 0 ? f : k};
        const int twice = mb_feature_of(X, 1 - side, f).kind == POINT && X->n > 1;
        if ((twice && side == 0) ||
            ((twice || is_pair_of_capsules(X)) && reach_of_point(X, P, side, of) < -0.5 * BORDER * X->size)) {
            continue;
        }
        c.gap = distance - F.radius;
        c.code = (pair_code){.a = of[0], .b = of[1], .minus = side};
        add_candidate(all, &c);
    }
}

/* Is n, which is normal to the edge f of a box, among the directions that point away from it? The least share in the normals
 * of its two faces; of other lines there is no such bound. */
static double in_cone(const mb_meeting *X, int side, int f, const mb_side *S, const double n[3])
{
    if (X->solid[side].kind != MB_SOLID_BOX) {
        return 1.0;
    }
    const solid_feature F = mb_feature_of(X, side, f);
    double least = 1.0;
    for (int i = 1; i < 3; ++i) {
        const int k = (F.axis + i) % 3;
        least = fmin(least, (F.p[k] < 0.0 ? -1.0 : 1.0) * dot3(S->E + (ptrdiff_t)3 * k, n));
    }
    return least;
}

typedef struct crossing {
    double n[3], inside, apart, gap, x[3]; /* apart: how far from parallel */
    int minus;
} crossing;

/* Two lines: where they are closest, how far inside of both segments and of the cones of edges. 0: they are parallel. */
static int cross_lines(crossing *c, const mb_meeting *X, const mb_pairing *P, int fa, int fb)
{
    const solid_feature F[2] = {mb_feature_of(X, 0, fa), mb_feature_of(X, 1, fb)};
    const double *a = P->side[0].E + (ptrdiff_t)3 * F[0].axis, *b = P->side[1].E + (ptrdiff_t)3 * F[1].axis;
    const double ab = dot3(a, b), k = 1.0 - ab * ab;
    double x[3], d[3];
    c->apart = k / PARALLEL - 1.0;
    if (k < PARALLEL) {
        return 0;
    }
    mb_place_of(c->x, &F[0], &P->side[0]);
    mb_place_of(x, &F[1], &P->side[1]);
    sub3(d, x, c->x);
    const double s = (dot3(a, d) - ab * dot3(b, d)) / k, t = (ab * dot3(a, d) - dot3(b, d)) / k;
    c->inside = fmin(X->solid[0].half[F[0].axis] - fabs(s), X->solid[1].half[F[1].axis] - fabs(t));
    cross3(c->n, a, b);
    touch_normalise(c->n, c->n);
    double cone[2] = {0.0, 0.0};
    for (c->minus = 0; c->minus < 2; ++c->minus) {
        const double n[3] = {-c->n[0], -c->n[1], -c->n[2]};
        cone[c->minus] = fmin(in_cone(X, 0, fa, &P->side[0], c->minus ? n : c->n),
                              in_cone(X, 1, fb, &P->side[1], c->minus ? c->n : n));
    }
    const int box = X->solid[0].kind == MB_SOLID_BOX || X->solid[1].kind == MB_SOLID_BOX;
    c->minus = box ? cone[1] > cone[0] : dot3(c->n, d) < 0.0;
    c->inside = box ? fmin(c->inside, cone[c->minus] * X->size) : c->inside;
    c->gap = (c->minus ? -1.0 : 1.0) * dot3(c->n, d) - F[0].radius - F[1].radius;
    axpy3(c->x, s, a);
    return 1;
}

static int lines_of(const mb_solid *s, int *first)
{
    *first = s->kind == MB_SOLID_BOX ? EDGES : 0;
    return s->kind == MB_SOLID_BOX ? VERTICES - EDGES : s->kind == MB_SOLID_CAPSULE ? 1 : 0;
}

static void meet_lines(candidates *all, const mb_meeting *X, const mb_pairing *P)
{
    int first[2];
    const int n[2] = {lines_of(&X->solid[0], &first[0]), lines_of(&X->solid[1], &first[1])};
    const double deepest = is_pair_of_capsules(X) ? -INFINITY : -0.25 * X->size;
    for (int k = 0; k < n[0] * n[1] && !X->flat; ++k) {
        const int fa = first[0] + k / n[1], fb = first[1] + k % n[1];
        crossing c;
        if (cross_lines(&c, X, P, fa, fb) && c.inside >= -0.5 * BORDER * X->size && c.gap > deepest) {
            const candidate found = {
                .gap = c.gap, .x = {c.x[0], c.x[1], c.x[2]}, .code = {.a = fa, .b = fb, .minus = c.minus}};
            add_candidate(all, &found);
        }
    }
}

/* The axis of a cylinder seen from a plane: its sine with the normal k, and in which of eight parts of the circle in its own axes x, y
 * k leans. Past the normal the lowest point of a rim jumps to the other side; with the part in the number of the features it goes on
 * as if it did not. */
static double lean(const mb_pairing *P, int *part)
{
    const double *k = P->side[0].E + 6, *E = P->side[1].E;
    double x[3];
    cross3(x, k, E + 6);
    *part = (int)lrint(atan2(dot3(k, E + 3), dot3(k, E)) * 8.0 / MB_TURN) & 7;
    return sqrt(dot3(x, x));
}

/* A plane and a cylinder: its rims, or points of the rim it stands on. */
static void meet_rims(candidates *all, const mb_meeting *X, const mb_pairing *P)
{
    const double *k = P->side[0].E + 6, c = dot3(k, P->side[1].E + 6);
    int part;
    const double sine = lean(P, &part);
    const int stands = sine <= FLAT, first = !stands ? RIMS : POINTS_OF_RIMS + (c < 0.0 ? RIM_POINTS : 0);
    for (int f = first; f < first + (stands ? RIM_POINTS : 2); ++f) {
        const solid_feature F = mb_feature_of(X, 1, f);
        double d[3];
        candidate found = {.code = {.a = stands ? 0 : part, .b = f}};
        mb_place_of(found.x, &F, &P->side[1]);
        sub3(d, found.x, P->side[0].p);
        found.gap = dot3(k, d) - F.radius * sine;
        add_candidate(all, &found);
    }
}

static void add_curve(void *all, double gap, const double x[3], int feature)
{
    const candidate found = {.gap = gap, .x = {x[0], x[1], x[2]}, .code = {.b = feature}};
    add_candidate(all, &found);
}

static void meet(candidates *all, const mb_meeting *X, const mb_pairing *P)
{
    const mb_solid_kind a = X->solid[0].kind, b = X->solid[1].kind;
    double d[3];
    all->n = 0;
    sub3(d, P->side[1].p, P->side[0].p);
    const double apart = sqrt(dot3(d, d)) - X->solid[0].reach - X->solid[1].reach;
    if (a != MB_SOLID_PLANE && b != MB_SOLID_CURVE && !X->hollow && apart > 0.2 * X->size) {
        const candidate far = {.gap = apart, .code = {.a = WHOLE, .b = WHOLE}};
        add_candidate(all, &far);
    } else if (b == MB_SOLID_CURVE) {
        mb_meet_curve(all, add_curve, X, P);
    } else if (a == MB_SOLID_PLANE && b == MB_SOLID_CYLINDER) {
        meet_rims(all, X, P);
    } else {
        if (a != MB_SOLID_SPHERE || b == MB_SOLID_SPHERE) {
            meet_points(all, X, P, 1);
        }
        if (b != MB_SOLID_SPHERE && a != MB_SOLID_PLANE) {
            meet_points(all, X, P, 0);
        }
        meet_lines(all, X, P);
    }
}

/* ---- choice ----------------------------------------------------------------------------------- */

static double distance_to(const candidate *c, const double (*x)[3], int n)
{
    double least = INFINITY;
    for (int k = 0; k < n; ++k) {
        double d[3];
        sub3(d, c->x, x[k]);
        least = fmin(least, sqrt(dot3(d, d)));
    }
    return least;
}

/* The place of a candidate with these features. A rim on a plane is one, whichever part of it leans. */
static int find_candidate(const candidates *all, const mb_meeting *X, int number)
{
    const pair_code code = mb_decode(number);
    const int whole = X->solid[0].kind == MB_SOLID_PLANE && mb_feature_of(X, 1, code.b).kind == RIM;
    for (int k = 0; k < all->n; ++k) {
        if ((whole || all->list[k].code.a == code.a) && all->list[k].code.b == code.b) {
            return k;
        }
    }
    return -1;
}

/* The lowest one; one beside others counts as higher, and of those that are as low the one that is farthest from them. The first is the
 * lowest to rounding: it tells when the solids touch. So does, of rigid ones, whatever is below zero: another feature at the same place may turn in. */
static int choose_next(const candidates *all, const double (*x)[3], int n, const mb_meeting *X)
{
    const double size = X->size, close = n > 0 ? CLOSE * size : 0.0, below = X->rigid ? -1e-11 * size : -INFINITY;
    int best = -1;
    double least = INFINITY, farthest = 0.0;
    for (int k = 0; k < all->n; ++k) {
        const double gap = all->list[k].gap, beside = distance_to(&all->list[k], x, n);
        const double away = gap < below && beside > 0.0 ? INFINITY : beside;
        const double cost = gap + (away < 0.05 * size ? 0.01 * size : 0.0);
        if (away > 1e-9 * size && (cost < least - close || (cost < least + close && away > farthest))) {
            best = k;
            least = fmin(cost, least);
            farthest = away;
        }
    }
    return best;
}

/* The axis of frame A for the tangents: the one that is farthest from the normal; in the plane the one normal to that. */
static int turn_of(const mb_meeting *X, const mb_pairing *P, int number)
{
    mb_marker frame[2] = {{.A = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}}}, marker[2];
    mb_pairing at;
    mb_row row;
    frame[1] = frame[0];
    mb_meeting_load(marker, &row, X, frame, number);
    mb_state state[2];
    for (int i = 0; i < 2; ++i) {
        copy3(state[i].x, P->side[i].p);
        memcpy(state[i].R, P->side[i].E, sizeof state[i].R);
        mb_side_at(&at.side[i], &state[i], marker[i].a, marker[i].A, 0, 1);
    }
    sub3(at.d, at.side[1].p, at.side[0].p);
    const touch K = touch_at(&row, &at);
    int turn = 0;
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double along = fabs(dot3(at.side[0].E + (ptrdiff_t)3 * k, K.n));
        const double cost = X->flat && along < 0.9 ? -fabs(at.side[0].E[3 * k + 2]) : along;
        turn = cost < best - 1e-9 ? k : turn;
        best = fmin(best, cost);
    }
    return turn;
}

void mb_meeting_choose(int number[MB_MEETINGS], const mb_meeting *X, const mb_pairing *P)
{
    candidates all;
    double x[MB_MEETINGS][3];
    int n = 0, some = 0;
    for (int k = 0; k < X->n; ++k) {
        some |= number[k] <= 0;
    }
    if (!some) {
        return;
    }
    if (X->solid[0].kind == MB_SOLID_PLANE &&
        (X->solid[1].kind == MB_SOLID_CAPSULE || X->solid[1].kind == MB_SOLID_BOX)) {
        points_of(X, 1, &some);
        for (int k = 0; k < X->n; ++k) { // each point has its place
            number[k] = mb_encode((pair_code){.b = some + k, .minus = 1});
            number[k] += turn_of(X, P, number[k]);
        }
        return;
    }
    meet(&all, X, P);
    for (int k = 0; k < X->n; ++k) {
        const int held = number[k] > NONE ? find_candidate(&all, X, number[k]) : -1;
        if (number[k] > NONE && X->solid[1].curve) {
            mb_curve_touched(x[n++], X, P, mb_decode(number[k]).b);
        } else if (held >= 0) {
            copy3(x[n++], all.list[held].x);
        }
    }
    for (int k = 0; k < X->n; ++k) {
        if (number[k] > 0) {
            continue;
        }
        const int next = choose_next(&all, (const double(*)[3])x, n, X);
        number[k] = NONE;
        if (next >= 0) {
            copy3(x[n++], all.list[next].x);
            number[k] = mb_encode(all.list[next].code);
            number[k] += turn_of(X, P, number[k]);
        }
    }
}

/* ---- reach ------------------------------------------------------------------------------------ */

double mb_meeting_reach(const mb_meeting *X, const mb_pairing *P, int number)
{
    const pair_code code = mb_decode(number);
    const int f[2] = {code.a, code.b};
    if (X->solid[1].curve) {
        return mb_curve_reach(X, P, code.b) / X->size + BORDER;
    }
    const solid_feature F[2] = {mb_feature_of(X, 0, code.a), mb_feature_of(X, 1, code.b)};
    if (X->solid[1].kind == MB_SOLID_CYLINDER && X->solid[0].kind == MB_SOLID_PLANE) {
        int part;
        const double sine = lean(P, &part);
        const int same = sine >= TOUCH_WOBBLES || ((part - code.a + 10) & 7) < 5; // on the same side
        return F[1].kind != RIM ? 2.0 * FLAT - sine : (same ? sine : -sine) - FLAT;
    }
    if (F[0].kind == LINE && F[1].kind == LINE) {
        crossing c;
        const int crosses = cross_lines(&c, X, P, code.a, code.b);
        return crosses && c.minus == code.minus ? fmin(c.inside / X->size + BORDER, c.apart) : fmin(c.apart, -BORDER);
    }
    return reach_of_point(X, P, code.minus, f) / X->size + BORDER;
}

int mb_meeting_follow(const mb_meeting *X, const mb_pairing *P, int number)
{
    pair_code code = mb_decode(number);
    if (number > NONE && X->solid[1].curve) {
        code.b = mb_curve_follow(X, P, code.b);
        return mb_encode(code);
    }
    if (number <= NONE || X->solid[0].kind != MB_SOLID_PLANE || mb_feature_of(X, 1, code.b).kind != RIM) {
        return number;
    }
    if (mb_meeting_reach(X, P, number) > 0.0) {
        (void)lean(P, &code.a);
    }
    return mb_encode(code);
}
