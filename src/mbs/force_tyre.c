/* A tyre on a plane: a disk that the plane presses with a spring, and forces from slip, (WH.1) to (WH.4). */
#include <math.h>

#include "mbs/wrench.h"
#include "mbs/wrench_impl.h"

static dal_status check_tyre(const mb_scope *s, mb_force *f, const dal_force *d)
{
    f->d.slip_stiffness[1] = d->slip_stiffness[1] > 0.0 ? d->slip_stiffness[1] : d->slip_stiffness[0];
    f->d.shape_factor = d->shape_factor > 0.0 ? d->shape_factor : 1.3; // a description in C may leave it out
    if (!(d->slip_stiffness[0] > 0.0)) {
        return dal_fail(s->ctx, DAL_EINVAL, "force '%s': slip_stiffness of a tyre must be positive", d->name);
    }
    if (d->rollers && (d->camber_stiffness > 0.0 || d->relaxation_length > 0.0)) {
        return dal_fail(s->ctx, DAL_EINVAL,
                        "force '%s': wheels with rollers have no camber_stiffness and no relaxation_length", d->name);
    }
    f->own = d->relaxation_length > 0.0;
    if ((d->tyre != WRENCH_LINEAR && d->tyre != WRENCH_BRUSH && d->tyre != WRENCH_MAGIC) ||
        (d->tyre != WRENCH_LINEAR && !(d->mu > 0.0))) {
        return dal_fail(s->ctx, DAL_EINVAL, "force '%s': a tyre of law brush or magic needs mu > 0", d->name);
    }
    return DAL_OK;
}

static const char *const laws[] = {"linear", "brush", "magic", NULL};
static const dal_key tyre_keys[] = {
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of the wheel, around z of frame B", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m", "against the plane", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "likewise", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBERS, "slip_stiffness", dal_force, slip_stiffness, "N",
           "force per slip, along, and across per radian of slip angle", MB_REQUIRED, .n = 2, MB_NOT_NEGATIVE),
    MB_KEY(CHOICE, "law", dal_force, tyre, "", "linear; brush: cubic up to mu F_z; magic: sin(C atan(...)) mu F_z",
           .words = laws, .preset = "\"linear\""),
    MB_KEY(NUMBER, "mu", dal_force, mu, "", "of brush and magic: coefficient of friction", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "shape_factor", dal_force, shape_factor, "", "C of magic", .preset = "1.3", MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "curvature", dal_force, curvature, "", "E of magic", MB_OPTIONAL),
    MB_KEY(NUMBER, "half_length", dal_force, half_length, "m", "of the patch: the side force acts a third of it behind",
           MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "camber_stiffness", dal_force, camber_stiffness, "N",
           "force across per radian by which the wheel leans, to the side to which it leans", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "relaxation_length", dal_force, relaxation_length, "m",
           "way over which the side force follows the slip angle; default: at once", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(FLAG, "rollers", dal_force, rollers, "", "forces act along the rollers only: omni and mecanum wheels",
           MB_OPTIONAL),
    MB_KEY(NUMBER, "roller_angle", dal_force, angle, "rad",
           "of the axes of the rollers on the ground with the rolling direction; 0: omni wheel", MB_OPTIONAL),
    MB_KEY(NUMBER, "least_speed", dal_force, least_speed, "m/s",
           "slip is taken of at least this speed; default: 0.03 of the radius per second", MB_OPTIONAL,
           MB_NOT_NEGATIVE)};

const mb_force_type mb_force_tyre = {
    .name = "tyre",
    .about = MB_ABOUT("A wheel that rolls on the x-y plane of frame A, with its axle along z of frame B: pressed by a "
                      "spring, forces from slip.",
                      BODIES, tyre_keys),
    .check = check_tyre,
    .diagonal = 1,
    .own_name = "side_slip",
    MB_WRENCH_TYPE(WRENCH_TYRE, DAL_WANT_M)};
