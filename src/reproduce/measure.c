#include "reproduce/measure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512, WORDS = 24, COLUMNS = 64 };

/* ---- models ----------------------------------------------------------------------------------- */

/* Take "a=1 b=2" apart, at blanks. */
static int split(const char *word[WORDS], char *text)
{
    int n = 0;
    for (char *at = strtok(text, " "); at != NULL && n < WORDS; at = strtok(NULL, " ")) {
        word[n++] = at;
    }
    return n;
}

static dal_status finish_subject(subject *s, dal_ctx *ctx, const double *q0, const double *v0)
{
    s->nq = s->sys->group->nq, s->nv = s->sys->group->nv, s->nc = dal_system_rows(s->sys);
    for (int i = 0; i < s->sys->nconstraints; ++i) {
        s->nh += s->sys->constraint[i].nonholonomic ? 0 : s->sys->constraint[i].nrows;
    }
    s->q0 = malloc((size_t)(s->nq + s->nv + 1) * sizeof *s->q0);
    if (s->q0 == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "initial values");
    }
    s->v0 = s->q0 + s->nq;
    memcpy(s->q0, q0, (size_t)s->nq * sizeof *q0);
    memcpy(s->v0, v0, (size_t)s->nv * sizeof *v0);
    return dal_data_create(&s->data, ctx, s->sys);
}

/* A text has ' for ". */
static dal_status parse(subject *s, dal_ctx *ctx, const char *model, const char *const *set, int n)
{
    char text[2048];
    const size_t size = strlen(model);
    if (size >= sizeof text) {
        return dal_fail(ctx, DAL_EINVAL, "the text of a model is too long");
    }
    for (size_t i = 0; i < size; ++i) {
        text[i] = (char)(model[i] == '\'' ? '"' : model[i]);
    }
    return dal_document_parse(&s->doc, ctx, text, size, "claim", set, n);
}

static dal_status open_model(subject *s, dal_ctx *ctx, const char *model, const char *const *set, int n)
{
    DAL_TRY(model[0] == '{' ? parse(s, ctx, model, set, n) : dal_document_open(&s->doc, ctx, model, set, n));
    s->model = dal_document_model(s->doc);
    DAL_TRY(dal_model_compile(s->model, &s->sys));
    return finish_subject(s, ctx, dal_model_q0(s->model), dal_model_v0(s->model));
}

static subject *new_subject(lab *L)
{
    static subject none;
    subject *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return &none;
    }
    s->next = L->subjects;
    return L->subjects = s;
}

const subject *lab_model(lab *L, const char *model, const char *set)
{
    char text[TEXT];
    const char *word[WORDS];
    subject *s = new_subject(L);
    (void)snprintf(text, sizeof text, "%s", set);
    const int n = split(word, text);
    if (open_model(s, L->ctx, model, word, n) != DAL_OK) {
        s->sys = NULL;
    }
    return s;
}

const subject *lab_system(lab *L, const dal_system *sys, const double *q0, const double *v0, void *own,
                          void (*destroy)(void *own))
{
    subject *s = new_subject(L);
    s->own = own, s->destroy = destroy;
    s->sys = sys;
    if (sys != NULL && finish_subject(s, L->ctx, q0, v0) != DAL_OK) {
        s->sys = NULL;
    }
    return s;
}

static void free_track(track *r)
{
    double *const array[] = {r->t, r->q, r->v, r->vd, r->a, r->la, r->eta};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; ++i) {
        free(array[i]);
    }
    free(r);
}

void lab_close(lab *L)
{
    while (L->tracks != NULL) {
        track *r = L->tracks;
        L->tracks = r->next;
        free_track(r);
    }
    while (L->subjects != NULL) {
        subject *s = L->subjects;
        L->subjects = s->next;
        dal_data_destroy(s->data);
        if (s->destroy != NULL) {
            s->destroy(s->own);
        }
        dal_document_destroy(s->doc);
        free(s->q0);
        free(s);
    }
}

/* ---- runs ------------------------------------------------------------------------------------- */

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
    if (column != NULL) {
        memcpy(x + (size_t)rows * (size_t)n, column, (size_t)rows * sizeof *x);
    }
}

static dal_status keep(track *r, dal_ctx *ctx, const dal_state *s)
{
    const int nq = r->s->nq, nv = r->s->nv, nc = r->s->nc, nh = r->s->nh;
    if (r->n == r->capacity) {
        const int capacity = 2 * r->capacity + 64;
        if (!grow(&r->t, 1, capacity) || !grow(&r->q, nq, capacity) || !grow(&r->v, nv, capacity) ||
            !grow(&r->vd, nv, capacity) || !grow(&r->a, nv, capacity) || !grow(&r->la, nc, capacity) ||
            !grow(&r->eta, nh, capacity)) {
            return dal_fail(ctx, DAL_ENOMEM, "a run of %d steps does not fit into memory", r->n);
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

/* A run under way. times: where to stop (and change to the step h, if there are any) or, sampled, where to look. */
typedef struct driver {
    lab *L;
    track *r;
    const double *t, *h;
    int n;
    enum { EVERY_STEP, AT_THE_END, WATCHED, SAMPLED, STOPS } what;
} driver;

static dal_status observe(dal_sim *sim, const dal_state *s, void *self)
{
    (void)sim;
    const driver *d = self;
    return keep(d->r, d->L->ctx, s);
}

static dal_status watch(dal_sim *sim, const dal_state *s, void *self)
{
    (void)s;
    const driver *d = self;
    double Phi;
    DAL_TRY(dal_sim_residuals(sim, &Phi, NULL));
    d->r->drift = larger(d->r->drift, Phi);
    return DAL_OK;
}

static dal_status look(dal_sim *sim, const dal_point *at, void *self)
{
    (void)sim;
    const driver *d = self;
    return keep(d->r, d->L->ctx, &(dal_state){.t = at->t, .q = at->q, .v = at->v, .vd = at->vd, .la = at->la});
}

static dal_status drive(const driver *d, dal_sim *sim)
{
    const subject *s = d->r->s;
    const dal_sampling when = {.times = d->t, .n = d->n};
    if (d->what == SAMPLED) {
        DAL_TRY(dal_sim_sample(sim, &when, look, (void *)d));
    } else if (d->what != AT_THE_END && d->what != STOPS) {
        DAL_TRY(dal_sim_observe(sim, d->what == WATCHED ? watch : observe, (void *)d));
    }
    DAL_TRY(dal_sim_start(sim, NULL, 0.0, s->q0, s->v0));
    for (int i = d->what == SAMPLED ? d->n - 1 : 0; i < d->n; ++i) {
        if (i > 0 && d->h != NULL) {
            DAL_TRY(dal_sim_set_step(sim, d->h[i]));
        }
        DAL_TRY(dal_sim_run(sim, NULL, d->t[i]));
        if (d->what == STOPS || d->what == AT_THE_END || d->what == WATCHED) {
            const dal_state now = dal_sim_shown_state(sim);
            DAL_TRY(keep(d->r, d->L->ctx, &now));
        }
    }
    return DAL_OK;
}

static dal_status run_options(const driver *d, char *text)
{
    dal_options opt = dal_options_init();
    dal_sim *sim = NULL;
    const char *word[WORDS];
    const int n = split(word, text);
    if (d->r->s->sys == NULL) {
        return DAL_EINVAL;
    }
    for (int i = 0; i < n; ++i) {
        DAL_TRY(dal_options_parse(d->L->ctx, dal_options_table(), &opt, word[i]));
    }
    opt.h = d->h != NULL ? d->h[0] : opt.h;
    DAL_TRY(dal_sim_create(&sim, d->L->ctx, d->r->s->sys, &opt));
    const dal_status st = drive(d, sim);
    d->r->stats = dal_sim_stats(sim);
    d->r->condition = st == DAL_OK ? dal_sim_condition(sim) : NAN;
    dal_sim_destroy(sim);
    return st;
}

static const track *run_text(driver d, const subject *s, const char *options)
{
    static track none = {.status = DAL_ENOMEM};
    char text[TEXT];
    track *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return &none;
    }
    *r = (track){.s = s, .next = d.L->tracks};
    d.L->tracks = d.r = r;
    (void)snprintf(text, sizeof text, "%s", options);
    r->status = run_options(&d, text);
    return r;
}

const track *lab_run(lab *L, const subject *s, double T, const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return run_text((driver){.L = L, .t = &T, .n = 1, .what = EVERY_STEP}, s, text);
}

const track *lab_end(lab *L, const subject *s, double T, const char *format, ...)
{
    char text[TEXT];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return run_text((driver){.L = L, .t = &T, .n = 1, .what = AT_THE_END}, s, text);
}

const track *lab_watch(lab *L, const subject *s, double T, const char *options)
{
    return run_text((driver){.L = L, .t = &T, .n = 1, .what = WATCHED}, s, options);
}

const track *lab_steps(lab *L, const subject *s, const double *t, const double *h, int n, const char *options)
{
    return run_text((driver){.L = L, .t = t, .h = h, .n = n, .what = EVERY_STEP}, s, options);
}

const track *lab_sample(lab *L, const subject *s, const double *t, int n, const char *options)
{
    // a few times: a step ends there, which is more accurate than dense output
    return run_text((driver){.L = L, .t = t, .n = n, .what = n <= 8 ? STOPS : SAMPLED}, s, options);
}

const track *lab_exact(lab *L, const subject *s, const double *t, int n)
{
    return lab_sample(L, s, t, n, "integrator=rk order=8 step_rtol=1e-15 step_atol=1e-15");
}

/* ---- columns ---------------------------------------------------------------------------------- */

static const double *column(const track *r, const double *x, int rows, int k)
{
    static double nothing[COLUMNS];
    for (int i = 0; i < COLUMNS; ++i) {
        nothing[i] = NAN;
    }
    return r->status == DAL_OK && k >= 0 && k < r->n ? x + (size_t)rows * (size_t)k : nothing;
}

const double *at_q(const track *r, int k)
{
    return column(r, r->q, r->s->nq, k);
}

const double *at_v(const track *r, int k)
{
    return column(r, r->v, r->s->nv, k);
}

const double *at_vd(const track *r, int k)
{
    return column(r, r->vd, r->s->nv, k);
}

const double *at_la(const track *r, int k)
{
    return column(r, r->la, r->s->nc, k);
}

void at_pose(double pose[7], const track *r, int k, int body)
{
    enum { BODIES = 8 };
    double all[7 * BODIES];
    if (r->s->model == NULL) {
        const double *q = at_q(r, k) + (size_t)7 * (size_t)body, length = distance(q + 3, NULL, 4);
        for (int i = 0; i < 7; ++i) {
            pose[i] = q[i] / (i < 3 ? 1.0 : length);
        }
        return;
    }
    const dal_point at = {r->n > k ? r->t[k] : 0.0, at_q(r, k), at_v(r, k), at_vd(r, k), at_la(r, k)};
    if (r->status != DAL_OK || dal_model_poses(r->s->model, r->s->data, all, &at) != DAL_OK) {
        for (int i = 0; i < 7 * BODIES; ++i) {
            all[i] = NAN;
        }
    }
    memcpy(pose, all + (size_t)7 * (size_t)body, 7 * sizeof *pose);
}

double good(const track *r, double x)
{
    return r->status == DAL_OK ? x : NAN;
}

double iterations_per_step(const track *r)
{
    return good(r, (double)r->stats.newton_iterations / (double)r->stats.steps);
}

/* ---- errors ----------------------------------------------------------------------------------- */

double larger(double x, double y)
{
    return x >= y || isnan(x) ? x : y;
}

double farther(double x, double y, double want)
{
    return fabs(x - want) >= fabs(y - want) || isnan(x) ? x : y;
}

void add_sparse(double *A, const dal_sparse *S)
{
    for (int j = 0; S != NULL && j < S->ncols; ++j) {
        for (int k = S->colptr[j]; k < S->colptr[j + 1]; ++k) {
            A[S->row[k] + S->nrows * j] += S->x[k];
        }
    }
}

double distance(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        const double d = y != NULL ? x[i] - y[i] : x[i];
        sum += d * d;
    }
    return sqrt(sum);
}

/* Errors of all kinds of column k. */
static void errors_at(double err[ERROR_KINDS], const track *r, const track *exact, int k)
{
    const dal_factor_type *so3 = dal_factor_type_of(DAL_FACTOR_SO3);
    const dal_group *G = r->s->sys->group;
    const double *qa = at_q(r, k), *qb = at_q(exact, k);
    double xx = 0.0, rr = 0.0;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        const int kind = (int)F->type->kind,
                  turns = kind == DAL_FACTOR_SO3 || kind == DAL_FACTOR_R3SO3 || kind == DAL_FACTOR_SE3;
        const int nx = turns ? F->nq - 4 : F->nq;
        xx += pow(distance(qa + F->q, qb + F->q, nx), 2);
        rr += turns ? pow(so3->distance(qa + F->q + nx, qb + F->q + nx, 3), 2) : 0.0;
    }
    err[ERROR_X] = sqrt(xx);
    err[ERROR_R] = sqrt(rr);
    err[ERROR_Q] = sqrt(xx + rr);
    err[ERROR_V] = distance(at_v(r, k), at_v(exact, k), r->s->nv);
    err[ERROR_LA] = distance(at_la(r, k), at_la(exact, k), r->s->nc);
}

track_error track_errors(lab *L, const track *r, double from, double to)
{
    track_error m = {{0.0}, {0}};
    const track *exact = r->status == DAL_OK ? lab_exact(L, r->s, r->t, r->n) : r;
    for (int k = 1; k < r->n && exact->status == DAL_OK; ++k) {
        double err[ERROR_KINDS];
        errors_at(err, r, exact, k);
        for (int a = 0; a < ERROR_KINDS; ++a) {
            // the comparison keeps NaN
            if (r->t[k] >= from * (1.0 - 1e-12) && r->t[k] <= to * (1.0 + 1e-12) && !(err[a] <= m.max[a])) {
                m.max[a] = err[a];
                m.at[a] = k;
            }
        }
    }
    for (int a = 0; a < ERROR_KINDS; ++a) {
        m.max[a] = good(exact, m.max[a]);
    }
    return m;
}

double observed_order(lab *L, const subject *s, double from, double T, int n, const char *options, unsigned kinds,
                      double want)
{
    track_error e[2];
    double worst = want;
    for (int k = 0; k < 2; ++k) {
        e[k] = track_errors(L, lab_run(L, s, T, "%s h=%.17g", options, T / (n << k)), from, T);
    }
    for (int a = 0; a < ERROR_KINDS; ++a) {
        worst = (kinds & 1U << a) != 0U ? farther(worst, log2(e[0].max[a] / e[1].max[a]), want) : worst;
    }
    return worst;
}
