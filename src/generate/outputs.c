/* Energy and outputs. */
#include <stdio.h>

#include "generate/contacts_impl.h"
#include "generate/flexible_impl.h"
#include "mbs/output_impl.h"

static int is(const mb_output *o, const char *quantity)
{
    return strcmp(o->type->name, quantity) == 0;
}

int gen_wanted(const gen *g, const mb_output *o)
{
    const int hidden = o - g->m->output >= g->m->output_names.n; // an event needs it
    const char *name = hidden ? "" : g->m->output_names.name[o - g->m->output];
    int found = hidden || g->how->outputs == NULL;
    for (int k = 0; k < g->how->noutputs && !found; ++k) {
        found = strcmp(g->how->outputs[k], name) == 0;
    }
    return found;
}

/* ---- energy ----------------------------------------------------------------------------------- */

static void print_masses(gen *g, int i)
{
    const mb_body *b = &g->m->body[i];
    gen_array(g, "m", &b->m, 1);
    PUT("    ");
    gen_array(g, "mc", b->mc, 3);
    PUT("    ");
    gen_array(g, "J", b->J, 9);
}

static void print_energies(gen *g)
{
    gen_print_states(g, "s->q", "s->v", "s->vd", 0);
    PUT("    real T = REAL(0.0), V = REAL(0.0);\n");
    for (int i = 1; i < g->m->body_names.n; ++i) {
        if (g->m->body[i].flex) {
            gen_print_flexible_energies(g, i);
            continue;
        }
        PUT("    { // %s\n    ", gen_comment(g->m->body_names.name[i]).s);
        gen_array(g, "gravity", g->at->gravity, 3);
        PUT("    ");
        print_masses(g, i);
        PUT("    T += inertia_kinetic(m[0], mc, J, &w->s_%s);\n    V += inertia_weight(m[0], mc, &w->s_%s, gravity);\n "
            "   }\n",
            g->body[i].id, g->body[i].id);
    }
    gen_print_potentials(g);
}

void gen_print_at_state(gen *g, void (*body)(gen *g))
{
    PUT("    %s_work at, *w = &at;\n    w->s = s;\n    w->t = s->t;\n", g->name);
    gen_print_with_constants(g, "s->k", body);
}

void gen_print_energy(gen *g)
{
    PUT("/* Kinetic and potential energy. */\nstatic inline void energies(real E[2], const %s_state *s)\n{\n", g->name);
    gen_print_at_state(g, print_energies);
    PUT("    E[0] = T;\n    E[1] = V;\n}\n\n");
    PUT("%sreal %s_energy(const %s_state *s)\n{\n    real E[2];\n    energies(E, s);\n    return E[0] + E[1];\n}\n\n",
        g->api, g->name, g->name);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

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

/* The value of a force; of a joint with one row: what it exerts along its coordinate. */
static void print_of_force(gen *g, const mb_output *o, int first)
{
    char to[32];
    snprintf(to, sizeof to, "y[%d]", first);
    if (o->joint >= 0) {
        PUT("    %s = -w->la[%d];\n", to, g->m->constraint[g->m->joint[o->joint].first].row0);
        return;
    }
    const mb_force *f = &g->m->force[o->force];
    if (is(o, "state")) {
        PUT("    %s = s->v[%d];\n", to, f->v);
    } else if (strcmp(f->type->name, "contact") == 0) {
        PUT("    %s = REAL(0.0);\n", to);
        gen_print_contact_sum(g, f, "F", to);
    } else {
        PUT("    %s = REAL(0.0);\n", to);
        gen_open_switched(g, f);
        (f->type->inputs         ? gen_print_law_value
         : f->type->element.mass ? gen_print_armature_value
                                 : gen_print_along_value)(g, f, to);
        gen_close_switched(g, f);
    }
}

static void print_rotation(gen *g, const mb_output *o, int first)
{
    const int velocity = is(o, "angular_velocity");
    char from[3 * GEN_NAME];
    snprintf(from, sizeof from, "w->s_%s.%s", g->body[o->marker.body].id,
             velocity         ? (o->d.body_axes ? "Om" : "om")
             : o->d.body_axes ? "Omd"
                              : "al");
    copy_out(g, o, first, from);
}

/* Of a body whose coordinates are others: that of its matrix, with the sign of the one that continues the motion. */
static void print_quaternion_of_matrix(gen *g, const mb_output *o, int first)
{
    const mb_body *b = &g->m->body[o->marker.body];
    const double *f = o->d.frame.rotation, none[4] = {1.0, 0.0, 0.0, 0.0};
    const char *id = g->body[o->marker.body].id;
    PUT("    real R[9], p[4], body[4] = {REAL(1.0), REAL(0.0), REAL(0.0), REAL(0.0)}, out[4];\n    ");
    gen_array(g, "A", o->marker.A, 9);
    PUT("    ");
    gen_array(g, "frame", f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0 || f[3] != 0.0 ? f : none, 4);
    PUT("    mat3_mul(R, 3, w->s_%s.R, 3, A, 3);\n", id);
    if (gen_is(b, MB_CHART_CARDAN)) {
        PUT("    body_angle_quaternion(body, axis_%s, s->q + %d);\n", id, b->q + 3);
    } else if (gen_is(b, MB_CHART_VECTOR)) {
        PUT("    turn_of_vector(body, s->q + %d);\n", b->q + 3);
    } else if (gen_is(b, MB_CHART_EULER) || gen_is(b, MB_CHART_TEXTBOOK) || gen_is_node(b)) {
        PUT("    memcpy(body, s->q + %d, sizeof body);\n", b->q + 3);
    } else if (gen_chart_of(b)->about_z) {
        PUT("    body[0] = real_cos(0.5 * s->q[%d]);\n    body[3] = real_sin(0.5 * s->q[%d]);\n", b->q + 2, b->q + 2);
    }
    PUT("    quat_mul(p, body, frame);\n    turn_signed(out, R, p);\n");
    copy_out(g, o, first, "out");
}

static void print_quaternion(gen *g, const mb_output *o, int first)
{
    const double *f = o->d.frame.rotation;
    const int q = g->m->body[o->marker.body].q + 3;
    char from[GEN_NAME];
    if (!gen_chart_of(&g->m->body[o->marker.body])->quaternion) {
        print_quaternion_of_matrix(g, o, first);
        return;
    }
    if (f[1] != 0.0 || f[2] != 0.0 || f[3] != 0.0) {
        PUT("    real p[4];\n    ");
        gen_array(g, "frame", f, 4);
        PUT("    quat_mul(p, s->q + %d, frame);\n", q);
        copy_out(g, o, first, "p");
        return;
    }
    snprintf(from, sizeof from, "(s->q + %d)", q);
    copy_out(g, o, first, from);
}

/* Rotation vectors and angles are followed, see angles.c; what is remembered may be the last iteration of a step old. */
static void print_turning(gen *g, const mb_output *o, int first)
{
    gen_print_turning(g, gen_turning_number(g, o), "", NULL);
    copy_out(g, o, first, "turn");
}

static void print_point(gen *g, const mb_output *o, int first)
{
    PUT("    mb_side S;\n    ");
    gen_array(g, "a", o->marker.a, 3);
    PUT("    ");
    gen_array(g, "A", o->marker.A, 9);
    PUT("    mb_side_at(&S, &w->s_%s, a, A, 2, 1);\n", g->body[o->marker.body].id);
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
    if (j->type->wrench) {
        gen_print_reaction(g, &g->m->constraint[j->first], o->side);
        in_axes(g, o, j->bodies[o->side], first, is(o, "force") ? "f" : "(f + 3)");
        return;
    }
    for (int k = j->first; k < j->first + j->count; ++k) {
        const mb_constraint *c = &g->m->constraint[k];
        PUT("    {\n");
        gen_print_pairing(g, c->marker, 0, MB_AXES_A | MB_AXES_B);
        for (int i = 0; i < c->npoint; ++i) {
            PUT("    f[%d] -= w->la[%d];\n", i, c->row0 + i);
        }
        for (int i = 0; i < c->nscalar; ++i) {
            PUT("    {\n    real gr[12];\n");
            gen_print_gradient(g, &c->row[i], "gr");
            PUT("    axpy3(f, -w->la[%d], gr + 6);\n    axpy3(f + 3, -w->la[%d], gr + 9);\n    }\n",
                c->row0 + c->npoint + i, c->row0 + c->npoint + i);
        }
        PUT("    (void)P;\n    }\n");
    }
    in_axes(g, o, j->marker[1].body, first, is(o, "force") ? "f" : "(f + 3)");
}

static void print_multipliers(gen *g, const mb_output *o, int first)
{
    char from[64];
    snprintf(from, sizeof from, "(w->la + %d)", g->m->constraint[g->m->joint[o->joint].first].row0);
    copy_out(g, o, first, from);
}

/* Rows of a joint at one of three levels. */
static void print_rows(gen *g, const mb_output *o, int first)
{
    char from[64];
    snprintf(from, sizeof from, "(rows.%s + %d)",
             is(o, "residual")            ? "Phi"
             : is(o, "residual_velocity") ? "vel"
                                          : "acc",
             g->m->constraint[g->m->joint[o->joint].first].row0);
    copy_out(g, o, first, from);
}

/* Of a wheel, disk or sphere with the plane that it rolls on. */
static void print_contact_point(gen *g, const mb_output *o, int first)
{
    const mb_joint *j = &g->m->joint[o->joint];
    char radius[2 * GEN_NAME];
    gen_number_text(g, radius, sizeof radius, &g->m->constraint[j->first].row[0].c);
    gen_print_pairing(g, j->marker, 0, MB_AXES_A | MB_AXES_B);
    PUT("    const row_contact K = %s(%s, &P);\n    real out[3];\n    add3(out, K.rho, P.side[1].p);\n",
        j->type->contact == &mb_row_sphere_slip ? "roll_sphere" : "roll_disk", radius);
    copy_out(g, o, first, "out");
}

static void print_coordinate(gen *g, const mb_output *o, int first)
{
    char to[32];
    gen_print_pairing(g, g->m->joint[o->joint].marker, is(o, "coordinate_acceleration") ? 2 : 1, o->row.type->axes);
    snprintf(to, sizeof to, "y[%d]", first);
    if (is(o, "coordinate")) {
        gen_print_phi(g, &o->row, to);
        if (o->row.memory > 0) {
            PUT("    %s = mb_nearest_turn(%s, s->angle[%d]);\n", to, to, gen_angle_number(g, &o->row));
        }
        return;
    }
    PUT("    real gr[12];\n");
    gen_print_gradient(g, &o->row, "gr");
    if (is(o, "coordinate_velocity")) {
        PUT("    %s = row_rate(gr, &P);\n", to);
        return;
    }
    PUT("    real z[12];\n");
    gen_print_contract(g, &o->row, "z");
    PUT("    %s = row_acceleration(gr, z, &P);\n", to);
}

static void print_power(gen *g, const mb_output *o, int first)
{
    char to[32];
    snprintf(to, sizeof to, "y[%d]", first);
    PUT("    %s = REAL(0.0);\n", to);
    if (o->joint >= 0) {
        gen_print_rows_power(g, g->m->joint[o->joint].first, g->m->joint[o->joint].count, to);
    } else {
        gen_print_force_power(g, &g->m->force[o->force], to, "");
    }
}

static void print_integral(gen *g, const mb_output *o, int first)
{
    PUT("    y[%d] = s->sum[%d];\n", first, gen_sum_number(g, o));
}

static void print_of_mass(gen *g, const mb_output *o, int first)
{
    PUT("    real mass = REAL(0.0), c[3], p[3], L[3];\n    memset(c, 0, sizeof c);\n    memset(p, 0, sizeof p);\n"
        "    memset(L, 0, sizeof L);\n");
    for (int i = 1; i < g->m->body_names.n; ++i) {
        if (g->m->body[i].flex) {
            gen_print_flexible_sums(g, i);
            continue;
        }
        PUT("    {\n    ");
        print_masses(g, i);
        PUT("    inertia_sums(c, p, L, m[0], mc, J, &w->s_%s);\n    mass += m[0];\n    }\n", g->body[i].id);
    }
    PUT(is(o, "centre_of_mass") ? "    scale3(c, 1.0 / mass, c);\n" : "    (void)mass;\n");
    copy_out(g, o, first, is(o, "centre_of_mass") ? "c" : is(o, "momentum") ? "p" : "L");
}

/* Of stops and ropes, which have no friction: each of their gaps, where nothing slides or sticks. */
static void print_touch(gen *g, const mb_output *o, int first)
{
    const mb_joint *j = &g->m->joint[o->joint];
    for (int i = 0; i < o->n; ++i) {
        const int k = j->first + (o->part >= 0 ? o->part : i), row = g->m->constraint[k].row0, mask = gen_mask_of(g, k);
        PUT("    y[%d] = ", first + i);
        if (is(o, "gap")) {
            PUT("gaps.Phi[%d];\n", row);
        } else if (is(o, "p_n")) {
            PUT("-w->la[%d];\n", row);
        } else if (is(o, "case")) {
            PUT("s->on[%d];\n", mask);
        } else if (is(o, "impulse")) {
            PUT("s->impulse[%d];\n", mask - (g->nmasks - g->ngaps));
        } else {
            PUT("REAL(0.0);\n");
        }
    }
}

/* Rows at the state as if all gaps were closed. */
static void print_all_gaps(gen *g)
{
    PUT("    %s_rows gaps;\n    %s_state closed = *s;\n    for (int i = %d; i < %d; ++i) {\n        closed.on[i] = "
        "1.0;\n    "
        "}\n"
        "    w->s = &closed;\n    %s_rows_at(w, &gaps);\n    w->s = s;\n",
        g->name, g->name, g->nmasks - g->ngaps, g->nmasks, g->name);
}

static void print_total(gen *g, const mb_output *o, int first)
{
    PUT("    y[%d] = %s;\n", first, is(o, "energy") ? "E[0] + E[1]" : is(o, "kinetic_energy") ? "E[0]" : "E[1]");
}

static void print_section(gen *g, const mb_output *o, int first)
{
    gen_print_section(g, o);
    copy_out(g, o, first,
             is(o, "section_force")    ? "all"
             : is(o, "section_moment") ? "(all + 3)"
             : is(o, "strain")         ? "(all + 6)"
                                       : "(all + 9)");
    PUT("    }\n");
}

static void print_modal(gen *g, const mb_output *o, int first)
{
    const mb_body *b = &g->m->body[o->marker.body];
    const int velocity = is(o, "modal_velocities");
    char from[GEN_NAME];
    snprintf(from, sizeof from, "(s->%c + %d)", velocity ? 'v' : 'q', velocity ? b->v + 6 : b->q + 7);
    copy_out(g, o, first, from);
}

static void print_recovered(gen *g, const mb_output *o, int first)
{
    gen_print_recovery(g, o->marker.body);
    copy_out(g, o, first, "all");
    PUT("    }\n");
}

/* What an output needs besides the states of the bodies. */
enum { ENERGIES = 1, STATE = 2, ROWS = 4, LAMBDA = 8, GAPS = 16 };

/* Outputs that programs have. */
static const struct printer {
    const char *name;
    void (*print)(gen *g, const mb_output *o, int first);
    unsigned needs;
} printers[] = {{"position", print_point, 0},
                {"matrix", print_point, 0},
                {"velocity", print_point, 0},
                {"acceleration", print_point, 0},
                {"quaternion", print_quaternion, 0},
                {"rotation_vector", print_turning, 0},
                {"euler_angles", print_turning, 0},
                {"angular_velocity", print_rotation, 0},
                {"angular_acceleration", print_rotation, 0},
                {"coordinate", print_coordinate, 0},
                {"coordinate_velocity", print_coordinate, 0},
                {"coordinate_acceleration", print_coordinate, 0},
                {"force", print_of_joint, STATE | LAMBDA},
                {"torque", print_of_joint, STATE | LAMBDA},
                {"multipliers", print_multipliers, STATE | LAMBDA},
                {"contact_point", print_contact_point, 0},
                {"gap", print_touch, STATE | GAPS},
                {"slip", print_touch, 0},
                {"p_n", print_touch, STATE | LAMBDA},
                {"p_t", print_touch, 0},
                {"case", print_touch, 0},
                {"impulse", print_touch, 0},
                {"slip_path", print_touch, 0},
                {"stick_time", print_touch, 0},
                {"residual", print_rows, STATE | ROWS},
                {"residual_velocity", print_rows, STATE | ROWS},
                {"residual_acceleration", print_rows, STATE | ROWS},
                {"force_value", print_of_force, STATE | LAMBDA},
                {"state", print_of_force, 0},
                {"power", print_power, STATE | LAMBDA},
                {"work", print_integral, 0},
                {"dissipated_energy", print_integral, 0},
                {"drive_work", print_integral, 0},
                {"section_force", print_section, 0},
                {"section_moment", print_section, 0},
                {"strain", print_section, 0},
                {"curvature", print_section, 0},
                {"modal_coordinates", print_modal, 0},
                {"modal_velocities", print_modal, 0},
                {"recovery", print_recovered, 0},
                {"kinetic_energy", print_total, ENERGIES},
                {"potential_energy", print_total, ENERGIES},
                {"energy", print_total, ENERGIES},
                {"momentum", print_of_mass, 0},
                {"angular_momentum", print_of_mass, 0},
                {"centre_of_mass", print_of_mass, 0}};

/* How a program computes an output; NULL: it leaves it out. */
static const struct printer *printer_of(const gen *g, const mb_output *o)
{
    const struct printer *found = NULL;
    for (size_t k = 0; k < sizeof printers / sizeof printers[0]; ++k) {
        found = is(o, printers[k].name) ? &printers[k] : found;
    }
    if (!found || !gen_wanted(g, o)) {
        return NULL;
    }
    const mb_joint *j = o->joint >= 0 ? &g->m->joint[o->joint] : NULL;
    int has = 1;
    if (is(o, "coordinate") && o->row.memory > 0) {
        has = gen_angle_number(g, &o->row) < g->nmemory; // there may be too many
    } else if (found->print == print_turning) {
        has = gen_turning_number(g, o) < g->nmemory;
    } else if (found->print == print_integral) {
        has = gen_sum_number(g, o) < g->nsums;
    } else if (j && found->print != print_rows && found->print != print_coordinate &&
               found->print != print_contact_point && found->print != print_touch) {
        // forces on a body that is there twice are not told apart
        has = gen_shares(g) >= gen_shared_out(g, NULL) &&
              !(found->print == print_of_joint && j->type->wrench && j->d.nbodies == 2 && j->bodies[0] == j->bodies[1]);
    } else if (found->print == print_power || found->print == print_of_force) {
        has = gen_shares(g) >= gen_shared_out(g, &g->m->force[o->force]);
    }
    // rows by coefficients have no residual of their own
    for (int k = 0; j && found->print == print_rows && k < j->count; ++k) {
        has = has && g->m->constraint[j->first + k].type->form != MB_FORM_COEFFICIENTS;
    }
    return has ? found : NULL;
}

int gen_output_known(const gen *g, const mb_output *o)
{
    return printer_of(g, o) != NULL;
}

/* All that the wanted outputs need. */
static unsigned needs_of(const gen *g, int from, int to)
{
    unsigned needs = 0;
    for (int k = from; k < to; ++k) {
        const struct printer *is_taken = printer_of(g, &g->m->output[k]);
        needs |= is_taken ? is_taken->needs : 0;
    }
    return needs;
}

static int shares_now(const gen *g, unsigned needs)
{
    return (needs & LAMBDA) && gen_shares(g);
}

int gen_output_rows(const gen *g)
{
    return (needs_of(g, 0, g->m->output_names.n + gen_hidden_outputs(g)) & (ROWS | GAPS)) != 0;
}

int gen_output_count(const gen *g, int *first)
{
    int n = 0;
    for (int k = 0; k < g->m->output_names.n; ++k) {
        const int has = printer_of(g, &g->m->output[k]) != NULL;
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
        if (printer_of(g, o)) {
            PUT(" *     y[%d]%s %s: %s\n", n, o->n > 1 ? " ..." : "", gen_comment(g->m->output_names.name[k]).s,
                o->type->name);
            n += o->n;
        } else if (gen_wanted(g, o)) {
            PUT(" *     without %s: %s\n", gen_comment(g->m->output_names.name[k]).s, o->type->name);
        }
    }
    PUT(" */\n%svoid %s_outputs(const %s_state *s, real y[]);\n\n", g->api, g->name, g->name);
}

static void print_from_to(gen *g, int from, int to)
{
    const unsigned needs = needs_of(g, from, to);
    int first = 0;
    if (needs & STATE) { // forces and rows read them there
        PUT("    memcpy(w->q, s->q, sizeof w->q);\n    memcpy(w->v, s->v, sizeof w->v);\n    memcpy(w->vd, s->vd, "
            "sizeof "
            "w->vd);\n");
        PUT(g->nc > 0 ? "    memcpy(w->la, s->la, sizeof w->la);\n" : "");
        PUT(shares_now(g, needs) ? "    share_out(w->la, s);\n" : "");
    }
    if (needs & GAPS) {
        print_all_gaps(g);
    }
    if (needs & ROWS) {
        PUT("    %s_rows rows;\n    %s_rows_at(w, &rows);\n", g->name, g->name);
    }
    gen_print_states(g, "s->q", "s->v", "s->vd", 0);
    PUT(needs & ENERGIES ? "    real E[2];\n    energies(E, s);\n" : "");
    for (int k = from; k < to; ++k) {
        const mb_output *o = &g->m->output[k];
        const struct printer *p = printer_of(g, o);
        if (p) {
            PUT("    { // %s\n", k < g->m->output_names.n ? gen_comment(g->m->output_names.name[k]).s : o->type->name);
            p->print(g, o, first);
            PUT("    }\n");
            first += o->n;
        }
    }
}

static void print_outputs(gen *g)
{
    print_from_to(g, 0, g->m->output_names.n);
}

static void print_watched(gen *g)
{
    print_from_to(g, g->m->output_names.n, g->m->output_names.n + gen_hidden_outputs(g));
}

void gen_print_watched(gen *g)
{
    gen_print_at_state(g, print_watched);
    PUT("    (void)w;\n");
}

void gen_print_outputs(gen *g)
{
    if (gen_output_rows(g)) {
        gen_print_rows_at(g);
    }
    if (shares_now(g, needs_of(g, 0, g->m->output_names.n + gen_hidden_outputs(g)))) {
        gen_print_share(g);
    }
    PUT("%svoid %s_outputs(const %s_state *s, real y[])\n{\n", g->api, g->name, g->name);
    gen_print_at_state(g, print_outputs);
    PUT("    (void)w;\n    (void)y;\n}\n\n");
}
