/* dalembert kinematics: a mechanism over the range of a drive. */
#include <math.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/drives.h"
#include "cli/states.h"
#include "dalembert/driven.h"

CLI_OWNS(dal_data)
CLI_OWNS(dal_driven)

/* A place where the coordinate of a joint turns back. */
typedef struct dead {
    const char *joint;
    double drive, t, coordinate;
    int largest;
} dead;

/* A joint whose coordinate is watched. */
typedef struct watched {
    const char *name;
    int place[3]; /* of coordinate, velocity and acceleration in the values */
    int sign;     /* of the velocity at the last point; 0: none so far, or zero */
    int pending;  /* it began at zero */
    dead begin;
    double *x[3]; /* these over the points */
} watched;

enum { DRIVES_MAX = 16 };

/* A coordinate that is driven: at its initial value `start` for t = -lead, at `from` for t = 0, at `to` at the end. */
typedef struct drive {
    const char *name;
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
static void read_drive(sweep *s, const char *text)
{
    const char *equals = text != NULL ? strchr(text, '=') : NULL;
    if (equals == NULL || equals == text || equals - text > 190) {
        cli_usage("--drive NAME=FROM:TO:N is expected, as in --drive A=0:2*pi:361");
    }
    drive *d = &s->drives[s->ndrives];
    *d = (drive){.name = cli_text("%.*s", (int)(equals - text), text), .lead = &s->lead};
    s->timed |= strcmp(d->name, "time") == 0;
    for (int k = 0; k < s->ndrives; ++k) {
        if (s->timed || strcmp(s->drives[k].name, d->name) == 0) {
            cli_usage(s->timed ? "--drive time follows the motions of the model: no other drive beside it"
                               : "--drive %s is given twice",
                      d->name);
        }
    }
    const char *range = equals + 1, *colon = strchr(range, ':');
    if (s->ndrives > 0 && colon == NULL) {
        d->from = d->to = drives_value(&s->m, "drive", range);
    } else {
        range = s->ndrives > 0 && strchr(colon + 1, ':') == NULL ? cli_text("%s:%d", range, s->n) : range;
        const int n = drives_range(&s->m, &d->from, &d->to, "drive", range);
        if (s->ndrives > 0 && n != s->n) {
            cli_usage("--drive %s has %d points and --drive %s has %d: they move together", d->name, n,
                      s->drives[0].name, s->n);
        }
        s->n = n;
    }
    ++s->ndrives;
}

/* The first joint that prescribes a motion. */
static int find_motion(const sweep *s)
{
    for (int k = 0; k < dal_model_report(s->m.model).joints; ++k) {
        dal_joint info;
        if (dal_model_joint_info(s->m.model, &info, k) == DAL_OK && strcmp(info.type, "motion") == 0) {
            return k;
        }
    }
    cli_usage("--drive time: the model prescribes no motion; name a joint to drive");
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

/* Returns the number of its joint. */
static int add_drive(cli_model *m, drive *d, int k)
{
    const char *title = k == 0 ? "value of the drive" : cli_text("value of drive %d", k + 1);
    const dal_function f = {.name = title, .type = "user", .call = drive_value, .user = d};
    const int joint = drives_add(m, d->name, drives_function(m, &f));
    const dal_output o = {.name = d->name, .quantity = "coordinate", .joint = drives_name(d->name)};
    int output;
    cli_try(m->ctx, dal_model_add_output(m->model, &output, &o), CLI_MODEL);
    return joint;
}

static void prepare(cli_model *m, void *user)
{
    sweep *s = user;
    const char *text;
    for (int k = 0; (text = cli_value_at(s->args, "drive", k)) != NULL || k == 0; ++k) {
        if (k == DRIVES_MAX) {
            cli_usage("--drive: at most %d", DRIVES_MAX);
        }
        read_drive(s, text);
    }
    drives_outputs(m);
    if (s->timed) {
        s->joint = find_motion(s);
        return;
    }
    const double time = fabs(s->drives[0].to - s->drives[0].from) / s->rate;
    for (int k = 0; k < s->ndrives; ++k) {
        s->drives[k].slope = (s->drives[k].to - s->drives[k].from) / time;
        const int joint = add_drive(m, &s->drives[k], k);
        s->joint = k == 0 ? joint : s->joint;
    }
}

static void ensure(const sweep *s, dal_status st)
{
    cli_try(s->m.ctx, st, drives_code(st));
}

/* The drives in the initial position, as near to the start of the sweep as turns allow, and the time to get there. */
static void find_start(sweep *s)
{
    const dal_system *sys = s->m.sys;
    const double *zero = cli_alloc((size_t)sys->group->nv + (size_t)dal_system_rows(sys) + 1, sizeof *zero);
    const dal_point p = {0.0, dal_model_q0(s->m.model), zero, zero, zero};
    ensure(s, dal_data_accept(s->data, &p, DAL_MOMENT_START));
    ensure(s, dal_model_outputs(s->m.model, s->data, s->values, &p));
    for (int k = 0; k < dal_model_output_count(s->m.model); ++k) {
        const dal_output_info info = dal_model_output_info(s->m.model, k);
        for (int i = 0; i < s->ndrives; ++i) {
            drive *d = &s->drives[i];
            if (strcmp(info.name, d->name) == 0) {
                d->start = s->values[info.first];
                s->lead = fmax(s->lead, fabs(d->start - d->from) / s->rate);
            }
        }
    }
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
            double *x = cli_alloc(3 * (size_t)s->n, sizeof *x);
            s->joints[s->njoints++] = (watched){name, {c, v, a}, .x = {x, x + s->n, x + 2 * (size_t)s->n}};
        }
    }
}

static void begin(sweep *s)
{
    s->values = cli_alloc((size_t)dal_model_output_size(s->m.model) + 1, sizeof *s->values);
    s->at = cli_alloc((size_t)s->n, sizeof *s->at);
    watch_joints(s);
    CLI_CREATE(dal_data, s->data, CLI_INTEGRATION, s->m.ctx, s->m.sys);
    if (!s->timed) {
        find_start(s);
    }
    // limits are looked for along the one freedom that a single drive leaves
    const dal_driven_spec spec = {.t = s->timed ? s->drives[0].from : -s->lead,
                                  .q = dal_model_q0(s->m.model),
                                  .drive = s->ndrives == 1 ? 1 + drives_row(&s->m, s->joint) : 0};
    ensure(s, dal_driven_create(&s->k, s->m.ctx, s->m.sys, s->data, &spec));
    CLI_OWN(dal_driven, s->k);
    if (!s->timed && dal_driven_to(s->k, 0.0) != DAL_OK) {
        cli_fail(CLI_INTEGRATION, "the start of the sweep cannot be reached from the initial position: %s",
                 dal_ctx_message(s->m.ctx));
    }
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

static void add_centre(sweep *s, dead d)
{
    if (s->ncentres == s->room) {
        dead *more = cli_alloc(2 * (size_t)s->room + 16, sizeof *more);
        if (s->ncentres > 0) {
            memcpy(more, s->centres, (size_t)s->ncentres * sizeof *more);
        }
        s->centres = more;
        s->room = 2 * s->room + 16;
    }
    s->centres[s->ncentres++] = d;
}

/* Where the drive is now. */
static dead here(const sweep *s, const watched *w, int sign)
{
    const dal_point at = dal_driven_point(s->k);
    ensure(s, dal_model_outputs(s->m.model, s->data, s->values, &at));
    return (dead){w->name, drive_at(s, at.t), at.t, s->values[w->place[0]], sign > 0};
}

/* Between the last point, at ta, and the present one: has a coordinate turned back? */
static void find_centres(sweep *s, double ta)
{
    const double tb = dal_driven_point(s->k).t;
    double most = s->rate;
    for (int j = 0; j < s->njoints; ++j) {
        most = fmax(most, fabs(s->joints[j].x[1][s->done]));
    }
    for (int j = 0; j < s->njoints; ++j) {
        watched *w = &s->joints[j];
        const double v = w->x[1][s->done];
        const int sign = fabs(v) <= 1e-12 * most ? 0 : v > 0.0 ? 1 : -1;
        if (sign != 0 && w->pending) {
            w->begin.largest = sign < 0;
            add_centre(s, w->begin);
            w->pending = 0;
        }
        if (sign * w->sign < 0) {
            probe p = {s, w->place[1]};
            double t;
            ensure(s, dal_driven_zero(s->k, &t, ta, tb, rate_of, &p));
            add_centre(s, here(s, w, w->sign));
            ensure(s, dal_driven_to(s->k, tb));
        } else if (sign == 0 && (w->sign != 0 || s->done == 0)) {
            w->begin = here(s, w, 1);
            w->pending = 1;
        }
        w->sign = sign;
    }
}

/* Tables, and what the document shows. */
static void record(sweep *s)
{
    const dal_point at = dal_driven_point(s->k);
    double own[DRIVES_MAX] = {drive_at(s, at.t)};
    for (int k = 1; k < s->ndrives; ++k) {
        own[k] = s->drives[k].from + s->drives[k].slope * at.t;
    }
    states_add(&s->states, &at, own);
    s->at[s->done] = own[0];
    for (int j = 0; j < s->njoints; ++j) {
        for (int i = 0; i < 3; ++i) {
            s->joints[j].x[i][s->done] = s->m.values[s->joints[j].place[i]];
        }
    }
}

static void sweep_all(sweep *s)
{
    const char *column[DRIVES_MAX], *unit[DRIVES_MAX];
    for (int k = 0; k < s->ndrives; ++k) {
        column[k] = s->drives[k].name;
        unit[k] = "";
    }
    const dal_table own = {"drive", s->ndrives, column, unit};
    states_open(&s->states, &s->m, s->data, s->args, &own);
    for (double before = time_of(s, 0); s->done < s->n; before = time_of(s, s->done++)) {
        const dal_status st = dal_driven_to(s->k, time_of(s, s->done));
        if (st == DAL_NOCONV && dal_driven_limit(s->k, s->direction, sizeof s->direction)) {
            s->limited = 1;
            s->limit = drive_at(s, dal_driven_point(s->k).t);
            break;
        }
        ensure(s, st);
        record(s);
        find_centres(s, before);
    }
    states_close(&s->states, "");
}

/* ---- what was found --------------------------------------------------------------------------- */

static cli_answer *answer(const sweep *s)
{
    const double t = s->done > 0 ? time_of(s, s->done - 1) : 0.0;
    cli_answer *a = answer_create();
    answer_put(a, "model %s drive %s complete? %d limit %g limit_direction %s .points %d .all %d", s->m.name,
               s->drives[0].name, !s->limited, s->limited ? s->limit : NAN, s->direction, s->done, s->n);
    cli_answer *drives = answer_list(a, ".drives", 0), *centres = answer_list(a, "dead_centres", 0);
    for (int k = 0; k < s->ndrives; ++k) {
        const drive *d = &s->drives[k];
        const double last = k > 0 ? d->from + d->slope * t : s->done > 0 ? s->at[s->done - 1] : d->from;
        answer_line(drives, NULL, "name %s from %g to %g moves? %d", d->name, d->from, last,
                    k == 0 || d->to != d->from);
    }
    for (int i = 0; i < s->ncentres; ++i) {
        const dead *d = &s->centres[i];
        answer_line(centres, NULL, "joint %s drive %g time %g coordinate %g kind %s .at %s", d->joint, d->drive, d->t,
                    d->coordinate, d->largest ? "largest" : "smallest", s->drives[0].name);
    }
    answer_reals(a, "values", s->at, s->done);
    cli_answer *joints = answer_object(a, "joints", 0);
    for (int k = 0; k < s->njoints; ++k) {
        static const char *const name[] = {"coordinate", "velocity", "acceleration"};
        cli_answer *joint = answer_object(joints, s->joints[k].name, 0);
        for (int i = 0; i < 3; ++i) {
            answer_reals(joint, name[i], s->joints[k].x[i], s->done);
        }
    }
    return a;
}

static int command(const cli_args *args)
{
    sweep *s = cli_alloc(1, sizeof *s);
    *s = (sweep){.args = args,
                 .rate = cli_real(args, "rate"),
                 .m = {.prepare = prepare, .without = cli_value(args, "without"), .user = s}};
    cli_check_files(args, 0);
    model_open(&s->m, args);
    begin(s);
    sweep_all(s);
    answer_tell(answer(s), args, NULL);
    return !s->limited ? CLI_OK
                       : cli_error(CLI_CHECK, "%s cannot go beyond %.12g: the drive is at its limit there",
                                   s->drives[0].name, s->limit);
}

const cli_command cli_kinematics = {.name = "kinematics", .run = command};
