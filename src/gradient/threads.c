/* Results of an adjoint side by side: each thread has a gradient of its own of the same model, makes the same run and takes its share of
 * the results backwards. What a result gets does not depend on who works on it. */
#include <string.h>

#include "dalembert/sweep.h"
#include "gradient/gradient_impl.h"

int dal_gr_results(const dal_gradient *g)
{
    return g->nof + (g->ndata > 0);
}

/* The run is repeated by each: two results at least pay for that. */
static int shares(const dal_gradient *g)
{
    const int most = dal_gr_results(g) / 2;
    return g->about.mode != DAL_GRADIENT_ADJOINT ? 1 : g->jobs < most ? g->jobs : most;
}

void dal_gr_dismiss(dal_gradient *g)
{
    for (int k = 1; k < g->nworkers; ++k) {
        dal_gradient_destroy(g->worker[k].g);
        dal_ctx_destroy(g->worker[k].ctx);
    }
    g->nworkers = 0;
}

/* Opened one after the other. */
static dal_status engage(dal_gradient *g, int n)
{
    dal_gradient_spec spec = g->spec;
    spec.jobs = 1;
    spec.memory = g->memory;
    if (!g->worker) {
        DAL_TAKE(&g->pool, g->worker, g->jobs);
    }
    g->worker[0].g = g;
    g->nworkers = g->nworkers > 0 ? g->nworkers : 1;
    while (g->nworkers < n) {
        gr_worker *w = &g->worker[g->nworkers];
        *w = (gr_worker){.ctx = NULL};
        dal_status st = dal_ctx_create(&w->ctx, NULL);
        st = st == DAL_OK ? dal_gradient_create(&w->g, w->ctx, &spec) : st;
        if (st != DAL_OK) {
            const dal_status told = dal_fail(g->ctx, st, "%s", w->ctx ? dal_ctx_message(w->ctx) : "no memory");
            dal_ctx_destroy(w->ctx);
            return told;
        }
        g->nworkers++;
    }
    return DAL_OK;
}

/* The same task for another, with its share of the results. */
static dal_status instruct(const dal_gradient *g, dal_gradient *own)
{
    own->about = g->about;
    own->frozen = g->frozen;
    memcpy(own->now, g->now, (size_t)g->n * sizeof *own->now);
    for (long i = 0; i < g->ntimes && g->frozen; ++i) { // steps that are held
        DAL_TRY(dal_gr_grow(own, &own->times, &own->room_times, i, 1));
        own->times[i] = g->times[i];
        own->ntimes = i + 1;
    }
    return dal_gr_solve_to(own, g->opt.atol, g->opt.rtol);
}

static void work(dal_ctx *ctx, long k, void *user)
{
    dal_gradient *g = user;
    gr_worker *w = &g->worker[k];
    (void)ctx;
    w->st = dal_gr_run_once(w->g);
}

dal_status dal_gr_run_shared(dal_gradient *g)
{
    const int n = shares(g), results = dal_gr_results(g);
    g->from = 0;
    g->to = results;
    if (n < 2) {
        return dal_gr_run_once(g);
    }
    DAL_TRY(engage(g, n));
    for (int k = 0; k < n; ++k) {
        dal_gradient *own = g->worker[k].g;
        own->from = results * k / n;
        own->to = results * (k + 1) / n;
        DAL_TRY(k > 0 ? instruct(g, own) : DAL_OK);
    }
    DAL_TRY(dal_sweep_each(g->ctx, NULL, n, n, work, g));
    for (int k = 0; k < n; ++k) {
        const gr_worker *w = &g->worker[k];
        const size_t row = (size_t)g->n;
        if (w->st != DAL_OK) {
            return k == 0 ? w->st : dal_fail(g->ctx, w->st, "%s", dal_ctx_message(w->ctx));
        }
        for (int i = w->g->from; i < w->g->to && k > 0; ++i) {
            memcpy(i < g->nof ? g->row + (size_t)i * row : g->of_squares,
                   i < g->nof ? w->g->row + (size_t)i * row : w->g->of_squares, row * sizeof(double));
        }
        g->about.growth = w->g->about.growth > g->about.growth ? w->g->about.growth : g->about.growth;
    }
    return DAL_OK;
}
