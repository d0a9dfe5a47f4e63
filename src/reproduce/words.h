/* What a measurement is told, as words:
 *     of:la model:pendulum @x0=0.2 T:2 starting=naive h=0.02
 * key:value is for the measurement, @key=value sets a variable of the model, key=value is an option of the run. */
#ifndef REPRODUCE_WORDS_H
#define REPRODUCE_WORDS_H

#include <stddef.h>

enum { WORDS_MAX = 32, WORD_SIZE = 72 };

typedef struct words {
    int n;
    char word[WORDS_MAX][WORD_SIZE];
} words;

/* Append the words of a text; one replaces an earlier one with the same key, "$name" stands for what is defined under this name.
 * 0: there is no such name, or no room. */
int words_add(words *w, const char *text);
/* Those of a text that a program writes; it has room for them. */
words words_of(const char *text);

/* The value behind a key such as "of:" or "h="; "" and `otherwise` if there is none. */
const char *words_text(const words *w, const char *key);
int words_is(const words *w, const char *key, const char *value);
double words_number(const words *w, const char *key, double otherwise);

/* The options, or with variables = 1 the variables of the model without their @, separated by blanks. */
void words_settings(char *text, size_t size, const words *w, int variables);

#endif
