/* Mode shapes as a film: each mode is a chapter of two seconds in which it swings twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/modes.h"

enum { PICTURES = 48 };
static const double seconds = 2.0, pause = 0.5; /* of a chapter; between two of them */

/* A length of the mechanism: the diagonal of a box around its bodies, or 1. */
static double size_of(const cli_modes_job *j, double *pose)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, sum = 0.0;
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
static dal_status pictures(cli_modes_job *j, dal_page *page, int k, double begin, double scale)
{
    const dal_group *G = j->m.sys->group;
    const double *shape = dal_modal_shape(j->modal, k);
    const int swings = dal_modal_mode(j->modal, k).im > 0.0;
    double *d = cli_alloc((size_t)G->nv + (size_t)G->nq, sizeof *d), *q = d + G->nv;
    dal_status st = DAL_OK;
    for (int i = 0; i <= PICTURES && st == DAL_OK; ++i) {
        const double phase = 2.0 * 6.283185307179586 * i / PICTURES;
        dal_point p = j->at;
        for (int e = 0; e < G->nv; ++e) { // a mode that does not swing is shown as a displacement that comes and goes
            d[e] = scale * (swings ? cos(phase) * shape[e] - sin(phase) * shape[G->nv + e] : sin(phase) * shape[e]);
        }
        dal_retract(G, q, j->at.q, d);
        p.q = q;
        p.t = begin + seconds * i / PICTURES;
        st = dal_page_frame(page, &p);
    }
    free(d);
    return st;
}

/* Does it grow, by more than rounding? */
static int unstable(dal_mode mode)
{
    return mode.re > 1e-7 * hypot(mode.re, mode.im);
}

static dal_status film(cli_modes_job *j, dal_page *page)
{
    double *pose = cli_alloc(7 * (size_t)j->shape.nbodies + 1, sizeof *pose);
    const double size = size_of(j, pose);
    dal_status st = DAL_OK;
    free(pose);
    for (int k = 0; k < j->info.n && st == DAL_OK; ++k) {
        const dal_mode mode = dal_modal_mode(j->modal, k);
        const double begin = k * (seconds + pause);
        char name[64], text[400];
        st = dal_shapes_mode(j->shapes, &j->shape, j->modal, k);
        if (st != DAL_OK) {
            break;
        }
        if (mode.rigid) {
            snprintf(name, sizeof name, "mode %d: rigid", k + 1);
        } else if (mode.im > 0.0) {
            snprintf(name, sizeof name, "mode %d: %.4g Hz, damping %.3g", k + 1, mode.frequency,
                     fabs(mode.damping) < 1e-12 ? 0.0 : mode.damping);
        } else {
            snprintf(name, sizeof name, "mode %d: %s %.4g 1/s", k + 1, mode.re < 0.0 ? "decay" : "growth",
                     fabs(mode.re));
        }
        st = pictures(j, page, k, begin, amplitude(&j->shape, size));
        st = st != DAL_OK ? st : dal_page_chapter(page, name, begin, begin + seconds);
        snprintf(text, sizeof text, "%s: %s", strchr(name, ':') + 2, j->shape.text);
        *strchr(name, ':') = '\0';
        st = st != DAL_OK ? st : dal_page_text(page, DAL_PAGE_SUMMARY, name, text, unstable(mode));
    }
    return st;
}

int modes_film(cli_modes_job *j, const char *path)
{
    dal_page *page = NULL;
    const dal_page_spec spec = {.name = j->m.name,
                                .title = "modes",
                                .source = j->m.text,
                                .model = j->m.model,
                                .data = dal_sim_data(j->sim),
                                .initial = &j->at};
    dal_status st = dal_page_create(&page, j->m.ctx, &spec);
    st = st != DAL_OK ? st : film(j, page);
    st = st != DAL_OK ? st : dal_page_write(page, path);
    dal_page_destroy(page);
    return st == DAL_OK ? CLI_OK : cli_error(CLI_IO, "%s", dal_ctx_message(j->m.ctx));
}
