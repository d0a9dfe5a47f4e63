/* The step: what is the same for all models stands in step.txt; here is what takes the place of its words in capitals. */
#include <stdio.h>

#include "generate/generate_impl.h"

/* First iterate: all bodies, their brackets. */
static void print_first_motion(gen *g)
{
    if (gen_sweeps(g)) {
        gen_print_first_motion(g);
        return;
    }
    PUT("    predict(w->x, w->v, s, weight, 0, %d);\n", g->nv);
    for (int i = 1; i < g->m->body_names.n; ++i) {
        gen_print_bracket(g, i);
    }
}

static void print_accept_motion(gen *g)
{
    if (gen_sweeps(g)) {
        gen_print_accept_motion(g);
        return;
    }
    PUT("    compare(worst, s, w->vd, 0, %d);\n    accept_position(s, w->q, solved, 0, %d);\n"
        "    accept_velocity(s, w->v, w->vd, solved, 0, %d);\n",
        g->nv, g->nq, g->nv);
}

static void put_constants(gen *g, const char *name, const double *x)
{
    PUT("    const double %s[%d] = {", name, g->n);
    for (int i = 0; i < g->n; ++i) {
        char text[GEN_NAME];
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, x[i]));
    }
    PUT("};\n");
}

static void print_weights(gen *g)
{
    put_constants(g, "weight", g->weight);
}

static void print_tolerances(gen *g)
{
    put_constants(g, "tolerance", g->tolerance);
}

/* Words that depend on a property of the program: what stands for them where it has it, and where not. */
typedef enum property { SWEEPS, LANES, ROWS, ETA, MEMORY, SUMS, WATCHED, LARGE, NPROPERTIES } property;

static const struct {
    const char *name;
    property of;
    const char *with, *without;
} choices[] = {
    {"HELD", ROWS, "    const real l0 = real_select(d0, hold ? one : o, w0);\n", "    (void)hold;\n"},
    {"FIRST_LA", ROWS,
     "    for (int i = 0; i < N_C; ++i) {\n"
     "        KEPT->x[N_V + i] = S * (l0 * s->la[i] + w1 * s->la_1[i] + w2 * s->la_2[i]);\n    }\n",
     ""},
    {"FIRST_ETA", ETA, "    for (int i = 0; i < N_E; ++i) {\n        KEPT->x[N_VC + i] = H * s->eta[i];\n    }\n", ""},
    {"LAMBDA", SWEEPS, "PER_S * kept->x[N_V + i]", "w->la[i]"},
    {"ACCEPT_LA", ROWS,
     "    for (int i = 0; i < N_C; ++i) {\n        s->la_2[i] = real_select(solved, s->la_1[i], s->la_2[i]);\n"
     "        s->la_1[i] = real_select(solved, s->la[i], s->la_1[i]);\n"
     "        s->la[i] = real_select(solved, LAMBDA, s->la[i]);\n    }\n",
     ""},
    {"ACCEPT_ETA", ETA,
     "    for (int i = 0; i < N_E; ++i) {\n"
     "        s->eta[i] = real_select(solved, KEPT->x[N_VC + i] / H, s->eta[i]);\n    }\n",
     ""},
    {"ACCEPT_MEMORY", MEMORY, "    follow_turns(s, w, solved);\n", ""},
    {"KEEP_SUMS", SUMS,
     "    real q0[N_Q], v0[N_V];\n    memcpy(q0, s->q, sizeof q0);\n    memcpy(v0, s->v, sizeof v0);\n", ""},
    {"ACCEPT_SUMS", SUMS, "    program_add_up(s, q0, v0, KEPT->x, solved);\n", ""},
    {"WATCH", WATCHED, "    watch_rows(s, &w, solved);\n", ""},
    // it is set before it is read, which compilers do not see
    {"CLEAR_A", LARGE, "", "    memset(w.A, 0, sizeof w.A);\n"},
    // lanes that go on with their factors, lanes that have converged
    {"KEEP_A", LANES,
     "            const int mixed = n > 0 && real_any(active & real_not(renew));\n"
     "            real kept[N_A];\n            if (mixed) {\n                memcpy(kept, w->A, sizeof kept);\n"
     "            }\n",
     ""},
    {"PUT_A", LANES,
     "            for (int i = 0; mixed && i < N_A; ++i) {\n"
     "                w->A[i] = real_select(renew, w->A[i], kept[i]);\n            }\n",
     ""},
    {"KEEP_X", LANES,
     "            real kept[N_X];\n            if (attempt > 0) {\n"
     "                memcpy(kept, w->x, sizeof kept);\n            }\n",
     ""},
    {"PUT_X", LANES,
     "            for (int i = 0; attempt > 0 && i < N_X; ++i) {\n"
     "                w->x[i] = real_select(active, w->x[i], kept[i]);\n            }\n",
     ""},
    // how residual, factors and solution are called
    {"WORK", SWEEPS, "program_kept", "program_work"},
    {"KEPT", SWEEPS, "kept", "w"},
    {"SCRATCH", SWEEPS, "    program_work at, *w = &at;\n    w->s = kept->s;\n    w->t = kept->t;\n", ""},
    {"TRIAL", SWEEPS, "", "        program_trial(w);\n"},
    {"RESIDUAL", SWEEPS, "        const real norm = program_residual(w);\n",
     "        program_residual(w);\n        const real norm = newton_norm(w->r);\n"},
    {"RENEW", SWEEPS, "            program_renew(w);\n",
     "            program_jacobian(w, w->A);\n            program_factor(w->A);\n"},
    {"ADVANCE", SWEEPS, "",
     "        for (int i = 0; i < N_X; ++i) {\n            w->r[i] = -w->r[i];\n        }\n"
     "        program_backsolve(dx, w->A, w->r);\n"
     "        for (int i = 0; i < N_X; ++i) {\n            w->x[i] += real_select(active, dx[i], o);\n        }\n"},
    {"SIZE", SWEEPS, "        size = program_advance(w, dx);\n", "        size = newton_size(w->x, dx);\n"},
    {"MEASURES", SWEEPS, "    ADVANCING\n", gen_text_norms},
};
enum { NCHOICES = sizeof choices / sizeof choices[0] };

/* What Newton's method starts from, by the predictor: degree of the first attempt and of the next, number of the last one. What was
 * held at first is not held again. */
static const struct {
    const char *first, *next;
    int last;
} attempts[] = {
    [DAL_PREDICTOR_EXTRAPOLATE] = {"w->s->degree",
                                   "real_select(real_less(w->s->degree, REAL(0.5)), REAL(-1.0), REAL(1 - attempt))", 2},
    [DAL_PREDICTOR_HOLD] = {"REAL(0.0)", "REAL(-1.0)", 1},
    [DAL_PREDICTOR_ZERO] = {"REAL(-1.0)", "REAL(-1.0)", 0},
};

void gen_print_step(gen *g)
{
    const dal_ga_coef c = g->c;
    const dal_options *o = &g->opt;
    const int extrapolates = o->predictor == DAL_PREDICTOR_EXTRAPOLATE, sweeps = gen_sweeps(g), lanes = gen_lanes(g);
    const int has[NPROPERTIES] = {sweeps,         lanes,        g->nc > 0,        g->ne > 0,
                                  g->nmemory > 0, g->nsums > 0, g->nleft_out > 0, gen_large(g) || lanes};
    const gen_key own[] = {{"API", .text = g->api[0] ? "DEVICE" : ""},
                           {"N_X", .count = g->n},
                           {"N_Q", .count = g->nq},
                           {"N_V", .count = g->nv},
                           {"N_C", .count = g->nc},
                           {"N_E", .count = g->ne},
                           {"N_VC", .count = g->nv + g->nc},
                           {"N_A", .count = g->A.nnz},
                           {"ATOL", .real = o->atol},
                           {"RTOL", .real = o->rtol},
                           {"MU_ATOL", .real = g->s * o->atol * g->work},
                           {"S", .real = g->s},
                           {"PER_S", .real = 1.0 / g->s},
                           {"H", .real = g->h},
                           {"E_A", .real = 1.0 / (1.0 - c.alpha_m)},
                           {"ONE_ALPHA_F", .real = 1.0 - c.alpha_f},
                           {"ALPHA_F", .real = c.alpha_f},
                           {"ALPHA_M", .real = c.alpha_m},
                           {"HALF_BETA", .real = 0.5 - c.beta},
                           {"BETA", .real = c.beta},
                           {"GAMMA", .real = c.gamma},
                           {"ONE_GAMMA", .real = 1.0 - c.gamma},
                           {"TRUST", .count = o->jacobian == DAL_JACOBIAN_EXACT && extrapolates},
                           {"LINE_SEARCH", .count = o->line_search},
                           {"MAX_ITERATIONS", .count = o->max_iterations},
                           {"HALF_ITERATIONS", .count = o->max_iterations / 2},
                           {"EXTRAPOLATES", .count = extrapolates},
                           {"FIRST_DEGREE", .text = attempts[o->predictor].first},
                           {"NEXT_DEGREE", .text = attempts[o->predictor].next},
                           {"LAST_ATTEMPT", .count = attempts[o->predictor].last},
                           {"BEGIN", .text = sweeps && g->nB0 == 0 ? "" : "    program_begin(&w);\n"},
                           {"FIRST_MOTION", .print = print_first_motion},
                           {"ACCEPT_MOTION", .print = print_accept_motion},
                           {"ADVANCING", .print = gen_print_advance},
                           {"WEIGHTS", .print = print_weights},
                           {"TOLERANCES", .print = print_tolerances}};
    enum { NOWN = sizeof own / sizeof own[0] };
    gen_key keys[NOWN + NCHOICES + 1] = {{0}};
    memcpy(keys, own, sizeof own);
    for (int i = 0; i < NCHOICES; ++i) {
        keys[NOWN + i] = (gen_key){choices[i].name, .text = has[choices[i].of] ? choices[i].with : choices[i].without};
    }
    gen_put_filled(g, gen_text_step, keys);
    PUT("\n");
}
