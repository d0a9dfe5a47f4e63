/* Which engine runs the members: the library, or a program that is generated for the model, compiled and loaded. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/sweep_impl.h"

/* Members of a block on a device; steps of all members that make compiling worth while (docs/user/sweep.md); members whose
 * parameters are tried as a start for the program. */
enum { DEVICE_WIDTH = 8192, WORTH = 2000000, TRIALS = 8 };

const char *dal_sweep_backend_name(dal_sweep_backend backend)
{
    static const char *const name[] = {"interpreted", "lanes", "cuda", "auto"};
    return backend >= 0 && backend <= DAL_SWEEP_BACKEND_AUTO ? name[backend] : NULL;
}

long dal_sweep_steps(double t_end, double h)
{
    const double n = rint(t_end / h), rounding = 1e-12 * h + 4.0 * 2.2e-16 * fabs(t_end);
    return n >= 1.0 && n < 1e15 && fabs(n * h - t_end) <= rounding ? (long)n : 0;
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

/* ---- what programs cannot do ------------------------------------------------------------------ */

/* Times of trajectories are ends of steps. */
static dal_status check_times(const dal_sweep *s, double h)
{
    for (int k = 0; k < s->ntimes; ++k) {
        if (fabs(s->times[k] / h - rint(s->times[k] / h)) > 1e-9) {
            return dal_fail(
                s->ctx, DAL_EINVAL,
                "the trajectories are wanted at t = %g, between two steps of h = %g: programs give the ends of "
                "steps; take multiples of h, or --backend interpreted",
                s->times[k], h);
        }
    }
    return DAL_OK;
}

static dal_status check_sweep(const dal_sweep *s)
{
    if (s->binding == NULL || s->doc == NULL) {
        return dal_fail(
            s->ctx, DAL_EINVAL,
            "a parameter decides about the structure of the model or is an option, so that each member reads "
            "the model anew: that is for --backend interpreted");
    }
    const dal_options o = dal_sweep_options(s);
    if (o.step == DAL_STEP_ADAPTIVE) {
        return dal_fail(
            s->ctx, DAL_EINVAL,
            "a tolerance controls the steps, and programs have a constant step: give h (with fixed steps), or "
            "--backend interpreted");
    }
    double x[SWEEP_PARAMETERS], t_end;
    dal_sweep_point(s, x, 0);
    if (dal_binding_t_end(s->binding, &t_end, x) == DAL_OK && dal_sweep_steps(t_end, o.h) == 0) {
        return dal_fail(
            s->ctx, DAL_EINVAL,
            "t_end = %g is not a whole number of steps of h = %g, and programs have a constant step: choose "
            "another h or t_end, or --backend interpreted",
            t_end, o.h);
    }
    return check_times(s, o.h);
}

/* Is compiling worth while? It does not depend on the cache: the same sweep gives the same results. */
static dal_status check_size(const dal_sweep *s)
{
    double x[SWEEP_PARAMETERS], t_end;
    dal_sweep_point(s, x, 0);
    DAL_TRY(dal_binding_t_end(s->binding, &t_end, x));
    const double steps = t_end / dal_sweep_options(s).h * (double)s->n;
    return steps >= WORTH ? DAL_OK
                          : dal_fail(s->ctx, DAL_EINVAL, "%.3g steps in all are too few to be worth compiling", steps);
}

/* ---- the program ------------------------------------------------------------------------------ */

/* Names of the outputs that are looked at, each once. */
static int list_outputs(const dal_sweep *s, const char **name)
{
    const dal_model *model = dal_document_model(s->doc);
    int n = 0;
    for (int k = 0; k < s->plan.ninputs; ++k) {
        if (s->input[k].output < 0) {
            continue;
        }
        const char *own = dal_model_output_info(model, s->input[k].output).name;
        int known = 0;
        for (int i = 0; i < n; ++i) {
            known |= strcmp(name[i], own) == 0;
        }
        if (!known) {
            name[n++] = own;
        }
    }
    return n;
}

static dal_status find_inputs(dal_sweep *s)
{
    const dal_model *model = dal_document_model(s->doc);
    sweep_code *c = &s->code;
    DAL_TAKE(&s->pool, c->at, s->plan.ninputs + 1);
    for (int k = 0; k < s->plan.ninputs; ++k) {
        const sweep_input *in = &s->input[k];
        if (in->output < 0) {
            c->at[k] = -1;
            continue;
        }
        const dal_output_info info = dal_model_output_info(model, in->output);
        const int first = dal_program_output(c->program, info.name);
        if (first < 0) {
            return dal_fail(s->ctx, DAL_EINVAL,
                            "the output '%s' is not for generated programs: collect something else, or take --backend "
                            "interpreted",
                            info.name);
        }
        c->at[k] = first + (in->first - info.first);
    }
    return DAL_OK;
}

static dal_status generate(dal_sweep *s, const char **output, int noutputs)
{
    const char *parameter[SWEEP_PARAMETERS];
    double x[SWEEP_PARAMETERS];
    for (int k = 0; k < s->np; ++k) {
        parameter[k] = s->parameter[k].name;
    }
    const dal_generate_options how = {.name = "members",
                                      .scalar = s->backend == DAL_SWEEP_CUDA ? DAL_GENERATE_CUDA : DAL_GENERATE_LANES,
                                      .lanes = dal_sweep_lanes(),
                                      .parameters = parameter,
                                      .nparameters = s->np,
                                      .outputs = output,
                                      .noutputs = noutputs,
                                      .trace = 1};
    dal_status st = DAL_EINVAL;
    for (long k = 0; k < TRIALS && st == DAL_EINVAL; ++k) { // a member may be one that does not start
        dal_sweep_point(s, x, k * (s->n - 1) / (TRIALS - 1));
        st = dal_program_create_bound(&s->code.program, s->ctx, s->doc, s->binding, x, &how);
    }
    return st;
}

/* ---- on a device ------------------------------------------------------------------------------ */

/* Behind the text of a program: memory on the device, and the way there and back. Without nvcc, the same on the host. */
static const char device_text[] =
    "\n#include <stdlib.h>\n"
    "#ifdef __cplusplus\n#define EXPORT extern \"C\"\n#else\n#define EXPORT\n#endif\n"
    "typedef struct members_device {\n    double *x, *y, *p;\n    int *failed;\n} members_device;\n"
    "EXPORT const char *members_device_open(void **device, int n, int steps);\n"
    "EXPORT const char *members_device_start(void *device, const double *p, int *failed, double *y, int n);\n"
    "EXPORT const char *members_device_put(void *device, const double *x, const int *failed, int n);\n"
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
    "    OR_SAY(cudaMalloc((void **)&d->failed, sizeof(int) * (size_t)n));\n    return NULL;\n}\n\n"
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
    "EXPORT const char *members_device_trace(void *device, int *failed, double *y, int n, int steps)\n{\n"
    "    members_device *d = (members_device *)device;\n"
    "    OR_SAY((cudaError_t)members_launch(d->x, d->failed, y ? d->y : NULL, n, steps));\n"
    "    return bring(d, failed, y, (size_t)n, (size_t)steps);\n}\n\n"
    "EXPORT void members_device_close(void *device)\n{\n    members_device *d = (members_device *)device;\n"
    "    if (d) {\n        (void)cudaFree(d->x);\n        (void)cudaFree(d->p);\n        (void)cudaFree(d->y);\n"
    "        (void)cudaFree(d->failed);\n        free(d);\n    }\n}\n"
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
                  no_start_text[] = "#define START(p, x, failed, y, n) return (void)(p), (void)(x), (void)(failed), "
                                    "(void)(y), (void)(n), \"no start\"\n";

/* The text to compile; free it. */
static char *whole_text(const dal_sweep *s)
{
    const sweep_code *c = &s->code;
    const char *program = dal_program_text(c->program);
    const int cuda = s->backend == DAL_SWEEP_CUDA;
    const size_t room = strlen(program) + (cuda ? sizeof device_text + sizeof host_text + sizeof start_text + 256 : 1);
    char *text = dal_alloc(s->ctx, room);
    if (text != NULL && cuda) {
        snprintf(text, room, "%s\nenum { SIZE = %d, OUTPUTS = %d, PARAMETERS = %d };\n%s%s%s", program, c->size,
                 c->noutputs, s->np, c->starts ? start_text : no_start_text, device_text, host_text);
    } else if (text != NULL) {
        snprintf(text, room, "%s", program);
    }
    return text;
}

/* ---- loading ---------------------------------------------------------------------------------- */

static dal_status find_symbols(dal_sweep *s)
{
    sweep_code *c = &s->code;
    int found;
    if (s->backend == DAL_SWEEP_CUDA) {
        *(void **)&c->device_open = dlsym(c->library, "members_device_open");
        *(void **)&c->device_start = dlsym(c->library, "members_device_start");
        *(void **)&c->device_put = dlsym(c->library, "members_device_put");
        *(void **)&c->device_trace = dlsym(c->library, "members_device_trace");
        *(void **)&c->device_close = dlsym(c->library, "members_device_close");
        found = c->device_open != NULL && c->device_start != NULL && c->device_put != NULL && c->device_trace != NULL &&
                c->device_close != NULL;
    } else {
        *(void **)&c->trace = dlsym(c->library, "members_trace");
        *(void **)&c->start = dlsym(c->library, "members_start_members");
        found = c->trace != NULL && (c->start != NULL || !c->starts);
    }
    return found ? DAL_OK : dal_fail(s->ctx, DAL_EIO, "the compiled program of the model lacks its functions");
}

/* Is there a device, and does it run this program? */
static dal_status try_device(const dal_sweep *s)
{
    const sweep_code *c = &s->code;
    void *device = NULL;
    const char *wrong = c->device_open(&device, 1, 1);
    if (device != NULL) {
        c->device_close(device);
    }
    return wrong == NULL
               ? DAL_OK
               : dal_fail(s->ctx, DAL_EOPTION,
                          "backend cuda: %s; it needs an NVIDIA GPU and its driver on this machine (--backend "
                          "lanes uses the processor)",
                          wrong);
}

static dal_status load(dal_sweep *s)
{
    sweep_code *c = &s->code;
    const int cuda = s->backend == DAL_SWEEP_CUDA;
    c->size = dal_program_size(c->program);
    c->starts = dal_program_no_start(c->program) == NULL;
    c->noutputs = dal_program_output_size(c->program);
    c->h = dal_sweep_options(s).h;
    c->width = cuda ? DEVICE_WIDTH : dal_sweep_lanes();
    c->width = c->width > s->n ? (int)s->n : c->width;
    char *text = whole_text(s);
    if (text == NULL) {
        return dal_sweep_no_memory(s->ctx);
    }
    const dal_status st = dal_sweep_compile(c, s->ctx, text, cuda);
    dal_free(s->ctx, text);
    DAL_TRY(st);
    DAL_TRY(find_symbols(s));
    return cuda ? try_device(s) : DAL_OK;
}

static dal_status make_code(dal_sweep *s)
{
    DAL_TRY(check_sweep(s));
    const char **output;
    DAL_TAKE(&s->pool, output, s->plan.ninputs + 1);
    DAL_TRY(generate(s, output, list_outputs(s, output)));
    DAL_TRY(find_inputs(s));
    return load(s);
}

dal_status dal_sweep_backend_prepare(dal_sweep *s)
{
    if (s->backend == DAL_SWEEP_INTERPRETED) {
        return DAL_OK;
    }
    const int automatic = s->backend == DAL_SWEEP_BACKEND_AUTO;
    s->backend = automatic ? DAL_SWEEP_LANES : s->backend;
    dal_status st = automatic && s->binding != NULL ? check_size(s) : DAL_OK;
    st = st == DAL_OK ? make_code(s) : st;
    if (st == DAL_OK || st == DAL_ENOMEM || !automatic) {
        return st;
    }
    const char *why = dal_ctx_message(s->ctx);
    DAL_TAKE_TEXT(&s->pool, s->note, why);
    s->backend = DAL_SWEEP_INTERPRETED;
    dal_sweep_code_release(&s->code);
    dal_ctx_clear(s->ctx);
    return DAL_OK;
}

/* ---- questions -------------------------------------------------------------------------------- */

dal_sweep_backend dal_sweep_backend_of(const dal_sweep *s)
{
    return s != NULL ? s->backend : DAL_SWEEP_INTERPRETED;
}

const char *dal_sweep_backend_note(const dal_sweep *s)
{
    return s != NULL && s->note != NULL ? s->note : "";
}

double dal_sweep_compile_seconds(const dal_sweep *s)
{
    return s != NULL ? s->code.seconds : 0.0;
}

int dal_sweep_block(const dal_sweep *s)
{
    return s != NULL && s->code.width > 0 ? s->code.width : 1;
}

long dal_sweep_handed_over(const dal_sweep *s)
{
    return s != NULL ? s->handed : 0;
}

void dal_sweep_note_handed(dal_sweep *s, long member, int handed)
{
    if (handed && s->by_library != NULL) {
        s->by_library[member] = 1;
        ++s->handed;
    }
}
