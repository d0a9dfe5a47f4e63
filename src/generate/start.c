/* The start of a member by generated code: q, v, v', lambda that are consistent with the parameters given, and the starting
 * values of the algorithm, as the library computes them (docs/theory/initial.md). */
#include <stdio.h>
#include <string.h>

#include "generate/flexible_impl.h"

/* ---- q exp(x) --------------------------------------------------------------------------------- */

static void print_move_flat(gen *g, int q, int v, int n)
{
    if (n > 0) {
        PUT("    for (int i = 0; i < %d; ++i) {\n        q1[%d + i] = q[%d + i] + x[%d + i];\n    }\n", n, q, q, v);
    }
}

static void print_move_of(gen *g, const mb_body *b)
{
    const gen_chart *t = gen_chart_of(b);
    if (gen_flat(b)) {
        print_move_flat(g, b->q, b->v, b->type->nv);
        return;
    }
    print_move_flat(g, b->q + b->type->nq, b->v + b->type->nv, gen_velocities(b) - b->type->nv);
    PUT("    {\n    real coef[COEF_USED];\n");
    PUT(t->about_z ? "    %s(coef, x[%d]);\n" : "    %s(coef, x + %d);\n", t->coefficients,
        b->v + (t->about_z ? 2 : 3));
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    add3(q1 + %d, q + %d, x + %d);\n    so3_retract(q1 + %d, q + %d, x + %d, coef);\n", b->q, b->q, b->v,
            b->q + 3, b->q + 3, b->v + 3);
        PUT("    q1[%d] += 0.0 * coef[COEF_X]; // NAN beyond 3.46 rad\n", b->q + 3);
    } else {
        PUT("    %s_retract(q1 + %d, q + %d, x + %d, coef);\n", t->group, b->q, b->q, b->v);
    }
    PUT("    }\n");
}

static void print_move(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        if (!gen_is_node(&g->m->body[i])) {
            print_move_of(g, &g->m->body[i]);
        }
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        if (f->factor >= 0) {
            PUT("    q1[%d] = q[%d] + x[%d];\n", f->q, f->q, f->v);
        }
    }
}

static void print_residual(gen *g)
{
    gen_print_states(g, "w->q", "w->v", "w->vd", 1);
    gen_print_residual(g);
    gen_print_scaled(g);
}

/* ---- the saddle system ------------------------------------------------------------------------ */

static void print_mass_of(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    const char *id = g->body[i].id;
    gen_mat M = gen_zero(6, 6);
    PUT("    { // %s: S^T M S\n", gen_comment(g->m->body_names.name[i]).s);
    gen_print_mass(g, i);
    PUT("    (void)gravity;\n    (void)m;\n    (void)mc;\n    (void)J;\n");
    const gen_term m = gen_number(g, &b->m);
    for (int k = 0; k < 9; ++k) {
        M.e[3 + k % 3 + (3 + k / 3) * 6] = gen_number(g, &b->J[k]);
    }
    M.e[0] = M.e[7] = M.e[14] = m;
    if (!b->centred) {
        PUT("    real X[9];\n    mul_tilde(X, 3, w->s_%s.R, mc);\n", id);
        gen_block(&M, 0, 3, -1.0, "X", 0, 3);
        for (int k = 0; k < 9; ++k) {
            M.e[3 + k / 3 + k % 3 * 6] = gen_name(-1.0, "X[%d]", k);
        }
    }
    const gen_mat MS = gen_mul(g, "M", &M, &g->body[i].S), Mv = gen_tmul(g, "M", &g->body[i].S, &MS);
    gen_scatter(g, b->v, b->v, 0, &Mv);
    PUT("    }\n");
}

/* Coordinates that belong to forces: states have v' as bodies with mass one, integrals of a pid follow their row. */
static void print_force_coordinates(gen *g)
{
    const gen_mat one = gen_identity(1);
    for (int k = 0; k < g->m->force_names.n; ++k) {
        if (g->m->force[k].factor >= 0 && g->m->force[k].type->state) {
            gen_scatter(g, g->m->force[k].v, g->m->force[k].v, 0, &one);
        }
    }
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type->form == MB_FORM_INTEGRAL) {
            gen_scatter(g, g->m->force[c->force].v, g->nv + c->row0, 0, &one);
            gen_scatter(g, g->nv + c->row0, g->m->force[c->force].v, 0, &one);
        }
    }
}

static void print_matrix(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        (g->m->body[i].flex ? gen_print_flexible_mass : print_mass_of)(g, i);
    }
    print_force_coordinates(g);
    gen_print_joint_tangents(g);
    gen_print_friction_columns(g);
    gen_print_masked_tangent(g);
    gen_print_row_operations(g);
    gen_leave_out_tangent(g);
}

static void print_unused(gen *g)
{
    PUT("    (void)A;\n");
}

static dal_status print_solver(gen *g)
{
    char arguments[96];
    gen_print_function_of(g, &(gen_function){"The matrix of (IN.4), M and B, where the rows were evaluated.", "saddle",
                                             "program_work *w, real A[]", "w, A", .body = print_matrix, .apart = 1});
    DAL_TRY(gen_order(g));
    gen_print_function_of(g, &(gen_function){"Its factors, in place.", "saddle_factor", "real A[]", "A", print_unused,
                                             gen_print_factor, .lines = 100, .apart = 1});
    snprintf(arguments, sizeof arguments, "real x[%d], const real A[], real b[%d]", g->n, g->n);
    gen_print_function_of(g, &(gen_function){"Its solution; b is overwritten.", "saddle_solve", arguments, NULL,
                                             print_unused, gen_print_backsolve, .apart = 1});
    return DAL_OK;
}

/* The same lists of elements with another matrix: what belongs to the steps comes back afterwards. */
static dal_status print_saddle(gen *g, int *nnz)
{
    const gen kept = *g;
    gen_text code = {.ctx = g->ctx}, *out = g->out;
    g->out = &code;
    g->saddle = 1;
    g->opt.formulation = DAL_FORMULATION_INDEX3;
    g->s = g->s_vel = g->kv = g->gp = 1.0;
    g->n = g->nv + g->nc;
    dal_status st = gen_matrix_init(g);
    if (st == DAL_OK) {
        gen_leave_out(g);
        st = print_solver(g);
        *nnz = g->A.nnz;
    }
    gen_matrix_release(g);
    g->saddle = 0;
    g->opt = kept.opt;
    g->s = kept.s;
    g->s_vel = kept.s_vel;
    g->kv = kept.kv;
    g->gp = kept.gp;
    g->n = kept.n;
    g->A = kept.A;
    g->out = out;
    gen_put_n(out, code.s ? code.s : "", code.n);
    gen_text_release(&code);
    return st;
}

/* ---- keys of the template --------------------------------------------------------------------- */

static void print_drop(gen *g, const char *array, int first)
{
    for (int i = 0; i < g->nleft_out; ++i) {
        PUT("    %s[%d] = REAL(0.0); // depends on other rows\n", array, first + g->left_out[i]);
    }
}

static void print_drop_b(gen *g)
{
    print_drop(g, "b", g->nv);
}

static void print_drop_c(gen *g)
{
    print_drop(g, "c", 0);
}

/* Rows that are not held at the level of positions alone have no part in the perturbation. */
static void print_drop_free(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        for (int i = 0; i < c->nrows && (c->nonholonomic || g->eta0[k] >= 0); ++i) {
            PUT("    c[%d] = REAL(0.0);\n", c->row0 + i);
        }
    }
}

static void print_agree(gen *g)
{
    PUT("        const double per_unit[] = {");
    for (int i = 0; i < g->nv; ++i) {
        char text[GEN_NAME];
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, 1.0 / g->unit[i]));
    }
    PUT("};\n");
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        const int head = gen_is_node(b) ? 0 : b->type->nv, n[2] = {head, gen_velocities(b) - head};
        for (int p = n[0] == 0; p < 2 && n[p] > 0; ++p) { // the frame, the modes
            const int v = b->v + p * head;
            PUT("        start_agree(vdd + %d, back + %d, per_unit + %d, %d);\n", v, v, v, n[p]);
        }
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        if (g->m->force[k].factor >= 0) {
            const int v = g->m->force[k].v;
            PUT("        start_agree(vdd + %d, back + %d, per_unit + %d, 1);\n", v, v, v);
        }
    }
}

/* [v, v'] of the bodies that turn */
static void print_bracket(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        const gen_chart *t = gen_chart_of(b);
        const int v = b->v + t->first;
        if (t->n > 0) {
            PUT("    %s(l + %d, w->v + %d, w->vd + %d);\n", t->bracket, v, v, v);
        }
    }
}

/* What follows from a row of its own: constants of gears, which hold at the start, and the integrals of a pid. */
static void print_integrals(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type->form == MB_FORM_GEAR) {
            const gen_term constant = gen_number(g, &g->m->joint[c->joint].gear.constant);
            if (constant.s[0]) {
                PUT("    s->%s = y.Phi[%d];\n    y.Phi[%d] = REAL(0.0);\n", constant.s, c->row0, c->row0);
            }
        }
    }
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type->form == MB_FORM_INTEGRAL) {
            PUT("    w.v[%d] -= y.vel[%d];\n    y.vel[%d] = REAL(0.0);\n", g->m->force[c->force].v, c->row0, c->row0);
        }
    }
}

static void print_unit(gen *g)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        if (gen_chart_of(b)->quaternion) {
            PUT("    number_unit4(w.q + %d, s->q + %d);\n", b->q + 3, b->q + 3);
        }
    }
}

/* Rows that are left out must hold when the others do (RD.3). */
static void print_depend(gen *g)
{
    if (g->nleft_out == 0) {
        return;
    }
    PUT("        real rest = o;\n");
    for (int i = 0; i < g->nleft_out; ++i) {
        PUT("        rest = real_max(rest, real_abs(y.Phi[%d]));\n", g->left_out[i]);
    }
    PUT("        sound = sound & real_at_most(rest, 1e-9 * (1.0 + start_norm(w.q, %d)));\n", g->nq);
}

static int has_friction(const gen *g)
{
    int some = 0;
    for (int k = 0; k < g->m->force_names.n; ++k) {
        some |= strcmp(g->m->force[k].type->name, "friction") == 0;
    }
    return some;
}

static void print_finite(gen *g)
{
    if (g->nslots > 0) {
        PUT(" + start_norm(s->k, %d)", g->nslots);
    }
}

static void print_rows_unused(gen *g)
{
    PUT("    (void)y;\n");
}
static void print_numbers(gen *g)
{
    PUT("    real_mask same = real_all(1);\n");
    gen_print_numbers(g);
    PUT("    (void)p;\n    s->failed = real_not(same);\n");
}

/* Velocities of a block of M: of a body, or of a force that has coordinates of its own; how many. */
static int mass_block(const gen *g, int k, int *first)
{
    const int nbodies = g->m->body_names.n - 1;
    if (k < nbodies) {
        *first = g->m->body[k + 1].v;
        return gen_velocities(&g->m->body[k + 1]);
    }
    *first = g->m->force[k - nbodies].v;
    return g->m->force[k - nbodies].factor >= 0 ? 1 : 0;
}

static int block_count(const gen *g)
{
    return g->m->body_names.n - 1 + g->m->force_names.n;
}

static int block_size(const gen *g)
{
    int most = 1, first;
    for (int k = 0; k < block_count(g); ++k) {
        const int size = mass_block(g, k, &first);
        most = size > most ? size : most;
    }
    return most;
}

static void print_blocks(gen *g)
{
    int first;
    PUT("    const char given[] = {");
    for (int i = 0; i < g->nv; ++i) {
        PUT("%s%d", i > 0 ? ", " : "", g->p->given[i]);
    }
    PUT("};\n    const int block[][2] = {");
    for (int k = 0; k < block_count(g); ++k) {
        const int size = mass_block(g, k, &first);
        PUT("%s{%d, %d}", k > 0 ? ", " : "", size > 0 ? first : 0, size);
    }
    PUT("};\n    (void)given;\n");
}

static void print_first_size(gen *g)
{
    gen_print_first_size(g, "s");
}

/* What functions print. */
static const gen_key printed[] = {{"BLOCKS", .print = print_blocks},
                                  {"DROP_B", .print = print_drop_b},
                                  {"DROP_C", .print = print_drop_c},
                                  {"DROP_FREE", .print = print_drop_free},
                                  {"AGREE", .print = print_agree},
                                  {"BRACKET", .print = print_bracket},
                                  {"INTEGRALS", .print = print_integrals},
                                  {"UNIT", .print = print_unit},
                                  {"DEPEND", .print = print_depend},
                                  {"ANGLES", .print = gen_print_angles_call},
                                  {"FIRST_ANGLES", .print = gen_print_first_angles_call},
                                  {"FINITE_K", .print = print_finite},
                                  {"FIRST_SIZE", .print = print_first_size}};

/* Values at the start that steps of other sizes go on from. */
static const char *kept_values(const gen *g, int sized)
{
    if (sized) {
        return "    memcpy(s->vc, w.v, sizeof w.v);\n    memcpy(s->vdc, w.vd, sizeof w.vd);\n    s->known = "
               "REAL(1.0);\n";
    }
    return g->how->change && gen_perturbed(g) ? "    memcpy(s->vc, w.v, sizeof w.v);\n" : "";
}

static void print_schedule(gen *g, int nnz)
{
    const int central = g->opt.start_difference != DAL_DIFFERENCE_FORWARD, friction = has_friction(g);
    const double h = g->h, dt = central ? 0.25 * h : 0.01 * h;
    const gen_factor scale = gen_scale_text(g, GEN_S);
    const int sized = g->how->any_step && !gen_rattlie(g), projects = g->opt.initial == DAL_INITIAL_PROJECT;
    const gen_key values[] = {
        {"API", .text = g->api[0] ? "DEVICE" : ""},
        {"RESIDUAL_AT", .text = gen_sweeps(g) ? "program_start_residual" : "program_residual"},
        {"N_S", .count = g->nv + g->nc},
        {"N_V", .count = g->nv},
        {"N_Q", .count = g->nq},
        {"N_C", .count = g->nc},
        {"N_C1", .count = g->nc > 0 ? g->nc : 1},
        {"N_CC", .count = g->nc > 0 ? g->nc * g->nc : 1},
        {"N_CV", .count = g->nc > 0 ? g->nc * g->nv : 1},
        {"N_BLOCKS", .count = block_count(g)},
        {"N_BLOCK", .count = block_size(g)},
        {"N_A", .count = nnz > 0 ? nnz : 1},
        {"ROUNDS", .count = friction ? 30 : 2},
        {"FRICTION", .count = friction},
        {"CENTRAL", .count = central},
        {"DIFFERENCES", .count = g->opt.starting != DAL_STARTING_NAIVE && !gen_rattlie(g)},
        {"PERTURBED", .count = gen_perturbed(g)},
        {"STRICT", .count = g->opt.initial == DAL_INITIAL_STRICT},
        {"PROJECT", .text = g->nc == 0 || (!projects && !gen_switches(g)) ? "0"
                            : projects                                    ? "1"
                                                                          : "fresh < 2"},
        {"BEGIN_GAPS", .text = g->ngaps > 0 ? "gap_begin(s)" : "status"},
        {"DECLARE_GAPS", .text = g->ngaps > 0 ? "static inline int gap_begin(program_state *s);\n\n" : ""},
        {"SWITCH_ROWS", .text = g->nmasks > g->ngaps ? "    switch_rows(s);\n" : ""},
        {"INITIAL_TOL", .real = g->opt.initial_tol},
        {"S_R", .text = scale.s},
        {"DT", .real = dt},
        {"HALF_RATIO", .real = 2.0},
        {"D_H", .real = (g->c.alpha_m - g->c.alpha_f) * h},
        {"H_H", .real = h * h},
        {"C_Q", .real = g->c.C_q},
        {"C_H", .real = g->c.C_h},
        {"COMPLETE", .text = g->p->given ? "    start_complete(&w, &y);\n" : ""},
        {"COMPLETING", .text = g->p->given ? gen_text_complete : ""},
        {"PUT_VC", .text = kept_values(g, sized)},
        {"KEEP_JERK", .text = sized ? "    memcpy(s->jerk, vdd, sizeof vdd);\n    s->known = REAL(2.0);\n" : ""},
        {"PUT_LA", .text = g->nc > 0 ? "    memcpy(s->la, w.la, sizeof w.la);\n" : ""}};
    gen_key keys[sizeof values / sizeof values[0] + sizeof printed / sizeof printed[0] + 1] = {0};
    memcpy(keys, values, sizeof values);
    memcpy(keys + sizeof values / sizeof values[0], printed, sizeof printed);
    gen_put_filled(g, gen_text_start, keys);
    if (g->how->any_step) {
        PUT("\n");
        gen_print_run_to(g, keys);
    }
    gen_print_jumps(g, keys);
}

/* ---- all -------------------------------------------------------------------------------------- */

void gen_print_start_types(gen *g)
{
    const int nc = g->nc > 0 ? g->nc : 1;
    if (g->starts || gen_rattlie(g) || gen_output_rows(g)) {
        PUT("/* All rows of the constraints, at the levels of position, velocity and acceleration. */\ntypedef struct "
            "%s_rows {\n    real Phi[%d], vel[%d], acc[%d];\n} %s_rows;\n\n",
            g->name, nc, nc, nc, g->name);
    }
    if (!g->starts) {
        return;
    }
    PUT("/* What the start depends on: variables of the model. */\ntypedef struct %s_parameters {\n", g->name);
    for (int k = 0; k < g->p->nparameters; ++k) {
        PUT("    real %s;\n", g->p->field[k]);
    }
    if (g->p->nparameters == 0) {
        PUT("    real none;\n");
    }
    PUT("} %s_parameters;\n\n", g->name);
}

void gen_print_start_prototypes(gen *g)
{
    const char *y = g->how->trace ? "double *y, " : "";
    if (!g->starts) {
        if (g->p->no_start[0]) {
            PUT("/* Without %s_start: %s. */\n", g->name, g->p->no_start);
        }
        return;
    }
    if (!g->how->trace) {
        PUT("/* Parameters as the model has them. */\n%svoid %s_default(%s_parameters *p);\n", g->api, g->name,
            g->name);
    }
    PUT("/* A consistent start. %s_NO_START: the joints do not close, a number is not finite, or one that is "
        "constant near the\n"
        " * parameters of the model is another. */\n",
        g->upper);
    PUT("%sint %s_start(%s_state *s, const %s_parameters *p);\n", g->api, g->name, g->name, g->name);
    if (g->how->scalar != DAL_GENERATE_CUDA) {
        PUT("/* The same for n members: parameter k of member m is at p[k * n + m]%s. */\n"
            "void %s_start_members(const double *p, double *x, int *failed, %sint n);\n",
            g->how->trace ? ", number k of the outputs goes to y[k * n + m]" : "", g->name, y);
    }
    gen_print_input_prototypes(g);
    gen_print_event_prototypes(g);
}

static void print_default(gen *g)
{
    char number[GEN_NAME];
    PUT("%svoid %s_default(%s_parameters *p)\n{\n", g->api, g->name, g->name);
    for (int k = 0; k < g->p->nparameters; ++k) {
        PUT("    p->%s = REAL(%s);\n", g->p->field[k], gen_literal(number, sizeof number, g->p->own[k]));
    }
    PUT(g->p->nparameters > 0 ? "}\n\n" : "    p->none = REAL(0.0);\n}\n\n");
}

void gen_print_rows_at(gen *g)
{
    if (!g->rows_at) {
        gen_print_function_of(
            g, &(gen_function){"States of the bodies, and rows at the levels of position, velocity and acceleration.",
                               "rows_at", "program_work *w, program_rows *y", "w, y", print_rows_unused,
                               gen_print_levels, .apart = 1});
    }
    g->rows_at = 1;
}

void gen_print_move(gen *g)
{
    char head[160];
    if (!g->moves) {
        snprintf(head, sizeof head, "real q1[%d], const real q[%d], const real x[]", g->nq, g->nq);
        gen_print_function_of(g, &(gen_function){"q1 = q exp(x)", "move", head, .body = print_move, .apart = 1});
    }
    g->moves = 1;
}

dal_status gen_print_saddle_parts(gen *g)
{
    if (g->saddle_size > 0) {
        return DAL_OK;
    }
    gen_print_move(g);
    gen_print_rows_at(g);
    return print_saddle(g, &g->saddle_size);
}

dal_status gen_print_start(gen *g)
{
    g->starts = g->starts && gen_numbers_known(g);
    if (!g->starts && gen_switches(g)) {
        return dal_fail(g->ctx, DAL_EINVAL, "generate: what is switched needs a start: %s", g->p->no_start);
    }
    if (!g->starts) {
        gen_print_whole_step(g);
        return DAL_OK;
    }
    DAL_TRY(gen_print_saddle_parts(g));
    if (gen_sweeps(g)) { // the steps go through the bodies in sweeps
        gen_print_function_of(g, &(gen_function){"Residual of (GA.5) at the state of w.", "start_residual",
                                                 "program_work *w", .body = print_residual, .apart = 1});
    }
    gen_print_angles(g);
    gen_print_function_of(g, &(gen_function){"Constants, q and v as the model says, from the parameters.", "numbers",
                                             "program_state *s, const program_parameters *p", .body = print_numbers,
                                             .apart = 1});
    print_schedule(g, g->saddle_size);
    PUT("\n");
    if (!g->how->trace) { // members have their own, and the text is the same for all of them
        print_default(g);
    }
    gen_print_inputs(g);
    gen_print_events(g);
    return DAL_OK;
}
