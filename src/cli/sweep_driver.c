/* One run for a driver that knows files only, as Dakota does: a file of parameters in, a file of results out.
 *
 * Parameters: lines "VALUE NAME" after a line "N variables", as Dakota writes them, or lines "NAME = VALUE". Results: a line
 * "VALUE NAME" for each collected quantity, or the word fail and the message. */
#include <string.h>

#include "cli/sweep.h"

enum { LINE = 1000 };

void sweep_read_driver(sweep_job *job, const char *path)
{
    char line[LINE], a[LINE], b[LINE], rest[LINE];
    int left = -1, number = 0; // left: of Dakota's variables
    FILE *in = sweep_open(path);
    if (job->spec.nparameters > 0) {
        cli_usage("--params brings all parameters: no --vary, --random or --rows");
    }
    job->spec.rows = job->rows = cli_alloc(SWEEP_COLUMNS, sizeof *job->rows);
    while (left != 0 && fgets(line, LINE, in) != NULL) {
        ++number;
        char *equals = strchr(line, '=');
        if (equals != NULL) {
            *equals = ' ';
        }
        const int words = sscanf(line, "%999s %999s %999s", a, b, rest);
        if (words <= 0 || a[0] == '#' ||
            (equals == NULL && words == 2 && strcmp(b, "variables") == 0 && cli_integer(&left, a, 1, SWEEP_COLUMNS))) {
            continue;
        }
        double value;
        if (words != 2 || !cli_number(&value, equals != NULL ? b : a)) {
            cli_fail(CLI_USAGE, "%s:%d: 'NAME = VALUE', or 'VALUE NAME' as Dakota writes it, is expected", path,
                     number);
        }
        sweep_add_parameter(job, equals != NULL ? a : b, "=rows");
        job->rows[job->spec.nparameters - 1] = value;
        left -= left > 0;
    }
    job->spec.nrows = 1;
    if (job->spec.nparameters == 0) {
        cli_fail(CLI_USAGE, "%s: no parameters", path);
    }
}

/* There as a whole or not at all: a driver may be waiting for it. */
void sweep_write_driver(const sweep_job *job, const char *path)
{
    cli_string out = {0};
    cli_add(&out, "%s", "");
    const dal_sweep_member m = dal_sweep_result(job->sweep, 0);
    if (m.status != DAL_OK) {
        cli_add(&out, "fail\n%s\n", m.message);
    }
    for (int k = 0; m.status == DAL_OK && k < dal_sweep_collect_count(job->sweep); ++k) {
        cli_add(&out, "%.17g %s\n", m.value[k], dal_sweep_collect_name(job->sweep, k));
    }
    cli_save(out.text, path);
}
