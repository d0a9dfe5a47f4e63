/* Product groups: every operation runs over the factors. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "lie/lie_impl.h"

enum { MAX_CURVED = 6 }; /* largest dimension of a factor that is not flat */

const dal_factor_type *dal_factor_type_of(dal_factor_kind kind)
{
    static const dal_factor_type *const type[DAL_FACTOR_KINDS] = {
        [DAL_FACTOR_RN] = &dal_type_rn,   [DAL_FACTOR_SO3] = &dal_type_so3, [DAL_FACTOR_R3SO3] = &dal_type_r3so3,
        [DAL_FACTOR_SE3] = &dal_type_se3, [DAL_FACTOR_SE2] = &dal_type_se2, [DAL_FACTOR_R2S1] = &dal_type_r2s1,
    };
    return (int)kind >= 0 && kind < DAL_FACTOR_KINDS ? type[kind] : NULL;
}

/* A group and its factors in one block. */
typedef struct group_block {
    dal_group group;
    dal_factor factor[];
} group_block;

static dal_status check_spec(dal_ctx *ctx, const dal_factor_spec *spec, int n)
{
    long long nq = 0;
    if (n < 1) {
        return dal_fail(ctx, DAL_EINVAL, "a group needs at least one factor, not %d", n);
    }
    for (int i = 0; i < n; ++i) {
        const dal_factor_type *type = dal_factor_type_of(spec[i].kind);
        if (type == NULL) {
            return dal_fail(ctx, DAL_EINVAL, "factor %d: %d is not a kind of factor", i, (int)spec[i].kind);
        }
        if (type->nv == 0 && spec[i].n < 1) {
            return dal_fail(ctx, DAL_EINVAL, "factor %d: R^n with n = %d; n must be at least 1", i, spec[i].n);
        }
        nq += type->nv == 0 ? spec[i].n : type->nq;
        if (nq > INT_MAX) {
            return dal_fail(ctx, DAL_EINVAL, "factor %d: the group stores more than %d numbers", i, INT_MAX);
        }
    }
    return DAL_OK;
}

dal_status dal_group_create(dal_group **group, dal_ctx *ctx, const dal_factor_spec *spec, int n)
{
    DAL_NEED(ctx, group);
    *group = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    DAL_TRY(check_spec(ctx, spec, n));
    group_block *block = dal_alloc(ctx, sizeof *block + (size_t)n * sizeof block->factor[0]);
    if (block == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a group of %d factors", n);
    }
    dal_group *G = &block->group;
    *G = (dal_group){.nfactors = n, .flat = 1, .factor = block->factor, .ctx = ctx};
    for (int i = 0; i < n; ++i) {
        const dal_factor_type *type = dal_factor_type_of(spec[i].kind);
        const int nq = type->nv == 0 ? spec[i].n : type->nq, nv = type->nv == 0 ? spec[i].n : type->nv;
        block->factor[i] = (dal_factor){.type = type, .nq = nq, .nv = nv, .q = G->nq, .v = G->nv};
        G->nq += nq;
        G->nv += nv;
        G->max_nv = nv > G->max_nv ? nv : G->max_nv;
        G->flat = G->flat && type->flat;
    }
    *group = G;
    return DAL_OK;
}

void dal_group_destroy(dal_group *group)
{
    if (group != NULL) {
        dal_free(group->ctx, group);
    }
}

void dal_identity(const dal_group *G, double *q)
{
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        f->type->identity(q + f->q, f->nv);
    }
}

void dal_retract(const dal_group *G, double *q1, const double *q0, const double *theta)
{
    double coef[DAL_NCOEF];
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        f->type->prepare(coef, theta + f->v, f->nv);
        f->type->retract(q1 + f->q, q0 + f->q, theta + f->v, coef, f->nv);
    }
}

void dal_difference(const dal_group *G, double *theta, const double *qa, const double *qb)
{
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        f->type->difference(theta + f->v, qa + f->q, qb + f->q, f->nv);
    }
}

void dal_compose(const dal_group *G, double *qc, const double *qa, const double *qb)
{
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        f->type->compose(qc + f->q, qa + f->q, qb + f->q, f->nv);
    }
}

void dal_inverse(const dal_group *G, double *qi, const double *q)
{
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        f->type->inverse(qi + f->q, q + f->q, f->nv);
    }
}

/* X = 0, nv x nv */
static void clear(const dal_group *G, double *X)
{
    memset(X, 0, (size_t)G->nv * (size_t)G->nv * sizeof *X);
}

/* Where the diagonal block of a factor starts in an nv x nv matrix. */
static size_t block_at(const dal_group *G, const dal_factor *f)
{
    return (size_t)f->v * (size_t)(G->nv + 1);
}

/* Put the block of a factor into X. */
static void put_block(const dal_group *G, double *X, const dal_factor *f, const double *block)
{
    double *at = X + block_at(G, f);
    for (int j = 0; j < f->nv; ++j) {
        memcpy(at + (size_t)j * (size_t)G->nv, block + j * f->nv, (size_t)f->nv * sizeof *X);
    }
}

/* The block of a flat factor is I; it may be too large for the scratch of put_block. */
static void put_identity(const dal_group *G, double *X, const dal_factor *f)
{
    for (int j = 0; j < f->nv; ++j) {
        X[block_at(G, f) + (size_t)j * (size_t)(G->nv + 1)] = 1.0;
    }
}

typedef void (*tangent_fn)(double *T, const double *theta, const double *coef, int n);

/* T or T^-1 of one factor that is not flat. */
static void factor_tangent(double *T, const dal_factor *f, int inverted, const double *theta)
{
    double coef[DAL_NCOEF];
    const tangent_fn tangent = inverted ? f->type->inv_tangent : f->type->tangent;
    f->type->prepare(coef, theta + f->v, f->nv);
    tangent(T, theta + f->v, coef, f->nv);
}

static void group_tangent(const dal_group *G, double *T, const double *theta, int inverted)
{
    double block[MAX_CURVED * MAX_CURVED];
    clear(G, T);
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        if (f->type->flat) {
            put_identity(G, T, f);
        } else {
            factor_tangent(block, f, inverted, theta);
            put_block(G, T, f, block);
        }
    }
}

void dal_tangent(const dal_group *G, double *T, const double *theta)
{
    group_tangent(G, T, theta, 0);
}

void dal_inv_tangent(const dal_group *G, double *Ti, const double *theta)
{
    group_tangent(G, Ti, theta, 1);
}

void dal_dtangent(const dal_group *G, double *D, const double *theta, const double *c)
{
    double coef[DAL_NCOEF], block[MAX_CURVED * MAX_CURVED];
    clear(G, D);
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        if (!f->type->flat) {
            f->type->prepare(coef, theta + f->v, f->nv);
            f->type->dtangent(block, theta + f->v, c + f->v, coef, f->nv);
            put_block(G, D, f, block);
        }
    }
}

void dal_hat(const dal_group *G, double *H, const double *v)
{
    double block[MAX_CURVED * MAX_CURVED];
    clear(G, H);
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        if (!f->type->flat) {
            f->type->hat(block, v + f->v, f->nv);
            put_block(G, H, f, block);
        }
    }
}

void dal_bracket(const dal_group *G, double *w, const double *a, const double *b)
{
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        f->type->bracket(w + f->v, a + f->v, b + f->v, f->nv);
    }
}

static void group_tangent_apply(const dal_group *G, double *w, const double *theta, const double *c, int inverted)
{
    double T[MAX_CURVED * MAX_CURVED];
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        if (f->type->flat) {
            memcpy(w + f->v, c + f->v, (size_t)f->nv * sizeof *w);
            continue;
        }
        factor_tangent(T, f, inverted, theta);
        f->type->apply(w + f->v, T, c + f->v, f->nv);
    }
}

void dal_tangent_apply(const dal_group *G, double *w, const double *theta, const double *c)
{
    group_tangent_apply(G, w, theta, c, 0);
}

void dal_inv_tangent_apply(const dal_group *G, double *w, const double *theta, const double *c)
{
    group_tangent_apply(G, w, theta, c, 1);
}

double dal_distance(const dal_group *G, const double *qa, const double *qb)
{
    double sum = 0.0;
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        const double d = f->type->distance(qa + f->q, qb + f->q, f->nv);
        sum += d * d;
    }
    return sqrt(sum);
}

/* NaN counts as the largest. */
double dal_defect(const dal_group *G, const double *q)
{
    double max = 0.0;
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        const double d = f->type->defect(q + f->q, f->nv);
        max = d <= max || isnan(max) ? max : d;
    }
    return max;
}

void dal_normalise(const dal_group *G, double *q)
{
    for (int k = 0; k < G->nfactors; ++k) {
        const dal_factor *f = &G->factor[k];
        f->type->normalise(q + f->q, f->nv);
    }
}
