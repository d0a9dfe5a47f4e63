/* Products with the matrices of the factors of a step, for its derivatives. */
#ifndef DAL_INTEGRATE_GENALPHA_PRODUCTS_H
#define DAL_INTEGRATE_GENALPHA_PRODUCTS_H

#include "base/vector.h"
#include "integrate/genalpha_impl.h"

/* Ad(exp(-theta)) = I - hat(theta) T */
static inline void ga_find_Ad(const dal_genalpha *ga, double *all)
{
    const dal_group *G = ga->ev->G;
    double H[36];
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int n = F->nv;
        if (F->type->flat) {
            continue;
        }
        double *Ad = all + F->v * G->max_nv;
        F->type->hat(H, ga->x + F->v, n);
        F->type->mul(Ad, H, n, ga->factor[f].T, n);
        dal_scale(Ad, -1.0, n * n);
        for (int i = 0; i < n; ++i) {
            Ad[i + i * n] += 1.0;
        }
    }
}

/* y += scale X w, or X^T w, X n x n; NULL: the identity */
DAL_INLINE void apply_one(double *restrict y, const double *restrict X, const double *restrict w, int n, double scale,
                          int transposed)
{
    for (int j = 0; j < n && transposed; ++j) {
        y[j] += scale * dal_dot_few(X + j * n, w, n);
    }
    for (int j = 0; j < n && !transposed; ++j) {
        const double f = scale * w[j];
        for (int i = 0; i < n; ++i) {
            y[i] += X[i + j * n] * f;
        }
    }
}

/* y += scale X w, or X^T w, with one of the matrices of the factors. */
typedef enum which { OF_T, OF_N, OF_P, OF_AD } which;
static inline void ga_apply(const dal_genalpha *ga, double *y, which matrix, const double *Ad, const double *w,
                            double scale, int transposed)
{
    const dal_group *G = ga->ev->G;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const ga_factor *k = &ga->factor[f];
        const int n = F->nv;
        const double *X = F->type->flat    ? NULL
                          : matrix == OF_T ? k->T
                          : matrix == OF_N ? k->N
                          : matrix == OF_P ? k->Pi
                                           : Ad + F->v * G->max_nv;
        if (!X) {
            dal_add_multiple(y + F->v, w + F->v, scale, n);
        } else if (n == 6) {
            apply_one(y + F->v, X, w + F->v, 6, scale, transposed);
        } else {
            apply_one(y + F->v, X, w + F->v, n, scale, transposed);
        }
    }
}

/* y += scale lift B0^T nu, or for transposed nu += scale B0 lift y; nu: as the unknowns have it, ne */
static inline void ga_apply_B0(const dal_genalpha *ga, double *y, double *nu, double scale, int transposed)
{
    const dal_group *G = ga->ev->G;
    for (int f = 0; f < G->nfactors && ga->ne > 0; ++f) {
        const int nj = G->factor[f].nv;
        for (int e = ga->eta_link0[f]; e < ga->eta_link0[f + 1]; ++e) {
            const ga_eta_link *el = &ga->eta_link[e];
            const int nr = ga->ev->sys->constraint[el->c].nrows;
            double *at = nu + ga->eta0[el->c], *v = y + G->factor[f].v;
            for (int i = 0; i < nj * nr; ++i) { // entry r of column i/nr
                *(transposed ? &at[i % nr] : &v[i / nr]) += scale * el->B0[i] * (transposed ? v[i / nr] : at[i % nr]);
            }
        }
    }
}

#endif
