#define _POSIX_C_SOURCE 200809L

#include "cli/model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void model_warn(cli_model *m, const char *text)
{
    cli_say("warning: %s", text);
    if (m->nwarnings < MODEL_WARNINGS) {
        m->warning[m->nwarnings++] = cli_copy(text);
    }
}

static void warn(dal_log_level level, const char *text, void *user)
{
    if (level == DAL_LOG_WARNING) {
        model_warn(user, text);
    }
}

static int is_builtin(const char *source)
{
    for (int i = 0; i < dal_builtin_count(); ++i) {
        if (strcmp(dal_builtin_model(i).name, source) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Is there something to be read? */
static int check_source(const char *source)
{
    struct stat info;
    if (stat(source, &info) == 0) {
        if (S_ISDIR(info.st_mode) && !is_builtin(source)) {
            return cli_error(CLI_MODEL, "'%s' is a folder, not a model file", source);
        }
        if (!S_ISDIR(info.st_mode) && access(source, R_OK) != 0) {
            return cli_error(CLI_IO, "cannot read '%s': %s", source, strerror(errno));
        }
        return CLI_OK;
    }
    if (is_builtin(source)) {
        return CLI_OK;
    }
    const int n = dal_builtin_count();
    const char **word = cli_alloc((size_t)n, sizeof *word);
    for (int i = 0; i < n; ++i) {
        word[i] = dal_builtin_model(i).name;
    }
    const char *near = dal_nearest(source, word, n);
    free(word);
    return near != NULL
               ? cli_error(CLI_MODEL, "no file and no built-in model '%s' (did you mean '%s'?)", source, near)
               : cli_error(CLI_MODEL, "no file and no built-in model '%s' ('dalembert models' lists those built in)",
                           source);
}

/* A failure of the assignments (usage) or of the model itself? It is the assignments if the model loads without. */
static int load_failure(cli_model *m, const char *source, int nset)
{
    char *message = cli_copy(dal_ctx_message(m->ctx));
    int code = CLI_MODEL;
    const dal_load_options how = {.files_outside = m->files_outside};
    if (nset > 0 && dal_document_open_with(&m->doc, m->ctx, source, &how) == DAL_OK) {
        code = CLI_USAGE;
    }
    cli_error(code, "%s", message);
    free(message);
    return code;
}

static void list_bodies(cli_model *m)
{
    m->noutputs = dal_channels_output_count(m->channels);
    m->nbodies = dal_channels_body_count(m->channels);
    m->body = cli_alloc((size_t)m->nbodies, sizeof *m->body);
    for (int i = 0; i < m->nbodies; ++i) {
        m->body[i] = dal_channels_body(m->channels, i);
    }
}

/* Close the mechanism, if the file asks for it. One that stays open is an error, unless it may be. */
static int assemble(cli_model *m)
{
    if (dal_document_assemble(m->doc, &m->assembly, m->sys) == DAL_OK) {
        return CLI_OK;
    }
    if (m->may_be_open && dal_ctx_status(m->ctx) == DAL_NOCONV) {
        const int i = m->nwarnings < MODEL_WARNINGS ? m->nwarnings++ : MODEL_WARNINGS - 1; // rather than one before
        free(m->warning[i]);
        m->warning[i] = cli_copy(dal_ctx_message(m->ctx));
        return CLI_OK;
    }
    return cli_error(CLI_MODEL, "%s", dal_ctx_message(m->ctx));
}

/* From the document to a compiled model. */
static int compile(cli_model *m)
{
    m->model = dal_document_model(m->doc);
    m->opt = *dal_document_options(m->doc);
    m->t_end = dal_document_t_end(m->doc);
    m->name = dal_document_name(m->doc);
    m->text = dal_document_text(m->doc);
    const int code = m->prepare != NULL ? m->prepare(m, m->user) : CLI_OK;
    if (code != CLI_OK) {
        return code;
    }
    if (dal_channels_create(&m->channels, m->ctx, m->model) != DAL_OK ||
        dal_model_compile(m->model, &m->sys) != DAL_OK || dal_channels_bind(m->channels, m->sys) != DAL_OK) {
        return cli_error(CLI_MODEL, "%s", dal_ctx_message(m->ctx));
    }
    list_bodies(m);
    return assemble(m);
}

int model_load(cli_model *m, const char *source, const char *const *set, int nset)
{
    m->ctx = cli_context(&(dal_config){.log = warn, .user = m});
    const int code = check_source(source);
    if (code != CLI_OK) {
        return code;
    }
    enum { MOST = 200 };
    char *copy = cli_copy(m->without != NULL ? m->without : "");
    const char *without[MOST];
    int n = 0;
    for (char *at = strtok(copy, ","); at != NULL && n < MOST; at = strtok(NULL, ",")) {
        without[n++] = at;
    }
    const dal_load_options how = {
        .set = set, .nset = nset, .files_outside = m->files_outside, .without = without, .nwithout = n};
    const dal_status st = dal_document_open_with(&m->doc, m->ctx, source, &how);
    free(copy);
    return st == DAL_OK ? compile(m) : load_failure(m, source, nset);
}

int model_open(cli_model *m, const cli_args *args)
{
    m->files_outside = cli_given(args, "allow-files-outside");
    return model_load(m, args->positional[0], args->set, args->nset);
}

int model_load_text(cli_model *m, const char *text, const char *name, const char *const *set, int nset)
{
    m->ctx = cli_context(&(dal_config){.log = warn, .user = m});
    const dal_load_options how = {.set = set, .nset = nset, .files_outside = m->files_outside, .text = text};
    if (dal_document_open_with(&m->doc, m->ctx, name, &how) != DAL_OK) {
        return cli_error(CLI_MODEL, "%s", dal_ctx_message(m->ctx));
    }
    return compile(m);
}

void model_release(cli_model *m)
{
    for (int i = 0; i < m->nwarnings; ++i) {
        free(m->warning[i]);
    }
    free(m->body);
    dal_channels_destroy(m->channels);
    dal_document_destroy(m->doc);
    dal_ctx_destroy(m->ctx);
    *m = (cli_model){0};
}

int model_start_code(dal_status st)
{
    return st == DAL_EOPTION ? CLI_USAGE : st == DAL_ENOMEM ? CLI_INTEGRATION : CLI_MODEL;
}

int model_start_failure(const cli_model *m, dal_status st)
{
    return cli_error(model_start_code(st), "%s", dal_ctx_message(m->ctx));
}
