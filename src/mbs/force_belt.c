/* A toothed belt around two wheels, (WH.9). */
#include <math.h>

#include "mbs/wrench.h"
#include "mbs/wrench_impl.h"

static dal_status check_belt(const mb_scope *s, mb_force *f, const dal_force *d)
{
    (void)f;
    if (!(d->radius > 0.0) || !(d->radius_a > 0.0) || !(d->stiffness > 0.0) || d->damping < 0.0 || !(d->teeth >= 1.0) ||
        d->tension < 0.0) {
        return dal_fail(
            s->ctx, DAL_EINVAL,
            "force '%s': radius, radius_a, stiffness and teeth of a belt must be positive, damping and tension "
            "not negative",
            d->name);
    }
    return DAL_OK;
}

static const dal_key belt_keys[] = {
    MB_KEY(NUMBER, "radius_a", dal_force, radius_a, "m", "pitch radius of the wheel around z of frame A", MB_REQUIRED),
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of that around z of frame B", MB_REQUIRED),
    MB_KEY(NUMBER, "teeth", dal_force, teeth, "", "of the wheel of B; the belt stretches by less than half a pitch",
           MB_REQUIRED),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m", "of a span", MB_REQUIRED),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "likewise", MB_OPTIONAL),
    MB_KEY(NUMBER, "tension", dal_force, tension, "N", "of both spans at the initial pose", MB_OPTIONAL)};

const mb_force_type mb_force_belt = {
    .name = "belt",
    .about =
        MB_ABOUT("A toothed belt around two wheels with parallel axes: two spans that pull, and that bearings carry. "
                 "Value: the difference of their tensions, positive where A drives B as z of A turns.",
                 BODIES, belt_keys),
    .check = check_belt,
    .turns_of = mb_wrench_axes,
    .start = mb_wrench_start,
    .wrench_kernel = WRENCH_BELT,
    .value = mb_wrench_value,
    .element = MB_WRENCH_ELEMENT(0)};
