/* Limits of stability over a parameter, by the growths of all modes in order of size: they change continuously even where
 * roots meet, so that no mode has to be followed. */
#include <math.h>

#include "analysis/campbell_impl.h"
#include "base/memory.h"

/* A growth relative to |s| counts as one above the first; a limit of motion without damping is where it passes the second.
 * Modes far slower than the fastest one are measured by a share of that one. */
static const double grows = 1e-7, begins = 1e-8, slowest = 1e-3;
/* Between values found so close together, relative to the step of the parameter, there is one limit. */
static const double same = 1e-6;
/* A growth that jumps belongs to a mode that entered the list: what is left of it at a limit is less than this share. */
static const double left = 1e-3;
enum { STEPS = 100 };

/* Size by which the growth of a mode is measured. */
static double size_of(const dal_modal *modal, dal_mode m)
{
    return fmax(hypot(m.re, m.im), slowest * dal_modal_about(modal).highest);
}

int dal_modal_growing(const dal_modal *modal)
{
    int n = 0;
    for (int j = 0; j < dal_modal_about(modal).n; ++j) {
        const dal_mode m = dal_modal_mode(modal, j);
        n += !m.rigid && m.re > grows * size_of(modal, m) ? 1 + (m.im > 0.0) : 0;
    }
    return n;
}

/* The mode whose eigenvalue has the growth number k, from the largest down, pairs counting twice; -1: it is zero. So many
 * zeros are left out, those that are there at any value of the parameter. */
static int ranked(const cb_spectrum *s, int k, int zeros)
{
    const int more = dal_modal_about(s->modal).zeros - zeros;
    for (int j = 0; j < s->n; ++j) {
        const dal_mode m = dal_modal_mode(s->modal, j);
        int ahead = m.re < 0.0 ? more : 0;
        for (int i = 0; i < s->n; ++i) {
            const dal_mode o = dal_modal_mode(s->modal, i);
            if (!o.rigid && (o.re > m.re || (o.re == m.re && i < j))) {
                ahead += 1 + (o.im > 0.0);
            }
        }
        if (!m.rigid && ahead <= k && k <= ahead + (m.im > 0.0)) {
            return j;
        }
    }
    return -1;
}

/* What is looked for: the growth number k is zero, or begins. */
typedef struct limit {
    int k, zeros;
    int neutral; /* on one side there is neither growth nor decay */
} limit;

/* The growth number k, relative to its mode where that counts, and the mode. */
static double growth(const cb_spectrum *s, const limit *l, int *mode)
{
    const int j = ranked(s, l->k, l->zeros);
    const dal_mode m = j >= 0 ? dal_modal_mode(s->modal, j) : (dal_mode){0};
    *mode = j;
    return l->neutral ? m.re - begins * size_of(s->modal, m) : m.re;
}

/* Is the growth number k at this value surely a decay? */
static int decays(const cb_spectrum *s, const limit *l)
{
    const int j = ranked(s, l->k, l->zeros);
    const dal_mode m = j >= 0 ? dal_modal_mode(s->modal, j) : (dal_mode){0};
    return m.re < -grows * size_of(s->modal, m);
}

/* The track of mode j at a value in between, from the side where it grows. */
static int track_of(const dal_campbell *c, const cb_spectrum *side, const limit *l, const cb_spectrum *s, int j)
{
    int *match = dal_alloc_zero(c->ctx, (size_t)s->n * sizeof *match);
    int from = j >= 0 && match != NULL && dal_modal_match(match, NULL, side->modal, s->modal) == DAL_OK ? match[j] : -1;
    dal_free(c->ctx, match);
    from = from >= 0 && side->track[from] >= 0 ? from : ranked(side, l->k, l->zeros);
    return from >= 0 ? side->track[from] : -1;
}

/* Regula falsi (Illinois) with a bisection as every third step; bisection alone from a neutral side. Returns whether there
 * is a limit. */
static int locate(dal_campbell *c, const cb_spectrum *a, const cb_spectrum *b, const limit *l, dal_crossing *x)
{
    int mode, last = 0;
    double pa = a->p, pb = b->p, fa = growth(a, l, &mode), fb = growth(b, l, &mode), f = INFINITY;
    const double most = fmax(fabs(fa), fabs(fb)), tol = 1e-14 * fmax(fabs(pa), fabs(pb));
    const cb_spectrum *side = fa > 0.0 ? a : b;
    for (int k = 0; k < STEPS && fabs(pb - pa) > tol && f != 0.0; ++k) {
        const int halve = l->neutral || k % 3 == 2;
        const double p = halve ? 0.5 * (pa + pb) : (pa * fb - pb * fa) / (fb - fa);
        const double moved = fmin(fabs(p - pa), fabs(p - pb));
        cb_spectrum mid;
        if (dal_campbell_evaluate(c, &mid, p, -1) != DAL_OK) {
            dal_campbell_forget(c, &mid);
            return 0;
        }
        f = growth(&mid, l, &mode);
        x->p = p;
        if (f >= 0.0 || x->track < 0) {
            x->frequency = mode >= 0 ? dal_modal_mode(mid.modal, mode).frequency : 0.0;
            x->track = track_of(c, side, l, &mid, mode);
        }
        dal_campbell_forget(c, &mid);
        const int first = (f > 0.0) == (fa > 0.0), again = !halve && last == (first ? 1 : 2);
        fa = first ? f : again ? 0.5 * fa : fa;
        fb = !first ? f : again ? 0.5 * fb : fb;
        pa = first ? p : pa;
        pb = first ? pb : p;
        last = first ? 1 : 2;
        if (moved < tol) {
            break;
        }
    }
    return fabs(f) <= left * most && x->track >= 0;
}

static int known(const dal_campbell *c, double p, double step)
{
    for (int k = 0; k < c->ncrossings; ++k) {
        if (c->crossing[k].order == 0.0 && fabs(c->crossing[k].p - p) <= same * step) {
            return 1;
        }
    }
    return 0;
}

static int zeros_of(const cb_spectrum *s)
{
    return dal_modal_about(s->modal).zeros;
}

dal_status dal_campbell_limits(dal_campbell *c, int i)
{
    const int na = dal_modal_growing(c->at[i].modal), nb = dal_modal_growing(c->at[i + 1].modal),
              more = na > nb ? na : nb;
    const double step = fabs(c->at[i + 1].p - c->at[i].p);
    for (int k = na < nb ? na : nb; k < more; ++k) {
        int ia = i, ib = i + 1;
        const int za = zeros_of(&c->at[ia]), zb = zeros_of(&c->at[ib]);
        limit l = {.k = k, .zeros = za < zb ? za : zb};
        l.neutral = !decays(&c->at[na < nb ? ia : ib], &l);
        if (l.neutral && na < nb && i > 0 && decays(&c->at[i - 1], &l)) { // the limit is at a value of the grid
            ia = i - 1;
            l.neutral = 0;
        } else if (l.neutral && na > nb && i + 2 < c->spec.n && decays(&c->at[i + 2], &l)) {
            ib = i + 2;
            l.neutral = 0;
        }
        dal_crossing x = {.track = -1};
        if (locate(c, &c->at[ia], &c->at[ib], &l, &x) && !known(c, x.p, step)) {
            for (int j = i; j <= i + 1; ++j) {
                x.p = fabs(x.p - c->at[j].p) <= same * step ? c->at[j].p : x.p;
            }
            DAL_TRY(dal_campbell_add(c, x));
        }
    }
    return DAL_OK;
}
