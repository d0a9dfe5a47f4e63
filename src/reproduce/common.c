/* What several papers measure. */
#include <math.h>
#include <string.h>

#include "reproduce/claim.h"

double claim_measure(const claim *c, dal_ctx *ctx)
{
    lab L = {.ctx = ctx};
    const double x = c->measure(c, &L);
    lab_close(&L);
    return x;
}

const subject *claim_model(const claim *c, lab *L)
{
    return lab_model(L, c->model, c->set);
}

double order_on(const claim *c, lab *L)
{
    return observed_order(L, claim_model(c, L), c->arg[0], c->arg[1], (int)c->arg[2], c->options, (unsigned)c->arg[3],
                          c->expected);
}

int claim_coefficients(dal_ga_coef *k, lab *L, double rho)
{
    dal_options opt = dal_options_init();
    opt.rho_inf = rho;
    return dal_ga_coefficients(L->ctx, k, &opt) == DAL_OK;
}

int claim_recursion(double T[9], dal_ga_coef *k, lab *L, double rho, dal_formulation formulation)
{
    int n;
    return claim_coefficients(k, L, rho) && dal_error_recursion(L->ctx, T, &n, k, formulation) == DAL_OK;
}

void matrix_product(double *Y, const double *A, const double *X, int n)
{
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            Y[i + n * j] = 0.0;
            for (int k = 0; k < n; ++k) {
                Y[i + n * j] += A[i + n * k] * X[k + n * j];
            }
        }
    }
}

double top_residual(const track *r, int k)
{
    // x' - R (Omega x e2), the first of three
    const double *p = at_q(r, k) + 3, *v = at_v(r, k);
    return v[0] + (p[0] * p[0] + p[1] * p[1] - p[2] * p[2] - p[3] * p[3]) * v[5] -
           2.0 * (p[1] * p[3] + p[0] * p[2]) * v[3];
}

double steps_until_equal(double *peak, const track *a, const track *b, int first)
{
    double most = 0.0;
    int last = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = first; k < a->n && k < b->n; ++k) {
            const double d = distance(at_la(a, k), at_la(b, k), a->s->nc);
            most = pass == 0 ? larger(most, d) : most;
            last = pass == 1 && d > 0.01 * most ? k - first : last;
        }
    }
    if (peak != NULL) {
        *peak = good(a, good(b, most));
    }
    return good(a, good(b, last));
}
