/* Equilibrium at the end of a step against weighted residuals, and rules for changing step sizes ([AB07], sec. 2.1 and 2.3). The
 * library has the first, the others are written down here. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "support/check.h"

/* ---- an elastic pendulum in polar and in Cartesian coordinates --------------------------------- */

static void terms(double M[2], double g[2], const double q[2], const double v[2], int cartesian)
{
    M[0] = 1.0;
    if (cartesian) {
        const double r = hypot(q[0], q[1]), pull = 100.0 * (r - 1.0) / r;
        M[1] = 1.0;
        g[0] = pull * q[0];
        g[1] = pull * q[1] + 9.81;
        return;
    }
    M[1] = q[0] * q[0];
    g[0] = -q[0] * v[1] * v[1] - 9.81 * cos(q[1]) + 100.0 * (q[0] - 1.0);
    g[1] = 2.0 * q[0] * v[0] * v[1] + 9.81 * q[0] * sin(q[1]);
}

static void begin(double q[2], double v[2], int cartesian)
{
    const double s = sin(0.8), c = cos(0.8);
    q[0] = cartesian ? 1.2 * s : 1.2;
    q[1] = cartesian ? -1.2 * c : 0.8;
    v[0] = cartesian ? 0.3 * s + 1.2 * c : 0.3;
    v[1] = cartesian ? -0.3 * c + 1.2 * s : 1.0;
}

static void accelerations(double vd[2], const double q[2], const double v[2], int cartesian)
{
    double M[2], g[2];
    terms(M, g, q, v, cartesian);
    vd[0] = -g[0] / M[0];
    vd[1] = -g[1] / M[1];
}

/* ---- one step ---------------------------------------------------------------------------------- */

typedef struct state {
    double q[2], v[2], a[2], vd[2];
} state;

typedef struct scheme {
    const char *form; /* exact, W1, W2, mid */
    int cartesian;
    double am, af, beta, gamma;
} scheme;

static scheme scheme_of(const char *form, int cartesian, double rho)
{
    scheme k = {.form = form, .cartesian = cartesian};
    k.am = (2.0 * rho - 1.0) / (rho + 1.0);
    k.af = rho / (rho + 1.0);
    k.gamma = 0.5 + k.af - k.am;
    k.beta = 0.25 * (k.gamma + 0.5) * (k.gamma + 0.5);
    return k;
}

static void end_of_step(state *to, const state *s, const scheme *k, double h, const double a1[2])
{
    for (int i = 0; i < 2; ++i) {
        to->a[i] = a1[i];
        to->q[i] = s->q[i] + h * s->v[i] + h * h * ((0.5 - k->beta) * s->a[i] + k->beta * a1[i]);
        to->v[i] = s->v[i] + h * ((1.0 - k->gamma) * s->a[i] + k->gamma * a1[i]);
    }
    accelerations(to->vd, to->q, to->v, k->cartesian);
}

/* Component i of the equation for a1 decides about a1[i]: fixed point a1 := what it says. */
static void next_iterate(double a1[2], const state *s, const state *to, const scheme *k)
{
    double M0[2], g0[2], M1[2], g1[2], q[2], v[2];
    terms(M0, g0, s->q, s->v, k->cartesian);
    terms(M1, g1, to->q, to->v, k->cartesian);
    for (int i = 0; i < 2; ++i) {
        q[i] = (1.0 - k->af) * to->q[i] + k->af * s->q[i];
        v[i] = (1.0 - k->af) * to->v[i] + k->af * s->v[i];
    }
    const int middle = strcmp(k->form, "mid") == 0, one = strcmp(k->form, "W1") == 0, two = strcmp(k->form, "W2") == 0;
    double Mm[2], gm[2];
    terms(Mm, gm, q, v, k->cartesian);
    for (int i = 0; i < 2; ++i) {
        const double g = middle ? gm[i] : (1.0 - k->af) * g1[i] + k->af * g0[i];
        const double M = middle ? Mm[i] : (1.0 - k->af) * M1[i] + k->af * M0[i];
        const double mean = one             ? -(g + k->am * M0[i] * s->a[i]) / M1[i]
                            : middle || two ? -g / M - k->am * s->a[i]
                                            : (1.0 - k->af) * to->vd[i] + k->af * s->vd[i] - k->am * s->a[i];
        a1[i] = mean / (1.0 - k->am);
    }
}

static void step(state *s, const scheme *k, double h)
{
    double a1[2] = {s->vd[0], s->vd[1]};
    state to = *s;
    for (int it = 0; it < 60; ++it) {
        end_of_step(&to, s, k, h, a1);
        next_iterate(a1, s, &to, k);
    }
    end_of_step(&to, s, k, h, a1);
    *s = to;
}

static dal_status dense_M(double *M, double t, const double *q, void *user)
{
    double g[2], m[2];
    const double still[2] = {0.0, 0.0};
    (void)t;
    terms(m, g, q, still, *(const int *)user);
    M[0] = m[0], M[3] = m[1];
    M[1] = M[2] = 0.0;
    return DAL_OK;
}

static dal_status dense_g(double *g, double t, const double *q, const double *v, const double *la, void *user)
{
    double m[2];
    (void)t, (void)la;
    terms(m, g, q, v, *(const int *)user);
    return DAL_OK;
}

static void by_library(double q[2], double v[2], dal_ctx *ctx, int cartesian, double h, const char *starting)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, 2};
    dal_group *G;
    dal_system *sys;
    dal_sim *sim;
    check_ok(ctx, dal_group_create(&G, ctx, &spec, 1));
    const dal_dense dense = {.group = G, .M = dense_M, .g = dense_g, .user = &cartesian};
    check_ok(ctx, dal_dense_create(&sys, ctx, &dense));
    char options[128];
    snprintf(options, sizeof options, "integrator=genalpha rho_inf=0.8 atol=1e-14 rtol=1e-14 starting=%s h=%g",
             starting, h);
    const dal_options opt = run_options(ctx, options);
    begin(q, v, cartesian);
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, q, v));
    check_ok(ctx, dal_sim_run(sim, NULL, 1.0));
    memcpy(q, dal_sim_state(sim).q, 2 * sizeof *q);
    memcpy(v, dal_sim_state(sim).v, 2 * sizeof *v);
    dal_sim_destroy(sim);
    dal_dense_destroy(sys);
    dal_group_destroy(G);
}

void figure_weighted(dal_ctx *ctx, const json_t *entry)
{
    state s = {0};
    const char *form = figure_text(entry, "form");
    const int cartesian = json_is_true(json_object_get(entry, "cartesian"));
    const double h = figure_number(entry, "h");
    begin(s.q, s.v, cartesian);
    if (strncmp(form, "exact", 5) == 0) {
        by_library(s.q, s.v, ctx, cartesian, h, form[5] ? "acceleration" : "naive");
    } else {
        const scheme c = scheme_of(form, cartesian, figure_number(entry, "rho"));
        accelerations(s.vd, s.q, s.v, cartesian);
        memcpy(s.a, s.vd, sizeof s.a);
        for (int n = 0; n < (int)lround(1.0 / h); ++n) {
            step(&s, &c, h);
        }
    }
    for (int i = 0; i < 2; ++i) {
        figure_compare(entry, "q", s.q[i], figure_item(entry, "q", i), figure_tolerance(entry, "q"));
        figure_compare(entry, "v", s.v[i], figure_item(entry, "v", i), figure_tolerance(entry, "v"));
    }
}

/* ---- changing steps ---------------------------------------------------------------------------- */

/* Steps of a wave, or at random between 1/2 and 2. */
static double weight_of(int i, int random)
{
    static unsigned seed;
    seed = i == 0 ? 7U : seed * 1664525U + 1013904223U;
    return random ? exp2(2.0 * (double)(seed >> 8) / 16777216.0 - 1.0)
                  : 1.0 + 0.8 * sin(2.0 * 3.14159265358979323846 * i / 20.0);
}

static void errors_with(double *q, double *v, const char *rule, double rho, int n, int random, const state *goal)
{
    scheme k = scheme_of("exact", 1, rho);
    const double gamma = k.gamma, D = k.am - k.af;
    double sum = 0.0, Delta = 0.0, last = 0.0, before[2] = {0.0, 0.0};
    state s = {0};
    begin(s.q, s.v, 1);
    accelerations(s.vd, s.q, s.v, 1);
    memcpy(s.a, s.vd, sizeof s.a);
    for (int i = 0; i < n; ++i) {
        sum += weight_of(i, random);
    }
    for (int i = 0; i < n; ++i) {
        const double h = weight_of(i, random) / sum, next = (D * h - k.am * Delta) / (1.0 - k.am);
        for (int j = 0; j < 2 && i > 0 && h != last; ++j) {
            s.a[j] = strcmp(rule, "scale") == 0  ? s.vd[j] + h / last * (s.a[j] - s.vd[j])
                     : strcmp(rule, "diff") == 0 ? s.vd[j] + D * h * (s.vd[j] - before[j]) / last
                                                 : s.a[j];
        }
        k.gamma = strcmp(rule, "gamma") == 0 ? (0.5 * h - Delta) / (h + next - Delta) : gamma;
        memcpy(before, s.vd, sizeof before);
        step(&s, &k, h);
        Delta = next;
        last = h;
    }
    *q = hypot(s.q[0] - goal->q[0], s.q[1] - goal->q[1]);
    *v = hypot(s.v[0] - goal->v[0], s.v[1] - goal->v[1]);
}

static state exact_end(dal_ctx *ctx)
{
    // extrapolated: rho = 0.8 has an error of h^2 and h^4 with a_0 of (IN.1)
    state a = {0}, b = {0}, e = {0};
    by_library(a.q, a.v, ctx, 1, 1e-4, "acceleration");
    by_library(b.q, b.v, ctx, 1, 5e-5, "acceleration");
    for (int i = 0; i < 2; ++i) {
        e.q[i] = (4.0 * b.q[i] - a.q[i]) / 3.0;
        e.v[i] = (4.0 * b.v[i] - a.v[i]) / 3.0;
    }
    return e;
}

/* Order 2 in random steps where gamma or a follow the step, less where neither does: the figure and that of other random steps. */
static void compare_orders(const json_t *entry, const state *goal)
{
    double q[2], v;
    const char *rule = figure_text(entry, "rule");
    const int none = strcmp(rule, "none") == 0;
    const double rho = figure_number(entry, "rho");
    for (int k = 0; k < 2; ++k) {
        errors_with(&q[k], &v, rule, rho, k == 0 ? 500 : 4000, 1, goal);
    }
    const double order = log(q[0] / q[1]) / log(8.0);
    figure_true(entry, "order 2", fabs(order - 2.0) < figure_tolerance(entry, "order") || (none && order < 1.7));
    // of the figure: n steps from the size it would have with order 2
    const double size = figure_number(json_object_get(entry, "errors"), "q"), n = figure_number(entry, "n");
    errors_with(&q[0], &v, rule, rho, (int)n, 1, goal);
    figure_compare(entry, "q of other random steps", log2(q[0]), log2(size), 1.0);
}

static void changing_elastic(dal_ctx *ctx, const json_t *entry)
{
    static state goal;
    static int known;
    double q, v;
    goal = known ? goal : exact_end(ctx);
    known = 1;
    if (figure_is(entry, "steps", "random")) {
        compare_orders(entry, &goal);
        return;
    }
    const json_t *errors = json_object_get(entry, "errors");
    const double part = figure_tolerance(entry, "errors"), qe = figure_number(errors, "q"),
                 ve = figure_number(errors, "v");
    errors_with(&q, &v, figure_text(entry, "rule"), figure_number(entry, "rho"), (int)figure_number(entry, "n"), 0,
                &goal);
    figure_compare(entry, "q", q, qe, part * qe);
    figure_compare(entry, "v", v, ve, part * ve);
}

/* A force of 1 that ends in the middle of a step of 0.01, six steps that double, twelve of the last size. */
static void changing_jump(const json_t *entry)
{
    enum { BEFORE = 4, DOUBLED = 6, AFTER = 12 };
    const scheme k = scheme_of("exact", 1, figure_number(entry, "rho"));
    double a = 1.0, vd = 1.0, v = 0.0, h = 0.01;
    for (int i = 0; i < BEFORE + DOUBLED + AFTER; ++i) {
        const int doubled = i >= BEFORE && i < BEFORE + DOUBLED;
        h *= doubled ? 2.0 : 1.0;
        a = doubled && figure_is(entry, "rule", "scale") ? vd + 2.0 * (a - vd) : a;
        const double vd1 = i < BEFORE - 1 ? 1.0 : 0.0;
        const double a1 = ((1.0 - k.af) * vd1 + k.af * vd - k.am * a) / (1.0 - k.am);
        v += h * ((1.0 - k.gamma) * a + k.gamma * a1);
        a = a1;
        vd = vd1;
    }
    const double should = figure_number(entry, "v_error");
    figure_expect(entry, "v_error", v - 0.01 * (BEFORE - 0.5), figure_tolerance(entry, "errors") * fabs(should));
}

/* ---- a pendulum at index 3 --------------------------------------------------------------------- */

typedef struct swing {
    double q[2], v[2], vd[2], a[2], la;
} swing;

/* v' and lambda of a point of mass 1 at the end of a rod of length 1, lambda its force. */
static double swing_acceleration(double vd[2], const double q[2], const double v[2])
{
    const double la = (v[0] * v[0] + v[1] * v[1] - 9.81 * q[1]) / (q[0] * q[0] + q[1] * q[1]);
    vd[0] = -la * q[0];
    vd[1] = -9.81 - la * q[1];
    return la;
}

/* v'' along q: by differences of v' */
static void swing_jerk(double j[2], const double q[2], const double v[2])
{
    const double e = 1e-5;
    double vd[2], x[2], y[2], side[2][2];
    swing_acceleration(vd, q, v);
    for (int s = 0; s < 2; ++s) {
        const double d = s == 0 ? -e : e;
        for (int i = 0; i < 2; ++i) {
            x[i] = q[i] + d * v[i];
            y[i] = v[i] + d * vd[i];
        }
        swing_acceleration(side[s], x, y);
    }
    for (int i = 0; i < 2; ++i) {
        j[i] = (side[1][i] - side[0][i]) / (2.0 * e);
    }
}

/* q.v grows by that. */
static void swing_push(swing *s, double add)
{
    const double square = s->q[0] * s->q[0] + s->q[1] * s->q[1];
    for (int i = 0; i < 2; ++i) {
        s->v[i] += s->q[i] * add / square;
    }
}

static void swing_step(swing *s, const scheme *k, double h)
{
    const double kb = h * h * k->beta, part = (1.0 - k->am) / (1.0 - k->af);
    double a1[2] = {s->a[0], s->a[1]}, la = s->la, q1[2], vd1[2];
    for (int it = 0; it < 12; ++it) {
        double r[2];
        for (int i = 0; i < 2; ++i) {
            q1[i] = s->q[i] + h * s->v[i] + h * h * (0.5 - k->beta) * s->a[i] + kb * a1[i];
            vd1[i] = part * a1[i] + (k->am * s->a[i] - k->af * s->vd[i]) / (1.0 - k->af);
            r[i] = vd1[i] + (i == 1 ? 9.81 : 0.0) + la * q1[i];
        }
        // (part + kb la) da + q dla = -r, kb q.da = -Phi
        const double Phi = 0.5 * (q1[0] * q1[0] + q1[1] * q1[1] - 1.0), d = part + kb * la;
        const double dla = (Phi * d / kb - q1[0] * r[0] - q1[1] * r[1]) / (q1[0] * q1[0] + q1[1] * q1[1]);
        for (int i = 0; i < 2; ++i) {
            a1[i] -= (r[i] + q1[i] * dla) / d;
        }
        la += dla;
    }
    for (int i = 0; i < 2; ++i) {
        s->q[i] += h * s->v[i] + h * h * (0.5 - k->beta) * s->a[i] + kb * a1[i];
        s->v[i] += h * ((1.0 - k->gamma) * s->a[i] + k->gamma * a1[i]);
        s->vd[i] = part * a1[i] + (k->am * s->a[i] - k->af * s->vd[i]) / (1.0 - k->af);
        s->a[i] = a1[i];
    }
    s->la = la;
}

/* From t to t + h by the classical method of order 4, in 16 parts: the exact motion. */
static void swing_exact(double q[2], double v[2], double h)
{
    enum { PARTS = 16 };
    static const double c[4] = {0.0, 0.5, 0.5, 1.0}, b[4] = {1.0, 2.0, 2.0, 1.0};
    for (int n = 0; n < PARTS; ++n) {
        const double d = h / PARTS;
        double kq[2] = {0.0, 0.0}, kv[2] = {0.0, 0.0}, sq[2] = {0.0, 0.0}, sv[2] = {0.0, 0.0};
        for (int s = 0; s < 4; ++s) {
            double x[2], y[2];
            for (int i = 0; i < 2; ++i) {
                x[i] = q[i] + c[s] * d * kq[i];
                y[i] = v[i] + c[s] * d * kv[i];
            }
            swing_acceleration(kv, x, y);
            for (int i = 0; i < 2; ++i) {
                kq[i] = y[i];
                sq[i] += b[s] * kq[i];
                sv[i] += b[s] * kv[i];
            }
        }
        for (int i = 0; i < 2; ++i) {
            q[i] += d / 6.0 * sq[i];
            v[i] += d / 6.0 * sv[i];
        }
    }
}

typedef struct rule {
    const json_t *entry;
    scheme k;
    double gamma, Delta, next, square; /* C_q h^2 of the last step */
    double last, before[2], now[2];    /* h, and v' of the last two states as the rule takes them */
} rule;

/* C_q (IN.2) of a step whose a_0 is v' at another time, with gamma of that step. */
static double constant_of(rule *u, double h)
{
    const scheme *k = &u->k;
    const double D = k->am - k->af;
    if (!figure_is(u->entry, "rule", "gamma")) {
        return 1.0 / 6.0 - k->beta - 0.5 * D;
    }
    u->next = (D * h - k->am * u->Delta) / (1.0 - k->am);
    u->k.gamma = (0.5 * h - u->Delta) / (h + u->next - u->Delta);
    return 1.0 / 6.0 - (0.5 - k->beta) * u->Delta / h - k->beta * (1.0 + u->next / h);
}

/* Before a step of size h. */
static void change(swing *s, rule *u, double h, int first)
{
    const int consistent = figure_is(u->entry, "rule", "diffc"),
              diff = consistent || figure_is(u->entry, "rule", "diff");
    const double square = constant_of(u, h) * h * h, D = u->k.am - u->k.af;
    for (int i = 0; i < 2 && diff && !first && h != u->last; ++i) {
        s->a[i] = u->now[i] + D * h * (u->now[i] - u->before[i]) / u->last;
    }
    if (!first && json_is_true(json_object_get(u->entry, "velocity_part")) && square != u->square) {
        swing_push(s, (square / u->square - 1.0) * (s->q[0] * s->v[0] + s->q[1] * s->v[1]));
    }
    u->square = square;
}

static double swing_weight(const json_t *entry, int i)
{
    return figure_is(entry, "steps", "sine") ? 1.0 + 0.6 * sin(2.0 * 3.14159265358979323846 * i / 25.0)
                                             : exp2((i / 4) % 4);
}

static void changing_pendulum(const json_t *entry)
{
    const json_t *errors = json_object_get(entry, "errors");
    const int n = (int)figure_number(entry, "n"), consistent = figure_is(entry, "rule", "diffc");
    rule u = {.entry = entry, .k = scheme_of("exact", 1, figure_number(entry, "rho"))};
    swing s = {.q = {0.6, -0.8}, .v = {0.8, 0.6}};
    double q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6}, j[2], vd[2], sum = 0.0, most[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        sum += swing_weight(entry, i);
    }
    const double h0 = swing_weight(entry, 0) / sum, D = u.k.am - u.k.af;
    s.la = swing_acceleration(s.vd, s.q, s.v);
    swing_jerk(j, s.q, s.v);
    memcpy(u.now, s.vd, sizeof u.now);
    for (int i = 0; i < 2; ++i) {
        s.a[i] = s.vd[i] + D * h0 * j[i];
    }
    u.Delta = D * h0;
    swing_push(&s, (1.0 / 6.0 - u.k.beta - 0.5 * D) * h0 * h0 * (s.q[0] * j[0] + s.q[1] * j[1]));
    for (int i = 0; i < n; ++i) {
        const double h = swing_weight(entry, i) / sum;
        change(&s, &u, h, i == 0);
        swing_step(&s, &u.k, h);
        swing_exact(q, v, h);
        memcpy(u.before, u.now, sizeof u.now);
        swing_acceleration(vd, s.q, s.v);
        memcpy(u.now, consistent ? vd : s.vd, sizeof u.now);
        u.Delta = u.next;
        u.last = h;
        most[0] = fmax(most[0], hypot(s.q[0] - q[0], s.q[1] - q[1]));
        most[1] = fmax(most[1], hypot(s.v[0] - v[0], s.v[1] - v[1]));
        most[2] = fmax(most[2], fabs(s.la - swing_acceleration(vd, q, v)));
    }
    static const char *const name[] = {"q", "v", "la"};
    for (int i = 0; i < 3; ++i) {
        const double should = figure_number(errors, name[i]);
        figure_compare(entry, name[i], most[i], should, figure_tolerance(entry, "errors") * should);
    }
}

void figure_changing(dal_ctx *ctx, const json_t *entry)
{
    if (figure_is(entry, "form", "jump")) {
        changing_jump(entry);
    } else if (figure_is(entry, "form", "pendulum")) {
        changing_pendulum(entry);
    } else {
        changing_elastic(ctx, entry);
    }
}
