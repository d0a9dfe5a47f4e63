#include "cli/record.h"

#include <stdlib.h>
#include <string.h>

const char *const cli_table_name[TABLE_COUNT] = {"outputs", "bodies", "state", "monitor"};

static void add(cli_columns *c, const char *name, const char *unit, cli_source source, int index)
{
    if (c->n == c->capacity) {
        c->capacity = c->capacity > 0 ? 2 * c->capacity : 32;
        cli_column *item = cli_alloc((size_t)c->capacity, sizeof *item);
        if (c->n > 0) {
            memcpy(item, c->item, (size_t)c->n * sizeof *item);
        }
        free(c->item);
        c->item = item;
    }
    c->item[c->n++] = (cli_column){cli_copy(name), unit, source, index};
}

static void add_vector(cli_columns *c, const char *name, const char *unit, int first, int n)
{
    for (int k = 0; first >= 0 && k < n; ++k) {
        char column[1024];
        model_component(column, sizeof column, name, k, n);
        add(c, column, unit, FROM_OUTPUTS, first + k);
    }
}

static void add_outputs(cli_columns *c, const cli_model *m)
{
    for (int i = 0; i < m->noutputs; ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        add_vector(c, info.name, info.unit, info.first, info.n);
    }
}

static void add_bodies(cli_columns *c, const cli_model *m)
{
    for (int i = 0; i < m->nbodies; ++i) {
        const cli_body *b = &m->body[i];
        char name[600];
        const struct {
            const char *what, *unit;
            int first, n;
        } part[] = {
            {"x", "m", b->x, 3}, {"quat", "1", b->quat, 4}, {"v", "m/s", b->v, 3}, {"omega", "rad/s", b->omega, 3}};
        for (int k = 0; k < CLI_LEN(part); ++k) {
            snprintf(name, sizeof name, "%s.%s", b->name, part[k].what);
            add_vector(c, name, part[k].unit, part[k].first, part[k].n);
        }
    }
}

static void add_numbered(cli_columns *c, const char *letter, cli_source source, int n)
{
    for (int k = 0; k < n; ++k) {
        char name[32];
        snprintf(name, sizeof name, "%s%d", letter, k + 1);
        add(c, name, "", source, k);
    }
}

cli_columns record_columns(const cli_model *m, cli_table table)
{
    cli_columns c = {0};
    switch (table) {
    case TABLE_OUTPUTS:
        add_outputs(&c, m);
        break;
    case TABLE_BODIES:
        add_bodies(&c, m);
        break;
    case TABLE_STATE:
        add_numbered(&c, "q", FROM_Q, m->sys->group->nq);
        add_numbered(&c, "v", FROM_V, m->sys->group->nv);
        add_numbered(&c, "lambda", FROM_LAMBDA, dal_system_rows(m->sys));
        break;
    default:
        add(&c, "h", "s", FROM_MONITOR, MONITOR_H);
        add(&c, "energy", "J", FROM_MONITOR, MONITOR_ENERGY);
        add(&c, "position_residual", "", FROM_MONITOR, MONITOR_POSITION);
        add(&c, "velocity_residual", "", FROM_MONITOR, MONITOR_VELOCITY);
        add(&c, "newton_iterations", "1", FROM_MONITOR, MONITOR_NEWTON);
        break;
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
    while (text != NULL) {
        char word[64];
        const size_t n = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), text);
        int found = 0;
        for (int k = 0; k < TABLE_COUNT; ++k) {
            if (strcmp(word, cli_table_name[k]) == 0) {
                found = 1;
                chosen[k] = any[k];
            }
        }
        if (!found) {
            const char *near = dal_nearest(word, cli_table_name, TABLE_COUNT);
            return cli_usage(command, "--tables: no table '%s'%s%s%s; there are outputs, bodies, state, monitor", word,
                             near != NULL ? " (did you mean '" : "", near != NULL ? near : "",
                             near != NULL ? "'?)" : "");
        }
        text = text[n] == ',' ? text + n + 1 : NULL;
    }
    return CLI_OK;
}
