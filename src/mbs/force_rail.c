/* A wheel on a rail: a cone on a cylinder, with creep forces by Kalker's linear theory, (WH.5), (WH.6). */
#include <math.h>

#include "mbs/wrench.h"
#include "mbs/wrench_impl.h"

static dal_status check_rail(const mb_scope *s, mb_force *f, const dal_force *d)
{
    (void)f;
    if (!(d->radius > 0.0) || !(d->radius_a > 0.0) || !(d->stiffness > 0.0) || d->damping < 0.0 || d->mu < 0.0) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "force '%s': radius, radius_a and stiffness of a wheel on a rail must be positive, damping and "
                        "mu not negative",
                        d->name);
    }
    if (!(fabs(d->angle) < 1.5) || d->creep[0] < 0.0 || d->creep[1] < 0.0 || d->creep[3] < 0.0) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "force '%s': the cone angle is below a right angle, creep coefficients are not negative",
                        d->name);
    }
    return DAL_OK;
}

static const dal_key rail_keys[] = {
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of the wheel at the origin of frame B; it shrinks along z of B",
           MB_REQUIRED),
    MB_KEY(NUMBER, "cone", dal_force, angle, "rad", "angle of the tread with the axle; tan: conicity", MB_REQUIRED),
    MB_KEY(NUMBER, "radius_a", dal_force, radius_a, "m", "of the head of the rail, across", MB_REQUIRED),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m", "of the contact", MB_REQUIRED),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "likewise", MB_OPTIONAL),
    MB_KEY(NUMBERS, "creep", dal_force, creep, "N, N, N m, N m^2",
           "force per creepage along, across, of spin, and moment of spin: G a b C_11, C_22, (ab)^(1/2) C_23, ab C_33",
           MB_REQUIRED, .n = 4),
    MB_KEY(NUMBER, "mu", dal_force, mu, "", "creep forces are at most mu N; default: no limit", MB_OPTIONAL),
    MB_KEY(NUMBER, "least_speed", dal_force, least_speed, "m/s", "creepage is taken of at least this speed",
           .preset = "0.01")};

const mb_force_type mb_force_rail = {
    .name = "rail",
    .about =
        MB_ABOUT("A wheel on a rail: a cone around z of frame B (outwards) on a cylinder along x of frame A, whose top "
                 "is the origin of A; creep forces of the linear theory.",
                 BODIES, rail_keys),
    .check = check_rail,
    .turns_of = mb_wrench_axes,
    .wrench_kernel = WRENCH_RAIL,
    .value = mb_wrench_value,
    .element = MB_WRENCH_ELEMENT(0)};
