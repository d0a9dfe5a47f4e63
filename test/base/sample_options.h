/* An options struct with an option of each kind, for the tests of options. */
#ifndef SAMPLE_OPTIONS_H
#define SAMPLE_OPTIONS_H

#include <float.h>
#include <math.h>

#include "support/check.h"

typedef enum sample_form { FORM_INDEX3 = 3, FORM_INDEX2 = 2, FORM_INDEX1 = 1, FORM_GGL = 7 } sample_form;

static const dal_word sample_forms[] = {
    {"index3", FORM_INDEX3}, {"index2", FORM_INDEX2}, {"index1", FORM_INDEX1}, {"ggl", FORM_GGL}, {NULL, 0}};
static const dal_word sample_sigmas[] = {{"opt", -1.0}, {"spin", -2.0}, {NULL, 0}};
static const dal_word sample_none[] = {{"none", INFINITY}, {NULL, 0}};

/* clang-format off */
#define SAMPLE_OPTIONS(X)                                                                                              \
    X(REAL, double, rho_inf, 0.9, 0.0, 1.0, NULL, "Spectral radius at infinity.")                                      \
    X(REAL, double, sigma, -1.0, 0.0, 3.0, sample_sigmas, "Weight of the tangent term.")                               \
    X(REAL, double, h_max, INFINITY, DBL_MIN, DBL_MAX, sample_none, "Largest step.")                                   \
    X(REAL, double, shift, 0.0, -DBL_MAX, DBL_MAX, NULL, "Any number.")                                                \
    X(INT, int, max_iter, 20, 1, 1000, NULL, "Iterations a|step.")                                                     \
    X(FLAG, int, strict, 1, 0, 1, NULL, "Refuse inconsistent values.")                                                 \
    X(CHOICE, sample_form, formulation, FORM_INDEX3, 0, 0, sample_forms, "Index of the equations.")                    \
    X(REALS, dal_reals, times, 0, 0.0, 10.0, NULL, "Output times.")
/* clang-format on */

typedef struct sample {
    SAMPLE_OPTIONS(DAL_OPTION_FIELD)
} sample;

#define SAMPLE_ENTRY(KIND, type, name, initial, min, max, words, text) \
    DAL_OPTION_ENTRY(sample, KIND, name, initial, min, max, words, text)
static const dal_option sample_option[] = {SAMPLE_OPTIONS(SAMPLE_ENTRY)};
static const dal_option_table sample_table = {"Sample options", LEN(sample_option), sample_option};

#endif
