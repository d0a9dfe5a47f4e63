/* Charts: curves over anything but time. */
#include "base/message.h"
#include "page/page_impl.h"

dal_status dal_page_add_chart_(dal_page *page, const dal_page_chart *chart, size_t size)
{
    DAL_NEED(NULL, page);
    DAL_NEED(page->ctx, chart);
    DAL_OWN(page->ctx, dal_page_chart, chart);
    dal_text *t = &page->charts;
    dal_page_json(t, "%p{\"title\":%s,\"x\":%s,\"logX\":%t,\"log\":%t,\"traces\":[", t->n > 0 ? "]}," : "",
                  chart->title, chart->x, chart->log_x, chart->log_y);
    page->ntraces = 0;
    return dal_page_whole(page, t);
}

dal_status dal_page_add_trace_(dal_page *page, const dal_page_trace *r, size_t size)
{
    static const char *const style[] = {"line", "dashed", "marks"};
    DAL_NEED(NULL, page);
    DAL_NEED_AS(page->ctx, r, "trace");
    DAL_OWN(page->ctx, dal_page_trace, r);
    dal_text *t = &page->charts;
    if (t->n == 0) {
        return dal_fail(page->ctx, DAL_EINVAL, "dal_page_add_trace: begin a chart with dal_page_add_chart");
    }
    if (r->n < 0 || r->style < DAL_PAGE_LINE || r->style > DAL_PAGE_MARKS || (r->n > 0 && (!r->x || !r->y))) {
        return dal_fail(page->ctx, DAL_EINVAL, "dal_page_add_trace: n = %d, style %d, or x or y is NULL", r->n,
                        (int)r->style);
    }
    dal_page_json(t, "%,{\"name\":%s,\"unit\":%s,\"style\":%s,\"hidden\":%t,\"x\":%v,\"y\":%v", page->ntraces++ > 0,
                  r->name, r->unit, style[r->style], r->hidden, r->x, r->n, r->y, r->n);
    for (int i = 0; r->label && i < r->n; ++i) {
        dal_page_json(t, i > 0 ? ",%s" : ",\"labels\":[%s", r->label[i]);
    }
    dal_text_put(t, r->label && r->n > 0 ? "]}" : "}");
    return dal_page_whole(page, t);
}

void dal_page_put_charts(dal_text *t, const dal_page *page)
{
    if (page->charts.n > 0) {
        dal_page_json(t, ",\"charts\":[%p]}]", page->charts.s);
    }
}
