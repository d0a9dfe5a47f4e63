/* Generated programs beside the library, step by step. */
#ifndef TEST_GENERATE_AGREEMENT_H
#define TEST_GENERATE_AGREEMENT_H

#include "generate/program.h"

/* A model, started by the library. */
typedef struct library {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_sim *sim;
} library;

/* Where a model of elements/ is. */
void path_of(char *to, size_t size, const char *model);
/* A file, to be freed. */
char *text_of(const char *path);

/* bits: 0: as the model says; otherwise the last bit of every initial value is changed, in a pattern of that number. */
void library_open(library *l, const char *model, const char *const *set, int nset, unsigned bits);
void library_close(library *l);

/* Largest differences over all steps, relative to the largest entry of the run; of the energy to 1 at least. */
typedef struct difference {
    double q, v, E;
} difference;

/* A program against the library; and the library against itself when the last bits of the initial values change, the
 * worst of three patterns: what rounding alone does to the motion. */
typedef struct agreement {
    difference program, rounding;
} agreement;

agreement agreement_over(const char *model, const char *const *set, int nset, int steps, const char *flags);
/* To 1e-12, or, where rounding alone does more than that to the library, to four times as much. */
void assert_agrees(const char *model, const agreement *a);

#endif
