#include "problems/table.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The node at a path of keys separated by '/', or NULL. */
static const json_t *json_at(const json_t *node, const char *path)
{
    char key[64];
    while (*path != '\0' && node != NULL) {
        const size_t n = strcspn(path, "/");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        node = json_object_get(node, key);
        path += n + (path[n] == '/');
    }
    return node;
}

static dal_status table_fill(table *tab, dal_ctx *ctx, const json_t *names, const json_t *rows)
{
    tab->ncols = (int)json_array_size(names);
    tab->nrows = (int)json_array_size(rows);
    if (tab->ncols == 0 || tab->nrows == 0) {
        return dal_fail(ctx, DAL_EINVAL, "there is no such table in the file");
    }
    tab->name = calloc((size_t)tab->ncols, sizeof *tab->name);
    tab->x = calloc((size_t)tab->ncols * (size_t)tab->nrows, sizeof *tab->x);
    if (tab->name == NULL || tab->x == NULL) {
        return dal_fail(ctx, DAL_ENOMEM, "table of %d numbers", tab->ncols * tab->nrows);
    }
    for (int j = 0; j < tab->ncols; ++j) {
        snprintf(tab->name[j], sizeof tab->name[j], "%s", json_string_value(json_array_get(names, (size_t)j)));
        for (int i = 0; i < tab->nrows; ++i) {
            const json_t *row = json_array_get(rows, (size_t)i);
            tab->x[i * tab->ncols + j] = json_number_value(json_array_get(row, (size_t)j));
        }
    }
    return DAL_OK;
}

dal_status table_load(table *tab, dal_ctx *ctx, const char *file, const char *columns, const char *rows)
{
    char path[512];
    *tab = (table){0};
    snprintf(path, sizeof path, "%s/%s.json", PROBLEM_DATA_DIR, file);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        return dal_fail(ctx, DAL_EINVAL, "%s:%d: %s", path, error.line, error.text);
    }
    const dal_status st = table_fill(tab, ctx, json_at(root, columns), json_at(root, rows));
    json_decref(root);
    if (st != DAL_OK) {
        table_free(tab);
        return dal_fail_in(ctx, st, "%s, %s", path, rows);
    }
    return DAL_OK;
}

void table_free(table *tab)
{
    free(tab->name);
    free(tab->x);
    *tab = (table){0};
}

int table_column(const table *tab, const char *name)
{
    for (int j = 0; j < tab->ncols; ++j) {
        if (strcmp(tab->name[j], name) == 0) {
            return j;
        }
    }
    return -1;
}

double table_get(const table *tab, int row, const char *name)
{
    const int j = table_column(tab, name);
    return j < 0 ? NAN : tab->x[row * tab->ncols + j];
}

/* Copy the columns that the map names. */
static dal_status reference_fill(reference *ref, const problem *p, const table *tab)
{
    char what = 0, name[24];
    int index = 0, used = 0;
    if (tab->x == NULL) {
        return dal_fail(p->ctx, DAL_EINVAL, "%s: the table is empty", p->name);
    }
    for (const char *s = p->table.map; sscanf(s, " %c%d=%23s%n", &what, &index, name, &used) == 3; s += used) {
        const double sign = name[0] == '-' ? -1.0 : 1.0;
        const int j = table_column(tab, name + (name[0] == '-'));
        double *x = what == 'q' ? ref->q : what == 'v' ? ref->v : what == 'a' ? ref->vd : ref->la;
        const int size = what == 'q' ? p->nq : what == 'l' ? p->nc : p->nv;
        if (j < 0 || index >= size) {
            return dal_fail(p->ctx, DAL_EINVAL, "%s: '%c%d=%s' does not fit the table", p->name, what, index, name);
        }
        for (int i = 0; i < ref->n; ++i) {
            x[i * size + index] = sign * tab->x[i * tab->ncols + j];
        }
    }
    return DAL_OK;
}

dal_status reference_load(reference *ref, const problem *p)
{
    table tab;
    *ref = (reference){0};
    DAL_TRY(table_load(&tab, p->ctx, p->table.file, p->table.columns, p->table.rows));
    const int n = tab.nrows, size = n * (1 + p->nq + 2 * p->nv + p->nc);
    double *x = size > 0 ? malloc((size_t)size * sizeof *x) : NULL;
    dal_status st = x == NULL ? dal_fail(p->ctx, DAL_ENOMEM, "reference of %s", p->name) : DAL_OK;
    if (st == DAL_OK) {
        for (int i = 0; i < size; ++i) {
            x[i] = i < n ? tab.x[i * tab.ncols] : NAN;
        }
        *ref = (reference){.n = n, .t = x, .q = x + n};
        ref->v = ref->q + n * p->nq;
        ref->vd = ref->v + n * p->nv;
        ref->la = ref->vd + n * p->nv;
        st = reference_fill(ref, p, &tab);
    }
    table_free(&tab);
    if (st != DAL_OK) {
        reference_free(ref);
    }
    return st;
}

void reference_free(reference *ref)
{
    free(ref->t);
    *ref = (reference){0};
}
