/* Rows that hold from one side, limits and ropes with the rigid law: where they touch and lift, impacts. They are masks as joints that are
 * switched (masks.c); the rest is gaps.txt, which goes about it as src/sim does. */
#include "generate/generate_impl.h"

dal_status gen_gaps(gen *g)
{
    for (int k = 0; k < g->m->nconstraints; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        const mb_joint *j = c->contact > 0 ? &g->m->joint[c->joint] : NULL;
        if (!j) {
            continue;
        }
        if (strcmp(j->type->name, "limit") != 0 && strcmp(j->type->name, "rope") != 0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: joint '%s' is of type %s, which generated code does not have; limits and ropes "
                            "it has, and forces of type contact",
                            gen_joint_name(g, c), j->type->name);
        }
        if (j->d.release != 0.0 || j->switching > 0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: joint '%s' of type %s is switched while it runs, which generated code does not "
                            "have for contacts",
                            gen_joint_name(g, c), j->type->name);
        }
        g->ngaps++;
    }
    if (g->ngaps > 0 && g->opt.impacts == DAL_IMPACTS_CAPTURED) {
        return dal_fail(g->ctx, DAL_EINVAL,
                        "generate: impacts = captured is not for generated code; set impacts = located");
    }
    return DAL_OK;
}

static const mb_constraint *gap_of(const gen *g, int number)
{
    const mb_constraint *c = g->m->constraint;
    while (c->contact != number + 1) {
        ++c;
    }
    return c;
}

/* ---- the text --------------------------------------------------------------------------------- */

static void print_rows(gen *g)
{
    for (int k = 0; k < g->ngaps; ++k) {
        PUT("%s%d", k > 0 ? ", " : "", gap_of(g, k)->row0);
    }
}

static void print_units(gen *g)
{
    char text[GEN_NAME];
    for (int i = 0; i < g->nv; ++i) {
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, g->unit[i]));
    }
}

static void print_reaches(gen *g)
{
    char text[GEN_NAME];
    for (int i = 0; i < g->nc; ++i) {
        PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, g->tolerance[g->nv + i]));
    }
}

static void print_restitutions(gen *g)
{
    char text[2 * GEN_NAME];
    for (int k = 0; k < g->ngaps; ++k) {
        gen_number_text(g, text, sizeof text, &g->m->joint[gap_of(g, k)->joint].d.restitution);
        PUT("    e[%d] = %s;\n", k, text);
    }
}

/* Before the first rows are printed, and before the numbers that follow from parameters. */
void gen_print_gap_numbers(gen *g)
{
    if (g->ngaps == 0) {
        return;
    }
    PUT("/* Velocity after an impact to that before. */\nstatic inline void gap_restitution(const %s_state *s, real "
        "e[%d])\n{\n"
        "    (void)s;\n",
        g->name, g->ngaps);
    gen_print_with_constants(g, "s->k", print_restitutions);
    PUT("}\n\n");

    int angles = 0;
    for (int k = 0; k < g->ngaps; ++k) {
        angles |= gap_of(g, k)->row[0].type->angle;
    }
    if (angles) {
        PUT("/* A gap that is an angle: its turns are counted from the last final state on. */\nstatic inline real "
            "gap_counted(const %s_work *w, int k, real phi)\n{\n    const %s_state *s = w->s;\n    return s->fastest > "
            "0.0 "
            "? mb_nearest_turn(phi, s->gap[k] + s->gap_rate[k] * (w->t - s->gap_t)) : phi;\n}\n\n",
            g->name, g->name);
    }
}

void gen_print_gaps(gen *g, const gen_key *start)
{
    if (g->ngaps == 0) {
        return;
    }
    const gen_key own[] = {{"N_K", .count = g->ngaps},
                           {"N_KK", .count = g->ngaps * g->ngaps},
                           {"N_JOINTS", .count = g->nmasks - g->ngaps},
                           {"LENGTH", .real = g->length},
                           {"H_MODEL", .real = g->h},
                           {"WORK_SCALE", .real = g->work},
                           {"GAP_ROWS", .print = print_rows},
                           {"UNITS", .print = print_units},
                           {"REACHES", .print = print_reaches}};
    enum { NOWN = sizeof own / sizeof own[0] };
    gen_key keys[NOWN + 64] = {{0}};
    memcpy(keys, own, sizeof own);
    for (int n = 0; start[n].name && n < 63; ++n) {
        keys[NOWN + n] = start[n];
    }
    gen_put_filled(g, gen_text_gaps, keys);
}
