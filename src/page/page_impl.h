/* A page while it is put together:
 *     text.c    growing text, JSON values, base64
 *     looks.c   shapes of bodies that have none of their own
 *     scene.c   the mechanism
 *     film.c    pictures of the motion, strips of curves
 *     chart.c   curves over anything but time
 *     page.c    lists of text, the file
 *     gallery.c several pages as one file */
#ifndef DAL_PAGE_IMPL_H
#define DAL_PAGE_IMPL_H

#include "base/memory.h"
#include "base/text.h"
#include "dalembert/contacts.h"
#include "dalembert/page.h"

/* ---- text ------------------------------------------------------------------------------------- */

/* JSON: the format as it stands, with values in it:
 *     %s  text: "...", safe within a script element; NULL: ""       %r  double, null unless finite
 *     %b  bytes and their number (size_t), in base64: "..."         %v  list of doubles and their number (int)
 *     %d  int           %t  int: true or false                      %3, %6, %9  double with so many digits
 *     %p  part of the document as it is                             %,  int: a comma unless it is zero */
void dal_page_json(dal_text *t, const char *format, ...);

/* ---- looks ------------------------------------------------------------------------------------ */

/* How large the mechanism is, and what the shapes of bodies without any are made from. */
typedef struct page_looks {
    double size;  /* a length of the mechanism */
    double part;  /* a length of its parts: the median of what they span */
    double *pose; /* 7 per body from 1 on */
    /* what is attached to body b: places first[b] .. first[b + 1] - 1 */
    int *first;
    struct page_place *place;
} page_looks;

/* A point of a body where a joint or a force is attached. */
typedef struct page_place {
    double x[3];
    int rolling; /* number of the joint that lets it roll there, -1: none */
} page_place;

dal_status dal_page_looks_init(dal_page *page) DAL_NODISCARD;

/* How a force is drawn; "": by its arrows alone. */
const char *dal_page_drawn_as(const dal_force *f);
/* Write the shapes of body `body` as a JSON list. */
void dal_page_shapes(dal_text *t, const dal_page *page, int body);
/* The same of contacts; own: it has others. drawn counts them. */
void dal_page_touching(dal_text *t, int *drawn, const dal_page *page, int body, int own);
void dal_page_colour(char colour[16], const dal_shape *s);
void dal_page_put_shape(dal_text *t, const dal_shape *shape, int mesh);

/* ---- film ------------------------------------------------------------------------------------- */

/* Pictures of the motion: time, poses, wrenches, section forces and strains of beams, places and forces of contacts, modal coordinates. */
typedef struct page_film {
    int n, room, stride; /* floats in a picture */
    double *t;
    float *x;
    double spacing; /* a picture sooner than this after the last one is left out */
} page_film;

/* Rows of curves; when it is full, four rows become two: the extremes, in their order. */
typedef struct page_strip {
    int ncurves;
    dal_page_curve *curve;
    int n, room;
    double *t, *x;      /* rows of ncurves */
    int group, pending; /* given rows for two stored ones; how many of them have come */
    double *low, *high, *t_low, *t_high, t_first, t_last;
} page_strip;

struct dal_page {
    dal_ctx *ctx;
    dal_pool pool; /* has this and all below but the growing texts */
    char *name, *title, *source;
    const dal_model *model;
    dal_data *data, *own_data;
    int nbodies, njoints, nforces; /* bodies without the ground */
    int nmodal;
    int nstations; /* nodes of beams that are drawn */
    dal_beam_state *station;
    int nplaces; /* of contacts, at most, in a picture */
    dal_contact_place *place;
    page_looks looks;
    double *pose, *wrench; /* scratch */
    double *gap;           /* per joint */
    int *redundant;
    dal_text list[3], trails, methods, chapters, events, charts;
    int ntraces; /* of the chart begun last */
    page_film film;
    page_strip strip;
};

/* Of a station of a beam: section forces and strains; of a contact: place and force. Places of contacts that a picture shows. */
enum { PAGE_SECTION = 12, PAGE_PLACE = 6, PAGE_PLACES = 400 };

dal_status dal_page_film_init(dal_page *page) DAL_NODISCARD;
void dal_page_put_scene(dal_text *t, const dal_page *page);
void dal_page_put_motion(dal_text *t, dal_page *page);
void dal_page_put_plots(dal_text *t, dal_page *page);
void dal_page_put_charts(dal_text *t, const dal_page *page); /* nothing if there are none */
/* Has all of it found memory? */
dal_status dal_page_whole(const dal_page *page, const dal_text *t) DAL_NODISCARD;

/* The viewer: a page with the marks @style@, @data@ and @script@ (embedded.c, made by the build). */
extern const unsigned char dal_page_html[], dal_page_style[], dal_page_script[], dal_page_gallery[];
/* What a page is about, as JSON, and the whole file; page NULL: with the mark of its data in it. */
void dal_page_put_data(dal_text *t, dal_page *page);
void dal_page_put_skeleton(dal_text *t, dal_page *page);

#endif
