/* Rows of the constraints at the levels of position, velocity and acceleration, for the start. */
#include <stdio.h>

#include "generate/generate_impl.h"

static void print_scalar_row(gen *g, int k, int i)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_row *r = &c->row[i];
    const int at = c->row0 + c->npoint + i;
    char number[2 * GEN_NAME];
    PUT("    {\n    real gr[12], z[12];\n");
    if (r->f > 0) {
        PUT("    real f[3];\n");
        gen_print_function(g, r->f, "f", "w->t");
    }
    gen_print_gradient(g, r, "gr");
    gen_print_contract(g, r, "z");
    if (!c->nonholonomic) {
        PUT("    real phi;\n");
        gen_print_phi(g, r, "phi");
        if (r->f > 0) {
            PUT("    phi -= f[0];\n");
        }
        if (r->period > 0.0) {
            gen_term_text(number, sizeof number, gen_number(g, &r->period));
            PUT("    phi = real_remainder(phi, %s);\n", number);
        }
        PUT("    y->Phi[%d] = phi;\n", at);
    }
    PUT("    y->vel[%d] = row_rate(gr, &P)%s;\n", at, r->f > 0 ? " - f[1]" : "");
    PUT("    y->acc[%d] = row_acceleration(gr, z, &P)%s;\n    }\n", at, r->f > 0 ? " - f[2]" : "");
}

static void print_joint_rows(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    PUT("    { // joint %s: %s\n", gen_comment(gen_joint_name(g, c)).s,
        c->joint >= 0 ? g->m->joint[c->joint].type->name : "");
    gen_print_pairing(g, c->marker, 2, c->axes);
    for (int i = 0; i < c->npoint; ++i) {
        PUT("    y->Phi[%d] = P.d[%d];\n    y->vel[%d] = P.side[1].pd[%d] - P.side[0].pd[%d];\n", c->row0 + i, i,
            c->row0 + i, i, i);
        PUT("    y->acc[%d] = P.side[1].pdd[%d] - P.side[0].pdd[%d];\n", c->row0 + i, i, i);
    }
    for (int i = 0; i < c->nscalar; ++i) {
        print_scalar_row(g, k, i);
    }
    PUT("    }\n");
}

static void print_gear_rows(gen *g, int k)
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
        gen_term_text(number, sizeof number, gen_number(g, &G->ratio[t]));
        PUT("    {\n");
        gen_print_pairing(g, G->marker[t], 2, MB_AXES_A | MB_AXES_B);
        PUT("    real gr[12], z[12], phi;\n");
        gen_print_gradient(g, &G->row[t], "gr");
        gen_print_contract(g, &G->row[t], "z");
        gen_print_phi(g, &G->row[t], "phi");
        PUT("    value += %s * phi;\n    rate += %s * row_rate(gr, &P);\n", number, number);
        PUT("    second += %s * row_acceleration(gr, z, &P);\n    }\n", number);
    }
    if (!c->nonholonomic && G->period > 0.0) {
        gen_term_text(number, sizeof number, gen_number(g, &G->period));
        PUT("    y->Phi[%d] = real_remainder(value, %s);\n", c->row0, number);
    } else if (!c->nonholonomic) {
        PUT("    y->Phi[%d] = value;\n", c->row0);
    } else {
        PUT("    (void)value;\n");
    }
    PUT("    y->vel[%d] = rate;\n    y->acc[%d] = second;\n    }\n", c->row0, c->row0);
}

static void print_norm_row(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_body *b = &g->m->body[c->marker[1].body];
    PUT("    y->Phi[%d] = 0.5 * (body_square4(w->q + %d) - 1.0);\n", c->row0, b->q + 3);
    PUT("    y->vel[%d] = body_dot4(w->q + %d, w->v + %d);\n", c->row0, b->q + 3, b->v + 3);
    PUT("    y->acc[%d] = body_dot4(w->q + %d, w->vd + %d) + body_square4(w->v + %d);\n", c->row0, b->q + 3, b->v + 3,
        b->v + 3);
}

/* The integral of a pid. */
static void print_integral_row(gen *g, int k)
{
    const mb_constraint *c = &g->m->constraint[k];
    const mb_force *f = &g->m->force[c->force];
    PUT("    { // force %s: integral\n", gen_comment(gen_force_name(g, f)).s);
    gen_print_along(g, f->marker, &f->row, "w->t");
    gen_print_elongation(g, f, "w->t");
    PUT("    y->vel[%d] = w->v[%d] - e[0];\n    y->acc[%d] = w->vd[%d] - e[1];\n    }\n", c->row0, f->v, c->row0, f->v);
}

dal_status gen_print_levels(gen *g)
{
    char head[160];
    gen_text body = {.ctx = g->ctx}, *out = g->out;
    g->out = &body;
    PUT("    body_at_rest(&w->s_%s);\n", g->body[0].id);
    gen_print_states(g, "w->q", "w->v", "w->vd", 1);
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_element_type *type = g->m->constraint[k].type;
        if (type->form == MB_FORM_MARKERS) {
            print_joint_rows(g, k);
        } else if (type->form == MB_FORM_GEAR) {
            print_gear_rows(g, k);
        } else if (type->form == MB_FORM_NORM) {
            print_norm_row(g, k);
        } else if (type->form == MB_FORM_INTEGRAL) {
            print_integral_row(g, k);
        }
    }
    g->out = out;
    snprintf(head, sizeof head, "%s_work *w, %s_rows *y", g->name, g->name);
    const dal_status st = gen_large(g) ? gen_split(g, g->out, &body, "rows", head, "w, y") : DAL_OK;
    snprintf(head, sizeof head, "rows_at(%s_work *w, %s_rows *y)", g->name, g->name);
    gen_open_start(g, "States of the bodies, and rows at the levels of position, velocity and acceleration.", head);
    if (g->nslots > 0) {
        PUT("    const real *k = w->s->k;\n    (void)k;\n");
    }
    gen_put_n(g->out, body.s ? body.s : "", body.n);
    PUT("    (void)y;\n}\n\n");
    gen_text_release(&body);
    return st;
}
