/* The picture: where panels, numbers, names and legends go. */
#include "svg/svg.h"

#include <math.h>
#include <string.h>

#include "svg/svg_impl.h"

enum { PANELS = 16, HEADING = 24, LINE = 18, SAMPLE = 20, LEGEND_MAX = 220 };

/* A panel in place. */
typedef struct placed {
    const svg_panel *p;
    axis x, y;
    box frame;
    unsigned dashed; /* bits: curves that lie on others */
} placed;

typedef struct layout {
    const svg_picture *picture;
    placed panel[PANELS];
    int n, columns;
    double width, height; /* of the whole */
} layout;

static int has(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static void put_text(FILE *out, const char *text, double size, double room)
{
    const size_t all = strlen(text), n = svg_fit(text, size, room);
    svg_escape(out, text, n < all ? svg_fit(text, size, room - size) : all);
    if (n < all) {
        fputs("\xe2\x80\xa6", out);
    }
}

/* ---- ranges ----------------------------------------------------------------------------------- */

/* Smallest and largest value of one coordinate over the points that can be shown; lo > hi if there is none. */
static svg_range extent(const svg_panel *p, int vertical)
{
    svg_range r = {INFINITY, -INFINITY};
    for (int k = 0; k < p->ncurves; ++k) {
        const svg_curve *c = &p->curve[k];
        for (int i = 0; i < c->n; ++i) {
            const int good =
                isfinite(c->x[i]) && isfinite(c->y[i]) && (!p->log_x || c->x[i] > 0.0) && (!p->log_y || c->y[i] > 0.0);
            const double value = vertical ? c->y[i] : c->x[i];
            if (good) {
                r.lo = fmin(r.lo, value);
                r.hi = fmax(r.hi, value);
            }
        }
    }
    return r;
}

static void make_axes(placed *a, const svg_picture *picture)
{
    const svg_panel *p = a->p;
    const int fixed_x = p->range_x.lo < p->range_x.hi, fixed_y = p->range_y.lo < p->range_y.hi;
    const svg_range x = fixed_x ? p->range_x : extent(p, 0), y = fixed_y ? p->range_y : extent(p, 1);
    const int none = extent(p, 0).lo > extent(p, 0).hi;
    if (p->log_x) {
        axis_log(&a->x, x.lo, x.hi, fixed_x, picture->width, 60.0);
    } else {
        axis_linear(&a->x, x.lo, x.hi, fixed_x, 0.0, picture->width, 70.0);
    }
    if (p->log_y) {
        axis_log(&a->y, y.lo, y.hi, fixed_y, picture->height, 30.0);
    } else {
        axis_linear(&a->y, y.lo, y.hi, fixed_y, 0.05, picture->height, 34.0);
    }
    a->x.empty = a->y.empty = none;
}

/* ---- places ----------------------------------------------------------------------------------- */

static double legend_width(const svg_panel *p)
{
    double width = 0.0;
    for (int k = 0; k < p->ncurves; ++k) {
        width = has(p->curve[k].name) ? fmax(width, SAMPLE + 6 + svg_width(p->curve[k].name, SMALL)) : width;
    }
    for (int k = 0; k < p->nnotes; ++k) {
        width = fmax(width, svg_width(p->note[k], SMALL));
    }
    return fmin(width, LEGEND_MAX + SAMPLE);
}

/* Left and right margin of a column. */
static void margins(const layout *l, int column, double *left, double *right)
{
    *left = 24.0;
    *right = 20.0;
    for (int k = column; k < l->n; k += l->columns) {
        const placed *a = &l->panel[k];
        for (int i = 0; i < a->y.n; ++i) {
            *left = fmax(*left, tick_width(&a->y.tick[i]) + 20.0);
        }
        if (l->picture->legend == SVG_LEGEND_RIGHT && legend_width(a->p) > 0.0) {
            *right = fmax(*right, legend_width(a->p) + 24.0);
        }
    }
}

/* Do two curves look like one? Both have the same x. */
static int coincide(const svg_curve *a, const svg_curve *b, const axis *y)
{
    int near = 0;
    for (int i = 0; i < a->n && a->n == b->n; ++i) {
        near += fabs(axis_pixel(y, a->y[i]) - axis_pixel(y, b->y[i])) < 1.5 && a->x[i] == b->x[i];
    }
    return near > 0.8 * a->n;
}

/* A curve drawn over another is dashed, so that both are seen. */
static void find_dashed(placed *a)
{
    const svg_panel *p = a->p;
    for (int k = 0; k < p->ncurves && k < 32; ++k) {
        for (int j = k + 1; j < p->ncurves && j < 32; ++j) {
            if (!(a->dashed >> k & 1U) && coincide(&p->curve[k], &p->curve[j], &a->y)) {
                a->dashed |= 1U << j;
            }
        }
    }
}

static svg_curve styled(const placed *a, int k)
{
    svg_curve c = a->p->curve[k];
    c.dashed |= k < 32 && a->dashed >> k & 1U;
    return c;
}

/* The lines of a legend below: returns their height; out NULL: nothing is drawn. */
static double legend_below(FILE *out, const placed *a, double width, double top)
{
    double x = 16.0, y = top + LINE;
    for (int k = 0; k < a->p->ncurves; ++k) {
        const svg_curve c = styled(a, k);
        if (!has(c.name)) {
            continue;
        }
        const double need = SAMPLE + 28.0 + fmin(svg_width(c.name, SMALL), width - 100.0);
        if (x > 16.0 && x + need > width) {
            x = 16.0;
            y += LINE;
        }
        if (out != NULL) {
            path_sample(out, &c, x, y - 4.0, SAMPLE);
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\">", x + SAMPLE + 6.0, y, SMALL);
            put_text(out, c.name, SMALL, width - 100.0);
            fputs("</text>\n", out);
        }
        x += need;
    }
    return y - top + 12.0;
}

static void place(layout *l, const svg_picture *picture)
{
    *l = (layout){.picture = picture};
    l->n = picture->npanels < PANELS ? picture->npanels : PANELS;
    l->columns = picture->columns > 0 ? picture->columns : 1;
    for (int k = 0; k < l->n; ++k) {
        l->panel[k].p = &picture->panel[k];
        make_axes(&l->panel[k], picture);
    }
    double x = 0.0;
    for (int column = 0; column < l->columns && column < l->n; ++column) {
        double left, right, y = has(picture->title) ? 34.0 : 6.0;
        margins(l, column, &left, &right);
        for (int k = column; k < l->n; k += l->columns) {
            placed *a = &l->panel[k];
            y += HEADING;
            a->frame = (box){x + left, y, x + left + picture->width, y + picture->height};
            axis_place(&a->x, a->frame.x0, a->frame.x1);
            axis_place(&a->y, a->frame.y1, a->frame.y0);
            find_dashed(a);
            y = a->frame.y1 + (has(a->p->x.name) ? 44.0 : 14.0);
        }
        x += left + picture->width + right;
        l->height = fmax(l->height, y);
    }
    l->width = ceil(x);
    if (picture->legend == SVG_LEGEND_BELOW && l->n > 0) {
        l->height += legend_below(NULL, l->panel, l->width, l->height);
    }
    l->height = ceil(l->height);
}

/* ---- parts of a panel ------------------------------------------------------------------------- */

/* "kg m^2/s" with a raised 2. */
static void put_unit(FILE *out, const char *unit)
{
    static const char *const raised[] = {"\xc2\xb2", "\xc2\xb3"};
    for (size_t n; *unit; unit += n) {
        n = strcspn(unit, "^");
        svg_escape(out, unit, n);
        if (unit[n] == '^') {
            const int known = unit[n + 1] == '2' || unit[n + 1] == '3';
            fputs(known ? raised[unit[n + 1] - '2'] : "^", out);
            n += known ? 2 : 1;
        }
    }
}

/* The quantity less its offset, in units of the factor: "energy − 5435.6 [10^-3 J]". */
static void put_quantity(FILE *out, const svg_quantity *q, const axis *s, double room)
{
    const double rest = svg_width(s->offset, FONT) + (has(q->unit) ? svg_width(q->unit, FONT) + 12.0 : 0.0) + 60.0;
    put_text(out, has(q->name) ? q->name : "", FONT, room - rest);
    if (has(s->offset)) {
        const int negative = (unsigned char)s->offset[0] == 0xe2 || s->offset[0] == '-';
        fprintf(out, negative ? " + %s" : " \xe2\x88\x92 %s", s->offset + (s->offset[0] == '-' ? 1 : negative ? 3 : 0));
    }
    if (s->factor != 0 || has(q->unit)) {
        fputs(" [", out);
        if (s->factor != 0) {
            fprintf(out, "10<tspan dy=\"-4\" font-size=\"9\">%s%d</tspan><tspan dy=\"4\" dx=\"%d\">",
                    s->factor < 0 ? "\xe2\x88\x92" : "", s->factor < 0 ? -s->factor : s->factor, has(q->unit) ? 4 : 0);
        }
        put_unit(out, has(q->unit) ? q->unit : "");
        fputs(s->factor != 0 ? "]</tspan>" : "]", out);
    }
}

static void put_x_axis(FILE *out, const placed *a)
{
    const box *f = &a->frame;
    const int numbers = has(a->p->x.name) && !a->x.empty;
    for (int i = 0; i < a->x.n && !a->x.empty; ++i) {
        const double at = axis_pixel(&a->x, a->x.tick[i].at);
        fprintf(out, "<path stroke=\"#e2e2e2\" d=\"M%.1f %.1fV%.1f\"/><path stroke=\"#666666\" d=\"M%.1f %.1fv5\"/>\n",
                at, f->y0, f->y1, at, f->y1);
        if (numbers) {
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"middle\">", at, f->y1 + 19.0,
                    SMALL);
            tick_print(out, &a->x.tick[i]);
            fputs("</text>\n", out);
        }
    }
    for (int i = 0; i < a->x.nminor && !a->x.empty; ++i) {
        fprintf(out, "<path stroke=\"#666666\" d=\"M%.1f %.1fv3\"/>", axis_pixel(&a->x, a->x.minor[i]), f->y1);
    }
    if (has(a->p->x.name)) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"middle\">", 0.5 * (f->x0 + f->x1),
                f->y1 + 37.0, FONT);
        put_quantity(out, &a->p->x, &a->x, f->x1 - f->x0);
        fputs("</text>\n", out);
    }
}

static void put_y_axis(FILE *out, const placed *a)
{
    const box *f = &a->frame;
    for (int i = 0; i < a->y.n && !a->y.empty; ++i) {
        const double at = axis_pixel(&a->y, a->y.tick[i].at);
        fprintf(out, "<path stroke=\"#e2e2e2\" d=\"M%.1f %.1fH%.1f\"/><path stroke=\"#666666\" d=\"M%.1f %.1fh-5\"/>",
                f->x0, at, f->x1, f->x0, at);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"end\">", f->x0 - 8.0, at + 4.0, SMALL);
        tick_print(out, &a->y.tick[i]);
        fputs("</text>\n", out);
    }
    for (int i = 0; i < a->y.nminor && !a->y.empty; ++i) {
        fprintf(out, "<path stroke=\"#666666\" d=\"M%.1f %.1fh-3\"/>", f->x0, axis_pixel(&a->y, a->y.minor[i]));
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\">", f->x0, f->y0 - 9.0, FONT);
    put_quantity(out, &a->p->y, &a->y, f->x1 - f->x0);
    fputs("</text>\n", out);
}

static void put_curves(FILE *out, const placed *a)
{
    const svg_panel *p = a->p;
    const box *f = &a->frame;
    const double w = f->x1 - f->x0, h = f->y1 - f->y0;
    // an svg of its own cuts off what leaves the frame
    fprintf(out, "<svg x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f %.1f\">\n", f->x0,
            f->y0, w, h, f->x0, f->y0, w, h);
    for (int k = 0; k < p->ncurves; ++k) {
        const svg_curve c = styled(a, k);
        path_curve(out, &c, &a->x, &a->y);
        if (c.marks) {
            path_marks(out, &c, &a->x, &a->y);
        }
    }
    fputs("</svg>\n", out);
}

/* Beside the panel, lines closer together if they are many. */
static void legend_right(FILE *out, const placed *a)
{
    const svg_panel *p = a->p;
    const double x = a->frame.x1 + 12.0, rows = p->ncurves + p->nnotes;
    const double line = fmin(LINE, (a->frame.y1 - a->frame.y0) / fmax(rows, 1.0));
    double y = a->frame.y0 + 10.0;
    for (int k = 0; k < p->ncurves; ++k) {
        if (has(p->curve[k].name)) {
            const svg_curve c = styled(a, k);
            path_sample(out, &c, x, y - 4.0, SAMPLE);
            fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\">", x + SAMPLE + 6.0, y, SMALL);
            put_text(out, p->curve[k].name, SMALL, LEGEND_MAX);
            fputs("</text>\n", out);
            y += line;
        }
    }
    for (int k = 0; k < p->nnotes; ++k) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"#666666\">", x, y, SMALL);
        put_text(out, p->note[k], SMALL, LEGEND_MAX);
        fputs("</text>\n", out);
        y += line;
    }
}

static void put_panel(FILE *out, const placed *a, svg_legend legend)
{
    const box *f = &a->frame;
    put_x_axis(out, a);
    put_y_axis(out, a);
    fprintf(out, "<path fill=\"none\" stroke=\"#666666\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", f->x0, f->y0, f->y1, f->x1);
    if (a->x.empty) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"#666666\" text-anchor=\"middle\">",
                0.5 * (f->x0 + f->x1), 0.5 * (f->y0 + f->y1), FONT);
        put_text(out, has(a->p->empty) ? a->p->empty : "nothing to show", FONT, f->x1 - f->x0);
        fputs("</text>\n", out);
    } else {
        slopes_print(out, a->p, &a->x, &a->y, f);
        put_curves(out, a);
    }
    if (legend == SVG_LEGEND_RIGHT) {
        legend_right(out, a);
    }
}

void svg_print(FILE *out, const svg_picture *picture)
{
    layout l;
    place(&l, picture);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" fill=\"#222222\">\n",
            l.width, l.height, l.width, l.height);
    if (has(picture->title)) {
        fputs("<title>", out);
        svg_escape(out, picture->title, strlen(picture->title));
        fputs("</title>\n", out);
    }
    fprintf(out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", l.width, l.height);
    if (has(picture->title)) {
        fprintf(out, "<text x=\"%.1f\" y=\"24\" font-size=\"%d\" font-weight=\"bold\" text-anchor=\"middle\">",
                0.5 * l.width, TITLE);
        put_text(out, picture->title, 1.07 * TITLE, l.width - 24.0);
        fputs("</text>\n", out);
    }
    for (int k = 0; k < l.n; ++k) {
        put_panel(out, &l.panel[k], picture->legend);
    }
    if (picture->legend == SVG_LEGEND_BELOW && l.n > 0) {
        const double lines = legend_below(NULL, l.panel, l.width, 0.0);
        legend_below(out, l.panel, l.width, l.height - lines);
    }
    fputs("</svg>\n", out);
}
