#include "reproduce/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read once, before the first look; the sections point into the text. */
static struct {
    char *text;
    section *at;
    int n, capacity;
} all;

static section *push(const char *name)
{
    if (all.n == all.capacity) {
        const int capacity = 2 * all.capacity + 256;
        section *moved = realloc(all.at, (size_t)capacity * sizeof *moved);
        if (moved == NULL) {
            fputs("the claims do not fit into memory\n", stderr);
            abort();
        }
        all.at = moved;
        all.capacity = capacity;
    }
    all.at[all.n] = (section){.name = name};
    return &all.at[all.n++];
}

/* "key = value", without the blanks around them */
static void add_entry(section *s, char *line)
{
    char *equals = strstr(line, " = ");
    if (s == NULL || equals == NULL || s->n == SECTION_ENTRIES) {
        fprintf(stderr, "claims: no entry, or one too many: %s\n", line);
        abort();
    }
    const size_t length = strcspn(line, " ");
    line[length] = '\0';
    s->entry[s->n].key = line;
    s->entry[s->n++].value = equals + 3;
}

static void read_line(char *line)
{
    if (line[0] == '[') {
        line[strlen(line) - 1] = '\0';
        (void)push(line + 1);
    } else if (line[0] == '$') {
        section *s = push(line);
        add_entry(s, line);
        s->entry[0].key = "text";
    } else if (line[0] != '#' && line[0] != '\0') {
        add_entry(all.n > 0 ? &all.at[all.n - 1] : NULL, line);
    }
}

/* Lines that belong together are joined by one blank, in place. */
static void read_all(void)
{
    if (all.text != NULL) {
        return;
    }
    all.text = calloc(reproduce_claims_size + 1, 1);
    if (all.text == NULL) {
        return;
    }
    memcpy(all.text, reproduce_claims, reproduce_claims_size);
    for (char *from = all.text; *from != '\0';) {
        char *line = from, *to = from;
        do {
            const size_t length = strcspn(from, "\n");
            memmove(to, from, length);
            to += length;
            from += length + (from[length] == '\n');
            from += from[0] == ' ' ? strspn(from, " ") - 1 : 0;
        } while (from[0] == ' ');
        *to = '\0';
        read_line(line);
    }
}

const section *catalogue_at(int k)
{
    read_all();
    return k < all.n ? &all.at[k] : NULL;
}

const char *section_value(const section *s, const char *key)
{
    for (int i = 0; i < s->n; ++i) {
        if (strcmp(s->entry[i].key, key) == 0) {
            return s->entry[i].value;
        }
    }
    return NULL;
}

const char *catalogue_text(const char *name, size_t length)
{
    const section *s;
    for (int k = 0; (s = catalogue_at(k)) != NULL; ++k) {
        if (strncmp(s->name, name, length) == 0 && s->name[length] == '\0') {
            return section_value(s, "text");
        }
    }
    return NULL;
}
