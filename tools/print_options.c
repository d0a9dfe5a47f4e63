/* print_options [FILE]: write the option tables of the library as a page of the manual. */
#include <stdio.h>
#include <stdlib.h>

#include "dalembert/dalembert.h"

static const char intro[] =
    "# Options\n"
    "\n"
    "Written by `make docs` from the tables in the headers; do not edit. An option is set as a field of the struct,\n"
    "or from text: `dal_options_parse(ctx, dal_options_table(), &options, \"rho_inf=0.8\")`.\n"
    "\n";

static int print_table(FILE *file, const dal_option_table *table)
{
    const size_t size = dal_options_markdown(NULL, 0, table) + 1;
    char *text = malloc(size);
    if (text == NULL) {
        return 0;
    }
    dal_options_markdown(text, size, table);
    const int ok = fputs(text, file) >= 0;
    free(text);
    return ok;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (file == NULL) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    int ok = fputs(intro, file) >= 0 && print_table(file, dal_options_table());
    ok = fclose(file) == 0 && ok;
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
