/* Constraints: which there are, and their residuals. */
#include <stdio.h>

#include "dalembert/events.h"
#include "generate/expressions_impl.h"
#include "integrate/integrator.h"

/* ---- which ------------------------------------------------------------------------------------ */

static int takes(const mb_constraint *c)
{
    return c->type->form != MB_FORM_OTHER;
}

const char *gen_joint_name(const gen *g, const mb_constraint *c)
{
    return c->joint >= 0 ? g->m->joint_names.name[c->joint] : "norm";
}

static void add_link(gen *g, int c, int body)
{
    const mb_constraint *con = &g->m->constraint[c];
    if (body > 0) {
        const int kept = g->eta0[c] >= 0;
        g->link[g->nlinks++] = (gen_link){c, body, kept ? g->nB0 : -1};
        g->nB0 += kept ? con->nrows * g->m->body[body].nv : 0;
    }
}

/* Functions that coefficients call. */
static dal_status check_coefficients(gen *g, const mb_constraint *c)
{
    const dal_joint *d = &g->m->joint[c->joint].d;
    for (int k = 0; k < c->nrows * (6 * c->nsides + 1) && dal_io_rows_are_known(d); ++k) {
        double value;
        const dal_expression *e = dal_io_formula_of_row(&value, d, k % c->nrows, k / c->nrows).e;
        for (int at = 0, called; e && (called = dal_expression_called(e, &at)) > 0;) {
            DAL_TRY(gen_check_function(g, called, "joint", gen_joint_name(g, c)));
        }
    }
    return DAL_OK;
}

static dal_status check_rows(gen *g, const mb_constraint *c)
{
    DAL_TRY(c->type->form == MB_FORM_COEFFICIENTS ? check_coefficients(g, c) : DAL_OK);
    for (int i = 0; i < c->nscalar; ++i) {
        if (!gen_row_known(c->row[i].type)) {
            return dal_fail(g->ctx, DAL_EINVAL, "generate: joint '%s' has a row '%s' that generated code does not have",
                            gen_joint_name(g, c), c->row[i].type->name);
        }
        if (c->row[i].f > 0) {
            DAL_TRY(gen_check_function(g, c->row[i].f, "joint", gen_joint_name(g, c)));
        }
    }
    return DAL_OK;
}

/* On which bodies a constraint acts. */
static void add_links(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    if (c->type->form == MB_FORM_GEAR) {
        const mb_gear *G = &g->m->joint[c->joint].gear;
        for (int i = 0; i < 2 * G->nterms; ++i) {
            add_link(g, k, G->marker[i / 2][i % 2].body);
        }
    } else if (c->type->form == MB_FORM_NORM) {
        add_link(g, k, c->marker[1].body);
    } else if (c->type->form == MB_FORM_COEFFICIENTS) {
        for (int i = 0; i < c->nsides; ++i) {
            add_link(g, k, c->body[i]);
        }
    } else if (c->type->form != MB_FORM_INTEGRAL) {
        add_link(g, k, c->marker[0].body);
        add_link(g, k, c->marker[1].body);
    }
}

dal_status gen_joints(gen *g)
{
    const dal_model *m = g->m;
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        if (!takes(c)) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: joint '%s' is of type %s, which generated code does not have",
                            gen_joint_name(g, c), m->joint[c->joint].type->name);
        }
        if (c->type->form == MB_FORM_COEFFICIENTS && !dal_io_rows_are_known(&m->joint[c->joint].d)) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: the rows of joint '%s' are a callback, which generated code does not have",
                            gen_joint_name(g, c));
        }
        DAL_TRY(check_rows(g, c));
        const int both = dal_ga_both_levels(g->opt.formulation, &m->block[c->block]);
        g->eta0[k] = both ? g->ne : -1;
        g->ne += both ? c->nrows : 0;
        g->nh += c->nonholonomic ? 0 : c->nrows;
        add_links(g, k);
    }
    return DAL_OK;
}

/* ---- residuals -------------------------------------------------------------------------------- */

/* Rows at position level, at velocity level. */
int gen_position_row(const gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    return !c->nonholonomic && g->opt.formulation != DAL_FORMULATION_INDEX2 ? g->nv + c->row0 : -1;
}

int gen_velocity_row(const gen *g, int k)
{
    return g->eta0[k] >= 0               ? g->nv + g->nc + g->eta0[k]
           : gen_position_row(g, k) >= 0 ? -1
                                         : g->nv + g->m->constraint[k].row0;
}

/* Where the rows of a constraint go: to r of a step, with their forces, or to the three levels of a start. */
typedef struct target {
    const char *position, *velocity; /* arrays */
    int p, v, a;                     /* first entries; -1: not wanted */
    unsigned scale;                  /* of the velocity level: a set of factors */
    int forces;
} target;

static target target_of(const gen *g, int k, int start)
{
    const int row0 = g->m->constraint[k].row0;
    return start ? (target){"y->Phi", "y->vel", g->m->constraint[k].nonholonomic ? -1 : row0, row0, row0, 0, 0}
                 : (target){"w->r", "w->r", gen_position_row(g, k), gen_velocity_row(g, k), -1, GEN_S_VEL, 1};
}

/* "array[i] = scale * (value);" */
static void put_rate(gen *g, const target *to, int i, const char *value)
{
    if (to->scale == 0) {
        PUT("    %s[%d] = %s;\n", to->velocity, to->v + i, value);
    } else {
        PUT("    %s[%d] = %s * (%s);\n", to->velocity, to->v + i, gen_scale_text(g, to->scale).s, value);
    }
}

/* A value at position level, modulo a period. */
static void put_position(gen *g, const target *to, int i, const char *value, const double *period)
{
    char number[2 * GEN_NAME];
    if (*period > 0.0) {
        gen_term_text(number, sizeof number, gen_number(g, period));
        PUT("    %s[%d] = real_remainder(%s, %s);\n", to->position, to->p + i, value, number);
    } else {
        PUT("    %s[%d] = %s;\n", to->position, to->p + i, value);
    }
}

static void print_row(gen *g, const mb_constraint *c, int i, const target *to)
{
    const mb_row *r = &c->row[i];
    const int at = c->npoint + i;
    char name[2 * GEN_NAME];
    mb_row_text(name, sizeof name, r);
    PUT("    { // %s\n    real gr[12];\n", name);
    if (r->f > 0) {
        PUT("    real f[3];\n");
        gen_print_function(g, r->f, "f", "w->t");
    }
    gen_print_gradient(g, r, "gr");
    if (to->p >= 0) {
        PUT("    real phi;\n");
        gen_print_phi(g, r, "phi");
        if (c->contact > 0 && r->type->angle) {
            PUT("    phi = gap_counted(w, %d, phi);\n", c->contact - 1);
        }
        put_position(g, to, at, r->f > 0 ? "phi - f[0]" : "phi", &r->period);
    }
    if (to->v >= 0) {
        put_rate(g, to, at, r->f > 0 ? "row_rate(gr, &P) - f[1]" : "row_rate(gr, &P)");
    }
    if (to->a >= 0) {
        PUT("    real z[12];\n");
        gen_print_contract(g, r, "z");
        PUT("    y->acc[%d] = row_acceleration(gr, z, &P)%s;\n", to->a + at, r->f > 0 ? " - f[2]" : "");
    }
    if (to->forces) {
        PUT("    for (int i = 0; i < 12; ++i) {\n        sum[i] += w->la[%d] * gr[i];\n    }\n", c->row0 + at);
    }
    PUT("    }\n");
}

/* Only points, at position level: (f, a x R^T f) with f = lambda on B, -lambda on A. */
static void print_point_residual(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    for (int i = 0; i < c->npoint; ++i) {
        PUT("    w->r[%d] = P.d[%d];\n", gen_position_row(g, k) + i, i);
    }
    PUT("    const real la[3] = {");
    for (int i = 0; i < 3; ++i) {
        PUT(i < c->npoint ? "%sw->la[%d]" : "%sREAL(0.0)", i > 0 ? ", " : "", c->row0 + i);
    }
    PUT("};\n");
    for (int i = 0; i < 2; ++i) {
        const char *id = g->body[c->marker[i].body].id;
        if (c->marker[i].body > 0) {
            PUT("    {\n        real fb[3];\n        tmul3(fb, w->s_%s.R, la);\n        axpy3(w->r6_%s, REAL(%s), "
                "la);\n",
                id, id, i == 0 ? "-1.0" : "1.0");
            PUT("        add_cross3(w->r6_%s + 3, REAL(%s), a%d, fb);\n    }\n", id, i == 0 ? "-1.0" : "1.0", i);
        }
    }
}

/* B^T lambda of the points of a joint; rows add theirs. */
void gen_print_sum(gen *g, const mb_constraint *c)
{
    PUT("    real sum[12] = {");
    for (int i = 0; i < 12; ++i) {
        const int point = i % 6 < c->npoint;
        PUT(point ? "%s%sw->la[%d]" : "%s%sREAL(0.0)", i > 0 ? ", " : "", point && i < 6 ? "-" : "", c->row0 + i % 6);
    }
    PUT("};\n");
}

static void print_wrench(gen *g, const mb_marker marker[2], const char *f)
{
    for (int i = 0; i < 2; ++i) {
        if (marker[i].body > 0) {
            PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], %s + %d, %s + %d);\n", g->body[marker[i].body].id, i, f,
                6 * i, f, 6 * i + 3);
        }
    }
}

static int level_of(const target *to)
{
    return to->a >= 0 ? 2 : to->v >= 0;
}

static void print_joint(gen *g, int k, const target *to)
{
    const mb_constraint *c = &g->m->constraint[k];
    char rate[64];
    PUT("    { // joint %s: %s\n", gen_comment(gen_joint_name(g, c)).s,
        c->joint >= 0 ? g->m->joint[c->joint].type->name : "");
    gen_print_pairing(g, c->marker, level_of(to), c->axes);
    if (c->nscalar == 0 && to->v < 0) {
        print_point_residual(g, k);
        PUT("    }\n");
        return;
    }
    if (to->forces) {
        gen_print_sum(g, c);
    }
    for (int i = 0; i < c->npoint; ++i) {
        if (to->p >= 0) {
            PUT("    %s[%d] = P.d[%d];\n", to->position, to->p + i, i);
        }
        if (to->v >= 0) {
            snprintf(rate, sizeof rate, "P.side[1].pd[%d] - P.side[0].pd[%d]", i, i);
            put_rate(g, to, i, rate);
        }
        if (to->a >= 0) {
            PUT("    y->acc[%d] = P.side[1].pdd[%d] - P.side[0].pdd[%d];\n", to->a + i, i, i);
        }
    }
    for (int i = 0; i < c->nscalar; ++i) {
        print_row(g, c, i, to);
    }
    if (to->forces) {
        print_wrench(g, c->marker, "sum");
    }
    PUT("    }\n");
}

/* One of the coordinates of a gear. */
static void print_gear_term(gen *g, int k, int t, const target *to)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_gear *G = &g->m->joint[c->joint].gear;
    char ratio[2 * GEN_NAME];
    gen_term_text(ratio, sizeof ratio, gen_number(g, &G->ratio[t]));
    PUT("    {\n");
    gen_print_pairing(g, G->marker[t], level_of(to), MB_AXES_A | MB_AXES_B);
    PUT("    real gr[12], phi;\n");
    gen_print_gradient(g, &G->row[t], "gr");
    gen_print_phi(g, &G->row[t], "phi");
    PUT("    value += %s * phi;\n", ratio);
    if (to->v >= 0) {
        PUT("    rate += %s * row_rate(gr, &P);\n", ratio);
    }
    if (to->a >= 0) {
        PUT("    real z[12];\n");
        gen_print_contract(g, &G->row[t], "z");
        PUT("    second += %s * row_acceleration(gr, z, &P);\n", ratio);
    }
    if (to->forces) {
        PUT("    for (int i = 0; i < 12; ++i) {\n        gr[i] *= %s * w->la[%d];\n    }\n", ratio, c->row0);
        print_wrench(g, G->marker[t], "gr");
    }
    PUT("    }\n");
}

static void print_gear(gen *g, int k, const target *to)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_gear *G = &g->m->joint[c->joint].gear;
    char number[2 * GEN_NAME];
    gen_term constant = gen_number(g, &G->constant);
    constant.c = -constant.c;
    gen_term_text(number, sizeof number, constant);
    PUT("    { // joint %s: gear\n    real value = %s, rate = REAL(0.0), second = REAL(0.0);\n",
        gen_comment(gen_joint_name(g, c)).s, number);
    for (int t = 0; t < G->nterms; ++t) {
        print_gear_term(g, k, t, to);
    }
    if (to->p >= 0) {
        put_position(g, to, 0, "value", &G->period);
    }
    if (to->v >= 0) {
        put_rate(g, to, 0, "rate");
    }
    if (to->a >= 0) {
        PUT("    y->acc[%d] = second;\n", to->a);
    }
    PUT("    (void)value;\n    (void)rate;\n    (void)second;\n    }\n");
}

/* Row (p.p - 1)/2 of Euler parameters. */
static void print_norm(gen *g, int k, const target *to)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_body *b = &g->m->body[c->marker[1].body];
    char rate[96];
    if (to->p >= 0) {
        PUT("    %s[%d] = 0.5 * (body_square4(w->q + %d) - 1.0);\n", to->position, to->p, b->q + 3);
    }
    if (to->v >= 0) {
        snprintf(rate, sizeof rate, "body_dot4(w->q + %d, w->v + %d)", b->q + 3, b->v + 3);
        put_rate(g, to, 0, rate);
    }
    if (to->a >= 0) {
        PUT("    y->acc[%d] = body_dot4(w->q + %d, w->vd + %d) + body_square4(w->v + %d);\n", to->a, b->q + 3, b->v + 3,
            b->v + 3);
    }
    for (int i = 3; i < 7 && to->forces; ++i) {
        PUT("    w->r[%d] += w->q[%d] * w->la[%d];\n", b->v + i, b->q + i, c->row0);
    }
}

/* The integral of a pid, at a start; in a step it goes with its force. */
static void print_integral(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_force *f = &g->m->force[c->force];
    PUT("    { // force %s: integral\n", gen_comment(gen_force_name(g, f)).s);
    gen_print_along(g, f->marker, &f->row, "w->t");
    gen_print_elongation(g, f, "w->t");
    PUT("    y->vel[%d] = w->v[%d] - e[0];\n    y->acc[%d] = w->vd[%d] - e[1];\n    }\n", c->row0, f->v, c->row0, f->v);
}

static void print_constraint(gen *g, int k, int start)
{
    const target to = target_of(g, k, start);
    const mb_form form = g->m->constraint[k].type->form;
    if (form == MB_FORM_NORM) {
        print_norm(g, k, &to);
    } else if (form == MB_FORM_MARKERS) {
        print_joint(g, k, &to);
    } else if (form == MB_FORM_GEAR) {
        print_gear(g, k, &to);
    } else if (form == MB_FORM_COEFFICIENTS && !start) {
        gen_print_pfaffian_residual(g, k);
    } else if (form == MB_FORM_INTEGRAL && start) {
        print_integral(g, k);
    }
}

void gen_print_joint_residual(gen *g, int k)
{
    print_constraint(g, k, 0);
}

/* Rows of Euler parameters come after the residuals of the bodies in a step. */
static void print_rows(gen *g, int norms)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        if ((g->m->constraint[k].type->form == MB_FORM_NORM) == norms) {
            print_constraint(g, k, 0);
        }
    }
}

void gen_print_joint_residuals(gen *g)
{
    print_rows(g, 0);
}

void gen_print_norm_residuals(gen *g)
{
    print_rows(g, 1);
}

void gen_print_levels(gen *g)
{
    PUT("    body_at_rest(&w->s_%s);\n", g->body[0].id);
    gen_print_states(g, "w->q", "w->v", "w->vd", 1);
    for (int k = 0; k < g->m->nconstraints; ++k) {
        print_constraint(g, k, 1);
    }
    gen_print_masked_levels(g);
}
