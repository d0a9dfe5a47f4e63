/* dalembert static: where a model rests. */
#include <math.h>
#include <string.h>

#include "cli/about.h"
#include "cli/answer.h"
#include "cli/path.h"
#include "cli/states.h"
#include "dalembert/static.h"

CLI_OWNS(dal_data)

enum { SHOWN = 40 }; /* bodies, joints and outputs that the text shows at most, as the template says */

typedef struct rest {
    cli_model m;
    dal_data *data;
    double t;
    double *q, *v, *la, *wrench;
    dal_static_report report;
    const char *problem; /* why there is none */
    cli_states states;
} rest;

/* ---- the text --------------------------------------------------------------------------------- */

/* The largest of n numbers, or `most`. */
static double largest(double most, const double *x, int n)
{
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

/* A name and at most so many of its numbers; those that are rounding beside `size` are shown as zero. */
static void put_row(cli_answer *list, const char *name, const char *unit, const double *x, int n, int most, double size)
{
    const int plain = unit[0] == '\0' || strcmp(unit, "1") == 0;
    cli_answer *row = answer_line(list, NULL, "label %s more %d size %g",
                                  plain ? name : cli_text("%.240s [%.40s]", name, unit), n > most ? n - most : 0, size);
    answer_reals(row, "numbers", x, n < most ? n : most);
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
static double output_size(const rest *r, const char *unit, double load)
{
    double most = 0.0;
    for (int k = 0; k < r->m.noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(r->m.model, k);
        most = strcmp(info.unit, unit) == 0 ? largest(most, r->m.values + info.first, info.n) : most;
    }
    return strcmp(unit, "N") == 0 || strcmp(unit, "N m") == 0 ? fmax(most, load) : most;
}

/* Sizes for the tables of bodies and joints, modal coordinates, and outputs that are not in these tables. */
static void put_tables(cli_answer *a, const rest *r)
{
    const cli_model *m = &r->m;
    const int joints = dal_model_report(m->model).joints;
    const double load = largest(0.0, r->wrench, 6 * joints);
    double size = 0.0;
    cli_answer *modal = answer_list(a, ".modal", 0), *rows = answer_list(a, ".rows", 0);
    for (int k = 0, shown = 0; k < m->nbodies; ++k) {
        int q = 0, v = 0;
        const int n = dal_model_modes(m->model, &q, &v, dal_model_find_body(m->model, m->body[k].name));
        if (n > 0 && shown++ < SHOWN) {
            put_row(modal, m->body[k].name, "", r->q + q, n, 6, largest(0.0, r->q + q, n));
        }
        size = largest(size, m->values + m->body[k].x, m->body[k].x >= 0 ? 3 : 0);
    }
    for (int k = 0, shown = 0; k < m->noutputs && shown < SHOWN; ++k) {
        const dal_output_info info = dal_model_output_info(m->model, k);
        if (!in_table(r, info.name)) {
            put_row(rows, info.name, info.unit, m->values + info.first, info.n, 12, output_size(r, info.unit, load));
            ++shown;
        }
    }
    answer_put(a, ".size %g .one %g .load %g .cut? %d .nbodies %d .njoints %d .noutputs %d", size, 1.0, load,
               m->nbodies > SHOWN || joints > SHOWN || m->noutputs > SHOWN, m->nbodies, joints, m->noutputs);
}

/* ---- the answer ------------------------------------------------------------------------------- */

static void put_directions(cli_answer *a, const char *name, const dal_static_direction *d, int n)
{
    cli_answer *list = answer_list(a, name, 0);
    for (int k = 0; k < n && k < DAL_STATIC_DIRECTIONS; ++k) {
        answer_line(list, NULL, "direction %s stiffness %g", d[k].name, d[k].stiffness);
    }
}

/* Bodies, joints and outputs, if there is an equilibrium. */
static void put_elements(cli_answer *a, const rest *r)
{
    const cli_model *m = &r->m;
    cli_answer *bodies = answer_object(a, "bodies", 0), *joints = answer_object(a, "joints", 0);
    if (r->problem != NULL) {
        answer_object(a, "outputs", 0);
        return;
    }
    for (int k = 0; k < m->nbodies; ++k) {
        const dal_body_channels *b = &m->body[k];
        cli_answer *body = answer_object(bodies, b->name, 1);
        if (b->x >= 0) {
            answer_reals(body, "position", m->values + b->x, 3);
        }
        if (b->quat >= 0) {
            answer_reals(body, "rotation", m->values + b->quat, 4);
        }
    }
    for (int k = 0; k < dal_model_report(m->model).joints; ++k) {
        cli_answer *joint = answer_object(joints, dal_model_joint_name(m->model, k), 1);
        answer_reals(joint, "force", r->wrench + 6 * (size_t)k, 3);
        answer_reals(joint, "torque", r->wrench + 6 * (size_t)k + 3, 3);
    }
    states_outputs(a, m, 0);
    put_tables(a, r);
}

static cli_answer *answer(const rest *r)
{
    static const char *const by[] = {[DAL_STATIC_NEWTON] = "Newton's method",
                                     [DAL_STATIC_LOAD_STEPS] = "load steps",
                                     [DAL_STATIC_RELAXATION] = "relaxation"};
    const dal_static_report *s = &r->report;
    cli_answer *a = answer_create();
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
    answer_texts(a, "warnings", r->m.warning, r->m.nwarnings, 0);
    put_elements(a, r);
    return a;
}

/* ---- course ----------------------------------------------------------------------------------- */

static void solve(rest *r, const cli_args *args)
{
    const dal_system *sys = r->m.sys;
    const size_t nv = (size_t)sys->group->nv;
    const dal_static_options opt = {
        .nearest = cli_given(args, "nearest"),
        .methods = cli_given(args, "method") ? 1U << (DAL_STATIC_NEWTON + cli_whole(args, "method")) : 0U};
    r->q = model_q0(&r->m);
    r->v = cli_alloc(2 * nv, sizeof *r->v);
    r->la = cli_alloc((size_t)dal_system_rows(sys) + 1, sizeof *r->la);
    memcpy(r->v, dal_model_v0(r->m.model), nv * sizeof *r->v);
    CLI_CREATE(dal_data, r->data, CLI_INTEGRATION, r->m.ctx, sys);
    const dal_status st = dal_static_solve(r->m.ctx, sys, r->data, r->q, r->v, r->la, &r->report, r->t, &opt);
    if (st == DAL_NOCONV && r->report.iterations > 0) {
        r->problem = cli_copy(dal_ctx_message(r->m.ctx));
    } else { // the model cannot be closed or evaluated
        cli_try(r->m.ctx, st, st == DAL_ENOMEM || st == DAL_ECALLBACK ? CLI_INTEGRATION : CLI_MODEL);
    }
}

/* Tables, picture, page. */
static const cli_answer *show(rest *r, const cli_args *args)
{
    const dal_model_summary count = dal_model_report(r->m.model);
    // accelerations are zero, as velocities but for states
    const dal_point at = {r->t, r->q, r->v, r->v + r->m.sys->group->nv, r->la};
    about_kinks(&r->m, r->data, &at);
    r->wrench = cli_alloc(6 * ((size_t)count.joints + (size_t)count.forces) + 1, sizeof *r->wrench);
    cli_try(r->m.ctx, dal_model_wrenches(r->m.model, r->data, r->wrench, &at), CLI_INTEGRATION);
    states_open(&r->states, &r->m, r->data, args, NULL);
    states_add(&r->states, &at, NULL);
    const cli_answer *a = answer(r);
    states_close(&r->states, answer_string(a, "static_summary"));
    return a;
}

static int command(const cli_args *args)
{
    if (cli_given(args, "path")) {
        return path_command(args);
    }
    rest *r = cli_alloc(1, sizeof *r);
    r->t = cli_real(args, "time");
    cli_check_files(args, 0);
    model_open(&r->m, args);
    solve(r, args);
    answer_tell(r->problem == NULL ? show(r, args) : answer(r), args, NULL);
    return r->problem == NULL ? CLI_OK : cli_error(CLI_CHECK, "%s", r->problem);
}

const cli_command cli_static = {.name = "static", .run = command};
