/* Contact of a disk or a sphere at frame B with the x-y plane of frame A, and the knife edge. The contact point is
 * p_B + rho; k is the normal of the plane (z_A), n the axis of the disk (z_B), c = k . n.
 *
 *     sphere: rho = -r k        disk: rho = -r (k - c n)/sqrt(1 - c^2)                              (MB.10)
 *     height: k . (d + rho) = 0
 *     slip:   t . (velocity of the body at the contact - velocity of the plane there) = 0,  t = x_A, y_A  */
#include "mbs/mbs_impl.h"
#include "mbs/rolling_kernel.h"

MB_ROW_RATE(disk_slip, roll_disk_slip_gradient(g, i, c, P), roll_disk_slip_hessian(H, la, i, c, P), .name = "slip",
            .letters = MB_LETTERS_A, .nonholonomic = 1, .axes = MB_AXES_A | MB_AXES_B, .contact = roll_disk);
MB_ROW_RATE(sphere_slip, roll_sphere_slip_gradient(g, i, c, P), roll_sphere_slip_hessian(H, la, i, c, P),
            .name = "slip", .letters = MB_LETTERS_A, .nonholonomic = 1, .axes = MB_AXES_A, .turns = MB_AXES_B,
            .contact = roll_sphere);

MB_ROW(disk_height, roll_disk_phi(c, P), roll_disk_gradient(g, c, P), roll_disk_hessian(H, la, c, P), .name = "height",
       .axes = MB_AXES_A | MB_AXES_B);
MB_ROW(sphere_height, dot3(roll_normal(P), P->d) - c, row_axis_gradient(g, roll_normal(P), P->d),
       row_axis_hessian(H, la, 0, roll_normal(P), P->d), .name = "height", .axes = MB_AXES_A);

/* Knife edge: n . (p_B' - velocity of A there) = 0, n axis j of B */
MB_ROW_RATE(edge, row_axis_gradient(g, B, P->d), row_axis_hessian(H, la, 1, B, P->d), .name = "edge",
            .letters = MB_LETTERS_B, .nonholonomic = 1, .axes = MB_AXES_B);
