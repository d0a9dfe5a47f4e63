/* Several mechanisms as one file: the data of their pages, the skeleton of a page once, and a list to choose from. */
#include <string.h>

#include "base/message.h"
#include "page/page_impl.h"

struct dal_gallery {
    dal_ctx *ctx;
    dal_text pages;
    int n;
};

dal_status dal_gallery_create(dal_gallery **gallery, dal_ctx *ctx)
{
    DAL_NEED(ctx, gallery);
    *gallery = NULL;
    DAL_NEED(NULL, ctx);
    dal_gallery *g = dal_alloc_zero(ctx, sizeof *g);
    if (!g) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a gallery");
    }
    g->ctx = g->pages.ctx = ctx;
    *gallery = g;
    return DAL_OK;
}

void dal_gallery_destroy(dal_gallery *gallery)
{
    if (gallery) {
        dal_text_release(&gallery->pages);
        dal_free(gallery->ctx, gallery);
    }
}

dal_status dal_gallery_add(dal_gallery *gallery, dal_page *page)
{
    DAL_NEED(NULL, gallery);
    DAL_NEED(gallery->ctx, page);
    dal_text_put(&gallery->pages, "<script type=\"application/json\" data-page>");
    dal_page_put_data(&gallery->pages, page);
    dal_text_put(&gallery->pages, "</script>\n");
    gallery->n++;
    return dal_page_whole(page, &gallery->pages);
}

/* A page without its data. */
static void put_shell(dal_text *t)
{
    dal_text shell = {.ctx = t->ctx};
    dal_page_put_skeleton(&shell, NULL);
    dal_page_json(t, "%s", shell.s ? shell.s : "");
    t->failed |= shell.failed;
    dal_text_release(&shell);
}

dal_status dal_gallery_write(const dal_gallery *gallery, const char *path)
{
    DAL_NEED(NULL, gallery);
    DAL_NEED(gallery->ctx, path);
    if (gallery->n == 0) {
        return dal_fail(gallery->ctx, DAL_EINVAL, "the gallery is empty: add a page");
    }
    dal_text t = {.ctx = gallery->ctx};
    const char *at = (const char *)dal_page_gallery, *pages = strstr(at, "@pages@"), *shell = strstr(at, "@shell@");
    dal_text_put_n(&t, at, (size_t)(pages - at));
    dal_text_put(&t, gallery->pages.s);
    pages += strlen("@pages@");
    dal_text_put_n(&t, pages, (size_t)(shell - pages));
    put_shell(&t);
    dal_text_put(&t, shell + strlen("@shell@"));
    const dal_status st = t.failed ? dal_fail(gallery->ctx, DAL_ENOMEM, "no memory for a gallery")
                                   : dal_file_write(gallery->ctx, path, t.s, t.n);
    dal_text_release(&t);
    return st;
}
