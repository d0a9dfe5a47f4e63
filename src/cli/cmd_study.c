/* dalembert study: errors, orders and cost over step sizes and methods. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/plot.h"
#include "cli/study.h"

/* ---- arguments -------------------------------------------------------------------------------- */

static void read_steps(study *s, const char *text)
{
    if (text == NULL) {
        dal_options opt = s->model.opt;
        dal_options_resolve(&opt);
        for (int i = 0; i < 4; ++i) {
            s->h[s->nh++] = ldexp(opt.h, -i);
        }
    }
    char one[64];
    while (cli_word(&text, one, sizeof one)) {
        if (s->nh == STUDY_H) {
            cli_usage("at most %d step sizes", STUDY_H);
        }
        if (!cli_number(&s->h[s->nh], one) || !(s->h[s->nh] > 0.0)) {
            cli_usage("--h: '%s' is not a positive number", one);
        }
        s->nh++;
    }
}

static void read_methods(study *s, const char *list)
{
    char *copy = cli_copy(list != NULL ? list : "model");
    for (char *name = copy, *comma; name != NULL; name = comma) {
        comma = strchr(name, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        if (s->nmethods == STUDY_METHODS) {
            cli_usage("at most %d methods", STUDY_METHODS);
        }
        dal_options *opt = &s->opt[s->nmethods];
        *opt = s->model.opt;
        s->method[s->nmethods++] = name;
        if (dal_options_method(s->model.ctx, opt, name) != DAL_OK) {
            cli_usage("%s", dal_ctx_message(s->model.ctx));
        }
        opt->h = s->h[0];
        dal_options_resolve(opt);
    }
}

static void read_rest(study *s, const cli_args *args)
{
    const char *reference = cli_value(args, "reference");
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->reference = reference != NULL ? reference : "exact";
    s->kind = strcmp(s->reference, "exact") == 0  ? REFERENCE_EXACT
              : strcmp(s->reference, "self") == 0 ? REFERENCE_SELF
                                                  : REFERENCE_FILE;
    s->jobs = cli_given(args, "jobs") ? cli_whole(args, "jobs") : cores > 0 && cores < 256 ? (int)cores : 1;
    if (s->kind == REFERENCE_FILE && access(s->reference, F_OK) != 0) {
        cli_fail(CLI_IO, "--reference: neither exact nor self, and there is no file '%s'", s->reference);
    }
    cli_check_files(args, 0);
}

/* ---- results ---------------------------------------------------------------------------------- */

static const cli_answer *answer(const study *s)
{
    cli_answer *a = answer_create();
    answer_put(a, "model %s reference %s", s->model.name, s->reference);
    cli_answer *rows = answer_list(a, "rows", 0);
    const dal_error *known = &s->ref_error;
    answer_put(a, ".times %d .t_end %g .exact? %d .known_q %g .known_v %g .known_lambda %g", s->nt, s->model.t_end,
               s->kind == REFERENCE_EXACT, known->q, known->v, known->lambda);
    for (int k = 0; k < s->nmethods * s->nh; ++k) {
        const study_row *r = &s->row[k];
        const dal_error *e = &r->error, *o = &r->order;
        const double newton = r->steps > 0 ? (double)r->newton / (double)r->steps : NAN;
        cli_answer *row =
            answer_line(rows, NULL, "method %s h %g steps %ld failed? %d .next? %d .message %s", s->method[r->method],
                        r->h, r->steps, r->failed, k > 0 && k % s->nh == 0, r->message);
        answer_line(row, "error", "q %g v %g lambda %g", e->q, e->v, e->lambda);
        answer_line(row, "order", "q %g v %g lambda %g", o->q, o->v, o->lambda);
        answer_put(row, "newton_per_step %g jacobians %ld us_per_step %g .newton %g .us %g", newton, r->jacobians,
                   r->steps > 0 ? r->us_per_step : NAN, r->steps > 0 ? newton : 0.0, r->us_per_step);
    }
    return a;
}

static int report(study *s, const cli_args *args)
{
    int failed = 0;
    for (int k = 0; k < s->nmethods * s->nh; ++k) {
        const study_row *r = &s->row[k];
        failed += r->failed;
        if (r->failed && cli_given(args, "json")) {
            cli_say("%s, h = %g: failed: %s", s->method[r->method], r->h, r->message);
        }
    }
    answer_tell(answer(s), args, NULL);
    s->plot = cli_value(args, "plot");
    s->html = cli_value(args, "html");
    const int plotted = s->plot != NULL ? cli_guard(study_plot, s, 0) : CLI_OK;
    const int written = s->html != NULL ? cli_guard(study_page, s, 0) : CLI_OK;
    return plotted != CLI_OK   ? plotted
           : written != CLI_OK ? written
           : failed > 0        ? cli_error(CLI_CHECK, "%d of %d runs failed", failed, s->nmethods * s->nh)
                               : CLI_OK;
}

static int command(const cli_args *args)
{
    study *s = cli_alloc(1, sizeof *s);
    read_rest(s, args);
    model_open(&s->model, args);
    if (!(s->model.t_end > 0.0)) {
        cli_usage("the model gives no end time: give --t-end T");
    }
    read_steps(s, cli_value(args, "h"));
    read_methods(s, cli_value(args, "methods"));
    study_perform(s);
    return report(s, args);
}

const cli_command cli_study = {.name = "study", .run = command};
