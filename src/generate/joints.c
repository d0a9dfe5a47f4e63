/* Constraints: which there are, and their residuals. */
#include <stdio.h>

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
        g->nB0 += kept ? con->nrows * g->m->body[body].type->nv : 0;
    }
}

static dal_status check_rows(gen *g, const mb_constraint *c)
{
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
        if (c->joint >= 0 && m->joint[c->joint].d.release != 0.0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: joint '%s' is released at a time, and programs have the same rows at all times",
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

static void print_row_residual(gen *g, int k, int i)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_row *r = &c->row[i];
    const int at = c->npoint + i, la = c->row0 + at, position = gen_position_row(g, k),
              velocity = gen_velocity_row(g, k);
    char number[2 * GEN_NAME];
    mb_row_text(number, sizeof number, r);
    PUT("    { // %s\n    real gr[12];\n", number);
    if (r->f > 0) {
        PUT("    real f[3];\n");
        gen_print_function(g, r->f, "f", "w->t");
    }
    gen_print_gradient(g, r, "gr");
    if (position >= 0) {
        PUT("    real phi;\n");
        gen_print_phi(g, r, "phi");
        if (r->f > 0) {
            PUT("    phi -= f[0];\n");
        }
        if (r->period > 0.0) {
            gen_term_text(number, sizeof number, gen_number(g, &r->period));
            PUT("    phi = real_remainder(phi, %s);\n", number);
        }
        PUT("    w->r[%d] = phi;\n", position + at);
    }
    if (velocity >= 0) {
        gen_literal(number, sizeof number, g->s_vel);
        PUT("    w->r[%d] = %s * (row_rate(gr, &P)%s);\n", velocity + at, number, r->f > 0 ? " - f[1]" : "");
    }
    PUT("    for (int i = 0; i < 12; ++i) {\n        sum[i] += w->la[%d] * gr[i];\n    }\n    }\n", la);
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

static void print_joint_residual(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const int position = gen_position_row(g, k), velocity = gen_velocity_row(g, k);
    char number[GEN_NAME];
    PUT("    { // joint %s: %s\n", gen_comment(gen_joint_name(g, c)).s,
        c->joint >= 0 ? g->m->joint[c->joint].type->name : "");
    gen_print_pairing(g, c->marker, velocity >= 0, c->axes);
    if (c->nscalar == 0 && velocity < 0) {
        print_point_residual(g, k);
        PUT("    }\n");
        return;
    }
    gen_print_sum(g, c);
    gen_literal(number, sizeof number, g->s_vel);
    for (int i = 0; i < c->npoint; ++i) {
        if (position >= 0) {
            PUT("    w->r[%d] = P.d[%d];\n", position + i, i);
        }
        if (velocity >= 0) {
            PUT("    w->r[%d] = %s * (P.side[1].pd[%d] - P.side[0].pd[%d]);\n", velocity + i, number, i, i);
        }
    }
    for (int i = 0; i < c->nscalar; ++i) {
        print_row_residual(g, k, i);
    }
    for (int i = 0; i < 2; ++i) {
        if (c->marker[i].body > 0) {
            PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], sum + %d, sum + %d);\n", g->body[c->marker[i].body].id, i,
                6 * i, 6 * i + 3);
        }
    }
    PUT("    }\n");
}

static void print_gear_residual(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_gear *G = &g->m->joint[c->joint].gear;
    const int position = gen_position_row(g, k), velocity = gen_velocity_row(g, k);
    char number[2 * GEN_NAME];
    gen_term constant = gen_number(g, &G->constant);
    constant.c = -constant.c;
    gen_term_text(number, sizeof number, constant);
    PUT("    { // joint %s: gear\n    real value = %s, rate = REAL(0.0);\n", gen_comment(gen_joint_name(g, c)).s,
        number);
    for (int t = 0; t < G->nterms; ++t) {
        const gen_term ratio = gen_number(g, &G->ratio[t]);
        gen_term_text(number, sizeof number, ratio);
        PUT("    {\n");
        gen_print_pairing(g, G->marker[t], velocity >= 0, MB_AXES_A | MB_AXES_B);
        PUT("    real gr[12], phi;\n");
        gen_print_gradient(g, &G->row[t], "gr");
        gen_print_phi(g, &G->row[t], "phi");
        PUT("    value += %s * phi;\n", number);
        if (velocity >= 0) {
            PUT("    rate += %s * row_rate(gr, &P);\n", number);
        }
        PUT("    for (int i = 0; i < 12; ++i) {\n        gr[i] *= %s * w->la[%d];\n    }\n", number, c->row0);
        for (int i = 0; i < 2; ++i) {
            const int body = G->marker[t][i].body;
            if (body > 0) {
                PUT("    mb_add_wrench(w->r6_%s, &P.side[%d], gr + %d, gr + %d);\n", g->body[body].id, i, 6 * i,
                    6 * i + 3);
            }
        }
        PUT("    }\n");
    }
    if (position >= 0 && G->period > 0.0) {
        gen_term_text(number, sizeof number, gen_number(g, &G->period));
        PUT("    w->r[%d] = real_remainder(value, %s);\n", position, number);
    } else if (position >= 0) {
        PUT("    w->r[%d] = value;\n", position);
    } else {
        PUT("    (void)value;\n");
    }
    gen_literal(number, sizeof number, g->s_vel);
    if (velocity >= 0) {
        PUT("    w->r[%d] = %s * rate;\n    }\n", velocity, number);
    } else {
        PUT("    (void)rate;\n    }\n");
    }
}

void gen_print_joint_residuals(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        if (c->type->form == MB_FORM_MARKERS) {
            print_joint_residual(g, k);
        } else if (c->type->form == MB_FORM_GEAR) {
            print_gear_residual(g, k);
        } else if (c->type->form == MB_FORM_COEFFICIENTS) {
            gen_print_pfaffian_residual(g, k);
        }
    }
}

/* Row (p.p - 1)/2 of Euler parameters; after the residuals of the bodies. */
void gen_print_norm_residuals(gen *g)
{
    char number[GEN_NAME];
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        const mb_body *b = &g->m->body[c->marker[1].body];
        if (c->type->form != MB_FORM_NORM) {
            continue;
        }
        if (gen_position_row(g, k) >= 0) {
            PUT("    w->r[%d] = 0.5 * (body_square4(w->q + %d) - 1.0);\n", gen_position_row(g, k), b->q + 3);
        }
        if (gen_velocity_row(g, k) >= 0) {
            gen_literal(number, sizeof number, g->s_vel);
            PUT("    w->r[%d] = %s * body_dot4(w->q + %d, w->v + %d);\n", gen_velocity_row(g, k), number, b->q + 3,
                b->v + 3);
        }
        for (int i = 3; i < 7; ++i) {
            PUT("    w->r[%d] += w->q[%d] * w->la[%d];\n", b->v + i, b->q + i, c->row0);
        }
    }
}
