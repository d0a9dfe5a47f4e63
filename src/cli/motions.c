#include "cli/motions.h"

#include <string.h>

#include "cli/record.h"

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
static void add(cli_motions *o, cli_model *m, const char *name, int function)
{
    o->joint[o->n] = drives_add(m, name, function);
    o->name[o->n++] = cli_copy(name);
}

static const char *label_of(const char *name)
{
    return cli_text("motion of %.280s", name);
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

static void add_expressions(cli_motions *o, cli_model *m, const char *text)
{
    for (char *at = cli_copy(text), *next; at != NULL; at = next) {
        next = strchr(at, ';');
        if (next != NULL) {
            *next++ = '\0';
        }
        char *name = at, *equals = strchr(at, '='), *expression = equals != NULL ? equals + 1 : NULL;
        int number;
        if (equals != NULL) {
            *equals = '\0';
        }
        if (equals == NULL || !trim(&name) || !trim(&expression) || o->n == MOTIONS_MAX) {
            cli_usage("--motion: COORDINATE=EXPRESSION is expected, several separated by ';', at most %d", MOTIONS_MAX);
        }
        if (dal_document_add_function(m->doc, &number, label_of(name), expression) != DAL_OK) {
            cli_usage("--motion: %s", dal_ctx_message(m->ctx));
        }
        add(o, m, name, number);
    }
}

static const double *column(const cli_motions *o, const char *name, const char *ending)
{
    const int c = dal_table_column(&o->table, cli_text("%.250s%s", name, ending));
    return c >= 0 ? o->table.x + (size_t)c * (size_t)o->table.rows : NULL;
}

static void add_column(cli_motions *o, cli_model *m, const char *name)
{
    cli_hermite *h = &o->hermite[o->n];
    int number;
    *h = (cli_hermite){o->table.rows, o->table.x, column(o, name, ""), column(o, name, ".velocity"),
                       column(o, name, ".acceleration")};
    dal_function f = {.name = label_of(name),
                      .type = "table",
                      .x = h->t,
                      .y = h->x,
                      .n = h->n,
                      .interpolation = DAL_INTERPOLATION_CUBIC};
    if (h->v != NULL && h->a != NULL) {
        f = (dal_function){.name = f.name, .type = "user", .call = hermite_value, .user = h};
        o->quintic = 1;
    }
    if (dal_model_add_function(m->model, &number, &f) != DAL_OK) {
        cli_fail(CLI_MODEL, "--motion: %s", dal_ctx_message(m->ctx));
    }
    add(o, m, name, number);
}

static void add_table(cli_motions *o, cli_model *m, const char *path)
{
    if (record_read(&o->table, m->ctx, path, "motion") != DAL_OK) {
        cli_fail(CLI_IO, "--motion: %s", dal_ctx_message(m->ctx));
    }
    if (o->table.rows < 3) {
        cli_fail(CLI_MODEL, "--motion: '%s' has %d rows; a motion needs at least 3", path, o->table.rows);
    }
    for (int r = 1; r < o->table.rows; ++r) {
        if (!(o->table.x[r] > o->table.x[r - 1])) {
            cli_fail(CLI_MODEL, "--motion: the times of '%s' do not increase in row %d", path, r + 1);
        }
    }
    for (int c = 1; c < o->table.n && o->n < MOTIONS_MAX; ++c) {
        const char *name = o->table.column[c];
        if (!cli_ends_with(name, ".velocity") && !cli_ends_with(name, ".acceleration")) {
            add_column(o, m, name);
        }
    }
}

void motions_add(cli_motions *o, cli_model *m, const char *text)
{
    (strchr(text, '=') != NULL ? add_expressions : add_table)(o, m, text);
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
