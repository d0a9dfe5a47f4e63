/* What a sweep reports at its end. */
#include <math.h>
#include <string.h>

#include "cli/json.h"
#include "cli/sweep.h"

enum { CAUSES = 5, COMMAND = 8000 };

/* A word for a shell. */
static size_t put_word(char *to, size_t size, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-,:";
    if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
        return (size_t)snprintf(to, size, " %s", text);
    }
    size_t n = (size_t)snprintf(to, size, " '");
    for (; *text != '\0' && n < size; ++text) {
        n += (size_t)snprintf(to + n, size - n, *text == '\'' ? "'\\''" : "%c", *text);
    }
    return n < size ? n + (size_t)snprintf(to + n, size - n, "'") : n;
}

/* Numbers of elements are no variables: a sweep of one member sets them, with the same backend. */
void sweep_rerun(const sweep_job *job, char *text, size_t size, long member, int quantity)
{
    const dal_sweep_backend backend = dal_sweep_backend_of(job->sweep);
    double x[200];
    int elements = 0;
    const int np = dal_sweep_parameter_count(job->sweep);
    for (int k = 0; k < np; ++k) {
        elements |= strchr(dal_sweep_parameter_name(job->sweep, k), '.') != NULL;
    }
    size_t n = (size_t)snprintf(text, size, "dalembert %s", elements ? "sweep" : "run");
    n += put_word(text + n, size - n, job->spec.source);
    const char *setting;
    for (int k = 0; (setting = dal_sweep_setting(job->sweep, k)) != NULL && n < size - 600; ++k) {
        n += (size_t)snprintf(text + n, size - n, " --set");
        n += put_word(text + n, size - n, setting);
    }
    dal_sweep_point(job->sweep, x, member);
    for (int k = 0; k < np && n < size - 600; ++k) {
        char one[400];
        snprintf(one, sizeof one, elements ? "%.300s=list:%.17g" : "%.300s=%.17g",
                 dal_sweep_parameter_name(job->sweep, k), x[k]);
        n += (size_t)snprintf(text + n, size - n, elements ? " --vary" : " --set");
        n += put_word(text + n, size - n, one);
    }
    if (elements && backend != DAL_SWEEP_INTERPRETED) {
        n += (size_t)snprintf(text + n, size - n, " --backend %s", dal_sweep_backend_name(backend));
    }
    for (int k = 0; elements && k < dal_sweep_collect_count(job->sweep) && n < size - 600; ++k) {
        if (quantity >= 0 && k != quantity) {
            continue;
        }
        n += (size_t)snprintf(text + n, size - n, " --collect");
        n += put_word(text + n, size - n, dal_sweep_collect_name(job->sweep, k));
    }
}

/* ---- text ------------------------------------------------------------------------------------- */

static void print_table(const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    printf("\n%-28s %12s %12s %12s %12s %12s %12s %12s\n", "", "mean", "deviation", "min", "5 %", "50 %", "95 %",
           "max");
    for (int k = 0; k < dal_sweep_collect_count(s); ++k) {
        dal_sweep_summary m;
        if (dal_sweep_statistics(s, &m, k) != DAL_OK) {
            continue;
        }
        cli_print("%-28s", dal_sweep_collect_name(s, k));
        printf(" %12.5g %12.5g %12.5g %12.5g %12.5g %12.5g %12.5g", m.mean, m.deviation, m.min, m.quantile[1],
               m.quantile[3], m.quantile[5], m.max);
        printf(m.n < dal_sweep_count(s, 0) ? "   (%ld of %ld: the others are not finite)\n" : "\n", m.n,
               dal_sweep_count(s, 0));
    }
}

/* Parts of the variance that parameters explain. */
static void print_sensitivity(const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    const int np = dal_sweep_parameter_count(s), saltelli = dal_sweep_design_of(s) == DAL_SWEEP_SALTELLI;
    if (np == 0 || dal_sweep_members(s) < 20) {
        return;
    }
    printf("\npart of the variance, alone%s\n%-28s", saltelli ? " / with others" : "", "");
    for (int i = 0; i < np; ++i) {
        cli_print(saltelli ? " %15s" : " %10s", dal_sweep_parameter_name(s, i));
    }
    printf("\n");
    for (int k = 0; k < dal_sweep_collect_count(s); ++k) {
        cli_print("%-28s", dal_sweep_collect_name(s, k));
        for (int i = 0; i < np; ++i) {
            dal_sweep_effect e;
            if (dal_sweep_sensitivity(s, &e, k, i) != DAL_OK) {
                continue;
            }
            if (saltelli) {
                printf(" %7.3f /%6.3f", e.first, e.total);
            } else {
                printf(" %10.3f", e.first);
            }
        }
        printf("\n");
    }
}

static void print_worst(const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    char command[COMMAND];
    printf("\n");
    for (int k = 0; k < dal_sweep_collect_count(s); ++k) {
        dal_sweep_summary m;
        if (dal_sweep_statistics(s, &m, k) != DAL_OK || m.n == 0) {
            continue;
        }
        sweep_rerun(job, command, sizeof command, m.min_member, k);
        cli_print("smallest %s: member %ld\n  %s\n", dal_sweep_collect_name(s, k), m.min_member, command);
        sweep_rerun(job, command, sizeof command, m.max_member, k);
        cli_print("largest %s: member %ld\n  %s\n", dal_sweep_collect_name(s, k), m.max_member, command);
    }
}

static void print_causes(const sweep_job *job)
{
    dal_sweep_cause cause[CAUSES];
    char command[COMMAND];
    const int n = dal_sweep_causes(job->sweep, cause, CAUSES);
    for (int k = 0; k < n; ++k) {
        sweep_rerun(job, command, sizeof command, cause[k].first, -1);
        cli_print("\nfailed %ld times, first member %ld: %s\n  %s\n", cause[k].count, cause[k].first, cause[k].message,
                  command);
    }
}

/* A program instead of the library, or why not. */
static void print_backend(const dal_sweep *s)
{
    const dal_sweep_backend backend = dal_sweep_backend_of(s);
    const double seconds = dal_sweep_compile_seconds(s);
    if (dal_sweep_backend_note(s)[0] != '\0') {
        cli_print("backend interpreted: %s\n", dal_sweep_backend_note(s));
    }
    if (backend == DAL_SWEEP_INTERPRETED) {
        return;
    }
    printf("backend %s: ", dal_sweep_backend_name(backend));
    if (dal_sweep_block(s) > 1) {
        printf("%d members at once, ", dal_sweep_block(s));
    }
    if (seconds > 0.0) {
        printf("compiled in %.2g s, ", seconds);
    }
    printf("%ld handed over to the library\n", dal_sweep_handed_over(s));
}

static void print_summary(const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    const long ok = dal_sweep_count(s, 0), failed = dal_sweep_count(s, 1), all = dal_sweep_members(s);
    cli_print("%s: %ld members (%s), %ld ok, %ld failed", dal_sweep_model_name(s), all,
              dal_sweep_design_name(dal_sweep_design_of(s)), ok, failed);
    if (ok + failed < all) {
        printf(", %ld missing", all - ok - failed);
    }
    if (job->wall > 0.0) {
        printf("; %.3g s", job->wall);
    }
    printf("\n");
    print_backend(s);
    if (ok > 0 && dal_sweep_collect_count(s) > 0) {
        print_table(job);
        print_sensitivity(job);
        print_worst(job);
    }
    print_causes(job);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void put_summary(cli_json *j, const sweep_job *job, int k)
{
    dal_sweep_summary m;
    char command[COMMAND];
    cli_json_open(j, NULL, '{', 0);
    cli_json_text(j, "name", dal_sweep_collect_name(job->sweep, k));
    if (dal_sweep_statistics(job->sweep, &m, k) == DAL_OK) {
        cli_json_whole(j, "n", m.n);
        cli_json_real(j, "mean", m.mean);
        cli_json_real(j, "deviation", m.deviation);
        cli_json_real(j, "min", m.min);
        cli_json_real(j, "max", m.max);
        cli_json_open(j, "quantiles", '{', 1);
        for (int i = 0; i < DAL_SWEEP_QUANTILES; ++i) {
            char level[16];
            snprintf(level, sizeof level, "%g", dal_sweep_quantile_level(i));
            cli_json_real(j, level, m.quantile[i]);
        }
        cli_json_close(j, '}');
        cli_json_whole(j, "min_member", m.min_member);
        cli_json_whole(j, "max_member", m.max_member);
        cli_json_open(j, "sensitivity", '[', 0);
        for (int i = 0; i < dal_sweep_parameter_count(job->sweep); ++i) {
            dal_sweep_effect e;
            if (dal_sweep_sensitivity(job->sweep, &e, k, i) == DAL_OK) {
                cli_json_open(j, NULL, '{', 1);
                cli_json_text(j, "parameter", dal_sweep_parameter_name(job->sweep, i));
                cli_json_real(j, "first", e.first);
                cli_json_real(j, "first_error", e.first_error);
                cli_json_real(j, "total", e.total);
                cli_json_real(j, "total_error", e.total_error);
                cli_json_close(j, '}');
            }
        }
        cli_json_close(j, ']');
        if (m.n > 0) {
            sweep_rerun(job, command, sizeof command, m.max_member, k);
            cli_json_text(j, "max_command", command);
        }
    }
    cli_json_close(j, '}');
}

static void put_causes(cli_json *j, const sweep_job *job)
{
    dal_sweep_cause cause[CAUSES];
    char command[COMMAND];
    const int n = dal_sweep_causes(job->sweep, cause, CAUSES);
    cli_json_open(j, "causes", '[', 0);
    for (int k = 0; k < n; ++k) {
        cli_json_open(j, NULL, '{', 0);
        cli_json_whole(j, "count", cause[k].count);
        cli_json_whole(j, "first", cause[k].first);
        cli_json_text(j, "status", dal_status_name((dal_status)cause[k].status));
        cli_json_text(j, "message", cause[k].message);
        sweep_rerun(job, command, sizeof command, cause[k].first, -1);
        cli_json_text(j, "command", command);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void print_json(const sweep_job *job)
{
    const dal_sweep *s = job->sweep;
    const long ok = dal_sweep_count(s, 0), failed = dal_sweep_count(s, 1);
    cli_json j = cli_json_to(stdout);
    cli_json_open(&j, NULL, '{', 0);
    cli_json_text(&j, "model", dal_sweep_model_name(s));
    cli_json_text(&j, "design", dal_sweep_design_name(dal_sweep_design_of(s)));
    cli_json_whole(&j, "members", dal_sweep_members(s));
    cli_json_whole(&j, "ok", ok);
    cli_json_whole(&j, "failed", failed);
    cli_json_whole(&j, "missing", dal_sweep_members(s) - ok - failed);
    cli_json_text(&j, "backend", dal_sweep_backend_name(dal_sweep_backend_of(s)));
    cli_json_text(&j, "backend_note", dal_sweep_backend_note(s));
    cli_json_whole(&j, "handed_over", dal_sweep_handed_over(s));
    cli_json_real(&j, "compile_seconds", dal_sweep_compile_seconds(s));
    cli_json_open(&j, "parameters", '[', 1);
    for (int k = 0; k < dal_sweep_parameter_count(s); ++k) {
        cli_json_text(&j, NULL, dal_sweep_parameter_name(s, k));
    }
    cli_json_close(&j, ']');
    cli_json_open(&j, "collected", '[', 0);
    for (int k = 0; k < dal_sweep_collect_count(s); ++k) {
        put_summary(&j, job, k);
    }
    cli_json_close(&j, ']');
    put_causes(&j, job);
    cli_json_real(&j, "seconds", job->wall);
    cli_json_text(&j, "output", job->output != NULL ? job->output : "");
    cli_json_close(&j, '}');
    cli_json_end(&j);
}

int sweep_report(const sweep_job *job)
{
    if (job->json) {
        print_json(job);
    } else if (!job->quiet) {
        print_summary(job);
    }
    return CLI_OK;
}
