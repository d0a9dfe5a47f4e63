/* The start of a member by generated code: q, v, v', lambda that are consistent with the parameters given, and the starting
 * values of the algorithm, as the library computes them (docs/theory/initial.md). */
#include <stdio.h>

#include "generate/generate_impl.h"

static int is_lanes(const gen *g)
{
    return g->how->scalar == DAL_GENERATE_LANES;
}

void gen_open_start(gen *g, const char *comment, const char *head)
{
    PUT("/* %s */\n%s void %s_%s\n{\n", comment, is_lanes(g) || gen_large(g) ? "PHASE" : "static inline", g->name,
        head);
}

/* ---- q exp(x) --------------------------------------------------------------------------------- */

static void print_move_of(gen *g, const mb_body *b)
{
    if (gen_flat(b)) {
        PUT("    for (int i = 0; i < %d; ++i) {\n        q1[%d + i] = q[%d + i] + x[%d + i];\n    }\n", b->type->nv,
            b->q, b->q, b->v);
        return;
    }
    PUT("    {\n    real coef[COEF_USED];\n");
    if (gen_is(b, MB_CHART_PLANAR_SE2)) {
        PUT("    angle_about_z(coef, x[%d]);\n", b->v + 2);
    } else {
        PUT("    %s(coef, x + %d);\n", gen_is(b, MB_CHART_SE3) ? "angle_to_second" : "angle_to_first", b->v + 3);
    }
    if (gen_is(b, MB_CHART_R3SO3)) {
        PUT("    add3(q1 + %d, q + %d, x + %d);\n    so3_retract(q1 + %d, q + %d, x + %d, coef);\n", b->q, b->q, b->v,
            b->q + 3, b->q + 3, b->v + 3);
        PUT("    q1[%d] += 0.0 * coef[COEF_X]; // NAN beyond 3.46 rad\n", b->q + 3);
    } else {
        PUT("    %s_retract(q1 + %d, q + %d, x + %d, coef);\n", gen_turns(b).group, b->q, b->q, b->v);
    }
    PUT("    }\n");
}

static void print_move(gen *g)
{
    char head[160];
    snprintf(head, sizeof head, "move(real q1[%d], const real q[%d], const real x[])", g->nq, g->nq);
    gen_open_start(g, "q1 = q exp(x)", head);
    for (int i = 1; i < g->m->body_names.n; ++i) {
        print_move_of(g, &g->m->body[i]);
    }
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        if (f->factor >= 0) {
            PUT("    q1[%d] = q[%d] + x[%d];\n", f->q, f->q, f->v);
        }
    }
    PUT("}\n\n");
}

/* r where the rows were evaluated: the steps have it, but not as a function of w where they go through the bodies in sweeps. */
static void print_residual(gen *g)
{
    char head[160], s[64];
    if (!gen_sweeps(g)) {
        return;
    }
    snprintf(head, sizeof head, "start_residual(%s_work *w)", g->name);
    gen_open_start(g, "Residual of (GA.5) at the state of w.", head);
    if (g->nslots > 0) {
        PUT("    const real *k = w->s->k;\n    (void)k;\n");
    }
    gen_print_states(g, "w->q", "w->v", "w->vd", 1);
    gen_print_inertia(g);
    gen_print_force_residuals(g);
    gen_print_joint_residuals(g);
    gen_print_lift_residual(g);
    gen_print_norm_residuals(g);
    PUT("    for (int i = 0; i < %d; ++i) {\n        w->r[i] *= %s; // (GA.9)\n    }\n}\n\n", g->nv,
        gen_literal(s, sizeof s, g->s));
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
    gen_scatter(g, b->v, b->v, 1.0, &Mv);
    PUT("    }\n");
}

/* Coordinates that belong to forces: states have v' as bodies with mass one, integrals of a pid follow their row. */
static void print_force_coordinates(gen *g)
{
    const gen_mat one = gen_identity(1);
    for (int k = 0; k < g->m->force_names.n; ++k) {
        if (g->m->force[k].factor >= 0 && g->m->force[k].type->state) {
            gen_scatter(g, g->m->force[k].v, g->m->force[k].v, 1.0, &one);
        }
    }
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type->form == MB_FORM_INTEGRAL) {
            gen_scatter(g, g->m->force[c->force].v, g->nv + c->row0, 1.0, &one);
            gen_scatter(g, g->nv + c->row0, g->m->force[c->force].v, 1.0, &one);
        }
    }
}

static dal_status print_matrix(gen *g)
{
    char head[160];
    gen_text body = {.ctx = g->ctx}, *out = g->out;
    g->out = &body;
    for (int i = 1; i < g->m->body_names.n; ++i) {
        print_mass_of(g, i);
    }
    print_force_coordinates(g);
    gen_print_joint_tangents(g);
    gen_print_friction_columns(g);
    gen_print_row_operations(g);
    gen_print_left_out_tangent(g);
    g->out = out;
    dal_status st = body.n > 0 && !body.failed ? gen_prune(&body) : DAL_OK;
    snprintf(head, sizeof head, "%s_work *w, real A[]", g->name);
    st = st == DAL_OK && gen_large(g) ? gen_split(g, g->out, &body, "saddle", head, "w, A") : st;
    snprintf(head, sizeof head, "saddle(%s_work *w, real A[])", g->name);
    gen_open_start(g, "The matrix of (IN.4), M and B, where the rows were evaluated.", head);
    if (g->nslots > 0) {
        PUT("    const real *k = w->s->k;\n    (void)k;\n");
    }
    gen_put_n(g->out, body.s ? body.s : "", body.n);
    PUT("    (void)w;\n}\n\n");
    gen_text_release(&body);
    return st;
}

static dal_status print_solver(gen *g)
{
    char head[160];
    DAL_TRY(gen_order(g));
    gen_text body = {.ctx = g->ctx}, *out = g->out;
    g->out = &body;
    gen_print_factor(g);
    g->out = out;
    const dal_status st = gen_large(g) ? gen_cut(g, g->out, &body, "saddle_factor", "real A[]", "A") : DAL_OK;
    gen_open_start(g, "Its factors, in place.", "saddle_factor(real A[])");
    gen_put_n(g->out, body.s ? body.s : "", body.n);
    gen_text_release(&body);
    PUT("    (void)A;\n}\n\n");
    snprintf(head, sizeof head, "saddle_solve(real x[%d], const real A[], real b[%d])", g->n, g->n);
    gen_open_start(g, "Its solution; b is overwritten.", head);
    gen_print_backsolve(g);
    PUT("    (void)A;\n}\n\n");
    return st;
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
        st = print_matrix(g);
        st = st == DAL_OK ? print_solver(g) : st;
        st = st == DAL_OK ? gen_compact(g, &code, 0, 0) : st;
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
        const int v = g->m->body[i].v;
        PUT("        start_agree(vdd + %d, back + %d, per_unit + %d, %d);\n", v, v, v, g->m->body[i].type->nv);
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
        const gen_turning t = gen_turns(b);
        const int v = b->v + t.first;
        if (!gen_flat(b)) {
            PUT("    %s(l + %d, w->v + %d, w->vd + %d);\n",
                gen_is(b, MB_CHART_R3SO3) ? "cross3"
                : gen_is(b, MB_CHART_SE3) ? "se3_bracket"
                                          : "se2_bracket",
                v, v, v);
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
        if (gen_is(b, MB_CHART_R3SO3) || gen_is(b, MB_CHART_SE3)) {
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

static void fill_numbers(gen *g, gen_keys *k, int nnz)
{
    const int central = g->opt.start_difference != DAL_DIFFERENCE_FORWARD, friction = has_friction(g);
    const double h = g->h, dt = central ? 0.25 * h : 0.01 * h;
    gen_key_text(k, "name", g->name);
    gen_key_text(k, "NAME", g->upper);
    gen_key_text(k, "api", g->api);
    gen_key_text(k, "residual", gen_sweeps(g) ? "start_residual" : "residual");
    gen_key_int(k, "ns", g->nv + g->nc);
    gen_key_int(k, "nv", g->nv);
    gen_key_int(k, "nq", g->nq);
    gen_key_int(k, "nc", g->nc);
    gen_key_int(k, "nc1", g->nc > 0 ? g->nc : 1);
    gen_key_int(k, "ncc", g->nc > 0 ? g->nc * g->nc : 1);
    gen_key_int(k, "ncv", g->nc > 0 ? g->nc * g->nv : 1);
    gen_key_int(k, "nblocks", g->m->body_names.n - 1 + g->m->force_names.n);
    gen_key_int(k, "nnz", nnz > 0 ? nnz : 1);
    gen_key_int(k, "rounds", friction ? 30 : 2);
    gen_key_int(k, "friction", friction);
    gen_key_int(k, "central", central);
    gen_key_int(k, "differences", g->opt.starting != DAL_STARTING_NAIVE);
    gen_key_int(k, "perturbed",
                g->opt.starting == DAL_STARTING_PERTURBED && g->opt.formulation == DAL_FORMULATION_INDEX3 && g->nh > 0);
    gen_key_int(k, "strict", g->opt.initial == DAL_INITIAL_STRICT);
    gen_key_int(k, "project", g->opt.initial == DAL_INITIAL_PROJECT && g->nc > 0);
    gen_key_real(k, "initial_tol", g->opt.initial_tol);
    gen_key_real(k, "s", g->s);
    gen_key_real(k, "dt", dt);
    gen_key_real(k, "half_ratio", 0.5 * h / dt);
    gen_key_real(k, "Dh", (g->c.alpha_m - g->c.alpha_f) * h);
    gen_key_real(k, "h2", h * h);
    gen_key_real(k, "C_q", g->c.C_q);
    gen_key_real(k, "C_h", g->c.C_h);
}

enum { NTEXTS = 11 };

/* ---- velocities that are completed ------------------------------------------------------------ */

/* Velocities of a block of M: of a body, or of a force that has coordinates of its own; how many. */
static int mass_block(const gen *g, int k, int *first)
{
    const int nbodies = g->m->body_names.n - 1;
    if (k < nbodies) {
        *first = g->m->body[k + 1].v;
        return g->m->body[k + 1].type->nv;
    }
    *first = g->m->force[k - nbodies].v;
    return g->m->force[k - nbodies].factor >= 0 ? 1 : 0;
}

static void print_blocks(gen *g)
{
    const int n = g->m->body_names.n - 1 + g->m->force_names.n;
    int first;
    PUT("    const char given[] = {");
    for (int i = 0; i < g->nv; ++i) {
        PUT("%s%d", i > 0 ? ", " : "", g->given[i]);
    }
    PUT("};\n    const int block[][2] = {");
    for (int k = 0; k < n; ++k) {
        const int size = mass_block(g, k, &first);
        PUT("%s{%d, %d}", k > 0 ? ", " : "", size > 0 ? first : 0, size);
    }
    PUT("};\n    (void)given;\n");
}

static void fill_texts(gen *g, gen_keys *k)
{
    static const struct {
        const char *name;
        void (*print)(gen *g);
    } list[NTEXTS] = {{"drop_b", print_drop_b},
                      {"drop_c", print_drop_c},
                      {"drop_free", print_drop_free},
                      {"agree", print_agree},
                      {"bracket", print_bracket},
                      {"integrals", print_integrals},
                      {"unit", print_unit},
                      {"depend", print_depend},
                      {"angles", gen_print_angles_call},
                      {"first_angles", gen_print_first_angles_call},
                      {"blocks", print_blocks}};
    char finite[64];
    snprintf(finite, sizeof finite, " + start_norm(s->k, %d)", g->nslots);
    for (int i = 0; i < NTEXTS; ++i) {
        if (list[i].print != print_blocks || g->given) {
            gen_key_printed(g, k, list[i].name, list[i].print);
        }
    }
    gen_key_text(k, "complete", g->given ? "    start_complete(&w, &y);\n" : "");
    gen_key_text(k, "put_la", g->nc > 0 ? "    memcpy(s->la, w.la, sizeof w.la);\n" : "");
    gen_key_text(k, "finite_k", g->nslots > 0 ? finite : "");
}

/* ---- members ---------------------------------------------------------------------------------- */

static void print_launch(gen *g, const char *y, const char *at)
{
    const char *name = g->name;
    PUT("#ifdef __CUDACC__\n__global__ void __launch_bounds__(128) %s_start_kernel(const double *p, double *x, int "
        "*failed, %sint n)\n{\n",
        name, y);
    PUT("    const int m = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n    if (m < n) {\n        "
        "%s_start_member(p, x, failed, %sn, m);\n    }\n}\n\n",
        name, at);
    PUT("static inline int %s_launch_start(const double *p, double *x, int *failed, %sint n)\n{\n"
        "    void *arguments[] = {&p, &x, &failed, %s&n};\n    return (int)cudaLaunchKernel(%s_start_kernel, "
        "dim3((unsigned)(n + 127) / 128U), dim3(128U), arguments, 0, NULL);\n}\n#endif\n\n",
        name, y, at[0] ? "&y, " : "", name);
}

void gen_print_start_members(gen *g)
{
    const char *name = g->name;
    const int trace = g->how->trace, cuda = g->how->scalar == DAL_GENERATE_CUDA, nout = gen_output_count(g, NULL);
    const char *y = trace ? "double *y, " : "", *at = trace ? "y, " : "";
    if (!g->numbers) {
        return;
    }
    PUT("\n/* The start of member m of n, or of those that fill the lanes: parameter k of member m is at p[k n + m]. "
        "*/\n");
    PUT("static inline void %s_start_member(const double *p, double *x, int *failed, %sint n, int m)\n{\n"
        "    %s_parameters own;\n    %s_state s;\n",
        name, y, name, name);
    for (int k = 0; k < g->nfields; ++k) {
        PUT("    own.%s = real_load(p, (size_t)n, (size_t)m, %d);\n", g->field[k], k);
    }
    PUT("    (void)%s_start(&s, &own);\n    store(&s, x, (size_t)n, (size_t)m);\n"
        "    real_note(failed, (size_t)n, (size_t)m, s.failed);\n",
        name);
    if (trace && nout > 0) {
        PUT("    if (y) {\n        real out[%d];\n        %s_outputs(&s, out);\n        for (int i = 0; i < %d; ++i) "
            "{\n"
            "            real_store(y, (size_t)n, (size_t)m, (size_t)i, out[i]);\n        }\n    }\n",
            nout, name, nout);
    } else if (trace) {
        PUT("    (void)y;\n");
    }
    PUT("}\n\n");
    if (cuda) {
        print_launch(g, y, at);
    }
    PUT("%svoid %s_start_members(const double *p, double *x, int *failed, %sint n)\n{\n    for (int m = 0; m < n; m += "
        "%d) {\n        %s_start_member(p, x, failed, %sn, m);\n    }\n}\n",
        cuda ? "static inline " : "", name, y, is_lanes(g) ? g->how->lanes : 1, name, at);
}

/* ---- all -------------------------------------------------------------------------------------- */

void gen_print_start_types(gen *g)
{
    const int nc = g->nc > 0 ? g->nc : 1;
    if (!g->starts) {
        return;
    }
    PUT("/* What the start depends on: variables of the model. */\ntypedef struct %s_parameters {\n", g->name);
    for (int k = 0; k < g->nfields; ++k) {
        PUT("    real %s;\n", g->field[k]);
    }
    PUT("} %s_parameters;\n\n", g->name);
    PUT("/* All rows of the constraints, at the levels of position, velocity and acceleration. */\ntypedef struct "
        "%s_rows {\n    real Phi[%d], vel[%d], acc[%d];\n} %s_rows;\n\n",
        g->name, nc, nc, nc, g->name);
}

void gen_print_start_prototypes(gen *g)
{
    const char *y = g->how->trace ? "double *y, " : "";
    if (!g->starts) {
        if (g->no_start && g->no_start[0]) {
            PUT("/* Without %s_start: %s. */\n", g->name, g->no_start);
        }
        return;
    }
    if (!g->how->trace) {
        PUT("/* Parameters as the model has them. */\n%svoid %s_default(%s_parameters *p);\n", g->api, g->name,
            g->name);
    }
    PUT("/* A consistent start. %s_NO_START: the joints do not close, a number is not finite, or an expression of the "
        "model "
        "takes\n"
        " * another branch than near its own parameters. */\n",
        g->upper);
    PUT("%sint %s_start(%s_state *s, const %s_parameters *p);\n", g->api, g->name, g->name, g->name);
    if (g->how->scalar != DAL_GENERATE_CUDA) {
        PUT("/* The same for n members: parameter k of member m is at p[k * n + m]%s. */\n"
            "void %s_start_members(const double *p, double *x, int *failed, %sint n);\n",
            g->how->trace ? ", number k of the outputs goes to y[k * n + m]" : "", g->name, y);
    }
}

static void print_default(gen *g)
{
    char number[GEN_NAME];
    PUT("%svoid %s_default(%s_parameters *p)\n{\n", g->api, g->name, g->name);
    for (int k = 0; k < g->nfields; ++k) {
        PUT("    p->%s = REAL(%s);\n", g->field[k], gen_literal(number, sizeof number, g->own_values[k]));
    }
    PUT("}\n\n");
}

dal_status gen_print_start(gen *g)
{
    char head[160];
    int nnz = 0;
    if (!g->starts) {
        return DAL_OK;
    }
    print_move(g);
    DAL_TRY(gen_print_levels(g));
    print_residual(g);
    DAL_TRY(print_saddle(g, &nnz));
    gen_print_angles(g);
    snprintf(head, sizeof head, "numbers(%s_state *s, const %s_parameters *p)", g->name, g->name);
    gen_open_start(g, "Constants, q and v as the model says, from the parameters.", head);
    PUT("    real_mask same = real_all(1);\n");
    gen_put_n(g->out, g->numbers ? g->numbers : "", g->numbers ? strlen(g->numbers) : 0);
    PUT("    (void)p;\n    s->failed = real_not(same);\n}\n\n");
    gen_keys *k = dal_alloc_zero(g->ctx, sizeof *k);
    if (!k) {
        return dal_fail(g->ctx, DAL_ENOMEM, "generate: no memory");
    }
    fill_numbers(g, k, nnz);
    fill_texts(g, k);
    gen_key_filled(g, k, "completing", g->given ? gen_text_complete : "");
    gen_put_filled(g->out, gen_text_start, k);
    PUT("\n");
    if (!g->how->trace) { // members have their own, and the text is the same for all of them
        print_default(g);
    }
    g->out->failed |= gen_keys_release(k);
    dal_free(g->ctx, k);
    return DAL_OK;
}
