/* A mechanism over the range of its drives: points, coordinates of its joints, dead centres, the limit of the drive. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/driven_impl.h"
#include "base/message.h"

/* At its initial value `start` for t = -lead, at `from` for t = 0, at `to` at the end. */
typedef struct drive {
    char *name;
    double start, from, to, slope; /* slope from t = 0 on */
    const double *lead;
} drive;

/* A joint whose coordinate is watched. */
typedef struct watched {
    int place[3]; /* of coordinate, velocity and acceleration in the outputs */
    int sign;     /* of the velocity at the last point; 0: none so far, or zero */
    int pending;  /* it began at zero */
    dal_dead_centre begin;
} watched;

struct dal_drives {
    dal_ctx *ctx;
    dal_pool pool; /* has this and all its arrays */
    dal_model *model;
    drive *drive;
    int ndrives, n; /* n: points */
    int timed;      /* the time is swept */
    int joint;      /* that drives first */
    double rate, lead;
    dal_data *data;
    dal_driven *driven;
    double *values, *value; /* outputs; of the first drive at each point */
    watched *watched;
    dal_joint_course *course;
    dal_dead_centre *centre;
    int room;      /* for centres */
    double before; /* time of the last point */
    char direction[200];
    dal_drives_info info;
};

/* ---- before the model is compiled ------------------------------------------------------------- */

static dal_status drive_value(double y[3], double t, void *user)
{
    const drive *d = user;
    const double slope = t < 0.0 ? (d->from - d->start) / *d->lead : d->slope;
    y[0] = d->from + slope * t;
    y[1] = slope;
    y[2] = 0.0;
    return DAL_OK;
}

/* Its function, its joint, and an output by its name. */
static dal_status add_drive(dal_drives *k, int i)
{
    char title[32], name[DAL_DRIVE_NAME];
    int number, output, joint;
    drive *d = &k->drive[i];
    (void)snprintf(title, sizeof title, i == 0 ? "value of the drive" : "value of drive %d", i + 1);
    const dal_function f = {.name = title, .type = "user", .call = drive_value, .user = d};
    DAL_TRY(dal_model_add_function(k->model, &number, &f));
    DAL_TRY(dal_drive_add(k->model, k->ctx, &joint, d->name, number));
    k->joint = i == 0 ? joint : k->joint;
    const dal_output o = {.name = d->name, .quantity = "coordinate", .joint = dal_drive_name(name, d->name)};
    return dal_model_add_output(k->model, &output, &o);
}

/* The first joint that prescribes a motion. */
static dal_status find_motion(dal_drives *k)
{
    for (int i = 0; i < dal_model_report(k->model).joints; ++i) {
        dal_joint info;
        if (dal_model_joint_info(k->model, &info, i) == DAL_OK && strcmp(info.type, "motion") == 0) {
            k->joint = i;
            return DAL_OK;
        }
    }
    return dal_fail(k->ctx, DAL_EOPTION, "the model prescribes no motion; name a joint to drive");
}

static dal_status take_drives(dal_drives *k, const dal_drives_spec *spec)
{
    if (spec->n < 1 || spec->points < 2 || !(spec->rate > 0.0) || spec->drive[0].from == spec->drive[0].to) {
        return dal_fail(k->ctx, DAL_EINVAL,
                        "kinematics need a drive that goes from one value to another in at least 2 "
                        "points, at a rate > 0");
    }
    DAL_TAKE(&k->pool, k->drive, spec->n);
    DAL_TAKE(&k->pool, k->value, spec->points);
    k->n = spec->points;
    k->rate = spec->rate;
    k->ndrives = spec->n;
    const double time = fabs(spec->drive[0].to - spec->drive[0].from) / spec->rate;
    for (int i = 0; i < spec->n; ++i) {
        const dal_drive *from = &spec->drive[i];
        drive *d = &k->drive[i];
        DAL_NEED_AS(k->ctx, from->coordinate, "coordinate");
        *d = (drive){.from = from->from, .to = from->to, .slope = (from->to - from->from) / time, .lead = &k->lead};
        DAL_TAKE_TEXT(&k->pool, d->name, from->coordinate);
    }
    k->timed = spec->n == 1 && strcmp(spec->drive[0].coordinate, "time") == 0;
    return DAL_OK;
}

static dal_status prepare(dal_drives *k, const dal_drives_spec *spec)
{
    DAL_TRY(take_drives(k, spec));
    dal_drive_outputs(k->model, k->ctx);
    if (k->timed) {
        return find_motion(k);
    }
    for (int i = 0; i < k->ndrives; ++i) {
        DAL_TRY(add_drive(k, i));
    }
    return DAL_OK;
}

dal_status dal_drives_create_(dal_drives **out, dal_ctx *ctx, dal_model *model, const dal_drives_spec *spec,
                              size_t size)
{
    DAL_NEED_AS(ctx, out, "drives");
    *out = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, model);
    DAL_NEED(ctx, spec);
    DAL_OWN(ctx, dal_drives_spec, spec);
    DAL_NEED_AS(ctx, spec->drive, "drive");
    dal_pool pool = {.ctx = ctx, .what = "kinematics"};
    dal_drives *k;
    DAL_TAKE(&pool, k, 1);
    k->pool = pool;
    k->ctx = ctx;
    k->model = model;
    const dal_status st = prepare(k, spec);
    if (st != DAL_OK) {
        dal_drives_destroy(k);
        return st;
    }
    *out = k;
    return DAL_OK;
}

void dal_drives_destroy(dal_drives *k)
{
    if (k != NULL) {
        dal_driven_destroy(k->driven);
        dal_free(k->ctx, k->centre);
        dal_pool pool = k->pool; // it is in it
        dal_pool_release(&pool);
    }
}

/* ---- the start -------------------------------------------------------------------------------- */

/* The drives in the initial position, as near to the start of the sweep as turns allow, and the time to get there. */
static dal_status find_start(dal_drives *k, const dal_system *sys)
{
    double *zero;
    DAL_TAKE(&k->pool, zero, sys->group->nv + dal_system_rows(sys));
    const dal_point p = {0.0, dal_model_q0(k->model), zero, zero, zero};
    DAL_TRY(dal_data_accept(k->data, &p, DAL_MOMENT_START));
    DAL_TRY(dal_model_outputs(k->model, k->data, k->values, &p));
    for (int o = 0; o < dal_model_output_count(k->model); ++o) {
        const dal_output_info info = dal_model_output_info(k->model, o);
        for (int i = 0; i < k->ndrives; ++i) {
            drive *d = &k->drive[i];
            if (strcmp(info.name, d->name) == 0) {
                d->start = k->values[info.first];
                k->lead = fmax(k->lead, fabs(d->start - d->from) / k->rate);
            }
        }
    }
    return DAL_OK;
}

static dal_status watch_joints(dal_drives *k)
{
    static const char *const quantity[] = {"coordinate", "coordinate_velocity", "coordinate_acceleration"};
    const int joints = dal_model_report(k->model).joints;
    DAL_TAKE(&k->pool, k->watched, joints);
    DAL_TAKE(&k->pool, k->course, joints);
    for (int j = 0; j < joints; ++j) {
        watched *w = &k->watched[k->info.njoints];
        dal_joint_course *c = &k->course[k->info.njoints];
        int all = 1;
        c->joint = dal_model_joint_name(k->model, j);
        for (int i = 0; i < 3; ++i) {
            w->place[i] = dal_drive_output(k->model, c->joint, quantity[i]);
            all &= w->place[i] >= 0;
        }
        for (int i = 0; i < 3 && all; ++i) {
            DAL_TAKE(&k->pool, c->x[i], k->n);
        }
        k->info.njoints += all;
    }
    return DAL_OK;
}

static double drive_at(const dal_drives *k, double t)
{
    return k->timed ? t : k->drive[0].from + k->drive[0].slope * t;
}

static double time_of(const dal_drives *k, int i)
{
    const double part = (double)i / (k->n - 1);
    const drive *d = &k->drive[0];
    return k->timed ? d->from + part * (d->to - d->from) : part * fabs(d->to - d->from) / k->rate;
}

dal_status dal_drives_start(dal_drives *k, const dal_system *sys, dal_data *data)
{
    DAL_NEED_AS(NULL, k, "drives");
    DAL_NEED(k->ctx, sys);
    DAL_NEED(k->ctx, data);
    k->data = data;
    DAL_TAKE(&k->pool, k->values, dal_model_output_size(k->model));
    DAL_TRY(watch_joints(k));
    DAL_TRY(k->timed ? DAL_OK : find_start(k, sys));
    // limits are looked for along the one freedom that a single drive leaves
    const dal_driven_spec spec = {.t = k->timed ? k->drive[0].from : -k->lead,
                                  .q = dal_model_q0(k->model),
                                  .drive = k->ndrives == 1 ? 1 + dal_drive_row(k->model, k->joint) : 0};
    DAL_TRY(dal_driven_create(&k->driven, k->ctx, sys, data, &spec));
    k->before = time_of(k, 0);
    return k->timed || dal_driven_to(k->driven, 0.0) == DAL_OK
               ? DAL_OK
               : dal_fail_in(k->ctx, DAL_NOCONV, "the start of the sweep cannot be reached from the initial position");
}

/* ---- points ----------------------------------------------------------------------------------- */

typedef struct probe {
    const dal_drives *k;
    int place;
} probe;

static dal_status rate_of(double *f, const dal_point *at, void *user)
{
    const probe *p = user;
    DAL_TRY(dal_model_outputs(p->k->model, p->k->data, p->k->values, at));
    *f = p->k->values[p->place];
    return DAL_OK;
}

static dal_status add_centre(dal_drives *k, const dal_dead_centre *d)
{
    DAL_GROW(k->ctx, k->centre, k->room, k->info.ncentres + 1);
    k->centre[k->info.ncentres++] = *d;
    return DAL_OK;
}

/* Where the mechanism is now, as a dead centre of joint j. */
static dal_status here(const dal_drives *k, dal_dead_centre *d, int j, int sign)
{
    const dal_point at = dal_driven_point(k->driven);
    DAL_TRY(dal_model_outputs(k->model, k->data, k->values, &at));
    *d = (dal_dead_centre){k->course[j].joint, drive_at(k, at.t), at.t, k->values[k->watched[j].place[0]], sign > 0};
    return DAL_OK;
}

/* Between the last point and the present one: has the coordinate of joint j turned back? Velocities below `least` are zero.   (KI.2) */
static dal_status find_centre(dal_drives *k, int j, double least)
{
    watched *w = &k->watched[j];
    const double v = k->course[j].x[1][k->info.points - 1], tb = dal_driven_point(k->driven).t;
    const int sign = fabs(v) <= least ? 0 : v > 0.0 ? 1 : -1, before = w->sign;
    w->sign = sign;
    if (sign != 0 && w->pending) {
        w->begin.largest = sign < 0;
        w->pending = 0;
        DAL_TRY(add_centre(k, &w->begin));
    }
    if (sign * before < 0) {
        probe p = {k, w->place[1]};
        dal_dead_centre d;
        double t;
        DAL_TRY(dal_driven_zero(k->driven, &t, k->before, tb, rate_of, &p));
        DAL_TRY(here(k, &d, j, before));
        DAL_TRY(add_centre(k, &d));
        return dal_driven_to(k->driven, tb);
    }
    const int begins = sign == 0 && (before != 0 || k->info.points == 1);
    w->pending |= begins;
    return begins ? here(k, &w->begin, j, 1) : DAL_OK;
}

static dal_status record(dal_drives *k, const dal_point *at)
{
    const int n = k->info.points++;
    DAL_TRY(dal_model_outputs(k->model, k->data, k->values, at));
    k->value[n] = drive_at(k, at->t);
    for (int j = 0; j < k->info.njoints; ++j) {
        for (int i = 0; i < 3; ++i) {
            k->course[j].x[i][n] = k->values[k->watched[j].place[i]];
        }
    }
    return DAL_OK;
}

/* What lies before the last point, as soon as nobody looks at its state any more. */
static dal_status find_centres(dal_drives *k)
{
    double most = k->rate;
    for (int j = 0; j < k->info.njoints; ++j) {
        most = fmax(most, fabs(k->course[j].x[1][k->info.points - 1]));
    }
    for (int j = 0; j < k->info.njoints; ++j) {
        DAL_TRY(find_centre(k, j, 1e-12 * most));
    }
    k->before = time_of(k, k->info.points - 1);
    return DAL_OK;
}

dal_status dal_drives_next(dal_drives *k, int *there, dal_point *at, double *value)
{
    DAL_NEED_AS(NULL, k, "drives");
    DAL_NEED(k->ctx, there);
    DAL_NEED(k->ctx, at);
    *there = 0;
    DAL_TRY(k->info.points > 0 && !k->info.limited ? find_centres(k) : DAL_OK);
    if (k->info.points == k->n || k->info.limited) {
        return DAL_OK;
    }
    const dal_status st = dal_driven_to(k->driven, time_of(k, k->info.points));
    if (st == DAL_NOCONV && dal_driven_limit(k->driven, k->direction, sizeof k->direction)) {
        k->info.limited = 1;
        k->info.limit = drive_at(k, dal_driven_point(k->driven).t);
        return DAL_OK;
    }
    DAL_TRY(st);
    *at = dal_driven_point(k->driven);
    DAL_TRY(record(k, at));
    for (int i = 0; value != NULL && i < k->ndrives; ++i) {
        value[i] = i == 0 ? drive_at(k, at->t) : k->drive[i].from + k->drive[i].slope * at->t;
    }
    *there = 1;
    return DAL_OK;
}

dal_drives_info dal_drives_about(const dal_drives *k)
{
    dal_drives_info info = k != NULL ? k->info : (dal_drives_info){.direction = ""};
    if (k != NULL) {
        info.direction = k->direction;
        info.value = k->value;
        info.joint = k->course;
        info.centre = k->centre;
    }
    return info;
}
