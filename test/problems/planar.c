#include "problems/planar.h"

#include "problems/trig.h"
#include "problems/vec3.h"

dal_status planar_Phi(double *Phi, double t, const double *q, void *user)
{
    (void)t;
    trig_Phi(user, Phi, q);
    return DAL_OK;
}

dal_status planar_B(double *B, double t, const double *q, void *user)
{
    (void)t;
    trig_B(user, B, q);
    return DAL_OK;
}

dal_status planar_Z(double *Z, double t, const double *q, const double *v, void *user)
{
    (void)t;
    trig_Z(user, Z, q, v);
    return DAL_OK;
}

dal_status planar_acc(double *w, double t, const double *q, const double *v, void *user)
{
    (void)t;
    trig_acc(user, w, q, v);
    return DAL_OK;
}

dal_status planar_zero_C(double *C, double t, const double *q, const double *v, const double *la, void *user)
{
    (void)t, (void)q, (void)v, (void)la;
    const trig_rows *R = user;
    vzero(C, R->nv * R->nv);
    return DAL_OK;
}
