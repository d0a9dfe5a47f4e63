/* Systems that are small enough to be followed by hand: errors against their recursions, equilibrium and weighted residuals. */
#include <math.h>
#include <string.h>

#include "reproduce/measures.h"

/* x := T x */
static void advance(double x[3], const double T[9])
{
    double y[3];
    apply3(y, T, x);
    memcpy(x, y, sizeof y);
}

/* The errors of q = t^3 w along the first coordinate at step n, exact minus computed: r = (h e_v + l_q)/h^2 with l_q = 6 C_q
 * h^3, e_lambda, e_a with a = v'(t + D h) */
static void cubic_errors(double e[3], const track *r, int n, const dal_ga_coef *k, double h)
{
    const double t = n * h, D = k->alpha_m - k->alpha_f;
    e[0] = (3.0 * t * t - at_v(r, n)[0]) / h + 6.0 * k->C_q * h;
    e[1] = -6.0 * t - at_la(r, n)[0];
    e[2] = 6.0 * (t + D * h) - at_a(r, n)[0];
}

/* A unit mass that follows q = t^3: largest |E_n - T^n E_0|. */
double measure_followed(lab *L, const words *w)
{
    double T[9], E[3] = {0.0}, is[3], worst = 0.0;
    dal_ga_coef k;
    const track *r = lab_run(L, w);
    if (!ga_recursion(T, &k, L, w)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        cubic_errors(is, r, n, &k, words_number(w, "h=", NAN));
        if (n == 0) {
            memcpy(E, is, sizeof E);
        }
        for (int i = 0; i < 3; ++i) {
            worst = larger(worst, fabs(is[i] - E[i]));
        }
        advance(E, T);
    }
    return good(r, worst);
}

/* Example (11) of [ACB15] with a motion: M = 0, g = 0, B (q - t^3 w) = 0, w = (1, 2): lambda = 0, q = t^3 w. of: exact, largest
 * |lambda| and |q - t^3 w|; recursion, largest difference between the errors (r, e_a) of the first coordinate and T-bar^n of
 * their initial values, (27) */
double measure_driven_frame(lab *L, const words *w)
{
    const double h = words_number(w, "h=", NAN);
    const int exact = words_is(w, "of:", "exact");
    dal_ga_coef k;
    double worst = 0.0, E[2] = {0.0, 0.0}, e[3];
    const track *r = lab_run(L, w);
    if (!ga_coefficients(&k, L, w)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        const double t = n * h, *q = at_q(r, n), motion[2] = {t * t * t, 2.0 * t * t * t};
        cubic_errors(e, r, n, &k, h);
        const double is[2] = {e[0], e[2]};
        if (n == 0) {
            memcpy(E, is, sizeof E);
        }
        worst =
            larger(worst, exact ? larger(distance(at_la(r, n), NULL, 3), distance(q, motion, 2)) : distance(is, E, 2));
        // T-bar_+ E_n+1 = T-bar_0 E_n
        const double a = -(E[0] + (0.5 - k.beta) * E[1]) / k.beta;
        E[0] += (1.0 - k.gamma) * E[1] + k.gamma * a;
        E[1] = a;
    }
    return good(r, worst);
}

/* q'' + omega^2 q = 0, z = h omega: max |E_n|/|E_0| of E = (h v, z^2 q, h^2 a). of:limit: of T^n E_0 with T of the recursion
 * for constraints, the limit of large z, relative to it */
double measure_overshoot(lab *L, const words *w)
{
    const double h = words_number(w, "h=", NAN), z = words_number(w, "z:", NAN);
    double T[9], E[3] = {0.0}, grown = 0.0, start = 0.0, limit = 0.0;
    dal_ga_coef k;
    const track *r = lab_run(L, w);
    if (!ga_recursion(T, &k, L, w)) {
        return NAN;
    }
    for (int n = 0; n < r->n; ++n) {
        const double is[3] = {h * at_v(r, n)[0], z * z * at_q(r, n)[0], h * h * at_a(r, n)[0]},
                     size = distance(is, NULL, 3);
        if (n == 0) {
            memcpy(E, is, sizeof E);
            start = size;
        }
        grown = larger(grown, size);
        limit = fmax(limit, distance(E, NULL, 3));
        advance(E, T);
    }
    return good(r, words_is(w, "of:", "limit") ? limit / grown : grown / start);
}

/* ---- an elastic pendulum in polar coordinates: the mass matrix depends on q ------------------- */

/* M = diag(1, r^2), g, and v' = -M^-1 g; stiffness 100, length 1 */
typedef struct pendulum {
    double q[2], v[2], a[2], M[2], g[2], vd[2];
} pendulum;

static void pendulum_terms(pendulum *p)
{
    const double r = p->q[0], phi = p->q[1], *v = p->v;
    p->M[0] = 1.0, p->M[1] = r * r;
    p->g[0] = -r * v[1] * v[1] - 9.81 * cos(phi) + 100.0 * (r - 1.0);
    p->g[1] = 2.0 * r * v[0] * v[1] + 9.81 * r * sin(phi);
    for (int i = 0; i < 2; ++i) {
        p->vd[i] = -p->g[i] / p->M[i];
    }
}

/* [AB07] sec. 2: k has gamma of this step. weighted: equilibrium as a mean over the step, in place of (1) at its end; F: what is
 * left of it for a1 */
static void newmark_residual(double F[2], pendulum *to, const pendulum *p, const double a1[2], const dal_ga_coef *k,
                             double h, int weighted)
{
    const double m = k->alpha_m, f = k->alpha_f;
    for (int i = 0; i < 2; ++i) {
        to->a[i] = a1[i];
        to->q[i] = p->q[i] + h * p->v[i] + h * h * ((0.5 - k->beta) * p->a[i] + k->beta * a1[i]);
        to->v[i] = p->v[i] + h * ((1.0 - k->gamma) * p->a[i] + k->gamma * a1[i]);
    }
    pendulum_terms(to);
    for (int i = 0; i < 2; ++i) {
        F[i] = weighted ? (1.0 - m) * to->M[i] * a1[i] + m * p->M[i] * p->a[i] + (1.0 - f) * to->g[i] + f * p->g[i]
                        : (1.0 - m) * a1[i] + m * p->a[i] - (1.0 - f) * to->vd[i] - f * p->vd[i];
    }
}

static void newmark_step(pendulum *p, const dal_ga_coef *k, double h, int weighted)
{
    const double e = 1e-6;
    pendulum to;
    double a[2] = {p->vd[0], p->vd[1]}, F[2], G[2], J[4];
    for (int it = 0; it < 8; ++it) {
        for (int j = 0; j < 2; ++j) {
            double moved[2] = {a[0], a[1]};
            moved[j] += e;
            newmark_residual(G, &to, p, moved, k, h, weighted);
            newmark_residual(F, &to, p, a, k, h, weighted);
            J[2 * j] = (G[0] - F[0]) / e, J[2 * j + 1] = (G[1] - F[1]) / e;
        }
        (void)eliminate(J, F, 2, 1);
        a[0] -= F[0], a[1] -= F[1];
    }
    newmark_residual(F, &to, p, a, k, h, weighted);
    *p = to;
}

/* At t = 1, by the classical method of order 4. */
static pendulum pendulum_exact(pendulum p)
{
    static const double weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0}, ahead[4] = {0.5, 0.5, 1.0, 0.0};
    enum { STEPS = 4000 };
    const double h = 1.0 / STEPS;
    for (int n = 0; n < STEPS; ++n) {
        pendulum sum = p, s = p;
        for (int j = 0; j < 4; ++j) {
            const pendulum at = s;
            for (int i = 0; i < 2; ++i) {
                sum.q[i] += h * weight[j] * at.v[i];
                sum.v[i] += h * weight[j] * at.vd[i];
                s.q[i] = p.q[i] + h * ahead[j] * at.v[i];
                s.v[i] = p.v[i] + h * ahead[j] * at.vd[i];
            }
            pendulum_terms(&s);
        }
        pendulum_terms(&sum);
        p = sum;
    }
    return p;
}

/* Errors at t = 1 of q, of v' or of "a" as an acceleration; form: equilibrium or weighted. cycles: of steps H, H/4, H/2 in place
 * of h=, with update:gamma by sec. 2.3: a_n ~ v'(t_n + D_n), gamma = (h/2 - D_n)/(h + D_n+1 - D_n) */
double measure_newmark(lab *L, const words *w)
{
    static const double part[3] = {1.0, 0.25, 0.5};
    const double cycles = words_number(w, "cycles:", 0.0), h0 = words_number(w, "h=", NAN);
    const int weighted = words_is(w, "form:", "weighted"), updated = words_is(w, "update:", "gamma");
    const int n = cycles > 0.0 ? 3 * (int)cycles : (int)lround(1.0 / h0);
    pendulum start = {.q = {1.2, 0.8}, .v = {0.3, 1.0}};
    dal_ga_coef k;
    double D = 0.0;
    if (!ga_coefficients(&k, L, w)) {
        return NAN;
    }
    pendulum_terms(&start);
    memcpy(start.a, start.vd, sizeof start.a);
    pendulum p = start;
    for (int i = 0; i < n; ++i) {
        const double h = cycles > 0.0 ? part[i % 3] / (1.75 * cycles) : h0;
        const double next = ((k.alpha_m - k.alpha_f) * h - k.alpha_m * D) / (1.0 - k.alpha_m);
        dal_ga_coef now = k;
        now.gamma = updated ? (0.5 * h - D) / (h + next - D) : k.gamma;
        newmark_step(&p, &now, h, weighted);
        D = next;
    }
    const pendulum exact = pendulum_exact(start);
    const int of_q = words_is(w, "of:", "q");
    return distance(of_q ? p.q : words_is(w, "of:", "a") ? p.a : p.vd, of_q ? exact.q : exact.vd, 2);
}
