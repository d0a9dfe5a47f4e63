/* What a context holds. */
#ifndef DAL_BASE_IMPL_H
#define DAL_BASE_IMPL_H

#include "base/message.h"

struct dal_ctx {
    dal_config config; /* alloc and release are always set */
    dal_status status;
    unsigned long failures; /* recorded so far */
    unsigned long refused;  /* allocations that failed so far */
    char message[DAL_MESSAGE_SIZE];
};

#endif
