/* Text for people: what comes from a model, a file or the command line is shown, never obeyed. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "svg/svg.h"

/* The next character as it is shown, and how many bytes that is. */
static size_t shown(char piece[8], const char **text)
{
    const size_t n = **text == '\n' ? 1 : svg_character(*text);
    if (n > 0) {
        memcpy(piece, *text, n);
    } else {
        snprintf(piece, 8, "\\x%02x", (unsigned char)**text);
    }
    *text += n > 0 ? n : 1;
    return n > 0 ? n : 4;
}

/* Not by cli_alloc: other threads say things, too. */
void cli_vput(FILE *out, const char *format, va_list args)
{
    char some[1024], *all = some;
    va_list again;
    va_copy(again, args);
    // clang-tidy 14 takes lists for uninitialised that va_start and va_copy have made
    const int n = vsnprintf(some, sizeof some, format, args); // NOLINT(clang-analyzer-valist.Uninitialized)
    if (n >= (int)sizeof some && (all = malloc((size_t)n + 1)) != NULL) {
        vsnprintf(all, (size_t)n + 1, format, again); // NOLINT(clang-analyzer-valist.Uninitialized)
    }
    va_end(again);
    char piece[8];
    for (const char *text = all != NULL ? all : some; *text != '\0';) {
        fwrite(piece, 1, shown(piece, &text), out);
    }
    if (all != some) {
        free(all);
    }
}

char *cli_text(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = cli_alloc((size_t)n + 1, 1);
    va_start(args, format);
    vsnprintf(text, (size_t)n + 1, format, args);
    va_end(args);
    return text;
}

int cli_ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

int cli_is_hdf5(const char *path)
{
    return cli_ends_with(path, ".h5") || cli_ends_with(path, ".hdf5");
}

void cli_print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    cli_vput(stdout, format, args);
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

/* ---- texts that grow -------------------------------------------------------------------------- */

void cli_add_bytes(cli_string *s, const char *bytes, size_t n)
{
    if (s->n + n + 1 > s->room) {
        s->room = 2 * (s->n + n) + 256;
        char *more = cli_alloc(s->room, 1);
        if (s->n > 0) {
            memcpy(more, s->text, s->n);
        }
        s->text = more;
    }
    if (n > 0) {
        memcpy(s->text + s->n, bytes, n);
    }
    s->n += n;
    s->text[s->n] = '\0';
}

void cli_add(cli_string *s, const char *format, ...)
{
    va_list args;
    cli_add_bytes(s, "", 0);
    va_start(args, format);
    const size_t n = (size_t)vsnprintf(s->text + s->n, s->room - s->n, format, args);
    va_end(args);
    if (s->n + n < s->room) {
        s->n += n;
        return;
    }
    char *all = cli_alloc(n + 1, 1);
    va_start(args, format);
    vsnprintf(all, n + 1, format, args);
    va_end(args);
    cli_add_bytes(s, all, n);
}

void cli_add_shown(cli_string *s, const char *text)
{
    char piece[8];
    while (*text != '\0') {
        const size_t n = shown(piece, &text);
        cli_add_bytes(s, piece, n);
    }
}

void cli_add_word(cli_string *s, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=+-,:";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        cli_add(s, " %s", word);
        return;
    }
    cli_add(s, " '");
    for (; *word != '\0'; ++word) {
        cli_add(s, *word == '\'' ? "'\\''" : "%c", *word);
    }
    cli_add(s, "'");
}

void cli_save(const char *text, const char *path)
{
    cli_try(cli_ctx(), dal_file_write(cli_ctx(), path, text, strlen(text)), CLI_IO);
}
