/* The ranges of numbers, as their keys tell them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "mbs/keys.h"

static const double *numbers_at(const dal_key *key, const void *description)
{
    return (const double *)(const void *)((const char *)description + key->offset);
}

/* The bound of a condition: a number, or another key. *end: behind it. */
static double bound(const char **end, const dal_element_type *about, const void *description, const char *text)
{
    char *after;
    const double value = strtod(text, &after);
    const size_t n = strcspn(text, " ");
    *end = text + n;
    for (int k = 0; after == text && k < about->nkeys; ++k) {
        const dal_key *key = &about->keys[k];
        if (strlen(key->name) == n && strncmp(key->name, text, n) == 0) {
            return *numbers_at(key, description);
        }
    }
    return value;
}

/* Does x keep to one condition, ">= 0"? */
static int keeps(double x, const char *condition, double limit)
{
    const int or_equal = condition[1] == '=';
    return condition[0] == '>' ? x > limit || (or_equal && x >= limit) : x < limit || (or_equal && x <= limit);
}

static const char *demand(char text[64], const char *condition, double limit)
{
    const int or_equal = condition[1] == '=';
    if (limit == 0.0 && condition[0] == '>') {
        return or_equal ? "must not be negative" : "must be positive";
    }
    const char *const word = condition[0] == '>' ? (or_equal ? "at least" : "above") : or_equal ? "at most" : "below";
    const char *const operand = condition + (or_equal ? 3 : 2);
    snprintf(text, 64, "must be %s %.*s", word, (int)strcspn(operand, " "), operand);
    return text;
}

/* One number, or what is the matter with it. */
static const char *fault(char text[64], const dal_element_type *about, const void *description, const dal_key *key,
                         double x)
{
    if (!isfinite(x)) {
        return "is not finite";
    }
    for (const char *at = key->range; *at != '\0' && (x != 0.0 || key->required); at += strspn(at, " ")) {
        const char *const condition = at;
        const double limit = bound(&at, about, description, at + (at[1] == '=' ? 3 : 2));
        if (!keeps(x, condition, limit)) {
            return demand(text, condition, limit);
        }
    }
    return NULL;
}

dal_status mb_check_ranges(dal_ctx *ctx, const char *what, const char *name, const dal_element_type *about,
                           const void *description)
{
    char text[64];
    for (int k = 0; k < about->nkeys; ++k) {
        const dal_key *key = &about->keys[k];
        if (key->range == NULL) {
            continue;
        }
        const double *x = numbers_at(key, description);
        const int n = key->kind == DAL_KEY_NUMBERS ? key->n : key->kind == DAL_KEY_VECTOR ? 3 : 1;
        const int rising = strcmp(key->range, "rising") == 0;
        for (int i = 0; i < n; ++i) {
            const char *const wrong = !rising                     ? fault(text, about, description, key, x[i])
                                      : i > 0 && x[i] <= x[i - 1] ? "must be above the one before it"
                                                                  : NULL;
            if (wrong != NULL) {
                return dal_fail(ctx, DAL_EINVAL, "%s '%s': %s = %g %s", what, name ? name : "", key->name, x[i], wrong);
            }
        }
    }
    return DAL_OK;
}
