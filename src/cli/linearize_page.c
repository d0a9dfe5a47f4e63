/* The linear model as a page: poles, transfer functions of all pairs of inputs and outputs, sizes of the matrices. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/diagram.h"
#include "cli/linearize.h"

enum {
    GRID = 400,   /* frequencies on a logarithmic scale */
    NEAR = 6,     /* more of them around each pole */
    MODES = 2000, /* at most */
    SHOWN = 6,    /* curves that are shown before their names are clicked */
    CURVES = 200  /* at most, of a chart */
};

/* A component so much smaller than the largest at the same frequency is rounding of the differences. */
static const double least = 1e-11;

CLI_OWNS(dal_modal)

typedef struct response {
    int n, noutputs, ninputs;
    double *f;     /* n frequencies, Hz */
    double *size;  /* |G|: of input k and output i from (k*noutputs + i)*n on; NAN where it is not known */
    double *phase; /* degrees, continuous */
} response;

/* ---- poles ------------------------------------------------------------------------------------ */

static void add_poles(cli_diagram *d, const dal_modal *modal)
{
    const int n = dal_modal_about(modal).n;
    cli_chart *c = diagram_chart(d, 1, "real part [1/s]", "poles");
    cli_trace *t = diagram_trace(c, DAL_PAGE_MARKS, 2 * n, "rad/s", "imaginary part");
    t->n = 0;
    for (int k = 0; k < n; ++k) {
        const dal_mode m = dal_modal_mode(modal, k);
        for (int s = 0; s < (m.im > 0.0 ? 2 : 1); ++s) {
            diagram_mark(t, m.re, s == 0 ? m.im : -m.im, "%.8g %s %.8gi rad/s: %.6g Hz, damping %.4g", m.re,
                         m.im > 0.0 ? "+-" : "+", m.im, m.frequency, m.damping);
        }
    }
}

/* ---- transfer functions ----------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* From a decade below the slowest pole to a decade above the fastest one, six decades at most, with more values where
 * there are resonances. */
static void choose_frequencies(response *r, const dal_modal *modal)
{
    static const double around[NEAR] = {0.97, 0.99, 0.999, 1.001, 1.01, 1.03};
    const int n = dal_modal_about(modal).n;
    double low = INFINITY, high = 0.0;
    for (int k = 0; k < n; ++k) {
        const dal_mode m = dal_modal_mode(modal, k);
        const double s = hypot(m.re, m.im) / 6.283185307179586;
        low = s > 0.0 && !m.rigid ? fmin(low, s) : low;
        high = m.rigid ? high : fmax(high, s);
    }
    low = isfinite(low) ? 0.1 * low : 0.01;
    high = fmin(fmax(10.0 * high, 1e3 * low), 1e6 * low);
    r->f = cli_alloc(GRID + NEAR * (size_t)n, sizeof *r->f);
    for (int i = 0; i < GRID; ++i) {
        r->f[r->n++] = low * pow(high / low, i / (GRID - 1.0));
    }
    for (int k = 0; k < n; ++k) {
        const double f = dal_modal_mode(modal, k).frequency;
        for (int i = 0; i < NEAR && f > 1.1 * low && f < 0.9 * high; ++i) {
            r->f[r->n++] = f * around[i];
        }
    }
    qsort(r->f, (size_t)r->n, sizeof *r->f, ascending);
}

/* One frequency: where the matrix is singular, or a component is rounding, there is no value. */
static void respond(response *r, const dal_linear *linear, int at, double *G)
{
    const size_t pairs = (size_t)r->ninputs * (size_t)r->noutputs;
    const int known = dal_linear_transfer(linear, G, 0.0, 6.283185307179586 * r->f[at]) == DAL_OK;
    for (int k = 0; k < r->ninputs; ++k) {
        double most = 0.0;
        for (int i = 0; i < r->noutputs && known; ++i) {
            const size_t e = (size_t)k * (size_t)r->noutputs + (size_t)i;
            most = fmax(most, hypot(G[e], G[pairs + e]));
        }
        for (int i = 0; i < r->noutputs; ++i) {
            const size_t e = (size_t)k * (size_t)r->noutputs + (size_t)i, to = e * (size_t)r->n + (size_t)at;
            const double size = known ? hypot(G[e], G[pairs + e]) : NAN;
            const int counts = known && size > least * most;
            r->size[to] = counts ? size : NAN;
            r->phase[to] = counts ? atan2(G[pairs + e], G[e]) * 57.29577951308232 : NAN;
        }
    }
}

/* Phases go on without jumps of a turn. */
static void unwrap(double *phase, int n)
{
    double before = NAN;
    for (int i = 0; i < n; ++i) {
        if (isfinite(phase[i])) {
            phase[i] -= isfinite(before) ? 360.0 * round((phase[i] - before) / 360.0) : 0.0;
            before = phase[i];
        }
    }
}

/* Of an output per unit of an input: "rad/(N m)". */
static const char *unit_of(const char *output, const char *input)
{
    const char *above = output[0] != '\0' ? output : "1";
    return strcmp(input, "1") == 0 ? cli_text("%.30s", above)
                                   : cli_text(strchr(input, ' ') ? "%.30s/(%.20s)" : "%.30s/%.20s", above, input);
}

static void add_input(cli_diagram *d, const cli_linearize_job *j, const response *r, int k, int phase)
{
    cli_chart *c = diagram_chart(d, CURVES, "frequency [Hz]", "%s from %.120s", phase ? "phase" : "magnitude",
                                 dal_ports_input(j->ports, k).name);
    c->log_x = 1;
    c->log_y = !phase;
    int drawn = 0;
    for (int i = 0; i < r->noutputs && i < CURVES; ++i) {
        const size_t at = ((size_t)k * (size_t)r->noutputs + (size_t)i) * (size_t)r->n,
                     size = (size_t)r->n * sizeof *r->f;
        const dal_port port = dal_ports_output(j->ports, i);
        const char *unit = phase ? "degrees" : unit_of(port.unit, dal_ports_input(j->ports, k).unit);
        cli_trace *t = diagram_trace(c, DAL_PAGE_LINE, r->n, unit, "%s", port.name);
        memcpy(t->x, r->f, size);
        memcpy(t->y, (phase ? r->phase : r->size) + at, size);
        t->hidden = drawn >= SHOWN;
        drawn += diagram_seen(t);
    }
}

static void add_responses(cli_diagram *d, const cli_linearize_job *j, const dal_modal *modal)
{
    response r = {.ninputs = j->info.ninputs, .noutputs = j->info.noutputs};
    const size_t pairs = (size_t)r.ninputs * (size_t)r.noutputs;
    if (pairs == 0) {
        return;
    }
    choose_frequencies(&r, modal);
    r.size = cli_alloc(2 * pairs * (size_t)r.n, sizeof *r.size);
    r.phase = r.size + pairs * (size_t)r.n;
    double *G = cli_alloc(2 * pairs, sizeof *G);
    for (int i = 0; i < r.n; ++i) {
        respond(&r, j->linear, i, G);
    }
    for (size_t e = 0; e < pairs; ++e) {
        unwrap(r.phase + e * (size_t)r.n, r.n);
    }
    for (int k = 0; k < r.ninputs && d->n + 2 <= DIAGRAM_CHARTS; ++k) {
        add_input(d, j, &r, k, 0);
        add_input(d, j, &r, k, 1);
    }
}

/* ---- text ------------------------------------------------------------------------------------- */

static void say(cli_html *h, const char *name, const char *text)
{
    html_say(h, DAL_PAGE_SUMMARY, 0, name, text);
}

static const char *sparse(const dal_triplets *T)
{
    return cli_text("%d x %d, %d entries", T->nrows, T->ncols, T->n);
}

static const char *dense(int rows, int cols)
{
    return cli_text("%d x %d", rows, cols);
}

static void add_text(cli_html *h, const cli_linearize_job *j)
{
    const dal_linear_info *i = &j->info;
    const char *about = cli_text("%s at t = %g, %s axes", linearize_about(i), j->at.t, about_axes[i->axes]);
    say(h, "about", about);
    if (i->steady == DAL_STEADINESS_FROZEN) {
        html_say(h, DAL_PAGE_WARNINGS, 0, NULL, about);
    }
    if (i->n > 0) {
        html_say(h, DAL_PAGE_SUMMARY, 1, "minimal form",
                 cli_text("%d states, %d of positions and %d of velocities", i->n, i->positions, i->velocities));
        say(h, "A", dense(i->n, i->n));
        say(h, i->rates ? "B, B_rate, B_acceleration" : "B", dense(i->n, i->ninputs));
        say(h, "C", dense(i->noutputs, i->n));
        say(h, i->rates ? "D, D_rate, D_acceleration" : "D", dense(i->noutputs, i->ninputs));
    } else {
        html_say(h, DAL_PAGE_WARNINGS, 0, NULL,
                 "no minimal form, poles and transfer functions: more than 600 velocities");
    }
    html_say(h, DAL_PAGE_SUMMARY, 1, "descriptor form",
             cli_text("%d unknowns, %d of them multipliers", i->E.ncols, i->rows));
    say(h, "E", sparse(&i->E));
    say(h, "A (descriptor)", sparse(&i->Ad));
    say(h, "B (descriptor)", sparse(&i->Bd));
    say(h, "C (descriptor)", sparse(&i->Cd));
    say(h, "D (descriptor)", sparse(&i->Dd));
}

static void add_charts(cli_html *h, const cli_linearize_job *j)
{
    const dal_modal_options opt = {.n = MODES, .solver = DAL_MODAL_DENSE, .axes = j->info.axes};
    dal_modal *modal = NULL;
    cli_diagram *d = cli_alloc(1, sizeof *d);
    CLI_CREATE(dal_modal, modal, CLI_INTEGRATION, j->m.ctx, j->m.sys, dal_sim_data(j->sim), &j->at, &opt);
    add_poles(d, modal);
    add_responses(d, j, modal);
    diagram_show(d, h);
}

void linearize_page(cli_linearize_job *j, const char *path)
{
    cli_html h = {0};
    const dal_page_spec spec = {.name = j->m.name, .title = dal_document_title(j->m.doc), .source = j->m.text};
    html_begin(&h, j->m.ctx, &spec);
    add_text(&h, j);
    if (j->info.n > 0) {
        add_charts(&h, j);
    }
    html_save(&h, path);
}
