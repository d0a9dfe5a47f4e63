/* Line pictures as SVG: panels with axes, curves, legends and slope triangles. Text is escaped: whatever a name holds, it
 * stays text. Same input, same bytes. */
#ifndef SVG_SVG_H
#define SVG_SVG_H

#include <stddef.h>
#include <stdio.h>

/* What an axis shows. Both may be NULL or empty. */
typedef struct svg_quantity {
    const char *name, *unit;
} svg_quantity;

typedef struct svg_curve {
    const char *name; /* in the legend; NULL or empty: not there */
    const double *x,
        *y; /* n points; one that is not finite (or not positive on a logarithmic axis) interrupts the curve */
    int n;
    int colour; /* number in the palette, from 0 */
    int smooth; /* a cubic through points that lie far apart; it stays between them but for extremes */
    int marks;  /* a mark at every point */
    int order;  /* > 0: a triangle shows this slope near the curve (logarithmic axes) */
    int dashed;
} svg_curve;

/* A range of an axis; both 0: that of the data. */
typedef struct svg_range {
    double lo, hi;
} svg_range;

typedef struct svg_panel {
    svg_quantity x, y; /* y heads the panel; x without name: an axis without numbers, another panel below has them */
    svg_range range_x, range_y;
    const svg_curve *curve;
    const char *const *note; /* lines of the legend without a curve */
    const char *empty;       /* what stands in the panel if no point can be drawn */
    int ncurves, nnotes;
    int log_x, log_y;
} svg_panel;

typedef enum svg_legend { SVG_LEGEND_RIGHT, SVG_LEGEND_BELOW } svg_legend;

/* Panels row by row; those of a column have their vertical axes one below the other. */
typedef struct svg_picture {
    const char *title;
    const svg_panel *panel;
    int npanels, columns;
    double width, height; /* of the area of one panel, in pixels */
    svg_legend legend;    /* beside each panel, or one for all (that of the first panel) */
} svg_picture;

/* Bytes of the character at text; 0 if it is no UTF-8, or controls whatever shows it (escape sequences, direction). */
size_t svg_character(const char *text);

void svg_print(FILE *out, const svg_picture *p);
/* To a file that is there as a whole or not at all. 0, or -1 with a message. */
int svg_save(const svg_picture *p, char *message, size_t size, const char *path);
/* Could a file be written there? 0, or -1 with a message. */
int svg_writable(char *message, size_t size, const char *path);

#endif
