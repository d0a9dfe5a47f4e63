/* Options as a caller hands them over. */
#ifndef DAL_INTEGRATE_OPTIONS_H
#define DAL_INTEGRATE_OPTIONS_H

#include "dalembert/integrate.h"

/* Copy the options of a caller who may have been compiled with fewer of them; those it does not know keep their
 * defaults. from NULL: all defaults. The values are not checked. */
dal_status dal_options_take(dal_options *to, dal_ctx *ctx, const dal_options *from) DAL_NODISCARD;
/* Options for a caller whose struct has this size: all of them, or the first ones in `room`, so that a copy says how long it is. */
const dal_options *dal_options_shown(dal_options *room, const dal_options *all, size_t size);

#endif
