/* Forces: residuals, tangents, potentials. */
#include <stdio.h>

#include "generate/contacts_impl.h"
#include "generate/expressions_impl.h"

const char *gen_force_name(const gen *g, const mb_force *f)
{
    return g->m->force_names.name[f - g->m->force];
}

static int is(const mb_force *f, const char *type)
{
    return strcmp(f->type->name, type) == 0;
}

static int is_load(const mb_force *f)
{
    return is(f, "force") || is(f, "torque");
}

/* Forces along one coordinate. */
static int is_along(const mb_force *f)
{
    return is(f, "spring") || is(f, "pd") || is(f, "pid") || is(f, "actuator") || is(f, "friction");
}

static mb_row bushing_row(const mb_force *f, int k)
{
    mb_row row = mb_coordinate_row(k < 3 ? DAL_COORDINATE_TRANSLATION : DAL_COORDINATE_ROTATION, k % 3);
    row.memory = k >= 3 && f->memory > 0 ? f->memory + 2 * (k - 3) : 0;
    return row;
}

static int bushing_acts(const mb_force *f, int k)
{
    return f->d.stiffness6[k] != 0.0 || f->d.damping6[k] != 0.0;
}

/* Forces along a coordinate and states: those of files are expressions. */
static int is_law(const mb_force *f)
{
    return is(f, "law") || is(f, "state");
}

/* All functions that a force follows or calls. */
static dal_status check_functions(gen *g, const mb_force *f)
{
    const char *name = gen_force_name(g, f);
    const dal_expression *e = is_law(f) ? dal_io_formula_of_law(&f->d).e : NULL;
    for (int at = 0, called; e && (called = dal_expression_called(e, &at)) > 0;) {
        DAL_TRY(gen_check_function(g, called, "force", name));
    }
    DAL_TRY(f->d.function > 0 ? gen_check_function(g, f->d.function, "force", name) : DAL_OK);
    return f->d.characteristic > 0 ? gen_check_function(g, f->d.characteristic, "force", name) : DAL_OK;
}

dal_status gen_forces(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        const int known = is_load(f) || is_along(f) || is(f, "bushing") || is(f, "drag") || is(f, "cartesian") ||
                          is(f, "armature") || is(f, "contact") || is_law(f);
        if (!known) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: force '%s' is of type %s, which generated code does not have",
                            gen_force_name(g, f), f->type->name);
        }
        DAL_TRY(is(f, "contact") ? gen_contact_check(g, f) : DAL_OK);
        for (int i = 0; f->input && i < f->d.ninputs; ++i) {
            if (f->input[i].reaction >= 0) {
                return dal_fail(g->ctx, DAL_EINVAL,
                                "generate: force '%s' depends on the reaction of joint '%s', which generated code does "
                                "not have for laws",
                                gen_force_name(g, f), g->m->joint_names.name[f->input[i].reaction]);
            }
        }
        if (is_law(f) && !dal_io_formula_of_law(&f->d).e) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: the value of force '%s' is a callback, which generated code does not have",
                            gen_force_name(g, f));
        }
        DAL_TRY(check_functions(g, f));
    }
    return gen_angles(g);
}

/* ---- loads, drag, cartesian springs ----------------------------------------------------------- */

/* F[3] of a load on body B. */
static void print_load(gen *g, const mb_force *f)
{
    gen_print_pairing(g, f->marker, 0, f->d.follower ? MB_AXES_B : 0U);
    PUT("    real F[3];\n    ");
    gen_array(g, "vector", f->d.vector, 3);
    if (f->d.function > 0) {
        PUT("    real y[3];\n");
        gen_print_function(g, f->d.function, "y", "w->t");
    }
    if (f->d.follower) {
        PUT("    real u[3];\n    scale3(u, %s, vector);\n    mat3_mul_vec(F, P.side[1].E, 3, u);\n",
            f->d.function > 0 ? "y[0]" : "REAL(1.0)");
    } else {
        PUT("    scale3(F, %s, vector);\n", f->d.function > 0 ? "y[0]" : "REAL(1.0)");
    }
}

static void print_load_residual(gen *g, const mb_force *f)
{
    const char *id = g->body[f->marker[1].body].id;
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    print_load(g, f);
    PUT("    real o[3];\n    memset(o, 0, sizeof o);\n    scale3(F, REAL(-1.0), F);\n");
    PUT("    mb_add_wrench(w->r6_%s, &P.side[1], %s);\n    }\n", id, is(f, "torque") ? "o, F" : "F, o");
}

static void print_load_tangent(gen *g, const mb_force *f)
{
    const char *id = g->body[f->marker[1].body].id;
    const int torque = is(f, "torque");
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    print_load(g, f);
    PUT("    real o[3], back[3];\n    memset(o, 0, sizeof o);\n    scale3(back, REAL(-1.0), F);\n");
    PUT("    mb_arm_terms(w->K_%s, &P.side[1], %s);\n", id, torque ? "o, back" : "back, NULL");
    if (!torque) {
        PUT("    (void)o;\n");
    }
    gen_pair_of(g, f->marker[1].body, f->marker[1].body)->K |= 8U;
    if (f->d.follower) {
        PUT("    mb_hessian H;\n    memset(&H, 0, sizeof H);\n    add_tilde(H.H[1][%d][1][1], REAL(1.0), F);\n",
            torque);
        PUT("    mb_hessian_to_body(w->K_%s, &H, &P, 1, 1, 0);\n", id);
        gen_pair_of(g, f->marker[1].body, f->marker[1].body)->K |= 15U;
    }
    PUT("    }\n");
}

static void print_drag(gen *g, const mb_force *f, int tangent)
{
    const int body = f->marker[1].body;
    const char *id = g->body[body].id;
    char a[2 * GEN_NAME], b[2 * GEN_NAME];
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    gen_print_pairing(g, f->marker, 1, 0);
    gen_number_text(g, a, sizeof a, &f->d.damping);
    gen_number_text(g, b, sizeof b, &f->d.quadratic);
    PUT("    real F[3], D[9];\n    force_drag(F, D, %s, %s, P.side[1].pd);\n", a, b);
    if (!tangent) {
        PUT("    real o[3];\n    memset(o, 0, sizeof o);\n    mb_add_wrench(w->r6_%s, &P.side[1], F, o);\n    }\n", id);
        return;
    }
    PUT("    mb_hessian HC, HK;\n    real turn[3];\n    memset(&HC, 0, sizeof HC);\n    memset(&HK, 0, sizeof HK);\n");
    PUT("    memcpy(HC.H[1][0][1][0], D, sizeof D);\n    scale3(turn, REAL(-1.0), P.side[1].ws);\n"
        "    mul_tilde(HK.H[1][0][1][1], 3, D, turn);\n");
    PUT("    mb_hessian_to_body(w->C_%s, &HC, &P, 1, 1, 0);\n    mb_hessian_to_body(w->K_%s, &HK, &P, 1, 1, 0);\n"
        "    mb_arm_terms(w->K_%s, &P.side[1], F, NULL);\n    }\n",
        id, id, id);
    gen_pair_of(g, body, body)->K |= 15U;
    gen_pair_of(g, body, body)->C |= 15U;
}

/* e, ed, F of springs along the axes of the world */
static void print_cartesian(gen *g, const mb_force *f)
{
    gen_print_pairing(g, f->marker, 1, 0);
    PUT("    ");
    gen_array(g, "rest", f->d.vector, 3);
    PUT("    ");
    gen_array(g, "stiffness", f->d.stiffness6, 3);
    PUT("    ");
    gen_array(g, "damping", f->d.damping6, 3);
    PUT("    real e[3], ed[3], F[3];\n    sub3(e, P.d, rest);\n    sub3(ed, P.side[1].pd, P.side[0].pd);\n");
    PUT("    for (int i = 0; i < 3; ++i) {\n        F[i] = stiffness[i] * e[i] + damping[i] * ed[i];\n    }\n");
}

static void print_cartesian_residual(gen *g, const mb_force *f)
{
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    print_cartesian(g, f);
    PUT("    real o[3], own[3];\n    memset(o, 0, sizeof o);\n");
    for (int i = 0; i < 2; ++i) {
        if (f->marker[i].body > 0) {
            PUT("    scale3(own, REAL(%s), F);\n    mb_add_wrench(w->r6_%s, &P.side[%d], own, o);\n",
                i == 0 ? "-1.0" : "1.0", g->body[f->marker[i].body].id, i);
        }
    }
    PUT("    }\n");
}

static void print_cartesian_tangent(gen *g, const mb_force *f)
{
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    print_cartesian(g, f);
    for (int k = 0; k < 4; ++k) {
        const int i = k / 2, j = k % 2, bi = f->marker[i].body, bj = f->marker[j].body;
        const char *sign = i == j ? "" : "-";
        char K[3 * GEN_NAME], C[3 * GEN_NAME];
        if (bi == 0 || bj == 0) {
            continue;
        }
        gen_pair_text(g, bi, bj, 'K', K, sizeof K);
        gen_pair_text(g, bi, bj, 'C', C, sizeof C);
        PUT("    {\n    mb_hessian HC, HK;\n    real turn[3];\n    memset(&HC, 0, sizeof HC);\n    memset(&HK, 0, "
            "sizeof HK);\n");
        PUT("    for (int i = 0; i < 3; ++i) {\n        HC.H[%d][0][%d][0][4 * i] = %sdamping[i];\n        "
            "HK.H[%d][0][%d][0][4 * i] "
            "= %sstiffness[i];\n    }\n",
            i, j, sign, i, j, sign);
        PUT("    scale3(turn, REAL(-1.0), P.side[%d].ws);\n    mul_tilde(HK.H[%d][0][%d][1], 3, HC.H[%d][0][%d][0], "
            "turn);\n",
            j, i, j, i, j);
        PUT("    mb_hessian_to_body(%s, &HC, &P, %d, %d, 0);\n    mb_hessian_to_body(%s, &HK, &P, %d, %d, 0);\n", C, i,
            j, K, i, j);
        if (i == j) {
            PUT("    real own[3];\n    scale3(own, REAL(%s), F);\n    mb_arm_terms(%s, &P.side[%d], own, NULL);\n",
                i == 0 ? "-1.0" : "1.0", K, i);
        }
        PUT("    }\n");
        gen_pair *p = gen_pair_of(g, bi, bj);
        p->K |= 15U;
        p->C |= 15U;
    }
    PUT("    (void)F;\n    }\n");
}

/* ---- all -------------------------------------------------------------------------------------- */

static void print_force(gen *g, const mb_force *f, int tangent)
{
    gen_open_switched(g, f);
    if (is_load(f)) {
        (tangent ? print_load_tangent : print_load_residual)(g, f);
    } else if (is(f, "drag")) {
        print_drag(g, f, tangent);
    } else if (is(f, "cartesian")) {
        (tangent ? print_cartesian_tangent : print_cartesian_residual)(g, f);
    } else if (is(f, "armature")) {
        (tangent ? gen_print_armature_tangent : gen_print_armature_residual)(g, f);
    } else if (is(f, "contact")) {
        (tangent ? gen_print_contact_tangent : gen_print_contact_residual)(g, f);
    } else if (is(f, "law")) {
        (tangent ? gen_print_law_tangent : gen_print_law_residual)(g, f);
    } else if (is(f, "state")) {
        (tangent ? gen_print_state_tangent : gen_print_state_residual)(g, f);
    } else if (is(f, "bushing")) {
        for (int k = 0; k < 6; ++k) {
            const mb_row row = bushing_row(f, k);
            if (bushing_acts(f, k)) {
                (tangent ? gen_print_along_tangent : gen_print_along_residual)(g, f, &row, k);
            }
        }
    } else {
        (tangent ? gen_print_along_tangent : gen_print_along_residual)(g, f, &f->row, -1);
    }
    gen_close_switched(g, f);
}

void gen_print_force_residual(gen *g, const mb_force *f)
{
    print_force(g, f, 0);
}

void gen_print_force_residuals(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        print_force(g, &g->m->force[k], 0);
    }
    gen_print_beam_residuals(g);
}

void gen_print_force_tangents(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        print_force(g, &g->m->force[k], 1);
    }
    gen_print_beam_tangents(g);
}

static void print_spring_potential(gen *g, const mb_force *f)
{
    char a[2 * GEN_NAME], b[2 * GEN_NAME];
    gen_print_along(g, f->marker, &f->row, "w->t");
    gen_print_elongation(g, f, "w->t");
    gen_number_text(g, a, sizeof a, &f->d.stiffness);
    gen_number_text(g, b, sizeof b, &f->d.cubic);
    PUT("    V += 0.5 * %s * e[0] * e[0] + 0.25 * %s * e[0] * e[0] * e[0] * e[0];\n", a, b);
    if (f->d.characteristic > 0) {
        PUT("    const double node[5] = {-0.906179845938664, -0.5384693101056831, 0.0, 0.5384693101056831, "
            "0.906179845938664};\n");
        PUT("    const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, "
            "0.4786286704993665,\n"
            "                              0.2369268850561891};\n");
        PUT("    for (int i = 0; i < 320; ++i) {\n    real y[3];\n    const real elongation = e[0] / 64.0 * (i / 5 + "
            "0.5 * "
            "(1.0 + node[i %% "
            "5]));\n    (void)elongation;\n");
        gen_print_function(g, f->d.characteristic, "y", "elongation");
        PUT("    V += weight[i %% 5] * y[0] * e[0] / 128.0;\n    }\n");
    }
}

void gen_print_potentials(gen *g)
{
    char a[2 * GEN_NAME];
    for (int n = 0; n < g->m->force_names.n; ++n) {
        const mb_force *f = &g->m->force[n];
        gen_open_switched(g, f);
        PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
        if (is(f, "spring")) {
            print_spring_potential(g, f);
        } else if (is(f, "bushing")) {
            for (int k = 0; k < 6; ++k) {
                const mb_row row = bushing_row(f, k);
                if (f->d.stiffness6[k] != 0.0) {
                    gen_number_text(g, a, sizeof a, &f->d.stiffness6[k]);
                    PUT("    {\n");
                    gen_print_along(g, f->marker, &row, "w->t");
                    PUT("    (void)cd;\n    V += 0.5 * %s * c * c;\n    }\n", a);
                }
            }
        } else if (is(f, "armature")) {
            gen_number_text(g, a, sizeof a, &f->d.inertia);
            gen_print_along(g, f->marker, &f->row, "w->t");
            PUT("    (void)c;\n    T += 0.5 * %s * cd * cd;\n", a);
        } else if (is(f, "contact")) {
            gen_print_contact_sum(g, f, "V", "V");
        } else if (is(f, "cartesian")) {
            print_cartesian(g, f);
            PUT("    (void)F;\n    for (int i = 0; i < 3; ++i) {\n        V += 0.5 * stiffness[i] * e[i] * e[i];\n    "
                "}\n");
        } else if (is(f, "force") && !f->d.follower && f->d.function == DAL_NO_FUNCTION) {
            print_load(g, f);
            PUT("    V -= dot3(F, P.side[1].p);\n");
        }
        PUT("    }\n");
        gen_close_switched(g, f);
    }
    gen_print_beam_potentials(g);
}

/* ---- exchange of energy (MB.14) --------------------------------------------------------------- */

/* All that it exerts is fed in; is lost. */
static int feeds(const mb_force *f)
{
    const int potential = is(f, "force") && !f->d.follower && f->d.function == DAL_NO_FUNCTION;
    return (is_load(f) && !potential) || is(f, "actuator") || is(f, "pd") || is(f, "pid") || is(f, "law");
}

static int loses(const mb_force *f)
{
    return is(f, "drag") || is(f, "friction");
}

int gen_exchange_known(const mb_force *f)
{
    return !f->type->element.exchange || is_load(f) || feeds(f) || loses(f) || is(f, "spring") || is(f, "bushing") ||
           is(f, "contact") || is(f, "cartesian");
}

static void print_bushing_loss(gen *g, const mb_force *f, const char *to)
{
    for (int k = 0; k < 6; ++k) {
        const mb_row row = bushing_row(f, k);
        if (f->d.damping6[k] != 0.0) {
            char a[2 * GEN_NAME];
            gen_number_text(g, a, sizeof a, &f->d.damping6[k]);
            PUT("    {\n");
            gen_print_along(g, f->marker, &row, "w->t");
            PUT("    (void)c;\n    %s += %s * cd * cd;\n    }\n", to, a);
        }
    }
}

static void print_spring_exchange(gen *g, const mb_force *f, int fed, const char *to)
{
    char a[2 * GEN_NAME];
    gen_number_text(g, a, sizeof a, &f->d.damping);
    PUT("    {\n    real Q;\n");
    gen_print_along_value(g, f, "Q");
    if (fed) {
        PUT("    %s -= Q * (cd - e[1]);\n    }\n", to);
    } else {
        PUT("    (void)Q;\n    %s += %s * e[1] * e[1];\n    }\n", to, a);
    }
}

void gen_print_exchange(gen *g, const mb_force *f, int fed, const char *to)
{
    gen_open_switched(g, f);
    if (feeds(f) == fed && (feeds(f) || loses(f))) {
        gen_print_force_power(g, f, to, fed ? "" : "-");
    } else if (is(f, "spring") && (!fed || f->d.function > 0)) {
        print_spring_exchange(g, f, fed, to);
    } else if (is(f, "bushing") && !fed) {
        print_bushing_loss(g, f, to);
    } else if (is(f, "contact") && !fed) {
        gen_print_contact_sum(g, f, "lost", to);
    } else if (is(f, "cartesian") && !fed) {
        PUT("    {\n");
        print_cartesian(g, f);
        PUT("    (void)F;\n    for (int i = 0; i < 3; ++i) {\n        %s += damping[i] * ed[i] * ed[i];\n    }\n    "
            "}\n",
            to);
    }
    gen_close_switched(g, f);
}
