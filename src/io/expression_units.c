/* Units behind numbers, "12 mm" and "20 N/m", and the dimensions that follow from them. */
#include <stdio.h>
#include <string.h>

#include "io/expression_reader.h"

static const double pi = 3.14159265358979323846;

/* A unit is times/over of SI: both are exact where they can be, so that "12 mm" is the number 0.012. */
typedef struct unit {
    const char *word;
    double times, over;
    signed char e[DAL_BASES];
} unit;

/* clang-format off */
static const unit units[] = {
    {"m", 1, 1, {1}}, {"mm", 1, 1e3, {1}}, {"cm", 1, 1e2, {1}}, {"km", 1e3, 1, {1}}, {"um", 1, 1e6, {1}},
    {"in", 254, 1e4, {1}}, {"ft", 3048, 1e4, {1}},
    {"kg", 1, 1, {0, 1}}, {"g", 1, 1e3, {0, 1}}, {"mg", 1, 1e6, {0, 1}}, {"t", 1e3, 1, {0, 1}}, {"lb", 45359237, 1e8, {0, 1}},
    {"s", 1, 1, {0, 0, 1}}, {"ms", 1, 1e3, {0, 0, 1}}, {"us", 1, 1e6, {0, 0, 1}}, {"min", 60, 1, {0, 0, 1}}, {"h", 3600, 1, {0, 0, 1}},
    {"Hz", 1, 1, {0, 0, -1}}, {"kHz", 1e3, 1, {0, 0, -1}},
    {"rad", 1, 1, {0, 0, 0, 1}}, {"deg", pi, 180, {0, 0, 0, 1}}, {"mrad", 1, 1e3, {0, 0, 0, 1}}, {"rev", 2 * pi, 1, {0, 0, 0, 1}},
    {"rpm", pi, 30, {0, 0, -1, 1}},
    {"N", 1, 1, {1, 1, -2}}, {"kN", 1e3, 1, {1, 1, -2}}, {"MN", 1e6, 1, {1, 1, -2}}, {"mN", 1, 1e3, {1, 1, -2}},
    {"lbf", 44482216152605, 1e13, {1, 1, -2}}, {"Nm", 1, 1, {2, 1, -2}}, {"kNm", 1e3, 1, {2, 1, -2}},
    {"Pa", 1, 1, {-1, 1, -2}}, {"kPa", 1e3, 1, {-1, 1, -2}}, {"MPa", 1e6, 1, {-1, 1, -2}}, {"GPa", 1e9, 1, {-1, 1, -2}},
    {"bar", 1e5, 1, {-1, 1, -2}},
    {"J", 1, 1, {2, 1, -2}}, {"kJ", 1e3, 1, {2, 1, -2}}, {"W", 1, 1, {2, 1, -3}}, {"kW", 1e3, 1, {2, 1, -3}},
    {"l", 1, 1e3, {3}},
};
/* clang-format on */

static int is_part_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* The unit that begins here: not that of a longer word, nor the name of a function. */
static const unit *find_unit(const char *text, size_t *length)
{
    size_t n = 0;
    while (is_part_of_word(text[n])) {
        ++n;
    }
    *length = n;
    for (size_t k = 0; text[n] != '(' && k < sizeof units / sizeof *units; ++k) {
        if (strlen(units[k].word) == n && memcmp(units[k].word, text, n) == 0) {
            return &units[k];
        }
    }
    return NULL;
}

/* "^2", "^-1" behind a unit; 1 if there is none. */
static int read_exponent(const char *text, size_t *length)
{
    const int negative = text[0] == '^' && text[1] == '-';
    const char digit = text[0] == '^' ? text[1 + negative] : '\0';
    *length = digit >= '1' && digit <= '9' ? 2 + (size_t)negative : 0;
    return *length == 0 ? 1 : negative ? '0' - digit : digit - '0';
}

static void take_unit(dal_units *u, const unit *one, int exponent)
{
    for (int i = 0; i < DAL_BASES; ++i) {
        u->dimension.e[i] = (signed char)(u->dimension.e[i] + exponent * one->e[i]);
    }
    for (; exponent > 0; --exponent) {
        u->times *= one->times;
        u->over *= one->over;
    }
    for (; exponent < 0; ++exponent) {
        u->times *= one->over;
        u->over *= one->times;
    }
}

/* What joins the next unit to those before: 1 for a product, -1 for a quotient, 0 if there is no other. */
static int joins(const char *text, size_t *length)
{
    *length = text[0] == '*' || text[0] == '/' ? 1 : strspn(text, " ");
    size_t n;
    return *length > 0 && find_unit(text + *length, &n) != NULL ? (text[0] == '/' ? -1 : 1) : 0;
}

size_t dal_units_read(dal_units *u, const char *text)
{
    size_t at = 0, n;
    *u = (dal_units){.times = 1.0, .over = 1.0, .dimension = {.known = 1}};
    for (int sign = 1; sign != 0;) {
        const unit *one = find_unit(text + at, &n);
        if (one == NULL) {
            return 0;
        }
        at += n;
        const int exponent = read_exponent(text + at, &n);
        at += n;
        take_unit(u, one, sign * exponent);
        sign = joins(text + at, &n);
        at += sign != 0 ? n : 0;
    }
    return at;
}

/* ---- dimensions ------------------------------------------------------------------------------- */

static int is_plain(const dal_dimension *d)
{
    return d->e[METRE] == 0 && d->e[KILOGRAM] == 0 && d->e[SECOND] == 0 && d->e[RADIAN] == 0;
}

/* A plain number may be meant in SI: cos(a) is a place on a circle of radius one. Angles are numbers: an angle times a length is
 * a length. Where there is neither length nor mass, but time, they count: a frequency in Hz is not an angular velocity. */
int dal_dimension_agrees(const dal_dimension *a, const dal_dimension *b)
{
    if (!a->known || !b->known || is_plain(a) || is_plain(b)) {
        return 1;
    }
    const int strict = !a->turns && !b->turns && a->e[METRE] == 0 && a->e[KILOGRAM] == 0 && a->e[SECOND] != 0;
    return a->e[METRE] == b->e[METRE] && a->e[KILOGRAM] == b->e[KILOGRAM] && a->e[SECOND] == b->e[SECOND] &&
           (!strict || a->e[RADIAN] == b->e[RADIAN]);
}

/* "N m/(rad s)", or one of several joined by "or" or a comma; what cannot be read agrees with everything. */
int dal_dimension_is(const dal_dimension *a, const char *unit_text)
{
    while (*unit_text != '\0') {
        size_t n = strcspn(unit_text, ",");
        const char * or = strstr(unit_text, " or ");
        n = or != NULL && (size_t)(or -unit_text) < n ? (size_t)(or -unit_text) : n;
        dal_units u;
        char one[64];
        if (n >= sizeof one) {
            return 1;
        }
        memcpy(one, unit_text, n);
        one[n] = '\0';
        if (dal_units_read(&u, one) != n || dal_dimension_agrees(a, &u.dimension)) {
            return 1;
        }
        unit_text += n;
        unit_text += or == unit_text ? 4 : strspn(unit_text, ", ");
    }
    return 0;
}

const char *dal_dimension_text(char text[DAL_DIMENSION_TEXT], const dal_dimension *d)
{
    static const char *const bases[DAL_BASES] = {"m", "kg", "s", "rad"};
    static const int order[DAL_BASES] = {KILOGRAM, METRE, SECOND, RADIAN};
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < DAL_BASES; ++i) {
        const signed char e = d->e[order[i]];
        if (e != 0) {
            used +=
                (size_t)snprintf(text + used, DAL_DIMENSION_TEXT - used, "%s%s", used > 0 ? " " : "", bases[order[i]]);
            used += e != 1 ? (size_t)snprintf(text + used, DAL_DIMENSION_TEXT - used, "^%d", (int)e) : 0;
        }
    }
    return used > 0 ? text : "a plain number";
}
