/* Modes over a parameter: evaluation, tracking by shapes, crossings. */
#include "cli/campbell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between two values whose shapes are less alike than this a value is put in between, so many times in a row at most. */
static const double alike = 0.7;
enum { DEPTH = 5, STEPS = 60 };

/* ---- one value -------------------------------------------------------------------------------- */

void campbell_forget(cli_spectrum *s)
{
    dal_modal_destroy(s->modal);
    free(s->track);
    free(s->text);
    free(s->whirl);
    *s = (cli_spectrum){0};
}

static int describe(cli_spectrum *s, const cli_model *m, dal_sim *sim, const dal_point *at)
{
    cli_shape shape;
    dal_status st = DAL_OK;
    s->n = dal_modal_about(s->modal).n;
    s->track = cli_alloc((size_t)s->n, sizeof *s->track);
    s->text = cli_alloc((size_t)s->n, sizeof *s->text);
    s->whirl = cli_alloc((size_t)s->n, sizeof *s->whirl);
    shape_create(&shape, m);
    for (int k = 0; k < s->n && st == DAL_OK; ++k) {
        st = shape_of(&shape, m, dal_sim_data(sim), at, s->modal, k);
        snprintf(s->text[k], CAMPBELL_TEXT, "%.*s", CAMPBELL_TEXT - 1, shape.text);
        s->whirl[k] = shape.whirl;
    }
    shape_release(&shape);
    return st == DAL_OK ? CLI_OK : cli_error("campbell", CLI_INTEGRATION, "%s", dal_ctx_message(m->ctx));
}

/* Modes at the value p: the model is opened anew. */
int campbell_evaluate(cli_spectrum *s, cli_campbell *c, double p)
{
    const char *set[CLI_SETS];
    char assignment[128];
    cli_model m = {.files_outside = cli_given(c->args, "allow-files-outside")};
    dal_sim *sim = NULL;
    memcpy(set, c->args->set, sizeof set);
    snprintf(assignment, sizeof assignment, "%s=%.17g", c->name, p);
    set[c->set] = assignment;
    *s = (cli_spectrum){.p = p};
    c->opened++;
    int code = model_load(&m, "campbell", c->source, set, c->args->nset);
    code = code != CLI_OK ? code : about_start(&sim, &m, "campbell", cli_value(c->args, "about"));
    if (code == CLI_OK) {
        const dal_point at = about_point(sim);
        if (c->model == NULL) {
            c->model = cli_copy(m.name);
            about_note(&m, cli_value(c->args, "about"));
            about_kinks(&m, dal_sim_data(sim), &at);
        }
        code = dal_modal_create(&s->modal, c->ctx, m.sys, dal_sim_data(sim), &at, &c->opt) == DAL_OK
                   ? describe(s, &m, sim, &at)
                   : cli_error("campbell", CLI_INTEGRATION, "%s = %g: %s", c->name, p, dal_ctx_message(c->ctx));
    }
    dal_sim_destroy(sim);
    model_release(&m);
    return code;
}

/* ---- tracking --------------------------------------------------------------------------------- */

/* match[j]: the mode of `a` that became mode j of `b`. Where shapes change much, by way of values in between. */
static int follow(cli_campbell *c, const cli_spectrum *a, const cli_spectrum *b, int *match, int depth)
{
    double *mac = cli_alloc((size_t)b->n, sizeof *mac), worst = 1.0;
    int code = dal_modal_match(match, mac, a->modal, b->modal) == DAL_OK
                   ? CLI_OK
                   : cli_error("campbell", CLI_INTEGRATION, "%s", dal_ctx_message(c->ctx));
    for (int j = 0; j < b->n && code == CLI_OK; ++j) {
        worst = match[j] >= 0 && !dal_modal_mode(b->modal, j).rigid ? fmin(worst, mac[j]) : worst;
    }
    free(mac);
    if (code != CLI_OK || worst >= alike || depth == 0) {
        return code;
    }
    cli_spectrum mid;
    code = campbell_evaluate(&mid, c, 0.5 * (a->p + b->p));
    if (code == CLI_OK) {
        int *first = cli_alloc((size_t)mid.n, sizeof *first);
        code = follow(c, a, &mid, first, depth - 1);
        code = code != CLI_OK ? code : follow(c, &mid, b, match, depth - 1);
        for (int j = 0; j < b->n && code == CLI_OK; ++j) {
            match[j] = match[j] >= 0 ? first[match[j]] : -1;
        }
        free(first);
    }
    campbell_forget(&mid);
    return code;
}

static int track(cli_campbell *c, int i)
{
    cli_spectrum *s = &c->at[i];
    int *match = cli_alloc((size_t)s->n, sizeof *match), code = CLI_OK;
    if (i > 0) {
        code = follow(c, &c->at[i - 1], s, match, DEPTH);
    }
    for (int j = 0; j < s->n && code == CLI_OK; ++j) {
        const int before = i > 0 ? match[j] : -1, rigid = dal_modal_mode(s->modal, j).rigid;
        const int known = before >= 0 ? c->at[i - 1].track[before] : -1;
        s->track[j] = rigid ? -1 : known >= 0 ? known : c->ntracks++;
    }
    free(match);
    return code;
}

int campbell_mode(const cli_campbell *c, int i, int number)
{
    for (int j = 0; j < c->at[i].n; ++j) {
        if (c->at[i].track[j] == number) {
            return j;
        }
    }
    return -1;
}

/* ---- crossings -------------------------------------------------------------------------------- */

/* What crosses zero: frequency against an order line, or growth. */
static double level(const cli_campbell *c, const cli_spectrum *s, int j, double order)
{
    const dal_mode m = dal_modal_mode(s->modal, j);
    return order > 0.0 ? m.im - order * c->unit * s->p : m.re;
}

void campbell_add(cli_campbell *c, cli_crossing x)
{
    if (c->ncrossings == c->capacity) {
        c->capacity = c->capacity == 0 ? 16 : 2 * c->capacity;
        cli_crossing *more = cli_alloc((size_t)c->capacity, sizeof *more);
        if (c->ncrossings > 0) {
            memcpy(more, c->crossing, (size_t)c->ncrossings * sizeof *more);
        }
        free(c->crossing);
        c->crossing = more;
    }
    c->crossing[c->ncrossings++] = x;
}

/* The mode at a value that mode j of `from` has become; -1: none, or the evaluation failed. */
static int become(cli_campbell *c, const cli_spectrum *from, int j, cli_spectrum *to, double p)
{
    int found = -1;
    if (campbell_evaluate(to, c, p) != CLI_OK) {
        return -1;
    }
    int *match = cli_alloc((size_t)to->n, sizeof *match);
    if (follow(c, from, to, match, 1) == CLI_OK) {
        for (int k = 0; k < to->n; ++k) {
            found = match[k] == j ? k : found;
        }
    }
    free(match);
    return found;
}

/* Between two values with opposite signs: regula falsi, a side that stays being weighed down (Illinois). */
static void locate(cli_campbell *c, int i, int ja, int jb, double order)
{
    const cli_spectrum *a = &c->at[i], *b = &c->at[i + 1];
    double pa = a->p, pb = b->p, fa = level(c, a, ja, order), fb = level(c, b, jb, order);
    double frequency = dal_modal_mode(b->modal, jb).frequency, p = pb;
    const double tol = 1e-13 * fmax(fabs(pa), fabs(pb));
    const double most = fmax(fabs(fa), fabs(fb));
    int last = 0, found = 1;
    for (int k = 0; k < STEPS && fabs(pb - pa) > tol; ++k) {
        cli_spectrum mid;
        p = (pa * fb - pb * fa) / (fb - fa);
        const int j = become(c, a, ja, &mid, p);
        const double f = j >= 0 ? level(c, &mid, j, order) : 0.0;
        frequency = j >= 0 ? dal_modal_mode(mid.modal, j).frequency : frequency;
        const int zero =
            j < 0 && mid.modal != NULL && dal_modal_about(mid.modal).zeros > dal_modal_about(a->modal).zeros;
        campbell_forget(&mid);
        found = order > 0.0 || zero || (j >= 0 && fabs(f) < 1e-3 * most); // a growth that jumps is that of another mode
        if (f == 0.0) {
            break;
        }
        if ((f > 0.0) == (fa > 0.0)) {
            pa = p;
            fa = f;
            fb = last == 1 ? 0.5 * fb : fb;
            last = 1;
        } else {
            const double moved = fabs(p - pb);
            pb = p;
            fb = f;
            fa = last == 2 ? 0.5 * fa : fa;
            last = 2;
            if (moved < tol) {
                break;
            }
        }
    }
    if (found) {
        campbell_add(c, (cli_crossing){.p = p, .frequency = frequency, .track = a->track[ja], .order = order});
    }
}

/* Is the sign of the growth more than rounding? */
static int sure(const cli_spectrum *s, int j)
{
    const dal_mode m = dal_modal_mode(s->modal, j);
    return fabs(m.re) > 1e-9 * hypot(m.re, m.im);
}

static void find_crossings(cli_campbell *c)
{
    for (int i = 0; i + 1 < c->n; ++i) {
        const cli_spectrum *a = &c->at[i], *b = &c->at[i + 1];
        for (int ja = 0; ja < a->n; ++ja) {
            const int jb = a->track[ja] >= 0 ? campbell_mode(c, i + 1, a->track[ja]) : -1;
            if (jb < 0) {
                continue;
            }
            if (sure(a, ja) && sure(b, jb) && level(c, a, ja, 0.0) * level(c, b, jb, 0.0) < 0.0) {
                locate(c, i, ja, jb, 0.0);
            }
            const int swings = dal_modal_mode(a->modal, ja).im > 0.0 && dal_modal_mode(b->modal, jb).im > 0.0;
            for (int k = 0; k < c->norders && swings; ++k) {
                const double fa = level(c, a, ja, c->order[k]), fb = level(c, b, jb, c->order[k]);
                if (fa * fb < 0.0 || fb == 0.0) {
                    locate(c, i, ja, jb, c->order[k]);
                }
            }
        }
        campbell_limits(c, i);
    }
}

int campbell_run(cli_campbell *c)
{
    int code = CLI_OK;
    for (int i = 0; i < c->n && code == CLI_OK; ++i) {
        code = campbell_evaluate(&c->at[i], c, c->at[i].p);
        code = code != CLI_OK ? code : track(c, i);
    }
    if (code == CLI_OK) {
        find_crossings(c);
    }
    return code;
}

void campbell_release(cli_campbell *c)
{
    for (int i = 0; i < c->n && c->at != NULL; ++i) {
        campbell_forget(&c->at[i]);
    }
    free(c->at);
    free(c->crossing);
    free(c->model);
    dal_ctx_destroy(c->ctx);
    *c = (cli_campbell){0};
}
