#include "reproduce/report.h"

#include <math.h>
#include <string.h>

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void json_number(FILE *out, double x)
{
    if (isfinite(x)) {
        fprintf(out, "%.17g", x);
    } else {
        fputs("null", out);
    }
}

/* A number, or a bound as text: "<= 3". */
static void json_expected(FILE *out, const claim *c)
{
    if (c->relation == CLAIM_AT_MOST || c->relation == CLAIM_AT_LEAST) {
        char text[64];
        claim_expected_text(text, sizeof text, c);
        json_string(out, text);
    } else {
        json_number(out, c->expected);
    }
}

/* {"id": ..., "source": ..., "statement": ..., "expected": ... without the end */
static void json_claim(FILE *out, const claim *c)
{
    const char *const key[] = {"id", "source", "statement"}, *const value[] = {c->id, c->source, c->statement};
    for (int i = 0; i < 3; ++i) {
        fprintf(out, "%s\"%s\": ", i == 0 ? "{" : ", ", key[i]);
        json_string(out, value[i]);
    }
    fputs(", \"expected\": ", out);
    json_expected(out, c);
}

void report_list(FILE *out, const int *index, int n, int json)
{
    const int width = report_width(index, n);
    if (json) {
        fputs("{\"claims\": [", out);
    }
    for (int k = 0; k < n; ++k) {
        const claim *c = claim_at(index[k]);
        if (json) {
            fputs(k > 0 ? ",\n  " : "\n  ", out);
            json_claim(out, c);
            fputs(", \"tolerance\": ", out);
            json_number(out, claim_absolute_tolerance(c));
            fputc('}', out);
        } else {
            fprintf(out, "%-*s  %s\n%*s  %s\n", width, c->id, c->source, width, "", c->statement);
        }
    }
    if (json) {
        fputs("\n]}\n", out);
    }
}

int report_width(const int *index, int n)
{
    int width = 5;
    for (int k = 0; k < n; ++k) {
        const int length = (int)strlen(claim_at(index[k])->id);
        width = length > width ? length : width;
    }
    return width;
}

void report_head(FILE *out, const int *index, int n)
{
    fprintf(out, "%-*s  %12s  %12s  verdict\n", report_width(index, n), "claim", "expected", "measured");
}

void report_row(FILE *out, const claim *c, const outcome *o, int width, int details)
{
    char expected[64];
    const claim_verdict verdict = claim_judge(c, o->measured);
    claim_expected_text(expected, sizeof expected, c);
    fprintf(out, "%-*s  %12s  %12.4g  %s\n", width, c->id, expected, o->measured, claim_verdict_name(verdict));
    if (verdict == CLAIM_FAILED && o->message[0] != '\0') {
        fprintf(out, "    %s\n", o->message);
    }
    if (details || verdict == CLAIM_FAILED) {
        fprintf(out, "    %s: %s\n", c->source, c->statement);
    }
    if (verdict == CLAIM_FAILED && c->explanation != NULL) {
        fprintf(out, "    known to differ, but with the value %.4g\n", c->ours);
    }
    if (details && c->explanation != NULL) {
        fprintf(out, "    %s\n", c->explanation);
    }
}

void report_end(FILE *out, const tally *t, double seconds)
{
    const int passed = t->verdict[CLAIM_PASSED], failed = t->verdict[CLAIM_FAILED], differs = t->verdict[CLAIM_DIFFERS];
    fprintf(out, "%d claims: %d passed, %d failed, %d differ as explained (%.1f s)\n", passed + failed + differs,
            passed, failed, differs, seconds);
}

void report_json(FILE *out, const int *index, int n, const outcome *o, const tally *t)
{
    fputs("{\"claims\": [", out);
    for (int k = 0; k < n; ++k) {
        const claim *c = claim_at(index[k]);
        fputs(k > 0 ? ",\n  " : "\n  ", out);
        json_claim(out, c);
        fputs(", \"measured\": ", out);
        json_number(out, o[k].measured);
        fputs(", \"tolerance\": ", out);
        json_number(out, claim_absolute_tolerance(c));
        fprintf(out, ", \"verdict\": \"%s\"}", claim_verdict_name(claim_judge(c, o[k].measured)));
    }
    fprintf(out, "\n], \"passed\": %d, \"failed\": %d, \"differs\": %d}\n", t->verdict[CLAIM_PASSED],
            t->verdict[CLAIM_FAILED], t->verdict[CLAIM_DIFFERS]);
}
