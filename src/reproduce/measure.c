#include "reproduce/measure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs ------------------------------------------------------------------------------------- */

/* Options from text; the text is taken apart. */
static dal_status set_options(dal_ctx *ctx, dal_options *opt, char *text)
{
    *opt = dal_options_init();
    for (char *at = strtok(text, " "); at != NULL; at = strtok(NULL, " ")) {
        DAL_TRY(dal_options_parse(ctx, dal_options_table(), opt, at));
    }
    return DAL_OK;
}

static int grow(double **x, int rows, int capacity)
{
    double *bigger = realloc(*x, ((size_t)rows * (size_t)capacity + 1) * sizeof *bigger);
    if (bigger != NULL) {
        *x = bigger;
    }
    return bigger != NULL;
}

static void append(double *x, int rows, int n, const double *column)
{
    memcpy(x + (size_t)rows * (size_t)n, column, (size_t)rows * sizeof *x);
}

static dal_status record(dal_sim *sim, const dal_state *s, void *self)
{
    (void)sim;
    track *r = self;
    const int nq = r->p->nq, nv = r->p->nv, nc = r->p->nc, nh = r->p->dense.nc;
    if (r->n == r->capacity) {
        const int capacity = 2 * r->capacity + 64;
        if (!grow(&r->t, 1, capacity) || !grow(&r->q, nq, capacity) || !grow(&r->v, nv, capacity) ||
            !grow(&r->vd, nv, capacity) || !grow(&r->a, nv, capacity) || !grow(&r->la, nc, capacity) ||
            !grow(&r->eta, nh, capacity)) {
            return dal_fail(r->p->ctx, DAL_ENOMEM, "a run of %d steps does not fit into memory", r->n);
        }
        r->capacity = capacity;
    }
    r->t[r->n] = s->t;
    append(r->q, nq, r->n, s->q);
    append(r->v, nv, r->n, s->v);
    append(r->vd, nv, r->n, s->vd);
    append(r->a, nv, r->n, s->a);
    append(r->la, nc, r->n, s->la);
    append(r->eta, nh, r->n, s->eta);
    r->n++;
    return DAL_OK;
}

static dal_status drive(track *r, dal_sim *sim, const double *t, const double *h, int n)
{
    DAL_TRY(dal_sim_observe(sim, record, r));
    DAL_TRY(dal_sim_start(sim, 0.0, r->p->q0, r->p->v0, NULL));
    for (int i = 0; i < n; ++i) {
        if (i > 0 && h != NULL) {
            DAL_TRY(dal_sim_set_step(sim, h[i]));
        }
        DAL_TRY(dal_sim_run(sim, t[i], NULL));
    }
    return DAL_OK;
}

/* h NULL: the step size of the options */
static track run_text(const problem *p, const double *t, const double *h, int n, char *text)
{
    track r = {.p = p};
    dal_options opt;
    dal_sim *sim = NULL;
    r.status = set_options(p->ctx, &opt, text);
    if (r.status != DAL_OK) {
        return r;
    }
    opt.h = h != NULL ? h[0] : opt.h;
    r.status = dal_sim_create(&sim, p->ctx, p->sys, &opt);
    if (r.status != DAL_OK) {
        return r;
    }
    r.status = drive(&r, sim, t, h, n);
    r.stats = dal_sim_stats(sim);
    r.condition = r.status == DAL_OK ? dal_sim_condition(sim) : NAN;
    dal_sim_destroy(sim);
    return r;
}

enum { TEXT = 512 };

track track_run(const problem *p, double T, const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return run_text(p, &T, NULL, 1, text);
}

track track_steps(const problem *p, const double *t, const double *h, int n, const char *options)
{
    char text[TEXT];
    (void)snprintf(text, sizeof text, "%s", options);
    return run_text(p, t, h, n, text);
}

void track_free(track *r)
{
    double *const array[] = {r->t, r->q, r->v, r->vd, r->a, r->la, r->eta};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; ++i) {
        free(array[i]);
    }
    *r = (track){0};
}

double track_iterations(const track *r)
{
    return r->status == DAL_OK ? (double)r->stats.newton_iterations / (double)r->stats.steps : NAN;
}

const double *track_column(const double *x, int rows, int k)
{
    return x + (size_t)rows * (size_t)k;
}

/* ---- errors ----------------------------------------------------------------------------------- */

double distance(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    return sqrt(sum);
}

/* err[ERROR_X], err[ERROR_R], err[ERROR_Q] between two configurations */
static void configuration_error(double *err, const dal_group *G, const double *qa, const double *qb)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_SO3);
    double xx = 0.0, rr = 0.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int kind = (int)F->type->kind, turns = kind == DAL_SO3 || kind == DAL_R3SO3 || kind == DAL_SE3;
        const int nx = turns ? F->nq - 4 : F->nq;
        xx += pow(distance(qa + F->q, qb + F->q, nx), 2);
        rr += turns ? pow(so3->distance(qa + F->q + nx, qb + F->q + nx, 3), 2) : 0.0;
    }
    err[ERROR_X] = sqrt(xx);
    err[ERROR_R] = sqrt(rr);
    err[ERROR_Q] = sqrt(xx + rr);
}

double *track_history(const track *r, int nla)
{
    const problem *p = r->p;
    const size_t n = (size_t)r->n, nq = (size_t)p->nq, nv = (size_t)p->nv, nc = (size_t)p->nc;
    double *q = malloc((nq * n + 1) * sizeof *q), *v = malloc((nv * n + 1) * sizeof *v);
    double *la = malloc((nc * n + 1) * sizeof *la), *err = malloc((ERROR_KINDS * n + 1) * sizeof *err);
    if (q != NULL && v != NULL && la != NULL && err != NULL) {
        problem_exact(p, q, v, NULL, la, r->t, r->n);
        for (size_t k = 0; k < n; ++k) {
            double *e = err + ERROR_KINDS * k;
            configuration_error(e, p->group, r->q + nq * k, q + nq * k);
            e[ERROR_V] = distance(r->v + nv * k, v + nv * k, p->nv);
            e[ERROR_LA] = distance(r->la + nc * k, la + nc * k, nla > 0 ? nla : p->nc);
        }
    } else {
        free(err);
        err = NULL;
    }
    free(q);
    free(v);
    free(la);
    return err;
}

track_error track_errors(const track *r, double from, double to, int nla)
{
    track_error m = {{0.0}, {0}};
    double *err = r->status == DAL_OK ? track_history(r, nla) : NULL;
    for (int a = 0; a < ERROR_KINDS; ++a) {
        m.max[a] = err != NULL ? 0.0 : NAN;
        for (int k = 1; err != NULL && k < r->n; ++k) {
            const double e = err[a + ERROR_KINDS * k];
            // the comparison keeps NaN
            if (r->t[k] >= from * (1.0 - 1e-12) && r->t[k] <= to * (1.0 + 1e-12) && !(e <= m.max[a])) {
                m.max[a] = e;
                m.at[a] = k;
            }
        }
    }
    free(err);
    return m;
}

orders observed_orders(const problem *p, double from, double T, int n, int nla, const char *options)
{
    orders o;
    track_error e[2];
    for (int k = 0; k < 2; ++k) {
        track r = track_run(p, T, "%s h=%.17g", options, T / (n << k));
        e[k] = track_errors(&r, from, T, nla);
        track_free(&r);
    }
    for (int a = 0; a < ERROR_KINDS; ++a) {
        o.order[a] = log2(e[0].max[a] / e[1].max[a]);
        o.fine[a] = e[1].max[a];
    }
    return o;
}

double worst_order(const orders *o, unsigned kinds, double want)
{
    double worst = want;
    for (int a = 0; a < ERROR_KINDS; ++a) {
        if ((kinds & 1U << a) != 0U && !(fabs(o->order[a] - want) <= fabs(worst - want))) {
            worst = o->order[a];
        }
    }
    return worst;
}
