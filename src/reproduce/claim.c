#include "reproduce/claim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/catalogue.h"

enum { CLAIMS_MAX = 1024 };

static claim claims[CLAIMS_MAX];
static int nclaims;

/* "2 +- 0.1", "2 +- 15 %": the number, its tolerance, whether that is relative; what follows a colon, or NULL */
static const char *read_number(double *x, double *tolerance, int *relative, const char *text)
{
    char *end;
    *x = strtod(text, &end);
    *tolerance = strncmp(end, " +- ", 4) == 0 ? strtod(end + 4, &end) : 0.0;
    *relative = strncmp(end, " %", 2) == 0;
    *tolerance *= *relative ? 0.01 : 1.0;
    const char *colon = strstr(end, ": ");
    return colon != NULL ? colon + 2 : NULL;
}

static void read_claim(claim *c, const section *s)
{
    int relative;
    const char *expect = section_value(s, "expect"), *differs = section_value(s, "differs");
    *c = (claim){.id = s->name,
                 .source = section_value(s, "source"),
                 .statement = section_value(s, "says"),
                 .measure = section_value(s, "measure"),
                 .each = section_value(s, "each"),
                 .over = section_value(s, "over"),
                 .exponent = section_value(s, "exponent"),
                 .take = section_value(s, "take")};
    const int bound = expect[0] == '<' || expect[0] == '>';
    (void)read_number(&c->expected, &c->tolerance, &relative, expect + (bound ? 3 : 0));
    c->relation = expect[0] == '<'   ? CLAIM_AT_MOST
                  : expect[0] == '>' ? CLAIM_AT_LEAST
                  : relative         ? CLAIM_RELATIVE
                                     : CLAIM_NEAR;
    if (differs != NULL) {
        const char *why = read_number(&c->ours, &c->ours_tolerance, &relative, differs);
        c->explanation = why != NULL && why[0] == '$' ? catalogue_text(why, strlen(why)) : why;
    }
}

int claim_count(void)
{
    const section *s;
    if (nclaims == 0) {
        for (int k = 0; (s = catalogue_at(k)) != NULL && nclaims < CLAIMS_MAX; ++k) {
            if (section_value(s, "expect") != NULL) {
                read_claim(&claims[nclaims++], s);
            }
        }
    }
    return nclaims;
}

const claim *claim_at(int k)
{
    return k >= 0 && k < claim_count() ? &claims[k] : NULL;
}

int claim_find(const char *id)
{
    const int n = claim_count();
    for (int k = 0; k < n; ++k) {
        if (strcmp(claim_at(k)->id, id) == 0) {
            return k;
        }
    }
    return -1;
}

const char *claim_nearest(const char *id)
{
    const char *ids[CLAIMS_MAX];
    const int count = claim_count(), n = count < CLAIMS_MAX ? count : CLAIMS_MAX;
    for (int k = 0; k < n; ++k) {
        ids[k] = claim_at(k)->id;
    }
    return dal_nearest(id, ids, n);
}

double claim_absolute_tolerance(const claim *c)
{
    switch (c->relation) {
    case CLAIM_NEAR:
        return c->tolerance;
    case CLAIM_RELATIVE:
        return c->tolerance * fabs(c->expected);
    default:
        return 0.0;
    }
}

// every comparison is written so that NaN fails

int claim_holds(const claim *c, double measured)
{
    switch (c->relation) {
    case CLAIM_AT_MOST:
        return measured <= c->expected;
    case CLAIM_AT_LEAST:
        return measured >= c->expected;
    default:
        return fabs(measured - c->expected) <= claim_absolute_tolerance(c);
    }
}

claim_verdict claim_judge(const claim *c, double measured)
{
    if (c->explanation == NULL) {
        return claim_holds(c, measured) ? CLAIM_PASSED : CLAIM_FAILED;
    }
    const double tol = c->ours_tolerance * (c->ours != 0.0 ? fabs(c->ours) : 1.0);
    return fabs(measured - c->ours) <= tol ? CLAIM_DIFFERS : CLAIM_FAILED;
}

const char *claim_verdict_name(claim_verdict verdict)
{
    static const char *const name[] = {"passed", "failed", "differs"};
    return name[verdict];
}

void claim_expected_text(char *text, size_t size, const claim *c)
{
    const char *const sign = c->relation == CLAIM_AT_MOST ? "<= " : c->relation == CLAIM_AT_LEAST ? ">= " : "";
    (void)snprintf(text, size, "%s%.4g", sign, c->expected);
}
