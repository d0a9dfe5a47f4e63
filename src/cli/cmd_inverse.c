/* dalembert inverse: the drives that a motion takes. */
#include <math.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/motions.h"
#include "cli/states.h"

CLI_OWNS(dal_data)
CLI_OWNS(dal_driven)

typedef struct job {
    cli_model m;
    const cli_args *args;
    cli_motions motions;
    int ndrives;
    const char *drive[MOTIONS_MAX], *unit[MOTIONS_MAX]; /* unit of its force */
    int joint[MOTIONS_MAX], row[MOTIONS_MAX];           /* of each drive */
    int prescribed[MOTIONS_MAX];                        /* rows of the motions */
    int ignored[MOTIONS_MAX], nignored;                 /* drives that prescribe nothing */
    double *time;
    int n, rank;   /* times; the least rank of the drives' effects */
    double *force; /* n x ndrives */
    dal_data *data;
    dal_driven *k;
    cli_states states;
} job;

/* ---- set-up ----------------------------------------------------------------------------------- */

/* A drive: a coordinate of the motion, or one of its own. */
static void add_drive(job *j, const char *name)
{
    static const double zero[] = {0.0};
    const int d = j->ndrives;
    if (d == MOTIONS_MAX) {
        cli_usage("--drives: at most %d", MOTIONS_MAX);
    }
    j->drive[j->ndrives++] = cli_copy(name);
    for (int k = 0; k < j->motions.n; ++k) {
        if (strcmp(j->motions.name[k], name) == 0) {
            j->joint[d] = j->motions.joint[k];
            return;
        }
    }
    const dal_function f = {.name = cli_text("zero of %.280s", name), .type = "constant", .c = zero, .n = 1};
    int number;
    cli_try(j->m.ctx, dal_model_add_function(j->m.model, &number, &f), CLI_MODEL);
    j->joint[d] = drives_add(&j->m, name, number);
    j->ignored[j->nignored++] = j->joint[d]; // becomes its row
}

static void add_drives(job *j, const char *list)
{
    for (int k = 0; list == NULL && k < j->motions.n; ++k) {
        add_drive(j, j->motions.name[k]);
    }
    char name[200];
    while (cli_word(&list, name, sizeof name)) {
        add_drive(j, name);
    }
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

static void read_times(job *j)
{
    const char *text = cli_value(j->args, "times");
    const dal_table_data *table = &j->motions.table;
    double from = 0.0, to = j->m.t_end;
    if (text == NULL && table->rows > 0) {
        j->n = table->rows;
        j->time = table->x;
        return;
    }
    j->n = text != NULL ? drives_range(&j->m, &from, &to, "times", text) : 101;
    if (!(to > from)) {
        cli_usage("--times: give FROM:TO:N, times that increase");
    }
    if (!within(table, from, to)) {
        cli_usage("--times %s: the table of --motion goes from t = %.9g to %.9g", text, table->x[0],
                  table->x[table->rows - 1]);
    }
    j->time = cli_alloc((size_t)j->n, sizeof *j->time);
    for (int k = 0; k < j->n; ++k) {
        j->time[k] = k == j->n - 1 ? to : from + (to - from) * k / (j->n - 1);
    }
}

static void prepare(cli_model *m, void *user)
{
    job *j = user;
    const char *motion = cli_value(j->args, "motion");
    if (motion == NULL) {
        cli_usage("--motion FILE, or --motion 'A=EXPRESSION', is needed");
    }
    dal_drive_outputs(m->model, m->ctx);
    motions_add(&j->motions, m, motion);
    add_drives(j, cli_value(j->args, "drives"));
    read_times(j);
}

/* ---- course ----------------------------------------------------------------------------------- */

static void ensure(const job *j, dal_status st)
{
    cli_try(j->m.ctx, st, drives_code(st));
}

static void begin(job *j)
{
    for (int k = 0; k < j->motions.n; ++k) {
        j->prescribed[k] = dal_drive_row(j->m.model, j->motions.joint[k]);
    }
    for (int k = 0; k < j->ndrives; ++k) {
        j->row[k] = dal_drive_row(j->m.model, j->joint[k]);
        j->unit[k] = dal_drive_unit(j->m.model, j->drive[k]);
    }
    for (int k = 0; k < j->nignored; ++k) {
        j->ignored[k] = dal_drive_row(j->m.model, j->ignored[k]);
    }
    j->force = cli_alloc((size_t)j->ndrives * (size_t)j->n, sizeof *j->force);
    j->rank = j->ndrives;
    const dal_driven_spec spec = {.t = j->time[0],
                                  .q = dal_model_q0(j->m.model),
                                  .drive = j->motions.n == 1 ? 1 + j->prescribed[0] : 0,
                                  .ignored = j->ignored,
                                  .nignored = j->nignored};
    CLI_CREATE(dal_data, j->data, CLI_INTEGRATION, j->m.ctx, j->m.sys);
    ensure(j, dal_driven_create(&j->k, j->m.ctx, j->m.sys, j->data, &spec));
    CLI_OWN(dal_driven, j->k);
}

static void solve(job *j)
{
    const dal_table own = {"drives", j->ndrives, j->drive, j->unit};
    states_open(&j->states, &j->m, j->data, j->args, &own);
    for (int k = 0; k < j->n; ++k) {
        double *force = j->force + (size_t)k * (size_t)j->ndrives;
        int rank = 0;
        ensure(j, dal_driven_to(j->k, j->time[k]));
        ensure(j, dal_driven_forces(j->k, force, &rank, j->row, j->ndrives, j->prescribed, j->motions.n));
        j->rank = rank < j->rank ? rank : j->rank;
        const dal_point at = dal_driven_point(j->k);
        states_add(&j->states, &at, force);
    }
    states_close(&j->states, "");
}

static cli_answer *answer(const job *j)
{
    const char *smoothing = motions_smoothing(&j->motions);
    double *x = cli_alloc((size_t)j->n, sizeof *x);
    cli_answer *a = answer_create();
    answer_put(a, "model %s", j->m.name);
    answer_texts(a, "prescribed", j->motions.name, j->motions.n, 1);
    answer_put(a, "smoothing %s rank %d least_norm? %d", smoothing != NULL ? smoothing : "none: expressions", j->rank,
               j->rank < j->ndrives);
    answer_put(a, ".table %s .ndrives %d .times %d .from %g .to %g", smoothing, j->ndrives, j->n, j->time[0],
               j->time[j->n - 1]);
    answer_reals(a, "time", j->time, j->n);
    cli_answer *units = answer_object(a, "units", 1), *drives = answer_object(a, "drives", 0);
    cli_answer *lines = answer_list(a, ".lines", 0);
    for (int d = 0; d < j->ndrives; ++d) {
        double most = 0.0;
        for (int k = 0; k < j->n; ++k) {
            x[k] = j->force[(size_t)k * (size_t)j->ndrives + (size_t)d];
            most = fabs(x[k]) > fabs(most) ? x[k] : most;
        }
        answer_text(units, j->drive[d], j->unit[d]);
        answer_reals(drives, j->drive[d], x, j->n);
        answer_line(lines, NULL, "drive %s first %g last %g largest %g unit %s size %g", j->drive[d], x[0], x[j->n - 1],
                    most + 0.0, j->unit[d], fabs(most));
    }
    return a;
}

static int command(const cli_args *args)
{
    job *j = cli_alloc(1, sizeof *j);
    *j = (job){.args = args, .m = {.prepare = prepare, .without = cli_value(args, "without"), .user = j}};
    cli_check_files(args, 0);
    model_open(&j->m, args);
    begin(j);
    solve(j);
    answer_tell(answer(j), args, NULL);
    return CLI_OK;
}

const cli_command cli_inverse = {.name = "inverse", .run = command};
