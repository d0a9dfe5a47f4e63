#include "search/search_impl.h"

#include <math.h>

dal_status dal_sweep_search_init(sweep_search *s, dal_sweep *sweep, dal_sweep_found *found,
                                 const dal_sweep_search *spec)
{
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

dal_status dal_sweep_search_differentiate(sweep_search *s, const dal_gradient_data *data, int ndata)
{
    dal_sweep *sweep = s->sweep;
    const char *by[SEARCH_MOST];
    if (sweep->doc == NULL) {
        return DAL_OK; // parameters change the structure
    }
    const dal_options options = dal_sweep_options(sweep);
    if (options.integrator != DAL_INTEGRATOR_RK && options.integrator != DAL_INTEGRATOR_LOBATTO &&
        (options.integrator != DAL_INTEGRATOR_GENALPHA || options.step != DAL_STEP_FIXED)) {
        dal_log(sweep->ctx, DAL_LOG_INFO,
                "search without exact gradients: they need integrator = genalpha with step = fixed, rk or lobatto");
        return DAL_OK;
    }
    for (int k = 0; k < s->n; ++k) {
        by[k] = sweep->parameter[k].name;
    }
    const dal_gradient_spec spec = {.source = sweep->source,
                                    .text = sweep->model_text,
                                    .set = (const char *const *)sweep->set,
                                    .nset = sweep->nset,
                                    .files_outside = sweep->files_outside,
                                    .of = (const char *const *)sweep->collect,
                                    .nof = sweep->ncollect,
                                    .by = by,
                                    .nby = s->n,
                                    .data = data,
                                    .ndata = ndata,
                                    .jobs = 1};
    dal_status st = dal_gradient_create(&s->gradient, sweep->ctx, &spec);
    if (st == DAL_OK) { // some runs turn out to have no gradient
        double x[SEARCH_MOST];
        place(s, x, s->z);
        st = dal_gradient_run(s->gradient, x, ndata > 0 ? DAL_GRADIENT_FORWARD : DAL_GRADIENT_AUTO);
    }
    if (st != DAL_OK && st != DAL_ENOMEM) {
        dal_log(sweep->ctx, DAL_LOG_INFO, "search without exact gradients: %s", dal_ctx_message(sweep->ctx));
        dal_ctx_clear(sweep->ctx);
        dal_gradient_destroy(s->gradient);
        s->gradient = NULL;
        return DAL_OK;
    }
    s->found->gradients = st == DAL_OK;
    return st;
}

int dal_sweep_search_slopes(sweep_search *s, dal_gradient_mode mode, const double *z)
{
    double x[SEARCH_MOST];
    place(s, x, z);
    ++s->found->evaluations;
    const int ran = dal_gradient_run(s->gradient, x, mode) == DAL_OK;
    s->found->failed += !ran;
    return ran;
}

void dal_sweep_search_end(sweep_search *s, double margin)
{
    dal_gradient_destroy(s->gradient);
    s->gradient = NULL;
    place(s, s->found->x, s->z);
    for (int k = 0; k < s->n; ++k) {
        s->found->at_bound[k] = s->z[k] <= margin || s->z[k] >= 1.0 - margin;
    }
}
