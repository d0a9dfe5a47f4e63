/* Folders for files that are still to be written, and text on its way into one. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"

/* Whether it worked shows when the file is written: the message is given there. */
void cli_make_folder_of(const char *path)
{
    char folder[4200];
    for (size_t n = 1; path[0] != '\0' && path[n] != '\0' && n < sizeof folder; ++n) {
        if (path[n] == '/') {
            snprintf(folder, sizeof folder, "%.*s", (int)n, path);
            (void)mkdir(folder, 0777);
        }
    }
}

void cli_vformat(char *buffer, size_t size, const char *format, va_list args)
{
    vsnprintf(buffer, size, format, args);
}

static void out_of_memory(void)
{
    exit(cli_error(CLI_IO, "out of memory"));
}

void cli_stream_open(cli_stream *s)
{
    *s = (cli_stream){0};
    s->file = open_memstream(&s->text, &s->n);
    if (s->file == NULL) {
        out_of_memory();
    }
}

char *cli_stream_text(cli_stream *s)
{
    if (ferror(s->file) != 0 || fclose(s->file) != 0 || s->text == NULL) {
        out_of_memory();
    }
    return s->text;
}

int cli_stream_save(cli_stream *s, const char *path)
{
    dal_ctx *ctx = cli_context(NULL);
    char *text = cli_stream_text(s);
    const dal_status st = dal_file_write(ctx, path, text, s->n);
    const int code = st == DAL_OK ? CLI_OK : cli_error(CLI_IO, "%s", dal_ctx_message(ctx));
    free(text);
    dal_ctx_destroy(ctx);
    return code;
}
