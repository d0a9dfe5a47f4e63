/* dalembert modes: eigenvalues and mode shapes about a state or a steady motion. */
#include <math.h>

#include "cli/answer.h"
#include "cli/modes.h"
#include "dalembert/results.h"

CLI_OWNS(dal_modal)
CLI_OWNS(dal_shapes)

/* Multipliers of a period that are less accurate than this are warned of. */
static const double period_tol = 1e-4;
/* Steps for a period of the fastest mode that resolve it. */
static const double steps_per_period = 20.0;

/* Of models with more bodies than this, JSON has only those that take part by at least that share, and no joints. */
enum { LISTED = 200 };
static const double least_share = 1e-3;

/* ---- the answer --------------------------------------------------------------------------------- */

static const char *about_line(const cli_modes_job *j)
{
    const dal_modal_info *i = &j->info;
    if (i->steady == DAL_STEADINESS_AT_REST) {
        return cli_text("a state of rest at t = %g", j->at.t);
    }
    if (i->steady == DAL_STEADINESS_STEADY) {
        return cli_text("steady motion: in %s axes the coefficients are constant (change %.0e)%s", about_axes[i->axes],
                        i->drift, i->axes == DAL_AXES_TURNING ? ", which turn" : "");
    }
    if (i->steady == DAL_STEADINESS_FLOQUET) {
        return cli_text("a motion with the period %g s: Floquet exponents (im up to multiples of %.6g rad/s)",
                        i->period, 6.283185307179586 / i->period);
    }
    double speed = 0.0;
    for (int k = 0; k < i->nv; ++k) {
        speed = fmax(speed, fabs(j->at.v[k]));
    }
    const int rates = i->acceleration > 1e-6; // otherwise it is the velocities that change the coefficients
    return cli_text(
        "the instant t = %g, neither an equilibrium nor a steady motion (%s up to %.3g): the coefficients are "
        "frozen there; %s, --period gives Floquet exponents",
        j->at.t, rates ? "accelerations" : "velocities", rates ? i->acceleration : speed, about_remedy(j->args));
}

int modes_grows(dal_mode mode)
{
    return mode.re > fmax(1e-7 * hypot(mode.re, mode.im) * (mode.error == 0.0), mode.error);
}

/* A turn of a body is a period, too: coordinates and gyroscopic forces follow it. */
static double step_size(const cli_modes_job *j)
{
    const double fastest = fmax(j->info.highest, j->spin);
    return fastest > 0.0 ? 6.283185307179586 / (steps_per_period * fastest) : NAN;
}

static void put_motion(cli_answer *a, const dal_motion *motion)
{
    answer_reals(a, "translation", motion->translation[0], 3);
    answer_reals(a, "translation_im", motion->translation[1], 3);
    answer_reals(a, "rotation", motion->rotation[0], 3);
    answer_reals(a, "rotation_im", motion->rotation[1], 3);
}

/* Who takes part in mode k. */
static void put_shape(cli_answer *a, const cli_modes_job *j, int k)
{
    const dal_mode_shape *s = &j->shape;
    cli_answer *bodies = answer_object(a, "bodies", 0), *states = answer_object(a, "states", 1);
    cli_answer *joints = answer_object(a, "joints", 0);
    for (int b = 1; b <= s->nbodies; ++b) {
        if (dal_model_body_of(j->m.model, b) == b && (s->nbodies <= LISTED || s->share[b] >= least_share)) {
            put_motion(answer_line(bodies, dal_model_body_name(j->m.model, b), "share %g deformation %g", s->share[b],
                                   s->bending[b]),
                       &s->body[b]);
        }
    }
    for (int i = 0; i < j->info.nv && j->info.states > 0; ++i) {
        char name[DAL_SHAPE_TEXT];
        if (dal_shapes_state(j->shapes, name, i)) {
            answer_real(states, name, dal_modal_shares(j->modal, k)[i]);
        }
    }
    for (int i = 0; i < s->njoints && s->nbodies <= LISTED; ++i) {
        if (s->framed[i]) {
            put_motion(answer_object(joints, dal_model_joint_name(j->m.model, i), 1), &s->joint[i]);
        }
    }
}

static void put_mode(cli_answer *a, const cli_modes_job *j, int k)
{
    const dal_mode mode = dal_modal_mode(j->modal, k);
    answer_put(a, "re %g im %g frequency %g damping %g error %g pair? %d rigid? %d shape %s whirl %s", mode.re, mode.im,
               mode.frequency, mode.damping, j->info.period > 0.0 ? mode.error : NAN, mode.im > 0.0, mode.rigid,
               j->shape.text, about_whirl(j->shape.whirl));
    answer_put(a, ".size %g .one %g .grows? %d .vague? %d", hypot(mode.re, mode.im), 1.0, modes_grows(mode),
               mode.error > 0.1 * hypot(mode.re, mode.im));
    put_shape(a, j, k);
}

/* What the text says beyond the document. */
static void put_words(cli_answer *a, const cli_modes_job *j)
{
    const dal_modal_info *i = &j->info;
    const int floquet = i->steady == DAL_STEADINESS_FLOQUET, spins = !floquet && j->spin > i->highest;
    answer_put(a, ".about %s .turns? %d .holonomic? %d .sparse? %d .several? %d", about_line(j),
               i->axes == DAL_AXES_TURNING, i->positions == i->velocities - i->states, i->sparse, i->rigid != 1);
    answer_put(a, ".floquet? %d .swings? %d .spinner %s .spin %g .per %g", floquet, !floquet && i->highest > 0.0,
               spins ? dal_model_body_name(j->m.model, j->spinner) : NULL, j->spin / 6.283185307179586,
               steps_per_period);
}

static const cli_answer *answer(cli_modes_job *j)
{
    const dal_modal_info *i = &j->info;
    const int floquet = i->period > 0.0;
    cli_answer *a = answer_create();
    answer_put(a, "model %s time %g steady %s axes %s", j->m.name, j->at.t, about_steady[i->steady],
               about_axes[i->axes]);
    answer_reals(a, "turning", i->turning, 3);
    answer_put(a, "drift %g acceleration %g period %g period_error %g period_steps %d", i->drift, i->acceleration,
               floquet ? i->period : NAN, floquet ? i->error : NAN, i->steps);
    answer_put(a, "freedoms %d velocity_freedoms %d states %d redundant %d rigid %d zeros %d solver %s", i->positions,
               i->velocities - i->states, i->states, i->redundant, i->rigid, i->zeros, i->sparse ? "sparse" : "dense");
    answer_put(a, "highest_frequency %g step_size %g seconds %g", i->highest / 6.283185307179586,
               i->steady == DAL_STEADINESS_FLOQUET ? NAN : step_size(j), j->seconds);
    answer_texts(a, "warnings", j->m.warning, j->m.nwarnings, 0);
    put_words(a, j);
    cli_answer *list = answer_list(a, "eigenvalues", 0);
    for (int k = 0; k < i->n; ++k) {
        cli_try(j->m.ctx, dal_shapes_mode(j->shapes, &j->shape, j->modal, k), CLI_INTEGRATION);
        put_mode(answer_object(list, NULL, 0), j, k);
    }
    return a;
}

/* The same numbers and all shapes as an HDF5 file. */
static void write_arrays(const cli_modes_job *j, const char *path)
{
    const int n = j->info.n, nv = j->info.nv;
    double *x = cli_alloc(5 * (size_t)n + 2 * (size_t)n * (size_t)nv, sizeof *x), *shape = x + 5 * (size_t)n;
    for (int k = 0; k < n; ++k) {
        const dal_mode m = dal_modal_mode(j->modal, k);
        const double value[5] = {m.re, m.im, m.frequency, m.damping, m.rigid};
        for (int i = 0; i < 5; ++i) {
            x[i * n + k] = value[i];
        }
        for (int i = 0; i < 2 * nv; ++i) { // real parts of all modes, then imaginary parts
            shape[((size_t)(i / nv) * (size_t)n + (size_t)k) * (size_t)nv + (size_t)(i % nv)] =
                dal_modal_shape(j->modal, k)[i];
        }
    }
    const dal_array list[] = {{.name = "re", .rows = n, .cols = 1, .x = x},
                              {.name = "im", .rows = n, .cols = 1, .x = x + n},
                              {.name = "frequency", .rows = n, .cols = 1, .x = x + 2 * n},
                              {.name = "damping", .rows = n, .cols = 1, .x = x + 3 * n},
                              {.name = "rigid", .rows = n, .cols = 1, .x = x + 4 * n},
                              {.name = "shapes_re", .rows = nv, .cols = n, .x = shape},
                              {.name = "shapes_im", .rows = nv, .cols = n, .x = shape + (size_t)n * (size_t)nv}};
    const dal_note note = {"model", j->m.name};
    answer_save_arrays(path, list, n > 0 ? CLI_LEN(list) : 0, &note, 1);
}

/* ---- the command ------------------------------------------------------------------------------ */

/* The modes; a period that is not a number is looked for. */
static void find_modes(cli_modes_job *j, const dal_modal_options *opt)
{
    const cli_model *m = &j->m;
    dal_data *data = dal_sim_data(j->sim);
    const int search = isnan(opt->period);
    const dal_status st =
        search ? dal_modal_create_periodic(&j->modal, m->ctx, m->sys, data, &j->at, opt, &m->opt, m->t_end)
               : dal_modal_create(&j->modal, m->ctx, m->sys, data, &j->at, opt);
    if (st == DAL_ECHECK && search) {
        cli_fail(CLI_INTEGRATION, "--period auto found none: %s; simulate longer (--set t_end=...), or give --period T",
                 dal_ctx_message(m->ctx));
    }
    cli_try(m->ctx, st, CLI_INTEGRATION);
    CLI_OWN(dal_modal, j->modal);
}

static void analyse(cli_modes_job *j, const dal_modal_options *opt)
{
    j->sim = about_start(&j->m, &j->at, j->args, 0);
    const double begin = cli_seconds();
    find_modes(j, opt);
    j->seconds = cli_seconds() - begin;
    j->info = dal_modal_about(j->modal);
    if (j->info.period > 0.0 && j->info.error > period_tol / j->info.period) {
        model_warn(&j->m,
                   cli_text("Floquet exponents are accurate to %.1e 1/s only, with %d steps a period: the motion is "
                            "stiff, or forces have kinks",
                            j->info.error, j->info.steps));
    }
    CLI_CREATE(dal_shapes, j->shapes, CLI_INTEGRATION, j->m.ctx, j->m.model, j->m.sys, dal_sim_data(j->sim), &j->at);
    j->spinner = dal_shapes_spinner(j->shapes, &j->spin);
}

static int command(const cli_args *args)
{
    cli_modes_job *j = cli_alloc(1, sizeof *j);
    const dal_modal_options opt = {.n = cli_whole(args, "number"),
                                   .axes = (dal_axes)cli_whole(args, "axes"),
                                   .solver = (dal_modal_solver)cli_whole(args, "solver"),
                                   .period = cli_real(args, "period")}; // NaN: looked for
    const char *html = cli_value(args, "html"), *table = cli_value(args, "output");
    j->args = args;
    cli_check_files(args, 1);
    model_open(&j->m, args);
    analyse(j, &opt);
    const cli_answer *a = answer(j);
    answer_tell(a, args, NULL);
    if (table != NULL && !answer_save_csv(a, "modes_csv", table)) {
        write_arrays(j, table);
    }
    if (html != NULL) {
        modes_film(j, html);
    }
    return CLI_OK;
}

const cli_command cli_modes = {.name = "modes", .run = command, .tells_failure = 1};
