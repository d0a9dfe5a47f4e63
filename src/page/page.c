/* A page: what is said about a run, and the file with the viewer in it. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "io/whole.h"
#include "lie/mat3.h"
#include "page/page_impl.h"

/* ---- creating --------------------------------------------------------------------------------- */

static char *copy_text(dal_ctx *ctx, const char *text)
{
    const size_t n = strlen(text ? text : "") + 1;
    char *copy = dal_alloc(ctx, n);
    return copy ? memcpy(copy, text ? text : "", n) : NULL;
}

static void widen(double low[3], double high[3], const double x[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = x[k] < low[k] ? x[k] : low[k];
        high[k] = x[k] > high[k] ? x[k] : high[k];
    }
}

/* A point of a body, in the world. */
static void in_world(double y[3], const dal_page *page, int body, const double x[3])
{
    const double *pose = page->looks.pose + 7 * (body - 1);
    if (body == 0) {
        memcpy(y, x, 3 * sizeof(double));
        return;
    }
    dal_quat_rotate(y, pose + 3, x);
    for (int k = 0; k < 3; ++k) {
        y[k] += pose[k];
    }
}

/* Size of the mechanism: the diagonal of a box around origins, centres of mass and joints; at least three radii of
 * gyration. */
static double size_of(const dal_page *page)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, y[3], size = 0.0;
    for (int i = 1; i <= page->nbodies; ++i) {
        dal_body b;
        const dal_flexible_nodes f = dal_model_flexible_nodes(page->model, i);
        if (dal_model_body_info(page->model, &b, i) == DAL_OK) {
            in_world(y, page, i, b.com);
            widen(low, high, y);
            widen(low, high, page->looks.pose + 7 * (i - 1));
            const double gyration = b.mass > 0.0 ? sqrt((b.inertia[0] + b.inertia[1] + b.inertia[2]) / b.mass) : 0.0;
            size = 3.0 * gyration > size ? 3.0 * gyration : size;
        }
        for (int k = 0; k < f.n; ++k) {
            in_world(y, page, i, f.node + 3 * (size_t)k);
            widen(low, high, y);
        }
    }
    for (int k = 0; k < page->njoints; ++k) {
        dal_joint j;
        if (dal_model_joint_info(page->model, &j, k) == DAL_OK) {
            in_world(y, page, j.body_a, j.frame_a.position);
            widen(low, high, y);
            in_world(y, page, j.body_b, j.frame_b.position);
            widen(low, high, y);
            size = 2.0 * j.radius > size ? 2.0 * j.radius : size;
        }
    }
    const double d[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]}, diagonal = sqrt(dot3(d, d));
    size = isfinite(diagonal) && diagonal > size ? diagonal : size;
    return isfinite(size) && size > 0.0 ? size : 1.0;
}

static dal_status read_model(dal_page *page, const dal_page_spec *spec)
{
    const dal_model *m = spec->model;
    const dal_model_summary sum = dal_model_report(m);
    page->model = m;
    page->njoints = sum.joints;
    page->nforces = sum.forces;
    while (dal_model_body_name(m, page->nbodies + 1)) {
        ++page->nbodies;
    }
    const size_t nb = (size_t)page->nbodies, nj = (size_t)page->njoints;
    page->looks.pose = dal_alloc(page->ctx, 7 * nb * sizeof(double));
    page->pose = dal_alloc(page->ctx, 7 * nb * sizeof(double));
    page->wrench = dal_alloc(page->ctx, 6 * (nj + (size_t)page->nforces) * sizeof(double));
    page->gap = dal_alloc_zero(page->ctx, nj * sizeof(double));
    page->redundant = dal_alloc_zero(page->ctx, nj * sizeof(int));
    if (!page->looks.pose || !page->pose || !page->wrench || !page->gap || !page->redundant) {
        return dal_fail(page->ctx, DAL_ENOMEM, "page: no memory for the model");
    }
    for (int i = 1; i <= page->nbodies; ++i) {
        int q, v;
        page->nmodal += dal_model_body_of(m, i) == i ? dal_model_modes(m, &q, &v, i) : 0;
    }
    const dal_point start = {.q = dal_model_q0(m), .v = dal_model_v0(m), .vd = dal_model_v0(m)};
    DAL_TRY(dal_model_poses(m, page->data, page->looks.pose, spec->initial ? spec->initial : &start));
    page->looks.size = size_of(page);
    for (int k = 0; k < dal_model_trail_count(m); ++k) {
        double point[3];
        DAL_TRY(dal_page_trail(page, dal_model_trail(m, point, k), point));
    }
    return dal_page_looks_init(page);
}

dal_status dal_page_create(dal_page **out, dal_ctx *ctx, const dal_page_spec *spec)
{
    if (!ctx || !out || !spec) {
        return ctx ? dal_fail(ctx, DAL_EINVAL, "dal_page_create: %s is NULL", !out ? "page" : "spec") : DAL_EINVAL;
    }
    *out = NULL;
    dal_page *page = dal_alloc_zero(ctx, sizeof *page);
    if (!page) {
        return dal_fail(ctx, DAL_ENOMEM, "page: no memory");
    }
    page->ctx = ctx;
    page->data = spec->data;
    page_text *const texts[] = {&page->list[0], &page->list[1],  &page->list[2], &page->trails,
                                &page->methods, &page->chapters, &page->charts};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        texts[i]->ctx = ctx;
    }
    page->name = copy_text(ctx, spec->name);
    page->title = copy_text(ctx, spec->title);
    page->source = copy_text(ctx, spec->source);
    dal_status st = page->name && page->title && page->source ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "page: no memory");
    if (st == DAL_OK && spec->model) {
        st = read_model(page, spec);
    }
    if (st != DAL_OK) {
        dal_page_destroy(page);
        return st;
    }
    *out = page;
    return DAL_OK;
}

void dal_page_destroy(dal_page *page)
{
    if (!page) {
        return;
    }
    dal_ctx *ctx = page->ctx;
    page_text *const texts[] = {&page->list[0], &page->list[1],  &page->list[2], &page->trails,
                                &page->methods, &page->chapters, &page->charts};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        dal_page_text_release(texts[i]);
    }
    dal_page_film_release(page);
    dal_page_looks_release(page);
    void *const block[] = {page->name, page->title,  page->source, page->looks.pose,
                           page->pose, page->wrench, page->gap,    page->redundant};
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i) {
        dal_free(ctx, block[i]);
    }
    dal_free(ctx, page);
}

/* ---- what is said ----------------------------------------------------------------------------- */

static dal_status whole(const dal_page *page, const page_text *t)
{
    return t->failed ? dal_fail(page->ctx, DAL_ENOMEM, "page: no memory for its text") : DAL_OK;
}

dal_status dal_page_text(dal_page *page, dal_page_list list, const char *name, const char *value, int marked)
{
    if (!page || list < DAL_PAGE_SUMMARY || list > DAL_PAGE_WARNINGS) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_text: no such list") : DAL_EINVAL;
    }
    if (list != DAL_PAGE_WARNINGS) {
        DAL_NEED(page->ctx, name);
    }
    DAL_NEED(page->ctx, value);
    page_text *t = &page->list[list];
    dal_page_put(t, t->n > 0 ? "," : "");
    if (list == DAL_PAGE_WARNINGS) {
        dal_page_put_string(t, value);
        return whole(page, t);
    }
    dal_page_put(t, "[");
    dal_page_put_string(t, name);
    dal_page_put(t, ",");
    dal_page_put_string(t, value);
    dal_page_put(t, marked ? ",true]" : "]");
    return whole(page, t);
}

dal_status dal_page_joint(dal_page *page, int joint, double gap, int redundant)
{
    if (!page || joint < 0 || joint >= page->njoints) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_joint: there is no joint %d", joint) : DAL_EINVAL;
    }
    page->gap[joint] = gap > page->gap[joint] ? gap : page->gap[joint];
    page->redundant[joint] |= redundant;
    return DAL_OK;
}

dal_status dal_page_trail(dal_page *page, int body, const double point[3])
{
    if (!page || body < 1 || body > page->nbodies) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_trail: there is no body %d", body) : DAL_EINVAL;
    }
    DAL_NEED(page->ctx, point);
    dal_page_printf(&page->trails, "%s{\"body\":%d,\"point\":", page->trails.n > 0 ? "," : "", body - 1);
    dal_page_put_reals(&page->trails, point, 3);
    dal_page_put(&page->trails, "}");
    return whole(page, &page->trails);
}

dal_status dal_page_chapter(dal_page *page, const char *name, double from, double to)
{
    if (!page || !(from <= to)) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_chapter: from %g to %g is not a span of time", from, to)
                    : DAL_EINVAL;
    }
    DAL_NEED(page->ctx, name);
    page_text *t = &page->chapters;
    dal_page_put(t, t->n > 0 ? ",{\"name\":" : "{\"name\":");
    dal_page_put_string(t, name);
    dal_page_put(t, ",\"from\":");
    dal_page_put_real(t, from);
    dal_page_put(t, ",\"to\":");
    dal_page_put_real(t, to);
    dal_page_put(t, "}");
    return whole(page, t);
}

dal_status dal_page_study(dal_page *page, const dal_page_method *m)
{
    static const char *const quantity[3] = {"q", "v", "lambda"};
    if (!page || !m) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_study: method is NULL") : DAL_EINVAL;
    }
    if (m->n > 0) {
        DAL_NEED_AS(page->ctx, m->h, "method->h");
    }
    page_text *t = &page->methods;
    dal_page_put(t, t->n > 0 ? ",{\"name\":" : "{\"name\":");
    dal_page_put_string(t, m->name);
    dal_page_put(t, ",\"h\":");
    dal_page_put_reals(t, m->h, m->n);
    for (int what = 0; what < 2; ++what) {
        dal_page_put(t, what == 0 ? ",\"errors\":{" : "},\"orders\":{");
        for (int k = 0; k < 3; ++k) {
            dal_page_printf(t, "%s\"%s\":", k > 0 ? "," : "", quantity[k]);
            if (what == 0) {
                dal_page_put_reals(t, m->error[k], m->error[k] ? m->n : 0);
            } else {
                dal_page_put_real(t, m->order[k]);
            }
        }
    }
    dal_page_put(t, "}}");
    return whole(page, t);
}

/* ---- the file --------------------------------------------------------------------------------- */

static void put_list(page_text *t, const char *key, const page_text *list)
{
    dal_page_printf(t, ",\"%s\":[", key);
    dal_page_put_bytes(t, list->text, list->n);
    dal_page_put(t, "]");
}

static void put_data(page_text *t, dal_page *page)
{
    dal_page_printf(t, "{\"dalembert\":\"%s\",\"name\":", dal_version_string());
    dal_page_put_string(t, page->name);
    dal_page_put(t, ",\"title\":");
    dal_page_put_string(t, page->title);
    put_list(t, "summary", &page->list[DAL_PAGE_SUMMARY]);
    put_list(t, "options", &page->list[DAL_PAGE_OPTIONS]);
    put_list(t, "warnings", &page->list[DAL_PAGE_WARNINGS]);
    dal_page_put(t, ",\"source\":");
    dal_page_put_string(t, page->source);
    if (page->model) {
        dal_page_put(t, ",\"scene\":");
        dal_page_put_scene(t, page);
        dal_page_put(t, ",\"motion\":");
        dal_page_put_motion(t, page);
        dal_page_put(t, ",\"plots\":");
        dal_page_put_plots(t, page);
    }
    if (page->chapters.n > 0) {
        put_list(t, "chapters", &page->chapters);
    }
    if (page->methods.n > 0) {
        put_list(t, "study\":{\"quantities\":[\"q\",\"v\",\"lambda\"],\"methods", &page->methods);
        dal_page_put(t, "}");
    }
    dal_page_put_charts(t, page);
    dal_page_put(t, "}");
}

/* The skeleton with its three marks filled in. */
static void put_html(page_text *t, dal_page *page)
{
    static const char *const mark[] = {"@style@", "@data@", "@script@"};
    const char *at = (const char *)dal_page_html;
    for (int k = 0; k < 3; ++k) {
        const char *end = strstr(at, mark[k]);
        if (!end) {
            break;
        }
        dal_page_put_bytes(t, at, (size_t)(end - at));
        at = end + strlen(mark[k]);
        if (k == 1) {
            put_data(t, page);
        } else {
            dal_page_put(t, (const char *)(k == 0 ? dal_page_style : dal_page_script));
        }
    }
    dal_page_put(t, at);
}

dal_status dal_page_write(dal_page *page, const char *path)
{
    if (!page || !path) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_write: path is NULL") : DAL_EINVAL;
    }
    page_text t = {.ctx = page->ctx};
    put_html(&t, page);
    dal_status st = whole(page, &t);
    st = st == DAL_OK ? dal_io_write_whole(page->ctx, path, t.text, t.n) : st;
    dal_page_text_release(&t);
    return st;
}

dal_status dal_page_writable(dal_ctx *ctx, const char *path)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    return dal_io_writable(ctx, path);
}
