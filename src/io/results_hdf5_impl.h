/* What reading and writing of HDF5 files share. */
#ifndef DAL_IO_RESULTS_HDF5_IMPL_H
#define DAL_IO_RESULTS_HDF5_IMPL_H

#include <hdf5.h>

#include "io/results_impl.h"

enum { H5_UNSTORED = 64 * 1024 * 1024 }; /* bytes that may be announced and not stored */

/* HDF5 prints its errors unless told otherwise; what was set before is put back. */
typedef struct h5_quiet {
    H5E_auto2_t call;
    void *data;
} h5_quiet;

/* HDF5 does not survive a lack of memory: is there enough for what it is about to do? Bytes beside its own caches. */
dal_status dal_h5_memory(dal_ctx *ctx, size_t bytes) DAL_NODISCARD;
h5_quiet dal_h5_hush(void);
void dal_h5_unhush(h5_quiet q);

/* Access to files in the format that allows readers while a writer is at work. To be closed. */
hid_t dal_h5_access(void);
/* A closed file, or one that is being written or was left by a killed writer. */
hid_t dal_h5_open_read(const char *path);
/* A dataset of this file: not a link to another file, not numbers kept in one. -1 if there is none. */
hid_t dal_h5_open_set(hid_t file, const char *name);
/* The extent of an array of numbers; 0 if it is not one of this rank, or announces more than the file can hold. */
int dal_h5_extent(hid_t set, hsize_t *size, int rank);
/* The first size[0] rows; rank 1 or 2. 0 if they cannot be read. */
int dal_h5_read_rows(hid_t set, double *x, int rank, const hsize_t *size);
dal_status dal_h5_failed(dal_ctx *ctx, const char *what, const char *path) DAL_NODISCARD;

#endif
