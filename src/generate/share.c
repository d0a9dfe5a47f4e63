/* Multipliers of least norm (RD.2): steps have zero for the rows that are left out, outputs what the library shares out. */
#include "generate/flexible_impl.h"

enum { SHARED_MOST = 128 }; /* rows: the matrices are dense */

int gen_shares(const gen *g)
{
    return gen_shared_out(g, NULL) && g->nc <= SHARED_MOST;
}

/* Forces on the bodies of a constraint, and of flexible bodies at all their nodes, from zero. */
static void print_clear(gen *g, const mb_constraint *c)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        int touched = 0;
        for (int k = 0; k < c->nsides; ++k) {
            touched |= g->m->body[c->body[k]].unit == g->m->body[i].unit;
        }
        if (touched && (!gen_is_node(&g->m->body[i]) || gen_touched(g, i))) {
            PUT("    memset(w->r6_%s, 0, sizeof w->r6_%s);\n", g->body[i].id, g->body[i].id);
        }
    }
}

static void print_lift(gen *g, const mb_constraint *c)
{
    for (int i = 1; i < g->m->body_names.n; ++i) {
        int touched = 0;
        for (int k = 0; k < c->nsides; ++k) {
            touched |= g->m->body[c->body[k]].unit == i;
        }
        if (touched) {
            gen_print_body_residual(g, i);
        }
    }
}

/* Row after row of B: the generalised forces of a multiplier that is 1. */
static void print_gradients(gen *g)
{
    PUT("    memset(all_B, 0, sizeof all_B);\n    memset(w->la, 0, sizeof w->la);\n    memcpy(w->q, s->q, sizeof "
        "w->q);\n    "
        "memcpy(w->v, s->v, "
        "sizeof w->v);\n    memcpy(w->vd, s->vd, sizeof w->vd);\n");
    gen_print_states(g, "s->q", "s->v", "s->vd", 1);
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        PUT("    for (int row = %d; row < %d; ++row) {\n    w->la[row] = REAL(1.0);\n    memset(w->r, 0, sizeof "
            "w->r);\n",
            c->row0, c->row0 + c->nrows);
        print_clear(g, c);
        gen_print_joint_residual(g, k);
        if (c->type->form != MB_FORM_NORM) {
            print_lift(g, c);
        }
        PUT("    memcpy(all_B + row * %d, w->r, %d * sizeof(real));\n    w->la[row] = REAL(0.0);\n    }\n", g->nv,
            g->nv);
    }
}

void gen_print_share(gen *g)
{
    PUT("/* Multipliers of least norm (RD.2). */\nstatic inline void share_out(real all_la[], const %s_state *s)\n{\n",
        g->name);
    PUT("    const int all_order[] = {");
    for (int r = 0, d = 0; r < g->nc; ++r) {
        const int gone = d < g->nleft_out && g->left_out[d] == r;
        if (!gone) {
            PUT("%d, ", r);
        }
        d += gone;
    }
    for (int d = 0; d < g->nleft_out; ++d) {
        PUT("%d, ", g->left_out[d]);
    }
    PUT("};\n    const double all_unit[] = {");
    for (int i = 0; i < g->nv; ++i) {
        char text[GEN_NAME];
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, g->unit[i]));
    }
    PUT("};\n    real all_B[%d], all_R[%d], all_S[%d];\n", g->nc * g->nv, g->nc * g->nc,
        2 * g->nc + g->nleft_out * (g->nleft_out + 1));
    gen_print_at_state(g, print_gradients);
    PUT("    least_norm(all_la, all_B, all_R, all_S, all_order, all_unit, %.17g, %d, %d, %d);\n}\n\n", g->length, g->nv,
        g->nc, g->nleft_out);
}
