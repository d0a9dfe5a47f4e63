/* Scalar rows between two frames: their types. Value, gradient and its derivatives (MB.5) are kernels of row_kernel.h;
 * everything else, velocity and acceleration level, B, Z and the share of K, follows from them. */
#include <math.h>
#include <stdio.h>

#include "mbs/mbs_impl.h"
#include "mbs/row_kernel.h"

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

static void dot_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    row_dot_gradient(g, axis_a(r, P), axis_b(r, P));
}

static void dot_contract(double z[12], const mb_row *r, const mb_pairing *P)
{
    row_dot_contract(z, axis_a(r, P), axis_b(r, P), P);
}

static void dot_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    row_dot_hessian(H, la, axis_a(r, P), axis_b(r, P));
}

const mb_row_type mb_row_dot = {.name = "axes",
                                .normal = 1,
                                .letters = MB_LETTERS_BOTH,
                                .rotational = 1,
                                .axes = MB_AXES_A | MB_AXES_B,
                                .phi = dot_phi,
                                .gradient = dot_gradient,
                                .contract = dot_contract,
                                .hessian = dot_hessian,
                                .code = {.phi = "dot3($A, $B)",
                                         .gradient = "row_dot_gradient($g, $A, $B);",
                                         .hessian = "row_dot_hessian($H, $l, $A, $B);",
                                         .contract = "row_dot_contract($g, $A, $B, &P);"}};

/* ---- a . d ------------------------------------------------------------------------------------ */

static double axis_phi(const mb_row *r, const mb_pairing *P)
{
    return dot3(axis_a(r, P), P->d);
}

static void axis_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    row_axis_gradient(g, axis_a(r, P), P->d);
}

static void axis_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    row_axis_hessian(H, la, axis_a(r, P), P->d);
}

const mb_row_type mb_row_axis = {.name = "along",
                                 .coordinate = DAL_COORDINATE_TRANSLATION,
                                 .letters = MB_LETTERS_A,
                                 .axes = MB_AXES_A,
                                 .phi = axis_phi,
                                 .gradient = axis_gradient,
                                 .hessian = axis_hessian,
                                 .code = {.phi = "dot3($A, P.d)",
                                          .gradient = "row_axis_gradient($g, $A, P.d);",
                                          .hessian = "row_axis_hessian($H, $l, $A, P.d);"}};

/* ---- (d.d - c^2)/(2 c) and |d| ------------------------------------------------------------------ */

static double square_phi(const mb_row *r, const mb_pairing *P)
{
    return row_square_phi(r->c, P->d);
}

static void square_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    row_difference_gradient(g, 1.0 / r->c, P->d);
}

static void square_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    (void)P;
    row_square_hessian(H, la, r->c);
}

const mb_row_type mb_row_square = {.name = "length",
                                   .phi = square_phi,
                                   .gradient = square_gradient,
                                   .hessian = square_hessian,
                                   .code = {.phi = "row_square_phi($c, P.d)",
                                            .gradient = "row_difference_gradient($g, 1.0 / $c, P.d);",
                                            .hessian = "row_square_hessian($H, $l, $c);"}};

static double length_phi(const mb_row *r, const mb_pairing *P)
{
    (void)r;
    return row_length_phi(P->d);
}

static void length_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    (void)r;
    row_length_gradient(g, P->d);
}

static void length_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    (void)r;
    row_length_hessian(H, la, P->d);
}

const mb_row_type mb_row_length = {.name = "length",
                                   .coordinate = DAL_COORDINATE_LENGTH,
                                   .phi = length_phi,
                                   .gradient = length_gradient,
                                   .hessian = length_hessian,
                                   .code = {.phi = "row_length_phi(P.d)",
                                            .gradient = "row_length_gradient($g, P.d);",
                                            .hessian = "row_length_hessian($H, $l, P.d);"}};

/* ---- angle about axis i of A: atan2(Y, X), X = e_j(A).e_j(B), Y = e_k(A).e_j(B), (i, j, k) cyclic -- */

static double angle_phi(const mb_row *r, const mb_pairing *P)
{
    return row_angle_phi(r->i, P);
}

static void angle_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    row_angle_gradient(g, r->i, P);
}

static void angle_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    row_angle_hessian(H, la, r->i, P);
}

const mb_row_type mb_row_angle = {.name = "angle",
                                  .coordinate = DAL_COORDINATE_ROTATION,
                                  .angle = 1,
                                  .letters = MB_LETTERS_A,
                                  .rotational = 1,
                                  .axes = MB_AXES_A | MB_AXES_B,
                                  .phi = angle_phi,
                                  .gradient = angle_gradient,
                                  .hessian = angle_hessian,
                                  .code = {.phi = "row_angle_phi($i, &P)",
                                           .gradient = "row_angle_gradient($g, $i, &P);",
                                           .hessian = "row_angle_hessian($H, $l, $i, &P);"}};

/* ---- screw: a . d - c angle ----------------------------------------------------------------------- */

static double screw_phi(const mb_row *r, const mb_pairing *P)
{
    return axis_phi(r, P) - r->c * angle_phi(r, P);
}

static void screw_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    row_screw_gradient(g, r->i, r->c, P);
}

static void screw_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    row_screw_hessian(H, la, r->i, r->c, P);
}

const mb_row_type mb_row_screw = {.name = "screw",
                                  .axes = MB_AXES_A | MB_AXES_B,
                                  .phi = screw_phi,
                                  .gradient = screw_gradient,
                                  .hessian = screw_hessian,
                                  .code = {.phi = "dot3($A, P.d) - $c * row_angle_phi($i, &P)",
                                           .gradient = "row_screw_gradient($g, $i, $c, &P);",
                                           .hessian = "row_screw_hessian($H, $l, $i, $c, &P);"}};

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
