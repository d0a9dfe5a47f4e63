/* Callbacks of a system whose user pointer starts with the trig_rows of its constraints. */
#ifndef PROBLEMS_PLANAR_H
#define PROBLEMS_PLANAR_H

#include "dalembert/system.h"

dal_status planar_Phi(double *Phi, double t, const double *q, void *user);
dal_status planar_B(double *B, double t, const double *q, void *user);
dal_status planar_Z(double *Z, double t, const double *q, const double *v, void *user);
dal_status planar_acc(double *w, double t, const double *q, const double *v, void *user);
dal_status planar_zero_C(double *C, double t, const double *q, const double *v, const double *la, void *user);

#endif
