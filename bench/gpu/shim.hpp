/* What bench/gpu/ensemble.cu and the programs it includes use of CUDA, for a compiler of the host: threads run one after the
 * other. A text that this compiles and runs is not far from one that nvcc takes. */
#ifndef CUDA_SHIM_H
#define CUDA_SHIM_H

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#define __CUDACC__ 1
#define __host__
#define __device__
#define __global__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

struct dim3 {
    unsigned x;
    explicit dim3(unsigned n = 1) : x(n)
    {
    }
};
static dim3 blockIdx(0), blockDim(1), threadIdx(0);

enum cudaError_t { cudaSuccess, cudaErrorShim };
enum { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
typedef int cudaEvent_t;
struct cudaFuncAttributes {
    int numRegs;
    size_t localSizeBytes;
};

template <class... A, size_t... I> static void shim_apply(void (*f)(A...), void **a, std::index_sequence<I...>)
{
    f(*static_cast<A *>(a[I])...);
}

template <class... A>
static cudaError_t cudaLaunchKernel(void (*f)(A...), dim3 grid, dim3 block, void **a, size_t, void *)
{
    blockDim = block;
    for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
        for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x) {
            shim_apply(f, a, std::index_sequence_for<A...>());
        }
    }
    return cudaSuccess;
}

template <class T> static cudaError_t cudaMalloc(T **p, size_t size)
{
    *p = static_cast<T *>(std::malloc(size));
    return *p ? cudaSuccess : cudaErrorShim;
}

static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t size, int)
{
    std::memcpy(to, from, size);
    return cudaSuccess;
}

static inline cudaError_t cudaMemset(void *to, int value, size_t size)
{
    std::memset(to, value, size);
    return cudaSuccess;
}

template <class F> static cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *a, F)
{
    *a = cudaFuncAttributes();
    return cudaSuccess;
}

static inline const char *cudaGetErrorString(cudaError_t e)
{
    return e == cudaSuccess ? "success" : "failure";
}

static inline void cudaEventCreate(cudaEvent_t *e)
{
    *e = 0;
}

static inline void cudaEventRecord(cudaEvent_t)
{
}

static inline cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}

static inline void cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
    *ms = 1.0f;
}

#endif
