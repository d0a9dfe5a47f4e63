#include "reproduce/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/catalogue.h"
#include "reproduce/memo.h"

enum { TEXT = 512, WORDS = 40, COLUMNS = 64 };

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

static dal_status open_model(subject *s, dal_ctx *ctx, const char *model, const char *const *set, int n)
{
    char name[WORD_SIZE + 8];
    (void)snprintf(name, sizeof name, "model %s", model);
    const char *text = catalogue_text(name, strlen(name));
    DAL_TRY(text != NULL ? dal_document_parse(&s->doc, ctx, text, strlen(text), name, set, n)
                         : dal_document_open(&s->doc, ctx, model, set, n));
    s->model = dal_document_model(s->doc);
    DAL_TRY(dal_model_compile(s->model, &s->sys));
    s->nq = s->sys->group->nq, s->nv = s->sys->group->nv, s->nc = dal_system_rows(s->sys);
    for (int i = 0; i < s->sys->nconstraints; ++i) {
        s->nh += s->sys->constraint[i].kind == DAL_ROWS_VELOCITY ? 0 : s->sys->constraint[i].nrows;
    }
    s->q0 = dal_model_q0(s->model), s->v0 = dal_model_v0(s->model);
    return dal_data_create(&s->data, ctx, s->sys);
}

/* Memory that lives until the lab is closed. */
typedef struct block {
    struct block *next;
    double x[];
} block;

static void *take(lab *L, size_t size)
{
    block *b = calloc(1, sizeof *b + size);
    if (b == NULL) {
        fputs("the runs do not fit into memory\n", stderr);
        abort();
    }
    b->next = L->memory;
    L->memory = b;
    return b->x;
}

static const char *copy_text(lab *L, const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(take(L, size), text, size);
}

static const subject *find_subject(const lab *L, const char *key)
{
    subject *s = L->subjects;
    while (s != NULL && strcmp(s->key, key) != 0) {
        s = s->next;
    }
    return s;
}

/* key: the model and what is set in it */
static const subject *make_subject(lab *L, const char *key, const char *model, const char *set)
{
    char text[TEXT];
    const char *word[WORDS];
    subject *s = take(L, sizeof *s);
    (void)snprintf(text, sizeof text, "%s", set);
    const int n = split(word, text);
    s->next = L->subjects;
    L->subjects = s;
    s->key = copy_text(L, key);
    if (open_model(s, L->ctx, model, word, n) != DAL_OK) {
        s->sys = NULL;
    }
    return s;
}

const subject *lab_subject(lab *L, const words *w)
{
    char set[TEXT], key[TEXT + WORD_SIZE];
    const char *model = words_text(w, "model:"), *chart = words_text(w, "chart:");
    const int euler = strcmp(chart, "euler") == 0;
    words_settings(set, sizeof set, w, 1);
    const size_t used = strlen(set);
    if (chart[0] != '\0') {
        (void)snprintf(set + used, sizeof set - used, "coordinates=%s%s",
                       euler ? "euler_parameters_textbook" : "cardan sequence=", euler ? "" : chart);
    }
    (void)snprintf(key, sizeof key, "%s %s", model, set);
    const subject *s = find_subject(L, key);
    return s != NULL ? s : make_subject(L, key, model, set);
}

void lab_close(lab *L)
{
    for (subject *s = L->subjects; s != NULL; s = s->next) {
        dal_data_destroy(s->data);
        dal_document_destroy(s->doc);
    }
    for (track *r = L->tracks; r != NULL; r = r->next) {
        free(r->x);
    }
    while (L->memory != NULL) {
        block *b = L->memory;
        L->memory = b->next;
        free(b);
    }
}

/* ---- runs ------------------------------------------------------------------------------------- */

enum { OF_Q, OF_V, OF_VD, OF_A, OF_LA, OF_ETA, PARTS };

/* Rows of a part, and how many come before it. */
static int rows_of(const subject *s, int part, int *before)
{
    const int rows[PARTS] = {s->nq, s->nv, s->nv, s->nv, s->nc, s->nh};
    *before = 1;
    for (int i = 0; i < part; ++i) {
        *before += rows[i];
    }
    return part < PARTS ? rows[part] : 0;
}

static dal_status keep(track *r, dal_ctx *ctx, const dal_state *s)
{
    const double *const part[PARTS] = {s->q, s->v, s->vd, s->a, s->la, s->eta};
    if (r->n == r->capacity) {
        const int capacity = 2 * r->capacity + 64;
        double *bigger = realloc(r->x, (size_t)r->rows * (size_t)capacity * sizeof *bigger);
        if (bigger == NULL) {
            return dal_fail(ctx, DAL_ENOMEM, "a run of %d steps does not fit into memory", r->n);
        }
        r->x = bigger;
        r->capacity = capacity;
    }
    double *to = r->x + (size_t)r->rows * (size_t)r->n++;
    memset(to, 0, (size_t)r->rows * sizeof *to);
    to[0] = s->t;
    for (int i = 0, before; i < PARTS; ++i) {
        const int rows = rows_of(r->s, i, &before);
        if (part[i] != NULL) {
            memcpy(to + before, part[i], (size_t)rows * sizeof *to);
        }
    }
    return DAL_OK;
}

enum { EVERY_STEP, AT_THE_END, WATCHED, SAMPLED, STOPS };

/* A run under way. times: where to stop (and change to the step h, if there are any) or, sampled, where to look. */
typedef struct driver {
    lab *L;
    track *r;
    const double *t, *h;
    int n;
    int what; /* EVERY_STEP ... */
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

dal_status lab_options(lab *L, dal_options *opt, const words *w)
{
    char text[TEXT];
    const char *word[WORDS];
    *opt = dal_options_init();
    // what the papers mean if they do not say more, whatever the defaults of the library are
    (void)snprintf(text, sizeof text, "integrator=genalpha formulation=index3 rho_inf=0.9 sigma=1 ");
    const size_t used = strlen(text);
    words_settings(text + used, sizeof text - used, w, 0);
    const int n = split(word, text);
    for (int i = 0; i < n; ++i) {
        DAL_TRY(dal_options_parse(L->ctx, dal_options_table(), opt, word[i]));
    }
    return DAL_OK;
}

static dal_status run_words(const driver *d, const words *w)
{
    dal_options opt;
    dal_sim *sim = NULL;
    if (d->r->s->sys == NULL) {
        return DAL_EINVAL;
    }
    DAL_TRY(lab_options(d->L, &opt, w));
    opt.h = d->h != NULL ? d->h[0] : opt.h;
    DAL_TRY(dal_sim_create(&sim, d->L->ctx, d->r->s->sys, &opt));
    const dal_status st = drive(d, sim);
    d->r->stats = dal_sim_stats(sim);
    d->r->condition = st == DAL_OK ? dal_sim_condition(sim) : NAN;
    dal_sim_destroy(sim);
    return st;
}

/* Other processes may have made a run, of which only the end counts: what they keep of it. */
enum { SUMMARY_HEAD = 6 };

static void summarise(double *x, const track *r)
{
    const double head[SUMMARY_HEAD] = {
        r->status, (double)r->stats.newton_iterations, (double)r->stats.steps, (double)r->stats.jacobians, r->condition,
        r->drift};
    memcpy(x, head, sizeof head);
    for (int i = 0; i < r->rows; ++i) {
        x[SUMMARY_HEAD + i] = r->n > 0 ? r->x[i] : 0.0;
    }
}

static void restore(track *r, lab *L, const double *x)
{
    r->status = (dal_status)x[0];
    r->stats.newton_iterations = (long)x[1], r->stats.steps = (long)x[2], r->stats.jacobians = (long)x[3];
    r->condition = x[4], r->drift = x[5];
    if (r->status == DAL_OK) {
        r->status = keep(r, L->ctx, &(dal_state){.t = x[SUMMARY_HEAD]});
        memcpy(r->x, x + SUMMARY_HEAD, (size_t)r->rows * sizeof *x);
    }
}

static track *new_run(driver d, const subject *s, const words *w)
{
    char options[TEXT], key[MEMO_KEY];
    double memo[MEMO_VALUES];
    track *r = take(d.L, sizeof *r);
    *r = (track){.s = s, .next = d.L->tracks};
    (void)rows_of(s, PARTS, &r->rows);
    d.L->tracks = d.r = r;
    words_settings(options, sizeof options, w, 0);
    const int n = SUMMARY_HEAD + r->rows;
    const int end = d.n == 1 && d.what != EVERY_STEP && n <= MEMO_VALUES &&
                    snprintf(key, sizeof key, "run %s %.17g %d %s", s->key, d.t[0], d.what, options) < (int)sizeof key;
    if (end && memo_find(memo, n, key)) {
        restore(r, d.L, memo);
        return r;
    }
    r->status = run_words(&d, w);
    if (end) {
        summarise(memo, r);
        memo_keep(memo, n, key);
    }
    return r;
}

/* A run of its own for each subject, end, manner and set of options */
static const track *run_to_end(lab *L, const words *w, int what)
{
    char options[TEXT], key[TEXT + 64];
    const subject *s = lab_subject(L, w);
    const double steps = words_number(w, "steps:", 0.0);
    const double T = steps > 0.0 ? steps * words_number(w, "h=", NAN) : words_number(w, "T:", NAN);
    words_settings(options, sizeof options, w, 0);
    (void)snprintf(key, sizeof key, "%p %.17g %d %s", (const void *)s, T, what, options);
    for (track *r = L->tracks; r != NULL; r = r->next) {
        if (r->key != NULL && strcmp(r->key, key) == 0) {
            return r;
        }
    }
    track *r = new_run((driver){.L = L, .t = &T, .n = 1, .what = what}, s, w);
    r->key = copy_text(L, key);
    return r;
}

const track *lab_run(lab *L, const words *w)
{
    return run_to_end(L, w, EVERY_STEP);
}

const track *lab_end(lab *L, const words *w)
{
    return run_to_end(L, w, words_is(w, "of:", "drift") ? WATCHED : AT_THE_END);
}

const track *lab_steps(lab *L, const words *w, const double *t, const double *h, int n)
{
    return new_run((driver){.L = L, .t = t, .h = h, .n = n, .what = EVERY_STEP}, lab_subject(L, w), w);
}

// at a few times a step ends there, which is more accurate than dense output
enum { STOPS_MAX = 8 };

const track *lab_sample(lab *L, const words *w, const double *t, int n)
{
    return new_run((driver){.L = L, .t = t, .n = n, .what = n <= STOPS_MAX ? STOPS : SAMPLED}, lab_subject(L, w), w);
}

const track *lab_exact(lab *L, const subject *s, const double *t, int n)
{
    const words exact = words_of("integrator=rk order=8 step_rtol=1e-15 step_atol=1e-15");
    return new_run((driver){.L = L, .t = t, .n = n, .what = n <= STOPS_MAX ? STOPS : SAMPLED}, s, &exact);
}

const track *lab_reference(lab *L, const words *w, const track *r)
{
    if (r->reference == NULL && r->status == DAL_OK) {
        words own = *w;
        (void)words_add(&own, "chart:");
        double *t = take(L, (size_t)r->n * sizeof *t);
        for (int k = 0; k < r->n; ++k) {
            t[k] = time_of(r, k);
        }
        ((track *)r)->reference = lab_exact(L, lab_subject(L, &own), t, r->n);
    }
    return r->reference != NULL ? r->reference : r;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static const double *reached(const track *r, int k, int part)
{
    int before;
    (void)rows_of(r->s, part, &before);
    return r->x + (size_t)r->rows * (size_t)k + before;
}

static const double *column(const track *r, int k, int part)
{
    static double nothing[COLUMNS];
    for (int i = 0; i < COLUMNS; ++i) {
        nothing[i] = NAN;
    }
    return r->status == DAL_OK && k >= 0 && k < r->n ? reached(r, k, part) : nothing;
}

const double *at_q(const track *r, int k)
{
    return column(r, k, OF_Q);
}

const double *at_v(const track *r, int k)
{
    return column(r, k, OF_V);
}

const double *at_vd(const track *r, int k)
{
    return column(r, k, OF_VD);
}

const double *at_a(const track *r, int k)
{
    return column(r, k, OF_A);
}

const double *at_la(const track *r, int k)
{
    return column(r, k, OF_LA);
}

const double *at_eta(const track *r, int k)
{
    return column(r, k, OF_ETA);
}

double time_of(const track *r, int k)
{
    return r->x[(size_t)r->rows * (size_t)k];
}

const double *reached_la(const track *r, int k)
{
    return reached(r, k, OF_LA);
}

void at_pose(double pose[7], const track *r, int k, int body, double e)
{
    enum { BODIES = 12 };
    double all[7 * BODIES], q[COLUMNS], step[COLUMNS];
    const dal_point at = {r->n > k ? time_of(r, k) : 0.0, q, at_v(r, k), at_vd(r, k), at_la(r, k)};
    for (int i = 0; i < r->s->nv; ++i) {
        step[i] = e * at.v[i];
    }
    if (r->status == DAL_OK) {
        dal_retract(r->s->sys->group, q, at_q(r, k), step);
    }
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

/* ---- numbers ---------------------------------------------------------------------------------- */

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
