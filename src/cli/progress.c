#define _POSIX_C_SOURCE 200809L

#include "cli/progress.h"

#include <math.h>
#include <unistd.h>

int progress_due(cli_progress *p)
{
    const double now = p->on ? cli_seconds() : 0.0;
    const int due = p->on && now - p->shown >= 0.2;
    p->shown = due ? now : p->shown;
    return due;
}

void progress_bar(const cli_progress *p, double done, const char *text)
{
    static const char full[] = "########################", empty[] = "........................";
    const double left = (p->shown - p->start) * (1.0 - done) / done;
    const int bars = (int)(done * (double)(sizeof full - 1));
    fprintf(stderr, "\r[%.*s%s] %s  ", bars, full, empty + bars, text);
    if (!(left >= 0.0) || left > 3.6e6) {
        fprintf(stderr, "--:--");
    } else if (left >= 3600.0) {
        fprintf(stderr, "%d:%02d:%02d", (int)left / 3600, (int)left / 60 % 60, (int)left % 60);
    } else {
        fprintf(stderr, "%d:%02d", (int)left / 60, (int)left % 60);
    }
    fprintf(stderr, " left \033[K");
    fflush(stderr);
}

void progress_start(cli_progress *p, int quiet, const dal_sim *sim, double t_end)
{
    const double now = cli_seconds();
    *p = (cli_progress){.on = !quiet && isatty(STDERR_FILENO), .start = now, .shown = now, .t_end = t_end};
    if (sim != NULL) {
        p->t0 = dal_sim_state(sim).t;
        p->before = dal_sim_stats(sim);
    }
}

void progress_show(cli_progress *p, const dal_sim *sim)
{
    if (!progress_due(p)) {
        return;
    }
    const dal_stats st = dal_sim_stats(sim);
    const double t = dal_sim_state(sim).t, span = p->t_end - p->t0;
    const double steps = (double)(st.steps - p->before.steps);
    char text[200];
    snprintf(text, sizeof text, "%.4g/%.4g s  %.0f steps/s  %.1f it/step", t, p->t_end, steps / (p->shown - p->start),
             (double)(st.newton_iterations - p->before.newton_iterations) / fmax(1.0, steps));
    progress_bar(p, span > 0.0 ? fmin(1.0, fmax(0.0, (t - p->t0) / span)) : 1.0, text);
}

void progress_clear(const cli_progress *p)
{
    if (p->on) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
}
