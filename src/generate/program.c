/* The file: types, kernels, schedule, step. */
#include <ctype.h>
#include <stdio.h>

#include "generate/generate_impl.h"

/* ---- keys of the step ------------------------------------------------------------------------- */

typedef struct key {
    const char *name;
    const char *text;
} key;

/* Text with @key@ replaced. */
static void put_filled(gen_text *out, const char *text, const key *keys, int n)
{
    for (const char *p = text; *p != '\0';) {
        const char *at = strchr(p, '@'), *end = at ? strchr(at + 1, '@') : NULL;
        if (!end) {
            gen_put_n(out, p, strlen(p));
            return;
        }
        gen_put_n(out, p, (size_t)(at - p));
        for (int k = 0; k < n; ++k) {
            if (strlen(keys[k].name) == (size_t)(end - at - 1) &&
                strncmp(keys[k].name, at + 1, (size_t)(end - at - 1)) == 0) {
                gen_put_n(out, keys[k].text, strlen(keys[k].text));
            }
        }
        p = end + 1;
    }
}

enum { NKEYS = 48, KEY = 1024 };

typedef struct keys {
    key key[NKEYS];
    char text[NKEYS][KEY];
    int n;
} keys;

static void put_text(keys *k, const char *name, const char *text)
{
    snprintf(k->text[k->n], KEY, "%s", text);
    k->key[k->n] = (key){name, k->text[k->n]};
    k->n++;
}

static void put_int(keys *k, const char *name, int value)
{
    char text[32];
    snprintf(text, sizeof text, "%d", value);
    put_text(k, name, text);
}

static void put_real(keys *k, const char *name, double value)
{
    char text[64];
    gen_literal(text, sizeof text, value);
    put_text(k, name, text);
}

static int is_lanes(const gen *g)
{
    return g->how->scalar == DAL_GENERATE_LANES;
}

static void bracket_text(gen *g, keys *k)
{
    gen_text text = {.ctx = g->ctx}, *out = g->out;
    g->out = &text;
    gen_print_bracket(g);
    if (g->nc > 0) {
        char s[64];
        gen_literal(s, sizeof s, g->s);
        PUT("    for (int i = 0; i < %d; ++i) {\n        w->x[%d + i] = %s * (l0 * s->la[i] + w1 * s->la_1[i] + w2 * "
            "s->la_2[i]);\n"
            "    }\n",
            g->nc, g->nv, s);
    }
    if (g->opt.formulation == DAL_FORMULATION_GGL && g->nh > 0) {
        char h[64];
        gen_literal(h, sizeof h, g->h);
        PUT("    for (int i = 0; i < %d; ++i) {\n        w->x[%d + i] = %s * s->eta[i];\n    }\n", g->nh, g->nv + g->nc,
            h);
    }
    g->out = out;
    // long for many bodies: kept as text of its own
    k->key[k->n++] = (key){"bracket", text.s ? text.s : ""};
}

static void accept_text(gen *g, keys *k)
{
    char text[KEY] = "", h[64];
    if (g->nc > 0) {
        snprintf(
            text, sizeof text,
            "    for (int i = 0; i < %d; ++i) {\n        s->la_2[i] = real_select(solved, s->la_1[i], s->la_2[i]);\n"
            "        s->la_1[i] = real_select(solved, s->la[i], s->la_1[i]);\n"
            "        s->la[i] = real_select(solved, w->la[i], s->la[i]);\n    }\n",
            g->nc);
    }
    put_text(k, "accept_la", text);
    text[0] = '\0';
    if (g->opt.formulation == DAL_FORMULATION_GGL && g->nh > 0) {
        gen_literal(h, sizeof h, g->h);
        snprintf(text, sizeof text,
                 "    for (int i = 0; i < %d; ++i) {\n        s->eta[i] = real_select(solved, w->x[%d + i] / %s, "
                 "s->eta[i]);\n    }\n",
                 g->nh, g->nv + g->nc, h);
    }
    put_text(k, "accept_eta", text);
}

static void lanes_text(gen *g, keys *k)
{
    char keep[KEY] = "", put[KEY] = "", keep_x[KEY] = "", put_x[KEY] = "";
    if (is_lanes(g)) {
        // lanes that go on with their factors, lanes that have converged
        snprintf(keep, sizeof keep,
                 "            const int mixed = n > 0 && real_any(active & real_not(renew));\n"
                 "            real kept[%d];\n            if (mixed) {\n                memcpy(kept, w->A, sizeof "
                 "kept);\n            }\n",
                 g->A.nnz);
        snprintf(put, sizeof put,
                 "            for (int i = 0; mixed && i < %d; ++i) {\n                w->A[i] = real_select(renew, "
                 "w->A[i], "
                 "kept[i]);\n            }\n",
                 g->A.nnz);
        snprintf(keep_x, sizeof keep_x,
                 "            real kept[%d];\n            if (attempt > 0) {\n                memcpy(kept, w->x, "
                 "sizeof kept);\n            }\n",
                 g->n);
        snprintf(put_x, sizeof put_x,
                 "            for (int i = 0; attempt > 0 && i < %d; ++i) {\n                w->x[i] = "
                 "real_select(active, w->x[i], "
                 "kept[i]);\n"
                 "            }\n",
                 g->n);
    }
    put_text(k, "keep_A", keep);
    put_text(k, "put_A", put);
    put_text(k, "keep_x", keep_x);
    put_text(k, "put_x", put_x);
}

static void fill_keys(gen *g, keys *k)
{
    const dal_ga_coef c = g->c;
    const int extrapolates = g->opt.predictor == DAL_PREDICTOR_EXTRAPOLATE,
              holds = g->opt.predictor == DAL_PREDICTOR_HOLD;
    put_text(k, "name", g->name);
    put_text(k, "NAME", g->upper);
    put_text(k, "api", g->api);
    put_int(k, "n", g->n);
    put_int(k, "nq", g->nq);
    put_int(k, "nv", g->nv);
    put_int(k, "nvc", g->nv + g->nc);
    put_real(k, "atol", g->opt.atol);
    put_real(k, "rtol", g->opt.rtol);
    put_real(k, "s_atol", g->s * g->opt.atol);
    put_int(k, "trust", g->opt.jacobian == DAL_JACOBIAN_EXACT && extrapolates);
    put_int(k, "line_search", g->opt.line_search);
    put_int(k, "max_iterations", g->opt.max_iterations);
    put_int(k, "half_iterations", g->opt.max_iterations / 2);
    put_int(k, "nnz", g->A.nnz);
    put_real(k, "h", g->h);
    put_real(k, "e", 1.0 / (1.0 - c.alpha_m));
    put_real(k, "one_af", 1.0 - c.alpha_f);
    put_real(k, "af", c.alpha_f);
    put_real(k, "am", c.alpha_m);
    put_real(k, "half_beta", 0.5 - c.beta);
    put_real(k, "beta", c.beta);
    put_real(k, "gamma", c.gamma);
    put_real(k, "one_gamma", 1.0 - c.gamma);
    put_text(k, "first_degree", extrapolates ? "w->s->degree" : holds ? "REAL(0.0)" : "REAL(-1.0)");
    put_int(k, "extrapolates", extrapolates);
    put_text(k, "held", g->nc > 0 ? "    const real l0 = real_select(d0, hold ? one : o, w0);\n" : "    (void)hold;\n");
    // what was held at first is not held again
    put_text(k, "next_degree",
             extrapolates ? "real_select(real_less(w->s->degree, REAL(0.5)), REAL(-1.0), REAL(1 - attempt))"
                          : "REAL(-1.0)");
    put_int(k, "last_attempt", extrapolates ? 2 : holds ? 1 : 0);
    put_text(k, "accept_memory", g->nmemory > 0 ? "    follow_turns(s, w, solved);\n" : "");
    // it is set before it is read, which compilers do not see
    put_text(k, "clear_A", gen_large(g) || is_lanes(g) ? "" : "    memset(w.A, 0, sizeof w.A);\n");
    put_text(k, "watch", g->nleft_out > 0 ? "    watch_rows(s, &w, solved);\n" : "");
    accept_text(g, k);
    lanes_text(g, k);
    bracket_text(g, k);
}

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

/* What the coordinates and the velocities of a body are. */
static const char *coordinates_of(const mb_body *b, int velocities)
{
    static const struct {
        const mb_body_type *type;
        const char *q, *v;
    } known[] = {
        {&mb_body_r3so3, "position, quaternion", "velocity (world), angular velocity (body axes)"},
        {&mb_body_se3, "position, quaternion", "velocity, angular velocity (body axes)"},
        {&mb_body_euler, "position, Euler parameters", "their rates"},
        {&mb_body_cardan, "position, three angles", "their rates"},
        {&mb_body_point, "position", "velocity"},
        {&mb_body_planar, "x, y, angle", "their rates"},
        {&mb_body_planar_se2, "x, y, angle", "velocity (body axes), rate of the angle"},
    };
    const char *text = "";
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        text = b->type == known[k].type ? (velocities ? known[k].v : known[k].q) : text;
    }
    return text;
}

/* Where in q, v and la the elements of the model are. */
static void print_places(gen *g)
{
    const dal_model *m = g->m;
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        PUT(" *     %s: q[%d] ... %s; v[%d] ... %s\n", gen_comment(m->body_names.name[i]).s, b->q, coordinates_of(b, 0),
            b->v, coordinates_of(b, 1));
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
        " * multipliers, *_1 and *_2 those of the last two steps; k: constants that follow from parameters; the rest "
        "belongs to the\n"
        " * time grid, the predictor and Newton's method. Where the elements of the model are:\n");
    print_places(g);
    PUT(" */\ntypedef struct %s_state {\n", g->name);
    for (int i = 0; i < n; ++i) {
        PUT(f[i].n > 0 ? "    real %s[%d];\n" : "    real %s;\n", f[i].name, f[i].n);
    }
    PUT("    real_mask failed;\n    int history;\n} %s_state;\n\n", g->name);
}

static void print_work(gen *g)
{
    const char *prefix = g->name;
    PUT("/* What a step works with. */\ntypedef struct %s_work {\n    const %s_state *s; /* at the start of the step "
        "*/\n",
        prefix, prefix);
    PUT("    real t, contraction, increment, unseen;\n");
    PUT("    real x[%d], r[%d], A[%d]; /* unknowns theta, s lambda%s (GA.5); residual; iteration matrix */\n", g->n,
        g->n, g->A.nnz, g->opt.formulation == DAL_FORMULATION_GGL ? ", h eta" : "");
    PUT("    real q[%d], v[%d], vd[%d], c[%d], d[%d];\n", g->nq, g->nv, g->nv, g->nv, g->nv);
    if (g->nc > 0) {
        PUT("    real la[%d];\n", g->nc);
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
            PUT(";\n");
        }
    }
    PUT("} %s_work;\n\n", prefix);
}

/* ---- schedule --------------------------------------------------------------------------------- */

/* In lanes, where registers are scarce, all parts of a step stay functions of their own; of other large models residual,
 * Jacobian and factors do, the rest is small. */
static void open_function(gen *g, const char *comment, const char *head)
{
    const int apart =
        is_lanes(g) || (gen_large(g) && (strncmp(head, "residual", 8) == 0 || strncmp(head, "jacobian", 8) == 0 ||
                                         strncmp(head, "factor", 6) == 0));
    PUT("/* %s */\n%s void %s_%s\n{\n", comment, apart ? "PHASE" : "static inline", g->name, head);
}

static void with_constants(gen *g)
{
    if (g->nslots > 0) {
        PUT("    const real *k = w->s->k;\n    (void)k;\n");
    }
}

static void print_begin(gen *g)
{
    const dal_ga_coef c = g->c;
    const double h = g->h, cv = h * (c.beta / c.gamma - 1.0);
    const double ca = h * h * (c.beta * (1.0 - c.gamma) / c.gamma - 0.5 + c.beta);
    const double da = (c.alpha_m - (1.0 - c.alpha_m) * (1.0 - c.gamma) / c.gamma) / (1.0 - c.alpha_f);
    const double dvd = -c.alpha_f / (1.0 - c.alpha_f);
    char head[128], a[64], b[64];
    snprintf(head, sizeof head, "begin(%s_work *w)", g->name);
    open_function(g, "What stays the same all through a step: c of (GA.6), v1' = kv v1 + d.", head);
    with_constants(g);
    PUT("    const %s_state *s = w->s;\n    for (int i = 0; i < %d; ++i) {\n", g->name, g->nv);
    PUT("        w->c[i] = %s * s->v[i] + ", gen_literal(a, sizeof a, cv));
    PUT("%s * s->a[i];\n        w->d[i] = ", gen_literal(b, sizeof b, ca));
    PUT("%s * s->a[i] - ", gen_literal(a, sizeof a, da));
    PUT("%s * s->v[i] + ", gen_literal(a, sizeof a, g->kv));
    PUT("%s * s->vd[i];\n    }\n", gen_literal(a, sizeof a, dvd));
    if (g->nB0 > 0) {
        gen_print_states(g, "s->q", "s->v", "s->vd", 1);
        gen_print_keep(g);
    }
    PUT("}\n\n");
}

static dal_status print_residual(gen *g)
{
    char head[128], s[64];
    gen_text body = {.ctx = g->ctx}, *out = g->out;
    snprintf(head, sizeof head, "trial(%s_work *w)", g->name);
    open_function(g, "State at the end of the step from x (GA.1) to (GA.6).", head);
    gen_print_trial(g);
    PUT("}\n\n");
    g->out = &body;
    gen_print_states(g, "w->q", "w->v", "w->vd", 1);
    gen_print_inertia(g);
    gen_print_force_residuals(g);
    gen_print_joint_residuals(g);
    gen_print_lift_residual(g);
    gen_print_norm_residuals(g);
    gen_print_left_out_residual(g);
    g->out = out;
    snprintf(head, sizeof head, "%s_work *w", g->name);
    const dal_status st = gen_large(g) ? gen_split(g, g->out, &body, "residual", head, "w") : DAL_OK;
    snprintf(head, sizeof head, "residual(%s_work *w)", g->name);
    open_function(g, "Residual of (GA.5) at the trial state.", head);
    with_constants(g);
    gen_put_n(g->out, body.s ? body.s : "", body.n);
    PUT("    for (int i = 0; i < %d; ++i) {\n        w->r[i] *= %s; // (GA.9)\n    }\n}\n\n", g->nv,
        gen_literal(s, sizeof s, g->s));
    gen_text_release(&body);
    return st;
}

/* Blocks of K or C that are added to. */
static void print_clear(gen *g, char kind, const char *name, unsigned blocks)
{
    if (blocks == 15U) {
        PUT("    memset(w->%c_%s, 0, sizeof w->%c_%s);\n", kind, name, kind, name);
        return;
    }
    for (int k = 0; k < 4; ++k) {
        if (blocks & (1U << k)) {
            PUT("    clear_block(w->%c_%s + %d, 6);\n", kind, name, 3 * (k % 2) + 18 * (k / 2));
        }
    }
}

static void print_clears(gen *g)
{
    for (int k = 0; k < g->npairs; ++k) {
        const gen_pair *p = &g->pair[k];
        char name[2 * GEN_NAME];
        if (p->i == p->j) {
            snprintf(name, sizeof name, "%s", g->body[p->i].id);
        } else {
            snprintf(name, sizeof name, "%d_%d", p->i, p->j);
        }
        print_clear(g, 'K', name, p->K);
        print_clear(g, 'C', name, p->C);
    }
}

static dal_status print_jacobian(gen *g)
{
    char head[128];
    gen_text body = {.ctx = g->ctx}, *out = g->out;
    g->out = &body;
    gen_print_joint_tangents(g);
    gen_print_force_tangents(g);
    gen_print_body_blocks(g);
    gen_print_row_operations(g);
    gen_print_left_out_tangent(g);
    g->out = out;
    dal_status st = body.n > 0 && !body.failed ? gen_prune(&body) : DAL_OK;
    snprintf(head, sizeof head, "%s_work *w, real A[]", g->name);
    st = st == DAL_OK && gen_large(g) ? gen_split(g, g->out, &body, "jacobian", head, "w, A") : st;
    snprintf(head, sizeof head, "jacobian(%s_work *w, real A[])", g->name);
    open_function(g, "Iteration matrix (GA.10) at the trial state; the residual was evaluated there.", head);
    with_constants(g);
    gen_print_N(g);
    print_clears(g);
    gen_put_n(g->out, body.s ? body.s : "", body.n);
    PUT("}\n\n");
    gen_text_release(&body);
    return st;
}

static dal_status print_solver(gen *g)
{
    char head[128];
    DAL_TRY(gen_order(g));
    snprintf(head, sizeof head, "factor(real A[])");
    gen_text body = {.ctx = g->ctx}, *out = g->out;
    g->out = &body;
    gen_print_factor(g);
    g->out = out;
    const dal_status st = gen_large(g) ? gen_cut(g, g->out, &body, "factor", "real A[]", "A") : DAL_OK;
    open_function(g, "LU factors in place, in a fixed order; pivots are inverted.", head);
    gen_put_n(g->out, body.s ? body.s : "", body.n);
    gen_text_release(&body);
    PUT("}\n\n");
    snprintf(head, sizeof head, "backsolve(real x[%d], const real A[], real b[%d])", g->n, g->n);
    open_function(g, "Solve A x = b; b is overwritten.", head);
    gen_print_backsolve(g);
    PUT("}\n\n");
    return st;
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

static void print_init(gen *g, const dal_state *start, const double *memory)
{
    char text[GEN_NAME];
    PUT("%svoid %s_init(%s_state *s)\n{\n    memset(s, 0, sizeof *s);\n", g->api, g->name, g->name);
    for (int i = 0; i < g->nslots; ++i) {
        PUT("    s->k[%d] = REAL(%s);\n", i,
            gen_literal(text, sizeof text, (g->own ? g->own : g->number)[g->first[i]]));
    }
    put_values(g, "q", start->q, g->nq);
    put_values(g, "v", start->v, g->nv);
    put_values(g, "vd", start->vd, g->nv);
    put_values(g, "a", start->a, g->nv);
    put_values(g, "la", start->la, g->nc);
    double angle[GEN_ANGLES], rate[GEN_ANGLES];
    for (int k = 0; k < g->nmemory; ++k) {
        angle[k] = memory[g->angle[k]];
        rate[k] = memory[g->angle[k] + 1];
    }
    put_values(g, "angle", angle, g->nmemory);
    put_values(g, "rate", rate, g->nmemory);
    PUT("    s->t = s->t0 = REAL(%.17g);\n", start->t);
    PUT("}\n\n");
}

static void print_head(gen *g, gen_text *file)
{
    gen_put(file,
            "/* %s: generated by dalembert %s. Do not edit; generate it anew.\n *\n"
            " * Generalized-alpha steps of %.17g s on Lie groups. %d velocities, %d constraint rows; %d unknowns in a "
            "step, %d entries\n"
            " * in the iteration matrix and its factors, about %ld operations to factor it and solve.\n"
            " * Labels such as (GA.10) are those of the manual, docs/theory.\n *\n"
            " *     %s_init(&s);  while (%s_step(&s) == %s_OK) { ... s.q, s.v, s.la ... }\n *\n"
            " * Kernels of the library come first, then the state and the functions to call, then what they do. */\n",
            g->name, dal_version_string(), g->h, g->nv, g->nc, g->n, g->A.nnz, g->A.operations, g->name, g->name,
            g->upper);
    gen_put(file, "#include <math.h>\n#include <string.h>\n\n");
    if ((gen_large(g) || is_lanes(g)) && g->how->scalar != DAL_GENERATE_CUDA) {
        gen_put(
            file,
            "/* Parts of a step that stay functions of their own. */\n#define PHASE static __attribute__((noinline))\n"
            "#define PIECE PHASE\n\n");
    }
    if (g->how->scalar == DAL_GENERATE_CUDA) {
        gen_put_n(file, gen_text_cuda, strlen(gen_text_cuda));
    }
    if (is_lanes(g)) {
        gen_put(file, "enum { LANES = %d };\n\n", g->how->lanes);
    }
}

dal_status gen_program(gen *g, gen_text *file, const dal_state *start, const double *memory)
{
    gen_text types = {.ctx = g->ctx}, code = {.ctx = g->ctx};
    const int cuda = g->how->scalar == DAL_GENERATE_CUDA;
    keys *k = dal_alloc_zero(g->ctx, sizeof *k);
    g->api = cuda ? "DEVICE " : "";
    if (!k) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory");
    }
    g->out = &code;
    print_begin(g);
    dal_status st = print_residual(g);
    const size_t matrix = code.n;
    st = st == DAL_OK ? print_jacobian(g) : st;
    st = st == DAL_OK ? print_solver(g) : st;
    st = st == DAL_OK ? gen_compact(g, &code, matrix, g->A.nfirst) : st;
    gen_print_memory(g);
    gen_print_watch(g);
    fill_keys(g, k);
    put_filled(&code, gen_text_step, k->key, k->n);
    PUT("\n");
    if (!g->how->trace) {
        print_init(g, start, memory);
    }
    gen_print_energy(g);
    gen_print_outputs(g);
    gen_print_members(g);
    g->out = &types;
    PUT("/* What a step returns. */\nenum { %s_OK, %s_NOT_CONVERGED };\n\n", g->upper, g->upper);
    print_state(g);
    print_work(g);
    PUT("%sint %s_step(%s_state *s); /* one step; a state that failed stays where it was */\n", g->api, g->name,
        g->name);
    if (!g->how->trace) {
        PUT("%svoid %s_init(%s_state *s);\n", g->api, g->name, g->name);
    }
    gen_print_output_types(g);
    print_head(g, file);
    gen_text all = {.ctx = g->ctx};
    gen_put_n(&all, types.s, types.n);
    gen_put_n(&all, code.s, code.n);
    st = st == DAL_OK ? gen_indent(&all) : st;
    st = st == DAL_OK ? gen_print_kernels(g, file, all.s ? all.s : "", cuda ? "DEVICE" : "static inline") : st;
    put_renamed(file, all.s ? all.s : "", "static inline", cuda ? "DEVICE" : "static inline");
    const int failed = types.failed | code.failed | all.failed | file->failed;
    for (int i = 0; i < k->n; ++i) {
        if (strcmp(k->key[i].name, "bracket") == 0 && k->key[i].text[0]) {
            dal_free(g->ctx, (char *)k->key[i].text);
        }
    }
    dal_free(g->ctx, k);
    gen_text_release(&types);
    gen_text_release(&code);
    gen_text_release(&all);
    return failed && st == DAL_OK ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text") : st;
}
