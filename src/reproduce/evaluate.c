/* From the words of a claim to its number: alternatives, ratios, exponents, the one of several values that counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reproduce/claim.h"
#include "reproduce/measures.h"
#include "reproduce/memo.h"

static const struct {
    const char *name;
    measure_function *measure;
} MEASURES[] = {{"error", measure_error},
                {"size", measure_size},
                {"effort", measure_effort},
                {"zigzag", measure_zigzag},
                {"between", measure_between},
                {"return", measure_return},
                {"changing_steps", measure_changing_steps},
                {"jerk", measure_jerk},
                {"lie_term", measure_lie_term},
                {"recursion", measure_recursion},
                {"multistep", measure_multistep},
                {"stable_parameters", measure_stable_parameters},
                {"lie_coefficient", measure_lie_coefficient},
                {"inverse_P", measure_inverse_P},
                {"followed", measure_followed},
                {"driven_frame", measure_driven_frame},
                {"overshoot", measure_overshoot},
                {"modified_mass", measure_modified_mass},
                {"split", measure_split},
                {"lobatto", measure_lobatto},
                {"particle", measure_particle},
                {"particle_step", measure_particle_step},
                {"particle_stages", measure_particle_stages},
                {"newmark", measure_newmark}};

enum { NMEASURES = sizeof MEASURES / sizeof MEASURES[0], VALUES = 64 };

measure_function *measure_find(words *w, const char *text)
{
    const size_t length = strcspn(text, " ");
    for (int i = 0; i < NMEASURES; ++i) {
        if (strlen(MEASURES[i].name) == length && strncmp(MEASURES[i].name, text, length) == 0) {
            return words_add(w, text + length) ? MEASURES[i].measure : NULL;
        }
    }
    return NULL;
}

double measure_value(lab *L, measure_function *measure, const words *w)
{
    char key[MEMO_KEY];
    size_t used = 0;
    double x;
    for (int i = 0; i < NMEASURES; ++i) {
        used = MEASURES[i].measure == measure ? (size_t)snprintf(key, sizeof key, "%s", MEASURES[i].name) : used;
    }
    for (int i = 0; i < w->n && used < sizeof key; ++i) {
        used += (size_t)snprintf(key + used, sizeof key - used, " %s", w->word[i]);
    }
    if (used >= sizeof key) {
        return measure(L, w);
    }
    if (!memo_find(&x, 1, key)) {
        x = measure(L, w);
        memo_keep(&x, 1, key);
    }
    return x;
}

/* A claim being measured. */
typedef struct evaluation {
    const claim *c;
    lab *L;
    measure_function *measure;
    double x[VALUES], h[VALUES]; /* values, and the step sizes they belong to */
    int n;
    int bad; /* words that do not fit, or too many values */
} evaluation;

static double with_words(evaluation *e, const words *w, const char *more)
{
    words all = *w;
    e->bad |= !words_add(&all, more);
    return measure_value(e->L, e->measure, &all);
}

/* The value, or its ratio to that with the words `over`. */
static double ratio(evaluation *e, const words *w)
{
    const double x = measure_value(e->L, e->measure, w);
    return e->c->over != NULL ? with_words(e, w, e->c->over) / x : x;
}

/* Exponent of a word's number between two of its values. */
static double exponent(evaluation *e, const words *w)
{
    double x[2], y[2];
    const char *text = e->c->exponent;
    for (int i = 0; i < 2; ++i) {
        char word[WORD_SIZE];
        (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
        words all = *w;
        e->bad |= !words_add(&all, word);
        x[i] = strtod(word + strcspn(word, ":=") + 1, NULL);
        y[i] = ratio(e, &all);
        text += strlen(word) + (text[strlen(word)] == ' ');
    }
    return log(y[1] / y[0]) / log(x[1] / x[0]);
}

/* Collect the values for every combination of alternatives a|b|c in the words from number `first` on. */
static void collect(evaluation *e, const words *w, int first)
{
    for (int i = first; i < w->n; ++i) {
        const char *word = w->word[i];
        if (strchr(word, '|') == NULL) {
            continue;
        }
        const size_t key = strcspn(word, ":=") + 1;
        for (const char *at = word + key; at != NULL; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
            words one = *w;
            (void)snprintf(one.word[i] + key, WORD_SIZE - key, "%.*s", (int)strcspn(at, "|"), at);
            collect(e, &one, i + 1);
        }
        return;
    }
    const double x = e->c->exponent != NULL ? exponent(e, w) : ratio(e, w);
    if (e->n < VALUES) {
        e->h[e->n] = words_number(w, "h=", 1.0);
        e->x[e->n++] = x;
    } else {
        e->bad = 1;
    }
}

/* The words of "a b; c d; ..." one after the other. */
static void collect_each(evaluation *e, const words *w)
{
    for (const char *at = e->c->each; at != NULL; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        char group[256];
        words all = *w;
        (void)snprintf(group, sizeof group, "%.*s", (int)strcspn(at, ";"), at);
        e->bad |= !words_add(&all, group);
        collect(e, &all, 0);
    }
}

/* The number that counts; NAN if one of them is. */
static double take(const evaluation *e)
{
    const char *how = e->c->take != NULL ? e->c->take : "far";
    double x = e->x[0], sum = 0.0, steps = 0.0, per_step = 0.0, product = 1.0;
    for (int i = 0; i < e->n; ++i) {
        const double y = e->x[i];
        x = strcmp(how, "min") == 0   ? -larger(-x, -y)
            : strcmp(how, "max") == 0 ? larger(x, y)
                                      : farther(x, y, e->c->expected);
        sum += y;
        product *= y;
        steps += 1.0 / e->h[i];
        per_step += y / e->h[i];
    }
    return strcmp(how, "sum") == 0       ? sum
           : strcmp(how, "mean") == 0    ? per_step / steps
           : strcmp(how, "average") == 0 ? sum / e->n
           : strcmp(how, "gmean") == 0   ? pow(product, 1.0 / e->n)
                                         : x;
}

double claim_measure(const claim *c, dal_ctx *ctx)
{
    lab L = {.ctx = ctx};
    words w = {.n = 0};
    evaluation e = {.c = c, .L = &L, .measure = measure_find(&w, c->measure)};
    if (e.measure != NULL && c->each != NULL) {
        collect_each(&e, &w);
    } else if (e.measure != NULL) {
        collect(&e, &w, 0);
    }
    lab_close(&L);
    return e.n > 0 && !e.bad ? take(&e) : NAN;
}
