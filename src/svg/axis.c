/* Ranges and ticks. Linear axes: multiples of 1, 2 or 5 times a power of ten; where the numbers would need many digits, an
 * offset and a common factor are taken out of them. Logarithmic axes: powers of ten, with 2 and 5 between few of them. */
#include <math.h>
#include <string.h>

#include "svg/svg_impl.h"

static const double smallest = 1e-290, largest = 1e305; /* of what can be scaled */

/* The smallest of 1, 2, 5 times a power of ten that is at least x > 0; *e: the power. */
static double round_up(double x, int *e)
{
    *e = (int)floor(log10(x));
    for (;; ++*e) {
        for (int k = 0; k < 3; ++k) {
            const double step = (k == 0 ? 1.0 : k == 1 ? 2.0 : 5.0) * pow(10.0, *e);
            if (step >= x * (1.0 - 1e-9)) {
                return step;
            }
        }
    }
}

/* A number with a sign of its proper width. */
static void number(char *text, size_t size, double x, int decimals)
{
    char plain[64];
    snprintf(plain, sizeof plain, "%.*f", decimals, fabs(x));
    const int zero = strspn(plain, "0.") == strlen(plain);
    snprintf(text, size, "%s%.20s", x < 0.0 && !zero ? "\xe2\x88\x92" : "", plain);
}

/* Without zeros at the end of a fraction. */
static void trim(char *text)
{
    for (size_t n = strlen(text); strchr(text, '.') != NULL && (text[n - 1] == '0' || text[n - 1] == '.');) {
        text[--n] = '\0';
    }
}

/* Ticks are k * step, k = first .. last; an offset of m * unit is taken from the numbers. */
static void label_linear(axis *s, double step, int e, double first, double last)
{
    const double top = fmax(fabs(first), fabs(last)) * step, span = (last - first) * step;
    double minus = 0.0, shown = top;
    s->offset[0] = '\0';
    s->factor = 0;
    if (top > 0.0 && floor(log10(top) + 1e-9) - e + 1.0 > 5.0) {
        const int u = (int)ceil(log10(fmax(span, step)) - 1e-9);
        const double unit = pow(10.0, u), m = floor(first * step / unit + 1e-9);
        minus = round(m * (unit / step));
        shown = fmax(fabs(first - minus), fabs(last - minus)) * step;
        if (top < 1e9 && u > -12) {
            number(s->offset, sizeof s->offset, m * unit, u < 0 ? -u : 0);
            trim(s->offset);
        } else {
            snprintf(s->offset, sizeof s->offset, "%.*e", (int)fmin(17.0, floor(log10(top)) - u), m * unit);
        }
    }
    if (shown > 0.0 && (shown < 1e-2 || shown >= 1e5)) {
        s->factor = 3 * (int)floor(log10(shown) / 3.0 + 1e-9);
    }
    const int decimals = e < s->factor ? s->factor - e : 0;
    for (double k = first; k <= last && s->n < TICKS; ++k) {
        tick *t = &s->tick[s->n++];
        *t = (tick){.at = k * step};
        number(t->text, sizeof t->text, (k - minus) * (step / pow(10.0, s->factor)), decimals);
    }
}

void axis_linear(axis *s, double lo, double hi, int given, double pad, double room, double each)
{
    *s = (axis){.empty = !(lo <= hi)};
    lo = s->empty ? 0.0 : fmax(lo, -largest);
    hi = s->empty ? 1.0 : fmin(hi, largest);
    const double size = fmax(fabs(lo), fabs(hi)), span = fmax(hi - lo, 1e-12 * size);
    const double middle = 0.5 * lo + 0.5 * hi;
    if (!given || !(hi - lo > 1e-12 * size) || size < smallest) {
        const double half = size < smallest ? 1.0 : hi == lo ? 0.1 * size : (0.5 + pad) * span;
        lo = middle - half;
        hi = middle + half;
    }
    s->lo = lo;
    s->hi = hi;
    int e;
    const double step = round_up((hi - lo) * fmin(0.5, each / room), &e);
    label_linear(s, step, e, ceil(lo / step - 1e-9), floor(hi / step + 1e-9));
}

/* ---- logarithmic ------------------------------------------------------------------------------ */

static void add_log(axis *s, double digit, int e, int powers)
{
    const double at = digit * pow(10.0, e);
    if (at < s->lo * (1.0 - 1e-9) || at > s->hi * (1.0 + 1e-9) || s->n == TICKS) {
        return;
    }
    tick *t = &s->tick[s->n++];
    *t = (tick){.at = at, .power = e, .powered = powers};
    if (!powers) {
        number(t->text, sizeof t->text, at, e < 0 ? -e : 0);
    } else if (digit > 1.0) {
        snprintf(t->text, sizeof t->text, "%.0f\xc2\xb7", digit);
    }
}

void axis_log(axis *s, double lo, double hi, int given, double room, double each)
{
    *s = (axis){.log = 1, .empty = !(lo <= hi)};
    lo = s->empty ? 1e-3 : fmin(fmax(lo, smallest), largest);
    hi = s->empty ? 1.0 : fmin(fmax(hi, smallest), largest);
    const double extent = log10(hi) - log10(lo);
    const double pad = !(extent > 1e-6) ? 3.0 : given ? 1.0 : pow(10.0, fmin(5.0, fmax(0.05 * extent, 0.02)));
    s->lo = fmax(lo / pad, smallest);
    s->hi = fmin(hi * pad, largest);
    const double first = floor(log10(s->lo) + 1e-9), last = ceil(log10(s->hi) - 1e-9),
                 decades = log10(s->hi) - log10(s->lo);
    const int fine = decades < 2.2 && room / decades > 3.0 * each;
    const int stride = (int)fmax(1.0, ceil(decades * each / room)), powers = first < -3.0 || last > 4.0;
    for (int e = (int)first; e <= (int)last; ++e) {
        if (e % stride == 0 || fine) {
            add_log(s, 1.0, e, powers);
        }
        if (fine) {
            add_log(s, 2.0, e, powers);
            add_log(s, 5.0, e, powers);
        }
        for (int k = 1; k < 10 && decades < 12.0 && s->nminor < MINOR; ++k) {
            const double at = k * pow(10.0, e);
            if (at >= s->lo && at <= s->hi) {
                s->minor[s->nminor++] = at;
            }
        }
    }
    if (s->n < 2) { // a range within a decade: ticks as on a linear axis, without offset or factor
        int e;
        axis plain = {0};
        const double step = round_up((s->hi - s->lo) * fmin(0.5, each / room), &e);
        label_linear(&plain, step, e, ceil(s->lo / step), floor(s->hi / step));
        memcpy(s->tick, plain.tick, sizeof s->tick);
        s->n = plain.n;
        s->factor = plain.factor;
        memcpy(s->offset, plain.offset, sizeof s->offset);
    }
}

/* ---- both ------------------------------------------------------------------------------------- */

void axis_place(axis *s, double from, double to)
{
    const double lo = s->log ? log10(s->lo) : s->lo, hi = s->log ? log10(s->hi) : s->hi;
    s->b = (to - from) / (hi - lo);
    s->a = from - s->b * lo;
    if (!isfinite(s->a) || !isfinite(s->b)) {
        s->a = from;
        s->b = 0.0;
    }
}

double axis_pixel(const axis *s, double value)
{
    if (!isfinite(value) || (s->log && !(value > 0.0))) {
        return NAN;
    }
    const double x = s->log ? log10(value) : fmin(fmax(value, -largest), largest);
    return s->a + s->b * x;
}

double tick_width(const tick *t)
{
    char power[16] = "";
    if (t->powered) {
        snprintf(power, sizeof power, "%d", t->power);
    }
    return svg_width(t->text, SMALL) + (t->powered ? svg_width("10", SMALL) + svg_width(power, 0.75 * SMALL) : 0.0);
}

void tick_print(FILE *out, const tick *t)
{
    fputs(t->text, out);
    if (t->powered) {
        fprintf(out, "10<tspan dy=\"-4\" font-size=\"9\">%s%d</tspan>", t->power < 0 ? "\xe2\x88\x92" : "",
                t->power < 0 ? -t->power : t->power);
    }
}
