/* Any bytes as the file of a matrix: it is read or refused with a message, and entries lie within the size of the matrix. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/matrices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    dal_ctx *ctx;
    if (dal_ctx_create(&ctx, NULL) != DAL_OK) {
        return 0;
    }
    dal_pool pool = {.ctx = ctx, .what = "a matrix"};
    io_matrix m;
    const dal_status st = dal_io_matrix_parse(&m, &pool, (const char *)data, size, "fuzz.mtx");
    int bad = st != DAL_OK && dal_ctx_message(ctx)[0] == '\0';
    for (int k = 0; st == DAL_OK && k < m.n; ++k) {
        bad = bad || m.row[k] < 0 || m.row[k] >= m.rows || m.col[k] < 0 || m.col[k] >= m.cols;
    }
    if (bad) {
        fprintf(stderr, "a failure without a message, or an entry outside its matrix\n");
        abort();
    }
    dal_pool_release(&pool);
    dal_ctx_destroy(ctx);
    return 0;
}
