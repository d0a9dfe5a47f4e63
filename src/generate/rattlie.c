/* Steps of RATTLie (docs/theory/rattlie.md): what is the same for all models stands in rattlie.txt. */
#include <stdio.h>

#include "generate/generate_impl.h"
#include "integrate/integrator.h"

int gen_rattlie(const gen *g)
{
    return g->opt.integrator == DAL_INTEGRATOR_RATTLIE;
}

/* M must not depend on the state; rows are those of positions. */
dal_status gen_rattlie_check(const gen *g)
{
    const dal_model *m = g->m;
    static const char remedy[] = "integrator = genalpha takes it, or the library with rattlie";
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        const int constant = gen_is(b, MB_CHART_R3SO3) || gen_is(b, MB_CHART_POINT) || gen_is(b, MB_CHART_PLANAR);
        if (!constant || !b->centred) {
            return dal_fail(
                g->ctx, DAL_EINVAL,
                "generate: programs with integrator = rattlie have bodies of type r3so3, point and planar with "
                "their frame in the centre of mass; of body '%s' the mass matrix depends on the state, or its "
                "type is another. %s",
                m->body_names.name[i], remedy);
        }
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        if (c->nonholonomic || c->joint < 0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: programs with integrator = rattlie have no rows of velocities%s%s%s. %s",
                            c->joint >= 0 ? ", as joint '" : "", c->joint >= 0 ? m->joint_names.name[c->joint] : "",
                            c->joint >= 0 ? "' has" : "", remedy);
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        if (m->force[k].factor >= 0 || m->force[k].type->element.mass ||
            strcmp(m->force[k].type->name, "friction") == 0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: programs with integrator = rattlie have no force '%s' of type %s. %s",
                            m->force_names.name[k], m->force[k].type->name, remedy);
        }
    }
    if (g->nleft_out > 0 || gen_sweeps(g)) {
        return dal_fail(g->ctx, DAL_EINVAL, "generate: programs with integrator = rattlie take %s. %s",
                        g->nleft_out > 0 ? "no redundant rows" : "no models of this size on a device", remedy);
    }
    return DAL_OK;
}

/* y = T^-T(-theta) M theta - M theta with sign 1, T^-T(theta) M theta - M theta with sign -1. */
static void print_turn(gen *g)
{
    PUT("    memset(y, 0, %d * sizeof(real));\n    (void)w;\n    (void)x;\n    (void)sign;\n", g->nv);
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        if (gen_is(b, MB_CHART_R3SO3)) {
            PUT("    {\n");
            gen_array(g, "J", b->J, 9);
            PUT("    real c[3], theta[3], coef[COEF_USED];\n    mat3_mul_vec(c, J, 3, x + %d);\n"
                "    for (int i = 0; i < 3; ++i) {\n        theta[i] = sign * x[%d + i];\n    }\n"
                "    angle_local(coef, dot3(theta, theta));\n    so3_inv_tangent_times(y + %d, theta, c, "
                "coef[COEF_GAMMA]);\n"
                "    sub3(y + %d, y + %d, c);\n    }\n",
                b->v + 3, b->v + 3, b->v + 3, b->v + 3, b->v + 3);
        }
    }
}

/* y = hat(v)^T M v */
static void print_gyroscopic(gen *g)
{
    PUT("    memset(y, 0, %d * sizeof(real));\n    (void)w;\n    (void)v;\n", g->nv);
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        if (gen_is(b, MB_CHART_R3SO3)) {
            PUT("    {\n");
            gen_array(g, "J", b->J, 9);
            PUT("    real c[3];\n    mat3_mul_vec(c, J, 3, v + %d);\n    cross3(y + %d, c, v + %d);\n    }\n", b->v + 3,
                b->v + 3, b->v + 3);
        }
    }
}

static void print_residual(gen *g)
{
    gen_print_states(g, "w->q", "w->v", "w->vd", 1);
    gen_print_residual(g);
}

dal_status gen_print_rattlie(gen *g)
{
    gen_print_function_of(g, &(gen_function){"M v' + g + B^T lambda at the state of w.", "residual", "program_work *w",
                                             "w", .body = print_residual, .apart = 1});
    gen_print_function_of(
        g, &(gen_function){"What the turn of a step adds to M x: T^-T(-x) M x - M x, with sign -1 of -x.", "turn",
                           "const program_work *w, real y[], const real x[], double sign", .body = print_turn});
    gen_print_function_of(g,
                          &(gen_function){"hat(v)^T M v", "gyroscopic",
                                          "const program_work *w, real y[], const real v[]", .body = print_gyroscopic});
    return gen_print_saddle_parts(g);
}

/* ---- the step --------------------------------------------------------------------------------- */

static void print_units(gen *g)
{
    char text[GEN_NAME];
    PUT("    const double per_unit[] = {");
    for (int i = 0; i < g->nv; ++i) {
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, 1.0 / g->unit[i]));
    }
    PUT("};\n");
}

static void print_gammas(gen *g)
{
    double gamma[DAL_RATTLIE_SUBSTEPS];
    char text[GEN_NAME];
    const int n = dal_rattlie_substeps(gamma, g->opt.order);
    for (int i = 0; i < n; ++i) {
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, gamma[i]));
    }
}

static void print_accept(gen *g)
{
    static const char *const field[] = {"q", "v", "vd", "a", "vd_1", "vd_2", "la", "la_1"};
    const int n[] = {g->nq, g->nv, g->nv, g->nv, g->nv, g->nv, g->nc, g->nc};
    for (size_t k = 0; k < sizeof n / sizeof n[0]; ++k) {
        if (n[k] > 0) {
            PUT("    for (int i = 0; i < %d; ++i) {\n        s->%s[i] = real_select(solved, to.%s[i], s->%s[i]);\n    "
                "}\n",
                n[k], field[k], field[k], field[k]);
        }
    }
}

/* Lines that only models with constraints have. */
static const char *rows(const gen *g, const char *text)
{
    return g->nc > 0 ? text : "";
}

void gen_print_rattlie_step(gen *g)
{
    double gamma[DAL_RATTLIE_SUBSTEPS];
    const gen_factor h = gen_power_of_state(g, g->h, 1);
    const gen_key keys[] = {
        {"API", .text = g->api[0] ? "DEVICE" : ""},
        {"N_V", .count = g->nv},
        {"N_C", .count = g->nc},
        {"N_C1", .count = g->nc > 0 ? g->nc : 1},
        {"N_S", .count = g->nv + g->nc},
        {"N_A", .count = g->saddle_size > 0 ? g->saddle_size : 1},
        {"N_SUB", .count = dal_rattlie_substeps(gamma, g->opt.order)},
        {"H", .text = h.s},
        {"HEAD", .text = g->how->any_step ? "static inline int step_to(program_state *s, real t)\n"
                                          : "API int program_step(program_state *s)\n"},
        {"END", .text = g->how->any_step ? "t" : "s->t0 + (s->steps + one) * H"},
        {"UNITS", .print = print_units},
        {"GAMMAS", .print = print_gammas},
        {"ACCEPT", .print = print_accept},
        {"ACCEPT_MEMORY", .text = g->nmemory > 0 ? "    follow_turns(s, &w, solved);\n" : ""},
        // lambda^- at the start, and with what (RT.1) adds to it
        {"LA_FIRST", .text = rows(g, "    for (int i = 0; i < N_C; ++i) {\n        to.la_1[i] = "
                                     "real_select(real_less(s->steps, REAL(0.5)), s->la[i], s->la_1[i]);\n    }\n")},
        {"LA_START", .text = rows(g, "    memcpy(w->la, s->la_1, sizeof w->la);\n")},
        {"LA_PLUS",
         .text = rows(g, "        for (int i = 0; i < N_C; ++i) {\n            w->la[i] = s->la_1[i] + x[N_V "
                         "+ i] / hh;\n        }\n")},
        {"PHI", .text = rows(g, "        memcpy(c, y->Phi, sizeof c);\n")},
        {"VEL", .text = rows(g, "        memcpy(c, y->vel, sizeof c);\n")},
        {"ACC", .text = rows(g, "        memcpy(c, y->acc, sizeof c);\n")},
        {"LA_MINUS", .text = rows(g, "        for (int i = 0; i < N_C; ++i) {\n            w->la[i] += "
                                     "real_select(left, 2.0 / h * dx[N_V + i], REAL(0.0));\n        }\n")},
        {"KEEP_LA", .text = rows(g, "    memcpy(s->la_1, w->la, sizeof w->la);\n")},
        {"LA_CONSISTENT", .text = rows(g, "        for (int i = 0; i < N_C; ++i) {\n            w->la[i] += dx[N_V + "
                                          "i];\n        }\n")},
        {"PUT_LA", .text = rows(g, "    memcpy(s->la, w->la, sizeof w->la);\n")},
        {0}};
    gen_put_filled(g, gen_text_rattlie, keys);
    PUT("\n");
    gen_print_sizes(g);
}
