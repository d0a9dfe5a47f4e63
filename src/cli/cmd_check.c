/* dalembert check: is the model sound? Structure, redundancy, initial state, tangents, conditioning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/model.h"
#include "dalembert/reduce.h"

static const cli_flag flags[] = {
    CLI_FLAG_SET,
    {"verbose", 'v', NULL, "details of the numerics, too: tangents, conditioning, linear solver, Newton"},
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_check = {
    .name = "check",
    .place = 5,
    .summary = "report on a model: structure, redundancy, initial state, tangents",
    .about = "Exit codes: 0 the model is sound, 1 it is not, 2 usage, 3 it cannot be read.",
    .examples = "  dalembert check heavy_top\n  dalembert check crank.json --json",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

/* Up to these, what is measured counts as good. */
static const double tangent_tol = 1e-5, residual_tol = 1e-6;

/* Differences of all tangents cost the square of the number of velocities: beyond this they are left out. */
enum { TANGENTS_MAX = 3000 };

typedef struct report {
    cli_model *m;
    dal_reduction *reduction;
    int nredundant, dof;
    int allowed; /* the options deal with redundant rows, or they are open */
    int open;    /* they are rows of joints that are released at the start */
    dal_initial_report initial;
    double contradicted; /* by given velocities: largest residual of rows in which the bodies move */
    dal_tangent_report tangent;
    double condition, h;
    char solver[32], choice[256]; /* of linear systems, and why */
    long fallbacks;
    double jacobian_cost;
    char *problem; /* why it cannot start, NULL if it can */
    int ok;
} report;

static void row_name(char buffer[256], const dal_system *sys, int row)
{
    snprintf(buffer, 256, "row %d", row + 1);
    if (sys->row_name != NULL) {
        sys->row_name(buffer, 256, row, sys->user);
    }
}

/* A value in (-1, 1) that looks random, the same in every run. */
static double noise(int k)
{
    const double x = 43758.5453 * sin(12.9898 * (k + 1));
    return 2.0 * (x - floor(x)) - 1.0;
}

/* Compare tangents near the initial state: at rest many terms vanish, so velocities and reactions are disturbed. */
static int check_tangents(report *r, const dal_state *s)
{
    const dal_system *sys = r->m->sys;
    const int nv = sys->group->nv, nc = dal_system_rows(sys);
    double *v = cli_alloc((size_t)nv, sizeof *v), *vd = cli_alloc((size_t)nv, sizeof *vd);
    double *la = cli_alloc((size_t)nc, sizeof *la);
    for (int i = 0; i < nv; ++i) {
        v[i] = s->v[i] + noise(i);
        vd[i] = s->vd[i] + noise(nv + i);
    }
    for (int i = 0; i < nc; ++i) {
        la[i] = s->la[i] + noise(2 * nv + i);
    }
    const dal_point at = {.t = s->t, .q = s->q, .v = v, .vd = vd, .la = la};
    const dal_status st = dal_system_check(r->m->ctx, sys, &r->tangent, &at, tangent_tol);
    free(v);
    free(vd);
    free(la);
    return st == DAL_OK || st == DAL_ECHECK;
}

/* Rows that the initial velocities violate although they move something there. Where the bodies stand still and a drive asks for
 * motion, its velocity is theirs: nothing was given that contradicts it. */
static int find_contradiction(report *r, dal_sim *sim)
{
    const cli_model *m = r->m;
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
    free(x);
    return good;
}

/* Initial state, tangents, one step for the conditioning. */
static void examine(report *r)
{
    cli_model *m = r->m;
    dal_sim *sim = NULL;
    dal_options opt = m->opt;
    if (opt.integrator != DAL_INTEGRATOR_LOBATTO) { // one that has an iteration matrix
        opt.integrator = DAL_INTEGRATOR_GENALPHA;
        opt.step = DAL_STEP_FIXED;
    }
    dal_options_resolve(&opt);
    opt.initial = DAL_INITIAL_PROJECT;
    opt.redundant = DAL_REDUNDANT_DROP; // told apart from other problems
    r->h = opt.h;
    int good = dal_sim_create(&sim, m->ctx, m->sys, &opt) == DAL_OK &&
               dal_sim_start(sim, &r->initial, 0.0, dal_model_q0(m->model), dal_model_v0(m->model)) == DAL_OK;
    if (good) {
        const dal_state s = dal_sim_state(sim);
        r->tangent.error = NAN;
        good = find_contradiction(r, sim) && (m->sys->group->nv > TANGENTS_MAX || check_tangents(r, &s)) &&
               dal_sim_step(sim) == DAL_OK;
        r->condition = good ? dal_sim_condition(sim) : NAN;
        const dal_stats st = dal_sim_stats(sim);
        snprintf(r->solver, sizeof r->solver, "%s", st.linear_solver);
        snprintf(r->choice, sizeof r->choice, "%s", dal_sim_solver_choice(sim));
        r->fallbacks = st.solver_fallbacks;
        r->jacobian_cost = st.jacobian_cost;
    }
    if (!good) {
        r->problem = cli_copy(dal_ctx_message(m->ctx));
    }
    dal_sim_destroy(sim);
}

/* Are all redundant rows those of joints that are open from the start? They hold nothing. */
static int all_open(const report *r)
{
    const dal_model *model = r->m->model;
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

static int find_redundant(report *r)
{
    cli_model *m = r->m;
    r->allowed = m->opt.redundant != DAL_REDUNDANT_ERROR;
    if (dal_system_rows(m->sys) > 0 &&
        dal_reduction_create(&r->reduction, m->ctx, m->sys, 0.0, dal_model_q0(m->model), 0.0) != DAL_OK) {
        return cli_error("check", CLI_MODEL, "%s", dal_ctx_message(m->ctx));
    }
    r->nredundant = r->reduction != NULL ? dal_reduction_count(r->reduction) : 0;
    r->dof = dal_model_report(m->model).freedoms + r->nredundant;
    r->open = all_open(r);
    r->allowed |= r->open;
    return CLI_OK;
}

static double residual(const report *r)
{
    return fmax(r->initial.position_residual, r->contradicted);
}

static void print_redundant(const report *r)
{
    printf("  redundant     %d rows%s\n", r->nredundant,
           r->open      ? " of joints that are open from the start"
           : r->allowed ? " (left out, as the options say)"
                        : ": the motion is well defined, the reactions are not");
    for (int i = 0; i < r->nredundant; ++i) {
        char name[256];
        row_name(name, r->m->sys, dal_reduction_rows(r->reduction)[i]);
        cli_print("                %s\n", name);
    }
}

static void print_solver(const report *r)
{
    printf("  linear solver %s", r->solver);
    if (r->choice[0] != '\0') {
        printf(", %s", r->choice);
    }
    if (r->fallbacks > 0) {
        printf("; sparse took over in %ld factorisations", r->fallbacks);
    }
    printf("\n");
}

/* What newton = auto will do. */
static void print_newton(const report *r)
{
    if (r->jacobian_cost > 0.0 && r->m->opt.newton == DAL_NEWTON_AUTO) {
        printf("  Newton        a Jacobian costs as much as %.2g iterations (auto tries to keep it from 3 on)\n",
               r->jacobian_cost);
    }
}

/* Names with their units, the first of them: "mass.position [m], energy [J]". */
enum { NAMES_SHOWN = 12 };

static void print_variables(const cli_model *m)
{
    const int n = dal_document_variable_count(m->doc);
    for (int k = 0; k < n && k < NAMES_SHOWN; ++k) {
        const dal_variable v = dal_document_variable(m->doc, k);
        cli_print(v.unit[0] != '\0' ? "%s%s = %.6g [%s]" : "%s%s = %.6g", k == 0 ? "  variables     " : ", ", v.name,
                  v.value, v.unit);
    }
    if (n > 0) {
        printf(n > NAMES_SHOWN ? " and %d more\n" : "\n", n - NAMES_SHOWN);
    }
}

static void print_outputs(const cli_model *m)
{
    const int n = m->noutputs;
    for (int k = 0; k < n && k < NAMES_SHOWN; ++k) {
        const dal_output_info o = dal_model_output_info(m->model, k);
        cli_print(o.unit[0] != '\0' ? "%s%s [%s]" : "%s%s", k == 0 ? "  outputs       " : ", ", o.name, o.unit);
    }
    if (n > 0) {
        printf(n > NAMES_SHOWN ? " and %d more\n" : "\n", n - NAMES_SHOWN);
    }
}

static void print_initial(const report *r)
{
    const dal_initial_report *i = &r->initial;
    if (fmax(i->position_residual, i->velocity_residual) <= residual_tol) {
        printf("  initial state consistent\n");
    } else if (residual(r) <= residual_tol) {
        printf("  initial state set in motion by drives: velocities up to %.3g are added at t = 0\n",
               i->velocity_moved);
    } else {
        printf("  initial state off by %.1e in position and %.1e in velocity; a run moves it by %.1e and %.1e\n",
               i->position_residual, i->velocity_residual, i->position_moved, i->velocity_moved);
    }
}

/* For whoever looks after the program rather than the mechanism. */
static void print_numerics(const report *r)
{
    printf("  residual      position %.1e, velocity %.1e; moved by %.1e and %.1e\n", r->initial.position_residual,
           r->initial.velocity_residual, r->initial.position_moved, r->initial.velocity_moved);
    if (isnan(r->tangent.error)) {
        printf("  tangents      not compared with differences: more than %d velocities\n", TANGENTS_MAX);
    } else {
        cli_print("  tangents      worst against differences: %.1e (%s, %s / %s)\n", r->tangent.error, r->tangent.what,
                  r->tangent.row, r->tangent.column);
    }
    printf("  condition     %.1e of the iteration matrix with h = %.3g s\n", r->condition, r->h);
    print_solver(r);
    print_newton(r);
}

static void print(const report *r, int verbose)
{
    const cli_model *m = r->m;
    const dal_model_summary s = dal_model_report(m->model);
    cli_print("%s\n", m->name);
    printf("  bodies        %d, joints %d, forces %d\n", s.bodies, s.joints, s.forces);
    print_variables(m);
    print_outputs(m);
    printf("  coordinates   %d\n", s.velocities);
    printf("  constraints   %d (%d holonomic, %d on velocities)\n", s.rows, s.holonomic, s.rows - s.holonomic);
    printf("  freedoms      %d\n", r->dof);
    if (s.states > 0) {
        printf("  states        %d of first order\n", s.states);
    }
    if (r->nredundant > 0) {
        print_redundant(r);
    }
    if (m->assembly.iterations > 0) {
        printf("  assembly      moved by %.3g; largest gap %.1e before, %.1e after\n", m->assembly.moved,
               m->assembly.before, m->assembly.after);
    }
    if (m->assembly.velocities_kept > 0) {
        printf("  velocities    %d given and kept, the others completed from them\n", m->assembly.velocities_kept);
    }
    if (r->problem != NULL) {
        cli_print("  problem       %s\n", r->problem);
    } else {
        print_initial(r);
    }
    if (r->problem == NULL && verbose) {
        print_numerics(r);
    }
    printf("  %s\n", r->ok ? "sound" : "NOT sound");
}

static void print_json_names(cli_json *j, const cli_model *m)
{
    cli_json_open(j, "variables", '[', 0);
    for (int k = 0; k < dal_document_variable_count(m->doc); ++k) {
        const dal_variable v = dal_document_variable(m->doc, k);
        cli_json_open(j, NULL, '{', 1);
        cli_json_text(j, "name", v.name);
        cli_json_real(j, "value", v.value);
        cli_json_text(j, "unit", v.unit);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
    cli_json_open(j, "outputs", '[', 0);
    for (int k = 0; k < m->noutputs; ++k) {
        const dal_output_info o = dal_model_output_info(m->model, k);
        cli_json_open(j, NULL, '{', 1);
        cli_json_text(j, "name", o.name);
        cli_json_whole(j, "numbers", o.n);
        cli_json_text(j, "unit", o.unit);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void print_json(const report *r)
{
    const cli_model *m = r->m;
    cli_json j = cli_json_to(stdout);
    cli_json_open(&j, NULL, '{', 0);
    cli_json_text(&j, "model", m->name);
    cli_json_whole(&j, "bodies", dal_model_report(m->model).bodies);
    cli_json_whole(&j, "coordinates", m->sys->group->nv);
    cli_json_whole(&j, "constraints", dal_system_rows(m->sys));
    cli_json_whole(&j, "dof", r->dof);
    cli_json_whole(&j, "states", dal_model_report(m->model).states);
    cli_json_open(&j, "redundant", '[', 0);
    for (int i = 0; i < r->nredundant; ++i) {
        char name[256];
        row_name(name, m->sys, dal_reduction_rows(r->reduction)[i]);
        cli_json_text(&j, NULL, name);
    }
    cli_json_close(&j, ']');
    cli_json_real(&j, "residual", r->problem == NULL ? residual(r) : NAN);
    cli_json_real(&j, "tangent_error", r->problem == NULL ? r->tangent.error : NAN);
    cli_json_text(&j, "linear_solver", r->solver);
    cli_json_text(&j, "solver_choice", r->choice);
    cli_json_whole(&j, "solver_fallbacks", r->fallbacks);
    cli_json_real(&j, "jacobian_cost", r->jacobian_cost);
    print_json_names(&j, m);
    cli_json_flag(&j, "ok", r->ok);
    cli_json_close(&j, '}');
    cli_json_end(&j);
}

/* What is wrong, with a remedy, one line each. */
static void explain(const report *r)
{
    if (r->problem != NULL) {
        cli_error("check", CLI_CHECK, "%s", r->problem);
    }
    if (r->nredundant > 0 && !r->allowed && r->problem == NULL) {
        cli_error("check", CLI_CHECK,
                  "%d redundant constraint rows: use joints that hold less (spherical or universal for one "
                  "revolute of a loop), or take the reactions as they come: --set redundant=drop (or least_norm)",
                  r->nredundant);
    }
    if (r->problem == NULL && residual(r) > residual_tol) {
        cli_error("check", CLI_CHECK,
                  "the initial state violates the constraints by %.1e: correct positions or velocities, or "
                  "accept that a run moves them",
                  residual(r));
    }
    if (r->problem == NULL && r->tangent.error > tangent_tol) {
        cli_error("check", CLI_CHECK, "tangent %s, %s / %s: given %.9g, by differences %.9g", r->tangent.what,
                  r->tangent.row, r->tangent.column, r->tangent.given, r->tangent.difference);
    }
}

static int command(const cli_args *args)
{
    cli_model m = {0};
    report r = {.m = &m, .condition = NAN};
    int code = model_open(&m, args);
    code = code != CLI_OK ? code : find_redundant(&r);
    if (code == CLI_OK) {
        examine(&r);
        r.ok = r.problem == NULL && (r.nredundant == 0 || r.allowed) && residual(&r) <= residual_tol &&
               !(r.tangent.error > tangent_tol);
        if (cli_given(args, "json")) {
            print_json(&r);
        } else {
            print(&r, cli_given(args, "verbose"));
        }
        explain(&r);
        code = r.ok ? CLI_OK : CLI_CHECK;
    }
    free(r.problem);
    dal_reduction_destroy(r.reduction);
    model_release(&m);
    return code;
}
