/* Generated programs: compiled, loaded, run beside the library. */
#ifndef TEST_GENERATE_PROGRAM_H
#define TEST_GENERATE_PROGRAM_H

#include "dalembert/generate.h"
#include "dalembert/sim.h"

/* A generated program in memory. */
typedef struct program {
    void *library;
    char folder[64];
    void *state;
    int (*step)(void *state);
    const double *(*q)(const void *state), *(*v)(const void *state);
    double (*energy)(const void *state);
    void (*outputs)(const void *state, double *y);
} program;

/* Generate, compile with these flags, load and initialise; fails the test if that does not work. Lanes: q, v,
 * energy and outputs are those of the first lane, the others follow. */
void program_open(program *p, const char *model, const char *const *set, int nset, const dal_generate_options *how,
                  const char *flags);
void program_close(program *p);
/* The largest of the differences in q, and of a tenth of those in v and in the energy, after n steps of both, relative to the
 * largest entry. */
double program_against_library(const char *model, const char *const *set, int nset, int n, const char *flags);
/* What the generator says to a model it refuses; "" if it does not. */
const char *program_refusal(const char *model, const char *const *set, int nset);

/* A value with which a built-in model of many like parts has few of them, for what takes long to compile; NULL: it has few. */
const char *program_few(const char *model);

/* A new folder, and its end; a file in it; the generated file of a model, with this prefix or that of the model. */
void program_folder(char folder[32]);
void program_remove(const char *folder);
void program_write(const char *folder, const char *name, const char *text, size_t n);
void program_write_model(const char *folder, const char *file, const char *model, const char *const *set, int nset,
                         const char *name);
/* The file of a model, with the prefix gm: compiled without warnings by gcc and clang where they are there, run under
 * sanitizers. */
void program_check(const char *folder, const char *model, const char *const *set, int nset);

#endif
