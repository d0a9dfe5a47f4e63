#include "cli/record.h"

#include <string.h>

int record_tables(int chosen[DAL_RECORD_TABLES], const cli_model *m, const cli_args *args)
{
    const int any[DAL_RECORD_TABLES] = {m->noutputs > 0, m->nbodies > 0, 1, 1}, small = m->nbodies <= RECORD_BODIES;
    const int given = cli_given(args, "tables"), asked = cli_whole(args, "tables");
    int n = 0;
    for (int k = 0; k < DAL_RECORD_TABLES; ++k) {
        const int usual = small || k == DAL_RECORD_OUTPUTS || k == DAL_RECORD_MONITOR;
        chosen[k] = any[k] && (given ? asked >> k & 1 : usual);
        n += chosen[k];
    }
    return n;
}

static int ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

int record_place(char place[RECORD_PATH], dal_results_format *format, const cli_args *args)
{
    const char *path = cli_value(args, "output"), *asked = cli_value(args, "format");
    const int hdf5 = cli_whole(args, "format");
    place[0] = '\0';
    if (path == NULL) {
        return CLI_OK;
    }
    const int h5_name = ends_with(path, ".h5") || ends_with(path, ".hdf5"), csv_name = ends_with(path, ".csv");
    if (asked != NULL && (hdf5 ? csv_name : h5_name)) {
        return cli_usage("--format %s does not fit the name '%s'", asked, path);
    }
    *format = hdf5 || h5_name ? DAL_RESULTS_HDF5 : csv_name ? DAL_RESULTS_CSV_FILE : DAL_RESULTS_CSV;
    snprintf(place, RECORD_PATH, hdf5 && !h5_name ? "%s/results.h5" : "%s", path);
    return CLI_OK;
}
