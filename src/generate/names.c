/* Names of parameters in the text of a program. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "generate/generate_impl.h"

/* May the name be a word of C, C++ or CUDA, a macro of the program or of the headers it includes? Macros of headers, other than
 * those listed, are upper case with a line between: M_PI, FP_NAN. */
static int is_reserved(const char *name)
{
    static const char words[] =
        " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t"
        " char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr"
        " constinit continue decltype default delete do double dynamic_cast else enum explicit export extern"
        " false final float for friend goto if import inline int long module mutable namespace new noexcept"
        " not not_eq nullptr operator or or_eq override private protected public register reinterpret_cast"
        " requires restrict return short signed sizeof static static_assert static_cast struct switch template"
        " this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using"
        " virtual void volatile wchar_t while xor xor_eq linux unix i386 near far DEVICE DOMAIN EACH_LANE EDOM"
        " ERANGE HUGE HUGE_VAL INFINITY LANE LANES MAXFLOAT NAN NULL OVERFLOW PHASE PIECE PLOSS REAL SING SNAN"
        " SNANF SNANL TLOSS UNDERFLOW"
        " ";
    const size_t n = strlen(name);
    for (const char *at = words; (at = strstr(at, name)) != NULL; at += n) {
        if (at[-1] == ' ' && at[n] == ' ') {
            return 1;
        }
    }
    const char *lower = name;
    while (isupper((unsigned char)*lower) || isdigit((unsigned char)*lower) || *lower == '_') {
        ++lower;
    }
    return *lower == '\0' && strchr(name, '_') != NULL;
}

/* The letters, digits and lines of a name. C keeps names that begin with a line for itself, C++ those with two: such lines go.
 * Its length; *changed: it is another name now. */
static size_t spell(char *to, int *changed, const char *from)
{
    size_t n = 0;
    *changed = 0;
    for (; *from != '\0' && n < 30; ++from) {
        const unsigned char c = (unsigned char)*from;
        const char next = isalnum(c) && c < 128 ? (char)c : '_';
        if (next == '_' && (n == 0 || to[n - 1] == '_')) {
            *changed = 1;
        } else {
            to[n++] = next;
        }
    }
    if (n == 0 || isdigit((unsigned char)to[0])) {
        memmove(to + 1, to, n++);
        to[0] = 'p';
        *changed = 1;
    }
    to[n] = '\0';
    return n;
}

/* Names of the parameters for C: those of variables; numbers of elements have points. Those that are reserved, changed or there
 * already get their number. */
void gen_name_fields(dal_program *p)
{
    for (int k = 0; k < p->nparameters; ++k) {
        char *to = p->field[k];
        int changed;
        size_t n = spell(to, &changed, p->parameter[k]);
        int taken = changed || is_reserved(to);
        for (int i = 0; i < k; ++i) {
            taken |= strcmp(p->field[i], to) == 0;
        }
        if (taken) {
            n -= to[n - 1] == '_';
            snprintf(to + n, GEN_NAME - n, "_%d", k);
        }
    }
}
