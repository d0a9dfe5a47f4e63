/* One run for a driver that knows files only, as Dakota does: a file of parameters in, a file of results out.
 *
 * Parameters: lines "VALUE NAME" after a line "N variables", as Dakota writes them, or lines "NAME = VALUE". Results: a line
 * "VALUE NAME" for each collected quantity, or the word fail and the message. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

enum { LINE = 1000 };

static int add(sweep_job *job, const char *name, double value)
{
    const int k = job->spec.nparameters, code = sweep_add_parameter(job, name, "=rows");
    if (code == CLI_OK) {
        job->rows[k] = value;
    }
    return code;
}

static int read_lines(sweep_job *job, const char *path, FILE *in)
{
    char line[LINE], a[LINE], b[LINE], rest[LINE];
    int left = -1, number = 0, code = CLI_OK; // left: of Dakota's variables
    double value;
    while (code == CLI_OK && left != 0 && fgets(line, LINE, in) != NULL) {
        ++number;
        char *equals = strchr(line, '=');
        if (equals != NULL) {
            *equals = ' ';
        }
        const int words = sscanf(line, "%999s %999s %999s", a, b, rest);
        if (words <= 0 || a[0] == '#') {
            continue;
        }
        if (equals == NULL && words == 2 && strcmp(b, "variables") == 0 && cli_integer(&left, a, 1, SWEEP_COLUMNS)) {
            continue;
        }
        const char *name = equals != NULL ? a : b, *digits = equals != NULL ? b : a;
        if (words != 2 || !cli_number(&value, digits)) {
            return cli_error(CLI_USAGE, "%s:%d: 'NAME = VALUE', or 'VALUE NAME' as Dakota writes it, is expected", path,
                             number);
        }
        code = add(job, name, value);
        left -= left > 0;
    }
    return code;
}

int sweep_read_driver(sweep_job *job, const char *path)
{
    FILE *in = fopen(path, "r");
    if (in == NULL) {
        return cli_error(CLI_IO, "cannot read '%s': %s", path, strerror(errno));
    }
    if (job->spec.nparameters > 0) {
        fclose(in);
        return cli_usage("--params brings all parameters: no --vary, --random or --rows");
    }
    job->rows = cli_alloc(SWEEP_COLUMNS, sizeof *job->rows);
    const int code = read_lines(job, path, in);
    fclose(in);
    job->spec.rows = job->rows;
    job->spec.nrows = job->spec.nparameters > 0;
    return code != CLI_OK || job->spec.nparameters > 0 ? code : cli_error(CLI_USAGE, "%s: no parameters", path);
}

/* There as a whole or not at all: a driver may be waiting for it. */
int sweep_write_driver(const sweep_job *job, const char *path)
{
    cli_stream out;
    cli_stream_open(&out);
    const dal_sweep_member m = dal_sweep_result(job->sweep, 0);
    if (m.status != DAL_OK) {
        fprintf(out.file, "fail\n%s\n", m.message);
    }
    for (int k = 0; m.status == DAL_OK && k < dal_sweep_collect_count(job->sweep); ++k) {
        fprintf(out.file, "%.17g %s\n", m.value[k], dal_sweep_collect_name(job->sweep, k));
    }
    return cli_stream_save(&out, path);
}
