/* Results as CSV: member, parameters, what was collected, status, message. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "sweep/sweep_impl.h"

/* Quoted where a reader would be misled. */
static void put_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n\r") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
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

static void put_member(FILE *out, const dal_sweep *s, long member, double *x)
{
    const dal_sweep_member m = dal_sweep_result(s, member);
    dal_sweep_point(s, member, x);
    fprintf(out, "%ld", member);
    for (int k = 0; k < s->np; ++k) {
        put_number(out, x[k]);
    }
    for (int k = 0; k < s->ncollect; ++k) {
        put_number(out, m.value[k]);
    }
    fprintf(out, ",%s,",
            m.status == DAL_SWEEP_MISSING ? "missing"
            : m.status == DAL_OK          ? "ok"
                                          : dal_status_name((dal_status)m.status) + 4);
    put_text(out, m.message);
    fputc('\n', out);
}

dal_status dal_sweep_save_csv(const dal_sweep *s, const char *path)
{
    double x[SWEEP_PARAMETERS];
    FILE *out = fopen(path, "wx");
    if (out == NULL) {
        return dal_fail(s->ctx, DAL_EIO, "cannot write '%s': %s", path, strerror(errno));
    }
    fputs("member", out);
    for (int k = 0; k < s->np + s->ncollect; ++k) {
        fputc(',', out);
        put_text(out, k < s->np ? s->parameter[k].name : s->collect[k - s->np]);
    }
    fputs(",status,message\n", out);
    for (long member = 0; member < s->n; ++member) {
        put_member(out, s, member, x);
    }
    errno = 0;
    const int bad = ferror(out) | (fflush(out) != 0);
    const int reason = errno;
    fclose(out);
    return bad ? dal_fail(s->ctx, DAL_EIO, "cannot write '%s': %s", path,
                          reason != 0 ? strerror(reason) : "the disk may be full")
               : DAL_OK;
}
