/* OpenBLAS on one thread. Its threads change the order of additions, and on a machine whose cores are busy they made
 * factorisations sixty times slower; the setting is global, so it is changed for the length of a call only. */
#ifndef DAL_LINSOL_BLAS_SERIAL_H
#define DAL_LINSOL_BLAS_SERIAL_H

/* Between these two, in any number of threads at once, OpenBLAS works on the calling thread. */
void dal_blas_serial_begin(void);
void dal_blas_serial_end(void);

#endif
