/* Options by their table: defaults, checking, setting. */
#include <string.h>

#include "base/message.h"
#include "base/options_impl.h"

enum { NAMES_MAX = 128, KEY_SIZE = 81 };

option_value dal_option_initial(const dal_option *option)
{
    // lists start empty
    const int real = option->kind == DAL_OPTION_REAL || option->kind == DAL_OPTION_RULED;
    return (option_value){.x = option->initial, .i = real ? 0 : (int)option->initial};
}

void dal_options_default(const dal_option_table *table, void *options)
{
    for (int k = 0; table != NULL && options != NULL && k < table->n; ++k) {
        const option_value value = dal_option_initial(&table->option[k]);
        dal_option_store(&table->option[k], options, &value);
    }
}

dal_status dal_options_check(dal_ctx *ctx, const dal_option_table *table, const void *options)
{
    DAL_NEED(ctx, table);
    DAL_NEED(ctx, options);
    for (int k = 0; k < table->n; ++k) {
        const option_value value = dal_option_load(&table->option[k], options);
        DAL_TRY(dal_option_check(ctx, &table->option[k], &value));
    }
    return DAL_OK;
}

span dal_span_trim(span text)
{
    static const char blank[] = " \t\r\n";
    while (text.n > 0 && memchr(blank, text.at[0], sizeof blank - 1) != NULL) {
        text = (span){text.at + 1, text.n - 1};
    }
    while (text.n > 0 && memchr(blank, text.at[text.n - 1], sizeof blank - 1) != NULL) {
        --text.n;
    }
    return text;
}

static const dal_option *find(const dal_option_table *table, span key)
{
    for (int k = 0; k < table->n; ++k) {
        const char *name = table->option[k].name;
        if (strlen(name) == key.n && memcmp(name, key.at, key.n) == 0) {
            return &table->option[k];
        }
    }
    return NULL;
}

static dal_status unknown_key(dal_ctx *ctx, const dal_option_table *table, span key)
{
    const char *name[NAMES_MAX];
    char given[KEY_SIZE];
    int n = 0;
    while (n < table->n && n < NAMES_MAX) {
        name[n] = table->option[n].name;
        ++n;
    }
    const size_t shown = key.n < sizeof given - 1 ? key.n : sizeof given - 1;
    memcpy(given, key.at, shown);
    given[shown] = '\0';
    char hint[DAL_HINT_SIZE];
    const char *near = dal_nearest(given, name, n);
    return dal_fail(ctx, DAL_EOPTION, "no option '%s'%s", given, dal_hint(hint, near));
}

static dal_status set(dal_ctx *ctx, const dal_option_table *table, void *options, span key, span text)
{
    const dal_option *option = find(table, key);
    option_value value;
    if (option == NULL) {
        return unknown_key(ctx, table, key);
    }
    DAL_TRY(dal_option_read(ctx, &value, option, text));
    DAL_TRY(dal_option_check(ctx, option, &value));
    dal_option_store(option, options, &value);
    return DAL_OK;
}

dal_status dal_options_set(dal_ctx *ctx, const dal_option_table *table, void *options, const char *key,
                           const char *value)
{
    DAL_NEED(ctx, table);
    DAL_NEED(ctx, options);
    DAL_NEED(ctx, key);
    DAL_NEED(ctx, value);
    return set(ctx, table, options, (span){key, strlen(key)}, (span){value, strlen(value)});
}

dal_status dal_options_parse(dal_ctx *ctx, const dal_option_table *table, void *options, const char *assignment)
{
    DAL_NEED(ctx, table);
    DAL_NEED(ctx, options);
    DAL_NEED(ctx, assignment);
    const char *equals = strchr(assignment, '=');
    if (equals == NULL) {
        return dal_fail(ctx, DAL_EOPTION, "'%.80s' does not have the form key=value", assignment);
    }
    const span key = dal_span_trim((span){assignment, (size_t)(equals - assignment)});
    const span value = dal_span_trim((span){equals + 1, strlen(equals + 1)});
    return set(ctx, table, options, key, value);
}
