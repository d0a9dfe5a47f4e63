/* What is measured on runs. A quantity of a state, "of:", is taken from every step or from the end and compared with that of
 * the exact motion. "component:3" or "component:1-7" takes some of its numbers, "body:" counts from 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/measures.h"

enum { NUMBERS = 64 };

/* ---- quantities of a state -------------------------------------------------------------------- */

typedef struct quantity {
    const char *of;
    int body, minus;
    int first, count; /* of its numbers; count 0: all */
    double at;        /* place on the x axis of a body */
} quantity;

static quantity quantity_of(const words *w)
{
    const char *component = words_text(w, "component:"), *dash = strchr(component, '-');
    const int first = (int)words_number(w, "component:", 1.0);
    return (quantity){.of = words_text(w, "of:"),
                      .body = (int)words_number(w, "body:", 1.0) - 1,
                      .minus = (int)words_number(w, "minus:", 0.0) - 1,
                      .first = first - 1,
                      .count = component[0] == '\0' ? 0
                               : dash == NULL       ? 1
                                                    : atoi(dash + 1) - first + 1,
                      .at = words_number(w, "at:", 0.0)};
}

static int is(const quantity *y, const char *of)
{
    return strcmp(y->of, of) == 0;
}

/* The point (x, 0, 0) of the body at a pose. */
static void axis_point(double p[3], const double pose[7], double x)
{
    const double *e = pose + 3;
    const double axis[3] = {e[0] * e[0] + e[1] * e[1] - e[2] * e[2] - e[3] * e[3], 2.0 * (e[1] * e[2] + e[0] * e[3]),
                            2.0 * (e[1] * e[3] - e[0] * e[2])};
    for (int i = 0; i < 3; ++i) {
        p[i] = pose[i] + x * axis[i];
    }
}

/* (x', Omega) of the point (x, 0, 0) of a body, Omega in its own axes, in any coordinates: by how it moves in 1e-7 s */
static void body_velocity(double u[6], const track *r, int k, const quantity *y)
{
    const double e = 1e-7;
    double pose[2][7], p[2][3];
    for (int j = 0; j < 2; ++j) {
        at_pose(pose[j], r, k, y->body, j == 0 ? -e : e);
        axis_point(p[j], pose[j], y->at);
    }
    dal_factor_type_of(DAL_FACTOR_SO3)->difference(u + 3, pose[0] + 3, pose[1] + 3, 3);
    for (int i = 0; i < 3; ++i) {
        u[i] = (p[1][i] - p[0][i]) / (2.0 * e);
        u[3 + i] /= 2.0 * e;
    }
}

/* Heavy top in R^3 x SO(3): first component of B v = x' - R (Omega x e2) */
static double top_residual(const double *q, const double *v)
{
    const double *p = q + 3;
    return v[0] + (p[0] * p[0] + p[1] * p[1] - p[2] * p[2] - p[3] * p[3]) * v[5] -
           2.0 * (p[1] * p[3] + p[0] * p[2]) * v[3];
}

/* All numbers of a quantity at column k; returns how many. */
static int all_numbers(double x[NUMBERS], const quantity *y, const track *r, int k)
{
    const subject *s = r->s;
    const struct {
        const char *of;
        const double *x;
        int n;
    } columns[] = {{"q", at_q(r, k), s->nq},
                   {"v", at_v(r, k), s->nv},
                   {"vd", at_vd(r, k), s->nv},
                   {"la", at_la(r, k), s->nc},
                   {"eta", at_eta(r, k), s->nh}};
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
        if (is(y, columns[i].of)) {
            memcpy(x, columns[i].x, (size_t)columns[i].n * sizeof *x);
            return columns[i].n;
        }
    }
    double pose[7];
    if (is(y, "angle")) {
        x[0] = at_q(r, k)[3 * y->body + 2] - (y->minus >= 0 ? at_q(r, k)[3 * y->minus + 2] : 0.0);
        return 1;
    }
    if (is(y, "residual")) {
        x[0] = top_residual(at_q(r, k), at_v(r, k));
        return 1;
    }
    if (is(y, "velocity")) {
        body_velocity(x, r, k, y);
        return 6;
    }
    at_pose(pose, r, k, y->body, 0.0);
    if (is(y, "turn_x")) {
        x[0] = 2.0 * atan2(pose[4], pose[3]);
        return 1;
    }
    if (is(y, "point")) {
        axis_point(x, pose, y->at);
        return 3;
    }
    memcpy(x, pose, sizeof pose);
    return 7;
}

/* Those that are asked for. */
static int numbers(double x[NUMBERS], const quantity *y, const track *r, int k)
{
    const int n = all_numbers(x, y, r, k);
    if (y->count > 0) {
        memmove(x, x + y->first, (size_t)y->count * sizeof *x);
        return y->count;
    }
    return n;
}

/* ---- distances -------------------------------------------------------------------------------- */

/* Of positions (with all coordinates of flat factors), "x", of rotations, "r", or of both, "q", on the group. */
static double group_distance(const quantity *y, const track *a, int i, const track *b, int j)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    const dal_group *G = a->s->sys->group;
    const double *qa = at_q(a, i), *qb = at_q(b, j);
    double xx = 0.0, rr = 0.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int kind = (int)F->type->kind,
                  turns = kind == DAL_FACTOR_SO3 || kind == DAL_FACTOR_R3SO3 || kind == DAL_FACTOR_SE3;
        const int nx = turns ? F->nq - 4 : F->nq;
        xx += pow(distance(qa + F->q, qb + F->q, nx), 2);
        rr += turns ? pow(so3->distance(qa + F->q + nx, qb + F->q + nx, 3), 2) : 0.0;
    }
    return is(y, "x") ? sqrt(xx) : is(y, "r") ? sqrt(rr) : sqrt(xx + rr);
}

/* Of two states; b NULL: the size of the quantity. p and -p are the same rotation. */
static double apart(const quantity *y, const track *a, int i, const track *b, int j)
{
    double x[NUMBERS], z[NUMBERS] = {0.0}, other[NUMBERS];
    if (b != NULL && y->count == 0 && (is(y, "q") || is(y, "x") || is(y, "r"))) {
        return group_distance(y, a, i, b, j);
    }
    const int n = numbers(x, y, a, i), m = b != NULL ? numbers(z, y, b, j) : n;
    if (is(y, "turn")) {
        return dal_factor_type_of(DAL_FACTOR_SO3)->distance(x + 3, z + 3, 3);
    }
    if (is(y, "pose") && y->count == 0) {
        for (int k = 0; k < 7; ++k) {
            other[k] = k < 3 ? x[k] : -x[k];
        }
        return fmin(distance(x, z, 7), distance(other, z, 7));
    }
    return distance(x, z, m < n ? m : n);
}

/* ---- errors ----------------------------------------------------------------------------------- */

/* The largest over the steps from "from:" to "to:" and where it is attained. scale: local (own size), exact (largest of the
 * exact values), range (of the exact values) */
typedef struct largest {
    double value;
    int step;
} largest;

static largest largest_error(const words *w, const track *r, const track *exact)
{
    const quantity y = quantity_of(w);
    const double from = words_number(w, "from:", -1.0), to = words_number(w, "to:", INFINITY);
    const int local = words_is(w, "scale:", "local"), range = words_is(w, "scale:", "range");
    double size = 0.0, low = INFINITY, high = -INFINITY, x[NUMBERS];
    largest most = {0.0, 0};
    for (int k = r->n > 1; k < r->n; ++k) {
        const double t = time_of(r, k), e = apart(&y, r, k, exact, k) / (local ? apart(&y, r, k, NULL, 0) : 1.0);
        // the comparison keeps NaN
        if (t >= from * (1.0 - 1e-12) && t <= to * (1.0 + 1e-12) && !(e <= most.value)) {
            most = (largest){e, k};
        }
        if (exact != NULL && !local && words_text(w, "scale:")[0] != '\0') {
            (void)numbers(x, &y, exact, k);
            low = fmin(low, x[0]), high = fmax(high, x[0]);
            size = larger(size, apart(&y, exact, k, NULL, 0));
        }
    }
    most.value /= words_is(w, "scale:", "exact") ? size : range ? high - low : 1.0;
    return most;
}

/* time: max (if nothing is said), step (where that is), end, lost (1 if the run fails or errs by more than 1) */
double measure_error(lab *L, const words *w)
{
    const track *r = words_is(w, "time:", "end") ? lab_end(L, w) : lab_run(L, w);
    const char *reference = words_text(w, "reference:");
    if (reference[0] != '\0') {
        double x[NUMBERS];
        const quantity y = quantity_of(w);
        (void)numbers(x, &y, r, 0);
        return fabs(x[0] - strtod(reference, NULL));
    }
    const track *exact = lab_reference(L, w, r);
    const largest most = exact->status == DAL_OK ? largest_error(w, r, exact) : (largest){NAN, 0};
    if (words_is(w, "time:", "lost")) {
        dal_ctx_clear(L->ctx);
        return most.value <= 1.0 ? 0.0 : 1.0;
    }
    return good(r, words_is(w, "time:", "step") ? most.step : most.value);
}

/* The largest size of a quantity. */
double measure_size(lab *L, const words *w)
{
    const track *r = lab_run(L, w);
    return good(r, largest_error(w, r, NULL).value);
}

/* The mechanism at the end of the run: x and y of bodies one after the other. */
static int outline(lab *L, const words *w, double *x, double *y, int room)
{
    const track *r = lab_end(L, w);
    int n = 0;
    for (const char *at = words_text(w, "through:"); *at != '\0' && n < room; ++n) {
        char *end;
        double pose[7];
        at_pose(pose, r, 0, (int)strtol(at, &end, 10) - 1, 0.0);
        x[n] = pose[0], y[n] = pose[1];
        at = end + (*end == ',');
    }
    return n;
}

int measure_curve(lab *L, const words *w, double *t, double *y, int room)
{
    if (words_text(w, "through:")[0] != '\0') {
        return outline(L, w, t, y, room);
    }
    const quantity of = quantity_of(w);
    const track *r = lab_run(L, w);
    const int error = words_is(w, "show:", "error");
    const track *exact = error || words_is(w, "show:", "exact") ? lab_reference(L, w, r) : r;
    const double two_pi = 2.0 * acos(-1.0);
    quantity across = of;
    across.first = (int)words_number(w, "across:", 0.0) - 1;
    int n = 0;
    for (int k = is(&of, "eta"); k < r->n && n < room; k += 1 + r->n / room) {
        double x[NUMBERS], z[NUMBERS];
        if (time_of(r, k) >= words_number(w, "from:", 0.0)) {
            (void)numbers(x, &across, exact, k);
            t[n] = across.first >= 0 ? x[0] : time_of(r, k);
            (void)numbers(x, &of, exact, k);
            (void)numbers(z, &of, r, k);
            y[n] = is(&of, "eta") ? apart(&of, r, k, NULL, 0) : error ? z[0] - x[0] : x[0];
            if (is(&of, "turn_x") && n > 0) { // whole turns are counted
                y[n] += two_pi * round((y[n - 1] - y[n]) / two_pi);
            }
            n++;
        }
    }
    return n;
}

/* ---- effort ----------------------------------------------------------------------------------- */

/* of: iterations (per step), jacobians, failed (0 or 1), condition (of the last iteration matrix), drift (largest |Phi|) */
double measure_effort(lab *L, const words *w)
{
    const track *r = lab_end(L, w);
    if (words_is(w, "of:", "failed")) {
        dal_ctx_clear(L->ctx);
        return r->s->sys != NULL ? r->status != DAL_OK : NAN;
    }
    return good(r, words_is(w, "of:", "iterations")  ? (double)r->stats.newton_iterations / (double)r->stats.steps
                   : words_is(w, "of:", "jacobians") ? (double)r->stats.jacobians
                   : words_is(w, "of:", "drift")     ? r->drift
                                                     : r->condition);
}

/* ---- other features of runs ------------------------------------------------------------------- */

/* How much a quantity zigzags from step to step: largest |e_{n-1} - 2 e_n + e_{n+1}|/4 of its error from "from:" on, relative to the
 * largest exact value, or with scale:own to the largest error. */
double measure_zigzag(lab *L, const words *w)
{
    const quantity y = quantity_of(w);
    const track *r = lab_run(L, w), *exact = lab_reference(L, w, r);
    const double h = words_number(w, "h=", NAN);
    const int first = (int)lround(words_number(w, "from:", 0.0) / h), own = words_is(w, "scale:", "own");
    double worst = 0.0, size = 0.0, e[3][NUMBERS], x[NUMBERS];
    for (int k = first; k < r->n; ++k) {
        const int n = numbers(e[k % 3], &y, r, k);
        (void)numbers(x, &y, exact, k);
        for (int i = 0; i < n; ++i) {
            e[k % 3][i] -= x[i];
            if (k >= first + 2) {
                worst = larger(worst, 0.25 * fabs(e[k % 3][i] - 2.0 * e[(k - 1) % 3][i] + e[(k - 2) % 3][i]));
            }
            size = larger(size, k > 0 && k + 1 < r->n ? fabs(own ? e[k % 3][i] : x[i]) : 0.0);
        }
    }
    return good(r, worst / size);
}

/* Largest distance of the multipliers of two runs in the ten steps before step k, in runs that may fail later */
static double recently_apart(const track *a, const track *b, int k)
{
    double worst = 0.0;
    for (int i = k - 10; i < k && i < a->n && i < b->n; ++i) {
        worst = fmax(worst, distance(reached_la(a, i), reached_la(b, i), a->s->nc));
    }
    return worst;
}

/* The multipliers of the run and of one with the words "other:a,b" besides. of: peak, their largest distance from step
 * "first:" on; steps after it until they stay closer than 1 % of that; growth of the distance per step between steps 40 and
 * 100; bound, C of distance <= C n^2 rho^n h in the 100 steps after "from:", rho 0.9 */
double measure_between(lab *L, const words *w)
{
    words changed = *w;
    char other[WORD_SIZE];
    (void)snprintf(other, sizeof other, "%s", words_text(w, "other:"));
    for (char *comma = strchr(other, ','); comma != NULL; comma = strchr(comma, ',')) {
        *comma = ' ';
    }
    if (!words_add(&changed, other)) {
        return NAN;
    }
    const track *a = lab_run(L, w), *b = lab_run(L, &changed);
    const int first = (int)words_number(w, "first:", 0.0);
    if (words_is(w, "of:", "growth")) {
        dal_ctx_clear(L->ctx);
        return a->n > 100 && b->n > 100 ? pow(recently_apart(a, b, 100) / recently_apart(a, b, 40), 1.0 / 60.0) : NAN;
    }
    if (words_is(w, "of:", "bound")) {
        const double h = words_number(w, "h=", NAN);
        const int start = (int)lround(words_number(w, "from:", 0.0) / h);
        double C = 0.0;
        for (int n = 1; n <= 100; ++n) {
            C = larger(C, distance(at_la(a, start + n), at_la(b, start + n), a->s->nc) / (n * n * pow(0.9, n) * h));
        }
        return C;
    }
    double most = 0.0;
    int last = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = first; k < a->n && k < b->n; ++k) {
            const double d = distance(at_la(a, k), at_la(b, k), a->s->nc);
            most = pass == 0 ? larger(most, d) : most;
            last = pass == 1 && d > 0.01 * most ? k - first : last;
        }
    }
    return good(a, good(b, words_is(w, "of:", "peak") ? most : last + 1.0));
}

/* Time until a point comes back nearest to where it started, after t = 1.5. */
double measure_return(lab *L, const words *w)
{
    enum { N = 400 };
    const double at = words_number(w, "at:", 0.0);
    double t[N], pose[7], start[3], now[3], nearest = INFINITY, when = NAN;
    for (int k = 0; k < N; ++k) {
        t[k] = 0.01 * k;
    }
    const track *r = lab_sample(L, w, t, N);
    for (int k = 0; k < r->n; ++k) {
        at_pose(pose, r, k, 0, 0.0);
        axis_point(k == 0 ? start : now, pose, at);
        const double d = k >= 150 ? distance(now, start, 3) : INFINITY;
        when = d < nearest ? t[k] : when;
        nearest = fmin(nearest, d);
    }
    return good(r, when);
}

/* Steps h, h/2, h, 0.8 h from t = 0, 0.3, 0.5, 0.7 on: largest error of lambda on [0, 1]. */
double measure_changing_steps(lab *L, const words *w)
{
    const double h = words_number(w, "h=", NAN), t[4] = {0.3, 0.5, 0.7, 1.0}, step[4] = {h, 0.5 * h, h, 0.8 * h};
    const track *r = lab_steps(L, w, t, step, 4), *exact = lab_reference(L, w, r);
    const words la = words_of("of:la");
    return exact->status == DAL_OK ? largest_error(&la, r, exact).value : NAN;
}

/* B v'' at t of the exact motion of the pendulum, differences of v' over 1e-4. */
static double pendulum_jerk(lab *L, const subject *s, double t)
{
    const double e = 1e-4, instants[3] = {t, t + e, t + 2.0 * e};
    const track *r = lab_exact(L, s, instants, 3);
    const double *q = at_q(r, 0), *a = at_vd(r, 0), *b = at_vd(r, 1), *c = at_vd(r, 2);
    // one-sided of second order, to stay in t >= 0
    return (q[0] * (-3.0 * a[0] + 4.0 * b[0] - c[0]) + q[1] * (-3.0 * a[1] + 4.0 * b[1] - c[1])) / (2.0 * e);
}

/* of: formula, B v'' at t = 0 over -3 g x0 x0'/y0; residual, B v_n over C_q h^2 B v'' at the end: +1 if the residual of the
 * velocity constraint is +B l_q/h */
double measure_jerk(lab *L, const words *w)
{
    const subject *s = lab_subject(L, w);
    if (words_is(w, "of:", "formula")) {
        return s->sys != NULL ? pendulum_jerk(L, s, 0.0) / (-3.0 * 9.81 * s->q0[0] * s->v0[0] / s->q0[1]) : NAN;
    }
    dal_ga_coef k;
    const double h = words_number(w, "h=", NAN);
    const track *r = lab_end(L, w);
    const double *q = at_q(r, 0), *v = at_v(r, 0);
    return ga_coefficients(&k, L, w)
               ? (q[0] * v[0] + q[1] * v[1]) / (k.C_q * h * h * pendulum_jerk(L, s, words_number(w, "T:", NAN)))
               : NAN;
}

/* Unit inertia, constant torque W in the axes of the body: Omega = w0 + t W and v'' = 0 are reproduced exactly whatever the
 * coefficients are, so that the error of the rotation after one step is the Lie group term alone: its coefficient of h^3 hat(v)
 * v'. The exact rotation by the Magnus series for Omega = w0 + t W, to h^5. */
double measure_lie_term(lab *L, const words *w)
{
    static const double w0[6] = {0.0, 0.0, 0.0, 0.7, -0.4, 1.1}, W[6] = {0.0, 0.0, 0.0, -0.5, 0.9, 0.8};
    const double h = words_number(w, "h=", NAN);
    const track *r = lab_end(L, w);
    double theta[6], end[7], d[6], b[6], db[6];
    if (r->status != DAL_OK) {
        return NAN;
    }
    const dal_group *G = r->s->sys->group;
    dal_bracket(G, b, w0, W);
    dal_bracket(G, db, W, b);
    for (int i = 0; i < 6; ++i) {
        // mean rotation, first commutator (h^3/12) and the h^5 term of the fourth order Magnus expansion
        theta[i] = h * w0[i] + 0.5 * h * h * W[i] + h * h * h / 12.0 * b[i] + pow(h, 5) / 240.0 * db[i];
    }
    dal_retract(G, end, r->s->q0, theta);
    dal_difference(G, d, at_q(r, 0), end);
    return (b[3] * d[3] + b[4] * d[4] + b[5] * d[5]) / pow(distance(b + 3, NULL, 3), 2) / pow(h, 3);
}
