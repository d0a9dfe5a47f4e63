/* Steps of RATTLie (docs/theory/rattlie.md): what is the same for all models stands in rattlie.txt. */
#include <stdio.h>

#include "generate/flexible_impl.h"
#include "integrate/integrator.h"

int gen_rattlie(const gen *g)
{
    return g->opt.integrator == DAL_INTEGRATOR_RATTLIE;
}

/* Do rows of velocities hold the way of a step (RT.9)? */
static int midway(const gen *g)
{
    return g->nh < g->nc && g->opt.order > 4;
}

/* Does M of this body stay the same, with turns of SO(3) at most? */
static int constant(const mb_body *b)
{
    return b->centred && (gen_is(b, MB_CHART_R3SO3) || gen_is(b, MB_CHART_POINT) || gen_is(b, MB_CHART_PLANAR));
}

/* Where rows of velocities do not hold the way, M alone must be regular: what they alone hold has no mass. */
dal_status gen_rattlie_check(const gen *g)
{
    const dal_model *m = g->m;
    static const char remedy[] = "integrator = genalpha takes it, or the library with rattlie";
    for (int i = 1; i < m->body_names.n; ++i) {
        const mb_body *b = &m->body[i];
        if (b->flex || gen_is_node(b)) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: programs with integrator = rattlie have rigid bodies, body '%s' is flexible. %s",
                            m->body_names.name[i], remedy);
        }
        if (g->nh < g->nc && !midway(g) && g->body[i].massless) {
            return dal_fail(
                g->ctx, DAL_EINVAL,
                "generate: body '%s' has no mass in some direction, which programs with integrator = rattlie "
                "and rows of velocities take with order 6 and 8 only. %s",
                m->body_names.name[i], remedy);
        }
    }
    for (int k = 0; k < m->nconstraints; ++k) {
        if (m->constraint[k].type->form == MB_FORM_COEFFICIENTS) { // no rates of them are printed
            return dal_fail(
                g->ctx, DAL_EINVAL,
                "generate: programs with integrator = rattlie take no joints of type pfaffian, as '%s' is. %s",
                gen_joint_name(g, &m->constraint[k]), remedy);
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        if (m->force[k].factor >= 0 || m->force[k].type->element.mass ||
            strcmp(m->force[k].type->name, "friction") == 0 || strcmp(m->force[k].type->name, "contact") == 0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: programs with integrator = rattlie have no force '%s' of type %s. %s",
                            m->force_names.name[k], m->force[k].type->name, remedy);
        }
    }
    if (g->nleft_out > 0) {
        return dal_fail(g->ctx, DAL_EINVAL, "generate: programs with integrator = rattlie take no redundant rows. %s",
                        remedy);
    }
    return DAL_OK;
}

/* y = T^-T(-sign x) c of the rotation of a body, which is T^-1(sign x) c there. */
static void print_rotated_back(gen *g, const mb_body *b, const char *c)
{
    PUT("    real theta[3], coef[COEF_USED];\n    for (int i = 0; i < 3; ++i) {\n        theta[i] = sign * x[%d + i];\n"
        "    }\n    angle_local(coef, dot3(theta, theta));\n    so3_inv_tangent_times(y + %d, theta, %s, "
        "coef[COEF_GAMMA]);\n",
        b->v + 3, b->v + 3, c);
}

/* y = T^-T(-sign x) c of a body */
static void print_turned_back(gen *g, const mb_body *b)
{
    const gen_chart t = *gen_chart_of(b);
    PUT("    memcpy(y + %d, c, sizeof c);\n", b->v);
    if (gen_flat(b)) {
        return;
    }
    if (gen_is(b, MB_CHART_R3SO3)) {
        print_rotated_back(g, b, "c + 3");
        return;
    }
    PUT("    real u[%d], T[%d], Ti[%d], coef[COEF_USED];\n", t.n, t.n * t.n, t.n * t.n);
    PUT("    for (int i = 0; i < %d; ++i) {\n        u[i] = -sign * x[%d + i];\n    }\n", t.n, b->v);
    PUT("    %s(coef, %s);\n    %s_tangent(T, u, coef);\n    %s;\n", t.coefficients, t.about_z ? "u[2]" : "u + 3",
        t.group, t.n == 6 ? "se3_invert(Ti, T)" : "mat3_invert(Ti, 3, T, 3)");
    PUT("    for (int i = 0; i < %d; ++i) {\n        y[%d + i] = REAL(0.0);\n        for (int j = 0; j < %d; ++j) {\n"
        "            y[%d + i] += Ti[j + %d * i] * c[j];\n        }\n    }\n",
        t.n, b->v, t.n, b->v, t.n);
}

/* p = M x of a body at q; slope, if so: D_q(x^T M x/2), by its frame and by S (MB.2). */
static void print_momentum(gen *g, int i, const char *p, const char *q, int slope)
{
    const gen_body *B = &g->body[i];
    PUT("    {\n    real P[6], turn[6];\n");
    gen_print_state(g, i, q, "x", "x", 1);
    PUT("    inertia_momentum(P, turn, m[0], mc, J, &w->s_%s);\n", B->id);
    gen_print_transposed(g, p, 0, "=", &B->S, "P");
    if (slope) {
        gen_print_transposed(g, "slope", 0, "=", &B->S, "turn");
        gen_print_transposed(g, "slope", 0, "+=", &B->V, "P");
    }
    PUT("    }\n");
}

/* A body with M(q) (RT.5): T^-T(-sign x) (M(q) + M(other))/2 x - M(q) x - sign D_q(x^T M x/2)/2 */
static void print_turn_varying(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const int nv = b->type->nv;
    gen_print_mass(g, i);
    PUT("    real p[%d], c[%d], slope[%d];\n    (void)gravity;\n", nv, nv, nv);
    print_momentum(g, i, "c", "other", 0);
    print_momentum(g, i, "p", "q", 1);
    PUT("    for (int i = 0; i < %d; ++i) {\n        c[i] = 0.5 * (c[i] + p[i]);\n    }\n", nv);
    print_turned_back(g, b);
    PUT("    for (int i = 0; i < %d; ++i) {\n        y[%d + i] -= p[i] + 0.5 * sign * slope[i];\n    }\n", nv, b->v);
}

/* Opens the block of a body, which becomes a piece if it uses all arguments. */
static void print_open(gen *g, int i)
{
    if (constant(&g->m->body[i])) {
        PUT("    {\n");
    } else {
        PUT("    { // %s\n", gen_comment(g->m->body_names.name[i]).s);
    }
}

static void print_turn(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        if (constant(b) && gen_flat(b)) {
            continue;
        }
        print_open(g, i);
        if (constant(b)) {
            gen_array(g, "J", b->J, 9);
            PUT("    real c[3];\n    mat3_mul_vec(c, J, 3, x + %d);\n", b->v + 3);
            print_rotated_back(g, b, "c");
            PUT("    sub3(y + %d, y + %d, c);\n", b->v + 3, b->v + 3);
        } else {
            print_turn_varying(g, i);
        }
        PUT("    }\n");
    }
}

static void print_first(gen *g)
{
    PUT("    memset(y, 0, %d * sizeof(real));\n    (void)w;\n    (void)x;\n", g->nv);
}

static void print_turn_first(gen *g)
{
    print_first(g);
    PUT("    (void)q;\n    (void)other;\n    (void)sign;\n");
}

/* y = hat(x)^T M x, where M depends on q less N(x) x - N(x)^T x/2 (RT.6): all inertia forces there are, with another sign. */
static void print_gyroscopic(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        if (constant(b) && gen_flat(b)) {
            continue;
        }
        print_open(g, i);
        if (constant(b)) {
            gen_array(g, "J", b->J, 9);
            PUT("    real c[3];\n    mat3_mul_vec(c, J, 3, x + %d);\n    cross3(y + %d, c, x + %d);\n", b->v + 3,
                b->v + 3, b->v + 3);
        } else {
            gen_print_mass(g, i);
            PUT("    real r6[6], none[3];\n    memset(r6, 0, sizeof r6);\n    memset(none, 0, sizeof none);\n"
                "    (void)gravity;\n");
            gen_print_state(g, i, "w->q", "x", "y", 1); // y is still zero
            PUT("    inertia_residual(r6, m[0], mc, J, %d, &w->s_%s, none);\n", b->centred, g->body[i].id);
            gen_print_transposed(g, "y", b->v, "-=", &g->body[i].S, "r6");
        }
        PUT("    }\n");
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
        g, &(gen_function){
               "What a step x adds to M(q) x, q one of its ends (RT.5): T^-T(-x) Mb x - M x - D_q(x^T M x/2)/2, at "
               "its end with sign -1 of -x.",
               "turn", "program_work *w, real y[], const real q[], const real other[], const real x[], double sign",
               "w, y, q, other, x, sign", print_turn_first, print_turn, .apart = 1});
    gen_print_function_of(g, &(gen_function){"Inertia forces of velocities x, to be added to g: then it has none.",
                                             "gyroscopic", "program_work *w, real y[], const real x[]", "w, y, x",
                                             print_first, print_gyroscopic, .apart = 1});
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

/* Rows of velocities, by their numbers. */
static void print_free_rows(gen *g)
{
    const char *comma = "";
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        for (int i = 0; i < c->nrows && c->nonholonomic; ++i) {
            PUT("%s%d", comma, c->row0 + i);
            comma = ", ";
        }
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
    const int some = g->nh < g->nc, way = midway(g), carried = some && !way;
    const gen_factor h = gen_power_of_state(g, g->h, 1);
    const gen_key keys[] = {
        {"API", .text = g->api[0] ? "DEVICE" : ""},
        {"N_Q", .count = g->nq},
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
        {"N_F", .count = g->nc - g->nh},
        {"FREE_ROWS", .print = print_free_rows},
        {"FREE_FUNCTIONS", .text = way       ? gen_text_rattlie_midway
                                   : carried ? gen_text_rattlie_free
                                             : ""},
        {"BOUND",
         .text = carried
                     ? "    real Z[N_F][N_S], S[N_F][N_F];\n    memset(Z, 0, sizeof Z);\n    memset(S, 0, sizeof S);\n"
                     : ""},
        {"BIND", .text = carried ? "            rattlie_bind(Z, S, A);\n" : ""},
        {"LET_GO", .text = carried ? "        rattlie_let_go(dx, Z, S);\n" : ""},
        {"MIDWAY", .text = way ? "        rattlie_midway(w, y, s, c, x, h);\n" : ""},
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
