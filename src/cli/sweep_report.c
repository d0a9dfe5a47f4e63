/* What a sweep reports at its end: one answer, as text, as JSON and as a page. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/sweep.h"

enum { CAUSES = 20 };

/* The command that runs a member alone; a sweep of it collects that quantity (-1: all). Numbers of elements are no variables: a
 * sweep of one member sets them, with the same backend. */
static const char *rerun(const sweep_job *job, long member, int quantity)
{
    const dal_sweep *s = job->sweep;
    const dal_sweep_backend backend = dal_sweep_backend_of(s);
    const char *setting;
    cli_string text = {0};
    double x[SWEEP_COLUMNS];
    int elements = 0;
    for (int k = 0; k < dal_sweep_parameter_count(s); ++k) {
        elements |= strchr(dal_sweep_parameter_name(s, k), '.') != NULL;
    }
    cli_add(&text, "dalembert %s", elements ? "sweep" : "run");
    cli_add_word(&text, job->spec.source);
    for (int k = 0; (setting = dal_sweep_setting(s, k)) != NULL; ++k) {
        cli_add(&text, " --set");
        cli_add_word(&text, setting);
    }
    dal_sweep_point(s, x, member);
    for (int k = 0; k < dal_sweep_parameter_count(s); ++k) {
        cli_add(&text, elements ? " --vary" : " --set");
        cli_add_word(&text,
                     cli_text(elements ? "%.300s=list:%.17g" : "%.300s=%.17g", dal_sweep_parameter_name(s, k), x[k]));
    }
    if (elements && backend != DAL_SWEEP_INTERPRETED) {
        cli_add(&text, " --backend %s", dal_sweep_backend_name(backend));
    }
    for (int k = 0; elements && k < dal_sweep_collect_count(s); ++k) {
        if (quantity < 0 || k == quantity) {
            cli_add(&text, " --collect");
            cli_add_word(&text, dal_sweep_collect_name(s, k));
        }
    }
    return text.text;
}

/* ---- the answer ------------------------------------------------------------------------------- */

static void put_sensitivity(cli_answer *to, const dal_sweep *s, int k)
{
    cli_answer *list = answer_list(to, "sensitivity", 0);
    for (int i = 0; i < dal_sweep_parameter_count(s); ++i) {
        dal_sweep_effect e;
        if (dal_sweep_sensitivity(s, &e, k, i) == DAL_OK) {
            answer_line(list, NULL, "parameter %s first %g first_error %g total %g total_error %g .part %g",
                        dal_sweep_parameter_name(s, i), e.first, e.first_error, e.total, e.total_error,
                        fmin(1.0, fmax(0.0, e.first)));
        }
    }
}

/* Statistics of what is collected. */
static void put_collected(cli_answer *list, const sweep_job *job, int k)
{
    const dal_sweep *s = job->sweep;
    dal_sweep_summary m;
    char unit[DAL_SWEEP_UNIT];
    cli_answer *a = answer_object(list, NULL, 0);
    dal_sweep_collect_unit(s, unit, k);
    answer_put(a, "name %s .unit %s", dal_sweep_collect_name(s, k), strcmp(unit, "1") != 0 ? unit : "");
    if (dal_sweep_statistics(s, &m, k) != DAL_OK) {
        return;
    }
    answer_put(a, "n %ld mean %g deviation %g min %g max %g .q5 %g .q50 %g .q95 %g", m.n, m.mean, m.deviation, m.min,
               m.max, m.quantile[1], m.quantile[3], m.quantile[5]);
    cli_answer *quantiles = answer_object(a, "quantiles", 1);
    for (int i = 0; i < DAL_SWEEP_QUANTILES; ++i) {
        answer_real(quantiles, cli_text("%g", dal_sweep_quantile_level(i)), m.quantile[i]);
    }
    answer_put(a, "min_member %ld max_member %ld .not_finite? %d", m.min_member, m.max_member,
               m.n < dal_sweep_count(s, 0));
    put_sensitivity(a, s, k);
    if (m.n > 0) {
        answer_put(a, "max_command %s .min_command %s", rerun(job, m.max_member, k), rerun(job, m.min_member, k));
    }
}

static void put_causes(cli_answer *a, const sweep_job *job)
{
    dal_sweep_cause cause[CAUSES];
    cli_answer *list = answer_list(a, "causes", 0);
    const int n = dal_sweep_causes(job->sweep, cause, CAUSES);
    for (int k = 0; k < n; ++k) {
        answer_put(answer_object(list, NULL, 0), "count %ld first %ld status %s message %s command %s", cause[k].count,
                   cause[k].first, dal_status_name((dal_status)cause[k].status), cause[k].message,
                   rerun(job, cause[k].first, -1));
    }
}

static cli_answer *fill(const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    const long ok = dal_sweep_count(s, 0), failed = dal_sweep_count(s, 1), all = dal_sweep_members(s);
    const int np = dal_sweep_parameter_count(s), nc = dal_sweep_collect_count(s), block = dal_sweep_block(s);
    cli_answer *a = answer_create();
    answer_put(a, "model %s design %s members %ld ok %ld failed %ld missing %ld", dal_sweep_model_name(s),
               dal_sweep_design_name(dal_sweep_design_of(s)), all, ok, failed, all - ok - failed);
    answer_put(a, "backend %s backend_note %s handed_over %ld compile_seconds %g",
               dal_sweep_backend_name(dal_sweep_backend_of(s)), dal_sweep_backend_note(s), dal_sweep_handed_over(s),
               dal_sweep_compile_seconds(s));
    answer_put(a, ".program? %d .block %d .compiled? %d", dal_sweep_backend_of(s) != DAL_SWEEP_INTERPRETED,
               block > 1 ? block : 0, dal_sweep_compile_seconds(s) > 0.0);
    answer_put(a, ".results? %d .sensible? %d .saltelli? %d .several? %d", ok > 0 && nc > 0, np > 0 && all >= 20,
               dal_sweep_design_of(s) == DAL_SWEEP_SALTELLI, ok > 1);
    cli_answer *parameters = answer_list(a, "parameters", 1), *collected = answer_list(a, "collected", 0);
    for (int k = 0; k < np; ++k) {
        answer_text(parameters, NULL, dal_sweep_parameter_name(s, k));
    }
    for (int k = 0; k < nc; ++k) {
        put_collected(collected, job, k);
    }
    put_causes(a, job);
    answer_put(a, "seconds %g output %s .timed? %d", job->wall, job->output != NULL ? job->output : "",
               job->wall > 0.0);
    return a;
}

/* ---- the page --------------------------------------------------------------------------------- */

/* Colours, letters and cards as on the other pages, viewer/style.css. */
static const char style[] =
    ":root{--back:#f6f7f8;--card:#fff;--ink:#1c2127;--soft:#5b6570;--line:#dde1e6;--mark:#0072b2;color-scheme:"
    "light dark}"
    "@media(prefers-color-scheme:dark){:root{--back:#17191d;--card:#1f2227;--ink:#e7e9ec;--soft:#9aa4af;--line:#"
    "353b43;"
    "--mark:#56b4e9}}"
    "body{margin:0 auto;padding:8px;max-width:75rem;background:var(--back);color:var(--ink);"
    "font:14px/1.45 system-ui,\"Segoe UI\",Roboto,sans-serif}"
    "header{display:flex;align-items:baseline;gap:12px;flex-wrap:wrap;margin-bottom:8px}h1{font-size:18px;margin:0}"
    "header p{margin:0;color:var(--soft)}"
    "section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:8px "
    "12px;margin-bottom:8px;"
    "overflow-x:auto}h2{font-size:13px;margin:2px 0 6px}small,dt{color:var(--soft)}"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}"
    "td,th{padding:1px 12px 1px 0;text-align:right;white-space:nowrap}th{font-weight:400;color:var(--soft)}"
    "th:first-child,.text{text-align:left}td.text{white-space:normal}meter{width:5em}"
    "dd{margin:.1em 0 .5em 1em;overflow-wrap:anywhere}svg{max-width:100%;height:auto;border-radius:6px}";

/* A picture as text; empty where there is nothing to be seen. */
static char *picture(const sweep_job *job, int parallel)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (out != NULL && dal_sweep_count(job->sweep, 0) > 1 && (parallel || dal_sweep_collect_count(job->sweep) > 0)) {
        sweep_draw(job, parallel, NULL, out);
    }
    if (out == NULL || ferror(out) != 0 || fclose(out) != 0 || text == NULL) {
        cli_fail(CLI_IO, "out of memory");
    }
    cli_own(text, free);
    return text;
}

void sweep_report(const sweep_job *job)
{
    const char *plot = sweep_flag(job, "plot"), *parallel = sweep_flag(job, "parallel"),
               *html = sweep_flag(job, "html");
    cli_answer *a = fill(job);
    answer_tell(a, job->args, NULL);
    if (plot != NULL && dal_sweep_collect_count(job->sweep) > 0) {
        sweep_draw(job, 0, plot, NULL);
    }
    if (parallel != NULL) {
        sweep_draw(job, 1, parallel, NULL);
    }
    if (html != NULL) { // no script, no network
        cli_string out = {0};
        answer_put(a, ".style %s .panels %s .parallel %s", style, picture(job, 0), picture(job, 1));
        answer_add(a, &out, "sweep", 1);
        cli_save(out.text, html);
    }
}
