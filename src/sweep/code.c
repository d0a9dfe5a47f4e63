/* A generated program of members, compiled and loaded: on the processor, or on a device with the memory there. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/sweep_impl.h"

/* ---- on a device ------------------------------------------------------------------------------ */

/* Behind the text of a program: memory on the device, and the way there and back. Without nvcc, the same on the host. */
static const char device_text[] =
    "\n#include <stdlib.h>\n"
    "#ifdef __cplusplus\n#define EXPORT extern \"C\"\n#else\n#define EXPORT\n#endif\n"
    "typedef struct members_device {\n    double *x, *y, *p;\n    int *failed, *which;\n} members_device;\n"
    "EXPORT const char *members_device_open(void **device, int n, int steps);\n"
    "EXPORT const char *members_device_start(void *device, const double *p, int *failed, double *y, int n);\n"
    "EXPORT const char *members_device_put(void *device, const double *x, const int *failed, int n);\n"
    "EXPORT const char *members_device_get(void *device, double *x, int n);\n"
    "EXPORT const char *members_device_change(void *device, const double *p, int *failed, const int *which, int n);\n"
    "EXPORT const char *members_device_trace(void *device, int *failed, double *y, int n, int steps);\n"
    "EXPORT void members_device_close(void *device);\n\n"
    "#ifdef __CUDACC__\n"
    "#define OR_SAY(call)                          \\\n    do {                                      \\\n"
    "        const cudaError_t e_ = (call);        \\\n        if (e_ != cudaSuccess) {              \\\n"
    "            return cudaGetErrorString(e_);    \\\n        }                                     \\\n"
    "    } while (0)\n"
    "#define COPY(to, from, n, way) OR_SAY(cudaMemcpyAsync(to, from, n, cudaMemcpy##way, cudaStreamPerThread))\n\n"
    "EXPORT const char *members_device_open(void **device, int n, int steps)\n{\n"
    "    int count = 0;\n    OR_SAY(cudaGetDeviceCount(&count));\n"
    "    members_device *d = (members_device *)calloc(1, sizeof *d);\n    *device = d;\n"
    "    if (!d) {\n        return \"no memory\";\n    }\n"
    "    OR_SAY(cudaMalloc((void **)&d->x, sizeof(double) * SIZE * (size_t)n));\n"
    "    OR_SAY(cudaMalloc((void **)&d->p, sizeof(double) * (PARAMETERS + 1) * (size_t)n));\n"
    "    OR_SAY(cudaMalloc((void **)&d->y, sizeof(double) * (OUTPUTS + 1) * (size_t)n * (size_t)steps));\n"
    "    OR_SAY(cudaMalloc((void **)&d->failed, sizeof(int) * (size_t)n));\n"
    "    OR_SAY(cudaMalloc((void **)&d->which, sizeof(int) * (size_t)n));\n    return NULL;\n}\n\n"
    "static const char *bring(const members_device *d, int *failed, double *y, size_t n, size_t steps)\n{\n"
    "    COPY(failed, d->failed, sizeof(int) * n, DeviceToHost);\n"
    "    if (y) {\n        COPY(y, d->y, sizeof(double) * OUTPUTS * n * steps, DeviceToHost);\n    }\n"
    "    OR_SAY(cudaStreamSynchronize(cudaStreamPerThread));\n    return NULL;\n}\n\n"
    "EXPORT const char *members_device_start(void *device, const double *p, int *failed, double *y, int n)\n{\n"
    "    members_device *d = (members_device *)device;\n"
    "    COPY(d->p, p, sizeof(double) * PARAMETERS * (size_t)n, HostToDevice);\n"
    "    START(d->p, d->x, d->failed, d->y, n);\n"
    "    return bring(d, failed, y, (size_t)n, 1);\n}\n\n"
    "EXPORT const char *members_device_put(void *device, const double *x, const int *failed, int n)\n{\n"
    "    members_device *d = (members_device *)device;\n"
    "    COPY(d->x, x, sizeof(double) * SIZE * (size_t)n, HostToDevice);\n"
    "    COPY(d->failed, failed, sizeof(int) * (size_t)n, HostToDevice);\n    return NULL;\n}\n\n"
    "EXPORT const char *members_device_get(void *device, double *x, int n)\n{\n"
    "    COPY(x, ((members_device *)device)->x, sizeof(double) * SIZE * (size_t)n, DeviceToHost);\n"
    "    OR_SAY(cudaStreamSynchronize(cudaStreamPerThread));\n    return NULL;\n}\n\n"
    "EXPORT const char *members_device_change(void *device, const double *p, int *failed, const int *which, int n)\n{\n"
    "    members_device *d = (members_device *)device;\n"
    "    COPY(d->p, p, sizeof(double) * PARAMETERS * (size_t)n, HostToDevice);\n"
    "    COPY(d->which, which, sizeof(int) * (size_t)n, HostToDevice);\n"
    "    CHANGE(d->p, d->x, d->failed, d->which, n);\n"
    "    return bring(d, failed, NULL, (size_t)n, 1);\n}\n\n"
    "EXPORT const char *members_device_trace(void *device, int *failed, double *y, int n, int steps)\n{\n"
    "    members_device *d = (members_device *)device;\n"
    "    OR_SAY((cudaError_t)members_launch(d->x, d->failed, y ? d->y : NULL, n, steps));\n"
    "    return bring(d, failed, y, (size_t)n, (size_t)steps);\n}\n\n";
static const char device_end_text[] =
    "EXPORT void members_device_close(void *device)\n{\n    members_device *d = (members_device *)device;\n"
    "    if (d) {\n        (void)cudaFree(d->x);\n        (void)cudaFree(d->p);\n        (void)cudaFree(d->y);\n"
    "        (void)cudaFree(d->failed);\n        (void)cudaFree(d->which);\n        free(d);\n    }\n}\n"
    "#else\n";
static const char host_text[] =
    "EXPORT const char *members_device_open(void **device, int n, int steps)\n{\n    (void)steps;\n"
    "    members_device *d = (members_device *)calloc(1, sizeof *d);\n    *device = d;\n"
    "    if (d) {\n        d->x = (double *)calloc((size_t)n, sizeof(double) * SIZE);\n    }\n"
    "    return d && d->x ? NULL : \"no memory\";\n}\n\n"
    "EXPORT const char *members_device_start(void *device, const double *p, int *failed, double *y, int n)\n{\n"
    "    members_device *d = (members_device *)device;\n    START(p, d->x, failed, y, n);\n    return NULL;\n}\n\n"
    "EXPORT const char *members_device_put(void *device, const double *x, const int *failed, int n)\n{\n"
    "    (void)failed;\n    memcpy(((members_device *)device)->x, x, sizeof(double) * SIZE * (size_t)n);\n"
    "    return NULL;\n}\n\n"
    "EXPORT const char *members_device_get(void *device, double *x, int n)\n{\n"
    "    memcpy(x, ((members_device *)device)->x, sizeof(double) * SIZE * (size_t)n);\n    return NULL;\n}\n\n"
    "EXPORT const char *members_device_change(void *device, const double *p, int *failed, const int *which, int n)\n{\n"
    "    members_device *d = (members_device *)device;\n    CHANGE(p, d->x, failed, which, n);\n    return NULL;\n}\n\n"
    "EXPORT const char *members_device_trace(void *device, int *failed, double *y, int n, int steps)\n{\n"
    "    members_trace(((members_device *)device)->x, failed, y, n, steps);\n    return NULL;\n}\n\n"
    "EXPORT void members_device_close(void *device)\n{\n    members_device *d = (members_device *)device;\n"
    "    if (d) {\n        free(d->x);\n        free(d);\n    }\n}\n"
    "#endif\n";

/* How the program starts its members, if it does. */
static const char start_text[] =
    "#ifdef __CUDACC__\n#define START(p, x, failed, y, n) OR_SAY((cudaError_t)members_launch_start(p, x, failed, y, "
    "n))\n"
    "#else\n#define START(p, x, failed, y, n) members_start_members(p, x, failed, y, n)\n#endif\n",
                  change_text[] =
                      "#ifdef __CUDACC__\n#define CHANGE(p, x, failed, which, n) "
                      "OR_SAY((cudaError_t)members_launch_change(p, x, failed, which, n))\n"
                      "#else\n#define CHANGE(p, x, failed, which, n) members_change_members(p, x, failed, which, "
                      "n)\n#endif\n",
                  no_change_text[] =
                      "#define CHANGE(p, x, failed, which, n) return (void)(p), (void)(x), (void)(failed), "
                      "(void)(which), (void)(n), \"no change\"\n",
                  no_start_text[] = "#define START(p, x, failed, y, n) return (void)(p), (void)(x), (void)(failed), "
                                    "(void)(y), (void)(n), \"no start\"\n";

/* The text to compile; free it. */
static char *whole_text(const sweep_code *c, dal_ctx *ctx, int np, int cuda)
{
    const char *program = dal_program_text(c->program);
    const size_t room =
        strlen(program) + (cuda ? sizeof device_text + sizeof device_end_text + sizeof host_text + sizeof start_text +
                                      sizeof change_text + sizeof no_change_text + 256
                                : 1);
    char *text = dal_alloc(ctx, room);
    if (text != NULL && cuda) {
        snprintf(text, room, "%s\nenum { SIZE = %d, OUTPUTS = %d, PARAMETERS = %d };\n%s%s%s%s%s", program, c->size,
                 c->noutputs, np, c->starts ? start_text : no_start_text,
                 c->starts && c->changes ? change_text : no_change_text, device_text, device_end_text, host_text);
    } else if (text != NULL) {
        snprintf(text, room, "%s", program);
    }
    return text;
}

/* ---- loading ---------------------------------------------------------------------------------- */

static dal_status find_symbols(sweep_code *c, dal_ctx *ctx, int cuda)
{
    int found;
    if (cuda) {
        *(void **)&c->device_open = dlsym(c->library, "members_device_open");
        *(void **)&c->device_start = dlsym(c->library, "members_device_start");
        *(void **)&c->device_change = dlsym(c->library, "members_device_change");
        *(void **)&c->device_put = dlsym(c->library, "members_device_put");
        *(void **)&c->device_get = dlsym(c->library, "members_device_get");
        *(void **)&c->device_trace = dlsym(c->library, "members_device_trace");
        *(void **)&c->device_close = dlsym(c->library, "members_device_close");
        found = c->device_open != NULL && c->device_start != NULL && c->device_change != NULL &&
                c->device_put != NULL && c->device_get != NULL && c->device_trace != NULL && c->device_close != NULL;
    } else {
        *(void **)&c->trace = dlsym(c->library, "members_trace");
        *(void **)&c->start = dlsym(c->library, "members_start_members");
        *(void **)&c->change = dlsym(c->library, "members_change_members");
        found = c->trace != NULL && ((c->start != NULL && (c->change != NULL || !c->changes)) || !c->starts);
    }
    return found ? DAL_OK : dal_fail(ctx, DAL_EIO, "the compiled program of the model lacks its functions");
}

/* Is there a device, and does it run this program? */
static dal_status try_device(const sweep_code *c, dal_ctx *ctx)
{
    void *device = NULL;
    const char *wrong = c->device_open(&device, 1, 1);
    if (device != NULL) {
        c->device_close(device);
    }
    return wrong == NULL
               ? DAL_OK
               : dal_fail(ctx, DAL_EOPTION,
                          "backend cuda: %s; it needs an NVIDIA GPU and its driver on this machine (backend lanes uses "
                          "the processor)",
                          wrong);
}

dal_status dal_sweep_code_load(sweep_code *c, dal_ctx *ctx, int np, int cuda, const char *instead)
{
    c->size = dal_program_size(c->program);
    c->starts = dal_program_no_start(c->program) == NULL;
    c->noutputs = dal_program_output_size(c->program);
    char *text = whole_text(c, ctx, np, cuda);
    if (text == NULL) {
        return dal_sweep_no_memory(ctx);
    }
    const dal_status st = dal_sweep_compile(c, ctx, text, cuda, instead);
    dal_free(ctx, text);
    DAL_TRY(st);
    DAL_TRY(find_symbols(c, ctx, cuda));
    return cuda ? try_device(c, ctx) : DAL_OK;
}

void dal_sweep_code_release(sweep_code *code)
{
    dal_program_destroy(code->program);
    if (code->library != NULL) {
        dlclose(code->library);
        close(code->file);
    }
    *code = (sweep_code){0};
}
