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
            t->x[t->n] = m.re;
            t->y[t->n] = s == 0 ? m.im : -m.im;
            snprintf(t->label[t->n++], DIAGRAM_LABEL, "%.8g %s %.8gi rad/s: %.6g Hz, damping %.4g", m.re,
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
static void unit_of(char unit[64], const char *output, const char *input)
{
    const char *above = output[0] != '\0' ? output : "1";
    if (strcmp(input, "1") == 0) {
        snprintf(unit, 64, "%.30s", above);
    } else {
        snprintf(unit, 64, strchr(input, ' ') ? "%.30s/(%.20s)" : "%.30s/%.20s", above, input);
    }
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
        char unit[64];
        unit_of(unit, port.unit, dal_ports_input(j->ports, k).unit);
        cli_trace *t = diagram_trace(c, DAL_PAGE_LINE, r->n, phase ? "degrees" : unit, "%s", port.name);
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
    free(r.f);
    free(r.size);
    free(G);
}

/* ---- text ------------------------------------------------------------------------------------- */

static dal_status say_sparse(dal_page *page, const char *name, const dal_triplets *T)
{
    char text[DIAGRAM_LABEL];
    snprintf(text, sizeof text, "%d x %d, %d entries", T->nrows, T->ncols, T->n);
    return dal_page_text(page, DAL_PAGE_SUMMARY, name, text, 0);
}

static dal_status say_dense(dal_page *page, const char *name, int rows, int cols)
{
    char text[DIAGRAM_LABEL];
    snprintf(text, sizeof text, "%d x %d", rows, cols);
    return dal_page_text(page, DAL_PAGE_SUMMARY, name, text, 0);
}

static dal_status add_text(dal_page *page, const cli_linearize_job *j)
{
    const dal_linear_info *i = &j->info;
    char text[400];
    snprintf(text, sizeof text, "%s at t = %g, %s axes", linearize_about(i), j->at.t, linearize_axes(i));
    DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, "about", text, 0));
    if (i->steady == DAL_STEADINESS_FROZEN) {
        DAL_TRY(dal_page_text(page, DAL_PAGE_WARNINGS, NULL, text, 0));
    }
    if (i->n > 0) {
        snprintf(text, sizeof text, "%d states, %d of positions and %d of velocities", i->n, i->positions,
                 i->velocities);
        DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, "minimal form", text, 1));
        DAL_TRY(say_dense(page, "A", i->n, i->n));
        DAL_TRY(say_dense(page, i->rates ? "B, B_rate, B_acceleration" : "B", i->n, i->ninputs));
        DAL_TRY(say_dense(page, "C", i->noutputs, i->n));
        DAL_TRY(say_dense(page, i->rates ? "D, D_rate, D_acceleration" : "D", i->noutputs, i->ninputs));
    } else {
        DAL_TRY(dal_page_text(page, DAL_PAGE_WARNINGS, NULL,
                              "no minimal form, poles and transfer functions: more than 600 velocities", 0));
    }
    snprintf(text, sizeof text, "%d unknowns, %d of them multipliers", i->E.ncols, i->rows);
    DAL_TRY(dal_page_text(page, DAL_PAGE_SUMMARY, "descriptor form", text, 1));
    DAL_TRY(say_sparse(page, "E", &i->E));
    DAL_TRY(say_sparse(page, "A (descriptor)", &i->Ad));
    DAL_TRY(say_sparse(page, "B (descriptor)", &i->Bd));
    DAL_TRY(say_sparse(page, "C (descriptor)", &i->Cd));
    return say_sparse(page, "D (descriptor)", &i->Dd);
}

static dal_status add_charts(dal_page *page, cli_linearize_job *j)
{
    const dal_modal_options opt = {.n = MODES, .solver = DAL_MODAL_DENSE, .axes = j->info.axes};
    dal_modal *modal = NULL;
    cli_diagram *d = cli_alloc(1, sizeof *d);
    dal_status st = dal_modal_create(&modal, j->m.ctx, j->m.sys, dal_sim_data(j->sim), &j->at, &opt);
    if (st == DAL_OK) {
        add_poles(d, modal);
        add_responses(d, j, modal);
        st = diagram_show(d, page);
    }
    diagram_release(d);
    free(d);
    dal_modal_destroy(modal);
    return st;
}

int linearize_page(cli_linearize_job *j, const char *path)
{
    const dal_page_spec spec = {.name = j->m.name, .title = dal_document_title(j->m.doc), .source = j->m.text};
    dal_page *page = NULL;
    dal_status st = dal_page_create(&page, j->m.ctx, &spec);
    st = st != DAL_OK ? st : add_text(page, j);
    st = st == DAL_OK && j->info.n > 0 ? add_charts(page, j) : st;
    st = st != DAL_OK ? st : dal_page_write(page, path);
    dal_page_destroy(page);
    return st == DAL_OK ? CLI_OK : cli_error(st == DAL_EIO ? CLI_IO : CLI_INTEGRATION, "%s", dal_ctx_message(j->m.ctx));
}
