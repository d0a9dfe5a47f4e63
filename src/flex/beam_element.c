/* Elements of a straight beam: linear in extension and torsion, cubic with shear deformation in bending. */
#include "flex/beam_impl.h"

const double beam_gauss_point[BEAM_GAUSS] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                             0.93056815579702629};
const double beam_gauss_weight[BEAM_GAUSS] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                              0.17392742256872693};

void beam_shape_at(beam_shape *s, const beam_family *f, double l, double xi)
{
    *s = (beam_shape){{0.0}, {0.0}, {0.0}};
    if (f->nd == 1) {
        s->N[0] = 1.0 - xi;
        s->N[1] = xi;
        s->dN[0] = -1.0 / l;
        s->dN[1] = 1.0 / l;
        s->T[0] = s->N[0];
        s->T[1] = s->N[1];
        return;
    }
    // homogeneous solutions of the static beam: exact for loads at the nodes
    const double p = f->phi, c = 1.0 / (1.0 + p), x2 = xi * xi, x3 = x2 * xi;
    s->N[0] = c * (2.0 * x3 - 3.0 * x2 - p * xi + 1.0 + p);
    s->N[1] = c * l * (x3 - (2.0 + 0.5 * p) * x2 + (1.0 + 0.5 * p) * xi);
    s->N[2] = c * (-2.0 * x3 + 3.0 * x2 + p * xi);
    s->N[3] = c * l * (x3 - (1.0 - 0.5 * p) * x2 - 0.5 * p * xi);
    s->T[0] = 6.0 * c / l * (x2 - xi);
    s->T[1] = c * (3.0 * x2 - (4.0 + p) * xi + 1.0 + p);
    s->T[2] = -s->T[0];
    s->T[3] = c * (3.0 * x2 - (2.0 - p) * xi);
    s->dN[0] = c / l * (6.0 * x2 - 6.0 * xi - p);
    s->dN[1] = c * (3.0 * x2 - (4.0 + p) * xi + 1.0 + 0.5 * p);
    s->dN[2] = -s->dN[0];
    s->dN[3] = c * (3.0 * x2 - (2.0 - p) * xi - 0.5 * p);
}

void beam_stiffness(double K[16], const beam_family *f, double l)
{
    if (f->nd == 1) {
        const double k = f->stiffness / l;
        K[0] = K[3] = k;
        K[1] = K[2] = -k;
        return;
    }
    const double p = f->phi, k = f->stiffness / (l * l * l * (1.0 + p)), k1 = 6.0 * l * k;
    const double near = (4.0 + p) * l * l * k, far = (2.0 - p) * l * l * k;
    const double full[16] = {12.0 * k,  k1,  -12.0 * k, k1,  k1, near, -k1, far, //
                             -12.0 * k, -k1, 12.0 * k,  -k1, k1, far,  -k1, near};
    for (int i = 0; i < 16; ++i) {
        K[i] = full[i];
    }
}

/* Mass of an element by its Gauss points: exact, the integrand has degree six */
static void element_mass(double M[16], const beam_family *f, double l)
{
    const int n = 2 * f->nd;
    for (int i = 0; i < 16; ++i) {
        M[i] = 0.0;
    }
    for (int g = 0; g < BEAM_GAUSS; ++g) {
        const double w = beam_gauss_weight[g] * l;
        beam_shape s;
        beam_shape_at(&s, f, l, beam_gauss_point[g]);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                M[i + j * n] += w * (f->mass * s.N[i] * s.N[j] + f->spin * s.T[i] * s.T[j]);
            }
        }
    }
}

void beam_mass(double *M, const beam_family *f, const beam_mesh *mesh)
{
    const int ne2 = 2 * f->nd, n = f->nd * (mesh->ne + 1);
    double Me[16];
    element_mass(Me, f, mesh->l);
    for (int i = 0; i < n * n; ++i) {
        M[i] = 0.0;
    }
    for (int e = 0; e < mesh->ne; ++e) {
        const int first = f->nd * e;
        for (int j = 0; j < ne2; ++j) {
            for (int i = 0; i < ne2; ++i) {
                M[first + i + (first + j) * n] += Me[i + j * ne2];
            }
        }
    }
}

int beam_fixed(const beam_family *f, const beam_mesh *mesh, int dof)
{
    const int left = dof < f->nd, right = dof >= f->nd * mesh->ne;
    if (mesh->reference == BEAM_CLAMPED) {
        return left;
    }
    // pinned: deflections at both ends; extension and twist at the left one
    const int deflection = dof % f->nd == 0;
    return mesh->reference == BEAM_PINNED && deflection && (left || (right && f->nd == 2));
}

int beam_rigid(const beam_family *f, const beam_mesh *mesh)
{
    return mesh->reference == BEAM_FREE ? f->nd : 0;
}
