/* From the number of a member to its parameters. */
#include <string.h>

#include "sweep/random.h"
#include "sweep/sweep_impl.h"

static const char *const name[] = {"auto", "grid", "random", "lhs", "sobol", "saltelli"};

const char *dal_sweep_design_name(dal_sweep_design design)
{
    return (int)design >= 0 && design <= DAL_SWEEP_SALTELLI ? name[design] : NULL;
}

dal_sweep_design dal_sweep_design_of_name(const char *text)
{
    int k = DAL_SWEEP_SALTELLI;
    while (k > DAL_SWEEP_AUTO && (text == NULL || strcmp(name[k], text) != 0)) {
        --k;
    }
    return (dal_sweep_design)k;
}

/* Coordinate k of point `index` in the unit cube. */
static double coordinate(const dal_sweep *s, long index, int k)
{
    const uint64_t i = (uint64_t)index;
    const uint32_t d = (uint32_t)k;
    const int sobol =
        s->design == DAL_SWEEP_SOBOL || (s->design == DAL_SWEEP_SALTELLI && 2 * s->np <= SWEEP_SOBOL_DIMENSIONS);
    if (sobol) {
        return dal_sweep_sobol(s->seed, i, k);
    }
    if (s->design == DAL_SWEEP_LHS) {
        const uint64_t stratum = dal_sweep_permuted(s->seed, i, (uint64_t)s->samples, d);
        return ((double)stratum + dal_sweep_uniform(s->seed, STREAM_JITTER, i, d)) / (double)s->samples;
    }
    return dal_sweep_uniform(s->seed, STREAM_POINTS, i, d);
}

/* Levels of the grid, the last parameter varying fastest; the others are drawn for every member. */
static void grid_point(const dal_sweep *s, long member, double *x)
{
    long rest = member / s->samples;
    const double *row = s->rows + rest * s->nrowcolumns;
    int column = s->nrowcolumns;
    for (int k = s->np - 1; k >= 0; --k) {
        const sweep_parameter *p = &s->parameter[k];
        if (p->kind == KIND_ROWS) {
            x[k] = row[--column];
        } else if (p->kind < KIND_ROWS) {
            x[k] = dal_sweep_level(p, rest % p->n);
            rest /= p->n;
        } else {
            x[k] = dal_sweep_draw(p, coordinate(s, member, k));
        }
    }
}

/* Block of n + 2 members: a point A, a point B, and A with coordinate i of B. */
static void saltelli_point(const dal_sweep *s, long member, double *x)
{
    const long block = member / (s->np + 2), which = member % (s->np + 2);
    for (int k = 0; k < s->np; ++k) {
        const int other = which == 1 || which == k + 2;
        x[k] = dal_sweep_draw(&s->parameter[k], coordinate(s, block, other ? k + s->np : k));
    }
}

void dal_sweep_point(const dal_sweep *s, double *x, long member)
{
    if (s == NULL || x == NULL || member < 0 || member >= s->n) {
        return;
    }
    if (s->design == DAL_SWEEP_GRID) {
        grid_point(s, member, x);
    } else if (s->design == DAL_SWEEP_SALTELLI) {
        saltelli_point(s, member, x);
    } else {
        for (int k = 0; k < s->np; ++k) {
            x[k] = dal_sweep_draw(&s->parameter[k], coordinate(s, member, k));
        }
    }
}

/* ---- how many --------------------------------------------------------------------------------- */

static dal_status count(const dal_sweep *s, long a, long b, long *product)
{
    if (a > 0 && b > 2000000000L / a) {
        return dal_fail(s->ctx, DAL_EOPTION, "a sweep has at most 2e9 members");
    }
    *product = a * b;
    return DAL_OK;
}

/* The kinds of parameters and what the design makes of them. */
static dal_status choose_design(dal_sweep *s)
{
    int levels = 0, rows = 0;
    for (int k = 0; k < s->np; ++k) {
        levels += s->parameter[k].kind < KIND_ROWS;
        rows += s->parameter[k].kind == KIND_ROWS;
    }
    s->nrowcolumns = rows;
    if (s->design == DAL_SWEEP_AUTO) {
        s->design = levels + rows > 0 ? DAL_SWEEP_GRID : DAL_SWEEP_RANDOM;
    }
    if (rows > 0 && (levels > 0 || s->design != DAL_SWEEP_GRID)) {
        return dal_fail(s->ctx, DAL_EOPTION,
                        "parameters from rows can be combined with random ones only, in design grid");
    }
    if ((rows > 0) != (s->nrows > 0)) {
        return dal_fail(s->ctx, DAL_EOPTION,
                        rows > 0 ? "there are no rows" : "there are rows, but no parameter in them");
    }
    if (s->design == DAL_SWEEP_SOBOL && s->np > SWEEP_SOBOL_DIMENSIONS) {
        return dal_fail(s->ctx, DAL_EOPTION, "design sobol takes at most %d parameters; take lhs",
                        SWEEP_SOBOL_DIMENSIONS);
    }
    return DAL_OK;
}

dal_status dal_sweep_layout(dal_sweep *s)
{
    DAL_TRY(choose_design(s));
    s->npoints = 1;
    if (s->nrows > 0) {
        s->npoints = s->nrows;
    }
    for (int k = 0; k < s->np && s->design == DAL_SWEEP_GRID; ++k) {
        const sweep_parameter *p = &s->parameter[k];
        DAL_TRY(count(s, s->npoints, p->kind < KIND_ROWS ? p->n : 1, &s->npoints));
    }
    return count(s, s->samples, s->design == DAL_SWEEP_SALTELLI ? s->np + 2 : s->npoints, &s->n);
}
