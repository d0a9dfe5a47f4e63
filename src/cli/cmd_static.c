/* dalembert static: where a model rests. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/about.h"
#include "cli/answer.h"
#include "cli/path.h"
#include "cli/states.h"
#include "dalembert/static.h"

static const cli_flag flags[] = {
    {"time", 't', "T", "the time at which loads and prescribed motions are taken; default 0", CLI_NUMBER},
    {"nearest", 'n', NULL, "take the equilibrium closest by Newton's method, stable or not"},
    {"method", 'm', "NAME", "newton, load_steps or relaxation: that one only; default: one after the other", CLI_CHOICE,
     "newton|load_steps|relaxation"},
    {"path", 0, "KEY=A:B", "follow the equilibria while a variable, or a number of the model, goes from A to B"},
    {"control", 0, "NAME",
     "of --path: a displacement that grows steadily, as BODY.y, instead of the length of the path", .needs = "path"},
    {"until", 0, "EVENT", "of --path: limit or bifurcation, where it ends", CLI_CHOICE, "limit|bifurcation",
     .needs = "path"},
    {"steps", 0, "N", "of --path: the first step is this part of the range; default 20", CLI_WHOLE, .max = 100000,
     .expected = "a number of steps, at least 1,", .needs = "path"},
    {"points", 0, "N", "of --path: it ends after so many points; default 400", CLI_WHOLE, .max = 1000000,
     .expected = "a number of points, at least 1,", .needs = "path"},
    STATES_FLAGS("|path"),
};

static int command(const cli_args *args);

const cli_command cli_static = {
    .name = "static",
    .place = 7,
    .summary = "equilibrium: positions, reactions, stability",
    .about =
        "The search begins at the initial position of the model, velocities are left out. Newton's method is tried\n"
        "first, then with the load put on in steps, then relaxation. An unstable equilibrium is reported if the\n"
        "model begins at it; otherwise a stable one is looked for (--nearest: not).\n\n"
        "--path goes on where a load cannot grow any more: limits, where the variable turns back, and bifurcations,\n"
        "where another path crosses, are located and named.\n\n"
        "Exit codes: 0 an equilibrium was found, stable or not, a path came to its end; 1 there is none, or none was\n"
        "found, or the path ended before; 2 usage, 3 the\n"
        "model cannot be read or closed, 4 it cannot be evaluated, 5 files.",
    .examples = "  dalembert static double_pendulum\n"
                "  dalembert static chain --set N=1000 --json\n"
                "  dalembert static crane.json --time 2 --html crane.html\n"
                "  dalembert static lee_frame --path P=0:2.5",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

enum { SHOWN = 40 }; /* bodies and joints that the text shows at most */

typedef struct rest {
    cli_model m;
    dal_data *data;
    double t;
    unsigned methods; /* that may be tried; 0: all */
    double *q, *v, *la, *wrench;
    dal_static_report report;
    char *problem; /* why there is none */
    cli_states states;
    cli_answer *answer;
} rest;

static dal_point point(const rest *r)
{
    // accelerations are zero, as velocities but for states
    return (dal_point){r->t, r->q, r->v, r->v + r->m.sys->group->nv, r->la};
}

/* ---- as text ---------------------------------------------------------------------------------- */

/* The largest of n numbers, or `most`. */
static double largest(double most, const double *x, int n)
{
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

/* Numbers that are nothing but rounding of others of their kind, the largest of which is `size`, are shown as zero. */
static void print_vector(const double *x, int n, double size)
{
    for (int k = 0; k < n; ++k) {
        printf(" %13.6g", fabs(x[k]) <= 1e-12 * size ? 0.0 : x[k]);
    }
}

/* A name and at most so many of its numbers. */
static void print_row(const char *name, const char *unit, const double *x, int n, int most, double size)
{
    char label[300];
    snprintf(label, sizeof label, unit[0] != '\0' && strcmp(unit, "1") != 0 ? "%.240s [%.40s]" : "%.240s", name, unit);
    cli_print("  %-24s", label);
    print_vector(x, n < most ? n : most, size);
    if (n > most) {
        printf(" and %d more", n - most);
    }
    printf("\n");
}

/* Modal coordinates of flexible bodies. */
static void print_modes(const rest *r)
{
    int shown = 0;
    for (int k = 0; k < r->m.nbodies && shown < SHOWN; ++k) {
        const char *name = r->m.body[k].name;
        int q = 0, v = 0;
        const int n = dal_model_modes(r->m.model, &q, &v, dal_model_find_body(r->m.model, name));
        if (n > 0 && shown++ == 0) {
            printf("\n  flexible body            modal coordinates\n");
        }
        if (n > 0) {
            print_row(name, "", r->q + q, n, 6, largest(0.0, r->q + q, n));
        }
    }
}

static int in_table(const rest *r, const char *output)
{
    int found = 0;
    for (int b = 0; b < r->m.nbodies && b < SHOWN && !found; ++b) {
        const size_t n = strlen(r->m.body[b].name);
        found = strncmp(output, r->m.body[b].name, n) == 0 &&
                (strcmp(output + n, ".position") == 0 || strcmp(output + n, ".quaternion") == 0);
    }
    return found;
}

/* The largest number of the outputs with this unit, and of the reactions where it is theirs. */
static double output_size(const rest *r, const char *unit, int joints)
{
    double most = 0.0;
    for (int k = 0; k < r->m.noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(r->m.model, k);
        most = strcmp(info.unit, unit) == 0 ? largest(most, r->m.values + info.first, info.n) : most;
    }
    return strcmp(unit, "N") == 0 || strcmp(unit, "N m") == 0 ? largest(most, r->wrench, 6 * joints) : most;
}

/* Outputs, but for positions and rotations of bodies, which have a table of their own. */
static void print_outputs(const rest *r)
{
    int shown = 0;
    for (int k = 0; k < r->m.noutputs && shown < SHOWN; ++k) {
        const dal_output_info info = dal_model_output_info(r->m.model, k);
        if (!in_table(r, info.name)) {
            printf("%s", shown++ == 0 ? "\n  output\n" : "");
            print_row(info.name, info.unit, r->m.values + info.first, info.n, 12,
                      output_size(r, info.unit, dal_model_report(r->m.model).joints));
        }
    }
}

static void print_tables(const rest *r)
{
    const cli_model *m = &r->m;
    const int joints = dal_model_report(m->model).joints;
    if (m->nbodies > 0) {
        printf("\n  %-24s %13s %13s %13s   quaternion\n", "body", "x/m", "y/m", "z/m");
    }
    double size = 0.0, load = largest(0.0, r->wrench, 6 * joints);
    for (int k = 0; k < m->nbodies; ++k) {
        size = largest(size, m->values + m->body[k].x, m->body[k].x >= 0 ? 3 : 0);
    }
    for (int k = 0; k < m->nbodies && k < SHOWN; ++k) {
        const dal_body_channels *b = &m->body[k];
        cli_print("  %-24s", b->name);
        print_vector(m->values + b->x, b->x >= 0 ? 3 : 0, size);
        print_vector(m->values + b->quat, b->quat >= 0 ? 4 : 0, 1.0);
        printf("\n");
    }
    if (joints > 0) {
        printf("\n  %-24s %13s %13s %13s %13s %13s %13s\n", "joint (on body B)", "Fx/N", "Fy/N", "Fz/N", "Tx/(N m)",
               "Ty/(N m)", "Tz/(N m)");
    }
    for (int k = 0; k < joints && k < SHOWN; ++k) {
        cli_print("  %-24s", dal_model_joint_name(m->model, k));
        print_vector(r->wrench + 6 * (size_t)k, 6, load);
        printf("\n");
    }
    print_modes(r);
    print_outputs(r);
    if (m->nbodies > SHOWN || joints > SHOWN || m->noutputs > SHOWN) {
        printf("\n  %d bodies, %d joints and %d outputs in all: --json or -o PATH has them\n", m->nbodies, joints,
               m->noutputs);
    }
}

/* ---- the answer ------------------------------------------------------------------------------- */

static void put_directions(cli_answer *a, const char *name, const dal_static_direction *d, int n)
{
    cli_answer *list = answer_list(a, name, 0);
    for (int k = 0; k < n && k < DAL_STATIC_DIRECTIONS; ++k) {
        answer_put(answer_object(list, NULL, 1), "direction %s stiffness %g", d[k].name, d[k].stiffness);
    }
}

/* Bodies, joints and outputs, if there is an equilibrium. */
static void put_elements(cli_answer *a, const rest *r)
{
    const cli_model *m = &r->m;
    const int found = r->problem == NULL;
    cli_answer *bodies = answer_object(a, "bodies", 0), *joints = answer_object(a, "joints", 0);
    cli_answer *outputs = answer_object(a, "outputs", 0);
    for (int k = 0; k < m->nbodies && found; ++k) {
        const dal_body_channels *b = &m->body[k];
        cli_answer *body = answer_object(bodies, b->name, 1);
        if (b->x >= 0) {
            answer_reals(body, "position", m->values + b->x, 3);
        }
        if (b->quat >= 0) {
            answer_reals(body, "rotation", m->values + b->quat, 4);
        }
    }
    for (int k = 0; k < dal_model_report(m->model).joints && found; ++k) {
        cli_answer *joint = answer_object(joints, dal_model_joint_name(m->model, k), 1);
        answer_reals(joint, "force", r->wrench + 6 * (size_t)k, 3);
        answer_reals(joint, "torque", r->wrench + 6 * (size_t)k + 3, 3);
    }
    for (int k = 0; k < m->noutputs && found; ++k) {
        const dal_output_info info = dal_model_output_info(m->model, k);
        if (info.n == 1) {
            answer_real(outputs, info.name, m->values[info.first]);
        } else {
            answer_reals(outputs, info.name, m->values + info.first, info.n);
        }
    }
}

static void fill(rest *r)
{
    static const char *const by[] = {[DAL_STATIC_NEWTON] = "Newton's method",
                                     [DAL_STATIC_LOAD_STEPS] = "load steps",
                                     [DAL_STATIC_RELAXATION] = "relaxation"};
    const dal_static_report *s = &r->report;
    cli_answer *a = r->answer = answer_create();
    const int most = DAL_STATIC_DIRECTIONS;
    answer_put(a, "model %s time %g converged? %d method %s iterations %d .found_by %s", r->m.name, r->t, s->converged,
               dal_static_method_name(s->method), s->iterations, by[s->method]);
    answer_put(a, "residual %g relative_residual %g position_residual %g moved %g redundant %d", s->residual,
               s->relative, s->position_residual, s->moved, s->redundant);
    answer_put(a, "stable? %d held_states %d symmetric? %d", s->converged && s->stable, s->held, s->symmetric);
    answer_put(a, ".stable_words %s .held_words? %d",
               !s->stable            ? "NO"
               : s->nindifferent > 0 ? "yes, but for indifferent directions"
                                     : "yes",
               s->held > 0 && s->stable);
    answer_put(a, "negative_directions %d indifferent_directions %d counts_complete? %d", s->nnegative, s->nindifferent,
               s->complete);
    put_directions(a, "negative", s->negative, s->nnegative);
    put_directions(a, "indifferent", s->indifferent, s->nindifferent);
    put_directions(a, "softest", &s->lowest, !isnan(s->lowest.stiffness));
    answer_put(a, ".negative_left %d .indifferent_left %d message %s", s->nnegative > most ? s->nnegative - most : 0,
               s->nindifferent > most ? s->nindifferent - most : 0, r->problem);
    answer_texts(a, "warnings", r->m.warning, r->m.nwarnings);
    put_elements(a, r);
}

static void print(const rest *r)
{
    cli_print("%s at t = %.9g\n", r->m.name, r->t);
    answer_print(r->answer, "static", stdout);
    if (r->problem == NULL) {
        print_tables(r);
    }
}

/* ---- course ----------------------------------------------------------------------------------- */

/* A failure: no equilibrium, or the model cannot be closed or evaluated. */
static int no_rest(rest *r, dal_status st)
{
    if (st == DAL_NOCONV && r->report.iterations > 0) {
        r->problem = cli_copy(dal_ctx_message(r->m.ctx));
        return CLI_CHECK;
    }
    return cli_error(st == DAL_ENOMEM || st == DAL_ECALLBACK ? CLI_INTEGRATION : CLI_MODEL, "%s",
                     dal_ctx_message(r->m.ctx));
}

static int solve(rest *r, const cli_args *args)
{
    const dal_system *sys = r->m.sys;
    const dal_group *G = sys->group;
    const dal_static_options opt = {.nearest = cli_given(args, "nearest"), .methods = r->methods};
    r->q = cli_alloc((size_t)G->nq, sizeof *r->q);
    r->v = cli_alloc(2 * (size_t)G->nv, sizeof *r->v);
    r->la = cli_alloc((size_t)dal_system_rows(sys) + 1, sizeof *r->la);
    memcpy(r->q, dal_model_q0(r->m.model), (size_t)G->nq * sizeof *r->q);
    memcpy(r->v, dal_model_v0(r->m.model), (size_t)G->nv * sizeof *r->v);
    if (dal_data_create(&r->data, r->m.ctx, sys) != DAL_OK) {
        return no_rest(r, dal_ctx_status(r->m.ctx));
    }
    const dal_status st = dal_static_solve(r->m.ctx, sys, r->data, r->q, r->v, r->la, &r->report, r->t, &opt);
    return st == DAL_OK ? CLI_OK : no_rest(r, st);
}

/* Tables, picture, page. */
static int show(rest *r, const cli_args *args)
{
    const dal_model_summary count = dal_model_report(r->m.model);
    const size_t n = (size_t)count.joints + (size_t)count.forces;
    const dal_point at = point(r);
    about_kinks(&r->m, r->data, &at);
    r->wrench = cli_alloc(6 * n + 1, sizeof *r->wrench);
    if (dal_model_wrenches(r->m.model, r->data, r->wrench, &at) != DAL_OK) {
        return cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(r->m.ctx));
    }
    int code = states_open(&r->states, &r->m, r->data, args, NULL);
    code = code == CLI_OK ? states_add(&r->states, &at, NULL) : code;
    if (code == CLI_OK) {
        fill(r);
        char *text = answer_string(r->answer, "static");
        code = states_close(&r->states, text);
        free(text);
    }
    return code;
}

static void release(rest *r)
{
    answer_release(r->answer);
    states_release(&r->states);
    dal_data_destroy(r->data);
    free(r->q);
    free(r->v);
    free(r->la);
    free(r->wrench);
    free(r->problem);
    model_release(&r->m);
}

static int command(const cli_args *args)
{
    if (cli_given(args, "path")) {
        return path_command(args);
    }
    rest r = {.t = cli_real(args, "time"),
              .methods = cli_given(args, "method") ? 1U << (DAL_STATIC_NEWTON + cli_whole(args, "method")) : 0U};
    int code = cli_check_files(args, 0);
    code = code == CLI_OK ? model_open(&r.m, args) : code;
    code = code == CLI_OK ? solve(&r, args) : code;
    code = code == CLI_OK ? show(&r, args) : code;
    if (r.problem != NULL) {
        fill(&r);
    }
    if (cli_given(args, "json") && r.answer != NULL) {
        answer_json(r.answer, stdout);
    } else if (!cli_given(args, "quiet") && r.answer != NULL) {
        print(&r);
    }
    if (r.problem != NULL) {
        cli_error(CLI_CHECK, "%s", r.problem);
    }
    release(&r);
    return code;
}
