/* dalembert/flex.h - shapes of straight beams for flexible bodies (docs/theory/flexible.md, section 3).
 *
 *     dal_beam_modes_create -> dal_model_add_flexible -> dal_beam_modes_destroy */
#ifndef DALEMBERT_FLEX_H
#define DALEMBERT_FLEX_H

#include "dalembert/mbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of deformation. */
enum {
    DAL_BEAM_EXTENSION = 1,
    DAL_BEAM_BENDING_Y = 2, /* displacements along y */
    DAL_BEAM_BENDING_Z = 4, /* displacements along z */
    DAL_BEAM_TORSION = 8
};

/* A straight beam along x from the origin of the body frame, axes of its section along y and z. Zero-initialise. */
typedef struct dal_beam {
    double length;
    double E, G;             /* moduli of elasticity and of shear; G for torsion and shear deformation */
    double density;          /* kg/m^3 */
    double area;             /* of the section */
    double Iy, Iz;           /* second moments of area about y (bending along z) and z (bending along y) */
    double It;               /* torsion constant; 0: Iy + Iz */
    double shear_y, shear_z; /* shear factors for displacements along y and z; 0: Euler-Bernoulli */
    int slender;             /* leave the rotary inertia of bending out */
    const char *reference;   /* "clamped" (default), "pinned", "free": how the frame is attached to the beam */
    unsigned kinds;          /* DAL_BEAM_*; 0: all */
    int elements;            /* 0: 20 */
    int nmodes;              /* the lowest ones of all kinds; with craig_bampton: vibrations with both ends held */
    int craig_bampton;       /* and in addition the static shapes of the ends */
    int stiffening;          /* geometric stiffening, (FX.11) */
    double damping;          /* damping ratio of all modes */
    const double *stations;  /* places 0 .. length of further interface nodes */
    int nstations;
} dal_beam;

/* Shapes with unit modal mass in ascending order within each family: stiffness[k] is the square of the k-th angular
 * frequency. Interface nodes: "A" at x = 0, "B" at x = length, then the stations "1", "2", ... */
DAL_API dal_status dal_beam_modes_create_(dal_modes **modes, dal_ctx *ctx, const dal_beam *beam,
                                          size_t size) DAL_NODISCARD;
DAL_API void dal_beam_modes_destroy(dal_modes *modes); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
