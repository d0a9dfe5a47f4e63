#include "cli/record.h"

#include <stdlib.h>
#include <string.h>

/* Where a channel of the state is: q, v or lambda. */
static void place_in_state(cli_column *c, const cli_model *m, int number)
{
    const int nq = m->sys->group->nq, nv = m->sys->group->nv;
    c->source = number < nq ? FROM_Q : number < nq + nv ? FROM_V : FROM_LAMBDA;
    c->index = number < nq ? number : number < nq + nv ? number - nq : number - nq - nv;
}

cli_columns record_columns(const cli_model *m, cli_table table)
{
    int first;
    const int n = dal_channels_table(m->channels, &first, (int)table);
    cli_columns c = {.item = cli_alloc((size_t)n, sizeof *c.item), .n = n, .capacity = n};
    for (int j = 0; j < n; ++j) {
        const dal_channel channel = dal_channels_get(m->channels, first + j);
        c.item[j] = (cli_column){cli_copy(channel.name), channel.unit, FROM_OUTPUTS, first + j};
        if (table == TABLE_STATE) {
            place_in_state(&c.item[j], m, j);
        } else if (table == TABLE_MONITOR) {
            c.item[j].source = FROM_MONITOR;
            c.item[j].index = j;
        }
    }
    return c;
}

void record_columns_release(cli_columns *c)
{
    for (int i = 0; i < c->n; ++i) {
        free(c->item[i].name);
    }
    free(c->item);
    *c = (cli_columns){0};
}

double record_value(const cli_column *c, const cli_model *m, const dal_state *s, const double monitor[MONITOR_COUNT])
{
    switch (c->source) {
    case FROM_OUTPUTS:
        return m->values[c->index];
    case FROM_Q:
        return s->q[c->index];
    case FROM_V:
        return s->v[c->index];
    case FROM_LAMBDA:
        return s->la[c->index];
    default:
        return monitor[c->index];
    }
}

int record_tables(int chosen[TABLE_COUNT], const cli_model *m, const char *command, const char *text)
{
    const int small = m->nbodies <= RECORD_BODIES;
    const int any[TABLE_COUNT] = {m->noutputs > 0, m->nbodies > 0, 1, 1};
    for (int k = 0; k < TABLE_COUNT; ++k) {
        chosen[k] = text == NULL && any[k] && (small || k == TABLE_OUTPUTS || k == TABLE_MONITOR);
    }
    char word[64];
    while (cli_word(&text, word, sizeof word)) {
        int found = 0;
        for (int k = 0; k < TABLE_COUNT; ++k) {
            if (strcmp(word, dal_record_table_name(k)) == 0) {
                found = 1;
                chosen[k] = any[k];
            }
        }
        if (!found) {
            const char *name[TABLE_COUNT];
            for (int k = 0; k < TABLE_COUNT; ++k) {
                name[k] = dal_record_table_name(k);
            }
            const char *near = dal_nearest(word, name, TABLE_COUNT);
            return cli_usage(command, "--tables: no table '%s'%s%s%s; there are outputs, bodies, state, monitor", word,
                             near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                             near != NULL ? "'?)" : "");
        }
    }
    return CLI_OK;
}
