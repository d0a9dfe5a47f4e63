/* Scalar rows between two frames: their types. Value, gradient and its derivatives (MB.5) are kernels of row_kernel.h;
 * everything else, velocity and acceleration level, B, Z and the share of K, follows from them. */
#include <math.h>
#include <stdio.h>

#include "mbs/mbs_impl.h"
#include "mbs/row_kernel.h"

/* a . b */
static void dot_contract(double z[12], const mb_row *r, const mb_pairing *P)
{
    row_dot_contract(z, P->side[0].E + 3 * r->i, P->side[1].E + 3 * r->j, P);
}

MB_ROW(dot, dot3(A, B), row_dot_gradient(g, A, B), row_dot_hessian(H, la, A, B), .name = "axes", .normal = 1,
       .letters = MB_LETTERS_BOTH, .rotational = 1, .axes = MB_AXES_A | MB_AXES_B, .contract = dot_contract,
       .code.contract = "row_dot_contract(g, A, B, P)");

/* a . d */
MB_ROW(axis, dot3(A, P->d), row_axis_gradient(g, A, P->d), row_axis_hessian(H, la, 0, A, P->d), .name = "along",
       .coordinate = DAL_COORDINATE_TRANSLATION, .letters = MB_LETTERS_A, .axes = MB_AXES_A);

/* (d.d - c^2)/(2 c) and |d| */
MB_ROW(square, row_square_phi(c, P->d), row_difference_gradient(g, 1.0 / c, P->d), row_square_hessian(H, la, c),
       .name = "length");
MB_ROW(length, row_length_phi(P->d), row_length_gradient(g, P->d), row_length_hessian(H, la, P->d), .name = "length",
       .coordinate = DAL_COORDINATE_LENGTH);

/* Angle about axis i of A: atan2(Y, X), X = e_j(A).e_j(B), Y = e_k(A).e_j(B), (i, j, k) cyclic */
MB_ROW(angle, row_angle_phi(i, P), row_angle_gradient(g, i, P), row_angle_hessian(H, la, i, P), .name = "angle",
       .coordinate = DAL_COORDINATE_ROTATION, .angle = 1, .letters = MB_LETTERS_A, .rotational = 1,
       .axes = MB_AXES_A | MB_AXES_B);

/* Screw: a . d - c angle */
MB_ROW(screw, dot3(A, P->d) - c * row_angle_phi(i, P), row_screw_gradient(g, i, c, P),
       row_screw_hessian(H, la, i, c, P), .name = "screw", .axes = MB_AXES_A | MB_AXES_B);

/* Angular velocity about axis i of A: there is no coordinate, only its rate. */
MB_ROW(spin, REAL(0.0), row_spin_gradient(g, A), row_spin_hessian(H, la, A), .name = "spin", .letters = MB_LETTERS_A,
       .turns = MB_AXES_B, .nonholonomic = 1, .rotational = 1, .axes = MB_AXES_A);

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
    r->type->hessian(&H, 1.0, r, P);
    row_contract(z, &H, P);
}

double mb_coordinate_value(double *reach, const mb_row *r, const mb_pairing *P, const mb_instance *m, double t)
{
    if (!r->type->angle) {
        if (reach) {
            *reach = 1.0;
        }
        return r->type->phi(r, P);
    }
    const row_angle p = row_angle_of(r->i, P);
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
