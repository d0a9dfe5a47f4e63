/* A rotor that turns with a coordinate c and with nothing else: r += g J c'', c'' = g . w' + z . w with the gradient g of the
 * coordinate, z = d(g . w)/dq and the motion w of the two frames (MB.9). Its mass matrix is g J g^T. */
#include "mbs/force_impl.h"
#include "mbs/force_kernel.h"

/* The coordinate with its gradient, and its acceleration. */
static double acceleration_at(mb_along *a, const mb_force *f, const mb_instance *m)
{
    double V[12], W[12], z[12], acc = 0.0;
    mb_pairing_at(&a->P, m->state, f->marker, 2, f->row.type->axes);
    f->row.type->gradient(a->g, &f->row, &a->P);
    mb_pairing_velocity(V, &a->P);
    mb_pairing_acceleration(W, &a->P);
    mb_row_contract(z, &f->row, &a->P);
    a->cd = 0.0;
    for (int i = 0; i < 12; ++i) {
        acc += a->g[i] * W[i] + z[i] * V[i];
        a->cd += a->g[i] * V[i];
    }
    return acc;
}

static void armature_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out, (void)at;
    const mb_force *f = self;
    mb_along a;
    const double acc = acceleration_at(&a, f, m);
    mb_along_force(m, f->marker, &a, f->d.inertia * acc);
}

/* D = J dc''/d(position or velocity) of a frame, by differences: they cost little beside the rest, and c'' is smooth. */
static void derivative(double D[6], const mb_force *f, mb_instance *m, int body, int what)
{
    mb_along a;
    const mb_state kept = m->state[body];
    for (int k = 0; k < 6; ++k) {
        double acc[2];
        for (int side = 0; side < 2; ++side) {
            mb_perturb(&m->state[body], what, k, side ? MB_DIFFERENCE : -MB_DIFFERENCE);
            acc[side] = acceleration_at(&a, f, m);
            m->state[body] = kept;
        }
        D[k] = f->d.inertia * (acc[1] - acc[0]) / (2.0 * MB_DIFFERENCE);
    }
}

static void armature_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    (void)at;
    const mb_force *f = self;
    mb_along a;
    double g6[2][6], K6[36], C6[36];
    const double acc = acceleration_at(&a, f, m);
    for (int i = 0; i < 2; ++i) {
        mb_gradient_to_body(g6[i], &a.P.side[i], a.g + 6 * i);
    }
    for (int k = 0; k < 4; ++k) { // K has its part of M, too
        const int i = f->marker[k / 2].body, j = f->marker[k % 2].body;
        if (i != 0 && j != 0) {
            force_outer(K6, f->d.inertia, g6[k / 2], g6[k % 2]);
            mb_add_mass(m, sink, i, j, f->pair[k / 2], K6);
        }
    }
    if (!(sink->wants & (DAL_WANT_C | DAL_WANT_K))) {
        return;
    }
    mb_along_tangent(m, sink, f->marker, &f->row, f->pair, &a, (mb_law){.Q = f->d.inertia * acc});
    for (int j = 0; j < 2; ++j) {
        double Dq[6], Dv[6];
        const int column = f->marker[j].body;
        if (column == 0) {
            continue;
        }
        derivative(Dq, f, m, column, MB_BY_POSITION);
        derivative(Dv, f, m, column, MB_BY_VELOCITY);
        for (int i = 0; i < 2; ++i) {
            if (f->marker[i].body != 0) {
                force_outer(K6, 1.0, g6[i], Dq);
                force_outer(C6, 1.0, g6[i], Dv);
                mb_add_pair(m, sink, f->marker[i].body, column, f->pair[i], C6, K6);
            }
        }
    }
}

static double armature_value(const mb_force *f, mb_instance *m, const dal_point *at)
{
    (void)at;
    mb_along a;
    return -f->d.inertia * acceleration_at(&a, f, m);
}

static void armature_kinetic(double *T, const void *self, const mb_instance *m)
{
    const mb_force *f = self;
    mb_along a;
    (void)acceleration_at(&a, f, m);
    *T += 0.5 * f->d.inertia * a.cd * a.cd;
}

static const dal_key armature_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(NUMBER, "inertia", dal_force, inertia, "kg or kg m^2",
           "of the rotor, as seen from the coordinate: times the square of its gear ratio", MB_REQUIRED,
           MB_NOT_NEGATIVE)};

const mb_force_type mb_force_armature = {
    .name = "armature",
    .about = MB_ABOUT_ONE_OF("Inertia on a coordinate alone, -inertia c'': the rotor of a geared motor.",
                             BODIES_OR_JOINT, armature_keys, "joint|coordinate"),
    .coordinates = 1,
    .value = armature_value,
    .element = {.wants = MB_WANTS_FORCE | DAL_WANT_M,
                .mass = 1,
                .connect = mb_connect_frames,
                .residual = armature_residual,
                .tangent = armature_tangent,
                .kinetic = armature_kinetic}};
