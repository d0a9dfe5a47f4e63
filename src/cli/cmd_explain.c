/* dalembert explain: the reference of one thing of model files. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "dalembert/io.h"

static int command(const cli_args *args);

const cli_command cli_explain = {
    .name = "explain",
    .place = 22,
    .arguments = "[KEY]",
    .min = 0,
    .max = 1,
    .summary = "the reference of one thing of model files, with an example",
    .about = "KEY is a list of elements (joints), a type (joints.revolute, or revolute), one of its keys\n"
             "(joints.revolute.axis), what is no element (rotation.euler, part, event), or an option (simulation.h).\n"
             "Without KEY all that can be asked for is listed. Exit codes: 0 ok, 2 there is no such thing.",
    .examples =
        "  dalembert explain joints.revolute\n  dalembert explain forces\n  dalembert explain simulation.rho_inf",
    .run = command,
};

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
static int unknown(const char *key)
{
    enum { MOST = 2000 };
    const char *words[MOST];
    char *list = page_of(NULL), hint[DAL_HINT_SIZE];
    int n = 0;
    for (char *at = list, *end; at != NULL && *at != '\0' && n < MOST; at = end + 1) {
        end = strchr(at, '\n');
        *end = '\0';
        words[n++] = at;
    }
    for (int k = 0, all = n; strchr(key, '.') == NULL && k < all && n < MOST; ++k) {
        const char *point = strchr(words[k], '.');
        if (point != NULL) {
            words[n++] = point + 1;
        }
    }
    const int code = cli_usage("there is no '%.100s'%s; 'dalembert explain' lists what there is", key,
                               dal_hint(hint, dal_nearest(key, words, n)));
    free(list);
    return code;
}

static int command(const cli_args *args)
{
    const char *key = args->npositional > 0 ? args->positional[0] : NULL;
    char *text = page_of(key);
    if (text == NULL) {
        return key != NULL ? unknown(key) : CLI_OK;
    }
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}
