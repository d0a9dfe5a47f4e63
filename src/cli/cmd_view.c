/* dalembert view: the mechanism at its initial pose, with what is wrong with it. */
#include <math.h>
#include <string.h>

#include "cli/html.h"
#include "dalembert/reduce.h"

CLI_OWNS(dal_data)
CLI_OWNS(dal_reduction)

/* An open joint is one whose rows are violated by more than this. */
static const double open_tol = 1e-6;

/* The name of the page: that of the model, whatever its folder. */
static const char *default_path(const char *source)
{
    const char *slash = strrchr(source, '/'), *base = slash != NULL ? slash + 1 : source;
    const char *point = strrchr(base, '.');
    return cli_text("%.*s.html", (int)(point != NULL && point > base ? point - base : (long)strlen(base)), base);
}

/* Which joint has the row? -1: none. */
static int joint_of_row(const cli_model *m, int row)
{
    const int n = dal_model_report(m->model).joints;
    for (int k = 0; k < n; ++k) {
        int first, rows;
        if (dal_model_joint_rows(m->model, &first, &rows, k) == DAL_OK && row >= first && row < first + rows) {
            return k;
        }
    }
    return -1;
}

/* Joints whose position rows are violated at the initial values. *worst: the one that is open most, -1: none. */
static dal_status find_open(cli_html *h, const cli_model *m, int *worst, int *count)
{
    const int nc = dal_system_rows(m->sys);
    double *Phi = cli_alloc((size_t)nc + 1, sizeof *Phi), most = open_tol;
    const double *zero = cli_alloc((size_t)(nc + m->sys->group->nv) + 1, sizeof *zero);
    dal_data *data;
    const dal_residual out = {.Phi = Phi};
    const dal_point at = {.q = dal_model_q0(m->model), .v = zero, .vd = zero, .la = zero};
    DAL_TRY(dal_data_create(&data, m->ctx, m->sys));
    CLI_OWN(dal_data, data);
    DAL_TRY(dal_data_residual(data, &out, &at));
    *worst = -1;
    *count = 0;
    for (int k = 0; k < dal_model_report(m->model).joints; ++k) {
        int first, rows;
        double gap = 0.0;
        DAL_TRY(dal_model_joint_rows(m->model, &first, &rows, k));
        for (int i = first; i < first + rows; ++i) {
            gap = fmax(gap, fabs(Phi[i]));
        }
        if (gap > open_tol) {
            DAL_TRY(dal_page_joint(h->page, k, gap, 0));
            *worst = gap > most ? k : *worst;
            most = fmax(most, gap);
            ++*count;
        }
    }
    return DAL_OK;
}

/* Joints with rows that depend on others; told: how many are of no contact, which is open at first. */
static dal_status find_redundant(cli_html *h, const cli_model *m, int *count, int *told)
{
    dal_reduction *r;
    *count = *told = 0;
    if (dal_system_rows(m->sys) == 0) {
        return DAL_OK;
    }
    DAL_TRY(dal_reduction_create(&r, m->ctx, m->sys, 0.0, dal_model_q0(m->model), 0.0));
    CLI_OWN(dal_reduction, r);
    *count = dal_reduction_count(r);
    for (int i = 0; i < *count; ++i) {
        const int row = dal_reduction_rows(r)[i],
                  joint = dal_system_is_of_contact(m->sys, row) ? -1 : joint_of_row(m, row);
        *told += joint >= 0;
        DAL_TRY(joint >= 0 ? dal_page_joint(h->page, joint, 0.0, 1) : DAL_OK);
    }
    return DAL_OK;
}

static void tell(cli_html *h, const cli_args *args, const char *text)
{
    html_warn(h, text);
    if (!cli_quiet(args)) {
        cli_say("%s", text);
    }
}

/* What is wrong, in words, on the page and on the terminal. */
static int examine(cli_html *h, const cli_model *m, const cli_args *args)
{
    char list[900] = "";
    int worst, open, redundant, told, named = 0;
    if (find_open(h, m, &worst, &open) != DAL_OK || find_redundant(h, m, &redundant, &told) != DAL_OK) {
        tell(h, args, dal_ctx_message(m->ctx));
        return CLI_OK;
    }
    if (open > 0 && dal_model_open_joints(m->model, NULL, &named, list, sizeof list, 0.0, dal_model_q0(m->model),
                                          open_tol) == DAL_OK) {
        tell(h, args,
             open == 1 ? cli_text("1 joint is open: %s", list)
                       : cli_text("%d joints are open, joint '%.200s' most: %s", open,
                                  dal_model_joint_name(m->model, worst), list));
    }
    if (told > 0) {
        tell(h, args, cli_text("%d constraint rows depend on others; the joints that have them are marked", told));
    }
    const dal_model_summary s = dal_model_report(m->model);
    html_summary(h, cli_text("  bodies        %d\n  joints        %d\n  forces        %d\n  velocities    %d\n"
                             "  constraints   %d\n  freedoms      %d\n",
                             s.bodies, s.joints, s.forces, s.velocities, s.rows, s.freedoms + redundant));
    return open > 0 ? CLI_CHECK : CLI_OK;
}

static int command(const cli_args *args)
{
    cli_model *m = cli_alloc(1, sizeof *m);
    const char *given = cli_value(args, "output"), *to = given != NULL ? given : default_path(args->positional[0]);
    cli_html h = {0};
    m->may_be_open = 1;
    model_open(m, args);
    html_check(to);
    html_open(&h, m, NULL);
    const int found = examine(&h, m, args);
    html_save(&h, to);
    if (!cli_quiet(args)) {
        cli_print("%s\n", to);
    }
    return found;
}

const cli_command cli_view = {.name = "view", .run = command};
