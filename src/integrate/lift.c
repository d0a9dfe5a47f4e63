#include "integrate/lift.h"

void dal_lift(const dal_group *G, double *theta, double *q_work, double *w, double *d, const double *q0,
              const double *q)
{
    for (int it = 0; it < 4; ++it) {
        dal_retract(G, q_work, q0, theta);
        dal_difference(G, w, q_work, q);
        dal_inv_tangent_apply(G, d, theta, w);
        for (int k = 0; k < G->nv; ++k) {
            theta[k] += d[k];
        }
    }
}
