/* A description as a model that has started, with outputs of our own. */
#ifndef TEST_IMPORT_ROBOT_H
#define TEST_IMPORT_ROBOT_H

#include "dalembert/import.h"
#include "support/check.h"
#include "support/check_model.h"

/* The description is text (' is "); options may be NULL. */
dal_import *robot_import(dal_ctx *ctx, const char *text, const dal_import_options *options);
/* Its import fails, and the message has these words. */
void robot_fails(const char *text, const dal_import_options *options, const char *message);
/* outputs: the items of the list, ' is " */
check_model robot_start(const char *text, const dal_import_options *options, const char *outputs,
                        const char *const *set, int nset);
/* The names of the note that contains these words; "": there is none. */
const char *robot_note(const dal_import *import, const char *words);

#endif
