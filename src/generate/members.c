/* Members of an ensemble: number k of member m of n is at x[k n + m], so that neighbours are neighbours in memory. */
#include "generate/generate_impl.h"

enum { SCALAR = -1 };

int gen_fields(const gen *g, gen_field field[GEN_FIELDS])
{
    int n = 0;
    const int nv = g->nv, nc = g->nc, any = g->how->any_step, sized = any && !gen_rattlie(g), of_sizes = sized ? nv : 0;
    const gen_field all[] = {{"k", g->nslots},
                             {"t", SCALAR},
                             {"q", g->nq},
                             {"v", nv},
                             {"vd", nv},
                             {"a", nv},
                             {"vd_1", nv},
                             {"vd_2", nv},
                             {"la", nc},
                             {"la_1", nc},
                             {"la_2", nc},
                             {"eta", g->ne},
                             {"angle", g->nmemory},
                             {"rate", g->nmemory},
                             {"sum", g->nsums},
                             {"t0", SCALAR},
                             {"steps", SCALAR},
                             {"degree", SCALAR},
                             {"contraction", SCALAR},
                             {"increment", SCALAR},
                             {"unseen", SCALAR},
                             {"vc", gen_knows_vc(g) ? nv : 0},
                             {"power", any ? 5 : 0},
                             {"grid", any ? SCALAR : 0},
                             {"h", sized ? SCALAR : 0},
                             {"h_1", sized ? SCALAR : 0},
                             {"t_1", sized ? SCALAR : 0},
                             {"t_2", sized ? SCALAR : 0},
                             {"known", sized ? SCALAR : 0},
                             {"known_1", sized ? SCALAR : 0},
                             {"v_0", of_sizes},
                             {"vd_0", of_sizes},
                             {"vdc", of_sizes},
                             {"jerk", of_sizes},
                             {"vdc_1", of_sizes},
                             {"jerk_1", of_sizes},
                             {"theta", gen_switches(g) ? nv : 0},
                             {"since", gen_switches(g) ? SCALAR : 0},
                             {"by_event", g->nswitches},
                             {"on", g->nmasks},
                             {"gap", g->ngaps},
                             {"gap_rate", g->ngaps},
                             {"gap_t", g->ngaps > 0 ? SCALAR : 0},
                             {"part", g->ngaps > 0 ? SCALAR : 0},
                             {"hits", g->ngaps},
                             {"hit_t", g->ngaps},
                             {"impulse", g->ngaps},
                             {"fastest", g->ngaps > 0 ? SCALAR : 0},
                             {"side", g->nevents},
                             {"largest", g->nevents},
                             {"off", g->nevents},
                             {"count", g->nevents}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        field[n] = (gen_field){all[i].name, all[i].n > 0 ? all[i].n : 0};
        n += all[i].n != 0;
    }
    return n;
}

static int length(gen_field f)
{
    return f.n > 0 ? f.n : 1;
}

int gen_member_size(const gen *g)
{
    gen_field f[GEN_FIELDS];
    int size = 0;
    for (int i = 0, n = gen_fields(g, f); i < n; ++i) {
        size += length(f[i]);
    }
    return size;
}

void gen_pack(const gen *g, double *x, const double *k, const dal_state *start, const double *memory)
{
    gen_field f[GEN_FIELDS];
    double angle[2][GEN_ANGLES], sum[GEN_SUMS];
    for (int i = 0; i < g->nmemory; ++i) {
        angle[0][i] = memory[g->angle[i].memory];
        angle[1][i] = memory[g->angle[i].rate];
    }
    for (int i = 0; i < g->nsums; ++i) {
        sum[i] = memory[g->sum[i].memory];
    }
    for (int i = 0, n = gen_fields(g, f); i < n; ++i) {
        const struct {
            const char *name;
            const double *x;
        } known[] = {{"k", k},          {"t", &start->t}, {"t0", &start->t}, {"q", start->q},     {"v", start->v},
                     {"vd", start->vd}, {"a", start->a},  {"la", start->la}, {"angle", angle[0]}, {"rate", angle[1]},
                     {"sum", sum}};
        for (int j = 0; j < length(f[i]); ++j) {
            x[j] = 0.0;
        }
        for (size_t j = 0; j < sizeof known / sizeof known[0]; ++j) {
            if (known[j].x && strcmp(known[j].name, f[i].name) == 0) {
                memcpy(x, known[j].x, (size_t)length(f[i]) * sizeof *x);
            }
        }
        x += length(f[i]);
    }
}

/* What the threads of large models read and write once for many steps is not unrolled: nvcc would begin with all of it and spill
 * the rest of the step. On an H200 the spatial slider crank with 35 unknowns gains 13 %, Andrews' squeezer with 41 gains 5 %, a chain
 * with 90 loses 6 %. */
static void print_transfer(gen *g, int load)
{
    const char *slowly = gen_sweeps(g) && g->n <= 64 ? "    ONE_BY_ONE\n" : "";
    gen_field f[GEN_FIELDS];
    int at = 0;
    PUT("static inline void %s(%s_state *s, %sdouble *x, size_t n, size_t m)\n{\n", load ? "load" : "store", g->name,
        load ? "const " : "");
    for (int i = 0, n = gen_fields(g, f); i < n; ++i) {
        const char *name = f[i].name;
        if (f[i].n > 0) {
            PUT("%s    for (int i = 0; i < %d; ++i) {\n", slowly, f[i].n);
        }
        if (f[i].n > 0 && load) {
            PUT("        s->%s[i] = real_load(x, n, m, (size_t)(%d + i));\n    }\n", name, at);
        } else if (f[i].n > 0) {
            PUT("        real_store(x, n, m, (size_t)(%d + i), s->%s[i]);\n    }\n", at, name);
        } else if (load) {
            PUT("    s->%s = real_load(x, n, m, %d);\n", name, at);
        } else {
            PUT("    real_store(x, n, m, %d, s->%s);\n", at, name);
        }
        at += length(f[i]);
    }
    PUT("}\n\n");
}

/* Bounds of a launch: threads in a block, and how many blocks share a processor. The threads of large models wait for their
 * memory most of the time, and half the registers with twice the threads do more than what is then spilled costs: on an H200
 * a chain with 90 unknowns gains 24 %, Andrews' squeezer with 41 gains 1 % (9 % without fused operations), the spatial slider
 * crank with 35 loses 17 %. */
static const char *bounds(const gen *g)
{
    return g->n > 40 ? "128, 4" : "128";
}

/* One thread for each member where there is a device, a loop where there is none. */
static void print_launch(gen *g)
{
    const char *name = g->name, *y = g->how->trace ? "double *y, " : "", *at = g->how->trace ? "y, " : "";
    PUT("#ifdef __CUDACC__\n__global__ void __launch_bounds__(%s) %s_kernel(double *x, int *failed, %sint n, int "
        "steps)\n{\n",
        bounds(g), name, y);
    PUT("    const int m = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n    if (m < n) {\n        %s_members(x, "
        "failed, %sn, m, steps);\n"
        "    }\n}\n\n",
        name, at);
    PUT("/* The same for arrays on the device; cudaSuccess, or what went wrong. */\n"
        "static int %s_launch(double *x, int *failed, %sint n, int steps)\n{\n"
        "    void *arguments[] = {&x, &failed, %s&n, &steps};\n    return (int)cudaLaunchKernel(%s_kernel, "
        "dim3((unsigned)(n + 127) / 128U), dim3(128U), arguments, 0, NULL);\n}\n#endif\n\n",
        name, y, g->how->trace ? "&y, " : "", name);
}

/* Outputs after a step to y, if that is given. */
static void print_trace(gen *g)
{
    const int n = gen_output_count(g, NULL);
    if (n == 0) {
        PUT("        (void)y;\n");
        return;
    }
    PUT("        if (y) {\n            real out[%d];\n            %s_outputs(&s, out);\n"
        "            for (int i = 0; i < %d; ++i) {\n"
        "                real_store(y, (size_t)n, (size_t)m, (size_t)k * %d + (size_t)i, out[i]);\n"
        "            }\n        }\n",
        n, g->name, n, n);
}

/* All members, one after the other. */
static void print_loop(gen *g, const char *what, int trace)
{
    const int cuda = g->how->scalar == DAL_GENERATE_CUDA;
    PUT("%svoid %s_%s(double *x, int *failed, %sint n, int steps)\n{\n    for (int m = 0; m < n; m += %d) {\n        "
        "%s_members(x, failed, %sn, m, "
        "steps);\n    }\n}\n",
        cuda ? "static inline " : "", g->name, what, trace ? "double *y, " : "",
        g->how->scalar == DAL_GENERATE_LANES ? g->how->lanes : 1, g->name,
        trace           ? "y, "
        : g->how->trace ? "NULL, "
                        : "");
}

void gen_print_members(gen *g)
{
    const char *name = g->name;
    const int trace = g->how->trace;
    print_transfer(g, 1);
    print_transfer(g, 0);
    PUT("/* `steps` steps of member m of n, or of the members from m on that fill the lanes. */\n");
    PUT("static inline void %s_members(double *x, int *failed, %sint n, int m, int steps)\n{\n    %s_state s;\n", name,
        trace ? "double *y, " : "", name);
    PUT("    load(&s, x, (size_t)n, (size_t)m);\n    s.failed = real_noted(failed, (size_t)n, (size_t)m);\n");
    PUT("    for (int k = 0; k < steps; ++k) {\n        (void)%s_step(&s);\n", name);
    if (trace) {
        print_trace(g);
    }
    PUT("    }\n");
    PUT("    store(&s, x, (size_t)n, (size_t)m);\n    real_note(failed, (size_t)n, (size_t)m, s.failed);\n}\n\n");
    if (g->how->scalar == DAL_GENERATE_CUDA) {
        print_launch(g);
    }
    print_loop(g, "run", 0);
    if (trace) {
        PUT("\n/* The same; number k of the outputs after step i of member m goes to y[(i * %d + k) * n + m]. */\n",
            gen_output_count(g, NULL));
        print_loop(g, "trace", 1);
    }
}
