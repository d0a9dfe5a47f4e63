/* dalembert kinematics: a mechanism over the range of a drive. */
#include <math.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/drives.h"
#include "cli/states.h"

CLI_OWNS(dal_data)
CLI_OWNS(dal_drives)

enum { DRIVES_MAX = 16 };

typedef struct job {
    cli_model m;
    const cli_args *args;
    dal_drive drive[DRIVES_MAX]; /* the first one is that of messages */
    int ndrives, points;
    double last[DRIVES_MAX]; /* values at the last point */
    dal_drives *k;
    cli_states states;
} job;

/* NAME=A:B:N of the first drive; NAME=A:B:N, NAME=A:B or NAME=A of the others. */
static void read_drive(job *j, const char *text)
{
    const char *equals = text != NULL ? strchr(text, '=') : NULL;
    if (equals == NULL || equals == text || equals - text > 190) {
        cli_usage("--drive NAME=FROM:TO:N is expected, as in --drive A=0:2*pi:361");
    }
    dal_drive *d = &j->drive[j->ndrives];
    d->coordinate = cli_text("%.*s", (int)(equals - text), text);
    for (int k = 0; k < j->ndrives; ++k) {
        if (strcmp(d->coordinate, "time") == 0 || strcmp(j->drive[k].coordinate, "time") == 0) {
            cli_usage("--drive time follows the motions of the model: no other drive beside it");
        }
        if (strcmp(j->drive[k].coordinate, d->coordinate) == 0) {
            cli_usage("--drive %s is given twice", d->coordinate);
        }
    }
    const char *range = equals + 1, *colon = strchr(range, ':');
    if (j->ndrives > 0 && colon == NULL) {
        d->from = d->to = drives_value(&j->m, "drive", range);
    } else {
        range = j->ndrives > 0 && strchr(colon + 1, ':') == NULL ? cli_text("%s:%d", range, j->points) : range;
        const int n = drives_range(&j->m, &d->from, &d->to, "drive", range);
        if (j->ndrives > 0 && n != j->points) {
            cli_usage("--drive %s has %d points and --drive %s has %d: they move together", d->coordinate, n,
                      j->drive[0].coordinate, j->points);
        }
        j->points = n;
    }
    ++j->ndrives;
}

static void prepare(cli_model *m, void *user)
{
    job *j = user;
    const char *text;
    for (int k = 0; (text = cli_value_at(j->args, "drive", k)) != NULL || k == 0; ++k) {
        if (k == DRIVES_MAX) {
            cli_usage("--drive: at most %d", DRIVES_MAX);
        }
        read_drive(j, text);
    }
    const dal_drives_spec spec = {
        .drive = j->drive, .n = j->ndrives, .points = j->points, .rate = cli_real(j->args, "rate")};
    drives_try(m, strcmp(j->drive[0].coordinate, "time") == 0 ? "--drive time: " : "",
               dal_drives_create(&j->k, m->ctx, m->model, &spec));
    CLI_OWN(dal_drives, j->k);
}

static void ensure(const job *j, dal_status st)
{
    cli_try(j->m.ctx, st, drives_code(st));
}

static void sweep(job *j)
{
    const char *column[DRIVES_MAX], *unit[DRIVES_MAX];
    double own[DRIVES_MAX];
    int there;
    dal_point at;
    dal_data *data;
    for (int k = 0; k < j->ndrives; ++k) {
        column[k] = j->drive[k].coordinate;
        unit[k] = "";
    }
    const dal_table table = {"drive", j->ndrives, column, unit};
    CLI_CREATE(dal_data, data, CLI_INTEGRATION, j->m.ctx, j->m.sys);
    ensure(j, dal_drives_start(j->k, j->m.sys, data));
    states_open(&j->states, &j->m, data, j->args, &table);
    for (ensure(j, dal_drives_next(j->k, &there, &at, own)); there;
         ensure(j, dal_drives_next(j->k, &there, &at, own))) {
        states_add(&j->states, &at, own);
        memcpy(j->last, own, sizeof own);
    }
    states_close(&j->states, "");
}

static const cli_answer *answer(const job *j, const dal_drives_info *i)
{
    static const char *const name[] = {"coordinate", "velocity", "acceleration"};
    cli_answer *a = answer_create();
    answer_put(a, "model %s drive %s complete? %d limit %g limit_direction %s .points %d .all %d", j->m.name,
               j->drive[0].coordinate, !i->limited, i->limited ? i->limit : NAN, i->direction, i->points, j->points);
    cli_answer *drives = answer_list(a, ".drives", 0), *centres = answer_list(a, "dead_centres", 0);
    for (int k = 0; k < j->ndrives; ++k) {
        const dal_drive *d = &j->drive[k];
        answer_line(drives, NULL, "name %s from %g to %g moves? %d", d->coordinate, d->from,
                    i->points > 0 ? j->last[k] : d->from, k == 0 || d->to != d->from);
    }
    for (int k = 0; k < i->ncentres; ++k) {
        const dal_dead_centre *d = &i->centre[k];
        answer_line(centres, NULL, "joint %s drive %g time %g coordinate %g kind %s .at %s", d->joint, d->drive, d->t,
                    d->coordinate, d->largest ? "largest" : "smallest", j->drive[0].coordinate);
    }
    answer_reals(a, "values", i->value, i->points);
    cli_answer *joints = answer_object(a, "joints", 0);
    for (int k = 0; k < i->njoints; ++k) {
        cli_answer *joint = answer_object(joints, i->joint[k].joint, 0);
        for (int e = 0; e < 3; ++e) {
            answer_reals(joint, name[e], i->joint[k].x[e], i->points);
        }
    }
    return a;
}

static int command(const cli_args *args)
{
    job *j = cli_alloc(1, sizeof *j);
    *j = (job){.args = args, .m = {.prepare = prepare, .without = cli_value(args, "without"), .user = j}};
    cli_check_files(args, 0);
    model_open(&j->m, args);
    sweep(j);
    const dal_drives_info i = dal_drives_about(j->k);
    answer_tell(answer(j, &i), args, NULL);
    return !i.limited ? CLI_OK
                      : cli_error(CLI_CHECK, "%s cannot go beyond %.12g: the drive is at its limit there",
                                  j->drive[0].coordinate, i.limit);
}

const cli_command cli_kinematics = {.name = "kinematics", .run = command};
