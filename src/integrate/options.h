/* Options as a caller hands them over. */
#ifndef DAL_INTEGRATE_OPTIONS_H
#define DAL_INTEGRATE_OPTIONS_H

#include "dalembert/integrate.h"

/* Copy the options of a caller who may have been compiled with fewer of them; those it does not know keep their
 * defaults. from NULL: all defaults. The values are not checked. */
dal_status dal_options_take(dal_options *to, dal_ctx *ctx, const dal_options *from) DAL_NODISCARD;

#endif
