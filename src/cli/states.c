#include "cli/states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *flag(const cli_states *s, const char *name)
{
    return cli_value(s->args, name);
}

static int ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

static int failed(const cli_states *s)
{
    const dal_status st = dal_ctx_status(s->m->ctx);
    return cli_error(s->args->command->name,
                     st == DAL_EIO      ? CLI_IO
                     : st == DAL_EINVAL ? CLI_USAGE
                                        : CLI_INTEGRATION,
                     "%s", dal_ctx_message(s->m->ctx));
}

int states_check(const cli_args *args)
{
    const char *path = cli_value(args, "output"), *format = cli_value(args, "format");
    if (path == NULL && (format != NULL || cli_given(args, "tables"))) {
        return cli_usage(args->command->name, "--format and --tables need a place for the tables: -o PATH");
    }
    if (path != NULL && (path[0] == '\0' || strlen(path) > 3500)) {
        return cli_usage(args->command->name, "-o: a path is expected");
    }
    const int hdf5 = path != NULL && (ends_with(path, ".h5") || ends_with(path, ".hdf5"));
    if (format != NULL &&
        ((hdf5 && strcmp(format, "csv") == 0) || (ends_with(path, ".csv") && strcmp(format, "hdf5") == 0))) {
        return cli_usage(args->command->name, "--format %s does not fit the name '%s'", format, path);
    }
    if (!cli_given(args, "plot") && cli_given(args, "plot-outputs")) {
        return cli_usage(args->command->name, "--plot-outputs needs a picture: --plot FILE.svg");
    }
    return cli_check_files(args, 0);
}

/* ---- tables ----------------------------------------------------------------------------------- */

/* Is a table asked for? NULL: those that suit the model. */
static int named(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at != NULL;) {
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0')) {
            return 1;
        }
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    return 0;
}

static int choose(cli_states *s)
{
    const char *list = flag(s, "tables");
    const int small = s->m->nbodies <= RECORD_BODIES;
    const int any[] = {s->m->noutputs > 0, s->m->nbodies > 0, 1, 0};
    int n = 0, known = 0;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        const int asked = named(list, dal_record_table_name(k));
        s->chosen[k] = any[k] && (list != NULL ? asked : small || k == DAL_RECORD_OUTPUTS);
        n += s->chosen[k];
        known += asked && k != DAL_RECORD_MONITOR;
    }
    if (s->own != NULL) {
        const int asked = named(list, s->own->name);
        s->own_chosen = list != NULL ? asked : 1;
        n += s->own_chosen;
        known += asked;
    }
    int words = list != NULL;
    for (const char *c = list; c != NULL && *c != '\0'; ++c) {
        words += *c == ',';
    }
    if (known != words || n == 0) {
        return cli_usage(s->args->command->name,
                         "--tables %s: there are outputs, bodies, state%s%s, as far as the model has them",
                         list != NULL ? list : "", s->own != NULL ? ", " : "", s->own != NULL ? s->own->name : "");
    }
    return CLI_OK;
}

/* Names and units of the columns of a table of the model. */
static dal_table table_of(const cli_states *s, int k, const char **name, const char **unit)
{
    int first;
    const int n = dal_channels_table(s->m->channels, &first, k);
    for (int j = 0; j < n; ++j) {
        const dal_channel c = dal_channels_get(s->m->channels, first + j);
        name[j] = c.name;
        unit[j] = c.unit;
    }
    return (dal_table){dal_record_table_name(k), n, name, unit};
}

static int open_results(cli_states *s, const char *path)
{
    const size_t n = (size_t)dal_channels_count(s->m->channels);
    const char **text = cli_alloc(2 * n + 1, sizeof *text), **name = text, **unit = text + n;
    dal_table table[DAL_RECORD_TABLES + 1];
    char place[4096];
    int ntables = 0;
    const int h5_name = ends_with(path, ".h5") || ends_with(path, ".hdf5");
    const int hdf5 = h5_name || cli_whole(s->args, "format"), one = ends_with(path, ".csv");
    if (s->own_chosen) {
        table[ntables++] = *s->own;
    }
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        s->chosen[k] = s->chosen[k] && !(one && ntables > 0);
        if (s->chosen[k]) {
            const dal_table t = table_of(s, k, name, unit);
            table[ntables++] = t;
            name += t.n;
            unit += t.n;
        }
    }
    snprintf(place, sizeof place, hdf5 && !h5_name ? "%s/results.h5" : "%s", path);
    const dal_note note[] = {{"model.json", s->m->text}};
    const dal_results_spec spec = {.format = hdf5  ? DAL_RESULTS_HDF5
                                             : one ? DAL_RESULTS_CSV_FILE
                                                   : DAL_RESULTS_CSV,
                                   .path = place,
                                   .ntables = ntables,
                                   .table = table,
                                   .nnotes = 1,
                                   .note = note};
    const dal_status st = dal_results_create(&s->results, s->m->ctx, &spec);
    free(text);
    return st == DAL_OK ? CLI_OK : failed(s);
}

/* ---- course ----------------------------------------------------------------------------------- */

int states_open(cli_states *s, cli_model *m, dal_data *data, const cli_args *args, const dal_table *own)
{
    *s = (cli_states){.args = args, .m = m, .data = data, .own = own};
    const size_t n = (size_t)dal_channels_count(m->channels);
    const char *path = flag(s, "output");
    s->x = cli_alloc(n + 1, sizeof *s->x);
    s->values = cli_alloc(n + (own != NULL ? (size_t)own->n : 0) + 1, sizeof *s->values);
    s->html = flag(s, "html");
    s->drawing = flag(s, "plot") != NULL;
    int code = path != NULL ? choose(s) : CLI_OK;
    code = code == CLI_OK && path != NULL ? open_results(s, path) : code;
    if (code == CLI_OK && s->drawing) {
        code = curves_choose(&s->curves, m, args->command->name, flag(s, "plot-outputs"));
    }
    return code;
}

/* All channels at a state: outputs and bodies, q, v, lambda, and of the monitor what makes sense here. */
static dal_status evaluate(cli_states *s, const dal_point *at)
{
    const dal_system *sys = s->m->sys;
    int state, monitor;
    const int count = dal_channels_table(s->m->channels, &monitor, DAL_RECORD_MONITOR);
    dal_channels_table(s->m->channels, &state, DAL_RECORD_STATE);
    DAL_TRY(dal_model_outputs(s->m->model, s->data, s->x, at));
    double *to = s->x + state;
    memcpy(to, at->q, (size_t)sys->group->nq * sizeof *to);
    to += sys->group->nq;
    memcpy(to, at->v, (size_t)sys->group->nv * sizeof *to);
    to += sys->group->nv;
    memcpy(to, at->la, (size_t)dal_system_rows(sys) * sizeof *to);
    for (int k = 0; k < count; ++k) {
        s->x[monitor + k] = k == MONITOR_ENERGY ? dal_data_energy(s->data, at) : 0.0;
    }
    s->m->values = s->x;
    return DAL_OK;
}

/* The page begins with the first state: where the mechanism is without motion. */
static dal_status show(cli_states *s, const dal_point *at)
{
    if (s->page.page == NULL) {
        const dal_page_spec spec = {.name = s->m->name,
                                    .title = dal_document_title(s->m->doc),
                                    .source = s->m->text,
                                    .model = s->m->model,
                                    .data = s->data,
                                    .initial = at};
        s->page.ctx = s->m->ctx;
        DAL_TRY(dal_page_create(&s->page.page, s->m->ctx, &spec));
        DAL_TRY(html_curves(&s->page, s->m));
    }
    DAL_TRY(dal_page_frame(s->page.page, at));
    return html_row(&s->page, &(dal_record_row){at->t, s->x});
}

static dal_status write_row(cli_states *s, const dal_point *at, const double *own)
{
    double *to = s->values;
    if (s->own_chosen) {
        memcpy(to, own, (size_t)s->own->n * sizeof *to);
        to += s->own->n;
    }
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        int first;
        const int n = dal_channels_table(s->m->channels, &first, k);
        if (s->chosen[k]) {
            memcpy(to, s->x + first, (size_t)n * sizeof *to);
            to += n;
        }
    }
    return dal_results_row(s->results, at->t, s->values);
}

int states_add(cli_states *s, const dal_point *at, const double *own)
{
    dal_status st = evaluate(s, at);
    if (st == DAL_OK && s->drawing) {
        const dal_state state = {.t = at->t, .q = at->q, .v = at->v, .la = at->la};
        const double monitor[MONITOR_COUNT] = {0.0};
        curves_add(&s->curves, s->m, &state, monitor);
    }
    st = st == DAL_OK && s->html != NULL ? show(s, at) : st;
    st = st == DAL_OK && s->results != NULL ? write_row(s, at, own) : st;
    return st == DAL_OK ? CLI_OK : failed(s);
}

int states_close(cli_states *s, const char *summary)
{
    int code = CLI_OK;
    if (s->results != NULL && dal_results_close(s->results, NULL, 0) != DAL_OK) {
        code = failed(s);
    }
    if (code == CLI_OK && s->drawing) {
        code = plot_curves(&s->curves, s->args->command->name, flag(s, "plot"), s->m->name);
        if (code == CLI_OK && s->curves.left_out > 0 && flag(s, "quiet") == NULL) {
            cli_say("note: %s is without %d of %d outputs; --plot-outputs chooses", flag(s, "plot"), s->curves.left_out,
                    s->m->noutputs);
        }
    }
    if (code == CLI_OK && s->html != NULL && s->page.page != NULL) {
        html_summary(&s->page, summary != NULL ? summary : "");
        code = html_save(&s->page, s->args->command->name, s->html);
    }
    return code;
}

void states_release(cli_states *s)
{
    dal_results_destroy(s->results);
    if (s->drawing) {
        curves_release(&s->curves);
    }
    html_release(&s->page);
    free(s->x);
    free(s->values);
    *s = (cli_states){0};
}
