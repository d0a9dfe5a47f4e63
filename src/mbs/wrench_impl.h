/* Functions of the types of forces in force_tyre.c, force_rail.c, force_mesh.c, force_rack.c, force_belt.c. */
#ifndef DAL_MBS_WRENCH_IMPL_H
#define DAL_MBS_WRENCH_IMPL_H

#include "mbs/force_impl.h"

void mb_wrench_connect(mb_plan *plan, void *force);
void mb_wrench_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at);
void mb_wrench_push(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at);
void mb_wrench_potential(double *V, const void *self, mb_instance *m, double t);
void mb_wrench_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at);
double mb_wrench_value(const mb_force *f, mb_instance *m, const dal_point *at);
unsigned mb_wrench_axes(const mb_force *f);
/* Of a mesh, a rack and a belt: at the initial pose teeth are in the middle of their play, spans have their tension. */
void mb_wrench_start(double *v0, const mb_force *f, mb_instance *m);
/* Looks after each step whether their axes are parallel and, of a mesh, about as far apart as the pitch circles ask for. */
void mb_wrench_remember(const mb_force *f, mb_instance *m, double t);

/* What types with a kernel have in common. more: what it wants besides what all forces do */
#define MB_WRENCH_TYPE(kernel, more)                                                 \
    .turns_of = mb_wrench_axes, .wrench_kernel = (kernel), .value = mb_wrench_value, \
    .element = {.wants = MB_WANTS_FORCE | (more),                                    \
                .connect = mb_wrench_connect,                                        \
                .residual = mb_wrench_residual,                                      \
                .tangent = mb_wrench_push,                                           \
                .potential = mb_wrench_potential,                                    \
                .exchange = mb_wrench_exchange}

#endif
