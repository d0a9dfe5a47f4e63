#include "cli/drives.h"

#include <string.h>

void drives_try(const cli_model *m, const char *what, dal_status st)
{
    if (st != DAL_OK) {
        cli_usage("%s%s", what, dal_ctx_message(m->ctx));
    }
}

int drives_add(cli_model *m, const char *coordinate, int function)
{
    int joint = -1;
    drives_try(m, "", dal_drive_add(m->model, m->ctx, &joint, coordinate, function));
    return joint;
}

int drives_range(const cli_model *m, double *from, double *to, const char *flag, const char *text)
{
    char *copy = cli_copy(text), *b = strchr(copy, ':'), *c = b != NULL ? strchr(b + 1, ':') : NULL;
    int n;
    if (c == NULL) {
        cli_usage("--%s: FROM:TO:N is expected, as in 0:2*pi:361, not '%s'", flag, text);
    }
    *b = *c = '\0';
    *from = drives_value(m, flag, copy);
    *to = drives_value(m, flag, b + 1);
    if (!cli_integer(&n, c + 1, 2, 100000000) || *from == *to) {
        cli_usage("--%s: from one value to another in at least 2 points, not '%s'", flag, text);
    }
    return n;
}

double drives_value(const cli_model *m, const char *flag, const char *text)
{
    double x;
    if (dal_document_value(m->doc, &x, text) != DAL_OK) {
        cli_usage("--%s: %s", flag, dal_ctx_message(m->ctx));
    }
    return x;
}

int drives_code(dal_status st)
{
    return st == DAL_ECHECK ? CLI_CHECK : st == DAL_EINVAL || st == DAL_EREDUNDANT ? CLI_MODEL : CLI_INTEGRATION;
}
