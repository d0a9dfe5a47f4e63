/* The file: types, kernels, schedule, step. */
#include <ctype.h>
#include <stdio.h>

#include "generate/flexible_impl.h"

/* Text with one word for another. */
static void put_renamed(gen_text *out, const char *text, const char *from, const char *to)
{
    for (const char *p = text;;) {
        const char *at = strstr(p, from);
        if (!at) {
            gen_put_n(out, p, strlen(p));
            return;
        }
        gen_put_n(out, p, (size_t)(at - p));
        gen_put_n(out, to, strlen(to));
        p = at + strlen(from);
    }
}

/* ---- types ------------------------------------------------------------------------------------ */

/* Where in q, v and la the elements of the model are. */
static void print_places(gen *g)
{
    const dal_model *m = g->m;
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        const char *more = gen_is_flexible(b) ? ", modal coordinates" : "";
        if (!gen_is_node(b)) {
            PUT(" *     %s: q[%d] ... %s%s; v[%d] ... %s%s\n", gen_comment(m->body_names.name[i]).s, b->q,
                gen_chart_of(b)->q, more, b->v, gen_chart_of(b)->v, more);
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        if (m->force[k].factor >= 0) {
            PUT(m->force[k].type->state ? " *     %s: q[%d] its integral, v[%d] the state itself\n"
                                        : " *     %s: q[%d] its integral, v[%d] the rate of it\n",
                gen_comment(m->force_names.name[k]).s, m->force[k].q, m->force[k].v);
        }
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        if (c->joint >= 0) {
            PUT(" *     %s: la[%d]%s (%s)\n", gen_comment(m->joint_names.name[c->joint]).s, c->row0,
                c->nrows > 1 ? " ..." : "", m->joint[c->joint].type->name);
        }
    }
}

static void print_state(gen *g)
{
    gen_field f[GEN_FIELDS];
    const int n = gen_fields(g, f);
    PUT("/* The state of a run: all of it. t: time; q, v, vd, a, la: coordinates, velocities, v', algorithmic "
        "accelerations and\n"
        " * multipliers, *_1 and *_2 those of the last two steps; k: constants that follow from parameters; sum: "
        "integrals; the rest "
        "belongs to the\n"
        " * time grid, the predictor and Newton's method (vc: v on the constraints at a start). Where the elements of "
        "the model are:\n");
    print_places(g);
    PUT(" */\ntypedef struct %s_state {\n", g->name);
    for (int i = 0; i < n; ++i) {
        PUT(f[i].n > 0 ? "    real %s[%d];\n" : "    real %s;\n", f[i].name, f[i].n);
    }
    PUT("    real_mask failed;\n} %s_state;\n\n", g->name);
}

/* Unknowns, residual, matrix: those of a program of sweeps are not here. */
static void print_unknowns(gen *g)
{
    if (gen_sweeps(g)) {
        PUT("    real x[%d], r[%d];\n", g->n, g->n);
        return;
    }
    if (gen_rattlie(g)) {
        PUT("    real r[%d];\n", g->n);
        return;
    }
    PUT("    real contraction, increment, unseen;\n");
    PUT("    real x[%d], r[%d], A[%d]; /* unknowns theta, s lambda%s (GA.5); residual; iteration matrix */\n", g->n,
        g->n, g->A.nnz > 0 ? g->A.nnz : 1, g->ne > 0 ? ", h eta" : "");
}

static void print_work(gen *g)
{
    const char *prefix = g->name;
    PUT("/* What a step works with. */\ntypedef struct %s_work {\n    const %s_state *s; /* at the start of the step "
        "*/\n",
        prefix, prefix);
    PUT("    real t;\n");
    print_unknowns(g);
    PUT("    real q[%d], v[%d], vd[%d], c[%d], d[%d];\n", g->nq, g->nv, g->nv, g->nv, g->nv);
    if (g->nc > 0 || g->starts || gen_rattlie(g)) {
        PUT("    real la[%d];\n", g->nc > 0 ? g->nc : 1);
    }
    if (g->nleft_out > 0) {
        PUT("    real left_out[%d]; /* residuals of rows that depend on others */\n", g->nleft_out);
    }
    if (g->nB0 > 0) {
        PUT("    real B0[%d]; /* B at the start of the step (GA.6) */\n", g->nB0);
    }
    gen_print_body_fields(g);
    for (int k = 0; k < g->npairs; ++k) {
        const gen_pair *p = &g->pair[k];
        if (p->i != p->j) {
            PUT("    real K_%d_%d[36]", p->i, p->j);
            if (p->C) {
                PUT(", C_%d_%d[36]", p->i, p->j);
            }
            if (p->M) {
                PUT(", M_%d_%d[36]", p->i, p->j);
            }
            PUT(";\n");
        }
    }
    gen_print_pack_fields(g);
    PUT("} %s_work;\n\n", prefix);
}

/* ---- schedule --------------------------------------------------------------------------------- */

static void print_begin(gen *g)
{
    PUT("    const %s_state *s = w->s;\n", g->name);
    gen_print_history(g, 0, g->nv);
    if (g->nB0 > 0) {
        gen_print_states(g, "s->q", "s->v", "s->vd", 1);
        gen_print_keep(g);
    }
}

void gen_print_residual(gen *g)
{
    gen_print_inertia(g);
    gen_print_force_residuals(g);
    gen_print_joint_residuals(g);
    gen_print_lift_residual(g);
    gen_print_norm_residuals(g);
}

static void print_residual(gen *g)
{
    gen_print_states(g, "w->q", "w->v", "w->vd", 1);
    gen_print_residual(g);
    gen_print_left_out_residual(g);
    gen_print_masked_residual(g);
}

void gen_print_scaled(gen *g)
{
    PUT("    for (int i = 0; i < %d; ++i) {\n        w->r[i] *= %s; // (GA.9)\n    }\n", g->nv,
        gen_scale_text(g, GEN_S).s);
}

void gen_print_matrix(gen *g)
{
    gen_print_joint_tangents(g);
    gen_print_force_tangents(g);
    gen_print_body_blocks(g);
    gen_print_masked_tangent(g);
    gen_print_row_operations(g);
    gen_leave_out_tangent(g);
}

/* What the blocks of the matrix start from. */
static void print_cleared(gen *g)
{
    gen_print_N(g);
    gen_print_clears(g);
}

/* The factors, after what blocks among them need. */
static void print_factor(gen *g)
{
    gen_text text = {.ctx = g->ctx}, *out = g->out;
    g->out = &text;
    gen_print_function_of(g, &(gen_function){"LU factors in place, in a fixed order; pivots are inverted.", "factor",
                                             "real A[]", "A", .body = gen_print_factor, .lines = 100, .apart = 1});
    g->out = out;
    if (memchr(g->A.dense, GEN_DENSE, (size_t)g->A.n)) {
        gen_put_n(g->out, gen_text_dense, strlen(gen_text_dense));
    }
    gen_put_n(g->out, text.s ? text.s : "", text.n);
    g->out->failed |= text.failed;
    gen_text_release(&text);
}

/* One thing after the other, each for all elements. */
static dal_status print_phases(gen *g)
{
    char arguments[96];
    static const gen_function steps[] = {
        {"What stays the same all through a step: c of (GA.6), v1' = kv v1 + d.", "begin", "program_work *w",
         .body = print_begin},
        {"State at the end of the step from x (GA.1) to (GA.6).", "trial", "program_work *w", .body = gen_print_trial},
        {"Residual of (GA.5) at the trial state.", "residual", "program_work *w", "w", .body = print_residual,
         .last = gen_print_scaled, .apart = 1},
        {"Iteration matrix (GA.10) at the trial state; the residual was evaluated there.", "jacobian",
         "program_work *w, real A[]", "w, A", print_cleared, gen_print_matrix, .apart = 1}};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; ++k) {
        gen_print_function_of(g, &steps[k]);
    }
    DAL_TRY(gen_order(g));
    print_factor(g);
    snprintf(arguments, sizeof arguments, "real x[%d], const real A[], real b[%d]", g->n, g->n);
    gen_print_function_of(
        g, &(gen_function){"Solve A x = b; b is overwritten.", "backsolve", arguments, .body = gen_print_backsolve});
    return DAL_OK;
}

/* ---- start ------------------------------------------------------------------------------------ */

static void put_values(gen *g, const char *field, const double *x, int n)
{
    if (n == 0) {
        return;
    }
    PUT("    {\n        const double x[%d] = {", n);
    for (int i = 0; i < n; ++i) {
        char text[64];
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, x[i]));
    }
    PUT("};\n        for (int i = 0; i < %d; ++i) {\n            s->%s[i] = REAL(x[i]);\n        }\n    }\n", n, field);
}

static dal_status print_init(gen *g, const gen_start *from)
{
    const dal_state *start = &from->state;
    const double *memory = from->memory;
    double *k = dal_alloc_zero(g->ctx, ((size_t)g->nslots + 1) * sizeof *k);
    if (!k) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the constants");
    }
    const dal_status st = gen_own_slots(g, k);
    if (g->how->trace) {
        dal_free(g->ctx, k);
        return st;
    }
    if (gen_switches(g)) { // events may have set inputs of the start that there is
        dal_free(g->ctx, k);
        PUT("void %s_init(%s_state *s)\n{\n    %s_parameters p;\n    %s_default(&p);\n    (void)%s_start(s, "
            "&p);\n}\n\n",
            g->name, g->name, g->name, g->name, g->name);
        return st;
    }
    PUT("%svoid %s_init(%s_state *s)\n{\n    memset(s, 0, sizeof *s);\n", g->api, g->name, g->name);
    put_values(g, "k", k, g->nslots);
    dal_free(g->ctx, k);
    put_values(g, "q", start->q, g->nq);
    put_values(g, "v", start->v, g->nv);
    put_values(g, "vd", start->vd, g->nv);
    put_values(g, "a", start->a, g->nv);
    put_values(g, "la", start->la, g->nc);
    if (gen_knows_vc(g)) {
        put_values(g, "vc", from->vc, g->nv);
    }
    double angle[GEN_ANGLES], rate[GEN_ANGLES];
    for (int i = 0; i < g->nmemory; ++i) {
        angle[i] = memory[g->angle[i].memory];
        rate[i] = memory[g->angle[i].rate];
    }
    put_values(g, "angle", angle, g->nmemory);
    put_values(g, "rate", rate, g->nmemory);
    double sum[GEN_SUMS];
    for (int i = 0; i < g->nsums; ++i) {
        sum[i] = memory[g->sum[i].memory];
    }
    put_values(g, "sum", sum, g->nsums);
    PUT("    s->t = s->t0 = REAL(%.17g);\n", start->t);
    gen_print_first_size(g, "s");
    PUT("}\n\n");
    return st;
}

static void print_head(gen *g, gen_text *file)
{
    gen_put(file, "/* %s: generated by dalembert %s. Do not edit; generate it anew.\n *\n", g->name,
            dal_version_string());
    if (gen_rattlie(g)) {
        gen_put(file,
                " * RATTLie steps of %.17g s on Lie groups, order %d. %d velocities, %d constraint rows; %d entries in "
                "the saddle "
                "matrix and its\n"
                " * factors, one set of which serves both halves of a step, to rounding.\n",
                g->h, g->opt.order, g->nv, g->nc, g->saddle_size);
    } else {
        gen_put(
            file,
            " * Generalized-alpha steps of %.17g s on Lie groups. %d velocities, %d constraint rows; %d unknowns in a "
            "step, %d entries\n"
            " * in the iteration matrix and its factors, about %ld operations to factor it and solve.\n"
            " * Newton's method renews the Jacobian in every step, as the library does with newton = full; its "
            "default, auto, does the "
            "same\n"
            " * on small mechanisms and may keep Jacobians of larger ones, which shows within the tolerances (NW.7).\n",
            g->h, g->nv, g->nc, g->n, g->A.nnz, g->A.operations);
    }
    gen_put(file,
            " * Labels such as (GA.10) are those of the manual, docs/theory.\n *\n"
            " *     %s_init(&s);  while (%s_step(&s) == %s_OK) { ... s.q, s.v, s.la ... }\n *\n"
            " * Kernels of the library come first, then the state and the functions to call, then what they do. */\n",
            g->name, g->name, g->upper);
    gen_put(file,
            "#include <math.h>\n#include <string.h>\n\n"
            "#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__\n"
            "#error steps that fail show in numbers that are not finite: add -fno-finite-math-only after -ffast-math\n"
            "#endif\n\n");
    if ((gen_large(g) || gen_lanes(g)) && g->how->scalar != DAL_GENERATE_CUDA) {
        gen_put(file, "/* Parts of a step that stay functions of their own. */\n#if defined(__GNUC__)\n"
                      "#define PHASE static __attribute__((noinline))\n#else\n#define PHASE static\n#endif\n"
                      "#define PIECE PHASE\n\n");
    }
    if (g->how->scalar == DAL_GENERATE_CUDA) {
        gen_put_n(file, gen_text_cuda, strlen(gen_text_cuda));
        gen_put(file, "%s", g->m->nspans > 0 ? "#ifdef __cplusplus\n#define restrict __restrict__\n#endif\n\n" : "");
    }
    if (gen_lanes(g)) {
        gen_put(file, "#define LANES %d\n\n", g->how->lanes);
    }
}

/* Everything that runs, before the declarations that stand above it. */
static dal_status print_code(gen *g, const gen_start *start)
{
    const int rattlie = gen_rattlie(g);
    gen_print_acts(g);
    gen_print_beam_kinds(g);
    gen_print_flexible_tables(g);
    dal_status st = rattlie ? gen_print_rattlie(g) : gen_sweeps(g) ? gen_print_sweeps(g) : print_phases(g);
    gen_print_memory(g);
    gen_print_sums(g);
    gen_print_watch(g);
    if (st == DAL_OK && rattlie) {
        gen_print_rattlie_step(g);
    } else if (st == DAL_OK) {
        gen_print_step(g);
    }
    gen_print_energy(g);
    gen_print_outputs(g);
    st = st == DAL_OK ? gen_print_event_values(g) : st;
    st = st == DAL_OK ? gen_print_start(g) : st;
    gen_print_members(g);
    gen_print_start_members(g);
    gen_print_change_members(g);
    return st == DAL_OK ? print_init(g, start) : st;
}

static void print_types(gen *g)
{
    PUT("/* What a step returns%s. */\nenum { %s_OK, %s_NOT_CONVERGED", g->starts ? ", and a start" : "", g->upper,
        g->upper);
    PUT(g->starts ? ", %s_NO_START };\n\n" : " };\n\n", g->upper);
    print_state(g);
    print_work(g);
    gen_print_sweep_types(g);
    gen_print_start_types(g);
    PUT("%sint %s_step(%s_state *s); /* one step; a state that failed stays where it was */\n", g->api, g->name,
        g->name);
    if (!g->how->trace) {
        PUT("%svoid %s_init(%s_state *s);\n", g->api, g->name, g->name);
    }
    if (g->how->any_step && g->starts) {
        PUT("int %s_run_to(%s_state *s, real t); /* steps to this time, the last one as long as need be */\n", g->name,
            g->name);
    }
    gen_print_start_prototypes(g);
    gen_print_output_types(g);
}

dal_status gen_program(gen *g, gen_text *file, const gen_start *start)
{
    gen_text types = {.ctx = g->ctx}, code = {.ctx = g->ctx}, packs = {.ctx = g->ctx};
    const int cuda = g->how->scalar == DAL_GENERATE_CUDA;
    g->api = cuda ? "DEVICE " : "";
    g->out = &code;
    dal_status st = print_code(g, start);
    g->out = &types;
    print_types(g);
    g->out = &packs;
    gen_print_packs(g);
    print_head(g, file);
    gen_text all = {.ctx = g->ctx};
    gen_put_n(&all, types.s, types.n);
    gen_put_n(&all, code.s, code.n);
    st = st == DAL_OK ? gen_indent(&all) : st;
    if (st == DAL_OK && packs.n > 0) {
        st = gen_indent(&packs);
        st = st == DAL_OK ? gen_print_packed(g, file, packs.s) : st;
    }
    st = st == DAL_OK ? gen_print_kernels(g, file, all.s ? all.s : "", cuda ? "DEVICE" : "static inline") : st;
    put_renamed(file, all.s ? all.s : "", "static inline", cuda ? "DEVICE" : "static inline");
    const int failed = types.failed | code.failed | packs.failed | all.failed | file->failed;
    gen_text_release(&types);
    gen_text_release(&code);
    gen_text_release(&packs);
    gen_text_release(&all);
    return failed && st == DAL_OK ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text") : st;
}
