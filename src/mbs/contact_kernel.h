/* Rows of contacts in the library: touch_kernel.h with curves, by the numbers of a row. */
#ifndef DAL_MBS_CONTACT_KERNEL_H
#define DAL_MBS_CONTACT_KERNEL_H

#include "mbs/curve_impl.h"
#include "mbs/row_impl.h"
#include "mbs/touch_kernel.h"

/* A vector in the axes x, y of E. */
static inline void touch_in_plane(double y[3], const double x[2], const double *E)
{
    scale3(y, x[0], E);
    axpy3(y, x[1], E + 3);
}

/* A curve in the axes x, y of E, seen from d: s and t are the shares of a change of d along the tangent u in that of the angle and of the
 * place. */
static inline void touch_curve(touch *K, const mb_row *r, const double *E)
{
    const double y[2] = {dot3(E, K->d), dot3(E + 3, K->d)};
    mb_curve_foot F;
    mb_curve_nearest(&F, r->curve, r->part, y);
    touch_in_plane(K->n, F.n, E);
    touch_in_plane(K->u, F.T, E);
    touch_in_plane(K->arm[0], F.x, E);
    axpy3(K->arm[0], dot3(K->a, K->d), K->a);
    K->t = 1.0 / (1.0 + F.kappa * F.gap);
    K->s = F.kappa * K->t;
    K->phi = F.gap - K->c2;
}

/* Its lowest place above a plane. */
static inline void touch_curve_on_plane(touch *K, const mb_row *r, const double *E)
{
    const double k[2] = {dot3(E, K->a), dot3(E + 3, K->a)};
    double n[3];
    mb_curve_foot F;
    mb_curve_lowest(&F, r->curve, r->part, k);
    copy3(K->n, K->a);
    touch_in_plane(n, F.n, E);
    touch_in_plane(K->u, F.T, E);
    touch_in_plane(K->arm[1], F.x, E);
    K->s = F.kappa == 0.0 ? 0.0 : 1.0 / (F.kappa * dot3(n, K->a));
    add3(K->arm[0], K->d, K->arm[1]);
    K->phi = dot3(K->a, K->arm[0]);
    axpy3(K->arm[0], -K->phi, K->a);
}

static inline touch touch_at(const mb_row *r, const mb_pairing *P)
{
    touch K = touch_of(r->j, r->c, r->c2, P);
    if (K.kind == TOUCH_CURVE_POINT) {
        touch_curve(&K, r, P->side[K.swap].E);
        axpy3(K.arm[1], -K.c2, K.n);
    } else if (K.kind == TOUCH_PLANE_CURVE) {
        touch_curve_on_plane(&K, r, P->side[1 - K.swap].E);
    }
    return K;
}

static inline double touch_row_phi(const mb_row *r, const mb_pairing *P)
{
    return touch_at(r, P).phi;
}

static inline void touch_row_gradient(double g[12], const mb_row *r, const mb_pairing *P)
{
    const touch K = touch_at(r, P);
    touch_gradient_of(g, r->j, r->i, &K, P);
}

static inline void touch_row_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P)
{
    const touch K = touch_at(r, P);
    touch_hessian_of(H, la, r->j, r->i, &K, P);
}

#endif
