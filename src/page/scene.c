/* The mechanism as JSON: bodies with their shapes, joints, forces, and where arrows stand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/elements.h"
#include "lie/mat3.h"
#include "page/page_impl.h"

static void put_named(dal_text *t, int first, const char *name, const char *type)
{
    dal_page_json(t, "%,{\"name\":%s,\"type\":%s", !first, name, type);
}

/* ---- bodies ----------------------------------------------------------------------------------- */

static void put_flexible(dal_text *t, const dal_page *page, int body, int *modal)
{
    const dal_flexible_nodes f = dal_model_flexible_nodes(page->model, body);
    if (f.n == 0) {
        return;
    }
    // float32, shapes mode after mode
    const size_t n = (size_t)f.n, modes = (size_t)f.nmodes;
    float *x = dal_alloc(page->ctx, (3 * n * (modes + 1) + 1) * sizeof *x);
    if (!x) {
        t->failed = 1;
        return;
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        x[i] = (float)f.node[i];
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t k = 0; k < 3 * modes; ++k) {
            x[3 * n + 3 * (i + k / 3 * n) + k % 3] = (float)f.shape[3 * modes * i + k];
        }
    }
    dal_page_json(t, ",\"flexible\":{\"radius\":%6,\"modes\":%d,\"first\":%d,\"nodes\":%b,\"shapes\":%b",
                  0.015 * page->looks.size, f.nmodes, *modal, x, 3 * n * sizeof *x, x + 3 * n,
                  3 * n * modes * sizeof *x);
    if (f.ntriangles > 0) {
        dal_page_json(t, ",\"triangles\":%b", f.triangle, 3 * (size_t)f.ntriangles * sizeof *f.triangle);
    }
    dal_text_put(t, "}");
    dal_free(page->ctx, x);
    *modal += f.nmodes;
}

static void put_body(dal_text *t, const dal_page *page, int body, int *modal)
{
    dal_body b;
    if (dal_model_body_info(page->model, &b, body) != DAL_OK) {
        t->failed = 1;
        return;
    }
    put_named(t, body == 1, b.name, b.type);
    dal_page_json(t, ",\"pose\":%v%p,\"info\":[[\"mass [kg]\",\"%6\"]],\"shapes\":", page->looks.pose + 7 * (body - 1),
                  7, dal_model_body_of(page->model, body) != body ? ",\"hidden\":true" : "", b.mass);
    dal_page_shapes(t, page, body);
    put_flexible(t, page, body, modal);
    dal_text_put(t, "}");
}

/* ---- beams ------------------------------------------------------------------------------------ */

/* The colour of its pieces; "": none. */
static void beam_colour(char colour[16], const dal_model *m, int beam)
{
    colour[0] = '\0';
    for (int k = 0; k < dal_model_shape_count(m); ++k) {
        int of;
        const dal_shape *s = dal_model_shape(m, &of, k);
        if (s->swept && s->coloured && of == dal_model_beam_node(m, NULL, beam, 1)) {
            dal_page_colour(colour, s);
            return;
        }
    }
}

/* Sections along a beam: bodies that they are fixed to, frames in these, corners of outlines */
static dal_status put_beam(dal_text *t, const dal_page *page, dal_pool *pool, int number, int first)
{
    const dal_model *m = page->model;
    const dal_beam_info info = dal_model_beam_info(m, number);
    const int corners = dal_model_beam_outline(m, NULL, number, 0.0);
    const size_t n = (size_t)info.nodes, size = 2 * (size_t)corners;
    char colour[16];
    float *outline, *frame;
    double *yz;
    int *body;
    DAL_TAKE(pool, body, n);
    DAL_TAKE(pool, frame, 7 * n);
    DAL_TAKE(pool, outline, n * size);
    DAL_TAKE(pool, yz, size);
    for (size_t i = 0; i < n; ++i) {
        double s, x[7];
        body[i] = dal_model_beam_node(m, &s, number, (int)i) - 1;
        DAL_TRY(dal_model_beam_frame(m, x, number, (int)i));
        (void)dal_model_beam_outline(m, yz, number, s);
        for (size_t k = 0; k < 7; ++k) {
            frame[7 * i + k] = (float)x[k];
        }
        for (size_t k = 0; k < size; ++k) {
            outline[size * i + k] = (float)yz[k];
        }
    }
    beam_colour(colour, m, number);
    dal_page_json(t, "%,{\"name\":%s,\"colour\":%s,\"corners\":%d,\"bodies\":%b,\"frames\":%b,\"outlines\":%b}", !first,
                  info.name, colour, corners, body, n * sizeof *body, frame, 7 * n * sizeof *frame, outline,
                  n * size * sizeof *outline);
    return DAL_OK;
}

static void put_beams(dal_text *t, const dal_page *page)
{
    int n = 0;
    for (int k = 0; k < dal_model_beam_count(page->model); ++k) {
        if (dal_model_beam_outline(page->model, NULL, k, 0.0) > 0) {
            dal_pool pool = {.ctx = page->ctx, .what = "a beam of a page"};
            t->failed |= put_beam(t, page, &pool, k, n++ == 0) != DAL_OK;
            dal_pool_release(&pool);
        }
    }
}

/* ---- joints and forces ------------------------------------------------------------------------ */

/* Position and rotation; all zero stands for the identity. */
static void frame_numbers(double x[7], const dal_frame *f)
{
    const int turned = dot3(f->rotation + 1, f->rotation + 1) + f->rotation[0] * f->rotation[0] > 0.0;
    memset(x, 0, 7 * sizeof *x);
    memcpy(x, f->position, 3 * sizeof *x);
    x[3] = 1.0;
    if (turned) {
        memcpy(x + 3, f->rotation, 4 * sizeof *x);
    }
}

static void put_sides(dal_text *t, const dal_page *page, int a, int b, const dal_frame *fa, const dal_frame *fb)
{
    double x[2][7];
    frame_numbers(x[0], fa);
    frame_numbers(x[1], fb);
    dal_page_json(t, ",\"a\":%d,\"b\":%d,\"fa\":%v,\"fb\":%v,\"info\":[[\"body A\",%s],[\"body B\",%s]", a - 1, b - 1,
                  x[0], 7, x[1], 7, dal_model_body_name(page->model, a), dal_model_body_name(page->model, b));
}

/* Joints without frames of their own. */
static int without_frames(const char *type)
{
    return dal_element_type_at(dal_element_type_find("joints", type)).place == DAL_PLACE_NONE;
}

static void put_joint(dal_text *t, const dal_page *page, int k)
{
    dal_joint j;
    int first, rows = 0;
    if (dal_model_joint_info(page->model, &j, k) != DAL_OK ||
        dal_model_joint_rows(page->model, &first, &rows, k) != DAL_OK) {
        t->failed = 1;
        return;
    }
    static const char *const unseen[] = {"rolling_disk", "rolling_sphere", "wheel"};
    int hidden = without_frames(j.type);
    for (int i = 0; i < 3; ++i) {
        hidden |= strcmp(j.type, unseen[i]) == 0;
    }
    put_named(t, k == 0, j.name, j.type);
    put_sides(t, page, j.body_a, j.body_b, &j.frame_a, &j.frame_b);
    const int rope = strcmp(j.type, "motion") == 0 && j.coordinate == DAL_COORDINATE_LENGTH;
    dal_page_json(t, ",[\"constraint rows\",\"%d\"]]%p%p", rows, hidden ? ",\"hidden\":true" : "",
                  rope ? ",\"draw\":\"length\"" : "");
    if (page->gap[k] > 0.0) {
        dal_page_json(t, ",\"gap\":%6", page->gap[k]);
    }
    dal_text_put(t, page->redundant[k] ? ",\"redundant\":true}" : "}");
}

const char *dal_page_drawn_as(const dal_force *f)
{
    static const char *const along[] = {"law", "actuator", "pd", "pid"};
    if (strcmp(f->type, "bushing") == 0) {
        return "bushing";
    }
    for (int k = 0; k < 4; ++k) {
        if (strcmp(f->type, along[k]) == 0) {
            return f->coordinate == DAL_COORDINATE_ROTATION ? "turn" : "line";
        }
    }
    if (strcmp(f->type, "cartesian") == 0) {
        return "coil";
    }
    if (strcmp(f->type, "spring") != 0) {
        return "";
    }
    return f->coordinate == DAL_COORDINATE_ROTATION                      ? "twist"
           : f->stiffness != 0.0 || f->cubic != 0.0 || f->characteristic ? "coil"
                                                                         : "damper";
}

static void put_force(dal_text *t, const dal_page *page, int k)
{
    dal_force f;
    if (dal_model_force_info(page->model, &f, k) != DAL_OK) {
        t->failed = 1;
        return;
    }
    put_named(t, k == 0, f.name, f.type);
    put_sides(t, page, f.body_a, f.body_b, &f.frame_a, &f.frame_b);
    dal_page_json(t, "],\"draw\":%s}", dal_page_drawn_as(&f));
}

/* Where the arrows of joints and loads stand, in the order of dal_model_wrenches. */
static void put_wrenches(dal_text *t, const dal_page *page)
{
    for (int k = 0; k < page->njoints + page->nforces; ++k) {
        const int force = k >= page->njoints, index = force ? k - page->njoints : k;
        dal_joint j = {0};
        dal_force f = {0};
        const dal_status st =
            force ? dal_model_force_info(page->model, &f, index) : dal_model_joint_info(page->model, &j, index);
        const int body = force ? f.body_b : j.body_b;
        t->failed |= st != DAL_OK;
        dal_page_json(t, "%,{\"of\":%s,\"index\":%d,\"body\":%d,\"point\":%v}", k > 0, force ? "force" : "joint", index,
                      body - 1, force ? f.frame_b.position : j.frame_b.position, 3);
    }
}

/* ---- meshes ----------------------------------------------------------------------------------- */

static void put_mesh(dal_text *t, const dal_page *page, const dal_mesh *m)
{
    const size_t n = 3 * (size_t)m->nvertices;
    float *x = dal_alloc(page->ctx, n * sizeof *x);
    if (!x) {
        t->failed = 1;
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        x[i] = (float)m->x[i];
    }
    dal_page_json(t, "{\"positions\":%b,\"indices\":%b}", x, n * sizeof *x, m->index,
                  3 * (size_t)m->ntriangles * sizeof(int));
    dal_free(page->ctx, x);
}

static void put_meshes(dal_text *t, const dal_page *page)
{
    int n = 0;
    for (int k = 0; k < dal_model_shape_count(page->model); ++k) {
        int body;
        const dal_shape *s = dal_model_shape(page->model, &body, k);
        if (s->kind == DAL_SHAPE_MESH) {
            dal_page_json(t, "%,", n++ > 0);
            put_mesh(t, page, s->mesh);
        }
    }
}

/* ---- the whole -------------------------------------------------------------------------------- */

static int all_planar(const dal_page *page)
{
    for (int i = 1; i <= page->nbodies; ++i) {
        dal_body b;
        if (dal_model_body_info(page->model, &b, i) != DAL_OK || strncmp(b.type, "planar", 6) != 0) {
            return 0;
        }
    }
    return page->nbodies > 0;
}

/* Something rolls on the x-y plane of the ground: the grid is there. */
static int rolls(const dal_page *page)
{
    for (int k = 0; k < page->njoints; ++k) {
        dal_joint j;
        if (dal_model_joint_info(page->model, &j, k) == DAL_OK && j.body_a == 0 &&
            (strncmp(j.type, "rolling_", 8) == 0 || strcmp(j.type, "wheel") == 0)) {
            return 1;
        }
    }
    return 0;
}

static void put_list(dal_text *t, const dal_page *page, const char *key, int n,
                     void (*put)(dal_text *t, const dal_page *page, int k))
{
    dal_page_json(t, ",%s:[", key);
    for (int k = 0; k < n; ++k) {
        put(t, page, k);
    }
    dal_text_put(t, "]");
}

void dal_page_put_scene(dal_text *t, const dal_page *page)
{
    double up[3] = {0.0, 0.0, 1.0}, g[3];
    int modal = 0;
    const int planar = all_planar(page);
    dal_model_gravity(page->model, g);
    if (dot3(g, g) > 0.0) {
        for (int k = 0; k < 3; ++k) {
            up[k] = -g[k];
        }
    } else if (planar) {
        up[1] = 1.0;
        up[2] = 0.0;
    }
    dal_page_json(t, "{\"size\":%9,\"part\":%9,\"planar\":%t%p,\"up\":%v,\"shapes\":", page->looks.size,
                  page->looks.part, planar, rolls(page) ? ",\"ground\":0" : "", up, 3);
    dal_page_shapes(t, page, 0);
    dal_page_json(t, ",\"nmodal\":%d,\"bodies\":[", page->nmodal);
    for (int i = 1; i <= page->nbodies; ++i) {
        put_body(t, page, i, &modal);
    }
    dal_text_put(t, "]");
    dal_text_put(t, ",\"beams\":[");
    put_beams(t, page);
    dal_text_put(t, "]");
    put_list(t, page, "joints", page->njoints, put_joint);
    put_list(t, page, "forces", page->nforces, put_force);
    dal_text_put(t, ",\"wrenches\":[");
    put_wrenches(t, page);
    dal_text_put(t, "],\"meshes\":[");
    put_meshes(t, page);
    dal_page_json(t, "],\"trails\":[%p]}", page->trails.s ? page->trails.s : "");
}
