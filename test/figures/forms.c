#include "forms.h"

#include <math.h>
#include <string.h>

#include "figures.h"
#include "support/check.h"

enum { NV = 6, NQ = 7, STAGES = 3, MOST = FORM_MOST };

void figure_solve(double *x, double *A, int n)
{
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(A[i + n * k]) > fabs(A[p + n * k]) ? i : p;
        }
        const double y = x[p];
        x[p] = x[k];
        x[k] = y;
        for (int j = 0; j < n; ++j) {
            const double a = A[p + n * j];
            A[p + n * j] = A[k + n * j];
            A[k + n * j] = a;
        }
        for (int i = k + 1; i < n; ++i) {
            const double f = A[i + n * k] / A[k + n * k];
            A[i + n * k] = f; // for the next right side
            for (int j = k + 1; j < n; ++j) {
                A[i + n * j] -= f * A[k + n * j];
            }
            x[i] -= f * x[k];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int j = k + 1; j < n; ++j) {
            x[k] -= A[k + n * j] * x[j];
        }
        x[k] /= A[k + n * k];
    }
}

void form_iterate(double *z, int n, form_equations *F, void *user)
{
    double J[MOST * MOST], r[MOST], s[MOST], A[MOST * MOST], size = 0.0, last = INFINITY;
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(z[i]));
    }
    const double e = 1e-7 * (size + 1e-6);
    F(r, z, user);
    for (int j = 0; j < n; ++j) {
        const double keep = z[j];
        z[j] += e;
        F(s, z, user);
        z[j] = keep;
        for (int i = 0; i < n; ++i) {
            J[i + n * j] = (s[i] - r[i]) / e;
        }
    }
    for (int it = 0; it < 60; ++it) {
        double now = 0.0;
        F(r, z, user);
        memcpy(A, J, (size_t)(n * n) * sizeof *A);
        figure_solve(r, A, n);
        for (int i = 0; i < n; ++i) {
            z[i] -= r[i];
            now = fmax(now, fabs(r[i]));
        }
        if (now <= 1e-16 * size || (now < 1e-9 * size && now > 0.5 * last)) {
            return;
        }
        last = now;
    }
    fail_msg("the equations of a form were not solved");
}

/* ---- a top on a tip ----------------------------------------------------------------------------- */

/* R^3 x SO(3); the body is described by the point r up its axis, its centre of mass is 1 up. */
typedef struct body {
    dal_group *G;
    double J[3], r;
    double h, q[NQ], v[NV], la[3];
} body;

static const double mass = 15.0, weight = 15.0 * 9.81;

static void open_body(body *b, dal_ctx *ctx, double J3, double r, const double Omega[3])
{
    const dal_factor_spec spec = {DAL_FACTOR_R3SO3, 0};
    *b = (body){.J = {0.234375, 0.46875, J3}, .r = r};
    check_ok(ctx, dal_group_create(&b->G, ctx, &spec, 1));
    dal_identity(b->G, b->q);
    b->q[1] = r;
    memcpy(b->v + 3, Omega, 3 * sizeof *Omega);
    b->v[0] = -r * Omega[2]; // Omega x (0, r, 0)
    b->v[2] = r * Omega[0];
}

static void cross(double c[3], const double a[3], const double b[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* y = M(q) v */
static void momentum(double *y, const body *b, const double *q, const double *v)
{
    double R[9], w[3], x[3], back[3];
    const double c[3] = {0.0, 1.0 - b->r, 0.0};
    dal_quat_to_matrix(R, q + 3);
    cross(w, v + 3, c);
    for (int i = 0; i < 3; ++i) {
        y[i] = mass * (v[i] + R[i] * w[0] + R[i + 3] * w[1] + R[i + 6] * w[2]);
        back[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2] + w[i];
    }
    cross(x, c, back);
    for (int i = 0; i < 3; ++i) {
        y[3 + i] = b->J[i] * v[3 + i] + mass * x[i];
    }
}

/* x = M^-1 y for a centre of mass that is the reference */
static void divide(double *x, const body *b, const double *y)
{
    for (int i = 0; i < 3; ++i) {
        x[i] = y[i] / mass;
        x[3 + i] = y[3 + i] / b->J[i];
    }
}

/* f = g + hat(v)^T M v, and B^T lambda of R (0, r, 0) - x = 0 added to it */
static void forces(double *f, const body *b, const double *q, const double *v, const double *la)
{
    double R[9], w[3], x[3], y[3], back[3];
    const double c[3] = {0.0, 1.0 - b->r, 0.0}, X[3] = {0.0, b->r, 0.0};
    dal_quat_to_matrix(R, q + 3);
    cross(w, v + 3, c);
    cross(x, v + 3, w);
    for (int i = 0; i < 3; ++i) {
        f[i] = mass * (R[i] * x[0] + R[i + 3] * x[1] + R[i + 6] * x[2]) + (i == 2 ? weight : 0.0) - la[i];
        back[i] = R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2];
    }
    cross(w, c, back);
    cross(y, v + 3, w);
    const double up[3] = {R[2], R[5], R[8]}; // e_z in body axes
    cross(w, c, up);
    for (int i = 0; i < 3; ++i) {
        x[i] = R[3 * i] * la[0] + R[3 * i + 1] * la[1] + R[3 * i + 2] * la[2];
    }
    cross(back, X, x);
    for (int i = 0; i < 3; ++i) {
        f[3 + i] = weight * w[i] - mass * y[i] + back[i];
    }
}

static void gap(double *Phi, const body *b, const double *q)
{
    double R[9];
    dal_quat_to_matrix(R, q + 3);
    for (int i = 0; i < 3; ++i) {
        Phi[i] = b->r * R[i + 3] - q[i];
    }
}

/* B v */
static void speed(double *w, const body *b, const double *q, const double *v)
{
    double R[9], x[3];
    const double X[3] = {0.0, b->r, 0.0};
    dal_quat_to_matrix(R, q + 3);
    cross(x, v + 3, X);
    for (int i = 0; i < 3; ++i) {
        w[i] = R[i] * x[0] + R[i + 3] * x[1] + R[i + 6] * x[2] - v[i];
    }
}

static double energy(const body *b, const double *q, const double *v)
{
    double y[NV], R[9], E = 0.0;
    momentum(y, b, q, v);
    dal_quat_to_matrix(R, q + 3);
    for (int i = 0; i < NV; ++i) {
        E += 0.5 * v[i] * y[i];
    }
    return E + weight * (q[2] + (1.0 - b->r) * R[5]);
}

/* y = T^T(theta) x or T^-T(theta) x */
static void transposed(double *y, const body *b, const double *theta, const double *x, int inverse)
{
    double T[NV * NV];
    (inverse ? dal_inv_tangent : dal_tangent)(b->G, T, theta);
    for (int j = 0; j < NV; ++j) {
        y[j] = 0.0;
        for (int i = 0; i < NV; ++i) {
            y[j] += T[i + NV * j] * x[i];
        }
    }
}

/* ---- RATTLie, M at the ends --------------------------------------------------------------------- */

/* (RT.1): unknowns theta, mu */
static void first_half(double *F, const double *z, void *user)
{
    const body *b = user;
    double back[NV], y[NV], x[NV], f[NV], q1[NQ], la[3];
    for (int i = 0; i < NV; ++i) {
        back[i] = -z[i];
    }
    for (int i = 0; i < 3; ++i) {
        la[i] = z[NV + i] / (0.5 * b->h * b->h);
    }
    momentum(y, b, b->q, z);
    transposed(x, b, back, y, 1);
    momentum(y, b, b->q, b->v);
    forces(f, b, b->q, b->v, la);
    for (int i = 0; i < NV; ++i) {
        F[i] = x[i] - b->h * y[i] + 0.5 * b->h * b->h * f[i];
    }
    dal_retract(b->G, q1, b->q, z);
    gap(F + NV, b, q1);
}

typedef struct half {
    const body *b;
    double q[NQ], y[NV]; /* y: T^-T(theta) M(q1) theta/h */
} half;

/* (RT.2): unknowns v1, h lambda/2 */
static void second_half(double *F, const double *z, void *user)
{
    const half *s = user;
    double x[NV], f[NV], la[3];
    for (int i = 0; i < 3; ++i) {
        la[i] = z[NV + i] / (0.5 * s->b->h);
    }
    momentum(x, s->b, s->q, z);
    forces(f, s->b, s->q, z, la);
    for (int i = 0; i < NV; ++i) {
        F[i] = x[i] + 0.5 * s->b->h * f[i] - s->y[i];
    }
    speed(F + NV, s->b, s->q, z);
}

void form_offset_top(double *q, double *v, dal_ctx *ctx, double h, int steps)
{
    static const double Omega[3] = {0.0, 150.0, -4.61538};
    body b;
    open_body(&b, ctx, 0.234375, 0.5, Omega);
    b.h = h;
    for (int n = 0; n < steps; ++n) {
        double z[NV + 3] = {0.0}, y[NV];
        half s = {.b = &b};
        for (int i = 0; i < NV; ++i) {
            z[i] = h * b.v[i];
        }
        form_iterate(z, NV + 3, first_half, &b);
        dal_retract(b.G, s.q, b.q, z);
        momentum(y, &b, s.q, z);
        transposed(s.y, &b, z, y, 1);
        for (int i = 0; i < NV; ++i) {
            s.y[i] /= h;
            z[i] = b.v[i];
        }
        memset(z + NV, 0, 3 * sizeof *z);
        form_iterate(z, NV + 3, second_half, &s);
        memcpy(b.q, s.q, sizeof b.q);
        memcpy(b.v, z, sizeof b.v);
    }
    memcpy(q, b.q, sizeof b.q);
    memcpy(v, b.v, sizeof b.v);
    dal_group_destroy(b.G);
}

/* ---- Lobatto with both levels of constraints ------------------------------------------------------ */

typedef struct lobatto {
    body *b;
    int s, middle, canonical; /* chart at the middle of the step or at q_n; momenta of the chart or velocities */
    double A[STAGES * STAGES], Ahat[STAGES * STAGES], w[STAGES], bar[STAGES];
    double q1[NQ], v1[NV];
} lobatto;

static lobatto table_of(body *b, int s, const char *form)
{
    static const double A2[] = {0.0, 0.0, 0.5, 0.5}, H2[] = {0.5, 0.0, 0.5, 0.0}, bar2[] = {3.0 / 8, 1.0 / 8};
    static const double A3[] = {0.0, 0.0, 0.0, 5.0 / 24, 1.0 / 3, -1.0 / 24, 1.0 / 6, 2.0 / 3, 1.0 / 6};
    static const double H3[] = {1.0 / 6, -1.0 / 6, 0.0, 1.0 / 6, 1.0 / 3, 0.0, 1.0 / 6, 5.0 / 6, 0.0};
    static const double bar3[] = {5.0 / 24, 1.0 / 3, -1.0 / 24};
    lobatto L = {.b = b, .s = s, .middle = strstr(form, "mid") != NULL, .canonical = strstr(form, "can") != NULL};
    memcpy(L.A, s == 2 ? A2 : A3, (size_t)(s * s) * sizeof(double));
    memcpy(L.Ahat, s == 2 ? H2 : H3, (size_t)(s * s) * sizeof(double));
    memcpy(L.w, L.A + s * (s - 1), (size_t)s * sizeof(double));
    memcpy(L.bar, s == 2 ? bar2 : bar3, (size_t)s * sizeof(double));
    return L;
}

/* What a stage gives: its rate of v, or of the momentum in the chart. */
static void rate_of(double *rate, double *here, const lobatto *L, const double *theta, const double *eta,
                    const double *Q, const double *la)
{
    const body *b = L->b;
    double V[NV], y[NV], f[NV], w[NV], D[NV * NV];
    dal_tangent_apply(b->G, V, theta, eta);
    momentum(y, b, Q, V);
    forces(f, b, Q, V, la);
    if (L->canonical) {
        transposed(here, b, theta, y, 0);
        transposed(rate, b, theta, f, 0);
        dal_dtangent(b->G, D, theta, eta);
        for (int j = 0; j < NV; ++j) {
            rate[j] = -rate[j];
            for (int i = 0; i < NV; ++i) {
                rate[j] += D[i + NV * j] * y[i];
            }
        }
        return;
    }
    cross(w, V + 3, y + 3); // M v' = hat(v)^T M v - f - B^T lambda
    for (int i = 0; i < 3; ++i) {
        y[i] = -f[i];
        y[3 + i] = -w[i] - f[3 + i];
    }
    divide(rate, b, y);
    memcpy(here, V, sizeof V);
}

typedef struct stage {
    double theta[NV], Q[NQ], here[NV], rate[NV];
} stage;

/* Places, velocities and rates of the stages, whose unknowns are h eta_i, h Lambda_i. */
static void fill_stages(stage *st, const lobatto *L, const double *z)
{
    const body *b = L->b;
    const int s = L->s;
    double base[NQ], back[NV];
    memset(st, 0, (size_t)s * sizeof *st);
    for (int i = 0; i < s * s; ++i) {
        for (int k = 0; k < NV; ++k) {
            st[i / s].theta[k] += (L->A[i] - (L->middle ? L->bar[i % s] : 0.0)) * z[NV * (i % s) + k];
        }
    }
    for (int k = 0; k < NV; ++k) {
        back[k] = -st[0].theta[k];
    }
    dal_retract(b->G, base, b->q, back);
    for (int i = 0; i < s; ++i) {
        double eta[NV], la[3];
        for (int k = 0; k < NV; ++k) {
            eta[k] = z[NV * i + k] / b->h;
        }
        for (int k = 0; k < 3; ++k) {
            la[k] = z[NV * s + 3 * i + k] / b->h;
        }
        dal_retract(b->G, st[i].Q, base, st[i].theta);
        rate_of(st[i].rate, st[i].here, L, st[i].theta, eta, st[i].Q, la);
    }
}

/* v, or the momentum of the chart, at the beginning of the step. */
static void start_of(double *from, const lobatto *L, const double *theta)
{
    double y[NV];
    memcpy(from, L->b->v, sizeof y);
    if (L->canonical) {
        momentum(y, L->b, L->b->q, L->b->v);
        transposed(from, L->b, theta, y, 0);
    }
}

static void stages(double *F, const double *z, void *user)
{
    lobatto *L = user;
    const body *b = L->b;
    const int s = L->s;
    stage st[STAGES];
    double from[NV], y[NV];
    fill_stages(st, L, z);
    start_of(from, L, st[0].theta);
    memcpy(L->v1, from, sizeof from);
    memcpy(L->q1, st[s - 1].Q, sizeof L->q1);
    for (int i = 0; i < s; ++i) {
        for (int k = 0; k < NV; ++k) {
            F[NV * i + k] = st[i].here[k] - from[k];
            for (int j = 0; j < s; ++j) {
                F[NV * i + k] -= b->h * L->Ahat[s * i + j] * st[j].rate[k];
            }
            L->v1[k] += b->h * L->w[i] * st[i].rate[k];
        }
        if (L->canonical) {
            divide(F + NV * i, b, F + NV * i);
        }
        if (i > 0) {
            gap(F + NV * s + 3 * (i - 1), b, st[i].Q);
        }
    }
    for (int k = 0; k < 3 * (s - 1); ++k) {
        F[NV * s + k] /= b->h;
    }
    if (L->canonical) {
        transposed(y, b, st[s - 1].theta, L->v1, 1);
        divide(L->v1, b, y);
    }
    speed(F + NV * s + 3 * (s - 1), b, L->q1, L->v1);
}

static trend run_lobatto(dal_ctx *ctx, const json_t *entry, int steps)
{
    static const double top[3] = {0.0, 150.0, -4.61538}, slow[3] = {1.0, 20.0, -4.6};
    const int s = (int)figure_number(entry, "stages"), n = (NV + 3) * s, asym = figure_is(entry, "case", "asym");
    body b;
    trend k = {.steps = steps};
    double z[MOST] = {0.0}, F[MOST];
    open_body(&b, ctx, asym ? 0.5 : 0.234375, 1.0, asym ? slow : top);
    b.h = figure_number(entry, "h");
    lobatto L = table_of(&b, s, figure_text(entry, "form"));
    const double E0 = energy(&b, b.q, b.v);
    for (int i = 0; i < steps; ++i) {
        for (int j = 0; j < NV * s; ++j) {
            z[j] = b.h * b.v[j % NV];
        }
        form_iterate(z, n, stages, &L);
        stages(F, z, &L);
        memcpy(b.q, L.q1, sizeof b.q);
        memcpy(b.v, L.v1, sizeof b.v);
        dal_normalise(b.G, b.q);
        trend_add(&k, (i + 1) * b.h, energy(&b, b.q, b.v) - E0);
    }
    dal_group_destroy(b.G);
    return k;
}

/* ---- a point on a rod, two stages ----------------------------------------------------------------- */

/* Half a kick with the multiplier carried, a way, and half a kick that ends with q.v = 0; nothing holds positions. */
static void kick(double q[2], double v[2], double *la, double h)
{
    for (int i = 0; i < 2; ++i) {
        v[i] -= 0.5 * h * (2.0 * *la * q[i] + (i == 1 ? 9.81 : 0.0));
        q[i] += h * v[i];
    }
    v[1] -= 0.5 * h * 9.81;
    *la = (q[0] * v[0] + q[1] * v[1]) / (h * (q[0] * q[0] + q[1] * q[1]));
    for (int i = 0; i < 2; ++i) {
        v[i] -= h * *la * q[i];
    }
}

static double rod(const double q[2])
{
    return q[0] * q[0] + q[1] * q[1] - 0.25; // Phi with L = 1/2
}

/* Phi of the end of a step from q (1 + 2 mu), whose end is moved by the same mu; q, v, la become the end. */
static double projected(double q[2], double v[2], double *la, double h, double mu)
{
    for (int i = 0; i < 2; ++i) {
        q[i] *= 1.0 + 2.0 * mu;
    }
    kick(q, v, la, h);
    for (int i = 0; i < 2; ++i) {
        q[i] /= 1.0 - 2.0 * mu;
    }
    return rod(q);
}

static trend run_rod(const json_t *entry, int steps)
{
    const double h = figure_number(entry, "h");
    double q[2] = {0.5, 0.0}, v[2] = {0.0, 0.0}, la = 0.0;
    trend k = {.steps = steps};
    for (int n = 0; n < steps; ++n) {
        double mu[2] = {0.0, 1e-6}, Phi[2] = {0.0, 0.0};
        for (int it = 0; it < 30 && figure_is(entry, "form", "sym"); ++it) { // the secant method
            double x[2] = {q[0], q[1]}, y[2] = {v[0], v[1]}, l = la;
            Phi[it > 0] = projected(x, y, &l, h, mu[it > 0]);
            if (it > 0) {
                if (Phi[1] == Phi[0] || fabs(Phi[1]) < 1e-16) {
                    break;
                }
                const double next = mu[1] - Phi[1] * (mu[1] - mu[0]) / (Phi[1] - Phi[0]);
                mu[0] = mu[1], Phi[0] = Phi[1];
                mu[1] = next;
            }
        }
        (void)projected(q, v, &la, h, figure_is(entry, "form", "sym") ? mu[1] : 0.0);
        k.position = fmax(k.position, fabs(rod(q)));
        trend_add(&k, (n + 1) * h, 0.5 * (v[0] * v[0] + v[1] * v[1]) + 9.81 * q[1]);
    }
    return k;
}

/* ---- figures --------------------------------------------------------------------------------------- */

void figure_forms(dal_ctx *ctx, const json_t *entry)
{
    const double size = figure_tolerance(entry, "size"), most = figure_number(entry, "maxabs");
    const double slope = figure_tolerance(entry, "slope"), drift = figure_number(entry, "slope_times_T");
    const int all = (int)figure_number(entry, "steps");
    if (figure_is(entry, "case", "pendulum")) {
        const trend k = run_rod(entry, all);
        figure_expect(entry, "maxabs", k.most, size * most);
        figure_expect(entry, "max_last_tenth", k.last, size * most);
        figure_expect(entry, "mean_last", k.mean, size * fabs(figure_number(entry, "mean_last")));
        const double Phi = figure_number(entry, "Phi");
        figure_true(entry, "Phi", Phi < 1e-12 ? k.position < 1e-13 : fabs(k.position - Phi) < size * Phi);
        figure_compare(entry, "trend", trend_slope(&k) * figure_number(entry, "h") * all, 0.0, size * most);
        return;
    }
    const trend k = run_lobatto(ctx, entry, all);
    const double part = trend_slope(&k) * figure_number(entry, "h") * all;
    figure_expect(entry, "maxabs", k.most, 0.01 * most);
    figure_expect(entry, "max_first_tenth", k.first, 0.01 * figure_number(entry, "max_first_tenth"));
    figure_expect(entry, "max_last_tenth", k.last, 0.01 * figure_number(entry, "max_last_tenth"));
    if (isnan(size)) {
        figure_compare(entry, "slope_times_T", part, drift, slope * fabs(drift));
    } else {
        figure_compare(entry, "trend", part, 0.0, slope * most);
    }
}
