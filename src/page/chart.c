/* Charts: curves over anything but time. */
#include "base/message.h"
#include "page/page_impl.h"

static dal_status whole(const dal_page *page)
{
    return page->charts.failed ? dal_fail(page->ctx, DAL_ENOMEM, "page: no memory for its charts") : DAL_OK;
}

dal_status dal_page_add_chart(dal_page *page, const dal_page_chart *chart)
{
    if (!page || !chart) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_add_chart: chart is NULL") : DAL_EINVAL;
    }
    page_text *t = &page->charts;
    dal_page_put(t, t->n > 0 ? "]},{\"title\":" : "{\"title\":");
    dal_page_put_string(t, chart->title);
    dal_page_put(t, ",\"x\":");
    dal_page_put_string(t, chart->x);
    dal_page_printf(t, ",\"logX\":%s,\"log\":%s,\"traces\":[", chart->log_x ? "true" : "false",
                    chart->log_y ? "true" : "false");
    page->ntraces = 0;
    return whole(page);
}

dal_status dal_page_add_trace(dal_page *page, const dal_page_trace *r)
{
    static const char *const style[] = {"line", "dashed", "marks"};
    if (!page || !r) {
        return page ? dal_fail(page->ctx, DAL_EINVAL, "dal_page_add_trace: trace is NULL") : DAL_EINVAL;
    }
    page_text *t = &page->charts;
    if (t->n == 0) {
        return dal_fail(page->ctx, DAL_EINVAL, "dal_page_add_trace: begin a chart with dal_page_add_chart");
    }
    if (r->n < 0 || r->style < DAL_PAGE_LINE || r->style > DAL_PAGE_MARKS || (r->n > 0 && (!r->x || !r->y))) {
        return dal_fail(page->ctx, DAL_EINVAL, "dal_page_add_trace: n = %d, style %d, or x or y is NULL", r->n,
                        (int)r->style);
    }
    dal_page_put(t, page->ntraces++ > 0 ? ",{\"name\":" : "{\"name\":");
    dal_page_put_string(t, r->name);
    dal_page_put(t, ",\"unit\":");
    dal_page_put_string(t, r->unit);
    dal_page_printf(t, ",\"style\":\"%s\",\"hidden\":%s,\"x\":", style[r->style], r->hidden ? "true" : "false");
    dal_page_put_reals(t, r->x, r->n);
    dal_page_put(t, ",\"y\":");
    dal_page_put_reals(t, r->y, r->n);
    for (int i = 0; r->label && i < r->n; ++i) {
        dal_page_put(t, i > 0 ? "," : ",\"labels\":[");
        dal_page_put_string(t, r->label[i]);
    }
    dal_page_put(t, r->label && r->n > 0 ? "]}" : "}");
    return whole(page);
}

void dal_page_put_charts(page_text *t, const dal_page *page)
{
    if (page->charts.n > 0) {
        dal_page_put(t, ",\"charts\":[");
        dal_page_put_bytes(t, page->charts.text, page->charts.n);
        dal_page_put(t, "]}]");
    }
}
