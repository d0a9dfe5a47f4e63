/* Modes over a parameter: evaluation, tracking by shapes, crossings. */
#include <math.h>
#include <string.h>

#include "analysis/campbell_impl.h"
#include "base/memory.h"
#include "base/message.h"

/* Between two values whose shapes are less alike than this a value is put in between, so many times in a row at most. */
static const double alike = 0.7;
/* Those that are less alike even then are two modes. */
static const double unlike = 0.1;
enum { DEPTH = 5, STEPS = 60 };

static dal_status no_memory(dal_ctx *ctx)
{
    return dal_fail(ctx, DAL_ENOMEM, "out of memory for modes over a parameter");
}

/* ---- one value -------------------------------------------------------------------------------- */

void dal_campbell_forget(dal_campbell *c, cb_spectrum *s)
{
    dal_modal_destroy(s->modal);
    dal_free(c->ctx, s->track);
    *s = (cb_spectrum){0};
}

dal_status dal_campbell_evaluate(dal_campbell *c, cb_spectrum *s, double p, int i)
{
    *s = (cb_spectrum){.p = p};
    DAL_TRY(c->spec.modes(&s->modal, p, i, c->spec.user));
    s->n = dal_modal_about(s->modal).n;
    s->track = i >= 0 ? dal_alloc_zero(c->ctx, (size_t)s->n * sizeof *s->track) : NULL;
    return i >= 0 && s->track == NULL ? no_memory(c->ctx) : DAL_OK;
}

/* ---- tracking --------------------------------------------------------------------------------- */

static dal_status follow(dal_campbell *c, const cb_spectrum *a, const cb_spectrum *b, int *match, int depth);

/* The same by way of a value in between. */
static dal_status follow_halfway(dal_campbell *c, const cb_spectrum *a, const cb_spectrum *b, int *match, int depth)
{
    cb_spectrum mid;
    dal_status st = dal_campbell_evaluate(c, &mid, 0.5 * (a->p + b->p), -1);
    if (st == DAL_OK) {
        int *first = dal_alloc_zero(c->ctx, (size_t)mid.n * sizeof *first);
        st = first != NULL ? follow(c, a, &mid, first, depth - 1) : no_memory(c->ctx);
        st = st == DAL_OK ? follow(c, &mid, b, match, depth - 1) : st;
        for (int j = 0; j < b->n && st == DAL_OK && first != NULL; ++j) {
            match[j] = match[j] >= 0 ? first[match[j]] : -1;
        }
        dal_free(c->ctx, first);
    }
    dal_campbell_forget(c, &mid);
    return st;
}

/* match[j]: the mode of `a` that became mode j of `b`. Where shapes change much, by way of values in between. */
static dal_status follow(dal_campbell *c, const cb_spectrum *a, const cb_spectrum *b, int *match, int depth)
{
    double *mac = dal_alloc_zero(c->ctx, (size_t)b->n * sizeof *mac), worst = 1.0;
    const dal_status st = mac != NULL ? dal_modal_match(match, mac, a->modal, b->modal) : no_memory(c->ctx);
    for (int j = 0; j < b->n && st == DAL_OK && mac != NULL; ++j) {
        worst = match[j] >= 0 && !dal_modal_mode(b->modal, j).rigid ? fmin(worst, mac[j]) : worst;
        // the lowest ones: where a frequency leaves them, another one comes in, which is only as near
        match[j] = depth == 0 && mac[j] < unlike && !dal_modal_mode(b->modal, j).rigid ? -1 : match[j];
    }
    dal_free(c->ctx, mac);
    return st != DAL_OK || worst >= alike || depth == 0 ? st : follow_halfway(c, a, b, match, depth);
}

static dal_status track(dal_campbell *c, int i)
{
    cb_spectrum *s = &c->at[i];
    int *match = dal_alloc_zero(c->ctx, (size_t)s->n * sizeof *match);
    dal_status st = match == NULL ? no_memory(c->ctx) : i > 0 ? follow(c, s - 1, s, match, DEPTH) : DAL_OK;
    for (int j = 0; j < s->n && st == DAL_OK && match != NULL; ++j) {
        const int before = i > 0 ? match[j] : -1, rigid = dal_modal_mode(s->modal, j).rigid;
        const int known = before >= 0 ? c->at[i - 1].track[before] : -1;
        s->track[j] = rigid ? -1 : known >= 0 ? known : c->ntracks++;
    }
    dal_free(c->ctx, match);
    return st;
}

int dal_campbell_mode(const dal_campbell *c, int i, int number)
{
    const cb_spectrum *s = c != NULL && i >= 0 && i < c->spec.n ? &c->at[i] : &(const cb_spectrum){0};
    int j = 0;
    while (j < s->n && s->track[j] != number) {
        ++j;
    }
    return j < s->n ? j : -1;
}

void dal_campbell_branch(const dal_campbell *c, double *x, int track, dal_branch_number what)
{
    for (int i = 0; c != NULL && x != NULL && i < c->spec.n; ++i) {
        const int k = dal_campbell_mode(c, i, track);
        const dal_mode m =
            k >= 0 ? dal_modal_mode(c->at[i].modal, k) : (dal_mode){.re = NAN, .im = NAN, .frequency = NAN};
        const double number[DAL_BRANCH_NUMBERS] = {m.re, m.im, m.frequency, m.im > 0.0 ? m.frequency : NAN,
                                                   k >= 0 ? dal_mode_growth(m) : NAN};
        x[i] = what >= 0 && what < DAL_BRANCH_NUMBERS ? number[what] : NAN;
    }
}

double dal_campbell_growth(const dal_campbell *c, int i)
{
    double most = -INFINITY;
    for (int t = 0; c != NULL && t < dal_campbell_about(c).ntracks; ++t) {
        const int k = dal_campbell_mode(c, i, t);
        most = k >= 0 ? fmax(most, dal_mode_growth(dal_modal_mode(c->at[i].modal, k))) : most;
    }
    return most > -INFINITY ? most : 0.0;
}

/* ---- crossings -------------------------------------------------------------------------------- */

/* What crosses zero: frequency against an order line, or growth. */
static double level(const dal_campbell *c, const cb_spectrum *s, int j, double order)
{
    const dal_mode m = dal_modal_mode(s->modal, j);
    return order > 0.0 ? m.im - order * c->spec.unit * s->p : m.re;
}

dal_status dal_campbell_add(dal_campbell *c, dal_crossing x)
{
    if (c->ncrossings == c->room) {
        const int room = 2 * c->room + 16;
        dal_crossing *more = dal_alloc_zero(c->ctx, (size_t)room * sizeof *more);
        if (more == NULL) {
            return no_memory(c->ctx);
        }
        if (c->ncrossings > 0) {
            memcpy(more, c->crossing, (size_t)c->ncrossings * sizeof *more);
        }
        dal_free(c->ctx, c->crossing);
        c->crossing = more;
        c->room = room;
    }
    c->crossing[c->ncrossings++] = x;
    return DAL_OK;
}

/* The mode at the value p that mode j of `from` has become; -1: none, or the evaluation failed. */
static int become(dal_campbell *c, const cb_spectrum *from, int j, cb_spectrum *to, double p)
{
    int found = -1;
    if (dal_campbell_evaluate(c, to, p, -1) != DAL_OK) {
        return -1;
    }
    int *match = dal_alloc_zero(c->ctx, (size_t)to->n * sizeof *match);
    if (match != NULL && follow(c, from, to, match, 1) == DAL_OK) {
        for (int k = 0; k < to->n; ++k) {
            found = match[k] == j ? k : found;
        }
    }
    dal_free(c->ctx, match);
    return found;
}

/* Between two values with opposite signs: regula falsi, a side that stays being weighed down (Illinois). */
static dal_status locate(dal_campbell *c, int i, int ja, int jb, double order)
{
    const cb_spectrum *a = &c->at[i], *b = &c->at[i + 1];
    double pa = a->p, pb = b->p, fa = level(c, a, ja, order), fb = level(c, b, jb, order);
    double frequency = dal_modal_mode(b->modal, jb).frequency, p = pb;
    const double tol = 1e-13 * fmax(fabs(pa), fabs(pb)), most = fmax(fabs(fa), fabs(fb));
    int last = 0, found = 1;
    for (int k = 0; k < STEPS && fabs(pb - pa) > tol; ++k) {
        cb_spectrum mid;
        p = (pa * fb - pb * fa) / (fb - fa);
        const int j = become(c, a, ja, &mid, p);
        const double f = j >= 0 ? level(c, &mid, j, order) : 0.0;
        frequency = j >= 0 ? dal_modal_mode(mid.modal, j).frequency : frequency;
        const int zero =
            j < 0 && mid.modal != NULL && dal_modal_about(mid.modal).zeros > dal_modal_about(a->modal).zeros;
        dal_campbell_forget(c, &mid);
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
    const dal_crossing x = {.p = p, .frequency = frequency, .track = a->track[ja], .order = order};
    return found ? dal_campbell_add(c, x) : DAL_OK;
}

/* Is the sign of the growth more than rounding? */
static int sure(const cb_spectrum *s, int j)
{
    return dal_mode_growth(dal_modal_mode(s->modal, j)) != 0.0;
}

/* Crossings of mode ja at the value i, which is mode jb at the next one. */
static dal_status find_crossings(dal_campbell *c, int i, int ja, int jb)
{
    const cb_spectrum *a = &c->at[i], *b = &c->at[i + 1];
    if (sure(a, ja) && sure(b, jb) && level(c, a, ja, 0.0) * level(c, b, jb, 0.0) < 0.0) {
        DAL_TRY(locate(c, i, ja, jb, 0.0));
    }
    const int swings = dal_modal_mode(a->modal, ja).im > 0.0 && dal_modal_mode(b->modal, jb).im > 0.0;
    for (int k = 0; k < c->spec.norders && swings; ++k) {
        const double order = c->spec.order[k], fa = level(c, a, ja, order), fb = level(c, b, jb, order);
        if (fa * fb < 0.0 || fb == 0.0) {
            DAL_TRY(locate(c, i, ja, jb, order));
        }
    }
    return DAL_OK;
}

/* ---- the whole -------------------------------------------------------------------------------- */

/* Between value i and the next. */
static dal_status look_between(dal_campbell *c, int i)
{
    dal_status st = DAL_OK;
    for (int ja = 0; ja < c->at[i].n && st == DAL_OK; ++ja) {
        const int number = c->at[i].track[ja], jb = number >= 0 ? dal_campbell_mode(c, i + 1, number) : -1;
        st = jb >= 0 ? find_crossings(c, i, ja, jb) : DAL_OK;
    }
    return st == DAL_OK ? dal_campbell_limits(c, i) : st;
}

static dal_status run(dal_campbell *c)
{
    for (int i = 0; i < c->spec.n; ++i) {
        DAL_TRY(dal_campbell_evaluate(c, &c->at[i], c->spec.p[i], i));
        DAL_TRY(track(c, i));
    }
    for (int i = 0; i + 1 < c->spec.n; ++i) {
        DAL_TRY(look_between(c, i));
    }
    return DAL_OK;
}

dal_status dal_campbell_create_(dal_campbell **out, dal_ctx *ctx, const dal_campbell_spec *spec, size_t size)
{
    DAL_NEED(ctx, ctx);
    DAL_NEED(ctx, out);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_campbell_spec, spec);
    *out = NULL;
    DAL_NEED(ctx, spec->p);
    DAL_NEED(ctx, spec->modes);
    dal_campbell *c = dal_alloc_zero(ctx, sizeof *c);
    if (c == NULL) {
        return no_memory(ctx);
    }
    dal_message before;
    const unsigned long refused = dal_alloc_refused(ctx);
    dal_message_keep(&before, ctx);
    *c = (dal_campbell){.ctx = ctx, .spec = *spec};
    c->at = dal_alloc_zero(ctx, (size_t)spec->n * sizeof *c->at);
    dal_status st = c->at != NULL ? run(c) : no_memory(ctx);
    st = st == DAL_OK && dal_alloc_refused(ctx) != refused ? no_memory(ctx) : st; // in between it goes on without
    st = dal_message_settle(&before, ctx, st);
    if (st != DAL_OK) {
        dal_campbell_destroy(c);
        return st;
    }
    *out = c;
    return DAL_OK;
}

void dal_campbell_destroy(dal_campbell *c)
{
    if (c == NULL) {
        return;
    }
    for (int i = 0; i < c->spec.n && c->at != NULL; ++i) {
        dal_campbell_forget(c, &c->at[i]);
    }
    dal_free(c->ctx, c->at);
    dal_free(c->ctx, c->crossing);
    dal_free(c->ctx, c);
}

dal_campbell_info dal_campbell_about(const dal_campbell *c)
{
    return c != NULL ? (dal_campbell_info){c->ntracks, c->ncrossings, c->crossing} : (dal_campbell_info){0};
}

const dal_modal *dal_campbell_modal(const dal_campbell *c, int i)
{
    return c != NULL && i >= 0 && i < c->spec.n ? c->at[i].modal : NULL;
}

double dal_mode_growth(dal_mode m)
{
    return fabs(m.re) > 1e-9 * hypot(m.re, m.im) ? m.re : 0.0;
}
