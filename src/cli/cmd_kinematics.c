/* dalembert kinematics: a mechanism over the range of a drive. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/drives.h"
#include "cli/states.h"
#include "dalembert/driven.h"

static const cli_flag flags[] = {
    {"drive", 'd', "NAME=A:B:N",
     "the coordinate that is driven, and N values of it from A to B; may be repeated, other drives go from A to B at "
     "the "
     "same time (NAME=A:B) or are held (NAME=A); time=A:B:N: follow the motions the model prescribes"},
    {"rate", 'r', "R", "speed of the first drive, rad/s or m/s; default 1", CLI_POSITIVE, .usual = 1},
    {"without", 0, "LIST", "leave these joints and forces of the model out; NAME* is all that begin so"},
    STATES_FLAGS("|drive"),
};

static int command(const cli_args *args);

const cli_command cli_kinematics = {
    .name = "kinematics",
    .place = 8,
    .summary = "positions, velocities, accelerations over a sweep of a drive",
    .about =
        "NAME is a joint (A, A.rotation, A.translation_x) or a body (rod.x, rod.angle). The sweep begins with the\n"
        "assembly mode the model has and follows it. Limits of the drive and dead centres, where the coordinate of\n"
        "a joint turns back, are located. Forces are those that the motion at this speed takes.\n\n"
        "Exit codes: 0 the whole range was swept; 1 the drive came to a limit before; 2 usage, 3 bad model or a\n"
        "motion that is not determined, 4 it cannot be followed, 5 files.",
    .examples = "  dalembert kinematics slider_crank --drive A=0:2*pi:361 -o sweep\n"
                "  dalembert kinematics crank.json --drive guide=0.5:1.2:200 --json\n"
                "  dalembert kinematics arm.json --drive shoulder=0:1:50 --drive elbow=0.2:-0.4\n"
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

enum { DRIVES_MAX = 16 };

/* A coordinate that is driven: at its initial value `start` for t = -lead, at `from` for t = 0, at `to` at the end. */
typedef struct drive {
    char name[200];
    double start, from, to, slope; /* slope from t = 0 on */
    const double *lead;
} drive;

typedef struct sweep {
    cli_model m;
    const cli_args *args;
    drive drives[DRIVES_MAX]; /* the first one is that of messages */
    int ndrives;
    int timed; /* the time is swept */
    double rate, lead;
    int n, joint; /* points; number of the joint that drives first */
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
    double *at; /* value of the first drive at each point */
} sweep;

/* ---- set-up ----------------------------------------------------------------------------------- */

/* NAME=A:B:N of the first drive; NAME=A:B:N, NAME=A:B or NAME=A of the others. */
static int read_drive(sweep *s, cli_model *m, const char *text)
{
    const char *equals = text != NULL ? strchr(text, '=') : NULL;
    drive *d = &s->drives[s->ndrives];
    int n = s->n;
    if (equals == NULL || equals == text || equals - text > 190) {
        return cli_usage("--drive NAME=FROM:TO:N is expected, as in --drive A=0:2*pi:361");
    }
    snprintf(d->name, sizeof d->name, "%.*s", (int)(equals - text), text);
    d->lead = &s->lead;
    s->timed |= strcmp(d->name, "time") == 0;
    for (int k = 0; k < s->ndrives; ++k) {
        if (s->timed || strcmp(s->drives[k].name, d->name) == 0) {
            return cli_usage(s->timed ? "--drive time follows the motions of the model: no other drive beside it"
                                      : "--drive %s is given twice",
                             d->name);
        }
    }
    char range[400];
    const char *colon = strchr(equals, ':');
    if (s->ndrives == 0 || (colon != NULL && strchr(colon + 1, ':') != NULL)) {
        snprintf(range, sizeof range, "%s", equals + 1);
    } else if (colon != NULL) {
        snprintf(range, sizeof range, "%s:%d", equals + 1, s->n);
    } else if (dal_document_value(m->doc, &d->from, equals + 1) == DAL_OK) {
        d->to = d->from;
        ++s->ndrives;
        return CLI_OK;
    } else {
        return cli_usage("--drive: %s", dal_ctx_message(m->ctx));
    }
    const int code = drives_range(m, &d->from, &d->to, &n, "drive", range);
    if (code == CLI_OK && s->ndrives > 0 && n != s->n) {
        return cli_usage("--drive %s has %d points and --drive %s has %d: they move together", d->name, n,
                         s->drives[0].name, s->n);
    }
    s->n = n;
    ++s->ndrives;
    return code;
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
    return cli_usage("--drive time: the model prescribes no motion; name a joint to drive");
}

static dal_status drive_value(double y[3], double t, void *user)
{
    const drive *d = user;
    const double slope = t < 0.0 ? (d->from - d->start) / *d->lead : d->slope;
    y[0] = d->from + slope * t;
    y[1] = slope;
    y[2] = 0.0;
    return DAL_OK;
}

static int add_drive(sweep *s, cli_model *m, int k)
{
    drive *d = &s->drives[k];
    char title[32], name[300];
    int number, output, joint;
    snprintf(title, sizeof title, k == 0 ? "value of the drive" : "value of drive %d", k + 1);
    const dal_function f = {.name = title, .type = "user", .call = drive_value, .user = d};
    if (dal_model_add_function(m->model, &number, &f) != DAL_OK) {
        return cli_error(CLI_MODEL, "%s", dal_ctx_message(m->ctx));
    }
    const int code = drives_add(m, &joint, d->name, number);
    if (code != CLI_OK) {
        return code;
    }
    s->joint = k == 0 ? joint : s->joint;
    drives_name(name, d->name);
    const dal_output o = {.name = d->name, .quantity = "coordinate", .joint = name};
    return dal_model_add_output(m->model, &output, &o) == DAL_OK ? CLI_OK
                                                                 : cli_error(CLI_MODEL, "%s", dal_ctx_message(m->ctx));
}

static int prepare(cli_model *m, void *user)
{
    sweep *s = user;
    const char *text;
    int code = CLI_OK;
    for (int k = 0; code == CLI_OK && ((text = cli_value_at(s->args, "drive", k)) != NULL || k == 0); ++k) {
        code = k < DRIVES_MAX ? read_drive(s, m, text) : cli_usage("--drive: at most %d", DRIVES_MAX);
    }
    drives_outputs(m);
    if (code != CLI_OK || s->timed) {
        return code == CLI_OK ? find_motion(s) : code;
    }
    const double time = fabs(s->drives[0].to - s->drives[0].from) / s->rate;
    for (int k = 0; k < s->ndrives && code == CLI_OK; ++k) {
        s->drives[k].slope = (s->drives[k].to - s->drives[k].from) / time;
        code = add_drive(s, m, k);
    }
    return code;
}

static int failed(const sweep *s, dal_status st)
{
    const int code = st == DAL_EINVAL || st == DAL_EREDUNDANT ? CLI_MODEL : CLI_INTEGRATION;
    return cli_error(code, "%s", dal_ctx_message(s->m.ctx));
}

/* The drives in the initial position, as near to the start of the sweep as turns allow, and the time to get there. */
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
        for (int i = 0; i < s->ndrives; ++i) {
            drive *d = &s->drives[i];
            if (strcmp(info.name, d->name) == 0) {
                d->start = s->values[info.first];
                s->lead = fmax(s->lead, fabs(d->start - d->from) / s->rate);
            }
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
    s->at = cli_alloc((size_t)s->n + 1, sizeof *s->at);
    watch_joints(s);
    dal_status st = dal_data_create(&s->data, s->m.ctx, s->m.sys);
    st = st == DAL_OK && !s->timed ? find_start(s) : st;
    // limits are looked for along the one freedom that a single drive leaves
    const dal_driven_spec spec = {.t = s->timed ? s->drives[0].from : -s->lead,
                                  .q = dal_model_q0(s->m.model),
                                  .drive = s->ndrives == 1 ? 1 + drives_row(&s->m, s->joint) : 0};
    st = st == DAL_OK ? dal_driven_create(&s->k, s->m.ctx, s->m.sys, s->data, &spec) : st;
    if (st != DAL_OK) {
        return failed(s, st);
    }
    if (!s->timed && dal_driven_to(s->k, 0.0) != DAL_OK) {
        return cli_error(CLI_INTEGRATION, "the start of the sweep cannot be reached from the initial position: %s",
                         dal_ctx_message(s->m.ctx));
    }
    return CLI_OK;
}

/* ---- the sweep -------------------------------------------------------------------------------- */

static double drive_at(const sweep *s, double t)
{
    return s->timed ? t : s->drives[0].from + s->drives[0].slope * t;
}

static double time_of(const sweep *s, int k)
{
    const double part = (double)k / (s->n - 1);
    const drive *d = &s->drives[0];
    return s->timed ? d->from + part * (d->to - d->from) : part * fabs(d->to - d->from) / s->rate;
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
    double own[DRIVES_MAX] = {drive_at(s, at.t)};
    for (int k = 1; k < s->ndrives; ++k) {
        own[k] = s->drives[k].from + s->drives[k].slope * at.t;
    }
    const int code = states_add(&s->states, &at, own);
    s->at[s->done] = own[0];
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
    const char *column[DRIVES_MAX], *unit[DRIVES_MAX];
    for (int k = 0; k < s->ndrives; ++k) {
        column[k] = s->drives[k].name;
        unit[k] = "";
    }
    const dal_table own = {"drive", s->ndrives, column, unit};
    int code = states_open(&s->states, &s->m, s->data, s->args, &own);
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

static cli_answer *answer(const sweep *s)
{
    const double t = s->done > 0 ? time_of(s, s->done - 1) : 0.0;
    cli_answer *a = answer_create();
    answer_put(a, "model %s drive %s complete? %d limit %g limit_direction %s .points %d .all %d", s->m.name,
               s->drives[0].name, !s->limited, s->limited ? s->limit : NAN, s->direction, s->done, s->n);
    cli_answer *drives = answer_hidden(a, "drives"), *centres = answer_list(a, "dead_centres", 0);
    for (int k = 0; k < s->ndrives; ++k) {
        const drive *d = &s->drives[k];
        const double last = k > 0 ? d->from + d->slope * t : s->done > 0 ? s->at[s->done - 1] : d->from;
        answer_put(answer_object(drives, NULL, 0), "name %s from %g to %g moves? %d", d->name, d->from, last,
                   k == 0 || d->to != d->from);
    }
    for (int i = 0; i < s->ncentres; ++i) {
        const dead *d = &s->centres[i];
        answer_put(answer_object(centres, NULL, 1), "joint %s drive %g time %g coordinate %g kind %s .at %s", d->joint,
                   d->drive, d->t, d->coordinate, d->largest ? "largest" : "smallest", s->drives[0].name);
    }
    answer_reals(a, "values", s->at, s->done);
    cli_answer *joints = answer_object(a, "joints", 0);
    for (int k = 0; k < s->njoints; ++k) {
        cli_answer *joint = answer_object(joints, s->joints[k].name, 0);
        answer_reals(joint, "coordinate", s->joints[k].x, s->done);
        answer_reals(joint, "velocity", s->joints[k].v, s->done);
        answer_reals(joint, "acceleration", s->joints[k].a, s->done);
    }
    return a;
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
    free(s->at);
    model_release(&s->m);
}

static int command(const cli_args *args)
{
    sweep s = {.args = args, .rate = cli_real(args, "rate")};
    s.m.prepare = prepare;
    s.m.without = cli_value(args, "without");
    s.m.user = &s;
    int code = cli_check_files(args, 0);
    code = code == CLI_OK ? model_open(&s.m, args) : code;
    code = code == CLI_OK ? begin(&s) : code;
    code = code == CLI_OK ? sweep_all(&s) : code;
    if (code == CLI_OK) {
        cli_answer *a = answer(&s);
        answer_tell(a, args, cli_given(args, "quiet"));
        answer_release(a);
        if (s.limited) {
            code = cli_error(CLI_CHECK, "%s cannot go beyond %.12g: the drive is at its limit there", s.drives[0].name,
                             s.limit);
        }
    }
    release(&s);
    return code;
}
