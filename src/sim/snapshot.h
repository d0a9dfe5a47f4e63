/* What tests need to forge a snapshot. */
#ifndef DAL_SIM_SNAPSHOT_H
#define DAL_SIM_SNAPSHOT_H

#include <stddef.h>

/* Write the checksum of a snapshot anew, so that what else is wrong with it must be found by other means. */
void dal_snapshot_seal(void *buffer, size_t size);

#endif
