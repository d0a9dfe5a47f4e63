/* Plane curves: parts, borders, the place that touches. */
#include "mbs/curve_impl.h"

#include <math.h>

#include "base/message.h"
#include "mbs/meeting_impl.h"

/* A jump of the direction, and of the curvature times the size, that is none. */
#define SMOOTH 1e-6
/* Parts between two breaks of the functions, and all parts, at least where they are not straight; most parts. */
enum { EACH = 4, LEAST = 64, MOST = 100000 };

static double cross2(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

static double dot2(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* ---- parts ------------------------------------------------------------------------------------ */

static double next_break(const mb_function *all, const int f[2], double s, double end)
{
    const double none = 1e-12 * fmax(fabs(s), fabs(end)); // rounding may have left one at s
    const double next = fmin(mb_function_break(all, f[0], s + none), mb_function_break(all, f[1], s + none));
    return next < end - none ? next : end;
}

static int straight(const mb_function *f)
{
    return mb_function_is_table(f) && f->interpolation == DAL_INTERPOLATION_LINEAR;
}

/* Breaks within the range, its end among them; *each: parts between two. */
static int count_breaks(const mb_function *all, const int f[2], const double range[2], int *each)
{
    int n = 0;
    double s = range[0];
    do {
        s = next_break(all, f, s, range[1]);
    } while (++n < MOST && s < range[1]);
    *each = straight(&all[f[0]]) && straight(&all[f[1]]) ? 1 : EACH * n < LEAST ? (LEAST + n - 1) / n : EACH;
    return n;
}

/* Parts of the curve; 0: too many. */
static int count_parts(const mb_function *all, const mb_curve_given *g)
{
    int each;
    const int n = count_breaks(all, g->f, g->range, &each);
    return n * each <= MOST ? n * each : 0;
}

/* Of a closed curve s may be beyond its ends. */
static double wrapped(const mb_curve *c, double s)
{
    const double from = c->node[0].s, length = c->node[c->n].s - from;
    return c->closed ? s - length * floor((s - from) / length) : s;
}

/* Place and derivatives. side: -1, 1: the derivatives before, after s. */
static dal_status values_at(double y[2][3], const mb_curve *c, double s, int side)
{
    const double eps = 1e-6 * side * (c->node[c->n].s - c->node[0].s) / c->n;
    for (int i = 0; i < 2; ++i) {
        double near[3];
        DAL_TRY(mb_function_value(y[i], c->all, c->f[i], wrapped(c, s)));
        if (side != 0) {
            DAL_TRY(mb_function_value(near, c->all, c->f[i], wrapped(c, s + eps)));
            y[i][1] = near[1] - eps * near[2];
            y[i][2] = near[2];
        }
    }
    return DAL_OK;
}

/* What follows from the derivatives; returns the length of the first one. */
static double place(mb_curve_foot *F, double y[2][3])
{
    const double speed = hypot(y[0][1], y[1][1]);
    for (int i = 0; i < 2; ++i) {
        F->x[i] = y[i][0];
        F->T[i] = y[i][1] / speed;
    }
    F->n[0] = F->T[1];
    F->n[1] = -F->T[0];
    F->kappa = (y[0][1] * y[1][2] - y[1][1] * y[0][2]) / (speed * speed * speed);
    return speed;
}

/* ---- borders ---------------------------------------------------------------------------------- */

static mb_border border_of(const mb_curve_foot side[2], double size)
{
    const double turn = cross2(side[0].T, side[1].T);
    if (fabs(turn) > SMOOTH || dot2(side[0].T, side[1].T) < 0.0) {
        return turn > 0.0 ? MB_BORDER_CORNER : MB_BORDER_NOTCH;
    }
    return fabs(side[1].kappa - side[0].kappa) * size > 1e2 * SMOOTH ? MB_BORDER_BEND : MB_BORDER_NONE;
}

/* Tangents and kind of node i; an open end looks back. */
static dal_status find_border(mb_curve *c, int i)
{
    mb_curve_node *at = &c->node[i];
    mb_curve_foot side[2];
    for (int k = 0; k < 2; ++k) {
        double y[2][3];
        const int out = !c->closed && i == (k == 0 ? 0 : c->n);
        DAL_TRY(values_at(y, c, at->s, (k == 0) != out ? -1 : 1));
        place(&side[k], y);
        for (int j = 0; j < 2; ++j) {
            at->T[k][j] = out ? -side[k].T[j] : side[k].T[j];
        }
    }
    at->border = !c->closed && (i == 0 || i == c->n) ? MB_BORDER_CORNER : border_of(side, c->reach);
    if (at->border == MB_BORDER_NONE || at->border == MB_BORDER_BEND) { // nothing falls between them
        memcpy(at->T[1], at->T[0], sizeof at->T[1]);
    }
    return DAL_OK;
}

/* From where to where the piece of each part goes. */
static void find_pieces(const mb_curve *c)
{
    const double length = c->node[c->n].s - c->node[0].s;
    const int laps = c->closed ? 2 : 1;
    double from = -INFINITY, to = INFINITY;
    for (int k = 0; k < laps * c->n; ++k) {
        mb_curve_node *at = &c->node[k % c->n];
        const double lap = k < c->n ? 0.0 : length;
        from = at->border != MB_BORDER_NONE ? at->s + lap : from;
        at->from = from - lap;
    }
    for (int k = laps * c->n; k > 0; --k) {
        const int lap = (k - 1) / c->n;
        const mb_curve_node *end = &c->node[k - lap * c->n];
        to = end->border != MB_BORDER_NONE ? end->s + lap * length : to;
        c->node[k - 1 - lap * c->n].to = to - lap * length;
    }
}

static dal_status find_places(mb_curve *c, dal_ctx *ctx, const mb_curve_given *g)
{
    c->closed = 0;
    c->reach = 0.0;
    for (int i = 0; i <= c->n; ++i) {
        mb_curve_node *at = &c->node[i];
        double y[2][3];
        DAL_TRY(values_at(y, c, at->s, 0));
        at->x[0] = y[0][0];
        at->x[1] = y[1][0];
        c->reach = fmax(c->reach, hypot(at->x[0], at->x[1]));
        at->width = i > 0 ? hypot(at->x[0] - at[-1].x[0], at->x[1] - at[-1].x[1]) : 1.0;
        if (!(at->width > 0.0)) {
            return dal_fail(ctx, DAL_EINVAL, "%s '%s': its curve stands still, or is not finite, at %g", g->what,
                            g->name, at->s);
        }
    }
    const double *first = c->node[0].x, *last = c->node[c->n].x;
    c->closed = hypot(last[0] - first[0], last[1] - first[1]) < 1e-9 * c->reach;
    return DAL_OK;
}

static dal_status sample(mb_curve *c, dal_ctx *ctx, const mb_function *all, const mb_curve_given *g)
{
    int each, i = 0;
    const int breaks = count_breaks(all, g->f, g->range, &each);
    c->all = all;
    c->f[0] = g->f[0];
    c->f[1] = g->f[1];
    if (breaks * each != c->n) {
        return dal_fail(ctx, DAL_EINVAL, "%s '%s': the points of its curve may move, but their number may not change",
                        g->what, g->name);
    }
    for (double s = g->range[0]; i < c->n;) {
        const double end = next_break(all, g->f, s, g->range[1]);
        for (int k = 0; k < each; ++k) {
            c->node[i++].s = s + k * (end - s) / each;
        }
        s = end;
    }
    c->node[c->n].s = g->range[1];
    DAL_TRY(find_places(c, ctx, g));
    for (i = 0; i <= c->n; ++i) {
        DAL_TRY(find_border(c, i));
    }
    if (c->closed) { // the same, to the last digit
        const mb_curve_node last = c->node[c->n];
        c->node[c->n] = c->node[0];
        c->node[c->n].s = last.s;
        c->node[c->n].width = last.width;
    }
    find_pieces(c);
    return DAL_OK;
}

/* ---- of a model ------------------------------------------------------------------------------- */

static mb_curve_given given(const char *what, const char *name, int x, int y, const double range[2])
{
    const int none = range[0] == 0.0 && range[1] == 0.0;
    return (mb_curve_given){what, name, {x, y}, {range[0], none ? 1.0 : range[1]}};
}

mb_curve_given mb_curve_of_joint(const dal_joint *d)
{
    return given("joint", d->name, d->curve_x, d->curve_y, d->curve_range);
}

mb_curve_given mb_curve_of_force(const dal_force *d)
{
    return given("force", d->name, d->curve_x, d->curve_y, d->curve_range);
}

dal_status mb_curve_check(const mb_scope *s, const mb_curve_given *g)
{
    for (int i = 0; i < 2; ++i) {
        if (!mb_function_known(s->of, g->f[i]) || g->f[i] < 1 || mb_function_is_map(&s->of->function[g->f[i]])) {
            return dal_fail(s->ctx, DAL_EINVAL,
                            "%s '%s': a curve needs curve_x and curve_y, functions of its parameter", g->what, g->name);
        }
    }
    if (!(g->range[0] < g->range[1]) || !isfinite(g->range[0]) || !isfinite(g->range[1])) {
        return dal_fail(s->ctx, DAL_EINVAL, "%s '%s': curve_range = [%g, %g]; the lower end comes first", g->what,
                        g->name, g->range[0], g->range[1]);
    }
    return count_parts(s->of->function, g) > 0
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL, "%s '%s': its curve has more than %d parts", g->what, g->name, MOST);
}

static int is_curve(const mb_instance *m, int k, mb_curve_given *g)
{
    if (k < m->njoints) {
        *g = mb_curve_of_joint(&m->of->joint[k].d);
        return m->of->joint[k].d.shape == MB_SOLID_CURVE;
    }
    *g = mb_curve_of_force(&m->of->force[k - m->njoints].d);
    return m->of->force[k - m->njoints].d.shape == MB_SOLID_CURVE;
}

void mb_curves_carve(mb_instance *m, dal_arena *arena)
{
    for (int k = 0; k < m->njoints + m->nforces; ++k) {
        mb_curve_given g;
        if (!is_curve(m, k, &g)) {
            continue;
        }
        const int n = count_parts(m->of->function, &g);
        mb_curve *c = dal_arena_take(arena, 1, sizeof *c);
        mb_curve_node *node = dal_arena_take(arena, (size_t)n + 1, sizeof *node);
        if (c) {
            *c = (mb_curve){.n = n, .node = node};
            *(k < m->njoints ? &m->joint[k].curve : &m->force[k - m->njoints].curve) = c;
            m->unsettled = 1;
        }
    }
}

dal_status mb_curves_sample(mb_instance *m)
{
    for (int k = 0; k < m->njoints; ++k) {
        mb_curve_given g = mb_curve_of_joint(&m->joint[k].d);
        g.name = m->of->joint_names.name[k];
        DAL_TRY(m->joint[k].curve ? sample(m->joint[k].curve, m->ctx, m->function, &g) : DAL_OK);
    }
    for (int k = 0; k < m->nforces; ++k) {
        mb_curve_given g = mb_curve_of_force(&m->force[k].d);
        g.name = m->of->force_names.name[k];
        DAL_TRY(m->force[k].curve ? sample(m->force[k].curve, m->ctx, m->function, &g) : DAL_OK);
    }
    return DAL_OK;
}

int mb_curve_part(const mb_curve *c, double s)
{
    int lo = 0, hi = c->n;
    s = wrapped(c, s);
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(c->node[mid].s <= s ? &lo : &hi) = mid;
    }
    return lo;
}

/* ---- the place that touches ------------------------------------------------------------------- */

/* The zero of g(s), which falls where it is the place sought: Newton's method on the piece of a part. Along k where `lowest`, else towards y. Beyond
 * the ends of the piece the place is the end. */
static void find_place(mb_curve_foot *F, const mb_curve *c, int part, const double y[2], int lowest)
{
    const mb_curve_node *at = &c->node[part];
    const double width = at[1].s - at->s, slack = 1e-12 * width;
    double s = at->s + 0.5 * width, speed = 1.0;
    for (int it = 0; it < 40; ++it) {
        double v[2][3], g = 0.0, slope = 0.0;
        const int side = s <= at->from + slack ? 1 : s >= at->to - slack ? -1 : 0;
        if (values_at(v, c, s, side) != DAL_OK) {
            break;
        }
        speed = place(F, v);
        F->s = s;
        for (int i = 0; i < 2; ++i) {
            const double d = lowest ? -y[i] : y[i] - v[i][0];
            g += d * v[i][1];
            slope += d * v[i][2] - (lowest ? 0.0 : v[i][1] * v[i][1]);
        }
        const double least = lowest ? 0.0 : -0.1 * speed * speed;
        const double step = lowest && slope >= 0.0 ? copysign(width, g) : -g / fmin(slope, least);
        const double to = fmin(fmax(s + fmin(fmax(step, -4.0 * width), 4.0 * width), at->from), at->to);
        if (fabs(to - s) * speed <= 1e-11 * c->reach) {
            break;
        }
        s = to;
    }
    const double before = isfinite(at->from) ? (F->s - at->from) * speed : INFINITY;
    const double after = isfinite(at->to) ? (at->to - F->s) * speed : INFINITY;
    F->inside = fmin(fmin(before, after), c->reach);
}

/* At an end of the piece: so far along the tangent is the place beyond it. */
static void beyond(mb_curve_foot *F, const mb_curve_node *at, double along)
{
    if ((F->s >= at->to && along > 0.0) || (F->s <= at->from && along < 0.0)) {
        F->inside = -fabs(along);
    }
}

void mb_curve_nearest(mb_curve_foot *F, const mb_curve *c, int part, const double y[2])
{
    find_place(F, c, part, y, 0);
    const double d[2] = {y[0] - F->x[0], y[1] - F->x[1]}, t = dot2(d, F->T), w = dot2(d, F->n);
    const double a = 1.0 + F->kappa * w, b = F->kappa * t, r = hypot(a, b);
    beyond(F, &c->node[part], t);
    // on the circle of curvature, which is the curve but for what the search left
    F->gap = (2.0 * w + F->kappa * (w * w + t * t)) / (r + 1.0);
    const double T[2] = {F->T[0], F->T[1]}, n[2] = {F->n[0], F->n[1]};
    for (int i = 0; i < 2; ++i) {
        F->n[i] = (a * n[i] + b * T[i]) / r;
        F->T[i] = (a * T[i] - b * n[i]) / r;
        F->x[i] = y[i] - F->gap * F->n[i];
    }
}

void mb_curve_lowest(mb_curve_foot *F, const mb_curve *c, int part, const double k[2])
{
    find_place(F, c, part, k, 1);
    const double size = hypot(k[0], k[1]), m[2] = {-k[0] / size, -k[1] / size}, turn = dot2(m, F->T);
    beyond(F, &c->node[part], fabs(F->kappa) > 0.0 ? turn / F->kappa : 0.0);
    for (int i = 0; i < 2 && fabs(F->kappa) > 0.0; ++i) {
        F->x[i] += (m[i] - F->n[i]) / F->kappa;
        F->n[i] = m[i];
    }
    F->T[0] = -F->n[1];
    F->T[1] = F->n[0];
    F->gap = dot2(k, F->x);
}
