/* Meshes of COLLADA files (.dae): triangles and polygons of all geometries where the scene puts them, in metres by the unit of the file. The
 * direction up is left as it is, as programs for robots do. Looks are not read. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/message.h"
#include "base/number.h"
#include "dalembert/import.h"
#include "import/import_impl.h"

enum { TRIANGLES_MAX = 5000000 };

/* What is read so far. Places are columns: x' = m x, m[12..14] the translation. */
typedef struct scene {
    im_reader *R;
    const im_element *root;
    double unit;
    dal_mesh *mesh;
    int vertices, corners; /* room */
} scene;

typedef struct place {
    double m[16];
} place;

static void times(place *C, const place *A, const place *B)
{
    place P;
    for (int i = 0; i < 16; ++i) {
        P.m[i] = 0.0;
        for (int k = 0; k < 4; ++k) {
            P.m[i] += A->m[i % 4 + 4 * k] * B->m[k + i / 4 * 4];
        }
    }
    *C = P;
}

/* The next number of a text, 0: there is none. */
static int next_number(const char **text, double *x)
{
    static const char blanks[] = " \t\r\n";
    *text += strspn(*text, blanks);
    const size_t n = strcspn(*text, blanks);
    const int good = n > 0 && dal_number_parse(x, *text, n) && isfinite(*x);
    *text += n;
    return good;
}

static int read_numbers(const scene *s, const im_element *at, double *x, int n)
{
    return im_numbers(s->R, at, at->name, at->text, x, n, n) == n;
}

/* The element of this name with an id, "#id" or "id", anywhere. */
static const im_element *find_id(const im_element *root, const char *name, const char *id)
{
    id += id != NULL && id[0] == '#';
    for (const im_element *e = root; e != NULL && id != NULL;) {
        const char *own = im_attribute(e, "id");
        if (strcmp(e->name, name) == 0 && own != NULL && strcmp(own, id) == 0) {
            return e;
        }
        if (e->first != NULL) {
            e = e->first;
            continue;
        }
        while (e != root && e->next == NULL) {
            e = e->parent;
        }
        e = e != root ? e->next : NULL;
    }
    return NULL;
}

/* ---- geometries ------------------------------------------------------------------------------- */

static void add_triangle(scene *s, int a, int b, int c)
{
    dal_mesh *m = s->mesh;
    s->R->st = dal_grow(s->R->ctx, (void **)&m->index, &s->corners, 3 * m->ntriangles + 3, sizeof *m->index);
    if (s->R->st == DAL_OK) {
        int *to = m->index + 3 * (size_t)m->ntriangles++;
        to[0] = a;
        to[1] = b;
        to[2] = c;
    }
}

/* Numbers of the vertices that a place is given to; *first is that of vertex 0. */
static int add_vertices(scene *s, const im_element *source, const place *P, int *first)
{
    const im_element *array = im_child(source, "float_array", NULL);
    const im_element *accessor = im_child(im_child(source, "technique_common", NULL), "accessor", NULL);
    const int stride = (int)im_number(s->R, accessor, "stride", 3.0);
    const char *text = array != NULL ? array->text : "";
    double x[3] = {0.0}, value;
    dal_mesh *m = s->mesh;
    int n = 0;
    *first = m->nvertices;
    for (int k = 0; s->R->st == DAL_OK && stride >= 3 && stride < 100 && next_number(&text, &value);
         k = (k + 1) % stride) {
        if (k < 3) {
            x[k] = value;
        }
        if (k != 2) {
            continue;
        }
        s->R->st = dal_grow(s->R->ctx, (void **)&m->x, &s->vertices, 3 * m->nvertices + 3, sizeof *m->x);
        for (int i = 0; i < 3 && s->R->st == DAL_OK; ++i) {
            m->x[3 * m->nvertices + i] =
                s->unit * (P->m[i] * x[0] + P->m[i + 4] * x[1] + P->m[i + 8] * x[2] + P->m[i + 12]);
        }
        ++m->nvertices;
        ++n;
    }
    return n;
}

/* Corner numbers of polygons: `stride` numbers each, that of the vertex at `offset`. size: corners of the next polygon, as many as there are
 * where it is not positive. */
static void add_polygon(scene *s, const char **text, int size, int stride, int offset, const int range[2], int turned)
{
    int corner[3] = {0, 0, 0}, n = 0;
    double x = 0.0;
    for (; s->R->st == DAL_OK && (size <= 0 || n < size); ++n) {
        int vertex = -1;
        for (int k = 0; k < stride; ++k) {
            if (!next_number(text, &x)) {
                return;
            }
            vertex = k == offset && x >= 0.0 && x < range[1] ? range[0] + (int)x : vertex;
        }
        if (vertex < 0 || s->mesh->ntriangles >= TRIANGLES_MAX) {
            im_fail(s->R, NULL, vertex < 0 ? "a polygon names a vertex that is not there" : "has too many triangles");
            return;
        }
        corner[n < 2 ? n : 2] = vertex;
        if (n >= 2) { // a fan around the first corner
            add_triangle(s, corner[0], corner[turned ? 2 : 1], corner[turned ? 1 : 2]);
            corner[1] = corner[2];
        }
    }
}

/* <triangles>, <polylist>, <polygons> */
static void add_faces(scene *s, const im_element *faces, const int range[2], int turned)
{
    int stride = 1, offset = -1;
    for (const im_element *in = NULL; (in = im_child(faces, "input", in)) != NULL;) {
        const int at = (int)im_number(s->R, in, "offset", 0.0);
        const char *semantic = im_attribute(in, "semantic");
        stride = at >= stride ? at + 1 : stride;
        offset = semantic != NULL && strcmp(semantic, "VERTEX") == 0 ? at : offset;
    }
    const im_element *counts = im_child(faces, "vcount", NULL);
    for (const im_element *p = NULL; offset >= 0 && stride < 100 && (p = im_child(faces, "p", p)) != NULL;) {
        const char *text = p->text, *sizes = counts != NULL ? counts->text : "";
        double size = strcmp(faces->name, "triangles") == 0 ? 3.0 : 0.0;
        do {
            if (counts != NULL && !next_number(&sizes, &size)) {
                break;
            }
            add_polygon(s, &text, (int)size, stride, offset, range, turned);
        } while (s->R->st == DAL_OK && text[strspn(text, " \t\r\n")] != '\0');
    }
}

static void add_geometry(scene *s, const char *url, const place *P)
{
    const im_element *g = find_id(s->root, "geometry", url), *mesh = im_child(g, "mesh", NULL);
    const double *m = P->m;
    const double volume =
        m[0] * (m[5] * m[10] - m[6] * m[9]) - m[4] * (m[1] * m[10] - m[2] * m[9]) + m[8] * (m[1] * m[6] - m[2] * m[5]);
    for (const im_element *v = NULL; (v = im_child(mesh, "vertices", v)) != NULL;) {
        const im_element *in = NULL;
        const char *id = im_attribute(v, "id"), *semantic = NULL;
        while ((in = im_child(v, "input", in)) != NULL && (semantic = im_attribute(in, "semantic")) != NULL &&
               strcmp(semantic, "POSITION") != 0) {
        }
        int range[2];
        range[1] =
            add_vertices(s, in != NULL ? find_id(mesh, "source", im_attribute(in, "source")) : NULL, P, &range[0]);
        for (const im_element *f = NULL; s->R->st == DAL_OK && (f = im_child(mesh, NULL, f)) != NULL;) {
            const im_element *use = NULL;
            while ((use = im_child(f, "input", use)) != NULL) {
                const char *source = im_attribute(use, "source");
                if (id != NULL && source != NULL && source[0] == '#' && strcmp(source + 1, id) == 0) {
                    add_faces(s, f, range, volume < 0.0);
                }
            }
        }
    }
}

/* ---- the scene -------------------------------------------------------------------------------- */

static const place here = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

/* One of the elements that place a node; 0: it is none. */
static int read_place(const scene *s, const im_element *e, place *T)
{
    double x[16] = {0.0};
    *T = here;
    if (strcmp(e->name, "matrix") == 0 && read_numbers(s, e, x, 16)) {
        for (int i = 0; i < 16; ++i) {
            T->m[i] = x[i / 4 + 4 * (i % 4)]; // row after row
        }
        return 1;
    }
    if (strcmp(e->name, "translate") == 0 && read_numbers(s, e, x, 3)) {
        memcpy(T->m + 12, x, 3 * sizeof *x);
        return 1;
    }
    if (strcmp(e->name, "scale") == 0 && read_numbers(s, e, x, 3)) {
        T->m[0] = x[0];
        T->m[5] = x[1];
        T->m[10] = x[2];
        return 1;
    }
    if (strcmp(e->name, "rotate") == 0 && read_numbers(s, e, x, 4)) {
        const double n = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), angle = x[3] * 3.14159265358979323846 / 180.0;
        const double c = cos(angle), k = 1.0 - c;
        for (int i = 0; i < 9 && n > 0.0; ++i) {
            const int row = i % 3, column = i / 3, other = 3 - row - column;
            const double sign = (column - row + 3) % 3 == 1 ? -1.0 : 1.0;
            T->m[row + 4 * column] =
                k * x[row] * x[column] / (n * n) + (row == column ? c : sign * sin(angle) * x[other] / n);
        }
        return 1;
    }
    return 0;
}

static void add_node(scene *s, const im_element *node, const place *outer, int depth)
{
    place P = *outer, T;
    if (depth > IM_DEPTH_MAX) {
        im_fail(s->R, node, "nodes are within themselves");
    }
    for (const im_element *e = NULL; s->R->st == DAL_OK && (e = im_child(node, NULL, e)) != NULL;) {
        const char *url = im_attribute(e, "url");
        if (read_place(s, e, &T)) {
            times(&P, &P, &T);
        } else if (strcmp(e->name, "node") == 0) {
            add_node(s, e, &P, depth + 1);
        } else if (strcmp(e->name, "instance_node") == 0) {
            add_node(s, find_id(s->root, "node", url), &P, depth + 1);
        } else if (strcmp(e->name, "instance_geometry") == 0) {
            add_geometry(s, url, &P);
        } else if (strcmp(e->name, "instance_controller") == 0) {
            const im_element *skin = im_child(find_id(s->root, "controller", url), "skin", NULL);
            add_geometry(s, im_attribute(skin, "source"), &P);
        }
    }
}

static void read_scene(scene *s)
{
    const im_element *asset = im_child(s->root, "asset", NULL), *used = im_child(s->root, "scene", NULL);
    s->unit = im_number(s->R, im_child(asset, "unit", NULL), "meter", 1.0);
    const char *url = im_attribute(im_child(used, "instance_visual_scene", NULL), "url");
    const im_element *scenes = im_child(s->root, "library_visual_scenes", NULL);
    const im_element *one =
        url != NULL ? find_id(s->root, "visual_scene", url) : im_child(scenes, "visual_scene", NULL);
    if (one != NULL) {
        add_node(s, one, &here, 0);
        return;
    }
    const im_element *list = im_child(s->root, "library_geometries", NULL);
    for (const im_element *g = NULL; s->R->st == DAL_OK && (g = im_child(list, "geometry", g)) != NULL;) {
        add_geometry(s, im_attribute(g, "id"), &here);
    }
}

static dal_status read_dae(dal_mesh **mesh, dal_ctx *ctx, const char *text, size_t n, const char *name)
{
    im_reader R = {.ctx = ctx, .path = name, .pool = {.ctx = ctx, .what = "a mesh"}};
    scene s = {.R = &R, .mesh = dal_alloc_zero(ctx, sizeof *s.mesh)};
    if (s.mesh == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for a mesh");
    }
    s.root = im_xml(&R, name, text, n);
    if (R.st == DAL_OK && strcmp(s.root->name, "COLLADA") != 0) {
        im_fail(&R, s.root, "this is no COLLADA file: its root is <%.40s>", s.root->name);
    }
    if (R.st == DAL_OK) {
        read_scene(&s);
    }
    R.st = R.st == DAL_OK ? dal_mesh_join(s.mesh, ctx) : R.st;
    if (R.st == DAL_OK && s.mesh->ntriangles == 0) {
        im_fail(&R, NULL, "has no triangles");
    }
    dal_pool_release(&R.pool);
    if (R.st != DAL_OK) {
        dal_mesh_destroy(s.mesh, ctx);
        return R.st;
    }
    *mesh = s.mesh;
    return DAL_OK;
}

dal_status dal_mesh_read(dal_mesh **mesh, dal_ctx *ctx, const void *bytes, size_t size, const char *name)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, mesh);
    DAL_NEED(ctx, name);
    *mesh = NULL;
    const size_t n = strlen(name);
    const char *end = name + (n > 4 ? n - 4 : 0);
    const int collada = end[0] == '.' && (end[1] | 32) == 'd' && (end[2] | 32) == 'a' && (end[3] | 32) == 'e';
    if (!collada) {
        return dal_mesh_create(mesh, ctx, bytes, size, name);
    }
    DAL_NEED(ctx, bytes);
    return read_dae(mesh, ctx, bytes, size, name);
}
