#include "cli/states.h"

#include <string.h>

CLI_OWNS(dal_results)

static const char *flag(const cli_states *s, const char *name)
{
    return cli_value(s->args, name);
}

static void ensure(const cli_states *s, dal_status st)
{
    cli_try(s->m->ctx, st, st == DAL_EIO ? CLI_IO : st == DAL_EINVAL ? CLI_USAGE : CLI_INTEGRATION);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void choose(cli_states *s)
{
    record_tables(s->chosen, s->m, s->args);
    s->chosen[DAL_RECORD_MONITOR] = 0;
    // the last word of --tables is the table of the command
    s->own_chosen = s->own != NULL && (!cli_given(s->args, "tables") || cli_whole(s->args, "tables") >> 3 != 0);
    if (!s->own_chosen && !s->chosen[DAL_RECORD_OUTPUTS] && !s->chosen[DAL_RECORD_BODIES] &&
        !s->chosen[DAL_RECORD_STATE]) {
        cli_usage("--tables: this model has none of these tables");
    }
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

static void open_results(cli_states *s)
{
    const size_t n = (size_t)dal_channels_count(s->m->channels);
    const char **text = cli_alloc(2 * n + 1, sizeof *text), **name = text, **unit = text + n;
    dal_table table[DAL_RECORD_TABLES + 1];
    int ntables = 0;
    if (s->own_chosen) {
        table[ntables++] = *s->own;
    }
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        s->chosen[k] = s->chosen[k] && !(s->format == DAL_RESULTS_CSV_FILE && ntables > 0);
        if (s->chosen[k]) {
            const dal_table t = table_of(s, k, name, unit);
            table[ntables++] = t;
            name += t.n;
            unit += t.n;
        }
    }
    const dal_note note[] = {{"model.json", s->m->text}};
    const dal_results_spec spec = {
        .format = s->format, .path = s->place, .ntables = ntables, .table = table, .nnotes = 1, .note = note};
    ensure(s, dal_results_create(&s->results, s->m->ctx, &spec));
    CLI_OWN(dal_results, s->results);
}

/* ---- course ----------------------------------------------------------------------------------- */

void states_open(cli_states *s, cli_model *m, dal_data *data, const cli_args *args, const dal_table *own)
{
    *s = (cli_states){.args = args, .m = m, .data = data, .own = own, .html = cli_value(args, "html")};
    const size_t n = (size_t)dal_channels_count(m->channels);
    s->x = cli_alloc(n + 1, sizeof *s->x);
    s->values = cli_alloc(n + (own != NULL ? (size_t)own->n : 0) + 1, sizeof *s->values);
    s->drawing = flag(s, "plot") != NULL;
    record_place(s->place, &s->format, args);
    if (s->place[0] != '\0') {
        choose(s);
        open_results(s);
    }
    if (s->drawing) {
        curves_choose(&s->curves, m, flag(s, "plot-outputs"));
    }
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
        const int energy = strcmp(dal_channels_get(s->m->channels, monitor + k).name, "energy") == 0;
        s->x[monitor + k] = energy ? dal_data_energy(s->data, at) : 0.0;
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
        html_begin(&s->page, s->m->ctx, &spec);
        html_curves(&s->page, s->m);
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

void states_add(cli_states *s, const dal_point *at, const double *own)
{
    const dal_point shown = {at->t + s->later, at->q, at->v, at->vd, at->la};
    ensure(s, evaluate(s, at));
    if (s->drawing) {
        curves_add(&s->curves, &(dal_record_row){shown.t, s->x});
    }
    if (s->html != NULL) {
        ensure(s, show(s, &shown));
    }
    if (s->results != NULL) {
        ensure(s, write_row(s, &shown, own));
    }
}

void states_close(cli_states *s, const char *summary)
{
    if (s->results != NULL) {
        ensure(s, dal_results_close(s->results, NULL, 0));
    }
    if (s->drawing) {
        plot_curves(&s->curves, flag(s, "plot"), s->m->name);
        if (s->curves.left_out > 0 && !cli_quiet(s->args)) {
            cli_say("note: %s is without %d of %d outputs; --plot-outputs chooses", flag(s, "plot"), s->curves.left_out,
                    s->m->noutputs);
        }
    }
    if (s->html != NULL && s->page.page != NULL) {
        html_summary(&s->page, summary);
        html_save(&s->page, s->html);
    }
}

void states_outputs(cli_answer *to, const cli_model *m, int flat)
{
    cli_answer *outputs = answer_object(to, "outputs", flat);
    for (int k = 0; k < m->noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(m->model, k);
        if (info.n == 1) {
            answer_real(outputs, info.name, m->values[info.first]);
        } else {
            answer_reals(outputs, info.name, m->values + info.first, info.n);
        }
    }
}
