#include "cli/about.h"

#include <stdlib.h>
#include <string.h>

#include "dalembert/static.h"

/* Redundant rows are no obstacle here: what depends on them (reactions) is not asked for. */
static int create(dal_sim **sim, const cli_model *m, const char *command, double t, const double *q, const double *v)
{
    dal_options opt = m->opt;
    opt.initial = opt.initial == DAL_INITIAL_STATIC && t == 0.0 ? opt.initial : DAL_INITIAL_PROJECT;
    opt.redundant = DAL_REDUNDANT_DROP;
    dal_status st = dal_sim_create(sim, m->ctx, m->sys, &opt);
    st = st != DAL_OK ? st : dal_sim_start(*sim, t, q, v, NULL);
    return st == DAL_OK ? CLI_OK : model_start_failure(m, command, st);
}

/* Start at rest where the model is in equilibrium. */
static int rest(dal_sim **sim, const cli_model *m, const char *command)
{
    const int nq = m->sys->group->nq, nv = m->sys->group->nv;
    double *q = cli_alloc((size_t)nq + (size_t)nv, sizeof *q), *v = q + nq;
    memcpy(q, dal_model_q0(m->model), (size_t)nq * sizeof *q);
    memcpy(v, dal_model_v0(m->model), (size_t)nv * sizeof *v);
    const int code = dal_static_solve(m->ctx, m->sys, NULL, 0.0, q, v, NULL, NULL, NULL) == DAL_OK
                         ? create(sim, m, command, 0.0, q, v)
                         : cli_error(command, CLI_INTEGRATION, "%s", dal_ctx_message(m->ctx));
    free(q);
    return code;
}

/* Run to t and start anew from there: accelerations and multipliers of the state, not of the integrator. */
static int run_to(dal_sim **sim, const cli_model *m, const char *command, double t)
{
    if (dal_sim_run(*sim, t, NULL) != DAL_OK) {
        return cli_error(command, CLI_INTEGRATION, "%s", dal_ctx_message(m->ctx));
    }
    const dal_state s = dal_sim_state(*sim);
    const int nq = m->sys->group->nq, nv = m->sys->group->nv;
    double *q = cli_alloc((size_t)nq + (size_t)nv, sizeof *q), *v = q + nq;
    memcpy(q, s.q, (size_t)nq * sizeof *q);
    memcpy(v, s.v, (size_t)nv * sizeof *v);
    const dal_status st = dal_sim_start(*sim, s.t, q, v, NULL);
    free(q);
    return st == DAL_OK ? CLI_OK : model_start_failure(m, command, st);
}

int about_start(dal_sim **sim, const cli_model *m, const char *command, const char *about)
{
    double t = 0.0;
    *sim = NULL;
    const int initial = about == NULL || strcmp(about, "initial") == 0;
    if (about != NULL && strcmp(about, "static") == 0) {
        return rest(sim, m, command);
    }
    if (!initial && (!cli_number(&t, about) || t < 0.0)) {
        return cli_usage(command, "--about takes initial, static or a time, not '%s'", about);
    }
    const int code = create(sim, m, command, 0.0, dal_model_q0(m->model), dal_model_v0(m->model));
    return code == CLI_OK && t > 0.0 ? run_to(sim, m, command, t) : code;
}

void about_note(const cli_model *m, const char *about)
{
    const double *v = dal_model_v0(m->model);
    int moves = 0;
    for (int i = 0; i < m->sys->group->nv; ++i) {
        moves |= v[i] != 0.0;
    }
    if (moves && about != NULL && strcmp(about, "static") == 0) {
        cli_say("note: the equilibrium is at rest; initial velocities of the model (a spin, for example) are dropped");
    }
}

dal_point about_point(const dal_sim *sim)
{
    const dal_state s = dal_sim_shown_state(sim);
    return (dal_point){.t = s.t, .q = s.q, .v = s.v, .vd = s.vd, .la = s.la};
}
