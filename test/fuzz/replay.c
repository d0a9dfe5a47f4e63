/* Runs files, and damaged copies of them, through the fuzz target: replay FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1 << 20, DAMAGED = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The same numbers on every machine. */
static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

int main(int argc, char **argv)
{
    static uint8_t data[SIZE], copy[SIZE];
    uint32_t state = 1;
    for (int k = 1; k < argc; ++k) {
        FILE *file = fopen(argv[k], "rb");
        if (file == NULL) {
            fprintf(stderr, "cannot open %s\n", argv[k]);
            return EXIT_FAILURE;
        }
        const size_t n = fread(data, 1, sizeof(data), file);
        fclose(file);
        LLVMFuzzerTestOneInput(data, n);
        // bytes changed to ones from elsewhere in the file: the result is often still JSON
        for (int i = 0; i < DAMAGED && n > 0; ++i) {
            for (size_t j = 0; j < n; ++j) {
                copy[j] = data[j];
            }
            for (int c = 0; c <= i % 3; ++c) {
                copy[next(&state) % n] = data[next(&state) % n];
            }
            LLVMFuzzerTestOneInput(copy, i % 4 == 3 ? next(&state) % n : n);
        }
    }
    printf("%d files\n", argc - 1);
    return EXIT_SUCCESS;
}
