/* Methods by name: settings of the options that belong together. */
#ifndef CLI_METHODS_H
#define CLI_METHODS_H

#include "cli/model.h"

/* "NAME" or "NAME:key=value:key=value" applied to the options. CLI_OK, or CLI_USAGE after a message. */
int method_apply(dal_options *opt, dal_ctx *ctx, const char *text);

#endif
