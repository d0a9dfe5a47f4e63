/* Folders for files that are still to be written. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
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
