/* The file of a checkpoint: lines of text, then the snapshot of the simulation (docs/format/results.md). The last line
 * before the snapshot has its size and a checksum of every byte of the file but itself. Numbers are written as the bits
 * they have. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "io/record_impl.h"
#include "io/results_impl.h"

static const char format[] = "dalembert checkpoint 2\n";

enum { LINE = 64 + 20 * DAL_RECORD_TABLES + 17 * 9, MAX_LINES = 1000000 };

static dal_results_mark hash(const char *text)
{
    return dal_results_hash(DAL_RESULTS_HASH, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
}

/* The numbers in the line "monitor", in their order. */
enum { NUMBERS = 16 };
static void list_numbers(double *number[NUMBERS], dal_monitor *m, double *newton)
{
    dal_balance *b = &m->balance;
    double *const all[NUMBERS] = {
        &m->energy0,   &m->energy,  &m->max_drift, &m->max_position, &m->max_velocity, &m->wall,    &m->t0,   newton,
        &m->max_speed, &m->max_way, &b->energy,    &b->offset,       &b->residual,     &b->kinetic, &b->work, &b->size};
    memcpy(number, all, sizeof all);
}

/* ---- writing ---------------------------------------------------------------------------------- */

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The lines before the last; text has room for them. Returns their length. */
static size_t put_lines(char *text, const checkpoint_source *s)
{
    dal_monitor monitor = *s->monitor;
    double newton = s->newton, *number[NUMBERS];
    char *to = text;
    list_numbers(number, &monitor, &newton);
    to += sprintf(to, "%sbelongs %016llx\nmonitor", format, hash(s->belongs));
    for (int k = 0; k < NUMBERS; ++k) {
        to += sprintf(to, " %016" PRIx64, bits_of(*number[k]));
    }
    to += sprintf(to, "\nrows %ld %016" PRIx64, s->place->rows, bits_of(s->place->t));
    for (int k = 0; k < s->place->ntables; ++k) {
        to += sprintf(to, " %016llx", s->place->mark[k]);
    }
    to += sprintf(to, "\n");
    for (int k = 0; k < s->nset; ++k) {
        to += sprintf(to, "set %s\n", s->set[k]);
    }
    return (size_t)(to - text);
}

static size_t room_for_lines(const checkpoint_source *s)
{
    size_t n = (size_t)4 * LINE;
    for (int k = 0; k < s->nset; ++k) {
        n += strlen(s->set[k]) + 8;
    }
    return n;
}

/* Does the name still belong to the file that was written? */
static int still_ours(int fd, const char *path)
{
    struct stat mine, there;
    return fstat(fd, &mine) == 0 && lstat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

static dal_status write_bytes(dal_ctx *ctx, const char *path, const char *bytes, size_t n)
{
    char part[RESULTS_PATH];
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part) {
        return dal_fail(ctx, DAL_EIO, "the name of the checkpoint '%.60s...' is too long", path);
    }
    const int fd = dal_results_new_file(part);
    if (fd < 0) {
        return dal_results_fail(ctx, "write the checkpoint", path);
    }
    errno = 0;
    const int written = dal_results_write_all(fd, bytes, n) == 0 && (fsync(fd) == 0 || errno == EINVAL);
    const int ours = still_ours(fd, part);
    if (!written || !ours || rename(part, path) != 0) {
        errno = written && !ours ? EBUSY : errno; // another run writes the same one
        const dal_status st = dal_results_fail(ctx, "write the checkpoint", path);
        if (ours) {
            unlink(part);
        }
        close(fd);
        return st;
    }
    close(fd);
    dal_results_sync_folder_of(path);
    return DAL_OK;
}

dal_status dal_checkpoint_write(dal_ctx *ctx, const char *path, const checkpoint_source *s)
{
    const size_t size = dal_sim_snapshot_size(s->sim);
    dal_pool pool = {.ctx = ctx, .what = "a checkpoint"};
    // the snapshot is numbers: it gets an aligned block of its own
    void *snapshot = dal_pool_take(&pool, size, 1);
    char *bytes = dal_pool_take(&pool, room_for_lines(s) + size, 1);
    dal_status st = snapshot != NULL && bytes != NULL ? dal_sim_save(s->sim, snapshot, size) : DAL_ENOMEM;
    if (st == DAL_OK) {
        size_t n = put_lines(bytes, s);
        n += (size_t)sprintf(bytes + n, "snapshot %zu", size);
        const dal_results_mark sum = dal_results_hash(dal_results_hash(DAL_RESULTS_HASH, bytes, n), snapshot, size);
        n += (size_t)sprintf(bytes + n, " %016llx\n", sum);
        memcpy(bytes + n, snapshot, size);
        st = write_bytes(ctx, path, bytes, n + size);
    }
    dal_pool_release(&pool);
    return st;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* A number in 16 hexadecimal digits after a blank; *s moves on. */
static int take_bits(const char **s, uint64_t *bits)
{
    *bits = 0;
    if (**s != ' ') {
        return 0;
    }
    for (int k = 1; k <= 16; ++k) {
        static const char digits[] = "0123456789abcdef";
        const char c = (*s)[k], *at = c != '\0' ? strchr(digits, c) : NULL;
        if (at == NULL) {
            return 0;
        }
        *bits = *bits << 4 | (uint64_t)(at - digits);
    }
    *s += 17;
    return 1;
}

static int take_real(const char **s, double *x)
{
    uint64_t bits;
    if (!take_bits(s, &bits)) {
        return 0;
    }
    memcpy(x, &bits, sizeof *x);
    return 1;
}

/* A decimal number up to `most` after a blank. */
static int take_whole(const char **s, long *n, long most)
{
    *n = 0;
    if (**s != ' ' || (*s)[1] < '0' || (*s)[1] > '9') {
        return 0;
    }
    for (++*s; **s >= '0' && **s <= '9'; ++*s) {
        if (*n > (most - 9) / 10) {
            return 0;
        }
        *n = 10 * *n + (**s - '0');
    }
    return 1;
}

static int parse_monitor(dal_checkpoint *c, const char *s)
{
    double *number[NUMBERS];
    list_numbers(number, &c->monitor, &c->newton);
    for (int k = 0; k < NUMBERS; ++k) {
        if (!take_real(&s, number[k])) {
            return 0;
        }
    }
    return *s == '\0';
}

static int parse_rows(dal_checkpoint *c, const char *s)
{
    record_place *p = &c->place;
    uint64_t bits;
    if (!take_whole(&s, &p->rows, LONG_MAX) || !take_real(&s, &p->t)) {
        return 0;
    }
    while (*s != '\0' && p->ntables < DAL_RECORD_TABLES && take_bits(&s, &bits)) {
        p->mark[p->ntables++] = bits;
    }
    return *s == '\0';
}

/* One line; its word decides. */
static int parse_line(dal_checkpoint *c, char *line)
{
    const char *blank = strchr(line, ' ');
    uint64_t bits;
    if (blank == NULL) {
        return 0;
    }
    const size_t n = (size_t)(blank - line);
    if (n == 3 && memcmp(line, "set", 3) == 0) {
        c->set[c->nset++] = line + 4;
        return 1;
    }
    if (n == 7 && memcmp(line, "belongs", 7) == 0) {
        const int good = take_bits(&blank, &bits) && *blank == '\0';
        c->belongs = bits;
        return good;
    }
    return n == 7 && memcmp(line, "monitor", 7) == 0 ? parse_monitor(c, blank)
           : n == 4 && memcmp(line, "rows", 4) == 0  ? parse_rows(c, blank)
                                                     : 0;
}

/* The last line, at `line`, and the n bytes from there to the end of the file: size and checksum must be right. */
static int parse_snapshot(dal_checkpoint *c, const char *line, size_t n)
{
    const char *feed = memchr(line, '\n', n), *s = line + 8;
    long size;
    uint64_t sum;
    if (feed == NULL || n < 9 || memcmp(line, "snapshot", 8) != 0 || !take_whole(&s, &size, LONG_MAX)) {
        return 0;
    }
    const size_t before = (size_t)(s - c->text), left = n - (size_t)(feed + 1 - line);
    if (!take_bits(&s, &sum) || s != feed || (size_t)size != left ||
        dal_results_hash(dal_results_hash(DAL_RESULTS_HASH, c->text, before), feed + 1, left) != sum) {
        return 0;
    }
    c->size = left;
    c->snapshot = dal_pool_take(&c->pool, left, 1);
    if (c->snapshot != NULL) {
        memcpy(c->snapshot, feed + 1, left);
    }
    return 1;
}

/* text: n bytes and a zero. *good: it is a checkpoint. */
static dal_status parse(dal_checkpoint *c, size_t n, int *good)
{
    // the lines end where one begins with "snapshot"; first its checksum, then the others are looked at
    const size_t head = sizeof format - 1;
    size_t at = head, lines = 0;
    *good = n > head && memcmp(c->text, format, head) == 0;
    while (*good && strncmp(c->text + at, "snapshot", 8) != 0) {
        const char *feed = memchr(c->text + at, '\n', n - at);
        *good = feed != NULL && ++lines < MAX_LINES;
        at = feed != NULL ? (size_t)(feed + 1 - c->text) : n;
    }
    *good = *good && parse_snapshot(c, c->text + at, n - at);
    if (!*good) {
        return DAL_OK;
    }
    if (c->snapshot == NULL) {
        return DAL_ENOMEM;
    }
    DAL_TAKE(&c->pool, c->set, lines);
    for (char *line = c->text + head; *good && line < c->text + at;) {
        char *feed = memchr(line, '\n', (size_t)(c->text + at - line)); // there may be zeros in it
        *feed = '\0';
        *good = parse_line(c, line);
        line = feed + 1;
    }
    return DAL_OK;
}

dal_status dal_checkpoint_read(dal_checkpoint **checkpoint, dal_ctx *ctx, const char *path)
{
    DAL_NEED(ctx, checkpoint);
    *checkpoint = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, path);
    dal_pool pool = {.ctx = ctx, .what = "a checkpoint"};
    dal_checkpoint *c;
    size_t n = 0;
    int good = 0;
    DAL_TAKE(&pool, c, 1);
    c->pool = pool;
    dal_status st = dal_results_read_all(ctx, &c->text, &n, "read the checkpoint", path);
    st = st != DAL_OK ? st : parse(c, n, &good);
    if (st == DAL_OK && !good) {
        const int older = strncmp(c->text, "dalembert checkpoint ", 21) == 0 && strncmp(c->text, format, 22) != 0;
        st = dal_fail(ctx, DAL_EIO,
                      older ? "'%s' is a checkpoint of another version of the program"
                            : "'%s' is not a checkpoint, or it is damaged",
                      path);
    }
    c->path = st == DAL_OK ? dal_pool_text(&c->pool, path) : NULL;
    st = st == DAL_OK && c->path == NULL ? DAL_ENOMEM : st;
    if (st != DAL_OK) {
        dal_checkpoint_destroy(c);
        return st;
    }
    *checkpoint = c;
    return DAL_OK;
}

void dal_checkpoint_destroy(dal_checkpoint *c)
{
    if (c != NULL) {
        dal_pool pool = c->pool; // it is in it
        dal_free(pool.ctx, c->text);
        dal_pool_release(&pool);
    }
}

int dal_checkpoint_set_count(const dal_checkpoint *c)
{
    return c != NULL ? c->nset : 0;
}

const char *dal_checkpoint_set(const dal_checkpoint *c, int k)
{
    return c != NULL && k >= 0 && k < c->nset ? c->set[k] : NULL;
}

dal_status dal_checkpoint_restore(const dal_checkpoint *c, dal_ctx *ctx, dal_sim *sim, const char *belongs)
{
    DAL_NEED_AS(ctx, c, "checkpoint");
    DAL_NEED(ctx, sim);
    if (c->belongs != hash(belongs)) {
        return dal_fail(ctx, DAL_ESNAPSHOT,
                        "the checkpoint '%s' was made with another model, or the model file has changed since",
                        c->path);
    }
    const dal_status st = dal_sim_restore(sim, c->snapshot, c->size);
    return st == DAL_OK ? DAL_OK : dal_fail_in(ctx, st, "cannot resume from '%s'", c->path);
}
