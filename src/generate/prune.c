/* Leave out values that nothing uses: lines "    const real NAME = ...;" of names that do not occur further down. */
#include <ctype.h>

#include "generate/generate_impl.h"

/* Names seen so far, open addressing. */
typedef struct names {
    const char **word;
    size_t *length;
    size_t size, n;
} names;

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where a word is, or would be. */
static size_t find(const names *s, const char *word, size_t n)
{
    size_t hash = 5381;
    for (size_t i = 0; i < n; ++i) {
        hash = hash * 33 + (unsigned char)word[i];
    }
    size_t k = hash % s->size;
    while (s->word[k] && !(s->length[k] == n && memcmp(s->word[k], word, n) == 0)) {
        k = (k + 1) % s->size;
    }
    return k;
}

static void note_words(names *s, const char *line, const char *end)
{
    for (const char *p = line; p < end && !(p[0] == '/' && p[1] == '/');) { // comments use nothing
        const char *q = p;
        while (q < end && is_word(*q)) {
            ++q;
        }
        if (q > p && !isdigit((unsigned char)*p)) {
            const size_t k = find(s, p, (size_t)(q - p));
            s->word[k] = p;
            s->length[k] = (size_t)(q - p);
        }
        p = q > p ? q : p + 1;
    }
}

/* The name that a line defines, its length in *n; NULL if it is not of that form. */
static const char *defined(const char *line, size_t *n)
{
    static const char key[] = "    const real ";
    if (strncmp(line, key, sizeof key - 1) != 0) {
        return NULL;
    }
    const char *name = line + sizeof key - 1;
    *n = 0;
    while (is_word(name[*n])) {
        ++*n;
    }
    return strncmp(name + *n, " = ", 3) == 0 ? name : NULL;
}

/* Mark lines backwards: a blank at the start of a dropped line becomes a zero. */
static void mark(char *text, size_t size, names *s)
{
    for (size_t end = size; end > 0;) {
        size_t start = end - 1, n;
        while (start > 0 && text[start - 1] != '\n') {
            --start;
        }
        const char *name = defined(text + start, &n);
        if (name && !s->word[find(s, name, n)]) {
            text[start] = '\0';
        } else {
            note_words(s, text + start, text + end);
        }
        end = start;
    }
}

dal_status gen_prune(gen_text *t)
{
    size_t words = 1, n = 0;
    for (size_t i = 1; i < t->n; ++i) {
        words += is_word(t->s[i]) && !is_word(t->s[i - 1]);
    }
    names s = {.size = 2 * words + 1};
    s.word = dal_alloc_zero(t->ctx, s.size * sizeof *s.word);
    s.length = dal_alloc_zero(t->ctx, s.size * sizeof *s.length);
    if (!s.word || !s.length) {
        dal_free(t->ctx, s.word);
        dal_free(t->ctx, s.length);
        return dal_fail(t->ctx, DAL_ENOMEM, "generate: no memory to prune the program");
    }
    mark(t->s, t->n, &s);
    for (size_t i = 0; i < t->n;) {
        const int keep = t->s[i] != '\0';
        size_t end = i + 1;
        while (end < t->n && t->s[end - 1] != '\n') {
            ++end;
        }
        if (keep) {
            memmove(t->s + n, t->s + i, end - i);
            n += end - i;
        }
        i = end;
    }
    t->n = n;
    t->s[n] = '\0';
    dal_free(t->ctx, s.word);
    dal_free(t->ctx, s.length);
    return DAL_OK;
}
