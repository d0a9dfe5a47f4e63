/* Contact of a disk or a sphere at frame B with the x-y plane of frame A, and the knife edge. The contact point is
 * p_B + rho; k is the normal of the plane (z_A), n the axis of the disk (z_B), c = k . n.
 *
 *     sphere: rho = -r k        disk: rho = -r (k - c n)/sqrt(1 - c^2)                              (MB.10)
 *     height: k . (d + rho) = 0
 *     slip:   t . (velocity of the body at the contact - velocity of the plane there) = 0,  t = x_A, y_A  */
#include <math.h>

#include "mbs/mbs_impl.h"
#include "mbs/rolling_kernel.h"

/* ---- slip ------------------------------------------------------------------------------------- */

static void disk_slip_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const row_contact K = roll_disk(r->c, P);
    roll_slip_gradient(g, r->i, P, &K);
}

static void disk_slip_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const row_contact K = roll_disk(r->c, P);
    roll_slip_hessian(H, la, r->i, P, &K);
}

static void sphere_slip_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const row_contact K = roll_sphere(r->c, P);
    roll_slip_gradient(g, r->i, P, &K);
}

static void sphere_slip_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const row_contact K = roll_sphere(r->c, P);
    roll_slip_hessian(H, la, r->i, P, &K);
}

static void disk_point(double rho[3], const mb_row *r, const mb_pairing *P)
{
    const row_contact K = roll_disk(r->c, P);
    copy3(rho, K.rho);
}

static void sphere_point(double rho[3], const mb_row *r, const mb_pairing *P)
{
    const row_contact K = roll_sphere(r->c, P);
    copy3(rho, K.rho);
}

#define SLIP(contact_, call_) "{\n        const row_contact contact = " contact_ "($c, &P);\n        " call_ "\n    }"

const mb_row_type mb_row_disk_slip = {
    .name = "slip",
    .letters = MB_LETTERS_A,
    .nonholonomic = 1,
    .axes = MB_AXES_A | MB_AXES_B,
    .gradient = disk_slip_gradient,
    .hessian = disk_slip_hessian,
    .contact = disk_point,
    .code = {.gradient = SLIP("roll_disk", "roll_slip_gradient($g, $i, &P, &contact);"),
             .hessian = SLIP("roll_disk", "roll_slip_hessian($H, $l, $i, &P, &contact);")}};
const mb_row_type mb_row_sphere_slip = {
    .name = "slip",
    .letters = MB_LETTERS_A,
    .nonholonomic = 1,
    .axes = MB_AXES_A,
    .turns = MB_AXES_B,
    .gradient = sphere_slip_gradient,
    .hessian = sphere_slip_hessian,
    .contact = sphere_point,
    .code = {.gradient = SLIP("roll_sphere", "roll_slip_gradient($g, $i, &P, &contact);"),
             .hessian = SLIP("roll_sphere", "roll_slip_hessian($H, $l, $i, &P, &contact);")}};

/* ---- height ----------------------------------------------------------------------------------- */

static void height_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    (void)r;
    row_axis_hessian(H, la, roll_normal(P), P->d);
}

static double sphere_phi(const mb_row *r, const mb_pairing *P)
{
    return dot3(roll_normal(P), P->d) - r->c;
}

static void sphere_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    (void)r;
    roll_height_gradient(g, P);
}

const mb_row_type mb_row_sphere_height = {.name = "height",
                                          .axes = MB_AXES_A,
                                          .phi = sphere_phi,
                                          .gradient = sphere_gradient,
                                          .hessian = height_hessian,
                                          .code = {.phi = "dot3(roll_normal(&P), P.d) - $c",
                                                   .gradient = "roll_height_gradient($g, &P);",
                                                   .hessian = "row_axis_hessian($H, $l, roll_normal(&P), P.d);"}};

static double disk_phi(const mb_row *r, const mb_pairing *P)
{
    return roll_disk_phi(r->c, P);
}

static void disk_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    roll_disk_gradient(g, r->c, P);
}

static void disk_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    roll_disk_hessian(H, la, r->c, P);
}

const mb_row_type mb_row_disk_height = {.name = "height",
                                        .axes = MB_AXES_A | MB_AXES_B,
                                        .phi = disk_phi,
                                        .gradient = disk_gradient,
                                        .hessian = disk_hessian,
                                        .code = {.phi = "roll_disk_phi($c, &P)",
                                                 .gradient = "roll_disk_gradient($g, $c, &P);",
                                                 .hessian = "roll_disk_hessian($H, $l, $c, &P);"}};

/* ---- knife edge: n . (p_B' - velocity of A there) = 0, n axis j of B ------------------------------ */

static void edge_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    roll_edge_gradient(g, r->j, P);
}

static void edge_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    roll_edge_hessian(H, la, r->j, P);
}

const mb_row_type mb_row_edge = {
    .name = "edge",
    .letters = MB_LETTERS_B,
    .nonholonomic = 1,
    .axes = MB_AXES_B,
    .gradient = edge_gradient,
    .hessian = edge_hessian,
    .code = {.gradient = "roll_edge_gradient($g, $j, &P);", .hessian = "roll_edge_hessian($H, $l, $j, &P);"}};
