#include "sweep/search_impl.h"

#include <math.h>

dal_status dal_sweep_search_init(sweep_search *s, dal_sweep *sweep, dal_sweep_found *found,
                                 const dal_sweep_search *spec)
{
    DAL_NEED_AS(NULL, sweep, "sweep");
    DAL_NEED(sweep->ctx, found);
    DAL_NEED(sweep->ctx, spec);
    DAL_NEED_AS(sweep->ctx, spec->start, "spec.start");
    *s = (sweep_search){.sweep = sweep, .spec = spec, .found = found, .n = sweep->np};
    *found = (dal_sweep_found){.n = sweep->np};
    if (s->n < 1 || s->n > SEARCH_MOST) {
        return dal_fail(sweep->ctx, DAL_EOPTION, "a search has 1 to %d parameters", SEARCH_MOST);
    }
    for (int k = 0; k < s->n; ++k) {
        s->lo[k] = dal_sweep_level(&sweep->parameter[k], 0);
        s->hi[k] = dal_sweep_level(&sweep->parameter[k], sweep->parameter[k].n - 1);
        if (sweep->parameter[k].kind != KIND_LEVELS || !(s->lo[k] < s->hi[k])) {
            return dal_fail(sweep->ctx, DAL_EOPTION, "parameter '%s': bounds are levels MIN:MAX:2",
                            sweep->parameter[k].name);
        }
        s->z[k] = (spec->start[k] - s->lo[k]) / (s->hi[k] - s->lo[k]);
        found->error[k] = NAN;
    }
    return DAL_OK;
}

static void place(const sweep_search *s, double *x, const double *z)
{
    for (int k = 0; k < s->n; ++k) {
        const double inside = z[k] < 0.0 ? 0.0 : z[k] > 1.0 ? 1.0 : z[k];
        x[k] = s->lo[k] + (s->hi[k] - s->lo[k]) * inside;
    }
}

int dal_sweep_search_run(sweep_search *s, double *value, double *trajectory, const double *z)
{
    double x[SEARCH_MOST];
    place(s, x, z);
    ++s->found->evaluations;
    const int ran = dal_sweep_evaluate(s->sweep, value, trajectory, x) == DAL_OK;
    s->found->failed += !ran;
    return ran;
}

void dal_sweep_search_end(sweep_search *s, double margin)
{
    place(s, s->found->x, s->z);
    for (int k = 0; k < s->n; ++k) {
        s->found->at_bound[k] = s->z[k] <= margin || s->z[k] >= 1.0 - margin;
    }
}
