#include "cli/states.h"

#include <string.h>

CLI_OWNS(dal_recorder)

static const char *flag(const cli_states *s, const char *name)
{
    return cli_value(s->args, name);
}

static void ensure(const cli_states *s, dal_status st)
{
    cli_try(s->m->ctx, st, st == DAL_EIO ? CLI_IO : st == DAL_EINVAL ? CLI_USAGE : CLI_INTEGRATION);
}

/* Which tables there are to be, for the recorder: those of the model, and s->own if it is one of them. */
static unsigned choose(cli_states *s, const dal_table *own)
{
    enum { NONE = 1u << DAL_RECORD_TABLES }; // without any bit it would be all of them
    int chosen[DAL_RECORD_TABLES];
    unsigned tables = 0;
    record_tables(chosen, s->m, s->args);
    // the last word of --tables is the table of the command
    if (own != NULL && (!cli_given(s->args, "tables") || cli_whole(s->args, "tables") >> 3 != 0)) {
        s->own = own;
    }
    for (int k = 0; k < DAL_RECORD_MONITOR; ++k) {
        const int full = s->format == DAL_RESULTS_CSV_FILE && (s->own != NULL || tables != 0);
        tables |= chosen[k] && !full ? 1u << k : 0u;
    }
    if (s->own == NULL && tables == 0) {
        cli_usage("--tables: this model has none of these tables");
    }
    return tables | NONE;
}

void states_open(cli_states *s, cli_model *m, dal_data *data, const cli_args *args, const dal_table *own)
{
    *s = (cli_states){.args = args, .m = m, .data = data, .html = cli_value(args, "html")};
    record_place(s->place, &s->format, args);
    const int files = s->place[0] != '\0';
    const unsigned tables = files ? choose(s, own) : 0;
    s->own_values = cli_alloc(own != NULL ? (size_t)own->n : 0, sizeof *s->own_values);
    const dal_note note[] = {{"model.json", m->text}};
    const dal_recorder_spec spec = {.channels = m->channels,
                                    .data = data,
                                    .path = files ? s->place : NULL,
                                    .format = s->format,
                                    .tables = tables,
                                    .nnotes = 1,
                                    .note = note,
                                    .own = s->own,
                                    .own_values = s->own_values,
                                    .later = &s->later};
    ensure(s, dal_recorder_create(&s->recorder, m->ctx, &spec));
    CLI_OWN(dal_recorder, s->recorder);
    s->drawing = flag(s, "plot") != NULL;
    if (s->drawing) {
        curves_choose(&s->curves, m, flag(s, "plot-outputs"));
    }
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
    return html_row(&s->page, &(dal_record_row){at->t, s->m->values});
}

void states_add(cli_states *s, const dal_point *at, const double *own)
{
    const dal_point shown = {at->t + s->later, at->q, at->v, at->vd, at->la};
    if (s->own != NULL) {
        memcpy(s->own_values, own, (size_t)s->own->n * sizeof *own);
    }
    ensure(s, dal_recorder_row(s->recorder, at, 0.0));
    ensure(s, dal_recorder_evaluate(s->recorder, &s->m->values));
    if (s->drawing) {
        curves_add(&s->curves, &(dal_record_row){shown.t, s->m->values});
    }
    if (s->html != NULL) {
        ensure(s, show(s, &shown));
    }
}

void states_close(cli_states *s, const char *summary)
{
    ensure(s, dal_recorder_close(s->recorder, 0, NULL, 0));
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
