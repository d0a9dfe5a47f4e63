/* What bodies touch with is drawn as such: outlines always, other shapes of contacts where a body has none of its own. */
#include <math.h>
#include <string.h>

#include "page/page_impl.h"

/* One side of a contact. */
typedef struct side {
    int shape; /* as of `shape` of a joint; -1: a plane, or none */
    double radius, length, size[3];
    dal_frame frame;
    int curve[2];
    double range[2];
} side;

/* Words of shape_a are those of shape with a plane first, and without disk. */
static int shape_of_a(int word)
{
    static const int shape[] = {-1, 0, 2, 3, 4};
    return word >= 0 && word < 5 ? shape[word] : -1;
}

static int side_of_joint(side *s, const dal_joint *j, int body)
{
    const int spheres = strcmp(j->type, "sphere_contact") == 0;
    if (strcmp(j->type, "contact") != 0 && !spheres) {
        return 0;
    }
    const int a = j->body_a == body;
    *s = (side){.shape = spheres ? (a && j->hollow ? -1 : 0)
                         : a     ? shape_of_a(j->shape_a)
                                 : j->shape,
                .radius = a ? j->radius_a : j->radius,
                .length = a ? j->length_a : j->length,
                .frame = a ? j->frame_a : j->frame_b,
                .curve = {j->curve_x, j->curve_y},
                .range = {j->curve_range[0], j->curve_range[1]}};
    memcpy(s->size, a ? j->size_a : j->size, sizeof s->size);
    return j->body_a == body || j->body_b == body;
}

static int side_of_force(side *s, const dal_force *f, int body)
{
    if (strcmp(f->type, "contact") != 0) {
        return 0;
    }
    dal_joint like = {.type = f->type,
                      .body_a = f->body_a,
                      .body_b = f->body_b,
                      .frame_a = f->frame_a,
                      .frame_b = f->frame_b,
                      .shape = f->shape,
                      .shape_a = f->shape_a,
                      .radius = f->radius,
                      .radius_a = f->radius_a,
                      .length = f->length,
                      .length_a = f->length_a,
                      .curve_x = f->curve_x,
                      .curve_y = f->curve_y,
                      .curve_range = {f->curve_range[0], f->curve_range[1]}};
    memcpy(like.size, f->size, sizeof like.size);
    memcpy(like.size_a, f->size_a, sizeof like.size_a);
    return side_of_joint(s, &like, body);
}

static void put_outline(dal_text *t, const dal_page *page, dal_shape shape, const side *s, int *drawn)
{
    enum { LEAST = 240, MOST = 500 };
    const double from = s->range[0], to = s->range[0] == 0.0 && s->range[1] == 0.0 ? 1.0 : s->range[1];
    // corners are often where the parameter is a whole number
    const double whole = to - from, pieces = whole == floor(whole) && whole < LEAST ? whole : 1.0;
    const int n = (int)(pieces * ceil(LEAST / pieces));
    double x[3 * (MOST + 1)];
    for (int i = 0; i <= n && n <= MOST; ++i) {
        double y[2][3];
        for (int k = 0; k < 2; ++k) {
            if (dal_model_function_value(page->model, y[k], s->curve[k], from + (to - from) * i / n) != DAL_OK) {
                return;
            }
            x[3 * i + k] = y[k][0];
        }
        x[3 * i + 2] = 0.0;
    }
    shape.kind = DAL_SHAPE_TUBE;
    shape.radius = fmin(0.005 * page->looks.size, 0.04 * page->looks.part);
    shape.points = x;
    shape.npoints = n + 1;
    dal_page_json(t, "%,", (*drawn)++ > 0);
    dal_page_put_shape(t, &shape, 0);
}

static void put_side(dal_text *t, const dal_page *page, const side *s, int own, int *drawn)
{
    static const dal_shape_kind kind[] = {DAL_SHAPE_SPHERE, DAL_SHAPE_CYLINDER, DAL_SHAPE_CAPSULE, DAL_SHAPE_BOX,
                                          DAL_SHAPE_CYLINDER};
    dal_shape shape = {.radius = s->radius, .length = s->length};
    memcpy(shape.position, s->frame.position, sizeof shape.position);
    memcpy(shape.rotation, s->frame.rotation, sizeof shape.rotation);
    memcpy(shape.size, s->size, sizeof shape.size);
    if (s->shape == 6) {
        put_outline(t, page, shape, s, drawn);
    }
    const int box = s->shape == 3, sized = box ? s->size[0] > 0.0 : s->radius > 0.0;
    if (own || s->shape < 0 || s->shape > 4 || !sized) {
        return;
    }
    shape.kind = kind[s->shape];
    shape.length = s->shape == 1 ? 0.08 * s->radius : shape.length;
    shape.size[2] = box && !(shape.size[2] > 0.0) ? 0.1 * shape.size[0] : shape.size[2];
    dal_page_json(t, "%,", (*drawn)++ > 0);
    dal_page_put_shape(t, &shape, 0);
}

/* As rollers of a chain touch the same outline, and a ball several planes. */
static int same(const side *a, const side *b)
{
    int all = a->shape == b->shape && a->radius == b->radius && a->length == b->length && a->curve[0] == b->curve[0] &&
              a->curve[1] == b->curve[1];
    for (int i = 0; i < 3; ++i) {
        all = all && a->size[i] == b->size[i] && a->frame.position[i] == b->frame.position[i];
    }
    return all;
}

void dal_page_touching(dal_text *t, int *drawn, const dal_page *page, int body, int own)
{
    const int n = page->njoints + page->nforces;
    side before = {.shape = -1};
    for (int k = 0; k < n; ++k) {
        side s;
        dal_joint j;
        dal_force f;
        const int joint = k < page->njoints;
        const dal_status st =
            joint ? dal_model_joint_info(page->model, &j, k) : dal_model_force_info(page->model, &f, k - page->njoints);
        if (st != DAL_OK || !(joint ? side_of_joint(&s, &j, body) : side_of_force(&s, &f, body))) {
            continue;
        }
        if (!same(&s, &before)) {
            put_side(t, page, &s, own, drawn);
        }
        before = s;
    }
}
