/* A member as bytes: what a thread hands over, what goes through MPI, what the journal holds.
 *
 *     int64 member, int16 status, uint16 whether the library did it for a program that could not, uint32 length of the
 *     message, float64 values, float64 trajectories,
 *     message (zeros up to a multiple of 8), uint64 checksum of all that */
#include <assert.h>
#include <string.h>

#include "sweep/sweep_impl.h"

typedef struct record_head {
    int64_t member;
    int16_t status;
    uint16_t handed;
    uint32_t length; /* of the message */
} record_head;

enum { HEAD = sizeof(record_head), LONGEST = 4096 };
static_assert(HEAD == 16, "a record has no gaps");

uint64_t dal_sweep_hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < n; ++i) {
        h = (h ^ b[i]) * 1099511628211u;
    }
    return h;
}

static size_t padded(size_t n)
{
    return (n + 7) / 8 * 8;
}

static size_t numbers(const dal_sweep *s)
{
    return (size_t)s->ncollect + (size_t)s->ncurves * (size_t)s->ntimes;
}

size_t dal_sweep_record_size(const dal_sweep *s, size_t message)
{
    return HEAD + numbers(s) * sizeof(double) + padded(message < LONGEST ? message : LONGEST) + sizeof(uint64_t);
}

size_t dal_sweep_record_write(const dal_sweep *s, unsigned char *to, long member, int status, int handed,
                              const double *value, const double *trajectory, const char *message)
{
    const size_t all = strlen(message), n = all < LONGEST ? all : LONGEST, size = dal_sweep_record_size(s, n);
    const record_head head = {member, (int16_t)status, handed != 0, (uint32_t)n};
    unsigned char *at = to + HEAD;
    memset(to, 0, size);
    memcpy(to, &head, HEAD);
    memcpy(at, value, (size_t)s->ncollect * sizeof *value);
    at += (size_t)s->ncollect * sizeof *value;
    if (s->ncurves > 0) {
        memcpy(at, trajectory, (numbers(s) - (size_t)s->ncollect) * sizeof *trajectory);
    }
    memcpy(to + HEAD + numbers(s) * sizeof(double), message, n);
    const uint64_t sum = dal_sweep_hash(SWEEP_HASH, to, size - 8);
    memcpy(to + size - 8, &sum, 8);
    return size;
}

size_t dal_sweep_record_check(const dal_sweep *s, const unsigned char *from, size_t n)
{
    record_head head;
    uint64_t sum;
    if (n < HEAD) {
        return 0;
    }
    memcpy(&head, from, HEAD);
    const size_t size = head.length <= LONGEST ? dal_sweep_record_size(s, head.length) : n + 1;
    if (size > n || head.member < 0 || head.member >= s->n) {
        return 0;
    }
    memcpy(&sum, from + size - 8, 8);
    return sum == dal_sweep_hash(SWEEP_HASH, from, size - 8) ? size : 0;
}

dal_status dal_sweep_record_take(dal_sweep *s, const unsigned char *from, int journal, int64_t at)
{
    record_head head;
    memcpy(&head, from, HEAD);
    const long member = (long)head.member; // of a record that was checked
    if (s->status[member] != DAL_SWEEP_MISSING) {
        return DAL_OK; // two shards had it: the same bits
    }
    int number = -1;
    if (head.length > 0) {
        DAL_TRY(
            dal_sweep_message_add(s, &number, (const char *)from + HEAD + numbers(s) * sizeof(double), head.length));
    }
    memcpy(s->value + member * s->ncollect, from + HEAD, (size_t)s->ncollect * sizeof *s->value);
    s->message[member] = number;
    s->status[member] = (signed char)head.status;
    dal_sweep_note_handed(s, member, head.handed);
    if (s->place != NULL) {
        s->place[member] = (sweep_place){journal, at + HEAD + (int64_t)sizeof(double) * s->ncollect};
    }
    ++s->done;
    s->failed += head.status != DAL_OK;
    return DAL_OK;
}

void dal_sweep_record_read(const dal_sweep *s, int16_t *status, double *value, const unsigned char *from)
{
    record_head head;
    memcpy(&head, from, HEAD);
    *status = head.status;
    memcpy(value, from + HEAD, (size_t)s->ncollect * sizeof *value);
}

/* ---- messages --------------------------------------------------------------------------------- */

static dal_status more_room(dal_sweep *s)
{
    sweep_messages *m = &s->messages;
    const int room = m->room > 0 ? 2 * m->room : 64;
    char **text;
    int *slot;
    DAL_TAKE(&s->pool, text, room);
    DAL_TAKE(&s->pool, slot, 4 * room);
    for (int k = 0; k < m->n; ++k) {
        uint64_t h = dal_sweep_hash(SWEEP_HASH, m->text[k], strlen(m->text[k]));
        while (slot[h % (uint64_t)(4 * room)] != 0) {
            ++h;
        }
        slot[h % (uint64_t)(4 * room)] = k + 1;
        text[k] = m->text[k];
    }
    *m = (sweep_messages){.text = text, .n = m->n, .room = room, .slot = slot, .nslots = 4 * room};
    return DAL_OK;
}

dal_status dal_sweep_message_add(dal_sweep *s, int *number, const char *text, size_t n)
{
    sweep_messages *m = &s->messages;
    if (m->n == m->room) {
        DAL_TRY(more_room(s));
    }
    uint64_t h = dal_sweep_hash(SWEEP_HASH, text, n);
    for (int k; (k = m->slot[h % (uint64_t)m->nslots]) != 0; ++h) {
        if (strlen(m->text[k - 1]) == n && memcmp(m->text[k - 1], text, n) == 0) {
            *number = k - 1;
            return DAL_OK;
        }
    }
    DAL_TAKEN(m->text[m->n], dal_sweep_copy(&s->pool, text, n));
    m->slot[h % (uint64_t)m->nslots] = m->n + 1;
    *number = m->n++;
    return DAL_OK;
}
