/* Steps of any size: what goes with a power of it, and what changes with the size (docs/theory/stepsize.md, section 3). */
#include <stdio.h>

#include "generate/generate_impl.h"
#include "integrate/speeds.h"

gen_term gen_power(const gen *g, double x, int k)
{
    return k == 0 || g->saddle || !g->how->any_step ? gen_const(x) : gen_name(x, "w->s->power[%d]", k + 2);
}

/* The set of factors as a number, and the power of the step size that it goes with. */
static double product(const gen *g, unsigned set, int *k)
{
    const int scaled = g->opt.scaling != 0;
    const struct {
        double x;
        int k;
    } factor[] = {{g->s, 2 * scaled}, {g->s_vel, scaled}, {g->kv, -1}, {g->gp, -1}};
    double x = 1.0;
    *k = 0;
    for (int i = 0; i < 4; ++i) {
        x *= set >> i & 1U ? factor[i].x : 1.0;
        *k += set >> i & 1U ? factor[i].k : 0;
    }
    return x;
}

gen_term gen_scale(const gen *g, unsigned set)
{
    int k;
    const double x = product(g, set, &k);
    return gen_power(g, x, k);
}

static gen_factor text_of(gen_term t, const char *state)
{
    gen_factor f;
    char number[GEN_NAME];
    gen_literal(number, sizeof number, t.c);
    if (t.s[0]) {
        snprintf(f.s, sizeof f.s, "(%s * %s->%s)", number, state, strstr(t.s, "power"));
    } else {
        snprintf(f.s, sizeof f.s, "%s", number);
    }
    return f;
}

gen_factor gen_power_text(const gen *g, double x, int k)
{
    return text_of(gen_power(g, x, k), "w->s");
}

gen_factor gen_power_of_state(const gen *g, double x, int k)
{
    return text_of(gen_power(g, x, k), "s");
}

gen_factor gen_scale_text(const gen *g, unsigned set)
{
    return text_of(gen_scale(g, set), "w->s");
}

/* ---- the size ---------------------------------------------------------------------------------- */

void gen_print_sizes(gen *g)
{
    char h[GEN_NAME];
    if (!g->how->any_step) {
        return;
    }
    gen_literal(h, sizeof h, g->h);
    PUT("/* Steps of size h. */\nstatic inline void set_size(%s_state *s, real h)\n{\n    const real r = h / %s;\n"
        "    const real power[5] = {1.0 / (r * r), 1.0 / r, REAL(1.0), r, r * r};\n"
        "    memcpy(s->power, power, sizeof power);\n}\n\n",
        g->name, h);
}

void gen_print_whole_step(gen *g)
{
    char h[GEN_NAME];
    if (g->how->any_step) {
        PUT("int %s_step(%s_state *s)\n{\n    s->grid += 1.0;\n    return step_to(s, s->t0 + s->grid * %s);\n}\n\n",
            g->name, g->name, gen_literal(h, sizeof h, g->h));
    }
}

void gen_print_first_size(gen *g, const char *s)
{
    char h[GEN_NAME];
    if (!g->how->any_step) {
        return;
    }
    gen_literal(h, sizeof h, g->h);
    PUT("    set_size(%s, REAL(%s));\n", s, h);
    if (!gen_rattlie(g)) {
        PUT("    %s->h = %s->h_1 = REAL(%s);\n    %s->t_1 = %s->t_2 = %s->t;\n", s, s, h, s, s, s);
        PUT("    memcpy(%s->v_0, %s->v, sizeof %s->v);\n    memcpy(%s->vd_0, %s->vd, sizeof %s->vd);\n", s, s, s, s, s,
            s);
    }
}

/* ---- other sizes ------------------------------------------------------------------------------- */

static void print_bends(gen *g)
{
    const dal_group *G = g->m->group;
    for (int f = 0; f < G->nfactors; ++f) {
        const dal_factor *F = &G->factor[f];
        for (int i = 0; i < F->nv; i += dal_vector_length(F, i)) {
            const int k = F->v + i;
            PUT("        transfer_bend(vdd + %d, s->jerk + %d, s->jerk_1 + %d, e, %d);\n", k, k, k,
                dal_vector_length(F, i));
        }
    }
}

/* A step in parts of the size that the last one had; that doubles where the step is done. */
static const char cut[] =
    "    const real wish = s->part > 0.0 ? s->part : H_MODEL, left = fabs(to - s->t - h) < 1e-9 * h ? h : to - s->t;\n"
    "    h = fmin(left, wish);\n    h = left < 1.001 * h ? left : left < 1.999 * h ? 0.5 * left : h;\n"
    "    to = h < left ? s->t + h : to;\n";

void gen_print_run_to(gen *g, const gen_key *start)
{
    const dal_options *o = &g->opt;
    const int transfers = !gen_rattlie(g) && o->transfer != DAL_TRANSFER_NONE;
    const gen_key own[] = {
        {"OFF_ROWS", .count = o->formulation == DAL_FORMULATION_INDEX3 && g->nh > 0},
        {"CUT", .text = g->ngaps > 0 ? cut : ""},
        {"UNLESS_CUT", .text = g->ngaps > 0
                                   ? "    s->part = h < left ? h : fmin(H_MODEL, 2.0 * fmax(h, wish));\n    if "
                                     "(h < left) {\n        return status;\n    }\n"
                                   : ""},
        {"HELD", .text = g->nc == 0                 ? "0"
                         : gen_rows_may_all_open(g) ? "rows_hold(s)"
                                                    : "1"},
        {"D_A", .real = g->c.alpha_m - g->c.alpha_f},
        {"FULL_TRANSFER", .count = o->transfer == DAL_TRANSFER_FULL},
        {"BENDS", .print = print_bends},
        {"H_MODEL", .real = g->h},
        {"LEAP", .real = o->scaling ? 0.2 : 0.0},
        {"RESIZE", .text = gen_rattlie(g)
                               ? ""
                               : "    if (h != s->h) {\n        s->contraction = fabs(h - s->h) > LEAP * h ? "
                                 "0.0 : s->contraction;\n    TRANSFER\n    }\n"},
        {"TRANSFER", .text = transfers ? "        transfer(s, h);\n" : ""}};
    enum { NOWN = sizeof own / sizeof own[0] };
    gen_key keys[NOWN + 64];
    int n = 0;
    while (start[n].name && n < 63) {
        keys[NOWN + n] = start[n];
        ++n;
    }
    memcpy(keys, own, sizeof own);
    keys[NOWN + n] = (gen_key){0};
    if (transfers) {
        gen_put_filled(g, gen_text_transfer, keys);
    }
    gen_put_filled(g, gen_text_run_to, keys);
}
