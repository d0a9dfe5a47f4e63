/* dalembert inverse: the drives that a motion takes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/motions.h"
#include "cli/states.h"
#include "dalembert/driven.h"

static const cli_flag flags[] = {
    {"motion", 'm', "FILE|A=EXPR;...", "the motion: expressions of t, or a table with a column for each coordinate"},
    {"drives", 'd', "LIST", "coordinates along which forces act; default: those of the motion"},
    {"times", 't', "A:B:N", "N times from A to B; default: those of the table, or 101 from 0 to t_end"},
    {"without", 0, "LIST", "leave these joints and forces of the model out; NAME* is all that begin so"},
    STATES_FLAGS("|drives"),
};

static int command(const cli_args *args);

const cli_command cli_inverse = {
    .name = "inverse",
    .place = 9,
    .summary = "forces of drives for a prescribed motion",
    .about =
        "Coordinates are those of joints (A, A.rotation, A.translation_x) or bodies (rod.x, rod.y, rod.z, rod.angle;\n"
        "rod.yaw, rod.pitch, rod.roll: about z of the world, then y, then x of the body). The motion must\n"
        "leave no freedom. Columns NAME.velocity and NAME.acceleration of a table are used where both are there;\n"
        "otherwise a cubic spline gives the derivatives. With more drives than freedoms the shortest forces are "
        "taken.\n"
        "Forces of the model act as well.\n\n"
        "Exit codes: 0 done; 1 the drives cannot make the motion; 2 usage, 3 bad model or a motion that is not\n"
        "determined, 4 the mechanism cannot follow, 5 files.",
    .examples =
        "  dalembert inverse slider_crank --motion 'A=2*pi*t' --times 0:1:101 -o drives\n"
        "  dalembert inverse robot.json --motion path.csv --drives hip,knee --json\n"
        "  dalembert inverse stewart.json --without 'L*' --drives P1,P2,P3,P4,P5,P6 \\\n"
        "      --motion 'plate.x=0; plate.y=0; plate.z=1.2+0.1*sin(t); plate.yaw=0.2*t; plate.pitch=0; plate.roll=0'",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

typedef struct job {
    cli_model m;
    const cli_args *args;
    cli_motions motions;
    int ndrives;
    char *drive[MOTIONS_MAX];
    const char *unit[MOTIONS_MAX]; /* of each drive's force */
    int joint[MOTIONS_MAX];        /* of each drive */
    int row[MOTIONS_MAX], prescribed[MOTIONS_MAX], ignored[MOTIONS_MAX], nignored;
    double *time;
    int n, done, rank; /* times; the least rank of the drives' effects */
    double *force;     /* ndrives x n */
    dal_data *data;
    dal_driven *k;
    cli_states states;
} job;

/* ---- set-up ----------------------------------------------------------------------------------- */

/* A drive: a coordinate of the motion, or one of its own. */
static int add_drive(job *j, const char *name)
{
    if (j->ndrives == MOTIONS_MAX) {
        return cli_usage("--drives: at most %d", MOTIONS_MAX);
    }
    j->drive[j->ndrives] = cli_copy(name);
    for (int k = 0; k < j->motions.n; ++k) {
        if (strcmp(j->motions.name[k], name) == 0) {
            j->joint[j->ndrives++] = j->motions.joint[k];
            return CLI_OK;
        }
    }
    char label[300];
    const double zero[] = {0.0};
    int number;
    snprintf(label, sizeof label, "zero of %.280s", name);
    const dal_function f = {.name = label, .type = "constant", .c = zero, .n = 1};
    if (dal_model_add_function(j->m.model, &number, &f) != DAL_OK) {
        return cli_error(CLI_MODEL, "%s", dal_ctx_message(j->m.ctx));
    }
    const int code = drives_add(&j->m, &j->joint[j->ndrives], name, number);
    if (code == CLI_OK) {
        j->ignored[j->nignored++] = j->joint[j->ndrives]; // becomes its row
        j->ndrives++;
    } else {
        free(j->drive[j->ndrives]);
    }
    return code;
}

static int add_drives(job *j, const char *list)
{
    int code = CLI_OK;
    for (int k = 0; list == NULL && k < j->motions.n && code == CLI_OK; ++k) {
        code = add_drive(j, j->motions.name[k]);
    }
    char name[200];
    while (code == CLI_OK && cli_word(&list, name, sizeof name)) {
        code = add_drive(j, name);
    }
    return code;
}

/* Does the table, if there is one, reach from a to b? Splines say nothing outside. */
static int within(const dal_table_data *table, double a, double b)
{
    if (table->rows == 0) {
        return 1;
    }
    const double first = table->x[0], last = table->x[table->rows - 1], rounding = 1e-9 * (last - first);
    return a >= first - rounding && b <= last + rounding;
}

static int read_times(job *j)
{
    const char *text = cli_value(j->args, "times");
    const dal_table_data *table = &j->motions.table;
    double from = 0.0, to = j->m.t_end;
    int n = 101;
    if (text == NULL && table->rows > 0) {
        j->n = table->rows;
        j->time = cli_alloc((size_t)j->n, sizeof *j->time);
        memcpy(j->time, table->x, (size_t)j->n * sizeof *j->time);
        return CLI_OK;
    }
    const int code = text != NULL ? drives_range(&j->m, &from, &to, &n, "times", text) : CLI_OK;
    if (code == CLI_OK && !(to > from)) {
        return cli_usage("--times: give FROM:TO:N, times that increase");
    }
    if (code == CLI_OK && !within(table, from, to)) {
        return cli_usage("--times %s: the table of --motion goes from t = %.9g to %.9g", text, table->x[0],
                         table->x[table->rows - 1]);
    }
    j->n = n;
    j->time = cli_alloc((size_t)n, sizeof *j->time);
    for (int k = 0; k < n; ++k) {
        j->time[k] = k == n - 1 ? to : from + (to - from) * k / (n - 1);
    }
    return code;
}

static int prepare(cli_model *m, void *user)
{
    job *j = user;
    const char *motion = cli_value(j->args, "motion");
    if (motion == NULL) {
        return cli_usage("--motion FILE, or --motion 'A=EXPRESSION', is needed");
    }
    drives_outputs(m);
    int code = motions_add(&j->motions, m, motion);
    code = code == CLI_OK ? add_drives(j, cli_value(j->args, "drives")) : code;
    return code == CLI_OK ? read_times(j) : code;
}

/* ---- course ----------------------------------------------------------------------------------- */

static int failed(const job *j, dal_status st)
{
    const int code = st == DAL_ECHECK                           ? CLI_CHECK
                     : st == DAL_EINVAL || st == DAL_EREDUNDANT ? CLI_MODEL
                                                                : CLI_INTEGRATION;
    return cli_error(code, "%s", dal_ctx_message(j->m.ctx));
}

static int begin(job *j)
{
    for (int k = 0; k < j->motions.n; ++k) {
        j->prescribed[k] = drives_row(&j->m, j->motions.joint[k]);
    }
    for (int k = 0; k < j->ndrives; ++k) {
        j->row[k] = drives_row(&j->m, j->joint[k]);
    }
    for (int k = 0; k < j->nignored; ++k) {
        j->ignored[k] = drives_row(&j->m, j->ignored[k]);
    }
    j->force = cli_alloc((size_t)j->ndrives * (size_t)j->n, sizeof *j->force);
    j->rank = j->ndrives;
    const dal_driven_spec spec = {.t = j->time[0],
                                  .q = dal_model_q0(j->m.model),
                                  .drive = j->motions.n == 1 ? 1 + j->prescribed[0] : 0,
                                  .ignored = j->ignored,
                                  .nignored = j->nignored};
    dal_status st = dal_data_create(&j->data, j->m.ctx, j->m.sys);
    st = st == DAL_OK ? dal_driven_create(&j->k, j->m.ctx, j->m.sys, j->data, &spec) : st;
    return st == DAL_OK ? CLI_OK : failed(j, st);
}

static int solve(job *j)
{
    for (int k = 0; k < j->ndrives; ++k) {
        j->unit[k] = drives_unit(&j->m, j->drive[k]);
    }
    const dal_table own = {"drives", j->ndrives, (const char *const *)j->drive, j->unit};
    int code = states_open(&j->states, &j->m, j->data, j->args, &own);
    for (int k = 0; k < j->n && code == CLI_OK; ++k) {
        double *force = j->force + (size_t)k * (size_t)j->ndrives;
        int rank = 0;
        dal_status st = dal_driven_to(j->k, j->time[k]);
        st = st == DAL_OK ? dal_driven_forces(j->k, force, &rank, j->row, j->ndrives, j->prescribed, j->motions.n) : st;
        if (st != DAL_OK) {
            code = failed(j, st);
            break;
        }
        j->rank = rank < j->rank ? rank : j->rank;
        const dal_point at = dal_driven_point(j->k);
        code = states_add(&j->states, &at, force);
        j->done++;
    }
    code = code == CLI_OK ? states_close(&j->states, NULL) : code;
    j->states.own = NULL;
    return code;
}

static double largest(const job *j, int drive)
{
    double most = 0.0;
    for (int k = 0; k < j->done; ++k) {
        const double f = j->force[(size_t)k * (size_t)j->ndrives + (size_t)drive];
        most = fabs(f) > fabs(most) ? f : most;
    }
    return most;
}

static cli_answer *answer(const job *j)
{
    const char *smoothing = motions_smoothing(&j->motions);
    double *x = cli_alloc((size_t)j->n + 1, sizeof *x);
    cli_answer *a = answer_create();
    answer_put(a, "model %s", j->m.name);
    cli_answer *prescribed = answer_list(a, "prescribed", 1);
    for (int k = 0; k < j->motions.n; ++k) {
        answer_text(prescribed, NULL, j->motions.name[k]);
    }
    answer_put(a, "smoothing %s rank %d least_norm? %d", smoothing != NULL ? smoothing : "none: expressions", j->rank,
               j->rank < j->ndrives);
    answer_put(a, ".table %s .ndrives %d .times %d .from %g .to %g", smoothing, j->ndrives, j->n, j->time[0],
               j->time[j->n - 1]);
    answer_reals(a, "time", j->time, j->done);
    cli_answer *units = answer_object(a, "units", 1), *drives = answer_object(a, "drives", 0);
    cli_answer *lines = answer_hidden(a, "lines");
    for (int d = 0; d < j->ndrives; ++d) {
        const double most = largest(j, d), none = 1e-12 * fabs(most);
        for (int k = 0; k < j->done; ++k) {
            x[k] = j->force[(size_t)k * (size_t)j->ndrives + (size_t)d];
        }
        answer_text(units, j->drive[d], j->unit[d]);
        answer_reals(drives, j->drive[d], x, j->done);
        answer_put(answer_object(lines, NULL, 0), "drive %s first %g last %g largest %g unit %s", j->drive[d],
                   fabs(x[0]) <= none ? 0.0 : x[0], fabs(x[j->n - 1]) <= none ? 0.0 : x[j->n - 1], most + 0.0,
                   j->unit[d]);
    }
    free(x);
    return a;
}

static void release(job *j)
{
    states_release(&j->states);
    dal_driven_destroy(j->k);
    dal_data_destroy(j->data);
    for (int k = 0; k < j->ndrives; ++k) {
        free(j->drive[k]);
    }
    free(j->time);
    free(j->force);
    motions_release(&j->motions);
    model_release(&j->m);
}

static int command(const cli_args *args)
{
    job j = {.args = args};
    j.m.prepare = prepare;
    j.m.without = cli_value(args, "without");
    j.m.user = &j;
    int code = cli_check_files(args, 0);
    code = code == CLI_OK ? model_open(&j.m, args) : code;
    code = code == CLI_OK ? begin(&j) : code;
    code = code == CLI_OK ? solve(&j) : code;
    if (code == CLI_OK) {
        cli_answer *a = answer(&j);
        answer_tell(a, args, cli_given(args, "quiet"));
        answer_release(a);
    }
    release(&j);
    return code;
}
