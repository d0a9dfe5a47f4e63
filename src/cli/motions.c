#include "cli/motions.h"

#include <stdlib.h>
#include <string.h>

/* x, x', x'' of the quintic through values, velocities and accelerations at both ends of an interval of length h, at the
 * part s of it. */
static void quintic(double y[3], double s, double h, const double x[2], const double v[2], const double a[2])
{
    const double d = x[1] - x[0] - h * v[0] - 0.5 * h * h * a[0];
    const double e = h * (v[1] - v[0] - h * a[0]), f = h * h * (a[1] - a[0]);
    const double c3 = 10.0 * d - 4.0 * e + 0.5 * f, c4 = -15.0 * d + 7.0 * e - f, c5 = 6.0 * d - 3.0 * e + 0.5 * f;
    y[0] = x[0] + s * (h * v[0] + s * (0.5 * h * h * a[0] + s * (c3 + s * (c4 + s * c5))));
    y[1] = v[0] + s * a[0] * h + s * s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)) / h;
    y[2] = a[0] + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5)) / (h * h);
}

static dal_status hermite_value(double y[3], double t, void *user)
{
    const cli_hermite *f = user;
    int lo = 0, hi = f->n - 1;
    while (hi - lo > 1) {
        const int mid = (lo + hi) / 2;
        *(t < f->t[mid] ? &hi : &lo) = mid;
    }
    const double h = f->t[hi] - f->t[lo];
    quintic(y, (t - f->t[lo]) / h, h, (double[]){f->x[lo], f->x[hi]}, (double[]){f->v[lo], f->v[hi]},
            (double[]){f->a[lo], f->a[hi]});
    if (t == f->t[hi]) { // without the rounding of the polynomial
        y[0] = f->x[hi];
        y[1] = f->v[hi];
        y[2] = f->a[hi];
    }
    return DAL_OK;
}

/* The motion of a coordinate by a function of the model. */
static int add(cli_motions *o, cli_model *m, const char *name, int function)
{
    const int code = drives_add(m, &o->joint[o->n], name, function);
    if (code == CLI_OK) {
        o->name[o->n++] = cli_copy(name);
    }
    return code;
}

static int trim(char **text)
{
    while (**text == ' ') {
        ++*text;
    }
    size_t n = strlen(*text);
    while (n > 0 && (*text)[n - 1] == ' ') {
        (*text)[--n] = '\0';
    }
    return n > 0;
}

static int add_expressions(cli_motions *o, cli_model *m, const char *text)
{
    char *copy = cli_copy(text);
    int code = CLI_OK;
    for (char *at = copy; at != NULL && code == CLI_OK;) {
        char *next = strchr(at, ';'), *name = at, *expression;
        if (next != NULL) {
            *next++ = '\0';
        }
        char *equals = strchr(at, '=');
        char label[300];
        int number;
        at = next;
        expression = equals != NULL ? equals + 1 : NULL;
        if (equals != NULL) {
            *equals = '\0';
        }
        if (equals == NULL || !trim(&name) || !trim(&expression) || o->n == MOTIONS_MAX) {
            code = cli_usage("--motion: COORDINATE=EXPRESSION is expected, several separated by ';', at most %d",
                             MOTIONS_MAX);
            break;
        }
        snprintf(label, sizeof label, "motion of %.280s", name);
        code = dal_document_add_function(m->doc, &number, label, expression) == DAL_OK
                   ? add(o, m, name, number)
                   : cli_usage("--motion: %s", dal_ctx_message(m->ctx));
    }
    free(copy);
    return code;
}

static int ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), k = strlen(ending);
    return n > k && strcmp(text + n - k, ending) == 0;
}

static const double *column(const cli_motions *o, const char *name, const char *ending)
{
    char full[300];
    snprintf(full, sizeof full, "%.250s%s", name, ending);
    const int c = dal_table_column(&o->table, full);
    return c >= 0 ? o->table.x + (size_t)c * (size_t)o->table.rows : NULL;
}

static int add_column(cli_motions *o, cli_model *m, int c)
{
    const char *name = o->table.column[c];
    char label[300];
    int number;
    cli_hermite *h = &o->hermite[o->n];
    *h = (cli_hermite){o->table.rows, o->table.x, column(o, name, ""), column(o, name, ".velocity"),
                       column(o, name, ".acceleration")};
    snprintf(label, sizeof label, "motion of %.280s", name);
    dal_function f = {
        .name = label, .type = "table", .x = h->t, .y = h->x, .n = h->n, .interpolation = DAL_INTERPOLATION_CUBIC};
    if (h->v != NULL && h->a != NULL) {
        f = (dal_function){.name = label, .type = "user", .call = hermite_value, .user = h};
        o->quintic = 1;
    }
    return dal_model_add_function(m->model, &number, &f) == DAL_OK
               ? add(o, m, name, number)
               : cli_error(CLI_MODEL, "--motion: %s", dal_ctx_message(m->ctx));
}

static int add_table(cli_motions *o, cli_model *m, const char *path)
{
    if (dal_table_read(&o->table, m->ctx, path, "motion") != DAL_OK) {
        return cli_error(CLI_IO, "--motion: %s", dal_ctx_message(m->ctx));
    }
    if (o->table.rows < 3) {
        return cli_error(CLI_MODEL, "--motion: '%s' has %d rows; a motion needs at least 3", path, o->table.rows);
    }
    for (int r = 1; r < o->table.rows; ++r) {
        if (!(o->table.x[r] > o->table.x[r - 1])) {
            return cli_error(CLI_MODEL, "--motion: the times of '%s' do not increase in row %d", path, r + 1);
        }
    }
    int code = CLI_OK;
    for (int c = 1; c < o->table.n && code == CLI_OK && o->n < MOTIONS_MAX; ++c) {
        const char *name = o->table.column[c];
        if (!ends_with(name, ".velocity") && !ends_with(name, ".acceleration")) {
            code = add_column(o, m, c);
        }
    }
    return code;
}

int motions_add(cli_motions *o, cli_model *m, const char *text)
{
    return strchr(text, '=') != NULL ? add_expressions(o, m, text) : add_table(o, m, text);
}

const char *motions_smoothing(const cli_motions *o)
{
    return o->table.rows == 0 ? NULL
           : o->quintic
               ? "quintic between rows, through their values, velocities and accelerations: the second "
                 "derivative is continuous"
               : "natural cubic spline through the values: the second derivative is continuous and consists of "
                 "straight lines, zero at both ends";
}

void motions_release(cli_motions *o)
{
    for (int k = 0; k < o->n; ++k) {
        free(o->name[k]);
    }
    dal_table_release(&o->table);
}
