#define _POSIX_C_SOURCE 200809L

#include "reproduce/figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reproduce/workers.h"

enum { PATH = 1024 };

typedef const figure *figure_table(int *n);
static figure_table *const PARTS[] = {figures_transient, figures_methods};
enum { NPARTS = (int)(sizeof PARTS / sizeof PARTS[0]) };

int figure_count(void)
{
    int total = 0;
    for (int i = 0; i < NPARTS; ++i) {
        int n;
        (void)PARTS[i](&n);
        total += n;
    }
    return total;
}

const figure *figure_at(int k)
{
    for (int i = 0; i < NPARTS; ++i) {
        int n;
        const figure *part = PARTS[i](&n);
        if (k < n) {
            return part + k;
        }
        k -= n;
    }
    return NULL;
}

/* ---- one figure ------------------------------------------------------------------------------- */

/* The commands for gnuplot; file names are relative to the folder. */
static void write_script(FILE *g, const figure *f)
{
    // colours that are told apart in grey and by the colour-blind
    static const char *const colour[] = {"0072b2", "d55e00", "009e73", "e69f00",
                                         "cc79a7", "56b4e9", "000000", "999999"};
    fprintf(g, "set encoding utf8\n"
               "set terminal svg size 640,420 noenhanced font 'Helvetica,13' background 'white'\n"
               "set border 3\nset tics nomirror out\nset grid lc rgb '#dddddd'\nset key outside bottom horizontal\n"
               "set xrange [*:*] noextend\n");
    for (int i = 0; i < FIGURE_SERIES; ++i) {
        fprintf(g, "set linetype %d lc rgb '#%s' lw 1.5 pt %d ps 0.6\n", i + 1, colour[i],
                i % 4 == 0 ? 7 : i % 4 * 2 + 3);
    }
    fprintf(g, "set output '%s.svg'\nset title \"%s\"\nset xlabel \"%s\"\nset ylabel \"%s\"\n", f->name, f->title,
            f->xlabel, f->ylabel);
    fprintf(g, "%s%s%s\n", f->log_x ? "set logscale x\nset format x '%g'\n" : "",
            f->log_y ? "set logscale y\nset format y '%.0e'\n" : "", f->further != NULL ? f->further : "");
    for (int i = 0; i < FIGURE_SERIES && f->series[i] != NULL; ++i) {
        fprintf(g, "%s'%s.dat' index %d with %s lt %d title \"%s\"", i == 0 ? "plot " : ", ", f->name, i,
                f->log_x ? "linespoints" : "lines", i + 1, f->series[i]);
    }
    fprintf(g, "\n");
}

static int gnuplot(const char *folder, const char *script)
{
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        if (chdir(folder) == 0) {
            execlp("gnuplot", "gnuplot", script, (char *)NULL);
        }
        _exit(127);
    }
    int status = 0;
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int write_file(const char *folder, const figure *f, const char *ending, dal_ctx *ctx)
{
    char path[PATH];
    (void)snprintf(path, sizeof path, "%.800s/%s.%s", folder, f->name, ending);
    FILE *out = fopen(path, "w");
    int good = out != NULL;
    if (good && ctx != NULL) {
        good = f->data(out, ctx);
    } else if (good) {
        write_script(out, f);
    }
    return out != NULL && fclose(out) == 0 && good;
}

/* ---- all of them ------------------------------------------------------------------------------ */

typedef struct drawing {
    const char *folder;
    FILE *err;
    int failed;
} drawing;

static void draw(int k, void *result, void *user)
{
    const drawing *d = user;
    const figure *f = figure_at(k);
    int *good = result;
    char script[64];
    dal_ctx *ctx;
    (void)snprintf(script, sizeof script, "%s.gp", f->name);
    if (dal_ctx_create(&ctx, NULL) == DAL_OK) {
        *good =
            write_file(d->folder, f, "dat", ctx) && write_file(d->folder, f, "gp", NULL) && gnuplot(d->folder, script);
        dal_ctx_destroy(ctx);
    }
}

static void drawn(int k, const void *result, void *user)
{
    drawing *d = user;
    int good = 0;
    if (result != NULL) {
        memcpy(&good, result, sizeof good);
    }
    if (!good) {
        fprintf(d->err, "dalembert reproduce: figure '%s' could not be drawn in '%s' (is gnuplot installed?)\n",
                figure_at(k)->name, d->folder);
        d->failed++;
    }
}

int figures_draw(const char *folder, int jobs, FILE *err)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(err, "dalembert reproduce: cannot create '%s': %s\n", folder, strerror(errno));
        return 0;
    }
    drawing d = {folder, err, 0};
    const workers w = {.n = figure_count(), .jobs = jobs, .size = sizeof(int), .user = &d, .task = draw, .done = drawn};
    workers_run(&w);
    return d.failed == 0;
}
