/* dalembert static --path KEY=A:B: equilibria over a parameter, through limit points. */
#include "cli/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/states.h"
#include "dalembert/static.h"

enum { SHOWN = 5 }; /* numbers of outputs that the text shows of each point */

typedef struct route {
    cli_model m;
    dal_data *data;
    dal_binding *binding;
    char key[200];
    dal_path_spec spec;
    dal_path_info info;
    double *q, *zero;
    cli_states states;
    cli_answer *answer, *points, *limits, *lines;
    int code; /* of a point that could not be written */
} route;

/* ---- arguments -------------------------------------------------------------------------------- */

static int read_range(route *r, const char *text)
{
    const char *equals = strchr(text, '='), *colon = equals != NULL ? strchr(equals, ':') : NULL;
    char from[200];
    if (colon == NULL || equals == text || equals - text > 190 || colon - equals > 190) {
        return cli_usage("--path KEY=A:B is expected, a variable and its range, as in --path P=0:10, not '%s'", text);
    }
    snprintf(r->key, sizeof r->key, "%.*s", (int)(equals - text), text);
    snprintf(from, sizeof from, "%.*s", (int)(colon - equals - 1), equals + 1);
    if (dal_document_value(r->m.doc, &r->spec.from, from) != DAL_OK ||
        dal_document_value(r->m.doc, &r->spec.to, colon + 1) != DAL_OK) {
        return cli_usage("--path: %s", dal_ctx_message(r->m.ctx));
    }
    return r->spec.from != r->spec.to
               ? CLI_OK
               : cli_usage("--path: '%s' ends where it begins; take two values that differ", text);
}

/* --control NAME: the number of a velocity, from 1 on. */
static int read_control(route *r, const char *name)
{
    const dal_system *sys = r->m.sys;
    char have[100] = "";
    for (int i = 0; name != NULL && i < sys->group->nv && sys->names.velocity != NULL; ++i) {
        sys->names.velocity(have, sizeof have, i, sys->user);
        if (strcmp(have, name) == 0) {
            r->spec.control = i + 1;
        }
    }
    return name == NULL || r->spec.control > 0
               ? CLI_OK
               : cli_usage("--control: no displacement '%s'; BODY.x, BODY.omega.z and the like, as in '%s'", name,
                           have);
}

/* ---- points ----------------------------------------------------------------------------------- */

static dal_status set(double parameter, void *user)
{
    const route *r = user;
    return dal_binding_set(r->binding, r->data, &parameter);
}

static void put_outputs(cli_answer *to, const cli_model *m)
{
    cli_answer *outputs = answer_object(to, "outputs", 1);
    for (int k = 0; k < m->noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(m->model, k);
        if (info.n == 1) {
            answer_real(outputs, info.name, m->values[info.first]);
        } else {
            answer_reals(outputs, info.name, m->values + info.first, info.n);
        }
    }
}

/* A line of the table: numbers of the first outputs. */
static void put_line(route *r, const dal_path_point *p)
{
    char text[40 + 14 * SHOWN];
    int used = 0, shown = 0;
    text[0] = '\0';
    for (int k = 0; k < r->m.noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(r->m.model, k);
        for (int i = 0; i < info.n && shown < SHOWN; ++i, ++shown) {
            used += snprintf(text + used, sizeof text - (size_t)used, " %13.6g", r->m.values[info.first + i]);
        }
    }
    answer_put(answer_object(r->lines, NULL, 0), "parameter %g stable %s numbers %s kind %s", p->parameter,
               p->report->stable ? "yes" : "no", text, p->kind == DAL_PATH_POINT ? NULL : dal_path_kind_name(p->kind));
}

static dal_status visit(const dal_path_point *p, void *user)
{
    route *r = user;
    const dal_point at = {r->spec.t, p->q, p->v, r->zero, p->la};
    const double own[] = {p->parameter, p->report->stable, p->kind};
    const dal_static_report *report = p->report;
    r->states.later = p->arc;
    r->code = states_add(&r->states, &at, own);
    if (r->code != CLI_OK) {
        return DAL_EIO;
    }
    put_line(r, p);
    cli_answer *to = answer_object(p->kind == DAL_PATH_POINT ? r->points : r->limits, NULL, 0);
    answer_put(to, "parameter %g", p->parameter);
    if (p->kind != DAL_PATH_POINT) {
        const dal_static_direction *soft = report->nindifferent > 0 ? &report->indifferent[0]
                                           : report->nnegative > 0  ? &report->negative[0]
                                                                    : &report->lowest;
        answer_put(to, "kind %s direction %s .key %s", dal_path_kind_name(p->kind), soft->name, r->key);
    }
    answer_put(to, "stable? %d arc %g", report->stable, p->arc);
    put_outputs(to, &r->m);
    return DAL_OK;
}

/* ---- course ----------------------------------------------------------------------------------- */

static int prepare(route *r, const cli_args *args)
{
    const char *names[] = {r->key};
    const dal_system *sys = r->m.sys;
    int code = read_range(r, cli_value(args, "path"));
    code = code == CLI_OK ? read_control(r, cli_value(args, "control")) : code;
    if (code != CLI_OK) {
        return code;
    }
    r->q = cli_alloc((size_t)sys->group->nq, sizeof *r->q);
    r->zero = cli_alloc((size_t)sys->group->nv + 1, sizeof *r->zero);
    memcpy(r->q, dal_model_q0(r->m.model), (size_t)sys->group->nq * sizeof *r->q);
    if (dal_binding_create(&r->binding, r->m.ctx, r->m.doc, names, 1) != DAL_OK ||
        dal_data_create(&r->data, r->m.ctx, sys) != DAL_OK) {
        return cli_error(CLI_MODEL, "--path %s: %s", r->key, dal_ctx_message(r->m.ctx));
    }
    r->spec.t = cli_real(args, "time");
    r->spec.steps = cli_given(args, "steps") ? cli_whole(args, "steps") : 0;
    r->spec.points = cli_given(args, "points") ? cli_whole(args, "points") : 0;
    r->spec.until = cli_given(args, "until") ? 1U << (DAL_PATH_LIMIT + cli_whole(args, "until")) : 0U;
    r->spec.set = set;
    r->spec.visit = visit;
    r->spec.user = r;
    return CLI_OK;
}

static void head(route *r)
{
    char text[40 + 14 * SHOWN];
    int used = 0, shown = 0;
    text[0] = '\0';
    for (int k = 0; k < r->m.noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(r->m.model, k);
        for (int i = 0; i < info.n && shown < SHOWN; ++i, ++shown) {
            char name[200];
            snprintf(name, sizeof name, info.n > 1 ? "%s.%c" : "%s", info.name, "xyz456789"[i < 8 ? i : 8]);
            const size_t n = strlen(name);
            used += snprintf(text + used, sizeof text - (size_t)used, " %13.13s", n > 13 ? name + n - 13 : name);
        }
    }
    answer_put(r->answer, ".head %s", text);
}

static int follow(route *r, const cli_args *args)
{
    static const char *const column[] = {"parameter", "stable", "kind"}, *const unit[] = {"", "", ""};
    const dal_table own = {"path", 3, column, unit};
    int code = states_open(&r->states, &r->m, r->data, args, &own);
    if (code != CLI_OK) {
        return code;
    }
    r->answer = answer_create();
    answer_put(r->answer, "model %s parameter %s from %g to %g", r->m.name, r->key, r->spec.from, r->spec.to);
    head(r);
    r->limits = answer_list(r->answer, "limits", 0);
    r->points = answer_list(r->answer, "points", 0);
    r->lines = answer_hidden(r->answer, "lines");
    const dal_status st = dal_static_path(r->m.ctx, r->m.sys, r->data, r->q, NULL, &r->info, &r->spec);
    if (r->code != CLI_OK) {
        return r->code;
    }
    const int none = st != DAL_OK && r->info.points == 0;
    if (none && st != DAL_NOCONV) {
        return cli_error(CLI_MODEL, "%s", dal_ctx_message(r->m.ctx));
    }
    const int ended = st == DAL_OK && (r->info.reached || r->spec.until != 0);
    char why[600] = "";
    if (st != DAL_OK) {
        snprintf(why, sizeof why, "%s", dal_ctx_message(r->m.ctx));
    } else if (!ended) {
        snprintf(why, sizeof why, "%d points did not suffice to come to %s = %g; --points N allows more",
                 r->info.points, r->key, r->spec.to);
    }
    answer_put(r->answer, "complete? %d iterations %d message %s", ended, r->info.iterations,
               why[0] != '\0' ? why : NULL);
    char *text = answer_string(r->answer, "static_path");
    code = states_close(&r->states, text);
    free(text);
    r->states.own = NULL;
    if (cli_given(args, "json")) {
        answer_json(r->answer, stdout);
    } else if (!cli_given(args, "quiet")) {
        answer_print(r->answer, "static_path", stdout);
    }
    return code == CLI_OK && why[0] != '\0' ? cli_error(CLI_CHECK, "%s", why) : code;
}

int path_command(const cli_args *args)
{
    route r = {.code = CLI_OK};
    int code = cli_check_files(args, 0);
    code = code == CLI_OK ? model_open(&r.m, args) : code;
    code = code == CLI_OK ? prepare(&r, args) : code;
    code = code == CLI_OK ? follow(&r, args) : code;
    answer_release(r.answer);
    states_release(&r.states);
    dal_data_destroy(r.data);
    dal_binding_destroy(r.binding);
    free(r.q);
    free(r.zero);
    model_release(&r.m);
    return code;
}
