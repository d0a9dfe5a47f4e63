/* Text for people: what comes from a model, a file or the command line is shown, never obeyed. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "svg/svg.h"

void cli_put(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t n = *text == '\n' ? 1 : svg_character(text);
        if (n > 0) {
            fwrite(text, 1, n, out);
        } else {
            fprintf(out, "\\x%02x", (unsigned char)*text);
        }
        text += n > 0 ? n : 1;
    }
}

void cli_vput(FILE *out, const char *format, va_list args)
{
    char some[1024], *all = some;
    va_list again;
    va_copy(again, args);
    // clang-tidy 14 takes lists for uninitialised that va_start and va_copy have made
    const int n = vsnprintf(some, sizeof some, format, args); // NOLINT(clang-analyzer-valist.Uninitialized)
    if (n >= (int)sizeof some) {
        all = cli_alloc((size_t)n + 1, 1);
        vsnprintf(all, (size_t)n + 1, format, again); // NOLINT(clang-analyzer-valist.Uninitialized)
    }
    va_end(again);
    cli_put(out, all);
    if (all != some) {
        free(all);
    }
}

void cli_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_vput(stdout, format, args);
    va_end(args);
}

void cli_print_to(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_vput(out, format, args);
    va_end(args);
}

void cli_append(char *buffer, size_t size, const char *format, ...)
{
    const size_t n = strlen(buffer);
    va_list args;
    va_start(args, format);
    vsnprintf(buffer + n, size - n, format, args);
    va_end(args);
}

void cli_append_word(char *buffer, size_t size, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-,:";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        cli_append(buffer, size, " %s", word);
        return;
    }
    cli_append(buffer, size, " '");
    for (; *word != '\0'; ++word) {
        cli_append(buffer, size, *word == '\'' ? "'\\''" : "%c", *word);
    }
    cli_append(buffer, size, "'");
}
