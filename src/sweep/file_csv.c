/* Results as CSV: member, parameters, what was collected, status, message. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "sweep/sweep_impl.h"

/* Quoted where a reader would be misled; after an apostrophe where a spreadsheet would take it for a formula. */
static void put_text(FILE *out, const char *text)
{
    const char *mark = text[0] != '\0' && strchr("=+-@", text[0]) != NULL ? "'" : "";
    if (strpbrk(text, ",\"\n\r") == NULL) {
        fprintf(out, "%s%s", mark, text);
        return;
    }
    fprintf(out, "\"%s", mark);
    for (; *text != '\0'; ++text) {
        if (*text == '"') {
            fputc('"', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_number(FILE *out, double x)
{
    char digits[DAL_NUMBER_SIZE];
    dal_number_format(digits, x);
    fputc(',', out);
    fputs(digits, out);
}

/* Its number and parameters, and values unless they are NULL. */
static void put_numbers(FILE *out, const dal_sweep *s, long member, const double *value)
{
    double x[SWEEP_PARAMETERS];
    dal_sweep_point(s, x, member);
    fprintf(out, "%ld", member);
    for (int k = 0; k < s->np + (value != NULL ? s->ncollect : 0); ++k) {
        put_number(out, k < s->np ? x[k] : value[k - s->np]);
    }
}

static void put_member(FILE *out, const dal_sweep *s, long member)
{
    const dal_sweep_member m = dal_sweep_result(s, member);
    put_numbers(out, s, member, m.value);
    fprintf(out, ",%s,",
            m.status == DAL_SWEEP_MISSING ? "missing"
            : m.status == DAL_OK          ? "ok"
                                          : dal_status_name((dal_status)m.status) + 4);
    put_text(out, m.message);
    fputc('\n', out);
}

static void put_head(FILE *out, const dal_sweep *s)
{
    fputs("member", out);
    for (int k = 0; k < s->np + s->ncollect; ++k) {
        fputc(',', out);
        put_text(out, k < s->np ? s->parameter[k].name : s->collect[k - s->np]);
    }
    fputs(",status,message\n", out);
}

dal_status dal_sweep_save_csv(const dal_sweep *s, const char *path)
{
    FILE *out = fopen(path, "wx");
    if (out == NULL) {
        return dal_fail(s->ctx, DAL_EIO, "cannot write '%s': %s", path, strerror(errno));
    }
    put_head(out, s);
    for (long member = 0; member < s->n; ++member) {
        put_member(out, s, member);
    }
    errno = 0;
    const int bad = ferror(out) | (fflush(out) != 0);
    const int reason = errno;
    fclose(out);
    return bad ? dal_fail(s->ctx, DAL_EIO, "cannot write '%s': %s", path,
                          reason != 0 ? strerror(reason) : "the disk may be full")
               : DAL_OK;
}

/* ---- is a file that is there one of this sweep? ----------------------------------------------- */

/* How the line of a member must begin (-1: the head): its parameters, and of the first one also the results of a run. */
static void put_beginning(FILE *out, dal_sweep *s, long member, double *value)
{
    double x[SWEEP_PARAMETERS];
    if (member < 0) {
        put_head(out, s);
        return;
    }
    if (member == 0) {
        dal_sweep_point(s, x, member);
        const int ran = dal_sweep_evaluate_first(s, value, x) == DAL_OK;
        dal_ctx_clear(s->ctx);
        for (int k = 0; k < s->ncollect && !ran; ++k) {
            value[k] = NAN;
        }
    }
    put_numbers(out, s, member, member == 0 ? value : NULL);
    fputc(',', out);
}

/* Read a record, which has several lines where a message has, and compare its beginning. */
static int begins_with(FILE *in, const char *expected, char **line, size_t *room)
{
    int quotes = 0, same = 1;
    for (int first = 1; first || quotes % 2 != 0; first = 0) {
        if (getline(line, room, in) < 0) {
            return 0;
        }
        same = first ? strncmp(*line, expected, strlen(expected)) == 0 : same;
        for (const char *c = *line; *c != '\0'; ++c) {
            quotes += *c == '"';
        }
    }
    return same;
}

static int same_records(dal_sweep *s, FILE *in, double *value)
{
    char *line = NULL;
    size_t room = 0;
    int same = 1;
    for (long member = -1; member < s->n && same; ++member) {
        char *expected = NULL;
        size_t size;
        FILE *text = open_memstream(&expected, &size);
        if (text != NULL) {
            put_beginning(text, s, member, value);
            fclose(text);
        }
        same = expected != NULL && begins_with(in, expected, &line, &room);
        free(expected);
    }
    same = same && getline(&line, &room, in) < 0;
    free(line);
    return same;
}

dal_status dal_sweep_check_csv(dal_sweep *s, const char *path)
{
    FILE *in = fopen(path, "r");
    double *value = dal_alloc_zero(s->ctx, ((size_t)s->ncollect + 1) * sizeof *value);
    const int same = in != NULL && value != NULL && same_records(s, in, value);
    if (in != NULL) {
        fclose(in);
    }
    dal_free(s->ctx, value);
    return same ? DAL_OK
                : dal_fail(s->ctx, DAL_EOPTION,
                           "'%s' has the results of another sweep: it cannot be resumed (a CSV file cannot be "
                           "extended either)",
                           path);
}
