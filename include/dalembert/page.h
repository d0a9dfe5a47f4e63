/* dalembert/page.h - a mechanism and its motion as one HTML file (docs/format/page.md, docs/user/view.md).
 *
 *     dal_page_create -> dal_page_text ..., dal_page_frame ..., dal_page_row ... -> dal_page_write -> dal_page_destroy
 *
 * The file needs no network and no server; text of a model stays text in it, whatever it holds. */
#ifndef DALEMBERT_PAGE_H
#define DALEMBERT_PAGE_H

#include "dalembert/mbs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_page dal_page;

typedef struct dal_page_spec {
    const char *name, *title; /* title may be NULL */
    const char *source;       /* the model file, shown as it is; NULL: none */
    const dal_model *model;   /* compiled; NULL: a page without a mechanism (a study). Must outlive the page */
    dal_data *data;           /* of the simulation; NULL: some is made */
    const dal_point *initial; /* where the mechanism is without motion; la may be NULL. NULL: the initial values */
} dal_page_spec;

DAL_API dal_status dal_page_create_(dal_page **page, dal_ctx *ctx, const dal_page_spec *spec,
                                    size_t size) DAL_NODISCARD;
DAL_API void dal_page_destroy(dal_page *page); /* NULL is fine */

/* ---- text ------------------------------------------------------------------------------------- */

typedef enum dal_page_list { DAL_PAGE_SUMMARY, DAL_PAGE_OPTIONS, DAL_PAGE_WARNINGS } dal_page_list;

/* One line of a list: a name and a value (of a warning the value only). marked: it stands out. */
DAL_API dal_status dal_page_text(dal_page *page, dal_page_list list, const char *name, const char *value,
                                 int marked) DAL_NODISCARD;
/* A joint that is open by `gap` (m or rad), or that has redundant rows (gap = 0). */
DAL_API dal_status dal_page_joint(dal_page *page, int joint, double gap, int redundant) DAL_NODISCARD;
/* The path of a point of a body (number as in the model) is drawn, beside those the model asks for. */
DAL_API dal_status dal_page_trail(dal_page *page, int body, const double point[3]) DAL_NODISCARD;

/* ---- motion and curves ------------------------------------------------------------------------ */

/* A picture of the motion, in the order of time. How many are kept depends on how fast things turn and on their number:
 * a page stays below some megabytes however many are given. */
DAL_API dal_status dal_page_frame(dal_page *page, const dal_point *at) DAL_NODISCARD;

/* Something that happened, "floor, impact": marked on the time axis. */
DAL_API dal_status dal_page_event(dal_page *page, double t, const char *text) DAL_NODISCARD;
/* A stretch of the motion that can be chosen by its name and is then played by itself: a mode shape, say. */
DAL_API dal_status dal_page_chapter(dal_page *page, const char *name, double from, double to) DAL_NODISCARD;

/* Curves over time: n of them, said once; `panel` (may be repeated) is the heading they stand under. */
typedef struct dal_page_curve {
    const char *name, *unit, *panel;
    int log; /* logarithmic axis */
} dal_page_curve;
DAL_API dal_status dal_page_curves(dal_page *page, const dal_page_curve *curve, int n) DAL_NODISCARD;
/* Their values at a time. When there are many rows, the extremes of neighbours are kept. */
DAL_API dal_status dal_page_row(dal_page *page, double t, const double *x) DAL_NODISCARD;

/* ---- studies ---------------------------------------------------------------------------------- */

/* Errors of a method over step sizes: n rows of h and of the errors in q, v, lambda (NaN: none), observed orders. */
typedef struct dal_page_method {
    const char *name;
    int n;
    const double *h, *error[3];
    double order[3];
} dal_page_method;
DAL_API dal_status dal_page_study_(dal_page *page, const dal_page_method *method, size_t size) DAL_NODISCARD;

/* ---- charts ----------------------------------------------------------------------------------- */

/* Curves over anything but time: begin a chart, then give its traces. */
typedef struct dal_page_chart {
    const char *title, *x; /* x: name of the axis, with its unit */
    int log_x, log_y;      /* logarithmic axes */
} dal_page_chart;
DAL_API dal_status dal_page_add_chart_(dal_page *page, const dal_page_chart *chart, size_t size) DAL_NODISCARD;

typedef enum dal_trace_style { DAL_PAGE_LINE, DAL_PAGE_DASHED, DAL_PAGE_MARKS } dal_trace_style;

/* A trace of the chart begun last. x of lines increases; a y that is not finite leaves a gap. */
typedef struct dal_page_trace {
    const char *name, *unit; /* unit may be NULL */
    dal_trace_style style;
    int n;
    const double *x, *y;
    const char *const *label; /* n, shown under the pointer; NULL: none */
    int hidden;               /* shown when its name is clicked */
} dal_page_trace;
DAL_API dal_status dal_page_add_trace_(dal_page *page, const dal_page_trace *trace, size_t size) DAL_NODISCARD;

/* ---- the file --------------------------------------------------------------------------------- */

/* Written as a whole or not at all. */
DAL_API dal_status dal_page_write(dal_page *page, const char *path) DAL_NODISCARD;
/* Could a page be written there? */
DAL_API dal_status dal_page_writable(dal_ctx *ctx, const char *path) DAL_NODISCARD;

/* ---- galleries -------------------------------------------------------------------------------- */

/* Several mechanisms as one file, with a list to choose from. A page that was added may be destroyed. */
typedef struct dal_gallery dal_gallery;
DAL_API dal_status dal_gallery_create(dal_gallery **gallery, dal_ctx *ctx) DAL_NODISCARD;
DAL_API dal_status dal_gallery_add(dal_gallery *gallery, dal_page *page) DAL_NODISCARD;
DAL_API dal_status dal_gallery_write(const dal_gallery *gallery, const char *path) DAL_NODISCARD;
DAL_API void dal_gallery_destroy(dal_gallery *gallery); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
