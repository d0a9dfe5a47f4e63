/* What is switched while a program runs: forces that act for some time, events of the model. As src/sim does it: crossings are located on the
 * dense output of a step, and the motion starts anew there. */
#include <math.h>
#include <stdio.h>

#include "generate/expressions_impl.h"
#include "mbs/event_impl.h"

int gen_switches(const gen *g)
{
    return g->nevents > 0 || g->nswitches > 0 || g->ngaps > 0;
}

int gen_hidden_outputs(const gen *g)
{
    return g->nevents > 0 ? g->m->events->noutputs : 0;
}

static int is_switched(const mb_force *f)
{
    return f->d.switched || f->switching > 0;
}

/* Its number among those that are switched; -1: it acts always. */
static int switch_of(const gen *g, const mb_force *f)
{
    int n = 0;
    for (const mb_force *other = g->m->force; other < f; ++other) {
        n += is_switched(other);
    }
    return is_switched(f) ? n : -1;
}

/* ---- refusals --------------------------------------------------------------------------------- */

static dal_status check_action(const gen *g, const char *event, const mb_action *a)
{
    int known = a->what != DAL_DO_SET;
    for (int k = 0; k < g->p->nparameters && !known; ++k) {
        known = strcmp(g->p->parameter[k], a->name) == 0;
    }
    return known ? DAL_OK
                 : dal_fail(g->ctx, DAL_EINVAL, "generate: event '%s' sets '%s': name it among the parameters", event,
                            a->name);
}

static dal_status check_event(gen *g, int number)
{
    const mb_event *e = &g->at->event[number];
    const char *name = dal_model_event_name(g->m, number);
    for (int k = 0; k < e->d.nactions; ++k) {
        DAL_TRY(check_action(g, name, &e->action[k]));
    }
    const dal_expression *condition = dal_io_formula_of_event(&e->d, 0).e, *law = condition;
    for (int k = 0; law; law = dal_io_formula_of_event(&e->d, ++k).e) {
        for (int at = 0, called; (called = dal_expression_called(law, &at)) > 0;) {
            DAL_TRY(gen_check_function(g, called, "event", name));
        }
    }
    return condition ? DAL_OK
                     : dal_fail(g->ctx, DAL_EINVAL,
                                "generate: event '%s' is a callback, which generated code does not have", name);
}

/* What a condition depends on must be known between the ends of a step. */
static dal_status check_inputs(const gen *g, int number)
{
    const mb_event *e = &g->at->event[number];
    for (int k = 0; k < e->d.ninputs; ++k) {
        const mb_output *o = &g->m->output[e->first + k];
        if (!gen_output_known(g, o) || o->turning > 0 || o->type->rate) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: event '%s' depends on %s, which generated code does not have for events",
                            dal_model_event_name(g->m, number), o->type->name);
        }
    }
    return DAL_OK;
}

static dal_status check_force(const gen *g, const mb_force *f)
{
    static const char *const types[] = {"force", "torque",  "spring", "pd",       "actuator",
                                        "law",   "bushing", "drag",   "cartesian"};
    int known = 0;
    for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k) {
        known |= strcmp(f->type->name, types[k]) == 0;
    }
    return known ? DAL_OK
                 : dal_fail(g->ctx, DAL_EINVAL,
                            "generate: force '%s' of type %s is switched, which generated code does not have",
                            gen_force_name(g, f), f->type->name);
}

dal_status gen_events(gen *g)
{
    const mb_force *first = NULL;
    g->nevents = dal_model_event_count(g->m);
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        first = first == NULL && is_switched(f) ? f : first;
        g->nswitches += is_switched(f);
        DAL_TRY(is_switched(f) ? check_force(g, f) : DAL_OK);
    }
    DAL_TRY(gen_masks(g));
    if (!gen_switches(g)) {
        return DAL_OK;
    }
    if (!g->how->any_step || gen_rattlie(g) || g->opt.initial == DAL_INITIAL_STRICT) {
        const mb_joint *j = gen_switched_joint(g);
        return dal_fail(
            g->ctx, DAL_EINVAL,
            "generate: %s '%s'%s%s is switched while it runs, which %s. Export a unit (--fmu), which has steps "
            "of any size, or "
            "run the model by the library",
            g->nevents > 0  ? "event"
            : first != NULL ? "force"
                            : "joint",
            g->nevents > 0  ? dal_model_event_name(g->m, 0)
            : first != NULL ? gen_force_name(g, first)
            : j != NULL     ? g->m->joint_names.name[j - g->m->joint]
                            : "",
            g->nevents == 0 && first == NULL && j != NULL ? " of type " : "",
            g->nevents == 0 && first == NULL && j != NULL ? j->type->name : "",
            !g->how->any_step ? "programs with steps of one size do not have"
            : gen_rattlie(g)  ? "programs with integrator = rattlie do not have"
                              : "does not go with initial = strict: there the motion starts anew");
    }
    for (int k = 0; k < g->nevents; ++k) {
        DAL_TRY(check_event(g, k));
    }
    return DAL_OK;
}

/* ---- forces that are switched ----------------------------------------------------------------- */

void gen_open_switched(gen *g, const mb_force *f)
{
    if (is_switched(f)) {
        PUT("    if (acts(w, %d)) {\n", switch_of(g, f));
    }
}

void gen_close_switched(gen *g, const mb_force *f)
{
    PUT(is_switched(f) ? "    }\n" : "");
}

static void print_time(gen *g, const mb_force *f, const double *t)
{
    char text[2 * GEN_NAME];
    if (f->d.switched && isfinite(*t)) {
        gen_number_text(g, text, sizeof text, t);
    } else {
        snprintf(text, sizeof text, t == &f->d.from ? "-INFINITY" : "INFINITY");
    }
    PUT("    %s[%d] = %s;\n", t == &f->d.from ? "from" : "to", switch_of(g, f), text);
}

static void print_times(gen *g)
{
    for (int k = 0; k < g->m->force_names.n; ++k) {
        const mb_force *f = &g->m->force[k];
        if (is_switched(f)) {
            print_time(g, f, &f->d.from);
            print_time(g, f, &f->d.to);
        }
    }
    gen_print_joint_times(g);
}

void gen_print_acts(gen *g)
{
    gen_print_gap_numbers(g);
    if (g->nswitches == 0) {
        gen_print_switch_rows(g);
        return;
    }
    PUT("/* When forces and joints are switched on and off. */\n"
        "static inline void switch_times(const %s_state *s, real from[], real to[])\n{\n    (void)s;\n",
        g->name);
    gen_print_with_constants(g, "s->k", print_times);
    PUT("}\n\n");
    gen_print_switch_rows(g);
    if (g->nswitches == g->nmasks - g->ngaps) {
        return;
    }
    PUT("/* Does force n act? The last moment at which something could be switched decides. */\n"
        "static inline int acts(const %s_work *w, int n)\n{\n    const %s_state *s = w->s;\n    real from[%d], "
        "to[%d];\n"
        "    const real now = w->t < s->since - %.17g - 8.9e-16 * fabs(s->since) ? w->t : s->since;\n    "
        "switch_times(s, from, to);\n"
        "    return s->by_event[n] != 0.0 ? s->by_event[n] > 0.0 : now >= from[n] && now < to[n];\n}\n\n",
        g->name, g->name, g->nswitches, g->nswitches, 1e-9 * g->h);
}

/* ---- conditions and actions ------------------------------------------------------------------- */

static int count_set(const mb_event *e)
{
    int n = 0;
    for (int k = 0; k < e->d.nactions; ++k) {
        n += e->action[k].what == DAL_DO_SET;
    }
    return n;
}

/* Numbers that all events together set. */
static int set_before(const gen *g, int event)
{
    int n = 0;
    for (int k = 0; k < event; ++k) {
        n += count_set(&g->at->event[k]);
    }
    return n;
}

static void print_laws(gen *g)
{
    for (int k = 0; k < g->nevents; ++k) {
        const mb_event *e = &g->at->event[k];
        gen_input in[GEN_INPUTS];
        char text[GEN_NAME];
        in[0] = gen_input_named("s->t", "");
        for (int i = 0; i < e->d.ninputs; ++i) {
            snprintf(text, sizeof text, "y[%d]", e->first - g->m->output_names.n + i);
            in[1 + i] = gen_input_named(text, "");
        }
        for (int i = 0; i < dal_io_formula_of_event(&e->d, 0).nparameters; ++i) {
            in[1 + e->d.ninputs + i] = gen_input_number(g, &e->d.parameter[i]);
        }
        PUT("    { // event %s\n", gen_comment(dal_model_event_name(g->m, k)).s);
        for (int i = 0; i <= count_set(e); ++i) {
            snprintf(text, sizeof text, i == 0 ? "z[%d]" : "u[%d]", i == 0 ? k : set_before(g, k) + i - 1);
            gen_print_expression(g, dal_io_formula_of_event(&e->d, i).e, in, text);
        }
        PUT("    }\n");
    }
}

static void print_limit(gen *g, const char *compare, double limit, int number)
{
    char text[GEN_NAME];
    if (isfinite(limit)) {
        PUT(" && u[%d] %s %s", number, compare, gen_literal(text, sizeof text, limit));
    }
}

static void print_action(gen *g, const mb_action *a, int number)
{
    if (a->what == DAL_DO_SET) {
        const dal_system_input *input = &g->p->system->input[a->input];
        int k = 0;
        while (strcmp(g->p->parameter[k], a->name) != 0) {
            ++k;
        }
        PUT("        within = within && u[%d] - u[%d] == 0.0", number, number);
        print_limit(g, ">=", input->min, number);
        print_limit(g, "<=", input->max, number);
        PUT(";\n        p->%s = u[%d];\n", g->p->field[k], number);
    } else if (a->what == DAL_DO_IMPULSE) {
        PUT("        add_impulse(s, %d, P);\n", switch_of(g, &g->m->force[a->force]));
    } else if (a->joint >= 0) {
        const int n = gen_joint_switch(g, a->joint);
        if (a->what == DAL_DO_GRAB) {
            PUT("        grab(s, %d);\n", n);
        }
        PUT("        s->by_event[%d] = %s;\n        *rows = 1;\n", n,
            a->what == DAL_DO_GRAB ? "2.0"
            : a->what == DAL_DO_ON ? "1.0"
                                   : "-1.0");
    } else if (a->force >= 0) {
        PUT("        s->by_event[%d] = %s;\n", switch_of(g, &g->m->force[a->force]),
            a->what == DAL_DO_ON ? "1.0" : "-1.0");
    }
}

static void print_actions(gen *g)
{
    for (int k = 0; k < g->nevents; ++k) {
        const mb_event *e = &g->at->event[k];
        int number = set_before(g, k);
        PUT("    if (happens[%d]) { // %s\n", k, gen_comment(dal_model_event_name(g->m, k)).s);
        for (int i = 0; i < e->d.nactions; ++i) {
            print_action(g, &e->action[i], number);
            number += e->action[i].what == DAL_DO_SET;
        }
        PUT("    }\n");
    }
}

static void print_list(gen *g)
{
    char every[GEN_NAME], from[GEN_NAME], band[GEN_NAME];
    for (int k = 0; k < g->nevents; ++k) {
        const dal_system_event *e = &g->m->events->told[k];
        PUT("    {%s, %s, %s, %d, %d, %d}, // %s\n", gen_literal(every, sizeof every, e->every),
            gen_literal(from, sizeof from, e->from), gen_literal(band, sizeof band, e->band), e->direction, e->once,
            e->stops, gen_comment(e->name).s);
    }
    PUT(g->nevents == 0 ? "    {0.0, 0.0, 0.0, 0, 0, 0},\n" : "");
}

dal_status gen_print_event_values(gen *g)
{
    const int set = set_before(g, g->nevents), watched = gen_hidden_outputs(g);
    for (int k = 0; k < g->nevents; ++k) {
        DAL_TRY(check_inputs(g, k));
    }
    if (!gen_switches(g)) {
        return DAL_OK;
    }
    PUT("/* Values of the conditions of events, and what would be set. */\n"
        "static inline void event_values(const %s_state *s, real z[%d], real u[%d])\n{\n    real y[%d];\n"
        "    (void)s, (void)y, (void)u;\n    z[0] = 1.0;\n",
        g->name, g->nevents > 0 ? g->nevents : 1, set > 0 ? set : 1, watched > 0 ? watched : 1);
    if (watched > 0) {
        PUT("    {\n");
        gen_print_watched(g);
        PUT("    }\n");
    }
    gen_print_with_constants(g, "s->k", print_laws);
    PUT("}\n\n");
    return DAL_OK;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static void print_turned_back(gen *g)
{
    gen_print_all_turned(g, "d1", "s1->theta", "s1->v", 1);
}

static void print_turned(gen *g)
{
    gen_print_all_turned(g, "at->v", "psi", "slope", 0);
}

/* Where a step is cut off, integrals are taken of what remains of it. */
static void print_sums_until(gen *g)
{
    if (g->nsums == 0) {
        return;
    }
    PUT("/* Integrals up to s, where the step from s0 to s1 is cut off: Gauss' rule of two points. */\n"
        "static inline void sums_until(%s_state *s, const %s_state *s0, const %s_state *s1)\n{\n    %s_work work, *w = "
        "&work;\n    real integrand[%d];\n    const real half = 0.5 * (s->t - s0->t);\n    memset(w, 0, sizeof *w);\n  "
        "  "
        "memcpy(s->sum, s0->sum, sizeof s->sum);\n    w->s = s0;\n    for (int n = 0; n < 2; ++n) {\n        %s_state "
        "at;\n        state_between(&at, s0, s1, s0->t + half * (n == 0 ? 0.42264973081037424 : 1.5773502691896257));\n"
        "        w->t = at.t;\n        memcpy(w->q, at.q, sizeof w->q);\n        memcpy(w->v, at.v, sizeof w->v);\n"
        "        memcpy(w->vd, at.vd, sizeof w->vd);\n",
        g->name, g->name, g->name, g->name, g->nsums, g->name);
    PUT(g->nc > 0 ? "        memcpy(w->la, at.la, sizeof w->la);\n" : "");
    PUT("        %s_rates(w, integrand);\n        for (int i = 0; i < %d; ++i) {\n            s->sum[i] += half * "
        "integrand[i];\n        }\n    }\n}\n\n",
        g->name, g->nsums);
}

void gen_print_events(gen *g)
{
    const int n = g->nevents, set = set_before(g, n), gaps = g->ngaps > 0;
    if (!gen_switches(g)) {
        return;
    }
    const gen_key keys[] = {
        {"N_V", .count = g->nv},
        {"N_EVENTS", .count = n},
        {"N_E", .count = n > 0 ? n : 1},
        {"N_SET", .count = set > 0 ? set : 1},
        {"N_SWITCHES", .count = g->nswitches},
        {"N_W", .count = g->nswitches > 0 ? g->nswitches : 1},
        {"H_MODEL", .real = g->h},
        {"VD", .text = gaps ? ", const real vd[N_V], const int lifts[N_K]" : ""},
        {"PASS_VD", .text = gaps ? ", s->vd, lifts" : ""},
        {"PASS_END", .text = gaps ? ", end.vd, lifts" : ""},
        {"LIFTS", .text = gaps ? "    const int lifts[N_K] = {0};\n" : ""},
        {"GAP_STEP", .text = gaps ? "    int lifts[N_K];\n    const real ends = gap_step(s0, s, lifts);\n    first = "
                                    "ends;\n"
                                  : ""},
        {"GAP_INDICATORS", .text = gaps ? "    gap_indicators(s, z);\n" : ""},
        {"SWITCH", .text = gaps ? "gap_switch(s, p)" : "program_change(s, p, 0)"},
        {"GAP_HAPPENS", .text = gaps ? "    *what |= first >= ends ? 1 : 0;\n" : ""},
        {"GAP_REMEMBER", .text = gaps ? "        gap_remember(s);\n" : ""},
        {"SUMS_UNTIL", .print = print_sums_until},
        {"CUT_SUMS", .text = g->nsums > 0 ? "    sums_until(s, s0, &end);\n" : ""},
        {"BETWEEN", .text = gaps ? "gap_state" : "state_between"},
        {"N_K", .count = g->ngaps},
        {"CHANGE", .text = gaps           ? "change_with(s, p, 1, rows, P, round == 0 ? vd : s->vd, lifts)"
                           : gen_jumps(g) ? "change_with(s, p, 1, rows, P)"
                                          : "program_change(s, p, 1)"},
        {"LIST", .print = print_list},
        {"ACTIONS", .print = print_actions},
        {"TURNED_BACK", .print = print_turned_back},
        {"TURNED", .print = print_turned},
        {"LA", .text = g->nc > 0 ? "    for (int i = 0; i < N_C; ++i) {\n        at->la[i] = "
                                   "s0->la[i] + u * (s1->la[i] - s0->la[i]);\n    }\n"
                                 : ""},
        {"BEFORE_LA", .text = g->nc > 0 ? "    memcpy(at.la, before->la, sizeof at.la);\n" : ""},
        {"N_C", .count = g->nc},
        {"SWITCH_TIMES", .text = g->nswitches > 0 ? "    switch_times(s, from, to);\n"
                                                  : "    from[0] = to[0] = INFINITY;\n    (void)s;\n"},
        {"SIDE", .text = n > 0 ? "side" : "q"}, // nothing reads it
        {"LARGEST", .text = n > 0 ? "largest" : "q"},
        {"OFF", .text = n > 0 ? "off" : "q"},
        {"COUNT", .text = n > 0 ? "count" : "q"},
        {0}};
    if (gaps) {
        gen_put_filled(g, gen_text_outside, keys);
    }
    gen_put_filled(g, gen_text_events, keys);
}

void gen_print_event_prototypes(gen *g)
{
    if (!gen_switches(g)) {
        return;
    }
    PUT("/* What is switched while the model runs. After a start: what is due at once happens. To a time, with pause: "
        "to the first event. *what: 1 "
        "an event has\n * happened, 2 one of those that stop. Integrated from outside: indicators (those of sampled "
        "events are 1), a step has been "
        "accepted, what has to happen\n * happens, when forces are switched or events sampled next. Inputs that are "
        "set are set in p. */\n"
        "int %s_first_events(%s_state *s, %s_parameters *p, int *what);\n"
        "int %s_run_through(%s_state *s, %s_parameters *p, real t, int pause, int *what);\n"
        "int %s_indicators(const %s_state *s, real z[]);\nint %s_accept(%s_state *s);\n"
        "int %s_switch(%s_state *s, %s_parameters *p, int *what);\nreal %s_next_event(const %s_state *s);\n",
        g->name, g->name, g->name, g->name, g->name, g->name, g->name, g->name, g->name, g->name, g->name, g->name,
        g->name, g->name, g->name);
}
