/* dalembert study: errors, orders and cost over step sizes and methods. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/answer.h"
#include "cli/methods.h"
#include "cli/plot.h"
#include "cli/study.h"

static const cli_flag flags[] = {
    {"h", 0, "H1,H2,...", "step sizes; default: the model's, halved three times"},
    {"methods", 'm', "NAME,...", "methods to compare, each NAME or NAME:key=value:...; default: model"},
    CLI_FLAG_SET,
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_T_END,
    {"reference", 'r', "exact|self|PATH", "what errors are measured against, see below; default exact"},
    {"html", 0, "FILE", "page with the convergence plot and the table", CLI_HTML},
    {"plot", 'p', "FILE", "errors over step sizes, an .svg file", CLI_SVG},
    {"jobs", 'j', "N", "runs at a time; default: number of cores", CLI_WHOLE, .max = 1000},
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_study = {
    .name = "study",
    .place = 4,
    .summary = "errors, observed orders and cost over step sizes and methods",
    .about = "References: exact is a run of order 10 (Lobatto IIIA-IIIB, 6 stages) whose steps are halved until two\n"
             "runs agree; the agreement is reported. self is the method's own run with a step 10 times smaller than\n"
             "the smallest. PATH is a folder or file written by 'dalembert run' with the table 'state'.\n"
             "Errors are the largest over up to 100 times that all step sizes meet: distance on the group in q,\n"
             "Euclidean norms in v and lambda. Steps that adapt are those of a run; dense output gives the states at\n"
             "these times. Runs that fail are marked.\n"
             "Exit codes: 0 ok, 1 a run failed, 2 usage, 3 bad model, 4 no reference, 5 files.",
    .examples =
        "  dalembert study heavy_top --h 4e-3,2e-3,1e-3\n"
        "  dalembert study heavy_top --h 4e-3,2e-3,1e-3 --methods index3,ggl,index3:sigma=0,lobatto3 --plot o.svg\n"
        "  dalembert study crank.json --reference self --set rho_inf=0.8 --json",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

/* ---- arguments -------------------------------------------------------------------------------- */

static int read_steps(study *s, const char *text)
{
    if (text == NULL) {
        dal_options opt = s->model.opt;
        dal_options_resolve(&opt);
        for (int i = 0; i < 4; ++i) {
            s->h[s->nh++] = ldexp(opt.h, -i);
        }
        return CLI_OK;
    }
    char one[64];
    while (cli_word(&text, one, sizeof one)) {
        if (s->nh == STUDY_H) {
            return cli_usage("at most %d step sizes", STUDY_H);
        }
        if (!cli_number(&s->h[s->nh], one) || !(s->h[s->nh] > 0.0)) {
            return cli_usage("--h: '%s' is not a positive number", one);
        }
        s->nh++;
    }
    return CLI_OK;
}

static int read_methods(study *s, const char *text)
{
    if (text == NULL) {
        text = "model";
    }
    while (text != NULL) {
        const size_t n = strcspn(text, ",");
        if (s->nmethods == STUDY_METHODS) {
            return cli_usage("at most %d methods", STUDY_METHODS);
        }
        char *name = cli_alloc(n + 1, 1);
        memcpy(name, text, n);
        s->method[s->nmethods] = name;
        s->opt[s->nmethods] = s->model.opt;
        dal_options *opt = &s->opt[s->nmethods++];
        const int code = method_apply(opt, s->model.ctx, name);
        if (code != CLI_OK) {
            return code;
        }
        opt->h = s->h[0];
        dal_options_resolve(opt);
        text = text[n] == ',' ? text + n + 1 : NULL;
    }
    return CLI_OK;
}

static int read_rest(study *s, const cli_args *args)
{
    const char *reference = cli_value(args, "reference");
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->reference = reference != NULL ? reference : "exact";
    s->kind = strcmp(s->reference, "exact") == 0  ? REFERENCE_EXACT
              : strcmp(s->reference, "self") == 0 ? REFERENCE_SELF
                                                  : REFERENCE_FILE;
    s->jobs = cli_given(args, "jobs") ? cli_whole(args, "jobs") : cores > 0 && cores < 256 ? (int)cores : 1;
    if (s->kind == REFERENCE_FILE && access(s->reference, F_OK) != 0) {
        return cli_error(CLI_IO, "--reference: neither exact nor self, and there is no file '%s'", s->reference);
    }
    return cli_check_files(args, 0);
}

static int load(study *s, const cli_args *args)
{
    const int code = model_open(&s->model, args);
    if (code == CLI_OK && !(s->model.t_end > 0.0)) {
        return cli_usage("the model gives no end time: give --t-end T");
    }
    return code;
}

/* ---- results ---------------------------------------------------------------------------------- */

static void put_errors(cli_answer *to, const char *name, const dal_error *e)
{
    answer_put(answer_object(to, name, 1), "q %g v %g lambda %g", e->q, e->v, e->lambda);
}

static cli_answer *answer(const study *s)
{
    cli_answer *a = answer_create();
    answer_put(a, "model %s reference %s", s->model.name, s->reference);
    cli_answer *rows = answer_list(a, "rows", 0);
    const dal_error *e = &s->ref_error;
    answer_put(a, ".times %d .t_end %g .exact? %d .known_q %g .known_v %g .known_lambda %g", s->nt, s->model.t_end,
               s->kind == REFERENCE_EXACT, e->q, e->v, e->lambda);
    for (int k = 0; k < s->nmethods * s->nh; ++k) {
        const study_row *r = &s->row[k];
        const double newton = r->steps > 0 ? (double)r->newton / (double)r->steps : NAN;
        cli_answer *row = answer_object(rows, NULL, 1);
        answer_put(row, "method %s h %g steps %ld failed? %d .next? %d .message %s", s->method[r->method], r->h,
                   r->steps, r->failed, k > 0 && k % s->nh == 0, r->message);
        put_errors(row, "error", &r->error);
        put_errors(row, "order", &r->order);
        answer_put(row, "newton_per_step %g jacobians %ld us_per_step %g .newton %g .us %g", newton, r->jacobians,
                   r->steps > 0 ? r->us_per_step : NAN, r->steps > 0 ? newton : 0.0, r->us_per_step);
    }
    return a;
}

static int report(const study *s, const cli_args *args)
{
    int failed = 0, code = CLI_OK;
    const int json = cli_given(args, "json");
    for (int k = 0; k < s->nmethods * s->nh; ++k) {
        const study_row *r = &s->row[k];
        failed += r->failed;
        if (r->failed && json) {
            cli_say("%s, h = %g: failed: %s", s->method[r->method], r->h, r->message);
        }
    }
    cli_answer *a = answer(s);
    answer_tell(a, args, 0);
    answer_release(a);
    const char *plot = cli_value(args, "plot");
    if (plot != NULL) {
        code = study_plot(s, plot);
    }
    const char *html = cli_value(args, "html");
    if (html != NULL) {
        const int written = study_page(s, html);
        code = code != CLI_OK ? code : written;
    }
    if (failed > 0 && code == CLI_OK) {
        code = cli_error(CLI_CHECK, "%d of %d runs failed", failed, s->nmethods * s->nh);
    }
    return code;
}

static void release(study *s)
{
    for (int k = 0; k < s->nmethods; ++k) {
        const int own = k == 0 || s->ref[k].t != s->ref[0].t;
        if (own && k > 0) {
            dal_samples_release(&s->ref[k]);
        }
        free(s->method[k]);
    }
    dal_samples_release(&s->ref[0]);
    free(s->row);
    model_release(&s->model);
}

static int command(const cli_args *args)
{
    study *s = cli_alloc(1, sizeof *s);
    int code = read_rest(s, args);
    code = code != CLI_OK ? code : load(s, args);
    code = code != CLI_OK ? code : read_steps(s, cli_value(args, "h"));
    code = code != CLI_OK ? code : read_methods(s, cli_value(args, "methods"));
    code = code != CLI_OK ? code : study_perform(s);
    code = code != CLI_OK ? code : report(s, args);
    release(s);
    free(s);
    return code;
}
