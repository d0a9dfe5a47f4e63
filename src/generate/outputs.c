/* Energy and outputs. */
#include <stdio.h>

#include "generate/generate_impl.h"
#include "mbs/output_impl.h"

static int is(const mb_output *o, const char *quantity)
{
    return strcmp(o->type->name, quantity) == 0;
}

int gen_wanted(const gen *g, const mb_output *o)
{
    const char *name = g->m->output_names.name[o - g->m->output];
    int found = g->how->outputs == NULL;
    for (int k = 0; k < g->how->noutputs && !found; ++k) {
        found = strcmp(g->how->outputs[k], name) == 0;
    }
    return found;
}

/* Outputs that programs have. */
static int taken(const gen *g, const mb_output *o)
{
    static const char *const known[] = {"position",
                                        "quaternion",
                                        "matrix",
                                        "velocity",
                                        "acceleration",
                                        "angular_velocity",
                                        "angular_acceleration",
                                        "coordinate",
                                        "coordinate_velocity",
                                        "force",
                                        "torque",
                                        "multipliers",
                                        "force_value",
                                        "state",
                                        "kinetic_energy",
                                        "potential_energy",
                                        "energy",
                                        "centre_of_mass"};
    int found = 0;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        found |= is(o, known[k]);
    }
    if (!gen_wanted(g, o)) {
        return 0;
    }
    if (is(o, "coordinate") && o->row.memory > 0) {
        return gen_angle_number(g, &o->row) < g->nmemory; // there may be too many
    }
    if (is(o, "quaternion")) {
        const mb_body *b = &g->m->body[o->marker.body];
        const double *A = o->marker.A;
        found = gen_chart_of(b)->quaternion && A[0] == 1.0 && A[4] == 1.0 && A[8] == 1.0;
    }
    if (is(o, "force") || is(o, "torque") || is(o, "multipliers")) {
        const mb_joint *j = &g->m->joint[o->joint];
        // multipliers that are shared out are not those of the steps
        const int shared = g->nleft_out > 0 && g->opt.redundant == DAL_REDUNDANT_LEAST_NORM;
        found = found && !shared && !j->type->wrench && !j->type->free_bodies;
    }
    return found;
}

int gen_output_count(const gen *g, int *first)
{
    int n = 0;
    for (int k = 0; k < g->m->output_names.n; ++k) {
        const int has = taken(g, &g->m->output[k]);
        if (first) {
            first[k] = has ? n : -1;
        }
        n += has ? g->m->output[k].n : 0;
    }
    return n;
}

void gen_print_output_types(gen *g)
{
    int n = 0;
    PUT("%sreal %s_energy(const %s_state *s); /* kinetic and potential */\n", g->api, g->name, g->name);
    PUT("/* Outputs of the model at a state, y[%d]:\n", gen_output_count(g, NULL) > 0 ? gen_output_count(g, NULL) : 1);
    for (int k = 0; k < g->m->output_names.n; ++k) {
        const mb_output *o = &g->m->output[k];
        if (taken(g, o)) {
            PUT(" *     y[%d]%s %s: %s\n", n, o->n > 1 ? " ..." : "", gen_comment(g->m->output_names.name[k]).s,
                o->type->name);
            n += o->n;
        } else if (gen_wanted(g, o)) {
            PUT(" *     without %s: %s\n", gen_comment(g->m->output_names.name[k]).s, o->type->name);
        }
    }
    PUT(" */\n%svoid %s_outputs(const %s_state *s, real y[]);\n\n", g->api, g->name, g->name);
}

/* ---- energy ----------------------------------------------------------------------------------- */

static void print_energies(gen *g)
{
    gen_print_states(g, "s->q", "s->v", "s->vd", 0);
    PUT("    real T = REAL(0.0), V = REAL(0.0);\n");
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        PUT("    { // %s\n    ", gen_comment(g->m->body_names.name[i]).s);
        gen_array(g, "gravity", g->at->gravity, 3);
        PUT("    ");
        gen_array(g, "m", &b->m, 1);
        PUT("    ");
        gen_array(g, "mc", b->mc, 3);
        PUT("    ");
        gen_array(g, "J", b->J, 9);
        PUT("    T += inertia_kinetic(m[0], mc, J, &w->s_%s);\n    V += inertia_weight(m[0], mc, &w->s_%s, gravity);\n "
            "   }\n",
            g->body[i].id, g->body[i].id);
    }
    gen_print_potentials(g);
}

static void print_at_state(gen *g, void (*body)(gen *g))
{
    PUT("    %s_work at, *w = &at;\n    w->s = s;\n    w->t = s->t;\n", g->name);
    gen_print_with_constants(g, "s->k", body);
}

void gen_print_energy(gen *g)
{
    PUT("/* Kinetic and potential energy. */\nstatic inline void energies(real E[2], const %s_state *s)\n{\n", g->name);
    print_at_state(g, print_energies);
    PUT("    E[0] = T;\n    E[1] = V;\n}\n\n");
    PUT("%sreal %s_energy(const %s_state *s)\n{\n    real E[2];\n    energies(E, s);\n    return E[0] + E[1];\n}\n\n",
        g->api, g->name, g->name);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

/* The value of a force, with q, v and lambda where laws read them. */
static void print_of_force(gen *g, const mb_output *o, int first)
{
    const mb_force *f = &g->m->force[o->force];
    char to[32];
    snprintf(to, sizeof to, "y[%d]", first);
    if (is(o, "state")) {
        PUT("    %s = s->v[%d];\n", to, f->v);
        return;
    }
    PUT("    memcpy(w->q, s->q, sizeof w->q);\n    memcpy(w->v, s->v, sizeof w->v);\n");
    if (g->nc > 0) {
        PUT("    memcpy(w->la, s->la, sizeof w->la);\n");
    }
    (f->type->inputs ? gen_print_law_value : gen_print_along_value)(g, f, to);
}

/* The values of output o from a vector of all of them. */
static void copy_out(gen *g, const mb_output *o, int first, const char *from)
{
    if (o->part >= 0) {
        PUT("    y[%d] = %s[%d];\n", first, from, o->part);
    } else {
        PUT("    memcpy(y + %d, %s, %d * sizeof(real));\n", first, from, o->n);
    }
}

static void in_axes(gen *g, const mb_output *o, int body, int first, const char *from)
{
    if (o->d.body_axes && body > 0) {
        PUT("    real turned[3];\n    tmul3(turned, w->s_%s.R, %s);\n", g->body[body].id, from);
        copy_out(g, o, first, "turned");
    } else {
        copy_out(g, o, first, from);
    }
}

static void print_of_body(gen *g, const mb_output *o, int first)
{
    const char *id = g->body[o->marker.body].id;
    char from[3 * GEN_NAME];
    if (is(o, "angular_velocity") || is(o, "angular_acceleration")) {
        const int velocity = is(o, "angular_velocity");
        snprintf(from, sizeof from, "w->s_%s.%s", id,
                 velocity         ? (o->d.body_axes ? "Om" : "om")
                 : o->d.body_axes ? "Omd"
                                  : "al");
        copy_out(g, o, first, from);
        return;
    }
    if (is(o, "quaternion")) {
        snprintf(from, sizeof from, "(s->q + %d)", g->m->body[o->marker.body].q + 3);
        copy_out(g, o, first, from);
        return;
    }
    PUT("    mb_side S;\n    ");
    gen_array(g, "a", o->marker.a, 3);
    PUT("    ");
    gen_array(g, "A", o->marker.A, 9);
    PUT("    mb_side_at(&S, &w->s_%s, a, A, 2, 1);\n", id);
    if (is(o, "matrix")) {
        PUT("    real by_rows[9];\n    for (int i = 0; i < 9; ++i) {\n        by_rows[i] = S.E[i / 3 + 3 * (i %% "
            "3)];\n    }\n");
        copy_out(g, o, first, "by_rows");
    } else if (is(o, "position")) {
        copy_out(g, o, first, "S.p");
    } else {
        in_axes(g, o, o->marker.body, first, is(o, "velocity") ? "S.pd" : "S.pdd");
    }
}

/* Force and torque on B at the origin of its frame: -sum lambda (u_B, w_B). */
static void print_of_joint(gen *g, const mb_output *o, int first)
{
    const mb_joint *j = &g->m->joint[o->joint];
    PUT("    real f[6];\n    memset(f, 0, sizeof f);\n");
    for (int k = j->first; k < j->first + j->count; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        PUT("    {\n");
        gen_print_pairing(g, c->marker, 0, MB_AXES_A | MB_AXES_B);
        for (int i = 0; i < c->npoint; ++i) {
            PUT("    f[%d] -= s->la[%d];\n", i, c->row0 + i);
        }
        for (int i = 0; i < c->nscalar; ++i) {
            PUT("    {\n    real gr[12];\n");
            gen_print_gradient(g, &c->row[i], "gr");
            PUT("    axpy3(f, -s->la[%d], gr + 6);\n    axpy3(f + 3, -s->la[%d], gr + 9);\n    }\n",
                c->row0 + c->npoint + i, c->row0 + c->npoint + i);
        }
        PUT("    (void)P;\n    }\n");
    }
    in_axes(g, o, j->marker[1].body, first, is(o, "force") ? "f" : "(f + 3)");
}

static void print_coordinate(gen *g, const mb_output *o, int first)
{
    gen_print_pairing(g, g->m->joint[o->joint].marker, 1, o->row.type->axes);
    if (is(o, "coordinate")) {
        char to[32];
        snprintf(to, sizeof to, "y[%d]", first);
        gen_print_phi(g, &o->row, to);
        if (o->row.memory > 0) {
            PUT("    %s = mb_nearest_turn(%s, s->angle[%d]);\n", to, to, gen_angle_number(g, &o->row));
        }
    } else {
        PUT("    real gr[12];\n");
        gen_print_gradient(g, &o->row, "gr");
        PUT("    y[%d] = row_rate(gr, &P);\n", first);
    }
}

static void print_centre(gen *g, const mb_output *o, int first)
{
    PUT("    real sum[3], mass = REAL(0.0);\n    memset(sum, 0, sizeof sum);\n");
    for (int i = 1; i < g->m->body_names.n; ++i) {
        const mb_body *b = &g->m->body[i];
        PUT("    {\n    ");
        gen_array(g, "m", &b->m, 1);
        PUT("    ");
        gen_array(g, "mc", b->mc, 3);
        PUT("    real c[3];\n    mat3_mul_vec(c, w->s_%s.R, 3, mc);\n    axpy3(c, m[0], w->s_%s.x);\n    add3(sum, "
            "sum, c);\n"
            "    mass += m[0];\n    }\n",
            g->body[i].id, g->body[i].id);
    }
    PUT("    scale3(sum, 1.0 / mass, sum);\n");
    copy_out(g, o, first, "sum");
}

static void print_outputs(gen *g)
{
    int first = 0, energy = 0;
    gen_print_states(g, "s->q", "s->v", "s->vd", 0);
    for (int k = 0; k < g->m->output_names.n; ++k) {
        const mb_output *o = &g->m->output[k];
        energy |= taken(g, o) && strstr(o->type->name, "energy") != NULL;
    }
    if (energy) {
        PUT("    real E[2];\n    energies(E, s);\n");
    }
    for (int k = 0; k < g->m->output_names.n; ++k) {
        const mb_output *o = &g->m->output[k];
        if (!taken(g, o)) {
            continue;
        }
        PUT("    { // %s\n", gen_comment(g->m->output_names.name[k]).s);
        if (o->type->of == MB_OF_BODY) {
            print_of_body(g, o, first);
        } else if (is(o, "force") || is(o, "torque")) {
            print_of_joint(g, o, first);
        } else if (is(o, "multipliers")) {
            char from[64];
            snprintf(from, sizeof from, "(s->la + %d)", g->m->constraint[g->m->joint[o->joint].first].row0);
            copy_out(g, o, first, from);
        } else if (is(o, "coordinate") || is(o, "coordinate_velocity")) {
            print_coordinate(g, o, first);
        } else if (is(o, "force_value") || is(o, "state")) {
            print_of_force(g, o, first);
        } else if (is(o, "centre_of_mass")) {
            print_centre(g, o, first);
        } else {
            PUT("    y[%d] = %s;\n", first,
                is(o, "energy")           ? "E[0] + E[1]"
                : is(o, "kinetic_energy") ? "E[0]"
                                          : "E[1]");
        }
        PUT("    }\n");
        first += o->n;
    }
}

void gen_print_outputs(gen *g)
{
    PUT("%svoid %s_outputs(const %s_state *s, real y[])\n{\n", g->api, g->name, g->name);
    print_at_state(g, print_outputs);
    PUT("    (void)w;\n    (void)y;\n}\n\n");
}
