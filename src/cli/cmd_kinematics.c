/* dalembert kinematics: a mechanism over the range of a drive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/drives.h"
#include "cli/json.h"
#include "cli/states.h"
#include "dalembert/driven.h"

static const cli_flag flags[] = {
    {"drive", 'd', "NAME=A:B:N",
     "the coordinate that is driven, and N values of it from A to B; time=A:B:N: follow the "
     "motions the model prescribes"},
    {"rate", 'r', "R", "speed of the drive, rad/s or m/s; default 1"},
    STATES_FLAGS,
};

static int command(const cli_args *args);

const cli_command cli_kinematics = {
    .name = "kinematics",
    .arguments = "MODEL",
    .min = 1,
    .max = 1,
    .summary = "positions, velocities, accelerations over a sweep of a drive",
    .about =
        "NAME is a joint (A, A.rotation, A.translation_x) or a body (rod.x, rod.angle). The sweep begins with the\n"
        "assembly mode the model has and follows it. Limits of the drive and dead centres, where the coordinate of\n"
        "a joint turns back, are located. Forces are those that the motion at this speed takes.\n\n"
        "Exit codes: 0 the whole range was swept; 1 the drive came to a limit before; 2 usage, 3 bad model or a\n"
        "motion that is not determined, 4 it cannot be followed, 5 files.",
    .examples = "  dalembert kinematics planar_slider_crank --drive O=0:2*pi:361 -o sweep\n"
                "  dalembert kinematics crank.json --drive guide=0.5:1.2:200 --json\n"
                "  dalembert kinematics robot.json --drive time=0:2:201 --html robot.html",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

/* A place where the coordinate of a joint turns back. */
typedef struct dead {
    const char *joint;
    double drive, t, coordinate;
    int largest;
} dead;

/* A joint whose coordinate is watched. */
typedef struct watched {
    const char *name;
    int coordinate, velocity, acceleration; /* places in the values */
    int sign;                               /* of the velocity at the last point; 0: none so far, or zero */
    int pending;                            /* it began at zero */
    dead begin;
    double *x, *v, *a; /* over the points */
} watched;

typedef struct sweep {
    cli_model m;
    const cli_args *args;
    char name[200]; /* of the drive */
    int timed;      /* the time is swept */
    double from, to, rate;
    int n, joint; /* points; number of the joint that drives */
    double start; /* of the drive in the initial position */
    dal_data *data;
    dal_driven *k;
    cli_states states;
    double *values;
    watched *joints;
    int njoints;
    dead *centres;
    int ncentres, room;
    int done, limited; /* points; the drive has a limit before the end */
    double limit;
    char direction[200];
    double *drive; /* value at each point */
} sweep;

/* ---- set-up ----------------------------------------------------------------------------------- */

static int split(sweep *s, const char *text, const char **range)
{
    const char *equals = text != NULL ? strchr(text, '=') : NULL;
    if (equals == NULL || equals == text || equals - text > 190) {
        return cli_usage("kinematics", "--drive NAME=FROM:TO:N is expected, as in --drive A=0:2*pi:361");
    }
    snprintf(s->name, sizeof s->name, "%.*s", (int)(equals - text), text);
    *range = equals + 1;
    s->timed = strcmp(s->name, "time") == 0;
    return CLI_OK;
}

/* The first joint that prescribes a motion. */
static int find_motion(sweep *s)
{
    for (int k = 0; k < dal_model_report(s->m.model).joints; ++k) {
        dal_joint info;
        if (dal_model_joint_info(s->m.model, &info, k) == DAL_OK && strcmp(info.type, "motion") == 0) {
            s->joint = k;
            return CLI_OK;
        }
    }
    return cli_usage("kinematics", "--drive time: the model prescribes no motion; name a joint to drive");
}

/* The coordinate is `from` at t = 0 and has the rate that leads to `to`. */
static int prepare(cli_model *m, const char *name_of_command, void *user)
{
    (void)name_of_command;
    sweep *s = user;
    const char *range = "", *rate = cli_value(s->args, &cli_kinematics, "rate");
    int code = split(s, cli_value(s->args, &cli_kinematics, "drive"), &range);
    code = code == CLI_OK ? drives_range(m, &s->from, &s->to, &s->n, "kinematics", "drive", range) : code;
    if (code == CLI_OK && rate != NULL && (!cli_number(&s->rate, rate) || !(s->rate > 0.0))) {
        return cli_usage("kinematics", "--rate: a positive number is expected, not '%s'", rate);
    }
    if (code != CLI_OK || s->timed) {
        drives_outputs(m);
        return code == CLI_OK ? find_motion(s) : code;
    }
    const double slope = s->to > s->from ? s->rate : -s->rate, c[] = {s->from, slope};
    const dal_function f = {.name = "value of the drive", .type = "polynomial", .c = c, .n = 2};
    int number, output;
    char name[300];
    if (dal_model_add_function(m->model, &number, &f) != DAL_OK) {
        return cli_error("kinematics", CLI_MODEL, "%s", dal_ctx_message(m->ctx));
    }
    drives_outputs(m);
    code = drives_add(m, &s->joint, "kinematics", s->name, number);
    if (code == CLI_OK) {
        drives_name(name, s->name);
        const dal_output o = {.name = s->name, .quantity = "coordinate", .joint = name};
        if (dal_model_add_output(m->model, &output, &o) != DAL_OK) {
            return cli_error("kinematics", CLI_MODEL, "%s", dal_ctx_message(m->ctx));
        }
    }
    return code;
}

static int failed(const sweep *s, dal_status st)
{
    const int code = st == DAL_EINVAL || st == DAL_EREDUNDANT ? CLI_MODEL : CLI_INTEGRATION;
    return cli_error("kinematics", code, "%s", dal_ctx_message(s->m.ctx));
}

/* The drive in the initial position, as near to the start of the sweep as turns allow. */
static dal_status find_start(sweep *s)
{
    const dal_system *sys = s->m.sys;
    const size_t n = (size_t)sys->group->nv + (size_t)dal_system_rows(sys);
    double *zero = cli_alloc(n + 1, sizeof *zero);
    const dal_point p = {0.0, dal_model_q0(s->m.model), zero, zero, zero};
    dal_status st = dal_data_accept(s->data, &p, DAL_MOMENT_START);
    st = st == DAL_OK ? dal_model_outputs(s->m.model, s->data, s->values, &p) : st;
    free(zero);
    for (int k = 0; st == DAL_OK && k < dal_model_output_count(s->m.model); ++k) {
        const dal_output_info info = dal_model_output_info(s->m.model, k);
        if (strcmp(info.name, s->name) == 0) {
            s->start = s->values[info.first];
        }
    }
    return st;
}

static void watch_joints(sweep *s)
{
    const int joints = dal_model_report(s->m.model).joints;
    s->joints = cli_alloc((size_t)joints + 1, sizeof *s->joints);
    for (int k = 0; k < joints; ++k) {
        const char *name = dal_model_joint_name(s->m.model, k);
        const int c = drives_output(&s->m, name, "coordinate");
        const int v = drives_output(&s->m, name, "coordinate_velocity");
        const int a = drives_output(&s->m, name, "coordinate_acceleration");
        if (c >= 0 && v >= 0 && a >= 0) {
            s->joints[s->njoints++] = (watched){.name = name,
                                                .coordinate = c,
                                                .velocity = v,
                                                .acceleration = a,
                                                .x = cli_alloc((size_t)s->n + 1, sizeof(double)),
                                                .v = cli_alloc((size_t)s->n + 1, sizeof(double)),
                                                .a = cli_alloc((size_t)s->n + 1, sizeof(double))};
        }
    }
}

static int begin(sweep *s)
{
    s->values = cli_alloc((size_t)dal_model_output_size(s->m.model) + 1, sizeof *s->values);
    s->drive = cli_alloc((size_t)s->n + 1, sizeof *s->drive);
    watch_joints(s);
    dal_status st = dal_data_create(&s->data, s->m.ctx, s->m.sys);
    st = st == DAL_OK && !s->timed ? find_start(s) : st;
    const double slope = s->to > s->from ? s->rate : -s->rate;
    const dal_driven_spec spec = {.t = s->timed ? s->from : (s->start - s->from) / slope,
                                  .q = dal_model_q0(s->m.model),
                                  .drive = 1 + drives_row(&s->m, s->joint)};
    st = st == DAL_OK ? dal_driven_create(&s->k, s->m.ctx, s->m.sys, s->data, &spec) : st;
    if (st != DAL_OK) {
        return failed(s, st);
    }
    if (!s->timed && dal_driven_to(s->k, 0.0) != DAL_OK) {
        return cli_error("kinematics", CLI_INTEGRATION,
                         "the start of the sweep cannot be reached from the initial position: %s",
                         dal_ctx_message(s->m.ctx));
    }
    return CLI_OK;
}

/* ---- the sweep -------------------------------------------------------------------------------- */

static double drive_at(const sweep *s, double t)
{
    return s->timed ? t : s->from + (s->to > s->from ? s->rate : -s->rate) * t;
}

static double time_of(const sweep *s, int k)
{
    const double part = (double)k / (s->n - 1);
    return s->timed ? s->from + part * (s->to - s->from) : part * fabs(s->to - s->from) / s->rate;
}

typedef struct probe {
    const sweep *s;
    int place;
} probe;

static dal_status rate_of(double *f, const dal_point *at, void *user)
{
    const probe *p = user;
    DAL_TRY(dal_model_outputs(p->s->m.model, p->s->data, p->s->values, at));
    *f = p->s->values[p->place];
    return DAL_OK;
}

static void add_centre(sweep *s, const dead *d)
{
    if (s->ncentres == s->room) {
        dead *more = cli_alloc(2 * (size_t)s->room + 16, sizeof *more);
        if (s->ncentres > 0) {
            memcpy(more, s->centres, (size_t)s->ncentres * sizeof *more);
        }
        free(s->centres);
        s->centres = more;
        s->room = 2 * s->room + 16;
    }
    s->centres[s->ncentres++] = *d;
}

static dead here(const sweep *s, const watched *w, int sign)
{
    const double t = dal_driven_point(s->k).t;
    return (dead){w->name, drive_at(s, t), t, s->values[w->coordinate], sign > 0};
}

/* Between the last point, at ta, and the present one: has a coordinate turned back? */
static dal_status find_centres(sweep *s, double ta)
{
    const double tb = dal_driven_point(s->k).t;
    double most = s->rate;
    for (int j = 0; j < s->njoints; ++j) {
        most = fmax(most, fabs(s->joints[j].v[s->done]));
    }
    for (int j = 0; j < s->njoints; ++j) {
        watched *w = &s->joints[j];
        const double v = w->v[s->done];
        const int sign = fabs(v) <= 1e-12 * most ? 0 : v > 0.0 ? 1 : -1;
        if (sign != 0 && w->pending) {
            w->begin.largest = sign < 0;
            add_centre(s, &w->begin);
            w->pending = 0;
        }
        if (sign * w->sign < 0) {
            probe p = {s, w->velocity};
            double t;
            DAL_TRY(dal_driven_zero(s->k, &t, ta, tb, rate_of, &p));
            const dal_point at = dal_driven_point(s->k);
            DAL_TRY(dal_model_outputs(s->m.model, s->data, s->values, &at));
            const dead d = here(s, w, w->sign);
            add_centre(s, &d);
            DAL_TRY(dal_driven_to(s->k, tb));
        } else if (sign == 0 && (w->sign != 0 || s->done == 0)) {
            const dal_point at = dal_driven_point(s->k);
            DAL_TRY(dal_model_outputs(s->m.model, s->data, s->values, &at));
            w->begin = here(s, w, 1);
            w->pending = 1;
        }
        w->sign = sign;
    }
    return DAL_OK;
}

/* Tables, and what the document shows. */
static int record(sweep *s)
{
    const dal_point at = dal_driven_point(s->k);
    const double own[] = {drive_at(s, at.t)};
    const int code = states_add(&s->states, &at, own);
    s->drive[s->done] = own[0];
    for (int j = 0; j < s->njoints && code == CLI_OK; ++j) {
        s->joints[j].x[s->done] = s->m.values[s->joints[j].coordinate];
        s->joints[j].v[s->done] = s->m.values[s->joints[j].velocity];
        s->joints[j].a[s->done] = s->m.values[s->joints[j].acceleration];
    }
    return code;
}

static int at_limit(sweep *s, dal_status st)
{
    if (st != DAL_NOCONV || !dal_driven_limit(s->k, s->direction, sizeof s->direction)) {
        return failed(s, st);
    }
    s->limited = 1;
    s->limit = drive_at(s, dal_driven_point(s->k).t);
    return CLI_OK;
}

static int sweep_all(sweep *s)
{
    const char *const column[] = {s->name}, *const unit[] = {""};
    const dal_table own = {"drive", 1, column, unit};
    int code = states_open(&s->states, &s->m, s->data, s->args, &cli_kinematics, &own);
    double before = time_of(s, 0);
    for (int k = 0; k < s->n && code == CLI_OK && !s->limited; ++k) {
        const dal_status st = dal_driven_to(s->k, time_of(s, k));
        if (st != DAL_OK) {
            code = at_limit(s, st);
            break;
        }
        code = record(s);
        if (code == CLI_OK && find_centres(s, before) != DAL_OK) {
            code = failed(s, dal_ctx_status(s->m.ctx));
        }
        before = time_of(s, k);
        s->done++;
    }
    code = code == CLI_OK ? states_close(&s->states, NULL) : code;
    s->states.own = NULL;
    return code;
}

/* ---- what was found --------------------------------------------------------------------------- */

static void print(const sweep *s)
{
    cli_print("%s, %s from %.9g to %.9g\n", s->m.name, s->name, s->from, s->done > 0 ? s->drive[s->done - 1] : s->from);
    printf("  points        %d of %d\n", s->done, s->n);
    if (s->limited) {
        cli_print("  limit         %s = %.12g: there %s moves on while the drive stands still\n", s->name, s->limit,
                  s->direction);
    }
    for (int i = 0; i < s->ncentres; ++i) {
        const dead *d = &s->centres[i];
        cli_print("  %-13s joint '%s' is %s, %.12g, at %s = %.12g\n", i == 0 ? "dead centres" : "", d->joint,
                  d->largest ? "largest" : "smallest", d->coordinate, s->name, d->drive);
    }
}

static void print_json(const sweep *s)
{
    cli_json j = cli_json_to(stdout);
    cli_json_open(&j, NULL, '{', 0);
    cli_json_text(&j, "model", s->m.name);
    cli_json_text(&j, "drive", s->name);
    cli_json_flag(&j, "complete", !s->limited);
    cli_json_real(&j, "limit", s->limited ? s->limit : NAN);
    cli_json_text(&j, "limit_direction", s->direction);
    cli_json_open(&j, "dead_centres", '[', 0);
    for (int i = 0; i < s->ncentres; ++i) {
        const dead *d = &s->centres[i];
        cli_json_open(&j, NULL, '{', 1);
        cli_json_text(&j, "joint", d->joint);
        cli_json_real(&j, "drive", d->drive);
        cli_json_real(&j, "time", d->t);
        cli_json_real(&j, "coordinate", d->coordinate);
        cli_json_text(&j, "kind", d->largest ? "largest" : "smallest");
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, ']');
    cli_json_reals(&j, "values", s->drive, s->done);
    cli_json_open(&j, "joints", '{', 0);
    for (int k = 0; k < s->njoints; ++k) {
        cli_json_open(&j, s->joints[k].name, '{', 0);
        cli_json_reals(&j, "coordinate", s->joints[k].x, s->done);
        cli_json_reals(&j, "velocity", s->joints[k].v, s->done);
        cli_json_reals(&j, "acceleration", s->joints[k].a, s->done);
        cli_json_close(&j, '}');
    }
    cli_json_close(&j, '}');
    cli_json_close(&j, '}');
    cli_json_end(&j);
}

static void release(sweep *s)
{
    states_release(&s->states);
    dal_driven_destroy(s->k);
    dal_data_destroy(s->data);
    for (int k = 0; k < s->njoints; ++k) {
        free(s->joints[k].x);
        free(s->joints[k].v);
        free(s->joints[k].a);
    }
    free(s->joints);
    free(s->centres);
    free(s->values);
    free(s->drive);
    model_release(&s->m);
}

static int command(const cli_args *args)
{
    sweep s = {.args = args, .rate = 1.0};
    s.m.files_outside = cli_given(args, &cli_kinematics, "allow-files-outside");
    s.m.prepare = prepare;
    s.m.user = &s;
    int code = states_check(args, &cli_kinematics);
    code = code == CLI_OK ? model_load(&s.m, "kinematics", args->positional[0], args->set, args->nset) : code;
    code = code == CLI_OK ? begin(&s) : code;
    code = code == CLI_OK ? sweep_all(&s) : code;
    if (code == CLI_OK) {
        if (cli_given(args, &cli_kinematics, "json")) {
            print_json(&s);
        } else if (!cli_given(args, &cli_kinematics, "quiet")) {
            print(&s);
        }
        if (s.limited) {
            code = cli_error("kinematics", CLI_CHECK, "%s cannot go beyond %.12g: the drive is at its limit there",
                             s.name, s.limit);
        }
    }
    release(&s);
    return code;
}
