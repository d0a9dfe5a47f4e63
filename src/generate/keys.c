/* The step: what is the same for all models stands in step.txt; here is what takes the place of its keys. */
#include <stdio.h>

#include "generate/generate_impl.h"

/* First iterate: all bodies, their brackets, multipliers. */
static void print_first_motion(gen *g)
{
    PUT("    predict(w->x, w->v, s, weight, 0, %d);\n", g->nv);
    for (int i = 1; i < g->m->body_names.n; ++i) {
        gen_print_bracket(g, i);
    }
}

static void first_text(gen *g)
{
    const char *to = gen_kept(g);
    char s[64];
    if (gen_sweeps(g)) {
        gen_print_first_motion(g);
    } else {
        print_first_motion(g);
    }
    if (g->nc > 0) {
        gen_literal(s, sizeof s, g->s);
        PUT("    for (int i = 0; i < %d; ++i) {\n        %s->x[%d + i] = %s * (l0 * s->la[i] + w1 * s->la_1[i] + w2 * "
            "s->la_2[i]);\n"
            "    }\n",
            g->nc, to, g->nv, s);
    }
    if (g->ne > 0) {
        gen_literal(s, sizeof s, g->h);
        PUT("    for (int i = 0; i < %d; ++i) {\n        %s->x[%d + i] = %s * s->eta[i];\n    }\n", g->ne, to,
            g->nv + g->nc, s);
    }
}

static void accept_motion_text(gen *g)
{
    if (gen_sweeps(g)) {
        gen_print_accept_motion(g);
        return;
    }
    PUT("    compare(worst, s, w->vd, 0, %d);\n    accept_position(s, w->q, solved, 0, %d);\n"
        "    accept_velocity(s, w->v, w->vd, solved, 0, %d);\n",
        g->nv, g->nq, g->nv);
}

static void accept_text(gen *g, gen_keys *k)
{
    char text[GEN_KEY] = "", h[64], la[96] = "w->la[i]";
    if (gen_sweeps(g)) {
        gen_literal(h, sizeof h, 1.0 / g->s);
        snprintf(la, sizeof la, "%s * kept->x[%d + i]", h, g->nv);
    }
    if (g->nc > 0) {
        snprintf(
            text, sizeof text,
            "    for (int i = 0; i < %d; ++i) {\n        s->la_2[i] = real_select(solved, s->la_1[i], s->la_2[i]);\n"
            "        s->la_1[i] = real_select(solved, s->la[i], s->la_1[i]);\n"
            "        s->la[i] = real_select(solved, %s, s->la[i]);\n    }\n",
            g->nc, la);
    }
    gen_key_text(k, "accept_la", text);
    text[0] = '\0';
    if (g->ne > 0) {
        gen_literal(h, sizeof h, g->h);
        snprintf(text, sizeof text,
                 "    for (int i = 0; i < %d; ++i) {\n        s->eta[i] = real_select(solved, %s->x[%d + i] / %s, "
                 "s->eta[i]);\n    }\n",
                 g->ne, gen_kept(g), g->nv + g->nc, h);
    }
    gen_key_text(k, "accept_eta", text);
}

static void lanes_text(gen *g, gen_keys *k)
{
    char keep[GEN_KEY] = "", put[GEN_KEY] = "", keep_x[GEN_KEY] = "", put_x[GEN_KEY] = "";
    if (gen_lanes(g)) {
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
    gen_key_text(k, "keep_A", keep);
    gen_key_text(k, "put_A", put);
    gen_key_text(k, "keep_x", keep_x);
    gen_key_text(k, "put_x", put_x);
}

/* How residual, factors and solution are called. */
static void schedule_keys(gen *g, gen_keys *k)
{
    const char *name = g->name;
    char text[GEN_KEY], work[2 * GEN_NAME];
    const int sweeps = gen_sweeps(g);
    snprintf(work, sizeof work, sweeps ? "%s_kept" : "%s_work", name);
    gen_key_text(k, "work", work);
    gen_key_text(k, "kept", gen_kept(g));
    snprintf(text, sizeof text, "    %s_work at, *w = &at;\n    w->s = kept->s;\n    w->t = kept->t;\n", name);
    gen_key_text(k, "scratch", sweeps ? text : "");
    snprintf(text, sizeof text, "    %s_begin(&w);\n", name);
    gen_key_text(k, "begin", sweeps && g->nB0 == 0 ? "" : text);
    snprintf(text, sizeof text, "        %s_trial(w);\n", name);
    gen_key_text(k, "trial", sweeps ? "" : text);
    snprintf(text, sizeof text,
             sweeps ? "        const real norm = %s_residual(w);\n"
                    : "        %s_residual(w);\n        const real norm = newton_norm(w->r);\n",
             name);
    gen_key_text(k, "residual", text);
    snprintf(text, sizeof text,
             sweeps ? "            %s_renew(w);\n"
                    : "            %s_jacobian(w, w->A);\n            %s_factor(w->A);\n",
             name, name);
    gen_key_text(k, "renew", text);
    snprintf(text, sizeof text,
             "        for (int i = 0; i < %d; ++i) {\n            w->r[i] = -w->r[i];\n        }\n"
             "        %s_backsolve(dx, w->A, w->r);\n        for (int i = 0; i < %d; ++i) {\n"
             "            w->x[i] += real_select(active, dx[i], o);\n        }\n",
             g->n, name, g->n);
    gen_key_text(k, "advance", sweeps ? "" : text);
    snprintf(text, sizeof text, "        size = %s_advance(w, dx);\n", name);
    gen_key_text(k, "size", sweeps ? text : "        size = newton_size(w->x, dx);\n");
}

static void fill_keys(gen *g, gen_keys *k)
{
    const dal_ga_coef c = g->c;
    const int extrapolates = g->opt.predictor == DAL_PREDICTOR_EXTRAPOLATE,
              holds = g->opt.predictor == DAL_PREDICTOR_HOLD;
    gen_key_text(k, "name", g->name);
    gen_key_text(k, "NAME", g->upper);
    gen_key_text(k, "api", g->api);
    gen_key_int(k, "n", g->n);
    gen_key_int(k, "nq", g->nq);
    gen_key_int(k, "nv", g->nv);
    gen_key_int(k, "nvc", g->nv + g->nc);
    gen_key_real(k, "atol", g->opt.atol);
    gen_key_real(k, "rtol", g->opt.rtol);
    gen_key_real(k, "s_atol", g->s * g->opt.atol * g->work);
    gen_key_int(k, "trust", g->opt.jacobian == DAL_JACOBIAN_EXACT && extrapolates);
    gen_key_int(k, "line_search", g->opt.line_search);
    gen_key_int(k, "max_iterations", g->opt.max_iterations);
    gen_key_int(k, "half_iterations", g->opt.max_iterations / 2);
    gen_key_int(k, "nnz", g->A.nnz);
    gen_key_real(k, "h", g->h);
    gen_key_real(k, "e", 1.0 / (1.0 - c.alpha_m));
    gen_key_real(k, "one_af", 1.0 - c.alpha_f);
    gen_key_real(k, "af", c.alpha_f);
    gen_key_real(k, "am", c.alpha_m);
    gen_key_real(k, "half_beta", 0.5 - c.beta);
    gen_key_real(k, "beta", c.beta);
    gen_key_real(k, "gamma", c.gamma);
    gen_key_real(k, "one_gamma", 1.0 - c.gamma);
    gen_key_text(k, "first_degree", extrapolates ? "w->s->degree" : holds ? "REAL(0.0)" : "REAL(-1.0)");
    gen_key_int(k, "extrapolates", extrapolates);
    gen_key_text(k, "held",
                 g->nc > 0 ? "    const real l0 = real_select(d0, hold ? one : o, w0);\n" : "    (void)hold;\n");
    // what was held at first is not held again
    gen_key_text(k, "next_degree",
                 extrapolates ? "real_select(real_less(w->s->degree, REAL(0.5)), REAL(-1.0), REAL(1 - attempt))"
                              : "REAL(-1.0)");
    gen_key_int(k, "last_attempt", extrapolates ? 2 : holds ? 1 : 0);
    gen_key_text(k, "accept_memory", g->nmemory > 0 ? "    follow_turns(s, w, solved);\n" : "");
    // it is set before it is read, which compilers do not see
    gen_key_text(k, "clear_A", gen_large(g) || gen_lanes(g) ? "" : "    memset(w.A, 0, sizeof w.A);\n");
    gen_key_text(k, "watch", g->nleft_out > 0 ? "    watch_rows(s, &w, solved);\n" : "");
    accept_text(g, k);
    lanes_text(g, k);
    schedule_keys(g, k);
    gen_key_printed(g, k, "first_motion", first_text);
    gen_key_printed(g, k, "accept_motion", accept_motion_text);
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

static void put_weights(gen *g)
{
    put_constants(g, "weight", g->weight);
}

static void put_tolerances(gen *g)
{
    put_constants(g, "tolerance", g->tolerance);
}

/* norms.txt, filled in with the keys that are there. */
static void put_norms(gen *g, gen_keys *k)
{
    gen_key_printed(g, k, "weights", put_weights);
    gen_key_printed(g, k, "tolerances", put_tolerances);
    gen_key_filled(g, k, "measures", gen_text_norms);
}

dal_status gen_print_step(gen *g)
{
    gen_keys *k = dal_alloc_zero(g->ctx, sizeof *k);
    int failed = !k;
    if (k) {
        fill_keys(g, k);
        if (gen_sweeps(g)) {
            gen_key_printed(g, k, "measures", gen_print_advance);
        } else {
            put_norms(g, k);
        }
        gen_put_filled(g->out, gen_text_step, k);
        PUT("\n");
    }
    failed |= k && gen_keys_release(k);
    dal_free(g->ctx, k);
    return failed ? dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory for the text of a step") : DAL_OK;
}
