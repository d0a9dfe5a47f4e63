/* The start of members of an ensemble: parameters come from arrays, states and outputs go there. */
#include "generate/generate_impl.h"

static void print_launch(gen *g, const char *y, const char *at)
{
    const char *name = g->name;
    PUT("#ifdef __CUDACC__\n__global__ void __launch_bounds__(128) %s_start_kernel(const double *p, double *x, int "
        "*failed, %sint n)\n{\n",
        name, y);
    PUT("    const int m = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n    if (m < n) {\n        "
        "%s_start_member(p, x, failed, %sn, m);\n    }\n}\n\n",
        name, at);
    PUT("static inline int %s_launch_start(const double *p, double *x, int *failed, %sint n)\n{\n"
        "    void *arguments[] = {&p, &x, &failed, %s&n};\n    return (int)cudaLaunchKernel(%s_start_kernel, "
        "dim3((unsigned)(n + 127) / 128U), dim3(128U), arguments, 0, NULL);\n}\n#endif\n\n",
        name, y, at[0] ? "&y, " : "", name);
}

/* Parameters of member m of n. */
void gen_print_own(gen *g)
{
    for (int k = 0; k < g->p->nparameters; ++k) {
        PUT("    own.%s = real_load(p, (size_t)n, (size_t)m, %d);\n", g->p->field[k], k);
    }
    if (g->p->nparameters == 0) {
        PUT("    (void)p;\n    own.none = REAL(0.0);\n");
    }
}

void gen_print_start_members(gen *g)
{
    const char *name = g->name;
    const int trace = g->how->trace, cuda = g->how->scalar == DAL_GENERATE_CUDA, nout = gen_output_count(g, NULL);
    const char *y = trace ? "double *y, " : "", *at = trace ? "y, " : "";
    if (!g->starts) {
        return;
    }
    PUT("\n/* The start of member m of n, or of those that fill the lanes: parameter k of member m is at p[k n + m]. "
        "*/\n");
    PUT("static inline void %s_start_member(const double *p, double *x, int *failed, %sint n, int m)\n{\n"
        "    %s_parameters own;\n    %s_state s;\n",
        name, y, name, name);
    gen_print_own(g);
    PUT("    (void)%s_start(&s, &own);\n    store(&s, x, (size_t)n, (size_t)m);\n"
        "    real_note(failed, (size_t)n, (size_t)m, s.failed);\n",
        name);
    if (trace && nout > 0) {
        PUT("    if (y) {\n        real out[%d];\n        %s_outputs(&s, out);\n        for (int i = 0; i < %d; ++i) "
            "{\n"
            "            real_store(y, (size_t)n, (size_t)m, (size_t)i, out[i]);\n        }\n    }\n",
            nout, name, nout);
    } else if (trace) {
        PUT("    (void)y;\n");
    }
    PUT("}\n\n");
    if (cuda) {
        print_launch(g, y, at);
    }
    PUT("%svoid %s_start_members(const double *p, double *x, int *failed, %sint n)\n{\n    for (int m = 0; m < n; m += "
        "%d) {\n        %s_start_member(p, x, failed, %sn, m);\n    }\n}\n",
        cuda ? "static inline " : "", name, y, gen_lanes(g) ? g->how->lanes : 1, name, at);
}
