/* Steps per second of an ensemble on a device, and its results against the host.
 *
 *     nvcc -O3 -arch=sm_90 -DPROGRAM='"heavy_top.cu"' -DMEMBERS=262144 -DSTEPS=1000 bench.cu -o bench
 *
 * PROGRAM is a file of `dalembert generate MODEL --cuda --name gm --parameters ... --sample N`. Member i starts from
 * row i % N of its table, so that neighbouring threads have different parameters. Without nvcc (-x c++) it runs the same code
 * on the host, with fewer members. */
#include PROGRAM

#include <stdio.h>
#include <stdlib.h>

#ifndef MEMBERS
#define MEMBERS 262144
#endif
#ifndef STEPS
#define STEPS 1000
#endif

static double *members(int n)
{
    double *x = (double *)malloc(sizeof(double) * (size_t)gm_SIZE * (size_t)n);
    for (int i = 0; x && i < n; ++i) {
        for (int k = 0; k < gm_SIZE; ++k) {
            x[(size_t)k * (size_t)n + (size_t)i] = gm_sample[i % gm_SAMPLE][k];
        }
    }
    return x;
}

/* Largest difference in q and in v of some members, relative to the largest q and v. */
static double against_host(const double *x, int n, int steps)
{
    const int count = gm_SAMPLE < 64 ? gm_SAMPLE : 64;
    double size[2] = {1e-300, 1e-300}, difference[2] = {0.0, 0.0}, *y = members(gm_SAMPLE);
    int *failed = (int *)calloc((size_t)gm_SAMPLE, sizeof(int));
    for (int m = 0; m < count; ++m) {
        gm_members(y, failed, gm_SAMPLE, m, steps);
        for (int k = gm_Q; k < gm_END; ++k) {
            const double a = x[(size_t)k * (size_t)n + (size_t)m], b = y[(size_t)k * gm_SAMPLE + (size_t)m];
            const int v = k >= gm_V;
            size[v] = fabs(b) > size[v] ? fabs(b) : size[v];
            difference[v] = fabs(a - b) > difference[v] ? fabs(a - b) : difference[v];
        }
    }
    free(y);
    free(failed);
    return difference[0] / size[0] > difference[1] / size[1] ? difference[0] / size[0] : difference[1] / size[1];
}

#ifdef __CUDACC__
static int check(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(e));
        exit(1);
    }
    return 0;
}

int main(void)
{
    const int n = MEMBERS;
    double *host = members(n), *x;
    int *failed, *status = (int *)calloc((size_t)n, sizeof(int)), bad = 0;
    const size_t size = sizeof(double) * (size_t)gm_SIZE * (size_t)n;
    cudaEvent_t start, stop;
    cudaFuncAttributes attributes;
    float ms, best = 1e30f;
    check(cudaMalloc(&x, size), "members");
    check(cudaMalloc(&failed, sizeof(int) * (size_t)n), "status");
    check(cudaFuncGetAttributes(&attributes, gm_kernel), "attributes");
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (int run = 0; run < 3; ++run) {
        check(cudaMemcpy(x, host, size, cudaMemcpyHostToDevice), "copy");
        check(cudaMemset(failed, 0, sizeof(int) * (size_t)n), "clear");
        cudaEventRecord(start);
        check((cudaError_t)gm_launch(x, failed, n, STEPS), "launch");
        cudaEventRecord(stop);
        check(cudaEventSynchronize(stop), "run");
        cudaEventElapsedTime(&ms, start, stop);
        best = ms < best ? ms : best;
    }
    check(cudaMemcpy(host, x, size, cudaMemcpyDeviceToHost), "copy back");
    check(cudaMemcpy(status, failed, sizeof(int) * (size_t)n, cudaMemcpyDeviceToHost), "copy back");
    for (int i = 0; i < n; ++i) {
        bad += status[i] != 0;
    }
    printf("%-28s %8d members x %d steps: %9.3f ms, %.3e steps/s; registers %d, local %zu B; failed %d; against host %.1e\n", PROGRAM, n,
           STEPS, best, 1e3 * (double)n * STEPS / best, attributes.numRegs, attributes.localSizeBytes, bad,
           against_host(host, n, STEPS));
    return 0;
}
#else
int main(void)
{
    const int n = 2 * gm_SAMPLE;
    double *x = members(n);
    int *failed = (int *)calloc((size_t)n, sizeof(int)), bad = 0;
    gm_run(x, failed, n, STEPS);
    for (int i = 0; i < n; ++i) {
        bad += failed[i] != 0;
    }
    printf("%-28s %8d members x %d steps on the host; failed %d; against itself %.1e\n", PROGRAM, n, STEPS, bad, against_host(x, n, STEPS));
    free(x);
    free(failed);
    return 0;
}
#endif
