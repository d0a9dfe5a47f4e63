/* dalembert view: the mechanism at its initial pose, with what is wrong with it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/html.h"
#include "dalembert/reduce.h"

static const cli_flag flags[] = {
    CLI_FLAG_SET,
    CLI_FLAG_OUTSIDE,
    {"output", 'o', "FILE", "the page, default MODEL.html in the current folder"},
    {"quiet", 'q', NULL, "do not tell what was found"},
};

static int command(const cli_args *args);

const cli_command cli_view = {
    .name = "view",
    .place = 2,
    .summary = "show the mechanism at its initial pose as an HTML page",
    .about = "The page needs no network and opens in any browser. Joints that are open are red, those with redundant\n"
             "rows orange. Nothing is simulated.\n"
             "Exit codes: 0 ok, 1 a joint is open, 2 usage, 3 bad model, 5 files.",
    .examples = "  dalembert view heavy_top\n  dalembert view crank.json -o crank.html",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

/* An open joint is one whose rows are violated by more than this. */
static const double open_tol = 1e-6;

/* The name of the page: that of the model, whatever its folder. */
static void default_path(char path[512], const char *source)
{
    const char *slash = strrchr(source, '/'), *base = slash != NULL ? slash + 1 : source;
    const char *point = strrchr(base, '.');
    snprintf(path, 512, "%.*s.html", (int)(point != NULL && point > base ? point - base : (long)strlen(base)), base);
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
    const int nc = dal_system_rows(m->sys), joints = dal_model_report(m->model).joints;
    double *Phi = cli_alloc((size_t)nc + 1, sizeof *Phi),
           *zero = cli_alloc((size_t)(nc + m->sys->group->nv) + 1, sizeof *zero);
    dal_data *data = NULL;
    const dal_residual out = {.Phi = Phi};
    const dal_point at = {.q = dal_model_q0(m->model), .v = zero, .vd = zero, .la = zero};
    dal_status st = dal_data_create(&data, m->ctx, m->sys);
    st = st != DAL_OK ? st : dal_data_residual(data, &out, &at);
    double most = open_tol;
    *worst = -1;
    *count = 0;
    for (int k = 0; k < joints && st == DAL_OK; ++k) {
        int first, rows;
        double gap = 0.0;
        st = dal_model_joint_rows(m->model, &first, &rows, k);
        for (int i = first; st == DAL_OK && i < first + rows; ++i) {
            gap = fabs(Phi[i]) > gap ? fabs(Phi[i]) : gap;
        }
        if (gap > open_tol) {
            st = dal_page_joint(h->page, k, gap, 0);
            *worst = gap > most ? k : *worst;
            most = gap > most ? gap : most;
            ++*count;
        }
    }
    dal_data_destroy(data);
    free(Phi);
    free(zero);
    return st;
}

/* Joints with rows that depend on others. */
static dal_status find_redundant(cli_html *h, const cli_model *m, int *count)
{
    dal_reduction *r = NULL;
    dal_status st = DAL_OK;
    *count = 0;
    if (dal_system_rows(m->sys) == 0) {
        return DAL_OK;
    }
    DAL_TRY(dal_reduction_create(&r, m->ctx, m->sys, 0.0, dal_model_q0(m->model), 0.0));
    *count = dal_reduction_count(r);
    for (int i = 0; i < *count && st == DAL_OK; ++i) {
        const int joint = joint_of_row(m, dal_reduction_rows(r)[i]);
        st = joint >= 0 ? dal_page_joint(h->page, joint, 0.0, 1) : DAL_OK;
    }
    dal_reduction_destroy(r);
    return st;
}

static void tell(cli_html *h, int quiet, const char *text)
{
    html_warn(h, text);
    if (!quiet) {
        cli_say("%s", text);
    }
}

/* What is wrong, in words, on the page and on the terminal. */
static int examine(cli_html *h, const cli_model *m, int quiet)
{
    char text[1200], list[900] = "";
    int worst, open, redundant, named = 0;
    if (find_open(h, m, &worst, &open) != DAL_OK || find_redundant(h, m, &redundant) != DAL_OK) {
        tell(h, quiet, dal_ctx_message(m->ctx));
        return CLI_OK;
    }
    if (open > 0 && dal_model_open_joints(m->model, NULL, &named, list, sizeof list, 0.0, dal_model_q0(m->model),
                                          open_tol) == DAL_OK) {
        if (open == 1) {
            snprintf(text, sizeof text, "1 joint is open: %s", list);
        } else {
            snprintf(text, sizeof text, "%d joints are open, joint '%.200s' most: %s", open,
                     dal_model_joint_name(m->model, worst), list);
        }
        tell(h, quiet, text);
    }
    if (redundant > 0) {
        snprintf(text, sizeof text, "%d constraint rows depend on others; the joints that have them are marked",
                 redundant);
        tell(h, quiet, text);
    }
    const dal_model_summary s = dal_model_report(m->model);
    snprintf(text, sizeof text,
             "  bodies        %d\n  joints        %d\n  forces        %d\n  velocities    %d\n  constraints   %d\n"
             "  freedoms      %d\n",
             s.bodies, s.joints, s.forces, s.velocities, s.rows, s.freedoms + redundant);
    html_summary(h, text);
    return open > 0 ? CLI_CHECK : CLI_OK;
}

static int show(cli_model *m, const cli_args *args)
{
    cli_html h = {0};
    char path[512];
    const char *given = cli_value(args, "output");
    const int quiet = cli_given(args, "quiet");
    default_path(path, args->positional[0]);
    const char *to = given != NULL ? given : path;
    int code = html_check(to);
    code = code != CLI_OK ? code : html_open(&h, m, NULL);
    if (code == CLI_OK) {
        const int found = examine(&h, m, quiet);
        code = html_save(&h, to);
        if (code == CLI_OK && !quiet) {
            cli_print("%s\n", to);
        }
        code = code != CLI_OK ? code : found;
    }
    html_release(&h);
    return code;
}

static int command(const cli_args *args)
{
    cli_model m = {.may_be_open = 1};
    int code = model_open(&m, args);
    code = code != CLI_OK ? code : show(&m, args);
    model_release(&m);
    return code;
}
