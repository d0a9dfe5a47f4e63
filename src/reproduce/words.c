#include "reproduce/words.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/catalogue.h"

/* Length of the key with its sign. */
static size_t key_length(const char *word)
{
    const size_t n = strcspn(word, ":=");
    return word[n] != '\0' ? n + 1 : n;
}

static int find(const words *w, const char *key, size_t length)
{
    for (int i = 0; i < w->n; ++i) {
        if (key_length(w->word[i]) == length && strncmp(w->word[i], key, length) == 0) {
            return i;
        }
    }
    return -1;
}

static int add_word(words *w, const char *word, size_t length)
{
    const int old = find(w, word, key_length(word)), at = old >= 0 ? old : w->n;
    if (at == WORDS_MAX || length >= WORD_SIZE) {
        return 0;
    }
    memcpy(w->word[at], word, length);
    w->word[at][length] = '\0';
    w->n += old < 0;
    return 1;
}

int words_add(words *w, const char *text)
{
    while (*(text += strspn(text, " ")) != '\0') {
        const size_t length = strcspn(text, " ");
        const char *defined = text[0] == '$' ? catalogue_text(text, length) : NULL;
        if (text[0] == '$' ? defined == NULL || !words_add(w, defined) : !add_word(w, text, length)) {
            return 0;
        }
        text += length;
    }
    return 1;
}

words words_of(const char *text)
{
    words w = {.n = 0};
    const int fits = words_add(&w, text);
    assert(fits);
    (void)fits;
    return w;
}

const char *words_text(const words *w, const char *key)
{
    const size_t length = strlen(key);
    const int i = find(w, key, length);
    return i >= 0 ? w->word[i] + length : "";
}

int words_is(const words *w, const char *key, const char *value)
{
    return strcmp(words_text(w, key), value) == 0;
}

double words_number(const words *w, const char *key, double otherwise)
{
    const char *text = words_text(w, key);
    return text[0] != '\0' ? strtod(text, NULL) : otherwise;
}

void words_settings(char *text, size_t size, const words *w, int variables)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < w->n; ++i) {
        const char *word = w->word[i];
        const int variable = word[0] == '@';
        if (variable == variables && word[key_length(word) - 1] == '=' && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s ", word + variable);
        }
    }
}
