/* Pictures of the motion and strips of curves, thinned out as they grow. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/message.h"
#include "lie/mat3.h"
#include "page/page_impl.h"
#include "system/data.h"

/* Pictures that are kept while a run goes on, numbers in them, rows of curves. */
enum { FILM_MAX = 8000, FILM_NUMBERS = 16000000, STRIP_MAX = 4096 };

/* ---- pictures --------------------------------------------------------------------------------- */

static int wrenches(const dal_page *page)
{
    return page->njoints + page->nforces;
}

dal_status dal_page_film_init(dal_page *page)
{
    page_film *f = &page->film;
    f->stride = 7 * page->nbodies + 6 * wrenches(page) + page->nmodal;
    const int fit = FILM_NUMBERS / (f->stride + 1);
    f->room = fit > FILM_MAX ? FILM_MAX : fit < 16 ? 16 : fit;
    f->t = dal_alloc(page->ctx, (size_t)f->room * sizeof(double));
    f->x = dal_alloc(page->ctx, (size_t)f->room * (size_t)(f->stride + 1) * sizeof(float));
    return f->t && f->x ? DAL_OK : dal_fail(page->ctx, DAL_ENOMEM, "page: no memory for the motion");
}

/* Every other picture goes. */
static void thin_out(page_film *f)
{
    const size_t bytes = (size_t)f->stride * sizeof(float);
    int n = 0;
    for (int i = 0; i < f->n; i += 2, ++n) {
        f->t[n] = f->t[i];
        memmove(f->x + (size_t)n * (size_t)f->stride, f->x + (size_t)i * (size_t)f->stride, bytes);
    }
    f->spacing = n > 1 ? (f->t[n - 1] - f->t[0]) / (n - 1) : 0.0;
    f->n = n;
}

static void copy_floats(float **to, const double *from, int n)
{
    for (int i = 0; i < n; ++i) {
        *(*to)++ = (float)from[i];
    }
}

dal_status dal_page_frame(dal_page *page, const dal_point *at)
{
    if (!page) {
        return DAL_EINVAL;
    }
    DAL_NEED_POINT(page->ctx, at, NULL);
    page_film *f = &page->film;
    if (!page->model || (f->n > 0 && at->t < f->t[f->n - 1] + 0.999 * f->spacing)) {
        return DAL_OK;
    }
    if (!f->x) {
        DAL_TRY(dal_page_film_init(page));
    }
    if (f->n == f->room) {
        thin_out(f);
    }
    DAL_TRY(dal_model_poses(page->model, page->data, page->pose, at));
    DAL_TRY(dal_model_wrenches(page->model, page->data, page->wrench, at));
    float *to = f->x + (size_t)f->n * (size_t)f->stride;
    copy_floats(&to, page->pose, 7 * page->nbodies);
    copy_floats(&to, page->wrench, 6 * wrenches(page));
    for (int i = 1; i <= page->nbodies; ++i) {
        int q, v;
        const int modes = dal_model_body_of(page->model, i) == i ? dal_model_modes(page->model, &q, &v, i) : 0;
        copy_floats(&to, modes > 0 ? at->q + q : NULL, modes);
    }
    f->t[f->n++] = at->t;
    return DAL_OK;
}

/* How many pictures the page gets: enough that nothing turns by more than about a radian between two, between 60 and 75
 * for a second, at least 400, and not more than some megabytes. */
static int wanted(const dal_page *page)
{
    const page_film *f = &page->film;
    double fastest = 0.0;
    for (int i = 1; i < f->n; ++i) {
        const float *a = f->x + (size_t)(i - 1) * (size_t)f->stride, *b = a + f->stride;
        for (int k = 0; k < page->nbodies; ++k, a += 7, b += 7) {
            const double c = fabs((double)(a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6]));
            const double rate = 2.0 * acos(c < 1.0 ? c : 1.0) / (f->t[i] - f->t[i - 1]);
            fastest = rate > fastest ? rate : fastest;
        }
    }
    const double T = f->t[f->n - 1] - f->t[0], rate = fmin(75.0, fmax(60.0, fastest));
    const double bytes = 20.0 * page->nbodies + 12.0 * wrenches(page) + 4.0 * page->nmodal + 8.0;
    const double n = fmin(fmax(400.0, rate * T), fmax(24.0, 5e6 / bytes));
    return n < f->n ? (int)n : f->n;
}

/* A column of the film as base64: `n` numbers from `first` on of every kept picture. */
typedef struct column {
    int first, n;
} column;

static void put_column(page_text *t, const dal_page *page, const int *kept, int nkept, column c)
{
    const page_film *f = &page->film;
    float *x = dal_alloc(page->ctx, (size_t)nkept * (size_t)c.n * sizeof *x + 1);
    if (!x) {
        t->failed = 1;
        return;
    }
    for (int i = 0; i < nkept; ++i) {
        memcpy(x + (size_t)i * (size_t)c.n, f->x + (size_t)kept[i] * (size_t)f->stride + c.first,
               (size_t)c.n * sizeof *x);
    }
    dal_page_put_base64(t, x, (size_t)nkept * (size_t)c.n * sizeof *x);
    dal_free(page->ctx, x);
}

/* Positions as they are, rotations in 16 bits. */
static void put_poses(page_text *t, const dal_page *page, const int *kept, int nkept)
{
    const page_film *f = &page->film;
    const size_t nb = (size_t)page->nbodies, n = (size_t)nkept * nb;
    float *x = dal_alloc(page->ctx, 3 * n * sizeof *x + 1);
    int16_t *r = dal_alloc(page->ctx, 4 * n * sizeof *r + 1);
    for (size_t i = 0; x && r && i < n; ++i) {
        const float *p = f->x + (size_t)kept[i / nb] * (size_t)f->stride + 7 * (i % nb);
        memcpy(x + 3 * i, p, 3 * sizeof *x);
        for (size_t k = 0; k < 4; ++k) {
            r[4 * i + k] = (int16_t)lround(32767.0 * fmin(1.0, fmax(-1.0, (double)p[3 + k])));
        }
    }
    t->failed |= !x || !r;
    if (x && r) {
        dal_page_put(t, ",\"x\":");
        dal_page_put_base64(t, x, 3 * n * sizeof *x);
        dal_page_put(t, ",\"r\":");
        dal_page_put_base64(t, r, 4 * n * sizeof *r);
    }
    dal_free(page->ctx, x);
    dal_free(page->ctx, r);
}

/* Forces and torques in 16 bits, each in units of its largest value. */
static void put_wrenches(page_text *t, const dal_page *page, const int *kept, int nkept)
{
    const page_film *f = &page->film;
    const int nw = wrenches(page), first = 7 * page->nbodies;
    const size_t n = (size_t)nkept * (size_t)nw;
    double *top = dal_alloc_zero(page->ctx, 2 * (size_t)nw * sizeof *top + 1);
    int16_t *w = dal_alloc(page->ctx, 6 * n * sizeof *w + 1);
    if (!top || !w) {
        t->failed = 1;
        nkept = 0;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < nkept; ++i) {
            const float *x = f->x + (size_t)kept[i] * (size_t)f->stride + first;
            for (int k = 0; k < 6 * nw; ++k) {
                double *m = &top[k / 3];
                if (pass == 0) {
                    *m = fmax(*m, fabs((double)x[k]));
                } else {
                    w[(size_t)(6 * nw) * (size_t)i + (size_t)k] =
                        (int16_t)(*m > 0.0 ? lround(32767.0 * (double)x[k] / *m) : 0);
                }
            }
        }
    }
    if (nkept > 0) {
        dal_page_put(t, ",\"wrenchUnit\":");
        dal_page_put_reals(t, top, 2 * nw);
        dal_page_put(t, ",\"wrench\":");
        dal_page_put_base64(t, w, 6 * n * sizeof *w);
    }
    dal_free(page->ctx, top);
    dal_free(page->ctx, w);
}

void dal_page_put_motion(page_text *t, dal_page *page)
{
    const page_film *f = &page->film;
    if (f->n < 2) {
        dal_page_put(t, "null");
        return;
    }
    const int n = wanted(page);
    int *kept = dal_alloc(page->ctx, (size_t)n * sizeof *kept);
    double *time = dal_alloc(page->ctx, (size_t)n * sizeof *time);
    if (kept && time) {
        for (int i = 0; i < n; ++i) {
            kept[i] = (int)lround((double)i * (f->n - 1) / (n > 1 ? n - 1 : 1));
            time[i] = f->t[kept[i]];
        }
        dal_page_put(t, "{\"t\":");
        dal_page_put_base64(t, time, (size_t)n * sizeof *time);
        put_poses(t, page, kept, n);
        if (wrenches(page) > 0) {
            put_wrenches(t, page, kept, n);
        }
        if (page->nmodal > 0) {
            dal_page_put(t, ",\"modal\":");
            put_column(t, page, kept, n, (column){f->stride - page->nmodal, page->nmodal});
        }
        dal_page_put(t, "}");
    } else {
        t->failed = 1;
    }
    dal_free(page->ctx, kept);
    dal_free(page->ctx, time);
}

/* ---- strips ----------------------------------------------------------------------------------- */

static char *copy_text(dal_ctx *ctx, const char *text)
{
    const size_t n = strlen(text ? text : "") + 1;
    char *copy = dal_alloc(ctx, n);
    return copy ? memcpy(copy, text ? text : "", n) : NULL;
}

dal_status dal_page_curves(dal_page *page, const dal_page_curve *curve, int n)
{
    DAL_NEED(NULL, page);
    DAL_NEED(page->ctx, curve);
    if (!page || !curve || n < 0 || page->strip.curve) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_curves: curves are said once, as a list") : DAL_EINVAL;
    }
    page_strip *s = &page->strip;
    const size_t m = (size_t)n;
    s->curve = dal_alloc_zero(page->ctx, (m + 1) * sizeof *s->curve);
    s->t = dal_alloc(page->ctx, STRIP_MAX * sizeof(double));
    s->x = dal_alloc(page->ctx, (STRIP_MAX * m + 1) * sizeof(double));
    s->low = dal_alloc(page->ctx, (4 * m + 1) * sizeof(double));
    int ok = s->curve && s->t && s->x && s->low;
    for (int k = 0; ok && k < n; ++k) {
        s->curve[k] = (dal_page_curve){copy_text(page->ctx, curve[k].name), copy_text(page->ctx, curve[k].unit),
                                       copy_text(page->ctx, curve[k].panel), curve[k].log};
        s->ncurves = k + 1;
        ok = s->curve[k].name && s->curve[k].unit && s->curve[k].panel;
    }
    if (!ok) {
        return dal_fail(page->ctx, DAL_ENOMEM, "page: no memory for %d curves", n);
    }
    s->high = s->low + m;
    s->t_low = s->high + m;
    s->t_high = s->t_low + m;
    s->room = STRIP_MAX;
    s->group = 1;
    return DAL_OK;
}

/* Rows 4 i .. 4 i + 3 become rows 2 i and 2 i + 1: smallest and largest value, in the order they came. */
static void squeeze(page_strip *s)
{
    const size_t m = (size_t)s->ncurves;
    for (int i = 0; i < s->n / 4; ++i) {
        const double *row = s->x + 4 * m * (size_t)i;
        double *to = s->x + 2 * m * (size_t)i;
        for (size_t k = 0; k < m; ++k) {
            int low = 0, high = 0;
            for (int j = 1; j < 4; ++j) {
                low = row[(size_t)j * m + k] < row[(size_t)low * m + k] ? j : low;
                high = row[(size_t)j * m + k] > row[(size_t)high * m + k] ? j : high;
            }
            const double a = row[(size_t)(low < high ? low : high) * m + k],
                         b = row[(size_t)(low < high ? high : low) * m + k];
            to[k] = a;
            to[m + k] = b;
        }
        s->t[2 * i] = s->t[4 * i];
        s->t[2 * i + 1] = s->t[4 * i + 2];
    }
    s->n = s->n / 4 * 2;
    s->group = s->group == 1 ? 4 : 2 * s->group;
}

/* Two rows of what has been gathered; one, if it is a single row. */
static void store_pair(page_strip *s)
{
    const size_t m = (size_t)s->ncurves;
    const int single = s->pending == 1;
    if (s->n + 2 > s->room) {
        squeeze(s);
    }
    double *to = s->x + m * (size_t)s->n;
    for (size_t k = 0; k < m; ++k) {
        const int low_first = s->t_low[k] <= s->t_high[k];
        to[k] = low_first ? s->low[k] : s->high[k];
        to[m + k] = low_first ? s->high[k] : s->low[k];
    }
    s->t[s->n] = s->t_first;
    s->t[s->n + 1] = 0.5 * (s->t_first + s->t_last);
    s->n += single ? 1 : 2;
    s->pending = 0;
}

dal_status dal_page_row(dal_page *page, double t, const double *x)
{
    if (!page || !x) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_row: x is NULL") : DAL_EINVAL;
    }
    page_strip *s = &page->strip;
    if (s->group == 1 && s->n == s->room) {
        squeeze(s);
    }
    if (s->group == 1) {
        s->t[s->n] = t;
        memcpy(s->x + (size_t)s->ncurves * (size_t)s->n++, x, (size_t)s->ncurves * sizeof(double));
        return DAL_OK;
    }
    for (int k = 0; k < s->ncurves; ++k) {
        if (s->pending == 0 || x[k] < s->low[k]) {
            s->low[k] = x[k];
            s->t_low[k] = t;
        }
        if (s->pending == 0 || x[k] > s->high[k]) {
            s->high[k] = x[k];
            s->t_high[k] = t;
        }
    }
    s->t_first = s->pending == 0 ? t : s->t_first;
    s->t_last = t;
    if (++s->pending == s->group) {
        store_pair(s);
    }
    return DAL_OK;
}

/* Values as float32; energies that hardly change keep their digits. */
static void put_curve(page_text *t, const dal_page *page, int k)
{
    const page_strip *s = &page->strip;
    const size_t m = (size_t)s->ncurves;
    double mean = 0.0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < s->n; ++i) {
        const double x = s->x[m * (size_t)i + (size_t)k];
        mean += x / s->n;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    // what hardly changes is written as its mean and the rest
    mean = isfinite(mean) && fabs(mean) > 100.0 * (high - low) ? mean : 0.0;
    float *y = dal_alloc(page->ctx, (size_t)(s->n + 1) * sizeof *y);
    if (!y) {
        t->failed = 1;
        return;
    }
    for (int i = 0; i < s->n; ++i) {
        y[i] = (float)(s->x[m * (size_t)i + (size_t)k] - mean);
    }
    dal_page_put(t, k > 0 ? ",{\"name\":" : "{\"name\":");
    dal_page_put_string(t, s->curve[k].name);
    dal_page_put(t, ",\"unit\":");
    dal_page_put_string(t, s->curve[k].unit);
    dal_page_put(t, ",\"offset\":");
    dal_page_put_real(t, mean);
    dal_page_put(t, ",\"y\":");
    dal_page_put_base64(t, y, (size_t)s->n * sizeof *y);
    dal_page_put(t, "}");
    dal_free(page->ctx, y);
}

/* Curves with the same heading, in the order in which headings appear. */
static void put_panels(page_text *t, const page_strip *s)
{
    int panels = 0;
    for (int k = 0; k < s->ncurves; ++k) {
        int known = 0;
        for (int i = 0; i < k; ++i) {
            known |= strcmp(s->curve[i].panel, s->curve[k].panel) == 0;
        }
        if (known) {
            continue;
        }
        dal_page_put(t, panels++ > 0 ? ",{\"title\":" : "{\"title\":");
        dal_page_put_string(t, s->curve[k].panel);
        dal_page_printf(t, ",\"log\":%s,\"series\":[%d", s->curve[k].log ? "true" : "false", k);
        for (int i = k + 1; i < s->ncurves; ++i) {
            if (strcmp(s->curve[i].panel, s->curve[k].panel) == 0) {
                dal_page_printf(t, ",%d", i);
            }
        }
        dal_page_put(t, "]}");
    }
}

void dal_page_put_plots(page_text *t, dal_page *page)
{
    page_strip *s = &page->strip;
    if (s->pending > 0) {
        store_pair(s);
    }
    if (s->ncurves == 0 || s->n == 0) {
        dal_page_put(t, "null");
        return;
    }
    dal_page_put(t, "{\"t\":");
    dal_page_put_base64(t, s->t, (size_t)s->n * sizeof(double));
    dal_page_put(t, ",\"series\":[");
    for (int k = 0; k < s->ncurves; ++k) {
        put_curve(t, page, k);
    }
    dal_page_put(t, "],\"panels\":[");
    put_panels(t, s);
    dal_page_put(t, "]}");
}

void dal_page_film_release(dal_page *page)
{
    page_strip *s = &page->strip;
    for (int k = 0; k < s->ncurves; ++k) {
        dal_free(page->ctx, (void *)s->curve[k].name);
        dal_free(page->ctx, (void *)s->curve[k].unit);
        dal_free(page->ctx, (void *)s->curve[k].panel);
    }
    void *const block[] = {s->curve, s->t, s->x, s->low, page->film.t, page->film.x};
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i) {
        dal_free(page->ctx, block[i]);
    }
}
