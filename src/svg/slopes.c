/* Triangles that show what slope an order has on logarithmic axes. */
#include <math.h>

#include "svg/svg_impl.h"

enum { ORDERS = 32, GAP = 12, CLEAR = 5 };

typedef struct triangle {
    double x0, y0, x1, y1; /* the slanted side, from lower left to upper right */
    int below;             /* the right angle is below it, else above */
} triangle;

/* Do the segments a-b and c-d meet? */
static int meet(const double a[2], const double b[2], const double c[2], const double d[2])
{
    const double det = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0]);
    const double u = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / det;
    const double v = ((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0])) / det;
    return u >= 0.0 && u <= 1.0 && v >= 0.0 && v <= 1.0;
}

/* The box with the triangle and its number. */
static box around(const triangle *t)
{
    const double up = fmin(t->y0, t->y1) - 6.0, down = fmax(t->y0, t->y1) + 6.0;
    return t->below ? (box){t->x0 - 2.0, up, t->x1 + 18.0, down} : (box){t->x0 - 18.0, up, t->x1 + 2.0, down};
}

/* Does the curve pass through the triangle or its number? */
static int passes(const svg_curve *c, const axis *x, const axis *y, const triangle *t)
{
    const double corner[2] = {t->below ? t->x1 : t->x0, t->below ? t->y0 : t->y1};
    const double out = t->below ? 16.0 : -16.0, middle = 0.5 * (t->y0 + t->y1);
    const double side[4][2][2] = {{{t->x0, t->y0}, {t->x1, t->y1}},
                                  {{t->x0, t->y0}, {corner[0], corner[1]}},
                                  {{corner[0], corner[1]}, {t->x1, t->y1}},
                                  {{corner[0], middle - 6.0}, {corner[0] + out, middle + 6.0}}};
    for (int i = 1; i < c->n; ++i) {
        const double a[2] = {axis_pixel(x, c->x[i - 1]), axis_pixel(y, c->y[i - 1])};
        const double b[2] = {axis_pixel(x, c->x[i]), axis_pixel(y, c->y[i])};
        for (int k = 0; k < 4; ++k) {
            if (meet(side[k][0], side[k][1], a, b)) {
                return 1;
            }
        }
    }
    return 0;
}

/* The panel and the places that are taken. */
typedef struct field {
    const svg_panel *p;
    const axis *x, *y;
    const box *frame;
    box taken[ORDERS];
    int ntaken;
} field;

static int fits(const field *f, const triangle *t)
{
    const box b = around(t);
    if (b.x0 < f->frame->x0 || b.x1 > f->frame->x1 || b.y0 < f->frame->y0 || b.y1 > f->frame->y1) {
        return 0;
    }
    for (int k = 0; k < f->ntaken; ++k) {
        const box *other = &f->taken[k];
        if (b.x0 < other->x1 && other->x0 < b.x1 && b.y0 < other->y1 && other->y0 < b.y1) {
            return 0;
        }
    }
    for (int k = 0; k < f->p->ncurves; ++k) {
        if (passes(&f->p->curve[k], f->x, f->y, t)) {
            return 0;
        }
    }
    return 1;
}

/* Below or above the segment of a curve that ends at point i. */
static int beside(triangle *t, const field *f, const svg_curve *c, int i, double width)
{
    const double mx = 0.5 * (axis_pixel(f->x, c->x[i - 1]) + axis_pixel(f->x, c->x[i]));
    const double my = 0.5 * (axis_pixel(f->y, c->y[i - 1]) + axis_pixel(f->y, c->y[i]));
    const double rise = width * c->order * f->y->b / f->x->b; // negative: pixels count downwards
    for (int side = 0; side < 2 && isfinite(mx + my + rise); ++side) {
        const double sign = side == 0 ? 1.0 : -1.0, gap = sign * GAP, d = sign * CLEAR;
        *t = (triangle){mx - 0.5 * width + gap, my - 0.5 * rise + gap, mx + 0.5 * width + gap, my + 0.5 * rise + gap,
                        side == 0};
        // nearer to the curve it would still have to be clear of it
        const triangle near = {t->x0 - d, t->y0 - d, t->x1 - d, t->y1 - d, t->below};
        if (fits(f, t) && fits(f, &near)) {
            return 1;
        }
    }
    return 0;
}

/* The largest that fits at a curve of this order, from the middle segments outwards. */
static int find(triangle *t, const field *f, int order)
{
    for (int width = 44; width >= 22; width -= 11) {
        for (int k = 0; k < f->p->ncurves; ++k) {
            const svg_curve *c = &f->p->curve[k];
            for (int j = 0; c->order == order && j < 2 * c->n; ++j) {
                const int i = c->n / 2 + (j % 2 ? -(j + 1) / 2 : j / 2);
                if (i >= 1 && i < c->n && beside(t, f, c, i, width)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

void slopes_print(FILE *out, const svg_panel *p, const axis *x, const axis *y, const box *frame)
{
    field f = {.p = p, .x = x, .y = y, .frame = frame};
    for (int order = 1; order < ORDERS && x->log && y->log; ++order) {
        triangle t;
        if (!find(&t, &f, order)) {
            continue;
        }
        f.taken[f.ntaken++] = around(&t);
        const double cx = t.below ? t.x1 : t.x0, cy = t.below ? t.y0 : t.y1;
        fprintf(out, "<path fill=\"#eeeeee\" stroke=\"#777777\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fz\"/>\n", t.x0, t.y0,
                t.x1, t.y1, cx, cy);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"#555555\" text-anchor=\"%s\">%d</text>\n",
                cx + (t.below ? 4.0 : -4.0), 0.5 * (t.y0 + t.y1) + 4.0, SMALL, t.below ? "start" : "end", order);
    }
}
