/* The journal: a head that describes the sweep, then the records of members in the order in which they were done. It only
 * ever grows, one write() per member, so a program that is killed leaves whole records and perhaps a piece of one, which
 * the next run cuts off. */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "sweep/sweep_impl.h"

/* All lengths in bytes but rows, which are numbers. */
typedef struct journal_head {
    char magic[8];
    uint32_t version, order;
    uint64_t text, source, rows;
} journal_head;

static const journal_head expected = {
    .magic = {'d', 'a', 'l', 's', 'w', 'e', 'e', 'p'}, .version = 1, .order = 0x01020304};
static const double sync_seconds = 5.0;

static dal_status failed(dal_ctx *ctx, const char *what, const char *path)
{
    return dal_fail(ctx, DAL_EIO, "cannot %s the journal '%s': %s", what, path, strerror(errno));
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int write_all(int fd, const void *bytes, size_t n)
{
    const char *at = bytes;
    while (n > 0) {
        const ssize_t k = write(fd, at, n);
        if (k < 0 && errno == EINTR) {
            continue;
        }
        if (k <= 0) {
            return -1;
        }
        at += k;
        n -= (size_t)k;
    }
    return 0;
}

/* ---- the head --------------------------------------------------------------------------------- */

static size_t row_numbers(const dal_sweep *s)
{
    return (size_t)s->nrows * (size_t)s->nrowcolumns;
}

static uint64_t head_size(const journal_head *h)
{
    return sizeof *h + h->text + h->source + h->rows * sizeof(double) + sizeof(uint64_t);
}

static dal_status write_head(dal_sweep *s, sweep_journal *j)
{
    journal_head h = expected;
    const size_t text = strlen(s->text), source = strlen(s->source), rows = row_numbers(s);
    h.text = text;
    h.source = source;
    h.rows = rows;
    const size_t size = (size_t)head_size(&h);
    unsigned char *head = dal_alloc(s->ctx, size), *at = head;
    if (head == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    memcpy(at, &h, sizeof h);
    at += sizeof h;
    memcpy(at, s->text, text);
    at += text;
    memcpy(at, s->source, source);
    at += source;
    if (rows > 0) {
        memcpy(at, s->rows, rows * sizeof(double));
    }
    const uint64_t sum = dal_sweep_hash(SWEEP_HASH, head, size - 8);
    memcpy(head + size - 8, &sum, 8);
    const int bad = ftruncate(j->fd, 0) != 0 || lseek(j->fd, 0, SEEK_SET) != 0 || write_all(j->fd, head, size) != 0;
    dal_free(s->ctx, head);
    j->size = (int64_t)size;
    return bad ? failed(s->ctx, "write", j->path) : DAL_OK;
}

/* ---- reading ---------------------------------------------------------------------------------- */

typedef struct mapped {
    void *memory;
    const unsigned char *bytes; /* NULL: an empty file */
    size_t n;
    journal_head head; /* checked; text 0: there is no whole one */
} mapped;

static dal_status map(mapped *m, dal_ctx *ctx, int fd, const char *path)
{
    struct stat info;
    *m = (mapped){0};
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        errno = errno != 0 ? errno : EINVAL;
        return failed(ctx, "read", path);
    }
    m->n = (size_t)info.st_size;
    if ((off_t)m->n != info.st_size) { // beyond what 32 bits can address
        errno = EFBIG;
        return failed(ctx, "read", path);
    }
    if (m->n > 0) {
        void *bytes = mmap(NULL, m->n, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED) {
            return failed(ctx, "read", path);
        }
        m->memory = bytes;
        m->bytes = bytes;
    }
    const journal_head *h = &m->head;
    if (m->n >= sizeof *h) {
        memcpy(&m->head, m->bytes, sizeof *h);
        if (memcmp(h, &expected, 16) != 0) {
            return dal_fail(ctx, DAL_EIO, "'%s' is not the journal of a sweep, or was written by another version",
                            path);
        }
    }
    uint64_t sum = 0;
    const int whole = m->n >= sizeof *h && h->text < m->n && h->source < m->n && h->rows < m->n && head_size(h) <= m->n;
    const size_t end = whole ? (size_t)head_size(h) - 8 : 0; // of what is summed
    if (whole) {
        memcpy(&sum, m->bytes + end, 8);
    }
    if (!whole || sum != dal_sweep_hash(SWEEP_HASH, m->bytes, end)) {
        m->head = (journal_head){0};
    }
    return DAL_OK;
}

static void unmap(mapped *m)
{
    if (m->bytes != NULL) {
        munmap(m->memory, m->n);
    }
}

/* Is the head that of this sweep? */
static int same_sweep(const dal_sweep *s, const mapped *m)
{
    const unsigned char *text = m->bytes + sizeof m->head, *rows = text + m->head.text + m->head.source;
    const size_t length = strlen(s->text), nrows = row_numbers(s);
    return m->head.text == length && memcmp(text, s->text, length) == 0 && m->head.rows == nrows &&
           (nrows == 0 || memcmp(rows, s->rows, nrows * sizeof(double)) == 0);
}

/* Take over all sound records; *size: of head and records. */
static dal_status take_records(dal_sweep *s, const mapped *m, int journal, int64_t *size)
{
    size_t at = (size_t)head_size(&m->head), n;
    while ((n = dal_sweep_record_check(s, m->bytes + at, m->n - at)) > 0) {
        DAL_TRY(dal_sweep_record_take(s, m->bytes + at, journal, (int64_t)at));
        at += n;
    }
    *size = (int64_t)at;
    return DAL_OK;
}

/* ---- opening ---------------------------------------------------------------------------------- */

/* Open a journal and look at it; what is mapped is to be unmapped, whatever comes out. */
static dal_status add_journal(dal_sweep *s, sweep_journal **journal, mapped *m, const char *path, int writing)
{
    sweep_journal *all;
    *m = (mapped){0};
    DAL_TAKE(&s->pool, all, s->njournals + 1);
    if (s->njournals > 0) {
        memcpy(all, s->journal, (size_t)s->njournals * sizeof *all);
    }
    s->journal = all;
    sweep_journal *j = *journal = &all[s->njournals];
    DAL_TAKE_TEXT(&s->pool, j->path, path);
    j->synced = seconds();
    j->fd = open(path, (writing ? O_RDWR | O_CREAT | O_NOFOLLOW : O_RDONLY) | O_CLOEXEC, 0666);
    if (j->fd < 0) {
        return failed(s->ctx, "open", path);
    }
    ++s->njournals;
    if (writing && flock(j->fd, LOCK_EX | LOCK_NB) != 0) {
        return dal_fail(s->ctx, DAL_EIO, "the journal '%s' is in use by another program", path);
    }
    return map(m, s->ctx, j->fd, path);
}

static dal_status other_sweep(const dal_sweep *s, const char *path)
{
    return dal_fail(
        s->ctx, DAL_EOPTION,
        "the journal '%s' is of another sweep (model, parameters, design, samples, seed, what is collected, or "
        "version of the program): finish that one, or remove the file",
        path);
}

/* Go on with what is there, or begin. */
static dal_status continue_journal(dal_sweep *s, sweep_journal *j, const mapped *m)
{
    if (m->head.text == 0) {
        return write_head(s, j);
    }
    if (!same_sweep(s, m)) {
        return other_sweep(s, j->path);
    }
    DAL_TRY(take_records(s, m, s->njournals - 1, &j->size));
    if (ftruncate(j->fd, j->size) != 0 || lseek(j->fd, 0, SEEK_END) < 0) {
        return failed(s->ctx, "continue", j->path);
    }
    return DAL_OK;
}

dal_status dal_sweep_journal_open(dal_sweep *s, const char *path, int resume)
{
    mapped m;
    sweep_journal *j;
    dal_status st = add_journal(s, &j, &m, path, 1);
    if (st == DAL_OK && !resume && m.head.text > 0 && m.n > head_size(&m.head)) {
        st = dal_fail(
            s->ctx, DAL_EIO,
            "there is a journal '%s' of a sweep that was not finished: go on with it (--resume), or remove it", path);
    } else if (st == DAL_OK) {
        st = resume ? continue_journal(s, j, &m) : write_head(s, j);
    }
    unmap(&m);
    return st;
}

dal_status dal_sweep_journal_append(dal_sweep *s, const void *record, size_t bytes)
{
    sweep_journal *j = &s->journal[s->njournals - 1];
    if (write_all(j->fd, record, bytes) != 0) {
        const dal_status st = failed(s->ctx, "write", j->path);
        // whole records only; if that fails too, the next run cuts it off
        const int cut = ftruncate(j->fd, j->size);
        (void)cut;
        return st;
    }
    j->size += (int64_t)bytes;
    const double now = seconds();
    if (now - j->synced > sync_seconds) { // against a loss of power; a kill needs none
        j->synced = now;
        fdatasync(j->fd);
    }
    return DAL_OK;
}

dal_status dal_sweep_journal_read(dal_sweep *s, const char *path)
{
    mapped m;
    sweep_journal *j;
    dal_status st = add_journal(s, &j, &m, path, 0);
    if (st == DAL_OK && m.head.text == 0) {
        st = dal_fail(s->ctx, DAL_EIO, "the journal '%s' ends within its header", path);
    } else if (st == DAL_OK) {
        st = same_sweep(s, &m) ? take_records(s, &m, s->njournals - 1, &j->size) : other_sweep(s, path);
    }
    unmap(&m);
    return st;
}

static dal_status copy_head(dal_sweep *s, const mapped *m, sweep_head *head)
{
    const char *at = (const char *)m->bytes + sizeof m->head;
    const size_t text = (size_t)m->head.text, source = (size_t)m->head.source, rows = (size_t)m->head.rows;
    DAL_TAKEN(head->text, dal_sweep_copy(&s->pool, at, text));
    DAL_TAKEN(head->source, dal_sweep_copy(&s->pool, at + text, source));
    DAL_TAKE(&s->pool, head->rows, rows + 1);
    memcpy(head->rows, at + text + source, rows * sizeof *head->rows);
    head->nnumbers = (long)rows;
    return DAL_OK;
}

dal_status dal_sweep_journal_head(dal_sweep *s, sweep_head *head, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    mapped m = {0};
    if (fd < 0) {
        return failed(s->ctx, "open", path);
    }
    dal_status st = map(&m, s->ctx, fd, path);
    if (st == DAL_OK) {
        st = m.head.text > 0
                 ? copy_head(s, &m, head)
                 : dal_fail(s->ctx, DAL_EIO, "'%s' is not the journal of a sweep, or its header is damaged", path);
    }
    unmap(&m);
    close(fd);
    return st;
}

dal_status dal_sweep_trajectory_read(const dal_sweep *s, double *to, long member)
{
    const sweep_place *p = &s->place[member];
    const size_t bytes = (size_t)s->ncurves * (size_t)s->ntimes * sizeof *to;
    const sweep_journal *j = &s->journal[p->journal];
    errno = 0;
    return pread(j->fd, to, bytes, (off_t)p->at) == (ssize_t)bytes ? DAL_OK : failed(s->ctx, "read", j->path);
}

void dal_sweep_journals_close(dal_sweep *s, int remove)
{
    for (int k = 0; k < s->njournals; ++k) {
        if (remove) {
            unlink(s->journal[k].path);
        }
        close(s->journal[k].fd);
    }
    s->njournals = 0;
}
