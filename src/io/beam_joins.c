/* What beams are joined to, and what slides along them: bodies, and nodes of other beams, which are read first. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/beams.h"
#include "io/look.h"
#include "lie/mat3.h"

enum { DEEP = 50 };

/* Beams that wait for the next one, the last of which is looked for; and those that were read before their turn. */
struct io_beams {
    const char *waiting[DEEP], *sought;
    int deep, found;
    const char **done;
    int ndone, capacity;
};

/* ---- order ------------------------------------------------------------------------------------ */

int dal_io_beam_done(const io_loader *L, const char *name)
{
    struct io_beams *b = L->beams;
    for (int k = 0; k < b->ndone; ++k) {
        if (strcmp(b->done[k], name) == 0) {
            b->done[k] = b->done[--b->ndone]; // another one of that name is one too many
            return 1;
        }
    }
    return 0;
}

static dal_status keep_done(const io_loader *L, const char *name)
{
    struct io_beams *b = L->beams;
    char *text;
    if (b->ndone == b->capacity) {
        const char **before = b->done;
        b->capacity = 2 * b->capacity + 8;
        DAL_TAKE(L->scratch, b->done, b->capacity); // NOLINT(bugprone-sizeof-expression): pointers
        for (int k = 0; k < b->ndone; ++k) {
            b->done[k] = before[k];
        }
    }
    DAL_TAKE_TEXT(L->scratch, text, name);
    b->done[b->ndone++] = text;
    return DAL_OK;
}

static dal_status read_sought(io_loader *L, const io_node *at) // NOLINT(misc-no-recursion)
{
    struct io_beams *b = L->beams;
    char own[IO_TEXT];
    io_node child;
    DAL_TRY(dal_io_look(L, at));
    if (b->found || !dal_io_member(&child, at, "name")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_name(L, own, &child));
    if (strcmp(own, b->sought) != 0) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_beam(L, at));
    b->found = 1;
    return keep_done(L, own);
}

/* Read the beam of that name, for one that waits for it; if there is none, nothing. */
static dal_status read_first(io_loader *L, const io_node *at, const char *name, // NOLINT(misc-no-recursion)
                             const char *waits)
{
    struct io_beams *b = L->beams;
    io_loader walk = *L; // outside of all repetitions
    const char *before = b->sought;
    if (b->deep == DEEP) {
        return dal_io_fail(L, at, "more than %d beams, each joined to the next: list them in the opposite order", DEEP);
    }
    b->waiting[b->deep++] = waits;
    for (int k = 0; k < b->deep; ++k) {
        if (strcmp(b->waiting[k], name) == 0) {
            return dal_io_fail(L, at,
                               "beams '%.100s' and '%.100s' are each joined to the other, or through others: let a "
                               "joint (\"fixed\") close the ring",
                               name, waits);
        }
    }
    b->sought = name;
    b->found = 0;
    walk.index = NULL;
    walk.elements = 0;
    DAL_TRY(dal_io_everywhere(&walk, dal_io_model_of(L, at), "beams", read_sought));
    b->sought = before;
    b->found = 0;
    --b->deep;
    return DAL_OK;
}

/* Of a join or a slide of the beam `own`. */
static dal_status body_of(io_loader *L, int *body, const io_node *at, const char *own) // NOLINT(misc-no-recursion)
{
    char name[IO_TEXT], *mark = NULL;
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        DAL_TRY(dal_io_name(L, name, at));
        mark = strchr(name, '@');
    }
    if (mark != NULL) {
        *mark = '\0';
        DAL_TRY(dal_model_find_beam(L->model, name) < 0 ? read_first(L, at, name, own) : DAL_OK);
    }
    return dal_io_body_number(L, body, at);
}

dal_status dal_io_beams(io_loader *L, const io_node *root)
{
    struct io_beams order = {.deep = 0};
    L->beams = &order;
    const dal_status st = dal_io_everywhere(L, root, "beams", dal_io_beam);
    L->beams = NULL;
    return st;
}

/* ---- joins, slides ---------------------------------------------------------------------------- */

static dal_status read_slide(io_loader *L, void *slide, const io_node *at, void *beam)
{
    dal_beam_slide *to = slide;
    io_node body;
    io_slide d = {.feed = 0};
    DAL_TRY(dal_io_read(L, &d, NULL, at, dal_io_form("slide")));
    DAL_TRY(dal_io_need(&body, L, at, "body"));
    *to = (dal_beam_slide){0, {d.point[0], d.point[1], d.point[2]}, d.guide, d.feed};
    return body_of(L, &to->body, &body, ((const dal_exact_beam *)beam)->name);
}

dal_status dal_io_beam_slides(io_loader *L, dal_exact_beam *beam, const io_node *at)
{
    void *list;
    DAL_TRY(dal_io_collect(L, &list, &beam->nslides, at, "slides", sizeof *beam->slide, read_slide, beam));
    beam->slide = list;
    return DAL_OK;
}

dal_status dal_io_beam_joins(io_loader *L, dal_exact_beam *beam, const io_node *at)
{
    static const char *const keys[2] = {"start", "end"};
    for (int k = 0; k < 2; ++k) {
        io_node child, body;
        if (!dal_io_member(&child, at, keys[k])) {
            continue;
        }
        io_join join = {.kind = 0};
        body = child;
        if (!dal_json_is(child.json, DAL_JSON_TEXT)) {
            DAL_TRY(dal_io_read(L, &join, NULL, &child, dal_io_form("join")));
            DAL_TRY(dal_io_need(&body, L, &child, "body"));
            DAL_TRY(dal_io_turn_field(L, join.axis, &child));
        }
        beam->joined[k] = (dal_beam_join)(DAL_BEAM_RIGID + join.kind);
        memcpy(beam->axis[k], join.axis, sizeof join.axis);
        DAL_TRY(body_of(L, &beam->body[k], &body, beam->name));
        if (beam->joined[k] == DAL_BEAM_HINGED && !(dot3(join.axis, join.axis) > 0.0)) {
            return dal_io_fail(L, &child, "a hinge needs its 'axis'");
        }
    }
    return DAL_OK;
}
