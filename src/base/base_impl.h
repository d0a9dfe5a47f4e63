/* What a context holds. */
#ifndef DAL_BASE_IMPL_H
#define DAL_BASE_IMPL_H

#include "dalembert/base.h"

enum { DAL_MESSAGE_SIZE = 1024 };

struct dal_ctx {
    dal_config config; /* alloc and release are always set */
    dal_status status;
    char message[DAL_MESSAGE_SIZE];
};

#endif
