/* Contact of a disk or a sphere at frame B with the x-y plane of frame A, and the knife edge. The contact point is
 * p_B + rho; k is the normal of the plane (z_A), n the axis of the disk (z_B), c = k . n.
 *
 *     sphere: rho = -r k        disk: rho = -r (k - c n)/sqrt(1 - c^2)                              (MB.10)
 *     height: k . (d + rho) = 0
 *     slip:   t . (velocity of the body at the contact - velocity of the plane there) = 0,  t = x_A, y_A  */
#include <math.h>

#include "mbs/mbs_impl.h"

/* rho and its derivatives with respect to the rotations of A and B: d rho = D_A phi_A + D_B phi_B */
typedef struct contact {
    double rho[3], D[2][9];
} contact;

/* 1 - c^2, kept from zero: a disk that lies flat has no contact point, and Newton's method must not meet NaN. */
static double sine_squared(double c)
{
    return fmax(1.0 - c * c, 1e-24);
}

static const double *normal_of(const mb_pairing *P)
{
    return P->side[0].E + 6;
}

static contact disk_contact(const mb_row *r, const mb_pairing *P)
{
    const double *k = normal_of(P), *n = P->side[1].E + 6, c = dot3(k, n), s2 = sine_squared(c), s = sqrt(s2);
    contact K = {{0.0}, {{0.0}, {0.0}}};
    double e[3], kn[3];
    copy3(e, k);
    axpy3(e, -c, n);
    axpy3(K.rho, -r->c / s, e);
    // dc = (k x n).phi_A + (n x k).phi_B
    cross3(kn, k, n);
    for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? 1.0 : -1.0;
        double *D = K.D[side];
        add_tilde(D, side == 0 ? r->c / s : -r->c * c / s, side == 0 ? k : n); // dk = -k~ phi_A, dn = -n~ phi_B
        add_outer(D, sign * r->c / s, n, kn);
        add_outer(D, -sign * r->c * c / (s * s2), e, kn);
    }
    return K;
}

static contact sphere_contact(const mb_row *r, const mb_pairing *P)
{
    contact K = {{0.0}, {{0.0}, {0.0}}};
    axpy3(K.rho, -r->c, normal_of(P));
    add_tilde(K.D[0], r->c, normal_of(P));
    return K;
}

/* ---- slip ------------------------------------------------------------------------------------- */

/* on p_A, phi_A, p_B, phi_B: -t, t x (d + rho), t, rho x t */
static void slip_gradient(double g[12], const mb_row *r, const mb_pairing *P, const contact *K)
{
    const double *t = P->side[0].E + 3 * r->i;
    double arm[3];
    add3(arm, P->d, K->rho);
    scale3(g, -1.0, t);
    cross3(g + 3, t, arm);
    copy3(g + 6, t);
    cross3(g + 9, K->rho, t);
}

static void slip_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P, const contact *K)
{
    const double *t = P->side[0].E + 3 * r->i;
    double arm[3], tD[9];
    add3(arm, P->d, K->rho);
    // dt = phi_A x t
    add_tilde(H->H[0][0][0][1], la, t);
    add_tilde(H->H[1][0][0][1], -la, t);
    // d(t x arm) = (phi_A x t) x arm + t x (dp_B - dp_A + drho)
    add_outer(H->H[0][1][0][1], la, t, arm);
    add_unit(H->H[0][1][0][1], -la * dot3(t, arm));
    add_tilde(H->H[0][1][1][0], la, t);
    add_tilde(H->H[0][1][0][0], -la, t);
    // d(rho x t) = -t x drho + rho x (phi_A x t)
    add_unit(H->H[1][1][0][1], la * dot3(K->rho, t));
    add_outer(H->H[1][1][0][1], -la, t, K->rho);
    for (int side = 0; side < 2; ++side) {
        tilde_mul(tD, t, K->D[side]);
        for (int k = 0; k < 9; ++k) {
            H->H[0][1][side][1][k] += la * tD[k];
            H->H[1][1][side][1][k] -= la * tD[k];
        }
    }
}

static void disk_slip_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const contact K = disk_contact(r, P);
    slip_gradient(g, r, P, &K);
}

static void disk_slip_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const contact K = disk_contact(r, P);
    slip_hessian(H, la, r, P, &K);
}

static void sphere_slip_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const contact K = sphere_contact(r, P);
    slip_gradient(g, r, P, &K);
}

static void sphere_slip_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const contact K = sphere_contact(r, P);
    slip_hessian(H, la, r, P, &K);
}

static void disk_point(double rho[3], const mb_row *r, const mb_pairing *P)
{
    const contact K = disk_contact(r, P);
    copy3(rho, K.rho);
}

static void sphere_point(double rho[3], const mb_row *r, const mb_pairing *P)
{
    const contact K = sphere_contact(r, P);
    copy3(rho, K.rho);
}

const mb_row_type mb_row_disk_slip = {.name = "slip",
                                      .letters = MB_LETTERS_A,
                                      .nonholonomic = 1,
                                      .axes = MB_AXES_A | MB_AXES_B,
                                      .gradient = disk_slip_gradient,
                                      .hessian = disk_slip_hessian,
                                      .contact = disk_point};
const mb_row_type mb_row_sphere_slip = {.name = "slip",
                                        .letters = MB_LETTERS_A,
                                        .nonholonomic = 1,
                                        .axes = MB_AXES_A,
                                        .turns = MB_AXES_B,
                                        .gradient = sphere_slip_gradient,
                                        .hessian = sphere_slip_hessian,
                                        .contact = sphere_point};

/* ---- height ----------------------------------------------------------------------------------- */

/* k . d - h: -k, k x d, k, 0 */
static void height_gradient(double g[12], const mb_pairing *P)
{
    const double *k = normal_of(P);
    scale3(g, -1.0, k);
    cross3(g + 3, k, P->d);
    copy3(g + 6, k);
    memset(g + 9, 0, 3 * sizeof(double));
}

static void height_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const mb_row normal = {.type = &mb_row_axis, .i = 2};
    (void)r;
    mb_row_axis.hessian(H, la, &normal, P);
}

static double sphere_phi(const mb_row *r, const mb_pairing *P)
{
    return dot3(normal_of(P), P->d) - r->c;
}

static void sphere_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    (void)r;
    height_gradient(g, P);
}

const mb_row_type mb_row_sphere_height = {
    .name = "height", .axes = MB_AXES_A, .phi = sphere_phi, .gradient = sphere_gradient, .hessian = height_hessian};

/* k . d + f(c), f = -r sqrt(1 - c^2), f' = r c/sqrt(1 - c^2), f'' = r/(1 - c^2)^(3/2) */
static double disk_phi(const mb_row *r, const mb_pairing *P)
{
    const double c = dot3(normal_of(P), P->side[1].E + 6);
    return dot3(normal_of(P), P->d) - r->c * sqrt(sine_squared(c));
}

static void disk_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const double *k = normal_of(P), *n = P->side[1].E + 6, c = dot3(k, n), f1 = r->c * c / sqrt(sine_squared(c));
    height_gradient(g, P);
    add_cross3(g + 3, f1, k, n);
    add_cross3(g + 9, f1, n, k);
}

static void disk_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const mb_row dot = {.type = &mb_row_dot, .i = 2, .j = 2};
    const double *k = normal_of(P), *n = P->side[1].E + 6, c = dot3(k, n), s2 = sine_squared(c), s = sqrt(s2);
    double kn[3];
    cross3(kn, k, n);
    height_hessian(H, la, r, P);
    mb_row_dot.hessian(H, la * r->c * c / s, &dot, P);
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            add_outer(H->H[i][1][j][1], (i == j ? la : -la) * r->c / (s * s2), kn, kn);
        }
    }
}

const mb_row_type mb_row_disk_height = {.name = "height",
                                        .axes = MB_AXES_A | MB_AXES_B,
                                        .phi = disk_phi,
                                        .gradient = disk_gradient,
                                        .hessian = disk_hessian};

/* ---- knife edge: n . (p_B' - velocity of A there) = 0, n axis j of B ------------------------------ */

static void edge_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const double *n = P->side[1].E + 3 * r->j;
    scale3(g, -1.0, n);
    cross3(g + 3, n, P->d);
    copy3(g + 6, n);
    memset(g + 9, 0, 3 * sizeof(double));
}

static void edge_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const double *n = P->side[1].E + 3 * r->j;
    // dn = phi_B x n; d(n x d) = (phi_B x n) x d + n x (dp_B - dp_A)
    add_tilde(H->H[0][0][1][1], la, n);
    add_tilde(H->H[1][0][1][1], -la, n);
    add_outer(H->H[0][1][1][1], la, n, P->d);
    add_unit(H->H[0][1][1][1], -la * dot3(n, P->d));
    add_tilde(H->H[0][1][1][0], la, n);
    add_tilde(H->H[0][1][0][0], -la, n);
}

const mb_row_type mb_row_edge = {.name = "edge",
                                 .letters = MB_LETTERS_B,
                                 .nonholonomic = 1,
                                 .axes = MB_AXES_B,
                                 .gradient = edge_gradient,
                                 .hessian = edge_hessian};
