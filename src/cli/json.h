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

cli_json json_to(FILE *out);
void json_end(cli_json *j); /* the line feed after the document */
/* key NULL: an element of a list, or the document. flat: on one line. */
void json_open(cli_json *j, const char *key, char bracket, int flat);
void json_close(cli_json *j, char bracket);
void json_text(cli_json *j, const char *key, const char *text);
void json_real(cli_json *j, const char *key, double x);
void json_whole(cli_json *j, const char *key, long n);
void json_flag(cli_json *j, const char *key, int yes);
void json_reals(cli_json *j, const char *key, const double *x, int n);
/* All options with their values. */
void json_options(cli_json *j, const char *key, const dal_options *opt);

#endif
