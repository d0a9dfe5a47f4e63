/* Description of a system: soundness. */
#include <math.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/system.h"

int dal_system_rows(const dal_system *sys)
{
    int nc = 0;
    for (int c = 0; sys && c < sys->nconstraints; ++c) {
        nc += sys->constraint[c].nrows;
    }
    return nc;
}

int dal_system_is_of_contact(const dal_system *sys, int row)
{
    int block = 0, found = 0;
    for (int end = 0; sys && block < sys->nconstraints; ++block) {
        end += sys->constraint[block].nrows;
        if (row < end) {
            break;
        }
    }
    for (int k = 0; sys && k < sys->contacts.n; ++k) {
        found |= sys->contacts.contact[k].normal == block || sys->contacts.contact[k].tangent == block;
    }
    return found;
}

static dal_status check_constraints(dal_ctx *ctx, const dal_system *sys)
{
    if (sys->nconstraints < 0 || (sys->nconstraints > 0 && !sys->constraint)) {
        return dal_fail(ctx, DAL_EINVAL, "system: nconstraints = %d but no list of constraints", sys->nconstraints);
    }
    for (int c = 0; c < sys->nconstraints; ++c) {
        if (sys->constraint[c].nrows < 1) {
            return dal_fail(ctx, DAL_EINVAL, "system: constraint block %d has %d rows; give at least one", c,
                            sys->constraint[c].nrows);
        }
        if (sys->constraint[c].kind < DAL_ROWS_POSITION || sys->constraint[c].kind > DAL_ROWS_TEXTBOOK) {
            return dal_fail(ctx, DAL_EINVAL, "system: constraint block %d is of kind %d; give a value of dal_row_kind",
                            c, (int)sys->constraint[c].kind);
        }
        if (c > 0 && sys->constraint[c - 1].kind == DAL_ROWS_LAW && sys->constraint[c].kind != DAL_ROWS_LAW) {
            return dal_fail(ctx, DAL_EINVAL, "system: constraint block %d comes after laws; announce laws last", c);
        }
    }
    return DAL_OK;
}

/* Index lists in range and free of repetitions: seen[a*nb + b] would be quadratic in memory, so entries are
 * compared through a marker per column list instead (pairs and links are sparse). Entry k: the two ints at k stride. */
static dal_status check_list(dal_ctx *ctx, const char *what, const int *entry, int stride, int n, int na, int nb)
{
    if (n < 0 || (n > 0 && !entry)) {
        return dal_fail(ctx, DAL_EINVAL, "system: %d %ss announced but no list given", n, what);
    }
    for (int k = 0; k < n; ++k) {
        const int *e = entry + (ptrdiff_t)k * stride;
        if (e[0] < 0 || e[0] >= na || e[1] < 0 || e[1] >= nb) {
            return dal_fail(ctx, DAL_EINVAL, "system: %s %d = (%d, %d) is out of range (%d, %d)", what, k, e[0], e[1],
                            na, nb);
        }
    }
    // repetitions: bucket the entries by their second index, then mark first indices within each bucket
    int *start = dal_alloc_zero(ctx, ((size_t)nb + 1 + (size_t)n + (size_t)na) * sizeof(int));
    if (!start) {
        return dal_fail(ctx, DAL_ENOMEM, "system: no memory to check the structure");
    }
    int *order = start + nb + 1, *mark = order + n;
    for (int k = 0; k < n; ++k) {
        start[entry[(ptrdiff_t)k * stride + 1] + 1]++;
    }
    for (int b = 0; b < nb; ++b) {
        start[b + 1] += start[b];
    }
    for (int k = n - 1; k >= 0; --k) {
        order[--start[entry[(ptrdiff_t)k * stride + 1] + 1]] = k;
    }
    dal_status st = DAL_OK;
    for (int i = 0; i < n && st == DAL_OK; ++i) {
        const int *e = entry + (ptrdiff_t)order[i] * stride;
        if (mark[e[0]] == e[1] + 1) {
            st = dal_fail(ctx, DAL_EINVAL, "system: %s (%d, %d) is announced twice", what, e[0], e[1]);
        }
        mark[e[0]] = e[1] + 1;
    }
    dal_free(ctx, start);
    return st;
}

/* Couples belong to laws, and each block of laws has one with itself. */
static dal_status check_couples(dal_ctx *ctx, const dal_system *sys)
{
    int laws = 0, diagonal = 0;
    for (int c = 0; c < sys->nconstraints; ++c) {
        laws += sys->constraint[c].kind == DAL_ROWS_LAW;
    }
    for (int k = 0; k < sys->ncouples; ++k) {
        if (sys->constraint[sys->couple[k].c].kind != DAL_ROWS_LAW) {
            return dal_fail(ctx, DAL_EINVAL, "system: couple %d: constraint block %d is none of laws", k,
                            sys->couple[k].c);
        }
        diagonal += sys->couple[k].c == sys->couple[k].d;
    }
    if (diagonal < laws) {
        return dal_fail(ctx, DAL_EINVAL, "system: %d of %d blocks of laws lack the couple (c, c)", laws - diagonal,
                        laws);
    }
    return DAL_OK;
}

dal_status dal_inputs_check(dal_ctx *ctx, const dal_system_input *input, int n)
{
    for (int k = 0; k < n; ++k) {
        const dal_system_input *u = &input[k];
        if (u->name == NULL || u->unit == NULL) {
            return dal_fail(ctx, DAL_EINVAL, "system: input %d has no name or no unit", k);
        }
        if (!isfinite(u->value) || !(u->min <= u->value && u->value <= u->max)) {
            return dal_fail(ctx, DAL_EINVAL, "system: input '%s' = %g is outside of its limits, %g to %g", u->name,
                            u->value, u->min, u->max);
        }
    }
    return DAL_OK;
}

dal_status dal_system_validate(dal_ctx *ctx, const dal_system *sys)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, sys);
    if (!sys->group) {
        return dal_fail(ctx, DAL_EINVAL, "system: no group given");
    }
    if (!sys->equations.residual || !sys->equations.tangent) {
        return dal_fail(ctx, DAL_EINVAL, "system: the callbacks residual and tangent are required");
    }
    if (sys->nmemory < 0) {
        return dal_fail(ctx, DAL_EINVAL, "system: nmemory = %d must not be negative", sys->nmemory);
    }
    if (sys->ninputs < 0 || (sys->ninputs > 0 && (!sys->input || !sys->life.set_inputs))) {
        return dal_fail(ctx, DAL_EINVAL, "system: %d inputs need a list and the callback set_inputs", sys->ninputs);
    }
    DAL_TRY(dal_inputs_check(ctx, sys->input, sys->ninputs));
    DAL_TRY(check_constraints(ctx, sys));
    // dal_pair and dal_link begin with two ints and have nothing but ints
    _Static_assert(sizeof(dal_pair) == sizeof(int[3]) && sizeof(dal_link) == sizeof(int[2]) &&
                       sizeof(dal_couple) == sizeof(int[2]),
                   "index pairs");
    const int nf = sys->group->nfactors;
    DAL_TRY(check_list(ctx, "pair", (const int *)sys->pair, 3, sys->npairs, nf, nf));
    DAL_TRY(check_list(ctx, "link", (const int *)sys->link, 2, sys->nlinks, sys->nconstraints, nf));
    DAL_TRY(
        check_list(ctx, "couple", (const int *)sys->couple, 2, sys->ncouples, sys->nconstraints, sys->nconstraints));
    DAL_TRY(check_couples(ctx, sys));
    const unsigned required = DAL_WANT_M | (sys->nconstraints > 0 ? (unsigned)DAL_WANT_B : 0U);
    if ((sys->provides & required) != required) {
        return dal_fail(ctx, DAL_EINVAL,
                        "system: `provides` must contain DAL_WANT_M and, with constraints, DAL_WANT_B");
    }
    return DAL_OK;
}
