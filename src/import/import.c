/* From a description to the text of a model. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "import/import_impl.h"

int dal_import_is(const char *path)
{
    static const char *const endings[] = {".urdf", ".xml", ".mjcf", ".sdf"};
    const char *end = path != NULL ? strrchr(path, '.') : NULL;
    int found = 0;
    for (size_t k = 0; k < sizeof endings / sizeof endings[0] && end != NULL && !found; ++k) {
        size_t i = 0;
        while (end[i] != '\0' && tolower((unsigned char)end[i]) == endings[k][i]) {
            ++i;
        }
        found = end[i] == '\0' && endings[k][i] == '\0';
    }
    return found;
}

/* The root says what it is. */
static void read_format(im_reader *R, const im_element *root)
{
    static const struct {
        const char *root;
        void (*read)(im_reader *R, const im_element *root);
    } formats[] = {{"robot", im_urdf}, {"mujoco", im_mjcf}, {"sdf", im_sdf}};
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; ++k) {
        if (strcmp(root->name, formats[k].root) == 0) {
            formats[k].read(R, root);
            return;
        }
    }
    im_fail(R, root, "<%.60s> is the root of no description of robots: URDF has <robot>, MJCF <mujoco>, SDF <sdf>",
            root->name);
}

/* Everything that is lost, in one message. */
static void refuse_losses(im_reader *R)
{
    char text[600] = "";
    size_t n = 0;
    for (int k = 0; k < R->nnotes && n < sizeof text - 1 && R->opt.strict; ++k) {
        const im_note *note = &R->note[k];
        if (note->lost == 1) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%s (%.200s)", n > 0 ? "; " : "", note->what,
                                  note->names.s != NULL ? note->names.s : "");
        }
    }
    if (n > 0) {
        im_fail(R, NULL, "cannot be kept: %.500s", text);
    }
}

/* From the text; NULL: of the file. */
static dal_status create(dal_import **import, dal_ctx *ctx, const char *path, const char *text, size_t n,
                         const dal_import_options *options)
{
    im_reader *R = dal_alloc_zero(ctx, sizeof *R);
    if (R == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the description");
    }
    R->ctx = ctx;
    R->pool = (dal_pool){.ctx = ctx, .what = "the description"};
    R->opt = options != NULL ? *options : (dal_import_options){0};
    R->text = (dal_text){.ctx = ctx};
    R->path = path;
    R->path = im_copy(R, path);
    const im_element *root = text != NULL ? im_xml(R, path, text, n) : im_xml_file(R, path);
    void (*const stages[])(im_reader * R) = {im_finish, im_write, refuse_losses};
    if (root != NULL) {
        read_format(R, root);
    }
    for (size_t k = 0; k < sizeof stages / sizeof stages[0] && R->st == DAL_OK; ++k) {
        stages[k](R);
    }
    R->sum.format = R->format;
    R->sum.name = R->name;
    const dal_status st = R->st;
    if (st != DAL_OK) {
        dal_import_destroy(R);
        return st;
    }
    *import = R;
    return DAL_OK;
}

dal_status dal_import_create_(dal_import **import, dal_ctx *ctx, const char *path, const dal_import_options *options,
                              size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, import);
    *import = NULL;
    DAL_NEED(ctx, path);
    DAL_OWN(ctx, dal_import_options, options);
    return create(import, ctx, path, NULL, 0, options);
}

dal_status dal_import_parse_(dal_import **import, dal_ctx *ctx, const char *text, size_t n, const char *name,
                             const dal_import_options *options, size_t size)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, import);
    *import = NULL;
    DAL_NEED(ctx, text);
    DAL_NEED(ctx, name);
    DAL_OWN(ctx, dal_import_options, options);
    return create(import, ctx, name, text, n, options);
}

void dal_import_destroy(dal_import *import)
{
    if (import == NULL) {
        return;
    }
    dal_ctx *ctx = import->ctx;
    for (int k = 0; k < import->nnotes; ++k) {
        dal_text_release(&import->note[k].names);
    }
    void *const lists[] = {import->link, import->joint, import->gear, import->tendon, import->input, import->note};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; ++k) {
        dal_free(ctx, lists[k]);
    }
    dal_text_release(&import->text);
    dal_pool_release(&import->pool);
    dal_free(ctx, import);
}

const char *dal_import_text(const dal_import *import)
{
    return import != NULL ? import->text.s : NULL;
}

dal_import_summary dal_import_report(const dal_import *import)
{
    return import != NULL ? import->sum : (dal_import_summary){0};
}

int dal_import_note_count(const dal_import *import)
{
    return import != NULL ? import->nnotes : 0;
}

dal_import_note dal_import_note_at(const dal_import *import, int k)
{
    if (k < 0 || k >= dal_import_note_count(import)) {
        return (dal_import_note){0};
    }
    const im_note *n = &import->note[k];
    return (dal_import_note){n->what, n->names.s != NULL ? n->names.s : "", n->lost};
}
