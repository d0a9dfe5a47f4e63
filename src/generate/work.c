/* Powers, and outputs that are integrals over time (MB.14): sums in the state, to which a step adds what the library adds. */
#include <stdio.h>

#include "generate/flexible_impl.h"
#include "mbs/output_impl.h"

/* ---- power ------------------------------------------------------------------------------------ */

enum { TOUCHED = 2 + 2 * MB_TERMS };

/* Bodies that forces are added up on, each once. */
typedef struct touched {
    int body[TOUCHED], n;
} touched;

static void touch(gen *g, touched *all, int body)
{
    int known = body == 0;
    for (int b = 0; b < all->n; ++b) {
        known |= all->body[b] == body;
    }
    if (!known) {
        all->body[all->n++] = body;
        PUT("    memset(w->r6_%s, 0, sizeof w->r6_%s);\n", g->body[body].id, g->body[body].id);
    }
}

/* -(sum of forces . velocities) */
static void print_products(gen *g, const touched *all, const char *to, const char *sign)
{
    for (int b = 0; b < all->n; ++b) {
        const char *id = g->body[all->body[b]].id;
        PUT("    %s -= %s(dot3(w->r6_%s, w->s_%s.xd) + dot3(w->r6_%s + 3, w->s_%s.Om));\n", to, sign, id, id, id, id);
    }
}

void gen_print_force_power(gen *g, const mb_force *f, const char *to, const char *sign)
{
    touched all = {{0}, 0};
    touch(g, &all, f->marker[0].body);
    touch(g, &all, f->marker[1].body);
    gen_print_force_residual(g, f);
    print_products(g, &all, to, sign);
}

void gen_print_rows_power(gen *g, int first, int count, const char *to)
{
    touched all = {{0}, 0};
    for (int k = first; k < first + count; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        for (int i = 0; i < c->nsides; ++i) {
            touch(g, &all, c->body[i]);
        }
        gen_print_joint_residual(g, k);
    }
    print_products(g, &all, to, "");
}

int gen_shared_out(const gen *g, const mb_force *f)
{
    return g->nleft_out > 0 && g->opt.redundant == DAL_REDUNDANT_LEAST_NORM && (!f || f->type->lambda);
}

void gen_print_reaction(gen *g, const mb_constraint *c, int side)
{
    const char *id = g->body[c->body[side]].id;
    touched all = {{0}, 0};
    for (int i = 0; i < c->nsides; ++i) {
        touch(g, &all, c->body[i]);
    }
    gen_print_joint_residual(g, (int)(c - g->m->constraint));
    PUT("    scale3(f, REAL(-1.0), w->r6_%s);\n    mat3_mul_vec(f + 3, w->s_%s.R, 3, w->r6_%s + 3);\n"
        "    scale3(f + 3, REAL(-1.0), f + 3);\n",
        id, id, id);
}

/* ---- rates ------------------------------------------------------------------------------------ */

/* A block of rows that follows a function, or has coefficients, feeds energy in. */
static int is_driven(const mb_constraint *c)
{
    int driven = c->type->form == MB_FORM_COEFFICIENTS;
    for (int k = 0; k < c->nscalar; ++k) {
        driven |= c->row[k].f > 0;
    }
    return c->type->exchange && driven;
}

/* Is work done where a force is switched, which begins or ends to store energy then? */
static int switching_works(const mb_force *f)
{
    const mb_element_type *e = &f->type->element;
    return (f->d.switched || f->switching > 0) && (e->potential || e->kinetic);
}

/* Does the program know what all elements dissipate, or feed in? */
static int exchange_known(const gen *g, int fed)
{
    int known = 1;
    for (int k = 0; k < g->m->force_names.n; ++k) {
        known = known && gen_exchange_known(&g->m->force[k]) && !gen_shared_out(g, &g->m->force[k]) &&
                !(fed && switching_works(&g->m->force[k]));
    }
    for (int k = 0; k < g->m->nconstraints && fed; ++k) {
        known = known && !(is_driven(&g->m->constraint[k]) && gen_shared_out(g, NULL));
    }
    return known;
}

static int rate_known(const gen *g, const mb_output *o)
{
    if (o->type->rate == mb_power) {
        return !gen_shared_out(g, o->joint >= 0 ? NULL : &g->m->force[o->force]);
    }
    return (o->type->rate == mb_dissipation && exchange_known(g, 0)) ||
           (o->type->rate == mb_drive_power && exchange_known(g, 1));
}

static void print_rate(gen *g, const mb_output *o, const char *to)
{
    const int fed = o->type->rate == mb_drive_power;
    PUT("    %s = REAL(0.0);\n    (void)w;\n", to);
    if (o->type->rate == mb_power && o->joint >= 0) {
        gen_print_rows_power(g, g->m->joint[o->joint].first, g->m->joint[o->joint].count, to);
    } else if (o->type->rate == mb_power) {
        gen_print_force_power(g, &g->m->force[o->force], to, "");
    } else {
        for (int k = 0; k < g->m->force_names.n; ++k) {
            gen_print_exchange(g, &g->m->force[k], fed, to);
        }
        for (int i = 1; i < g->m->body_names.n && !fed; ++i) {
            gen_print_flexible_damping(g, i, to);
        }
        gen_print_beam_exchange(g, fed, to);
        for (int k = 0; k < g->m->nconstraints && fed; ++k) {
            if (is_driven(&g->m->constraint[k])) {
                gen_print_rows_power(g, k, 1, to);
            }
        }
    }
}

static void print_rates(gen *g)
{
    gen_print_states(g, "w->q", "w->v", "w->vd", 0);
    for (int k = 0; k < g->nsums; ++k) {
        char to[32];
        snprintf(to, sizeof to, "integrand[%d]", k);
        PUT("    { // %s\n", gen_comment(g->m->output_names.name[g->sum[k].output]).s);
        print_rate(g, &g->m->output[g->sum[k].output], to);
        PUT("    }\n");
    }
}

/* ---- sums ------------------------------------------------------------------------------------- */

/* Steps of RATTLie have a dense output of their own. */
void gen_sums(gen *g)
{
    for (int k = 0; k < g->m->output_names.n && !gen_rattlie(g); ++k) {
        const mb_output *o = &g->m->output[k];
        if (o->type->rate && g->nsums < GEN_SUMS && gen_wanted(g, o) && rate_known(g, o)) {
            g->sum[g->nsums++] = (gen_sum){k, o->memory + MB_SUM};
        }
    }
}

int gen_sums_losses(const gen *g)
{
    int some = 0;
    for (int k = 0; k < g->nsums; ++k) {
        some |= g->m->output[g->sum[k].output].type->rate == mb_dissipation;
    }
    return some;
}

int gen_sum_number(const gen *g, const mb_output *o)
{
    int k = 0;
    while (k < g->nsums && &g->m->output[g->sum[k].output] != o) {
        ++k;
    }
    return k;
}

/* y = T(x) z of a body, or T^-1 */
static void print_turned(gen *g, const mb_body *b, const char *y, const char *x, const char *z, int inverted)
{
    const gen_chart t = *gen_chart_of(b);
    const int v = b->v, first = v + t.first, turns = v + (t.about_z ? 2 : 3);
    PUT("    for (int i = %d; i < %d; ++i) {\n        %s[i] = %s[i];\n    }\n", v, v + gen_velocities(b), y, z);
    if (gen_flat(b)) {
        return;
    }
    PUT("    {\n    real coef[COEF_USED], T[%d];\n", t.n * t.n);
    PUT(t.about_z ? "    %s(coef, %s[%d]);\n" : "    %s(coef, %s + %d);\n", t.coefficients, x, turns);
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    so3_tangent(T, 3, %s + %d, coef);\n", x, first);
    } else {
        PUT("    %s_tangent(T, %s + %d, coef);\n", t.group, x, v);
    }
    if (inverted) {
        PUT(t.n == 6 ? "    real Ti[%d];\n    se3_invert(Ti, T);\n"
                     : "    real Ti[%d];\n    mat3_invert(Ti, 3, T, 3);\n",
            t.n * t.n);
    }
    PUT(t.n == 6 ? "    se3_apply(%s + %d, %s, %s + %d);\n    }\n"
                 : "    mat3_mul_vec(%s + %d, %s, 3, %s + %d);\n    }\n",
        y, first, inverted ? "Ti" : "T", z, first);
}

void gen_print_all_turned(gen *g, const char *y, const char *x, const char *z, int inverted)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        if (!gen_is_node(&g->m->body[i])) {
            print_turned(g, &g->m->body[i], y, x, z, inverted);
        }
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        if (g->m->force[k].factor >= 0) {
            PUT("    %s[%d] = %s[%d];\n", y, g->m->force[k].v, z, g->m->force[k].v);
        }
    }
}

/* Gauss' rule of two points on the dense output (DO.1). */
static void print_add_up(gen *g)
{
    const gen_factor step = gen_power_text(g, g->h, 1);
    const char *h = step.s;
    PUT("    %s_work at, *w = &at;\n    real d1[%d], psi[%d], slope[%d], integrand[%d], to[%d];\n", g->name, g->nv,
        g->nv, g->nv, g->nsums, g->nsums);
    PUT("    memset(to, 0, sizeof to);\n    w->s = s;\n");
    gen_print_all_turned(g, "d1", "x", "s->v", 1);
    PUT("    for (int n = 0; n < 2; ++n) {\n"
        "    const double u = n == 0 ? 0.21132486540518712 : 0.78867513459481288;\n");
    PUT("    for (int i = 0; i < %d; ++i) {\n        const real m0 = %s * v0[i], m1 = %s * d1[i];\n"
        "        const real b = 3.0 * x[i] - 2.0 * m0 - m1, c = m0 + m1 - 2.0 * x[i];\n"
        "        psi[i] = u * (m0 + u * (b + u * c));\n"
        "        slope[i] = (m0 + u * (2.0 * b + 3.0 * u * c)) / %s;\n"
        "        w->vd[i] = s->vd_1[i] + u * (s->vd[i] - s->vd_1[i]);\n    }\n",
        g->nv, h, h, h);
    if (g->nc > 0) {
        PUT("    for (int i = 0; i < %d; ++i) {\n        w->la[i] = s->la_1[i] + u * (s->la[i] - s->la_1[i]);\n    }\n",
            g->nc);
    }
    PUT("    %s_move(w->q, q0, psi);\n    w->t = s->t + u * %s;\n", g->name, h);
    gen_print_all_turned(g, "w->v", "psi", "slope", 0);
    PUT("    %s_rates(w, integrand);\n    for (int i = 0; i < %d; ++i) {\n        to[i] += 0.5 * %s * integrand[i];\n  "
        "  "
        "}\n    }\n",
        g->name, g->nsums, h);
    PUT("    for (int i = 0; i < %d; ++i) {\n        s->sum[i] = real_select(solved, s->sum[i] + to[i], "
        "s->sum[i]);\n    }\n",
        g->nsums);
}

void gen_print_sums(gen *g)
{
    if (g->nsums > 0) {
        gen_print_move(g);
        gen_print_function_of(g, &(gen_function){"What is integrated over time, at the state of w.", "rates",
                                                 "program_work *w, real integrand[]", "w, integrand",
                                                 .body = print_rates, .apart = 1});
        gen_print_function_of(
            g, &(gen_function){"Integrals over the step of unknowns x that began at q0 and v0; s: its end, but for t "
                               "and angles.",
                               "add_up",
                               "program_state *s, const real q0[], const real v0[], const real x[], real_mask solved",
                               .body = print_add_up, .apart = 1});
    }
}
