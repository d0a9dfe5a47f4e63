/* Shapes of flexible bodies from elsewhere: nodes, lumped masses, shape vectors, in the model or in a file of their own. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/hdf5.h"
#include "io/io_impl.h"

/* ---- lists of lists --------------------------------------------------------------------------- */

/* Numbers in lists within lists of the lengths size[0 .. n-1], the last one innermost, written one after the other. */
static dal_status read_nested(const io_loader *L, const io_node *at, const int *size, int n, double **x)
{
    if (n == 1) {
        DAL_TRY(dal_io_constants(L, *x, at, size[0]));
        *x += size[0];
        return DAL_OK;
    }
    DAL_TRY(dal_io_list(L, at, (size_t)size[0], (size_t)size[0]));
    for (int k = 0; k < size[0]; ++k) {
        const io_node element = dal_io_element(at, (size_t)k);
        DAL_TRY(read_nested(L, &element, size + 1, n - 1, x));
    }
    return DAL_OK;
}

/* The same into memory of its own. */
static dal_status read_array(io_loader *L, const io_node *at, const int *size, int n, double **x)
{
    double total = 1.0;
    for (int k = 0; k < n; ++k) {
        total *= size[k];
    }
    if (total > 0.5 * IO_BYTES_MAX) { // a number and its comma: more than any file has
        return dal_io_fail(L, at, "%.3g numbers are too many", total);
    }
    DAL_TAKE(L->scratch, *x, total);
    double *next = *x;
    return read_nested(L, at, size, n, &next);
}

static dal_status read_member(io_loader *L, const io_node *at, const char *key, int needed, const int *size, int n,
                              double **x)
{
    io_node child;
    if (!dal_io_member(&child, at, key)) {
        return needed ? dal_io_need(&child, L, at, key) : DAL_OK;
    }
    return read_array(L, &child, size, n, x);
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* Each of the nodes, of which there are `total` in all, is listed once. */
static dal_status check_distinct(const io_loader *L, const io_node *at, const int *node, int total)
{
    char *seen;
    DAL_TAKE(L->scratch, seen, total);
    for (size_t i = 0; i < dal_io_length(at); ++i) {
        if (seen[node[i]]++) {
            const io_node element = dal_io_element(at, i);
            return dal_io_fail(L, &element, "node %d is listed twice; a larger weight makes it count for more",
                               node[i]);
        }
    }
    return DAL_OK;
}

/* {"nodes": [...], "weights": [...]}: the mean of several nodes. */
static dal_status read_average(io_loader *L, const io_node *at, io_modes *m)
{
    io_node child;
    DAL_TRY(dal_io_object(L, at, dal_io_form("interface")));
    DAL_TRY(dal_io_need(&child, L, at, "nodes"));
    DAL_TRY(dal_io_list(L, &child, 1, IO_LIST_MAX));
    const int n = (int)dal_io_length(&child);
    dal_average *by = &m->average[m->modes.naverages++];
    int *node;
    double *weight;
    DAL_TAKE(L->scratch, node, n);
    DAL_TAKE(L->scratch, weight, n);
    *by = (dal_average){n, node, weight};
    for (int i = 0; i < n; ++i) {
        const io_node element = dal_io_element(&child, (size_t)i);
        DAL_TRY(dal_io_integer(L, &node[i], &element));
        if (node[i] < 0 || node[i] >= m->modes.nnodes) {
            return dal_io_fail(L, &element, "node %d is not one of 0 .. %d", node[i], m->modes.nnodes - 1);
        }
        weight[i] = 1.0;
    }
    DAL_TRY(check_distinct(L, &child, node, m->modes.nnodes));
    if (!dal_io_member(&child, at, "weights")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_constants(L, weight, &child, n));
    for (int i = 0; i < n; ++i) {
        if (!(weight[i] > 0.0)) {
            return dal_io_fail(L, &child, "weights must be positive, not %g", weight[i]);
        }
        if (!(weight[i] >= 1e-30 && weight[i] <= 1e30)) {
            return dal_io_fail(L, &child, "weights lie between 1e-30 and 1e30, unlike %g; only their ratios matter",
                               weight[i]);
        }
    }
    return DAL_OK;
}

/* A list of nodes, called "1", "2", ..., or an object of nodes by name; nodes are counted from 0, and each may be a mean of
 * several. */
static dal_status read_interfaces(io_loader *L, const io_node *at, io_modes *m)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "interfaces"));
    const int named = dal_json_is(child.json, DAL_JSON_OBJECT);
    DAL_TRY(named ? DAL_OK : dal_io_list(L, &child, 0, IO_LIST_MAX));
    const size_t n = named ? dal_json_members(child.json) : dal_io_length(&child);
    DAL_TAKE(L->scratch, m->interfaces, n);
    DAL_TAKE(L->scratch, m->average, n);
    for (size_t k = 0; k < n; ++k) {
        const io_node element = dal_io_item(&child, k);
        int *node = &m->interfaces[k];
        if (dal_json_is(element.json, DAL_JSON_OBJECT)) {
            *node = m->modes.nnodes + m->modes.naverages;
            DAL_TRY(read_average(L, &element, m));
        } else {
            DAL_TRY(dal_io_integer(L, node, &element));
        }
        if (*node < 0 || *node >= m->modes.nnodes + m->modes.naverages) {
            return dal_io_fail(L, &element, "node %d is not one of 0 .. %d", *node, m->modes.nnodes - 1);
        }
        DAL_TRY(dal_io_node_name(L, &m->names, &element));
    }
    m->modes.ninterfaces = (int)n;
    m->modes.interfaces = m->interfaces;
    m->modes.average = m->average;
    m->modes.interface_name = (const char *const *)m->names.name;
    return DAL_OK;
}

/* One number for each mode, or a symmetric matrix. */
static dal_status read_stiffness(io_loader *L, const io_node *at, io_modes *m)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "stiffness"));
    DAL_TRY(dal_io_list(L, &child, 0, IO_LIST_MAX));
    const int n = (int)dal_io_length(&child), size[2] = {n, n};
    const int matrix = dal_json_is(dal_json_item(child.json, 0), DAL_JSON_LIST);
    m->modes.nmodes = n;
    DAL_TRY(read_array(L, &child, size, matrix ? 2 : 1, &m->list[IO_STIFFNESS]));
    *(matrix ? &m->modes.stiffness_matrix : &m->modes.stiffness) = m->list[IO_STIFFNESS];
    return DAL_OK;
}

/* Integrals over the mass, instead of masses at nodes. */
static dal_status read_sums(io_loader *L, const io_node *at, io_modes *m)
{
    io_node child;
    const int given = dal_io_member(&child, at, "rigid"), n = m->modes.nmodes, needed = given && n > 0;
    const int ten = 10, three[2] = {n, 3}, nine[3] = {n, n, 9}, square[2] = {n, n};
    double **list = m->list;
    DAL_TRY(read_member(L, at, "rigid", 0, &ten, 1, &list[IO_RIGID]));
    DAL_TRY(read_member(L, at, "shape_sums", needed, three, 2, &list[IO_SHAPE_SUMS]));
    DAL_TRY(read_member(L, at, "place_sums", needed, nine + 1, 2, &list[IO_PLACE_SUMS]));
    DAL_TRY(read_member(L, at, "product_sums", needed, nine, 3, &list[IO_PRODUCT_SUMS]));
    DAL_TRY(read_member(L, at, "modal_mass", needed, square, 2, &list[IO_MODAL_MASS]));
    if (!given) {
        return DAL_OK;
    }
    if (list[IO_MASSES] != NULL || list[IO_INERTIAS] != NULL || list[IO_FORESHORTENING] != NULL) {
        return dal_io_fail(L, at,
                           "either masses and inertias of nodes, with foreshortening if wanted, or rigid and sums");
    }
    m->sums = (dal_flexible_sums){.mass = list[IO_RIGID][0],
                                  .shape = list[IO_SHAPE_SUMS],
                                  .place = list[IO_PLACE_SUMS],
                                  .product = list[IO_PRODUCT_SUMS],
                                  .modal_mass = list[IO_MODAL_MASS]};
    memcpy(m->sums.first, list[IO_RIGID] + 1, sizeof m->sums.first);
    memcpy(m->sums.inertia, list[IO_RIGID] + 4, sizeof m->sums.inertia);
    m->modes.sums = &m->sums;
    return DAL_OK;
}

static dal_status read_triangles(io_loader *L, const io_node *at, io_modes *m)
{
    io_node child;
    int *node;
    if (!dal_io_member(&child, at, "triangles")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_list(L, &child, 0, 10 * IO_LIST_MAX));
    const int n = (int)dal_io_length(&child), size[2] = {n, 3};
    DAL_TRY(read_array(L, &child, size, 2, &m->list[IO_TRIANGLES]));
    DAL_TAKE(L->scratch, node, 3 * (size_t)n + 1);
    for (int k = 0; k < 3 * n; ++k) {
        const double x = m->list[IO_TRIANGLES][k];
        if (!(x >= 0.0 && x < m->modes.nnodes && x == (double)(int)x)) {
            return dal_io_fail(L, &child, "triangle %d: node %g is not one of 0 .. %d", k / 3, x, m->modes.nnodes - 1);
        }
        node[k] = (int)x;
    }
    m->modes.ntriangles = n;
    m->modes.triangle = node;
    return DAL_OK;
}

static dal_status read_recovery(io_loader *L, const io_node *at, io_modes *m)
{
    io_node child;
    if (!dal_io_member(&child, at, "recovery") || m->modes.nmodes == 0) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_list(L, &child, (size_t)m->modes.nmodes, (size_t)m->modes.nmodes));
    const io_node first = dal_io_element(&child, 0);
    const int size[2] = {m->modes.nmodes, (int)dal_io_length(&first)};
    DAL_TRY(read_array(L, &child, size, 2, &m->list[IO_RECOVERY]));
    m->modes.nrecovery = size[1];
    m->modes.recovery = m->list[IO_RECOVERY];
    return DAL_OK;
}

dal_status dal_io_modes(io_loader *L, io_modes *m, const io_node *at)
{
    io_node child;
    DAL_TRY(dal_io_object(L, at, dal_io_form("modes")));
    DAL_TRY(dal_io_need(&child, L, at, "nodes"));
    DAL_TRY(dal_io_list(L, &child, 1, IO_LIST_MAX));
    m->modes.nnodes = (int)dal_io_length(&child);
    DAL_TRY(read_stiffness(L, at, m));
    const int N = m->modes.nnodes, n = m->modes.nmodes;
    const int place[2] = {N, 3}, six[2] = {N, 6}, shape[3] = {N, n, 3}, second[4] = {N, n, n, 3};
    double **list = m->list;
    DAL_TRY(read_member(L, at, "nodes", 1, place, 2, &list[IO_NODES]));
    DAL_TRY(read_member(L, at, "masses", !dal_io_member(&child, at, "rigid"), place, 1, &list[IO_MASSES]));
    DAL_TRY(read_member(L, at, "inertias", 0, six, 2, &list[IO_INERTIAS]));
    DAL_TRY(read_member(L, at, "shapes", 1, shape, 3, &list[IO_SHAPES]));
    DAL_TRY(read_member(L, at, "rotations", 0, shape, 3, &list[IO_ROTATIONS]));
    DAL_TRY(read_member(L, at, "foreshortening", 0, second, 4, &list[IO_FORESHORTENING]));
    DAL_TRY(read_member(L, at, "damping", 0, shape + 1, 1, &list[IO_DAMPING]));
    m->modes.node = list[IO_NODES];
    m->modes.mass = list[IO_MASSES];
    m->modes.inertia = list[IO_INERTIAS];
    m->modes.shape = list[IO_SHAPES];
    m->modes.rotation = list[IO_ROTATIONS];
    m->modes.foreshortening = list[IO_FORESHORTENING];
    m->modes.damping = list[IO_DAMPING];
    DAL_TRY(read_sums(L, at, m));
    DAL_TRY(read_triangles(L, at, m));
    DAL_TRY(read_recovery(L, at, m));
    return read_interfaces(L, at, m);
}

/* ---- files ------------------------------------------------------------------------------------ */

dal_status dal_io_modes_file(io_loader *L, io_modes *m, const io_node *at)
{
    char *path;
    const dal_json *json;
    DAL_TRY(dal_io_path(L, &path, at));
    dal_status st =
        dal_h5_is_file(path) ? dal_io_modes_hdf5(L->ctx, &json, path) : dal_io_json_file(L->ctx, &json, path);
    if (st != DAL_OK) {
        st = dal_io_fail_at(L, at, st);
    } else {
        const char *model = L->source;
        const io_node root = {.json = json};
        L->source = path;
        st = dal_io_check_texts(L, &root);
        st = st == DAL_OK ? dal_io_modes(L, m, &root) : st;
        L->source = model;
        dal_json_destroy(json, L->ctx);
    }
    return st;
}
