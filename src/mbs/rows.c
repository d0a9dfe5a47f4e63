/* Scalar rows between two frames: value, gradient g (12) and its derivatives H (MB.5). Everything else, velocity and
 * acceleration level, B, Z and the share of K, follows from them. Notation: a axis of A, b axis of B, d = p_B - p_A;
 * rotations vary as da = phi x a. Order of the 12: translation of A, rotation of A, translation of B, rotation of B. */
#include <math.h>
#include <stdio.h>

#include "mbs/mbs_impl.h"

static const double *axis_a(const mb_row *r, const mb_pairing *P)
{
    return P->side[0].E + 3 * r->i;
}

static const double *axis_b(const mb_row *r, const mb_pairing *P)
{
    return P->side[1].E + 3 * r->j;
}

/* ---- a . b ------------------------------------------------------------------------------------ */

static double dot_phi(const mb_row *r, const mb_pairing *P)
{
    return dot3(axis_a(r, P), axis_b(r, P));
}

static void dot_gradient_of(double g[12], const double a[3], const double b[3])
{
    memset(g, 0, 12 * sizeof(double));
    cross3(g + 3, a, b);
    scale3(g + 9, -1.0, g + 3);
}

static void dot_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    dot_gradient_of(g, axis_a(r, P), axis_b(r, P));
}

/* w = omega_A - omega_B: on A (w.a) b - (a.b) w, on B (a.b) w - (w.b) a */
static void dot_contract(double z[12], const mb_row *r, const mb_pairing *P)
{
    const double *a = axis_a(r, P), *b = axis_b(r, P), ab = dot3(a, b);
    double w[3];
    sub3(w, P->side[0].b->om, P->side[1].b->om);
    memset(z, 0, 12 * sizeof(double));
    axpy3(z + 3, dot3(w, a), b);
    axpy3(z + 3, -ab, w);
    axpy3(z + 9, ab, w);
    axpy3(z + 9, -dot3(w, b), a);
}

/* rotation blocks of dg for g = (a x b, b x a): AA a b^T - (a.b) I, AB (a.b) I - b a^T, and with A, B exchanged */
static void dot_hessian_of(mb_hessian *H, double la, const double a[3], const double b[3])
{
    const double ab = la * dot3(a, b);
    add_outer(H->H[0][1][0][1], la, a, b);
    add_unit(H->H[0][1][0][1], -ab);
    add_outer(H->H[0][1][1][1], -la, b, a);
    add_unit(H->H[0][1][1][1], ab);
    add_outer(H->H[1][1][0][1], -la, a, b);
    add_unit(H->H[1][1][0][1], ab);
    add_outer(H->H[1][1][1][1], la, b, a);
    add_unit(H->H[1][1][1][1], -ab);
}

static void dot_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    dot_hessian_of(H, la, axis_a(r, P), axis_b(r, P));
}

const mb_row_type mb_row_dot = {.name = "axes",
                                .letters = MB_LETTERS_BOTH,
                                .rotational = 1,
                                .axes = MB_AXES_A | MB_AXES_B,
                                .phi = dot_phi,
                                .gradient = dot_gradient,
                                .contract = dot_contract,
                                .hessian = dot_hessian};

/* ---- a . d ------------------------------------------------------------------------------------ */

static double axis_phi(const mb_row *r, const mb_pairing *P)
{
    return dot3(axis_a(r, P), P->d);
}

static void axis_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const double *a = axis_a(r, P);
    scale3(g, -1.0, a);
    cross3(g + 3, a, P->d);
    copy3(g + 6, a);
    memset(g + 9, 0, 3 * sizeof(double));
}

static void axis_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const double *a = axis_a(r, P);
    // d(a x d) = (phi_A x a) x d + a x (dp_B - dp_A)
    add_outer(H->H[0][1][0][1], la, a, P->d);
    add_unit(H->H[0][1][0][1], -la * dot3(a, P->d));
    add_tilde(H->H[0][1][1][0], la, a);
    add_tilde(H->H[0][1][0][0], -la, a);
    // d a = phi_A x a
    add_tilde(H->H[1][0][0][1], -la, a);
    add_tilde(H->H[0][0][0][1], la, a);
}

const mb_row_type mb_row_axis = {.name = "along",
                                 .letters = MB_LETTERS_A,
                                 .axes = MB_AXES_A,
                                 .phi = axis_phi,
                                 .gradient = axis_gradient,
                                 .hessian = axis_hessian};

/* ---- (d.d - c^2)/(2 c) and |d| ------------------------------------------------------------------ */

/* +-s on the four blocks of (p_B - p_A, p_B - p_A) */
static void add_difference_block(mb_hessian *H, const double D[9])
{
    for (int k = 0; k < 9; ++k) {
        H->H[0][0][0][0][k] += D[k];
        H->H[1][0][1][0][k] += D[k];
        H->H[0][0][1][0][k] -= D[k];
        H->H[1][0][0][0][k] -= D[k];
    }
}

static void difference_gradient(double g[12], double s, const double d[3])
{
    memset(g, 0, 12 * sizeof(double));
    scale3(g, -s, d);
    scale3(g + 6, s, d);
}

static double square_phi(const mb_row *r, const mb_pairing *P)
{
    return 0.5 * (dot3(P->d, P->d) / r->c - r->c);
}

static void square_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    difference_gradient(g, 1.0 / r->c, P->d);
}

static void square_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    (void)P;
    double D[9] = {0.0};
    add_unit(D, la / r->c);
    add_difference_block(H, D);
}

const mb_row_type mb_row_square = {
    .name = "length", .phi = square_phi, .gradient = square_gradient, .hessian = square_hessian};

static double length_phi(const mb_row *r, const mb_pairing *P)
{
    (void)r;
    return sqrt(dot3(P->d, P->d));
}

/* Where the points coincide there is no direction: no force, and no tangent. */
static void length_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const double l = length_phi(r, P);
    difference_gradient(g, l > 0.0 ? 1.0 / l : 0.0, P->d);
}

static void length_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const double l = length_phi(r, P);
    double D[9] = {0.0};
    if (!(l > 0.0)) {
        return;
    }
    add_unit(D, la / l);
    add_outer(D, -la / (l * l * l), P->d, P->d);
    add_difference_block(H, D);
}

const mb_row_type mb_row_length = {
    .name = "length", .phi = length_phi, .gradient = length_gradient, .hessian = length_hessian};

/* ---- angle about axis i of A: atan2(Y, X), X = e_j(A).e_j(B), Y = e_k(A).e_j(B), (i, j, k) cyclic -- */

typedef struct angle_parts {
    const double *xa, *ya, *b; /* e_j(A), e_k(A), e_j(B) */
    double X, Y, rho2;
} angle_parts;

static angle_parts angle_of(const mb_row *r, const mb_pairing *P)
{
    const int j = (r->i + 1) % 3, k = (r->i + 2) % 3;
    angle_parts p = {P->side[0].E + 3 * j, P->side[0].E + 3 * k, P->side[1].E + 3 * j, 0.0, 0.0, 0.0};
    p.X = dot3(p.xa, p.b);
    p.Y = dot3(p.ya, p.b);
    p.rho2 = p.X * p.X + p.Y * p.Y;
    return p;
}

static double angle_phi(const mb_row *r, const mb_pairing *P)
{
    const angle_parts p = angle_of(r, P);
    return atan2(p.Y, p.X);
}

/* g = (X g_Y - Y g_X) / rho^2 */
static void angle_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const angle_parts p = angle_of(r, P);
    double w[3] = {0.0, 0.0, 0.0};
    add_cross3(w, p.X / p.rho2, p.ya, p.b);
    add_cross3(w, -p.Y / p.rho2, p.xa, p.b);
    memset(g, 0, 12 * sizeof(double));
    copy3(g + 3, w);
    scale3(g + 9, -1.0, w);
}

/* dg = (X H_Y - Y H_X)/rho^2 + (g_Y g_X^T - g_X g_Y^T)/rho^2 - 2 g (X g_X + Y g_Y)^T/rho^2; all gradients are
 * (w, -w) on the rotations of A and B */
static void angle_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const angle_parts p = angle_of(r, P);
    const double s = la / p.rho2;
    dot_hessian_of(H, s * p.X, p.ya, p.b);
    dot_hessian_of(H, -s * p.Y, p.xa, p.b);
    double gx[3], gy[3], g[3] = {0.0, 0.0, 0.0}, h[3] = {0.0, 0.0, 0.0};
    cross3(gx, p.xa, p.b);
    cross3(gy, p.ya, p.b);
    axpy3(g, p.X / p.rho2, gy);
    axpy3(g, -p.Y / p.rho2, gx);
    axpy3(h, p.X, gx);
    axpy3(h, p.Y, gy);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            const double sign = i == j ? s : -s;
            double *block = H->H[i][1][j][1];
            add_outer(block, sign, gy, gx);
            add_outer(block, -sign, gx, gy);
            add_outer(block, -2.0 * sign, g, h);
        }
    }
}

const mb_row_type mb_row_angle = {.name = "angle",
                                  .letters = MB_LETTERS_A,
                                  .rotational = 1,
                                  .axes = MB_AXES_A | MB_AXES_B,
                                  .phi = angle_phi,
                                  .gradient = angle_gradient,
                                  .hessian = angle_hessian};

/* ---- screw: a . d - c angle ----------------------------------------------------------------------- */

static double screw_phi(const mb_row *r, const mb_pairing *P)
{
    return axis_phi(r, P) - r->c * angle_phi(r, P);
}

static void screw_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    double ga[12];
    axis_gradient(g, r, P);
    angle_gradient(ga, r, P);
    for (int k = 0; k < 12; ++k) {
        g[k] -= r->c * ga[k];
    }
}

static void screw_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    axis_hessian(H, la, r, P);
    angle_hessian(H, -la * r->c, r, P);
}

const mb_row_type mb_row_screw = {.name = "screw",
                                  .axes = MB_AXES_A | MB_AXES_B,
                                  .phi = screw_phi,
                                  .gradient = screw_gradient,
                                  .hessian = screw_hessian};

/* ---- all rows --------------------------------------------------------------------------------- */

void mb_row_text(char *buffer, size_t size, const mb_row *r)
{
    switch (r->type->letters) {
    case MB_LETTERS_A:
        snprintf(buffer, size, "%s %c", r->type->name, 'x' + r->i);
        return;
    case MB_LETTERS_B:
        snprintf(buffer, size, "%s %c", r->type->name, 'x' + r->j);
        return;
    case MB_LETTERS_BOTH:
        snprintf(buffer, size, "%s %c.%c", r->type->name, 'x' + r->i, 'x' + r->j);
        return;
    default:
        snprintf(buffer, size, "%s", r->type->name);
    }
}

double mb_row_phi(const mb_row *r, const mb_pairing *P, const double f[3])
{
    double phi = r->type->phi(r, P);
    if (r->f > 0) {
        phi -= f[0];
    }
    return r->period > 0.0 ? remainder(phi, r->period) : phi;
}

void mb_row_contract(double z[12], const mb_row *r, const mb_pairing *P)
{
    if (r->type->contract) {
        r->type->contract(z, r, P);
        return;
    }
    mb_hessian H = {0};
    double V[12];
    r->type->hessian(&H, 1.0, r, P);
    mb_pairing_velocity(V, P);
    memset(z, 0, 12 * sizeof(double));
    for (int k = 0; k < 16; ++k) {
        const int i = k / 8, a = k / 4 % 2, j = k / 2 % 2, b = k % 2;
        add_tmul3(z + 6 * j + 3 * b, H.H[i][a][j][b], V + 6 * i + 3 * a);
    }
}

double mb_coordinate_value(double *reach, const mb_row *r, const mb_pairing *P, const mb_instance *m, double t)
{
    if (r->type != &mb_row_angle) {
        if (reach) {
            *reach = 1.0;
        }
        return r->type->phi(r, P);
    }
    const angle_parts p = angle_of(r, P);
    const double angle = atan2(p.Y, p.X);
    if (reach) {
        *reach = sqrt(p.rho2);
    }
    if (!mb_counting(m, r)) {
        return angle;
    }
    const double *last = m->memory + r->memory, near = last[0] + last[1] * (t - m->memory[MB_MEMORY_TIME]);
    return mb_nearest_turn(angle, near);
}

mb_row mb_coordinate_row(dal_coordinate coordinate, int axis)
{
    if (coordinate == DAL_COORDINATE_ROTATION) {
        return (mb_row){.type = &mb_row_angle, .i = axis, .period = MB_TURN};
    }
    return (mb_row){.type = coordinate == DAL_COORDINATE_TRANSLATION ? &mb_row_axis : &mb_row_length, .i = axis};
}
