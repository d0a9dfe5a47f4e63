/* dalembert static --path KEY=A:B: equilibria over a parameter, through limit points. */
#include "cli/path.h"

#include <string.h>

#include "cli/answer.h"
#include "cli/drives.h"
#include "cli/states.h"
#include "dalembert/static.h"

enum { SHOWN = 5 }; /* numbers of outputs that the text shows of each point */

CLI_OWNS(dal_data)
CLI_OWNS(dal_binding)

typedef struct route {
    cli_model m;
    dal_data *data;
    dal_binding *binding;
    const char *key;
    dal_path_spec spec;
    dal_path_info info;
    double *zero;
    cli_states states;
    cli_answer *points, *limits, *lines;
    const dal_path_point *point; /* that is visited */
    int code;                    /* of one that could not be written */
} route;

/* ---- arguments -------------------------------------------------------------------------------- */

static void read_range(route *r, const char *text)
{
    const char *equals = strchr(text, '='), *colon = equals != NULL ? strchr(equals, ':') : NULL;
    if (colon == NULL || equals == text || equals - text > 190 || colon - equals > 190) {
        cli_usage("--path KEY=A:B is expected, a variable and its range, as in --path P=0:10, not '%s'", text);
    }
    r->key = cli_text("%.*s", (int)(equals - text), text);
    r->spec.from = drives_value(&r->m, "path", cli_text("%.*s", (int)(colon - equals - 1), equals + 1));
    r->spec.to = drives_value(&r->m, "path", colon + 1);
    if (r->spec.from == r->spec.to) {
        cli_usage("--path: '%s' ends where it begins; take two values that differ", text);
    }
}

/* --control NAME: the number of a velocity, from 1 on. */
static int read_control(const dal_system *sys, const char *name)
{
    char have[100] = "";
    for (int i = 0; i < sys->group->nv && sys->names.velocity != NULL; ++i) {
        sys->names.velocity(have, sizeof have, i, sys->user);
        if (strcmp(have, name) == 0) {
            return i + 1;
        }
    }
    cli_usage("--control: no displacement '%s'; BODY.x, BODY.omega.z and the like, as in '%s'", name, have);
}

/* ---- points ----------------------------------------------------------------------------------- */

static dal_status set(double parameter, void *user)
{
    const route *r = user;
    return dal_binding_set(r->binding, r->data, &parameter);
}

/* A column of the table for each of the first numbers of the outputs: its name, or its value. */
static char *columns(const cli_model *m, int values)
{
    cli_string text = {0};
    int shown = 0;
    cli_add(&text, "%s", "");
    for (int k = 0; k < m->noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(m->model, k);
        for (int i = 0; i < info.n && shown < SHOWN; ++i, ++shown) {
            const char *name = cli_text(info.n > 1 ? "%s.%c" : "%s", info.name, "xyz456789"[i < 8 ? i : 8]);
            const size_t n = strlen(name);
            if (values) {
                cli_add(&text, " %13.6g", m->values[info.first + i]);
            } else {
                cli_add(&text, " %13.13s", n > 13 ? name + n - 13 : name);
            }
        }
    }
    return text.text;
}

static void add_point(void *user)
{
    route *r = user;
    const dal_path_point *p = r->point;
    const dal_point at = {r->spec.t, p->q, p->v, r->zero, p->la};
    const double own[] = {p->parameter, p->report->stable, p->kind};
    r->states.later = p->arc;
    states_add(&r->states, &at, own);
}

static dal_status visit(const dal_path_point *p, void *user)
{
    route *r = user;
    const dal_static_report *report = p->report;
    const int located = p->kind != DAL_PATH_POINT;
    const char *kind = located ? dal_path_kind_name(p->kind) : NULL;
    r->point = p;
    r->code = cli_guard(add_point, r, 1);
    if (r->code != CLI_OK) {
        return DAL_EIO;
    }
    answer_line(r->lines, NULL, "parameter %g stable %s numbers %s kind %s", p->parameter,
                report->stable ? "yes" : "no", columns(&r->m, 1), kind);
    cli_answer *to = answer_object(located ? r->limits : r->points, NULL, 0);
    answer_put(to, "parameter %g", p->parameter);
    if (located) {
        const dal_static_direction *soft = report->nindifferent > 0 ? &report->indifferent[0]
                                           : report->nnegative > 0  ? &report->negative[0]
                                                                    : &report->lowest;
        answer_put(to, "kind %s direction %s .key %s", kind, soft->name, r->key);
    }
    answer_put(to, "stable? %d arc %g", report->stable, p->arc);
    states_outputs(to, &r->m, 1);
    return DAL_OK;
}

/* ---- course ----------------------------------------------------------------------------------- */

static void prepare(route *r, const cli_args *args)
{
    const char *control = cli_value(args, "control");
    read_range(r, cli_value(args, "path"));
    r->spec.control = control != NULL ? read_control(r->m.sys, control) : 0;
    r->zero = cli_alloc((size_t)r->m.sys->group->nv + 1, sizeof *r->zero);
    if (dal_binding_create(&r->binding, r->m.ctx, r->m.doc, &r->key, 1) != DAL_OK) {
        cli_fail(CLI_MODEL, "--path %s: %s", r->key, dal_ctx_message(r->m.ctx));
    }
    CLI_OWN(dal_binding, r->binding);
    CLI_CREATE(dal_data, r->data, CLI_MODEL, r->m.ctx, r->m.sys);
    r->spec.t = cli_real(args, "time");
    r->spec.steps = cli_whole(args, "steps");
    r->spec.points = cli_whole(args, "points");
    r->spec.until = cli_given(args, "until") ? 1U << (DAL_PATH_LIMIT + cli_whole(args, "until")) : 0U;
    r->spec.set = set;
    r->spec.visit = visit;
    r->spec.user = r;
}

/* Why the path has not come to its end. */
static const char *reason(const route *r, dal_status st)
{
    return st != DAL_OK ? cli_copy(dal_ctx_message(r->m.ctx))
                        : cli_text("%d points did not suffice to come to %s = %g; --points N allows more",
                                   r->info.points, r->key, r->spec.to);
}

static int follow(route *r, const cli_args *args)
{
    static const char *const column[] = {"parameter", "stable", "kind"}, *const unit[] = {"", "", ""};
    const dal_table own = {"path", 3, column, unit};
    states_open(&r->states, &r->m, r->data, args, &own);
    cli_answer *a = answer_create();
    answer_put(a, "model %s parameter %s from %g to %g .head %s", r->m.name, r->key, r->spec.from, r->spec.to,
               columns(&r->m, 0));
    r->limits = answer_list(a, "limits", 0);
    r->points = answer_list(a, "points", 0);
    r->lines = answer_list(a, ".lines", 0);
    const dal_status st = dal_static_path(r->m.ctx, r->m.sys, r->data, model_q0(&r->m), NULL, &r->info, &r->spec);
    if (r->code != CLI_OK) {
        return r->code;
    }
    if (r->info.points == 0 && st != DAL_NOCONV) {
        cli_try(r->m.ctx, st, CLI_MODEL);
    }
    const int ended = st == DAL_OK && (r->info.reached || r->spec.until != 0);
    const char *why = ended ? "" : reason(r, st);
    answer_put(a, "complete? %d iterations %d", ended, r->info.iterations);
    if (!ended) {
        answer_text(a, "message", why);
    }
    states_close(&r->states, answer_string(a, "static_path"));
    answer_tell(a, args, "static_path");
    return ended ? CLI_OK : cli_error(CLI_CHECK, "%s", why);
}

int path_command(const cli_args *args)
{
    route *r = cli_alloc(1, sizeof *r);
    cli_check_files(args, 0);
    model_open(&r->m, args);
    prepare(r, args);
    return follow(r, args);
}
