/* What reading and writing of HDF5 files share. */
#ifndef DAL_IO_RESULTS_HDF5_IMPL_H
#define DAL_IO_RESULTS_HDF5_IMPL_H

#include <hdf5.h>

#include "io/results_impl.h"

/* HDF5 prints its errors unless told otherwise; what was set before is put back. */
typedef struct h5_quiet {
    H5E_auto2_t call;
    void *data;
} h5_quiet;

h5_quiet dal_h5_hush(void);
void dal_h5_unhush(h5_quiet q);

/* Access to files in the format that allows readers while a writer is at work. To be closed. */
hid_t dal_h5_access(void);
/* A closed file, or one that is being written or was left by a killed writer. */
hid_t dal_h5_open_read(const char *path);
dal_status dal_h5_failed(dal_ctx *ctx, const char *what, const char *path) DAL_NODISCARD;

#endif
