/* Any bytes as lines "key=value" for the options of a simulation. Nothing may crash; what is accepted passes the check,
 * and is written as text that reads back as the same value. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dalembert/integrate.h"

enum { LINE = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int ok, const char *what, const char *line)
{
    if (!ok) {
        fprintf(stderr, "%s: '%s'\n", what, line);
        abort();
    }
}

static int same(const dal_options *x, const dal_options *y)
{
    const dal_option_table *table = dal_options_table();
    for (int k = 0; k < table->n; ++k) {
        char a[LINE], b[LINE];
        (void)dal_options_format(a, sizeof(a), &table->option[k], x);
        (void)dal_options_format(b, sizeof(b), &table->option[k], y);
        if (strcmp(a, b) != 0) {
            return 0;
        }
    }
    return 1;
}

/* Each option as text, and back. */
static void there_and_back(dal_ctx *ctx, const dal_options *opt, const char *line)
{
    const dal_option_table *table = dal_options_table();
    for (int k = 0; k < table->n; ++k) {
        char text[LINE], again[LINE];
        dal_options copy = dal_options_init();
        const size_t n = dal_options_format(text, sizeof(text), &table->option[k], opt);
        demand(n < sizeof(text), "an option is written too long", line);
        demand(dal_options_set(ctx, table, &copy, table->option[k].name, text) == DAL_OK, dal_ctx_message(ctx), line);
        (void)dal_options_format(again, sizeof(again), &table->option[k], &copy);
        demand(strcmp(text, again) == 0, "an option does not come back", line);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_ctx *ctx;
    dal_options opt = dal_options_init();
    if (dal_ctx_create(&ctx, NULL) != DAL_OK) {
        return 0;
    }
    for (size_t begin = 0; begin < size;) {
        char line[LINE];
        size_t n = 0;
        while (begin + n < size && n + 1 < sizeof(line) && data[begin + n] != '\n') {
            line[n] = (char)data[begin + n];
            ++n;
        }
        line[n] = '\0';
        begin += n + 1;
        dal_ctx_clear(ctx);
        const dal_options before = opt;
        if (dal_options_parse(ctx, dal_options_table(), &opt, line) != DAL_OK) {
            demand(dal_ctx_message(ctx)[0] != '\0', "a failure without a message", line);
            demand(same(&before, &opt), "a failure has changed an option", line);
        } else {
            demand(dal_options_check(ctx, dal_options_table(), &opt) == DAL_OK, "accepted, but not valid", line);
        }
    }
    there_and_back(ctx, &opt, "at the end");
    dal_ctx_destroy(ctx);
    return 0;
}
