/* What the files of modes share. */
#ifndef DAL_ANALYSIS_MODAL_IMPL_H
#define DAL_ANALYSIS_MODAL_IMPL_H

#include "analysis/pencil.h"

struct dal_modal {
    dal_ctx *ctx;
    const dal_system *sys;
    dal_modal_info info;
    dal_mode *mode;
    double *shape; /* 2 nv per mode */
    double *share; /* nv per mode */
    dal_arena arena;
};

/* The axes in which the motion through a point is steady, if there are any. p: pencil at the point, in these axes and
 * reduced, when this returns. */
typedef struct dal_steady {
    dal_axes_choice axes;
    dal_steadiness steady;
    double drift, acceleration;
    int still; /* it has no velocity */
} dal_steady;
dal_status dal_steady_find(dal_steady *s, dal_pencil *p, dal_data *data, const dal_point *at,
                           dal_axes wanted) DAL_NODISCARD;
/* The same as far as it needs no second instant: at rest, or not. */
dal_status dal_steady_rest(dal_steady *s, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                           const dal_point *at) DAL_NODISCARD;
/* The same for large systems: axes that turn with what turns fastest, judged by the accelerations alone. */
dal_status dal_steady_turning(dal_steady *s, dal_ctx *ctx, const dal_system *sys, dal_data *data,
                              const dal_point *at) DAL_NODISCARD;
/* The largest velocity, states of first order apart. */
double dal_steady_speed(const dal_system *sys, const dal_point *at);
dal_axes dal_steady_kind(const dal_steady *s);

/* Room for n modes. */
dal_status dal_modal_reserve(dal_modal *modal, int n) DAL_NODISCARD;
/* Enter a mode: eigenvalue, and its d and w, nv real parts and then nv imaginary parts each. They are overwritten. */
void dal_modal_enter(dal_modal *modal, double *d, double *w, int k, double re, double im, const dal_sparse *M);

/* axes: those in which a motion is steady; NULL: the point must be one of rest. */
dal_status dal_modal_sparse(dal_modal *modal, const dal_system *sys, dal_data *data, const dal_point *at, int n,
                            const dal_axes_choice *axes) DAL_NODISCARD;

/* Floquet exponents of a motion with this period, which is checked. p: a pencil of the system. */
dal_status dal_modal_floquet(dal_modal *modal, dal_pencil *p, dal_data *data, const dal_point *at, double period,
                             int wanted) DAL_NODISCARD;

#endif
