#define _POSIX_C_SOURCE 200809L

#include "cli/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One number per member of cli_monitor, exact. */
static const char *const format = "dalembert checkpoint 1\n";

static unsigned long long hash(const char *text, size_t n)
{
    unsigned long long h = 14695981039346656037ULL;
    for (size_t i = 0; i < n; ++i) {
        h = (h ^ (unsigned char)text[i]) * 1099511628211ULL;
    }
    return h;
}

static int put(FILE *out, const cli_model *m, const cli_args *args, const cli_monitor *mo, const void *snapshot,
               size_t size)
{
    fputs(format, out);
    fprintf(out, "model %016llx %s\n", hash(m->text, strlen(m->text)), m->name);
    fprintf(out, "monitor %a %a %a %a %a %a %a\n", mo->energy0, mo->energy, mo->max_drift, mo->max_position,
            mo->max_velocity, mo->wall, mo->t0);
    for (int i = 0; i < m->noutputs; ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        if (info.integral) {
            fprintf(out, "integral %d %a\n", info.first, m->values[info.first]);
        }
    }
    for (int i = 0; i < args->nset; ++i) {
        fprintf(out, "set %s\n", args->set[i]);
    }
    fprintf(out, "snapshot %zu %016llx\n", size, hash(snapshot, size));
    return fwrite(snapshot, 1, size, out) != size || ferror(out) || fflush(out) != 0 || fsync(fileno(out)) != 0;
}

int checkpoint_write(const char *path, const cli_model *m, const cli_args *args, const cli_monitor *monitor,
                     const dal_sim *sim)
{
    char part[4096];
    const size_t size = dal_sim_snapshot_size(sim);
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part) {
        return cli_error(args->command, CLI_IO, "the name of the checkpoint is too long");
    }
    void *snapshot = cli_alloc(size, 1);
    FILE *out = NULL;
    int bad = dal_sim_save(sim, snapshot, size) != DAL_OK;
    if (!bad) {
        out = fopen(part, "wb");
        bad = out == NULL || put(out, m, args, monitor, snapshot, size);
    }
    const int reason = errno;
    if (out != NULL && fclose(out) != 0) {
        bad = 1;
    }
    free(snapshot);
    if (bad || rename(part, path) != 0) {
        const int code = cli_error(args->command, CLI_IO, "cannot write the checkpoint '%s': %s", path,
                                   strerror(bad ? reason : errno));
        if (out != NULL) {
            unlink(part);
        }
        return code;
    }
    return CLI_OK;
}

static void add_integral(cli_checkpoint *c, const char *line)
{
    cli_integral *item = cli_alloc((size_t)c->nintegrals + 1, sizeof *item);
    if (c->nintegrals > 0) {
        memcpy(item, c->integral, (size_t)c->nintegrals * sizeof *item);
    }
    free(c->integral);
    c->integral = item;
    if (sscanf(line, "integral %d %la", &item[c->nintegrals].value, &item[c->nintegrals].sum) == 2) {
        ++c->nintegrals;
    }
}

/* One line of the text; the rest of the file starts at *s. */
static int parse_line(cli_checkpoint *c, char *line, char *rest, const char *end)
{
    cli_monitor *mo = &c->monitor;
    unsigned long long sum;
    size_t size;
    if (strncmp(line, "set ", 4) == 0 && c->nset < CLI_SETS) {
        c->set[c->nset++] = line + 4;
        return 1;
    }
    if (strncmp(line, "integral ", 9) == 0) {
        add_integral(c, line);
        return 1;
    }
    if (sscanf(line, "model %llx", &c->model) == 1) {
        return 1;
    }
    if (sscanf(line, "monitor %la %la %la %la %la %la %la", &mo->energy0, &mo->energy, &mo->max_drift,
               &mo->max_position, &mo->max_velocity, &mo->wall, &mo->t0) == 7) {
        return 1;
    }
    if (sscanf(line, "snapshot %zu %llx", &size, &sum) == 2) {
        c->snapshot = rest;
        c->size = size;
        return (size_t)(end - rest) == size && hash(rest, size) == sum;
    }
    return 0;
}

static int parse(cli_checkpoint *c, char *text, size_t n)
{
    const char *end = text + n;
    if (n < strlen(format) || memcmp(text, format, strlen(format)) != 0) {
        return 0;
    }
    char *line = text + strlen(format);
    while (c->snapshot == NULL) {
        char *feed = memchr(line, '\n', (size_t)(end - line));
        if (feed == NULL) {
            return 0;
        }
        *feed = '\0';
        if (!parse_line(c, line, feed + 1, end)) {
            return 0;
        }
        line = feed + 1;
    }
    return 1;
}

int checkpoint_read(cli_checkpoint *c, const char *command, const char *path)
{
    struct stat info;
    *c = (cli_checkpoint){0};
    FILE *in = fopen(path, "rb");
    if (in == NULL || fstat(fileno(in), &info) != 0 || !S_ISREG(info.st_mode)) {
        const int reason = in == NULL ? errno : EISDIR;
        if (in != NULL) {
            fclose(in);
        }
        return cli_error(command, CLI_IO, "cannot read the checkpoint '%s': %s", path, strerror(reason));
    }
    c->bytes = cli_alloc((size_t)info.st_size + 1, 1);
    const size_t n = fread(c->bytes, 1, (size_t)info.st_size, in);
    fclose(in);
    if (!parse(c, c->bytes, n)) {
        c->snapshot = NULL;
        return cli_error(command, CLI_IO, "'%s' is not a checkpoint, or it is damaged", path);
    }
    // the snapshot is read as numbers: give it an address of its own
    void *aligned = cli_alloc(c->size, 1);
    memcpy(aligned, c->snapshot, c->size);
    c->snapshot = aligned;
    return CLI_OK;
}

void checkpoint_release(cli_checkpoint *c)
{
    if (c->bytes != NULL) {
        free((void *)c->snapshot);
        free(c->bytes);
        free(c->integral);
    }
    *c = (cli_checkpoint){0};
}

int checkpoint_restore(const cli_checkpoint *c, const char *command, const char *path, cli_model *m, dal_sim *sim)
{
    if (c->model != hash(m->text, strlen(m->text))) {
        return cli_error(command, CLI_USAGE,
                         "the checkpoint '%s' was made with another model, or the model file has changed "
                         "since",
                         path);
    }
    if (dal_sim_restore(sim, c->snapshot, c->size) != DAL_OK) {
        return cli_error(command, CLI_USAGE, "cannot resume from '%s': %s", path, dal_ctx_message(m->ctx));
    }
    for (int i = 0; i < c->nintegrals; ++i) {
        if (c->integral[i].value >= 0 && c->integral[i].value < m->nvalues) {
            m->values[c->integral[i].value] = c->integral[i].sum;
        }
    }
    return CLI_OK;
}
