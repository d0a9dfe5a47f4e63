/* Two wheels with teeth, a rack and its pinion: the flanks that touch push along the line of action, with stiffness and backlash, (WH.7), (WH.8). */
#include <math.h>

#include "mbs/wrench.h"
#include "mbs/wrench_impl.h"

static dal_status check_teeth(const mb_scope *s, mb_force *f, const dal_force *d)
{
    (void)f;
    const double pitch = MB_TURN * d->radius / d->teeth;
    return d->backlash < 0.5 * pitch
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EINVAL, "force '%s': backlash = %g is from 0 to half a pitch, %g", d->name,
                          d->backlash, 0.5 * pitch);
}

static dal_status check_mesh(const mb_scope *s, mb_force *f, const dal_force *d)
{
    if (d->internal && !(d->radius_a > d->radius)) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "force '%s': radius_a = %g must be larger than radius in an internal mesh, whose ring is A",
                        d->name, d->radius_a);
    }
    return check_teeth(s, f, d);
}

#define TEETH                                                                                                         \
    MB_KEY(NUMBER, "pressure_angle", dal_force, angle, "rad", "of the line of action with the tangent, as `20 deg`",  \
           MB_REQUIRED, .range = ">= 0 < 1"),                                                                         \
        MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m", "of the teeth, along the pitch circle", MB_REQUIRED, \
               MB_POSITIVE),                                                                                          \
        MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "likewise, while they touch", MB_OPTIONAL,             \
               MB_NOT_NEGATIVE),                                                                                      \
        MB_KEY(NUMBER, "backlash", dal_force, backlash, "m", "play along the pitch circle; at first in its middle",   \
               MB_OPTIONAL, MB_NOT_NEGATIVE)

static const dal_key mesh_keys[] = {
    MB_KEY(NUMBER, "radius_a", dal_force, radius_a, "m", "pitch radius of the wheel around z of frame A", MB_REQUIRED,
           MB_POSITIVE),
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of that around z of frame B", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "teeth", dal_force, teeth, "", "of the wheel of B", MB_REQUIRED, .range = ">= 1"),
    MB_KEY(FLAG, "internal", dal_force, internal, "", "A is a ring, B inside", MB_OPTIONAL), TEETH};

const mb_force_type mb_force_mesh = {
    .name = "mesh",
    .about = MB_ABOUT(
        "Teeth of two wheels with parallel axes: stiffness, backlash, and forces along the line of action, "
        "which bearings carry. Value: the tangential force of A on B, positive where A drives B as z of A turns.",
        BODIES, mesh_keys),
    .check = check_mesh,
    .start = mb_wrench_start,
    .remember = mb_wrench_remember,
    MB_WRENCH_TYPE(WRENCH_MESH, 0)};

static const dal_key rack_keys[] = {
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "pitch radius of the pinion around z of frame B", MB_REQUIRED,
           MB_POSITIVE),
    MB_KEY(NUMBER, "teeth", dal_force, teeth, "", "of the pinion", MB_REQUIRED, .range = ">= 1"), TEETH};

const mb_force_type mb_force_rack = {
    .name = "rack",
    .about = MB_ABOUT(
        "A rack on A and its pinion on B: teeth along x of frame A, pointing along y of A to the pinion, which turns "
        "about z of frame B, parallel to z of A. Value: the force of the rack on the pinion along x of A.",
        BODIES, rack_keys),
    .check = check_teeth,
    .start = mb_wrench_start,
    .remember = mb_wrench_remember,
    MB_WRENCH_TYPE(WRENCH_RACK, 0)};
