#define _POSIX_C_SOURCE 200809L

#include "cli/progress.h"

#include <math.h>
#include <unistd.h>

#include "cli/cli.h"

enum { BAR = 24 };

void progress_start(cli_progress *p, int quiet, const dal_sim *sim, double t_end)
{
    const dal_stats st = dal_sim_stats(sim);
    const double now = cli_seconds();
    *p = (cli_progress){.on = !quiet && isatty(STDERR_FILENO),
                        .start = now,
                        .shown = now,
                        .t0 = dal_sim_state(sim).t,
                        .t_end = t_end,
                        .steps0 = st.steps,
                        .iterations0 = st.newton_iterations};
}

static void time_left(char text[32], double seconds)
{
    if (!(seconds >= 0.0) || seconds > 3.6e6) {
        snprintf(text, 32, "--:--");
    } else if (seconds >= 3600.0) {
        snprintf(text, 32, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
    } else {
        snprintf(text, 32, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
    }
}

void progress_show(cli_progress *p, const dal_sim *sim)
{
    const double now = p->on ? cli_seconds() : 0.0;
    if (!p->on || now - p->shown < 0.2) {
        return;
    }
    p->shown = now;
    const dal_stats st = dal_sim_stats(sim);
    const double t = dal_sim_state(sim).t, span = p->t_end - p->t0, elapsed = now - p->start;
    const double done = span > 0.0 ? fmin(1.0, fmax(0.0, (t - p->t0) / span)) : 1.0;
    const long steps = st.steps - p->steps0;
    char bar[BAR + 1], left[32];
    for (int i = 0; i < BAR; ++i) {
        bar[i] = i < (int)(done * BAR) ? '#' : '.';
    }
    bar[BAR] = '\0';
    time_left(left, elapsed * (1.0 - done) / done);
    fprintf(stderr, "\r[%s] %.4g/%.4g s  %.0f steps/s  %.1f it/step  %s left \033[K", bar, t, p->t_end,
            (double)steps / elapsed, (double)(st.newton_iterations - p->iterations0) / fmax(1.0, (double)steps), left);
    fflush(stderr);
}

void progress_clear(const cli_progress *p)
{
    if (p->on) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
}
