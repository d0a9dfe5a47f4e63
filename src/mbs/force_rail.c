/* A wheel on a rail: a cone on a cylinder, with creep forces by Kalker's linear theory, (WH.5), (WH.6). */
#include <math.h>

#include "mbs/wrench.h"
#include "mbs/wrench_impl.h"

static const dal_key rail_keys[] = {
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of the wheel at the origin of frame B; it shrinks along z of B",
           MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "cone", dal_force, angle, "rad", "angle of the tread with the axle; tan: conicity", MB_REQUIRED,
           .range = "> -1.5 < 1.5"),
    MB_KEY(NUMBER, "radius_a", dal_force, radius_a, "m", "of the head of the rail, across", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m", "of the contact", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "likewise", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBERS, "creep", dal_force, creep, "N, N, N m, N m^2",
           "force per creepage along, across, of spin, and moment of spin: G a b C_11, C_22, (ab)^(1/2) C_23, ab C_33",
           MB_REQUIRED, .n = 4, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "mu", dal_force, mu, "", "creep forces are at most mu N; default: no limit", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "least_speed", dal_force, least_speed, "m/s",
           "creepage is taken of at least this speed; default: 0.03 of the radius per second", MB_OPTIONAL,
           MB_NOT_NEGATIVE)};

const mb_force_type mb_force_rail = {
    .name = "rail",
    .about =
        MB_ABOUT("A wheel on a rail: a cone around z of frame B (outwards) on a cylinder along x of frame A, whose top "
                 "is the origin of A; creep forces of the linear theory.",
                 BODIES, rail_keys),
    MB_WRENCH_TYPE(WRENCH_RAIL, 0)};
