/* dalembert explain: the reference of one thing of model files. */
#include <string.h>

#include "cli/cli.h"
#include "dalembert/io.h"

static char *page_of(const char *key)
{
    const size_t n = dal_model_explain(NULL, 0, key);
    char *text = n > 0 ? cli_alloc(n + 1, 1) : NULL;
    if (text != NULL) {
        dal_model_explain(text, n + 1, key);
    }
    return text;
}

/* The nearest of all names, whole or what follows the point. */
static _Noreturn void unknown(const char *key)
{
    enum { MOST = 2000 };
    const char *words[MOST];
    char hint[DAL_HINT_SIZE];
    int n = 0;
    for (char *at = strtok(page_of(NULL), "\n"); at != NULL && n < MOST; at = strtok(NULL, "\n")) {
        words[n++] = at;
    }
    for (int k = 0, all = n; strchr(key, '.') == NULL && k < all && n < MOST; ++k) {
        const char *point = strchr(words[k], '.');
        if (point != NULL) {
            words[n++] = point + 1;
        }
    }
    cli_usage("there is no '%.100s'%s; 'dalembert explain' lists what there is", key,
              dal_hint(hint, dal_nearest(key, words, n)));
}

static int command(const cli_args *args)
{
    const char *key = args->npositional > 0 ? args->positional[0] : NULL, *text = page_of(key);
    if (text == NULL && key != NULL) {
        unknown(key);
    }
    fputs(text != NULL ? text : "", stdout);
    return CLI_OK;
}

const cli_command cli_explain = {.name = "explain", .run = command};
