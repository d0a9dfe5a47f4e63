/* STL and OBJ. Nothing in a file is believed: counts are checked against its size, numbers must be finite. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/message.h"
#include "base/number.h"
#include "shape/shape_impl.h"

typedef struct reader {
    dal_ctx *ctx;
    const char *name, *p, *end;
    dal_mesh *mesh;
    int vertex_room, triangle_room; /* in numbers */
    int line;
} reader;

/* ---- collecting ------------------------------------------------------------------------------- */

static dal_status too_large(const reader *r)
{
    return dal_fail(r->ctx, DAL_EINVAL, "mesh '%s': more than %d triangles; use a coarser mesh", r->name, MESH_MAX);
}

static dal_status add_vertex(reader *r, const double x[3])
{
    dal_mesh *m = r->mesh;
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
        return dal_fail(r->ctx, DAL_EINVAL, "mesh '%s': a coordinate of vertex %d is not finite", r->name,
                        m->nvertices + 1);
    }
    if (m->nvertices >= 3 * MESH_MAX) {
        return too_large(r);
    }
    DAL_GROW(r->ctx, m->x, r->vertex_room, 3 * m->nvertices + 3);
    memcpy(m->x + 3 * (size_t)m->nvertices, x, 3 * sizeof(double));
    ++m->nvertices;
    return DAL_OK;
}

static dal_status add_triangle(reader *r, int a, int b, int c)
{
    dal_mesh *m = r->mesh;
    if (m->ntriangles >= MESH_MAX) {
        return too_large(r);
    }
    DAL_GROW(r->ctx, m->index, r->triangle_room, 3 * m->ntriangles + 3);
    int *to = m->index + 3 * (size_t)m->ntriangles++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
    return DAL_OK;
}

/* ---- binary STL ------------------------------------------------------------------------------- */

enum { STL_HEADER = 80, STL_TRIANGLE = 50 };

static uint32_t word_at(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const char *p)
{
    const uint32_t bits = word_at(p);
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/* The size of a binary file follows from the count in its header; an ASCII file that happens to fit does not exist. */
static int is_binary_stl(const reader *r)
{
    const size_t size = (size_t)(r->end - r->p);
    return size >= STL_HEADER + 4 && (size - STL_HEADER - 4) % STL_TRIANGLE == 0 &&
           (size - STL_HEADER - 4) / STL_TRIANGLE == word_at(r->p + STL_HEADER);
}

static dal_status read_binary_stl(reader *r)
{
    const uint32_t n = word_at(r->p + STL_HEADER);
    if (n > MESH_MAX) {
        return too_large(r);
    }
    for (uint32_t t = 0; t < n; ++t) {
        const char *corner = r->p + STL_HEADER + 4 + (size_t)t * STL_TRIANGLE + 12; // behind the normal
        for (int c = 0; c < 3; ++c, corner += 12) {
            const double x[3] = {float_at(corner), float_at(corner + 4), float_at(corner + 8)};
            DAL_TRY(add_vertex(r, x));
        }
        const int v = r->mesh->nvertices;
        DAL_TRY(add_triangle(r, v - 3, v - 2, v - 1));
    }
    return DAL_OK;
}

/* ---- words and numbers of text files ---------------------------------------------------------- */

/* The next word of the line; 0 at its end. */
static size_t next_word(reader *r, const char **word)
{
    while (r->p < r->end && *r->p != '\n' && isspace((unsigned char)*r->p)) {
        ++r->p;
    }
    *word = r->p;
    while (r->p < r->end && !isspace((unsigned char)*r->p)) {
        ++r->p;
    }
    return (size_t)(r->p - *word);
}

static void next_line(reader *r)
{
    while (r->p < r->end && *r->p != '\n') {
        ++r->p;
    }
    r->p += r->p < r->end;
    ++r->line;
}

static int is_word(const char *word, size_t n, const char *text)
{
    return n == strlen(text) && memcmp(word, text, n) == 0;
}

static dal_status read_point(reader *r, double x[3])
{
    for (int k = 0; k < 3; ++k) {
        const char *word;
        const size_t n = next_word(r, &word);
        if (!dal_number_parse(&x[k], word, n)) {
            return dal_fail(r->ctx, DAL_EINVAL, "mesh '%s', line %d: three coordinates expected", r->name, r->line);
        }
    }
    return DAL_OK;
}

/* ---- ASCII STL -------------------------------------------------------------------------------- */

/* A vertex of a facet; the third one makes a triangle. */
static dal_status read_vertex(reader *r, int *corners)
{
    double x[3];
    DAL_TRY(read_point(r, x));
    DAL_TRY(add_vertex(r, x));
    const int v = r->mesh->nvertices;
    return ++*corners == 3 ? add_triangle(r, v - 3, v - 2, v - 1) : DAL_OK;
}

static dal_status read_ascii_stl(reader *r)
{
    int corners = 0;
    for (; r->p < r->end; next_line(r)) {
        const char *word;
        const size_t n = next_word(r, &word);
        if (is_word(word, n, "vertex")) {
            DAL_TRY(read_vertex(r, &corners));
        } else if (is_word(word, n, "endloop")) {
            if (corners != 3) {
                return dal_fail(r->ctx, DAL_EINVAL, "mesh '%s', line %d: a facet with %d vertices instead of 3",
                                r->name, r->line, corners);
            }
            corners = 0;
        }
    }
    return DAL_OK;
}

/* ---- OBJ -------------------------------------------------------------------------------------- */

/* A corner "7", "7/2", "7//3", "-1": the number of a vertex, counted from 1, or from the last one backwards. */
static dal_status read_corner(reader *r, const char *word, size_t n, int *vertex)
{
    const char *slash = memchr(word, '/', n);
    double value = 0.0;
    const int ok = dal_number_parse(&value, word, slash ? (size_t)(slash - word) : n);
    const double number = value < 0.0 ? r->mesh->nvertices + value : value - 1.0;
    if (!ok || floor(value) != value || !(number >= 0.0 && number < r->mesh->nvertices)) {
        return dal_fail(r->ctx, DAL_EINVAL, "mesh '%s', line %d: '%.*s' is not one of the %d vertices before it",
                        r->name, r->line, (int)(n < 20 ? n : 20), word, r->mesh->nvertices);
    }
    *vertex = (int)number;
    return DAL_OK;
}

/* A face with more than three corners becomes a fan. */
static dal_status read_face(reader *r)
{
    int first = 0, last = 0, count = 0;
    for (;;) {
        const char *word;
        const size_t n = next_word(r, &word);
        int v = 0;
        if (n == 0) {
            break;
        }
        DAL_TRY(read_corner(r, word, n, &v));
        if (++count == 1) {
            first = v;
        } else if (count > 2) {
            DAL_TRY(add_triangle(r, first, last, v));
        }
        last = v;
    }
    return count >= 3
               ? DAL_OK
               : dal_fail(r->ctx, DAL_EINVAL, "mesh '%s', line %d: a face with %d corners", r->name, r->line, count);
}

static dal_status read_obj(reader *r)
{
    for (; r->p < r->end; next_line(r)) {
        const char *word;
        const size_t n = next_word(r, &word);
        if (is_word(word, n, "v")) {
            double x[3];
            DAL_TRY(read_point(r, x));
            DAL_TRY(add_vertex(r, x));
        } else if (is_word(word, n, "f")) {
            DAL_TRY(read_face(r));
        }
    }
    return DAL_OK;
}

/* ---- any of them ------------------------------------------------------------------------------ */

static int ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), k = strlen(ending);
    for (size_t i = 0; i < k; ++i) {
        if (n < k || tolower((unsigned char)name[n - k + i]) != ending[i]) {
            return 0;
        }
    }
    return 1;
}

static dal_status read_any(reader *r)
{
    if (ends_with(r->name, ".obj")) {
        DAL_TRY(read_obj(r));
    } else if (!ends_with(r->name, ".stl")) {
        return dal_fail(r->ctx, DAL_EINVAL, "mesh '%s': the name must end in .stl or .obj", r->name);
    } else if (is_binary_stl(r)) {
        DAL_TRY(read_binary_stl(r));
    } else if (r->end - r->p >= 5 && memcmp(r->p, "solid", 5) == 0) {
        DAL_TRY(read_ascii_stl(r));
    } else {
        return dal_fail(r->ctx, DAL_EINVAL,
                        "mesh '%s' is neither a binary STL file (its size does not fit its number of triangles) nor an "
                        "ASCII one (it does not begin with 'solid')",
                        r->name);
    }
    DAL_TRY(dal_mesh_join(r->mesh, r->ctx));
    return r->mesh->ntriangles > 0
               ? DAL_OK
               : dal_fail(r->ctx, DAL_EINVAL,
                          "mesh '%s' has no triangles (or it is a binary STL file that is cut short)", r->name);
}

dal_status dal_mesh_create(dal_mesh **mesh, dal_ctx *ctx, const void *bytes, size_t size, const char *name)
{
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, mesh);
    *mesh = NULL;
    DAL_NEED(ctx, bytes);
    DAL_NEED(ctx, name);
    reader r = {.ctx = ctx, .name = name, .p = bytes, .end = (const char *)bytes + size, .line = 1};
    r.mesh = dal_alloc_zero(ctx, sizeof *r.mesh);
    if (!r.mesh) {
        return dal_fail(ctx, DAL_ENOMEM, "no memory for the mesh '%s'", name);
    }
    const dal_status st = read_any(&r);
    if (st != DAL_OK) {
        dal_mesh_destroy(r.mesh, ctx);
        return st;
    }
    *mesh = r.mesh;
    return DAL_OK;
}
