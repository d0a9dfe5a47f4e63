#include "cli/record.h"

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

void record_place(char place[RECORD_PATH], dal_results_format *format, const cli_args *args)
{
    const char *path = cli_value(args, "output"), *asked = cli_value(args, "format");
    const int hdf5 = cli_whole(args, "format");
    place[0] = '\0';
    if (path == NULL) {
        return;
    }
    const int h5_name = cli_is_hdf5(path);
    const int csv_name = cli_ends_with(path, ".csv");
    if (asked != NULL && (hdf5 ? csv_name : h5_name)) {
        cli_usage("--format %s does not fit the name '%s'", asked, path);
    }
    *format = hdf5 || h5_name ? DAL_RESULTS_HDF5 : csv_name ? DAL_RESULTS_CSV_FILE : DAL_RESULTS_CSV;
    snprintf(place, RECORD_PATH, hdf5 && !h5_name ? "%s/results.h5" : "%s", path);
}

static void release(void *table)
{
    dal_table_release(table);
}

dal_status record_read(dal_table_data *table, dal_ctx *ctx, const char *path, const char *name)
{
    dal_table_data *own = cli_alloc(1, sizeof *own);
    *table = (dal_table_data){0};
    DAL_TRY(dal_table_read(own, ctx, path, name));
    cli_own(own, release);
    *table = *own;
    return DAL_OK;
}
