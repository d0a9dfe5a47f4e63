#define _POSIX_C_SOURCE 200809L

#include "cli/model.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

CLI_OWNS(dal_document)
CLI_OWNS(dal_channels)
CLI_OWNS(dal_sim)

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

const dal_builtin *model_builtin(const char *name, char hint[DAL_HINT_SIZE])
{
    static dal_builtin found;
    const int n = dal_builtin_count();
    const char **word = cli_alloc((size_t)n, sizeof *word);
    for (int i = 0; i < n; ++i) {
        found = dal_builtin_model(i);
        word[i] = found.name;
        if (strcmp(found.name, name) == 0) {
            return &found;
        }
    }
    dal_hint(hint, dal_nearest(name, word, n));
    return NULL;
}

/* Is there something to be read? */
static void check_source(const char *source)
{
    struct stat info;
    char hint[DAL_HINT_SIZE];
    const int there = stat(source, &info) == 0, folder = there && S_ISDIR(info.st_mode);
    if (there && !folder) {
        if (access(source, R_OK) != 0) {
            cli_fail(CLI_IO, "cannot read '%s': %s", source, strerror(errno));
        }
    } else if (model_builtin(source, hint) == NULL) {
        if (folder) {
            cli_fail(CLI_MODEL, "'%s' is a folder, not a model file", source);
        }
        cli_fail(CLI_MODEL, "no file and no built-in model '%s'%s", source,
                 hint[0] != '\0' ? hint : " ('dalembert models' lists those built in)");
    }
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
static void assemble(cli_model *m)
{
    const dal_status st = dal_document_assemble(m->doc, &m->assembly, m->sys);
    if (st == DAL_NOCONV && m->may_be_open) {
        const int i = m->nwarnings < MODEL_WARNINGS ? m->nwarnings++ : MODEL_WARNINGS - 1; // rather than one before
        m->warning[i] = cli_copy(dal_ctx_message(m->ctx));
        return;
    }
    cli_try(m->ctx, st, CLI_MODEL);
}

/* From the document to a compiled model. */
static void compile(cli_model *m)
{
    CLI_OWN(dal_document, m->doc);
    m->model = dal_document_model(m->doc);
    m->opt = *dal_document_options(m->doc);
    m->t_end = dal_document_t_end(m->doc);
    m->name = dal_document_name(m->doc);
    m->text = dal_document_text(m->doc);
    cli_set_subject(m->name);
    if (m->prepare != NULL) {
        m->prepare(m, m->user);
    }
    CLI_CREATE(dal_channels, m->channels, CLI_MODEL, m->ctx, m->model);
    cli_try(m->ctx, dal_model_compile(m->model, &m->sys), CLI_MODEL);
    cli_try(m->ctx, dal_channels_bind(m->channels, m->sys), CLI_MODEL);
    list_bodies(m);
    assemble(m);
}

void model_load(cli_model *m, const char *source, const char *const *set, int nset)
{
    enum { MOST = 200 };
    m->ctx = cli_context(&(dal_config){.log = warn, .user = m});
    check_source(source);
    const char *without[MOST];
    int n = 0;
    for (char *at = strtok(cli_copy(m->without != NULL ? m->without : ""), ","); at != NULL && n < MOST;
         at = strtok(NULL, ",")) {
        without[n++] = at;
    }
    const dal_load_options how = {
        .set = set, .nset = nset, .files_outside = m->files_outside, .without = without, .nwithout = n};
    if (dal_document_open_with(&m->doc, m->ctx, source, &how) != DAL_OK) {
        // it is the assignments (usage) if the model loads without
        const char *message = cli_copy(dal_ctx_message(m->ctx));
        const dal_load_options plain = {.files_outside = m->files_outside};
        const int loads = nset > 0 && dal_document_open_with(&m->doc, m->ctx, source, &plain) == DAL_OK;
        if (loads) {
            CLI_OWN(dal_document, m->doc);
        }
        cli_fail(loads ? CLI_USAGE : CLI_MODEL, "%s", message);
    }
    compile(m);
}

void model_open(cli_model *m, const cli_args *args)
{
    m->files_outside = cli_given(args, "allow-files-outside");
    model_load(m, args->positional[0], args->set, args->nset);
}

void model_load_text(cli_model *m, const char *text, const char *name, const char *const *set, int nset)
{
    m->ctx = cli_context(&(dal_config){.log = warn, .user = m});
    const dal_load_options how = {.set = set, .nset = nset, .files_outside = m->files_outside, .text = text};
    cli_try(m->ctx, dal_document_open_with(&m->doc, m->ctx, name, &how), CLI_MODEL);
    compile(m);
}

dal_status model_start(const cli_model *m, dal_sim **sim, dal_initial_report *report, const dal_options *opt)
{
    DAL_TRY(dal_sim_create(sim, m->ctx, m->sys, opt));
    CLI_OWN(dal_sim, *sim);
    return dal_sim_start(*sim, report, 0.0, dal_model_q0(m->model), dal_model_v0(m->model));
}

int model_start_code(dal_status st)
{
    return st == DAL_EOPTION ? CLI_USAGE : st == DAL_ENOMEM ? CLI_INTEGRATION : CLI_MODEL;
}

void model_try_start(const cli_model *m, dal_status st)
{
    cli_try(m->ctx, st, model_start_code(st));
}

double *model_q0(const cli_model *m)
{
    const size_t size = (size_t)m->sys->group->nq * sizeof(double);
    return memcpy(cli_alloc(size, 1), dal_model_q0(m->model), size);
}
