/* Names and numbers in printed text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "generate/generate_impl.h"

/* Marks that turn the direction of writing are two or three bytes from these. */
static int turns_text(const unsigned char *p)
{
    return p[0] == 0xe2 && (p[1] == 0x80 || p[1] == 0x81);
}

gen_label gen_comment(const char *name)
{
    static const char plain[] = "_-.,:()=+/@#&|!~^$<>% ";
    gen_label to = {{0}};
    size_t n = 0;
    int strange = 0; // bytes left of a character that is replaced
    for (const unsigned char *p = (const unsigned char *)name; *p != '\0' && n + 1 < sizeof to.s; ++p) {
        strange = turns_text(p) ? 3 : strange;
        const int keep = strange == 0 && (isalnum(*p) || *p >= 0x80 || strchr(plain, *p) != NULL);
        to.s[n++] = keep ? (char)*p : '_';
        strange -= strange > 0;
    }
    while (name[n] != '\0' && n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80) {
        to.s[--n] = '\0'; // cut between characters
    }
    return to;
}

const char *gen_literal(char *to, size_t size, double x)
{
    // the shortest text that is the same number
    for (int digits = 1; digits <= 17; ++digits) {
        snprintf(to, size, "%.*g", digits, x);
        if (strtod(to, NULL) == x) {
            break;
        }
    }
    if (!strpbrk(to, ".en")) {
        const size_t n = strlen(to);
        snprintf(to + n, size - n, ".0");
    }
    return to;
}

void gen_array(gen *g, const char *name, const double *x, int n)
{
    PUT("const real %s[%d] = {", name, n);
    for (int i = 0; i < n; ++i) {
        char text[GEN_NAME];
        const gen_term t = gen_number(g, x + i);
        if (t.s[0]) {
            PUT("%s%s", i > 0 ? ", " : "", t.s);
        } else {
            PUT("%sREAL(%s)", i > 0 ? ", " : "", gen_literal(text, sizeof text, t.c));
        }
    }
    PUT("};\n");
}
