/* A sweep as one HTML page: statistics, sensitivity, causes of failures, pictures. No script, no network. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/plot.h"
#include "cli/sweep.h"

enum { CAUSES = 20, COMMAND = 8000 };

/* Text of a model stays text. */
static void put(FILE *out, const char *text)
{
    for (; *text != '\0';) {
        const size_t n = svg_character(text);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out);
            ++text;
        } else if (n == 1 && strchr("&<>\"", *text) != NULL) {
            fprintf(out, "&#%d;", *text++);
        } else {
            fwrite(text, 1, n, out);
            text += n;
        }
    }
}

static void put_number(FILE *out, double x)
{
    if (isfinite(x)) {
        fprintf(out, "<td>%.6g</td>", x);
    } else {
        fputs("<td>-</td>", out);
    }
}

static void put_unit(FILE *out, const char *unit)
{
    if (unit[0] != '\0' && strcmp(unit, "1") != 0) {
        fputs(" <small>[", out);
        put(out, unit);
        fputs("]</small>", out);
    }
}

static void put_collect(FILE *out, const dal_sweep *s, int k)
{
    char unit[DAL_SWEEP_UNIT];
    dal_sweep_collect_unit(s, unit, k);
    put(out, dal_sweep_collect_name(s, k));
    put_unit(out, unit);
}

static void put_statistics(FILE *out, const dal_sweep *s)
{
    fputs("<table><tr><th></th><th>mean</th><th>deviation</th><th>min</th>", out);
    for (int i = 0; i < DAL_SWEEP_QUANTILES; ++i) {
        fprintf(out, "<th>%g %%</th>", 100.0 * dal_sweep_quantile_level(i));
    }
    fputs("<th>max</th></tr>\n", out);
    for (int k = 0; k < dal_sweep_collect_count(s); ++k) {
        dal_sweep_summary m;
        if (dal_sweep_statistics(s, &m, k) != DAL_OK) {
            continue;
        }
        fputs("<tr><th>", out);
        put_collect(out, s, k);
        fputs("</th>", out);
        put_number(out, m.mean);
        put_number(out, m.deviation);
        put_number(out, m.min);
        for (int i = 0; i < DAL_SWEEP_QUANTILES; ++i) {
            put_number(out, m.quantile[i]);
        }
        put_number(out, m.max);
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

/* Parts of the variance, with a bar. */
static void put_sensitivity(FILE *out, const dal_sweep *s)
{
    const int np = dal_sweep_parameter_count(s), saltelli = dal_sweep_design_of(s) == DAL_SWEEP_SALTELLI;
    fprintf(out, "<h2>Part of the variance that a parameter explains alone%s</h2>\n<table><tr><th></th>",
            saltelli ? ", and together with others" : "");
    for (int i = 0; i < np; ++i) {
        fputs("<th>", out);
        put(out, dal_sweep_parameter_name(s, i));
        fputs("</th>", out);
    }
    fputs("</tr>\n", out);
    for (int k = 0; k < dal_sweep_collect_count(s); ++k) {
        fputs("<tr><th>", out);
        put(out, dal_sweep_collect_name(s, k));
        fputs("</th>", out);
        for (int i = 0; i < np; ++i) {
            dal_sweep_effect e;
            if (dal_sweep_sensitivity(s, &e, k, i) != DAL_OK || !isfinite(e.first)) {
                fputs("<td>-</td>", out);
                continue;
            }
            fprintf(out, "<td><meter value=\"%.3f\"></meter> %.3f", fmin(1.0, fmax(0.0, e.first)), e.first);
            fprintf(out, saltelli ? " / %.3f</td>" : "</td>", e.total);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void put_members(FILE *out, const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    char command[COMMAND];
    fputs("<h2>Extreme members</h2>\n<dl>\n", out);
    for (int k = 0; k < dal_sweep_collect_count(s); ++k) {
        dal_sweep_summary m;
        if (dal_sweep_statistics(s, &m, k) != DAL_OK || m.n == 0) {
            continue;
        }
        for (int largest = 0; largest < 2; ++largest) {
            const long member = largest ? m.max_member : m.min_member;
            sweep_rerun(job, command, sizeof command, member, k);
            fprintf(out, "<dt>%s ", largest ? "largest" : "smallest");
            put(out, dal_sweep_collect_name(s, k));
            fprintf(out, ": member %ld</dt><dd><code>", member);
            put(out, command);
            fputs("</code></dd>\n", out);
        }
    }
    fputs("</dl>\n", out);
}

static void put_causes(FILE *out, const dal_sweep *s)
{
    dal_sweep_cause cause[CAUSES];
    const int n = dal_sweep_causes(s, cause, CAUSES);
    if (n > 0) {
        fputs("<section><h2>Failures</h2>\n<table><tr><th>members</th><th>first</th><th>message</th></tr>\n", out);
    }
    for (int k = 0; k < n; ++k) {
        fprintf(out, "<tr><td>%ld</td><td>%ld</td><td class=\"text\">", cause[k].count, cause[k].first);
        put(out, cause[k].message);
        fputs("</td></tr>\n", out);
    }
    fputs(n > 0 ? "</table></section>\n" : "", out);
}

static void put_page(FILE *out, const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n<title>",
          out);
    put(out, dal_sweep_model_name(s));
    // colours, letters and cards as on the other pages, viewer/style.css
    fputs(
        "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>"
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
        "dd{margin:.1em 0 .5em 1em;overflow-wrap:anywhere}svg{max-width:100%;height:auto;border-radius:6px}"
        "</style></head><body>\n<header><h1>",
        out);
    put(out, dal_sweep_model_name(s));
    fprintf(out, "</h1><p>sweep: %ld members (%s), %ld ok, %ld failed</p></header>\n<section><h2>Statistics</h2>\n",
            dal_sweep_members(s), dal_sweep_design_name(dal_sweep_design_of(s)), dal_sweep_count(s, 0),
            dal_sweep_count(s, 1));
    put_statistics(out, s);
    fputs("</section>\n", out);
    if (dal_sweep_count(s, 0) > 1) {
        fputs("<section><h2>Distributions and responses</h2>\n", out);
        sweep_draw(job, out, 0);
        fputs("\n</section>\n<section><h2>All members</h2>\n", out);
        sweep_draw(job, out, 1);
        fputs("\n</section>\n<section>", out);
        put_sensitivity(out, s);
        fputs("</section>\n", out);
    }
    fputs("<section>", out);
    put_members(out, job);
    fputs("</section>\n", out);
    put_causes(out, s);
    fputs("</body></html>\n", out);
}

int sweep_page(const sweep_job *job, const char *path)
{
    char part[SWEEP_PATH];
    snprintf(part, sizeof part, "%.4000s.part", path);
    unlink(part);
    FILE *out = fopen(part, "wx");
    if (out == NULL) {
        return cli_error("sweep", CLI_IO, "cannot write '%s': %s", path, strerror(errno));
    }
    put_page(out, job);
    const int bad = ferror(out) | (fclose(out) != 0) || rename(part, path) != 0;
    return bad ? cli_error("sweep", CLI_IO, "cannot write '%s': %s", path, strerror(errno)) : CLI_OK;
}
