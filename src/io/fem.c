/* Finite element bodies of model files: matrices, nodes and sets from files of their own, reduced when the model is read. */
#include "dalembert/fem.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "dalembert/io.h"
#include "io/io_impl.h"
#include "io/matrices.h"

/* A number of a node and its index, ascending by the numbers. */
typedef struct label {
    double number;
    int index;
} label;

typedef struct source {
    io_loader *L;
    dal_pool pool; /* files, until the body is reduced */
    dal_fem *fem;
    label *labels; /* nnodes; NULL: nodes are counted from 0 */
} source;

/* ---- files ------------------------------------------------------------------------------------ */

static dal_status read_table(source *s, io_table *t, const io_node *at, const char *name)
{
    char *path;
    DAL_TRY(dal_io_path(s->L, &path, at));
    const dal_status st = dal_io_table_read(t, &s->pool, path, name);
    return st == DAL_OK ? st : dal_io_fail_at(s->L, at, st);
}

static dal_status read_matrix(source *s, io_matrix *m, const io_node *at, const char *name)
{
    char *path;
    DAL_TRY(dal_io_path(s->L, &path, at));
    const dal_status st = dal_io_matrix_read(m, &s->pool, path, name);
    return st == DAL_OK ? st : dal_io_fail_at(s->L, at, st);
}

static int by_number(const void *a, const void *b)
{
    const double x = ((const label *)a)->number, y = ((const label *)b)->number;
    return (x > y) - (x < y);
}

/* The index of a node; -1: there is none. */
static int find_node(const source *s, double number)
{
    if (s->labels == NULL) {
        return number >= 0.0 && number < s->fem->nnodes && number == floor(number) ? (int)number : -1;
    }
    const label key = {.number = number};
    const label *found = bsearch(&key, s->labels, (size_t)s->fem->nnodes, sizeof key, by_number);
    return found != NULL ? found->index : -1;
}

static dal_status no_node(const source *s, const io_node *at, double number)
{
    return s->labels == NULL ? dal_io_fail(s->L, at, "node %.15g is not one of 0 .. %d", number, s->fem->nnodes - 1)
                             : dal_io_fail(s->L, at, "no node has the number %.15g", number);
}

/* x, y, z in each line, or a number before them. */
static dal_status read_nodes(source *s, const io_node *at)
{
    io_table t;
    double *place;
    DAL_TRY(read_table(s, &t, at, "nodes"));
    if (t.cols != 3 && t.cols != 4) {
        return dal_io_fail(s->L, at, "a line has %d numbers; x, y, z are wanted, or the number of the node and these",
                           t.cols);
    }
    s->fem->nnodes = t.rows;
    DAL_TAKE(&s->pool, place, 3 * (size_t)t.rows);
    for (int i = 0; i < t.rows; ++i) {
        memcpy(place + 3 * (size_t)i, t.x + (size_t)t.cols * (size_t)i + (t.cols - 3), 3 * sizeof(double));
    }
    s->fem->node = place;
    if (t.cols == 4) {
        label *list;
        DAL_TAKE(&s->pool, list, t.rows);
        for (int i = 0; i < t.rows; ++i) {
            list[i] = (label){t.x[4 * (size_t)i], i};
        }
        qsort(list, (size_t)t.rows, sizeof *list, by_number);
        for (int i = 1; i < t.rows; ++i) {
            if (list[i].number == list[i - 1].number) {
                return dal_io_fail(s->L, at, "two nodes have the number %.15g", list[i].number);
            }
        }
        s->labels = list;
    }
    return DAL_OK;
}

static dal_status read_matrices(source *s, const io_node *at)
{
    static const char *const name[2] = {"M", "K"};
    dal_entries *to[2] = {&s->fem->M, &s->fem->K};
    io_matrix m[2];
    DAL_TRY(dal_io_object(s->L, at, dal_io_form("fem_matrices")));
    for (int k = 0; k < 2; ++k) {
        io_node child;
        DAL_TRY(dal_io_need(&child, s->L, at, name[k]));
        DAL_TRY(read_matrix(s, &m[k], &child, name[k]));
        if (m[k].rows != m[k].cols) {
            return dal_io_fail(s->L, &child, "%d rows and %d columns are not those of a symmetric matrix", m[k].rows,
                               m[k].cols);
        }
        *to[k] = (dal_entries){m[k].n, m[k].row, m[k].col, m[k].x};
    }
    if (m[0].rows != m[1].rows) {
        return dal_io_fail(s->L, at, "M has %d rows, K %d", m[0].rows, m[1].rows);
    }
    s->fem->ndofs = m[0].rows;
    return DAL_OK;
}

/* Node and component of each row. */
static dal_status read_rows(source *s, const io_node *at)
{
    io_table t;
    int *dof;
    DAL_TRY(read_table(s, &t, at, "rows"));
    if (t.cols != 2 || t.rows != s->fem->ndofs) {
        return dal_io_fail(
            s->L, at,
            "%d lines of %d numbers; the matrices have %d rows, and each is a node and a component from 1 to 6", t.rows,
            t.cols, s->fem->ndofs);
    }
    DAL_TAKE(&s->pool, dof, t.rows);
    for (int i = 0; i < t.rows; ++i) {
        const double *x = t.x + 2 * (size_t)i;
        const int node = find_node(s, x[0]);
        if (node < 0) {
            return no_node(s, at, x[0]);
        }
        if (!(x[1] >= 1.0 && x[1] <= 6.0 && x[1] == floor(x[1]))) {
            return dal_io_fail(s->L, at, "row %d: component %g is not one of 1 to 6", i + 1, x[1]);
        }
        dof[i] = 6 * node + (int)x[1] - 1;
    }
    s->fem->dof = dof;
    return DAL_OK;
}

/* Faces of three or four nodes, or the two nodes of a beam. */
static dal_status read_surface(source *s, const io_node *at)
{
    io_table t;
    int *triangle;
    DAL_TRY(read_table(s, &t, at, "surface"));
    if (t.cols < 2 || t.cols > 4) {
        return dal_io_fail(s->L, at, "a line has %d numbers; a face has three or four nodes, a beam two", t.cols);
    }
    DAL_TAKE(&s->pool, triangle, 6 * (size_t)t.rows);
    for (int i = 0; i < t.rows; ++i) {
        int node[4];
        for (int k = 0; k < t.cols; ++k) {
            const double number = t.x[(size_t)t.cols * (size_t)i + (size_t)k];
            node[k] = find_node(s, number);
            if (node[k] < 0) {
                return no_node(s, at, number);
            }
        }
        node[t.cols == 2 ? 2 : 3] = node[t.cols - 1];
        for (int k = 0; k < (t.cols == 4 ? 2 : 1); ++k) {
            const int three[3] = {node[0], node[k + 1], node[k + 2]};
            memcpy(triangle + 3 * (size_t)s->fem->ntriangles++, three, sizeof three);
        }
    }
    s->fem->triangle = triangle;
    return DAL_OK;
}

static dal_status read_recovery(source *s, const io_node *at)
{
    io_matrix m;
    DAL_TRY(read_matrix(s, &m, at, "recovery"));
    if (m.cols > s->fem->ndofs || m.rows < 1) {
        return dal_io_fail(s->L, at, "%d columns, but the matrices of the body have %d", m.cols, s->fem->ndofs);
    }
    s->fem->nrecovery = m.rows;
    s->fem->recovery = (dal_entries){m.n, m.row, m.col, m.x};
    return DAL_OK;
}

/* ---- sets of nodes ---------------------------------------------------------------------------- */

/* Nodes in a list of numbers. */
static dal_status take_nodes(source *s, dal_fem_interface *face, const io_node *at, const double *number, int n)
{
    int *node;
    DAL_TAKE(&s->pool, node, n + 1);
    for (int i = 0; i < n; ++i) {
        node[i] = find_node(s, number[i]);
        if (node[i] < 0) {
            return no_node(s, at, number[i]);
        }
    }
    face->node = node;
    face->n = n;
    return DAL_OK;
}

static dal_status nodes_in_box(source *s, dal_fem_interface *face, const io_node *at)
{
    double corner[2][3];
    int *node;
    DAL_TRY(dal_io_list(s->L, at, 2, 2));
    for (size_t k = 0; k < 2; ++k) {
        const io_node element = dal_io_element(at, k);
        DAL_TRY(dal_io_constants(s->L, corner[k], &element, 3));
    }
    DAL_TAKE(&s->pool, node, s->fem->nnodes);
    for (int i = 0; i < s->fem->nnodes; ++i) {
        int inside = 1;
        for (int c = 0; c < 3; ++c) {
            const double x = s->fem->node[3 * (size_t)i + (size_t)c], a = corner[0][c], b = corner[1][c];
            const double rounding = 1e-9 * (fabs(a) + fabs(b));
            inside = inside && x >= fmin(a, b) - rounding && x <= fmax(a, b) + rounding;
        }
        if (inside) {
            node[face->n++] = i;
        }
    }
    face->node = node;
    return face->n > 0 ? DAL_OK : dal_io_fail(s->L, at, "there is no node in this box");
}

static dal_status read_weights(source *s, dal_fem_interface *face, const io_node *at)
{
    double *weight;
    if (!face->average) {
        return dal_io_fail(s->L, at, "weights belong to a set of kind average");
    }
    DAL_TAKE(&s->pool, weight, face->n + 1);
    DAL_TRY(dal_io_constants(s->L, weight, at, face->n));
    face->weight = weight;
    return DAL_OK;
}

static dal_status read_set(source *s, dal_fem_interface *face, const io_node *at)
{
    io_node_set set = {.kind = 0};
    io_node list, file, box, child;
    io_table t = {0};
    DAL_TRY(dal_io_read(s->L, &set, NULL, at, dal_io_form("node_set")));
    face->average = set.kind;
    const int has_list = dal_io_member(&list, at, "nodes"), has_file = dal_io_member(&file, at, "file");
    const int has_box = dal_io_member(&box, at, "box");
    if (has_list + has_file + has_box != 1) {
        return dal_io_fail(s->L, at, "a set of nodes has one of nodes, file, box");
    }
    if (has_list) {
        DAL_TRY(dal_io_list(s->L, &list, 1, IO_LIST_MAX));
        t.rows = (int)dal_io_length(&list);
        t.cols = 1;
        DAL_TAKE(&s->pool, t.x, t.rows);
        DAL_TRY(dal_io_constants(s->L, t.x, &list, t.rows));
    } else if (has_file) {
        DAL_TRY(read_table(s, &t, &file, face->name));
    }
    if ((double)t.rows * t.cols > INT_MAX / 2) {
        return dal_io_fail(s->L, at, "there are too many nodes");
    }
    DAL_TRY(has_box ? nodes_in_box(s, face, &box)
                    : take_nodes(s, face, has_list ? &list : &file, t.x, t.rows * t.cols));
    return dal_io_member(&child, at, "weights") ? read_weights(s, face, &child) : DAL_OK;
}

static dal_status read_interfaces(source *s, const io_node *at)
{
    io_names names = {0};
    const int named = dal_json_is(at->json, DAL_JSON_OBJECT);
    DAL_TRY(named ? DAL_OK : dal_io_list(s->L, at, 0, 1000));
    const size_t n = named ? dal_json_members(at->json) : dal_io_length(at);
    dal_fem_interface *face;
    if (n > 1000) {
        return dal_io_fail(s->L, at, "there are more than 1000 interfaces");
    }
    DAL_TAKE(&s->pool, face, n + 1);
    for (size_t k = 0; k < n; ++k) {
        const io_node element = dal_io_item(at, k);
        DAL_TRY(dal_io_node_name(s->L, &names, &element));
        face[k].name = names.name[k];
        if (dal_json_is(element.json, DAL_JSON_OBJECT)) {
            DAL_TRY(read_set(s, &face[k], &element));
        } else {
            double number;
            DAL_TRY(dal_io_constant(s->L, &number, &element));
            DAL_TRY(take_nodes(s, &face[k], &element, &number, 1));
        }
    }
    s->fem->ninterfaces = (int)n;
    s->fem->interfaces = face;
    return DAL_OK;
}

/* ---- the body --------------------------------------------------------------------------------- */

static dal_status read_parts(source *s, const io_node *at)
{
    static const struct {
        const char *key;
        dal_status (*read)(source *s, const io_node *at);
    } part[] = {{"nodes", read_nodes},           {"matrices", read_matrices}, {"rows", read_rows},
                {"interfaces", read_interfaces}, {"surface", read_surface},   {"recovery", read_recovery}};
    io_node child;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; ++k) {
        if (dal_io_member(&child, at, part[k].key)) {
            DAL_TRY(part[k].read(s, &child));
        }
    }
    const int by_number = dal_io_member(&child, at, "modes"), by_frequency = dal_io_member(&child, at, "frequency");
    if (by_number + by_frequency != 1) {
        return dal_io_fail(s->L, at, "either modes, how many vibrations, or frequency, below which all are taken");
    }
    if (by_frequency && !(s->fem->frequency > 0.0)) {
        return dal_io_fail(s->L, &child, "%g Hz is not positive", s->fem->frequency);
    }
    return DAL_OK;
}

static dal_status reduce(source *s, io_fem *data, dal_fem_result **result, const io_node *at)
{
    io_texts texts;
    DAL_TRY(dal_io_read(s->L, data, &texts, at, dal_io_form("fem")));
    data->fem.method = (dal_fem_method)data->method;
    data->fem.reference = data->reference;
    if (!(data->fem.length > 0.0 && data->fem.mass > 0.0 && data->fem.stiffness_factor > 0.0 &&
          data->fem.mass_factor > 0.0)) {
        return dal_io_fail(s->L, at, "units are positive numbers, and so are factors");
    }
    DAL_TRY(read_parts(s, at));
    const dal_status st = dal_fem_reduce(result, s->L->ctx, &data->fem);
    return st == DAL_OK ? st : dal_io_fail_at(s->L, at, st);
}

dal_status dal_io_fem(io_loader *L, const dal_modes **modes, const io_node *at)
{
    io_fem data = {.fem = {.length = 1.0, .mass = 1.0, .stiffness_factor = 1.0, .mass_factor = 1.0}};
    source s = {.L = L, .pool = {.ctx = L->ctx, .what = "a finite element body"}, .fem = &data.fem};
    dal_fem_result *result = NULL;
    const dal_status st = reduce(&s, &data, &result, at);
    dal_pool_release(&s.pool);
    DAL_TRY(st);
    io_reduction *kept = dal_pool_take(&L->doc->pool, 1, sizeof *kept);
    if (kept == NULL) {
        dal_fem_destroy(result);
        return DAL_ENOMEM;
    }
    *kept = (io_reduction){.result = result, .next = L->doc->reductions};
    L->doc->reductions = kept;
    *modes = &result->modes;
    return DAL_OK;
}

void dal_io_reductions_destroy(io_reduction *list)
{
    for (; list != NULL; list = list->next) {
        dal_fem_destroy(list->result);
    }
}

const dal_fem_result *dal_document_reduced(const dal_document *doc, int body)
{
    const io_reduction *r = doc != NULL ? doc->reductions : NULL;
    while (r != NULL && r->body != body) {
        r = r->next;
    }
    return r != NULL ? r->result : NULL;
}
