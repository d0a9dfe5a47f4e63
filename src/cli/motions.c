#include "cli/motions.h"

#include <string.h>

#include "cli/record.h"

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
    int number;
    const dal_drive_samples s = {.name = label_of(name),
                                 .n = o->table.rows,
                                 .t = o->table.x,
                                 .x = column(o, name, ""),
                                 .v = column(o, name, ".velocity"),
                                 .a = column(o, name, ".acceleration")};
    o->quintic |= s.v != NULL && s.a != NULL;
    if (dal_drive_function(m->model, m->ctx, &number, &s) != DAL_OK) {
        cli_fail(CLI_MODEL, "--motion: %s", dal_ctx_message(m->ctx));
    }
    add(o, m, name, number);
}

static void add_table(cli_motions *o, cli_model *m, const char *path)
{
    if (record_read(&o->table, m->ctx, path, "motion") != DAL_OK) {
        cli_fail(CLI_IO, "--motion: %s", dal_ctx_message(m->ctx));
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
