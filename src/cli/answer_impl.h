/* How an answer is kept. */
#ifndef CLI_ANSWER_IMPL_H
#define CLI_ANSWER_IMPL_H

#include "cli/answer.h"

typedef enum answer_kind {
    ANSWER_NOTHING, /* a text that is not there */
    ANSWER_TEXT,
    ANSWER_REAL,
    ANSWER_WHOLE,
    ANSWER_FLAG,
    ANSWER_REALS,
    ANSWER_OBJECT,
    ANSWER_LIST
} answer_kind;

struct cli_answer {
    char *name; /* NULL: an item of a list */
    answer_kind kind;
    int hidden, flat; /* not in JSON; in one line of it */
    char *text;
    double real;
    long whole; /* a flag, too */
    double *x;  /* n numbers */
    int n;
    cli_answer *up, *next, *first, *last; /* the one it is part of, the one after it, its parts */
};

#endif
