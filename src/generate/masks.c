/* Rows that come and go: joints that are released at a time, or that events open and close. They keep their place in the matrix; an open one
 * has mu = 0 as its equation. What goes with them at an event: joints that close where they are, and impulses. */
#include <math.h>
#include <stdio.h>

#include "generate/generate_impl.h"
#include "mbs/event_impl.h"

enum { FRAME = 12 }; /* numbers of a frame: origin and axes */

static int is_switched(const mb_joint *j)
{
    return j->d.release != 0.0 || j->switching > 0;
}

/* The number of a joint among those that are switched; -1: it always holds. */
static int number_of(const gen *g, int joint)
{
    int n = 0;
    for (int k = 0; k < joint; ++k) {
        n += is_switched(&g->m->joint[k]);
    }
    return joint >= 0 && is_switched(&g->m->joint[joint]) ? n : -1;
}

int gen_mask_of(const gen *g, int constraint)
{
    const mb_constraint *c = &g->m->constraint[constraint];
    return c->contact > 0 ? g->nmasks - g->ngaps + c->contact - 1 : number_of(g, c->joint);
}

int gen_joint_switch(const gen *g, int joint)
{
    return g->nswitches - (g->nmasks - g->ngaps) + number_of(g, joint);
}

/* ---- refusals --------------------------------------------------------------------------------- */

/* Does another element take its frames from this joint? */
static const char *taken_by(const gen *g, int joint)
{
    const dal_model *m = g->m;
    const char *found = NULL;
    for (int k = 0; k < m->joint_names.n; ++k) {
        for (int i = 0; i < 3; ++i) {
            found = m->joint[k].refers[i] == joint ? m->joint_names.name[k] : found;
        }
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        found = m->force[k].joint == joint ? m->force_names.name[k] : found;
    }
    return found;
}

/* Frame A of a joint that may be closed anywhere is a number of the state. */
static dal_status keep_frame(const gen *g, int joint)
{
    const mb_joint *j = &g->m->joint[joint];
    const char *by = taken_by(g, joint);
    if (by != NULL) {
        return dal_fail(g->ctx, DAL_EINVAL,
                        "generate: '%s' takes its frames from joint '%s', which an event closes where it is (grab); in "
                        "generated code it needs frames of its own",
                        by, g->m->joint_names.name[joint]);
    }
    gen_nodes_keep(g->p->nodes, &j->marker[0], NULL, joint);
    for (int k = j->first; k < j->first + j->count; ++k) {
        gen_nodes_keep(g->p->nodes, &g->m->constraint[k].marker[0], &j->marker[0], joint);
    }
    return DAL_OK;
}

dal_status gen_masks(gen *g)
{
    for (int k = 0; k < g->m->joint_names.n; ++k) {
        g->nmasks += is_switched(&g->m->joint[k]);
    }
    g->nswitches += g->nmasks;
    DAL_TRY(gen_gaps(g));
    g->nmasks += g->ngaps;
    for (int k = 0; k < g->m->joint_names.n; ++k) {
        const mb_joint *j = &g->m->joint[k];
        const char *name = g->m->joint_names.name[k];
        if ((is_switched(j) || j->type->unilateral) && g->nleft_out > 0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: joint '%s' opens and closes while it runs, and rows of other joints depend on "
                            "each other, of which programs leave out the same at all times: leave one of these joints "
                            "out",
                            name);
        }
        DAL_TRY(j->grabs ? keep_frame(g, k) : DAL_OK);
    }
    for (int k = 0; k < g->nevents; ++k) {
        const mb_event *e = &g->at->event[k];
        for (int i = 0; i < e->d.nactions; ++i) {
            g->impulses |= e->action[i].what == DAL_DO_IMPULSE;
        }
    }
    return DAL_OK;
}

const mb_joint *gen_switched_joint(const gen *g)
{
    int k = 0;
    while (k < g->m->joint_names.n && !is_switched(&g->m->joint[k]) && !g->m->joint[k].type->unilateral) {
        ++k;
    }
    return k < g->m->joint_names.n ? &g->m->joint[k] : NULL;
}

int gen_jumps(const gen *g)
{
    return g->nmasks > 0 || g->impulses;
}

/* ---- rows ------------------------------------------------------------------------------------- */

int gen_rows_may_all_open(const gen *g)
{
    int all = 1;
    for (int k = 0; k < g->m->nconstraints; ++k) {
        all &= gen_mask_of(g, k) >= 0;
    }
    return all && g->nmasks > 0;
}

void gen_mask_rows(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        for (int i = 0; i < c->nrows; ++i) {
            g->A.mask[g->nv + c->row0 + i] = gen_mask_of(g, k) + 1;
            if (g->eta0[k] >= 0 && !g->saddle) {
                g->A.mask[g->nv + g->nc + g->eta0[k] + i] = gen_mask_of(g, k) + 1;
            }
        }
    }
}

void gen_print_masked_residual(gen *g)
{
    for (int r = g->nv; r < g->n; ++r) {
        if (g->A.mask[r] > 0) {
            PUT("    w->r[%d] = w->s->on[%d] > 0.0 ? w->r[%d] : w->x[%d]; // open: mu = 0\n", r, g->A.mask[r] - 1, r,
                r);
        }
    }
}

void gen_print_masked_tangent(gen *g)
{
    for (int r = g->nv; r < g->n; ++r) {
        if (g->A.mask[r] > 0) {
            gen_mat one = gen_zero(1, 1);
            one.e[0] = gen_name(1.0, "(1.0 - w->s->on[%d])", g->A.mask[r] - 1);
            const int mask = g->A.mask[r];
            g->A.mask[r] = 0; // this entry is there if the row is not
            gen_scatter(g, r, r, 0, &one);
            g->A.mask[r] = mask;
        }
    }
}

void gen_print_masked_levels(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        const int n = gen_mask_of(g, k);
        if (n >= 0) {
            PUT("    for (int i = %d; i < %d && !(w->s->on[%d] > 0.0); ++i) {\n        y->Phi[i] = y->vel[i] = "
                "y->acc[i] = REAL(0.0);\n    }\n",
                c->row0, c->row0 + c->nrows, n);
        }
    }
}

/* ---- switching -------------------------------------------------------------------------------- */

void gen_print_joint_times(gen *g)
{
    for (int k = 0; k < g->m->joint_names.n; ++k) {
        const mb_joint *j = &g->m->joint[k];
        char text[2 * GEN_NAME] = "INFINITY";
        if (!is_switched(j)) {
            continue;
        }
        if (j->d.release != 0.0) {
            gen_number_text(g, text, sizeof text, &j->d.release);
        }
        PUT("    from[%d] = -INFINITY;\n    to[%d] = %s;\n", gen_joint_switch(g, k), gen_joint_switch(g, k), text);
    }
}

void gen_print_switch_rows(gen *g)
{
    if (g->nmasks > g->ngaps) {
        PUT("/* Which joints hold at s. */\nstatic inline void switch_rows(%s_state *s)\n{\n    real from[%d], "
            "to[%d];\n    switch_times(s, from, to);\n    for (int n = 0; n < %d; ++n) {\n        const int at = %d + "
            "n;\n        s->on[n] = (s->by_event[at] != 0.0 ? s->by_event[at] > 0.0 : s->t < to[at]) ? 1.0 : 0.0;\n    "
            "}\n    (void)from;\n}\n\n",
            g->name, g->nswitches, g->nswitches, g->nmasks - g->ngaps, g->nswitches - (g->nmasks - g->ngaps));
    }
    if (gen_rows_may_all_open(g)) {
        PUT("/* Does any joint hold? */\nstatic inline int rows_hold(const %s_state *s)\n{\n    int some = 0;\n    for "
            "(int n = 0; n < %d; ++n) {\n        some |= s->on[n] > 0.0;\n    }\n    return some;\n}\n\n",
            g->name, g->nmasks);
    }
}

/* ---- joints that close where they are ---------------------------------------------------------- */

/* Where number i of its frame A is among the constants of the state. */
static gen_term frame_number(gen *g, const mb_joint *j, int i)
{
    return gen_number(g, i < 3 ? &j->marker[0].a[i] : &j->marker[0].A[i - 3]);
}

static void print_grabs(gen *g)
{
    for (int k = 0; k < g->m->joint_names.n; ++k) {
        const mb_joint *j = &g->m->joint[k];
        if (!j->grabs) {
            continue;
        }
        PUT("    if (joint == %d) { // %s\n    real frame[12];\n", gen_joint_switch(g, k),
            gen_comment(g->m->joint_names.name[k]).s);
        gen_print_pairing(g, j->marker, 0, MB_AXES_A | MB_AXES_B);
        PUT("    mb_pairing_grab(frame, &P);\n");
        for (int i = 0; i < FRAME; ++i) {
            PUT("    s->%s = frame[%d];\n", frame_number(g, j, i).s, i);
        }
        PUT("    }\n");
    }
}

static int some_grab(const gen *g)
{
    int some = 0;
    for (int k = 0; k < g->m->joint_names.n; ++k) {
        some |= g->m->joint[k].grabs;
    }
    return some;
}

void gen_print_kept_frames(gen *g)
{
    for (int k = 0; k < g->m->joint_names.n; ++k) {
        if (g->m->joint[k].grabs) {
            PUT("    if (s->by_event[%d] > 1.5) {\n", gen_joint_switch(g, k));
            for (int i = 0; i < FRAME; ++i) {
                const gen_term at = frame_number(g, &g->m->joint[k], i);
                PUT("        next.%s = s->%s;\n", at.s, at.s);
            }
            PUT("    }\n");
        }
    }
}

/* ---- the text --------------------------------------------------------------------------------- */

void gen_print_jumps(gen *g, const gen_key *start)
{
    if (!gen_jumps(g)) {
        return;
    }
    const gen_key own[] = {{"LENGTH", .real = g->length},
                           {"SWITCH_ROWS", .text = g->nmasks > g->ngaps ? "    switch_rows(s);\n" : ""},
                           {"OPEN_GAPS", .text = g->ngaps > 0
                                                     ? "    for (int k = 0; k < N_K; ++k) { // they are asked "
                                                       "afterwards\n        joints.on[N_JOINTS + k] = 0.0;\n    }\n"
                                                     : ""},
                           {"N_K", .count = g->ngaps},
                           {"N_JOINTS", .count = g->nmasks - g->ngaps},
                           {"GET_LA", .text = g->nc > 0 ? "        memcpy(w->la, s->la, sizeof w->la);\n" : ""}};
    enum { NOWN = sizeof own / sizeof own[0] };
    gen_key keys[NOWN + 64] = {{0}};
    memcpy(keys, own, sizeof own);
    for (int n = 0; start[n].name && n < 63; ++n) {
        keys[NOWN + n] = start[n];
    }
    gen_print_gaps(g, start);
    gen_put_filled(g, gen_text_jumps, keys);
    if (g->impulses) {
        gen_put_filled(g, gen_text_impulses, keys);
    }
    if (some_grab(g)) {
        PUT("/* A joint closes where it is. */\nstatic inline void grab(%s_state *s, int joint)\n{\n    %s_work work, "
            "*w = &work;\n    %s_rows y;\n    memset(w, 0, sizeof *w);\n    w->s = s;\n    w->t = s->t;\n    "
            "memcpy(w->q, s->q, sizeof w->q);\n    %s_rows_at(w, &y);\n",
            g->name, g->name, g->name, g->name);
        gen_print_with_constants(g, "s->k", print_grabs);
        PUT("}\n\n");
    }
}
