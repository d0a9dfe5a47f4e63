#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 300, POINT_SIZE = 8 };

static size_t digits(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9') {
        ++i;
    }
    return i;
}

/* Is the whole text a number? *point receives the place of the decimal point, n if there is none. */
static int is_number(const char *text, size_t n, size_t *point)
{
    size_t i = n > 0 && (text[0] == '+' || text[0] == '-') ? 1 : 0;
    const size_t whole = digits(text + i, n - i);
    size_t fraction = 0;
    i += whole;
    *point = n;
    if (i < n && text[i] == '.') {
        *point = i++;
        fraction = digits(text + i, n - i);
        i += fraction;
    }
    if (whole + fraction == 0) {
        return 0;
    }
    if (i < n && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        i += i < n && (text[i] == '+' || text[i] == '-') ? 1 : 0;
        const size_t exponent = digits(text + i, n - i);
        if (exponent == 0) {
            return 0;
        }
        i += exponent;
    }
    return i == n;
}

/* The decimal point of the locale, as printf writes and strtod reads it: what stands between 0 and 5. */
static size_t locale_point(char point[POINT_SIZE])
{
    char half[POINT_SIZE + 2];
    const int n = snprintf(half, sizeof half, "%.1f", 0.5);
    if (n < 3 || n >= (int)sizeof half) {
        memcpy(point, ".", 2);
        return 1;
    }
    memcpy(point, half + 1, (size_t)n - 2);
    point[n - 2] = '\0';
    return (size_t)n - 2;
}

int dal_number_parse(double *x, const char *text, size_t n)
{
    char local[LONGEST + POINT_SIZE], point[POINT_SIZE];
    size_t at;
    if (n > LONGEST || !is_number(text, n, &at)) {
        return 0;
    }
    const size_t np = at < n ? locale_point(point) : 0, rest = at < n ? n - at - 1 : 0;
    memcpy(local, text, at);
    if (at < n) {
        memcpy(local + at, point, np);
        memcpy(local + at + np, text + at + 1, rest);
    }
    local[at + np + rest] = '\0';
    const double value = strtod(local, NULL);
    if (!isfinite(value)) {
        return 0;
    }
    *x = value;
    return 1;
}

void dal_number_format(char text[DAL_NUMBER_SIZE], double x)
{
    if (!isfinite(x)) {
        snprintf(text, DAL_NUMBER_SIZE, "%s", isnan(x) ? "nan" : x > 0.0 ? "inf" : "-inf");
        return;
    }
    for (int precision = 15; precision <= 17; ++precision) {
        snprintf(text, DAL_NUMBER_SIZE, "%.*g", precision, x);
        if (strtod(text, NULL) == x) {
            break;
        }
    }
    char point[POINT_SIZE];
    const size_t np = locale_point(point);
    char *found = strstr(text, point);
    if (found != NULL) {
        *found = '.';
        memmove(found + 1, found + np, strlen(found + np) + 1);
    }
}
