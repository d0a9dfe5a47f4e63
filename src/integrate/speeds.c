#include "integrate/speeds.h"

#include <float.h>
#include <math.h>

#include "base/vector.h"

int dal_vector_length(const dal_factor *F, int i)
{
    switch (F->type->kind) {
    case DAL_FACTOR_SO3:
    case DAL_FACTOR_R3SO3:
    case DAL_FACTOR_SE3:
        return 3;
    case DAL_FACTOR_SE2:
    case DAL_FACTOR_R2S1:
        return i < 2 ? 2 : 1;
    default:
        return 1;
    }
}

double dal_vector_norm(const double *x, int n)
{
    double sum = 0.0;
    if (n == 3) {
        return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    }
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* Vectors of factors first .. end - 1, which are alike, get the largest number among them. */
static void share(const dal_group *G, double *largest, int first, int end)
{
    const dal_factor *F = &G->factor[first];
    for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
        double most = 0.0;
        for (int f = first; f < end; ++f) {
            most = fmax(most, largest[G->factor[f].v + i]);
        }
        for (int f = first; f < end; ++f) {
            largest[G->factor[f].v + i] = most;
        }
    }
}

void dal_note_largest(const dal_system *sys, double *largest, const double *x)
{
    const dal_group *G = sys->group;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
            const int k = F->v + i;
            largest[k] = fmax(largest[k], dal_vector_norm(x + k, dal_vector_length(F, i)));
        }
    }
    for (int f = 0, end; sys->shares && f < G->nfactors; f = end) {
        for (end = f + 1; end < G->nfactors && sys->shares[end] == sys->shares[f]; ++end) {
        }
        if (sys->shares[f] > 0) {
            share(G, largest, f, end);
        }
    }
}

double dal_least_error(const double *vmax, int nv)
{
    return 200.0 * DBL_EPSILON * dal_max_abs(vmax, nv);
}
