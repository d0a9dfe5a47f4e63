/* A page: what is said about a run, and the file with the viewer in it. */
#include <math.h>
#include <string.h>

#include "base/message.h"
#include "lie/mat3.h"
#include "page/page_impl.h"

/* ---- creating --------------------------------------------------------------------------------- */

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
    DAL_TAKE(&page->pool, page->looks.pose, 7 * page->nbodies);
    DAL_TAKE(&page->pool, page->pose, 7 * page->nbodies);
    DAL_TAKE(&page->pool, page->wrench, 6 * (page->njoints + page->nforces));
    DAL_TAKE(&page->pool, page->gap, page->njoints);
    DAL_TAKE(&page->pool, page->redundant, page->njoints);
    for (int i = 1; i <= page->nbodies; ++i) {
        int q, v;
        page->nmodal += dal_model_body_of(m, i) == i ? dal_model_modes(m, &q, &v, i) : 0;
    }
    for (int i = 0; i < dal_model_beam_count(m); ++i) {
        page->nstations += dal_model_beam_outline(m, NULL, i, 0.0) > 0 ? dal_model_beam_info(m, i).nodes : 0;
    }
    DAL_TAKE(&page->pool, page->station, page->nstations);
    const int places = dal_model_contact_places_most(m);
    page->nplaces = places < PAGE_PLACES ? places : PAGE_PLACES;
    DAL_TAKE(&page->pool, page->place, page->nplaces);
    const dal_point start = {.q = dal_model_q0(m), .v = dal_model_v0(m), .vd = dal_model_v0(m)};
    DAL_TRY(dal_model_poses(m, page->data, page->looks.pose, spec->initial ? spec->initial : &start));
    page->looks.size = size_of(page);
    for (int k = 0; k < dal_model_trail_count(m); ++k) {
        double point[3];
        DAL_TRY(dal_page_trail(page, dal_model_trail(m, point, k), point));
    }
    return dal_page_looks_init(page);
}

enum { TEXTS = 8 };
static void list_texts(dal_text *text[TEXTS], dal_page *page)
{
    dal_text *const all[TEXTS] = {&page->list[0], &page->list[1],  &page->list[2], &page->trails,
                                  &page->methods, &page->chapters, &page->events,  &page->charts};
    memcpy(text, all, sizeof all);
}

static dal_status fill(dal_page *page, const dal_page_spec *spec)
{
    DAL_TAKE_TEXT(&page->pool, page->name, spec->name ? spec->name : "");
    DAL_TAKE_TEXT(&page->pool, page->title, spec->title ? spec->title : "");
    DAL_TAKE_TEXT(&page->pool, page->source, spec->source ? spec->source : "");
    return spec->model ? read_model(page, spec) : DAL_OK;
}

dal_status dal_page_create_(dal_page **out, dal_ctx *ctx, const dal_page_spec *spec, size_t size)
{
    DAL_NEED_AS(ctx, out, "page");
    *out = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_page_spec, spec);
    dal_pool pool = {.ctx = ctx, .what = "a page"};
    dal_text *text[TEXTS];
    dal_page *page;
    DAL_TAKE(&pool, page, 1);
    page->pool = pool;
    page->ctx = ctx;
    page->data = spec->data;
    list_texts(text, page);
    for (int i = 0; i < TEXTS; ++i) {
        text[i]->ctx = ctx;
    }
    const dal_status st = fill(page, spec);
    if (st != DAL_OK) {
        dal_page_destroy(page);
        return st;
    }
    *out = page;
    return DAL_OK;
}

void dal_page_destroy(dal_page *page)
{
    dal_text *text[TEXTS];
    if (!page) {
        return;
    }
    list_texts(text, page);
    for (int i = 0; i < TEXTS; ++i) {
        dal_text_release(text[i]);
    }
    dal_pool pool = page->pool; // it is in it
    dal_pool_release(&pool);
}

/* ---- what is said ----------------------------------------------------------------------------- */

dal_status dal_page_whole(const dal_page *page, const dal_text *t)
{
    return t->failed ? dal_fail(page->ctx, DAL_ENOMEM, "page: no memory for its text") : DAL_OK;
}

dal_status dal_page_text(dal_page *page, dal_page_list list, const char *name, const char *value, int marked)
{
    DAL_NEED(NULL, page);
    if (list < DAL_PAGE_SUMMARY || list > DAL_PAGE_WARNINGS) {
        return dal_fail(page->ctx, DAL_EINVAL, "dal_page_text: no such list");
    }
    DAL_NEED(page->ctx, value);
    dal_text *t = &page->list[list];
    if (list == DAL_PAGE_WARNINGS) {
        dal_page_json(t, "%,%s", t->n > 0, value);
    } else {
        DAL_NEED(page->ctx, name);
        dal_page_json(t, "%,[%s,%s%p]", t->n > 0, name, value, marked ? ",true" : "");
    }
    return dal_page_whole(page, t);
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
    dal_page_json(&page->trails, "%,{\"body\":%d,\"point\":%v}", page->trails.n > 0, body - 1, point, 3);
    return dal_page_whole(page, &page->trails);
}

dal_status dal_page_event(dal_page *page, double t, const char *text)
{
    if (!page || !text || !isfinite(t)) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_event: t = %g is no time, or there is no text", t)
                    : DAL_EINVAL;
    }
    dal_page_json(&page->events, "%,{\"t\":%r,\"text\":%s}", page->events.n > 0, t, text);
    return dal_page_whole(page, &page->events);
}

dal_status dal_page_chapter(dal_page *page, const char *name, double from, double to)
{
    if (!page || !(from <= to)) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_chapter: from %g to %g is not a span of time", from, to)
                    : DAL_EINVAL;
    }
    DAL_NEED(page->ctx, name);
    dal_page_json(&page->chapters, "%,{\"name\":%s,\"from\":%r,\"to\":%r}", page->chapters.n > 0, name, from, to);
    return dal_page_whole(page, &page->chapters);
}

dal_status dal_page_study_(dal_page *page, const dal_page_method *m, size_t size)
{
    static const char *const quantity[3] = {"q", "v", "lambda"};
    DAL_NEED(NULL, page);
    DAL_NEED_AS(page->ctx, m, "method");
    DAL_OWN(page->ctx, dal_page_method, m);
    if (m->n > 0) {
        DAL_NEED_AS(page->ctx, m->h, "method->h");
    }
    dal_text *t = &page->methods;
    dal_page_json(t, "%,{\"name\":%s,\"h\":%v,\"errors\":{", t->n > 0, m->name, m->h, m->n);
    for (int k = 0; k < 3; ++k) {
        dal_page_json(t, "%,%s:%v", k > 0, quantity[k], m->error[k], m->error[k] ? m->n : 0);
    }
    dal_text_put(t, "},\"orders\":{");
    for (int k = 0; k < 3; ++k) {
        dal_page_json(t, "%,%s:%r", k > 0, quantity[k], m->order[k]);
    }
    dal_text_put(t, "}}");
    return dal_page_whole(page, t);
}

/* ---- the file --------------------------------------------------------------------------------- */

static const char *inside(const dal_text *t)
{
    return t->s ? t->s : "";
}

void dal_page_put_data(dal_text *t, dal_page *page)
{
    dal_page_json(t, "{\"dalembert\":%s,\"name\":%s,\"title\":%s,\"summary\":[%p],\"options\":[%p],\"warnings\":[%p]",
                  dal_version_string(), page->name, page->title, inside(&page->list[DAL_PAGE_SUMMARY]),
                  inside(&page->list[DAL_PAGE_OPTIONS]), inside(&page->list[DAL_PAGE_WARNINGS]));
    dal_page_json(t, ",\"source\":%s", page->source);
    if (page->model) {
        dal_text_put(t, ",\"scene\":");
        dal_page_put_scene(t, page);
        dal_text_put(t, ",\"motion\":");
        dal_page_put_motion(t, page);
        dal_text_put(t, ",\"plots\":");
        dal_page_put_plots(t, page);
    }
    if (page->events.n > 0) {
        dal_page_json(t, ",\"events\":[%p]", page->events.s);
    }
    if (page->chapters.n > 0) {
        dal_page_json(t, ",\"chapters\":[%p]", page->chapters.s);
    }
    if (page->methods.n > 0) {
        dal_page_json(t, ",\"study\":{\"quantities\":[\"q\",\"v\",\"lambda\"],\"methods\":[%p]}", page->methods.s);
    }
    dal_page_put_charts(t, page);
    dal_text_put(t, "}");
}

/* The skeleton with its three marks filled in. */
void dal_page_put_skeleton(dal_text *t, dal_page *page)
{
    static const char *const mark[] = {"@style@", "@data@", "@script@"};
    const char *at = (const char *)dal_page_html;
    for (int k = 0; k < 3; ++k) {
        const char *end = strstr(at, mark[k]);
        if (!end) {
            break;
        }
        dal_text_put_n(t, at, (size_t)(end - at));
        at = end + strlen(mark[k]);
        if (k == 1 && !page) {
            dal_text_put(t, mark[k]);
        } else if (k == 1) {
            dal_page_put_data(t, page);
        } else {
            dal_text_put(t, (const char *)(k == 0 ? dal_page_style : dal_page_script));
        }
    }
    dal_text_put(t, at);
}

dal_status dal_page_write(dal_page *page, const char *path)
{
    DAL_NEED(NULL, page);
    DAL_NEED(page->ctx, path);
    dal_text t = {.ctx = page->ctx};
    dal_page_put_skeleton(&t, page);
    dal_status st = dal_page_whole(page, &t);
    st = st == DAL_OK ? dal_file_write(page->ctx, path, t.s, t.n) : st;
    dal_text_release(&t);
    return st;
}

dal_status dal_page_writable(dal_ctx *ctx, const char *path)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    return dal_file_writable(ctx, path);
}
