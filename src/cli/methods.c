#include "cli/methods.h"

int method_apply(dal_options *opt, dal_ctx *ctx, const char *text)
{
    return dal_options_method(ctx, opt, text) == DAL_OK ? CLI_OK : cli_usage("%s", dal_ctx_message(ctx));
}
