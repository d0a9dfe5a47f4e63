/* Sections of one material. */
#include <string.h>

#include "dalembert/beam.h"

/* X^T A X += of one stiffness along a row x of the strain */
static void add_row(double A[36], double stiffness, const double x[6])
{
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            A[i + 6 * j] += stiffness * x[i] * x[j];
        }
    }
}

/* Strains at the centre (y, z): u1 + z w2 - y w3, u2 - z w1, u3 + y w1 */
dal_section dal_section_of(const dal_profile *profile)
{
    dal_section s;
    memset(&s, 0, sizeof s);
    if (!profile) {
        return s;
    }
    const dal_profile *p = profile;
    const double y = p->centre[0], z = p->centre[1], m = p->density * p->area, r2 = p->density * p->I2,
                 r3 = p->density * p->I3;
    const double shear[2] = {p->shear_2 != 0.0 ? p->shear_2 : 5.0 / 6.0, p->shear_3 != 0.0 ? p->shear_3 : 5.0 / 6.0};
    add_row(s.stiffness, p->E * p->area, (double[6]){1.0, 0.0, 0.0, 0.0, z, -y});
    add_row(s.stiffness, shear[0] * p->G * p->area, (double[6]){0.0, 1.0, 0.0, -z, 0.0, 0.0});
    add_row(s.stiffness, shear[1] * p->G * p->area, (double[6]){0.0, 0.0, 1.0, y, 0.0, 0.0});
    s.stiffness[21] += p->G * (p->torsion != 0.0 ? p->torsion : p->I2 + p->I3);
    s.stiffness[28] += p->E * p->I2;
    s.stiffness[35] += p->E * p->I3;
    for (int i = 0; i < 36; ++i) {
        s.damping[i] = p->damping * s.stiffness[i];
    }
    // kinetic energy of the velocity at the centre, and of what turns about it
    add_row(s.mass, m, (double[6]){1.0, 0.0, 0.0, 0.0, z, -y});
    add_row(s.mass, m, (double[6]){0.0, 1.0, 0.0, -z, 0.0, 0.0});
    add_row(s.mass, m, (double[6]){0.0, 0.0, 1.0, y, 0.0, 0.0});
    s.mass[21] += r2 + r3;
    s.mass[28] += r2;
    s.mass[35] += r3;
    return s;
}
