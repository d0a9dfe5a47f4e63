/* Andrews' mechanism: data shared by its two descriptions. */
#ifndef PROBLEMS_ANDREWS_IMPL_H
#define PROBLEMS_ANDREWS_IMPL_H

#include "problems/problem_impl.h"
#include "problems/trig.h"

/* Masses and inertias of bodies 1..7 (two of the masses have a name of their own), fixed points O, A, B, and C, where
 * the spring begins. */
enum { ANDREWS_BODIES = 7 };
#define ANDREWS_M2 0.00365
#define ANDREWS_M4 0.00706 /* of body 6, too */
extern const double andrews_mass[7], andrews_inertia[7], andrews_ground[3][2], andrews_C[2];
#define ANDREWS_STIFFNESS 4530.0
#define ANDREWS_LENGTH 0.07785
#define ANDREWS_TORQUE 0.033

/* Lengths, named as in the test set. */
#define A_D 0.028
#define A_DA 0.0115
#define A_E 0.02
#define A_EA 0.01421
#define A_RR 0.007
#define A_RA 0.00092
#define A_SS 0.035
#define A_SA 0.01874
#define A_SB 0.01043
#define A_SC 0.018
#define A_SD 0.02
#define A_TA 0.02308
#define A_TB 0.00916
#define A_U 0.04
#define A_UA 0.01228
#define A_UB 0.00449
#define A_ZF 0.02
#define A_ZT 0.04
#define A_FA 0.01421

extern const double andrews_start[7];
/* Rows and callbacks in the 7 angles; the rows are filled and become the user pointer. */
void andrews_angles_describe(dal_dense *dense, trig_rows *R);

#endif
