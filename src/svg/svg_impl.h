#ifndef SVG_SVG_IMPL_H
#define SVG_SVG_IMPL_H

#include "dalembert/base.h"
#include "svg/svg.h"

/* ---- text ------------------------------------------------------------------------------------- */

enum { FONT = 13, SMALL = 12, TITLE = 15 };

/* Escaped for XML; control characters and what is no UTF-8 become U+FFFD. At most n bytes of it. */
void svg_escape(FILE *out, const char *text, size_t n);
/* Width in pixels at a size of the font, about. */
double svg_width(const char *text, double size);
/* Bytes of the text that fit into the width. */
size_t svg_fit(const char *text, double size, double width);

/* ---- axes ------------------------------------------------------------------------------------- */

enum { TICKS = 24, MINOR = 128 };

/* A number: text, then 10 to a power if `powered`. */
typedef struct tick {
    double at; /* in the units of the axis */
    char text[24];
    int power, powered;
} tick;

typedef struct axis {
    double lo, hi;
    int log, empty;
    tick tick[TICKS];
    int n;
    double minor[MINOR];
    int nminor;
    char offset[40]; /* the numbers are those of quantity - offset; empty: none */
    int factor;      /* ... in units of 10^factor */
    double a, b;     /* pixel = a + b * (value or its logarithm) */
} axis;

/* Range and ticks for data in [lo, hi]; given: the range is to be kept. room: pixels; each: pixels a tick should have. */
void axis_linear(axis *s, double lo, double hi, int given, double pad, double room, double each);
void axis_log(axis *s, double lo, double hi, int given, double room, double each);
/* The range becomes the pixels from .. to. */
void axis_place(axis *s, double from, double to);
double axis_pixel(const axis *s, double value); /* NaN if it cannot be shown */
double tick_width(const tick *t);
void tick_print(FILE *out, const tick *t);

/* ---- curves ----------------------------------------------------------------------------------- */

typedef struct box {
    double x0, y0, x1, y1;
} box;

const char *path_colour(int k);
void path_curve(FILE *out, const svg_curve *c, const axis *x, const axis *y);
void path_marks(FILE *out, const svg_curve *c, const axis *x, const axis *y);
/* A piece of line with a mark, for the legend. */
void path_sample(FILE *out, const svg_curve *c, double x, double y, double length);

/* A triangle for each order that occurs among the curves, where none of them passes. */
void slopes_print(FILE *out, const svg_panel *p, const axis *x, const axis *y, const box *frame);

#endif
