/* dalembert modes: eigenvalues and mode shapes about a state or a steady motion. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/modes.h"
#include "dalembert/results.h"

static const cli_flag flags[] = {
    CLI_FLAG_SET,
    {"number", 'n', "N", "how many modes beside the rigid ones, those of least frequency; default 20", CLI_WHOLE,
     .max = 100000, .expected = "a number of modes, at least 1,"},
    CLI_FLAG_ABOUT,
    {"axes", 0, "AXES", "of perturbations: auto (default), world, turning, body", CLI_CHOICE,
     "auto|world|turning|body"},
    {"period", 0, "T|auto", "of a motion that is not steady: Floquet exponents over that time", CLI_POSITIVE, "auto",
     .expected = "a time in seconds, or auto,"},
    {"solver", 0, "NAME", "auto (default), dense, sparse", CLI_CHOICE, "auto|dense|sparse"},
    {"html", 0, "FILE", "page in which every mode can be seen moving, for any browser", CLI_HTML},
    {"output", 'o', "FILE", "table of the modes: CSV, or with all shapes HDF5 if it ends in .h5"},
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_modes = {
    .name = "modes",
    .place = 10,
    .summary = "eigenvalues, frequencies, damping and shapes of small motions",
    .about =
        "About a state of rest or a steady motion (rolling, spinning), with damping, gyroscopic terms and constraints\n"
        "of all kinds. Whether the motion is steady is checked at two instants; if it is not, the answer is that of\n"
        "the instant and says so.\n"
        "Exit codes: 0 ok, 2 usage, 3 bad model, 4 no answer, 5 files.",
    .examples = "  dalembert modes bicycle --set v=5\n  dalembert modes hanging_chain --set N=4000 -n 10 --json",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

static const char *const axes_words[] = {"auto", "world", "turning", "body"};
static const char *const steady_words[] = {"rest", "steady", "frozen", "periodic"};
/* Multipliers of a period that are less accurate than this are warned of. */
static const double period_tol = 1e-4;
/* Steps for a period of the fastest mode that resolve it. */
static const double steps_per_period = 20.0;

/* Of models with more bodies than this, JSON has only those that take part by at least that share, and no joints. */
enum { LISTED = 200 };
static const double least_share = 1e-3;

/* ---- the answer --------------------------------------------------------------------------------- */

static void about_line(char line[400], const cli_modes_job *j)
{
    const dal_modal_info *i = &j->info;
    if (i->steady == DAL_STEADINESS_AT_REST) {
        snprintf(line, 400, "a state of rest at t = %g", j->at.t);
    } else if (i->steady == DAL_STEADINESS_STEADY) {
        snprintf(line, 400, "steady motion: in %s axes the coefficients are constant (change %.0e)%s",
                 axes_words[i->axes], i->drift, i->axes == DAL_AXES_TURNING ? ", which turn" : "");
    } else if (i->steady == DAL_STEADINESS_FLOQUET) {
        snprintf(line, 400, "a motion with the period %g s: Floquet exponents (im up to multiples of %.6g rad/s)",
                 i->period, 6.283185307179586 / i->period);
    } else {
        double speed = 0.0;
        for (int k = 0; k < i->nv; ++k) {
            speed = fmax(speed, fabs(j->at.v[k]));
        }
        const int rates = i->acceleration > 1e-6; // otherwise it is the velocities that change the coefficients
        snprintf(line, 400,
                 "the instant t = %g, neither an equilibrium nor a steady motion (%s up to %.3g): the coefficients are "
                 "frozen there; %s, --period gives Floquet exponents",
                 j->at.t, rates ? "accelerations" : "velocities", rates ? i->acceleration : speed,
                 j->about_static ? "drives or loads set the equilibrium in motion"
                                 : "--about static finds the equilibrium");
    }
}

/* Numbers that are nothing but rounding of s are shown as zero. */
static double shown(double x, dal_mode mode)
{
    return fabs(x) <= 1e-12 * hypot(mode.re, mode.im) ? 0.0 : x;
}

/* Is the growth of a mode more than rounding, of a Floquet exponent more than its error? */
static int grows(dal_mode mode)
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
            cli_answer *body = answer_object(bodies, dal_model_body_name(j->m.model, b), 1);
            answer_put(body, "share %g deformation %g", s->share[b], s->bending[b]);
            put_motion(body, &s->body[b]);
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
    answer_put(a, ".shown_damping %g .shown_re %g .shown_im %g .grows? %d .vague? %d",
               fabs(mode.damping) < 1e-12 ? 0.0 : mode.damping, shown(mode.re, mode), shown(mode.im, mode), grows(mode),
               mode.error > 0.1 * hypot(mode.re, mode.im));
    put_shape(a, j, k);
}

/* What the text says beyond the document. */
static void put_words(cli_answer *a, const cli_modes_job *j)
{
    const dal_modal_info *i = &j->info;
    const int floquet = i->steady == DAL_STEADINESS_FLOQUET, spins = !floquet && j->spin > i->highest;
    char line[400];
    about_line(line, j);
    answer_put(a, ".about %s .turns? %d .x %g .y %g .z %g .holonomic? %d .sparse? %d .several? %d", line,
               i->axes == DAL_AXES_TURNING, i->turning[0], i->turning[1], i->turning[2],
               i->positions == i->velocities - i->states, i->sparse, i->rigid != 1);
    answer_put(a, ".floquet? %d .swings? %d .spinner %s .spin %g .per %g", floquet, !floquet && i->highest > 0.0,
               spins ? dal_model_body_name(j->m.model, j->spinner) : NULL, j->spin / 6.283185307179586,
               steps_per_period);
}

static dal_status fill(cli_answer *a, cli_modes_job *j)
{
    const dal_modal_info *i = &j->info;
    const int floquet = i->period > 0.0;
    answer_put(a, "model %s time %g steady %s axes %s", j->m.name, j->at.t, steady_words[i->steady],
               axes_words[i->axes]);
    answer_reals(a, "turning", i->turning, 3);
    answer_put(a, "drift %g acceleration %g period %g period_error %g period_steps %d", i->drift, i->acceleration,
               floquet ? i->period : NAN, floquet ? i->error : NAN, i->steps);
    answer_put(a, "freedoms %d velocity_freedoms %d states %d redundant %d rigid %d zeros %d solver %s", i->positions,
               i->velocities - i->states, i->states, i->redundant, i->rigid, i->zeros, i->sparse ? "sparse" : "dense");
    answer_put(a, "highest_frequency %g step_size %g seconds %g", i->highest / 6.283185307179586,
               i->steady == DAL_STEADINESS_FLOQUET ? NAN : step_size(j), j->seconds);
    answer_texts(a, "warnings", j->m.warning, j->m.nwarnings);
    put_words(a, j);
    cli_answer *list = answer_list(a, "eigenvalues", 0);
    for (int k = 0; k < i->n; ++k) {
        DAL_TRY(dal_shapes_mode(j->shapes, &j->shape, j->modal, k));
        put_mode(answer_object(list, NULL, 0), j, k);
    }
    return DAL_OK;
}

/* The same numbers and all shapes as an HDF5 file. */
static int write_arrays(cli_modes_job *j, const char *path)
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
    const dal_status st = dal_arrays_write(j->m.ctx, path, list, n > 0 ? CLI_LEN(list) : 0, &note, 1);
    free(x);
    return st == DAL_OK ? CLI_OK : cli_error(CLI_IO, "%s", dal_ctx_message(j->m.ctx));
}

/* The table: a line for each mode. */
static int modes_table(const cli_answer *a, cli_modes_job *j, const char *path)
{
    const char *point = strrchr(path, '.');
    cli_make_folder_of(path);
    return point != NULL && strcmp(point, ".h5") == 0 ? write_arrays(j, path) : answer_save(a, "modes_csv", path);
}

/* ---- the command ------------------------------------------------------------------------------ */

/* The modes; a period that is not a number is looked for. */
static int find_modes(cli_modes_job *j, const dal_modal_options *opt)
{
    const cli_model *m = &j->m;
    dal_data *data = dal_sim_data(j->sim);
    const dal_status st =
        isnan(opt->period) ? dal_modal_create_periodic(&j->modal, m->ctx, m->sys, data, &j->at, opt, &m->opt, m->t_end)
                           : dal_modal_create(&j->modal, m->ctx, m->sys, data, &j->at, opt);
    const char *message = dal_ctx_message(m->ctx);
    return st == DAL_OK ? CLI_OK
           : st == DAL_ECHECK && isnan(opt->period)
               ? cli_error(CLI_INTEGRATION,
                           "--period auto found none: %s; simulate longer (--set t_end=...), or give --period T",
                           message)
               : cli_error(CLI_INTEGRATION, "%s", message);
}

static int analyse(cli_modes_job *j, const cli_args *args, const dal_modal_options *opt)
{
    int code = about_start(&j->sim, &j->m, cli_value(args, "about"));
    if (code != CLI_OK) {
        return code;
    }
    about_note(&j->m, cli_value(args, "about"));
    j->at = about_point(j->sim);
    about_contacts(j->sim);
    about_kinks(&j->m, dal_sim_data(j->sim), &j->at);
    about_samples(&j->m);
    const double begin = cli_seconds();
    const char *about = cli_value(args, "about");
    j->about_static = about != NULL && strcmp(about, "static") == 0;
    code = find_modes(j, opt);
    if (code != CLI_OK) {
        return code;
    }
    j->seconds = cli_seconds() - begin;
    j->info = dal_modal_about(j->modal);
    if (j->info.period > 0.0 && j->info.error > period_tol / j->info.period) {
        char text[200];
        snprintf(
            text, sizeof text,
            "Floquet exponents are accurate to %.1e 1/s only, with %d steps a period: the motion is stiff, or forces "
            "have kinks",
            j->info.error, j->info.steps);
        model_warn(&j->m, text);
    }
    dal_status st = dal_shapes_create(&j->shapes, j->m.ctx, j->m.model, j->m.sys, dal_sim_data(j->sim), &j->at);
    j->spinner = dal_shapes_spinner(j->shapes, &j->spin);
    cli_answer *a = answer_create();
    st = st != DAL_OK ? st : fill(a, j);
    if (st == DAL_OK) {
        const char *html = cli_value(args, "html"), *table = cli_value(args, "output");
        answer_tell(a, args, 0);
        code = table != NULL ? modes_table(a, j, table) : CLI_OK;
        code = code == CLI_OK && html != NULL ? modes_film(j, html) : code;
    } else {
        code = cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(j->m.ctx));
    }
    answer_release(a);
    return code;
}

static int command(const cli_args *args)
{
    cli_modes_job j = {0};
    const dal_modal_options opt = {.n = cli_whole(args, "number"),
                                   .axes = (dal_axes)cli_whole(args, "axes"),
                                   .solver = (dal_modal_solver)cli_whole(args, "solver"),
                                   .period = cli_real(args, "period")}; // NaN: looked for
    int code = cli_check_files(args, 1);
    code = code != CLI_OK ? code : model_open(&j.m, args);
    code = code != CLI_OK ? code : analyse(&j, args, &opt);
    if (code == CLI_INTEGRATION && j.modal == NULL && cli_given(args, "json")) {
        answer_failure(j.m.name);
    }
    dal_shapes_destroy(j.shapes);
    dal_modal_destroy(j.modal);
    dal_sim_destroy(j.sim);
    model_release(&j.m);
    return code;
}
