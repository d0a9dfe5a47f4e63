/* Combinations of parameters that the data do not tell apart: the null space of J^T J, by Cholesky's factors with the largest pivot
 * first. */
#include <math.h>

#include "search/search_impl.h"

/* Factors at work: rows in the order of the parameters that they have come to. */
typedef struct factors {
    int n, nfree;             /* parameters; those that are not held, the first of the order */
    const double *A;          /* n x n: J^T J */
    double *L;                /* n x n, of A with a diagonal of ones */
    double rest[SEARCH_MOST]; /* of the diagonal */
    int order[SEARCH_MOST];
} factors;

static void exchange(factors *c, int i, int j)
{
    const int number = c->order[i];
    const double rest = c->rest[i];
    c->order[i] = c->order[j];
    c->order[j] = number;
    c->rest[i] = c->rest[j];
    c->rest[j] = rest;
    for (int k = 0; k < i; ++k) {
        const double x = c->L[i * c->n + k];
        c->L[i * c->n + k] = c->L[j * c->n + k];
        c->L[j * c->n + k] = x;
    }
}

/* Column j of L. */
static void eliminate(factors *c, int j)
{
    const int n = c->n, p = c->order[j];
    double *L = c->L;
    L[j * n + j] = sqrt(c->rest[j]);
    for (int i = j + 1; i < c->nfree; ++i) {
        const int k = c->order[i];
        double sum = c->A[p * n + k] / sqrt(c->A[p * n + p] * c->A[k * n + k]);
        for (int l = 0; l < j; ++l) {
            sum -= L[i * n + l] * L[j * n + l];
        }
        L[i * n + j] = sum / L[j * n + j];
        c->rest[i] -= L[i * n + j] * L[i * n + j];
    }
}

/* How many parameters are told apart; they come first in the order. */
static int rank(factors *c, double least)
{
    for (int j = 0; j < c->nfree; ++j) {
        int best = j;
        for (int i = j + 1; i < c->nfree; ++i) {
            best = c->rest[i] > c->rest[best] ? i : best;
        }
        if (!(c->rest[best] > least)) {
            return j;
        }
        exchange(c, j, best);
        eliminate(c, j);
    }
    return c->nfree;
}

/* x (r + 1): what changes nothing in first order, in units of the columns of J: the parameter at place j, the last, moves by 1, the r
 * that are told apart go with it. */
static void null_direction(const factors *c, double *x, int j, int r)
{
    const int n = c->n;
    x[r] = 1.0;
    for (int i = r - 1; i >= 0; --i) {
        x[i] = -c->L[j * n + i];
        for (int k = i + 1; k < r; ++k) {
            x[i] -= c->L[k * n + i] * x[k];
        }
        x[i] /= c->L[i * n + i];
    }
}

/* Parameters of groups that meet become one group. Returns whether they met none. */
static int join(int *tied, const int *in, int count, int group, int n)
{
    int alone = 1;
    for (int i = 0; i < count; ++i) {
        const int old = tied[in[i]];
        alone &= old == 0 || old == group;
        for (int k = 0; k < n && old > 0; ++k) {
            tied[k] = tied[k] == old ? group : tied[k];
        }
        tied[in[i]] = group;
    }
    return alone;
}

/* The combination that parameter j of the order stands for. */
static void note(const sweep_search *s, const factors *c, int j, int r, int group)
{
    dal_sweep_found *found = s->found;
    double x[SEARCH_MOST + 1], most = 0.0;
    int in[SEARCH_MOST], count = 0;
    null_direction(c, x, j, r);
    for (int i = 0; i <= r; ++i) {
        const int k = c->order[i < r ? i : j];
        const double value = s->lo[k] + s->z[k] * (s->hi[k] - s->lo[k]), unit = value != 0.0 ? fabs(value) : 1.0;
        x[i] = fabs(x[i]) < 1e-4 ? 0.0 : x[i] / sqrt(c->A[k * c->n + k]) * (s->hi[k] - s->lo[k]) / unit;
        most = fmax(most, fabs(x[i]));
    }
    for (int i = 0; i <= r; ++i) {
        const int k = c->order[i < r ? i : j];
        if (x[i] != 0.0) {
            found->together[k] = x[i] / most;
            in[count++] = k;
        }
    }
    if (!join(found->tied, in, count, group, c->n)) { // several directions: no single one stands for the group
        for (int k = 0; k < c->n; ++k) {
            found->together[k] = found->tied[k] == group ? NAN : found->together[k];
        }
    }
}

void dal_fit_combinations(sweep_search *s, double *room, int *held, const double *A)
{
    // derivatives are exact to 1e-9 and better, differences to 1e-5
    const double least = s->gradient ? 1e-13 : 1e-10;
    factors c = {.n = s->n, .A = A, .L = room};
    for (int k = 0; k < s->n; ++k) {
        s->found->tied[k] = 0;
        s->found->together[k] = NAN;
        if (!held[k]) {
            c.rest[c.nfree] = 1.0;
            c.order[c.nfree++] = k;
        }
    }
    const int r = rank(&c, least);
    for (int j = r; j < c.nfree; ++j) {
        note(s, &c, j, r, j - r + 1);
        held[c.order[j]] = 1;
    }
}
