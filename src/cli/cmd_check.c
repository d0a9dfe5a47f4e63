/* dalembert check: is the model sound? Structure, redundancy, initial state, tangents, conditioning. */
#include <math.h>

#include "cli/answer.h"
#include "cli/model.h"
#include "dalembert/reduce.h"

CLI_OWNS(dal_reduction)

/* Up to these, what is measured counts as good. */
static const double tangent_tol = 1e-5, residual_tol = 1e-6;

/* Differences of all tangents cost the square of the number of velocities: beyond this they are left out. */
enum { TANGENTS_MAX = 3000 };

typedef struct report {
    cli_model m;
    dal_reduction *reduction;
    int nredundant, dof;
    int allowed; /* the options deal with redundant rows, or they are open */
    int open;    /* they are rows of joints that are released at the start */
    dal_initial_report initial;
    double contradicted; /* by given velocities: largest residual of rows in which the bodies move */
    dal_tangent_report tangent;
    const char *wrong; /* what is wrong with the tangents, in words */
    int kink;          /* they jump at the initial state */
    double condition, h;
    const char *choice; /* of the solver of linear systems, why */
    dal_stats stats;
    const char *problem; /* why it cannot start, NULL if it can */
    int ok;
} report;

/* A value in (-1, 1) that looks random, the same in every run. */
static double noise(int k)
{
    const double x = 43758.5453 * sin(12.9898 * (k + 1));
    return 2.0 * (x - floor(x)) - 1.0;
}

/* Do tangents agree with differences at both sides of a state, some way off? */
static int agrees_beside(report *r, const dal_point *at, double distance)
{
    const dal_system *sys = r->m.sys;
    const int nv = sys->group->nv;
    double *q = cli_alloc((size_t)sys->group->nq + (size_t)nv, sizeof *q), *theta = q + sys->group->nq;
    int good = 1;
    for (int side = -1; side <= 1 && good; side += 2) {
        for (int i = 0; i < nv; ++i) {
            theta[i] = side * distance * noise(3 * nv + i);
        }
        dal_retract(sys->group, q, at->q, theta);
        dal_point there = *at;
        there.q = q;
        good = dal_system_check(r->m.ctx, sys, &r->tangent, &there, tangent_tol) == DAL_OK;
    }
    return good;
}

/* Where a wheel just touches, say, slopes jump, and differences across the kink mean nothing: beside it tangents must be right. */
static int is_kink(report *r, const dal_point *at)
{
    const dal_tangent_report first = r->tangent;
    for (double distance = 1e-4; distance < 0.1; distance *= 10.0) {
        if (agrees_beside(r, at, distance)) {
            return 1;
        }
    }
    r->tangent = first;
    return 0;
}

/* Compare tangents near the initial state: at rest many terms vanish, so velocities and reactions are disturbed. */
static int check_tangents(report *r, const dal_state *s)
{
    const dal_system *sys = r->m.sys;
    const int nv = sys->group->nv, nc = dal_system_rows(sys);
    double *v = cli_alloc(2 * (size_t)nv + (size_t)nc, sizeof *v), *vd = v + nv, *la = vd + nv;
    for (int i = 0; i < nv; ++i) {
        v[i] = s->v[i] + noise(i);
        vd[i] = s->vd[i] + noise(nv + i);
    }
    for (int i = 0; i < nc; ++i) {
        la[i] = s->la[i] + noise(2 * nv + i);
    }
    const dal_point at = {.t = s->t, .q = s->q, .v = v, .vd = vd, .la = la};
    const dal_status st = dal_system_check(r->m.ctx, sys, &r->tangent, &at, tangent_tol);
    const char *message = st == DAL_ECHECK ? cli_copy(dal_ctx_message(r->m.ctx)) : NULL;
    r->kink = message != NULL && is_kink(r, &at);
    r->wrong = r->kink ? NULL : message;
    return st == DAL_OK || st == DAL_ECHECK;
}

/* Rows that the initial velocities violate although they move something there. Where the bodies stand still and a drive asks for
 * motion, its velocity is theirs: nothing was given that contradicts it. */
static int find_contradiction(report *r, dal_sim *sim)
{
    const cli_model *m = &r->m;
    const int nv = m->sys->group->nv, nc = dal_system_rows(m->sys);
    double *x = cli_alloc(2 * (size_t)nv + 3 * (size_t)nc, sizeof *x);
    double *zero = x, *r0 = zero + nv, *still = r0 + nv, *given = still + nc, *la = given + nc;
    const dal_residual out[2] = {{.r = r0, .vel = still}, {.r = r0, .vel = given}};
    const double *velocity[2] = {zero, dal_model_v0(m->model)};
    int good = 1;
    for (int k = 0; k < 2 && good; ++k) {
        const dal_point at = {.q = dal_model_q0(m->model), .v = velocity[k], .vd = zero, .la = la};
        good = dal_data_residual(dal_sim_data(sim), &out[k], &at) == DAL_OK;
    }
    for (int c = 0; c < nc && good; ++c) {
        if (fabs(given[c] - still[c]) > residual_tol) {
            r->contradicted = fmax(r->contradicted, fabs(given[c]));
        }
    }
    return good;
}

/* Initial state, tangents, one step for the conditioning. */
static void examine(report *r)
{
    cli_model *m = &r->m;
    dal_sim *sim = NULL;
    dal_options opt = m->opt;
    if (opt.integrator != DAL_INTEGRATOR_LOBATTO && opt.integrator != DAL_INTEGRATOR_BDF &&
        opt.integrator != DAL_INTEGRATOR_RATTLIE) { // one that has an iteration matrix
        opt.integrator = DAL_INTEGRATOR_GENALPHA;
        opt.step = DAL_STEP_FIXED;
    }
    dal_options_resolve(&opt);
    opt.initial = DAL_INITIAL_PROJECT;
    opt.redundant = DAL_REDUNDANT_DROP; // told apart from other problems
    r->h = opt.h;
    int good = model_start(m, &sim, &r->initial, &opt) == DAL_OK;
    if (good) {
        const dal_state s = dal_sim_state(sim);
        r->tangent.error = NAN;
        good = find_contradiction(r, sim) && (m->sys->group->nv > TANGENTS_MAX || check_tangents(r, &s)) &&
               dal_sim_step(sim) == DAL_OK;
        r->condition = good ? dal_sim_condition(sim) : NAN;
        r->stats = dal_sim_stats(sim);
        r->choice = dal_sim_solver_choice(sim);
    }
    r->problem = good ? NULL : cli_copy(dal_ctx_message(m->ctx));
}

/* Are all redundant rows those of joints that are open from the start? They hold nothing. */
static int all_open(const report *r)
{
    const dal_model *model = r->m.model;
    int open = 0;
    for (int k = 0; k < dal_model_report(model).joints; ++k) {
        dal_joint info;
        int first, n;
        if (dal_model_joint_info(model, &info, k) != DAL_OK || !(info.release < 0.0) ||
            dal_model_joint_rows(model, &first, &n, k) != DAL_OK) {
            continue;
        }
        for (int i = 0; i < r->nredundant; ++i) {
            const int row = dal_reduction_rows(r->reduction)[i];
            open += row >= first && row < first + n;
        }
    }
    return open > 0 && open == r->nredundant;
}

static void find_redundant(report *r)
{
    cli_model *m = &r->m;
    // rows of contacts depend on others while they are open: a run leaves them out by itself
    r->allowed = m->opt.redundant != DAL_REDUNDANT_ERROR || m->sys->contacts.n > 0;
    if (dal_system_rows(m->sys) > 0) {
        CLI_CREATE(dal_reduction, r->reduction, CLI_MODEL, m->ctx, m->sys, 0.0, dal_model_q0(m->model), 0.0);
    }
    r->nredundant = r->reduction != NULL ? dal_reduction_count(r->reduction) : 0;
    r->dof = dal_model_report(m->model).freedoms + r->nredundant;
    r->open = all_open(r);
    r->allowed |= r->open;
}

static double residual(const report *r)
{
    return fmax(r->initial.position_residual, r->contradicted);
}

/* How the initial state is, in words. */
static const char *describe_initial(const report *r)
{
    const dal_initial_report *i = &r->initial;
    return fmax(i->position_residual, i->velocity_residual) <= residual_tol ? "consistent"
           : residual(r) <= residual_tol
               ? cli_text("set in motion by drives: velocities up to %.3g are added at t = 0", i->velocity_moved)
               : cli_text("off by %.1e in position and %.1e in velocity; a run moves it by %.1e and %.1e",
                          i->position_residual, i->velocity_residual, i->position_moved, i->velocity_moved);
}

static void put_names(cli_answer *a, const cli_model *m)
{
    enum { SHOWN = 12 }; // as many as the text shows
    const int n = dal_document_variable_count(m->doc), left = n - dal_model_input_count(m->model) - SHOWN;
    cli_answer *variables = answer_list(a, "variables", 0), *outputs = answer_list(a, "outputs", 0);
    for (int k = 0; k < n; ++k) {
        const dal_variable v = dal_document_variable(m->doc, k);
        if (!v.input) {
            answer_line(variables, NULL, "name %s value %g unit %s", v.name, v.value, v.unit);
        }
    }
    cli_answer *inputs = answer_list(a, "inputs", 0);
    for (int k = 0; k < dal_model_input_count(m->model); ++k) {
        const dal_system_input u = dal_model_input(m->model, k);
        answer_line(inputs, NULL, "name %s value %g unit %s min %g max %g .limited? %d", u.name, u.value, u.unit, u.min,
                    u.max, isfinite(u.min) || isfinite(u.max));
    }
    for (int k = 0; k < m->noutputs; ++k) {
        const dal_output_info o = dal_model_output_info(m->model, k);
        answer_line(outputs, NULL, "name %s numbers %d unit %s", o.name, o.n, o.unit);
    }
    answer_put(a, ".variables_left %d .outputs_left %d", left > 0 ? left : 0,
               m->noutputs > SHOWN ? m->noutputs - SHOWN : 0);
}

/* For whoever looks after the program rather than the mechanism. */
static void put_numerics(cli_answer *a, const report *r)
{
    const dal_initial_report *i = &r->initial;
    answer_put(a, ".numerics? %d .position_residual %g .velocity_residual %g .position_moved %g .velocity_moved %g", 1,
               i->position_residual, i->velocity_residual, i->position_moved, i->velocity_moved);
    answer_put(a, ".tangent %s .tangent_row %s .tangent_column %s .tangents_max %d .condition %g .h %g .kept? %d",
               r->tangent.what, r->tangent.row, r->tangent.column, TANGENTS_MAX, r->condition, r->h,
               r->stats.jacobian_cost > 0.0 && r->m.opt.newton == DAL_NEWTON_AUTO);
}

static const cli_answer *answer(const report *r, int verbose)
{
    const cli_model *m = &r->m;
    const dal_model_summary s = dal_model_report(m->model);
    const int good = r->problem == NULL;
    cli_answer *a = answer_create();
    answer_put(a, "model %s bodies %d coordinates %d constraints %d dof %d states %d", m->name, s.bodies, s.velocities,
               s.rows, r->dof, s.states);
    answer_put(a, ".joints %d .forces %d .holonomic %d .on_velocities %d", s.joints, s.forces, s.holonomic,
               s.rows - s.holonomic);
    int told = 0;
    cli_answer *redundant = answer_list(a, "redundant", 0);
    for (int i = 0; i < r->nredundant; ++i) {
        const int row = dal_reduction_rows(r->reduction)[i];
        if (!dal_system_is_of_contact(m->sys, row)) {
            char text[256];
            snprintf(text, sizeof text, "row %d", row + 1);
            if (m->sys->names.row != NULL) {
                m->sys->names.row(text, sizeof text, row, m->sys->user);
            }
            answer_text(redundant, NULL, text);
            ++told;
        }
    }
    answer_put(a, ".nredundant %d .consequence %s", told,
               r->open      ? " of joints that are open from the start"
               : r->allowed ? " (left out, as the options say)"
                            : ": the motion is well defined, the reactions are not");
    answer_put(a,
               "residual %g tangent_error %g linear_solver %s solver_choice %s solver_fallbacks %ld jacobian_cost %g",
               good ? residual(r) : NAN, good ? r->tangent.error : NAN, r->stats.linear_solver, r->choice,
               r->stats.solver_fallbacks, r->stats.jacobian_cost);
    put_names(a, m);
    answer_put(a, ".gap_before %g .gap_after %g .gap_moved %g .assembled? %d .velocities_kept %d", m->assembly.before,
               m->assembly.after, m->assembly.moved, m->assembly.iterations > 0, m->assembly.velocities_kept);
    answer_put(a, ".problem %s .initial %s", r->problem, describe_initial(r));
    if (good && verbose) {
        put_numerics(a, r);
    }
    answer_put(a, "ok? %d", r->ok);
    return a;
}

/* What is wrong, with a remedy, one line each. */
static void explain(const report *r)
{
    if (r->problem != NULL) {
        cli_error(CLI_CHECK, "%s", r->problem);
    }
    if (r->nredundant > 0 && !r->allowed && r->problem == NULL) {
        cli_error(CLI_CHECK,
                  "%d redundant constraint rows: use joints that hold less (spherical or universal for one "
                  "revolute of a loop), or take the reactions as they come: --set redundant=drop (or least_norm)",
                  r->nredundant);
    }
    if (r->problem == NULL && residual(r) > residual_tol) {
        cli_error(CLI_CHECK,
                  "the initial state violates the constraints by %.1e: correct positions or velocities, or "
                  "accept that a run moves them",
                  residual(r));
    }
    if (r->problem == NULL && r->wrong != NULL) {
        cli_error(CLI_CHECK, "tangents: %s", r->wrong);
    }
    if (r->problem == NULL && r->kink) {
        cli_say("note: a force has a kink at the initial state, as where a wheel just touches; its tangents were "
                "compared beside it");
    }
}

static int command(const cli_args *args)
{
    report *r = cli_alloc(1, sizeof *r);
    *r = (report){.condition = NAN, .choice = "", .stats = {.linear_solver = ""}};
    model_open(&r->m, args);
    find_redundant(r);
    examine(r);
    r->ok = r->problem == NULL && (r->nredundant == 0 || r->allowed) && residual(r) <= residual_tol && r->wrong == NULL;
    answer_tell(answer(r, cli_given(args, "verbose")), args, NULL);
    explain(r);
    return r->ok ? CLI_OK : CLI_CHECK;
}

const cli_command cli_check = {.name = "check", .run = command};
