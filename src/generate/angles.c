/* What is remembered from step to step: angles whose turns are counted (MB.16), those that forces depend on, coordinates of joints that are
 * outputs, the three numbers of rotation vectors and angles of bodies; and points of contact. */
#include <stdio.h>

#include "generate/contacts_impl.h"
#include "mbs/output_impl.h"

int gen_angle_number(const gen *g, const mb_row *r)
{
    int k = 0;
    while (k < g->nmemory && g->angle[k].memory != r->memory) {
        ++k;
    }
    return k;
}

static void add_angle(gen *g, gen_angle a, const mb_row *row)
{
    if (g->nmemory < GEN_ANGLES) {
        a.memory = row->memory;
        a.rate = row->memory + 1;
        a.row = *row;
        a.row.memory = 0;
        g->angle[g->nmemory++] = a;
    }
}

int gen_turning_number(const gen *g, const mb_output *o)
{
    int k = 0;
    while (k < g->nmemory && g->angle[k].output != o) {
        ++k;
    }
    return k;
}

static void add_turning(gen *g, const mb_output *o, const char *name)
{
    for (int i = 0; g->nmemory + 3 - i <= GEN_ANGLES && i < 3; ++i) {
        g->angle[g->nmemory++] = (gen_angle){
            .memory = o->turning + i, .rate = o->turning + 3 + i, .name = name, .output = o, .component = i};
    }
}

static void list_of_force(gen *g, const mb_force *f)
{
    gen_angle own = {.name = gen_force_name(g, f), .marker = f->marker, .strict = 1};
    mb_turning a;
    if (strcmp(f->type->name, "contact") == 0) {
        gen_contact_memory(g, f);
        return;
    }
    if (f->row.memory > 0) {
        own.function = f->d.function;
        own.reference = &f->d.reference;
        add_angle(g, own, &f->row);
        return;
    }
    for (int n = 0; f->type->angles && f->type->angles(&a, f, n); ++n) {
        if (a.matters && a.row.memory > 0) {
            own.marker = a.marker;
            add_angle(g, own, &a.row);
        }
    }
}

dal_status gen_angles(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        list_of_force(g, &g->m->force[k]);
    }
    if (g->nmemory == GEN_ANGLES) {
        return dal_fail(g->ctx, DAL_EINVAL, "generate: forces follow more than %d angles", GEN_ANGLES - 1);
    }
    for (int k = 0; k < g->m->output_names.n + gen_hidden_outputs(g); ++k) {
        const mb_output *o = &g->m->output[k];
        const char *name = k < g->m->output_names.n ? g->m->output_names.name[k] : "of an event";
        if (strcmp(o->type->name, "coordinate") == 0 && o->row.memory > 0 && gen_wanted(g, o)) {
            const mb_joint *j = &g->m->joint[o->joint];
            const int driven = j->d.coordinate == DAL_COORDINATE_ROTATION && j->d.axis == o->row.i;
            add_angle(
                g, (gen_angle){.name = name, .marker = j->marker, .function = driven ? j->d.function : DAL_NO_FUNCTION},
                &o->row);
        } else if (o->turning > 0 && gen_wanted(g, o)) {
            add_turning(g, o, name);
        }
    }
    return DAL_OK;
}

void gen_print_turning(gen *g, int k, const char *when, const char *after)
{
    const mb_output *o = g->angle[k].output;
    const int angles = o->type->turning == MB_TURNING_ANGLES;
    PUT("    real turn[3], R[9];\n    ");
    gen_array(g, "A", o->marker.A, 9);
    PUT("    mat3_mul(R, 3, w->s_%s.R, 3, A, 3);\n", g->body[o->marker.body].id);
    if (angles) {
        PUT("    const int axis[3] = {%d, %d, %d};\n    turn_angles(turn, R, axis);\n", o->axis[0], o->axis[1],
            o->axis[2]);
    } else {
        PUT("    turn_vector(turn, R);\n");
    }
    PUT("    %s{\n    real near[3];\n    for (int i = 0; i < 3; ++i) {\n        near[i] = s->angle[%d + i]", when, k);
    PUT(after ? " + s->rate[%d + i] * %s;\n    }\n" : ";\n    }\n", k, after);
    PUT(angles ? "    turn_nearest_angles(turn, near, axis);\n    }\n"
               : "    turn_nearest_vector(turn, near);\n    }\n");
}

static void print_turning_rates(gen *g, int k)
{
    const mb_output *o = g->angle[k].output;
    const char *id = g->body[o->marker.body].id;
    if (o->type->turning == MB_TURNING_ANGLES) {
        PUT("    real yd[3], Om[3];\n    tmul3(Om, A, w->s_%s.Om);\n    turn_rates(yd, turn, axis, Om);\n", id);
    } else {
        PUT("    real yd[3];\n    copy3(yd, w->s_%s.om);\n", id);
    }
}

/* At an accepted state. A force must be able to rely on it. */
static void print_turns(gen *g)
{
    const gen_factor h = gen_power_text(g, g->h, 1);
    int contacts = 0;
    for (int k = 0; k < g->nmemory; ++k) {
        contacts |= g->angle[k].contact != NULL;
    }
    if (contacts && !gen_sweeps(g)) { // those of the last residual are an iteration old
        gen_print_states(g, "w->q", "w->v", "w->vd", 0);
    }
    PUT("    real_mask lost = real_all(0);\n");
    for (int k = 0; k < g->nmemory; ++k) {
        const gen_angle *a = &g->angle[k];
        if (a->component > 0) {
            continue;
        }
        PUT("    { // %s\n", gen_comment(a->name).s);
        if (a->contact) {
            gen_print_contact_memory(g, k, h.s);
            PUT("    }\n");
            continue;
        }
        if (a->output) {
            gen_print_turning(g, k, "", h.s);
            print_turning_rates(g, k);
            PUT("    for (int i = 0; i < 3; ++i) {\n        s->angle[%d + i] = real_select(solved, turn[i], "
                "s->angle[%d + "
                "i]);\n"
                "        s->rate[%d + i] = real_select(solved, yd[i], s->rate[%d + i]);\n    }\n    }\n",
                k, k, k, k);
            continue;
        }
        gen_print_along(g, a->marker, &a->row, "w->t");
        PUT("    const real last = s->angle[%d], slope = s->rate[%d], mean = last + 0.5 * %s * (slope + cd);\n", k, k,
            h.s);
        PUT("    const real angle = mb_nearest_turn(c, mean);\n");
        if (a->strict) {
            PUT("    const real seen = mb_nearest_turn(c, last + slope * %s);\n", h.s);
            PUT("    lost = lost | real_less(REAL(%.17g), real_abs(angle - mean)) | real_less(REAL(1.0), "
                "real_abs(angle - seen));\n",
                0.25 * MB_TURN);
        }
        PUT("    s->angle[%d] = real_select(solved, angle, last);\n    s->rate[%d] = real_select(solved, cd, "
            "slope);\n    }\n",
            k, k);
    }
}

void gen_print_memory(gen *g)
{
    if (g->nmemory == 0) {
        return;
    }
    PUT("/* Angles whose turns are counted, at the end of the step; where they cannot be, the run has failed (MB.16). "
        "*/\n");
    PUT("static inline void follow_turns(%s_state *s, %s_work *w, real_mask solved)\n{\n", g->name, g->name);
    gen_print_with_constants(g, "w->s->k", print_turns);
    PUT("    s->failed = s->failed | (solved & lost);\n}\n\n");
}

/* At the start: near to a reference, or as it is; where a motion goes on elsewhere (fresh = 1) near to what it was. */
static void print_first_angles(gen *g)
{
    for (int k = 0; k < g->nmemory; ++k) {
        const gen_angle *a = &g->angle[k];
        char text[2 * GEN_NAME];
        if (a->component > 0) {
            continue;
        }
        PUT("    { // %s\n", gen_comment(a->name).s);
        if (a->contact) {
            gen_print_contact_memory(g, k, NULL);
            PUT("    }\n");
            continue;
        }
        if (a->output) {
            gen_print_turning(g, k, "if (fresh == 1) ", NULL);
            print_turning_rates(g, k);
            PUT("    copy3(s->angle + %d, turn);\n    copy3(s->rate + %d, yd);\n    }\n", k, k);
            continue;
        }
        gen_print_along(g, a->marker, &a->row, "w->t");
        snprintf(text, sizeof text, "c");
        if (a->function > 0) {
            PUT("    real ref[3];\n");
            gen_print_function(g, a->function, "ref", "w->t");
            snprintf(text, sizeof text, "ref[0]");
        } else if (a->reference) {
            gen_number_text(g, text, sizeof text, a->reference);
        }
        PUT("    c = mb_nearest_turn(c, fresh == 1 ? s->angle[%d] : %s);\n", k, text);
        PUT("    s->angle[%d] = c;\n    s->rate[%d] = cd;\n    }\n", k, k);
    }
}

void gen_print_angles(gen *g)
{
    if (g->nmemory == 0) {
        return;
    }
    PUT("/* Angles whose turns are counted, at the start. */\n");
    PUT("static inline void start_angles(%s_state *s, const %s_work *w, int fresh)\n{\n", g->name, g->name);
    gen_print_with_constants(g, "w->s->k", print_first_angles);
    PUT("    (void)fresh;\n}\n\n");
}

void gen_print_first_angles_call(gen *g)
{
    if (g->nmemory > 0) {
        PUT("    start_angles(s, &w, fresh);\n    %s_rows_at(&w, &y);\n", g->name);
    }
}

void gen_print_angles_call(gen *g)
{
    if (g->nmemory > 0) {
        PUT("    memcpy(w.v, s->v, sizeof w.v);\n    %s_rows_at(&w, &y);\n    start_angles(s, &w, fresh);\n", g->name);
    }
}
