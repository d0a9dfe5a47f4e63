/* Mode shapes as a film: each mode is a chapter of two seconds in which it swings twice. */
#include <math.h>

#include "cli/modes.h"

enum { PICTURES = 48 };
static const double seconds = 2.0, pause = 0.5; /* of a chapter; between two of them */

/* A length of the mechanism: the diagonal of a box around its bodies, or 1. */
static double size_of(const cli_modes_job *j)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0.0;
    double *pose = cli_alloc(7 * (size_t)j->shape.nbodies + 1, sizeof *pose);
    if (dal_model_poses(j->m.model, dal_sim_data(j->sim), pose, &j->at) != DAL_OK) {
        return 1.0;
    }
    for (int b = 0; b < j->shape.nbodies; ++b) {
        for (int i = 0; i < 3; ++i) {
            low[i] = fmin(low[i], pose[7 * b + i]);
            high[i] = fmax(high[i], pose[7 * b + i]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        sum += (high[i] - low[i]) * (high[i] - low[i]);
    }
    return sum > 0.0 && isfinite(sum) ? sqrt(sum) : 1.0;
}

/* How much of the shape is shown: a tenth of the mechanism, or 0.4 radians. */
static double amplitude(const dal_mode_shape *s, double size)
{
    double moved = 0.0, turned = 0.0;
    for (int b = 1; b <= s->nbodies; ++b) {
        for (int i = 0; i < 3; ++i) {
            moved = fmax(moved, hypot(s->body[b].translation[0][i], s->body[b].translation[1][i]));
            turned = fmax(turned, hypot(s->body[b].rotation[0][i], s->body[b].rotation[1][i]));
        }
    }
    return 1.0 / fmax(fmax(moved / (0.1 * size), turned / 0.4), 1e-12);
}

/* The pictures of mode k from the time `begin` on. */
static void pictures(const cli_modes_job *j, cli_html *h, int k, double begin, double scale)
{
    const dal_group *G = j->m.sys->group;
    const double *shape = dal_modal_shape(j->modal, k);
    const int swings = dal_modal_mode(j->modal, k).im > 0.0;
    double *d = cli_alloc((size_t)G->nv + (size_t)G->nq, sizeof *d), *q = d + G->nv;
    for (int i = 0; i <= PICTURES; ++i) {
        const double phase = 2.0 * 6.283185307179586 * i / PICTURES;
        dal_point p = j->at;
        for (int e = 0; e < G->nv; ++e) { // a mode that does not swing is shown as a displacement that comes and goes
            d[e] = scale * (swings ? cos(phase) * shape[e] - sin(phase) * shape[G->nv + e] : sin(phase) * shape[e]);
        }
        dal_retract(G, q, j->at.q, d);
        p.q = q;
        p.t = begin + seconds * i / PICTURES;
        cli_try(h->ctx, dal_page_frame(h->page, &p), CLI_IO);
    }
}

static const char *words(dal_mode mode)
{
    return mode.rigid ? "rigid"
           : mode.im > 0.0
               ? cli_text("%.4g Hz, damping %.3g", mode.frequency, fabs(mode.damping) < 1e-12 ? 0.0 : mode.damping)
               : cli_text("%s %.4g 1/s", mode.re < 0.0 ? "decay" : "growth", fabs(mode.re));
}

void modes_film(cli_modes_job *j, const char *path)
{
    cli_html h = {0};
    const dal_page_spec spec = {.name = j->m.name,
                                .title = "modes",
                                .source = j->m.text,
                                .model = j->m.model,
                                .data = dal_sim_data(j->sim),
                                .initial = &j->at};
    html_begin(&h, j->m.ctx, &spec);
    const double size = size_of(j);
    for (int k = 0; k < j->info.n; ++k) {
        const dal_mode mode = dal_modal_mode(j->modal, k);
        const double begin = k * (seconds + pause);
        const char *name = cli_text("mode %d", k + 1), *text = words(mode);
        cli_try(h.ctx, dal_shapes_mode(j->shapes, &j->shape, j->modal, k), CLI_IO);
        pictures(j, &h, k, begin, amplitude(&j->shape, size));
        cli_try(h.ctx, dal_page_chapter(h.page, cli_text("%s: %s", name, text), begin, begin + seconds), CLI_IO);
        html_say(&h, DAL_PAGE_SUMMARY, modes_grows(mode), name, cli_text("%s: %s", text, j->shape.text));
    }
    html_save(&h, path);
}
