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
    f->stride = 7 * page->nbodies + 6 * wrenches(page) + PAGE_SECTION * page->nstations + PAGE_PLACE * page->nplaces +
                page->nmodal;
    const int fit = FILM_NUMBERS / (f->stride + 1);
    f->room = fit > FILM_MAX ? FILM_MAX : fit < 16 ? 16 : fit;
    DAL_TAKE(&page->pool, f->t, f->room);
    DAL_TAKE(&page->pool, f->x, (size_t)f->room * (size_t)(f->stride + 1));
    return DAL_OK;
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

/* Where contacts press; what is left over is zero. */
static dal_status take_places(const dal_page *page, float **to, const dal_point *at)
{
    static const double none[PAGE_PLACE] = {0.0};
    int n = 0;
    if (page->nplaces > 0 && page->data) {
        DAL_TRY(dal_model_contact_places(page->model, page->data, page->place, &n, page->nplaces, at));
    }
    for (int i = 0; i < page->nplaces; ++i) {
        copy_floats(to, i < n ? page->place[i].x : none, 3);
        copy_floats(to, i < n ? page->place[i].force : none, 3);
    }
    return DAL_OK;
}

dal_status dal_page_frame(dal_page *page, const dal_point *at)
{
    DAL_NEED(NULL, page);
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
    for (int i = 0; i < dal_model_beam_count(page->model); ++i) {
        if (dal_model_beam_outline(page->model, NULL, i, 0.0) > 0) {
            DAL_TRY(dal_model_beam_states(page->model, page->data, page->station, at, i));
            for (int k = 0; k < dal_model_beam_info(page->model, i).nodes; ++k) {
                copy_floats(&to, page->station[k].force, 6);
                copy_floats(&to, page->station[k].strain, 6);
            }
        }
    }
    DAL_TRY(take_places(page, &to, at));
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
    const double bytes = 20.0 * page->nbodies + 12.0 * wrenches(page) + 24.0 * page->nstations + 12.0 * page->nplaces +
                         4.0 * page->nmodal + 8.0;
    const double n = fmin(fmax(400.0, rate * T), fmax(24.0, 5e6 / bytes));
    return n < f->n ? (int)n : f->n;
}

/* Numbers of one picture. */
static const float *picture(const dal_page *page, int number)
{
    return page->film.x + (size_t)number * (size_t)page->film.stride;
}

/* Modal coordinates as they are. */
static dal_status put_modal(dal_text *t, const dal_page *page, dal_pool *pool, const int *kept, int nkept)
{
    const size_t n = (size_t)page->nmodal;
    float *x;
    DAL_TAKE(pool, x, (size_t)nkept * n);
    for (int i = 0; i < nkept; ++i) {
        memcpy(x + (size_t)i * n, picture(page, kept[i] + 1) - n, n * sizeof *x); // the last ones
    }
    dal_page_json(t, ",\"modal\":%b", x, (size_t)nkept * n * sizeof *x);
    return DAL_OK;
}

/* Positions as they are, rotations in 16 bits. */
static dal_status put_poses(dal_text *t, const dal_page *page, dal_pool *pool, const int *kept, int nkept)
{
    const size_t nb = (size_t)page->nbodies, n = (size_t)nkept * nb;
    float *x;
    int16_t *r;
    DAL_TAKE(pool, x, 3 * n);
    DAL_TAKE(pool, r, 4 * n);
    for (size_t i = 0; i < n; ++i) {
        const float *p = picture(page, kept[i / nb]) + 7 * (i % nb);
        memcpy(x + 3 * i, p, 3 * sizeof *x);
        for (size_t k = 0; k < 4; ++k) {
            r[4 * i + k] = (int16_t)lround(32767.0 * fmin(1.0, fmax(-1.0, (double)p[3 + k])));
        }
    }
    dal_page_json(t, ",\"x\":%b,\"r\":%b", x, 3 * n * sizeof *x, r, 4 * n * sizeof *r);
    return DAL_OK;
}

/* Forces and torques in 16 bits, each in units of its largest value. */
static dal_status put_wrenches(dal_text *t, const dal_page *page, dal_pool *pool, const int *kept, int nkept)
{
    const int nw = wrenches(page);
    const size_t n = 6 * (size_t)nw;
    double *top;
    int16_t *w;
    DAL_TAKE(pool, top, 2 * nw);
    DAL_TAKE(pool, w, (size_t)nkept * n);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < nkept; ++i) {
            const float *x = picture(page, kept[i]) + 7 * page->nbodies;
            for (size_t k = 0; k < n; ++k) {
                double *m = &top[k / 3];
                if (pass == 0) {
                    *m = fmax(*m, fabs((double)x[k]));
                } else {
                    w[n * (size_t)i + k] = (int16_t)(*m > 0.0 ? lround(32767.0 * (double)x[k] / *m) : 0);
                }
            }
        }
    }
    dal_page_json(t, ",\"wrenchUnit\":%v,\"wrench\":%b", top, 2 * nw, w, (size_t)nkept * n * sizeof *w);
    return DAL_OK;
}

/* Section forces and strains in 16 bits, each quantity of all beams in units of its largest value. */
static dal_status put_sections(dal_text *t, const dal_page *page, dal_pool *pool, const int *kept, int nkept)
{
    const size_t n = PAGE_SECTION * (size_t)page->nstations;
    double top[PAGE_SECTION] = {0.0};
    int16_t *w;
    DAL_TAKE(pool, w, (size_t)nkept * n);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < nkept; ++i) {
            const float *x = picture(page, kept[i]) + 7 * page->nbodies + 6 * wrenches(page);
            for (size_t k = 0; k < n; ++k) {
                double *m = &top[k % PAGE_SECTION];
                if (pass == 0) {
                    *m = fmax(*m, fabs((double)x[k]));
                } else {
                    w[n * (size_t)i + k] = (int16_t)(*m > 0.0 ? lround(32767.0 * (double)x[k] / *m) : 0);
                }
            }
        }
    }
    dal_page_json(t, ",\"sectionUnit\":%v,\"section\":%b", top, PAGE_SECTION, w, (size_t)nkept * n * sizeof *w);
    return DAL_OK;
}

/* How many contacts press in a picture. */
static size_t pressing(const dal_page *page, const float *x)
{
    size_t n = 0;
    while (n < (size_t)page->nplaces &&
           (x[PAGE_PLACE * n + 3] != 0.0F || x[PAGE_PLACE * n + 4] != 0.0F || x[PAGE_PLACE * n + 5] != 0.0F)) {
        n++;
    }
    return n;
}

/* Places and forces of the contacts that press, picture after picture, and how many each has. */
static dal_status put_places(dal_text *t, const dal_page *page, dal_pool *pool, const int *kept, int nkept)
{
    const size_t before =
        7 * (size_t)page->nbodies + 6 * (size_t)wrenches(page) + PAGE_SECTION * (size_t)page->nstations;
    size_t all = 0;
    int *count;
    float *x;
    DAL_TAKE(pool, count, nkept);
    for (int i = 0; i < nkept; ++i) {
        count[i] = (int)pressing(page, picture(page, kept[i]) + before);
        all += (size_t)count[i];
    }
    DAL_TAKE(pool, x, PAGE_PLACE * all);
    float *to = x;
    for (int i = 0; i < nkept; ++i) {
        memcpy(to, picture(page, kept[i]) + before, PAGE_PLACE * (size_t)count[i] * sizeof *x);
        to += PAGE_PLACE * count[i];
    }
    dal_page_json(t, ",\"contacts\":%b,\"contact\":%b", count, (size_t)nkept * sizeof *count, x,
                  PAGE_PLACE * all * sizeof *x);
    return DAL_OK;
}

static dal_status put_film(dal_text *t, const dal_page *page, dal_pool *pool, int n)
{
    const page_film *f = &page->film;
    int *kept;
    double *time;
    DAL_TAKE(pool, kept, n);
    DAL_TAKE(pool, time, n);
    for (int i = 0; i < n; ++i) {
        kept[i] = (int)lround((double)i * (f->n - 1) / (n > 1 ? n - 1 : 1));
        time[i] = f->t[kept[i]];
    }
    dal_page_json(t, "{\"t\":%b", time, (size_t)n * sizeof *time);
    DAL_TRY(put_poses(t, page, pool, kept, n));
    DAL_TRY(wrenches(page) > 0 ? put_wrenches(t, page, pool, kept, n) : DAL_OK);
    DAL_TRY(page->nstations > 0 ? put_sections(t, page, pool, kept, n) : DAL_OK);
    DAL_TRY(page->nplaces > 0 ? put_places(t, page, pool, kept, n) : DAL_OK);
    DAL_TRY(page->nmodal > 0 ? put_modal(t, page, pool, kept, n) : DAL_OK);
    dal_text_put(t, "}");
    return DAL_OK;
}

void dal_page_put_motion(dal_text *t, dal_page *page)
{
    const page_film *f = &page->film;
    if (f->n < 2) {
        dal_text_put(t, "null");
        return;
    }
    dal_pool pool = {.ctx = page->ctx, .what = "the motion of a page"};
    t->failed |= put_film(t, page, &pool, wanted(page)) != DAL_OK;
    dal_pool_release(&pool);
}

/* ---- strips ----------------------------------------------------------------------------------- */

dal_status dal_page_curves(dal_page *page, const dal_page_curve *curve, int n)
{
    DAL_NEED(NULL, page);
    DAL_NEED(page->ctx, curve);
    if (n < 0 || page->strip.curve) {
        return dal_fail(page->ctx, DAL_EINVAL, "dal_page_curves: curves are said once, as a list");
    }
    page_strip *s = &page->strip;
    const size_t m = (size_t)n;
    DAL_TAKE(&page->pool, s->t, STRIP_MAX);
    DAL_TAKE(&page->pool, s->x, STRIP_MAX * m);
    DAL_TAKE(&page->pool, s->low, 4 * m);
    DAL_TAKE(&page->pool, s->curve, n);
    for (; s->ncurves < n; ++s->ncurves) {
        const dal_page_curve *from = &curve[s->ncurves];
        dal_page_curve *to = &s->curve[s->ncurves];
        DAL_TAKE_TEXT(&page->pool, to->name, from->name ? from->name : "");
        DAL_TAKE_TEXT(&page->pool, to->unit, from->unit ? from->unit : "");
        DAL_TAKE_TEXT(&page->pool, to->panel, from->panel ? from->panel : "");
        to->log = from->log;
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
    DAL_NEED(NULL, page);
    DAL_NEED(page->ctx, x);
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
static void put_curve(dal_text *t, const dal_page *page, int k)
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
    dal_page_json(t, "%,{\"name\":%s,\"unit\":%s,\"offset\":%r,\"y\":%b}", k > 0, s->curve[k].name, s->curve[k].unit,
                  mean, y, (size_t)s->n * sizeof *y);
    dal_free(page->ctx, y);
}

/* Curves with the same heading, in the order in which headings appear. */
static void put_panels(dal_text *t, const page_strip *s)
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
        dal_page_json(t, "%,{\"title\":%s,\"log\":%t,\"series\":[%d", panels++ > 0, s->curve[k].panel, s->curve[k].log,
                      k);
        for (int i = k + 1; i < s->ncurves; ++i) {
            if (strcmp(s->curve[i].panel, s->curve[k].panel) == 0) {
                dal_page_json(t, ",%d", i);
            }
        }
        dal_text_put(t, "]}");
    }
}

void dal_page_put_plots(dal_text *t, dal_page *page)
{
    page_strip *s = &page->strip;
    if (s->pending > 0) {
        store_pair(s);
    }
    if (s->ncurves == 0 || s->n == 0) {
        dal_text_put(t, "null");
        return;
    }
    dal_page_json(t, "{\"t\":%b,\"series\":[", s->t, (size_t)s->n * sizeof(double));
    for (int k = 0; k < s->ncurves; ++k) {
        put_curve(t, page, k);
    }
    dal_text_put(t, "],\"panels\":[");
    put_panels(t, s);
    dal_text_put(t, "]}");
}
