/* Writing JSON: commas and indentation are kept track of; numbers have 17 digits, what is no number becomes null. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

#include "dalembert/integrate.h"

enum { JSON_DEPTH = 16 };

typedef struct cli_json {
    FILE *out;
    int depth;
    int count[JSON_DEPTH]; /* members so far */
    int flat;              /* depth below which everything stays on one line; 0: none */
} cli_json;

cli_json cli_json_to(FILE *out);
void cli_json_end(cli_json *j); /* the line feed after the document */
/* key NULL: an element of a list, or the document. flat: on one line. */
void cli_json_open(cli_json *j, const char *key, char bracket, int flat);
void cli_json_close(cli_json *j, char bracket);
void cli_json_text(cli_json *j, const char *key, const char *text);
void cli_json_real(cli_json *j, const char *key, double x);
void cli_json_whole(cli_json *j, const char *key, long n);
void cli_json_flag(cli_json *j, const char *key, int yes);
void cli_json_reals(cli_json *j, const char *key, const double *x, int n);
/* A document of its own: the answer for this model could not be found. */
void cli_json_failure(const char *model, const char *error);
/* All options with their values. */
void cli_json_options(cli_json *j, const char *key, const dal_options *opt);

#endif
