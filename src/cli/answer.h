/* What a command found: named values in a tree. It is filled once and printed in two ways, as a JSON document and in words by a
 * template. What the members mean, and the templates, is told in records.txt; docs/format/json.md is written from there. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli/cli.h"
#include "dalembert/integrate.h"
#include "dalembert/results.h"

typedef struct cli_answer cli_answer;

/* An object without members. */
cli_answer *answer_create(void);

/* Members of an object, each its name and the conversion of its value: "model %s steps %ld h %g converged? %d .note %s". A name with
 * '?' is a flag; a text that is NULL is left out. Whatever has a name that begins with a point is for the text only, not for JSON. */
void answer_put(cli_answer *to, const char *members, ...) DAL_PRINTF(2, 3);
/* A new object with such members, which JSON has on one line. */
cli_answer *answer_line(cli_answer *to, const char *name, const char *members, ...) DAL_PRINTF(3, 4);
/* One member, or an item of a list (name NULL). Everything is copied. */
void answer_text(cli_answer *to, const char *name, const char *text);
void answer_real(cli_answer *to, const char *name, double x);
void answer_reals(cli_answer *to, const char *name, const double *x, int n);
void answer_wholes(cli_answer *to, const char *name, const int *x, int n);
void answer_texts(cli_answer *to, const char *name, char *const *text, int n, int flat); /* a list */
/* A dense matrix, column-major, as the list of its rows. */
void answer_matrix(cli_answer *to, const char *name, const double *x, int rows, int cols);
/* An object or a list that belongs to `to` and is filled afterwards. flat: JSON has it on one line. */
cli_answer *answer_object(cli_answer *to, const char *name, int flat);
cli_answer *answer_list(cli_answer *to, const char *name, int flat);
/* All options with their values; name NULL: as members of `to`. */
void answer_options(cli_answer *to, const char *name, const dal_options *opt);

/* In words, by the template [text] of records.txt; NULL: one JSON document, numbers with 17 digits, null for what is no number. */
char *answer_string(const cli_answer *a, const char *text);
/* Added to a text; html: by the template of a page, text of members stays text. */
void answer_add(const cli_answer *a, cli_string *out, const char *text, int html);
/* The same as a file. */
void answer_save(const cli_answer *a, const char *text, const char *path);
/* The same unless the name asks for HDF5; 0: it does. */
int answer_save_csv(const cli_answer *a, const char *text, const char *path);
void answer_save_arrays(const char *path, const dal_array *list, int n, const dal_note *note, int nnotes);
/* To stdout: as JSON if --json is given, else in words unless --quiet is; text NULL: by the template of the command. */
void answer_tell(const cli_answer *a, const cli_args *args, const char *text);
/* The texts of a list ("a.b": b of a), one a line. */
char *answer_lines(const cli_answer *a, const char *list);
/* A JSON document of its own: the answer for this model could not be found, for the reason of the last cli_error. */
void answer_failure(const char *model);

#endif
