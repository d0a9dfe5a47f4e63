/* Curves as paths and marks, in pixels. */
#include <math.h>

#include "svg/svg_impl.h"

const char *path_colour(int k)
{
    // told apart in grey and by the colour-blind (Okabe and Ito)
    static const char *const colour[] = {"#0072b2", "#d55e00", "#009e73", "#e69f00",
                                         "#cc79a7", "#56b4e9", "#333333", "#999999"};
    enum { N = (int)(sizeof colour / sizeof colour[0]) };
    return colour[(k % N + N) % N];
}

static const char *dashes(const svg_curve *c)
{
    return c->dashed         ? " stroke-dasharray=\"6 3\""
           : c->colour >= 16 ? " stroke-dasharray=\"2 2\""
           : c->colour >= 8  ? " stroke-dasharray=\"7 2\""
                             : "";
}

static double px(const svg_curve *c, const axis *x, int i)
{
    return axis_pixel(x, c->x[i]);
}

static double py(const svg_curve *c, const axis *y, int i)
{
    return axis_pixel(y, c->y[i]);
}

static int shown(const svg_curve *c, const axis *x, const axis *y, int i)
{
    return i >= 0 && i < c->n && isfinite(px(c, x, i)) && isfinite(py(c, y, i));
}

/* Slope of the cubic at point i, dy/dx: that of the parabola through three points, limited so that the cubic is monotone
 * where the points are, and at extremes by the flatter neighbour: a jump or a kink brings no swing. */
static double slope(const svg_curve *c, const axis *x, const axis *y, int i)
{
    const int before = shown(c, x, y, i - 1), after = shown(c, x, y, i + 1);
    const double dx0 = before ? px(c, x, i) - px(c, x, i - 1) : 0.0, dx1 = after ? px(c, x, i + 1) - px(c, x, i) : 0.0;
    const double s0 = dx0 > 0.0 ? (py(c, y, i) - py(c, y, i - 1)) / dx0 : 0.0;
    const double s1 = dx1 > 0.0 ? (py(c, y, i + 1) - py(c, y, i)) / dx1 : 0.0;
    if (!(dx0 > 0.0) || !(dx1 > 0.0)) {
        return dx0 > 0.0 ? s0 : s1;
    }
    const double parabola = (s0 * dx1 + s1 * dx0) / (dx0 + dx1);
    const double limit = (s0 * s1 > 0.0 ? 3.0 : 1.0) * fmin(fabs(s0), fabs(s1));
    return fmax(-limit, fmin(limit, parabola));
}

/* From point i - 1 to point i. */
static void piece(FILE *out, const svg_curve *c, const axis *x, const axis *y, int i)
{
    const double x0 = px(c, x, i - 1), y0 = py(c, y, i - 1), x1 = px(c, x, i), y1 = py(c, y, i),
                 third = (x1 - x0) / 3.0;
    if (c->smooth && third > 0.5) {
        fprintf(out, "C%.2f %.2f %.2f %.2f %.2f %.2f", x0 + third, y0 + third * slope(c, x, y, i - 1), x1 - third,
                y1 - third * slope(c, x, y, i), x1, y1);
    } else {
        fprintf(out, "L%.1f %.1f", x1, y1);
    }
}

void path_curve(FILE *out, const svg_curve *c, const axis *x, const axis *y)
{
    double lastx = NAN, lasty = NAN;
    fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.7\" stroke-linejoin=\"round\"%s d=\"",
            path_colour(c->colour), dashes(c));
    for (int i = 0; i < c->n; ++i) {
        if (!shown(c, x, y, i)) {
            lastx = NAN;
            continue;
        }
        const double x1 = px(c, x, i), y1 = py(c, y, i);
        const int last = !shown(c, x, y, i + 1);
        if (isnan(lastx)) {
            fprintf(out, "M%.1f %.1f", x1, y1);
            if (last) { // alone: a dot
                fputs("h0.1", out);
            }
        } else if (last || fabs(x1 - lastx) > 0.25 || fabs(y1 - lasty) > 0.25) {
            piece(out, c, x, y, i);
        } else {
            continue;
        }
        lastx = x1;
        lasty = y1;
    }
    fputs("\"/>\n", out);
}

static void mark(FILE *out, int kind, double x, double y)
{
    switch (kind % 4) {
    case 0:
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.2\"/>", x, y);
        break;
    case 1:
        fprintf(out, "<path d=\"M%.1f %.1fh5.8v5.8h-5.8z\"/>", x - 2.9, y - 2.9);
        break;
    case 2:
        fprintf(out, "<path d=\"M%.1f %.1fl3.9 6.6h-7.8z\"/>", x, y - 4.2);
        break;
    default:
        fprintf(out, "<path d=\"M%.1f %.1fl3.9 3.9l-3.9 3.9l-3.9 -3.9z\"/>", x, y - 3.9);
    }
}

void path_marks(FILE *out, const svg_curve *c, const axis *x, const axis *y)
{
    fprintf(out, "<g fill=\"%s\">", path_colour(c->colour));
    for (int i = 0; i < c->n; ++i) {
        if (shown(c, x, y, i)) {
            mark(out, c->colour, px(c, x, i), py(c, y, i));
        }
    }
    fputs("</g>\n", out);
}

void path_sample(FILE *out, const svg_curve *c, double x, double y, double length)
{
    fprintf(out, "<path stroke=\"%s\" stroke-width=\"2.2\"%s d=\"M%.1f %.1fh%.1f\"/>", path_colour(c->colour),
            dashes(c), x, y, length);
    if (c->marks) {
        fprintf(out, "<g fill=\"%s\">", path_colour(c->colour));
        mark(out, c->colour, x + 0.5 * length, y);
        fputs("</g>", out);
    }
    fputc('\n', out);
}
