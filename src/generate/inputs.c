/* Inputs of the model in a program: parameters that change while it runs. What follows from them is computed anew, and the run goes on
 * from the present q and v, as after an event. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate/generate_impl.h"

/* The input that a parameter of the program is, or NULL. */
static const dal_system_input *input_of(const gen *g, int parameter)
{
    for (int k = 0; k < g->p->system->ninputs; ++k) {
        if (strcmp(g->p->system->input[k].name, g->p->parameter[parameter]) == 0) {
            return &g->p->system->input[k];
        }
    }
    return NULL;
}

/* In a program of one member; members of an ensemble start anew. */
static int has_inputs(const gen *g)
{
    int some = 0;
    for (int k = 0; k < g->p->nparameters; ++k) {
        some |= input_of(g, k) != NULL;
    }
    return some && g->starts && g->how->scalar == DAL_GENERATE_DOUBLE && !g->how->trace;
}

static int has_change(const gen *g)
{
    return g->starts && (g->how->change || has_inputs(g));
}

void gen_print_input_prototypes(gen *g)
{
    if (has_change(g)) {
        PUT("/* These parameters from here on: v', lambda and starting values are found anew at t, q and v of s. "
            "moved: "
            "they were written to\n * from outside, and angles go on from where they were. %s_NO_START: there is no "
            "such "
            "start; then all is as before. */\n%sint %s_change(%s_state *s, const %s_parameters *p, int moved);\n",
            g->upper, g->api, g->name, g->name, g->name);
    }
    if (g->how->trace && has_change(g) && g->how->scalar != DAL_GENERATE_CUDA) {
        PUT("/* The same for those of n members that `which` is not 0 of: parameter k of member m is at p[k * n + m]. "
            "*/\nvoid %s_change_members(const double *p, double *x, int *failed, const int *which, int n);\n",
            g->name);
    }
    if (!has_inputs(g)) {
        return;
    }
    PUT("/* Inputs of the model, numbers that change while it runs:");
    for (int k = 0, n = 0; k < g->p->nparameters; ++k) {
        const dal_system_input *input = input_of(g, k);
        if (input != NULL) {
            PUT("%s %d %s%s%s%s", n > 0 ? "," : "", n, gen_comment(input->name).s, input->unit[0] ? " [" : "",
                gen_comment(input->unit).s, input->unit[0] ? "]" : "");
            ++n;
        }
    }
    PUT(". The name of number k; NULL: there are no more. */\nconst char *%s_inputs(int k);\n", g->name);
    PUT("/* Input k has this value from here on, in p as well: v', lambda and starting values are found anew at the "
        "present t, q\n * and v. The same value costs nothing. %s_NO_START: it is outside of its limits, or there is "
        "no such "
        "start; then all is as before. */\nint %s_set_input(%s_state *s, %s_parameters *p, int k, double value);\n",
        g->upper, g->name, g->name, g->name);
}

/* Constants of gears, which were found at the start, what counts turns and integrals stay as they are. */
static void print_kept(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type->form == MB_FORM_GEAR) {
            const gen_term constant = gen_number(g, &g->m->joint[c->joint].gear.constant);
            if (constant.s[0]) {
                PUT("    next.%s = s->%s;\n", constant.s, constant.s);
            }
        }
    }
    if (g->nmemory > 0) {
        PUT("    memcpy(next.angle, s->angle, sizeof next.angle);\n    memcpy(next.rate, s->rate, sizeof "
            "next.rate);\n");
    }
    PUT(g->nsums > 0 ? "    memcpy(next.sum, s->sum, sizeof next.sum);\n" : "");
    PUT(gen_switches(g) ? "    next.since = s->since;\n" : "");
    PUT(g->nswitches > 0 ? "    memcpy(next.by_event, s->by_event, sizeof next.by_event);\n" : "");
    gen_print_kept_frames(g);
    if (g->ngaps > 0) {
        static const char *const kept[] = {"on", "gap", "gap_rate", "hits", "hit_t", "impulse"};
        for (size_t k = 0; k < sizeof kept / sizeof kept[0]; ++k) {
            PUT("    memcpy(next.%s, s->%s, sizeof next.%s);\n", kept[k], kept[k], kept[k]);
        }
        PUT("    next.gap_t = s->gap_t;\n    next.fastest = s->fastest;\n    next.part = s->part;\n");
    }
    PUT(g->nevents > 0 ? "    memcpy(next.side, s->side, sizeof next.side);\n"
                         "    memcpy(next.largest, s->largest, sizeof next.largest);\n"
                         "    memcpy(next.off, s->off, sizeof next.off);\n"
                         "    memcpy(next.count, s->count, sizeof next.count);\n"
                       : "");
}

static void print_change(gen *g)
{
    if (gen_jumps(g)) {
        PUT("/* The same after events have changed rows, or with impulses P. */\n"
            "static inline int change_with(%s_state *s, const %s_parameters *p, int moved, int rows, const real "
            "P[]%s)\n{\n",
            g->name, g->name, g->ngaps > 0 ? ", const real vd[], const int lifts[]" : "");
    } else {
        PUT("%sint %s_change(%s_state *s, const %s_parameters *p, int moved)\n{\n", g->api, g->name, g->name, g->name);
    }
    PUT("    %s_state next;\n    memset(&next, 0, sizeof next);\n    %s_numbers(&next, p);\n", g->name, g->name);
    print_kept(g);
    PUT("    next.t = next.t0 = s->t;\n    memcpy(next.q, s->q, sizeof next.q);\n    memcpy(next.v, s->v, sizeof "
        "next.v);\n");
    if (gen_jumps(g)) {
        PUT("    int status = P ? jump(&next, rows, P) : %s_OK;\n", g->upper);
        PUT(g->ngaps > 0 ? "    status = status == %s_OK && vd ? gap_decide(&next, vd, lifts) : status;\n" : "%.0s",
            g->upper);
        PUT("    status = status == %s_OK ? start_from(&next, moved != 0) : status;\n%s", g->upper,
            g->ngaps > 0 ? "    gap_remember(&next);\n" : "");
    } else {
        PUT("    const int status = start_from(&next, moved != 0);\n");
    }
    if (g->how->trace) { // what failed is noted for each member
        PUT("    *s = next;\n    return status;\n}\n\n");
    } else {
        PUT("    if (status == %s_OK) {\n        *s = next;\n    }\n    return status;\n}\n\n", g->upper);
    }
    if (gen_jumps(g)) {
        PUT("int %s_change(%s_state *s, const %s_parameters *p, int moved)\n{\n", g->name, g->name, g->name);
        if (g->ngaps > 0) { // moved from outside, what is closed stays so
            PUT("    const int lifts[%d] = {0};\n    return change_with(s, p, moved, 0, 0, moved ? 0 : s->vd, "
                "lifts);\n}\n\n",
                g->ngaps);
        } else {
            PUT("    return change_with(s, p, moved, 0, 0);\n}\n\n");
        }
    }
}

/* Members that are chosen. */
void gen_print_change_members(gen *g)
{
    const char *name = g->name;
    const int cuda = g->how->scalar == DAL_GENERATE_CUDA, size = gen_member_size(g);
    if (!has_change(g) || !g->how->trace) {
        return;
    }
    PUT("\n/* Other parameters from here on for member m of n, or for those that fill the lanes, where `which` is not "
        "0. "
        "*/\nstatic inline void %s_change_member(const double *p, double *x, int *failed, const int *which, int n, int "
        "m)\n{\n    const real_mask chosen = real_noted(which, (size_t)n, (size_t)m), was = real_noted(failed, "
        "(size_t)n, (size_t)m);\n    %s_parameters own;\n    %s_state s;\n    real before[%d];\n"
        "    if (!real_any(chosen)) {\n        return;\n    }\n",
        name, name, name, size);
    gen_print_own(g);
    PUT("    for (int k = 0; k < %d; ++k) {\n        before[k] = real_load(x, (size_t)n, (size_t)m, (size_t)k);\n    "
        "}\n    load(&s, x, (size_t)n, (size_t)m);\n    s.failed = was;\n    (void)%s_change(&s, &own, 0);\n"
        "    store(&s, x, (size_t)n, (size_t)m);\n"
        "    for (int k = 0; k < %d; ++k) {\n        const real now = real_load(x, (size_t)n, (size_t)m, (size_t)k);\n"
        "        real_store(x, (size_t)n, (size_t)m, (size_t)k, real_select(chosen, now, before[k]));\n    }\n"
        "    real_note(failed, (size_t)n, (size_t)m, (chosen & s.failed) | (real_not(chosen) & was));\n}\n\n",
        size, name, size);
    if (cuda) {
        PUT("#ifdef __CUDACC__\n__global__ void __launch_bounds__(128) %s_change_kernel(const double *p, double *x, "
            "int "
            "*failed, const int *which, int n)\n{\n"
            "    const int m = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n    if (m < n) {\n        "
            "%s_change_member(p, x, failed, which, n, m);\n    }\n}\n\n",
            name, name);
        PUT("static inline int %s_launch_change(const double *p, double *x, int *failed, const int *which, int n)\n{\n"
            "    void *arguments[] = {&p, &x, &failed, &which, &n};\n    return "
            "(int)cudaLaunchKernel(%s_change_kernel, "
            "dim3((unsigned)(n + 127) / 128U), dim3(128U), arguments, 0, NULL);\n}\n#endif\n\n",
            name, name);
    }
    PUT("%svoid %s_change_members(const double *p, double *x, int *failed, const int *which, int n)\n{\n    for (int m "
        "= 0; m < n; m += %d) {\n        %s_change_member(p, x, failed, which, n, m);\n    }\n}\n",
        cuda ? "static inline " : "", name, g->how->scalar == DAL_GENERATE_LANES ? g->how->lanes : 1, name);
}

static void print_limit(gen *g, const char *compare, double limit)
{
    char number[GEN_NAME];
    if (isfinite(limit)) {
        PUT(" && value %s %s", compare, gen_literal(number, sizeof number, limit));
    }
}

void gen_print_inputs(gen *g)
{
    if (has_change(g)) {
        print_change(g);
    }
    if (!has_inputs(g)) {
        return;
    }
    PUT("const char *%s_inputs(int k)\n{\n    static const char *const name[] = {", g->name);
    int n = 0;
    for (int k = 0; k < g->p->nparameters; ++k) {
        if (input_of(g, k) != NULL) {
            PUT("\"%s\", ", input_of(g, k)->name);
            ++n;
        }
    }
    PUT("0};\n    return k >= 0 && k < %d ? name[k] : 0;\n}\n\n", n);
    PUT("int %s_set_input(%s_state *s, %s_parameters *p, int k, double value)\n{\n    %s_parameters next = *p;\n"
        "    int within = 0;\n",
        g->name, g->name, g->name, g->name);
    n = 0;
    for (int k = 0; k < g->p->nparameters; ++k) {
        const dal_system_input *input = input_of(g, k);
        if (input != NULL) {
            PUT("    if (k == %d) {\n        if (p->%s == value) {\n            return %s_OK;\n        }\n"
                "        within = value - value == 0.0",
                n++, g->p->field[k], g->upper);
            print_limit(g, ">=", input->min);
            print_limit(g, "<=", input->max);
            PUT(";\n        next.%s = value;\n    }\n", g->p->field[k]);
        }
    }
    PUT("    const int status = within ? %s_change(s, &next, 0) : %s_NO_START;\n    if (status == %s_OK) {\n        *p "
        "= "
        "next;\n"
        "    }\n    return status;\n}\n\n",
        g->name, g->upper, g->upper);
}
