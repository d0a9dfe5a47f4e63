#include "svg/svg_impl.h"

#include <string.h>

size_t svg_character(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    const size_t n = dal_utf8(text, 4);
    if (n <= 1) {
        return n == 1 && s[0] >= 0x20 && s[0] != 0x7f;
    }
    unsigned long code = n == 2 ? s[0] & 0x1fU : n == 3 ? s[0] & 0x0fU : s[0] & 0x07U;
    for (size_t i = 1; i < n; ++i) {
        code = code << 6 | (s[i] & 0x3fU);
    }
    // controls, what is no character, marks that turn the direction of writing
    const int bad = code < 0xa0 || (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe ||
                    (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return bad ? 0 : n;
}

void svg_escape(FILE *out, const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text, *end = s + n;
    while (s < end) {
        const size_t k = svg_character((const char *)s);
        if (*s == '\n' || *s == '\t') {
            fputc(' ', out);
        } else if (k == 0) {
            fputs("\xef\xbf\xbd", out);
        } else if (*s == '<' || *s == '>' || *s == '&' || *s == '"' || *s == '\'') {
            fprintf(out, "&#%d;", *s);
        } else {
            fwrite(s, 1, k, out);
        }
        s += k > 0 ? k : 1;
    }
}

/* Widths of the printable ASCII characters of a sans serif font, thousandths of its size. */
static const short WIDTH[95] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

/* Width of the character at s; *bytes it takes. Wide scripts (from U+2E80) fill a square. */
static double width_at(const unsigned char *s, size_t *bytes)
{
    const size_t k = svg_character((const char *)s);
    *bytes = k > 0 ? k : 1;
    return k == 1 ? 1e-3 * WIDTH[s[0] - 0x20] : k >= 3 && s[0] >= 0xe2 && (s[0] > 0xe2 || s[1] >= 0xba) ? 1.0 : 0.6;
}

double svg_width(const char *text, double size)
{
    double sum = 0.0;
    size_t k;
    for (const unsigned char *s = (const unsigned char *)text; *s; s += k) {
        sum += width_at(s, &k);
    }
    return sum * size;
}

size_t svg_fit(const char *text, double size, double width)
{
    const unsigned char *s = (const unsigned char *)text;
    double sum = 0.0;
    size_t k;
    for (; *s; s += k) {
        sum += size * width_at(s, &k);
        if (sum > width) {
            break;
        }
    }
    return (size_t)(s - (const unsigned char *)text);
}
