/* What a run has come to: one answer, for the summary, the document of --json and the files of results. */
#include <math.h>
#include <string.h>

#include "cli/run.h"

static const char *option_text(const dal_options *opt, const char *name, char buffer[128])
{
    const dal_option_table *table = dal_options_table();
    buffer[0] = '\0';
    for (int i = 0; i < table->n; ++i) {
        if (strcmp(table->option[i].name, name) == 0) {
            dal_options_format(buffer, 128, &table->option[i], opt);
        }
    }
    return buffer;
}

int run_initial_moved(const run_job *job)
{
    const int given = job->model.assembly.velocities_given > 0;
    return job->initial.position_part > 1e-6 || (given && job->initial.velocity_part > 1e-6);
}

/* ---- for the text ----------------------------------------------------------------------------- */

/* How the run began. */
static void put_start(cli_answer *a, const run_job *job)
{
    const dal_assembly_report *s = &job->model.assembly;
    const double t = dal_sim_state(job->sim).t, t0 = job->monitor.t0;
    const char *title = dal_document_title(job->model.doc);
    title = title != NULL ? title : "";
    answer_put(a, ".title %s .simulated %g .span %g .times_real %g", cli_text("%.*s", (int)strcspn(title, "\n"), title),
               t - t0, job->model.t_end - t0, job->wall > 0.0 ? (t - t0) / job->wall : 0.0);
    answer_put(a, ".assembled %d .gap_moved %g .gap_before %g .gap_after %g .velocities_kept %d", s->iterations,
               s->moved, s->before, s->after, s->velocities_kept);
    answer_put(a, ".projected? %d .position_part %g .velocity_percent %g", run_initial_moved(job),
               job->initial.position_part, 100.0 * job->initial.velocity_part);
}

/* Method and steps. */
static void put_method(cli_answer *a, const run_job *job)
{
    const dal_options *opt = &job->model.opt;
    const dal_stats st = dal_sim_stats(job->sim);
    const int kind = opt->integrator, adaptive = opt->step == DAL_STEP_ADAPTIVE;
    char rho_inf[128], sigma[128];
    answer_put(a, ".lobatto %d .rk %d .auto %d .bdf %d .rattlie %d",
               kind == DAL_INTEGRATOR_LOBATTO ? 2 * opt->stages - 2 : 0, kind == DAL_INTEGRATOR_RK ? opt->order : 0,
               kind == DAL_INTEGRATOR_AUTO ? opt->order : 0, kind == DAL_INTEGRATOR_BDF ? opt->order : 0,
               kind == DAL_INTEGRATOR_RATTLIE ? opt->order : 0);
    answer_put(a, ".symmetric? %d .variational? %d", opt->lambda == DAL_LAMBDA_SYMMETRIC,
               opt->lambda == DAL_LAMBDA_VARIATIONAL);
    answer_put(a, ".implicit %ld .rho_inf %s .sigma %s", st.steps - st.explicit_steps,
               option_text(opt, "rho_inf", rho_inf), option_text(opt, "sigma", sigma));
    answer_put(a, ".adaptive? %d .h %g .h_smallest %g .h_largest %g .tolerance %g .iterations_per_step %g", adaptive,
               opt->h, st.h_smallest, st.h_largest, opt->step_rtol,
               (double)st.newton_iterations / (st.steps > 0 ? (double)st.steps : 1.0));
    answer_put(a, ".constrained? %d", dal_system_rows(job->model.sys) > 0);
}

/* Joints that are open by now. */
static void put_released(cli_answer *a, const run_job *job)
{
    const double t = dal_sim_state(job->sim).t;
    cli_answer *list = answer_list(a, ".released", 0);
    dal_joint info;
    for (int k = 0; dal_model_joint_name(job->model.model, k) != NULL; ++k) {
        if (dal_model_joint_info(job->model.model, &info, k) == DAL_OK && info.release > 0.0 && t >= info.release) {
            answer_line(list, NULL, "joint %s at %g", info.name, info.release);
        }
    }
}

static void put_files(cli_answer *a, const run_job *job)
{
    answer_put(a, ".results %s .incomplete? %d .picture %s .page %s", job->path, job->results_failed,
               job->drawn ? job->plot : NULL, job->shown ? job->html : NULL);
    answer_put(a, ".left_out %d .noutputs %d", job->curves.left_out, job->model.noutputs);
    cli_answer *tables = answer_list(a, ".tables", 0);
    for (int k = 0; k < DAL_RECORD_TABLES && job->format == DAL_RESULTS_CSV; ++k) {
        if (job->chosen[k]) {
            answer_text(tables, NULL, dal_record_table_name(k));
        }
    }
}

/* ---- for both --------------------------------------------------------------------------------- */

/* What a reader of the numbers should know; that of rounding with its last figures. */
static void put_warnings(cli_answer *a, const run_job *job)
{
    const double rounding = dal_sim_stats(job->sim).lambda_rounding;
    char text[400];
    cli_answer *list = answer_list(a, "warnings", 0);
    if (rounding > DAL_ROUNDING_WARNING) {
        answer_text(list, NULL,
                    cli_text("steps are below what double precision allows: reactions have an error of about %.0e by "
                             "rounding (larger h, formulation = ggl or integrator = lobatto)",
                             rounding));
    }
    for (int i = 0; i < job->model.nwarnings; ++i) {
        const char *warning = job->model.warning[i];
        if (warning != NULL && strstr(warning, "below what double precision allows") == NULL) {
            answer_text(list, NULL, warning);
        }
    }
    if (dal_monitor_warning(&job->monitor, text, sizeof text, &job->model.opt) > 0) {
        answer_text(list, NULL, text);
    }
}

static void put_final(cli_answer *a, const run_job *job)
{
    static const double none[4] = {1.0, 0.0, 0.0, 0.0}, zero[3] = {0.0, 0.0, 0.0};
    const cli_model *m = &job->model;
    const dal_state s = dal_sim_state(job->sim);
    cli_answer *final = answer_object(a, "final", 0), *bodies = answer_object(a, "bodies", 0);
    answer_real(final, "t", s.t);
    answer_reals(final, "q", s.q, m->sys->group->nq);
    answer_reals(final, "v", s.v, m->sys->group->nv);
    answer_reals(final, "lambda", s.la, dal_system_rows(m->sys));
    for (int i = 0; i < m->nbodies; ++i) {
        const dal_body_channels *b = &m->body[i];
        cli_answer *body = answer_object(bodies, b->name, 1);
        answer_reals(body, "x", b->x >= 0 ? m->values + b->x : zero, 3);
        answer_reals(body, "quat", b->quat >= 0 ? m->values + b->quat : none, 4);
        answer_reals(body, "v", b->v >= 0 ? m->values + b->v : zero, 3);
        answer_reals(body, "omega", b->omega >= 0 ? m->values + b->omega : zero, 3);
    }
}

static void put_quality(cli_answer *a, const run_job *job)
{
    const dal_monitor *mo = &job->monitor;
    const double over = dal_monitor_turned_over(mo); // NaN: the system does not tell what was fed in and dissipated
    answer_line(a, "max_residual", "position %g velocity %g", mo->max_position, mo->max_velocity);
    answer_line(a, "energy", "initial %g final %g max_drift %g", mo->energy0, mo->energy,
                isnan(mo->energy0) ? NAN : mo->max_drift);
    answer_line(a, "balance", "residual %g turned_over %g", isnan(over) ? NAN : mo->balance.residual, over);
}

static void put_contacts(cli_answer *a, const run_job *job)
{
    const dal_contact_totals all = dal_sim_contact_totals(job->sim);
    if (job->model.sys->contacts.n == 0 && !job->model.sys->contacts.touches) {
        return;
    }
    cli_answer *to = answer_object(a, "contacts", 1);
    if (all.largest_island > 0) {
        answer_line(to, "islands", "largest %d iterations %ld sweeps %ld unfinished %ld", all.largest_island,
                    all.iterations, all.sweeps, all.unfinished);
    }
    answer_put(to,
               "impacts %ld lost %g least_gap %g captured %ld rescues %ld jammed %ld "
               "complementarity %g shared %d",
               all.impacts, all.lost, isfinite(all.least_gap) ? all.least_gap : (double)NAN, all.captured, all.rescues,
               all.jammed, all.complementarity, all.shared);
}

/* What happened: to contacts, and events of the model, of which the text has the first. */
static void put_events(cli_answer *a, const run_job *job)
{
    enum { SHOWN = 12 };
    const dal_system *sys = job->model.sys;
    int n, own = 0;
    const dal_contact_event *event = dal_sim_contact_events(job->sim, &n);
    answer_put(a, "stopped %s", dal_sim_event_name(job->sim));
    if (sys->contacts.n + sys->events.n == 0 && !sys->contacts.touches) {
        return;
    }
    cli_answer *list = answer_list(a, "events", 0), *shown = answer_list(a, ".own_events", 0);
    for (int i = 0; i < n; ++i) {
        char name[96];
        const dal_system_event *e = dal_sim_happening(job->sim, name, sizeof name, &event[i]);
        const int told = e != NULL && own++ < SHOWN;
        cli_answer *to[2] = {answer_object(list, NULL, 1), told ? answer_object(shown, NULL, 0) : NULL};
        for (int k = 0; k < 2 && to[k] != NULL; ++k) {
            answer_put(to[k], "t %g name %s what %s P_n %g P_t %g lost %g", event[i].t, name,
                       dal_contact_happening_name(event[i].what), event[i].P_n, event[i].P_t, event[i].lost);
            if (e != NULL && e->note[0] != '\0') {
                answer_text(to[k], "note", e->note);
            }
        }
    }
    answer_put(a, ".more_events %d", own > SHOWN ? own - SHOWN : 0);
}

cli_answer *run_answer(const run_job *job)
{
    const cli_model *m = &job->model;
    const dal_stats st = dal_sim_stats(job->sim);
    cli_answer *a = answer_create();
    answer_put(a, "model %s", m->name);
    answer_options(a, "options", &m->opt);
    answer_put(a, "t_end %g steps %ld rejected %ld explicit_steps %ld newton_iterations %ld jacobians %ld", m->t_end,
               st.steps, st.rejected, st.explicit_steps, st.newton_iterations, st.jacobians);
    answer_put(a, "newton_modified %ld linear_solver %s solver_fallbacks %ld wall_s %g lambda_rounding %g",
               st.newton_modified, st.linear_solver != NULL ? st.linear_solver : "", st.solver_fallbacks, job->wall,
               st.lambda_rounding);
    if (job->moved_body != NULL) {
        answer_line(a, "equilibrium", "body %s moved %g turned %g", job->moved_body, job->moved, job->turned);
    }
    put_warnings(a, job);
    put_final(a, job);
    put_quality(a, job);
    put_contacts(a, job);
    put_events(a, job);
    cli_answer *outputs = answer_object(a, "outputs", 0);
    for (int i = 0; i < m->noutputs; ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        answer_reals(outputs, info.name, m->values + info.first, info.n);
    }
    answer_put(a, "error %s",
               job->failure != NULL   ? job->failure
               : job->stopped_by != 0 ? "stopped by a signal"
                                      : NULL);
    put_start(a, job);
    put_method(a, job);
    put_released(a, job);
    put_files(a, job);
    return a;
}
