/* A toothed belt around two wheels, (WH.9). */
#include <math.h>

#include "mbs/wrench.h"
#include "mbs/wrench_impl.h"

static const dal_key belt_keys[] = {
    MB_KEY(NUMBER, "radius_a", dal_force, radius_a, "m", "pitch radius of the wheel around z of frame A", MB_REQUIRED,
           MB_POSITIVE),
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of that around z of frame B", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "teeth", dal_force, teeth, "", "of the wheel of B; the belt stretches by less than half a pitch",
           MB_REQUIRED, .range = ">= 1"),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m", "of a span", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "likewise", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "tension", dal_force, tension, "N", "of both spans at the initial pose", MB_OPTIONAL,
           MB_NOT_NEGATIVE)};

const mb_force_type mb_force_belt = {
    .name = "belt",
    .about =
        MB_ABOUT("A toothed belt around two wheels with parallel axes: two spans that pull, and that bearings carry. "
                 "Value: the difference of their tensions, positive where A drives B as z of A turns.",
                 BODIES, belt_keys),
    .start = mb_wrench_start,
    .remember = mb_wrench_remember,
    MB_WRENCH_TYPE(WRENCH_BELT, 0)};
