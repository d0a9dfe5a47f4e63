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
typedef enum property {
    SWEEPS,
    LANES,
    ROWS,
    ETA,
    MEMORY,
    SUMS,
    WATCHED,
    LARGE,
    ANY_STEP,
    SWITCHED,
    NPROPERTIES
} property;

static const struct {
    const char *name;
    property of;
    const char *with, *without;
} choices[] = {
    {"HELD", ROWS, "    const real l0 = real_select(d0, hold ? one : o, weight[0]);\n", "    (void)hold;\n"},
    {"FIRST_LA", ROWS,
     "    for (int i = 0; i < N_C; ++i) {\n"
     "        KEPT->x[N_V + i] = S * (l0 * s->la[i] + weight[1] * s->la_1[i] + weight[2] * s->la_2[i]);\n    }\n",
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
     "    real q0[N_Q], v0[N_V];\n    memcpy(q0, s->q, sizeof q0);\n    memcpy(v0, s->V_0, sizeof v0);\n", ""},
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
    {"SIZE", SWEEPS, "        size = program_advance(w, dx);\n", "        size = newton_size(w, dx);\n"},
    // steps of any size: the polynomials of (NW.5) through times that are not equally far apart, the state before its v, a and v'
    // were made those of another size
    {"V_0", ANY_STEP, "v_0", "v"},
    {"VD_0", ANY_STEP, "vd_0", "vd"},
    {"KEEP_0", ANY_STEP, "        s->v_0[i] = s->v[i];\n        s->vd_0[i] = s->vd[i];\n", ""},
    {"LAGRANGE", ANY_STEP,
     "/* Weights at time t of the states at t, t_1 and t_2 of s. */\n"
     "static inline void lagrange(real w[3], const program_state *s, real degree, real t)\n{\n"
     "    const real a = s->t, b = s->t_1, c = s->t_2;\n    w[0] = degree < -0.5 ? 0.0 : 1.0;\n    w[1] = w[2] = 0.0;\n"
     "    if (degree > 1.5) {\n        w[0] = (t - b) / (a - b) * ((t - c) / (a - c));\n"
     "        w[1] = (t - a) / (b - a) * ((t - c) / (b - c));\n        w[2] = (t - a) / (c - a) * ((t - b) / (c - "
     "b));\n"
     "    } else if (degree > 0.5) {\n        w[0] = (t - b) / (a - b);\n        w[1] = (t - a) / (b - a);\n    "
     "}\n}\n\n",
     ""},
    {"DEGREES", ANY_STEP,
     "    real weight[3];\n    lagrange(weight, s, degree, w->t);\n    (void)o, (void)one, (void)d0;\n",
     "    const real_mask d1 = real_less(degree, REAL(0.5)), d2 = real_less(degree, REAL(1.5));\n"
     "    const real w0 = real_select(d0, o, real_select(d1, one, real_select(d2, REAL(2.0), REAL(3.0))));\n"
     "    const real w1 = real_select(d1, o, real_select(d2, REAL(-1.0), REAL(-3.0))), w2 = real_select(d2, o, one);\n"
     "    const real weight[3] = {w0, w1, w2};\n"},
    {"TWO_DEGREES", ANY_STEP,
     "    real a[3], b[3];\n    lagrange(a, s, s->steps > 0.5 ? 1.0 : -1.0, s->t + H);\n"
     "    lagrange(b, s, s->steps > 1.5 ? 2.0 : -1.0, s->t + H);\n",
     ""},
    {"OFF", ANY_STEP,
     "        worst[2] = real_max(worst[2], real_abs(x - a[0] * x0 - a[1] * x1));\n"
     "        worst[3] = real_max(worst[3], real_abs(x - b[0] * x0 - b[1] * x1 - b[2] * x2));\n",
     "        worst[2] = real_max(worst[2], real_abs(x - 2.0 * x0 + x1));\n"
     "        worst[3] = real_max(worst[3], real_abs(x - 3.0 * x0 + 3.0 * x1 - x2));\n"},
    {"TURN", ANY_STEP,
     "    s->t_2 = s->t_1;\n    s->t_1 = s->t;\n    s->h_1 = s->h;\n    s->h = H;\n    s->known_1 = s->known;\n"
     "    s->known = REAL(0.0);\n    memcpy(s->vdc_1, s->vdc, sizeof s->vdc);\n"
     "    memcpy(s->jerk_1, s->jerk, sizeof s->jerk);\n",
     ""},
    {"HEAD", ANY_STEP, "static inline int step_to(program_state *s, real t)\n",
     "API int program_step(program_state *s)\n"},
    {"END", ANY_STEP, "t", "s->t0 + (s->steps + 1.0) * H"},
    {"KEEP_THETA", SWITCHED,
     "    for (int i = 0; i < N_V; ++i) {\n        s->theta[i] = real_select(solved, w->x[i], s->theta[i]);\n    }\n",
     ""},
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
    const int has[NPROPERTIES] = {sweeps,           lanes,          g->nc > 0,        g->ne > 0,
                                  g->nmemory > 0,   g->nsums > 0,   g->nleft_out > 0, gen_large(g) || lanes,
                                  g->how->any_step, gen_switches(g)};
    const int k = o->scaling ? 2 : 0;
    const gen_factor h = gen_power_of_state(g, g->h, 1), s = gen_power_of_state(g, g->s, k),
                     mu = gen_power_of_state(g, g->s * o->atol * g->work, k);
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
                           {"MU_ATOL", .text = mu.s},
                           {"S", .text = s.s},
                           {"PER_S", .real = 1.0 / g->s},
                           {"H", .text = h.s},
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
    gen_print_sizes(g);
}
