/* Texts in which words in capitals stand for what depends on the model. */
#include <ctype.h>

#include "generate/generate_impl.h"

static size_t word_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') {
        ++n;
    }
    return n;
}

static const gen_key *find(const gen_key *key, const char *word, size_t n)
{
    while (key->name && !(strlen(key->name) == n && strncmp(key->name, word, n) == 0)) {
        ++key;
    }
    return key->name ? key : NULL;
}

static void put_key(gen *g, const gen_key *k, const gen_key *keys)
{
    char number[GEN_NAME];
    if (k->print) {
        k->print(g);
    } else if (k->text) {
        gen_put_filled(g, k->text, keys);
    } else if (k->real != 0.0) {
        PUT("%s", gen_literal(number, sizeof number, k->real));
    } else {
        PUT("%d", k->count);
    }
}

/* A word; those that begin with program_ or PROGRAM_ with the name of the program instead. */
static void put_word(gen *g, const char *word, size_t n, const gen_key *keys)
{
    const gen_key *k = find(keys, word, n);
    const int lower = strncmp(word, "program_", 8) == 0, upper = strncmp(word, "PROGRAM_", 8) == 0;
    if (k) {
        put_key(g, k, keys);
    } else if (lower || upper) {
        PUT("%s%.*s", lower ? g->name : g->upper, (int)n - 7, word + 7);
    } else {
        gen_put_n(g->out, word, n);
    }
}

/* The key that has the line at p for itself; NULL: none. */
static const gen_key *line_of(const char *p, const gen_key *keys)
{
    p += strspn(p, " ");
    const size_t n = word_length(p);
    return p[n] == '\n' ? find(keys, p, n) : NULL;
}

void gen_put_filled(gen *g, const char *text, const gen_key *keys)
{
    int fresh = 1;
    for (const char *p = text; *p != '\0';) {
        const gen_key *line = fresh ? line_of(p, keys) : NULL;
        const size_t n = word_length(p);
        fresh = line || *p == '\n';
        if (line) {
            put_key(g, line, keys); // it ends its lines itself
            p = strchr(p, '\n') + 1;
        } else if (n > 0) {
            put_word(g, p, n, keys);
            p += n;
        } else {
            gen_put_n(g->out, p++, 1);
        }
    }
}
