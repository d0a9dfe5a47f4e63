/* Forces: residuals, tangents, potentials, and the angles whose turns they count. */
#include <stdio.h>

#include "generate/generate_impl.h"

static const char *name_of(const gen *g, const mb_force *f)
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

/* Angles whose turns are counted, by their place in the memory of the library. */
static dal_status list_angles(gen *g)
{
    for (int n = 0; n < g->m->force_names.n; ++n) {
        const mb_force *f = &g->m->force[n];
        for (int k = 3; k < 6 && g->nmemory < GEN_ANGLES; ++k) {
            const mb_row row = is(f, "bushing") ? bushing_row(f, k) : f->row;
            const int counted = row.memory > 0 && (is(f, "bushing") ? bushing_acts(f, k) : k == 3);
            if (counted) {
                g->angle[g->nmemory++] = row.memory;
            }
        }
    }
    return g->nmemory < GEN_ANGLES
               ? DAL_OK
               : dal_fail(g->ctx, DAL_EINVAL, "generate: forces along more than %d angles", GEN_ANGLES - 1);
}

dal_status gen_forces(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        const int known = is_load(f) || is_along(f) || is(f, "bushing") || is(f, "drag") || is(f, "cartesian");
        if (!known) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: force '%s' is of type %s, which generated code does not have", name_of(g, f),
                            f->type->name);
        }
        if (f->d.switched) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: force '%s' is switched on or off, which generated code does not have: let a "
                            "function of time do it",
                            name_of(g, f));
        }
        if (f->d.function > 0) {
            DAL_TRY(gen_check_function(g, f->d.function, "force", name_of(g, f)));
        }
        if (f->d.characteristic > 0) {
            DAL_TRY(gen_check_function(g, f->d.characteristic, "force", name_of(g, f)));
        }
    }
    return list_angles(g);
}

/* Which of the angles of the program a row of the model is. */
static int angle_number(const gen *g, const mb_row *r)
{
    int k = 0;
    while (k < g->nmemory && g->angle[k] != r->memory) {
        ++k;
    }
    return k;
}

/* A number of the model as text. */
static void number_text(gen *g, char *to, size_t size, const double *value)
{
    gen_term_text(to, size, gen_number(g, value));
}

/* ---- along a coordinate ----------------------------------------------------------------------- */

/* Frames, gradient gr, coordinate c and its rate cd. */
static void print_along(gen *g, const mb_force *f, const mb_row *row, const char *t)
{
    gen_print_pairing(g, f->marker, 1, row->type->axes);
    PUT("    real gr[12], c;\n");
    gen_print_gradient(g, row, "gr");
    PUT("    const real cd = row_rate(gr, &P);\n");
    gen_print_phi(g, row, "c");
    if (row->memory > 0) {
        const int k = angle_number(g, row);
        PUT("    c = mb_nearest_turn(c, w->s->angle[%d] + w->s->rate[%d] * (%s - w->s->t)); // (MB.16)\n", k, k, t);
    }
}

/* e[2]: elongation and its rate */
static void print_elongation(gen *g, const mb_force *f, const char *t)
{
    char text[2 * GEN_NAME];
    PUT("    real e[2];\n");
    if (f->d.function > 0) {
        PUT("    real ref[3];\n");
        gen_print_function(g, f->d.function, "ref", t);
        PUT("    e[0] = c - ref[0];\n    e[1] = cd - ref[1];\n");
    } else {
        number_text(g, text, sizeof text, &f->d.reference);
        PUT("    e[0] = c - %s;\n    e[1] = cd;\n", text);
    }
}

static void print_normal_force(gen *g, const mb_force *f)
{
    const mb_joint *j = &g->m->joint[f->joint];
    const int row0 = g->m->constraint[j->first].row0;
    PUT("    real normal = REAL(1e-18);\n");
    for (int i = 0; i < j->type->force_rows; ++i) {
        PUT("    normal += w->la[%d] * w->la[%d];\n", row0 + i, row0 + i);
    }
    PUT("    normal = real_sqrt(normal);\n");
}

/* l[3] = Q, Qc, Qd */
static void print_law(gen *g, const mb_force *f, int k, const char *t)
{
    char a[2 * GEN_NAME], b[2 * GEN_NAME], c[2 * GEN_NAME];
    PUT("    real l[3];\n");
    if (is(f, "bushing")) {
        number_text(g, a, sizeof a, &f->d.stiffness6[k]);
        number_text(g, b, sizeof b, &f->d.damping6[k]);
        PUT("    l[0] = %s * c + %s * cd;\n    l[1] = %s;\n    l[2] = %s;\n", a, b, a, b);
    } else if (is(f, "actuator")) {
        PUT("    real y[3];\n");
        gen_print_function(g, f->d.function, "y", t);
        PUT("    l[0] = -y[0];\n    l[1] = l[2] = REAL(0.0);\n    (void)c;\n    (void)cd;\n");
    } else if (is(f, "friction")) {
        print_normal_force(g, f);
        number_text(g, a, sizeof a, &f->d.mu);
        number_text(g, c, sizeof c, &f->d.radius);
        number_text(g, b, sizeof b, &f->d.slip);
        PUT("    force_friction(l, %s * %s * normal, %s, cd);\n    (void)c;\n", a, c, b);
    } else {
        print_elongation(g, f, t);
        PUT("    real y[3];\n");
        if (f->d.characteristic > 0) {
            gen_print_function(g, f->d.characteristic, "y", "e[0]");
        } else {
            PUT("    memset(y, 0, sizeof y);\n");
        }
        number_text(g, a, sizeof a, &f->d.stiffness);
        number_text(g, b, sizeof b, &f->d.cubic);
        number_text(g, c, sizeof c, &f->d.damping);
        PUT("    force_spring(l, %s, %s, %s, e, y);\n", a, b, c);
        if (f->factor >= 0) {
            number_text(g, a, sizeof a, &f->d.integral);
            PUT("    l[0] += %s * w->q[%d];\n", a, f->q);
        }
    }
    if (k < 0 && f->row.memory > 0) {
        // an angle says nothing where its axis is nearly along the one it is about
        PUT("    l[0] = real_select(real_less(row_angle_of(%d, &P).rho2, REAL(0.0025)), REAL(NAN), l[0]);\n", f->row.i);
    }
}

static void print_along_residual(gen *g, const mb_force *f, const mb_row *row, int k)
{
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
    print_along(g, f, row, "w->t");
    print_law(g, f, k, "w->t");
    PUT("    for (int i = 0; i < 12; ++i) {\n        gr[i] *= l[0];\n    }\n");
    for (int i = 0; i < 2; ++i) {
        if (f->marker[i].body > 0) {
            PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], gr + %d, gr + %d);\n", g->body[f->marker[i].body].id, i,
                6 * i, 6 * i + 3);
        }
    }
    if (f->factor >= 0) {
        // the integral s of a pid: s' - e = 0 (MB.13)
        for (int n = 0; n < g->m->nconstraints; ++n) {
            const mb_constraint *c = &g->m->constraint[n];
            if (c->type == &mb_constraint_integral && c->force == (int)(f - g->m->force)) {
                char s[GEN_NAME];
                PUT("    w->r[%d] = w->la[%d];\n", f->v, c->row0);
                PUT("    w->r[%d] = %s * (w->v[%d] - e[0]);\n", g->nv + c->row0, gen_literal(s, sizeof s, g->s_vel),
                    f->v);
            }
        }
    }
    PUT("    }\n");
}

static void array_of(const gen *g, int i, int j, char kind, char *to, size_t size)
{
    if (i == j) {
        snprintf(to, size, "w->%c_%s", kind, g->body[i].id);
    } else {
        snprintf(to, size, "w->%c_%d_%d", kind, i, j);
    }
}

/* Columns of K of the integral of a pid, and its row. */
static void print_pid_tangent(gen *g, const mb_force *f)
{
    for (int n = 0; n < g->m->nconstraints; ++n) {
        const mb_constraint *c = &g->m->constraint[n];
        if (c->type != &mb_constraint_integral || c->force != (int)(f - g->m->force)) {
            continue;
        }
        gen_mat one = gen_identity(1);
        gen_scatter(g, f->v, g->nv + c->row0, 1.0, &one);
        gen_scatter(g, g->nv + c->row0, f->v, g->s_vel * g->gp, &one);
        const gen_term integral = gen_number(g, &f->d.integral);
        for (int i = 0; i < 2; ++i) {
            const int body = f->marker[i].body;
            gen_mat column = gen_zero(6, 1), row = gen_zero(1, 6);
            if (body == 0) {
                continue;
            }
            for (int k = 0; k < 6; ++k) {
                gen_expr e = {0};
                gen_expr_add(&e, 1.0, gen_name(1.0, "b%d[%d]", i, k), integral);
                column.e[k] = gen_expr_emit(g, "K", &e);
                row.e[k] = gen_name(-1.0, "b%d[%d]", i, k);
            }
            const gen_mat Kv = gen_tmul(g, "K", &g->body[body].S, &column), Z = gen_mul(g, "Z", &row, &g->body[body].S);
            gen_scatter(g, g->m->body[body].v, f->v, g->s, &Kv);
            gen_scatter(g, g->nv + c->row0, g->m->body[body].v, g->s_vel, &Z);
        }
    }
}

/* G = g mu radius tanh lambda^T/N in the columns of lambda */
static void print_friction_columns(gen *g, const mb_force *f)
{
    const mb_joint *j = &g->m->joint[f->joint];
    const int row0 = g->m->constraint[j->first].row0, n = j->type->force_rows;
    PUT("    const real slope = l[0] / (normal * normal);\n");
    for (int i = 0; i < 2; ++i) {
        const int body = f->marker[i].body;
        gen_mat G = gen_zero(6, n);
        if (body == 0) {
            continue;
        }
        for (int r = 0; r < n; ++r) {
            PUT("    const real slope%d_%d = slope * w->la[%d];\n", i, r, row0 + r);
            for (int k = 0; k < 6; ++k) {
                gen_expr e = {0};
                gen_expr_add(&e, 1.0, gen_name(1.0, "slope%d_%d", i, r), gen_name(1.0, "b%d[%d]", i, k));
                G.e[k + 6 * r] = gen_expr_emit(g, "G", &e);
            }
        }
        const gen_mat Gv = gen_tmul(g, "G", &g->body[body].S, &G);
        gen_scatter(g, g->m->body[body].v, g->nv + row0, 1.0, &Gv);
    }
}

static void print_along_tangent(gen *g, const mb_force *f, const mb_row *row, int k)
{
    const int rotational = row->type->rotational;
    const unsigned blocks = rotational ? 8U : 15U;
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
    print_along(g, f, row, "w->t");
    print_law(g, f, k, "w->t");
    gen_print_clear(g, rotational);
    PUT("    real z[12], f[12];\n");
    gen_print_hessian(g, row, "&H", "l[0]");
    gen_print_contract(g, row, "z");
    PUT("    for (int i = 0; i < 12; ++i) {\n        f[i] = l[0] * gr[i];\n    }\n");
    for (int i = 0; i < 2; ++i) {
        if (f->marker[i].body > 0) {
            PUT("    real b%d[6], y%d[6];\n    mb_gradient_to_body(b%d, &P.side[%d], gr + %d);\n", i, i, i, i, 6 * i);
            PUT("    mb_rate_to_body(y%d, &P.side[%d], z + %d, gr + %d);\n", i, i, 6 * i, 6 * i);
        }
    }
    for (int e = 0; e < 4; ++e) {
        const int i = e / 2, j = e % 2, bi = f->marker[i].body, bj = f->marker[j].body;
        char K[3 * GEN_NAME], C[3 * GEN_NAME];
        if (bi == 0 || bj == 0) {
            continue;
        }
        array_of(g, bi, bj, 'K', K, sizeof K);
        array_of(g, bi, bj, 'C', C, sizeof C);
        PUT("    mb_hessian_to_body(%s, &H, &P, %d, %d, %d);\n", K, i, j, rotational);
        if (i == j) {
            PUT("    mb_arm_terms(%s, &P.side[%d], f + %d, f + %d);\n", K, i, 6 * i, 6 * i + 3);
        }
        PUT("    force_along_pair(%s, %s, b%d, b%d, y%d, l[1], l[2]);\n", K, C, i, j, j);
        gen_pair *p = gen_pair_of(g, bi, bj);
        p->K |= blocks;
        p->C |= blocks;
    }
    if (f->factor >= 0) {
        print_pid_tangent(g, f);
    }
    if (is(f, "friction")) {
        print_friction_columns(g, f);
    }
    PUT("    }\n");
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
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
    print_load(g, f);
    PUT("    real o[3];\n    memset(o, 0, sizeof o);\n    scale3(F, REAL(-1.0), F);\n");
    PUT("    mb_add_wrench(w->r6_%s, &P.side[1], %s);\n    }\n", id, is(f, "torque") ? "o, F" : "F, o");
}

static void print_load_tangent(gen *g, const mb_force *f)
{
    const char *id = g->body[f->marker[1].body].id;
    const int torque = is(f, "torque");
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
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
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
    gen_print_pairing(g, f->marker, 1, 0);
    number_text(g, a, sizeof a, &f->d.damping);
    number_text(g, b, sizeof b, &f->d.quadratic);
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
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
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
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
    print_cartesian(g, f);
    for (int k = 0; k < 4; ++k) {
        const int i = k / 2, j = k % 2, bi = f->marker[i].body, bj = f->marker[j].body;
        const char *sign = i == j ? "" : "-";
        char K[3 * GEN_NAME], C[3 * GEN_NAME];
        if (bi == 0 || bj == 0) {
            continue;
        }
        array_of(g, bi, bj, 'K', K, sizeof K);
        array_of(g, bi, bj, 'C', C, sizeof C);
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
    if (is_load(f)) {
        (tangent ? print_load_tangent : print_load_residual)(g, f);
    } else if (is(f, "drag")) {
        print_drag(g, f, tangent);
    } else if (is(f, "cartesian")) {
        (tangent ? print_cartesian_tangent : print_cartesian_residual)(g, f);
    } else if (is(f, "bushing")) {
        for (int k = 0; k < 6; ++k) {
            const mb_row row = bushing_row(f, k);
            if (bushing_acts(f, k)) {
                (tangent ? print_along_tangent : print_along_residual)(g, f, &row, k);
            }
        }
    } else {
        (tangent ? print_along_tangent : print_along_residual)(g, f, &f->row, -1);
    }
}

void gen_print_force_residuals(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        print_force(g, &g->m->force[k], 0);
    }
}

void gen_print_force_tangents(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        print_force(g, &g->m->force[k], 1);
    }
}

/* Angles at an accepted state (MB.16). */
static void print_follow(gen *g, const mb_force *f, const mb_row *row)
{
    const int k = angle_number(g, row);
    char h[GEN_NAME];
    mb_row within = *row;
    within.memory = 0;
    PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
    print_along(g, f, &within, "w->t");
    gen_literal(h, sizeof h, g->h);
    PUT("    const real last = s->angle[%d], slope = s->rate[%d], mean = last + 0.5 * %s * (slope + cd);\n", k, k, h);
    PUT("    const real angle = mb_nearest_turn(c, mean), seen = mb_nearest_turn(c, last + slope * %s);\n", h);
    PUT("    lost = lost | real_less(REAL(%.17g), real_abs(angle - mean)) | real_less(REAL(1.0), real_abs(angle - "
        "seen));\n",
        0.25 * MB_TURN);
    PUT("    s->angle[%d] = real_select(solved, angle, last);\n    s->rate[%d] = real_select(solved, cd, slope);\n    "
        "}\n",
        k, k);
}

void gen_print_memory(gen *g)
{
    if (g->nmemory == 0) {
        return;
    }
    PUT("/* Angles whose turns are counted, at the end of the step; where they cannot be, the run has failed (MB.16). "
        "*/\n");
    PUT("static inline void follow_turns(%s_state *s, const %s_work *w, real_mask solved)\n{\n", g->name, g->name);
    if (g->nslots > 0) {
        PUT("    const real *k = w->s->k;\n    (void)k;\n");
    }
    PUT("    real_mask lost = real_all(0);\n");
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        if (is(f, "bushing")) {
            for (int i = 3; i < 6; ++i) {
                const mb_row row = bushing_row(f, i);
                if (row.memory > 0 && bushing_acts(f, i)) {
                    print_follow(g, f, &row);
                }
            }
        } else if (f->row.memory > 0) {
            print_follow(g, f, &f->row);
        }
    }
    PUT("    s->failed = s->failed | (solved & lost);\n}\n\n");
}

static void print_spring_potential(gen *g, const mb_force *f)
{
    char a[2 * GEN_NAME], b[2 * GEN_NAME];
    print_along(g, f, &f->row, "w->t");
    print_elongation(g, f, "w->t");
    number_text(g, a, sizeof a, &f->d.stiffness);
    number_text(g, b, sizeof b, &f->d.cubic);
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
        PUT("    { // force %s\n", gen_comment(name_of(g, f)).s);
        if (is(f, "spring")) {
            print_spring_potential(g, f);
        } else if (is(f, "bushing")) {
            for (int k = 0; k < 6; ++k) {
                const mb_row row = bushing_row(f, k);
                if (f->d.stiffness6[k] != 0.0) {
                    number_text(g, a, sizeof a, &f->d.stiffness6[k]);
                    PUT("    {\n");
                    print_along(g, f, &row, "w->t");
                    PUT("    (void)cd;\n    V += 0.5 * %s * c * c;\n    }\n", a);
                }
            }
        } else if (is(f, "cartesian")) {
            print_cartesian(g, f);
            PUT("    (void)F;\n    for (int i = 0; i < 3; ++i) {\n        V += 0.5 * stiffness[i] * e[i] * e[i];\n    "
                "}\n");
        } else if (is(f, "force") && !f->d.follower && f->d.function == DAL_NO_FUNCTION) {
            print_load(g, f);
            PUT("    V -= dot3(F, P.side[1].p);\n");
        }
        PUT("    }\n");
    }
}
