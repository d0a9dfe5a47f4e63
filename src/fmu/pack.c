/* The archive: a zip file whose entries are stored as they are (APPNOTE.TXT, 4.3), which every importer reads. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "fmu/fmu.h"
#include "sweep/compile.h"

static uint32_t crc(const unsigned char *x, size_t n)
{
    uint32_t table[256], c = 0xffffffffU;
    for (uint32_t k = 0; k < 256; ++k) {
        uint32_t r = k;
        for (int bit = 0; bit < 8; ++bit) {
            r = (r & 1U) != 0 ? 0xedb88320U ^ (r >> 1) : r >> 1;
        }
        table[k] = r;
    }
    for (size_t i = 0; i < n; ++i) {
        c = table[(c ^ x[i]) & 0xffU] ^ (c >> 8);
    }
    return c ^ 0xffffffffU;
}

static void put(dal_text *t, uint64_t x, int bytes)
{
    for (int k = 0; k < bytes; ++k, x >>= 8) {
        const char byte = (char)(x & 0xffU);
        dal_text_put_n(t, &byte, 1);
    }
}

/* What stands both before the bytes and in the directory: versions, method, time, sum, sizes. The time is the first there is, so that the same model gives the same file. */
static void put_header(dal_text *t, const fmu_file *f, uint32_t sum)
{
    put(t, 10, 2);
    put(t, 0x0800, 2); // names are UTF-8
    put(t, 0, 2);
    put(t, 0, 2);
    put(t, 0x0021, 2);
    put(t, sum, 4);
    put(t, f->n, 4);
    put(t, f->n, 4);
    put(t, strlen(f->name), 2);
    put(t, 0, 2);
}

dal_status fmu_pack(dal_ctx *ctx, const char *path, const fmu_file *file, int n)
{
    dal_text t = {.ctx = ctx}, directory = {.ctx = ctx};
    for (int k = 0; k < n; ++k) {
        const uint32_t sum = crc(file[k].bytes, file[k].n);
        put(&directory, 0x02014b50, 4);
        put(&directory, 0x031e, 2); // made on Unix: the next but one has permissions
        put_header(&directory, &file[k], sum);
        put(&directory, 0, 6);
        put(&directory, 0100644UL << 16, 4);
        put(&directory, t.n, 4);
        dal_text_put(&directory, file[k].name);
        put(&t, 0x04034b50, 4);
        put_header(&t, &file[k], sum);
        dal_text_put(&t, file[k].name);
        dal_text_put_n(&t, file[k].bytes, file[k].n);
    }
    const size_t at = t.n;
    dal_text_put_n(&t, directory.s, directory.n);
    put(&t, 0x06054b50, 4);
    put(&t, 0, 4);
    put(&t, (uint64_t)n, 2);
    put(&t, (uint64_t)n, 2);
    put(&t, directory.n, 4);
    put(&t, at, 4);
    put(&t, 0, 2);
    dal_status st = t.failed || directory.failed ? dal_fail(ctx, DAL_ENOMEM, "no memory for '%s'", path)
                                                 : dal_file_write(ctx, path, t.s, t.n);
    dal_text_release(&t);
    dal_text_release(&directory);
    return st;
}

/* ---- a unit ------------------------------------------------------------------------------------- */

#if defined(__aarch64__)
static const char *const platform[] = {"linux64", "aarch64-linux"};
#elif defined(__x86_64__)
static const char *const platform[] = {"linux64", "x86_64-linux"};
#else
static const char *const platform[] = {"linux32", "x86-linux"};
#endif

static void put_settings(dal_text *t, const fmu_source *from)
{
    for (int k = 0; k < from->nset; ++k) {
        dal_text_print(t, "set %s\n", from->set[k]);
    }
    for (int k = 0; k < from->nparameters; ++k) {
        dal_text_print(t, "parameter %s\n", from->parameter[k]);
    }
}

static void put_build_description(dal_text *t, const char *identifier)
{
    dal_text_print(t,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n"
                   "  <BuildConfiguration modelIdentifier=\"%s\">\n    <SourceFileSet language=\"C11\">\n"
                   "      <SourceFile name=\"%s.c\"/>\n"
                   "      <PreprocessorDefinition name=\"FMI3_OVERRIDE_FUNCTION_PREFIX\" optional=\"true\" "
                   "description=\"names of functions without prefix: for shared objects\"/>\n"
                   "    </SourceFileSet>\n    <Library name=\"m\" external=\"true\"/>\n  </BuildConfiguration>\n"
                   "</fmiBuildDescription>\n",
                   identifier, identifier);
}

typedef struct packing {
    fmu_model *m;
    const char *path;
    const fmu_source *from;
    int version;
    char identifier[128], binary[200], token[FMU_TOKEN];
    dal_text settings;
} packing;

static dal_status write_with_library(packing *w)
{
    char *xml;
    dal_text_put(&w->settings, "end\n");
    if (w->settings.failed) {
        return dal_fail(w->m->ctx, DAL_ENOMEM, "no memory for the settings");
    }
    fmu_token(w->token, w->from->text, w->settings.s);
    DAL_TRY(fmu_describe(&xml, w->m, w->token, w->version, FMU_LIBRARY));
    const fmu_file file[] = {{"modelDescription.xml", xml, strlen(xml)},
                             {w->binary, fmu_binary().bytes, fmu_binary().n},
                             {"resources/model.json", w->from->text, strlen(w->from->text)},
                             {"resources/settings.txt", w->settings.s, w->settings.n}};
    const dal_status st = fmu_pack(w->m->ctx, w->path, file, sizeof file / sizeof file[0]);
    dal_free(w->m->ctx, xml);
    return st;
}

/* As a shared object functions have the names of the standard. */
static dal_status compile(char **bytes, size_t *n, const packing *w, const char *text)
{
    dal_text all = {.ctx = w->m->ctx};
    dal_text_print(&all, "#define FMI%d_OVERRIDE_FUNCTION_PREFIX\n", w->version);
    dal_text_put(&all, text);
    const dal_status st = all.failed
                              ? dal_fail(w->m->ctx, DAL_ENOMEM, "no memory for the source of the unit")
                              : dal_compile_portable(bytes, n, w->m->ctx, all.s, "--code library", w->from->compiling);
    dal_text_release(&all);
    return st;
}

static dal_status pack_generated(const packing *w, const char *text)
{
    char *bytes = NULL, *xml = NULL, source[200];
    size_t n = 0;
    dal_text build = {.ctx = w->m->ctx};
    snprintf(source, sizeof source, "sources/%s.c", w->identifier);
    put_build_description(&build, w->identifier);
    dal_status st = build.failed ? dal_fail(w->m->ctx, DAL_ENOMEM, "no memory for the description of the build")
                                 : compile(&bytes, &n, w, text);
    st = st == DAL_OK ? fmu_describe(&xml, w->m, w->token, w->version, FMU_GENERATED) : st;
    if (st == DAL_OK) {
        const fmu_file file[] = {{"modelDescription.xml", xml, strlen(xml)},
                                 {w->binary, bytes, n},
                                 {source, text, strlen(text)},
                                 {"sources/buildDescription.xml", build.s, build.n}};
        st = fmu_pack(w->m->ctx, w->path, file, w->version == 3 ? 4 : 3);
    }
    dal_text_release(&build);
    dal_free(w->m->ctx, bytes);
    dal_free(w->m->ctx, xml);
    return st;
}

static dal_status write_generated(packing *w)
{
    dal_text text = {.ctx = w->m->ctx}, own = {.ctx = w->m->ctx};
    dal_text_print(&own, "%sgenerated\n", w->settings.n > 0 ? w->settings.s : "");
    dal_status st =
        own.failed || w->settings.failed ? dal_fail(w->m->ctx, DAL_ENOMEM, "no memory for the settings") : DAL_OK;
    if (st == DAL_OK) {
        fmu_token(w->token, w->from->text, own.s);
        st = fmu_source_text(&text, w->m, w->from, w->token, w->version);
    }
    st = st == DAL_OK ? pack_generated(w, text.s) : st;
    dal_text_release(&text);
    dal_text_release(&own);
    return st;
}

dal_status fmu_write(fmu_model *m, fmu_made *made, const char *path, const fmu_source *from, int version, fmu_code code)
{
    packing w = {.m = m, .path = path, .from = from, .version = version, .settings = {.ctx = m->ctx}};
    const int n = m->n, nstates = m->nstates;
    dal_status st = DAL_EINVAL;
    *made = (fmu_made){.code = FMU_GENERATED};
    fmu_identifier(w.identifier, sizeof w.identifier, dal_document_name(m->doc));
    snprintf(w.binary, sizeof w.binary, "binaries/%s/%s.so", platform[version - 2], w.identifier);
    put_settings(&w.settings, from);
    if (code != FMU_LIBRARY) {
        st = write_generated(&w);
        snprintf(made->why, sizeof made->why, "%s", st != DAL_OK ? dal_ctx_message(m->ctx) : "");
    }
    if (code == FMU_LIBRARY || (code == FMU_AUTO && (st == DAL_EINVAL || st == DAL_EOPTION))) {
        dal_ctx_clear(m->ctx);
        m->n = n;
        m->nstates = nstates;
        made->code = FMU_LIBRARY;
        st = write_with_library(&w);
    }
    dal_text_release(&w.settings);
    return st;
}
